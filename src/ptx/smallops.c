/* smallops.c - createpolicy, mapa, getctarank, and instructions that only give hints. */
#include "ptx/exec_priv.h"

/* A policy is opaque, and no cache of ours looks at it: all are the same number. */
static int op_createpolicy(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) at64(w, u->d)[bit_low32(m)] = UINT64_C(0x1000000000000000);
    return RUN_ON;
}

int lower_small(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    int rc;
    switch (in->op) {
    case OP_ELECT:
        u->full = u->part = op_elect;
        rc = lower_dst(L, &in->dst[0], 32, &u->d);
        if (!rc) rc = lower_dst(L, &in->dst[1], 1, &u->d2);
        return rc ? rc : lower_src(L, &in->src[0], 32, &u->s[0]);
    case OP_CREATEPOLICY: u->full = u->part = op_createpolicy; return lower_dst(L, &in->dst[0], 64, &u->d);
    case OP_MAPA:
    case OP_GETCTARANK: return lower_cluster(L, u);
    default: return lower_nop(L, u);
    }
}
