/* ops_base.c - the lane operations for any machine, and the choice between the builds. */
#define LANE_TABLE lane_ops_base
#include "ptx/ops_body.inc"

const struct lane_fns *lane_ops(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return lane_ops_v3;
#endif
    return lane_ops_base;
}
