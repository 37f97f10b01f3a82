/* test_assemble.c - what an assembler makes of PTX: instructions that vanish, sequences, joined loads of shared memory.
 */
#include "ptx_run.h"

#define HEAD                                                                                                           \
    PTX_HEAD                                                                                                           \
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"  \
    ".reg .f32 %f<20>;\n.reg .f64 %g<9>;\n.shared .align 4 .b8 tile[1024];\nld.param.u64 %d1, [out];\n"                \
    "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.s64 %d4, %d1, %d3;\n"
#define TAIL "st.global.u32 [%d4], %r3;\nret;\n}\n"

struct params {
    uint64_t out;
    uint32_t n;
};

/* Results of 32 lanes; warp instructions that were executed. */
static uint64_t run(const char *text, bool scheduled, uint32_t *out)
{
    struct ptx_test t;
    ptx_test_load_for(&t, text, (struct ptx_target){.scheduled = scheduled});
    struct params p = {.out = dev_alloc(t.mem, 4096), .n = 7};
    ptx_test_must_run(&t, "k", 1, 32, &p);
    memcpy(out, dev_ptr(t.mem, p.out, 128), 128);
    uint64_t executed = t.counts.warp_instructions;
    ptx_test_free(&t);
    return executed;
}

/* How many instructions more an assembler makes than the text has, besides the two that a kernel begins with; the
 * results are equal. */
static int more(const char *text)
{
    uint32_t have[32], want[32];
    uint64_t before = run(text, false, want), after = run(text, true, have);
    for (unsigned i = 0; i < 32; i++)
        if (have[i] != want[i]) fail_msg("lane %u has %u, not %u", i, have[i], want[i]);
    return (int)after - (int)before - 2;
}

#define NOTHING "mov.u32 %r3, %r2;\n" /* not written again, so it is a copy; the index of HEAD goes too */

TEST(copies_and_scaled_indices_vanish)
{
    assert_int_equal(more(HEAD NOTHING TAIL), -2);
    assert_int_equal(more(HEAD "cvt.u64.u32 %d5, %r2;\nshl.b64 %d6, %d5, 2;\nadd.s64 %d7, %d1, %d6;\n"
                               "st.global.u32 [%d7], %r1;\nmov.u32 %r3, %r2;\n" TAIL),
                     -4);
}

/* Instructions are chosen before they are put in order: that the index changes behind the address it makes does not
 * cost a product and a sum of two. The stride of the second one is multiplied anew in each sum. Four rounds. */
TEST(indices_that_change_later_vanish)
{
    assert_int_equal(more(HEAD "mov.u32 %r3, 0;\nmov.u32 %r5, %r2;\nL: mul.wide.s32 %d5, %r5, 4;\n"
                               "add.s64 %d6, %d1, %d5;\nst.global.u32 [%d6], %r5;\nadd.s32 %r5, %r5, 1;\n"
                               "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 4;\n@%p1 bra L;\n" TAIL),
                     -1 - 4);
    assert_int_equal(more(HEAD "mov.u32 %r3, 0;\nmul.wide.s32 %d5, %r1, 4;\nmov.u64 %d6, %d1;\n"
                               "L: add.s64 %d6, %d6, %d5;\nst.global.u32 [%d6], %r3;\n"
                               "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 4;\n@%p1 bra L;\n" TAIL),
                     -1 - 1);
}

/* The lower half of a pair is a register that is there. */
TEST(sixty_four_bits_take_two)
{
    assert_int_equal(more(HEAD "add.s64 %d5, %d1, %d4;\ncvt.u32.u64 %r3, %d5;\n" TAIL), -2 + 1);
    assert_int_equal(more(HEAD "xor.b64 %d5, %d1, %d4;\ncvt.u32.u64 %r3, %d5;\n" TAIL), -2 + 1);
}

TEST(a_division_is_a_sequence)
{
    assert_true(more(HEAD "div.s32 %r3, %r2, %r1;\n" TAIL) > 8);
    assert_true(more(HEAD "rem.u32 %r3, %r2, %r1;\n" TAIL) > 8);
    assert_true(more(HEAD "cvt.rn.f32.u32 %f1, %r2;\ncvt.rn.f32.u32 %f2, %r1;\ndiv.rn.f32 %f3, %f1, %f2;\n"
                          "mov.b32 %r3, %f3;\n" TAIL) > 5);
}

/* A guarded one stays one instruction: its mask is in the stream. */
TEST(a_guarded_division_stays)
{
    assert_int_equal(more(HEAD "mov.u32 %r3, 5;\nsetp.gt.u32 %p1, %r2, 9;\n@%p1 div.s32 %r3, %r2, %r1;\n" TAIL), -1);
}

#define FILL                                                                                                           \
    "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.s32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\n"                    \
    "st.shared.u32 [%r6+128], %r1;\nbar.sync 0;\nand.b32 %r7, %r2, 7;\n"
#define SUM "add.s32 %r3, %r10, %r11;\nshl.b32 %r3, %r3, 3;\nsub.s32 %r3, %r3, %r12;\nxor.b32 %r3, %r3, %r13;\n"
#define LOADS(a, b, c, d)                                                                                              \
    "ld.shared.u32 %r10, [%r9+" #a "];\nld.shared.u32 %r11, [%r9+" #b "];\nld.shared.u32 %r12, [%r9+" #c "];\n"        \
    "ld.shared.u32 %r13, [%r9+" #d "];\n"
#define AT(bits) "shl.b32 %r8, %r7, " #bits ";\nadd.s32 %r9, %r4, %r8;\n"
#define BASE     (-2) /* the scaled index of HEAD and the address of the variable, which is a literal */

TEST(aligned_neighbours_in_shared_memory_are_one_load)
{
    assert_int_equal(more(HEAD FILL AT(4) LOADS(0, 4, 8, 12) SUM TAIL), BASE - 3);
    assert_int_equal(more(HEAD FILL AT(4) LOADS(12, 4, 0, 8) SUM TAIL), BASE - 3); /* in any order */
    assert_int_equal(more(HEAD FILL AT(4) LOADS(0, 4, 16, 24) SUM TAIL), BASE - 1);
    assert_int_equal(more(HEAD FILL AT(3) LOADS(0, 4, 8, 12) SUM TAIL), BASE - 2); /* pairs: 8 bytes are sure */
    assert_int_equal(more(HEAD FILL AT(2) LOADS(0, 4, 8, 12) SUM TAIL), BASE);
    assert_int_equal(more(HEAD FILL AT(4) LOADS(4, 8, 20, 24) SUM TAIL), BASE); /* neighbours across the border */
}

TEST(loads_with_something_between_them_stay_apart)
{
    assert_int_equal(more(HEAD FILL AT(4) "ld.shared.u32 %r10, [%r9];\nld.shared.u32 %r12, [%r9+8];\n"
                                          "st.shared.u32 [%r9+4], %r2;\nbar.sync 0;\n"
                                          "ld.shared.u32 %r11, [%r9+4];\nld.shared.u32 %r13, [%r9+12];\n" SUM TAIL),
                     BASE);
    assert_int_equal(
        more(HEAD FILL AT(4) "ld.shared.u32 %r10, [%r9];\nadd.s32 %r9, %r9, 16;\n"
                             "ld.shared.u32 %r11, [%r9+4];\nmov.u32 %r12, %r9;\nmov.u32 %r13, %r9;\n" SUM TAIL),
        BASE - 2);
    /* What the second would write is read before it. */
    assert_int_equal(more(HEAD FILL AT(4) "mov.u32 %r11, 3;\nld.shared.u32 %r10, [%r9];\nadd.s32 %r12, %r11, 1;\n"
                                          "ld.shared.u32 %r11, [%r9+4];\nmov.u32 %r13, 1;\n" SUM TAIL),
                     BASE - 1);
}

/* ---- short ways (guard_short.c) ---- */

#define ODD  "mov.u32 %r3, 5;\nand.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
#define ADD  "add.s32 %r3, %r3, %r2;\n"
#define ADD7 ADD ADD ADD ADD ADD ADD ADD

/* The branch goes, and with it the instruction of the lanes that part. */
TEST(a_short_way_is_guarded)
{
    assert_int_equal(more(HEAD ODD "@%p1 bra END;\n" ADD "END:\n" TAIL), -1 - 1);
    assert_int_equal(more(HEAD ODD "@%p1 bra END;\n" ADD7 "END:\n" TAIL), -1 - 1);
    assert_int_equal(more(HEAD ODD "@%p1 bra END;\n" ADD7 ADD "END:\n" TAIL), -1 + 3); /* lanes part and meet */
    assert_int_equal(more(HEAD "mov.u32 %r3, 5;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 bra END;\n" ADD7 ADD "END:\n" TAIL),
                     -1); /* all lanes go the same way */
}

TEST(two_short_ways_are_guarded)
{
    static const char either[] = HEAD ODD "@%p1 bra ELSE;\n" ADD "bra END;\nELSE:\nsub.s32 %r3, %r3, %r2;\nEND:\n" TAIL;
    assert_int_equal(more(either), -1 - 2);
    assert_int_equal(more(HEAD ODD "@%p1 bra ELSE;\n" ADD "bra END;\nELSE:\n" ADD ADD ADD ADD ADD ADD "END:\n" TAIL),
                     -1 + 3);
}

/* What is read behind the way, or made anew in the next round, must not be written by the other lanes. */
TEST(what_leaves_a_short_way_has_its_guard)
{
    assert_int_equal(more(HEAD ODD "@%p1 bra END;\nadd.s32 %r5, %r2, 1;\nmul.lo.s32 %r3, %r5, %r2;\nEND:\n" TAIL),
                     -1 - 1);
    assert_int_equal(more(HEAD "mov.u32 %r6, 0;\nmov.u32 %r3, 0;\nLOOP:\nadd.s32 %r4, %r2, %r6;\nand.b32 %r4, %r4, 3;\n"
                               "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra NEXT;\nadd.s32 %r5, %r6, 9;\nNEXT:\n"
                               "add.s32 %r3, %r3, %r5;\nadd.s32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 8;\n"
                               "@%p2 bra LOOP;\n" TAIL),
                     -1 - 8);
}

#define AROUND(way) HEAD ODD "@%p1 bra END;\n" way "END:\n" TAIL

TEST(some_ways_stay_branches)
{
    assert_true(more(AROUND("bar.warp.sync 0xffffffff;\n")) >= 0);
    assert_true(more(AROUND("atom.global.add.u32 %r3, [%d4], 1;\n")) >= 0);
    assert_true(more(AROUND("div.s32 %r3, %r2, %r1;\n")) >= 0);
    assert_true(more(AROUND("ld.volatile.global.u32 %r3, [%d4];\n")) >= 0);
    assert_true(more(AROUND("setp.ne.u32 %p1, %r2, 3;\n@%p1 add.s32 %r3, %r3, 1;\n")) >= 0);
}

/* Lanes that go to the end do not meet again. */
TEST(lanes_that_end_do_not_part)
{
    assert_int_equal(more(HEAD ODD "st.global.u32 [%d4], %r1;\n@%p1 bra END;\n" ADD7 ADD ADD
                                   "st.global.u32 [%d4], %r3;\nEND:\nret;\n}\n"),
                     -1);
}

/* However short the way is: lanes that end need no guards. */
TEST(a_way_to_the_end_is_not_guarded)
{
    assert_int_equal(more(HEAD ODD "@%p1 bra END;\n" ADD "st.global.u32 [%d4], %r3;\nEND:\nret;\n}\n"), -1);
}

/* Lanes that the outer condition sends past the way have left the inner one too, whatever its comparison says there. */
TEST(two_conditions_of_a_way_are_one_guard)
{
#define BOTH(outer, inner, body)                                                                                       \
    HEAD ODD "setp.lt.u32 %p2, %r2, 20;\nmov.u32 %r5, 3;\n" outer "and.b32 %r5, %r2, 2;\n"                             \
             "setp.eq.u32 %p3, %r5, 0;\n" inner body "END:\n" TAIL
    assert_int_equal(more(BOTH("@%p1 bra END;\n", "@%p3 bra END;\n", ADD)), -1 - 2);
    assert_int_equal(more(BOTH("@%p1 bra END;\n", "@!%p3 bra END;\n", ADD)), -1 - 2);
    assert_int_equal(more(BOTH("@!%p2 bra END;\n", "@!%p3 bra END;\n", ADD ADD)), -1 - 2);
    assert_true(more(BOTH("@%p1 bra END;\n", "@%p3 bra END;\n", ADD7)) > -3); /* too long for both */
}

/* ---- lanes that repeat an exchange (yield.h) ---- */

/* How many lanes each lane saw at the head of the last of four rounds in which all add to one word or, `apart`, each to
 * its own. */
static void lanes_at_head(bool apart, bool scheduled, uint32_t *out)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", HEAD "mov.u32 %r9, tile;\n", apart ? "mad.lo.u32 %r9, %r2, 4, %r9;\n" : "",
             "mov.u32 %r6, 0;\nROUND:\nactivemask.b32 %r10;\npopc.b32 %r3, %r10;\n"
             "ld.volatile.shared.u32 %r7, [%r9];\nAGAIN:\nadd.s32 %r8, %r7, 1;\n"
             "atom.shared.cas.b32 %r11, [%r9], %r7, %r8;\nsetp.ne.u32 %p1, %r11, %r7;\n"
             "mov.u32 %r7, %r11;\n@%p1 bra AGAIN;\nadd.s32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 4;\n"
             "@%p2 bra ROUND;\nld.volatile.shared.u32 %r12, [tile];\n" TAIL);
    run(text, scheduled, out);
}

TEST(lanes_that_repeat_an_exchange_stay_apart)
{
    uint32_t seen[32];
    for (unsigned i = 0; i < 3; i++) {
        lanes_at_head(i == 0, i < 2, seen);
        for (unsigned lane = 0; lane < 32; lane++) assert_int_equal(seen[lane], i == 1 ? 1 : 32);
    }
}
