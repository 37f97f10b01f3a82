/* sampling_waves.h - of a launch with many waves of CTAs, some waves are timed. */
#ifndef WL_SIM_SAMPLING_WAVES_H
#define WL_SIM_SAMPLING_WAVES_H

#include "engine/part.h"
#include "stats/sampling_report.h"

struct gpu;
struct launch_info;

enum { WAVES_MAX = 24 };

/* What a launch of which CTAs were left out has told. */
struct wave_report {
    uint32_t ctas, skipped;          /* CTAs of the launch, and those that were only executed */
    unsigned windows;                /* measured stretches of the launch */
    struct sample window[WAVES_MAX]; /* what was counted in each */
    const char *why;                 /* some CTAs could have been left out, but were not: the reason; NULL */
};

enum wave_phase { WAVES_RAMP, WAVES_WARM, WAVES_MEASURE, WAVES_DONE };

struct waves {
    bool wanted, on;           /* of the next launch; of this one */
    double tolerance;          /* the asked error, as a share */
    enum wave_phase phase;     /* what passes now */
    uint32_t resident, stride; /* CTAs the machine holds at once; left out between two windows */
    tick_t snap_at;            /* when the counters are read: a core edge at which every SM works; NEVER */
    struct sample begin;       /* at the beginning of the window */
    struct wave_report report;
};

void waves_begin(struct gpu *g, const struct launch_info *l);
void waves_look(struct gpu *g); /* between two steps */

#endif
