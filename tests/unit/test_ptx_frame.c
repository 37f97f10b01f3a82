/* test_ptx_frame.c - registers that share places: what a thread has not written is zero, whoever had the place before,
 * and no value is lost to another one. */
#include "ptx_run.h"

#define BEGIN                                                                                                          \
    PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q;\n.reg .b32 %i, %t, %r<32>;\n"                  \
             ".reg .b64 %x<8>;\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %t, %tid.x;\n"                  \
             "mad.lo.s32 %i, %r0, %r1, %t;\nld.param.u64 %x1, [out];\nmul.wide.u32 %x2, %i, 4;\n"                      \
             "add.s64 %x0, %x1, %x2;\n"
#define END "st.global.u32 [%x0], %r31;\nret;\n}\n"

enum { WORDS = PTX_TEST_WORDS };

static struct ptx_test T;

/* Later CTAs run in the frames of earlier ones, in which every place has held something. */
TEST(what_one_path_does_not_write_is_zero)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       BEGIN "setp.lt.u32 %p, %t, 10;\n@%p bra OVER;\nmov.u32 %r5, 77;\n"
                             "OVER:\nadd.u32 %r31, %r5, 1;\nmov.u32 %r5, 1000;\nadd.u32 %r31, %r31, %r5;\n" END,
                       8, 64);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], i % 64 < 10 ? 1001 : 1078);
    ptx_test_free(&T);
}

TEST(what_a_guard_may_not_write_is_zero)
{
    const uint32_t *w = ptx_test_words(&T,
                                       BEGIN "setp.lt.u32 %p, %t, 10;\n@%p mov.u32 %r5, 77;\nadd.u32 %r31, %r5, 1;\n"
                                             "mov.u32 %r5, 1000;\nadd.u32 %r31, %r31, %r5;\n" END,
                                       8, 64);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], i % 64 < 10 ? 1078 : 1001);
    ptx_test_free(&T);
}

/* The only block that names r5 reads it before it writes it: the value of the round before, first zero. */
TEST(a_loop_carries_what_it_reads_first)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       BEGIN "mov.u32 %r6, 0;\nmov.u32 %r31, 0;\n"
                             "LOOP:\nadd.u32 %r31, %r31, %r5;\nadd.u32 %r5, %r5, 3;\nadd.u32 %r6, %r6, 1;\n"
                             "setp.le.u32 %p, %r6, %t;\n@%p bra LOOP;\n" END,
                       8, 64);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], 3 * (i % 64) * (i % 64 + 1) / 2);
    ptx_test_free(&T);
}

/* Values of 32 and of 64 bits live and die in one block in many orders; each must be there when it is read. */
TEST(values_of_a_block_do_not_disturb_one_another)
{
    const uint32_t *w = ptx_test_words(
        &T,
        BEGIN "bra MORE;\nMORE:\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %r2, 2;\nmul.wide.u32 %x3, %r2, %r3;\n"
              "add.u32 %r4, %r3, 4;\ncvt.u64.u32 %x4, %r4;\nadd.u64 %x5, %x3, %x4;\n"
              "cvt.u32.u64 %r7, %x5;\nsub.u32 %r8, %r7, %r2;\nxor.b32 %r9, %r8, %r7;\n"
              "cvt.u64.u32 %x6, %r9;\nshl.b64 %x7, %x6, 1;\nadd.u64 %x7, %x7, %x6;\n"
              "cvt.u32.u64 %r10, %x7;\nadd.u32 %r31, %r10, %r8;\n" END,
        8, 64);
    for (unsigned i = 0; i < 512; i++) {
        uint32_t r2 = i % 64 + 1, r3 = r2 + 2, r7 = r2 * r3 + r3 + 4, r8 = r7 - r2;
        assert_int_equal(w[i], 3 * (r8 ^ r7) + r8);
    }
    ptx_test_free(&T);
}

/* A lane may be asked for what it has not written. */
TEST(a_shuffle_finds_zero_where_nothing_was_written)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       BEGIN "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p, %r2, 0;\n@%p bra EVEN;\nmov.u32 %r5, 9;\n"
                             "EVEN:\nshfl.sync.bfly.b32 %r31, %r5, 1, 31, -1;\nmov.u32 %r5, 5;\n" END,
                       8, 64);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], i % 2 ? 0 : 9);
    ptx_test_free(&T);
}

/* Two warps keep values across a barrier, in which the other one runs. */
TEST(warps_keep_their_registers_at_a_barrier)
{
    const uint32_t *w =
        ptx_test_words(&T,
                       BEGIN ".shared .u32 s[64];\nmul.lo.u32 %r2, %i, 7;\nmov.u32 %r9, s;\nshl.b32 %r3, %t, 2;\n"
                             "add.u32 %r3, %r9, %r3;\nst.shared.u32 [%r3], %r2;\nbar.sync 0;\nxor.b32 %r4, %t, 32;\n"
                             "shl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r9, %r4;\nld.shared.u32 %r5, [%r4];\n"
                             "add.u32 %r31, %r5, %r2;\n" END,
                       8, 64);
    for (unsigned i = 0; i < 512; i++) assert_int_equal(w[i], 7 * i + 7 * (i ^ 32));
    ptx_test_free(&T);
}

/* Copies of parameters and special registers have no place of their own: readers in any block find the value, a second
 * launch finds its own, and a register with another writer keeps its own place. */
TEST(copies_of_constants_are_found_where_they_came_from)
{
    const char *text = PTX_HEAD
        ".visible .entry k(.param .u64 out, .param .u32 add, .param .u32 scale)\n{\n.reg .pred %p;\n.reg .b32 %r<16>;\n"
        ".reg .b64 %x<8>;\nld.param.u64 %x0, [out];\nld.param.u32 %r0, [add];\nld.param.u32 %r1, [scale];\n"
        "cvta.to.global.u64 %x1, %x0;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
        "mov.u32 %r9, 3;\nmov.u32 %r10, %r9;\nmov.u32 %r11, %r1;\nmad.lo.u32 %r5, %r2, %r3, %r4;\n"
        "setp.lt.u32 %p, %r4, 7;\n@%p mov.u32 %r11, 1;\n@%p bra OVER;\nadd.u32 %r6, %r5, %r10;\n"
        "OVER:\nmad.lo.u32 %r7, %r5, %r11, %r0;\nmul.wide.u32 %x2, %r5, 4;\nadd.u64 %x3, %x1, %x2;\n"
        "add.u32 %r8, %r7, %r6;\nst.global.u32 [%x3], %r8;\nret;\n}\n";
    ptx_test_load(&T, text);
    struct {
        uint64_t out;
        uint32_t add, scale;
    } p = {dev_alloc(T.mem, 4 * WORDS), 5, 2};
    for (unsigned round = 0; round < 2; round++, p.add = 900, p.scale = 11) {
        ptx_test_must_run(&T, "k", 8, 64, &p);
        const uint32_t *w = dev_ptr(T.mem, p.out, 4 * WORDS);
        for (uint32_t i = 0; i < 512; i++) assert_int_equal(w[i], i % 64 < 7 ? i + p.add : i * p.scale + p.add + i + 3);
    }
    ptx_test_free(&T);
}
