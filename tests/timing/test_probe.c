/* test_probe.c - stalls of the ld/st unit during which another warp's load would have hit.
 *
 * One SM whose L1D has one MSHR. A first kernel brings line H. In the second, warp 0 misses line X,
 * warp 1 wants Y and is refused until X is back; the other warps wait behind it. */
#include "timing/synth.h"

enum { H, X, Y, Z };
static const char machine[] = "sm.count=1 sm.schedulers=1 l1d.mshr=1 l1d.flush=no stats.profile=1 sched=gto ";

static enum cache_op cache_op = CACHE_CA; /* of all loads */

static void one_load_each(struct synth *p, const int *lines, unsigned warps, unsigned adds)
{
    synth_begin(p, "loads", warps);
    synth_load(p, 1, SPACE_GLOBAL, 4)->cache_op = (uint8_t)cache_op;
    for (unsigned i = 0; i < adds; i++) synth_add(p, 2, 2, 2);
    synth_cta(p);
    for (unsigned w = 0; w < warps; w++) {
        synth_warp(p);
        synth_enter(p, 0, UINT32_MAX);
        synth_affine(p, DEVICE_BASE + (uint64_t)lines[w] * 4096, 4);
    }
}

struct stalls {
    uint64_t all, hit, idle;
};

static struct stalls run(const char *more, const int *lines, unsigned warps, unsigned adds, bool tick)
{
    char settings[512];
    snprintf(settings, sizeof settings, "%s%s", machine, more);
    struct gpu_config c = synth_config(settings);
    struct wl_err e = {.code = WL_OK};
    struct gpu *g = gpu_new(&c, &(struct gpu_options){.tick = tick}, &e);
    if (!g) fail_msg("%s", e.text);
    struct synth first, second;
    one_load_each(&first, (const int[]){H}, 1, 0);
    synth_run(g, &first);
    struct run_stats before, after;
    gpu_read_stats(g, &before);
    one_load_each(&second, lines, warps, adds);
    synth_run(g, &second);
    gpu_read_stats(g, &after);
    synth_end(&first);
    synth_end(&second);
    gpu_free(g);
    assert_int_equal(before.profile.stall_hit, 0);
    return (struct stalls){after.sm.lsu_stall_cycles - before.sm.lsu_stall_cycles, after.profile.stall_hit,
                           after.profile.stall_hit_idle};
}

static struct stalls both(const char *more, const int *lines, unsigned warps, unsigned adds)
{
    struct stalls a = run(more, lines, warps, adds, false), b = run(more, lines, warps, adds, true);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.all > 100); /* a trip to memory */
    return a;
}

/* The hit waits in the unit's queue for as long as the unit is stalled. */
TEST(a_hit_waits_in_the_queue)
{
    struct stalls s = both("", (const int[]){X, Y, H}, 3, 0);
    assert_int_equal(s.hit, s.all);
    assert_int_equal(s.idle, s.hit);
}

TEST(nobody_would_hit)
{
    struct stalls s = both("", (const int[]){X, Y, Z}, 3, 0);
    assert_int_equal(s.hit, 0);
}

/* The refused warp itself does not count. */
TEST(the_stalled_warp_does_not_count) { assert_int_equal(both("", (const int[]){X, Y}, 2, 0).hit, 0); }

/* A queue of one is full with warp 2's miss: warp 3 waits at the scheduler. Warp 2 is refused when
 * warp 1 is through, and warp 3's hit waits behind both. */
TEST(a_hit_waits_at_the_scheduler)
{
    struct stalls s = both("sm.lsu_queue=1 ", (const int[]){X, Y, Z, H}, 4, 0);
    assert_int_equal(s.hit, s.all);
}

/* Independent adds issue during the stall: those cycles are not idle. */
TEST(cycles_with_an_issue_are_not_idle)
{
    struct stalls s = both("", (const int[]){X, Y, H}, 3, 40);
    assert_int_equal(s.hit, s.all);
    assert_true(s.idle < s.hit);
    assert_true(s.idle > 0);
}

/* Where the L1D serves the read-only path too, ld.global.nc is a load of it as any other. */
TEST(a_read_only_load_counts_where_it_goes_to_the_l1d)
{
    struct stalls plain = both("l1d.readonly=yes ", (const int[]){X, Y, H}, 3, 0);
    cache_op = CACHE_NC;
    struct stalls readonly = both("l1d.readonly=yes ", (const int[]){X, Y, H}, 3, 0);
    cache_op = CACHE_CG; /* these bypass it: nobody would hit */
    struct stalls bypass = run("l1d.readonly=yes ", (const int[]){X, Y, H}, 3, 0, false);
    cache_op = CACHE_CA;
    assert_memory_equal(&plain, &readonly, sizeof plain);
    assert_int_equal(readonly.hit, readonly.all);
    assert_int_equal(bypass.hit, 0);
}

/* One line of a load is enough, in the part that was not sent yet: warp 2's 32 lines begin at H. */
TEST(one_line_is_enough)
{
    struct synth p;
    struct gpu_config c = synth_config("sm.count=1 sm.schedulers=1 l1d.mshr=1 l1d.flush=no stats.profile=1 sched=gto");
    struct gpu *g = synth_gpu(&c);
    one_load_each(&p, (const int[]){H}, 1, 0);
    synth_run(g, &p);
    synth_end(&p);
    synth_begin(&p, "loads", 3);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    synth_cta(&p);
    static const uint64_t base[] = {DEVICE_BASE + 0x100000, DEVICE_BASE + 0x200000, DEVICE_BASE - 31 * 128};
    for (unsigned w = 0; w < 3; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        synth_affine(&p, base[w], w == 2 ? 128 : 4); /* the last lane of warp 2 is at H */
    }
    synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_true(s.profile.stall_hit > 100);
    assert_true(s.profile.stall_hit < s.sm.lsu_stall_cycles); /* then it is itself refused */
    synth_end(&p);
    gpu_free(g);
}

/* Warps in turn, more than the unit takes: two of the first three are refused while H is the next load of the others.
 * When they have it, everybody wants a line that is not there: what a warp wanted before it issued is wanted no more.
 */
TEST(a_load_that_has_issued_wants_nothing)
{
    enum { WARPS = 32 };
    struct gpu_config c = synth_config("sm.count=1 sm.schedulers=1 sm.lsu_queue=1 l1d.pipe=0 l1d.mshr=1 l1d.flush=no "
                                       "stats.profile=1 sched=lrr");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    one_load_each(&p, (const int[]){H}, 1, 0);
    synth_run(g, &p);
    synth_end(&p);
    synth_begin(&p, "loads", WARPS);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    synth_load(&p, 2, SPACE_GLOBAL, 4);
    synth_cta(&p);
    for (unsigned w = 0; w < WARPS; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        synth_affine(&p, DEVICE_BASE + (w < 3 ? X + w : H) * UINT64_C(4096), 4);
        synth_affine(&p, DEVICE_BASE + (Z + 1 + w) * UINT64_C(4096), 4);
    }
    synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_true(s.profile.stall_hit > 100);                        /* two trips to memory at most */
    assert_true(10 * s.profile.stall_hit < s.sm.lsu_stall_cycles); /* of more than thirty */
    synth_end(&p);
    gpu_free(g);
}
