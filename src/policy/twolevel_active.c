/* twolevel_active.c - GPGPU-Sim's two-level scheduler: a few active warps per scheduler.
 *
 * Idea (Gebhart et al., ISCA 2011, as GPGPU-Sim 3.2 has it, two_level_active:N:0:1): each scheduler chooses among N
 * active warps only, the others are pending. In every cycle, before the choice, an active warp that waits - at a
 * barrier, for a load its next instruction reads, or because its slot is empty - goes to the end of the pending ones,
 * and the first pending ones take the free places; whether they wait is looked at in the next cycle. Among the active
 * ones loose round robin: behind the one that issued.
 *
 * In GPGPU-Sim a register that a load wrote after a miss counts as waited for until another instruction writes it: the
 * scoreboard releases it but forgets its mark (scoreboard.cc:70-128 of 3.2.2). So do we; a warp that reads one issues
 * in the cycle in which it is promoted, or not before its next turn.
 *
 * The order is one list: the first N are active, the others pending. So a cycle moves the waiting ones among the first
 * N to the end, keeping their order, and an issue of the i-th turns the first N so that it is their last. Slots
 * without a warp wait too and go round with the others, as in the original.
 *
 * Time: the list turns even while nobody can issue. In cycles slept through nothing else changes; the cycles are made
 * up for one by one until only warps that wait turn, and these are where they were after as many cycles as there are
 * of them.
 * State: the list, 5 bits each for 24 warps, per scheduler. */
#include "warpline/sched.h"

enum { ACTIVE, PARAMS };
static const struct wl_param twolevel_active_params[] = {
    [ACTIVE] = {"active", "warps", 1, 6, 64, NULL, "active warps of a scheduler", "GPGPU-Sim's example: 6"},
    WL_PARAM_END,
};

enum { N_DEMOTIONS };
static const struct wl_counter twolevel_active_counters[] = {
    [N_DEMOTIONS] = {"demotions", "warps", "active warps that began to wait and so became pending"},
    WL_COUNTER_END,
};

/* The warps of one scheduler. */
struct ranking {
    uint32_t count, active;
    uint8_t warp[WL_MAX_WARPS];
};

struct ranks {
    uint64_t cycle;   /* the last one that was reported */
    uint64_t waiting; /* the warps that waited then, or have no instruction */
    struct ranking of[WL_MAX_SCHEDULERS];
};

static size_t twolevel_active_bytes(const struct wl_sched_geometry *g, const int64_t *param)
{
    (void)g, (void)param;
    return sizeof(struct ranks);
}

static bool twolevel_active_init(struct wl_sched *s, const char **why)
{
    (void)why;
    struct ranks *r = s->self;
    for (uint32_t w = 0; w < s->g.warps; w++) {
        struct ranking *k = &r->of[w % s->g.schedulers];
        k->warp[k->count++] = (uint8_t)w;
    }
    for (uint32_t i = 0; i < s->g.schedulers; i++)
        r->of[i].active = s->param[ACTIVE] < r->of[i].count ? (uint32_t)s->param[ACTIVE] : r->of[i].count;
    r->waiting = UINT64_MAX;
    return true;
}

static uint64_t twolevel_active_storage_bits(const struct wl_sched *s)
{
    const struct ranks *r = s->self;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < s->g.schedulers; i++) bits += r->of[i].count * wl_bits_for(r->of[i].count);
    return bits;
}

/* One cycle: those of the active ones that wait go to the end. Returns which they are. */
static uint64_t demote(struct ranking *k, uint64_t waiting)
{
    uint8_t moved[WL_MAX_WARPS];
    uint32_t stay = 0, n = 0;
    uint64_t which = 0;
    for (uint32_t i = 0; i < k->active; i++) {
        uint8_t w = k->warp[i];
        if (waiting >> w & 1) {
            moved[n++] = w;
            which |= UINT64_C(1) << w;
        } else {
            k->warp[stay++] = w;
        }
    }
    if (!n) return 0;
    for (uint32_t i = k->active; i < k->count; i++) k->warp[stay++] = k->warp[i];
    for (uint32_t i = 0; i < n; i++) k->warp[stay++] = moved[i];
    return which;
}

/* `cycles` cycles in which the same warps waited. After a round everyone that does not wait and finds a place is
 * active, so that only waiting ones turn, the same number in each cycle. */
static void turn(struct ranking *k, uint64_t waiting, uint64_t cycles)
{
    for (uint32_t i = 0; i < k->count && cycles; i++, cycles--) demote(k, waiting);
    uint32_t turning = 0;
    for (uint32_t i = 0; i < k->count; i++) turning += (uint32_t)(waiting >> k->warp[i] & 1);
    if (!turning) return;
    for (cycles %= turning; cycles; cycles--) demote(k, waiting);
}

static uint64_t count_warps(uint64_t set)
{
    uint64_t n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

static uint64_t twolevel_active_on_cycle(struct wl_sched *s, const struct wl_sched_view *v)
{
    struct ranks *r = s->self;
    uint64_t waiting = v->slow | v->barrier | v->ended | ~v->live, slept = v->cycle - r->cycle - 1;
    for (uint32_t i = 0; i < s->g.schedulers; i++) {
        if (slept) turn(&r->of[i], r->waiting, slept);
        uint64_t demoted = demote(&r->of[i], waiting); /* some of them wait already, and only take their turn again */
        s->count[N_DEMOTIONS] += count_warps(demoted & v->live & ~r->waiting);
    }
    r->cycle = v->cycle;
    r->waiting = waiting;
    return UINT64_MAX;
}

static int twolevel_active_pick(const struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                                uint64_t candidates)
{
    (void)v;
    const struct ranking *k = &((const struct ranks *)s->self)->of[scheduler];
    for (uint32_t i = 0; i < k->active; i++)
        if (candidates >> k->warp[i] & 1) return k->warp[i];
    return -1;
}

static void twolevel_active_on_issue(struct wl_sched *s, const struct wl_sched_view *v, unsigned scheduler,
                                     unsigned warp)
{
    (void)v;
    struct ranking *k = &((struct ranks *)s->self)->of[scheduler];
    uint8_t before[WL_MAX_WARPS];
    uint32_t at = 0;
    while (k->warp[at] != warp) at++;
    for (uint32_t i = 0; i < k->active; i++) before[i] = k->warp[i];
    for (uint32_t i = 0; i < k->active; i++) k->warp[i] = before[(at + 1 + i) % k->active];
}

extern const struct wl_sched_policy twolevel_active_policy;
const struct wl_sched_policy twolevel_active_policy = {
    .abi = WL_ABI,
    .name = "twolevel_active",
    .help = "GPGPU-Sim's two-level scheduler: a few active warps per scheduler, those that wait make room",
    .params = twolevel_active_params,
    .counters = twolevel_active_counters,
    .marks = true,
    .bytes = twolevel_active_bytes,
    .init = twolevel_active_init,
    .storage_bits = twolevel_active_storage_bits,
    .pick = twolevel_active_pick,
    .on_issue = twolevel_active_on_issue,
    .on_cycle = twolevel_active_on_cycle,
};
