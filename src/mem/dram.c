/* dram.c - a memory channel, command by command; dram.h has the idea, dram_build.c how one is made. */
#include "mem/dram.h"

#include <stdio.h>

enum mem_zero { ZERO_NONE, ZERO_NVM_WRITE, ZERO_NVM_READ, ZERO_DRAM_WRITE, ZERO_DRAM_READ };

/* ---- from the L2 to the scheduling queue ---- */

static void set_bit(uint64_t m[2], uint32_t b) { m[b >> 6] |= bit64(b & 63); }
static void clear_bit(uint64_t m[2], uint32_t b) { m[b >> 6] &= ~bit64(b & 63); }

/* The request's slice, of those of the channel. */
static inline uint32_t slice_of(const struct dram *d, const struct req *r)
{
    return d->slice_mask ? r->slice & d->slice_mask : r->slice % d->slices;
}

static bool takes_no_time(const struct dram *d, const struct req *r)
{
    unsigned kind =
        r->nvm ? (r->is_write ? ZERO_NVM_WRITE : ZERO_NVM_READ) : (r->is_write ? ZERO_DRAM_WRITE : ZERO_DRAM_READ);
    return d->zero == kind;
}

/* Whether the L2 gets an answer: reads, and stores whose acknowledgement waits for their data to be written. */
static bool is_answered(const struct req *r) { return !r->is_write || r->kind == WL_STORE; }

/* mem.feed = gated: each slice may have one request under way; more share the rest. */
static void lend(struct dram *d, uint32_t slice)
{
    if (d->own[slice]) d->shared++;
    else d->own[slice] = 1;
}

static void give_back(struct dram *d, uint32_t slice)
{
    WL_ASSERT(d->own[slice] || d->shared);
    if (d->own[slice]) d->own[slice] = 0;
    else d->shared--;
}

/* An answer arrives at the L2 at `data_at`; find_bank made sure that there is room. */
static void dram_finish(struct dram *d, struct req *r, tick_t data_at)
{
    uint32_t slice = slice_of(d, r);
    if (d->gated) give_back(d, slice);
    if (r->is_write) {
        if (is_answered(r)) port_push_after(d->out[slice], r, data_at);
        else req_free(d->pool, r);
        return;
    }
    uint64_t cycles = part_cycles(&d->part, data_at - r->ready);
    d->stats.read_requests++;
    d->stats.read_cycles += cycles;
    if (r->nvm) d->stats.nvm_read_requests++, d->stats.nvm_read_cycles += cycles;
    port_push_after(d->out[slice], r, data_at);
}

static void count_wear(struct dram *d, uint64_t line)
{
    d->stats.nvm_line_writes++;
    uint64_t n = wear_count(&d->wear, line);
    if (n > d->stats.nvm_line_writes_max) d->stats.nvm_line_writes_max = n;
    d->stats.nvm_lines_written += n == 1;
    d->stats.nvm_line_writes_untracked += n == 0;
}

/* The gates: columns and precharges are limited per bank group, activates per kind of memory. */
enum { GATES = 32, NVM_GATE = 16 };

static tick_t *gate_for(struct dram *d, enum dram_command c, unsigned group, bool nvm)
{
    unsigned lane = c == DRAM_ACTIVATE ? 0 : group;
    return &d->gate[(unsigned)c * GATES + lane + (nvm && c >= DRAM_ACTIVATE ? NVM_GATE : 0)];
}

/* Works out what bank i needs next, after its request or its row changed. */
static void plan_bank(struct dram *d, uint32_t i)
{
    struct dram_bank *b = &d->bank[i];
    enum dram_command c = !b->open                    ? DRAM_ACTIVATE
                          : b->row != b->current->row ? DRAM_PRECHARGE
                          : b->current->is_write      ? DRAM_WRITE
                                                      : DRAM_READ;
    d->command[i] = (uint8_t)c;
    d->when[i] = b->ok[c];
    d->gate_of[i] = (uint8_t)(gate_for(d, c, b->group, b->nvm) - d->gate);
}

/* The bank's next request; its first command is issued at `soonest` or later. */
static void bank_start(struct dram *d, uint32_t i, struct req *r, tick_t soonest)
{
    struct dram_bank *b = &d->bank[i];
    b->current = r;
    d->queued -= d->waiting_only;
    if (b->open && b->row == r->row) d->stats.row_hits++;
    set_bit(d->busy, i);
    plan_bank(d, i);
    tick_t at = tick_max(soonest, tick_max(d->when[i], d->gate[d->gate_of[i]]));
    d->next_command = tick_min(d->next_command, at);
}

static void dram_enqueue(struct dram *d, struct req *r, tick_t now)
{
    uint32_t bytes = bit_count32(r->fetch) * SECTOR_BYTES;
    /* A sectored L2 reads sector by sector, each a whole atom; it writes back what it has at once. */
    r->commands =
        (uint8_t)(d->sectored && !r->is_write ? bit_count32(r->fetch) : (bytes + d->atom_bytes - 1) / d->atom_bytes);
    if (r->nvm) r->bank = (uint8_t)(r->bank + d->banks);
    if (r->nvm && r->is_write) count_wear(d, r->line);
    r->ready = now;
    d->stats.requests++;
    if (r->is_write) d->stats.write_bytes += bytes;
    else d->stats.read_bytes += bytes;
    if (takes_no_time(d, r)) { /* it may overtake requests that take time; answers leave the port in order */
        dram_finish(d, r, now);
        return;
    }
    d->queued++;
    WL_ASSERT(r->bank < d->total_banks && d->queued <= d->queue_cap);
    struct dram_bank *b = &d->bank[r->bank];
    if (!b->current && !b->queue.head && !d->turn_rows) { /* no other request waits for this bank */
        bank_start(d, r->bank, r, now + d->part.period);
        return;
    }
    list_push(&b->queue, r);
    if (!b->current) set_bit(d->backlog, r->bank);
}

/* A read that takes no time answers at once and needs room for that; a pop at the port wakes the channel. */
static bool can_take(struct dram *d, const struct req *r, tick_t now)
{
    return !is_answered(r) || !takes_no_time(d, r) || port_can_push(d->out[slice_of(d, r)], now);
}

/* The slice whose turn it is, and the others after it, counted from 1. */
static uint32_t nth_slice(const struct dram *d, uint32_t n)
{
    return d->last_slice + n < d->slices ? d->last_slice + n : d->last_slice + n - d->slices;
}

static void find_arrival(struct dram *d)
{
    tick_t first = NEVER;
    for (uint32_t i = 0; i < d->slices; i++) first = tick_min(first, d->in[i].visible_at);
    d->arrival = first == NEVER ? NEVER : part_edge_after(&d->part, first - 1);
}

/* One request per cycle, slices in turn, while the queue has room. */
static void dram_accept(struct dram *d, tick_t now)
{
    if (d->arrival > now || d->queued >= d->queue_cap) return;
    for (uint32_t i = 1; i <= d->slices; i++) {
        uint32_t s = nth_slice(d, i);
        struct req *r = port_peek(&d->in[s], now);
        if (!r || !can_take(d, r, now)) continue;
        port_pop(&d->in[s], now);
        d->last_slice = s;
        find_arrival(d);
        dram_enqueue(d, r, now);
        return;
    }
}

/* ---- the same, mem.feed = gated ---- */

/* Whether all places for answers are taken that the slice has behind the return queue. Answers that have not left
 * the return queue yet are in the port too, dated; what was taken at this very tick is there for the next. */
static bool answers_full(struct dram *d, uint32_t slice, tick_t now)
{
    struct port *p = d->out[slice];
    uint32_t arrived = p->freed_at == now ? p->freed : 0;
    if (arrived + p->used < d->fillq) return false;
    for (const struct req *r = p->list.head; r && r->ready < now; r = r->next) arrived++;
    if (arrived < d->fillq) return false;
    if (p->freed_at == now) part_wake_after(&d->part, now);
    else p->producer_waits = true;
    return true;
}

static bool may_feed(struct dram *d, uint32_t slice, tick_t now)
{
    return (!d->own[slice] || d->shared < d->shared_cap) && !answers_full(d, slice, now);
}

/* One request per cycle enters the delay, slices in turn. */
static void enter_line(struct dram *d, tick_t now)
{
    for (uint32_t i = 1; i <= d->slices; i++) {
        uint32_t s = nth_slice(d, i);
        struct req *r = port_peek(&d->in[s], now);
        if (!r || !may_feed(d, s, now)) continue;
        port_pop(&d->in[s], now);
        lend(d, s);
        d->last_slice = s;
        /* The cycle of that clock that has begun is number `cycle`; the request leaves in one that has a higher
         * number by the delay. */
        uint64_t cycle = (now + d->delay_period - 1) / d->delay_period;
        r->ready = (cycle + d->delay_cycles) * d->delay_period - d->delay_period;
        list_push(&d->line, r);
        return;
    }
}

static void feed(struct dram *d, tick_t now)
{
    if (d->queued >= d->queue_cap) return;
    enter_line(d, now);
    struct req *r = d->line.head;
    if (!r || r->ready >= now || !can_take(d, r, now)) return;
    dram_enqueue(d, list_pop(&d->line), now);
}

/* When a request can move on, if nothing else happens in the channel. */
static tick_t next_feed(struct dram *d, tick_t now)
{
    if (d->queued >= d->queue_cap) return NEVER;
    tick_t next = d->line.head ? d->line.head->ready + 1 : NEVER;
    for (uint32_t i = 0; i < d->slices; i++)
        if (d->in[i].visible_at < next && may_feed(d, i, now)) next = d->in[i].visible_at;
    return tick_max(next, now + 1);
}

/* ---- choosing requests ---- */

/* The oldest request for the open row, else the oldest. */
static struct req *bank_choose(struct dram *d, struct dram_bank *b)
{
    struct req **link = &b->queue.head;
    WL_ASSERT(*link); /* a bank in the backlog has requests */
    if (b->open && !d->fifo) {
        while (*link && (*link)->row != b->row) link = &(*link)->next;
        if (!*link) link = &b->queue.head;
    }
    struct req *r = *link;
    *link = r->next;
    if (!*link) b->queue.tail = link; /* it was the last */
    if (!b->queue.head) b->queue.tail = &b->queue.head;
    return r;
}

/* dram.turn = rows: one bank takes a request, the first from `turn` on that can. */
static void fill_bank(struct dram *d, tick_t now)
{
    uint32_t i = d->turn;
    while (!(d->backlog[i >> 6] >> (i & 63) & 1)) i = i + 1 == d->total_banks ? 0 : i + 1;
    clear_bit(d->backlog, i);
    bank_start(d, i, bank_choose(d, &d->bank[i]), now);
    d->turn = d->turn + 1 == d->total_banks ? 0 : d->turn + 1;
}

static void fill_banks(struct dram *d, tick_t now)
{
    if (d->turn_rows) {
        fill_bank(d, now);
        return;
    }
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t m = d->backlog[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            bank_start(d, i, bank_choose(d, &d->bank[i]), now);
        }
        d->backlog[w] = 0;
    }
}

/* ---- commands ---- */

static void raise_to(tick_t *t, tick_t to) { *t = tick_max(*t, to); }

/* After column commands of which the last was at `last`: the next of either direction, in the same
 * group and in the others. */
static void gate_columns(struct dram *d, unsigned group, bool write, tick_t last)
{
    const struct dram_timing *t = &d->t;
    tick_t read_at = last + tick_max(t->ccd, write ? t->wtr : 0),
           write_at = last + tick_max(t->ccd, write ? 0 : t->rtw);
    for (unsigned g = 0; g < d->groups; g++) {
        raise_to(gate_for(d, DRAM_READ, g, false), read_at);
        raise_to(gate_for(d, DRAM_WRITE, g, false), write_at);
    }
    raise_to(gate_for(d, DRAM_READ, group, false), last + t->ccdl);
    raise_to(gate_for(d, DRAM_WRITE, group, false), last + t->ccdl);
    if (write) return;
    raise_to(gate_for(d, DRAM_PRECHARGE, group, false), last + t->rtpl);
    raise_to(gate_for(d, DRAM_PRECHARGE, group, true), last + t->rtpl);
}

/* All column commands of a request, tCCD apart. That its own bank group would ask for tCCDL is left
 * out on purpose: in a busy channel other groups fill those gaps, in an idle one it is one cycle per
 * command; and one step instead of four is a third of the simulator's time in memory-bound code. */
static void issue_columns(struct dram *d, uint32_t i, tick_t now)
{
    struct dram_bank *b = &d->bank[i];
    struct req *r = b->current;
    const struct dram_timing *t = &d->t;
    WL_ASSERT(r->commands && b->open && b->row == r->row);
    uint32_t n = d->single ? 1 : r->commands;
    tick_t last = now + (n - 1u) * t->ccd;
    gate_columns(d, b->group, r->is_write, last);
    raise_to(&b->ok[DRAM_PRECHARGE], last + (r->is_write ? t->wtp : t->rtp));
    if (r->is_write) {
        b->written = true;
        d->stats.writes += n;
        if (r->nvm) d->stats.nvm_writes += n;
    } else {
        d->stats.reads += n;
        if (r->nvm) d->stats.nvm_reads += n;
    }
    d->stats.busy_cycles += n * d->burst_cycles;
    r->commands = (uint8_t)(r->commands - n);
    if (r->commands) return; /* the bank has the next one ready */
    b->current = NULL;
    clear_bit(d->busy, i);
    if (b->queue.head) set_bit(d->backlog, i);
    d->queued -= !d->waiting_only;
    tick_t data = d->single ? d->part.period : t->burst; /* from the beginning of the last burst on */
    dram_finish(d, r, last + (r->is_write ? t->wl : t->cl) + data - 1);
}

static void issue_activate(struct dram *d, uint32_t i, tick_t now)
{
    struct dram_bank *b = &d->bank[i];
    const struct dram_timing *t = &d->t;
    b->open = true;
    b->written = false;
    b->row = b->current->row;
    b->ok[DRAM_READ] = now + t->rcd[b->nvm];
    b->ok[DRAM_WRITE] = now + t->rcdwr[b->nvm];
    b->ok[DRAM_PRECHARGE] = now + t->ras[b->nvm];
    raise_to(&b->ok[DRAM_ACTIVATE], now + t->rc[b->nvm]);
    *gate_for(d, DRAM_ACTIVATE, 0, b->nvm) = now + t->rrd[b->nvm];
    d->stats.activates++;
    d->stats.nvm_activates += b->nvm;
    plan_bank(d, i);
}

static void issue_precharge(struct dram *d, uint32_t i, tick_t now)
{
    struct dram_bank *b = &d->bank[i];
    const struct dram_timing *t = &d->t;
    b->open = false;
    raise_to(&b->ok[DRAM_ACTIVATE], now + (b->written ? t->rp[b->nvm] : t->rp_clean[b->nvm]));
    for (unsigned g = 0; g < d->groups && t->pre_gap[b->nvm]; g++)
        raise_to(gate_for(d, DRAM_PRECHARGE, g, b->nvm), now + t->pre_gap[b->nvm]);
    d->stats.precharges++;
    d->stats.nvm_precharges += b->nvm;
    d->stats.nvm_dirty_precharges += b->nvm && b->written;
    plan_bank(d, i);
}

static void dram_issue(struct dram *d, uint32_t i, tick_t now)
{
    bool row = d->command[i] >= DRAM_ACTIVATE; /* activate or precharge */
    switch (d->command[i]) {
    case DRAM_ACTIVATE: issue_activate(d, i, now); break;
    case DRAM_PRECHARGE: issue_precharge(d, i, now); break;
    default: issue_columns(d, i, now); break;
    }
    if (!d->turn_rows || row) d->turn = i + 1 == d->total_banks ? 0 : i + 1;
    d->part.clock->progress++;
}

/* What is answered sends the answer on its way: the port to the L2 must have room. */
static bool has_room(struct dram *d, uint32_t bank, tick_t now)
{
    const struct req *r = d->bank[bank].current;
    if (!is_answered(r) || port_can_push(d->out[slice_of(d, r)], now)) return true;
    d->waits_for_room = true;
    return false;
}

enum { COLUMNS = 1 << DRAM_READ | 1 << DRAM_WRITE, ROWS = 1 << DRAM_ACTIVATE | 1 << DRAM_PRECHARGE };

/* When the bank's next command can be issued, as far as commands before it are concerned. */
static inline tick_t command_at(const struct dram *d, uint32_t bank)
{
    return tick_max(d->when[bank], d->gate[d->gate_of[bank]]);
}

/* The first of these banks, bit 0 standing for bank `from` of a circle of `size`, that can use the command bus
 * now for one of `commands`; -1 when none. *next: when the earliest of those looked at can. What is answered needs
 * a place for the answer. */
static inline int find_among(struct dram *d, uint64_t banks, uint32_t from, uint32_t size, tick_t now,
                             unsigned commands, tick_t *next)
{
    for (uint64_t m = banks; m; m &= m - 1) {
        uint32_t i = (from + bit_low64(m)) & (size - 1);
        if (!(commands >> d->command[i] & 1)) continue;
        tick_t t = command_at(d, i);
        if (t > now) *next = tick_min(*next, t);
        else if (d->command[i] > DRAM_WRITE || has_room(d, i, now)) return (int)i;
    }
    return -1;
}

/* The same for all banks, those from `turn` on first. */
static int find_bank(struct dram *d, tick_t now, unsigned commands, tick_t *next)
{
    if (d->total_banks <= 64)
        return find_among(d, rotate_right64(d->busy[0], d->turn), d->turn, 64, now, commands, next);
    uint32_t word = d->turn >> 6;
    uint64_t behind = UINT64_MAX << (d->turn & 63);
    int i = find_among(d, d->busy[word] & behind, word * 64, DRAM_MAX_BANKS, now, commands, next);
    if (i < 0) i = find_among(d, d->busy[1 - word], (1 - word) * 64, DRAM_MAX_BANKS, now, commands, next);
    return i < 0 ? find_among(d, d->busy[word] & ~behind, word * 64, DRAM_MAX_BANKS, now, commands, next) : i;
}

/* When the first bank can use the command bus, `soon` at the earliest. */
static tick_t first_command(const struct dram *d, tick_t soon)
{
    tick_t first = NEVER;
    for (uint32_t w = 0; w < 2; w++)
        for (uint64_t m = d->busy[w]; m; m &= m - 1) first = tick_min(first, command_at(d, w * 64 + bit_low64(m)));
    return tick_max(first, soon);
}

/* Issues at most one command per bus, banks in turn; returns when the next could be issued. */
static tick_t issue_command(struct dram *d, tick_t now)
{
    tick_t next = NEVER;
    int i = find_bank(d, now, d->dual ? COLUMNS : COLUMNS | ROWS, &next);
    if (i >= 0) dram_issue(d, (uint32_t)i, now);
    int j = d->dual ? find_bank(d, now, ROWS, &next) : -1;
    if (j >= 0) dram_issue(d, (uint32_t)j, now);
    return i < 0 && j < 0 ? next : first_command(d, now + d->part.period);
}

/* When there is work again; pushes and pops at the ports wake the channel anyway. */
static inline tick_t next_work(struct dram *d, tick_t now)
{
    tick_t next = d->next_command;
    if (d->backlog[0] | d->backlog[1]) return now + d->part.period;
    if (d->gated) return tick_min(next, next_feed(d, now));
    return d->queued < d->queue_cap ? tick_min(next, d->arrival) : next;
}

static tick_t dram_work(struct dram *d, tick_t now)
{
    if (d->backlog[0] | d->backlog[1]) fill_banks(d, now);
    if (d->next_command <= now || d->waits_for_room) {
        d->waits_for_room = false;
        d->next_command = issue_command(d, now);
    }
    if (d->gated) feed(d, now);
    else dram_accept(d, now);
    return next_work(d, now);
}

/* ---- ahead of the clock ---- */

/* The last tick to which the channel may work ahead: nothing that is sent from now on is seen by then, and no slice
 * can fill its port by then, so that none asks for room which a pop ahead of time would have made too early. */
static tick_t ahead_limit(const struct dram *d, tick_t now)
{
    tick_t limit = NEVER;
    for (uint32_t i = 0; i < d->slices; i++) {
        const struct port *p = &d->in[i];
        uint32_t used = port_used(p, now) + 2; /* one push at this tick, and the one that must still fit */
        tick_t room = p->capacity > used ? (p->capacity - used) * p->producer->period : 0;
        limit = tick_min(limit, now + tick_min(room, p->delay));
    }
    return limit;
}

/* For how many ticks there is room for what one can answer, even if the L2 takes nothing. */
static uint32_t ticks_with_room(const struct dram *d)
{
    enum { ANSWERS = 2 }; /* one from a column command, one from a request that takes no time */
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < d->slices; i++) {
        uint32_t room = d->out[i]->capacity - d->out[i]->used;
        if (room < least) least = room;
    }
    return least / ANSWERS;
}

/* Does what there is to do up to `limit`; returns when there is work after that. */
static tick_t work_ahead(struct dram *d, tick_t next, tick_t limit)
{
    for (uint32_t sure = 0; next <= limit && (sure || (sure = ticks_with_room(d)) != 0); sure--) {
        tick_t t = tick_max(next, d->worked + d->part.period); /* all that is not gated is dated by edges */
        if (d->gated) t = part_edge_after(&d->part, tick_max(d->worked, next - 1));
        uint64_t alive = d->pool->alive;
        if (t > limit) break;
        next = dram_work(d, t);
        d->worked = t;
        if (d->pool->alive < alive) d->freed_at = t;
    }
    /* A request that waits at a port has been visible for some time. */
    return tick_max(next, d->worked + (d->gated ? 1 : d->part.period));
}

tick_t dram_run(struct dram *d, tick_t limit)
{
    find_arrival(d);
    return work_ahead(d, tick_max(next_work(d, d->worked), d->worked + d->part.period), limit - 1);
}

tick_t dram_tick(struct dram *d, tick_t now)
{
    find_arrival(d);
    if (now <= d->worked) return tick_max(next_work(d, d->worked), d->worked + 1); /* woken by a push behind it */
    tick_t next = dram_work(d, now);
    d->worked = now;
    return d->ahead && next != NEVER ? work_ahead(d, next, ahead_limit(d, now)) : next;
}

bool dram_idle(const struct dram *d)
{
    for (uint32_t i = 0; i < d->slices; i++)
        if (!port_empty(&d->in[i])) return false;
    return d->queued == 0 && !d->line.head && !(d->busy[0] | d->busy[1]);
}

/* The masks say which banks have a request in work or only waiting ones, and the count says how many there are. */
void dram_walk(const struct dram *d)
{
    uint32_t queued = 0;
    for (uint32_t i = 0; i < d->slices; i++) port_walk(&d->in[i]);
    for (uint32_t i = 0; i < d->total_banks; i++) {
        const struct dram_bank *b = &d->bank[i];
        bool waiting = b->queue.head != NULL, current = b->current != NULL;
        for (const struct req *r = b->queue.head; r; r = r->next) queued++;
        queued += current && !d->waiting_only;
        WL_VERIFY(current == (d->busy[i >> 6] >> (i & 63) & 1));
        WL_VERIFY((waiting && !current) == (d->backlog[i >> 6] >> (i & 63) & 1));
    }
    WL_VERIFY(queued == d->queued && queued <= d->queue_cap);
}

void dram_describe(const struct dram *d, char *out, size_t size)
{
    snprintf(out, size, "memory channel %u: %u requests in the scheduling queue", d->index, d->queued);
}
