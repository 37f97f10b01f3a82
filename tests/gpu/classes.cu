/* classes.cu - how long each kind of instruction takes on this GPU, and how many of them an SM finishes per cycle.
 *
 *     nvcc -O3 -arch=native tests/gpu/classes.cu -o classes && ./classes
 *
 * A line is "name latency rate": cycles from one to the next in a dependent chain of one warp, and repetitions per
 * cycle of one SM with 32 warps of four chains each. What stands between braces is one repetition; a name with two
 * instructions in it, as f2d_d2f, is a pair. Lanes hold different values, so that nothing moves to the uniform
 * datapath. */
#include <cstdio>

#define KERNEL(name, text, type, letter)                                                                               \
    template <int CHAINS> __global__ void k_##name(int rounds, type b, type c, long long *out)                         \
    {                                                                                                                  \
        type x[CHAINS], sum = 0;                                                                                       \
        for (int i = 0; i < CHAINS; i++) x[i] = threadIdx.x * 7 + i + b;                                               \
        __syncthreads();                                                                                               \
        long long from = clock64();                                                                                    \
        for (int r = 0; r < rounds; r++) {                                                                             \
            _Pragma("unroll") for (int j = 0; j < 64; j++)                                                             \
                asm volatile("{" text "}" : "+" #letter(x[j % CHAINS]) : #letter(b), #letter(c));                      \
        }                                                                                                              \
        for (int i = 0; i < CHAINS; i++) sum += x[i];                                                                  \
        if (sum == (type)77777) out[9] = 1; /* the results count */                                                    \
        __syncthreads();                                                                                               \
        if (!threadIdx.x) *out = clock64() - from;                                                                     \
    }

#define PAIR(type, first, second) ".reg ." type " t;" first second
#define TEST(type)                                                                                                     \
    ".reg .pred p; setp.lt." type " p, %0, %1; selp." type " %0, %1, %2, p;"
#define ALL(X)                                                                                                         \
    X(i2f, "cvt.rn.f32.s32 %0, %0;", int, r)                                                                           \
    X(f2i, "cvt.rzi.s32.f32 %0, %0;", int, r)                                                                          \
    X(f2d_d2f, PAIR("f64", "cvt.f64.f32 t, %0;", "cvt.rn.f32.f64 %0, t;"), float, f)                                   \
    X(i2d_d2i, PAIR("f64", "cvt.rn.f64.s32 t, %0;", "cvt.rzi.s32.f64 %0, t;"), int, r)                                 \
    X(l2d_d2l, PAIR("f64", "cvt.rn.f64.s64 t, %0;", "cvt.rzi.s64.f64 %0, t;"), long long, l)                           \
    X(f2h_h2f, PAIR("f16", "cvt.rn.f16.f32 t, %0;", "cvt.f32.f16 %0, t;"), float, f)                                   \
    X(round, "cvt.rni.f32.f32 %0, %0;", float, f)                                                                      \
    X(popc, "popc.b32 %0, %0;", int, r)                                                                                \
    X(bfind, "bfind.u32 %0, %0;", int, r)                                                                              \
    X(brev_add, "brev.b32 %0, %0; add.s32 %0, %0, %1;", int, r)                                                        \
    X(shl, "shl.b32 %0, %0, %1;", int, r)                                                                              \
    X(prmt, "prmt.b32 %0, %0, %1, %2;", int, r)                                                                        \
    X(setp_selp_s32, TEST("s32"), int, r)                                                                              \
    X(setp_selp_f32, TEST("f32"), float, f)                                                                            \
    X(setp_selp_f64, TEST("f64"), double, d)                                                                           \
    X(setp_ballot, ".reg .pred p; setp.lt.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;", int, r)                     \
    X(min_f64, "min.f64 %0, %0, %1;", double, d)                                                                       \
    X(neg_add_f64, PAIR("f64", "neg.f64 t, %0;", "add.f64 %0, t, %1;"), double, d)                                     \
    X(sqrt_rn_f32, "sqrt.rn.f32 %0, %0;", float, f)                                                                    \
    X(rcp_rn_f32, "rcp.rn.f32 %0, %0;", float, f)                                                                      \
    X(sqrt_rn_f64, "sqrt.rn.f64 %0, %0;", double, d)                                                                   \
    X(rcp_rn_f64, "rcp.rn.f64 %0, %0;", double, d)                                                                     \
    X(dp4a, "dp4a.s32.s32 %0, %0, %1, %2;", int, r)                                                                    \
    X(rem, "rem.u32 %0, %0, %1;", int, r)

ALL(KERNEL)

#define MEASURE(name, text, type, letter)                                                                              \
    k_##name<1><<<1, 32>>>(64, 3, 5, out);                                                                             \
    cudaMemcpy(&took, out, 8, cudaMemcpyDefault);                                                                      \
    printf(#name " %.2f", took / 4096.0);                                                                              \
    k_##name<4><<<1, 1024>>>(16, 3, 5, out);                                                                           \
    cudaMemcpy(&took, out, 8, cudaMemcpyDefault);                                                                      \
    printf(" %.2f\n", 1048576.0 / took);

int main()
{
    long long *out, took;
    if (cudaMalloc(&out, 128) != cudaSuccess) return 1;
    ALL(MEASURE)
    return cudaDeviceSynchronize() != cudaSuccess;
}
