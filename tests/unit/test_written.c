/* test_written.c - streams that were written and are moved on: nothing is lost, warps of a CTA still meet, and CTAs
 * that would have ended meanwhile are replaced by later ones. */
#include "ptx_run.h"

#include "base/bits.h"

/* In each of `rounds` rounds a warp goes through a loop as often as a word in memory says, which differs from warp to
 * warp and from round to round, and then waits for the others. */
static const char meeting[] =
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u32 rounds)\n{\n"
             ".reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n"
             "ld.param.u64 %rd0, [in];\nld.param.u32 %r0, [rounds];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
             "shr.u32 %r3, %r1, 5;\nadd.u32 %r3, %r3, %r2;\nmov.u32 %r4, 0;\n"
             "round:\nadd.u32 %r5, %r3, %r4;\nand.b32 %r5, %r5, 63;\nmul.wide.u32 %rd1, %r5, 4;\n"
             "add.u64 %rd2, %rd0, %rd1;\nld.global.u32 %r6, [%rd2];\n"
             "more:\nsub.u32 %r6, %r6, 1;\nsetp.gt.s32 %p0, %r6, 0;\n@%p0 bra more;\n"
             "bar.sync 0;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r0;\n@%p1 bra round;\nret;\n}\n";

enum { WARPS = 4, PLACES = 3, CTAS = 12, ROUNDS = 300 };

/* A machine of PLACES CTAs. It runs a block of each warp in turn, but none past a barrier before the others are there.
 */
struct machine {
    struct stream_source *s;
    struct seat {
        bool used;
        struct cta_stream cta;
        struct stream_reader at[WARPS];
        uint32_t barriers[WARPS];
        bool ended[WARPS];
    } seat[PLACES];
    struct stream_counts read;
    uint32_t ended, jumps;
};

static void begin_cta(struct machine *m, struct seat *p)
{
    struct wl_err e;
    *p = (struct seat){.used = false};
    if (m->s->next(m->s, &p->cta, &e) != 1) return;
    p->used = true;
    for (unsigned w = 0; w < WARPS; w++) stream_open(&p->at[w], p->cta.warp[w]);
}

static bool read_on(struct machine *m, struct seat *p, unsigned w)
{
    struct warp_stream next;
    int got = m->s->more(m->s, &p->cta, w, &next);
    assert_true(got >= 0);
    if (got == 1) stream_continue(&p->at[w], next);
    if (got == 2) stream_jump(&p->at[w], next), m->jumps++;
    return got;
}

static bool is_first(const struct seat *p, unsigned w)
{
    for (unsigned i = 0; i < WARPS; i++)
        if (!p->ended[i] && p->barriers[i] < p->barriers[w]) return false;
    return true;
}

/* A block. False: the warp waits, or has ended. */
static bool run_warp(struct machine *m, struct seat *p, unsigned w)
{
    const struct code *code = m->s->info->code;
    if (p->ended[w] || !is_first(p, w)) return false;
    if (stream_done(&p->at[w]) && !read_on(m, p, w)) {
        p->ended[w] = true;
        return true;
    }
    struct stream_reader ahead = p->at[w];
    const struct code_block *b = &code->block[stream_next_block(&ahead)];
    for (uint32_t i = 0; i < b->count; i++) p->barriers[w] += code->inst[b->first + i].kind == INST_BARRIER;
    stream_skip_block(&p->at[w], code, &m->read, NULL);
    return true;
}

/* A round of all warps, those of CTA k k times. False: nobody could go on. */
static bool run_round(struct machine *m)
{
    bool any = false;
    for (unsigned i = 0; i < PLACES; i++) {
        struct seat *p = &m->seat[i];
        unsigned ended = 0;
        if (!p->used) continue;
        for (unsigned k = 0; k <= i; k++)
            for (unsigned w = 0; w < WARPS; w++) any |= run_warp(m, p, w);
        for (unsigned w = 0; w < WARPS; w++) ended += p->ended[w];
        if (ended < WARPS) continue;
        m->s->release(m->s, &p->cta);
        m->ended++;
        begin_cta(m, p);
    }
    return any;
}

static struct stream_source *open_meeting(struct ptx_test *t, uint32_t least)
{
    struct {
        uint64_t in;
        uint32_t rounds;
    } params = {dev_alloc(t->mem, 256), ROUNDS};
    uint32_t *in = dev_ptr(t->mem, params.in, 256);
    uint64_t seed = 7;
    for (unsigned i = 0; i < 64; i++) in[i] = least + (uint32_t)(splitmix64(&seed) % 30);
    struct ptx_launch l = {.image = t->img,
                           .kernel = ptx_find_kernel(t->mod, "k"),
                           .grid = {CTAS, 1, 1},
                           .block = {WARP_SIZE * WARPS, 1, 1},
                           .sliced = true,
                           .params = &params};
    struct stream_source *s = ptx_open(&l, &t->err);
    assert_non_null(s);
    return s;
}

/* Runs the launch, moved on by `parts` after every 500 rounds; how many CTAs were replaced. */
static uint32_t run_moved(uint64_t parts, bool leaves, uint64_t *left_out)
{
    struct ptx_test t;
    ptx_test_load(&t, meeting);
    struct machine m = {.s = open_meeting(&t, 3)};
    uint32_t replaced = 0, ctas, rounds = 0;
    uint64_t moved = 0;
    assert_true(m.s->on_demand(m.s));
    assert_int_equal(m.s->foreseen(m.s), 0);
    for (unsigned i = 0; i < PLACES; i++) begin_cta(&m, &m.seat[i]);
    assert_true(m.s->foreseen(m.s) > 0);
    m.s->note(m.s);
    while (run_round(&m)) {
        if (++rounds % 500 || (leaves && rounds > 3000)) continue;
        int64_t n = m.s->move(m.s, parts, &ctas);
        assert_true(n >= 0);
        moved += (uint64_t)n;
        replaced += ctas;
        m.s->note(m.s);
        if (leaves && rounds == 3000) m.s->leave(m.s);
    }
    struct exec_counts all = ptx_counts(m.s), passed = ptx_passed(m.s);
    assert_int_equal(m.ended + replaced, CTAS); /* nobody was left waiting for the others */
    assert_int_equal(m.read.warp + passed.warp_instructions, all.warp_instructions);
    assert_int_equal(m.read.thread + passed.thread_instructions, all.thread_instructions);
    if (!leaves) assert_int_equal(m.s->made(m.s), all.warp_instructions);
    assert_true(moved <= passed.warp_instructions + all.warp_instructions / 100);
    *left_out = passed.warp_instructions * 100 / all.warp_instructions;
    assert_int_equal(m.jumps > 0, parts > 0);
    ptx_close(m.s);
    ptx_test_free(&t);
    return replaced;
}

TEST(what_is_left_out_is_counted_and_warps_still_meet)
{
    uint64_t left_out;
    assert_int_equal(run_moved(0, false, &left_out), 0);
    assert_int_equal(left_out, 0);
    for (uint64_t parts = 100; parts <= 6400; parts *= 2) {
        run_moved(parts, false, &left_out);
        assert_true(left_out >= 10);
        run_moved(parts, true, &left_out);
    }
}

TEST(ctas_that_would_have_ended_are_replaced)
{
    uint64_t left_out;
    assert_true(run_moved(4096, false, &left_out) > 0);
    assert_true(left_out > 50);
}

/* What a phase of a kernel is like that nobody has come to is not known. */
TEST(nobody_is_moved_past_a_barrier_that_no_machine_came_to)
{
    struct ptx_test t;
    ptx_test_load(&t, meeting);
    struct machine m = {.s = open_meeting(&t, 100)};
    uint32_t ctas;
    assert_true(m.s->on_demand(m.s));
    for (unsigned i = 0; i < PLACES; i++) begin_cta(&m, &m.seat[i]);
    m.s->note(m.s);
    run_round(&m);
    m.s->move(m.s, 1 << 16, &ctas);
    assert_int_equal(ctas, 0);
    assert_true(m.s->made(m.s) < PLACES * WARPS * 512); /* the first round of the kernel */
    m.s->note(m.s);
    while (!m.seat[0].barriers[0]) run_round(&m);
    for (unsigned i = 0; i < 100; i++) run_round(&m);
    assert_true(m.s->move(m.s, 1 << 12, &ctas) > PLACES * WARPS * 512);
    ptx_close(m.s);
    ptx_test_free(&t);
}

static void note_touch(void *arg, uint64_t line)
{
    assert_int_equal(line / 2, DEVICE_BASE >> 8); /* the words are two lines */
    ++*(unsigned *)arg;
}

TEST(what_was_touched_last_is_told)
{
    struct ptx_test t;
    ptx_test_load(&t, meeting);
    struct machine m = {.s = open_meeting(&t, 3)};
    uint32_t ctas;
    unsigned lines = 0;
    assert_true(m.s->on_demand(m.s));
    for (unsigned i = 0; i < PLACES; i++) begin_cta(&m, &m.seat[i]);
    m.s->note(m.s);
    for (unsigned i = 0; i < 500; i++) run_round(&m);
    m.s->touched(m.s, note_touch, &lines);
    assert_int_equal(lines, 0);
    assert_true(m.s->move(m.s, 1024, &ctas) > 0);
    m.s->touched(m.s, note_touch, &lines);
    assert_true(lines > 0);
    ptx_close(m.s);
    ptx_test_free(&t);
}

/* What is polled in shared memory only warps of the CTA write, and they execute together. What is polled elsewhere
 * another CTA may write. */
TEST(ctas_that_may_wait_for_others_are_not_moved)
{
    static const struct {
        const char *load;
        bool moves;
    } polls[] = {{"ld.global.u32 %r2, [%rd0]", true},
                 {"ld.volatile.shared.u32 %r2, [word]", true},
                 {"ld.volatile.global.u32 %r2, [%rd0]", false},
                 {"atom.global.add.u32 %r2, [%rd0], 0", false}};
    for (unsigned i = 0; i < COUNT(polls); i++) {
        char text[1024];
        struct ptx_test t;
        snprintf(text, sizeof text,
                 PTX_HEAD
                 ".visible .entry k(.param .u64 in, .param .u32 rounds)\n{\n.reg .b32 %%r<4>;\n"
                 ".reg .b64 %%rd<4>;\n.shared .u32 word;\nld.param.u64 %%rd0, [in];\n%s;\nbar.sync 0;\nret;\n}\n",
                 polls[i].load);
        ptx_test_load(&t, text);
        struct stream_source *s = open_meeting(&t, 1);
        assert_int_equal(s->on_demand != NULL, polls[i].moves);
        ptx_close(s);
        ptx_test_free(&t);
    }
}
