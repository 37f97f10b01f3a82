/* report_figure.c - a figure on the page: picture, note, claims, numbers. The pictures are gnuplot's SVG, put into the
 * page itself; the style sheet gives them the page's colours. The data travel in the link that saves them, where the
 * script finds the values it shows under the pointer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "experiment/report_page.h"

static void put_picture(struct page *g, const struct table *t)
{
    struct wl_err e = {.code = WL_OK};
    char *svg;
    if (t->figure->chart == CHART_TABLE || g->no_gnuplot) return;
    int rc = table_svg(t, &svg, &e);
    if (rc == TABLE_NO_GNUPLOT) g->no_gnuplot = true;
    if (rc > 0 && !g->undrawn.code) g->undrawn = e;
    fputs("<figure data-name=\"", g->out);
    put_id(g->out, t->x, t->figure->id);
    fprintf(g->out, "\" data-chart=%s data-labels=%u data-columns=%u role=img aria-label=\"",
            chart_names[t->figure->chart], t->labels, t->columns);
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

/* ---- the data as a file ---- */

static bool column_is_stated(const struct table *t, unsigned column)
{
    for (unsigned i = 0; i < t->rows; i++)
        if (t->row[i].stated && t->row[i].stated[column]) return true;
    return false;
}

/* The table as `warpline figure` writes it, and a column "NAME (paper)" where the source states numbers of NAME. */
static void put_data(const struct table *t, FILE *out)
{
    char name[300];
    for (unsigned l = 0; l < t->labels; l++) put_csv(out, t->head[l]), fputc(',', out);
    for (unsigned c = 0; c < t->columns; c++) {
        if (c) fputc(',', out);
        put_csv(out, t->column[c]);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        snprintf(name, sizeof name, "%.280s (paper)", t->column[c]);
        if (column_is_stated(t, c)) fputc(',', out), put_csv(out, name);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < t->rows; i++) {
        const struct table_row *r = &t->row[i];
        for (unsigned l = 0; l < t->labels; l++) put_csv(out, r->label[l]), fputc(',', out);
        for (unsigned c = 0; c < t->columns; c++) {
            if (c) fputc(',', out);
            if (!isnan(r->value[c])) fprintf(out, "%.6g", r->value[c]);
        }
        for (unsigned c = 0; c < t->columns; c++) {
            if (!column_is_stated(t, c)) continue;
            fputc(',', out);
            if (r->stated[c]) put_csv(out, r->stated[c]->value_text);
        }
        fputc('\n', out);
    }
}

static int put_data_link(struct page *g, const struct table *t)
{
    struct text_stream stream;
    if (!text_stream_open(&stream)) return wl_no_memory(g->e);
    put_data(t, stream.file);
    char *text = text_stream_close(&stream);
    if (!text) return wl_no_memory(g->e);
    fputs("<a class=csv download=\"", g->out);
    put_id(g->out, t->x, t->figure->id);
    fputs(".csv\" href=\"data:text/csv;charset=utf-8,", g->out);
    for (const char *s = text; *s; s++) {
        if (strchr("%#\"<>&'?\n\r\t ", *s) || (unsigned char)*s >= 127) fprintf(g->out, "%%%02X", (unsigned char)*s);
        else fputc(*s, g->out);
    }
    fputs("\">save data (CSV)</a>", g->out);
    free(text);
    return 0;
}

/* ---- one figure ---- */

void put_rerun(struct page *g, const struct plan *p, const char *id)
{
    bool built_in = strncmp(p->x->file, "experiments/", 12) == 0;
    fputs("<p class=soft>Again: <code>warpline ", g->out);
    if (built_in && id) fputs("figure ", g->out), put_id(g->out, p->x, id);
    else fputs("experiment ", g->out), put_html(g->out, built_in ? p->x->name : p->x->file);
    fprintf(g->out, " --size %s", size_names[p->size]);
    if (g->info->store) fputs(" --store ", g->out), put_html(g->out, g->info->store);
    fputs("</code></p>\n", g->out);
}

static void put_head(FILE *out, const struct plan *p, const struct exp_figure *f)
{
    fputs("<div class=\"panel figure\" id=\"f-", out);
    put_id(out, p->x, f->id);
    fputs("\"><h3>", out);
    put_id(out, p->x, f->id);
    fputs(" &nbsp;", out);
    put_html(out, f->title);
    put_anchor(out, "f", p->x, f->id);
    fputs("</h3>\n", out);
}

static int put_body(struct page *g, const struct plan *p, const struct table *t)
{
    const struct exp_figure *f = t->figure;
    FILE *out = g->out;
    put_picture(g, t);
    if (f->note) fputs("<p>", out), put_html(out, f->note), fputs("</p>\n", out);
    if (t->missing && plan_count(p, RUN_FAILED) + plan_count(p, RUN_MISSING))
        fprintf(out, "<p class=\"v miss\">%u numbers are missing: their runs failed or were not done.</p>\n",
                t->missing);
    else if (t->missing)
        fprintf(out,
                "<p class=soft>%u places have no number: the runs are done, and have nothing to count there.</p>\n",
                t->missing);
    put_figure_claims(g, p, f);
    bool open = f->chart == CHART_TABLE || g->no_gnuplot;
    fprintf(out, "<details%s><summary>the numbers</summary><div class=scroll>\n", open ? " open" : "");
    table_html(t, out);
    fputs("</div></details>\n<p class=tools>", out);
    int rc = put_data_link(g, t);
    fputs("</p>\n", out);
    put_rerun(g, p, f->id);
    fputs("</div>\n", out);
    return rc;
}

int put_figure(struct page *g, const struct plan *p, const struct exp_figure *f)
{
    struct table *t = table_make(p, f, g->e);
    const struct exp_range *r = page_range(g, p);
    int rc = t ? 0 : WL_ERUN;
    if (!rc && r) rc = range_table(r, t, g->e);
    if (!rc) rc = table_stated(t, g->e);
    if (!rc) {
        put_head(g->out, p, f);
        rc = put_body(g, p, t);
    }
    table_free(t);
    return rc;
}
