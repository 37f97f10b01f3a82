/* read_unknown.c - [unknown NAME]: what a source leaves unsaid, and the values it may have had.
 *
 * A key is a parameter of the machine ("l1d.mshr"), one of a policy ("l1:promo"), an input of a program
 * ("input:srad:rows"), "gpu" or "seed". A choice of values changes the file as if its head had said so: what a
 * series says itself, or sweeps, stays as it is, because the difference between series is what a figure shows. A
 * parameter of a policy reaches those series whose policy has it. A number with a sign is added to what each
 * series' machine has: "+1" cycle of latency, whatever the latency is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/reader.h"
#include "param/param_table.h"
#include "run/run.h"

static const char *const unknown_keys[] = {"text", "set", "values", "why", "noise", "value.LABEL", "why.LABEL", NULL};

enum key_kind { KEY_MACHINE, KEY_POLICY, KEY_INPUT, KEY_GPU, KEY_SEED };

static enum key_kind kind_of(const char *key)
{
    if (strcmp(key, "gpu") == 0) return KEY_GPU;
    if (strcmp(key, "seed") == 0) return KEY_SEED;
    if (strncmp(key, "input", 5) == 0 && strchr(key, ':')) return KEY_INPUT;
    return strchr(key, ':') ? KEY_POLICY : KEY_MACHINE;
}

/* "+1": relative to what a machine has. No parameter of a machine is negative. */
static bool is_shift(const char *part) { return *part == '+' || *part == '-'; }

/* ---- sections ---- */

static int value_fail(struct reader *r, const struct exp_value *v, const char *key, const char *why)
{
    return wl_fail_at(r->e, r->ini.file, v->line, 0, r->ini.text, "%.80s = %.80s: %.600s", key, v->label, why);
}

static struct ini_key *key_of_value(struct reader *r, struct ini_section *in, const char *kind, const char *label)
{
    const char *name = arena_printf(r->arena, "%s.%s", kind, label);
    return name ? ini_take(in, name) : NULL;
}

/* The parts of a value: the words of value.LABEL, or the label itself cut at "/". */
static int read_parts(struct reader *r, const struct exp_unknown *u, const struct ini_key *spelt, struct exp_value *v)
{
    const char **part = ARENA_ARRAY(r->arena, const char *, u->nkeys);
    const char *p = spelt ? spelt->value : v->label;
    unsigned n = 0;
    if (!part) return reader_memory(r);
    while (*p) {
        size_t len = strlen(p);
        if (spelt) len = strcspn(p += strspn(p, " \t"), " \t");
        else if (u->nkeys > 1) len = strcspn(p, "/");
        if (len && n < u->nkeys && !(part[n] = arena_strndup(r->arena, p, len))) return reader_memory(r);
        n += len != 0;
        p += len + (!spelt && p[len] == '/');
    }
    v->part = part;
    if (n == u->nkeys) return 0;
    char why[160];
    snprintf(why, sizeof why, "set has %u key%s, this value has %u part%s (as in 256/256, or value.NAME = 256 256)",
             u->nkeys, u->nkeys == 1 ? "" : "s", n, n == 1 ? "" : "s");
    return value_fail(r, v, u->name, why);
}

static int read_one_value(struct reader *r, struct ini_section *in, const struct exp_unknown *u, struct exp_value *v)
{
    if (v->label[strcspn(v->label, ":=")])
        return value_fail(r, v, u->name, "a value with ':' or '=' needs a name: values = NAME, value.NAME = ...");
    for (const struct exp_value *o = u->values; o < v; o++)
        if (strcmp(o->label, v->label) == 0) return value_fail(r, v, u->name, "this value is listed twice");
    if (strcmp(v->label, "default") == 0)
        return value_fail(r, v, u->name, "the default is the file as it stands; list only what else there may be");
    const struct ini_key *spelt = key_of_value(r, in, "value", v->label), *why = key_of_value(r, in, "why", v->label);
    if (spelt) v->line = spelt->line;
    if (!why || !*why->value) return value_fail(r, v, u->name, "it needs its reason, with the source: why.VALUE = ...");
    v->why = why->value;
    return read_parts(r, u, spelt, v);
}

static int read_values(struct reader *r, struct ini_section *in, struct exp_unknown *u)
{
    const struct ini_key *k = ini_take(in, "values");
    if (!k) return ini_fail_section(&r->ini, in, "an unknown needs its values: values = 64 256", r->e);
    struct exp_value *v = ARENA_ARRAY(r->arena, struct exp_value, EXP_MAX_VALUES);
    const char *p = k->value, *word;
    size_t len;
    if (!v) return reader_memory(r);
    u->values = v;
    while (next_word(&p, &word, &len)) {
        if (u->nvalues == EXP_MAX_VALUES) return reader_fail(r, k, 0, "more than %d values", EXP_MAX_VALUES);
        v[u->nvalues] = (struct exp_value){.label = arena_strndup(r->arena, word, len), .line = k->line};
        if (!v[u->nvalues].label) return reader_memory(r);
        int rc = read_one_value(r, in, u, &v[u->nvalues]);
        if (rc) return rc;
        u->nvalues++;
    }
    return u->nvalues ? 0 : reader_fail(r, k, 0, "an unknown needs at least one value besides what the file has");
}

/* Two unknowns with one key could not be combined: one of them would silently lose. */
static int read_keys(struct reader *r, struct ini_section *in, struct exp_unknown *u)
{
    const struct ini_key *k = ini_take(in, "set");
    if (!k) return ini_fail_section(&r->ini, in, "an unknown needs what it moves: set = l1d.mshr l1d.missq", r->e);
    const char **keys = ARENA_ARRAY(r->arena, const char *, MAX_LIST), *p = k->value, *word;
    size_t len;
    if (!keys) return reader_memory(r);
    while (next_word(&p, &word, &len)) {
        if (u->nkeys == 16) return reader_fail(r, k, 0, "more than 16 keys");
        const char *key = keys[u->nkeys] = arena_strndup(r->arena, word, len);
        if (!key) return reader_memory(r);
        for (const struct exp_unknown *o = r->x->unknowns; o <= u; o++)
            for (unsigned i = 0; i < o->nkeys; i++)
                if (strcmp(o == u ? keys[i] : o->keys[i], key) == 0)
                    return reader_fail(r, k, (unsigned)(word - k->value),
                                       "%s is moved by [unknown %s] in line %u already, and the two could not be "
                                       "combined: make them one unknown",
                                       key, o->name, o->line);
        u->nkeys++;
    }
    u->keys = keys;
    return u->nkeys ? 0 : reader_fail(r, k, 0, "name what this unknown moves");
}

static int read_one(struct reader *r, struct ini_section *in, struct exp_unknown *u)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (!*in->name || in->name[strspn(in->name, letters)])
        return ini_fail_section(&r->ini, in, "an unknown needs a name of letters, digits and _", r->e);
    for (const struct exp_unknown *o = r->x->unknowns; o < u; o++)
        if (strcmp(o->name, in->name) == 0)
            return ini_fail_section(&r->ini, in, "there is an unknown of this name already", r->e);
    const struct ini_key *text = ini_take(in, "text"), *why = ini_take(in, "why"), *noise = ini_take(in, "noise");
    if (!why || !*why->value)
        return ini_fail_section(&r->ini, in, "why = ... is missing: the reason for what the file has", r->e);
    if (noise && strcmp(noise->value, "yes") != 0 && strcmp(noise->value, "no") != 0)
        return reader_fail(r, noise, 0, "noise is yes or no");
    *u = (struct exp_unknown){.name = in->name,
                              .text = text ? text->value : in->name,
                              .why = why->value,
                              .noise = noise && *noise->value == 'y',
                              .line = in->line};
    int rc = read_keys(r, in, u);
    if (!rc) rc = read_values(r, in, u);
    return rc ? rc : refuse_unused(r, in, unknown_keys);
}

int read_unknowns(struct reader *r)
{
    struct experiment *x = r->x;
    x->unknowns = ARENA_ARRAY(r->arena, struct exp_unknown, EXP_MAX_UNKNOWNS);
    if (!x->unknowns) return reader_memory(r);
    for (struct ini_section *s = r->ini.sections; s; s = s->next) {
        if (strcmp(s->kind, "unknown") != 0) continue;
        if (x->nunknowns == EXP_MAX_UNKNOWNS) return ini_fail_section(&r->ini, s, "too many unknowns", r->e);
        int rc = read_one(r, s, &x->unknowns[x->nunknowns]);
        if (rc) return rc;
        x->nunknowns++;
    }
    return 0;
}

/* ---- choices ---- */

/* One key of the unknowns that are not at their default. */
struct change {
    unsigned unknown, part;
    const struct exp_value *value;
    const char *key, *text;
    enum key_kind kind;
};

/* The next one after *c, which begins zeroed. */
static bool next_change(const struct reader *r, struct change *c)
{
    if (c->key) c->part++;
    for (; r->choice && c->unknown < r->x->nunknowns; c->unknown++, c->part = 0) {
        const struct exp_unknown *u = &r->x->unknowns[c->unknown];
        unsigned n = r->choice[c->unknown];
        if (!n || n > u->nvalues || c->part >= u->nkeys) continue;
        c->value = &u->values[n - 1];
        c->key = u->keys[c->part];
        c->text = c->value->part[c->part];
        c->kind = kind_of(c->key);
        return true;
    }
    return false;
}

static bool read_seed_text(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 0);
    return *text != '-' && *text != '+' && end != text && !*end;
}

int unknown_seed(struct reader *r)
{
    struct change c = {0};
    while (next_change(r, &c))
        if (c.kind == KEY_SEED && !read_seed_text(c.text, &r->seed))
            return value_fail(r, c.value, c.key, "a seed is a whole number");
    return 0;
}

/* "input:srad:rows", or "input.small:srad:rows" for one size only. */
struct input_key {
    struct exp_workload *workload;
    unsigned input, first, last; /* first..last: sizes */
};

static int find_input(struct reader *r, const struct exp_value *v, const char *key, struct input_key *out)
{
    char size[16] = "", workload[64] = "", input[64] = "", why[200];
    *out = (struct input_key){.last = EXP_SIZES - 1};
    if (sscanf(key, "input:%63[^:]:%63s", workload, input) != 2 &&
        sscanf(key, "input.%15[^:]:%63[^:]:%63s", size, workload, input) != 3)
        return value_fail(r, v, key, "an input is input:WORKLOAD:NAME, or input.SIZE:WORKLOAD:NAME");
    enum workload_size one;
    if (*size && read_workload_size(size, &one, NULL)) return value_fail(r, v, key, "sizes are tiny, small and paper");
    if (*size) out->first = out->last = one;
    for (unsigned i = 0; i < r->x->nworkloads; i++)
        if (strcmp(r->x->workloads[i]->name, workload) == 0) out->workload = r->x->workloads[i];
    snprintf(why, sizeof why, "the experiment has no program '%s'", workload);
    if (!out->workload || !out->workload->program) return value_fail(r, v, key, why);
    const struct workload_input *in = out->workload->program->input;
    while (in[out->input].name && strcmp(in[out->input].name, input) != 0) out->input++;
    snprintf(why, sizeof why, "%s has no input '%s'", workload, input);
    return in[out->input].name ? 0 : value_fail(r, v, key, why);
}

static int read_input_value(struct reader *r, const struct exp_value *v, const char *key, const char *text,
                            struct input_key *k, int64_t *out)
{
    int rc = find_input(r, v, key, k);
    if (rc) return rc;
    const struct workload_input *in = &k->workload->program->input[k->input];
    char *end, why[160];
    *out = strtoll(text, &end, 0);
    if (end != text && !*end && *out >= in->min && *out <= in->max) return 0;
    snprintf(why, sizeof why, "%s is a whole number, %lld to %lld", in->name, (long long)in->min, (long long)in->max);
    return value_fail(r, v, key, why);
}

int unknown_inputs(struct reader *r)
{
    struct change c = {0};
    while (next_change(r, &c)) {
        struct input_key k;
        int64_t value = 0;
        if (c.kind != KEY_INPUT) continue;
        int rc = read_input_value(r, c.value, c.key, c.text, &k, &value);
        if (rc) return rc;
        for (unsigned size = k.first; size <= k.last; size++) {
            k.workload->input[size][k.input] = value;
            k.workload->given[size][k.input] = true;
        }
    }
    return 0;
}

int unknown_recipe(struct reader *r)
{
    struct recipe *top = &r->top;
    struct change c = {0};
    while (next_change(r, &c)) {
        if (c.kind == KEY_GPU) top->gpu = c.text;
        if (c.kind != KEY_MACHINE || is_shift(c.text)) continue;
        if (top->nset == MAX_SETS) return value_fail(r, c.value, c.key, "too many changes to one machine");
        if (!(top->set[top->nset++] = arena_printf(r->arena, "%s=%s", c.key, c.text))) return reader_memory(r);
    }
    return 0;
}

/* ---- policies and shifts ---- */

/* Where "l1:promo" is in a machine; NULL: its policy has no such parameter, or the series gives it itself. */
static int64_t *policy_value(const struct recipe *c, struct gpu_config *m, const char *key, const struct wl_param **row)
{
    struct {
        const char *place, *spec;
        const struct wl_param *params;
        int64_t *values;
    } all[] = {{"l1", c->l1, m->l1.policy->params, m->l1.values},
               {"l2", c->l2, m->l2.policy->params, m->l2.values},
               {"sched", c->sched, m->sched.policy->params, m->sched.values}};
    for (unsigned i = 0; i < 3; i++) {
        size_t n = strlen(all[i].place);
        if (strncmp(key, all[i].place, n) != 0 || key[n] != ':') continue;
        const char *name = key + n + 1;
        int at = param_find(all[i].params, name);
        if (at < 0) return NULL;
        for (const char *p = all[i].spec; p && (p = strstr(p, name)); p++)
            if (p > all[i].spec && strchr(":,", p[-1]) && p[strlen(name)] == '=') return NULL;
        *row = all[i].params + at;
        return &all[i].values[at];
    }
    return NULL;
}

static int shift_value(struct gpu_config *m, const char *key, const char *text, struct wl_err *e)
{
    char now[32], *end;
    int row = param_find(gpu_params, key);
    long long by = strtoll(text, &end, 10);
    if (row < 0 || gpu_params[row].choices || end == text || *end || by < -1000000000 || by > 1000000000)
        return wl_fail(e, WL_EINPUT, "%s cannot be moved by %s: it is no number", key, text);
    snprintf(now, sizeof now, "%lld", (long long)m->v[row] + by);
    return param_read(&gpu_params[row], now, &m->v[row], e);
}

int unknown_machine(const struct reader *r, const struct recipe *recipe, struct gpu_config *machine, struct wl_err *e)
{
    struct change c = {0};
    while (next_change(r, &c)) {
        int rc = 0;
        if (c.kind == KEY_POLICY) {
            const struct wl_param *row = NULL;
            int64_t *value = policy_value(recipe, machine, c.key, &row);
            if (value) rc = param_read(row, c.text, value, e);
        } else if (c.kind == KEY_MACHINE && is_shift(c.text)) {
            rc = shift_value(machine, c.key, c.text, e);
        }
        if (rc) return rc;
    }
    return 0;
}

/* ---- what can be known without building machines ---- */

static int check_policy(struct reader *r, const struct exp_value *v, const char *key, const char *text)
{
    for (unsigned i = 0; i < r->x->nseries; i++) {
        struct gpu_config machine = r->x->series[i]->config;
        struct wl_err inner = {.code = WL_OK};
        const struct wl_param *row = NULL;
        int64_t *value = policy_value(r->recipes[i], &machine, key, &row);
        if (value) return param_read(row, text, value, &inner) ? value_fail(r, v, key, inner.text) : 0;
    }
    return value_fail(r, v, key, "no series has a policy with this parameter that leaves it open");
}

static int check_part(struct reader *r, const struct exp_value *v, const char *key, const char *text)
{
    struct wl_err inner = {.code = WL_OK};
    struct gpu_config machine = r->x->series[0]->config;
    struct machine_spec spec = {.gpu = text};
    struct input_key k;
    int64_t input;
    uint64_t seed;
    int rc = 0;
    switch (kind_of(key)) {
    case KEY_INPUT: return read_input_value(r, v, key, text, &k, &input);
    case KEY_POLICY: return check_policy(r, v, key, text);
    case KEY_SEED: return read_seed_text(text, &seed) ? 0 : value_fail(r, v, key, "a seed is a whole number");
    case KEY_GPU: rc = machine_read(&spec, &machine, &inner); break;
    default: {
        const char *set = arena_printf(r->arena, "%s=%s", key, text);
        if (!set) return reader_memory(r);
        rc = is_shift(text) ? shift_value(&machine, key, text, &inner) : config_set(&machine, set, &inner);
    }
    }
    return rc ? value_fail(r, v, key, inner.text) : 0;
}

int check_unknowns(struct reader *r)
{
    if (r->choice) return 0; /* it was done when the file was read first */
    for (unsigned i = 0; i < r->x->nunknowns; i++) {
        const struct exp_unknown *u = &r->x->unknowns[i];
        for (unsigned n = 0; n < u->nvalues; n++)
            for (unsigned k = 0; k < u->nkeys; k++) {
                int rc = check_part(r, &u->values[n], u->keys[k], u->values[n].part[k]);
                if (rc) return rc;
            }
    }
    return 0;
}
