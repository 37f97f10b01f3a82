/* test_profile.c - hand-made streams of load requests, and every number an observer makes of them. */
#include "test.h"

#include "observe/profile.h"

static struct profile p;
static struct observer *o;
static uint64_t age[8];
static const struct code_inst inst[] = {
    {.pc = 24, .kind = INST_LOAD, .space = SPACE_GLOBAL}, /* not in order of pc */
    {.pc = 8, .kind = INST_LOAD, .space = SPACE_GLOBAL},
    {.pc = 16, .kind = INST_ALU},
    {.pc = 32, .kind = INST_LOAD, .space = SPACE_SHARED},
};
static const struct code code = {.inst = inst, .ninst = COUNT(inst)};

static int begin(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT(age); i++) age[i] = 100 + i;
    assert_int_equal(profile_init(&p, 1), 0);
    o = &p.sm[0];
    o->age = age;
    assert_int_equal(profile_kernel_begin(&p, "k", &code), 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_destroy(&p);
    return 0;
}

static void free_report(struct profile_report *r)
{
    free(r->load);
    free(r->inst);
    free(r->heat.count);
}

/* ---- shorthands ---- */

static struct wl_access by(unsigned warp, uint64_t line, uint8_t sectors, uint32_t pc)
{
    return (struct wl_access){.line = line, .warp = (uint16_t)warp, .sectors = sectors, .pc = pc, .kind = WL_LOAD};
}

static void ask_for(unsigned warp, uint64_t line, uint8_t sectors, uint32_t pc, enum l1_outcome how)
{
    struct wl_access a = by(warp, line, sectors, pc);
    assert_int_equal(profile_grow(&p), 0);
    o->l1.request(&o->l1, &a, how, 15);
}

static void miss(unsigned warp, uint64_t line) { ask_for(warp, line, 1, 8, L1_MISSED); }
static void hit(unsigned warp, uint64_t line) { ask_for(warp, line, 1, 8, L1_HIT); }

static void evict(unsigned warp, uint64_t line)
{
    struct wl_access a = by(warp, 999, 1, 8);
    o->l1.evict(&o->l1, &a, line);
}

static struct profile_stats counted(void)
{
    struct profile_stats s;
    profile_read_stats(&p, &s);
    return s;
}

/* ---- loads: MPLI ---- */

static void load(uint16_t requests, uint16_t missed, uint16_t merged, uint16_t bypassed)
{
    struct wl_load l = {.pc = 8, .requests = requests, .missed = missed, .merged = merged, .bypassed = bypassed};
    observe_load(o, &l);
}

TEST_WITH(mpli_counts_missing_requests_by_class, begin, end)
{
    load(1, 0, 0, 0);
    load(2, 1, 1, 0);
    load(2, 2, 0, 1);
    load(3, 3, 0, 0);
    load(32, 0, 0, 0);
    load(32, 31, 4, 2);
    load(32, 32, 0, 0);
    load(64, 40, 0, 0);
    load(8, 1, 0, 0);
    load(8, 2, 0, 0);
    struct profile_stats s = counted();
    assert_int_equal(s.coherent_loads, 3);
    assert_int_equal(s.coherent_requests, 5);
    assert_int_equal(s.coherent_primary, 1);
    assert_int_equal(s.coherent_merged, 1);
    assert_int_equal(s.coherent_bypassed, 1);
    assert_int_equal(s.coherent_mpli_0, 1);
    assert_int_equal(s.coherent_mpli_1, 1);
    assert_int_equal(s.coherent_mpli_2, 1);
    assert_int_equal(s.coherent_partly_cached, 1);
    assert_int_equal(s.coherent_fully_missed, 1);
    assert_int_equal(s.divergent_loads, 7);
    assert_int_equal(s.divergent_requests, 3 + 3 * 32 + 64 + 16);
    assert_int_equal(s.divergent_primary, 3 + 25 + 32 + 40 + 3);
    assert_int_equal(s.divergent_merged, 4);
    assert_int_equal(s.divergent_bypassed, 2);
    assert_int_equal(s.divergent_mpli_0, 1);
    assert_int_equal(s.divergent_mpli_1, 1);
    assert_int_equal(s.divergent_mpli_2, 1);
    assert_int_equal(s.divergent_mpli_3_31, 2);
    assert_int_equal(s.divergent_mpli_32_up, 2);
    assert_int_equal(s.divergent_partly_cached, 4);
    assert_int_equal(s.divergent_fully_missed, 2);
}

/* ---- why requests miss ---- */

TEST_WITH(misses_by_cause, begin, end)
{
    miss(0, 7); /* cold */
    ask_for(1, 7, 1, 8, L1_MERGED);
    hit(1, 7);
    evict(1, 7);
    miss(1, 7); /* warp 1 evicted it itself */
    evict(0, 7);
    miss(1, 7); /* warp 0 did */
    o->l1.kill(&o->l1, 7);
    miss(1, 7);
    o->l1.flush(&o->l1);
    miss(1, 7);
    ask_for(2, 7, 2, 8, L1_MISSED);   /* another sector of a line that is there */
    ask_for(2, 7, 2, 8, L1_BYPASSED); /* not looked for */
    ask_for(2, 9, 2, 8, L1_BYPASSED); /* never allocated, twice */
    ask_for(2, 9, 2, 8, L1_BYPASSED);
    struct profile_stats s = counted();
    assert_int_equal(s.access_hit, 1);
    assert_int_equal(s.access_pending, 1);
    assert_int_equal(s.access_cold, 3);
    assert_int_equal(s.access_intra_warp, 1);
    assert_int_equal(s.access_inter_warp, 1);
    assert_int_equal(s.access_invalidated, 1);
    assert_int_equal(s.access_flushed, 1);
    assert_int_equal(s.access_present, 2);
}

TEST_WITH(a_new_warp_in_an_old_slot_is_another_warp, begin, end)
{
    miss(3, 7);
    evict(3, 7);
    age[3] = 500;
    miss(3, 7);
    assert_int_equal(counted().access_inter_warp, 1);
    assert_int_equal(counted().access_intra_warp, 0);
}

TEST_WITH(why_a_line_left_is_remembered_over_kernels, begin, end)
{
    miss(0, 7);
    evict(0, 7);
    profile_kernel_end(&p);
    assert_int_equal(profile_kernel_begin(&p, "k", &code), 0);
    miss(0, 7);
    assert_int_equal(counted().access_intra_warp, 1);
    assert_int_equal(counted().access_cold, 1);
}

/* ---- request sizes ---- */

TEST_WITH(request_sizes_are_aligned_blocks, begin, end)
{
    static const uint8_t size[16] = {0, 1, 1, 2, 1, 4, 4, 4, 1, 4, 4, 4, 2, 4, 4, 4}; /* sectors, by mask */
    for (uint8_t mask = 1; mask < 16; mask++) {
        struct profile_stats before = counted();
        ask_for(0, mask, mask, 8, L1_MISSED);
        struct profile_stats after = counted();
        assert_int_equal(after.size_32 - before.size_32, size[mask] == 1);
        assert_int_equal(after.size_64 - before.size_64, size[mask] == 2);
        assert_int_equal(after.size_128 - before.size_128, size[mask] == 4);
    }
}

/* ---- stays in the L1D ---- */

TEST_WITH(stays_are_counted_by_requests_and_bytes, begin, end)
{
    static const uint32_t requests[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 40};
    uint64_t all = 0;
    for (unsigned i = 0; i < COUNT(requests); i++) {
        miss(0, i);
        for (unsigned k = 1; k < requests[i]; k++) ask_for(0, i, (uint8_t)(1u << (k < 4 ? k : 3)), 8, L1_HIT);
        evict(0, i);
        all += requests[i];
    }
    struct profile_stats s = counted();
    assert_int_equal(s.lives, COUNT(requests));
    assert_int_equal(s.lives_accesses, all);
    assert_int_equal(s.lives_accesses_1, 1);
    assert_int_equal(s.lives_accesses_2, 1);
    assert_int_equal(s.lives_accesses_3, 1);
    assert_int_equal(s.lives_accesses_4, 1);
    assert_int_equal(s.lives_accesses_5_8, 2);
    assert_int_equal(s.lives_accesses_9_16, 2);
    assert_int_equal(s.lives_accesses_17_up, 2);
    assert_int_equal(s.lives_used_32, 1);
    assert_int_equal(s.lives_used_64, 1);
    assert_int_equal(s.lives_used_96, 1);
    assert_int_equal(s.lives_used_128, 7);
    assert_int_equal(s.evicted_before_reuse, 1);
    assert_int_equal(s.fetched_bytes, 128 * COUNT(requests));
    assert_int_equal(s.used_bytes, 32 + 64 + 96 + 7 * 128);
}

/* A sectored miss adds what it fetches to a stay; a line that is bypassed has none. */
TEST_WITH(sectors_are_fetched_into_a_stay, begin, end)
{
    struct wl_access a = by(0, 7, 1, 8);
    assert_int_equal(profile_grow(&p), 0);
    o->l1.request(&o->l1, &a, L1_MISSED, 1);
    a.sectors = 6;
    o->l1.request(&o->l1, &a, L1_MISSED, 6);
    ask_for(0, 8, 15, 8, L1_BYPASSED);
    o->l1.kill(&o->l1, 7);
    struct profile_stats s = counted();
    assert_int_equal(s.fetched_bytes, 96);
    assert_int_equal(s.used_bytes, 96);
    assert_int_equal(s.lives, 1);
    assert_int_equal(s.lives_accesses_2, 1);
    assert_int_equal(s.lives_used_96, 1);
    assert_int_equal(s.evicted_before_reuse, 0);
}

/* Without a flush a line lives on: its stay is cut in two, its bytes are fetched and used once. */
TEST_WITH(the_end_of_a_kernel_cuts_stays, begin, end)
{
    miss(0, 7);
    miss(0, 8);
    profile_kernel_end(&p);
    assert_int_equal(counted().lives, 2);
    assert_int_equal(profile_kernel_begin(&p, "k", &code), 0);
    hit(0, 7);
    evict(0, 7);
    evict(0, 8); /* untouched in this kernel: no stay to count, but a dead block */
    struct profile_stats s = counted();
    assert_int_equal(s.lives, 3);
    assert_int_equal(s.lives_accesses, 3);
    assert_int_equal(s.lives_accesses_1, 3);
    assert_int_equal(s.used_bytes, 64);
    assert_int_equal(s.evicted_before_reuse, 1);
}

/* ---- the infinite cache ---- */

TEST_WITH(lines_have_the_types_of_apcm, begin, end)
{
    miss(0, 1);                       /* streaming */
    miss(0, 2), hit(1, 2), hit(2, 2); /* inter: never again by warp 0 */
    miss(0, 3), hit(0, 3);            /* intra */
    miss(0, 4), hit(1, 4), hit(0, 4); /* mixed */
    evict(0, 1);
    assert_int_equal(counted().infinite_lines, 0); /* known at the end of the kernel */
    profile_kernel_end(&p);
    struct profile_stats s = counted();
    assert_int_equal(s.infinite_lines, 4);
    assert_int_equal(s.infinite_streaming, 1);
    assert_int_equal(s.infinite_inter_warp, 1);
    assert_int_equal(s.infinite_intra_warp, 1);
    assert_int_equal(s.infinite_mixed, 1);
    assert_int_equal(s.infinite_accesses_1, 1);
    assert_int_equal(s.infinite_accesses_2, 1);
    assert_int_equal(s.infinite_accesses_3, 2);
    assert_int_equal(s.reuse_inter, 2);
    assert_int_equal(s.reuse_intra, 1);
    assert_int_equal(s.reuse_mixed, 2);
}

/* The real cache's evictions, kills and flushes do not concern the infinite one; kernels do. */
TEST_WITH(an_infinite_cache_loses_lines_between_kernels_only, begin, end)
{
    miss(0, 1);
    evict(1, 1);
    miss(0, 1);
    o->l1.kill(&o->l1, 1);
    miss(0, 1);
    o->l1.flush(&o->l1);
    profile_kernel_end(&p);
    assert_int_equal(profile_kernel_begin(&p, "k", &code), 0);
    miss(0, 1);
    profile_kernel_end(&p);
    struct profile_stats s = counted();
    assert_int_equal(s.infinite_lines, 2);
    assert_int_equal(s.infinite_intra_warp, 1);
    assert_int_equal(s.infinite_streaming, 1);
    assert_int_equal(s.reuse_intra, 2);
}

TEST_WITH(reuse_distances_count_requests_of_the_sm, begin, end)
{
    miss(0, 1), hit(0, 1);                         /* 1 */
    miss(0, 2), hit(0, 1);                         /* 2 */
    miss(0, 3), miss(0, 4), hit(0, 1);             /* 3 */
    miss(0, 5), miss(0, 6), miss(0, 7), hit(0, 1); /* 4 */
    miss(1, 8), hit(2, 8);                         /* inter, 1 */
    profile_kernel_end(&p);
    struct profile_report r = {0};
    assert_int_equal(profile_read_report(&p, &r), 0);
    assert_int_equal(r.reuse[1][0], 1); /* intra: 1 */
    assert_int_equal(r.reuse[1][1], 2); /* 2..3 */
    assert_int_equal(r.reuse[1][2], 1); /* 4..7 */
    assert_int_equal(r.reuse[1][3], 0);
    assert_int_equal(r.reuse[0][0], 1);
    assert_int_equal(r.reuse[2][0], 0);
    free_report(&r);
}

/* ---- loads by pc ---- */

/* Lines belong to the load that brought them; APS takes the most frequent type of each. */
TEST_WITH(aps_and_the_table_of_loads, begin, end)
{
    for (uint64_t line = 1; line <= 3; line++) ask_for(0, line, 1, 8, L1_MISSED); /* pc 8: 3 streaming */
    ask_for(0, 4, 1, 8, L1_MISSED), ask_for(0, 4, 1, 24, L1_HIT);                 /* and 1 intra */
    ask_for(0, 5, 1, 24, L1_MISSED), ask_for(1, 5, 1, 24, L1_MERGED);             /* pc 24: 1 inter */
    ask_for(0, 6, 1, 24, L1_BYPASSED);                                            /* and 1 streaming */
    load(4, 4, 0, 0);
    load(2, 2, 0, 0);
    profile_kernel_end(&p);
    struct profile_stats s = counted();
    assert_int_equal(s.infinite_lines, 6);
    assert_int_equal(s.infinite_majority, 3 + 1);
    struct profile_report r = {0};
    assert_int_equal(profile_read_report(&p, &r), 0);
    assert_int_equal(r.loads, 2);
    const struct load_record *a = &r.load[0], *b = &r.load[1];
    assert_string_equal(a->kernel, "k");
    assert_int_equal(a->pc, 8);
    assert_int_equal(b->pc, 24);
    assert_int_equal(a->loads, 2);
    assert_int_equal(a->divergent, 1);
    assert_int_equal(a->requests, 4);
    assert_int_equal(b->requests, 4);
    const uint64_t out_a[4] = {0, 0, 4, 0}, out_b[4] = {1, 1, 1, 1}, lines_a[4] = {3, 0, 1, 0},
                   lines_b[4] = {1, 1, 0, 0};
    assert_memory_equal(a->outcome, out_a, sizeof out_a);
    assert_memory_equal(b->outcome, out_b, sizeof out_b);
    assert_memory_equal(a->lines, lines_a, sizeof lines_a);
    assert_memory_equal(b->lines, lines_b, sizeof lines_b);
    free_report(&r);
}

/* Launches of one kernel share rows, another kernel with the same pcs has its own. */
TEST_WITH(rows_are_by_kernel_and_pc, begin, end)
{
    miss(0, 1);
    profile_kernel_end(&p);
    assert_int_equal(profile_kernel_begin(&p, "other", &code), 0);
    miss(0, 1);
    profile_kernel_end(&p);
    assert_int_equal(profile_kernel_begin(&p, "k", &code), 0);
    miss(0, 1);
    profile_kernel_end(&p);
    struct profile_report r = {0};
    assert_int_equal(profile_read_report(&p, &r), 0);
    assert_int_equal(r.loads, 2);
    assert_string_equal(r.load[0].kernel, "k");
    assert_int_equal(r.load[0].requests, 2);
    assert_string_equal(r.load[1].kernel, "other");
    assert_int_equal(r.load[1].requests, 1);
    free_report(&r);
}

/* ---- issue ---- */

TEST_WITH(issued_instructions_by_age_rank, begin, end)
{
    static const unsigned ranks[] = {0, 0, 0, 1, 2, 2, 3, 47, 63};
    for (unsigned i = 0; i < COUNT(ranks); i++) observe_issue(o, ranks[i]);
    struct profile_stats s = counted();
    assert_int_equal(s.issue_rank_0, 3);
    assert_int_equal(s.issue_rank_1, 1);
    assert_int_equal(s.issue_rank_2, 2);
    assert_int_equal(s.issue_rank_rest, 3);
    struct profile_report r = {0};
    assert_int_equal(profile_read_report(&p, &r), 0);
    assert_int_equal(r.rank[47], 1);
    assert_int_equal(r.rank[63], 1);
    free_report(&r);
}

/* ---- against a second, slow opinion ---- */

/* Random streams: types and reuse distances by the definition, from the whole list of requests. */
enum { REQUESTS = 3000, LINES = 700 };
static struct {
    uint32_t line, warp;
} stream[REQUESTS];

static void check_by_definition(void)
{
    uint64_t type[LINE_TYPES] = {0}, reuse[REUSE_TYPES][REUSE_BUCKETS] = {{0}};
    for (uint32_t line = 0; line < LINES; line++) {
        uint64_t total = 0, own = 0, at[REUSE_BUCKETS] = {0}, last = 0;
        uint32_t owner = 0;
        for (uint32_t i = 0; i < REQUESTS; i++) {
            if (stream[i].line != line) continue;
            if (!total) owner = stream[i].warp;
            else at[log2_floor(i - last)]++;
            own += stream[i].warp == owner;
            total++;
            last = i;
        }
        if (!total) continue;
        enum line_type t = total == 1 ? TYPE_STREAMING : own == 1 ? TYPE_INTER : own == total ? TYPE_INTRA : TYPE_MIXED;
        type[t]++;
        for (unsigned b = 0; t != TYPE_STREAMING && b < REUSE_BUCKETS; b++) reuse[t - 1][b] += at[b];
    }
    struct profile_report r = {0};
    assert_int_equal(profile_read_report(&p, &r), 0);
    assert_memory_equal(o->tally.infinite.type, type, sizeof type);
    assert_memory_equal(r.reuse, reuse, sizeof reuse);
    free_report(&r);
}

TEST_WITH(random_streams_by_definition, begin, end)
{
    uint64_t seed = 5;
    for (unsigned i = 0; i < REQUESTS; i++) {
        stream[i].line = (uint32_t)(draw(&seed, 3) ? draw(&seed, LINES) : draw(&seed, 20));
        stream[i].warp = (uint32_t)draw(&seed, 4);
        miss(stream[i].warp, stream[i].line);
    }
    profile_kernel_end(&p);
    check_by_definition();
    assert_int_equal(counted().infinite_majority <= counted().infinite_lines, 1);
}
