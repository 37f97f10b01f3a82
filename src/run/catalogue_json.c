/* catalogue_json.c - the lists as JSON: an array of objects, for programs that offer a choice. */
#include <string.h>

#include "param/param_table.h"
#include "policy/registry.h"
#include "run/catalogue.h"
#include "run/json_parts.h"
#include "run/machine.h"
#include "run/scheme.h"
#include "stats/energy.h"
#include "stats/stats.h"
#include "workloads/workload.h"

/* The pieces of `text` between any of `separators`. */
static json_t *pieces(const char *text, const char *separators)
{
    json_t *list = json_array();
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, separators);
        if (n) json_array_append_new(list, json_stringn(p, n));
        p += n + strspn(p + n, separators);
    }
    return list;
}

static json_t *text_or_null(const char *s) { return s ? json_text(s) : json_null(); }

static json_t *param_object(const struct wl_param *p)
{
    char value[64];
    param_write(p, p->def, value, sizeof value);
    json_t *o = json_pack("{s:s,s:s}", "name", p->name, "unit", p->unit);
    if (p->choices) {
        json_object_set_new(o, "choices", pieces(p->choices, "|"));
        json_object_set_new(o, "default", json_string(value));
    } else {
        json_object_set_new(o, "min", json_integer((json_int_t)p->min));
        json_object_set_new(o, "default", json_integer((json_int_t)p->def));
        json_object_set_new(o, "max", json_integer((json_int_t)p->max));
    }
    json_object_set_new(o, "help", json_text(p->help));
    if (p->source && *p->source) json_object_set_new(o, "source", json_text(p->source));
    return o;
}

static void add_params(json_t *list, const struct wl_param *p)
{
    for (; p && p->name; p++) json_array_append_new(list, param_object(p));
}

static void add_tables(json_t *o, const struct wl_param *params, const struct wl_counter *c)
{
    json_t *all = json_array(), *counters = json_array();
    add_params(all, params);
    for (; c && c->name; c++)
        json_array_append_new(counters, json_pack("{s:s,s:s,s:s}", "name", c->name, "unit", c->unit, "help", c->help));
    json_object_set_new(o, "parameters", all);
    json_object_set_new(o, "counters", counters);
}

static void add_workloads(json_t *list)
{
    unsigned count;
    const struct workload *const *all = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        json_t *o = json_object(), *inputs = json_array();
        json_object_set_new(o, "name", json_text(all[i]->name));
        json_object_set_new(o, "suite", text_or_null(all[i]->suite));
        json_object_set_new(o, "help", text_or_null(all[i]->help));
        json_object_set_new(o, "aliases", pieces(all[i]->aliases, " ,"));
        for (const struct workload_input *in = all[i]->input; in->name; in++)
            json_array_append_new(inputs, json_pack("{s:s,s:s?,s:I,s:I,s:I,s:I,s:I}", "name", in->name, "help",
                                                    in->help, "tiny", (json_int_t)in->value[SIZE_TINY], "small",
                                                    (json_int_t)in->value[SIZE_SMALL], "paper",
                                                    (json_int_t)in->value[SIZE_PAPER], "min", (json_int_t)in->min,
                                                    "max", (json_int_t)in->max));
        json_object_set_new(o, "inputs", inputs);
        json_array_append_new(list, o);
    }
}

static void add_groups(json_t *list)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    for (unsigned i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "@%s", all[i].name);
        json_t *o = json_pack("{s:s,s:s}", "name", name, "help", all[i].help);
        json_object_set_new(o, "members", pieces(all[i].members, " ,"));
        json_array_append_new(list, o);
    }
}

static void add_policies(json_t *list)
{
    unsigned count;
    const struct wl_cache_policy *const *all = cache_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        json_t *o = json_pack("{s:s,s:s,s:b,s:b}", "name", all[i]->name, "help", all[i]->help, "l1",
                              all[i]->levels >> WL_L1 & 1, "l2", all[i]->levels >> WL_L2 & 1);
        add_tables(o, all[i]->params, all[i]->counters);
        json_array_append_new(list, o);
    }
}

static void add_schedulers(json_t *list)
{
    unsigned count;
    const struct wl_sched_policy *const *all = sched_policies(&count);
    for (unsigned i = 0; i < count; i++) {
        json_t *o = json_pack("{s:s,s:s}", "name", all[i]->name, "help", all[i]->help);
        add_tables(o, all[i]->params, all[i]->counters);
        json_array_append_new(list, o);
    }
}

static void add_schemes(json_t *list)
{
    for (const struct scheme *s = schemes; s->name; s++)
        json_array_append_new(list, json_pack("{s:s,s:s?,s:s?,s:s?,s:s}", "name", s->name, "l1", s->l1, "l2", s->l2,
                                              "sched", s->sched, "help", s->help));
}

static int add_gpus(json_t *list, struct wl_err *e)
{
    const char *names[64];
    unsigned n = preset_names(names, 64);
    for (unsigned i = 0; i < n; i++) {
        struct gpu_config c;
        char line[256];
        int rc = machine_read(&(struct machine_spec){.gpu = names[i]}, &c, e);
        if (rc) return rc;
        machine_line(&c, line, sizeof line);
        json_array_append_new(list, json_pack("{s:s,s:s}", "name", names[i], "help", line + strlen(names[i]) + 2));
    }
    return 0;
}

static void add_counters(json_t *list)
{
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->key);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", name, "unit", d->unit, "help", d->help));
    }
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        char name[96];
        snprintf(name, sizeof name, "energy.%s", energy_part_names[i]);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", name, "unit", "uJ", "help",
                                              "its events times their picojoules (src/stats/energy.def)"));
    }
}

void *catalogue_json(enum catalogue_kind kind, struct wl_err *e)
{
    json_t *list = json_array();
    int rc = 0;
    registry_open();
    switch (kind) {
    case LIST_WORKLOADS: add_workloads(list); break;
    case LIST_GROUPS: add_groups(list); break;
    case LIST_POLICIES: add_policies(list); break;
    case LIST_SCHEDULERS: add_schedulers(list); break;
    case LIST_SCHEMES: add_schemes(list); break;
    case LIST_GPUS: rc = add_gpus(list, e); break;
    case LIST_COUNTERS: add_counters(list); break;
    case LIST_OPTIONS:
        add_params(list, gpu_params);
        add_params(list, size_params);
        break;
    }
    if (!rc && list) return list;
    if (!rc) wl_no_memory(e);
    json_decref(list);
    return NULL;
}
