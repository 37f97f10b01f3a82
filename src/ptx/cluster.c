/* cluster.c - clusters of CTAs. A CTA that was launched without one is a cluster of its own. */
#include "ptx/exec_priv.h"

static int op_mapa(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t rank = at32(w, u->s[1])[i];
        if (rank) return warp_fault(w, u, (int)i, "CTA %u is not in this cluster, which is one CTA", rank);
        put_lane(w, u->d, u->wide, i, get_lane(w, u->s[0], u->wide, i));
    }
    return RUN_ON;
}

static int op_getctarank(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = 0;
    return RUN_ON;
}

int lower_cluster(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    u->wide = bits == 64;
    u->space = in->space;
    u->full = u->part = in->op == OP_MAPA ? op_mapa : op_getctarank;
    int rc = lower_dst(L, &in->dst[0], in->op == OP_MAPA ? bits : 32, &u->d);
    if (!rc) rc = lower_src(L, &in->src[0], bits, &u->s[0]);
    if (!rc && in->op == OP_MAPA) rc = lower_src(L, &in->src[1], 32, &u->s[1]);
    return rc;
}
