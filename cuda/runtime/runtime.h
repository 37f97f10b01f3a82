/* runtime.h - private to cuda/runtime: the CUDA runtime API over the driver API.
 *
 * libcudart is thin: it keeps what the compiler's host code registers, and turns each call into
 * calls of the driver API (warpline/cuda.h), which live in libcuda.so.1. It is built once for each
 * major version of the runtime; WL_CUDART_MAJOR says which. The types here have the layout of the
 * vendor's headers; numbers of errors are those of the driver API, as in the vendor's since 10.1. */
#ifndef WL_CUDA_RUNTIME_RUNTIME_H
#define WL_CUDA_RUNTIME_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/cuda.h"

typedef int cudaError_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidTexture = 18,
    cudaErrorInvalidChannelDescriptor = 20,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidSurface = 37,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotSupported = 801
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

typedef struct {
    unsigned x, y, z;
} dim3;

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUarray cudaArray_t;

/* ---- errors (runtime_error.c) ---- */

/* The end of a call: remembers a failure for cudaGetLastError and gives it back. */
cudaError_t rt_done(cudaError_t error);
cudaError_t rt_driver(CUresult r); /* the same for a result of the driver API */
/* Says once what was asked for and is not there; *said is the caller's. */
cudaError_t rt_unsupported(atomic_flag *said, const char *what);
/* The beginning of a call: a device with a current context. */
CUresult rt_enter(void);

/* A call that is one expression of the driver API. */
#define RT_CALL(expression)                                                                                            \
    do {                                                                                                               \
        CUresult result_ = rt_enter();                                                                                 \
        if (!result_) result_ = (expression);                                                                          \
        return rt_driver(result_);                                                                                     \
    } while (0)

/* ---- what host code registered (runtime_register.c) ---- */

struct fat_binary;

struct kernel {
    struct kernel *next;
    struct fat_binary *fat;
    const void *host;
    const char *name;
    CUfunction function; /* NULL until its first use */
};

struct variable {
    struct variable *next;
    struct fat_binary *fat;
    const void *host;
    const char *name;
    size_t bytes;
    void **managed; /* where host code looks for the address of a managed variable; NULL: not managed */
};

struct texture_reference {
    struct texture_reference *next;
    struct fat_binary *fat;
    const void *host;
    const char *name;
    bool as_float; /* integers are read as fractions of their largest value */
    int dim;
};

/* The registered kernel of a host function, or of a handle that __cudaGetKernel gave out. */
cudaError_t rt_kernel(const void *host, CUfunction *out);
/* The same for a launch: that it was refused is on record when the kernel's module cannot be loaded. */
cudaError_t rt_kernel_to_launch(const void *host, CUfunction *out);
void driver_refused(const char *kernel, int code); /* of libcuda */
/* The host function of a kernel, or the kernel itself when it has none. */
const void *rt_host_of(CUfunction f);
cudaError_t rt_symbol(const void *host, CUdeviceptr *addr, size_t *bytes);
bool rt_managed_variable(const void *ptr); /* it points into a __managed__ variable */
cudaError_t rt_texture(const void *host, CUtexref *out, const struct texture_reference **entry);
cudaError_t rt_surface(const void *host, CUsurfref *out);
/* The device was reset: modules are loaded again when they are needed. */
void rt_forget_modules(void);

/* ---- arrays (runtime_array.c) ---- */

struct extent {
    size_t width, height, depth;
};
struct position {
    size_t x, y, z;
};
struct pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct copy3d { /* cudaMemcpy3DParms */
    cudaArray_t src_array;
    struct position src_pos;
    struct pitched src;
    cudaArray_t dst_array;
    struct position dst_pos;
    struct pitched dst;
    struct extent extent;
    int kind;
};
/* The driver's description of a copy, and back. */
cudaError_t rt_copy3d(const struct copy3d *p, CUDA_MEMCPY3D *out);
void rt_copy3d_of(const CUDA_MEMCPY3D *c, struct copy3d *out);

struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    int f;          /* 0 signed, 1 unsigned, 2 float */
};
/* False: no format of this device. */
bool rt_format(const struct cudaChannelFormatDesc *c, CUarray_format *format, unsigned *channels);
struct cudaChannelFormatDesc rt_channels(CUarray_format format, unsigned channels);

#endif
