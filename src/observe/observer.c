/* observer.c - the events of one SM become tallies.
 *
 * Warps are identified by their launch number, not by their slot: a new warp in an old slot is
 * another warp (APCM, whose locality types would else see reuse within a warp that is none). */
#include "observe/profile.h"

#include "base/bits.h"

/* 1, 2, 3, 4, 5..8, 9..16, more */
static unsigned count_bucket(uint32_t n) { return n <= 4 ? n - 1 : n <= 8 ? 4 : n <= 16 ? 5 : 6; }

static uint32_t warp_of(const struct observer *o, const struct wl_access *a) { return (uint32_t)o->age[a->warp]; }

/* ---- the L1D ---- */

static enum access_kind why_missed(const struct seen_line *l, uint32_t warp)
{
    switch (l->place) {
    case THERE: return ACCESS_PRESENT;
    case LEFT_EVICTED: return l->left_by == warp ? ACCESS_INTRA_WARP : ACCESS_INTER_WARP;
    case LEFT_KILLED: return ACCESS_INVALIDATED;
    case LEFT_FLUSHED: return ACCESS_FLUSHED;
    default: return ACCESS_COLD;
    }
}

/* 0, 1, 2 for 32, 64, 128 bytes: the smallest aligned block with all touched sectors. */
static unsigned request_size(uint8_t sectors)
{
    if ((sectors & (sectors - 1)) == 0) return 0;
    return (sectors & 3) == sectors || (sectors & 12) == sectors ? 1 : 2;
}

/* The line's stay in the L1D, or this kernel's part of it, is over. */
static void end_life(struct tally *t, struct seen_line *l)
{
    if (!l->accesses) return;
    t->life.ended++;
    t->life.accesses += l->accesses;
    t->life.count[count_bucket(l->accesses)]++;
    t->life.used[bit_count32(l->used_now) - 1]++;
    l->accesses = 0;
    l->used_now = 0;
}

static void use_line(struct tally *t, struct seen_line *l, const struct wl_access *a, bool fresh, uint8_t fetched)
{
    if (fresh) {
        l->place = THERE;
        l->used = l->used_now = 0;
        l->accesses = 0;
    }
    l->again = !fresh;
    l->accesses++;
    t->life.fetched_chunks += bit_count32(fetched);
    t->life.used_chunks += bit_count32(a->sectors & ~(uint32_t)l->used);
    l->used |= a->sectors;
    l->used_now |= a->sectors;
}

/* ---- the infinite cache ---- */

static void use_infinite(struct observer *o, struct seen_line *l, const struct wl_access *a)
{
    uint32_t warp = warp_of(o, a), number = ++o->requests;
    if (!l->total) {
        l->own = 0;
        l->owner = warp;
        l->pc = a->pc;
        l->reuse = NO_NODE;
    } else {
        lines_add_reuse(&o->lines, l, log2_floor(number - l->last));
    }
    l->total++;
    l->own += l->owner == warp;
    l->last = number;
}

static enum line_type type_of(const struct seen_line *l)
{
    if (l->total == 1) return TYPE_STREAMING;
    return l->own == 1 ? TYPE_INTER : l->own == l->total ? TYPE_INTRA : TYPE_MIXED;
}

static void end_infinite(struct observer *o, struct seen_line *l)
{
    if (!l->total) return;
    struct tally *t = &o->tally;
    enum line_type type = type_of(l);
    t->infinite.type[type]++;
    t->infinite.count[count_bucket(l->total)]++;
    struct load_record *row = loads_find(o->loads, l->pc);
    if (row) row->lines[type]++;
    if (type != TYPE_STREAMING)
        for (int32_t i = l->reuse; i != NO_NODE; i = o->lines.node[i].next)
            t->reuse[type - 1][o->lines.node[i].bucket] += o->lines.node[i].count;
    l->total = 0;
}

/* ---- events ---- */

static struct observer *observer_of(struct l1_observer *o) { return (struct observer *)(void *)o; }

static void see_request(struct l1_observer *l1, const struct wl_access *a, enum l1_outcome how, uint8_t fetched)
{
    struct observer *o = observer_of(l1);
    struct tally *t = &o->tally;
    struct seen_line *l = lines_get(&o->lines, a->line);
    enum access_kind kind = how == L1_HIT      ? ACCESS_HIT
                            : how == L1_MERGED ? ACCESS_PENDING
                                               : why_missed(l, warp_of(o, a));
    t->access[kind]++;
    l->gone = false;
    t->size[request_size(a->sectors)]++;
    if (o->heat && how == L1_MISSED) heat_add(o->heat, HEAT_SET, a->set);
    if (how != L1_BYPASSED) use_line(t, l, a, how == L1_MISSED && l->place != THERE, how == L1_MISSED ? fetched : 0);
    use_infinite(o, l, a);
    struct load_record *row = loads_find(o->loads, a->pc);
    if (!row) return;
    row->requests++;
    row->outcome[how]++;
}

/* The line comes without a load; its stay begins. */
static void see_prefetch(struct l1_observer *l1, uint64_t line)
{
    struct observer *o = observer_of(l1);
    struct seen_line *l = lines_get(&o->lines, line);
    l->place = THERE;
    l->used = l->used_now = 0;
    l->accesses = 0;
    l->again = false;
    o->tally.life.fetched_chunks += LINE_CHUNKS;
}

static void see_evict(struct l1_observer *l1, const struct wl_access *a, uint64_t line)
{
    struct observer *o = observer_of(l1);
    struct seen_line *l = lines_get(&o->lines, line);
    o->tally.life.evicted_before_reuse += !l->again;
    end_life(&o->tally, l);
    l->place = LEFT_EVICTED;
    l->gone = true;
    l->left_by = warp_of(o, a);
}

static void see_kill(struct l1_observer *l1, uint64_t line)
{
    struct observer *o = observer_of(l1);
    struct seen_line *l = lines_get(&o->lines, line);
    end_life(&o->tally, l);
    l->place = LEFT_KILLED;
}

static void see_part(struct l1_observer *l1, uint64_t line, uint8_t sectors)
{
    lines_get(&observer_of(l1)->lines, line)->used &= (uint8_t)~sectors; /* the next fetch of them can be used anew */
}

static void see_flush(struct l1_observer *l1)
{
    struct observer *o = observer_of(l1);
    for (uint32_t i = 0; i < o->lines.used; i++) {
        struct seen_line *l = &o->lines.line[i];
        if (l->place != THERE) continue;
        end_life(&o->tally, l);
        l->place = LEFT_FLUSHED;
    }
}

const struct l1_observer observer_calls = {see_request, see_prefetch, see_evict, see_kill, see_part, see_flush};

void observe_load(struct observer *o, const struct wl_load *l)
{
    struct load_class *c = &o->tally.load[l->requests > 2];
    unsigned n = l->missed;
    c->loads++;
    c->requests += l->requests;
    c->merged += l->merged;
    c->bypassed += l->bypassed;
    c->primary += n - l->merged - l->bypassed;
    c->mpli[n <= 2 ? n : n < 32 ? 3 : 4]++;
    c->partly_cached += n > 0 && n < l->requests;
    c->fully_missed += n == l->requests;
    struct load_record *row = loads_find(o->loads, l->pc);
    if (!row) return;
    row->loads++;
    row->divergent += l->requests > 2;
}

static void end_kernel(struct observer *o)
{
    for (uint32_t i = 0; i < o->lines.used; i++) {
        struct seen_line *l = &o->lines.line[i];
        end_infinite(o, l);
        o->tally.life.evicted_never_again += l->gone;
        l->gone = false;
        if (l->place == THERE) end_life(&o->tally, l);
    }
    lines_drop_reuse(&o->lines);
    o->requests = 0;
}

int profile_kernel_end(struct profile *p)
{
    for (uint32_t i = 0; i < p->sms; i++) end_kernel(&p->sm[i]);
    return insts_end(&p->insts, p->kernel);
}
