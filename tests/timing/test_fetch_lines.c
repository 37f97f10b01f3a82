/* test_fetch_lines.c - instructions through a cache per scheduler and one per SM (sm.fetch = cache), in closed form. */
#include "timing/lone_sm.h"

/* Eight instructions of 16 bytes are a line. */
enum { LATENCY = 290, PER_LINE = 8 };

#define LINES "sm.count=1 l2.sectored=no sm.fetch=cache il1.perfect=no il1.sets=16 il1.ways=4 il1.latency=20 "

static void straight_line(struct synth *p, unsigned n)
{
    while (n--) synth_add(p, (uint16_t)(p->code.ninst % 64 + 1), 100, 100);
}

static void begin_lines(struct synth *p, unsigned warps, unsigned lines)
{
    synth_begin(p, "lines", warps);
    straight_line(p, PER_LINE * lines);
    synth_cta(p);
    for (unsigned w = 0; w < warps; w++) {
        synth_warp(p);
        synth_enter(p, 0, UINT32_MAX);
    }
}

/* Straight code of `lines` lines on one SM, its memory played; returns how many lines were asked for. */
static uint64_t cold(const char *settings, unsigned warps, unsigned lines)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    record_reset();
    struct lone *l = lone_new(&c, LATENCY);
    struct synth p;
    begin_lines(&p, warps, lines);
    lone_launch(l, &p);
    lone_finish(l);
    uint64_t sent = l->sent;
    synth_end(&p);
    lone_free(l);
    return sent;
}

/* The eighth instruction issues in cycle t. The line behind it is missed in t, comes LATENCY later, and the warp asks
 * again in the next cycle: 20 cycles from the SM's cache to the scheduler's. */
TEST(without_a_stream_every_cold_line_costs_the_latency)
{
    enum { N = 5 };
    assert_int_equal(cold(LINES "il0.prefetch=0", 1, N), N);
    for (unsigned i = 0; i + 1 < N; i++) {
        assert_int_equal(issued_at(0, PER_LINE * i + 7) - issued_at(0, PER_LINE * i), 7);
        assert_int_equal(issued_at(0, PER_LINE * (i + 1)) - issued_at(0, PER_LINE * i + 7), LATENCY + 1 + 20);
    }
}

/* Asked for one per cycle behind the first, the others come while that one is read: only the way between the caches is
 * seen. */
TEST(a_stream_hides_the_latency_of_straight_code)
{
    enum { N = 5 };
    assert_int_equal(cold(LINES "il0.prefetch=8 il1.mshr=16 il1.missq=16", 1, N), N);
    for (unsigned i = 0; i + 1 < N; i++)
        assert_in_range(issued_at(0, PER_LINE * (i + 1)) - issued_at(0, PER_LINE * i), PER_LINE, PER_LINE + 21);
}

TEST(a_stream_ends_with_the_program) { assert_int_equal(cold(LINES "il0.prefetch=64 il1.mshr=64", 4, 3), 3); }

static struct run_stats stats_of(const char *settings, struct synth *p)
{
    struct run_stats s;
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    record_reset();
    struct gpu *g = synth_gpu(&c);
    synth_run(g, p);
    synth_run(g, p);
    gpu_read_stats(g, &s);
    gpu_free(g);
    return s;
}

/* Both runs of the program together: the caches are cold once. */
TEST(warps_share_misses_and_lines_stay)
{
    struct synth p;
    begin_lines(&p, 8, 3);
    struct run_stats s = stats_of(LINES "il0.prefetch=0 sm.schedulers=2", &p);
    assert_int_equal(s.l1i.misses, 3);
    assert_int_equal(s.l2.reads, 3);
    assert_int_equal(s.l1i.hits, 2 * 3); /* a scheduler gets a line once, for all its warps */
    assert_int_equal(s.l1i.accesses, s.l1i.misses + s.l1i.hits_reserved + s.l1i.hits);
    synth_end(&p);
}

/* Two lines of a loop in a scheduler's cache of one line, five rounds in each of two runs: every arrival at a line is
 * a fetch from the SM's cache, but misses are two. */
TEST(a_loop_larger_than_the_schedulers_cache_comes_from_the_sms)
{
    struct synth p;
    synth_begin(&p, "loop", 1);
    straight_line(&p, 2 * PER_LINE - 1);
    synth_inst(&p, INST_BRANCH);
    synth_cta(&p);
    synth_warp(&p);
    for (unsigned i = 0; i < 5; i++) synth_enter(&p, 0, UINT32_MAX);
    struct run_stats s = stats_of(LINES "il0.prefetch=0 il0.sets=1 il0.ways=1", &p);
    assert_int_equal(s.l1i.misses, 2);
    assert_int_equal(s.l1i.hits, 2 * 5 * 2);
    s = stats_of(LINES "il0.prefetch=0 il0.sets=1 il0.ways=2", &p);
    assert_int_equal(s.l1i.hits, 2);
    synth_end(&p);
}

/* Rounds of three lines on each of four schedulers, whose caches hold one: from one line to the next, when the SM's
 * cache has all of them. */
static uint64_t pace_of_lines(const char *settings)
{
    enum { LINES_OF_IT = 3, WARPS = 4, ROUNDS = 8 };
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    record_reset();
    struct lone *l = lone_new(&c, LATENCY);
    struct synth p;
    synth_begin(&p, "rounds", WARPS);
    straight_line(&p, LINES_OF_IT * PER_LINE - 1);
    synth_inst(&p, INST_BRANCH);
    synth_cta(&p);
    for (unsigned w = 0; w < WARPS; w++) {
        synth_warp(&p);
        for (unsigned i = 0; i < ROUNDS; i++) synth_enter(&p, 0, UINT32_MAX);
    }
    lone_launch(l, &p);
    lone_finish(l);
    synth_end(&p);
    lone_free(l);
    const unsigned from = 5 * LINES_OF_IT * PER_LINE, to = 6 * LINES_OF_IT * PER_LINE;
    for (unsigned w = 1; w < WARPS; w++) /* the schedulers take turns: none is served before the others */
        assert_int_equal(issued_at(w, to) - issued_at(w, from), issued_at(0, to) - issued_at(0, from));
    return (issued_at(0, to) - issued_at(0, from)) / LINES_OF_IT;
}

#define ONE_LINE LINES "sm.schedulers=4 il0.sets=1 il0.ways=1 "

TEST(the_sms_cache_gives_a_line_per_turn)
{
    assert_int_equal(pace_of_lines(ONE_LINE "il0.prefetch=0 il1.turn=16"), 4 * 16);
    assert_int_equal(pace_of_lines(ONE_LINE "il0.prefetch=0 il1.turn=40"), 4 * 40);
    assert_in_range(pace_of_lines(ONE_LINE "il0.prefetch=0"), PER_LINE + 20, PER_LINE + 20 + 4);
    assert_int_equal(pace_of_lines(LINES "sm.schedulers=4 il0.sets=1 il0.ways=2 il0.prefetch=1 il1.turn=16"), 4 * 16);
}

/* il0.inst_bytes = 8: twice as many instructions per line. */
TEST(short_instructions_take_half_the_lines)
{
    assert_int_equal(cold(LINES "il0.prefetch=0 il0.inst_bytes=8", 1, 6), 3);
}

TEST(a_perfect_cache_is_an_ideal_fetch)
{
    struct synth p;
    begin_lines(&p, 8, 6);
    struct run_stats ideal = stats_of("sm.count=1 l2.sectored=no", &p);
    struct run_stats perfect = stats_of("sm.count=1 l2.sectored=no sm.fetch=cache il1.perfect=yes", &p);
    assert_memory_equal(&ideal, &perfect, sizeof ideal);
    synth_end(&p);
}
