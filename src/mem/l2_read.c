/* l2_read.c - reads and atomics of a slice that do not find all their data. */
#include "mem/l2_halves.h"
#include "mem/l2_priv.h"

/* ---- reads without a line ---- */

/* The policy wants no line for this read: it goes to memory and back alone, in an MSHR entry
 * that has no place in the tags; reads of the same line that come later join it there. */
static void bypass_read(struct l2 *s, struct req *r, const struct wl_access *a)
{
    policy_access(&s->pol, a, WL_BYPASSED, -1);
    r->fetch = l2_wanted(s, r);
    r->answer = ANSWER_DRAM;
    r->l2_mshr = (uint16_t)mshr_alloc(&s->mshr, NO_PLACE);
    struct mshr_entry *m = &s->mshr.entry[r->l2_mshr];
    m->count = 1;
    m->line = r->line;
    m->sectors = r->fetch;
    m->next_bypass = s->bypassing[r->set];
    s->bypassing[r->set] = r->l2_mshr;
    s->bypassing_used++;
    s->mshr_sectors += l2_weight(s, r->fetch);
    l2_count(s, r, (struct l2_shares){.bypassed = l2_weight(s, r->fetch)});
    l2_send(s, r);
}

/* The entry without a line that brings all the read wants, or NO_MSHR. */
static uint32_t find_bypassing(const struct l2 *s, const struct req *r)
{
    uint8_t want = l2_wanted(s, r);
    uint32_t m = r->kind == WL_LOAD ? s->bypassing[r->set] : NO_MSHR;
    while (m != NO_MSHR && (s->mshr.entry[m].line != r->line || want & ~s->mshr.entry[m].sectors))
        m = s->mshr.entry[m].next_bypass;
    return m;
}

void l2_fill_bypassed(struct l2 *s, struct req *f)
{
    uint32_t m = f->l2_mshr, *link = &s->bypassing[f->set];
    while (*link != m) link = &s->mshr.entry[*link].next_bypass;
    *link = s->mshr.entry[m].next_bypass;
    s->bypassing_used--;
    s->mshr_sectors -= l2_weight(s, f->fetch);
    list_push(&s->done, f);
    list_join(&s->done, &s->mshr.entry[m].waiting);
    mshr_release(&s->mshr, m);
}

/* ---- reads and atomics at the tags ---- */

/* What a read meets that does not hit, and what it needs. */
enum found { FOUND_BYPASSING, FOUND_LINE /* but not all the data */, FOUND_NOTHING };
struct lookup {
    enum found found;
    uint32_t at;     /* the line, if there is one */
    uint32_t entry;  /* the MSHR entry to wait in, or NO_MSHR */
    uint8_t want;    /* sectors the read is about */
    uint8_t missing; /* those of `want` that the line does not have */
    uint8_t fetch;   /* sectors the read has to fetch itself */
    bool far;        /* they come from the other half of the L2 */
};

/* The sectors of a fetch with their neighbours, as far as those are neither there nor on their way. */
static uint8_t l2_promoted(const struct l2 *s, uint8_t fetch, const struct line_sectors *l)
{
    uint8_t all = fetch;
    if (s->promote >= 2) all |= (uint8_t)((fetch & 5) << 1 | (fetch & 10) >> 1);
    if (s->promote == 4 && fetch) all = ALL_SECTORS;
    return l ? (uint8_t)(fetch | (all & ~(l->valid | l->pending | l->dirty))) : all;
}

static struct lookup look_up(const struct l2 *s, const struct req *r, int at)
{
    struct lookup k = {.found = FOUND_NOTHING, .at = (uint32_t)at, .entry = NO_MSHR, .want = l2_wanted(s, r)};
    k.far = r->trip == TRIP_FAR;
    const struct line_sectors *l = at < 0 ? NULL : &s->tags.sectors[at];
    if (!l && s->bypassing_used) k.entry = find_bypassing(s, r);
    if (k.entry != NO_MSHR) {
        k.found = FOUND_BYPASSING;
        return k;
    }
    k.missing = l ? (uint8_t)(k.want & ~l->valid) : k.want;
    k.fetch = l ? (uint8_t)(k.missing & ~l->pending) : k.missing;
    if (k.fetch && !s->sectored) k.fetch = ALL_SECTORS; /* even if stores have covered some of it */
    if (s->promote > 1) k.fetch = l2_promoted(s, k.fetch, l);
    if (l) k.found = FOUND_LINE, k.entry = l->mshr;
    return k;
}

/* Whether one more read may wait in the entry that the lookup found; a sector of its own is no merge. */
static bool can_merge(const struct l2 *s, const struct lookup *k)
{
    if (!s->by_sector || k->found != FOUND_LINE) return mshr_can_merge(&s->mshr, k->entry);
    return k->fetch || mshr_can_join(&s->mshr, k->entry, k->missing);
}

/* Whether MSHRs and their room to merge allow what the lookup found. */
static enum l2_stall check_mshr(const struct l2 *s, const struct lookup *k)
{
    if (k->entry != NO_MSHR && !can_merge(s, k)) return L2_STALL_MERGE;
    bool full =
        s->mshr_sectors + l2_weight(s, k->fetch) > s->mshr_limit || (k->entry == NO_MSHR && mshr_full(&s->mshr));
    if (k->far && !full) full = !l2_half_may_ask(s, l2_weight(s, k->fetch));
    return k->fetch && full ? L2_STALL_MSHR : L2_GO;
}

/* Of the sectors that are on their way already, those that came along with a neighbour and that nobody has asked for:
 * the first read of one counts as a miss; not in an L2 of two halves, whose counters are those of an H200
 * (docs/fidelity-h200.md). */
static uint8_t unasked(const struct l2 *s, struct mshr_entry *m, const struct lookup *k)
{
    if (s->promote < 2 || s->half) return 0;
    uint8_t first = (uint8_t)(k->missing & ~k->fetch & ~m->sectors);
    m->sectors |= k->missing;
    return first;
}

/* The read waits for its data at line `at`, and fetches what is not on its way. */
static void l2_await(struct l2 *s, struct req *r, const struct lookup *k, uint32_t at)
{
    struct line_sectors *l = &s->tags.sectors[at];
    if (l->mshr == NO_MSHR) l->mshr = mshr_alloc(&s->mshr, at);
    if (k->fetch) { /* it fetches its own sectors; requests that merge with it wait in the entry */
        s->mshr.entry[l->mshr].count++;
        if (s->by_sector) mshr_begin_sectors(&s->mshr, l->mshr, k->fetch);
        if (k->far) l2_half_ask(s, r, at, k->fetch);
        else l2_start_fetch(s, r, at, k->fetch);
    } else {
        if (s->by_sector) mshr_join(&s->mshr, l->mshr, k->missing, r);
        else mshr_wait(&s->mshr, l->mshr, r);
        r->answer = ANSWER_IN_FLIGHT;
    }
    if (s->sectored) { /* what a fetch brings along was not asked for */
        uint8_t first = unasked(s, &s->mshr.entry[l->mshr], k);
        l2_count(s, r,
                 (struct l2_shares){.hits = l2_weight(s, (uint8_t)(k->want & ~k->missing)),
                                    .merged = l2_weight(s, (uint8_t)(k->missing & ~k->fetch & ~first)),
                                    .misses = l2_weight(s, (uint8_t)((k->missing & k->fetch) | first))});
    } else l2_count(s, r, (struct l2_shares){.merged = !k->fetch, .misses = k->fetch != 0});
}

/* A far line of which no copy is to be kept. */
static void read_across(struct l2 *s, struct req *r, const struct wl_access *a)
{
    policy_access(&s->pol, a, WL_BYPASSED, -1);
    l2_count(s, r, (struct l2_shares){.misses = l2_weight(s, l2_wanted(s, r))});
    l2_half_pass(s, r);
}

static enum l2_stall read_new_line(struct l2 *s, struct req *r, const struct wl_access *a, const struct lookup *k)
{
    uint32_t at;
    enum l2_place place = k->far && !l2_half_may_keep(s, a->set) ? BYPASS : l2_find_place(s, a, 1, &at);
    switch (place) {
    case WAIT_LINE: return L2_STALL_LINE;
    case WAIT_MISSQ: return L2_STALL_MISSQ;
    case BYPASS: k->far ? read_across(s, r, a) : bypass_read(s, r, a); return L2_GO;
    case TAKE: break;
    }
    l2_take_line(s, r, a, at);
    l2_await(s, r, k, at);
    return L2_GO;
}

enum l2_stall l2_read_miss(struct l2 *s, struct req *r, const struct wl_access *a, int at)
{
    struct lookup k = look_up(s, r, at);
    enum l2_stall why = check_mshr(s, &k);
    if (why != L2_GO) return why;
    switch (k.found) {
    case FOUND_BYPASSING:
        mshr_wait(&s->mshr, k.entry, r);
        r->answer = ANSWER_IN_FLIGHT;
        l2_count(s, r, (struct l2_shares){.merged = l2_weight(s, k.want)});
        break;
    case FOUND_LINE:
        if ((k.fetch || s->worst) && s->missq_used + 1 + s->worst > s->missq_cap) return L2_STALL_MISSQ;
        l2_touch(s, a, k.at, true);
        l2_await(s, r, &k, k.at);
        break;
    case FOUND_NOTHING: return read_new_line(s, r, a, &k);
    }
    return L2_GO;
}
