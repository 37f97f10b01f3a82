/* cluster.c - clusters of CTAs: who belongs to whom, their barrier, and the shared memory of others.
 *
 * A cluster is a box of the grid. Without one every CTA is a cluster of its own. CTAs of a cluster execute as all
 * others do (launch.c): one that waits at the cluster's barrier is stuck until the others have come, which are started
 * meanwhile. An address of another CTA's shared memory has that CTA's rank, plus one, above bit 24; an address without
 * a rank is the CTA's own.
 *
 * To the timing half the cluster's barrier is an mbarrier that every CTA of the cluster has (MBAR_CLUSTER): a warp that
 * arrives is so many events at all of them, and one that waits waits for the events of its own. */
#include "ptx/cluster.h"

#include <stdlib.h>
#include <string.h>

enum { RANK_SHIFT = CLUSTER_RANK_SHIFT };

/* ---- shape ---- */

int cluster_shape(struct exec_run *r, struct wl_err *e)
{
    const uint32_t *asked = r->l.cluster[0] ? r->l.cluster : r->l.kernel->cluster;
    r->explicit_cluster = asked[0] != 0;
    uint64_t size = 1;
    for (unsigned i = 0; i < 3; i++) {
        r->cluster[i] = asked[0] && asked[i] ? asked[i] : 1;
        size *= r->cluster[i];
        if (r->info.grid[i] % r->cluster[i])
            return wl_fail(e, WL_EINPUT, "kernel %s: a grid of %u x %u x %u is not made of clusters of %u x %u x %u",
                           r->info.kernel, r->info.grid[0], r->info.grid[1], r->info.grid[2], asked[0], asked[1],
                           asked[2]);
    }
    if (size > CLUSTER_MAX)
        return wl_fail(e, WL_EINPUT, "kernel %s: a cluster of %llu CTAs is more than %d", r->info.kernel,
                       (unsigned long long)size, CLUSTER_MAX);
    r->cluster_size = (uint32_t)size;
    if (size > 1) memcpy(r->info.cluster, r->cluster, sizeof r->info.cluster);
    r->meetings = size > 1 ? calloc(r->info.ctas / size, sizeof *r->meetings) : NULL;
    return size > 1 && !r->meetings ? wl_fail(e, WL_ERUN, "kernel %s: out of memory", r->info.kernel) : 0;
}

/* Rank of a CTA in its cluster, and the number of the cluster. */
static uint32_t rank_of(const struct exec_run *r, const struct exec_cta *c) { return c->order % r->cluster_size; }

static uint32_t cluster_of(const struct exec_run *r, const struct exec_cta *c) { return c->order / r->cluster_size; }

/* The place in the order of the CTA of that rank in c's cluster. */
static uint32_t member(const struct exec_run *r, const struct exec_cta *c, uint32_t rank)
{
    return cluster_of(r, c) * r->cluster_size + rank;
}

static struct exec_cta *started(const struct exec_run *r, uint32_t order)
{
    for (struct exec_cta *c = r->live; c; c = c->next)
        if (c->order == order) return c;
    return NULL;
}

struct exec_cta *cluster_cta(const struct exec_warp *w, uint32_t rank)
{
    const struct exec_run *r = w->run;
    uint32_t order = member(r, w->cta, rank);
    if (rank >= r->cluster_size) return NULL;
    return order == w->cta->order ? w->cta : started(r, order);
}

struct mbar_names *cluster_names(const struct exec_run *r, struct exec_cta *c)
{
    return r->meetings ? &r->meetings[cluster_of(r, c)].names : &c->meeting.names;
}

/* ---- special registers ---- */

static int op_cluster_sreg(struct exec_warp *w, const struct uop *u)
{
    const struct exec_run *r = w->run;
    const uint32_t *id = w->cta->ctaid, *k = r->cluster, *g = r->info.grid;
    unsigned s = u->mode, v;
    if (s <= SREG_CLUSTERID_Z) v = id[s - SREG_CLUSTERID_X] / k[s - SREG_CLUSTERID_X];
    else if (s <= SREG_NCLUSTERID_Z) v = g[s - SREG_NCLUSTERID_X] / k[s - SREG_NCLUSTERID_X];
    else if (s <= SREG_CLUSTER_CTAID_Z) v = id[s - SREG_CLUSTER_CTAID_X] % k[s - SREG_CLUSTER_CTAID_X];
    else if (s <= SREG_CLUSTER_NCTAID_Z) v = k[s - SREG_CLUSTER_NCTAID_X];
    else v = s == SREG_CLUSTER_CTARANK ? rank_of(r, w->cta) : r->cluster_size;
    for (uint32_t m = w->exec; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = v;
    return RUN_ON;
}

static int op_is_cluster(struct exec_warp *w, const struct uop *u)
{
    warp_put_pred(w, u->d, w->exec, w->run->explicit_cluster ? UINT32_MAX : 0);
    return RUN_ON;
}

void lower_cluster_sreg(struct uop *u, uint8_t sreg)
{
    u->full = u->part = sreg == SREG_IS_EXPLICIT_CLUSTER ? op_is_cluster : op_cluster_sreg;
    u->mode = sreg;
}

/* ---- shared memory of others ---- */

uint64_t cluster_address(uint64_t addr, uint32_t rank)
{
    return (addr & ((1u << RANK_SHIFT) - 1)) | (uint64_t)(rank + 1) << RANK_SHIFT;
}

uint8_t *cluster_shared(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t *addr)
{
    struct exec_run *r = w->run;
    uint32_t rank = (uint32_t)(*addr >> RANK_SHIFT) - 1;
    if (rank >= r->cluster_size) {
        warp_fault(w, u, (int)lane, "shared address 0x%llx is of no CTA of the cluster", (unsigned long long)*addr);
        return NULL;
    }
    *addr &= (1u << RANK_SHIFT) - 1;
    struct exec_cta *c = cluster_cta(w, rank);
    if (c) return c->shared;
    warp_fault(w, u, (int)lane, "the shared memory of CTA %u of the cluster is used %s", rank,
               member(r, w->cta, rank) < r->next_cta ? "after that CTA has ended"
                                                     : "before that CTA has started: a barrier.cluster is missing");
    return NULL;
}

static int op_mapa(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t rank = at32(w, u->s[1])[i];
        uint64_t a = get_lane(w, u->s[0], u->wide, i), window = u->space == PTX_SHARED ? 0 : GENERIC_SHARED;
        if (rank >= w->run->cluster_size)
            return warp_fault(w, u, (int)i, "CTA %u is not in this cluster of %u", rank, w->run->cluster_size);
        if (a - window > UINT32_MAX)
            return warp_fault(w, u, (int)i, "0x%llx is no address of shared memory", (unsigned long long)a);
        put_lane(w, u->d, u->wide, i, cluster_address(a - window, rank) + window);
    }
    return RUN_ON;
}

static int op_getctarank(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint32_t above = (uint32_t)get_lane(w, u->s[0], u->wide, i) >> RANK_SHIFT;
        at32(w, u->d)[i] = above ? above - 1 : rank_of(w->run, w->cta);
    }
    return RUN_ON;
}

int lower_cluster(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    unsigned bits = ptx_type_bits(in->type);
    u->wide = bits == 64;
    u->space = in->space;
    u->full = u->part = in->op == OP_MAPA ? op_mapa : op_getctarank;
    int rc = lower_dst(L, &in->dst[0], in->op == OP_MAPA ? bits : 32, &u->d);
    if (!rc) rc = lower_src(L, &in->src[0], bits, &u->s[0]);
    if (!rc && in->op == OP_MAPA) rc = lower_src(L, &in->src[1], 32, &u->s[1]);
    return rc;
}

/* ---- the barrier ---- */

/* Threads that have not ended, started or not. */
static uint32_t threads_left(const struct exec_run *r, const struct exec_cta *of)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < r->cluster_size; rank++) {
        uint32_t order = member(r, of, rank);
        const struct exec_cta *c = order == of->order ? of : started(r, order);
        if (!c) n += order < r->next_cta ? 0 : r->info.threads_per_cta;
        for (uint32_t i = 0; c && i < r->nwarps; i++) n += bit_count32(c->warp[i].live);
    }
    return n;
}

static void turn_phase(struct exec_run *r, const struct exec_cta *c, struct cluster_meeting *m)
{
    if (m->arrived < threads_left(r, c)) return;
    m->arrived = 0;
    m->needed = m->events;
    m->phase++;
    r->progress++;
}

static struct cluster_meeting *meeting_of(const struct exec_warp *w)
{
    const struct exec_run *r = w->run;
    return r->meetings ? &r->meetings[cluster_of(r, w->cta)] : &w->cta->meeting;
}

/* It has no address: one that makes no conflict between lanes is as good as any. What is left out of a stream cannot be
 * waited for. */
static void emit_meeting(struct exec_warp *w, const struct uop *u, uint64_t note)
{
    uint64_t addr[WARP_SIZE];
    for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = 4 * i | (w->excerpt.writer ? 0 : note);
    (void)mem_emit(w, u, addr);
}

/* Which phase the warp waits for is remembered when it arrives. */
static int op_cluster_arrive(struct exec_warp *w, const struct uop *u)
{
    struct exec_run *r = w->run;
    struct cluster_meeting *m = meeting_of(w);
    uint32_t all = r->cluster_size > 1 ? (1u << r->cluster_size) - 1 : 0;
    emit_meeting(w, u, mbar_note_to(MBAR_CLUSTER, all));
    m->events += bit_count32(w->exec);
    w->cluster_phase = m->phase;
    m->arrived += bit_count32(w->exec);
    r->progress++;
    turn_phase(r, w->cta, m);
    return RUN_ON;
}

static bool passed(struct exec_warp *w)
{
    struct exec_run *r = w->run;
    struct cluster_meeting *m = meeting_of(w);
    if (m->phase == w->cluster_phase && m->arrived) turn_phase(r, w->cta, m); /* somebody may have ended */
    return m->phase != w->cluster_phase;
}

bool cluster_goes_on(struct exec_warp *w)
{
    if (!passed(w)) return false;
    emit_meeting(w, w->bar_uop, mbar_note(MBAR_CLUSTER, meeting_of(w)->needed));
    w->state = WARP_READY;
    return true;
}

static int op_cluster_wait(struct exec_warp *w, const struct uop *u)
{
    w->bar_uop = u;
    if (cluster_goes_on(w)) return RUN_ON;
    w->state = WARP_CLUSTER;
    return RUN_WAIT;
}

int lower_cluster_barrier(struct lower *L, struct uop *u)
{
    u->full = u->part = L->in->mode ? op_cluster_wait : op_cluster_arrive;
    return 0;
}
