/* parse_matrix.c - words and operands of matrix instructions. */
#include "ptx/matrix.h"
#include "ptx/parse_words.h"

static struct ptx_matrix *new_matrix(struct words *s, struct ptx_inst *in, enum matrix_kind kind)
{
    struct ptx_matrix *x = ARENA_NEW(&s->p->m->arena, struct ptx_matrix);
    if (!x) {
        fail_memory(s->p);
        return NULL;
    }
    *x = (struct ptx_matrix){.kind = (uint8_t)kind, .rnd = RND_RN, .scale_a = 1, .scale_b = 1};
    in->matrix = x;
    word_is(s, "sync");
    word_is(s, "aligned");
    return x;
}

static void need_shape(struct words *s, struct ptx_matrix *x)
{
    if (!word_shape(s, &x->m, &x->n, &x->k))
        fail_at(s->p, &s->op, "%.*s needs a shape such as .m16n8k16", (int)s->op.len, s->op.s);
}

static void read_layouts(struct words *s, struct ptx_matrix *x)
{
    for (unsigned part = PART_A; part <= PART_B; part++) {
        unsigned which;
        static const char *const text[] = {"row", "col"};
        /* the first word of the two that is left is A's: they stand in this order */
        unsigned row = MAX_WORDS, col = MAX_WORDS;
        for (unsigned i = 0; i < s->count; i++) {
            if (s->used >> i & 1) continue;
            if (row == MAX_WORDS && token_is(&s->word[i], ".row")) row = i;
            if (col == MAX_WORDS && token_is(&s->word[i], ".col")) col = i;
        }
        if (row == MAX_WORDS && col == MAX_WORDS) return;
        which = col < row;
        word_is(s, text[which]);
        x->col[part] = which;
    }
}

static void read_types(struct words *s, struct ptx_matrix *x)
{
    static const uint8_t order[] = {PART_D, PART_A, PART_B, PART_C};
    enum ptx_type t[4];
    unsigned n = 0;
    while (n < 4 && (t[n] = word_type(s)) != T_NONE) n++;
    if (n == 2) { /* wmma.mma of f16 names D and C only */
        x->type[PART_A] = x->type[PART_B] = T_F16;
        x->type[PART_D] = (uint8_t)t[0];
        x->type[PART_C] = (uint8_t)t[1];
    } else if (n == 3) { /* wgmma: C is D */
        x->type[PART_D] = x->type[PART_C] = (uint8_t)t[0];
        x->type[PART_A] = (uint8_t)t[1];
        x->type[PART_B] = (uint8_t)t[2];
    } else {
        for (unsigned i = 0; i < n; i++) x->type[order[i]] = (uint8_t)t[i];
        if (n < 4) fail_at(s->p, &s->op, "%.*s needs the types of D, A, B and C", (int)s->op.len, s->op.s);
    }
}

static void read_rounding(struct words *s, struct ptx_matrix *x)
{
    static const char *const text[] = {"rn", "rz", "rm", "rp"};
    unsigned which;
    if (word_one_of(s, text, 4, &which)) x->rnd = (uint8_t)(RND_RN + which);
    x->satfinite = word_is(s, "satfinite");
    if (word_is(s, "xor")) x->bits = BITS_XOR;
    if (word_is(s, "and")) x->bits = BITS_AND;
    word_is(s, "popc");
}

static void check(struct words *s, const struct ptx_matrix *x)
{
    const char *why = s->p->failed ? NULL : matrix_check(x);
    if (why) fail_at(s->p, &s->op, "%.*s: %s", (int)s->op.len, s->op.s, why);
}

static enum ptx_type reg_type(const struct ptx_matrix *x, enum matrix_part part)
{
    return x->type[part] == T_F64 ? T_F64 : T_B32;
}

static void part_operand(struct words *s, struct ptx_inst *in, enum matrix_part part)
{
    own_vector(s->p, in, reg_type(in->matrix, part), matrix_regs(in->matrix, part), part == PART_D);
}

/* D = A x B + C, as mma and wmma.mma write it: shape, layouts, types, then the four operands. */
static void read_product(struct words *s, struct ptx_inst *in, struct ptx_matrix *x)
{
    need_shape(s, x);
    read_layouts(s, x);
    read_rounding(s, x);
    read_types(s, x);
    check(s, x);
    if (s->p->failed) return;
    part_operand(s, in, PART_D);
    part_operand(s, in, PART_A);
    part_operand(s, in, PART_B);
    part_operand(s, in, PART_C);
}

void parse_mma(struct words *s, struct ptx_inst *in)
{
    struct ptx_matrix *x = new_matrix(s, in, MAT_MMA);
    if (!x) return;
    x->sparse = word_is(s, "sp") || word_is(s, "sp::ordered_metadata");
    read_product(s, in, x);
    if (s->p->failed) return;
    if (!x->sparse) return;
    own_source(s->p, in, T_B32);
    own_source(s->p, in, T_B32);
}

static void parse_wmma_move(struct words *s, struct ptx_inst *in, struct ptx_matrix *x, bool store)
{
    static const char *const parts[] = {"a", "b", "c", "d"};
    unsigned part;
    x->kind = store ? MAT_WMMA_STORE : MAT_WMMA_LOAD;
    if (!word_one_of(s, parts, 4, &part)) fail_at(s->p, &s->op, "write wmma.load.a, .b or .c, or wmma.store.d");
    need_shape(s, x);
    x->part = (uint8_t)part;
    x->col[part] = word_is(s, "col");
    if (!x->col[part]) word_is(s, "row");
    uint8_t space = word_space(s, PTX_SPACE_NONE);
    enum ptx_type t = word_type(s);
    for (unsigned i = 0; i < PARTS; i++) x->type[i] = (uint8_t)t;
    if (part >= PART_C) /* a shape of these is one of A and B with some type */
        x->type[PART_A] = x->type[PART_B] = t == T_F64    ? T_F64
                                            : x->k == 8   ? T_TF32
                                            : x->k == 32  ? T_S4
                                            : x->k == 128 ? T_B1
                                                          : T_F16;
    check(s, x);
    if (s->p->failed) return;
    in->kind = store ? INST_STORE : INST_LOAD;
    if (!store) own_vector(s->p, in, reg_type(x, x->part), matrix_regs(x, x->part), true);
    own_address(s->p, in, space);
    in->space = in->src[0].space;
    if (store) own_vector(s->p, in, reg_type(x, x->part), matrix_regs(x, x->part), false);
    if (own_more(s->p)) own_source(s->p, in, T_U32);
    in->width = (uint8_t)(matrix_rows(x, x->part) * matrix_cols(x, x->part) * matrix_type_bits(t) / 8 / WARP_SIZE);
}

void parse_wmma(struct words *s, struct ptx_inst *in)
{
    bool load = word_is(s, "load"), store = !load && word_is(s, "store");
    struct ptx_matrix *x = new_matrix(s, in, MAT_WMMA_MMA);
    if (!x) return;
    if (load || store) {
        parse_wmma_move(s, in, x, store);
        return;
    }
    if (!word_is(s, "mma")) fail_at(s->p, &s->op, "write wmma.load, wmma.mma or wmma.store");
    in->kind = INST_ALU;
    read_product(s, in, x);
}

/* ---- wgmma ---- */

static int small_constant(struct words *s, int least)
{
    expect(s->p, ',', "before the next operand");
    struct token t = s->p->tok;
    struct constant c = parse_constant(s->p);
    int v = (int)(int64_t)c.bits;
    if (c.is_float || (v != 1 && v != least)) fail_at(s->p, &t, "%d or 1 is needed here", least);
    return v;
}

static void wgmma_operands(struct words *s, struct ptx_inst *in, struct ptx_matrix *x)
{
    struct ptx_parser *p = s->p;
    bool floats = x->type[PART_D] != T_S32, halves = matrix_type_bits(x->type[PART_A]) == 16;
    own_vector(p, in, T_B32, matrix_regs(x, PART_D), true);
    own_comma(p, in);
    x->a_in_regs = at_punct(p, '{');
    struct ptx_operand *a = &in->src[in->nsrc++];
    if (x->a_in_regs) parse_vector(p, a, T_B32, WIDTH_EXACT, false);
    else parse_source(p, a, T_B64, WIDTH_EXACT);
    if (x->a_in_regs && !p->failed && a->nvec != matrix_regs(x, PART_A))
        fail_at(p, &s->op, "A needs %u registers", matrix_regs(x, PART_A));
    own_source(p, in, T_B64);
    if (x->sparse) {
        own_source(p, in, T_B32);
        own_source(p, in, T_B32);
    }
    own_source(p, in, T_PRED);
    if (floats && own_more(p)) {
        x->scale_a = (int8_t)small_constant(s, -1);
        x->scale_b = (int8_t)small_constant(s, -1);
        if (halves && !x->a_in_regs && own_more(p)) x->col[PART_A] = small_constant(s, 0);
        if (halves && own_more(p)) x->col[PART_B] = small_constant(s, 0);
    }
    /* what it adds to is what it writes */
    if (p->failed) return;
    in->src[in->nsrc++] = in->dst[0];
}

void parse_wgmma(struct words *s, struct ptx_inst *in)
{
    struct ptx_matrix *x = new_matrix(s, in, MAT_WGMMA);
    if (!x) return;
    bool fence = word_is(s, "fence");
    if (fence || word_is(s, "commit_group")) {
        x->kind = MAT_WGMMA_ORDER;
        in->kind = fence ? INST_NOP : INST_COMMIT;
        return;
    }
    if (word_is(s, "wait_group")) {
        x->kind = MAT_WGMMA_ORDER;
        in->kind = INST_NOP;
        own_source(s->p, in, T_U32);
        return;
    }
    if (!word_is(s, "mma_async")) fail_at(s->p, &s->op, "write wgmma.mma_async, .fence, .commit_group or .wait_group");
    x->sparse = word_is(s, "sp");
    in->kind = INST_ALU;
    in->space = PTX_SHARED;
    need_shape(s, x);
    read_rounding(s, x);
    read_types(s, x);
    check(s, x);
    if (!s->p->failed) wgmma_operands(s, in, x);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

void parse_ldmatrix(struct words *s, struct ptx_inst *in)
{
    static const char *const counts[] = {"x1", "x2", "x4"};
    bool store = in->op == OP_STMATRIX;
    struct ptx_matrix *x = new_matrix(s, in, store ? MAT_STMATRIX : MAT_LDMATRIX);
    unsigned which;
    if (!x) return;
    need_shape(s, x);
    if (!s->p->failed && (x->m != 8 || x->n != 8 || x->k)) fail_at(s->p, &s->op, "only .m8n8 is supported");
    if (!word_one_of(s, counts, 3, &which))
        fail_at(s->p, &s->op, "%.*s needs .x1, .x2 or .x4", (int)s->op.len, s->op.s);
    x->count = (uint8_t)(1u << which);
    x->trans = word_is(s, "trans");
    uint8_t space = word_space(s, PTX_SPACE_NONE);
    if (word_type(s) != T_B16) fail_at(s->p, &s->op, "only .b16 is supported");
    in->kind = store ? INST_STORE : INST_LOAD;
    in->width = 16;
    if (!store) own_vector(s->p, in, T_B32, x->count, true);
    own_address(s->p, in, space);
    in->space = in->src[0].space;
    if (store) own_vector(s->p, in, T_B32, x->count, false);
}

void parse_movmatrix(struct words *s, struct ptx_inst *in)
{
    struct ptx_matrix *x = new_matrix(s, in, MAT_MOVMATRIX);
    if (!x) return;
    need_shape(s, x);
    if (!word_is(s, "trans") || word_type(s) != T_B16 || x->m != 8 || x->n != 8)
        fail_at(s->p, &s->op, "write movmatrix.sync.aligned.m8n8.trans.b16");
    in->kind = INST_ALU;
    own_dest(s->p, in, T_B32);
    own_source(s->p, in, T_B32);
}
