/* write_csv.c - runs as a table: a header, then a row each.
 *
 * Columns are the keys of the JSON object, flattened with dots; lists of kernels do not fit a row and are left out.
 * What ran comes last, because it is long: the difference from the preset, the command, the complete machine. One walk
 * writes either names or values, so header and rows cannot drift apart. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "param/config.h"
#include "param/param_table.h"
#include "run/result.h"

struct row {
    FILE *out;
    bool header; /* write names instead of values */
    bool first;
};

static void put_quoted(FILE *out, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        fputs(s, out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void put_text(struct row *w, const char *group, const char *key, const char *value)
{
    if (!w->first) fputc(',', w->out);
    w->first = false;
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", group, *group ? "." : "", key);
    put_quoted(w->out, w->header ? name : value);
}

static void put_number(struct row *w, const char *group, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_text(w, group, key, text);
}

static void put_hash(struct row *w, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    put_text(w, "", key, text);
}

static void put_real(struct row *w, const char *group, const char *key, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.6f", value);
    put_text(w, group, key, text);
}

static void put_policy(struct row *w, const char *group, const struct result_policy *p)
{
    for (unsigned i = 0; p->counters && p->counters[i].name; i++)
        put_number(w, group, p->counters[i].name, p->value[i]);
    put_number(w, group, "storage_bits", p->storage_bits);
}

static void put_energy(struct row *w, const struct energy *e)
{
    put_text(w, "energy", "table", e->table ? e->table : "");
    put_text(w, "energy", "calibrated", !e->table ? "" : e->calibrated ? "yes" : "no");
    put_real(w, "energy", "total", e->total);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) put_real(w, "energy", energy_part_names[i], e->part[i]);
    put_real(w, "energy", "background", e->background);
    put_real(w, "energy", "leakage", e->leakage);
    put_real(w, "energy", "edp", e->edp);
}

/* ---- what ran, on what ---- */

static void append_change(void *arg, const char *name, const char *value, const int64_t *number)
{
    struct text_stream *s = arg;
    (void)number;
    fprintf(s->file, " %s=%s", name, value);
}

static void put_changes(struct row *w, const struct gpu_config *c)
{
    struct text_stream stream;
    if (text_stream_open(&stream)) config_changes(c, append_change, &stream);
    char *text = text_stream_close(&stream);
    put_text(w, "", "set", text && *text ? text + 1 : "");
    free(text);
}

static void put_param(struct row *w, const char *group, const struct wl_param *p, int64_t value)
{
    char text[64] = "";
    param_write(p, value, text, sizeof text);
    put_text(w, group, p->name, text);
}

static void put_params(struct row *w, const char *group, const struct wl_param *p, const int64_t *values)
{
    for (unsigned i = 0; i < param_rows(p); i++) put_param(w, group, &p[i], values[i]);
}

/* The difference from the preset, the command, the parameters of the policies when all rows have the same ones, and
 * the complete machine. */
static void put_setup(struct row *w, const struct run_result *r, bool policies)
{
    const struct gpu_config *c = r->config;
    put_text(w, "", "preset", c->preset);
    put_changes(w, c);
    put_text(w, "", "command", r->command ? r->command : "");
    if (policies) {
        put_params(w, "policies.l1.parameters", c->l1.policy->params, c->l1.values);
        put_params(w, "policies.l2.parameters", c->l2.policy->params, c->l2.values);
        put_params(w, "policies.sched.parameters", c->sched.policy->params, c->sched.values);
    }
    put_params(w, "config", gpu_params, c->v);
    for (unsigned i = 0; i < SIZE_KEYS; i++) put_param(w, "config", &size_params[i], config_size(c, i));
    put_text(w, "config", "shared.options", c->shared_options);
    put_text(w, "config", "dram.map", c->dram_map);
}

static void put_row(FILE *out, bool header, const struct run_result *r, bool policies, bool profiled)
{
    struct row w = {out, header, true};
    put_text(&w, "", "workload", r->workload);
    put_text(&w, "", "size", r->size);
    put_text(&w, "", "inputs", r->inputs);
    put_text(&w, "", "gpu", r->gpu);
    put_text(&w, "", "l1_policy", r->l1.spec);
    put_text(&w, "", "l2_policy", r->l2.spec);
    put_text(&w, "", "scheduler", r->sched.spec);
    put_text(&w, "", "version", r->version);
    put_text(&w, "", "build", r->build);
    put_hash(&w, "config_hash", r->config_hash);
    put_hash(&w, "workload_hash", r->workload_hash);
    put_number(&w, "", "seed", r->seed);
    put_text(&w, "", "engine", r->engine);
    put_number(&w, "", "cycles", r->stats.cycles);
    put_number(&w, "", "warp_instructions", r->stats.sm.warp_instructions);
    put_number(&w, "", "thread_instructions", r->stats.sm.thread_instructions);
    put_real(&w, "", "ipc", result_ipc(r));
    for (const struct counter_desc *d = counter_descs; d->key; d++)
        if (d->group != GROUP_profile || profiled)
            put_number(&w, counter_group_names[d->group], d->key, counter_value(&r->stats, d));
    put_energy(&w, &r->energy[r->energy_table]);
    if (policies) {
        put_policy(&w, "l1_policy_counters", &r->l1);
        put_policy(&w, "l2_policy_counters", &r->l2);
        put_policy(&w, "scheduler_counters", &r->sched);
    }
    put_real(&w, "host", "seconds", r->host.seconds);
    put_number(&w, "host", "peak_memory_bytes", r->host.peak_memory_bytes);
    if (r->config) put_setup(&w, r, policies);
    fputc('\n', out);
}

static bool same_policies(const struct run_result *a, const struct run_result *b)
{
    const struct gpu_config *x = a->config, *y = b->config;
    return !x || !y ||
           (x->l1.policy == y->l1.policy && x->l2.policy == y->l2.policy && x->sched.policy == y->sched.policy);
}

void result_write_csv(const struct run_result *const *r, unsigned count, FILE *out)
{
    if (count == 0) return;
    bool same = true, profiled = true;
    for (unsigned i = 0; i < count; i++) profiled = profiled && r[i]->profiled;
    for (unsigned i = 1; i < count; i++)
        same = same && r[i]->l1.counters == r[0]->l1.counters && r[i]->l2.counters == r[0]->l2.counters &&
               r[i]->sched.counters == r[0]->sched.counters && same_policies(r[i], r[0]);
    put_row(out, true, r[0], same, profiled);
    for (unsigned i = 0; i < count; i++) put_row(out, false, r[i], same, profiled);
}
