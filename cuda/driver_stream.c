/* driver_stream.c - streams and events.
 *
 * Work is done when a call returns, so streams are only handles, and everything recorded has
 * already happened. An event remembers the device's cycle count. */
#include "cuda/driver.h"

bool stream_valid(const struct driver *d, CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
           object_find(d, stream, OBJECT_STREAM);
}

static CUresult bad_stream(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "%s: not a stream", call);
}

static CUresult bad_event(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "%s: not an event", call);
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!stream || flags > CU_STREAM_NON_BLOCKING)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: NULL pointer or unknown flags 0x%x", flags);
    struct CUstream_st *s = object_new(d, sizeof *s, OBJECT_STREAM, &d->current->object);
    if (!s) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    *stream = s;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUstream_st *s = object_find(d, stream, OBJECT_STREAM);
    if (!s) return bad_stream(d, "cuStreamDestroy");
    object_free(d, &s->object);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    return stream_valid(d, stream) ? CUDA_SUCCESS : bad_stream(d, "cuStreamSynchronize");
}

CUresult cuStreamQuery(CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    return stream_valid(d, stream) ? CUDA_SUCCESS : bad_stream(d, "cuStreamQuery");
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!event || flags > (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuEventCreate: NULL pointer or unknown flags 0x%x", flags);
    struct CUevent_st *v = object_new(d, sizeof *v, OBJECT_EVENT, &d->current->object);
    if (!v) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    v->flags = flags;
    *event = v;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return bad_event(d, "cuEventDestroy");
    object_free(d, &v->object);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUevent_st *v = object_find(d, event, OBJECT_EVENT);
    if (!v) return bad_event(d, "cuEventRecord");
    if (!stream_valid(d, stream)) return bad_stream(d, "cuEventRecord");
    v->recorded = true;
    v->cycles = session_cycles(d->session);
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    return object_find(d, event, OBJECT_EVENT) ? CUDA_SUCCESS : bad_event(d, "cuEventSynchronize");
}

CUresult cuEventQuery(CUevent event)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    return object_find(d, event, OBJECT_EVENT) ? CUDA_SUCCESS : bad_event(d, "cuEventQuery");
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!milliseconds) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuEventElapsedTime: NULL result pointer");
    const struct CUevent_st *a = object_find(d, start, OBJECT_EVENT), *b = object_find(d, end, OBJECT_EVENT);
    if (!a || !b) return bad_event(d, "cuEventElapsedTime");
    if (!a->recorded || !b->recorded || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
        return driver_fail(d, CUDA_ERROR_INVALID_HANDLE,
                           "cuEventElapsedTime: an event was not recorded or keeps no time");
    double cycles = (double)(int64_t)(b->cycles - a->cycles);
    *milliseconds = (float)(cycles / (double)session_param(d->session, P_CLOCK_CORE)); /* kHz: cycles per ms */
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}
