/* test_energy.c - the energy of a run, computed by hand from a few counters. */
#include "test.h"

#include <math.h>

#include "stats/energy.h"

static const struct energy_machine machine = {
    .sms = 15, .channels = 6, .core_khz = 700000, .flit_bytes = 32, .dram_atom_bytes = 64};

static void near(double is, double expected)
{
    if (fabs(is - expected) > 1e-9 * (1 + fabs(expected))) fail_msg("%.12g is not %.12g", is, expected);
}

/* 7000 cycles of 700 MHz are 10 microseconds. */
static struct run_stats example(void)
{
    struct run_stats s = {.cycles = 7000};
    s.sm = (struct sm_stats){.warp_instructions = 1000,
                             .register_reads = 64000,
                             .register_writes = 32000,
                             .int_lanes = 16000,
                             .fp_lanes = 3200,
                             .dp_lanes = 320,
                             .sfu_lanes = 640,
                             .shared_passes = 10};
    s.l1t = (struct l1t_stats){.hits = 3, .hits_reserved = 1, .misses = 2};
    s.l1c = (struct l1c_stats){.hits = 5, .misses = 1};
    s.l1d = (struct l1d_stats){.load_hits = 100,
                               .hits_reserved = 20,
                               .load_misses = 30,
                               .bypasses = 9,
                               .bypass_lookups = 4,
                               .stores = 50,
                               .store_hits = 10,
                               .stall_mshr = 6,
                               .stall_line = 5};
    s.icnt = (struct icnt_stats){.request_flits = 200, .reply_flits = 300};
    s.l2 = (struct l2_stats){.hits = 50,
                             .hits_reserved = 8,
                             .misses = 60,
                             .reads = 70,
                             .writes = 40,
                             .write_hits = 15,
                             .write_merges = 3,
                             .atomics = 5,
                             .fills = 35,
                             .writebacks = 8};
    s.dram = (struct dram_stats){.reads = 70, .writes = 16, .activates = 12};
    return s;
}

TEST(events_by_hand)
{
    struct run_stats s = example();
    struct energy_machine m = machine;
    m.table_accesses = 77, m.queue_accesses = 11;
    double n[ENERGY_EVENTS];
    energy_events(&s, &m, n);
    near(n[ENERGY_FRONT], 1000);
    near(n[ENERGY_RF_READ], 2000);
    near(n[ENERGY_RF_WRITE], 1000);
    near(n[ENERGY_INT], 500);
    near(n[ENERGY_FP], 120); /* 100 of fp32, 10 of fp64 twice */
    near(n[ENERGY_SFU], 20);
    near(n[ENERGY_L1_READ_HIT], 120);
    near(n[ENERGY_L1_READ_MISS], 30);
    near(n[ENERGY_L1_WRITE_MISS], 40);
    near(n[ENERGY_L1_NACK], 15); /* 11 cycles of refusal; 4 bypasses looked, 5 did not and cost nothing */
    near(n[ENERGY_MSHR], 50);
    near(n[ENERGY_TABLE], 77);
    near(n[ENERGY_QUEUE], 11);
    near(n[ENERGY_FLIT], 500);
    near(n[ENERGY_L2_READ_HIT], 48);  /* 50 hits - 15 of writes + 8 merged - 3 of writes + 8 victims */
    near(n[ENERGY_L2_READ_MISS], 35); /* 75 reads and atomics - 40 */
    near(n[ENERGY_L2_WRITE_HIT], 20); /* and 5 of atomics */
    near(n[ENERGY_L2_WRITE_MISS], 25);
    near(n[ENERGY_DRAM_READ], 70);
}

/* The same bytes in other units: 40-byte flits, sectors, 32-byte commands. */
/* A re-execution queue: a push writes, a try reads, a refused try writes again; refusals are its own. */
TEST(a_queue_has_its_own_refusals)
{
    struct run_stats s = {0};
    struct energy_machine m = {0};
    double n[ENERGY_EVENTS];
    s.l1d.stall_mshr = 1000;
    s.l1d.bypass_lookups = 1;
    s.sm.reexec_pushes = s.sm.reexec_accepted = 10;
    s.sm.reexec_retries = 50;
    s.sm.reexec_refusals = 55;
    energy_events(&s, &m, n);
    near(n[ENERGY_L1_NACK], 55 + 1);
    near(n[ENERGY_QUEUE], 10 + 50 + 40);
}

TEST(units_are_scaled)
{
    struct run_stats s = example();
    struct energy_machine m = machine;
    m.flit_bytes = 64, m.l2_sectored = true, m.dram_atom_bytes = 32;
    double n[ENERGY_EVENTS];
    energy_events(&s, &m, n);
    near(n[ENERGY_FLIT], 1000);
    near(n[ENERGY_L2_READ_HIT], 12);
    near(n[ENERGY_L2_WRITE_MISS], 6.25);
    near(n[ENERGY_DRAM_READ], 35);
}

/* Both tables by hand, in picojoules. */
TEST(totals_by_hand)
{
    struct run_stats s = example();
    struct energy a = energy_of(&energy_tables[ENERGY_GTX480], &s, &machine);
    double core = 1000 * (58.5 + 53) + 2000 * 234. + 1000 * 192. + 500 * 86. + 120 * 947. + 20 * 1549. + 10 * 2120. +
                  4 * 1353. + 2 * 2225. + 5 * 1467. + 1113.;
    double l1 = 120 * 2935. + 30 * 2225. + 10 * 220. + 40 * 2604. + 15 * 176.;
    double l2 = 48 * 2805. + 35 * 102. + 20 * 13851. + 25 * 15024.;
    double dram = 70 * 26948. + 16 * 15865. + 12 * 4232.;
    near(a.part[ENERGY_CORE], core * 1e-6);
    near(a.part[ENERGY_L1], l1 * 1e-6);
    near(a.part[ENERGY_NETWORK], 500 * 1939e-6);
    near(a.part[ENERGY_L2], l2 * 1e-6);
    near(a.part[ENERGY_DRAM], dram * 1e-6);
    near(a.leakage, 464);                                              /* 46.4 W for 10 us */
    near(a.total, (core + l1 + 500 * 1939. + l2 + dram) * 1e-6 + 464); /* E1 */
    near(a.edp, a.total * 10);

    struct energy b = energy_of(&energy_tables[ENERGY_GENERIC45], &s, &machine);
    assert_true(a.calibrated && !b.calibrated); /* round values were fitted to nothing */
    near(b.part[ENERGY_L1], (120 * 960. + 30 * 960. + 10 * 200. + 40 * 60. + 15 * 60. + 50 * 40.) * 1e-6);
    near(b.leakage, 210); /* 15 SMs, L2 and uncore: 21 W */
    near(b.background, 36);
    near(b.part[ENERGY_DRAM], (70 * 8200. + 16 * 8200. + 12 * 6000.) * 1e-6 + 36);
}

/* E2, E3: twice the time doubles what time costs and nothing else; nothing done costs only time. */
TEST(time_and_events_are_apart)
{
    for (unsigned t = 0; t < ENERGY_TABLES; t++) {
        struct run_stats s = example(), twice = example(), idle = {.cycles = 7000};
        twice.cycles *= 2;
        struct energy a = energy_of(&energy_tables[t], &s, &machine),
                      b = energy_of(&energy_tables[t], &twice, &machine);
        struct energy c = energy_of(&energy_tables[t], &idle, &machine);
        near(b.leakage, 2 * a.leakage);
        near(b.background, 2 * a.background);
        for (unsigned i = 0; i < ENERGY_PARTS; i++) {
            double still = i == ENERGY_DRAM ? a.background : 0;
            near(b.part[i] - 2 * still, a.part[i] - still);
            near(c.part[i], still);
        }
        near(c.total, a.leakage + a.background);
        near(b.total - a.total, c.total);
    }
}

/* E5: coefficients times k scale every dynamic part by k. */
TEST(coefficients_scale_their_part)
{
    struct energy_table t = energy_tables[ENERGY_GENERIC45];
    struct run_stats s = example();
    struct energy a = energy_of(&t, &s, &machine);
    for (unsigned i = 0; i < ENERGY_EVENTS; i++) t.pj[i] *= 3;
    struct energy b = energy_of(&t, &s, &machine);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        double still = i == ENERGY_DRAM ? a.background : 0;
        near(b.part[i] - still, 3 * (a.part[i] - still));
    }
    near(b.leakage, a.leakage);
}

TEST(nothing_timed_costs_nothing)
{
    struct run_stats none = {0};
    struct energy e = energy_of(&energy_tables[ENERGY_GTX480], &none, &(struct energy_machine){0});
    near(e.total, 0);
    near(e.edp, 0);
}
