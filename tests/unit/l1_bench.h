/* l1_bench.h - drives the table of an L1D policy by hand, with lines whose states the test sets.
 *
 * A policy's inside is seen only through its table: the chain by asking for victims of a set whose
 * ways are made invalid one after another, the rest through its counters. */
#ifndef WL_TESTS_L1_BENCH_H
#define WL_TESTS_L1_BENCH_H

#include "unit/rig.h"

#include "mem/l1.h"
#include "timing/run_rig.h"
#include "unit/policy_rig.h"

enum { MAX_LINES = 64 * 16 };

/* ---- the bench ---- */

struct bench {
    struct cache_choice choice;
    const struct wl_cache_policy *p;
    struct policy_rig rig;
    struct wl_cache *c;
    uint32_t sets, ways;
    uint64_t line[MAX_LINES];
    uint8_t state[MAX_LINES];
};

static inline struct cache_choice choose(const char *spec)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    if (config_set_l1(&c, spec, &e)) fail_msg("%s", e.text);
    return c.l1;
}

static inline void bench_shape(struct bench *b, const char *spec, uint32_t schedulers, uint32_t sets, uint32_t ways)
{
    *b = (struct bench){.choice = choose(spec), .sets = sets, .ways = ways};
    assert_true(sets * ways <= MAX_LINES);
    b->p = b->choice.policy;
    b->c = policy_rig_make(&b->rig, &b->choice,
                           (struct wl_geometry){.level = WL_L1,
                                                .sets = sets,
                                                .ways = ways,
                                                .line_bytes = 128,
                                                .sms = 1,
                                                .schedulers = schedulers,
                                                .warps = 48,
                                                .warp_size = 32});
}

/* The paper's L1D: 32 sets of 8 ways, two schedulers. */
static inline void bench_begin(struct bench *b, const char *spec) { bench_shape(b, spec, 2, 32, 8); }
static inline void bench_end(struct bench *b) { policy_rig_close(&b->rig); }

static inline uint64_t counter(const struct bench *b, const char *name) { return policy_counter(b->p, b->c, name); }

static inline void load_begin(struct bench *b, struct wl_load *l)
{
    if (b->p->loads && b->p->loads->begin) b->p->loads->begin(b->c, l);
}
static inline void load_end(struct bench *b, const struct wl_load *l)
{
    if (b->p->loads && b->p->loads->end) b->p->loads->end(b->c, l);
}

static inline struct wl_load load_of(uint8_t requests, uint16_t rank)
{
    return (struct wl_load){.requests = requests, .rank = rank};
}

/* Whether the load hit. A miss takes a way at once: the bench's memory needs no time. */
enum got { HIT, MISS, WAIT, BYPASS };
static inline enum got bench_access(struct bench *b, struct wl_load *l, uint32_t set, uint64_t line)
{
    struct wl_access a = {.line = line, .set = set, .pc = l->pc, .warp = l->warp, .rank = l->rank, .load = l};
    uint64_t *lines = b->line + (size_t)set * b->ways;
    uint8_t *states = b->state + (size_t)set * b->ways;
    for (uint32_t w = 0; w < b->ways; w++)
        if (states[w] != WL_INVALID && lines[w] == line) {
            b->p->on_access(b->c, &a, states[w] == WL_RESERVED ? WL_MERGED : WL_HIT, (int)w);
            return HIT;
        }
    const struct wl_set view = {states, b->ways, false};
    int way = b->p->victim(b->c, &a, &view);
    assert_int_equal(b->p->victim(b->c, &a, &view), way); /* asking changes nothing */
    if (way == WL_NO_WAY_STALL) return WAIT;
    if (way == WL_NO_WAY_BYPASS) {
        b->p->on_access(b->c, &a, WL_BYPASSED, -1);
        return BYPASS;
    }
    assert_true(states[way] != WL_RESERVED);
    policy_take(b->p, b->c, &a, way, lines[way], states[way]);
    lines[way] = line;
    states[way] = WL_VALID;
    return MISS;
}

/* A whole load of one request in each of the sets 0..n-1, lines base, base + 1, ...; its misses. */
static inline unsigned bench_load(struct bench *b, struct wl_load l, uint64_t base, uint32_t n)
{
    load_begin(b, &l);
    for (uint32_t i = 0; i < n; i++) l.missed = (uint16_t)(l.missed + (bench_access(b, &l, i, base + i) != HIT));
    load_end(b, &l);
    return l.missed;
}

/* ---- seeing the chain: a set of lines with one-letter names ---- */

enum { SET = 5 };

static inline void bench_letters(struct bench *b, const char *spec)
{
    bench_begin(b, spec);
    for (uint32_t w = 0; w < b->ways; w++) { /* way 7 is at position 0 in a new chain */
        b->line[SET * b->ways + w] = (uint64_t)('a' + (b->ways - 1 - w));
        b->state[SET * b->ways + w] = WL_VALID;
    }
}

static inline void set_states(struct bench *b, const char *letters, uint8_t state)
{
    for (uint32_t w = 0; w < b->ways; w++)
        if (strchr(letters, (int)b->line[SET * b->ways + w])) b->state[SET * b->ways + w] = state;
}

static inline const char *chain_of(struct bench *b)
{
    static char text[17];
    uint8_t state[16] = {0};
    const struct wl_access a = {.set = SET};
    text[b->ways] = 0;
    for (uint32_t p = b->ways; p-- > 0;) {
        const struct wl_set view = {state, b->ways, false};
        int way = b->p->victim(b->c, &a, &view);
        assert_in_range(way, 0, b->ways - 1);
        state[way] = WL_RESERVED;
        text[p] = (char)b->line[SET * b->ways + (uint32_t)way];
    }
    return text;
}

static inline enum got touch(struct bench *b, char letter, uint8_t requests, uint16_t rank)
{
    struct wl_load l = load_of(requests, rank);
    load_begin(b, &l);
    return bench_access(b, &l, SET, (uint64_t)letter);
}

#endif
