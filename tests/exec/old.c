/* old.c - what nvcc 11 and 12 compile a program to, written by hand: the fat binary, its registration
 * before main, the launch stub, texture references. Built for libcudart.so.11.0 (MAJOR 11: a version 1
 * wrapper, LZ4) and libcudart.so.12 (MAJOR 12: a version 2 wrapper around two objects, plain text). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} dim3;
struct channels {
    int x, y, z, w, f;
};
struct texture {
    int normalized, filter, address[3];
    struct channels channels;
    int more[25];
};
typedef struct array *array_t;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes, int constant,
                       int global);
void __cudaRegisterTexture(void **handle, const struct texture *host, const void **device, const char *name, int dim,
                           int normalized, int ext);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
int cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, void *stream);
int cudaMalloc(void **ptr, size_t bytes);
int cudaFree(void *ptr);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind);
int cudaThreadSynchronize(void);
int cudaThreadExit(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
int cudaGetDeviceProperties(void *out, int dev);
int cudaGetDeviceProperties_v2(void *out, int dev);
int cudaRuntimeGetVersion(int *version);
int cudaBindTexture(size_t *offset, const struct texture *t, const void *ptr, const struct channels *c, size_t bytes);
int cudaBindTextureToArray(const struct texture *t, array_t array, const struct channels *c);
int cudaUnbindTexture(const struct texture *t);
int cudaMallocArray(array_t *array, const struct channels *c, size_t width, size_t height, unsigned flags);
int cudaMemcpyToArray(array_t array, size_t x, size_t y, const void *src, size_t bytes, int kind);
int cudaMemcpy2DToArray(array_t array, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                        int kind);
int cudaFreeArray(array_t array);
struct channels cudaCreateChannelDesc(int x, int y, int z, int w, int f);

#define CHECK(what) ((what) ? (void)0 : (printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what), exit(1)))
#define CUDA(call)  CHECK((call) == 0)

/* ---- device code: out[i] = factor * line[i] + plane[i % 4][i / 4], i < 16 ---- */

#define HEAD ".version 7.8\n.target sm_52\n.address_size 64\n"
#define VARIABLES                                                                                                      \
    ".visible .const .align 4 .f32 factor;\n.visible .global .texref line;\n.visible .global .texref plane;\n"
#define DECLARATIONS                                                                                                   \
    ".extern .const .align 4 .f32 factor;\n.visible .global .texref line;\n.visible .global .texref plane;\n"
#define KERNEL                                                                                                         \
    ".visible .entry fetch(.param .u64 fetch_param_0)\n{\n"                                                            \
    ".reg .b32 %r<6>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<5>;\n"                                                         \
    "ld.param.u64 %rd1, [fetch_param_0];\nmov.u32 %r1, %tid.x;\n"                                                      \
    "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [line, {%r1}];\n"                                                         \
    "rem.s32 %r2, %r1, 4;\ndiv.s32 %r3, %r1, 4;\ncvt.rn.f32.s32 %f9, %r2;\ncvt.rn.f32.s32 %f10, %r3;\n"                \
    "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [plane, {%f9, %f10}];\n"                                                  \
    "ld.const.f32 %f11, [factor];\nfma.rn.f32 %f12, %f1, %f11, %f5;\n"                                                 \
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"                          \
    "st.global.f32 [%rd4], %f12;\nret;\n}\n"

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *objects;
};

static uint8_t object[2][8192];

static void put(uint8_t **p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) *(*p)++ = (uint8_t)(value >> 8 * i);
}

/* One LZ4 block of literals only: correct, if not small. */
static size_t pack(uint8_t *out, const char *text, size_t bytes)
{
    uint8_t *p = out;
    *p++ = 0xf0;
    size_t left = bytes - 15;
    for (; left >= 255; left -= 255) *p++ = 255;
    *p++ = (uint8_t)left;
    memcpy(p, text, bytes);
    return (size_t)(p + bytes - out);
}

static void make_object(uint8_t *out, const char *text, int lz4)
{
    uint8_t payload[8000], *p = out;
    size_t bytes = strlen(text) + 1, n = bytes;
    if (lz4) n = pack(payload, text, bytes);
    else memcpy(payload, text, bytes);
    size_t padded = (n + 7) / 8 * 8;
    put(&p, 0xba55ed50, 4), put(&p, 1, 2), put(&p, 16, 2), put(&p, 64 + padded, 8);
    put(&p, 1, 2), put(&p, 0x101, 2), put(&p, 64, 4), put(&p, padded, 8);
    put(&p, lz4 ? n : 0, 4), put(&p, 0, 4), put(&p, 8, 2), put(&p, 7, 2), put(&p, 52, 4), put(&p, 0, 8);
    put(&p, lz4 ? 0x2011 : 0x11, 8), put(&p, 0, 8), put(&p, lz4 ? bytes : 0, 8);
    memcpy(p, payload, n);
}

/* ---- what the compiler writes around it ---- */

static float factor; /* the host's shadow of the device variable: only its address counts */
static struct texture line = {.address = {1, 1, 1}, .channels = {32, 0, 0, 0, 2}};
static struct texture plane = {.address = {1, 1, 1}, .channels = {32, 0, 0, 0, 2}};
static void **handle;

static void fetch(float *out)
{
    dim3 grid, block;
    size_t shared;
    void *stream, *args[] = {&out};
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) return;
    cudaLaunchKernel((const void *)fetch, grid, block, args, shared, stream);
}

__attribute__((constructor)) static void register_all(void)
{
    static struct wrapper w = {.magic = 0x466243b1};
    static const void *objects[] = {object[0], object[1], NULL};
#if MAJOR == 11
    make_object(object[0], HEAD VARIABLES KERNEL, 1);
    w.version = 1;
    w.data = object[0];
    (void)objects;
#else
    make_object(object[0], HEAD DECLARATIONS KERNEL, 0);
    make_object(object[1], HEAD ".visible .const .align 4 .f32 factor;\n", 0);
    w.version = 2;
    w.objects = objects;
#endif
    handle = __cudaRegisterFatBinary(&w);
    __cudaRegisterFunction(handle, (const char *)fetch, (char *)"fetch", "fetch", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&factor, (char *)"factor", "factor", 0, 4, 1, 0);
    __cudaRegisterTexture(handle, &line, NULL, "line", 1, 0, 0);
    __cudaRegisterTexture(handle, &plane, NULL, "plane", 2, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

__attribute__((destructor)) static void unregister_all(void) { __cudaUnregisterFatBinary(handle); }

/* ---- the program ---- */

static void check_properties(void)
{
    struct {
        char bytes[MAJOR == 11 ? 728 : 1032];
        char guard[64];
    } p;
    memset(&p, 0x5a, sizeof p);
#if MAJOR == 11
    CUDA(cudaGetDeviceProperties(&p, 0));
#else
    CUDA(cudaGetDeviceProperties_v2(&p, 0));
#endif
    int major, sms, clock;
    memcpy(&clock, p.bytes + 348, 4);
    memcpy(&major, p.bytes + 360, 4);
    memcpy(&sms, p.bytes + 388, 4);
    for (unsigned i = 0; i < sizeof p.guard; i++) CHECK(p.guard[i] == 0x5a);
    CHECK(major == 7 && sms > 0 && clock > 0);
    printf("%s, %d SMs at %d kHz\n", p.bytes, sms, clock);
}

int main(void)
{
    float host[16], rows[4][4], back[16], two = 2, *in, *out;
    int version;
    array_t array;
    struct channels c = cudaCreateChannelDesc(32, 0, 0, 0, 2);
    check_properties();
    CUDA(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == MAJOR);
    for (int i = 0; i < 16; i++) host[i] = (float)i, rows[i / 4][i % 4] = (float)(100 * i);
    CUDA(cudaMalloc((void **)&in, sizeof host));
    CUDA(cudaMalloc((void **)&out, sizeof host));
    CUDA(cudaMallocArray(&array, &c, 4, 4, 0));
    CUDA(cudaMemcpy(in, host, sizeof host, 1));
    CUDA(cudaMemcpyToArray(array, 0, 0, rows, sizeof rows, 1));
    CUDA(cudaMemcpyToSymbol(&factor, &two, sizeof two, 0, 1));
    size_t offset = 99;
    CUDA(cudaBindTexture(&offset, &line, in, &c, UINT32_MAX)); /* as the C++ header does without a size */
    CUDA(cudaBindTextureToArray(&plane, array, &c));
    CHECK(offset == 0);
    for (int pass = 0; pass < 2; pass++) {
        __cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){16, 1, 1}, 0, NULL);
        fetch(out);
        CUDA(cudaPeekAtLastError());
        CUDA(cudaThreadSynchronize());
        CUDA(cudaMemcpy(back, out, sizeof back, 2));
        for (int i = 0; i < 16; i++) CHECK(back[i] == 2 * host[i] + rows[i / 4][i % 4]);
        for (int i = 0; i < 16; i++) rows[i / 4][i % 4] = (float)(7 * i);
        CUDA(cudaMemcpy2DToArray(array, 0, 0, rows, sizeof rows[0], sizeof rows[0], 4, 1));
    }
    CUDA(cudaUnbindTexture(&line));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(in));
    CHECK(cudaBindTexture(NULL, (struct texture *)&version, out, &c, 64) == 18);
    CHECK(cudaGetLastError() == 18);
    CUDA(cudaThreadExit());
    printf("old ok\n");
    return 0;
}
