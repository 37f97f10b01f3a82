/* driver.c - initialisation, the device, contexts, and the objects behind all handles.
 *
 * There is one device: the session of the calling thread. Its driver state is made by cuInit and
 * dies with the session. Contexts are little more than names here, because one program owns the
 * whole simulated device. */
#include "cuda/driver_work.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

CUresult driver_fail(struct driver *d, CUresult code, const char *fmt, ...)
{
    struct wl_err *e = session_error(d->session);
    va_list ap;
    va_start(ap, fmt);
    e->code = WL_ERUN;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return code;
}

CUresult driver_complain(struct driver *d, CUresult code, const char *fmt, ...)
{
    char text[sizeof session_error(d->session)->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    session_complain(d->session, text);
    return driver_fail(d, code, "%s", text);
}

/* ---- objects ---- */

void *object_new(struct driver *d, size_t bytes, enum object_kind kind, struct object *parent)
{
    struct object *o = calloc(1, bytes);
    if (!o) return NULL;
    o->kind = (uint8_t)kind;
    o->parent = parent;
    o->next = d->objects;
    d->objects = o;
    return o;
}

void *object_find(const struct driver *d, const void *handle, enum object_kind kind)
{
    for (struct object *o = d->objects; o; o = o->next)
        if (o == handle) return o->kind == kind ? o : NULL;
    return NULL;
}

static struct object *first_child(const struct driver *d, const struct object *parent)
{
    struct object *o = d->objects;
    while (o && o->parent != parent) o = o->next;
    return o;
}

void object_free(struct driver *d, struct object *o)
{
    struct object *child;
    while ((child = first_child(d, o))) {
        WL_ASSERT(child != o);
        object_free(d, child);
    }
    struct object **p = &d->objects;
    while (*p && *p != o) p = &(*p)->next;
    if (!*p) return; /* it is freed already */
    *p = o->next;
    if (o->kind == OBJECT_MODULE) module_release((struct CUmod_st *)o);
    if (o->kind == OBJECT_ARRAY) array_release((struct CUarray_st *)o);
    if (o->kind == OBJECT_TEXREF || o->kind == OBJECT_TEXOBJECT) texture_release((struct CUtexref_st *)o);
    if (o->kind == OBJECT_LINK) link_release((struct CUlinkState_st *)o);
    if (o->kind == OBJECT_HOST_MEMORY) host_memory_release((struct host_memory *)o);
    if (o->kind == OBJECT_EVENT) event_release((struct CUevent_st *)o);
    if (o->kind == OBJECT_CAPTURE) capture_release(d, (struct capture *)o);
    if (o->kind == OBJECT_STREAM) stream_release(d, (struct CUstream_st *)o);
    if (o->kind == OBJECT_GRAPH) graph_release(d, (struct CUgraph_st *)o);
    if (o->kind == OBJECT_NODE) graph_node_release(d, (struct CUgraphNode_st *)o);
    if (o->kind == OBJECT_EXEC) list_free(&((struct CUgraphExec_st *)o)->order);
    if (o->kind == OBJECT_GRAPH_MEMORY) graph_memory_release(d, o);
    if (o->kind == OBJECT_RESERVATION) reservation_release(d, o);
    if (o->kind == OBJECT_CHUNK) chunk_release(d, o);
    free(o);
}

static void driver_free(void *state)
{
    struct driver *d = state;
    for (struct object *o; (o = first_child(d, NULL));) object_free(d, o);
    order_free(d);
    free(d->managed);
    free(d);
}

/* ---- how calls begin ---- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* A program may fork while another of its threads is inside a call. The new process has a copy of the lock that nobody
 * will ever open, and of a device that was being changed. As CUDA does there, every call is refused. A fork at rest
 * goes on with the copy; no fork waits, since a launch may take hours. */
static bool held, lost; /* the thread that forks has the lock; this process has no device any more */
static pthread_mutex_t forks = PTHREAD_MUTEX_INITIALIZER; /* one at a time: two would take each other for a call */

static void before_fork(void)
{
    pthread_mutex_lock(&forks);
    held = pthread_mutex_trylock(&lock) == 0;
}

static void after_fork_parent(void)
{
    if (held) pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&forks);
}

static void after_fork_child(void)
{
    lost = lost || !held;
    forks = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* its owner was a thread of the other process */
}

/* Before those of cuda/lib, so that its handler finds the answer of driver_is_lost. */
__attribute__((constructor(200))) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

bool driver_is_lost(void) { return lost; }

CUresult driver_initialized(struct driver **d)
{
    struct session *s = session_current();
    *d = s && !lost ? session_attached(s) : NULL;
    if (!*d) return CUDA_ERROR_NOT_INITIALIZED;
    pthread_mutex_lock(&lock);
    return (*d)->launching ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS; /* the lock lets its own thread in */
}

void driver_leave(struct driver **d)
{
    if (*d) pthread_mutex_unlock(&lock);
}

CUresult driver_context(struct driver **d)
{
    CUresult r = driver_initialized(d);
    if (r) return r;
    if ((*d)->fault) return (*d)->fault; /* the words of the fault are still in the session's error */
    if (!(*d)->current) return driver_fail(*d, CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    return CUDA_SUCCESS;
}

static CUresult driver_device(struct driver **d, CUdevice dev)
{
    CUresult r = driver_initialized(d);
    if (!r && dev != 0) r = driver_fail(*d, CUDA_ERROR_INVALID_DEVICE, "there is no device %d, only device 0", dev);
    return r;
}

static CUresult null_argument(struct driver *d, const char *call)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: a result pointer is NULL", call);
}

CUresult cuInit(unsigned int flags)
{
    struct session *s = session_current();
    if (lost) return CUDA_ERROR_NOT_INITIALIZED;
    if (!s) return CUDA_ERROR_NO_DEVICE;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (session_attached(s)) return CUDA_SUCCESS;
    struct driver *d = calloc(1, sizeof *d);
    if (!d) return CUDA_ERROR_OUT_OF_MEMORY;
    d->session = s;
    session_attach(s, d, driver_free);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- the device ---- */

CUresult cuDeviceGetCount(int *count)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (!count) return null_argument(d, "cuDeviceGetCount");
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER(d);
    CUresult r = driver_device(&d, ordinal);
    if (r) return r;
    if (!device) return null_argument(d, "cuDeviceGet");
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (!name || len < 1) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuDeviceGetName: no room for the name");
    const char *machine = session_setup(d->session)->config.name; /* also where nothing is timed */
    snprintf(name, (size_t)len, "warpline %s", machine[0] ? machine : "functional");
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (!bytes) return null_argument(d, "cuDeviceTotalMem");
    *bytes = session_setup(d->session)->memory_bytes;
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (!ctx) return null_argument(d, "cuDevicePrimaryCtxRetain");
    if (!d->primary) d->primary = object_new(d, sizeof *d->primary, OBJECT_CONTEXT, NULL);
    if (!d->primary) return CUDA_ERROR_OUT_OF_MEMORY;
    d->primary_users++;
    *ctx = d->primary;
    return CUDA_SUCCESS;
}

static void context_free(struct driver *d, struct CUctx_st *ctx)
{
    order_host_all(d);
    if (d->current == ctx) d->current = NULL;
    if (d->primary == ctx) d->primary = NULL;
    object_free(d, &ctx->object);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (!d->primary) return driver_fail(d, CUDA_ERROR_INVALID_CONTEXT, "the primary context is not active");
    if (--d->primary_users == 0) context_free(d, d->primary);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (d->primary) context_free(d, d->primary);
    d->primary_users = 0;
    bool others = false;
    for (const struct object *o = d->objects; o; o = o->next) others |= o->kind == OBJECT_CONTEXT;
    if (!others) dev_release_all(session_memory(d->session));
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *ctx, unsigned int flags, CUdevice dev)
{
    DRIVER(d);
    CUresult r = driver_device(&d, dev);
    if (r) return r;
    if (!ctx) return null_argument(d, "cuCtxCreate");
    if (flags & ~0xffu) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuCtxCreate: flags 0x%x", flags);
    struct CUctx_st *c = object_new(d, sizeof *c, OBJECT_CONTEXT, NULL);
    if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
    *ctx = d->current = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext *ctx, void *params, unsigned int flags, CUdevice dev)
{
    const struct {
        void *affinity;
        int count;
        void *graphics;
    } *p = params;
    if (p && ((p->affinity && p->count) || p->graphics)) return CUDA_ERROR_NOT_SUPPORTED;
    return cuCtxCreate(ctx, flags, dev);
}

CUresult cuCtxDestroy(CUcontext ctx)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (!object_find(d, ctx, OBJECT_CONTEXT) || ctx == d->primary)
        return driver_fail(d, CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy: not a context made by cuCtxCreate");
    context_free(d, ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (ctx && !object_find(d, ctx, OBJECT_CONTEXT))
        return driver_fail(d, CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: not a context");
    d->current = ctx;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *ctx)
{
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    if (!ctx) return null_argument(d, "cuCtxGetCurrent");
    *ctx = d->current;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (!r) order_host_all(d);
    return r ? r : d->fault;
}
