/* gramschm.c - host code of gramschm.cu: the first columns of Q and rows of R. */
#include <math.h>

#include "workloads/common.h"

enum { IN_ROWS, IN_COLS, IN_ITERS };

static void reference_column(double *a, double *q, double *r, size_t rows, size_t cols, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++) sum += a[i * cols + k] * a[i * cols + k];
    r[k * cols + k] = sqrt(sum);
    for (size_t i = 0; i < rows; i++) q[i * cols + k] = a[i * cols + k] / r[k * cols + k];
    for (size_t i = 0; i < rows; i++)
        for (size_t l = k + 1; l < cols; l++) r[k * cols + l] += q[i * cols + k] * a[i * cols + l];
    for (size_t i = 0; i < rows; i++)
        for (size_t l = k + 1; l < cols; l++) a[i * cols + l] -= q[i * cols + k] * r[k * cols + l];
}

static void check(struct job *j, const float *a0, const float *q, const float *r, size_t rows, size_t cols,
                  size_t iters)
{
    double *a = job_host(j, rows * cols, sizeof *a), *want_q = job_host(j, rows * cols, sizeof *a);
    double *want_r = job_host(j, cols * cols, sizeof *a);
    if (j->failed) return;
    for (size_t i = 0; i < rows * cols; i++) a[i] = a0[i];
    for (size_t k = 0; k < iters; k++) reference_column(a, want_q, want_r, rows, cols, k);
    job_compare(j, "q", q, want_q, rows * cols, 1e-2);
    job_compare(j, "r", r, want_r, cols * cols, 1e-2);
}

static int run(struct workload_run *w)
{
    struct job j;
    if (!job_begin(&j, &workload_gramschm, w, "gramschm.ptx")) return 1;
    int rows = (int)w->in[IN_ROWS], cols = (int)w->in[IN_COLS];
    int iters = w->in[IN_ITERS] ? (int)w->in[IN_ITERS] : cols;
    if (iters > cols || iters > rows)
        job_fail(&j, "iters=%d: a %d x %d matrix has fewer columns or rows", iters, rows, cols);
    size_t m = (size_t)rows, n = (size_t)cols, f = sizeof(float);
    float *a = job_random(&j, m * n, 0, 0, 1), *q = job_host(&j, m * n, f), *r = job_host(&j, n * n, f);
    for (size_t i = 0; a && i < n && i < m; i++) a[i * n + i] += (float)cols; /* far from singular at every size */
    CUdeviceptr da = job_move(&j, a, m * n, f), dq = job_upload(&j, q, m * n, f), dr = job_upload(&j, r, n * n, f);
    CUfunction norm = job_kernel(&j, "gramschm_norm"), scale = job_kernel(&j, "gramschm_scale");
    CUfunction update = job_kernel(&j, "gramschm_update");
    for (int k = 0; k < iters; k++) {
        job_launch(&j, norm, (struct shape){1, 1, 256, 1}, (void *[]){&da, &dr, &rows, &cols, &k});
        job_launch(&j, scale, shape_cover(rows, 1, 256, 1), (void *[]){&da, &dr, &dq, &rows, &cols, &k});
        job_launch(&j, update, shape_cover(cols, 1, 256, 1), (void *[]){&da, &dr, &dq, &rows, &cols, &k});
    }
    job_result(&j, q, dq, m * n * f);
    job_result(&j, r, dr, n * n * f);
    if (w->check && !j.failed) check(&j, a, q, r, m, n, (size_t)iters);
    return job_end(&j);
}

const struct workload workload_gramschm = {
    .name = "gramschm",
    .suite = "polybench",
    .help = "Gram-Schmidt orthogonalisation, three kernels per column",
    .aliases = "GS GRAMSCHMIDT polybench/gramschm dacache/gs",
    .input = {{"rows", "rows", {96, 2048, 2048}, 1, 8192},
              {"cols", "columns", {64, 2048, 2048}, 1, 8192},
              {"iters", "columns that are orthogonalised; 0: all", {12, 2, 0}, 0, 8192}},
    .run = run,
};
