/* l2_rig.h - a slice of the L2 between a network and a memory that the test plays. */
#ifndef WL_TESTS_L2_RIG_H
#define WL_TESTS_L2_RIG_H

#include "unit/rig.h"

#include "mem/l2.h"
#include "warpline/policy_notes.h"

/* ---- a slice between a network and a memory that the test plays ---- */

static struct {
    struct clock clock;
    struct breach breach;
    struct part net, memory;
    struct addrmap map;
    struct nvm_map nvm;
    struct req_pool pool;
    struct port out, mem;
    struct l2 l2;
    tick_t now;
} rig;

static int victim_answer; /* 0: LRU's own */
extern const struct wl_cache_policy lru_policy;

static inline int proxy_victim(const struct wl_cache *c, const struct wl_access *a, const struct wl_set *s)
{
    return victim_answer ? victim_answer : lru_policy.victim(c, a, s);
}
static inline uint8_t proxy_note(struct wl_cache *c, const struct wl_access *a)
{
    (void)c;
    return (uint8_t)(a->note + 1);
}
static const struct wl_note_hooks proxy_notes = {.reply = proxy_note};
static struct wl_cache_policy proxy; /* LRU that a test can overrule */

/* clang-format off */
/* One set of two ways, so that lines compete at once. */
static inline void begin(const char *settings)
{
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    char copy[256];
    memset(&rig, 0, sizeof rig);
    victim_answer = 0;
    config_defaults(&c);
    snprintf(copy, sizeof copy, "l2.sets=1 l2.ways=2 %s", settings);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " "))
        if (config_set(&c, s, &e)) fail_msg("%s", e.text);
    proxy = lru_policy;
    proxy.victim = proxy_victim;
    proxy.notes = &proxy_notes;
    c.l2.policy = &proxy;
    rig_pool(&rig.pool);
    assert_int_equal(clock_init(&rig.clock, 3, &rig.breach), 0);
    rig_part(&rig.clock, &rig.l2.part, 0, 1);
    rig_part(&rig.clock, &rig.net, 1, 1);
    rig_part(&rig.clock, &rig.memory, 2, 1);
    if (addrmap_init(&rig.map, c.dram_map, 1, 1, 16, &e)) fail_msg("%s", e.text);
    rig.map.l2_sets = 1;
    if (l2_init(&rig.l2, &c, 0, &rig.map, &rig.nvm, &rig.pool, &e)) fail_msg("%s", e.text);
    port_init(&rig.l2.in, 64, &rig.net, &rig.l2.part);
    port_init(&rig.l2.fill, 64, &rig.memory, &rig.l2.part);
    port_init(&rig.out, (uint32_t)c.v[P_L2_OUTQ], &rig.l2.part, &rig.net);
    port_init(&rig.mem, (uint32_t)c.v[P_L2_MEMQ], &rig.l2.part, &rig.memory);
    rig.l2.out = &rig.out;
    rig.l2.mem = &rig.mem;
}
/* clang-format on */

static inline void end(void)
{
    l2_destroy(&rig.l2);
    req_pool_destroy(&rig.pool);
    clock_destroy(&rig.clock);
}

static inline void step(unsigned cycles)
{
    while (cycles--) l2_tick(&rig.l2, ++rig.now);
}

static inline struct req *send(enum wl_kind kind, uint64_t line, uint8_t sectors)
{
    struct req *r = req_alloc(&rig.pool);
    *r = rig_req(kind, line, sectors);
    addrmap_route(&rig.map, r);
    port_push(&rig.l2.in, r, rig.now);
    return r;
}

static inline struct req *send_write(uint64_t line, uint8_t sectors, uint64_t bytes0, uint64_t bytes1)
{
    struct req *r = send(WL_STORE, line, sectors);
    r->bytes[0] = bytes0;
    r->bytes[1] = bytes1;
    return r;
}

static inline struct req *take(struct port *p)
{
    struct req *r = port_peek(p, rig.now + 1);
    if (r) port_pop(p, rig.now);
    return r;
}
static inline struct req *replied(void) { return take(&rig.out); }
static inline struct req *asked(void) { return take(&rig.mem); }

static inline void fill(struct req *f)
{
    assert_false(f->is_write);
    port_push(&rig.l2.fill, f, rig.now);
}

/* Reads a line's sectors to the end: afterwards they are valid. */
static inline void read_in(uint64_t line, uint8_t sectors)
{
    struct req *r = send(WL_LOAD, line, sectors);
    step(8);
    struct req *f = asked();
    assert_non_null(f);
    fill(f);
    step(8);
    assert_ptr_equal(replied(), r);
    req_free(&rig.pool, r);
}

static inline int at(uint64_t line) { return tags_find(&rig.l2.tags, 0, line); }

#endif
