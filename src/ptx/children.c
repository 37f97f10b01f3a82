/* children.c - what a kernel asks of the device: launches of kernels, copies, fills (dynamic parallelism).
 *
 * nvcc turns a launch in device code into two calls: one for a buffer that takes the parameters, one that launches. A
 * grid cannot wait for what it launches, it only has not ended before that has; so the executor notes what is asked
 * for, and whoever runs the launch executes it when the grid's own blocks have ended (ptx_take_children). Streams and
 * events of device code order work that is in order anyway. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Codes of the runtime API. */
enum { CUDA_OK = 0, CUDA_INVALID_VALUE = 1, CUDA_OUT_OF_MEMORY = 2, CUDA_INVALID_CONFIGURATION = 9 };
enum { STREAM_TAIL = 3 /* cudaStreamTailLaunch */, SOME_HANDLE = 1 << 16 /* of a stream or an event */ };

/* ---- the list ---- */

static struct ptx_child *child_new(struct exec_run *r, size_t extra)
{
    struct ptx_child *c = calloc(1, sizeof *c + extra), **at = &r->children;
    if (!c) return NULL;
    while (*at) at = &(*at)->next;
    return *at = c;
}

void ptx_free_children(struct ptx_child *c)
{
    while (c) {
        struct ptx_child *next = c->next;
        free(c);
        c = next;
    }
}

/* Without those that were prepared and never launched; what runs last in the end. */
struct ptx_child *ptx_take_children(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    struct ptx_child *list[2] = {NULL, NULL}, **end[2] = {&list[0], &list[1]}, *c = r->children;
    while (c) {
        struct ptx_child *next = c->next;
        c->next = NULL;
        if (c->buffer) {
            dev_release(r->l.image->mem, c->buffer);
            free(c);
        } else {
            *end[c->tail] = c;
            end[c->tail] = &c->next;
        }
        c = next;
    }
    *end[0] = list[1];
    r->children = NULL;
    return list[0];
}

/* ---- launches ---- */

static void dim_of(const struct exec_warp *w, const struct ptx_call *call, uint32_t k, unsigned lane, uint32_t out[3])
{
    if (k < call->nargs && call->args[k]->bytes == 12) memcpy(out, builtin_param(w, call->args[k], lane), 12);
}

/* cudaGetParameterBufferV2(function, grid, block, shared bytes): where the parameters go, or NULL. */
int call_parameter_buffer(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    struct exec_run *r = w->run;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t pointer = builtin_arg(w, call, 0, lane);
        const struct xfunc *f = image_func_at(r->l.image, pointer);
        if (!f || !f->fn->is_kernel || f->fn->is_extern)
            return warp_fault(w, u, (int)lane, "0x%" PRIx64 " is launched, which is no kernel of this module", pointer);
        struct ptx_child *c = child_new(r, f->fn->param_bytes);
        uint64_t buffer = c ? dev_alloc(r->l.image->mem, f->fn->param_bytes ? f->fn->param_bytes : 1) : 0;
        if (!buffer) return warp_fault(w, u, (int)lane, "no memory for a launch");
        *c = (struct ptx_child){.kernel = f->fn, .buffer = buffer, .shared = (uint32_t)builtin_arg(w, call, 3, lane)};
        dim_of(w, call, 1, lane, c->grid);
        dim_of(w, call, 2, lane, c->block);
        builtin_result(w, call, lane, buffer);
    }
    return RUN_ON;
}

static uint64_t launch_prepared(struct exec_run *r, uint64_t buffer, uint64_t stream)
{
    struct ptx_child *c = r->children;
    while (c && c->buffer != buffer) c = c->next;
    if (!c || !buffer) return CUDA_INVALID_VALUE;
    uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    if (!threads || threads > 1024 || !c->grid[0] || !c->grid[1] || !c->grid[2]) return CUDA_INVALID_CONFIGURATION;
    const void *from = dev_ptr(r->l.image->mem, buffer, c->kernel->param_bytes);
    if (c->kernel->param_bytes && from) memcpy(c->params, from, c->kernel->param_bytes);
    dev_release(r->l.image->mem, buffer);
    memset(r->range, 0, sizeof r->range);
    c->buffer = 0;
    c->tail = stream == STREAM_TAIL;
    return CUDA_OK;
}

/* cudaLaunchDeviceV2(buffer, stream) */
int call_launch_device(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)u;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t code = launch_prepared(w->run, builtin_arg(w, call, 0, lane), builtin_arg(w, call, 1, lane));
        builtin_result(w, call, lane, code);
    }
    return RUN_ON;
}

/* ---- copies and fills ---- */

static int note_transfer(struct exec_warp *w, const struct uop *u, unsigned lane, struct ptx_child t)
{
    struct ptx_child *c = child_new(w->run, 0);
    if (!c) return warp_fault(w, u, (int)lane, "out of memory");
    *c = t;
    builtin_result(w, u->in->call, lane, CUDA_OK);
    return RUN_ON;
}

/* The arguments begin alike: to, from or a value, bytes. */
static int note_transfers(struct exec_warp *w, const struct uop *u, bool fill, unsigned stream)
{
    const struct ptx_call *call = u->in->call;
    int rc = RUN_ON;
    for (uint32_t m = w->exec; m && rc == RUN_ON; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t what = builtin_arg(w, call, 1, lane);
        rc = note_transfer(w, u, lane,
                           (struct ptx_child){.to = builtin_arg(w, call, 0, lane),
                                              .from = fill ? 0 : what,
                                              .value = fill ? (uint8_t)what : 0,
                                              .bytes = builtin_arg(w, call, 2, lane),
                                              .tail = builtin_arg(w, call, stream, lane) == STREAM_TAIL});
    }
    return rc;
}

/* cudaMemcpyAsync(to, from, bytes, kind, stream) */
int call_copy_async(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)call;
    return note_transfers(w, u, false, 4);
}

/* cudaMemsetAsync(to, value, bytes, stream) */
int call_fill_async(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)call;
    return note_transfers(w, u, true, 3);
}

int ptx_transfer(struct dev_mem *m, const struct ptx_child *c, struct wl_err *e)
{
    void *to = dev_ptr(m, c->to, c->bytes);
    const void *from = c->from ? dev_ptr(m, c->from, c->bytes) : to;
    if (!to || !from)
        return wl_fail(e, WL_ERUN, "out-of-bounds %s of %" PRIu64 " bytes to 0x%" PRIx64 " by device code",
                       c->from ? "copy" : "fill", c->bytes, c->to);
    if (c->from) memmove(to, from, c->bytes);
    else memset(to, c->value, c->bytes);
    return 0;
}

/* ---- the rest of the device's runtime ---- */

/* Calls that have nothing to do, or are done: of streams, events and errors. */
int call_nothing(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)u;
    for (uint32_t m = w->exec; m; m &= m - 1) builtin_result(w, call, bit_low32(m), CUDA_OK);
    return RUN_ON;
}

static int store_result(struct exec_warp *w, const struct uop *u, uint64_t value, unsigned bytes)
{
    struct uop access = *u;
    access.space = PTX_SPACE_NONE;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        void *p = mem_lane(w, &access, lane, builtin_arg(w, u->in->call, 0, lane), bytes, "store");
        if (!p) return RUN_FAULT;
        memcpy(p, &value, bytes);
        builtin_result(w, u->in->call, lane, CUDA_OK);
    }
    w->run->progress++;
    return RUN_ON;
}

int call_create_handle(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)call;
    return store_result(w, u, SOME_HANDLE, 8);
}

int call_get_device(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)call;
    return store_result(w, u, 0, 4);
}

int call_device_count(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)call;
    return store_result(w, u, 1, 4);
}
