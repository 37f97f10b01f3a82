/* test_hac_memory.c - hybrid memory: which page lies where, how often lines are written, and whole
 * runs in which the policies of the L2 meet it. */
#include "test.h"

#include "mem/nvm.h"
#include "mem/wear.h"
#include "timing/run_rig.h"

/* ---- placement ---- */

#define BASE DEVICE_BASE

static uint64_t nvm_pages(const struct nvm_map *m, uint64_t first, uint64_t pages)
{
    uint64_t n = 0;
    for (uint64_t p = first; p < first + pages; p++) {
        bool nvm = nvm_line(m, p * NVM_PAGE_LINES);
        for (uint64_t l = 1; l < NVM_PAGE_LINES; l++) assert_int_equal(nvm_line(m, p * NVM_PAGE_LINES + l), nvm);
        n += nvm;
    }
    return n;
}

TEST(the_hash_takes_half_of_any_range)
{
    struct nvm_map m = {.rule = NVM_PAGE_HASH, .seed = 1};
    for (uint64_t at = 0; at < 5; at++)
        assert_in_range(nvm_pages(&m, BASE / NVM_PAGE_BYTES + at * 100000, 2000), 950, 1050);
    struct nvm_map other = {.rule = NVM_PAGE_HASH, .seed = 2};
    uint64_t same = 0;
    for (uint64_t p = 0; p < 2000; p++)
        same += nvm_line(&m, p * NVM_PAGE_LINES) == nvm_line(&other, p * NVM_PAGE_LINES);
    assert_in_range(same, 900, 1100);
}

TEST(allocations_lie_in_one_memory_each)
{
    struct nvm_map m = {.rule = NVM_ALLOC, .seed = 1};
    const uint64_t page = BASE / NVM_PAGE_BYTES;
    assert_int_equal(nvm_map_init(&m, BASE, 1 << 24), 0);
    nvm_place(&m, BASE, 8 * NVM_PAGE_BYTES);                         /* DRAM */
    nvm_place(&m, BASE + 8 * NVM_PAGE_BYTES, 3 * NVM_PAGE_BYTES);    /* NVM: it has less, */
    nvm_place(&m, BASE + 11 * NVM_PAGE_BYTES, 6 * NVM_PAGE_BYTES);   /* and still has */
    nvm_place(&m, BASE + 17 * NVM_PAGE_BYTES, 100);                  /* DRAM */
    nvm_place(&m, BASE + 17 * NVM_PAGE_BYTES + 256, NVM_PAGE_BYTES); /* shares that page; balanced: DRAM */
    assert_int_equal(nvm_pages(&m, page, 8), 0);
    assert_int_equal(nvm_pages(&m, page + 8, 9), 9);
    assert_int_equal(nvm_pages(&m, page + 17, 2), 0);
    nvm_place(&m, BASE + 8 * NVM_PAGE_BYTES, 20 * NVM_PAGE_BYTES); /* freed and taken again: what was placed stays */
    assert_int_equal(nvm_pages(&m, page + 8, 9), 9);
    assert_int_equal(nvm_pages(&m, page + 17, 2), 0);
    nvm_place(&m, BASE + (1 << 24) - 4, 1 << 20);                               /* no further than device memory */
    assert_in_range(nvm_pages(&m, L2_LOCAL / NVM_PAGE_BYTES, 2000), 900, 1100); /* local memory: by hash */
    nvm_map_destroy(&m);
}

TEST(only_the_upper_half_of_device_memory)
{
    struct nvm_map m = {.rule = NVM_HIGH_HALF, .half = 1000, .end = 2000};
    assert_false(nvm_line(&m, 999));
    assert_true(nvm_line(&m, 1000));
    assert_true(nvm_line(&m, 1999));
    assert_false(nvm_line(&m, 2000));
}

/* ---- wear ---- */

TEST(writes_are_counted_line_by_line)
{
    struct wear w;
    assert_int_equal(wear_init(&w, 100), 0);
    for (uint64_t round = 1; round <= 3; round++)
        for (uint64_t l = 0; l < 100; l++) assert_int_equal(wear_count(&w, l << 20), round);
    assert_int_equal(wear_count(&w, 7), 0); /* one too many: only counted in sum */
    assert_int_equal(wear_count(&w, 5 << 20), 4);
    assert_int_equal(wear_count(&w, UINT64_C(1) << 60), 0);
    wear_destroy(&w);
    struct wear none = {0};
    assert_int_equal(wear_count(&none, 1), 0);
}

/* ---- whole runs ---- */

/* clang-format off */
static const char *const policies[] = {"lru",       "hac",        "hac:write_class=l1_wrbk_only", "wbar", "hac_static",
                                       "fixed:d=2,n=5", "eabp", "eabp:bypass=on", "hac:promote_on_merge=no"};
/* clang-format on */
static const char *const programs[] = {"histogram", "bfs", "laplace3d", "atax"};

/* The paper's machine with an L2 of 24 KB, so that tiny inputs do not fit. The turn of the banks follows commands: with
 * dram.turn = rows it passes over the banks of both kinds, and how many there are depends on nvm.map. */
static struct outcome run_with(const char *program, const char *l2, const char *setting, struct gpu_options o)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (config_load(&c, "hac", &e) || config_set_l2(&c, l2, &e) || config_set(&c, "l2.sets=2", &e) ||
        config_set(&c, "l2.ways=8", &e) || config_set(&c, "dram.turn=commands", &e) ||
        (setting && config_set(&c, setting, &e)))
        fail_msg("%s", e.text);
    const struct workload *w = workload_find(program);
    assert_non_null(w);
    return run_workload(w, &c, o);
}

TEST(where_nothing_is_nvm_all_maps_are_one)
{
    for (unsigned i = 0; i < COUNT(programs); i += SLOW_BUILD ? 3 : 1)
        for (unsigned k = 0; k < COUNT(policies); k++) {
            struct outcome none = run_with(programs[i], policies[k], "nvm.map=none", (struct gpu_options){0});
            struct outcome high = run_with(programs[i], policies[k], "nvm.map=high_half", (struct gpu_options){0});
            assert_int_equal(none.stats.l2.nvm_accesses, 0);
            check_same_counters(&none.stats, &high.stats, policies[k]);
        }
}

TEST(inserting_as_most_recent_is_lru)
{
    for (unsigned i = 0; i < COUNT(programs); i++) {
        struct outcome lru = run_with(programs[i], "lru", NULL, (struct gpu_options){0});
        struct outcome mru = run_with(programs[i], "fixed:d=7,n=7", NULL, (struct gpu_options){0});
        check_same_counters(&lru.stats, &mru.stats, programs[i]);
        struct outcome blind = run_with(programs[i], "hac:type=off", "nvm.map=page_hash", (struct gpu_options){0});
        assert_int_equal(blind.stats.l2.bypasses, 0);
    }
}

TEST(both_engines_agree)
{
    static const char *const maps[] = {"nvm.map=page_hash", "nvm.map=alloc", "mem.zero=nvm_write"};
    uint64_t bypasses = 0, wear = 0;
    for (unsigned i = 0; i < COUNT(programs); i++)
        for (unsigned k = 0; k < COUNT(policies); k += SLOW_BUILD ? 3 : 1) {
            const char *map = maps[(i + k) % COUNT(maps)];
            struct outcome fast = run_with(programs[i], policies[k], map, (struct gpu_options){0});
            struct outcome tick = run_with(programs[i], policies[k], map, (struct gpu_options){.tick = true});
            check_same_counters(&fast.stats, &tick.stats, policies[k]);
            struct outcome mixed = run_with(programs[i], policies[k], map, (struct gpu_options){.shuffle = 7 + k});
            check_same_counters(&fast.stats, &mixed.stats, policies[k]);
            bypasses += fast.stats.l2.bypasses;
            wear += fast.stats.dram.nvm_line_writes;
        }
    assert_true(SLOW_BUILD || (bypasses > 100 && wear > 100)); /* else nothing was tested */
}

TEST(wear_adds_up)
{
    struct run_stats s = run_with("atax", "lru", NULL, (struct gpu_options){0}).stats;
    assert_int_equal(s.dram.nvm_line_writes, s.l2.writebacks_nvm);
    s = run_with("laplace3d", "hac:write_class=l1_wrbk_only", NULL, (struct gpu_options){0}).stats;
    assert_true(s.dram.nvm_line_writes_max > 0);
    assert_true(s.dram.nvm_line_writes_max * s.dram.nvm_lines_written >= s.dram.nvm_line_writes);
    struct run_stats few = run_with("laplace3d", "lru", "nvm.wear=1", (struct gpu_options){0}).stats;
    struct run_stats all = run_with("laplace3d", "lru", NULL, (struct gpu_options){0}).stats;
    assert_in_range(few.dram.nvm_lines_written, 1, 12); /* one per channel */
    assert_true(few.dram.nvm_line_writes_untracked > 0);
    assert_int_equal(few.cycles, all.cycles);
    assert_int_equal(few.dram.nvm_line_writes, all.dram.nvm_line_writes);
}
