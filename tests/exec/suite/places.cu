/* places.cu - which SM a block runs on, as programs ask that spread their own work: each block adds to its SM's
 * counter, blocks of one SM share a queue, and the parts of the clocks agree with the whole. */
#include "../check.h"

__device__ unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}
__device__ unsigned sm_count()
{
    unsigned n;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(n));
    return n;
}

__global__ void count(unsigned *blocks, unsigned *seen, unsigned *wrong)
{
    unsigned sm = sm_id();
    if (sm >= sm_count()) atomicAdd(wrong, 1);
    if (threadIdx.x == 0) atomicAdd(&blocks[sm], 1);
    __syncthreads();
    if (sm != sm_id()) atomicAdd(wrong, 1); /* a block does not move */
    seen[blockIdx.x * blockDim.x + threadIdx.x] = sm;
}

/* Every SM takes a queue of its own, and what is left of others': each item once. */
__global__ void drain(int *items, unsigned *head, int queues, int each)
{
    for (int q = 0; q < queues; q++) {
        int mine = (int)((sm_id() + q) % queues);
        for (;;) {
            unsigned at = atomicAdd(&head[mine], 1);
            if (at >= (unsigned)each) break;
            atomicAdd(&items[mine * each + at], 1);
        }
    }
}

__global__ void clocks(unsigned long long *out)
{
    unsigned lo, hi, hi2, tlo, thi;
    unsigned long long whole, t;
    asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(hi)::"memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(lo)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(whole)::"memory");
    asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(hi2)::"memory");
    asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(thi)::"memory");
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(tlo)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    out[0] = hi == hi2 ? (unsigned long long)hi << 32 | lo : whole;
    out[1] = whole;
    out[2] = (unsigned long long)thi << 32 | tlo;
    out[3] = t;
}

int main()
{
    enum { BLOCKS = 96, BLOCK = 64, EACH = 20 };
    static unsigned blocks[1024], seen[BLOCKS * BLOCK], wrong;
    unsigned *dblocks, *dseen, *dwrong, used = 0, all = 0;
    unsigned long long t[4], *dt;
    cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    int sms = prop.multiProcessorCount;
    CHECK(sms > 1 && sms <= 1024);
    CUDA(cudaMalloc(&dblocks, sizeof blocks));
    CUDA(cudaMalloc(&dseen, sizeof seen));
    CUDA(cudaMalloc(&dwrong, sizeof wrong));
    CUDA(cudaMemset(dblocks, 0, sizeof blocks));
    CUDA(cudaMemset(dwrong, 0, sizeof wrong));
    count<<<BLOCKS, BLOCK>>>(dblocks, dseen, dwrong);
    CUDA(cudaMemcpy(blocks, dblocks, sizeof blocks, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(seen, dseen, sizeof seen, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&wrong, dwrong, sizeof wrong, cudaMemcpyDeviceToHost));
    CHECK(wrong == 0);
    for (int i = 0; i < 1024; i++) used += blocks[i] > 0, all += blocks[i];
    CHECK(all == BLOCKS && used == (unsigned)(sms < BLOCKS ? sms : BLOCKS)); /* no SM is left idle */
    for (int i = 0; i < BLOCKS * BLOCK; i++) CHECK(seen[i] == seen[i / BLOCK * BLOCK]);

    static int items[1024 * EACH];
    unsigned *head;
    int *ditems;
    CUDA(cudaMalloc(&head, 4 * sms));
    CUDA(cudaMalloc(&ditems, 4 * sms * EACH));
    CUDA(cudaMemset(head, 0, 4 * sms));
    CUDA(cudaMemset(ditems, 0, 4 * sms * EACH));
    drain<<<sms, 32>>>(ditems, head, sms, EACH);
    CUDA(cudaMemcpy(items, ditems, 4 * sms * EACH, cudaMemcpyDeviceToHost));
    for (int i = 0; i < sms * EACH; i++) CHECK(items[i] == 1);

    CUDA(cudaMalloc(&dt, sizeof t));
    clocks<<<1, 1>>>(dt);
    CUDA(cudaMemcpy(t, dt, sizeof t, cudaMemcpyDeviceToHost));
    CHECK(t[0] <= t[1] && t[1] - t[0] < 1000);
    CHECK(t[2] <= t[3] && t[3] - t[2] < 1000);
    printf("places ok\n");
    return 0;
}
