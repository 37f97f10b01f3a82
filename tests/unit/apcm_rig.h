/* apcm_rig.h - a real L1D with APCM, driven load by load, with the scheme's tables in view.
 *
 * The policy's file is included whole: its worked examples are about what stands in its tables. */
#ifndef WL_TESTS_APCM_RIG_H
#define WL_TESTS_APCM_RIG_H

#include "unit/rig.h"

#include "mem/l1.h"
#include "policy/apcm.c"

enum { MON = 0, OTH = 5, LOOP_Q = 3 };

struct rig {
    struct l1 cache;
    struct req_pool pool;
    struct breach breach;
    void *shared;
    struct apcm *s;
    struct wl_cache *c; /* what the scheme is given */
    uint32_t seq;
    bool hold; /* misses are not answered */
};

static inline uint32_t pc_of(uint32_t id) { return 8 * (id + 1); }

/* Loads 0..3 have their IDs from the start; warp MON is watched. */
static inline void rig_begin(struct rig *r, const char *spec, uint32_t sets, uint32_t ways)
{
    struct wl_err e = {.code = WL_OK};
    struct gpu_config c;
    config_defaults(&c);
    if (config_set_l1(&c, spec, &e)) fail_msg("%s", e.text);
    c.l1.policy = &apcm_policy;
    const struct l1_shape shape = {
        .sets = sets, .ways = ways, .mshr = 64, .merge = 8, .missq = 64, .index = INDEX_LINEAR, .id = L1_DATA};
    *r = (struct rig){.seq = 1};
    rig_pool(&r->pool);
    const struct l1_site site = {.g = {.sms = 1, .schedulers = 2, .warps = 48, .warp_size = 32},
                                 .shared = &r->shared,
                                 .pool = &r->pool,
                                 .breach = &r->breach};
    if (l1_init(&r->cache, &shape, &c.l1, &site, &e)) fail_msg("%s", e.text);
    r->c = &r->cache.pol.cache;
    r->s = r->c->self;
    kernel_begin(r->c, 1);
    apcm_warp_launch(r->c, MON);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(load_id(r->c, pc_of(i)), i);
}

static inline void rig_end(struct rig *r)
{
    l1_destroy(&r->cache);
    req_pool_destroy(&r->pool);
}

/* Everything that left comes back. */
static inline void rig_answer(struct rig *r)
{
    while (l1_missq_head(&r->cache)) {
        struct req *q = l1_missq_pop(&r->cache);
        struct req_list done;
        list_init(&done);
        if (!q->bypass) l1_fill(&r->cache, q, &done);
        else req_free(&r->pool, q);
        while (done.head) req_free(&r->pool, list_pop(&done));
    }
}

static inline enum l1_outcome rig_request(struct rig *r, struct wl_load *l, uint8_t number, uint64_t line)
{
    struct req *q = req_alloc(&r->pool);
    *q = rig_req(WL_LOAD, line, 1);
    q->load = l;
    q->pc = l->pc;
    q->warp = (uint8_t)l->warp;
    q->number = number;
    enum l1_outcome o = l1_access(&r->cache, q, 1, true);
    if (o == L1_HIT || l1_refused(o)) req_free(&r->pool, q);
    return o;
}

/* One execution of load `id` by a warp; returns what became of its last request. */
static inline enum l1_outcome rig_load_lines(struct rig *r, unsigned warp, uint32_t id, unsigned n,
                                             const uint64_t *line)
{
    struct wl_load l = {.seq = r->seq++,
                        .pc = pc_of(id),
                        .warp = (uint16_t)warp,
                        .loop = LOOP_Q,
                        .outer_loop = LOOP_Q,
                        .requests = (uint16_t)n,
                        .space = WL_GLOBAL,
                        .lanes = 32};
    enum l1_outcome o = L1_HIT;
    apcm_load_begin(r->c, &l);
    for (unsigned i = 0; i < n; i++) o = rig_request(r, &l, (uint8_t)i, line[i]);
    if (!r->hold) rig_answer(r);
    apcm_load_done(r->c, &l);
    return o;
}

static inline enum l1_outcome rig_load(struct rig *r, unsigned warp, uint32_t id, uint64_t address)
{
    const uint64_t line = address >> LINE_SHIFT;
    return rig_load_lines(r, warp, id, 1, &line);
}

static inline void check_cait(const struct rig *r, uint32_t id, enum method m, unsigned acc, unsigned last)
{
    const struct cait_entry *c = &r->s->cait[id];
    assert_true(c->valid);
    assert_int_equal(c->method, m);
    assert_int_equal(c->acc, acc);
    assert_int_equal(c->last, last);
}

static inline void check_mta(const struct rig *r, uint32_t at, unsigned first, unsigned last, unsigned acc,
                             unsigned intra)
{
    const struct mta_entry *e = &r->s->mta[at];
    assert_int_equal(e->acc, acc);
    assert_int_equal(e->intra, intra);
    if (!acc) return;
    assert_int_equal(e->first, first);
    assert_int_equal(e->last, last);
}

#endif
