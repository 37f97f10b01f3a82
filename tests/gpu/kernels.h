/* kernels.h - one small PTX kernel per opcode form, and the operands they are run over.
 *
 * Shared by ptx_here.c, which executes them with the simulator, ptx_on_gpu.c, which executes
 * the same text on a GPU, and the unit tests. Every kernel is the same frame around one
 * body: thread i loads three 32-bit operands %a %b %c and three 64-bit operands %A %B %C,
 * the body leaves its result in %r (32 bits) or %R (64 bits), and the thread stores 64 bits.
 * Operand k of thread i comes from a list of values at which instructions go wrong. */
#ifndef WL_TESTS_KERNELS_H
#define WL_TESTS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL_THREADS = 2048, KERNEL_BLOCK = 256, KERNEL_TEXT = 4096 };

/* Integers and floats: zeros, ones, extremes, subnormals, ties, infinities, NaNs. */
static const uint32_t operands32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x7fffffff,
    0xffffffff, 0x40490fdb, 0x3f000000, 0x3effffff, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x4b7fffff,
    0xcb000001, 0x4f000000, 0x4effffff, 0x4f800000, 0xcf000000, 0x5f000000, 0x7e967699, 0x00400000, 0x33800000,
    0x3f7fffff, 0x3f800001, 0x41200000, 0xc1200000, 0x00000002, 0x0000001f, 0x00000020, 0x00000021, 0x0000ffff,
    0x00010000, 0x12345678, 0xdeadbeef, 0x7ffffffe, 0x000000ff, 0x42fe0000, 0xc2fc0000, 0x477fe000, 0x477ff000,
    0x38800000, 0x33000000, 0x3c003c00, 0x7bff0001, 0xfc007e00, 0x04008001,
};
static const uint64_t operands64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x0000000000000001,
    0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001, 0xffffffffffffffff,
    0x7fffffffffffffff, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x4330000000000001, 0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000,
    0xc1e0000000200000, 0x43e0000000000000, 0x43f0000000000000, 0xc3e0000000000000, 0x47efffffe0000000,
    0x47effffff0000000, 0x3690000000000000, 0x36a0000000000000, 0x380fffffffffffff, 0x3ff0000010000000,
    0x3ff0000030000000, 0x0000000000000020, 0x000000000000003f, 0x0000000000000040, 0x00000000ffffffff,
    0x0000000100000000, 0x123456789abcdef0, 0x400921fb54442d18, 0x3fb999999999999a, 0x4024000000000000,
    0x40f0000000000000, 0x40effc0000000000, 0x3e60000000000000,
};
enum { NOPERANDS32 = sizeof operands32 / sizeof *operands32, NOPERANDS64 = sizeof operands64 / sizeof *operands64 };

static inline uint32_t operand32(unsigned i, unsigned k)
{
    static const unsigned step[3] = {1, 0, 7};
    unsigned at = k == 1 ? i / NOPERANDS32 + i : i * step[k] + k;
    return operands32[at % NOPERANDS32];
}
static inline uint64_t operand64(unsigned i, unsigned k)
{
    static const unsigned step[3] = {1, 0, 5};
    unsigned at = k == 1 ? i / NOPERANDS64 + i : i * step[k] + k;
    return operands64[at % NOPERANDS64];
}

struct kernel {
    const char *name;
    char out; /* 'r': %r is the result, 'R': %R, 'p': %p as 0 or 1 */
    const char *body;
};

/* clang-format off */
#define K32(name, inst) {name, 'r', inst " %r, %a, %b;"}
#define K32_1(name, inst) {name, 'r', inst " %r, %a;"}
#define K32_3(name, inst) {name, 'r', inst " %r, %a, %b, %c;"}
#define K64(name, inst) {name, 'R', inst " %R, %A, %B;"}
#define K64_1(name, inst) {name, 'R', inst " %R, %A;"}
#define K64_3(name, inst) {name, 'R', inst " %R, %A, %B, %C;"}
#define K16(name, inst) \
    {name, 'r', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; " inst " %h2, %h0, %h1; cvt.u32.u16 %r, %h2;"}
#define K16_3(name, inst)                                                                                      \
    {name, 'r', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; cvt.u16.u32 %h3, %c; " inst                          \
                " %h2, %h0, %h1, %h3; cvt.u32.u16 %r, %h2;"}
#define P32(name, inst) {name, 'p', inst " %p, %a, %b;"}
#define P64(name, inst) {name, 'p', inst " %p, %A, %B;"}
#define TO64(name, inst) {name, 'R', inst " %R, %a;"}
#define TO32(name, inst) {name, 'r', inst " %r, %A;"}
#define TO16(name, inst) {name, 'r', inst " %h0, %a; cvt.u32.u16 %r, %h0;"}
#define TO16_64(name, inst) {name, 'r', inst " %h0, %A; cvt.u32.u16 %r, %h0;"}
#define FROM16(name, inst) {name, 'r', "cvt.u16.u32 %h0, %a; " inst " %r, %h0;"}
#define K16_HALVES(name, inst) \
    {name, 'r', "mov.b32 {%h0, %h1}, %a; " inst " %h2, %h0; " inst " %h3, %h1; mov.b32 %r, {%h2, %h3};"}
/* clang-format on */
/* %t0 = 2^-126 (1 + k 2^-23) and %t1 = 1 - m 2^-24 for the 32 pairs of k < 4 and m < 8. */
#define TINY(name, body)                                                                                               \
    {                                                                                                                  \
        name, 'r',                                                                                                     \
            "and.b32 %t0, %lane, 3; add.u32 %t0, %t0, 0x00800000; shr.u32 %t1, %lane, 2; "                             \
            "sub.u32 %t1, 0x3f800000, %t1; " body                                                                      \
    }
/* An atomic on the thread's own cell, which holds %a (or %A): the old value and the new one. */
/* clang-format off */
#define ATOM_GLOBAL(name, inst)                                                                         \
    {name, 'R', "mul.wide.u32 %T0, %i3, 8; add.s64 %T0, %T0, %x2; st.global.u32 [%T0], %a; " inst         \
                "; ld.global.u32 %t1, [%T0]; mov.b64 %R, {%t0, %t1};"}
#define ATOM_GLOBAL64(name, inst)                                                                       \
    {name, 'R', "mul.wide.u32 %T0, %i3, 8; add.s64 %T0, %T0, %x2; st.global.u64 [%T0], %A; " inst         \
                "; ld.global.u64 %T2, [%T0]; xor.b64 %R, %T1, %T2;"}
#define ATOM_SHARED(name, inst)                                                                         \
    {name, 'R', ".shared .align 8 .b8 cell[1024]; mov.u32 %t3, cell; mad.lo.u32 %t3, %i2, 4, %t3; "      \
                "st.shared.u32 [%t3], %a; " inst "; ld.shared.u32 %t1, [%t3]; mov.b64 %R, {%t0, %t1};"}
#define ROUND4_32(op, n) K32##n(#op ".rn.f32", #op ".rn.f32"), K32##n(#op ".rz.f32", #op ".rz.f32"), \
    K32##n(#op ".rm.f32", #op ".rm.f32"), K32##n(#op ".rp.f32", #op ".rp.f32"), \
    K32##n(#op ".rn.ftz.f32", #op ".rn.ftz.f32")
#define ROUND4_64(op, n) K64##n(#op ".rn.f64", #op ".rn.f64"), K64##n(#op ".rz.f64", #op ".rz.f64"), \
    K64##n(#op ".rm.f64", #op ".rm.f64"), K64##n(#op ".rp.f64", #op ".rp.f64")
#define CMP_INT(M, t) M("setp.eq." t, "setp.eq." t), M("setp.ne." t, "setp.ne." t), M("setp.lt." t, "setp.lt." t), \
    M("setp.le." t, "setp.le." t), M("setp.gt." t, "setp.gt." t), M("setp.ge." t, "setp.ge." t)
#define CMP_FLOAT(M, t) CMP_INT(M, t), M("setp.equ." t, "setp.equ." t), M("setp.neu." t, "setp.neu." t), \
    M("setp.ltu." t, "setp.ltu." t), M("setp.leu." t, "setp.leu." t), M("setp.gtu." t, "setp.gtu." t), \
    M("setp.geu." t, "setp.geu." t), M("setp.num." t, "setp.num." t), M("setp.nan." t, "setp.nan." t)
#define CVT_INT_OF(M, s) M("cvt.rni.s32." s, "cvt.rni.s32." s), M("cvt.rzi.s32." s, "cvt.rzi.s32." s), \
    M("cvt.rmi.s32." s, "cvt.rmi.s32." s), M("cvt.rpi.s32." s, "cvt.rpi.s32." s), \
    M("cvt.rni.u32." s, "cvt.rni.u32." s), \
    M("cvt.rzi.u32." s, "cvt.rzi.u32." s), M("cvt.rmi.u32." s, "cvt.rmi.u32." s), M("cvt.rpi.u32." s, "cvt.rpi.u32." s)
#define CVT_LONG_OF(M, s) M("cvt.rni.s64." s, "cvt.rni.s64." s), M("cvt.rzi.s64." s, "cvt.rzi.s64." s), \
    M("cvt.rmi.s64." s, "cvt.rmi.s64." s), M("cvt.rpi.s64." s, "cvt.rpi.s64." s), \
    M("cvt.rni.u64." s, "cvt.rni.u64." s), \
    M("cvt.rzi.u64." s, "cvt.rzi.u64." s), M("cvt.rmi.u64." s, "cvt.rmi.u64." s), M("cvt.rpi.u64." s, "cvt.rpi.u64." s)
#define CVT_DIRS(M, d, s) M("cvt.rn." d "." s, "cvt.rn." d "." s), M("cvt.rz." d "." s, "cvt.rz." d "." s), \
    M("cvt.rm." d "." s, "cvt.rm." d "." s), M("cvt.rp." d "." s, "cvt.rp." d "." s)
/* clang-format on */

/* clang-format off */
static const struct kernel kernels[] = {
    /* integers */
    K16("add.s16", "add.s16"), K32("add.s32", "add.s32"), K64("add.s64", "add.s64"), K32("add.sat.s32", "add.sat.s32"),
    K16("sub.s16", "sub.s16"), K32("sub.s32", "sub.s32"), K64("sub.s64", "sub.s64"), K32("sub.sat.s32", "sub.sat.s32"),
    K16("mul.lo.s16", "mul.lo.s16"), K32("mul.lo.s32", "mul.lo.s32"), K64("mul.lo.s64", "mul.lo.s64"),
    K16("mul.hi.u16", "mul.hi.u16"), K16("mul.hi.s16", "mul.hi.s16"), K32("mul.hi.u32", "mul.hi.u32"),
    K32("mul.hi.s32", "mul.hi.s32"), K64("mul.hi.u64", "mul.hi.u64"), K64("mul.hi.s64", "mul.hi.s64"),
    {"mul.wide.u16", 'r', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; mul.wide.u16 %r, %h0, %h1;"},
    {"mul.wide.s16", 'r', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; mul.wide.s16 %r, %h0, %h1;"},
    {"mul.wide.u32", 'R', "mul.wide.u32 %R, %a, %b;"}, {"mul.wide.s32", 'R', "mul.wide.s32 %R, %a, %b;"},
    K16_3("mad.lo.s16", "mad.lo.s16"), K32_3("mad.lo.s32", "mad.lo.s32"), K64_3("mad.lo.s64", "mad.lo.s64"),
    K32_3("mad.hi.u32", "mad.hi.u32"), K32_3("mad.hi.s32", "mad.hi.s32"), K32_3("mad.hi.sat.s32", "mad.hi.sat.s32"),
    K64_3("mad.hi.u64", "mad.hi.u64"), K64_3("mad.hi.s64", "mad.hi.s64"),
    {"mad.wide.u32", 'R', "mad.wide.u32 %R, %a, %b, %C;"}, {"mad.wide.s32", 'R', "mad.wide.s32 %R, %a, %b, %C;"},
    K32("mul24.lo.u32", "mul24.lo.u32"), K32("mul24.lo.s32", "mul24.lo.s32"), K32("mul24.hi.u32", "mul24.hi.u32"),
    K32("mul24.hi.s32", "mul24.hi.s32"), K32_3("mad24.lo.s32", "mad24.lo.s32"), K32_3("mad24.hi.s32", "mad24.hi.s32"),
    K32_3("mad24.hi.sat.s32", "mad24.hi.sat.s32"), K32_3("mad24.hi.u32", "mad24.hi.u32"),
    K16_3("sad.u16", "sad.u16"), K16_3("sad.s16", "sad.s16"), K32_3("sad.u32", "sad.u32"), K32_3("sad.s32", "sad.s32"),
    K64_3("sad.u64", "sad.u64"), K64_3("sad.s64", "sad.s64"),
    K16("div.u16", "div.u16"), K16("div.s16", "div.s16"), K32("div.u32", "div.u32"), K32("div.s32", "div.s32"),
    K64("div.u64", "div.u64"), K64("div.s64", "div.s64"), K16("rem.u16", "rem.u16"), K16("rem.s16", "rem.s16"),
    K32("rem.u32", "rem.u32"), K32("rem.s32", "rem.s32"), K64("rem.u64", "rem.u64"), K64("rem.s64", "rem.s64"),
    K32_1("abs.s32", "abs.s32"), K64_1("abs.s64", "abs.s64"), K32_1("neg.s32", "neg.s32"), K64_1("neg.s64", "neg.s64"),
    K16("min.u16", "min.u16"), K16("min.s16", "min.s16"), K32("min.u32", "min.u32"), K32("min.s32", "min.s32"),
    K64("min.u64", "min.u64"), K64("min.s64", "min.s64"), K16("max.u16", "max.u16"), K16("max.s16", "max.s16"),
    K32("max.u32", "max.u32"), K32("max.s32", "max.s32"), K64("max.u64", "max.u64"), K64("max.s64", "max.s64"),
    /* bits */
    K32("and.b32", "and.b32"), K64("and.b64", "and.b64"), K32("or.b32", "or.b32"), K64("or.b64", "or.b64"),
    K32("xor.b32", "xor.b32"), K64("xor.b64", "xor.b64"), K32_1("not.b32", "not.b32"), K64_1("not.b64", "not.b64"),
    K32_1("cnot.b32", "cnot.b32"), K64_1("cnot.b64", "cnot.b64"),
    {"shl.b16", 'r', "cvt.u16.u32 %h0, %a; shl.b16 %h2, %h0, %b; cvt.u32.u16 %r, %h2;"},
    {"shr.u16", 'r', "cvt.u16.u32 %h0, %a; shr.u16 %h2, %h0, %b; cvt.u32.u16 %r, %h2;"},
    {"shr.s16", 'r', "cvt.u16.u32 %h0, %a; shr.s16 %h2, %h0, %b; cvt.u32.u16 %r, %h2;"},
    K32("shl.b32", "shl.b32"), K32("shr.u32", "shr.u32"), K32("shr.s32", "shr.s32"),
    {"shl.b64", 'R', "shl.b64 %R, %A, %b;"}, {"shr.u64", 'R', "shr.u64 %R, %A, %b;"},
    {"shr.s64", 'R', "shr.s64 %R, %A, %b;"},
    K32_1("clz.b32", "clz.b32"), TO32("clz.b64", "clz.b64"), K32_1("popc.b32", "popc.b32"),
    TO32("popc.b64", "popc.b64"),
    K32_1("brev.b32", "brev.b32"), K64_1("brev.b64", "brev.b64"), K32_1("bfind.u32", "bfind.u32"),
    K32_1("bfind.s32", "bfind.s32"), TO32("bfind.u64", "bfind.u64"), TO32("bfind.s64", "bfind.s64"),
    K32_1("bfind.shiftamt.u32", "bfind.shiftamt.u32"), K32_1("bfind.shiftamt.s32", "bfind.shiftamt.s32"),
    K32_3("bfe.u32", "bfe.u32"), K32_3("bfe.s32", "bfe.s32"), {"bfe.u64", 'R', "bfe.u64 %R, %A, %b, %c;"},
    {"bfe.s64", 'R', "bfe.s64 %R, %A, %b, %c;"}, {"bfi.b32", 'r', "and.b32 %t0, %c, 63; bfi.b32 %r, %a, %b, %t0, %c;"},
    {"bfi.b64", 'R', "and.b32 %t0, %c, 127; bfi.b64 %R, %A, %B, %t0, %b;"},
    {"lop3.0x96", 'r', "lop3.b32 %r, %a, %b, %c, 0x96;"}, {"lop3.0xca", 'r', "lop3.b32 %r, %a, %b, %c, 0xca;"},
    K32_3("shf.l.wrap.b32", "shf.l.wrap.b32"), K32_3("shf.l.clamp.b32", "shf.l.clamp.b32"),
    K32_3("shf.r.wrap.b32", "shf.r.wrap.b32"), K32_3("shf.r.clamp.b32", "shf.r.clamp.b32"),
    K32_3("prmt.b32", "prmt.b32"), K32_3("prmt.b32.f4e", "prmt.b32.f4e"), K32_3("prmt.b32.b4e", "prmt.b32.b4e"),
    K32_3("prmt.b32.rc8", "prmt.b32.rc8"), K32_3("prmt.b32.ecl", "prmt.b32.ecl"), K32_3("prmt.b32.ecr", "prmt.b32.ecr"),
    K32_3("prmt.b32.rc16", "prmt.b32.rc16"), K32_3("dp4a.u32.u32", "dp4a.u32.u32"),
    K32_3("dp4a.s32.s32", "dp4a.s32.s32"),
    K32_3("dp4a.u32.s32", "dp4a.u32.s32"), K32_3("dp4a.s32.u32", "dp4a.s32.u32"),
    K32_3("dp2a.lo.s32.s32", "dp2a.lo.s32.s32"),
    K32_3("dp2a.hi.u32.s32", "dp2a.hi.u32.s32"), K32_3("dp2a.hi.s32.u32", "dp2a.hi.s32.u32"),
    K32("bmsk.clamp.b32", "bmsk.clamp.b32"), K32("bmsk.wrap.b32", "bmsk.wrap.b32"),
    K32("szext.clamp.u32", "szext.clamp.u32"), K32("szext.clamp.s32", "szext.clamp.s32"),
    K32("szext.wrap.u32", "szext.wrap.u32"), K32("szext.wrap.s32", "szext.wrap.s32"),
    {"fns.b32", 'r', "and.b32 %t0, %b, 31; and.b32 %t1, %c, 15; sub.s32 %t1, %t1, 7; fns.b32 %r, %a, %t0, %t1;"},
    {"add.cc addc", 'R', "add.cc.u32 %t0, %a, %b; addc.u32 %t1, %b, %c; mov.b64 %R, {%t0, %t1};"},
    {"sub.cc subc", 'R', "sub.cc.u32 %t0, %a, %b; subc.u32 %t1, %b, %c; mov.b64 %R, {%t0, %t1};"},
    {"addc.cc", 'R', "add.cc.u32 %t0, %a, %b; addc.cc.u32 %t0, %b, %c; addc.u32 %t1, %a, 0; mov.b64 %R, {%t0, %t1};"},
    {"subc.cc", 'R', "sub.cc.u32 %t0, %a, %b; subc.cc.u32 %t0, %b, %c; subc.u32 %t1, %a, 0; mov.b64 %R, {%t0, %t1};"},
    {"mad.cc madc", 'R', "mad.lo.cc.u32 %t0, %a, %b, %c; madc.hi.u32 %t1, %a, %b, %c; mov.b64 %R, {%t0, %t1};"},
    {"mad.hi.cc madc.lo", 'R', "mad.hi.cc.s32 %t0, %a, %b, %c; madc.lo.s32 %t1, %a, %b, %c; mov.b64 %R, {%t0, %t1};"},
    {"add.cc.u64", 'R', "add.cc.u64 %T0, %A, %B; addc.u64 %R, %B, %C;"},
    {"mov pack", 'R', "mov.b64 %R, {%a, %b};"}, {"mov split", 'r', "mov.b64 {%t0, %t1}, %A; sub.u32 %r, %t0, %t1;"},
    {"mov split 16", 'r', "mov.b32 {%h0, %h1}, %a; mov.b32 %r, {%h1, %h0};"},
    /* selection and comparison */
    {"selp", 'r', "setp.lt.s32 %p, %a, %b; selp.b32 %r, %a, %c, %p;"},
    {"selp.b64", 'R', "setp.lt.s64 %p, %A, %B; selp.b64 %R, %A, %C, %p;"},
    K32_3("slct.u32.s32", "slct.u32.s32"), K32_3("slct.f32.f32", "slct.f32.f32"),
    K32_3("slct.ftz.f32.f32", "slct.ftz.f32.f32"),
    {"slct.u64.s32", 'R', "slct.u64.s32 %R, %A, %B, %c;"},
    K32("set.lt.u32.s32", "set.lt.u32.s32"), K32("set.geu.f32.f32", "set.geu.f32.f32"),
    K32("set.ne.s32.f32", "set.ne.s32.f32"),
    {"set.and", 'r', "setp.gt.u32 %q, %a, %c; set.lt.and.u32.s32 %r, %a, %b, !%q;"},
    {"setp.and", 'p', "setp.gt.u32 %q, %a, %c; setp.lt.and.s32 %p, %a, %b, %q;"},
    {"setp.or p|q", 'r', "setp.gt.u32 %q, %a, %c; setp.lt.or.s32 %p|%q, %a, %b, %q; selp.u32 %t0, 1, 0, %p; selp.u32 "
        "%r, 2, 0, %q; or.b32 %r, %r, %t0;"},
    {"setp.xor", 'p', "setp.gt.u32 %q, %a, %c; setp.lt.xor.f32 %p, %a, %b, !%q;"},
    CMP_INT(P32, "s32"), CMP_INT(P32, "u32"), CMP_INT(P64, "s64"), CMP_INT(P64, "u64"), CMP_FLOAT(P32, "f32"),
    CMP_FLOAT(P64, "f64"), P32("setp.lt.ftz.f32", "setp.lt.ftz.f32"), P32("setp.neu.ftz.f32", "setp.neu.ftz.f32"),
    P32("setp.lo.u32", "setp.lo.u32"), P32("setp.hs.u32", "setp.hs.u32"),
    {"testp.finite.f32", 'p', "testp.finite.f32 %p, %a;"}, {"testp.infinite.f32", 'p', "testp.infinite.f32 %p, %a;"},
    {"testp.number.f32", 'p', "testp.number.f32 %p, %a;"},
    {"testp.notanumber.f32", 'p', "testp.notanumber.f32 %p, %a;"},
    {"testp.normal.f32", 'p', "testp.normal.f32 %p, %a;"}, {"testp.subnormal.f32", 'p', "testp.subnormal.f32 %p, %a;"},
    {"testp.normal.f64", 'p', "testp.normal.f64 %p, %A;"}, {"testp.subnormal.f64", 'p', "testp.subnormal.f64 %p, %A;"},
    /* f32 */
    ROUND4_32(add, ), ROUND4_32(sub, ), ROUND4_32(mul, ), ROUND4_32(fma, _3), ROUND4_32(div, ), ROUND4_32(sqrt, _1),
    ROUND4_32(rcp, _1), K32("add.sat.f32", "add.sat.f32"), K32("sub.ftz.sat.f32", "sub.ftz.sat.f32"),
    K32("mul.sat.f32", "mul.sat.f32"), K32_3("fma.rn.sat.f32", "fma.rn.sat.f32"),
    K32_3("fma.rz.ftz.f32", "fma.rz.ftz.f32"),
    K32_1("abs.f32", "abs.f32"), K32_1("neg.f32", "neg.f32"), K32_1("abs.ftz.f32", "abs.ftz.f32"),
    K32_1("neg.ftz.f32", "neg.ftz.f32"), K32("min.f32", "min.f32"), K32("max.f32", "max.f32"),
    K32("min.ftz.f32", "min.ftz.f32"), K32("max.ftz.f32", "max.ftz.f32"), K32("min.NaN.f32", "min.NaN.f32"),
    K32("max.NaN.f32", "max.NaN.f32"), K32("copysign.f32", "copysign.f32"),
    K32("div.full.f32", "div.full.f32"), K32("div.approx.f32", "div.approx.f32"),
    K32("div.approx.ftz.f32", "div.approx.ftz.f32"),
    K32_1("rcp.approx.f32", "rcp.approx.f32"), K32_1("rcp.approx.ftz.f32", "rcp.approx.ftz.f32"),
    K32_1("sqrt.approx.f32", "sqrt.approx.f32"), K32_1("rsqrt.approx.f32", "rsqrt.approx.f32"),
    K32_1("rsqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32"), K32_1("ex2.approx.f32", "ex2.approx.f32"),
    K32_1("ex2.approx.ftz.f32", "ex2.approx.ftz.f32"), K32_1("lg2.approx.f32", "lg2.approx.f32"),
    K32_1("lg2.approx.ftz.f32", "lg2.approx.ftz.f32"), K32_1("sin.approx.f32", "sin.approx.f32"),
    K32_1("cos.approx.f32", "cos.approx.f32"), K32_1("tanh.approx.f32", "tanh.approx.f32"),
    /* f64 */
    ROUND4_64(add, ), ROUND4_64(sub, ), ROUND4_64(mul, ), ROUND4_64(fma, _3), ROUND4_64(div, ), ROUND4_64(sqrt, _1),
    ROUND4_64(rcp, _1), K64_1("abs.f64", "abs.f64"), K64_1("neg.f64", "neg.f64"), K64("min.f64", "min.f64"),
    K64("max.f64", "max.f64"), K64("copysign.f64", "copysign.f64"), K64_1("rcp.approx.ftz.f64", "rcp.approx.ftz.f64"),
    K64_1("rsqrt.approx.ftz.f64", "rsqrt.approx.ftz.f64"), K64_1("rsqrt.approx.f64", "rsqrt.approx.f64"),
    /* f16 */
    K16("add.f16", "add.f16"), K16("sub.f16", "sub.f16"), K16("mul.f16", "mul.f16"), K16_3("fma.rn.f16", "fma.rn.f16"),
    K16("add.sat.f16", "add.sat.f16"), K16("min.f16", "min.f16"), K16("max.f16", "max.f16"),
    K32("add.f16x2", "add.f16x2"),
    K32("mul.f16x2", "mul.f16x2"), K32_3("fma.rn.f16x2", "fma.rn.f16x2"), K32_1("neg.f16x2", "neg.f16x2"),
    {"setp.lt.f16", 'p', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; setp.lt.f16 %p, %h0, %h1;"},
    {"setp.neu.f16", 'p', "cvt.u16.u32 %h0, %a; cvt.u16.u32 %h1, %b; setp.neu.f16 %p, %h0, %h1;"},
    {"setp.ltu.f16x2", 'r', "setp.ltu.f16x2 %p|%q, %a, %b; selp.u32 %t0, 1, 0, %p; selp.u32 %r, 2, 0, %q; or.b32 %r, "
        "%r, %t0;"},
    /* conversions */
    CVT_INT_OF(K32_1, "f32"), CVT_INT_OF(TO32, "f64"), CVT_LONG_OF(TO64, "f32"), CVT_LONG_OF(K64_1, "f64"),
    K32_1("cvt.rzi.ftz.s32.f32", "cvt.rzi.ftz.s32.f32"),
    TO16("cvt.rzi.u16.f32", "cvt.rzi.u16.f32"), TO16("cvt.rni.s16.f32", "cvt.rni.s16.f32"),
    K32_1("cvt.rzi.u8.f32", "cvt.rzi.u8.f32"), K32_1("cvt.rni.s8.f32", "cvt.rni.s8.f32"),
    K32_1("cvt.rni.f32.f32", "cvt.rni.f32.f32"), K32_1("cvt.rzi.f32.f32", "cvt.rzi.f32.f32"),
    K32_1("cvt.rmi.f32.f32", "cvt.rmi.f32.f32"), K32_1("cvt.rpi.f32.f32", "cvt.rpi.f32.f32"),
    K64_1("cvt.rni.f64.f64", "cvt.rni.f64.f64"), K64_1("cvt.rmi.f64.f64", "cvt.rmi.f64.f64"),
    K64_1("cvt.rpi.f64.f64", "cvt.rpi.f64.f64"), K64_1("cvt.rzi.f64.f64", "cvt.rzi.f64.f64"),
    K32_1("cvt.sat.f32.f32", "cvt.sat.f32.f32"), K32_1("cvt.ftz.f32.f32", "cvt.ftz.f32.f32"),
    CVT_DIRS(TO32, "f32", "f64"), TO32("cvt.rn.ftz.f32.f64", "cvt.rn.ftz.f32.f64"),
    TO32("cvt.rn.sat.f32.f64", "cvt.rn.sat.f32.f64"),
    TO64("cvt.f64.f32", "cvt.f64.f32"), TO64("cvt.ftz.f64.f32", "cvt.ftz.f64.f32"),
    CVT_DIRS(K32_1, "f32", "s32"), CVT_DIRS(K32_1, "f32", "u32"), CVT_DIRS(TO32, "f32", "s64"),
    CVT_DIRS(TO32, "f32", "u64"),
    TO64("cvt.rn.f64.s32", "cvt.rn.f64.s32"), TO64("cvt.rn.f64.u32", "cvt.rn.f64.u32"), CVT_DIRS(K64_1, "f64", "s64"),
    CVT_DIRS(K64_1, "f64", "u64"), K32_1("cvt.rn.sat.f32.s32", "cvt.rn.sat.f32.s32"),
    FROM16("cvt.rn.f32.u16", "cvt.rn.f32.u16"), FROM16("cvt.rn.f32.s16", "cvt.rn.f32.s16"),
    FROM16("cvt.f32.f16", "cvt.f32.f16"),
    TO16("cvt.rn.f16.f32", "cvt.rn.f16.f32"), TO16("cvt.rz.f16.f32", "cvt.rz.f16.f32"),
    TO16_64("cvt.rn.f16.f64", "cvt.rn.f16.f64"),
    TO16("cvt.rn.f16.s32", "cvt.rn.f16.s32"), TO16("cvt.rn.bf16.f32", "cvt.rn.bf16.f32"),
    TO16("cvt.rz.bf16.f32", "cvt.rz.bf16.f32"),
    FROM16("cvt.rzi.s32.f16", "cvt.rzi.s32.f16"),
    TO64("cvt.u64.u32", "cvt.u64.u32"), TO64("cvt.s64.s32", "cvt.s64.s32"), TO64("cvt.u64.s32", "cvt.u64.s32"),
    TO32("cvt.u32.u64", "cvt.u32.u64"), TO32("cvt.sat.u32.s64", "cvt.sat.u32.s64"),
    TO32("cvt.sat.s32.s64", "cvt.sat.s32.s64"),
    TO32("cvt.sat.s32.u64", "cvt.sat.s32.u64"), K32_1("cvt.sat.u32.s32", "cvt.sat.u32.s32"),
    K32_1("cvt.sat.s32.u32", "cvt.sat.s32.u32"),
    K32_1("cvt.s32.s8", "cvt.s32.s8"), K32_1("cvt.u32.u8", "cvt.u32.u8"), K32_1("cvt.s8.s32", "cvt.s8.s32"),
    K32_1("cvt.u8.s32", "cvt.u8.s32"), K32_1("cvt.sat.s8.s32", "cvt.sat.s8.s32"),
    K32_1("cvt.sat.u8.s32", "cvt.sat.u8.s32"),
    K32_1("cvt.s32.s16", "cvt.s32.s16"), K32_1("cvt.u16.s8", "cvt.u16.s8"), TO64("cvt.s64.s8", "cvt.s64.s8"),
    TO64("cvt.u64.u16", "cvt.u64.u16"), TO32("cvt.s16.s64", "cvt.s16.s64"),
    /* lanes together; every warp is full */
    {"shfl.up", 'r', "and.b32 %t0, %b, 31; shfl.sync.up.b32 %r|%p, %a, %t0, 0, -1; selp.u32 %t1, 1, 0, %p; add.u32 "
        "%r, %r, %t1;"},
    {"shfl.down", 'r', "and.b32 %t0, %lane, 7; shfl.sync.down.b32 %r|%p, %a, %t0, 0x1f, -1; selp.u32 %t1, 1, 0, %p; "
        "add.u32 %r, %r, %t1;"},
    {"shfl.bfly", 'r', "shfl.sync.bfly.b32 %r|%p, %a, 5, 0x0f1f, -1; selp.u32 %t1, 1, 0, %p; add.u32 %r, %r, %t1;"},
    {"shfl.idx", 'r', "shfl.sync.idx.b32 %r|%p, %a, %c, 0x181f, -1; selp.u32 %t1, 1, 0, %p; add.u32 %r, %r, %t1;"},
    {"shfl.up seg", 'r', "shfl.sync.up.b32 %r|%p, %a, 3, 0x1800, -1; selp.u32 %t1, 1, 0, %p; add.u32 %r, %r, %t1;"},
    {"shfl.down seg", 'r', "shfl.sync.down.b32 %r|%p, %a, 3, 0x1807, -1; selp.u32 %t1, 1, 0, %p; add.u32 %r, %r, %t1;"},
    {"vote.ballot", 'r', "setp.lt.s32 %p, %a, %b; vote.sync.ballot.b32 %r, %p, -1;"},
    {"vote.any", 'p', "setp.lt.s32 %q, %a, %b; vote.sync.any.pred %p, %q, -1;"},
    {"vote.all", 'p', "setp.lt.s32 %q, %a, %b; vote.sync.all.pred %p, %q, -1;"},
    {"match.any", 'r', "and.b32 %t0, %a, 3; match.any.sync.b32 %r, %t0, -1;"},
    {"match.all", 'r', "and.b32 %t0, %a, 0; match.all.sync.b32 %r|%p, %t0, -1;"},
    {"redux.add", 'r', "redux.sync.add.u32 %r, %a, -1;"}, {"redux.min.s32", 'r', "redux.sync.min.s32 %r, %a, -1;"},
    {"redux.xor", 'r', "redux.sync.xor.b32 %r, %a, -1;"},
    /* forms whose rules a first comparison left open */
    K16_HALVES("abs.f16", "abs.f16"), K16_HALVES("neg.f16", "neg.f16"), K32_1("abs.f16x2", "abs.f16x2"),
    K16_HALVES("abs.bf16", "abs.bf16"), K16_HALVES("neg.bf16", "neg.bf16"), K32("min.f16x2", "min.f16x2"),
    K32("max.f16x2", "max.f16x2"), {"bfi.b64 full", 'R', "bfi.b64 %R, %A, %B, %b, %c;"},
    {"bfi.b32 full", 'r', "bfi.b32 %r, %a, %b, %b, %c;"},
    TO16_64("cvt.rzi.u16.f64", "cvt.rzi.u16.f64"), TO16_64("cvt.rni.s16.f64", "cvt.rni.s16.f64"),
    TO32("cvt.rzi.u8.f64", "cvt.rzi.u8.f64"), TO32("cvt.rni.s8.f64", "cvt.rni.s8.f64"),
    {"cvt.f64.f16", 'R', "mov.b32 {%h0, %h1}, %a; cvt.f64.f16 %R, %h1;"},
    {"cvt.rzi.s64.f16", 'R', "mov.b32 {%h0, %h1}, %a; cvt.rzi.s64.f16 %R, %h1;"},
    K16_HALVES("cvt.rni.f16.f16", "cvt.rni.f16.f16"),
    {"cvt.rn.f16.s64", 'r', "cvt.rn.f16.s64 %h0, %A; cvt.u32.u16 %r, %h0;"},
    K32_1("sqrt.approx.ftz.f32", "sqrt.approx.ftz.f32"), K32("div.full.ftz.f32", "div.full.ftz.f32"),
    K32_1("sin.approx.ftz.f32", "sin.approx.ftz.f32"), K32_1("cos.approx.ftz.f32", "cos.approx.ftz.f32"),
    K16_HALVES("ex2.approx.f16", "ex2.approx.f16"), K16_HALVES("tanh.approx.f16", "tanh.approx.f16"),
    /* results next to the least normal number: is one that rounds up to it flushed? */
    TINY("mul.ftz.f32 tiny", "mul.ftz.f32 %r, %t0, %t1;"), TINY("mul.rp.ftz.f32 tiny", "mul.rp.ftz.f32 %r, %t0, %t1;"),
    TINY("mul.rz.ftz.f32 tiny", "mul.rz.ftz.f32 %r, %t0, %t1;"),
    TINY("mul.ftz.sat.f32 tiny", "mul.ftz.sat.f32 %r, %t0, %t1;"),
    TINY("fma.rn.ftz.f32 tiny", "xor.b32 %t1, %t1, 0x80000000; mov.b32 %t2, 0x01000000; fma.rn.ftz.f32 %r, %t0, %t1, "
        "%t2;"),
    TINY("fma.rp.ftz.f32 tiny", "xor.b32 %t1, %t1, 0x80000000; mov.b32 %t2, 0x01000000; fma.rp.ftz.f32 %r, %t0, %t1, "
        "%t2;"),
    TINY("div.rn.ftz.f32 tiny", "add.u32 %t0, %t0, 0x7e000000; div.rn.ftz.f32 %r, %t1, %t0;"),
    TINY("div.rp.ftz.f32 tiny", "add.u32 %t0, %t0, 0x7e000000; div.rp.ftz.f32 %r, %t1, %t0;"),
    {"cvt.rn.ftz.f32.f64 tiny", 'r', "cvt.u64.u32 %T0, %lane; shl.b64 %T0, %T0, 26; sub.s64 %T0, 0x3810000000000000, "
        "%T0; cvt.rn.ftz.f32.f64 %r, %T0;"},
    {"cvt.rp.ftz.f32.f64 tiny", 'r', "cvt.u64.u32 %T0, %lane; shl.b64 %T0, %T0, 26; sub.s64 %T0, 0x3810000000000000, "
        "%T0; cvt.rp.ftz.f32.f64 %r, %T0;"},
    /* atomics */
    ATOM_GLOBAL("atom.global.add.f32", "atom.global.add.f32 %t0, [%T0], %b"),
    ATOM_SHARED("atom.shared.add.f32", "atom.shared.add.f32 %t0, [%t3], %b"),
    ATOM_GLOBAL64("atom.global.add.f64", "atom.global.add.f64 %T1, [%T0], %B"),
    ATOM_GLOBAL("atom.global.add.noftz.f16x2", "atom.global.add.noftz.f16x2 %t0, [%T0], %b"),
    ATOM_SHARED("atom.shared.add.noftz.f16x2", "atom.shared.add.noftz.f16x2 %t0, [%t3], %b"),
    ATOM_GLOBAL("atom.global.min.s32", "atom.global.min.s32 %t0, [%T0], %b"),
    ATOM_GLOBAL("atom.global.max.u32", "atom.global.max.u32 %t0, [%T0], %b"),
    ATOM_GLOBAL("atom.global.inc.u32", "atom.global.inc.u32 %t0, [%T0], %b"),
    ATOM_GLOBAL("atom.global.dec.u32", "atom.global.dec.u32 %t0, [%T0], %b"),
    ATOM_GLOBAL("atom.global.cas.b32", "and.b32 %t2, %b, -2; atom.global.cas.b32 %t0, [%T0], %t2, %c"),
    ATOM_GLOBAL64("atom.global.min.s64", "atom.global.min.s64 %T1, [%T0], %B"),
    ATOM_SHARED("atom.shared.exch.b32", "atom.shared.exch.b32 %t0, [%t3], %b"),
};
/* clang-format on */
enum { NKERNELS = sizeof kernels / sizeof *kernels };

/* The complete module text of kernel k, called "test". */
static inline int kernel_text(const struct kernel *k, char *out, size_t size)
{
    const char *finish = k->out == 'R' ? "" : k->out == 'p' ? "selp.u64 %R, 1, 0, %p;" : "cvt.u64.u32 %R, %r;";
    return snprintf(
        out, size,
        ".version 8.4\n.target sm_90a\n.address_size 64\n"
        ".visible .entry test(.param .u64 in32, .param .u64 in64, .param .u64 out)\n{\n"
        ".reg .pred %%p, %%q;\n.reg .b16 %%h<4>;\n.reg .b32 %%a, %%b, %%c, %%r, %%t<4>, %%i<5>, %%lane;\n"
        ".reg .b64 %%A, %%B, %%C, %%R, %%T<4>, %%x<8>;\n"
        "mov.u32 %%i0, %%ctaid.x;\nmov.u32 %%i1, %%ntid.x;\nmov.u32 %%i2, %%tid.x;\nmov.u32 %%lane, %%laneid;\n"
        "mad.lo.s32 %%i3, %%i0, %%i1, %%i2;\n"
        "ld.param.u64 %%x0, [in32];\nld.param.u64 %%x1, [in64];\nld.param.u64 %%x2, [out];\n"
        "mul.wide.u32 %%x3, %%i3, 12;\nadd.s64 %%x0, %%x0, %%x3;\n"
        "ld.global.u32 %%a, [%%x0];\nld.global.u32 %%b, [%%x0+4];\nld.global.u32 %%c, [%%x0+8];\n"
        "mul.wide.u32 %%x3, %%i3, 24;\nadd.s64 %%x1, %%x1, %%x3;\n"
        "ld.global.u64 %%A, [%%x1];\nld.global.u64 %%B, [%%x1+8];\nld.global.u64 %%C, [%%x1+16];\n"
        "%s\n%s\n"
        "mul.wide.u32 %%x3, %%i3, 8;\nadd.s64 %%x2, %%x2, %%x3;\nst.global.u64 [%%x2], %%R;\nret;\n}\n",
        k->body, finish);
}

static inline void print_result(const struct kernel *k, unsigned i, uint64_t bits)
{
    printf("%s %u %016llx  a %08x b %08x c %08x  A %016llx B %016llx C %016llx\n", k->name, i, (unsigned long long)bits,
           operand32(i, 0), operand32(i, 1), operand32(i, 2), (unsigned long long)operand64(i, 0),
           (unsigned long long)operand64(i, 1), (unsigned long long)operand64(i, 2));
}

#endif
