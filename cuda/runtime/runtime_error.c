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

cudaError_t rt_unsupported(atomic_flag *said, const char *what)
{
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr, "warpline: %s is not supported; the program gets cudaErrorNotSupported\n", what);
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

/* The names of all errors; sentences that are not here come from the driver API. */
static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {4, "cudaErrorCudartUnloading", NULL},
    {5, "cudaErrorProfilerDisabled", NULL},
    {6, "cudaErrorProfilerNotInitialized", NULL},
    {7, "cudaErrorProfilerAlreadyStarted", NULL},
    {8, "cudaErrorProfilerAlreadyStopped", NULL},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {16, "cudaErrorInvalidHostPointer", NULL},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {18, "cudaErrorInvalidTexture", "invalid texture reference"},
    {19, "cudaErrorInvalidTextureBinding", NULL},
    {20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {22, "cudaErrorAddressOfConstant", NULL},
    {23, "cudaErrorTextureFetchFailed", NULL},
    {24, "cudaErrorTextureNotBound", NULL},
    {25, "cudaErrorSynchronizationError", NULL},
    {26, "cudaErrorInvalidFilterSetting", NULL},
    {27, "cudaErrorInvalidNormSetting", NULL},
    {28, "cudaErrorMixedDeviceExecution", NULL},
    {31, "cudaErrorNotYetImplemented", NULL},
    {32, "cudaErrorMemoryValueTooLarge", NULL},
    {34, "cudaErrorStubLibrary", NULL},
    {35, "cudaErrorInsufficientDriver", NULL},
    {36, "cudaErrorCallRequiresNewerDriver", NULL},
    {37, "cudaErrorInvalidSurface", NULL},
    {43, "cudaErrorDuplicateVariableName", NULL},
    {44, "cudaErrorDuplicateTextureName", NULL},
    {45, "cudaErrorDuplicateSurfaceName", NULL},
    {46, "cudaErrorDevicesUnavailable", NULL},
    {49, "cudaErrorIncompatibleDriverContext", NULL},
    {52, "cudaErrorMissingConfiguration", "a kernel was launched without a configuration"},
    {53, "cudaErrorPriorLaunchFailure", NULL},
    {65, "cudaErrorLaunchMaxDepthExceeded", NULL},
    {66, "cudaErrorLaunchFileScopedTex", NULL},
    {67, "cudaErrorLaunchFileScopedSurf", NULL},
    {68, "cudaErrorSyncDepthExceeded", NULL},
    {69, "cudaErrorLaunchPendingCountExceeded", NULL},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {102, "cudaErrorDeviceNotLicensed", NULL},
    {103, "cudaErrorSoftwareValidityNotEstablished", NULL},
    {127, "cudaErrorStartupFailure", NULL},
    {200, "cudaErrorInvalidKernelImage", NULL},
    {201, "cudaErrorDeviceUninitialized", NULL},
    {205, "cudaErrorMapBufferObjectFailed", NULL},
    {206, "cudaErrorUnmapBufferObjectFailed", NULL},
    {207, "cudaErrorArrayIsMapped", NULL},
    {208, "cudaErrorAlreadyMapped", NULL},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {210, "cudaErrorAlreadyAcquired", NULL},
    {211, "cudaErrorNotMapped", NULL},
    {212, "cudaErrorNotMappedAsArray", NULL},
    {213, "cudaErrorNotMappedAsPointer", NULL},
    {214, "cudaErrorECCUncorrectable", NULL},
    {215, "cudaErrorUnsupportedLimit", NULL},
    {216, "cudaErrorDeviceAlreadyInUse", NULL},
    {217, "cudaErrorPeerAccessUnsupported", NULL},
    {218, "cudaErrorInvalidPtx", "the PTX of the program has an error"},
    {219, "cudaErrorInvalidGraphicsContext", NULL},
    {220, "cudaErrorNvlinkUncorrectable", NULL},
    {221, "cudaErrorJitCompilerNotFound", NULL},
    {222, "cudaErrorUnsupportedPtxVersion", NULL},
    {223, "cudaErrorJitCompilationDisabled", NULL},
    {224, "cudaErrorUnsupportedExecAffinity", NULL},
    {225, "cudaErrorUnsupportedDevSideSync", NULL},
    {226, "cudaErrorContained", NULL},
    {300, "cudaErrorInvalidSource", NULL},
    {301, "cudaErrorFileNotFound", NULL},
    {302, "cudaErrorSharedObjectSymbolNotFound", NULL},
    {303, "cudaErrorSharedObjectInitFailed", NULL},
    {304, "cudaErrorOperatingSystem", NULL},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {401, "cudaErrorIllegalState", NULL},
    {402, "cudaErrorLossyQuery", NULL},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", NULL},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", NULL},
    {703, "cudaErrorLaunchIncompatibleTexturing", NULL},
    {704, "cudaErrorPeerAccessAlreadyEnabled", NULL},
    {705, "cudaErrorPeerAccessNotEnabled", NULL},
    {708, "cudaErrorSetOnActiveProcess", NULL},
    {709, "cudaErrorContextIsDestroyed", NULL},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {711, "cudaErrorTooManyPeers", NULL},
    {712, "cudaErrorHostMemoryAlreadyRegistered", NULL},
    {713, "cudaErrorHostMemoryNotRegistered", NULL},
    {714, "cudaErrorHardwareStackError", NULL},
    {715, "cudaErrorIllegalInstruction", NULL},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {717, "cudaErrorInvalidAddressSpace", NULL},
    {718, "cudaErrorInvalidPc", NULL},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {721, "cudaErrorTensorMemoryLeak", NULL},
    {800, "cudaErrorNotPermitted", NULL},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {802, "cudaErrorSystemNotReady", NULL},
    {803, "cudaErrorSystemDriverMismatch", NULL},
    {804, "cudaErrorCompatNotSupportedOnDevice", NULL},
    {805, "cudaErrorMpsConnectionFailed", NULL},
    {806, "cudaErrorMpsRpcFailure", NULL},
    {807, "cudaErrorMpsServerNotReady", NULL},
    {808, "cudaErrorMpsMaxClientsReached", NULL},
    {809, "cudaErrorMpsMaxConnectionsReached", NULL},
    {810, "cudaErrorMpsClientTerminated", NULL},
    {811, "cudaErrorCdpNotSupported", NULL},
    {812, "cudaErrorCdpVersionMismatch", NULL},
    {900, "cudaErrorStreamCaptureUnsupported", NULL},
    {901, "cudaErrorStreamCaptureInvalidated", NULL},
    {902, "cudaErrorStreamCaptureMerge", NULL},
    {903, "cudaErrorStreamCaptureUnmatched", NULL},
    {904, "cudaErrorStreamCaptureUnjoined", NULL},
    {905, "cudaErrorStreamCaptureIsolation", NULL},
    {906, "cudaErrorStreamCaptureImplicit", NULL},
    {907, "cudaErrorCapturedEvent", NULL},
    {908, "cudaErrorStreamCaptureWrongThread", NULL},
    {909, "cudaErrorTimeout", NULL},
    {910, "cudaErrorGraphExecUpdateFailure", NULL},
    {911, "cudaErrorExternalDevice", NULL},
    {912, "cudaErrorInvalidClusterSize", NULL},
    {913, "cudaErrorFunctionNotLoaded", NULL},
    {914, "cudaErrorInvalidResourceType", NULL},
    {915, "cudaErrorInvalidResourceConfiguration", NULL},
    {999, "cudaErrorUnknown", "unknown error"},
    {10000, "cudaErrorApiFailureBase", NULL},
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
    return text ? text : cudaGetErrorName(error); /* a name says more than nothing */
}
