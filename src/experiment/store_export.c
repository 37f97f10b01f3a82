/* store_export.c - everything in a store for other programs. The CSV takes two passes: the first collects the columns,
 * because builds and policies differ in what they count. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/store.h"
#include "run/json_parts.h"
#include "run/record_table.h"

struct export_state {
    struct store *store;
    struct record_table *table;
    bool uses; /* some result has one */
    FILE *out;
    json_t *all;
    struct wl_err *e;
};

/* The record; of a run that failed, what the store knows of it. */
static json_t *record_of(const struct store_row *r)
{
    if (*r->json) return json_loads(r->json, 0, NULL);
    json_t *o = json_pack("{s:s,s:s,s:o,s:I,s:s,s:s,s:s,s:s}", "workload", r->workload, "size", r->size, "inputs",
                          json_inputs(r->inputs), "seed", (json_int_t)r->seed, "gpu", r->gpu, "l1_policy", r->l1,
                          "l2_policy", r->l2, "scheduler", r->sched);
    return o;
}

static int note_use(void *arg, const struct store_use *use)
{
    (void)use;
    *(bool *)arg = true;
    return 0;
}

static int learn_row(void *arg, const struct store_row *r)
{
    struct export_state *x = arg;
    json_t *o = record_of(r);
    int rc = o ? record_table_learn(x->table, o, x->e) : 0;
    json_decref(o);
    if (!rc && !x->uses) rc = store_uses_of(x->store, r->key, note_use, &x->uses, x->e);
    return rc;
}

/* Several uses share their fields: "a; b". */
struct use_texts {
    char experiment[1024], series[1024], point[1024];
};

static void append_text(char *out, size_t size, const char *text, bool later)
{
    size_t at = strlen(out);
    if (at + 1 < size) snprintf(out + at, size - at, "%s%s", later ? "; " : "", text);
}

static int collect_use(void *arg, const struct store_use *use)
{
    struct use_texts *t = arg;
    bool later = *t->experiment;
    append_text(t->experiment, sizeof t->experiment, use->experiment, later);
    append_text(t->series, sizeof t->series, use->series, later);
    append_text(t->point, sizeof t->point, use->point, later && *t->point);
    return 0;
}

static int write_row(void *arg, const struct store_row *r)
{
    struct export_state *x = arg;
    struct use_texts t = {"", "", ""};
    json_t *o = record_of(r);
    fprintf(x->out, "%s,%s,%s,%s,", r->key, r->build, r->created, r->failed ? "failed" : "ok");
    put_csv(x->out, r->reason);
    fputc(',', x->out);
    record_table_row(x->table, o, x->out);
    json_decref(o);
    int rc = x->uses ? store_uses_of(x->store, r->key, collect_use, &t, x->e) : 0;
    const char *const text[] = {t.experiment, t.series, t.point};
    for (unsigned i = 0; x->uses && i < 3; i++) {
        fputc(',', x->out);
        put_csv(x->out, text[i]);
    }
    fputc('\n', x->out);
    return rc;
}

int store_export_csv(struct store *s, FILE *out, struct wl_err *e)
{
    struct export_state x = {.store = s, .table = record_table_new("build"), .out = out, .e = e};
    int rc = x.table ? store_each(s, learn_row, &x, e) : wl_no_memory(e);
    if (!rc) {
        fputs("key,build,created,status,reason,", out);
        record_table_header(x.table, out);
        fputs(x.uses ? ",experiment,series,point\n" : "\n", out);
        rc = store_each(s, write_row, &x, e);
    }
    record_table_free(x.table);
    return rc;
}

static int append_use(void *arg, const struct store_use *use)
{
    json_t *o = json_pack("{s:s,s:s,s:s}", "experiment", use->experiment, "series", use->series, "point", use->point);
    return json_array_append_new(arg, o) ? WL_ERUN : 0;
}

static int append_row(void *arg, const struct store_row *r)
{
    struct export_state *x = arg;
    char config[17];
    snprintf(config, sizeof config, "%016" PRIx64, r->config_hash);
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f}", "key", r->key, "build", r->build,
                          "created", r->created, "status", r->failed ? "failed" : "ok", "reason", r->reason, "workload",
                          r->workload, "size", r->size, "inputs", r->inputs, "gpu", r->gpu, "l1_policy", r->l1,
                          "l2_policy", r->l2, "scheduler", r->sched, "config_hash", config, "seconds", r->seconds);
    json_t *uses = json_array();
    int rc = uses ? store_uses_of(x->store, r->key, append_use, uses, x->e) : WL_ERUN;
    if (rc) json_decref(uses);
    if (rc || json_object_set_new(o, "uses", uses)) return json_decref(o), WL_ERUN;
    json_t *result = *r->json ? json_loads(r->json, 0, NULL) : json_null();
    if (!o || !result || json_object_set_new(o, "result", result)) return json_decref(o), WL_ERUN;
    return json_array_append_new(x->all, o) ? WL_ERUN : 0;
}

int store_export_json(struct store *s, FILE *out, struct wl_err *e)
{
    json_t *all = json_array();
    struct export_state x = {.store = s, .all = all, .e = e};
    int rc = all ? store_each(s, append_row, &x, e) : WL_ERUN;
    if (rc && !e->code) wl_fail(e, WL_ERUN, "out of memory while exporting");
    if (!rc && json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(out))
        rc = wl_fail(e, WL_ERUN, "out of memory while exporting");
    if (!rc) fputc('\n', out);
    json_decref(all);
    return rc;
}
