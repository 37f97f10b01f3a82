/* profile_report.h - what a profile gives in addition to counters: distributions and the loads of a program. */
#ifndef WL_STATS_PROFILE_REPORT_H
#define WL_STATS_PROFILE_REPORT_H

#include <stdint.h>

enum { PROFILE_RANKS = 64, REUSE_BUCKETS = 32, REUSE_TYPES = 3 };

/* A line of an infinite L1 (APCM, Table 2): asked for once; never again by the warp that brought
 * it; only by that warp; by it and by others. */
enum line_type { TYPE_STREAMING, TYPE_INTER, TYPE_INTRA, TYPE_MIXED, LINE_TYPES };

/* Where an instruction was written, as much as is known: an empty text and a line 0 are not (stream/code.h). */
struct source_place {
    char text[96], file[160], caller[160];
    uint32_t ptx_line, line, caller_line;
};

/* A load instruction: all its executions by all SMs and launches. */
struct load_record {
    char kernel[128];
    struct source_place at;
    uint32_t pc;
    uint64_t loads, divergent, requests;
    uint64_t outcome[4];        /* hits, merged, missed, bypassed */
    uint64_t l2[3];             /* of those that went there: hits, merged, missed or bypassed */
    uint64_t lines[LINE_TYPES]; /* of an infinite L1 that this load brought, by type */
};

/* Why a warp stood at an instruction: a register comes from memory; it is being computed; a barrier, a fence or an
 * atomic before it holds the warp; or it could be issued, but another warp was chosen, or its pipe was busy. */
enum inst_stall { STALL_LOAD, STALL_COMPUTE, STALL_BARRIER, STALL_TURN, INST_STALLS };

/* An instruction: all its executions by all SMs and launches. */
struct inst_record {
    char kernel[128];
    struct source_place at;
    uint32_t pc;
    uint8_t kind, space;         /* enum inst_kind, enum mem_space */
    uint64_t issued, lanes;      /* warp instructions, thread instructions */
    uint64_t stall[INST_STALLS]; /* cycles that warps stood at it */
    uint64_t awaited;            /* cycles that warps stood elsewhere until its result came */
};

/* Counts over time: instructions issued by SM, requests to memory by bank (of all channels), load misses by set of the
 * L1D (of all SMs). Needs stats.interval too. */
enum heat_map { HEAT_SM, HEAT_BANK, HEAT_SET, HEAT_MAPS };
enum { HEAT_ROWS = 128 };
struct heat_report {
    uint64_t *count; /* owned; [samples * width] counts so far at the end of each sample; NULL: none */
    unsigned samples, width;
    uint32_t of[HEAT_MAPS], rows[HEAT_MAPS], first[HEAT_MAPS]; /* what there is; rows of a map; the first of them */
};

struct profile_report {
    struct heat_report heat;
    struct load_record *load; /* owned; only loads that were executed */
    unsigned loads;
    struct inst_record *inst; /* owned; instructions that were executed, by kernel and pc */
    unsigned insts;
    uint64_t footprint_lines;                   /* lines any SM loaded, each once */
    uint64_t rank[PROFILE_RANKS];               /* instructions issued by age rank */
    uint64_t reuse[REUSE_TYPES][REUSE_BUCKETS]; /* by distance, floor of its log2: inter, intra, mixed */
};

#endif
