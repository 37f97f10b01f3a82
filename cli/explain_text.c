/* explain_text.c - an explanation as sentences and as JSON.
 *
 * What is said rests on three kinds of numbers: the account (what schedulers waited for), the runs on other machines
 * (what helps), and the profile (which lines). Below one part in fifty nothing is called a limit. */
#include "cli/explain_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double helps = 1.05, matters = 1.02;

double explain_share(const struct explanation *x, const struct account_reason *r)
{
    return x->slots ? 100 * (double)r->cycles / (double)x->slots : 0;
}

static int compare_reasons(const void *a, const void *b)
{
    const struct account_reason *x = *(const struct account_reason *const *)a,
                                *y = *(const struct account_reason *const *)b;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? 1 : -1;
    return (x > y) - (x < y);
}

/* The reasons but for `issued`, the largest first. */
static unsigned sort_reasons(const struct explanation *x, const struct account_reason *out[EXPLAIN_REASONS])
{
    unsigned n = 0;
    for (unsigned i = 1; i < x->reasons; i++) out[n++] = &x->reason[i];
    if (n) qsort(out, n, sizeof out[0], compare_reasons);
    return n;
}

/* The best machine somebody could build, and one that does not help. */
static const struct what_if *best_of(const struct explanation *x, bool bound)
{
    for (unsigned i = 0; i < x->runs; i++)
        if (x->run[i].done && x->run[i].bound == bound) return &x->run[i];
    return NULL;
}

static const struct what_if *useless(const struct explanation *x)
{
    static const char *const likely[] = {"l1d_mshrs", "l1d_size", "memory_bandwidth", "scheduler"};
    for (unsigned k = 0; k < sizeof likely / sizeof *likely; k++)
        for (unsigned i = 0; i < x->runs; i++)
            if (x->run[i].done && x->run[i].speedup < matters && strcmp(x->run[i].id, likely[k]) == 0)
                return &x->run[i];
    return NULL;
}

void explain_headline(const struct explanation *x, char *out, size_t size)
{
    const struct run_result *r = run_result(x->base);
    const struct account_reason *sorted[EXPLAIN_REASONS];
    const struct what_if *best = best_of(x, false), *bound = best_of(x, true), *none = useless(x);
    if (!sort_reasons(x, sorted)) sorted[0] = &x->reason[0];
    size_t at =
        (size_t)snprintf(out, size, "%s on %s: in %.0f %% of its cycles a scheduler issues; in %.0f %% %s", r->workload,
                         r->gpu, explain_share(x, &x->reason[0]), explain_share(x, sorted[0]), sorted[0]->phrase);
    if (at >= size) return;
    if (best && best->speedup >= helps && none)
        snprintf(out + at, size - at, "; %s gives %.2fx, %s %.2fx: %s, not %s", best->thing, best->speedup, none->thing,
                 none->speedup, best->noun, none->noun);
    else if (best && best->speedup >= helps)
        snprintf(out + at, size - at, "; %s gives %.2fx: %s", best->thing, best->speedup, best->noun);
    else if (bound && bound->speedup >= helps)
        snprintf(out + at, size - at, "; no larger part helps by more than %.2fx, %s would give %.2fx: %s",
                 best ? best->speedup : 1, bound->thing, bound->speedup, bound->noun);
    else snprintf(out + at, size - at, "; nothing that was changed in the machine helps by 5 %%");
}

/* ---- text ---- */

static void write_account(const struct explanation *x, FILE *out)
{
    const struct account_reason *sorted[EXPLAIN_REASONS];
    unsigned n = sort_reasons(x, sorted);
    fprintf(out, "\nwhere the cycles of the schedulers go\n  %5.1f %%  %s\n", explain_share(x, &x->reason[0]),
            x->reason[0].phrase);
    for (unsigned i = 0; i < n; i++)
        if (explain_share(x, sorted[i]) >= 0.05)
            fprintf(out, "  %5.1f %%  %s\n", explain_share(x, sorted[i]), sorted[i]->phrase);
    if (x->unused * 50 >= x->unused + x->slots)
        fprintf(out, "  %.0f %% of the machine is not counted here: its grids have fewer CTAs than there are SMs\n",
                100 * (double)x->unused / (double)(x->unused + x->slots));
}

static void write_unit(const struct run_stats *s, FILE *out)
{
    const struct {
        const char *what;
        uint64_t cycles;
    } why[] = {{"no MSHR is free", s->l1d.stall_mshr},         {"every line of the set is reserved", s->l1d.stall_line},
               {"the miss queue is full", s->l1d.stall_missq}, {"an MSHR has no room to merge", s->l1d.stall_merge},
               {"its warp may not miss", s->l1d.stall_gate},   {"in the constant cache", s->l1c.stall_cycles},
               {"in the texture cache", s->l1t.stall_cycles}};
    double all = s->sm.active_cycles ? 100 / (double)s->sm.active_cycles : 0;
    if ((double)s->sm.lsu_stall_cycles * all < 2) return;
    fprintf(out, "  the ld/st unit is stalled in %.1f %% of SM cycles:", (double)s->sm.lsu_stall_cycles * all);
    const char *comma = " ";
    for (unsigned i = 0; i < sizeof why / sizeof *why; i++)
        if ((double)why[i].cycles * all >= 0.1) {
            fprintf(out, "%s%.1f %% %s", comma, (double)why[i].cycles * all, why[i].what);
            comma = ", ";
        }
    fputc('\n', out);
}

static double miss_rate(const struct run_stats *s)
{
    return s->l1d.loads ? 100 * (double)(s->l1d.load_misses + s->l1d.bypasses) / (double)s->l1d.loads : 0;
}

/* What the run changed that is worth a word. */
static void write_effect(const struct run_stats *was, const struct run_stats *is, FILE *out)
{
    if (fabs(miss_rate(was) - miss_rate(is)) >= 2)
        fprintf(out, "; L1D misses from %.1f %% to %.1f %%", miss_rate(was), miss_rate(is));
    double stalls = was->sm.active_cycles ? 100 * (double)was->sm.lsu_stall_cycles / (double)was->sm.active_cycles : 0;
    double now = is->sm.active_cycles ? 100 * (double)is->sm.lsu_stall_cycles / (double)is->sm.active_cycles : 0;
    if (fabs(stalls - now) >= 2) fprintf(out, "; ld/st stalls from %.1f %% to %.1f %%", stalls, now);
}

static void write_words(const struct what_if *w, FILE *out)
{
    fprintf(out, "  (");
    for (unsigned i = 0; i < w->words && i < 3; i++) fprintf(out, "%s%s", i ? " " : "", w->word[i]);
    if (w->words > 3) fprintf(out, " ...");
    if (w->sched) fprintf(out, "--sched %s", w->sched);
    fprintf(out, ")\n");
}

static void write_runs(const struct explanation *x, FILE *out)
{
    const struct run_stats *was = &run_result(x->base)->stats;
    fprintf(out, "\nwhat would lift it, each found by running the program on that machine\n");
    for (unsigned i = 0; i < x->runs; i++) {
        const struct what_if *w = &x->run[i];
        if (!w->done) continue;
        fprintf(out, "  %6.2fx  %s%s", w->speedup, w->thing, w->bound ? " (a bound)" : "");
        if (w->speedup >= matters) write_effect(was, &w->stats, out);
        else fprintf(out, w->speedup > 0.98 ? ": no limit" : ": slower");
        write_words(w, out);
    }
    for (unsigned i = 0; i < x->runs; i++)
        if (!x->run[i].done) fprintf(out, "        -  %s: cannot be tried: %s\n", x->run[i].thing, x->run[i].why);
}

static int compare_awaited(const void *a, const void *b)
{
    const struct inst_record *x = *(const struct inst_record *const *)a, *y = *(const struct inst_record *const *)b;
    if (x->awaited != y->awaited) return x->awaited < y->awaited ? 1 : -1;
    return (x > y) - (x < y);
}

/* The instructions whose results warps wait for longest; the caller frees the list. */
static const struct inst_record **awaited(const struct profile_report *p, uint64_t *all)
{
    const struct inst_record **list = calloc(p->insts + 1, sizeof *list);
    *all = 0;
    for (unsigned i = 0; list && i < p->insts; i++) {
        list[i] = &p->inst[i];
        *all += p->inst[i].awaited;
    }
    if (list && p->insts) qsort(list, p->insts, sizeof *list, compare_awaited);
    return list;
}

static void write_place(const struct source_place *at, const char *kernel, FILE *out)
{
    if (at->caller_line && *at->caller) fprintf(out, "%s:%u", at->caller, at->caller_line);
    else if (*at->file) fprintf(out, "%s:%u", at->file, at->line);
    else if (at->line) fprintf(out, "%s, line %u", kernel, at->line);
    else fprintf(out, "%s, PTX line %u", kernel, at->ptx_line);
    fprintf(out, ": %s\n", at->text);
}

static void write_lines(const struct explanation *x, FILE *out)
{
    enum { ROWS = 5 };
    const struct profile_report *p = &run_result(x->base)->profile;
    uint64_t all;
    const struct inst_record **list = awaited(p, &all);
    if (list && all) {
        fprintf(out, "\nwhose results warps wait for\n");
        for (unsigned i = 0; i < p->insts && i < ROWS && list[i]->awaited * 50 >= all; i++) {
            fprintf(out, "  %5.1f %%  ", 100 * (double)list[i]->awaited / (double)all);
            write_place(&list[i]->at, list[i]->kernel, out);
        }
    }
    free(list);
}

void explain_text(const struct explanation *x, FILE *out)
{
    const struct run_result *r = run_result(x->base);
    char line[1024], a[32];
    explain_headline(x, line, sizeof line);
    fprintf(out, "%s.\n\n  %s\n  %s cycles, %.2f thread instructions per cycle; %s\n", line, r->machine,
            with_commas(r->stats.cycles, a), result_ipc(r), r->inputs);
    write_account(x, out);
    write_unit(&r->stats, out);
    write_runs(x, out);
    write_lines(x, out);
}

/* ---- JSON ---- */

static double rounded(double v) { return round(v * 1e6) / 1e6; }

static json_t *run_json(const struct what_if *w)
{
    json_t *o = json_object(), *set = json_array();
    int bad = json_object_set_new(o, "id", json_string(w->id));
    bad |= json_object_set_new(o, "what", json_string(w->thing));
    bad |= json_object_set_new(o, "limit", json_string(w->noun));
    bad |= json_object_set_new(o, "bound", json_boolean(w->bound));
    for (unsigned i = 0; i < w->words; i++) bad |= json_array_append_new(set, json_string(w->word[i]));
    bad |= json_object_set_new(o, "set", set);
    if (w->sched) bad |= json_object_set_new(o, "scheduler", json_string(w->sched));
    bad |= json_object_set_new(o, "cycles", w->done ? json_integer((json_int_t)w->cycles) : json_null());
    bad |= json_object_set_new(o, "speedup", w->done ? json_real(rounded(w->speedup)) : json_null());
    if (!w->done) bad |= json_object_set_new(o, "error", json_string(w->why));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

json_t *explain_json(const struct explanation *x)
{
    char line[1024];
    json_t *root = json_object(), *account = json_object(), *runs = json_array();
    struct run_result plain = *run_result(x->base);
    plain.samples = NULL;
    explain_headline(x, line, sizeof line);
    int bad = json_object_set_new(root, "headline", json_string(line));
    for (unsigned i = 0; i < x->reasons; i++)
        bad |= json_object_set_new(account, x->reason[i].id, json_integer((json_int_t)x->reason[i].cycles));
    bad |= json_object_set_new(account, "total", json_integer((json_int_t)x->slots));
    bad |= json_object_set_new(root, "scheduler_cycles", account);
    bad |= json_object_set_new(root, "unused_scheduler_cycles", json_integer((json_int_t)x->unused));
    for (unsigned i = 0; i < x->runs; i++) bad |= json_array_append_new(runs, run_json(&x->run[i]));
    bad |= json_object_set_new(root, "runs", runs);
    bad |= json_object_set_new(root, "result", result_json(&plain));
    if (!bad) return root;
    json_decref(root);
    return NULL;
}
