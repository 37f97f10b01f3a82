/* cfd.c - host code of cfd.cu: a mesh whose neighbours have near numbers, some iterations. */
#include <math.h>
#include <string.h>

#include "workloads/common.h"

enum { IN_CELLS, IN_ITERS };
enum { SIDES = 4, STAGES = 3, NEAR = 200, VARIABLES = 5 };

static const float far_field[VARIABLES] = {1.4f, 1.68f, 0.1f, 0, 3.5f};

struct state {
    double density, energy, pressure, speed, momentum[3], velocity[3];
};

struct mesh {
    size_t n;
    int *neighbours;
    float *normals, *areas;
};

static struct state derive(const double v[VARIABLES])
{
    struct state s = {.density = v[0], .energy = v[4]};
    double square = 0;
    for (unsigned k = 0; k < 3; k++) {
        s.momentum[k] = v[k + 1];
        s.velocity[k] = v[k + 1] / v[0];
        square += s.velocity[k] * s.velocity[k];
    }
    s.pressure = 0.4 * (v[4] - 0.5 * v[0] * square);
    s.speed = sqrt(square) + sqrt(1.4 * s.pressure / v[0]);
    return s;
}

static struct state load(const double *v, size_t i, size_t n)
{
    return derive((double[]){v[i], v[i + n], v[i + 2 * n], v[i + 3 * n], v[i + 4 * n]});
}

static void add_flux(double f[VARIABLES], const struct state *s, const double normal[3])
{
    double through = 0;
    for (unsigned k = 0; k < 3; k++) through += 0.5 * normal[k] * s->velocity[k];
    f[0] += through * s->density;
    for (unsigned k = 0; k < 3; k++) f[k + 1] += through * s->momentum[k] + 0.5 * s->pressure * normal[k];
    f[4] += through * (s->energy + s->pressure);
}

static void add_side(double f[VARIABLES], const struct state *own, const struct state *there, const double normal[3])
{
    double size = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    double smooth = -size * 0.2 * 0.5 * (own->speed + there->speed);
    f[0] += smooth * (own->density - there->density);
    for (unsigned k = 0; k < 3; k++) f[k + 1] += smooth * (own->momentum[k] - there->momentum[k]);
    f[4] += smooth * (own->energy - there->energy);
    add_flux(f, own, normal);
    add_flux(f, there, normal);
}

static void reference_flux(const struct mesh *m, const double *v, double *fluxes)
{
    size_t n = m->n;
    struct state far = derive((double[]){far_field[0], far_field[1], far_field[2], far_field[3], far_field[4]});
    for (size_t i = 0; i < n; i++) {
        struct state own = load(v, i, n);
        double f[VARIABLES] = {0};
        for (size_t side = 0; side < SIDES; side++) {
            int other = m->neighbours[i + side * n];
            double normal[3];
            for (size_t k = 0; k < 3; k++) normal[k] = m->normals[i + (side + k * SIDES) * n];
            if (other == -1) {
                for (unsigned k = 0; k < 3; k++) f[k + 1] += normal[k] * own.pressure;
                continue;
            }
            struct state there = other >= 0 ? load(v, (size_t)other, n) : far;
            add_side(f, &own, &there, normal);
        }
        for (size_t k = 0; k < VARIABLES; k++) fluxes[i + k * n] = f[k];
    }
}

static void check(struct job *j, const struct mesh *m, const float *got, int64_t iters)
{
    size_t n = m->n, count = n * VARIABLES, d = sizeof(double);
    double *v = job_host(j, count, d), *old = job_host(j, count, d), *fluxes = job_host(j, count, d);
    if (j->failed) return;
    for (size_t i = 0; i < count; i++) v[i] = far_field[i / n];
    for (int64_t it = 0; it < iters; it++) {
        memcpy(old, v, count * d);
        for (int stage = 0; stage < STAGES; stage++) {
            reference_flux(m, v, fluxes);
            for (size_t i = 0; i < count; i++) {
                double factor = 0.5 / (sqrt(m->areas[i % n]) * load(old, i % n, n).speed);
                v[i] = old[i] + factor / (STAGES - stage) * fluxes[i];
            }
        }
    }
    job_compare(j, "variables", got, v, count, 1e-3);
}

/* Random normals that add up to nothing; near neighbours, a few walls, the far field beyond the ends. */
static void make_mesh(struct job *j, struct mesh *m)
{
    size_t n = m->n;
    m->neighbours = job_host(j, n * SIDES, sizeof(int));
    m->normals = job_random(j, n * SIDES * 3, 0, -0.1f, 0.1f);
    m->areas = job_random(j, n, 1, 1, 2);
    if (j->failed) return;
    struct random r = random_new(j->run->seed, 2);
    for (size_t i = 0; i < n; i++)
        for (size_t side = 0; side < SIDES; side++) {
            int away = 1 + (int)random_below(&r, NEAR), other = (int)i + (side % 2 ? away : -away);
            bool wall = random_below(&r, 100) == 0;
            m->neighbours[i + side * n] = wall ? -1 : other < 0 || other >= (int)n ? -2 : other;
        }
    for (size_t i = 0; i < n * 3; i++) {
        float *face = m->normals + i / n * SIDES * n + i % n;
        face[3 * n] = -(face[0] + face[n] + face[2 * n]);
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_cfd, r, "cfd.ptx")) return 1;
    struct mesh m = {.n = (size_t)r->in[IN_CELLS]};
    int n = (int)m.n;
    size_t count = m.n * VARIABLES, f = sizeof(float);
    make_mesh(&j, &m);
    float *got = job_host(&j, count, f);
    CUdeviceptr neighbours = job_upload(&j, m.neighbours, m.n * SIDES, sizeof(int));
    CUdeviceptr normals = job_upload(&j, m.normals, m.n * SIDES * 3, f), areas = job_upload(&j, m.areas, m.n, f);
    CUdeviceptr v = job_device(&j, count, f), old = job_device(&j, count, f), fluxes = job_device(&j, count, f);
    CUdeviceptr factor = job_device(&j, m.n, f);
    CUfunction step_factor = job_kernel(&j, "cfd_step_factor"), flux = job_kernel(&j, "cfd_flux");
    CUfunction time_step = job_kernel(&j, "cfd_time_step");
    struct shape s = shape_cover(n, 1, 192, 1);
    job_copy_to(&j, "far_field", far_field, sizeof far_field);
    job_launch(&j, job_kernel(&j, "cfd_initialise"), s, (void *[]){&v, &n});
    for (int64_t it = 0; it < r->in[IN_ITERS]; it++) {
        job_copy(&j, old, v, count * f);
        job_launch(&j, step_factor, s, (void *[]){&v, &areas, &factor, &n});
        for (int divisor = STAGES; divisor >= 1; divisor--) {
            job_launch(&j, flux, s, (void *[]){&neighbours, &normals, &v, &fluxes, &n});
            job_launch(&j, time_step, s, (void *[]){&divisor, &old, &v, &factor, &fluxes, &n});
        }
    }
    job_result(&j, got, v, count * f);
    if (r->check && !j.failed) check(&j, &m, got, r->in[IN_ITERS]);
    return job_end(&j);
}

const struct workload workload_cfd = {
    .name = "cfd",
    .suite = "rodinia",
    .help = "flow over an unstructured mesh: gathers from four near neighbours",
    .aliases = "rodinia/cfd dycache/cfd",
    .input = {{"cells", "cells of the mesh", {1000, 24576, 97152}, 1, 1 << 21},
              {"iters", "iterations of three stages", {2, 2, 10}, 1, 10000}},
    .run = run,
};
