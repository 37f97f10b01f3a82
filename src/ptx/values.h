/* values.h - which registers of PTX need a register of the machine, and what stands in for the others.
 *
 * An assembler does not give every virtual register a place. Parameters, literals, block sizes and addresses of
 * variables are operands (or live in uniform registers, which are not counted); copies share the register of
 * what they copy; a widened or scaled index is part of the multiply-add that makes the address, and a constant
 * added to an address is the offset of the load. The value of such a register is made anew where it is used, from
 * others: its roots. What has no roots and no place is free.
 *
 * Only registers that are written once, from registers that are written once, are folded: then the root still
 * holds, at every use, what it held at the definition. */
#ifndef WL_PTX_VALUES_H
#define WL_PTX_VALUES_H

#include "ptx/module.h"

enum { VALUE_ROOTS = 2 };

struct value {
    uint32_t writes, reads;    /* how many instructions */
    uint32_t def;              /* the only instruction that writes it, if writes == 1 */
    bool guards;               /* some instruction is guarded by it */
    bool address;              /* every read is as the address of a memory access, or adds to one */
    bool folded;               /* it has no place of its own */
    uint8_t nroots;            /* folded: registers that are live in its stead; */
    int32_t root[VALUE_ROOTS]; /* none of them is folded */
};

/* Fills v[0 .. f.nregs - 1]. */
void values_find(const struct func_info *fi, struct value *v);

/* Registers with a place that an instruction writes or reads, folded ones replaced by their roots. */
enum { MAX_VALUE_REGS = MAX_INST_REGS * VALUE_ROOTS };
unsigned value_writes(const struct value *v, const struct ptx_inst *in, int32_t *out);
unsigned value_reads(const struct value *v, const struct ptx_inst *in, int32_t *out);

#endif
