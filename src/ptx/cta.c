/* cta.c - one CTA: its warps take turns, meet at barriers, and wait.
 *
 * The warps of a CTA take turns in the order of their ids. A turn ends at a barrier, at the
 * warp's end, after so many instructions, or when the warp is found spinning (spin.c), so that a warp
 * that waits for a flag lets the warp that sets it run. Nothing here depends on time or on the
 * host: the same launch always executes in the same order.
 *
 * A CTA waits for another one when none of its warps can go on alone: they stand at barriers or
 * spin, or nothing was stored and nobody arrived or left since the ready warps were last in exactly
 * this state. That is certain (CTA_STUCK). A loop that counts its rounds never is in the same state
 * twice; where all ready warps keep asking for values that others write, with ordering or volatile
 * loads or with atomics, it is taken for waiting too (CTA_WAITS): that may be wrong, and costs
 * nothing but the order. A budget of instructions and of memory for the streams (struct ptx_budget)
 * ends whatever has no end. */
#include "ptx/cluster.h"

#include <stdlib.h>
#include <string.h>

/* ---- barriers ---- */

static uint32_t live_threads(const struct exec_cta *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->run->nwarps; i++) n += c->warp[i].state != WARP_DONE;
    return n * WARP_SIZE;
}

/* bar.red hands its result to every warp that waits. */
void cta_hand_out(const struct barrier *b, struct exec_warp *w, const struct uop *u, uint32_t mask)
{
    switch (u->mode) {
    case BAR_RED_AND: warp_put_pred(w, u->d, mask, b->all ? UINT32_MAX : 0); break;
    case BAR_RED_OR: warp_put_pred(w, u->d, mask, b->any ? UINT32_MAX : 0); break;
    case BAR_RED_POPC:
        for (uint32_t m = mask; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = b->count;
        break;
    default: break;
    }
}

void cta_check_barrier(struct exec_cta *c, struct barrier *b)
{
    uint32_t expected = b->expected ? b->expected : live_threads(c);
    if (!b->threads || b->threads < expected) return;
    for (uint32_t m = b->waiting; m; m &= m - 1) {
        struct exec_warp *w = &c->warp[bit_low32(m)];
        bool here = w->bar_id == b - c->bar; /* where it came last; in the middle of a block it waits as a whole */
        if (w->apart) apart_release(w, b);
        if (here) cta_hand_out(b, w, w->bar_uop, w->bar_mask);
        if (w->state == WARP_BARRIER && (here || !w->resume)) w->state = WARP_READY;
    }
    for (uint32_t i = 0; b->apart && i < c->run->nwarps; i++) c->warp[i].came[b - c->bar] = 0;
    *b = (struct barrier){.all = 1};
    c->run->progress++;
}

static int check_arrival(struct exec_warp *w, const struct uop *u, uint32_t id, uint32_t expected)
{
    if (id >= BARRIERS) return warp_fault(w, u, -1, "barrier %u does not exist (0 to %d)", id, BARRIERS - 1);
    if (u->nvec > 1 && (!expected || expected % WARP_SIZE))
        return warp_fault(w, u, -1, "a barrier cannot wait for %u threads: a multiple of %d is needed", expected,
                          WARP_SIZE);
    return RUN_ON;
}

struct barrier *cta_barrier(struct exec_warp *w, const struct uop *u, uint32_t *expected)
{
    unsigned lane = bit_low32(w->exec);
    uint32_t id = at32(w, u->s[0])[lane];
    *expected = u->nvec > 1 ? at32(w, u->s[1])[lane] : 0;
    return check_arrival(w, u, id, *expected) ? NULL : &w->cta->bar[id];
}

void cta_vote(struct barrier *b, const struct exec_warp *w, const struct uop *u)
{
    if (u->mode < BAR_RED_AND || u->mode > BAR_RED_POPC) return;
    uint32_t p = (*at32(w, u->s[2]) ^ u->not_c) & w->exec;
    b->all &= p == w->exec;
    b->any |= p != 0;
    b->count += bit_count32(p);
}

/* A warp arrives as a whole, whichever of its lanes are active; but see apart.c. */
int cta_arrive(struct exec_warp *w, const struct uop *u)
{
    uint32_t expected;
    struct barrier *b = cta_barrier(w, u, &expected);
    if (!b) return RUN_FAULT;
    if (w->marks && w->run->info.code->inst[u->in->code].kind == INST_BARRIER)
        barrier_mark(w->marks, w->block_at, u->in->code);
    b->expected = expected;
    cta_vote(b, w, u);
    if (u->mode == BAR_ARRIVE) {
        b->threads += w->exec == w->live ? WARP_SIZE : apart_arrive(w, (unsigned)(b - w->cta->bar));
        cta_check_barrier(w->cta, b);
        return RUN_ON;
    }
    if (w->split && w->exec != w->live && !u->in->apart) return launch_is_stuck(w->run); /* the others cannot come */
    b->threads += WARP_SIZE;
    b->waiting |= 1u << w->id;
    w->bar_id = (uint8_t)(b - w->cta->bar);
    w->bar_uop = u;
    w->bar_mask = w->exec;
    w->state = WARP_BARRIER;
    cta_check_barrier(w->cta, b);
    return RUN_WAIT;
}

static int deadlock(struct exec_cta *c)
{
    for (uint32_t i = 0; i < c->run->nwarps; i++) {
        struct exec_warp *w = &c->warp[i];
        if (w->state != WARP_BARRIER) continue;
        const struct barrier *b = &c->bar[w->bar_id];
        return warp_fault(w, w->bar_uop, -1,
                          "barrier deadlock: barrier %u has %u of %u threads and nobody else can come", w->bar_id,
                          b->threads, b->expected ? b->expected : live_threads(c));
    }
    return RUN_ON;
}

/* ---- turns ---- */

/* What the warp executes next; NULL: nothing, it only has not been told so. A turn may end behind the last instruction
 * of a path or of a function, so levels that have nothing more to do may lie on top. */
static const struct uop *next_uop(const struct exec_warp *w)
{
    uint32_t frame = w->nframe;
    for (uint32_t level = w->depth; level-- > 0;) {
        while (frame && w->frame[frame - 1].stack > level) frame--;
        const struct simt *s = &w->stack[level];
        const struct xfunc *f = frame ? w->frame[frame - 1].f : NULL;
        if (f && s->mask && s->block != s->reconv) return &f->uop[f->block[s->block].first];
    }
    return NULL;
}

struct exec_warp *cta_find_ready(struct exec_cta *c, const struct uop **at)
{
    for (uint32_t i = 0; i < c->run->nwarps; i++) {
        struct exec_warp *w = &c->warp[i];
        if (w->state == WARP_CLUSTER) {
            *at = w->bar_uop;
            return w;
        }
        if (w->state != WARP_READY) continue;
        *at = next_uop(w);
        if (*at) return w;
    }
    return NULL;
}

void cta_warp_done(struct exec_warp *w)
{
    w->run->progress++;
    if (!w->run->barriers) return;
    for (unsigned b = 0; b < BARRIERS; b++)
        if (w->cta->bar[b].threads) cta_check_barrier(w->cta, &w->cta->bar[b]);
}

/* Gives each ready warp a turn, but none to a warp that would only spin. 1: some ran; 0: none did; < 0: fault. */
static int take_turns(struct exec_cta *c)
{
    struct exec_run *r = c->run;
    int ran = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &c->warp[i];
        w->spin.strong = 0;
        if (w->state == WARP_CLUSTER) cluster_goes_on(w);
        if (w->state != WARP_READY || (w->spin.spins && w->spin.progress == r->progress)) continue;
        ran = 1;
        if (warp_run(w) == RUN_FAULT) return -1;
        if (w->state == WARP_DONE) cta_warp_done(w);
    }
    return ran;
}

/* What the CTA has used so far: instructions and bytes of all warps, and the cycles that its longest warp needs at
 * least, since a warp issues one instruction per cycle at best. */
static struct ptx_budget used_by_all(const struct exec_cta *c)
{
    struct ptx_budget u = {0};
    for (uint32_t i = 0; i < c->run->nwarps; i++) {
        const struct exec_warp *w = &c->warp[i];
        u.instructions += w->executed;
        if (w->out) u.stream_bytes += w->out->size + (w->out->chain ? w->out->chain->raw : 0);
        if (w->executed > u.cycles) u.cycles = w->executed;
    }
    return u;
}

/* Fails when the CTA has used more than its budget and is not at its end. */
static int check_budget(struct exec_cta *c, const struct ptx_budget *used)
{
    const struct ptx_budget *b = &c->run->l.budget;
    const struct uop *at;
    bool instructions = b->instructions && used->instructions > b->instructions,
         bytes = b->stream_bytes && used->stream_bytes > b->stream_bytes,
         cycles = b->cycles && used->cycles > b->cycles;
    if (!instructions && !bytes && !cycles) return RUN_ON;
    struct exec_warp *w = cta_find_ready(c, &at);
    if (!w) return RUN_ON;
    if (cycles)
        return warp_fault(w, at, -1, "stopped: it cannot end within the %llu cycles asked for",
                          (unsigned long long)b->cycles);
    return warp_fault(w, at, -1,
                      "no end in sight after %llu warp instructions and %llu MiB of what they did in one CTA; if it is "
                      "no endless loop, set %s higher",
                      (unsigned long long)used->instructions, (unsigned long long)(used->stream_bytes >> 20),
                      instructions ? "run.cta_instructions" : "run.cta_memory");
}

int cta_check_budget(struct exec_cta *c)
{
    struct ptx_budget used = used_by_all(c);
    return check_budget(c, &used);
}

/* ---- waiting ---- */

/* Everything that decides what the ready warps do next, memory excepted. */
static uint64_t state_hash(const struct exec_cta *c)
{
    uint64_t h = WL_HASH_INIT;
    for (uint32_t i = 0; i < c->run->nwarps; i++) {
        const struct exec_warp *w = &c->warp[i];
        if (w->state == WARP_READY && w->nframe) h = spin_hash(h, w);
    }
    return h;
}

/* Rounds between looks, since a look costs something; the first few rounds are looked at all. */
enum { IDLE_SAMPLE = 16, IDLE_FIRST = 4 };

/* The state is compared with one kept from an earlier round, and the kept one renewed at powers
 * of two, so a cycle of any length is found. */
static bool repeats(struct exec_cta *c)
{
    struct idle *idle = &c->idle;
    if (c->run->progress != idle->progress) {
        *idle = (struct idle){.progress = c->run->progress, .renew = 1};
        return false;
    }
    if (++idle->rounds > IDLE_FIRST && idle->rounds % IDLE_SAMPLE) return false;
    uint64_t hash = state_hash(c);
    if (idle->rounds > 1 && hash == idle->kept) return true;
    if (idle->rounds >= idle->renew) {
        idle->kept = hash;
        idle->renew *= 2;
    }
    return false;
}

/* Instructions of one turn after which a CTA that asks for what others write is taken for waiting, though it stores.
 * Where one CTA of a launch waited like that, the others will, and again: they are not watched for so long. */
enum { TURN_POLLING = 1 << 22, TURN_POLLING_AGAIN = 1 << 14 };

/* Whether all ready warps, in the round that is over, asked for what others write, and to no avail. */
static bool asks_in_vain(const struct exec_cta *c, uint64_t instructions)
{
    uint64_t patience = c->run->polls_and_stores ? TURN_POLLING_AGAIN : TURN_POLLING;
    bool long_turn = instructions >= patience;
    if (!c->run->watches || (c->idle.rounds < 2 && !long_turn)) return false;
    for (uint32_t i = 0; i < c->run->nwarps; i++) {
        const struct spin *s = &c->warp[i].spin;
        bool spins = s->spins && s->progress == c->run->progress;
        if (c->warp[i].state == WARP_READY && !s->strong && !spins) return false;
    }
    c->run->polls_and_stores |= long_turn;
    return true;
}

int cta_run(struct exec_cta *c)
{
    struct exec_run *r = c->run;
    const struct uop *at;
    uint64_t before = used_by_all(c).instructions;
    int ran;
    r->shared = c->shared;
    if (!launch_slices(r)) c->idle = (struct idle){.progress = r->progress, .renew = 1};
    while ((ran = take_turns(c)) > 0 || (!ran && !cta_find_ready(c, &at) && apart_complete(c))) {
        struct ptx_budget used = used_by_all(c);
        if (check_budget(c, &used)) return RUN_FAULT;
        if (!cta_find_ready(c, &at)) continue; /* the next round finds out why */
        c->state = repeats(c) ? CTA_STUCK : asks_in_vain(c, used.instructions - before) ? CTA_WAITS : CTA_RUNS;
        if (c->state == CTA_RUNS && !launch_slices(r)) continue;
        c->waits_from = r->progress;
        return RUN_ON;
    }
    if (ran < 0) return RUN_FAULT;
    c->waits_from = r->progress;
    c->state = cta_find_ready(c, &at) ? CTA_STUCK : CTA_DONE;
    return c->state == CTA_DONE && deadlock(c) ? RUN_FAULT : RUN_ON;
}
