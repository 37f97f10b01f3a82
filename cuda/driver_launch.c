/* driver_launch.c - kernel attributes and launches.
 *
 * The parameter image of a launch is built here from what the program passed: an array of
 * pointers, one per parameter, whose sizes come from the PTX .param list, or one packed buffer. */
#include "cuda/driver_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };
/* What a program may ask for when there is no machine to limit it: the most any device has. */
enum { FUNCTIONAL_SHARED = 227 * 1024 };

static int64_t shared_limit(const struct driver *d)
{
    return session_gpu(d->session) ? session_param(d->session, P_SM_SHARED) : FUNCTIONAL_SHARED;
}

/* ---- attributes ---- */

static int64_t function_attribute(const struct driver *d, const struct CUfunc_st *f, CUfunction_attribute a)
{
    const struct ptx_func *k = f->kernel;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return k->max_threads && k->max_threads < MAX_THREADS ? k->max_threads : MAX_THREADS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return (int64_t)k->shared_bytes;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return (int64_t)f->module->ptx->const_bytes;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return (int64_t)k->local_bytes;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return kernel_registers(d, k);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return f->module->ptx->target;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return shared_limit(d) - (int64_t)k->shared_bytes;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: return k->cluster[0];
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: return k->cluster[1];
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: return k->cluster[2];
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return 0;
    }
    return -1;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUfunc_st *f = object_find(d, function, OBJECT_FUNCTION);
    if (!f) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuFuncGetAttribute: not a function");
    int64_t v = value ? function_attribute(d, f, attribute) : -1;
    if (v < 0)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute: NULL pointer or unknown attribute %d",
                           (int)attribute);
    *value = v > INT32_MAX ? INT32_MAX : (int)v;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!object_find(d, function, OBJECT_FUNCTION))
        return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuFuncSetCacheConfig: not a function");
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuFuncSetCacheConfig: unknown preference %d", (int)config);
    return CUDA_SUCCESS; /* a preference: the machine's split of shared memory and L1D is a parameter */
}

/* ---- launches that fail ---- */

/* Says why a launch failed, to the user and to the account. */
static CUresult launch_failed(struct driver *d, const char *kernel, enum launch_end end, CUresult code)
{
    const char *text = session_error(d->session)->text, *error = "";
    cuGetErrorName(code, &error);
    session_complain(d->session, text);
    session_failed(d->session, kernel, end, error, text);
    return code;
}

void driver_refused(const char *kernel, int code)
{
    DRIVER(d);
    if (!driver_initialized(&d)) launch_failed(d, kernel, LAUNCH_REFUSED, (CUresult)code);
}

/* ---- the shape of a launch ---- */

static CUresult check_shape(struct driver *d, const struct ptx_launch *l)
{
    const uint32_t *g = l->grid, *b = l->block;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    const char *name = l->kernel->name;
    if (!g[0] || !g[1] || !g[2] || g[0] > INT32_MAX || g[1] > MAX_GRID_YZ || g[2] > MAX_GRID_YZ)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "kernel %s: grid (%u,%u,%u), must be within 1..2147483647, "
                           "1..65535, 1..65535",
                           name, g[0], g[1], g[2]);
    if (!threads || b[0] > MAX_THREADS || b[1] > MAX_THREADS || b[2] > MAX_BLOCK_Z || threads > MAX_THREADS)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "kernel %s: block (%u,%u,%u), must be within 1..1024, 1..1024, "
                           "1..64 and have at most 1024 threads",
                           name, b[0], b[1], b[2]);
    if (l->kernel->max_threads && threads > l->kernel->max_threads)
        return driver_fail(d, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                           "kernel %s: %" PRIu64 " threads per block, but it was "
                           "compiled for at most %u",
                           name, threads, l->kernel->max_threads);
    uint64_t shared = l->kernel->shared_bytes + l->dynamic_shared;
    if ((int64_t)shared > shared_limit(d))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "kernel %s: %" PRIu64 " bytes of shared memory per block, the "
                           "machine has %" PRId64,
                           name, shared, shared_limit(d));
    return CUDA_SUCCESS;
}

/* A block that no SM has room for: refused here, where it does no harm. */
static CUresult check_room(struct driver *d, const struct CUfunc_st *f, const struct ptx_launch *l)
{
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    if (!session_gpu(d->session) || resident_blocks(d, f, threads, l->dynamic_shared)) return CUDA_SUCCESS;
    driver_fail(d, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                "kernel %s: a block of %u threads with %u registers each does not fit an SM with %" PRId64
                " warps and %" PRId64 " registers (sm.warps, sm.registers)",
                f->kernel->name, threads, kernel_registers(d, f->kernel), session_param(d->session, P_SM_WARPS),
                session_param(d->session, P_SM_REGISTERS));
    return launch_failed(d, f->kernel->name, LAUNCH_REFUSED, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

/* ---- parameters ---- */

/* Reads {POINTER, p, SIZE, &n, END}, in any order. */
static CUresult packed_params(struct driver *d, const struct ptx_func *k, void **extra, uint8_t *image)
{
    const void *buffer = NULL;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1]) size = *(const size_t *)extra[1];
        else return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "kernel %s: unknown entry in extra", k->name);
    }
    /* A C struct that mirrors the parameters may end with up to 15 bytes of padding. */
    if (size < k->param_bytes || size > k->param_bytes + 15 || (size && !buffer))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "kernel %s: a parameter buffer of %zu bytes, the kernel takes %" PRIu64, k->name, size,
                           k->param_bytes);
    if (k->param_bytes) memcpy(image, buffer, k->param_bytes);
    return CUDA_SUCCESS;
}

static CUresult listed_params(struct driver *d, const struct ptx_func *k, void **params, uint8_t *image)
{
    for (uint32_t i = 0; i < k->nparams; i++) {
        const struct ptx_var *p = k->param[i];
        if (!params || !params[i])
            return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "kernel %s: parameter %u of %u is missing", k->name, i + 1,
                               k->nparams);
        memcpy(image + p->offset, params[i], p->bytes);
    }
    return CUDA_SUCCESS;
}

/* ---- running ---- */

/* The executor says what happened in words; programs want one of these codes. The phrases hold
 * characters no identifier has, and an assertion's own text comes last in its sentence. */
static CUresult fault_code(const struct wl_err *e)
{
    static const struct {
        const char *phrase;
        CUresult code;
    } faults[] = {
        {"device assertion failed", CUDA_ERROR_ASSERT},
        {"out-of-bounds ", CUDA_ERROR_ILLEGAL_ADDRESS},
        {": null pointer: ", CUDA_ERROR_ILLEGAL_ADDRESS},
        {"misaligned ", CUDA_ERROR_MISALIGNED_ADDRESS},
    };
    if (e->code == WL_EDEADLOCK) return CUDA_ERROR_LAUNCH_TIMEOUT;
    for (unsigned i = 0; e->code == WL_ERUN && i < sizeof faults / sizeof faults[0]; i++)
        if (strstr(e->text, faults[i].phrase)) return faults[i].code;
    return CUDA_ERROR_LAUNCH_FAILED;
}

CUresult kernel_work_params(struct driver *d, struct kernel_work *k, void **params, void **extra)
{
    const struct CUfunc_st *f = object_find(d, k->function, OBJECT_FUNCTION);
    if (!f) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLaunchKernel: not a function");
    const struct ptx_func *fn = f->kernel;
    if (params && extra)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "kernel %s: both kernelParams and extra", fn->name);
    size_t pointers = fn->nparams + 1;
    void *block = calloc(1, pointers * sizeof(void *) + fn->param_bytes + 1);
    if (!block) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    k->pointers = block;
    k->image = (uint8_t *)(k->pointers + pointers);
    for (uint32_t i = 0; i < fn->nparams; i++) k->pointers[i] = k->image + fn->param[i]->offset;
    CUresult r = extra ? packed_params(d, fn, extra, k->image) : listed_params(d, fn, params, k->image);
    if (r) free(block);
    if (r) k->pointers = NULL;
    return r;
}

/* The blocks of a cooperative launch wait for one another: all must be there at once. */
static CUresult check_cooperative(struct driver *d, const struct CUfunc_st *f, const struct kernel_work *k)
{
    uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    unsigned threads = k->block[0] * k->block[1] * k->block[2];
    uint64_t room =
        (uint64_t)resident_blocks(d, f, threads, k->shared) * (uint64_t)session_param(d->session, P_SM_COUNT);
    if (!k->cooperative || blocks <= room) return CUDA_SUCCESS;
    driver_fail(d, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                "kernel %s: a cooperative launch of %" PRIu64 " blocks, %" PRIu64 " fit the machine at once",
                f->kernel->name, blocks, room);
    return launch_failed(d, f->kernel->name, LAUNCH_REFUSED, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

CUresult kernel_work_run(struct driver *d, const struct kernel_work *k)
{
    const struct CUfunc_st *f = object_find(d, k->function, OBJECT_FUNCTION);
    if (!f) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLaunchKernel: the function's module was unloaded");
    struct ptx_launch l = {.image = f->module->image,
                           .kernel = f->kernel,
                           .grid = {k->grid[0], k->grid[1], k->grid[2]},
                           .block = {k->block[0], k->block[1], k->block[2]},
                           .cluster = {k->cluster[0], k->cluster[1], k->cluster[2]},
                           .dynamic_shared = k->shared,
                           .params = k->image};
    unsigned registers = kernel_registers(d, f->kernel);
    if (registers != f->kernel->regs_per_thread) l.regs = registers;
    CUresult r = check_shape(d, &l);
    if (!r) r = check_room(d, f, &l);
    if (!r) r = check_cooperative(d, f, k);
    if (r) return r;
    struct wl_err *e = session_error(d->session);
    d->launching = true;
    const struct work_order *w = d->doing;
    struct launch_order o = {0};
    uint64_t number;
    if (w && w->kept)
        o = (struct launch_order){.stream = w->stream,
                                  .priority = k->priority ? k->priority : w->priority,
                                  .after = w->after.number,
                                  .afters = w->after.count};
    int failed = session_launch_after(d->session, &l, w && w->kept ? &o : NULL, &number, e);
    d->launching = false;
    order_became(d, number);
    if (failed == WL_EINPUT) /* refused before it began: no harm done */
        return launch_failed(d, f->kernel->name, LAUNCH_REFUSED,
                             f->kernel->refused ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    if (failed) d->fault = launch_failed(d, f->kernel->name, LAUNCH_FAULTED, fault_code(e));
    return failed ? d->fault : CUDA_SUCCESS;
}

CUresult driver_flush(struct driver *d)
{
    struct wl_err *e = session_error(d->session);
    d->launching = true;
    int failed = session_flush(d->session, e);
    d->launching = false;
    if (failed) d->fault = launch_failed(d, "", LAUNCH_FAULTED, fault_code(e));
    return failed ? d->fault : CUDA_SUCCESS;
}

static CUresult submit_kernel(const char *call, struct kernel_work k, CUstream stream, void **params, void **extra)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct work w = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    r = kernel_work_params(d, &k, params, extra);
    w.u.kernel = k;
    return r ? r : work_submit(d, call, stream, &w);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **params, void **extra)
{
    struct kernel_work k = {.function = function,
                            .grid = {grid_x, grid_y, grid_z},
                            .block = {block_x, block_y, block_z},
                            .shared = shared_bytes};
    return submit_kernel("cuLaunchKernel", k, stream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void **params)
{
    struct kernel_work k = {.function = function,
                            .grid = {grid_x, grid_y, grid_z},
                            .block = {block_x, block_y, block_z},
                            .shared = shared_bytes,
                            .cooperative = true};
    return submit_kernel("cuLaunchCooperativeKernel", k, stream, params, NULL);
}

/* Attributes that change what a launch does; the others are hints, or order launches, which have an order anyway. */
static CUresult read_attribute(struct kernel_work *k, const CUlaunchAttribute *a)
{
    switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: k->cooperative = a->value.cooperative; break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY: k->priority = a->value.priority; break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        k->cluster[0] = a->value.clusterDim.x;
        k->cluster[1] = a->value.clusterDim.y;
        k->cluster[2] = a->value.clusterDim.z;
        break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: return CUDA_ERROR_NOT_SUPPORTED;
    default:
        if ((unsigned)a->id > CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!c || (c->numAttrs && !c->attrs))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernelEx: no configuration");
    struct kernel_work k = {.function = function,
                            .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                            .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                            .shared = c->sharedMemBytes};
    const CUlaunchAttribute *a = c->attrs;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (read_attribute(&k, &a[i]))
            return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED, "launch attribute %d is not supported", (int)a[i].id);
    return submit_kernel("cuLaunchKernelEx", k, c->hStream, params, extra);
}
