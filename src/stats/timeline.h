/* timeline.h - what chosen SMs do in a window of cycles, as a Chrome trace (JSON of trace events).
 *
 * Opens in Perfetto or about:tracing; a microsecond there is a core cycle here. A process is an SM; its
 * tracks are the mode and the owner of the scheduling scheme, the ld/st unit, counters (MSHRs, miss
 * queue, re-execution queue) and one track per warp: instructions issued, waits for loads and barriers.
 * Given to a machine with gpu_options; observe/timeline.c fills it. */
#ifndef WL_STATS_TIMELINE_H
#define WL_STATS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct timeline;
enum { TIMELINE_MAX_SMS = 256 };

/* Cycles from <= c < to of the SMs with sms[i]; writes at most `limit` events to `out`, which stays the
 * caller's. NULL: out of memory. */
struct timeline *timeline_new(FILE *out, uint64_t from, uint64_t to, const bool sms[TIMELINE_MAX_SMS], uint64_t limit);
/* Ends the file; returns whether the limit cut something off. */
bool timeline_end(struct timeline *t);

#endif
