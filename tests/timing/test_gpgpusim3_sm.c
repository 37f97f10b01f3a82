/* test_gpgpusim3_sm.c - the SM as GPGPU-Sim 3.2 had it, option by option, in closed form. */
#include "timing/lone_sm.h"

/* ---- the order of schedulers, and one memory instruction per cycle ---- */

enum { STORES = 6 };

/* Two warps, one of each scheduler, with independent stores; notes every issue. */
static void two_warps_store(const char *settings)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "stores", 2);
    for (int i = 0; i < STORES; i++) synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_cta(&p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < STORES; i++) synth_affine(&p, DEVICE_BASE + 128 * (w * STORES + i), 4);
    }
    record_reset();
    synth_run(g, &p);
    assert_int_equal(issue_count, 2 * STORES);
    synth_end(&p);
    gpu_free(g);
}

#define ROOMY "sm.count=1 sm.schedulers=2 sm.lsu_queue=64 l1d.missq=64 "

TEST(both_schedulers_issue_a_memory_instruction_in_a_cycle)
{
    two_warps_store(ROOMY);
    for (unsigned i = 0; i < STORES; i++) assert_int_equal(issued_at(0, i), issued_at(1, i));
}

TEST(schedulers_take_turns_for_the_only_memory_slot)
{
    two_warps_store(ROOMY "sm.mem_issue=1");
    for (unsigned i = 1; i < 2 * STORES; i++) {
        assert_int_equal(issue_log[i].cycle, issue_log[0].cycle + i);
        assert_int_not_equal(issue_log[i].warp, issue_log[i - 1].warp);
    }
}

/* Warp 0 issues all it has before warp 1 gets the slot once. */
TEST(scheduler_0_always_gets_the_only_memory_slot)
{
    two_warps_store(ROOMY "sm.mem_issue=1 sm.order=fixed");
    for (unsigned i = 0; i < 2 * STORES; i++) {
        assert_int_equal(issue_log[i].cycle, issue_log[0].cycle + i);
        assert_int_equal(issue_log[i].warp, i / STORES);
    }
}

/* With room for one instruction the queue is the slot, whatever sm.mem_issue says. */
TEST(a_fixed_order_decides_who_gets_the_last_place_of_the_queue)
{
    two_warps_store("sm.count=1 sm.schedulers=2 sm.lsu_queue=1 sm.mem_delay=1 sm.order=fixed");
    for (unsigned i = 0; i < 2 * STORES; i++) assert_int_equal(issue_log[i].warp, i / STORES);
}

/* ---- fetch ---- */

/* `n` independent instructions. */
static void straight_line(struct synth *p, unsigned n)
{
    while (n--) synth_add(p, (uint16_t)(p->code.ninst % 64 + 1), 100, 100);
}

static void one_warp(struct synth *p)
{
    synth_cta(p);
    synth_warp(p);
    synth_enter(p, 0, UINT32_MAX);
}

static struct gpu *recorded_gpu(const char *settings)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    record_reset();
    return synth_gpu(&c);
}

static void run_and_free(struct gpu *g, struct synth *p)
{
    synth_run(g, p);
    synth_end(p);
    gpu_free(g);
}

TEST(ideal_fetch_never_waits)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1");
    synth_begin(&p, "line", 1);
    straight_line(&p, 12);
    one_warp(&p);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i);
}

/* The buffer is refilled in the cycle in which its second instruction issues, and used two cycles later. */
TEST(a_warp_issues_two_instructions_in_three_cycles)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer");
    synth_begin(&p, "line", 1);
    straight_line(&p, 12);
    one_warp(&p);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i / 2 * 3 + i % 2);
}

/* Four warps of two schedulers have more to issue than one fetch of two instructions brings per cycle. Warp 1 is the
 * first that is fetched for, warp 0 the last. */
TEST(one_warp_per_cycle_is_fetched_for)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer sm.alu_pipes=4 sm.schedulers=4");
    synth_begin(&p, "line", 4);
    straight_line(&p, 24);
    synth_cta(&p);
    for (int w = 0; w < 4; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    run_and_free(g, &p);
    for (unsigned w = 0; w < 4; w++)
        for (unsigned i = 0; i < 24; i++)
            assert_int_equal(issued_at(w, i) - issued_at(1, 0), (w + 3) % 4 + i / 2 * 4 + i % 2);
}

/* A branch back, at an even or an odd place of the program: it is the first or the second of its pair. */
static uint64_t branch_costs(const char *settings, unsigned before)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "loop", 1);
    straight_line(&p, before);
    synth_inst(&p, INST_BRANCH);
    synth_block(&p);
    straight_line(&p, 4); /* what falls through */
    one_warp(&p);
    synth_enter(&p, 0, UINT32_MAX); /* taken once */
    synth_enter(&p, 1, UINT32_MAX);
    run_and_free(g, &p);
    return issued_at(0, before + 1) - issued_at(0, before);
}

TEST(a_taken_branch_costs_what_was_fetched_behind_it)
{
    assert_int_equal(branch_costs("sm.count=1", 20), 1);
    assert_int_equal(branch_costs("sm.count=1 sm.fetch=buffer", 20), 3); /* met, fetched, decoded */
    assert_int_equal(branch_costs("sm.count=1 sm.fetch=buffer", 21),
                     4); /* and the wrong pair fetched and decoded first */
}

TEST(a_branch_that_falls_through_costs_nothing)
{
    struct synth p;
    struct gpu *g = recorded_gpu("sm.count=1 sm.fetch=buffer");
    synth_begin(&p, "through", 1);
    straight_line(&p, 4);
    synth_inst(&p, INST_BRANCH);
    synth_block(&p);
    straight_line(&p, 5);
    one_warp(&p);
    synth_enter(&p, 1, UINT32_MAX);
    run_and_free(g, &p);
    for (unsigned i = 0; i < 10; i++) assert_int_equal(issued_at(0, i) - issued_at(0, 0), i / 2 * 3 + i % 2);
}

/* ---- the instruction cache ---- */

#define COLD "sm.count=1 l2.sectored=no sm.fetch=buffer il1.perfect=no "

/* Sixteen instructions of 8 bytes are a line. It is missed when the buffer has run empty, comes `latency` cycles
 * later, the warp is let go, asks again in the next cycle and issues two later; its eight pairs take 22 cycles up to
 * the last issue, in which the next line is asked for. */
TEST(cold_code_costs_one_memory_latency_per_line)
{
    enum { LATENCY = 290, LINES = 6 };
    struct gpu_config c = synth_config(COLD);
    c.sched.policy = recording_lrr();
    record_reset();
    struct lone *l = lone_new(&c, LATENCY);
    struct synth p;
    synth_begin(&p, "cold", 1);
    straight_line(&p, 16 * LINES);
    one_warp(&p);
    lone_launch(l, &p);
    lone_finish(l);
    for (unsigned i = 0; i + 1 < LINES; i++)
        assert_int_equal(issued_at(0, 16 * (i + 1)) - issued_at(0, 16 * i), LATENCY + 3 + 22);
    assert_int_equal(l->sent, LINES);
    synth_end(&p);
    lone_free(l);
}

static struct run_stats stats_of(const char *settings, struct synth *p)
{
    struct run_stats s;
    struct gpu *g = recorded_gpu(settings);
    synth_run(g, p);
    gpu_read_stats(g, &s);
    gpu_free(g);
    return s;
}

/* A loop of `lines` lines, run `rounds` times by one warp. */
static void loop_of(struct synth *p, unsigned lines, unsigned rounds)
{
    synth_begin(p, "loop", 1);
    straight_line(p, 16 * lines - 2);
    synth_inst(p, INST_BRANCH);
    synth_block(p);
    straight_line(p, 1);
    synth_cta(p);
    synth_warp(p);
    for (unsigned i = 0; i < rounds; i++) synth_enter(p, 0, UINT32_MAX);
    synth_enter(p, 1, UINT32_MAX);
}

/* 4 sets of 4 ways hold 16 lines; of 17, in turn, the five of one set always miss. All are read from the L2. */
TEST(a_loop_larger_than_the_cache_misses_in_every_round)
{
    struct synth p;
    loop_of(&p, 16, 5);
    struct run_stats s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 16);
    assert_int_equal(s.l2.reads, 16);
    synth_end(&p);
    loop_of(&p, 17, 5);
    s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 17 + 4 * 5);
    assert_int_equal(s.l1i.flushes, 4); /* the branch falls through once */
    assert_int_equal(s.l2.reads, s.l1i.misses);
    synth_end(&p);
}

/* Warps that want a line in flight wait for it together, as many as il1.merge says; the others ask until it is there.
 */
TEST(warps_share_a_miss)
{
    struct synth p;
    synth_begin(&p, "shared", 8);
    straight_line(&p, 16);
    synth_cta(&p);
    for (int w = 0; w < 8; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    struct run_stats s = stats_of(COLD, &p);
    assert_int_equal(s.l1i.misses, 1);
    assert_int_equal(s.l1i.hits_reserved, 7);
    assert_int_equal(s.l1i.stall_cycles, 0);
    s = stats_of(COLD "il1.merge=3", &p);
    assert_int_equal(s.l1i.misses, 1);
    assert_int_equal(s.l1i.hits_reserved, 2);
    assert_true(s.l1i.stall_cycles > 100);
    synth_end(&p);
}

/* Lines stay from kernel to kernel. */
TEST(code_is_cold_once)
{
    struct synth p;
    struct run_stats s;
    struct gpu *g = recorded_gpu(COLD);
    synth_begin(&p, "twice", 1);
    straight_line(&p, 32);
    one_warp(&p);
    synth_run(g, &p);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    assert_int_equal(s.l1i.misses, 2);
    synth_end(&p);
    gpu_free(g);
}

/* ---- operand collection, classes, pipes ---- */

/* Issue-to-issue distance of two instructions of which the second needs the first. */
static uint64_t distance(const char *settings, const struct code_inst *first)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "pair", 1);
    struct code_inst *i = synth_inst(&p, (enum inst_kind)first->kind);
    uint32_t pc = i->pc;
    *i = *first;
    i->pc = pc;
    i->loop = CODE_NO_LOOP;
    synth_add(&p, 2, 1, 1);
    one_warp(&p);
    run_and_free(g, &p);
    return issued_at(0, 1) - issued_at(0, 0);
}

static uint64_t distance_of_alu(const char *settings, enum lat_class lat, enum old_rule old, uint8_t sources)
{
    return distance(settings, &(struct code_inst){.kind = INST_ALU,
                                                  .lat = (uint8_t)lat,
                                                  .old = (uint8_t)old,
                                                  .ndst = 1,
                                                  .nsrc = sources,
                                                  .reg = {1, 10, 11, 12}});
}

#define ONE "sm.count=1 "

TEST(each_source_register_takes_a_cycle)
{
    for (uint8_t n = 0; n <= 3; n++) {
        assert_int_equal(distance_of_alu(ONE, LAT_INT_ADD, OLD_LISTED, n), 4 + 6);
        assert_int_equal(distance_of_alu(ONE "sm.collect=1", LAT_INT_ADD, OLD_LISTED, n), 4 + 5 + n);
        assert_int_equal(distance_of_alu(ONE "sm.collect=2", LAT_INT_ADD, OLD_LISTED, n), 4 + 5 + (n + 1) / 2);
    }
}

TEST(the_guard_is_not_collected)
{
    struct code_inst guarded = {.kind = INST_ALU, .lat = LAT_INT_ADD, .ndst = 1, .nsrc = 2, .reg = {1, 10, 11}};
    assert_int_equal(distance(ONE "sm.collect=1", &guarded), 4 + 5 + 2);
    guarded.guarded = 1;
    struct code_inst branch = {.kind = INST_BRANCH, .nsrc = 1, .reg = {10}};
    assert_int_equal(inst_operands(&guarded), 1);
    assert_int_equal(inst_operands(&branch), 0);
}

TEST(only_listed_operations_have_a_latency_of_their_own)
{
    static const char old[] = ONE "sm.classes=gpgpusim3";
    assert_int_equal(distance_of_alu(ONE, LAT_FP_MAD, OLD_OTHER, 3), 5 + 6);  /* fma */
    assert_int_equal(distance_of_alu(old, LAT_FP_MAD, OLD_OTHER, 3), 1 + 6);  /* fma */
    assert_int_equal(distance_of_alu(old, LAT_FP_MAD, OLD_LISTED, 3), 5 + 6); /* mad */
    assert_int_equal(distance_of_alu(old, LAT_DP_MAD, OLD_OTHER, 3), 1 + 6);  /* fma.f64 */
    assert_int_equal(distance_of_alu(old, LAT_INT_DIV, OLD_OTHER, 2), 1 + 6); /* rem */
    assert_int_equal(distance_of_alu(old, LAT_INT_DIV, OLD_LISTED, 2), 145 + 6);
    assert_int_equal(distance_of_alu(old, LAT_DP_DIV, OLD_FUNCTION, 1), 8 + 6); /* rcp.f64, as all functions */
    assert_int_equal(distance_of_alu(old, LAT_INT_ADD, OLD_UNKNOWN, 1), 4 + 6); /* of a trace that does not say */
}

/* gpgpusim4 is the default: fma, rem and shfl are listed too, and a conversion is short whatever it converts. */
TEST(release_4_lists_more)
{
    assert_int_equal(distance_of_alu(ONE, LAT_DP_MAD, OLD_OTHER, 3), 8 + 6);    /* fma.f64 */
    assert_int_equal(distance_of_alu(ONE, LAT_INT_DIV, OLD_OTHER, 2), 145 + 6); /* rem */
    assert_int_equal(distance_of_alu(ONE, LAT_SHFL, OLD_OTHER, 2), 32 + 6);
    assert_int_equal(distance_of_alu(ONE, LAT_CVT, OLD_OTHER, 1), 1 + 6);     /* cvt.f64.f32 */
    assert_int_equal(distance_of_alu(ONE, LAT_INT_MAX, OLD_OTHER, 2), 1 + 6); /* xor */
    assert_int_equal(distance_of_alu(ONE, LAT_INT_MAX, OLD_LISTED, 2), 13 + 6);
    assert_int_equal(distance_of_alu(ONE, LAT_DP_DIV, OLD_FUNCTION, 1), 8 + 6); /* sqrt.f64 */
    assert_int_equal(distance_of_alu(ONE "sm.classes=hardware lat.cvt=17", LAT_CVT, OLD_OTHER, 1), 17 + 6);
    assert_int_equal(distance_of_alu(ONE "sm.classes=hardware lat.fp_div=37", LAT_FP_DIV, OLD_FUNCTION, 1), 37 + 6);
}

/* Warps of both schedulers with independent instructions of one class: how many cycles 32 of them take. */
static uint64_t crowd(const char *settings, enum lat_class lat, enum old_rule old)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "crowd", 16);
    synth_alu(&p, lat, 1, 10, 11)->old = (uint8_t)old;
    synth_alu(&p, lat, 2, 10, 11)->old = (uint8_t)old;
    synth_cta(&p);
    for (int w = 0; w < 16; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    run_and_free(g, &p);
    return issue_log[31].cycle - issue_log[0].cycle;
}

TEST(integer_multiplies_share_the_special_function_pipe)
{
    static const char old[] = ONE "sm.classes=gpgpusim3";
    assert_int_equal(crowd(ONE, LAT_INT_ADD, OLD_LISTED), 15); /* two per cycle */
    assert_int_equal(crowd(old, LAT_INT_ADD, OLD_LISTED), 15);
    assert_int_equal(crowd(ONE, LAT_INT_MUL, OLD_LISTED), 30); /* interval 2 on two pipes: one per cycle */
    assert_int_equal(crowd(old, LAT_INT_MUL, OLD_LISTED), 62); /* and on one pipe */
    assert_int_equal(crowd(old, LAT_INT_MAD, OLD_LISTED), 31);
    assert_int_equal(crowd(ONE, LAT_DP_MAD, OLD_OTHER), 31 * 8);
    assert_int_equal(crowd(ONE, LAT_CVT, OLD_OTHER), 15); /* no conversion waits for an fp64 or special-function pipe */
    assert_int_equal(crowd(ONE "sm.classes=hardware", LAT_CVT, OLD_OTHER), 31 * 8);
    assert_int_equal(crowd(old, LAT_DP_MAD, OLD_OTHER), 15);      /* fma.f64 has no latency and two pipes */
    assert_int_equal(crowd(old, LAT_DP_ADD, OLD_LISTED), 15 * 8); /* add.f64: interval 8 on two pipes */
}

/* ---- collectors ---- */

#define STAGES ONE "sm.classes=gpgpusim3 sm.collect=1 sm.alu_collectors=6 "

/* Alone, an instruction finds everything free. */
TEST(collectors_cost_a_lone_instruction_nothing)
{
    for (uint8_t n = 0; n <= 3; n++) {
        assert_int_equal(distance_of_alu(STAGES, LAT_INT_ADD, OLD_LISTED, n), 4 + 5 + n);
        assert_int_equal(distance_of_alu(STAGES, LAT_FP_MAD, OLD_OTHER, n), 1 + 5 + n);
        assert_int_equal(distance_of_alu(STAGES, LAT_INT_DIV, OLD_LISTED, n), 145 + 5 + n);
    }
}

/* 32 divides, one per 8 cycles. The first, issued at t, is in the pipe at t + 5 (its two registers are read at t + 2
 * and t + 3). The last is issued when the one before it gets a collector, which is when the divide eight before that
 * one has gone on to the register before the pipe: when the 22nd has entered the pipe, at t + 5 + 21 x 8. */
TEST(a_busy_pipe_stops_the_schedulers_when_all_before_it_is_full)
{
    assert_int_equal(crowd(ONE "sm.classes=gpgpusim3 sm.collect=1", LAT_INT_DIV, OLD_LISTED), 31 * 8);
    assert_int_equal(crowd(STAGES, LAT_INT_DIV, OLD_LISTED), 5 + 21 * 8);
    assert_int_equal(crowd(STAGES "sm.sfu_collectors=1", LAT_INT_DIV, OLD_LISTED), 5 + 28 * 8);
}

/* Six collectors, each taken for three cycles by two source registers: two per cycle. Three of them: one per cycle. */
TEST(collectors_limit_the_rate)
{
    assert_int_equal(crowd(STAGES, LAT_INT_ADD, OLD_LISTED), 15);
    uint64_t three = crowd(ONE "sm.collect=1 sm.alu_collectors=3", LAT_INT_ADD, OLD_LISTED);
    assert_in_range(three, 26, 31); /* the first fill the collectors and the registers before them */
}

TEST(results_share_the_buses)
{
    uint64_t one = crowd(STAGES "sm.result_buses=1", LAT_INT_ADD, OLD_LISTED);
    assert_in_range(one, 31 - 10, 31); /* one result per cycle; ten instructions wait before the pipes */
}

/* ---- ld/st timing ---- */

#define OLD_LDST ONE "l1d.pipe=0 l1d.hit=0 sm.mem_delay=4 sm.collect=1 "

/* Dependent loads that hit, with an address register each: T + 4, as in 3.2.2. */
TEST(a_dependent_of_a_hit_issues_in_the_cycle_of_the_access)
{
    struct synth p;
    struct gpu *g = recorded_gpu(OLD_LDST);
    synth_begin(&p, "hits", 1);
    for (uint16_t i = 0; i < 6; i++) synth_load_at(&p, (uint16_t)(i + 1), i);
    one_warp(&p);
    for (int i = 0; i < 6; i++) synth_affine(&p, DEVICE_BASE, 4);
    run_and_free(g, &p);
    for (unsigned i = 1; i < 5; i++) assert_int_equal(issued_at(0, i + 1) - issued_at(0, i), 4);
}

/* One instruction per cycle goes through the queue of four. */
TEST(the_ldst_unit_takes_an_instruction_every_cycle)
{
    enum { LOADS = 40 };
    struct synth p;
    struct gpu *g = recorded_gpu(OLD_LDST "sm.mem_issue=1 sm.lsu_queue=4 l1d.infinite=yes");
    synth_begin(&p, "rate", 2);
    for (uint16_t i = 0; i < LOADS; i++) synth_load_at(&p, (uint16_t)(i + 1), 100);
    synth_cta(&p);
    for (int w = 0; w < 2; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (int i = 0; i < LOADS; i++) synth_affine(&p, DEVICE_BASE, 4);
    }
    run_and_free(g, &p);
    unsigned last = issue_count - 1; /* the first loads miss and merge; the rest hit */
    assert_int_equal(issue_log[last].cycle - issue_log[last - 40].cycle, 40);
}

/* A lone SM: what comes from memory can be read sm.writeback cycles after it has come. */
TEST(data_is_written_back_before_it_is_read)
{
    uint64_t apart[3];
    for (unsigned n = 1; n <= 2; n++) {
        char settings[128];
        snprintf(settings, sizeof settings, OLD_LDST "sm.writeback=%u", n);
        struct gpu_config c = synth_config(settings);
        c.sched.policy = recording_lrr();
        record_reset();
        struct lone *l = lone_new(&c, 100);
        struct synth p;
        synth_begin(&p, "miss", 1);
        synth_load_at(&p, 1, 0);
        synth_add(&p, 2, 1, 1);
        one_warp(&p);
        synth_affine(&p, DEVICE_BASE, 4);
        lone_launch(l, &p);
        lone_finish(l);
        apart[n] = issued_at(0, 1) - issued_at(0, 0);
        synth_end(&p);
        lone_free(l);
    }
    assert_int_equal(apart[2] - apart[1], 1);
}

/* ---- atomics, barriers, stores ---- */

/* An atomic and an add that needs nothing of it. */
static uint64_t behind_atomic(const char *settings)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "atomic", 1);
    struct code_inst *i = synth_store(&p, 10, SPACE_GLOBAL, 4);
    i->kind = INST_ATOMIC;
    synth_add(&p, 2, 11, 12);
    one_warp(&p);
    synth_affine(&p, DEVICE_BASE, 4);
    run_and_free(g, &p);
    return issued_at(0, 1) - issued_at(0, 0);
}

TEST(an_atomic_can_hold_its_warp)
{
    assert_int_equal(behind_atomic(ONE), 1);
    assert_true(behind_atomic(ONE "sm.atomic=warp") > 100); /* there and back */
}

/* A store, or a load of another register, then a memory barrier, then an add. */
static uint64_t behind_membar(const char *settings, bool load)
{
    struct synth p;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "membar", 1);
    if (load) synth_load(&p, 1, SPACE_GLOBAL, 4);
    else synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_inst(&p, INST_MEMBAR);
    synth_add(&p, 2, 11, 12);
    one_warp(&p);
    synth_affine(&p, DEVICE_BASE, 4);
    run_and_free(g, &p);
    return issued_at(0, 2) - issued_at(0, 1);
}

TEST(a_memory_barrier_can_wait_for_results_only)
{
    assert_true(behind_membar(ONE, false) > 100);
    assert_true(behind_membar(ONE, true) > 100);
    assert_int_equal(behind_membar(ONE "sm.membar=registers", false), 1);
    assert_true(behind_membar(ONE "sm.membar=registers", true) > 100);
}

/* Flits of a store that touches these 32-byte sectors: the header is in the first. */
static uint64_t store_flits(const char *settings, unsigned sectors)
{
    struct synth p;
    struct run_stats s;
    struct gpu *g = recorded_gpu(settings);
    uint64_t addr[WARP_SIZE];
    uint32_t mask = 0;
    for (unsigned l = 0; l < 4; l++) {
        addr[l] = DEVICE_BASE + 32 * l;
        mask |= sectors & 1u << l;
    }
    for (unsigned l = 4; l < WARP_SIZE; l++) addr[l] = 0;
    synth_begin(&p, "store", 1);
    synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, mask);
    stream_addrs(synth_last(&p), mask, addr);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    synth_end(&p);
    gpu_free(g);
    return s.icnt.request_flits;
}

/* 8 bytes of header and 32, 64, 96 or 128 of data in flits of 32. */
TEST(a_store_is_halved_while_one_half_is_not_touched)
{
    static const char sectors[] = ONE "icnt.flit=32 l2.sectored=no";
    static const char halves[] = ONE "icnt.flit=32 l2.sectored=no sm.store_bytes=halves";
    static const uint8_t by_sectors[16] = {0, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5};
    static const uint8_t by_halves[16] = {0, 2, 2, 3, 2, 5, 5, 5, 2, 5, 5, 5, 3, 5, 5, 5};
    for (unsigned touched = 1; touched < 16; touched++) {
        assert_int_equal(store_flits(sectors, touched), by_sectors[touched]);
        assert_int_equal(store_flits(halves, touched), by_halves[touched]);
    }
}

/* ---- residency ---- */

/* CTAs of one warp that are on an SM together: all are issued to before the first ends. */
static unsigned resident(const char *settings, unsigned ctas, unsigned regs)
{
    struct synth p;
    struct run_stats s;
    struct gpu *g = recorded_gpu(settings);
    synth_begin(&p, "resident", 1);
    p.info.regs_per_thread = regs;
    straight_line(&p, 1);
    synth_load(&p, 1, SPACE_GLOBAL, 4);
    for (unsigned i = 0; i < ctas; i++) {
        one_warp(&p);
        synth_affine(&p, DEVICE_BASE + 128 * i, 4);
    }
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    synth_end(&p);
    gpu_free(g);
    uint64_t most = 0;
    for (unsigned w = 0; w < 64; w++) most += issue_nth[w] != 0;
    return (unsigned)most;
}

TEST(registers_are_rounded_up)
{
    /* 2048 / (9 x 32) = 7.1, 2048 / (12 x 32) = 5.3 */
    assert_int_equal(resident(ONE "sm.registers=2048 sm.ctas=8", 8, 9), 7);
    assert_int_equal(resident(ONE "sm.registers=2048 sm.ctas=8", 8, 12), 5);
    assert_int_equal(resident(ONE "sm.registers=2048 sm.ctas=8 sm.reg_unit=4", 8, 9), 5);
    assert_int_equal(resident(ONE "sm.registers=2048 sm.ctas=8 sm.reg_unit=4", 8, 12), 5);
}

static uint32_t cta_limit_of(const char *settings)
{
    struct gpu_config c = synth_config(settings);
    struct lone *l = lone_new(&c, 100);
    struct synth p;
    synth_begin(&p, "one", 1);
    straight_line(&p, 1);
    one_warp(&p);
    lone_launch(l, &p);
    uint32_t limit = l->sm.cta_limit;
    lone_finish(l);
    synth_end(&p);
    lone_free(l);
    return limit;
}

/* One CTA for fifteen SMs. It shows in the layout of local memory, which has room for as many. */
TEST(an_sm_takes_its_share_of_a_small_kernel)
{
    assert_int_equal(cta_limit_of("sm.count=15"), 8);
    assert_int_equal(cta_limit_of("sm.count=15 sm.cta_share=yes"), 1);
}
