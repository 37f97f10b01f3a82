/* host_gpu.c - wl_gpu_*: a simulated GPU for the cu* calls of a host program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/counter_names.h"
#include "run/machine.h"
#include "sim/session_attach.h"
#include "warpline/warpline.h"

struct wl_gpu {
    struct session *session;
};

static struct session *open_session(const char *machine, const char *const *settings, struct wl_err *e)
{
    static const struct session_options timing = {.mode = SESSION_TIMING};
    struct session_options o = timing;
    struct machine_spec spec = {.gpu = machine, .set = settings};
    while (settings && settings[spec.sets]) spec.sets++;
    return machine_make(&spec, &o.config, e) ? NULL : session_new(&o, e);
}

struct wl_gpu *wl_gpu_open(const char *machine, const char *const *settings, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wl_gpu *g = calloc(1, sizeof *g);
    void *before = text_locale_c();
    if (g) g->session = open_session(machine, settings, &e);
    else wl_fail(&e, WL_ERUN, "out of memory");
    text_locale_back(before);
    if (!g || !g->session) {
        if (size) snprintf(message, size, "%s", e.text);
        free(g);
        return NULL;
    }
    session_make_current(g->session);
    return g;
}

void wl_gpu_close(struct wl_gpu *g)
{
    if (!g) return;
    if (session_current() == g->session) session_make_current(NULL);
    session_free(g->session);
    free(g);
}

int wl_gpu_counter(const struct wl_gpu *g, const char *name, uint64_t *value)
{
    struct run_stats s;
    struct policy_stats p = {0};
    const struct gpu_config *c = &session_setup(g->session)->config;
    gpu_read_stats(session_gpu(g->session), &s);
    gpu_read_policy_stats(session_gpu(g->session), &p);
    struct result_policy l1 = {.counters = c->l1.policy->counters, .storage_bits = p.l1_storage_bits},
                         l2 = {.counters = c->l2.policy->counters, .storage_bits = p.l2_storage_bits},
                         sched = {.counters = c->sched.policy->counters, .storage_bits = p.sched_storage_bits};
    memcpy(l1.value, p.l1, sizeof p.l1);
    memcpy(l2.value, p.l2, sizeof p.l2);
    memcpy(sched.value, p.sched, sizeof p.sched);
    return counter_by_name(&s, &l1, &l2, &sched, name, value) ? 0 : -1;
}

const char *wl_gpu_error(const struct wl_gpu *g) { return session_error(g->session)->text; }
