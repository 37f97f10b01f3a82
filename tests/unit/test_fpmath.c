/* test_fpmath.c - error bounds of the transcendental functions against long double, and rounding to every format
 * against the definition. */

#include "test.h"
#include <fenv.h>
#include <math.h>

#include "base/bits.h"
#include "ptx/fpmath.h"

static double worst; /* relative error, as a power of two */

static void note(double got, long double want)
{
    long double e = want == 0 ? fabsl((long double)got) : fabsl(((long double)got - want) / want);
    if (e > (long double)worst) worst = (double)e;
}

static float random_float(uint64_t *seed, int min_exp, int max_exp)
{
    uint64_t r = splitmix64(seed);
    uint32_t e = (uint32_t)(127 + min_exp) + (uint32_t)((r >> 32) % (uint64_t)(max_exp - min_exp + 1));
    return f32_of((uint32_t)(r & 0x807fffff) | e << 23);
}

TEST(ex2_is_precise)
{
    uint64_t seed = 1;
    worst = 0;
    for (int i = 0; i < 200000; i++) {
        float x = random_float(&seed, -40, 6);
        note(fm_ex2(x), exp2l(x));
    }
    assert_true(worst < 0x1p-48);
    assert_true(fm_ex2(0) == 1 && fm_ex2(10) == 1024 && fm_ex2(-1) == 0.5);
}

TEST(lg2_is_precise)
{
    uint64_t seed = 2;
    worst = 0;
    for (int i = 0; i < 200000; i++) {
        float x = fabsf(random_float(&seed, -126, 127));
        note(fm_lg2(x), log2l(x));
        x = 1 + random_float(&seed, -23, -2);
        note(fm_lg2(x), log2l(x));
    }
    assert_true(worst < 0x1p-48);
    assert_true(fm_lg2(1) == 0 && fm_lg2(1024) == 10 && fm_lg2(0x1p-149) == -149);
}

/* The angle the GPU takes the sine of: |x| / (2 pi) with 24 bits, less whole quarters. */
static long double reduced(float x, int *quarter)
{
    int e;
    long double turns = frexpl(fabsl((long double)x) * 0x1.45f306p-3L, &e);
    turns = fmodl(ldexpl(truncl(ldexpl(turns, 24)), e - 24), 1);
    *quarter = (int)floorl(4 * turns + 0.5L);
    return (4 * turns - *quarter) * 1.57079632679489661923132L;
}

TEST(sin_and_cos_are_precise_after_reduction)
{
    uint64_t seed = 3;
    worst = 0;
    for (int i = 0; i < 200000; i++) {
        int quarter;
        float x = random_float(&seed, -30, i & 1 ? 127 : 4);
        long double r = reduced(x, &quarter), s = sinl(r), c = cosl(r);
        const long double turned[] = {s, c, -s, -c, s, c};
        note(fm_sin(x), x < 0 ? -turned[quarter] : turned[quarter]);
        note(fm_cos(x), turned[quarter + 1]);
    }
    assert_true(worst < 0x1p-40);
    /* within a turn the reduction costs little */
    for (float x = -6.25f; x < 6.25f; x += 0x1p-10f) {
        assert_true(fabs(fm_sin(x) - sin(x)) < 0x1p-20);
        assert_true(fabs(fm_cos(x) - cos(x)) < 0x1p-20);
    }
    assert_true(fm_sin(0x1p100f) == 0 && fm_cos(-0x1p100f) == 1);
}

TEST(rsqrt_is_rounded_once)
{
    uint64_t seed = 7;
    for (int i = 0; i < 400000; i++) {
        double x = f64_of(splitmix64(&seed) >> 1);
        if (!(x - x == 0) || x == 0) continue;
        double y = fm_rsqrt(x);
        long double want = 1 / sqrtl((long double)x), ulp = (long double)(nextafter(y, INFINITY) - y);
        assert_true(fabsl((long double)y - want) <= 0.501L * ulp);
    }
    assert_true(fm_rsqrt(4) == 0.5 && fm_rsqrt(0x1p-1074) == 0x1p537);
}

TEST(tanh_is_precise)
{
    uint64_t seed = 4;
    worst = 0;
    for (int i = 0; i < 200000; i++) {
        float x = random_float(&seed, -30, 4);
        note(fm_tanh(x), tanhl(x));
    }
    assert_true(worst < 0x1p-46);
}

TEST(every_f16_survives_a_round_trip)
{
    for (uint32_t h = 0; h < 65536; h++) {
        float x = f16_to_f32((uint16_t)h);
        uint16_t back = f16_from_f32(x);
        if (x != x) assert_int_equal(back, F16_NAN);
        else assert_int_equal(back, h);
    }
}

/* Between two neighbours of f16: the nearer one, and the even one in the middle. */
TEST(rounds_to_nearest_even)
{
    for (uint32_t h = 0; h < 0x7bff; h++) {
        double lo = f16_to_f32((uint16_t)h), hi = f16_to_f32((uint16_t)(h + 1)), mid = (lo + hi) / 2;
        assert_int_equal(fp_from_f64(&fp_f16, mid, RND_RN), h & 1 ? h + 1 : h);
        assert_int_equal(fp_from_f64(&fp_f16, nextafter(mid, hi), RND_RN), h + 1);
        assert_int_equal(fp_from_f64(&fp_f16, nextafter(mid, lo), RND_RN), h);
        assert_int_equal(fp_from_f64(&fp_f16, mid, RND_RZ), h);
        assert_int_equal(fp_from_f64(&fp_f16, mid, RND_RM), h);
        assert_int_equal(fp_from_f64(&fp_f16, mid, RND_RP), h + 1);
        assert_int_equal(fp_from_f64(&fp_f16, -mid, RND_RM), 0x8000 | (h + 1));
    }
    assert_int_equal(fp_from_f64(&fp_f16, 65520, RND_RN), 0x7c00);
    assert_int_equal(fp_from_f64(&fp_f16, 65519, RND_RN), 0x7bff);
    assert_int_equal(fp_from_f64(&fp_f16, 1e30, RND_RZ), 0x7bff);
}

TEST(conversion_to_f32_agrees_with_the_host)
{
    static const int host[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static const unsigned mode[] = {RND_RN, RND_RZ, RND_RM, RND_RP};
    uint64_t seed = 5;
    for (int i = 0; i < 400000; i++) {
        uint64_t b = splitmix64(&seed);
        uint64_t e = 1023 - 160 + (b >> 52) % 320;
        volatile double x = f64_of((b & UINT64_C(0x800fffffffffffff)) | e << 52);
        fesetround(host[i & 3]);
        volatile float want = (float)x;
        fesetround(FE_TONEAREST);
        assert_int_equal(fp_from_f64(&fp_f32, x, mode[i & 3]), f32_bits(want));
    }
}

TEST(an_odd_sum_remembers_what_was_lost)
{
    assert_true(f64_add_odd(1, 2) == 3);
    assert_true(f64_add_odd(1, 0x1p-80) == 1 + 0x1p-52);
    assert_true(f64_add_odd(1, -0x1p-80) == 1 - 0x1p-53);
    assert_true(f64_add_odd(-1, -0x1p-80) == -1 - 0x1p-52);
    assert_true(isinf(f64_add_odd(INFINITY, 1)));
}

TEST(directed_lanes_bracket_the_exact_result)
{
    uint64_t seed = 6;
    float a[WARP_SIZE], b[WARP_SIZE], c[WARP_SIZE], lo[WARP_SIZE], hi[WARP_SIZE], zero[WARP_SIZE];
    for (int round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < WARP_SIZE; i++) {
            a[i] = random_float(&seed, -20, 20);
            b[i] = random_float(&seed, -20, 20);
            c[i] = random_float(&seed, -20, 20);
        }
        enum fp_op op = (enum fp_op)(FP_ADD + round % 5);
        fp_directed_f32(op, RND_RM, a, b, c, lo);
        fp_directed_f32(op, RND_RP, a, b, c, hi);
        fp_directed_f32(op, RND_RZ, a, b, c, zero);
        for (unsigned i = 0; i < WARP_SIZE; i++) {
            assert_true(lo[i] == hi[i] || nextafterf(lo[i], INFINITY) == hi[i]);
            assert_true(zero[i] == (lo[i] > 0 ? lo[i] : hi[i]) || lo[i] == hi[i]);
        }
    }
    assert_int_equal(fegetround(), FE_TONEAREST);
}
