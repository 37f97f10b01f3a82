/* driver_error.c - names and sentences of the error codes. */
#include "warpline/cuda.h"

/* X(code, sentence) */
#define ERRORS(X)                                                                                                      \
    X(CUDA_SUCCESS, "no error")                                                                                        \
    X(CUDA_ERROR_INVALID_VALUE, "invalid argument")                                                                    \
    X(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")                                                                       \
    X(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called")                                                        \
    X(CUDA_ERROR_DEINITIALIZED, "the driver is shutting down")                                                         \
    X(CUDA_ERROR_STUB_LIBRARY, "the library is a stub")                                                                \
    X(CUDA_ERROR_NO_DEVICE, "no device: this thread has no simulation session")                                        \
    X(CUDA_ERROR_INVALID_DEVICE, "no such device")                                                                     \
    X(CUDA_ERROR_INVALID_IMAGE, "the module image is not valid")                                                       \
    X(CUDA_ERROR_INVALID_CONTEXT, "no valid context")                                                                  \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, "the module holds no code this device runs")                                       \
    X(CUDA_ERROR_INVALID_PTX, "the PTX text has an error")                                                             \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX version is not supported")                                          \
    X(CUDA_ERROR_INVALID_SOURCE, "the device kernel source is not valid")                                              \
    X(CUDA_ERROR_FILE_NOT_FOUND, "file not found")                                                                     \
    X(CUDA_ERROR_OPERATING_SYSTEM, "an operating system call failed")                                                  \
    X(CUDA_ERROR_INVALID_HANDLE, "the handle is not valid")                                                            \
    X(CUDA_ERROR_NOT_FOUND, "the named symbol was not found")                                                          \
    X(CUDA_ERROR_NOT_READY, "the work has not finished")                                                               \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel accessed memory outside every allocation")                                 \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch needs more than the device has")                                 \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, "the kernel ran too long")                                                            \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is enabled already")                                        \
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access is not enabled")                                                \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is already active")                                      \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed")                                                    \
    X(CUDA_ERROR_ASSERT, "a device-side assertion failed")                                                             \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel met an illegal instruction")                                           \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel accessed a misaligned address")                                         \
    X(CUDA_ERROR_LAUNCH_FAILED, "the kernel failed")                                                                   \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "host memory is registered already")                                  \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "host memory is not registered")                                          \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "a cooperative launch has more blocks than fit at once")                \
    X(CUDA_ERROR_NOT_PERMITTED, "not permitted")                                                                       \
    X(CUDA_ERROR_NOT_SUPPORTED, "not supported")                                                                       \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "not permitted while a stream captures")                                  \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was made invalid by an earlier error")                       \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures cannot become one")                                               \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture began in another stream")                                      \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "a stream that joined the capture was not joined again")                     \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a dependency would cross the boundary of a capture")                       \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream cannot depend on a capture")                             \
    X(CUDA_ERROR_CAPTURED_EVENT, "the event was last recorded in a capture")                                           \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture began in another thread")                                   \
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph cannot take the place of the instantiated one")                 \
    X(CUDA_ERROR_UNKNOWN, "unknown error")

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
#define X(code, text) {code, #code, text},
    ERRORS(X)
#undef X
};

enum { ERROR_COUNT = sizeof errors / sizeof errors[0] };

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (unsigned i = 0; i < ERROR_COUNT; i++)
        if (errors[i].code == error) *name = errors[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    for (unsigned i = 0; i < ERROR_COUNT; i++)
        if (errors[i].code == error) *text = errors[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
