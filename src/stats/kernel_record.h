/* kernel_record.h - one launch as the user sees it. */
#ifndef WL_STATS_KERNEL_RECORD_H
#define WL_STATS_KERNEL_RECORD_H

#include <stdint.h>

struct kernel_record {
    char name[128];
    uint32_t grid[3], block[3];
    uint64_t cycles, warp_instructions, thread_instructions;
};

#endif
