/* test_texture.c - texture fetches through the driver API: addressing, filtering, formats, references
 * and objects, arrays and copies.
 *
 * Expected values follow from the CUDA programming guide's rules, not from this implementation. With
 * WL_REAL_CUDA the same tests run on a real GPU:
 *   cc -std=c11 -DWL_REAL_CUDA -I. -Iinclude -Itests -I$CUDA/include tests/unit/test_texture.c -lcuda -lcmocka -lm */
#include "unit/texture_rig.h"

/* ---- linear memory ---- */

TEST_WITH(test_linear_memory, setup, teardown)
{
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

TEST_WITH(test_formats, setup, teardown)
{
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

/* Whole warps, and lanes far outside on either side. */
TEST_WITH(test_words_by_number, setup, teardown)
{
    float data[40];
    int32_t x[LANES];
    CUdeviceptr memory;
    for (unsigned i = 0; i < 40; i++) data[i] = (float)(i + 1);
    for (int i = 0; i < LANES; i++) x[i] = (i * 11) % 50 - 4;
    x[7] = INT32_MAX, x[8] = INT32_MIN;
    CUtexObject t = linear_texture(&memory, data, sizeof data, CU_AD_FORMAT_FLOAT, 1, 0);
    for (unsigned n = LANES - 1; n <= LANES; n++) {
        OK(fetch("fetch_1i", t, x, NULL, n));
        for (unsigned i = 0; i < n; i++) {
            bool inside = x[i] >= 0 && x[i] < 40;
            expect_float(i, 0, inside ? data[x[i]] : 0);
            expect_float(i, 1, 0);
        }
    }
    OK(cuTexObjectDestroy(t));
    OK(cuMemFree(memory));
    CUarray a = make_array(data, 40, 0, CU_AD_FORMAT_FLOAT, 1, 4);
    t = array_texture(a, look(CLAMP, POINT_FILTER, 0));
    OK(fetch("fetch_1i", t, x, NULL, LANES));
    for (unsigned i = 0; i < LANES; i++) expect_float(i, 0, data[x[i] < 0 ? 0 : x[i] > 39 ? 39 : x[i]]);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

TEST_WITH(test_normalised_integers, setup, teardown)
{
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
    CUDA_TEXTURE_DESC how = look(mode, filter, flags);
    how.addressMode[1] = CLAMP; /* a GPU filters a line as an image one texel high: a border would show */
    CUtexObject t = array_texture(a, how);
    OK(fetch("fetch_1f", t, x, NULL, n));
    for (unsigned i = 0; i < n; i++) expect_float(i, 0, want[i]);
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
}

TEST_WITH(test_point, setup, teardown)
{
    const float texels[7] = {-3, -0.25f, 0, 0.99f, 2.5f, 3.99f, 7};
    check_line(CLAMP, POINT_FILTER, 0, texels, (const float[]){1, 1, 1, 1, 3, 4, 4}, 7);
    check_line(BORDER, POINT_FILTER, 0, texels, (const float[]){0, 0, 1, 1, 3, 4, 0}, 7);
    const float unit[7] = {-0.5f, -0.125f, 0, 0.375f, 0.875f, 1.125f, 2.375f};
    check_line(CLAMP, POINT_FILTER, NORMALIZED, unit, (const float[]){1, 1, 1, 2, 4, 4, 4}, 7);
    check_line(WRAP, POINT_FILTER, NORMALIZED, unit, (const float[]){3, 4, 1, 2, 4, 1, 2}, 7);
    /* between two texels a mirrored period takes the other one: the mirror turns indices, not coordinates */
    check_line(MIRROR, POINT_FILTER, NORMALIZED, unit, (const float[]){2, 1, 1, 2, 4, 4, 2}, 7);
    check_line(BORDER, POINT_FILTER, NORMALIZED, unit, (const float[]){0, 0, 1, 2, 4, 0, 0}, 7);
}

TEST_WITH(test_linear_filter, setup, teardown)
{
    const float texels[6] = {0.5f, 1, 1.75f, 3.5f, 3.75f, -1};
    check_line(CLAMP, LINEAR, 0, texels, (const float[]){1, 1.5f, 2.25f, 4, 4, 1}, 6);
    check_line(BORDER, LINEAR, 0, texels, (const float[]){1, 1.5f, 2.25f, 4, 3, 0}, 6);
    const float unit[3] = {0, 0.25f, 1};
    check_line(WRAP, LINEAR, NORMALIZED, unit, (const float[]){2.5f, 1.5f, 2.5f}, 3);
    check_line(MIRROR, LINEAR, NORMALIZED, unit, (const float[]){1, 1.5f, 4}, 3);
    const float fine[2] = {1.5f + 1.0f / 256, 1.5f + 1.0f / 1024}; /* fractions have 8 bits */
    check_line(CLAMP, LINEAR, 0, fine, (const float[]){2 + 1.0f / 256, 2}, 2);
}

TEST_WITH(test_two_dimensions, setup, teardown)
{
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

TEST_WITH(test_reference, setup, teardown)
{
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

/* Programs free what a reference shows and bind it anew, as it is to be read first. */
TEST_WITH(test_reference_is_bound_again, setup, teardown)
{
    CUtexref ref;
    const uint32_t data[4] = {5, 6, 7, 8};
    const int32_t x[4] = {3, 2, 1, 0};
    CUdeviceptr m, other;
    size_t offset;
    OK(cuModuleGetTexRef(&ref, fix.module, "ref"));
    OK(cuMemAlloc(&m, 8));
    OK(cuTexRefSetFormat(ref, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetAddress(&offset, ref, m, 8));
    OK(cuMemFree(m));
    OK(cuMemAlloc(&other, 1 << 16)); /* does not fit where the first one was */
    OK(cuMemcpyHtoD(other, data, sizeof data));
    OK(cuTexRefSetFormat(ref, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetAddressMode(ref, 0, CLAMP));
    OK(cuTexRefSetFilterMode(ref, POINT_FILTER));
    OK(cuTexRefSetFlags(ref, AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, ref, other, sizeof data));
    OK(fetch("fetch_1i_ref", 0, x, NULL, 4));
    for (unsigned i = 0; i < 4; i++) assert_int_equal(fix.got[4 * i], data[x[i]]);
    OK(cuMemFree(other));
}

TEST_WITH(test_reference_2d, setup, teardown)
{
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

TEST_WITH(test_copies, setup, teardown)
{
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
