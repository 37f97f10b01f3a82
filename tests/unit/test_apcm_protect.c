/* test_apcm_protect.c - what APCM does with its verdicts: pins, releases, bypasses; Fig. 11 step
 * by step. */
#include "unit/apcm_rig.h"

#include "timing/run_rig.h"

static void give_verdict(struct rig *r, uint32_t id, enum method m, unsigned acc, unsigned last)
{
    r->s->cait[id] = (struct cait_entry){true, (uint8_t)m, (uint8_t)acc, (uint8_t)last};
}

static void check_psb(const struct rig *r, unsigned warp, bool on, bool loop, unsigned last)
{
    assert_int_equal(r->s->psb[warp].on, on);
    if (!on) return;
    assert_int_equal(r->s->psb[warp].loop, loop);
    assert_int_equal(r->s->psb[warp].last, last);
}

static void check_line(const struct rig *r, uint32_t at, enum wl_line_state state, uint64_t address, bool pinned,
                       unsigned warp, unsigned acc)
{
    assert_int_equal(WL_STATE(r->cache.tags.state[at]), state);
    assert_int_equal(r->cache.tags.line[at], address >> LINE_SHIFT);
    assert_int_equal(r->s->line[at].pinned, pinned);
    assert_int_equal(r->s->line[at].warp, warp);
    assert_int_equal(r->s->line[at].acc, acc);
}

/* A direct-mapped L1D, watching over, load A (ID 0) in loop Q is to be protected; X and Y share a set. */
TEST(figure_11)
{
    enum { A = 0, X = 0x10000, Y = 0x11000 };
    struct rig r;
    rig_begin(&r, "apcm", 32, 1);
    apcm_warp_exit(r.c, MON);
    give_verdict(&r, A, PROTECT, 5, A);
    r.hold = true;

    assert_int_equal(rig_load(&r, 0, A, X), L1_MISSED); /* a: allocated and pinned */
    check_line(&r, 0, WL_RESERVED, X, true, 0, 1);
    check_psb(&r, 0, true, true, A);
    rig_answer(&r);
    check_line(&r, 0, WL_VALID, X, true, 0, 1);

    assert_int_equal(rig_load(&r, 1, A, Y), L1_BYPASSED); /* b: warp 1 goes past the pinned line */
    check_line(&r, 0, WL_VALID, X, true, 0, 1);
    check_psb(&r, 1, false, false, 0);

    for (int i = 0; i < 3; i++) assert_int_equal(rig_load(&r, 0, A, X), L1_HIT); /* c */
    check_line(&r, 0, WL_VALID, X, true, 0, 4);
    apcm_leave_loop(r.c, 0, LOOP_Q);
    check_psb(&r, 0, false, false, 0);
    check_line(&r, 0, WL_VALID, X, true, 0, 4); /* the bit is still set */

    assert_int_equal(rig_load(&r, 1, A, Y), L1_MISSED); /* d: unpinned when met, evicted */
    check_line(&r, 0, WL_RESERVED, Y, true, 1, 1);
    check_psb(&r, 1, true, true, A);
    rig_answer(&r);
    check_line(&r, 0, WL_VALID, Y, true, 1, 1);
    struct l1d_stats all = l1_stats(&r.cache);
    const struct l1d_stats *n = &all;
    assert_int_equal(n->loads, 6);
    assert_int_equal(n->load_hits, 3);
    assert_int_equal(n->load_misses + n->bypasses, 3);
    assert_int_equal(n->evictions, 1);
    assert_int_equal(r.c->count[N_PINS], 2);
    assert_int_equal(r.c->count[N_PBYPASS_PROTECT], 1);
    assert_int_equal(r.c->count[N_UNPINS], 1);
    assert_int_equal(r.c->count[N_REL_LOOP], 1);

    assert_int_equal(rig_load(&r, 0, A, X), L1_BYPASSED); /* e */
    check_psb(&r, 0, false, false, 0);
    check_line(&r, 0, WL_VALID, Y, true, 1, 1);
    all = l1_stats(&r.cache);
    assert_int_equal(n->loads, 7);
    assert_int_equal(n->load_misses + n->bypasses, 4);
    assert_int_equal(r.c->count[N_PBYPASS_PROTECT], 2);
    rig_end(&r);
}

/* A set of four ways made by hand. */
static int victim_of(struct rig *r, const uint8_t *state)
{
    const struct wl_set set = {state, 4, true};
    return apcm_victim(r->c, &(struct wl_access){.set = 0, .kind = WL_LOAD}, &set);
}

TEST(victims_among_pinned_lines)
{
    const uint8_t ways[4] = {WL_VALID, WL_VALID, WL_RESERVED, WL_VALID};
    struct rig r;
    rig_begin(&r, "apcm", 1, 4);
    for (uint8_t w = 0; w < 3; w++) r.s->psb[w] = (struct psb_entry){.on = true};
    for (uint8_t i = 0; i < 2; i++) r.s->line[i] = (struct apcm_line){.pinned = true, .warp = i}, r.s->pinned_by[i]++;
    assert_int_equal(victim_of(&r, ways), 3);
    r.s->line[3] = (struct apcm_line){.pinned = true, .warp = 2}, r.s->pinned_by[2]++;
    assert_int_equal(victim_of(&r, ways), WL_NO_WAY_BYPASS);
    r.s->pinned = 3;
    apcm_release(r.c, 1, N_REL_LOAD);
    assert_int_equal(victim_of(&r, ways), 1);
    drop_stale_pins(r.c, 0);
    assert_false(r.s->line[1].pinned);
    assert_true(r.s->line[0].pinned && r.s->line[3].pinned);
    rig_end(&r);
}

TEST(lines_in_flight_are_waited_for)
{
    const uint8_t ways[4] = {WL_RESERVED, WL_RESERVED, WL_RESERVED, WL_RESERVED};
    struct rig r;
    rig_begin(&r, "apcm", 1, 4);
    assert_int_equal(victim_of(&r, ways), WL_NO_WAY_STALL);
    rig_end(&r);
}

/* Way 3 is the oldest. Strict: the LRU line is pinned, so the request bypasses. */
TEST(strict_victims)
{
    static const char *const spec[] = {"apcm", "apcm:victim=strict"};
    const uint8_t ways[4] = {WL_VALID, WL_VALID, WL_VALID, WL_VALID};
    for (unsigned strict = 0; strict < 2; strict++) {
        struct rig r;
        rig_begin(&r, spec[strict], 1, 4);
        int lru = victim_of(&r, ways);
        assert_true(lru >= 0);
        r.s->psb[0].on = true;
        r.s->line[lru] = (struct apcm_line){.pinned = true};
        int other = victim_of(&r, ways);
        if (strict) assert_int_equal(other, WL_NO_WAY_BYPASS);
        else assert_true(other >= 0 && other != lru);
        rig_end(&r);
    }
}

TEST(only_a_later_load_releases)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    r.s->psb[5] = (struct psb_entry){.on = true, .last = 3, .seq = 10};
    struct wl_load l = {.pc = pc_of(3), .warp = 5, .seq = 9, .space = WL_GLOBAL};
    apcm_load_begin(r.c, &l);
    apcm_load_done(r.c, &l);
    check_psb(&r, 5, true, false, 3);
    l.seq = 11;
    apcm_load_done(r.c, &l);
    check_psb(&r, 5, false, false, 0);
    assert_int_equal(r.c->count[N_REL_LOAD], 1);
    rig_end(&r);
}

/* A line fetched by load 0 and last used by load 3 is free after load 3. */
TEST(released_by_the_last_load)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 1);
    give_verdict(&r, 0, PROTECT, 4, 3);
    rig_load(&r, 7, 0, 0x1000);
    check_psb(&r, 7, true, false, 3);
    apcm_leave_loop(r.c, 7, LOOP_Q); /* no matter */
    rig_load(&r, 7, 0, 0x1000);
    check_psb(&r, 7, true, false, 3);
    rig_load(&r, 7, 3, 0x1000);
    check_psb(&r, 7, false, false, 0);
    assert_int_equal(rig_load(&r, 8, 1, 0x2000), L1_MISSED); /* takes the line */
    rig_end(&r);
}

TEST(one_protected_load_a_warp)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    give_verdict(&r, 0, PROTECT, 5, 0);
    give_verdict(&r, 2, PROTECT, 5, 2);
    rig_load(&r, 7, 0, 0x1000);
    struct psb_entry before = r.s->psb[7];
    rig_load(&r, 7, 2, 0x2080);
    assert_int_equal(r.c->count[N_PINS], 1);
    assert_int_equal(r.c->count[N_SECOND], 1);
    assert_memory_equal(&before, &r.s->psb[7], sizeof before);
    rig_load(&r, 8, 2, 0x3100); /* another warp may */
    assert_int_equal(r.c->count[N_PINS], 2);
    rig_end(&r);
}

TEST(a_store_kills_a_pinned_line)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 1);
    give_verdict(&r, 0, PROTECT, 5, 0);
    rig_load(&r, 7, 0, 0x1000);
    struct req *q = req_alloc(&r.pool);
    *q = rig_req(WL_STORE, 0x1000 >> LINE_SHIFT, 1);
    assert_int_equal(l1_access(&r.cache, q, 1, true), L1_STORED);
    assert_int_equal(WL_STATE(r.cache.tags.state[0]), WL_INVALID);
    assert_false(r.s->line[0].pinned);
    check_psb(&r, 7, true, true, 0);
    assert_int_equal(r.s->pinned, 0);
    rig_end(&r);
}

/* Streaming loads leave no trace in the cache, even where the line lies. */
TEST(streaming_loads_bypass)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    rig_load(&r, 7, 1, 0x1000);
    give_verdict(&r, 1, BYPASS, 1, 1);
    assert_int_equal(rig_load(&r, 7, 1, 0x1000), L1_BYPASSED);
    assert_int_equal(rig_load(&r, 7, 1, 0x5000), L1_BYPASSED);
    assert_int_equal(l1_stats(&r.cache).bypass_lookups, 0);
    assert_int_equal(r.c->count[N_BYPASSED], 2);
    rig_end(&r);
}

/* Each mode does what it says with the same verdicts. */
TEST(modes)
{
    static const struct {
        const char *spec;
        bool bypasses, pins;
    } c[] = {{"apcm", true, true},
             {"apcm:mode=bypass", true, false},
             {"apcm:mode=protect", false, true},
             {"apcm:mode=watch", false, false}};
    for (unsigned i = 0; i < COUNT(c); i++) {
        struct rig r;
        rig_begin(&r, c[i].spec, 32, 4);
        give_verdict(&r, 0, PROTECT, 5, 0);
        give_verdict(&r, 1, BYPASS, 1, 1);
        rig_load(&r, 7, 0, 0x1000);
        assert_int_equal(rig_load(&r, 7, 1, 0x2000), c[i].bypasses ? L1_BYPASSED : L1_MISSED);
        assert_int_equal(r.c->count[N_PINS], c[i].pins);
        rig_end(&r);
    }
}

/* Lazy: old lines are pinned again with their warp's next turn. Eager: they are free. */
TEST(stale_pins)
{
    static const char *const spec[] = {"apcm", "apcm:unpin=eager"};
    for (unsigned eager = 0; eager < 2; eager++) {
        struct rig r;
        rig_begin(&r, spec[eager], 32, 1);
        give_verdict(&r, 0, PROTECT, 5, 0);
        rig_load(&r, 7, 0, 0x1000);
        apcm_leave_loop(r.c, 7, LOOP_Q);
        rig_load(&r, 7, 0, 0x1080); /* protects again, in another set */
        assert_int_equal(r.c->count[N_STALE], !eager);
        assert_int_equal(rig_load(&r, 8, 1, 0x2000), eager ? L1_MISSED : L1_BYPASSED);
        apcm_warp_exit(r.c, 7);
        assert_int_equal(r.s->pinned, 0);
        assert_int_equal(rig_load(&r, 8, 1, 0x3000), L1_MISSED);
        rig_end(&r);
    }
}

/* The warp is out of the loop when its load meets the cache: nobody would ever release it. */
TEST(late_loads_pin_nothing)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 1);
    give_verdict(&r, 0, PROTECT, 5, 0);
    struct wl_load l = {.seq = 5, .pc = pc_of(0), .warp = 7, .loop = LOOP_Q, .requests = 1, .left_loop = true};
    apcm_load_begin(r.c, &l);
    assert_int_equal(rig_request(&r, &l, 0, 0x1000), L1_MISSED);
    assert_int_equal(r.c->count[N_LATE], 1);
    check_psb(&r, 7, false, false, 0);
    rig_answer(&r);
    rig_end(&r);
}

/* APCM-p2: the line is pinned for two accesses to its set, then it is like any other. */
TEST(pins_with_a_distance)
{
    struct rig r;
    rig_begin(&r, "apcm:release=pd,pd=2", 32, 1);
    give_verdict(&r, 0, PROTECT, 5, 0);
    rig_load(&r, 7, 0, 0x1000);
    check_psb(&r, 7, false, false, 0);
    assert_int_equal(rig_load(&r, 8, 1, 0x2000), L1_BYPASSED);
    assert_int_equal(rig_load(&r, 7, 0, 0x1000), L1_HIT); /* anew */
    assert_int_equal(rig_load(&r, 8, 1, 0x2000), L1_BYPASSED);
    assert_int_equal(rig_load(&r, 8, 1, 0x2000), L1_BYPASSED);
    assert_int_equal(rig_load(&r, 8, 1, 0x2000), L1_MISSED);
    assert_int_equal(rig_load(&r, 8, 1, 0x3000), L1_MISSED); /* others are never pinned */
    rig_end(&r);
}

static struct outcome run(const char *workload, const char *l1, struct gpu_options o)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, "apcm", &e) || config_set_l1(&c, l1, &e)) fail_msg("%s", e.text);
    return run_workload(workload_find(workload), &c, o);
}

TEST(watching_alone_changes_nothing)
{
    static const char *const some[] = {"bfs", "kmeans_1", "matmul"};
    for (unsigned i = 0; i < COUNT(some); i++) {
        struct outcome lru = run(some[i], "lru", (struct gpu_options){0});
        struct outcome apcm = run(some[i], "apcm:mode=watch", (struct gpu_options){0});
        check_same_counters(&lru.stats, &apcm.stats, some[i]);
    }
}
