/* insts.h - what every instruction of a program costs: how often it was issued, and where warps stood and for what.
 *
 * A warp stands at an instruction from the cycle after its last issue until it issues it. The first part of that time,
 * until the last of its registers can be read, it waits for the instruction that writes the register; the rest it waits
 * to be chosen, or for a pipe, or behind a barrier. Cycles behind a barrier belong to the barrier, cycles before a
 * register to the instruction that needs it, and once more, under `awaited`, to the one that brings it: that is the
 * line of the source to look at. */
#ifndef WL_OBSERVE_INSTS_H
#define WL_OBSERVE_INSTS_H

#include "observe/heat.h"
#include "sm/sm.h"
#include "stats/profile_report.h"

/* One instruction in the running kernel, all SMs together. */
struct inst_tally {
    uint64_t issued, lanes, awaited, stall[INST_STALLS];
};

struct inst_table {
    const struct code *code;  /* of the running kernel */
    struct inst_tally *tally; /* [code_listed(code)] */
    uint32_t tally_cap;
    struct inst_record *row; /* of the kernels that have ended */
    uint32_t rows, cap;
    uint32_t *slot, mask; /* open addressing by kernel and pc: row + 1; 0: free */
};

/* In one SM. */
struct inst_watch {
    struct inst_table *to;
    struct heat *heat; /* NULL: none */
    uint32_t sm;
    uint32_t *writer; /* [warps * regs] the instruction that wrote a register last */
    uint32_t regs, writer_cap;
    struct {
        uint64_t age, issued_at; /* of the warp; the cycle of its last instruction */
        uint32_t inst;           /* which that was */
    } last[SM_MAX_WARPS];
};

/* -1: out of memory. */
int insts_begin(struct inst_table *t, struct inst_watch *watch, uint32_t sms, const struct code *code);
int insts_end(struct inst_table *t, const char *kernel);
void insts_attach(struct inst_watch *w, struct inst_table *to, struct sm *s, uint32_t index);
void insts_destroy(struct inst_table *t, struct inst_watch *watch, uint32_t sms);
/* Copies the rows, by kernel and pc; *out is the caller's. -1: out of memory. */
int insts_read(const struct inst_table *t, struct inst_record **out, unsigned *count);

#endif
