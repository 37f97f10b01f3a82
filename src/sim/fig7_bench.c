/* fig7_bench.c - the SM is ticked cycle by cycle; what it sends is answered so that a load that was accepted in
 * cycle t has its data in t + 5, and the two loads that hold the MSHRs at the beginning in cycles 5 and 6.
 *
 * Our L1D reserves a line when a miss is accepted, so that nothing is evicted by a return: the line of W1 is taken
 * away in cycle 5 instead. tests/timing/test_mascar_fig7.c has the example cycle by cycle. */
#include "sim/fig7_bench.h"

#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "sm/sm_priv.h"

enum { FILLER, P0, P1, W0, SLOTS = W0 + 4, NOBODY = 99, LATENCY = 5, LAST = 40, MOST = 10000 };

static struct {
    uint64_t accepted[SLOTS];
    bool hit[SLOTS];
    unsigned misses;
} heard;

void fig7_heard(unsigned slot, uint64_t cycle, bool hit)
{
    if (slot >= SLOTS) return;
    heard.accepted[slot] = cycle;
    heard.hit[slot] = hit;
    heard.misses += !hit;
}

static uint64_t line_of(unsigned slot) { return 0x1000000 + slot; }

/* ---- the program: one load per warp; the filler adds once, so that round robin begins behind it ---- */

struct fig7_program {
    struct stream_source source; /* first: the machine hands it back */
    struct launch_info info;
    struct code code;
    struct code_inst inst[2];
    struct code_block block[2];
    struct stream_writer warp[SLOTS];
    unsigned warps;
};

static int give_nothing(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    (void)s, (void)out, (void)e;
    return 0;
}

static void take_back(struct stream_source *s, struct cta_stream *cta) { (void)s, (void)cta; }

static void write_warp(struct stream_writer *w, unsigned slot)
{
    uint64_t addr[WARP_SIZE] = {line_of(slot) << LINE_SHIFT};
    stream_begin(w);
    stream_block(w, slot == FILLER, 1);
    if (slot != FILLER) stream_addrs(w, 1, addr);
}

/* `only`: a program of one warp, which loads that slot's line; SLOTS: the example. */
static int write_fig7(struct fig7_program *p, unsigned only, struct wl_err *e)
{
    memset(p, 0, sizeof *p);
    p->warps = only == SLOTS ? SLOTS : 1;
    p->inst[0] = (struct code_inst){
        .kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4, .ndst = 1, .reg = {1}, .loop = CODE_NO_LOOP};
    p->inst[1] = (struct code_inst){
        .pc = 8, .kind = INST_ALU, .lat = LAT_INT_ADD, .ndst = 1, .nsrc = 2, .reg = {2, 2, 2}, .loop = CODE_NO_LOOP};
    p->block[0] = (struct code_block){0, 1, CODE_NO_LOOP};
    p->block[1] = (struct code_block){1, 1, CODE_NO_LOOP};
    p->code = (struct code){.inst = p->inst, .block = p->block, .ninst = 2, .nblock = 2, .nregs = 3};
    snprintf(p->info.kernel, sizeof p->info.kernel, "fig7");
    for (unsigned i = 0; i < 3; i++) p->info.grid[i] = p->info.block[i] = 1;
    p->info.block[0] = p->warps * WARP_SIZE;
    p->info.code = &p->code;
    p->source = (struct stream_source){.info = &p->info, .next = give_nothing, .release = take_back};
    for (unsigned w = 0; w < p->warps; w++) {
        write_warp(&p->warp[w], only == SLOTS ? w : only);
        if (p->warp[w].failed) return wl_no_memory(e);
    }
    return launch_shape(&p->info, e);
}

static void end_fig7(struct fig7_program *p)
{
    for (unsigned w = 0; w < SLOTS; w++) free(p->warp[w].data);
}

/* ---- the SM and what answers it ---- */

struct fig7_bench {
    struct clock clock;
    struct breach breach;
    struct sm sm;
    struct part network, dispatcher;
    struct addrmap map;
    struct req_pool pool;
    struct memop_pool ops;
    struct sm_kernel kernels[SM_MAX_KERNELS];
    struct port request;
    uint64_t cycle, zero; /* zero: that of the example's cycle 0; 0: it has not begun */
};

static int add_part(struct fig7_bench *b, struct part *p, uint32_t id, struct wl_err *e)
{
    int domain = clock_domain(&b->clock, 1);
    if (domain < 0) return wl_fail(e, WL_ERUN, "out of memory");
    *p = part_of(&b->clock, id, (unsigned)domain);
    return 0;
}

static int begin(struct fig7_bench *b, const struct gpu_config *c, struct wl_err *e)
{
    const struct sm_common common = {&b->map, &b->pool, &b->ops, b->kernels, NULL};
    int rc = clock_init(&b->clock, 3, &b->breach) ? wl_no_memory(e) : 0;
    if (!rc) rc = add_part(b, &b->sm.part, 0, e);
    if (!rc) rc = add_part(b, &b->network, 1, e);
    if (!rc) rc = add_part(b, &b->dispatcher, 2, e);
    for (int i = 0; !rc && i < 16; i++)
        if (req_grow(&b->pool) || memop_grow(&b->ops)) rc = wl_no_memory(e);
    if (!rc)
        rc = addrmap_init(&b->map, c->dram_map, (uint32_t)c->v[P_MEM_CHANNELS], (uint32_t)c->v[P_L2_SLICES],
                          (uint32_t)c->v[P_DRAM_BANKS], e);
    b->map.l2_sets = (uint32_t)c->v[P_L2_SETS];
    b->sm.dispatcher = &b->dispatcher;
    if (!rc) rc = sm_init(&b->sm, c, 0, &common, e);
    if (rc) return rc;
    port_init(&b->request, 1, &b->sm.part, &b->network);
    port_init(&b->sm.reply, 256, &b->network, &b->sm.part);
    b->sm.request = &b->request;
    return 0;
}

static int launch(struct fig7_bench *b, struct fig7_program *p, struct wl_err *e)
{
    int rc = sm_kernel_begin(&b->sm, 0, &p->source, e);
    struct cta_stream cta = {.nwarps = (uint16_t)p->warps};
    for (unsigned w = 0; w < p->warps; w++) cta.warp[w] = (struct warp_stream){p->warp[w].data, p->warp[w].size};
    b->sm.offered = cta;
    b->sm.offered_at = b->cycle;
    b->sm.wants_at = NEVER;
    return rc;
}

/* What leaves in this cycle was accepted the cycle before. */
static void step(struct fig7_bench *b)
{
    sm_tick(&b->sm, ++b->cycle);
    if (port_empty(&b->request)) return;
    struct req *r = port_peek(&b->request, b->cycle + 1);
    uint64_t data = b->cycle - 1 + LATENCY;
    port_pop(&b->request, b->cycle);
    if (b->zero && r->line == line_of(P0)) data = b->zero + 5;
    if (b->zero && r->line == line_of(P1)) data = b->zero + 6;
    r->is_reply = true;
    port_push_after(&b->sm.reply, r, data); /* seen by the SM in the cycle after */
}

static int finish(struct fig7_bench *b, struct wl_err *e)
{
    for (unsigned i = 0; i < MOST; i++) {
        step(b);
        if (!sm_idle(&b->sm) || b->pool.alive) continue;
        sm_kernels_end(&b->sm);
        return 0;
    }
    return wl_fail(e, WL_ERUN, "the example of Mascar's figure 7 does not end");
}

/* ---- the example ---- */

static unsigned in_unit(const struct fig7_bench *b)
{
    const struct req *r = b->sm.lsu.pipe[L1_DATA].list.head;
    return r ? r->warp : NOBODY;
}

static unsigned in_queue(const struct fig7_bench *b)
{
    const struct lsu_ext *ext = b->sm.lsu.ext;
    return ext && ext->queue.used ? ext->queue.list.head->warp : NOBODY;
}

static void take_line_away(struct fig7_bench *b)
{
    struct tags *tags = &sm_l1d(&b->sm)->tags;
    uint32_t set = tags_set(tags, line_of(W0 + 1));
    int at = tags_find(tags, set, line_of(W0 + 1));
    if (at >= 0) tags_invalidate(tags, set, (uint32_t)at);
}

static int watch(struct fig7_bench *b, struct fig7 *out, struct wl_err *e)
{
    bool entered[4] = {false};
    for (unsigned i = 0; in_unit(b) != P0; i++) {
        if (i == MOST) return wl_fail(e, WL_ERUN, "the example of Mascar's figure 7 does not begin");
        step(b);
    }
    b->zero = b->cycle + 2;
    while (b->cycle < b->zero + LAST) {
        step(b);
        if (b->cycle == b->zero + 5) take_line_away(b);
        if (b->cycle < b->zero) continue;
        unsigned now = (unsigned)(b->cycle - b->zero), unit = in_unit(b) - W0, queue = in_queue(b) - W0;
        if (unit < 4 && !entered[unit]) entered[unit] = true, out->warp[unit].entered = now;
        if (queue < 4 && !out->warp[queue].queued) out->warp[queue].queued = now + 1; /* after the refusal's cycle */
    }
    return 0;
}

static int play_both(struct fig7_bench *b, const struct gpu_config *c, struct fig7_program *warm,
                     struct fig7_program *example, struct fig7 *out, struct wl_err *e)
{
    int rc = begin(b, c, e);
    if (!rc) rc = write_fig7(warm, W0 + 1, e); /* brings the line of W1 */
    if (!rc) rc = launch(b, warm, e);
    if (!rc) rc = finish(b, e);
    uint64_t stalls = b->sm.stats.lsu_stall_cycles;
    memset(&heard, 0, sizeof heard);
    if (!rc) rc = write_fig7(example, SLOTS, e);
    if (!rc) rc = launch(b, example, e);
    if (!rc) rc = watch(b, out, e);
    if (!rc) rc = finish(b, e);
    out->stalls = (unsigned)(b->sm.stats.lsu_stall_cycles - stalls);
    out->fetches = heard.misses - 2;
    for (unsigned w = 0; w < 4; w++) {
        out->warp[w].accepted = (unsigned)(heard.accepted[W0 + w] - b->zero);
        out->warp[w].hit = heard.hit[W0 + w];
    }
    return rc;
}

int fig7_play(const struct gpu_config *c, struct fig7 *out, struct wl_err *e)
{
    struct fig7_bench *b = aligned_alloc(_Alignof(struct fig7_bench), sizeof *b);
    struct fig7_program *p = calloc(2, sizeof *p);
    int rc = b && p ? 0 : wl_no_memory(e);
    *out = (struct fig7){0};
    if (b) memset(b, 0, sizeof *b);
    if (!rc) {
        rc = play_both(b, c, &p[0], &p[1], out, e);
        sm_destroy(&b->sm);
        req_pool_destroy(&b->pool);
        memop_pool_destroy(&b->ops);
        sm_kernels_destroy(b->kernels);
        clock_destroy(&b->clock);
        end_fig7(&p[0]);
        end_fig7(&p[1]);
    }
    free(p);
    free(b);
    return rc;
}
