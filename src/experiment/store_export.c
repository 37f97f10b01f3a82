/* store_export.c - everything in a store for other programs.
 *
 * CSV columns are the members of the result objects, flattened with dots; a first pass collects
 * the names, because builds and policies differ in what they count. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/store.h"

enum { MAX_COLUMNS = 1024 };

struct export_columns {
    char *name[MAX_COLUMNS];
    unsigned count;
    FILE *out;
    bool bad;
};

static void add_column(struct export_columns *t, const char *name)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->name[i], name) == 0) return;
    if (t->count == MAX_COLUMNS || !(t->name[t->count] = strdup(name))) t->bad = true;
    else t->count++;
}

/* Names of the scalars below `o`, in order. */
static void collect(struct export_columns *t, const char *prefix, const json_t *o)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)o, key, value)
    {
        char name[200];
        if (!*prefix && strcmp(key, "build") == 0) continue; /* the store's own column says more */
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (json_is_object(value)) collect(t, name, value);
        else if (!json_is_array(value)) add_column(t, name);
    }
}

static int collect_row(void *arg, const struct store_row *r)
{
    json_t *o = *r->json ? json_loads(r->json, 0, NULL) : NULL;
    if (o) collect(arg, "", o);
    json_decref(o);
    return 0;
}

static const json_t *at_path(const json_t *o, const char *path)
{
    char part[200];
    while (o) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        o = json_object_get(o, part);
        if (!path[n]) break;
        path += n + 1;
    }
    return o;
}

static void put_value(FILE *out, const json_t *v)
{
    if (json_is_integer(v)) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v)) fprintf(out, "%.12g", json_real_value(v));
    else if (json_is_string(v)) put_csv(out, json_string_value(v));
}

static int write_row(void *arg, const struct store_row *r)
{
    struct export_columns *t = arg;
    fprintf(t->out, "%s,%s,%s,%s,", r->key, r->build, r->created, r->failed ? "failed" : "ok");
    put_csv(t->out, r->reason);
    json_t *o = *r->json ? json_loads(r->json, 0, NULL) : NULL;
    for (unsigned i = 0; i < t->count; i++) {
        fputc(',', t->out);
        put_value(t->out, o ? at_path(o, t->name[i]) : NULL);
    }
    fputc('\n', t->out);
    json_decref(o);
    return 0;
}

int store_export_csv(struct store *s, FILE *out, struct wl_err *e)
{
    struct export_columns *t = calloc(1, sizeof *t);
    if (!t) return wl_no_memory(e);
    t->out = out;
    int rc = store_each(s, collect_row, t, e);
    if (!rc && t->bad) rc = wl_fail(e, WL_ERUN, "the results have more than %d different counters", MAX_COLUMNS);
    if (!rc) {
        fputs("key,build,created,status,reason", out);
        for (unsigned i = 0; i < t->count; i++) fprintf(out, ",%s", t->name[i]);
        fputc('\n', out);
        rc = store_each(s, write_row, t, e);
    }
    for (unsigned i = 0; i < t->count; i++) free(t->name[i]);
    free(t);
    return rc;
}

static int append_row(void *arg, const struct store_row *r)
{
    char config[17];
    snprintf(config, sizeof config, "%016" PRIx64, r->config_hash);
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f}", "key", r->key, "build", r->build,
                          "created", r->created, "status", r->failed ? "failed" : "ok", "reason", r->reason, "workload",
                          r->workload, "size", r->size, "inputs", r->inputs, "gpu", r->gpu, "l1_policy", r->l1,
                          "l2_policy", r->l2, "scheduler", r->sched, "config_hash", config, "seconds", r->seconds);
    json_t *result = *r->json ? json_loads(r->json, 0, NULL) : json_null();
    if (!o || !result || json_object_set_new(o, "result", result)) return json_decref(o), WL_ERUN;
    return json_array_append_new(arg, o) ? WL_ERUN : 0;
}

int store_export_json(struct store *s, FILE *out, struct wl_err *e)
{
    json_t *all = json_array();
    int rc = all ? store_each(s, append_row, all, e) : WL_ERUN;
    if (rc && !e->code) wl_fail(e, WL_ERUN, "out of memory while exporting");
    if (!rc && json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out))
        rc = wl_fail(e, WL_ERUN, "out of memory while exporting");
    if (!rc) fputc('\n', out);
    json_decref(all);
    return rc;
}
