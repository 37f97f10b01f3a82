/* lbm.c - host code of lbm.cu: a few steps of a box with random obstacles.
 *
 * Two planes before and behind the box, and the padding of the rows, take what streams out. */
#include "workloads/common.h"

enum { IN_NY, IN_NZ, IN_STEPS };
enum { DIRECTIONS = 19, NX = 120, PITCH = 128, MARGIN_PLANES = 2 };

static const int step_of[DIRECTIONS][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                           {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                           {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                           {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
static const float omega = 1.2f;

struct box {
    int ny, nz, cells, margin; /* cells: of one direction, margins included */
    int *flags;
};

static double weight_of(int d) { return d == 0 ? 1.0 / 3 : d < 7 ? 1.0 / 18 : 1.0 / 36; }

/* What leaves a cell in each direction. */
static void collide(const double f[DIRECTIONS], bool obstacle, double leaves[DIRECTIONS])
{
    double rho = 0, u[3] = {0}, square = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        rho += f[d];
        for (int a = 0; a < 3; a++) u[a] += step_of[d][a] * f[d];
    }
    for (int a = 0; a < 3; a++) {
        u[a] /= rho;
        square += u[a] * u[a];
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        double along = 3 * (step_of[d][0] * u[0] + step_of[d][1] * u[1] + step_of[d][2] * u[2]);
        double rest = weight_of(d) * rho * (1 - 1.5 * square + along + 0.5 * along * along);
        int opposite = d == 0 ? 0 : d % 2 ? d + 1 : d - 1;
        leaves[d] = obstacle ? f[opposite] : (1 - (double)omega) * f[d] + (double)omega * rest;
    }
}

static void step(const struct box *b, double *out, const double *in)
{
    for (int row = 0; row < b->ny * b->nz; row++)
        for (int x = 0; x < NX; x++) {
            int at = b->margin + row * PITCH + x;
            double f[DIRECTIONS], leaves[DIRECTIONS];
            for (int d = 0; d < DIRECTIONS; d++) f[d] = in[d * b->cells + at];
            collide(f, b->flags[at], leaves);
            for (int d = 0; d < DIRECTIONS; d++) {
                int to = at + step_of[d][0] + PITCH * (step_of[d][1] + b->ny * step_of[d][2]);
                out[d * b->cells + to] = leaves[d];
            }
        }
}

static void check(struct job *j, const struct box *b, const float *start, const float *got, size_t count)
{
    double *p = job_host(j, count, sizeof *p), *q = job_host(j, count, sizeof *q);
    if (j->failed) return;
    for (size_t i = 0; i < count; i++) p[i] = q[i] = (double)start[i];
    for (int64_t s = 0; s < j->run->in[IN_STEPS]; s++) {
        step(b, q, p);
        double *swap = p;
        p = q;
        q = swap;
    }
    job_compare(j, "distributions", got, p, count, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_lbm, r, "lbm.ptx")) return 1;
    struct box b = {.ny = (int)r->in[IN_NY], .nz = (int)r->in[IN_NZ]};
    b.margin = MARGIN_PLANES * b.ny * PITCH;
    b.cells = b.nz * b.ny * PITCH + 2 * b.margin;
    size_t cells = (size_t)b.cells, count = cells * DIRECTIONS, f = sizeof(float);
    float *start = job_random(&j, count, 0, 0.02f, 0.08f), *got = job_host(&j, count, f), w = omega;
    b.flags = job_host(&j, cells, sizeof(int));
    struct random random = random_new(r->seed, 1);
    for (size_t i = 0; !j.failed && i < cells; i++) b.flags[i] = random_below(&random, 16) == 0;
    CUdeviceptr in = job_upload(&j, start, count, f), out = job_move(&j, start, count, f);
    CUdeviceptr flags = job_move(&j, b.flags, cells, sizeof(int));
    for (int64_t s = 0; s < r->in[IN_STEPS]; s++) {
        job_launch(&j, job_kernel(&j, "lbm"), (struct shape){(unsigned)b.ny, (unsigned)b.nz, NX, 1},
                   (void *[]){&in, &out, &flags, &b.ny, &b.cells, &b.margin, &w});
        CUdeviceptr swap = in;
        in = out;
        out = swap;
    }
    job_result(&j, got, in, count * f);
    if (r->check && !j.failed) check(&j, &b, start, got, count);
    return job_end(&j);
}

const struct workload workload_lbm = {
    .name = "lbm",
    .suite = "parboil",
    .help = "lattice Boltzmann in nineteen directions, a row of 120 cells a CTA",
    .aliases = "parboil/lbm mascar/lbm mascar/lbn",
    .input = {{"ny", "cells in y", {4, 120, 120}, 1, 512},
              {"nz", "cells in z", {3, 8, 150}, 1, 512},
              {"steps", "time steps", {2, 1, 10}, 1, 1000}},
    .run = run,
};
