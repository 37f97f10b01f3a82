/* l2_write.c - stores at the tags of a slice: hits, misses as l2.write says, and what goes on to memory. */
#include "mem/l2_priv.h"

/* Marks the store's bytes; a sector that is now wholly written is as good as fetched. */
static void write_bytes(struct l2 *s, uint32_t at, const struct req *r)
{
    uint64_t *w = s->written[at];
    s->tags.sectors[at].stored = true;
    w[0] |= r->bytes[0];
    w[1] |= r->bytes[1];
    for (unsigned i = 0; i < LINE_SECTORS; i++) {
        uint32_t bytes = (uint32_t)(w[i >> 1] >> (32 * (i & 1)));
        if (bytes == UINT32_MAX && !(s->tags.sectors[at].pending >> i & 1))
            s->tags.sectors[at].valid |= (uint8_t)(1u << i);
    }
    l2_mark_dirty(s, at, r->sectors, r->nvm);
}

/* Acknowledges a store; write-backs of an L1 want no answer. */
static void finish_write(struct l2 *s, struct req *r, tick_t now)
{
    if (r->kind == WL_WRITEBACK) req_free(s->pool, r);
    else l2_reply(s, r, now);
}

/* Whether the store is acknowledged when memory has written it: then it goes there itself. */
static bool goes_itself(const struct l2 *s, const struct req *r) { return s->late_ack && r->kind == WL_STORE; }

/* Memory gets the sectors that the store touches. */
static void pass_on(struct l2 *s, struct req *r)
{
    if (!goes_itself(s, r)) {
        l2_send(s, l2_make_down(s, r, r->line, r->sectors, true));
        return;
    }
    r->is_write = true;
    r->fetch = r->sectors;
    l2_send(s, r);
}

/* The policy wants no line for this store: memory gets the sectors it touches. */
static void bypass_write(struct l2 *s, struct req *r, const struct wl_access *a)
{
    policy_access(&s->pol, a, WL_BYPASSED, -1);
    l2_count(s, r, (struct l2_shares){.bypassed = l2_weight(s, l2_wanted(s, r))});
    s->stats.bypassed_write_bytes += bit_count32(r->sectors) * SECTOR_BYTES;
    pass_on(s, r);
}

/* The store takes line `at`; `fetch`: the line is read too. */
static void write_new_line(struct l2 *s, struct req *r, const struct wl_access *a, uint32_t at, bool fetch,
                           bool covered)
{
    l2_take_line(s, r, a, at);
    if (s->write == L2_FORWARD) { /* memory gets the store at once; the line is then clean */
        s->stats.forwarded_writes += l2_weight(s, r->sectors);
        pass_on(s, r);
    }
    if (fetch) {
        s->tags.sectors[at].mshr = mshr_alloc(&s->mshr, at);
        s->mshr.entry[s->tags.sectors[at].mshr].count = s->forward_pending; /* its own fetch takes a place to merge */
        l2_start_fetch(s, l2_make_down(s, r, r->line, l2_wanted(s, r), false), at, l2_wanted(s, r));
    }
    if (s->write != L2_FORWARD) write_bytes(s, at, r);
    if (s->write == L2_FETCH && covered) s->tags.sectors[at].valid = ALL_SECTORS;
    l2_count(s, r, (struct l2_shares){.misses = l2_weight(s, l2_wanted(s, r))});
}

static enum l2_stall write_miss(struct l2 *s, struct req *r, const struct wl_access *a)
{
    /* A whole line needs no fetch; neither does the lazy policy, until the line is read. */
    bool covered = (r->bytes[0] & r->bytes[1]) == UINT64_MAX;
    bool fetch = s->write == L2_FORWARD || (s->write == L2_FETCH && !covered);
    uint32_t sends = (fetch ? 1u : 0u) + (s->write == L2_FORWARD ? 1u : 0u), at;
    if (fetch && (s->mshr_sectors + l2_weight(s, l2_wanted(s, r)) > s->mshr_limit || mshr_full(&s->mshr)))
        return L2_STALL_MSHR;
    switch (l2_find_place(s, a, sends, &at)) {
    case WAIT_LINE: return L2_STALL_LINE;
    case WAIT_MISSQ: return L2_STALL_MISSQ;
    case BYPASS: bypass_write(s, r, a); break;
    case TAKE: write_new_line(s, r, a, at, fetch, covered); break;
    }
    return L2_GO;
}

/* A store to a line that is being fetched, treated as a miss: memory gets it, and a read that nobody wants waits
 * with the others for the line. */
static enum l2_stall write_pending(struct l2 *s, struct req *r, const struct wl_access *a, uint32_t at)
{
    uint32_t m = s->tags.sectors[at].mshr;
    if (!mshr_can_merge(&s->mshr, m)) return L2_STALL_MERGE;
    if (s->missq_used + (s->worst ? 3 : 1) > s->missq_cap) return L2_STALL_MISSQ;
    l2_touch(s, a, at, true);
    s->stats.forwarded_writes += l2_weight(s, r->sectors);
    l2_count(s, r, (struct l2_shares){.merged = l2_weight(s, l2_wanted(s, r))});
    mshr_wait(&s->mshr, m, l2_make_down(s, r, r->line, ALL_SECTORS, false));
    pass_on(s, r);
    return L2_GO;
}

enum l2_stall l2_write_line(struct l2 *s, struct req *r, const struct wl_access *a, int at, tick_t now)
{
    enum l2_stall why = L2_GO;
    bool passed = true; /* on to memory */
    if (at >= 0 && s->forward_pending && s->tags.sectors[at].pending) {
        why = write_pending(s, r, a, (uint32_t)at);
    } else if (at >= 0) {
        if (s->await_pending && s->tags.sectors[at].pending & r->sectors) return L2_STALL_LINE;
        s->moved = (uint8_t)bit_count32(r->sectors);
        l2_touch(s, a, (uint32_t)at, s->tags.sectors[at].pending != 0);
        write_bytes(s, (uint32_t)at, r);
        l2_count(s, r, (struct l2_shares){.hits = l2_weight(s, l2_wanted(s, r))});
        passed = false;
    } else {
        why = write_miss(s, r, a);
    }
    if (why != L2_GO) return why;
    if (!(passed && r->is_write)) finish_write(s, r, now);
    return L2_GO;
}
