/* half.h - forms of the 16-bit floats without a vector loop (half.c). */
#ifndef WL_PTX_HALF_H
#define WL_PTX_HALF_H

#include "ptx/exec_priv.h"

/* Whether an arithmetic instruction is lower_half's rather than a vector loop's. */
bool half_is_rare(const struct ptx_inst *in);
lower_fn lower_half;
/* Pairs of 16-bit integers, and .relu of integers. */
bool pair_is_meant(const struct ptx_inst *in);
lower_fn lower_pair;
/* Makes *u a comparison of `type`, by setp or set; operands are the caller's. */
void half_compare(struct uop *u, const struct ptx_inst *in, uint8_t type, bool set);
/* OP_ADD, OP_MIN or OP_MAX of two numbers, of both halves where the type is a pair. */
uint32_t half_apply(unsigned op, unsigned type, uint32_t a, uint32_t b);

#endif
