/* lower_other.c - memory, atomics, and what concerns a warp or a CTA as a whole. */
#include "ptx/exec_priv.h"

static unsigned bits_of(uint8_t t) { return 8 * ptx_type_bytes((enum ptx_type)t); }
static bool is_signed(uint8_t t) { return t >= T_S8 && t <= T_S64; }

/* ---- addresses ---- */

static int lower_address(struct lower *L, struct uop *u, const struct ptx_operand *o)
{
    const struct ptx_inst *in = L->in;
    u->space = in->space;
    u->range = (uint8_t)(L->ranges++ % RANGES);
    u->imm = (int64_t)o->imm;
    if (o->var) {
        const struct ptx_var *v = o->var;
        if (u->space == PTX_SPACE_NONE || u->space == PTX_PARAM_LOCAL || u->space == PTX_PARAM_KERNEL)
            u->space = v->space;
        u->imm += (int64_t)image_var_addr(L->img, v);
        u->addressing = ADDR_CONST;
        if (v->space == PTX_SHARED && v->is_extern) u->addressing = ADDR_DYNAMIC;
        if (v->space == PTX_LOCAL || v->space == PTX_PARAM_LOCAL) u->addressing = ADDR_FRAME;
        if (v->space == PTX_PARAM_LOCAL) u->imm += L->f->param_at;
    }
    if (u->space == PTX_PARAM_LOCAL && !o->var && L->f->fn->is_kernel) u->space = PTX_PARAM_KERNEL;
    if (u->space == PTX_PARAM_LOCAL) u->space = PTX_LOCAL; /* .param variables live in the thread's frame */
    if (o->reg < 0) return 0;
    if (o->var) return lower_refuse(L, "an address cannot have both a variable and a register");
    struct ptx_operand reg = {.kind = OPND_REG, .reg = o->reg};
    bool wide = lower_is_wide(L, &reg);
    u->addressing = wide ? ADDR_REG64 : ADDR_REG32;
    return lower_src(L, &reg, wide ? 64 : 32, &u->s[0]);
}

static int lower_data(struct lower *L, struct uop *u, const struct ptx_operand *o, bool store)
{
    const struct ptx_operand *e = o->kind == OPND_VEC ? o->vec : o;
    unsigned n = o->kind == OPND_VEC ? o->nvec : 1;
    if (n > 4 || n != L->in->vec) return lower_refuse(L, "the vector needs %u elements", L->in->vec);
    u->nvec = (uint8_t)n;
    for (unsigned k = 0; k < n; k++) {
        bool wide = e[k].kind == OPND_REG ? lower_is_wide(L, &e[k]) : bits_of(L->in->type) == 64;
        u->wide = (uint8_t)(u->wide | wide << k);
        int rc = store ? lower_src(L, &e[k], wide ? 64 : 32, &u->v[k]) : lower_dst(L, &e[k], wide ? 64 : 32, &u->v[k]);
        if (rc) return rc;
    }
    return 0;
}

static int lower_mem(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool store = in->op == OP_ST;
    u->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)in->type);
    u->sign = is_signed(in->type);
    int rc = lower_address(L, u, &in->src[0]);
    if (!rc) rc = lower_data(L, u, store ? &in->src[1] : &in->dst[0], store);
    if (!rc && u->bytes > 8) rc = lower_refuse(L, "elements of more than 8 bytes are not supported");
    mem_choose(u, store);
    return rc;
}

static int check_atom(struct lower *L)
{
    const struct ptx_inst *in = L->in;
    bool is_float = in->type >= T_F16;
    if (in->vec > 1) return lower_refuse(L, "vector atomics are not supported");
    if (is_float && (in->mode != ATOM_ADD || in->type == T_BF16) && in->mode != ATOM_EXCH)
        return lower_refuse(L, "not supported for .%s", ptx_type_name((enum ptx_type)in->type));
    return 0;
}

static int lower_atom(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = bits_of(in->type);
    u->full = u->part = op_atom;
    u->mode = in->mode;
    u->type = in->type;
    u->bytes = (uint8_t)(bits / 8);
    u->sign = is_signed(in->type);
    u->wide = bits == 64;
    u->nvec = in->op == OP_ATOM; /* has a result */
    int rc = check_atom(L);
    if (!rc) rc = lower_address(L, u, &in->src[0]);
    if (!rc && u->nvec) rc = lower_dst(L, &in->dst[0], bits, &u->d);
    if (!rc) rc = lower_src(L, &in->src[1], bits, &u->s[1]);
    if (!rc && in->mode == ATOM_CAS) rc = lower_src(L, &in->src[2], bits, &u->s[2]);
    return rc;
}

/* cvta moves between an address of a space and a generic one. A kernel's parameters have a
 * window of their own; a function's are in its frame, that is in local memory. */
static int lower_cvta(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *s = &in->src[0];
    unsigned bits = bits_of(in->type);
    if (in->op == OP_ISSPACEP) bits = s->kind == OPND_REG && !lower_is_wide(L, s) ? 32 : 64;
    u->flags = in->flags;
    u->space = in->space;
    if (u->space == PTX_PARAM_LOCAL && L->f->fn->is_kernel) u->space = PTX_PARAM_KERNEL;
    u->wide = u->src_wide = bits == 64;
    u->full = u->part = in->op == OP_CVTA ? op_cvta : op_isspacep;
    int rc = lower_dst(L, &in->dst[0], in->op == OP_CVTA ? bits : 1, &u->d);
    if (!rc && s->kind == OPND_VAR && (s->var->space == PTX_LOCAL || s->var->space == PTX_PARAM_LOCAL)) {
        if (in->op == OP_ISSPACEP) return lower_refuse(L, "needs a register");
        u->full = u->part = op_local_addr;
        u->imm = (int64_t)(s->var->offset + s->imm + GENERIC_LOCAL + (s->var->space == PTX_LOCAL ? 0 : L->f->param_at));
        return 0;
    }
    return rc ? rc : lower_src(L, s, bits, &u->s[0]);
}

/* s[0] is the handle, s[1] and s[2] are the coordinates. */
static int lower_tex(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *c = &in->src[1];
    unsigned dims = in->mode == TEX_1D ? 1 : 2;
    if (in->mode == TEX_3D) return lower_refuse(L, "3D textures are not supported");
    if (in->nsrc > 2) return lower_refuse(L, "a sampler of its own is not supported: compile for texmode_unified");
    u->full = u->part = op_tex;
    u->mode = in->mode;
    u->type2 = in->type2;
    int rc = lower_src(L, &in->src[0], 64, &u->s[0]);
    for (unsigned i = 0; i < dims && !rc; i++)
        rc = lower_src(L, c->kind == OPND_VEC ? &c->vec[i] : c, 32, &u->s[1 + i]);
    return rc ? rc : lower_data(L, u, &in->dst[0], false);
}

/* ---- lanes together ---- */

static int lower_shfl(struct lower *L, struct uop *u)
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

static int lower_vote(struct lower *L, struct uop *u)
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

static int lower_match(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand none = {.kind = OPND_SINK};
    unsigned bits = in->op == OP_MATCH ? bits_of(in->type) : 32;
    u->full = u->part = in->op == OP_MATCH ? op_match : op_redux;
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

/* s[0] is the barrier, s[1] the thread count (nvec == 2), s[2] the predicate of bar.red. */
static int lower_bar(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool reduces = in->mode >= BAR_RED_AND && in->mode <= BAR_RED_POPC;
    unsigned counts = in->nsrc - reduces;
    u->mode = in->mode;
    if (in->mode == BAR_WARP_SYNC) {
        u->full = u->part = op_nop;
        return 0;
    }
    u->full = u->part = op_bar;
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

static int lower_simple(struct lower *L, struct uop *u)
{
    switch (L->in->op) {
    case OP_ACTIVEMASK: u->full = u->part = op_activemask; return lower_dst(L, &L->in->dst[0], 32, &u->d);
    case OP_TRAP:
    case OP_BRKPT: u->full = u->part = op_trap; return 0;
    default: u->full = u->part = op_nop; return 0; /* fences, hints */
    }
}

int lower_other(struct lower *L, struct uop *u)
{
    switch (L->in->op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST: return lower_mem(L, u);
    case OP_ATOM:
    case OP_RED: return lower_atom(L, u);
    case OP_CVTA:
    case OP_ISSPACEP: return lower_cvta(L, u);
    case OP_SHFL: return lower_shfl(L, u);
    case OP_VOTE: return lower_vote(L, u);
    case OP_MATCH:
    case OP_REDUX: return lower_match(L, u);
    case OP_BAR:
    case OP_BARRIER: return lower_bar(L, u);
    case OP_TEX: return lower_tex(L, u);
    default: return lower_simple(L, u);
    }
}
