/* guard_short.c - a short way as guarded instructions instead of a branch around it, as an assembler makes it.
 *
 *       @p bra END                    @!p st.global.f32 [x], a
 *       st.global.f32 [x], a
 *   END:
 *
 *       @p bra ELSE                   @!p mov.u32 a, b
 *       mov.u32 a, b                  @p mov.u32 a, c
 *       bra END
 *   ELSE: mov.u32 a, c
 *   END:
 *
 * ptxas 13.0 (-arch=sm_90) does so with up to seven instructions, and with up to five on either side of an 'else':
 * in the machine code of tests/gpu/branches.cu, and in what it takes on an H200 (docs/results/h200-sequences.txt, "if"
 * of K <= 7, "store" of K <= 6, "ifelse" of K <= 4). Arithmetic whose result only
 * the same way reads does not need the guard. Machines that run PTX as it stands know nothing of this.
 *
 * Two conditions of one way, `if (a && b) ...`, are two branches to the same place. When the inner one has become a
 * guard, the outer one joins the comparison that makes it, and only what stands between them is guarded by it alone:
 *
 *       @p bra END                    @!p ld.const.f32 a, [x]
 *       ld.const.f32 a, [x]           setp.eq.or.f32 q, a, 0, p
 *       setp.eq.f32 q, a, 0           @!q tex.1d b, [t, i]
 *       @!q tex.1d b, [t, i]
 *   END:
 *
 * ptxas 13.0 does so in leukocyte_dilate (guarded fetches, no branch in the loop but its own). */
#include "ptx/exec_priv.h"
#include "ptx/module.h"
#include "ptx/opcodes.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { ALONE_MOST = 7, EITHER_MOST = 5 };

struct short_ways {
    struct func_info *fi;
    uint32_t *jumps; /* by instruction: how many jump here */
    uint32_t *moved; /* by instruction: its new place */
    uint32_t *reads; /* by register: how many instructions read it */
    uint8_t *gone;   /* by instruction: a branch that is no more */
};

/* ---- what may be guarded ---- */

static bool is_access(const struct ptx_inst *in)
{
    if (in->op == OP_TEX) return true;
    return (in->op == OP_LD || in->op == OP_ST) && !(in->flags & (FLAG_VOLATILE | FLAG_STRONG));
}

/* A copy, or part of an address: an assembler makes nothing of it (assemble.c). */
static bool is_free(const struct ptx_inst *in)
{
    bool wide = in->op == OP_MUL && in->flags & FLAG_WIDE && in->src[1].kind == OPND_IMM;
    return in->op == OP_CVTA || (in->op == OP_MOV && in->src[0].kind == OPND_VAR) || wide;
}

static bool is_plain(const struct ptx_inst *in)
{
    lower_fn *f = ptx_opcodes[in->op].lower;
    static lower_fn *const by_lane[] = {lower_lanes, lower_mul,   lower_mad,  lower_mul24, lower_mad24, lower_min,
                                        lower_max,   lower_bfind, lower_prmt, lower_shf,   lower_lop3,  lower_logic,
                                        lower_set,   lower_setp,  lower_selp, lower_mov,   lower_cvt,   lower_cvta};
    bool lanes = false;
    for (unsigned i = 0; i < sizeof by_lane / sizeof by_lane[0]; i++) lanes |= f == by_lane[i];
    return ptx_opcodes[in->op].kind == INST_ALU && lanes && !(in->flags & FLAG_CC) && !inst_reads_clock(in);
}

static bool is_long(const struct ptx_inst *in)
{
    return in->op == OP_DIV || in->op == OP_REM || ptx_opcodes[in->op].pace == PACE_SFU;
}

/* Whether instructions from `first` to before `end` may be guarded by the register; *count: how many there are. */
static bool is_way(const struct short_ways *s, uint32_t first, uint32_t end, int32_t guard, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct ptx_inst *in = &s->fi->inst[i];
        if (s->gone[i]) continue;
        if (in->guard >= 0 || (i > first && s->jumps[i]) || inst_writes_reg(in, guard)) return false;
        if (!is_access(in) && (!is_plain(in) || is_long(in))) return false;
        *count += !is_free(in);
    }
    return true;
}

/* Whether only what stands behind instruction i in the way reads what it makes. */
static bool stays_inside(const struct short_ways *s, uint32_t i, uint32_t end)
{
    int32_t made[MAX_INST_REGS], regs[MAX_INST_REGS];
    unsigned n = inst_writes(&s->fi->inst[i], made);
    for (unsigned m = 0; m < n; m++) {
        uint32_t reads = 0;
        for (uint32_t k = i + 1; k < end; k++) {
            unsigned all = inst_reads(&s->fi->inst[k], regs);
            for (unsigned r = 0; r < all; r++) reads += regs[r] == made[m];
        }
        if (reads != s->reads[made[m]]) return false;
    }
    return true;
}

static void guard_way(struct short_ways *s, uint32_t first, uint32_t end, int32_t guard, bool negated)
{
    for (uint32_t i = first; i < end; i++) {
        struct ptx_inst *in = &s->fi->inst[i];
        if (s->gone[i] || (is_plain(in) && stays_inside(s, i, end))) continue;
        in->guard = guard;
        in->guard_neg = negated;
    }
}

/* ---- forms ---- */

static bool is_branch(const struct ptx_inst *in) { return in->op == OP_BRA; }

static void take_out(struct short_ways *s, uint32_t i)
{
    s->gone[i] = 1;
    s->jumps[s->fi->inst[i].target]--;
}

/* A branch to the end of a kernel is an exit, which takes the place of the guards: @p EXIT (vectoradd, reduction). */
static bool leaves_kernel(const struct short_ways *s, uint32_t target)
{
    uint8_t op = s->fi->inst[target].op;
    return s->fi->f.is_kernel && (op == OP_RET || op == OP_EXIT);
}

/* The branch at i goes around a short way. */
static bool guard_alone(struct short_ways *s, uint32_t i)
{
    const struct ptx_inst *in = &s->fi->inst[i];
    uint32_t count;
    if (leaves_kernel(s, in->target)) return false;
    if (!is_way(s, i + 1, in->target, in->guard, &count) || s->jumps[i + 1] || !count || count > ALONE_MOST)
        return false;
    guard_way(s, i + 1, in->target, in->guard, !in->guard_neg);
    take_out(s, i);
    return true;
}

/* ---- two conditions of one way ---- */

static bool reads_reg(const struct ptx_inst *in, int32_t reg)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(in, regs), found = in->guard == reg;
    for (unsigned i = 0; i < n; i++) found |= regs[i] == reg;
    return found;
}

/* Whether nothing else makes the register, and nothing outside of the way reads it: what lanes have there that skip the
 * way does not matter. */
static bool makes_alone(const struct short_ways *s, uint32_t i, uint32_t end, int32_t reg)
{
    for (uint32_t k = 0; k < s->fi->f.ninst; k++) {
        const struct ptx_inst *in = &s->fi->inst[k];
        if (s->gone[k] || k == i) continue;
        if (inst_writes_reg(in, reg) || ((k < i || k >= end) && reads_reg(in, reg))) return false;
    }
    return !reads_reg(&s->fi->inst[i], reg);
}

/* The comparison between `first` and `end` on which all depends that stands behind it; `end`: there is none. */
static uint32_t inner_condition(const struct short_ways *s, uint32_t first, uint32_t end)
{
    uint32_t last = end, at = first;
    int32_t inner = -1;
    for (uint32_t i = first; i < end; i++)
        if (!s->gone[i] && s->fi->inst[i].guard >= 0) last = i;
    if (last < end) inner = s->fi->inst[last].guard;
    while (at < last && !inst_writes_reg(&s->fi->inst[at], inner)) at++;
    const struct ptx_inst *in = &s->fi->inst[at];
    if (inner < 0 || at >= last || in->op != OP_SETP || in->boolop || in->ndst != 1 || in->guard >= 0) return end;
    uint32_t reads = 0;
    for (uint32_t i = at + 1; i < end; i++) {
        const struct ptx_inst *one = &s->fi->inst[i];
        if (s->gone[i]) continue;
        if (one->guard >= 0) reads++;
        if (one->guard >= 0 ? one->guard != inner || one->guard_neg != s->fi->inst[last].guard_neg
                            : !is_free(one) || !stays_inside(s, i, end))
            return end;
    }
    return reads && makes_alone(s, at, end, inner) ? at : end;
}

/* The comparison fails where lanes skip the outer way. */
static void join_conditions(struct short_ways *s, uint32_t at, uint32_t behind, int32_t guard, bool skips_if_not)
{
    struct ptx_inst *in = &s->fi->inst[at];
    bool skips = s->fi->inst[behind].guard_neg; /* the inner way, where the comparison holds */
    in->boolop = skips ? BOOL_OR : BOOL_AND;
    in->src[2] = (struct ptx_operand){.kind = OPND_REG, .reg = guard, .negated = skips ? skips_if_not : !skips_if_not};
    in->nsrc = 3;
    s->reads[guard]++;
}

/* The branch at i goes around a way whose end depends on another condition, which has become a guard. */
static bool guard_both(struct short_ways *s, uint32_t i)
{
    const struct ptx_inst *in = &s->fi->inst[i];
    uint32_t end = in->target, at = inner_condition(s, i + 1, end), outer, behind = at + 1, count = 0;
    if (at == end || leaves_kernel(s, end) || s->jumps[i + 1] || !is_way(s, i + 1, at + 1, in->guard, &outer))
        return false;
    while (s->gone[behind] || s->fi->inst[behind].guard < 0) behind++;
    for (uint32_t k = at + 1; k < end; k++) {
        if (s->gone[k]) continue;
        if (s->jumps[k] || inst_writes_reg(&s->fi->inst[k], in->guard)) return false;
        count += !is_free(&s->fi->inst[k]);
    }
    if (outer + count > ALONE_MOST) return false;
    guard_way(s, i + 1, at, in->guard, !in->guard_neg);
    join_conditions(s, at, behind, in->guard, in->guard_neg);
    take_out(s, i);
    return true;
}

/* It goes to the other of two short ways. */
static bool guard_either(struct short_ways *s, uint32_t i)
{
    const struct ptx_inst *in = &s->fi->inst[i], *over = &s->fi->inst[in->target - 1];
    uint32_t other = in->target, end = over->target, one, two;
    if (!is_branch(over) || over->guard >= 0 || s->gone[other - 1] || end <= other || s->jumps[other] != 1)
        return false;
    if (other - 1 <= i || s->jumps[i + 1] || s->jumps[other - 1]) return false;
    if (!is_way(s, i + 1, other - 1, in->guard, &one) || !is_way(s, other, end, in->guard, &two)) return false;
    if (one > EITHER_MOST || two > EITHER_MOST) return false;
    guard_way(s, i + 1, other - 1, in->guard, !in->guard_neg);
    guard_way(s, other, end, in->guard, in->guard_neg);
    take_out(s, i);
    take_out(s, other - 1);
    return true;
}

/* ---- a function ---- */

static void look_around(struct short_ways *s)
{
    const struct func_info *fi = s->fi;
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        if (is_branch(&fi->inst[i])) s->jumps[fi->inst[i].target]++;
        unsigned n = inst_reads(&fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) s->reads[regs[k]]++;
    }
    for (const struct target_list *l = fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) s->jumps[l->at[i]]++;
}

/* A branch over another one: the other with the opposite condition. */
static void turn_around(struct short_ways *s, uint32_t i)
{
    struct ptx_inst *in = &s->fi->inst[i];
    const struct ptx_inst *over = in + 1;
    if (in->target != i + 2 || !is_branch(over) || over->guard >= 0 || s->gone[i + 1] || s->jumps[i + 1]) return;
    in->guard_neg = !in->guard_neg;
    s->jumps[in->target]--;
    in->target = over->target;
    s->gone[i + 1] = 1;
}

/* Inner ones first: they stand behind. */
static bool guard_all(struct short_ways *s)
{
    bool some = false;
    for (uint32_t i = s->fi->f.ninst; i-- > 0;) {
        const struct ptx_inst *in = &s->fi->inst[i];
        if (!is_branch(in) || in->guard < 0 || in->target <= i + 1 || in->target >= s->fi->f.ninst) continue;
        turn_around(s, i);
        some |= s->gone[i + 1];
        if (in->target > i + 1 && in->target < s->fi->f.ninst)
            some |= guard_alone(s, i) || guard_both(s, i) || guard_either(s, i);
    }
    return some;
}

int guard_short(struct build *b, struct func_info *fi)
{
    uint32_t n = fi->f.ninst;
    struct short_ways s = {.fi = fi};
    s.jumps = calloc(2 * ((size_t)n + 1) + fi->f.nregs, sizeof *s.jumps);
    s.gone = calloc((size_t)n + 1, 1);
    bool room = s.jumps && s.gone;
    if (room) {
        s.moved = s.jumps + n + 1;
        s.reads = s.moved + n + 1;
        look_around(&s);
        if (guard_all(&s)) func_take_out(fi, s.gone, s.moved);
    }
    free(s.jumps);
    free(s.gone);
    return room ? 0 : wl_fail(b->e, WL_ERUN, "%s: out of memory while guarding %s", b->m->file, fi->f.name);
}
