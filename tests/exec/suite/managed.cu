/* managed.cu - unified memory: a list that the host builds and kernels walk, managed variables, advice and prefetches. */
#include "../check.h"

struct node {
    int value;
    node *next;
};
__managed__ int total;
__managed__ float table[64];

__global__ void walk(const node *n)
{
    int sum = 0;
    for (; n; n = n->next) sum += n->value;
    atomicAdd(&total, sum);
}
__global__ void fill(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = table[i % 64] * 2;
}

int main()
{
    enum { LENGTH = 100, N = 3000 };
    node *head = NULL;
    float *x;
    for (int i = 0; i < LENGTH; i++) {
        node *n;
        CUDA(cudaMallocManaged(&n, sizeof *n));
        n->value = i;
        n->next = head;
        head = n;
    }
    walk<<<2, 1>>>(head);
    CUDA(cudaDeviceSynchronize());
    CHECK(total == 2 * (LENGTH * (LENGTH - 1) / 2));
    CUDA(cudaMallocManaged(&x, N * sizeof(float), cudaMemAttachGlobal));
    for (int i = 0; i < 64; i++) table[i] = (float)i;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CUDA(cudaMemAdvise(x, N * sizeof(float), cudaMemAdviseSetPreferredLocation, here));
    CUDA(cudaMemPrefetchAsync(x, N * sizeof(float), here, 0, 0));
    fill<<<(N + 127) / 128, 128>>>(x, N);
    CUDA(cudaMemPrefetchAsync(x, N * sizeof(float), host, 0, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) CHECK(x[i] == (float)(i % 64) * 2);
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, x));
    CHECK(a.devicePointer == x && a.hostPointer == x && a.type == cudaMemoryTypeManaged);
    CUDA(cudaPointerGetAttributes(&a, &table[3]));
    CHECK(a.type == cudaMemoryTypeManaged);
    float *alone;
    CUDA(cudaMalloc(&alone, 64));
    CUDA(cudaPointerGetAttributes(&a, alone));
    CHECK(a.type == cudaMemoryTypeDevice && !a.hostPointer);
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamAttachMemAsync(s, x, 0, cudaMemAttachSingle));
    CUDA(cudaFree(x));
    printf("managed ok\n");
    return 0;
}
