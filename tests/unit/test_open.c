/* test_open.c - the public face: a program that includes only warpline/warpline.h and warpline/cuda.h. */

#include "test.h"

#include "warpline/cuda.h"
#include "warpline/warpline.h"

static const char ptx[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n"
    "ld.global.u32 %r2, [%d1];\nadd.s32 %r2, %r2, %r2;\nst.global.u32 [%d1], %r2;\nret;\n}\n";

TEST(a_program_runs_and_reads_counters)
{
    char why[256] = "";
    const char *settings[] = {"sched=lrr", "l1d.mshr=128", NULL};
    struct wl_gpu *gpu = wl_gpu_open("gtx480-v322", settings, why, sizeof why);
    assert_non_null(gpu);
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUfunction f;
    CUdeviceptr p;
    uint32_t data[64];
    for (uint32_t i = 0; i < 64; i++) data[i] = i;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGet(&dev, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxCreate(&ctx, 0, dev), CUDA_SUCCESS);
    assert_int_equal(cuModuleLoadData(&mod, ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, mod, "twice"), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&p, sizeof data), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD(p, data, sizeof data), CUDA_SUCCESS);
    void *args[] = {&p};
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(data, p, sizeof data), CUDA_SUCCESS);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(data[i], 2 * i);
    uint64_t v;
    assert_int_equal(wl_gpu_counter(gpu, "kernels", &v), 0);
    assert_int_equal(v, 1);
    assert_int_equal(wl_gpu_counter(gpu, "l1d.loads", &v), 0);
    assert_int_equal(v, 2);
    assert_int_equal(wl_gpu_counter(gpu, "l1d.stalls.mshr", &v), 0);
    assert_int_equal(wl_gpu_counter(gpu, "cycles", &v), 0);
    assert_true(v > 100);
    assert_int_equal(wl_gpu_counter(gpu, "l1d.nonsense", &v), -1);
    assert_int_equal(wl_gpu_counter(gpu, "l1d", &v), -1);
    assert_int_equal(cuModuleLoadData(&mod, "not ptx"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(cuModuleLoadData(&mod, ""), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(cuModuleLoadData(&mod, " \n"), CUDA_ERROR_INVALID_IMAGE);
    assert_true(strlen(wl_gpu_error(gpu)) > 0);
    wl_gpu_close(gpu);
    assert_int_equal(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST(bad_settings_say_why)
{
    char why[256] = "";
    const char *wrong[] = {"l1d.mshrs=3", NULL};
    assert_null(wl_gpu_open("gtx480", wrong, why, sizeof why));
    assert_non_null(strstr(why, "did you mean"));
    assert_null(wl_gpu_open("gtx481", NULL, why, sizeof why));
    const char *policy[] = {"l1=lruu", NULL};
    assert_null(wl_gpu_open(NULL, policy, why, sizeof why));
    assert_non_null(strstr(why, "'lru'"));
    wl_gpu_close(NULL);
}
