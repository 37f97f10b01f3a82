/* catalogue.c - the lists of workloads, groups, policies, machines, counters and parameters. */
#include "run/catalogue.h"

#include <inttypes.h>
#include <string.h>

#include "param/param_table.h"
#include "policy/registry.h"
#include "run/machine.h"
#include "run/scheme.h"
#include "stats/energy.h"
#include "workloads/workload.h"

void catalogue_row(const struct catalogue_view *how, const char *name, int width, const char *rest, FILE *out)
{
    if (how->plain) fprintf(out, "%s\n", name);
    else fprintf(out, "%-*s  %s\n", width, name, rest);
}

/* ---- workloads ---- */

static void list_inputs(const struct workload *w, FILE *out)
{
    for (const struct workload_input *in = w->input; in->name; in++)
        fprintf(out,
                "    %-12s %s: %" PRId64 " tiny, %" PRId64 " small, %" PRId64 " paper (%" PRId64 "..%" PRId64 ")\n",
                in->name, in->help ? in->help : "", in->value[SIZE_TINY], in->value[SIZE_SMALL], in->value[SIZE_PAPER],
                in->min, in->max);
    if (w->aliases) fprintf(out, "    also known as %s\n", w->aliases);
}

static bool has_member(const struct workload_group *g, const struct workload *w)
{
    const struct workload *m;
    for (unsigned i = 0; (m = workload_group_member(g, i)); i++)
        if (m == w) return true;
    return false;
}

static void list_papers(const struct workload *w, FILE *out)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    const char *before = "    in ";
    for (unsigned i = 0; i < count; i++) {
        if (!has_member(&all[i], w)) continue;
        fprintf(out, "%s@%s", before, all[i].name);
        before = " ";
    }
    if (*before == ' ' && !before[1]) fputc('\n', out);
}

static int list_workloads(const struct catalogue_view *o, FILE *out, struct wl_err *e)
{
    unsigned count;
    const struct workload *const *all = workloads(&count);
    int rc = 0;
    for (unsigned i = 0; !rc && i < count; i++) {
        char rest[512];
        snprintf(rest, sizeof rest, "%-10s %s", all[i]->suite ? all[i]->suite : "", all[i]->help ? all[i]->help : "");
        catalogue_row(o, all[i]->name, 14, rest, out);
        if (!o->verbose || o->plain) continue;
        list_inputs(all[i], out);
        list_papers(all[i], out);
        if (o->workload) rc = o->workload(o->arg, all[i]->name, i + 1, count, e);
    }
    return rc;
}

static void list_groups(const struct catalogue_view *o, FILE *out)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "@%s", all[i].name);
        catalogue_row(o, name, 20, all[i].help, out);
        if (!o->plain) fprintf(out, "    %s\n", all[i].members);
    }
}

/* ---- policies ---- */

static void list_params(const struct wl_param *p, FILE *out)
{
    for (; p && p->name; p++) {
        char value[64], range[256];
        param_write(p, p->def, value, sizeof value);
        param_range(p, range, sizeof range);
        fprintf(out, "    %-16s %s; default %s, %s%s%s\n", p->name, p->help, value, range, *p->unit ? " " : "",
                p->unit);
    }
}

static void list_policy_counters(const struct wl_counter *c, FILE *out)
{
    for (; c && c->name; c++) fprintf(out, "    counts %-16s %s, %s\n", c->name, c->help, c->unit);
}

static void list_policies(const struct catalogue_view *o, FILE *out)
{
    unsigned count;
    const struct wl_cache_policy *const *all = cache_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        char rest[512];
        bool l1 = all[i]->levels >> WL_L1 & 1, l2 = all[i]->levels >> WL_L2 & 1;
        snprintf(rest, sizeof rest, "%-6s %s", l1 && l2 ? "L1 L2" : l1 ? "L1" : "L2", all[i]->help);
        catalogue_row(o, all[i]->name, 14, rest, out);
        if (!o->verbose || o->plain) continue;
        list_params(all[i]->params, out);
        list_policy_counters(all[i]->counters, out);
    }
}

static void list_schedulers(const struct catalogue_view *o, FILE *out)
{
    unsigned count;
    const struct wl_sched_policy *const *all = sched_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        catalogue_row(o, all[i]->name, 14, all[i]->help, out);
        if (!o->verbose || o->plain) continue;
        list_params(all[i]->params, out);
        list_policy_counters(all[i]->counters, out);
    }
}

static void list_schemes(const struct catalogue_view *o, FILE *out)
{
    for (const struct scheme *s = schemes; s->name; s++) {
        catalogue_row(o, s->name, 14, s->help, out);
        if (!o->verbose || o->plain) continue;
        if (s->l1) fprintf(out, "    --l1 %s\n", s->l1);
        if (s->l2) fprintf(out, "    --l2 %s\n", s->l2);
        if (s->sched) fprintf(out, "    --sched %s\n", s->sched);
    }
}

/* ---- machines, counters, parameters ---- */

static int list_gpus(const struct catalogue_view *o, FILE *out, struct wl_err *e)
{
    const char *names[64];
    unsigned n = preset_names(names, 64);
    for (unsigned i = 0; i < n; i++) {
        struct gpu_config c;
        char line[256];
        int rc = machine_read(&(struct machine_spec){.gpu = names[i]}, &c, e);
        if (rc) return rc;
        machine_line(&c, line, sizeof line);
        catalogue_row(o, names[i], 14, line + strlen(names[i]) + 2, out); /* the line begins with the name */
    }
    return 0;
}

static void list_counters(const struct catalogue_view *o, FILE *out)
{
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        char name[96], rest[512];
        snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->key);
        snprintf(rest, sizeof rest, "%-12s %s", d->unit, d->help);
        catalogue_row(o, name, 24, rest, out);
    }
    catalogue_row(o, "energy.total", 24, "uJ           all of the following, by the table energy.table names", out);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        char name[96], rest[128];
        snprintf(name, sizeof name, "energy.%s", energy_part_names[i]);
        snprintf(rest, sizeof rest, "%-12s its events times their picojoules (src/stats/energy.def)", "uJ");
        catalogue_row(o, name, 24, rest, out);
    }
    catalogue_row(o, "energy.background", 24, "uJ           of energy.dram, what the memory used by being on", out);
    catalogue_row(o, "energy.leakage", 24, "uJ           static power of the chip times the time of the kernels", out);
    catalogue_row(o, "energy.edp", 24, "uJ us        energy-delay product: energy.total times that time", out);
    for (unsigned i = 0; i < ENERGY_TABLES; i++) {
        char name[96];
        snprintf(name, sizeof name, "energy.%s.*", energy_tables[i].name);
        catalogue_row(o, name, 24, "             the same, always by this table; JSON and experiments only", out);
    }
}

static void list_table(const struct wl_param *p, const struct catalogue_view *o, FILE *out)
{
    for (; p->name; p++) {
        char value[64], range[256], rest[1024];
        param_write(p, p->def, value, sizeof value);
        param_range(p, range, sizeof range);
        snprintf(rest, sizeof rest, "%-8s %-12s %-22s %s", value, p->unit, range, p->help);
        catalogue_row(o, p->name, 22, rest, out);
        if (o->verbose && !o->plain) fprintf(out, "%-22s    from %s\n", "", p->source);
    }
}

static void list_options(const struct catalogue_view *o, FILE *out)
{
    list_table(gpu_params, o, out);
    list_table(size_params, o, out);
    catalogue_row(o, "dram.map", 22, "address map of the channels, as GPGPU-Sim writes it", out);
}

int catalogue_list(enum catalogue_kind kind, const struct catalogue_view *how, FILE *out, struct wl_err *e)
{
    registry_open();
    switch (kind) {
    case LIST_WORKLOADS: return list_workloads(how, out, e);
    case LIST_GROUPS: list_groups(how, out); return 0;
    case LIST_POLICIES: list_policies(how, out); return 0;
    case LIST_SCHEDULERS: list_schedulers(how, out); return 0;
    case LIST_SCHEMES: list_schemes(how, out); return 0;
    case LIST_GPUS: return list_gpus(how, out, e);
    case LIST_COUNTERS: list_counters(how, out); return 0;
    case LIST_OPTIONS: list_options(how, out); return 0;
    }
    return 0;
}
