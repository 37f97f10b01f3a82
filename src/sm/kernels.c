/* kernels.c - the kernels that run on an SM: what their CTAs need, how many fit, what they may not share.
 *
 * Kernels of different streams run at the same time. Their warps mix: each knows its kernel by a number, and with it
 * its code, its routes and where its own memory lies. A kernel that runs alone has number 0 and its memory lies where
 * it always lay. Others get their local memory, parameters and constants moved, since two kernels that run together
 * hold different bytes there; constants of one program stay shared. So does code, but for code that comes from
 * different files of a trace, whose program counters all begin at the same place. */
#include <stdlib.h>
#include <string.h>

#include "sm/sm_priv.h"
#include "stream/spaces.h"

/* Moves that keep the memory of SM_MAX_KERNELS kernels apart, and apart from everything else. */
#define BANK_STEP  (2 * SPACE_OFFSET_END)
#define LOCAL_STEP (SPACE_OFFSET_END * MAX_LOCAL_THREADS)
#define CODE_STEP  (UINT64_C(3) << 40)
_Static_assert(L2_PARAM + SM_MAX_KERNELS * BANK_STEP <= L2_LOCAL,
               "constants and parameters of all kernels have a place");
_Static_assert(L2_LOCAL + SM_MAX_KERNELS * LOCAL_STEP <= L2_CODE, "so does their local memory");

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ---- how many CTAs fit ---- */

struct cta_room sm_room(const int64_t *v)
{
    return (struct cta_room){(uint32_t)v[P_SM_CTAS], (uint32_t)v[P_SM_WARPS], (uint32_t)v[P_SM_REGISTERS],
                             (uint32_t)v[P_SM_SHARED]};
}

static struct cta_room need_of(const struct launch_info *l, uint32_t reg_unit)
{
    uint32_t regs = (l->regs_per_thread + reg_unit - 1) / reg_unit * reg_unit;
    return (struct cta_room){1, l->warps_per_cta, regs * l->warps_per_cta * WARP_SIZE, l->shared_bytes};
}

static uint32_t ctas_in(const struct cta_room *r, const struct cta_room *need)
{
    uint32_t limit = smaller(r->slots, r->warps / need->warps);
    if (need->registers) limit = smaller(limit, r->registers / need->registers);
    if (need->shared_bytes) limit = smaller(limit, r->shared_bytes / need->shared_bytes);
    return limit;
}

uint64_t sm_resident_ctas(const int64_t *v, const struct launch_info *l)
{
    struct cta_room room = sm_room(v), need = need_of(l, (uint32_t)v[P_SM_REG_UNIT]);
    return (uint64_t)v[P_SM_COUNT] * ctas_in(&room, &need);
}

/* Resident CTAs: what threads, CTA slots, registers and shared memory allow. */
static uint32_t cta_limit(const struct sm *s, const struct launch_info *l)
{
    struct cta_room need = need_of(l, s->reg_unit);
    uint32_t limit = ctas_in(&s->room, &need);
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (s->cta_share && ctas < (uint64_t)limit * s->sms) limit = (uint32_t)((ctas + s->sms - 1) / s->sms);
    return limit;
}

/* ---- the split of a unified L1D ---- */

/* Shared memory of the smallest split that has `need` bytes. */
static uint32_t split_for(const struct sm *s, uint64_t need)
{
    uint32_t i = 0;
    while (i + 1 < s->carve.options && s->carve.bytes[i] < need) i++;
    return smaller(s->carve.bytes[i], s->carve.unified);
}

/* Ways of the L1D that such a split leaves. */
static uint32_t ways_beside(const struct sm *s, uint32_t shared)
{
    uint32_t ways = l1_all_ways(&s->lsu.l1[L1_DATA]), unified = s->carve.unified;
    uint32_t left = (uint32_t)(((uint64_t)ways * (unified - shared) + unified / 2) / unified);
    return left ? left : 1;
}

bool sm_kernel_may_join(const struct sm *s, const struct launch_info *l) { return l->shared_bytes <= s->shared_split; }

/* ---- memory that kernels do not share ---- */

static bool overlap(const struct code *a, const struct code *b)
{
    if (!code_listed(a) || !code_listed(b)) return false;
    uint32_t a_last = a->inst[code_listed(a) - 1].pc, b_last = b->inst[code_listed(b) - 1].pc;
    return a->inst[0].pc <= b_last && b->inst[0].pc <= a_last;
}

static void place_memory(const struct sm *s, struct sm_kernel *k, unsigned n)
{
    k->local_base = n * LOCAL_STEP;
    k->bank_base[0] = k->bank_base[1] = n * BANK_STEP;
    uint64_t code = L2_CODE;
    for (unsigned i = 0; i < SM_MAX_KERNELS; i++) {
        const struct sm_kernel *other = &s->kernels[i];
        if (other == k || !other->launch) continue;
        if (other->code == k->code) k->bank_base[0] = other->bank_base[0];
        else if (n && overlap(other->code, k->code)) code = L2_CODE + n * CODE_STEP;
    }
    k->code_line = code >> LINE_SHIFT;
}

/* ---- begin and end ---- */

/* When the L1D's policy wants its next epoch, or an entry of the MSHRs is to be freed. */
tick_t sm_epoch_tick(const struct sm *s)
{
    uint64_t cycle = l1_next_event(&s->lsu.l1[L1_DATA]);
    return cycle == UINT64_MAX ? NEVER : cycle * s->part.period;
}

static void report_kernel(struct sm *s, enum wl_phase phase)
{
    if (s->policy->on_kernel) s->policy->on_kernel(&s->sched, phase, &s->kernel);
}

static int refuse(const struct sm *s, const struct launch_info *l, struct wl_err *e)
{
    return wl_fail(e, WL_ERUN,
                   "kernel %s: a block of %u threads with %u registers each and %u bytes of shared memory does not "
                   "fit an SM with %u warps, %u registers and %u bytes",
                   l->kernel, l->threads_per_cta, l->regs_per_thread, l->shared_bytes, s->warps, s->room.registers,
                   s->room.shared_bytes);
}

/* What all SMs have in common. */
static int prepare(const struct sm *s, unsigned n, struct stream_source *source, struct wl_err *e)
{
    const struct launch_info *l = source->info;
    struct sm_kernel *k = &s->kernels[n];
    k->cta_limit = cta_limit(s, l);
    if (!k->cta_limit) return refuse(s, l, e);
    if (route_kernel(s, &k->routes, l->code)) return wl_no_memory(e);
    k->need = need_of(l, s->reg_unit);
    k->launch = l;
    k->code = l->code;
    k->last = l->code->inst + code_listed(l->code) - 1;
    k->inst = l->code->inst;
    k->block = l->code->block;
    k->route = k->routes.route;
    k->source = source;
    k->ended = 0;
    place_memory(s, k, n);
    return 0;
}

bool sm_kernel_reads_textures(const struct sm_kernel *k)
{
    for (uint32_t i = 0; i < k->code->ninst; i++)
        if (k->route[i].leaves && k->route[i].cache == L1_TEXTURE) return true;
    return false;
}

int sm_kernel_begin(struct sm *s, unsigned n, struct stream_source *source, struct wl_err *e)
{
    const struct launch_info *l = source->info;
    const struct sm_kernel *k = &s->kernels[n];
    if (!s->index && prepare(s, n, source, e)) return (int)e->code;
    s->first = k;
    s->cta_limit = k->cta_limit;
    s->clusters = launch_cluster(l) > 1;
    s->exits[n] = (struct cta_exits){0};
    if (warps_kernel_begin(s, k)) return wl_no_memory(e);
    s->kernel = (struct wl_kernel){l->kernel, hash_bytes(WL_HASH_INIT, l->kernel, strlen(l->kernel))};
    uint32_t ways = l1_all_ways(l1d_of(s)), shared = s->room.shared_bytes, need = l->shared_bytes * k->cta_limit;
    if (s->carve.unified) {
        shared = split_for(s, (uint64_t)l->shared_bytes * k->cta_limit);
        ways = ways_beside(s, shared);
    }
    s->shared_split = shared > need ? shared : need;
    l1_kernel_begin(l1d_of(s), &s->kernel, ways);
    part_wake_at(&s->part, sm_epoch_tick(s));
    report_kernel(s, WL_BEGIN);
    return 0;
}

int sm_kernel_join(struct sm *s, unsigned n, struct stream_source *source, struct wl_err *e)
{
    if (!s->index && prepare(s, n, source, e)) return (int)e->code;
    s->cta_limit = s->room.slots; /* the dispatcher knows which kernel has room */
    s->clusters |= launch_cluster(source->info) > 1;
    s->exits[n] = (struct cta_exits){0};
    return warps_kernel_begin(s, &s->kernels[n]) ? wl_no_memory(e) : 0;
}

void sm_kernels_end(struct sm *s)
{
    l1_kernel_end(l1d_of(s), &s->kernel);
    report_kernel(s, WL_END);
    if (s->l1d_flush) l1_flush(l1d_of(s), &s->kernel);
    if (s->l1t_flush) l1_flush(&s->lsu.l1[L1_TEXTURE], &s->kernel);
    if (s->l1c_flush) {
        l1_flush(&s->lsu.l1[L1_CONSTANT], &s->kernel);
        constants_flush(&s->constants);
    }
}

void sm_kernels_destroy(struct sm_kernel *kernels)
{
    for (unsigned i = 0; kernels && i < SM_MAX_KERNELS; i++) route_table_destroy(&kernels[i].routes);
}
