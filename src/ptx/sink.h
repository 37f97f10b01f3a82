/* sink.h - the order in which an assembler has the instructions of a block, as far as it decides on registers.
 *
 * The list scheduler (block_order.h) lets everything go as soon as it can. An assembler does so with loads; what only
 * makes a value, a constant or the next address, it makes late: so late that one wait for a load is left before its
 * first reader, in whose shadow it costs nothing (atax_cols: the pointer of the next row stands between two loads and
 * their multiplication). It does so only if no more registers are live for it: the sources must live on anyway, or
 * weigh no more than the result. */
#ifndef WL_PTX_SINK_H
#define WL_PTX_SINK_H

#include "ptx/live.h"

struct sinker {
    const struct live *l;
    uint32_t *order; /* of all instructions: those of a block from its first on, numbered from there */
    uint32_t *place; /* by instruction of the block: where it stands in the order */
    uint32_t *last;  /* by register: the last of the block to read it, plus one; all zero between two calls */
    uint8_t *waits;  /* by instruction of the block: it waits for a load */
    uint8_t *loaded; /* by register: by a load that nobody waited for yet; all zero between two calls */
};

void sink_block(struct sinker *s, uint32_t b);

#endif
