/* timeline.h - what chosen SMs do in a window of cycles, as a Chrome trace (JSON of trace events).
 *
 * Opens in Perfetto or about:tracing; a microsecond there is a core cycle here. A process is an SM; its
 * tracks are its CTAs, the mode and the owner of the scheduling scheme, the ld/st unit, counters (MSHRs, miss
 * queue, re-execution queue) and one track per warp: instructions issued, and what it waits for. One of so many
 * requests of these SMs is followed: it is a slice in each part it passes, the L1D, the network, an L2 slice, a memory
 * channel and back, joined by a flow. Given to a machine with gpu_options; observe/timeline.c fills it. */
#ifndef WL_STATS_TIMELINE_H
#define WL_STATS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct timeline;
enum { TIMELINE_MAX_SMS = 256 };

/* What begins the window. */
enum timeline_trigger { TIMELINE_CYCLE, TIMELINE_KERNEL, TIMELINE_PC, TIMELINE_STALL };

enum timeline_stall { STALL_ANY, STALL_NO_MSHR, STALL_NO_MERGE, STALL_NO_LINE, STALL_NO_QUEUE, STALL_NOT_OWNER };

struct timeline_spec {
    uint64_t from, to; /* cycles from <= c < to; of the other triggers, counted from the trigger */
    enum timeline_trigger trigger;
    const char *kernel;         /* KERNEL: its launches that fit this pattern, */
    unsigned launch;            /*   the so manyth of them from 1; 0: the first */
    uint32_t pc;                /* PC: the first time it is issued on a shown SM */
    enum timeline_stall stall;  /* STALL: the first time the ld/st unit stalls so */
    uint64_t requests;          /* one of so many requests is followed; 0: none */
    uint64_t limit;             /* the most events */
    bool sms[TIMELINE_MAX_SMS]; /* those that are shown */
};

/* Writes to `out`, which stays the caller's. `spec` is copied, but for the pattern's text. NULL: out of memory. */
struct timeline *timeline_new(FILE *out, const struct timeline_spec *spec);
/* Ends the file; returns whether the limit cut something off. *seen: whether the window ever began. */
bool timeline_end(struct timeline *t, bool *seen);

#endif
