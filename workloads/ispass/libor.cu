/* libor - Monte-Carlo paths of forward rates and a portfolio of swaptions, a path a thread, CTAs of 64.
 *
 * Rates and shocks of a path are arrays of the thread, in local memory: lanes at the same index share a
 * line. libor_value walks the path and values the portfolio. libor_greek also keeps every state of the
 * path, walks back through them and finds how the value depends on each rate: written forward, read
 * backward, and by far the most memory. */

enum { RATES = 80, MAX_STEPS = 40, OPTIONS = 15 };

__constant__ float volatility[RATES];
__constant__ int maturity[OPTIONS];
__constant__ float strike[OPTIONS];

#define DELTA 0.25f

/* Shocks from a small generator: numbers within 1 of 0.3. */
static __device__ void draw(float *z, int steps, unsigned path)
{
    unsigned s = path * 2654435761u + 12345u;
    for (int n = 0; n < steps; n++) {
        s = s * 1664525u + 1013904223u;
        z[n] = 0.3f + (float)(s >> 8) / 8388608.0f - 1.0f;
    }
}

/* One step: every rate that is still open moves. */
static __device__ void step(float *next, const float *rate, float z, int n)
{
    float shock = 0.5f * z, v = 0; /* the square root of delta, times z */
    for (int i = n + 1; i < RATES; i++) {
        float vol = volatility[i - n - 1], con = DELTA * vol, old = rate[i];
        v += con * old / (1.0f + DELTA * old);
        next[i] = old * expf(con * v + vol * (shock - 0.5f * con));
    }
}

extern "C" __global__ void libor_value(float *value, int paths, int steps)
{
    float rate[RATES], z[MAX_STEPS], bond[RATES], swap[RATES];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    draw(z, steps, path);
    for (int i = 0; i < RATES; i++) rate[i] = 0.05f;
    for (int n = 0; n < steps; n++) step(rate, rate, z[n], n);
    float b = 1, s = 0, v = 0;
    for (int n = steps; n < RATES; n++) {
        b /= 1.0f + DELTA * rate[n];
        s += DELTA * b;
        bond[n] = b;
        swap[n] = s;
    }
    for (int i = 0; i < OPTIONS; i++) {
        int m = maturity[i] + steps - 1;
        float worth = bond[m] + strike[i] * swap[m] - 1.0f;
        if (worth < 0) v -= 100.0f * worth;
    }
    for (int n = 0; n < steps; n++) v /= 1.0f + DELTA * rate[n];
    value[path] = v;
}

extern "C" __global__ void libor_greek(float *value, float *greek, int paths, int steps)
{
    float history[(MAX_STEPS + 1) * RATES], z[MAX_STEPS], bond[RATES], swap[RATES], by_bond[RATES], by_swap[RATES],
        by_rate[RATES];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    draw(z, steps, path);
    for (int i = 0; i < RATES; i++) history[i] = 0.05f;
    for (int n = 0; n < steps; n++) {
        for (int i = 0; i <= n; i++) history[(n + 1) * RATES + i] = history[n * RATES + i];
        step(history + (n + 1) * RATES, history + n * RATES, z[n], n);
    }
    const float *rate = history + steps * RATES;
    float b = 1, s = 0, v = 0, discount = 1;
    for (int n = steps; n < RATES; n++) {
        b /= 1.0f + DELTA * rate[n];
        s += DELTA * b;
        bond[n] = b;
        swap[n] = s;
        by_bond[n] = by_swap[n] = 0;
    }
    for (int n = 0; n < steps; n++) discount /= 1.0f + DELTA * rate[n];
    for (int i = 0; i < OPTIONS; i++) {
        int m = maturity[i] + steps - 1;
        float worth = bond[m] + strike[i] * swap[m] - 1.0f;
        if (worth >= 0) continue;
        v -= 100.0f * worth;
        by_bond[m] -= 100.0f * discount;
        by_swap[m] -= 100.0f * discount * strike[i];
    }
    v *= discount;
    float carry_b = 0, carry_s = 0; /* what later bonds and swaps owe to the one before */
    for (int n = RATES - 1; n >= steps; n--) {
        float up = 1.0f + DELTA * rate[n];
        carry_s += by_swap[n];
        float all = carry_b + by_bond[n] + DELTA * carry_s;
        by_rate[n] = -DELTA * all * bond[n] / up;
        carry_b = all / up;
    }
    for (int n = 0; n < steps; n++) by_rate[n] = -DELTA * v / (1.0f + DELTA * rate[n]);
    for (int n = steps - 1; n >= 0; n--) {
        const float *old = history + n * RATES, *now = old + RATES;
        float by_v = 0;
        for (int i = RATES - 1; i > n; i--) {
            float con = DELTA * volatility[i - n - 1], up = 1.0f + DELTA * old[i];
            by_v += con * now[i] * by_rate[i];
            by_rate[i] = by_rate[i] * now[i] / old[i] + by_v * con / (up * up);
        }
    }
    value[path] = v;
    greek[path] = by_rate[RATES - 1];
}
