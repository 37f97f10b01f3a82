/* on_demand.c - streams that are made as they are read, and can be moved on.
 *
 * What an oblivious kernel does (oblivious.c) is the same in whatever order its warps execute. So its CTAs can be
 * handed out before they execute, each warp executes a little ahead of what the machine has read of it, and a sampled
 * run can move all warps on at once: by as much as they have done lately, times a factor. That leaves a machine in the
 * state it would be in some time later, its caches apart. Warps that would come to their end stop shortly before it.
 *
 * How long each warp is was counted before (skim_cta). Kernels with barriers are not made on demand, since their warps
 * have to be moved on to the same barrier, nor are launches of twice as many long CTAs as fit, since there the next one
 * has to take the place of one that ends: written.c does both. */
#include "ptx/oblivious.h"
#include "ptx/pace.h"

#include <stdlib.h>

static int demand_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct cta_out *o = cta->owner;
    struct exec_run *r = (struct exec_run *)s;
    struct exec_warp *w = &o->cta->warp[warp];
    struct stream_writer *to = &o->writer[warp];
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

static void demand_note(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    for (struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++) c->warp[i].excerpt.executed = c->warp[i].executed;
}

static uint64_t demand_made(struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    uint64_t n = r->counts.warp_instructions;
    for (const struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++) n += c->warp[i].executed;
    return n;
}

static uint64_t left_of(const struct exec_warp *w)
{
    return w->executed + PACE_END < w->total ? w->total - PACE_END - w->executed : 0;
}

static struct done done_by(const struct exec_cta *c, uint32_t nwarps)
{
    struct done d = {0, 0, 0};
    for (uint32_t i = 0; i < nwarps; i++)
        if (c->warp[i].state != WARP_DONE) done_add(&d, c->warp[i].executed - c->warp[i].excerpt.executed);
    return d;
}

static struct pace pace_of(const struct exec_run *r)
{
    struct pace p = {0, 0, 0};
    for (const struct exec_cta *c = r->live; c; c = c->next) {
        struct done one = done_by(c, r->nwarps);
        pace_add(&p, &one);
    }
    return p;
}

static uint64_t way_of(const struct exec_run *r, const struct exec_cta *c, const struct pace *p, uint64_t parts)
{
    struct done one = done_by(c, r->nwarps);
    return (uint64_t)(pace_rate(p, &one) * (double)parts);
}

/* Of parts of 2^-8: how far all may go so that few come to their ends, there or in the windows behind. */
static uint64_t least_crowded(const struct exec_run *r, const struct pace *p, uint64_t parts)
{
    uint64_t behind = r->next_out < r->info.ctas ? 0 : PACE_BEHIND * 256; /* others take the place of those that end */
    for (; parts; parts /= 2) {
        uint32_t warps = 0, ends = 0;
        for (const struct exec_cta *c = r->live; c; c = c->next) {
            uint64_t way = way_of(r, c, p, parts + behind);
            for (uint32_t i = 0; i < r->nwarps; i++) {
                const struct exec_warp *w = &c->warp[i];
                warps += w->state != WARP_DONE;
                ends += w->state != WARP_DONE && way > left_of(w);
            }
        }
        if (ends * PACE_CROWD <= warps) return parts;
    }
    return 0;
}

static int move_warp(struct exec_warp *w, uint64_t n)
{
    uint64_t from = w->executed, threads = w->threads, until = from + n;
    struct stream_writer *out = w->out;
    int rc = RUN_ON;
    w->out = NULL;
    w->run->shared = w->cta->shared;
    while (!rc && w->state != WARP_DONE && w->executed < until) rc = warp_run_block(w);
    w->out = out;
    w->excerpt.gaps.warp_instructions += w->executed - from;
    w->excerpt.gaps.thread_instructions += w->threads - threads;
    return rc;
}

static int64_t demand_move(struct stream_source *s, uint64_t parts, uint32_t *ctas)
{
    struct exec_run *r = (struct exec_run *)s;
    int64_t moved = 0;
    struct pace p = pace_of(r);
    *ctas = 0;
    parts = least_crowded(r, &p, parts);
    for (struct exec_cta *c = r->live; c && parts; c = c->next) {
        uint64_t way = way_of(r, c, &p, parts);
        for (uint32_t i = 0; i < r->nwarps && way; i++) {
            struct exec_warp *w = &c->warp[i];
            uint64_t most = left_of(w), from = w->executed;
            if (w->state == WARP_DONE || !most) continue;
            if (move_warp(w, way < most ? way : most)) return -1;
            moved += (int64_t)(w->executed - from);
        }
    }
    return moved;
}

/* ---- beginning ---- */

static uint64_t demand_foreseen(const struct stream_source *s) { return ((const struct exec_run *)s)->foreseen; }

static bool has_successors(const struct exec_run *r, uint64_t total)
{
    return r->info.ctas / 2 >= r->room && total / r->info.ctas >= r->nwarps * (uint64_t)PACE_LONG;
}

static bool demand_begin(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    uint64_t total = 0;
    if (!r->skims || r->barriers || r->next_out || !(r->length = skim_lengths(r, &total))) return false;
    if (has_successors(r, total)) {
        written_offer(r);
        return s->on_demand(s);
    }
    r->on_demand = true;
    r->foreseen = total;
    s->more = demand_more;
    s->note = demand_note;
    s->made = demand_made;
    s->move = demand_move;
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
