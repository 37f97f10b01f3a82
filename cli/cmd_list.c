/* cmd_list.c - what there is to choose from: tables for people, --plain for scripts and shells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/character.h"
#include "experiment/experiment.h"
#include "param/param_table.h"

static void row(const struct options *o, const char *name, int width, const char *rest)
{
    if (o->plain) printf("%s\n", name);
    else printf("%-*s  %s\n", width, name, rest);
}

/* ---- workloads ---- */

static void list_inputs(const struct workload *w)
{
    for (const struct workload_input *in = w->input; in->name; in++)
        printf("    %-12s %s: %" PRId64 " tiny, %" PRId64 " small, %" PRId64 " paper (%" PRId64 "..%" PRId64 ")\n",
               in->name, in->help ? in->help : "", in->value[SIZE_TINY], in->value[SIZE_SMALL], in->value[SIZE_PAPER],
               in->min, in->max);
    if (w->aliases) printf("    also known as %s\n", w->aliases);
}

static bool has_member(const struct workload_group *g, const struct workload *w)
{
    const struct workload *m;
    for (unsigned i = 0; (m = workload_group_member(g, i)); i++)
        if (m == w) return true;
    return false;
}

static void list_papers(const struct workload *w)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    const char *before = "    in ";
    for (unsigned i = 0; i < count; i++) {
        if (!has_member(&all[i], w)) continue;
        printf("%s@%s", before, all[i].name);
        before = " ";
    }
    if (*before == ' ' && !before[1]) putchar('\n');
}

/* The numbers come from a run, not from a table that could be out of date: all programs at tiny take
 * a few seconds. */
static int list_numbers(const struct options *o, const struct workload *w, struct wl_err *e)
{
    struct options run = {.size = o->size ? o->size : "tiny", .seed = 1};
    struct job *j = calloc(1, sizeof *j);
    if (!j) return wl_fail(e, WL_ERUN, "out of memory");
    int rc = character_job(j, w->name, &run, e);
    if (!rc) rc = job_run(j, e);
    if (!rc) {
        const struct run_result *r = &j->result;
        struct program_size p = program_size(r);
        struct character c;
        char ctas[32], threads[32], instructions[32], loads[32];
        character_of(j, &c);
        printf("    %s: %" PRIu64 " kernel%s, %" PRIu64
               " launch%s, %s CTAs, %s threads, %s warp instructions; %s L1D loads, "
               "%.1f %% divergent; %.1f KiB loaded\n",
               r->size, p.kernels, p.kernels == 1 ? "" : "s", p.launches, p.launches == 1 ? "" : "es",
               with_commas(p.ctas, ctas), with_commas(p.threads, threads),
               with_commas(r->stats.sm.warp_instructions, instructions), with_commas(r->stats.sm.l1d_loads, loads),
               100 * metric_of(&c, "divergent_loads"), metric_of(&c, "footprint_bytes") / 1024);
    }
    job_free(j);
    free(j);
    return rc;
}

static int list_workloads(const struct options *o, struct wl_err *e)
{
    unsigned count;
    const struct workload *const *all = workloads(&count);
    bool more = o->verbose && !o->plain;
    if (o->size && !more)
        return wl_fail(e, WL_EINPUT, "--size goes with 'list workloads -v', which runs each program at it");
    int rc = 0;
    for (unsigned i = 0; !rc && i < count; i++) {
        char rest[512];
        snprintf(rest, sizeof rest, "%-10s %s", all[i]->suite ? all[i]->suite : "", all[i]->help ? all[i]->help : "");
        row(o, all[i]->name, 14, rest);
        if (!more) continue;
        list_inputs(all[i]);
        list_papers(all[i]);
        if (!o->quiet && isatty(2)) fprintf(stderr, "\r%u of %u: %-20s\r", i + 1, count, all[i]->name);
        rc = list_numbers(o, all[i], e);
    }
    return rc;
}

static void list_groups(const struct options *o)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "@%s", all[i].name);
        row(o, name, 20, all[i].help);
        if (!o->plain) printf("    %s\n", all[i].members);
    }
}

/* ---- policies ---- */

static void list_params(const struct wl_param *p)
{
    for (; p && p->name; p++) {
        char value[64], range[256];
        param_write(p, p->def, value, sizeof value);
        param_range(p, range, sizeof range);
        printf("    %-16s %s; default %s, %s%s%s\n", p->name, p->help, value, range, *p->unit ? " " : "", p->unit);
    }
}

static void list_policy_counters(const struct wl_counter *c)
{
    for (; c && c->name; c++) printf("    counts %-16s %s, %s\n", c->name, c->help, c->unit);
}

static void list_policies(const struct options *o)
{
    unsigned count;
    const struct wl_cache_policy *const *all = cache_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        char rest[512];
        bool l1 = all[i]->levels >> WL_L1 & 1, l2 = all[i]->levels >> WL_L2 & 1;
        snprintf(rest, sizeof rest, "%-6s %s", l1 && l2 ? "L1 L2" : l1 ? "L1" : "L2", all[i]->help);
        row(o, all[i]->name, 14, rest);
        if (!o->verbose || o->plain) continue;
        list_params(all[i]->params);
        list_policy_counters(all[i]->counters);
    }
}

static void list_schedulers(const struct options *o)
{
    unsigned count;
    const struct wl_sched_policy *const *all = sched_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        row(o, all[i]->name, 14, all[i]->help);
        if (!o->verbose || o->plain) continue;
        list_params(all[i]->params);
        list_policy_counters(all[i]->counters);
    }
}

/* ---- machines, counters, parameters ---- */

static int list_gpus(const struct options *o, struct wl_err *e)
{
    const char *names[64];
    unsigned n = preset_names(names, 64);
    for (unsigned i = 0; i < n; i++) {
        struct gpu_config c;
        char line[256];
        int rc = config_load(&c, names[i], e);
        if (rc) return rc;
        machine_line(&c, line, sizeof line);
        row(o, names[i], 14, line + strlen(names[i]) + 2); /* the line begins with the name */
    }
    return 0;
}

static void list_counters(const struct options *o)
{
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        char name[96], rest[512];
        snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->key);
        snprintf(rest, sizeof rest, "%-12s %s", d->unit, d->help);
        row(o, name, 24, rest);
    }
    row(o, "energy.total", 24, "uJ           all of the following, by the table energy.table names");
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        char name[96], rest[128];
        snprintf(name, sizeof name, "energy.%s", energy_part_names[i]);
        snprintf(rest, sizeof rest, "%-12s its events times their picojoules (src/stats/energy.def)", "uJ");
        row(o, name, 24, rest);
    }
    row(o, "energy.background", 24, "uJ           of energy.dram, what the memory used by being on");
    row(o, "energy.leakage", 24, "uJ           static power of the chip times the time of the kernels");
    row(o, "energy.edp", 24, "uJ us        energy-delay product: energy.total times that time");
    for (unsigned i = 0; i < ENERGY_TABLES; i++) {
        char name[96];
        snprintf(name, sizeof name, "energy.%s.*", energy_tables[i].name);
        row(o, name, 24, "             the same, always by this table; JSON and experiments only");
    }
}

static void list_options(const struct options *o)
{
    for (unsigned i = 0; i < P_COUNT; i++) {
        const struct wl_param *p = &gpu_params[i];
        char value[64], range[256], rest[1024];
        param_write(p, p->def, value, sizeof value);
        param_range(p, range, sizeof range);
        snprintf(rest, sizeof rest, "%-8s %-12s %-22s %s", value, p->unit, range, p->help);
        row(o, p->name, 22, rest);
        if (o->verbose && !o->plain) printf("%-22s    from %s\n", "", p->source);
    }
    row(o, "dram.map", 22, "address map of the channels, as GPGPU-Sim writes it");
}

static int list_figures(const struct options *o, struct wl_err *e)
{
    const char *names[64];
    unsigned n = experiment_names(names, 64);
    for (unsigned i = 0; i < n; i++) {
        struct experiment *x = experiment_load(names[i], e);
        if (!x) return e->code ? (int)e->code : WL_ERUN;
        for (unsigned f = 0; f < x->nfigures; f++) {
            char id[160];
            snprintf(id, sizeof id, "%s.%s", names[i], x->figures[f].id);
            row(o, id, 14, x->figures[f].title);
        }
        experiment_free(x);
    }
    return 0;
}

int cmd_list(const struct options *o, struct wl_err *e)
{
    static const char *const kinds[] = {"workloads", "policies", "schedulers", "gpus",
                                        "figures",   "counters", "options",    "groups"};
    const char *kind = o->words.count == 1 ? o->words.item[0] : "";
    int at = -1;
    for (int i = 0; i < 8; i++)
        if (strcmp(kinds[i], kind) == 0) at = i;
    if (o->size && at > 0) return wl_fail(e, WL_EINPUT, "--size goes with 'list workloads -v'");
    switch (at) {
    case 0: return list_workloads(o, e);
    case 1: list_policies(o); return 0;
    case 2: list_schedulers(o); return 0;
    case 3: return list_gpus(o, e);
    case 4: return list_figures(o, e);
    case 5: list_counters(o); return 0;
    case 6: list_options(o); return 0;
    case 7: list_groups(o); return 0;
    default: break;
    }
    const char *near = *kind ? wl_nearest(kind, kinds, 8) : NULL;
    if (near) return wl_fail(e, WL_EINPUT, "there is no list of '%s'; did you mean '%s'?", kind, near);
    return wl_fail(e, WL_EINPUT,
                   "list takes one of workloads, groups, policies, schedulers, gpus, figures, counters, options");
}
