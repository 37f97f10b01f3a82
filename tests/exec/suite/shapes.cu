/* shapes.cu - virtual functions, new and delete in kernels, pointers to functions in tables, symbols and parameters. */
#include "../check.h"

enum { N = 1000 };

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const { return 4; }
};
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct triangle : shape {
    int base, height;
    __device__ triangle(int b, int h) : base(b), height(h) {}
    __device__ int area() const override { return base * height / 2; }
    __device__ int corners() const override { return 3; }
};

__global__ void make(shape **s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) s[i] = i % 3 ? (shape *)new triangle(i, 4) : (shape *)new square(i);
}
__global__ void measure(shape *const *s, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = 10 * s[i]->area() + s[i]->corners();
}
__global__ void drop(shape **s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) delete s[i];
}

typedef int (*binary)(int, int);
__device__ int sum(int a, int b) { return a + b; }
__device__ int product(int a, int b) { return a * b; }
__device__ int difference(int a, int b) { return a - b; }
__device__ binary table[3] = {sum, product, difference};
__device__ binary chosen = product;

__global__ void apply(binary given, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = given(i, 3) + table[i % 3](i, 5);
}

/* The threads of a warp ask for memory until there is none: together they get what the heap has. */
__global__ void exhaust(unsigned long long *got)
{
    void *last = nullptr;
    for (void **p; (p = (void **)malloc(4096)); last = p) {
        *p = last;
        atomicAdd(got, 4096ull);
    }
    __syncwarp(); /* nobody gives back before all have found it full */
    while (last) {
        void *before = *(void **)last;
        free(last);
        last = before;
    }
}

int main()
{
    shape **s;
    int *out;
    static int host[N];
    binary f;
    const int blocks = (N + 127) / 128;
    unsigned long long *got, total = 0;
    size_t heap;
    CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap == 8 << 20);
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CUDA(cudaMalloc(&s, N * sizeof *s));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMalloc(&got, sizeof *got));
    make<<<blocks, 128>>>(s);
    measure<<<blocks, 128>>>(s, out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(host[i] == (i % 3 ? 10 * (i * 4 / 2) + 3 : 10 * i * i + 4));
    drop<<<blocks, 128>>>(s);
    CUDA(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    apply<<<blocks, 128>>>(f, out);
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(host[i] == 3 * i + (i % 3 == 0 ? i + 5 : i % 3 == 1 ? i * 5 : i - 5));

    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaErrorInvalidValue); /* it is in use */
    (void)cudaGetLastError();
    unsigned long long before = 0;
    CUDA(cudaMemset(got, 0, sizeof *got));
    for (int round = 0; round < 2; round++, before = total) { /* the second finds what the first gave back */
        exhaust<<<1, 32>>>(got);
        CUDA(cudaMemcpy(&total, got, sizeof total, cudaMemcpyDeviceToHost));
        CHECK(total - before > 8 << 20 && total - before <= 16 << 20);
    }
    CUDA(cudaDeviceSynchronize());
    printf("shapes ok\n");
    return 0;
}
