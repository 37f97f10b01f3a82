/* opcodes.c - the table of opcodes, and the vocabulary its rows are written in. */
#include "ptx/opcodes.h"

#include "ptx/fpmath.h"
#include "ptx/ops.h"

/* ---- sets of types and modifiers ---- */

#define TY(t)   (1u << T_##t)
#define INTS    (TY(U16) | TY(U32) | TY(U64) | TY(S16) | TY(S32) | TY(S64))
#define INTS32  (TY(U32) | TY(U64) | TY(S32) | TY(S64))
#define SIGNED  (TY(S16) | TY(S32) | TY(S64))
#define PAIRS   (TY(U16X2) | TY(S16X2))
#define BITS    (TY(B16) | TY(B32) | TY(B64))
#define HALVES  (TY(F16) | TY(F16X2) | TY(BF16) | TY(BF16X2))
#define FLOATS  (TY(F32) | TY(F64))
#define BYTES   (TY(B8) | TY(U8) | TY(S8))
#define SCALARS (BYTES | BITS | INTS | FLOATS | TY(F16) | TY(BF16))
#define NUMBERS (SCALARS & ~(TY(B8) | BITS))
#define PACKED  (TY(F16X2) | TY(BF16X2) | TY(TF32) | TY(E4M3X2) | TY(E5M2X2))
#define MEMORY  (M_SPACE | M_CACHE | M_SEM | M_SCOPE | M_HINT | M_POLICY)

/* ---- lane operations: n is what their names begin with ---- */

/* clang-format off */
#define NO_LANES
#define FIRST(n)         .i32 = L_##n, /* the lowering function counts on from it */
#define ONE_B32(n)       .i32 = L_##n##_b32,
#define WIDTHS(n)        .i16 = L_##n##_b16, .i32 = L_##n##_b32, .i64 = L_##n##_b64,
#define WIDTHS_32_64(n)  .i32 = L_##n##_b32, .i64 = L_##n##_b64,
#define BIT_WIDTHS(n)    .i16 = L_##n##_b32, .i32 = L_##n##_b32, .i64 = L_##n##_b64, /* upper bits mean nothing */
#define SIGNED_WIDTHS(n) .i16 = L_##n##_s16, .i32 = L_##n##_s32, .i64 = L_##n##_s64,
#define SIGNS(n)         .i16 = L_##n##_u16, .i32 = L_##n##_u32, .i64 = L_##n##_u64, .sign = true,
#define SIGNS_32(n)      .i32 = L_##n##_u32, .sign = true,
#define SIGNS_32_64(n)   .i32 = L_##n##_u32, .i64 = L_##n##_u64, .sign = true,
#define SAT_S32(n)       .s32_sat = L_##n##_sat_s32,
#define F32(n)           .f32 = L_##n##_f32,
#define F32_F64(n)       .f32 = L_##n##_f32, .f64 = L_##n##_f64,
#define F16(n)           .f16 = L_##n##_f16,
#define F16_SAT(n)       .f16_sat = L_##n##_sat_f16,
#define PRED(n)          .pred = L_bool_##n,
#define DIRECTED(op)     .directed = op,

const struct ptx_opcode ptx_opcodes[OP_COUNT] = {
#define PTX_OP(id, name, operands, mods, needs, types, types2, kind, pace, lower, forms) \
    [OP_##id] = {name, operands, mods, needs, types, types2, kind, pace, lower, {forms}},
#include "ptx/opcodes.def"
#undef PTX_OP
};
/* clang-format on */
