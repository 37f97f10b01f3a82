/* lower_warp.c - instructions that concern a warp or a CTA as a whole: shuffles, votes, barriers, and
 * those that compute nothing. Branches have no micro-op of their own: the executor reads their
 * instruction at the end of a block. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

/* ---- lanes together ---- */

int lower_activemask(struct lower *L, struct uop *u)
{
    u->full = u->part = op_activemask;
    return lower_dst(L, &L->in->dst[0], 32, &u->d);
}

int lower_shfl(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand none = {.kind = OPND_SINK};
    u->full = u->part = op_shfl;
    u->mode = in->mode;
    int rc = lower_dst(L, &in->dst[0], 32, &u->d);
    if (!rc) rc = lower_dst(L, in->ndst > 1 ? &in->dst[1] : &none, 1, &u->d2);
    for (unsigned i = 0; i < in->nsrc && !rc; i++) rc = lower_src(L, &in->src[i], 32, &u->s[i]);
    return rc;
}

int lower_vote(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    u->full = u->part = op_vote;
    u->mode = in->mode;
    u->flags = in->flags;
    u->not_c = in->src[0].negated ? UINT32_MAX : 0;
    int rc = lower_dst(L, &in->dst[0], in->mode == VOTE_BALLOT ? 32 : 1, &u->d);
    if (!rc) rc = lower_src(L, &in->src[0], 1, &u->s[0]);
    if (!rc && in->nsrc > 1) rc = lower_src(L, &in->src[1], 32, &u->s[1]);
    return rc;
}

static int lower_lane_sets(struct lower *L, struct uop *u, unsigned bits)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand none = {.kind = OPND_SINK};
    u->mode = in->mode;
    u->type = in->type;
    u->flags = in->flags;
    u->src_wide = bits == 64;
    int rc = lower_dst(L, &in->dst[0], 32, &u->d);
    if (!rc) rc = lower_dst(L, in->ndst > 1 ? &in->dst[1] : &none, 1, &u->d2);
    if (!rc) rc = lower_src(L, &in->src[0], bits, &u->s[0]);
    if (!rc && in->nsrc > 1) rc = lower_src(L, &in->src[1], 32, &u->s[1]);
    return rc;
}

int lower_match(struct lower *L, struct uop *u)
{
    u->full = u->part = op_match;
    return lower_lane_sets(L, u, ptx_type_bits(L->in->type));
}

int lower_redux(struct lower *L, struct uop *u)
{
    u->full = u->part = op_redux;
    return lower_lane_sets(L, u, 32);
}

/* s[0] is the barrier, s[1] the thread count (nvec == 2), s[2] the predicate of bar.red. */
int lower_bar(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool reduces = in->mode >= BAR_RED_AND && in->mode <= BAR_RED_POPC;
    unsigned counts = in->nsrc - reduces;
    u->mode = in->mode;
    if (in->mode == BAR_WARP_SYNC) {
        u->full = u->part = op_nop;
        return 0;
    }
    u->full = u->part = in->apart ? op_bar_apart : op_bar;
    u->nvec = (uint8_t)counts;
    int rc = lower_src(L, &in->src[0], 32, &u->s[0]);
    if (!rc && counts > 1) rc = lower_src(L, &in->src[1], 32, &u->s[1]);
    if (!rc && reduces) {
        rc = lower_src(L, &in->src[counts], 1, &u->s[2]);
        u->not_c = in->src[counts].negated ? UINT32_MAX : 0;
        if (!rc) rc = lower_dst(L, &in->dst[0], in->mode == BAR_RED_POPC ? 32 : 1, &u->d);
    }
    return rc;
}

/* ---- control ---- */

int lower_call(struct lower *L, struct uop *u)
{
    const struct ptx_call *c = L->in->call;
    if (!c->func) return lower_src(L, &L->in->src[0], 64, &u->s[0]);
    u->callee = image_func(L->img, c->func);
    if (u->callee && !c->func->is_extern) return 0;
    u->callee = NULL; /* built in: the parser let no other function without a body through */
    u->mode = (uint8_t)builtin_find(c->func->name);
    return 0;
}

int lower_brx(struct lower *L, struct uop *u) { return lower_src(L, &L->in->src[0], 32, &u->s[0]); }

int lower_nothing(struct lower *L, struct uop *u)
{
    (void)L, (void)u;
    return 0;
}

int lower_trap(struct lower *L, struct uop *u)
{
    (void)L;
    u->full = u->part = op_trap;
    return 0;
}

int lower_nop(struct lower *L, struct uop *u) /* fences, hints */
{
    (void)L;
    u->full = u->part = op_nop;
    return 0;
}
