/* write_sampling.c - what a sampled run says about itself.
 *
 * Every counter of the record is there again under the same name, with the interval in which a run that times
 * everything would find it, 19 times in 20. A counter that was not projected has an interval without width. */
#include "run/write_sampling.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>

#include "run/json_parts.h"

static struct sampled around(double value, double half)
{
    return (struct sampled){value, fmax(value - half, 0), value + half};
}

static struct sampled result_sampled(const struct run_result *r, unsigned counter)
{
    const uint64_t *stats = (const uint64_t *)(const void *)&r->stats;
    return around((double)stats[counter], r->sampling->half[counter]);
}

/* a / b: their errors are taken for independent, which is wider than the truth where they go together. */
static struct sampled quotient(struct sampled a, struct sampled b)
{
    if (!(b.value > 0)) return (struct sampled){0, 0, 0};
    double value = a.value / b.value, ra = a.value > 0 ? (a.high - a.value) / a.value : 0,
           rb = (b.high - b.value) / b.value;
    return around(value, value * sqrt(ra * ra + rb * rb));
}

#define COUNTER(field) result_sampled(r, offsetof(struct run_stats, field) / sizeof(uint64_t))

static struct sampled result_sampled_ipc(const struct run_result *r)
{
    return quotient(COUNTER(sm.thread_instructions), COUNTER(cycles));
}

static struct sampled result_sampled_l1(const struct run_result *r)
{
    return quotient(COUNTER(l1d.misses), COUNTER(l1d.accesses));
}

static struct sampled result_sampled_l2(const struct run_result *r)
{
    return quotient(COUNTER(l2.misses), COUNTER(l2.accesses));
}

/* ---- JSON ---- */

static json_t *json_sampled(struct sampled s)
{
    return json_pack("{s:f,s:f,s:f}", "value", s.value, "low", s.low, "high", s.high);
}

static int add_counters(json_t *o, const struct run_result *r)
{
    int bad = 0;
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        char key[96];
        if (d->group == GROUP_profile && !r->profiled) continue;
        snprintf(key, sizeof key, "%s.%s", counter_group_names[d->group], d->key);
        bad |= json_set_nested(o, key, json_sampled(result_sampled(r, d->offset / (unsigned)sizeof(uint64_t))));
    }
    return bad;
}

static json_t *reason_list(const struct sampling_report *s)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->reasons; i++) json_array_append_new(list, json_text(s->reason[i]));
    return list;
}

/* Of all warp instructions: those of which the results are in memory. */
static double executed_share(const struct run_result *r)
{
    double all = (double)r->stats.sm.warp_instructions;
    return all > 0 ? 1 - (double)r->sampling->skimmed / all : 1;
}

void *sampling_json(const struct run_result *r)
{
    const struct sampling_report *s = r->sampling;
    json_t *o = json_object();
    int bad = json_object_set_new(o, "timed_share", json_real(s->timed_share));
    bad |= json_object_set_new(o, "executed_share", json_real(executed_share(r)));
    bad |= json_object_set_new(o, "asked", json_real(s->asked));
    bad |= json_object_set_new(o, "confidence", json_real(0.95));
    bad |= json_object_set_new(o, "launches",
                               json_pack("{s:I,s:I,s:I,s:I}", "all", (json_int_t)s->launches, "timed",
                                         (json_int_t)s->timed, "partly", (json_int_t)s->partly, "projected",
                                         (json_int_t)(s->launches - s->timed - s->partly)));
    bad |= json_object_set_new(o, "ctas",
                               json_pack("{s:I,s:I}", "all", (json_int_t)s->ctas, "timed", (json_int_t)s->timed_ctas));
    bad |= json_object_set_new(o, "timed_in_full_because", reason_list(s));
    bad |= json_object_set_new(o, "cycles", json_sampled(COUNTER(cycles)));
    bad |= json_object_set_new(o, "ipc", json_sampled(result_sampled_ipc(r)));
    bad |= add_counters(o, r);
    bad |= json_set_nested(o, "l1d.miss_rate", json_sampled(result_sampled_l1(r)));
    bad |= json_set_nested(o, "l2.miss_rate", json_sampled(result_sampled_l2(r)));
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

/* ---- text ---- */

static double half_percent(struct sampled s) { return s.value > 0 ? 100 * (s.high - s.value) / s.value : 0; }

void sampling_write_text(const struct run_result *r, FILE *out)
{
    const struct sampling_report *s = r->sampling;
    if (!s) return;
    struct sampled l1 = result_sampled_l1(r), l2 = result_sampled_l2(r), cycles = COUNTER(cycles);
    char a[32], b[32];
    fprintf(
        out,
        "  sampled    %.2f %% of the warp instructions were timed: %llu of %llu launches in full, %llu in part; the "
        "rest was %s and is projected\n",
        100 * s->timed_share, (unsigned long long)s->timed, (unsigned long long)s->launches,
        (unsigned long long)s->partly, s->skimmed ? "counted" : "executed");
    fprintf(
        out,
        "             cycles %s to %s (+- %.2f %%), IPC %.3f to %.3f, L1D misses %.2f to %.2f %%, L2 misses %.2f to "
        "%.2f %%, 19 times in 20\n",
        with_commas((uint64_t)llround(cycles.low), a), with_commas((uint64_t)llround(cycles.high), b),
        half_percent(cycles), result_sampled_ipc(r).low, result_sampled_ipc(r).high, 100 * l1.low,
        100 * fmin(l1.high, 1), 100 * l2.low, 100 * fmin(l2.high, 1));
    for (uint32_t i = 0; i < s->reasons; i++) fprintf(out, "             timed in full: %s\n", s->reason[i]);
}
