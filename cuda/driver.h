/* driver.h - private to cuda/: the state behind the driver API and how a call begins and fails.
 *
 * Everything a program gets a handle for is an object in one list of the session's driver state.
 * A handle is looked up there before it is followed, so a stale or invented one costs an error
 * code, never a crash. Programs hold few handles; a list is enough. */
#ifndef WL_CUDA_DRIVER_H
#define WL_CUDA_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/driver_order.h"
#include "sim/session_attach.h"
#include "warpline/cuda.h"

enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_HOST_MEMORY,
    OBJECT_ARRAY,
    OBJECT_TEXREF,
    OBJECT_TEXOBJECT,
    OBJECT_LINK,
    OBJECT_CAPTURE,
    OBJECT_GRAPH,
    OBJECT_NODE,
    OBJECT_EXEC,
    OBJECT_USER,
    OBJECT_POOL,
    OBJECT_GRAPH_MEMORY,
    OBJECT_SURFREF,
    OBJECT_POOL_MEMORY,
    OBJECT_RESERVATION,
    OBJECT_CHUNK
};

struct object {
    struct object *next;
    uint8_t kind;          /* enum object_kind */
    struct object *parent; /* the context or module that this object is freed with; NULL for contexts */
};

/* A .const variable that a program asked the address of: the constant bank has no device
 * addresses, so it gets one in a window no allocation can reach. */
struct const_window {
    struct const_window *next;
    CUdeviceptr addr;
    void *bytes;
    uint64_t size;
};

struct CUctx_st {
    struct object object;
    struct CUctx_st *below; /* on the stack of cuCtxPushCurrent */
};
struct CUmod_st {
    struct object object;
    struct ptx_module *ptx;
    struct ptx_image *image;
    struct const_window *windows;
};
struct CUfunc_st {
    struct object object;
    struct CUmod_st *module;
    const struct ptx_func *kernel;
};
struct CUevent_st {
    struct object object;
    unsigned flags;
    bool recorded;
    uint64_t cycles;              /* cycles of the device when the event was recorded */
    struct work_set after;        /* what had not run by then and must have ended when the event happens */
    struct capture *capture;      /* it was last recorded in a capture (driver_work.h), after these nodes */
    struct CUgraphNode_st **node; /* malloc'd */
    size_t nodes;
};
struct host_memory {
    struct object object;
    struct driver *driver;
    void *ptr;
    size_t bytes;
    uint64_t addr;   /* device address of the same bytes; 0: the device does not see them */
    bool registered; /* it is the program's memory, registered with the driver, not allocated by it */
    unsigned flags;
};

struct CUarray_st {
    struct object object;
    struct driver *driver;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    uint64_t addr, pitch, slice; /* slice: bytes between two planes */
};
/* What a texture shows and how; bound under `handle` as soon as there is memory to show. */
struct CUtexref_st {
    struct object object; /* OBJECT_TEXREF or OBJECT_TEXOBJECT */
    struct driver *driver;
    uint64_t handle;
    struct texture texture;
    uint64_t bytes;              /* size of the linear memory it shows */
    uint8_t address[3];          /* as asked for; linear memory ends where it ends */
    CUDA_RESOURCE_DESC resource; /* of an object: as it was made */
    CUDA_TEXTURE_DESC sampler;
};

struct driver {
    struct session *session;
    struct object *objects;
    struct CUctx_st *current, *primary;
    unsigned primary_users;
    uint32_t next_pc; /* each module's code gets its own pcs */
    unsigned modules; /* loaded so far, for their names in messages */
    uint64_t next_window;
    uint64_t textures; /* texture objects made so far; the next handle follows from it */
    CUresult fault;    /* sticky: a kernel faulted and the device is lost */
    bool launching;    /* a kernel runs: a call now is one from a signal handler */
    unsigned graph_runs;
    size_t limits[8];       /* cuCtxSetLimit; plus 1 */
    unsigned long long ids; /* of streams and captures, handed out so far */
    struct CUstream_st *legacy, *per_thread;
    unsigned free_streams;    /* streams that do not wait for the default stream */
    struct work_set host;     /* what the host has waited for */
    struct work_set orphans;  /* what streams that are gone have left to do */
    struct work_order *doing; /* the work that is being done; NULL: none */
    struct CUmemPoolHandle_st *pool, *default_pool;
    CUdeviceptr *managed; /* where allocations of managed memory begin; malloc'd */
    size_t nmanaged, managed_room;
};

/* Runs all work that waits for the machine; a failure is that of a kernel. */
CUresult driver_flush(struct driver *d);

/* The compute capability that programs are told, 75 for 7.5; they ask before they choose a code path. */
int driver_capability(const struct driver *d);

/* Sets the words of the session's error and returns `code`. */
CUresult driver_fail(struct driver *d, CUresult code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for what the user must hear even when the program ignores the code. */
CUresult driver_complain(struct driver *d, CUresult code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Whether this process was forked while a thread of its parent was inside a call: every call fails. */
bool driver_is_lost(void);
/* A call holds the driver from driver_initialized to its own end, so that calls of several threads
 * come one after another; a call may make further calls. */
void driver_leave(struct driver **d);
#define DRIVER(d) struct driver *d __attribute__((cleanup(driver_leave))) = NULL

/* How a call begins. driver_initialized: cuInit was called. driver_context: there is also a current context, and no
 * kernel has faulted. On error *d may be NULL. */
CUresult driver_initialized(struct driver **d);
CUresult driver_context(struct driver **d);

/* A new object of `bytes` bytes at the head of the list, or NULL. */
void *object_new(struct driver *d, size_t bytes, enum object_kind kind, struct object *parent);
/* `handle` when it is a live object of that kind, else NULL; never follows it. */
void *object_find(const struct driver *d, const void *handle, enum object_kind kind);
/* Frees the object and everything whose parent it is. */
void object_free(struct driver *d, struct object *o);

/* NULL and the two special values are streams too. */
bool stream_valid(const struct driver *d, CUstream stream);
/* Host pointer to device bytes, a .const window included; NULL when any byte is not allocated. */
void *device_bytes(struct driver *d, CUdeviceptr addr, uint64_t bytes);
/* What object_free does for these. */
void module_release(struct CUmod_st *m);
void array_release(struct CUarray_st *a);
void texture_release(struct CUtexref_st *t);
void host_memory_release(struct host_memory *h);
void link_release(struct CUlinkState_st *s);
void event_release(struct CUevent_st *v);
void reservation_release(struct driver *d, struct object *o);
void chunk_release(struct driver *d, struct object *o);
/* The whole file with a NUL behind it, malloc'd, or NULL. */
char *read_file(const char *file, size_t *bytes);
/* The host memory of the driver API that holds this byte, or NULL. */
struct host_memory *host_memory_at(const struct driver *d, const void *ptr);
/* Whether managed memory begins there; it was freed. */
bool managed_is(const struct driver *d, CUdeviceptr base);
void managed_forget(struct driver *d, CUdeviceptr base);
/* Registers of a thread of the kernel on this machine. */
unsigned kernel_registers(const struct driver *d, const struct ptx_func *k);
/* Blocks of the kernel that one SM holds at a time. */
int64_t resident_blocks(const struct driver *d, const struct CUfunc_st *f, unsigned threads, size_t dynamic_shared);
/* A launch whose kernel could not be found, because its module was not loaded: libcudart tells of it. The session's
 * error says why. */
void driver_refused(const char *kernel, int code);
/* "call: n bytes at ... run past the end of the allocation". */
CUresult device_outside(struct driver *d, const char *call, CUdeviceptr addr, uint64_t bytes);

#endif
