/* link_b.cu - see link_a.cu. */
#include "check.h"
#include "link.h"

__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static __device__ int own = 5;
extern __device__ int sum;

__device__ int helper(int x)
{
    if (x == 1) printf("%s says %d\n", "the second object", own);
    return square<int>(x) + own;
}

__global__ void add_sum(int *out) { out[threadIdx.x] += sum; }

void second(int *out) { add_sum<<<1, 32>>>(out); }
