/* ops_v3.c - the lane operations once more, compiled for AVX2, FMA and BMI2. On targets
 * other than x86-64 there is nothing to build. */
#if defined(__x86_64__)
#define OPS_BUILD ops_v3
#include "ptx/ops_body.inc"
#else
typedef int ops_v3_is_empty; /* C wants at least one declaration */
#endif
