/* parse_const.c - constant expressions and the initial values of variables.
 *
 * Integer expressions are evaluated as they are read, in 64-bit arithmetic that wraps, by
 * precedence climbing. A floating literal is kept as its bits and becomes a value only when
 * it has to change width, so a NaN's payload survives.
 *
 * An initialiser is written straight into the variable's image. The address of another
 * variable leaves eight bytes for the loader and a relocation; compilers spell such an
 * address inside a byte array one byte at a time, as 0xFF(x), 0xFF00(x), and so on. */
#include "ptx/parse.h"

#include <string.h>

bool at_constant(const struct ptx_parser *p)
{
    return p->tok.kind == TOK_INT || p->tok.kind == TOK_FLOAT || at_punct(p, '-') || at_punct(p, '+') ||
           at_punct(p, '~') || at_punct(p, '(') || (p->tok.kind == TOK_NAME && token_is(&p->tok, "WARP_SZ"));
}

/* Binding strength of the operator at the current token, 0 for none. Shifts are two tokens,
 * and a single '>' ends the count of a register range. */
static int strength(const struct ptx_parser *p)
{
    if (p->tok.kind != TOK_PUNCT) return 0;
    switch (p->tok.punct) {
    case '|': return 1;
    case '^': return 2;
    case '&': return 3;
    case '<':
    case '>': return *p->lex.at == p->tok.punct ? 4 : 0;
    case '+':
    case '-': return 5;
    case '*':
    case '/': return 6;
    default: return 0;
    }
}

static uint64_t apply(struct ptx_parser *p, const struct token *op, uint64_t a, uint64_t b)
{
    switch (op->punct) {
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return b < 64 ? a << b : 0;
    case '>': return b < 64 ? a >> b : 0;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default:
        if (b == 0) fail_at(p, op, "a constant expression divides by zero");
        return b ? ((int64_t)b == -1 ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b)) : 0;
    }
}

static uint64_t parse_int(struct ptx_parser *p, int floor);

static uint64_t parse_primary(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind == TOK_INT) return t.bits;
    if (t.kind == TOK_NAME && token_is(&t, "WARP_SZ")) return WARP_SIZE;
    if (t.kind != TOK_PUNCT || !strchr("-+~!(", t.punct)) {
        fail_at(p, &t, "expected an integer constant");
        return 0;
    }
    uint64_t v = 0;
    if (++p->nesting > MAX_NESTING) fail_at(p, &t, "a constant is nested more than %d deep", MAX_NESTING);
    else if (t.punct != '(') v = parse_primary(p);
    else if (p->tok.kind == TOK_DOT) { /* a cast, (.s64) or (.u64): values are 64 bits already */ advance(p);
        expect(p, ')', "after the type of a cast");
        v = parse_primary(p);
    } else {
        v = parse_int(p, 1);
        expect(p, ')', "after a constant expression");
    }
    p->nesting--;
    return t.punct == '-' ? 0 - v : t.punct == '~' ? ~v : t.punct == '!' ? !v : v;
}

static uint64_t parse_int(struct ptx_parser *p, int floor)
{
    uint64_t v = parse_primary(p);
    for (int s; (s = strength(p)) >= floor && s && !p->failed;) {
        struct token op = take(p);
        if (op.punct == '<' || op.punct == '>') expect(p, op.punct, "to make a shift");
        if (++p->nesting > MAX_NESTING) fail_at(p, &op, "a constant is nested more than %d deep", MAX_NESTING);
        uint64_t rhs = p->failed ? 0 : parse_int(p, s + 1);
        p->nesting--;
        v = apply(p, &op, v, rhs);
    }
    return v;
}

struct constant parse_constant(struct ptx_parser *p)
{
    struct lexer lex = p->lex;
    struct token first = p->tok;
    bool negative = accept(p, '-');
    if (p->tok.kind == TOK_FLOAT) {
        struct token t = take(p);
        uint64_t sign = negative ? UINT64_C(1) << (t.bytes * 8 - 1) : 0;
        return (struct constant){.is_float = true, .bytes = t.bytes, .bits = t.bits ^ sign};
    }
    if (negative && !p->failed) { /* not a float after all: read the sign again */
        p->lex = lex;
        p->tok = first;
    }
    return (struct constant){.bits = parse_int(p, 1)};
}

static uint64_t float_bits(double d, unsigned bytes)
{
    uint64_t bits = 0;
    float f = (float)d;
    if (bytes == 4) memcpy(&bits, &f, sizeof f);
    else memcpy(&bits, &d, sizeof d);
    return bits;
}

static double float_value(struct constant c)
{
    float f;
    double d;
    memcpy(&f, &c.bits, sizeof f);
    memcpy(&d, &c.bits, sizeof d);
    return c.bytes == 4 ? (double)f : d;
}

uint64_t constant_bits(struct ptx_parser *p, struct constant c, enum ptx_type t, const struct token *at)
{
    unsigned bytes = ptx_type_bytes(t);
    if (t == T_PRED) return c.bits != 0;
    if (c.is_float) {
        if (bytes == c.bytes) return c.bits;
        if ((bytes == 4 || bytes == 8) && t != T_F16X2) return float_bits(float_value(c), bytes);
        fail_at(p, at, "a floating literal cannot be a .%s; write its bits as an integer", ptx_type_name(t));
        return 0;
    }
    if (t == T_F32 || t == T_F64) return float_bits((double)(int64_t)c.bits, bytes);
    return bytes < 8 ? c.bits & ((UINT64_C(1) << bytes * 8) - 1) : c.bits;
}

uint64_t parse_size(struct ptx_parser *p, uint64_t max, const char *what)
{
    struct token t = p->tok;
    struct constant c = parse_constant(p);
    if (p->failed) return 0;
    if (c.is_float || c.bits > max) {
        fail_at(p, &t, "%s must be an integer from 0 to %llu", what, (unsigned long long)max);
        return 0;
    }
    return c.bits;
}

/* ---- initialisers ---- */

struct init {
    struct ptx_parser *p;
    struct ptx_var *v;
    uint8_t *image;
    unsigned elem;
    const uint64_t *dim;
    unsigned ndims;
};

static int64_t parse_addend(struct ptx_parser *p)
{
    if (!at_punct(p, '+') && !at_punct(p, '-')) return 0;
    return (int64_t)parse_int(p, 1);
}

/* The address of a variable or function, "x", "x+4", "generic(x)", at byte `at` of the image. */
static void init_symbol(struct init *in, uint64_t at)
{
    struct ptx_parser *p = in->p;
    bool generic = token_is(&p->tok, "generic");
    if (generic) {
        advance(p);
        expect(p, '(', "after 'generic'");
    }
    struct token t = take(p);
    struct symbol *y = t.kind == TOK_NAME ? name_find(p, &t) : NULL;
    if (generic) expect(p, ')', "after generic(name");
    int64_t addend = parse_addend(p);
    if (p->failed) return;
    bool func = y && y->kind == SYM_FUNC;
    if (!func && (!y || y->kind != SYM_VAR || (y->var->space != PTX_GLOBAL && y->var->space != PTX_CONST))) {
        fail_at(p, &t, "an initialiser needs a number or the name of a .global or .const variable%s",
                name_hint(p, &t, 1u << SYM_VAR));
        return;
    }
    struct ptx_reloc *r = ARENA_NEW(&p->m->arena, struct ptx_reloc);
    if (!r) {
        fail_memory(p);
        return;
    }
    *r = (struct ptx_reloc){.at = at, .addend = addend, .generic = generic, .next = in->v->relocs};
    if (func) {
        r->func = &y->func->f;
        y->func->f.address_taken = true;
        note_extern(p, NULL, r->func, &t);
    } else {
        r->target = y->var;
    }
    in->v->relocs = r;
}

/* 0xFF(x), 0xFF00(x), ...: byte k of an address. The first makes the relocation; the others
 * must follow it in order and only leave their byte. */
static void init_masked(struct init *in, uint64_t mask, uint64_t at, const struct token *t)
{
    struct ptx_parser *p = in->p;
    unsigned k = 0;
    while (k < 8 && mask != UINT64_C(0xff) << 8 * k) k++;
    expect(p, '(', "after the mask of an address");
    if (k == 8 || in->elem != 1 || k > at || at - k + 8 > in->v->bytes) {
        fail_at(p, t, "an address in bytes is written 0xFF(x), 0xFF00(x), ... up to its eighth byte");
    } else if (k == 0) {
        init_symbol(in, at);
    } else {
        struct ptx_reloc *first = in->v->relocs;
        init_symbol(in, at - k);
        if (!p->failed && in->v->relocs != first) in->v->relocs = first; /* said by byte 0 */
    }
    expect(p, ')', "after the address");
}

static void init_scalar(struct init *in, uint64_t at)
{
    struct ptx_parser *p = in->p;
    struct token t = p->tok;
    if (t.kind == TOK_NAME && !token_is(&t, "WARP_SZ")) {
        if (in->elem != 8) {
            fail_at(p, &t, "an address needs an element of 8 bytes");
            return;
        }
        init_symbol(in, at);
        return;
    }
    struct constant c = parse_constant(p);
    if (at_punct(p, '(')) {
        init_masked(in, c.bits, at, &t);
        return;
    }
    uint64_t bits = constant_bits(p, c, in->v->type, &t);
    if (!p->failed) memcpy(in->image + at, &bits, in->elem < 8 ? in->elem : 8);
}

/* A braced list filling [base, base + size); `level` braces are around it. */
static void init_list(struct init *in, unsigned level, uint64_t base, uint64_t size)
{
    struct ptx_parser *p = in->p;
    uint64_t sub = in->elem, at = base;
    for (unsigned i = level + 1; i < in->ndims; i++) sub *= in->dim[i];
    expect(p, '{', "to begin an initialiser list");
    while (!p->failed && !at_punct(p, '}')) {
        bool nested = at_punct(p, '{');
        if (nested && sub) at = base + (at - base + sub - 1) / sub * sub;
        uint64_t need = nested ? sub : in->elem;
        if (nested && level + 1 >= in->ndims) fail_at(p, &p->tok, "more braces than the variable has dimensions");
        else if (at - base + need > size)
            fail_at(p, &p->tok, "more initial values than '%s' has elements", in->v->name);
        else if (nested) init_list(in, level + 1, at, sub);
        else init_scalar(in, at);
        at += need;
        if (!accept(p, ',')) break;
    }
    expect(p, '}', "to end an initialiser list");
}

void parse_initialiser(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dim, unsigned ndims)
{
    struct init in = {.p = p, .v = v, .elem = ptx_type_bytes(v->type), .dim = dim, .ndims = ndims};
    in.image = arena_alloc(&p->m->arena, v->bytes);
    if (!in.image) {
        fail_memory(p);
        return;
    }
    v->init = in.image;
    if (at_punct(p, '{')) init_list(&in, 0, 0, v->bytes);
    else if (in.elem > v->bytes) fail_at(p, &p->tok, "'%s' has no element to give a value to", v->name);
    else init_scalar(&in, 0);
}
