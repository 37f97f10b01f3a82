/* modern.h - kernels as in kernels.h for instructions of sm_80 to sm_90: 16-bit formats, packed conversions, products
 * of matrices. ptx_here.c and ptx_on_gpu.c run them when their first argument is "modern". The operands of a product
 * are the operands of the lanes, special values among them: integer and f64 products are to agree in every bit, the
 * others within the bounds of docs/ptx.md. */
#ifndef WL_TESTS_MODERN_H
#define WL_TESTS_MODERN_H

#include "kernels.h"

/* clang-format off */
static const struct kernel modern[] = {
    {"add.rn.bf16x2", 'r', "add.rn.bf16x2 %r, %a, %b;"}, {"sub.rn.bf16x2", 'r', "sub.rn.bf16x2 %r, %a, %b;"},
    {"mul.rn.bf16x2", 'r', "mul.rn.bf16x2 %r, %a, %b;"}, {"fma.rn.bf16x2", 'r', "fma.rn.bf16x2 %r, %a, %b, %c;"},
    {"fma.rn.relu.bf16x2", 'r', "fma.rn.relu.bf16x2 %r, %a, %b, %c;"},
    {"fma.rn.relu.f16x2", 'r', "fma.rn.relu.f16x2 %r, %a, %b, %c;"},
    {"fma.rn.ftz.f16x2", 'r', "fma.rn.ftz.f16x2 %r, %a, %b, %c;"},
    {"min.bf16x2", 'r', "min.bf16x2 %r, %a, %b;"}, {"max.NaN.bf16x2", 'r', "max.NaN.bf16x2 %r, %a, %b;"},
    {"min.xorsign.abs.bf16x2", 'r', "min.xorsign.abs.bf16x2 %r, %a, %b;"},
    {"min.NaN.f16x2", 'r', "min.NaN.f16x2 %r, %a, %b;"},
    {"max.xorsign.abs.f16x2", 'r', "max.xorsign.abs.f16x2 %r, %a, %b;"},
    {"max.xorsign.abs.f32", 'r', "max.xorsign.abs.f32 %r, %a, %b;"},
    {"abs.bf16x2", 'r', "abs.bf16x2 %r, %a;"}, {"neg.bf16x2", 'r', "neg.bf16x2 %r, %a;"},
    {"ex2.approx.ftz.bf16x2", 'r', "ex2.approx.ftz.bf16x2 %r, %a;"},
    {"tanh.approx.bf16x2", 'r', "tanh.approx.bf16x2 %r, %a;"},
    {"set.lt.bf16x2.bf16x2", 'r', "set.lt.bf16x2.bf16x2 %r, %a, %b;"},
    {"set.geu.u32.bf16x2", 'r', "set.geu.u32.bf16x2 %r, %a, %b;"},
    {"set.eq.f16x2.f16x2", 'r', "set.eq.f16x2.f16x2 %r, %a, %b;"},
    {"add.u16x2", 'r', "add.u16x2 %r, %a, %b;"}, {"max.relu.s16x2", 'r', "max.relu.s16x2 %r, %a, %b;"},
    {"cvt.rn.f16x2.f32", 'r', "cvt.rn.f16x2.f32 %r, %a, %b;"},
    {"cvt.rz.f16x2.f32", 'r', "cvt.rz.f16x2.f32 %r, %a, %b;"},
    {"cvt.rn.relu.f16x2.f32", 'r', "cvt.rn.relu.f16x2.f32 %r, %a, %b;"},
    {"cvt.rn.bf16x2.f32", 'r', "cvt.rn.bf16x2.f32 %r, %a, %b;"},
    {"cvt.rz.relu.bf16x2.f32", 'r', "cvt.rz.relu.bf16x2.f32 %r, %a, %b;"},
    {"cvt.rna.tf32.f32", 'r', "cvt.rna.tf32.f32 %r, %a;"},
    {"cvt.rn.relu.tf32.f32", 'r', "cvt.rn.relu.tf32.f32 %r, %a;"},
    {"cvt.rz.tf32.f32", 'r', "cvt.rz.tf32.f32 %r, %a;"},
    {"cvt.rn.satfinite.e4m3x2.f32", 'r', "{ .reg .b16 q; cvt.rn.satfinite.e4m3x2.f32 q, %a, %b; cvt.u32.u16 %r, q; }"},
    {"cvt.rn.satfinite.e5m2x2.f32", 'r', "{ .reg .b16 q; cvt.rn.satfinite.e5m2x2.f32 q, %a, %b; cvt.u32.u16 %r, q; }"},
    {"cvt.rn.satfinite.e4m3x2.f16x2", 'r', "{ .reg .b16 q; cvt.rn.satfinite.e4m3x2.f16x2 q, %a; cvt.u32.u16 %r, q; }"},
    {"cvt.rn.f16x2.e4m3x2", 'r', "{ .reg .b16 q; cvt.u16.u32 q, %a; cvt.rn.f16x2.e4m3x2 %r, q; }"},
    {"cvt.rn.f16x2.e5m2x2", 'r', "{ .reg .b16 q; cvt.u16.u32 q, %a; cvt.rn.f16x2.e5m2x2 %r, q; }"},
    {"cvt.pack.sat.u8.s32.b32", 'r', "cvt.pack.sat.u8.s32.b32 %r, %a, %b, %c;"},
    {"movmatrix", 'r', "movmatrix.sync.aligned.m8n8.trans.b16 %r, %a;"},
#define MMA(shape, types, a, b) "{ .reg .b32 q<4>; mov.b32 q0, 0; mov.b32 q1, 0; mov.b32 q2, 0; mov.b32 q3, 0;" \
    " mma.sync.aligned." shape ".row.col." types " {q0,q1,q2,q3}, " a ", " b ", {q0,q1,q2,q3};" \
    " xor.b32 q0, q0, q1; xor.b32 q2, q2, q3; xor.b32 %r, q0, q2; }"
    {"mma.m16n8k32.s8", 'r', MMA("m16n8k32", "s32.s8.s8.s32", "{%a,%b,%c,%a}", "{%b,%c}")},
    {"mma.m16n8k32.u8.s8", 'r', MMA("m16n8k32.satfinite", "s32.u8.s8.s32", "{%a,%b,%c,%a}", "{%b,%c}")},
    {"mma.m16n8k64.s4", 'r', MMA("m16n8k64", "s32.s4.s4.s32", "{%a,%b,%c,%a}", "{%b,%c}")},
    {"mma.m16n8k16.f16", 'r', MMA("m16n8k16", "f32.f16.f16.f32", "{%a,%b,%c,%a}", "{%b,%c}")},
    {"mma.m16n8k16.bf16", 'r', MMA("m16n8k16", "f32.bf16.bf16.f32", "{%a,%b,%c,%a}", "{%b,%c}")},
    {"mma.m16n8k8.tf32", 'r', MMA("m16n8k8", "f32.tf32.tf32.f32", "{%a,%b,%c,%a}", "{%b,%c}")},
#undef MMA
    {"mma.m8n8k4.f64", 'R', "{ .reg .f64 q<2>; mov.f64 q0, 0d0000000000000000; mov.f64 q1, q0;"
     " mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {q0,q1}, {%A}, {%B}, {q0,q1}; mov.b64 %R, q1; }"},
};
/* clang-format on */
enum { NMODERN = sizeof modern / sizeof *modern };

#endif
