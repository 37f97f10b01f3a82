/* test_texture_here.c - textures where the simulator has rules of its own: what is refused and how that is
 * said, faults, and what the texture cache sees. */
#include "unit/texture_rig.h"

/* Integers as they are cannot be mixed: the nearest is taken. */
TEST_WITH(test_no_filter_for_integers, setup, teardown)
{
    const uint32_t data[4] = {1000, 2000, 3000, 4000};
    const float x[3] = {0.5f, 1.75f, 3.99f};
    CUarray a = make_array(data, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 4);
    CUtexObject t = array_texture(a, look(CLAMP, LINEAR, AS_INTEGER));
    OK(fetch("fetch_1f", t, x, NULL, 3));
    assert_int_equal(fix.got[0], 1000);
    assert_int_equal(fix.got[4], 2000);
    assert_int_equal(fix.got[8], 4000);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

/* ---- what is refused, and how the refusal is said ---- */

static void assert_says(const char *words)
{
    const char *text = session_error(session_current())->text;
    if (!strstr(text, words)) fail_msg("the error says \"%s\", not \"%s\"", text, words);
}

TEST_WITH(test_refusals, setup, teardown)
{
    CUtexref ref;
    CUarray a;
    CUdeviceptr m;
    CUtexObject t;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 4, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 3};
    FAILS(NOT_FOUND, cuModuleGetTexRef(&ref, fix.module, "reff"));
    assert_says("'reff'");
    FAILS(INVALID_VALUE, cuArrayCreate(&a, &d));
    FAILS(INVALID_HANDLE, cuArrayDestroy((CUarray)(uintptr_t)16));
    FAILS(INVALID_HANDLE, cuTexRefSetFlags((CUtexref)(uintptr_t)16, 0));
    FAILS(INVALID_VALUE, cuTexObjectDestroy(77));
    OK(cuModuleGetTexRef(&ref, fix.module, "ref"));
    FAILS(INVALID_VALUE, cuTexRefSetFlags(ref, 0x40));
    FAILS(INVALID_VALUE, cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 3));
    OK(cuMemAlloc(&m, 64));
    FAILS(INVALID_VALUE, cuTexRefSetAddress(NULL, ref, m, 68));
    assert_says("run past the end");
    FAILS(INVALID_VALUE, cuTexRefSetAddress(NULL, ref, m + 2, 4));
    assert_says("whole texels");
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_TEXTURE_DESC look_clamp = look(CLAMP, POINT_FILTER, 0);
    FAILS(NOT_SUPPORTED, cuTexObjectCreate(&t, &r, &look_clamp, NULL));
    OK(cuMemFree(m));
}

TEST_WITH(test_unbound_faults, setup, teardown)
{
    const int32_t x[1] = {0};
    assert_int_not_equal(fetch("fetch_1i", 99, x, NULL, 1), CUDA_SUCCESS);
    assert_says("no texture is bound to handle 0x63");
}

TEST_WITH(test_freed_faults, setup, teardown)
{
    const int32_t x[1] = {0};
    CUdeviceptr m;
    CUtexObject t = linear_texture(&m, x, sizeof x, CU_AD_FORMAT_SIGNED_INT32, 1, AS_INTEGER);
    OK(cuMemFree(m));
    assert_int_not_equal(fetch("fetch_1i", t, x, NULL, 1), CUDA_SUCCESS);
    assert_says("was freed");
    cuTexObjectDestroy(t);
}

/* ---- the timing half ---- */

/* 32 lanes down a column of a 64-texel-wide (256-byte) texture: 32 lines; along a row: one. */
TEST(test_texture_cache)
{
    struct session_options o = {.mode = SESSION_TIMING};
    struct run_stats before, after;
    assert_int_equal(config_load(&o.config, "gtx480", NULL), 0);
    void *outer = fix.session;
    fix.session = session_new(&o, NULL);
    assert_non_null(fix.session);
    session_make_current(fix.session);
    OK(cuInit(0)), OK(cuDevicePrimaryCtxRetain(&fix.ctx, 0)), OK(cuCtxSetCurrent(fix.ctx));
    OK(cuModuleLoadData(&fix.module, program));
    OK(cuMemAlloc(&fix.out, sizeof fix.got)), OK(cuMemAlloc(&fix.xs, 4 * LANES)), OK(cuMemAlloc(&fix.ys, 4 * LANES));
    static float data[64 * 32];
    int32_t zero[LANES] = {0}, count[LANES];
    for (int i = 0; i < LANES; i++) count[i] = i;
    CUarray a = make_array(data, 64, 32, CU_AD_FORMAT_FLOAT, 1, 4);
    CUtexObject t = array_texture(a, look(CLAMP, POINT_FILTER, 0));
    struct gpu *gpu = session_gpu(fix.session);
    gpu_read_stats(gpu, &before);
    OK(fetch("fetch_2i", t, zero, count, LANES));
    gpu_read_stats(gpu, &after);
    assert_int_equal(after.l1t.accesses - before.l1t.accesses, 32);
    OK(fetch("fetch_2i", t, count, zero, LANES));
    before = after;
    gpu_read_stats(gpu, &after);
    assert_int_equal(after.l1t.accesses - before.l1t.accesses, 1);
    session_free(fix.session);
    fix.session = outer;
    session_make_current(outer);
    fix.out = fix.xs = fix.ys = 0;
}
