/* character.c - the metrics of `warpline characterize`, each as its paper defines it.
 *
 * Shares are of 1. Where nothing was counted a share is 0: a program without loads has no misses. A median of nothing
 * is no number (NAN). */
#include "cli/character.h"

#include <math.h>
#include <string.h>

static int character_machine(const struct machine_spec *from, struct gpu_config *c, struct wl_err *e)
{
    enum { INTERVAL = 500 }; /* short; the simulator doubles it when a run is long */
    struct machine_spec machine = *from;
    machine.l1 = "lru";
    machine.l2 = NULL;
    int rc = machine_make(&machine, c, e);
    if (rc) return rc;
    c->v[P_STATS_PROFILE] = 1;
    if (!c->v[P_STATS_INTERVAL]) c->v[P_STATS_INTERVAL] = INTERVAL;
    return 0;
}

struct run *character_run(const char *program, const struct options *o, struct wl_err *e)
{
    struct run_spec spec = run_words(o, program);
    struct gpu_config config;
    if (character_machine(&spec.machine, &config, e)) return NULL;
    spec.config = &config;
    return run_new(&spec, e);
}

int character_exec(const struct options *o, struct exec_outcome *out, struct wl_err *e)
{
    struct gpu_config config;
    const char *set[MAX_ITEMS + 2];
    char interval[64];
    struct exec_spec spec = {.program = o->program,
                             .machine = machine_words(o),
                             .plugin = list_words(&o->plugin),
                             .tick = o->engine && strcmp(o->engine, "tick") == 0,
                             .kernel = o->kernel,
                             .launch = o->launch};
    int rc = character_machine(&spec.machine, &config, e);
    if (rc) return rc;
    for (unsigned i = 0; i < spec.machine.sets; i++) set[i] = spec.machine.set[i];
    snprintf(interval, sizeof interval, "stats.interval=%lld", (long long)config.v[P_STATS_INTERVAL]);
    set[spec.machine.sets++] = "stats.profile=1";
    set[spec.machine.sets++] = interval;
    spec.machine.set = set;
    spec.machine.l1 = "lru";
    spec.machine.l2 = NULL;
    spec.machine.say = NULL; /* it has been said */
    return exec_run(&spec, out, e);
}

static void add(struct character *c, const char *key, double part, double whole)
{
    c->metric[c->metrics++] = (struct metric){key, whole > 0 ? part / whole : 0};
}
#define ADD(key, part, whole) add(c, key, (double)(part), (double)(whole))

/* DaCache: how many requests of a load miss, by class. */
static void add_loads(struct character *c, const struct run_stats *s)
{
    const struct profile_stats *p = &s->profile;
    ADD("requests_per_load", s->sm.load_requests, s->sm.l1d_loads);
    ADD("divergent_loads", s->sm.divergent_loads, s->sm.l1d_loads);
    ADD("divergent_requests", p->divergent_requests, s->sm.load_requests);
    ADD("coherent.mpli_0", p->coherent_mpli_0, p->coherent_loads);
    ADD("coherent.mpli_1", p->coherent_mpli_1, p->coherent_loads);
    ADD("coherent.mpli_2", p->coherent_mpli_2, p->coherent_loads);
    ADD("divergent.mpli_0", p->divergent_mpli_0, p->divergent_loads);
    ADD("divergent.mpli_1", p->divergent_mpli_1, p->divergent_loads);
    ADD("divergent.mpli_2", p->divergent_mpli_2, p->divergent_loads);
    ADD("divergent.mpli_3_31", p->divergent_mpli_3_31, p->divergent_loads);
    ADD("divergent.mpli_32_up", p->divergent_mpli_32_up, p->divergent_loads);
    ADD("access.hit", p->access_hit, s->l1d.loads);
    ADD("access.pending", p->access_pending, s->l1d.loads);
    ADD("access.cold", p->access_cold + p->access_flushed, s->l1d.loads);
    ADD("access.intra_warp", p->access_intra_warp, s->l1d.loads);
    ADD("access.inter_warp", p->access_inter_warp, s->l1d.loads);
    ADD("access.other", p->access_invalidated + p->access_present, s->l1d.loads);
    ADD("miss_rate", s->l1d.load_misses, s->l1d.loads - s->l1d.bypasses);
    ADD("l1_sector_miss_rate", s->l1d.sector_misses + s->l1d.sector_bypasses, s->l1d.sector_loads);
    ADD("l2_miss_rate", s->l2.misses + s->l2.bypasses, s->l2.accesses);
    ADD("issue.top3", p->issue_rank_0 + p->issue_rank_1 + p->issue_rank_2, s->sm.warp_instructions);
}

/* Mascar: Table III and Figures 2 and 5. */
static void add_intensity(struct character *c, const struct run_stats *s, const int64_t *v)
{
    uint64_t misses = s->l1d.load_misses + s->l1t.misses + s->l1c.misses;
    ADD("instructions_per_miss", s->sm.warp_instructions, misses);
    ADD("instructions_per_miss_or_store", s->sm.warp_instructions, misses + s->l1d.stores);
    ADD("peak_ipc", s->sm.warp_instructions, (double)s->cycles * (double)(v[P_SM_COUNT] * v[P_SM_SCHEDULERS]));
    ADD("lsu_stall", s->sm.lsu_stall_cycles, s->sm.active_cycles);
    ADD("hit_under_stall", s->profile.stall_hit, s->sm.active_cycles);
    ADD("hit_under_stall_idle", s->profile.stall_hit_idle, s->sm.active_cycles);
    ADD("hit_of_stall", s->profile.stall_hit, s->sm.lsu_stall_cycles);
}

/* The distance below which half of the reuse lies, as the lower end of its power of two. */
static double median_reuse(const uint64_t *bucket)
{
    uint64_t all = 0, below = 0;
    for (unsigned i = 0; i < REUSE_BUCKETS; i++) all += bucket[i];
    for (unsigned i = 0; i < REUSE_BUCKETS; i++)
        if (all && (below += bucket[i]) * 2 >= all) return (double)(UINT64_C(1) << i);
    return (double)NAN;
}

/* APCM: lines of an infinite L1D, how often lines are asked for, how far apart. */
static void add_locality(struct character *c, const struct run_stats *s, const struct profile_report *r)
{
    const struct profile_stats *p = &s->profile;
    ADD("lines.streaming", p->infinite_streaming, p->infinite_lines);
    ADD("lines.inter_warp", p->infinite_inter_warp, p->infinite_lines);
    ADD("lines.intra_warp", p->infinite_intra_warp, p->infinite_lines);
    ADD("lines.mixed", p->infinite_mixed, p->infinite_lines);
    ADD("aps", p->infinite_majority, p->infinite_lines);
    ADD("requests_per_line", s->l1d.loads, p->infinite_lines);
    ADD("lives.once_or_twice", p->lives_accesses_1 + p->lives_accesses_2, p->lives);
    ADD("infinite.once_or_twice", p->infinite_accesses_1 + p->infinite_accesses_2, p->infinite_lines);
    ADD("infinite.more_than_16", p->infinite_accesses_17_up, p->infinite_lines);
    ADD("reuse.inter_warp_median", median_reuse(r->reuse[0]), 1);
    ADD("reuse.intra_warp_median", median_reuse(r->reuse[1]), 1);
    ADD("evicted.before_reuse", p->evicted_before_reuse, s->l1d.evictions);
    ADD("evicted.never_again", p->evicted_never_again, s->l1d.evictions);
    ADD("footprint_bytes", r->footprint_lines * 128, 1);
}

/* DyCache: how much of a line one request touches, and how much is touched while the line is in the cache. */
static void add_sizes(struct character *c, const struct run_stats *s)
{
    const struct profile_stats *p = &s->profile;
    ADD("size_32", p->size_32, s->l1d.loads);
    ADD("size_64", p->size_64, s->l1d.loads);
    ADD("size_128", p->size_128, s->l1d.loads);
    ADD("used_32", p->lives_used_32, p->lives);
    ADD("used_64", p->lives_used_64, p->lives);
    ADD("used_96", p->lives_used_96, p->lives);
    ADD("used_128", p->lives_used_128, p->lives);
    ADD("used_of_fetched", p->used_bytes, p->fetched_bytes);
}

/* A sample belongs to the part of the time in which it ends. */
static void slice_sizes(struct character *c, const struct run_result *r)
{
    uint64_t sum[TIME_SLICES][3] = {{0}}, before[3] = {0};
    for (unsigned i = 0; i < r->nsamples; i++) {
        const struct run_stats *s = &r->samples[i].stats;
        const uint64_t now[3] = {s->profile.size_32, s->profile.size_64, s->profile.size_128};
        uint64_t slice = (s->cycles * TIME_SLICES - 1) / (r->stats.cycles ? r->stats.cycles : 1);
        for (unsigned k = 0; k < 3; k++) {
            sum[slice < TIME_SLICES ? slice : TIME_SLICES - 1][k] += now[k] - before[k];
            before[k] = now[k];
        }
    }
    for (unsigned i = 0; i < TIME_SLICES; i++) {
        uint64_t all = sum[i][0] + sum[i][1] + sum[i][2];
        c->slice_requests[i] = all;
        for (unsigned k = 0; k < 3; k++) c->size_share[i][k] = all ? (double)sum[i][k] / (double)all : 0;
    }
}

void character_of(const struct run_result *r, struct character *c)
{
    memset(c, 0, sizeof *c);
    add_loads(c, &r->stats);
    add_intensity(c, &r->stats, r->config->v);
    add_locality(c, &r->stats, &r->profile);
    add_sizes(c, &r->stats);
    slice_sizes(c, r);
}

double metric_of(const struct character *c, const char *key)
{
    unsigned i = 0;
    while (i + 1 < c->metrics && strcmp(c->metric[i].key, key) != 0) i++;
    return c->metric[i].value;
}

struct program_size program_size(const struct run_result *r)
{
    struct program_size p = {.launches = r->nkernels};
    for (unsigned i = 0; i < r->nkernels; i++) {
        const struct kernel_record *k = &r->kernels[i];
        uint64_t ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
        p.ctas += ctas;
        p.threads += ctas * k->block[0] * k->block[1] * k->block[2];
        unsigned same = 0;
        while (same < i && strcmp(r->kernels[same].name, k->name) != 0) same++;
        p.kernels += same == i;
    }
    return p;
}
