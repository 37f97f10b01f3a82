/* runtime_device.c - the one device, its properties, and the state of the program. */
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/runtime.h"

/* cudaDeviceProp. CUDA 13 took out the fields that speak of clocks and modes; 12 and 13 put more behind. */
struct properties {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask;
    size_t global_bytes, shared_bytes_per_block;
    int registers_per_block, warp_size;
    size_t max_pitch;
    int max_threads_per_block, max_threads[3], max_grid[3];
#if WL_CUDART_MAJOR < 13
    int clock_khz;
#endif
    size_t const_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
#if WL_CUDART_MAJOR < 13
    int device_overlap;
#endif
    int sms;
#if WL_CUDART_MAJOR < 13
    int timeout_enabled;
#endif
    int integrated, can_map_host_memory;
#if WL_CUDART_MAJOR < 13
    int compute_mode;
#endif
    int texture_1d, texture_1d_mipmap;
#if WL_CUDART_MAJOR < 13
    int texture_1d_linear;
#endif
    int texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3], texture_2d_gather[2], texture_3d[3],
        texture_3d_alt[3], texture_cubemap, texture_1d_layered[2], texture_2d_layered[3], texture_cubemap_layered[2],
        surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3], surface_cubemap,
        surface_cubemap_layered[2];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
#if WL_CUDART_MAJOR < 13
    int memory_khz;
#endif
    int bus_bits, l2_bytes, l2_persisting_bytes, max_threads_per_sm, stream_priorities, global_l1, local_l1;
    size_t shared_bytes_per_sm;
    int registers_per_sm, managed_memory, multi_gpu_board, multi_gpu_group, host_atomics;
#if WL_CUDART_MAJOR < 13
    int single_to_double;
#endif
    int pageable_access, concurrent_managed, preemption, registered_host_pointer, cooperative;
#if WL_CUDART_MAJOR < 13
    int cooperative_multi_device;
#endif
    size_t shared_bytes_optin;
    int pageable_by_host_tables, direct_managed, max_blocks_per_sm, access_window;
    size_t shared_bytes_reserved;
#if WL_CUDART_MAJOR >= 12
    int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools, rdma;
    unsigned rdma_flush;
    int rdma_ordering;
    unsigned pool_handles;
    int deferred_mapping, ipc_events, cluster_launch, unified_functions;
#endif
#if WL_CUDART_MAJOR >= 13
    int numa_config, numa_id, mps, host_numa;
    unsigned pci_device_id, pci_subsystem_id;
    int host_numa_ipc, reserved[56];
#elif WL_CUDART_MAJOR == 12
    int reserved[63];
#endif
};
enum { PROPERTIES_11 = 728 };
#if WL_CUDART_MAJOR >= 13
_Static_assert(sizeof(struct properties) == 1008 && offsetof(struct properties, sms) == 384, "layout of CUDA 13");
#elif WL_CUDART_MAJOR == 12
_Static_assert(sizeof(struct properties) == 1032, "layout of CUDA 12");
#else
_Static_assert(sizeof(struct properties) == PROPERTIES_11, "layout of CUDA 11");
#endif

cudaError_t cudaGetDeviceProperties(struct properties *out, int dev);
cudaError_t cudaGetDeviceProperties_v2(struct properties *out, int dev);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *dev);
cudaError_t cudaSetDevice(int dev);
cudaError_t cudaInitDevice(int dev, unsigned device_flags, unsigned flags);
cudaError_t cudaChooseDevice(int *dev, const struct properties *wanted);
cudaError_t cudaSetValidDevices(int *list, int count);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int dev);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaDeviceSetCacheConfig(int config);
cudaError_t cudaThreadSetCacheConfig(int config);
cudaError_t cudaDeviceGetCacheConfig(int *config);
cudaError_t cudaDeviceSetSharedMemConfig(int config);
cudaError_t cudaDeviceGetSharedMemConfig(int *config);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int dev, int peer);
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int dev);
cudaError_t cudaDeviceGetByPCIBusId(int *dev, const char *id);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *status);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);

/* ---- properties ---- */

enum attribute {
#define A(number, name, value, source) ATTR_##name = number,
#include "cuda/attributes.def"
#undef A
};

static int attribute(enum attribute a)
{
    int value = 0;
    cuDeviceGetAttribute(&value, (CUdevice_attribute)a, 0);
    return value;
}

/* Attributes that follow each other into an array. */
static void attributes(int *out, unsigned n, enum attribute first)
{
    for (unsigned i = 0; i < n; i++) out[i] = attribute((enum attribute)(first + i));
}

static void set_limits(struct properties *p)
{
    p->max_threads_per_block = attribute(ATTR_MAX_THREADS_PER_BLOCK);
    attributes(p->max_threads, 3, ATTR_MAX_BLOCK_DIM_X);
    attributes(p->max_grid, 3, ATTR_MAX_GRID_DIM_X);
    p->shared_bytes_per_block = (size_t)attribute(ATTR_MAX_SHARED_MEMORY_PER_BLOCK);
    p->shared_bytes_per_sm = (size_t)attribute(ATTR_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    p->shared_bytes_optin = (size_t)attribute(ATTR_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    p->shared_bytes_reserved = (size_t)attribute(ATTR_RESERVED_SHARED_MEMORY_PER_BLOCK);
    p->max_blocks_per_sm = attribute(ATTR_MAX_BLOCKS_PER_MULTIPROCESSOR);
    p->registers_per_block = attribute(ATTR_MAX_REGISTERS_PER_BLOCK);
    p->registers_per_sm = attribute(ATTR_MAX_REGISTERS_PER_MULTIPROCESSOR);
    p->max_threads_per_sm = attribute(ATTR_MAX_THREADS_PER_MULTIPROCESSOR);
    p->const_bytes = (size_t)attribute(ATTR_TOTAL_CONSTANT_MEMORY);
    p->max_pitch = (size_t)attribute(ATTR_MAX_PITCH);
    p->warp_size = attribute(ATTR_WARP_SIZE);
    p->sms = attribute(ATTR_MULTIPROCESSOR_COUNT);
    p->l2_bytes = attribute(ATTR_L2_CACHE_SIZE);
    p->l2_persisting_bytes = attribute(ATTR_MAX_PERSISTING_L2_CACHE_SIZE);
    p->access_window = attribute(ATTR_MAX_ACCESS_POLICY_WINDOW_SIZE);
    p->bus_bits = attribute(ATTR_GLOBAL_MEMORY_BUS_WIDTH);
}

static void set_textures(struct properties *p)
{
    p->texture_alignment = (size_t)attribute(ATTR_TEXTURE_ALIGNMENT);
    p->texture_pitch_alignment = (size_t)attribute(ATTR_TEXTURE_PITCH_ALIGNMENT);
    p->surface_alignment = (size_t)attribute(ATTR_SURFACE_ALIGNMENT);
    p->texture_1d = attribute(ATTR_MAXIMUM_TEXTURE1D_WIDTH);
    p->texture_1d_mipmap = attribute(ATTR_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
    attributes(p->texture_2d, 2, ATTR_MAXIMUM_TEXTURE2D_WIDTH);
    attributes(p->texture_2d_mipmap, 2, ATTR_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH);
    attributes(p->texture_2d_linear, 3, ATTR_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
    attributes(p->texture_2d_gather, 2, ATTR_MAXIMUM_TEXTURE2D_GATHER_WIDTH);
    attributes(p->texture_3d, 3, ATTR_MAXIMUM_TEXTURE3D_WIDTH);
    attributes(p->texture_3d_alt, 3, ATTR_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE);
    p->texture_cubemap = attribute(ATTR_MAXIMUM_TEXTURECUBEMAP_WIDTH);
    attributes(p->texture_1d_layered, 2, ATTR_MAXIMUM_TEXTURE1D_LAYERED_WIDTH);
    attributes(p->texture_2d_layered, 3, ATTR_MAXIMUM_TEXTURE2D_LAYERED_WIDTH);
    attributes(p->texture_cubemap_layered, 2, ATTR_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH);
    p->surface_1d = attribute(ATTR_MAXIMUM_SURFACE1D_WIDTH);
    attributes(p->surface_2d, 2, ATTR_MAXIMUM_SURFACE2D_WIDTH);
    attributes(p->surface_3d, 3, ATTR_MAXIMUM_SURFACE3D_WIDTH);
    attributes(p->surface_1d_layered, 2, ATTR_MAXIMUM_SURFACE1D_LAYERED_WIDTH);
    attributes(p->surface_2d_layered, 3, ATTR_MAXIMUM_SURFACE2D_LAYERED_WIDTH);
    p->surface_cubemap = attribute(ATTR_MAXIMUM_SURFACECUBEMAP_WIDTH);
    attributes(p->surface_cubemap_layered, 2, ATTR_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH);
}

static void set_abilities(struct properties *p)
{
    p->integrated = attribute(ATTR_INTEGRATED);
    p->can_map_host_memory = attribute(ATTR_CAN_MAP_HOST_MEMORY);
    p->concurrent_kernels = attribute(ATTR_CONCURRENT_KERNELS);
    p->ecc = attribute(ATTR_ECC_ENABLED);
    p->pci_bus = attribute(ATTR_PCI_BUS_ID);
    p->pci_device = attribute(ATTR_PCI_DEVICE_ID);
    p->pci_domain = attribute(ATTR_PCI_DOMAIN_ID);
    p->tcc = attribute(ATTR_TCC_DRIVER);
    p->async_engines = attribute(ATTR_ASYNC_ENGINE_COUNT);
    p->unified_addressing = attribute(ATTR_UNIFIED_ADDRESSING);
    p->stream_priorities = attribute(ATTR_STREAM_PRIORITIES_SUPPORTED);
    p->global_l1 = attribute(ATTR_GLOBAL_L1_CACHE_SUPPORTED);
    p->local_l1 = attribute(ATTR_LOCAL_L1_CACHE_SUPPORTED);
    p->managed_memory = attribute(ATTR_MANAGED_MEMORY);
    p->multi_gpu_board = attribute(ATTR_MULTI_GPU_BOARD);
    p->multi_gpu_group = attribute(ATTR_MULTI_GPU_BOARD_GROUP_ID);
    p->host_atomics = attribute(ATTR_HOST_NATIVE_ATOMIC_SUPPORTED);
    p->pageable_access = attribute(ATTR_PAGEABLE_MEMORY_ACCESS);
    p->concurrent_managed = attribute(ATTR_CONCURRENT_MANAGED_ACCESS);
    p->preemption = attribute(ATTR_COMPUTE_PREEMPTION_SUPPORTED);
    p->registered_host_pointer = attribute(ATTR_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
    p->cooperative = attribute(ATTR_COOPERATIVE_LAUNCH);
    p->pageable_by_host_tables = attribute(ATTR_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
    p->direct_managed = attribute(ATTR_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST);
}

/* What only some versions have. */
static void set_versioned(struct properties *p)
{
#if WL_CUDART_MAJOR < 13
    p->clock_khz = attribute(ATTR_CLOCK_RATE);
    p->memory_khz = attribute(ATTR_MEMORY_CLOCK_RATE);
    p->device_overlap = attribute(ATTR_GPU_OVERLAP);
    p->timeout_enabled = attribute(ATTR_KERNEL_EXEC_TIMEOUT);
    p->compute_mode = attribute(ATTR_COMPUTE_MODE);
    p->texture_1d_linear = attribute(ATTR_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    p->single_to_double = attribute(ATTR_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
    p->cooperative_multi_device = attribute(ATTR_COOPERATIVE_MULTI_DEVICE_LAUNCH);
#endif
#if WL_CUDART_MAJOR >= 12
    p->host_register = attribute(ATTR_HOST_REGISTER_SUPPORTED);
    p->host_register_read_only = attribute(ATTR_READ_ONLY_HOST_REGISTER_SUPPORTED);
    p->sparse_arrays = attribute(ATTR_SPARSE_CUDA_ARRAY_SUPPORTED);
    p->timeline_semaphores = attribute(ATTR_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
    p->memory_pools = attribute(ATTR_MEMORY_POOLS_SUPPORTED);
    p->rdma = attribute(ATTR_GPU_DIRECT_RDMA_SUPPORTED);
    p->rdma_flush = (unsigned)attribute(ATTR_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
    p->rdma_ordering = attribute(ATTR_GPU_DIRECT_RDMA_WRITES_ORDERING);
    p->pool_handles = (unsigned)attribute(ATTR_MEMPOOL_SUPPORTED_HANDLE_TYPES);
    p->deferred_mapping = attribute(ATTR_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED);
    p->ipc_events = attribute(ATTR_IPC_EVENT_SUPPORTED);
    p->cluster_launch = attribute(ATTR_CLUSTER_LAUNCH);
    p->unified_functions = attribute(ATTR_UNIFIED_FUNCTION_POINTERS);
#endif
#if WL_CUDART_MAJOR >= 13
    p->numa_config = attribute(ATTR_NUMA_CONFIG);
    p->numa_id = attribute(ATTR_NUMA_ID);
    p->mps = attribute(ATTR_MPS_ENABLED);
    p->host_numa = attribute(ATTR_HOST_NUMA_ID);
    p->pci_device_id = (unsigned)attribute(ATTR_GPU_PCI_DEVICE_ID);
    p->pci_subsystem_id = (unsigned)attribute(ATTR_GPU_PCI_SUBSYSTEM_ID);
    p->host_numa_ipc = attribute(ATTR_HOST_NUMA_MULTINODE_IPC_SUPPORTED);
#endif
    (void)p;
}

static CUresult read_properties(struct properties *p)
{
    memset(p, 0, sizeof *p);
    CUresult r = cuDeviceGetName(p->name, sizeof p->name, 0);
    if (!r) r = cuDeviceTotalMem(&p->global_bytes, 0);
    if (!r) r = cuDeviceComputeCapability(&p->major, &p->minor, 0);
    if (r) return r;
    memcpy(p->uuid, p->name, sizeof p->uuid);
    set_limits(p);
    set_textures(p);
    set_abilities(p);
    set_versioned(p);
    return CUDA_SUCCESS;
}

static cudaError_t properties(void *out, size_t bytes, int dev)
{
    struct properties p;
    if (!out) return rt_done(cudaErrorInvalidValue);
    if (dev != 0) return rt_done(cudaErrorInvalidDevice);
    CUresult r = rt_enter();
    if (!r) r = read_properties(&p);
    if (!r) memcpy(out, &p, bytes);
    return rt_driver(r);
}

/* In CUDA 12 the plain name still means the short form; its header calls the other. */
cudaError_t cudaGetDeviceProperties(struct properties *out, int dev)
{
    return properties(out, WL_CUDART_MAJOR < 13 ? PROPERTIES_11 : sizeof *out, dev);
}

cudaError_t cudaGetDeviceProperties_v2(struct properties *out, int dev) { return properties(out, sizeof *out, dev); }

/* Attributes of the runtime have the numbers of the driver's. */
cudaError_t cudaDeviceGetAttribute(int *value, int which, int dev)
{
    if (dev != 0) return rt_done(cudaErrorInvalidDevice);
    if (!value) return rt_done(cudaErrorInvalidValue);
    CUresult r = rt_enter();
    if (r) return rt_driver(r);
    return rt_driver(cuDeviceGetAttribute(value, (CUdevice_attribute)which, 0));
}

/* ---- which device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count) return rt_done(cudaErrorInvalidValue);
    CUresult r = cuInit(0);
    return rt_driver(r ? r : cuDeviceGetCount(count));
}

cudaError_t cudaGetDevice(int *dev)
{
    if (!dev) return rt_done(cudaErrorInvalidValue);
    *dev = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int dev)
{
    if (dev != 0) return rt_done(cudaErrorInvalidDevice);
    RT_CALL(CUDA_SUCCESS);
}

cudaError_t cudaInitDevice(int dev, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(dev);
}

cudaError_t cudaChooseDevice(int *dev, const struct properties *wanted)
{
    (void)wanted;
    return cudaGetDevice(dev);
}

cudaError_t cudaSetValidDevices(int *list, int count)
{
    for (int i = 0; list && i < count; i++)
        if (list[i] != 0) return rt_done(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int dev, int peer) { RT_CALL(cuDeviceCanAccessPeer(can, dev, peer)); }
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int dev) { RT_CALL(cuDeviceGetPCIBusId(id, len, dev)); }

cudaError_t cudaDeviceGetByPCIBusId(int *dev, const char *id)
{
    char mine[16];
    CUresult r = dev && id ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuDeviceGetPCIBusId(mine, sizeof mine, 0);
    if (!r && strcmp(id, mine) != 0) r = CUDA_ERROR_INVALID_DEVICE;
    if (!r) *dev = 0;
    return rt_driver(r);
}

/* ---- the state of the device ---- */

cudaError_t cudaDeviceSynchronize(void) { RT_CALL(cuCtxSynchronize()); }
cudaError_t cudaThreadSynchronize(void) { RT_CALL(cuCtxSynchronize()); }

cudaError_t cudaDeviceReset(void)
{
    CUresult r = cuInit(0);
    if (!r) r = cuDevicePrimaryCtxReset(0);
    rt_forget_modules();
    return rt_driver(r);
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

static _Thread_local unsigned device_flags;

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags; /* how a thread waits, and that host memory is mapped: it always is */
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    if (!flags) return rt_done(cudaErrorInvalidValue);
    *flags = device_flags;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(int config) { RT_CALL(cuCtxSetCacheConfig((CUfunc_cache)config)); }
cudaError_t cudaThreadSetCacheConfig(int config) { RT_CALL(cuCtxSetCacheConfig((CUfunc_cache)config)); }

cudaError_t cudaDeviceGetCacheConfig(int *config)
{
    if (!config) return rt_done(cudaErrorInvalidValue);
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
    (void)config; /* the width of a bank is a parameter of the machine */
    RT_CALL(CUDA_SUCCESS);
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
    if (!config) return rt_done(cudaErrorInvalidValue);
    *config = 1; /* four bytes */
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value) { RT_CALL(cuCtxSetLimit((CUlimit)limit, value)); }
cudaError_t cudaDeviceGetLimit(size_t *value, int limit) { RT_CALL(cuCtxGetLimit(value, (CUlimit)limit)); }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RT_CALL(cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaDriverGetVersion(int *version) { return rt_driver(cuDriverGetVersion(version)); }

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version) return rt_done(cudaErrorInvalidValue);
    *version = WL_CUDART_MAJOR * 1000 + (WL_CUDART_MAJOR == 11 ? 80 : 0);
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

/* ---- functions of the driver ---- */

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    CUresult r = cuGetProcAddress_v2(name, function, (int)version, flags, status);
    return r == CUDA_ERROR_NOT_FOUND ? cudaSuccess : rt_driver(r); /* *function is NULL, *status says why */
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, WL_CUDART_MAJOR * 1000, flags, status);
}
