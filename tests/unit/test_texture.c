/* test_texture.c - texture fetches through the driver API: addressing, filtering, formats, references
 * and objects, arrays and copies, and what the texture cache sees.
 *
 * Expected values follow from the CUDA programming guide's rules, not from this implementation. With
 * WL_REAL_CUDA the same tests run on a real GPU (all but those of the simulator itself):
 *   cc -std=c11 -DWL_REAL_CUDA -Iinclude -I$CUDA/include tests/unit/test_texture.c -lcuda -lcmocka -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "warpline/cuda.h"
#ifndef WL_REAL_CUDA
#include "sim/session.h"
#endif

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), CUDA_ERROR_##code)

enum { LANES = 32 };

/* fetch_<dims><coordinates>: lane i stores the texel at (x[i], y[i]) as four words; texture from a handle,
 * or from the reference `ref` when the name ends in _ref. */
#define FETCH(name, geometry, type, coords, texture)                                                                   \
    ".visible .entry " name "(.param .u64 out, .param .u64 xs, .param .u64 ys, .param .u64 handle)\n"                  \
    "{ .reg .u32 %r<6>; .reg ." type " %c<4>; .reg .u64 %rd<9>; .reg .b32 %v<4>;\n"                                    \
    "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [xs]; ld.param.u64 %rd3, [ys]; ld.param.u64 %rd4, [handle];\n"     \
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; mul.wide.u32 %rd6, %r1, 16;\n"                                  \
    "  add.u64 %rd2, %rd2, %rd5; add.u64 %rd3, %rd3, %rd5; add.u64 %rd1, %rd1, %rd6;\n"                                \
    "  ld.global." type " %c0, [%rd2]; ld.global." type " %c1, [%rd3];\n"                                              \
    "  tex." geometry ".v4.u32." type " {%v0, %v1, %v2, %v3}, [" texture ", " coords "];\n"                            \
    "  st.global.v4.b32 [%rd1], {%v0, %v1, %v2, %v3}; ret; }\n"

static const char program[] = ".version 6.4\n.target sm_75, texmode_unified\n.address_size 64\n"
                              ".visible .global .texref ref;\n" /* a driver optimises away what no kernel names */
    FETCH("fetch_1i", "1d", "s32", "{%c0}", "%rd4") FETCH("fetch_1f", "1d", "f32", "{%c0}", "%rd4")
        FETCH("fetch_2i", "2d", "s32", "{%c0, %c1}", "%rd4") FETCH("fetch_2f", "2d", "f32", "{%c0, %c1}", "%rd4")
            FETCH("fetch_1i_ref", "1d", "s32", "{%c0}", "ref") FETCH("fetch_2f_ref", "2d", "f32", "{%c0, %c1}", "ref");

struct fixture {
    void *session;
    CUcontext ctx;
    CUmodule module;
    CUdeviceptr out, xs, ys;
    uint32_t got[4 * LANES];
    bool faulted;
} fix;

static int setup(void **state)
{
    (void)state;
    fix = (struct fixture){0};
#ifndef WL_REAL_CUDA
    struct session_options o = {.mode = SESSION_FUNCTIONAL, .memory_bytes = 1 << 20};
    fix.session = session_new(&o, NULL);
    if (!fix.session) return -1;
    session_make_current(fix.session);
#endif
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&fix.ctx, 0) || cuCtxSetCurrent(fix.ctx)) return -1;
    if (cuModuleLoadData(&fix.module, program)) return -1;
    return cuMemAlloc(&fix.out, sizeof fix.got) || cuMemAlloc(&fix.xs, 4 * LANES) || cuMemAlloc(&fix.ys, 4 * LANES) ? -1
                                                                                                                    : 0;
}

static int teardown(void **state)
{
    (void)state;
    cuMemFree(fix.out), cuMemFree(fix.xs), cuMemFree(fix.ys);
    cuModuleUnload(fix.module);
    cuDevicePrimaryCtxRelease(0);
#ifndef WL_REAL_CUDA
    bool stays = dev_used(session_memory(fix.session)) && !fix.faulted; /* after a fault nothing can be freed */
    session_free(fix.session);
    return stays ? -1 : 0;
#else
    return 0;
#endif
}

/* Runs a fetch kernel at n coordinates (32-bit words of either type). */
static CUresult fetch(const char *kernel, CUtexObject handle, const void *xs, const void *ys, unsigned n)
{
    CUfunction f;
    uint32_t zero[LANES] = {0};
    OK(cuModuleGetFunction(&f, fix.module, kernel));
    OK(cuMemcpyHtoD(fix.xs, xs, 4 * n));
    OK(cuMemcpyHtoD(fix.ys, ys ? ys : zero, 4 * n));
    void *params[] = {&fix.out, &fix.xs, &fix.ys, &handle};
    CUresult r = cuLaunchKernel(f, 1, 1, 1, n, 1, 1, 0, NULL, params, NULL);
    if (!r) r = cuCtxSynchronize();
    fix.faulted = r != CUDA_SUCCESS;
    return r ? r : cuMemcpyDtoH(fix.got, fix.out, 16 * n);
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void expect_float(unsigned lane, unsigned channel, float want)
{
    float got = as_float(fix.got[4 * lane + channel]);
    if (got != want) fail_msg("lane %u channel %u: %.9g, should be %.9g", lane, channel, (double)got, (double)want);
}

static CUDA_TEXTURE_DESC look(CUaddress_mode mode, CUfilter_mode filter, unsigned flags)
{
    return (CUDA_TEXTURE_DESC){.addressMode = {mode, mode, mode}, .filterMode = filter, .flags = flags};
}

#define POINT_FILTER CU_TR_FILTER_MODE_POINT
#define LINEAR       CU_TR_FILTER_MODE_LINEAR
#define CLAMP        CU_TR_ADDRESS_MODE_CLAMP
#define WRAP         CU_TR_ADDRESS_MODE_WRAP
#define MIRROR       CU_TR_ADDRESS_MODE_MIRROR
#define BORDER       CU_TR_ADDRESS_MODE_BORDER
#define NORMALIZED   CU_TRSF_NORMALIZED_COORDINATES
#define AS_INTEGER   CU_TRSF_READ_AS_INTEGER

/* A texture object over linear memory that holds `data`; *memory is to be freed. */
static CUtexObject linear_texture(CUdeviceptr *memory, const void *data, size_t bytes, CUarray_format format,
                                  unsigned channels, unsigned flags)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC t = look(CLAMP, POINT_FILTER, flags);
    CUtexObject object = 0;
    OK(cuMemAlloc(memory, bytes));
    OK(cuMemcpyHtoD(*memory, data, bytes));
    r.res.linear.devPtr = *memory;
    r.res.linear.format = format;
    r.res.linear.numChannels = channels;
    r.res.linear.sizeInBytes = bytes;
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    return object;
}

/* An array of width x height with `data`, row by row. */
static CUarray make_array(const void *data, size_t width, size_t height, CUarray_format format, unsigned channels,
                          size_t texel)
{
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height, .Format = format, .NumChannels = channels};
    CUarray a = NULL;
    OK(cuArrayCreate(&a, &d));
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = data,
                       .srcPitch = width * texel,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = width * texel,
                       .Height = height ? height : 1};
    OK(cuMemcpy2D(&c));
    return a;
}

static CUtexObject array_texture(CUarray a, CUDA_TEXTURE_DESC t)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUtexObject object = 0;
    r.res.array.hArray = a;
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    return object;
}

/* ---- linear memory ---- */

static void test_linear_memory(void **state)
{
    (void)state;
    const float data[6] = {10, 11, 12, 13, 14, 15};
    const int32_t x[5] = {0, 3, 5, 6, -1};
    const float want[5] = {10, 13, 15, 0, 0}; /* outside is zero */
    CUdeviceptr memory;
    CUtexObject t = linear_texture(&memory, data, sizeof data, CU_AD_FORMAT_FLOAT, 1, 0);
    OK(fetch("fetch_1i", t, x, NULL, 5));
    for (unsigned i = 0; i < 5; i++) expect_float(i, 0, want[i]);
    OK(cuTexObjectDestroy(t));
    OK(cuMemFree(memory));
}

static void test_formats(void **state)
{
    (void)state;
    const int32_t x[2] = {0, 1};
    const int8_t s8[8] = {-1, 2, 3, 4, -128, 127, 7, 8};
    const uint16_t u16[4] = {65535, 1, 2, 3};
    const uint16_t half[2] = {0x3c00, 0xc500}; /* 1, -5 */
    const int32_t s32[4] = {-7, 9, 1 << 30, 5};
    CUdeviceptr m;
    CUtexObject t = linear_texture(&m, s8, sizeof s8, CU_AD_FORMAT_SIGNED_INT8, 4, AS_INTEGER);
    OK(fetch("fetch_1i", t, x, NULL, 2));
    for (unsigned i = 0; i < 8; i++) assert_int_equal((int32_t)fix.got[i], s8[i]);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
    t = linear_texture(&m, u16, sizeof u16, CU_AD_FORMAT_UNSIGNED_INT16, 2, AS_INTEGER);
    OK(fetch("fetch_1i", t, x, NULL, 2));
    assert_int_equal(fix.got[0], 65535), assert_int_equal(fix.got[1], 1), assert_int_equal(fix.got[5], 3);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
    t = linear_texture(&m, half, sizeof half, CU_AD_FORMAT_HALF, 1, 0);
    OK(fetch("fetch_1i", t, x, NULL, 2));
    expect_float(0, 0, 1), expect_float(1, 0, -5);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
    t = linear_texture(&m, s32, sizeof s32, CU_AD_FORMAT_SIGNED_INT32, 2, AS_INTEGER);
    OK(fetch("fetch_1i", t, x, NULL, 2));
    assert_int_equal((int32_t)fix.got[0], -7), assert_int_equal(fix.got[4], 1 << 30), assert_int_equal(fix.got[5], 5);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
}

static void test_normalised_integers(void **state)
{
    (void)state;
    const int32_t x[3] = {0, 1, 2};
    const uint8_t u8[3] = {0, 51, 255};
    const int8_t s8[3] = {-128, -127, 127};
    CUdeviceptr m;
    CUtexObject t = linear_texture(&m, u8, sizeof u8, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    OK(fetch("fetch_1i", t, x, NULL, 3));
    expect_float(0, 0, 0), expect_float(1, 0, 51.0f / 255), expect_float(2, 0, 1);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
    t = linear_texture(&m, s8, sizeof s8, CU_AD_FORMAT_SIGNED_INT8, 1, 0);
    OK(fetch("fetch_1i", t, x, NULL, 3));
    expect_float(0, 0, -1), expect_float(1, 0, -1), expect_float(2, 0, 1);
    OK(cuTexObjectDestroy(t)), OK(cuMemFree(m));
}

/* ---- addressing and filtering ---- */

static void check_line(CUaddress_mode mode, CUfilter_mode filter, unsigned flags, const float *x, const float *want,
                       unsigned n)
{
    const float data[4] = {1, 2, 3, 4};
    CUarray a = make_array(data, 4, 0, CU_AD_FORMAT_FLOAT, 1, 4);
    CUtexObject t = array_texture(a, look(mode, filter, flags));
    OK(fetch("fetch_1f", t, x, NULL, n));
    for (unsigned i = 0; i < n; i++) expect_float(i, 0, want[i]);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

static void test_point(void **state)
{
    (void)state;
    const float texels[7] = {-3, -0.25f, 0, 0.99f, 2.5f, 3.99f, 7};
    check_line(CLAMP, POINT_FILTER, 0, texels, (const float[]){1, 1, 1, 1, 3, 4, 4}, 7);
    check_line(BORDER, POINT_FILTER, 0, texels, (const float[]){0, 0, 1, 1, 3, 4, 0}, 7);
    const float unit[7] = {-0.5f, -0.125f, 0, 0.375f, 0.875f, 1.125f, 2.375f};
    check_line(CLAMP, POINT_FILTER, NORMALIZED, unit, (const float[]){1, 1, 1, 2, 4, 4, 4}, 7);
    check_line(WRAP, POINT_FILTER, NORMALIZED, unit, (const float[]){3, 4, 1, 2, 4, 1, 2}, 7);
    check_line(MIRROR, POINT_FILTER, NORMALIZED, unit, (const float[]){3, 1, 1, 2, 4, 4, 2}, 7);
    check_line(BORDER, POINT_FILTER, NORMALIZED, unit, (const float[]){0, 0, 1, 2, 4, 0, 0}, 7);
}

static void test_linear_filter(void **state)
{
    (void)state;
    const float texels[6] = {0.5f, 1, 1.75f, 3.5f, 3.75f, -1};
    check_line(CLAMP, LINEAR, 0, texels, (const float[]){1, 1.5f, 2.25f, 4, 4, 1}, 6);
    check_line(BORDER, LINEAR, 0, texels, (const float[]){1, 1.5f, 2.25f, 4, 3, 0}, 6);
    const float unit[3] = {0, 0.25f, 1};
    check_line(WRAP, LINEAR, NORMALIZED, unit, (const float[]){2.5f, 1.5f, 2.5f}, 3);
    check_line(MIRROR, LINEAR, NORMALIZED, unit, (const float[]){1, 1.5f, 4}, 3);
    const float fine[2] = {1.5f + 1.0f / 256, 1.5f + 1.0f / 1024}; /* fractions have 8 bits */
    check_line(CLAMP, LINEAR, 0, fine, (const float[]){2 + 1.0f / 256, 2}, 2);
}

#ifndef WL_REAL_CUDA
/* Integers as they are cannot be mixed: the nearest is taken. */
static void test_no_filter_for_integers(void **state)
{
    (void)state;
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

#endif

static void test_two_dimensions(void **state)
{
    (void)state;
    float data[3 * 5];
    for (unsigned i = 0; i < 15; i++) data[i] = (float)(i / 5 * 10 + i % 5);
    CUarray a = make_array(data, 5, 3, CU_AD_FORMAT_FLOAT, 1, 4);
    const float x[5] = {0.5f, 4.5f, 9, 2, 2.75f}, y[5] = {0.5f, 2.5f, -4, 1, 1.25f};
    CUtexObject t = array_texture(a, look(CLAMP, POINT_FILTER, 0));
    OK(fetch("fetch_2f", t, x, y, 5));
    const float point[5] = {0, 24, 4, 12, 12};
    for (unsigned i = 0; i < 5; i++) expect_float(i, 0, point[i]);
    const int32_t xi[3] = {0, 4, 2}, yi[3] = {2, 0, 1};
    OK(fetch("fetch_2i", t, xi, yi, 3));
    expect_float(0, 0, 20), expect_float(1, 0, 4), expect_float(2, 0, 12);
    OK(cuTexObjectDestroy(t));
    t = array_texture(a, look(CLAMP, LINEAR, 0));
    OK(fetch("fetch_2f", t, x, y, 5));
    const float smooth[5] = {0, 24, 4, 6.5f, 9.75f};
    for (unsigned i = 0; i < 5; i++) expect_float(i, 0, smooth[i]);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

/* ---- references, pitched memory, copies ---- */

static void test_reference(void **state)
{
    (void)state;
    CUtexref ref = NULL, again = NULL;
    const uint32_t data[4] = {5, 6, 7, 8};
    const int32_t x[4] = {3, 2, 1, 0};
    CUdeviceptr m;
    size_t offset = 1;
    OK(cuModuleGetTexRef(&ref, fix.module, "ref"));
    OK(cuModuleGetTexRef(&again, fix.module, "ref"));
    assert_ptr_equal(ref, again);
    OK(cuMemAlloc(&m, sizeof data));
    OK(cuMemcpyHtoD(m, data, sizeof data));
    OK(cuTexRefSetFormat(ref, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetFlags(ref, AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, ref, m, sizeof data));
    assert_int_equal(offset, 0);
    OK(fetch("fetch_1i_ref", 0, x, NULL, 4));
    for (unsigned i = 0; i < 4; i++) assert_int_equal(fix.got[4 * i], data[x[i]]);
    OK(cuMemFree(m));
}

static void test_reference_2d(void **state)
{
    (void)state;
    CUtexref ref;
    CUdeviceptr m;
    size_t pitch = 0;
    const float data[6] = {1, 2, 3, 4, 5, 6}, x[4] = {0, 2, 2.5f, 8}, y[4] = {0, 0, 1, 1};
    OK(cuModuleGetTexRef(&ref, fix.module, "ref"));
    OK(cuMemAllocPitch(&m, &pitch, 12, 2, 4));
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = data,
                       .srcPitch = 12,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = m,
                       .dstPitch = pitch,
                       .WidthInBytes = 12,
                       .Height = 2};
    OK(cuMemcpy2D(&c));
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 3, .Height = 2, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    OK(cuTexRefSetAddressMode(ref, 0, CLAMP));
    OK(cuTexRefSetAddressMode(ref, 1, CLAMP));
    OK(cuTexRefSetFilterMode(ref, POINT_FILTER));
    OK(cuTexRefSetFlags(ref, 0));
    OK(cuTexRefSetAddress2D(ref, &d, m, pitch));
    OK(fetch("fetch_2f_ref", 0, x, y, 4));
    const float want[4] = {1, 3, 6, 6};
    for (unsigned i = 0; i < 4; i++) expect_float(i, 0, want[i]);
    CUarray a = make_array((const float[]){9, 8}, 2, 1, CU_AD_FORMAT_FLOAT, 1, 4);
    OK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT)); /* the next launch sees the array */
    OK(fetch("fetch_2f_ref", 0, x, y, 4));
    expect_float(0, 0, 9), expect_float(3, 0, 8);
    OK(cuArrayDestroy(a));
    OK(cuMemFree(m));
}

static void test_copies(void **state)
{
    (void)state;
    uint16_t data[12], back[12] = {0};
    for (unsigned i = 0; i < 12; i++) data[i] = (uint16_t)(100 + i);
    CUarray a = make_array(data, 4, 3, CU_AD_FORMAT_UNSIGNED_INT16, 1, 2);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = a,
                       .srcXInBytes = 2,
                       .srcY = 1,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = back,
                       .dstPitch = 4,
                       .WidthInBytes = 4,
                       .Height = 2};
    OK(cuMemcpy2D(&c));
    const uint16_t want[4] = {105, 106, 109, 110};
    assert_memory_equal(back, want, sizeof want);
    c.srcXInBytes = 6;
    FAILS(INVALID_VALUE, cuMemcpy2D(&c)); /* past the row's end */
    CUDA_ARRAY_DESCRIPTOR d;
    OK(cuArrayGetDescriptor(&d, a));
    assert_int_equal(d.Width, 4), assert_int_equal(d.Height, 3);
    OK(cuArrayDestroy(a));
    a = make_array(data, 12, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1, 2);
    OK(cuMemcpyHtoA(a, 4, (const uint16_t[]){7, 8}, 4));
    OK(cuMemcpyAtoH(back, a, 2, 8));
    assert_int_equal(back[0], 101), assert_int_equal(back[1], 7), assert_int_equal(back[2], 8),
        assert_int_equal(back[3], 104);
    OK(cuArrayDestroy(a));
}

#ifndef WL_REAL_CUDA
/* ---- what is refused, and how the refusal is said ---- */

static void assert_says(const char *words)
{
    const char *text = session_error(session_current())->text;
    if (!strstr(text, words)) fail_msg("the error says \"%s\", not \"%s\"", text, words);
}

static void test_refusals(void **state)
{
    (void)state;
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

static void test_unbound_faults(void **state)
{
    (void)state;
    const int32_t x[1] = {0};
    assert_int_not_equal(fetch("fetch_1i", 99, x, NULL, 1), CUDA_SUCCESS);
    assert_says("no texture is bound to handle 0x63");
}

static void test_freed_faults(void **state)
{
    (void)state;
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
static void test_texture_cache(void **state)
{
    (void)state;
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
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_linear_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_normalised_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_point, setup, teardown),
        cmocka_unit_test_setup_teardown(test_linear_filter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_dimensions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reference, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reference_2d, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
#ifndef WL_REAL_CUDA /* a real driver refuses to make the texture of the first */
        cmocka_unit_test_setup_teardown(test_no_filter_for_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unbound_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_faults, setup, teardown),
        cmocka_unit_test(test_texture_cache),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
