/* test_l2.c - the behaviours of an L2 slice, one function each, driven cycle by cycle. */
#include "unit/rig.h"

#include "mem/l2.h"

/* ---- a slice between a network and a memory that the test plays ---- */

static struct {
    struct clock clock;
    struct part net, memory;
    struct addrmap map;
    struct nvm_map nvm;
    struct req_pool pool;
    struct port out, mem;
    struct l2 l2;
    tick_t now;
} rig;

static int victim_answer; /* 0: LRU's own */
extern const struct wl_cache_policy lru_policy;

static void *proxy_create(const struct wl_geometry *g, const int64_t *values, const char **why)
{
    return lru_policy.create(g, values, why);
}
static void proxy_destroy(void *self) { lru_policy.destroy(self); }
static int proxy_victim(void *self, const struct wl_access *a, const struct wl_set *s)
{
    return victim_answer ? victim_answer : lru_policy.victim(self, a, s);
}
static void proxy_hit(void *self, const struct wl_access *a, uint32_t way, bool merged)
{
    lru_policy.on_hit(self, a, way, merged);
}
static void proxy_insert(void *self, const struct wl_access *a, uint32_t way) { lru_policy.on_insert(self, a, way); }
static uint8_t proxy_note(void *self, const struct wl_access *a)
{
    (void)self;
    return (uint8_t)(a->note + 1);
}

static const struct wl_cache_policy proxy = {
    .abi = WL_ABI, .name = "proxy", .help = "LRU that a test can overrule", .levels = 1u << WL_L2,
    .create = proxy_create, .destroy = proxy_destroy, .victim = proxy_victim, .on_hit = proxy_hit,
    .on_insert = proxy_insert, .reply_note = proxy_note};

/* One set of two ways, so that lines compete at once. */
static void begin(const char *settings)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char copy[256];
    memset(&rig, 0, sizeof rig);
    victim_answer = 0;
    config_defaults(&c);
    snprintf(copy, sizeof copy, "l2.sets=1 l2.ways=2 %s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&c, s, &e)) fail_msg("%s", e.text);
    c.l2.policy = &proxy;
    rig_pool(&rig.pool);
    assert_int_equal(clock_init(&rig.clock, 3), 0);
    rig_part(&rig.clock, &rig.l2.part, 0, 1);
    rig_part(&rig.clock, &rig.net, 1, 1);
    rig_part(&rig.clock, &rig.memory, 2, 1);
    if (addrmap_init(&rig.map, c.dram_map, 1, 1, 16, &e)) fail_msg("%s", e.text);
    rig.map.l2_sets = 1;
    if (l2_init(&rig.l2, &c, 0, &rig.map, &rig.nvm, &rig.pool, &e)) fail_msg("%s", e.text);
    port_init(&rig.l2.in, 64, &rig.net, &rig.l2.part);
    port_init(&rig.l2.fill, 64, &rig.memory, &rig.l2.part);
    port_init(&rig.out, (uint32_t)c.v[P_L2_OUTQ], &rig.l2.part, &rig.net);
    port_init(&rig.mem, (uint32_t)c.v[P_L2_MEMQ], &rig.l2.part, &rig.memory);
    rig.l2.out = &rig.out;
    rig.l2.mem = &rig.mem;
}

static void end(void)
{
    l2_destroy(&rig.l2);
    req_pool_destroy(&rig.pool);
    clock_destroy(&rig.clock);
}

static void step(unsigned cycles)
{
    while (cycles--) l2_tick(&rig.l2, ++rig.now);
}

static struct req *send(enum wl_kind kind, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&rig.pool);
    *r = rig_req(kind, line, sectors);
    addrmap_route(&rig.map, r);
    port_push(&rig.l2.in, r, rig.now);
    return r;
}

static struct req *send_write(uint64_t line, uint8_t sectors, uint64_t bytes0, uint64_t bytes1)
{
    struct req *r = send(WL_STORE, line, sectors);
    r->bytes[0] = bytes0;
    r->bytes[1] = bytes1;
    return r;
}

static struct req *take(struct port *p)
{
    struct req *r = port_peek(p, rig.now + 1);
    if (r) port_pop(p, rig.now);
    return r;
}
static struct req *replied(void) { return take(&rig.out); }
static struct req *asked(void) { return take(&rig.mem); }

static void fill(struct req *f)
{
    assert_false(f->is_write);
    port_push(&rig.l2.fill, f, rig.now);
}

/* Reads a line's sectors to the end: afterwards they are valid. */
static void read_in(uint64_t line, uint8_t sectors)
{
    struct req *r = send(WL_LOAD, line, sectors);
    step(8);
    struct req *f = asked();
    assert_non_null(f);
    fill(f);
    step(8);
    assert_ptr_equal(replied(), r);
    req_free(&rig.pool, r);
}

static int at(uint64_t line) { return tags_find(&rig.l2.tags, 0, line); }

/* ---- reads ---- */

TEST(l01_read_miss_fetches_then_answers)
{
    begin("");
    struct req *r = send(WL_LOAD, 7, 3);
    step(1);
    assert_null(replied());
    struct req *f = asked(); /* in the cycle of the tags */
    assert_ptr_equal(f, r); /* the request itself */
    assert_int_equal(f->fetch, 3);
    assert_false(f->is_write);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_true(r->is_reply);
    assert_int_equal(rig.l2.stats.accesses, 2); /* sectors */
    assert_int_equal(rig.l2.stats.misses, 2);
    assert_int_equal(rig.l2.stats.fetches, 2);
    assert_int_equal(rig.l2.stats.fills, 2);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(l02_read_hit_answers_in_the_cycle_of_the_tags)
{
    begin("");
    read_in(7, 3);
    struct req *r = send(WL_LOAD, 7, 2);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_null(asked());
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

TEST(l03_the_data_port_is_busy_a_cycle_per_32_bytes)
{
    begin("");
    read_in(7, 15);
    send(WL_LOAD, 7, 15);
    send(WL_LOAD, 7, 1);
    send(WL_LOAD, 7, 1);
    step(1);
    assert_non_null(replied());
    step(3);
    assert_null(replied()); /* 128 bytes take four cycles */
    step(1);
    assert_non_null(replied());
    step(1);
    assert_non_null(replied()); /* 32 bytes take one */
    end();
}

TEST(l04_a_read_of_a_line_in_flight_merges)
{
    begin("");
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 1);
    step(3);
    struct req *f = asked();
    assert_null(asked()); /* one fetch for both */
    fill(f);
    step(2);
    assert_ptr_equal(replied(), a);
    assert_ptr_equal(replied(), b);
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    assert_int_equal(rig.l2.stats.misses, 1);
    end();
}

TEST(l05_only_missing_sectors_are_fetched)
{
    begin("");
    read_in(7, 1);
    struct req *r = send(WL_LOAD, 7, 7);
    step(1);
    struct req *f = asked();
    assert_int_equal(f->fetch, 6);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.stats.hits, 1);
    assert_int_equal(rig.l2.stats.misses, 1 + 2);
    end();
}

TEST(l06_a_cache_without_sectors_fetches_the_line)
{
    begin("l2.sectored=no");
    struct req *r = send(WL_LOAD, 7, 1);
    step(1);
    struct req *f = asked();
    assert_int_equal(f->fetch, ALL_SECTORS);
    fill(f);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.stats.accesses, 1); /* requests, not sectors */
    r = send(WL_LOAD, 7, 8);
    step(4);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(l07_sectors_of_one_line_return_one_by_one)
{
    begin("");
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 2);
    step(3);
    struct req *fa = asked(), *fb = asked();
    assert_int_equal(fa->fetch, 1);
    assert_int_equal(fb->fetch, 2);
    assert_int_equal(rig.l2.mshr.used, 1);
    fill(fb); /* the second is back first: who waits for it alone may go */
    step(2);
    assert_ptr_equal(replied(), b);
    assert_null(replied());
    fill(fa);
    step(2);
    assert_ptr_equal(replied(), a);
    assert_true(l2_idle(&rig.l2));
    end();
}

/* ---- stores ---- */

TEST(l08_lazy_store_miss_fetches_nothing)
{
    begin("l2.write=lazy");
    struct req *w = send_write(7, 1, 0xff, 0);
    step(1);
    assert_null(asked());
    assert_ptr_equal(replied(), w); /* acknowledged */
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1);
    assert_int_equal(rig.l2.stats.misses, 1);
    assert_int_equal(rig.l2.stats.writes, 1);
    end();
}

TEST(l09_reading_a_partly_written_sector_fetches_it)
{
    begin("l2.write=lazy");
    send_write(7, 1, 0xff, 0);
    step(2);
    struct req *r = send(WL_LOAD, 7, 1);
    step(1);
    struct req *f = asked();
    assert_non_null(f);
    assert_int_equal(f->fetch, 1);
    fill(f);
    step(1);
    (void)replied();
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1); /* still ours to write back */
    end();
}

TEST(l10_a_sector_written_whole_needs_no_fetch)
{
    begin("l2.write=lazy");
    send_write(7, 2, UINT64_C(0x0000ffff00000000), 0);
    send_write(7, 2, UINT64_C(0xffff000000000000), 0); /* in two stores */
    step(2);
    (void)replied();
    (void)replied();
    struct req *r = send(WL_LOAD, 7, 2);
    step(2);
    assert_ptr_equal(replied(), r);
    assert_null(asked());
    end();
}

TEST(l11_a_store_hit_is_a_hit_whatever_was_there)
{
    begin("l2.write=lazy");
    send_write(7, 1, 1, 0);
    step(2);
    send_write(7, 8, 0, UINT64_C(1) << 63);
    step(1);
    assert_int_equal(rig.l2.stats.write_hits, 1);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 9);
    end();
}

TEST(l12_forward_sends_the_store_on_and_reads_the_line)
{
    begin("l2.write=forward l2.sectored=no");
    struct req *w = send_write(7, 1, 0xff, 0);
    step(2);
    assert_ptr_equal(replied(), w);
    struct req *down = asked(), *f = asked();
    assert_true(down->is_write);
    assert_int_equal(down->sectors, 1);
    assert_false(f->is_write);
    assert_int_equal(f->fetch, ALL_SECTORS);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 0); /* memory has it: clean */
    assert_int_equal(rig.l2.stats.forwarded_writes, 1);
    fill(f);
    step(1);
    assert_null(replied()); /* nobody waits for that line */
    assert_true(l2_idle(&rig.l2));
    struct req *r = send(WL_LOAD, 7, 1);
    step(6);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(l13_fetch_policy_reads_what_the_store_does_not_cover)
{
    begin("l2.write=fetch l2.sectored=no");
    send_write(7, 1, 0xff, 0);
    step(1);
    assert_non_null(replied());
    struct req *f = asked();
    assert_int_equal(f->fetch, ALL_SECTORS);
    assert_false(f->is_write);
    fill(f);
    step(1);
    assert_int_equal(rig.l2.tags.sectors[at(7)].valid, ALL_SECTORS);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 1);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(l14_fetch_policy_trusts_a_store_of_the_whole_line)
{
    begin("l2.write=fetch l2.sectored=no");
    send_write(7, 15, UINT64_MAX, UINT64_MAX);
    step(4);
    assert_non_null(replied());
    assert_null(asked());
    struct req *r = send(WL_LOAD, 7, 15);
    step(4);
    assert_ptr_equal(replied(), r);
    end();
}

TEST(l15_write_backs_of_the_l1_want_no_answer)
{
    begin("");
    struct req *w = send(WL_WRITEBACK, 7, 1);
    w->bytes[0] = 0xffffffff;
    step(2);
    assert_null(replied());
    assert_int_equal(rig.pool.alive, 0);
    end();
}

/* ---- eviction ---- */

TEST(l16_a_victim_writes_its_dirty_sectors_back)
{
    begin("l2.write=lazy");
    send_write(1, 5, 0xff, 0xff);
    step(4);
    (void)replied();
    read_in(2, 1);
    send(WL_LOAD, 3, 1);
    step(2);
    struct req *w = asked(), *f = asked();
    assert_true(w->is_write);
    assert_int_equal(w->line, 1);
    assert_int_equal(w->sectors, 5);
    assert_int_equal(f->line, 3);
    assert_int_equal(rig.l2.stats.writebacks, 2);
    assert_int_equal(rig.l2.stats.evictions, 1);
    end();
}

TEST(l17_without_sectors_the_whole_line_is_written_back)
{
    begin("l2.sectored=no l2.write=lazy");
    send_write(1, 1, 0xff, 0);
    step(6);
    (void)replied();
    read_in(2, 1);
    send(WL_LOAD, 3, 1);
    step(2);
    assert_int_equal(asked()->sectors, ALL_SECTORS);
    assert_int_equal(rig.l2.stats.writebacks, 1);
    end();
}

TEST(l18_a_clean_victim_is_just_dropped)
{
    begin("");
    read_in(1, 1);
    read_in(2, 1);
    read_in(3, 1);
    assert_int_equal(rig.l2.stats.evictions, 1);
    assert_int_equal(rig.l2.stats.writebacks, 0);
    assert_int_equal(at(1), -1);
    end();
}

/* The lazy policy knows which sectors stores have covered; a cache without sectors may not use that
 * to fetch three quarters of a line. */
TEST(l19_without_sectors_a_partly_written_line_is_fetched_whole)
{
    begin("l2.sectored=no l2.write=lazy");
    send_write(7, 1, 0xffffffff, 0); /* all of sector 0 */
    step(6);
    send(WL_LOAD, 7, 15);
    step(6);
    struct req *f = asked();
    assert_non_null(f);
    assert_int_equal(f->fetch, ALL_SECTORS);
    end();
}

/* ---- atomics ---- */

TEST(l20_an_atomic_reads_and_leaves_the_line_dirty)
{
    begin("");
    struct req *r = send(WL_ATOMIC, 7, 2);
    step(1);
    fill(asked());
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 2);
    assert_int_equal(rig.l2.stats.atomics, 1);
    send(WL_ATOMIC, 7, 2);
    step(1);
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

/* ---- stalls: each has its reason, its counter, and ends ---- */

TEST(l21_stall_for_an_mshr)
{
    begin("l2.mshr=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    step(5);
    assert_int_equal(rig.l2.stalled, L2_STALL_MSHR);
    assert_int_equal(rig.l2.stats.stall_mshr, 4); /* the first was served in cycle 1 */
    assert_int_equal(rig.l2.stats.accesses, 1);
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.accesses, 2);
    end();
}

TEST(l22_stall_for_sectors_of_an_mshr)
{
    begin("l2.mshr=4"); /* sectors, in a sectored cache */
    send(WL_LOAD, 1, 7);
    send(WL_LOAD, 2, 3);
    step(6);
    assert_int_equal(rig.l2.stalled, L2_STALL_MSHR);
    fill(asked());
    step(4);
    assert_int_equal(rig.l2.stalled, L2_GO);
    end();
}

TEST(l23_stall_for_room_to_merge)
{
    begin("l2.merge=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 1, 1);
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    assert_true(rig.l2.stats.stall_merge > 0);
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(rig.l2.stats.hits, 1);
    end();
}

TEST(l24_stall_for_a_way)
{
    begin("");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    send(WL_LOAD, 3, 1);
    step(8);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    assert_true(rig.l2.stats.stall_line > 0);
    assert_true(at(1) >= 0 && at(2) >= 0); /* lines in flight are never evicted */
    fill(asked());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_int_equal(at(1), -1);
    end();
}

TEST(l25_stall_for_the_miss_queue)
{
    begin("l2.missq=1 l2.memq=1");
    send_write(1, 1, 1, 0);
    step(2);
    send(WL_LOAD, 2, 1); /* fills the queue to memory, */
    step(2);
    send(WL_LOAD, 3, 1); /* and this one needs a write-back and a fetch: two places where one is */
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ);
    assert_true(rig.l2.stats.stall_missq > 0);
    assert_true(at(1) >= 0); /* nothing has been evicted yet */
    end();
}

TEST(l26_stall_for_the_network)
{
    begin("l2.outq=1");
    read_in(7, 1);
    send(WL_LOAD, 7, 1);
    send(WL_LOAD, 7, 1);
    step(5);
    assert_int_equal(rig.l2.stalled, L2_STALL_REPLY);
    assert_true(rig.l2.stats.stall_reply > 0);
    assert_non_null(replied());
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    assert_non_null(replied());
    end();
}

/* A slice that sleeps through a stall counts the cycles it slept. */
TEST(l27_stall_cycles_do_not_depend_on_being_called)
{
    begin("l2.mshr=1");
    send(WL_LOAD, 1, 1);
    send(WL_LOAD, 2, 1);
    step(3);
    uint64_t counted = rig.l2.stats.stall_mshr;
    rig.now += 99; /* nobody calls for 99 cycles */
    step(1);
    assert_int_equal(rig.l2.stats.stall_mshr, counted + 100);
    end();
}

/* A request that needs two places in the miss queue is refused, and in the same cycle the last entry
 * leaves. What is left in the queue says nothing of the room that was made: the slice must ask for
 * the next cycle, or it sleeps until something else wakes it. */
TEST(l28_a_refused_request_is_tried_again_after_the_last_send)
{
    begin("l2.missq=2 l2.write=lazy");
    send_write(1, 1, 1, 0);
    send_write(2, 1, 1, 0);
    step(4); /* both ways are dirty */
    send(WL_LOAD, 3, 1);
    send(WL_LOAD, 4, 1);
    step(1); /* line 1 goes back, line 3 is asked for: one of the two leaves */
    tick_t wanted = l2_tick(&rig.l2, ++rig.now);
    assert_int_equal(rig.l2.stalled, L2_STALL_MISSQ);
    assert_null(rig.l2.missq.head); /* there is room for two now */
    assert_int_equal(wanted, rig.now + 1);
    end();
}

/* ---- the policy ---- */

TEST(l29_a_read_may_pass_without_a_line)
{
    begin("");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, 7, 3);
    step(1);
    assert_ptr_equal(asked(), r); /* it goes itself */
    assert_int_equal(at(7), -1);
    assert_int_equal(rig.l2.mshr.used, 1); /* an entry, but no line */
    assert_int_equal(rig.l2.stats.bypasses, 2);
    fill(r);
    step(1);
    assert_ptr_equal(replied(), r);
    assert_int_equal(at(7), -1);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(l33_reads_join_a_read_that_went_past)
{
    begin("l2.mshr=4 l2.merge=2");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *first = send(WL_LOAD, 7, 3);
    step(4);
    assert_ptr_equal(asked(), first);
    struct req *second = send(WL_LOAD, 7, 1); /* what is on its way will do */
    step(4);
    assert_null(asked());
    assert_int_equal(rig.l2.stats.hits_reserved, 1);
    send(WL_LOAD, 7, 2); /* the entry is full */
    step(2);
    assert_int_equal(rig.l2.stalled, L2_STALL_MERGE);
    fill(first);
    step(2);
    assert_ptr_equal(replied(), first);
    step(1);
    assert_ptr_equal(replied(), second);
    struct req *third = asked(); /* nothing in flight any more: past again */
    assert_non_null(third);
    fill(third);
    step(2);
    assert_ptr_equal(replied(), third);
    assert_int_equal(rig.l2.stats.bypasses, 3);
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(l34_what_is_not_on_its_way_goes_past_by_itself)
{
    begin("l2.mshr=8");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *a = send(WL_LOAD, 7, 1), *b = send(WL_LOAD, 7, 6), *c = send(WL_LOAD, 9, 1);
    step(12);
    assert_ptr_equal(asked(), a);
    assert_ptr_equal(asked(), b);
    assert_ptr_equal(asked(), c);
    assert_int_equal(rig.l2.past_used, 3);
    fill(b); /* any order */
    step(4);
    assert_ptr_equal(replied(), b);
    fill(c);
    step(4);
    assert_ptr_equal(replied(), c);
    struct req *d = send(WL_LOAD, 7, 1);
    step(4);
    assert_null(asked());
    fill(a);
    step(4);
    assert_ptr_equal(replied(), a);
    assert_ptr_equal(replied(), d);
    assert_int_equal(rig.l2.mshr.used, 0);
    assert_int_equal(rig.l2.mshr_sectors, 0);
    end();
}

TEST(l35_a_store_takes_its_own_line_beside_a_read_that_went_past)
{
    begin("l2.sectored=no l2.write=fetch");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, 7, 15);
    step(4);
    assert_ptr_equal(asked(), r);
    victim_answer = 0;
    struct req *w = send_write(7, 15, UINT64_MAX, UINT64_MAX);
    step(8);
    assert_ptr_equal(replied(), w);
    assert_true(at(7) >= 0);
    fill(r);
    step(4);
    assert_ptr_equal(replied(), r);
    assert_true(rig.l2.tags.sectors[at(7)].dirty); /* the fill did not touch it */
    assert_true(l2_idle(&rig.l2));
    end();
}

TEST(l36_a_store_may_pass_without_a_line)
{
    begin("l2.sectored=no l2.write=fetch");
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *w = send_write(7, 6, UINT64_C(0xff00000000), 1);
    step(4);
    assert_ptr_equal(replied(), w);
    struct req *down = asked();
    assert_true(down->is_write);
    assert_int_equal(down->fetch, 6); /* whole sectors */
    assert_null(asked());
    assert_int_equal(at(7), -1);
    assert_int_equal(rig.l2.stats.bypassed_writes, 1);
    assert_int_equal(rig.l2.stats.bypassed_write_bytes, 64);
    req_free(&rig.pool, down);
    struct req *x = send(WL_ATOMIC, 7, 1); /* needs the L2 to be done */
    step(4);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    victim_answer = 0;
    step(4);
    assert_ptr_equal(asked(), x);
    end();
}

TEST(l37_requests_to_nvm_are_counted_apart)
{
    begin("l2.sectored=no l2.write=fetch");
    rig.nvm = (struct nvm_map){.rule = NVM_PAGE_LSB};
    read_in(NVM_PAGE_LINES, 15);
    read_in(1, 15);
    struct req *hit = send(WL_LOAD, NVM_PAGE_LINES, 15);
    step(8);
    assert_ptr_equal(replied(), hit);
    victim_answer = WL_NO_WAY_BYPASS;
    struct req *r = send(WL_LOAD, NVM_PAGE_LINES + 1, 15);
    step(8);
    assert_ptr_equal(asked(), r);
    assert_int_equal(rig.l2.stats.nvm_accesses, 3);
    assert_int_equal(rig.l2.stats.nvm_misses, 1);
    assert_int_equal(rig.l2.stats.nvm_bypasses, 1);
    assert_int_equal(rig.l2.stats.misses, 2);
    assert_int_equal(rig.l2.stats.accesses, 4);
    end();
}

TEST(l30_the_policy_may_make_a_miss_wait)
{
    begin("");
    victim_answer = WL_NO_WAY_STALL;
    send(WL_LOAD, 7, 1);
    step(3);
    assert_int_equal(rig.l2.stalled, L2_STALL_LINE);
    victim_answer = 0;
    step(1);
    assert_int_equal(rig.l2.stalled, L2_GO);
    end();
}

TEST(l31_accepted_reads_carry_the_policys_note)
{
    begin("");
    struct req *r = send(WL_LOAD, 7, 1);
    r->note = 4;
    step(1);
    fill(asked());
    step(1);
    assert_int_equal(replied()->note, 5);
    end();
}

/* ---- host copies ---- */

TEST(l32_a_host_copy_leaves_its_line_clean_and_valid)
{
    begin("");
    l2_host_copy(&rig.l2, 7, 0, 5, rig.now);
    struct req *r = send(WL_LOAD, 7, 5);
    step(1);
    assert_ptr_equal(replied(), r);
    send(WL_LOAD, 7, 2);
    step(3);
    assert_int_equal(asked()->fetch, 2);
    assert_int_equal(rig.l2.tags.sectors[at(7)].dirty, 0);
    end();
}

TEST(l38_neighbouring_sectors_come_along)
{
    begin("l2.promote=2");
    struct req *r = send(WL_LOAD, 5, 1);
    step(8);
    struct req *f = asked();
    assert_int_equal(f->fetch, 3);
    assert_int_equal(rig.l2.stats.misses, 1); /* what was asked for */
    assert_int_equal(rig.l2.stats.fetches, 2);
    fill(f);
    step(8);
    assert_ptr_equal(replied(), r);
    assert_int_equal(rig.l2.tags.sectors[at(5)].valid, 3);
    req_free(&rig.pool, r);
    send_write(5, 8, 0, UINT64_C(0xff) << 56); /* part of sector 3: its neighbour is fetched without it */
    step(8);
    req_free(&rig.pool, replied());
    r = send(WL_LOAD, 5, 4);
    step(8);
    f = asked();
    assert_int_equal(f->fetch, 4);
    fill(f);
    step(8);
    req_free(&rig.pool, replied());
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l01_read_miss_fetches_then_answers),
        cmocka_unit_test(l02_read_hit_answers_in_the_cycle_of_the_tags),
        cmocka_unit_test(l03_the_data_port_is_busy_a_cycle_per_32_bytes),
        cmocka_unit_test(l04_a_read_of_a_line_in_flight_merges),
        cmocka_unit_test(l05_only_missing_sectors_are_fetched),
        cmocka_unit_test(l06_a_cache_without_sectors_fetches_the_line),
        cmocka_unit_test(l07_sectors_of_one_line_return_one_by_one),
        cmocka_unit_test(l08_lazy_store_miss_fetches_nothing),
        cmocka_unit_test(l09_reading_a_partly_written_sector_fetches_it),
        cmocka_unit_test(l10_a_sector_written_whole_needs_no_fetch),
        cmocka_unit_test(l11_a_store_hit_is_a_hit_whatever_was_there),
        cmocka_unit_test(l12_forward_sends_the_store_on_and_reads_the_line),
        cmocka_unit_test(l13_fetch_policy_reads_what_the_store_does_not_cover),
        cmocka_unit_test(l14_fetch_policy_trusts_a_store_of_the_whole_line),
        cmocka_unit_test(l15_write_backs_of_the_l1_want_no_answer),
        cmocka_unit_test(l16_a_victim_writes_its_dirty_sectors_back),
        cmocka_unit_test(l17_without_sectors_the_whole_line_is_written_back),
        cmocka_unit_test(l18_a_clean_victim_is_just_dropped),
        cmocka_unit_test(l19_without_sectors_a_partly_written_line_is_fetched_whole),
        cmocka_unit_test(l20_an_atomic_reads_and_leaves_the_line_dirty),
        cmocka_unit_test(l21_stall_for_an_mshr),
        cmocka_unit_test(l22_stall_for_sectors_of_an_mshr),
        cmocka_unit_test(l23_stall_for_room_to_merge),
        cmocka_unit_test(l24_stall_for_a_way),
        cmocka_unit_test(l25_stall_for_the_miss_queue),
        cmocka_unit_test(l26_stall_for_the_network),
        cmocka_unit_test(l27_stall_cycles_do_not_depend_on_being_called),
        cmocka_unit_test(l28_a_refused_request_is_tried_again_after_the_last_send),
        cmocka_unit_test(l29_a_read_may_pass_without_a_line),
        cmocka_unit_test(l30_the_policy_may_make_a_miss_wait),
        cmocka_unit_test(l31_accepted_reads_carry_the_policys_note),
        cmocka_unit_test(l32_a_host_copy_leaves_its_line_clean_and_valid),
        cmocka_unit_test(l33_reads_join_a_read_that_went_past),
        cmocka_unit_test(l34_what_is_not_on_its_way_goes_past_by_itself),
        cmocka_unit_test(l35_a_store_takes_its_own_line_beside_a_read_that_went_past),
        cmocka_unit_test(l36_a_store_may_pass_without_a_line),
        cmocka_unit_test(l37_requests_to_nvm_are_counted_apart),
        cmocka_unit_test(l38_neighbouring_sectors_come_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
