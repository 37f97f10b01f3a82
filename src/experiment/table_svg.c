/* table_svg.c - a table as a chart, drawn by gnuplot.
 *
 * The colours are those of Okabe and Ito, which people with any common colour blindness can tell
 * apart, in an order whose neighbours also differ in brightness. Texts are plain: no markup is
 * interpreted, and characters that mean something to gnuplot are taken out of labels. gnuplot opens no
 * file: it gets its script and gives the picture through files in memory, so that a name, a full disk or a missing
 * folder for temporary files is never its affair. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "experiment/process.h"
#include "experiment/table.h"

static const char *const palette[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#8c8c8c", "#f0e442"};
enum { COLOURS = sizeof palette / sizeof *palette };
static const char *colour(unsigned i) { return palette[i % COLOURS]; }

/* In single quotes, where gnuplot expands nothing. */
static void put_text(FILE *out, const char *s)
{
    fputc('\'', out);
    for (; *s; s++) {
        if (*s == '\'') fputc('\'', out);
        fputc(*s == '`' || (unsigned char)*s < ' ' ? ' ' : *s, out);
    }
    fputc('\'', out);
}

/* A field of a data block. */
static void put_field(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) fputc(strchr("\"`\\", *s) || (unsigned char)*s < ' ' ? '\'' : *s, out);
    fputc('"', out);
}

static void put_number(FILE *out, double v)
{
    if (isnan(v)) fputs(" ?", out);
    else fprintf(out, " %.9g", v);
}

static bool normalised(const struct table *t)
{
    const struct exp_figure *f = t->figure;
    if (chart_has_parts(f->chart) || f->chart == CHART_SCATTER || chart_walks(f->chart) || f->example) return false;
    return f->view.base >= 0 || t->x->series[f->series[0]]->base >= 0;
}

static void put_axes(const struct table *t, FILE *out)
{
    const struct exp_figure *f = t->figure;
    fputs("set key title ", out); /* a title of the key is above it, one of the plot would be below */
    put_text(out, f->title);
    fputs(" font ',15'\nset ylabel ", out);
    if (f->ylabel) put_text(out, f->ylabel);
    else if (f->chart == CHART_CDF) put_text(out, "cumulative share");
    else if (normalised(t) && f->view.base >= 0) {
        char text[400];
        snprintf(text, sizeof text, "%s, relative to %s", f->view.metric_text, t->x->series[f->view.base]->label);
        put_text(out, text);
    } else
        put_text(out, f->view.metric_text         ? f->view.metric_text
                      : f->example                ? "cycle"
                      : f->chart == CHART_HEAT    ? f->each
                      : f->chart == CHART_SCATTER ? "measured"
                                                  : "share");
    if (f->xlabel || f->sweep || f->each || f->x || f->chart == CHART_SCATTER) {
        fputs("\nset xlabel ", out);
        put_text(out, f->xlabel ? f->xlabel : f->x ? f->x_text : f->sweep ? f->sweep : f->each ? f->each : "stated");
    }
    fputs("\n", out);
}

/* Room for the labels below the axis decides how high the picture must be. */
static void put_head(const struct table *t, unsigned marks, size_t longest, FILE *out)
{
    bool turned = marks * longest > 84;
    unsigned height = 400 + (turned ? (unsigned)longest * 4 : 0) + 20 * (t->columns / 5);
    unsigned width = marks > 24 ? 1200 : 860;
    fprintf(out, "set terminal svg noenhanced size %u,%u dynamic rounded font 'Helvetica,13' background '#ffffff'",
            width, height);
    fputs(" name ", out);
    char name[128];
    size_t n = 0;
    snprintf(name, sizeof name, "f_%.50s_%.50s", t->x->name, t->figure->id);
    for (n = 0; name[n]; n++)
        if (!isalnum((unsigned char)name[n])) name[n] = '_'; /* ids in the SVG: unique on a page */
    put_text(out, name);
    fputs("\nset encoding utf8\nset datafile missing '?'\nset border 3 lc rgb '#444444'\n"
          "set tics nomirror out scale 0.5\nset grid ytics lc rgb '#dddddd' lt 1 lw 1\nset yrange [0:*]\n"
          "set key outside top center horizontal Left reverse samplen 1.2 width 1\nset style fill solid 1 noborder\n",
          out);
    if (turned) fputs("set xtics rotate by 35 right\n", out);
    if (normalised(t))
        fputs("set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 2 lc rgb '#444444' front\n", out);
    put_axes(t, out);
}

/* "geometric mean, divergent" is too long below an axis. */
static const char *short_label(const struct table_row *r, unsigned label, char out[128])
{
    const char *text = r->label[label];
    bool geometric = strncmp(text, "geometric mean", 14) == 0;
    if (!r->mean || label) snprintf(out, 128, "%s", text);
    else snprintf(out, 128, "%s%s", geometric ? "gmean" : "mean", text + (geometric ? 14 : 15));
    return out;
}

/* ---- bars and lines over workloads ---- */

static size_t longest_label(const struct table *t, unsigned label)
{
    size_t most = 1;
    char text[128];
    for (unsigned i = 0; i < t->rows; i++) {
        size_t n = strlen(short_label(&t->row[i], label, text));
        if (n > most) most = n;
    }
    return most;
}

/* The ranges of all bars that have one: where a bar is, its lowest value, and how far the highest is from it. False:
 * they are not known. */
static bool put_ranges(const struct table *t, bool lines, FILE *out)
{
    unsigned place = 0;
    bool any = false;
    for (unsigned i = 0; i < t->rows * t->columns; i++) {
        const struct table_row *r = &t->row[i / t->columns];
        any = any || (r->low && r->high[i % t->columns] - r->low[i % t->columns] > 1e-9);
    }
    if (!any) return false;
    fputs("$ranges << EOD\n", out);
    for (unsigned i = 0; i < t->rows; i++, place++) {
        if (i && t->row[i].mean && !t->row[i - 1].mean) place++; /* the gap before the means */
        for (unsigned c = 0; c < t->columns; c++) {
            double at = lines ? 0 : (c - (t->columns - 1) / 2.0) / (t->columns + 1);
            double low = t->row[i].low[c], high = t->row[i].high[c];
            if (high - low > 1e-9) fprintf(out, "%.4f %.9g %.9g\n", place + at, low, high - low);
        }
    }
    fputs("EOD\n", out);
    return true;
}

static void put_bars(const struct table *t, FILE *out)
{
    bool lines = t->figure->chart == CHART_LINES;
    char text[128];
    put_head(t, t->rows, longest_label(t, 0), out);
    fputs("$data << EOD\n", out);
    for (unsigned i = 0; i < t->rows; i++) {
        if (i && t->row[i].mean && !t->row[i - 1].mean) { /* a gap before the means */
            fputs("\"\"", out);
            for (unsigned c = 0; c < t->columns; c++) fputs(" ?", out);
            fputc('\n', out);
        }
        put_field(out, short_label(&t->row[i], 0, text));
        for (unsigned c = 0; c < t->columns; c++) put_number(out, t->row[i].value[c]);
        fputc('\n', out);
    }
    fputs("EOD\n", out);
    bool ranges = put_ranges(t, lines, out), stated = table_stated_marks(t, lines, out);
    if (!lines) fputs("set style data histograms\nset style histogram clustered gap 1\nset xtics scale 0\n", out);
    for (unsigned c = 0; c < t->columns; c++) {
        fprintf(out, c ? ", \\\n     " : "plot ");
        if (lines) fprintf(out, "$data using 0:%u:xtic(1) with linespoints pt 7 ps 0.6 lw 2", c + 2);
        else fprintf(out, "$data using %u:xtic(1)", c + 2);
        fprintf(out, " lc rgb '%s' title ", colour(c));
        put_text(out, t->column[c]);
    }
    if (ranges)
        fprintf(out,
                ", \\\n     $ranges using 1:2:(0):3 with vectors heads size graph 0.005,90 lw 1.4 lc rgb '#222222' "
                "title '%s'",
                t->figure->nseeds ? "seeds" : "range");
    if (stated) /* white inside, so that they show on any bar */
        fputs(", \\\n     $stated using 1:2 with points pt 13 ps 0.9 lc rgb '#ffffff' notitle, \\\n"
              "     $stated using 1:2 with points pt 12 ps 0.9 lw 1.5 lc rgb '#222222' title 'stated'",
              out);
    fputc('\n', out);
}

/* ---- parts, stacked or side by side ---- */

static void put_stack_data(const struct table *t, unsigned series, FILE *out)
{
    char text[128];
    for (unsigned i = 0; i < t->rows; i++) {
        if (i % series == 0) fprintf(out, "$w%u << EOD\n", i / series);
        put_field(out, short_label(&t->row[i], series > 1, text));
        for (unsigned c = 0; c < t->columns; c++) put_number(out, t->row[i].value[c]);
        fputs("\n", out);
        if (i % series == series - 1) fputs("EOD\n", out);
    }
}

/* Whether the parts make up a whole. */
static bool shares(const struct table *t)
{
    for (unsigned i = 0; i < t->rows; i++) {
        double sum = 0;
        for (unsigned c = 0; c < t->columns; c++) sum += isnan(t->row[i].value[c]) ? 0 : t->row[i].value[c];
        if (sum > 1.0005) return false;
    }
    return true;
}

static void put_stacked(const struct table *t, FILE *out)
{
    unsigned series = t->figure->nseries;
    size_t longest = longest_label(t, series > 1);
    bool turned = t->rows * longest > 80, stacked = t->figure->chart == CHART_STACKED;
    char text[128];
    put_head(t, series > 1 ? 1 : t->rows, longest, out);
    put_stack_data(t, series, out);
    fputs("set style data histograms\nset xtics scale 0\n", out);
    if (stacked) fputs("set boxwidth 0.8 relative\n", out);
    if (stacked && shares(t)) fputs("set yrange [0:1]\n", out);
    fprintf(out, "set style histogram %s gap 1\n", stacked ? "rowstacked" : "clustered");
    if (series >
        1) { /* two lines of labels: series, and below them the workloads, which gnuplot loses when it places them */
        double below = turned ? 0.5 * (double)longest + 0.6 : 0.8;
        fprintf(out, "set bmargin %.1f\n", below + 3);
        if (turned) fputs("set xtics rotate by 90 right font ',10'\n", out);
        for (unsigned w = 0; w < t->rows / series; w++) {
            fputs("set label ", out);
            put_text(out, short_label(&t->row[w * series], 0, text));
            fprintf(out, " at first %.1f, graph 0 center offset 0,-%.1f\n", w * (series + 1) + (series - 1) / 2.0,
                    below + 1.2 + (w % 2 && t->rows > 16 ? 1 : 0)); /* names of many programs take turns in two lines */
        }
    }
    for (unsigned w = 0; w < t->rows / series; w++) {
        fputs(w ? ", \\\n     " : "plot ", out);
        fprintf(out, "newhistogram '' at %u", series > 1 ? w * (series + 1) : w);
        for (unsigned c = 0; c < t->columns; c++)
            fprintf(out, ", \\\n     $w%u using %u:xtic(1) lc rgb '%s' notitle", w, c + 2, colour(c));
    }
    for (unsigned c = 0; c < t->columns; c++) {
        fprintf(out, ", \\\n     keyentry with boxes fs solid 1 noborder lc rgb '%s' title ", colour(c));
        put_text(out, t->column[c]);
    }
    fputc('\n', out);
}

/* Over time: a box from the end of the element before to its own, parts upon each other. */
static void put_stacked_time(const struct table *t, FILE *out)
{
    put_head(t, 1, 8, out);
    if (shares(t)) fputs("set yrange [0:1]\n", out);
    fputs("set autoscale xfix\nset format x '%.15g'\n", out);
    for (unsigned c = 0; c < t->columns; c++) {
        double before = 0;
        fprintf(out, "$p%u << EOD\n", c);
        for (unsigned i = 0; i < t->rows; i++) {
            double x = text_double(t->row[i].label[2], NULL), below = 0, v = t->row[i].value[c];
            for (unsigned k = 0; k < c; k++) below += isnan(t->row[i].value[k]) ? 0 : t->row[i].value[k];
            if (x > before && !isnan(v))
                fprintf(out, "%.15g %.9g %.15g %.15g %.9g %.9g\n", (x + before) / 2, below, before, x, below,
                        below + v);
            if (x > before) before = x;
        }
        fputs("EOD\n", out);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        fprintf(out, "%s$p%u using 1:2:3:4:5:6 with boxxyerror lc rgb '%s' title ", c ? ", \\\n     " : "plot ", c,
                colour(c));
        put_text(out, t->column[c]);
    }
    fputc('\n', out);
}

/* ---- lines: sweeps, time series, distributions ---- */

/* One block of rows with the same labels but the last; a line for each column. */
struct block {
    unsigned from, to;
};

static unsigned find_blocks(const struct table *t, struct block *b)
{
    unsigned n = 0, key = t->labels - 1;
    bool means = t->figure->nmeans > 0; /* then they are what is drawn; the workloads are in the CSV */
    for (unsigned i = 0; i < t->rows; i++) {
        bool same = i > 0;
        for (unsigned l = 0; same && l < key; l++) same = strcmp(t->row[i].label[l], t->row[i - 1].label[l]) == 0;
        if (means && !t->row[i].mean) continue;
        if (same && n && b[n - 1].to == i) b[n - 1].to = i + 1;
        else b[n++] = (struct block){i, i + 1};
    }
    return n;
}

static void put_block_data(const struct table *t, const struct block *b, unsigned n, FILE *out)
{
    for (unsigned k = 0; k < n; k++) {
        fprintf(out, "$b%u << EOD\n", k);
        for (unsigned i = b[k].from; i < b[k].to; i++) {
            if (t->figure->x) fputs(t->row[i].label[t->labels - 1], out); /* a number, not a mark */
            else put_field(out, t->row[i].label[t->labels - 1]);
            for (unsigned c = 0; c < t->columns; c++) put_number(out, t->row[i].value[c]);
            fputs("\n", out);
        }
        fputs("EOD\n", out);
    }
}

static void put_line_title(const struct table *t, const struct block *b, unsigned blocks, unsigned column, FILE *out)
{
    char text[300], group[128];
    const char *label[] = {short_label(&t->row[b->from], 0, group), t->row[b->from].label[1]};
    if (!t->figure->sweep) snprintf(text, sizeof text, "%s, %s", label[0], label[1]);
    else if (blocks == 1) snprintf(text, sizeof text, "%s", t->column[column]);
    else if (t->columns == 1) snprintf(text, sizeof text, "%s", label[0]);
    else snprintf(text, sizeof text, "%s, %s", t->column[column], label[0]);
    put_text(out, text);
}

/* False: no memory. */
static bool put_lines(const struct table *t, FILE *out)
{
    struct block *b = calloc(t->rows ? t->rows : 1, sizeof *b);
    if (!b) return false;
    unsigned n = find_blocks(t, b), line = 0;
    bool marks = t->figure->sweep != NULL;
    put_head(t, marks ? t->figure->npoints : 1, longest_label(t, t->labels - 1), out);
    put_block_data(t, b, n, out);
    if (marks) fprintf(out, "set xrange [-0.3:%.1f]\n", t->figure->npoints - 0.7);
    if (t->figure->chart == CHART_CDF) fputs("set yrange [0:1]\n", out);
    if (t->figure->log_x) fputs("set logscale x\n", out);
    if (t->figure->x) fputs("set autoscale xfix\nset format x '%.15g'\n", out);
    for (unsigned k = 0; k < n; k++)
        for (unsigned c = 0; c < t->columns; c++, line++) {
            fputs(line ? ", \\\n     " : "plot ", out);
            fprintf(out, "$b%u using %u:%u%s with %s lw 2 dt %u lc rgb '%s' title ", k, t->figure->x ? 1u : 0u, c + 2,
                    marks ? ":xtic(1)" : "", marks ? "linespoints pt 7 ps 0.6" : "lines", 1u + line / COLOURS,
                    colour(line));
            put_line_title(t, &b[k], n, c, out);
        }
    fputc('\n', out);
    free(b);
    return true;
}

/* ---- heat maps and scatters ---- */

static void put_heat(const struct table *t, FILE *out)
{
    double before = 0;
    put_head(t, 1, 8, out);
    fputs(
        "set yrange [-0.5:*]\nset autoscale xfix\nset autoscale yfix\nunset grid\nset colorbox\nset format x '%.15g'\n"
        "set palette defined (0 '#fffff5', 1 '#fed976', 2 '#fd8d3c', 3 '#bd0026', 4 '#3c001e')\n"
        "set style fill solid 1 noborder\n$data << EOD\n",
        out);
    for (unsigned i = 0; i < t->rows; i++) { /* a box from the end of the sample before to its own */
        double x = text_double(t->row[i].label[2], NULL);
        for (unsigned c = 0; c < t->columns && x > before; c++) {
            fprintf(out, "%.15g %u %.15g %.15g %.1f %.1f", (x + before) / 2, c, before, x, c - 0.5, c + 0.5);
            put_number(out, t->row[i].value[c]);
            fputc('\n', out);
        }
        if (x > before) before = x;
    }
    fputs("EOD\nplot $data using 1:2:3:4:5:6:7 with boxxyerror lc palette notitle\n", out);
}

static void put_scatter(const struct table *t, FILE *out)
{
    const struct exp_figure *f = t->figure;
    unsigned series = f->x ? f->nseries : 1, each = series ? t->rows / series : 0;
    put_head(t, 1, 8, out);
    fputs("set yrange [*:*]\nset format x '%.15g'\n", out);
    if (f->log_x) fputs("set logscale xy\n", out);
    for (unsigned s = 0; s < series; s++) {
        fprintf(out, "$s%u << EOD\n", s);
        for (unsigned i = s * each; i < (s + 1) * each; i++) {
            put_number(out, t->row[i].value[0]);
            put_number(out, t->row[i].value[1]);
            fputc(' ', out);
            put_field(out, t->row[i].label[0]);
            fputc('\n', out);
        }
        fputs("EOD\n", out);
    }
    fputs("plot ", out);
    if (!f->x) fputs("x with lines dt 2 lc rgb '#444444' title 'as stated', \\\n     ", out);
    for (unsigned s = 0; s < series; s++) {
        if (s) fputs(", \\\n     ", out);
        fprintf(out, "$s%u using 1:2 with points pt 7 ps 0.7 lc rgb '%s' title ", s, colour(s));
        put_text(out, f->x ? t->row[s * each].label[1] : "claims");
        if (each <= 30)
            fprintf(out, ", \\\n     $s%u using 1:2:3 with labels left offset 0.7,0 font ',9' tc rgb '#444444' notitle",
                    s);
    }
    fputc('\n', out);
}

/* ---- drawing ---- */

char *table_gnuplot(const struct table *t)
{
    struct text_stream stream;
    FILE *out = text_stream_open(&stream);
    bool whole = true;
    if (!out) return NULL;
    switch (t->figure->chart) {
    case CHART_STACKED: t->figure->each ? put_stacked_time(t, out) : put_stacked(t, out); break;
    case CHART_GROUPED: put_stacked(t, out); break;
    case CHART_SWEEP:
    case CHART_TIME:
    case CHART_CDF: whole = put_lines(t, out); break;
    case CHART_HEAT: put_heat(t, out); break;
    case CHART_SCATTER: put_scatter(t, out); break;
    default: put_bars(t, out); break;
    }
    char *text = text_stream_close(&stream);
    if (whole) return text;
    free(text);
    return NULL;
}

static bool nothing_to_draw(const struct table *t)
{
    for (unsigned i = 0; i < t->rows; i++)
        for (unsigned c = 0; c < t->columns; c++)
            if (!isnan(t->row[i].value[c])) return false;
    return true;
}

/* A picture that gnuplot could not finish has no end. */
static bool is_whole(const char *svg)
{
    const char *end = strstr(svg, "</svg>");
    return strstr(svg, "<svg") && end && !end[6 + strspn(end + 6, " \t\r\n")];
}

int table_svg(const struct table *t, char **svg, struct wl_err *e)
{
    static const char *const argv[] = {"gnuplot", "-", NULL};
    char said[1024], where[256];
    *svg = NULL;
    snprintf(where, sizeof where, "%.120s.%.120s", t->x->name, t->figure->id);
    if (nothing_to_draw(t)) return wl_fail(e, WL_ERUN, "%s has no number to draw", where), TABLE_EMPTY;
    char *script = table_gnuplot(t);
    if (!script) return wl_no_memory(e);
    int rc = process_read(argv, script, svg, said, sizeof said, e);
    free(script);
    if (rc == 0 && is_whole(*svg)) return 0;
    free(*svg);
    *svg = NULL;
    if (rc == PROCESS_MISSING) return wl_fail(e, WL_ERUN, "gnuplot is not installed"), TABLE_NO_GNUPLOT;
    if (rc == PROCESS_FAILED) return WL_ERUN;
    said[strcspn(said, "\n")] = *said == '\n' ? ' ' : 0; /* the first line says most */
    if (*said) return wl_fail(e, WL_ERUN, "gnuplot could not draw %s: %.800s", where, said);
    return rc ? wl_fail(e, WL_ERUN, "gnuplot could not draw %s: it ended with status %d", where, rc)
              : wl_fail(e, WL_ERUN, "gnuplot drew only part of %s", where);
}
