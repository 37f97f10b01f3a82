/* on_demand.c - streams that are made as they are read, and can be moved on.
 *
 * What an oblivious kernel does (oblivious.c) is the same in whatever order its warps execute. So its CTAs can be
 * handed out before they execute, each warp executes a little ahead of what the machine has read of it, and a sampled
 * run can move all warps on at once: by as much as they have done lately, times a factor. That leaves a machine in the
 * state it would be in some time later, its caches apart. Warps that would come to their end stop shortly before it.
 *
 * How long each warp is was counted before (skim_cta). Kernels with barriers are not made on demand: their warps would
 * have to be moved on to the same barrier. */
#include "ptx/oblivious.h"

#include <math.h>
#include <stdlib.h>

enum {
    CHUNK = 64, /* instructions that a warp executes ahead of the machine */
    END = 256,  /* so many at the end of a warp are never left out */
    CROWD = 8   /* one of so many warps may be stopped before its end; if more would be, all go less far */
};

static int demand_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct cta_out *o = cta->owner;
    struct exec_run *r = (struct exec_run *)s;
    struct exec_warp *w = &o->cta->warp[warp];
    struct stream_writer *to = &o->writer[warp];
    if (w->state == WARP_DONE) return 0;
    to->size = 0;
    r->shared = o->cta->shared;
    uint64_t until = w->executed + CHUNK;
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
    return w->executed + END < w->total ? w->total - END - w->executed : 0;
}

/* What warps that run have done since the note: how many, the sum, the sum of squares. */
struct done {
    double n, sum, square;
};

static void add_done(const struct exec_cta *c, uint32_t nwarps, struct done *d)
{
    for (uint32_t i = 0; i < nwarps; i++) {
        const struct exec_warp *w = &c->warp[i];
        if (w->state == WARP_DONE) continue;
        double x = (double)(w->executed - w->excerpt.executed);
        d->n++;
        d->sum += x;
        d->square += x * x;
    }
}

static double mean_of(const struct done *d) { return d->n > 0 ? d->sum / d->n : 0; }

/* How fast all go, and by how much the warps of a CTA scatter about their mean. */
struct pace {
    double mean, deviation;
};

static struct pace pace_of(const struct exec_run *r)
{
    struct done all = {0, 0, 0};
    double squares = 0;
    for (const struct exec_cta *c = r->live; c; c = c->next) {
        struct done one = {0, 0, 0};
        add_done(c, r->nwarps, &one);
        squares += fmax(one.square - one.sum * mean_of(&one), 0);
        all.n += one.n;
        all.sum += one.sum;
    }
    return (struct pace){mean_of(&all), sqrt(squares / fmax(all.n, 1))};
}

/* How far the warps of a CTA go, in windows of 2^-8. All of them as far: where they are, one ahead of the other, is
 * part of the state, and what they have come ahead by in one window is chance. So it is with CTAs, unless one is faster
 * or slower than its warps' scatter explains: it shares its SM with fewer, or more. */
static uint64_t way_of(const struct exec_run *r, const struct exec_cta *c, const struct pace *p, uint64_t parts)
{
    static const double deviations = 3;
    struct done one = {0, 0, 0};
    add_done(c, r->nwarps, &one);
    double mean = mean_of(&one), by_chance = deviations * p->deviation / sqrt(fmax(one.n, 1));
    if (fabs(mean - p->mean) <= by_chance) mean = p->mean;
    return (uint64_t)(mean * (double)parts / 256);
}

/* Of parts of 2^-8: how far all may go so that few come to their ends. */
static uint64_t least_crowded(const struct exec_run *r, const struct pace *p, uint64_t parts)
{
    for (; parts; parts /= 2) {
        uint32_t warps = 0, ends = 0;
        for (const struct exec_cta *c = r->live; c; c = c->next) {
            uint64_t way = way_of(r, c, p, parts);
            for (uint32_t i = 0; i < r->nwarps; i++) {
                const struct exec_warp *w = &c->warp[i];
                warps += w->state != WARP_DONE;
                ends += w->state != WARP_DONE && way > left_of(w);
            }
        }
        if (ends * CROWD <= warps) return parts;
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

static int64_t demand_move(struct stream_source *s, uint64_t parts)
{
    struct exec_run *r = (struct exec_run *)s;
    int64_t moved = 0;
    struct pace p = pace_of(r);
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

static uint64_t demand_begin(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    uint64_t total = 0;
    if (!r->skims || r->barriers || r->next_out || !(r->length = skim_lengths(r, &total))) return 0;
    r->on_demand = true;
    s->more = demand_more;
    s->note = demand_note;
    s->made = demand_made;
    s->move = demand_move;
    return total;
}

void demand_offer(struct exec_run *r)
{
    if (r->skims && !r->barriers) r->source.on_demand = demand_begin;
}
