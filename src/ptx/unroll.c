/* unroll.c - what an assembler makes of a loop that the compiler has unrolled by four: one unrolled by sixteen.
 *
 * The compiler in front of PTX unrolls a counted loop by four and counts down: add.s32 n, n, -4; setp.ne.s32 p, n, 0;
 * @p bra. ptxas 13.0 (-arch=sm_90) repeats such a body four times once more, so that the loads of sixteen rounds of
 * the source's loop can be under way together; it does so with nearly all loops of this form in the workloads that have
 * up to 36 instructions, with none of 47 and more (gesummv, syr2k), and with none that counts by one.
 *
 *         setp.lt.s32 q, n, 16
 *         @q bra OLD
 *   NEW:  body, body, body, body
 *         setp.ge.s32 q, n, 16
 *         @q bra NEW
 *         setp.ne.s32 p, n, 0
 *         @!p bra EXIT
 *   OLD:  body, setp.ne, @p bra OLD      as it was
 *   EXIT:
 *
 * Lanes with fewer rounds left go to the loop as it was. While n is 16 or more, none of the next three tests of n
 * against 0 can end the loop, whatever n is: so they are left out, and what is executed is what the text says.
 *
 * Counters and pointers that only move by a constant move once for all four copies, by four times as much; the
 * addresses of the copies have offsets instead, as the machine code has. So have those made of such a pointer and of
 * something that stays: the sum is made once.
 *
 * Each copy but the last writes registers of its own, which is what lets the scheduler (block_order.c) move its loads
 * ahead. Only straight bodies without guards, barriers and atomics are repeated. Machines that run PTX as it stands
 * (sm.code = text) know nothing of this. */
#include "ptx/module.h"
#include "ptx/opcodes.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 4, COPIES = 4, BODY_MOST = 40, NEW_REGS_MOST = 2048 };

/* STEPS: moves a counter or a pointer by a constant. FOLLOWS: a pointer that moves, and something that does not. */
enum move { STAYS, STEPS, FOLLOWS };

struct unroll {
    struct build *b;
    struct func_info *fi;
    struct ptx_inst *inst; /* the new text */
    uint32_t ninst, cap;
    uint32_t *moved;     /* by instruction of the old text: where a jump to it goes; */
    uint32_t *placed;    /* where it stands itself, behind the unrolled loop that it begins; */
    uint32_t *closed_by; /* the branch that closes the loop which it begins, or 0 */
    uint8_t *target;     /* something jumps here */
    struct ptx_reg *reg;
    uint32_t nregs, reg_cap;
    int32_t *name;                /* by old register: its name in the copy that is being made */
    uint8_t moves[BODY_MOST + 1]; /* by instruction of the loop's body: enum move */
    bool failed;
};

struct counted {          /* a loop of this form */
    uint32_t first, last; /* its branch is last */
    uint32_t test;        /* the setp */
    int32_t counter;
};

/* ---- which loops ---- */

static void mark_targets(struct unroll *u)
{
    const struct func_info *fi = u->fi;
    for (uint32_t i = 0; i < fi->f.ninst; i++)
        if (fi->inst[i].op == OP_BRA) u->target[fi->inst[i].target] = 1;
    for (const struct target_list *l = fi->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++) u->target[l->at[i]] = 1;
}

static bool plain_operand(const struct ptx_operand *o)
{
    if (o->kind == OPND_VEC)
        for (unsigned i = 0; i < o->nvec; i++)
            if (o->vec[i].kind == OPND_VEC) return false;
    return o->kind != OPND_FUNC;
}

static bool plain(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    if (in->guard >= 0 || in->call || in->matrix || in->flags & (FLAG_VOLATILE | FLAG_CC) || inst_reads_clock(in))
        return false;
    if (kind != INST_ALU && kind != INST_LOAD && kind != INST_STORE) return false;
    for (unsigned i = 0; i < in->ndst; i++)
        if (!plain_operand(&in->dst[i])) return false;
    for (unsigned i = 0; i < in->nsrc; i++)
        if (!plain_operand(&in->src[i])) return false;
    return true;
}

static bool is_reg(const struct ptx_operand *o, int32_t reg) { return o->kind == OPND_REG && o->reg == reg; }

/* The one instruction of the body that writes reg; UINT32_MAX: none or several. */
static uint32_t writer_of(const struct func_info *fi, const struct counted *l, int32_t reg)
{
    uint32_t at = UINT32_MAX;
    for (uint32_t i = l->first; i < l->last; i++)
        if (inst_writes_reg(&fi->inst[i], reg)) {
            if (at != UINT32_MAX) return UINT32_MAX;
            at = i;
        }
    return at;
}

/* Whether the branch at `last` closes a loop of the form. */
static bool find_loop(const struct unroll *u, uint32_t last, struct counted *l)
{
    const struct func_info *fi = u->fi;
    const struct ptx_inst *bra = &fi->inst[last], *test, *step;
    *l = (struct counted){.first = bra->target, .last = last};
    if (bra->op != OP_BRA || bra->guard < 0 || bra->guard_neg || l->first >= last || last - l->first > BODY_MOST ||
        last + 1 >= fi->f.ninst)
        return false;
    for (uint32_t i = l->first; i < last; i++)
        if (!plain(&fi->inst[i]) || (i > l->first && u->target[i])) return false;
    if (u->target[last]) return false;
    l->test = writer_of(fi, l, bra->guard);
    if (l->test == UINT32_MAX) return false;
    test = &fi->inst[l->test];
    if (test->op != OP_SETP || test->type != T_S32 || test->cmp != CMP_NE || test->ndst != 1 || test->nsrc != 2 ||
        test->boolop || test->src[0].kind != OPND_REG || test->src[1].kind != OPND_IMM || test->src[1].imm)
        return false;
    l->counter = test->src[0].reg;
    uint32_t at = writer_of(fi, l, l->counter);
    if (at == UINT32_MAX || at > l->test) return false;
    step = &fi->inst[at];
    for (uint32_t i = l->first; i < last; i++) /* the test moves behind the loop */
        if (inst_reads_reg(&fi->inst[i], bra->guard)) return false;
    return step->op == OP_ADD && step->type == T_S32 && !(step->flags & FLAG_SAT) &&
           is_reg(&step->dst[0], l->counter) && is_reg(&step->src[0], l->counter) && step->src[1].kind == OPND_IMM &&
           (int32_t)step->src[1].imm == -STEP;
}

/* ---- counters and pointers ---- */

static bool is_wide(const struct ptx_inst *in) { return in->type == T_S64 || in->type == T_U64; }

static bool is_plain_add(const struct ptx_inst *in)
{
    return in->op == OP_ADD && !in->flags && in->ndst == 1 && in->dst[0].kind == OPND_REG;
}

/* The marked instruction of the body that writes reg; UINT32_MAX: none. */
static uint32_t marked_writer(const struct unroll *u, const struct counted *l, int32_t reg)
{
    for (uint32_t i = l->first; i < l->last; i++)
        if (u->moves[i - l->first] && u->fi->inst[i].dst[0].reg == reg) return i;
    return UINT32_MAX;
}

static bool has_step_form(const struct unroll *u, const struct counted *l, uint32_t i)
{
    const struct ptx_inst *in = &u->fi->inst[i];
    return is_plain_add(in) && (is_wide(in) || in->type == T_S32) && is_reg(&in->src[0], in->dst[0].reg) &&
           in->src[1].kind == OPND_IMM && writer_of(u->fi, l, in->dst[0].reg) == i;
}

static bool changes(const struct unroll *u, const struct counted *l, const struct ptx_operand *o)
{
    for (uint32_t i = l->first; i < l->last && o->kind == OPND_REG; i++)
        if (inst_writes_reg(&u->fi->inst[i], o->reg)) return true;
    return o->kind != OPND_REG && o->kind != OPND_IMM;
}

/* The operand of a sum that moves, where the other one does not; -1: there is none. */
static int moving_source(const struct unroll *u, const struct counted *l, const struct ptx_inst *in)
{
    for (int k = 0; k < 2; k++)
        if (in->src[k].kind == OPND_REG && marked_writer(u, l, in->src[k].reg) != UINT32_MAX &&
            !changes(u, l, &in->src[1 - k]))
            return k;
    return -1;
}

/* A pointer and something that stays: it moves as the pointer does. */
static bool has_follower_form(const struct unroll *u, const struct counted *l, uint32_t i)
{
    const struct ptx_inst *in = &u->fi->inst[i];
    return is_plain_add(in) && is_wide(in) && writer_of(u->fi, l, in->dst[0].reg) == i && moving_source(u, l, in) >= 0;
}

/* Whether instruction i reads reg elsewhere than in an address. */
static bool reads_as_value(const struct ptx_inst *in, int32_t reg)
{
    int32_t regs[MAX_INST_REGS];
    unsigned reads = 0, addresses = 0, n = inst_reads(in, regs);
    for (unsigned k = 0; k < n; k++) reads += regs[k] == reg;
    for (unsigned k = 0; k < in->nsrc; k++) addresses += in->src[k].kind == OPND_ADDR && in->src[k].reg == reg;
    for (unsigned k = 0; k < in->ndst; k++) addresses += in->dst[k].kind == OPND_ADDR && in->dst[k].reg == reg;
    return reads != addresses;
}

/* Whether what instruction `at` of the body writes is read by another than those that can make up for its moves: an
 * address of 64 bits, a sum that follows, the test of the counter. */
static bool read_otherwise(const struct unroll *u, const struct counted *l, uint32_t at)
{
    const struct ptx_inst *own = &u->fi->inst[at];
    int32_t reg = own->dst[0].reg;
    for (uint32_t i = l->first; i < l->last; i++) {
        const struct ptx_inst *in = &u->fi->inst[i];
        if (i == at || !inst_reads_reg(in, reg) || (i == l->test && reg == l->counter)) continue;
        if (!is_wide(own)) return true;
        if (reads_as_value(in, reg) && u->moves[i - l->first] != FOLLOWS) return true;
        if (u->moves[at - l->first] == FOLLOWS && i < at) return true; /* it was made in the round before */
    }
    return false;
}

static bool read_outside(const struct unroll *u, const struct counted *l, int32_t reg)
{
    for (uint32_t i = 0; i < u->fi->f.ninst; i++)
        if ((i < l->first || i >= l->last) && inst_reads_reg(&u->fi->inst[i], reg)) return true;
    return false;
}

static bool can_move(const struct unroll *u, const struct counted *l, uint32_t i)
{
    const struct ptx_inst *in = &u->fi->inst[i];
    if (read_otherwise(u, l, i)) return false;
    return u->moves[i - l->first] == STEPS || (moving_source(u, l, in) >= 0 && !read_outside(u, l, in->dst[0].reg));
}

/* First all that have the form, then without those that cannot move and what depended on them. */
static void find_moves(struct unroll *u, const struct counted *l)
{
    uint8_t *moves = u->moves;
    for (uint32_t i = l->first; i < l->last; i++) moves[i - l->first] = has_step_form(u, l, i) ? STEPS : STAYS;
    for (uint32_t i = l->first; i < l->last; i++)
        if (!moves[i - l->first] && has_follower_form(u, l, i)) moves[i - l->first] = FOLLOWS;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = l->first; i < l->last; i++) {
            if (!moves[i - l->first] || can_move(u, l, i)) continue;
            moves[i - l->first] = STAYS;
            again = true;
        }
    }
}

/* How far a register has moved when instruction `at` of copy `copy` reads it: by the steps that were left out. A sum
 * that follows is made in the first copy. */
static uint64_t moved_by(const struct unroll *u, const struct counted *l, int32_t reg, uint32_t at, unsigned copy)
{
    uint32_t i = marked_writer(u, l, reg);
    while (i != UINT32_MAX && u->moves[i - l->first] == FOLLOWS) {
        const struct ptx_inst *in = &u->fi->inst[i];
        at = i;
        i = marked_writer(u, l, in->src[moving_source(u, l, in)].reg);
    }
    return i == UINT32_MAX ? 0 : u->fi->inst[i].src[1].imm * (copy + (at > i));
}

static uint64_t offset_of(const struct unroll *u, const struct counted *l, int32_t reg, uint32_t at, unsigned copy)
{
    uint32_t i = marked_writer(u, l, reg);
    if (i == UINT32_MAX) return 0;
    bool all_the_way = u->moves[i - l->first] == STEPS && at > i && copy + 1 == COPIES;
    return all_the_way ? 0 : moved_by(u, l, reg, at, copy);
}

static void move_address(const struct unroll *u, const struct counted *l, struct ptx_operand *o, uint32_t at,
                         unsigned copy)
{
    if (o->kind == OPND_ADDR && o->reg >= 0) o->imm += offset_of(u, l, o->reg, at, copy);
}

/* ---- copies ---- */

static int32_t new_reg(struct unroll *u, int32_t like)
{
    if (u->nregs == u->reg_cap) {
        u->failed = true;
        return like;
    }
    u->reg[u->nregs] = u->reg[like];
    return (int32_t)u->nregs++;
}

static void put(struct unroll *u, const struct ptx_inst *in)
{
    if (u->ninst < u->cap) u->inst[u->ninst++] = *in;
    else u->failed = true;
}

/* The elements of a vector, to be renamed in a place of their own. */
static struct ptx_operand *own_elements(struct unroll *u, struct ptx_operand *o)
{
    struct ptx_operand *v = ARENA_ARRAY(&u->b->m->arena, struct ptx_operand, o->nvec);
    if (!v) {
        u->failed = true;
        return NULL;
    }
    memcpy(v, o->vec, o->nvec * sizeof *v);
    o->vec = v;
    return v;
}

static void rename_read(struct unroll *u, struct ptx_operand *o)
{
    if ((o->kind == OPND_REG || o->kind == OPND_ADDR) && o->reg >= 0) o->reg = u->name[o->reg];
    if (o->kind != OPND_VEC) return;
    struct ptx_operand *v = own_elements(u, o);
    for (unsigned i = 0; v && i < o->nvec; i++)
        if (v[i].kind == OPND_REG) v[i].reg = u->name[v[i].reg];
}

/* The last copy leaves each value where the text has it. */
static void rename_write(struct unroll *u, struct ptx_operand *o, bool last)
{
    if (o->kind == OPND_ADDR) {
        rename_read(u, o);
    } else if (o->kind == OPND_REG) {
        u->name[o->reg] = last ? o->reg : new_reg(u, o->reg);
        o->reg = u->name[o->reg];
    } else if (o->kind == OPND_VEC) {
        struct ptx_operand *v = own_elements(u, o);
        for (unsigned i = 0; v && i < o->nvec; i++) rename_write(u, &v[i], last);
    }
}

/* The bits of a literal are those of the instruction's type. */
static uint64_t steps_of_all(const struct ptx_inst *in)
{
    uint64_t far = in->src[1].imm * COPIES;
    return ptx_type_bytes((enum ptx_type)in->type) == 4 ? (uint32_t)far : far;
}

static void copy_body(struct unroll *u, const struct counted *l, unsigned copy)
{
    bool last = copy + 1 == COPIES;
    for (uint32_t i = l->first; i < l->last && !u->failed; i++) {
        bool step = u->moves[i - l->first] == STEPS, follows = u->moves[i - l->first] == FOLLOWS;
        if (i == l->test || (step && !last) || (follows && copy)) continue;
        struct ptx_inst in = u->fi->inst[i];
        in.rolled = true;
        if (step) in.src[1].imm = steps_of_all(&in);
        for (unsigned k = 0; k < in.nsrc; k++) move_address(u, l, &in.src[k], i, copy), rename_read(u, &in.src[k]);
        for (unsigned k = 0; k < in.ndst; k++) {
            move_address(u, l, &in.dst[k], i, copy);
            rename_write(u, &in.dst[k], last);
        }
        put(u, &in);
    }
}

/* setp.CMP.s32 q, counter, 16; @q bra to. */
static void put_test(struct unroll *u, const struct counted *l, uint8_t cmp, int32_t q, uint32_t to)
{
    struct ptx_inst test = u->fi->inst[l->test], bra = u->fi->inst[l->last];
    test.cmp = cmp;
    test.dst[0].reg = q;
    test.src[1].imm = STEP * COPIES;
    bra.guard = q;
    bra.target = to;
    put(u, &test);
    put(u, &bra);
}

/* Instructions that put_loop puts. */
static uint32_t added(struct unroll *u, const struct counted *l)
{
    uint32_t once = 0;
    find_moves(u, l);
    for (uint32_t i = l->first; i < l->last; i++) once += u->moves[i - l->first] != STAYS;
    return COPIES * (l->last - l->first - 1 - once) + once + 1 + 5;
}

static void put_loop(struct unroll *u, const struct counted *l)
{
    int32_t regs[MAX_INST_REGS], q = new_reg(u, u->fi->inst[l->last].guard);
    find_moves(u, l);
    for (uint32_t i = l->first; i < l->last; i++) {
        unsigned n = inst_writes(&u->fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) u->name[regs[k]] = regs[k];
        n = inst_reads(&u->fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++) u->name[regs[k]] = regs[k];
    }
    put_test(u, l, CMP_LT, q, u->placed[l->first]);
    for (unsigned k = 0; k < COPIES; k++) copy_body(u, l, k);
    put_test(u, l, CMP_GE, q, u->moved[l->first] + 2);
    put(u, &u->fi->inst[l->test]);
    struct ptx_inst leave = u->fi->inst[l->last];
    leave.guard_neg = true;
    leave.target = u->moved[l->last + 1];
    put(u, &leave);
}

/* ---- a function ---- */

static uint32_t new_regs(const struct func_info *fi, const struct counted *l)
{
    int32_t regs[MAX_INST_REGS];
    uint32_t n = 1;
    for (uint32_t i = l->first; i < l->last; i++) n += (COPIES - 1) * inst_writes(&fi->inst[i], regs);
    return n;
}

/* Finds the loops and where everything will stand; how many loops there are. */
static uint32_t plan(struct unroll *u)
{
    struct counted l;
    uint32_t n = 0, at = 0;
    u->reg_cap = u->fi->f.nregs;
    mark_targets(u);
    for (uint32_t i = 0; i < u->fi->f.ninst; i++) {
        if (!find_loop(u, i, &l)) continue;
        uint32_t regs = new_regs(u->fi, &l);
        if (u->reg_cap + regs > u->fi->f.nregs + NEW_REGS_MOST) continue;
        u->reg_cap += regs;
        u->closed_by[l.first] = i;
        n++;
    }
    for (uint32_t i = 0; i < u->fi->f.ninst; i++) {
        u->moved[i] = at;
        if (u->closed_by[i] && find_loop(u, u->closed_by[i], &l)) at += added(u, &l);
        u->placed[i] = at++;
    }
    u->cap = at;
    return n;
}

static void rewrite(struct unroll *u)
{
    struct func_info *fi = u->fi;
    for (uint32_t i = 0; i < fi->f.ninst && !u->failed; i++) {
        struct counted l;
        struct ptx_inst in = fi->inst[i];
        if (u->closed_by[i] && find_loop(u, u->closed_by[i], &l)) put_loop(u, &l);
        in.rolled |= u->closed_by[i] != 0;
        if (in.op == OP_BRA) {
            bool own = u->closed_by[in.target] == i && i; /* the old loop stays behind the new one */
            in.target = own ? u->placed[in.target] : u->moved[in.target];
        }
        put(u, &in);
    }
}

/* What else knows instructions by their places. */
static void follow(struct unroll *u)
{
    for (struct target_list *t = u->fi->lists; t; t = t->next)
        for (uint32_t i = 0; i < t->count; i++) t->at[i] = u->moved[t->at[i]];
    for (struct callee *c = u->fi->callees; c; c = c->next) c->inst = u->placed[c->inst];
}

static bool take_text(struct unroll *u)
{
    struct arena *a = &u->b->m->arena;
    u->inst = ARENA_ARRAY(a, struct ptx_inst, u->cap);
    u->reg = ARENA_ARRAY(a, struct ptx_reg, u->reg_cap);
    if (!u->inst || !u->reg) return false;
    u->nregs = u->fi->f.nregs;
    memcpy(u->reg, u->fi->f.reg, u->nregs * sizeof *u->reg);
    return true;
}

static bool unroll_all(struct unroll *u)
{
    struct func_info *fi = u->fi;
    if (!plan(u)) return true;
    if (!take_text(u)) return false;
    rewrite(u);
    if (u->failed) return false;
    follow(u);
    fi->f.inst = fi->inst = u->inst;
    fi->f.ninst = u->ninst;
    fi->f.reg = u->reg;
    fi->f.nregs = u->nregs;
    return true;
}

int unroll_function(struct build *b, struct func_info *fi)
{
    uint32_t n = fi->f.ninst, *words = calloc((size_t)n * 3 + fi->f.nregs + 1, sizeof *words);
    struct unroll u = {.b = b, .fi = fi, .target = calloc(n + 1u, 1)};
    bool done = words && u.target;
    if (done) {
        u.moved = words;
        u.placed = words + n;
        u.closed_by = words + 2 * (size_t)n;
        u.name = (int32_t *)(words + 3 * (size_t)n);
        done = unroll_all(&u);
    }
    free(words);
    free(u.target);
    return done ? 0 : wl_fail(b->e, WL_ERUN, "%s: out of memory while unrolling %s", b->m->file, fi->f.name);
}
