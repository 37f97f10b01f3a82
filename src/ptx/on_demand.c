/* on_demand.c - streams that are made as they are read, and can be moved on.
 *
 * What an oblivious kernel does (oblivious.c) is the same in whatever order its warps execute. So its CTAs can be
 * handed out before they execute, each warp executes a little ahead of what the machine has read of it, and a sampled
 * run can move all warps on at once: as far as they would go in a given time (ranks.c). That leaves a machine in the
 * state it would be in some time later, its caches apart. Warps that would have ended do so in the machine, soon.
 *
 * How long each warp is was counted before (skim_cta). Kernels with barriers are not made on demand, since their warps
 * have to be moved on to the same barrier, nor are launches of twice as many long CTAs as fit, since there the next one
 * has to take the place of one that ends: written.c does both. Where more CTAs than fit are short, so that at any time
 * some of them end, nothing is moved on. */
#include "ptx/oblivious.h"
#include "ptx/pace.h"
#include "ptx/ranks.h"

#include <math.h>
#include <stdlib.h>

static int demand_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct cta_out *o = cta->owner;
    struct exec_run *r = (struct exec_run *)s;
    struct exec_warp *w = &o->cta->warp[warp];
    struct stream_writer *to = &o->writer[warp];
    o->sm = cta->sm;
    if (w->state == WARP_DONE) return 0;
    to->size = 0;
    r->shared = o->cta->shared;
    uint64_t until = w->executed + PACE_CHUNK;
    int rc = RUN_ON;
    while (!rc && w->state != WARP_DONE && w->executed < until) rc = warp_run_block(w);
    if (rc || to->failed) return -1;
    *out = (struct warp_stream){.data = to->data, .size = to->size};
    return to->size > 0;
}

int demand_hand_over(struct exec_run *r, struct exec_cta *c, struct cta_stream *out)
{
    c->out->cta = c;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        c->warp[i].excerpt = (struct excerpt){.executed = 0};
        c->warp[i].total = r->length[(size_t)c->id * r->nwarps + i];
    }
    *out = (struct cta_stream){.cta = c->id, .nwarps = r->nwarps, .owner = c->out};
    r->next_out++;
    return 1;
}

/* ---- moving on ---- */

static uint64_t demand_made(struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    uint64_t n = r->counts.warp_instructions;
    for (const struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++) n += c->warp[i].executed;
    return n;
}

static struct ranked rank_of(struct exec_warp *w, uint32_t sm)
{
    uint64_t left = w->executed + PACE_LAST < w->total ? w->total - PACE_LAST - w->executed : 0;
    return (struct ranked){.warp = w,
                           .sm = sm,
                           .crew = (uint32_t)w->excerpt.gap,
                           .before = (double)w->excerpt.before,
                           .did = (double)(w->executed - w->excerpt.executed),
                           .left = (double)left};
}

/* The warps that run, by SM, the oldest first: those of the CTA that came first. False: no memory. */
static bool rank_warps(const struct exec_run *r, struct rank_book *k)
{
    uint32_t sms = 0, room = 1;
    for (const struct exec_cta *c = r->live; c; c = c->next) {
        room += r->nwarps;
        if (c->out->sm >= sms) sms = c->out->sm + 1;
    }
    k->n = 0;
    if (!(k->warp = malloc(room * sizeof *k->warp))) return false;
    for (uint32_t sm = 0; sm < sms; sm++)
        for (struct exec_cta *c = r->live; c; c = c->next)
            for (uint32_t i = 0; c->out->sm == sm && i < r->nwarps; i++)
                if (c->warp[i].state != WARP_DONE) k->warp[k->n++] = rank_of(&c->warp[i], sm);
    return true;
}

/* Warps that run on an SM. */
static uint32_t crew_on(const struct exec_run *r, uint32_t sm)
{
    uint32_t n = 0;
    for (const struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; c->out->sm == sm && i < r->nwarps; i++) n += c->warp[i].state != WARP_DONE;
    return n;
}

/* A period ends, another begins. */
static void demand_note(struct stream_source *s)
{
    const struct exec_run *r = (struct exec_run *)s;
    for (struct exec_cta *c = r->live; c; c = c->next) {
        uint32_t crew = crew_on(r, c->out->sm);
        for (uint32_t i = 0; i < r->nwarps; i++) {
            struct excerpt *x = &c->warp[i].excerpt;
            x->before = c->warp[i].executed - x->executed;
            x->executed = c->warp[i].executed;
            x->gap = crew;
        }
    }
}

static bool others_wait(const struct exec_run *r) { return r->next_out < r->info.ctas; }

/* Whether none of the warps would stop before its end. */
static bool all_run(struct rank_book *k, double periods)
{
    ranks_go(k, periods);
    for (uint32_t i = 0; i < k->n; i++)
        if (k->warp[i].way >= k->warp[i].left) return false;
    return true;
}

/* Whether the machine goes on like before behind so many periods: no more of its SMs have nothing to do. Where other
 * CTAs wait for room no warp comes to its end: there it would stop until it is read on, while those behind it come
 * nearer, share its lines again, and the next CTA comes late (`syrk`: warps half as far apart, 7 % too fast). */
static bool goes_on(const struct exec_run *r, struct rank_book *k, double periods)
{
    if (others_wait(r)) return all_run(k, periods);
    struct outlook o = ranks_go(k, periods + PACE_BEHIND + periods / PACE_UNSURE);
    return o.empty * PACE_CROWD <= o.sms;
}

/* How far all may go. Less than what passes behind a stretch is not worth it where it would be so little each time. */
static double longest_way(const struct exec_run *r, struct rank_book *k, double periods)
{
    double least = 0;
    if (goes_on(r, k, periods)) return periods;
    for (unsigned i = 0; i < 12; i++) {
        double middle = (least + periods) / 2;
        if (goes_on(r, k, middle)) least = middle;
        else periods = middle;
    }
    return others_wait(r) && least < PACE_LEAST ? 0 : least;
}

/* What the warp computes matters only where it is executed for its results. */
static int move_warp(struct exec_warp *w, uint64_t n)
{
    struct exec_run *r = w->run;
    uint64_t from = w->executed, threads = w->threads, until = from + n;
    struct stream_writer *out = w->out;
    int rc = RUN_ON;
    w->out = NULL;
    w->skims = r->skims_passed ? &r->skims->way : NULL;
    r->shared = w->cta->shared;
    while (!rc && w->state != WARP_DONE && w->executed < until) rc = warp_run_block(w);
    w->out = out;
    w->excerpt.gaps.warp_instructions += w->executed - from;
    w->excerpt.gaps.thread_instructions += w->threads - threads;
    if (w->skims) {
        r->skimmed.warp_instructions += w->executed - from;
        r->skimmed.thread_instructions += w->threads - threads;
    }
    w->skims = NULL;
    return rc;
}

static int64_t move_all(struct exec_run *r, struct rank_book *k, double periods)
{
    int64_t moved = 0;
    ranks_learn(k, demand_made(&r->source));
    ranks_go(k, longest_way(r, k, periods));
    for (uint32_t i = 0; i < k->n; i++) {
        struct exec_warp *w = k->warp[i].warp;
        uint64_t from = w->executed, way = (uint64_t)k->warp[i].way;
        if (way && move_warp(w, way)) return -1;
        w->excerpt.executed += w->executed - from; /* it was not seen to do that */
        moved += (int64_t)(w->executed - from);
    }
    return moved;
}

static int64_t demand_move(struct stream_source *s, uint64_t parts, uint32_t *ctas)
{
    struct exec_run *r = (struct exec_run *)s;
    struct rank_book *k = r->ranks;
    *ctas = 0;
    int64_t moved = rank_warps(r, k) ? move_all(r, k, (double)parts / 256) : -1;
    free(k->warp);
    k->warp = NULL;
    return moved;
}

static int demand_finish(struct stream_source *s)
{
    const struct exec_run *r = (struct exec_run *)s;
    for (struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++) {
            struct exec_warp *w = &c->warp[i];
            if (w->state == WARP_DONE || w->executed + PACE_LAST >= w->total) continue;
            if (move_warp(w, w->total - PACE_LAST - w->executed)) return -1;
        }
    return 1;
}

/* ---- beginning ---- */

static uint64_t demand_foreseen(const struct stream_source *s) { return ((const struct exec_run *)s)->foreseen; }

static bool is_long(const struct exec_run *r, uint64_t total)
{
    return total / r->info.ctas >= r->nwarps * (uint64_t)PACE_LONG;
}

static bool demand_begin(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    uint64_t total = 0;
    if (!r->skims || r->barriers || r->next_out || !(r->length = skim_lengths(r, &total))) return false;
    bool come_later = r->info.ctas > r->room;
    if (come_later && !is_long(r, total)) return false;
    if (come_later && r->info.ctas / 2 >= r->room) {
        written_offer(r);
        return s->on_demand(s);
    }
    if (!(r->ranks = calloc(1, sizeof *r->ranks))) return false;
    r->ranks->grain = PACE_CHUNK / sqrt(6.0); /* the deviation of what lies between two of their edges */
    r->on_demand = true;
    r->foreseen = total;
    s->more = demand_more;
    s->note = demand_note;
    s->made = demand_made;
    s->move = demand_move;
    s->finish = demand_finish;
    s->foreseen = demand_foreseen;
    return true;
}

void demand_offer(struct exec_run *r)
{
    if (!r->skims || r->barriers) return;
    r->source.on_demand = demand_begin;
    r->source.leave = NULL;
    r->source.touched = NULL;
}
