/* machine_probe.c - micro-benchmarks on a machine of our own (probe.h): two launches of different length, whose
 * difference is free of begin and end. The rings are those of calibrate.cu, in the same order. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "run/machine_probe.h"
#include "sim/session_attach.h"
#include "warpline/cuda.h"

struct probing {
    struct session *session;
    CUmodule module;
    CUdeviceptr memory;
    uint64_t *ring; /* the address of each step */
    uint32_t steps; /* of the ring */
    bool failed;
};

static void must(struct probing *p, CUresult rc) { p->failed |= rc != CUDA_SUCCESS; }

/* Cycles of a launch. */
static uint64_t launch(struct probing *p, const char *kernel, unsigned blocks, unsigned threads, void **args)
{
    CUfunction f = NULL;
    uint64_t before = session_cycles(p->session);
    must(p, cuModuleGetFunction(&f, p->module, kernel));
    if (!p->failed) must(p, cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, args, NULL));
    return p->failed ? 0 : session_cycles(p->session) - before;
}

/* A ring through `bytes` of memory, `stride` apart, in random order. */
static void make_ring(struct probing *p, uint32_t bytes, uint32_t stride)
{
    uint32_t n = p->steps = bytes / stride;
    uint64_t state = UINT64_C(88172645463325252), *image = calloc(1, (size_t)n * stride);
    p->ring = malloc(n * sizeof *p->ring);
    must(p, cuMemAlloc(&p->memory, (size_t)n * stride));
    if (!p->ring || !image) p->failed = true;
    for (uint32_t i = 0; !p->failed && i < n; i++) p->ring[i] = p->memory + (uint64_t)i * stride;
    for (uint32_t i = n; !p->failed && i > 1; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint64_t other = p->ring[state % i];
        p->ring[state % i] = p->ring[i - 1];
        p->ring[i - 1] = other;
    }
    for (uint32_t i = 0; !p->failed && i < n; i++)
        image[(p->ring[i] - p->memory) / sizeof *image] = p->ring[(i + 1) % n];
    if (!p->failed) must(p, cuMemcpyHtoD(p->memory, image, (size_t)n * stride));
    free(image);
}

/* Cycles per step behind `warm` steps. A launch begins where the one before has not been; the first brings the code. */
static double follow(struct probing *p, const char *kernel, uint32_t warm, uint32_t steps)
{
    uint32_t all = warm + steps, few = 8;
    if (p->failed) return 0;
    uint64_t a = p->ring ? p->ring[0] : 0, b = p->ring ? p->ring[warm % p->steps] : 0;
    uint64_t last = p->ring ? p->ring[p->steps - few] : 0;
    launch(p, kernel, 1, 1, (void *[]){&last, &few});
    uint64_t some = launch(p, kernel, 1, 1, (void *[]){&a, &warm});
    return (double)(launch(p, kernel, 1, 1, (void *[]){&b, &all}) - some) / steps;
}

/* All threads are there at once, and each reads as much as every other: 64 bytes at a time, half of the L2 at most. */
static double read_l2(struct probing *p, const struct gpu_config *c)
{
    uint64_t l2 = (uint64_t)config_size(c, SIZE_L2);
    uint32_t each = c->v[P_SM_WARPS] < 64 || c->v[P_SM_CTAS] < 2 ? 1 : (uint32_t)c->v[P_SM_WARPS] / 32;
    uint32_t blocks = (uint32_t)c->v[P_SM_COUNT] * each, threads = 1024, few = 4, many = 16;
    while (threads > 64 && UINT64_C(64) * blocks * threads > l2 / 2) threads /= 2;
    uint64_t bytes = UINT64_C(64) * blocks * threads;
    uint32_t count = (uint32_t)(bytes / 16);
    must(p, cuMemAlloc(&p->memory, bytes));
    void *some[] = {&p->memory, &count, &few}, *more[] = {&p->memory, &count, &many};
    launch(p, "read_all", blocks, threads, some); /* brings it into the L2 */
    uint64_t begin = launch(p, "read_all", blocks, threads, some), end = launch(p, "read_all", blocks, threads, more);
    return end > begin ? (double)bytes * (many - few) / (double)(end - begin) : 0;
}

static double measure(struct probing *p, const struct gpu_config *c, enum machine_probe what)
{
    switch (what) {
    case PROBE_SHARED: return follow(p, "follow_shared", 64, 512);
    case PROBE_L1:
        make_ring(p, 8 << 10, 128);
        follow(p, "follow_cg", 64, 8); /* once round: it lies in the L2 */
        return follow(p, "follow_ca", 128, 512);
    case PROBE_L2:
        make_ring(p, 128 << 10, 128);
        follow(p, "follow_cg", 1024, 8);
        return follow(p, "follow_cg", 64, 1024);
    case PROBE_MEMORY: make_ring(p, 4 << 20, 4096 + 128); return follow(p, "follow_cg", 128, 384);
    default: return read_l2(p, c);
    }
}

int probe_machine(const struct gpu_config *c, enum machine_probe what, double *out, struct wl_err *e)
{
    struct session_options o = {.mode = SESSION_TIMING, .config = *c};
    struct probing p = {.failed = false};
    o.config.v[P_L2_COPY_FILLS] = 0;
    if (!(p.session = session_new(&o, e))) return (int)e->code;
    session_make_current(p.session);
    CUcontext context;
    must(&p, cuInit(0));
    must(&p, cuCtxCreate(&context, 0, 0));
    must(&p, cuModuleLoadData(&p.module, embed_find("probe.ptx")->data));
    double got = p.failed ? 0 : measure(&p, c, what);
    int rc = 0;
    if (p.failed || !(got > 0)) {
        const char *why = session_error(p.session)->text;
        rc = wl_fail(e, WL_ERUN, "the machine cannot be measured: %s", *why ? why : "out of memory");
    }
    *out = got;
    session_make_current(NULL);
    session_free(p.session);
    free(p.ring);
    return rc;
}
