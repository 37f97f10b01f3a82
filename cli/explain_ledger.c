/* explain_ledger.c - two results side by side: a ledger whose entries add up to the difference of their cycles.
 *
 * The account's reasons and the cycles in which an SM that can have a CTA has no warp are all scheduler cycles of the
 * run. Each is scaled so that their sum is the cycles of the run: what an average scheduler did with its time. Entries
 * are rounded to whole cycles; what rounding leaves goes to the largest. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain_view.h"

struct ledger_side {
    json_t *root;
    const char *file;
    int64_t cycles;
    double reason[EXPLAIN_REASONS];
};

static int wrong(const struct ledger_side *s, const char *what, struct wl_err *e)
{
    return wl_fail(e, WL_EINPUT, "%s has no %s: two results of 'run --json' of this version are compared", s->file,
                   what);
}

/* Cycles times SMs that can have a CTA, over all kernels. */
static double usable(const json_t *root, uint64_t sms)
{
    double sum = 0;
    size_t i;
    json_t *k;
    json_array_foreach(json_object_get(root, "kernels"), i, k)
    {
        const json_t *g = json_object_get(k, "grid");
        uint64_t d[3];
        for (unsigned n = 0; n < 3; n++) d[n] = (uint64_t)json_integer_value(json_array_get(g, n));
        sum += (double)json_integer_value(json_object_get(k, "cycles")) * (double)explain_sms(sms, d[0], d[1], d[2]);
    }
    return sum;
}

static int read_side(struct ledger_side *s, const char *file, const struct account_reason *r, unsigned reasons,
                     struct wl_err *e)
{
    json_error_t why;
    s->file = file;
    s->root = json_load_file(file, 0, &why);
    if (!s->root) return wl_fail(e, WL_EINPUT, "%s:%d: %s", file, why.line, why.text);
    json_t *inner = json_object_get(s->root, "result"); /* what explain itself wrote */
    if (json_is_object(inner)) {
        json_incref(inner);
        json_decref(s->root);
        s->root = inner;
    }
    const json_t *account = json_object_get(s->root, "account"), *cycles = json_object_get(s->root, "cycles");
    const json_t *sm = json_object_get(json_object_get(s->root, "config"), "sm");
    uint64_t sms = (uint64_t)json_integer_value(json_object_get(sm, "count"));
    double used = 0, slots = usable(s->root, sms) * (double)json_integer_value(json_object_get(sm, "schedulers"));
    s->cycles = (int64_t)json_integer_value(cycles);
    if (!json_is_integer(cycles)) return wrong(s, "cycles", e);
    if (!json_is_object(account)) return wrong(s, "account", e);
    if (slots <= 0) return wrong(s, "config.sm.count, config.sm.schedulers and kernels", e);
    for (unsigned i = 0; i + 1 < reasons; i++) {
        s->reason[i] = (double)json_integer_value(json_object_get(account, r[i].id)) / slots * (double)s->cycles;
        used += s->reason[i];
    }
    s->reason[reasons - 1] = (double)s->cycles - used;
    return 0;
}

/* Whole cycles that add up to the difference. */
static void round_entries(const struct ledger_side s[2], unsigned reasons, int64_t *out)
{
    int64_t left = s[1].cycles - s[0].cycles;
    unsigned largest = 0;
    for (unsigned i = 0; i < reasons; i++) {
        out[i] = (int64_t)llround(s[1].reason[i] - s[0].reason[i]);
        left -= out[i];
        if (llabs(out[i]) > llabs(out[largest])) largest = i;
    }
    out[largest] += left;
}

static json_t *copy_or_null(const json_t *root, const char *key)
{
    json_t *v = json_object_get(root, key);
    return v ? json_incref(v) : json_null();
}

static json_t *side_json(const struct ledger_side *s)
{
    static const char *const keys[] = {"workload",  "size",   "inputs",           "gpu", "l1_policy", "l2_policy",
                                       "scheduler", "cycles", "warp_instructions"};
    json_t *o = json_object();
    int bad = json_object_set_new(o, "file", json_string(s->file));
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        bad |= json_object_set_new(o, keys[i], copy_or_null(s->root, keys[i]));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static int64_t kernel_cycles(const json_t *root, const char *name)
{
    int64_t sum = 0;
    size_t i;
    json_t *k;
    json_array_foreach(json_object_get(root, "kernels"), i, k)
    {
        const char *own = json_string_value(json_object_get(k, "name"));
        if (own && strcmp(own, name) == 0) sum += (int64_t)json_integer_value(json_object_get(k, "cycles"));
    }
    return sum;
}

/* Kernels of both sides by name, each once. */
static json_t *kernel_json(const struct ledger_side s[2])
{
    json_t *list = json_object(), *k;
    size_t i;
    for (unsigned side = 0; side < 2; side++) json_array_foreach(json_object_get(s[side].root, "kernels"), i, k)
        {
            const char *name = json_string_value(json_object_get(k, "name"));
            if (!name || json_object_get(list, name)) continue;
            int64_t a = kernel_cycles(s[0].root, name), b = kernel_cycles(s[1].root, name);
            json_object_set_new(list, name,
                                json_pack("{s:I,s:I,s:I}", "before", (json_int_t)a, "after", (json_int_t)b,
                                          "difference", (json_int_t)(b - a)));
        }
    return list;
}

int ledger_make(const char *before, const char *after, json_t **out, struct wl_err *e)
{
    struct ledger_side s[2] = {{0}};
    struct account_reason r[EXPLAIN_REASONS];
    unsigned reasons = explain_reasons(r);
    int64_t entry[EXPLAIN_REASONS] = {0};
    int rc = read_side(&s[0], before, r, reasons, e);
    if (!rc) rc = read_side(&s[1], after, r, reasons, e);
    if (!rc) {
        json_t *list = json_array();
        round_entries(s, reasons, entry);
        for (unsigned i = 0; i < reasons; i++)
            json_array_append_new(list, json_pack("{s:s,s:s,s:f,s:f,s:I}", "reason", r[i].id, "what", r[i].phrase,
                                                  "before", round(s[0].reason[i] * 10) / 10, "after",
                                                  round(s[1].reason[i] * 10) / 10, "difference", (json_int_t)entry[i]));
        *out = json_pack("{s:o,s:o,s:I,s:f,s:o,s:o}", "before", side_json(&s[0]), "after", side_json(&s[1]),
                         "difference", (json_int_t)(s[1].cycles - s[0].cycles), "speedup",
                         s[1].cycles ? round((double)s[0].cycles / (double)s[1].cycles * 1e6) / 1e6 : 0.0, "ledger",
                         list, "kernels", kernel_json(s));
        if (!*out) rc = wl_fail(e, WL_ERUN, "out of memory");
    }
    json_decref(s[0].root);
    json_decref(s[1].root);
    return rc;
}

/* ---- text ---- */

static const char *word_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static int64_t number_of(const json_t *o, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(o, key));
}

static int compare_entries(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int64_t p = number_of(x, "difference"), q = number_of(y, "difference");
    return llabs(p) != llabs(q) ? (llabs(p) < llabs(q) ? 1 : -1) : strcmp(word_of(x, "reason"), word_of(y, "reason"));
}

static void write_side(const char *name, const json_t *o, FILE *out)
{
    char a[32];
    fprintf(out, "  %-7s %14s cycles  %s %s on %s, L1D %s, scheduler %s\n", name,
            with_commas((uint64_t)number_of(o, "cycles"), a), word_of(o, "workload"), word_of(o, "size"),
            word_of(o, "gpu"), word_of(o, "l1_policy"), word_of(o, "scheduler"));
}

void ledger_text(const json_t *ledger, FILE *out)
{
    const json_t *before = json_object_get(ledger, "before"), *after = json_object_get(ledger, "after");
    int64_t difference = number_of(ledger, "difference");
    double speedup = json_real_value(json_object_get(ledger, "speedup"));
    json_t *sorted[EXPLAIN_REASONS], *v;
    unsigned n = 0;
    size_t i;
    const char *name;
    fprintf(out, "%+" PRId64 " cycles, %.3fx\n", difference, speedup);
    write_side("before", before, out);
    write_side("after", after, out);
    if (strcmp(word_of(before, "workload"), word_of(after, "workload")) != 0 ||
        number_of(before, "warp_instructions") != number_of(after, "warp_instructions"))
        fprintf(out, "  they did not execute the same instructions\n");
    json_array_foreach(json_object_get(ledger, "ledger"), i, v) sorted[n++] = v;
    if (n) qsort(sorted, n, sizeof sorted[0], compare_entries);
    fprintf(out, "\n  %12s %12s %12s\n", "difference", "before", "after");
    for (unsigned k = 0; k < n; k++) {
        if (!number_of(sorted[k], "difference")) continue;
        fprintf(out, "  %+12" PRId64 " %12.1f %12.1f  %s\n", number_of(sorted[k], "difference"),
                json_real_value(json_object_get(sorted[k], "before")),
                json_real_value(json_object_get(sorted[k], "after")), word_of(sorted[k], "what"));
    }
    fprintf(out,
            "  %+12" PRId64 " %12" PRId64 " %12" PRId64
            "  in all: cycles of the run, by what an average scheduler did\n",
            difference, number_of(before, "cycles"), number_of(after, "cycles"));
    fprintf(out, "\n  by kernel\n");
    json_object_foreach(json_object_get(ledger, "kernels"), name, v)
        fprintf(out, "  %+12" PRId64 " %12" PRId64 " %12" PRId64 "  %s\n", number_of(v, "difference"),
                number_of(v, "before"), number_of(v, "after"), name);
}
