/* builtin.c - functions that kernels call and no module defines: printing, assertions, the heap, the device's runtime.
 *
 * malloc and free work lane by lane, in increasing order. An allocation of the heap is one of device memory, with exact
 * bounds; their sizes together stay below a limit (dev_set_heap), beyond which malloc gives NULL, as on a GPU. What is
 * not freed outlives the kernel. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

#include <inttypes.h>
#include <string.h>

uint8_t *builtin_param(const struct exec_warp *w, const struct ptx_var *v, unsigned lane)
{
    const struct call_frame *f = &w->frame[w->nframe - 1];
    return w->local + (size_t)lane * w->local_stride + f->local + f->f->param_at + v->offset;
}

uint64_t builtin_arg(const struct exec_warp *w, const struct ptx_call *c, uint32_t k, unsigned lane)
{
    uint64_t v = 0;
    if (k < c->nargs) memcpy(&v, builtin_param(w, c->args[k], lane), c->args[k]->bytes < 8 ? c->args[k]->bytes : 8);
    return v;
}

void builtin_result(const struct exec_warp *w, const struct ptx_call *c, unsigned lane, uint64_t value)
{
    if (c->nrets) memcpy(builtin_param(w, c->rets[0], lane), &value, c->rets[0]->bytes < 8 ? c->rets[0]->bytes : 8);
}

/* ---- the heap ---- */

static int call_malloc(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    (void)u;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        builtin_result(w, call, lane, dev_heap_alloc(w->run->l.image->mem, builtin_arg(w, call, 0, lane)));
    }
    w->run->progress++;
    return RUN_ON;
}

/* Stores through a pointer that a lane passed. */
static int store_result(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t to, uint8_t space,
                        const void *value, unsigned bytes)
{
    struct uop access = *u;
    access.space = space;
    void *p = mem_lane(w, &access, lane, to, bytes, "store");
    if (p) memcpy(p, value, bytes);
    return p ? RUN_ON : RUN_FAULT;
}

/* cudaMalloc(where the address goes, bytes) */
static int call_device_malloc(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t addr = dev_heap_alloc(w->run->l.image->mem, builtin_arg(w, call, 1, lane));
        if (store_result(w, u, lane, builtin_arg(w, call, 0, lane), PTX_SPACE_NONE, &addr, 8)) return RUN_FAULT;
        builtin_result(w, call, lane, addr ? 0 : 2 /* cudaErrorMemoryAllocation */);
    }
    w->run->progress++;
    return RUN_ON;
}

static int call_free(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t addr = builtin_arg(w, call, 0, lane);
        if (addr && dev_heap_release(w->run->l.image->mem, addr))
            return warp_fault(w, u, (int)lane, "free(0x%" PRIx64 "), which malloc in a kernel did not return", addr);
        builtin_result(w, call, lane, 0);
    }
    memset(w->run->range, 0, sizeof w->run->range); /* none of them may answer for what is gone */
    w->run->progress++;
    return RUN_ON;
}

/* cudaGraphSetConditional(condition, value): a condition is the address of a word (cuda/driver_condition.c). */
static int call_set_conditional(struct exec_warp *w, const struct uop *u, const struct ptx_call *call)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint32_t value = (uint32_t)builtin_arg(w, call, 1, lane);
        if (store_result(w, u, lane, builtin_arg(w, call, 0, lane), PTX_GLOBAL, &value, 4)) return RUN_FAULT;
    }
    w->run->progress++;
    return RUN_ON;
}

/* ---- */

static const struct {
    const char *name;
    builtin_fn *call;
} functions[] = {
    {"vprintf", call_vprintf},
    {"__assertfail", call_assertfail},
    {"malloc", call_malloc},
    {"free", call_free},
    {"cudaGraphSetConditional", call_set_conditional},
    /* the device's runtime (children.c), by the names of CUDA 12 and later */
    {"__cudaCDP2GetParameterBufferV2", call_parameter_buffer},
    {"__cudaCDP2LaunchDeviceV2", call_launch_device},
    {"__cudaCDP2LaunchDeviceV2_ptsz", call_launch_device},
    {"__cudaCDP2Malloc", call_device_malloc},
    {"__cudaCDP2Free", call_free},
    {"__cudaCDP2MemcpyAsync", call_copy_async},
    {"__cudaCDP2MemcpyAsync_ptsz", call_copy_async},
    {"__cudaCDP2MemsetAsync", call_fill_async},
    {"__cudaCDP2MemsetAsync_ptsz", call_fill_async},
    {"__cudaCDP2StreamCreateWithFlags", call_create_handle},
    {"__cudaCDP2EventCreateWithFlags", call_create_handle},
    {"__cudaCDP2StreamDestroy", call_nothing},
    {"__cudaCDP2StreamWaitEvent", call_nothing},
    {"__cudaCDP2StreamWaitEvent_ptsz", call_nothing},
    {"__cudaCDP2EventRecord", call_nothing},
    {"__cudaCDP2EventRecord_ptsz", call_nothing},
    {"__cudaCDP2EventRecordWithFlags", call_nothing},
    {"__cudaCDP2EventRecordWithFlags_ptsz", call_nothing},
    {"__cudaCDP2EventDestroy", call_nothing},
    {"__cudaCDP2GetLastError", call_nothing},
    {"__cudaCDP2PeekAtLastError", call_nothing},
    {"__cudaCDP2GetDevice", call_get_device},
    {"__cudaCDP2GetDeviceCount", call_device_count},
};

int builtin_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return (int)i;
    return -1;
}

int builtin_call(struct exec_warp *w, const struct uop *u) { return functions[u->mode].call(w, u, u->in->call); }
