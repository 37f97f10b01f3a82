/* profile.h - an observer of what the loads of each SM do, whatever the policy.
 *
 * Switched on by stats.profile. The L1D reports every accepted load request and every line that
 * leaves to its SM's observer, the ld/st unit every finished load, the issue stage every
 * instruction. The observer keeps one entry for each line the SM ever loaded: where that line is in
 * the real L1D, why it left, and what an infinite cache would know of it. All numbers are those
 * section "profile" of the counters defines; they need nothing of the policy and change nothing.
 *
 * Nothing here takes memory on the cycle path: profile_grow is called between two steps, as the
 * request pools are refilled. */
#ifndef WL_OBSERVE_PROFILE_H
#define WL_OBSERVE_PROFILE_H

#include "base/err.h"
#include "mem/l1.h"
#include "mem/l2.h"
#include "observe/heat.h"
#include "observe/insts.h"
#include "observe/seen_lines.h"
#include "stats/profile_report.h"
#include "stats/stats.h"
#include "stream/code.h"
#include "warpline/policy.h"

/* What a request met: hits, and misses by why the line was not there. */
enum access_kind {
    ACCESS_HIT,
    ACCESS_PENDING,
    ACCESS_COLD,        /* the line was never allocated in this L1D */
    ACCESS_INTRA_WARP,  /* last evicted by a request of the same warp */
    ACCESS_INTER_WARP,  /* last evicted by a request of another warp */
    ACCESS_INVALIDATED, /* a store invalidated the line */
    ACCESS_FLUSHED,     /* a flush, between kernels or of a policy, invalidated the line */
    ACCESS_PRESENT,     /* the line is there, but without the sectors asked for, or the policy bypassed it */
    ACCESS_KINDS
};

/* How often a line is asked for: 1, 2, 3, 4, 5..8, 9..16, more. */
enum { COUNT_BUCKETS = 7, MPLI_BUCKETS = 5 /* 0, 1, 2, 3..31, more */ };

/* All uint64_t, so that the tallies of the SMs can be added with stats_add. */
struct tally {
    struct load_class {
        uint64_t loads, requests, primary, merged, bypassed, mpli[MPLI_BUCKETS], partly_cached, fully_missed;
    } load[2]; /* coherent, divergent */
    uint64_t access[ACCESS_KINDS];
    uint64_t size[3]; /* requests of 32, 64, 128 bytes */
    struct {
        uint64_t ended, accesses, count[COUNT_BUCKETS], used[LINE_CHUNKS], evicted_before_reuse, evicted_never_again;
        uint64_t fetched_chunks, used_chunks;
    } life; /* of lines in the L1D */
    struct {
        uint64_t type[LINE_TYPES], count[COUNT_BUCKETS];
    } infinite;
    uint64_t stall_hit, stall_hit_idle; /* cycles: stalled with a load that would hit; and nothing issued */
    uint64_t rank[PROFILE_RANKS];       /* issued instructions by age rank of the warp */
    uint64_t reuse[REUSE_TYPES][REUSE_BUCKETS];
};

/* One load instruction of a kernel, all SMs and launches together. */
struct load_table {
    struct load_record *row;
    unsigned rows, cap;
    struct load_place { /* loads of the running kernel by increasing pc */
        uint32_t pc, row;
    } * place;
    unsigned places, places_cap;
};

struct observer {
    struct l1_observer l1; /* first: what the L1D calls */
    struct tally tally;
    struct line_map lines;
    struct load_table *loads; /* of the machine */
    struct heat *heat;        /* of the machine; NULL: none */
    const uint64_t *age;      /* [warps] a number no other warp of this SM ever has */
    uint32_t requests;        /* numbers the load requests of a kernel */
};

struct profile {
    struct observer *sm;
    uint32_t sms;
    struct load_table loads;
    struct inst_table insts;
    struct inst_watch *watch; /* [sms] */
    struct heat heat;
    uint32_t channel_slices, channel_banks;
    struct l2_observer l2; /* what the slices of the L2 call */
    char kernel[128];      /* the running one */
};

/* ---- the machine's side ---- */

int profile_init(struct profile *p, uint32_t sms);
/* Counts over time too, of a machine with these channels and L1Ds, for so many samples. */
struct heat_shape {
    uint32_t channels, slices, banks; /* slices and banks of one channel */
    uint32_t sets, samples;
};
int profile_heat(struct profile *p, struct heat_shape s);
void profile_destroy(struct profile *p);
/* Between kernels. The names and loads of a kernel become known before it runs. */
int profile_kernel_begin(struct profile *p, const char *kernel, const struct code *code);
int profile_kernel_end(struct profile *p); /* -1: out of memory */
/* Makes room for what one step of the machine can add. -1: out of memory. */
static inline int profile_grow(struct profile *p)
{
    for (uint32_t i = 0; i < p->sms; i++)
        if (lines_short(&p->sm[i].lines) && lines_grow(&p->sm[i].lines)) return -1;
    return 0;
}
void profile_read_stats(const struct profile *p, struct profile_stats *out);
/* Copies everything that is not a counter; -1: out of memory. */
int profile_read_report(const struct profile *p, struct profile_report *out);

/* ---- the SM's side: one call per event; the L1D calls through observer.l1 ---- */

extern const struct l1_observer observer_calls;                 /* of every observer.l1 */
void observe_load(struct observer *o, const struct wl_load *l); /* the last request of the load was accepted */
/* The ld/st unit is stalled while another warp's load would hit; `idle` of these cycles nothing issues. */
static inline void observe_stall(struct observer *o, uint64_t cycles, uint64_t idle)
{
    o->tally.stall_hit += cycles;
    o->tally.stall_hit_idle += idle;
}
static inline void observe_issue(struct observer *o, unsigned rank) { o->tally.rank[rank]++; }

/* ---- between the files of this folder ---- */

int loads_begin(struct load_table *t, const char *kernel, const struct code *code);
void source_place(struct source_place *out, const struct code *c, const struct code_inst *in);
struct load_record *loads_find(const struct load_table *t, uint32_t pc); /* NULL: no load of this kernel */

#endif
