/* test_mascar_fig3.c - Mascar's worked example (its Fig. 3) on a miniature machine: it finishes in 21
 * cycles with any number of outstanding loads, in 26 with two, in 23 with two and Mascar's scheduling.
 *
 * Three warps run: ld r1; ld r2; add; add; add; add (the first add needs both loads). A load that
 * enters the memory in cycle t is back in t + 5, and its dependent and its slot are free in t + 6;
 * per cycle one load and one add may start.
 *
 * The miniature machine: one SM, one scheduler, loose round robin. All lines are in the L1D, so
 * that a load is a hit, and the pipe in front of the tags takes 6 cycles: a load that enters it
 * in t is finished in t + 6. The number of places in the pipe is the number of loads that may be
 * out. A load's time is the cycle in which it enters the pipe, at least one after its issue; an
 * add's is the cycle of its issue. So a load and an add can have the same time, as in the paper,
 * although the scheduler issues one instruction a cycle.
 *
 * In the third system the memory is saturated all the time (mode=mp). The pipe plays the memory, so a
 * load that is in it has been sent: ownership ends when the next instruction needs the loads, without
 * waiting for them to leave the pipe (drain=no), and having a request there makes no owner. */
#include "timing/synth.h"

enum { WARPS = 3, LOADS = 2, ADDS = 4, PIPE = 6 };
static const char machine[] = "sm.count=1 sm.schedulers=1 sm.issue_delay=0 lat.int_add=1 sm.mem_delay=1 sm.lsu_queue=1 "
                              "l1d.pipe=6 l1d.hit=0 l1d.flush=no";

/* ---- a cache policy that notes when each load meets the tags ---- */

static struct {
    uint64_t at_tags[WARPS][LOADS];
    unsigned hits, others;
} seen;

extern const struct wl_cache_policy lru_policy;

static void note_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    if (outcome == WL_HIT) seen.hits++;
    else seen.others++;
    if (outcome <= WL_MERGED) seen.at_tags[a->warp][a->pc / 8] = a->cycle;
    lru_policy.on_access(c, a, outcome, way);
}

/* ---- the program ---- */

static void write_program(struct synth *p)
{
    synth_begin(p, "fig3", WARPS);
    synth_load(p, 1, SPACE_GLOBAL, 4);
    synth_load(p, 2, SPACE_GLOBAL, 4);
    synth_add(p, 3, 1, 2);
    for (int i = 1; i < ADDS; i++) synth_add(p, 3, 3, 3);
    synth_cta(p);
    for (uint64_t w = 0; w < WARPS; w++) {
        synth_warp(p);
        synth_enter(p, 0, UINT32_MAX);
        for (uint64_t i = 0; i < LOADS; i++) synth_affine(p, DEVICE_BASE + (w * LOADS + i) * 128, 4);
    }
}

/* ---- the paper's table: what happens in each cycle; '-' is nothing ---- */

struct row {
    const char *load; /* "W0 r1" */
    const char *add;  /* "W0 a1" */
};

static const struct row infinite[] = {
    [1] = {"W0 r1", "-"},  [2] = {"W1 r1", "-"},  [3] = {"W2 r1", "-"},  [4] = {"W0 r2", "-"},  [5] = {"W1 r2", "-"},
    [6] = {"W2 r2", "-"},  [7] = {"-", "-"},      [8] = {"-", "-"},      [9] = {"-", "-"},      [10] = {"-", "W0 a1"},
    [11] = {"-", "W1 a1"}, [12] = {"-", "W2 a1"}, [13] = {"-", "W0 a2"}, [14] = {"-", "W1 a2"}, [15] = {"-", "W2 a2"},
    [16] = {"-", "W0 a3"}, [17] = {"-", "W1 a3"}, [18] = {"-", "W2 a3"}, [19] = {"-", "W0 a4"}, [20] = {"-", "W1 a4"},
    [21] = {"-", "W2 a4"},
};

static const struct row rr2[] = {
    [1] = {"W0 r1", "-"},  [2] = {"W1 r1", "-"},      [3] = {"-", "-"},      [4] = {"-", "-"},
    [5] = {"-", "-"},      [6] = {"-", "-"},          [7] = {"W2 r1", "-"},  [8] = {"W0 r2", "-"},
    [9] = {"-", "-"},      [10] = {"-", "-"},         [11] = {"-", "-"},     [12] = {"-", "-"},
    [13] = {"W1 r2", "-"}, [14] = {"W2 r2", "W0 a1"}, [15] = {"-", "W0 a2"}, [16] = {"-", "W0 a3"},
    [17] = {"-", "W0 a4"}, [18] = {"-", "-"},         [19] = {"-", "W1 a1"}, [20] = {"-", "W2 a1"},
    [21] = {"-", "W1 a2"}, [22] = {"-", "W2 a2"},     [23] = {"-", "W1 a3"}, [24] = {"-", "W2 a3"},
    [25] = {"-", "W1 a4"}, [26] = {"-", "W2 a4"},
};

static const struct row mascar2[] = {
    [1] = {"W0 r1", "-"},  [2] = {"W0 r2", "-"},      [3] = {"-", "-"},      [4] = {"-", "-"},
    [5] = {"-", "-"},      [6] = {"-", "-"},          [7] = {"W1 r1", "-"},  [8] = {"W1 r2", "W0 a1"},
    [9] = {"-", "W0 a2"},  [10] = {"-", "W0 a3"},     [11] = {"-", "W0 a4"}, [12] = {"-", "-"},
    [13] = {"W2 r1", "-"}, [14] = {"W2 r2", "W1 a1"}, [15] = {"-", "W1 a2"}, [16] = {"-", "W1 a3"},
    [17] = {"-", "W1 a4"}, [18] = {"-", "-"},         [19] = {"-", "-"},     [20] = {"-", "W2 a1"},
    [21] = {"-", "W2 a2"}, [22] = {"-", "W2 a3"},     [23] = {"-", "W2 a4"},
};

/* What happened in cycle t of the example; `zero` is its cycle 0 on the machine. */
static void describe(uint64_t zero, uint64_t t, char load[8], char add[8])
{
    strcpy(load, "-");
    strcpy(add, "-");
    for (unsigned w = 0; w < WARPS; w++) {
        for (unsigned i = 0; i < LOADS; i++)
            if (seen.at_tags[w][i] - PIPE == zero + t) snprintf(load, 8, "W%u r%u", w, i + 1);
        for (unsigned i = 0; i < ADDS; i++)
            if (issued_at(w, LOADS + i) == zero + t) snprintf(add, 8, "W%u a%u", w, i + 1);
    }
}

static void play(const char *slots, const char *sched, const struct row *table, uint64_t rows, uint64_t finish)
{
    struct gpu_config c = synth_config(machine);
    struct synth p;
    assert_int_equal(config_set(&c, slots, NULL), 0);
    assert_int_equal(config_set_sched(&c, sched, NULL), 0);
    c.sched.policy = recording(c.sched.policy);
    struct wl_cache_policy noting_lru = lru_policy;
    noting_lru.on_access = note_access;
    c.l1.policy = &noting_lru;
    struct gpu *g = synth_gpu(&c);
    write_program(&p);
    synth_run(g, &p); /* brings the lines in; its last issue is warp 2's, so that warp 0 is next */
    record_reset();
    memset(&seen, 0, sizeof seen);
    synth_run(g, &p);
    assert_int_equal(seen.hits, WARPS * LOADS);
    assert_int_equal(seen.others, 0);

    uint64_t zero = seen.at_tags[0][0] - PIPE - 1, last = 0;
    for (uint64_t t = 1; t < rows; t++) {
        char load[8], add[8];
        describe(zero, t, load, add);
        if (strcmp(load, table[t].load) || strcmp(add, table[t].add))
            fail_msg("t=%d: load %s, add %s; the paper has %s and %s", (int)t, load, add, table[t].load, table[t].add);
    }
    for (unsigned w = 0; w < WARPS; w++)
        if (issued_at(w, LOADS + ADDS - 1) - zero > last) last = issued_at(w, LOADS + ADDS - 1) - zero;
    assert_int_equal(last, finish);
    assert_int_equal(issue_count, WARPS * (LOADS + ADDS)); /* and nothing else happened */
    synth_end(&p);
    gpu_free(g);
}

TEST(infinite_slots_finish_in_21) { play("l1d.slots=512", "lrr", infinite, COUNT(infinite), 21); }
TEST(two_slots_finish_in_26) { play("l1d.slots=2", "lrr", rr2, COUNT(rr2), 26); }
TEST(two_slots_with_mascar_finish_in_23)
{
    play("l1d.slots=2", "mascar:part=sched,mode=mp,drain=no,owner_lsu=no", mascar2, COUNT(mascar2), 23);
}
