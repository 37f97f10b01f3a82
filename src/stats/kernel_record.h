/* kernel_record.h - one launch as the user sees it. */
#ifndef WL_STATS_KERNEL_RECORD_H
#define WL_STATS_KERNEL_RECORD_H

#include <stdint.h>

struct kernel_record {
    char name[128];
    uint32_t grid[3], block[3];
    uint32_t registers, registers_from; /* of a thread; enum registers_from (stream) */
    uint64_t cycles, warp_instructions, thread_instructions;
    uint64_t begin, end; /* core cycles of the run before it began, and when it had ended */
    uint64_t stream;     /* the program's; 0: the default stream */
    /* Launches that overlapped have the same number, from 1 on, and stand behind each other: what was counted while
     * they ran is with the first of them. 0: it ran alone. */
    uint64_t overlap;
};

#endif
