/* random_machine.h - a machine for every number: odd, small, and one that config_check accepts. */
#ifndef WL_TESTS_RANDOM_MACHINE_H
#define WL_TESTS_RANDOM_MACHINE_H

#include <stdio.h>

#include "base/bits.h"
#include "param/config.h"

#define LIST_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t machine_draw(uint64_t *seed, uint64_t below) { return splitmix64(seed) % below; }

/* Mostly small: that is where queues fill and parts wait for one another. */
static int64_t size_of(uint64_t *seed, uint64_t most)
{
    uint64_t limit = machine_draw(seed, 3) ? 1 + machine_draw(seed, 4) : most;
    return (int64_t)(1 + machine_draw(seed, limit < most ? limit : most));
}

static int64_t one_of(uint64_t *seed, const int64_t *list, unsigned n) { return list[machine_draw(seed, n)]; }
#define ONE_OF(...)    one_of(&s, (const int64_t[]){__VA_ARGS__}, LIST_SIZE(((const int64_t[]){__VA_ARGS__})))
#define SET(id, value) (c->v[P_##id] = (value))

static void random_sm(struct gpu_config *c, uint64_t s)
{
    SET(SM_COUNT, size_of(&s, 16));
    SET(SM_WARPS, ONE_OF(32, 48, 64));
    SET(SM_CTAS, size_of(&s, 16));
    SET(SM_SCHEDULERS, ONE_OF(1, 2, 4, 8));
    SET(SM_ISSUE_DELAY, (int64_t)machine_draw(&s, 8));
    SET(SM_MEM_DELAY, size_of(&s, 8));
    SET(SM_LSU_QUEUE, size_of(&s, 16));
    SET(SM_ALU_PIPES, size_of(&s, 4));
    SET(SM_DP_PIPES, (int64_t)machine_draw(&s, 2));
    SET(SM_LAUNCH_DELAY, ONE_OF(0, 0, 1, 3000));
    SET(LAT_INT_ADD, size_of(&s, 20));
    SET(INIT_INT_ADD, size_of(&s, 4));
    SET(LAT_FP_MAD, size_of(&s, 2000)); /* longer than a wheel */
    SET(SHARED_LATENCY, size_of(&s, 40));
    SET(SHARED_BANKS, ONE_OF(16, 32, 64));
    config_set_sched(c, machine_draw(&s, 2) ? "lrr" : "gto", NULL);
    SET(SM_COALESCE, (int64_t)machine_draw(&s, 2));
}

/* Options of GPGPU-Sim 3.2's SM. */
static void random_old_sm(struct gpu_config *c, uint64_t s)
{
    SET(SM_ORDER, (int64_t)machine_draw(&s, 2));
    SET(SM_MEM_ISSUE, (int64_t)machine_draw(&s, 3));
    SET(SM_FETCH, (int64_t)machine_draw(&s, 2));
    SET(IL1_PERFECT, machine_draw(&s, 4) == 0);
    SET(IL1_SETS, ONE_OF(1, 4, 4, 16));
    SET(IL1_WAYS, size_of(&s, 8));
    SET(IL1_MSHR, size_of(&s, 8));
    SET(IL1_MERGE, size_of(&s, 64));
    SET(IL1_MISSQ, size_of(&s, 8));
    SET(SM_COLLECT, (int64_t)machine_draw(&s, 3));
    SET(SM_CLASSES, (int64_t)machine_draw(&s, 2));
    SET(SM_ALU_COLLECTORS, (int64_t)machine_draw(&s, 7));
    SET(SM_SFU_COLLECTORS, size_of(&s, 8));
    SET(SM_RESULT_BUSES, size_of(&s, 3));
    SET(SM_ATOMIC, (int64_t)machine_draw(&s, 2));
    SET(SM_MEMBAR, (int64_t)machine_draw(&s, 2));
    SET(SM_REG_UNIT, ONE_OF(1, 4));
    SET(SM_CTA_SHARE, (int64_t)machine_draw(&s, 2));
    SET(SM_WRITEBACK, size_of(&s, 3));
    if (machine_draw(&s, 3)) return;
    SET(SM_FETCH, 2); /* the front end of real GPUs */
    SET(IL0_SETS, ONE_OF(1, 2, 8));
    SET(IL0_WAYS, size_of(&s, 8));
    SET(IL0_PREFETCH, ONE_OF(0, 1, 4, 32));
    SET(IL0_INST_BYTES, ONE_OF(8, 16));
    SET(IL1_LATENCY, ONE_OF(0, 1, 20));
}

static void random_l1(struct gpu_config *c, uint64_t s)
{
    SET(L1D_SETS, ONE_OF(16, 32, 32, 64));
    SET(L1D_WAYS, size_of(&s, 8));
    SET(L1D_INDEX, c->v[P_L1D_SETS] == 16 ? ONE_OF(0, 1, 3) : ONE_OF(0, 1, 2, 3));
    SET(L1D_SECTORED, (int64_t)machine_draw(&s, 2));
    SET(L1D_MSHR, size_of(&s, 64));
    SET(L1D_MERGE, size_of(&s, 16));
    SET(L1D_MISSQ, 1 + size_of(&s, 16)); /* evicting a dirty line needs two entries */
    SET(L1D_PIPE, ONE_OF(0, 0, 1, 2, 35));
    SET(L1D_SLOTS, ONE_OF(0, 0, 1, 2, 100));
    SET(L1D_HIT, (int64_t)machine_draw(&s, 4));
    SET(L1D_FLUSH, (int64_t)machine_draw(&s, 2));
    SET(L1D_GLOBAL, machine_draw(&s, 4) != 0);
    SET(L1D_INFINITE, machine_draw(&s, 8) == 0);
    SET(L1C_MSHR, size_of(&s, 4));
    SET(L1C_MERGE, size_of(&s, 64));
    SET(L1C_MISSQ, size_of(&s, 4));
    SET(L1T_MSHR, size_of(&s, 64));
    SET(L1T_MERGE, size_of(&s, 8));
    SET(L1T_PIPE, ONE_OF(0, 1, 35));
    SET(L1D_WRITE, (int64_t)machine_draw(&s, 2));
    SET(L1D_READONLY, (int64_t)machine_draw(&s, 2));
    SET(L1C_PERFECT, machine_draw(&s, 4) == 0);
    if (!c->v[P_L1D_INFINITE] && machine_draw(&s, 3) == 0) { /* some ways go to shared memory */
        SET(SHARED_UNIFIED, 64 << 10);
        snprintf(c->shared_options, sizeof c->shared_options, "%s", machine_draw(&s, 2) ? "0,4,16,48" : "8,48");
    }
    SET(L1D_PREFETCH, size_of(&s, 16));
    config_set_l1(c, machine_draw(&s, 3) ? "lru" : "nextline:degree=2", NULL);
}

static void random_l2(struct gpu_config *c, uint64_t s)
{
    SET(ICNT_FLIT, ONE_OF(8, 32, 40, 128));
    SET(ICNT_LATENCY, size_of(&s, 30));
    SET(ICNT_IN, size_of(&s, 16));
    SET(ICNT_OUT, size_of(&s, 16));
    SET(L2_SLICES, ONE_OF(1, 2, 4));
    SET(L2_SETS, ONE_OF(16, 32, 64));
    SET(L2_WAYS, 1 + size_of(&s, 8));
    SET(L2_INDEX, ONE_OF(0, 1, 3));
    SET(L2_SECTORED, (int64_t)machine_draw(&s, 2));
    SET(L2_MSHR, 3 + size_of(&s, 64)); /* a line of a sectored L2 needs four */
    SET(L2_MERGE, size_of(&s, 8));
    SET(L2_MISSQ, 2 + size_of(&s, 8)); /* a forwarded store that evicts needs three */
    SET(L2_WRITE, (int64_t)machine_draw(&s, 3));
    SET(L2_PORT, ONE_OF(8, 32, 64, 128));
    SET(L2_ROP, ONE_OF(0, 1, 120, 1500)); /* beyond the clock's wheel */
    SET(L2_INQ, size_of(&s, 16));
    SET(L2_MEMQ, size_of(&s, 16));
    SET(L2_FILLQ, size_of(&s, 16));
    SET(L2_OUTQ, size_of(&s, 16));
    SET(L2_COPY_FILLS, (int64_t)machine_draw(&s, 2));
    config_set_l2(c, machine_draw(&s, 3) ? "lru" : "eabp:bypass=on", NULL); /* it lets reads bypass the tags */
    SET(L2_PROMOTE, ONE_OF(1, 1, 2, 4));
}

static void random_memory(struct gpu_config *c, uint64_t s)
{
    static const char *const maps[] = {
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
        "dramid@10;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.CCCCBBBB.CCSSSSSS"};
    snprintf(c->dram_map, sizeof c->dram_map, "%s", maps[machine_draw(&s, LIST_SIZE(maps))]);
    SET(MEM_CHANNELS, size_of(&s, 8));
    SET(MEM_LATENCY, ONE_OF(0, 1, 100, 1200));
    SET(MEM_SCHED, (int64_t)machine_draw(&s, 2));
    SET(MEM_QUEUE, size_of(&s, 64));
    SET(MEM_RETURNQ, size_of(&s, 64));
    SET(DRAM_ATOM, ONE_OF(32, 64, 128));
    SET(DRAM_BURST, size_of(&s, 4));
    SET(DRAM_GROUPS, ONE_OF(1, 2, 4, 16));
    SET(DRAM_CCD, size_of(&s, 4));
    SET(DRAM_CCDL, (int64_t)machine_draw(&s, 6));
    SET(DRAM_RRD, size_of(&s, 12));
    SET(DRAM_RCD, size_of(&s, 24));
    SET(DRAM_RP, size_of(&s, 24));
    SET(DRAM_RAS, size_of(&s, 40));
    SET(DRAM_RC, c->v[P_DRAM_RAS] + size_of(&s, 20));
    SET(DRAM_WL, (int64_t)machine_draw(&s, 20)); /* longer than tRCD, now and then */
    SET(DRAM_CDLR, (int64_t)machine_draw(&s, 10));
    SET(DRAM_WR, (int64_t)machine_draw(&s, 20));
    SET(NVM_MAP, ONE_OF(0, 0, 1, 2, 3, 4));
    SET(NVM_WEAR, ONE_OF(0, 1, 65536));
    SET(DRAM_RRD_PRE, ONE_OF(0, 6));
    SET(MEM_ZERO, ONE_OF(0, 0, 0, 1, 2, 3, 4));
    SET(DRAM_DUAL, (int64_t)machine_draw(&s, 2));
    int64_t slices = c->v[P_MEM_CHANNELS] * c->v[P_L2_SLICES];
    SET(MEM_HASH, slices == 16 || slices == 32 ? ONE_OF(0, 1, 2) : is_pow2((uint64_t)slices) ? ONE_OF(0, 1) : 0);
}

static void random_clocks(struct gpu_config *c, uint64_t s)
{
    static const int64_t khz[] = {700000, 700000, 1400000, 924000, 350000, 699999, 1000003, 123457};
    SET(CLOCK_CORE, one_of(&s, khz, LIST_SIZE(khz)));
    SET(CLOCK_ICNT, one_of(&s, khz, LIST_SIZE(khz)));
    SET(CLOCK_L2, one_of(&s, khz, LIST_SIZE(khz)));
    SET(CLOCK_DRAM, one_of(&s, khz, LIST_SIZE(khz)));
}

/* What GPGPU-Sim 3.2 did in the memory system; the last part, because some of it goes with values of the others. */
static void random_v3(struct gpu_config *c, uint64_t s)
{
    bool lines = machine_draw(&s, 3) != 0;
    if (lines) SET(L2_SECTORED, 0);
    lines = !c->v[P_L2_SECTORED];
    if (lines && machine_draw(&s, 2)) SET(L2_WRITE, 1);
    SET(ICNT_GAP, (int64_t)machine_draw(&s, 3));
    SET(L1D_MISSQ_RULE, (int64_t)machine_draw(&s, 2));
    SET(L1D_STORE_WAY, (int64_t)machine_draw(&s, 2));
    SET(L1D_MSHR_FREE, (int64_t)machine_draw(&s, 2));
    SET(L1T_FIFO, ONE_OF(0, 1, 4, 128));
    SET(L1T_FLUSH, (int64_t)machine_draw(&s, 2));
    SET(L1C_FLUSH, (int64_t)machine_draw(&s, 2));
    SET(L2_PORT_TIME, (int64_t)machine_draw(&s, 3));
    SET(L2_MISSQ_RULE, (int64_t)machine_draw(&s, 2));
    SET(L2_MEMQ_STOPS, (int64_t)machine_draw(&s, 2));
    SET(L2_PENDING_STORE, lines && c->v[P_L2_WRITE] == 1 && machine_draw(&s, 2));
    SET(L2_ACK, (int64_t)machine_draw(&s, 2));
    SET(L2_HOP, (int64_t)machine_draw(&s, 2));
    SET(L2_ENTRY, (int64_t)machine_draw(&s, 2));
    SET(L2_TEXTURE, c->v[P_L2_ENTRY] && machine_draw(&s, 2));
    int64_t packet = (c->v[P_ICNT_HEADER] + 128 + c->v[P_ICNT_FLIT] - 1) / c->v[P_ICNT_FLIT];
    SET(SM_CLUSTER, c->v[P_SM_COUNT] % 2 == 0 ? ONE_OF(1, 2) : c->v[P_SM_COUNT] % 3 == 0 ? ONE_OF(1, 3) : 1);
    SET(ICNT_IN_FLITS,
        lines && machine_draw(&s, 2) ? (packet + (int64_t)machine_draw(&s, 20)) * c->v[P_SM_CLUSTER] : 0);
    SET(ICNT_OUT_FLITS, c->v[P_L2_ENTRY] && machine_draw(&s, 2) ? packet + (int64_t)machine_draw(&s, 20) : 0);
    SET(MEM_WINDOW, (int64_t)machine_draw(&s, 2));
    SET(MEM_FEED, (int64_t)machine_draw(&s, 2));
    SET(MEM_DELAY_CLOCK, (int64_t)machine_draw(&s, 2));
    SET(DRAM_COLUMNS, (int64_t)machine_draw(&s, 2));
    SET(DRAM_GROUPING, (int64_t)machine_draw(&s, 2));
    SET(DRAM_TURN, (int64_t)machine_draw(&s, 2));
}

/* What machines since Hopper have: clusters on GPCs, products of warp groups, constants near and far, joined reads. */
static void random_hopper(struct gpu_config *c, uint64_t s)
{
    SET(GPU_GPCS, ONE_OF(0, 0, 1, 11, 21, 99));
    SET(CLUSTER_LATENCY, (int64_t)machine_draw(&s, 300));
    SET(CLUSTER_EVENT, size_of(&s, 1500)); /* longer than a wheel */
    SET(CLUSTER_BARRIER, size_of(&s, 1500));
    SET(CLUSTER_BYTES, ONE_OF(1, 21, 1024));
    SET(LAT_WGMMA, (int64_t)machine_draw(&s, 1500));
    SET(INIT_WGMMA, size_of(&s, 64));
    SET(INIT_WGMMA_LEAST, (int64_t)machine_draw(&s, 64));
    SET(L1C_FILL, (int64_t)machine_draw(&s, 3));
    SET(L1C_NEAR, ONE_OF(0, 1, 2, 32));
    SET(L1C_NEAR_HIT, (int64_t)machine_draw(&s, 40));
    SET(L1C_FAR_HIT, (int64_t)machine_draw(&s, 200));
    SET(L1C_TURN, (int64_t)machine_draw(&s, 4));
    SET(ICNT_STORE_HOLD, (int64_t)machine_draw(&s, 5));
    bool may_join = c->v[P_SM_CLUSTER] == 1 && !c->v[P_L2_ENTRY] && !c->v[P_ICNT_IN_FLITS] && !c->v[P_ICNT_OUT_FLITS];
    SET(ICNT_JOIN, may_join ? ONE_OF(0, 1, 2, 16) : 0);
    SET(ICNT_JOIN_CYCLES, size_of(&s, 300));
    SET(ICNT_JOIN_GROUPS, ONE_OF(1, 2, 8));
}

/* An L2 of two halves, where the rest allows it. */
static void random_halves(struct gpu_config *c, uint64_t s)
{
    static const int params[] = {P_L2_ENTRY, P_L2_HOP, P_L2_ACK, P_L2_MEMQ_STOPS, P_ICNT_IN_FLITS, P_ICNT_OUT_FLITS};
    bool may = c->v[P_L2_SECTORED] && c->v[P_L2_SLICES] > 1 && c->v[P_L2_PENDING_STORE] != 1;
    for (unsigned i = 0; i < LIST_SIZE(params); i++) may &= !c->v[params[i]];
    if (!may) return;
    SET(L2_HALVES, 1);
    SET(L2_CROSSING, ONE_OF(0, 1, 72, 1500)); /* longer than a wheel */
    SET(L2_MSHR, c->v[P_L2_MSHR] + 5);
    SET(ICNT_JOIN_GROUPS, ONE_OF(2, 4, 8));
}

/* 0, or what config_check says. Each part of the machine is random or the preset's, so that one odd part meets usual
 * ones too. */
static int random_machine(struct gpu_config *c, uint64_t seed, struct wl_err *e)
{
    static void (*const parts[])(struct gpu_config *, uint64_t) = {random_sm, random_old_sm, random_l1,
                                                                   random_l2, random_memory, random_clocks,
                                                                   random_v3, random_hopper, random_halves};
    config_defaults(c);
    snprintf(c->name, sizeof c->name, "seed %llu", (unsigned long long)seed);
    uint64_t s = seed * 977;
    for (unsigned i = 0; i < LIST_SIZE(parts); i++) {
        uint64_t own = splitmix64(&s);
        if (own % 3) parts[i](c, own);
    }
    SET(SM_REGISTERS, 65536); /* every workload fits */
    SET(STATS_PROFILE, (int64_t)(seed % 2));
    return config_check(c, e);
}

#undef ONE_OF
#undef SET

#endif
