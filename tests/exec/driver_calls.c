/* driver_calls.c - a program of the driver API that loads PTX through libcuda.so.1. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpline/cuda.h"

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);

#define CHECK(what) ((what) ? (void)0 : (printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what), exit(1)))
#define CU(call)    CHECK((call) == CUDA_SUCCESS)

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .global .align 4 .u32 calls;\n"
                          ".visible .entry scale(.param .u64 p, .param .f32 by, .param .u32 n)\n{\n"
                          ".reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<6>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.f32 %f1, [by];\nld.param.u32 %r1, [n];\n"
                          "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                          "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n"
                          "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                          "ld.global.f32 %f2, [%rd4];\nmul.f32 %f3, %f2, %f1;\nst.global.f32 [%rd4], %f3;\n"
                          "mov.u64 %rd5, calls;\nred.global.add.u32 [%rd5], 1;\nDONE:\nret;\n}\n";

/* Programs that look functions up by the names of old headers, without a version, find the same functions; not those
 * that wrote an address of 32 bits through a pointer. */
static void check_names(void)
{
    static const char *const names[] = {"cuCtxCreate",     "cuCtxDestroy",    "cuCtxPopCurrent",  "cuCtxPushCurrent",
                                        "cuDeviceGetUuid", "cuEventDestroy",  "cuLinkCreate",     "cuMemFree",
                                        "cuMemcpyHtoD",    "cuStreamDestroy", "cuMemHostRegister"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char versioned[64];
        snprintf(versioned, sizeof versioned, "%s_v2", names[i]);
        const void *plain = dlsym(RTLD_DEFAULT, names[i]);
        CHECK(plain && plain == dlsym(RTLD_DEFAULT, versioned));
    }
    CHECK(!dlsym(RTLD_DEFAULT, "cuMemAlloc"));
}

int main(void)
{
    enum { N = 1000 };
    float host[N], by = 3, ms;
    unsigned n = N, calls;
    CUdevice device;
    CUcontext ctx, popped;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p, counter;
    CUevent start, end;
    size_t bytes;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&ctx, 0, device));
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, "scale"));
    CU(cuModuleGetGlobal(&counter, &bytes, module, "calls"));
    CHECK(bytes == 4);
    CU(cuMemAlloc(&p, sizeof host));
    for (int i = 0; i < N; i++) host[i] = (float)i;
    CU(cuMemcpyHtoD(p, host, sizeof host));
    CU(cuEventCreate(&start, 0));
    CU(cuEventCreate(&end, 0));
    CU(cuEventRecord(start, NULL));
    CU(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&p, &by, &n}, NULL));
    CU(cuEventRecord(end, NULL));
    CU(cuCtxSynchronize());
    CU(cuEventElapsedTime(&ms, start, end));
    CU(cuMemcpyDtoH(host, p, sizeof host));
    CU(cuMemcpyDtoH(&calls, counter, sizeof calls));
    for (int i = 0; i < N; i++) CHECK(host[i] == 3 * (float)i);
    CHECK(calls == N && ms >= 0);

    CUresult (*alloc)(CUdeviceptr *, size_t) = NULL;
    void *address;
    CU(cuGetProcAddress_v2("cuMemAlloc", &address, 12000, 0, NULL));
    memcpy(&alloc, &address, sizeof alloc);
    CU(alloc(&p, 64));
    CHECK(cuGetProcAddress_v2("cuNothing", &address, 12000, 0, NULL) == CUDA_ERROR_NOT_FOUND && !address);
    check_names();
    CHECK(cuModuleLoadData(&module, ".version 6.0\n.target sm_50\nnonsense") == CUDA_ERROR_INVALID_PTX);
    CU(cuCtxPopCurrent(&popped));
    CHECK(popped == ctx);
    CHECK(cuMemAlloc(&p, 64) == CUDA_ERROR_INVALID_CONTEXT);
    CU(cuCtxDestroy(ctx));
    printf("driver ok\n");
    return 0;
}
