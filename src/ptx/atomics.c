/* atomics.c - atom and red: lanes in increasing order, each a read, an operation, a write.
 *
 * One warp runs at a time, so nothing else is needed to be atomic. A value that a lane
 * leaves unchanged is no progress: a lock that nobody releases is recognised by that. */
#include "ptx/exec_priv.h"
#include "ptx/fpmath.h"
#include "ptx/half.h"

#include <string.h>

/* inc and dec wrap at the operand, not at the width. */
static uint64_t integer(unsigned mode, bool is_signed, uint64_t old, uint64_t b, uint64_t c)
{
    bool less = is_signed ? (int64_t)old < (int64_t)b : old < b;
    switch (mode) {
    case ATOM_ADD: return old + b;
    case ATOM_MIN: return less ? old : b;
    case ATOM_MAX: return less ? b : old;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    case ATOM_XOR: return old ^ b;
    case ATOM_CAS: return old == b ? c : old;
    default: return b; /* exch */
    }
}

static uint32_t flushed(uint32_t b, bool flush) { return flush && !(b & 0x7f800000) ? b & 0x80000000 : b; }

/* In global memory subnormal numbers are zero; in shared memory they are not. */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
    float r = f32_of(flushed(a, flush)) + f32_of(flushed(b, flush));
    return r != r ? F32_NAN : flushed(f32_bits(r), flush);
}

/* A NaN stays as it is, even a signalling one; the operand's before the one in memory. */
static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x = f64_of(a), y = f64_of(b), r = x + y;
    if (r == r) return f64_bits(r);
    return y != y ? b : x != x ? a : F64_NAN;
}

static uint32_t add_f16(uint32_t a, uint32_t b)
{
    float r = f16_to_f32((uint16_t)a) + f16_to_f32((uint16_t)b);
    return r != r ? F16_NAN : f16_from_f32(r);
}

/* Signed operands arrive sign-extended, so that 64-bit comparisons are right for both widths. */
static uint64_t apply(const struct uop *u, bool global, uint64_t old, uint64_t b, uint64_t c)
{
    bool small = ptx_is_float(u->type) && u->type != T_F32 && u->type != T_F64;
    if (small && u->mode <= ATOM_MAX && (u->mode != ATOM_ADD || u->type == T_BF16 || u->type == T_BF16X2))
        return half_apply(u->mode == ATOM_ADD   ? OP_ADD
                          : u->mode == ATOM_MIN ? OP_MIN
                                                : OP_MAX,
                          u->type, (uint32_t)old, (uint32_t)b);
    if (u->mode == ATOM_ADD) {
        switch (u->type) {
        case T_F32: return add_f32((uint32_t)old, (uint32_t)b, global);
        case T_F64: return add_f64(old, b);
        case T_F16: return add_f16((uint32_t)old, (uint32_t)b);
        case T_F16X2:
            return add_f16((uint32_t)old, (uint32_t)b) | add_f16((uint32_t)old >> 16, (uint32_t)b >> 16) << 16;
        default: break;
        }
    }
    return integer(u->mode, u->sign, old, b, c);
}

static uint64_t operand(const struct exec_warp *w, const struct uop *u, unsigned k, unsigned lane)
{
    uint64_t v = get_lane(w, u->s[k], u->wide, lane);
    if (u->bytes == 8) return v;
    unsigned unused = 64 - 8u * u->bytes;
    return u->sign ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

static bool is_global(const struct uop *u, uint64_t addr)
{
    return u->space == PTX_GLOBAL || (u->space == PTX_SPACE_NONE && (addr < GENERIC_SHARED || addr >= GENERIC_END));
}

/* One lane sends it for all (once.h). */
static void emit_once(struct exec_warp *w, const uint64_t addr[WARP_SIZE])
{
    uint32_t first = w->exec & -w->exec;
    w->threads++;
    if (!w->out) return;
    stream_guard(w->out, first);
    stream_addrs(w->out, first, addr);
}

int op_atom(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    mem_addresses(w, u, addr);
    if (u->in->once) emit_once(w, addr);
    else if (mem_emit(w, u, addr)) return RUN_FAULT;
    unsigned unused = 64 - 8u * u->bytes;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], u->bytes, "atomic");
        if (!p) return RUN_FAULT;
        uint64_t old = 0;
        memcpy(&old, p, u->bytes);
        uint64_t seen = u->sign ? (uint64_t)((int64_t)(old << unused) >> unused) : old;
        bool global = is_global(u, addr[i]);
        uint64_t now = apply(u, global, seen, operand(w, u, 1, i), u->mode == ATOM_CAS ? operand(w, u, 2, i) : 0);
        memcpy(p, &now, u->bytes);
        if (memcmp(&now, &old, u->bytes)) w->run->progress++;
        if (u->nvec) put_lane(w, u->d, u->wide, i, old); /* atom; red has no result */
    }
    return RUN_ON;
}

/* A vector: its elements one after another, each a float. refs: operands, then results if there are any. */
int op_atom_vec(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    unsigned n = u->in->vec;
    mem_addresses(w, u, addr);
    if (mem_emit(w, u, addr)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], u->bytes * n, "atomic");
        if (!p) return RUN_FAULT;
        bool global = is_global(u, addr[i]);
        for (unsigned k = 0; k < n; k++) {
            uint64_t old = 0;
            memcpy(&old, p + k * u->bytes, u->bytes);
            uint64_t b = at32(w, u->refs[k])[i] & (UINT64_MAX >> (64 - 8u * u->bytes));
            uint64_t now = apply(u, global, old, b, 0);
            memcpy(p + k * u->bytes, &now, u->bytes);
            if (u->nvec) at32(w, u->refs[n + k])[i] = (uint32_t)old;
        }
        w->run->progress++;
    }
    return RUN_ON;
}

/* exch and cas of 128 bits, each a pair of halves. refs: the result, the operand (cas: what is compared), what is
 * stored. */
int op_atom_b128(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    mem_addresses(w, u, addr);
    if (mem_emit(w, u, addr)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *p = mem_lane(w, u, i, addr[i], 16, "atomic");
        if (!p) return RUN_FAULT;
        uint64_t old[2], same[2], now[2];
        memcpy(old, p, sizeof old);
        for (unsigned k = 0; k < 2; k++) same[k] = at64(w, u->refs[2 + k])[i], now[k] = at64(w, u->refs[4 + k])[i];
        if (u->mode == ATOM_EXCH || !memcmp(old, same, sizeof old)) {
            memcpy(p, now, sizeof now);
            if (memcmp(old, now, sizeof old)) w->run->progress++;
        }
        for (unsigned k = 0; k < 2; k++) at64(w, u->refs[k])[i] = old[k];
    }
    return RUN_ON;
}

uint64_t atom_apply(const struct uop *u, uint64_t old, uint64_t b)
{
    struct uop one = {.mode = u->rnd, .type = u->type, .sign = ptx_is_signed(u->type)};
    if (one.sign && ptx_type_bytes((enum ptx_type)u->type) == 4)
        return apply(&one, true, (uint64_t)(int64_t)(int32_t)old, (uint64_t)(int64_t)(int32_t)b, 0);
    return apply(&one, true, old, b, 0);
}
