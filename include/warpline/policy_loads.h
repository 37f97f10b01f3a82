/* policy_loads.h - for L1D policies that follow whole loads: from their first request to their last byte. */
#ifndef WARPLINE_POLICY_LOADS_H
#define WARPLINE_POLICY_LOADS_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of them are told; each may be NULL. */
struct wl_load_hooks {
    void (*begin)(struct wl_cache *c, struct wl_load *l);      /* its first request meets the tags; may set l->user */
    void (*end)(struct wl_cache *c, const struct wl_load *l);  /* all its requests have been accepted */
    void (*done)(struct wl_cache *c, const struct wl_load *l); /* its last byte has returned */
    void (*warp_launch)(struct wl_cache *c, unsigned warp);
    void (*warp_exit)(struct wl_cache *c, unsigned warp);
    void (*leave_loop)(struct wl_cache *c, unsigned warp, uint16_t loop); /* no lane of the warp is in it any more */
};

#ifdef __cplusplus
}
#endif

#endif
