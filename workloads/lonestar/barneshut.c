/* barneshut.c - host code of barneshut.cu, and the same method by recursion on the CPU. */
#include <math.h>
#include <stdlib.h>

#include "workloads/common.h"

enum { IN_BODIES, IN_STEPS, IN_ANGLE };
enum { BOX_CTAS = 15, EMPTY = -1, WAITING = 2, STATE_WORDS = 3, MAX_DEPTH = 32 };

static const float soft = 0.0025f, dt = 0.025f;

struct tree { /* as the kernels' */
    CUdeviceptr mass, x, y, z, vx, vy, vz, ax, ay, az, child, count, start, sorted, bounds, state, radius;
    int bodies, nodes;
};

/* ---- the reference ---- */

struct cell {
    float x[3], mass; /* the middle while it is built, the centre of mass after */
    int child[8];     /* a body, or bodies + number of a cell, or EMPTY */
};

struct system {
    int bodies, cells;
    float *mass, (*x)[3], (*v)[3], (*a)[3];
    struct cell *cell;
    int *sorted, nsorted;
    float radius, opening; /* one over the opening angle, squared */
};

static int octant(const float *middle, const float *x)
{
    return (middle[0] < x[0]) | (middle[1] < x[1]) << 1 | (middle[2] < x[2]) << 2;
}

static int new_cell(struct system *s, const float *middle, int j, float r)
{
    struct cell *c = &s->cell[s->cells];
    for (int a = 0; a < 3; a++) c->x[a] = middle[a] + (j < 0 ? 0 : j >> a & 1 ? r * 0.5f : -(r * 0.5f));
    for (int k = 0; k < 8; k++) c->child[k] = EMPTY;
    return s->cells++;
}

static void insert(struct system *s, int body)
{
    int n = 0, j;
    float r = s->radius;
    while (j = octant(s->cell[n].x, s->x[body]), s->cell[n].child[j] >= s->bodies)
        n = s->cell[n].child[j] - s->bodies, r *= 0.5f;
    while (s->cell[n].child[j] != EMPTY) { /* a body: put both a cell lower */
        int other = s->cell[n].child[j], c = new_cell(s, s->cell[n].x, j, r);
        s->cell[n].child[j] = s->bodies + c;
        s->cell[c].child[octant(s->cell[c].x, s->x[other])] = other;
        n = c, r *= 0.5f;
        j = octant(s->cell[n].x, s->x[body]);
    }
    s->cell[n].child[j] = body;
}

/* Masses from the leaves up, bodies in order, children without gaps. */
static void summarise(struct system *s, struct cell *c)
{
    float mass = 0, sum[3] = {0};
    int kept = 0;
    for (int k = 0; k < 8; k++) {
        int at = c->child[k];
        if (at == EMPTY) continue;
        if (at >= s->bodies) summarise(s, &s->cell[at - s->bodies]);
        else s->sorted[s->nsorted++] = at;
        const float *x = at < s->bodies ? s->x[at] : s->cell[at - s->bodies].x;
        float m = at < s->bodies ? s->mass[at] : s->cell[at - s->bodies].mass;
        c->child[k] = EMPTY;
        c->child[kept++] = at;
        mass += m;
        for (int a = 0; a < 3; a++) sum[a] = fmaf(x[a], m, sum[a]);
    }
    for (int a = 0; a < 3; a++) c->x[a] = sum[a] / mass;
    c->mass = mass;
}

static float distance2(const float *from, const float *to, float d[3])
{
    for (int a = 0; a < 3; a++) d[a] = to[a] - from[a];
    return fmaf(d[0], d[0], fmaf(d[1], d[1], fmaf(d[2], d[2], soft)));
}

/* What cell c does to the `many` bodies of a warp; opened when it is too near for one of them. */
static void pull(struct system *s, const struct cell *c, const int *body, int many, float near, double (*force)[3])
{
    for (int k = 0; k < 8 && c->child[k] != EMPTY; k++) {
        int at = c->child[k];
        const struct cell *below = at < s->bodies ? NULL : &s->cell[at - s->bodies];
        const float *x = below ? below->x : s->x[at];
        float d[3];
        bool far = true;
        for (int i = 0; below && i < many; i++) far &= distance2(s->x[body[i]], x, d) >= near;
        if (!far) {
            pull(s, below, body, many, near * 0.25f, force);
            continue;
        }
        for (int i = 0; i < many; i++) {
            double d2 = (double)distance2(s->x[body[i]], x, d);
            double f = (double)(below ? below->mass : s->mass[at]) / (d2 * sqrt(d2));
            for (int a = 0; a < 3; a++) force[i][a] += f * (double)d[a];
        }
    }
}

static void reference_step(struct system *s)
{
    float low[3], high[3], middle[3];
    s->cells = s->nsorted = 0, s->radius = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = high[a] = s->x[0][a];
        for (int i = 1; i < s->bodies; i++) low[a] = fminf(low[a], s->x[i][a]), high[a] = fmaxf(high[a], s->x[i][a]);
        s->radius = fmaxf(s->radius, high[a] - low[a]);
        middle[a] = (low[a] + high[a]) * 0.5f;
    }
    s->radius *= 0.5f;
    new_cell(s, middle, -1, 0);
    for (int i = 0; i < s->bodies; i++) insert(s, i);
    summarise(s, &s->cell[0]);
    float side = 2 * s->radius;
    for (int first = 0; first < s->bodies; first += 32) {
        int many = s->bodies - first < 32 ? s->bodies - first : 32, body[32];
        double force[32][3] = {{0}};
        for (int i = 0; i < 32; i++) body[i] = s->sorted[i < many ? first + i : s->bodies - 1];
        pull(s, &s->cell[0], body, 32, side * side * s->opening, force);
        for (int i = 0; i < many; i++)
            for (int a = 0; a < 3; a++) s->a[body[i]][a] = (float)force[i][a];
    }
    for (int i = 0; i < s->bodies; i++)
        for (int a = 0; a < 3; a++) {
            s->v[i][a] = fmaf(s->a[i][a], dt, s->v[i][a]);
            s->x[i][a] = fmaf(s->v[i][a], dt, s->x[i][a]);
        }
}

/* ---- the run ---- */

/* A ball of bodies, denser towards the middle, at rest. */
static void make_system(struct job *j, struct system *s, int cells)
{
    size_t n = (size_t)s->bodies;
    struct random r = random_new(j->run->seed, 0);
    s->mass = job_host(j, n, sizeof *s->mass);
    s->x = job_host(j, n, sizeof *s->x), s->v = job_host(j, n, sizeof *s->v), s->a = job_host(j, n, sizeof *s->a);
    s->cell = job_host(j, (size_t)cells, sizeof *s->cell);
    s->sorted = job_host(j, n, sizeof *s->sorted);
    for (size_t i = 0; !j->failed && i < n; i++) {
        float u[4], length = 0;
        do {
            random_floats(u, 4, random_new(random_next(&r), 0), -1, 1);
            length = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        } while (length > 1 || length < 1e-4f);
        for (int a = 0; a < 3; a++) s->x[i][a] = u[a] * (0.2f + 0.8f * fabsf(u[3]));
        s->mass[i] = 1.0f / (float)s->bodies;
    }
}

/* Axis a of `from`, with room for the cells. */
static CUdeviceptr upload_axis(struct job *j, float (*from)[3], int a, size_t n, size_t room)
{
    float *all = job_host(j, room, sizeof *all);
    for (size_t i = 0; !j->failed && i < n; i++) all[i] = from[i][a];
    return job_upload(j, all, room, sizeof *all);
}

/* Launches until no cell waits for another. */
static void until_done(struct job *j, const char *kernel, struct tree *t, int cells)
{
    int waiting = 1;
    for (int round = 0; waiting && !j->failed && round < 4 * MAX_DEPTH; round++) {
        waiting = 0;
        job_copy_in(j, t->state + WAITING * sizeof(int), &waiting, sizeof waiting);
        job_launch(j, job_kernel(j, kernel), shape_cover(cells, 1, 256, 1), (void *[]){t});
        job_copy_out(j, &waiting, t->state + WAITING * sizeof(int), sizeof waiting);
    }
    if (waiting) job_fail(j, "%s did not end", kernel);
}

static void step(struct job *j, struct tree *t, float opening)
{
    struct shape all = shape_cover(t->bodies, 1, 256, 1);
    float softening = soft, time = dt;
    int bottom = 0;
    job_launch(j, job_kernel(j, "bh_box"), (struct shape){BOX_CTAS, 1, 256, 1}, (void *[]){t});
    job_launch(j, job_kernel(j, "bh_build"), all, (void *[]){t});
    job_copy_out(j, &bottom, t->state, sizeof bottom);
    int cells = j->failed ? 1 : t->nodes - bottom;
    until_done(j, "bh_sum", t, cells);
    until_done(j, "bh_sort", t, cells);
    job_launch(j, job_kernel(j, "bh_force"), all, (void *[]){t, &opening, &softening});
    job_launch(j, job_kernel(j, "bh_move"), all, (void *[]){t, &time});
}

static void check(struct job *j, struct system *s, const CUdeviceptr got[6])
{
    static const char *const names[6] = {"x", "y", "z", "ax", "ay", "az"};
    size_t n = (size_t)s->bodies;
    float *value = job_host(j, n, sizeof *value);
    double *want = job_host(j, n, sizeof *want);
    for (int64_t i = 0; !j->failed && i < j->run->in[IN_STEPS]; i++) reference_step(s);
    for (int k = 0; k < 6 && !j->failed; k++) {
        job_copy_out(j, value, got[k], n * sizeof *value);
        for (size_t i = 0; i < n; i++) want[i] = (double)(k < 3 ? s->x[i][k] : s->a[i][k - 3]);
        if (!j->failed) job_compare(j, names[k], value, want, n, 1e-3);
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_barneshut, r, "barneshut.ptx")) return 1;
    struct system s = {.bodies = (int)r->in[IN_BODIES]};
    float angle = (float)r->in[IN_ANGLE] / 100;
    int cells = 2 * s.bodies + 64;
    s.opening = 1 / (angle * angle);
    struct tree t = {.bodies = s.bodies, .nodes = s.bodies + cells};
    make_system(&j, &s, cells);
    size_t n = (size_t)s.bodies, nodes = (size_t)t.nodes, f = sizeof(float);
    t.x = upload_axis(&j, s.x, 0, n, nodes), t.y = upload_axis(&j, s.x, 1, n, nodes),
    t.z = upload_axis(&j, s.x, 2, n, nodes);
    t.vx = upload_axis(&j, s.v, 0, n, n), t.vy = upload_axis(&j, s.v, 1, n, n), t.vz = upload_axis(&j, s.v, 2, n, n);
    t.ax = job_device(&j, n, f), t.ay = job_device(&j, n, f), t.az = job_device(&j, n, f);
    t.mass = job_device(&j, nodes, f);
    job_copy_in(&j, t.mass, s.mass, n * f);
    t.child = job_device(&j, 8 * nodes, 4), t.count = job_device(&j, nodes, 4), t.start = job_device(&j, nodes, 4);
    t.sorted = job_device(&j, n, 4), t.bounds = job_device(&j, 6 * BOX_CTAS, f), t.radius = job_device(&j, 1, f);
    t.state = job_upload(&j, (int[STATE_WORDS]){0}, STATE_WORDS, 4);
    for (int64_t i = 0; i < r->in[IN_STEPS] && !j.failed; i++) step(&j, &t, s.opening);
    if (!j.failed && r->check) check(&j, &s, (CUdeviceptr[]){t.x, t.y, t.z, t.ax, t.ay, t.az});
    return job_end(&j);
}

const struct workload workload_barneshut = {
    .name = "barneshut",
    .suite = "lonestar",
    .help = "gravity by a tree of cells: built with locks, walked by warps together",
    .aliases = "BH lonestar/bh hac/bh",
    .input = {{"bodies", "bodies", {200, 8192, 30000}, 2, 1 << 20},
              {"steps", "steps in time", {1, 2, 2}, 1, 100},
              {"angle", "opening angle in hundredths: smaller is more exact", {50, 100, 50}, 10, 200}},
    .run = run,
};
