/* scalar.c - forms too rare to be among the lane operations: carries, directed rounding and vector mov. */
#include "ptx/exec_priv.h"
#include "ptx/fpmath.h"

#include <string.h>

/* ---- add.cc, addc, sub.cc, subc, mad.cc, madc ----
 *
 * The flag is one bit per lane. Everything is done in 64 bits for 32-bit types and in 128 for
 * 64-bit ones; borrow is kept as the hardware does for subc: 1 means a borrow happened. */

typedef unsigned __int128 wide_int;

static wide_int product(const struct uop *u, uint64_t a, uint64_t b, unsigned bits)
{
    bool is_signed = u->type == T_S32 || u->type == T_S64;
    if (!(u->flags & FLAG_HI)) return bits == 32 ? (uint32_t)(a * b) : (uint64_t)(a * b);
    if (bits == 32)
        return is_signed ? (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32)
                         : (uint32_t)((uint32_t)a * (b & UINT32_MAX) >> 32);
    return is_signed ? (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64) : (uint64_t)((wide_int)a * b >> 64);
}

/* The result with the carry (or borrow) in bit `bits`. */
static wide_int carry_lane(const struct exec_warp *w, const struct uop *u, unsigned i, unsigned bits)
{
    bool wide = bits == 64, in = w->carry >> i & 1;
    uint64_t a = get_lane(w, u->s[0], wide, i), b = get_lane(w, u->s[1], wide, i);
    switch (u->mode) {
    case OP_ADD: return (wide_int)a + b;
    case OP_ADDC: return (wide_int)a + b + in;
    case OP_SUB: return (wide_int)a - b;
    case OP_SUBC: return (wide_int)a - b - in;
    case OP_MADC: return product(u, a, b, bits) + get_lane(w, u->s[2], wide, i) + in;
    default: return product(u, a, b, bits) + get_lane(w, u->s[2], wide, i);
    }
}

int op_carry(struct exec_warp *w, const struct uop *u)
{
    unsigned bits = u->type == T_U64 || u->type == T_S64 ? 64 : 32;
    uint32_t carry = 0;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        wide_int r = carry_lane(w, u, i, bits);
        carry |= (uint32_t)(r >> bits & 1) << i;
        put_lane(w, u->d, bits == 64, i, (uint64_t)r);
    }
    if (u->flags & FLAG_CC) w->carry = (w->carry & ~w->exec) | carry;
    return RUN_ON;
}

/* ---- .rz .rm .rp ---- */

static float flushed(float x, bool flush)
{
    uint32_t b = f32_bits(x);
    return flush && !(b & 0x7f800000) ? f32_of(b & 0x80000000) : x;
}

/* Zeroes the results that .ftz flushes: those below 2^-126 once they are rounded without a
 * least exponent, which the same operation at 2^32 times the size shows. Sums that small are
 * exact, and roots and reciprocals are never so small and rounded. */
static void flush_results(const struct uop *u, float in[3][WARP_SIZE], float out[WARP_SIZE])
{
    float scaled[WARP_SIZE];
    bool rounds = u->mode == FP_MUL || u->mode == FP_FMA || u->mode == FP_DIV;
    for (unsigned i = 0; i < WARP_SIZE && rounds; i++) {
        in[0][i] *= 0x1p32f;
        if (u->mode == FP_FMA) in[2][i] *= 0x1p32f;
    }
    if (rounds) fp_directed_f32((enum fp_op)u->mode, u->rnd, in[0], in[1], in[2], scaled);
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        bool tiny = rounds && (f32_bits(scaled[i]) & 0x7fffffff) < f32_bits(0x1p-94f);
        out[i] = tiny ? f32_of(f32_bits(out[i]) & 0x80000000) : flushed(out[i], true);
    }
}

static int directed_f32(struct exec_warp *w, const struct uop *u)
{
    float in[3][WARP_SIZE], out[WARP_SIZE];
    bool ftz = u->flags & FLAG_FTZ;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < WARP_SIZE; i++) in[k][i] = flushed(f32_of(at32(w, u->s[k])[i]), ftz);
    fp_directed_f32((enum fp_op)u->mode, u->rnd, in[0], in[1], in[2], out);
    if (ftz) flush_results(u, in, out);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        float r = out[i];
        uint32_t bits = r != r ? F32_NAN : f32_bits(r);
        if (u->flags & FLAG_SAT) bits = !(r > 0) ? 0 : r > 1 ? f32_bits(1) : bits;
        at32(w, u->d)[i] = bits;
    }
    return RUN_ON;
}

static double with_nan(unsigned op, double r, double a, double b, double c)
{
    switch (op) {
    case FP_ADD:
    case FP_SUB:
    case FP_MUL: return f64_nan_sum(r, a, b);
    case FP_FMA: return f64_nan_fma(r, a, b, c);
    case FP_DIV: return f64_nan_quotient(r, a, b);
    default: return f64_with_nan(r, a, a, a);
    }
}

int op_directed(struct exec_warp *w, const struct uop *u)
{
    if (u->type == T_F32) return directed_f32(w, u);
    double in[3][WARP_SIZE], out[WARP_SIZE];
    for (unsigned k = 0; k < 3; k++) memcpy(in[k], at(w, u->s[k]), sizeof in[k]);
    fp_directed_f64((enum fp_op)u->mode, u->rnd, in[0], in[1], in[2], out);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        at64(w, u->d)[i] = f64_bits(with_nan(u->mode, out[i], in[0][i], in[1][i], in[2][i]));
    }
    return RUN_ON;
}

/* ---- mov {a, b}, c and back ---- */

/* The usual one, doubles in halves. Lanes that are off keep what they had. */
static void split_pairs(struct exec_warp *w, const struct uop *u)
{
    const uint64_t *s = at64(w, u->s[0]);
    uint32_t *low = at32(w, u->v[0]), *high = at32(w, u->v[1]);
    uint64_t whole[WARP_SIZE]; /* a half may lie where the source is */
    memcpy(whole, s, sizeof whole);
    for (unsigned i = 0; i < WARP_SIZE; i++) low[i] ^= (low[i] ^ (uint32_t)whole[i]) & w->lanes[i];
    for (unsigned i = 0; i < WARP_SIZE; i++) high[i] ^= (high[i] ^ (uint32_t)(whole[i] >> 32)) & w->lanes[i];
}

static void join_pairs(struct exec_warp *w, const struct uop *u)
{
    const uint32_t *low = at32(w, u->v[0]), *high = at32(w, u->v[1]);
    uint64_t *d = at64(w, u->d), whole[WARP_SIZE];
    for (unsigned i = 0; i < WARP_SIZE; i++) whole[i] = (uint64_t)high[i] << 32 | low[i];
    for (unsigned i = 0; i < WARP_SIZE; i++) d[i] ^= (d[i] ^ whole[i]) & (uint64_t)(int64_t)(int32_t)w->lanes[i];
}

int op_mov_vec(struct exec_warp *w, const struct uop *u)
{
    if (u->bytes == 4 && u->nvec == 2 && u->src_wide) return u->mode ? split_pairs(w, u) : join_pairs(w, u), RUN_ON;
    unsigned bits = 8u * u->bytes;
    uint64_t part = UINT64_MAX >> (64 - bits);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint64_t whole = 0;
        if (u->mode) { /* split: read everything before a part overwrites the source */
            whole = get_lane(w, u->s[0], u->src_wide, i);
            for (unsigned k = 0; k < u->nvec; k++) at32(w, u->v[k])[i] = (uint32_t)(whole >> (k * bits) & part);
        } else {
            for (unsigned k = 0; k < u->nvec; k++) whole |= (at32(w, u->v[k])[i] & part) << (k * bits);
            put_lane(w, u->d, u->src_wide, i, whole);
        }
    }
    return RUN_ON;
}
