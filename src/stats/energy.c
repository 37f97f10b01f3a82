#include "stats/energy.h"

enum { LANES = 32, LINE_SECTORS = 4 };

const char *const energy_part_names[ENERGY_PARTS] = {"core", "l1", "network", "l2", "dram"};

static const enum energy_part part_of[ENERGY_EVENTS] = {
#define E(id, key, part, gtx480, generic, help) ENERGY_##part,
#include "stats/energy.def"
#undef E
};

const struct energy_table energy_tables[ENERGY_TABLES] = {
    /* 35.6 W leakage and 10.8 W through the gates, measured for the whole chip. */
    [ENERGY_GTX480] = {.name = "gtx480_eff",
                       .fitted = true,
                       .chip_watts = 46.4,
                       .pj =
                           {
#define E(id, key, part, gtx480, generic, help) gtx480,
#include "stats/energy.def"
#undef E
                           }},
    /* An SM 1 W, L2 and the rest of the chip 3 W each; 0.6 W for the memory of a channel. */
    [ENERGY_GENERIC45] = {.name = "generic45",
                          .sm_watts = 1,
                          .chip_watts = 6,
                          .channel_watts = 0.6,
                          .pj =
                              {
#define E(id, key, part, gtx480, generic, help) generic,
#include "stats/energy.def"
#undef E
                              }},
};

static void sm_events(const struct run_stats *s, double *n)
{
    const struct sm_stats *sm = &s->sm;
    n[ENERGY_FRONT] = n[ENERGY_PIPE] = (double)sm->warp_instructions;
    n[ENERGY_RF_READ] = (double)sm->register_reads / LANES;
    n[ENERGY_RF_WRITE] = (double)sm->register_writes / LANES;
    n[ENERGY_INT] = (double)sm->int_lanes / LANES;
    n[ENERGY_FP] = (double)(sm->fp_lanes + 2 * sm->dp_lanes) / LANES;
    n[ENERGY_SFU] = (double)sm->sfu_lanes / LANES;
    n[ENERGY_SHARED] = (double)sm->shared_passes;
    n[ENERGY_TEX_HIT] = (double)(s->l1t.hits + s->l1t.hits_reserved);
    n[ENERGY_TEX_MISS] = (double)s->l1t.misses;
    n[ENERGY_CONST_HIT] = (double)(s->l1c.hits + s->l1c.hits_reserved);
    n[ENERGY_CONST_MISS] = (double)s->l1c.misses;
}

/* With a re-execution queue a stalled unit leaves the tags to the queue, and refusals are counted as such.
 * A try reads the queue, a refused one writes it again. */
static void queue_events(const struct sm_stats *sm, const struct energy_machine *m, double *n)
{
    if (sm->reexec_refusals) n[ENERGY_L1_NACK] = (double)sm->reexec_refusals;
    n[ENERGY_QUEUE] = (double)(m->queue_accesses + sm->reexec_pushes + 2 * sm->reexec_retries - sm->reexec_accepted);
}

static void l1_events(const struct l1d_stats *c, const struct sm_stats *sm, const struct energy_machine *m, double *n)
{
    n[ENERGY_L1_READ_HIT] = (double)(c->load_hits + c->hits_reserved);
    n[ENERGY_L1_READ_MISS] = (double)c->load_misses;
    n[ENERGY_L1_WRITE_HIT] = (double)c->store_hits;
    n[ENERGY_L1_WRITE_MISS] = (double)(c->stores - c->store_hits);
    n[ENERGY_L1_NACK] = (double)(c->stall_mshr + c->stall_merge + c->stall_line + c->stall_missq + c->stall_gate);
    n[ENERGY_MSHR] = (double)(c->load_misses + c->hits_reserved);
    n[ENERGY_TABLE] = (double)m->table_accesses;
    queue_events(sm, m, n);
    n[ENERGY_L1_NACK] += (double)c->bypass_lookups;
}

/* A sectored L2 counts the four sectors of a line one by one. */
static void l2_events(const struct l2_stats *c, const struct energy_machine *m, double *n)
{
    double lines = m->l2_sectored ? 1.0 / LINE_SECTORS : 1;
    uint64_t read_hits = c->hits - c->write_hits + c->hits_reserved - c->write_merges;
    n[ENERGY_L2_READ_HIT] = lines * (double)(read_hits + c->writebacks);
    n[ENERGY_L2_READ_MISS] = lines * (double)(c->reads + c->atomics - read_hits);
    n[ENERGY_L2_WRITE_HIT] = lines * (double)(c->write_hits + c->atomics);
    n[ENERGY_L2_WRITE_MISS] = lines * (double)(c->writes - c->write_hits);
    n[ENERGY_L2_FILL] = lines * (double)c->fills;
}

static void dram_events(const struct dram_stats *d, const struct energy_machine *m, double *n)
{
    double per_64 = (double)m->dram_atom_bytes / 64;
    n[ENERGY_DRAM_READ] = per_64 * (double)d->reads;
    n[ENERGY_DRAM_WRITE] = per_64 * (double)d->writes;
    n[ENERGY_DRAM_ROW] = (double)d->activates;
    n[ENERGY_NVM_READ] = per_64 * (double)d->nvm_reads;
    n[ENERGY_NVM_WRITE] = per_64 * (double)d->nvm_writes;
}

void energy_events(const struct run_stats *s, const struct energy_machine *m, double out[ENERGY_EVENTS])
{
    sm_events(s, out);
    l1_events(&s->l1d, &s->sm, m, out);
    out[ENERGY_FLIT] = (double)(s->icnt.request_flits + s->icnt.reply_flits) * m->flit_bytes / 32;
    l2_events(&s->l2, m, out);
    dram_events(&s->dram, m, out);
}

struct energy energy_of(const struct energy_table *t, const struct run_stats *s, const struct energy_machine *m)
{
    struct energy e = {.table = t->name, .calibrated = t->fitted};
    double n[ENERGY_EVENTS];
    energy_events(s, m, n);
    for (unsigned i = 0; i < ENERGY_EVENTS; i++) e.part[part_of[i]] += n[i] * t->pj[i] * 1e-6;
    double us = m->core_khz ? (double)s->cycles * 1e3 / m->core_khz : 0; /* a watt for a microsecond is a microjoule */
    e.background = t->channel_watts * m->channels * us;
    e.part[ENERGY_DRAM] += e.background;
    e.leakage = (t->sm_watts * m->sms + t->chip_watts) * us;
    e.total = e.leakage;
    for (unsigned i = 0; i < ENERGY_PARTS; i++) e.total += e.part[i];
    e.edp = e.total * us;
    return e;
}
