/* stats.h - counters as plain fields, with a table that describes them.
 *
 * counters.def is the only list. Each group is a struct of uint64_t, so parts count with
 * `s->hits++`; sums, tables, JSON and CSV walk the descriptors. */
#ifndef WL_STATS_STATS_H
#define WL_STATS_STATS_H

#include <stdint.h>

/* clang-format off */

/* struct sm_stats, struct l1d_stats, ... */
#define GROUP(group) struct group##_stats {
#define C(group, field, key, unit, help) uint64_t field;
#define END(group) };
#include "stats/counters.def"

/* sm_stats_add(total, part), l1d_stats_add, ...: total += part, counter by counter. */
#define GROUP(group) \
    static inline void group##_stats_add(struct group##_stats *total, const struct group##_stats *part) {
#define C(group, field, key, unit, help) total->field += part->field;
#define END(group) }
#include "stats/counters.def"

enum counter_group {
#define GROUP(group) GROUP_##group,
#include "stats/counters.def"
    GROUP_COUNT
};

/* Everything one machine counted. Without stats.profile the group `profile` is zero. */
struct run_stats {
    uint64_t cycles; /* core cycles of all kernels */
    uint64_t kernels;
#define GROUP(group) struct group##_stats group;
#include "stats/counters.def"
};
/* clang-format on */

struct counter_desc {
    uint8_t group;   /* enum counter_group */
    const char *key; /* "stalls.mshr": dots nest in JSON */
    const char *unit, *help;
    uint32_t offset; /* in struct run_stats */
};

extern const struct counter_desc counter_descs[]; /* ends with a NULL key */
extern const char *const counter_group_names[GROUP_COUNT];

static inline uint64_t counter_value(const struct run_stats *s, const struct counter_desc *d)
{
    return *(const uint64_t *)(const void *)((const char *)s + d->offset);
}

/* total += part, field by field, for structs of uint64_t only. */
static inline void stats_add(void *total, const void *part, unsigned bytes)
{
    uint64_t *t = total;
    const uint64_t *p = part;
    for (unsigned i = 0; i < bytes / sizeof(uint64_t); i++) t[i] += p[i];
}

#endif
