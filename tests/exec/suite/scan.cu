/* scan.cu - prefix sums of any length: up and down sweeps in blocks, the blocks' sums scanned by the same kernel, and
 * a compaction of what passes a test that keeps the order. */
#include "../check.h"

enum { BLOCK = 128, PIECE = 2 * BLOCK, N = 10007 };

__global__ void scan_pieces(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x, base = blockIdx.x * PIECE;
    for (int k = 0; k < 2; k++) s[t + k * BLOCK] = base + t + k * BLOCK < n ? in[base + t + k * BLOCK] : 0;
    int stride = 1;
    for (int d = BLOCK; d; d /= 2, stride *= 2) {
        __syncthreads();
        if (t < d) s[stride * (2 * t + 2) - 1] += s[stride * (2 * t + 1) - 1];
    }
    __syncthreads();
    if (!t) sums[blockIdx.x] = s[PIECE - 1], s[PIECE - 1] = 0;
    for (int d = 1; d <= BLOCK; d *= 2) {
        stride /= 2;
        __syncthreads();
        if (t >= d) continue;
        int low = stride * (2 * t + 1) - 1, high = stride * (2 * t + 2) - 1, x = s[low];
        s[low] = s[high];
        s[high] += x;
    }
    __syncthreads();
    for (int k = 0; k < 2; k++)
        if (base + t + k * BLOCK < n) out[base + t + k * BLOCK] = s[t + k * BLOCK];
}
__global__ void add_sums(int *out, const int *sums, int n)
{
    int i = blockIdx.x * PIECE + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
    if (i + BLOCK < n) out[i + BLOCK] += sums[blockIdx.x];
}
__global__ void flags(const int *in, int *flag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flag[i] = in[i] % 3 == 0;
}
__global__ void scatter(const int *in, const int *flag, const int *at, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag[i]) out[at[i]] = in[i];
}

static void scan(const int *in, int *out, int n)
{
    int pieces = (n + PIECE - 1) / PIECE, *sums, *before;
    CUDA(cudaMalloc(&sums, 4 * pieces));
    CUDA(cudaMalloc(&before, 4 * pieces));
    scan_pieces<<<pieces, BLOCK, 4 * PIECE>>>(in, out, sums, n);
    if (pieces > 1) {
        scan(sums, before, pieces);
        add_sums<<<pieces, BLOCK>>>(out, before, n);
    }
    CUDA(cudaFree(sums));
    CUDA(cudaFree(before));
}

int main()
{
    static int in[N], out[N], kept[N];
    int *din, *dout, *dflag, *dkept, sum = 0, n = 0;
    for (int i = 0; i < N; i++) in[i] = i * 37 % 101;
    CUDA(cudaMalloc(&din, sizeof in));
    CUDA(cudaMalloc(&dout, sizeof out));
    CUDA(cudaMalloc(&dflag, sizeof in));
    CUDA(cudaMalloc(&dkept, sizeof in));
    CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    scan(din, dout, N);
    CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; sum += in[i++]) CHECK(out[i] == sum);
    flags<<<(N + 255) / 256, 256>>>(din, dflag, N);
    scan(dflag, dout, N);
    scatter<<<(N + 255) / 256, 256>>>(din, dflag, dout, dkept, N);
    CUDA(cudaMemcpy(kept, dkept, sizeof kept, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (in[i] % 3 == 0) CHECK(kept[n++] == in[i]);
    CHECK(n > N / 4);
    printf("scan ok\n");
    return 0;
}
