/* test_reexec.c - the re-execution queue in an SM whose memory the test plays.
 *
 * The machine has two MSHRs and a memory of 200 cycles, so that nearly everything is refused. */
#include "timing/lone_sm.h"

enum { BASE_LINE = 0x1000000, SLOW = 200 };
static const char machine[] = "sm.count=1 sm.schedulers=1 sm.issue_delay=0 lat.int_add=1 sm.mem_delay=1 sm.lsu_queue=8 "
                              "l1d.sets=32 l1d.ways=4 l1d.index=linear l1d.mshr=2 "
                              "l1d.missq=8 l1d.pipe=0 l1d.hit=1 l1d.flush=no";

struct fixture {
    struct lone *l;
    struct synth p;
};

static void begin(struct fixture *f, const char *sched, const char *more, uint32_t warps)
{
    struct gpu_config c = synth_config(machine);
    if (*more) assert_int_equal(config_set(&c, more, NULL), 0);
    assert_int_equal(config_set_sched(&c, sched, NULL), 0);
    f->l = lone_new(&c, SLOW);
    synth_begin(&f->p, "queue", warps);
}

static void end(struct fixture *f)
{
    synth_end(&f->p);
    lone_free(f->l);
}

static void touch(struct synth *p, uint64_t line, unsigned n) { synth_lines(p, BASE_LINE + line, n); }

/* A load of 32 lines of which two are accepted fills 30 entries and leaves the unit to others. */
TEST(a_divergent_load_steps_aside)
{
    struct fixture f;
    begin(&f, "mascar:part=reexec,entries=30", "", 3);
    synth_load(&f.p, 1, SPACE_GLOBAL, 4);
    synth_cta(&f.p);
    static const uint64_t first[] = {0, 31, 100};
    static const unsigned lines[] = {32, 1, 1};
    for (unsigned w = 0; w < 3; w++) { /* the last line is the first to be asked for: warp 1 merges with it */
        synth_warp(&f.p);
        synth_enter(&f.p, 0, lines[w] == 32 ? UINT32_MAX : 1);
        touch(&f.p, first[w], lines[w]);
    }
    lone_launch(f.l, &f.p);
    lone_steps(f.l, 50);
    const struct reexec *q = &f.l->sm.lsu.ext->queue;
    assert_int_equal(q->used, 30);
    assert_int_equal(q->count[0], 30);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).hits_reserved, 1); /* warp 1 was served */
    assert_true(q->blocked);                                               /* warp 2 missed and found the queue full */
    assert_int_equal(f.l->sm.lsu.pipe[L1_DATA].list.head->warp, 2);
    assert_int_equal(f.l->sm.lsu.l1[L1_DATA].mshr.used, 2);
    lone_finish(f.l);
    assert_int_equal(f.l->sm.stats.reexec_pushes, f.l->sm.stats.reexec_accepted);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).load_misses, 33);
    end(&f);
}

/* A warp's later instruction is not issued while an earlier one waits; another warp's is. */
static void order(const char *sched, unsigned issued_by_warp0)
{
    struct fixture f;
    begin(&f, sched, "", 2);
    synth_load(&f.p, 1, SPACE_GLOBAL, 4);
    for (int i = 0; i < 20; i++) synth_add(&f.p, 3, 3, 3); /* time to step aside */
    synth_load(&f.p, 2, SPACE_GLOBAL, 4);
    synth_cta(&f.p);
    for (unsigned w = 0; w < 2; w++) {
        synth_warp(&f.p);
        synth_enter(&f.p, 0, w ? 1 : UINT32_MAX);
        touch(&f.p, 40 * w, w ? 1 : 32);
        touch(&f.p, 40 * w, 1); /* merges or hits */
    }
    lone_launch(f.l, &f.p);
    lone_steps(f.l, 190);
    assert_int_equal(f.l->sm.warp[0].seq, issued_by_warp0);
    assert_int_equal(f.l->sm.lsu.ext->queue.op[0]->load.seq, 1);
    lone_finish(f.l);
    end(&f);
}

TEST(one_instruction_of_a_warp)
{
    order("mascar:part=reexec,entries=64", 21);
    order("mascar:part=reexec,entries=64,same_warp=stores", 22);
    order("mascar:part=reexec,entries=64,same_warp=push", 22);
}

/* Two instructions of a warp issued back to back; the first steps aside. */
static void back_to_back(struct fixture *f, bool store_first)
{
    begin(f, "mascar:part=reexec,entries=64", "l1d.missq=2", 1);
    if (store_first) synth_store(&f->p, 1, SPACE_GLOBAL, 4);
    else synth_load(&f->p, 1, SPACE_GLOBAL, 4);
    synth_load(&f->p, 2, SPACE_GLOBAL, 4);
    synth_cta(&f->p);
    synth_warp(&f->p);
    synth_enter(&f->p, 0, UINT32_MAX);
    touch(&f->p, 0, 32);
    touch(&f->p, 0, 32);
    f->l->closed = store_first; /* nothing leaves: the stores find the miss queue full */
    lone_launch(f->l, &f->p);
    lone_steps(f->l, 100);
    assert_true(f->l->sm.lsu.ext->queue.blocked);
}

/* A load may not overtake a store of its warp. */
TEST(no_overtaking_of_a_store)
{
    struct fixture f;
    back_to_back(&f, true);
    assert_int_equal(f.l->sm.lsu.pipe[L1_DATA].refused, L1_ORDER);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).loads, 0);
    f.l->closed = false;
    lone_finish(f.l);
    assert_true(f.l->sm.lsu.l1[L1_DATA].refusals[L1_ORDER] > 0);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).loads, 32);
    end(&f);
}

/* It may try behind a load, and what is there serves it; refused, it blocks the unit. */
TEST(a_load_behind_a_load_may_try)
{
    struct fixture f;
    back_to_back(&f, false);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).hits_reserved, 2); /* the two lines that are on their way */
    assert_int_equal(f.l->sm.lsu.pipe[L1_DATA].refused, L1_NO_MSHR);
    assert_int_equal(f.l->sm.lsu.ext->queue.op[0]->load.seq, 1); /* only the first is queued */
    lone_finish(f.l);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).loads, 64);
    end(&f);
}

/* A store of a warp that is not the owner is turned away, and sent when saturation ends. */
TEST(stores_of_others_wait)
{
    struct fixture f;
    begin(&f, "mascar:sat_mshr=1,owner_lsu=switch", "", 2);
    synth_load(&f.p, 1, SPACE_GLOBAL, 4);
    for (int i = 0; i < 300; i++) synth_add(&f.p, 3, 3, 3); /* the owner goes on: no dependence */
    synth_block(&f.p);
    for (int i = 0; i < 8; i++) synth_add(&f.p, 4, 4, 4);
    synth_store(&f.p, 5, SPACE_GLOBAL, 4);
    synth_cta(&f.p);
    synth_warp(&f.p);
    synth_enter(&f.p, 0, UINT32_MAX);
    touch(&f.p, 0, 32); /* two MSHRs at a time: saturated, and its owner for long */
    synth_warp(&f.p);
    synth_enter(&f.p, 1, 1);
    touch(&f.p, 99, 1);
    lone_launch(f.l, &f.p);
    lone_steps(f.l, 400);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).stores, 0);
    lone_finish(f.l);
    assert_int_equal(l1_stats(&f.l->sm.lsu.l1[L1_DATA]).stores, 1);
    end(&f);
}

/* A load without an active lane is no memory instruction: it waits for nothing and owns nothing. */
TEST(no_lanes_no_request)
{
    struct fixture f;
    begin(&f, "mascar:mode=mp", "", 1);
    struct code_inst *i = synth_load(&f.p, 1, SPACE_GLOBAL, 4);
    i->guarded = 1;
    synth_cta(&f.p);
    synth_warp(&f.p);
    synth_enter(&f.p, 0, 1);
    stream_guard(synth_last(&f.p), 0);
    lone_launch(f.l, &f.p);
    lone_finish(f.l);
    for (unsigned k = 0; f.l->sm.policy->counters[k].name; k++)
        if (strncmp(f.l->sm.policy->counters[k].name, "owner_by", 8) == 0)
            assert_int_equal(sm_sched(&f.l->sm)->count[k], 0);
    assert_int_equal(f.l->sm.stats.reexec_pushes, 0);
    assert_int_equal(f.l->sm.counts.warp_instructions, 1);
    end(&f);
}
