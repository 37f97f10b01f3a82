/* test_loops.c - when a policy hears that a warp has left a loop: not before its last lane has. */
#include "timing/synth.h"

#include "warpline/policy_loads.h"

extern const struct wl_cache_policy lru_policy;

static struct {
    uint16_t loop[16];
    unsigned n;
    struct wl_load last; /* the load that met the cache last */
} heard;

static void leave_loop(struct wl_cache *c, unsigned warp, uint16_t loop)
{
    (void)c;
    assert_int_equal(warp, 0);
    assert_true(heard.n < 16);
    heard.loop[heard.n++] = loop;
}
static void on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    lru_policy.on_access(c, a, outcome, way);
    if (outcome == WL_MISSED) heard.last = *a->load;
}
static const struct wl_load_hooks hooks = {.leave_loop = leave_loop};

/* Block 0 before, 1 in loop 0, 2 in loop 1 inside it, 3 the side of a break, 4 behind. A load in each
 * loop; its register is read behind the loops only. */
static const struct code_loop loops[] = {{.parent = CODE_NO_LOOP, .depth = 1}, {.parent = 0, .depth = 2}};

static void program(struct synth *p)
{
    synth_begin(p, "loops", 1);
    synth_add(p, 9, 9, 9);
    synth_block(p);
    synth_add(p, 9, 9, 9);
    synth_block(p);
    synth_load(p, 1, SPACE_GLOBAL, 4)->loop = 1;
    synth_block(p);
    synth_add(p, 9, 9, 9);
    synth_block(p);
    synth_add(p, 2, 1, 1);
    synth_inst(p, INST_EXIT);
    p->block[1].loop = 0;
    p->block[2].loop = 1;
    p->code.loop = loops;
    p->code.nloop = 2;
    synth_cta(p);
    synth_warp(p);
}

static void run(struct synth *p)
{
    static struct wl_cache_policy probe;
    probe = lru_policy;
    probe.name = "probe";
    probe.answers_drift = true;
    probe.loads = &hooks;
    probe.on_access = on_access;
    struct gpu_config c = synth_config("sm.count=1");
    c.l1.policy = &probe;
    struct gpu *g = synth_gpu(&c);
    heard.n = 0;
    synth_run(g, p);
    gpu_free(g);
    synth_end(p);
}

TEST(inner_then_outer)
{
    struct synth p;
    program(&p);
    synth_enter(&p, 0, ~0u);
    synth_enter(&p, 1, ~0u);
    for (int i = 0; i < 3; i++) {
        synth_enter(&p, 2, ~0u);
        synth_affine(&p, 0x10000, 4);
    }
    synth_enter(&p, 1, ~0u); /* the next turn of the outer one */
    synth_enter(&p, 4, ~0u);
    run(&p);
    assert_int_equal(heard.n, 2);
    assert_int_equal(heard.loop[0], 1);
    assert_int_equal(heard.loop[1], 0);
    assert_int_equal(heard.last.loop, 1);
    assert_int_equal(heard.last.outer_loop, 0);
}

/* Lanes that break out run ahead: the loop is left when the others are out, too. */
TEST(a_break_does_not_end_the_loop)
{
    struct synth p;
    program(&p);
    synth_enter(&p, 1, ~0u);
    synth_enter(&p, 2, ~0u);
    synth_affine(&p, 0x10000, 4);
    synth_enter(&p, 3, 0xff); /* eight lanes break out */
    synth_enter(&p, 2, ~0xffu);
    synth_affine_mask(&p, ~0xffu, 0x20000, 4);
    synth_enter(&p, 3, 0xff00); /* eight more */
    synth_enter(&p, 2, 0xffff0000);
    synth_affine_mask(&p, 0xffff0000, 0x30000, 4);
    synth_enter(&p, 4, 0xffff0000);
    synth_enter(&p, 4, 0xffff);
    run(&p);
    assert_int_equal(heard.n, 2); /* once each, though blocks outside ran in between */
    assert_int_equal(heard.loop[0], 1);
    assert_int_equal(heard.loop[1], 0);
}

/* Lanes that end inside a loop are not waited for. */
TEST(lanes_that_end_have_left)
{
    struct synth p;
    program(&p);
    p.inst[3].kind = INST_EXIT; /* block 3 now ends its lanes */
    p.inst[3].ndst = p.inst[3].nsrc = 0;
    p.block[3].loop = 0;
    synth_enter(&p, 1, ~0u);
    synth_enter(&p, 3, 0xff);
    synth_enter(&p, 1, ~0xffu);
    synth_enter(&p, 4, ~0xffu);
    run(&p);
    assert_int_equal(heard.n, 1);
    assert_int_equal(heard.loop[0], 0);
}

/* A load still on its way to the cache when its warp leaves the loop. */
TEST(a_late_load_is_told)
{
    struct synth p;
    program(&p);
    synth_enter(&p, 2, ~0u);
    synth_affine(&p, 0x10000, 4);
    synth_enter(&p, 3, ~0u);
    synth_enter(&p, 4, ~0u);
    run(&p);
    assert_true(heard.last.left_loop); /* the l1d.pipe is 35 cycles long, the adds do not wait */
}
