/* test_excerpt.c - streams of which parts are left out: everything is executed and counted, and little is recorded. */
#include <string.h>

#include "ptx_run.h"

/* Each thread adds up the numbers below n; with a barrier behind the loop, or without. */
#define SUM(name, barrier)                                                                                             \
    ".visible .entry " name "(.param .u64 out, .param .u32 n)\n{\n"                                                    \
    ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.reg .pred %p;\n"                                                            \
    "ld.param.u64 %rd0, [out];\nld.param.u32 %r0, [n];\n"                                                              \
    "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"                                                                               \
    "loop:\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r1, %r1, 1;\n"                                                            \
    "setp.lt.u32 %p, %r1, %r0;\n@%p bra loop;\n" barrier                                                               \
    "mov.u32 %r3, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n"                                            \
    "mad.lo.u32 %r3, %r4, %r5, %r3;\nmul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd2, %rd0, %rd1;\n"                          \
    "st.global.u32 [%rd2], %r2;\nret;\n}\n"
static const char text[] = PTX_HEAD SUM("sum", "") SUM("meet", "bar.sync 0;\n");

enum { THREADS = 64, CTAS = 2 };

struct outcome {
    struct exec_counts counts, passed, streamed;
    uint64_t gaps;
    bool asked; /* the source can leave something out */
};

static struct outcome launch(struct ptx_test *t, const char *name, uint32_t n)
{
    struct outcome x = {0};
    struct {
        uint64_t out;
        uint32_t n;
    } params = {dev_alloc(t->mem, CTAS * THREADS * 4), n};
    struct ptx_launch l = {.image = t->img,
                           .kernel = ptx_find_kernel(t->mod, name),
                           .grid = {CTAS, 1, 1},
                           .block = {THREADS, 1, 1},
                           .params = &params,
                           .sliced = true};
    struct stream_source *s = ptx_open(&l, &t->err);
    struct cta_stream c;
    struct warp_stream more;
    assert_non_null(s);
    x.asked = s->excerpt;
    if (x.asked) s->excerpt(s);
    while (s->next(s, &c, &t->err) > 0) {
        for (uint32_t i = 0; i < c.nwarps; i++) {
            more = c.warp[i]; /* empty where all of it is in slices */
            do ptx_test_walk(s->info->code, more, &x.streamed, NULL);
            while (s->more(s, &c, i, &more) > 0);
        }
        s->release(s, &c);
    }
    x.counts = ptx_counts(s);
    x.passed = ptx_passed(s);
    x.gaps = x.asked ? s->gaps(s) : 0;
    ptx_close(s);
    const uint32_t *sum = dev_ptr(t->mem, params.out, CTAS * THREADS * 4);
    for (unsigned i = 0; i < CTAS * THREADS; i++) assert_int_equal(sum[i], (uint32_t)((uint64_t)n * (n - 1) / 2));
    assert_int_equal(x.streamed.warp_instructions + x.passed.warp_instructions, x.counts.warp_instructions);
    assert_int_equal(x.streamed.thread_instructions + x.passed.thread_instructions, x.counts.thread_instructions);
    assert_int_equal(x.gaps, x.passed.warp_instructions);
    return x;
}

TEST(of_long_warps_little_is_recorded)
{
    struct ptx_test t;
    ptx_test_load(&t, text);
    struct outcome x = launch(&t, "sum", 400000); /* 1.6 million instructions per warp */
    assert_true(x.asked);
    assert_true(x.streamed.warp_instructions < x.counts.warp_instructions / 3);
    assert_true(x.streamed.warp_instructions > x.counts.warp_instructions / 8);
    ptx_test_free(&t);
}

TEST(short_warps_are_recorded_whole)
{
    struct ptx_test t;
    ptx_test_load(&t, text);
    struct outcome x = launch(&t, "sum", 60000);
    assert_int_equal(x.passed.warp_instructions, 0);
    ptx_test_free(&t);
}

TEST(warps_that_meet_are_recorded_whole)
{
    struct ptx_test t;
    ptx_test_load(&t, text);
    assert_false(launch(&t, "meet", 100000).asked);
    ptx_test_free(&t);
}
