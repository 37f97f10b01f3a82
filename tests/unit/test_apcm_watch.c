/* test_apcm_watch.c - what APCM learns from the watched warp: the worked examples of its
 * description, exactly, in LAT, MTA and CAIT. */
#include "unit/apcm_rig.h"
#include "unit/policy_rig.h"

static void end(struct rig *r) { apcm_warp_exit(r->c, MON); }

TEST(one_warp_reuses_a_line)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (int i = 0; i < 5; i++) rig_load(&r, MON, 0, 0x1000);
    check_mta(&r, 0, 0, 0, 5, 5);
    assert_false(r.s->cait[0].valid);
    end(&r);
    check_cait(&r, 0, PROTECT, 5, 0);
    check_mta(&r, 0, 0, 0, 0, 0);
    rig_end(&r);
}

TEST(lines_seen_once)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (uint64_t a = 0x2000; a <= 0x2200; a += 0x80) rig_load(&r, MON, 1, a);
    assert_false(r.s->cait[1].valid);
    end(&r);
    check_cait(&r, 1, BYPASS, 1, 1);
    rig_end(&r);
}

TEST(another_warp_reads_it_too)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    rig_load(&r, MON, 2, 0x3000);
    rig_load(&r, OTH, 2, 0x3000);
    end(&r);
    check_cait(&r, 2, NORMAL, 2, 2);
    rig_end(&r);
}

TEST(another_warp_read_it_first)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    assert_int_equal(rig_load(&r, OTH, 2, 0x3000), L1_MISSED);
    check_mta(&r, 0, 0, 0, 0, 0);
    assert_int_equal(rig_load(&r, MON, 2, 0x3000), L1_HIT);
    assert_int_equal(r.s->line[0].acc, 2); /* line 96: set 0 */
    check_mta(&r, 0, 2, 2, 2, 1);
    end(&r);
    check_cait(&r, 2, NORMAL, 2, 2);
    rig_end(&r);
}

/* The first load is judged, the last is where its lines are done with. */
TEST(two_loads_share_a_line)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    rig_load(&r, MON, 0, 0x4000);
    rig_load(&r, MON, 3, 0x4000);
    end(&r);
    check_cait(&r, 0, PROTECT, 2, 3);
    assert_false(r.s->cait[3].valid);
    rig_end(&r);
}

TEST(shared_by_loads_and_warps)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    rig_load(&r, MON, 0, 0x4000);
    rig_load(&r, MON, 0, 0x4000);
    rig_load(&r, MON, 3, 0x4000);
    rig_load(&r, OTH, 0, 0x4000);
    end(&r);
    check_cait(&r, 0, NORMAL, 4, 3);
    rig_end(&r);
}

TEST(threshold)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (int i = 0; i < 8; i++) rig_load(&r, MON, 0, 0x1000);
    assert_false(r.s->cait[0].valid);
    rig_load(&r, MON, 0, 0x1000);
    check_cait(&r, 0, PROTECT, 9, 0);
    rig_load(&r, OTH, 0, 0x1000);
    check_cait(&r, 0, NORMAL, 10, 0);
    rig_end(&r);
}

/* Two rows a multiple of the MTA apart displace each other: private reuse looks like streaming. */
TEST(rows_that_collide)
{
    for (unsigned far = 0; far < 2; far++) {
        struct rig r;
        rig_begin(&r, "apcm", 32, 4);
        for (uint64_t i = 0; i < 8; i++) {
            const uint64_t line[2] = {(0x200000 + 16 * i) >> 7, ((far ? 0x201000 : 0x200800) + 16 * i) >> 7};
            rig_load_lines(&r, MON, 1, 2, line);
        }
        if (far) check_cait(&r, 1, BYPASS, 1, 1);
        end(&r);
        if (far) check_cait(&r, 1, BYPASS, 1, 1);
        else check_cait(&r, 1, PROTECT, 8, 1);
        rig_end(&r);
    }
}

TEST(counters_saturate)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (int i = 0; i < 20; i++) rig_load(&r, MON, 0, 0x1000);
    check_mta(&r, 0, 0, 0, 15, 15);
    check_cait(&r, 0, PROTECT, 15, 0);
    rig_end(&r);
}

TEST(both_counters_stop)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (int i = 0; i < 10; i++) {
        rig_load(&r, MON, 0, 0x1000);
        rig_load(&r, OTH, 0, 0x1000);
    }
    check_mta(&r, 0, 0, 0, 15, 8);
    check_cait(&r, 0, NORMAL, 15, 0);
    rig_end(&r);
}

TEST(third_and_later_requests_are_dropped)
{
    struct rig r;
    const uint64_t line[4] = {0, 1, 2, 3};
    rig_begin(&r, "apcm", 32, 4);
    for (unsigned i = 1; i <= 2; i++) {
        rig_load_lines(&r, MON, 0, 4, line);
        check_mta(&r, 0, 0, 0, i, i);
        check_mta(&r, 1, 0, 0, i, i);
        check_mta(&r, 2, 0, 0, 0, 0);
        check_mta(&r, 3, 0, 0, 0, 0);
    }
    assert_int_equal(r.c->count[N_MTA_DROPPED], 4);
    rig_end(&r);
}

TEST(larger_counts_win)
{
    static const struct {
        uint8_t acc, intra, method, kept;
    } step[] = {{1, 1, BYPASS, 1}, {3, 3, PROTECT, 3}, {3, 2, PROTECT, 3}, {2, 2, PROTECT, 3}, {4, 1, NORMAL, 4}};
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (unsigned i = 0; i < COUNT(step); i++) {
        update_cait(r.c, &(struct mta_entry){.first = 1, .last = 2, .acc = step[i].acc, .intra = step[i].intra});
        check_cait(&r, 1, (enum method)step[i].method, step[i].kept, 2);
    }
    rig_end(&r);
}

TEST(the_seventeenth_load_has_no_place)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(load_id(r.c, pc_of(i)), i);
    assert_int_equal(load_id(r.c, pc_of(16)), MAX_LOADS);
    assert_int_equal(load_id(r.c, pc_of(0)), 0);
    rig_load(&r, MON, 16, 0x1000);
    check_mta(&r, 0, 0, 0, 0, 0); /* not looked at */
    assert_int_equal(r.c->count[N_UNTRACKED], 1);
    rig_end(&r);
}

/* A transpose: lanes 34 floats apart, 34 iterations; lines in ascending order. */
static void kmeans(struct rig *r)
{
    for (uint64_t i = 0; i < 34; i++) {
        uint64_t line[32];
        unsigned n = 0;
        for (uint64_t lane = 0; lane < 32; lane++) {
            uint64_t at = (lane * 34 + i) * 4 >> 7;
            if (!n || line[n - 1] != at) line[n++] = at;
        }
        assert_int_equal(n, 32);
        assert_int_equal(line[0], i < 32 ? 0 : 1);
        assert_int_equal(line[1], i < 30 ? 1 : 2);
        rig_load_lines(r, MON, 0, n, line);
    }
}

TEST(kmeans_is_private_reuse)
{
    static const char *const init[] = {"apcm", "apcm:mta_init=always"};
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        rig_begin(&r, init[i], 32, 4);
        kmeans(&r);
        end(&r);
        check_cait(&r, 0, PROTECT, 15, 0);
        rig_end(&r);
    }
}

/* The warp's own lines, met for the first time by the MTA, are not taken for shared ones. */
TEST(own_lines_start_at_one)
{
    static const char *const init[] = {"apcm", "apcm:mta_init=always"};
    const uint64_t line[4] = {0, 1, 2, 3};
    for (unsigned always = 0; always < 2; always++) {
        struct rig r;
        rig_begin(&r, init[always], 32, 4);
        rig_load_lines(&r, MON, 0, 4, line);
        rig_load_lines(&r, MON, 0, 2, line + 2);
        check_mta(&r, 2, 0, 0, always ? 2 : 1, 1);
        check_mta(&r, 3, 0, 0, always ? 2 : 1, 1);
        end(&r);
        if (always) check_cait(&r, 0, NORMAL, 2, 0);
        else check_cait(&r, 0, BYPASS, 1, 0);
        rig_end(&r);
    }
}

/* Table 3 and the sums of two machines; shapes of Fig. 21 and depths of Fig. 22. */
static uint64_t storage(const char *spec, uint32_t warps)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    if (config_set_l1(&c, spec, &e)) fail_msg("%s", e.text);
    struct policy_rig r;
    policy_rig_make(&r, &c.l1, (struct wl_geometry){.level = WL_L1, .sets = 32, .ways = 4, .warps = warps});
    uint64_t bits = apcm_storage_bits(&r.host.cache);
    policy_rig_close(&r);
    return bits;
}

TEST(storage_is_table_3)
{
    assert_int_equal(storage("apcm", 48), 128 * 11 + 32 * 36 + 16 * 11 + 16 * 32 + 48 * 6);
    assert_int_equal(storage("apcm", 48), 3536);
    assert_int_equal(storage("apcm", 64), 3632);
    assert_int_equal(storage("apcm:mta=64", 48), 3536 - 32 * 36 + 64 * 35);
    assert_int_equal(storage("apcm:mta=32,mta_ways=32", 48), 3536 + 32 * 5); /* no index: 25-bit tags */
    assert_int_equal(storage("apcm:loads=4", 48), 128 * 11 + 32 * 32 + 4 * 9 + 4 * 32 + 48 * 4);
}

/* Set-associative MTAs replace the least recently used of a set. */
TEST(mta_shapes)
{
    struct rig r;
    rig_begin(&r, "apcm:mta=4,mta_ways=2", 32, 4);
    rig_load(&r, MON, 0, 0 * 128);
    rig_load(&r, MON, 1, 2 * 128); /* the same set, the other way */
    rig_load(&r, MON, 0, 0 * 128);
    rig_load(&r, MON, 2, 4 * 128); /* displaces line 2 */
    check_cait(&r, 1, BYPASS, 1, 1);
    assert_false(r.s->cait[0].valid);
    assert_int_equal(r.c->count[N_MTA_EVICTIONS], 1);
    rig_end(&r);
}

/* When somebody is watched: once a kernel; every warp of the slot; until all loads have a verdict. */
TEST(who_is_watched)
{
    static const struct {
        const char *spec;
        bool other_slot, same_slot;
    } c[] = {{"apcm", false, false}, {"apcm:monitor=every", false, true}, {"apcm:monitor=unclassified", true, true}};
    for (unsigned i = 0; i < COUNT(c); i++)
        for (unsigned same = 0; same < 2; same++) {
            struct rig r;
            rig_begin(&r, c[i].spec, 32, 4);
            rig_load(&r, MON, 0, 0x1000); /* loads 1 to 3 stay without verdict */
            apcm_warp_launch(r.c, OTH);
            assert_int_equal(r.s->watched, MON);
            end(&r);
            apcm_warp_launch(r.c, same ? MON : OTH);
            assert_int_equal(r.s->watching, same ? c[i].same_slot : c[i].other_slot);
            kernel_begin(r.c, 1);
            apcm_warp_launch(r.c, OTH);
            assert_true(r.s->watching && r.s->watched == OTH);
            rig_end(&r);
        }
}

TEST(what_a_kernel_forgets)
{
    static const struct {
        const char *spec;
        bool keeps_same, keeps_other;
    } c[] = {
        {"apcm", false, false}, {"apcm:kernel_state=function", true, false}, {"apcm:kernel_state=never", true, true}};
    for (unsigned i = 0; i < COUNT(c); i++)
        for (unsigned other = 0; other < 2; other++) {
            struct rig r;
            rig_begin(&r, c[i].spec, 32, 4);
            rig_load(&r, MON, 0, 0x1000);
            end(&r);
            assert_true(r.s->cait[0].valid);
            kernel_begin(r.c, other ? 2 : 1);
            assert_int_equal(r.s->cait[0].valid, other ? c[i].keeps_other : c[i].keeps_same);
            rig_end(&r);
        }
}

TEST(folded_ids_collide)
{
    struct rig r;
    rig_begin(&r, "apcm:load_id=index", 32, 4);
    assert_int_equal(fold(0x1f8, 16), 0x3 ^ 0xf); /* 0x1f8 / 8 = 0x3f */
    assert_int_equal(fold(8, 16), 1);
    assert_int_equal(fold(0x110 * 8, 16), 0); /* 1 ^ 1 */
    rig_end(&r);
}

/* Loads of local memory are not looked at and have no ID. */
TEST(local_loads_are_not_subject)
{
    struct rig r;
    rig_begin(&r, "apcm", 32, 4);
    struct wl_load l = {.pc = 0x8000, .warp = MON, .requests = 1, .space = WL_LOCAL};
    apcm_load_begin(r.c, &l);
    assert_int_equal(r.s->lat_used, 4);
    assert_int_equal(apcm_decide(r.c, &(struct wl_access){.load = &l, .space = WL_LOCAL}), WL_NORMAL);
    rig_end(&r);
}
