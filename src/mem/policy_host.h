/* policy_host.h - the policy of one cache: what it is given and asked, and what it hears.
 *
 * Both levels talk to their policies through this, so that memory, parameters and counters are handed out in one
 * place and every answer is checked in one place. A wrong answer becomes a sentence in the machine's `struct breach`
 * and a harmless answer instead; the run loop ends the run. A policy that is foreign (a plugin's) is asked every
 * question twice, and so is every policy when WL_CHECKING: a policy that answers differently has changed its state. */
#ifndef WL_MEM_POLICY_HOST_H
#define WL_MEM_POLICY_HOST_H

#include "base/check.h"
#include "param/config.h"

struct policy_host {
    struct wl_cache cache; /* first: the policy's services get only this and find the cache around it */
    const struct wl_cache_policy *policy;
    struct breach *breach;
    bool twice;                   /* ask every question twice */
    uint64_t next_epoch;          /* the cycle of the next on_epoch; UINT64_MAX: none */
    struct policy_memory *memory; /* what `cache` points to */
};

int policy_open(struct policy_host *h, const struct cache_choice *choice, const struct wl_geometry *g, void **shared,
                const struct wl_host *services, struct breach *breach, struct wl_err *e);
void policy_close(struct policy_host *h);

/* ---- asked ---- */

int policy_victim_again(struct policy_host *h, const struct wl_access *a, const struct wl_set *s, int way)
    __attribute__((cold));
enum wl_decision policy_decide_again(struct policy_host *h, const struct wl_access *a, enum wl_decision d)
    __attribute__((cold));

static inline bool policy_may_take(const struct wl_set *s, int way)
{
    if (way < 0) return way >= WL_NO_WAY_BYPASS;
    return (uint32_t)way < s->ways && WL_STATE(s->state[way]) != WL_RESERVED;
}

static inline int policy_victim(struct policy_host *h, const struct wl_access *a, const struct wl_set *s)
{
    int way = h->policy->victim(&h->cache, a, s);
    return h->twice || !policy_may_take(s, way) ? policy_victim_again(h, a, s, way) : way;
}

/* Whether the load is to bypass the cache without a look at the tags. */
static inline bool policy_bypasses(struct policy_host *h, const struct wl_access *a)
{
    if (!h->policy->decide) return false;
    enum wl_decision d = h->policy->decide(&h->cache, a);
    if (h->twice || (d != WL_NORMAL && d != WL_BYPASS)) d = policy_decide_again(h, a, d);
    return d == WL_BYPASS;
}

/* The granularity of a cache of grains that has `now`. */
uint32_t policy_granularity(struct policy_host *h, uint32_t now);

/* ---- reported ---- */

static inline void policy_access(struct policy_host *h, const struct wl_access *a, enum wl_outcome outcome, int way)
{
    if (h->policy->on_access) h->policy->on_access(&h->cache, a, outcome, way);
}

static inline void policy_leave(struct policy_host *h, const struct wl_line *gone, enum wl_leave why,
                                const struct wl_access *by)
{
    if (h->policy->on_leave) h->policy->on_leave(&h->cache, gone, why, by);
}

static inline void policy_kernel(struct policy_host *h, enum wl_phase phase, const struct wl_kernel *k)
{
    if (h->policy->on_kernel) h->policy->on_kernel(&h->cache, phase, k);
}

/* Calls on_epoch when its cycle has come. Returns whether it did. */
bool policy_epoch(struct policy_host *h, uint64_t cycle);

/* Bits of storage the scheme adds to the cache. */
static inline uint64_t policy_storage_bits(const struct policy_host *h)
{
    return h->policy->storage_bits ? h->policy->storage_bits(&h->cache) : 0;
}

#endif
