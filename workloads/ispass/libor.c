/* libor.c - host code of libor.cu: the value of each path, and its dependence on the last rate. */
#include <math.h>

#include "workloads/common.h"

enum { IN_PATHS, IN_STEPS };
enum { RATES = 80, MAX_STEPS = 40, OPTIONS = 15 };

struct market {
    float volatility[RATES], strike[OPTIONS];
    int maturity[OPTIONS];
};

static void make_market(struct market *m, int steps)
{
    static const int tenor[OPTIONS] = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40};
    for (int i = 0; i < RATES; i++) m->volatility[i] = 0.2f;
    for (int i = 0; i < OPTIONS; i++) {
        m->strike[i] = 0.045f + 0.005f * (float)(i % 3);
        m->maturity[i] = tenor[i] * (RATES - steps) / 40; /* the longest is the last rate there is */
    }
}

/* The value of a path whose first rates are 0.05, but the last is `last`. */
static double value_of(const struct market *m, int path, int steps, double last)
{
    double rate[RATES], bond[RATES], swap[RATES], b = 1, s = 0, v = 0;
    unsigned seed = (unsigned)path * 2654435761u + 12345u;
    for (int i = 0; i < RATES; i++) rate[i] = 0.05f;
    rate[RATES - 1] = last;
    for (int n = 0; n < steps; n++) {
        seed = seed * 1664525u + 1013904223u;
        double shock = 0.5 * (double)(0.3f + (float)(seed >> 8) / 8388608.0f - 1.0f), drift = 0;
        for (int i = n + 1; i < RATES; i++) {
            double vol = (double)m->volatility[i - n - 1], con = 0.25 * vol;
            drift += con * rate[i] / (1 + 0.25 * rate[i]);
            rate[i] *= exp(con * drift + vol * (shock - 0.5 * con));
        }
    }
    for (int n = steps; n < RATES; n++) bond[n] = b /= 1 + 0.25 * rate[n], swap[n] = s += 0.25 * b;
    for (int i = 0; i < OPTIONS; i++) {
        int at = m->maturity[i] + steps - 1;
        v += 100 * fmax(0, 1 - bond[at] - (double)m->strike[i] * swap[at]);
    }
    for (int n = 0; n < steps; n++) v /= 1 + 0.25 * rate[n];
    return v;
}

/* The dependence by the difference of two values: independent of how the kernel finds it. */
static void check(struct job *j, const struct market *m, int paths, int steps, float *const got[3])
{
    size_t n = (size_t)paths;
    double *value = job_host(j, n, sizeof *value), *greek = job_host(j, n, sizeof *greek), h = 1e-7;
    if (j->failed) return;
    for (int p = 0; p < paths; p++) {
        double start = (double)0.05f;
        value[p] = value_of(m, p, steps, start);
        greek[p] = (value_of(m, p, steps, start + h) - value_of(m, p, steps, start - h)) / (2 * h);
    }
    job_compare(j, "value", got[0], value, n, 1e-3);
    job_compare(j, "value with greek", got[1], value, n, 1e-3);
    job_compare(j, "greek", got[2], greek, n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_libor, r, "libor.ptx")) return 1;
    int paths = (int)r->in[IN_PATHS], steps = (int)r->in[IN_STEPS];
    size_t n = (size_t)paths;
    struct market m;
    make_market(&m, steps);
    job_copy_to(&j, "volatility", m.volatility, sizeof m.volatility);
    job_copy_to(&j, "strike", m.strike, sizeof m.strike);
    job_copy_to(&j, "maturity", m.maturity, sizeof m.maturity);
    CUdeviceptr out[3];
    float *got[3];
    for (int k = 0; k < 3; k++) out[k] = job_device(&j, n, sizeof(float)), got[k] = job_host(&j, n, sizeof(float));
    struct shape s = shape_cover(paths, 1, 64, 1);
    job_launch(&j, job_kernel(&j, "libor_value"), s, (void *[]){&out[0], &paths, &steps});
    job_launch(&j, job_kernel(&j, "libor_greek"), s, (void *[]){&out[1], &out[2], &paths, &steps});
    for (int k = 0; k < 3; k++) job_result(&j, got[k], out[k], n * sizeof(float));
    if (!j.failed && r->check) check(&j, &m, paths, steps, got);
    return job_end(&j);
}

const struct workload workload_libor = {
    .name = "libor",
    .suite = "ispass",
    .help = "Monte-Carlo paths of interest rates, arrays in local memory, history walked back",
    .aliases = "LIB ispass/lib hac/lib",
    .input = {{"paths", "paths", {40, 4096, 4096}, 1, 1 << 20}, {"steps", "steps of a path", {2, 6, 40}, 1, 40}},
    .run = run,
};
