/* write_setup.c - the members of a record that say what ran, on what: enough to run it again.
 *
 * "set" is the machine as a difference from its preset, in the words of --set; "config" is the machine complete. A
 * reader who keeps one of the two, "policies", "inputs" and "seed" has everything that the numbers depend on. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "param/config.h"
#include "param/param_table.h"
#include "run/json_parts.h"
#include "run/result.h"

static json_t *hash_string(uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

/* ---- the machine ---- */

struct change_list {
    json_t *object;
    int bad;
};

static void add_change(void *arg, const char *name, const char *value, const int64_t *number)
{
    struct change_list *l = arg;
    l->bad |= json_object_set_new(l->object, name, number ? json_integer((json_int_t)*number) : json_text(value));
}

static json_t *set_object(const struct gpu_config *c)
{
    struct change_list l = {.object = json_object()};
    config_changes(c, add_change, &l);
    if (!l.bad) return l.object;
    json_decref(l.object);
    return NULL;
}

/* A word for a choice, else a number. */
static json_t *param_value(const struct wl_param *p, int64_t value)
{
    char word[64];
    param_write(p, value, word, sizeof word);
    return p->choices ? json_string(word) : json_integer((json_int_t)value);
}

json_t *json_config(const struct gpu_config *c)
{
    json_t *o = json_object();
    int bad = o ? 0 : -1;
    for (unsigned i = 0; i < P_COUNT && !bad; i++)
        bad = json_set_nested(o, gpu_params[i].name, param_value(&gpu_params[i], c->v[i]));
    for (unsigned i = 0; i < SIZE_KEYS; i++)
        bad |= json_set_nested(o, size_params[i].name, json_integer((json_int_t)config_size(c, i)));
    bad |= json_set_nested(o, "shared.options", json_text(c->shared_options));
    bad |= json_set_nested(o, "dram.map", json_text(c->dram_map));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* ---- policies ---- */

static json_t *policy_object(const char *name, const struct wl_param *params, const int64_t *values)
{
    json_t *o = json_object(), *all = json_object();
    int bad = json_object_set_new(o, "name", json_text(name));
    bad |= json_object_set_new(o, "parameters", all);
    for (unsigned i = 0; i < param_rows(params); i++)
        bad |= json_object_set_new(all, params[i].name, param_value(&params[i], values[i]));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static json_t *policies_object(const struct gpu_config *c)
{
    json_t *o = json_object();
    int bad = json_object_set_new(o, "l1", policy_object(c->l1.policy->name, c->l1.policy->params, c->l1.values));
    bad |= json_object_set_new(o, "l2", policy_object(c->l2.policy->name, c->l2.policy->params, c->l2.values));
    bad |=
        json_object_set_new(o, "sched", policy_object(c->sched.policy->name, c->sched.policy->params, c->sched.values));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* ---- inputs ---- */

/* Reads "n=64" at `p`; the end of the word, or NULL when it is something else. */
static const char *read_pair(const char *p, char name[64], json_int_t *value)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    char *end = NULL;
    errno = 0;
    if (!n || n >= 64 || p[n] != '=' || isspace((unsigned char)p[n + 1])) return NULL;
    *value = strtoll(p + n + 1, &end, 10);
    if (end == p + n + 1 || (*end && *end != ' ') || errno) return NULL;
    memcpy(name, p, n);
    name[n] = 0;
    return end;
}

/* A workload's inputs by name, and of a trace of one the kernels that were chosen; what a program of another kind was
 * given, as it was given. */
json_t *json_inputs(const char *text)
{
    json_t *o = json_object();
    char name[64];
    json_int_t value;
    const char *p = text;
    int bad = 0;
    while (p && *p) {
        if (strncmp(p, "kernel=", 7) == 0) {
            bad |= json_object_set_new(o, "kernel", json_text(p + 7));
            break;
        }
        p = read_pair(p, name, &value);
        if (p) bad |= json_object_set_new(o, name, json_integer(value));
        if (p && *p) p++;
    }
    if (!p) {
        json_object_clear(o);
        bad |= json_object_set_new(o, "arguments", json_text(text));
    }
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* ---- all of it ---- */

static int add_machine(json_t *root, const struct run_result *r)
{
    const struct gpu_config *c = r->config;
    int bad = json_object_set_new(root, "gpu", json_text(r->gpu));
    if (c) bad |= json_object_set_new(root, "preset", *c->preset ? json_text(c->preset) : json_null());
    if (c) bad |= json_object_set_new(root, "set", set_object(c));
    bad |= json_object_set_new(root, "l1_policy", json_text(r->l1.spec));
    bad |= json_object_set_new(root, "l2_policy", json_text(r->l2.spec));
    bad |= json_object_set_new(root, "scheduler", json_text(r->sched.spec));
    if (c) bad |= json_object_set_new(root, "policies", policies_object(c));
    return bad;
}

int json_add_setup(json_t *root, const struct run_result *r)
{
    int bad = json_object_set_new(root, "workload", json_text(r->workload));
    bad |= json_object_set_new(root, "size", json_text(r->size));
    bad |= json_object_set_new(root, "inputs", json_inputs(r->inputs));
    bad |= json_object_set_new(root, "seed", json_count(r->seed));
    bad |= add_machine(root, r);
    if (r->command) bad |= json_object_set_new(root, "command", json_text(r->command));
    bad |= json_object_set_new(root, "version", json_text(r->version));
    bad |= json_object_set_new(root, "build", json_text(r->build));
    bad |= json_object_set_new(root, "config_hash", hash_string(r->config_hash));
    bad |= json_object_set_new(root, "workload_hash", hash_string(r->workload_hash));
    bad |= json_object_set_new(root, "engine", json_text(r->engine));
    return bad;
}
