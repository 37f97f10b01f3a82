/* report.c - the page: a template with places, and what is written there.
 *
 * report.html has everything that is the same on every page: the order of the parts, style and script. Each {{word}} in
 * it is a place that a function of the table below fills. */
#include "experiment/report.h"

#include <string.h>

#include "base/embed.h"
#include "experiment/report_page.h"

const char *verdict_class(enum verdict v) { return v == VERDICT_NOT_RUN ? "none" : verdict_names[v]; }

void put_id(FILE *out, const struct experiment *x, const char *id)
{
    put_html(out, x->name);
    fputc('.', out);
    put_html(out, id);
}

void put_anchor(FILE *out, const char *kind, const struct experiment *x, const char *id)
{
    fprintf(out, "<a class=anchor aria-label=\"link to this place\" href=\"#%s-", kind);
    if (id) put_id(out, x, id);
    else put_html(out, x->name);
    fputs("\">#</a>", out);
}

struct claim_counts page_counts(const struct plan *p)
{
    struct claim_counts k = {{0}, {0}, {0}};
    for (unsigned i = 0; i < p->x->nclaims; i++)
        claim_count(&k, &p->x->claims[i], claim_verdict(&p->x->claims[i], claim_value(p, &p->x->claims[i])));
    return k;
}

const struct exp_range *page_range(const struct page *g, const struct plan *p)
{
    for (unsigned i = 0; i < g->count; i++)
        for (unsigned c = 0; g->plans[i] == p && g->ranges[i] && c < p->x->nclaims; c++)
            if (range_is_known(g->ranges[i], c)) return g->ranges[i];
    return NULL;
}

/* ---- the places ---- */

static void put_title(struct page *g)
{
    fputs("warpline report", g->out);
    if (g->count != 1) return;
    fputs(": ", g->out);
    put_html(g->out, g->plans[0]->x->title);
}

static void put_made(struct page *g)
{
    fprintf(g->out, "warpline %s, build <code>%.12s</code>, size <b>%s</b>, %s", g->info->version, g->info->build,
            g->info->size, g->info->made);
}

static void put_contents(struct page *g)
{
    bool claims = false;
    for (unsigned i = 0; i < g->count; i++) {
        fputs("<a href=\"#x-", g->out);
        put_html(g->out, g->plans[i]->x->name);
        fputs("\">", g->out);
        put_html(g->out, g->plans[i]->x->title);
        fputs("</a>", g->out);
        claims = claims || g->plans[i]->x->nclaims;
    }
    if (claims) fputs("<a href=\"#claims\">Claims</a>", g->out);
}

/* What a reader must know before any number. */
static void put_banner(struct page *g)
{
    unsigned tiny = 0, failed = 0, missing = 0;
    for (unsigned i = 0; i < g->count; i++) {
        tiny += g->plans[i]->size == SIZE_TINY;
        failed += plan_count(g->plans[i], RUN_FAILED);
        missing += plan_count(g->plans[i], RUN_MISSING);
    }
    if (tiny)
        fprintf(g->out,
                "<p class=banner id=tiny><b>Size tiny: a smoke test, no evidence.</b> %s with inputs that fit into the "
                "caches and leave most SMs idle. Numbers and verdicts only show that everything runs; use "
                "<code>--size small</code> for numbers that mean something.</p>\n",
                tiny == g->count ? "Everything here ran" : "Parts of this page ran");
    if (failed || missing)
        fprintf(g->out,
                "<p class=banner>%u %s failed and %u %s not done: figures and claims that need them have no "
                "number.</p>\n",
                failed, failed == 1 ? "run" : "runs", missing, missing == 1 ? "was" : "were");
}

static int put_experiment(struct page *g, const struct plan *p)
{
    FILE *out = g->out;
    fputs("<section>\n<h2 id=\"x-", out);
    put_html(out, p->x->name);
    fputs("\">", out);
    put_html(out, p->x->title);
    put_anchor(out, "x", p->x, NULL);
    fputs("</h2>\n<p>", out);
    put_html(out, p->x->about);
    fputs("</p>\n", out);
    int rc = 0;
    for (unsigned i = 0; !rc && i < p->x->nfigures; i++) rc = put_figure(g, p, &p->x->figures[i]);
    if (!rc && p->x->nworkloads) put_setup(g, p);
    fputs("</section>\n", out);
    return rc;
}

/* An error stays in g->e; the template goes on, so that the page has an end. */
static void put_papers(struct page *g)
{
    for (unsigned i = 0; i < g->count && !g->e->code; i++)
        if (put_experiment(g, g->plans[i])) return;
}

static const struct {
    const char *name;
    void (*put)(struct page *g);
} places[] = {
    {"title", put_title},           {"made", put_made},     {"contents", put_contents}, {"banner", put_banner},
    {"scoreboard", put_scoreboard}, {"papers", put_papers}, {"claims", put_claims}};

static void fill(struct page *g, const char *name, size_t length)
{
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0) places[i].put(g);
}

int report_write(const struct plan *const *plans, const struct exp_range *const *ranges, unsigned count,
                 const struct report_info *info, FILE *out, struct wl_err *undrawn, struct wl_err *e)
{
    struct page g = {.out = out, .info = info, .plans = plans, .ranges = ranges, .count = count, .e = e};
    const struct embed_file *f = embed_find("report.html");
    const char *at = f ? f->data : "", *place, *end;
    while ((place = strstr(at, "{{")) && (end = strstr(place, "}}"))) {
        fwrite(at, 1, (size_t)(place - at), out);
        fill(&g, place + 2, (size_t)(end - place - 2));
        at = end + 2;
    }
    fputs(at, out);
    *undrawn = g.undrawn;
    return (int)e->code;
}
