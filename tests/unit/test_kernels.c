/* test_kernels.c - the kernels of tests/kernels against what they should compute, computed here.
 *
 * Operands of products are multiples of 1/8 below 2, so that f16, bf16 and tf32 hold them and sums of 64 terms are
 * exact in f32: results are compared bit for bit. Functions that approximate are compared within a stated bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx/fpmath.h"
#include "ptx_run.h"

static struct ptx_test T;
static char *text;

static void load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/kernels/%s.ptx", WL_ROOT, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    ptx_test_load(&T, text);
    if (!T.img) print_error("%s\n", T.err.text);
    assert_non_null(T.img);
}

static void unload(void)
{
    ptx_test_free(&T);
    free(text);
}

static uint64_t buffer(size_t bytes) { return dev_alloc(T.mem, bytes); }
static void *host(uint64_t a, size_t bytes)
{
    void *p = dev_ptr(T.mem, a, bytes);
    assert_non_null(p);
    return p;
}

static uint32_t seed = 1;
static uint32_t any(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}
static float eighths(void) { return ((float)any(31) - 15) / 8; }
static uint16_t to_bf16(float x) { return (uint16_t)(f32_bits(x) >> 16); }

/* ---- products ---- */

enum { N = 64 };
enum form { AS_F16, AS_BF16, AS_F32 };

static void put_number(void *p, size_t i, float v, enum form form)
{
    if (form == AS_F16) ((uint16_t *)p)[i] = f16_from_f32(v);
    else if (form == AS_BF16) ((uint16_t *)p)[i] = to_bf16(v);
    else ((float *)p)[i] = v;
}

/* c = scale * a b + add; b is given transposed where `columns`. */
static void product_of(const char *kernel, uint32_t grid, uint32_t block, enum form form, bool columns, float scale,
                       float add)
{
    static float a[N][N], b[N][N];
    size_t bytes = N * N * (form == AS_F32 ? 4 : 2);
    load("modern80");
    uint64_t params[] = {buffer(bytes), buffer(bytes), buffer(N * N * 4)};
    for (unsigned i = 0; i < N * N; i++) {
        put_number(host(params[0], bytes), i, a[i / N][i % N] = eighths(), form);
        b[columns ? i % N : i / N][columns ? i / N : i % N] = eighths();
        put_number(host(params[1], bytes), i, b[columns ? i % N : i / N][columns ? i / N : i % N], form);
    }
    ptx_test_must_run(&T, kernel, grid, block, params);
    const float *c = host(params[2], N * N * 4);
    for (unsigned r = 0; r < N; r++)
        for (unsigned k = 0; k < N; k++) {
            float sum = add;
            for (unsigned i = 0; i < N; i++) sum += a[r][i] * b[i][k];
            assert_true(c[r * N + k] == scale * sum);
        }
    unload();
}

TEST(gemm_wmma) { product_of("gemm_wmma", 4, 128, AS_F16, false, 0.5f, 0); }
TEST(gemm_wmma_bf16) { product_of("gemm_wmma_bf16", 16, 32, AS_BF16, false, 1, 1); }
TEST(gemm_tf32) { product_of("gemm_tf32", 16, 32, AS_F32, true, 1, 0); }
TEST(gemm_pipelined) { product_of("gemm_pipelined", 1, 128, AS_F16, false, 1, 0); }

TEST(gemm_f64)
{
    enum { M = 32 };
    load("modern80");
    uint64_t params[] = {buffer(M * M * 8), buffer(M * M * 8), buffer(M * M * 8)};
    double *a = host(params[0], M * M * 8), *b = host(params[1], M * M * 8);
    for (unsigned i = 0; i < M * M; i++) a[i] = 1.0 / (1 + any(1000)), b[i] = 1.0 / (1 + any(1000));
    ptx_test_must_run(&T, "gemm_f64", 16, 32, params);
    const double *c = host(params[2], M * M * 8);
    for (unsigned r = 0; r < M; r++)
        for (unsigned k = 0; k < M; k++) {
            double sum = 0;
            for (unsigned i = 0; i < M; i++) sum = fma(a[r * M + i], b[i * M + k], sum);
            assert_true(c[r * M + k] == sum);
        }
    unload();
}

TEST(gemm_s8)
{
    load("modern80");
    uint64_t params[] = {buffer(N * N), buffer(N * N), buffer(N * N * 4)};
    int8_t *a = host(params[0], N * N), *b = host(params[1], N * N);
    for (unsigned i = 0; i < N * N; i++) a[i] = (int8_t)any(256), b[i] = (int8_t)any(256);
    ptx_test_must_run(&T, "gemm_s8", 16, 32, params);
    const int32_t *c = host(params[2], N * N * 4);
    for (unsigned r = 0; r < N; r++)
        for (unsigned k = 0; k < N; k++) {
            int sum = 0;
            for (unsigned i = 0; i < N; i++) sum += a[r * N + i] * b[k * N + i];
            assert_int_equal(c[r * N + k], sum);
        }
    unload();
}

TEST(distances)
{
    load("modern80");
    uint64_t params[] = {buffer(256), buffer(256), buffer(256)};
    uint32_t *a = host(params[0], 256), *b = host(params[1], 256);
    for (unsigned i = 0; i < 64; i++) a[i] = any(1 << 23) * 511, b[i] = any(1 << 23) * 511;
    ptx_test_must_run(&T, "distances", 1, 32, params);
    const int32_t *c = host(params[2], 256);
    for (unsigned r = 0; r < 8; r++)
        for (unsigned k = 0; k < 8; k++) {
            int sum = 0;
            for (unsigned i = 0; i < 8; i++) sum += __builtin_popcount(a[r * 8 + i] ^ b[k * 8 + i]);
            assert_int_equal(c[r * 8 + k], sum);
        }
    unload();
}

/* ---- networks ---- */

TEST(softmax)
{
    enum { ROWS = 8, COLS = 128 };
    load("modern80");
    uint64_t params[] = {buffer(ROWS * COLS * 2), buffer(ROWS * COLS * 2)};
    uint16_t *in = host(params[0], ROWS * COLS * 2);
    for (unsigned i = 0; i < ROWS * COLS; i++) in[i] = f16_from_f32(4 * eighths());
    struct ptx_launch l = {.image = T.img,
                           .kernel = ptx_find_kernel(T.mod, "softmax_f16"),
                           .grid = {2, 1, 1},
                           .block = {32, 4, 1},
                           .params = params};
    struct stream_source *s = ptx_open(&l, &T.err);
    struct cta_stream c;
    assert_non_null(s);
    while (s->next(s, &c, &T.err) > 0) s->release(s, &c);
    ptx_close(s);
    const uint16_t *out = host(params[1], ROWS * COLS * 2);
    for (unsigned r = 0; r < ROWS; r++) {
        double sum = 0;
        for (unsigned i = 0; i < COLS; i++) sum += exp((double)f16_to_f32(in[r * COLS + i]));
        for (unsigned i = 0; i < COLS; i++) {
            double want = exp((double)f16_to_f32(in[r * COLS + i])) / sum;
            assert_true(fabs((double)f16_to_f32(out[r * COLS + i]) - want) <= want * 0x1p-10 + 0x1p-24);
        }
    }
    unload();
}

TEST(layernorm)
{
    enum { ROWS = 4, COLS = 256 };
    load("modern80");
    uint64_t params[] = {buffer(ROWS * COLS * 2), buffer(COLS * 2), buffer(ROWS * COLS * 2)};
    uint16_t *in = host(params[0], ROWS * COLS * 2), *weight = host(params[1], COLS * 2);
    for (unsigned i = 0; i < ROWS * COLS; i++) in[i] = to_bf16(eighths());
    for (unsigned i = 0; i < COLS; i++) weight[i] = to_bf16(eighths());
    ptx_test_must_run(&T, "layernorm_bf16", ROWS, 128, params);
    const uint16_t *out = host(params[2], ROWS * COLS * 2);
    for (unsigned r = 0; r < ROWS; r++) {
        double s = 0, q = 0;
        for (unsigned i = 0; i < COLS; i++) {
            double x = bf16_to_f32(in[r * COLS + i]);
            s += x;
            q += x * x;
        }
        double mean = s / COLS, scale = 1 / sqrt(q / COLS - mean * mean + 1e-5);
        for (unsigned i = 0; i < COLS; i++) {
            double n = (bf16_to_f32(in[r * COLS + i]) - mean) * scale, want = n * bf16_to_f32(weight[i]) + 0.5;
            /* two roundings to 8 bits: of n, and of the result */
            double bound = fabs(n * bf16_to_f32(weight[i])) * 0x1p-8 + fabs(want) * 0x1p-8 + 1e-6;
            assert_true(fabs(bf16_to_f32(out[r * COLS + i]) - want) <= bound);
        }
    }
    unload();
}

TEST(attention)
{
    load("modern80");
    uint64_t params[] = {buffer(512), buffer(2048), buffer(2048), buffer(1024)};
    uint16_t *q = host(params[0], 512), *k = host(params[1], 2048), *v = host(params[2], 2048);
    for (unsigned i = 0; i < 256; i++) q[i] = f16_from_f32(eighths());
    for (unsigned i = 0; i < 1024; i++) k[i] = f16_from_f32(eighths()), v[i] = f16_from_f32(eighths());
    ptx_test_must_run(&T, "attention", 1, 32, params);
    const float *out = host(params[3], 1024);
    for (unsigned r = 0; r < 16; r++) {
        double w[64], sum = 0, most = -1e30;
        for (unsigned i = 0; i < 64; i++) {
            w[i] = 0;
            for (unsigned d = 0; d < 16; d++) w[i] += (double)f16_to_f32(q[r * 16 + d]) * f16_to_f32(k[i * 16 + d]);
            w[i] *= 0.25;
            most = fmax(most, w[i]);
        }
        for (unsigned i = 0; i < 64; i++) sum += w[i] = exp(w[i] - most);
        for (unsigned d = 0; d < 16; d++) {
            double want = 0;
            for (unsigned i = 0; i < 64; i++) want += w[i] / sum * f16_to_f32(v[i * 16 + d]);
            assert_true(fabs(out[r * 16 + d] - want) < 2 * 0x1p-10); /* weights are halves, values below 2 */
        }
    }
    unload();
}

TEST(gelu)
{
    enum { COUNT2 = 256 };
    load("modern80");
    struct {
        uint64_t y, x;
        float a;
    } params = {buffer(COUNT2 * 4), buffer(COUNT2 * 4), 0.5f};
    uint16_t *y = host(params.y, COUNT2 * 4), *x = host(params.x, COUNT2 * 4);
    float before[2 * COUNT2];
    for (unsigned i = 0; i < 2 * COUNT2; i++) {
        y[i] = f16_from_f32(eighths());
        x[i] = f16_from_f32(eighths());
        before[i] = f16_to_f32(y[i]) + 0.5f * f16_to_f32(x[i]); /* exact */
    }
    ptx_test_must_run(&T, "gelu_f16", 2, 128, &params);
    for (unsigned i = 0; i < 2 * COUNT2; i++) {
        double t = before[i], want = 0.5 * t * (1 + tanh(t * (0.7978846 + 0.0356774 * t * t)));
        assert_true(fabs((double)f16_to_f32(y[i]) - want) < 0x1p-8 * (1 + fabs(t)));
    }
    unload();
}

/* ---- warps ---- */

TEST(histogram)
{
    load("modern80");
    uint64_t params[] = {buffer(512 * 4), buffer(16 * 4), buffer(4)};
    uint32_t *key = host(params[0], 512 * 4), want[16] = {0}, most = 0;
    for (unsigned i = 0; i < 512; i++) {
        key[i] = any(13);
        want[key[i]]++;
        if (key[i] > most) most = key[i];
    }
    ptx_test_must_run(&T, "histogram", 2, 256, params);
    assert_memory_equal(host(params[1], 64), want, 64);
    assert_int_equal(*(uint32_t *)host(params[2], 4), most);
    unload();
}

TEST(stencil)
{
    enum { LENGTH = 300 };
    load("modern80");
    struct {
        uint64_t in, out;
        int n;
    } params = {buffer(LENGTH * 4), buffer(LENGTH * 4), LENGTH};
    float *in = host(params.in, LENGTH * 4);
    for (unsigned i = 0; i < LENGTH; i++) in[i] = eighths();
    ptx_test_must_run(&T, "stencil_async", 3, 128, &params);
    const float *out = host(params.out, LENGTH * 4);
    for (unsigned i = 0; i < LENGTH; i++)
        assert_true(out[i] == 0.25f * (i ? in[i - 1] : 0) + 0.5f * in[i] + 0.25f * (i + 1 < LENGTH ? in[i + 1] : 0));
    unload();
}

TEST(transposed_tiles)
{
    load("modern80");
    uint64_t params[] = {buffer(512), buffer(512)};
    uint16_t *in = host(params[0], 512), *out = host(params[1], 512);
    for (unsigned i = 0; i < 256; i++) in[i] = (uint16_t)any(65536);
    ptx_test_must_run(&T, "transpose_tiles", 4, 32, params);
    for (unsigned i = 0; i < 256; i++) assert_int_equal(out[i], in[i / 64 * 64 + i % 8 * 8 + i % 64 / 8]);
    unload();
}

/* ---- sm_90 ---- */

TEST(ring_of_buffers)
{
    load("modern90");
    struct {
        uint64_t in, out;
        int pieces;
    } params = {buffer(7 * 1024), buffer(512), 7};
    float *in = host(params.in, 7 * 1024);
    for (unsigned i = 0; i < 7 * 256; i++) in[i] = eighths();
    ptx_test_must_run(&T, "ring", 1, 160, &params);
    const float *out = host(params.out, 512);
    for (unsigned i = 0; i < 128; i++) {
        float sum = 0;
        for (unsigned k = 0; k < 7; k++) sum += in[k * 256 + i] + in[k * 256 + i + 128];
        assert_true(out[i] == sum);
    }
    unload();
}

TEST(elected_lanes)
{
    load("modern90");
    uint64_t params[] = {buffer(32)};
    ptx_test_must_run(&T, "elected", 2, 128, params);
    const uint32_t *out = host(params[0], 32);
    for (unsigned i = 0; i < 8; i++) assert_int_equal(out[i], i % 4 * 3200);
    unload();
}

TEST(warpgroup)
{
    load("modern90");
    uint64_t params[] = {buffer(64 * 16 * 2), buffer(8 * 16 * 2), buffer(64 * 8 * 4)};
    uint16_t *a = host(params[0], 64 * 16 * 2), *b = host(params[1], 8 * 16 * 2);
    for (unsigned i = 0; i < 64 * 16; i++) a[i] = f16_from_f32(eighths());
    for (unsigned i = 0; i < 8 * 16; i++) b[i] = f16_from_f32(eighths());
    ptx_test_must_run(&T, "warpgroup", 1, 128, params);
    const float *d = host(params[2], 64 * 8 * 4);
    for (unsigned r = 0; r < 64; r++)
        for (unsigned c = 0; c < 8; c++) {
            float sum = 1;
            for (unsigned k = 0; k < 16; k++) sum += f16_to_f32(a[r * 16 + k]) * f16_to_f32(b[c * 16 + k]);
            assert_true(d[r * 8 + c] == sum);
        }
    unload();
}

TEST(products_of_eight_bit_floats)
{
    load("modern90");
    uint64_t params[] = {buffer(512), buffer(256), buffer(512)};
    uint32_t *a = host(params[0], 512), *b = host(params[1], 256);
    for (unsigned i = 0; i < 128; i++) a[i] = 0x38383838; /* ones */
    for (unsigned i = 0; i < 64; i++) b[i] = 0x40404040;  /* twos */
    ptx_test_must_run(&T, "product_e4m3", 1, 32, params);
    const float *d = host(params[2], 512);
    for (unsigned i = 0; i < 128; i++) assert_true(d[i] == 64);
    ptx_test_must_run(&T, "after", 1, 128, &params[2]);
    for (unsigned i = 0; i < 128; i++) assert_true(d[i] == 65);
    unload();
}

/* ---- in the form of Triton's compiler ---- */

TEST(triton_add)
{
    load("triton_style");
    struct {
        uint64_t x, y, z;
        uint32_t n;
    } params = {buffer(4096), buffer(4096), buffer(4096), 1000};
    float *x = host(params.x, 4096), *y = host(params.y, 4096), *z = host(params.z, 4096);
    for (unsigned i = 0; i < 1024; i++) x[i] = eighths(), y[i] = eighths();
    ptx_test_must_run(&T, "add_kernel", 2, 128, &params);
    for (unsigned i = 0; i < 1024; i++) assert_true(z[i] == (i < 1000 ? x[i] + y[i] : 0));
    unload();
}

TEST(triton_softmax)
{
    enum { ROWS = 3, COLS = 100 };
    load("triton_style");
    struct {
        uint64_t out, in;
        uint32_t stride, cols;
    } params = {buffer(ROWS * 256), buffer(ROWS * 256), 128, COLS};
    uint16_t *in = host(params.in, ROWS * 256);
    for (unsigned i = 0; i < ROWS * 128; i++) in[i] = f16_from_f32(eighths());
    T.shared = 64;
    ptx_test_must_run(&T, "softmax_kernel", ROWS, 128, &params);
    const uint16_t *out = host(params.out, ROWS * 256);
    for (unsigned r = 0; r < ROWS; r++) {
        double sum = 0;
        for (unsigned i = 0; i < COLS; i++) sum += exp((double)f16_to_f32(in[r * 128 + i]));
        for (unsigned i = 0; i < COLS; i++) {
            double want = exp((double)f16_to_f32(in[r * 128 + i])) / sum;
            assert_true(fabs((double)f16_to_f32(out[r * 128 + i]) - want) <= want * 0x1p-10 + 0x1p-24);
        }
    }
    unload();
}
