/* repeat.h - a copy of a function in which short loops have the form that an assembler gives them, to count registers.
 *
 * ptxas 13.0 repeats the body of every counted loop of one block four times, unless .pragma "nounroll" stands in it
 * (the compiler's own remainder loops have it) or it is long; the loads of four rounds are under way together and need
 * registers together. The machine still executes the loop as it stands, or as unroll.c has repeated it: the copy is
 * for registers.c only, and what follows the fourth round's test is left out. Steps by a literal are done once. */
#ifndef WL_PTX_REPEAT_H
#define WL_PTX_REPEAT_H

#include "ptx/module.h"

struct repeated {
    struct func_info fi; /* the copy */
    struct ptx_inst *inst;
    struct ptx_reg *reg;
    struct ptx_block *block;
    int32_t *name; /* by register: what it is called at this place */
    bool failed;
};

/* false: no memory. To be freed in any case. */
bool repeat_loops(struct build *b, const struct func_info *fi, struct repeated *out);
void repeat_free(struct repeated *r);

#endif
