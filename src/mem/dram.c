#include "mem/dram.h"

#include <stdio.h>
#include <stdlib.h>

enum mem_zero { ZERO_NONE, ZERO_NVM_WRITE, ZERO_NVM_READ, ZERO_DRAM_WRITE, ZERO_DRAM_READ };

static tick_t later(tick_t a, tick_t b) { return a > b ? a : b; }
static tick_t earlier(tick_t a, tick_t b) { return a < b ? a : b; }

/* Derived timings as in GPGPU-Sim: turnarounds follow from latencies and the burst. */
static void set_timing(struct dram *d, const int64_t *v)
{
    tick_t p = d->part.period, burst = (tick_t)v[P_DRAM_BURST];
    tick_t cl = (tick_t)v[P_DRAM_CL], wl = (tick_t)v[P_DRAM_WL];
    struct dram_timing *t = &d->t;
    t->ccd = p * (tick_t)v[P_DRAM_CCD];
    t->ccdl = p * (tick_t)v[P_DRAM_CCDL];
    t->cl = p * cl;
    t->wl = p * wl;
    t->burst = p * burst;
    t->rtw = p * (cl + burst + 2 > wl ? cl + burst + 2 - wl : 0);
    t->wtr = p * (wl + burst + (tick_t)v[P_DRAM_CDLR]);
    t->wtp = p * (wl + burst + (tick_t)v[P_DRAM_WR]);
    t->rtp = p * burst;
    t->rtpl = p * (tick_t)v[P_DRAM_RTPL];
    for (int nvm = 0; nvm < 2; nvm++) {
        tick_t rcd = (tick_t)v[nvm ? P_NVM_RCD : P_DRAM_RCD];
        t->rrd[nvm] = p * (tick_t)v[nvm ? P_NVM_RRD_ACT : P_DRAM_RRD];
        t->rcd[nvm] = p * rcd;
        t->rcdwr[nvm] = p * (rcd > wl + 1 ? rcd - wl - 1 : 0);
        t->ras[nvm] = nvm ? t->rcd[nvm] : p * (tick_t)v[P_DRAM_RAS];
        t->rp[nvm] = p * (tick_t)v[nvm ? P_NVM_RP : P_DRAM_RP];
        t->rp_clean[nvm] = p * (tick_t)v[nvm ? P_NVM_RP_CLEAN : P_DRAM_RP];
        t->rc[nvm] = nvm ? 0 : p * (tick_t)v[P_DRAM_RC];
        t->pre_gap[nvm] = nvm ? p * (tick_t)v[P_NVM_RRD_PRE] : 0;
    }
}

int dram_init(struct dram *d, const struct gpu_config *c, uint32_t index, struct req_pool *pool)
{
    const int64_t *v = c->v;
    d->index = index;
    d->pool = pool;
    set_timing(d, v);
    d->banks = (uint32_t)v[P_DRAM_BANKS];
    d->total_banks = v[P_NVM_MAP] ? 2 * d->banks : d->banks;
    d->atom_bytes = (uint32_t)v[P_DRAM_ATOM];
    d->fifo = v[P_MEM_SCHED] == 0;
    d->sectored = v[P_L2_SECTORED];
    d->zero = (unsigned)v[P_MEM_ZERO];
    d->slices = (uint32_t)v[P_L2_SLICES];
    d->queue_cap = (uint32_t)v[P_MEM_QUEUE];
    d->return_cap = (uint32_t)v[P_MEM_RETURNQ];
    uint32_t groups = (uint32_t)v[P_DRAM_GROUPS];
    for (uint32_t b = 0; b < d->total_banks; b++) {
        d->bank[b].nvm = b >= d->banks;
        d->bank[b].group = (uint8_t)(b % groups); /* neighbouring banks are in different groups */
        list_init(&d->bank[b].queue);
    }
    list_init(&d->returning);
    d->in = calloc(d->slices, sizeof *d->in);
    d->out = calloc(d->slices, sizeof *d->out);
    return d->in && d->out ? 0 : -1;
}

void dram_destroy(struct dram *d)
{
    for (uint32_t i = 0; d->in && i < d->slices; i++) port_destroy(&d->in[i]);
    free(d->in);
    free(d->out);
}

/* ---- from the L2 to the scheduling queue ---- */

static void set_bit(uint64_t m[2], uint32_t b) { m[b >> 6] |= bit64(b & 63); }
static void clear_bit(uint64_t m[2], uint32_t b) { m[b >> 6] &= ~bit64(b & 63); }

static bool takes_no_time(const struct dram *d, const struct req *r)
{
    unsigned kind = r->nvm ? (r->is_write ? ZERO_NVM_WRITE : ZERO_NVM_READ)
                           : (r->is_write ? ZERO_DRAM_WRITE : ZERO_DRAM_READ);
    return d->zero == kind;
}

static void finish(struct dram *d, struct req *r, tick_t data_at)
{
    if (r->is_write) {
        req_free(d->pool, r);
        return;
    }
    r->ready = data_at;
    d->returning_count++;
    if (d->returning.head && data_at < d->returning.head->ready) { /* a zero-time read overtakes */
        r->next = d->returning.head;
        d->returning.head = r;
    } else {
        list_push(&d->returning, r);
    }
}

static void enqueue(struct dram *d, struct req *r, tick_t now)
{
    uint32_t bytes = bit_count32(r->sectors) * SECTOR_BYTES;
    /* A sectored L2 reads sector by sector, each a whole atom; it writes back what it has at once. */
    r->commands = (uint8_t)(d->sectored && !r->is_write ? bit_count32(r->sectors)
                                                        : (bytes + d->atom_bytes - 1) / d->atom_bytes);
    if (r->nvm) r->bank = (uint8_t)(r->bank + d->banks);
    d->stats.requests++;
    if (r->is_write) d->stats.write_bytes += bytes;
    else d->stats.read_bytes += bytes;
    if (takes_no_time(d, r)) {
        finish(d, r, now);
        return;
    }
    d->queued++;
    list_push(&d->bank[r->bank].queue, r);
    if (!d->bank[r->bank].current) set_bit(d->backlog, r->bank);
}

/* One request a cycle, slices in turn, while the queue has room. */
static void accept(struct dram *d, tick_t now)
{
    if (d->queued >= d->queue_cap) return;
    for (uint32_t i = 1; i <= d->slices; i++) {
        uint32_t s = d->last_slice + i < d->slices ? d->last_slice + i : d->last_slice + i - d->slices;
        struct req *r = port_peek(&d->in[s], now);
        if (!r) continue;
        port_pop(&d->in[s], now);
        d->last_slice = s;
        enqueue(d, r, now);
        return;
    }
}

/* ---- choosing requests ---- */

/* The oldest request for the open row, else the oldest. */
static struct req *choose(struct dram *d, struct dram_bank *b)
{
    struct req **link = &b->queue.head;
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

static void fill_banks(struct dram *d)
{
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t m = d->backlog[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            struct dram_bank *b = &d->bank[i];
            b->current = choose(d, b);
            if (b->open && b->row == b->current->row) d->stats.row_hits++;
            set_bit(d->busy, i);
        }
        d->backlog[w] = 0;
    }
}

/* ---- commands ---- */

static tick_t column_time(const struct dram *d, const struct dram_bank *b, bool write)
{
    tick_t t = later(later(d->column_ok, d->group[b->group].column_ok), write ? b->write_ok : b->column_ok);
    return later(t, write ? d->write_ok : d->read_ok);
}

static void issue_column(struct dram *d, uint32_t i, tick_t now)
{
    struct dram_bank *b = &d->bank[i];
    struct dram_group *g = &d->group[b->group];
    struct req *r = b->current;
    const struct dram_timing *t = &d->t;
    d->column_ok = now + t->ccd;
    g->column_ok = now + t->ccdl;
    if (r->is_write) {
        d->read_ok = later(d->read_ok, now + t->wtr);
        b->precharge_ok = later(b->precharge_ok, now + t->wtp);
        b->written = true;
        d->stats.writes++;
        d->stats.nvm_writes += r->nvm;
    } else {
        d->write_ok = later(d->write_ok, now + t->rtw);
        b->precharge_ok = later(b->precharge_ok, now + t->rtp);
        g->precharge_ok = later(g->precharge_ok, now + t->rtpl);
        d->stats.reads++;
        d->stats.nvm_reads += r->nvm;
    }
    d->stats.busy_cycles += t->burst / d->part.period;
    if (--r->commands) return;
    b->current = NULL;
    clear_bit(d->busy, i);
    if (b->queue.head) set_bit(d->backlog, i);
    d->queued--;
    finish(d, r, now + t->cl + t->burst);
}

static void issue_activate(struct dram *d, struct dram_bank *b, tick_t now)
{
    const struct dram_timing *t = &d->t;
    b->open = true;
    b->written = false;
    b->row = b->current->row;
    b->column_ok = now + t->rcd[b->nvm];
    b->write_ok = now + t->rcdwr[b->nvm];
    b->precharge_ok = now + t->ras[b->nvm];
    b->activate_ok = later(b->activate_ok, now + t->rc[b->nvm]);
    d->activate_ok[b->nvm] = now + t->rrd[b->nvm];
    d->stats.activates++;
}

static void issue_precharge(struct dram *d, struct dram_bank *b, tick_t now)
{
    const struct dram_timing *t = &d->t;
    b->open = false;
    b->activate_ok = later(b->activate_ok, now + (b->written ? t->rp[b->nvm] : t->rp_clean[b->nvm]));
    d->precharge_ok[b->nvm] = now + t->pre_gap[b->nvm];
    d->stats.precharges++;
}

/* The earliest tick at which bank i can use the command bus; *column says for what. */
static tick_t bank_time(const struct dram *d, const struct dram_bank *b)
{
    const struct req *r = b->current;
    if (!b->open) return later(b->activate_ok, d->activate_ok[b->nvm]);
    if (b->row != r->row) return later(later(b->precharge_ok, d->group[b->group].precharge_ok), d->precharge_ok[b->nvm]);
    /* Data needs a place to return to. */
    if (!r->is_write && d->returning_count >= d->return_cap) return NEVER;
    return column_time(d, b, r->is_write);
}

static void issue(struct dram *d, uint32_t i, tick_t now)
{
    struct dram_bank *b = &d->bank[i];
    if (!b->open) issue_activate(d, b, now);
    else if (b->row != b->current->row) issue_precharge(d, b, now);
    else issue_column(d, i, now);
    d->turn = i + 1 == d->total_banks ? 0 : i + 1;
    d->part.clock->progress++;
}

/* Looks at busy banks [from, to) in order; issues the first command that can be issued. *next
 * collects when the others could. */
static bool issue_first(struct dram *d, uint32_t from, uint32_t to, tick_t now, tick_t *next)
{
    for (uint32_t w = from >> 6; w <= (to - 1) >> 6; w++) {
        uint64_t m = d->busy[w];
        if (w == from >> 6) m &= UINT64_MAX << (from & 63);
        if (w == (to - 1) >> 6 && (to & 63)) m &= bit64(to & 63) - 1;
        for (; m; m &= m - 1) {
            uint32_t i = w * 64 + bit_low64(m);
            tick_t t = bank_time(d, &d->bank[i]);
            if (t <= now) {
                issue(d, i, now);
                return true;
            }
            *next = earlier(*next, t);
        }
    }
    return false;
}

/* Issues at most one command, banks in turn; returns when the next could be issued. */
static tick_t issue_command(struct dram *d, tick_t now)
{
    tick_t next = NEVER;
    uint32_t turn = d->turn;
    if (!(d->busy[0] | d->busy[1])) return NEVER;
    if (issue_first(d, turn, d->total_banks, now, &next) || (turn && issue_first(d, 0, turn, now, &next)))
        return now + d->part.period;
    return next;
}

/* ---- back to the L2 ---- */

static void send_data(struct dram *d, tick_t now)
{
    struct req *r = d->returning.head;
    if (!r || r->ready > now) return;
    struct port *out = d->out[r->slice % d->slices];
    if (!port_can_push(out, now)) return;
    list_pop(&d->returning);
    d->returning_count--;
    port_push(out, r, now);
}

/* When there is work again; pushes and pops at the ports wake the channel by themselves. */
static tick_t next_work(const struct dram *d, tick_t now, tick_t next_command)
{
    tick_t soon = now + d->part.period, next = next_command;
    if (d->backlog[0] | d->backlog[1]) return soon;
    for (uint32_t i = 0; i < d->slices && d->queued < d->queue_cap; i++)
        if (!port_empty(&d->in[i])) next = earlier(next, later(soon, port_next(&d->in[i]) + 1));
    const struct req *r = d->returning.head;
    if (r && !d->out[r->slice % d->slices]->producer_waits) next = earlier(next, later(soon, r->ready));
    return next;
}

tick_t dram_tick(struct dram *d, tick_t now)
{
    send_data(d, now);
    fill_banks(d);
    tick_t next = issue_command(d, now);
    accept(d, now);
    return next_work(d, now, next);
}

bool dram_idle(const struct dram *d)
{
    for (uint32_t i = 0; i < d->slices; i++)
        if (!port_empty(&d->in[i])) return false;
    return d->queued == 0 && d->returning_count == 0;
}

void dram_describe(const struct dram *d, char *out, size_t size)
{
    snprintf(out, size, "memory channel %u: %u requests in the scheduling queue, %u returning", d->index,
             d->queued, d->returning_count);
}
