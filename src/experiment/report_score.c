/* report_score.c - the scoreboard: one row per paper with what it is known for, stated and measured, and the verdicts
 * of all its claims. Its numbers lead to the claims behind them. */
#include <math.h>
#include <string.h>

#include "experiment/report_page.h"

/* "#claims?paper=dacache&verdict=miss"; names of experiments from files may need escapes, which URLSearchParams undoes.
 */
static void put_claims_link(FILE *out, const struct experiment *x, const char *verdict)
{
    fputs("<a href=\"#claims?paper=", out);
    for (const char *s = x->name; *s; s++) {
        if (strchr("&=+%#\"<> ", *s) || (unsigned char)*s >= 128) fprintf(out, "%%%02X", (unsigned char)*s);
        else fputc(*s, out);
    }
    if (verdict) fprintf(out, "&amp;verdict=%s", strcmp(verdict, "not run") == 0 ? "not+run" : verdict);
    fputs("\">", out);
}

static void put_tally(FILE *out, const struct experiment *x, const unsigned n[VERDICT_COUNT])
{
    fputs("<div class=tally aria-hidden=true>", out);
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        if (n[v]) fprintf(out, "<i class=%s style=\"flex:%u\"></i>", verdict_class((enum verdict)v), n[v]);
    fputs("</div><div class=counts>", out);
    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        if (!n[v]) continue;
        if (x) put_claims_link(out, x, verdict_names[v]);
        fprintf(out, "<span class=\"v %s\">%u %s</span>%s ", verdict_class((enum verdict)v), n[v], verdict_names[v],
                x ? "</a>" : "");
    }
    fputs("</div>", out);
}

/* Its range, or that of a claim that repeats it. */
static void put_headline_range(struct page *g, const struct plan *p)
{
    const struct exp_range *r = page_range(g, p);
    for (unsigned i = 0; r && i < p->x->nclaims; i++) {
        const struct exp_claim *c = &p->x->claims[i];
        if ((c != p->x->headline && c->repeat != p->x->headline) || !range_is_known(r, i)) continue;
        put_range_strip(g->out, r, i);
        return;
    }
    fputs("<span class=soft>not known</span>", g->out);
}

static void put_row(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    const struct experiment *x = p->x;
    const struct exp_claim *c = x->headline;
    struct claim_counts k = page_counts(p);
    double m = claim_value(p, c);
    enum verdict v = claim_verdict(c, m);
    fputs("<tr><th scope=row><a href=\"#x-", out);
    put_html(out, x->name);
    fputs("\"><b>", out);
    put_html(out, x->title);
    fprintf(out, "</b></a></th><td>");
    put_html(out, c->text);
    fputs(" <a class=anchor aria-label=\"the claim\" href=\"#c-", out);
    put_id(out, x, c->id);
    fputs("\">#</a></td><td class=\"n big\" data-h=paper>", out);
    put_html(out, c->value_text);
    fputs("</td><td class=\"n big\" data-h=ours>", out);
    put_measured(out, c, m);
    fprintf(out, "<div class=\"v %s\"><small class=\"v %s\">%s</small></div></td><td class=range data-h=range>",
            verdict_class(v), verdict_class(v), verdict_names[v]);
    put_headline_range(g, p);
    fputs("</td><td>", out);
    put_tally(out, x, k.n);
    fputs("</td></tr>\n", out);
}

static void put_rules(struct page *g, const struct claim_counts *k)
{
    struct range_counts near = {{0}, 0};
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned c = 0; g->ranges[i] && c < g->plans[i]->x->nclaims; c++) {
            const struct exp_claim *claim = &g->plans[i]->x->claims[c];
            if (!claim->own && !claim->repeat && range_is_known(g->ranges[i], c))
                near.inside[range_claim(g->ranges[i], c).inside]++;
        }
    fputs("<p class=soft>A ratio matches within 0.05 or a quarter of its stated effect, whichever is larger, and an "
          "effect of more than 0.02 only by an effect of the same sign and 0.02 at least; <i>direction</i> means an "
          "effect of the stated sign. Other values state their own tolerance. Nothing is tuned to a claim.",
          g->out);
    unsigned own = counts_total(k->own), repeats = counts_total(k->repeats);
    if (own || repeats)
        fprintf(g->out, " Listed and not counted: %u checks of ours, %u repeats of a claim.", own, repeats);
    fputs("</p>\n", g->out);
    const unsigned *n = near.inside;
    if (n[INSIDE_YES] + n[INSIDE_NEAR] + n[INSIDE_NO] == 0) return;
    fprintf(
        g->out,
        "<p class=soft>Ranges: bars go from the lowest to the highest value over what the source leaves unsaid; the "
        "stronger part is noise, the dot is measured, the line is stated. The stated value lies inside for %u claims, "
        "near (a match somewhere in the range) for %u, outside for %u. Verdicts are those of the dot.</p>\n",
        n[INSIDE_YES], n[INSIDE_NEAR], n[INSIDE_NO]);
}

void put_scoreboard(struct page *g)
{
    FILE *out = g->out;
    struct claim_counts all = {{0}, {0}, {0}};
    unsigned papers = 0, claims = 0;
    for (unsigned i = 0; i < g->count; i++) {
        struct claim_counts k = page_counts(g->plans[i]);
        for (unsigned v = 0; v < VERDICT_COUNT; v++)
            all.n[v] += k.n[v], all.own[v] += k.own[v], all.repeats[v] += k.repeats[v];
        claims += g->plans[i]->x->nclaims;
        papers += g->plans[i]->x->headline != NULL;
    }
    if (!claims) return;
    if (papers) {
        fputs("<h2 id=scoreboard>Scoreboard</h2>\n<div class=panel><div class=scroll><table class=\"wide score\">"
              "<thead><tr><th>paper</th><th>what it is known for</th><th class=n>paper</th><th "
              "class=n>ours</th><th>range</th><th>all its claims</th></tr>"
              "</thead><tbody>\n",
              out);
        for (unsigned i = 0; i < g->count; i++)
            if (g->plans[i]->x->headline) put_row(g, g->plans[i]);
        if (papers > 1) {
            fprintf(out, "<tr class=mean><th scope=row>together</th><td>%u claims</td><td></td><td></td><td></td><td>",
                    counts_total(all.n));
            put_tally(out, NULL, all.n);
            fputs("</td></tr>\n", out);
        }
        fputs("</tbody></table></div></div>\n", out);
    }
    put_rules(g, &all);
}
