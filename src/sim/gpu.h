/* gpu.h - the timing half as a whole: a machine that runs instruction streams. */
#ifndef WL_SIM_GPU_H
#define WL_SIM_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "param/config.h"
#include "stats/profile_report.h"
#include "stats/sample.h"
#include "stats/stats.h"
#include "stream/stream.h"

struct gpu;

struct timeline;
struct wave_report;
struct launch_marks;

struct gpu_options {
    bool tick;                 /* the reference engine: never sleeps, never jumps */
    uint64_t shuffle;          /* non-zero: tick the parts of an edge in a random order with this seed */
    uint64_t max_cycles;       /* stop a kernel after this many core cycles; 0 = never */
    struct timeline *timeline; /* shows chosen SMs at work (stats/timeline.h); NULL: none. Stays the caller's */
    uint64_t memory_bytes;     /* size of device memory, for nvm.map = alloc */
    unsigned threads;          /* that work on the machine (sim/split.h); 0 and 1: one. No counter depends on it */
    bool whole;                /* one clock for all parts, even if the machine could be split */
    uint64_t cut_cycles;       /* hand out no more CTAs of a kernel after this many core cycles; 0 = never */
};

/* Checks the configuration and builds the machine; NULL on error. */
struct gpu *gpu_new(const struct gpu_config *c, const struct gpu_options *o, struct wl_err *e);
void gpu_free(struct gpu *g);

/* What may be left out of a launch. */
struct wave_limits {
    double tolerance; /* waves that are alike within this share are of one state; 0: every CTA is timed */
    double error;     /* its cycles are to be known to this share */
    double before;    /* cycles that all launches before it take, as far as is known */
    bool moves;       /* parts of warps may be left out */
    const struct launch_marks *like; /* of a launch that it may be like; NULL: of none */
    uint32_t fill; /* it only fills the caches: so many CTAs at its end are enough; 0: it is measured */
};

/* Of the launches to come only some CTAs are timed, as is allowed; the others are taken from the source and given to no
 * SM. gpu_waves: what the last kernel told. */
void gpu_sample_waves(struct gpu *g, struct wave_limits w);
const struct wave_report *gpu_waves(const struct gpu *g);

/* Runs one kernel from its first CTA to the last returning byte. WL_EDEADLOCK, with what every part
 * holds, when nothing moves any more. */
int gpu_run(struct gpu *g, struct stream_source *s, struct wl_err *e);

/* ---- kernels that overlap ---- */

struct gpu_launch {
    struct stream_source *source;
    uint32_t ctas; /* CTAs the source will give */
    int priority;  /* of two kernels with CTAs left that with the smaller number comes first, else the older one */
    /* What became of it: */
    uint64_t begin, end; /* core cycles of the machine before it began, and when it had ended */
    bool cut;
    unsigned number; /* the machine's */
};

/* Who knows which launch waits for which. */
struct gpu_queue {
    void *arg;
    struct gpu_launch *(*peek)(void *arg); /* the next launch that may begin now; NULL: none before one has ended */
    void (*take)(void *arg);               /* the one peek() showed begins */
    void (*ended)(void *arg, struct gpu_launch *l);
};

/* Runs launches from an empty machine until it is empty again, at most gpu.concurrent_kernels at a time. A launch that
 * begins when the one before has ended, and nothing else runs, is left to the next call: so launches that do not
 * overlap are run one by one, each as gpu_run does it. */
int gpu_run_queue(struct gpu *g, const struct gpu_queue *q, struct wl_err *e);

/* Device memory was allocated (nvm.map = alloc). */
void gpu_allocated(struct gpu *g, uint64_t addr, uint64_t bytes);
/* Whether the last kernel of gpu_run was cut: its source still has CTAs. */
bool gpu_was_cut(const struct gpu *g);

/* A host-to-device copy passed through memory (l2.copy_fills). */
void gpu_host_copy(struct gpu *g, uint64_t addr, uint64_t bytes);
void gpu_touch_l2(struct gpu *g, uint64_t line); /* the line is in the L2 from here on; nothing is counted */

/* Core cycles so far, of a kernel that runs too. */
uint64_t gpu_cycle(const struct gpu *g);
/* Counters since the machine was built. */
void gpu_read_stats(const struct gpu *g, struct run_stats *out);

/* What stats.profile gives besides counters, all zero when it is off; out->load is the caller's to free. */
int gpu_read_profile(const struct gpu *g, struct profile_report *out, struct wl_err *e);

/* The counters at the end of each stats.interval and at the end of the last kernel, each since the
 * machine was built. *count 0 and *out NULL when off; *out is the caller's to free. */
int gpu_read_samples(const struct gpu *g, struct sample **out, unsigned *count, struct wl_err *e);

/* The policies' own counters, summed over SMs or slices, in the order of their tables. */
struct policy_stats {
    uint64_t l1[WL_MAX_POLICY_COUNTERS], l2[WL_MAX_POLICY_COUNTERS], sched[WL_MAX_POLICY_COUNTERS];
    uint64_t l1_storage_bits, l2_storage_bits, sched_storage_bits; /* of one SM, of all slices, of one SM */
};
void gpu_read_policy_stats(const struct gpu *g, struct policy_stats *out);

/* The conservation laws of counters alone: of those the machine counted, or of a projection. */
int stats_check_laws(const struct gpu_config *c, const struct run_stats *s, bool profiled, struct wl_err *e);
/* Every conservation law; WL_ELAW names the broken ones. Call between kernels. */
int gpu_check_laws(const struct gpu *g, struct wl_err *e);

#endif
