/* machine.c - from --gpu, --set and the policy options to a checked machine. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

#include "base/check.h"

int make_config(struct gpu_config *c, const char *gpu, const struct text_list *set, const char *l1, const char *l2,
                const char *sched, struct wl_err *e)
{
    static char warned[256]; /* the file whose warnings were printed last: comparisons load one many times */
    bool again = gpu && strcmp(warned, gpu) == 0;
    if (gpu) snprintf(warned, sizeof warned, "%s", gpu);
    int rc = config_load_warn(c, gpu ? gpu : "gtx480", again ? NULL : print_warning, NULL, e);
    for (unsigned i = 0; !rc && set && i < set->count; i++) rc = config_set(c, set->item[i], e);
    if (!rc && l1) rc = config_set_l1(c, l1, e);
    if (!rc && l2) rc = config_set_l2(c, l2, e);
    if (!rc && sched) rc = config_set_sched(c, sched, e);
    return rc ? rc : config_check(c, e);
}

void machine_line(const struct gpu_config *c, char *out, size_t size)
{
    const int64_t *v = c->v;
    int64_t l1 = v[P_L1D_SETS] * v[P_L1D_WAYS] * v[P_L1D_LINE] / 1024;
    int64_t slices = v[P_MEM_CHANNELS] * v[P_L2_SLICES];
    int64_t l2 = slices * v[P_L2_SETS] * v[P_L2_WAYS] * 128 / 1024;
    double gb =
        (double)v[P_DRAM_ATOM] / (double)v[P_DRAM_BURST] * (double)v[P_CLOCK_DRAM] * (double)v[P_MEM_CHANNELS] / 1e6;
    snprintf(out, size,
             "%s: %" PRId64 " SMs at %g MHz; L1D %" PRId64 " KiB, %" PRId64 " ways, %" PRId64 " MSHRs; L2 %" PRId64
             " KiB in %" PRId64 " slices, %" PRId64 " ways; %" PRId64 " channels, %.1f GB/s",
             c->name, v[P_SM_COUNT], (double)v[P_CLOCK_CORE] / 1e3, l1, v[P_L1D_WAYS], v[P_L1D_MSHR], l2, slices,
             v[P_L2_WAYS], v[P_MEM_CHANNELS], gb);
}

int engine_options(const struct options *o, struct gpu_options *out, struct wl_err *e)
{
    *out = (struct gpu_options){.shuffle = o->shuffle, .max_cycles = o->max_cycles};
    wl_paranoid = o->paranoid;
    if (!o->engine || strcmp(o->engine, "fast") == 0) return 0;
    if (strcmp(o->engine, "tick") != 0)
        return wl_fail(e, WL_EINPUT, "there is no engine '%s'; --engine is fast or tick", o->engine);
    out->tick = true;
    return 0;
}
