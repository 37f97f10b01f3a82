/* syr2k.c - host code of syr2k.cu: the first rows of C = alpha (A B^T + B A^T) + beta C. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_ROWS, IN_M };

static const float alpha = 1.25f, beta = 0.5f;

struct arrays {
    float *a, *b, *c;
};

static void check(struct job *j, const struct arrays *h, const float *got, size_t n, size_t rows, size_t m)
{
    double *want = job_host(j, rows * n, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++)
                sum += (double)h->a[i * m + l] * h->b[k * m + l] + (double)h->b[i * m + l] * h->a[k * m + l];
            want[i * n + k] = (double)beta * h->c[i * n + k] + (double)alpha * sum;
        }
    job_compare(j, "c", got, want, rows * n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_syr2k, r, "syr2k.ptx")) return 1;
    int n = (int)r->in[IN_N], rows = dim(r, IN_ROWS), m = dim(r, IN_M), size = n == m ? n : 0;
    if (rows > n) job_fail(&j, "rows=%d: C has n=%d rows", rows, n);
    size_t nn = (size_t)n, mm = (size_t)m, rr = (size_t)rows, f = sizeof(float);
    struct arrays h = {job_random(&j, nn * mm, 0, 0, 1), job_random(&j, nn * mm, 1, 0, 1),
                       job_random(&j, rr * nn, 2, 0, 1)};
    CUdeviceptr a = job_upload(&j, h.a, nn * mm, f), b = job_upload(&j, h.b, nn * mm, f);
    CUdeviceptr c = job_upload(&j, h.c, rr * nn, f);
    CUfunction kernel = job_kernel_sized(&j, "syr2k", size);
    float *got = job_host(&j, rr * nn, f), al = alpha, be = beta;

    job_launch(&j, kernel, shape_cover(n, rows, 32, 8), (void *[]){&a, &b, &c, &al, &be, &n, &rows, &m});
    job_result(&j, got, c, rr * nn * f);
    if (r->check && !j.failed) check(&j, &h, got, nn, rr, mm);
    return job_end(&j);
}

const struct workload workload_syr2k = {
    .name = "syr2k",
    .suite = "polybench",
    .help = "C = alpha (A B^T + B A^T) + beta C: lanes a row apart in both",
    .aliases = "SYR2 polybench/syr2k dacache/syr2",
    .input = {{"n", "rows of A and B, columns of C", {64, 256, 256}, 1, 8192},
              {"rows", "rows of C that are computed; 0: n", {16, 128, 0}, 0, 8192},
              DIM("m", "columns of A and B", 8192)},
    .run = run,
};
