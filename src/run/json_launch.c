#include "run/json_launch.h"

#include "sim/gpu.h"

static int add_policy(json_t *to, const char *key, const struct wl_counter *c, const uint64_t *value)
{
    json_t *o = json_object();
    int bad = o ? 0 : -1;
    for (unsigned i = 0; c && c[i].name; i++)
        bad |= json_object_set_new(o, c[i].name, json_integer((json_int_t)value[i]));
    return json_object_set_new(to, key, o) | bad;
}

int json_add_launch_time(json_t *kernel, const struct kernel_record *k)
{
    int bad = json_object_set_new(kernel, "stream", json_integer((json_int_t)k->stream));
    bad |= json_object_set_new(kernel, "begin", json_integer((json_int_t)k->begin));
    bad |= json_object_set_new(kernel, "end", json_integer((json_int_t)k->end));
    if (k->overlap) bad |= json_object_set_new(kernel, "overlap", json_integer((json_int_t)k->overlap));
    return bad;
}

int json_add_launch_policies(json_t *kernel, const struct run_result *r, unsigned i)
{
    const struct policy_stats *p = &r->each_policy[i];
    int bad = add_policy(kernel, "l1_policy_counters", r->l1.counters, p->l1);
    bad |= add_policy(kernel, "l2_policy_counters", r->l2.counters, p->l2);
    return bad | add_policy(kernel, "scheduler_counters", r->sched.counters, p->sched);
}
