/* rare.h - kernels as in kernels.h for what few programs use: all forms of the video instructions, conversions of
 * 8-bit floats and of bf16, approximate functions of pairs, sparse products, stmatrix, products of warp groups.
 * ptx_here.c and ptx_on_gpu.c run them when their first argument is "rare". Every product is exact, as its operands are
 * integers or made of 0, 2 and -2: it is to agree in every bit. */
#ifndef WL_TESTS_RARE_H
#define WL_TESTS_RARE_H

#include "modern.h"

/* clang-format off */
/* Video: for each combination of types plain, clamped, with parts, with a second operation, and merged into c. */
#define V_FORMS(op, t) \
    {op t, 'r', op t " %r, %a, %b;"}, {op t ".sat", 'r', op t ".sat %r, %a, %b;"}, \
    {op t " parts", 'r', op t " %r, %a.b1, %b.h1;"}, {op t ".sat parts", 'r', op t ".sat %r, %a.h0, %b.b3;"}, \
    {op t ".add", 'r', op t ".add %r, %a, %b.h0, %c;"}, {op t ".sat.add", 'r', op t ".sat.add %r, %a, %b, %c;"}, \
    {op t ".min", 'r', op t ".min %r, %a.h1, %b, %c;"}, {op t ".sat.max", 'r', op t ".sat.max %r, %a, %b, %c;"}, \
    {op t " merge b", 'r', op t " %r.b2, %a, %b, %c;"}, {op t ".sat merge b", 'r', op t ".sat %r.b1, %a, %b, %c;"}, \
    {op t " merge h", 'r', op t " %r.h1, %a.h1, %b.b0, %c;"}, {op t ".sat merge h", 'r', op t ".sat %r.h0, %a, %b, %c;"}
#define V_TYPES(op) V_FORMS(op, ".u32.u32.u32"), V_FORMS(op, ".u32.s32.u32"), V_FORMS(op, ".u32.s32.s32"), \
    V_FORMS(op, ".s32.u32.u32"), V_FORMS(op, ".s32.u32.s32"), V_FORMS(op, ".s32.s32.s32")
#define V_SHIFT(op, t, mode) \
    {op t mode, 'r', op t mode " %r, %a, %b;"}, {op t ".sat" mode, 'r', op t ".sat" mode " %r, %a, %b.b0;"}, \
    {op t mode " parts", 'r', op t mode " %r, %a.h1, %b.b1;"}, {op t mode ".add", 'r', op t mode \
    ".add %r, %a, %b, %c;"}, \
    {op t ".sat" mode ".min", 'r', op t ".sat" mode ".min %r, %a, %b.b3, %c;"}, \
    {op t mode " merge", 'r', op t mode " %r.h1, %a, %b.h0, %c;"}
#define V_SHIFTS(op) V_SHIFT(op, ".u32.u32.u32", ".clamp"), V_SHIFT(op, ".u32.s32.u32", ".wrap"), \
    V_SHIFT(op, ".s32.s32.u32", ".clamp"), V_SHIFT(op, ".s32.u32.u32", ".wrap")
#define V_SET(t, cmp) \
    {"vset" t cmp, 'r', "vset" t cmp " %r, %a, %b;"}, {"vset" t cmp ".add", 'r', "vset" t cmp \
    ".add %r, %a.b3, %b.h1, %c;"}, \
    {"vset" t cmp ".max", 'r', "vset" t cmp ".max %r, %a, %b, %c;"}, \
    {"vset" t cmp " merge", 'r', "vset" t cmp " %r.b3, %a.h0, %b.h1, %c;"}
#define V_MAD(t) \
    {"vmad" t, 'r', "vmad" t " %r, %a.h0, %b.h1, %c;"}, {"vmad" t ".shr7", 'r', "vmad" t ".shr7 %r, %a, %b, %c;"}, \
    {"vmad" t ".sat", 'r', "vmad" t ".sat %r, %a.b1, %b, %c;"}, \
    {"vmad" t ".sat.shr15", 'r', "vmad" t ".sat.shr15 %r, %a, %b, %c;"}, \
    {"vmad" t " -ab", 'r', "vmad" t ".sat %r, -%a.h1, %b.h0, %c;"}, {"vmad" t " -c", 'r', "vmad" t \
    ".sat.shr7 %r, %a, %b, -%c;"}, \
    {"vmad" t ".po", 'r', "vmad" t ".po %r, %a, %b, %c;"}, {"vmad" t ".po.sat", 'r', "vmad" t \
    ".po.sat.shr7 %r, %a.h0, %b.h0, %c;"}
/* Two and four parts: plain, clamped, with chosen parts, added up, masked. */
#define V_SIMD(op, t, all, few, mix, other) \
    {op t, 'r', op t " %r" all ", %a, %b, %c;"}, {op t ".sat", 'r', op t ".sat %r" all ", %a, %b, %c;"}, \
    {op t " mix", 'r', op t " %r" all ", %a" mix ", %b" other ", %c;"}, \
    {op t " few", 'r', op t ".sat %r" few ", %a" other ", %b" mix ", %c;"}, {op t ".add", 'r', op t ".add %r" all \
    ", %a, %b, %c;"}
#define V_SIMD2(op, t) V_SIMD(op "2", t, ".h10", ".h1", ".h30", ".h21")
#define V_SIMD4(op, t) V_SIMD(op "4", t, ".b3210", ".b20", ".b7160", ".b2543")
#define V_PAIRS(op) V_SIMD2(op, ".u32.u32.u32"), V_SIMD2(op, ".s32.u32.s32"), V_SIMD2(op, ".u32.s32.s32"), \
    V_SIMD2(op, ".s32.s32.s32"), \
    V_SIMD4(op, ".u32.u32.u32"), V_SIMD4(op, ".s32.u32.s32"), V_SIMD4(op, ".u32.s32.s32"), V_SIMD4(op, ".s32.s32.s32")
#define V_SETS(n, all, mix, t, cmp) \
    {"vset" n t cmp, 'r', "vset" n t cmp " %r" all ", %a, %b" mix ", %c;"}, \
    {"vset" n t cmp ".add", 'r', "vset" n t cmp ".add %r" all ", %a" mix ", %b, %c;"}

/* Conversions: 16 bits of the operand on one side. */
#define C_TO16(inst) {inst, 'r', "{ .reg .b16 q; " inst " q, %a; cvt.u32.u16 %r, q; }"}
#define C_TO16_2(inst) {inst, 'r', "{ .reg .b16 q; " inst " q, %a, %b; cvt.u32.u16 %r, q; }"}
#define C_OF16(inst) {inst, 'r', "{ .reg .b16 q; cvt.u16.u32 q, %a; " inst " %r, q; }"}
#define C_16TO16(inst) {inst, 'r', "{ .reg .b16 q, s; cvt.u16.u32 q, %a; " inst " s, q; cvt.u32.u16 %r, s; }"}
#define C_16_2(inst) {inst, 'r', "{ .reg .b16 q, s, u; cvt.u16.u32 q, %a; cvt.u16.u32 s, %b; " inst \
    " u, q, s; cvt.u32.u16 %r, u; }"}

/* Products. EXACT makes of every half of a register (EXACT_TF32: of all of it) 0, -0, 2 or -2; META
 * are six nibbles that are allowed, other ones in every lane. */
#define EXACT "and.b32 %a, %a, 0xc000c000; and.b32 %b, %b, 0xc000c000; and.b32 %c, %c, 0xc000c000; "
#define META "and.b32 %t0, %lane, 3; setp.lt.u32 %p, %t0, 2; selp.b32 %t0, 0x4e9dc84d, 0x98ed4c49, %p; " \
    "and.b32 %t1, %lane, 8; setp.eq.u32 %p, %t1, 0; selp.b32 %t1, 0x9c48de4e, %t0, %p; and.b32 %t2, %lane, 1; " \
    "setp.eq.u32 %p, %t2, 0; selp.b32 %t0, %t0, %t1, %p; "
#define EXACT_TF32 "and.b32 %a, %a, 0xc0000000; and.b32 %b, %b, 0xc0000000; and.b32 %c, %c, 0xc0000000; "
#define META_TF32 "and.b32 %t0, %lane, 3; setp.lt.u32 %p, %t0, 2; selp.b32 %t0, 0x4ee4e4e4, 0xe44e4ee4, %p; "
#define SUMS "xor.b32 q0, q0, q1; xor.b32 q2, q2, q3; xor.b32 %r, q0, q2; }"
#define ZEROS "{ .reg .b32 q<4>; mov.b32 q0, 0; mov.b32 q1, 0; mov.b32 q2, 0; mov.b32 q3, 0; "
#define SPARSE(shape, types, a, b, sel) ZEROS "mma.sp.sync.aligned." shape ".row.col." types " {q0,q1,q2,q3}, " a \
    ", " b \
    ", {q0,q1,q2,q3}, %t0, " sel "; " SUMS
/* B, and A in half of the kernels, in shared memory: what the threads of the block hold, without a swizzle. */
#define GROUP_TILE \
    ".shared .align 128 .b8 tile[4096]; { .reg .b64 d; .reg .b32 at; mov.u32 at, tile; mad.lo.u32 at, %i2, 16, at; " \
    "st.shared.v4.b32 [at], {%a, %b, %c, %a}; fence.proxy.async; bar.sync 0; mov.u32 at, tile; shr.u32 at, at, 4; " \
    "cvt.u64.u32 d, at; or.b64 d, d, 0x0000001000080000; "
#define GROUP(words, a, rest) GROUP_TILE ZEROS "wgmma.fence.sync.aligned; wgmma.mma_async." words \
    " {q0,q1,q2,q3}, " a ", d, " rest \
    "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; " SUMS " }"
#define REGS_A "{%b,%a,%c,%b}"
#define STORE_TILE(words, regs) \
    ".shared .align 128 .b8 tile[4096]; { .reg .b32 at, to; .reg .b64 u; mov.u32 at, tile; shl.b32 to, %i2, 4; " \
    "add.u32 at, at, to; st.shared.v4.b32 [at], {%i2, %i2, %i2, %i2}; bar.sync 0; " words " [at], " regs \
    "; bar.sync 0; " \
    "ld.shared.b64 %R, [at]; ld.shared.b64 u, [at+8]; shl.b64 u, u, 1; xor.b64 %R, %R, u; }"

static const struct kernel rare[] = {
    V_TYPES("vadd"), V_TYPES("vsub"), V_TYPES("vabsdiff"), V_TYPES("vmin"), V_TYPES("vmax"),
    V_SHIFTS("vshl"), V_SHIFTS("vshr"),
    V_SET(".u32.u32", ".lt"), V_SET(".s32.u32", ".ge"), V_SET(".s32.s32", ".gt"), V_SET(".u32.s32", ".ne"),
    V_SET(".s32.s32", ".le"), V_SET(".u32.u32", ".eq"),
    V_MAD(".u32.u32.u32"), V_MAD(".s32.s32.s32"), V_MAD(".u32.s32.u32"), V_MAD(".s32.u32.s32"),
    V_PAIRS("vadd"), V_PAIRS("vsub"), V_PAIRS("vavrg"), V_PAIRS("vabsdiff"), V_PAIRS("vmin"), V_PAIRS("vmax"),
    V_SETS("2", ".h10", ".h30", ".u32.u32", ".lt"), V_SETS("2", ".h0", ".h12", ".s32.s32", ".ge"),
    V_SETS("4", ".b3210", ".b7160", ".s32.u32", ".ne"), V_SETS("4", ".b31", ".b0246", ".s32.s32", ".gt"),

    C_TO16_2("cvt.rn.satfinite.relu.e4m3x2.f32"), C_TO16_2("cvt.rn.satfinite.relu.e5m2x2.f32"),
    C_TO16("cvt.rn.satfinite.e5m2x2.f16x2"), C_TO16("cvt.rn.satfinite.relu.e4m3x2.f16x2"),
    C_TO16("cvt.rn.satfinite.relu.e5m2x2.f16x2"), C_OF16("cvt.rn.relu.f16x2.e4m3x2"),
     C_OF16("cvt.rn.relu.f16x2.e5m2x2"),
    C_TO16("cvt.rn.bf16.f32"), C_TO16("cvt.rz.bf16.f32"), C_TO16("cvt.rn.relu.bf16.f32"), C_OF16("cvt.f32.bf16"),
    C_16TO16("cvt.rn.bf16.f16"), C_16TO16("cvt.rn.f16.bf16"), C_16TO16("cvt.rn.bf16.s16"), C_16TO16("cvt.rn.bf16.u16"),
    C_16TO16("cvt.rni.s16.bf16"), C_16TO16("cvt.rzi.u16.bf16"), C_16TO16("cvt.rmi.bf16.bf16"),
    C_TO16("cvt.rn.bf16.s32"), C_TO16("cvt.rn.bf16.u32"), C_OF16("cvt.rni.s32.bf16"), C_OF16("cvt.rpi.u32.bf16"),
    C_16_2("add.bf16"), C_16_2("sub.bf16"), C_16_2("mul.bf16"), C_16_2("add.rn.sat.f16"), C_16_2("mul.ftz.f16"),
    K32("add.sat.f16x2", "add.rn.sat.f16x2"), K32("mul.ftz.f16x2", "mul.rn.ftz.f16x2"),
    K32_3("fma.sat.f16x2", "fma.rn.sat.f16x2"), K32_3("fma.ftz.relu.f16x2", "fma.rn.ftz.relu.f16x2"),
    K32_1("ex2.approx.f16x2", "ex2.approx.f16x2"), K32_1("tanh.approx.f16x2", "tanh.approx.f16x2"),
    C_16TO16("ex2.approx.ftz.bf16"), C_16TO16("tanh.approx.bf16"),

    {"stmatrix.x4", 'R', STORE_TILE("stmatrix.sync.aligned.m8n8.x4.shared.b16", "{%a,%b,%c,%a}")},
    {"stmatrix.x2.trans", 'R', STORE_TILE("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "{%b,%a}")},
    {"stmatrix.x1", 'R', STORE_TILE("stmatrix.sync.aligned.m8n8.x1.shared.b16", "{%c}")},
    {"mma.sp.m16n8k16.f16", 'r', EXACT META SPARSE("m16n8k16", "f32.f16.f16.f32", "{%a,%b}", "{%b,%c}", "1")},
    {"mma.sp.m16n8k32.f16", 'r', EXACT META SPARSE("m16n8k32", "f32.f16.f16.f32", "{%a,%b,%c,%a}", "{%b,%c,%a,%b}",
     "0")},
    {"mma.sp.m16n8k32.f16 selected", 'r', EXACT META SPARSE("m16n8k32", "f32.f16.f16.f32", "{%a,%b,%c,%a}",
     "{%b,%c,%a,%b}", "1")},
    {"mma.sp.m16n8k16.bf16", 'r', EXACT META SPARSE("m16n8k16", "f32.bf16.bf16.f32", "{%a,%b}", "{%b,%c}", "3")},
    {"mma.sp.m16n8k8.tf32", 'r', EXACT_TF32 META_TF32 SPARSE("m16n8k8", "f32.tf32.tf32.f32", "{%a,%b}", "{%b,%c}",
     "0")},
    {"mma.sp.m16n8k16.tf32", 'r', EXACT_TF32 META_TF32 SPARSE("m16n8k16", "f32.tf32.tf32.f32", "{%a,%b,%c,%a}",
     "{%b,%c,%a,%b}", "1")},
    {"mma.sp.m16n8k32.s8", 'r', META SPARSE("m16n8k32", "s32.s8.s8.s32", "{%a,%b}", "{%b,%c}", "1")},
    {"mma.sp.m16n8k64.s8", 'r', META SPARSE("m16n8k64", "s32.s8.u8.s32", "{%a,%b,%c,%a}", "{%b,%c,%a,%b}", "0")},
    {"mma.sp.m16n8k64.u4", 'r', META SPARSE("m16n8k64", "s32.u4.u4.s32", "{%a,%b}", "{%b,%c}", "0")},
    {"mma.sp.m16n8k128.s4", 'r', META SPARSE("m16n8k128", "s32.s4.s4.s32", "{%a,%b,%c,%a}", "{%b,%c,%a,%b}", "0")},
    {"wgmma.m64n8k32.s8", 'r', GROUP("sync.aligned.m64n8k32.s32.s8.u8", REGS_A, "0")},
    {"wgmma.m64n8k32.u8 desc", 'r', GROUP("sync.aligned.m64n8k32.s32.u8.s8", "d", "0")},
    {"wgmma.m64n8k16.f16", 'r', EXACT GROUP("sync.aligned.m64n8k16.f32.f16.f16", REGS_A, "0, 1, -1, 0")},
    {"wgmma.m64n8k8.tf32", 'r', EXACT_TF32 GROUP("sync.aligned.m64n8k8.f32.tf32.tf32", REGS_A, "0, 1, 1")},
    {"wgmma.m64n8k256.b1", 'r', GROUP("sync.aligned.m64n8k256.s32.b1.b1.and.popc", REGS_A, "0")},
    {"wgmma.sp.m64n8k64.s8", 'r', META GROUP("sp.sync.aligned.m64n8k64.s32.s8.s8", REGS_A, "%t0, 0, 0")},
    {"wgmma.sp.m64n8k64.u8 desc", 'r', META GROUP("sp.sync.aligned.m64n8k64.s32.u8.u8", "d", "%t0, 0, 0")},
    {"wgmma.sp.m64n8k32.f16", 'r', EXACT META GROUP("sp.sync.aligned.m64n8k32.f32.f16.f16", REGS_A,
     "%t0, 0, 0, 1, 1, 0")},
    {"wgmma.sp.m64n8k32.f16 selected", 'r', EXACT META GROUP("sp.sync.aligned.m64n8k32.f32.f16.f16", REGS_A,
     "%t0, 1, 0, -1, 1, 0")},
    {"wgmma.sp.m64n8k32.bf16 desc", 'r', EXACT META GROUP("sp.sync.aligned.m64n8k32.f32.bf16.bf16", "d",
     "%t0, 1, 0, 1, 1, 0, 0")},
    {"wgmma.sp.m64n8k16.tf32", 'r', EXACT_TF32 META_TF32 GROUP("sp.sync.aligned.m64n8k16.f32.tf32.tf32", REGS_A,
     "%t0, 0, 0, 1, 1")},
};
/* clang-format on */
enum { NRARE = sizeof rare / sizeof *rare };

/* The list that the first argument chooses; a second argument is the beginning of the names to run. */
static inline const struct kernel *kernel_list(int argc, char **argv, unsigned *count, const char **only)
{
    const char *first = argc > 1 ? argv[1] : "";
    bool old = strcmp(first, "modern") && strcmp(first, "rare");
    *only = old ? first : argc > 2 ? argv[2] : "";
    *count = old ? (unsigned)NKERNELS : *first == 'm' ? (unsigned)NMODERN : (unsigned)NRARE;
    return old ? kernels : *first == 'm' ? modern : rare;
}

#endif
