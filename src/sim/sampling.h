/* sampling.h - sampled simulation: what is timed, what is only executed, and what the latter would have cost.
 *
 * Every launch is executed, so device memory is exact. Of the launches of one kernel some are timed; from these the
 * others are projected (sampling_project.c). Of a launch with many waves of CTAs some waves are timed
 * (sampling_waves.c). What the machine counts is always what it did. docs/sampling.md has the rules and what they cost.
 */
#ifndef WL_SIM_SAMPLING_H
#define WL_SIM_SAMPLING_H

#include "ptx/exec.h"
#include "sim/gpu.h"
#include "stats/sampling_report.h"

struct sampling;

/* Samples as v[P_RUN_SAMPLE] asks; NULL: out of memory. */
struct sampling *sampling_new(const struct gpu_config *c);
void sampling_free(struct sampling *s);
/* From here on everything is timed in full, and this is said in the report: a sentence without its end. */
void sampling_refuse(struct sampling *s, const char *why);

/* What to do with the next launch. */
enum sampling_choice {
    SAMPLING_TIME, /* time it: others are projected from it */
    SAMPLING_WARM, /* time it, but the caches hold what an earlier launch left: project nothing from it */
    SAMPLING_FULL, /* time it and every CTA of it */
    SAMPLING_SKIP  /* execute only */
};
enum sampling_choice sampling_choose(struct sampling *s, const struct launch_info *l);

/* A launch has ended; -1: out of memory. `total`: all that was executed. `own`: what the machine counted in it. `w`:
 * the waves of it that were measured, if some were left out. */
int sampling_timed(struct sampling *s, const struct launch_info *l, enum sampling_choice c, struct exec_counts total,
                   const struct sample *own, const struct wave_report *w);
/* *cycles: a first guess of what it would have taken. */
int sampling_skipped(struct sampling *s, const struct launch_info *l, struct exec_counts total, uint64_t *cycles);
/* What may be left out of this launch. */
struct wave_limits sampling_limits(const struct sampling *s, const struct launch_info *l, enum sampling_choice c);
uint64_t sampling_last_cycles(const struct sampling *s); /* of the last launch */
unsigned sampling_launches(const struct sampling *s);
/* Launch number i (from 0) as it was counted or projected: every conservation law of counters holds. */
void sampling_launch(const struct sampling *s, unsigned i, struct sample *out);
/* The sum of all launches and of what `machine` counted outside of launches; the report with its intervals.
 * WL_ELAW: the projection breaks a law. */
int sampling_read(const struct sampling *s, const struct sample *machine, struct sample *out,
                  struct sampling_report *report, struct wl_err *e);

#endif
