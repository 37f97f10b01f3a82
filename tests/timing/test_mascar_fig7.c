/* test_mascar_fig7.c - Mascar's second example (its Fig. 7): what re-execution is for.
 *
 * An L1D with two MSHRs, both taken; loads take 5 cycles. Four warps load one line each, in turn; the
 * line of W1 is in the L1D until a returning request evicts it in cycle 5. (Our L1D reserves lines
 * when a miss is accepted, so nothing is evicted by a return; the test takes the line away.) Without a
 * re-execution queue W1 waits behind W0, which waits for an MSHR, and misses; with one entry it hits.
 *
 * Cycle 0 is that in which W0 enters the ld/st unit. A request is looked up the cycle after it entered;
 * the unit has one place. The data of P0 and P1, which hold the MSHRs, come in cycles 5 and 6. */
#include "timing/lone_sm.h"

enum { FILLER, P0, P1, W0, W1, W2, W3, WARPS, NOBODY = 99 };
enum { LAST = 20 };
static const char machine[] =
    "sm.count=1 sm.schedulers=1 sm.mem_delay=1 sm.lsu_queue=4 l1d.sets=32 l1d.ways=4 l1d.index=linear l1d.mshr=2 "
    "l1d.missq=8 l1d.pipe=1 l1d.hit=0 l1d.flush=no";

static uint64_t line_of(unsigned warp) { return 0x1000000 + warp; }

/* ---- who was accepted when, and who hit ---- */

static struct {
    uint64_t accepted[WARPS];
    bool hit[WARPS];
    unsigned misses;
} seen;

extern const struct wl_cache_policy lru_policy;
static void note_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    assert_true(outcome == WL_HIT || outcome == WL_MISSED);
    seen.accepted[a->warp] = a->cycle;
    if (outcome == WL_HIT) seen.hit[a->warp] = true;
    else seen.misses++;
    lru_policy.on_access(c, a, outcome, way);
}

static void load_of(struct synth *p, unsigned warp)
{
    synth_enter(p, 0, 1);
    synth_affine_mask(p, 1, line_of(warp) << LINE_SHIFT, 4);
}

/* One load a warp; the filler only adds: round robin begins behind it. */
static void write_program(struct synth *p, bool preload)
{
    synth_begin(p, "fig7", preload ? 1 : WARPS);
    synth_load(p, 1, SPACE_GLOBAL, 4);
    synth_block(p);
    synth_add(p, 2, 2, 2);
    synth_cta(p);
    for (unsigned w = 0; w < (preload ? 1u : WARPS); w++) {
        synth_warp(p);
        if (preload) load_of(p, W1);
        else if (w == FILLER) synth_enter(p, 1, 1);
        else load_of(p, w);
    }
}

/* ---- the timelines ---- */

struct timeline {
    uint64_t zero;           /* the machine's cycle of the example's cycle 0 */
    unsigned entered[WARPS]; /* cycle of entering the unit */
    unsigned stalls;
    unsigned unit[LAST], queue[LAST]; /* who is in the unit, who is first in the queue, after each cycle */
};

static unsigned now_in_unit(const struct lone *l)
{
    const struct req *r = l->sm.lsu.pipe[L1_DATA].list.head;
    return r ? r->warp : NOBODY;
}

static struct timeline play(const char *sched)
{
    struct gpu_config c = synth_config(machine);
    struct synth warm, p;
    struct timeline t = {0};
    assert_int_equal(config_set_sched(&c, sched, NULL), 0);
    struct wl_cache_policy noting = lru_policy;
    noting.on_access = note_access;
    c.l1.policy = &noting;
    struct lone *l = lone_new(&c, 5);
    write_program(&warm, true);
    lone_launch(l, &warm);
    lone_finish(l);

    write_program(&p, false);
    memset(&seen, 0, sizeof seen);
    uint64_t stalls = l->sm.stats.lsu_stall_cycles;
    lone_launch(l, &p);
    while (now_in_unit(l) != P0) lone_step(l);
    t.zero = l->cycle + 2;
    l->due[l->dues].line = line_of(P0);
    l->due[l->dues++].at = t.zero + 5;
    l->due[l->dues].line = line_of(P1);
    l->due[l->dues++].at = t.zero + 6;
    while (l->cycle < t.zero + LAST - 1) {
        lone_step(l);
        if (l->cycle == t.zero + 5) { /* the returning request evicts W1's line */
            struct tags *tags = &sm_l1d(&l->sm)->tags;
            uint32_t set = tags_set(tags, line_of(W1));
            int at = tags_find(tags, set, line_of(W1));
            if (at >= 0) tags_invalidate(tags, set, (uint32_t)at);
        }
        if (l->cycle < t.zero) continue;
        unsigned i = (unsigned)(l->cycle - t.zero), unit = now_in_unit(l);
        t.unit[i] = unit;
        const struct lsu_ext *ext = l->sm.lsu.ext;
        t.queue[i] = ext && ext->queue.used ? ext->queue.list.head->warp : NOBODY;
        if (unit != NOBODY && !t.entered[unit]) t.entered[unit] = i;
    }
    lone_finish(l);
    t.stalls = (unsigned)(l->sm.stats.lsu_stall_cycles - stalls);
    for (unsigned w = P0; w < WARPS; w++) seen.accepted[w] -= t.zero;
    synth_end(&warm);
    synth_end(&p);
    lone_free(l);
    return t;
}

static void check_row(const unsigned *is, unsigned first, unsigned last, unsigned warp, const char *what)
{
    for (unsigned t = first; t <= last; t++)
        if (is[t] != warp) fail_msg("t=%u: %s is %u, not %u", t, what, is[t], warp);
}

TEST(a_without_a_queue)
{
    struct timeline t = play("lrr");
    check_row(t.unit, 0, 5, W0, "the unit"); /* refused in 1 to 5 */
    assert_int_equal(seen.accepted[W0], 6);
    assert_int_equal(t.entered[W1], 6);
    assert_int_equal(seen.accepted[W1], 7);
    assert_false(seen.hit[W1]);               /* too late */
    check_row(t.unit, 7, 11, W2, "the unit"); /* refused in 8 to 11 */
    assert_int_equal(seen.accepted[W2], 12);
    assert_int_equal(t.entered[W3], 12);
    assert_int_equal(seen.accepted[W3], 13);
    assert_int_equal(seen.misses, 2 + 4);
    assert_int_equal(t.stalls, 9);
}

TEST(b_with_one_entry)
{
    struct timeline t = play("mascar:part=reexec,entries=1");
    assert_int_equal(t.unit[1], NOBODY); /* W0 refused, steps aside */
    check_row(t.queue, 1, 5, W0, "the queue");
    assert_int_equal(t.entered[W1], 2);
    assert_int_equal(seen.accepted[W1], 3);
    assert_true(seen.hit[W1]); /* before the line is evicted in 5 */
    assert_int_equal(t.entered[W2], 3);
    check_row(t.unit, 3, 6, W2, "the unit"); /* misses in 4; the queue is full: the unit is blocked */
    assert_int_equal(seen.accepted[W0], 6);  /* from the queue */
    assert_int_equal(seen.accepted[W2], 7);
    assert_int_equal(t.entered[W3], 7); /* 12 without the queue */
    check_row(t.queue, 8, 11, W3, "the queue");
    assert_int_equal(seen.accepted[W3], 12);
    assert_int_equal(seen.misses, 2 + 3);
    assert_int_equal(t.stalls, 3); /* 4 to 6 */
}

/* With two entries the try of the idle cycle 5 moves W0 behind W2: recycling changes the order. */
TEST(two_entries_change_the_order)
{
    struct timeline t = play("mascar:part=reexec,entries=2");
    assert_true(seen.hit[W1]);
    assert_int_equal(t.entered[W3], 5);
    assert_int_equal(t.queue[4], W0);
    assert_int_equal(t.queue[5], W2);
    assert_int_equal(seen.accepted[W3], 6); /* from the unit */
    assert_int_equal(seen.accepted[W2], 7);
    assert_int_equal(seen.accepted[W0], 12);
    assert_int_equal(t.stalls, 0);
}
