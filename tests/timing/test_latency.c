/* test_latency.c - pointer chase: the time of one load is the sum of the stages it passes.
 *
 * Each load's address depends on the load before it, so loads follow one another, and the distance
 * of their issues is the latency. The formula is written stage by stage in ticks, with the clock
 * edges a request waits for; the machine is asked with equal clocks and with the GTX 480's. */
#include "timing/synth.h"

#include "engine/clock.h"

/* ---- the formula ---- */

struct machine {
    struct gpu_config c;
    uint64_t core, icnt, l2, dram; /* periods in ticks */
};

static uint64_t V(const struct machine *m, enum param_id id) { return (uint64_t)m->c.v[id]; }

static struct machine make(const char *settings)
{
    struct machine m = {.c = synth_config(settings)};
    int64_t khz[4] = {m.c.v[P_CLOCK_CORE], m.c.v[P_CLOCK_ICNT], m.c.v[P_CLOCK_L2], m.c.v[P_CLOCK_DRAM]};
    tick_t p[4];
    clock_periods(khz, 4, p);
    m.core = p[0];
    m.icnt = p[1];
    m.l2 = p[2];
    m.dram = p[3];
    return m;
}

/* First edge of a clock after t: what is pushed at t is seen then. */
static uint64_t after(uint64_t t, uint64_t period) { return (t / period + 1) * period; }
/* First edge not before t. */
static uint64_t from(uint64_t t, uint64_t period) { return (t + period - 1) / period * period; }

/* The request meets the L1D's tags: issue, operand collection, the pipe in front of the tags. */
static uint64_t at_l1_tags(const struct machine *m, uint64_t issue)
{
    return issue + m->core * (V(m, P_SM_MEM_DELAY) + V(m, P_L1D_PIPE));
}

/* A packet pushed at t is seen by the other end: a cycle in the input queue, its flits, the wire. */
static uint64_t through_net(const struct machine *m, uint64_t t, uint64_t flits)
{
    uint64_t sent = after(t, m->icnt), last_flit = sent + (flits - 1) * m->icnt;
    return last_flit + V(m, P_ICNT_LATENCY) * m->icnt;
}

static uint64_t flits(const struct machine *m, uint64_t bytes)
{
    return (V(m, P_ICNT_HEADER) + bytes + V(m, P_ICNT_FLIT) - 1) / V(m, P_ICNT_FLIT);
}

/* The miss waits one cycle in the miss queue, then leaves; the L2's own pipeline follows. */
static uint64_t at_l2_tags(const struct machine *m, uint64_t l1_tags)
{
    uint64_t sent = l1_tags + m->core;
    return from(through_net(m, sent, flits(m, 0)) + V(m, P_L2_ROP) * m->l2, m->l2);
}

/* A reply pushed at t: back to the SM, into the L1D, and a cycle later into the register. */
static uint64_t at_register(const struct machine *m, uint64_t t)
{
    uint64_t reply_flits = m->c.v[P_L2_SECTORED] ? 4 * flits(m, 32) : flits(m, 128);
    uint64_t arrived = from(through_net(m, t, reply_flits), m->core);
    return arrived + m->core;
}

/* A miss of the L2 at t: the way to the queue, a cycle to the bank, `row_cycles` until the row is
 * open, the columns of a line, the data; it is answered in the cycle in which it is filled. */
static uint64_t after_memory(const struct machine *m, uint64_t t, uint64_t row_cycles)
{
    uint64_t accepted = after(t + V(m, P_MEM_LATENCY) * m->l2, m->dram), at_bank = accepted + m->dram;
    uint64_t columns = m->c.v[P_L2_SECTORED] ? 4 : 128 / V(m, P_DRAM_ATOM);
    uint64_t last_column = at_bank + (row_cycles + (columns - 1) * V(m, P_DRAM_CCD)) * m->dram;
    return from(last_column + (V(m, P_DRAM_CL) + V(m, P_DRAM_BURST)) * m->dram, m->l2);
}

/* ---- the chase ---- */

enum { LINKS = 12 };

/* Follows LINKS lines and notes when each load was issued; the last note is the add that needs the
 * last load. The machine may have run before. */
static void chase(struct gpu *g, const uint64_t *addr, uint64_t *issue)
{
    struct synth p;
    synth_begin(&p, "chase", 1);
    for (uint16_t i = 0; i < LINKS; i++) synth_load_at(&p, (uint16_t)(i + 1), i);
    synth_add(&p, 100, LINKS, LINKS);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    for (int i = 0; i < LINKS; i++) synth_affine(&p, addr[i], 4); /* 32 words: a whole line */
    record_reset();
    synth_run(g, &p);
    for (unsigned i = 0; i <= LINKS; i++) issue[i] = issued_at(0, i);
    synth_end(&p);
}

static const char *const clocks[] = {
    "clock.dram=700000",                                     /* all the same */
    "clock.core=700000 clock.dram=924000",                   /* GTX 480 */
    "clock.core=1400000 clock.icnt=1400000 clock.l2=700000", /* a core twice as fast as its L2 */
};
static const char *const shapes[] = {
    "l2.sectored=no",
    "l2.sectored=yes",
    "l2.sectored=no l1d.pipe=0 l1d.hit=1 icnt.flit=32 icnt.latency=9 dram.atom=32",
    "l2.sectored=no sm.mem_delay=1 l2.latency=0 mem.latency=0 dram.burst=3 dram.tccd=3",
};

/* One SM and one channel: consecutive lines share a row. */
static struct machine build(unsigned i, unsigned k, struct gpu **g)
{
    char settings[512];
    snprintf(settings, sizeof settings, "sm.count=1 mem.channels=1 l2.slices_per_channel=1 %s %s", clocks[i],
             shapes[k]);
    struct machine m = make(settings);
    m.c.sched.policy = recording_lrr();
    *g = synth_gpu(&m.c);
    return m;
}

#define FOR_ALL_MACHINES(m, g)                                                                                         \
    for (unsigned i_ = 0; i_ < COUNT(clocks); i_++)                                                                    \
        for (unsigned k_ = 0; k_ < COUNT(shapes); k_++)                                                                \
            for (bool once_ = (m = build(i_, k_, &g), true); once_; gpu_free(g), once_ = false)

static const uint64_t base = DEVICE_BASE;

/* The dependent can issue in the cycle in which its register arrives. */
static void check(const struct machine *m, uint64_t issue, uint64_t next, uint64_t arrival)
{
    assert_int_equal(arrival % m->core, 0);
    assert_int_equal(next - issue, arrival / m->core - issue);
}

TEST(l1_hit)
{
    struct machine m;
    struct gpu *g;
    FOR_ALL_MACHINES(m, g)
    {
        uint64_t addr[LINKS], issue[LINKS + 1];
        for (int i = 0; i < LINKS; i++) addr[i] = base; /* the first misses, the rest hit */
        chase(g, addr, issue);
        for (int i = 1; i < LINKS; i++) {
            uint64_t arrival = at_l1_tags(&m, issue[i] * m.core) + V(&m, P_L1D_HIT) * m.core;
            check(&m, issue[i], issue[i + 1], arrival);
        }
    }
}

TEST(l2_hit)
{
    struct machine m;
    struct gpu *g;
    FOR_ALL_MACHINES(m, g)
    {
        uint64_t addr[LINKS], issue[LINKS + 1];
        for (unsigned i = 0; i < LINKS; i++) addr[i] = base + i * 128;
        gpu_host_copy(g, base, LINKS * 128); /* leaves the lines in the L2 */
        chase(g, addr, issue);
        for (int i = 0; i < LINKS; i++) {
            uint64_t l2_tags = at_l2_tags(&m, at_l1_tags(&m, issue[i] * m.core));
            check(&m, issue[i], issue[i + 1], at_register(&m, l2_tags));
        }
    }
}

static void chase_memory(uint64_t step, uint64_t (*row_cycles)(const struct machine *m, int i))
{
    struct machine m;
    struct gpu *g;
    FOR_ALL_MACHINES(m, g)
    {
        uint64_t addr[LINKS], issue[LINKS + 1];
        for (unsigned i = 0; i < LINKS; i++) addr[i] = base + i * step;
        chase(g, addr, issue);
        for (int i = 0; i < LINKS; i++) {
            uint64_t l2_tags = at_l2_tags(&m, at_l1_tags(&m, issue[i] * m.core));
            uint64_t filled = after_memory(&m, l2_tags, row_cycles(&m, i));
            check(&m, issue[i], issue[i + 1], at_register(&m, filled));
        }
    }
}

/* The first load opens the row, the others find it open. */
static uint64_t open_after_first(const struct machine *m, int i) { return i == 0 ? V(m, P_DRAM_RCD) : 0; }
/* Every load after the first closes a row and opens another. */
static uint64_t always_another(const struct machine *m, int i)
{
    return V(m, P_DRAM_RCD) + (i == 0 ? 0 : V(m, P_DRAM_RP));
}
/* Every load goes to a bank that nobody has used. */
static uint64_t always_closed(const struct machine *m, int i)
{
    (void)i;
    return V(m, P_DRAM_RCD);
}

/* With one channel the map is bit 8 per bank bit, 9 to 12 column, 13 to 15 bank, 16 and up row. */
TEST(dram_row_hit) { chase_memory(512, open_after_first); }
TEST(dram_row_miss) { chase_memory(65536, always_another); }

TEST(dram_closed_bank)
{
    struct machine m;
    struct gpu *g;
    FOR_ALL_MACHINES(m, g)
    {
        uint64_t addr[LINKS], issue[LINKS + 1];
        for (unsigned i = 0; i < LINKS; i++) addr[i] = base + (i & 1) * 256 + (i >> 1) * 8192;
        chase(g, addr, issue);
        for (int i = 0; i < LINKS; i++) {
            uint64_t l2_tags = at_l2_tags(&m, at_l1_tags(&m, issue[i] * m.core));
            check(&m, issue[i], issue[i + 1], at_register(&m, after_memory(&m, l2_tags, always_closed(&m, i))));
        }
    }
}

/* The same numbers for the GTX 480 written out, as a guard against a formula that follows the
 * code into an error: an L1D hit is 40 cycles, an L2 hit 5 + 35 + 2 + 7 + 120 + 1 + 3 + 7 + 1. */
TEST(gtx480_in_numbers)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(config_load(&c, "gtx480", &e), 0);
    c.sched.policy = recording_lrr();
    c.v[P_SM_COUNT] = 1;
    struct gpu *g = synth_gpu(&c);
    uint64_t addr[LINKS], issue[LINKS + 1];
    for (unsigned i = 0; i < LINKS; i++) addr[i] = base + i / 2 * 128; /* miss, hit, miss, hit, ... */
    gpu_host_copy(g, base, LINKS * 128);
    chase(g, addr, issue);
    for (int i = 0; i < LINKS; i += 2) {
        assert_int_equal(issue[i + 1] - issue[i], 181);
        assert_int_equal(issue[i + 2] - issue[i + 1], 40);
    }
    gpu_free(g);
}

/* ---- arithmetic ---- */

TEST(dependent_instructions_are_latency_and_issue_delay_apart)
{
    struct gpu_config c = synth_config("sm.count=1");
    c.sched.policy = recording_lrr();
    static const enum lat_class lat[] = {LAT_INT_ADD, LAT_INT_MUL, LAT_INT_DIV, LAT_FP_MAD,
                                         LAT_FP_DIV,  LAT_DP_ADD,  LAT_SFU};
    for (unsigned i = 0; i < COUNT(lat); i++) {
        struct gpu *g = synth_gpu(&c);
        struct synth p;
        synth_begin(&p, "alu", 1);
        for (int k = 0; k < 5; k++) synth_alu(&p, lat[i], 1, 1, 1);
        synth_cta(&p);
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        record_reset();
        synth_run(g, &p);
        uint64_t distance = (uint64_t)(c.v[P_LAT_INT_ADD + (int)lat[i]] + c.v[P_SM_ISSUE_DELAY]);
        for (unsigned k = 0; k < 4; k++) assert_int_equal(issued_at(0, k + 1) - issued_at(0, k), distance);
        synth_end(&p);
        gpu_free(g);
    }
}

TEST(independent_instructions_are_an_initiation_interval_apart)
{
    struct gpu_config c = synth_config("sm.count=1");
    c.sched.policy = recording_lrr();
    static const enum lat_class lat[] = {LAT_INT_ADD, LAT_INT_DIV, LAT_FP_DIV, LAT_DP_ADD, LAT_SFU};
    for (unsigned i = 0; i < COUNT(lat); i++) {
        struct gpu *g = synth_gpu(&c);
        struct synth p;
        synth_begin(&p, "alu", 1);
        for (uint16_t k = 0; k < 6; k++) synth_alu(&p, lat[i], k, 100, 100);
        synth_cta(&p);
        synth_warp(&p);
        synth_enter(&p, 0, UINT32_MAX);
        record_reset();
        synth_run(g, &p);
        uint64_t interval = (uint64_t)c.v[P_INIT_INT_ADD + (int)lat[i]];
        for (unsigned k = 0; k < 5; k++) assert_int_equal(issued_at(0, k + 1) - issued_at(0, k), interval);
        synth_end(&p);
        gpu_free(g);
    }
}

/* ---- shared memory ---- */

/* From an access of all lanes, `stride` bytes apart, to an instruction that needs what it returned. */
static uint64_t time_of(const char *settings, enum inst_kind kind, enum mem_space space, uint64_t first, int64_t stride)
{
    struct gpu_config c = synth_config(settings);
    c.sched.policy = recording_lrr();
    struct gpu *g = synth_gpu(&c);
    struct synth p;
    synth_begin(&p, "access", 1);
    p.info.shared_bytes = 32768;
    synth_load(&p, 1, space, 4)->kind = (uint8_t)kind;
    synth_add(&p, 2, 1, 1);
    synth_cta(&p);
    synth_warp(&p);
    synth_enter(&p, 0, UINT32_MAX);
    synth_affine(&p, first, stride);
    record_reset();
    synth_run(g, &p);
    uint64_t cycles = issued_at(0, 1) - issued_at(0, 0);
    synth_end(&p);
    gpu_free(g);
    return cycles;
}

static uint64_t shared_load(int64_t stride) { return time_of("sm.count=1", INST_LOAD, SPACE_SHARED, 0, stride); }

TEST(shared_memory_takes_its_passes_and_its_latency)
{
    struct gpu_config c;
    config_defaults(&c);
    uint64_t fixed = (uint64_t)(c.v[P_SM_MEM_DELAY] + c.v[P_SHARED_LATENCY]);
    assert_int_equal(shared_load(4), fixed + 1);
    assert_int_equal(shared_load(0), fixed + 1);
    assert_int_equal(shared_load(8), fixed + 2);
    assert_int_equal(shared_load(128), fixed + 32);
}

/* ---- atomics ---- */

static uint64_t shared_atomic(const char *settings, int64_t stride)
{
    return time_of(settings, INST_ATOMIC, SPACE_SHARED, 0, stride);
}

static uint64_t global_atomic(const char *settings)
{
    return time_of(settings, INST_ATOMIC, SPACE_GLOBAL, DEVICE_BASE, 0);
}

TEST(shared_atomics_that_meet_take_turns_or_go_together)
{
    uint64_t one = shared_atomic("sm.count=1", 4);
    assert_int_equal(shared_atomic("sm.count=1", 0), one + 31);
    assert_int_equal(shared_atomic("sm.count=1 shared.atomics=together", 0), one);
    assert_int_equal(shared_atomic("sm.count=1 shared.atomics=together", 128), one + 31); /* other words of a bank */
}

/* The same cold line: what goes past the pipe saves its stages, and the cycle that a miss waits to be sent. */
TEST(atomics_can_go_past_the_pipe_of_the_l1d)
{
    static const char *const machines[] = {"sm.count=1 l1d.pipe=20 ",
                                           "sm.count=1 l1d.pipe=39 sm.coalesce=sector l1d.banks=4 "};
    for (unsigned i = 0; i < COUNT(machines); i++) {
        char past[120];
        snprintf(past, sizeof past, "%sl1d.aside=past", machines[i]);
        uint64_t pipe = i ? 39 : 20;
        uint64_t through = global_atomic(machines[i]);
        assert_int_equal(through - global_atomic(past), pipe + 1);
    }
}
