/* cmd_store.c - looking after the result store: list, export, prune, verify. */
#include <inttypes.h>
#include <string.h>

#include "cli/lab.h"

struct listing {
    const char *build;
    unsigned rows, failed, stale;
};

/* What the machine of the run differs in from its preset: "l1d.sets=64". */
static void set_text(const struct store_row *r, char *out, size_t size)
{
    json_t *o = *r->json ? json_loads(r->json, 0, NULL) : NULL, *value;
    const char *key;
    size_t at = 0;
    *out = 0;
    json_object_foreach(json_object_get(o, "set"), key, value)
    {
        if (at >= size) break;
        at += json_is_integer(value)
                  ? (size_t)snprintf(out + at, size - at, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value))
                  : (size_t)snprintf(out + at, size - at, " %s=%s", key, json_string_value(value));
    }
    json_decref(o);
}

static int list_row(void *arg, const struct store_row *r)
{
    char set[400];
    struct listing *l = arg;
    bool stale = strcmp(r->build, l->build) != 0;
    l->rows++;
    l->failed += r->failed;
    l->stale += stale;
    set_text(r, set, sizeof set);
    printf("%-12s %-6s %-10s %-12s %-12s %-12s %s %8.2f s  %s%s%s\n", r->workload, r->size, r->gpu, r->l1, r->l2,
           r->sched, r->key, r->seconds,
           r->failed ? "failed: "
           : stale   ? "old build"
                     : "ok",
           r->failed ? r->reason : "", set);
    return 0;
}

static int list_rows(struct store *s, const char *build, struct wl_err *e)
{
    struct listing l = {.build = build};
    printf("%-12s %-6s %-10s %-12s %-12s %-12s %-32s %10s  %s\n", "workload", "size", "gpu", "l1", "l2", "sched", "key",
           "time", "state");
    int rc = store_each(s, list_row, &l, e);
    if (!rc) printf("%u results, %u failed, %u of other builds\n", l.rows, l.failed, l.stale);
    return rc;
}

/* What one experiment needs, from what is stored. The file is whole before failed runs are reported. */
static int export_results(const struct options *o, struct wl_err *e)
{
    if (o->words.count != 3)
        return wl_fail(e, WL_EINPUT, "export results needs one experiment: store export results hac -o hac.csv");
    struct lab l;
    struct out_file f;
    int rc = lab_open(&l, o->words.item[2], o, e);
    if (!rc) rc = lab_plan_all(&l, e);
    if (!rc) rc = plan_fetch(l.plan, l.store, e);
    if (!rc) rc = lab_known(&l, o, e);
    if (!rc) rc = out_file_open(&f, o->output ? o->output : "-", e);
    if (!rc) rc = out_file_close(&f, results_write(l.plan, WL_VERSION, f.file, e), e);
    if (!rc) rc = lab_failed(&l, o, e);
    lab_close(&l);
    return rc;
}

static int export(struct store *s, const struct options *o, struct wl_err *e)
{
    const char *kind = o->words.count > 1 ? o->words.item[1] : "csv";
    bool json = strcmp(kind, "json") == 0;
    if (strcmp(kind, "results") == 0) return export_results(o, e);
    if (!json && strcmp(kind, "csv") != 0)
        return wl_fail(e, WL_EINPUT, "store export writes csv, json or results, not '%s'", kind);
    struct out_file f;
    int rc = out_file_open(&f, o->output ? o->output : "-", e);
    if (rc) return rc;
    rc = json ? store_export_json(s, f.file, e) : store_export_csv(s, f.file, e);
    return out_file_close(&f, rc, e);
}

static int prune(struct store *s, const char *build, const struct options *o, struct wl_err *e)
{
    unsigned gone = 0;
    int rc = store_prune(s, build, o->failed, &gone, e);
    if (!rc && !o->quiet) printf("%u results removed\n", gone);
    return rc;
}

static int verify(struct store *s, const struct options *o, struct wl_err *e)
{
    unsigned rows = 0;
    int rc = store_verify(s, &rows, e);
    if (!rc && !o->quiet) printf("%u results, all sound\n", rows);
    return rc;
}

int cmd_store(const struct options *o, struct wl_err *e)
{
    static const char *const verbs[] = {"list", "export", "prune", "verify"};
    const char *verb = o->words.count ? o->words.item[0] : "";
    char path[1024], build[STORE_KEY];
    unsigned at = 0;
    while (at < 4 && strcmp(verbs[at], verb) != 0) at++;
    if (at == 4) {
        const char *near = *verb ? wl_nearest(verb, verbs, 4) : NULL;
        return near ? wl_fail(e, WL_EINPUT, "store cannot '%s'; did you mean '%s'?", verb, near)
                    : wl_fail(e, WL_EINPUT, "store takes one of list, export, prune, verify");
    }
    bool results = at == 1 && o->words.count > 1 && strcmp(o->words.item[1], "results") == 0;
    if (*o->sample.text && !results) return wl_fail(e, WL_EINPUT, "--sample goes with 'store export results'");
    int rc = lab_store_path(o, path, sizeof path, e);
    if (!rc) rc = build_identity(o->plugin.item, o->plugin.count, build, e);
    if (rc) return rc;
    struct store *s = store_open(path, false, e);
    if (!s) return e->code ? (int)e->code : WL_ERUN;
    switch (at) {
    case 0: rc = list_rows(s, build, e); break;
    case 1: rc = export(s, o, e); break;
    case 2: rc = prune(s, build, o, e); break;
    default: rc = verify(s, o, e); break;
    }
    store_close(s);
    return rc;
}
