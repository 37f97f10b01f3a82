/* runtime_error.c - how runtime calls begin and end, and what errors are called. */
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/runtime.h"

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

static _Thread_local cudaError_t last_error;

cudaError_t rt_done(cudaError_t error)
{
    if (error) last_error = error;
    return error;
}

cudaError_t rt_driver(CUresult r) { return rt_done((cudaError_t)r); }

cudaError_t rt_unsupported(bool *said, const char *what)
{
    if (!*said) fprintf(stderr, "warpline: %s is not supported; the program gets cudaErrorNotSupported\n", what);
    *said = true;
    return rt_done(cudaErrorNotSupported);
}

CUresult rt_enter(void)
{
    CUcontext ctx = NULL;
    CUresult r = cuCtxGetCurrent(&ctx);
    if (r == CUDA_ERROR_NOT_INITIALIZED && !(r = cuInit(0))) r = cuCtxGetCurrent(&ctx);
    if (r || ctx) return r;
    r = cuDevicePrimaryCtxRetain(&ctx, 0);
    return r ? r : cuCtxSetCurrent(ctx);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last_error;
    last_error = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

/* Errors that programs look at or print; the sentences of the others come from the driver API. */
static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {4, "cudaErrorCudartUnloading", NULL},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {18, "cudaErrorInvalidTexture", "invalid texture reference"},
    {20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {52, "cudaErrorMissingConfiguration", "a kernel was launched without a configuration"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {200, "cudaErrorInvalidKernelImage", NULL},
    {201, "cudaErrorDeviceUninitialized", NULL},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {218, "cudaErrorInvalidPtx", "the PTX of the program has an error"},
    {222, "cudaErrorUnsupportedPtxVersion", NULL},
    {300, "cudaErrorInvalidSource", NULL},
    {301, "cudaErrorFileNotFound", NULL},
    {304, "cudaErrorOperatingSystem", NULL},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", NULL},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", NULL},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {715, "cudaErrorIllegalInstruction", NULL},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {800, "cudaErrorNotPermitted", NULL},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {999, "cudaErrorUnknown", "unknown error"},
};
enum { ERRORS = sizeof errors / sizeof errors[0] };

const char *cudaGetErrorName(cudaError_t error)
{
    for (unsigned i = 0; i < ERRORS; i++)
        if (errors[i].code == error) return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const char *text = NULL;
    for (unsigned i = 0; i < ERRORS; i++)
        if (errors[i].code == error) text = errors[i].text;
    if (!text) cuGetErrorString((CUresult)error, &text);
    return text ? text : "unrecognized error code";
}
