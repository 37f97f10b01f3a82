/* write_json.c - a run as one JSON object.
 *
 * The counters come from their table: a key "stalls.mshr" becomes an object "stalls" inside its
 * group. What belongs to the host stands apart, so that two files can be compared by dropping
 * one member. Hashes are strings, because JSON numbers do not hold 64 bits. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/json_parts.h"
#include "run/result.h"
#include "run/json_launch.h"
#include "run/write_lines.h"
#include "run/write_sampling.h"
#include "stream/registers_from.h"

double result_ipc(const struct run_result *r)
{
    if (r->stats.cycles == 0) return 0;
    return round((double)r->stats.sm.thread_instructions / (double)r->stats.cycles * 1e6) / 1e6;
}

static json_t *triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static int add_counters(json_t *root, const struct run_stats *s, bool profiled)
{
    int bad = 0;
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        if (d->group == GROUP_profile && !profiled) continue;
        char key[96];
        snprintf(key, sizeof key, "%s.%s", counter_group_names[d->group], d->key);
        bad |= json_set_nested(root, key, json_count(counter_value(s, d)));
    }
    return bad;
}

static json_t *policy_counters(const struct result_policy *p)
{
    json_t *o = json_object();
    int bad = 0;
    for (unsigned i = 0; p->counters && p->counters[i].name; i++)
        bad |= json_object_set_new(o, p->counters[i].name, json_count(p->value[i]));
    bad |= json_object_set_new(o, "storage_bits", json_count(p->storage_bits));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static json_t *energy_parts(const struct energy *e)
{
    json_t *o = json_object();
    int bad = json_object_set_new(o, "table", json_string(e->table));
    bad |= json_object_set_new(o, "calibrated", json_boolean(e->calibrated));
    bad |= json_object_set_new(o, "total", json_real(e->total));
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        bad |= json_object_set_new(o, energy_part_names[i], json_real(e->part[i]));
    bad |= json_object_set_new(o, "background", json_real(e->background));
    bad |= json_object_set_new(o, "leakage", json_real(e->leakage));
    bad |= json_object_set_new(o, "edp", json_real(e->edp));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* The chosen table's numbers, and those of every table below its name. */
static json_t *energy_object(const struct run_result *r)
{
    json_t *o = energy_parts(&r->energy[r->energy_table]);
    int bad = !o;
    for (unsigned i = 0; i < ENERGY_TABLES && !bad; i++)
        bad |= json_object_set_new(o, energy_tables[i].name, energy_parts(&r->energy[i]));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

#define REGISTERS_FROM_NAME(id, name) name,
static const char *const registers_from[] = {REGISTERS_FROM(REGISTERS_FROM_NAME)};

static json_t *kernel_list(const struct run_result *r)
{
    json_t *list = json_array();
    int bad = 0;
    for (unsigned i = 0; i < r->nkernels; i++) {
        const struct kernel_record *k = &r->kernels[i];
        json_t *o = json_object();
        bad |= json_object_set_new(o, "name", json_text(k->name));
        bad |= json_object_set_new(o, "grid", triple(k->grid));
        bad |= json_object_set_new(o, "block", triple(k->block));
        bad |= json_object_set_new(o, "registers", json_count(k->registers));
        bad |= json_object_set_new(o, "registers_from", json_text(registers_from[k->registers_from % REGS_FROM_COUNT]));
        bad |= json_object_set_new(o, "cycles", json_count(k->cycles));
        bad |= json_object_set_new(o, "warp_instructions", json_count(k->warp_instructions));
        bad |= json_object_set_new(o, "thread_instructions", json_count(k->thread_instructions));
        if (k->end) bad |= json_add_launch_time(o, k);
        bool counted = i && k->overlap && r->kernels[i - 1].overlap == k->overlap; /* with the first of them */
        if (r->each && !counted) bad |= add_counters(o, &r->each[i], r->profiled);
        if (r->each_policy && !counted) bad |= json_add_launch_policies(o, r, i);
        bad |= json_array_append_new(list, o);
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *warning_list(const struct run_result *r)
{
    json_t *list = json_array();
    int bad = 0;
    for (unsigned i = 0; i < r->nwarnings; i++) bad |= json_array_append_new(list, json_text(r->warnings[i]));
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

/* ---- the profile ---- */

static json_t *load_list(const struct profile_report *p)
{
    static const char *const outcomes[4] = {"hits", "merged", "misses", "bypasses"};
    static const char *const types[LINE_TYPES] = {"streaming", "inter_warp", "intra_warp", "mixed"};
    static const char *const l2[3] = {"l2_hits", "l2_merged", "l2_misses"};
    json_t *list = json_array();
    int bad = 0;
    for (unsigned i = 0; i < p->loads; i++) {
        const struct load_record *l = &p->load[i];
        json_t *o = json_object(), *lines = json_object();
        bad |= json_object_set_new(o, "kernel", json_text(l->kernel));
        bad |= json_object_set_new(o, "pc", json_count(l->pc));
        bad |= add_place(o, &l->at);
        bad |= json_object_set_new(o, "loads", json_count(l->loads));
        bad |= json_object_set_new(o, "divergent", json_count(l->divergent));
        bad |= json_object_set_new(o, "requests", json_count(l->requests));
        for (unsigned k = 0; k < 4; k++) bad |= json_object_set_new(o, outcomes[k], json_count(l->outcome[k]));
        for (unsigned k = 0; k < 3; k++) bad |= json_object_set_new(o, l2[k], json_count(l->l2[k]));
        for (unsigned k = 0; k < LINE_TYPES; k++) bad |= json_object_set_new(lines, types[k], json_count(l->lines[k]));
        bad |= json_object_set_new(o, "infinite_lines", lines);
        bad |= json_array_append_new(list, o);
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

/* Distances 1, 2..3, 4..7, ... */
static json_t *reuse_list(const struct profile_report *p)
{
    json_t *list = json_array();
    int bad = 0;
    unsigned used = REUSE_BUCKETS;
    while (used && !p->reuse[0][used - 1] && !p->reuse[1][used - 1] && !p->reuse[2][used - 1]) used--;
    for (unsigned i = 0; i < used; i++)
        bad |= json_array_append_new(list, json_pack("{s:I,s:I,s:I,s:I}", "distance", (json_int_t)(UINT64_C(1) << i),
                                                     "inter_warp", (json_int_t)p->reuse[0][i], "intra_warp",
                                                     (json_int_t)p->reuse[1][i], "mixed", (json_int_t)p->reuse[2][i]));
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *rank_list(const struct profile_report *p)
{
    json_t *list = json_array();
    int bad = 0;
    unsigned used = PROFILE_RANKS;
    while (used && !p->rank[used - 1]) used--;
    for (unsigned i = 0; i < used; i++) bad |= json_array_append_new(list, json_count(p->rank[i]));
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static int add_profile(json_t *root, const struct profile_report *p)
{
    int bad = json_object_set_new(root, "loads", load_list(p));
    bad |= json_object_set_new(root, "instructions", inst_list(p));
    bad |= json_object_set_new(root, "reuse", reuse_list(p));
    return bad | json_object_set_new(root, "issue_ranks", rank_list(p));
}

/* ---- samples ---- */

static json_t *policy_delta(const struct wl_counter *c, const uint64_t *now, const uint64_t *before)
{
    json_t *o = json_object();
    int bad = 0;
    for (unsigned i = 0; c && c[i].name; i++) bad |= json_object_set_new(o, c[i].name, json_count(now[i] - before[i]));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* What was counted between two moments; `cycle` is the end. */
static json_t *sample_object(const struct run_result *r, const struct sample *now, const struct sample *before)
{
    struct run_result part = {.stats = now->stats};
    uint64_t *d = (uint64_t *)(void *)&part.stats;
    const uint64_t *b = (const uint64_t *)(const void *)&before->stats;
    for (unsigned i = 0; i < sizeof part.stats / sizeof *d; i++) d[i] -= b[i];
    json_t *o = json_object();
    int bad = json_object_set_new(o, "cycle", json_count(now->stats.cycles));
    bad |= json_object_set_new(o, "cycles", json_count(part.stats.cycles));
    bad |= json_object_set_new(o, "warp_instructions", json_count(part.stats.sm.warp_instructions));
    bad |= json_object_set_new(o, "thread_instructions", json_count(part.stats.sm.thread_instructions));
    bad |= json_object_set_new(o, "ipc", json_real(result_ipc(&part)));
    bad |= add_counters(o, &part.stats, r->profiled);
    bad |= json_object_set_new(o, "l1_policy_counters", policy_delta(r->l1.counters, now->l1, before->l1));
    bad |= json_object_set_new(o, "l2_policy_counters", policy_delta(r->l2.counters, now->l2, before->l2));
    bad |= json_object_set_new(o, "scheduler_counters", policy_delta(r->sched.counters, now->sched, before->sched));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static json_t *sample_list(const struct run_result *r)
{
    static const struct sample nothing;
    json_t *list = json_array();
    int bad = 0;
    for (unsigned i = 0; i < r->nsamples; i++)
        bad |= json_array_append_new(list, sample_object(r, &r->samples[i], i ? &r->samples[i - 1] : &nothing));
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

void *result_json(const struct run_result *r)
{
    json_t *root = json_object();
    int bad = json_add_setup(root, r);
    bad |= json_object_set_new(root, "cycles", json_count(r->stats.cycles));
    bad |= json_object_set_new(root, "warp_instructions", json_count(r->stats.sm.warp_instructions));
    bad |= json_object_set_new(root, "thread_instructions", json_count(r->stats.sm.thread_instructions));
    bad |= json_object_set_new(root, "ipc", json_real(result_ipc(r)));
    bad |= json_object_set_new(root, "kernels", kernel_list(r));
    bad |= add_counters(root, &r->stats, r->profiled);
    if (r->profiled) bad |= add_profile(root, &r->profile);
    if (r->energy[0].table) bad |= json_object_set_new(root, "energy", energy_object(r));
    bad |= json_object_set_new(root, "l1_policy_counters", policy_counters(&r->l1));
    bad |= json_object_set_new(root, "l2_policy_counters", policy_counters(&r->l2));
    bad |= json_object_set_new(root, "scheduler_counters", policy_counters(&r->sched));
    if (r->samples) bad |= json_object_set_new(root, "samples", sample_list(r));
    if (r->samples && r->profile.heat.count) bad |= json_object_set_new(root, "heat", heat_object(&r->profile.heat));
    if (r->sampling) bad |= json_object_set_new(root, "sampling", sampling_json(r));
    if (r->config) bad |= json_object_set_new(root, "config", json_config(r->config));
    bad |= json_object_set_new(root, "warnings", warning_list(r));
    bad |= json_object_set_new(root, "check", *r->check ? json_text(r->check) : json_null());
    json_t *host =
        json_pack("{s:f,s:I}", "seconds", r->host.seconds, "peak_memory_bytes", (json_int_t)r->host.peak_memory_bytes);
    bad |= json_object_set_new(root, "host", host);
    if (!bad && !memory_was_short()) return root;
    json_decref(root);
    return NULL;
}

char *result_json_text(const struct run_result *r, bool compact)
{
    json_t *root = result_json(r);
    char *text = root ? json_dumps(root, (compact ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (text && memory_was_short()) { /* json_dumps may have left out what it had no memory for */
        free(text);
        return NULL;
    }
    return text;
}

int result_write_json(const struct run_result *r, FILE *out, struct wl_err *e)
{
    json_t *root = result_json(r);
    if (!root) return wl_fail(e, WL_ERUN, "out of memory while writing JSON");
    int bad = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    fputc('\n', out);
    return (bad || memory_was_short()) && !ferror(out) ? wl_fail(e, WL_ERUN, "out of memory while writing JSON") : 0;
}
