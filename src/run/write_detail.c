/* write_detail.c - what `run -v` adds to the summary: everything that the run depended on, and every counter that is
 * not zero. */
#include <inttypes.h>
#include <string.h>

#include "param/config.h"
#include "param/param_table.h"
#include "run/result.h"

static void write_params(const char *place, const char *name, const struct wl_param *p, const int64_t *values,
                         FILE *out)
{
    fprintf(out, "  %-10s %s", place, name);
    for (unsigned i = 0; i < param_rows(p); i++) {
        char value[64];
        param_write(&p[i], values[i], value, sizeof value);
        fprintf(out, "%s%s=%s", i ? " " : ": ", p[i].name, value);
    }
    fputc('\n', out);
}

static void write_counter(const char *name, uint64_t value, const char *unit, FILE *out)
{
    char number[32];
    if (value) fprintf(out, "    %-40s %20s %s\n", name, with_commas(value, number), unit);
}

static void write_policy_counters(const char *group, const struct result_policy *p, FILE *out)
{
    char name[160];
    for (unsigned i = 0; p->counters && p->counters[i].name; i++) {
        snprintf(name, sizeof name, "%s.%s", group, p->counters[i].name);
        write_counter(name, p->value[i], p->counters[i].unit, out);
    }
    snprintf(name, sizeof name, "%s.storage_bits", group);
    write_counter(name, p->storage_bits, "bits", out);
}

void result_write_detail(const struct run_result *r, FILE *out)
{
    const struct gpu_config *c = r->config;
    if (r->command) fprintf(out, "\n  command    %s\n", r->command);
    fprintf(out, "  build      %s, workload %016" PRIx64 "\n", r->build, r->workload_hash);
    if (c) {
        fprintf(out, "  preset     %s\n", *c->preset ? c->preset : "none: the defaults of all parameters");
        write_params("L1 policy", c->l1.policy->name, c->l1.policy->params, c->l1.values, out);
        write_params("L2 policy", c->l2.policy->name, c->l2.policy->params, c->l2.values, out);
        write_params("scheduler", c->sched.policy->name, c->sched.policy->params, c->sched.values, out);
    }
    fputs("  counters   those that are not 0; 'warpline list counters' says what they are\n", out);
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        char name[160];
        if (d->group == GROUP_profile && !r->profiled) continue;
        snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->key);
        write_counter(name, counter_value(&r->stats, d), d->unit, out);
    }
    write_policy_counters("l1_policy_counters", &r->l1, out);
    write_policy_counters("l2_policy_counters", &r->l2, out);
    write_policy_counters("scheduler_counters", &r->sched, out);
}
