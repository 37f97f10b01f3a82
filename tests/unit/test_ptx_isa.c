/* test_ptx_isa.c - the table of instructions in docs/ptx.md says the truth: what is executed loads, what is refused is
 * refused, and no opcode is missing. */
#include <stdio.h>

#include "ptx/opcodes.h"
#include "ptx_run.h"

enum state { FULL, PARTIAL, REFUSED };

static const struct {
    const char *name, *example;
    enum state state;
} isa[] = {
#define ISA_GROUP(title)
#define ISA(name, state, example, note) {name, example, state},
#include "ptx/isa.def"
#undef ISA
#undef ISA_GROUP
};

static bool loads(const char *example)
{
    char text[4096];
    struct wl_err e = {0};
    snprintf(
        text, sizeof text,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .global .texref t; .visible .global .surfref s;\n"
        ".func f() { ret; }\n.visible .entry k() {\n.reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<16>; .reg .f32 "
        "%%f<16>; .reg .b64 %%rd<4>; .reg .f64 %%d<8>; .shared .align 8 .b64 bar;\n%s\nL: ret; }\n",
        example);
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), 0, &e);
    struct dev_mem *mem = dev_mem_new(1 << 20);
    struct ptx_image *img = m ? ptx_load(m, mem, &e) : NULL;
    bool ok = img != NULL;
    if (!ok && !e.text[0]) fail_msg("%s: refused without a word", example);
    ptx_unload(img);
    if (m) ptx_free(m);
    dev_mem_free(mem);
    return ok;
}

TEST(the_table_says_the_truth)
{
    for (size_t i = 0; i < COUNT(isa); i++)
        if (loads(isa[i].example) != (isa[i].state != REFUSED))
            fail_msg("%s: '%s' is %s", isa[i].name, isa[i].example,
                     isa[i].state == REFUSED ? "not refused" : "refused");
}

TEST(every_opcode_has_a_row)
{
    for (int op = 0; op < OP_COUNT; op++) {
        const char *name = ptx_op_name((enum ptx_op)op);
        size_t n = strlen(name);
        bool found = false;
        for (size_t i = 0; i < COUNT(isa) && !found; i++)
            found = isa[i].state != REFUSED && strncmp(isa[i].name, name, n) == 0 &&
                    (!isa[i].name[n] || isa[i].name[n] == '.');
        if (!found) fail_msg("no row of isa.def is about %s", name);
    }
}
