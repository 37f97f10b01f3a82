#include "stats/stats.h"

#include <stddef.h>

const char *const counter_group_names[GROUP_COUNT] = {"sm", "l1d", "l1t", "l1c", "icnt", "l2", "dram", "profile"};

const struct counter_desc counter_descs[] = {
#define C(group, field, key, unit, help)                                                                               \
    {GROUP_##group, key, unit, help, offsetof(struct run_stats, group) + offsetof(struct group##_stats, field)},
#include "stats/counters.def"
#undef C
    {0, NULL, NULL, NULL, 0},
};
