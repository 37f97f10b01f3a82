/* mascar_fig3.c - the example of Mascar's Fig. 3, from a real run.
 *
 * Three warps run two loads and four adds on a miniature machine. All lines are in the
 * L1D and the pipe in front of its tags takes 6 cycles, so the pipe plays the memory: a load that enters
 * in t has its data in t + 5 and its dependent may issue in t + 6; the places in the pipe are the loads
 * that may be outstanding. tests/timing/test_mascar_fig3.c has the paper's table row by row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/registry.h"
#include "run/example.h"
#include "run/machine.h"
#include "run/mascar_fig3.h"
#include "sim/gpu.h"

enum { WARPS = 3, LOADS = 2, ADDS = 4, INSTS = LOADS + ADDS, PIPE = 6, WIDTH = 40 };

/* ---- the program ---- */

struct program {
    struct stream_source source; /* first: the machine hands it back */
    struct launch_info info;
    struct code code;
    struct code_inst inst[INSTS];
    struct code_block block;
    struct stream_writer warp[WARPS];
    bool given;
};

static int give_cta(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    (void)e;
    struct program *p = (struct program *)(void *)s;
    if (p->given) return 0;
    p->given = true;
    *out = (struct cta_stream){.nwarps = WARPS};
    for (unsigned w = 0; w < WARPS; w++) out->warp[w] = (struct warp_stream){p->warp[w].data, p->warp[w].size};
    return 1;
}

static void take_back(struct stream_source *s, struct cta_stream *cta)
{
    (void)s;
    (void)cta;
}

static int write_program(struct program *p, struct wl_err *e)
{
    memset(p, 0, sizeof *p);
    for (uint16_t i = 0; i < INSTS; i++) {
        bool load = i < LOADS;
        p->inst[i] = (struct code_inst){.pc = 8u * i,
                                        .kind = load ? INST_LOAD : INST_ALU,
                                        .lat = LAT_INT_ADD,
                                        .space = load ? SPACE_GLOBAL : SPACE_NONE,
                                        .width = 4,
                                        .ndst = 1,
                                        .nsrc = load ? 0 : 2,
                                        .loop = CODE_NO_LOOP};
        p->inst[i].reg[0] = load ? i : LOADS; /* r0, r1: the loads; r2: the sum */
        p->inst[i].reg[1] = i == LOADS ? 0 : LOADS;
        p->inst[i].reg[2] = i == LOADS ? 1 : LOADS;
    }
    p->block = (struct code_block){0, INSTS, CODE_NO_LOOP};
    p->code = (struct code){.inst = p->inst, .block = &p->block, .ninst = INSTS, .nblock = 1, .nregs = LOADS + 1};
    snprintf(p->info.kernel, sizeof p->info.kernel, "fig3");
    for (unsigned i = 0; i < 3; i++) p->info.grid[i] = p->info.block[i] = 1;
    p->info.block[0] = WARPS * WARP_SIZE;
    p->info.code = &p->code;
    for (uint64_t w = 0; w < WARPS; w++) {
        stream_begin(&p->warp[w]);
        stream_block(&p->warp[w], 0, UINT32_MAX);
        for (uint64_t i = 0; i < LOADS; i++) {
            uint64_t addr[WARP_SIZE];
            for (uint64_t l = 0; l < WARP_SIZE; l++) addr[l] = DEVICE_BASE + (w * LOADS + i) * 128 + 4 * l;
            stream_addrs(&p->warp[w], UINT32_MAX, addr);
        }
        if (p->warp[w].failed) return wl_fail(e, WL_ERUN, "out of memory");
    }
    p->source = (struct stream_source){.info = &p->info, .next = give_cta, .release = take_back};
    return launch_shape(&p->info, e);
}

/* ---- what happened when: listening at the scheduler and at the L1D policy ---- */

static struct {
    const struct wl_sched_policy *sched;
    const struct wl_cache_policy *cache;
    uint64_t issued[WARPS][INSTS], at_tags[WARPS][LOADS];
    unsigned count[WARPS];
} heard;

static void hear_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler, unsigned warp)
{
    if (warp < WARPS && heard.count[warp] < INSTS) heard.issued[warp][heard.count[warp]++] = v->cycle;
    heard.sched->on_issue(s, v, scheduler, warp);
}

static void hear_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    bool hit = outcome == WL_HIT || outcome == WL_MERGED;
    if (hit && a->warp < WARPS && a->pc / 8 < LOADS) heard.at_tags[a->warp][a->pc / 8] = a->cycle;
    heard.cache->on_access(c, a, outcome, way);
}

static int play(struct program *p, const char *slots, const char *sched, struct wl_err *e)
{
    static const char *const machine[] = {"sm.count=1",    "sm.schedulers=1", "sm.issue_delay=0",
                                          "lat.int_add=1", "sm.mem_delay=1",  "sm.lsu_queue=1",
                                          "l1d.pipe=6",    "l1d.hit=0",       "l1d.flush=no"};
    struct gpu_config *c = calloc(1, sizeof *c);
    if (!c) return wl_fail(e, WL_ERUN, "out of memory");
    registry_open();
    config_defaults(c);
    int rc = 0;
    for (unsigned i = 0; !rc && i < sizeof machine / sizeof machine[0]; i++) rc = config_set(c, machine[i], e);
    if (!rc) rc = config_set(c, slots, e);
    if (!rc) rc = config_set_sched(c, sched, e);
    heard.sched = c->sched.policy;
    heard.cache = c->l1.policy;
    struct wl_sched_policy hearing_sched = *heard.sched;
    struct wl_cache_policy hearing_cache = *heard.cache;
    hearing_sched.on_issue = hear_issue;
    hearing_cache.on_access = hear_access;
    c->sched.policy = &hearing_sched;
    c->l1.policy = &hearing_cache;
    struct gpu *g = rc ? NULL : gpu_new(c, NULL, e);
    if (!rc && !g) rc = (int)e->code;
    for (unsigned i = 0; !rc && i < 2; i++) { /* the first run brings the lines in */
        memset(heard.count, 0, sizeof heard.count);
        p->given = false;
        rc = gpu_run(g, &p->source, e);
    }
    gpu_free(g);
    free(c);
    return rc;
}

/* ---- the picture ---- */

static void put_warp(unsigned w, uint64_t zero, FILE *out)
{
    char row[WIDTH + 1];
    memset(row, ' ', WIDTH);
    uint64_t first = heard.at_tags[w][0] - PIPE - zero, add = heard.issued[w][LOADS] - zero;
    for (uint64_t t = first; t < add && t < WIDTH; t++) row[t] = '.';
    for (unsigned i = 0; i < LOADS; i++) {
        uint64_t t = heard.at_tags[w][i] - PIPE - zero;
        if (t < WIDTH) row[t] = (char)('1' + i);
    }
    for (unsigned i = LOADS; i < INSTS; i++)
        if (heard.issued[w][i] - zero < WIDTH) row[heard.issued[w][i] - zero] = '+';
    size_t n = WIDTH;
    while (n && row[n - 1] == ' ') n--;
    fprintf(out, "    W%u  %.*s\n", w, (int)n - 1, row + 1);
}

static void put_picture(const char *what, FILE *out)
{
    uint64_t zero = heard.at_tags[0][0] - PIPE - 1, finish = 0;
    for (unsigned w = 0; w < WARPS; w++)
        if (heard.issued[w][INSTS - 1] - zero > finish) finish = heard.issued[w][INSTS - 1] - zero;
    fprintf(out, "\n  %s: finishes in %" PRIu64 "\n        ....:....1....:....2....:....3\n", what, finish);
    for (unsigned w = 0; w < WARPS; w++) put_warp(w, zero, out);
}

static const struct {
    const char *what, *slots, *sched;
} systems[] = {{"round robin, any number of outstanding loads", "l1d.slots=512", "lrr"},
               {"round robin, two outstanding loads", "l1d.slots=2", "lrr"},
               {"Mascar, two outstanding loads", "l1d.slots=2", "mascar:part=sched,mode=mp,drain=no,owner_lsu=no"}};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

int mascar_fig3(FILE *out, struct wl_err *e)
{
    struct program p;
    int rc = write_program(&p, e);
    if (!rc)
        fputs("Mascar (HPCA 2015), Fig. 3: each of three warps loads r1 and r2 and then adds four times.\n"
              "A load takes 5 cycles, an add 1.  1, 2: a load is sent   .: it waits for them   +: an add\n",
              out);
    for (unsigned i = 0; !rc && i < SYSTEMS; i++) {
        rc = play(&p, systems[i].slots, systems[i].sched, e);
        if (!rc) put_picture(systems[i].what, out);
    }
    for (unsigned w = 0; w < WARPS; w++) free(p.warp[w].data);
    return rc;
}

/* ---- the same as numbers ---- */

static const char *const row_names[] = {"W0.r1",   "W0.r2", "W0.add1", "W0.add4", "W1.r1",   "W1.r2",  "W1.add1",
                                        "W1.add4", "W2.r1", "W2.r2",   "W2.add1", "W2.add4", "finish", NULL};
static const char *const column_names[] = {"infinite", "rr2", "mascar2", NULL};

static void note_system(unsigned system, double *value)
{
    uint64_t zero = heard.at_tags[0][0] - PIPE - 1, finish = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        const uint64_t at[] = {heard.at_tags[w][0] - PIPE, heard.at_tags[w][1] - PIPE, heard.issued[w][LOADS],
                               heard.issued[w][INSTS - 1]};
        for (unsigned i = 0; i < 4; i++) value[(w * 4 + i) * SYSTEMS + system] = (double)(at[i] - zero);
        if (at[3] - zero > finish) finish = at[3] - zero;
    }
    value[WARPS * 4 * SYSTEMS + system] = (double)finish;
}

static int play_numbers(double *value, struct wl_err *e)
{
    struct program p;
    int rc = write_program(&p, e);
    for (unsigned i = 0; !rc && i < SYSTEMS; i++) {
        rc = play(&p, systems[i].slots, systems[i].sched, e);
        if (!rc) note_system(i, value);
    }
    for (unsigned w = 0; w < WARPS; w++) free(p.warp[w].data);
    return rc;
}

extern const struct example mascar_fig3_example;
const struct example mascar_fig3_example = {"mascar-fig3", row_names, column_names, play_numbers};
