/* strings.cu - text: where a pattern stands (a table of jumps per thread, overlapping pieces), how often each word
 * length occurs, the distance of two words along diagonals, and upper case four letters at a time. */
#include <cstring>

#include "../check.h"

enum { N = 6000, M = 48 };

__global__ void find(const char *text, int n, const char *pattern, int m, int *place, int *count)
{
    __shared__ int fail[32];
    if (!threadIdx.x) {
        fail[0] = 0;
        for (int i = 1, k = 0; i < m; fail[i++] = k) {
            while (k && pattern[i] != pattern[k]) k = fail[k - 1];
            k += pattern[i] == pattern[k];
        }
    }
    __syncthreads();
    int each = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    int from = each * (blockIdx.x * blockDim.x + threadIdx.x), to = min(from + each + m - 1, n);
    for (int i = from, k = 0; i < to; i++) {
        while (k && text[i] != pattern[k]) k = fail[k - 1];
        k += text[i] == pattern[k];
        if (k < m) continue;
        place[atomicAdd(count, 1)] = i - m + 1;
        k = fail[k - 1];
    }
}

/* Edit distance: one diagonal of the table after another. */
__global__ void distance(const char *a, const char *b, int *out)
{
    __shared__ short d[3][M + 1];
    int i = threadIdx.x;
    for (int s = 0; s <= 2 * M; s++) {
        int j = s - i;
        short *now = d[s % 3], *one = d[(s + 2) % 3], *two = d[(s + 1) % 3];
        if (i <= M && j >= 0 && j <= M) {
            if (!i || !j) now[i] = (short)(i + j);
            else now[i] = (short)min(min(one[i] + 1, one[i - 1] + 1), two[i - 1] + (a[i - 1] != b[j - 1]));
        }
        __syncthreads();
    }
    if (!i) *out = d[2 * M % 3][M];
}

__global__ void upper(unsigned *word, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w = word[i], lower = __vcmpgeu4(w, 0x61616161) & __vcmpleu4(w, 0x7a7a7a7a);
    word[i] = w ^ (lower & 0x20202020);
}

int main()
{
    static char text[N + 1], big[N + 1];
    static int place[N];
    const char *pattern = "abab";
    char a[M + 1] = {}, b[M + 1] = {}, *dtext, *da;
    int *dplace, *dcount, count, want = 0, far, row[M + 1];
    for (int i = 0; i < N; i++) text[i] = "abc de"[i * i % 7 % 6];
    for (int i = 100; i < 5000; i += 613) memcpy(text + i, "ababab", 6);
    for (int i = 0; i < M; i++) a[i] = (char)('a' + i * 5 % 7), b[i] = (char)('a' + i * 3 % 7);
    CUDA(cudaMalloc(&dtext, N));
    CUDA(cudaMalloc(&da, 256));
    CUDA(cudaMalloc(&dplace, sizeof place));
    CUDA(cudaMalloc(&dcount, 4));
    CUDA(cudaMemcpy(dtext, text, N, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(da, pattern, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dcount, 0, 4));
    find<<<3, 64>>>(dtext, N, da, 4, dplace, dcount);
    CUDA(cudaMemcpy(&count, dcount, 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(place, dplace, sizeof place, cudaMemcpyDeviceToHost));
    for (const char *p = strstr(text, pattern); p; p = strstr(p + 1, pattern)) {
        int seen = 0;
        for (int i = 0; i < count; i++) seen += place[i] == p - text;
        CHECK(seen == 1);
        want++;
    }
    CHECK(count == want && want >= 16);

    CUDA(cudaMemcpy(da, a, M, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(da + 64, b, M, cudaMemcpyHostToDevice));
    distance<<<1, 64>>>(da, da + 64, dcount);
    CUDA(cudaMemcpy(&far, dcount, 4, cudaMemcpyDeviceToHost));
    for (int j = 0; j <= M; j++) row[j] = j;
    for (int i = 1; i <= M; i++)
        for (int j = 1, corner = row[0]++; j <= M; j++) {
            int old = row[j], best = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            corner = old;
        }
    CHECK(far == row[M]);

    upper<<<(N / 4 + 127) / 128, 128>>>((unsigned *)dtext, N / 4);
    CUDA(cudaMemcpy(big, dtext, N, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(big[i] == (text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]));
    printf("strings ok\n");
    return 0;
}
