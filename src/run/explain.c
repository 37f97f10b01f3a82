/* explain.c - the machines that a program is tried on, and the account as a list of reasons. */
#include "run/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "param/param_table.h"

/* ---- reasons ---- */

/* clang-format off */
static const struct { const char *id, *phrase; } phrases[] = {
    {"issued", "an instruction is issued"},
    {"throttled", "the scheduling scheme holds ready warps back"},
    {"pipe_busy", "the pipe a ready warp needs is busy"},
    {"lsu_full", "a memory instruction finds the ld/st queue full"},
    {"held_back", "the re-execution queue or the gate holds a memory instruction back"},
    {"load_l1", "all warps wait, first for a load that the L1 answers"},
    {"load_l2", "all warps wait, first for a load that the L2 answers"},
    {"load_dram", "all warps wait, first for a load that memory answers"},
    {"load_in_flight", "all warps wait, first for a load whose line is already on its way"},
    {"shared", "all warps wait, first for shared memory"},
    {"alu", "all warps wait, first for a result that is being computed"},
    {"fetch", "no warp has its next instruction"},
    {"fence", "all warps wait, first for a fence, an atomic or a copy"},
    {"barrier", "all warps wait at a barrier"},
    {"drain", "all warps have ended but for their stores"},
    {"no_warp", "the scheduler has no warp, though its SM has"},
    {"idle", "its SM has no warp: launch, imbalance and tail"},
};
/* clang-format on */

unsigned explain_reasons(struct account_reason out[EXPLAIN_REASONS])
{
    enum { N = sizeof phrases / sizeof *phrases };
    for (unsigned i = 0; i < N; i++) out[i] = (struct account_reason){phrases[i].id, phrases[i].phrase, 0};
    return N;
}

uint64_t explain_sms(uint64_t sms, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t ctas = x * y * z; /* counted in 32 bits everywhere */
    return ctas < sms ? ctas : sms;
}

/* Fills in the cycles from what was counted; their sum comes back. */
static uint64_t explain_account(struct account_reason r[EXPLAIN_REASONS], unsigned reasons,
                                const struct run_result *from, const struct gpu_config *c)
{
    const struct run_stats *s = &from->stats;
    uint64_t slots = 0, used = 0;
    for (unsigned i = 0; i < from->nkernels; i++) {
        const struct kernel_record *k = &from->kernels[i];
        slots += k->cycles * explain_sms((uint64_t)c->v[P_SM_COUNT], k->grid[0], k->grid[1], k->grid[2]);
    }
    slots *= (uint64_t)c->v[P_SM_SCHEDULERS];
    for (unsigned i = 0; i < reasons; i++) {
        for (const struct counter_desc *d = counter_descs; d->key; d++)
            if (d->group == GROUP_account && strcmp(d->key, r[i].id) == 0) r[i].cycles = counter_value(s, d);
        used += r[i].cycles;
    }
    if (slots < used) slots = used;
    r[reasons - 1].cycles = slots - used;
    return slots;
}

/* ---- machines ---- */

static void set_word(struct what_if *w, const struct gpu_config *c, enum param_id id, int64_t value)
{
    const struct wl_param *p = &gpu_params[id];
    if (value > p->max) value = p->max;
    if (value < p->min) value = p->min;
    if (value == c->v[id] || w->words == EXPLAIN_WORDS) return;
    char text[24];
    param_write(p, value, text, sizeof text);
    snprintf(w->word[w->words++], sizeof w->word[0], "%s=%s", p->name, text);
}

static void times(struct what_if *w, const struct gpu_config *c, enum param_id id, int64_t factor)
{
    set_word(w, c, id, c->v[id] * factor);
}

static void make_l1_size(struct what_if *w, const struct gpu_config *c)
{
    times(w, c, P_L1D_WAYS, 4);
    if (c->v[P_SHARED_UNIFIED]) times(w, c, P_SHARED_UNIFIED, 4);
}
static void make_l1_perfect(struct what_if *w, const struct gpu_config *c) { set_word(w, c, P_L1D_PERFECT, 1); }
static void make_l1_queues(struct what_if *w, const struct gpu_config *c)
{
    set_word(w, c, P_L1D_MSHR, 4096);
    set_word(w, c, P_L1D_MERGE, 4096);
    set_word(w, c, P_L1D_MISSQ, 4096);
}
static void make_mshr(struct what_if *w, const struct gpu_config *c) { times(w, c, P_L1D_MSHR, 2); }
static void make_lsu(struct what_if *w, const struct gpu_config *c) { set_word(w, c, P_SM_LSU_QUEUE, 64); }
static void make_network(struct what_if *w, const struct gpu_config *c)
{
    set_word(w, c, P_ICNT_LATENCY, 1);
    set_word(w, c, P_ICNT_FLIT, 1024);
    set_word(w, c, P_ICNT_GAP, 0);
    set_word(w, c, P_ICNT_IN, 1024);
    set_word(w, c, P_ICNT_OUT, 1024);
}
static void make_l2_size(struct what_if *w, const struct gpu_config *c) { times(w, c, P_L2_WAYS, 4); }
static void make_l2_port(struct what_if *w, const struct gpu_config *c) { times(w, c, P_L2_PORT, 2); }
static void make_latency(struct what_if *w, const struct gpu_config *c)
{
    set_word(w, c, P_L2_ROP, 0);
    set_word(w, c, P_MEM_LATENCY, 0);
}
static void make_bandwidth(struct what_if *w, const struct gpu_config *c) { times(w, c, P_CLOCK_DRAM, 2); }
static void make_constant(struct what_if *w, const struct gpu_config *c) { set_word(w, c, P_L1C_PERFECT, 1); }
static void make_compute(struct what_if *w, const struct gpu_config *c)
{
    for (unsigned id = P_LAT_INT_ADD; id <= P_LAT_BITS; id++) set_word(w, c, (enum param_id)id, 1);
    set_word(w, c, P_SM_ISSUE_DELAY, 0);
}
static void make_pipes(struct what_if *w, const struct gpu_config *c)
{
    times(w, c, P_SM_ALU_PIPES, 2);
    times(w, c, P_SM_INT_PIPES, 2);
    times(w, c, P_SM_SFU_PIPES, 2);
    times(w, c, P_SM_DP_PIPES, 2);
}
static void make_warps(struct what_if *w, const struct gpu_config *c)
{
    times(w, c, P_SM_WARPS, 2);
    times(w, c, P_SM_CTAS, 2);
    times(w, c, P_SM_REGISTERS, 2);
    times(w, c, P_SM_SHARED, 2);
}
static void make_sched(struct what_if *w, const struct gpu_config *c)
{
    w->sched = strcmp(c->sched.policy->name, "gto") == 0 ? "lrr" : "gto";
}

/* clang-format off */
static const struct candidate {
    const char *id, *noun, *thing;
    bool bound;
    void (*make)(struct what_if *w, const struct gpu_config *c);
    const char *for_reasons; /* it is worth trying when these take some of the time; "" always */
} candidates[] = {
    {"l1d_perfect", "misses of the L1D", "an L1D that always hits", true, make_l1_perfect, ""},
    {"l1d_size", "the capacity of the L1D", "an L1D of four times the size", false, make_l1_size, ""},
    {"l1d_mshrs", "the number of MSHRs", "twice the MSHRs", false, make_mshr, ""},
    {"l1d_queues", "the miss queues of the L1D", "MSHRs and miss queues without limit", true, make_l1_queues, ""},
    {"network", "the network", "a network of one cycle without queues", true, make_network, ""},
    {"l2_size", "the capacity of the L2", "an L2 of four times the size", false, make_l2_size,
     "load_dram load_in_flight"},
    {"l2_bandwidth", "the bandwidth of the L2", "an L2 of twice the data width", false, make_l2_port,
     "load_l2 load_in_flight lsu_full"},
    {"memory_bandwidth", "the bandwidth of memory", "memory of twice the clock", false, make_bandwidth, ""},
    {"memory_latency", "the latency of L2 and memory", "an L2 and memory without their fixed delays", true,
     make_latency,
     ""},
    {"scheduler", "the order of warps", "another scheduler", false, make_sched, ""},
    {"occupancy", "the number of resident warps", "room for twice the warps", false, make_warps,
     "load_l1 load_l2 load_dram load_in_flight alu shared"},
    {"compute_latency", "the latency of computing", "results after one cycle", true, make_compute, "alu"},
    {"pipes", "the number of pipes", "twice the pipes", false, make_pipes, "pipe_busy issued"},
    {"constant_cache", "misses of constants and parameters", "a constant cache that always hits", true, make_constant,
     "load_l2 load_dram"},
    {"lsu_queue", "the queue before the ld/st unit", "a ld/st queue of 64 instructions", false, make_lsu, "lsu_full"},
};
/* clang-format on */
enum { CANDIDATES = sizeof candidates / sizeof *candidates };
_Static_assert((int)CANDIDATES <= (int)EXPLAIN_RUNS, "each has a place");

/* Whether the reasons that it would help take at least a fiftieth of the time. */
static bool worth_trying(const struct explanation *x, const char *reasons)
{
    uint64_t sum = 0;
    if (!*reasons) return true;
    for (unsigned i = 0; i < x->reasons; i++) {
        const char *at = strstr(reasons, x->reason[i].id);
        size_t n = strlen(x->reason[i].id);
        if (at && (at[n] == ' ' || !at[n])) sum += x->reason[i].cycles;
    }
    return sum * 50 >= x->slots;
}

static void choose(struct explanation *x, const struct gpu_config *c)
{
    for (unsigned i = 0; i < CANDIDATES; i++) {
        const struct candidate *from = &candidates[i];
        struct what_if *w = &x->run[x->runs];
        if (!worth_trying(x, from->for_reasons)) continue;
        *w = (struct what_if){.id = from->id, .noun = from->noun, .thing = from->thing, .bound = from->bound};
        from->make(w, c);
        if (w->words || w->sched) x->runs++;
    }
}

/* ---- runs ---- */

/* A machine that cannot be built, or that a policy does not like, is no failure of the explanation. */
static void try_one(const struct run_spec *base, const struct gpu_config *config, struct what_if *w, uint64_t cycles)
{
    struct run_spec spec = *base;
    struct gpu_config changed = *config;
    struct wl_err why = {.code = WL_OK};
    int rc = 0;
    spec.config = &changed;
    spec.say = NULL;
    spec.print = NULL;
    changed.v[P_STATS_PROFILE] = changed.v[P_STATS_INTERVAL] = 0;
    for (unsigned i = 0; !rc && i < w->words; i++) rc = config_set(&changed, w->word[i], &why);
    if (!rc && w->sched) rc = config_set_sched(&changed, w->sched, &why);
    if (!rc) rc = config_check(&changed, &why);
    struct run *r = rc ? NULL : run_new(&spec, &why);
    rc = r ? run_go(r, &why) : -1;
    if (rc) {
        snprintf(w->why, sizeof w->why, "%.*s", (int)strcspn(why.text, "\n") < 150 ? (int)strcspn(why.text, "\n") : 150,
                 why.text);
    } else {
        w->done = true;
        w->stats = run_result(r)->stats;
        w->cycles = w->stats.cycles;
        w->speedup = w->cycles ? (double)cycles / (double)w->cycles : 0;
    }
    run_free(r);
}

static int compare_runs(const void *a, const void *b)
{
    const struct what_if *x = a, *y = b;
    if (x->done != y->done) return x->done ? -1 : 1;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int run_base(const struct run_spec *spec, struct gpu_config *config, struct explanation *out, struct wl_err *e)
{
    enum { INTERVAL = 500 }; /* short; the simulator doubles it when a run is long */
    struct run_spec first = *spec;
    int rc = spec->config ? 0 : machine_make(&spec->machine, config, e);
    if (rc) return rc;
    if (spec->config) *config = *spec->config;
    config->v[P_STATS_PROFILE] = 1;
    if (!config->v[P_STATS_INTERVAL]) config->v[P_STATS_INTERVAL] = INTERVAL;
    first.config = config;
    first.each = true;
    out->base = run_new(&first, e);
    return out->base ? run_go(out->base, e) : (int)e->code;
}

int explain_run(const struct run_spec *spec, struct explanation *out,
                void (*progress)(const char *what, unsigned number, unsigned count), struct wl_err *e)
{
    struct gpu_config config;
    *out = (struct explanation){0};
    if (progress) progress("the program as it is", 0, CANDIDATES);
    int rc = run_base(spec, &config, out, e);
    if (rc) return rc;
    const struct run_stats *s = &run_result(out->base)->stats;
    out->reasons = explain_reasons(out->reason);
    out->slots = explain_account(out->reason, out->reasons, run_result(out->base), &config);
    uint64_t all = s->cycles * (uint64_t)(config.v[P_SM_COUNT] * config.v[P_SM_SCHEDULERS]);
    out->unused = all > out->slots ? all - out->slots : 0;
    choose(out, &config);
    for (unsigned i = 0; i < out->runs; i++) {
        if (progress) progress(out->run[i].thing, i + 1, out->runs);
        try_one(spec, &config, &out->run[i], s->cycles);
    }
    qsort(out->run, out->runs, sizeof out->run[0], compare_runs);
    return 0;
}

void explain_free(struct explanation *x)
{
    run_free(x->base);
    *x = (struct explanation){0};
}
