/* hold.h - parameters that an assembler of sm_90 and newer holds in registers.
 *
 * An instruction of the machine reads one constant: a literal, a word of the constant bank or a uniform register. One
 * that has two in PTX (add.s32 with a parameter and a literal, mad with two parameters, a pointer's stride that is a
 * parameter times four) needs a parameter in a register. Up to sm_89 it is copied there right in front of the reader,
 * or the sum made by the uniform datapath. From sm_90 on it is loaded once (LDC), by all other readers read from there
 * too, and held until the last of them, through loops: gaussian_update, kmeans_invert and mm2 as ptxas 13.0 assembles
 * them. So what is made of parameters and literals alone is no constant there either. Held is also the base of a sum of
 * addresses in a loop whose index is multiplied, for IMAD.WIDE has what it adds in registers (components_label). */
#ifndef WL_PTX_HOLD_H
#define WL_PTX_HOLD_H

#include "ptx/repeat.h"

/* In the copy that registers are counted in such parameters are values, which begin where control flow needs them: in
 * the last block outside of loops that all readers are behind. false: no memory. */
bool hold_parameters(struct repeated *r);

#endif
