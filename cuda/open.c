/* open.c - the public way to a simulated GPU: a session behind an opaque pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/session.h"
#include "warpline/warpline.h"

struct wl_gpu {
    struct session *session;
};

static int apply(struct gpu_config *c, const char *setting, struct wl_err *e)
{
    if (strncmp(setting, "l1=", 3) == 0) return config_set_l1(c, setting + 3, e);
    if (strncmp(setting, "l2=", 3) == 0) return config_set_l2(c, setting + 3, e);
    if (strncmp(setting, "sched=", 6) == 0) return config_set_sched(c, setting + 6, e);
    return config_set(c, setting, e);
}

static struct session *open_session(const char *machine, const char *const *settings, struct wl_err *e)
{
    struct session_options o = {.mode = SESSION_TIMING};
    if (config_load(&o.config, machine ? machine : "gtx480", e)) return NULL;
    for (; settings && *settings; settings++)
        if (apply(&o.config, *settings, e)) return NULL;
    return session_new(&o, e);
}

struct wl_gpu *wl_gpu_open(const char *machine, const char *const *settings, char *message, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wl_gpu *g = calloc(1, sizeof *g);
    if (g) g->session = open_session(machine, settings, &e);
    else wl_fail(&e, WL_ERUN, "out of memory");
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
    gpu_read_stats(session_gpu(g->session), &s);
    if (strcmp(name, "cycles") == 0) return *value = s.cycles, 0;
    if (strcmp(name, "kernels") == 0) return *value = s.kernels, 0;
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        const char *group = counter_group_names[d->group];
        size_t n = strlen(group);
        if (strncmp(name, group, n) != 0 || name[n] != '.' || strcmp(name + n + 1, d->key) != 0) continue;
        *value = counter_value(&s, d);
        return 0;
    }
    return -1;
}

const char *wl_gpu_error(const struct wl_gpu *g) { return session_error(g->session)->text; }
