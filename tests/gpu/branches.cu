/* branches.cu - what branches cost: cycles of a round of a loop with an 'if', an 'if' with 'else', two nested ones, a
 * loop whose trips differ by lane, or a way out, around bodies of K dependent multiply-adds. Lanes take it that have (x
 * & m) == k. One warp shows the latency, 32 warps the instructions that are issued (4 schedulers). */
#include <cstdio>
#include <cstdlib>
#include "call.h"

static long long *d_out;
static int *d_sink;

template <int K> __device__ __forceinline__ void body(int &y)
{
#pragma unroll
    for (int k = 0; k < K; k++) asm volatile("mad.lo.s32 %0,%0,5,1;" : "+r"(y));
}
enum { NONE, IF, IFELSE, NESTED, TRIPS, LEAVE, STORE, FORMS };
static const char *formname[] = {"none", "if", "ifelse", "nested", "trips", "leave", "store"};

template <int FORM, int K> __global__ void rounds_of(long long *out, int n, int *sink, int m, int k)
{
    int x = threadIdx.x, y = 0;
    long long s = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("add.s32 %0,%0,32;" : "+r"(x));
        if (FORM == NONE) body<K>(y);
        if (FORM == IF && (x & m) == k) body<K>(y);
        if (FORM == IFELSE) {
            if ((x & m) == k) body<K>(y);
            else {
                body<K>(y);
                asm volatile("xor.b32 %0,%0,3;" : "+r"(y));
            }
        }
        if (FORM == NESTED && (x & m) == k) {
            body<K>(y);
            if (y & m) body<K>(y);
        }
        if (FORM == TRIPS) {
#pragma unroll 1
            for (int j = 0; j < (x & m) + k; j++) body<K>(y);
        }
        if (FORM == LEAVE) {
#pragma unroll 1
            for (int j = 0; j < 8; j++) {
                body<K>(y);
                if (((x + j) & m) == k) break;
            }
        }
        if (FORM == STORE && (x & m) == k) {
            body<K>(y);
            sink[threadIdx.x] = y;
        }
    }
    long long e = clock64();
    if (x + y == 77) sink[0] = x;
    if (threadIdx.x == 0) out[0] = e - s;
}
template <int FORM, int K> static void measure()
{
    const int cases[][2] = {{0, 0}, {0, 1}, {1, 1}, {7, 1}, {31, 1}};
    for (int th : {32, 1024})
        for (auto &c : cases) {
            if (FORM == NONE && (c[0] || c[1])) continue;
            if (FORM == LEAVE && c[0] == 31) continue;
            long long t[2];
            for (int r = 0; r < 2; r++) {
                rounds_of<FORM, K><<<1, th>>>(d_out, 200 * (r + 1), d_sink, c[0], c[1]);
                CK(cudaDeviceSynchronize());
                CK(cudaMemcpy(&t[r], d_out, 8, cudaMemcpyDeviceToHost));
            }
            printf("branch %s body %d threads %d m %d k %d: %.2f cycles per round\n", formname[FORM], K, th, c[0], c[1],
                   (t[1] - t[0]) / 200.0);
        }
}
template <int FORM> static void sizes()
{
    measure<FORM, 1>(), measure<FORM, 2>(), measure<FORM, 4>(), measure<FORM, 6>(), measure<FORM, 7>(),
        measure<FORM, 8>();
    measure<FORM, 10>(), measure<FORM, 12>(), measure<FORM, 16>(), measure<FORM, 32>();
}
int main()
{
    CK(cudaMalloc(&d_out, 64));
    CK(cudaMalloc(&d_sink, 4096));
    sizes<NONE>(), sizes<IF>(), sizes<IFELSE>(), sizes<NESTED>(), sizes<TRIPS>(), sizes<LEAVE>(), sizes<STORE>();
    return 0;
}
