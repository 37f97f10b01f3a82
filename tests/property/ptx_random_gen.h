/* ptx_random_gen.h - random PTX kernels: a seed becomes a tree of statements, the tree becomes PTX text.
 *
 * A statement is one instruction, except for IF and LOOP, which have branches of their own. Every kernel ends and no
 * result depends on the order of threads, by construction:
 *   - loops count; a trip count is fixed before the loop begins
 *   - a thread writes only bytes of its own in global memory (three areas of different strides) and its own local
 *     array; what others write is changed by atomics alone, each cell by one commutative operation, and not read
 *   - shared memory has two regions. Between two barriers each thread may change its own slot of the one and read any
 *     slot of the other; a barrier exchanges their parts
 *   - barriers, votes and shuffles stand where all threads that have not exited are together: outside of every IF,
 *     and in loops only if the trip count is a constant
 * Registers below the DATA_* numbers are the program's, those above are the generator's own. */
#ifndef WL_TESTS_PTX_RANDOM_GEN_H
#define WL_TESTS_PTX_RANDOM_GEN_H

#include "test.h"

#include "ptx_random_ops.h"
#include "stream/code.h"

/* ---- registers ---- */

enum { DATA_R = 8, DATA_D = 6, DATA_H = 4, DATA_F = 5, DATA_G = 4, DATA_P = 6, MAX_REGS = 32, MAX_LOOPS = 4 };

enum { /* 32 bits */
       R_TID = DATA_R,
       R_THREADS, /* per CTA */
       R_GID,
       R_LANE,
       R_OWN, /* the thread's slot in each of the two shared regions */
       R_CELLS = R_OWN + 2,
       R_COUNT,
       R_TRIPS = R_COUNT + MAX_LOOPS,
       R_TEMP = R_TRIPS + MAX_LOOPS,
       R_JUNK = R_TEMP + 4, /* results that depend on the order of threads */
       R_END
};
enum { /* 64 bits */
       D_IN = DATA_D,
       D_OWN,
       D_WORD,
       D_LONG,
       D_DUMP,
       D_SUMS,
       D_GENERIC_OWN,
       D_GENERIC_LOCAL,
       D_GENERIC_CONST,
       D_LOCAL,
       D_CONST,
       D_TEMP,
       D_JUNK = D_TEMP + 3,
       D_END
};
enum { P_LOOP = DATA_P, P_TEMP = P_LOOP + MAX_LOOPS, P_END = P_TEMP + 2 };

/* ---- memory ---- */

enum {
    IN_BYTES = 4096,
    OWN_BYTES = 64,
    LOCAL_BYTES = 64,
    CONST_BYTES = 256,
    VAR_BYTES = 256,
    SLOT_BYTES = 16, /* of a thread in a shared region */
    MAX_THREADS = 256,
    REGION_BYTES = SLOT_BYTES * MAX_THREADS,
    CELLS = 8, /* per operation and width, in shared memory */
    SUMS = 16, /* the same in global memory */
    COMMUTATIVE = 6,
    SHARED_BYTES = 2 * REGION_BYTES + COMMUTATIVE * CELLS * 12,
    SUMS_BYTES = COMMUTATIVE * SUMS * 12,
    DUMP_R = 0, /* where the registers go in the end */
    DUMP_D = DUMP_R + 4 * DATA_R,
    DUMP_G = DUMP_D + 8 * DATA_D,
    DUMP_F = DUMP_G + 8 * DATA_G,
    DUMP_P = DUMP_F + 4 * DATA_F,
    DUMP_CELLS = DUMP_P + 4,
    DUMP_H = DUMP_CELLS + 16,
    DUMP_BYTES = 192
};
_Static_assert(DUMP_G % 8 == 0 && DUMP_CELLS % 8 == 0 && DUMP_BYTES % 8 == 0, "doubles are aligned");
_Static_assert(DUMP_H + 2 * DATA_H <= DUMP_BYTES, "everything is dumped");

enum { GENERIC = 99 }; /* a space of its own next to enum mem_space */

struct mem_type {
    const char *name;
    uint8_t bytes;
    bool is_signed;
    const char *classes; /* registers it may be loaded to; stores are of integers */
};
static const struct mem_type mem_types[] = {
    {"u8", 1, false, "HRD"},  {"s8", 1, true, "HRD"}, {"b8", 1, false, "RD"},  {"u16", 2, false, "HRD"},
    {"s16", 2, true, "HRD"},  {"u32", 4, false, "R"}, {"s32", 4, true, "RD"},  {"b32", 4, false, "RD"},
    {"u64", 8, false, "D"},   {"b64", 8, false, "D"}, {"f32", 4, false, "F"},  {"f64", 8, false, "G"},
    {"b16", 2, false, "HRD"}, {"u32", 4, false, "R"}, {"u32", 4, false, "RD"}, {"s64", 8, true, "D"},
};

/* Atomics; the first COMMUTATIVE give the same in any order. */
enum atom_op {
    ATOM_OF_ADD,
    ATOM_OF_MIN,
    ATOM_OF_MAX,
    ATOM_OF_AND,
    ATOM_OF_OR,
    ATOM_OF_XOR,
    ATOM_OF_EXCH,
    ATOM_OF_INC,
    ATOM_OF_DEC,
    ATOM_OF_CAS,
    ATOM_OPS
};
struct atom_form {
    const char *name, *type32, *type64;
};
static const struct atom_form atom_forms[] = {
    {"add", "u32", "u64"}, {"min", "s32", "s64"},  {"max", "u32", "u64"}, {"and", "b32", "b64"}, {"or", "b32", "b64"},
    {"xor", "b32", "b64"}, {"exch", "b32", "b64"}, {"inc", "u32", NULL},  {"dec", "u32", NULL},  {"cas", "b32", "b64"}};

/* ---- statements ---- */

enum stmt_kind { ST_OP, ST_LOAD, ST_STORE, ST_ATOM, ST_IF, ST_LOOP, ST_BREAK, ST_CONTINUE, ST_EXIT, ST_BAR, ST_WARP };
enum bar_kind { BAR_PLAIN, BAR_POPC, BAR_ALL, BAR_ANY, BAR_FENCE };
enum way_out { OUT_BY_EXIT, OUT_BY_RET, OUT_BY_JUMP /* to the last ret */, EXIT_WAYS };
enum warp_kind {
    W_SHFL_UP,
    W_SHFL_DOWN,
    W_SHFL_BFLY,
    W_SHFL_IDX,
    W_ALL,
    W_ANY,
    W_UNI,
    W_BALLOT,
    W_MATCH_ANY,
    W_MATCH_ALL,
    W_MATCH_64,
    W_REDUX_ADD,
    W_REDUX_MIN,
    W_REDUX_MAX,
    W_REDUX_AND,
    W_REDUX_OR,
    W_REDUX_XOR,
    W_ACTIVE,
    W_SYNC,
    W_KINDS
};

struct value {
    bool constant;
    char cls;
    uint8_t reg;
    uint64_t bits;
};

struct list {
    struct stmt *first, **end;
};

struct stmt {
    struct stmt *next;
    uint8_t kind, sub; /* enum stmt_kind; enum bar_kind, warp_kind, way_out or atom_op */
    int8_t guard;      /* predicate, or -1 */
    bool guard_not;
    uint32_t at;     /* its instruction's number; IF: of the branch; LOOP: of the branch back */
    uint32_t at_end; /* IF: of the jump over the other arm; LOOP: of the first of the instructions that count */
    const struct op *op;
    uint8_t dst, dst2;
    struct value src[4];
    /* memory */
    uint8_t space, bytes, vec;
    bool is_signed, has_result;
    const char *type, *options;
    char cls;
    uint8_t data[4];
    char addr_cls; /* R or D, or 0: by name */
    uint8_t addr;
    const char *name;
    int32_t offset;
    /* control */
    uint8_t pred, depth;
    bool inverted, tested_first;
    struct value trips;
    struct list body, other;
};

enum { MAX_STMTS = 3000, TEXT_BYTES = 1 << 18 };

struct kernel_gen {
    uint64_t seed;
    struct stmt stmt[MAX_STMTS];
    uint32_t nstmt;
    struct list program;
    struct stmt last; /* the ret at the end of the text */
    struct list *to;  /* where statements go */
    unsigned own;     /* the shared region in which threads own a slot */
    unsigned loops;   /* open ones */
    unsigned depth;   /* open IFs and LOOPs */
    unsigned apart;   /* open constructs in which threads may be apart */
    unsigned ifs;     /* open IFs inside the innermost loop */
    unsigned jumps;   /* whether the innermost loop may be left or continued early */
    unsigned doomed;  /* open IFs whose arm ends with exit or ret */
    bool irregular;   /* threads may meet later than at the end of an IF */
    int budget;       /* statements left to the body */
    uint32_t consts[CONST_BYTES / 4], var[VAR_BYTES / 4];
    /* the text */
    char text[TEXT_BYTES];
    size_t length;
    uint32_t ninst, nlabel;
    uint32_t loop_label[MAX_LOOPS];
    const struct stmt *inst[MAX_STMTS]; /* of each instruction; NULL: a branch or what counts a loop */
};

static inline uint32_t pick(struct kernel_gen *g, uint32_t below) { return (uint32_t)draw(&g->seed, below); }
static inline bool chance(struct kernel_gen *g, uint32_t percent) { return pick(g, 100) < percent; }

/* Numbers at which instructions go wrong, and any others. */
static inline uint64_t odd_number(uint64_t *seed)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   0x7f,
                                   0x80,
                                   0xff,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x10000,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   UINT64_C(0x100000000),
                                   UINT64_C(0x7fffffffffffffff),
                                   UINT64_C(0x8000000000000000),
                                   UINT64_MAX,
                                   0x3f800000,
                                   0xbf800000,
                                   0x7f800000,
                                   0x00000001,
                                   0x007fffff,
                                   0x4f000000,
                                   0x3fc00000,
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0xc1e0000000000000),
                                   UINT64_C(0x7ff0000000000000),
                                   0x7fc00000,
                                   0x80000001};
    switch (draw(seed, 4)) {
    case 0: return odd[draw(seed, COUNT(odd))];
    case 1: return draw(seed, 100);
    case 2: return 0 - draw(seed, 100);
    default: return splitmix64(seed);
    }
}

/* ---- building blocks ---- */

static inline struct stmt *add(struct kernel_gen *g, enum stmt_kind kind)
{
    assert_true(g->nstmt < MAX_STMTS);
    struct stmt *s = &g->stmt[g->nstmt++];
    *s = (struct stmt){.kind = (uint8_t)kind, .guard = -1};
    *g->to->end = s;
    g->to->end = &s->next;
    return s;
}

static inline struct value reg(char cls, unsigned r) { return (struct value){.cls = cls, .reg = (uint8_t)r}; }
static inline struct value number(char cls, uint64_t bits)
{
    return (struct value){.constant = true, .cls = cls, .bits = bits};
}

static inline unsigned data_regs(char cls)
{
    switch (cls) {
    case 'R': return DATA_R;
    case 'D': return DATA_D;
    case 'H': return DATA_H;
    case 'F': return DATA_F;
    case 'G': return DATA_G;
    default: return DATA_P;
    }
}
static inline struct value some_reg(struct kernel_gen *g, char cls) { return reg(cls, pick(g, data_regs(cls))); }

static inline uint64_t cut(char cls, uint64_t v)
{
    return cls == 'P' ? v & 1 : cls == 'H' ? v & 0xffff : cls == 'R' || cls == 'F' ? v & UINT32_MAX : v;
}

static inline struct value some_value(struct kernel_gen *g, char cls)
{
    if (cls == 'k') return number('R', chance(g, 80) ? pick(g, 40) : pick(g, 256));
    if (cls == 'P' || !chance(g, 25)) return some_reg(g, cls);
    return number(cls, cut(cls, odd_number(&g->seed)));
}

/* One instruction of the table into register d. */
static inline struct stmt *op(struct kernel_gen *g, enum op_id id, unsigned d, struct value a, struct value b,
                              struct value c)
{
    struct stmt *s = add(g, ST_OP);
    s->op = &op_table[id];
    s->dst = (uint8_t)d;
    s->src[0] = a, s->src[1] = b, s->src[2] = c;
    return s;
}
#define NO_VALUE                                                                                                       \
    (struct value) { 0 }
#define OP0(g, id, d)          op(g, OP_##id, d, NO_VALUE, NO_VALUE, NO_VALUE)
#define OP1(g, id, d, a)       op(g, OP_##id, d, a, NO_VALUE, NO_VALUE)
#define OP2(g, id, d, a, b)    op(g, OP_##id, d, a, b, NO_VALUE)
#define OP3(g, id, d, a, b, c) op(g, OP_##id, d, a, b, c)
#define R(i)                   reg('R', i)
#define D(i)                   reg('D', i)
#define P(i)                   reg('P', i)
#define K(n)                   number('R', n)
#define KD(n)                  number('D', n)

static inline void maybe_guard(struct kernel_gen *g, struct stmt *s, uint32_t percent)
{
    if (!chance(g, percent)) return;
    s->guard = (int8_t)pick(g, DATA_P);
    s->guard_not = chance(g, 50);
}

/* ---- arithmetic ---- */

static inline void gen_op(struct kernel_gen *g)
{
    struct stmt *s = add(g, ST_OP);
    s->op = &op_table[pick(g, OPS_PICKED)];
    unsigned n = data_regs(s->op->d);
    s->dst = (uint8_t)pick(g, n);
    if (s->op->e) s->dst2 = (uint8_t)((s->dst + 1 + pick(g, n - 1)) % n);
    for (unsigned i = 0; s->op->s[i]; i++) s->src[i] = some_value(g, s->op->s[i]);
    maybe_guard(g, s, 15);
}

static inline void gen_carry_chain(struct kernel_gen *g)
{
    bool sub = chance(g, 50);
    OP2(g, add_cc, pick(g, DATA_R), some_value(g, 'R'), some_value(g, 'R'))->op =
        &op_table[sub ? OP_sub_cc : OP_add_cc];
    if (chance(g, 50))
        op(g, sub ? OP_subc_cc : OP_addc_cc, pick(g, DATA_R), some_value(g, 'R'), some_value(g, 'R'), NO_VALUE);
    op(g, sub ? OP_subc : OP_addc, pick(g, DATA_R), some_value(g, 'R'), some_value(g, 'R'), NO_VALUE);
}

/* The bits of a float, 0 for NaN. */
static inline void gen_bits_of_float(struct kernel_gen *g)
{
    bool wide = chance(g, 40);
    struct value from = some_reg(g, wide ? 'G' : 'F');
    unsigned to = pick(g, wide ? DATA_D : DATA_R);
    op(g, wide ? OP_nan_f64 : OP_nan_f32, P_TEMP, from, NO_VALUE, NO_VALUE);
    op(g, wide ? OP_bits_of_double : OP_bits_of_float, to, from, NO_VALUE, NO_VALUE);
    op(g, wide ? OP_mov_b64 : OP_mov_b32, to, number(wide ? 'D' : 'R', 0), NO_VALUE, NO_VALUE)->guard = P_TEMP;
}

static inline void gen_special(struct kernel_gen *g)
{
    static const uint16_t ids[] = {OP_tid_x,    OP_tid_y,  OP_ntid_x, OP_ctaid_x,
                                   OP_nctaid_x, OP_laneid, OP_warpid, OP_lanemask_lt};
    op(g, ids[pick(g, COUNT(ids))], pick(g, DATA_R), NO_VALUE, NO_VALUE, NO_VALUE);
}

/* ---- loads and stores ---- */

/* Where an access may go: `bytes` from an address in a register or of a variable. */
struct target {
    uint8_t space;
    char cls;
    uint8_t reg;
    const char *name;
    uint32_t bytes;
    bool writable;
};

/* An index for an address: a data register, or something regular. */
static inline struct value some_index(struct kernel_gen *g)
{
    static const uint8_t regular[] = {R_TID, R_GID, R_LANE};
    return chance(g, 40) ? R(regular[pick(g, COUNT(regular))]) : some_reg(g, 'R');
}

/* base + a multiple of `align` that keeps `left` bytes before `bytes`. */
static inline void displace64(struct kernel_gen *g, unsigned d, struct value base, uint32_t bytes, uint32_t align)
{
    OP2(g, and_b32, R_TEMP, some_index(g), K(bytes / align - 1));
    if (chance(g, 50)) {
        OP3(g, mad_wide_u32, d, R(R_TEMP), K(align), base);
        return;
    }
    OP2(g, mul_lo_s32, R_TEMP, R(R_TEMP), K(align));
    OP1(g, cvt_u64_u32, d, R(R_TEMP));
    OP2(g, add_s64, d, base, D(d));
}

static inline struct target some_global(struct kernel_gen *g, uint32_t bytes)
{
    switch (pick(g, 6)) {
    case 0:
    case 1:
        displace64(g, D_TEMP, D(D_IN), IN_BYTES, bytes < 4 ? 4 : bytes);
        return (struct target){SPACE_GLOBAL, 'D', D_TEMP, NULL, bytes, false};
    case 2:
        displace64(g, D_TEMP, D(D_OWN), OWN_BYTES, bytes);
        return (struct target){SPACE_GLOBAL, 'D', D_TEMP, NULL, bytes, true};
    case 3: return (struct target){SPACE_GLOBAL, 'D', D_OWN, NULL, OWN_BYTES, true};
    case 4: return (struct target){SPACE_GLOBAL, 0, 0, "gv", VAR_BYTES, false};
    default:
        if (bytes > 8) return (struct target){SPACE_GLOBAL, 'D', D_OWN, NULL, OWN_BYTES, true};
        return (struct target){SPACE_GLOBAL, 'D', bytes > 4 ? D_LONG : D_WORD, NULL, bytes > 4 ? 8 : 4, true};
    }
}

static inline struct target some_shared(struct kernel_gen *g)
{
    if (chance(g, 60)) return (struct target){SPACE_SHARED, 'R', (uint8_t)(R_OWN + g->own), NULL, SLOT_BYTES, true};
    OP2(g, rem_u32, R_TEMP, some_index(g), R(R_THREADS));
    OP3(g, mad_lo_u32, R_TEMP, R(R_TEMP), K(SLOT_BYTES), K((1 - g->own) * REGION_BYTES));
    return (struct target){SPACE_SHARED, 'R', R_TEMP, NULL, SLOT_BYTES, false};
}

static inline struct target some_local(struct kernel_gen *g, uint32_t bytes)
{
    if (chance(g, 40)) return (struct target){SPACE_LOCAL, 0, 0, "loc", LOCAL_BYTES, true};
    displace64(g, D_TEMP, D(D_LOCAL), LOCAL_BYTES, bytes);
    return (struct target){SPACE_LOCAL, 'D', D_TEMP, NULL, bytes, true};
}

static inline struct target some_const(struct kernel_gen *g, uint32_t bytes)
{
    if (chance(g, 40)) return (struct target){SPACE_CONST, 0, 0, "cb", CONST_BYTES, false};
    displace64(g, D_TEMP, D(D_CONST), CONST_BYTES, bytes);
    return (struct target){SPACE_CONST, 'D', D_TEMP, NULL, bytes, false};
}

/* A generic address of 16 bytes or more in D register d; true: they may be written. */
static inline bool generic_address(struct kernel_gen *g, unsigned d)
{
    switch (pick(g, 5)) {
    case 0: OP2(g, add_s64, d, D(D_GENERIC_OWN), KD(16 * pick(g, OWN_BYTES / 16))); return true;
    case 1: OP2(g, add_s64, d, D(D_GENERIC_LOCAL), KD(16 * pick(g, LOCAL_BYTES / 16))); return true;
    case 2: OP2(g, add_s64, d, D(D_GENERIC_CONST), KD(16 * pick(g, CONST_BYTES / 16))); return false;
    case 3: displace64(g, d, D(D_IN), IN_BYTES, 16); return false;
    default:
        OP1(g, cvt_u64_u32, d, R(R_OWN + g->own));
        OP1(g, cvta_shared, d, D(d));
        return true;
    }
}

/* Often one space for all threads, sometimes another for each. */
static inline struct target some_generic(struct kernel_gen *g)
{
    bool writable = generic_address(g, D_TEMP + 1);
    if (chance(g, 40)) {
        writable &= generic_address(g, D_TEMP);
        OP3(g, selp_b64, D_TEMP + 1, D(D_TEMP + 1), D(D_TEMP), some_reg(g, 'P'));
    }
    return (struct target){GENERIC, 'D', D_TEMP + 1, NULL, 16, writable};
}

static inline struct target some_target(struct kernel_gen *g, uint32_t bytes)
{
    switch (pick(g, 12)) {
    case 0:
    case 1:
    case 2:
    case 3: return some_global(g, bytes);
    case 4:
    case 5:
    case 6: return some_shared(g);
    case 7:
    case 8: return some_local(g, bytes);
    case 9: return some_const(g, bytes);
    default: return some_generic(g);
    }
}

static inline const char *some_options(struct kernel_gen *g, const struct target *t, bool store)
{
    static const char *const ld[] = {"", "", ".ca", ".cg", ".cs", ".cv"}, *const st[] = {"",    "",    ".wb",
                                                                                         ".cg", ".cs", ".wt"};
    if (t->space != SPACE_GLOBAL) return "";
    if (!store && !t->writable && chance(g, 20)) return ".nc";
    return (store ? st : ld)[pick(g, 6)];
}

static inline struct stmt *access_to(struct kernel_gen *g, enum stmt_kind kind, const struct target *t, uint32_t bytes)
{
    struct stmt *s = add(g, kind);
    s->space = t->space;
    s->addr_cls = t->cls;
    s->addr = t->reg;
    s->name = t->name;
    s->offset = (int32_t)(bytes * pick(g, t->bytes / bytes));
    s->options = "";
    return s;
}

static inline void gen_access(struct kernel_gen *g)
{
    static const uint8_t vectors[] = {1, 1, 1, 2, 4};
    const struct mem_type *m = &mem_types[pick(g, COUNT(mem_types))];
    unsigned vec = vectors[pick(g, COUNT(vectors))], bytes = vec * m->bytes;
    if (bytes > 16) vec = 16 / m->bytes, bytes = 16;
    struct target t = some_target(g, bytes);
    char cls = m->classes[pick(g, (uint32_t)strlen(m->classes))];
    bool store = t.writable && cls != 'F' && cls != 'G' && chance(g, 50);
    struct stmt *s = access_to(g, store ? ST_STORE : ST_LOAD, &t, bytes);
    s->type = m->name;
    s->bytes = m->bytes;
    s->is_signed = m->is_signed;
    s->vec = (uint8_t)vec;
    s->cls = cls;
    s->options = some_options(g, &t, store);
    unsigned n = data_regs(cls), first = pick(g, n); /* a vector's registers differ */
    for (unsigned i = 0; i < vec; i++) s->data[i] = (uint8_t)((first + i) % n);
    maybe_guard(g, s, 20);
}

/* ---- atomics ---- */

static inline struct stmt *atom(struct kernel_gen *g, const struct target *t, unsigned form, bool wide, bool result,
                                unsigned dst)
{
    struct stmt *s = access_to(g, ST_ATOM, t, wide ? 8 : 4);
    s->sub = (uint8_t)form;
    s->type = wide ? atom_forms[form].type64 : atom_forms[form].type32;
    s->bytes = wide ? 8 : 4;
    s->vec = 1;
    s->cls = wide ? 'D' : 'R';
    s->has_result = result;
    s->is_signed = s->type[0] == 's';
    s->dst = (uint8_t)dst;
    for (unsigned i = 0; i < 2; i++) s->src[i] = some_value(g, s->cls);
    return s;
}

/* On bytes of the thread's own: the value before is known. */
static inline void gen_private_atom(struct kernel_gen *g)
{
    unsigned form = pick(g, ATOM_OPS);
    bool wide = atom_forms[form].type64 && chance(g, 40);
    struct target t = {SPACE_GLOBAL, 'D', D_OWN, NULL, OWN_BYTES, true};
    if (chance(g, 40)) t = (struct target){SPACE_SHARED, 'R', (uint8_t)(R_OWN + g->own), NULL, SLOT_BYTES, true};
    else if (chance(g, 40)) {
        OP1(g, cvt_u64_u32, D_TEMP, R(R_OWN + g->own));
        OP1(g, cvta_shared, D_TEMP, D(D_TEMP));
        if (chance(g, 70)) OP3(g, selp_b64, D_TEMP, D(D_TEMP), D(D_GENERIC_OWN), some_reg(g, 'P'));
        t = (struct target){GENERIC, 'D', D_TEMP, NULL, SLOT_BYTES, true};
    }
    bool result = form >= ATOM_OF_EXCH || chance(g, 70);
    maybe_guard(g, atom(g, &t, form, wide, result, pick(g, wide ? DATA_D : DATA_R)), 20);
}

/* On cells that all threads change: the result, if any, goes where nobody looks. */
static inline void gen_common_atom(struct kernel_gen *g)
{
    unsigned form = pick(g, COMMUTATIVE);
    bool wide = chance(g, 30), shared = chance(g, 50);
    uint32_t cells = shared ? CELLS : SUMS, bytes = wide ? 8 : 4;
    uint32_t start = (wide ? COMMUTATIVE * cells * 4 : 0) + form * cells * bytes;
    OP2(g, and_b32, R_TEMP, some_index(g), K(cells - 1));
    struct target t = {SPACE_SHARED, 'R', R_TEMP, NULL, bytes, true};
    if (shared) {
        OP3(g, mad_lo_u32, R_TEMP, R(R_TEMP), K(bytes), R(R_CELLS));
    } else {
        OP3(g, mad_wide_u32, D_TEMP, R(R_TEMP), K(bytes), D(D_SUMS));
        t = (struct target){SPACE_GLOBAL, 'D', D_TEMP, NULL, bytes, true};
    }
    struct stmt *s = atom(g, &t, form, wide, chance(g, 30), wide ? (unsigned)D_JUNK : (unsigned)R_JUNK);
    s->offset = (int32_t)start;
    maybe_guard(g, s, 20);
}

/* ---- threads together ---- */

static inline void gen_barrier(struct kernel_gen *g, bool plain)
{
    struct stmt *s = add(g, ST_BAR);
    s->sub = (uint8_t)(plain ? BAR_PLAIN : pick(g, BAR_FENCE));
    s->pred = (uint8_t)pick(g, 2); /* the barrier's number */
    s->src[0] = some_reg(g, 'P');
    s->guard_not = s->sub != BAR_PLAIN && chance(g, 30); /* of the predicate that is reduced */
    s->dst = (uint8_t)pick(g, s->sub == BAR_POPC ? DATA_R : DATA_P);
    g->own ^= 1;
}

/* A shuffle reads only from lanes that are there: where the other lane is not, the result becomes 0. */
static inline void gen_shuffle(struct kernel_gen *g, unsigned kind)
{
    static const uint16_t steps[] = {OP_sub_u32, OP_add_s32, OP_xor_b32};
    uint32_t by = pick(g, 32);
    unsigned d = pick(g, DATA_R);
    bool indexed = kind == W_SHFL_IDX && chance(g, 50);
    struct stmt *here = add(g, ST_WARP);
    here->sub = W_ACTIVE;
    here->dst = R_TEMP;
    if (indexed) OP2(g, and_b32, R_TEMP + 1, some_reg(g, 'R'), K(31));
    else OP1(g, mov_b32, R_TEMP + 1, K(by));
    struct stmt *s = add(g, ST_WARP);
    s->sub = (uint8_t)kind;
    s->dst = (uint8_t)d;
    s->dst2 = P_TEMP;
    s->src[0] = some_reg(g, 'R');
    s->src[1] = indexed ? R(R_TEMP + 1) : K(by);
    if (kind != W_SHFL_IDX) op(g, steps[kind - W_SHFL_UP], R_TEMP + 1, R(R_LANE), R(R_TEMP + 1), NO_VALUE);
    OP3(g, selp_b32, R_TEMP + 1, R(R_TEMP + 1), R(R_LANE), P(P_TEMP)); /* out of range: its own value */
    OP2(g, shr_s32, R_TEMP, R(R_TEMP), R(R_TEMP + 1));
    OP2(g, and_b32, R_TEMP, R(R_TEMP), K(1));
    OP2(g, eq_u32, P_TEMP + 1, R(R_TEMP), K(0));
    OP1(g, mov_b32, d, K(0))->guard = P_TEMP + 1;
}

static inline void gen_warp(struct kernel_gen *g)
{
    unsigned kind = pick(g, W_KINDS);
    if (kind <= W_SHFL_IDX) {
        gen_shuffle(g, kind);
        return;
    }
    struct stmt *s = add(g, ST_WARP);
    bool to_pred = kind == W_ALL || kind == W_ANY || kind == W_UNI;
    s->sub = (uint8_t)kind;
    s->dst = (uint8_t)pick(g, to_pred ? DATA_P : DATA_R);
    s->dst2 = (uint8_t)pick(g, DATA_P);
    s->src[0] = some_reg(g, kind <= W_BALLOT ? 'P' : kind == W_MATCH_64 ? 'D' : 'R');
    s->guard_not = kind <= W_BALLOT && chance(g, 30);
}

/* ---- control ---- */

static inline void gen_body(struct kernel_gen *g, unsigned statements);

static inline struct list *open_list(struct kernel_gen *g, struct list *l)
{
    struct list *before = g->to;
    l->first = NULL;
    l->end = &l->first;
    g->to = l;
    return before;
}

/* Out of the kernel. The other threads of the warp meet as if those that leave had never been there. */
static inline void gen_exit(struct kernel_gen *g, bool guarded)
{
    struct stmt *s = add(g, ST_EXIT);
    s->sub = (uint8_t)pick(g, EXIT_WAYS);
    /* Lanes that are all about to leave may meet late when some leave even earlier. */
    if (g->doomed > !guarded) g->irregular = true;
    if (guarded) s->guard = P_TEMP;
}

/* A predicate that holds for few threads. */
static inline void gen_rare(struct kernel_gen *g, unsigned p)
{
    OP2(g, add_s32, R_TEMP, R(chance(g, 50) ? R_TID : R_GID), some_value(g, 'R'));
    OP2(g, and_b32, R_TEMP, R(R_TEMP), K(chance(g, 50) ? 15 : 31));
    OP2(g, eq_u32, p, R(R_TEMP), K(pick(g, 16)));
}

static inline void gen_if(struct kernel_gen *g, bool ends)
{
    unsigned p = pick(g, DATA_P);
    if (ends) gen_rare(g, P_TEMP);
    struct stmt *s = add(g, ST_IF);
    s->pred = (uint8_t)(ends ? (unsigned)P_TEMP : p);
    s->inverted = !ends && chance(g, 40);
    g->depth++, g->apart++, g->ifs++, g->doomed += ends;
    struct list *before = open_list(g, &s->body);
    gen_body(g, 1 + pick(g, 5));
    if (ends) gen_exit(g, false);
    open_list(g, &s->other);
    if (!ends && chance(g, 60)) gen_body(g, 1 + pick(g, 5));
    g->to = before;
    g->depth--, g->apart--, g->ifs--, g->doomed -= ends;
}

/* Instructions that count are the loop's own: see print_loop. */
static inline void gen_loop(struct kernel_gen *g, bool together)
{
    unsigned depth = g->loops;
    struct value trips = K(1 + pick(g, 4));
    bool tested_first = chance(g, 40);
    if (!together && chance(g, 60)) {
        trips = R(R_TRIPS + depth);
        OP2(g, and_b32, R_TRIPS + depth, some_index(g), K(3));
        if (!tested_first) OP2(g, add_s32, R_TRIPS + depth, trips, K(1));
    }
    struct stmt *s = add(g, ST_LOOP);
    s->depth = (uint8_t)depth;
    s->trips = trips;
    s->tested_first = tested_first;
    unsigned ifs = g->ifs, jumps = g->jumps;
    g->loops++, g->depth++, g->apart += !together;
    g->ifs = 0;
    g->jumps = !together;
    struct list *before = open_list(g, &s->body);
    gen_body(g, 2 + pick(g, 6));
    if (together && chance(g, 60)) { /* twice, so that each round begins with the same parts */
        gen_barrier(g, false);
        gen_body(g, 1 + pick(g, 4));
        gen_barrier(g, false);
    }
    g->to = before;
    g->loops--, g->depth--, g->apart -= !together;
    g->ifs = ifs;
    g->jumps = jumps;
}

static inline void gen_jump(struct kernel_gen *g)
{
    bool again = chance(g, 40);
    gen_rare(g, P_TEMP);
    struct stmt *s = add(g, again ? ST_CONTINUE : ST_BREAK);
    s->guard = P_TEMP;
    s->depth = (uint8_t)(g->loops - 1);
    if (again || g->ifs) g->irregular = true;
}

static inline void gen_statement(struct kernel_gen *g)
{
    unsigned n = pick(g, 100);
    if (n < 45) gen_op(g);
    else if (n < 65) gen_access(g);
    else if (n < 68) gen_private_atom(g);
    else if (n < 71) gen_common_atom(g);
    else if (n < 73) gen_carry_chain(g);
    else if (n < 75) gen_bits_of_float(g);
    else if (n < 76) gen_special(g);
    else if (n < 82 && g->depth < 4) gen_if(g, false);
    else if (n < 87 && g->depth < 4 && g->loops < 3) gen_loop(g, !g->apart && chance(g, 50));
    else if (n < 89 && g->loops && g->jumps) gen_jump(g);
    else if (n < 90 && chance(g, 30)) {
        gen_rare(g, P_TEMP);
        gen_exit(g, true);
    } else if (n < 91 && g->depth < 4 && chance(g, 30)) gen_if(g, true);
    else if (n < 93 && !g->depth) gen_barrier(g, false);
    else if (n < 98 && !g->apart) gen_warp(g);
    else gen_op(g);
}

static inline void gen_body(struct kernel_gen *g, unsigned statements)
{
    while (statements-- && g->budget-- > 0) gen_statement(g);
}

/* ---- the frame around the body ---- */

static inline void gen_param(struct kernel_gen *g, const char *name, unsigned d)
{
    struct stmt *s = access_to(g, ST_LOAD, &(struct target){SPACE_PARAM, 0, 0, name, 8, false}, 8);
    s->type = "u64", s->bytes = 8, s->vec = 1, s->cls = 'D', s->data[0] = (uint8_t)d;
}

static inline void gen_transfer(struct kernel_gen *g, enum stmt_kind kind, struct target t, const char *type,
                                uint8_t bytes, char cls, unsigned r, int32_t offset)
{
    struct stmt *s = access_to(g, kind, &t, bytes);
    s->type = type, s->bytes = bytes, s->vec = 1, s->cls = cls, s->data[0] = (uint8_t)r, s->offset = offset;
}

static inline void gen_addresses(struct kernel_gen *g)
{
    OP0(g, tid_z, R_TID);
    OP0(g, ntid_y, R_TEMP);
    OP0(g, tid_y, R_TEMP + 1);
    OP3(g, mad_lo_u32, R_TID, R(R_TID), R(R_TEMP), R(R_TEMP + 1));
    OP0(g, ntid_x, R_THREADS);
    OP0(g, tid_x, R_TEMP + 1);
    OP3(g, mad_lo_u32, R_TID, R(R_TID), R(R_THREADS), R(R_TEMP + 1));
    OP2(g, mul_lo_s32, R_THREADS, R(R_THREADS), R(R_TEMP));
    OP0(g, ntid_z, R_TEMP);
    OP2(g, mul_lo_s32, R_THREADS, R(R_THREADS), R(R_TEMP));
    OP0(g, nctaid_x, R_TEMP);
    OP0(g, ctaid_y, R_GID);
    OP0(g, ctaid_x, R_TEMP + 1);
    OP3(g, mad_lo_u32, R_GID, R(R_GID), R(R_TEMP), R(R_TEMP + 1));
    OP3(g, mad_lo_u32, R_GID, R(R_GID), R(R_THREADS), R(R_TID));
    OP0(g, laneid, R_LANE);
    static const struct {
        const char *name;
        uint8_t reg;
        uint32_t stride;
    } areas[] = {{"in", D_IN, 0},      {"own", D_OWN, OWN_BYTES},    {"word", D_WORD, 4},
                 {"longs", D_LONG, 8}, {"dump", D_DUMP, DUMP_BYTES}, {"sums", D_SUMS, 0}};
    for (unsigned i = 0; i < COUNT(areas); i++) {
        gen_param(g, areas[i].name, areas[i].reg);
        if (areas[i].stride) OP3(g, mad_wide_u32, areas[i].reg, R(R_GID), K(areas[i].stride), D(areas[i].reg));
    }
    OP0(g, shared_base, R_OWN);
    OP2(g, add_s32, R_CELLS, R(R_OWN), K(2 * REGION_BYTES));
    OP3(g, mad_lo_u32, R_OWN, R(R_TID), K(SLOT_BYTES), R(R_OWN));
    OP2(g, add_s32, R_OWN + 1, R(R_OWN), K(REGION_BYTES));
    OP0(g, local_base, D_LOCAL);
    OP0(g, const_base, D_CONST);
    OP1(g, cvta_global, D_GENERIC_OWN, D(D_OWN));
    OP1(g, cvta_local, D_GENERIC_LOCAL, D(D_LOCAL));
    OP1(g, cvta_const, D_GENERIC_CONST, D(D_CONST));
}

/* Every register and every byte a thread may read gets a value. */
static inline void gen_begin(struct kernel_gen *g)
{
    static const struct target in = {SPACE_GLOBAL, 'D', D_TEMP, NULL, 256, false},
                               local = {SPACE_LOCAL, 0, 0, "loc", LOCAL_BYTES, true};
    gen_addresses(g);
    OP2(g, and_b32, R_TEMP, R(R_GID), K(127));
    OP3(g, mad_wide_u32, D_TEMP, R(R_TEMP), K(24), D(D_IN)); /* 127 * 24 + 256 < IN_BYTES */
    for (unsigned i = 0; i < DATA_R; i++) gen_transfer(g, ST_LOAD, in, "u32", 4, 'R', i, (int32_t)(4 * i));
    for (unsigned i = 0; i < DATA_D; i++) gen_transfer(g, ST_LOAD, in, "u64", 8, 'D', i, (int32_t)(32 + 8 * i));
    for (unsigned i = 0; i < DATA_H; i++) gen_transfer(g, ST_LOAD, in, "u16", 2, 'H', i, (int32_t)(80 + 2 * i));
    for (unsigned i = 0; i < DATA_F; i++) gen_transfer(g, ST_LOAD, in, "f32", 4, 'F', i, (int32_t)(88 + 4 * i));
    for (unsigned i = 0; i < DATA_G; i++) gen_transfer(g, ST_LOAD, in, "f64", 8, 'G', i, (int32_t)(112 + 8 * i));
    for (unsigned i = 0; i < DATA_P; i++) OP2(g, lt_s32, i, R(i), R((i + 1) % DATA_R));
    for (unsigned i = 0; i < LOCAL_BYTES / 8; i++)
        gen_transfer(g, ST_STORE, local, "u64", 8, 'D', i % DATA_D, (int32_t)(8 * i));
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < 2; i++)
            gen_transfer(g, ST_STORE, (struct target){SPACE_SHARED, 'R', (uint8_t)(R_OWN + k), NULL, SLOT_BYTES, true},
                         "u64", 8, 'D', k + i, (int32_t)(8 * i));
    gen_barrier(g, true);
}

/* The registers and the shared cells go to memory. */
static inline void gen_end(struct kernel_gen *g)
{
    static const struct target dump = {SPACE_GLOBAL, 'D', D_DUMP, NULL, DUMP_BYTES, true};
    for (unsigned i = 0; i < DATA_R; i++) gen_transfer(g, ST_STORE, dump, "u32", 4, 'R', i, (int32_t)(DUMP_R + 4 * i));
    for (unsigned i = 0; i < DATA_D; i++) gen_transfer(g, ST_STORE, dump, "u64", 8, 'D', i, (int32_t)(DUMP_D + 8 * i));
    for (unsigned i = 0; i < DATA_G; i++) gen_transfer(g, ST_STORE, dump, "f64", 8, 'G', i, (int32_t)(DUMP_G + 8 * i));
    for (unsigned i = 0; i < DATA_F; i++) gen_transfer(g, ST_STORE, dump, "f32", 4, 'F', i, (int32_t)(DUMP_F + 4 * i));
    for (unsigned i = 0; i < DATA_H; i++) gen_transfer(g, ST_STORE, dump, "u16", 2, 'H', i, (int32_t)(DUMP_H + 2 * i));
    OP1(g, mov_b32, R_TEMP, K(0));
    for (unsigned i = 0; i < DATA_P; i++) OP2(g, or_b32, R_TEMP, R(R_TEMP), K(1u << i))->guard = (int8_t)i;
    gen_transfer(g, ST_STORE, dump, "u32", 4, 'R', R_TEMP, DUMP_P);
    gen_barrier(g, true);
    OP2(g, rem_u32, R_TEMP, R(R_TID), K(COMMUTATIVE * CELLS));
    OP3(g, mad_lo_u32, R_TEMP + 1, R(R_TEMP), K(4), R(R_CELLS));
    OP3(g, mad_lo_u32, R_TEMP + 2, R(R_TEMP), K(8), R(R_CELLS));
    const struct target narrow = {SPACE_SHARED, 'R', R_TEMP + 1, NULL, 4, false},
                        wide = {SPACE_SHARED, 'R', R_TEMP + 2, NULL, 8, false};
    gen_transfer(g, ST_LOAD, narrow, "u32", 4, 'R', R_TEMP, 0);
    gen_transfer(g, ST_LOAD, wide, "u64", 8, 'D', D_TEMP, COMMUTATIVE * CELLS * 4);
    gen_transfer(g, ST_STORE, dump, "u32", 4, 'R', R_TEMP, DUMP_CELLS);
    gen_transfer(g, ST_STORE, dump, "u32", 4, 'R', R_TEMP, DUMP_CELLS + 4);
    gen_transfer(g, ST_STORE, dump, "u64", 8, 'D', D_TEMP, DUMP_CELLS + 8);
    g->last = (struct stmt){.kind = ST_EXIT, .sub = OUT_BY_RET, .guard = -1};
}

static inline void generate(struct kernel_gen *g, uint64_t seed)
{
    g->seed = seed;
    g->nstmt = 0;
    g->own = g->loops = g->depth = g->apart = g->ifs = g->jumps = g->doomed = 0;
    g->irregular = false;
    g->budget = 20 + (int)pick(g, 60);
    for (unsigned i = 0; i < COUNT(g->consts); i++) g->consts[i] = (uint32_t)odd_number(&g->seed);
    for (unsigned i = 0; i < COUNT(g->var); i++) g->var[i] = (uint32_t)odd_number(&g->seed);
    open_list(g, &g->program);
    gen_begin(g);
    while (g->budget > 0) gen_body(g, 10);
    gen_end(g);
}

#undef R
#undef D
#undef P
#undef K
#undef KD

#endif
