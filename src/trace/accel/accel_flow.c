/* accel_flow.c - where the lanes of a warp are: calls, and the steps that make the control-flow graph. */
#include <string.h>

#include "trace/accel/accel_code.h"

static uint64_t pair_hash(uint32_t from, uint32_t to)
{
    uint64_t h = accel_mix((uint64_t)from << 32 | to, 1);
    return h ^ h >> 32;
}
static uint64_t edge_hash(const struct accel_code *c, uint32_t n) { return pair_hash(c->edge[n].from, c->edge[n].to); }

/* ---- calls ---- */

static void drop_frame(struct accel_code *c, unsigned n)
{
    memmove(&c->stack[n], &c->stack[n + 1], (c->depth - n - 1) * sizeof c->stack[0]);
    c->depth--;
}

/* The call chain these lanes are in. A call whose next line is the one behind it entered a function
 * that was not traced: there is nothing to be in. */
uint32_t accel_context_of(struct accel_code *c, uint32_t pc, uint32_t lanes)
{
    for (unsigned n = c->depth; n-- > 0;) {
        struct accel_frame *f = &c->stack[n];
        if (!(f->mask & lanes)) continue;
        if (f->fresh && pc > f->call_pc && pc - f->call_pc <= 32) {
            drop_frame(c, n);
            continue;
        }
        f->fresh = false;
        return f->context;
    }
    return NONE;
}

void accel_follow_call(struct accel_code *c, uint32_t site, uint32_t pc, uint32_t lanes)
{
    struct accel_site *s = &c->site[site];
    if (!s->callee && c->learning && c->contexts < ACCEL_MAX_CONTEXTS) s->callee = ++c->contexts;
    if (s->callee && c->depth < STACK) c->stack[c->depth++] = (struct accel_frame){s->callee, lanes, pc, true};
}

void accel_follow_return(struct accel_code *c, uint32_t lanes)
{
    for (unsigned n = c->depth; n-- > 0 && lanes;) {
        uint32_t here = c->stack[n].mask & lanes;
        c->stack[n].mask &= ~here;
        lanes &= ~here;
        if (!c->stack[n].mask) drop_frame(c, n);
    }
}

/* ---- the graph ---- */

static void add_edge(struct accel_code *c, struct lines *in, uint32_t from, uint32_t to)
{
    if (c->site[to].last_from == from) return; /* nearly always */
    c->site[to].last_from = from;
    struct accel_index *x = &c->by_edge;
    if (!accel_index_room(c, x, edge_hash) ||
        !accel_grow((void **)&c->edge, &c->edges_cap, c->edges + 1, sizeof *c->edge)) {
        lines_no_memory(in);
        return;
    }
    uint32_t at = (uint32_t)pair_hash(from, to) & (x->size - 1);
    for (; x->slot[at]; at = (at + 1) & (x->size - 1))
        if (c->edge[x->slot[at]].from == from && c->edge[x->slot[at]].to == to) return;
    if (c->edges == ACCEL_MAX_EDGES) {
        lines_fail(in, "the kernel takes more than %d different steps between instructions", ACCEL_MAX_EDGES);
        return;
    }
    c->edge[++c->edges] = (struct flow_edge){from, to};
    x->slot[at] = c->edges;
    x->used++;
}

/* The lanes went from where they were to this site. */
void accel_follow_lanes(struct accel_code *c, struct lines *in, uint32_t site, uint32_t lanes)
{
    unsigned keep = 0;
    for (unsigned g = 0; g < c->groups; g++) {
        if (c->at[g].mask & lanes) add_edge(c, in, c->at[g].site, site);
        c->at[g].mask &= ~lanes;
        if (c->at[g].mask) c->at[keep++] = c->at[g];
    }
    c->at[keep].site = site;
    c->at[keep].mask = lanes;
    c->groups = keep + 1;
}
