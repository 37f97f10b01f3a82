/* gesummv.c - host code of gesummv.cu: y = alpha A x + beta B x over the first `loop` columns. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_PITCH, IN_LOOP };

/* The kernel has these as constants. */
static const double alpha = 1.25, beta = 0.75;

static void check(struct job *j, const float *a, const float *b, const float *x, const float *y, size_t n, size_t loop,
                  size_t pitch)
{
    double *want = job_host(j, n, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) {
        double sa = 0, sb = 0;
        for (size_t k = 0; k < loop; k++) {
            sa += (double)a[i * pitch + k] * x[k];
            sb += (double)b[i * pitch + k] * x[k];
        }
        want[i] = alpha * sa + beta * sb;
    }
    job_compare(j, "y", y, want, n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_gesummv, r, "gesummv.ptx")) return 1;
    int n = (int)r->in[IN_N], loop = dim(r, IN_LOOP), pitch = dim(r, IN_PITCH);
    if (pitch < loop) job_fail(&j, "pitch=%d: a row has %d columns", pitch, loop);
    size_t count = (size_t)n, p = (size_t)pitch, f = sizeof(float);
    float *a = job_random(&j, count * p, 0, 0, 1), *b = job_random(&j, count * p, 1, 0, 1);
    float *x = job_random(&j, p, 2, 0, 1), *y = job_host(&j, count, f);
    CUdeviceptr da = job_move(&j, a, count * p, f), db = job_move(&j, b, count * p, f);
    CUdeviceptr dx = job_upload(&j, x, p, f), dy = job_upload(&j, y, count, f), tmp = job_upload(&j, y, count, f);
    CUfunction kernel = job_kernel_sized(&j, "gesummv", pitch);

    job_launch(&j, kernel, shape_cover(n, 1, 256, 1), (void *[]){&da, &db, &dx, &dy, &tmp, &n, &loop, &pitch});
    job_result(&j, y, dy, count * f);
    if (r->check && !j.failed) check(&j, a, b, x, y, count, (size_t)loop, p);
    return job_end(&j);
}

const struct workload workload_gesummv = {
    .name = "gesummv",
    .suite = "polybench",
    .help = "y = alpha A x + beta B x: a row of both matrices per thread",
    .aliases = "GES polybench/gesummv dacache/ges",
    .input = {{"n", "rows", {128, 4096, 4096}, 1, 16384},
              {"pitch", "floats from one row to the next; 0: n", {0, 4096, 4096}, 0, 16384},
              {"loop", "terms of a sum; 0: n", {0, 512, 4096}, 0, 16384}},
    .run = run,
};
