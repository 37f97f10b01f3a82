/* memory.cu - every kind of memory the runtime API hands out, and every way to fill it. */
#include <cstring>

#include "check.h"

__constant__ float scale[4];
static __constant__ int hidden_constant = 7;
__device__ int counter;
static __device__ int hidden = 5;
__managed__ int shared_with_host = 3;
__device__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void use_symbols(float *out)
{
    int i = threadIdx.x;
    out[i] = scale[i & 3] * table[i & 7] + hidden_constant + hidden;
    atomicAdd(&counter, 1);
    if (i == 0) shared_with_host += 39;
}

__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}

__global__ void add_rows(const char *base, size_t pitch, int width, int *sum)
{
    const int *row = (const int *)(base + blockIdx.x * pitch);
    int s = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) s += row[i];
    atomicAdd(sum, s);
}

static void symbols()
{
    float s[4] = {1, 10, 100, 1000}, *out, host[64], part = -1;
    int n = -1, *address;
    size_t bytes;
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMemcpyToSymbol(scale, s, sizeof s));
    CUDA(cudaMemcpyToSymbol(table, &part, sizeof part, 7 * sizeof(float)));
    use_symbols<<<1, 64>>>(out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < 64; i++) CHECK(host[i] == s[i & 3] * ((i & 7) == 7 ? -1 : (i & 7) + 1) + 12);
    CUDA(cudaMemcpyFromSymbol(&n, counter, sizeof n));
    CHECK(n == 64);
    CUDA(cudaGetSymbolAddress((void **)&address, counter));
    CUDA(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == 32);
    CUDA(cudaMemset(address, 0, 4));
    CUDA(cudaMemcpyFromSymbol(&n, counter, sizeof n));
    CHECK(n == 0);
    CUDA(cudaDeviceSynchronize());
    CHECK(shared_with_host == 42);
    CHECK(cudaMemcpyToSymbol(scale, s, sizeof s, 4) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    CUDA(cudaFree(out));
    printf("symbols ok\n");
}

static void host_memory()
{
    int *pinned, *mapped, *seen, *managed;
    CUDA(cudaMallocHost(&pinned, 4096));
    CUDA(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
    CUDA(cudaMallocManaged(&managed, 4096));
    CUDA(cudaHostGetDevicePointer(&seen, mapped, 0));
    for (int i = 0; i < 1024; i++) pinned[i] = mapped[i] = managed[i] = i;
    twice<<<4, 256>>>(seen, 1024);
    twice<<<4, 256>>>(pinned, 1024); /* unified addressing: any pinned memory is seen */
    twice<<<4, 256>>>(managed, 1024);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; i++) CHECK(pinned[i] == 2 * i && mapped[i] == 2 * i && managed[i] == 2 * i);
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, mapped));
    CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == seen);
    CUDA(cudaPointerGetAttributes(&a, &a));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFreeHost(mapped));
    CUDA(cudaFree(managed));
    printf("host memory ok\n");
}

static void pitched()
{
    enum { WIDTH = 100, HEIGHT = 7 };
    int host[HEIGHT][WIDTH], back[HEIGHT][WIDTH], *sum, total = 0, got;
    char *rows;
    size_t pitch;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) total += host[y][x] = y * 1000 + x;
    CUDA(cudaMallocPitch(&rows, &pitch, WIDTH * sizeof(int), HEIGHT));
    CHECK(pitch >= WIDTH * sizeof(int) && pitch % 256 == 0);
    CUDA(cudaMalloc(&sum, sizeof(int)));
    CUDA(cudaMemset(sum, 0, sizeof(int)));
    CUDA(cudaMemset2D(rows, pitch, 0xff, pitch, HEIGHT));
    CUDA(cudaMemcpy2D(rows, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    add_rows<<<HEIGHT, 32>>>(rows, pitch, WIDTH, sum);
    CUDA(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got == total);
    CUDA(cudaMemcpy2D(back, sizeof back[0], rows, pitch, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    CHECK(memcmp(host, back, sizeof host) == 0);
    cudaExtent extent = make_cudaExtent(64, 4, 3);
    cudaPitchedPtr cube;
    CUDA(cudaMalloc3D(&cube, extent));
    CUDA(cudaMemset3D(cube, 1, extent));
    char slice[3][4][64];
    cudaMemcpy3DParms c = {};
    c.srcPtr = cube;
    c.dstPtr = make_cudaPitchedPtr(slice, 64, 64, 4);
    c.extent = extent;
    c.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&c));
    for (int i = 0; i < 3 * 4 * 64; i++) CHECK(((char *)slice)[i] == 1);
    printf("pitched ok\n");
}

static void limits()
{
    void *p = &p;
    size_t free_bytes, total;
    CUDA(cudaMalloc(&p, 0));
    CHECK(p == NULL);
    CUDA(cudaFree(NULL));
    CUDA(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes < total);
    CHECK(cudaMalloc(&p, total + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaFree((void *)0x1234) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy((void *)0x1234, &p, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaGetLastError();
    printf("limits ok\n");
}

int main()
{
    symbols();
    host_memory();
    pitched();
    limits();
    return 0;
}
