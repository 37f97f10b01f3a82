/* synth.h - programs written by hand, and the streams of the warps that run them.
 *
 *     struct synth p;
 *     synth_begin(&p, "chase", 1);             // one warp a CTA
 *     synth_load(&p, 1, SPACE_GLOBAL, 4);      // ld  r1, [..]
 *     synth_add(&p, 2, 1, 1);                  // add r2, r1, r1
 *     synth_cta(&p);
 *     synth_warp(&p);
 *     synth_enter(&p, 0, ~0u);                 // the warp runs block 0 with all lanes ...
 *     synth_affine(&p, base, 4);               // ... and its load touches base, base + 4, ...
 *     assert_int_equal(gpu_run(g, synth_source(&p), &e), 0);
 *     synth_end(&p);
 *
 * A warp ends where its stream ends: no exit instruction is needed, so that a test can count
 * every issue slot. */
#ifndef WL_TESTS_SYNTH_H
#define WL_TESTS_SYNTH_H

#include "test.h"

#include "param/config.h"
#include "sim/gpu.h"
#include "stream/stream.h"

enum { SYNTH_INSTS = 512, SYNTH_BLOCKS = 32, SYNTH_REGS = 256 };

struct synth_warp {
    uint32_t cta;
    struct stream_writer out;
};

struct synth {
    struct stream_source source; /* first: the machine hands it back to us */
    struct launch_info info;
    struct code code;
    struct code_inst inst[SYNTH_INSTS];
    struct code_block block[SYNTH_BLOCKS];
    struct synth_warp *warp;
    size_t warps, warps_cap;
    uint32_t ctas, next_cta;
    size_t next_warp;
    uint32_t released;
};

/* ---- the program ---- */

static inline void synth_block(struct synth *p)
{
    assert_true(p->code.nblock < SYNTH_BLOCKS);
    p->block[p->code.nblock++] = (struct code_block){p->code.ninst, 0, CODE_NO_LOOP};
}

static inline void synth_begin(struct synth *p, const char *name, uint32_t warps_per_cta)
{
    memset(p, 0, sizeof *p);
    snprintf(p->info.kernel, sizeof p->info.kernel, "%s", name);
    for (int i = 0; i < 3; i++) p->info.grid[i] = p->info.block[i] = 1;
    p->info.block[0] = warps_per_cta * WARP_SIZE;
    p->code = (struct code){.inst = p->inst, .block = p->block, .nregs = SYNTH_REGS};
    p->info.code = &p->code;
    synth_block(p);
}

static inline struct code_inst *synth_inst(struct synth *p, enum inst_kind kind)
{
    assert_true(p->code.ninst < SYNTH_INSTS);
    struct code_inst *i = &p->inst[p->code.ninst];
    *i = (struct code_inst){.pc = 8 * p->code.ninst, .kind = (uint8_t)kind, .loop = CODE_NO_LOOP};
    p->code.ninst++;
    p->block[p->code.nblock - 1].count++;
    return i;
}

static inline struct code_inst *synth_load(struct synth *p, uint16_t dst, enum mem_space space, uint8_t width)
{
    struct code_inst *i = synth_inst(p, INST_LOAD);
    i->space = (uint8_t)space;
    i->width = width;
    i->ndst = 1;
    i->reg[0] = dst;
    return i;
}

/* A load whose address is in a register: it waits for that register. */
static inline struct code_inst *synth_load_at(struct synth *p, uint16_t dst, uint16_t addr)
{
    struct code_inst *i = synth_load(p, dst, SPACE_GLOBAL, 4);
    i->nsrc = 1;
    i->reg[1] = addr;
    return i;
}

static inline struct code_inst *synth_store(struct synth *p, uint16_t src, enum mem_space space, uint8_t width)
{
    struct code_inst *i = synth_inst(p, INST_STORE);
    i->space = (uint8_t)space;
    i->width = width;
    i->nsrc = 1;
    i->reg[0] = src;
    return i;
}

static inline struct code_inst *synth_alu(struct synth *p, enum lat_class lat, uint16_t dst, uint16_t a, uint16_t b)
{
    struct code_inst *i = synth_inst(p, INST_ALU);
    i->lat = (uint8_t)lat;
    i->ndst = 1;
    i->nsrc = 2;
    i->reg[0] = dst;
    i->reg[1] = a;
    i->reg[2] = b;
    return i;
}

static inline void synth_add(struct synth *p, uint16_t dst, uint16_t a, uint16_t b)
{
    synth_alu(p, LAT_INT_ADD, dst, a, b);
}

/* ---- the warps ---- */

static inline void synth_cta(struct synth *p) { p->ctas++; }

static inline struct stream_writer *synth_warp(struct synth *p)
{
    if (p->warps == p->warps_cap) {
        p->warps_cap = p->warps_cap ? 2 * p->warps_cap : 64;
        p->warp = realloc(p->warp, p->warps_cap * sizeof *p->warp);
        assert_non_null(p->warp);
    }
    struct synth_warp *w = &p->warp[p->warps++];
    *w = (struct synth_warp){.cta = p->ctas - 1};
    stream_begin(&w->out);
    return &w->out;
}

static inline struct stream_writer *synth_last(struct synth *p) { return &p->warp[p->warps - 1].out; }

static inline void synth_enter(struct synth *p, uint32_t block, uint32_t mask)
{
    stream_block(synth_last(p), block, mask);
}

/* Addresses of the next memory instruction of the warp: base + lane * stride. */
static inline void synth_affine_mask(struct synth *p, uint32_t mask, uint64_t base, int64_t stride)
{
    uint64_t addr[WARP_SIZE];
    for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = base + (uint64_t)((int64_t)l * stride);
    stream_addrs(synth_last(p), mask, addr);
}

static inline void synth_affine(struct synth *p, uint64_t base, int64_t stride)
{
    synth_affine_mask(p, UINT32_MAX, base, stride);
}

/* The memory instruction touches `n` lines from `line` on, a lane each. */
static inline void synth_lines(struct synth *p, uint64_t line, unsigned n)
{
    synth_affine_mask(p, n == 32 ? UINT32_MAX : (1u << n) - 1, line * 128, 128);
}

/* ---- the source ---- */

static inline int synth_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    (void)e;
    struct synth *p = (struct synth *)(void *)s;
    if (p->next_cta == p->ctas) return 0;
    *out = (struct cta_stream){.cta = p->next_cta};
    while (p->next_warp < p->warps && p->warp[p->next_warp].cta == p->next_cta) {
        const struct stream_writer *w = &p->warp[p->next_warp++].out;
        assert_false(w->failed);
        out->warp[out->nwarps++] = (struct warp_stream){w->data, w->size};
    }
    p->next_cta++;
    return 1;
}

static inline void synth_release(struct stream_source *s, struct cta_stream *cta)
{
    (void)cta;
    ((struct synth *)(void *)s)->released++;
}

/* The launch, from its first CTA again at every call. */
static inline struct stream_source *synth_source(struct synth *p)
{
    p->info.grid[0] = p->ctas;
    assert_int_equal(launch_shape(&p->info, NULL), 0);
    p->source = (struct stream_source){.info = &p->info, .next = synth_next, .release = synth_release};
    p->next_cta = p->released = 0;
    p->next_warp = 0;
    for (size_t i = 0; i < p->warps; i++) {
        struct wl_err e = {.code = WL_OK};
        assert_int_equal(stream_check(&p->code, (struct warp_stream){p->warp[i].out.data, p->warp[i].out.size}, &e), 0);
    }
    return &p->source;
}

static inline void synth_end(struct synth *p)
{
    for (size_t i = 0; i < p->warps; i++) free(p->warp[i].out.data);
    free(p->warp);
    p->warp = NULL;
}

/* ---- machines ---- */

/* The default machine with assignments, separated by blanks: "sm.count=1 l1d.pipe=6". */
static inline struct gpu_config synth_config(const char *settings)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char copy[1024];
    config_defaults(&c);
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&c, s, &e)) fail_msg("%s", e.text);
    return c;
}

static inline struct gpu *synth_gpu(const struct gpu_config *c)
{
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = gpu_new(c, NULL, &e);
    if (!g) fail_msg("%s", e.text);
    return g;
}

/* Runs the program to its end and checks every law; returns its cycles. */
static inline uint64_t synth_run(struct gpu *g, struct synth *p)
{
    struct wl_err e = {.code = WL_OK};
    struct run_stats before, after;
    gpu_read_stats(g, &before);
    if (gpu_run(g, synth_source(p), &e) || gpu_check_laws(g, &e)) fail_msg("%s", e.text);
    gpu_read_stats(g, &after);
    return after.cycles - before.cycles;
}

/* ---- a recording scheduler: notes every issue ---- */

enum { RECORD_MAX = 4096 };
struct issue_record {
    uint64_t cycle;
    unsigned warp, nth; /* the warp's nth instruction, from 0 */
};
/* One SM only; tests set count to 0 when they begin. */
static struct issue_record issue_log[RECORD_MAX] __attribute__((unused));
static unsigned issue_count, issue_nth[64] __attribute__((unused));

static inline void record_reset(void)
{
    issue_count = 0;
    memset(issue_nth, 0, sizeof issue_nth);
}

/* Any scheduler, noting every issue. One at a time. */
static struct wl_sched_policy recorded __attribute__((unused));
static const struct wl_sched_policy *recorded_from __attribute__((unused));

static inline void recorded_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                                     unsigned warp)
{
    assert_true(issue_count < RECORD_MAX);
    issue_log[issue_count++] = (struct issue_record){v->cycle, warp, issue_nth[warp]++};
    recorded_from->on_issue(s, v, scheduler, warp);
}

static inline const struct wl_sched_policy *recording(const struct wl_sched_policy *p)
{
    recorded_from = p;
    recorded = *p;
    recorded.on_issue = recorded_on_issue;
    return &recorded;
}

/* Loose round robin, noting every issue. */
extern const struct wl_sched_policy lrr_policy;
static inline const struct wl_sched_policy *recording_lrr(void) { return recording(&lrr_policy); }

/* The core cycle in which the warp's nth instruction was issued. */
static inline uint64_t issued_at(unsigned warp, unsigned nth)
{
    for (unsigned i = 0; i < issue_count; i++)
        if (issue_log[i].warp == warp && issue_log[i].nth == nth) return issue_log[i].cycle;
    fail_msg("warp %u never issued its instruction %u", warp, nth);
    return 0;
}

#endif
