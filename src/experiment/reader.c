/* reader.c - the small things all parts of an experiment file are made of: words, sets of
 * workloads, expressions, and the sentences for what is wrong with them. */
#include "experiment/reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stats/stats.h"

bool next_word(const char **p, const char **word, size_t *len)
{
    *p += strspn(*p, " \t,");
    *word = *p;
    *len = strcspn(*p, " \t,");
    *p += *len;
    return *len != 0;
}

int reader_fail(struct reader *r, const struct ini_key *k, unsigned offset, const char *fmt, ...)
{
    char why[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return ini_fail(&r->ini, k, offset, why, r->e);
}

int reader_memory(struct reader *r) { return wl_fail(r->e, WL_ERUN, "%s: out of memory", r->ini.file); }

int reader_unknown(struct reader *r, const struct ini_key *k, unsigned offset, const char *kind, const char *name,
                   const char *const *names, unsigned count)
{
    const char *near = wl_nearest(name, names, count);
    if (near) return reader_fail(r, k, offset, "there is no %s '%.80s'; did you mean '%s'?", kind, name, near);
    char list[400] = "";
    size_t at = 0;
    for (unsigned i = 0; i < count && at + 1 < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", names[i]);
    return reader_fail(r, k, offset, "there is no %s '%.80s'%s%s", kind, name, count ? "; there are " : "", list);
}

int refuse_unused(struct reader *r, const struct ini_section *s, const char *const *known)
{
    const struct ini_key *k = ini_unused(s);
    if (!k) return 0;
    unsigned n = 0;
    while (known[n]) n++;
    char kind[80];
    snprintf(kind, sizeof kind, "key in %s%.40s%s", *s->kind ? "[" : "", *s->kind ? s->kind : "the head of the file",
             *s->kind ? "]" : "");
    const char *near = wl_nearest(k->name, known, n);
    char list[400] = "";
    size_t at = 0;
    for (unsigned i = 0; i < n && at + 1 < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", known[i]);
    char why[640];
    if (near) snprintf(why, sizeof why, "there is no %s '%s'; did you mean '%s'?", kind, k->name, near);
    else snprintf(why, sizeof why, "there is no %s '%s'; there are %s", kind, k->name, list);
    return wl_fail_at(r->e, r->ini.file, k->line, 0, r->ini.text, "%s", why);
}

/* ---- workloads and sets of them ---- */

static int unknown_workload(struct reader *r, const struct ini_key *k, unsigned offset, const char *name)
{
    const char *names[512 + MAX_WORKLOADS];
    unsigned count, n = 0;
    const struct workload *const *all = workloads(&count);
    for (unsigned i = 0; i < r->x->ngroups; i++) names[n++] = r->x->groups[i].name;
    for (unsigned i = 0; i < r->x->nworkloads; i++) names[n++] = r->x->workloads[i]->name;
    for (unsigned i = 0; i < count && n < 512; i++) names[n++] = all[i]->name;
    const char *near = wl_nearest(name, names, n);
    if (near) return reader_fail(r, k, offset, "there is no workload or group '%.80s'; did you mean '%s'?", name, near);
    return reader_fail(r, k, offset,
                       "there is no workload or group '%.80s'; 'warpline list workloads' shows what there is", name);
}

static int find_workload(const struct reader *r, const char *name)
{
    for (unsigned i = 0; i < r->x->nworkloads; i++)
        if (strcmp(r->x->workloads[i]->name, name) == 0) return (int)i;
    return -1;
}

/* A program becomes a workload of the experiment when it is first named. */
static int add_program(struct reader *r, const struct ini_key *k, unsigned offset, const char *name, int *out)
{
    struct experiment *x = r->x;
    const struct workload *program = workload_find(name);
    if (!program) return unknown_workload(r, k, offset, name);
    if (x->nworkloads == MAX_WORKLOADS) return reader_fail(r, k, offset, "more than %d workloads", MAX_WORKLOADS);
    struct exp_workload *w = ARENA_NEW(r->arena, struct exp_workload);
    const char *kept = arena_strndup(r->arena, name, strlen(name));
    if (!w || !kept) return reader_memory(r);
    *w = (struct exp_workload){.name = kept, .label = kept, .program = program, .seed = r->seed};
    *out = (int)x->nworkloads;
    x->workloads[x->nworkloads++] = w;
    return 0;
}

static void set_add(struct exp_set *s, unsigned item)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->item[i] == item) return;
    s->item[s->count++] = item;
}

static void set_remove(struct exp_set *s, unsigned item)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->item[i] != item) s->item[n++] = s->item[i];
    s->count = n;
}

/* The workload called `name`, which becomes one of the experiment's if it is not yet. */
static int add_named(struct reader *r, const struct ini_key *k, unsigned offset, const char *name, struct exp_set *out)
{
    int at = find_workload(r, name);
    int rc = at < 0 ? add_program(r, k, offset, name, &at) : 0;
    if (!rc) out->item[out->count++] = (unsigned)at;
    return rc;
}

/* "@dacache.divergent": a group that is built in. */
static int add_group(struct reader *r, const struct ini_key *k, unsigned offset, const char *name, struct exp_set *out)
{
    const struct workload_group *g = workload_group_find(name + 1);
    const struct workload *w;
    int rc = 0;
    for (unsigned i = 0; g && !rc && (w = workload_group_member(g, i)); i++) rc = add_named(r, k, offset, w->name, out);
    if (g) return rc;
    enum { MAX_GROUPS = 64 };
    const char *names[MAX_GROUPS];
    unsigned count, n = 0;
    const struct workload_group *all = workload_groups(&count);
    while (n < count && n < MAX_GROUPS) names[n] = all[n].name, n++;
    const char *near = wl_nearest(name + 1, names, n);
    if (near) return reader_fail(r, k, offset, "there is no group '%.80s'; did you mean '@%s'?", name, near);
    return reader_fail(r, k, offset, "there is no group '%.80s'; 'warpline list groups' shows what there is", name);
}

/* Every workload `name` stands for: those of a group, or itself. */
static int members(struct reader *r, const struct ini_key *k, unsigned offset, const char *name, struct exp_set *out)
{
    if (strcmp(name, "all") == 0) {
        for (unsigned i = 0; i < r->x->nworkloads; i++)
            if (!r->x->workloads[i]->hidden) out->item[out->count++] = i;
        return 0;
    }
    for (unsigned g = 0; g < r->x->ngroups; g++) {
        const struct exp_set *from = &r->x->groups[g].members;
        if (strcmp(r->x->groups[g].name, name) != 0) continue;
        for (unsigned i = 0; i < from->count; i++) out->item[out->count++] = from->item[i];
        return 0;
    }
    return *name == '@' ? add_group(r, k, offset, name, out) : add_named(r, k, offset, name, out);
}

int read_set(struct reader *r, const struct ini_key *k, const char *text, unsigned offset, struct exp_set *out)
{
    unsigned found[MAX_WORKLOADS] = {0}, kept[MAX_WORKLOADS];
    struct exp_set all = {kept, 0};
    const char *p = text, *word;
    size_t len;
    while (next_word(&p, &word, &len)) {
        char name[64];
        bool out_again = *word == '-';
        unsigned at = offset + (unsigned)(word - text);
        if (len >= sizeof name) return reader_fail(r, k, at, "this name is too long");
        snprintf(name, sizeof name, "%.*s", (int)len - out_again, word + out_again);
        struct exp_set some = {found, 0};
        int rc = members(r, k, at, name, &some);
        if (rc) return rc;
        for (unsigned i = 0; i < some.count; i++)
            out_again ? set_remove(&all, some.item[i]) : set_add(&all, some.item[i]);
    }
    if (!all.count) return reader_fail(r, k, offset, "this list of workloads is empty");
    out->item = ARENA_ARRAY(r->arena, unsigned, all.count);
    if (!out->item) return reader_memory(r);
    memcpy(out->item, kept, all.count * sizeof *kept);
    out->count = all.count;
    return 0;
}

/* ---- metrics ---- */

/* Members of a result that are not in the counter table: by name, and objects whose members only
 * the policies, the energy model or a kernel list know. */
static const char *const plain_names[] = {"cycles", "warp_instructions", "thread_instructions",
                                          "ipc",    "host.seconds",      "host.peak_memory_bytes"};
static const char *const open_objects[] = {
    "l1_policy_counters", "l2_policy_counters", "scheduler_counters", "kernels", "energy", "samples", "loads", "reuse",
    "issue_ranks"};
enum { PLAIN = sizeof plain_names / sizeof *plain_names, OPEN = sizeof open_objects / sizeof *open_objects };

struct metric_check {
    struct reader *r;
    const struct ini_key *k;
};

static bool is_open(const char *name)
{
    for (unsigned i = 0; i < OPEN; i++) {
        size_t n = strlen(open_objects[i]);
        if (strncmp(name, open_objects[i], n) == 0 && (name[n] == '.' || name[n] == '[')) return true;
    }
    return false;
}

static bool is_array(const char *name)
{
    static const char *const arrays[] = {"kernels", "samples", "loads", "reuse", "issue_ranks"};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (strcmp(arrays[i], name) == 0) return true;
    return false;
}

static int check_name(void *arg, struct expr *x)
{
    struct metric_check *c = arg;
    const char *names[PLAIN + 512 + P_COUNT];
    char kept[512][64], params[P_COUNT][64];
    unsigned n = 0;
    if (x->op == EXPR_CALL && strcmp(x->name, "spread") == 0 && x->set && is_array(x->set)) return 0;
    if (x->op == EXPR_CALL)
        return reader_fail(c->r, c->k, x->at,
                           "a metric has no function '%.40s', only abs, floor and spread(E, samples)", x->name);
    if (is_open(x->name)) return 0;
    for (unsigned i = 0; i < PLAIN; i++) names[n++] = plain_names[i];
    for (unsigned i = 0; i < 512 && counter_descs[i].key; i++) {
        const struct counter_desc *d = &counter_descs[i];
        snprintf(kept[i], sizeof kept[i], "%s.%s", counter_group_names[d->group], d->key);
        names[n++] = kept[i];
    }
    for (unsigned i = 0; i < P_COUNT; i++) {
        snprintf(params[i], sizeof params[i], "gpu.%s", gpu_params[i].name);
        names[n++] = params[i];
    }
    for (unsigned i = 0; i < n; i++)
        if (strcmp(names[i], x->name) == 0) return 0;
    const char *near = wl_nearest(x->name, names, n);
    if (near) return reader_fail(c->r, c->k, x->at, "unknown counter '%.80s'; did you mean '%s'?", x->name, near);
    return reader_fail(c->r, c->k, x->at, "unknown counter '%.80s'; 'warpline list counters' shows them all", x->name);
}

int read_metric(struct reader *r, const struct ini_key *k, bool elements, const struct expr **out)
{
    struct wl_err inner = {.code = WL_OK};
    unsigned at = 0;
    struct expr *x = expr_parse(r->arena, k->value, &at, &inner);
    if (!x) return reader_fail(r, k, at, "%s", inner.text);
    struct metric_check c = {r, k};
    *out = x;
    return elements ? 0 : expr_visit(x, check_name, &c);
}
