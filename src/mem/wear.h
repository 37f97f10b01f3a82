/* wear.h - how often each line of non-volatile memory was written.
 *
 * An open hash table of fixed size, made with the machine: a word holds a line and its count. When it
 * holds as many lines as it was made for, writes to further lines are only counted in sum, so that
 * memory stays bounded and nothing is allocated while the machine runs. */
#ifndef WL_MEM_WEAR_H
#define WL_MEM_WEAR_H

#include <stdint.h>

enum { WEAR_COUNT_BITS = 28 };

struct wear {
    uint64_t *slot; /* [2 * limit or more, a power of two] line + 1, count; 0: free */
    uint32_t shift; /* 64 - log2 of the slots */
    uint32_t used, limit;
};

int wear_init(struct wear *w, uint32_t lines);
void wear_destroy(struct wear *w);
/* Counts one write; returns how many the line has had, 0 when it is not tracked. */
uint64_t wear_count(struct wear *w, uint64_t line);

#endif
