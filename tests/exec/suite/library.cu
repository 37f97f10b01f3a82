/* library.cu - kernels of a library: PTX loaded by cudaLibraryLoadData, found by name, launched by their handles; functions
 * of the driver by cudaGetDriverEntryPointByVersion. */
#include <cstring>

#include <cuda.h>

#include "../check.h"

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 scale = 3;\n"
                          ".visible .entry times(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<5>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
                          "setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra END;\ncvta.to.global.u64 %rd2, %rd1;\n"
                          "mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r3, [%rd4];\n"
                          "ld.global.u32 %r4, [scale];\nmul.lo.u32 %r5, %r3, %r4;\nst.global.u32 [%rd4], %r5;\nEND:\nret;\n}\n";

int main()
{
    enum { N = 50 };
    int host[N], *x, n = N, five = 5, version = 0;
    unsigned count = 0;
    void *scale;
    size_t bytes;
    cudaLibrary_t library;
    cudaKernel_t kernel, only;
    for (int i = 0; i < N; i++) host[i] = i;
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    CUDA(cudaLibraryGetKernelCount(&count, library));
    CUDA(cudaLibraryEnumerateKernels(&only, 1, library));
    CUDA(cudaLibraryGetKernel(&kernel, library, "times"));
    CHECK(count == 1 && only == kernel);
    CUDA(cudaLibraryGetGlobal(&scale, &bytes, library, "scale"));
    CHECK(bytes == 4);
    CUDA(cudaMemcpy(scale, &five, sizeof five, cudaMemcpyHostToDevice));
    void *args[] = {&x, &n};
    CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(64), args, 0, 0));
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(host[i] == 5 * i);
    CUDA(cudaLibraryUnload(library));

    cudaDriverEntryPointQueryResult found;
    void *f = NULL;
    CUDA(cudaGetDriverEntryPointByVersion("cuDriverGetVersion", &f, 12000, cudaEnableDefault, &found));
    CHECK(f && found == cudaDriverEntryPointSuccess);
    CHECK(((CUresult(*)(int *))f)(&version) == CUDA_SUCCESS && version >= 11000);
    CUDA(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &f, 12000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSymbolNotFound);
    printf("library ok\n");
    return 0;
}
