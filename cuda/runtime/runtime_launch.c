/* runtime_launch.c - kernel launches, and what is asked about kernels. */
#include <string.h>

#include "cuda/runtime/runtime.h"

struct launch_config { /* cudaLaunchConfig_t */
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    CUlaunchAttribute *attribute;
    unsigned attributes;
};

struct function_attributes { /* cudaFuncAttributes; what newer versions added behind stays untouched */
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout;
};

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                               cudaStream_t stream);
cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                             cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const struct launch_config *c, const void *func, void **args);
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                                        cudaStream_t stream);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*call)(void *), void *arg);
cudaError_t cudaFuncGetAttributes(struct function_attributes *out, const void *func);
cudaError_t cudaFuncSetAttribute(const void *func, int attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *func, int config);
cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config);
cudaError_t cudaFuncGetName(const char **name, const void *func);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                                          size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                                   size_t shared_bytes, unsigned flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const struct launch_config *c);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const struct launch_config *c);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *bytes);

/* ---- the configuration of <<< >>>, on its way to the stub ---- */

struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
};
enum { MAX_PUSHED = 32 }; /* one, but for launches in the arguments of a launch */
static _Thread_local struct configuration pushed[MAX_PUSHED];
static _Thread_local unsigned depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
    if (depth == MAX_PUSHED) return (unsigned)rt_done(cudaErrorMissingConfiguration);
    pushed[depth++] = (struct configuration){grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    if (depth == 0) return rt_done(cudaErrorMissingConfiguration);
    const struct configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

/* ---- launches ---- */

/* To the driver every launch that cannot be made has an invalid value; here a grid or block of no use is a matter of
 * the configuration, too much shared memory is not. */
static cudaError_t launch_result(CUresult r, dim3 grid, dim3 block, bool attributes)
{
    enum { MAX_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };
    if (r != CUDA_ERROR_INVALID_VALUE) return rt_driver(r);
    bool empty = !grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z;
    bool large = grid.x > INT32_MAX || grid.y > MAX_GRID_YZ || grid.z > MAX_GRID_YZ || block.z > MAX_BLOCK_Z ||
                 block.x > MAX_THREADS || block.y > MAX_THREADS || block.x * block.y * block.z > MAX_THREADS;
    return rt_done(empty || large || attributes ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                             cudaStream_t stream)
{
    CUfunction f;
    cudaError_t e = rt_kernel_to_launch(func, &f);
    if (e) return rt_done(e);
    if (shared_bytes > UINT32_MAX) return rt_done(cudaErrorInvalidValue);
    CUresult r = cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared_bytes, stream,
                                args, NULL);
    return launch_result(r, grid, block, false);
}

cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                               cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream);
}

static CUlaunchConfig driver_config(const struct launch_config *c)
{
    return (CUlaunchConfig){.gridDimX = c->grid.x,
                            .gridDimY = c->grid.y,
                            .gridDimZ = c->grid.z,
                            .blockDimX = c->block.x,
                            .blockDimY = c->block.y,
                            .blockDimZ = c->block.z,
                            .sharedMemBytes = (unsigned)c->shared_bytes,
                            .hStream = c->stream,
                            .attrs = c->attribute,
                            .numAttrs = c->attributes};
}

cudaError_t cudaLaunchKernelExC(const struct launch_config *c, const void *func, void **args)
{
    CUfunction f;
    cudaError_t e = c ? rt_kernel_to_launch(func, &f) : cudaErrorInvalidValue;
    if (e) return rt_done(e);
    if (c->shared_bytes > UINT32_MAX) return rt_done(cudaErrorInvalidValue);
    CUlaunchConfig d = driver_config(c);
    CUresult r = cuLaunchKernelEx(&d, f, args, NULL);
    return launch_result(r, c->grid, c->block, c->attributes);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared_bytes,
                                        cudaStream_t stream)
{
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    struct launch_config c = {grid, block, shared_bytes, stream, &cooperative, 1};
    return cudaLaunchKernelExC(&c, func, args);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*call)(void *), void *arg)
{
    RT_CALL(cuLaunchHostFunc(stream, call, arg));
}

/* ---- questions ---- */

cudaError_t cudaFuncGetAttributes(struct function_attributes *out, const void *func)
{
    CUfunction f;
    cudaError_t e = out ? rt_kernel(func, &f) : cudaErrorInvalidValue;
    if (e) return rt_done(e);
    int value[9];
    for (int i = 0; i < 9; i++) {
        CUresult r = cuFuncGetAttribute(&value[i], (CUfunction_attribute)i, f);
        if (r) return rt_driver(r);
    }
    *out = (struct function_attributes){.shared_bytes = (size_t)value[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
                                        .const_bytes = (size_t)value[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
                                        .local_bytes = (size_t)value[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
                                        .max_threads = value[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
                                        .registers = value[CU_FUNC_ATTRIBUTE_NUM_REGS],
                                        .ptx_version = value[CU_FUNC_ATTRIBUTE_PTX_VERSION],
                                        .binary_version = value[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
                                        .cache_mode_ca = value[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
                                        .max_dynamic_shared = value[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
                                        .carveout = -1};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, int attribute, int value)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    return e ? rt_done(e) : rt_driver(cuFuncSetAttribute(f, (CUfunction_attribute)attribute, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *func, int config)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    return e ? rt_done(e) : rt_driver(cuFuncSetCacheConfig(f, (CUfunc_cache)config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, int config)
{
    CUfunction f;
    (void)config; /* the width of a bank is a parameter of the machine */
    return rt_done(rt_kernel(func, &f));
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    return e ? rt_done(e) : rt_driver(cuFuncGetName(name, f));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                                          size_t shared_bytes)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    if (e) return rt_done(e);
    return rt_driver(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared_bytes));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                                   size_t shared_bytes, unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, func, threads, shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    return e ? rt_done(e) : rt_driver(cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const struct launch_config *c)
{
    CUfunction f;
    cudaError_t e = c ? rt_kernel(func, &f) : cudaErrorInvalidValue;
    CUlaunchConfig d = {0};
    if (!e) d = driver_config(c);
    return e ? rt_done(e) : rt_driver(cuOccupancyMaxPotentialClusterSize(size, f, &d));
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const struct launch_config *c)
{
    CUfunction f;
    cudaError_t e = c ? rt_kernel(func, &f) : cudaErrorInvalidValue;
    CUlaunchConfig d = {0};
    if (!e) d = driver_config(c);
    return e ? rt_done(e) : rt_driver(cuOccupancyMaxActiveClusters(clusters, f, &d));
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *bytes)
{
    CUfunction f;
    cudaError_t e = rt_kernel(func, &f);
    return e ? rt_done(e) : rt_driver(cuFuncGetParamInfo(f, index, offset, bytes));
}
