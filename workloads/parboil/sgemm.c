/* sgemm.c - host code of sgemm.cu. */
#include "workloads/common.h"

enum { IN_M, IN_N, IN_K };
static const float alpha = 1.5f, beta = 0.5f;

static void check(struct job *j, const float *a, const float *b, const float *before, const float *got, size_t m,
                  size_t n, size_t k)
{
    double *want = job_host(j, m * n, sizeof *want);
    if (j->failed) return;
    for (size_t col = 0; col < n; col++)
        for (size_t x = 0; x < k; x++)
            for (size_t row = 0; row < m; row++)
                want[col * m + row] += (double)alpha * (double)a[x * m + row] * (double)b[x * n + col];
    for (size_t i = 0; i < m * n; i++) want[i] += (double)beta * (double)before[i];
    job_compare(j, "c", got, want, m * n, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_sgemm, r, "sgemm.ptx")) return 1;
    int m = (int)r->in[IN_M], n = (int)r->in[IN_N], k = (int)r->in[IN_K];
    if (m % 128) job_fail(&j, "m=%d: must be a multiple of 128", m);
    if (n % 16) job_fail(&j, "n=%d: must be a multiple of 16", n);
    if (k % 8) job_fail(&j, "k=%d: must be a multiple of 8", k);
    size_t am = (size_t)m * (size_t)k, bm = (size_t)n * (size_t)k, cm = (size_t)m * (size_t)n, f = sizeof(float);
    float *a = job_random(&j, am, 0, 0, 1), *b = job_random(&j, bm, 1, 0, 1), *c = job_random(&j, cm, 2, 0, 1);
    float *got = job_host(&j, cm, f), w0 = alpha, w1 = beta;
    CUdeviceptr da = job_upload(&j, a, am, f), db = job_upload(&j, b, bm, f), dc = job_upload(&j, c, cm, f);
    job_launch(&j, job_kernel(&j, "sgemm"), (struct shape){(unsigned)m / 128, (unsigned)n / 16, 16, 8},
               (void *[]){&da, &db, &dc, &m, &n, &k, &w0, &w1});
    job_result(&j, got, dc, cm * f);
    if (r->check && !j.failed) check(&j, a, b, c, got, (size_t)m, (size_t)n, (size_t)k);
    return job_end(&j);
}

const struct workload workload_sgemm = {
    .name = "sgemm",
    .suite = "parboil",
    .help = "register-tiled matrix product, one row and sixteen columns per thread",
    .aliases = "SGM parboil/sgemm apcm/sgm mascar/sgemm",
    .input = {{"m", "rows of A and C", {128, 1024, 1024}, 128, 16384},
              {"n", "columns of B and C", {32, 1024, 1024}, 16, 16384},
              {"k", "columns of A", {24, 128, 1024}, 8, 16384}},
    .run = run,
};
