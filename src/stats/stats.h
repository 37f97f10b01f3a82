/* stats.h - counters as plain fields, and a table that describes each of them.
 *
 * counters.def is the only list. Each group is a struct of uint64_t, so parts count with
 * `s->hits++`; sums, tables, JSON and CSV walk the descriptors. */
#ifndef WL_STATS_STATS_H
#define WL_STATS_STATS_H

#include <stdint.h>

/* clang-format off */
#define C(group, field, key, unit, help) COUNTER_##group(uint64_t field;)
#define COUNTER_sm(x) x
#define COUNTER_l1d(x)
#define COUNTER_l1t(x)
#define COUNTER_l1c(x)
#define COUNTER_icnt(x)
#define COUNTER_l2(x)
#define COUNTER_dram(x)
#define COUNTER_profile(x)
struct sm_stats {
#include "stats/counters.def"
};
#undef COUNTER_sm
#undef COUNTER_l1d
#define COUNTER_sm(x)
#define COUNTER_l1d(x) x
struct l1d_stats {
#include "stats/counters.def"
};
#undef COUNTER_l1d
#undef COUNTER_l1t
#define COUNTER_l1d(x)
#define COUNTER_l1t(x) x
struct l1t_stats {
#include "stats/counters.def"
};
#undef COUNTER_l1t
#undef COUNTER_l1c
#define COUNTER_l1t(x)
#define COUNTER_l1c(x) x
struct l1c_stats {
#include "stats/counters.def"
};
#undef COUNTER_l1c
#undef COUNTER_icnt
#define COUNTER_l1c(x)
#define COUNTER_icnt(x) x
struct icnt_stats {
#include "stats/counters.def"
};
#undef COUNTER_icnt
#undef COUNTER_l2
#define COUNTER_icnt(x)
#define COUNTER_l2(x) x
struct l2_stats {
#include "stats/counters.def"
};
#undef COUNTER_l2
#undef COUNTER_dram
#define COUNTER_l2(x)
#define COUNTER_dram(x) x
struct dram_stats {
#include "stats/counters.def"
};
#undef COUNTER_dram
#undef COUNTER_profile
#define COUNTER_dram(x)
#define COUNTER_profile(x) x
struct profile_stats {
#include "stats/counters.def"
};
#undef COUNTER_profile
#undef COUNTER_dram
#undef COUNTER_sm
#undef COUNTER_l1d
#undef COUNTER_l1t
#undef COUNTER_l1c
#undef COUNTER_icnt
#undef COUNTER_l2
#undef C
/* clang-format on */

enum counter_group {
    GROUP_sm,
    GROUP_l1d,
    GROUP_l1t,
    GROUP_l1c,
    GROUP_icnt,
    GROUP_l2,
    GROUP_dram,
    GROUP_profile,
    GROUP_COUNT
};

/* Everything one machine counted. */
struct run_stats {
    uint64_t cycles; /* core cycles of all kernels */
    uint64_t kernels;
    struct sm_stats sm;
    struct l1d_stats l1d;
    struct l1t_stats l1t;
    struct l1c_stats l1c;
    struct icnt_stats icnt;
    struct l2_stats l2;
    struct dram_stats dram;
    struct profile_stats profile; /* only with stats.profile */
};

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
