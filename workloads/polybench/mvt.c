/* mvt.c - host code of mvt.cu: x1 += A y1, x2 += A^T y2, both over the first `loop` terms. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_PITCH, IN_LOOP };

struct arrays {
    float *a, *y1, *y2, *x1, *x2;
};

static void check(struct job *j, const struct arrays *h, const float *got[2], size_t n, size_t loop, size_t pitch)
{
    double *x1 = job_host(j, n, sizeof *x1), *x2 = job_host(j, n, sizeof *x2);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) {
        x1[i] = h->x1[i];
        x2[i] = h->x2[i];
        for (size_t k = 0; k < loop; k++) x1[i] += (double)h->a[i * pitch + k] * h->y1[k];
    }
    for (size_t k = 0; k < loop; k++)
        for (size_t i = 0; i < n; i++) x2[i] += (double)h->a[k * pitch + i] * h->y2[k];
    job_compare(j, "x1", got[0], x1, n, 1e-3);
    job_compare(j, "x2", got[1], x2, n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_mvt, r, "mvt.ptx")) return 1;
    int n = (int)r->in[IN_N], loop = dim(r, IN_LOOP), widest = n > loop ? n : loop, pitch = dim(r, IN_PITCH);
    if (pitch < widest) job_fail(&j, "pitch=%d: a row has %d columns", pitch, widest);
    size_t count = (size_t)n, w = (size_t)widest, p = (size_t)pitch, f = sizeof(float);
    struct corner c = {w, p, (size_t)loop, count, (size_t)loop};
    CUdeviceptr a;
    struct arrays h = {corner_make(&j, c, &a), job_random(&j, w, 1, 0, 1), job_random(&j, w, 2, 0, 1),
                       job_random(&j, count, 3, 0, 1), job_random(&j, count, 4, 0, 1)};
    CUdeviceptr y1 = job_upload(&j, h.y1, w, f), y2 = job_upload(&j, h.y2, w, f);
    CUdeviceptr x1 = job_upload(&j, h.x1, count, f), x2 = job_upload(&j, h.x2, count, f);
    float *got1 = job_host(&j, count, f), *got2 = job_host(&j, count, f);
    CUfunction rows = job_kernel_sized(&j, "mvt_rows", pitch), cols = job_kernel_sized(&j, "mvt_cols", pitch);

    job_launch(&j, rows, shape_cover(n, 1, 256, 1), (void *[]){&a, &y1, &x1, &n, &loop, &pitch});
    job_launch(&j, cols, shape_cover(n, 1, 256, 1), (void *[]){&a, &y2, &x2, &n, &loop, &pitch});
    job_result(&j, got1, x1, count * f);
    job_result(&j, got2, x2, count * f);
    if (r->check && !j.failed) check(&j, &h, (const float *[]){got1, got2}, count, (size_t)loop, p);
    return job_end(&j);
}

const struct workload workload_mvt = {
    .name = "mvt",
    .suite = "polybench",
    .help = "x1 += A y1 and x2 += A^T y2: a row per thread, then a column per thread",
    .aliases = "polybench/mvt dacache/mvt",
    .input = {{"n", "elements of x1 and x2, one thread each", {128, 8192, 8192}, 1, 16384},
              {"pitch", "floats from one row of A to the next; 0: n", {0, 8192, 8192}, 0, 16384},
              {"loop", "terms of a sum; 0: n", {0, 512, 8192}, 0, 16384}},
    .run = run,
};
