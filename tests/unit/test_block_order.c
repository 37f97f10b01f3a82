/* test_block_order.c - the order of an assembler: what moves up, and what must not. */
#include "test.h"

#include "ptx/ir.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS                                                                                                           \
    ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<40>;\n.shared .b8 tile[256];\n"                 \
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];\n"
#define KERNEL(body) HEAD ".entry k(.param .u64 a, .param .u64 b) {\n" REGS body "\nret; }\n"

/* The lines of the text in their new order, those of `body` from 0 on: one instruction a line. */
enum { BODY = 8, MOST = 64 };

static unsigned order_of(const char *text, unsigned *line)
{
    struct wl_err e;
    struct ptx_module *m = ptx_parse_for("t.ptx", text, strlen(text), 0, (struct ptx_target){.scheduled = true}, &e);
    if (!m) fail_msg("%s", e.text);
    const struct ptx_func *k = ptx_find_kernel(m, "k");
    unsigned n = 0;
    for (uint32_t i = 0; i < k->ninst && n < MOST; i++)
        if (k->inst[i].line >= BODY) line[n++] = k->inst[i].line - BODY;
    ptx_free(m);
    return n;
}

static void expect(const char *text, const unsigned *want, unsigned n)
{
    unsigned line[MOST];
    assert_true(order_of(text, line) >= n);
    for (unsigned i = 0; i < n; i++)
        if (line[i] != want[i]) fail_msg("place %u has line %u and not %u", i, line[i], want[i]);
}
#define EXPECT(text, ...) expect(text, (unsigned[]){__VA_ARGS__}, COUNT(((unsigned[]){__VA_ARGS__})))

/* Where two lines stand. */
static bool before(const char *text, unsigned first, unsigned second)
{
    unsigned line[MOST], n = order_of(text, line), a = n, b = n;
    for (unsigned i = 0; i < n; i++) {
        if (line[i] == first) a = i;
        if (line[i] == second) b = i;
    }
    assert_true(a < n && b < n);
    return a < b;
}

TEST(loads_go_before_what_waits)
{
    EXPECT(KERNEL("ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f3, [%d1+4];\n"
                  "add.f32 %f4, %f3, %f2;\nst.global.f32 [%d2], %f4;"),
           0, 2, 1, 3, 4);
}

TEST(the_longest_way_goes_first)
{
    EXPECT(KERNEL("add.s32 %r1, %r2, 1;\nld.global.u32 %r3, [%d1];\nadd.s32 %r4, %r3, %r1;\nst.global.u32 [%d2], %r4;"),
           1, 0, 2, 3);
}

#define STORE_LOAD(store, load)                                                                                        \
    KERNEL("add.f32 %f9, %f8, %f8;\n" store "\n" load "\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%d2], %f2;")

/* Lines 1 and 2 are a store and a load. */
TEST(a_load_passes_a_store_only_where_they_cannot_meet)
{
    assert_true(before(STORE_LOAD("st.global.f32 [%d2], %f9;", "ld.global.f32 %f1, [%d1];"), 1, 2));
    assert_true(before(STORE_LOAD("st.global.f32 [%d1], %f9;", "ld.global.f32 %f1, [%d1+2];"), 1, 2));
    assert_false(before(STORE_LOAD("st.global.f32 [%d1], %f9;", "ld.global.f32 %f1, [%d1+4];"), 1, 2));
    assert_false(before(STORE_LOAD("st.global.f32 [%d1+4], %f9;", "ld.global.f32 %f1, [%d1];"), 1, 2));
    assert_false(before(STORE_LOAD("st.shared.f32 [tile], %f9;", "ld.global.f32 %f1, [%d1];"), 1, 2));
    assert_true(before(STORE_LOAD("st.shared.f32 [tile], %f9;", "ld.f32 %f1, [%d1];"), 1, 2)); /* generic: anywhere */
    assert_false(before(STORE_LOAD("st.global.f32 [%d2], %f9;", "ld.global.nc.f32 %f1, [%d1];"), 1, 2));
    assert_true(before(STORE_LOAD("st.volatile.global.f32 [%d1], %f9;", "ld.volatile.global.f32 %f1, [%d1+4];"), 1, 2));
    assert_true(before(STORE_LOAD("bar.sync 0;", "ld.global.f32 %f1, [%d1];"), 1, 2));
    assert_true(before(STORE_LOAD("membar.gl;", "ld.global.f32 %f1, [%d1];"), 1, 2));
    assert_true(before(STORE_LOAD("red.global.add.u32 [%d2], 1;", "ld.global.f32 %f1, [%d1];"), 1, 2));
}

/* The address register is another one in between: equal distances say nothing. */
TEST(a_changed_address_is_another_address)
{
    assert_true(before(
        KERNEL(
            "st.global.f32 [%d1], %f9;\nadd.s64 %d1, %d1, -4;\nld.global.f32 %f1, [%d1+4];\nst.global.f32 [%d2], %f1;"),
        0, 2));
}

TEST(registers_and_carry_stay_in_order)
{
    /* written again: the reader of the old value comes first, and a guarded write follows what it may leave */
    assert_true(
        before(KERNEL("st.global.u32 [%d2], %r1;\nld.global.u32 %r1, [%d1];\nst.global.u32 [%d2+4], %r1;"), 0, 1));
    assert_true(before(KERNEL("mov.u32 %r1, 3;\n@%p1 ld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;"), 0, 1));
    assert_true(before(KERNEL("add.cc.u32 %r1, %r2, %r3;\nadd.cc.u32 %r4, %r5, %r6;\naddc.u32 %r7, %r8, %r9;\n"
                              "st.global.u32 [%d2], %r7;"),
                       0, 1));
    assert_true(before(KERNEL("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r7, %r8, %r9;\nadd.cc.u32 %r4, %r5, %r6;\n"
                              "ld.global.u32 %r10, [%d1];\nst.global.u32 [%d2], %r7;"),
                       1, 2));
}

/* 40 loads would fit into no register file that keeps all warps: uses come in between. */
TEST(registers_limit_how_far_loads_go)
{
    static char body[8192], text[9000];
    size_t at = 0;
    unsigned most = 0, loads = 0;
    struct wl_err e;
    for (unsigned i = 0; i < 40; i++)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "ld.global.f32 %%f1%02u, [%%d1+%u];\nadd.f32 %%f0, %%f0, %%f1%02u;\n", i, 4 * i, i);
    snprintf(text, sizeof text,
             HEAD ".entry k(.param .u64 a) { .reg .b64 %%d<4>; .reg .f32 %%f<200>;\n"
                  "ld.param.u64 %%d1, [a]; mov.f32 %%f0, 0f00000000;\n%sst.global.f32 [%%d1], %%f0; ret; }",
             body);
    struct ptx_module *m = ptx_parse_for("t.ptx", text, strlen(text), 0, (struct ptx_target){.scheduled = true}, &e);
    assert_non_null(m);
    const struct ptx_func *k = ptx_find_kernel(m, "k");
    for (uint32_t i = 0; i < k->ninst; i++) {
        if (k->inst[i].op == OP_LD && k->inst[i].space == PTX_GLOBAL) loads++;
        if (k->inst[i].op == OP_ADD) loads--;
        if (loads > most) most = loads;
    }
    assert_in_range(most, 12, 32);
    ptx_free(m);
}
