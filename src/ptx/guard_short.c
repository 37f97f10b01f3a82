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
 * the same way reads does not need the guard. Machines that run PTX as it stands know nothing of this. */
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
        if (in->target > i + 1 && in->target < s->fi->f.ninst) some |= guard_alone(s, i) || guard_either(s, i);
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
