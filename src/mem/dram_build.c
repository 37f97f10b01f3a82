/* dram_build.c - a memory channel is built: what is not done cycle by cycle (dram.c). */
#include "mem/dram.h"

#include <stdlib.h>

/* Derived timings as in GPGPU-Sim: turnarounds follow from latencies and the burst. */
static void set_timing(struct dram *d, const int64_t *v)
{
    tick_t p = d->part.period, burst = (tick_t)v[P_DRAM_BURST];
    tick_t cl = (tick_t)v[P_DRAM_CL], wl = (tick_t)v[P_DRAM_WL];
    struct dram_timing *t = &d->t;
    t->ccd = p * tick_max((tick_t)v[P_DRAM_CCD], burst); /* the data bus limits column commands too */
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
        t->pre_gap[nvm] = p * (tick_t)v[nvm ? P_NVM_RRD_PRE : P_DRAM_RRD_PRE];
    }
}

static void set_banks(struct dram *d, const int64_t *v)
{
    d->groups = (uint32_t)v[P_DRAM_GROUPS];
    uint32_t per_group = d->banks / d->groups;
    for (uint32_t b = 0; b < d->total_banks; b++) {
        d->bank[b].nvm = b >= d->banks;
        /* low: neighbouring banks are in different groups */
        d->bank[b].group = (uint8_t)(v[P_DRAM_GROUPING] ? b % d->banks / per_group : b % d->groups);
        list_init(&d->bank[b].queue);
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
    d->sectored = v[P_L2_SECTORED] && v[P_L2_PROMOTE] == 1; /* else by atoms */
    d->dual = v[P_DRAM_DUAL];
    d->zero = (unsigned)v[P_MEM_ZERO];
    d->slices = (uint32_t)v[P_L2_SLICES];
    d->slice_mask = is_pow2(d->slices) ? d->slices - 1 : 0;
    d->queue_cap = (uint32_t)v[P_MEM_QUEUE];
    d->waiting_only = v[P_MEM_WINDOW];
    d->single = v[P_DRAM_COLUMNS];
    d->turn_rows = v[P_DRAM_TURN];
    d->next_command = d->arrival = NEVER;
    d->burst_cycles = (uint64_t)v[P_DRAM_BURST];
    set_banks(d, v);
    d->gated = v[P_MEM_FEED];
    d->fillq = (uint32_t)v[P_L2_FILLQ];
    d->delay_cycles = (uint64_t)v[P_MEM_LATENCY];
    d->delay_period = d->part.period; /* the machine knows the right one */
    int64_t shared = v[P_MEM_QUEUE] + v[P_MEM_RETURNQ] - (v[P_L2_SLICES] - 1);
    d->shared_cap = shared > 0 ? (uint32_t)shared : 0;
    list_init(&d->line);
    d->in = calloc(d->slices, sizeof *d->in);
    d->out = calloc(d->slices, sizeof *d->out);
    d->own = calloc(d->slices, sizeof *d->own);
    if (v[P_NVM_MAP] && v[P_NVM_WEAR] && wear_init(&d->wear, (uint32_t)v[P_NVM_WEAR])) return -1;
    return d->in && d->out && d->own ? 0 : -1;
}

void dram_destroy(struct dram *d)
{
    free(d->in);
    free(d->out);
    free(d->own);
    wear_destroy(&d->wear);
}
