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

#include "mem/net.h"
#include "sm/fetch_priv.h"
#include "stream/spaces.h"

enum { BUFFER = 2 };

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
    f->last = 0; /* so that warp 1 is the first, as in GPGPU-Sim 3.2.2 (shader.cc:115, 602) */
    s->ends_cycles = true;
    list_init(&f->missq);
    f->line = calloc((size_t)f->sets * f->ways, sizeof *f->line);
    f->used = calloc((size_t)f->sets * f->ways, sizeof *f->used);
    bool lines = c->v[P_SM_FETCH] == FETCH_CACHE;
    if (!f->line || !f->used || (lines && !fetch_lines_init(s, c))) return wl_fail(e, WL_ERUN, "out of memory");
    return 0;
}

void fetch_destroy(struct sm *s)
{
    if (!s->fetch) return;
    free(s->fetch->line);
    free(s->fetch->used);
    free(s->fetch->l0);
    free(s->fetch);
}

/* ---- the buffers ---- */

/* The place of an instruction in the program; the forms of a generic one are all at its place. */
static uint32_t place_of(const struct sm *s, unsigned w, const struct code_inst *in)
{
    return code_is_form(in) ? in->form - 1 : (uint32_t)(in - kernel_of(s, &s->warp[w])->inst);
}

/* The buffer is empty and is refilled from `next` on. */
static void refill(struct sm *s, unsigned w, uint32_t next)
{
    struct fetch *f = s->fetch;
    f->left[w] = 0;
    f->next[w] = next;
    f->want |= bit64(w);
    f->refused &= ~bit64(w);
}

void fetch_advance(struct sm *s, unsigned w, const struct code_inst *from, tick_t now)
{
    struct fetch *f = s->fetch;
    uint32_t head = place_of(s, w, s->warp[w].inst);
    if (f->l0) {
        fetch_lines_advance(s, w, head, now);
        return;
    }
    s->wrong &= ~bit64(w);
    if (!from) { /* the first instruction of the warp */
        refill(s, w, head);
        return;
    }
    uint32_t at = place_of(s, w, from);
    if (at == head) return; /* another part of a generic instruction */
    if (head != at + 1) s->wrong |= bit64(w);
    if (from->kind == INST_EXIT) f->left[w] = 0; /* lanes have ended: what was fetched for them is thrown away */
    else f->left[w]--;
    if (!f->left[w]) refill(s, w, at + 1);
}

void fetch_drop(struct sm *s, unsigned w)
{
    s->wrong &= ~bit64(w);
    s->fetch->left[w] = 0;
    s->fetch->want &= ~bit64(w);
}

void fetch_flush(struct sm *s, unsigned w)
{
    s->wrong &= ~bit64(w);
    s->ready &= ~bit64(w);
    s->head_unit[UNIT_NONE] &= ~bit64(w);
    warp_show_head(s, w);
    refill(s, w, place_of(s, w, s->warp[w].inst));
    account_flush(s, w);
    s->fetch->stats.flushes++;
}

bool fetch_has_head(const struct sm *s, unsigned w, tick_t *at)
{
    *at = s->fetch->at[w];
    return s->fetch->left[w] != 0;
}

/* The warp's pair has been read: it is decoded in the next cycle. */
static void deliver(struct sm *s, unsigned w, tick_t now)
{
    struct fetch *f = s->fetch;
    f->want &= ~bit64(w);
    f->left[w] = f->next[w] + 1 < code_listed(kernel_of(s, &s->warp[w])->code) ? BUFFER : 1;
    f->at[w] = now + 2 * s->part.period;
    if (!((s->barrier | s->membar) >> w & 1)) warp_check_head(s, w, now);
}

/* ---- the cache ---- */

/* The line of the instruction the warp wants; behind the end of the program comes more of the same. */
static uint64_t wanted_line(const struct sm *s, unsigned w)
{
    const struct sm_kernel *k = kernel_of(s, &s->warp[w]);
    const struct code *code = k->code;
    uint32_t i = s->fetch->next[w], last = code_listed(code) - 1;
    uint64_t pc = i <= last ? code->inst[i].pc : code->inst[last].pc + UINT64_C(8);
    return (L2_CODE + k->code_base + pc) >> LINE_SHIFT;
}

bool il1_hit(struct fetch *f, uint64_t line)
{
    if (f->perfect) return true;
    size_t at = line % f->sets * f->ways;
    for (uint32_t i = 0; i < f->ways; i++) {
        if (f->line[at + i] != line + 1) continue;
        f->used[at + i] = ++f->time;
        return true;
    }
    return false;
}

static void cache_insert(struct fetch *f, uint64_t line)
{
    size_t at = line % f->sets * f->ways, oldest = at;
    for (uint32_t i = 1; i < f->ways; i++)
        if (f->used[at + i] < f->used[oldest]) oldest = at + i; /* an empty way was never used */
    f->line[oldest] = line + 1;
    f->used[oldest] = ++f->time;
}

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
    s->ends_cycles = true;
    req_free(s->pool, r);
}

/* ---- the cycle ---- */

unsigned fetch_turn(const struct fetch *f, uint64_t set)
{
    uint64_t behind = f->last >= 63 ? 0 : set & (UINT64_MAX << (f->last + 1));
    return bit_low64(behind ? behind : set);
}

/* In the cycles slept through everyone who wanted was refused, each in turn. */
static void make_up(struct fetch *f, uint64_t skipped)
{
    if (!f->slept || !skipped) return;
    f->stats.stall_cycles += skipped;
    f->last = fetch_turn(f, f->slept); /* now it is one of them, and whole rounds end where they began */
    for (uint64_t n = (skipped - 1) % bit_count64(f->slept); n; n--) f->last = fetch_turn(f, f->slept);
}

static void fetch_one(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    unsigned w = fetch_turn(f, f->want);
    f->last = w;
    uint64_t line = wanted_line(s, w);
    if (!(f->refused >> w & 1)) {
        if (il1_hit(f, line)) {
            f->stats.accesses++;
            f->stats.hits++;
            deliver(s, w, now);
            return;
        }
        if (il1_wait(s, w, line)) {
            f->stats.accesses++;
            return;
        }
        f->refused |= bit64(w);
    }
    f->stats.stall_cycles++;
}

/* One warp whose line has come may ask again; where each scheduler has a cache of its own, all who wait for it. */
static void let_go(struct fetch *f)
{
    uint32_t entry = f->filled[f->filled_first];
    struct fetch_miss *m = &f->miss[entry];
    do
        if (m->served < m->waiting) f->want |= bit64(m->warp[m->served++]);
    while (f->l0 && m->served < m->waiting);
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

bool fetch_cycle(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    make_up(f, s->cycle - f->cycle - 1);
    f->cycle = s->cycle;
    bool wanted = f->want, ready = false;
    if (f->l0) ready = fetch_lines_cycle(s, now);
    else if (wanted) fetch_one(s, now);
    if (f->missq_used) send_miss(s, now);
    if (f->filled_count) let_go(f);
    f->slept = f->want;
    if (f->l0 && fetch_idle(s)) s->ends_cycles = s->observers; /* until a warp leaves the lines that are there */
    if (wanted && s->policy->on_cycle) return true;            /* a head has come: the scheme may decide otherwise */
    return ready || f->want & ~f->refused || f->filled_count || f->streams ||
           (f->missq_used && (!s->request->producer_waits || s->request->flit.of));
}

bool fetch_idle(const struct sm *s)
{
    const struct fetch *f = s->fetch;
    return !f->want && !f->misses_used && !f->streams;
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
    for (uint64_t m = s->live & ~s->ended; m; m &= m - 1)
        WL_VERIFY(((f->want | held) >> bit_low64(m) & 1) == !f->left[bit_low64(m)]);
}
