/* fetch.c - where a warp's instructions come from: GPGPU-Sim's front end, and the instruction cache behind it. Real
 * GPUs have another front end (fetch_lines.c) with the same cache.
 *
 * A warp has a buffer of two decoded instructions. It is refilled only when both are gone, one warp per cycle, warps
 * in turn from the one that was last. Fetched in a cycle, decoded in the next, issued from the one after. The refill
 * begins behind the instruction that was issued last, because nobody predicts: after a taken branch the buffer holds,
 * or gets, the path that falls through. A scheduler that comes to such a warp empties the buffer and goes on to the
 * next warp; then the right path is fetched.
 *
 * Fetches go through an instruction cache of lines of 128 bytes: least recently used, a line gets its place when it
 * comes. A miss leaves for the network in its own cycle and travels as data does. When its line has come, one warp per
 * cycle is let go and asks again. A refused warp (no MSHR, no room to merge, miss queue full) has had its turn all the
 * same. The cache is cold at the start and is not flushed.
 *
 * Time: the stage has work while a warp wants a fetch that may succeed, a warp is to be let go or a miss is to be sent.
 * While all who want are refused, the SM may sleep; the turn goes round meanwhile, which is made up for afterwards. */
#include <stdlib.h>
#include <string.h>

#include "mem/net.h"
#include "sm/fetch_priv.h"

/* ---- building ---- */

int fetch_init(struct sm *s, const struct gpu_config *c, struct wl_err *e)
{
    struct fetch *f = s->fetch = calloc(1, sizeof *f);
    if (!f) return wl_fail(e, WL_ERUN, "out of memory");
    f->perfect = c->v[P_IL1_PERFECT];
    f->sets = (uint32_t)c->v[P_IL1_SETS];
    f->ways = (uint32_t)c->v[P_IL1_WAYS];
    f->misses = (uint32_t)c->v[P_IL1_MSHR];
    f->merge = (uint32_t)c->v[P_IL1_MERGE];
    f->missq_cap = (uint32_t)c->v[P_IL1_MISSQ];
    f->set_mask = is_pow2(f->sets) ? f->sets - 1 : 0;
    f->last = 0; /* so that warp 1 is the first, as in GPGPU-Sim 3.2.2 (shader.cc:115, 602) */
    s->ends_cycles = true;
    list_init(&f->missq);
    f->line = calloc((size_t)f->sets * f->ways, sizeof *f->line);
    bool lines = c->v[P_SM_FETCH] == FETCH_CACHE;
    if (!f->line || (lines && !fetch_lines_init(s, c))) return wl_fail(e, WL_ERUN, "out of memory");
    return 0;
}

void fetch_destroy(struct sm *s)
{
    if (!s->fetch) return;
    free(s->fetch->line);
    free(s->fetch->l0);
    free(s->fetch);
}

/* ---- the buffers ---- */

/* Where an instruction stands in the program: the forms of a generic one all stand in its place. */
static inline const struct code_inst *listed(const struct sm_kernel *k, const struct code_inst *in)
{
    return code_is_form(in) ? k->inst + in->form - 1 : in;
}

/* The buffer is empty and is refilled from `next` on; behind the end of the program comes more of the same. */
static inline void refill(struct sm *s, const struct sm_kernel *k, unsigned w, const struct code_inst *next)
{
    struct fetch *f = s->fetch;
    uint64_t bit = bit64(w), pc = next <= k->last ? next->pc : k->last->pc + UINT64_C(8);
    WL_ASSERT(!((f->held | f->refused) & bit));
    f->wanted[w] = k->code_line + (pc >> LINE_SHIFT);
    f->want |= bit;
    s->second = (s->second & ~bit) | (uint64_t)(next < k->last) << w;
    s->ends_cycles = true;
}

/* What becomes of the buffer. */
static inline void advance_buffer(struct sm *s, const struct sm_kernel *k, unsigned w, const struct code_inst *from)
{
    const struct code_inst *head = listed(k, s->warp[w].inst);
    uint64_t bit = bit64(w);
    WL_ASSERT(!(s->wrong & bit));
    if (!from) { /* the first instruction of the warp */
        refill(s, k, w, head);
        return;
    }
    from = listed(k, from);
    if (from == head) return; /* another part of a generic instruction */
    if (head != from + 1) s->wrong |= bit;
    if (!(s->second & bit) || from->kind == INST_EXIT) refill(s, k, w, from + 1); /* lanes that end take it with them */
    else s->second &= ~bit;
}

__attribute__((noinline)) void fetch_advance(struct sm *s, unsigned w, const struct code_inst *from, tick_t now)
{
    const struct sm_kernel *k = kernel_of(s, &s->warp[w]);
    account_waits(s, w);
    if (s->fetches_lines) fetch_lines_advance(s, w, (uint32_t)(listed(k, s->warp[w].inst) - k->inst), now);
    else advance_buffer(s, k, w, from);
    if (s->wrong >> w & 1) s->head_unit[UNIT_NONE] |= bit64(w); /* shown when a scheduler has met the wrong path */
    else warp_show_head(s, w);
    if (fetch_has_head(s, w) && !((s->barrier | s->membar) >> w & 1)) warp_check_head(s, w, now);
}

void fetch_drop(struct sm *s, unsigned w)
{
    s->wrong &= ~bit64(w);
    s->second &= ~bit64(w);
}

void fetch_flush(struct sm *s, unsigned w)
{
    const struct sm_kernel *k = kernel_of(s, &s->warp[w]);
    s->wrong &= ~bit64(w);
    s->ready &= ~bit64(w);
    s->head_unit[UNIT_NONE] &= ~bit64(w);
    warp_show_head(s, w);
    refill(s, k, w, listed(k, s->warp[w].inst));
    account_flush(s, w);
    s->fetch->stats.flushes++;
}

/* The warp's pair has been read: it is decoded in the next cycle, and its head may be used in the one after. A path
 * that was not taken waits for no register. */
static inline void deliver(struct sm *s, unsigned w, tick_t now)
{
    struct fetch *f = s->fetch;
    uint64_t bit = bit64(w);
    tick_t decoded = now + 2 * s->part.period;
    f->last = w;
    f->stats.hits++;
    f->want &= ~bit;
    f->at[w] = decoded;
    if ((s->barrier | s->membar) & bit) return; /* looked at when released */
    account_changed(s);
    uint64_t due = s->wrong & bit ? 0 : head_ready_at(s, w, s->warp[w].inst);
    if (due_time(due) <= decoded) account_due(s, w, wheel_enter(s, w, s->cycle + 2), WAIT_FETCH);
    else if (due == NEVER) s->long_stall |= bit;
    else account_due(s, w, wheel_add(s, w, due_time(due), now), due_what(due));
}

/* ---- the cache ---- */

static inline uint64_t *il1_set(const struct fetch *f, uint64_t line)
{
    return f->line + (f->set_mask ? line & f->set_mask : line % f->sets) * f->ways;
}

/* The line in `way` of the set, or one that takes its place, becomes the first. */
static void make_first(uint64_t *set, uint32_t way, uint64_t line)
{
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line + 1;
}

bool il1_hit(struct fetch *f, uint64_t line)
{
    if (f->perfect) return true;
    uint64_t *set = il1_set(f, line);
    for (uint32_t i = 0; i < f->ways; i++) {
        if (set[i] != line + 1) continue;
        if (i) make_first(set, i, line);
        return true;
    }
    return false;
}

static void cache_insert(struct fetch *f, uint64_t line) { make_first(il1_set(f, line), f->ways - 1, line); }

struct fetch_miss *il1_find(struct fetch *f, uint64_t line)
{
    for (uint32_t i = 0; i < f->misses; i++)
        if (f->miss[i].used && f->miss[i].line == line) return &f->miss[i];
    return NULL;
}

static void send_request(struct sm *s, uint64_t line, uint32_t entry)
{
    struct fetch *f = s->fetch;
    struct req *r = req_alloc(s->pool);
    req_clear(r);
    r->line = line;
    r->mshr = (uint16_t)entry;
    r->kind = WL_LOAD;
    r->space = WL_CONST;
    r->cache = L1_CODE;
    r->sm = (uint8_t)s->index;
    r->sectors = r->touched = ALL_SECTORS;
    list_push(&f->missq, r);
    f->missq_used++;
}

struct fetch_miss *il1_ask(struct sm *s, uint64_t line)
{
    struct fetch *f = s->fetch;
    struct fetch_miss *m = f->miss;
    if (f->misses_used == f->misses) return NULL;
    while (m->used) m++;
    *m = (struct fetch_miss){.line = line, .used = true};
    f->misses_used++;
    send_request(s, line, (uint32_t)(m - f->miss));
    return m;
}

bool il1_wait(struct sm *s, unsigned w, uint64_t line)
{
    struct fetch *f = s->fetch;
    struct fetch_miss *m = il1_find(f, line);
    if (f->missq_used == f->missq_cap) return false;
    if (m) {
        if (m->waiting == f->merge) return false;
        f->stats.hits_reserved++;
    } else {
        if (!(m = il1_ask(s, line))) return false;
        f->stats.misses++;
    }
    m->warp[m->waiting++] = (uint8_t)w;
    f->want &= ~bit64(w);
    f->held |= bit64(w);
    return true;
}

void fetch_fill(struct sm *s, struct req *r)
{
    struct fetch *f = s->fetch;
    WL_ASSERT(r->mshr < f->misses && f->miss[r->mshr].used && f->miss[r->mshr].line == r->line);
    cache_insert(f, r->line);
    if (f->l0) fetch_lines_fill(s, r->line);
    f->filled[(f->filled_first + f->filled_count++) % FETCH_MAX_MISSES] = (uint8_t)r->mshr;
    f->refused = 0;
    f->plain = false;
    s->ends_cycles = true;
    req_free(s->pool, r);
}

/* ---- the cycle ---- */

/* In the cycles slept through everyone who wanted was refused, each in turn. */
static void make_up(struct fetch *f, uint64_t skipped)
{
    if (!skipped) return;
    f->stats.stall_cycles += skipped;
    f->last = fetch_turn(f, f->slept); /* now it is one of them, and whole rounds end where they began */
    for (uint64_t n = (skipped - 1) % bit_count64(f->slept); n; n--) f->last = fetch_turn(f, f->slept);
}

/* The warp whose turn it is asks the cache. */
static void fetch_one(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    unsigned w = f->last = fetch_turn(f, f->want);
    if (!(f->refused >> w & 1)) {
        if (il1_hit(f, f->wanted[w])) {
            deliver(s, w, now);
            return;
        }
        if (il1_wait(s, w, f->wanted[w])) return;
        f->refused |= bit64(w);
    }
    f->stats.stall_cycles++;
}

/* One warp whose line has come may ask again; where each scheduler has a cache of its own, all who wait for it. */
static void let_go(struct fetch *f)
{
    uint32_t entry = f->filled[f->filled_first];
    struct fetch_miss *m = &f->miss[entry];
    do {
        if (m->served == m->waiting) break;
        uint64_t bit = bit64(m->warp[m->served++]);
        f->held &= ~bit;
        f->want |= bit;
    } while (f->l0);
    if (m->served < m->waiting) return;
    m->used = false;
    f->misses_used--;
    f->filled_first = (f->filled_first + 1) % FETCH_MAX_MISSES;
    f->filled_count--;
    f->refused = 0;
}

static void send_miss(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    if (!net_can_send(s->request, f->missq.head, now)) return;
    struct req *r = list_pop(&f->missq);
    f->missq_used--;
    f->refused = 0;
    addrmap_route(s->map, r);
    net_send(s->request, r, now);
}

/* Any cycle of any front end. */
static __attribute__((noinline)) bool any_cycle(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    bool wanted = f->want, ready = false;
    if (f->slept) make_up(f, s->cycle - f->cycle - 1);
    if (f->l0) ready = fetch_lines_cycle(s, now);
    else if (wanted) fetch_one(s, now);
    if (f->missq_used) send_miss(s, now);
    if (f->filled_count) let_go(f);
    f->cycle = s->cycle;
    f->slept = f->want & ~f->refused ? 0 : f->want; /* who is not refused asks in the next cycle */
    f->plain = !(f->refused || f->slept || f->missq_used || f->filled_count || f->l0);
    if (!(f->want || f->missq_used || f->filled_count || f->streams)) s->ends_cycles = s->observers;
    if (wanted && s->policy->on_cycle) return true;
    return ready || f->want & ~f->refused || f->filled_count || f->streams ||
           (f->missq_used && (!s->request->producer_waits || s->request->flit.of));
}

bool fetch_cycle(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    if (!f->plain || !f->want) return any_cycle(s, now);
    unsigned w = fetch_turn(f, f->want);
    if (*il1_set(f, f->wanted[w]) != f->wanted[w] + 1) return any_cycle(s, now);
    deliver(s, w, now);
    if (f->want) return true;
    s->ends_cycles = s->observers;
    return s->policy->on_cycle; /* a head has come: the scheme may decide otherwise */
}

bool fetch_idle(const struct sm *s)
{
    const struct fetch *f = s->fetch;
    return !f->want && !f->misses_used && !f->streams;
}

struct l1i_stats fetch_stats(const struct sm *s)
{
    struct l1i_stats n = s->fetch->stats;
    n.accesses = n.hits + n.hits_reserved + n.misses;
    return n;
}

void fetch_walk(const struct sm *s)
{
    const struct fetch *f = s->fetch;
    uint64_t held = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < f->misses; i++) {
        const struct fetch_miss *m = &f->miss[i];
        if (!m->used) continue;
        used++;
        WL_VERIFY(m->waiting <= f->merge && (m->served < m->waiting || f->l0)); /* or it was asked for ahead */
        for (uint32_t k = m->served; k < m->waiting; k++) {
            WL_VERIFY(!(held >> m->warp[k] & 1));
            held |= bit64(m->warp[k]);
        }
    }
    WL_VERIFY(used == f->misses_used && f->filled_count <= used && f->missq_used <= f->missq_cap);
    WL_VERIFY(!(f->want & held) && !((f->want | held) & ~(s->live & ~s->ended)) && !(f->refused & ~f->want));
    WL_VERIFY(!(s->wrong & ~(s->live & ~s->ended)) && !(s->ready & (f->want | held)));
    WL_VERIFY(held == f->held && (!f->plain || !(f->refused || f->missq_used || f->filled_count || f->l0)));
}
