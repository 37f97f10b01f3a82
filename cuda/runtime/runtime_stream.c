/* runtime_stream.c - streams and events. Work is done when a call returns; an event holds simulated time. */
#include "cuda/runtime/runtime.h"

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t bytes, unsigned flags);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*call)(cudaStream_t, cudaError_t, void *), void *arg,
                                  unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaStreamCreate(cudaStream_t *stream) { RT_CALL(cuStreamCreate(stream, 0)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) { RT_CALL(cuStreamCreate(stream, flags)); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    RT_CALL(cuStreamCreateWithPriority(stream, flags, priority));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { RT_CALL(cuStreamDestroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { RT_CALL(cuStreamSynchronize(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { RT_CALL(cuStreamQuery(stream)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    RT_CALL(cuStreamWaitEvent(stream, event, flags));
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) { RT_CALL(cuStreamGetFlags(stream, flags)); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    RT_CALL(cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
    if (!status) return rt_done(cudaErrorInvalidValue);
    *status = 0; /* graphs are not supported */
    RT_CALL(cuStreamQuery(stream));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t bytes, unsigned flags)
{
    (void)ptr, (void)bytes, (void)flags; /* who may touch managed memory when: nothing runs at the same time */
    RT_CALL(cuStreamQuery(stream));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*call)(cudaStream_t, cudaError_t, void *), void *arg,
                                  unsigned flags)
{
    (void)flags;
    CUresult r = rt_enter();
    if (!r) r = cuStreamQuery(stream);
    if (r || !call) return r ? rt_driver(r) : rt_done(cudaErrorInvalidValue);
    call(stream, cudaSuccess, arg);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { RT_CALL(cuEventCreate(event, 0)); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) { RT_CALL(cuEventCreate(event, flags)); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { RT_CALL(cuEventDestroy(event)); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { RT_CALL(cuEventRecord(event, stream)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    RT_CALL(cuEventRecordWithFlags(event, stream, flags));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { RT_CALL(cuEventSynchronize(event)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { RT_CALL(cuEventQuery(event)); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    RT_CALL(cuEventElapsedTime(milliseconds, start, end));
}
