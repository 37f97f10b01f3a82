/* pace.h - how far the warps of a launch are moved on: constants of on_demand.c and written.c. */
#ifndef WL_PTX_PACE_H
#define WL_PTX_PACE_H

enum {
    PACE_CHUNK = 64,   /* instructions that a warp is ahead of the machine */
    PACE_LAST = 64,    /* a warp that would have ended still has so many to do, */
    PACE_END = 256,    /* where streams were written so many */
    PACE_BEHIND = 2,   /* windows behind a stretch that are to be like those before it */
    PACE_UNSURE = 2,   /* of a stretch this part more: when SMs run dry is known no better */
    PACE_LONG = 16384, /* instructions of a warp; where CTAs come later, and streams were written, no shorter ones */
    PACE_LEAST = 1,    /* where other CTAs wait for room a stretch is as long as so many windows, or there is none */
    PACE_CROWD = 8     /* one of so many warps may be stopped before its end; if more would be, all go less far */
};

#endif
