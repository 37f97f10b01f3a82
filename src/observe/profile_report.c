/* profile_report.c - building, and the tallies under the names of counters.def. */
#include "observe/profile.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An access of the L2, by the load that made it. */
static void see_l2(struct l2_observer *o, const struct req *r, enum l2_answer how)
{
    struct profile *p = (struct profile *)(void *)((char *)o - offsetof(struct profile, l2));
    if (how == L2_LACKED_IT && p->heat.width)
        heat_add(&p->heat, HEAT_BANK, r->slice / p->channel_slices * p->channel_banks + r->bank % p->channel_banks);
    struct load_record *row = r->kind == WL_LOAD ? loads_find(&p->loads, r->pc) : NULL;
    if (row) row->l2[how]++;
}

int profile_init(struct profile *p, uint32_t sms)
{
    *p = (struct profile){
        .sms = sms, .sm = calloc(sms, sizeof *p->sm), .watch = calloc(sms, sizeof *p->watch), .l2 = {see_l2}};
    if (!p->sm || !p->watch) return -1;
    for (uint32_t i = 0; i < sms; i++) {
        p->sm[i].l1 = observer_calls;
        p->sm[i].loads = &p->loads;
    }
    return 0;
}

int profile_heat(struct profile *p, struct heat_shape s)
{
    p->channel_slices = s.slices;
    p->channel_banks = s.banks;
    for (uint32_t i = 0; i < p->sms; i++) p->sm[i].heat = p->watch[i].heat = &p->heat;
    return heat_init(&p->heat, p->sms, s.channels * s.banks, s.sets, s.samples);
}

void profile_destroy(struct profile *p)
{
    heat_destroy(&p->heat);
    for (uint32_t i = 0; p->sm && i < p->sms; i++) lines_destroy(&p->sm[i].lines);
    free(p->sm);
    free(p->loads.row);
    free(p->loads.place);
    insts_destroy(&p->insts, p->watch, p->sms);
    free(p->watch);
}

int profile_kernel_begin(struct profile *p, const char *kernel, const struct code *code)
{
    snprintf(p->kernel, sizeof p->kernel, "%s", kernel);
    return loads_begin(&p->loads, kernel, code) || insts_begin(&p->insts, p->watch, p->sms, code) ? -1 : 0;
}

static void sum_tallies(const struct profile *p, struct tally *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < p->sms; i++) stats_add(t, &p->sm[i].tally, sizeof *t);
}

/* APCM's Eq. 1 before the division: the lines that have the most frequent type of their load. */
static uint64_t majority_lines(const struct load_table *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < t->rows; i++) {
        const uint64_t *n = t->row[i].lines;
        uint64_t most = 0;
        for (unsigned type = 0; type < LINE_TYPES; type++)
            if (n[type] > most) most = n[type];
        sum += most;
    }
    return sum;
}

/* The counters of a list stand in counters.def in the order of the array, from this field on. */
#define FILL(first, list)                                                                                              \
    copy_list(out, offsetof(struct profile_stats, first), (const uint64_t *)(const void *)(list), sizeof(list))
static void copy_list(struct profile_stats *out, size_t offset, const uint64_t *list, size_t bytes)
{
    memcpy((char *)out + offset, list, bytes);
}

void profile_read_stats(const struct profile *p, struct profile_stats *out)
{
    struct tally t;
    sum_tallies(p, &t);
    memset(out, 0, sizeof *out);
    _Static_assert(offsetof(struct profile_stats, divergent_loads) - offsetof(struct profile_stats, coherent_loads) ==
                       sizeof t.load[0],
                   "both classes of loads are one list");
    FILL(coherent_loads, t.load);
    FILL(access_hit, t.access);
    FILL(size_32, t.size);
    FILL(lives_accesses_1, t.life.count);
    FILL(lives_used_32, t.life.used);
    FILL(infinite_streaming, t.infinite.type);
    FILL(infinite_accesses_1, t.infinite.count);
    out->lives = t.life.ended;
    out->lives_accesses = t.life.accesses;
    out->evicted_before_reuse = t.life.evicted_before_reuse;
    out->evicted_never_again = t.life.evicted_never_again;
    out->fetched_bytes = t.life.fetched_chunks * 32;
    out->used_bytes = t.life.used_chunks * 32;
    for (unsigned i = 0; i < LINE_TYPES; i++) out->infinite_lines += t.infinite.type[i];
    out->infinite_majority = majority_lines(&p->loads);
    out->stall_hit = t.stall_hit;
    out->stall_hit_idle = t.stall_hit_idle;
    out->issue_rank_0 = t.rank[0];
    out->issue_rank_1 = t.rank[1];
    out->issue_rank_2 = t.rank[2];
    for (unsigned i = 3; i < PROFILE_RANKS; i++) out->issue_rank_rest += t.rank[i];
    uint64_t *reuse[REUSE_TYPES] = {&out->reuse_inter, &out->reuse_intra, &out->reuse_mixed};
    for (unsigned k = 0; k < REUSE_TYPES; k++)
        for (unsigned i = 0; i < REUSE_BUCKETS; i++) *reuse[k] += t.reuse[k][i];
}

/* The loads with the most requests first. */
static int compare_rows(const void *a, const void *b)
{
    const struct load_record *x = a, *y = b;
    if (x->requests != y->requests) return x->requests < y->requests ? 1 : -1;
    int order = strcmp(x->kernel, y->kernel);
    return order ? order : (x->pc > y->pc) - (x->pc < y->pc);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The lines of all SMs, each counted once; UINT64_MAX: out of memory. */
static uint64_t distinct_lines(const struct profile *p)
{
    size_t n = 0, distinct = 0;
    for (uint32_t i = 0; i < p->sms; i++) n += p->sm[i].lines.used;
    uint64_t *all = malloc((n ? n : 1) * sizeof *all);
    if (!all) return UINT64_MAX;
    n = 0;
    for (uint32_t i = 0; i < p->sms; i++)
        for (uint32_t k = 0; k < p->sm[i].lines.used; k++) all[n++] = p->sm[i].lines.line[k].line;
    qsort(all, n, sizeof *all, compare_numbers);
    for (size_t i = 0; i < n; i++) distinct += i == 0 || all[i] != all[i - 1];
    free(all);
    return distinct;
}

int profile_read_report(const struct profile *p, struct profile_report *out)
{
    struct tally t;
    sum_tallies(p, &t);
    memcpy(out->rank, t.rank, sizeof t.rank);
    memcpy(out->reuse, t.reuse, sizeof t.reuse);
    out->footprint_lines = distinct_lines(p);
    if (out->footprint_lines == UINT64_MAX) return -1;
    out->loads = 0;
    out->load = calloc(p->loads.rows ? p->loads.rows : 1, sizeof *out->load);
    if (!out->load) return -1;
    for (unsigned i = 0; i < p->loads.rows; i++)
        if (p->loads.row[i].requests) out->load[out->loads++] = p->loads.row[i];
    qsort(out->load, out->loads, sizeof *out->load, compare_rows);
    return insts_read(&p->insts, &out->inst, &out->insts) || heat_read(&p->heat, &out->heat) ? -1 : 0;
}
