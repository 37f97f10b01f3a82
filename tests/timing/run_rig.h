/* run_rig.h - runs a built-in workload on a machine and brings back what was counted. */
#ifndef WL_TESTS_RUN_RIG_H
#define WL_TESTS_RUN_RIG_H

#include "test.h"

#include "base/embed.h"
#include "param/param_table.h"
#include "sim/session.h"
#include "workloads/workload.h"

struct outcome {
    struct run_stats stats;
    struct exec_counts executed;
    struct policy_stats policy;
};

static inline const char *built_in_ptx(const char *file)
{
    const struct embed_file *f = embed_find(file);
    return f ? f->data : NULL;
}

/* A fresh machine, a tiny input; the session is the caller's to read and to free. It checks the laws and the
 * instruction counts after every launch; any failure fails the test with its text. */
static inline struct session *run_session(const struct workload *w, const struct gpu_config *c, struct gpu_options o)
{
    struct wl_err e = {.code = WL_OK};
    struct session_options so = {.mode = SESSION_TIMING, .config = *c, .gpu = o};
    struct session *s = session_new(&so, &e);
    if (!s) fail_msg("%s", e.text);
    struct workload_run r = {.seed = 1, .ptx = built_in_ptx};
    for (unsigned i = 0; w->input[i].name; i++) r.in[i] = w->input[i].value[SIZE_TINY];
    session_make_current(s);
    if (w->run(&r)) fail_msg("%s on %s: %s\n%s", w->name, c->name, r.message, session_error(s)->text);
    return s;
}

static inline struct outcome run_workload(const struct workload *w, const struct gpu_config *c, struct gpu_options o)
{
    struct outcome out = {0};
    struct wl_err e = {.code = WL_OK};
    struct session *s = run_session(w, c, o);
    gpu_read_stats(session_gpu(s), &out.stats);
    gpu_read_policy_stats(session_gpu(s), &out.policy);
    out.executed = session_counts(s);
    if (gpu_check_laws(session_gpu(s), &e)) fail_msg("%s on %s: %s", w->name, c->name, e.text);
    session_free(s);
    return out;
}

/* Names the counters that differ. */
static inline void check_same_counters(const struct run_stats *a, const struct run_stats *b, const char *what)
{
    if (memcmp(a, b, sizeof *a) == 0) return;
    char text[1024];
    int n = snprintf(text, sizeof text, "%s: cycles %llu and %llu", what, (unsigned long long)a->cycles,
                     (unsigned long long)b->cycles);
    for (const struct counter_desc *d = counter_descs; d->key && n > 0 && n < 900; d++) {
        uint64_t x = counter_value(a, d), y = counter_value(b, d);
        if (x != y)
            n += snprintf(text + n, sizeof text - (size_t)n, "; %s.%s %llu and %llu", counter_group_names[d->group],
                          d->key, (unsigned long long)x, (unsigned long long)y);
    }
    fail_msg("%s", text);
}

#endif
