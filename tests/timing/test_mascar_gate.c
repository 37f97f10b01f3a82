/* test_mascar_gate.c - readings of Mascar that are off by default, in an SM whose memory the test plays.
 *
 * Warp 0 owns the memory: its load of 32 lines has two MSHRs and a memory of 200 cycles. Warp 1 is another. */
#include "timing/lone_sm.h"

enum { BASE_LINE = 0x1000000, SLOW = 200 };
static const char machine[] = "sm.count=1 sm.schedulers=2 sm.issue_delay=0 lat.int_add=1 sm.mem_delay=1 sm.lsu_queue=8 "
                              "l1d.sets=32 l1d.ways=4 l1d.index=linear l1d.mshr=2 "
                              "l1d.missq=8 l1d.pipe=0 l1d.hit=1 l1d.flush=no l1t.pipe=0";
#define OWNED "mascar:sat_mshr=1,owner_lsu=switch,nonowner=any"

struct fixture {
    struct lone *l;
    struct synth p;
};

static void begin(struct fixture *f, const char *sched, const char *switches, const char *more)
{
    char spec[256], settings[512];
    snprintf(settings, sizeof settings, "%s %s", machine, more);
    struct gpu_config c = synth_config(settings);
    snprintf(spec, sizeof spec, "%s%s", sched, switches);
    assert_int_equal(config_set_sched(&c, spec, NULL), 0);
    f->l = lone_new(&c, SLOW);
    synth_begin(&f->p, "gate", 2);
}

static void end(struct fixture *f)
{
    lone_finish(f->l);
    synth_end(&f->p);
    lone_free(f->l);
}

static void touch(struct synth *p, uint64_t line, unsigned n) { synth_lines(p, BASE_LINE + line, n); }

/* Block 0, warp 0's: the load that makes it owner and 300 adds that do not need it. Block 1 is warp 1's. */
static void owner_program(struct synth *p)
{
    synth_load(p, 1, SPACE_GLOBAL, 4);
    for (int i = 0; i < 300; i++) synth_add(p, 3, 3, 3);
    synth_block(p);
    for (int i = 0; i < 8; i++) synth_add(p, 4, 4, 4); /* by then warp 0 owns */
}

static void two_warps(struct fixture *f, uint64_t line)
{
    synth_cta(&f->p);
    synth_warp(&f->p);
    synth_enter(&f->p, 0, UINT32_MAX);
    touch(&f->p, 0, 32);
    synth_warp(&f->p);
    synth_enter(&f->p, 1, 1);
    touch(&f->p, line, 1);
    lone_launch(f->l, &f->p);
}

static uint64_t sched_counter(const struct lone *l, const char *name)
{
    const struct wl_counter *c = l->sm.policy->counters;
    for (unsigned i = 0; c[i].name; i++)
        if (strcmp(c[i].name, name) == 0) return sm_sched(&l->sm)->count[i];
    fail_msg("no counter %s", name);
    return 0;
}

/* ---- nonowner_merge ---- */

/* Line 31 is the first that warp 0 asks for. Requests of warp 1 that merged with it after 100 cycles. */
static uint64_t merges(const char *switches)
{
    struct fixture f;
    begin(&f, OWNED, switches, "");
    owner_program(&f.p);
    synth_load(&f.p, 2, SPACE_GLOBAL, 4);
    two_warps(&f, 31);
    lone_steps(f.l, 100);
    uint64_t merged = l1_stats(&f.l->sm.lsu.l1[L1_DATA]).hits_reserved;
    assert_int_equal(f.l->sm.lsu.ext->queue.count[1], !merged); /* refused, it steps aside as a miss does */
    end(&f);
    return merged;
}

TEST(another_warp_merges_unless_told_not_to)
{
    assert_int_equal(merges(""), 1);
    assert_int_equal(merges(",nonowner_merge=no"), 0);
}

/* ---- shared_is_mem ---- */

static bool shared_waits(const char *switches)
{
    struct fixture f;
    begin(&f, "mascar:sat_mshr=1,owner_lsu=switch", switches, "");
    owner_program(&f.p);
    synth_load(&f.p, 2, SPACE_SHARED, 4);
    two_warps(&f, 0);
    lone_steps(f.l, 100);
    bool waits = f.l->sm.warp[1].seq == 8;
    end(&f);
    return waits;
}

TEST(shared_memory_waits_for_ownership_when_told)
{
    assert_false(shared_waits(""));
    assert_true(shared_waits(",shared_is_mem=yes"));
}

/* ---- owner_timeout ---- */

/* The first cycle in which warp 1's load has been issued. Warp 0 has one line and computes. */
static uint64_t load_issued(const char *switches)
{
    struct fixture f;
    begin(&f, "mascar:mode=mp,nonowner=strict", switches, "");
    owner_program(&f.p);
    synth_load(&f.p, 2, SPACE_GLOBAL, 4);
    synth_cta(&f.p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&f.p);
        synth_enter(&f.p, w, 1);
        touch(&f.p, 40 * w, 1);
    }
    lone_launch(f.l, &f.p);
    while (f.l->sm.stats.loads < 2) lone_step(f.l);
    uint64_t at = f.l->cycle;
    end(&f);
    return at;
}

TEST(a_computing_owner_times_out)
{
    uint64_t never = load_issued("");
    uint64_t after20 = load_issued(",owner_timeout=20"), after50 = load_issued(",owner_timeout=50");
    assert_true(never > 300); /* when warp 0 has ended */
    assert_int_equal(after50 - after20, 30);
    assert_true(after20 > 20 && after20 < 30);
}

/* ---- mp_dual_slot ---- */

/* Instructions issued in the first busy cycles by one scheduler whose two warps have adds and a load. */
static uint64_t issued_with(const char *switches, uint64_t *dual)
{
    struct fixture f;
    begin(&f, "mascar:mode=mp", switches, "sm.schedulers=1");
    for (int i = 0; i < 20; i++) synth_add(&f.p, 3, 3, 3);
    synth_block(&f.p);
    synth_load(&f.p, 2, SPACE_GLOBAL, 4);
    synth_cta(&f.p);
    synth_warp(&f.p);
    synth_enter(&f.p, 0, UINT32_MAX);
    synth_warp(&f.p);
    synth_enter(&f.p, 1, 1);
    touch(&f.p, 0, 1);
    lone_launch(f.l, &f.p);
    while (!f.l->sm.stats.loads) lone_step(f.l);
    uint64_t with = f.l->sm.warp[0].seq;
    *dual = sched_counter(f.l, "dual_issues");
    end(&f);
    return with;
}

TEST(a_load_beside_an_add)
{
    uint64_t dual;
    assert_int_equal(issued_with("", &dual), 20); /* compute first: the load comes when the adds are through */
    assert_int_equal(dual, 0);
    assert_int_equal(issued_with(",mp_dual_slot=yes", &dual), 1); /* with the first of them */
    assert_int_equal(dual, 1);
}

/* ---- tex_gate ---- */

static uint64_t texture_misses(const char *switches)
{
    struct fixture f;
    begin(&f, OWNED, switches, "");
    owner_program(&f.p);
    synth_load(&f.p, 2, SPACE_TEX, 4);
    two_warps(&f, 99);
    lone_steps(f.l, 100);
    uint64_t misses = l1_stats(&f.l->sm.lsu.l1[L1_TEXTURE]).misses;
    assert_int_equal(f.l->sm.lsu.pipe[L1_TEXTURE].refused, misses ? L1_HIT : L1_GATED);
    end(&f);
    return misses;
}

TEST(a_texture_miss_is_refused_when_told)
{
    assert_int_equal(texture_misses(""), 1);
    assert_int_equal(texture_misses(",tex_gate=cache"), 0);
    assert_int_equal(texture_misses(",tex_gate=cache,nonowner_merge=no"), 0);
}

/* Saturated for ever. Warp 1's texture request is at the tags, refused, and warp 0, the owner, comes to an access
 * that is held up by it. */
static void owner_behind(const char *more, unsigned textures, enum mem_space last)
{
    struct fixture f;
    begin(&f, "mascar:mode=mp,tex_gate=cache,nonowner=any", "", more);
    synth_load(&f.p, 1, SPACE_GLOBAL, 4);
    for (int i = 0; i < 40; i++) synth_add(&f.p, 3, 3, 3);
    synth_load(&f.p, 2, last, 4);
    synth_add(&f.p, 2, 2, 2);
    synth_block(&f.p);
    for (int i = 0; i < 8; i++) synth_add(&f.p, 4, 4, 4);
    for (unsigned i = 0; i < textures; i++) synth_load(&f.p, (uint16_t)(10 + i), SPACE_TEX, 4);
    synth_cta(&f.p);
    synth_warp(&f.p);
    synth_enter(&f.p, 0, 1);
    touch(&f.p, 0, 1);
    touch(&f.p, 1, 1);
    synth_warp(&f.p);
    synth_enter(&f.p, 1, 1);
    for (unsigned i = 0; i < textures; i++) touch(&f.p, 100 + i, 1);
    lone_launch(f.l, &f.p);
    lone_steps(f.l, 40);
    assert_int_equal(f.l->sm.lsu.pipe[L1_TEXTURE].refused, L1_GATED);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_TEXTURE]).misses, 0);
    lone_steps(f.l, 20); /* warp 0 has come to its second load */
    assert_true(l1_stats(&f.l->sm.lsu.l1[L1_TEXTURE]).misses > 0);
    end(&f);
}

TEST(a_refusal_ends_when_the_owner_is_behind_it)
{
    owner_behind("l1t.pipe=4", 1, SPACE_TEX);                   /* in the pipe */
    owner_behind("l1t.pipe=0", 2, SPACE_TEX);                   /* in the unit's queue */
    owner_behind("l1t.pipe=0", 2, SPACE_GLOBAL);                /* the same, whatever its cache is */
    owner_behind("l1t.pipe=0 sm.lsu_queue=1", 3, SPACE_SHARED); /* in front of the unit */
}
