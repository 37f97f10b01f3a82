/* known_registers.h - registers of kernels that an assembler was asked about: src/ptx/ptxas_registers.csv.
 *
 * The file has what `ptxas -v` says of the kernels of the workloads and of the tests, for each target
 * (scripts/ptxas_registers.py makes it). A kernel is known by the hash of its text, from its name to the brace that
 * ends it, so that one that was changed in any way is unknown. What a called function needs is not in that text:
 * kernels that call are unknown, too. */
#ifndef WL_PTX_KNOWN_REGISTERS_H
#define WL_PTX_KNOWN_REGISTERS_H

#include "ptx/module.h"

/* Registers per thread as the assembler for devices of this compute capability gave them; 0: unknown. */
uint32_t known_registers(const struct func_info *fi, uint32_t capability);

#endif
