/* products.c - how long matrix instructions take: wgmma.mma_async by shape and type, and mma.sync.
 *
 * Writes a kernel for each, has the driver compile it and prints cycles. Needs sm_90a. Not part of the build.
 *   cc -O2 products.c -o products -lcuda && ./products > products.txt       docs/results/h200-products.txt
 *
 * wgmma: so many products of one group follow each other, then commit and wait; a round of 1, 2, 4 and 8 of them by one
 * warp group alone, and of 8 by four warp groups. mma: a chain of 64, and 64 in 8 chains by 1 and by 16 warps. */
#include <cuda.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 16, TEXT = 1 << 20 };

static char text[TEXT];
static size_t used;
static CUdeviceptr result;

static void put(const char *format, ...)
{
    va_list a;
    va_start(a, format);
    used += (size_t)vsnprintf(text + used, TEXT - used, format, a);
    va_end(a);
}

static int check(CUresult r, const char *what)
{
    const char *why = "?";
    if (r == CUDA_SUCCESS) return 0;
    cuGetErrorString(r, &why);
    printf("%s: %s\n", what, why);
    return 1;
}

/* The mean cycles of the rounds after the first; < 0: the kernel was refused. */
static double cycles(unsigned threads, const char *what)
{
    CUmodule m;
    CUfunction f;
    long long t[2] = {0};
    void *args[] = {&result};
    if (check(cuModuleLoadData(&m, text), what)) return -1;
    int bad = check(cuModuleGetFunction(&f, m, "test"), what);
    for (int i = 0; i < 3 && !bad; i++)
        bad = check(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, args, NULL), what);
    bad = bad || check(cuCtxSynchronize(), what) || check(cuMemcpyDtoH(t, result, sizeof t), what);
    cuModuleUnload(m);
    return bad ? -1 : (double)(t[1] - t[0]) / (ROUNDS - 1);
}

static void begin(unsigned threads)
{
    used = 0;
    put(".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry test(.param .u64 out)\n.maxntid %u, 1, 1\n{\n"
        ".shared .align 1024 .b8 a[8192];\n.shared .align 1024 .b8 b[32768];\n"
        ".reg .b32 r<256>; .reg .b64 d<8>; .reg .b64 t<4>; .reg .pred p, q, first; .reg .b32 i, tid, x;\n.reg .f64 "
        "f<64>;\n"
        "ld.param.u64 d0, [out];\nmov.u32 tid, %%tid.x;\nsetp.eq.u32 p, 0, 0;\nmov.u32 i, 0;\n",
        threads);
    for (int i = 0; i < 256; i++) put("mov.b32 r%d, 0;\n", i);
    for (int i = 0; i < 64; i++) put("mov.f64 f%d, 0d0000000000000000;\n", i);
    put("mov.u32 x, a;\nshr.u32 x, x, 4;\ncvt.u64.u32 d1, x;\nor.b64 d1, d1, 0x4000004000010000;\n"
        "mov.u32 x, b;\nshr.u32 x, x, 4;\ncvt.u64.u32 d2, x;\nor.b64 d2, d2, 0x4000004000010000;\n"
        "bar.sync 0;\nround:\nsetp.eq.u32 first, i, 1;\n@first bar.sync 0;\n@first mov.u64 t0, %%clock64;\n");
}

static void finish(void)
{
    put("add.u32 i, i, 1;\nsetp.lt.u32 q, i, %d;\n@q bra round;\nbar.sync 0;\nmov.u64 t1, %%clock64;\n", ROUNDS);
    put("setp.ne.u32 q, tid, 0;\n@q bra end;\nst.global.u64 [d0], t0;\nst.global.u64 [d0+8], t1;\n");
    put("xor.b32 x, r0, r1;\nadd.f64 f0, f0, f1;\nst.global.u32 [d0+16], x;\nst.global.f64 [d0+24], f0;\n");
    put("end: ret;\n}\n");
}

struct kind {
    const char *name, *types, *tail; /* behind scale-d */
    int k, d_regs8;                  /* depth; registers of D per 8 columns */
    int sparse, a_regs;
};
static const struct kind kinds[] = {
    {"f16", "f32.f16.f16", ", 1, 1, 0, 0", 16, 4, 0, 0},
    {"f16_a_in_registers", "f32.f16.f16", ", 1, 1, 0", 16, 4, 0, 4},
    {"f16_to_f16", "f16.f16.f16", ", 1, 1, 0, 0", 16, 2, 0, 0},
    {"bf16", "f32.bf16.bf16", ", 1, 1, 0, 0", 16, 4, 0, 0},
    {"tf32", "f32.tf32.tf32", ", 1, 1", 8, 4, 0, 0},
    {"e4m3", "f32.e4m3.e4m3", ", 1, 1", 32, 4, 0, 0},
    {"e4m3_to_f16", "f16.e4m3.e5m2", ", 1, 1", 32, 2, 0, 0},
    {"s8", "s32.s8.s8", "", 32, 4, 0, 0},
    {"b1", "s32.b1.b1.and.popc", "", 256, 4, 0, 0},
    {"f16_sparse", "f32.f16.f16", ", 1, 1, 0, 0", 32, 4, 1, 0},
    {"s8_sparse", "s32.s8.s8", "", 64, 4, 1, 0},
};

static void one_wgmma(const struct kind *k, int n)
{
    put("wgmma.mma_async.%ssync.aligned.m64n%dk%d.%s {", k->sparse ? "sp." : "", n, k->k, k->types);
    for (int i = 0; i < n / 8 * k->d_regs8; i++) put("%sr%d", i ? "," : "", i);
    put("}, ");
    if (k->a_regs) put("{r200,r201,r202,r203}, d2");
    else put("d1, d2");
    if (k->sparse) put(", r204, 0");
    put(", p%s;\n", k->tail);
}

static double time_wgmma(const struct kind *k, int n, int count, unsigned threads)
{
    begin(threads);
    put("wgmma.fence.sync.aligned;\n");
    for (int i = 0; i < count; i++) one_wgmma(k, n);
    put("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    finish();
    return cycles(threads, k->name);
}

static void wgmma(void)
{
    static const int few[] = {8, 16, 32, 64, 96, 128, 192, 256};
    puts("# wgmma type n k, cycles of a round of 1, 2, 4, 8 by one warp group; of 8 by four");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int j = 0; j < (i ? 8 : 32); j++) {
            int n = i ? few[j] : 8 * (j + 1);
            printf("wgmma %s %d %d", kinds[i].name, n, kinds[i].k);
            for (int count = 1; count <= 8; count *= 2) printf(" %.1f", time_wgmma(&kinds[i], n, count, 128));
            printf(" %.1f\n", n <= 128 ? time_wgmma(&kinds[i], n, 8, 512) : 0.0);
            fflush(stdout);
        }
}

struct small {
    const char *name;
    int d, a, b, wide; /* registers; wide: f64 */
};
static const struct small smalls[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 0},   {"m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 0},
    {"m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 0},  {"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 0},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, 0}, {"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 0},
    {"m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, 0},     {"m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1, 0},
    {"m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 0},    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 0},
    {"m16n8k64.row.col.s32.s4.s4.s32", 4, 4, 2, 0},    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2, 0},
    {"m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 1},    {"m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, 1},
    {"m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, 1},
};

static void list(char letter, int first, int n)
{
    put("{");
    for (int i = 0; i < n; i++) put("%s%c%d", i ? "," : "", letter, first + i);
    put("}");
}

static double time_mma(const struct small *s, int chains, unsigned threads)
{
    begin(threads);
    char c = s->wide ? 'f' : 'r';
    for (int i = 0; i < 64; i++) {
        int d = i % chains * s->d;
        put("mma.sync.aligned.%s ", s->name);
        list(c, d, s->d), put(", ");
        list(c, 40, s->a), put(", ");
        list(c, 50, s->b), put(", ");
        list(c, d, s->d), put(";\n");
    }
    finish();
    return cycles(threads, s->name) / 64;
}

static void mma(void)
{
    puts("# mma shape and type, cycles per instruction: in a chain; in 8 chains, 1 warp; 16 warps, of all of them");
    for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++) {
        printf("mma %s %.2f", smalls[i].name, time_mma(&smalls[i], 1, 32));
        printf(" %.2f", time_mma(&smalls[i], 8, 32));
        printf(" %.2f\n", time_mma(&smalls[i], 8, 512) / 16);
        fflush(stdout);
    }
}

int main(void)
{
    CUdevice dev;
    CUcontext ctx;
    if (check(cuInit(0), "cuInit") || check(cuDeviceGet(&dev, 0), "device") ||
        check(cuDevicePrimaryCtxRetain(&ctx, dev), "context") || check(cuCtxSetCurrent(ctx), "context") ||
        check(cuMemAlloc(&result, 64), "memory"))
        return 1;
    mma();
    wgmma();
    return 0;
}
