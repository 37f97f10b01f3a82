/* report_range.c - ranges on the page: a strip for each claim, a table of what is unknown.
 *
 * A strip is a small picture: the bar goes from the lowest to the highest value over all points, its dark part is what
 * the noise alone does around the measured value, the dot is the measured value and the line the stated one. Colours
 * are those of the style sheet, so that the strips follow light and dark. */
#include <math.h>
#include <stdio.h>

#include "experiment/report_page.h"

enum { STRIP = 150, MARGIN = 5 };

struct strip_scale {
    double from, to;
};

static double place(const struct strip_scale *s, double v)
{
    double x = MARGIN + (STRIP - 2 * MARGIN) * (v - s->from) / (s->to - s->from);
    return x < 1 ? 1 : x > STRIP - 1 ? STRIP - 1 : x;
}

static void put_bar(FILE *out, const struct strip_scale *s, const char *class, double from, double to)
{
    double x = place(s, from), width = place(s, to) - x;
    fprintf(out, "<rect class=%s x=%.1f y=4 width=%.1f height=8 />", class, width < 2 ? x - 1 : x,
            width < 2 ? 2 : width);
}

static void put_strip(FILE *out, const struct exp_claim *c, const struct claim_range *k)
{
    double stated_to = c->bound == BOUND_RANGE ? c->value_high : c->value;
    struct strip_scale s = {fmin(k->low, c->value), fmax(k->high, stated_to)};
    if (s.to - s.from < 1e-6) s.from -= 0.01, s.to += 0.01;
    fprintf(out,
            "<svg class=strip viewBox=\"0 0 %d 16\" role=img aria-label=\"lowest %.3f, measured %.3f, highest %.3f\">",
            STRIP, k->low, k->value, k->high);
    put_bar(out, &s, "band", k->low, k->high);
    if (k->noise > 0) put_bar(out, &s, "noise", fmax(k->low, k->value - k->noise), fmin(k->high, k->value + k->noise));
    fprintf(out, "<path class=stated d=\"M%.1f 1V15\" />", place(&s, c->value));
    if (c->bound == BOUND_RANGE) fprintf(out, "<path class=stated d=\"M%.1f 1V15\" />", place(&s, stated_to));
    fprintf(out, "<circle class=dot cx=%.1f cy=8 r=3.2 /></svg>", place(&s, k->value));
}

static void put_moved(FILE *out, const struct exp_range *r, const struct exp_claim *c, const struct claim_range *k)
{
    if (k->most < 0) {
        fputs("nothing moves it", out);
    } else {
        const struct exp_unknown *u = &r->x->unknowns[k->most];
        put_html(out, u->name);
        fputc('=', out);
        put_html(out, u->values[k->most_value].label);
        if (c->kind != CLAIM_ORDER) fprintf(out, " %+.3f", k->move);
    }
    if (k->within_noise) fputs(", within the noise", out);
    if (k->known < r->npoints) fprintf(out, "; %u of %u points are known", k->known, r->npoints);
}

bool range_is_known(const struct exp_range *r, unsigned claim)
{
    struct claim_range k = range_claim(r, claim);
    return r->npoints > 1 && !isnan(k.value) && (k.known == r->npoints || k.most >= 0);
}

/* The strip with its ends, or at how many points an order holds. */
void put_range_strip(FILE *out, const struct exp_range *r, unsigned claim)
{
    const struct exp_claim *c = &r->x->claims[claim];
    struct claim_range k = range_claim(r, claim);
    if (c->kind == CLAIM_ORDER) {
        unsigned holds = 0;
        for (unsigned n = 0; n < r->npoints; n++) holds += r->value[claim * r->npoints + n] > 0; /* NaN is not */
        fprintf(out, "holds at %u of %u points", holds, k.known);
    } else {
        put_strip(out, c, &k);
        fputs("<span class=ends>", out);
        put_measured(out, c, k.low);
        if (k.high > k.low) {
            fputs(" &ndash; ", out);
            put_measured(out, c, k.high);
        }
        fputs("</span>", out);
    }
}

void put_range(FILE *out, const struct exp_range *r, unsigned claim)
{
    const struct exp_claim *c = &r->x->claims[claim];
    struct claim_range k = range_claim(r, claim);
    if (!range_is_known(r, claim)) {
        fputs("<td data-h=range></td><td data-h=inside></td>", out);
        return;
    }
    fputs("<td class=range data-h=range>", out);
    put_range_strip(out, r, claim);
    fputs("<br><span class=soft>", out);
    put_moved(out, r, c, &k);
    fprintf(out, "</span></td><td data-h=inside>%s</td>", inside_names[k.inside]);
}

void put_unknowns(FILE *out, const struct experiment *x)
{
    if (!x->nunknowns) return;
    fputs("<details><summary>what the source leaves unsaid, and the reason for each value</summary><div class=scroll>"
          "<table><thead><tr><th>unknown</th><th>value</th><th>reason</th></tr></thead><tbody>\n",
          out);
    for (unsigned i = 0; i < x->nunknowns; i++) {
        const struct exp_unknown *u = &x->unknowns[i];
        fprintf(out, "<tr><th scope=row rowspan=%u>", u->nvalues + 1);
        put_html(out, u->name);
        fputs("<br><span class=soft>", out);
        put_html(out, u->text);
        fputs("</span></th><td>as it stands</td><td>", out);
        put_html(out, u->why);
        fputs("</td></tr>\n", out);
        for (unsigned v = 0; v < u->nvalues; v++) {
            fputs("<tr><td>", out);
            put_html(out, u->values[v].label);
            fputs("</td><td>", out);
            put_html(out, u->values[v].why);
            fputs("</td></tr>\n", out);
        }
    }
    fputs("</tbody></table></div></details>\n", out);
}
