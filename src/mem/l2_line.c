/* l2_line.c - the lines of a slice: who gets a way, what is fetched into it, what is written back for it. */
#include "mem/l2_priv.h"

struct req *l2_make_down(struct l2 *s, const struct req *r, uint64_t line, uint8_t sectors, bool is_write)
{
    struct req *d = req_alloc(s->pool);
    req_clear(d);
    d->line = line;
    d->kind = is_write ? WL_WRITEBACK : WL_LOAD;
    d->cache = L2_SLICE;
    d->sectors = d->fetch = sectors;
    d->slice = (uint16_t)s->index;
    d->sm = r->sm;
    d->is_write = is_write;
    d->bank = r->bank;
    d->row = r->row;
    d->set = r->set;
    d->nvm = nvm_line(s->nvm, line);
    if (line != r->line) {
        addrmap_route(s->map, d);
        d->slice = (uint16_t)s->index; /* it is at home here */
        d->trip = TRIP_NONE;
    }
    return d;
}

/* ---- taking a line ---- */

enum l2_place l2_find_place(struct l2 *s, const struct wl_access *a, uint32_t sends, uint32_t *at)
{
    struct wl_set set = tags_view(&s->tags, a->set);
    int way = policy_victim(&s->pol, a, &set);
    if (way == WL_NO_WAY_BYPASS && a->kind != WL_ATOMIC) /* an atomic is performed in the L2 */
        return s->missq_used < s->missq_cap ? BYPASS : WAIT_MISSQ;
    if (way < 0) return WAIT_LINE;
    *at = a->set * s->tags.ways + (uint32_t)way;
    uint32_t victim = s->worst || s->tags.sectors[*at].dirty;
    return s->missq_used + sends + victim > s->missq_cap ? WAIT_MISSQ : TAKE;
}

static void forget_stores(struct l2 *s, uint32_t at)
{
    if (!s->tags.sectors[at].stored) return; /* `written` need not be touched */
    s->tags.sectors[at].stored = false;
    s->written[at][0] = s->written[at][1] = 0;
}

/* Reports to the policy that the line at `at` leaves and that the access takes its way. */
static void report_take(struct l2 *s, const struct wl_access *a, uint32_t at)
{
    const struct tags *t = &s->tags;
    uint32_t way = at - a->set * t->ways;
    if (s->pol.policy->on_leave && WL_STATE(t->state[at]) == WL_VALID) {
        const struct wl_line gone = {a->set, way, t->line[at], t->state[at]};
        policy_leave(&s->pol, &gone, WL_EVICTED, a);
    }
    policy_access(&s->pol, a, WL_MISSED, (int)way);
}

void l2_take_line(struct l2 *s, const struct req *r, const struct wl_access *a, uint32_t at)
{
    struct tags *t = &s->tags;
    WL_ASSERT(WL_STATE(t->state[at]) != WL_RESERVED && t->sectors[at].mshr == NO_MSHR && !t->sectors[at].pending);
    report_take(s, a, at);
    if (WL_STATE(t->state[at]) == WL_VALID) {
        s->stats.evictions++;
        if (t->sectors[at].dirty) {
            struct req *w = l2_make_down(s, r, t->line[at], s->sectored ? t->sectors[at].dirty : ALL_SECTORS, true);
            s->stats.writebacks += l2_weight(s, w->sectors);
            if (w->nvm) s->stats.writebacks_nvm += l2_weight(s, w->sectors);
            if (a->kind == WL_LOAD || a->kind == WL_ATOMIC) s->moved = LINE_SECTORS; /* a store reads it out for free */
            l2_send(s, w);
        }
    }
    tags_take(t, a->set, at, r->line);
    forget_stores(s, at);
    t->sectors[at] = (struct line_sectors){.mshr = NO_MSHR};
    t->state[at] = l2_line_state(t, at, r->nvm);
}

void l2_start_fetch(struct l2 *s, struct req *f, uint32_t at, uint8_t sectors)
{
    s->tags.sectors[at].pending |= sectors;
    s->tags.state[at] = l2_line_state(&s->tags, at, f->nvm);
    f->l2_mshr = (uint16_t)s->tags.sectors[at].mshr;
    f->fetch = sectors;
    f->answer = ANSWER_DRAM;
    s->mshr_sectors += l2_weight(s, sectors);
    s->stats.fetches += l2_weight(s, sectors);
    l2_send(s, f);
}

/* ---- copies of the host ---- */

void l2_host_copy(struct l2 *s, uint64_t line, uint32_t set, uint8_t sectors, tick_t now)
{
    struct tags *t = &s->tags;
    struct req r = {.line = line, .kind = WL_STORE, .sectors = sectors, .nvm = nvm_line(s->nvm, line)};
    struct wl_access a;
    l2_describe_access(s, &r, set, now, &a);
    int found = tags_find(t, set, line);
    if (found >= 0 && t->sectors[found].pending) return; /* a kernel runs, and is about to get what it asked for */
    if (found >= 0) {
        l2_touch(s, &a, (uint32_t)found, false);
        t->sectors[found].valid |= s->sectored ? sectors : ALL_SECTORS;
        return;
    }
    struct wl_set ways = tags_view(t, set);
    int way = policy_victim(&s->pol, &a, &ways);
    if (way < 0) return;
    uint32_t at = set * t->ways + (uint32_t)way;
    report_take(s, &a, at);
    tags_take(t, set, at, line);
    t->sectors[at].valid = s->sectored ? sectors : ALL_SECTORS;
    t->sectors[at].dirty = t->sectors[at].pending = 0;
    forget_stores(s, at);
    t->state[at] = l2_line_state(t, at, r.nvm);
}
