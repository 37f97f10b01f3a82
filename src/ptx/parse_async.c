/* parse_async.c - words and operands of asynchronous copies, mbarriers and small instructions of newer machines. */
#include "ptx/async.h"
#include "ptx/bulk.h"
#include "ptx/parse_words.h"

/* ---- cp.async ---- */

static void parse_cp_async(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    bool ca = word_is(s, "ca"), cg = !ca && word_is(s, "cg");
    if (!ca && !cg) fail_at(p, &s->op, "cp.async needs .ca or .cg");
    in->cop = cg ? CACHE_CG : CACHE_CA;
    word_space(s, PTX_SHARED);
    word_space(s, PTX_GLOBAL);
    words_hints(s, in);
    in->mode = CP_ASYNC;
    in->kind = INST_LOAD;
    in->space = PTX_GLOBAL;
    own_address(p, in, PTX_SHARED);
    own_address(p, in, PTX_GLOBAL);
    struct token t = p->tok;
    own_source(p, in, T_U32);
    const struct ptx_operand *size = &in->src[2];
    if (!p->failed && (size->kind != OPND_IMM || (size->imm != 4 && size->imm != 8 && size->imm != 16)))
        fail_at(p, &t, "cp.async copies 4, 8 or 16 bytes");
    if (!p->failed && cg && size->imm != 16) fail_at(p, &t, "cp.async.cg copies 16 bytes");
    in->width = (uint8_t)size->imm;
    if (!own_more(p)) return;
    struct token next = p->tok;
    advance(p);
    next = p->tok;
    uint8_t type = T_NONE;
    bool predicate =
        at_punct(p, '!') || (next.kind == TOK_NAME && name_register(p, &next, &type) >= 0 && type == T_PRED);
    bool policy = type == T_B64 || type == T_U64 || type == T_S64;
    struct ptx_operand *o = &in->src[in->nsrc++];
    parse_source(p, o, policy ? T_B64 : predicate ? T_PRED : T_U32, WIDTH_EXACT);
    in->cmp = policy ? CP_PLAIN : predicate ? CP_IGNORE_SOURCE : CP_SOURCE_SIZE;
    if (!policy) own_policy(p, in);
}

/* ---- bulk copies ---- */

static const char *const reductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

static void read_reduction(struct words *s, struct ptx_inst *in)
{
    unsigned which;
    if (!word_one_of(s, reductions, 8, &which)) fail_at(s->p, &s->op, "cp.reduce needs an operation such as .add");
    word_is(s, "noftz");
    in->cmp = (uint8_t)(which + 1);
}

/* What the timing half sees of a copy between global and shared memory; it bypasses the L1D. */
static void bulk_kind(struct ptx_inst *in, bool to_global, bool from_global)
{
    if (!to_global && !from_global) return; /* between CTAs of a cluster */
    in->kind = from_global ? INST_LOAD : in->cmp ? INST_ATOMIC : INST_STORE;
    in->space = PTX_GLOBAL;
    in->width = BULK_CHUNK;
    in->cop = CACHE_CG;
}

static void bulk_words(struct words *s, struct ptx_inst *in)
{
    if (word_begins(s, "mbarrier::complete_tx::bytes")) in->boolop = 1;
    else word_is(s, "bulk_group");
    if (word_is(s, "multicast::cluster")) in->flags |= FLAG_MULTICAST;
    words_hints(s, in);
}

static void parse_bulk(struct words *s, struct ptx_inst *in, bool reduce)
{
    struct ptx_parser *p = s->p;
    uint8_t to = word_space(s, PTX_SHARED), from = word_space(s, PTX_GLOBAL);
    if (reduce) {
        read_reduction(s, in);
        in->type2 = (uint8_t)word_type(s);
    }
    bulk_words(s, in);
    if (word_is(s, "cp_mask")) fail_at(p, &s->op, ".cp_mask is not supported");
    in->mode = CP_BULK;
    bulk_kind(in, to == PTX_GLOBAL, from == PTX_GLOBAL);
    own_address(p, in, to);
    own_address(p, in, from);
    own_source(p, in, T_U32);
    if (in->boolop) own_address(p, in, PTX_SHARED);
    if (in->flags & FLAG_MULTICAST) own_source(p, in, T_B16);
    own_policy(p, in);
}

/* [map, {coordinates}]: two sources. */
static void tensor_operand(struct ptx_parser *p, struct ptx_inst *in, unsigned dims)
{
    own_comma(p, in);
    expect(p, '[', "to begin a tensor operand");
    struct ptx_operand *map = &in->src[in->nsrc++], *at = &in->src[in->nsrc++];
    parse_symbol_source(p, map, T_B64);
    expect(p, ',', "before the coordinates");
    struct token t = p->tok;
    parse_vector(p, at, T_S32, WIDTH_EXACT, false);
    if (!p->failed && at->nvec != dims) fail_at(p, &t, "a %ud tensor needs %u coordinates", dims, dims);
    expect(p, ']', "to end a tensor operand");
}

/* Tiles, or im2col; whether offsets follow. */
static bool read_tensor_way(struct words *s, struct ptx_inst *in, unsigned dims)
{
    bool offsets = word_is(s, "im2col"), im2col = offsets || word_is(s, "im2col_no_offs");
    word_is(s, "tile");
    if (word_begins(s, "im2col") || word_begins(s, "tile::"))
        fail_at(s->p, &s->op, "only .tile and .im2col are supported of the ways to read a tensor");
    if (im2col && dims < 3) fail_at(s->p, &s->op, "im2col needs a tensor of three to five dimensions");
    if (im2col) in->flags |= FLAG_IM2COL;
    return offsets;
}

/* How far from the places of im2col the pixels lie: one number per dimension but the first and the last. */
static void tensor_offsets(struct ptx_parser *p, struct ptx_inst *in, unsigned count)
{
    own_comma(p, in);
    struct token t = p->tok;
    if (p->failed) return;
    struct ptx_operand *o = &in->src[in->nsrc++];
    parse_vector(p, o, T_U16, WIDTH_EXACT, false);
    if (!p->failed && o->nvec != count) fail_at(p, &t, "%u offset%s needed", count, count > 1 ? "s are" : " is");
}

static void parse_tensor(struct words *s, struct ptx_inst *in, bool reduce)
{
    static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d"};
    struct ptx_parser *p = s->p;
    unsigned d;
    if (!word_one_of(s, dims, 5, &d)) fail_at(p, &s->op, "a tensor copy needs .1d to .5d");
    uint8_t to = word_space(s, PTX_SHARED);
    word_space(s, PTX_GLOBAL);
    if (reduce) read_reduction(s, in);
    bool offsets = read_tensor_way(s, in, d + 1);
    bulk_words(s, in);
    in->mode = to == PTX_GLOBAL ? CP_TENSOR_STORE : CP_TENSOR_LOAD;
    bulk_kind(in, to == PTX_GLOBAL, to != PTX_GLOBAL);
    if (in->mode == CP_TENSOR_LOAD) own_address(p, in, PTX_SHARED);
    if (!p->failed) tensor_operand(p, in, d + 1);
    own_address(p, in, PTX_SHARED);
    if (offsets) tensor_offsets(p, in, d - 1);
    if (in->flags & FLAG_MULTICAST) own_source(p, in, T_B16);
    own_policy(p, in);
}

static void parse_cp_prefetch(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    bool tensor = word_is(s, "tensor");
    static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d"};
    unsigned d = 0;
    in->mode = CP_PREFETCH;
    bulk_kind(in, false, true);
    if (tensor) word_one_of(s, dims, 5, &d);
    word_is(s, "L2");
    bool offsets = tensor && read_tensor_way(s, in, d + 1);
    words_hints(s, in);
    word_space(s, PTX_GLOBAL);
    if (tensor) {
        tensor_operand(p, in, d + 1);
        if (offsets) tensor_offsets(p, in, d - 1);
    } else {
        own_address(p, in, PTX_GLOBAL);
        own_source(p, in, T_U32);
    }
    own_policy(p, in);
}

static void parse_cp_wait(struct words *s, struct ptx_inst *in, bool bulk)
{
    struct token t = s->p->tok;
    word_is(s, "read");
    in->mode = CP_WAIT;
    in->kind = bulk ? INST_NOP : INST_WAIT;
    own_source(s->p, in, T_U32);
    if (s->p->failed) return;
    if (in->src[0].kind != OPND_IMM) fail_at(s->p, &t, "the number of groups must be a constant");
    in->width = (uint8_t)(in->src[0].imm < WAIT_ALL ? in->src[0].imm : WAIT_ALL - 1);
}

void parse_cp(struct words *s, struct ptx_inst *in)
{
    bool reduce = word_is(s, "reduce");
    if (!word_is(s, "async")) fail_at(s->p, &s->op, "write cp.async");
    bool bulk = word_is(s, "bulk");
    in->kind = INST_NOP;
    if (word_is(s, "commit_group")) {
        in->mode = CP_COMMIT;
        in->kind = bulk ? INST_NOP : INST_COMMIT;
    } else if (word_is(s, "wait_group")) {
        parse_cp_wait(s, in, bulk);
    } else if (word_is(s, "wait_all")) {
        in->mode = CP_WAIT;
        in->kind = INST_WAIT;
        in->width = WAIT_ALL;
    } else if (word_is(s, "mbarrier")) {
        in->mode = CP_ARRIVE;
        if (!word_is(s, "arrive")) fail_at(s->p, &s->op, "write cp.async.mbarrier.arrive");
        in->boolop = word_is(s, "noinc");
        uint8_t space = word_space(s, PTX_SPACE_NONE);
        word_type(s);
        own_address(s->p, in, space);
        in->space = in->src[0].space;
        in->kind = in->space == PTX_SHARED ? INST_ATOMIC : INST_NOP;
        in->width = 8;
    } else if (bulk && word_is(s, "prefetch")) {
        parse_cp_prefetch(s, in);
    } else if (bulk && word_is(s, "tensor")) {
        parse_tensor(s, in, reduce);
    } else if (bulk) {
        parse_bulk(s, in, reduce);
    } else {
        parse_cp_async(s, in);
    }
}

/* ---- mbarrier ---- */

static void mbarrier_arrive(struct words *s, struct ptx_inst *in, uint8_t space)
{
    struct ptx_parser *p = s->p;
    bool result = !at_punct(p, '[');
    in->kind = INST_ATOMIC;
    in->width = 8;
    if (result) own_dest(p, in, T_B64);
    own_address(p, in, space);
    if (own_more(p)) own_source(p, in, T_U32);
    else if (in->boolop) fail_at(p, &p->tok, ".expect_tx needs a number of bytes");
}

static void mbarrier_wait(struct words *s, struct ptx_inst *in, uint8_t space)
{
    struct ptx_parser *p = s->p;
    in->mode = MBAR_WAIT;
    in->boolop = word_is(s, "parity");
    in->kind = INST_LOAD;
    in->width = 8;
    own_dest(p, in, T_PRED);
    own_address(p, in, space);
    own_source(p, in, in->boolop ? T_U32 : T_B64);
    if (own_more(p)) own_source(p, in, T_U32); /* how long to sleep at most */
}

void parse_mbarrier(struct words *s, struct ptx_inst *in)
{
    static const char *const text[] = {"init",        "inval",     "expect_tx", "complete_tx",  "arrive",
                                       "arrive_drop", "test_wait", "try_wait",  "pending_count"};
    static const uint8_t mode[] = {MBAR_INIT, MBAR_INVAL, MBAR_EXPECT_TX, MBAR_COMPLETE_TX, MBAR_ARRIVE,
                                   MBAR_DROP, MBAR_WAIT,  MBAR_WAIT,      MBAR_PENDING};
    struct ptx_parser *p = s->p;
    unsigned which;
    bool arrives = word_is(s, "arrive"), drops = !arrives && word_is(s, "arrive_drop");
    if (arrives || drops) which = drops ? 5 : 4;
    else if (!word_one_of(s, text, 9, &which))
        fail_at(p, &s->op, "write mbarrier.init, .arrive, .try_wait or the like");
    in->mode = mode[which];
    words_scopes(s);
    uint8_t space = word_space(s, PTX_SPACE_NONE);
    word_type(s);
    if (p->failed) return;
    switch (in->mode) {
    case MBAR_ARRIVE:
    case MBAR_DROP:
        in->boolop = word_is(s, "expect_tx");
        word_is(s, "noComplete");
        mbarrier_arrive(s, in, space);
        break;
    case MBAR_WAIT: mbarrier_wait(s, in, space); break;
    case MBAR_PENDING:
        in->kind = INST_ALU;
        own_dest(p, in, T_U32);
        own_source(p, in, T_B64);
        return;
    default:
        in->kind = in->mode == MBAR_INIT || in->mode == MBAR_INVAL ? INST_STORE : INST_ATOMIC;
        in->width = 8;
        own_address(p, in, space);
        if (in->mode != MBAR_INVAL) own_source(p, in, T_U32);
        break;
    }
    if (!p->failed) in->space = in->src[0].space;
}

/* ---- small ones ---- */

static void parse_elect(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    if (word_is(s, "sync")) in->flags |= FLAG_SYNC;
    in->kind = INST_ALU;
    own_dest(p, in, T_B32);
    expect(p, '|', "before the predicate");
    if (!p->failed) parse_dest(p, &in->dst[in->ndst++], T_PRED, WIDTH_EXACT);
    own_source(p, in, T_U32);
}

static void parse_createpolicy(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    bool range = word_is(s, "range"), convert = !range && word_is(s, "cvt");
    if (!range && !convert && !word_is(s, "fractional"))
        fail_at(p, &s->op, "createpolicy needs .fractional, .range or .cvt");
    word_is(s, "L2");
    word_begins(s, "L2::");
    uint8_t space = word_space(s, PTX_GLOBAL);
    word_type(s);
    in->kind = INST_ALU;
    own_dest(p, in, T_B64);
    if (range) {
        own_address(p, in, space);
        own_source(p, in, T_U32);
        own_source(p, in, T_U32);
    } else if (convert) {
        own_source(p, in, T_B64);
    } else if (own_more(p)) {
        own_source(p, in, T_F32);
    }
}

static void parse_fence(struct words *s, struct ptx_inst *in)
{
    static const char *const text[] = {"proxy", "alias", "async", "async.global", "mbarrier_init", "generic"};
    in->kind = INST_MEMBAR;
    words_scopes(s);
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) word_is(s, text[i]);
    word_begins(s, "async::");
    word_begins(s, "tensormap::");
    word_begins(s, "sync_restrict::");
    while (word_space(s, PTX_SPACE_NONE)) continue;
    if (!at_punct(s->p, '[')) return;
    own_address(s->p, in, PTX_SPACE_NONE);
    own_source(s->p, in, T_U32);
}

/* Stores, or joins, and tells an mbarrier: [a], b, [mbar]. */
static void parse_st_async(struct words *s, struct ptx_inst *in)
{
    static const char *const vectors[] = {"v2", "v4"};
    struct ptx_parser *p = s->p;
    unsigned which;
    word_is(s, "async");
    words_scopes(s);
    if (in->op == OP_RED_ASYNC) read_reduction(s, in);
    word_is(s, "mbarrier::complete_tx::bytes");
    uint8_t space = word_space(s, PTX_SHARED);
    in->vec = (uint8_t)(word_one_of(s, vectors, 2, &which) ? 2u << which : 1u);
    in->type = (uint8_t)word_type(s);
    unsigned bytes = ptx_type_bytes((enum ptx_type)in->type);
    if (bytes != 4 && bytes != 8) fail_at(p, &s->op, "%.*s needs a type of 32 or 64 bits", (int)s->op.len, s->op.s);
    in->kind = in->op == OP_RED_ASYNC ? INST_ATOMIC : INST_STORE;
    in->space = space;
    in->width = (uint8_t)(bytes * in->vec);
    own_address(p, in, space);
    own_vector(p, in, (enum ptx_type)in->type, in->vec, false);
    own_address(p, in, space);
}

/* To the timing half an access to an mbarrier (cluster.c). */
static void parse_cluster_barrier(struct words *s, struct ptx_inst *in)
{
    word_is(s, "cluster");
    bool arrive = word_is(s, "arrive");
    if (!arrive && !word_is(s, "wait")) fail_at(s->p, &s->op, "write barrier.cluster.arrive or barrier.cluster.wait");
    words_scopes(s);
    in->mode = !arrive;
    in->kind = arrive ? INST_ATOMIC : INST_LOAD;
    in->space = PTX_SHARED;
    in->width = 8;
    word_is(s, "aligned");
}

/* mapa{.space}.type d, a, rank: a may be a variable. getctarank{.space}.type d, a. */
static void parse_rank(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    in->space = word_space(s, PTX_SPACE_NONE);
    in->type = (uint8_t)word_type(s);
    in->kind = INST_ALU;
    if (in->type != T_U32 && in->type != T_U64) fail_at(p, &s->op, "%.*s needs .u32 or .u64", (int)s->op.len, s->op.s);
    own_dest(p, in, in->op == OP_MAPA ? in->type : T_U32);
    own_comma(p, in);
    parse_symbol_source(p, &in->src[in->nsrc++], in->type);
    if (in->op == OP_MAPA) own_source(p, in, T_U32);
}

/* ---- surfaces, and questions about textures ---- */

static void image_operand(struct words *s, struct ptx_inst *in, unsigned coordinates)
{
    struct ptx_parser *p = s->p;
    own_comma(p, in);
    expect(p, '[', "to begin the surface operand");
    parse_symbol_source(p, &in->src[in->nsrc++], T_B64);
    if (coordinates) {
        expect(p, ',', "before the coordinates");
        struct token t = p->tok;
        struct ptx_operand *c = &in->src[in->nsrc++];
        if (at_punct(p, '{')) parse_vector(p, c, T_S32, WIDTH_EXACT, false);
        else parse_source(p, c, T_S32, WIDTH_EXACT);
        if (!p->failed && (c->kind == OPND_VEC ? c->nvec : 1u) < coordinates)
            fail_at(p, &t, "this surface needs %u coordinates", coordinates);
    }
    expect(p, ']', "to end the surface operand");
}

static void parse_image(struct words *s, struct ptx_inst *in)
{
    static const char *const shapes[] = {"1d", "2d", "3d", "a1d", "a2d"}, *const vectors[] = {"v2", "v4"},
                             *const outside[] = {"trap", "clamp", "zero"}, *const caches[] = {"ca", "cg", "cs",
                                                                                              "cv", "wb", "wt"};
    static const uint8_t needs[] = {1, 2, 3, 2, 3};
    struct ptx_parser *p = s->p;
    unsigned shape, vector, clamp, which;
    if (!word_is(s, "b") && !word_is(s, "p")) fail_at(p, &s->op, "%.*s needs .b or .p", (int)s->op.len, s->op.s);
    for (unsigned i = 0; i < s->count; i++) in->rnd |= token_is(&s->word[i], ".p");
    if (in->op == OP_SURED) {
        static const char *const ops[] = {"add", "min", "max", "and", "or"};
        static const uint8_t modes[] = {ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR};
        if (!word_one_of(s, ops, 5, &which)) fail_at(p, &s->op, "sured needs an operation such as .add");
        in->cmp = modes[which];
    }
    if (!word_one_of(s, shapes, 5, &shape)) fail_at(p, &s->op, "a surface needs .1d, .2d, .3d, .a1d or .a2d");
    in->vec = (uint8_t)(word_one_of(s, vectors, 2, &vector) ? 2u << vector : 1u);
    if (word_one_of(s, outside, 3, &clamp)) in->boolop = (uint8_t)clamp;
    while (word_one_of(s, caches, 6, &which)) continue;
    in->type = (uint8_t)word_type(s);
    if (!ptx_type_bytes((enum ptx_type)in->type))
        fail_at(p, &s->op, "%.*s needs a type such as .b32", (int)s->op.len, s->op.s);
    if (p->failed) return;
    in->mode = (uint8_t)shape;
    in->space = PTX_GLOBAL;
    in->kind = in->op == OP_SULD ? INST_LOAD : in->op == OP_SUST ? INST_STORE : INST_ATOMIC;
    in->width = (uint8_t)(ptx_type_bytes((enum ptx_type)in->type) * in->vec);
    enum ptx_type reg = ptx_type_bytes((enum ptx_type)in->type) < 2 ? T_B16 : (enum ptx_type)in->type;
    if (in->op == OP_SULD) own_vector(p, in, reg, in->vec, true);
    image_operand(s, in, needs[shape]);
    if (in->op != OP_SULD) own_vector(p, in, reg, in->vec, false);
}

static void parse_query(struct words *s, struct ptx_inst *in)
{
    static const char *const text[] = {
        "width", "height", "depth", "array_size", "normalized_coords", "num_mipmap_levels", "num_samples"};
    unsigned which;
    if (!word_one_of(s, text, 7, &which))
        fail_at(s->p, &s->op,
                "%.*s asks for .width, .height, .depth, .array_size, .normalized_coords, .num_mipmap_levels or "
                ".num_samples",
                (int)s->op.len, s->op.s);
    word_type(s);
    in->mode = (uint8_t)which;
    in->kind = INST_ALU;
    own_dest(s->p, in, T_B32);
    image_operand(s, in, 0);
}

void parse_small(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    switch (in->op) {
    case OP_ELECT: parse_elect(s, in); break;
    case OP_CREATEPOLICY: parse_createpolicy(s, in); break;
    case OP_FENCE: parse_fence(s, in); break;
    case OP_MAPA:
    case OP_GETCTARANK: parse_rank(s, in); break;
    case OP_ST_ASYNC:
    case OP_RED_ASYNC: parse_st_async(s, in); break;
    case OP_BARRIER_CLUSTER: parse_cluster_barrier(s, in); break;
    case OP_TXQ:
    case OP_SUQ: parse_query(s, in); break;
    case OP_SULD:
    case OP_SUST:
    case OP_SURED: parse_image(s, in); break;
    case OP_GRIDDEPCONTROL:
        if (!word_is(s, "wait") && !word_is(s, "launch_dependents"))
            fail_at(p, &s->op, "write griddepcontrol.wait or .launch_dependents");
        break;
    case OP_SETMAXNREG:
        if (!word_is(s, "inc")) word_is(s, "dec");
        word_is(s, "sync");
        word_is(s, "aligned");
        word_type(s);
        own_source(p, in, T_U32);
        break;
    case OP_PMEVENT:
        word_is(s, "mask");
        own_source(p, in, T_U32);
        break;
    default: /* discard, applypriority */
        word_is(s, "L2");
        word_begins(s, "L2::");
        own_address(p, in, word_space(s, PTX_SPACE_NONE));
        own_source(p, in, T_U32);
        break;
    }
}
