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

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t bytes, unsigned flags)
{
    RT_CALL(cuStreamAttachMemAsync(stream, (uintptr_t)ptr, bytes, flags));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*call)(cudaStream_t, cudaError_t, void *), void *arg,
                                  unsigned flags)
{
    RT_CALL(cuStreamAddCallback(stream, (void (*)(CUstream, CUresult, void *))(uintptr_t)call, arg, flags));
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

#define STREAM_CALL(name, declared, given)                                                                             \
    cudaError_t cudaStream##name declared;                                                                             \
    cudaError_t cudaStream##name declared { RT_CALL(cuStream##name given); }
STREAM_CALL(GetId, (cudaStream_t stream, unsigned long long *id), (stream, id))
STREAM_CALL(GetDevice, (cudaStream_t stream, int *dev), (stream, dev))
STREAM_CALL(CopyAttributes, (cudaStream_t dst, cudaStream_t src), (dst, src))
STREAM_CALL(GetAttribute, (cudaStream_t stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value),
            (stream, id, value))
STREAM_CALL(SetAttribute, (cudaStream_t stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value),
            (stream, id, value))
