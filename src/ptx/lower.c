/* lower.c - from PTX instructions to micro-ops: registers, operands, blocks.
 *
 * Every function is lowered once, when its module is loaded. What an operand is - register,
 * immediate, special register, address of a variable - is decided here; a running micro-op
 * only sees places. The row of an opcode (opcodes.def) names the function that lowers it: they are in
 * lower_alu.c, lower_mem.c, lower_warp.c and cvt.c. */
#include "ptx/exec_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/opcodes.h"
#include "ptx/ops.h"

static ref place(enum area a, uint32_t offset) { return offset | (uint32_t)a; }

int lower_refuse(struct lower *L, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const struct ptx_module *m = L->img->mod;
    return wl_fail_at(L->e, m->file, L->in->line, 0, m->text, "%s: %s", ptx_op_name((enum ptx_op)L->in->op), text);
}

/* ---- constants ---- */

static int pool_grow(struct ptx_image *img, uint32_t bytes)
{
    if (img->pool && img->pool_size + bytes <= img->pool_cap) return 0;
    uint32_t cap = img->pool_cap ? img->pool_cap * 2 : 16384;
    uint8_t *p = aligned_alloc(64, cap);
    if (!p) return -1;
    if (img->pool) memcpy(p, img->pool, img->pool_size);
    free(img->pool);
    img->pool = p;
    img->pool_cap = cap;
    return 0;
}

/* The pool begins with two predicate words: never, always. Constants follow, each spread
 * over its 32 lanes; one already there is found again by looking at its first lane. */
static int lower_const(struct lower *L, uint64_t value, bool wide, ref *out)
{
    struct ptx_image *img = L->img;
    if (!img->pool) {
        if (pool_grow(img, 128)) return wl_fail(L->e, WL_ERUN, "out of memory");
        memset(img->pool, 0, 128);
        memset(img->pool + 4, 255, 4);
        img->pool_size = 128;
    }
    struct const_slot **head = &img->seen[(value * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CONST_HASH_BITS)];
    for (struct const_slot *c = *head; c; c = c->next) {
        if (c->value != value || c->wide != wide) continue;
        *out = place(AREA_CONST, c->at);
        return 0;
    }
    uint32_t bytes = wide ? SLOT64 : SLOT32;
    struct const_slot *c = ARENA_NEW(&img->arena, struct const_slot);
    if (!c || pool_grow(img, bytes)) return wl_fail(L->e, WL_ERUN, "out of memory");
    *c = (struct const_slot){.next = *head, .value = value, .wide = wide, .at = img->pool_size};
    *head = c;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint32_t low = (uint32_t)value;
        if (wide) memcpy(img->pool + c->at + 8 * i, &value, 8);
        else memcpy(img->pool + c->at + 4 * i, &low, 4);
    }
    img->pool_size += bytes;
    *out = place(AREA_CONST, c->at);
    return 0;
}

static int launch_slot(struct lower *L, uint8_t sreg, uint64_t addend, bool wide, ref *out)
{
    struct ptx_image *img = L->img;
    const struct ptx_func *kernel = sreg == LAUNCH_PARAM ? L->f->fn : NULL;
    for (uint32_t i = 0; i < img->nlconst; i++) {
        const struct launch_const *c = &img->lconst[i];
        if (c->sreg != sreg || c->kernel != kernel || c->addend != addend || c->wide != wide) continue;
        *out = place(AREA_LAUNCH, c->at);
        return 0;
    }
    if (img->nlconst == img->lconst_cap) {
        uint32_t cap = img->lconst_cap ? 2 * img->lconst_cap : 16;
        struct launch_const *p = realloc(img->lconst, cap * sizeof *p);
        if (!p) return wl_fail(L->e, WL_ERUN, "out of memory");
        img->lconst = p;
        img->lconst_cap = cap;
    }
    struct launch_const *c = &img->lconst[img->nlconst++];
    *c = (struct launch_const){.sreg = sreg, .kernel = kernel, .wide = wide, .addend = addend, .at = img->launch_bytes};
    img->launch_bytes += wide ? SLOT64 : SLOT32;
    *out = place(AREA_LAUNCH, c->at);
    return 0;
}

int lower_param(struct lower *L, uint64_t at, bool wide, ref *out)
{
    return launch_slot(L, LAUNCH_PARAM, at, wide, out);
}

/* ---- operands ---- */

static int lower_sreg(struct lower *L, uint8_t sreg, bool wide, ref *out)
{
    static const uint8_t own[SREG_COUNT] = {
        [SREG_TID_X] = WS_TID_X + 1,       [SREG_TID_Y] = WS_TID_Y + 1,       [SREG_TID_Z] = WS_TID_Z + 1,
        [SREG_CTAID_X] = WS_CTAID_X + 1,   [SREG_CTAID_Y] = WS_CTAID_Y + 1,   [SREG_CTAID_Z] = WS_CTAID_Z + 1,
        [SREG_LANEID] = WS_LANEID + 1,     [SREG_WARPID] = WS_WARPID + 1,     [SREG_LANEMASK_EQ] = WS_LM_EQ + 1,
        [SREG_LANEMASK_LE] = WS_LM_LE + 1, [SREG_LANEMASK_LT] = WS_LM_LT + 1, [SREG_LANEMASK_GE] = WS_LM_GE + 1,
        [SREG_LANEMASK_GT] = WS_LM_GT + 1,
    };
    if (sreg_is_told(sreg)) return lower_refuse(L, "a clock, or %%smid, can only be read with mov");
    if (sreg >= SREG_CLUSTERID_X) return lower_refuse(L, "a register of clusters can only be read with mov");
    if (own[sreg]) {
        if (wide) return lower_refuse(L, "a 32-bit special register cannot be a 64-bit operand");
        *out = place(AREA_WARP, (own[sreg] - 1u) * SLOT32);
        return 0;
    }
    return launch_slot(L, sreg, 0, wide, out);
}

static int lower_var(struct lower *L, const struct ptx_operand *o, bool wide, ref *out)
{
    const struct ptx_var *v = o->var;
    if (v->space == PTX_SHARED && v->is_extern) return launch_slot(L, LAUNCH_SHARED, o->imm, wide, out);
    if (v->space == PTX_LOCAL || v->space == PTX_PARAM_LOCAL)
        return lower_refuse(L, "the address of '%s' must be taken with mov first", v->name);
    uint64_t a = image_var_addr(L->img, v) + o->imm;
    return lower_const(L, wide ? a : (uint32_t)a, wide, out);
}

static bool type_is_wide(uint8_t t) { return t == T_B64 || t == T_U64 || t == T_S64 || t == T_F64; }

bool lower_is_wide(const struct lower *L, const struct ptx_operand *o)
{
    return o->kind == OPND_REG && type_is_wide(L->f->fn->reg[o->reg].type);
}

static int lower_reg(struct lower *L, int32_t reg, unsigned bits, ref *out)
{
    const struct ptx_reg *r = &L->f->fn->reg[reg];
    unsigned have = r->type == T_PRED ? 1 : type_is_wide(r->type) ? 64 : 32;
    unsigned want = bits == 1 ? 1 : bits > 32 ? 64 : 32;
    if (have != want)
        return lower_refuse(L, "register %s (.%s) does not fit a %u-bit operand", r->name,
                            ptx_type_name((enum ptx_type)r->type), bits);
    *out = L->f->reg[reg];
    return 0;
}

int lower_src(struct lower *L, const struct ptx_operand *o, unsigned bits, ref *out)
{
    bool wide = bits > 32;
    switch (o->kind) {
    case OPND_REG: return lower_reg(L, o->reg, bits, out);
    case OPND_IMM:
        if (bits == 1) {
            int rc = lower_const(L, 0, false, out); /* makes sure there is a pool */
            *out = place(AREA_CONST, o->imm ? 4 : 0);
            return rc;
        }
        return lower_const(L, wide ? o->imm : (uint32_t)o->imm, wide, out);
    case OPND_SREG: return lower_sreg(L, o->sreg, wide, out);
    case OPND_VAR: return lower_var(L, o, wide, out);
    case OPND_FUNC: return lower_const(L, ptx_func_pointer(L->img->mod, o->func), wide, out);
    default: return lower_refuse(L, "this kind of operand is not supported here");
    }
}

int lower_dst(struct lower *L, const struct ptx_operand *o, unsigned bits, ref *out)
{
    if (o->kind == OPND_SINK || o->kind == OPND_NONE) {
        *out = place(AREA_WARP, WS_SINK * SLOT32);
        return 0;
    }
    if (o->kind != OPND_REG) return lower_refuse(L, "the destination must be a register");
    return lower_reg(L, o->reg, bits, out);
}

int lower_elements(struct lower *L, const struct ptx_operand *o, unsigned bits, bool dest, ref *out, unsigned *n)
{
    const struct ptx_operand *e = o->kind == OPND_VEC ? o->vec : o;
    unsigned count = o->kind == OPND_VEC ? o->nvec : 1;
    int rc = 0;
    for (unsigned k = 0; k < count && !rc; k++)
        rc = dest ? lower_dst(L, &e[k], bits, &out[(*n)++]) : lower_src(L, &e[k], bits, &out[(*n)++]);
    return rc;
}

ref *lower_refs(struct lower *L, unsigned n)
{
    ref *r = ARENA_ARRAY(&L->img->arena, ref, n + 1);
    if (!r) wl_fail(L->e, WL_ERUN, "out of memory");
    return r;
}

/* ---- functions ---- */

static int place_registers(struct lower *L)
{
    struct xfunc *f = L->f;
    const struct ptx_func *fn = f->fn;
    f->param_at = (uint32_t)((fn->local_bytes + 15) / 16 * 16);
    f->frame_bytes = (uint32_t)((f->param_at + fn->frame_bytes + 15) / 16 * 16);
    return frame_lay_out(L);
}

static enum xend end_of(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_BRA: return END_BRA;
    case OP_BRX: return END_BRX;
    case OP_RET: return END_RET;
    case OP_EXIT: return END_EXIT;
    case OP_CALL: return END_CALL;
    default: return END_FALL;
    }
}

/* Whether a thread that executes the instruction again and again could be waiting for another. */
static enum polls polls_of(const struct ptx_inst *in)
{
    bool load = in->op == OP_LD || in->op == OP_LDU;
    if (in->op == OP_ATOM || (load && in->flags & (FLAG_VOLATILE | FLAG_STRONG))) return POLL_STRONG;
    bool others = in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_SPACE_NONE;
    return load && others ? POLL_READS : POLL_NONE;
}

/* Whether warps wait for one another here, though it is no barrier of the CTA. */
static bool meets_others(const struct ptx_inst *in)
{
    lower_fn *f = ptx_opcodes[in->op].lower;
    return f == lower_mbarrier || f == lower_cluster_barrier || f == lower_cp || f == lower_st_async;
}

static void lower_block(struct lower *L, const struct ptx_block *b, struct xblock *x)
{
    const struct ptx_func *fn = L->f->fn;
    const struct code *code = &L->img->mod->code;
    *x = (struct xblock){.first = b->first,
                         .body = b->count,
                         .count = code->block[b->code_block].count,
                         .next = b->next,
                         .ipdom = b->ipdom,
                         .code_block = b->code_block,
                         .parting = b->parting,
                         .yields = b->yields,
                         .outside = b->outside};
    if (b->count) x->end = (uint8_t)end_of(&fn->inst[b->first + b->count - 1]);
    if (x->end != END_FALL) x->body--;
    for (uint32_t i = 0; i < b->count; i++) {
        const struct ptx_inst *in = &fn->inst[b->first + i];
        enum polls polls = polls_of(in);
        L->f->clocks |= inst_reads_clock(in);
        L->f->times |= inst_reads_clock(in) && in->src[0].sreg != SREG_SMID;
        if (polls > x->polls) x->polls = (uint8_t)polls;
        L->f->asks_others |= polls == POLL_STRONG && in->space != PTX_SHARED;
        bool barrier = !in->dropped && code->inst[in->code].kind == INST_BARRIER;
        L->f->barriers |= barrier;
        L->f->whole_barriers |= barrier && !in->apart;
        L->f->apart |= in->apart;
        L->f->meets |= meets_others(in);
        x->apart |= in->apart;
    }
    for (uint32_t i = 0; i < x->count; i++) x->unguarded += !code->inst[code->block[b->code_block].first + i].guarded;
    if (x->polls == POLL_STRONG) L->f->strong = true;
}

static int lower_inst(struct lower *L, struct uop *u)
{
    const struct code_inst *ci = &L->img->mod->code.inst[L->in->code];
    u->in = L->in;
    u->emits = L->in->dropped || !inst_is_mem(ci) ? EMIT_NOTHING
               : ci->space == SPACE_GENERIC       ? EMIT_GENERIC
                                                  : EMIT_ADDRESSES;
    u->guarded = ci->guarded && !L->in->dropped;
    int rc = ptx_opcodes[L->in->op].lower(L, u);
    if (rc) return rc;
    if (L->copied && L->copied[L->in - L->f->fn->inst]) {
        u->d = u->v[0] = place(AREA_WARP, WS_SINK * SLOT32); /* its readers look elsewhere */
        if (!u->emits) u->full = u->part = op_nop;
    }
    if (L->in->guard < 0) return 0;
    u->guard = L->f->reg[L->in->guard];
    u->not_guard = L->in->guard_neg ? UINT32_MAX : 0;
    u->then_full = u->full;
    u->then_part = u->part;
    u->full = u->part = op_guarded;
    return 0;
}

int lower_func(struct lower *L)
{
    struct xfunc *f = L->f;
    const struct ptx_func *fn = f->fn;
    ref unused;
    if (fn->is_extern) return 0;
    int rc = place_registers(L);
    L->in = fn->inst;
    if (!rc) rc = lower_const(L, 0, true, &unused); /* an image has a pool, whatever its code */
    if (rc) return rc;
    f->uop = ARENA_ARRAY(&L->img->arena, struct uop, fn->ninst + 1);
    f->block = ARENA_ARRAY(&L->img->arena, struct xblock, fn->nblock + 1);
    if (!f->uop || !f->block) return wl_fail(L->e, WL_ERUN, "out of memory");
    for (uint32_t i = 0; i < fn->ninst; i++) {
        L->in = &fn->inst[i];
        rc = lower_inst(L, &f->uop[i]);
        if (rc) return rc;
    }
    for (uint32_t i = 0; i < fn->nblock; i++) lower_block(L, &fn->block[i], &f->block[i]);
    return lean_build(L);
}
