/* code.c - the forms of generic instructions, registers that a trace names, the place of an instruction in words. */
#include "stream/code.h"

#include <stdio.h>
#include <string.h>

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

size_t code_where(const struct code *c, const struct code_inst *i, char *out, size_t size)
{
    const struct code_origin o = code_origin(c, i);
    int n = 0;
    if (o.file) n = snprintf(out, size, "%s:%u%s", o.file, o.line, o.text ? ": " : "");
    else if (o.line) n = snprintf(out, size, "line %u%s", o.line, o.text ? ": " : "");
    else if (o.ptx_line) n = snprintf(out, size, "PTX line %u%s", o.ptx_line, o.text ? ": " : "");
    else if (size) *out = 0;
    size_t at = n < 0 ? 0 : (size_t)n;
    if (o.text && at < size) at += (size_t)snprintf(out + at, size - at, "%s", o.text);
    return at < size ? at : size ? size - 1 : 0;
}

void code_keep_named(struct code_inst *inst, uint32_t n)
{
    for (struct code_inst *in = inst; in < inst + n; in++) {
        unsigned behind = 1;
        while (behind < in->ndst && in->reg[behind] == in->reg[0] + behind) behind++;
        if (in->kind != INST_LOAD || in->ndst < 2 || behind < in->ndst) continue;
        memmove(&in->reg[1], &in->reg[in->ndst], in->nsrc * sizeof in->reg[0]);
        in->ndst = 1;
    }
}
