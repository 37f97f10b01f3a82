/* test_bandwidth.c - streams reach the limit of the narrowest part, and never pass it. */
#include "timing/synth.h"

static const uint64_t base = DEVICE_BASE;

/* Every warp reads its own lines, `loads` at a time without waiting: first a batch, then its use.
 * All warps of a CTA together walk a contiguous piece, CTA after CTA. */
static void write_reader(struct synth *p, unsigned ctas, unsigned warps, unsigned loads, unsigned batches,
                         uint64_t lines)
{
    synth_begin(p, "stream", warps);
    for (uint16_t i = 0; i < loads; i++) synth_load(p, (uint16_t)(i + 1), SPACE_GLOBAL, 4);
    for (uint16_t i = 0; i < loads; i++) synth_add(p, 0, (uint16_t)(i + 1), 0);
    for (unsigned c = 0; c < ctas; c++) {
        synth_cta(p);
        for (unsigned w = 0; w < warps; w++) {
            synth_warp(p);
            for (unsigned b = 0; b < batches; b++) {
                synth_enter(p, 0, UINT32_MAX);
                for (unsigned i = 0; i < loads; i++) {
                    uint64_t line = (((uint64_t)c * batches + b) * loads + i) * warps + w;
                    synth_affine(p, base + line % lines * 128, 4);
                }
            }
        }
    }
}

struct rate {
    uint64_t cycles;
    struct run_stats stats;
};

static struct rate run_reader(const char *settings, unsigned ctas, unsigned warps, unsigned loads, unsigned batches,
                              uint64_t lines, bool resident)
{
    struct gpu_config c = synth_config(settings);
    struct gpu *g = synth_gpu(&c);
    static struct synth p;
    struct rate r;
    write_reader(&p, ctas, warps, loads, batches, lines);
    if (resident) gpu_host_copy(g, base, lines * 128);
    r.cycles = synth_run(g, &p);
    gpu_read_stats(g, &r.stats);
    synth_end(&p);
    gpu_free(g);
    return r;
}

/* `used` of `limit`, in units of 0.1 %; never more than all of it. */
static void within(uint64_t used, uint64_t limit, unsigned at_least_permille)
{
    print_message("  %.1f %% of the limit\n", 100.0 * (double)used / (double)limit);
    assert_true(used <= limit);
    assert_true(used * 1000 >= limit * at_least_permille);
}

/* The data bus of every channel is busy nearly all the time. Whole lines, and columns of one bank
 * as close as the bus allows, so that nothing else is the limit. */
TEST(streaming_read_reaches_the_dram_bus)
{
    static const char machine[] = "l2.sectored=no dram.tccdl=2 l1d.global=bypass";
    unsigned ctas = SLOW_BUILD ? 240 : 960, lines = ctas * 8 * 4 * 4;
    struct rate r = run_reader(machine, ctas, 8, 4, 4, lines, false);
    assert_int_equal(r.stats.dram.read_bytes, (uint64_t)lines * 128); /* each line once */
    uint64_t dram_cycles = r.cycles * 924 / 700;
    within(r.stats.dram.busy_cycles, dram_cycles * 6, SLOW_BUILD ? 900 : 950);
}

/* One channel, so that the rest of the machine is far from its limits. */
TEST(one_channel_is_never_idle)
{
    static const char machine[] = "l2.sectored=no dram.tccdl=2 mem.channels=1 sm.count=4 clock.dram=700000";
    unsigned ctas = 80, lines = ctas * 8 * 4 * 4;
    struct rate r = run_reader(machine, ctas, 8, 4, 4, lines, false);
    within(r.stats.dram.busy_cycles, r.cycles, 970);
}

/* A sectored L2 reads an atom of 64 bytes for a sector of 32: half of the bus carries nothing. */
TEST(sectored_reads_waste_half_of_the_bus)
{
    static const char machine[] = "dram.tccdl=2 mem.channels=1 sm.count=4 clock.dram=700000";
    unsigned ctas = 40, lines = ctas * 8 * 4 * 4;
    struct rate r = run_reader(machine, ctas, 8, 4, 4, lines, false);
    within(r.stats.dram.busy_cycles, r.cycles, 950);
    assert_int_equal(r.stats.dram.read_bytes, (uint64_t)lines * 128);
    assert_int_equal(r.stats.dram.busy_cycles / 2 * 64, 2 * r.stats.dram.read_bytes);
}

/* Data in the L2: a slice sends a flit a cycle. 8 + 128 bytes are five flits of 32, more than the
 * four cycles of the L2's data port, so the crossbar is the limit. */
TEST(resident_stream_reaches_the_port_of_a_slice)
{
    static const char machine[] = "l2.sectored=no icnt.flit=32 sm.count=8 mem.channels=1 l2.slices_per_channel=1 "
                                  "l1d.global=bypass l2.ways=64";
    struct rate r = run_reader(machine, 60, 8, 4, 4, 2048, true);
    assert_int_equal(r.stats.l2.misses, 0);
    assert_int_equal(r.stats.icnt.reply_flits, 5 * r.stats.icnt.reply_packets);
    within(r.stats.icnt.reply_flits, r.cycles, 970);
}

/* All slices to all SMs: a slice whose oldest reply waits for a busy SM holds up the replies behind
 * it. With evenly spread destinations an input-queued crossbar then carries 2 - sqrt 2 = 58.6 % of
 * what its ports could (many ports, a known result of queueing theory), a little more with few. */
TEST(resident_stream_reaches_the_limit_of_a_crossbar_with_queues_at_its_inputs)
{
    static const char machine[] = "l2.sectored=no icnt.flit=32 l1d.global=bypass";
    unsigned ctas = SLOW_BUILD ? 240 : 960;
    struct rate r = run_reader(machine, ctas, 8, 4, 4, 4096, true);
    assert_int_equal(r.stats.l2.misses, 0);
    within(r.stats.icnt.reply_flits, r.cycles * 12, 580);
}

/* One SM takes a flit a cycle, whoever sends. */
TEST(one_sm_is_limited_by_its_own_port)
{
    static const char machine[] = "l2.sectored=no icnt.flit=32 sm.count=1 l1d.global=bypass";
    struct rate r = run_reader(machine, 60, 8, 4, 4, 4096, true);
    within(r.stats.icnt.reply_flits, r.cycles, 970);
}

/* Wider flits: now the data port of the L2, 32 bytes per cycle, is the limit: four cycles per line. */
TEST(a_wide_crossbar_uncovers_the_l2_port)
{
    static const char machine[] = "l2.sectored=no icnt.flit=256 sm.count=8 mem.channels=1 l2.slices_per_channel=1 "
                                  "l1d.global=bypass l2.ways=64";
    struct rate r = run_reader(machine, 60, 8, 4, 4, 2048, true);
    assert_int_equal(r.stats.l2.misses, 0);
    within(4 * r.stats.l2.hits, r.cycles, 970);
}

/* The L1D serves one request a cycle when enough instructions may wait in front of the unit. */
TEST(resident_stream_is_one_request_a_cycle)
{
    struct rate r = run_reader("sm.count=1 sched=lrr sm.lsu_queue=8 l1d.index=linear", 6, 8, 4, 100, 64, true);
    within(r.stats.l1d.accesses, r.cycles, 970);
}

/* An instruction holds its place there from issue to dispatch: with 4 places and 5 cycles, loads of
 * one request each come at 4 in 5 cycles. */
TEST(the_queue_before_the_unit_limits_short_loads)
{
    struct rate r =
        run_reader("sm.count=1 sched=lrr sm.lsu_queue=4 sm.mem_delay=5 l1d.index=linear", 6, 8, 4, 100, 64, true);
    within(5 * r.stats.l1d.accesses, 4 * r.cycles, 950);
}

/* Two schedulers with enough independent arithmetic issue two instructions per cycle. */
TEST(arithmetic_reaches_the_issue_limit)
{
    struct gpu_config c = synth_config("sm.count=1");
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "issue", 8);
    for (uint16_t i = 0; i < 200; i++) synth_add(&p, i, 250, 251);
    for (int k = 0; k < 5; k++) {
        synth_cta(&p);
        for (int w = 0; w < 8; w++) {
            synth_warp(&p);
            for (int n = 0; n < 10; n++) synth_enter(&p, 0, UINT32_MAX);
        }
    }
    uint64_t cycles = synth_run(g, &p);
    struct run_stats s;
    gpu_read_stats(g, &s);
    assert_int_equal(s.sm.warp_instructions, 5 * 8 * 10 * 200);
    within(s.sm.warp_instructions, 2 * cycles, 990);
    synth_end(&p);
    gpu_free(g);
}
