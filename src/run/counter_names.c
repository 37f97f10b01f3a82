#include "run/counter_names.h"

#include <string.h>

static const char *const places[] = {"l1_policy_counters", "l2_policy_counters", "scheduler_counters"};

/* What follows "group." in `name`, or NULL. */
static const char *inside(const char *name, const char *group)
{
    size_t n = strlen(group);
    return strncmp(name, group, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

bool machine_counter(const struct run_stats *s, const char *name, uint64_t *value)
{
    if (strcmp(name, "cycles") == 0) return *value = s->cycles, true;
    if (strcmp(name, "kernels") == 0) return *value = s->kernels, true;
    if (strcmp(name, "warp_instructions") == 0) return *value = s->sm.warp_instructions, true;
    if (strcmp(name, "thread_instructions") == 0) return *value = s->sm.thread_instructions, true;
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        const char *key = inside(name, counter_group_names[d->group]);
        if (key && strcmp(key, d->key) == 0) return *value = counter_value(s, d), true;
    }
    return false;
}

bool counter_by_name(const struct run_stats *s, const struct result_policy *l1, const struct result_policy *l2,
                     const struct result_policy *sched, const char *name, uint64_t *value)
{
    const struct result_policy *const policy[] = {l1, l2, sched};
    for (unsigned p = 0; p < 3; p++) {
        const char *key = inside(name, places[p]);
        if (!key) continue;
        if (strcmp(key, "storage_bits") == 0) return *value = policy[p]->storage_bits, true;
        for (unsigned i = 0; policy[p]->counters && policy[p]->counters[i].name; i++)
            if (strcmp(policy[p]->counters[i].name, key) == 0) return *value = policy[p]->value[i], true;
    }
    return machine_counter(s, name, value);
}

/* Number `index` of a policy's counters; its storage is the last. *index is lowered by how many there are. */
static bool policy_at(const struct result_policy *p, const char *place, unsigned *index, char name[COUNTER_NAME],
                      uint64_t *value)
{
    unsigned n = 0;
    while (p->counters && p->counters[n].name) n++;
    if (*index > n) return *index -= n + 1, false;
    bool storage = *index == n;
    snprintf(name, COUNTER_NAME, "%s.%s", place, storage ? "storage_bits" : p->counters[*index].name);
    *value = storage ? p->storage_bits : p->value[*index];
    return true;
}

bool counter_at(const struct run_result *r, unsigned index, char name[COUNTER_NAME], uint64_t *value)
{
    if (index < 2) {
        snprintf(name, COUNTER_NAME, "%s", index ? "kernels" : "cycles");
        *value = index ? r->stats.kernels : r->stats.cycles;
        return true;
    }
    index -= 2;
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        if (d->group == GROUP_profile && !r->profiled) continue;
        if (index--) continue;
        snprintf(name, COUNTER_NAME, "%s.%s", counter_group_names[d->group], d->key);
        *value = counter_value(&r->stats, d);
        return true;
    }
    const struct result_policy *const policy[] = {&r->l1, &r->l2, &r->sched};
    for (unsigned p = 0; p < 3; p++)
        if (policy_at(policy[p], places[p], &index, name, value)) return true;
    return false;
}
