/* test_ptx_control.c - control flow, warps and CTAs: divergence, loops, calls, barriers, operations across lanes,
 * atomics, spaces, and what a fault says. Every run also checks that its streams hold exactly the instructions that the
 * executor counted (ptx_run.h). */
#include <stdlib.h>

#include "base/bits.h"
#include "ptx_run.h"

/* Kernels of one u32 buffer: `i` is the thread's number in the grid, `x0` its word. */
#define BEGIN(name)                                                                                                    \
    ".visible .entry " name "(.param .u64 out)\n{\n.reg .pred %p, %q;\n.reg .b32 %i, %t, %a, %b, %c, %d;\n"            \
    ".reg .b64 %x0, %x1, %x2, %x3;\n.reg .b32 %s0, %s1, %s2;\n"                                                        \
    "mov.u32 %s0, %ctaid.x;\nmov.u32 %s1, %ntid.x;\nmov.u32 %t, %tid.x;\nmad.lo.s32 %i, %s0, %s1, %t;\n"               \
    "ld.param.u64 %x1, [out];\nmul.wide.u32 %x2, %i, 4;\nadd.s64 %x0, %x1, %x2;\n"
#define END "st.global.u32 [%x0], %a;\nret;\n}\n"

enum { WORDS = PTX_TEST_WORDS };

static struct ptx_test T;

static void expect_fault(const char *text, uint32_t grid, uint32_t block, const char *const *parts)
{
    ptx_test_load(&T, text);
    uint64_t out = dev_alloc(T.mem, 4 * WORDS);
    assert_true(ptx_test_run(&T, "k", grid, block, &out) < 0);
    assert_int_equal(T.err.code, WL_ERUN);
    for (; *parts; parts++) {
        if (!strstr(T.err.text, *parts)) print_error("expected '%s' in: %s\n", *parts, T.err.text);
        assert_non_null(strstr(T.err.text, *parts));
    }
    ptx_test_free(&T);
}
#define FAULT(text, grid, block, ...) expect_fault(text, grid, block, (const char *const[]){__VA_ARGS__, NULL})

/* ---- branches ---- */

TEST(both_ways_meet_again)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD BEGIN("k") "setp.lt.u32 %p, %t, 10;\n@%p bra LESS;\nmov.u32 %a, 100;\nbra.uni JOIN;\n"
                                           "LESS:\nsetp.lt.u32 %q, %t, 3;\n@%q bra FEW;\nmov.u32 %a, 200;\nbra.uni "
                                           "JOIN;\nFEW:\nmov.u32 %a, 300;\n"
                                           "JOIN:\nactivemask.b32 %b;\nxor.b32 %a, %a, %b;\n" END,
                       1, 32);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], ~(i < 3 ? 300u : i < 10 ? 200u : 100u));
    ptx_test_free(&T);
}

TEST(lanes_leave_a_loop_one_by_one)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\nmov.u32 %b, 0;\nLOOP:\nadd.u32 %a, %a, %b;\nadd.u32 %b, %b, "
                            "1;\nsetp.le.u32 %p, %b, %i;\n@%p bra LOOP;\n" END,
        2, 96);
    for (unsigned i = 0; i < 192; i++) assert_int_equal(w[i], i * (i + 1) / 2);
    ptx_test_free(&T);
}

TEST(nested_loops_with_break_and_continue)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\nmov.u32 %b, 0;\n"
                            "OUTER:\nmov.u32 %c, 0;\n"
                            "INNER:\nadd.u32 %c, %c, 1;\nrem.u32 %d, %c, 3;\nsetp.eq.u32 %p, %d, 0;\n@%p bra NEXT;\n"
                            "add.u32 %a, %a, %c;\nsetp.gt.u32 %q, %a, 500;\n@%q bra DONE;\n"
                            "NEXT:\nsetp.lt.u32 %p, %c, %t;\n@%p bra INNER;\n"
                            "add.u32 %b, %b, 1;\nsetp.lt.u32 %p, %b, 4;\n@%p bra OUTER;\nDONE:\n" END,
        1, 64);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = 0;
        for (uint32_t b = 0; b < 4 && a <= 500; b++) {
            uint32_t c = 0;
            do {
                c++;
                if (c % 3 == 0) continue;
                a += c;
                if (a > 500) break;
            } while (c < i);
        }
        assert_int_equal(w[i], a);
    }
    ptx_test_free(&T);
}

TEST(some_lanes_exit_early)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD BEGIN("k") "mov.u32 %a, 7;\nand.b32 %b, %t, 1;\nsetp.eq.u32 %p, %b, 1;\n@%p exit;\n"
                                           "setp.gt.u32 %q, %t, 40;\n@%q ret;\nactivemask.b32 %a;\n" END,
                       1, 50);
    for (unsigned i = 0; i < 50; i++) {
        uint32_t expect = i & 1 || i > 40 ? 0 : i < 32 ? 0x55555555 : 0x155;
        assert_int_equal(w[i], expect);
    }
    ptx_test_free(&T);
}

/* ---- lanes that leave early do not keep the others apart ---- */

/* `mid` is an arm of lanes 0 to 15 of each warp; %q is true for lane 3 of warp 0 there. Each form of `tail` works only
 * if the lanes that are left are together at JOIN. */
#define EARLY(mid, tail)                                                                                               \
    PTX_HEAD BEGIN("k") ".shared .align 4 .b8 s[256];\nand.b32 %c, %t, 31;\nmov.u32 %d, 0;\nsetp.ge.u32 %p, %c, 16;\n" \
                        "@%p bra JOIN;\nsetp.eq.u32 %q, %t, 3;\n" mid "\nJOIN:\n" tail                                 \
                        "\nst.global.u32 [%x0], %a;\nDONE:\nret;\n}\n"
#define BALLOT "setp.eq.u32 %p, %t, %t;\nvote.sync.ballot.b32 %a, %p, 0xffffffff;"
#define BARRIER                                                                                                        \
    "mov.u32 %b, s;\nmad.lo.u32 %b, %t, 4, %b;\nadd.u32 %a, %t, 1;\nst.shared.u32 [%b], %a;\nbar.sync 0;\n"            \
    "xor.b32 %b, %b, 128;\nld.shared.u32 %a, [%b];"

/* Two warps; lane 3 of the first one leaves. */
static void expect_meeting(const char *ballot, const char *barrier)
{
    const uint32_t *w = ptx_test_words(&T, ballot, 1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i == 3 ? 0 : i < 32 ? ~8u : ~0u);
    ptx_test_free(&T);
    w = ptx_test_words(&T, barrier, 1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i == 3 ? 0 : i == 35 ? 0 : (i ^ 32) + 1);
    ptx_test_free(&T);
}
#define MEET(mid) expect_meeting(EARLY(mid, BALLOT), EARLY(mid, BARRIER))

TEST(an_early_way_out_of_an_arm)
{
    MEET("@!%q bra JOIN;\nexit;");
    MEET("@!%q bra JOIN;\nret;");
    MEET("@%q ret;");
    MEET("@%q bra DONE;");
    MEET("@!%q bra JOIN;\n@!%q ret;\nexit;");
    MEET("@!%q bra JOIN;\n@%q ret;\nexit;");
    MEET("@!%q bra JOIN;\nadd.u32 %a, %a, 1;\nbra DONE;");
}

/* What is in the arm does not matter: ifs, loops, further ways out. */
TEST(an_early_way_out_with_work_on_it)
{
    MEET("@!%q bra JOIN;\nsetp.eq.u32 %q, %c, 1;\n@%q bra A;\nadd.u32 %a, %a, 1;\nret;\nA:\nret;");
    MEET("@!%q bra JOIN;\nmov.u32 %b, 0;\nL:\nadd.u32 %b, %b, 1;\nsetp.lt.u32 %q, %b, 3;\n@%q bra L;\nbra DONE;");
    MEET("@!%q bra JOIN;\nL:\nadd.u32 %d, %d, 1;\nsetp.eq.u32 %q, %d, 9;\n@%q bra DONE;\nsetp.lt.u32 %q, %d, 3;\n@%q "
         "bra L;"
         "\nret;");
}

/* A loop whose rounds number %c + 1, in an arm of its own, with a way out of its middle. */
TEST(an_early_way_out_of_a_loop)
{
    MEET("L:\n@%q bra DONE;\nadd.u32 %d, %d, 1;\nsetp.le.u32 %p, %d, %c;\n@%p bra L;");
    MEET("L:\n@!%q bra NEXT;\nret;\nNEXT:\nadd.u32 %d, %d, 1;\nsetp.le.u32 %p, %d, %c;\n@%p bra L;");
}

/* The loop is all there is: it ends by a jump to the last ret, and a return from its middle jumps there too. */
TEST(a_loop_at_the_end_of_a_kernel)
{
    static const char *const way_out[] = {"@%q bra DONE;", "@!%q bra JOIN;\nret;"};
    static const char *const test_first = "LOOP:\nsetp.ge.u32 %p, %d, 4;\n@%p bra DONE;\n",
                             *const test_last = "setp.lt.u32 %p, %d, 4;\n@%p bra LOOP;\n";
    for (unsigned i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 PTX_HEAD "%smov.u32 %%d, 0;\n%s"
                          "setp.ge.u32 %%p, %%t, 16;\n@%%p bra JOIN;\nsetp.eq.u32 %%q, %%t, 3;\n%s\nJOIN:\n"
                          "activemask.b32 %%a;\nst.global.u32 [%%x0], %%a;\nadd.u32 %%d, %%d, 1;\n%sDONE:\nret;\n}\n",
                 BEGIN("k"), i & 1 ? test_first : "LOOP:\n", way_out[i >> 1], i & 1 ? "bra LOOP;\n" : test_last);
        const uint32_t *w = ptx_test_words(&T, text, 1, 32);
        for (unsigned k = 0; k < 32; k++) assert_int_equal(w[k], k == 3 ? 0 : ~8u);
        ptx_test_free(&T);
    }
}

/* Lanes that return from a function are off all levels of its frame; its other lanes meet in it, all of them behind. */
TEST(an_early_return_from_a_function)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD
        ".func (.param .u32 r) f(.param .u32 a)\n{\n.reg .pred %p, %q;\n.reg .b32 %t, %b;\nld.param.u32 %t, [a];\n"
        "st.param.u32 [r], 7;\nsetp.ge.u32 %p, %t, 16;\n@%p bra JOIN;\nsetp.eq.u32 %q, %t, 3;\n@%q bra DONE;\n"
        "JOIN:\nactivemask.b32 %b;\nst.param.u32 [r], %b;\nDONE:\nret;\n}\n" BEGIN(
            "k") ".param .u32 x;\n.param .u32 y;\nst.param.u32 [x], %t;\ncall (y), f, (x);\nld.param.u32 %b, [y];\n"
                 "activemask.b32 %a;\nxor.b32 %a, %a, %b;\n" END,
        1, 32);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], i == 3 ? ~7u : 8u);
    ptx_test_free(&T);
}

TEST(brx_goes_many_ways)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN(
            "k") "rem.u32 %b, %t, 4;\nmov.u32 %a, 0;\nTS: .branchtargets L0, L1, L2, L1;\nbrx.idx %b, TS;\n"
                 "L0:\nadd.u32 %a, %a, 1;\nbra J;\nL1:\nadd.u32 %a, %a, 10;\nbra J;\nL2:\nadd.u32 %a, %a, 100;\n"
                 "J:\nactivemask.b32 %c;\nadd.u32 %a, %a, %c;\n" END,
        1, 32);
    static const uint32_t add[] = {1, 10, 100, 10};
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], add[i % 4] - 1);
    ptx_test_free(&T);
}

TEST(guards_switch_single_lanes_off)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "mov.u32 %a, 5;\nsetp.lt.u32 %p, %t, 8;\n@%p add.u32 %a, %a, %t;\n@!%p mov.u32 %a, 1;\n"
                            "@%p ld.global.u32 %b, [%x0];\n@%p st.global.u32 [%x0], %a;\nsetp.eq.u32 %q, %t, 99;\n@%q "
                            "st.global.u32 [%x0], %b;\nret;\n}\n",
        1, 40);
    for (unsigned i = 0; i < 40; i++) assert_int_equal(w[i], i < 8 ? 5 + i : 0);
    ptx_test_free(&T);
}

/* ---- calls ---- */

#define FUNCS                                                                                                          \
    ".func (.param .b32 r) twice(.param .b32 v)\n{\n.reg .b32 %a;\nld.param.u32 %a, [v];\nadd.u32 %a, %a, %a;\n"       \
    "st.param.b32 [r], %a;\nret;\n}\n"                                                                                 \
    ".func (.param .b32 r) fact(.param .b32 v)\n{\n.reg .b32 %a, %b;\n.reg .pred %p;\nld.param.u32 %a, [v];\n"         \
    "setp.le.u32 %p, %a, 1;\n@%p bra ONE;\nsub.u32 %b, %a, 1;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], "  \
    "%b;\n"                                                                                                            \
    "call (y), fact, (x);\nld.param.b32 %b, [y];\n}\nmul.lo.u32 %a, %a, %b;\nst.param.b32 [r], %a;\nret;\n"            \
    "ONE:\nst.param.b32 [r], 1;\nret;\n}\n"
#define CALL(f, to, from)                                                                                              \
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], " from ";\ncall (y), " f ", (x);\nld.param.b32 " to          \
    ", [y];\n}\n"

TEST(calls_return_values)
{
    const uint32_t *w =
        ptx_test_words(&T, PTX_HEAD FUNCS BEGIN("k") CALL("twice", "%a", "%i") CALL("twice", "%a", "%a") END, 2, 64);
    for (unsigned i = 0; i < 128; i++) assert_int_equal(w[i], 4 * i);
    ptx_test_free(&T);
}

/* A block of more instructions than a turn has, so that the turn of each warp ends behind the `ret`. */
TEST(a_turn_may_end_with_a_function)
{
    enum { ADDS = 5000, TEXT = 64 * ADDS };
    char *text = malloc(TEXT);
    assert_non_null(text);
    for (unsigned call = 0; call < 2; call++) {
        size_t n = (size_t)snprintf(text, TEXT, "%s", PTX_HEAD);
        if (call) n += (size_t)snprintf(text + n, TEXT - n, ".func long(.param .b32 x)\n{\n.reg .b32 %%a;\n");
        else n += (size_t)snprintf(text + n, TEXT - n, "%s", BEGIN("k") "mov.u32 %a, 0;\nst.global.u32 [%x0], 1;\n");
        for (unsigned i = 0; i < ADDS; i++) n += (size_t)snprintf(text + n, TEXT - n, "add.u32 %%a, %%a, 1;\n");
        n += (size_t)snprintf(text + n, TEXT - n, "ret;\n}\n");
        if (call)
            snprintf(text + n, TEXT - n, "%s",
                     BEGIN("k") "{ .param .b32 y; st.param.b32 [y], %t; call.uni long, (y); }\nmov.u32 %a, 1;\n" END);
        const uint32_t *w = ptx_test_words(&T, text, 3, 64);
        for (unsigned i = 0; i < 3 * 64; i++) assert_int_equal(w[i], 1);
        ptx_test_free(&T);
    }
    free(text);
}

TEST(divergent_calls_and_recursion)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD FUNCS BEGIN("k") "rem.u32 %b, %t, 11;\nmov.u32 %a, 0;\nsetp.eq.u32 %p, %b, 4;\n@%p bra SKIP;\n" CALL(
            "fact", "%a", "%b") "SKIP:\n" END,
        1, 64);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f = 1;
        for (uint32_t k = 2; k <= i % 11; k++) f *= k;
        assert_int_equal(w[i], i % 11 == 4 ? 0 : f);
    }
    ptx_test_free(&T);
}

TEST(endless_recursion_is_a_fault)
{
    FAULT(PTX_HEAD ".func deep()\n{\ncall deep;\nret;\n}\n" BEGIN("k") "call deep;\nmov.u32 %a, 1;\n" END, 1, 32,
          "stack overflow", "kernel k:");
}

/* ---- barriers ---- */

TEST(shared_memory_reversal)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD ".shared .align 4 .b8 buf[1024];\n" BEGIN(
            "k") "mov.u32 %b, buf;\nshl.b32 %c, %t, 2;\nadd.u32 %c, %b, %c;\nst.shared.u32 [%c], %i;\nbar.sync 0;\n"
                 "sub.u32 %d, 255, %t;\nshl.b32 %d, %d, 2;\nadd.u32 %d, %b, %d;\nld.shared.u32 %a, [%d];\n" END,
        2, 256);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], i / 256 * 256 + 255 - i % 256);
    ptx_test_free(&T);
}

TEST(exited_warps_do_not_hold_a_barrier)
{
    const uint32_t *w = ptx_test_words(
        &T, PTX_HEAD BEGIN("k") "mov.u32 %a, 1;\nsetp.ge.u32 %p, %t, 64;\n@%p exit;\nbar.sync 0;\n" END, 1, 128);
    for (unsigned i = 0; i < 128; i++) assert_int_equal(w[i], i < 64);
    ptx_test_free(&T);
}

TEST(producers_arrive_and_consumers_wait)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD ".shared .align 4 .b8 buf[256];\n" BEGIN(
                           "k") "mov.u32 %b, buf;\nand.b32 %c, %t, 31;\nshl.b32 %c, %c, 2;\nadd.u32 %b, %b, "
                                "%c;\nsetp.ge.u32 %p, %t, 32;\n@%p bra PRODUCE;\n"
                                "bar.sync 3, 64;\nld.shared.u32 %a, [%b];\nbra OUT;\nPRODUCE:\nst.shared.u32 [%b], "
                                "%t;\nbar.arrive 3, 64;\nmov.u32 %a, 9;\nOUT:\n" END,
                       1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i < 32 ? i + 32 : 9);
    ptx_test_free(&T);
}

TEST(barrier_reductions)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD BEGIN("k") "setp.lt.u32 %p, %t, 37;\nbar.red.popc.u32 %a, 0, "
                                           "%p;\nbar.red.and.pred %q, 0, %p;\nselp.u32 %b, 1000, 0, %q;\n"
                                           "bar.red.or.pred %q, 0, !%p;\nselp.u32 %c, 100, 0, %q;\nadd.u32 "
                                           "%a, %a, %b;\nadd.u32 %a, %a, %c;\n" END,
                       1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], 137);
    ptx_test_free(&T);
}

TEST(barriers_that_cannot_complete_are_a_fault)
{
    FAULT(
        PTX_HEAD BEGIN(
            "k") "mov.u32 %a, 1;\nsetp.lt.u32 %p, %t, 32;\n@%p bra A;\nbar.sync 1;\nbra B;\nA:\nbar.sync 2;\nB:\n" END,
        1, 64, "barrier deadlock", "CTA (0,0,0)");
}

TEST(warps_may_spin_on_each_other)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD ".shared .align 4 .b8 flag[4];\n" BEGIN(
                           "k") "setp.ge.u32 %p, %t, 32;\n@%p bra SET;\nSPIN:\nld.volatile.shared.u32 %a, "
                                "[flag];\nsetp.eq.u32 %q, %a, 0;\n@%q bra SPIN;\nbra OUT;\n"
                                "SET:\nmov.u32 %a, 5;\nst.volatile.shared.u32 [flag], %a;\nOUT:\n" END,
                       1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], 5);
    ptx_test_free(&T);
}

/* CTA 0 waits for a flag that CTA 1 sets, or that nobody does. */
#define WAIT_FOR(value)                                                                                                \
    PTX_HEAD ".global .u32 flag;\n" BEGIN("k") "setp.eq.u32 %p, %s0, 1;\n@%p bra SET;\nSPIN:\nld.volatile.global.u32 " \
                                               "%a, [flag];\nsetp.eq.u32 %q, %a, 0;\n@%q bra SPIN;\nbra OUT;\n"        \
                                               "SET:\nmov.u32 %a, " value                                              \
                                               ";\nst.volatile.global.u32 [flag], %a;\nOUT:\n" END

TEST(a_cta_may_wait_for_a_later_one)
{
    const uint32_t *w = ptx_test_words(&T, WAIT_FOR("5"), 2, 64);
    for (unsigned i = 0; i < 128; i++) assert_int_equal(w[i], 5);
    ptx_test_free(&T);
}

/* Who measures by a clock what others prepare relies on their running meanwhile: all begin before one gets far. */
TEST(a_chase_finds_what_later_ctas_write)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "add.u32 %b, %i, 1;\nst.global.u32 [%x0], %b;\nsetp.ne.u32 %p, %i, 0;\n@%p bra OUT;\n"
                            "mov.u32 %c, %clock;\nmov.u32 %a, 0;\nmov.u32 %d, 0;\n"
                            "NEXT:\nmul.wide.u32 %x2, %a, 4;\nadd.s64 %x3, %x1, %x2;\nld.volatile.global.u32 %a, "
                            "[%x3];\nadd.u32 %d, %d, 1;\nsetp.lt.u32 %q, %d, 255;\n@%q bra NEXT;\n"
                            "st.global.u32 [%x1+4092], %a;\nOUT:\nret;\n}\n",
        8, 32);
    assert_int_equal(w[1023], 255);
    ptx_test_free(&T);
}

TEST(waiting_for_ever_is_a_fault)
{
    FAULT(WAIT_FOR("0"), 2, 64, "no end in sight", "nobody is left to do", "CTA (0,0,0)");
    FAULT(WAIT_FOR("0"), 1, 64, "no end in sight", "CTA (0,0,0)");
}

/* An endless loop that stores: no state of it comes again. */
static void expect_no_end(struct ptx_budget budget, const char *word)
{
    ptx_test_load(&T,
                  PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\nL: add.u32 %a, %a, 1;\nst.global.u32 [%x0], %a;\nbra L;\n}\n");
    uint64_t out = dev_alloc(T.mem, 4 * WORDS);
    T.budget = budget;
    assert_int_equal(ptx_test_run(&T, "k", 1, 64, &out), -1);
    assert_int_equal(T.err.code, WL_ERUN);
    if (!strstr(T.err.text, word) || !strstr(T.err.text, "t.ptx:18") || !strstr(T.err.text, "CTA (0,0,0)"))
        fail_msg("no '%s', place or CTA in: %s", word, T.err.text);
    assert_in_range(T.counts.warp_instructions, 0, 200000);
    ptx_test_free(&T);
}

TEST(an_endless_loop_ends_with_its_budget)
{
    expect_no_end((struct ptx_budget){.instructions = 50000}, "run.cta_instructions");
    expect_no_end((struct ptx_budget){.stream_bytes = 50000}, "run.cta_memory");
    expect_no_end((struct ptx_budget){.cycles = 20000}, "the 20000 cycles asked for");
}

/* A limit is what may be used: a kernel that ends in time is not touched. */
TEST(a_budget_that_is_kept_changes_nothing)
{
    ptx_test_load(
        &T, PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\nL: add.u32 %a, %a, 1;\nsetp.lt.u32 %p, %a, 10000;\n@%p bra L;\n" END);
    uint64_t out = dev_alloc(T.mem, 4 * WORDS);
    T.budget = (struct ptx_budget){.instructions = 30010, .stream_bytes = 1 << 20, .cycles = 30010};
    ptx_test_must_run(&T, "k", 1, 32, &out);
    assert_int_equal(T.counts.warp_instructions, 30010);
    ptx_test_free(&T);
}

/* ---- lanes together, atomics ---- */

TEST(a_butterfly_sums_a_warp)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD BEGIN("k") "mov.u32 %a, %i;\nmov.u32 %c, 16;\nL:\nshfl.sync.bfly.b32 %b, "
                                           "%a, %c, 31, -1;\nadd.u32 %a, %a, %b;\nshr.u32 %c, %c, 1;\n"
                                           "setp.ne.u32 %p, %c, 0;\n@%p bra L;\n" END,
                       1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i < 32 ? 496 : 496 + 1024);
    ptx_test_free(&T);
}

TEST(votes_see_active_lanes_only)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\nsetp.lt.u32 %p, %t, 20;\n@!%p bra "
                                           "OUT;\nsetp.lt.u32 %q, %t, 5;\nvote.sync.ballot.b32 %a, %q, -1;\n"
                                           "vote.sync.any.pred %p, %q, -1;\nselp.u32 %b, 256, 0, "
                                           "%p;\nvote.sync.all.pred %p, %q, -1;\nselp.u32 %c, 512, 0, %p;\n"
                                           "or.b32 %a, %a, %b;\nor.b32 %a, %a, %c;\nOUT:\n" END,
                       1, 32);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], i < 20 ? 31 + 256 : 0);
    ptx_test_free(&T);
}

/* The tiles of a warp meet at one instruction, each with its own mask, and see only themselves. */
TEST(lanes_with_different_masks_are_groups)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "and.b32 %b, %t, 24;\nmov.u32 %c, 255;\nshl.b32 %c, %c, %b;\n" /* tiles of 8 lanes */
                            "and.b32 %d, %t, 9;\nsetp.eq.u32 %p, %d, 9;\nvote.sync.ballot.b32 %a, %p, %c;\n"
                            "redux.sync.add.u32 %s0, %t, %c;\nshl.b32 %s0, %s0, 16;\nxor.b32 %a, %a, %s0;\n"
                            "match.any.sync.b32 %s1, %d, %c;\nadd.u32 %a, %a, %s1;\n"
                            "vote.sync.any.pred %q, %p, %c;\nselp.u32 %s2, 7, 0, %q;\nadd.u32 %a, %a, %s2;\n"
                            "elect.sync %s2|%q, %c;\nadd.u32 %a, %a, %s2;\n" END,
        1, 32);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t tile = i & 24, sum = 8 * tile + 28, ballot = 0, match = 0;
        for (unsigned k = tile; k < tile + 8; k++) {
            ballot |= (uint32_t)((k & 9) == 9) << k;
            match |= (uint32_t)((k & 9) == (i & 9)) << k;
        }
        assert_int_equal(w[i], (ballot ^ sum << 16) + match + (ballot ? 7 : 0) + tile);
    }
    ptx_test_free(&T);
}

TEST(atomics_go_lane_by_lane)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN(
            "k") "add.s64 %x3, %x1, 4000;\natom.global.add.u32 %a, [%x3], 2;\nred.global.max.u32 [%x3+4], %i;\n"
                 "atom.global.inc.u32 %b, [%x3+8], 9;\natom.global.cas.b32 %b, [%x3+12], 0, %t;\nxor.b32 %c, %i, -1;\n"
                 "red.global.min.s32 [%x3+16], %c;\nred.global.add.f32 [%x3+20], 0f3F000000;\nred.global.or.b32 "
                 "[%x3+24], %i;\n" END,
        2, 64);
    for (unsigned i = 0; i < 128; i++) assert_int_equal(w[i], 2 * i);
    assert_int_equal(w[1000], 256);
    assert_int_equal(w[1001], 127);
    assert_int_equal(w[1002], 128 % 10);
    assert_int_equal(w[1003], 1);
    assert_int_equal(w[1004], (uint32_t)~127);
    assert_int_equal(w[1005], 0x42800000);
    assert_int_equal(w[1006], 127);
    ptx_test_free(&T);
}

TEST(half_words_are_compared_and_swapped)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") ".reg .b16 %h<4>;\nadd.s64 %x3, %x1, 2;\nmov.u32 %a, 0;\nadd.u32 %b, %t, 1;\n"
                            "cvt.u16.u32 %h0, %t;\ncvt.u16.u32 %h1, %b;\n" /* lane i turns i into i + 1 */
                            "atom.global.cas.b16 %h2, [%x3+4000], %h0, %h1;\ncvt.u32.u16 %a, %h2;\n" END,
        1, 32);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], i);
    assert_int_equal(w[1000], 32u << 16); /* the other half is untouched */
    ptx_test_free(&T);
}

TEST(a_lock_serialises_lanes)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "add.s64 %x3, %x1, 4000;\nmov.u32 %d, 0;\nTRY:\natom.global.cas.b32 %a, [%x3], "
                            "0, 1;\nsetp.ne.u32 %p, %a, 0;\n@%p bra NEXT;\n"
                            "ld.volatile.global.u32 %b, [%x3+4];\nadd.u32 %b, %b, 1;\nst.volatile.global.u32 "
                            "[%x3+4], %b;\natom.global.exch.b32 %c, [%x3], 0;\nmov.u32 %d, 1;\n"
                            "NEXT:\nsetp.eq.u32 %q, %d, 0;\n@%q bra TRY;\nmov.u32 %a, 3;\n" END,
        2, 64);
    assert_int_equal(w[1001], 128);
    assert_int_equal(w[1000], 0);
    ptx_test_free(&T);
}

/* Who looks at the clock between two tries is never in the same state again, and waits all the same: for lanes of its
 * own warp that have the lock and stand where the loop ends. */
#define TRY_BY_THE_CLOCK                                                                                               \
    "add.s64 %x3, %x1, 4000;\nTRY:\nmov.u32 %d, %clock;\natom.global.cas.b32 %a, [%x3], 0, 1;\n"                       \
    "setp.ne.u32 %p, %a, 0;\n@%p bra TRY;\n"                                                                           \
    "ld.volatile.global.u32 %b, [%x3+4];\nadd.u32 %b, %b, 1;\nst.volatile.global.u32 [%x3+4], %b;\n"                   \
    "atom.global.exch.b32 %c, [%x3], 0;\nsetp.ne.u32 %q, %d, 0;\nselp.u32 %a, 3, 4, %q;\n"
TEST(a_lock_is_tried_by_the_clock)
{
    const uint32_t *w = ptx_test_words(&T, PTX_HEAD BEGIN("k") TRY_BY_THE_CLOCK END, 2, 64);
    assert_int_equal(w[1001], 128);
    ptx_test_free(&T);
    w = ptx_test_words(&T, PTX_HEAD BEGIN("k") "bar.sync 0;\n" TRY_BY_THE_CLOCK END, 2, 64);
    assert_int_equal(w[1001], 128);
    ptx_test_free(&T);
}

/* One lane waits by the clock for another block while the rest of its warp stands before the barrier: it must not pass.
 */
TEST(nobody_passes_a_barrier_for_a_wait_by_the_clock)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "setp.ne.u32 %p, %s0, 0;\n@%p bra SECOND;\nsetp.ne.u32 %p, %t, 0;\n@%p bra MEET;\n"
                            "WAIT:\nmov.u32 %d, %clock;\nld.volatile.global.u32 %b, [%x1+4000];\n"
                            "setp.eq.u32 %q, %b, 0;\n@%q bra WAIT;\nMEET:\nbar.sync 0;\n"
                            "ld.volatile.global.u32 %a, [%x1+4000];\n"
                            "st.global.u32 [%x0], %a;\nret;\n"
                            "SECOND:\nmov.u32 %c, 0;\nWORK:\nadd.u32 %c, %c, 1;\nsetp.lt.u32 %q, %c, 100000;\n"
                            "@%q bra WORK;\nst.volatile.global.u32 [%x1+4000], %c;\nmov.u32 %a, 1;\n" END,
        2, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], 100000);
    ptx_test_free(&T);
}

/* ---- spaces ---- */

/* One lane asks for the lock and all shuffle the answer: while the warp waits for another, nobody waits inside it. The
 * turn of the warp that has the lock ends before it gives the lock back. */
TEST(a_lock_of_whole_warps)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN("k") "and.b32 %t, %t, 31;\nsetp.eq.u32 %p, %t, 1;\n"
                            "TRY:\nmov.u32 %a, 1;\n@!%p bra JOIN;\natom.global.or.b32 %a, [%x1+2048], 1;\nJOIN:\n"
                            "shfl.sync.idx.b32 %a, %a, 1, 31, -1;\nsetp.ne.u32 %q, %a, 0;\n@%q bra TRY;\n"
                            "mul.wide.u32 %x2, %t, 4;\nadd.s64 %x0, %x1, %x2;\nld.global.u32 %b, [%x0];\n"
                            "mov.u32 %c, 0;\nWORK:\nadd.u32 %c, %c, 1;\nsetp.lt.u32 %q, %c, 3000;\n@%q bra WORK;\n"
                            "shfl.sync.bfly.b32 %d, %t, 31, 31, -1;\nadd.u32 %d, %d, %t;\nadd.u32 %a, %b, %d;\n"
                            "st.global.u32 [%x0], %a;\nmembar.gl;\n@!%p bra OUT;\n"
                            "atom.global.and.b32 %a, [%x1+2048], 0;\nOUT:\nret;\n}\n",
        4, 128);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], 16 * 31);
    ptx_test_free(&T);
}

TEST(local_arrays_belong_to_a_thread)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN(
            "k") ".local .align 16 .b8 depot[64];\n.reg .b64 %SP, %SPL, %e;\nmov.u64 %SPL, depot;\ncvta.local.u64 %SP, "
                 "%SPL;\n"
                 "mov.u32 %b, 0;\nFILL:\nmul.wide.u32 %e, %b, 4;\nadd.s64 %e, %SPL, %e;\nadd.u32 %c, %b, "
                 "%i;\nst.local.u32 [%e], %c;\n"
                 "add.u32 %b, %b, 1;\nsetp.lt.u32 %p, %b, 16;\n@%p bra FILL;\nand.b32 %b, %t, 15;\nmul.wide.u32 %e, "
                 "%b, 4;\nadd.s64 %e, %SP, %e;\n"
                 "ld.u32 %a, [%e];\nisspacep.local %q, %e;\nselp.u32 %c, 1000, 0, %q;\nadd.u32 %a, %a, %c;\n" END,
        1, 64);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i + i % 16 + 1000);
    ptx_test_free(&T);
}

TEST(generic_addresses_mix_spaces)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD ".global .u32 g[2] = {11, 22};\n.const .u32 c0[2] = {33, 44};\n.shared .align 4 .b8 sh[8];\n" BEGIN(
            "k") ".reg .b64 %e, %f;\nst.shared.u32 [sh], 77;\nst.shared.u32 [sh+4], 88;\n"
                 "mov.u64 %e, sh;\ncvta.shared.u64 %e, %e;\nmov.u64 %f, g;\ncvta.global.u64 %f, %f;\nrem.u32 %b, %t, "
                 "3;\n"
                 "setp.eq.u32 %p, %b, 0;\nselp.b64 %x3, %e, %f, %p;\nmov.u64 %f, c0;\ncvta.const.u64 %f, "
                 "%f;\nsetp.eq.u32 %p, %b, 1;\n"
                 "selp.b64 %x3, %f, %x3, %p;\nld.u32 %a, [%x3+4];\n" END,
        1, 32);
    static const uint32_t expect[] = {88, 44, 22};
    for (unsigned i = 0; i < 32; i++) assert_int_equal(w[i], expect[i % 3]);
    ptx_test_free(&T);
}

TEST(widths_and_vectors)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD
        ".global .align 16 .b8 g[32] = "
        "{1,130,3,4,5,6,7,200,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32};\n" BEGIN(
            "k") ".reg .b64 %e, %f, %r1, %r2;\n.reg .b16 %h0, %h1, %h2, %h3;\nmov.u64 %e, g;\nld.global.s8 %a, "
                 "[%e+1];\nld.global.u8 %b, [%e+1];\n"
                 "add.u32 %a, %a, %b;\nst.global.u32 [%x1], %a;\nld.global.s8 %r1, [%e+7];\ncvt.u32.u64 %b, "
                 "%r1;\nst.global.u32 [%x1+4], %b;\n"
                 "ld.global.v2.u64 {%r1, %r2}, [%e+16];\nst.global.v2.u64 [%x1+16], {%r2, %r1};\nld.global.v4.u8 {%h0, "
                 "%h1, %h2, %h3}, [%e+4];\n"
                 "st.global.v4.u8 [%x1+32], {%h3, %h2, %h1, %h0};\nld.global.s16 %h0, [%e+6];\nst.global.u16 [%x1+36], "
                 "%h0;\nst.global.u8 [%x1+38], %h0;\n"
                 "ld.global.v4.u32 {%a, _, %c, %d}, [%e];\nst.global.v4.u32 [%x1+48], {%d, %c, 7, %a};\nret;\n}\n",
        1, 1);
    static const uint32_t expect[] = {(uint32_t)(130 - 256 + 130),
                                      (uint32_t)(200 - 256),
                                      0,
                                      0,
                                      0x1c1b1a19,
                                      0x201f1e1d,
                                      0x14131211,
                                      0x18171615,
                                      0x050607c8,
                                      0x0007c807,
                                      0,
                                      0,
                                      0x100f0e0d,
                                      0x0c0b0a09,
                                      7,
                                      0x04038201};
    for (unsigned i = 0; i < 16; i++) assert_int_equal(w[i], expect[i]);
    ptx_test_free(&T);
}

TEST(dynamic_shared_memory_follows_static)
{
    ptx_test_load(&T, PTX_HEAD ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 st[20];\n" BEGIN(
                          "k") "st.shared.u32 [st+16], 5;\nst.shared.u32 [dyn+4], 6;\nmov.u32 %b, dyn;\nld.shared.u32 "
                               "%c, [%b+4];\nld.shared.u32 %d, [st+16];\n"
                               "mul.lo.u32 %a, %c, %d;\nmov.u32 %b, %dynamic_smem_size;\nadd.u32 %a, %a, %b;\n" END);
    uint64_t out = dev_alloc(T.mem, 4 * WORDS);
    T.shared = 64;
    ptx_test_must_run(&T, "k", 1, 1, &out);
    assert_int_equal(*(uint32_t *)dev_ptr(T.mem, out, 4), 94);
    ptx_test_free(&T);
}

TEST(initialised_variables_and_symbols)
{
    ptx_test_load(&T,
                  PTX_HEAD ".global .u32 v[3] = {1, 2, 3};\n.const .f32 f = 0f3F800000;\n.global .u64 p = v;\n" BEGIN(
                      "k") ".reg .b64 %e;\nld.global.u64 %e, [p];\nld.global.u32 %a, [%e+8];\nld.const.u32 %b, "
                           "[f];\nadd.u32 %a, %a, %b;\n" END);
    uint64_t addr, bytes, out = dev_alloc(T.mem, 4 * WORDS);
    uint32_t *v = ptx_symbol(T.img, "v", &addr, &bytes);
    assert_non_null(v);
    assert_int_equal(bytes, 12);
    assert_ptr_equal(v, dev_ptr(T.mem, addr, 12));
    v[2] = 40;
    assert_non_null(ptx_symbol(T.img, "f", &addr, &bytes));
    assert_int_equal(addr, 0);
    assert_null(ptx_symbol(T.img, "nothing", &addr, &bytes));
    ptx_test_must_run(&T, "k", 1, 1, &out);
    assert_int_equal(*(uint32_t *)dev_ptr(T.mem, out, 4), 0x3f800028);
    ptx_test_free(&T);
}

/* Tiles of several warps (cooperative groups) keep there what they meet at. */
TEST(the_system_has_shared_memory_of_its_own)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD BEGIN(
            "k") ".shared .align 4 .b8 own[100];\nmov.u32 %a, %reserved_smem_offset_begin;\n"
                 "mov.u32 %b, %reserved_smem_offset_end;\nmov.u32 %c, %reserved_smem_offset_cap;\n"
                 "sub.u32 %d, %b, %a;\nsub.u32 %d, %d, %c;\nst.global.u32 [%x1+400], %d;\n"
                 "st.global.u32 [%x1+404], %a;\nmov.u32 %c, %total_smem_size;\nst.global.u32 [%x1+408], %c;\n"
                 "mov.u32 %c, %reserved_smem_offset_1;\nst.shared.u32 [%c+284], %t;\n"
                 "mov.u32 %d, own;\nst.shared.u32 [%d+96], 5;\nld.shared.u32 %a, [%c+284];\n" END,
        1, 1);
    assert_int_equal(w[100], 0);
    assert_int_equal(w[101], 112); /* behind the kernel's 100 bytes */
    assert_int_equal(w[102], 100);
    assert_int_equal(w[0], 0);
    ptx_test_free(&T);
}

TEST(clocks_count_instructions)
{
    const uint32_t *w = ptx_test_words(&T,
                                       PTX_HEAD BEGIN("k") "mov.u32 %b, %clock;\nadd.u32 %d, %d, 1;\nadd.u32 %d, %d, "
                                                           "1;\nmov.u32 %c, %clock;\nsub.u32 %a, %c, %b;\n" END,
                                       1, 40);
    for (unsigned i = 0; i < 40; i++) assert_int_equal(w[i], 3);
    ptx_test_free(&T);
}

/* ---- text and faults ---- */

TEST(printf_from_a_kernel)
{
    ptx_test_words(
        &T,
        PTX_HEAD
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 fmt[40] = "
        "{116,61,37,100,32,37,53,46,50,102,124,37,115,124,37,120,32,37,108,108,100,32,37,99,37,37,10,0};\n"
        ".global .align 1 .b8 str[4] = {97,98,99,0};\n" BEGIN(
            "k") ".local .align 8 .b8 depot[64];\n.reg .b64 %SP, %SPL, %e;\nmov.u64 %SPL, depot;\ncvta.local.u64 "
                 "%SP, %SPL;\nst.local.u32 [%SPL], %t;\n"
                 "mov.u64 %e, 0x400921fb54442d18;\nst.local.u64 [%SPL+8], %e;\nmov.u64 %e, str;\ncvta.global.u64 "
                 "%e, %e;\nst.local.u64 [%SPL+16], %e;\n"
                 "mov.u32 %a, 255;\nst.local.u32 [%SPL+24], %a;\nmov.u64 %e, -5;\nst.local.u64 [%SPL+32], "
                 "%e;\nmov.u32 %a, 90;\nst.local.u32 [%SPL+40], %a;\n"
                 "mov.u64 %e, fmt;\ncvta.global.u64 %e, %e;\n{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 "
                 "r0;\nst.param.b64 [p0], %e;\nst.param.b64 [p1], %SP;\n"
                 "call.uni (r0), vprintf, (p0, p1);\nld.param.b32 %a, [r0];\n}\n" END,
        1, 2);
    assert_string_equal(T.printed, "t=0  3.14|abc|ff -5 Z%\nt=1  3.14|abc|ff -5 Z%\n");
    ptx_test_free(&T);
}

TEST(a_failed_assertion_is_a_fault)
{
    FAULT(PTX_HEAD
          ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"
          ".global .align 1 .b8 msg[4] = {120,62,48,0};\n" BEGIN(
              "k") ".reg .b64 %e;\nmov.u64 %e, msg;\ncvta.global.u64 %e, %e;\nmov.u32 %a, 0;\nsetp.ne.u32 %p, %t, "
                   "3;\n@%p bra OK;\n"
                   "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n.param .b64 p3;\n.param .b64 "
                   "p4;\nst.param.b64 [p0], %e;\nst.param.b64 [p1], %e;\n"
                   "st.param.b32 [p2], 42;\nst.param.b64 [p3], %e;\nst.param.b64 [p4], 1;\ncall.uni __assertfail, (p0, "
                   "p1, p2, p3, p4);\n}\nOK:\n" END,
          1, 32, "device assertion failed: x>0:42: x>0: x>0", "thread (3,0,0)");
}

TEST(memory_faults_say_where)
{
    FAULT(PTX_HEAD BEGIN("k") "ld.global.u32 %a, [%x0+4096];\n" END, 2, 64,
          "kernel k: out-of-bounds global load of 4 bytes at 0xc0001000", "(nearest allocation 0xc0000000..0xc0000fff)",
          "(t.ptx:", "ld.global.u32 %a, [%x0+4096]", "CTA (0,0,0), thread (0,0,0)");
    FAULT(PTX_HEAD BEGIN("k") "mov.u32 %a, 1;\nst.global.u32 [%x0+3900], %a;\nret;\n}\n", 2, 32,
          "out-of-bounds global store", "CTA (1,0,0), thread (17,0,0)");
    FAULT(PTX_HEAD BEGIN("k") "ld.global.u32 %a, [%x0+2];\n" END, 1, 32,
          "misaligned global load of 4 bytes at 0xc0000002");
    FAULT(PTX_HEAD BEGIN("k") ".reg .b64 %z;\nmov.u64 %z, 0;\nld.u32 %a, [%z+8];\n" END, 1, 32, "null pointer");
    FAULT(PTX_HEAD ".shared .align 4 .b8 s[64];\n" BEGIN(
              "k") "mov.u32 %b, s;\nshl.b32 %c, %t, 2;\nadd.u32 %b, %b, %c;\nld.shared.u32 %a, [%b];\n" END,
          1, 32, "out-of-bounds shared load of 4 bytes at 0x40 (there are 64 bytes)", "thread (16,0,0)");
    FAULT(PTX_HEAD BEGIN("k") ".local .align 4 .b8 d[16];\n.reg .b64 %e;\nmov.u64 %e, d;\nst.local.u32 [%e+16], "
                              "%t;\nmov.u32 %a, 0;\n" END,
          1, 32, "out-of-bounds local store");
    FAULT(PTX_HEAD BEGIN("k") "atom.global.add.u32 %a, [%x1+4096], 1;\n" END, 1, 32, "out-of-bounds global atomic");
    FAULT(PTX_HEAD BEGIN("k") "mov.u32 %a, 0;\ntrap;\n" END, 1, 32, "trap");
}

TEST(use_after_free_is_a_fault)
{
    ptx_test_load(&T, PTX_HEAD BEGIN("k") "mov.u32 %a, 1;\n" END);
    uint64_t out = dev_alloc(T.mem, 4 * WORDS), other = dev_alloc(T.mem, 4);
    ptx_test_must_run(&T, "k", 1, 32, &out);
    dev_release(T.mem, out);
    assert_true(other && ptx_test_run(&T, "k", 1, 32, &out) < 0);
    assert_non_null(strstr(T.err.text, "out-of-bounds global store"));
    ptx_test_free(&T);
}

TEST(refusals_come_at_load)
{
    /* clang-format off */
    static const struct { const char *text, *part; } refused[] = {
        {PTX_HEAD ".global .texref t;\n.global .samplerref s;\n.visible .entry k()\n{\n.reg .f32 %f<4>;\n"
            ".reg .b32 %r;\n"
         "mov.u32 %r, 0;\ntex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, s, {%r}];\nret;\n}\n", "texmode_unified"},
        {PTX_HEAD ".visible .entry k()\n{\n.reg .b64 %d;\nadd.sat.f64 %d, %d, %d;\nret;\n}\n",
            "not supported for type .f64 in this form"},
        {PTX_HEAD ".visible .entry k()\n{\n.reg .b64 %d;\nmul.rz.ftz.f64 %d, %d, %d;\nret;\n}\n",
            ".ftz and .sat need .f32"},
        {PTX_HEAD ".visible .entry k()\n{\n.reg .b32 %r;\ncvt.rna.f16.f32 %r, %r;\nret;\n}\n", ".rna needs .tf32"},
    };
    /* clang-format on */
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        ptx_test_load(&T, refused[i].text);
        assert_null(T.img);
        if (!strstr(T.err.text, refused[i].part)) print_error("%s\n", T.err.text);
        assert_non_null(strstr(T.err.text, refused[i].part));
        ptx_test_free(&T);
    }
}

TEST(streams_of_several_ctas_live_together)
{
    ptx_test_load(&T, PTX_HEAD BEGIN("k") "mov.u32 %a, %i;\n" END);
    uint64_t out = dev_alloc(T.mem, 4 * WORDS);
    struct ptx_launch l = {
        .image = T.img, .kernel = ptx_find_kernel(T.mod, "k"), .grid = {2, 2, 2}, .block = {8, 4, 2}, .params = &out};
    struct stream_source *s = ptx_open(&l, &T.err);
    struct cta_stream c[8];
    assert_non_null(s);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(s->next(s, &c[i], &T.err), 1);
        assert_int_equal(c[i].cta, i);
        assert_int_equal(c[i].nwarps, 2);
    }
    for (unsigned i = 0; i < 8; i++) {
        struct exec_counts n = {0};
        for (unsigned w = 0; w < 2; w++) ptx_test_walk(s->info->code, c[i].warp[w], &n, NULL);
        assert_int_equal(n.warp_instructions, 2 * 10);
        s->release(s, &c[i]);
    }
    assert_int_equal(s->next(s, &c[0], &T.err), 0);
    ptx_close(s);
    ptx_test_free(&T);
}

/* ---- address records ---- */

/* Lane l of pattern `kind`: affine, two affine halves, or neither. */
static uint64_t pattern(unsigned kind, unsigned l, uint64_t r)
{
    static const int64_t strides[] = {0, 4, -4, 31, -32, 32, 33, 4096, -70000, INT64_MAX / 8};
    uint64_t base = r >> 20, stride = (uint64_t)strides[r % 10];
    if (kind == 0) return base + l * stride;
    if (kind == 1) return (l < 16 ? base : base + (r & 0xffff) - 9000) + l % 16 * stride;
    return base + (l * l & 77) * stride + l % 3;
}

static const struct code one_load = {
    .inst = &(const struct code_inst){.kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4},
    .block = &(const struct code_block){.first = 0, .count = 1},
    .ninst = 1,
    .nblock = 1,
};

/* Writes one load a pattern and a mask, and reads the same addresses back. */
TEST(address_records_survive)
{
    enum { RECORDS = 6000 };
    struct stream_writer w = {0};
    uint64_t seed = 1, addr[WARP_SIZE], replay = 1;
    struct wl_err e;
    stream_begin(&w);
    for (unsigned i = 0; i < RECORDS; i++) {
        uint64_t r = splitmix64(&seed);
        uint32_t mask = i % 4 == 0 ? UINT32_MAX : (uint32_t)splitmix64(&seed) >> (i % 29) | 1u << (i % 32);
        for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = pattern(i % 3, l, r);
        stream_block(&w, 0, mask);
        stream_addrs(&w, mask, addr);
    }
    struct warp_stream s = {w.data, w.size};
    assert_false(w.failed);
    assert_int_equal(stream_check(&one_load, s, &e), 0);
    struct stream_reader rd;
    stream_open(&rd, s);
    for (unsigned i = 0; i < RECORDS; i++) {
        uint64_t r = splitmix64(&replay);
        struct warp_addrs a;
        if (i % 4) splitmix64(&replay);
        assert_int_equal(stream_next_block(&rd), 0);
        stream_next_addrs(&rd, rd.mask, &a);
        for (unsigned l = 0; l < WARP_SIZE; l++)
            if (rd.mask >> l & 1) assert_true(warp_addr(&a, l) == pattern(i % 3, l, r));
    }
    assert_true(stream_done(&rd));
    free(w.data);
}

TEST(two_rows_of_a_warp_take_four_bytes)
{
    struct stream_writer w = {0};
    uint64_t addr[WARP_SIZE];
    stream_begin(&w);
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = l / 16 * 1024 + l % 16 * 4;
    stream_addrs(&w, UINT32_MAX, addr);
    assert_int_equal(w.size, 4); /* tag, base 0, two bytes of distance */
    struct stream_reader r;
    struct warp_addrs a;
    stream_open(&r, (struct warp_stream){w.data, w.size});
    stream_next_addrs(&r, UINT32_MAX, &a);
    assert_false(a.affine);
    assert_int_equal(a.base, 0);
    for (unsigned l = 0; l < WARP_SIZE; l++) assert_int_equal(warp_addr(&a, l), addr[l]);
    free(w.data);
}

TEST(damaged_address_records_are_found)
{
    /* block 0 with a mask, then: an unknown tag; halves of a mask that has only one; a cut one */
    static const struct {
        uint8_t bytes[9];
        size_t size;
    } bad[] = {
        {{1, 255, 255, 255, 255, 129, 0, 0}, 8}, {{1, 255, 255, 255, 255, 252, 0, 0}, 8},
        {{1, 255, 255, 0, 0, 97, 0, 0}, 8},      {{1, 0, 0, 255, 255, 253, 2, 0, 0}, 9},
        {{1, 255, 255, 255, 255, 97, 0}, 7},     {{1, 255, 255, 255, 255, 253, 0, 0}, 8},
    };
    struct wl_err e;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(stream_check(&one_load, (struct warp_stream){bad[i].bytes, bad[i].size}, &e), WL_EINPUT);
    static const uint8_t good[] = {1, 255, 255, 255, 255, 97, 0, 0};
    assert_int_equal(stream_check(&one_load, (struct warp_stream){good, sizeof good}, &e), 0);
}

TEST(a_kernel_needs_neither_parameters_nor_registers)
{
    ptx_test_load(&T, PTX_HEAD ".visible .entry k()\n{\nret;\n}\n");
    ptx_test_must_run(&T, "k", 2, 40, NULL);
    assert_int_equal(T.counts.warp_instructions, 4);
    ptx_test_free(&T);
}

/* Lane i of the warp exchanges 128 bits; lane 0 of them finds zeros. A cas that does not fit changes nothing. */
TEST(words_of_128_bits_change_as_a_whole)
{
    const uint32_t *w = ptx_test_words(
        &T,
        PTX_HEAD
        ".entry k(.param .u64 p)\n{\n.reg .b128 %q<6>, %one;\n.reg .b64 %d<9>;\n.reg .b32 %r<3>;\n.reg .pred %p;\n"
        "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\ncvt.u64.u32 %d2, %r1;\nadd.u64 %d3, %d2, 100;\n"
        "mov.b128 %q1, {%d2, %d3};\natom.global.exch.b128 %q2, [%d1], %q1;\nmov.b128 {%d4, _}, %q2;\n"
        "mad.lo.u64 %d5, %d2, 16, %d1;\nst.global.b128 [%d5+16], %q2;\n"
        "setp.ne.u32 %p, %r1, 31;\n@%p exit;\n"
        "ld.global.b128 %one, [%d1];\nmov.b128 %q3, {%d4, %d4};\n"
        "atom.cas.b128 %q4, [%d1], %q3, %q3;\nst.global.b128 [%d1+1024], %q4;\n"
        "atom.cas.b128 %q5, [%d1], %one, %q3;\nst.global.b128 [%d1+1040], %q5;\nret;\n}\n",
        1, 32);
    for (unsigned i = 0; i < 32; i++) { /* what lane i found: what lane i - 1 had put there */
        assert_int_equal(w[4 + 4 * i], i ? i - 1 : 0);
        assert_int_equal(w[6 + 4 * i], i ? i + 99 : 0);
    }
    assert_int_equal(w[256], 31); /* both found the last lane's; the second fitted */
    assert_int_equal(w[258], 131);
    assert_int_equal(w[260], 31);
    assert_int_equal(w[262], 131);
    assert_int_equal(w[0], 30);
    assert_int_equal(w[2], 30);
    ptx_test_free(&T);
}
