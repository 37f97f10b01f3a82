/* mm2.c - host code of mm2.cu: the first rows of D = (A B) C. */
#include "workloads/polybench/dims.h"
#include "workloads/polybench/product.h"

enum { IN_N, IN_ROWS, IN_PITCH };

struct arrays {
    float *a, *b, *c, *d;
};

static void check(struct job *j, const struct arrays *h, size_t n, size_t rows, size_t pitch)
{
    double *a = job_host(j, rows * n, sizeof *a), *tmp = job_host(j, rows * n, sizeof *tmp);
    double *want = job_host(j, rows * n, sizeof *want);
    if (j->failed) return;
    product_widen(a, h->a, rows, n, pitch);
    product_reference(a, h->b, tmp, rows, n, pitch);
    product_reference(tmp, h->c, want, rows, n, pitch);
    for (size_t i = 0; i < rows; i++) job_compare(j, "d", h->d + i * pitch, want + i * n, n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_mm2, r, "mm2.ptx")) return 1;
    int n = (int)r->in[IN_N], rows = dim(r, IN_ROWS), pitch = dim(r, IN_PITCH);
    if (rows > n || pitch < n) job_fail(&j, "rows=%d pitch=%d: n=%d must lie between them", rows, pitch, n);
    size_t all = (size_t)n * (size_t)pitch, some = (size_t)rows * (size_t)pitch, f = sizeof(float);
    struct arrays h = {job_random(&j, some, 0, 0, 1), job_random(&j, all, 1, 0, 1), job_random(&j, all, 2, 0, 1),
                       job_host(&j, some, f)};
    CUdeviceptr a = job_move(&j, h.a, some, f), b = job_move(&j, h.b, all, f), c = job_move(&j, h.c, all, f);
    CUdeviceptr tmp = job_upload(&j, h.d, some, f), d = job_upload(&j, h.d, some, f);
    CUfunction kernel = job_kernel_sized(&j, "mm2", pitch);

    job_launch(&j, kernel, shape_cover(n, rows, 32, 8), (void *[]){&a, &b, &tmp, &rows, &n, &pitch});
    job_launch(&j, kernel, shape_cover(n, rows, 32, 8), (void *[]){&tmp, &c, &d, &rows, &n, &pitch});
    job_result(&j, h.d, d, some * f);
    if (r->check && !j.failed) check(&j, &h, (size_t)n, (size_t)rows, (size_t)pitch);
    return job_end(&j);
}

const struct workload workload_mm2 = {
    .name = "mm2",
    .suite = "polybench",
    .help = "D = (A B) C, sums kept in global memory, two launches",
    .aliases = "2MM polybench/2mm dacache/2mm",
    .input = {{"n", "rows and columns", {48, 256, 2048}, 1, 8192},
              {"rows", "rows that are computed; 0: n", {0, 192, 0}, 0, 8192},
              {"pitch", "floats from one row to the next; 0: n", {0, 2048, 2048}, 0, 8192}},
    .run = run,
};
