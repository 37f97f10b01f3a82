/* gaussian.c - host code of gaussian.cu: the first pivots of an elimination. */
#include "workloads/common.h"

enum { IN_N, IN_PIVOTS, IN_EDGE };

static void check(struct job *j, const float *a0, const float *b0, const float *a, const float *b, size_t n,
                  size_t pivots)
{
    double *wa = job_host(j, n * n, sizeof *wa), *wb = job_host(j, n, sizeof *wb);
    if (j->failed) return;
    for (size_t i = 0; i < n * n; i++) wa[i] = a0[i];
    for (size_t i = 0; i < n; i++) wb[i] = b0[i];
    for (size_t t = 0; t < pivots; t++)
        for (size_t i = t + 1; i < n; i++) {
            double factor = wa[i * n + t] / wa[t * n + t];
            for (size_t k = t; k < n; k++) wa[i * n + k] -= factor * wa[t * n + k];
            wb[i] -= factor * wb[t];
        }
    job_compare(j, "a", a, wa, n * n, 1e-3);
    job_compare(j, "b", b, wb, n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_gaussian, r, "gaussian.ptx")) return 1;
    int n = (int)r->in[IN_N], pivots = r->in[IN_PIVOTS] ? (int)r->in[IN_PIVOTS] : n - 1;
    unsigned edge = (unsigned)r->in[IN_EDGE];
    if (pivots > n - 1) job_fail(&j, "pivots=%d: a matrix of %d rows has %d", pivots, n, n - 1);
    size_t nn = (size_t)n, f = sizeof(float);
    float *a = job_random(&j, nn * nn, 0, 0, 1), *b = job_random(&j, nn, 1, 0, 1);
    for (size_t i = 0; a && i < nn; i++) a[i * nn + i] += (float)n; /* no pivoting is needed */
    float *m0 = job_host(&j, nn * nn, f), *got_a = job_host(&j, nn * nn, f), *got_b = job_host(&j, nn, f);
    CUdeviceptr da = job_upload(&j, a, nn * nn, f), db = job_upload(&j, b, nn, f), m = job_upload(&j, m0, nn * nn, f);
    CUfunction column = job_kernel(&j, "gaussian_column"), update = job_kernel(&j, "gaussian_update");
    for (int t = 0; t < pivots; t++) {
        job_launch(&j, column, shape_cover(n, 1, 512, 1), (void *[]){&m, &da, &n, &t});
        job_launch(&j, update, shape_cover(n, n, edge, edge), (void *[]){&m, &da, &db, &n, &t});
    }
    job_result(&j, got_a, da, nn * nn * f);
    job_result(&j, got_b, db, nn * f);
    if (r->check && !j.failed) check(&j, a, b, got_a, got_b, nn, (size_t)pivots);
    return job_end(&j);
}

const struct workload workload_gaussian = {
    .name = "gaussian",
    .suite = "rodinia",
    .help = "Gaussian elimination, two launches a pivot, CTAs of 4 x 4",
    .aliases = "GE rodinia/gaussian apcm/ge dycache/ge",
    .input = {{"n", "rows and columns", {40, 208, 208}, 2, 4096},
              {"pivots", "pivots that are eliminated; 0: all", {0, 16, 0}, 0, 4096},
              {"edge", "side of a CTA", {4, 4, 4}, 1, 32}},
    .run = run,
};
