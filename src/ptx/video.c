/* video.c - video instructions, lane by lane: compilers write few of them, and machines since Maxwell take several
 * instructions for most. */
#include "ptx/video.h"

#include "ptx/exec_priv.h"

static int64_t extract(uint64_t both, struct video_part part, bool is_signed)
{
    uint64_t top = UINT64_C(1) << (part.bits - 1), v = both >> part.shift & (2 * top - 1);
    return is_signed ? (int64_t)((v ^ top) - top) : (int64_t)v;
}

static int64_t clamped(int64_t t, unsigned bits, bool is_signed)
{
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return t < least ? least : t > most ? most : t;
}

static bool compares(int64_t a, int64_t b, unsigned cmp)
{
    switch (cmp) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    default: return a >= b;
    }
}

/* Up to 64 bits to the left, so that a sign is not lost: beyond that what is clamped is clamped all the same. */
static int64_t shifted(const struct ptx_video *v, int64_t a, int64_t amount)
{
    unsigned by = (unsigned)(v->wrap ? amount & 31 : amount > 32 ? 32 : amount);
    if (v->op == VIDEO_SHR) return a >> by;
    __int128 r = (__int128)a * ((__int128)1 << by);
    if (!v->sat) return (int64_t)r;
    return r > INT64_MAX ? INT64_MAX : r < INT64_MIN ? INT64_MIN : (int64_t)r;
}

static int64_t combine(const struct ptx_video *v, int64_t a, int64_t b)
{
    switch (v->op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    case VIDEO_SET: return compares(a, b, v->cmp);
    default: return shifted(v, a, b);
    }
}

/* The sum has up to 66 bits before it is shifted. */
static uint32_t mad(const struct ptx_video *v, uint64_t both, uint32_t c)
{
    bool is_signed = v->signed_a || v->signed_b || v->negate_product || v->negate_c;
    __int128 product = (__int128)extract(both, v->a[0], v->signed_a) * extract(both, v->b[0], v->signed_b);
    bool c_signed = v->signed_a || v->signed_b || v->negate_product;
    __int128 addend = c_signed ? (__int128)(int32_t)c : (__int128)c;
    __int128 sum = (v->negate_product ? -product : product) + (v->negate_c ? -addend : addend) + v->plus_one;
    __int128 r = sum >> v->scale, most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
    if (v->sat) r = r < least ? least : r > most ? most : r;
    return (uint32_t)r;
}

/* What scalar instructions do with c: the result is compared as a number of the destination's type. */
static uint32_t second(const struct ptx_video *v, int64_t t, uint32_t c)
{
    int64_t with = v->signed_d ? (int64_t)(int32_t)c : (int64_t)c;
    int64_t mine = v->signed_d ? (int64_t)(int32_t)(uint32_t)t : (int64_t)(uint32_t)t;
    if (v->second == SECOND_ADD) return (uint32_t)((uint64_t)t + c);
    return v->second == SECOND_MIN ? (uint32_t)(mine < with ? mine : with) : (uint32_t)(mine > with ? mine : with);
}

static uint32_t result(const struct ptx_video *v, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t both = (uint64_t)b << 32 | a, d = c;
    if (v->op == VIDEO_MAD) return mad(v, both, c);
    for (unsigned i = 0; i < v->count; i++) {
        if (!(v->mask >> i & 1)) continue;
        int64_t t = combine(v, extract(both, v->a[i], v->signed_a), extract(both, v->b[i], v->signed_b));
        if (v->sat) t = clamped(t, v->d[i].bits, v->signed_d);
        uint64_t field = ((UINT64_C(1) << v->d[i].bits) - 1) << v->d[i].shift;
        if (v->count > 1 && v->second == SECOND_ADD) d += (uint64_t)t;
        else if (v->second != SECOND_MERGE) d = second(v, t, c);
        else d = (d & ~field) | ((uint64_t)t << v->d[i].shift & field);
    }
    return (uint32_t)d;
}

static int op_video(struct exec_warp *w, const struct uop *u)
{
    const struct ptx_video *v = u->in->video;
    const uint32_t *a = at32(w, u->s[0]), *b = at32(w, u->s[1]), *c = at32(w, u->s[2]);
    uint32_t *d = at32(w, u->d);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        d[i] = result(v, a[i], b[i], c[i]);
    }
    return RUN_ON;
}

int lower_video(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand none = {.kind = OPND_IMM};
    u->full = u->part = op_video;
    int rc = lower_dst(L, &in->dst[0], 32, &u->d);
    for (unsigned i = 0; i < 3 && !rc; i++) rc = lower_src(L, i < in->nsrc ? &in->src[i] : &none, 32, &u->s[i]);
    return rc;
}
