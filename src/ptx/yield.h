/* yield.h - loops whose lanes do not wait for one another.
 *
 * Where an assembled program repeats a compare-and-swap until it succeeds, the assembler puts a YIELD into the loop
 * (ptxas 13.0 for sm_90: BSSY, YIELD, ATOMS.CAS, a branch back, BSYNC). On an H200 the lanes that succeed then do not
 * wait for those that repeat it, but go on with whoever waits behind the loop already, and the others stay apart until
 * all loops around are over: n lanes that share a word go on one by one (tests/gpu/contention.cu,
 * docs/results/h200-contention.txt, "yield"). On the stack of warp.c those that repeat become a level of their own on
 * top, which meets the others behind the outermost loop only. */
#ifndef WL_PTX_YIELD_H
#define WL_PTX_YIELD_H

#include "ptx/exec_priv.h"
#include "ptx/module.h"

/* Finds the blocks that end with the branch of such a loop (ptx_block.yields, .outside). Loops in which a warp must be
 * together, for a barrier or an exchange between lanes, have none. */
void yield_find(const struct build *b, struct func_info *fi);

/* The block's branch sends some lanes of the top level out of the loop, the others around. -1: out of memory. */
int yield_branch(struct exec_warp *w, const struct xblock *b, const struct simt *leave, const struct simt *stay);
/* Whether a lane that the branch sends there goes around. */
bool yield_stays(const struct exec_warp *w, const struct xblock *b, uint32_t block);

#endif
