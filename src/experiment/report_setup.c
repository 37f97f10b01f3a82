/* report_setup.c - what was run on what: series, the machine, workloads and their inputs, failures. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text_stream.h"
#include "experiment/report_page.h"

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
    struct text_stream stream;
    if (text_stream_open(&stream)) config_print(&p->x->series[0]->config, stream.file);
    char *text = text_stream_close(&stream);
    if (!text) {
        wl_no_memory(g->e);
        return;
    }
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

void put_setup(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
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
}
