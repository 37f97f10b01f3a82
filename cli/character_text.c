/* character_text.c - a program's character on one screen, and several programs in a table. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/character.h"
#include "run/write_account.h"

static double percent_of(const struct character *c, const char *key) { return 100 * metric_of(c, key); }

static void write_head(const struct run_result *r, const struct character *c, FILE *out)
{
    struct program_size p = program_size(r);
    char a[32], b[32], d[32];
    fprintf(out, "%s  %s  (%s)\n  machine      %s\n  policies     L1D LRU, scheduler %s\n", r->workload, r->size,
            r->inputs, r->machine, r->sched.spec);
    fprintf(out,
            "  program      %" PRIu64 " kernel%s in %" PRIu64 " launch%s, %s CTAs, %s threads, %s warp instructions\n",
            p.kernels, p.kernels == 1 ? "" : "s", p.launches, p.launches == 1 ? "" : "es", with_commas(p.ctas, a),
            with_commas(p.threads, b), with_commas(r->stats.sm.warp_instructions, d));
    fprintf(out,
            "  loads        %s through the L1D, %.1f %% divergent (they make %.1f %% of the requests); %.2f requests "
            "each\n",
            with_commas(r->stats.sm.l1d_loads, a), percent_of(c, "divergent_loads"),
            percent_of(c, "divergent_requests"), metric_of(c, "requests_per_load"));
    fprintf(out, "  footprint    %.1f KiB loaded, %.1f requests per line and kernel\n",
            metric_of(c, "footprint_bytes") / 1024, metric_of(c, "requests_per_line"));
}

static void write_intensity(const struct character *c, FILE *out)
{
    fprintf(out,
            "\n  intensity    %.2f warp instructions per L1 miss, %.2f per L1 miss or store; %.1f %% of peak IPC\n",
            metric_of(c, "instructions_per_miss"), metric_of(c, "instructions_per_miss_or_store"),
            percent_of(c, "peak_ipc"));
    fprintf(out,
            "  ld/st unit   stalled in %.1f %% of cycles; in %.1f %% a load of another warp would have hit, in %.1f %% "
            "nothing issued either\n",
            percent_of(c, "lsu_stall"), percent_of(c, "hit_under_stall"), percent_of(c, "hit_under_stall_idle"));
    fprintf(out, "  issue        %.1f %% by the three oldest warps of a scheduler\n", percent_of(c, "issue.top3"));
}

static void write_misses(const struct character *c, FILE *out)
{
    fprintf(out, "\n  missing requests of a load     0         1         2     3..31       32+\n");
    fprintf(out, "    coherent loads      %8.1f %%%8.1f %%%8.1f %%\n", percent_of(c, "coherent.mpli_0"),
            percent_of(c, "coherent.mpli_1"), percent_of(c, "coherent.mpli_2"));
    fprintf(out, "    divergent loads     %8.1f %%%8.1f %%%8.1f %%%8.1f %%%8.1f %%\n",
            percent_of(c, "divergent.mpli_0"), percent_of(c, "divergent.mpli_1"), percent_of(c, "divergent.mpli_2"),
            percent_of(c, "divergent.mpli_3_31"), percent_of(c, "divergent.mpli_32_up"));
    fprintf(out,
            "  requests     %.1f %% hit, %.1f %% in flight, %.1f %% cold, evicted by their own warp %.1f %%, by "
            "another %.1f %%, other %.1f %%\n",
            percent_of(c, "access.hit"), percent_of(c, "access.pending"), percent_of(c, "access.cold"),
            percent_of(c, "access.intra_warp"), percent_of(c, "access.inter_warp"), percent_of(c, "access.other"));
}

/* A median of nothing is a dash. */
static void write_distance(double median, const char *of, FILE *out)
{
    if (isnan(median)) fprintf(out, "- %s", of);
    else fprintf(out, "%.0f requests %s", median, of);
}

static void write_locality(const struct character *c, FILE *out)
{
    fprintf(out,
            "\n  lines in an infinite L1D       %.1f %% streaming, %.1f %% inter-warp, %.1f %% intra-warp, %.1f %% "
            "mixed; APS %.3f\n",
            percent_of(c, "lines.streaming"), percent_of(c, "lines.inter_warp"), percent_of(c, "lines.intra_warp"),
            percent_of(c, "lines.mixed"), metric_of(c, "aps"));
    fprintf(out, "  asked for once or twice        %.1f %% of stays in the L1D, %.1f %% of lines of the infinite one\n",
            percent_of(c, "lives.once_or_twice"), percent_of(c, "infinite.once_or_twice"));
    fputs("  median reuse distance          ", out);
    write_distance(metric_of(c, "reuse.inter_warp_median"), "inter-warp, ", out);
    write_distance(metric_of(c, "reuse.intra_warp_median"), "intra-warp\n", out);
    fprintf(out, "  evicted lines                  %.1f %% before their first reuse, %.1f %% never asked for again\n",
            percent_of(c, "evicted.before_reuse"), percent_of(c, "evicted.never_again"));
    fprintf(out, "  missed, in sectors of 32 bytes %.1f %% of the L1D's loads; %.1f %% of accesses in the L2\n",
            percent_of(c, "l1_sector_miss_rate"), percent_of(c, "l2_miss_rate"));
}

static void write_sizes(const struct character *c, FILE *out)
{
    static const char *const names[3] = {"32", "64", "128"};
    fprintf(out,
            "\n  bytes used of a line's stay    32: %.1f %%, 64: %.1f %%, 96: %.1f %%, 128: %.1f %%; %.1f %% of "
            "fetched bytes\n",
            percent_of(c, "used_32"), percent_of(c, "used_64"), percent_of(c, "used_96"), percent_of(c, "used_128"),
            percent_of(c, "used_of_fetched"));
    fprintf(out, "  bytes of a request    all    in eighths of the run's time\n");
    for (unsigned k = 0; k < 3; k++) {
        char key[16];
        snprintf(key, sizeof key, "size_%s", names[k]);
        fprintf(out, "    %3s           %5.1f %%", names[k], percent_of(c, key));
        for (unsigned i = 0; i < TIME_SLICES; i++) {
            if (c->slice_requests[i]) fprintf(out, "%6.1f", 100 * c->size_share[i][k]);
            else fprintf(out, "%6s", "-");
        }
        fputc('\n', out);
    }
}

static int by_requests(const void *a, const void *b)
{
    const struct load_record *x = *(const struct load_record *const *)a, *y = *(const struct load_record *const *)b;
    if (x->requests != y->requests) return x->requests < y->requests ? 1 : -1;
    return (x > y) - (x < y);
}

static void write_load(const struct load_record *l, FILE *out)
{
    static const char *const types[LINE_TYPES] = {"streaming", "inter-warp", "intra-warp", "mixed"};
    unsigned most = 0;
    uint64_t lines = 0;
    char a[32];
    for (unsigned i = 0; i < LINE_TYPES; i++) {
        lines += l->lines[i];
        if (l->lines[i] > l->lines[most]) most = i;
    }
    double all = (double)l->requests;
    fprintf(out, "    %-24.24s %6u %13s %8.2f %7.1f %7.1f %7.1f  ", l->kernel, l->pc, with_commas(l->requests, a),
            l->loads ? all / (double)l->loads : 0, 100 * (double)l->outcome[0] / all, 100 * (double)l->outcome[1] / all,
            100 * (double)l->outcome[2] / all);
    char brings[32] = "none";
    if (lines) snprintf(brings, sizeof brings, "%.0f %% %s", 100 * (double)l->lines[most] / (double)lines, types[most]);
    fprintf(out, "%-16s ", brings);
    if (*l->at.file) fprintf(out, "%s:%u: ", l->at.file, l->at.line);
    else if (l->at.line) fprintf(out, "line %u: ", l->at.line);
    else if (l->at.ptx_line) fprintf(out, "PTX %u: ", l->at.ptx_line);
    fprintf(out, "%s\n", l->at.text);
}

/* The loads with most requests. */
static void write_loads(const struct profile_report *p, FILE *out)
{
    enum { ROWS = 6 };
    const struct load_record **list = calloc(p->loads ? p->loads : 1, sizeof *list);
    if (!p->loads || !list) {
        free(list);
        return;
    }
    for (unsigned i = 0; i < p->loads; i++) list[i] = &p->load[i];
    qsort(list, p->loads, sizeof *list, by_requests);
    fprintf(out, "\n    %-24s %6s %13s %8s %7s %7s %7s  %-16s %s\n", "load", "pc", "requests", "per load", "hit %",
            "merge %", "miss %", "lines it brings", "where");
    for (unsigned i = 0; i < p->loads && i < ROWS; i++) write_load(list[i], out);
    if (p->loads > ROWS) fprintf(out, "    ... and %u more (--json has all)\n", p->loads - ROWS);
    free(list);
}

void character_write_text(const struct run_result *r, const struct character *c, FILE *out)
{
    write_head(r, c, out);
    account_write_brief(&r->stats, out);
    write_intensity(c, out);
    write_misses(c, out);
    write_locality(c, out);
    write_sizes(c, out);
    write_loads(&r->profile, out);
}

void character_write_table(const struct run_result *const *r, const struct character *c, unsigned count, FILE *out)
{
    fprintf(out, "%-16s %8s %8s %7s %7s %7s %7s %7s %7s %7s %6s %6s %6s %6s\n", "", "requests", "diver-", "instr.",
            "stall", "miss", "stream", "inter", "intra", "mixed", "", "32 B", "64 B", "used");
    fprintf(out, "%-16s %8s %8s %7s %7s %7s %7s %7s %7s %7s %6s %6s %6s %6s\n", "workload", "per load", "gent %",
            "/miss", "%", "%", "%", "%", "%", "%", "APS", "%", "%", "%");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%-16s %8.2f %8.1f %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f %6.3f %6.1f %6.1f %6.1f\n",
                r[i]->workload, metric_of(&c[i], "requests_per_load"), percent_of(&c[i], "divergent_loads"),
                metric_of(&c[i], "instructions_per_miss"), percent_of(&c[i], "lsu_stall"),
                percent_of(&c[i], "miss_rate"), percent_of(&c[i], "lines.streaming"),
                percent_of(&c[i], "lines.inter_warp"), percent_of(&c[i], "lines.intra_warp"),
                percent_of(&c[i], "lines.mixed"), metric_of(&c[i], "aps"), percent_of(&c[i], "size_32"),
                percent_of(&c[i], "size_64"), percent_of(&c[i], "used_of_fetched"));
}
