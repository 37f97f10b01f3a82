/* run.c - the simulator in a C program: atax with a replacement policy of our own, and what it counted.
 *
 *     cc run.c $(pkg-config --cflags --libs warpline) -o run && ./run
 *
 * The policy evicts the line that a counter of its set points to, and moves the counter on: a clock without
 * reference bits, which is first in, first out. */
#include <inttypes.h>
#include <stdio.h>

#include <warpline/policy.h>
#include <warpline/warpline.h>

/* ---- the policy ---- */

enum { N_REPLACED };
static const struct wl_counter counters[] = {
    [N_REPLACED] = {"replaced", "lines", "lines the policy chose a way for"},
    WL_COUNTER_END,
};

/* The first way from `at` on whose line is not on its way. */
static int next_way(const struct wl_set *s, uint32_t at)
{
    for (uint32_t i = 0; i < s->ways; i++) {
        uint32_t way = (at + i) % s->ways;
        if (WL_STATE(s->state[way]) != WL_RESERVED) return (int)way;
    }
    return WL_NO_WAY_STALL;
}

/* self: the next way of each set. */
static size_t fifo_bytes(const struct wl_geometry *g, const int64_t *param)
{
    (void)param;
    return g->sets * sizeof(uint32_t);
}

static int fifo_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    const uint32_t *next = c->self;
    return next_way(s, next[a->set]);
}

static void fifo_on_access(struct wl_cache *c, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    uint32_t *next = c->self;
    if (outcome != WL_MISSED) return;
    next[a->set] = ((uint32_t)way + 1) % c->g.ways;
    c->count[N_REPLACED]++;
}

static const struct wl_cache_policy fifo = {
    .abi = WL_ABI,
    .name = "fifo",
    .help = "evicts the line that came first",
    .levels = 1u << WL_L1 | 1u << WL_L2,
    .counters = counters,
    .bytes = fifo_bytes,
    .victim = fifo_victim,
    .on_access = fifo_on_access,
};

/* ---- the program ---- */

static void print_counter(const struct wl_result *r, const char *name)
{
    uint64_t value;
    if (wl_result_counter(r, name, &value) == 0) printf("%-32s %12" PRIu64 "\n", name, value);
}

int main(void)
{
    char why[512];
    const char *const settings[] = {"l1=fifo", "sched=lrr", NULL};
    struct wl_run_spec spec = wl_spec("atax");
    struct wl_result *r;
    spec.settings = settings;
    spec.size = "tiny";
    spec.check = true;
    if (wl_register_cache_policy(&fifo, why, sizeof why) || wl_run(&spec, &r, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    print_counter(r, "cycles");
    print_counter(r, "l1d.load_misses");
    print_counter(r, "l1_policy_counters.replaced");
    for (size_t i = 0; i < wl_result_kernels(r); i++) {
        uint64_t misses = 0;
        wl_result_kernel_counter(r, i, "l1d.load_misses", &misses);
        printf("kernel %-25s %12" PRIu64 " load misses\n", wl_result_kernel_name(r, i), misses);
    }
    wl_result_free(r);
    return 0;
}
