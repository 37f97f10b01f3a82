/* cfg_meet.c - where lanes that part meet again.
 *
 * Lanes that part at the end of a block meet at its immediate post-dominator: the block's dominator in the reversed
 * graph, rooted at a virtual exit behind every block that nothing follows.
 *
 * Taken literally, that fails with lanes that leave early. In
 *
 *     if (a) { if (b) return; ... }  __syncthreads();  ...
 *
 * no block but the function's end is on every path, so the lanes of the two arms would run the rest apart: the barrier
 * is reached twice, a vote counts half of the lanes. But a lane that has left waits nowhere, so its path must not keep
 * the others apart. What counts are the paths of the lanes that stay. Returning from a .func is no different: the
 * lanes that have returned are off all levels of its frame.
 *
 * Early edges. Lanes that take an early edge leave without ever meeting those that do not:
 *   1. The edge enters a block that every path reaches from the edge alone, and so does all that follows: an arm that
 *      ends with ret, whatever is in it. With the dominator tree: the block has one predecessor, and no edge leads
 *      out of its subtree.
 *   2. The edge jumps to a block that is a lone ret or exit, which compilers share among all returns. Each jump
 *      counts as a ret of its own, so 1. ignores these edges. One case is not early: a block outside of loops that
 *      all lanes pass before they end, as the usual `if (i >= n) return;` at the start. Nobody can be kept apart
 *      there, and the lanes execute the last ret together.
 *   3. The edge goes from where a ret or exit can be reached to where only a trap can, which many checks may share.
 *   4. The edge enters a block that is the only way to all that follows it, as in 1., but joins several ways, which
 *      all come from one block that other lanes leave by another way: `if (a) { if (b) { if (c) break; } return; }`.
 * Post-dominators are found without the early edges of a block that has other ways.
 *
 * Loops. If a loop is left by early edges only, leaving all of them out would make it endless. One of them is how the
 * loop ends, the others are returns from its middle; only a guess can tell which. It begins at a block that every
 * round passes (one that dominates the sources of all back edges). Among several such edges, one from the loop's
 * first block or from one that jumps back to it comes first, then one that goes to more than a lone ret, then the one
 * to the last place in the text. Outer loops are decided before inner ones, and later ones before earlier ones: the
 * early edges of a loop are returns if it can end another way.
 *
 * Two rets that share code which is more than the ret itself (a `goto out` with work to do there) meet at that code,
 * since in the stack of warp.c no lane can skip a level. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

enum {
    REGION_NONE,
    REGION_ARM /* rule 1 */,
    REGION_JOIN /* of a closed block, but not early */,
    REGION_LOST /* rule 4 */
};
enum { MAX_DEPTH = 16 }; /* loops nested deeper keep all their edges if they have no other way out */

struct meet {
    const struct build *b;
    struct func_info *fi;
    const struct dom_tree *t;
    uint32_t n;
    uint8_t *returns;              /* a ret or exit can be reached from the block */
    uint8_t *bare;                 /* the block is a lone ret, exit or trap */
    uint8_t *region;               /* REGION_* of a block that is the only way to all that follows it */
    uint8_t *last;                 /* all edges of the block are early, or there are none */
    uint8_t *alive;                /* an end can be reached from the block without early edges, or by a kept one */
    uint32_t *kept;                /* target of the block's early edges that stay, as a loop ends by them */
    uint32_t *low, *high;          /* least and greatest `in` that the block's subtree jumps to */
    uint32_t *round_lo, *round_hi; /* for a loop header: least and greatest `in` of its back edges' sources */
    uint32_t *way, *way_from;      /* for a loop header: target and source of the edge by which the loop ends */
    uint32_t end_lo, end_hi;       /* least and greatest `in` of the blocks that end with a ret or exit */
    uint32_t *leavers;             /* for a loop header: the first of the loop's blocks with early edges */
    uint32_t *next;                /* the next such block of the same loop */
    uint32_t *finished, *edge;     /* finish_order(): its result, and the next edge to follow from a block */
    uint32_t *stack;
};

static const struct ptx_inst *last_of(const struct func_info *fi, uint32_t b)
{
    return &fi->inst[fi->block[b].first + fi->block[b].count - 1];
}

static bool reached(const struct meet *m, uint32_t b) { return m->t->number[b] != PTX_NO_BLOCK; }

static uint32_t ways(const struct meet *m, uint32_t b) { return m->fi->succ_first[b + 1] - m->fi->succ_first[b]; }

static void widen(uint32_t *lo, uint32_t *hi, uint32_t v)
{
    if (v < *lo) *lo = v;
    if (v > *hi) *hi = v;
}

/* Whether b dominates all blocks whose `in` is between lo and hi. */
static bool above(const struct meet *m, uint32_t b, uint32_t lo, uint32_t hi)
{
    return m->t->in[b] <= lo && hi - m->t->in[b] < m->t->size[b];
}

/* ---- early edges ---- */

/* Marks what reaches a ret or exit that is not guarded: what a guarded one leaves behind goes on. */
static void mark_returns(struct meet *m)
{
    uint32_t top = 0;
    m->end_lo = UINT32_MAX;
    for (uint32_t b = 0; b < m->n; b++) {
        m->bare[b] = !ways(m, b) && m->fi->block[b].count == 1;
        if (!reached(m, b) || ways(m, b) || last_of(m->fi, b)->op == OP_TRAP) continue;
        m->returns[b] = 1, m->stack[top++] = b;
        widen(&m->end_lo, &m->end_hi, m->t->in[b]);
    }
    while (top) {
        uint32_t b = m->stack[--top];
        for (uint32_t i = m->t->pred_first[b]; i < m->t->pred_first[b + 1]; i++)
            if (!m->returns[m->t->pred[i]]) m->returns[m->t->pred[i]] = 1, m->stack[top++] = m->t->pred[i];
    }
}

static bool never_returns(const struct meet *m, uint32_t from, uint32_t to)
{
    return m->returns[from] && !m->returns[to];
}

/* Whether all ways into the block begin at the same other block. */
static bool has_one_pred(const struct meet *m, uint32_t b)
{
    uint32_t from = PTX_NO_BLOCK;
    if (b == 0) return false; /* the function's entry */
    for (uint32_t i = m->t->pred_first[b]; i < m->t->pred_first[b + 1]; i++) {
        uint32_t p = m->t->pred[i];
        if (!reached(m, p) || p == from) continue;
        if (from != PTX_NO_BLOCK) return false;
        from = p;
    }
    return true;
}

/* The least and greatest `in` that the subtrees of the blocks jump to. Back edges count only if `back`. */
static void find_reach(struct meet *m, bool back)
{
    const struct dom_tree *t = m->t;
    const struct func_info *fi = m->fi;
    for (uint32_t b = 0; b < m->n; b++) m->low[b] = m->high[b] = t->in[b];
    for (uint32_t i = t->count; i-- > 0;) { /* from the leaves of the dominator tree up */
        uint32_t b = t->order[i];
        for (uint32_t k = fi->succ_first[b]; k < fi->succ_first[b + 1]; k++) {
            uint32_t to = fi->succ[k];
            if (m->bare[to] || never_returns(m, b, to) || (!back && dominates(t, to, b))) continue;
            widen(&m->low[b], &m->high[b], t->in[to]);
        }
        if (i) widen(&m->low[t->idom[b]], &m->high[t->idom[b]], m->low[b]);
        if (i) widen(&m->low[t->idom[b]], &m->high[t->idom[b]], m->high[b]);
    }
}

static bool is_closed(const struct meet *m, uint32_t b) { return above(m, b, m->low[b], m->high[b]); }

/* Rules 1 and 4. */
static void mark_regions(struct meet *m)
{
    find_reach(m, true);
    for (uint32_t i = 1; i < m->t->count; i++) {
        uint32_t b = m->t->order[i];
        m->region[b] = !m->bare[b] && is_closed(m, b) ? has_one_pred(m, b) ? REGION_ARM : REGION_JOIN : REGION_NONE;
    }
    find_reach(m, false);
    for (uint32_t i = 1; i < m->t->count; i++) {
        uint32_t b = m->t->order[i];
        if (m->region[b] == REGION_JOIN && !is_closed(m, m->t->idom[b])) m->region[b] = REGION_LOST;
    }
}

/* Whether the edge is early by rule 3 or 4: the ways by which lanes stay are elsewhere. */
static bool is_lost(const struct meet *m, uint32_t from, uint32_t to)
{
    return reached(m, from) &&
           (never_returns(m, from, to) || (m->region[to] == REGION_LOST && !dominates(m->t, to, from)));
}

static bool is_early(const struct meet *m, uint32_t from, uint32_t to)
{
    if (!reached(m, from)) return false;
    if (is_lost(m, from, to)) return true;
    if (!m->bare[to]) return m->region[to] == REGION_ARM;
    return ways(m, from) > 1 && (m->t->loop_header[from] != PTX_NO_BLOCK || !above(m, from, m->end_lo, m->end_hi));
}

/* ---- what stays ---- */

/* Everything that reaches the blocks on the stack by edges that are not early. */
static void spread(struct meet *m, uint32_t top)
{
    while (top) {
        uint32_t b = m->stack[--top];
        for (uint32_t i = m->t->pred_first[b]; i < m->t->pred_first[b + 1]; i++) {
            uint32_t p = m->t->pred[i];
            if (!m->alive[p] && !is_early(m, p, b)) m->alive[p] = 1, m->stack[top++] = p;
        }
    }
}

static void mark_alive(struct meet *m)
{
    const struct func_info *fi = m->fi;
    uint32_t top = 0;
    for (uint32_t b = 0; b < m->n; b++) {
        bool all_early = true, all_lost = ways(m, b) > 0;
        for (uint32_t k = fi->succ_first[b]; k < fi->succ_first[b + 1]; k++) {
            all_early &= is_early(m, b, fi->succ[k]);
            all_lost &= is_lost(m, b, fi->succ[k]);
        }
        m->last[b] = all_early && !all_lost;
        if (m->last[b]) m->alive[b] = 1, m->stack[top++] = b;
    }
    spread(m, top);
}

/* ---- loops that are left by early edges only ---- */

static void find_rounds(struct meet *m)
{
    const struct func_info *fi = m->fi;
    for (uint32_t b = 0; b < m->n; b++)
        for (uint32_t k = fi->succ_first[b]; k < fi->succ_first[b + 1] && reached(m, b); k++)
            if (dominates(m->t, fi->succ[k], b))
                widen(&m->round_lo[fi->succ[k]], &m->round_hi[fi->succ[k]], m->t->in[b]);
}

static bool every_round_passes(const struct meet *m, uint32_t b)
{
    uint32_t h = m->t->loop_header[b];
    return above(m, b, m->round_lo[h], m->round_hi[h]);
}

/* Whether a loop's test may be in the block: at the start or the end of a round. */
static bool is_test(const struct meet *m, uint32_t b)
{
    bool test = m->t->loop_header[b] == b;
    for (uint32_t k = m->fi->succ_first[b]; k < m->fi->succ_first[b + 1]; k++)
        test |= m->fi->succ[k] == m->t->loop_header[b];
    return test;
}

/* Whether the loop of header h rather ends by the edge from -> to than by the one chosen so far. */
static bool is_better(const struct meet *m, uint32_t h, uint32_t from, uint32_t to)
{
    uint32_t old_from = m->way_from[h], old = m->way[h];
    if (old_from == PTX_NO_BLOCK) return true;
    bool passes = every_round_passes(m, from), old_passes = every_round_passes(m, old_from);
    if (passes != old_passes) return passes;
    bool tests = is_test(m, from), old_tests = is_test(m, old_from);
    if (tests != old_tests) return tests;
    if (m->bare[to] != m->bare[old]) return m->bare[old];
    return to >= old;
}

/* Chooses how each loop ends, if it has to end by an early edge, and lists the blocks that have such edges. */
static void choose_ways(struct meet *m)
{
    const struct func_info *fi = m->fi;
    for (uint32_t b = 0; b < m->n; b++) {
        uint32_t h = m->t->loop_header[b];
        if (!reached(m, b) || h == PTX_NO_BLOCK) continue;
        bool any = false;
        for (uint32_t k = fi->succ_first[b]; k < fi->succ_first[b + 1]; k++) {
            uint32_t to = fi->succ[k];
            if (!is_early(m, b, to) || is_lost(m, b, to)) continue;
            if (is_better(m, h, b, to)) m->way[h] = to, m->way_from[h] = b;
            any = true;
        }
        if (any) m->next[b] = m->leavers[h], m->leavers[h] = b;
    }
}

/* The blocks in the order in which a depth-first walk is done with them: without back edges, a block comes behind all
 * that follow it. Returns how many. */
static uint32_t finish_order(struct meet *m)
{
    const struct func_info *fi = m->fi;
    uint32_t top = 0, n = 0, *edge = m->edge;
    for (uint32_t b = 0; b < m->n; b++) edge[b] = PTX_NO_BLOCK; /* not seen yet */
    edge[0] = fi->succ_first[0];
    m->stack[top++] = 0;
    while (top) {
        uint32_t b = m->stack[top - 1];
        if (edge[b] == fi->succ_first[b + 1]) {
            m->finished[n++] = b;
            top--;
            continue;
        }
        uint32_t to = fi->succ[edge[b]++];
        if (edge[to] != PTX_NO_BLOCK) continue;
        edge[to] = fi->succ_first[to];
        m->stack[top++] = to;
    }
    return n;
}

static void end_loop(struct meet *m, uint32_t h)
{
    uint32_t top = 0;
    for (uint32_t b = m->leavers[h]; b != PTX_NO_BLOCK; b = m->next[b]) {
        if (b != m->way_from[h] && !every_round_passes(m, b)) continue;
        m->kept[b] = m->way[h]; /* no matter if it has no edge to there */
        if (!m->alive[b]) m->alive[b] = 1, m->stack[top++] = b;
    }
    spread(m, top);
}

/* A loop with no other way out is open until it is decided how it ends. So are the loops before it, thus the order. */
static void end_loops(struct meet *m)
{
    find_rounds(m);
    choose_ways(m);
    uint32_t n = finish_order(m);
    for (uint32_t depth = 1; depth <= MAX_DEPTH; depth++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t h = m->finished[i];
            uint16_t loop = m->fi->block_loop[h];
            if (m->t->loop_header[h] != h || loop == CODE_NO_LOOP || m->b->loop[loop].depth != depth) continue;
            if (!m->alive[h]) end_loop(m, h);
        }
}

/* ---- post-dominators ---- */

/* Rule 3 holds wherever it applies: the block's other ways lead to a ret. */
static bool stays(const struct meet *m, uint32_t from, uint32_t to)
{
    if (never_returns(m, from, to)) return false;
    if (!m->alive[from] || m->kept[from] == to) return true;
    if (is_lost(m, from, to)) return false;
    return m->last[from] || (m->alive[to] && !is_early(m, from, to));
}

/* The edges that stay, with the virtual exit as node n. */
static void staying_edges(const struct meet *m, uint32_t *first, uint32_t *to)
{
    const struct func_info *fi = m->fi;
    uint32_t n = 0;
    for (uint32_t b = 0; b < m->n; b++) {
        first[b] = n;
        for (uint32_t k = fi->succ_first[b]; k < fi->succ_first[b + 1]; k++)
            if (stays(m, b, fi->succ[k])) to[n++] = fi->succ[k];
        if (n == first[b]) to[n++] = m->n;
    }
    first[m->n] = first[m->n + 1] = n;
}

static int post_dominators(const struct meet *m)
{
    uint32_t nodes = m->n + 1, most = m->fi->succ_first[m->n] + nodes;
    uint32_t *w = calloc((size_t)nodes * 5 + 2 + (size_t)most * 2, sizeof *w);
    if (!w) return -1;
    uint32_t *first = w, *rfirst = first + nodes + 1, *idom = rfirst + nodes + 1, *order = idom + nodes;
    uint32_t *number = order + nodes, *to = number + nodes, *rto = to + most;
    staying_edges(m, first, to);
    graph_reverse(nodes, first, to, rfirst, rto);
    struct flow_graph g = {nodes, rfirst, rto, first, to}; /* reversed: successors are predecessors */
    int64_t count = graph_dominators(&g, m->n, idom, order, number);
    for (uint32_t b = 0; b < m->n && count >= 0; b++) m->fi->block[b].ipdom = idom[b] == m->n ? PTX_NO_BLOCK : idom[b];
    free(w);
    return count < 0 ? -1 : 0;
}

int meet_build(const struct build *b, struct func_info *fi, const struct dom_tree *t)
{
    struct meet m = {.b = b, .fi = fi, .t = t, .n = fi->f.nblock};
    uint32_t **words[] = {&m.kept, &m.low,  &m.round_lo, &m.way,      &m.way_from, &m.leavers,
                          &m.next, &m.high, &m.round_hi, &m.finished, &m.edge,     &m.stack};
    uint8_t **bytes[] = {&m.returns, &m.bare, &m.region, &m.last, &m.alive};
    enum { WORDS = sizeof words / sizeof *words, BYTES = sizeof bytes / sizeof *bytes, NONE = 7 };
    uint32_t *w = calloc((size_t)m.n * WORDS, sizeof *w);
    uint8_t *p = calloc((size_t)m.n, BYTES);
    int rc = -1;
    if (w && p) {
        for (size_t i = 0; i < WORDS; i++) *words[i] = w + i * m.n;
        for (size_t i = 0; i < BYTES; i++) *bytes[i] = p + i * m.n;
        memset(w, 0xff, (size_t)m.n * NONE * sizeof *w); /* the first ones begin with PTX_NO_BLOCK or the largest */
        mark_returns(&m);
        mark_regions(&m);
        mark_alive(&m);
        end_loops(&m);
        rc = post_dominators(&m);
    }
    free(w);
    free(p);
    return rc;
}
