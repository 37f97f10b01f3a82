/* test_ptx_pointers.c - calls through pointers and the heap of kernels: what a GPU's programs with virtual functions,
 * new and delete need of the executor. */
#include "ptx_run.h"

static struct ptx_test T;
static uint64_t where;

#define FUNCS                                                                                                          \
    ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .u32 %a;\nld.param.b32 %a, [x];\nadd.u32 %a, %a, %a;\n"       \
    "st.param.b32 [r], %a;\nret;\n}\n"                                                                                 \
    ".func (.param .b32 r) square(.param .b32 x)\n{\n.reg .u32 %a;\nld.param.b32 %a, [x];\nmul.lo.u32 %a, %a, %a;\n"   \
    "st.param.b32 [r], %a;\nret;\n}\n"                                                                                 \
    ".func wide(.param .b64 x)\n{\nret;\n}\n"
/* out[i] = what POINTER makes of i. */
#define BEGIN                                                                                                          \
    ".entry k(.param .u64 out)\n{\n.reg .u32 %a, %t;\n.reg .u64 %d, %o, %f;\n.reg .pred %p;\nld.param.u64 %o, "        \
    "[out];\n"                                                                                                         \
    "mov.u32 %t, %tid.x;\nmul.wide.u32 %d, %t, 4;\nadd.u64 %o, %o, %d;\n"
#define CALL                                                                                                           \
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %t;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n" \
    "call (y), %f, (x), P;\nld.param.b32 %a, [y];\n}\n"
#define END "st.global.u32 [%o], %a;\nret;\n}\n"

static const uint32_t *run(const char *text)
{
    ptx_test_load(&T, text);
    where = dev_alloc(T.mem, 4 * 64);
    ptx_test_must_run(&T, "k", 1, 64, &where);
    return dev_ptr(T.mem, where, 4 * 64);
}

static void fault(const char *text, const char *words)
{
    ptx_test_load(&T, text);
    where = dev_alloc(T.mem, 4 * 64);
    assert_int_equal(ptx_test_run(&T, "k", 1, 64, &where), -1);
    if (!strstr(T.err.text, words)) print_error("%s\n", T.err.text);
    assert_non_null(strstr(T.err.text, words));
    ptx_test_free(&T);
}

TEST(a_pointer_in_a_register)
{
    const uint32_t *w = run(PTX_HEAD FUNCS BEGIN "mov.u64 %f, square;\n" CALL END);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i * i);
    ptx_test_free(&T);
}

/* Lanes of one warp that call different functions each call their own, and go on together. */
TEST(a_table_that_lanes_index)
{
    const uint32_t *w =
        run(PTX_HEAD FUNCS ".global .u64 table[2] = {twice, square};\n" BEGIN
                           "and.b32 %a, %t, 1;\nmul.wide.u32 %d, %a, 8;\nmov.u64 %f, table;\nadd.u64 %f, %f, %d;\n"
                           "ld.global.u64 %f, [%f];\n" CALL END);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i & 1 ? i * i : 2 * i);
    /* of a warp: 4 of the head, 5 that find the pointer, st.param; for each function the call and 4 in it; ld.param and
     * 2 of the end */
    uint64_t expected = 2 * (4 + 5 + 1 + 2 * (1 + 4) + 1 + 2);
    assert_int_equal(T.counts.warp_instructions, expected);
    ptx_test_free(&T);
}

TEST(a_guarded_call_leaves_the_other_lanes)
{
    const uint32_t *w =
        run(PTX_HEAD FUNCS BEGIN
            "mov.u64 %f, twice;\nmov.u32 %a, 7;\nsetp.lt.u32 %p, %t, 40;\n@%p bra GO;\nbra DONE;\nGO:\n" CALL
            "DONE:\n" END);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i < 40 ? 2 * i : 7);
    ptx_test_free(&T);
}

TEST(pointers_that_point_at_nothing)
{
    fault(PTX_HEAD FUNCS BEGIN "mov.u64 %f, 0;\n" CALL END, "0x0 is called, which is no function of this module");
    fault(PTX_HEAD FUNCS BEGIN "mov.u64 %f, %o;\n" CALL END, "no function of this module");
    fault(PTX_HEAD FUNCS BEGIN "mov.u64 %f, wide;\n" CALL END, "wide is called with other parameters than it has");
    fault(PTX_HEAD FUNCS BEGIN "mov.u64 %f, k;\n" CALL END, "k is called with other parameters");
}

/* ---- the heap ---- */

#define HEAP                                                                                                           \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"                       \
    ".entry k(.param .u64 out)\n{\n.reg .u32 %a, %t;\n.reg .u64 %d, %o, %f;\n.reg .pred %p;\nld.param.u64 %o, "        \
    "[out];\n"                                                                                                         \
    "mov.u32 %t, %tid.x;\nmul.wide.u32 %d, %t, 4;\nadd.u64 %o, %o, %d;\n"
#define MALLOC(bytes)                                                                                                  \
    "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], " bytes                                                      \
    ";\ncall (r), malloc, (n);\nld.param.b64 %f, [r];\n}\n"
#define FREE(p) "{\n.param .b64 q;\nst.param.b64 [q], " p ";\ncall free, (q);\n}\n"

TEST(every_thread_gets_memory_of_its_own)
{
    const uint32_t *w = run(PTX_HEAD HEAP MALLOC("24") "st.u32 [%f], %t;\nst.u32 [%f+20], %t;\nbar.sync 0;\n"
                                                       "ld.u32 %a, [%f+20];\n" FREE("%f") END);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i);
    assert_int_equal(dev_heap_alloc(T.mem, DEV_HEAP + 1), 0);
    assert_int_not_equal(dev_heap_alloc(T.mem, DEV_HEAP), 0); /* all of it was given back */
    ptx_test_free(&T);
}

TEST(a_full_heap_gives_null)
{
    ptx_test_load(&T, PTX_HEAD HEAP MALLOC("32") "mov.u32 %a, 1;\nsetp.eq.u64 %p, %f, 0;\n@%p mov.u32 %a, 0;\n" END);
    where = dev_alloc(T.mem, 4 * 64);
    assert_int_equal(dev_set_heap(T.mem, 10 * 32 + 8), 0);
    ptx_test_must_run(&T, "k", 1, 64, &where);
    assert_int_equal(dev_set_heap(T.mem, 1 << 20), -1); /* too late */
    const uint32_t *w = dev_ptr(T.mem, where, 4 * 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i < 10);
    ptx_test_free(&T);
}

TEST(the_heap_has_bounds_too)
{
    fault(PTX_HEAD HEAP MALLOC("24") "ld.u32 %a, [%f+24];\n" END, "out-of-bounds");
    fault(PTX_HEAD HEAP MALLOC("24") "ld.u32 %a, [%f];\n" FREE("%f") "ld.u32 %a, [%f];\n" END, "out-of-bounds");
    fault(PTX_HEAD HEAP MALLOC("24") FREE("%f") "mov.u32 %a, 0;\n" FREE("%f") END, "malloc in a kernel did not return");
    fault(PTX_HEAD HEAP "mov.u32 %a, 0;\n" FREE("%o") END, "malloc in a kernel did not return");
}

/* Only functions of the device's runtime are replaced by ours. */
TEST(a_kernel_may_have_the_name_of_a_built_in_function)
{
    ptx_test_load(&T, PTX_HEAD ".entry malloc(.param .u64 o) {\n.reg .b64 %out; .reg .b32 %v;\n"
                               "ld.param.u64 %out,[o]; mov.u32 %v,7; st.global.u32 [%out],%v; ret; }\n");
    uint64_t out = dev_alloc(T.mem, 4), params[] = {out};
    ptx_test_must_run(&T, "malloc", 1, 1, params);
    assert_int_equal(*(uint32_t *)dev_ptr(T.mem, out, 4), 7);
    ptx_test_free(&T);
}
