/* lavamd.c - host code of lavamd.cu: random particles in a grid of boxes. */
#include <math.h>

#include "workloads/common.h"

enum { IN_X, IN_Y, IN_Z };
enum { PER_BOX = 100 };

struct vec4 {
    double v, x, y, z;
};

struct box {
    int first, neighbours, neighbour[26];
};

static void add_neighbours(struct box *b, int me, const int n[3])
{
    int x = me % n[0], y = me / n[0] % n[1], z = me / n[0] / n[1];
    for (int k = 0; k < 27; k++) {
        int ox = x + k % 3 - 1, oy = y + k / 3 % 3 - 1, oz = z + k / 9 - 1;
        bool inside = ox >= 0 && ox < n[0] && oy >= 0 && oy < n[1] && oz >= 0 && oz < n[2];
        if (inside && k != 13) b->neighbour[b->neighbours++] = (oz * n[1] + oy) * n[0] + ox; /* 13: itself */
    }
}

/* What the particles of box `other` do to those of box `me`. */
static void reference_pair(struct vec4 *force, const struct vec4 *me, const struct vec4 *other, const double *q,
                           double a2)
{
    for (size_t i = 0; i < PER_BOX; i++)
        for (size_t p = 0; p < PER_BOX; p++) {
            double dot = me[i].x * other[p].x + me[i].y * other[p].y + me[i].z * other[p].z;
            double e = exp(-a2 * (me[i].v + other[p].v - dot)), fs = 2 * e;
            force[i].v += q[p] * e;
            force[i].x += q[p] * fs * (me[i].x - other[p].x);
            force[i].y += q[p] * fs * (me[i].y - other[p].y);
            force[i].z += q[p] * fs * (me[i].z - other[p].z);
        }
}

static void check(struct job *j, const struct box *boxes, size_t count, const struct vec4 *place, const double *q,
                  const struct vec4 *got, double a2)
{
    struct vec4 *want = job_host(j, count * PER_BOX, sizeof *want);
    if (j->failed) return;
    for (size_t b = 0; b < count; b++)
        for (int k = -1; k < boxes[b].neighbours; k++) {
            size_t at = b * PER_BOX, from = k < 0 ? at : (size_t)boxes[b].neighbour[k] * PER_BOX;
            reference_pair(want + at, place + at, place + from, q + from, a2);
        }
    job_compare(j, "force", &got->v, &want->v, count * PER_BOX * 4, 1e-9);
}

static void fill(double *out, size_t count, struct random r)
{
    for (size_t i = 0; i < count; i++) out[i] = (double)(1 + random_below(&r, 10)) / 10;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_lavamd, r, "lavamd.ptx")) return 1;
    const int n[3] = {(int)r->in[IN_X], (int)r->in[IN_Y], (int)r->in[IN_Z]};
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], particles = count * PER_BOX;
    struct box *boxes = job_host(&j, count, sizeof *boxes);
    struct vec4 *place = job_host(&j, particles, sizeof *place), *force = job_host(&j, particles, sizeof *force);
    double *charge = job_host(&j, particles, sizeof *charge), a2 = 2 * 0.5 * 0.5;
    if (j.failed) return job_end(&j);
    for (size_t b = 0; b < count; b++) {
        boxes[b].first = (int)b * PER_BOX;
        add_neighbours(&boxes[b], (int)b, n);
    }
    fill(&place->v, particles * 4, random_new(r->seed, 0));
    fill(charge, particles, random_new(r->seed, 1));
    CUdeviceptr db = job_upload(&j, boxes, count, sizeof *boxes), dp = job_upload(&j, place, particles, sizeof *place);
    CUdeviceptr dq = job_upload(&j, charge, particles, sizeof *charge);
    CUdeviceptr df = job_upload(&j, force, particles, sizeof *force);
    job_launch(&j, job_kernel(&j, "lavamd"), (struct shape){(unsigned)count, 1, 128, 1},
               (void *[]){&db, &dp, &dq, &df, &a2});
    job_result(&j, force, df, particles * sizeof *force);
    if (r->check && !j.failed) check(&j, boxes, count, place, charge, force, a2);
    return job_end(&j);
}

const struct workload workload_lavamd = {
    .name = "lavamd",
    .suite = "rodinia",
    .help = "forces between particles of neighbouring boxes, in double precision",
    .aliases = "rodinia/lavamd mascar/lavamd",
    .input = {{"x", "boxes along x", {2, 75, 10}, 1, 128},
              {"y", "boxes along y", {1, 1, 10}, 1, 64},
              {"z", "boxes along z", {1, 1, 10}, 1, 64}},
    .run = run,
};
