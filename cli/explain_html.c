/* explain_html.c - the explanation as one page: the sentence, the runs, and pictures of the run as it is.
 *
 * All pictures over time have cycles on their axis and the same width, so that one can look from one to the other. A
 * run has up to a thousand samples; a picture shows COLUMNS of them at most, neighbours added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/explain_view.h"
#include "run/counter_names.h"

enum { COLUMNS = 240 };

static const char *const colours[EXPLAIN_REASONS] = {"#009e73", "#cc79a7", "#8c7a1a", "#d55e00", "#aa4499", "#9ecae1",
                                                     "#4292c6", "#08306b", "#7a68c4", "#e6ab02", "#f0e442", "#8c510a",
                                                     "#882255", "#e7298a", "#bdbdbd", "#d9d9d9", "#efefef"};

/* Samples that share a column. */
struct time_columns {
    unsigned count, last[COLUMNS]; /* the last sample of each */
    double ends[COLUMNS];          /* its cycle */
    uint64_t cycles;               /* of the run */
};

static void make_columns(struct time_columns *c, const struct run_result *r)
{
    unsigned n = r->nsamples < COLUMNS ? r->nsamples : COLUMNS;
    *c = (struct time_columns){.cycles = r->stats.cycles};
    for (unsigned i = 0; i < n; i++) {
        unsigned last = (unsigned)((uint64_t)(i + 1) * r->nsamples / n) - 1;
        if (c->count && r->samples[last].stats.cycles <= r->samples[c->last[c->count - 1]].stats.cycles) continue;
        c->last[c->count] = last;
        c->ends[c->count++] = (double)r->samples[last].stats.cycles;
    }
}

static struct drawing time_chart(const struct time_columns *c, FILE *out, double height)
{
    return (struct drawing){.out = out,
                            .width = 960,
                            .height = height,
                            .left = 64,
                            .top = 22,
                            .right = 12,
                            .bottom = 42,
                            .x1 = (double)c->cycles,
                            .y1 = 1,
                            .xlabel = "cycle"};
}

/* ---- the account over time ---- */

static uint64_t account_of(const struct run_stats *s, const char *id)
{
    char name[COUNTER_NAME];
    uint64_t value = 0;
    snprintf(name, sizeof name, "account.%s", id);
    return machine_counter(s, name, &value) ? value : 0;
}

/* The bands of the kernels above the picture. */
static void draw_kernels(const struct drawing *c, const struct run_result *r)
{
    double at = 0;
    for (unsigned i = 0; i < r->nkernels && i < 200; i++) {
        const struct kernel_record *k = &r->kernels[i];
        double x = chart_x(c, at), end = chart_x(c, at + (double)k->cycles);
        fprintf(c->out, "<rect x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"13\" fill=\"%s\"><title>", x, end - x,
                i % 2 ? "#dde6ee" : "#c8d6e2");
        html_text(c->out, k->name);
        fputs("</title></rect>\n", c->out);
        if (end - x > 7.0 * (double)strlen(k->name)) chart_text(c, (x + end) / 2, 14, "middle", k->name);
        at += (double)k->cycles;
    }
}

static void draw_account(const struct explanation *x, const struct time_columns *cols, FILE *out)
{
    const struct run_result *r = run_result(x->base);
    const struct gpu_config *config = run_config(x->base);
    double *value = calloc((size_t)COLUMNS * EXPLAIN_REASONS, sizeof *value);
    struct drawing c = time_chart(cols, out, 320);
    c.percent_y = true;
    c.ylabel = "share of scheduler cycles";
    const struct run_stats none = {0}, *before = &none;
    uint64_t sms = 1; /* that can have a CTA at all */
    for (unsigned i = 0; i < r->nkernels; i++) {
        const uint32_t *g = r->kernels[i].grid;
        uint64_t used = explain_sms((uint64_t)config->v[P_SM_COUNT], g[0], g[1], g[2]);
        if (used > sms) sms = used;
    }
    for (unsigned i = 0; value && i < cols->count; i++) {
        const struct run_stats *now = &r->samples[cols->last[i]].stats;
        double all = (double)(now->cycles - before->cycles) * (double)sms * (double)config->v[P_SM_SCHEDULERS], sum = 0;
        for (unsigned k = 0; k + 1 < x->reasons; k++) {
            double v = (double)(account_of(now, x->reason[k].id) - account_of(before, x->reason[k].id)) / all;
            value[i * x->reasons + k] = v;
            sum += v;
        }
        for (unsigned k = 0; sum > 1 && k + 1 < x->reasons; k++) value[i * x->reasons + k] /= sum;
        value[i * x->reasons + x->reasons - 1] = sum < 1 ? 1 - sum : 0;
        before = now;
    }
    chart_begin(&c, "What schedulers do, over time");
    chart_axes(&c);
    const struct stack s = {value, cols->ends, cols->count, x->reasons};
    for (unsigned k = 0; value && k < x->reasons; k++) chart_stack(&c, &s, k, colours[k], x->reason[k].phrase);
    draw_kernels(&c, r);
    chart_end(&c);
    fputs("<ul class=\"key\">", out);
    for (unsigned k = 0; k < x->reasons; k++) {
        if (explain_share(x, &x->reason[k]) < 0.1) continue;
        fprintf(out, "<li><i style=\"background:%s\"></i>%.1f %% ", colours[k], explain_share(x, &x->reason[k]));
        html_text(out, x->reason[k].phrase);
        fputs("</li>", out);
    }
    fputs("</ul>\n", out);
    free(value);
}

/* ---- heat maps ---- */

static void draw_heat(const struct run_result *r, const struct time_columns *cols, enum heat_map map, FILE *out)
{
    static const struct {
        const char *title, *rows, *unit;
    } words[HEAT_MAPS] = {{"Instructions issued, by SM", "SM", "warp instructions per cycle"},
                          {"Requests to memory, by bank of all channels", "bank", "requests per 1000 cycles"},
                          {"Load misses, by set of the L1D, all SMs", "set", "misses per 1000 cycles"}};
    const struct heat_report *h = &r->profile.heat;
    struct cells m = {.ends = cols->ends, .columns = cols->count, .rows = h->rows[map]};
    double *value = calloc((size_t)COLUMNS * HEAT_ROWS, sizeof *value), total = 0;
    for (unsigned i = 0; value && i < cols->count; i++) {
        unsigned now = cols->last[i] < h->samples ? cols->last[i] : h->samples - 1;
        double cycles = cols->ends[i] - (i ? cols->ends[i - 1] : 0);
        for (unsigned k = 0; k < m.rows; k++) {
            uint64_t v = h->count[(size_t)now * h->width + h->first[map] + k];
            if (i) v -= h->count[(size_t)cols->last[i - 1] * h->width + h->first[map] + k];
            value[i * m.rows + k] = (double)v / (cycles > 0 ? cycles : 1) * (map == HEAT_SM ? 1 : 1000);
            total += (double)v;
            if (value[i * m.rows + k] > m.most) m.most = value[i * m.rows + k];
        }
    }
    if (value && total > 0) {
        double height = 70 + (m.rows < 16 ? 12 : m.rows < 48 ? 6 : 3) * m.rows;
        struct drawing c = time_chart(cols, out, height);
        char label[64];
        c.y1 = h->of[map];
        snprintf(label, sizeof label, "%s", words[map].rows);
        c.ylabel = label;
        m.value = value;
        chart_begin(&c, words[map].title);
        chart_axes(&c);
        chart_cells(&c, &m, words[map].unit);
        chart_end(&c);
    }
    free(value);
}

/* ---- roofline ---- */

static void draw_roofline(const struct explanation *x, FILE *out)
{
    const struct run_result *r = run_result(x->base);
    const int64_t *v = run_config(x->base)->v;
    double peak = (double)(v[P_SM_COUNT] * v[P_SM_SCHEDULERS] * 32);
    double bytes = (double)v[P_DRAM_ATOM] / (double)v[P_DRAM_BURST] * (double)v[P_CLOCK_DRAM] /
                   (double)v[P_CLOCK_CORE] * (double)v[P_MEM_CHANNELS];
    struct drawing c = {.out = out,
                        .width = 960,
                        .height = 330,
                        .left = 64,
                        .top = 22,
                        .right = 12,
                        .bottom = 42,
                        .log_x = true,
                        .log_y = true,
                        .x0 = 0.01,
                        .x1 = 1000,
                        .y0 = 0.1,
                        .y1 = peak * 2,
                        .xlabel = "thread instructions per byte of memory traffic",
                        .ylabel = "thread instructions per cycle"};
    const double roof_x[3] = {c.x0, peak / bytes, c.x1}, roof_y[3] = {c.x0 * bytes, peak, peak};
    chart_begin(&c, "Roofline: kernels under the bandwidth of memory and the rate of issue");
    chart_axes(&c);
    chart_line(&c, roof_x, roof_y, 3, "#444444", "roof");
    for (unsigned i = 0; r->each && i < r->nkernels; i++) {
        const struct run_stats *s = &r->each[i];
        double moved = (double)(s->dram.read_bytes + s->dram.write_bytes), ops = (double)s->sm.thread_instructions;
        if (!s->cycles || ops <= 0) continue;
        double intensity = moved > 0 ? ops / moved : c.x1;
        char name[256];
        snprintf(name, sizeof name, "%s: %.2f per byte, %.2f per cycle, %.0f %% of the roof", r->kernels[i].name,
                 intensity, ops / (double)s->cycles, 100 * ops / (double)s->cycles / fmin(peak, intensity * bytes));
        intensity = fmin(fmax(intensity, c.x0), c.x1);
        chart_point(&c, intensity, fmax(ops / (double)s->cycles, c.y0), "#d55e00", name);
        if (r->nkernels <= 12)
            chart_text(&c, chart_x(&c, intensity) + (intensity > 100 ? -8 : 8),
                       chart_y(&c, fmax(ops / (double)s->cycles, c.y0)) + 4, intensity > 100 ? "end" : "start",
                       r->kernels[i].name);
    }
    chart_end(&c);
}

/* ---- reuse distance ---- */

static void draw_reuse(const struct run_result *r, FILE *out)
{
    static const char *const names[REUSE_TYPES] = {"by other warps", "by the same warp", "by both"};
    static const char *const colour[REUSE_TYPES] = {"#0072b2", "#e69f00", "#009e73"};
    double x[REUSE_BUCKETS], y[REUSE_TYPES][REUSE_BUCKETS];
    unsigned used = 2;
    for (unsigned k = 0; k < REUSE_TYPES; k++)
        for (unsigned i = 0; i < REUSE_BUCKETS; i++)
            if (r->profile.reuse[k][i] && i + 2 > used) used = i + 2;
    if (used > REUSE_BUCKETS) used = REUSE_BUCKETS;
    for (unsigned i = 0; i < used; i++) x[i] = (double)(UINT64_C(1) << i);
    struct drawing c = {.out = out,
                        .width = 960,
                        .height = 260,
                        .left = 64,
                        .top = 22,
                        .right = 12,
                        .bottom = 42,
                        .log_x = true,
                        .x0 = 1,
                        .x1 = (double)(UINT64_C(1) << (used - 1)),
                        .y1 = 1,
                        .percent_y = true,
                        .xlabel = "reuse distance: requests of the SM between two for the same line",
                        .ylabel = "share of reuses within it"};
    chart_begin(&c, "Reuse distance of lines, by who uses them again");
    chart_axes(&c);
    unsigned shown = 0;
    for (unsigned k = 0; k < REUSE_TYPES; k++) {
        double all = 0, sum = 0;
        for (unsigned i = 0; i < used; i++) all += (double)r->profile.reuse[k][i];
        if (all <= 0) continue;
        for (unsigned i = 0; i < used; i++) { /* a bucket ends where the next begins */
            y[k][i] = sum / all;
            sum += (double)r->profile.reuse[k][i];
        }
        chart_line(&c, x, y[k], used, colour[k], names[k]);
        fprintf(out, "<rect x=\"%u\" y=\"5\" width=\"12\" height=\"10\" fill=\"%s\"/>", 70 + 150 * shown, colour[k]);
        chart_text(&c, 87 + 150 * shown++, 14, "start", names[k]);
    }
    chart_end(&c);
}

/* ---- the page ---- */

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}figure{margin:1.5em 0}figcaption{font-weight:600}"
    "svg{width:100%;height:auto;background:#fff}svg text{font:11px system-ui,sans-serif;fill:#333}"
    ".grid{stroke:#ddd}.axis,.tick{stroke:#666}.key{list-style:none;padding:0;columns:2;font-size:13px}"
    ".key i{display:inline-block;width:12px;height:12px;margin-right:6px;border:1px solid #999}"
    "table{border-collapse:collapse;font-size:14px}td,th{padding:2px 10px;text-align:left;border-bottom:1px solid #eee}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}.bar{background:#4292c6;height:10px}code{font-size:13px}";

static void write_runs(const struct explanation *x, FILE *out)
{
    double most = 1;
    for (unsigned i = 0; i < x->runs; i++)
        if (x->run[i].done && x->run[i].speedup > most) most = x->run[i].speedup;
    fputs("<h2>What would lift it</h2><p>The same program on machines with one limit less each.</p>"
          "<table><tr><th>speedup</th><th></th><th>machine</th><th>parameters</th></tr>\n",
          out);
    for (unsigned i = 0; i < x->runs; i++) {
        const struct what_if *w = &x->run[i];
        if (!w->done) continue;
        fprintf(out, "<tr><td class=\"n\">%.2fx</td><td><div class=\"bar\" style=\"width:%.0fpx\"></div></td><td>",
                w->speedup, 160 * (w->speedup > 1 ? (w->speedup - 1) / (most > 1 ? most - 1 : 1) : 0));
        html_text(out, w->thing);
        fputs(w->bound ? " (a bound)</td><td><code>" : "</td><td><code>", out);
        for (unsigned k = 0; k < w->words && k < 3; k++) fprintf(out, "%s ", w->word[k]);
        fprintf(out, "%s%s%s</code></td></tr>\n", w->words > 3 ? "..." : "", w->sched ? "--sched " : "",
                w->sched ? w->sched : "");
    }
    fputs("</table>\n", out);
}

int explain_html(const struct explanation *x, FILE *out, struct wl_err *e)
{
    const struct run_result *r = run_result(x->base);
    struct time_columns cols;
    char line[1024], a[32];
    (void)e;
    explain_headline(x, line, sizeof line);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    html_text(out, r->workload);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>Why is ", style);
    html_text(out, r->workload);
    fputs(" slow?</h1>\n<p>", out);
    html_text(out, line);
    fputs(".</p>\n<p>", out);
    html_text(out, r->machine);
    fprintf(out, "<br>%s cycles, %.2f thread instructions per cycle</p>\n<h2>Where the cycles go</h2>\n",
            with_commas(r->stats.cycles, a), result_ipc(r));
    make_columns(&cols, r);
    draw_account(x, &cols, out);
    write_runs(x, out);
    fputs("<h2>Where and when</h2>\n", out);
    if (r->profile.heat.count)
        for (unsigned map = 0; map < HEAT_MAPS; map++) draw_heat(r, &cols, (enum heat_map)map, out);
    fputs("<h2>Against the machine</h2>\n", out);
    draw_roofline(x, out);
    draw_reuse(r, out);
    fputs("</body></html>\n", out);
    return 0;
}
