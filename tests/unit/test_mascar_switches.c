/* test_mascar_switches.c - readings of Mascar that are off by default, rule by rule; and Fig. 3 with one of them. */
#include "unit/sched_rig.h"

/* The memory is saturated for ever and warp `owner` has issued a memory instruction: it owns. */
static void owned_by(struct sched_rig *r, const char *spec, unsigned owner)
{
    rig_sched(r, spec, 0, NULL);
    r->v.live = BIT(RIG_WARPS) - 1;
    rig_cycle(r);
    r->v.ready = r->v.memory = BIT(owner);
    assert_int_equal(rig_issue(r, owner % RIG_SCHEDULERS, BIT(owner)), owner);
    r->v.ready = r->v.memory = 0;
}

/* ---- what the caches are told ---- */

static struct wl_gate gate(const char *spec)
{
    struct sched_rig r;
    rig_sched(&r, spec, 0, NULL);
    struct wl_gate g = r.p->lsu->gate(&r.s);
    rig_sched_free(&r);
    return g;
}

TEST(the_gate_is_asked_for)
{
    assert_true(!gate("mascar").merges && !gate("mascar").readonly);
    assert_true(gate("mascar:nonowner_merge=no").merges && !gate("mascar:nonowner_merge=no").readonly);
    assert_true(gate("mascar:tex_gate=cache").readonly && !gate("mascar:tex_gate=cache").merges);
}

/* ---- shared memory ---- */

TEST(shared_memory_is_compute)
{
    struct sched_rig r;
    owned_by(&r, "mascar:mode=mp", 3);
    r.v.ready = r.v.shared = BIT(4) | BIT(6);
    rig_cycle(&r);
    assert_int_equal(rig_allowed(&r) & r.v.shared, r.v.shared);
    r.v.ready |= r.v.memory = BIT(2);
    assert_int_equal(rig_pick(&r, 0, BIT(2) | BIT(4)), 4); /* before memory in MP */
    rig_sched_free(&r);
    rig_sched(&r, "mascar", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.ready = r.v.shared = BIT(4);
    r.v.ready |= BIT(2);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, r.v.ready), 2); /* as any other in EP: the oldest */
    rig_sched_free(&r);
}

TEST(shared_memory_is_memory_when_told)
{
    struct sched_rig r;
    owned_by(&r, "mascar:mode=mp,nonowner=strict,shared_is_mem=yes", 3);
    r.v.ready = r.v.shared = BIT(4) | BIT(3);
    rig_cycle(&r);
    assert_int_equal(rig_allowed(&r) & r.v.shared, BIT(3)); /* only the owner's */
    rig_sched_free(&r);
    rig_sched(&r, "mascar:mode=mp,shared_is_mem=yes", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.ready = r.v.shared = BIT(4);
    r.v.ready |= BIT(6);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, r.v.ready), 6); /* compute first in MP */
    assert_int_equal(rig_issue(&r, 0, BIT(4)), 4);   /* and it makes an owner */
    assert_false(rig_may_miss(&r, 9));
    rig_sched_free(&r);
    rig_sched(&r, "mascar:shared_is_mem=yes", 0, NULL);
    r.v.live = BIT(RIG_WARPS) - 1;
    r.v.ready = r.v.shared = BIT(4);
    r.v.ready |= BIT(2);
    rig_cycle(&r);
    assert_int_equal(rig_pick(&r, 0, r.v.ready), 4); /* memory first in EP */
    rig_sched_free(&r);
}

/* ---- the timeout ---- */

TEST(an_owner_that_only_computes_loses_it)
{
    struct sched_rig r;
    owned_by(&r, "mascar:mode=mp,owner_timeout=10", 3);
    r.u.holds = BIT(3); /* its request waits for an MSHR, however long */
    for (int i = 0; i < 50; i++) assert_int_equal(rig_cycle(&r), UINT64_MAX);
    r.u.holds = 0;
    uint64_t from = r.v.cycle + 1;
    for (int i = 0; i < 5; i++) assert_int_equal(rig_cycle(&r), from + 10); /* it wants to be called then */
    r.v.memory = BIT(3); /* wants memory again: whatever keeps it out, it is no arithmetic stretch */
    for (int i = 0; i < 50; i++) assert_int_equal(rig_cycle(&r), UINT64_MAX);
    r.v.memory = 0;
    from = r.v.cycle + 1;
    assert_int_equal(rig_cycle(&r), from + 10);
    r.v.cycle = from + 8; /* asleep */
    rig_cycle(&r);
    assert_false(rig_may_miss(&r, 9));
    assert_int_equal(rig_cycle(&r), from + 11); /* released: said to the engine */
    assert_true(rig_may_miss(&r, 9));
    assert_int_equal(rig_counter(&r, "released_timeout"), 1);
    rig_sched_free(&r);
}

TEST(without_a_timeout_it_keeps_it)
{
    struct sched_rig r;
    owned_by(&r, "mascar:mode=mp", 3);
    for (int i = 0; i < 5000; i++) assert_int_equal(rig_cycle(&r), UINT64_MAX);
    assert_false(rig_may_miss(&r, 9));
    rig_sched_free(&r);
}

/* ---- two instructions per cycle ---- */

static uint64_t beside(const char *spec, unsigned issued)
{
    struct sched_rig r;
    owned_by(&r, spec, 4);
    r.v.ready = BIT(2) | BIT(4) | BIT(6);
    r.v.memory = BIT(4);
    rig_cycle(&r);
    uint64_t set = r.p->order->second(&r.s, &r.v, 0, issued) & r.v.ready;
    rig_sched_free(&r);
    return set;
}

TEST(memory_may_issue_beside_compute_in_mp)
{
    assert_int_equal(beside("mascar:mode=mp,mp_dual_slot=yes", 2), BIT(4));
    assert_int_equal(beside("mascar:mode=mp,mp_dual_slot=yes", 4), 0); /* not two of a kind, nor compute after memory */
    assert_int_equal(beside("mascar:mode=mp", 2), 0);
    assert_int_equal(beside("mascar:mode=ep,mp_dual_slot=yes", 2), 0);
}

/* ---- Fig. 3 ----
 *
 * Three warps run ld r1; ld r2; add; add; add; add, the first add needing both loads. Two loads may be
 * out, the memory is saturated. A load issued in t is back in t + 5: its dependent and its slot are
 * free from t + 6 on. Here the example's cycles are cycles of issue, one scheduler for all warps. */

enum { WARPS = 3, LOADS = 2, INSTS = 6, BACK = 6, SLOTS = 2, CYCLES = 40 };

struct play {
    uint64_t at[WARPS][INSTS]; /* cycle of issue */
    unsigned next[WARPS];
};

static bool returned(const struct play *p, unsigned w, uint64_t t)
{
    return p->at[w][0] + BACK <= t && p->at[w][1] + BACK <= t;
}

static void look(const struct play *p, struct sched_rig *r, uint64_t t)
{
    r->v.ready = r->v.memory = r->v.long_stall = r->v.live = r->v.ended = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        r->v.live |= BIT(w);
        if (p->next[w] == INSTS) r->v.ended |= BIT(w);
        else if (p->next[w] < LOADS) r->v.memory |= BIT(w), r->v.ready |= BIT(w);
        else if (returned(p, w, t)) r->v.ready |= BIT(w);
        else r->v.long_stall |= BIT(w);
    }
}

static uint64_t can_issue(const struct play *p, const struct sched_rig *r, uint64_t t, bool loaded)
{
    unsigned out = 0;
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned i = 0; i < p->next[w] && i < LOADS; i++) out += p->at[w][i] + BACK > t;
    return r->v.ready & ~(out == SLOTS || loaded ? r->v.memory : 0);
}

static void play(struct play *p, const char *spec)
{
    struct sched_rig r;
    *p = (struct play){0};
    rig_sched(&r, spec, 0, NULL);
    r.owned[0] = UINT64_MAX; /* the figure's one scheduler */
    r.v.cycle = 0;
    for (uint64_t t = 1; t < CYCLES; t++) {
        look(p, &r, t);
        rig_cycle(&r);
        uint64_t can = can_issue(p, &r, t, false) & rig_allowed(&r), among = can;
        while (among) {
            int w = rig_issue(&r, 0, among);
            if (w < 0) break;
            p->at[w][p->next[w]++] = t;
            can &= ~BIT(w);
            among = r.p->order->second(&r.s, &r.v, 0, (unsigned)w) & can & can_issue(p, &r, t, r.v.memory >> w & 1);
        }
    }
    for (unsigned w = 0; w < WARPS; w++) assert_int_equal(p->next[w], INSTS);
    rig_sched_free(&r);
}

#define FIG3 "mascar:part=sched,mode=mp,drain=no,owner_lsu=no"

TEST(fig3_issues_two_per_cycle_and_finishes_in_23)
{
    static const uint64_t paper[WARPS][INSTS] = {
        {1, 2, 8, 9, 10, 11}, {7, 8, 14, 15, 16, 17}, {13, 14, 20, 21, 22, 23}}; /* 8 and 14: a load and an add */
    struct play p;
    play(&p, FIG3 ",mp_dual_slot=yes");
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned i = 0; i < INSTS; i++)
            if (p.at[w][i] != paper[w][i])
                fail_msg("W%u's instruction %u issues in %d, not in %d", w, i, (int)p.at[w][i], (int)paper[w][i]);
}

/* One a cycle, compute first: the second loads of W1 and W2 wait for four adds each. */
TEST(fig3_with_one_slot_finishes_in_31)
{
    struct play p;
    play(&p, FIG3);
    assert_int_equal(p.at[1][1], 12);
    assert_int_equal(p.at[2][1], 22);
    assert_int_equal(p.at[2][INSTS - 1], 31);
}
