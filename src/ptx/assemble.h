/* assemble.h - which machine instructions an assembler makes of an instruction of PTX: none, one or several.
 *
 * A machine whose programs are assembled (sm.code = scheduled) issues machine code. Copies, widened and scaled indices
 * and offsets of addresses are operands of what uses them and cost nothing; a division is a sequence of a dozen
 * instructions; 64-bit integers take two of everything. The code table (codegen.c) has an entry for each machine
 * instruction, so that the timing half needs to know nothing of this. */
#ifndef WL_PTX_ASSEMBLE_H
#define WL_PTX_ASSEMBLE_H

#include "ptx/module.h"
#include "ptx/values.h"

enum { RECIPE_PARTS = 6 };

/* A sequence: `count` instructions of a class, one waiting for the other, or at the side: nobody waits for these. */
struct machine_step {
    uint8_t lat, count, side;
};

struct machine_code {
    struct machine_step part[RECIPE_PARTS];
};

/* NULL: one instruction, of its own class. */
const struct machine_code *assemble_recipe(const struct value *v, const struct func_info *fi,
                                           const struct ptx_inst *in);
unsigned recipe_length(const struct machine_code *r);

/* Marks the instructions of which nothing is left: whoever reads their results reads their sources. First of all. */
void assemble_mark(const struct value *v, struct func_info *fi);

/* Registers that it waits for: those it reads, dropped ones replaced by what they were made of. At most `room`. */
unsigned assemble_reads(const struct value *v, const struct func_info *fi, const struct ptx_inst *in, int32_t *out,
                        unsigned room);

#endif
