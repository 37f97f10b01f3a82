/* test_ptx_exec.c - opcode semantics. Three kinds of test: rows of instruction, operands and known result for the
 * corners; the kernels of tests/gpu/kernels.h against C expressions over all their operands; and the two builds of the
 * lane operations against each other. */
#include <math.h>

#include "gpu/kernels.h"
#include "ptx/ops.h"
#include "ptx_run.h"

enum { BYTES32 = 12 * KERNEL_THREADS, BYTES64 = 24 * KERNEL_THREADS, BYTES_OUT = 8 * KERNEL_THREADS };

static struct ptx_test T;

struct inputs {
    uint64_t in32, in64, out; /* as the kernel's parameters */
};

static struct inputs make_inputs(void)
{
    return (struct inputs){dev_alloc(T.mem, BYTES32), dev_alloc(T.mem, BYTES64), dev_alloc(T.mem, BYTES_OUT)};
}

/* ---- corners ---- */

struct row {
    char out;
    const char *body;
    uint32_t a, b, c;
    uint64_t A, B, want;
};

/* clang-format off */
#define R32(body, a, b, c, want) {'r', body, a, b, c, 0, 0, want}
#define R64(body, A, B, want) {'R', body, 0, 0, 0, A, B, want}
/* clang-format on */

/* clang-format off */
static const struct row rows[] = {
    /* division: by zero, and the quotient that does not fit */
    R32("div.u32 %r, %a, %b;", 7, 0, 0, 0xffffffff), R32("rem.u32 %r, %a, %b;", 7, 0, 0, 0xffffffff),
    R32("div.s32 %r, %a, %b;", 0x80000000, 0xffffffff, 0, 0x80000000),
    R32("rem.s32 %r, %a, %b;", 0x80000000, 0xffffffff, 0, 0),
    R32("div.s32 %r, %a, %b;", 7, 0, 0, 0xffffffff), R64("div.u64 %R, %A, %B;", 7, 0, UINT64_MAX),
    R64("div.s64 %R, %A, %B;", UINT64_C(1) << 63, UINT64_MAX, UINT64_C(1) << 63),
    R32("div.s32 %r, %a, %b;", (uint32_t)-7, 2, 0, (uint32_t)-3),
    R32("rem.s32 %r, %a, %b;", (uint32_t)-7, 2, 0, (uint32_t)-1),
    /* shifts clamp */
    R32("shl.b32 %r, %a, %b;", 1, 32, 0, 0), R32("shl.b32 %r, %a, %b;", 1, 0xffffffff, 0, 0),
    R32("shr.u32 %r, %a, %b;", 0x80000000, 40, 0, 0),
    R32("shr.s32 %r, %a, %b;", 0x80000000, 40, 0, 0xffffffff),
    R32("shr.s32 %r, %a, %b;", 0x80000000, 31, 0, 0xffffffff),
    R64("mov.u32 %t0, 64; shl.b64 %R, %A, %t0;", 1, 0, 0),
    R64("mov.u32 %t0, 99; shr.s64 %R, %A, %t0;", UINT64_C(1) << 63, 0, UINT64_MAX),
    /* f32: NaN is canonical, .sat clamps it, .ftz keeps the sign */
    R32("add.f32 %r, %a, %b;", 0x7fc12345, 0x3f800000, 0, 0x7fffffff),
    R32("mul.f32 %r, %a, %b;", 0x7f800000, 0, 0, 0x7fffffff),
    R32("add.f32 %r, %a, %b;", 0x7f800000, 0xff800000, 0, 0x7fffffff),
    R32("add.sat.f32 %r, %a, %b;", 0x7fc00000, 0, 0, 0),
    R32("add.sat.f32 %r, %a, %b;", 0x40000000, 0, 0, 0x3f800000), R32("add.sat.f32 %r, %a, %b;", 0xc0000000, 0, 0, 0),
    R32("add.f32 %r, %a, %b;", 0x00000001, 0x80000002, 0, 0x80000001),
    R32("add.ftz.f32 %r, %a, %b;", 0x80000001, 0x80000000, 0, 0x80000000),
    R32("mul.ftz.f32 %r, %a, %b;", 0x80800000, 0x3f000000, 0, 0x80000000),
    R32("mul.f32 %r, %a, %b;", 0x80800000, 0x3f000000, 0, 0x80400000),
    /* directions: 1 + 2^-25, its negative, a sum that is exactly zero, overflow */
    R32("add.rn.f32 %r, %a, %b;", 0x3f800000, 0x33000000, 0, 0x3f800000),
    R32("add.rp.f32 %r, %a, %b;", 0x3f800000, 0x33000000, 0, 0x3f800001),
    R32("add.rm.f32 %r, %a, %b;", 0xbf800000, 0xb3000000, 0, 0xbf800001),
    R32("add.rz.f32 %r, %a, %b;", 0xbf800000, 0xb3000000, 0, 0xbf800000),
    R32("add.rm.f32 %r, %a, %b;", 0x3f800000, 0xbf800000, 0, 0x80000000),
    R32("add.rn.f32 %r, %a, %b;", 0x3f800000, 0xbf800000, 0, 0),
    R32("mul.rz.f32 %r, %a, %b;", 0x7f7fffff, 0x7f7fffff, 0, 0x7f7fffff),
    R32("mul.rn.f32 %r, %a, %b;", 0x7f7fffff, 0x7f7fffff, 0, 0x7f800000),
    R32("div.rp.f32 %r, %a, %b;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab),
    R32("div.rz.f32 %r, %a, %b;", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa),
    R32("sqrt.rm.f32 %r, %a;", 0x40000000, 0, 0, 0x3fb504f3), R32("sqrt.rp.f32 %r, %a;", 0x40000000, 0, 0, 0x3fb504f4),
    R64("add.rp.f64 %R, %A, %B;", 0x3ff0000000000000, 1, 0x3ff0000000000001),
    R64("add.rz.f64 %R, %A, %B;", 0x3ff0000000000000, 1, 0x3ff0000000000000),
    /* f64 keeps the payload of a NaN: b before c before a, but the dividend first */
    R64("add.f64 %R, %A, %B;", 0x7ff0000000000001, 0, 0x7ff8000000000001),
    R64("add.f64 %R, %A, %B;", 0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000),
    R64("sub.f64 %R, %A, %B;", 0xfff8000000012345, 0x7ff0000000000001, 0x7ff8000000000001),
    R64("mul.f64 %R, %A, %B;", 0x7ff8000000000000, 0xfff8000000012345, 0xfff8000000012345),
    R64("fma.rn.f64 %R, %A, %B, %A;", 0xffffffffffffffff, 0x7ff0000000000001, 0x7ff8000000000001),
    R64("fma.rn.f64 %R, %A, 0d3ff0000000000000, %B;", 0x7fffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff),
    R64("div.rn.f64 %R, %A, %B;", 0xfff8000000012345, 0x7ff0000000000001, 0xfff8000000012345),
    R64("div.rz.f64 %R, %A, %B;", 0xfff8000000012345, 0x7ff0000000000001, 0xfff8000000012345),
    R64("add.rm.f64 %R, %A, %B;", 0x7ff8000000000000, 0xfff8000000012345, 0xfff8000000012345),
    R64("sqrt.rp.f64 %R, %A;", 0x7ff0000000000001, 0, 0x7ff8000000000001),
    R64("min.f64 %R, %A, %B;", 0x7ff0000000000001, 0xffffffffffffffff, 0xffffffffffffffff),
    R64("max.f64 %R, %A, %B;", 0xffffffffffffffff, 0x7ff0000000000001, 0x7ff8000000000001),
    R64("neg.f64 %R, %A;", 0x7ff0000000000001, 0, 0x7ff8000000000001),
    R64("abs.f64 %R, %A;", 0xfff8000000012345, 0, 0xfff8000000012345),
    R32("neg.f32 %r, %a;", 0x7fc00000, 0, 0, 0x7fffffff), R32("abs.ftz.f32 %r, %a;", 0xffc12345, 0, 0, 0x7fffffff),
    R32("neg.f16x2 %r, %a;", 0xffc12345, 0, 0, 0x7fffa345), R32("abs.f16x2 %r, %a;", 0xfc007e00, 0, 0, 0x7c007fff),
    R32("cvt.u16.u32 %h0, %a; neg.bf16 %h1, %h0; cvt.u32.u16 %r, %h1;", 0x7e00, 0, 0, 0xfe00),
    R32("cvt.u16.u32 %h0, %a; abs.bf16 %h1, %h0; cvt.u32.u16 %r, %h1;", 0xffc1, 0, 0, 0x7fff),
    R64("rcp.approx.ftz.f64 %R, %A;", 0xfff8000000012345, 0, 0x7fffffff00000000),
    R64("rsqrt.approx.ftz.f64 %R, %A;", 0xbff0000000000000, 0, 0x7fffffff00000000),
    R64("rcp.approx.ftz.f64 %R, %A;", 0x7ff0000000000001, 0, 0),
    R64("rsqrt.approx.f64 %R, %A;", 0xfff8000000012345, 0, 0xfff8000000012345),
    R64("rsqrt.approx.f64 %R, %A;", 0x3ff8000000000000, 0, 0x3fea20bd700c2c3e),
    R64("rsqrt.approx.f64 %R, %A;", 0x20, 0, 0x6156a09e667f3bcd),
    /* .ftz flushes what is below 2^-126 after rounding without a least exponent: (1 - 2^-24) 2^-126,
     * not (1 - 2^-46) 2^-126 */
    R32("mul.ftz.f32 %r, %a, %b;", 0x80800000, 0x3f7fffff, 0, 0x80000000),
    R32("mul.ftz.f32 %r, %a, %b;", 0x00800001, 0x3f7ffffe, 0, 0x00800000),
    R32("mul.rp.ftz.f32 %r, %a, %b;", 0x00800000, 0x3f7fffff, 0, 0),
    R32("mul.rp.ftz.f32 %r, %a, %b;", 0x00800001, 0x3f7ffffe, 0, 0x00800000),
    R32("mul.rz.ftz.f32 %r, %a, %b;", 0x00800001, 0x3f7ffffe, 0, 0),
    R32("mul.ftz.sat.f32 %r, %a, %b;", 0x00800000, 0x3f7fffff, 0, 0),
    R32("fma.rn.ftz.f32 %r, %a, %b, %c;", 0x00800001, 0xbf800000, 0x01000000, 0),
    R32("fma.rp.ftz.f32 %r, %a, %b, %c;", 0x00800001, 0xbf7fffff, 0x01000000, 0x00800000),
    R32("div.rn.ftz.f32 %r, %a, %b;", 0x3f7fffff, 0x7e800000, 0, 0),
    R32("mul.f32 %r, %a, %b;", 0x00800000, 0x3f7fffff, 0, 0x00800000),
    {'r', "cvt.rn.ftz.f32.f64 %r, %A;", 0, 0, 0, 0x380ffffff0000000, 0, 0x00800000},
    {'r', "cvt.rn.ftz.f32.f64 %r, %A;", 0, 0, 0, 0x380fffffec000000, 0, 0},
    {'r', "cvt.rp.ftz.f32.f64 %r, %A;", 0, 0, 0, 0x380fffffe4000000, 0, 0x00800000},
    {'r', "cvt.rp.ftz.f32.f64 %r, %A;", 0, 0, 0, 0x380fffffe0000000, 0, 0},
    /* min and max: numbers win, zeros are ordered */
    R32("min.f32 %r, %a, %b;", 0x7fc00000, 0x40000000, 0, 0x40000000),
    R32("max.f32 %r, %a, %b;", 0x40000000, 0x7fc00000, 0, 0x40000000),
    R32("min.f32 %r, %a, %b;", 0, 0x80000000, 0, 0x80000000), R32("max.f32 %r, %a, %b;", 0x80000000, 0, 0, 0),
    R32("min.NaN.f32 %r, %a, %b;", 0x7fc00000, 0x40000000, 0, 0x7fffffff),
    R32("min.f32 %r, %a, %b;", 0x7fc00000, 0xffc00000, 0, 0x7fffffff),
    /* NaN from f64 is the most negative integer, of unsigned types too; payloads go with f64 */
    {'r', "cvt.rzi.s32.f64 %r, %A;", 0, 0, 0, 0x7ff8000000000000, 0, 0x80000000},
    {'r', "cvt.rni.u32.f64 %r, %A;", 0, 0, 0, 0xffffffffffffffff, 0, 0x80000000},
    {'r', "cvt.rzi.u32.f64 %r, %A;", 0, 0, 0, 0x7ff0000000000001, 0, 0x80000000},
    {'r', "cvt.rzi.u8.f64 %r, %A;", 0, 0, 0, 0x7ff8000000000000, 0, 0x80},
    /* registers of 8 bits, as cuda_bf16.h has them */
    {'r', "{ .reg .b8 q; mov.b32 {%h0, %h1}, %a; cvt.rzi.s8.bf16 q, %h0; mov.b16 %h1, {q, 0}; cvt.u32.u16 %r, %h1; }",
     0xc2f6, 0, 0, 0, 0, 0x85}, /* -123 */
    {'r', "{ .reg .b8 q<4>; mov.b32 {q0, q1, q2, q3}, %a; mov.b32 %r, {q3, q0, 7, q2}; }", 0x11223344, 0, 0, 0, 0,
     0x22074411},
    {'r', "cvt.u16.u32 %h0, %a; cvt.f32.bf16 %r, %h0;", 0xffc1, 0, 0, 0, 0, 0xffc10000}, /* a NaN as it is: a shift */
    {'r', "vshl.u32.u32.u32.sat.clamp %r, %a, %b;", 0xffc12345, 69, 0, 0, 0, 0xffffffff},
    {'r', "mov.u32 %r, %pm3;", 0, 0, 0, 0, 0, 0},
    {'r', "cvt.rni.s8.f64 %r, %A;", 0, 0, 0, 0x7ff8000000000000, 0, 0xffffff80},
    {'r', "cvt.rzi.u16.f64 %h0, %A; cvt.u32.u16 %r, %h0;", 0, 0, 0, 0x7ff8000000000000, 0, 0x8000},
    {'r', "cvt.rn.f32.f64 %r, %A;", 0, 0, 0, 0xfff8000000012345, 0, 0xffc00000},
    {'r', "cvt.rz.f32.f64 %r, %A;", 0, 0, 0, 0xffffffffffffffff, 0, 0xffffffff},
    {'r', "cvt.rn.f16.f64 %h0, %A; cvt.u32.u16 %r, %h0;", 0, 0, 0, 0xfff8000000012345, 0, 0xfe00},
    {'R', "cvt.f64.f32 %R, %a;", 0xffc12345, 0, 0, 0, 0, 0xfff82468a0000000},
    {'R', "cvt.ftz.f64.f32 %R, %a;", 0xffc12345, 0, 0, 0, 0, 0x7fffffffe0000000},
    {'R', "cvt.u16.u32 %h0, %a; cvt.f64.f16 %R, %h0;", 0x7e96, 0, 0, 0, 0, 0x7ffa580000000000},
    R64("cvt.rni.f64.f64 %R, %A;", 0x7ff0000000000001, 0, 0x7ff8000000000001),
    /* atomics: f32 flushes in global memory only, f64 leaves a NaN as it is */
    {'R', "mul.wide.u32 %T0, %i3, 8; add.s64 %T0, %T0, %x2; st.global.u32 [%T0], %a; atom.global.add.f32 %t0, [%T0], "
        "%b; ld.global.u32 %t1, [%T0]; mov.b64 %R, {%t0, %t1};",
     0x807fffff, 0x00800000, 0, 0, 0, 0x00800000807fffff},
    {'R', ".shared .align 4 .b8 cell[160]; mov.u32 %t3, cell; mad.lo.u32 %t3, %i2, 4, %t3; st.shared.u32 [%t3], %a; "
        "atom.shared.add.f32 %t0, [%t3], %b; ld.shared.u32 %t1, [%t3]; mov.b64 %R, {%t0, %t1};",
     0x807fffff, 0x00800000, 0, 0, 0, 0x00000001807fffff},
    R64("mul.wide.u32 %T0, %i3, 8; add.s64 %T0, %T0, %x2; st.global.u64 [%T0], %A; atom.global.add.f64 %T1, [%T0], "
        "%B; ld.global.u64 %R, [%T0];",
        0xfff8000000012345, 0x7ff0000000000001, 0x7ff0000000000001),
    /* conversions clamp; NaN is 0, or the smallest number in 64 bits */
    R32("cvt.rzi.s32.f32 %r, %a;", 0x7fc00000, 0, 0, 0), R32("cvt.rzi.u32.f32 %r, %a;", 0xbf800000, 0, 0, 0),
    R32("cvt.rzi.s32.f32 %r, %a;", 0x4f000000, 0, 0, 0x7fffffff),
    R32("cvt.rzi.s32.f32 %r, %a;", 0xcf000001, 0, 0, 0x80000000),
    R32("cvt.rni.s32.f32 %r, %a;", 0x3f000000, 0, 0, 0), R32("cvt.rni.s32.f32 %r, %a;", 0x3fc00000, 0, 0, 2),
    R32("cvt.rni.s32.f32 %r, %a;", 0x40200000, 0, 0, 2), R32("cvt.rmi.s32.f32 %r, %a;", 0xbf000000, 0, 0, 0xffffffff),
    R32("cvt.rpi.s32.f32 %r, %a;", 0x3f000000, 0, 0, 1),
    R64("cvt.rzi.s64.f64 %R, %A;", 0x7ff8000000000000, 0, UINT64_C(1) << 63),
    R64("cvt.rzi.u64.f64 %R, %A;", 0x43f0000000000000, 0, UINT64_MAX), R32("cvt.sat.u8.s32 %r, %a;", 300, 0, 0, 255),
    R32("cvt.sat.s8.s32 %r, %a;", (uint32_t)-300, 0, 0, 0xffffff80), R32("cvt.s32.s8 %r, %a;", 0x80, 0, 0, 0xffffff80),
    R32("cvt.sat.f32.f32 %r, %a;", 0x7fc00000, 0, 0, 0), R32("cvt.rn.f32.u32 %r, %a;", 0xffffffff, 0, 0, 0x4f800000),
    R32("cvt.rz.f32.u32 %r, %a;", 0xffffffff, 0, 0, 0x4f7fffff),
    R32("cvt.rni.f32.f32 %r, %a;", 0xbf000000, 0, 0, 0x80000000),
    R32("cvt.rn.f16.f32 %h0, %a; cvt.u32.u16 %r, %h0;", 0x477ff000, 0, 0, 0x7c00),
    R32("cvt.rn.f16.f32 %h0, %a; cvt.u32.u16 %r, %h0;", 0x33000001, 0, 0, 1),
    R32("cvt.rn.f16.f32 %h0, %a; cvt.u32.u16 %r, %h0;", 0x33000000, 0, 0, 0),
    R32("cvt.u16.u32 %h0, %a; cvt.f32.f16 %r, %h0;", 1, 0, 0, 0x33800000),
    /* approximations at their edges */
    R32("rcp.approx.f32 %r, %a;", 0, 0, 0, 0x7f800000), R32("rsqrt.approx.f32 %r, %a;", 0x80000000, 0, 0, 0xff800000),
    R32("ex2.approx.f32 %r, %a;", 0xff800000, 0, 0, 0), R32("ex2.approx.f32 %r, %a;", 0x41200000, 0, 0, 0x44800000),
    R32("lg2.approx.f32 %r, %a;", 0, 0, 0, 0xff800000), R32("lg2.approx.f32 %r, %a;", 0xbf800000, 0, 0, 0x7fffffff),
    R32("lg2.approx.f32 %r, %a;", 0x44800000, 0, 0, 0x41200000),
    R32("sin.approx.f32 %r, %a;", 0x7f800000, 0, 0, 0x7fffffff),
    R32("cos.approx.f32 %r, %a;", 0, 0, 0, 0x3f800000), R32("sin.approx.f32 %r, %a;", 0x80000000, 0, 0, 0x80000000),
    R32("tanh.approx.f32 %r, %a;", 0x7f800000, 0, 0, 0x3f800000),
    R32("div.approx.f32 %r, %a, %b;", 0x3f800000, 0x7f000000, 0, 0),
    R64("rcp.approx.ftz.f64 %R, %A;", 0x4008000000000000, 0, 0x3fd5555500000000),
    R32("sin.approx.f32 %r, %a;", 0x80000001, 0, 0, 0x80000000),
    R32("sin.approx.f32 %r, %a;", 0x4b000001, 0, 0, 0x80000000),
    R32("cos.approx.f32 %r, %a;", 0x4b000001, 0, 0, 0xbf800000),
    R32("cos.approx.f32 %r, %a;", 0x7f7fffff, 0, 0, 0x3f800000),
    /* carries */
    R64("mov.u32 %t0, -1; mov.u32 %t1, 1; add.cc.u32 %t2, %t0, %t1; addc.cc.u32 %t3, %t0, 0; addc.u32 %t0, 5, 0; "
        "mov.b64 %R, {%t3, %t0};", 0, 0, UINT64_C(6) << 32),
    R64("mov.u32 %t0, 0; sub.cc.u32 %t1, %t0, 1; subc.u32 %t2, %t0, 0; mov.b64 %R, {%t1, %t2};", 0, 0, UINT64_MAX),
    R64("add.cc.u64 %T0, %A, %B; addc.u64 %R, 0, 0;", UINT64_MAX, 1, 1),
    /* fields: the 64-bit forms look at all of position and length, the 32-bit forms at 8 bits */
    {'R', "bfe.u64 %R, %A, %b, %c;", 0, 0x80000001, 0x3f800001, 0x800fffffffffffff, 0, 0},
    {'R', "bfe.u64 %R, %A, %b, %c;", 0, 0x20, 0x3c003c00, 0x400921fb54442d18, 0, 0x400921fb},
    {'R', "bfe.s64 %R, %A, %b, %c;", 0, 0x80000000, 0x80800000, 0x8000000000000000, 0, 0xffffffffffffffff},
    {'R', "bfe.s64 %R, %A, %b, %c;", 0, 0x40200000, 0x21, 0x41efffffffe00000, 0, 0},
    {'R', "bfi.b64 %R, %A, %B, %b, %c;", 0, 1, 0x3f800000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7fe0000000000000},
    {'R', "bfi.b64 %R, %A, %B, %b, %c;", 0, 0xcb000001, 0xff7fffff, 0x43f0000000000000, 0x43f0000000000000,
        0x43f0000000000000},
    R32("bfe.u32 %r, %a, %b, %c;", 0xff00, 0x108, 0x104, 0xf), R32("bfe.u32 %r, %a, 8, 0;", 0xff00, 0, 0, 0),
    R32("testp.normal.f32 %p, %a; selp.u32 %r, 1, 0, %p;", 0x80000000, 0, 0, 1),
    R32("testp.normal.f32 %p, %a; selp.u32 %r, 1, 0, %p;", 0x007fffff, 0, 0, 0),
    {'p', "testp.normal.f64 %p, %A;", 0, 0, 0, 0, 0, 1},
    /* bits */
    R32("bfind.s32 %r, %a;", 0xffffffff, 0, 0, 0xffffffff), R32("bfind.shiftamt.u32 %r, %a;", 1, 0, 0, 31),
    R32("prmt.b32 %r, %a, %b, 0x7531;", 0x44332211, 0x88776655, 0, 0x88664422),
    R32("prmt.b32 %r, %a, %b, 0x000f;", 0, 0x80000000, 0, 0x000000ff),
    R32("lop3.b32 %r, %a, %b, %c, 0xe8;", 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0xfcc0fcc0),
    R32("brev.b32 %r, %a;", 1, 0, 0, 0x80000000),
    R32("fns.b32 %r, %a, 0, 2;", 0x14, 0, 0, 4), R32("fns.b32 %r, %a, 31, -1;", 0x14, 0, 0, 4),
    R32("fns.b32 %r, %a, 0, 3;", 0x14, 0, 0, 0xffffffff),
    R32("bmsk.clamp.b32 %r, %a, %b;", 4, 8, 0, 0xff0), R32("szext.clamp.s32 %r, %a, %b;", 0x80, 8, 0, 0xffffff80),
    R32("set.lt.u32.s32 %r, %a, %b;", 1, 2, 0, 0xffffffff), R32("set.lt.f32.s32 %r, %a, %b;", 1, 2, 0, 0x3f800000),
    R32("mul24.hi.s32 %r, %a, %b;", 0x800000, 0x800000, 0, 0x40000000),
    R32("dp4a.s32.u32 %r, %a, %b, %c;", 0xff01ff01, 0x02020202, 1, 1),
    /* video: a part of each operand, and what happens to the result */
    R32("vadd.s32.s32.s32 %r, %a.b3, %b.h0;", 0x80000000, 0x7ffe, 0, 0x7f7e),
    R32("vadd.u32.u32.s32 %r, %a.b3, %b.h1;", 0x80000000, 0xffff0000, 0, 0x7f),
    R32("vadd.s32.u32.u32.sat %r, %a, %b;", 0xffffffff, 1, 0, 0x7fffffff),
    R32("vsub.u32.u32.u32.sat %r, %a, %b;", 1, 2, 0, 0), R32("vsub.s32.u32.u32 %r, %a, %b;", 1, 2, 0, 0xffffffff),
    R32("vsub.s32.s32.s32.sat %r.b1, %a, %b, %c;", 0, 0x7f000000, 0x11223344, 0x11228044),
    R32("vabsdiff.u32.s32.s32.add %r, %a.b0, %b.b0, %c;", 0x80, 0x7f, 1000, 1255),
    R32("vmin.s32.s32.s32.max %r, %a, %b, %c;", (uint32_t)-5, 3, (uint32_t)-2, (uint32_t)-2),
    R32("vmax.u32.u32.u32 %r.h1, %a.b0, %b.b1, %c;", 0x05, 0x900, 0x1234abcd, 0x0009abcd),
    R32("vshl.u32.u32.u32.clamp %r, %a, %b;", 1, 99, 0, 0), R32("vshl.u32.u32.u32.wrap %r, %a, %b;", 1, 33, 0, 2),
    R32("vshr.s32.s32.u32.clamp %r, %a, %b.b0;", 0x80000000, 0x28, 0, 0xffffffff),
    R32("vset.s32.u32.lt %r, %a.b0, %b;", 0x80, 0, 0, 1), R32("vset.u32.u32.ge.add %r, %a, %b, %c;", 1, 1, 41, 42),
    R32("vmad.s32.s32.s32 %r, %a.h0, %b.h0, -%c;", 0xffff, 3, 4, (uint32_t)-7),
    R32("vmad.s32.u32.u32.sat %r, -%a, %b, %c;", 0xffffffff, 0xffffffff, 7, 0x80000000),
    R32("vmad.u32.u32.u32.po.shr7 %r, %a, %b, %c;", 0xff, 0x80, 0x7f, 0x100),
    R32("vmad.u32.u32.u32.shr15 %r, %a, %b, %c;", 0xffffffff, 0xffffffff, 0, 0xfffc0000),
    R32("vmad.u32.u32.u32.sat.shr15 %r, %a, %b, %c;", 0xffffffff, 0xffffffff, 0, 0xffffffff),
    /* SIMD video: parts of b:a, a mask of parts, or one sum */
    R32("vadd2.s32.s32.s32.sat %r, %a, %b, %c;", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000),
    R32("vsub2.u32.u32.u32 %r.h0, %a.h32, %b.h10, %c;", 7, 9, 0xabcd1234, 0xabcd0002),
    R32("vavrg2.s32.s32.s32 %r, %a, %b, %c;", 0x0002fffd, 0x0003fffe, 0, 0x0003fffd),
    R32("vabsdiff4.u32.u32.u32 %r, %a, %b, %c;", 0x00ff1080, 0xff00207f, 0, 0xffff1001),
    R32("vabsdiff4.u32.u32.u32.add %r, %a, %b, %c;", 0x00ff1080, 0xff00207f, 5, 5 + 255 + 255 + 16 + 1),
    R32("vabsdiff4.s32.s32.s32.add %r.b20, %a, %b, %c;", 0x007f0080, 0x0080007f, 0, 510),
    R32("vmin4.s32.s32.s32 %r, %a, %b, %c;", 0x7f80ff01, 0x80010002, 0, 0x8080ff01),
    R32("vmax4.u32.u32.u32 %r.b3, %a.b0000, %b.b7777, %c;", 0x10, 0x20000000, 0x11, 0x20000011),
    R32("vsub4.u32.u32.u32.sat %r, %a, %b, %c;", 0x01020304, 0x02010402, 0, 0x00010002),
    R32("vset4.u32.u32.eq.add %r, %a, %b, %c;", 0x01020304, 0x01ff0304, 0, 3),
    R32("vset2.s32.s32.lt %r, %a, %b, %c;", 0xffff0001, 0x00000001, 0, 0x00010000),
};
/* clang-format on */

TEST(corners)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const struct kernel k = {"row", r->out, r->body};
        char text[KERNEL_TEXT];
        kernel_text(&k, text, sizeof text);
        ptx_test_load(&T, text);
        struct inputs p = make_inputs();
        uint32_t *in32 = dev_ptr(T.mem, p.in32, BYTES32);
        uint64_t *in64 = dev_ptr(T.mem, p.in64, BYTES64), *out = dev_ptr(T.mem, p.out, BYTES_OUT);
        for (unsigned t = 0; t < 40; t++) {
            memcpy(in32 + 3 * t, (uint32_t[]){r->a, r->b, r->c}, 12);
            memcpy(in64 + 3 * t, (uint64_t[]){r->A, r->B, 0}, 24);
        }
        ptx_test_must_run(&T, "test", 1, 40, &p); /* a full warp and one of 8 lanes */
        for (unsigned t = 0; t < 40; t++) {
            if (out[t] != r->want)
                print_error("%s  a %x b %x c %x A %llx B %llx: %llx, expected %llx\n", r->body, r->a, r->b, r->c,
                            (unsigned long long)r->A, (unsigned long long)r->B, (unsigned long long)out[t],
                            (unsigned long long)r->want);
            assert_int_equal(out[t], r->want);
        }
        ptx_test_free(&T);
    }
}

/* ---- every operand pair, against C ---- */

struct ops {
    uint32_t a, b, c;
    uint64_t A, B, C;
};

static float f(uint32_t b)
{
    float x;
    memcpy(&x, &b, 4);
    return x;
}
static double d(uint64_t b)
{
    double x;
    memcpy(&x, &b, 8);
    return x;
}
static uint64_t F(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return x != x ? 0x7fffffff : b;
}
static uint64_t D(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return x != x ? UINT64_C(0xfff8000000000000) : b;
}
/* An f64 result; NaN is the first operand of these that is one, quiet. */
static uint64_t N(double x, uint64_t first, uint64_t second, uint64_t third)
{
    const uint64_t from[] = {first, second, third};
    for (unsigned i = 0; i < 3 && x != x; i++)
        if (isnan(d(from[i]))) return from[i] | UINT64_C(1) << 51;
    return D(x);
}
/* The payload of a NaN between f32 and f64. */
static uint64_t widened(uint32_t b)
{
    if (!isnan(f(b))) return D(f(b));
    return (uint64_t)(b & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (uint64_t)(b & 0x3fffff) << 29;
}
static uint64_t narrowed(uint64_t b)
{
    if (!isnan(d(b))) return F((float)d(b));
    return (b >> 63) << 31 | 0x7fc00000 | (b >> 29 & 0x3fffff);
}

typedef __int128 big;
/* clang-format off */
#define REFERENCES(X)                                                                      \
    X("add.s32", o->a + o->b) X("add.s64", o->A + o->B) X("sub.s32", o->a - o->b)          \
    X("mul.lo.s32", o->a * o->b) X("mul.lo.s64", o->A * o->B)                              \
    X("mul.hi.s64", (uint64_t)((big)(int64_t)o->A * (int64_t)o->B >> 64))                  \
    X("mul.hi.u32", (uint64_t)o->a * o->b >> 32)                                           \
    X("mul.wide.s32", (uint64_t)((int64_t)(int32_t)o->a * (int32_t)o->b))                  \
    X("mul.wide.u32", (uint64_t)o->a * o->b)                                               \
    X("mad.lo.s32", o->a * o->b + o->c) X("mad.lo.s64", o->A * o->B + o->C)                \
    X("mad.wide.s32", (uint64_t)((int64_t)(int32_t)o->a * (int32_t)o->b) + o->C)           \
    X("min.s32", (uint32_t)((int32_t)o->a < (int32_t)o->b ? o->a : o->b))                  \
    X("max.u64", o->A > o->B ? o->A : o->B)                                                \
    X("and.b32", o->a & o->b) X("or.b64", o->A | o->B) X("xor.b32", o->a ^ o->b)           \
    X("not.b64", ~o->A) X("neg.s32", 0u - o->a)                                            \
    X("popc.b64", (uint64_t)__builtin_popcountll(o->A))                                    \
    X("clz.b32", o->a ? (uint64_t)__builtin_clz(o->a) : 32)                                \
    X("shl.b32", o->b > 31 ? 0 : o->a << o->b) X("shr.u64", o->b > 63 ? 0 : o->A >> o->b)  \
    X("selp", (int32_t)o->a < (int32_t)o->b ? o->a : o->c)                                 \
    X("setp.lt.s32", (int32_t)o->a < (int32_t)o->b) X("setp.ge.u64", o->A >= o->B)         \
    X("setp.lt.f32", f(o->a) < f(o->b)) X("setp.geu.f32", !(f(o->a) < f(o->b)))            \
    X("setp.equ.f64", d(o->A) == d(o->B) || isnan(d(o->A)) || isnan(d(o->B)))              \
    X("setp.ne.f64", d(o->A) < d(o->B) || d(o->A) > d(o->B))                               \
    X("add.rn.f32", F(f(o->a) + f(o->b))) X("sub.rn.f32", F(f(o->a) - f(o->b)))            \
    X("mul.rn.f32", F(f(o->a) * f(o->b))) X("fma.rn.f32", F(fmaf(f(o->a), f(o->b), f(o->c)))) \
    X("div.rn.f32", F(f(o->a) / f(o->b))) X("sqrt.rn.f32", F(sqrtf(f(o->a))))              \
    X("add.rn.f64", N(d(o->A) + d(o->B), o->B, o->A, 0))                                   \
    X("sub.rn.f64", N(d(o->A) - d(o->B), o->B, o->A, 0))                                   \
    X("mul.rn.f64", N(d(o->A) * d(o->B), o->B, o->A, 0))                                   \
    X("fma.rn.f64", N(fma(d(o->A), d(o->B), d(o->C)), o->B, o->C, o->A))                   \
    X("div.rn.f64", N(d(o->A) / d(o->B), o->A, o->B, 0))                                   \
    X("rcp.rn.f64", N(1 / d(o->A), o->A, 0, 0)) X("sqrt.rn.f64", N(sqrt(d(o->A)), o->A, 0, 0)) \
    X("cvt.rn.f32.f64", narrowed(o->A)) X("cvt.f64.f32", widened(o->a))                    \
    X("rem.u32", o->b ? o->a % o->b : UINT32_MAX) X("rem.u64", o->B ? o->A % o->B : UINT64_MAX) \
    X("cvt.rn.f32.s32", F((float)(int32_t)o->a)) X("cvt.rn.f64.u64", D((double)o->A))      \
    X("cvt.rni.f32.f32", F(rintf(f(o->a)))) X("cvt.rmi.f64.f64", N(floor(d(o->A)), o->A, 0, 0))        \
    X("cvt.s64.s32", (uint64_t)(int64_t)(int32_t)o->a) X("cvt.u32.u64", (uint32_t)o->A)
/* clang-format on */

enum {
#define COUNT_ONE(name, expr) +1
    NREFERENCES = 0 REFERENCES(COUNT_ONE)
#undef COUNT_ONE
};

static uint64_t reference(unsigned index, const struct ops *o)
{
    unsigned i = 0;
#define TRY(name, expr)                                                                                                \
    if (i++ == index) return (uint64_t)(expr);
    REFERENCES(TRY)
#undef TRY
    return 0;
}

static const struct kernel *find_kernel(const char *name)
{
    for (unsigned k = 0; k < NKERNELS; k++)
        if (!strcmp(kernels[k].name, name)) return &kernels[k];
    return NULL;
}

static void check_all_operands(const char *name, unsigned index)
{
    const struct kernel *k = find_kernel(name);
    char text[KERNEL_TEXT];
    assert_non_null(k);
    kernel_text(k, text, sizeof text);
    ptx_test_load(&T, text);
    struct inputs p = make_inputs();
    uint32_t *in32 = dev_ptr(T.mem, p.in32, BYTES32);
    uint64_t *in64 = dev_ptr(T.mem, p.in64, BYTES64), *out = dev_ptr(T.mem, p.out, BYTES_OUT);
    for (unsigned i = 0; i < 3 * KERNEL_THREADS; i++) {
        in32[i] = operand32(i / 3, i % 3);
        in64[i] = operand64(i / 3, i % 3);
    }
    ptx_test_must_run(&T, "test", KERNEL_THREADS / KERNEL_BLOCK, KERNEL_BLOCK, &p);
    for (unsigned i = 0; i < KERNEL_THREADS; i++) {
        struct ops o = {in32[3 * i], in32[3 * i + 1], in32[3 * i + 2], in64[3 * i], in64[3 * i + 1], in64[3 * i + 2]};
        uint64_t want = reference(index, &o);
        if (out[i] != want)
            print_error("%s, thread %u: %llx, expected %llx\n", name, i, (unsigned long long)out[i],
                        (unsigned long long)want);
        assert_int_equal(out[i], want);
    }
    ptx_test_free(&T);
}

TEST(arithmetic_agrees_with_c)
{
    unsigned index = 0;
#define CHECK(name, expr) check_all_operands(name, index++);
    REFERENCES(CHECK)
#undef CHECK
    assert_int_equal(index, NREFERENCES);
}

TEST(every_kernel_loads_and_runs)
{
    for (unsigned k = 0; k < NKERNELS; k++) {
        char text[KERNEL_TEXT];
        kernel_text(&kernels[k], text, sizeof text);
        ptx_test_load(&T, text);
        struct inputs p = make_inputs();
        ptx_test_must_run(&T, "test", 1, 64, &p);
        ptx_test_free(&T);
    }
}

/* ---- the builds ---- */

enum { SLOTS = 6, AREA = SLOTS * SLOT64 };

static void fill_slots(uint8_t *area, uint64_t *seed)
{
    for (unsigned s = 0; s < SLOTS; s++)
        for (unsigned i = 0; i < SLOT64 / 8; i++) {
            uint64_t r = splitmix64(seed);
            uint64_t v = r & 1
                             ? operands64[(r >> 8) % NOPERANDS64]
                             : operands32[(r >> 8) % NOPERANDS32] | (uint64_t)operands32[(r >> 32) % NOPERANDS32] << 32;
            memcpy(area + s * SLOT64 + 8 * i, &v, 8);
        }
}

static void compare_builds(const struct lane_fns *base, const struct lane_fns *other)
{
    static _Alignas(64) uint8_t one[AREA], two[AREA];
    static struct exec_warp w;
    uint64_t seed = 7;
    for (unsigned op = L_NONE + 1; op < L_COUNT; op++) {
        for (unsigned round = 0; round < 40; round++) {
            struct uop u = {.d = 0,
                            .d2 = 4,
                            .s = {SLOT64, 2 * SLOT64, 3 * SLOT64, 4 * SLOT64, 5 * SLOT64},
                            .boolop = (uint8_t)(round % 4),
                            .imm = 0xca,
                            .mode = (uint8_t)(round % 6)};
            if (op >= L_bool_and) u.s[3] = u.s[4] = 0;
            fill_slots(one, &seed);
            memcpy(two, one, sizeof one);
            bool full = round & 1;
            set_exec(&w, full ? UINT32_MAX : (uint32_t)splitmix64(&seed));
            w.base[AREA_REG] = one;
            (full ? base[op].full : base[op].part)(&w, &u);
            w.base[AREA_REG] = two;
            (full ? other[op].full : other[op].part)(&w, &u);
            if (memcmp(one, two, sizeof one)) print_error("lane operation %u differs\n", op);
            assert_memory_equal(one, two, sizeof one);
        }
    }
}

TEST(all_builds_compute_the_same_bits)
{
    const struct ops_build *b[3];
    unsigned n = ops_builds(b);
    if (n < 2) skip();
    for (unsigned i = 1; i < n; i++) compare_builds(b[0]->lane, b[i]->lane);
}
