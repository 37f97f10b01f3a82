/* test_halves.c - two slices that stand across from each other: what crosses, what is kept, and that neither waits for
 * the other for ever. Slice 0 is asked for lines whose home is slice 1. */
#include "unit/rig.h"

#include "mem/l2_halves.h"

extern const struct wl_cache_policy lru_policy;

enum { WAY = 20 };

static struct {
    struct clock clock;
    struct breach breach;
    struct part net, memory;
    struct addrmap map;
    struct nvm_map nvm;
    struct req_pool pool;
    struct port out[2], mem[2];
    struct l2 l2[2];
    tick_t now;
} rig;

static void make_slice(const struct gpu_config *c, uint32_t i)
{
    struct wl_err e = {.code = WL_OK};
    struct l2 *s = &rig.l2[i];
    if (l2_init(s, c, i, &rig.map, &rig.nvm, &rig.pool, &e)) fail_msg("%s", e.text);
    port_init(&s->in, 64, &rig.net, &s->part);
    port_init(&s->fill, 64, &rig.memory, &s->part);
    port_init(&rig.out[i], 64, &s->part, &rig.net);
    port_init(&rig.mem[i], 64, &s->part, &rig.memory);
    s->out = &rig.out[i];
    s->mem = &rig.mem[i];
}

/* One set of two ways in each slice. */
static void begin(const char *settings)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char copy[256];
    memset(&rig, 0, sizeof rig);
    config_defaults(&c);
    snprintf(copy, sizeof copy, "l2.sets=1 l2.ways=2 l2.port=128 l2.halves=yes l2.inq=4 %s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&c, s, &e)) fail_msg("%s", e.text);
    c.l2.policy = &lru_policy;
    rig_pool(&rig.pool);
    assert_int_equal(clock_init(&rig.clock, 4, &rig.breach), 0);
    for (uint32_t i = 0; i < 2; i++) rig_part(&rig.clock, &rig.l2[i].part, i, 1);
    rig_part(&rig.clock, &rig.net, 2, 1);
    rig_part(&rig.clock, &rig.memory, 3, 1);
    if (addrmap_init(&rig.map, c.dram_map, 1, 2, 16, &e)) fail_msg("%s", e.text);
    rig.map.l2_sets = 1;
    for (uint32_t i = 0; i < 2; i++) make_slice(&c, i);
    assert_int_equal(l2_halves_connect(&rig.l2[0], &rig.l2[1], &c, WAY), 0);
}

static void end(void)
{
    for (uint32_t i = 0; i < 2; i++) l2_walk(&rig.l2[i]);
    for (uint32_t i = 0; i < 2; i++) l2_destroy(&rig.l2[i]);
    req_pool_destroy(&rig.pool);
    clock_destroy(&rig.clock);
}

static void step(unsigned cycles)
{
    while (cycles--) {
        ++rig.now;
        for (uint32_t i = 0; i < 2; i++) l2_tick(&rig.l2[i], rig.now);
    }
}

/* An SM of the half of slice `to` asks for a line that is at home in slice `home`. */
static struct req *ask(enum wl_kind kind, uint32_t to, uint32_t home, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&rig.pool);
    *r = rig_req(kind, line, sectors);
    r->slice = (uint16_t)to;
    r->trip = to == home ? TRIP_NONE : TRIP_FAR;
    port_push(&rig.l2[to].in, r, rig.now);
    return r;
}

static struct req *take(struct port *p)
{
    struct req *r = port_peek(p, rig.now + 1);
    if (r) port_pop(p, rig.now);
    return r;
}
static struct req *replied(uint32_t slice) { return take(&rig.out[slice]); }
static struct req *asked(uint32_t slice) { return take(&rig.mem[slice]); }
static void fill(struct req *f) { port_push(&rig.l2[f->slice].fill, f, rig.now); }
static bool holds(uint32_t slice, uint64_t line) { return tags_find(&rig.l2[slice].tags, 0, line) >= 0; }

/* A far read to its end: both slices have the line then. */
static void read_far(uint64_t line, uint8_t sectors)
{
    struct req *r = ask(WL_LOAD, 0, 1, line, sectors);
    step(WAY + 4);
    struct req *f = asked(1);
    assert_non_null(f);
    fill(f);
    step(WAY + 4);
    assert_ptr_equal(replied(0), r);
    req_free(&rig.pool, r);
}

TEST(a_far_read_is_looked_up_in_both_halves)
{
    begin("");
    struct req *r = ask(WL_LOAD, 0, 1, 7, 3);
    step(WAY); /* pushed in cycle 1, to be seen after so many */
    assert_null(asked(1));
    step(2);
    struct req *f = asked(1);
    assert_non_null(f);
    assert_int_equal(f->fetch, 3);
    assert_null(asked(0)); /* the near slice asks no memory */
    fill(f);
    step(1 + WAY);
    assert_null(replied(0));
    step(2);
    assert_ptr_equal(replied(0), r);
    assert_null(replied(1));
    assert_int_equal(r->answer, ANSWER_DRAM);
    assert_true(holds(0, 7) && holds(1, 7));
    const struct l2_stats *near = &rig.l2[0].stats, *home = &rig.l2[1].stats;
    assert_int_equal(near->far_reads, 2);
    assert_int_equal(near->far_misses, 2);
    assert_int_equal(near->misses, 2);
    assert_int_equal(near->fetches, 0);
    assert_int_equal(near->fabric_reads, 2);
    assert_int_equal(home->fabric_misses, 2);
    assert_int_equal(home->accesses, 0); /* not a second time */
    assert_int_equal(home->fetches, 2);
    end();
}

TEST(a_copy_answers_at_once)
{
    begin("");
    read_far(7, 3);
    struct req *r = ask(WL_LOAD, 0, 1, 7, 1);
    step(1);
    assert_ptr_equal(replied(0), r);
    assert_int_equal(rig.l2[0].stats.far_hits, 1);
    assert_int_equal(rig.l2[0].stats.fabric_reads, 2);
    r = ask(WL_LOAD, 1, 1, 7, 1); /* and the line itself, to its own half */
    step(1);
    assert_ptr_equal(replied(1), r);
    assert_int_equal(rig.l2[1].stats.hits, 1);
    end();
}

TEST(reads_of_a_copy_on_its_way_merge)
{
    begin("");
    struct req *a = ask(WL_LOAD, 0, 1, 7, 1), *b = ask(WL_LOAD, 0, 1, 7, 1);
    step(WAY + 4);
    fill(asked(1));
    assert_null(asked(1));
    step(WAY + 5);
    assert_ptr_equal(replied(0), a);
    assert_ptr_equal(replied(0), b);
    assert_int_equal(rig.l2[0].stats.far_merges, 1);
    assert_int_equal(rig.l2[0].stats.fabric_reads, 1);
    end();
}

TEST(what_the_home_slice_has_is_not_fetched)
{
    begin("");
    read_far(7, 1);
    read_far(8, 1);
    read_far(9, 1);
    struct req *r = ask(WL_LOAD, 0, 1, 9, 1);
    step(1);
    assert_ptr_equal(replied(0), r);
    uint64_t fetches = rig.l2[1].stats.fetches;
    r = ask(WL_LOAD, 1, 1, 9, 1);
    step(1);
    assert_ptr_equal(replied(1), r);
    assert_int_equal(rig.l2[1].stats.fetches, fetches);
    end();
}

TEST(pairs_cross_together)
{
    begin("l2.promote=2");
    struct req *r = ask(WL_LOAD, 0, 1, 7, 1);
    step(WAY + 3);
    struct req *f = asked(1);
    assert_int_equal(f->fetch, 3);
    fill(f);
    step(WAY + 4);
    assert_ptr_equal(replied(0), r);
    assert_int_equal(rig.l2[0].stats.fabric_reads, 2);
    assert_int_equal(rig.l2[0].stats.far_misses, 1);
    r = ask(WL_LOAD, 0, 1, 7, 2);
    step(1);
    assert_ptr_equal(replied(0), r);
    end();
}

TEST(stores_cross_and_copies_stay)
{
    begin("");
    read_far(7, 1);
    struct req *w = ask(WL_STORE, 0, 1, 7, 1);
    w->bytes[0] = 1;
    step(1);
    assert_null(replied(0));
    step(2 * WAY + 4);
    assert_ptr_equal(replied(0), w);
    assert_null(replied(1));
    assert_int_equal(rig.l2[0].stats.fabric_writes, 1);
    assert_int_equal(rig.l2[0].stats.writes, 0);
    assert_int_equal(rig.l2[1].stats.writes, 1);
    assert_int_equal(rig.l2[1].stats.write_hits, 1);
    struct req *r = ask(WL_LOAD, 0, 1, 7, 1);
    step(1);
    assert_ptr_equal(replied(0), r);
    end();
}

TEST(a_store_waits_for_a_copy_on_its_way)
{
    begin("l2.pending_store=wait");
    struct req *r = ask(WL_LOAD, 0, 1, 7, 1), *w = ask(WL_STORE, 0, 1, 7, 1);
    step(WAY + 4);
    assert_int_equal(rig.l2[0].stalled, L2_STALL_LINE);
    fill(asked(1));
    step(WAY + 4);
    assert_ptr_equal(replied(0), r);
    assert_null(replied(0));
    step(2 * WAY + 4);
    assert_ptr_equal(replied(0), w);
    end();
}

TEST(atomics_are_performed_at_home)
{
    begin("");
    struct req *x = ask(WL_ATOMIC, 0, 1, 7, 1);
    step(WAY + 3);
    struct req *f = asked(1);
    assert_ptr_equal(f, x); /* an atomic fetches for itself */
    assert_int_equal(f->slice, 1);
    fill(f);
    step(WAY + 4);
    assert_ptr_equal(replied(0), x);
    assert_false(holds(0, 7));
    assert_int_equal(rig.l2[0].stats.fabric_atomics, 1);
    assert_int_equal(rig.l2[1].stats.atomics, 1);
    end();
}

TEST(the_last_way_is_not_for_copies)
{
    begin("");
    ask(WL_LOAD, 0, 1, 7, 1);
    ask(WL_LOAD, 0, 1, 8, 1);
    step(3);
    assert_true(holds(0, 7));
    assert_false(holds(0, 8)); /* it crosses itself */
    assert_int_equal(rig.l2[0].stats.fabric_reads, 2);
    step(WAY + 3);
    fill(asked(1));
    fill(asked(1));
    step(WAY + 6);
    assert_non_null(replied(0));
    assert_non_null(replied(0));
    assert_false(holds(0, 8));
    assert_true(l2_idle(&rig.l2[0]) && l2_idle(&rig.l2[1]));
    end();
}

TEST(half_of_the_mshrs_are_for_what_is_near)
{
    begin("l2.mshr=8 l2.sets=16");
    ask(WL_LOAD, 0, 1, 7, 15);
    ask(WL_LOAD, 0, 1, 7 + 16, 1);
    step(3);
    assert_int_equal(rig.l2[0].stalled, L2_STALL_MSHR);
    step(WAY + 3);
    fill(asked(1));
    step(2 * WAY + 6);
    fill(asked(1));
    step(WAY + 6);
    assert_non_null(replied(0));
    assert_non_null(replied(0));
    end();
}

TEST(a_dirty_line_is_written_back_by_its_home)
{
    begin("");
    rig.map.half_groups = 2;
    struct req *w = ask(WL_STORE, 0, 1, 1, 1);
    step(2 * WAY + 6);
    assert_ptr_equal(replied(0), w);
    for (uint64_t line = 2; line < 4; line++) {
        struct req *r = ask(WL_LOAD, 1, 1, line, 1);
        step(2);
        struct req *f = asked(1);
        if (f->is_write) {
            assert_int_equal(f->slice, 1);
            assert_int_equal(f->trip, TRIP_NONE);
            req_free(&rig.pool, f);
            f = asked(1);
        }
        fill(f);
        step(3);
        assert_ptr_equal(replied(1), r);
    }
    assert_int_equal(rig.l2[1].stats.writebacks, 1);
    end();
}

TEST(sms_and_lines_belong_to_a_half)
{
    struct addrmap m;
    struct wl_err e = {.code = WL_OK};
    struct gpu_config c;
    config_defaults(&c);
    assert_int_equal(addrmap_init(&m, c.dram_map, 6, 2, 16, &e), 0);
    m.l2_sets = 64;
    m.half_groups = 8;
    unsigned far = 0;
    for (uint64_t line = 0; line < 4096; line++) {
        struct req r = {.line = line, .sm = 5}; /* group 2 of 8 */
        struct place p;
        addrmap_route(&m, &r);
        addrmap_place(&m, line << LINE_SHIFT, &p);
        assert_int_equal(r.slice, p.slice & ~1u);
        assert_int_equal(r.trip, p.slice & 1 ? TRIP_FAR : TRIP_NONE);
        far += r.trip == TRIP_FAR;
    }
    assert_int_equal(far, 2048);
}
