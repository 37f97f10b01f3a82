/* test_ptx_vectors.c - loads and stores of vectors, and registers split in halves, whatever the lanes' addresses are.
 */
#include "ptx_run.h"

/* Lane i moves a vector from `in` + i * from to `out` + i * to; BODY does, from [%rd4] to [%rd5]. */
#define MOVER(name, type, BODY)                                                                                        \
    ".visible .entry " name "(.param .u64 in, .param .u64 out, .param .u32 from, .param .u32 to)\n{\n"                 \
    ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\n.reg ." type " %a<4>;\n"                                                     \
    "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nld.param.u32 %r0, [from];\nld.param.u32 %r1, [to];\n"        \
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, %r0;\nmul.wide.u32 %rd3, %r2, %r1;\n"                               \
    "add.u64 %rd4, %rd0, %rd2;\nadd.u64 %rd5, %rd1, %rd3;\n" BODY "ret;\n}\n"

static const char movers[] =
    PTX_HEAD MOVER("pairs", "b32", /* exchanged, split, and exchanged again */
                   "ld.global.v2.b32 {%a0, %a1}, [%rd4];\nmov.b64 %rd6, {%a1, %a0};\nmov.b64 {%a2, %a3}, %rd6;\n"
                   "st.global.v2.b32 [%rd5], {%a3, %a2};\n")
        MOVER("fours", "b32",
              "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd4];\nst.global.v4.b32 [%rd5], {%a0, %a1, %a2, %a3};\n")
            MOVER("doubles", "b64", "ld.global.v2.b64 {%a0, %a1}, [%rd4];\nst.global.v2.b64 [%rd5], {%a0, %a1};\n");

enum { BYTES = 4096, STEPS = 4 };

static void check(struct ptx_test *t, const char *kernel, uint32_t vector, uint32_t from, uint32_t to, uint32_t threads)
{
    struct {
        uint64_t in, out;
        uint32_t from, to;
    } p = {dev_alloc(t->mem, BYTES), dev_alloc(t->mem, BYTES), from, to};
    uint8_t *in = dev_ptr(t->mem, p.in, BYTES), *out = dev_ptr(t->mem, p.out, BYTES), want[BYTES];
    for (unsigned i = 0; i < BYTES; i++) in[i] = (uint8_t)(i * 7 + i / 256);
    memset(want, 0xee, sizeof want);
    memset(out, 0xee, BYTES);
    for (uint32_t i = 0; i < threads; i++) memcpy(want + i * to, in + i * from, vector);
    ptx_test_must_run(t, kernel, 1, threads, &p);
    assert_memory_equal(out, want, BYTES);
    dev_release(t->mem, p.in);
    dev_release(t->mem, p.out);
}

/* From one place for all, in order, and apart; full warps and parts of one. */
TEST(vectors_lie_where_lanes_want_them)
{
    static const struct {
        const char *kernel;
        uint32_t bytes;
    } kind[] = {{"pairs", 8}, {"fours", 16}, {"doubles", 16}};
    static const uint32_t threads[] = {1, 19, 32, 51, 64};
    struct ptx_test t;
    ptx_test_load(&t, movers);
    for (unsigned k = 0; k < COUNT(kind); k++)
        for (unsigned n = 0; n < COUNT(threads); n++)
            for (uint32_t from = 0; from < STEPS; from++)
                for (uint32_t to = 1; to < STEPS; to++)
                    check(&t, kind[k].kernel, kind[k].bytes, from * kind[k].bytes, to * kind[k].bytes, threads[n]);
    ptx_test_free(&t);
}

/* An address that is no multiple of the vector's size is a fault in every pattern. */
TEST(vectors_are_aligned)
{
    struct ptx_test t;
    ptx_test_load(&t, movers);
    struct {
        uint64_t in, out;
        uint32_t from, to;
    } p = {dev_alloc(t.mem, BYTES) + 4, dev_alloc(t.mem, BYTES), 0, 16};
    for (p.from = 0; p.from <= 16; p.from += 16) {
        assert_true(ptx_test_run(&t, "fours", 1, 32, &p) < 0);
        assert_non_null(strstr(t.err.text, "misaligned"));
    }
    ptx_test_free(&t);
}
