/* test_inputs.c - docs/workloads.md promises that size small keeps what decides a program's behaviour: the warps that
 * are resident, and the distances at which the lanes of a warp, the warps of a CTA and the turns of a loop touch
 * memory. Every program of a paper's group is held to it, on that paper's machine; the exceptions stand in one table.
 *
 * Host code runs as it is, on a session that records: launches are looked at and not executed, so that a program may
 * end early or find its results wrong. Of the first launch one CTA is executed and the addresses of its warps are kept:
 * what depends on data (a gather) has no pattern and is left out. */
#include "test.h"

#include "base/embed.h"
#include "run/machine.h"
#include "sim/session.h"
#include "workloads/workload.h"

/* What small does not keep, and why. A row that is not needed fails the test as well. */
struct exception {
    const char *program;
    bool warps, rows; /* what differs */
    const char *why;
};

/* clang-format off */
static const struct exception exceptions[] = {
    {"spmv",          true,  false, "the suite's default fills 8 CTAs; small is its next larger matrix"},
    {"pageview",      true,  false, "a log that fills the SMs takes 8 seconds; 32 of 48 warps are there"},
    {"mrigridding",   true,  false, "samples that fill the sorting kernels take the gathering one 6 seconds"},
    {"triangles",     true,  false, "time grows with the square of a node's edges: 10 seconds with all warps"},
    {"barneshut",     true,  false, "8192 bodies and two steps; 30,000 are the suite's, and take 75 seconds"},
    {"btree",         false, true,  "a larger tree has its levels elsewhere; the distances inside a node are kept"},
    {"cutcp",         false, true,  "the rows of the lattice, which it writes once at the end"},
    {"histogram_sdk", false, true,  "a thread's next bytes are one grid further, and the grid follows from the size"},
};
/* clang-format on */

enum { MAX_KERNELS = 16, TURNS = 4, WARPS = 4, NAMES = 1024 };

struct kernel {
    char name[128];
    uint64_t resident; /* warps in the whole machine, in the launch that has most */
};

struct point { /* one execution of a memory instruction */
    bool known, gather;
    uint32_t mask;
    uint64_t at; /* address of the first active lane */
    int64_t stride, half;
};

struct shape {
    int64_t machine[P_COUNT]; /* of the paper's GPU */
    struct kernel kernel[MAX_KERNELS];
    unsigned kernels;
    uint32_t insts;
    struct point (*point)[WARPS][TURNS]; /* by instruction of the first kernel */
};

static uint64_t resident_warps(const int64_t *v, const struct launch_info *l)
{
    uint64_t limit = (uint64_t)v[P_SM_CTAS], threads = (uint64_t)l->warps_per_cta * WARP_SIZE;
    uint64_t by[] = {(uint64_t)v[P_SM_WARPS] / l->warps_per_cta,
                     l->regs_per_thread ? (uint64_t)v[P_SM_REGISTERS] / (l->regs_per_thread * threads) : limit,
                     l->shared_bytes ? (uint64_t)v[P_SM_SHARED] / l->shared_bytes : limit};
    for (unsigned i = 0; i < COUNT(by); i++)
        if (by[i] < limit) limit = by[i];
    limit *= (uint64_t)v[P_SM_COUNT];
    return (l->ctas < limit ? l->ctas : limit) * l->warps_per_cta;
}

static void keep_point(struct point turns[TURNS], const struct warp_addrs *a)
{
    for (unsigned t = 0; t < TURNS; t++) {
        if (turns[t].known) continue;
        turns[t] = (struct point){true,      !a->affine && !a->halves,
                                  a->mask,   warp_addr(a, (unsigned)__builtin_ctz(a->mask)),
                                  a->stride, a->halves ? (int64_t)(a->half[1] - a->half[0]) : 0};
        return;
    }
}

/* Goes through what a warp did. Addresses of shared, local and constant memory are passed over. */
static void keep_warp(struct shape *s, const struct code *c, struct warp_stream stream, unsigned warp)
{
    struct stream_reader r;
    struct warp_addrs a;
    stream_open(&r, stream);
    while (!stream_done(&r)) {
        const struct code_block *b = &c->block[stream_next_block(&r)];
        for (uint32_t i = b->first; i < b->first + b->count; i++) {
            const struct code_inst *in = &c->inst[i];
            uint32_t mask = in->guarded ? stream_next_guard(&r) : r.mask;
            if (!inst_is_mem(in) || !mask) continue;
            do {
                uint32_t lanes = mask;
                enum mem_space space = (enum mem_space)in->space;
                if (space == SPACE_GENERIC) space = stream_next_part(&r, &lanes);
                stream_next_addrs(&r, lanes, &a);
                if (space == SPACE_GLOBAL || space == SPACE_TEX) keep_point(s->point[i][warp], &a);
            } while (in->space == SPACE_GENERIC && stream_has_parts(&r));
        }
    }
}

static int look_at_launch(void *arg, struct stream_source *src, struct wl_err *e)
{
    struct shape *s = arg;
    const struct launch_info *l = src->info;
    unsigned k = 0;
    while (k < s->kernels && strcmp(s->kernel[k].name, l->kernel) != 0) k++;
    assert_true(k < MAX_KERNELS);
    if (k == s->kernels) snprintf(s->kernel[s->kernels++].name, sizeof s->kernel[k].name, "%s", l->kernel);
    uint64_t resident = resident_warps(s->machine, l);
    if (resident > s->kernel[k].resident) s->kernel[k].resident = resident;
    if (s->point) return 0;
    s->insts = l->code->ninst;
    s->point = calloc(s->insts, sizeof *s->point);
    assert_non_null(s->point);
    struct cta_stream cta;
    if (src->next(src, &cta, e) <= 0) return WL_ERUN;
    for (unsigned w = 0; w < cta.nwarps && w < WARPS; w++) keep_warp(s, l->code, cta.warp[w], w);
    src->release(src, &cta);
    return 0;
}

static const char *built_in(const char *file)
{
    const struct embed_file *f = embed_find(file);
    return f ? f->data : NULL;
}

static void find_shape(struct shape *s, const struct workload *w, int size)
{
    struct workload_run r = {.seed = 1, .ptx = built_in};
    for (unsigned i = 0; w->input[i].name; i++) r.in[i] = w->input[i].value[size];
    struct session_options o = {.mode = SESSION_RECORD, .record = look_at_launch, .record_arg = s};
    struct session *session = session_new(&o, NULL);
    assert_non_null(session);
    session_make_current(session);
    (void)w->run(&r); /* may say that results are wrong: nothing has computed them */
    session_free(session);
    assert_non_null(s->point);
}

/* Whether an instruction's addresses have a pattern at both sizes: a few lanes have one by chance. */
static bool comparable(const struct point *p, const struct point *q)
{
    return p->known && q->known && !p->gather && !q->gather && p->mask == q->mask && __builtin_popcount(p->mask) >= 4;
}

/* Distances between lanes, and from the first address; of warp 1 if there are three, as warp 0 may be at a border
 * and stand in another array. */
static bool same_rows(struct point a[WARPS][TURNS], struct point b[WARPS][TURNS])
{
    unsigned first = a[2][0].known && b[2][0].known;
    for (unsigned w = first; w < WARPS; w++)
        for (unsigned t = 0; t < TURNS; t++) {
            const struct point *p = &a[w][t], *q = &b[w][t], *p0 = &a[first][0], *q0 = &b[first][0];
            if (!comparable(p, q)) continue;
            if (p->stride != q->stride || p->half != q->half) return false;
            if (comparable(p0, q0) && p->at - p0->at != q->at - q0->at) return false;
        }
    return true;
}

static bool rows_agree(const struct shape *a, const struct shape *b, const char *program)
{
    if (strcmp(a->kernel[0].name, b->kernel[0].name) != 0 || a->insts != b->insts) {
        print_message("%s: other code, %s and %s\n", program, a->kernel[0].name, b->kernel[0].name);
        return false;
    }
    for (uint32_t i = 0; i < a->insts; i++) {
        if (same_rows(a->point[i], b->point[i])) continue;
        print_message("%s: instruction %u of %s touches memory at other distances\n", program, i, a->kernel[0].name);
        return false;
    }
    return true;
}

static bool warps_agree(const struct shape *a, const struct shape *b, const char *program)
{
    bool agree = true;
    for (unsigned i = 0; i < a->kernels && i < b->kernels; i++) {
        if (strcmp(a->kernel[i].name, b->kernel[i].name) != 0) continue;
        if (a->kernel[i].resident == b->kernel[i].resident) continue;
        print_message("%s: %s has %u warps at small, %u at paper\n", program, a->kernel[i].name,
                      (unsigned)a->kernel[i].resident, (unsigned)b->kernel[i].resident);
        agree = false;
    }
    return agree;
}

/* Returns the number of complaints. */
static unsigned compare_sizes(const struct workload *w, const char *paper, bool needed[])
{
    struct shape *s = calloc(2, sizeof *s);
    struct gpu_config machine;
    assert_non_null(s);
    assert_int_equal(machine_read(&(struct machine_spec){.gpu = paper}, &machine, NULL), 0);
    for (unsigned i = 0; i < 2; i++) {
        memcpy(s[i].machine, machine.v, sizeof s[i].machine);
        find_shape(&s[i], w, i ? SIZE_PAPER : SIZE_SMALL);
    }
    bool warps = warps_agree(&s[0], &s[1], w->name), rows = rows_agree(&s[0], &s[1], w->name);
    for (unsigned i = 0; i < COUNT(exceptions); i++) {
        if (strcmp(exceptions[i].program, w->name) != 0) continue;
        needed[i] |= (exceptions[i].warps && !warps) || (exceptions[i].rows && !rows);
        warps |= exceptions[i].warps, rows |= exceptions[i].rows;
    }
    for (unsigned i = 0; i < 2; i++) free(s[i].point);
    free(s);
    return !warps + !rows;
}

TEST(small_keeps_rows_and_warps)
{
    unsigned groups, failed = 0, done = 0;
    const struct workload_group *group = workload_groups(&groups);
    const struct workload *w;
    bool needed[COUNT(exceptions)] = {false};
    const char *seen[NAMES]; /* program, paper */
    for (unsigned g = 0; g < groups; g++) {
        char paper[32];
        snprintf(paper, sizeof paper, "%.*s", (int)strcspn(group[g].name, "."), group[g].name);
        for (unsigned m = 0; (w = workload_group_member(&group[g], m)); m++) {
            bool again = SLOW_BUILD && m % 6; /* inputs of the full size are large */
            for (unsigned i = 0; i < done; i++) again |= seen[i] == w->name;
            if (again) continue;
            seen[done++] = w->name;
            failed += compare_sizes(w, paper, needed);
        }
    }
    assert_int_equal(failed, 0);
    for (unsigned i = 0; !SLOW_BUILD && i < COUNT(exceptions); i++) assert_true(needed[i]);
}
