/* sampling_priv.h - the log of a sampled run. */
#ifndef WL_SIM_SAMPLING_PRIV_H
#define WL_SIM_SAMPLING_PRIV_H

#include <stddef.h>

#include "sim/sampling.h"
#include "sim/sampling_waves.h"

/* A launch that was timed: its counters, with what was projected of CTAs that were left out, and how far they
 * may be off, which is 0 when none was. */
struct timed_launch {
    struct sample count;
    double variance[SAMPLED_COUNTERS]; /* chance: independent of other launches', and known from so many */
    unsigned windows;
    double doubt[SAMPLED_COUNTERS]; /* what may be wrong with all launches alike: half of an interval */
    double counts_for;              /* so many launches of its group are made of it, itself included */
    /* What windows of it scatter by, for each instruction of a launch that is like it; known from so many. */
    double scatter[SAMPLED_COUNTERS];
    unsigned scattered;
    /* It was timed until it was seen to go as another one did (sampling_like.c), an index of the log; the rest of it
     * is so much of what that one had still to do. */
    bool like;
    uint32_t model;
    double of_model;
    double missed;       /* by such a share the other one took longer behind its beginning */
    uint64_t timed_warp; /* warp instructions that the machine issued */
    uint32_t skipped_ctas;
};

struct logged {
    uint32_t group, ordinal; /* its number among the launches of its group, from 0 */
    uint32_t ctas, warps;
    uint64_t warp, thread;  /* instructions executed */
    struct timed_launch *m; /* NULL: it was not timed */
    bool stands;            /* others may be projected from it */
    uint32_t next_in_group; /* index of the group's next launch, or UINT32_MAX */
};

/* Launches of one kernel with blocks of one shape. */
struct launch_group {
    char kernel[128];
    uint32_t block[3], shared, regs;
    uint32_t first, last, launches; /* in the log; how many */
    uint32_t *stand;                /* [stands] indices of the launches that others are projected from */
    uint32_t stands, stands_room;
    uint32_t gap, due;          /* launches until the next look; the ordinal at which it is due */
    double step;                /* how far a launch's size may be from that of a timed one, as a logarithm */
    struct launch_marks *marks; /* of the last launch that others may be like, if any: */
    uint32_t model;             /* its index */
    unsigned checks, misses, surprises;
    double miss, miss_square; /* sums of what predictions of cycles were off by, as shares */
    bool refused;
};

struct sampling {
    struct gpu_config config;
    double asked;
    struct logged *log;
    unsigned launches, room;
    struct launch_group *group;
    unsigned groups, groups_room;
    bool skipped_last; /* the launch before was executed only: the caches are older than it */
    bool moved_last;   /* parts of its warps were left out */
    bool passed_last;  /* CTAs of it were */
    bool left_out;     /* something was, so far */
    unsigned window;   /* so many launches more are timed because one of them was due */
    uint32_t reasons;
    char reason[SAMPLING_REASONS][256];
    bool refused;
    struct sample inside; /* the sum of what the machine counted in launches */
};

#define SAMPLED_AT(field) (offsetof(struct sample, field) / sizeof(uint64_t))

/* ---- counters by number ---- */

static inline const uint64_t *sample_counts(const struct sample *s) { return (const uint64_t *)(const void *)s; }
static inline uint64_t *sample_counts_of(struct sample *s) { return (uint64_t *)(void *)s; }

/* False: it is no sum, and nothing is known of it beyond what was timed. */
static inline bool counter_is_sum(unsigned i)
{
    return i != SAMPLED_AT(stats.dram.nvm_line_writes_max) && i != SAMPLED_AT(stats.dram.nvm_lines_written) &&
           i != SAMPLED_AT(stats.sm.reexec_peak);
}

/* It is known of what was not timed too. */
static inline bool counter_is_exact(unsigned i)
{
    return i == SAMPLED_AT(stats.kernels) || i == SAMPLED_AT(stats.sm.warp_instructions) ||
           i == SAMPLED_AT(stats.sm.thread_instructions) || i == SAMPLED_AT(stats.sm.ctas) ||
           i == SAMPLED_AT(stats.sm.warps);
}

/* Of the L2 and behind it. */
static inline bool counter_is_far(unsigned i) { return i >= SAMPLED_AT(stats.l2) && i < SAMPLED_AT(stats.profile); }

/* sampling_mend.c: makes every law hold, by deriving totals from their parts. */
void sampling_mend(const struct gpu_config *c, struct run_stats *s);

/* ---- sampling_project.c ---- */

/* The quantile 0.975 of Student's distribution for n values. */
double sampling_student(unsigned n);
/* How launch `l` would have been counted, from the launches of its group that stand for others, but `without` (an index
 * of the log). False: there is none. */
bool sampling_predict(const struct sampling *s, const struct logged *l, uint32_t without, double out[SAMPLED_COUNTERS]);

/* ---- sampling_parts.c ---- */

/* Adds what would have been counted in the CTAs, or in the gaps of their streams, that were left out. */
void sampling_add_left_out(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                           struct exec_counts total);
/* By how much counter i varies from one window to the next: its variance, per instruction issued in one. */
double sampling_variance(const struct wave_report *w, unsigned i);
/* By such a share of what waves stand for counter i is doubted at least. */
double sampling_wave_floor(unsigned i);
/* The launch began in another state than it would have. */
void sampling_doubt(struct timed_launch *m);
/* It found lines in the L2 that CTAs long before the end of the last launch had left there, since those between were
 * left out: as many of its accesses as the L2 has lines may have hit for that reason, or missed. */
void sampling_doubt_l2(const struct sampling *s, struct timed_launch *m);
double sampling_l2_lines(const struct sampling *s); /* that the machine's L2 holds */
/* Where something was left out before, what is timed is not what a full run times, but its like: warps meet one another
 * in another order. So `work` of the timed instructions scatter as windows do, here and in the full run. */
void sampling_stray(struct timed_launch *m, const struct wave_report *w, double work);

/* ---- sampling_rest.c ---- */

/* The launch was left where it had gone as its model had, whose marks these are: what is missing is taken from there.
 */
void sampling_add_like(const struct sampling *s, struct timed_launch *m, const struct wave_report *w,
                       const struct launch_marks *marks, struct exec_counts total);
/* Notes what windows scatter by. */
void sampling_note_scatter(struct timed_launch *m, const struct wave_report *w);

#endif
