#include "stats/stats.h"

#include <stddef.h>

const char *const counter_group_names[GROUP_COUNT] = {
#define GROUP(group) #group,
#include "stats/counters.def"
};

const struct counter_desc counter_descs[] = {
#define C(group, field, key, unit, help)                                                                               \
    {GROUP_##group, key, unit, help, offsetof(struct run_stats, group) + offsetof(struct group##_stats, field)},
#include "stats/counters.def"
    {0, NULL, NULL, NULL, 0},
};
