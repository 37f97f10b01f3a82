#include "mem/wear.h"

#include <stdlib.h>

#include "base/bits.h"

#define COUNT_MASK ((UINT64_C(1) << WEAR_COUNT_BITS) - 1)
#define LINE_LIMIT (UINT64_C(1) << (64 - WEAR_COUNT_BITS)) /* lines of 8 TB */

int wear_init(struct wear *w, uint32_t lines)
{
    uint32_t bits = log2_floor(lines) + 2; /* at least twice as many slots as lines */
    *w = (struct wear){.shift = 64 - bits, .limit = lines};
    w->slot = calloc(UINT64_C(1) << bits, sizeof *w->slot);
    return w->slot ? 0 : -1;
}

void wear_destroy(struct wear *w) { free(w->slot); }

uint64_t wear_count(struct wear *w, uint64_t line)
{
    if (!w->slot || line + 1 >= LINE_LIMIT) return 0;
    uint64_t key = (line + 1) << WEAR_COUNT_BITS, mask = (UINT64_C(1) << (64 - w->shift)) - 1;
    uint64_t i = line * UINT64_C(0x9e3779b97f4a7c15) >> w->shift;
    while (w->slot[i] && (w->slot[i] ^ key) > COUNT_MASK) i = (i + 1) & mask;
    if (!w->slot[i]) {
        if (w->used == w->limit) return 0;
        w->used++;
        w->slot[i] = key;
    }
    if ((w->slot[i] & COUNT_MASK) != COUNT_MASK) w->slot[i]++;
    return w->slot[i] & COUNT_MASK;
}
