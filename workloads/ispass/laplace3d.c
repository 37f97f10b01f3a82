/* laplace3d.c - host code of laplace3d.cu: sweeps, in and out exchanged after each. */
#include "workloads/common.h"

enum { IN_N, IN_SWEEPS };

struct cube {
    size_t n, pitch;
};

static void sweep(const struct cube *c, double *out, const double *in)
{
    size_t plane = c->n * c->pitch;
    for (size_t z = 1; z + 1 < c->n; z++)
        for (size_t y = 1; y + 1 < c->n; y++)
            for (size_t x = 1; x + 1 < c->n; x++) {
                size_t at = z * plane + y * c->pitch + x;
                double sum = in[at - 1] + in[at + 1] + in[at - c->pitch] + in[at + c->pitch];
                out[at] = (sum + in[at - plane] + in[at + plane]) / 6;
            }
}

static void check(struct job *j, const struct cube *c, const float *start, const float *got)
{
    size_t count = c->n * c->n * c->pitch;
    double *a = job_host(j, count, sizeof *a), *b = job_host(j, count, sizeof *b);
    if (j->failed) return;
    for (size_t i = 0; i < count; i++) a[i] = b[i] = (double)start[i]; /* surface and padding stay */
    for (int64_t s = 0; s < j->run->in[IN_SWEEPS]; s++) {
        sweep(c, b, a);
        double *swap = a;
        a = b;
        b = swap;
    }
    job_compare(j, "u", got, a, count, 1e-5);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_laplace3d, r, "laplace3d.ptx")) return 1;
    int n = (int)r->in[IN_N], pitch = (n + 31) / 32 * 32;
    struct cube c = {(size_t)n, (size_t)pitch};
    size_t count = c.n * c.n * c.pitch, f = sizeof(float);
    float *start = job_random(&j, count, 0, 0, 1), *got = job_host(&j, count, f);
    CUdeviceptr in = job_upload(&j, start, count, f), out = job_upload(&j, start, count, f);
    for (int64_t s = 0; s < r->in[IN_SWEEPS]; s++) {
        job_launch(&j, job_kernel(&j, "laplace3d"), shape_cover(n, n, 32, 4),
                   (void *[]){&in, &out, &n, &n, &n, &pitch});
        CUdeviceptr swap = in;
        in = out;
        out = swap;
    }
    job_result(&j, got, in, count * f);
    if (r->check && !j.failed) check(&j, &c, start, got);
    return job_end(&j);
}

const struct workload workload_laplace3d = {
    .name = "laplace3d",
    .suite = "ispass",
    .help = "Laplace's equation on a cube, three planes in shared memory",
    .aliases = "LPS ispass/lps hac/lps",
    .input = {{"n", "points along an edge of the cube", {18, 100, 100}, 2, 512},
              {"sweeps", "sweeps over the cube", {2, 2, 10}, 1, 1000}},
    .run = run,
};
