/* streamcluster.c - host code of streamcluster.cu: some candidates tried one after the other. */
#include <math.h>

#include "workloads/common.h"

enum { IN_POINTS, IN_DIM, IN_CENTRES, IN_CALLS, IN_APART };

struct point { /* as the kernel has it */
    float weight, pad;
    uint64_t coord;
    int64_t assign;
    float cost, tail;
};
_Static_assert(sizeof(struct point) == 32, "one record a sector");

struct problem {
    size_t num, dim, centres, apart;
    struct point *points;
    float *coord;
    int *centre_of; /* of the points that are centres */
    double *work;   /* of the reference */
    int *moves;
};

/* The kernel's own rounding: which way a point decides must not hang on it. */
static float cost_at(const struct problem *p, size_t me, size_t x)
{
    float cost = 0;
    for (size_t d = 0; d < p->dim; d++) {
        float away = p->coord[d * p->apart + me] - p->coord[d * p->apart + x];
        cost = fmaf(away, away, cost);
    }
    return cost * p->points[me].weight;
}

static void reference(struct problem *p, size_t x)
{
    for (size_t me = 0; me < p->num; me++) {
        float cost = cost_at(p, me, x), now = p->points[me].cost;
        double *mine = p->work + me * (p->centres + 1);
        if (cost < now) {
            p->moves[me] = 1;
            mine[p->centres] += (double)cost - now;
        } else mine[p->centre_of[p->points[me].assign]] += (double)now - cost;
    }
}

/* Random points; the first ones are the centres, points belong to them in turn. */
static void make_problem(struct job *j, struct problem *p)
{
    p->points = job_host(j, p->num, sizeof *p->points);
    p->coord = job_random(j, p->apart * p->dim, 0, 0, 1);
    p->centre_of = job_host(j, p->num, sizeof(int));
    p->work = job_host(j, p->num * (p->centres + 1), sizeof(double));
    p->moves = job_host(j, p->num, sizeof(int));
    if (j->failed) return;
    for (size_t c = 0; c < p->centres; c++) p->centre_of[c] = (int)c;
    for (size_t i = 0; i < p->num; i++) {
        p->points[i].weight = 1;
        p->points[i].assign = (int64_t)(i % p->centres);
        p->points[i].cost = cost_at(p, i, i % p->centres);
    }
}

static void check(struct job *j, const struct problem *p, CUdeviceptr work, CUdeviceptr moves)
{
    size_t count = p->num * (p->centres + 1);
    float *got = job_host(j, count, sizeof *got);
    int8_t *flags = job_host(j, p->num, 1);
    int *moved = job_host(j, p->num, sizeof(int));
    job_result(j, got, work, count * sizeof *got);
    job_result(j, flags, moves, p->num);
    for (size_t i = 0; !j->failed && i < p->num; i++) moved[i] = flags[i] != 0;
    if (j->failed || !j->run->check) return;
    job_compare(j, "moves", moved, p->moves, p->num);
    job_compare(j, "work", got, p->work, count, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_streamcluster, r, "streamcluster.ptx")) return 1;
    int num = (int)r->in[IN_POINTS], dim = (int)r->in[IN_DIM], centres = (int)r->in[IN_CENTRES];
    if (centres > num) job_fail(&j, "centres=%d: there are %d points", centres, num);
    int apart = r->in[IN_APART] ? (int)r->in[IN_APART] : num;
    if (apart < num) job_fail(&j, "apart=%d: there are %d points", apart, num);
    struct problem p = {.num = (size_t)num, .dim = (size_t)dim, .centres = (size_t)centres, .apart = (size_t)apart};
    make_problem(&j, &p);
    size_t count = p.num * (p.centres + 1);
    float *zero = job_host(&j, count, sizeof *zero);
    CUdeviceptr points = job_move(&j, p.points, p.num, sizeof *p.points);
    CUdeviceptr coord = job_move(&j, p.coord, p.apart * p.dim, sizeof(float));
    CUdeviceptr work = job_upload(&j, zero, count, sizeof(float)), moves = job_upload(&j, zero, p.num, 1);
    CUdeviceptr centre_of = job_upload(&j, p.centre_of, p.num, sizeof(int));
    CUfunction kernel = job_kernel(&j, "streamcluster_cost");
    struct random random = random_new(r->seed, 1);
    for (int64_t call = 0; call < r->in[IN_CALLS] && !j.failed; call++) {
        int x = (int)random_below(&random, (uint32_t)num);
        job_launch_shared(&j, kernel, shape_cover(num, 1, 512, 1), p.dim * sizeof(float),
                          (void *[]){&num, &dim, &x, &points, &centres, &coord, &work, &centre_of, &moves, &apart});
        if (r->check) reference(&p, (size_t)x);
    }
    check(&j, &p, work, moves);
    return job_end(&j);
}

const struct workload workload_streamcluster = {
    .name = "streamcluster",
    .suite = "rodinia",
    .help = "gain of a new centre: coalesced coordinates, then 32-byte records and work rows",
    .aliases = "SC rodinia/streamcluster dacache/sc dycache/sc",
    .input = {{"points", "points", {1000, 46080, 262144}, 1, 1 << 22},
              {"dim", "dimensions", {16, 32, 256}, 1, 1024},
              {"centres", "centres that are open", {10, 10, 10}, 1, 256},
              {"calls", "candidates, one launch each", {2, 2, 2}, 1, 1000},
              {"apart", "points from one dimension to the next; 0: points", {0, 262144, 262144}, 0, 1 << 22}},
    .run = run,
};
