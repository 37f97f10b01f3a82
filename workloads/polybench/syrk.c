/* syrk.c - host code of syrk.cu: C = alpha A A^T + beta C, with A of n x m. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_M };

static const float alpha = 1.25f, beta = 0.5f;

static void check(struct job *j, const float *a, const float *c0, const float *c, size_t n, size_t m)
{
    double *want = job_host(j, n * n, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++) sum += (double)a[i * m + l] * a[k * m + l];
            want[i * n + k] = (double)beta * c0[i * n + k] + (double)alpha * sum;
        }
    job_compare(j, "c", c, want, n * n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_syrk, r, "syrk.ptx")) return 1;
    int n = (int)r->in[IN_N], m = dim(r, IN_M), size = n == m ? n : 0;
    size_t rows = (size_t)n, cols = (size_t)m, f = sizeof(float);
    float *a = job_host(&j, rows * cols, f), *c0 = job_host(&j, rows * rows, f), *c = job_host(&j, rows * rows, f);
    CUdeviceptr da = job_device(&j, rows * cols, f), dc = job_device(&j, rows * rows, f);
    CUfunction kernel = job_kernel_sized(&j, "syrk", size);
    if (j.failed) return job_end(&j);

    float al = alpha, be = beta;
    random_floats(a, rows * cols, random_new(r->seed, 0), 0, 1);
    random_floats(c0, rows * rows, random_new(r->seed, 1), 0, 1);
    job_copy_in(&j, da, a, rows * cols * f);
    job_copy_in(&j, dc, c0, rows * rows * f);
    job_launch(&j, kernel, shape_cover(n, n, 32, 8), (void *[]){&da, &dc, &al, &be, &n, &m});
    job_copy_out(&j, c, dc, rows * rows * f);
    if (r->check) check(&j, a, c0, c, rows, cols);
    return job_end(&j);
}

const struct workload workload_syrk = {
    .name = "syrk",
    .suite = "polybench",
    .help = "C = alpha A A^T + beta C: lanes a row of A apart",
    .aliases = "SYR polybench/syrk dacache/syr",
    .input = {{"n", "rows of A, rows and columns of C", {64, 128, 512}, 1, 8192}, DIM("m", "columns of A", 8192)},
    .run = run,
};
