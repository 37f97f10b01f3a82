/* fetch_lines.c - where a warp's instructions come from on real GPUs: a cache per scheduler, one per SM, the L2.
 *
 * A warp goes on without a pause as long as its next instruction lies in the line it reads or in another one of its
 * scheduler's cache (L0). A line that is not there comes from the SM's instruction cache il1.latency cycles later,
 * warps in turn, one line per cycle, or one in il1.turn cycles; one that is not there either travels as data does,
 * through the L2. When it has come, all who wait for it ask again, and schedulers that wanted it ahead get it at once.
 *
 * Nobody predicts branches, but straight code is asked for ahead, by a stream per scheduler: a miss, and the first
 * arrival at a line that was brought ahead, ask for the next il0.prefetch lines. A warp's own misses go first; a stream
 * that finds no MSHR, or comes to the end of the program, ends. Lines that come from the L2 ahead stay in the SM's
 * cache until a scheduler asks for them.
 *
 * Program counters of PTX are 8 bytes apart; the machine's instructions can be longer (il0.inst_bytes), which is what
 * caches see. Those of machine code are taken as they are, and each kernel gets addresses of its own.
 *
 * Time: while nothing is missed the stage does not work at all (s->ends_cycles). Else as in fetch.c. */
#include <stdlib.h>

#include "sm/fetch_priv.h"

enum { PTX_BYTES = 8, KERNEL_TAGS = 256 };

bool fetch_lines_init(struct sm *s, const struct gpu_config *c)
{
    struct fetch *f = s->fetch;
    f->l0_sets = (uint32_t)c->v[P_IL0_SETS];
    f->l0_ways = (uint32_t)c->v[P_IL0_WAYS];
    f->depth = (uint32_t)c->v[P_IL0_PREFETCH];
    f->scale = (uint32_t)c->v[P_IL0_INST_BYTES] / PTX_BYTES;
    f->delay = (tick_t)c->v[P_IL1_LATENCY] * s->part.period;
    f->turn = (tick_t)c->v[P_IL1_TURN] * s->part.period;
    f->l0 = calloc((size_t)s->schedulers * f->l0_sets * f->l0_ways, sizeof *f->l0);
    f->l0_mask = is_pow2(f->l0_sets) ? f->l0_sets - 1 : 0;
    s->line_bytes =
        f->scale == 1 ? LINE_BYTES : LINE_BYTES / 2; /* of PTX; of machine code half a line is always right */
    s->fetches_lines = true;
    s->ends_cycles = false;
    return f->l0;
}

/* ---- the caches of the schedulers ---- */

/* The line of an instruction of the warp's kernel. All kernels of a trace begin at the same address. */
static uint64_t line_at(const struct sm *s, unsigned w, uint32_t place)
{
    const struct sm_kernel *k = kernel_of(s, &s->warp[w]);
    uint64_t pc = k->code->inst[place].pc;
    if (!k->code->machine) pc *= s->fetch->scale;
    else pc += (UINT64_C(3) << 32) * (s->kernel.hash % KERNEL_TAGS);
    return k->code_line + (pc >> LINE_SHIFT);
}

static struct l0_line *set_of(const struct sm *s, unsigned sched, uint64_t line)
{
    const struct fetch *f = s->fetch;
    uint64_t set = f->l0_mask ? line & f->l0_mask : line % f->l0_sets;
    return f->l0 + (sched * f->l0_sets + set) * f->l0_ways;
}

static struct l0_line *l0_find(const struct sm *s, unsigned sched, uint64_t line)
{
    struct l0_line *set = set_of(s, sched, line);
    for (uint32_t i = 0; i < s->fetch->l0_ways; i++)
        if (set[i].line == line + 1) return &set[i];
    return NULL;
}

static void l0_insert(struct sm *s, unsigned sched, uint64_t line, tick_t ready, bool ahead)
{
    struct fetch *f = s->fetch;
    struct l0_line *set = set_of(s, sched, line), *oldest = set;
    for (uint32_t i = 1; i < f->l0_ways; i++)
        if (set[i].used < oldest->used) oldest = &set[i]; /* an empty way was never used */
    *oldest = (struct l0_line){.line = line + 1, .used = ++f->time, .ready = ready, .ahead = ahead};
}

/* When a scheduler has the line that it asks the SM's cache for now. */
static tick_t given(struct fetch *f, tick_t now)
{
    tick_t from = tick_max(now, f->given_at);
    f->given_at = from + f->turn;
    return from + f->delay;
}

/* ---- straight code ahead ---- */

/* The warp's scheduler has come to `line`: the next ones are wanted, as far as they have not been asked for. */
static void stream_on(struct sm *s, unsigned w, uint64_t line)
{
    struct fetch *f = s->fetch;
    unsigned sched = w % s->schedulers;
    uint64_t last = line_at(s, w, code_listed(kernel_of(s, &s->warp[w])->code) - 1), until = line + f->depth;
    if (until > last) until = last;
    uint64_t asked = f->until[sched];
    bool goes_on = asked >= line && asked <= line + f->depth;
    if (!goes_on) f->ahead[sched] = line + 1;
    else if (!(f->streams >> sched & 1)) f->ahead[sched] = asked + 1;
    f->until[sched] = until;
    if (f->ahead[sched] <= until) f->streams |= 1u << sched;
    else f->streams &= ~(1u << sched);
}

/* One line ahead, for one scheduler; they take turns. */
static void ask_ahead(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    uint32_t behind = f->streams & (UINT32_MAX << f->streamed << 1);
    unsigned sched = f->streamed = bit_low32(behind ? behind : f->streams);
    uint64_t line = f->ahead[sched]++;
    if (line == f->until[sched]) f->streams &= ~(1u << sched);
    if (l0_find(s, sched, line)) return;
    if (il1_hit(f, line)) l0_insert(s, sched, line, given(f, now), true);
    else if (!il1_find(f, line) && (f->missq_used == f->missq_cap || !il1_ask(s, line))) {
        f->streams &= ~(1u << sched);
        f->until[sched] = line - 1;
    }
}

void fetch_lines_fill(struct sm *s, uint64_t line)
{
    struct fetch *f = s->fetch;
    for (unsigned sched = 0; sched < s->schedulers; sched++)
        if (line <= f->until[sched] && line + f->depth > f->until[sched] && !l0_find(s, sched, line))
            l0_insert(s, sched, line, s->cycle * s->part.period + f->delay, true);
}

/* ---- warps ---- */

/* The warp's line is there, or known to come at `ready`. */
static void arrive(struct sm *s, unsigned w, struct l0_line *l, tick_t now)
{
    struct fetch *f = s->fetch;
    l->used = ++f->time;
    f->at[w] = tick_max(now, l->ready);
    if (!l->ahead) return;
    l->ahead = false;
    stream_on(s, w, l->line - 1);
    s->ends_cycles = true;
}

void fetch_lines_advance(struct sm *s, unsigned w, uint32_t head, tick_t now)
{
    struct fetch *f = s->fetch;
    f->wanted[w] = line_at(s, w, head);
    struct l0_line *l = l0_find(s, w % s->schedulers, f->wanted[w]);
    if (l) {
        arrive(s, w, l, now);
        return;
    }
    f->want |= bit64(w);
    s->ends_cycles = true;
}

/* All warps of the scheduler that want this line have it now. */
static void deliver(struct sm *s, unsigned sched, uint64_t line, tick_t now)
{
    struct fetch *f = s->fetch;
    struct l0_line *l = l0_find(s, sched, line);
    for (uint64_t m = f->want & s->owned[sched]; m; m &= m - 1) {
        unsigned w = bit_low64(m);
        if (f->wanted[w] != line) continue;
        f->want &= ~bit64(w);
        f->refused &= ~bit64(w);
        arrive(s, w, l, now);
        if (!((s->barrier | s->membar) >> w & 1)) warp_check_head(s, w, now);
    }
}

/* The warp whose turn it is asks the SM's cache; false: it is refused. */
static bool ask(struct sm *s, unsigned w, tick_t now)
{
    struct fetch *f = s->fetch;
    unsigned sched = w % s->schedulers;
    uint64_t line = f->wanted[w];
    bool there = l0_find(s, sched, line), hit = !there && il1_hit(f, line);
    if (!there && !hit && !il1_wait(s, w, line)) return false;
    f->stats.hits += hit;
    if (hit) l0_insert(s, sched, line, given(f, now), false);
    if (!there) stream_on(s, w, line);
    if (there || hit) deliver(s, sched, line, now);
    return true;
}

bool fetch_lines_cycle(struct sm *s, tick_t now)
{
    struct fetch *f = s->fetch;
    if (f->want) {
        unsigned w = f->last = fetch_turn(f, f->want);
        if (!(f->refused >> w & 1)) {
            if (ask(s, w, now)) return s->ready;
            f->refused |= bit64(w);
        }
        f->stats.stall_cycles++;
    }
    if (!s->live) f->streams = 0; /* nobody is left to go on */
    if (f->streams && f->given_at <= now) ask_ahead(s, now);
    return false;
}
