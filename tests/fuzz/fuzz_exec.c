/* fuzz_exec.c - any bytes as PTX whose kernels are launched: refused, ended by a fault with a place, or run to the end,
 * within a budget. A part of them is also timed on a small machine, with the fast and with the reference engine: both
 * must leave the same memory and the same counters, and the timing half must have issued what was executed. Another
 * part is sampled: many blocks, launched again and again, of which most are passed over, moved on or only counted. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "policy/registry.h"
#include "sim/session_attach.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 8192, MAX_KERNELS = 3, MOST_TEXT = 1 << 15, SAMPLED_LAUNCHES = 9, MANY_BLOCKS = 48 };

/* Everything that is chosen is chosen by the size of the text, so that a seed is a PTX file and nothing else. */
static unsigned draw(size_t size, unsigned number, unsigned below)
{
    uint64_t seed = size * 64 + number;
    return (unsigned)(splitmix64(&seed) % below);
}
enum { DRAW_SHAPE, DRAW_MACHINE, DRAW_SMS, DRAW_SHARED, DRAW_CLUSTER, DRAW_TIMED, DRAW_TICK, DRAW_SKIM };

static const uint32_t shapes[][6] = {{1, 1, 1, 32, 1, 1}, {2, 1, 1, 64, 1, 1}, {1, 1, 1, 1, 1, 1},
                                     {3, 1, 1, 33, 1, 1}, {2, 2, 1, 8, 8, 1},  {1, 1, 1, 128, 1, 1},
                                     {1, 2, 2, 4, 4, 4},  {4, 1, 1, 256, 1, 1}};

struct how {
    enum session_mode mode;
    bool tick, sampled;
};

static void sample(struct session_options *o, size_t size)
{
    o->may_move = true;
    o->may_skim = draw(size, DRAW_SKIM, 2);
    o->gpu.max_cycles = 40000;
    o->config.v[P_RUN_SAMPLE] = 1 + draw(size, DRAW_SKIM, 2000);
    o->config.v[P_SM_CTAS] = 2; /* few blocks are many waves */
}

/* The machine of one mode; few SMs, so that blocks wait for one another. */
static struct session_options options_of(struct how how, size_t size)
{
    struct session_options o = {
        .mode = how.mode, .gpu = {.tick = how.tick, .max_cycles = 3000}, .memory_bytes = 1 << 24};
    static const char *const gpus[] = {"h100", "h200"};
    unsigned gpu = draw(size, DRAW_MACHINE, 4);
    config_defaults(&o.config);
    struct wl_err e;
    if (gpu < 2 && config_load(&o.config, gpus[gpu], &e)) config_defaults(&o.config);
    if (how.sampled) sample(&o, size);
    o.config.v[P_SM_COUNT] = 1 + draw(size, DRAW_SMS, 4);
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
    int rc[MAX_KERNELS]; /* of the last launch of each */
    uint64_t memory;     /* hash of the buffer */
    struct run_stats stats;
    struct exec_counts counts;
    bool timed;
};

static int launch(struct session *s, struct ptx_image *image, const struct ptx_func *k, uint64_t buffer, size_t size,
                  bool sampled, struct wl_err *e)
{
    const uint32_t *shape = shapes[draw(size, DRAW_SHAPE, sizeof shapes / sizeof *shapes)];
    uint8_t *params = malloc(k->param_bytes + 1);
    if (!params) return WL_ERUN;
    fill_params(k, buffer, params);
    struct ptx_launch l = {
        .image = image, .kernel = k, .params = params, .dynamic_shared = draw(size, DRAW_SHARED, 2) * 1024};
    memcpy(l.grid, shape, sizeof l.grid);
    memcpy(l.block, shape + 3, sizeof l.block);
    if (k->cluster[0])
        for (unsigned d = 0; d < 3; d++)
            l.grid[d] *= k->cluster[d] <= 4 ? k->cluster[d] : 1; /* clusters, or a refusal */
    else if (!draw(size, DRAW_CLUSTER, 8)) l.cluster[0] = l.grid[0], l.cluster[1] = l.cluster[2] = 1;
    if (sampled) l.grid[0] *= MANY_BLOCKS;
    int rc = 0;
    for (unsigned i = 0; !rc && i < (sampled ? SAMPLED_LAUNCHES : 1); i++) rc = session_launch(s, &l, e);
    free(params);
    return rc;
}

static void read_stats(struct session *s, struct run_stats *stats)
{
    static struct policy_stats policy; /* large */
    static struct sampling_report report;
    struct wl_err e = {.code = WL_OK};
    require(session_read(s, stats, &policy, &report, &e) == 0);
    if (!report.on) return;
    require(report.timed_share >= 0 && report.timed_share <= 1);
    for (unsigned i = 0; i < SAMPLED_COUNTERS; i++) require(report.half[i] >= 0);
}

static bool run(const uint8_t *data, size_t size, struct how how, struct outcome *out)
{
    struct wl_err e = {.code = WL_OK};
    struct session_options o = options_of(how, size);
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
        out->rc[n] = launch(s, image, k, buffer, size, how.sampled, &e);
        require(out->rc[n] != WL_ELAW && out->rc[n] != WL_EDEADLOCK); /* the budget ends what never ends */
        require((out->rc[n] == 0) == (*e.text == 0));
        if (out->rc[n++]) break;
    }
    if (bytes) out->memory = hash_bytes(WL_HASH_INIT, bytes, BUFFER);
    out->counts = session_counts(s);
    if (session_gpu(s) && n && !out->rc[n - 1]) read_stats(s, &out->stats);
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
    if (!run(data, size, (struct how){.mode = SESSION_FUNCTIONAL}, &only)) return 0;
    unsigned timed = draw(size, DRAW_TIMED, 8); /* timing is slow */
    if (timed > 2) return 0;
    struct how how = {.mode = SESSION_TIMING, .sampled = timed == 2};
    run(data, size, how, &fast);
    if (draw(size, DRAW_TICK, 2) || fast.stats.cycles > (how.sampled ? 20000 : 2000)) return 0;
    how.tick = true;
    run(data, size, how, &tick);
    compare(&fast, &tick);
    return 0;
}
