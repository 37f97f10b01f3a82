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

/* The verdicts on the other machines of the experiment, next to the one that counts. */
static void show_variants(const struct lab *l, const struct exp_claim *c)
{
    for (unsigned i = 0; i < l->x->nvariants; i++) {
        double m = claim_value_on(l->plan, c, &l->x->variants[i]);
        char ours[32];
        measured_text(c, m, ours, sizeof ours);
        printf("  %10s  %-9s", ours, verdict_names[claim_verdict(c, m)]);
    }
}

static void show_claim(const struct lab *l, const struct exp_claim *c, int width, struct claim_counts *counts)
{
    double m = claim_value(l->plan, c);
    enum verdict v = claim_verdict(c, m);
    char id[256], ours[32];
    snprintf(id, sizeof id, "%s.%s", l->x->name, c->id);
    measured_text(c, m, ours, sizeof ours);
    printf("%-*s  %12s  %10s  ", width, id, c->value_text, ours);
    if (c->skip) printf("%s: %s", verdict_names[v], c->skip);
    else if (!l->x->nvariants) printf("%s", verdict_names[v]);
    else printf("%-9s", verdict_names[v]);
    if (!c->skip) show_variants(l, c);
    if (c->repeat) printf("  (same as %s)", c->repeat->id);
    printf("\n");
    claim_count(counts, c, v);
}

static void show_head(const struct lab *l, int width)
{
    printf("%-*s  %12s  %10s  %s", width, "claim", "stated", "measured", l->x->nvariants ? "verdict  " : "verdict");
    for (unsigned i = 0; i < l->x->nvariants; i++) printf("  %10s  verdict  ", l->x->variants[i].name);
    printf("\n");
}

/* What each of the other machines would have made of the claims that count. */
static void show_variant_counts(const struct lab *l)
{
    for (unsigned i = 0; i < l->x->nvariants; i++) {
        const struct exp_variant *v = &l->x->variants[i];
        struct claim_counts k = {{0}, {0}, {0}};
        char text[100];
        for (unsigned n = 0; n < l->x->nclaims; n++) {
            const struct exp_claim *c = &l->x->claims[n];
            claim_count(&k, c, claim_verdict(c, claim_value_on(l->plan, c, v)));
        }
        counts_text(k.n, text, sizeof text);
        printf("%s on %s (%s): %s\n", l->x->name, v->name, v->label, text);
    }
}

void show_claims(const struct lab *l, struct claim_counts *counts)
{
    int width = 8;
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        int n = (int)(strlen(l->x->name) + 1 + strlen(l->x->claims[i].id));
        if (n > width) width = n;
    }
    if (l->x->nclaims) show_head(l, width);
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        const struct exp_claim *c = &l->x->claims[i];
        if (!c->own && !c->repeat) show_claim(l, c, width, counts);
    }
    bool said = false;
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        const struct exp_claim *c = &l->x->claims[i];
        if (!c->own && !c->repeat) continue;
        if (!said) printf("not counted: checks of ours, and what the paper states twice\n");
        said = true;
        show_claim(l, c, width, counts);
    }
    if (l->x->nclaims) show_variant_counts(l);
}

void show_claim_summary(const struct claim_counts *k)
{
    char text[100];
    counts_text(k->n, text, sizeof text);
    printf("claims: %s\n", text);
    if (counts_total(k->own)) {
        counts_text(k->own, text, sizeof text);
        printf("own checks, not counted: %s\n", text);
    }
    if (counts_total(k->repeats)) {
        counts_text(k->repeats, text, sizeof text);
        printf("repeats, not counted: %s\n", text);
    }
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
    struct claim_counts counts = {{0}, {0}, {0}};
    const char *names[64];
    unsigned n = o->words.count || o->from ? 0 : experiment_names(names, 64);
    if (o->from && !o->words.count) return wl_fail(e, WL_EINPUT, "name the results files: --from docs/results/hac.csv");
    int rc = 0, worst = 0;
    for (unsigned i = 0; i < n + o->words.count; i++) {
        rc = claims_of(n ? names[i] : o->words.item[i], o, &counts, e);
        if (rc > worst) worst = rc;
        if (rc > WL_ERUN) break; /* bad input: nothing to go on with */
    }
    if (worst <= WL_ERUN) show_claim_summary(&counts);
    return worst;
}
