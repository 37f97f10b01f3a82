/* parse_inst.c - one instruction: guard, opcode, modifiers, operands.
 *
 * Most opcodes are read by their shape string (parse_mods.c). Branches, calls, barriers,
 * textures and mov have operands that no string describes and functions of their own. */
#include "ptx/opcodes.h"
#include "ptx/parse.h"
#include "ptx/parse_words.h"

#include <string.h>

static enum ptx_type widened(enum ptx_type t)
{
    switch (t) {
    case T_U16: return T_U32;
    case T_S16: return T_S32;
    case T_U32: return T_U64;
    default: return T_S64;
    }
}

static struct ptx_operand *next_dst(struct ptx_inst *in) { return &in->dst[in->ndst++]; }
static struct ptx_operand *next_src(struct ptx_inst *in) { return &in->src[in->nsrc++]; }

/* ---- operands by shape ---- */

/* "d|p": the second destination is always a predicate. */
static void parse_pair(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type type)
{
    parse_dest(p, next_dst(in), type, WIDTH_EXACT);
    if (accept(p, '|')) parse_dest(p, next_dst(in), T_PRED, WIDTH_EXACT);
}

/* A value of ld or st: one register, which may be wider than the type, or a vector. */
static void parse_value(struct ptx_parser *p, struct ptx_inst *in, bool dest)
{
    struct token t = p->tok;
    struct ptx_operand *o = dest ? next_dst(in) : next_src(in);
    if (at_punct(p, '{')) {
        parse_vector(p, o, in->type, WIDTH_AT_LEAST, dest);
        if (o->nvec != in->vec)
            fail_at(p, &t, "the vector has %u elements; the instruction moves %u", o->nvec, in->vec);
    } else {
        if (in->vec > 1) fail_at(p, &t, "expected a vector {a, b%s", in->vec == 4 ? ", c, d}" : "}");
        if (dest) parse_dest(p, o, in->type, WIDTH_AT_LEAST);
        else parse_source(p, o, in->type, WIDTH_AT_LEAST);
    }
}

static void parse_shape_dest(struct ptx_parser *p, struct ptx_inst *in, char kind)
{
    enum ptx_type type = in->type;
    switch (kind) {
    case 'w': parse_dest(p, next_dst(in), in->flags & FLAG_WIDE ? widened(type) : type, WIDTH_EXACT); break;
    case 'n': parse_dest(p, next_dst(in), T_U32, WIDTH_EXACT); break;
    case 'p': parse_dest(p, next_dst(in), T_PRED, WIDTH_EXACT); break;
    case 'P': parse_pair(p, in, T_PRED); break;
    case 'S': parse_pair(p, in, type); break;
    case 'N': parse_pair(p, in, T_U32); break;
    case 'V': parse_dest(p, next_dst(in), in->mode == VOTE_BALLOT ? T_B32 : T_PRED, WIDTH_EXACT); break;
    case 'v': parse_value(p, in, true); break;
    default:
        if (in->op == OP_ATOM && in->vec > 1) parse_value(p, in, true);
        else
            parse_dest(p, next_dst(in), in->op == OP_CVT && in->mode ? T_B32 : type,
                       in->op == OP_CVT ? WIDTH_AT_LEAST : WIDTH_EXACT);
        break;
    }
}

static void parse_shape_source(struct ptx_parser *p, struct ptx_inst *in, char kind)
{
    enum ptx_type type = in->type;
    struct token t = p->tok;
    struct ptx_operand *o;
    switch (kind) {
    case '[': parse_address(p, in, next_src(in)); break;
    case 'v': parse_value(p, in, false); break;
    case 'x': parse_symbol_source(p, next_src(in), type); break;
    case 'a': parse_source(p, next_src(in), T_B64, WIDTH_ADDRESS); break;
    case 'w': parse_source(p, next_src(in), in->flags & FLAG_WIDE ? widened(type) : type, WIDTH_EXACT); break;
    case 'h': parse_source(p, next_src(in), T_B64, WIDTH_EXACT); break;
    case 'C': parse_source(p, next_src(in), T_B32, WIDTH_EXACT); break;
    case 'T':
    case 't': parse_source(p, next_src(in), in->type2, in->op == OP_CVT ? WIDTH_AT_LEAST : WIDTH_EXACT); break;
    case 'u':
    case 'k': parse_source(p, next_src(in), T_U32, WIDTH_EXACT); break;
    case 'b':
    case 'B': parse_source(p, next_src(in), T_PRED, WIDTH_EXACT); break;
    case 'i':
        parse_source(p, o = next_src(in), T_U32, WIDTH_EXACT);
        if (o->kind != OPND_IMM || o->imm > 255) fail_at(p, &t, "the truth table must be a constant from 0 to 255");
        break;
    default:
        if ((in->op == OP_ATOM || in->op == OP_RED) && in->vec > 1) parse_value(p, in, false);
        else parse_source(p, next_src(in), type, WIDTH_EXACT);
        break;
    }
}

/* cvt.f16x2.f32 and the like, and cvt.pack. */
static bool packs_two(const struct ptx_inst *in)
{
    bool pair = in->type == T_F16X2 || in->type == T_BF16X2 || in->type == T_E4M3X2 || in->type == T_E5M2X2;
    return in->mode || (pair && in->type2 == T_F32);
}

/* Letters of the shape that stand for nothing in this instruction. */
static bool is_absent(const struct ptx_inst *in, char kind)
{
    return (kind == 'B' && !in->boolop) || (kind == 'k' && !(in->flags & FLAG_SYNC)) ||
           (kind == 'c' && in->mode != ATOM_CAS) || (kind == 'h' && !(in->flags & FLAG_POLICY)) ||
           (kind == 'T' && !packs_two(in)) || (kind == 'C' && !(in->op == OP_CVT && in->boolop));
}

static void parse_shape(struct ptx_parser *p, struct ptx_inst *in, const char *shape)
{
    bool dest = true, first = true;
    for (; *shape && !p->failed; shape++) {
        if (*shape == '=') {
            dest = false;
            continue;
        }
        if (is_absent(in, *shape)) continue;
        if (!first) expect(p, ',', "before the next operand");
        first = false;
        if (dest) parse_shape_dest(p, in, *shape);
        else parse_shape_source(p, in, *shape);
    }
}

/* ---- instructions with operands of their own ---- */

static void parse_bra(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind != TOK_NAME) fail_at(p, &t, "expected a label");
    else label_use(p, &t, NULL, false);
}

static void parse_brx(struct ptx_parser *p, struct ptx_inst *in)
{
    parse_source(p, next_src(in), T_U32, WIDTH_EXACT);
    expect(p, ',', "before the list of targets");
    struct token t = take(p);
    if (t.kind != TOK_NAME) fail_at(p, &t, "expected the name of a .branchtargets list");
    else label_use(p, &t, NULL, true);
}

/* bar.sync a{,b}; bar.arrive a,b; bar.red d,a{,b},{!}p; bar.warp.sync mask. */
static void parse_bar(struct ptx_parser *p, struct ptx_inst *in)
{
    bool reduces = in->mode >= BAR_RED_AND && in->mode <= BAR_RED_POPC;
    if (reduces) {
        parse_dest(p, next_dst(in), in->type, WIDTH_EXACT);
        expect(p, ',', "before the barrier's number");
    }
    struct token t = p->tok;
    struct ptx_operand *a = next_src(in);
    parse_source(p, a, T_U32, WIDTH_EXACT);
    if (in->mode == BAR_WARP_SYNC) return;
    if (a->kind == OPND_IMM && a->imm > 15) fail_at(p, &t, "barriers are numbered 0 to 15");
    bool predicate = false;
    while (!predicate && accept(p, ',') && !p->failed) {
        struct token o = p->tok;
        uint8_t type = T_NONE;
        bool is_pred = o.kind == TOK_NAME && name_register(p, &o, &type) >= 0 && type == T_PRED;
        predicate = reduces && (is_pred || at_punct(p, '!'));
        if (in->nsrc == (reduces ? 3 : 2)) fail_at(p, &o, "too many operands");
        else parse_source(p, next_src(in), predicate ? T_PRED : T_U32, WIDTH_EXACT);
    }
    if (reduces && !predicate) fail_at(p, &p->tok, "bar.red needs a predicate as its last operand");
    if (in->mode == BAR_ARRIVE && in->nsrc < 2) fail_at(p, &p->tok, "bar.arrive needs a thread count");
}

static enum ptx_type bits_of(unsigned bytes)
{
    return bytes == 8 ? T_B64 : bytes == 4 ? T_B32 : bytes == 2 ? T_B16 : T_B8;
}

/* Packs or unpacks: mov.b64 {a,b}, c. Each element is a 1/n of the type. */
static void parse_mov_vector(struct ptx_parser *p, struct ptx_inst *in, bool dest)
{
    struct token t = p->tok, c = t;
    struct lexer lex = p->lex;
    unsigned n = 1; /* commas tell the element's width before the elements are read */
    while (c.kind != TOK_END && c.kind != TOK_BAD && !(c.kind == TOK_PUNCT && (c.punct == '}' || c.punct == ';'))) {
        n += c.kind == TOK_PUNCT && c.punct == ',';
        c = lex_next(&lex);
    }
    unsigned bytes = ptx_type_bytes(in->type);
    if ((n != 2 && n != 4) || bytes / n < 1 || (bytes == 16 && n != 2)) {
        fail_at(p, &t, "mov.%s cannot be split into %u elements", ptx_type_name(in->type), n);
        return;
    }
    parse_vector(p, dest ? next_dst(in) : next_src(in), bits_of(bytes / n), WIDTH_EXACT, dest);
}

static void parse_mov(struct ptx_parser *p, struct ptx_inst *in)
{
    if (at_punct(p, '{')) parse_mov_vector(p, in, true);
    else parse_dest(p, next_dst(in), in->type, WIDTH_EXACT);
    expect(p, ',', "before the source");
    if (at_punct(p, '{')) parse_mov_vector(p, in, false);
    else parse_symbol_source(p, next_src(in), in->type);
}

/* [texture, {coordinates}] or [texture, sampler, {coordinates}]. */
static void parse_tex(struct ptx_parser *p, struct ptx_inst *in)
{
    parse_value(p, in, true);
    expect(p, ',', "before the texture");
    expect(p, '[', "to begin the texture operand");
    parse_symbol_source(p, next_src(in), T_B64);
    expect(p, ',', "before the coordinates");
    struct ptx_operand sampler = {0};
    if (!at_punct(p, '{') && p->tok.kind == TOK_NAME) {
        uint8_t type;
        bool object = name_register(p, &p->tok, &type) < 0 || ptx_type_bytes(type) == 8;
        if (object) {
            parse_symbol_source(p, &sampler, T_B64);
            expect(p, ',', "before the coordinates");
        }
    }
    struct token t = p->tok;
    struct ptx_operand *c = next_src(in);
    if (at_punct(p, '{')) parse_vector(p, c, in->type2, WIDTH_EXACT, false);
    else parse_source(p, c, in->type2, WIDTH_EXACT);
    static const uint8_t needs[] = {1, 2, 3, 2, 3, 3, 4};
    unsigned need = needs[in->mode];
    if ((c->kind == OPND_VEC ? c->nvec : 1u) < need) fail_at(p, &t, "this texture needs %u coordinates", need);
    if (sampler.kind) *next_src(in) = sampler;
    expect(p, ']', "to end the texture operand");
    for (unsigned i = 0; i < (in->cmp == 2 ? 2u : in->cmp) && !p->failed;
         i++) { /* a level, or two gradients: there is one level */
        expect(p, ',', "before the level");
        struct ptx_operand *o = next_src(in);
        if (at_punct(p, '{')) parse_vector(p, o, T_F32, WIDTH_EXACT, false);
        else parse_source(p, o, T_F32, WIDTH_EXACT);
    }
}

/* ---- calls ---- */

/* "(a, b)": names of .param variables of the caller; *count is how many. */
static const struct ptx_var **parse_arguments(struct ptx_parser *p, uint32_t *count)
{
    enum { MAX_ARGS = 256 };
    const struct ptx_var *arg[MAX_ARGS];
    uint32_t n = 0;
    expect(p, '(', "to begin the arguments");
    while (!p->failed && !at_punct(p, ')')) {
        struct token t = take(p);
        const struct symbol *y = t.kind == TOK_NAME ? name_find(p, &t) : NULL;
        if (!y || y->kind != SYM_VAR || y->var->space != PTX_PARAM_LOCAL)
            fail_at(p, &t, "an argument must be a .param variable of this function%s", name_hint(p, &t, 1u << SYM_VAR));
        else if (n == MAX_ARGS) fail_at(p, &t, "more than %d arguments", MAX_ARGS);
        else arg[n++] = y->var;
        if (!accept(p, ',')) break;
    }
    expect(p, ')', "after the arguments");
    const struct ptx_var **copy = ARENA_ARRAY(&p->m->arena, const struct ptx_var *, n);
    if (!copy) fail_memory(p);
    else if (n) memcpy(copy, arg, n * sizeof *arg);
    *count = n;
    return copy;
}

static void check_arguments(struct ptx_parser *p, const struct token *t, const struct ptx_var **arg, uint32_t nargs,
                            struct ptx_var **formal, uint32_t nformals, const char *what)
{
    if (nargs != nformals) fail_at(p, t, "'%.*s' has %u %s; %u are given", (int)t->len, t->s, nformals, what, nargs);
    for (uint32_t i = 0; i < nargs && !p->failed; i++)
        if (arg[i]->bytes != formal[i]->bytes)
            fail_at(p, t, "'%s' has %llu bytes where '%.*s' expects %llu", arg[i]->name,
                    (unsigned long long)arg[i]->bytes, (int)t->len, t->s, (unsigned long long)formal[i]->bytes);
}

static void note_callee(struct ptx_parser *p, struct func_info *callee)
{
    struct callee *c = ARENA_NEW(&p->m->arena, struct callee);
    if (!c) {
        fail_memory(p);
        return;
    }
    *c = (struct callee){.func = callee, .inst = p->body.ninst, .next = p->body.fi->callees};
    p->body.fi->callees = c;
}

static struct func_info *parse_call_target(struct ptx_parser *p, const struct token *t)
{
    const struct symbol *y = t->kind == TOK_NAME ? name_find(p, t) : NULL;
    if (y && y->kind == SYM_FUNC && !y->func->f.is_kernel) return y->func;
    if (y && y->kind == SYM_FUNC) fail_at(p, t, "'%.*s' is a kernel; kernels cannot be called", (int)t->len, t->s);
    else fail_at(p, t, "function '%.*s' is not declared%s", (int)t->len, t->s, name_hint(p, t, 1u << SYM_FUNC));
    return NULL;
}

/* A call through a pointer: behind the arguments stands a prototype, or a list of the functions it may be. Neither is
 * needed: which functions fit is known when the text has been read (module.c), which one it is when it is called. */
static void parse_indirect_call(struct ptx_parser *p, struct ptx_inst *in, struct ptx_call *c, const struct token *t,
                                int32_t reg, uint8_t type)
{
    if (ptx_type_bytes(type) != 8) fail_at(p, t, "a pointer to a function needs a register of 64 bits");
    if (accept(p, ',') && at_punct(p, '(')) {
        c->args = parse_arguments(p, &c->nargs);
        expect(p, ',', "before the prototype");
    }
    struct token proto = take(p);
    const struct symbol *y = proto.kind == TOK_NAME ? name_find(p, &proto) : NULL;
    if (!y || (y->kind != SYM_PROTOTYPE && y->kind != SYM_VAR))
        fail_at(p, &proto, "a call through a pointer ends with a .callprototype or .calltargets");
    in->call = c;
    *next_src(in) = (struct ptx_operand){.kind = OPND_REG, .reg = reg};
    note_callee(p, NULL);
}

static void parse_call(struct ptx_parser *p, struct ptx_inst *in)
{
    struct ptx_call *c = ARENA_NEW(&p->m->arena, struct ptx_call);
    if (!c) {
        fail_memory(p);
        return;
    }
    if (at_punct(p, '(')) {
        c->rets = parse_arguments(p, &c->nrets);
        expect(p, ',', "before the function's name");
    }
    struct token t = take(p);
    uint8_t type = T_NONE;
    int32_t pointer = t.kind == TOK_NAME ? name_register(p, &t, &type) : -1;
    if (pointer >= 0) {
        parse_indirect_call(p, in, c, &t, pointer, type);
        return;
    }
    struct func_info *callee = p->failed ? NULL : parse_call_target(p, &t);
    if (accept(p, ',')) c->args = parse_arguments(p, &c->nargs);
    if (!callee || p->failed) return;
    c->func = &callee->f;
    in->call = c;
    check_arguments(p, &t, c->args, c->nargs, callee->f.param, callee->f.nparams, "parameters");
    check_arguments(p, &t, c->rets, c->nrets, callee->f.ret, callee->f.nrets, "results");
    *next_src(in) = (struct ptx_operand){.kind = OPND_FUNC, .reg = -1, .func = &callee->f};
    note_callee(p, callee);
    note_extern(p, NULL, &callee->f, &t);
}

/* ---- the instruction ---- */

static void parse_guard(struct ptx_parser *p, struct ptx_inst *in)
{
    in->guard = -1;
    if (!accept(p, '@')) return;
    in->guard_neg = accept(p, '!');
    struct ptx_operand o;
    struct token t = p->tok;
    parse_source(p, &o, T_PRED, WIDTH_EXACT);
    if (!p->failed && o.kind != OPND_REG) fail_at(p, &t, "a guard must be a predicate register");
    in->guard = o.reg;
    if (o.negated) in->guard_neg = !in->guard_neg;
}

static void parse_operands(struct ptx_parser *p, struct ptx_inst *in)
{
    const char *shape = ptx_opcodes[in->op].operands;
    if (shape) parse_shape(p, in, shape);
    else if (in->op == OP_MOV) parse_mov(p, in);
    else if (in->op == OP_BRA) parse_bra(p);
    else if (in->op == OP_BRX) parse_brx(p, in);
    else if (in->op == OP_CALL) parse_call(p, in);
    else if (in->op == OP_TEX || in->op == OP_TLD4) parse_tex(p, in);
    else parse_bar(p, in);
}

/* What only the complete instruction tells. */
static void check_instruction(struct ptx_parser *p, const struct token *op, struct ptx_inst *in)
{
    unsigned bytes = ptx_type_bytes(in->type) * in->vec;
    if ((in->op == OP_CVTA || in->op == OP_TEX) && in->src[0].kind == OPND_FUNC)
        fail_at(p, op, "a function's address has no use here");
    if (in->op == OP_TEX && in->src[0].kind == OPND_VAR && !in->src[0].var->is_texture)
        fail_at(p, op, "'%s' is no texture", in->src[0].var->name);
    if (in->op == OP_CVTA || in->op == OP_ISSPACEP) check_space(p, in, &in->src[0], op);
    if (bytes > 16) fail_at(p, op, "one access moves at most 16 bytes, not %u", bytes);
    if ((in->op == OP_ATOM || in->op == OP_RED) &&
        !(in->space == PTX_SPACE_NONE || in->space == PTX_GLOBAL || in->space == PTX_SHARED))
        fail_at(p, op, "atomics work on global and shared memory");
    if ((in->op == OP_ST || in->op == OP_RED) && (in->space == PTX_CONST || in->space == PTX_PARAM_KERNEL))
        fail_at(p, op, "this memory cannot be written");
}

static void add_instruction(struct ptx_parser *p, const struct ptx_inst *in)
{
    struct body *b = &p->body;
    b->inst = grow(p, b->inst, b->ninst, &b->inst_cap, sizeof *b->inst);
    if (!p->failed) b->inst[b->ninst++] = *in;
}

/* What moves 128 bits moves two halves: a vector access of 64 bits, or two moves. */
static void add_halves(struct ptx_parser *p, const struct token *op, struct ptx_inst *in)
{
    struct ptx_inst half = *in;
    in->type = half.type = T_B64;
    in->vec = 2;
    if (in->op != OP_MOV) {
        add_instruction(p, in);
        return;
    }
    if (in->src[0].kind != OPND_VEC || in->dst[0].kind != OPND_VEC) {
        fail_at(p, op, "mov.b128 moves a register of 128 bits, or {a, b} of 64");
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        half.dst[0] = in->dst[0].vec[k];
        half.src[0] = in->src[0].vec[k];
        add_instruction(p, &half);
    }
}

void parse_instruction(struct ptx_parser *p)
{
    struct ptx_inst in = {.vec = 1, .target = PTX_NO_BLOCK, .source = p->at_loc};
    in.text = (uint32_t)(p->tok.s - p->m->text);
    parse_guard(p, &in);
    struct token op = take(p);
    if (op.kind != TOK_NAME) {
        fail_at(p, &op, "expected an instruction");
        return;
    }
    enum ptx_op found = find_op(&op);
    if (found == OP_COUNT) {
        fail_at(p, &op, "unknown instruction '%.*s'%s", (int)op.len, op.s, op_hint(p, &op));
        return;
    }
    if (found == OP_BARRIER && p->tok.kind == TOK_DOT && token_is(&p->tok, ".cluster")) found = OP_BARRIER_CLUSTER;
    bool async = p->tok.kind == TOK_DOT && token_is(&p->tok, ".async");
    if (async && found == OP_ST) found = OP_ST_ASYNC;
    if (async && found == OP_RED) found = OP_RED_ASYNC;
    in.op = (uint8_t)found;
    in.line = op.line;
    if (ptx_opcodes[in.op].mods & M_OWN) {
        parse_own(p, &op, &in);
    } else {
        parse_modifiers(p, &op, &in);
        if (!p->failed) parse_operands(p, &in);
    }
    if (at_punct(p, ',')) fail_at(p, &p->tok, "%.*s has too many operands", (int)op.len, op.s);
    in.text_len = (uint32_t)(p->tok.s - p->m->text) - in.text;
    expect(p, ';', "after the instruction");
    if (!p->failed) check_instruction(p, &op, &in);
    in.rolled = p->rolled;
    p->rolled = false;
    if (in.type == T_B128 && !p->failed) add_halves(p, &op, &in);
    else add_instruction(p, &in);
}
