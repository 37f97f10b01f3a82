/* excerpt.c - of warps that execute much only excerpts go into the streams.
 *
 * A sampled run wants less of a long CTA than all of it. Everything is executed, but what a warp does is recorded only
 * in windows: at its beginning, and then for a sixteenth of each period, at a place in the period that differs from
 * period to period and from CTA to CTA: CTAs that jumped together would meet in the caches more often than they do.
 * Windows are long against what the L1 needs to fill. Between two windows the stream has a gap: the block behind it
 * follows the one before it, and the machine learns what a window stands for when it begins to read it (slices.h).
 *
 * A warp is recorded whole as far as a few periods, so that what is left out of one that is not much longer, and has
 * few windows, is little. The warps of a CTA keep the same windows, since they count their own instructions. Kernels
 * in which warps meet, at barriers or otherwise, are recorded whole: all would have to meet at the same places.
 *
 * Nothing here depends on the machine's time. */
#include "ptx/exec_priv.h"

enum {
    ALWAYS = 1 << 18, /* instructions at a warp's beginning that are recorded */
    SHARE = 16,       /* a window is one of so many parts of a period */
    WINDOW = EXCERPT_WINDOW,
    PERIOD = WINDOW * SHARE
};

/* Whether what a warp of the CTA does after so many instructions lies in a window. */
static bool is_in_window(const struct exec_cta *c, uint64_t executed)
{
    if (executed < ALWAYS) return true;
    uint64_t seed = executed / PERIOD ^ (uint64_t)c->id << 32, begin = splitmix64(&seed) % (PERIOD - WINDOW + 1);
    return executed % PERIOD - begin < WINDOW; /* unsigned: not before it either */
}

static bool ends_warp(const struct exec_warp *w, const struct xblock *b, const struct uop *end)
{
    return (b->end == END_EXIT || (b->end == END_RET && w->nframe == 1)) && end->in->guard < 0;
}

static bool is_wanted(const struct exec_warp *w, const struct xfunc *f, const struct xblock *b)
{
    return ends_warp(w, b, &f->uop[b->first + b->body]) || is_in_window(w->cta, w->executed);
}

void excerpt_begin(struct exec_warp *w) { w->excerpt = (struct excerpt){.writer = w->run->excerpts ? w->out : NULL}; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* A window has ended: it and the one before it stand for the gap between them, in equal parts, but a short one, as the
 * last of a warp may be, for less. */
static void close_window(struct exec_warp *w)
{
    struct excerpt *x = &w->excerpt;
    uint64_t last = w->executed - x->executed, a = least(x->before, WINDOW), b = least(last, WINDOW);
    stream_cut(x->writer);
    uint64_t first = x->gap * a / (a + b + !(a + b));
    slice_stand_for(x->writer->chain, first, x->gap - first);
    x->before = last;
    x->gap = 0;
}

static void close_gap(struct exec_warp *w)
{
    struct excerpt *x = &w->excerpt;
    x->gap = w->executed - x->executed;
    x->gaps.warp_instructions += x->gap;
    x->gaps.thread_instructions += w->threads - x->threads;
}

void excerpt_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b)
{
    bool wanted = is_wanted(w, f, b);
    if (wanted == (w->out != NULL)) return;
    if (wanted) close_gap(w);
    else close_window(w);
    w->out = wanted ? w->excerpt.writer : NULL;
    w->excerpt.executed = w->executed;
    w->excerpt.threads = w->threads;
}

void excerpt_end(struct exec_warp *w)
{
    struct excerpt *x = &w->excerpt;
    if (!x->writer || !x->before) return; /* no gap */
    if (w->out) close_window(w);
    else close_gap(w), slice_stand_for(x->writer->chain, 0, x->gap);
}

/* ---- the source ---- */

void source_excerpt(struct stream_source *s) { ((struct exec_run *)s)->excerpts = true; }

uint64_t source_gaps(struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    uint64_t n = 0;
    for (const struct cta_out *o = r->all_out; o; o = o->next)
        for (uint32_t i = 0; i < r->nwarps; i++) n += o->chain[i].passed;
    return n;
}
