#include "mem/policy_host.h"

#include <stdlib.h>
#include <string.h>

#include "warpline/grain.h"

/* Apart from the host, which the cycle path looks at. */
struct policy_memory {
    int64_t param[WL_MAX_POLICY_PARAMS];
    uint64_t count[WL_MAX_POLICY_COUNTERS];
    _Alignas(16) unsigned char self[];
};

int policy_open(struct policy_host *h, const struct cache_choice *choice, const struct wl_geometry *g, void **shared,
                const struct wl_host *services, struct breach *breach, struct wl_err *e)
{
    const struct wl_cache_policy *p = choice->policy;
    *h = (struct policy_host){.cache = {.g = *g, .shared = shared, .host = services},
                              .breach = breach,
                              .twice = choice->foreign || WL_CHECKING,
                              .next_epoch = UINT64_MAX};
    size_t bytes = p->bytes ? p->bytes(g, choice->values) : 0;
    h->memory = calloc(1, sizeof *h->memory + bytes);
    if (!h->memory) return wl_no_memory(e);
    memcpy(h->memory->param, choice->values, sizeof h->memory->param);
    h->cache.param = h->memory->param;
    h->cache.count = h->memory->count;
    h->cache.self = bytes ? h->memory->self : NULL;
    h->policy = p; /* from here on it has to be closed */
    const char *why = "it gives no reason";
    if (p->init && !p->init(&h->cache, &why))
        return wl_fail(e, WL_EINPUT, "policy %s cannot manage this %s: %s", p->name, g->level == WL_L1 ? "L1D" : "L2",
                       why ? why : "it gives no reason");
    if (h->cache.epoch) h->next_epoch = h->cache.epoch;
    return 0;
}

void policy_close(struct policy_host *h)
{
    if (!h->policy) return;
    if (h->policy->fini) h->policy->fini(&h->cache);
    free(h->memory);
    *h = (struct policy_host){.policy = NULL};
}

/* ---- answers that are not allowed ---- */

/* Writes which cache it is, for messages. */
static const char *name_cache(const struct wl_geometry *g) { return g->level == WL_L1 ? "the L1D of SM" : "L2 slice"; }

static void note_victim(struct policy_host *h, const struct wl_access *a, const struct wl_set *s, int way)
{
    const struct wl_geometry *g = &h->cache.g;
    bool reserved = way >= 0 && (uint32_t)way < s->ways;
    breach_note(h->breach,
                "policy %s: victim() answered way %d%s in set %u of %s %u; allowed are ways 0 to %u that are not "
                "RESERVED, WL_NO_WAY_STALL (-1) and WL_NO_WAY_BYPASS (-2)",
                h->policy->name, way, reserved ? ", which is RESERVED," : "", a->set, name_cache(g), g->index,
                s->ways - 1);
}

static void note_change(struct policy_host *h, const char *question, int64_t first, int64_t second,
                        const struct wl_access *a)
{
    const struct wl_geometry *g = &h->cache.g;
    breach_note(h->breach,
                "policy %s: %s answered %lld and, asked again at once, %lld in set %u of %s %u; a question must not "
                "change the policy's state",
                h->policy->name, question, (long long)first, (long long)second, a ? a->set : 0, name_cache(g),
                g->index);
}

int policy_victim_again(struct policy_host *h, const struct wl_access *a, const struct wl_set *s, int way)
{
    if (!policy_may_take(s, way)) {
        note_victim(h, a, s, way);
        return WL_NO_WAY_STALL;
    }
    int again = h->policy->victim(&h->cache, a, s);
    if (again == way) return way;
    note_change(h, "victim()", way, again, a);
    return WL_NO_WAY_STALL;
}

enum wl_decision policy_decide_again(struct policy_host *h, const struct wl_access *a, enum wl_decision d)
{
    const struct wl_geometry *g = &h->cache.g;
    if (d != WL_NORMAL && d != WL_BYPASS) {
        breach_note(h->breach,
                    "policy %s: decide() answered %d in set %u of %s %u; allowed are WL_NORMAL (0) and WL_BYPASS (1)",
                    h->policy->name, (int)d, a->set, name_cache(g), g->index);
        return WL_NORMAL;
    }
    enum wl_decision again = h->policy->decide(&h->cache, a);
    if (again != d) note_change(h, "decide()", d, again, a);
    return d;
}

uint32_t policy_granularity(struct policy_host *h, uint32_t now)
{
    if (!h->policy->grains->granularity) return now;
    uint32_t bytes = h->policy->grains->granularity(&h->cache);
    if (bytes != 32 && bytes != 64 && bytes != 128) {
        breach_note(h->breach, "policy %s: granularity() answered %u in %s %u; allowed are 32, 64 and 128 bytes",
                    h->policy->name, bytes, name_cache(&h->cache.g), h->cache.g.index);
        return now;
    }
    uint32_t again = h->twice ? h->policy->grains->granularity(&h->cache) : bytes;
    if (again == bytes) return bytes;
    breach_note(
        h->breach,
        "policy %s: granularity() answered %u and, asked again at once, %u in %s %u; a question must not change "
        "the policy's state",
        h->policy->name, bytes, again, name_cache(&h->cache.g), h->cache.g.index);
    return now;
}

bool policy_epoch(struct policy_host *h, uint64_t cycle)
{
    if (cycle < h->next_epoch) return false;
    h->next_epoch = cycle - cycle % h->cache.epoch + h->cache.epoch;
    if (h->policy->on_epoch) h->policy->on_epoch(&h->cache, cycle);
    return true;
}
