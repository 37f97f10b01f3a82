/* bits.h - masks, logs and hashing used on every path. */
#ifndef WL_BASE_BITS_H
#define WL_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline unsigned bit_count32(uint32_t x) { return (unsigned)__builtin_popcount(x); }
static inline unsigned bit_count64(uint64_t x) { return (unsigned)__builtin_popcountll(x); }
/* Index of the lowest set bit; x must not be 0. */
static inline unsigned bit_low64(uint64_t x) { return (unsigned)__builtin_ctzll(x); }
static inline unsigned bit_low32(uint32_t x) { return (unsigned)__builtin_ctz(x); }
static inline uint64_t bit64(unsigned i) { return UINT64_C(1) << i; }
static inline uint64_t rotate_right64(uint64_t x, unsigned by) { return x >> (by & 63) | x << (-by & 63); }
static inline bool is_pow2(uint64_t x) { return x && !(x & (x - 1)); }
/* floor(log2 x); x must not be 0. */
static inline unsigned log2_floor(uint64_t x) { return 63u - (unsigned)__builtin_clzll(x); }

/* Division by a number that stays: reciprocal_divide(a, r) is a / r.by, without dividing while a is
 * below r.exact, as it nearly always is. */
struct reciprocal {
    uint64_t by, inverse, exact;
};
static inline struct reciprocal reciprocal_of(uint64_t by)
{
    return (struct reciprocal){by, UINT64_MAX / by + 1, by == 1 ? 0 : UINT64_MAX / by};
}
static inline uint64_t reciprocal_divide(uint64_t a, const struct reciprocal *r)
{
    return a < r->exact ? (uint64_t)((unsigned __int128)a * r->inverse >> 64) : a / r->by;
}

/* FNV-1a, continued from `h`; start with WL_HASH_INIT. */
#define WL_HASH_INIT UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* splitmix64: one step of a seeded generator; also a good mixer of page numbers. */
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
