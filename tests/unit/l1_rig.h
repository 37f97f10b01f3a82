/* l1_rig.h - a small L1 under a policy that records what it is asked and told. */
#ifndef WL_TESTS_L1_RIG_H
#define WL_TESTS_L1_RIG_H

#include "unit/rig.h"

#include "mem/l1.h"
#include "warpline/chain.h"
#include "warpline/policy_notes.h"

enum { SETS = 4, WAYS = 2, MSHRS = 3, MERGE = 2, MISSQ = 4 };

/* ---- the recording policy ---- */

static struct {
    unsigned hits, merges, inserts, evicts, bypasses, kills, replies, stores, flushes, begins, ends;
    unsigned stores_without_copy; /* of stores, those that left none here */
    uint64_t evicted_line;
    enum wl_decision decide;
    int victim; /* 0: LRU's choice, else WL_NO_WAY_* */
    int last_way;
    struct wl_access last; /* as on_access told it last */
    uint32_t ways;         /* at the last WL_BEGIN */
    struct wl_chain chain;
    uint16_t order[SETS * WAYS];
} seen;

static inline bool rec_init(struct wl_cache *c, const char **why)
{
    (void)why;
    assert_int_equal(c->g.level, WL_L1);
    wl_chain_init(&seen.chain, seen.order, &c->g);
    return true;
}
static inline enum wl_decision rec_decide(const struct wl_cache *c, const struct wl_access *a)
{
    (void)c, (void)a;
    return seen.decide;
}
static inline int rec_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    (void)c;
    return seen.victim ? seen.victim : wl_chain_victim(&seen.chain, a->set, s, 0);
}
static inline void rec_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    assert_true(a->set < SETS && way < (int)c->g.ways);
    seen.hits += outcome == WL_HIT;
    seen.merges += outcome == WL_MERGED;
    seen.inserts += outcome == WL_MISSED;
    seen.bypasses += outcome == WL_BYPASSED;
    seen.stores += outcome == WL_STORED;
    seen.stores_without_copy += outcome == WL_STORED && way < 0;
    assert_int_equal(a->kind == WL_STORE, outcome == WL_STORED);
    assert_true(way >= 0 || outcome >= WL_BYPASSED);
    seen.last = *a;
    seen.last_way = way;
    if (outcome <= WL_MISSED) wl_chain_touch(&seen.chain, a->set, (uint32_t)way);
}
static inline void rec_leave(struct wl_cache *c, const struct wl_line *gone, enum wl_leave why,
                             const struct wl_access *by)
{
    assert_true(gone->set < SETS && gone->way < c->g.ways);
    assert_int_equal(WL_STATE(gone->state), WL_VALID);
    assert_int_equal(by == NULL, why == WL_FLUSHED);
    if (why == WL_EVICTED) {
        seen.evicts++;
        seen.evicted_line = gone->line;
    } else {
        seen.kills++;
    }
}
static inline void rec_kernel(struct wl_cache *c, enum wl_phase phase, const struct wl_kernel *k)
{
    (void)k;
    if (phase == WL_BEGIN) {
        seen.begins++;
        seen.ways = c->g.ways;
        wl_chain_resize(&seen.chain, &c->g);
    }
    seen.ends += phase == WL_END;
    seen.flushes += phase == WL_FLUSH;
}
static inline void rec_arrived(struct wl_cache *c, uint8_t note)
{
    (void)c, (void)note;
    seen.replies++;
}
static const struct wl_note_hooks rec_notes = {.arrived = rec_arrived};

static const struct wl_cache_policy recorder = {
    .abi = WL_ABI,
    .name = "recorder",
    .help = "LRU that notes all it is told",
    .levels = 1u << WL_L1,
    .init = rec_init,
    .decide = rec_decide,
    .victim = rec_victim,
    .on_access = rec_access,
    .on_leave = rec_leave,
    .on_kernel = rec_kernel,
    .notes = &rec_notes,
};

static inline unsigned hooks(void)
{
    return seen.hits + seen.merges + seen.inserts + seen.evicts + seen.bypasses + seen.kills + seen.stores;
}

/* ---- the cache under test ---- */

static struct l1 cache;
static struct req_pool pool;
static struct breach breach;
static void *shared_slot;
static const struct wl_kernel some_kernel = {"kernel", 1};

static inline struct l1_shape plain_shape(void)
{
    return (struct l1_shape){.sets = SETS,
                             .ways = WAYS,
                             .mshr = MSHRS,
                             .merge = MERGE,
                             .missq = MISSQ,
                             .index = INDEX_LINEAR,
                             .id = L1_DATA,
                             .prefetch_queue = 2};
}

static inline void begin_shape(struct l1_shape shape)
{
    struct wl_err e = {.code = WL_OK};
    struct cache_choice choice = {.policy = &recorder};
    breach = (struct breach){.broken = false};
    struct l1_site site = {.g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32},
                           .shared = &shared_slot,
                           .pool = &pool,
                           .breach = &breach};
    memset(&seen, 0, sizeof seen);
    req_pool_destroy(&pool); /* of a cache that this one replaces */
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &site, &e)) fail_msg("%s", e.text);
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
    struct l1d_stats counted = l1_stats(&cache);
    return hash_bytes(h, &counted, sizeof counted);
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
