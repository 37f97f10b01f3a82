/* corr.c - host code of corr.cu: correlation matrix, or a band of it around the diagonal. */
#include <math.h>

#include "workloads/common.h"

enum { IN_M, IN_N, IN_BAND };

/* Index 1-based, in a matrix of m columns. */
static size_t at(size_t i, size_t k, size_t m) { return i * (m + 1) + k; }

/* The columns less their means, over sqrt(n) standard deviations. */
static void normalise(double *out, const float *data, size_t m, size_t n)
{
    for (size_t k = 1; k <= m; k++) {
        double mean = 0, square = 0;
        for (size_t i = 1; i <= n; i++) mean += (double)data[at(i, k, m)] / (double)n;
        for (size_t i = 1; i <= n; i++) square += pow(data[at(i, k, m)] - mean, 2);
        double dev = sqrt(square / (double)n);
        if (dev <= 0.005) dev = 1;
        for (size_t i = 1; i <= n; i++) out[at(i, k, m)] = (data[at(i, k, m)] - mean) / (sqrt((double)n) * dev);
    }
}

static void check(struct job *j, const float *data, const float *got, size_t m, size_t n, size_t band)
{
    double *x = job_host(j, (n + 1) * (m + 1), sizeof *x), *want = job_host(j, (m + 1) * (m + 1), sizeof *want);
    if (j->failed) return;
    normalise(x, data, m, n);
    for (size_t i = 1; i <= n; i++)
        for (size_t a = 1; a <= m; a++)
            for (size_t b = a + 1; b <= m && b < a + band; b++) want[at(a, b, m)] += x[at(i, a, m)] * x[at(i, b, m)];
    for (size_t a = 1; a <= m; a++) {
        want[at(a, a, m)] = 1;
        for (size_t b = a + 1; b <= m && b < a + band; b++) want[at(b, a, m)] = want[at(a, b, m)];
    }
    job_compare(j, "symmat", got, want, (m + 1) * (m + 1), 1e-2);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_corr, r, "corr.ptx")) return 1;
    int m = (int)r->in[IN_M], n = (int)r->in[IN_N], band = r->in[IN_BAND] ? (int)r->in[IN_BAND] : m;
    size_t cols = (size_t)m, rows = (size_t)n, count = (rows + 1) * (cols + 1), square = (cols + 1) * (cols + 1);
    size_t f = sizeof(float);
    float *data = job_random(&j, count, 0, 0, 1), *sym = job_host(&j, square, f);
    CUdeviceptr ddata = job_move(&j, data, count, f), dsym = job_upload(&j, sym, square, f);
    CUdeviceptr mean = job_device(&j, cols + 1, f), dev = job_device(&j, cols + 1, f);
    CUfunction k1 = job_kernel(&j, "corr_mean"), k2 = job_kernel(&j, "corr_deviation");
    CUfunction k3 = job_kernel(&j, "corr_center"), k4 = job_kernel(&j, "corr_matrix");

    job_launch(&j, k1, shape_cover(m, 1, 256, 1), (void *[]){&mean, &ddata, &m, &n});
    job_launch(&j, k2, shape_cover(m, 1, 256, 1), (void *[]){&mean, &dev, &ddata, &m, &n});
    job_launch(&j, k3, shape_cover(m, n, 32, 8), (void *[]){&mean, &dev, &ddata, &m, &n});
    job_launch(&j, k4, shape_cover(m, 1, 256, 1), (void *[]){&dsym, &ddata, &m, &n, &band});
    job_result(&j, sym, dsym, square * f);
    if (r->check && !j.failed) check(&j, data, sym, cols, rows, (size_t)band);
    return job_end(&j);
}

const struct workload workload_corr = {
    .name = "corr",
    .suite = "polybench",
    .help = "correlation of the columns: coalesced loads, lanes a row apart in the stores",
    .aliases = "COR polybench/corr dacache/cor",
    .input = {{"m", "columns", {64, 2048, 2048}, 1, 8192},
              {"n", "rows", {48, 64, 2048}, 1, 8192},
              {"band", "columns each column is paired with; 0: all", {0, 16, 0}, 0, 8192}},
    .run = run,
};
