/* stencil2d.c - host code of stencil2d.cu: a few steps, in and out exchanged after each. */
#include "workloads/common.h"

enum { IN_ROWS, IN_COLS, IN_STEPS };

static const float centre = 0.25f, side = 0.15f, corner = 0.05f;

static void step(double *out, const double *in, size_t rows, size_t cols, size_t pitch)
{
    for (size_t i = 1; i <= rows; i++)
        for (size_t k = 1; k <= cols; k++) {
            const double *at = in + i * pitch + k, *up = at - pitch, *down = at + pitch;
            double near = up[0] + down[0] + at[-1] + at[1], far = up[-1] + up[1] + down[-1] + down[1];
            out[i * pitch + k] = (double)centre * at[0] + (double)side * near + (double)corner * far;
        }
}

static void check(struct job *j, const float *start, const float *got, size_t rows, size_t cols, size_t pitch)
{
    size_t count = (rows + 2) * pitch;
    double *a = job_host(j, count, sizeof *a), *b = job_host(j, count, sizeof *b);
    if (j->failed) return;
    for (size_t i = 0; i < count; i++) a[i] = b[i] = (double)start[i]; /* the border stays as it is */
    for (int64_t s = 0; s < j->run->in[IN_STEPS]; s++) {
        step(b, a, rows, cols, pitch);
        double *swap = a;
        a = b;
        b = swap;
    }
    job_compare(j, "grid", got, a, count, 1e-5);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_stencil2d, r, "stencil2d.ptx")) return 1;
    int rows = (int)r->in[IN_ROWS], cols = (int)r->in[IN_COLS], pitch = (cols + 2 + 31) / 32 * 32;
    size_t count = (size_t)(rows + 2) * (size_t)pitch;
    float *start = job_random(&j, count, 0, 0, 1), *got = job_host(&j, count, sizeof *got);
    CUdeviceptr in = job_upload(&j, start, count, sizeof *start), out = job_move(&j, start, count, sizeof *start);
    CUfunction f = job_kernel(&j, "stencil2d");
    float w0 = centre, w1 = side, w2 = corner;
    for (int64_t s = 0; s < r->in[IN_STEPS]; s++) {
        job_launch(&j, f, (struct shape){(unsigned)(cols + 255) / 256, (unsigned)(rows + 7) / 8, 256, 1},
                   (void *[]){&in, &out, &rows, &cols, &pitch, &w0, &w1, &w2});
        CUdeviceptr swap = in;
        in = out;
        out = swap;
    }
    job_result(&j, got, in, count * sizeof *got);
    if (r->check && !j.failed) check(&j, start, got, (size_t)rows, (size_t)cols, (size_t)pitch);
    return job_end(&j);
}

const struct workload workload_stencil2d = {
    .name = "stencil2d",
    .suite = "shoc",
    .help = "nine-point stencil, strips of eight rows through shared memory",
    .aliases = "STN shoc/stencil2d apcm/stn",
    .input = {{"rows", "rows without the border", {40, 256, 4096}, 1, 32768},
              {"cols", "columns without the border", {300, 4096, 4096}, 1, 32768},
              {"steps", "time steps", {2, 2, 10}, 1, 1000}},
    .run = run,
};
