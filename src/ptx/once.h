/* once.h - atomics that a warp does once instead of lane by lane.
 *
 * Where an assembler sees that all lanes of a warp name the same word, it adds up (or combines) their values in the
 * warp and lets one lane send the result. ptxas 13.0 for sm_90 does so with add, min, max, and, or, xor of 32-bit
 * integers whose result nobody reads, with additions of a constant, whose result each lane makes from that of the one
 * lane, and with 64-bit additions of a constant; not with floats. In shared memory an addition of a constant is one
 * instruction. */
#ifndef WL_PTX_ONCE_H
#define WL_PTX_ONCE_H

#include "ptx/module.h"
#include "ptx/values.h"

/* Whether the special register is the same in all lanes of a warp. */
bool sreg_is_same(uint8_t s);

/* Sets `once` of the function's atomics. */
void once_mark(const struct value *v, struct func_info *fi);

/* Machine instructions around such an atomic: before it, and behind it, where lanes make results of their own. */
unsigned once_before(const struct value *v, const struct ptx_inst *in);
unsigned once_behind(const struct value *v, const struct ptx_inst *in);

/* The latency class of machine instruction i before it, or behind it. */
enum lat_class once_class(unsigned i, bool behind);

#endif
