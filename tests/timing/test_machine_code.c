/* test_machine_code.c - what traces of real GPUs ask of an SM: units of their own, sub-cores, latencies of machine
 * code, groups of asynchronous copies, and loads of a scope. */
#include "timing/synth.h"

#define OTHER(class) (LAT_COUNT + 1 + (class)) /* the table of GPGPU-Sim does not have it */

/* Independent instructions of the given classes, the same for each of `warps`; ends with LAT_COUNT. */
static void run_classes(const char *machine, unsigned warps, const enum lat_class *class, bool dependent, bool code)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    c.sched.policy = recording_lrr();
    if (config_check(&c, &e)) fail_msg("%s", e.text);
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "classes", warps);
    for (unsigned i = 0; class[i] != LAT_COUNT; i++) {
        enum lat_class lat = class[i] > LAT_COUNT ? class[i] - OTHER(0) : class[i];
        struct code_inst *in = dependent ? synth_alu(&p, lat, 1, 1, 1) : synth_alu(&p, lat, (uint16_t)(10 + i), 2, 3);
        in->old = class[i] > LAT_COUNT ? OLD_OTHER : OLD_UNKNOWN;
    }
    p.code.machine = code;
    synth_cta(&p);
    for (unsigned w = 0; w < warps; w++) {
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
    }
    record_reset();
    synth_run(g, &p);
    synth_end(&p);
    gpu_free(g);
}

static uint64_t between(unsigned warp, unsigned a, unsigned b) { return issued_at(warp, b) - issued_at(warp, a); }

TEST(matrix_instructions_have_units_of_their_own)
{
    static const enum lat_class mixed[] = {LAT_TENSOR, LAT_FP_ADD, LAT_FP_ADD, LAT_TENSOR, LAT_COUNT};
    /* One pipe for all: the additions wait for the first matrix instruction. */
    run_classes("sm.count=1 sm.schedulers=1 sm.alu_pipes=1 init.tensor=8", 1, mixed, false, false);
    assert_int_equal(between(0, 0, 1), 8);
    /* A unit apart: only the second matrix instruction waits. */
    run_classes("sm.count=1 sm.schedulers=1 sm.alu_pipes=1 init.tensor=8 sm.tensor_pipes=1", 1, mixed, false, false);
    assert_int_equal(between(0, 0, 1), 1);
    assert_int_equal(between(0, 0, 2), 2);
    assert_int_equal(between(0, 0, 3), 8);
}

TEST(integer_and_fp32_pipes_apart)
{
    static const enum lat_class turns[] = {LAT_INT_ADD, LAT_FP_ADD, LAT_INT_ADD, LAT_FP_ADD, LAT_COUNT};
    static const enum lat_class same[] = {LAT_INT_ADD, LAT_INT_ADD, LAT_INT_ADD, LAT_INT_ADD, LAT_COUNT};
    static const char shared[] = "sm.count=1 sm.schedulers=1 sm.alu_pipes=2 init.int_add=2 init.fp_add=2";
    static const char apart[] = "sm.count=1 sm.schedulers=1 sm.alu_pipes=1 sm.int_pipes=1 init.int_add=2 init.fp_add=2";
    run_classes(shared, 1, turns, false, false);
    assert_int_equal(between(0, 0, 3), 3);
    run_classes(apart, 1, turns, false, false); /* by turns nothing waits ... */
    assert_int_equal(between(0, 0, 3), 3);
    run_classes(shared, 1, same, false, false);
    assert_int_equal(between(0, 0, 3), 3);
    run_classes(apart, 1, same, false, false); /* ... but integers alone have half of the pipes */
    assert_int_equal(between(0, 0, 3), 6);
}

TEST(integer_pipes_take_all_that_is_not_fp32)
{
    static const enum lat_class fp[] = {LAT_FP_ADD, LAT_FP_ADD, LAT_COUNT};
    static const enum lat_class lanes[] = {LAT_FP_ADD, LAT_SHFL, LAT_COUNT};
    static const enum lat_class moves[] = {LAT_FP_ADD, OTHER(LAT_INT_ADD), OTHER(LAT_FP_ADD), LAT_COUNT};
    static const char machine[] = "sm.count=1 sm.schedulers=1 sm.alu_pipes=1 sm.int_pipes=1 init.fp_add=8";
    run_classes(machine, 1, fp, false, false);
    assert_int_equal(between(0, 0, 1), 8);
    run_classes(machine, 1, lanes, false, false);
    assert_int_equal(between(0, 0, 1), 1);
    run_classes(machine, 1, moves, false, false);
    assert_int_equal(between(0, 0, 1), 1);
    assert_int_equal(between(0, 0, 2), 2);
}

TEST(logic_has_pipes_of_its_own)
{
    static const enum lat_class turns[] = {LAT_INT_MAX, LAT_INT_ADD, LAT_FP_MAX, LAT_FP_MAD, LAT_COUNT};
    static const enum lat_class same[] = {LAT_INT_MAX, LAT_FP_MAX, LAT_INT_MAX, LAT_FP_MAX, LAT_COUNT};
    static const char one[] = "sm.count=1 sm.schedulers=1 sm.alu_pipes=2 init.int_max=4 init.fp_max=4 init.int_add=2";
    static const char apart[] =
        "sm.count=1 sm.schedulers=1 sm.alu_pipes=2 sm.logic_pipes=1 init.int_max=2 init.fp_max=2 init.int_add=2";
    run_classes(one, 1, turns, false, false);
    assert_int_equal(between(0, 0, 3), 4);
    run_classes(apart, 1, turns, false, false); /* a comparison and an addition per two cycles */
    assert_int_equal(between(0, 0, 3), 3);
    run_classes(apart, 1, same, false, false);
    assert_int_equal(between(0, 0, 3), 6);
}

TEST(pipes_of_a_sub_core_serve_its_scheduler)
{
    static const enum lat_class adds[] = {LAT_FP_ADD, LAT_FP_ADD, LAT_FP_ADD, LAT_FP_ADD, LAT_COUNT};
    static const char machine[] = "sm.count=1 sm.schedulers=2 sm.alu_pipes=2 sm.sfu_pipes=2 init.fp_add=4 ";
    char sub[200];
    snprintf(sub, sizeof sub, "%ssm.sub_cores=yes", machine);
    run_classes(machine, 1, adds, false, false); /* one warp may use both pipes: 0, 1, 4, 5 */
    assert_int_equal(between(0, 0, 3), 5);
    run_classes(sub, 1, adds, false, false); /* it has one */
    assert_int_equal(between(0, 0, 3), 12);
    run_classes(sub, 2, adds, false, false); /* the other scheduler's warp has the other one, and they do not meet */
    assert_int_equal(between(0, 0, 3), 12);
    assert_int_equal(between(1, 0, 3), 12);
    assert_int_equal(issued_at(0, 0), issued_at(1, 0));
}

TEST(machine_code_has_its_own_latencies)
{
    static const enum lat_class adds[] = {LAT_INT_ADD, LAT_INT_MAX, LAT_INT_ADD, LAT_COUNT};
    static const enum lat_class wide[] = {LAT_UNIFORM, LAT_UNIFORM, LAT_COUNT};
    static const char machine[] = "sm.count=1 sm.issue_delay=6 lat.int_add=4 lat.int_max=13 trace.lat_int=2 "
                                  "trace.lat_uniform=9";
    run_classes(machine, 1, adds, true, false);
    assert_int_equal(between(0, 0, 1), 10);
    assert_int_equal(between(0, 1, 2), 19);
    run_classes(machine, 1, adds, true, true);
    assert_int_equal(between(0, 0, 1), 8);
    assert_int_equal(between(0, 1, 2), 8);
    run_classes(machine, 1, wide, true, true);
    assert_int_equal(between(0, 0, 1), 15);
    run_classes("sm.count=1 sm.issue_delay=6 lat.int_add=4", 1, wide, true, true); /* not given: as PTX */
    assert_int_equal(between(0, 0, 1), 10);
}

/* ---- asynchronous copies ---- */

enum { PAUSE = 60 }; /* additions, each waiting for the one before */

static void synth_copy(struct synth *p)
{
    struct code_inst *i = synth_load(p, 0, SPACE_GLOBAL, 4);
    i->ndst = 0;
    i->async = 1;
}

/* A copy, its group ends; a pause; another copy, its group ends; a wait. Returns when the instruction behind it issues,
 * counted from the first copy's. */
static uint64_t two_copies(enum inst_kind kind, uint8_t allowed, bool one_group)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct synth p;
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "copies", 1);
    synth_copy(&p);
    synth_inst(&p, one_group ? INST_NOP : INST_COMMIT);
    for (unsigned i = 0; i < PAUSE; i++) synth_add(&p, 1, 1, 1);
    synth_copy(&p);
    synth_inst(&p, INST_COMMIT);
    synth_inst(&p, kind)->width = allowed;
    synth_add(&p, 2, 2, 2);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, DEVICE_BASE, 4);
    synth_affine(&p, DEVICE_BASE + (1 << 20), 4);
    record_reset();
    synth_run(g, &p);
    uint64_t cycles = between(0, 0, PAUSE + 5);
    synth_end(&p);
    gpu_free(g);
    return cycles;
}

TEST(a_wait_counts_groups)
{
    uint64_t none = two_copies(INST_NOP, 0, false), all = two_copies(INST_MEMBAR, 0, false);
    assert_true(none < all);
    assert_int_equal(two_copies(INST_WAIT, 2, false), none);
    assert_int_equal(two_copies(INST_WAIT, WAIT_ALL - 1, false), none);
    assert_int_equal(two_copies(INST_WAIT, 0, false), all); /* both are back: there is nothing else */
    uint64_t first = two_copies(INST_WAIT, 1, false);
    assert_true(first < all);                               /* the second copy was issued after the pause ... */
    assert_int_equal(two_copies(INST_WAIT, 1, true), none); /* ... and with both in one group that one may stay out */
    assert_int_equal(two_copies(INST_WAIT, 0, true), all);
    assert_int_equal(two_copies(INST_WAIT, WAIT_ALL, true), all);
}

/* A warp with more groups than its SM can tell apart waits, and goes on. */
TEST(more_groups_than_places)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct synth p;
    struct gpu *g = synth_gpu(&c);
    struct run_stats s;
    synth_begin(&p, "many", 1);
    for (unsigned i = 0; i < 100; i++) {
        synth_copy(&p);
        synth_inst(&p, INST_COMMIT);
    }
    synth_inst(&p, INST_WAIT)->width = 0;
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (unsigned i = 0; i < 100; i++) synth_affine(&p, DEVICE_BASE + i * 4096u, 4);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    assert_int_equal(s.sm.loads, 100);
    synth_end(&p);
    gpu_free(g);
}

/* ---- scopes ---- */

static uint64_t bypassed(const char *machine, enum cache_op op)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct gpu *g = synth_gpu(&c);
    struct run_stats s;
    synth_begin(&p, "scope", 1);
    synth_load(&p, 1, SPACE_GLOBAL, 4)->cache_op = (uint8_t)op;
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, DEVICE_BASE, 4);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    synth_end(&p);
    gpu_free(g);
    return s.l1d.bypasses;
}

TEST(which_scopes_bypass_is_the_machines)
{
    static const char *const machines[] = {"sm.count=1 l1d.strong=none", "sm.count=1 l1d.strong=gpu",
                                           "sm.count=1 l1d.strong=gpu_sys", "sm.count=1 l1d.strong=all"};
    static const enum cache_op by_choice[] = {CACHE_STRONG_GPU, CACHE_STRONG_SYS, CACHE_STRONG_CTA};
    for (unsigned m = 0; m < COUNT(machines); m++) {
        for (unsigned i = 0; i < COUNT(by_choice); i++)
            assert_int_equal(bypassed(machines[m], by_choice[i]), m > i ? 1 : 0);
        assert_int_equal(bypassed(machines[m], CACHE_CA), 0);
    }
}

/* ---- stores that take lines ---- */

/* A store of `width` bytes per lane, 4 apart; then a load of the same words. Returns how many loads hit. */
static struct l1d_stats store_then_load(const char *machine, enum mem_space space, uint8_t width)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    struct run_stats s;
    if (config_check(&c, &e)) fail_msg("%s", e.text);
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "write", 1);
    synth_store(&p, 1, space, width);
    synth_inst(&p, INST_MEMBAR);
    synth_load(&p, 2, space, 4);
    synth_inst(&p, INST_MEMBAR);
    synth_load(&p, 3, space, 4);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (unsigned i = 0; i < 3; i++)
        synth_affine(&p, space == SPACE_LOCAL ? 0 : DEVICE_BASE, space == SPACE_LOCAL ? 0 : 4);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    synth_end(&p);
    gpu_free(g);
    return s.l1d;
}

TEST(a_store_takes_a_line_where_the_machine_says_so)
{
    static const char off[] = "sm.count=1 l1d.sectored=yes l1d.write=update";
    static const char on[] = "sm.count=1 l1d.sectored=yes l1d.write=update l1d.write_alloc=yes";
    struct l1d_stats s = store_then_load(off, SPACE_GLOBAL, 4);
    assert_int_equal(s.load_hits, 1); /* the first load fetches the line */
    assert_int_equal(s.load_misses, 1);
    s = store_then_load(on, SPACE_GLOBAL, 4); /* all bytes were written: nothing is fetched */
    assert_int_equal(s.load_hits, 2);
    assert_int_equal(s.load_misses, 0);
    assert_int_equal(s.store_hits, 0);
    assert_int_equal(s.fills, 0);
    s = store_then_load(on, SPACE_GLOBAL, 2); /* half of them: the sectors are fetched when they are read */
    assert_int_equal(s.load_hits, 1);
    assert_int_equal(s.load_misses, 1);
    assert_int_equal(s.fills, 1);
}

TEST(a_local_store_takes_a_line_where_it_is_written_through)
{
    static const char back[] = "sm.count=1 l1d.sectored=yes l1d.write=update l1d.write_alloc=yes";
    static const char through[] = "sm.count=1 l1d.sectored=yes l1d.write=update l1d.write_alloc=yes l1d.local=through";
    struct l1d_stats s = store_then_load(back, SPACE_LOCAL, 4);
    assert_int_equal(s.load_misses, 1);
    s = store_then_load(through, SPACE_LOCAL, 4);
    assert_int_equal(s.load_misses, 0);
    assert_int_equal(s.load_hits, 2);
}

/* A scheme for the L1D alone knows no stores that miss: with it they take no lines. */
TEST(a_scheme_that_knows_no_store_misses_sees_none)
{
    struct gpu_config c = synth_config("sm.count=1 l1d.sectored=yes l1d.write=update l1d.write_alloc=yes");
    struct wl_err e = {.code = WL_OK};
    struct synth p;
    struct run_stats s;
    assert_int_equal(config_set_l1(&c, "apcm", &e), 0);
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "write", 1);
    synth_store(&p, 1, SPACE_GLOBAL, 4);
    synth_inst(&p, INST_MEMBAR);
    synth_load(&p, 2, SPACE_GLOBAL, 4);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (unsigned i = 0; i < 2; i++) synth_affine(&p, DEVICE_BASE, 4);
    synth_run(g, &p);
    gpu_read_stats(g, &s);
    assert_int_equal(s.l1d.load_misses, 1);
    synth_end(&p);
    gpu_free(g);
}

/* ---- what Accel-Sim's machines do with constants and with sectors ---- */

/* Cycles from a load to the instruction that needs it, the second time, when all is in the caches; and the counters. */
static uint64_t second_load(const char *machine, enum mem_space space, int64_t stride, bool code, struct run_stats *s)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    c.sched.policy = recording_lrr();
    if (config_check(&c, &e)) fail_msg("%s", e.text);
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "twice", 1);
    for (unsigned i = 0; i < 2; i++) {
        synth_load(&p, 2, space, 4);
        synth_add(&p, 2, 2, 2);
    }
    p.code.machine = code;
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (unsigned i = 0; i < 2; i++) synth_affine(&p, space == SPACE_CONST ? 0 : DEVICE_BASE, stride);
    record_reset();
    synth_run(g, &p);
    gpu_read_stats(g, s);
    synth_end(&p);
    gpu_free(g);
    return between(0, 2, 3);
}

TEST(a_constant_can_be_an_operand_of_machine_code)
{
    struct run_stats s;
    static const char load[] = "sm.count=1 trace.lat_int=9 sm.issue_delay=1";
    static const char operand[] = "sm.count=1 trace.lat_int=9 sm.issue_delay=1 trace.const=operand";
    uint64_t loaded = second_load(load, SPACE_CONST, 0, true, &s);
    assert_int_equal(s.l1c.accesses, 2);
    assert_int_equal(second_load(operand, SPACE_CONST, 0, true, &s), 10); /* an integer instruction, issue and all */
    assert_int_equal(s.l1c.accesses, 0);
    assert_int_equal(second_load(operand, SPACE_CONST, 0, false, &s), loaded); /* PTX has loads of constants */
    assert_int_equal(s.l1c.accesses, 2);
    second_load(operand, SPACE_GLOBAL, 0, true, &s);
    assert_int_equal(s.l1d.accesses, 2);
}

TEST(sectors_in_different_banks_are_looked_up_together)
{
    struct run_stats s;
    static const char one[] = "sm.count=1 sm.coalesce=sector l1d.sectored=yes";
    static const char four[] = "sm.count=1 sm.coalesce=sector l1d.sectored=yes l1d.banks=4";
    uint64_t alone = second_load(one, SPACE_GLOBAL, 0, true, &s);
    assert_int_equal(s.l1d.accesses, 2);
    assert_int_equal(second_load(one, SPACE_GLOBAL, 32, true, &s), alone + 31);
    assert_int_equal(s.l1d.accesses, 64);
    assert_int_equal(second_load(four, SPACE_GLOBAL, 0, true, &s), alone);
    assert_int_equal(second_load(four, SPACE_GLOBAL, 32, true, &s), alone + 7);
    assert_int_equal(second_load(four, SPACE_GLOBAL, 64, true, &s), alone + 15); /* every other bank */
    assert_int_equal(second_load(four, SPACE_GLOBAL, 128, true, &s), alone + 31);
}

/* A load of sector 0 of a line, the same again, which may not merge, and one of another line's sector `sector`: cycles
 * from issuing the last to using it. */
static uint64_t load_behind_refused(const char *machine, unsigned sector)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct wl_err e = {.code = WL_OK};
    c.sched.policy = recording_lrr();
    if (config_check(&c, &e)) fail_msg("%s", e.text);
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "behind", 1);
    for (uint16_t i = 2; i < 5; i++) synth_load(&p, i, SPACE_GLOBAL, 4);
    synth_add(&p, 4, 4, 4);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (unsigned i = 0; i < 2; i++) synth_affine(&p, DEVICE_BASE, 0);
    synth_affine(&p, DEVICE_BASE + 4096 + UINT64_C(32) * sector, 0);
    record_reset();
    synth_run(g, &p);
    synth_end(&p);
    gpu_free(g);
    return between(0, 2, 3);
}

TEST(a_refused_request_holds_up_its_own_bank)
{
    static const char one[] = "sm.count=1 sm.coalesce=sector l1d.sectored=yes l1d.merge=1";
    static const char four[] = "sm.count=1 sm.coalesce=sector l1d.sectored=yes l1d.merge=1 l1d.banks=4";
    uint64_t behind = load_behind_refused(one, 1);
    assert_int_equal(load_behind_refused(four, 0), behind);
    assert_true(load_behind_refused(four, 1) + 50 < behind);
}

/* ---- CTAs by clusters ---- */

/* Two CTAs that load 32 lines each. */
static uint64_t two_ctas(const char *machine)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    struct gpu *g = synth_gpu(&c);
    synth_begin(&p, "two", 1);
    for (uint16_t i = 0; i < 8; i++) synth_load(&p, (uint16_t)(2 + i), SPACE_GLOBAL, 4);
    for (unsigned cta = 0; cta < 2; cta++) {
        synth_cta(&p);
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        for (unsigned i = 0; i < 8; i++) synth_lines(&p, (DEVICE_BASE >> 7) + 256 * cta + 32 * i, 32);
    }
    uint64_t cycles = synth_run(g, &p);
    synth_end(&p);
    gpu_free(g);
    return cycles;
}

TEST(each_cluster_gets_a_cta_before_one_gets_two)
{
    uint64_t shared = two_ctas("sm.count=4 sm.cluster=2"); /* both CTAs are behind one port */
    uint64_t apart = two_ctas("sm.count=4 sm.cluster=2 gpu.cta_order=clusters");
    assert_true(apart < shared);
    assert_int_equal(apart, two_ctas("sm.count=4"));
}

/* ---- registers that a trace names ---- */

TEST(of_a_wide_load_the_named_register_is_kept)
{
    struct code_inst in[] = {
        {.kind = INST_LOAD, .ndst = 2, .nsrc = 1, .reg = {4, 5, 9}},
        {.kind = INST_LOAD, .ndst = 2, .nsrc = 1, .reg = {4, 7, 9}}, /* not one behind the other: both are named */
        {.kind = INST_ALU, .ndst = 2, .nsrc = 1, .reg = {4, 5, 9}},
    };
    code_keep_named(in, 3);
    assert_int_equal(in[0].ndst, 1);
    assert_int_equal(in[0].nsrc, 1);
    assert_int_equal(in[0].reg[0], 4);
    assert_int_equal(in[0].reg[1], 9);
    assert_int_equal(in[1].ndst, 2);
    assert_int_equal(in[2].ndst, 2);
}
