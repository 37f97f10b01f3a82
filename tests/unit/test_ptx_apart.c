/* test_ptx_apart.c - barriers to which lanes of one warp come apart: behind a lock, on different ways, with a number of
 * threads, without waiting. Every run also checks that its streams hold what the executor counted (ptx_run.h), and that
 * all warps of the timing half arrive at barriers of the CTA equally often. */
#include "ptx_run.h"

/* Kernels of one u32 buffer: `i` is the thread's number in the grid, `x0` its word, `l` the lane. `p`: a low lane. */
#define BEGIN                                                                                                          \
    PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q;\n.reg .b32 %i, %t, %l, %a, %b, %c, %d, %o;\n"  \
             ".reg .b64 %x<8>;\n.reg .b32 %s0, %s1;\n.shared .align 4 .b8 box[1024];\n.reg .b32 %m, %n;\n"             \
             "mov.u32 %s0, %ctaid.x;\nmov.u32 %s1, %ntid.x;\nmov.u32 %t, %tid.x;\nmad.lo.s32 %i, %s0, %s1, %t;\n"      \
             "and.b32 %l, %t, 31;\nsetp.lt.u32 %p, %l, 16;\nmov.u32 %m, box;\nmad.lo.u32 %m, %t, 4, %m;\n"             \
             "ld.param.u64 %x1, [out];\nmul.wide.u32 %x2, %i, 4;\nadd.s64 %x0, %x1, %x2;\nadd.s64 %x3, %x1, 4000;\n"
#define END "st.global.u32 [%x0], %a;\nret;\n}\n"
/* The word of the lane 16 away. */
#define READ_PARTNER "xor.b32 %n, %m, 64;\nld.shared.u32 %a, [%n];\n"

static struct ptx_test T;

static unsigned arrivals(const struct code *c, struct warp_stream s)
{
    struct stream_reader r;
    struct warp_addrs a;
    unsigned n = 0;
    for (stream_open(&r, s); !stream_done(&r);) {
        const struct code_block *b = &c->block[stream_next_block(&r)];
        for (uint32_t i = b->first; i < b->first + b->count; i++) {
            uint32_t exec = c->inst[i].guarded ? stream_next_guard(&r) : r.mask;
            if (inst_is_mem(&c->inst[i]) && exec) stream_next_addrs(&r, exec, &a);
            n += c->inst[i].kind == INST_BARRIER && exec;
        }
    }
    return n;
}

/* The words that the kernel leaves; each warp arrives `meetings` times at barriers of the CTA. */
static const uint32_t *words(const char *text, uint32_t grid, uint32_t block, unsigned meetings)
{
    const uint32_t *w = ptx_test_words(&T, text, grid, block);
    uint64_t out = dev_alloc(T.mem, 4 * PTX_TEST_WORDS);
    struct ptx_launch l = {.image = T.img,
                           .kernel = ptx_find_kernel(T.mod, "k"),
                           .grid = {grid, 1, 1},
                           .block = {block, 1, 1},
                           .params = &out};
    struct stream_source *s = ptx_open(&l, &T.err);
    struct cta_stream c;
    assert_non_null(s);
    while (s->next(s, &c, &T.err) > 0) {
        for (uint32_t i = 0; i < c.nwarps; i++) assert_int_equal(arrivals(s->info->code, c.warp[i]), meetings);
        s->release(s, &c);
    }
    ptx_close(s);
    return w;
}

/* Lanes take a lock one by one, then all threads of the block meet and see what all have done. */
#define LOCK(label)                                                                                                    \
    label ":\natom.global.cas.b32 %a, [%x3], 0, 1;\nsetp.ne.u32 %q, %a, 0;\n@%q bra " label ";\n"                      \
          "ld.volatile.global.u32 %b, [%x3+4];\nadd.u32 %b, %b, 1;\nst.volatile.global.u32 [%x3+4], %b;\n"             \
          "atom.global.exch.b32 %c, [%x3], 0;\n"
TEST(behind_a_lock_all_meet)
{
    const uint32_t *w = words(BEGIN LOCK("TRY") "bar.sync 0;\nld.volatile.global.u32 %a, [%x3+4];\n" END, 1, 96, 1);
    for (unsigned i = 0; i < 96; i++) assert_int_equal(w[i], 96);
    ptx_test_free(&T);
    w = words(BEGIN LOCK("TRY") "bar.sync 0;\n" LOCK("AGAIN") "bar.sync 0;\nld.volatile.global.u32 %a, [%x3+4];\n" END,
              2, 64, 2);
    assert_int_equal(w[1001], 256); /* of two blocks, each thread twice */
    ptx_test_free(&T);
}

/* The two halves of each warp of the first 32 threads stand at different instructions; the others have one. */
TEST(different_instructions_are_one_barrier)
{
    const uint32_t *w =
        words(BEGIN "st.shared.u32 [%m], 0;\nadd.u32 %b, %t, 100;\nsetp.ge.u32 %q, %t, 32;\n@%q bra ALL;\n"
                    "@%p bra LOW;\nst.shared.u32 [%m], %b;\nbar.sync 0;\n" READ_PARTNER "bra JOIN;\n"
                    "LOW:\nst.shared.u32 [%m], %b;\nbar.sync 0;\n" READ_PARTNER "bra JOIN;\n"
                    "ALL:\nbar.sync 0;\nmov.u32 %n, box;\nld.shared.u32 %a, [%n+80];\nJOIN:\n" END,
              1, 64, 1);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i < 32 ? (i ^ 16) + 100 : 120);
    ptx_test_free(&T);
}

TEST(ways_reduce_together)
{
    const uint32_t *w = words(BEGIN "setp.lt.u32 %q, %t, 21;\n@%p bra LOW;\nbar.red.popc.u32 %a, 0, %q;\nbra JOIN;\n"
                                    "LOW:\nbar.red.popc.u32 %a, 0, %q;\nadd.u32 %a, %a, 100;\nJOIN:\n" END,
                              1, 64, 1);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i % 32 < 16 ? 121 : 21);
    ptx_test_free(&T);
}

/* The low halves of two warps are 32 threads, and the high halves too. */
TEST(halves_of_two_warps_meet)
{
    const uint32_t *w =
        words(BEGIN "st.shared.u32 [%m], %t;\nxor.b32 %n, %m, 128;\n@%p bra LOW;\nbarrier.sync 2, 32;\nbra JOIN;\n"
                    "LOW:\nbarrier.sync 1, 32;\nJOIN:\nld.shared.u32 %a, [%n];\n" END,
              1, 64, 0);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i ^ 32);
    ptx_test_free(&T);
}

/* One warp arrives in two parts, or in one of which the others do not, and the second waits for its 32 threads. */
TEST(parts_arrive_without_waiting)
{
    static const char *const high[] = {"bar.arrive 1, 64;\n", "mov.u32 %d, 1;\n"};
    for (unsigned k = 0; k < 2; k++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s%s",
                 BEGIN "setp.ge.u32 %q, %t, 32;\n@%q bra WAIT;\n@%p bra LOW;\nst.shared.u32 [%m], 7;\n", high[k],
                 "bra JOIN;\nLOW:\nst.shared.u32 [%m], 7;\nbar.arrive 1, 64;\nbra JOIN;\n"
                 "WAIT:\nbar.sync 1, 64;\nxor.b32 %n, %m, 128;\nld.shared.u32 %a, [%n];\nJOIN:\n" END);
        const uint32_t *w = words(text, 1, 64, 0);
        for (unsigned i = 32; i < 64; i++) assert_int_equal(w[i], 7);
        ptx_test_free(&T);
    }
}

/* Lanes that end, and lanes that wait where the ways meet, are not waited for. */
TEST(lanes_that_cannot_come_count)
{
    const uint32_t *w =
        words(BEGIN "mov.u32 %a, 5;\n@%p bra LOW;\nst.global.u32 [%x0], %t;\nret;\nLOW:\nbar.sync 0;\n" END, 1, 64, 1);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i % 32 < 16 ? 5 : i);
    ptx_test_free(&T);
    w = words(BEGIN
              "mov.u32 %a, 5;\n@%p bra LOW;\nmov.u32 %a, 6;\nbra JOIN;\nLOW:\nbar.sync 0;\nJOIN:\nbar.sync 0;\n" END,
              1, 64, 2);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(w[i], i % 32 < 16 ? 5 : 6);
    ptx_test_free(&T);
}

static void must_fail(const char *text, const char *why)
{
    ptx_test_load(&T, text);
    uint64_t out = dev_alloc(T.mem, 4 * PTX_TEST_WORDS);
    assert_true(ptx_test_run(&T, "k", 1, 64, &out) < 0);
    if (!strstr(T.err.text, why)) print_error("expected '%s' in: %s\n", why, T.err.text);
    assert_non_null(strstr(T.err.text, why));
    ptx_test_free(&T);
}

/* Different barriers, each for all; a lock that its owner takes along to the barrier. */
TEST(deadlocks_are_found)
{
    must_fail(BEGIN "@%p bra LOW;\nbar.sync 1;\nbra JOIN;\nLOW:\nbar.sync 2;\nJOIN:\nmov.u32 %a, 1;\n" END,
              "barrier deadlock");
    must_fail(BEGIN "TRY:\natom.global.cas.b32 %a, [%x3], 0, 1;\nsetp.ne.u32 %q, %a, 0;\n@%q bra TRY;\nbar.sync 0;\n"
                    "atom.global.exch.b32 %c, [%x3], 0;\n" END,
              "no end in sight");
}
