/* collect.c - describes a machine in a record and prices what it counted.
 *
 * A policy whose tables or queues cost energy counts their accesses in counters called "table_accesses"
 * and "queue_accesses" (warpline/param.h); the sums over all policies are priced here. */
#include "run/collect.h"

#include <string.h>

#include "run/command.h"
#include "run/identity.h"
#include "run/machine.h"

static void describe_policy(struct result_policy *out, const char *name, const struct wl_param *params,
                            const int64_t *values, const struct wl_counter *counters)
{
    policy_spec(name, params, values, out->spec, sizeof out->spec);
    out->counters = counters;
}

void result_describe(struct run_result *r, const struct gpu_config *c, const char *engine, uint64_t seed)
{
    memcpy(r->gpu, c->name, sizeof r->gpu);
    machine_line(c, r->machine, sizeof r->machine);
    snprintf(r->engine, sizeof r->engine, "%s", engine);
    r->version = WL_VERSION;
    r->build = wl_build_id;
    r->command = command_line();
    r->config = c;
    r->config_hash = config_hash(c);
    r->seed = seed;
    r->sms = (uint32_t)c->v[P_SM_COUNT];
    r->channels = (uint32_t)c->v[P_MEM_CHANNELS];
    r->core_khz = (uint32_t)c->v[P_CLOCK_CORE];
    r->dram_khz = (uint32_t)c->v[P_CLOCK_DRAM];
    describe_policy(&r->l1, c->l1.policy->name, c->l1.policy->params, c->l1.values, c->l1.policy->counters);
    describe_policy(&r->l2, c->l2.policy->name, c->l2.policy->params, c->l2.values, c->l2.policy->counters);
    describe_policy(&r->sched, c->sched.policy->name, c->sched.policy->params, c->sched.values,
                    c->sched.policy->counters);
}

static uint64_t counted_as(const struct result_policy *p, const char *name)
{
    for (unsigned i = 0; p->counters && p->counters[i].name; i++)
        if (strcmp(p->counters[i].name, name) == 0) return p->value[i];
    return 0;
}

static uint64_t counted_by_all(const struct run_result *r, const char *name)
{
    return counted_as(&r->l1, name) + counted_as(&r->l2, name) + counted_as(&r->sched, name);
}

static void price(struct run_result *r, const int64_t *v)
{
    struct energy_machine m = {.sms = r->sms,
                               .channels = r->channels,
                               .core_khz = r->core_khz,
                               .flit_bytes = (uint32_t)v[P_ICNT_FLIT],
                               .dram_atom_bytes = (uint32_t)v[P_DRAM_ATOM],
                               .l2_sectored = v[P_L2_SECTORED],
                               .table_accesses = counted_by_all(r, WL_TABLE_ACCESSES),
                               .queue_accesses = counted_by_all(r, WL_QUEUE_ACCESSES)};
    for (unsigned i = 0; i < ENERGY_TABLES; i++) r->energy[i] = energy_of(&energy_tables[i], &r->stats, &m);
    r->energy_table = (unsigned)v[P_ENERGY_TABLE];
    for (unsigned i = 0; i < ENERGY_TABLES; i++) r->energy[i].calibrated &= v[P_ENERGY_CALIBRATED] != 0;
}

void result_count(struct run_result *r, const struct gpu_config *c, const struct run_stats *stats,
                  const struct policy_stats *p)
{
    r->stats = *stats;
    memcpy(r->l1.value, p->l1, sizeof p->l1);
    memcpy(r->l2.value, p->l2, sizeof p->l2);
    memcpy(r->sched.value, p->sched, sizeof p->sched);
    r->l1.storage_bits = p->l1_storage_bits;
    r->l2.storage_bits = p->l2_storage_bits;
    r->sched.storage_bits = p->sched_storage_bits;
    r->profiled = c->v[P_STATS_PROFILE];
    price(r, c->v);
}
