/* l1_rig.h - a small L1 under a policy that records what it is asked and told. */
#ifndef WL_TESTS_L1_RIG_H
#define WL_TESTS_L1_RIG_H

#include "unit/rig.h"

#include "mem/l1.h"

enum { SETS = 4, WAYS = 2, MSHRS = 3, MERGE = 2, MISSQ = 4 };

/* ---- the recording policy ---- */

static struct {
    unsigned hits, merges, inserts, evicts, bypasses, fills, kills, replies, stores, flushes;
    uint64_t evicted_line;
    enum wl_decision decide;
    int victim; /* 0: LRU's choice, else WL_NO_WAY_* */
    struct wl_chain chain;
    uint16_t order[SETS * WAYS];
} seen;

static inline void *rec_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    (void)why;
    assert_int_equal(g->level, WL_L1);
    wl_chain_init(&seen.chain, seen.order, SETS, WAYS);
    return &seen;
}
static inline enum wl_decision rec_decide(void *self, const struct wl_access *a)
{
    (void)self;
    (void)a;
    return seen.decide;
}
static inline int rec_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    (void)self;
    return seen.victim ? seen.victim : wl_chain_victim(&seen.chain, a->set, s, 0);
}
static inline void use(uint32_t set, uint32_t way)
{
    wl_chain_move(&seen.chain, set, wl_chain_position(&seen.chain, set, way), 0);
}
static inline void rec_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)self;
    if (merged) seen.merges++;
    else seen.hits++;
    use(a->set, way);
}
static inline void rec_insert(void *self, const struct wl_access *a, uint32_t way)
{
    (void)self;
    seen.inserts++;
    use(a->set, way);
}
static inline void rec_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)self;
    (void)a;
    (void)way;
    assert_int_equal(WL_STATE(state), WL_VALID);
    seen.evicts++;
    seen.evicted_line = line;
}
static inline void rec_bypass(void *self, const struct wl_access *a)
{
    (void)self;
    (void)a;
    seen.bypasses++;
}
static inline void rec_fill(void *self, uint32_t set, uint32_t way)
{
    (void)self;
    assert_true(set < SETS && way < WAYS);
    seen.fills++;
}
static inline void rec_kill(void *self, uint32_t set, uint32_t way)
{
    (void)self;
    assert_true(set < SETS && way < WAYS);
    seen.kills++;
}
static inline void rec_store(void *self, const struct wl_access *a)
{
    (void)self;
    assert_int_equal(a->kind, WL_STORE);
    seen.stores++;
}
static inline void rec_flush(void *self)
{
    (void)self;
    seen.flushes++;
}
static inline void rec_reply(void *self, uint8_t note)
{
    (void)self;
    (void)note;
    seen.replies++;
}

/* clang-format off */
static const struct wl_cache_policy recorder = {
    .abi = WL_ABI, .name = "recorder", .help = "LRU that notes every hook", .levels = 1u << WL_L1,
    .create = rec_create, .decide = rec_decide, .victim = rec_victim, .on_hit = rec_hit, .on_insert = rec_insert,
    .on_evict = rec_evict, .on_bypass = rec_bypass, .on_fill = rec_fill, .on_kill = rec_kill,
    .on_store = rec_store, .on_flush = rec_flush, .on_reply = rec_reply};

static inline unsigned hooks(void)
{
    return seen.hits + seen.merges + seen.inserts + seen.evicts + seen.bypasses + seen.fills + seen.kills;
}
/* clang-format on */

/* ---- the cache under test ---- */

static struct l1 cache;
static struct req_pool pool;

static inline struct l1_shape plain_shape(void)
{
    return (struct l1_shape){.sets = SETS,
                             .ways = WAYS,
                             .mshr = MSHRS,
                             .merge = MERGE,
                             .missq = MISSQ,
                             .index = INDEX_LINEAR,
                             .origin = FROM_L1D};
}

static inline void begin_shape(struct l1_shape shape)
{
    struct wl_err e = {.code = WL_OK};
    struct wl_geometry g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32};
    struct cache_choice choice = {.policy = &recorder};
    memset(&seen, 0, sizeof seen);
    req_pool_destroy(&pool); /* of a cache that this one replaces */
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &g, &pool, &e)) fail_msg("%s", e.text);
}

static inline int begin(void **state)
{
    (void)state;
    begin_shape(plain_shape());
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    l1_destroy(&cache);
    req_pool_destroy(&pool);
    return 0;
}

static inline struct req *request(enum wl_kind kind, enum wl_space space, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&pool);
    *r = rig_req(kind, line, sectors);
    r->space = (uint8_t)space;
    return r;
}

static inline enum l1_outcome access(struct req *r) { return l1_access(&cache, r, 1, true); }
static inline enum l1_outcome load(uint64_t line) { return access(request(WL_LOAD, WL_GLOBAL, line, 1)); }
static inline enum l1_outcome store(enum wl_space space, uint64_t line, uint8_t sectors)
{
    return access(request(WL_STORE, space, line, sectors));
}

/* Takes the oldest entry of the miss queue. */
static inline struct req *sent(void)
{
    assert_non_null(l1_missq_head(&cache));
    return l1_missq_pop(&cache);
}

/* The memory answers the fetch `f`; returns how many requests that completes. */
static inline unsigned answer(struct req *f)
{
    struct req_list done;
    unsigned n = 0;
    list_init(&done);
    f->is_reply = true;
    l1_fill(&cache, f, &done);
    for (; done.head; n++) req_free(&pool, list_pop(&done));
    return n;
}

/* The line is valid afterwards. */
static inline void make_valid(uint64_t line)
{
    assert_int_equal(load(line), L1_MISSED);
    assert_int_equal(answer(sent()), 1);
}

static inline unsigned state_of(uint64_t line)
{
    int at = tags_find(&cache.tags, tags_set(&cache.tags, line), line);
    return at < 0 ? WL_INVALID : WL_STATE(cache.tags.state[at]);
}

/* Everything a refused access must leave alone. */
static inline uint64_t fingerprint(void)
{
    const struct tags *t = &cache.tags;
    size_t n = (size_t)t->sets * t->ways;
    uint64_t h = hash_bytes(WL_HASH_INIT, t->line, n * sizeof *t->line);
    h = hash_bytes(h, t->state, n);
    h = hash_bytes(h, t->sectors, n * sizeof *t->sectors);
    h = hash_bytes(h, &cache.mshr.used, sizeof cache.mshr.used);
    h = hash_bytes(h, &cache.missq_used, sizeof cache.missq_used);
    for (uint32_t i = 0; i < cache.mshr.entries; i++) h = hash_bytes(h, &cache.mshr.entry[i].count, 4);
    h = hash_bytes(h, &pool.alive, sizeof pool.alive);
    return hash_bytes(h, &cache.stats, sizeof cache.stats);
}

/* The access is refused for this reason; it changes nothing and no hook hears of it. */
static inline void refuses(struct req *r, enum l1_outcome why)
{
    struct req before = *r;
    uint64_t print = fingerprint();
    unsigned calls = hooks();
    for (int again = 0; again < 3; again++) {
        assert_int_equal(access(r), why);
        assert_true(l1_refused(why));
        assert_int_equal(fingerprint(), print);
        assert_int_equal(hooks(), calls);
        assert_memory_equal(r, &before, sizeof before);
    }
}

static inline void refuses_load(uint64_t line, enum l1_outcome why)
{
    refuses(request(WL_LOAD, WL_GLOBAL, line, 1), why);
}

#endif
