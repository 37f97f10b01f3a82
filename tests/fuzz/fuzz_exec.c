/* fuzz_exec.c - any bytes as PTX whose kernels are launched: refused, ended by a fault with a place, or run to the end,
 * within a budget. A part of them is also timed on a small machine, with the fast and with the reference engine: both
 * must leave the same memory and the same counters, and the timing half must have issued what was executed. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "policy/registry.h"
#include "sim/session_attach.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 8192, MAX_KERNELS = 3, MOST_TEXT = 1 << 15 };

/* Shapes by the size of the text, so that a seed is a PTX file and nothing else. */
static const uint32_t shapes[][6] = {{1, 1, 1, 32, 1, 1}, {2, 1, 1, 64, 1, 1}, {1, 1, 1, 1, 1, 1},
                                     {3, 1, 1, 33, 1, 1}, {2, 2, 1, 8, 8, 1},  {1, 1, 1, 128, 1, 1},
                                     {1, 2, 2, 4, 4, 4},  {4, 1, 1, 256, 1, 1}};

/* The machine of one mode; one SM or two, so that blocks wait for one another. */
static struct session_options options_of(enum session_mode mode, bool tick, size_t size)
{
    struct session_options o = {.mode = mode, .gpu = {.tick = tick, .max_cycles = 8000}, .memory_bytes = 1 << 24};
    config_defaults(&o.config);
    struct wl_err e;
    if (size & 32 && config_load(&o.config, "h100", &e)) config_defaults(&o.config);
    o.config.v[P_SM_COUNT] = 1 + (size >> 6 & 1);
    o.config.v[P_SM_CLUSTER] = 1;
    o.config.v[P_MEM_CHANNELS] = 2;
    o.config.v[P_MEM_HASH] = 0;
    o.config.v[P_L2_SETS] = 32;
    o.config.v[P_L2_SLICES] = 1;
    o.config.v[P_RUN_CTA_INSTRUCTIONS] = 20000;
    o.config.v[P_RUN_CTA_MEMORY] = 4;
    if (config_check(&o.config, &e)) {
        config_defaults(&o.config);
        o.config.v[P_RUN_CTA_INSTRUCTIONS] = 20000;
        o.config.v[P_RUN_CTA_MEMORY] = 4;
    }
    return o;
}

/* Every 8-byte parameter is the address of a buffer, others are small numbers. */
static void fill_params(const struct ptx_func *k, uint64_t buffer, uint8_t *image)
{
    memset(image, 0, k->param_bytes);
    for (uint32_t i = 0; i < k->nparams; i++) {
        const struct ptx_var *p = k->param[i];
        if (p->offset + p->bytes > k->param_bytes) abort();
        const float one = 1;
        const uint32_t n = 32;
        if (p->bytes == 8 && p->type != T_F64) memcpy(image + p->offset, &buffer, 8);
        else if (p->bytes == 4) memcpy(image + p->offset, p->type == T_F32 ? (const void *)&one : (const void *)&n, 4);
        else if (p->bytes) image[p->offset] = 3;
    }
}

struct outcome {
    int rc[MAX_KERNELS]; /* of each launch */
    uint64_t memory;     /* hash of the buffer */
    struct run_stats stats;
    struct exec_counts counts;
    bool timed;
};

static int launch(struct session *s, struct ptx_image *image, const struct ptx_func *k, uint64_t buffer, size_t size,
                  struct wl_err *e)
{
    const uint32_t *shape = shapes[size % (sizeof shapes / sizeof *shapes)];
    uint8_t *params = malloc(k->param_bytes + 1);
    if (!params) return WL_ERUN;
    fill_params(k, buffer, params);
    struct ptx_launch l = {.image = image, .kernel = k, .params = params, .dynamic_shared = size & 1 ? 1024 : 0};
    memcpy(l.grid, shape, sizeof l.grid);
    memcpy(l.block, shape + 3, sizeof l.block);
    int rc = session_launch(s, &l, e);
    free(params);
    return rc;
}

static bool run(const uint8_t *data, size_t size, enum session_mode mode, bool tick, struct outcome *out)
{
    struct wl_err e = {.code = WL_OK};
    struct session_options o = options_of(mode, tick, size);
    struct session *s = session_new(&o, &e);
    memset(out, 0, sizeof *out);
    require(s != NULL);
    struct ptx_module *m = ptx_parse_for("fuzz.ptx", (const char *)data, size, 0, ptx_target_of(o.config.v), &e);
    struct ptx_image *image = m ? ptx_load(m, session_memory(s), &e) : NULL;
    uint64_t buffer = image ? dev_alloc(session_memory(s), BUFFER) : 0;
    uint8_t *bytes = buffer ? dev_ptr(session_memory(s), buffer, BUFFER) : NULL;
    for (unsigned i = 0; bytes && i < BUFFER; i++) bytes[i] = (uint8_t)(i * 7);
    unsigned n = 0;
    for (const struct ptx_func *k = bytes ? m->funcs : NULL; k && n < MAX_KERNELS; k = k->next) {
        if (!k->is_kernel || k->refused || k->param_bytes > 4096) continue;
        e = (struct wl_err){.code = WL_OK};
        out->rc[n] = launch(s, image, k, buffer, size, &e);
        require(out->rc[n] != WL_ELAW && out->rc[n] != WL_EDEADLOCK); /* the budget ends what never ends */
        require((out->rc[n] == 0) == (*e.text == 0));
        if (out->rc[n++]) break;
    }
    if (bytes) out->memory = hash_bytes(WL_HASH_INIT, bytes, BUFFER);
    out->counts = session_counts(s);
    if (session_gpu(s)) gpu_read_stats(session_gpu(s), &out->stats);
    if (image) ptx_unload(image);
    session_free(s);
    ptx_free(m);
    return n > 0;
}

/* The counters of a machine that was stopped depend on where the engine looked; those of one that ended do not. */
static void compare(const struct outcome *a, const struct outcome *b)
{
    require(memcmp(a->rc, b->rc, sizeof a->rc) == 0);
    for (unsigned i = 0; i < MAX_KERNELS; i++)
        if (a->rc[i]) return;
    require(a->memory == b->memory);
    require(memcmp(&a->counts, &b->counts, sizeof a->counts) == 0);
    require(memcmp(&a->stats, &b->stats, sizeof a->stats) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome only, fast, tick;
    if (size > MOST_TEXT) return 0;
    registry_open();
    if (!run(data, size, SESSION_FUNCTIONAL, false, &only) || size % 4) return 0; /* timing is slow: every fourth */
    run(data, size, SESSION_TIMING, false, &fast);
    if (size % 8) return 0;
    run(data, size, SESSION_TIMING, true, &tick);
    compare(&fast, &tick);
    return 0;
}
