/* parse.c - tokens, errors and the directives of a module.
 *
 * The parser is a recursive descent with one token of lookahead and reads the text once.
 * What recursion there is (scopes, parentheses, braces) is bounded by MAX_NESTING. Of debug
 * information .loc and .file are read (parse_loc.c); a .section is skipped with its braces. */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

void fail_at(struct ptx_parser *p, const struct token *t, const char *fmt, ...)
{
    if (p->failed) return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    wl_fail_at(p->e, p->m->file, t->line, t->col, p->m->text, "%s", text);
    p->failed = true;
    p->lex.at = p->lex.end;
    p->tok = (struct token){.kind = TOK_END, .s = p->lex.end, .line = t->line, .col = t->col};
}

void fail_memory(struct ptx_parser *p)
{
    if (p->failed) return;
    fail_at(p, &p->tok, "out of memory");
    wl_fail(p->e, WL_ERUN, "%s: out of memory while reading PTX", p->m->file);
}

/* ---- tokens ---- */

void advance(struct ptx_parser *p)
{
    if (p->failed) return;
    p->tok = lex_next(&p->lex);
    if (p->tok.kind == TOK_BAD) fail_at(p, &p->tok, "%s", p->tok.why);
}

struct token take(struct ptx_parser *p)
{
    struct token t = p->tok;
    advance(p);
    return t;
}

bool at_punct(const struct ptx_parser *p, char c) { return p->tok.kind == TOK_PUNCT && p->tok.punct == c; }

bool accept(struct ptx_parser *p, char c)
{
    if (!at_punct(p, c)) return false;
    advance(p);
    return true;
}

bool expect(struct ptx_parser *p, char c, const char *where)
{
    if (accept(p, c)) return true;
    if (p->tok.kind == TOK_END) fail_at(p, &p->tok, "the text ends where '%c' must stand %s", c, where);
    else fail_at(p, &p->tok, "expected '%c' %s", c, where);
    return false;
}

bool token_is(const struct token *t, const char *word)
{
    return strlen(word) == t->len && memcmp(t->s, word, t->len) == 0;
}

bool accept_dot(struct ptx_parser *p, const char *word)
{
    if (p->tok.kind != TOK_DOT || !token_is(&p->tok, word)) return false;
    advance(p);
    return true;
}

char *token_text(struct ptx_parser *p, const struct token *t)
{
    char *s = arena_strndup(&p->m->arena, t->s, t->len);
    if (!s) fail_memory(p);
    return s;
}

void *grow(struct ptx_parser *p, void *array, uint32_t count, uint32_t *cap, size_t size)
{
    if (count < *cap) return array;
    uint32_t bigger = *cap ? *cap * 2 : 64;
    void *a = bigger > *cap ? realloc(array, bigger * size) : NULL;
    if (!a) {
        fail_memory(p);
        return array;
    }
    *cap = bigger;
    return a;
}

void skip_to_semicolon(struct ptx_parser *p)
{
    while (p->tok.kind != TOK_END && !at_punct(p, ';')) advance(p);
    expect(p, ';', "at the end of the statement");
}

void skip_line(struct ptx_parser *p, uint32_t line)
{
    while (p->tok.kind != TOK_END && p->tok.line == line) advance(p);
}

void skip_braces(struct ptx_parser *p)
{
    uint64_t open = 0;
    do {
        if (at_punct(p, '{')) open++;
        if (at_punct(p, '}') && open > 0) open--;
        if (p->tok.kind == TOK_END) fail_at(p, &p->tok, "the text ends before a closing '}'");
        advance(p);
    } while (open && !p->failed);
}

/* ---- module directives ---- */

static unsigned digits_of(const char *s, uint32_t len)
{
    unsigned v = 0;
    for (uint32_t i = 0; i < len && v < 100000; i++)
        if (s[i] >= '0' && s[i] <= '9') v = v * 10 + (unsigned)(s[i] - '0');
    return v;
}

static void parse_version(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind != TOK_FLOAT || t.s[1] == 'f' || t.s[1] == 'd') fail_at(p, &t, "expected a version such as 9.0");
    else p->m->version = digits_of(t.s, t.len);
}

static void parse_target(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind != TOK_NAME || t.len < 4 || memcmp(t.s, "sm_", 3) != 0)
        fail_at(p, &t, "expected an architecture such as sm_75");
    else p->m->target = digits_of(t.s, t.len);
    while (accept(p, ',')) advance(p); /* texmode_unified, debug */
}

static void parse_address_size(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind != TOK_INT || t.bits != 64) fail_at(p, &t, "only .address_size 64 is supported");
}

/* The address space a directive names, or PTX_SPACE_NONE. */
static uint8_t space_of(const struct token *t)
{
    return token_is(t, ".global")   ? PTX_GLOBAL
           : token_is(t, ".const")  ? PTX_CONST
           : token_is(t, ".shared") ? PTX_SHARED
                                    : PTX_SPACE_NONE;
}

/* .visible, .weak and .extern before a variable or function. */
static void parse_linked(struct ptx_parser *p, struct token t)
{
    bool is_extern = false;
    while (token_is(&t, ".visible") || token_is(&t, ".weak") || token_is(&t, ".extern") || token_is(&t, ".common")) {
        is_extern |= token_is(&t, ".extern");
        t = take(p);
        if (t.kind != TOK_DOT) {
            fail_at(p, &t, "expected .entry, .func or a variable's space after its linkage");
            return;
        }
    }
    uint8_t space = space_of(&t);
    if (token_is(&t, ".entry") || token_is(&t, ".func")) parse_function(p, token_is(&t, ".entry"));
    else if (space) parse_var_decl(p, (struct decl){.space = space, .is_extern = is_extern});
    else if (token_is(&t, ".tex")) /* ".tex .u32 name": the old spelling of .global .texref */
        parse_var_decl(p, (struct decl){.space = PTX_GLOBAL, .align = 8, .is_texture = true});
    else fail_at(p, &t, "'%.*s' is not a directive this simulator knows", (int)t.len, t.s);
}

static void parse_directive(struct ptx_parser *p)
{
    struct token t = take(p);
    if (t.kind != TOK_DOT) {
        fail_at(p, &t, "expected a directive such as .visible .entry");
    } else if (token_is(&t, ".version")) {
        parse_version(p);
    } else if (token_is(&t, ".target")) {
        parse_target(p);
    } else if (token_is(&t, ".address_size")) {
        parse_address_size(p);
    } else if (token_is(&t, ".loc")) {
        parse_loc(p, t.line);
    } else if (token_is(&t, ".file")) {
        parse_file(p, t.line);
    } else if (token_is(&t, ".section")) {
        while (p->tok.kind != TOK_END && !at_punct(p, '{')) advance(p);
        skip_braces(p);
    } else if (token_is(&t, ".pragma") || token_is(&t, ".alias")) {
        skip_to_semicolon(p);
    } else if (token_is(&t, ".local")) {
        fail_at(p, &t, ".local variables must be inside a function");
    } else {
        parse_linked(p, t);
    }
}

static void check_extern(struct ptx_parser *p, const struct extern_use *u)
{
    if (u->var && u->var->is_extern)
        fail_at(p, &u->name, "variable '%s' is .extern and this module does not define it", u->var->name);
    if (u->func && u->func->is_extern && builtin_find(u->func->name) < 0)
        fail_at(p, &u->name, "function '%s' has no body in this module", u->func->name);
}

static void check_externs(struct ptx_parser *p)
{
    for (struct extern_use *u = p->externs; u && !p->failed; u = u->next) {
        if (u->user && u->user->f.refused) continue;
        check_extern(p, u);
        if (p->failed && u->user && refuse_function(p->m, &u->user->f, p->e))
            p->failed = refuse_body(p->build, u->user) != 0;
    }
}

void parse_module(struct ptx_parser *p)
{
    advance(p);
    while (p->tok.kind != TOK_END) parse_directive(p);
    check_externs(p);
}
