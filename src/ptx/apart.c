/* apart.c - barriers of the CTA to which lanes of one warp come apart.
 *
 * Since sm_70 a barrier waits for threads, not for warps: lanes that took different ways may arrive at different
 * instructions, and a lane that was let past others (spin.c) arrives before them (CUDA programming guide, independent
 * thread scheduling). So lanes that come to such a barrier, which is a block of its own (converge.h), stand before it
 * as long as others of their warp can go on. Those that come to the same instruction are joined and go on together.
 * When no lane can go on all that stand before barriers arrive. Lanes that wait for them where ways meet, and lanes
 * that have ended, count with them: before sm_70 a warp arrived as a whole.
 *
 * To the timing half a warp arrives at a barrier of the CTA once: the stream says which of the instructions that was,
 * the last; the others are executed by no lane. A warp of the functions that a kernel calls waits for lanes of its
 * own function only. */
#include "ptx/exec_priv.h"

#include <string.h>

struct apart_group {
    uint32_t level;
    const struct xblock *at;
};

static const struct call_frame *frame_of(const struct exec_warp *w) { return &w->frame[w->nframe - 1]; }

/* The levels whose lanes are on ways of their own, from the top of the stack down; in *all their lanes. */
static unsigned find_groups(const struct exec_warp *w, struct apart_group out[WARP_SIZE], uint32_t *all)
{
    const struct call_frame *f = frame_of(w);
    uint32_t above = 0;
    unsigned n = 0;
    *all = 0;
    for (uint32_t j = w->depth; j-- > f->stack;) {
        const struct simt *s = &w->stack[j];
        if (s->mask && !(s->mask & above) && s->block != s->reconv) {
            out[n++] = (struct apart_group){.level = j, .at = &f->f->block[s->block]};
            *all |= s->mask;
        }
        above |= s->mask;
    }
    return n;
}

static void remove_level(struct exec_warp *w, uint32_t level)
{
    memmove(w->stack + level, w->stack + level + 1, (w->depth - level - 1) * sizeof *w->stack);
    w->depth--;
}

static void bring_to_top(struct exec_warp *w, uint32_t level)
{
    struct simt s = w->stack[level];
    remove_level(w, level);
    w->stack[w->depth++] = s;
}

/* Lanes that stand before the same barrier and go the same way. True: there were some. */
static bool join(struct exec_warp *w, const struct apart_group *g, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        struct simt *top = &w->stack[w->depth - 1], *other = &w->stack[g[i].level];
        if ((top->mask | other->mask) & w->apart || other->block != top->block || other->reconv != top->reconv)
            continue;
        top->mask |= other->mask;
        remove_level(w, g[i].level);
        return true;
    }
    return false;
}

/* These lanes of the warp are counted, once each. True: all of it have come now. */
static bool count(struct exec_warp *w, struct barrier *b, uint32_t lanes)
{
    uint32_t *came = &w->came[b - w->cta->bar], fresh = lanes & ~*came;
    *came |= fresh;
    b->threads += bit_count32(fresh);
    b->apart = true;
    return fresh && *came == UINT32_MAX;
}

/* `rest`: lanes that count with the group. */
static int arrive(struct exec_warp *w, const struct apart_group *g, uint32_t rest)
{
    const struct xfunc *f = frame_of(w)->f;
    const struct uop *u = &f->uop[g->at->first];
    uint32_t mask = w->stack[g->level].mask, expected;
    bool known = w->apart & mask;
    set_exec(w, mask);
    struct barrier *b = cta_barrier(w, u, &expected);
    if (!b) return RUN_FAULT;
    if (!known) warp_enter_block(w, f, g->at, mask);
    bool whole = count(w, b, mask | rest);
    if (!known) {
        uint32_t shown = whole ? mask : 0;
        w->threads += bit_count32(shown);
        if (w->out) stream_guard(w->out, shown);
        b->expected = expected;
        b->waiting |= 1u << w->id;
        cta_vote(b, w, u);
        w->apart |= mask;
    }
    w->bar_id = (uint8_t)(b - w->cta->bar);
    w->bar_uop = u;
    w->bar_mask = 0; /* apart_release hands out */
    return RUN_ON;
}

/* All groups, the top one last, with those that cannot come. */
static int arrive_all(struct exec_warp *w, const struct apart_group *g, unsigned n, uint32_t all)
{
    for (unsigned i = n; i-- > 0;)
        if (arrive(w, &g[i], i ? 0 : ~all)) return RUN_FAULT;
    w->state = WARP_BARRIER;
    if (w->marks) w->marks->apart = true;
    for (unsigned i = 0; i < BARRIERS; i++)
        if (w->cta->bar[i].threads) cta_check_barrier(w->cta, &w->cta->bar[i]);
    return w->state == WARP_BARRIER ? RUN_WAIT : RUN_ON;
}

bool apart_goes(struct exec_warp *w, int *rc)
{
    struct apart_group g[WARP_SIZE];
    uint32_t all;
    unsigned n = find_groups(w, g, &all);
    if (n == 1 && !w->apart) return true;
    for (unsigned i = 1; i < n; i++) {
        if (g[i].at->apart) continue;
        bring_to_top(w, g[i].level);
        return false;
    }
    if (!join(w, g, n)) *rc = arrive_all(w, g, n, all);
    return false;
}

void apart_release(struct exec_warp *w, const struct barrier *b)
{
    struct apart_group g[WARP_SIZE];
    uint32_t all, id = (uint32_t)(b - w->cta->bar);
    unsigned n = find_groups(w, g, &all);
    for (unsigned i = 0; i < n; i++) {
        struct simt *s = &w->stack[g[i].level];
        const struct uop *u = &frame_of(w)->f->uop[g[i].at->first];
        if (!(s->mask & w->apart) || at32(w, u->s[0])[bit_low32(s->mask)] != id) continue;
        cta_hand_out(b, w, u, s->mask);
        w->apart &= ~s->mask;
        s->block = g[i].at->next;
    }
}

uint32_t apart_arrive(struct exec_warp *w, unsigned id)
{
    struct apart_group g[WARP_SIZE];
    uint32_t all, others;
    struct barrier *b = &w->cta->bar[id];
    uint32_t before = b->threads;
    find_groups(w, g, &all);
    others = all & ~w->stack[w->depth - 1].mask;
    if (count(w, b, ~others)) w->came[id] = 0;
    uint32_t n = b->threads - before;
    b->threads = before;
    return n;
}

bool apart_complete(struct exec_cta *c)
{
    for (unsigned k = 0; k < BARRIERS; k++) {
        struct barrier *b = &c->bar[k];
        if (!b->apart || !b->waiting) continue;
        for (uint32_t i = 0; i < c->run->nwarps; i++)
            if (c->warp[i].came[k]) (void)count(&c->warp[i], b, ~c->warp[i].apart);
        cta_check_barrier(c, b);
        if (!b->threads) return true;
    }
    return false;
}
