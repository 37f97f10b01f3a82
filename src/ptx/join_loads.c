/* join_loads.c - neighbouring loads of shared memory as one wide load, as an assembler makes them.
 *
 *   ld.shared.f32 a, [x];  ld.shared.f32 b, [x+4];  ...  [x+12]        ld.shared.v4.f32 {a, b, c, d}, [x]
 *
 * ptxas 13.0 (-arch=sm_90) does so where it knows that the address is aligned: the loads of our matmul, sgemm and
 * cutcp are LDS.128. It does not join loads from memory. Alignment is what the arithmetic of the address shows (how
 * many of its low bits are zero, by a fixed point over all writes of a register), shared variables themselves being
 * aligned to 16 bytes, which it sees to as well (place_shared).
 *
 * A load moves up to the first of its group: nothing between them may store to memory, wait, jump or be jumped to, and
 * nothing may touch the registers it writes or change its address. */
#include "ptx/module.h"
#include "ptx/opcodes.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 16, REACH = 160, ROUNDS = 64, ALL_ZERO = 63 };

struct load_join {
    struct build *b;
    struct func_info *fi;
    uint8_t *zeros;  /* by register: low bits that are known to be 0 */
    uint8_t *target; /* by instruction: something jumps here */
    uint8_t *gone;   /* by instruction: it is part of one above */
    uint32_t *moved; /* by instruction: its new place */
    bool failed;
};

/* ---- alignment ---- */

static unsigned zeros_of_number(uint64_t x) { return x ? (unsigned)__builtin_ctzll(x) : ALL_ZERO; }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned zeros_of_var(const struct ptx_var *v, uint64_t addend)
{
    unsigned align =
        v->space == PTX_SHARED && !v->is_extern && v->bytes >= WIDEST && v->align < WIDEST ? WIDEST : v->align;
    return least(zeros_of_number(align), zeros_of_number(addend));
}

static unsigned zeros_of(const struct load_join *j, const struct ptx_operand *o)
{
    switch (o->kind) {
    case OPND_REG: return j->zeros[o->reg];
    case OPND_IMM: return zeros_of_number(o->imm);
    case OPND_VAR: return o->var ? zeros_of_var(o->var, o->imm) : 0;
    default: return 0;
    }
}

static unsigned zeros_made(const struct load_join *j, const struct ptx_inst *in)
{
    if (ptx_is_float(in->type) || ptx_is_float(in->type2) || in->flags & (FLAG_HI | FLAG_SAT)) return 0;
    unsigned a = in->nsrc > 0 ? zeros_of(j, &in->src[0]) : 0, b = in->nsrc > 1 ? zeros_of(j, &in->src[1]) : 0;
    switch (in->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT:
    case OP_NEG: return a;
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
    case OP_XOR:
    case OP_MIN:
    case OP_MAX:
    case OP_SELP: return least(a, b);
    case OP_AND: return a > b ? a : b;
    case OP_SHL:
        if (in->src[1].kind != OPND_IMM) return a;
        return in->src[1].imm < ALL_ZERO ? least(a + (unsigned)in->src[1].imm, ALL_ZERO) : ALL_ZERO;
    case OP_MUL: return least(a + b, ALL_ZERO);
    case OP_MAD: return least(least(a + b, ALL_ZERO), in->nsrc > 2 ? zeros_of(j, &in->src[2]) : 0);
    default: return 0;
    }
}

/* False: it does not settle soon enough to be worth the while. */
static bool find_zeros(struct load_join *j)
{
    const struct func_info *fi = j->fi;
    int32_t regs[MAX_INST_REGS];
    memset(j->zeros, ALL_ZERO, fi->f.nregs);
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < fi->f.ninst; i++) {
            const struct ptx_inst *in = &fi->inst[i];
            bool single = in->ndst == 1 && in->dst[0].kind == OPND_REG;
            unsigned z = single ? zeros_made(j, in) : 0, n = inst_writes(in, regs);
            for (unsigned k = 0; k < n; k++)
                if (z < j->zeros[regs[k]]) j->zeros[regs[k]] = (uint8_t)z, changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

/* ---- groups ---- */

static bool joins(const struct ptx_inst *in)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)in->type);
    return in->op == OP_LD && in->space == PTX_SHARED && in->guard < 0 && in->vec <= 1 && in->ndst == 1 &&
           in->dst[0].kind == OPND_REG && in->nsrc == 1 && in->src[0].kind == OPND_ADDR && !in->type2 &&
           !(in->flags & (FLAG_VOLATILE | FLAG_STRONG)) && (bytes == 4 || bytes == 8);
}

static bool stops(const struct load_join *j, uint32_t i)
{
    const struct ptx_inst *in = &j->fi->inst[i];
    uint8_t kind = ptx_opcodes[in->op].kind;
    return j->target[i] || (kind != INST_ALU && kind != INST_LOAD) || in->call || inst_reads_clock(in) ||
           in->flags & FLAG_VOLATILE;
}

static bool same_base(const struct ptx_inst *a, const struct ptx_inst *b)
{
    return a->type == b->type && a->cop == b->cop && a->src[0].reg == b->src[0].reg && a->src[0].var == b->src[0].var;
}

static bool touches(const struct ptx_inst *in, int32_t reg, bool reads_too)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_writes(in, regs);
    for (unsigned k = 0; k < n; k++)
        if (regs[k] == reg) return true;
    n = reads_too ? inst_reads(in, regs) : 0;
    for (unsigned k = 0; k < n; k++)
        if (regs[k] == reg) return true;
    return false;
}

/* Whether load k, behind i, could stand at i. */
static bool can_rise(const struct load_join *j, uint32_t i, uint32_t k)
{
    const struct ptx_inst *in = &j->fi->inst[k];
    for (uint32_t n = i; n < k; n++)
        if (!j->gone[n] && touches(&j->fi->inst[n], in->dst[0].reg, true)) return false;
    return true;
}

/* The load of the group's place `at`, from i on; UINT32_MAX: none. */
static uint32_t find_load(const struct load_join *j, uint32_t i, uint64_t at)
{
    const struct ptx_inst *first = &j->fi->inst[i];
    int32_t base = first->src[0].reg;
    for (uint32_t k = i; k < j->fi->f.ninst && k - i < REACH; k++) {
        const struct ptx_inst *in = &j->fi->inst[k];
        if (k > i && stops(j, k)) break;
        if (!j->gone[k] && joins(in) && same_base(first, in) && in->src[0].imm == at)
            return k == i || can_rise(j, i, k) ? k : UINT32_MAX;
        if (base >= 0 && touches(in, base, false)) break;
    }
    return UINT32_MAX;
}

static unsigned base_zeros(const struct load_join *j, const struct ptx_operand *address)
{
    unsigned z = address->reg >= 0 ? j->zeros[address->reg] : ALL_ZERO;
    return address->var ? least(z, zeros_of_var(address->var, 0)) : z;
}

/* Joins the n loads around that at i, if they are all there. */
static bool join_group(struct load_join *j, uint32_t i, unsigned n)
{
    struct ptx_inst *in = &j->fi->inst[i];
    unsigned bytes = ptx_type_bytes((enum ptx_type)in->type), all = bytes * n;
    uint32_t load[WIDEST / 4];
    if (all > WIDEST || base_zeros(j, &in->src[0]) < zeros_of_number(all)) return false;
    uint64_t from = in->src[0].imm & ~(uint64_t)(all - 1);
    if (in->src[0].imm % bytes) return false;
    for (unsigned k = 0; k < n; k++) {
        load[k] = find_load(j, i, from + k * bytes);
        if (load[k] == UINT32_MAX) return false;
        for (unsigned m = 0; m < k; m++)
            if (j->fi->inst[load[m]].dst[0].reg == j->fi->inst[load[k]].dst[0].reg) return false;
    }
    struct ptx_operand *v = ARENA_ARRAY(&j->b->m->arena, struct ptx_operand, n);
    if (!v) {
        j->failed = true;
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        v[k] = j->fi->inst[load[k]].dst[0];
        j->gone[load[k]] = load[k] != i;
    }
    in->dst[0] = (struct ptx_operand){.kind = OPND_VEC, .nvec = (uint8_t)n, .vec = v, .reg = -1};
    in->src[0].imm = from;
    in->vec = (uint8_t)n;
    return true;
}

/* ---- a function ---- */

static void mark_targets(struct load_join *j)
{
    const struct func_info *fi = j->fi;
    for (uint32_t i = 0; i < fi->f.ninst; i++)
        if (fi->inst[i].op == OP_BRA) j->target[fi->inst[i].target] = 1;
    for (const struct target_list *l = fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) j->target[l->at[i]] = 1;
}

static bool any_load(const struct func_info *fi)
{
    for (uint32_t i = 0; i < fi->f.ninst; i++)
        if (joins(&fi->inst[i])) return true;
    return false;
}

static void join_all(struct load_join *j)
{
    bool some = false;
    if (!find_zeros(j)) return;
    mark_targets(j);
    for (uint32_t i = 0; i < j->fi->f.ninst && !j->failed; i++)
        if (!j->gone[i] && joins(&j->fi->inst[i])) some |= join_group(j, i, 4) || join_group(j, i, 2);
    if (some && !j->failed) func_take_out(j->fi, j->gone, j->moved);
}

int join_loads(struct build *b, struct func_info *fi)
{
    uint32_t n = fi->f.ninst;
    if (!any_load(fi)) return 0;
    struct load_join j = {.b = b, .fi = fi};
    j.moved = calloc(n + 1u, sizeof *j.moved);
    j.zeros = calloc((size_t)fi->f.nregs + 2 * ((size_t)n + 1), 1);
    if (j.moved && j.zeros) {
        j.target = j.zeros + fi->f.nregs;
        j.gone = j.target + n + 1;
        join_all(&j);
    } else {
        j.failed = true;
    }
    free(j.moved);
    free(j.zeros);
    return j.failed ? wl_fail(b->e, WL_ERUN, "%s: out of memory while joining loads of %s", b->m->file, fi->f.name) : 0;
}
