/* live.h - which values are live where, for the two counts of registers: of programs that run as their text stands
 * (live.c) and of assembled ones (registers.c). */
#ifndef WL_PTX_LIVE_H
#define WL_PTX_LIVE_H

#include "ptx/values.h"

enum { MAX_THREAD_REGS = 255 };

struct live_node {
    uint32_t value, next;
};

struct live {
    struct func_info *fi;
    struct live_node *node;                   /* pool of all lists */
    uint32_t nnode, node_cap, base;           /* base: nodes that describe the program, not the answer */
    uint32_t *exposed, *kills;                /* by register: blocks that read it first, that write it */
    uint32_t *used_in, *killed_in;            /* by register: last block seen to do so, plus one */
    uint32_t *begins;                         /* by register: the guarded instruction with its first value, plus one */
    uint32_t *out;                            /* by block: registers live at its end */
    uint32_t *in_mark, *out_mark, *kill_mark; /* by block: register last marked, plus one */
    uint32_t *stack, *pred_first, *pred;
    uint8_t *live, *weight, *roomy; /* by register; roomy: its weight where registers are plenty */
    struct value *value;
    uint32_t *order;                /* of the instructions of a block */
    uint32_t *awaits, *awaits_next; /* by place in it: lists of loads */
    uint32_t *loader;               /* by register: place of the load that wrote it, plus one; 0 when not in use */
    uint32_t *words;                /* memory of the arrays of words */
    bool failed, too_large;
    bool plenty;    /* registers are spent, not saved */
    bool assembled; /* branches have become guards (guard_short.c) */
};

/* Finds out[], weight[] and value[]. false: no memory (failed), or too many live ranges (too_large). To be closed in
 * any case. */
bool live_open(struct live *l, struct func_info *fi, bool assembled);
void live_close(struct live *l);
/* Whether nothing is left of what register r held when `in` has written it: a guard leaves it to some lanes. */
bool live_ends(const struct live *l, const struct ptx_inst *in, int32_t r);
/* Registers that the machine code of one PTX instruction needs for itself. */
uint32_t inner_registers(const struct ptx_inst *in);

#endif
