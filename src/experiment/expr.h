/* expr.h - the small expressions of experiment files.
 *
 * One grammar serves metrics ("l1d.misses / l1d.accesses") and claims ("gmean(dacache, divergent)
 * > gmean(dip)"); they differ in what a name and a function mean, which the environment says.
 * Truth is 1, falsehood 0. A value that is not there is NaN and makes everything NaN that
 * depends on it: a number that rests on a missing run is never shown. */
#ifndef WL_EXPERIMENT_EXPR_H
#define WL_EXPERIMENT_EXPR_H

#include "base/arena.h"
#include "base/err.h"

enum expr_op {
    EXPR_NUMBER,
    EXPR_NAME, /* l1d.misses, kernels[0].cycles, gto@16 */
    EXPR_CALL, /* name(a) or name(a, set); corr(a, b) or corr(a, b, set) */
    EXPR_NEGATE,
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_LESS,
    EXPR_LESS_EQUAL,
    EXPR_GREATER,
    EXPR_GREATER_EQUAL,
    EXPR_EQUAL,
    EXPR_AND,
    EXPR_OR
};

struct expr {
    enum expr_op op;
    unsigned at; /* offset in the text, for messages */
    double number;
    const char *name;  /* of EXPR_NAME and EXPR_CALL */
    const char *set;   /* what follows the comma of a call, or NULL */
    unsigned set_at;   /* its offset */
    const void *bound; /* set by a visitor (expr_visit) for the environment that evaluates it */
    struct expr *a, *b;
};

/* Parses `text` into the arena. On failure NULL, *at is the offset of the mistake and the text of
 * *e the sentence. abs and floor are known to every environment. */
struct expr *expr_parse(struct arena *a, const char *text, unsigned *at, struct wl_err *e);

/* Calls `visit` for every name and every call but abs and floor, outermost first; stops at the
 * first non-zero value and returns it. */
int expr_visit(struct expr *x, int (*visit)(void *arg, struct expr *x), void *arg);

struct expr_env {
    double (*name)(void *arg, const struct expr *x);
    double (*call)(void *arg, const struct expr *x); /* NULL: there are no functions */
    void *arg;
};
double expr_value(const struct expr *x, const struct expr_env *env);

#endif
