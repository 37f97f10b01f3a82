/* code.c - the forms of generic instructions. */
#include "stream/code.h"

static int is_generic(const struct code_inst *i) { return inst_is_mem(i) && i->space == SPACE_GENERIC; }

uint32_t code_count_forms(const struct code_inst *inst, uint32_t n)
{
    uint32_t forms = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_generic(&inst[i])) forms += GENERIC_FORMS;
    return forms;
}

void code_add_forms(struct code_inst *inst, uint32_t n)
{
    uint32_t next = n;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_generic(&inst[i])) continue;
        inst[i].form = next;
        for (unsigned k = 0; k < GENERIC_FORMS; k++, next++) {
            inst[next] = inst[i];
            inst[next].space = (uint8_t)(SPACE_GLOBAL + k);
            inst[next].form = i + 1;
        }
    }
}
