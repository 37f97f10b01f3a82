/* ops_choice.c - which of the builds of the lane operations this machine runs. */
#include "ptx/ops.h"

unsigned ops_builds(const struct ops_build *out[3])
{
    unsigned n = 0;
    out[n++] = &ops_base;
#if defined(__x86_64__) && !defined(WL_PLAIN_LANES)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        out[n++] = &ops_v3;
    if (n == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        out[n++] = &ops_v4;
#endif
    return n;
}

static const struct ops_build *best_build(void)
{
    const struct ops_build *b[3] = {0};
    return b[ops_builds(b) - 1];
}

const struct lane_fns *lane_ops(void) { return best_build()->lane; }
const struct lane_fns *mem_ops(void) { return best_build()->mem; }
