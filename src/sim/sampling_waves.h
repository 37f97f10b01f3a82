/* sampling_waves.h - of a launch with many waves of CTAs, some waves are timed. */
#ifndef WL_SIM_SAMPLING_WAVES_H
#define WL_SIM_SAMPLING_WAVES_H

#include "engine/part.h"
#include "sim/gpu.h"
#include "stats/sampling_report.h"

struct gpu;
struct stream_source;

enum {
    WAVES_MAX = 40,    /* windows of CTAs, */
    MOVES_MAX = 128,   /* where streams are moved on, */
    WINDOWS_MAX = 192, /* and where they go by rank */
    MARKS_MAX = 24
};

/* What was counted from the beginning of a launch to some moments of it, before anything was left out. The first is the
 * beginning itself, then comes the end of what fills the machine, then those of windows. */
enum { MARKS_RAMP = 1 };
struct launch_marks {
    unsigned n;
    struct sample at[MARKS_MAX];
};

/* What a launch of which CTAs were left out has told. */
struct wave_report {
    uint32_t ctas, skipped;            /* CTAs of the launch, and those that were only executed */
    unsigned windows;                  /* measured stretches of the launch */
    struct sample window[WINDOWS_MAX]; /* what was counted in each */
    bool moved;                        /* streams were moved on */
    bool flowed;                       /* by rank (ptx/ranks.h) */
    bool excerpts;                     /* CTAs were timed in excerpts: */
    uint64_t gap[WINDOWS_MAX];         /* what each stands for that was left out: CTAs, or with excerpts instructions */
    bool passing[WINDOWS_MAX];         /* behind a gap, on the way back to the state before it: stands for nothing */
    bool breaks[WINDOWS_MAX];          /* behind a gap, and not like those before it */
    unsigned broken;                   /* the last such window; 0: none */
    uint64_t ahead;                    /* warp instructions issued before anything was left out */
    struct launch_marks marks;         /* of the launch */
    bool like;                         /* behind the last of these all was left out: it goes as another one did */
    const char *why;                   /* some CTAs could have been left out, but were not: the reason; NULL */
};

enum wave_phase { WAVES_RAMP, WAVES_WARM, WAVES_MEASURE, WAVES_DONE };

struct waves {
    struct wave_limits allowed;   /* of the next launch */
    bool on;                      /* windows of this one are measured */
    double tolerance;             /* the asked error, as a share */
    enum wave_phase phase;        /* what passes now */
    uint32_t wave;                /* CTAs the machine holds at once */
    uint32_t resident;            /* a wave: the same; with moves, units */
    uint32_t span;                /* CTAs of a window, a whole number of waves */
    tick_t began;                 /* when the launch began */
    uint32_t reach;               /* with moves: units that a stretch may be long */
    uint32_t settle;              /* waves behind a gap before a window begins */
    bool behind_gap;              /* no window since the last gap has been like those before it */
    bool faster, slower;          /* from one window to the next, before anything was left out */
    tick_t snap_at;               /* when the counters are read: a core edge at which every SM works; NEVER */
    struct sample start, begin;   /* at the beginning of the launch, and of the window */
    bool watched;                 /* too few waves to leave some out, but the launch may go as one before it did */
    uint64_t issued, fetched;     /* warp instructions, lines of the L2, when the launch began */
    bool by_time;                 /* counters are read at times, not when CTAs are given out */
    bool moves;                   /* streams are moved on (sampling_moves.c), in units of work: */
    bool flows;                   /* by rank, so that no steady state is waited for */
    uint64_t unit;                /* so many warp instructions; CTAs below are units then */
    uint64_t most_unit;           /* no more than that */
    uint64_t noted;               /* instructions made when the window began */
    uint32_t busy;                /* by rank: SMs that had something to do then */
    uint32_t whole;               /* CTAs of the launch */
    uint64_t mark;                /* with moves: where the phase ends */
    uint64_t left_out;            /* CTAs so far */
    unsigned since;               /* with moves: the window behind the last break, */
    unsigned lead;                /* and the first of those that were alike before anything was left out */
    struct stream_source *source; /* with excerpts: of the launch; */
    uint64_t gaps;                /* left out before the window; with excerpts, all that was */
    tick_t length;                /* of a window */
    struct wave_report report;
};

/* Core cycles from the CTA that ends a phase to the counters that are read: parts that work ahead of the dispatcher
 * (split.h) have not come so far. */
enum { WAVES_NOTICE = 1024 };

void waves_begin(struct gpu *g, struct stream_source *s);
void waves_look(struct gpu *g);      /* between two steps */
bool waves_due(const struct gpu *g); /* whether there is something to look at */
/* The core edge at which all parts have to stand for that; NEVER: none is known yet. */
tick_t waves_meeting(const struct gpu *g);
void waves_start(struct gpu *g); /* looks at waves from here on, if there are some */

/* sampling_state.c */
enum { WAVES_RATES = 20, WAVES_MISS_RATES = 2 /* the first of them */ };
double waves_ipc(const struct sample *s);
unsigned waves_rates(const struct waves *w, const struct sample *s, double out[WAVES_RATES]); /* how many there are */
/* Whether two stretches of a launch are in the same state, as far as `tolerance` can tell. */
bool waves_alike(const struct waves *w, const struct sample *a, const struct sample *b, double tolerance);
/* Whether of the last 2 n windows the first n are like the others. */
bool waves_halves_alike(const struct waves *w, unsigned n, double tolerance);

/* sampling_moves.c */
/* Moves the streams of the launch on now and then, if that can be done. */
bool moves_begin(struct gpu *g, struct stream_source *s); /* false: it cannot */
void moves_leave(struct gpu *g);                          /* they are not moved on any more */
uint32_t moves_given(const struct gpu *g);                /* units so far */
uint32_t moves_skip(struct gpu *g, uint32_t units);       /* how many were left out */
void moves_window(struct gpu *g);                         /* a window begins */
bool moves_widen(struct waves *w); /* windows are twice as long from here on; false: they may not */
bool moves_reached(struct gpu *g); /* whether the phase has ended; else looks again soon */
void waves_prepare(struct gpu *g); /* before a step, where counters are read at times */

/* sampling_like.c */
void marks_begin(struct gpu *g);
void marks_add(struct gpu *g, const struct sample *now);
/* What was counted up to so many warp instructions, or from some to others. False: that is not known. */
bool marks_at(const struct launch_marks *m, uint64_t work, struct sample *out);
bool marks_between(const struct launch_marks *m, uint64_t from, uint64_t to, struct sample *out);
bool like_reached(const struct gpu *g); /* whether it goes as another launch did, as far as that is to be known */
bool like_leave(struct gpu *g);         /* leaves out what is left; false: nothing was */

/* sampling_excerpts.c */
/* Times excerpts of the launch's CTAs, if that can be done. */
void excerpts_begin(struct gpu *g, struct stream_source *s, uint64_t resident);
void excerpts_look(struct gpu *g);

#endif
