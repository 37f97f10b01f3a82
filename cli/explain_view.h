/* explain_view.h - the ways to write an explanation. */
#ifndef WL_CLI_EXPLAIN_VIEW_H
#define WL_CLI_EXPLAIN_VIEW_H

#include <jansson.h>

#include "cli/cli.h"
#include "run/explain.h"

/* explain_text.c */
void explain_text(const struct explanation *x, FILE *out);
/* "bfs on gtx480: ..."; the conclusion in one sentence. */
void explain_headline(const struct explanation *x, char *out, size_t size);
json_t *explain_json(const struct explanation *x); /* NULL: out of memory */
double explain_share(const struct explanation *x, const struct account_reason *r);

/* explain_ledger.c: where the difference of two results comes from. The files hold what `run --json` wrote. */
int ledger_make(const char *before, const char *after, json_t **out, struct wl_err *e);
void ledger_text(const json_t *ledger, FILE *out);

/* explain_html.c: the explanation as a page with pictures. */
int explain_html(const struct explanation *x, FILE *out, struct wl_err *e);

#endif
