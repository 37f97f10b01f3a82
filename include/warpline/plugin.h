/* plugin.h - a shared object with policies of your own, loaded with --plugin ./mine.so.
 *
 * The object exports one variable:
 *
 *     const struct wl_plugin wl_plugin = {WL_ABI, sizeof(struct wl_plugin), "mine", caches, scheds};
 *
 * Build it against include/warpline only: cc -shared -fPIC -I include mine.c -o mine.so */
#ifndef WARPLINE_PLUGIN_H
#define WARPLINE_PLUGIN_H

#include "warpline/policy.h"
#include "warpline/sched.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wl_plugin {
    uint32_t abi;                                /* WL_ABI: checked first; a mismatch is refused with a sentence */
    uint32_t size;                               /* sizeof(struct wl_plugin) */
    const char *name;                            /* of the plugin */
    const struct wl_cache_policy *const *caches; /* NULL-terminated, or NULL */
    const struct wl_sched_policy *const *scheds; /* NULL-terminated, or NULL */
};

#ifdef __cplusplus
}
#endif

#endif
