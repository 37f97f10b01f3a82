/* cmd_claims.c - every stated number next to the measured one; with --range, next to the lowest and the highest
 * that what the source leaves unsaid can make of it. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lab.h"
#include "experiment/range.h"

/* The verdicts on the other machines of the experiment, next to the one that counts. */
static void show_variants(const struct lab *l, const struct exp_claim *c)
{
    for (unsigned i = 0; i < l->x->nvariants; i++) {
        double m = claim_value_on(l->plan, c, &l->x->variants[i]);
        char ours[32];
        claim_text(c, m, ours, sizeof ours);
        printf("  %10s  %-9s", ours, verdict_names[claim_verdict(c, m)]);
    }
}

static void show_claim(const struct lab *l, const struct exp_claim *c, int width, struct claim_counts *counts)
{
    double m = claim_value(l->plan, c);
    enum verdict v = claim_verdict(c, m);
    char id[256], ours[32];
    snprintf(id, sizeof id, "%s.%s", l->x->name, c->id);
    claim_text(c, m, ours, sizeof ours);
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
    if (l->x->sample)
        printf("sampled: runs are timed in part, their cycles to within %g %%\n", (double)l->x->sample / 100);
    printf("%-*s  %12s  %10s  %s", width, "claim", "stated", "measured", l->x->nvariants ? "verdict  " : "verdict");
    for (unsigned i = 0; i < l->x->nvariants; i++) printf("  %10s  verdict  ", l->x->variants[i].name);
    printf("\n");
}

/* What each of the other machines would have made of the claims that count. */
static void show_variant_counts(const struct lab *l, const bool *wanted)
{
    for (unsigned i = 0; i < l->x->nvariants; i++) {
        const struct exp_variant *v = &l->x->variants[i];
        struct claim_counts k = {{0}, {0}, {0}};
        char text[100];
        for (unsigned n = 0; n < l->x->nclaims; n++) {
            const struct exp_claim *c = &l->x->claims[n];
            if (!wanted || wanted[n]) claim_count(&k, c, claim_verdict(c, claim_value_on(l->plan, c, v)));
        }
        counts_text(k.n, text, sizeof text);
        printf("%s on %s (%s): %s\n", l->x->name, v->name, v->label, text);
    }
}

void show_claims(const struct lab *l, const bool *wanted, struct claim_counts *counts)
{
    int width = 8;
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        int n = (int)(strlen(l->x->name) + 1 + strlen(l->x->claims[i].id));
        if (n > width) width = n;
    }
    if (l->x->nclaims) show_head(l, width);
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        const struct exp_claim *c = &l->x->claims[i];
        if (!c->own && !c->repeat && (!wanted || wanted[i])) show_claim(l, c, width, counts);
    }
    bool said = false;
    for (unsigned i = 0; i < l->x->nclaims; i++) {
        const struct exp_claim *c = &l->x->claims[i];
        if ((!c->own && !c->repeat) || (wanted && !wanted[i])) continue;
        if (!said) printf("not counted: checks of ours, and what the paper states twice\n");
        said = true;
        show_claim(l, c, width, counts);
    }
    if (l->x->nclaims) show_variant_counts(l, wanted);
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

/* ---- the command ---- */

/* What all experiments of one call add to. */
struct claims_call {
    const struct options *o;
    struct output out;
    struct claim_counts counts;
    struct range_counts ranges;
    json_t *json; /* an array; NULL unless --json */
    unsigned shown;
    struct wl_err failed; /* runs failed: numbers are missing, and what there is is shown all the same */
};

/* --only: a pattern for "fig8.mean" or "dacache.fig8.mean". Returns how many claims there are. */
static unsigned choose(const struct experiment *x, const char *only, bool *wanted)
{
    unsigned n = 0;
    for (unsigned i = 0; i < x->nclaims; i++) {
        char id[256];
        snprintf(id, sizeof id, "%s.%s", x->name, x->claims[i].id);
        wanted[i] = !only || fnmatch(only, id, 0) == 0 || fnmatch(only, x->claims[i].id, 0) == 0;
        n += wanted[i];
    }
    return n;
}

/* --unknown: which of them move. One that an experiment does not have is a mistake if it is the only experiment. */
static int choose_unknowns(const struct claims_call *c, const struct experiment *x, bool *moved, struct wl_err *e)
{
    const struct text_list *only = &c->o->unknown;
    for (unsigned u = 0; u < x->nunknowns; u++) moved[u] = !only->count;
    for (unsigned i = 0; i < only->count; i++) {
        const char *names[EXP_MAX_UNKNOWNS];
        unsigned u = 0;
        for (; u < x->nunknowns; u++) names[u] = x->unknowns[u].name;
        for (u = 0; u < x->nunknowns && strcmp(names[u], only->item[i]) != 0;) u++;
        if (u < x->nunknowns) moved[u] = true;
        if (u < x->nunknowns || c->o->words.count != 1) continue;
        const char *near = wl_nearest(only->item[i], names, x->nunknowns);
        return wl_fail(e, WL_EINPUT, "%s has no unknown '%s'%s%s%s", x->name, only->item[i],
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return 0;
}

static int show(struct claims_call *c, struct lab *l, const struct exp_range *r, const bool *wanted, struct wl_err *e)
{
    if (r && c->o->verbose && c->out.text) unknowns_text(l->x, stdout);
    if (r && c->out.text) range_text(r, &c->ranges, stdout);
    if (!r && c->out.text) show_claims(l, wanted, &c->counts);
    for (unsigned i = 0; r && i < l->x->nclaims; i++)
        if (wanted[i])
            claim_count(&c->counts, &l->x->claims[i], claim_verdict(&l->x->claims[i], r->value[i * r->npoints]));
    if (c->out.csv) claims_csv(l->plan, r, wanted, !c->shown, c->out.csv);
    c->shown++;
    json_t *one = c->json ? claims_json(l->plan, r, wanted) : NULL;
    return c->json && json_array_append_new(c->json, one) ? wl_no_memory(e) : 0;
}

/* --range: plans every point. With --known, what that file has is kept as it is, claims that --only leaves out too. */
static int plan_range(struct claims_call *c, struct lab *l, bool *wanted, struct exp_range **out, struct wl_err *e)
{
    const struct options *o = c->o;
    struct exp_range *known = NULL;
    bool moved[EXP_MAX_UNKNOWNS], *run = calloc(l->x->nclaims + 1, sizeof *run);
    int rc = run ? choose_unknowns(c, l->x, moved, e) : wl_no_memory(e);
    if (!rc && o->known) rc = range_read(l->plan, o->known, &known, e);
    if (!rc && o->known && !known)
        rc = wl_fail(e, WL_EINPUT, "%s has no range of %s at size %s; 'claims --range --json' writes such a file",
                     o->known, l->x->name, workload_size_name(l->plan->size));
    for (unsigned i = 0; !rc && i < l->x->nclaims; i++) {
        run[i] = wanted[i];
        wanted[i] = wanted[i] || (known && range_has(known, i));
    }
    l->x->nvariants = 0; /* a range is of the experiment itself, not of its other machines */
    l->lean = true;
    const struct range_spec spec = {(unsigned)o->range.n, wanted, run, moved, known};
    if (!rc && !(*out = range_new(l->plan, &spec, e))) rc = (int)e->code;
    range_free(known);
    free(run);
    return rc;
}

/* Plans, runs and shows the wanted claims of an experiment that is open. */
static int measure(struct claims_call *c, struct lab *l, bool *wanted, struct wl_err *e)
{
    const struct options *o = c->o;
    struct exp_range *r = NULL;
    int rc = o->range.given ? plan_range(c, l, wanted, &r, e) : 0;
    for (unsigned i = 0; !rc && !r && i < l->x->nclaims; i++)
        if (wanted[i]) rc = plan_claim(l->plan, &l->x->claims[i], e);
    if (!rc && o->task) {
        rc = lab_run_task(l, o, e);
        range_free(r);
        return rc;
    }
    if (!rc) rc = o->slurm ? lab_run_slurm(l, o, e) : lab_run(l, o, e);
    if (!rc && r) rc = range_evaluate(r, l->store, false, e);
    if (!rc) rc = show(c, l, r, wanted, e);
    if (!rc) lab_failed(l, o, &c->failed);
    range_free(r);
    return rc;
}

static int claims_of(struct claims_call *c, const char *name, struct wl_err *e)
{
    struct lab l;
    int rc = lab_open(&l, name, c->o, e);
    l.command = "claims";
    bool *wanted = rc ? NULL : calloc(l.x->nclaims + 1, sizeof *wanted);
    if (!rc && !wanted) rc = wl_no_memory(e);
    if (!rc && choose(l.x, c->o->only, wanted)) rc = measure(c, &l, wanted, e);
    lab_close(&l);
    free(wanted);
    return rc;
}

static void show_range_summary(const struct range_counts *k)
{
    printf("ranges: the stated value is inside for %u, near for %u, outside for %u, not known for %u; %u move no "
           "further than the noise\n",
           k->inside[INSIDE_YES], k->inside[INSIDE_NEAR], k->inside[INSIDE_NO], k->inside[INSIDE_NOT_KNOWN], k->noise);
}

static int each_experiment(struct claims_call *c, struct wl_err *e)
{
    const char *names[64];
    const struct options *o = c->o;
    unsigned n = o->words.count ? 0 : experiment_names(names, 64);
    int rc = 0, worst = 0;
    for (unsigned i = 0; i < n + o->words.count; i++) {
        rc = claims_of(c, n ? names[i] : o->words.item[i], e);
        if (rc > worst) worst = rc;
        if (rc > WL_ERUN) break; /* bad input: nothing to go on with */
    }
    if (!worst && o->only && !c->shown) worst = wl_fail(e, WL_EINPUT, "no claim has an id like '%s'", o->only);
    return worst;
}

int cmd_claims(const struct options *o, struct wl_err *e)
{
    struct claims_call c = {.o = o};
    if (o->from && !o->words.count) return wl_fail(e, WL_EINPUT, "name the results files: --from docs/results/hac.csv");
    if (o->from && o->range.given)
        return wl_fail(e, WL_EINPUT, "a results file has no ranges: --range goes without --from");
    if (o->range.n > RANGE_MAX_DESIGN) return wl_fail(e, WL_EINPUT, "--range takes up to %d points", RANGE_MAX_DESIGN);
    if (o->unknown.count && !o->range.given) return wl_fail(e, WL_EINPUT, "--unknown goes with --range");
    if (o->task && o->words.count != 1) return wl_fail(e, WL_EINPUT, "--task needs the one experiment it belongs to");
    int rc = output_open(&c.out, o, e);
    if (!rc && o->json && !(c.json = json_array())) rc = wl_no_memory(e);
    if (!rc) rc = each_experiment(&c, e);
    if (rc <= WL_ERUN && c.out.text && !o->task) {
        show_claim_summary(&c.counts);
        if (o->range.given) show_range_summary(&c.ranges);
    }
    int put = rc <= WL_ERUN && c.out.json ? json_dumpf(c.json, c.out.json, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : 0;
    if (rc <= WL_ERUN && c.out.json && !put) fputc('\n', c.out.json);
    json_decref(c.json);
    rc = output_close(&c.out, rc, e);
    return rc || !c.failed.code ? rc : wl_fail(e, c.failed.code, "%s", c.failed.text);
}
