/* matmul_naive.c - host code of matmul_naive.cu: C = A B without shared memory. */
#include "workloads/common.h"

enum { IN_N };

static void reference(const float *a, const float *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_matmul_naive, r, "matmul_naive.ptx")) return 1;
    int n = (int)r->in[IN_N];
    size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    float *a = job_host(&j, count, sizeof *a), *b = job_host(&j, count, sizeof *b), *c = job_host(&j, count, sizeof *c);
    CUdeviceptr da = job_device(&j, 1, bytes), db = job_device(&j, 1, bytes), dc = job_device(&j, 1, bytes);
    CUfunction kernel = job_kernel(&j, "matmul_naive");
    if (j.failed) return job_end(&j);

    random_floats(a, count, random_new(r->seed, 0), 0, 1);
    random_floats(b, count, random_new(r->seed, 1), 0, 1);
    job_copy_in(&j, da, a, bytes);
    job_copy_in(&j, db, b, bytes);
    job_launch(&j, kernel, shape_cover(n, n, 16, 16), (void *[]){&da, &db, &dc, &n});
    job_result(&j, c, dc, bytes);
    double *want = r->check ? job_host(&j, count, sizeof *want) : NULL;
    if (want) {
        reference(a, b, want, n);
        job_compare(&j, "c", c, want, count, 1e-4);
    }
    return job_end(&j);
}

const struct workload workload_matmul_naive = {
    .name = "matmul_naive",
    .suite = "basic",
    .help = "matrix product from global memory, one thread per element",
    .input = {{"n", "rows and columns", {50, 256, 1024}, 1, 8192}},
    .run = run,
};
