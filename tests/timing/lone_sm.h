/* lone_sm.h - one SM whose memory is played by the test.
 *
 * The SM is ticked cycle by cycle. Whatever it sends is taken in the cycle in which it leaves, and
 * answered so that a load accepted by the L1D in cycle t has its data in t + latency and frees its
 * MSHR for the cycle after, or at the cycle the test names for its line. The SM's invariants are checked all the
 * time. */
#ifndef WL_TESTS_LONE_SM_H
#define WL_TESTS_LONE_SM_H

#include "timing/synth.h"

#include "engine/clock.h"
#include "sm/sm_priv.h"

enum { LONE_DUE = 16 };

struct lone {
    struct clock clock;
    struct breach breach;
    struct sm sm;
    struct part network, dispatcher;
    struct addrmap map;
    struct req_pool pool;
    struct memop_pool ops;
    struct sm_kernel kernels[SM_MAX_KERNELS];
    struct port request;
    uint64_t cycle, latency;
    struct {
        uint64_t line, at;
    } due[LONE_DUE]; /* data of this line at that cycle */
    unsigned dues;
    uint64_t sent;
    bool closed; /* takes nothing */
};

static inline void lone_part(struct lone *l, struct part *p, uint32_t id)
{
    int domain = clock_domain(&l->clock, 1);
    assert_true(domain >= 0);
    *p = part_of(&l->clock, id, (unsigned)domain);
}

static inline struct lone *lone_new(const struct gpu_config *c, uint64_t latency)
{
    struct wl_err e = {.code = WL_OK};
    struct lone *l = aligned_alloc(_Alignof(struct lone), sizeof *l);
    assert_non_null(l);
    memset(l, 0, sizeof *l);
    wl_set_paranoid(true);
    assert_int_equal(clock_init(&l->clock, 3, &l->breach), 0);
    lone_part(l, &l->sm.part, 0);
    lone_part(l, &l->network, 1);
    lone_part(l, &l->dispatcher, 2);
    for (int i = 0; i < 16; i++) assert_int_equal(req_grow(&l->pool), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(memop_grow(&l->ops), 0);
    if (addrmap_init(&l->map, c->dram_map, (uint32_t)c->v[P_MEM_CHANNELS], (uint32_t)c->v[P_L2_SLICES],
                     (uint32_t)c->v[P_DRAM_BANKS], &e))
        fail_msg("%s", e.text);
    l->map.l2_sets = (uint32_t)c->v[P_L2_SETS];
    l->sm.dispatcher = &l->dispatcher;
    if (sm_init(&l->sm, c, 0, &(struct sm_common){&l->map, &l->pool, &l->ops, l->kernels, NULL}, &e))
        fail_msg("%s", e.text);
    port_init(&l->request, 1, &l->sm.part, &l->network);
    port_init(&l->sm.reply, 256, &l->network, &l->sm.part);
    l->sm.request = &l->request;
    l->latency = latency;
    return l;
}

static inline void lone_free(struct lone *l)
{
    sm_destroy(&l->sm);
    req_pool_destroy(&l->pool);
    memop_pool_destroy(&l->ops);
    sm_kernels_destroy(l->kernels);
    clock_destroy(&l->clock);
    free(l);
}

/* Gives the SM the program's only CTA. */
static inline void lone_launch(struct lone *l, struct synth *p)
{
    struct wl_err e = {.code = WL_OK};
    struct stream_source *src = synth_source(p);
    struct cta_stream cta;
    assert_int_equal(p->ctas, 1);
    if (sm_kernel_begin(&l->sm, 0, src, &e)) fail_msg("%s", e.text);
    assert_int_equal(src->next(src, &cta, &e), 1);
    l->sm.offered = cta;
    l->sm.offered_at = l->cycle;
    l->sm.wants_at = NEVER;
}

/* What left in this cycle was accepted the cycle before. */
static inline void lone_answer(struct lone *l)
{
    if (port_empty(&l->request) || l->closed) return;
    struct req *r = port_peek(&l->request, l->cycle + 1);
    uint64_t data = l->cycle - 1 + l->latency;
    port_pop(&l->request, l->cycle);
    l->sent++;
    for (unsigned i = 0; i < l->dues; i++)
        if (l->due[i].line == r->line) data = l->due[i].at;
    r->is_reply = true;
    port_push_after(&l->sm.reply, r, data); /* seen by the SM in the cycle after */
}

static inline void lone_step(struct lone *l)
{
    l->cycle++;
    sm_tick(&l->sm, l->cycle);
    sm_walk(&l->sm);
    lone_answer(l);
}

static inline void lone_steps(struct lone *l, unsigned n)
{
    while (n--) lone_step(l);
}

static inline void lone_finish(struct lone *l)
{
    for (unsigned i = 0; i < 100000; i++) {
        lone_step(l);
        if (sm_idle(&l->sm) && !l->pool.alive) {
            sm_kernels_end(&l->sm);
            return;
        }
    }
    fail_msg("the SM did not finish");
}

#endif
