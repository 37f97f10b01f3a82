/* test_l1.c - the behaviours of a first-level cache, one function each.
 *
 * The cache has 4 sets of 2 ways, 3 MSHRs of 2 requests and a miss queue of 4, so that every
 * resource can run out in a few lines. Its policy is LRU that notes every hook. */
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

static void *rec_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    (void)values;
    (void)why;
    assert_int_equal(g->level, WL_L1);
    wl_chain_init(&seen.chain, seen.order, SETS, WAYS);
    return &seen;
}
static enum wl_decision rec_decide(void *self, const struct wl_access *a)
{
    (void)self;
    (void)a;
    return seen.decide;
}
static int rec_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    (void)self;
    return seen.victim ? seen.victim : wl_chain_victim(&seen.chain, a->set, s, 0);
}
static void use(uint32_t set, uint32_t way) { wl_chain_move(&seen.chain, set, wl_chain_position(&seen.chain, set, way), 0); }
static void rec_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    (void)self;
    if (merged) seen.merges++;
    else seen.hits++;
    use(a->set, way);
}
static void rec_insert(void *self, const struct wl_access *a, uint32_t way)
{
    (void)self;
    seen.inserts++;
    use(a->set, way);
}
static void rec_evict(void *self, const struct wl_access *a, uint32_t way, uint64_t line, uint8_t state)
{
    (void)self;
    (void)a;
    (void)way;
    assert_int_equal(WL_STATE(state), WL_VALID);
    seen.evicts++;
    seen.evicted_line = line;
}
static void rec_bypass(void *self, const struct wl_access *a)
{
    (void)self;
    (void)a;
    seen.bypasses++;
}
static void rec_fill(void *self, uint32_t set, uint32_t way)
{
    (void)self;
    assert_true(set < SETS && way < WAYS);
    seen.fills++;
}
static void rec_kill(void *self, uint32_t set, uint32_t way)
{
    (void)self;
    assert_true(set < SETS && way < WAYS);
    seen.kills++;
}
static void rec_store(void *self, const struct wl_access *a)
{
    (void)self;
    assert_int_equal(a->kind, WL_STORE);
    seen.stores++;
}
static void rec_flush(void *self)
{
    (void)self;
    seen.flushes++;
}
static void rec_reply(void *self, uint8_t note)
{
    (void)self;
    (void)note;
    seen.replies++;
}

static const struct wl_cache_policy recorder = {
    .abi = WL_ABI, .name = "recorder", .help = "LRU that notes every hook", .levels = 1u << WL_L1,
    .create = rec_create, .decide = rec_decide, .victim = rec_victim, .on_hit = rec_hit, .on_insert = rec_insert,
    .on_evict = rec_evict, .on_bypass = rec_bypass, .on_fill = rec_fill, .on_kill = rec_kill,
    .on_store = rec_store, .on_flush = rec_flush, .on_reply = rec_reply};

static unsigned hooks(void)
{
    return seen.hits + seen.merges + seen.inserts + seen.evicts + seen.bypasses + seen.fills + seen.kills;
}

/* ---- the cache under test ---- */

static struct l1 cache;
static struct req_pool pool;

static struct l1_shape plain_shape(void)
{
    return (struct l1_shape){.sets = SETS, .ways = WAYS, .mshr = MSHRS, .merge = MERGE, .missq = MISSQ,
                             .index = INDEX_LINEAR, .origin = FROM_L1D};
}

static void begin_shape(struct l1_shape shape)
{
    struct wl_err e = {.code = WL_OK};
    struct wl_geometry g = {.sms = 1, .schedulers = 1, .warps = 48, .warp_size = 32};
    struct cache_choice choice = {.policy = &recorder};
    memset(&seen, 0, sizeof seen);
    req_pool_destroy(&pool); /* of a cache that this one replaces */
    rig_pool(&pool);
    if (l1_init(&cache, &shape, &choice, &g, &pool, &e)) fail_msg("%s", e.text);
}

static int begin(void **state)
{
    (void)state;
    begin_shape(plain_shape());
    return 0;
}

static int end(void **state)
{
    (void)state;
    l1_destroy(&cache);
    req_pool_destroy(&pool);
    return 0;
}

static struct req *request(enum wl_kind kind, enum wl_space space, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&pool);
    *r = rig_req(kind, line, sectors);
    r->space = (uint8_t)space;
    return r;
}

static enum l1_outcome access(struct req *r) { return l1_access(&cache, r, 1, true); }
static enum l1_outcome load(uint64_t line) { return access(request(WL_LOAD, WL_GLOBAL, line, 1)); }
static enum l1_outcome store(enum wl_space space, uint64_t line, uint8_t sectors)
{
    return access(request(WL_STORE, space, line, sectors));
}

/* Takes the oldest entry of the miss queue. */
static struct req *sent(void)
{
    assert_non_null(l1_missq_head(&cache));
    return l1_missq_pop(&cache);
}

/* The memory answers the fetch `f`; returns how many requests that completes. */
static unsigned answer(struct req *f)
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
static void make_valid(uint64_t line)
{
    assert_int_equal(load(line), L1_MISSED);
    assert_int_equal(answer(sent()), 1);
}

static unsigned state_of(uint64_t line)
{
    int at = tags_find(&cache.tags, tags_set(&cache.tags, line), line);
    return at < 0 ? WL_INVALID : WL_STATE(cache.tags.state[at]);
}

/* Everything a refused access must leave alone. */
static uint64_t fingerprint(void)
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
static void refuses(struct req *r, enum l1_outcome why)
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

static void refuses_load(uint64_t line, enum l1_outcome why) { refuses(request(WL_LOAD, WL_GLOBAL, line, 1), why); }

/* ---- 1: hits and misses ---- */

TEST(l01_miss_reserves_a_line_and_sends_a_fetch)
{
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 4);
    assert_int_equal(access(r), L1_MISSED);
    assert_int_equal(state_of(5), WL_RESERVED);
    assert_int_equal(cache.mshr.used, 1);
    assert_ptr_equal(sent(), r);              /* the request itself travels */
    assert_int_equal(r->sectors, ALL_SECTORS); /* for the whole line, whatever was touched */
    assert_int_equal(cache.stats.misses, 1);
    assert_int_equal(cache.stats.load_misses, 1);
}

TEST(l02_fill_makes_the_line_valid_and_frees_the_entry)
{
    make_valid(5);
    assert_int_equal(state_of(5), WL_VALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(cache.stats.fills, 1);
}

TEST(l03_hit)
{
    make_valid(5);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 2);
    assert_int_equal(access(r), L1_HIT);
    assert_null(l1_missq_head(&cache));
    assert_int_equal(cache.stats.hits, 1);
    assert_int_equal(cache.stats.load_hits, 1);
}

TEST(l04_load_to_a_reserved_line_merges)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    assert_int_equal(cache.missq_used, 1); /* no second fetch */
    assert_int_equal(cache.mshr.used, 1);
    assert_int_equal(cache.stats.hits_reserved, 1);
    assert_int_equal(cache.stats.hits, 0);
    assert_int_equal(cache.stats.misses, 1);
}

TEST(l05_hit_under_miss)
{
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(load(1), L1_HIT);
}

TEST(l06_fill_wakes_all_waiters_in_order)
{
    struct req *a = request(WL_LOAD, WL_GLOBAL, 5, 1), *b = request(WL_LOAD, WL_GLOBAL, 5, 8);
    assert_int_equal(access(a), L1_MISSED);
    assert_int_equal(access(b), L1_MERGED);
    struct req_list done;
    list_init(&done);
    l1_fill(&cache, sent(), &done);
    assert_ptr_equal(list_pop(&done), a);
    assert_ptr_equal(list_pop(&done), b);
    assert_null(done.head);
    assert_int_equal(pool.alive, 2);
}

/* ---- 2: refusals ---- */

TEST(l07_merge_limit_refuses)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(load(5), L1_MERGED);
    refuses_load(5, L1_NO_MERGE);
}

TEST(l08_mshr_full_refuses_and_changes_nothing)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    refuses_load(3, L1_NO_MSHR);
    answer(sent());
    assert_int_equal(load(3), L1_MISSED);
}

TEST(l09_reserved_lines_are_never_evicted)
{
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(4), L1_MISSED); /* both ways of set 0 are in flight */
    refuses_load(8, L1_NO_LINE);
    answer(sent()); /* line 0 */
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 0);
    assert_int_equal(state_of(4), WL_RESERVED);
}

TEST(l10_miss_queue_full_refuses)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.missq = 2;
    begin_shape(shape);
    make_valid(7);
    assert_int_equal(load(0), L1_MISSED);
    assert_int_equal(load(1), L1_MISSED);
    refuses_load(2, L1_NO_QUEUE);
    refuses(request(WL_STORE, WL_GLOBAL, 2, 1), L1_NO_QUEUE);
    refuses(request(WL_ATOMIC, WL_GLOBAL, 2, 1), L1_NO_QUEUE);
    struct req *past = request(WL_LOAD, WL_GLOBAL, 9, 1);
    past->bypass = true;
    refuses(past, L1_NO_QUEUE);
    assert_int_equal(load(7), L1_HIT); /* what needs no queue goes on */
    assert_int_equal(load(0), L1_MERGED);
}

TEST(l11_a_store_that_would_evict_waits_whole)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.missq = 1;
    begin_shape(shape);
    make_valid(7);
    assert_int_equal(load(0), L1_MISSED);
    refuses(request(WL_STORE, WL_GLOBAL, 7, 1), L1_NO_QUEUE);
    assert_int_equal(state_of(7), WL_VALID);
}

TEST(l12_a_gated_warp_may_hit_and_merge_but_not_miss)
{
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 1, 1), 1, false), L1_HIT);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 2, 1), 1, false), L1_MERGED);
    uint64_t alive = pool.alive;
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(l1_access(&cache, request(WL_STORE, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(l1_access(&cache, request(WL_ATOMIC, WL_GLOBAL, 3, 1), 1, false), L1_GATED);
    assert_int_equal(pool.alive, alive + 3); /* ours, still */
    assert_int_equal(cache.missq_used, 1);
}

TEST(l12b_where_merges_are_gated_too_it_may_only_hit)
{
    cache.gate_merges = true;
    make_valid(1);
    assert_int_equal(load(2), L1_MISSED);
    assert_int_equal(l1_access(&cache, request(WL_LOAD, WL_GLOBAL, 1, 1), 1, false), L1_HIT);
    uint64_t print = fingerprint();
    struct req *r = request(WL_LOAD, WL_GLOBAL, 2, 1);
    assert_int_equal(l1_access(&cache, r, 1, false), L1_GATED);
    pool.alive--; /* the request itself */
    assert_int_equal(fingerprint(), print);
    pool.alive++;
    assert_int_equal(l1_access(&cache, r, 1, true), L1_MERGED); /* others merge as ever */
}

/* ---- 3: bypass ---- */

TEST(l13_bypass_needs_no_line_and_no_mshr)
{
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(load(line), L1_MISSED);
    struct req *r = request(WL_LOAD, WL_GLOBAL, 100, 6);
    r->bypass = true;
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(cache.mshr.used, MSHRS);
    assert_int_equal(state_of(100), WL_INVALID);
    for (uint64_t line = 0; line < MSHRS; line++) assert_int_equal(sent()->line, line);
    const struct req *down = sent();
    assert_ptr_equal(down, r);            /* it goes itself, */
    assert_int_equal(down->sectors, 6);   /* with the sectors its lanes touch */
    assert_int_equal(cache.stats.bypasses, 1);
}

TEST(l14_policy_decides_to_bypass)
{
    make_valid(5);
    seen.decide = WL_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_BYPASSED); /* before the tags: even a line that is there */
    assert_true(r->bypass);
    assert_int_equal(sent()->sectors, 1);
}

TEST(l15_policy_finds_no_way_and_bypasses)
{
    seen.victim = WL_NO_WAY_BYPASS;
    struct req *r = request(WL_LOAD, WL_GLOBAL, 5, 3);
    assert_int_equal(access(r), L1_BYPASSED);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(sent()->sectors, 3);
}

TEST(l16_policy_finds_no_way_and_waits)
{
    seen.victim = WL_NO_WAY_STALL;
    refuses_load(5, L1_NO_LINE);
}

/* ---- 4: stores and atomics ---- */

TEST(l17_global_store_hit_evicts)
{
    make_valid(5);
    struct req *r = request(WL_STORE, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_ptr_equal(sent(), r); /* written through */
    assert_int_equal(cache.stats.store_hits, 1);
    assert_int_equal(cache.stats.hits, 1);
    assert_int_equal(seen.kills, 1);
    assert_int_equal(cache.stats.evictions, 0); /* that counter is for replacement */
}

TEST(l18_global_store_miss_allocates_nothing)
{
    assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
    assert_int_equal(state_of(5), WL_INVALID);
    assert_int_equal(cache.mshr.used, 0);
    assert_int_equal(cache.stats.misses, 1);
    assert_int_equal(cache.stats.load_misses, 0);
    assert_int_equal(sent()->kind, WL_STORE);
}

TEST(l19_store_to_a_reserved_line_leaves_it)
{
    assert_int_equal(load(5), L1_MISSED);
    assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
    assert_int_equal(state_of(5), WL_RESERVED);
    assert_int_equal(seen.kills, 0);
    assert_int_equal(answer(sent()), 1);
    assert_int_equal(state_of(5), WL_VALID);
}

TEST(l20_local_store_hit_marks_dirty)
{
    make_valid(5);
    struct req *r = request(WL_STORE, WL_LOCAL, 5, 2);
    assert_int_equal(access(r), L1_STORED);
    assert_true(r->is_reply); /* finished here */
    assert_null(l1_missq_head(&cache));
    assert_int_equal(state_of(5), WL_VALID);
    int at = tags_find(&cache.tags, 1, 5);
    assert_true(cache.tags.state[at] & WL_DIRTY);
    assert_int_equal(cache.tags.sectors[at].dirty, 2);
}

TEST(l21_local_store_miss_goes_down)
{
    struct req *r = request(WL_STORE, WL_LOCAL, 5, 2);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_ptr_equal(sent(), r);
    assert_int_equal(state_of(5), WL_INVALID);
}

TEST(l22_evicting_a_dirty_line_writes_its_dirty_sectors_back)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(store(WL_LOCAL, 0, 1), L1_STORED);
    assert_int_equal(store(WL_LOCAL, 0, 8), L1_STORED);
    assert_int_equal(load(8), L1_MISSED); /* line 0 is the oldest: stores are no uses */
    assert_int_equal(seen.evicted_line, 0);
    const struct req *w = sent();
    assert_int_equal(w->kind, WL_WRITEBACK);
    assert_int_equal(w->line, 0);
    assert_int_equal(w->sectors, 9);
    assert_int_equal(w->bytes[0], UINT64_C(0xffffffff));
    assert_int_equal(w->bytes[1], UINT64_C(0xffffffff00000000));
    assert_int_equal(sent()->line, 8);
    assert_int_equal(cache.stats.writebacks, 1);
    assert_int_equal(cache.stats.evictions, 1);
}

TEST(l23_evicting_a_dirty_line_needs_two_queue_entries)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(store(WL_LOCAL, 0, 1), L1_STORED);
    for (uint64_t i = 1; i < MISSQ; i++) assert_int_equal(store(WL_GLOBAL, 100 + i, 1), L1_STORED);
    refuses_load(8, L1_NO_QUEUE); /* one entry is left */
    (void)sent();
    assert_int_equal(load(8), L1_MISSED);
}

TEST(l24_atomics_pass_and_leave_no_trace)
{
    make_valid(5);
    struct l1d_stats before = cache.stats;
    unsigned calls = hooks();
    struct req *r = request(WL_ATOMIC, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_false(r->is_reply);
    assert_ptr_equal(sent(), r);
    assert_int_equal(state_of(5), WL_VALID);
    assert_memory_equal(&cache.stats, &before, sizeof before);
    assert_int_equal(hooks(), calls);
}

/* ---- 5: sectors ---- */

static void begin_sectored(void)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.sectored = true;
    begin_shape(shape);
}

TEST(l25_sectored_cache_fetches_missing_sectors_only)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_MISSED);
    struct req *f = sent();
    assert_int_equal(f->sectors, 1);
    assert_int_equal(answer(f), 1);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_HIT);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 7)), L1_MISSED);
    f = sent();
    assert_int_equal(f->sectors, 6); /* sector 0 is there */
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_HIT); /* the line waits, its sector does not */
    assert_int_equal(answer(f), 1);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 7)), L1_HIT);
    assert_int_equal(cache.stats.evictions, 0);
}

TEST(l26_sectored_loads_of_one_line_in_flight)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 1)), L1_MISSED);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 2)), L1_MISSED); /* another sector: its own fetch */
    assert_int_equal(cache.mshr.used, 1);                                   /* in the same entry */
    struct req *a = sent(), *b = sent();
    assert_int_equal(a->sectors, 1);
    assert_int_equal(b->sectors, 2);
    assert_int_equal(answer(a), 0); /* the entry answers when all its sectors are there */
    assert_int_equal(answer(b), 2);
    assert_int_equal(cache.mshr.used, 0);
}

TEST(l27_sector_in_flight_merges)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 3)), L1_MISSED);
    assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, 5, 2)), L1_MERGED);
    refuses(request(WL_LOAD, WL_GLOBAL, 5, 1), L1_NO_MERGE);
    refuses(request(WL_LOAD, WL_GLOBAL, 5, 8), L1_NO_MERGE); /* another sector, the same full entry */
    assert_int_equal(answer(sent()), 2);
}

TEST(l28_sector_miss_keeps_dirty_sectors)
{
    begin_sectored();
    assert_int_equal(access(request(WL_LOAD, WL_LOCAL, 5, 1)), L1_MISSED);
    answer(sent());
    assert_int_equal(store(WL_LOCAL, 5, 1), L1_STORED);
    assert_int_equal(access(request(WL_LOAD, WL_LOCAL, 5, 2)), L1_MISSED);
    answer(sent());
    int at = tags_find(&cache.tags, 1, 5);
    assert_int_equal(cache.tags.sectors[at].dirty, 1);
    assert_int_equal(cache.tags.sectors[at].valid, 3);
}

/* ---- 6: other shapes ---- */

TEST(l29_constant_cache_keeps_half_lines)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.half_lines = true;
    begin_shape(shape);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 1)), L1_MISSED);
    struct req *f = sent();
    assert_int_equal(f->sectors, 3); /* 64 bytes */
    answer(f);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 2)), L1_HIT);
    assert_int_equal(access(request(WL_LOAD, WL_CONST, 5, 4)), L1_MISSED); /* the other half */
    assert_int_equal(sent()->sectors, 12);
}

TEST(l30_infinite_cache_never_evicts)
{
    struct l1_shape shape = plain_shape();
    l1_destroy(&cache);
    shape.infinite = true;
    begin_shape(shape);
    for (uint64_t line = 0; line < 10000; line++) make_valid(line);
    for (uint64_t line = 0; line < 10000; line += 97) assert_int_equal(load(line), L1_HIT);
    for (int i = 0; i < 3; i++) { /* what a store invalidates comes back to its old place */
        assert_int_equal(store(WL_GLOBAL, 5, 1), L1_STORED);
        sent();
        assert_int_equal(load(5), L1_MISSED);
        assert_int_equal(load(5), L1_MERGED);
        answer(sent());
        assert_int_equal(load(5), L1_HIT);
    }
    assert_int_equal(cache.tags.used, 10000);
    assert_int_equal(cache.stats.evictions, 0);
    assert_int_equal(hooks(), 0); /* there is nothing to manage */
}

/* ---- 7: flush and hooks ---- */

TEST(l31_flush_empties_the_cache)
{
    make_valid(1);
    make_valid(2);
    assert_int_equal(store(WL_LOCAL, 2, 1), L1_STORED);
    l1_flush(&cache);
    assert_int_equal(state_of(1), WL_INVALID);
    assert_int_equal(state_of(2), WL_INVALID);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(load(1), L1_MISSED);
    answer(sent());
    assert_int_equal(load(2), L1_MISSED); /* nothing dirty is left to write back */
    assert_int_equal(cache.stats.writebacks, 0);
}

TEST(l32_lru_evicts_the_oldest)
{
    make_valid(0);
    make_valid(4);
    assert_int_equal(load(0), L1_HIT);
    assert_int_equal(load(8), L1_MISSED);
    assert_int_equal(seen.evicted_line, 4);
}

TEST(l33_one_hook_per_accepted_load)
{
    uint64_t seed = 9, accepted = 0, own_wish = 0; /* ld.cg: nothing the policy hears of */
    for (int i = 0; i < 5000; i++) {
        uint64_t line = draw(&seed, 16);
        struct req *r = request(WL_LOAD, WL_GLOBAL, line, (uint8_t)(1 + draw(&seed, 15)));
        unsigned before = seen.hits + seen.merges + seen.inserts + seen.bypasses;
        bool past = r->bypass = draw(&seed, 8) == 0;
        enum l1_outcome o = access(r);
        unsigned heard = seen.hits + seen.merges + seen.inserts + seen.bypasses - before;
        assert_int_equal(heard, !past && !l1_refused(o));
        accepted += !l1_refused(o);
        own_wish += past && !l1_refused(o);
        if (l1_refused(o) || o == L1_HIT) req_free(&pool, r);
        if (l1_missq_head(&cache) && draw(&seed, 2)) {
            struct req *f = sent();
            if (f->bypass) req_free(&pool, f);
            else answer(f);
        }
    }
    assert_int_equal(cache.stats.accesses, accepted);
    assert_int_equal(cache.stats.accesses,
                     cache.stats.hits + cache.stats.hits_reserved + cache.stats.misses + cache.stats.bypasses);
    assert_int_equal(seen.hits, cache.stats.hits);
    assert_int_equal(seen.merges, cache.stats.hits_reserved);
    assert_int_equal(seen.inserts, cache.stats.misses);
    assert_int_equal(seen.bypasses + own_wish, cache.stats.bypasses);
    assert_true(own_wish > 100);
    assert_int_equal(seen.evicts, cache.stats.evictions);
    assert_int_equal(seen.fills, cache.stats.fills);
    assert_true(seen.evicts > 100 && seen.merges > 100);
}

TEST(l34_notes_of_the_l2_reach_the_policy)
{
    assert_int_equal(load(5), L1_MISSED);
    struct req *f = sent();
    f->note = 3;
    answer(f);
    assert_int_equal(seen.replies, 1);
}

TEST(l35_a_store_is_told_of_when_no_copy_stays)
{
    make_valid(1);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 1, 1)), L1_STORED); /* kills it */
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 2, 1)), L1_STORED); /* was never here */
    assert_int_equal(seen.stores, 2);
    while (l1_missq_head(&cache)) req_free(&pool, sent());
    make_valid(4);
    assert_int_equal(load(3), L1_MISSED);
    assert_int_equal(access(request(WL_STORE, WL_GLOBAL, 3, 1)), L1_STORED); /* its line still comes */
    assert_int_equal(access(request(WL_STORE, WL_LOCAL, 4, 1)), L1_STORED); /* written into the line */
    assert_int_equal(seen.stores, 2);
}

TEST(l36_a_flush_is_told_of_once)
{
    make_valid(1);
    make_valid(2);
    l1_flush(&cache);
    assert_int_equal(seen.kills, 2);
    assert_int_equal(seen.flushes, 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* ---- later machines ---- */

TEST(l37_a_store_may_leave_its_line)
{
    struct l1_shape shape = plain_shape();
    shape.update = true;
    end(NULL);
    begin_shape(shape);
    make_valid(5);
    struct req *r = request(WL_STORE, WL_GLOBAL, 5, 1);
    assert_int_equal(access(r), L1_STORED);
    assert_int_equal(state_of(5), WL_VALID);
    assert_ptr_equal(sent(), r); /* written through all the same */
    assert_int_equal(seen.kills, 0);
    assert_int_equal(cache.stats.store_hits, 1);
}

TEST(l38_a_perfect_cache_always_hits)
{
    struct l1_shape shape = plain_shape();
    shape.perfect = true;
    end(NULL);
    begin_shape(shape);
    for (uint64_t line = 0; line < 100; line++) assert_int_equal(access(request(WL_LOAD, WL_GLOBAL, line, 15)), L1_HIT);
    assert_int_equal(cache.stats.load_hits, 100);
    assert_int_equal(cache.mshr.used, 0);
}

/* Ways that are switched off hold nothing and are nobody's victim; switched on again they are empty. */
TEST(l39_ways_can_be_switched_off)
{
    for (uint64_t i = 0; i < WAYS; i++) make_valid(i * SETS);
    unsigned kills = seen.kills;
    l1_set_ways(&cache, 1);
    assert_int_equal(seen.kills - kills, WAYS - 1);
    make_valid(100 * SETS);
    make_valid(101 * SETS); /* takes the place of the one before */
    assert_int_equal(state_of(100 * SETS), WL_INVALID);
    assert_int_equal(state_of(101 * SETS), WL_VALID);
    l1_set_ways(&cache, WAYS);
    for (uint64_t i = 0; i + 1 < WAYS; i++) make_valid((200 + i) * SETS);
    assert_int_equal(state_of(101 * SETS), WL_VALID); /* all the others found room */
    for (uint64_t i = 0; i + 1 < WAYS; i++) assert_int_equal(state_of((200 + i) * SETS), WL_VALID);
    l1_flush(&cache);
    l1_set_ways(&cache, 2);
    l1_set_ways(&cache, 2); /* twice is once */
    assert_int_equal(cache.tags.filled[0], WAYS - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(l01_miss_reserves_a_line_and_sends_a_fetch),
        CASE(l02_fill_makes_the_line_valid_and_frees_the_entry),
        CASE(l03_hit),
        CASE(l04_load_to_a_reserved_line_merges),
        CASE(l05_hit_under_miss),
        CASE(l06_fill_wakes_all_waiters_in_order),
        CASE(l07_merge_limit_refuses),
        CASE(l08_mshr_full_refuses_and_changes_nothing),
        CASE(l09_reserved_lines_are_never_evicted),
        CASE(l10_miss_queue_full_refuses),
        CASE(l11_a_store_that_would_evict_waits_whole),
        CASE(l12_a_gated_warp_may_hit_and_merge_but_not_miss),
        CASE(l12b_where_merges_are_gated_too_it_may_only_hit),
        CASE(l13_bypass_needs_no_line_and_no_mshr),
        CASE(l14_policy_decides_to_bypass),
        CASE(l15_policy_finds_no_way_and_bypasses),
        CASE(l16_policy_finds_no_way_and_waits),
        CASE(l17_global_store_hit_evicts),
        CASE(l18_global_store_miss_allocates_nothing),
        CASE(l19_store_to_a_reserved_line_leaves_it),
        CASE(l20_local_store_hit_marks_dirty),
        CASE(l21_local_store_miss_goes_down),
        CASE(l22_evicting_a_dirty_line_writes_its_dirty_sectors_back),
        CASE(l23_evicting_a_dirty_line_needs_two_queue_entries),
        CASE(l24_atomics_pass_and_leave_no_trace),
        CASE(l25_sectored_cache_fetches_missing_sectors_only),
        CASE(l26_sectored_loads_of_one_line_in_flight),
        CASE(l27_sector_in_flight_merges),
        CASE(l28_sector_miss_keeps_dirty_sectors),
        CASE(l29_constant_cache_keeps_half_lines),
        CASE(l30_infinite_cache_never_evicts),
        CASE(l31_flush_empties_the_cache),
        CASE(l32_lru_evicts_the_oldest),
        CASE(l33_one_hook_per_accepted_load),
        CASE(l34_notes_of_the_l2_reach_the_policy),
        CASE(l35_a_store_is_told_of_when_no_copy_stays),
        CASE(l36_a_flush_is_told_of_once),
        CASE(l37_a_store_may_leave_its_line),
        CASE(l38_a_perfect_cache_always_hits),
        CASE(l39_ways_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
