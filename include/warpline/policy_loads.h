/* policy_loads.h - for L1D policies that learn from whole loads, from the first request to the last byte. */
#ifndef WARPLINE_POLICY_LOADS_H
#define WARPLINE_POLICY_LOADS_H

#include "warpline/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The L1D calls these when it happens; each may be NULL. */
struct wl_load_hooks {
    void (*begin)(struct wl_cache *c, struct wl_load *l); /* the load's first request meets the tags; may set l->user */
    void (*end)(struct wl_cache *c, const struct wl_load *l);  /* all requests of the load have been accepted */
    void (*done)(struct wl_cache *c, const struct wl_load *l); /* the load's last byte has returned */
    void (*warp_launch)(struct wl_cache *c, unsigned warp);    /* a new warp has taken the slot */
    void (*warp_exit)(struct wl_cache *c, unsigned warp);      /* the warp has ended; its slot is free */
    void (*leave_loop)(struct wl_cache *c, unsigned warp, uint16_t loop); /* the warp's last lane has left the loop */
};

#ifdef __cplusplus
}
#endif

#endif
