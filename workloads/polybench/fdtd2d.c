/* fdtd2d.c - host code of fdtd2d.cu: fields ex, ey, hz over some time steps. */
#include "workloads/common.h"

enum { IN_NX, IN_NY, IN_STEPS };

static void reference_step(double *ex, double *ey, double *hz, double source, size_t nx, size_t ny)
{
    for (size_t k = 0; k < ny; k++) ey[k] = source;
    for (size_t i = 1; i < nx; i++)
        for (size_t k = 0; k < ny; k++) ey[i * ny + k] -= 0.5 * (hz[i * ny + k] - hz[(i - 1) * ny + k]);
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 1; k < ny; k++) ex[i * (ny + 1) + k] -= 0.5 * (hz[i * ny + k] - hz[i * ny + k - 1]);
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++)
            hz[i * ny + k] -=
                0.7 * (ex[i * (ny + 1) + k + 1] - ex[i * (ny + 1) + k] + ey[(i + 1) * ny + k] - ey[i * ny + k]);
}

struct arrays {
    float *fict, *ex, *ey, *hz;
};

static double *widen(struct job *j, const float *in, size_t count)
{
    double *out = job_host(j, count, sizeof *out);
    for (size_t i = 0; out && i < count; i++) out[i] = in[i];
    return out;
}

static void check(struct job *j, const struct arrays *h, const float *got, size_t nx, size_t ny, int steps)
{
    double *ex = widen(j, h->ex, nx * (ny + 1)), *ey = widen(j, h->ey, (nx + 1) * ny), *hz = widen(j, h->hz, nx * ny);
    if (j->failed) return;
    for (int t = 0; t < steps; t++) reference_step(ex, ey, hz, h->fict[t], nx, ny);
    job_compare(j, "hz", got, hz, nx * ny, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_fdtd2d, r, "fdtd2d.ptx")) return 1;
    int nx = (int)r->in[IN_NX], ny = (int)r->in[IN_NY], steps = (int)r->in[IN_STEPS];
    size_t x = (size_t)nx, y = (size_t)ny, s = (size_t)steps, f = sizeof(float);
    struct arrays h = {job_random(&j, s, 0, 0, 1), job_random(&j, x * (y + 1), 1, 0, 1),
                       job_random(&j, (x + 1) * y, 2, 0, 1), job_random(&j, x * y, 3, 0, 1)};
    CUdeviceptr fict = job_upload(&j, h.fict, s, f), ex = job_move(&j, h.ex, x * (y + 1), f);
    CUdeviceptr ey = job_move(&j, h.ey, (x + 1) * y, f), hz = job_move(&j, h.hz, x * y, f);
    CUfunction k1 = job_kernel_sized(&j, "fdtd2d_ey", ny), k2 = job_kernel_sized(&j, "fdtd2d_ex", ny);
    CUfunction k3 = job_kernel_sized(&j, "fdtd2d_hz", ny);
    float *got = job_host(&j, x * y, f);
    struct shape shape = shape_cover(ny, nx, 32, 8);
    for (int t = 0; t < steps; t++) {
        job_launch(&j, k1, shape, (void *[]){&fict, &ey, &hz, &nx, &ny, &t});
        job_launch(&j, k2, shape, (void *[]){&ex, &hz, &nx, &ny});
        job_launch(&j, k3, shape, (void *[]){&ex, &ey, &hz, &nx, &ny});
    }
    job_result(&j, got, hz, x * y * f);
    if (r->check && !j.failed) check(&j, &h, got, x, y, steps);
    return job_end(&j);
}

const struct workload workload_fdtd2d = {
    .name = "fdtd2d",
    .suite = "polybench",
    .help = "2D finite differences in the time domain, three kernels per step",
    .aliases = "FD FDTD polybench/fdtd2d dacache/fd",
    .input = {{"nx", "rows", {40, 192, 2048}, 2, 8192},
              {"ny", "columns", {70, 2048, 2048}, 2, 8192},
              {"steps", "time steps", {3, 3, 500}, 1, 10000}},
    .run = run,
};
