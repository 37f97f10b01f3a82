/* ptx_on_gpu.c - runs every kernel of kernels.h on a real GPU through the CUDA driver and
 * prints the result bits, for comparison with the simulator's (ptx_here.c). Not part of the
 * build: it needs a GPU, its driver and cuda.h.
 *
 *   cc -O2 ptx_on_gpu.c -o ptx_on_gpu -lcuda && ./ptx_on_gpu > gpu.txt
 *   ./ptx_here > here.txt; diff gpu.txt here.txt
 *
 * An argument selects kernels by prefix. A kernel the driver refuses is reported on stderr
 * and skipped. */
#include <cuda.h>
#include <stdlib.h>

#include "rare.h"

static int check(CUresult r, const char *what)
{
    const char *text = "?";
    if (r == CUDA_SUCCESS) return 0;
    cuGetErrorString(r, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    return 1;
}

static int run_kernel(const struct kernel *k, CUdeviceptr in32, CUdeviceptr in64, CUdeviceptr out)
{
    static uint64_t result[KERNEL_THREADS];
    char text[KERNEL_TEXT];
    CUmodule m;
    CUfunction f;
    void *args[] = {&in32, &in64, &out};
    kernel_text(k, text, sizeof text);
    if (check(cuModuleLoadData(&m, text), k->name)) return 1;
    int bad = check(cuModuleGetFunction(&f, m, "test"), k->name) || check(cuMemsetD8(out, 0, sizeof result), k->name) ||
              check(cuLaunchKernel(f, KERNEL_THREADS / KERNEL_BLOCK, 1, 1, KERNEL_BLOCK, 1, 1, 0, NULL, args, NULL),
                    k->name) ||
              check(cuMemcpyDtoH(result, out, sizeof result), k->name);
    for (unsigned i = 0; i < KERNEL_THREADS && !bad; i++) print_result(k, i, result[i]);
    cuModuleUnload(m);
    return bad;
}

int main(int argc, char **argv)
{
    static uint32_t in32[3 * KERNEL_THREADS];
    static uint64_t in64[3 * KERNEL_THREADS];
    CUdevice dev;
    CUcontext ctx;
    CUdeviceptr d32, d64, out;
    for (unsigned i = 0; i < KERNEL_THREADS; i++)
        for (unsigned k = 0; k < 3; k++) {
            in32[3 * i + k] = operand32(i, k);
            in64[3 * i + k] = operand64(i, k);
        }
    if (check(cuInit(0), "cuInit") || check(cuDeviceGet(&dev, 0), "device") ||
        check(cuDevicePrimaryCtxRetain(&ctx, dev), "context") || check(cuCtxSetCurrent(ctx), "context") ||
        check(cuMemAlloc(&d32, sizeof in32), "memory") || check(cuMemAlloc(&d64, sizeof in64), "memory") ||
        check(cuMemAlloc(&out, 8 * KERNEL_THREADS), "memory") || check(cuMemcpyHtoD(d32, in32, sizeof in32), "copy") ||
        check(cuMemcpyHtoD(d64, in64, sizeof in64), "copy"))
        return 1;
    int bad = 0;
    unsigned count;
    const char *only;
    const struct kernel *list = kernel_list(argc, argv, &count, &only);
    for (unsigned k = 0; k < count; k++) {
        if (strncmp(list[k].name, only, strlen(only))) continue;
        bad |= run_kernel(&list[k], d32, d64, out);
    }
    return bad;
}
