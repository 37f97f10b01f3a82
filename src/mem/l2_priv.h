/* l2_priv.h - what the rooms of a slice share: l2.c (the cycle, fills and replies), l2_entry.c (from the network to the
 * tags), l2_read.c and l2_write.c (lookups, misses), l2_line.c (ways, fetches, write-backs). */
#ifndef WL_MEM_L2_PRIV_H
#define WL_MEM_L2_PRIV_H

#include "mem/l2.h"
#include "mem/net.h"

/* ---- small helpers ---- */

static inline uint8_t l2_line_state(const struct tags *t, uint32_t at, bool nvm)
{
    unsigned st = t->sectors[at].pending ? WL_RESERVED : WL_VALID;
    return (uint8_t)(st | (t->sectors[at].dirty ? WL_DIRTY : 0) | (nvm ? WL_NVM : 0));
}

static inline void l2_describe_access(const struct l2 *s, const struct req *r, uint32_t set, tick_t now,
                                      struct wl_access *a)
{
    *a = (struct wl_access){.line = r->line,
                            .cycle = part_cycles(&s->part, now),
                            .set = set,
                            .pc = r->pc,
                            .cta = UINT32_MAX,
                            .warp = r->warp,
                            .rank = r->rank,
                            .kind = r->kind,
                            .space = r->space,
                            .sectors = r->sectors,
                            .lanes = r->lanes,
                            .number = r->number,
                            .sm = r->sm,
                            .nvm = r->nvm,
                            .note = r->note,
                            .bytes = r->bytes};
}

static inline void l2_send(struct l2 *s, struct req *r)
{
    WL_ASSERT(s->missq_used < s->missq_cap);
    list_push(&s->missq, r);
    s->missq_used++;
}

/* What became of an access, in sectors (or lines when not sectored). */
struct l2_shares {
    uint32_t hits, merged, misses, bypassed;
};

/* Counts what l2.halves adds; true: the access was a read's second one, at the home of its line, and nothing else. */
bool l2_count_crossing(struct l2 *s, const struct req *r, struct l2_shares n);

/* The one place where accepted accesses are counted. */
static inline void l2_count(struct l2 *s, const struct req *r, struct l2_shares n)
{
    if (r->trip && l2_count_crossing(s, r, n)) return;
    struct l2_stats *st = &s->stats;
    uint32_t all = n.hits + n.merged + n.misses + n.bypassed;
    st->accesses += all;
    st->hits += n.hits;
    st->hits_reserved += n.merged;
    st->misses += n.misses;
    st->bypasses += n.bypassed;
    if (s->observer)
        s->observer->access(s->observer, r,
                            n.misses || n.bypassed ? L2_LACKED_IT
                            : n.merged             ? L2_AWAITS_IT
                                                   : L2_HAD_IT);
    if (r->kind == WL_LOAD) {
        st->reads += all;
        if (r->cache <= L1_TEXTURE) st->data_reads += all, st->data_misses += n.misses;
    } else if (r->kind == WL_ATOMIC) st->atomics += all;
    else st->writes += all, st->write_hits += n.hits, st->write_merges += n.merged, st->bypassed_writes += n.bypassed;
    if (!r->nvm) return;
    st->nvm_accesses += all;
    st->nvm_misses += n.misses;
    st->nvm_bypasses += n.bypassed;
}

/* The sectors an access is about: those it names, or the whole line. */
static inline uint8_t l2_wanted(const struct l2 *s, const struct req *r)
{
    return s->sectored ? r->sectors : ALL_SECTORS;
}

static inline void l2_touch(struct l2 *s, const struct wl_access *a, uint32_t at, bool merged)
{
    policy_access(&s->pol, a, merged ? WL_MERGED : WL_HIT, (int)(at - a->set * s->tags.ways));
}

static inline void l2_mark_dirty(struct l2 *s, uint32_t at, uint8_t sectors, bool nvm)
{
    s->tags.sectors[at].dirty |= sectors;
    s->tags.state[at] = l2_line_state(&s->tags, at, nvm);
}

/* ---- answers and fetches ---- */

static inline bool l2_reply_fits(struct l2 *s, tick_t now)
{
    return s->outq_cap ? s->outq_used < s->outq_cap : port_can_push(s->out, now);
}

/* A request of the other half is answered to there (l2_halves.c). */
void l2_half_return(struct l2 *s, struct req *r, tick_t now);

static inline void l2_reply(struct l2 *s, struct req *r, tick_t now)
{
    if (r->trip == TRIP_CROSSED) {
        l2_half_return(s, r, now);
        return;
    }
    r->is_reply = true;
    if (!s->outq_cap) {
        s->reply_at = s->spaced ? tick_max(now, s->reply_at + s->part.period) : now;
        port_push_after(s->out, r, s->reply_at);
        return;
    }
    list_push(&s->outq, r);
    s->outq_used++;
}

/* Lets those of the entry's requests answer whose sectors have all arrived (l2.c). */
void l2_release_waiting(struct l2 *s, uint32_t m, uint32_t at);

/* ---- l2_line.c ---- */

/* Where a line that is not there may go. */
enum l2_place { TAKE, BYPASS, WAIT_LINE, WAIT_MISSQ };

/* Finds a way for the request, which sends so many messages down; *at is its index. Nothing changes yet. */
enum l2_place l2_find_place(struct l2 *s, const struct wl_access *a, uint32_t sends, uint32_t *at);
/* The line at `at`, which may have to be written back, makes room for the request's. */
void l2_take_line(struct l2 *s, const struct req *r, const struct wl_access *a, uint32_t at);
/* A message to memory, made for the request or for the line that leaves for it. */
struct req *l2_make_down(struct l2 *s, const struct req *r, uint64_t line, uint8_t sectors, bool is_write);
/* Request f fetches `sectors` of the line at `at`, whose MSHR entry exists. */
void l2_start_fetch(struct l2 *s, struct req *f, uint32_t at, uint8_t sectors);

/* ---- l2_read.c ---- */

/* A read or an atomic that does not find all its data; `at` is its line, or -1. */
enum l2_stall l2_read_miss(struct l2 *s, struct req *r, const struct wl_access *a, int at);
/* The data of a read without a line arrived. */
void l2_fill_bypassed(struct l2 *s, struct req *f);

/* ---- l2_write.c ---- */

/* A store or a write-back of an L1. */
enum l2_stall l2_write_line(struct l2 *s, struct req *r, const struct wl_access *a, int at, tick_t now);

/* ---- l2_entry.c ---- */

/* What has left the pipeline for the queue by this edge, and all that has entered it. */
void l2_leave_pipeline(struct l2 *s, tick_t now);
void l2_settle_entries(struct l2 *s, tick_t now);
/* When a request can move towards the tags; one that cannot for want of room moves after an access. */
tick_t l2_next_entry(const struct l2 *s);

#endif
