/* cmd_claims.c - every stated number next to the measured one. */
#include <math.h>
#include <string.h>

#include "cli/lab.h"

static void measured_text(const struct exp_claim *c, double m, char *out, size_t size)
{
    if (isnan(m)) snprintf(out, size, "-");
    else if (c->kind == CLAIM_ORDER) snprintf(out, size, "%s", m != 0 ? "holds" : "does not");
    else snprintf(out, size, fabs(m) >= 1000 ? "%.0f" : "%.3f", m);
}

void show_claims(const struct lab *l, struct claim_counts *counts)
{
    int width = 8;
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        int n = (int)(strlen(l->x->name) + 1 + strlen(l->x->claims[i].id));
        if (n > width) width = n;
    }
    if (l->x->nclaims) printf("%-*s  %12s  %10s  %s\n", width, "claim", "stated", "measured", "verdict");
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        const struct exp_claim *c = &l->x->claims[i];
        double m = claim_value(l->plan, c);
        enum verdict v = claim_verdict(c, m);
        char id[256], ours[32];
        snprintf(id, sizeof id, "%s.%s", l->x->name, c->id);
        measured_text(c, m, ours, sizeof ours);
        printf("%-*s  %12s  %10s  %s%s%s\n", width, id, c->value_text, ours, verdict_names[v], c->skip ? ": " : "",
               c->skip ? c->skip : "");
        counts->n[v]++;
    }
}

void show_claim_summary(const struct claim_counts *k)
{
    const unsigned *n = k->n;
    unsigned total = n[VERDICT_MATCH] + n[VERDICT_DIRECTION] + n[VERDICT_MISS] + n[VERDICT_NOT_RUN];
    printf("claims: %u total, %u match, %u direction, %u miss, %u not run\n", total, n[VERDICT_MATCH],
           n[VERDICT_DIRECTION], n[VERDICT_MISS], n[VERDICT_NOT_RUN]);
}

static int claims_of(const char *name, const struct options *o, struct claim_counts *counts, struct wl_err *e)
{
    struct lab l;
    int rc = lab_open(&l, name, o, e);
    for (unsigned i = 0; !rc && i < l.x->nclaims; i++) rc = plan_claim(l.plan, &l.x->claims[i], e);
    if (!rc) rc = lab_run(&l, o, e);
    if (!rc) show_claims(&l, counts);
    if (!rc) rc = lab_failed(&l, o, e);
    lab_close(&l);
    return rc;
}

int cmd_claims(const struct options *o, struct wl_err *e)
{
    struct claim_counts counts = {{0}};
    const char *names[64];
    unsigned n = o->words.count ? 0 : experiment_names(names, 64);
    int rc = 0, worst = 0;
    for (unsigned i = 0; i < n + o->words.count; i++) {
        rc = claims_of(n ? names[i] : o->words.item[i], o, &counts, e);
        if (rc > worst) worst = rc;
        if (rc > WL_ERUN) break; /* bad input: nothing to go on with */
    }
    if (worst <= WL_ERUN) show_claim_summary(&counts);
    return worst;
}
