/* lower_mem.c - loads, stores, atomics, texture fetches, and addresses as values. */
#include "ptx/exec_priv.h"
#include "ptx/ops.h"

/* ---- addresses ---- */

int lower_address(struct lower *L, struct uop *u, const struct ptx_operand *o, uint8_t space)
{
    u->space = space;
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
        bool wide = e[k].kind == OPND_REG ? lower_is_wide(L, &e[k]) : ptx_type_bits(L->in->type) == 64;
        u->wide = (uint8_t)(u->wide | wide << k);
        int rc = store ? lower_src(L, &e[k], wide ? 64 : 32, &u->v[k]) : lower_dst(L, &e[k], wide ? 64 : 32, &u->v[k]);
        if (rc) return rc;
    }
    return 0;
}

static int lower_access(struct lower *L, struct uop *u, bool store)
{
    const struct ptx_inst *in = L->in;
    u->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)in->type);
    u->sign = ptx_is_signed(in->type);
    int rc = lower_address(L, u, &in->src[0], in->space);
    if (!rc) rc = lower_data(L, u, store ? &in->src[1] : &in->dst[0], store);
    if (!rc && u->bytes > 8) rc = lower_refuse(L, "elements of more than 8 bytes are not supported");
    mem_choose(u, store);
    return rc;
}

int lower_load(struct lower *L, struct uop *u) { return lower_access(L, u, false); }
int lower_store(struct lower *L, struct uop *u) { return lower_access(L, u, true); }

/* To the timing half a load that nobody waits for. */
int lower_prefetch(struct lower *L, struct uop *u)
{
    u->full = u->part = u->emits ? op_prefetch : op_nop;
    return lower_address(L, u, &L->in->src[0], L->in->space);
}

/* The parser makes a vector of two halves of it. */
static bool is_b128(const struct ptx_inst *in) { return in->type == T_B64 && in->vec == 2; }

static int check_atom(struct lower *L)
{
    const struct ptx_inst *in = L->in;
    bool is_float = ptx_is_float(in->type);
    bool small = is_float && in->type != T_F32 && in->type != T_F64;
    if (is_b128(in)) {
        if (in->mode == ATOM_EXCH || in->mode == ATOM_CAS) return 0;
        return lower_refuse(L, "128 bits can be exchanged (.exch, .cas), nothing else");
    }
    if (in->vec > 1 && (!is_float || in->type == T_F64 || in->vec > 8))
        return lower_refuse(L, "a vector of atomics has type .f32, .f16, .f16x2, .bf16 or .bf16x2");
    if (is_float && in->mode != ATOM_ADD && in->mode != ATOM_EXCH &&
        !(small && (in->mode == ATOM_MIN || in->mode == ATOM_MAX)))
        return lower_refuse(L, "not supported for .%s", ptx_type_name((enum ptx_type)in->type));
    return 0;
}

static int lower_atom_vec(struct lower *L, struct uop *u, unsigned bits)
{
    const struct ptx_inst *in = L->in;
    ref *refs = lower_refs(L, 2u * in->vec);
    unsigned n = 0;
    if (!refs) return -1;
    u->full = u->part = op_atom_vec;
    u->refs = refs;
    int rc = lower_elements(L, &in->src[1], bits, false, refs, &n);
    return rc || !u->nvec ? rc : lower_elements(L, &in->dst[0], bits, true, refs, &n);
}

static int lower_atom_b128(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    ref *refs = lower_refs(L, 6);
    unsigned n = 0;
    if (!refs) return -1;
    u->full = u->part = op_atom_b128;
    u->refs = refs;
    int rc = lower_elements(L, &in->dst[0], 64, true, refs, &n);
    if (n == 1) refs[n++] = refs[0]; /* _: a sink for both halves */
    for (unsigned k = 1; k <= 2 && !rc; k++)
        rc = lower_elements(L, &in->src[in->mode == ATOM_CAS ? k : 1], 64, false, refs, &n);
    return rc;
}

int lower_atom(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    u->full = u->part = op_atom;
    u->mode = in->mode;
    u->type = in->type;
    u->bytes = (uint8_t)(bits / 8);
    u->sign = ptx_is_signed(in->type);
    u->wide = bits == 64;
    u->nvec = in->op == OP_ATOM; /* has a result */
    int rc = check_atom(L);
    if (!rc) rc = lower_address(L, u, &in->src[0], in->space);
    if (is_b128(in)) return rc ? rc : lower_atom_b128(L, u);
    if (in->vec > 1) return rc ? rc : lower_atom_vec(L, u, bits);
    if (!rc && u->nvec) rc = lower_dst(L, &in->dst[0], bits, &u->d);
    if (!rc) rc = lower_src(L, &in->src[1], bits, &u->s[1]);
    if (!rc && in->mode == ATOM_CAS) rc = lower_src(L, &in->src[2], bits, &u->s[2]);
    return rc;
}

/* ---- addresses as values ---- */

/* The space named by cvta or isspacep. A kernel's parameters have a window of their own; a function's
 * are in its frame, that is in local memory. */
static uint8_t named_space(const struct lower *L)
{
    return L->in->space == PTX_PARAM_LOCAL && L->f->fn->is_kernel ? PTX_PARAM_KERNEL : L->in->space;
}

static bool is_in_frame(const struct ptx_operand *o)
{
    return o->kind == OPND_VAR && (o->var->space == PTX_LOCAL || o->var->space == PTX_PARAM_LOCAL);
}

/* cvta moves between an address of a space and a generic one. */
int lower_cvta(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *s = &in->src[0];
    unsigned bits = ptx_type_bits(in->type);
    u->flags = in->flags;
    u->space = named_space(L);
    u->wide = u->src_wide = bits == 64;
    u->full = u->part = op_cvta;
    if (u->space == PTX_GLOBAL) { /* its addresses are generic ones */
        const struct lane_fns *f = &lane_ops()[bits == 64 ? L_mov_b64 : L_mov_b32];
        u->full = f->full;
        u->part = f->part;
    }
    int rc = lower_dst(L, &in->dst[0], bits, &u->d);
    if (rc) return rc;
    if (!is_in_frame(s)) return lower_src(L, s, bits, &u->s[0]);
    u->full = u->part = op_local_addr;
    u->imm = (int64_t)(s->var->offset + s->imm + GENERIC_LOCAL + (s->var->space == PTX_LOCAL ? 0 : L->f->param_at));
    return 0;
}

int lower_isspacep(struct lower *L, struct uop *u)
{
    const struct ptx_operand *s = &L->in->src[0];
    bool wide = s->kind != OPND_REG || lower_is_wide(L, s);
    u->space = named_space(L);
    u->src_wide = wide;
    u->full = u->part = op_isspacep;
    int rc = lower_dst(L, &L->in->dst[0], 1, &u->d);
    if (rc) return rc;
    return is_in_frame(s) ? lower_refuse(L, "needs a register") : lower_src(L, s, wide ? 64 : 32, &u->s[0]);
}

/* ---- textures ---- */

/* s[0] is the handle, s[1] to s[4] are the coordinates; those that an instruction does not have repeat the first. */
static int lower_coordinates(struct lower *L, struct uop *u, const struct ptx_operand *c)
{
    unsigned n = c->kind == OPND_VEC ? c->nvec : 1;
    int rc = 0;
    for (unsigned i = 0; i < 4 && !rc; i++)
        rc = lower_src(L, c->kind == OPND_VEC ? &c->vec[i < n ? i : 0] : c, 32, &u->s[1 + i]);
    return rc;
}

int lower_tex(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    bool leveled = in->op == OP_TEX && in->cmp;
    if (in->nsrc > 2 && !leveled)
        return lower_refuse(L, "a sampler of its own is not supported: compile for texmode_unified");
    u->full = u->part = op_tex;
    u->mode = in->mode;
    u->type2 = in->type2;
    u->boolop = in->boolop;
    int rc = lower_src(L, &in->src[0], 64, &u->s[0]);
    if (!rc) rc = lower_coordinates(L, u, &in->src[1]);
    return rc ? rc : lower_data(L, u, &in->dst[0], false);
}

int lower_txq(struct lower *L, struct uop *u)
{
    u->full = u->part = op_txq;
    u->mode = L->in->mode;
    int rc = lower_dst(L, &L->in->dst[0], 32, &u->d);
    return rc ? rc : lower_src(L, &L->in->src[0], 64, &u->s[0]);
}

/* Sources: the handle, coordinates, and what is stored. sign: a formatted store. */
int lower_surface(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    u->full = u->part = op_surface;
    u->mode = in->mode;
    u->boolop = in->boolop;
    u->type = in->type;
    u->rnd = in->cmp;
    u->sign = in->rnd;
    u->bytes = (uint8_t)ptx_type_bytes((enum ptx_type)in->type);
    int rc = lower_src(L, &in->src[0], 64, &u->s[0]);
    if (!rc) rc = lower_coordinates(L, u, &in->src[1]);
    return rc ? rc : lower_data(L, u, in->op == OP_SULD ? &in->dst[0] : &in->src[2], in->op != OP_SULD);
}
