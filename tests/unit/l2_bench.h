/* l2_bench.h - one set of an L2 that drives a policy's table by hand; its memory needs no time.
 *
 * Lines have one-letter names. The chain is seen by asking for victims of a set whose ways are taken
 * one after another: from the oldest, position 0, to the most recent. */
#ifndef WL_TESTS_L2_BENCH_H
#define WL_TESTS_L2_BENCH_H

#include "unit/policy_rig.h"

enum { MAX_WAYS = 64, SETS = 4, SET = 2 };

struct bench {
    const struct wl_cache_policy *p;
    struct policy_rig rig;
    struct wl_cache *c;
    uint32_t ways;
    char line[MAX_WAYS + 1];
    uint8_t state[MAX_WAYS];
};

static inline struct cache_choice choose(const char *spec)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    config_defaults(&c);
    if (config_set_l2(&c, spec, &e)) fail_msg("%s", e.text);
    return c.l2;
}

/* 0, or the reason in r->e. */
static inline int create(struct policy_rig *r, const char *spec, uint32_t sets, uint32_t ways)
{
    struct cache_choice c = choose(spec);
    return policy_rig_open(
        r, &c, (struct wl_geometry){.level = WL_L2, .sets = sets, .ways = ways, .line_bytes = 128, .sms = 15});
}

/* An empty set. */
static inline void begin(struct bench *b, const char *spec, uint32_t ways)
{
    *b = (struct bench){.ways = ways};
    memset(b->line, '.', ways);
    if (create(&b->rig, spec, SETS, ways)) fail_msg("%s: %s", spec, b->rig.e.text);
    b->p = b->rig.host.policy;
    b->c = &b->rig.host.cache;
}

static inline void end(struct bench *b) { policy_rig_close(&b->rig); }

/* A set full of clean DRAM lines a, b, c, ... from the oldest on. */
static inline void begin_full(struct bench *b, const char *spec, uint32_t ways)
{
    begin(b, spec, ways);
    for (uint32_t w = 0; w < ways; w++) { /* in a new chain way 0 is the oldest */
        b->line[w] = (char)('a' + w);
        b->state[w] = WL_VALID;
    }
}

static inline uint64_t counter(const struct bench *b, const char *name) { return policy_counter(b->p, b->c, name); }

enum got { HIT, MISS, WAIT, BYPASS };
enum { DRAM = false, NVM = true };

static inline enum got access(struct bench *b, char name, const struct wl_access *a)
{
    bool dirties = a->kind != WL_LOAD;
    const char *found = strchr(b->line, name);
    if (found) {
        uint32_t w = (uint32_t)(found - b->line);
        b->p->on_access(b->c, a, WL_STATE(b->state[w]) == WL_RESERVED ? WL_MERGED : WL_HIT, (int)w);
        if (dirties) b->state[w] |= WL_DIRTY;
        return HIT;
    }
    const struct wl_set view = {b->state, b->ways, false};
    int way = b->p->victim(b->c, a, &view);
    assert_int_equal(b->p->victim(b->c, a, &view), way); /* asking changes nothing */
    if (way == WL_NO_WAY_STALL) return WAIT;
    if (way == WL_NO_WAY_BYPASS) {
        b->p->on_access(b->c, a, WL_BYPASSED, -1);
        return BYPASS;
    }
    assert_in_range(way, 0, b->ways - 1);
    assert_int_not_equal(WL_STATE(b->state[way]), WL_RESERVED);
    policy_take(b->p, b->c, a, way, 0, b->state[way]);
    b->line[way] = name;
    b->state[way] = (uint8_t)(WL_VALID | (dirties ? WL_DIRTY : 0) | (a->nvm ? WL_NVM : 0));
    return MISS;
}

static inline enum got use(struct bench *b, enum wl_kind kind, char name, bool nvm, uint8_t ea)
{
    return access(b, name, &(struct wl_access){.set = SET, .kind = (uint8_t)kind, .nvm = nvm, .lanes = ea});
}

static inline enum got demand(struct bench *b, char name, bool nvm, uint8_t ea)
{
    return use(b, WL_LOAD, name, nvm, ea);
}
static inline enum got store(struct bench *b, char name, bool nvm, uint8_t ea)
{
    return use(b, WL_STORE, name, nvm, ea);
}

static inline const char *chain(const struct bench *b)
{
    static char text[MAX_WAYS + 1];
    uint8_t state[MAX_WAYS] = {0};
    const struct wl_access a = {.set = SET, .kind = WL_STORE};
    for (uint32_t p = 0; p < b->ways; p++) {
        const struct wl_set view = {state, b->ways, false};
        int way = b->p->victim(b->c, &a, &view);
        assert_in_range(way, 0, b->ways - 1);
        state[way] = WL_RESERVED;
        text[p] = b->line[way];
    }
    text[b->ways] = 0;
    return text;
}

static inline uint32_t place_of(const struct bench *b, char name)
{
    const char *text = chain(b);
    assert_non_null(strchr(text, name));
    return (uint32_t)(strchr(text, name) - text);
}

/* Where a first request enters a full set. */
static inline uint32_t enters(const char *spec, uint32_t ways, enum wl_kind kind, bool nvm, uint8_t ea)
{
    struct bench b;
    begin_full(&b, spec, ways);
    assert_int_equal(use(&b, kind, '*', nvm, ea), MISS);
    uint32_t at = place_of(&b, '*');
    end(&b);
    return at;
}

/* How far a hit moves the oldest line. */
static inline uint32_t rises(const char *spec, uint32_t ways, bool nvm)
{
    struct bench b;
    begin_full(&b, spec, ways);
    assert_int_equal(demand(&b, 'a', nvm, 1), HIT);
    uint32_t at = place_of(&b, 'a');
    end(&b);
    return at;
}

#endif
