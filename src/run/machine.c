/* machine.c - makes machines out of words. */
#include "run/machine.h"

#include <inttypes.h>
#include <string.h>

#include "policy/registry.h"
#include "run/scheme.h"

int machine_plugin(const char *file, struct wl_err *e)
{
    registry_open();
    return plugin_load(file, e);
}

/* A size stands for sets: given both, one of them would silently lose. */
static int refuse_both(const struct machine_spec *spec, struct wl_err *e)
{
    static const char *const caches[] = {"l1d", "l2"};
    for (unsigned k = 0; k < 2; k++) {
        char size[16], sets[16];
        bool has_size = false, has_sets = false;
        snprintf(size, sizeof size, "%s.size=", caches[k]);
        snprintf(sets, sizeof sets, "%s.sets=", caches[k]);
        for (unsigned i = 0; i < spec->sets; i++) {
            has_size |= strncmp(spec->set[i], size, strlen(size)) == 0;
            has_sets |= strncmp(spec->set[i], sets, strlen(sets)) == 0;
        }
        if (has_size && has_sets)
            return wl_fail(e, WL_EINPUT, "%s.size and %s.sets are both set; the size chooses the sets", caches[k],
                           caches[k]);
    }
    return 0;
}

int machine_read(const struct machine_spec *spec, struct gpu_config *out, struct wl_err *e)
{
    registry_open();
    int rc = config_load_warn(out, spec->gpu ? spec->gpu : "gtx480", spec->say, spec->say_arg, e);
    if (!rc) rc = refuse_both(spec, e);
    for (unsigned i = 0; !rc && i < spec->sets; i++) rc = config_set(out, spec->set[i], e);
    struct scheme_parts parts = {0};
    if (!rc && spec->scheme) rc = scheme_find(spec->scheme, &parts, e);
    const char *l1 = spec->l1 ? spec->l1 : parts.l1, *l2 = spec->l2 ? spec->l2 : parts.l2,
               *sched = spec->sched ? spec->sched : parts.sched;
    if (!rc && l1) rc = config_set_l1(out, l1, e);
    if (!rc && l2) rc = config_set_l2(out, l2, e);
    if (!rc && sched) rc = config_set_sched(out, sched, e);
    return rc;
}

int machine_make(const struct machine_spec *spec, struct gpu_config *out, struct wl_err *e)
{
    int rc = machine_read(spec, out, e);
    if (!rc && spec->scheme) scheme_fit(spec, out);
    if (!rc) rc = config_settle(out, e);
    if (!rc && spec->scheme) rc = scheme_check(spec, out, e);
    return rc ? rc : config_check(out, e);
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

void machine_print(const struct gpu_config *c, FILE *out) { config_print(c, out); }
