/* report.c - the page: summary, claims, every figure with the stated numbers next to ours, and what
 * was run on what. The pictures are gnuplot's SVG, put into the page itself. */
#include "experiment/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/table.h"

struct page {
    FILE *out;
    const struct report_info *info;
    const struct plan *const *plans;
    const struct exp_range *const *ranges;
    struct range_counts inside;
    unsigned count;
    struct claim_counts claims;
    unsigned figures, failed, missing, runs;
    bool no_gnuplot;
    struct wl_err undrawn; /* why the first picture that failed is not there */
    struct wl_err *e;
};

static const char *verdict_class(enum verdict v) { return v == VERDICT_NOT_RUN ? "none" : verdict_names[v]; }

/* "baseline.1" */
static void put_id(FILE *out, const struct experiment *x, const char *id)
{
    put_html(out, x->name);
    fputc('.', out);
    put_html(out, id);
}

static void put_measured(FILE *out, const struct exp_claim *c, double m)
{
    if (isnan(m)) fputs("&ndash;", out);
    else if (c->kind == CLAIM_ORDER) fputs(m != 0 ? "holds" : "does not hold", out);
    else fprintf(out, fabs(m) >= 1000 ? "%.0f" : "%.3f", m);
}

/* ---- counting ---- */

static void count_all(struct page *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        const struct plan *p = g->plans[i];
        g->figures += p->x->nfigures;
        g->runs += p->nruns;
        g->failed += plan_count(p, RUN_FAILED);
        g->missing += plan_count(p, RUN_MISSING);
        for (unsigned c = 0; c < p->x->nclaims; c++)
            claim_count(&g->claims, &p->x->claims[c],
                        claim_verdict(&p->x->claims[c], claim_value(p, &p->x->claims[c])));
    }
}

/* What counts as a claim of a paper. */
static unsigned total_claims(const struct page *g) { return counts_total(g->claims.n); }

static bool any_claims(const struct page *g)
{
    return total_claims(g) || counts_total(g->claims.own) || counts_total(g->claims.repeats);
}

/* The range of a plan's claims; NULL when none of them is known. */
static const struct exp_range *range_of(const struct page *g, const struct plan *p)
{
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned c = 0; g->plans[i] == p && g->ranges[i] && c < p->x->nclaims; c++)
            if (range_is_known(g->ranges[i], c)) return g->ranges[i];
    return NULL;
}

static void count_ranges(struct page *g)
{
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned c = 0; g->ranges[i] && c < g->plans[i]->x->nclaims; c++) {
            const struct exp_claim *claim = &g->plans[i]->x->claims[c];
            if (!claim->own && !claim->repeat && range_is_known(g->ranges[i], c))
                g->inside.inside[range_claim(g->ranges[i], c).inside]++;
        }
}

/* ---- head and summary ---- */

static void put_card(FILE *out, unsigned n, const char *what, const char *class)
{
    fprintf(out, "<div class=card><b class=\"v %s\">%u</b>%s</div>\n", class, n, what);
}

static void put_rules(struct page *g)
{
    fputs("<p class=soft>A ratio matches within 0.05 or a quarter of its stated effect, whichever is larger, and an "
          "effect of more than 0.02 only by an effect of the same sign and 0.02 at least; <i>direction</i> means an "
          "effect of the stated sign. Other values state their own tolerance. Nothing is tuned to a claim.",
          g->out);
    unsigned own = counts_total(g->claims.own), repeats = counts_total(g->claims.repeats);
    if (own || repeats)
        fprintf(g->out, " Listed and not counted: %u checks of ours, %u repeats of a claim.", own, repeats);
    fputs("</p>\n", g->out);
    const unsigned *n = g->inside.inside;
    if (n[INSIDE_YES] + n[INSIDE_NEAR] + n[INSIDE_NO] == 0) return;
    fprintf(
        g->out,
        "<p class=soft>Ranges: bars go from the lowest to the highest value over what the source leaves unsaid; the "
        "stronger part is noise, the dot is measured, the line is stated. The stated value lies inside for %u claims, "
        "near (a match somewhere in the range) for %u, outside for %u. Verdicts are those of the dot.</p>\n",
        n[INSIDE_YES], n[INSIDE_NEAR], n[INSIDE_NO]);
}

static void put_head(struct page *g)
{
    FILE *out = g->out;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<link rel=icon href=\"data:,\">\n<title>warpline report</title>\n<style>\n%s</style></head><body>\n",
            report_style);
    fprintf(out,
            "<header><div><h1>warpline report</h1>\n<p class=soft>warpline %s, build <code>%.12s</code>, size "
            "<b>%s</b>, %s</p>\n<nav>",
            g->info->version, g->info->build, g->info->size, g->info->made);
    if (any_claims(g)) fputs("<a href=\"#claims\">Claims</a>", out);
    for (unsigned i = 0; i < g->count; i++) {
        fprintf(out, "<a href=\"#x-");
        put_html(out, g->plans[i]->x->name);
        fputs("\">", out);
        put_html(out, g->plans[i]->x->title);
        fputs("</a>", out);
    }
    fputs("</nav></div></header>\n<main>\n<div class=cards>\n", out);
    put_card(out, g->figures, g->figures == 1 ? "figure" : "figures", "");
    put_card(out, g->runs, g->runs == 1 ? "run" : "runs", "");
    put_card(out, total_claims(g), total_claims(g) == 1 ? "claim" : "claims", "");
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        put_card(out, g->claims.n[v], verdict_names[v], verdict_class((enum verdict)v));
    if (g->failed) put_card(out, g->failed, "failed runs", "miss");
    if (g->missing) put_card(out, g->missing, "runs not done", "none");
    fputs("</div>\n", out);
    if (any_claims(g)) put_rules(g);
}

/* ---- claims ---- */

static void put_verdict(FILE *out, const struct exp_claim *c, double m)
{
    enum verdict v = claim_verdict(c, m);
    fputs("<td class=n>", out);
    put_measured(out, c, m);
    fprintf(out, "</td><td class=\"v %s\">%s</td>", verdict_class(v), verdict_names[v]);
}

static void put_remark(FILE *out, const struct exp_claim *c)
{
    if (c->skip) {
        fputs(*c->text ? " <span class=soft>(not measured: " : "<span class=soft>(not measured: ", out);
        put_html(out, c->skip);
        fputs(")</span>", out);
    }
    if (c->own) fputs(" <span class=soft>(a check of ours, not counted)</span>", out);
    if (c->repeat) {
        fputs(" <span class=soft>(same as ", out);
        put_html(out, c->repeat->id);
        fputs(", not counted)</span>", out);
    }
}

/* `on`: the machine it is measured on; NULL: all of them, the default one first. */
static void put_claim_row(struct page *g, const struct plan *p, const struct exp_claim *c, bool whole,
                          const struct exp_variant *on)
{
    FILE *out = g->out;
    double m = claim_value_on(p, c, on);
    fprintf(out, "<tr data-verdict=\"%s\"><th scope=row>", verdict_names[claim_verdict(c, m)]);
    if (whole && c->figure) {
        fputs("<a href=\"#f-", out);
        put_id(out, p->x, c->figure->id);
        fputs("\">", out);
    }
    put_id(out, p->x, c->id);
    fputs(whole && c->figure ? "</a></th><td>" : "</th><td>", out);
    put_html(out, c->text);
    put_remark(out, c);
    fputs("</td><td class=n>", out);
    put_html(out, c->value_text);
    fputs("</td>", out);
    put_verdict(out, c, m);
    const struct exp_range *r = on ? NULL : range_of(g, p);
    if (r) put_range(out, r, (unsigned)(c - p->x->claims));
    for (unsigned i = 0; !on && i < p->x->nvariants; i++) put_verdict(out, c, claim_value_on(p, c, &p->x->variants[i]));
    fputs("</tr>\n", out);
}

static void put_claim_head(struct page *g, const char *id, const struct plan *p, const struct exp_variant *on)
{
    const struct experiment *x = p->x;
    FILE *out = g->out;
    fprintf(out,
            "<div class=scroll><table class=\"wide claims\"%s%s><thead><tr><th>claim</th><th>what</th><th "
            "class=n>stated</th><th class=n>measured</th><th>verdict</th>",
            *id ? " id=" : "", id);
    if (!on && range_of(g, p)) fputs("<th>range</th><th>inside</th>", out);
    for (unsigned i = 0; !on && i < x->nvariants; i++) {
        fputs("<th class=n>", out);
        put_html(out, x->variants[i].name);
        fputs("</th><th>verdict</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

/* Claims that count first, then the others. */
static void put_claim_table(struct page *g, const struct plan *p)
{
    if (!p->x->nclaims) return;
    put_claim_head(g, "", p, NULL);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < p->x->nclaims; i++) {
            const struct exp_claim *c = &p->x->claims[i];
            if ((c->own || c->repeat) == (pass == 1)) put_claim_row(g, p, c, true, NULL);
        }
    fputs("</tbody></table></div>\n", g->out);
}

static void put_claims(struct page *g)
{
    FILE *out = g->out;
    if (!any_claims(g)) return;
    fputs("<h2>Claims</h2>\n<div class=panel id=claims><div class=filter><input id=word type=search "
          "placeholder=\"filter by text\" aria-label=\"filter by text\"><select id=verdict "
          "aria-label=verdict><option value=\"\">all verdicts</option>",
          out);
    for (unsigned v = 0; v < VERDICT_COUNT; v++) fprintf(out, "<option>%s</option>", verdict_names[v]);
    fputs("</select><span id=shown class=soft></span></div>\n", out);
    for (unsigned i = 0; i < g->count; i++) put_claim_table(g, g->plans[i]);
    fputs("</div>\n", out);
}

/* ---- figures ---- */

static void put_picture(struct page *g, const struct table *t)
{
    struct wl_err e = {.code = WL_OK};
    char *svg;
    if (t->figure->chart == CHART_TABLE || g->no_gnuplot) return;
    int rc = table_svg(t, &svg, &e);
    if (rc == TABLE_NO_GNUPLOT) g->no_gnuplot = true;
    if (rc > 0 && !g->undrawn.code) g->undrawn = e;
    fprintf(g->out, "<figure role=img aria-label=\"");
    put_html(g->out, t->figure->title);
    fputs("\">\n", g->out);
    if (!rc) fputs(strstr(svg, "<svg"), g->out); /* without its XML prologue */
    else {
        fputs("<p class=soft>No picture: ", g->out);
        put_html(g->out, e.text);
        fputs(".</p>", g->out);
    }
    fputs("</figure>\n", g->out);
    free(svg);
}

static void put_figure_claims(struct page *g, const struct plan *p, const struct exp_figure *f)
{
    bool any = false;
    for (unsigned i = 0; i < p->x->nclaims; i++) {
        if (p->x->claims[i].figure != (f->of ? f->of : f)) continue;
        if (!any) put_claim_head(g, "", p, f->variant);
        any = true;
        put_claim_row(g, p, &p->x->claims[i], false, f->variant);
    }
    if (any) fputs("</tbody></table></div>\n", g->out);
}

static void put_rerun(struct page *g, const struct plan *p, const char *id)
{
    bool built_in = strncmp(p->x->file, "experiments/", 12) == 0;
    fputs("<p class=soft>Again: <code>warpline ", g->out);
    if (built_in && id) fputs("figure ", g->out), put_id(g->out, p->x, id);
    else fputs("experiment ", g->out), put_html(g->out, built_in ? p->x->name : p->x->file);
    fprintf(g->out, " --size %s</code></p>\n", size_names[p->size]);
}

static int put_figure(struct page *g, const struct plan *p, const struct exp_figure *f)
{
    struct table *t = table_make(p, f, g->e);
    FILE *out = g->out;
    const struct exp_range *r = range_of(g, p);
    if (!t || (r && range_table(r, t, g->e))) return table_free(t), WL_ERUN;
    fputs("<div class=panel id=\"f-", out);
    put_id(out, p->x, f->id);
    fputs("\"><h3>", out);
    put_id(out, p->x, f->id);
    fputs(" &nbsp;", out);
    put_html(out, f->title);
    fputs("</h3>\n", out);
    put_picture(g, t);
    if (f->note) {
        fputs("<p>", out);
        put_html(out, f->note);
        fputs("</p>\n", out);
    }
    if (t->missing)
        fprintf(out, "<p class=\"v miss\">%u numbers are missing: their runs failed or were not done.</p>\n",
                t->missing);
    put_figure_claims(g, p, f);
    bool open = f->chart == CHART_TABLE || g->no_gnuplot;
    fprintf(out, "<details%s><summary>the numbers</summary><div class=scroll>\n", open ? " open" : "");
    table_html(t, out);
    fputs("</div></details>\n", out);
    put_rerun(g, p, f->id);
    fputs("</div>\n", out);
    table_free(t);
    return 0;
}

/* ---- what was run on what ---- */

static void put_series(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    fputs("<div class=scroll><table><thead><tr><th>series</th><th>machine</th><th>L1D</th><th>L2</th><th>scheduler</th>"
          "<th>configuration</th></tr></thead><tbody>\n",
          out);
    for (unsigned i = 0; i < p->x->nseries; i++) {
        const struct exp_series *s = p->x->series[i];
        struct exp_run r = {.config = &s->config, .workload = p->x->workloads[0]};
        struct plan_row_room room;
        struct store_row row;
        if (s->hidden) continue;
        plan_row(p, &r, &room, &row);
        fputs("<tr><th scope=row>", out);
        put_html(out, s->label);
        if (s->best) fprintf(out, " <span class=soft>(best of %u)</span>", s->nbest);
        fputs("</th><td>", out);
        put_html(out, row.gpu);
        fprintf(out, "</td><td>%s</td><td>%s</td><td>%s</td><td><code>%016" PRIx64 "</code></td></tr>\n", row.l1,
                row.l2, row.sched, row.config_hash);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_workloads(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    fputs("<div class=scroll><table><thead><tr><th>workload</th><th>program</th><th>inputs</th></tr></thead><tbody>\n",
          out);
    for (unsigned w = 0; w < p->x->nworkloads; w++)
        for (unsigned s = 0; s < p->x->nseries; s++) {
            const struct exp_run *r = p->cell[s * p->x->nworkloads + w];
            if (!r) continue;
            fputs("<tr><th scope=row>", out);
            put_html(out, p->x->workloads[w]->label);
            if (r->workload->trace) {
                fputs("</th><td>trace ", out);
                put_html(out, r->workload->trace);
                fputs("</td><td></td></tr>\n", out);
            } else {
                fprintf(out, "</th><td>%s, %s</td><td>%s</td></tr>\n", r->workload->program->name,
                        r->workload->program->suite ? r->workload->program->suite : "", r->inputs);
            }
            break;
        }
    fputs("</tbody></table></div>\n", out);
}

/* The whole machine of the first series; the others differ from it as their rows say. */
static void put_machine(struct page *g, const struct plan *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *m = open_memstream(&text, &size);
    if (!m) return;
    config_print(&p->x->series[0]->config, m);
    fclose(m);
    fputs("<details><summary>every parameter of the machine of the first series</summary><pre>", g->out);
    put_html(g->out, text);
    fputs("</pre></details>\n", g->out);
    free(text);
}

static void put_failures(struct page *g, const struct plan *p)
{
    if (!plan_count(p, RUN_FAILED)) return;
    fputs("<p class=\"v miss\">Failed runs</p><ul>", g->out);
    for (unsigned i = 0; i < p->nruns; i++) {
        const struct exp_run *r = p->runs[i];
        if (r->state != RUN_FAILED) continue;
        fputs("<li>", g->out);
        put_html(g->out, r->workload->label);
        fprintf(g->out, ", %s: ", r->series_label);
        put_html(g->out, r->reason);
        fputs("</li>", g->out);
    }
    fputs("</ul>\n", g->out);
}

static void put_variants(struct page *g, const struct plan *p)
{
    for (unsigned i = 0; i < p->x->nvariants; i++) {
        fputs("<p>Everything is also shown on the machine <b>", g->out);
        put_html(g->out, p->x->variants[i].name);
        fputs("</b>, ", g->out);
        put_html(g->out, p->x->variants[i].label);
        if (*p->x->variants[i].why) fputs(": ", g->out), put_html(g->out, p->x->variants[i].why);
        fputs("</p>\n", g->out);
    }
}

static int put_experiment(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    fputs("<h2 id=\"x-", out);
    put_html(out, p->x->name);
    fputs("\">", out);
    put_html(out, p->x->title);
    fputs("</h2>\n<p>", out);
    put_html(out, p->x->about);
    fputs("</p>\n", out);
    int rc = 0;
    for (unsigned i = 0; !rc && i < p->x->nfigures; i++) rc = put_figure(g, p, &p->x->figures[i]);
    if (rc || !p->x->nworkloads) return rc;
    fputs("<div class=panel><h3>Configuration</h3>\n", out);
    put_failures(g, p);
    put_variants(g, p);
    put_unknowns(out, p->x);
    put_series(g, p);
    put_machine(g, p);
    fputs("<details><summary>workloads and inputs</summary>\n", out);
    put_workloads(g, p);
    fputs("</details>\n", out);
    put_rerun(g, p, NULL);
    fputs("</div>\n", out);
    return 0;
}

int report_write(const struct plan *const *plans, const struct exp_range *const *ranges, unsigned count,
                 const struct report_info *info, FILE *out, struct wl_err *undrawn, struct wl_err *e)
{
    struct page g = {.out = out, .info = info, .plans = plans, .ranges = ranges, .count = count, .e = e};
    count_all(&g);
    count_ranges(&g);
    put_head(&g);
    put_claims(&g);
    int rc = 0;
    for (unsigned i = 0; !rc && i < count; i++) rc = put_experiment(&g, plans[i]);
    fprintf(out,
            "<footer>warpline %s, build %s, size %s, %s. Results with the same build, configuration, inputs and seed "
            "are the same on every machine.</footer>\n</main>\n<script>\n%s</script>\n</body></html>\n",
            info->version, info->build, info->size, info->made, report_script);
    *undrawn = g.undrawn;
    return rc;
}
