/* test_unroll.c - loops that an assembler unrolls once more: which, and that they compute what they did. */
#include "ptx_run.h"

#define HEAD                                                                                                           \
    PTX_HEAD                                                                                                           \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n.reg .pred %p<4>;\n"                        \
    ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\nld.param.u64 %d1, [out];\nld.param.u64 %d2, [in];\n"        \
    "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %d3, %r2, 4;\nadd.s64 %d4, %d1, %d3;\n"                \
    "mov.u32 %r5, 0;\nmov.u32 %r3, 0;\n"
#define TAIL "st.global.u32 [%d4], %r3;\nst.global.u32 [%d4+256], %r5;\nret;\n}\n"

/* Each lane counts down from n plus four times its number: r3 = r3 * 3 + in[k], r5 sums up what r1 was. A vector load,
 * a store and a value that is read before it is written are among it. */
#define BODY                                                                                                           \
    "ld.global.v2.u32 {%r6, %r7}, [%d2];\nmad.lo.s32 %r3, %r3, 3, %r6;\nadd.s32 %r3, %r3, %r7;\n"                      \
    "st.global.u32 [%d4+512], %r3;\nadd.s32 %r5, %r5, %r1;\nadd.s64 %d2, %d2, 8;\n"
#define LOOP(step, test) "shl.b32 %r8, %r2, 2;\nadd.s32 %r1, %r1, %r8;\nL: " BODY step "\n" test "\n@%p1 bra L;\n"
#define COUNTED          LOOP("add.s32 %r1, %r1, -4;", "setp.ne.s32 %p1, %r1, 0;")

struct params {
    uint64_t out, in;
    uint32_t n;
};

/* Results of 32 lanes in out[0..31], out[64..95] and out[128..159]; the instructions that were executed. */
static uint64_t run(const char *text, uint32_t n, bool scheduled, uint32_t *out)
{
    struct ptx_test t;
    ptx_test_load_for(&t, text, (struct ptx_target){.scheduled = scheduled});
    struct params p = {.out = dev_alloc(t.mem, 4096), .in = dev_alloc(t.mem, 65536), .n = n};
    uint32_t *in = dev_ptr(t.mem, p.in, 65536);
    for (uint32_t i = 0; i < 16384; i++) in[i] = i * UINT32_C(2654435761);
    ptx_test_must_run(&t, "k", 1, 32, &p);
    memcpy(out, dev_ptr(t.mem, p.out, 640), 640);
    uint64_t executed = t.counts.thread_instructions;
    ptx_test_free(&t);
    return executed;
}

/* Whether fewer instructions give the same. */
static bool unrolled(const char *text, uint32_t n)
{
    uint32_t have[160], want[160];
    uint64_t before = run(text, n, false, want), after = run(text, n, true, have);
    for (unsigned i = 0; i < 160; i++)
        if (have[i] != want[i]) fail_msg("n = %u: word %u is %u, not %u", n, i, have[i], want[i]);
    return after < before;
}

/* Lanes leave after different rounds; from 16 rounds of the source's loop on the unrolled one is used. */
TEST(a_loop_that_counts_down_by_four_is_unrolled)
{
    for (uint32_t n = 4; n < 160; n += 4) assert_int_equal(unrolled(HEAD COUNTED TAIL, n), true);
}

/* 31 rounds: 7 times four of them go together, with four tests and four branches less and a test and a branch of their
 * own; a test and a branch before them and behind them. Two instructions begin a kernel. The pointer moves once in four
 * rounds, 10 times in all, by two instructions, as additions of 64 bits take; the scaled index in front is none
 * (assemble.h). */
TEST(tests_between_the_copies_are_gone)
{
    uint32_t out[160];
    const char *one = HEAD "L: " BODY "add.s32 %r1, %r1, -4;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n" TAIL;
    uint64_t before = run(one, 124, false, out), after = run(one, 124, true, out);
    assert_int_equal(before - after, 32 * (7 * (4 + 4) - 7 * 2 - 2 - 2 - 2 + 31 - 10 * 2 + 1));
}

TEST(other_loops_stay)
{
    assert_false(unrolled(HEAD LOOP("add.s32 %r1, %r1, -1;", "setp.ne.s32 %p1, %r1, 0;") TAIL, 64));
    assert_false(unrolled(HEAD LOOP("add.s32 %r1, %r1, -4;", "setp.gt.s32 %p1, %r1, 0;") TAIL, 64));
    assert_false(
        unrolled(HEAD LOOP("bar.warp.sync 0xffffffff;\nadd.s32 %r1, %r1, -4;", "setp.ne.s32 %p1, %r1, 0;") TAIL, 64));
    assert_false(
        unrolled(HEAD LOOP("@%p2 add.s32 %r5, %r5, 1;\nadd.s32 %r1, %r1, -4;", "setp.ne.s32 %p1, %r1, 0;") TAIL, 64));
    assert_false(unrolled(
        HEAD LOOP("setp.eq.s32 %p2, %r1, 99;\n@%p2 bra M;\nM: add.s32 %r1, %r1, -4;", "setp.ne.s32 %p1, %r1, 0;") TAIL,
        64));
}

/* A counter that nothing else reads, and pointers that are read before and behind their steps. */
TEST(counters_and_pointers_move_once)
{
    const char *text = HEAD "add.s64 %d5, %d2, 64;\nL: ld.global.u32 %r6, [%d2+4];\nadd.s64 %d2, %d2, 12;\n"
                            "ld.global.u32 %r7, [%d2];\nadd.s64 %d5, %d5, -4;\nld.global.u32 %r8, [%d5+256];\n"
                            "mad.lo.s32 %r3, %r3, 3, %r6;\nadd.s32 %r3, %r3, %r7;\nxor.b32 %r3, %r3, %r8;\n"
                            "add.s32 %r1, %r1, -4;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n" TAIL;
    for (uint32_t n = 4; n < 160; n += 4) unrolled(text, n);
    uint32_t out[160];
    uint64_t before = run(text, 64, false, out), after = run(text, 64, true, out);
    /* 16 rounds: 4 times four. Tests and branches as above; 3 steps of 4 are gone, those of pointers take two; the
     * address in front takes two, the scaled index and the literal in r5 none. */
    assert_int_equal(before - after, 32 * (4 * (4 + 4) - 4 * 2 - 2 - 2 - 2 + 16 * 3 - 4 * (2 + 2 + 1) - 1 + 2));
}

/* Addresses made of a pointer that moves and of something that stays, before and behind its step, and of one another:
 * each is made once in four rounds. One that is read behind the loop, or in the round after, is made in each. */
TEST(what_follows_a_pointer_is_made_once)
{
#define ROUND(between, behind)                                                                                         \
    HEAD "mul.wide.u32 %d5, %r2, 16;\nmov.u64 %d8, %d2;\nL: " between                                                  \
         "add.s64 %d6, %d2, %d5;\nld.global.u32 %r6, [%d6+4];\nadd.s64 %d7, %d6, 128;\nld.global.u32 %r7, [%d7];\n"    \
         "add.s64 %d2, %d2, 12;\nadd.s64 %d8, %d5, %d2;\nld.global.u32 %r8, [%d8+256];\n"                              \
         "mad.lo.s32 %r3, %r3, 3, %r6;\nadd.s32 %r3, %r3, %r7;\nxor.b32 %r3, %r3, %r8;\n"                              \
         "add.s32 %r1, %r1, -4;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n" behind TAIL
    uint32_t out[160];
    static const char text[] = ROUND("", "");
    for (uint32_t n = 4; n < 160; n += 4) {
        unrolled(text, n);
        unrolled(ROUND("", "ld.global.u32 %r5, [%d8];\n"), n);
        unrolled(ROUND("ld.global.u32 %r8, [%d8];\nadd.s32 %r3, %r3, %r8;\n", ""), n);
    }
    uint64_t with = run(text, 64, true, out), without = run(ROUND("", "mov.u64 %d7, %d8;\n"), 64, true, out);
    assert_true(without - with >= 32 * (4 * 3) * (2 + 1 + 1)); /* then d2, d6 and d8 are made in each round */
}
