/* expr.c - recursive descent over one line of text, and a walk that evaluates it.
 *
 *     either  := both ("or" both)*
 *     both    := compare ("and" compare)*
 *     compare := sum (("<" | "<=" | ">" | ">=" | "==") sum)*      a > b > c: a > b and b > c
 *     sum     := product (("+" | "-") product)*
 *     product := unary (("*" | "/") unary)*
 *     unary   := "-" unary | number | name | name "(" either ["," set] ")" | "(" either ")"
 *              | "corr" "(" either "," either ["," set] ")"
 *
 * The set of a call is everything up to the closing parenthesis, unparsed. */
#include "experiment/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The depth also bounds the time: the middle of a chain a < b < c is evaluated twice. */
enum { MAX_DEPTH = 12, MAX_NODES = 512 };

struct expr_parser {
    struct arena *arena;
    const char *text, *p;
    unsigned depth, nodes;
    bool failed;
    unsigned at;
    struct wl_err *e;
};

static struct expr *either(struct expr_parser *s);
static struct expr *unary(struct expr_parser *s);

static struct expr *mistake(struct expr_parser *s, const char *at, const char *why)
{
    if (s->failed) return NULL;
    s->failed = true;
    s->at = (unsigned)(at - s->text);
    wl_fail(s->e, WL_EINPUT, "%s", why);
    return NULL;
}

static struct expr *node(struct expr_parser *s, enum expr_op op, const char *at, struct expr *a, struct expr *b)
{
    if (s->failed) return NULL;
    if (++s->nodes > MAX_NODES) return mistake(s, at, "this expression is too long");
    struct expr *x = ARENA_NEW(s->arena, struct expr);
    if (!x) return mistake(s, at, "out of memory");
    *x = (struct expr){.op = op, .at = (unsigned)(at - s->text), .a = a, .b = b};
    return x;
}

static void blanks(struct expr_parser *s)
{
    while (*s->p == ' ' || *s->p == '\t') s->p++;
}

static bool take(struct expr_parser *s, const char *word)
{
    blanks(s);
    size_t n = strlen(word);
    if (strncmp(s->p, word, n) != 0) return false;
    if (isalpha((unsigned char)*word) && (isalnum((unsigned char)s->p[n]) || s->p[n] == '_')) return false;
    s->p += n;
    return true;
}

/* ---- names, numbers, calls ---- */

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.' || p[n] == '[' || p[n] == ']') n++;
    if (p[n] == '@') /* a point of a sweep: everything up to a blank or an operator */
        for (n++; isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.';) n++;
    return n;
}

static struct expr *call(struct expr_parser *s, struct expr *x, const char *open)
{
    s->p = open + 1;
    x->op = EXPR_CALL;
    x->a = either(s);
    if (strcmp(x->name, "corr") == 0)
        x->b = take(s, ",") ? either(s) : mistake(s, s->p, "corr takes two values: corr(a, b)");
    if (s->failed) return NULL;
    if (take(s, ",")) {
        blanks(s);
        size_t n = strcspn(s->p, ")");
        x->set = arena_strndup(s->arena, s->p, n);
        x->set_at = (unsigned)(s->p - s->text);
        if (!x->set) return mistake(s, open, "out of memory");
        s->p += n;
    }
    return take(s, ")") ? x : mistake(s, s->p, "a ')' is missing");
}

static struct expr *word(struct expr_parser *s)
{
    const char *start = s->p;
    size_t n = name_length(start);
    struct expr *x = node(s, EXPR_NAME, start, NULL, NULL);
    if (!x) return NULL;
    x->name = arena_strndup(s->arena, start, n);
    if (!x->name) return mistake(s, start, "out of memory");
    s->p += n;
    blanks(s);
    return *s->p == '(' ? call(s, x, s->p) : x;
}

static struct expr *number(struct expr_parser *s)
{
    char *end;
    const char *start = s->p;
    double v = text_double(start, &end);
    if (end == start || !isfinite(v)) return mistake(s, start, "this is no number");
    struct expr *x = node(s, EXPR_NUMBER, start, NULL, NULL);
    if (x) x->number = v;
    s->p = end;
    return x;
}

static struct expr *primary(struct expr_parser *s)
{
    blanks(s);
    const char *start = s->p;
    if (take(s, "-")) return node(s, EXPR_NEGATE, start, unary(s), NULL);
    if (take(s, "(")) {
        struct expr *x = either(s);
        return take(s, ")") ? x : mistake(s, s->p, "a ')' is missing");
    }
    if (isdigit((unsigned char)*start) || *start == '.') return number(s);
    if (isalpha((unsigned char)*start) || *start == '_') return word(s);
    if (!*start) return mistake(s, start, "something is missing here: a number, a name or '('");
    return mistake(s, start, "a number, a name or '(' is expected here");
}

static struct expr *unary(struct expr_parser *s)
{
    if (++s->depth > MAX_DEPTH) return mistake(s, s->p, "this expression is nested too deeply");
    struct expr *x = primary(s);
    s->depth--;
    return x;
}

/* ---- operators, weakest last ---- */

static struct expr *product(struct expr_parser *s)
{
    struct expr *x = unary(s);
    while (!s->failed) {
        blanks(s);
        const char *at = s->p;
        if (take(s, "*")) x = node(s, EXPR_MULTIPLY, at, x, unary(s));
        else if (take(s, "/")) x = node(s, EXPR_DIVIDE, at, x, unary(s));
        else break;
    }
    return x;
}

static struct expr *sum(struct expr_parser *s)
{
    struct expr *x = product(s);
    while (!s->failed) {
        blanks(s);
        const char *at = s->p;
        if (take(s, "+")) x = node(s, EXPR_ADD, at, x, product(s));
        else if (take(s, "-")) x = node(s, EXPR_SUBTRACT, at, x, product(s));
        else break;
    }
    return x;
}

static bool comparison(struct expr_parser *s, enum expr_op *op)
{
    if (take(s, "<=")) return *op = EXPR_LESS_EQUAL, true;
    if (take(s, ">=")) return *op = EXPR_GREATER_EQUAL, true;
    if (take(s, "==")) return *op = EXPR_EQUAL, true;
    if (take(s, "<")) return *op = EXPR_LESS, true;
    if (take(s, ">")) return *op = EXPR_GREATER, true;
    return false;
}

static struct expr *compare(struct expr_parser *s)
{
    struct expr *left = sum(s), *all = NULL;
    enum expr_op op;
    while (!s->failed) {
        blanks(s);
        const char *at = s->p;
        if (!comparison(s, &op)) break;
        struct expr *right = sum(s), *one = node(s, op, at, left, right);
        all = all ? node(s, EXPR_AND, at, all, one) : one;
        left = right; /* a > b > c: b is in both */
    }
    return all ? all : left;
}

static struct expr *both(struct expr_parser *s)
{
    struct expr *x = compare(s);
    while (!s->failed && take(s, "and")) x = node(s, EXPR_AND, s->p, x, compare(s));
    return x;
}

static struct expr *either(struct expr_parser *s)
{
    struct expr *x = both(s);
    while (!s->failed && take(s, "or")) x = node(s, EXPR_OR, s->p, x, both(s));
    return x;
}

struct expr *expr_parse(struct arena *a, const char *text, unsigned *at, struct wl_err *e)
{
    struct expr_parser s = {.arena = a, .text = text, .p = text, .e = e};
    struct expr *x = either(&s);
    blanks(&s);
    if (!s.failed && *s.p) x = mistake(&s, s.p, "an operator is expected here: + - * / < <= > >= == and or");
    *at = s.at;
    return s.failed ? NULL : x;
}

/* ---- walking ---- */

static bool is_scalar_function(const char *name) { return strcmp(name, "abs") == 0 || strcmp(name, "floor") == 0; }

int expr_visit(struct expr *x, int (*visit)(void *arg, struct expr *x), void *arg)
{
    if (!x) return 0;
    bool call = x->op == EXPR_CALL;
    int rc = x->op == EXPR_NAME || (call && !is_scalar_function(x->name)) ? visit(arg, x) : 0;
    if (!rc) rc = expr_visit(x->a, visit, arg);
    return rc ? rc : expr_visit(x->b, visit, arg);
}

static double scalar_call(const struct expr *x, const struct expr_env *env)
{
    double v = expr_value(x->a, env);
    return *x->name == 'a' ? fabs(v) : floor(v);
}

static double truth(bool known, bool value) { return known ? (double)value : (double)NAN; }

static double binary(enum expr_op op, double a, double b)
{
    bool known = !isnan(a) && !isnan(b);
    switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUBTRACT: return a - b;
    case EXPR_MULTIPLY: return a * b;
    case EXPR_DIVIDE: return b != 0 ? a / b : (double)NAN; /* a share of nothing is no number */
    case EXPR_LESS: return truth(known, a < b);
    case EXPR_LESS_EQUAL: return truth(known, a <= b);
    case EXPR_GREATER: return truth(known, a > b);
    case EXPR_GREATER_EQUAL: return truth(known, a >= b);
    case EXPR_EQUAL: return truth(known, a == b);
    case EXPR_AND: return truth(known, a != 0 && b != 0);
    default: return truth(known, a != 0 || b != 0);
    }
}

double expr_value(const struct expr *x, const struct expr_env *env)
{
    switch (x->op) {
    case EXPR_NUMBER: return x->number;
    case EXPR_NAME: return env->name(env->arg, x);
    case EXPR_CALL:
        if (is_scalar_function(x->name)) return scalar_call(x, env);
        return env->call ? env->call(env->arg, x) : (double)NAN;
    case EXPR_NEGATE: return -expr_value(x->a, env);
    default: return binary(x->op, expr_value(x->a, env), expr_value(x->b, env));
    }
}
