/* mascar_fig7.c - the example of Mascar's Fig. 7 as numbers: without a re-execution queue (a), and with one entry (b).
 */
#include <stdlib.h>

#include "policy/registry.h"
#include "run/example.h"
#include "sim/fig7_bench.h"

static const char *const row_names[] = {"W0.queued",   "W0.accepted", "W1.entered",  "W1.accepted", "W1.hit",
                                        "W2.entered",  "W2.refused",  "W2.accepted", "W3.entered",  "W3.accepted",
                                        "LSU.stalled", "fetches",     NULL};
static const char *const column_names[] = {"a", "b", NULL};

static const struct wl_cache_policy *real_policy;

static void hear_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    fig7_heard(a->warp, a->cycle, outcome == WL_HIT);
    real_policy->on_access(c, a, outcome, way);
}

static int play_one(struct gpu_config *c, const char *sched, struct fig7 *out, struct wl_err *e)
{
    static const char *const machine[] = {"sm.count=1",  "sm.schedulers=1", "sm.mem_delay=1", "sm.lsu_queue=4",
                                          "l1d.sets=32", "l1d.ways=4",      "l1d.mshr=2",     "l1d.index=linear",
                                          "l1d.missq=8", "l1d.pipe=1",      "l1d.hit=0",      "l1d.flush=no"};
    int rc = 0;
    registry_open();
    config_defaults(c);
    for (unsigned i = 0; !rc && i < sizeof machine / sizeof *machine; i++) rc = config_set(c, machine[i], e);
    if (!rc) rc = config_set_sched(c, sched, e);
    real_policy = c->l1.policy;
    struct wl_cache_policy hearing = *real_policy;
    hearing.on_access = hear_access;
    c->l1.policy = &hearing;
    if (!rc) rc = fig7_play(c, out, e);
    c->l1.policy = real_policy;
    return rc;
}

static void note_numbers(const struct fig7 *f, unsigned column, double *value)
{
    const struct fig7_warp *w = f->warp;
    unsigned refused = w[2].accepted > w[2].entered + 1 ? w[2].entered + 1 : 0;
    const unsigned rows[] = {w[0].queued, w[0].accepted, w[1].entered, w[1].accepted, w[1].hit,  w[2].entered,
                             refused,     w[2].accepted, w[3].entered, w[3].accepted, f->stalls, f->fetches};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) value[i * 2 + column] = rows[i];
}

static int play_numbers(double *value, struct wl_err *e)
{
    static const char *const scheds[] = {"lrr", "mascar:part=reexec,entries=1"};
    struct gpu_config *c = calloc(1, sizeof *c);
    int rc = c ? 0 : wl_no_memory(e);
    for (unsigned i = 0; !rc && i < 2; i++) {
        struct fig7 f;
        rc = play_one(c, scheds[i], &f, e);
        if (!rc) note_numbers(&f, i, value);
    }
    free(c);
    return rc;
}

extern const struct example mascar_fig7_example;
const struct example mascar_fig7_example = {"mascar-fig7", row_names, column_names, play_numbers};
