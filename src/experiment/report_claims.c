/* report_claims.c - claims as tables: those of a figure below it, and all of them at the end, grouped by paper, to be
 * filtered. On a narrow screen a row becomes a block, which is why cells name their column (data-h). */
#include <math.h>

#include "experiment/report_page.h"

void put_measured(FILE *out, const struct exp_claim *c, double m)
{
    if (isnan(m)) fputs("&ndash;", out);
    else if (c->kind == CLAIM_ORDER) fputs(m != 0 ? "holds" : "does not hold", out);
    else {
        char text[32];
        claim_text(c, m, text, sizeof text);
        fputs(text, out);
    }
}

/* `on`: the name of the machine, NULL: the default one. */
static void put_verdict(FILE *out, const struct exp_claim *c, double m, const char *on)
{
    enum verdict v = claim_verdict(c, m);
    fputs("<td class=n data-h=\"", out);
    put_html(out, on ? on : "measured");
    fputs("\">", out);
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

/* "dacache.fig8.mean_ipc": long, so it may be broken after a dot or a low line. */
static void put_breakable_id(FILE *out, const struct experiment *x, const char *id)
{
    char one[2] = "";
    put_html(out, x->name);
    fputs(".<wbr>", out);
    for (; *id; id++) {
        one[0] = *id;
        put_html(out, one);
        if (*id == '.' || *id == '_') fputs("<wbr>", out);
    }
}

/* In the list of all claims a row has a place of its own and leads to its figure. */
static void put_name(FILE *out, const struct plan *p, const struct exp_claim *c, bool listed)
{
    if (listed && c->figure) {
        fputs("<a href=\"#f-", out);
        put_id(out, p->x, c->figure->id);
        fputs("\">", out);
    }
    put_breakable_id(out, p->x, c->id);
    if (listed && c->figure) fputs("</a>", out);
    if (listed) put_anchor(out, "c", p->x, c->id);
}

/* `on`: the machine it is measured on; NULL: all of them, the default one first. r: with ranges. */
static void put_claim_row(FILE *out, const struct plan *p, const struct exp_claim *c, bool listed,
                          const struct exp_variant *on, const struct exp_range *r)
{
    double m = claim_value_on(p, c, on);
    fprintf(out, "<tr data-verdict=\"%s\"", verdict_names[claim_verdict(c, m)]);
    if (listed) fputs(" id=\"c-", out), put_id(out, p->x, c->id), fputc('"', out);
    fputs("><th scope=row>", out);
    put_name(out, p, c, listed);
    fputs("</th><td>", out);
    put_html(out, c->text);
    put_remark(out, c);
    fputs("</td><td class=n data-h=stated>", out);
    put_html(out, c->value_text);
    fputs("</td>", out);
    put_verdict(out, c, m, NULL);
    if (r) put_range(out, r, (unsigned)(c - p->x->claims));
    for (unsigned i = 0; !on && i < p->x->nvariants; i++)
        put_verdict(out, c, claim_value_on(p, c, &p->x->variants[i]), p->x->variants[i].name);
    fputs("</tr>\n", out);
}

static void put_claim_head(FILE *out, const struct plan *p, const struct exp_variant *on, const struct exp_range *r)
{
    const struct experiment *x = p->x;
    fputs("<div class=scroll><table class=\"wide claims\"><thead><tr><th>claim</th><th>what</th><th class=n>stated</th>"
          "<th class=n>measured</th><th>verdict</th>",
          out);
    if (r) fputs("<th>range</th><th>inside</th>", out);
    for (unsigned i = 0; !on && i < x->nvariants; i++) {
        fputs("<th class=n>", out);
        put_html(out, x->variants[i].name);
        fputs("</th><th>verdict</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

void put_figure_claims(struct page *g, const struct plan *p, const struct exp_figure *f)
{
    const struct exp_range *all = f->variant ? NULL : page_range(g, p), *r = NULL;
    const struct exp_figure *of = f->of ? f->of : f;
    bool any = false;
    for (unsigned i = 0; all && i < p->x->nclaims; i++)
        if (p->x->claims[i].figure == of && range_is_known(all, i)) r = all;
    for (unsigned i = 0; i < p->x->nclaims; i++) {
        if (p->x->claims[i].figure != of) continue;
        if (!any) put_claim_head(g->out, p, f->variant, r);
        any = true;
        put_claim_row(g->out, p, &p->x->claims[i], false, f->variant, r);
    }
    if (any) fputs("</tbody></table></div>\n", g->out);
}

/* Claims that count first, then the others. */
static void put_group(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    char counts[160];
    struct claim_counts k = page_counts(p);
    fputs("<details class=group open data-paper=\"", out);
    put_html(out, p->x->name);
    fputs("\"><summary>", out);
    put_html(out, p->x->title);
    counts_text(k.n, counts, sizeof counts);
    fprintf(out, " <small>%s</small></summary>\n", counts);
    const struct exp_range *r = page_range(g, p);
    put_claim_head(out, p, NULL, r);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < p->x->nclaims; i++) {
            const struct exp_claim *c = &p->x->claims[i];
            if ((c->own || c->repeat) == (pass == 1)) put_claim_row(out, p, c, true, NULL, r);
        }
    fputs("</tbody></table></div></details>\n", out);
}

void put_claims(struct page *g)
{
    FILE *out = g->out;
    unsigned n = 0;
    for (unsigned i = 0; i < g->count; i++) n += g->plans[i]->x->nclaims;
    if (!n) return;
    fputs("<h2>Claims</h2>\n<div class=panel id=claims><div class=filter><input id=word type=search "
          "placeholder=\"filter by text\" aria-label=\"filter by text\"><select id=paper aria-label=paper>"
          "<option value=\"\">all papers</option>",
          out);
    for (unsigned i = 0; i < g->count; i++) {
        if (!g->plans[i]->x->nclaims) continue;
        fputs("<option value=\"", out);
        put_html(out, g->plans[i]->x->name);
        fputs("\">", out);
        put_html(out, g->plans[i]->x->title);
        fputs("</option>", out);
    }
    fputs("</select><select id=verdict aria-label=verdict><option value=\"\">all verdicts</option>", out);
    for (unsigned v = 0; v < VERDICT_COUNT; v++) fprintf(out, "<option>%s</option>", verdict_names[v]);
    fputs("</select><span id=shown class=soft></span></div>\n", out);
    for (unsigned i = 0; i < g->count; i++)
        if (g->plans[i]->x->nclaims) put_group(g, g->plans[i]);
    fputs("</div>\n", out);
}
