/* copies.c - registers that only hold a copy of something that never changes.
 *
 * A compiler begins a kernel with loads of its parameters and moves of %tid, %ctaid and %ntid, and cvta.to.global of
 * what it has loaded: in short kernels half of all instructions. The values are there already, spread over the lanes,
 * in the areas of the launch, the warp and the constants. So a register that one instruction writes, unguarded, and
 * that no path reads before, gets the place of what is copied: its readers look there, and the copy has nothing to do.
 * It is counted like any other instruction, and a load of a parameter still leaves its address in a stream.
 *
 * Where no stream is written, what has nothing to do is not even visited: such warps run a list of their own, without
 * these instructions (lean_build). */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

static bool is_constant(ref r) { return (r & 3) != AREA_REG; }

static unsigned width_of(const struct lower *L, int32_t reg)
{
    enum ptx_type t = (enum ptx_type)L->f->fn->reg[reg].type;
    return t == T_PRED ? 1 : ptx_type_bits(t) == 64 ? 64 : 32;
}

/* The place of a register of this width that holds a constant. */
static bool is_constant_reg(const struct lower *L, const struct ptx_operand *o, unsigned bits, ref *out)
{
    if (o->kind != OPND_REG || width_of(L, o->reg) != bits || !is_constant(L->f->reg[o->reg])) return false;
    *out = L->f->reg[o->reg];
    return true;
}

static bool is_own_sreg(uint8_t s) { return s < SREG_CLUSTERID_X && !sreg_is_told(s); }

static bool find_moved(struct lower *L, const struct ptx_operand *s, unsigned bits, ref *out)
{
    switch (s->kind) {
    case OPND_REG: return is_constant_reg(L, s, bits, out);
    case OPND_SREG: return bits == 32 && is_own_sreg(s->sreg) && !lower_src(L, s, bits, out);
    case OPND_IMM: return !lower_src(L, s, bits, out);
    default: return false;
    }
}

/* A parameter that fills its register. */
static bool find_param(struct lower *L, const struct ptx_inst *in, unsigned bits, ref *out)
{
    const struct ptx_operand *o = &in->src[0];
    const struct ptx_func *fn = L->f->fn;
    if (!fn->is_kernel || in->vec != 1 || ptx_type_bits(in->type) != bits) return false;
    if (o->kind != OPND_ADDR || o->reg >= 0 || !o->var || o->var->space != PTX_PARAM_KERNEL) return false;
    uint64_t at = o->var->offset + o->imm;
    if (at % (bits / 8) || at >= fn->param_bytes || fn->param_bytes - at < bits / 8) return false;
    return !lower_param(L, at, bits == 64, out);
}

/* What the instruction copies, if that never changes while a warp lives. */
static bool find_source(struct lower *L, const struct ptx_inst *in, ref *out)
{
    unsigned bits = width_of(L, in->dst[0].reg);
    switch (in->op) {
    case OP_MOV: return ptx_type_bits(in->type) == bits && find_moved(L, &in->src[0], bits, out);
    case OP_CVTA: return in->space == PTX_GLOBAL && bits == 64 && find_moved(L, &in->src[0], bits, out);
    case OP_LD: return find_param(L, in, bits, out);
    default: return false;
    }
}

int copies_find(struct lower *L, const uint64_t *first)
{
    const struct ptx_func *fn = L->f->fn;
    int32_t regs[MAX_INST_REGS];
    uint8_t *writes = calloc(fn->nregs + 1, 1);
    L->copied = ARENA_ARRAY(&L->img->arena, bool, fn->ninst + 1);
    if (!writes || !L->copied) {
        free(writes);
        return wl_fail(L->e, WL_ERUN, "out of memory");
    }
    for (uint32_t i = 0; i < fn->ninst; i++) {
        unsigned n = inst_writes(&fn->inst[i], regs);
        for (unsigned k = 0; k < n; k++) writes[regs[k]] = (uint8_t)(writes[regs[k]] + (writes[regs[k]] < 2));
    }
    for (uint32_t i = 0; i < fn->ninst; i++) {
        const struct ptx_inst *in = L->in = &fn->inst[i];
        if (in->guard >= 0 || in->ndst != 1 || in->dst[0].kind != OPND_REG) continue;
        int32_t r = in->dst[0].reg;
        ref from;
        if (writes[r] != 1 || first[r / 64] >> (r % 64) & 1 || fn->reg[r].type == T_PRED) continue;
        if (!find_source(L, in, &from)) continue;
        L->f->reg[r] = from;
        L->copied[i] = true;
    }
    free(writes);
    return 0;
}

/* ---- lists without what has nothing to do ---- */

static bool is_idle(const struct lower *L, const struct uop *u)
{
    return L->copied && (L->copied[u->in - L->f->fn->inst] || (u->full == op_nop && !u->emits));
}

int lean_build(struct lower *L)
{
    struct xfunc *f = L->f;
    const struct ptx_func *fn = f->fn;
    f->lean = ARENA_ARRAY(&L->img->arena, struct uop, fn->ninst + 1);
    if (!f->lean) return wl_fail(L->e, WL_ERUN, "out of memory");
    uint32_t n = 0;
    for (uint32_t i = 0; i < fn->nblock; i++) {
        struct xblock *b = &f->block[i];
        b->lean_first = n;
        for (uint32_t k = 0; k < b->body; k++)
            if (!is_idle(L, &f->uop[b->first + k])) f->lean[n++] = f->uop[b->first + k];
        b->lean_body = n - b->lean_first;
        if (b->end != END_FALL) f->lean[n++] = f->uop[b->first + b->body];
    }
    return 0;
}
