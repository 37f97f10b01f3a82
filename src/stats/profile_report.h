/* profile_report.h - what a profile gives in addition to counters: distributions and the loads of a program. */
#ifndef WL_STATS_PROFILE_REPORT_H
#define WL_STATS_PROFILE_REPORT_H

#include <stdint.h>

enum { PROFILE_RANKS = 64, REUSE_BUCKETS = 32, REUSE_TYPES = 3 };

/* A line of an infinite L1 (APCM, Table 2): asked for once; never again by the warp that brought
 * it; only by that warp; by it and by others. */
enum line_type { TYPE_STREAMING, TYPE_INTER, TYPE_INTRA, TYPE_MIXED, LINE_TYPES };

/* A load instruction: all its executions by all SMs and launches. */
struct load_record {
    char kernel[128];
    uint32_t pc;
    uint64_t loads, divergent, requests;
    uint64_t outcome[4];        /* hits, merged, missed, bypassed */
    uint64_t lines[LINE_TYPES]; /* of an infinite L1 that this load brought, by type */
};

struct profile_report {
    struct load_record *load; /* owned; only loads that were executed */
    unsigned loads;
    uint64_t footprint_lines;                   /* lines any SM loaded, each once */
    uint64_t rank[PROFILE_RANKS];               /* instructions issued by age rank */
    uint64_t reuse[REUSE_TYPES][REUSE_BUCKETS]; /* by distance, floor of its log2: inter, intra, mixed */
};

#endif
