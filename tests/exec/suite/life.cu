/* life.cu - the game of life on a torus: bytes in pitched memory, a tile with its rim in shared memory, two buffers;
 * beside it the same with 32 cells in a word. */
#include "../check.h"

enum { W = 160, H = 96, TX = 32, TY = 8, STEPS = 12 };

__global__ void by_bytes(const unsigned char *in, unsigned char *out, size_t pitch)
{
    __shared__ unsigned char s[TY + 2][TX + 2];
    int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY, x = threadIdx.x, y = threadIdx.y;
    for (int i = y * TX + x; i < (TX + 2) * (TY + 2); i += TX * TY) {
        int sx = i % (TX + 2), sy = i / (TX + 2);
        s[sy][sx] = in[(y0 + sy - 1 + H) % H * pitch + (x0 + sx - 1 + W) % W];
    }
    __syncthreads();
    int n = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) n += s[y + dy][x + dx];
    n -= s[y + 1][x + 1];
    out[(y0 + y) * pitch + x0 + x] = n == 3 || (n == 2 && s[y + 1][x + 1]);
}

/* Sums of bits, 32 cells at once. */
__global__ void by_words(const unsigned *in, unsigned *out)
{
    enum { WORDS = W / 32 };
    int i = blockIdx.x * blockDim.x + threadIdx.x, w = i % WORDS, y = i / WORDS;
    if (y >= H) return;
    unsigned one = 0, two = 0, four = 0, mine = in[i];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + H) % H * WORDS;
        unsigned a = row[w], left = __funnelshift_l(row[(w + WORDS - 1) % WORDS], a, 1);
        unsigned right = __funnelshift_r(a, row[(w + 1) % WORDS], 1);
        unsigned part[3] = {left, dy ? a : 0, right};
        for (int k = 0; k < 3; k++) {
            unsigned carry = one & part[k];
            one ^= part[k];
            four |= two & carry;
            two ^= carry;
        }
    }
    out[i] = ~four & two & (one | mine);
}

int main()
{
    static unsigned char cell[H][W], next[H][W], got[H][W];
    static unsigned word[H * W / 32];
    unsigned char *a, *b;
    unsigned *wa, *wb, seed = 9;
    size_t pitch, again;
    for (int i = 0; i < H * W; i++) cell[i / W][i % W] = (seed = seed * 1664525 + 1013904223) >> 31;
    for (int i = 0; i < H * W; i++) word[i / 32] |= (unsigned)cell[i / W][i % W] << i % 32;
    CUDA(cudaMallocPitch(&a, &pitch, W, H));
    CUDA(cudaMallocPitch(&b, &again, W, H));
    CHECK(pitch == again && pitch >= W);
    CUDA(cudaMalloc(&wa, sizeof word));
    CUDA(cudaMalloc(&wb, sizeof word));
    CUDA(cudaMemcpy2D(a, pitch, cell, W, W, H, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(wa, word, sizeof word, cudaMemcpyHostToDevice));
    for (int s = 0; s < STEPS; s += 2) {
        by_bytes<<<dim3(W / TX, H / TY), dim3(TX, TY)>>>(a, b, pitch);
        by_bytes<<<dim3(W / TX, H / TY), dim3(TX, TY)>>>(b, a, pitch);
        by_words<<<(H * W / 32 + 63) / 64, 64>>>(wa, wb);
        by_words<<<(H * W / 32 + 63) / 64, 64>>>(wb, wa);
    }
    CUDA(cudaMemcpy2D(got, W, a, pitch, W, H, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(word, wa, sizeof word, cudaMemcpyDeviceToHost));
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < H * W; i++) {
            int x = i % W, y = i / W, n = -cell[y][x];
            for (int k = 0; k < 9; k++) n += cell[(y + k / 3 - 1 + H) % H][(x + k % 3 - 1 + W) % W];
            next[y][x] = n == 3 || (n == 2 && cell[y][x]);
        }
        for (int i = 0; i < H * W; i++) cell[i / W][i % W] = next[i / W][i % W];
    }
    for (int i = 0; i < H * W; i++) {
        CHECK(got[i / W][i % W] == cell[i / W][i % W]);
        CHECK((word[i / 32] >> i % 32 & 1) == cell[i / W][i % W]);
    }
    printf("life ok\n");
    return 0;
}
