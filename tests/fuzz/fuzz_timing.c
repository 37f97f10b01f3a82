/* fuzz_timing.c - the records of a trace, timed on a random machine under random policies: the fast engine, the
 * reference engine and a random order of parts must count the same, and every law must hold.
 *
 * The first eight bytes choose the machine and the policies, the rest is the content of a .wlt file. */
#include <stdlib.h>
#include <string.h>

#include "policy/registry.h"
#include "sim/gpu.h"
#include "tests/fuzz/require.h"
#include "tests/property/random_machine.h"
#include "trace/wlt/wlt_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CONTENT = 1 << 16, MOST_INSTRUCTIONS = 4000, MOST_CYCLES = 60000 };

struct outcome {
    int rc;
    struct run_stats stats;
    struct policy_stats policy;
};

static void choose_policies(struct gpu_config *c, uint64_t s)
{
    unsigned caches, scheds;
    const struct wl_cache_policy *const *cache = cache_policies(&caches);
    const struct wl_sched_policy *const *sched = sched_policies(&scheds);
    struct gpu_config with = *c;
    struct wl_err e;
    if (config_set_l1(&with, cache[machine_draw(&s, caches)]->name, &e) == 0 && config_check(&with, &e) == 0) *c = with;
    with = *c;
    if (config_set_l2(&with, cache[machine_draw(&s, caches)]->name, &e) == 0 && config_check(&with, &e) == 0) *c = with;
    with = *c;
    if (config_set_sched(&with, sched[machine_draw(&s, scheds)]->name, &e) == 0 && config_check(&with, &e) == 0)
        *c = with;
}

/* Whether the trace is short enough to be timed three times; a walk over it costs next to nothing. */
static void count(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    (void)in, (void)exec, (void)a;
    ++*(uint64_t *)arg;
}

static bool is_short(const uint8_t *data, size_t size)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_item item;
    uint64_t n = 0;
    unsigned launches = 0;
    struct wlt_reader *r = wlt_open_memory(data, size, true, MOST_CONTENT, &e);
    int got = r ? 1 : -1;
    while (got > 0 && n <= MOST_INSTRUCTIONS && (got = wlt_next(r, &item, &e)) > 0) {
        struct cta_stream cta;
        if (item.kind != WLT_LAUNCH) continue;
        launches++;
        while (n <= MOST_INSTRUCTIONS && (got = item.source->next(item.source, &cta, &e)) > 0) {
            for (uint32_t w = 0; w < cta.nwarps; w++) wlt_walk(item.source->info->code, cta.warp[w], count, &n);
            n += cta.nwarps;
            item.source->release(item.source, &cta);
        }
        if (got == 0) got = 1;
    }
    wlt_close(r);
    return got == 0 && launches && n <= MOST_INSTRUCTIONS;
}

static struct outcome run(const uint8_t *data, size_t size, const struct gpu_config *c, struct gpu_options o)
{
    static struct outcome out; /* large */
    struct wl_err e = {.code = WL_OK};
    struct wlt_item item;
    memset(&out, 0, sizeof out);
    struct gpu *g = gpu_new(c, &o, &e);
    if (!g) {
        require(*e.text && e.code == WL_EINPUT);
        out.rc = (int)e.code;
        return out;
    }
    struct wlt_reader *r = wlt_open_memory(data, size, true, MOST_CONTENT, &e);
    require(r != NULL);
    while (!out.rc && wlt_next(r, &item, &e) > 0) {
        if (item.kind == WLT_LAUNCH) out.rc = gpu_run(g, item.source, &e);
        else if (item.kind == WLT_COPY && item.bytes < 1 << 16) gpu_host_copy(g, item.addr, item.bytes);
        bool lawful = out.rc || gpu_check_laws(g, &e) == 0;
        if (!lawful) fprintf(stderr, "%s\n", e.text);
        require(lawful);
    }
    require(out.rc != WL_ELAW);
    gpu_read_stats(g, &out.stats);
    gpu_read_policy_stats(g, &out.policy);
    wlt_close(r);
    gpu_free(g);
    return out;
}

/* For whoever looks at a finding. */
static void name_differences(const struct run_stats *a, const struct run_stats *b)
{
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        unsigned long long x = counter_value(a, d), y = counter_value(b, d);
        if (x != y) fprintf(stderr, "%s.%s: %llu and %llu\n", counter_group_names[d->group], d->key, x, y);
    }
}

static void compare(const struct outcome *a, const struct outcome *b)
{
    require(!a->rc == !b->rc);
    if (a->rc) return; /* stopped in the middle, or nothing moves any more: engines look at different times */
    name_differences(&a->stats, &b->stats);
    require(memcmp(&a->stats, &b->stats, sizeof a->stats) == 0);
    require(memcmp(&a->policy, &b->policy, sizeof a->policy) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome fast, other;
    struct wl_err e;
    uint64_t seed;
    if (size <= sizeof seed) return 0;
    memcpy(&seed, data, sizeof seed);
    data += sizeof seed;
    size -= sizeof seed;
    registry_open();
    struct gpu_config c;
    if (!is_short(data, size)) return 0;
    require(random_machine(&c, seed, &e) == 0);
    if (c.v[P_SM_COUNT] > 4) c.v[P_SM_COUNT] = 4, c.v[P_SM_CLUSTER] = 1; /* the reference engine visits them all */
    c.v[P_SM_LAUNCH_DELAY] = 0;
    if (config_check(&c, &e)) return 0;
    choose_policies(&c, seed ^ 0x9e3779b97f4a7c15u);
    fast = run(data, size, &c, (struct gpu_options){.max_cycles = MOST_CYCLES});
    other = run(data, size, &c, (struct gpu_options){.max_cycles = MOST_CYCLES, .shuffle = seed | 1});
    compare(&fast, &other);
    if (fast.stats.cycles > 8000) return 0;
    other = run(data, size, &c, (struct gpu_options){.max_cycles = MOST_CYCLES, .tick = true});
    compare(&fast, &other);
    return 0;
}
