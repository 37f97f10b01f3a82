/* compile.c - a kernel compiled at run time: NVRTC makes PTX of a string, the driver API runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpline/cuda.h"

typedef struct nvrtc_program *program_t;
int nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(int result);
int nvrtcCreateProgram(program_t *out, const char *source, const char *name, int headers, const char *const *header,
                       const char *const *include);
int nvrtcDestroyProgram(program_t *p);
int nvrtcCompileProgram(program_t p, int options, const char *const *option);
int nvrtcGetPTXSize(program_t p, size_t *size);
int nvrtcGetPTX(program_t p, char *ptx);
int nvrtcGetProgramLogSize(program_t p, size_t *size);
int nvrtcGetProgramLog(program_t p, char *log);
int nvrtcAddNameExpression(program_t p, const char *expression);
int nvrtcGetLoweredName(program_t p, const char *expression, const char **name);

#define CHECK(what) ((what) ? (void)0 : (printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what), exit(1)))

static const char source[] =
    "#include \"factor.h\"\n"
    "__global__ void times(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= FACTOR; }\n";

int main(int argc, char **argv)
{
    enum { N = 40 };
    const char *header[] = {"#define FACTOR 7\n"}, *include[] = {"factor.h"};
    const char *option[] = {"--gpu-architecture=sm_75", argc > 1 ? argv[1] : "-DUNUSED=1"};
    const char *lowered;
    program_t p;
    size_t size;
    CHECK(nvrtcCreateProgram(&p, source, "times.cu", 1, header, include) == 0);
    CHECK(nvrtcAddNameExpression(p, "times") == 0);
    int r = nvrtcCompileProgram(p, 2, option);
    if (r) {
        CHECK(nvrtcGetProgramLogSize(p, &size) == 0);
        char *log = malloc(size);
        CHECK(nvrtcGetProgramLog(p, log) == 0);
        printf("%s: %s\n", nvrtcGetErrorString(r), log);
        free(log);
        CHECK(nvrtcDestroyProgram(&p) == 0);
        return 3;
    }
    CHECK(nvrtcGetPTXSize(p, &size) == 0);
    char *ptx = malloc(size);
    CHECK(nvrtcGetPTX(p, ptx) == 0 && strlen(ptx) + 1 == size);
    CHECK(nvrtcGetLoweredName(p, "times", &lowered) == 0);

    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUdeviceptr x;
    int host[N], n = N;
    for (int i = 0; i < N; i++) host[i] = i;
    CHECK(!cuInit(0) && !cuDevicePrimaryCtxRetain(&ctx, 0) && !cuCtxSetCurrent(ctx));
    CHECK(!cuModuleLoadData(&module, ptx) && !cuModuleGetFunction(&f, module, lowered));
    CHECK(!cuMemAlloc(&x, sizeof host) && !cuMemcpyHtoD(x, host, sizeof host));
    CHECK(!cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&x, &n}, NULL));
    CHECK(!cuMemcpyDtoH(host, x, sizeof host));
    for (int i = 0; i < N; i++) CHECK(host[i] == 7 * i);
    CHECK(nvrtcDestroyProgram(&p) == 0 && !p);
    free(ptx);
    printf("compile ok\n");
    return 0;
}
