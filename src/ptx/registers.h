/* registers.h - how many registers an assembler gives to a thread. */
#ifndef WL_PTX_REGISTERS_H
#define WL_PTX_REGISTERS_H

#include "ptx/module.h"

/* For an assembled program, after live_count: allocates registers to a kernel and sets least_regs, most_regs and
 * regs_per_thread. Very long kernels keep what live_count found. 0, or fills b->e. */
int registers_count(struct build *b, struct func_info *fi);

#endif
