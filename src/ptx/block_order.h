/* block_order.h - the order in which an assembler would put the instructions of a basic block.
 *
 * A compiler's PTX has a load next to its use; machine code has not. The order is that of a list scheduler: of the
 * instructions whose operands are there, the one with the longest way to the end of the block goes first, and nobody
 * waits while another could go. Results are what they were: what one instruction hands to another by a register, the
 * carry or memory stays in order. */
#ifndef WL_PTX_BLOCK_ORDER_H
#define WL_PTX_BLOCK_ORDER_H

#include "ptx/values.h"

/* Memory of the scheduler, for any number of blocks. Zeroed is empty. */
struct sched {
    struct sched_node *node;
    struct sched_edge *edge;
    uint32_t node_cap, nedge, edge_cap;
    uint32_t *writer, *readers,
        *left; /* by register: last to write it, list of those that read it since, reads to come */
    uint32_t nregs;
    bool failed;
};

/* Writes to order[] the indices of the instructions of block b (from its first on) in their new order. `value` says
 * which registers have a place, and no instruction that starts another value goes first while `room` registers hold
 * values of the block; UINT32_MAX: no limit. -1 without memory. */
int sched_block(struct sched *s, const struct func_info *fi, uint32_t b, const struct value *value, uint32_t room,
                uint32_t *order);
void sched_free(struct sched *s);

#endif
