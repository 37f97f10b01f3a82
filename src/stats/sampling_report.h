/* sampling_report.h - what a sampled run says about itself. */
#ifndef WL_STATS_SAMPLING_REPORT_H
#define WL_STATS_SAMPLING_REPORT_H

#include <stdbool.h>

#include "stats/sample.h"

enum {
    SAMPLED_COUNTERS = sizeof(struct sample) / sizeof(uint64_t), /* counters by their place in struct sample */
    SAMPLED_CYCLES = 0,
    SAMPLING_REASONS = 8
};

/* An estimate and its interval of 95 %. Equal: it is exact. */
struct sampled {
    double value, low, high;
};

struct sampling_report {
    uint32_t on;                      /* 0: the run was not sampled, and nothing else here means anything */
    double asked;                     /* half the interval of cycles that was asked for, as a share: 0.01 */
    double timed_share;               /* of all warp instructions */
    uint64_t skimmed;                 /* warp instructions that were counted and not executed */
    uint64_t launches, timed, partly; /* all; timed with every CTA; timed in part; the others were projected */
    uint64_t ctas, timed_ctas;        /* of all launches */
    double half[SAMPLED_COUNTERS];    /* half of each counter's interval */
    uint32_t reasons;                 /* why something was timed in full that could have been sampled: */
    char reason[SAMPLING_REASONS][256];
};

#endif
