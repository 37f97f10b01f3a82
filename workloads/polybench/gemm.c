/* gemm.c - host code of gemm.cu: C = alpha A B + beta C. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_NI, IN_NJ, IN_NK };

/* The kernel has these as constants. */
static const double alpha = 1.5, beta = 0.75;

static void check(struct job *j, const float *a, const float *b, const float *c0, const float *c, const size_t n[3])
{
    double *want = job_host(j, n[0] * n[1], sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < n[0]; i++) {
        double *row = want + i * n[1];
        for (size_t k = 0; k < n[1]; k++) row[k] = beta * c0[i * n[1] + k];
        for (size_t l = 0; l < n[2]; l++)
            for (size_t k = 0; k < n[1]; k++) row[k] += alpha * a[i * n[2] + l] * b[l * n[1] + k];
    }
    job_compare(j, "c", c, want, n[0] * n[1], 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_gemm, r, "gemm.ptx")) return 1;
    int ni = dim(r, IN_NI), nj = dim(r, IN_NJ), nk = dim(r, IN_NK), size = ni == nj && nj == nk ? ni : 0;
    const size_t n[3] = {(size_t)ni, (size_t)nj, (size_t)nk}, f = sizeof(float);
    float *a = job_host(&j, n[0] * n[2], f), *b = job_host(&j, n[2] * n[1], f);
    float *c0 = job_host(&j, n[0] * n[1], f), *c = job_host(&j, n[0] * n[1], f);
    CUdeviceptr da = job_device(&j, n[0] * n[2], f), db = job_device(&j, n[2] * n[1], f);
    CUdeviceptr dc = job_device(&j, n[0] * n[1], f);
    CUfunction kernel = job_kernel_sized(&j, "gemm", size);
    if (j.failed) return job_end(&j);

    random_floats(a, n[0] * n[2], random_new(r->seed, 0), 0, 1);
    random_floats(b, n[2] * n[1], random_new(r->seed, 1), 0, 1);
    random_floats(c0, n[0] * n[1], random_new(r->seed, 2), 0, 1);
    job_copy_in(&j, da, a, n[0] * n[2] * f);
    job_copy_in(&j, db, b, n[2] * n[1] * f);
    job_copy_in(&j, dc, c0, n[0] * n[1] * f);
    job_launch(&j, kernel, shape_cover(nj, ni, 32, 8), (void *[]){&da, &db, &dc, &ni, &nj, &nk});
    job_result(&j, c, dc, n[0] * n[1] * f);
    if (r->check) check(&j, a, b, c0, c, n);
    return job_end(&j);
}

const struct workload workload_gemm = {
    .name = "gemm",
    .suite = "polybench",
    .help = "C = alpha A B + beta C, sums kept in global memory",
    .aliases = "polybench/gemm",
    .input = {{"n", "rows and columns", {64, 256, 512}, 1, 8192},
              DIM("ni", "rows of A and C", 8192),
              DIM("nj", "columns of B and C", 8192),
              DIM("nk", "columns of A", 8192)},
    .run = run,
};
