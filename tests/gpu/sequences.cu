/* sequences.cu - how many machine instructions an operation of PTX is: sixteen of each, one behind the other, in a kernel of
 * one warp. docs/results/h200-sequences.txt has what
 *   nvcc -O3 -arch=sm_90 sequences.cu && ncu --metrics smsp__inst_executed.sum,smsp__inst_executed_pipe_alu.sum,... ./a.out
 * counted; assemble.c has the sequences. */
#include <cstdio>

#define ONE(name, type, letter, first, text)                                                                           \
    extern "C" __global__ void k_##name(type *p, type b)                                                               \
    {                                                                                                                  \
        type a = p[threadIdx.x];                                                                                       \
        _Pragma("unroll") for (int i = 0; i < 16; i++) asm volatile(text : "=" letter(a) : letter(a));                 \
        p[threadIdx.x] = a;                                                                                            \
    }
#define TWO(name, type, letter, first, text)                                                                           \
    extern "C" __global__ void k_##name(type *p, type b)                                                               \
    {                                                                                                                  \
        type a = p[threadIdx.x];                                                                                       \
        _Pragma("unroll") for (int i = 0; i < 16; i++) asm volatile(text : "=" letter(a) : letter(a), letter(b));      \
        p[threadIdx.x] = a;                                                                                            \
    }
/* clang-format off */
#define LIST \
    TWO(div_rn_f32, float, "f", 1.7, "div.rn.f32 %0,%1,%2;") \
    TWO(div_full_f32, float, "f", 1.7, "div.full.f32 %0,%1,%2;") \
    TWO(div_approx_f32, float, "f", 1.7, "div.approx.f32 %0,%1,%2;") \
    TWO(div_rn_ftz_f32, float, "f", 1.7, "div.rn.ftz.f32 %0,%1,%2;") \
    TWO(add_f32, float, "f", 1.7, "add.f32 %0,%1,%2;") \
    TWO(mul_f32, float, "f", 1.7, "mul.f32 %0,%1,%2;") \
    TWO(fma_rn_f32, float, "f", 1.7, "fma.rn.f32 %0,%1,%2,%2;") \
    TWO(min_f32, float, "f", 1.7, "min.f32 %0,%1,%2;") \
    TWO(copysign_f32, float, "f", 1.7, "copysign.f32 %0,%1,%2;") \
    ONE(rcp_rn_f32, float, "f", 1.7, "rcp.rn.f32 %0,%1;") \
    ONE(rcp_approx_f32, float, "f", 1.7, "rcp.approx.f32 %0,%1;") \
    ONE(rcp_approx_ftz_f32, float, "f", 1.7, "rcp.approx.ftz.f32 %0,%1;") \
    ONE(sqrt_rn_f32, float, "f", 1.7, "sqrt.rn.f32 %0,%1;") \
    ONE(sqrt_approx_f32, float, "f", 1.7, "sqrt.approx.f32 %0,%1;") \
    ONE(sqrt_approx_ftz_f32, float, "f", 1.7, "sqrt.approx.ftz.f32 %0,%1;") \
    ONE(rsqrt_approx_f32, float, "f", 1.7, "rsqrt.approx.f32 %0,%1;") \
    ONE(rsqrt_approx_ftz_f32, float, "f", 1.7, "rsqrt.approx.ftz.f32 %0,%1;") \
    ONE(ex2_approx_f32, float, "f", 1.7, "ex2.approx.f32 %0,%1;") \
    ONE(ex2_approx_ftz_f32, float, "f", 1.7, "ex2.approx.ftz.f32 %0,%1;") \
    ONE(lg2_approx_f32, float, "f", 1.7, "lg2.approx.f32 %0,%1;") \
    ONE(lg2_approx_ftz_f32, float, "f", 1.7, "lg2.approx.ftz.f32 %0,%1;") \
    ONE(sin_approx_f32, float, "f", 1.7, "sin.approx.f32 %0,%1;") \
    ONE(cos_approx_f32, float, "f", 1.7, "cos.approx.f32 %0,%1;") \
    ONE(sin_approx_ftz_f32, float, "f", 1.7, "sin.approx.ftz.f32 %0,%1;") \
    ONE(tanh_approx_f32, float, "f", 1.7, "tanh.approx.f32 %0,%1;") \
    ONE(abs_f32, float, "f", 1.7, "abs.f32 %0,%1;") \
    ONE(neg_f32, float, "f", 1.7, "neg.f32 %0,%1;") \
    ONE(cvt_rni_f32_f32, float, "f", 1.7, "cvt.rni.f32.f32 %0,%1;") \
    ONE(cvt_rzi_f32_f32, float, "f", 1.7, "cvt.rzi.f32.f32 %0,%1;") \
    ONE(cvt_sat_f32_f32, float, "f", 1.7, "cvt.sat.f32.f32 %0,%1;") \
    TWO(div_rn_f64, double, "d", 1.7, "div.rn.f64 %0,%1,%2;") \
    TWO(add_f64, double, "d", 1.7, "add.f64 %0,%1,%2;") \
    TWO(mul_f64, double, "d", 1.7, "mul.f64 %0,%1,%2;") \
    TWO(fma_rn_f64, double, "d", 1.7, "fma.rn.f64 %0,%1,%2,%2;") \
    TWO(min_f64, double, "d", 1.7, "min.f64 %0,%1,%2;") \
    TWO(copysign_f64, double, "d", 1.7, "copysign.f64 %0,%1,%2;") \
    ONE(rcp_rn_f64, double, "d", 1.7, "rcp.rn.f64 %0,%1;") \
    ONE(sqrt_rn_f64, double, "d", 1.7, "sqrt.rn.f64 %0,%1;") \
    ONE(rsqrt_approx_f64, double, "d", 1.7, "rsqrt.approx.f64 %0,%1;") \
    ONE(rcp_approx_ftz_f64, double, "d", 1.7, "rcp.approx.ftz.f64 %0,%1;") \
    ONE(abs_f64, double, "d", 1.7, "abs.f64 %0,%1;") \
    ONE(neg_f64, double, "d", 1.7, "neg.f64 %0,%1;") \
    ONE(cvt_rni_f64_f64, double, "d", 1.7, "cvt.rni.f64.f64 %0,%1;") \
    TWO(div_s32, int, "r", 1000, "div.s32 %0,%1,%2;") \
    TWO(div_u32, int, "r", 1000, "div.u32 %0,%1,%2;") \
    TWO(rem_s32, int, "r", 1000, "rem.s32 %0,%1,%2;") \
    TWO(rem_u32, int, "r", 1000, "rem.u32 %0,%1,%2;") \
    TWO(add_s32, int, "r", 1000, "add.s32 %0,%1,%2;") \
    TWO(sub_s32, int, "r", 1000, "sub.s32 %0,%1,%2;") \
    TWO(mul_lo_s32, int, "r", 1000, "mul.lo.s32 %0,%1,%2;") \
    TWO(mul_hi_s32, int, "r", 1000, "mul.hi.s32 %0,%1,%2;") \
    TWO(mul_hi_u32, int, "r", 1000, "mul.hi.u32 %0,%1,%2;") \
    TWO(mul24_lo_s32, int, "r", 1000, "mul24.lo.s32 %0,%1,%2;") \
    TWO(mad_lo_s32, int, "r", 1000, "mad.lo.s32 %0,%1,%2,%2;") \
    TWO(min_s32, int, "r", 1000, "min.s32 %0,%1,%2;") \
    TWO(max_u32, int, "r", 1000, "max.u32 %0,%1,%2;") \
    TWO(and_b32, int, "r", 1000, "and.b32 %0,%1,%2;") \
    TWO(xor_b32, int, "r", 1000, "xor.b32 %0,%1,%2;") \
    TWO(shl_b32, int, "r", 1000, "shl.b32 %0,%1,%2;") \
    TWO(shr_s32, int, "r", 1000, "shr.s32 %0,%1,%2;") \
    TWO(shr_u32, int, "r", 1000, "shr.u32 %0,%1,%2;") \
    TWO(bfe_u32, int, "r", 1000, "bfe.u32 %0,%1,%2,8;") \
    TWO(bfe_s32, int, "r", 1000, "bfe.s32 %0,%1,%2,8;") \
    ONE(bfe_const, int, "r", 1000, "bfe.u32 %0,%1,4,8;") \
    TWO(bfi_b32, int, "r", 1000, "bfi.b32 %0,%1,%2,%2,8;") \
    TWO(prmt_b32, int, "r", 1000, "prmt.b32 %0,%1,%2,%2;") \
    TWO(sad_s32, int, "r", 1000, "sad.s32 %0,%1,%2,%2;") \
    TWO(lop3_b32, int, "r", 1000, "lop3.b32 %0,%1,%2,%2,0x96;") \
    TWO(shf_l_wrap_b32, int, "r", 1000, "shf.l.wrap.b32 %0,%1,%2,%2;") \
    TWO(dp4a_s32_s32, int, "r", 1000, "dp4a.s32.s32 %0,%1,%2,%2;") \
    ONE(abs_s32, int, "r", 1000, "abs.s32 %0,%1;") \
    ONE(neg_s32, int, "r", 1000, "neg.s32 %0,%1;") \
    ONE(not_b32, int, "r", 1000, "not.b32 %0,%1;") \
    ONE(popc_b32, int, "r", 1000, "popc.b32 %0,%1;") \
    ONE(clz_b32, int, "r", 1000, "clz.b32 %0,%1;") \
    ONE(brev_b32, int, "r", 1000, "brev.b32 %0,%1;") \
    ONE(bfind_u32, int, "r", 1000, "bfind.u32 %0,%1;") \
    ONE(bfind_s32, int, "r", 1000, "bfind.s32 %0,%1;") \
    TWO(div_s64, long long, "l", 100000000000, "div.s64 %0,%1,%2;") \
    TWO(div_u64, long long, "l", 100000000000, "div.u64 %0,%1,%2;") \
    TWO(rem_s64, long long, "l", 100000000000, "rem.s64 %0,%1,%2;") \
    TWO(rem_u64, long long, "l", 100000000000, "rem.u64 %0,%1,%2;") \
    TWO(add_s64, long long, "l", 100000000000, "add.s64 %0,%1,%2;") \
    TWO(sub_s64, long long, "l", 100000000000, "sub.s64 %0,%1,%2;") \
    TWO(mul_lo_s64, long long, "l", 100000000000, "mul.lo.s64 %0,%1,%2;") \
    TWO(mul_hi_s64, long long, "l", 100000000000, "mul.hi.s64 %0,%1,%2;") \
    TWO(mul_hi_u64, long long, "l", 100000000000, "mul.hi.u64 %0,%1,%2;") \
    TWO(mad_lo_s64, long long, "l", 100000000000, "mad.lo.s64 %0,%1,%2,%2;") \
    TWO(min_s64, long long, "l", 100000000000, "min.s64 %0,%1,%2;") \
    TWO(max_u64, long long, "l", 100000000000, "max.u64 %0,%1,%2;") \
    TWO(and_b64, long long, "l", 100000000000, "and.b64 %0,%1,%2;") \
    TWO(xor_b64, long long, "l", 100000000000, "xor.b64 %0,%1,%2;") \
    ONE(abs_s64, long long, "l", 100000000000, "abs.s64 %0,%1;") \
    ONE(neg_s64, long long, "l", 100000000000, "neg.s64 %0,%1;") \
    ONE(not_b64, long long, "l", 100000000000, "not.b64 %0,%1;") \
    ONE(shl_b64_c, long long, "l", 100000000000, "shl.b64 %0,%1,5;") \
    ONE(shr_s64_c, long long, "l", 100000000000, "shr.s64 %0,%1,5;") \
    ONE(shr_u64_c, long long, "l", 100000000000, "shr.u64 %0,%1,5;") \
    TWO(shl_b64_r, long long, "l", 100000000000, "{.reg .b32 q; cvt.u32.u64 q,%2; shl.b64 %0,%1,q;}") \
    TWO(setp_selp_s64, long long, "l", 100000000000, "{.reg .pred q; setp.lt.s64 q,%1,%2; selp.b64 %0,%1,%2,q;}") \
    TWO(setp_selp_s32, int, "r", 1000, "{.reg .pred q; setp.lt.s32 q,%1,%2; selp.b32 %0,%1,%2,q;}") \
    TWO(setp_selp_f64, double, "d", 1.7, "{.reg .pred q; setp.lt.f64 q,%1,%2; selp.f64 %0,%1,%2,q;}") \
    TWO(setp_selp_f32, float, "f", 1.7, "{.reg .pred q; setp.lt.f32 q,%1,%2; selp.f32 %0,%1,%2,q;}") \
    ONE(f2i2f, float, "f", 1.7, "{.reg .s32 q; cvt.rzi.s32.f32 q,%1; cvt.rn.f32.s32 %0,q;}") \
    ONE(f2u2f, float, "f", 1.7, "{.reg .u32 q; cvt.rzi.u32.f32 q,%1; cvt.rn.f32.u32 %0,q;}") \
    ONE(f2l2f, float, "f", 1.7, "{.reg .s64 q; cvt.rzi.s64.f32 q,%1; cvt.rn.f32.s64 %0,q;}") \
    ONE(f2d2f, float, "f", 1.7, "{.reg .f64 q; cvt.f64.f32 q,%1; cvt.rn.f32.f64 %0,q;}") \
    ONE(f2h2f, float, "f", 1.7, "{.reg .f16 q; cvt.rn.f16.f32 q,%1; cvt.f32.f16 %0,q;}") \
    ONE(d2i2d, double, "d", 1.7, "{.reg .s32 q; cvt.rzi.s32.f64 q,%1; cvt.rn.f64.s32 %0,q;}") \
    ONE(d2l2d, double, "d", 1.7, "{.reg .s64 q; cvt.rzi.s64.f64 q,%1; cvt.rn.f64.s64 %0,q;}") \
    ONE(i2b2i, int, "r", 1000, "{.reg .s8 q; cvt.s8.s32 q,%1; cvt.s32.s8 %0,q;}") \
    ONE(i2s2i, int, "r", 1000, "{.reg .s16 q; cvt.s16.s32 q,%1; cvt.s32.s16 %0,q;}") \
    ONE(i2l_add, int, "r", 1000, "{.reg .s64 q; cvt.s64.s32 q,%1; add.s64 q,q,77; cvt.u32.u64 %0,q;}") \
    ONE(mulwide_add, long long, "l", 100000000000, "{.reg .s32 q; cvt.u32.u64 q,%1; mul.wide.s32 %0,q,48; add.s64 %0,%0,%1;}") \
    TWO(fns_b32, int, "r", 1000, "fns.b32 %0,%1,%2,1;") \
    ONE(shfl, int, "r", 1000, "shfl.sync.bfly.b32 %0,%1,4,31,0xffffffff;") \
    ONE(vote, int, "r", 1000, "{.reg .pred q; setp.lt.s32 q,%1,5; vote.sync.ballot.b32 %0,q,0xffffffff;}") \
    ONE(match, int, "r", 1000, "match.any.sync.b32 %0,%1,0xffffffff;") \
    ONE(redux, int, "r", 1000, "redux.sync.add.s32 %0,%1,0xffffffff;")
LIST
#undef ONE
#undef TWO
/* clang-format on */
#define TWO ONE
#define ONE(name, type, letter, first, text)                                                                           \
    {                                                                                                                  \
        type h[32];                                                                                                    \
        for (int i = 0; i < 32; i++) h[i] = (type)(first + i);                                                         \
        cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);                                                            \
        k_##name<<<1, 32>>>((type *)p, (type)(first < 2 ? 1.3 : 3));                                                   \
        if (cudaDeviceSynchronize()) return printf("%s failed\n", #name), 1;                                           \
    }
int main()
{
    void *p;
    cudaMalloc(&p, 4096);
    LIST
    return 0;
}
