/* converge.h - where lanes of an assembled program that may have parted meet again.
 *
 * An assembler puts an instruction in front of a branch at which lanes may part (BSSY of ptxas), and one where they
 * meet (BSYNC), which each way executes and waits at. It does so for branches whose condition may differ from lane to
 * lane: those that depend on the thread, on memory other than parameters and constants, or on what only some lanes
 * did. */
#ifndef WL_PTX_CONVERGE_H
#define WL_PTX_CONVERGE_H

#include "ptx/module.h"

enum { SYNC_MEET = 1, SYNC_PART = 2, BEGIN_STACK = 4, BEGIN_MEMORY = 8 }; /* the last two: codegen.c */

/* Whether lanes that part at this branch meet again. At a branch to the end they do not: an assembler makes it the
 * end. */
bool converge_parts(const struct func_info *fi, const struct ptx_inst *in);

/* sync[i]: SYNC_MEET, SYNC_PART or both, where such instructions stand in front of instruction i. -1: out of memory. */
int converge_find(const struct func_info *fi, uint8_t *sync);

#endif
