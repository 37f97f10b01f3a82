/* stencil.c - host code of stencil.cu: one step or a few, in and out exchanged after each. */
#include "workloads/common.h"

enum { IN_NX, IN_NY, IN_NZ, IN_STEPS };

struct grid {
    int nx, ny, nz;
    float c0, c1;
};

static void step(const struct grid *g, double *out, const double *in)
{
    size_t nx = (size_t)g->nx, ny = (size_t)g->ny, plane = nx * ny;
    for (size_t z = 1; z + 1 < (size_t)g->nz; z++)
        for (size_t y = 1; y + 1 < ny; y++)
            for (size_t x = 1; x + 1 < nx; x++) {
                const double *p = in + z * plane + y * nx + x, *low = p - plane, *up = p - nx;
                double sum = low[0] + p[plane] + up[0] + p[nx] + p[-1] + p[1];
                out[z * plane + y * nx + x] = (double)g->c1 * sum - (double)g->c0 * p[0];
            }
}

static void check(struct job *j, const struct grid *g, const float *start, const float *got, size_t count)
{
    double *a = job_host(j, count, sizeof *a), *b = job_host(j, count, sizeof *b);
    if (j->failed) return;
    for (size_t i = 0; i < count; i++) a[i] = b[i] = (double)start[i];
    for (int64_t s = 0; s < j->run->in[IN_STEPS]; s++) {
        step(g, b, a);
        double *swap = a;
        a = b;
        b = swap;
    }
    job_compare(j, "grid", got, a, count, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_stencil, r, "stencil.ptx")) return 1;
    struct grid g = {(int)r->in[IN_NX], (int)r->in[IN_NY], (int)r->in[IN_NZ], 1.0f / 6, 1.0f / 36};
    if (g.nx % 64) job_fail(&j, "nx=%d: must be a multiple of 64", g.nx);
    if (g.ny % 4) job_fail(&j, "ny=%d: must be a multiple of 4", g.ny);
    size_t count = (size_t)g.nx * (size_t)g.ny * (size_t)g.nz, f = sizeof(float);
    float *start = job_random(&j, count, 0, 0, 1), *got = job_host(&j, count, f);
    CUdeviceptr in = job_upload(&j, start, count, f), out = job_move(&j, start, count, f);
    for (int64_t s = 0; s < r->in[IN_STEPS]; s++) {
        job_launch(&j, job_kernel(&j, "stencil"), (struct shape){(unsigned)g.nx / 64, (unsigned)g.ny / 4, 32, 4},
                   (void *[]){&in, &out, &g.nx, &g.ny, &g.nz, &g.c0, &g.c1});
        CUdeviceptr swap = in;
        in = out;
        out = swap;
    }
    job_result(&j, got, in, count * f);
    if (r->check && !j.failed) check(&j, &g, start, got, count);
    return job_end(&j);
}

const struct workload workload_stencil = {
    .name = "stencil",
    .suite = "parboil",
    .help = "seven-point stencil in three dimensions, marching in z",
    .aliases = "parboil/stencil mascar/stencil",
    .input = {{"nx", "points in x", {64, 512, 512}, 64, 4096},
              {"ny", "points in y", {12, 512, 512}, 4, 4096},
              {"nz", "points in z", {5, 8, 64}, 3, 1024},
              {"steps", "time steps", {1, 1, 100}, 1, 1000}},
    .run = run,
};
