/* sampling_waves.h - of a launch with many waves of CTAs, some waves are timed. */
#ifndef WL_SIM_SAMPLING_WAVES_H
#define WL_SIM_SAMPLING_WAVES_H

#include "engine/part.h"
#include "stats/sampling_report.h"

struct gpu;
struct stream_source;

enum { WAVES_MAX = 24, WINDOWS_MAX = 64 };

/* What a launch of which CTAs were left out has told. */
struct wave_report {
    uint32_t ctas, skipped;            /* CTAs of the launch, and those that were only executed */
    unsigned windows;                  /* measured stretches of the launch */
    struct sample window[WINDOWS_MAX]; /* what was counted in each */
    bool excerpts;                     /* CTAs were timed in excerpts: */
    uint64_t gap[WINDOWS_MAX];         /* what each stands for that was left out: CTAs, or with excerpts instructions */
    bool passing[WINDOWS_MAX];         /* behind a gap, on the way back to the state before it: stands for nothing */
    unsigned broken;                   /* the window behind a gap that was not like those before it; 0: none */
    const char *why;                   /* some CTAs could have been left out, but were not: the reason; NULL */
};

enum wave_phase { WAVES_RAMP, WAVES_WARM, WAVES_MEASURE, WAVES_DONE };

struct waves {
    bool wanted, on;              /* of the next launch; of this one */
    double tolerance;             /* the asked error, as a share */
    enum wave_phase phase;        /* what passes now */
    uint32_t resident;            /* CTAs the machine holds at once */
    uint32_t settle;              /* waves behind a gap before a window begins */
    bool behind_gap;              /* no window since the last gap has been like those before it */
    bool faster, slower;          /* from one window to the next, before anything was left out */
    tick_t snap_at;               /* when the counters are read: a core edge at which every SM works; NEVER */
    struct sample begin;          /* at the beginning of the window */
    struct stream_source *source; /* with excerpts: of the launch; */
    uint64_t gaps;                /* left out before the window; with excerpts, all that was */
    tick_t length;                /* of a window */
    struct wave_report report;
};

void waves_begin(struct gpu *g, struct stream_source *s);
void waves_look(struct gpu *g); /* between two steps */

/* sampling_excerpts.c */
/* Times excerpts of the launch's CTAs, if that can be done. */
void excerpts_begin(struct gpu *g, struct stream_source *s, uint64_t resident);
void excerpts_prepare(struct gpu *g); /* before a step */
void excerpts_look(struct gpu *g);

#endif
