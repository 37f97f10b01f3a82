/* weather.c - host code of weather.cu: a moist atmosphere over a few dozen levels. */
#include <math.h>

#include "workloads/common.h"

enum { IN_NX, IN_NY, IN_LEVELS, IN_CALLS };
enum { CHANGED = 6, GIVEN = 4, RATES = 10, FIELDS = CHANGED + GIVEN + RATES, LEVELS = 32 };
enum { THETA, VAPOUR, CLOUD, RAIN, ICE, SNOW, DENSITY, PRESSURE, THICK, EXNER };

static const float dt = 60;

struct air {
    int nx, ny, levels;
    size_t points, columns;
    float *field[CHANGED + GIVEN];
};

static void make_air(struct job *j, struct air *a)
{
    float *noise = job_random(j, a->points * 6, 0, 0, 1);
    for (int f = 0; f < CHANGED + GIVEN; f++) a->field[f] = job_host(j, a->points, sizeof(float));
    for (size_t i = 0; !j->failed && i < a->points; i++) {
        const float *u = noise + 6 * i;
        float height = 500 * ((float)(i / (size_t)a->nx % (size_t)a->levels) + 0.5f),
              pressure = 1e5f * expf(-height / 8000);
        float exner = powf(pressure / 1e5f, 0.2857f), kelvin = 295 - 0.0065f * height + 4 * (u[0] - 0.5f);
        float vapour = 611.2f * expf(17.67f * (kelvin - 273.15f) / (kelvin - 29.65f));
        a->field[THETA][i] = kelvin / exner;
        a->field[VAPOUR][i] = 0.622f * vapour / (pressure - 0.378f * vapour) * (0.7f + 0.5f * u[1]);
        a->field[CLOUD][i] = 2e-3f * u[2], a->field[RAIN][i] = 1e-3f * u[3];
        a->field[ICE][i] = 5e-4f * u[4], a->field[SNOW][i] = 5e-4f * u[5];
        a->field[DENSITY][i] = pressure / (287 * kelvin), a->field[PRESSURE][i] = pressure;
        a->field[THICK][i] = 500, a->field[EXNER][i] = exner;
    }
}

/* ---- reference: one column at a time, in double precision ---- */

static double fall(double *water, const double *density, const double *thick, int levels, double rate)
{
    double speed[LEVELS], flux[LEVELS + 1], most = 0, ground = 0;
    for (int k = 0; k < levels; k++) {
        speed[k] = rate * sqrt(sqrt(density[k] * water[k] + 1e-9));
        most = fmax(most, speed[k] * (double)dt / thick[k]);
    }
    int steps = (int)most + 1 < 8 ? (int)most + 1 : 8;
    for (int s = 0; s < steps; s++) {
        flux[levels] = 0;
        for (int k = 0; k < levels; k++) flux[k] = density[k] * water[k] * speed[k];
        for (int k = 0; k < levels; k++)
            water[k] = fmax(water[k] + (double)dt / steps * (flux[k + 1] - flux[k]) / (density[k] * thick[k]), 0);
        ground += (double)dt / steps * flux[0];
    }
    return ground;
}

static void one_level(double v[CHANGED + GIVEN][LEVELS], int k)
{
    double kelvin = v[THETA][k] * v[EXNER][k], vapour = 611.2 * exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65));
    double full = 0.622 * vapour / (v[PRESSURE][k] - 0.378 * vapour), humid = v[VAPOUR][k] / full;
    double more = fmax((v[VAPOUR][k] - full) / (1 + 10 * full), -v[CLOUD][k]);
    v[CLOUD][k] += more, v[VAPOUR][k] -= more, kelvin += 2490 * more;
    double collect = fmin(1e-3 * (double)dt * fmax(v[CLOUD][k] - 5e-4, 0), v[CLOUD][k]);
    double scoop = fmin(0.02 * (double)dt * v[CLOUD][k] * sqrt(v[RAIN][k]), v[CLOUD][k] - collect);
    double dry = fmin(0.01 * (double)dt * fmax(1 - humid, 0) * v[RAIN][k], v[RAIN][k]);
    v[CLOUD][k] -= collect + scoop, v[RAIN][k] += collect + scoop - dry, v[VAPOUR][k] += dry, kelvin -= 2490 * dry;
    double cold = fmin(fmax((273.15 - kelvin) * 0.05, 0), 1), warm = fmin(fmax((kelvin - 273.15) * 0.2, 0), 1);
    double freeze = 0.05 * cold * v[CLOUD][k], deposit = 0.1 * cold * v[ICE][k], melt = 0.3 * warm * v[SNOW][k];
    v[CLOUD][k] -= freeze, v[ICE][k] += freeze - deposit, v[SNOW][k] += deposit - melt, v[RAIN][k] += melt;
    v[THETA][k] = (kelvin + 332 * (freeze - melt)) / v[EXNER][k];
}

static void reference(const struct air *a, int64_t calls, double *const want[CHANGED], double *ground[2])
{
    for (size_t c = 0; c < a->columns; c++) {
        double v[CHANGED + GIVEN][LEVELS];
        size_t nx = (size_t)a->nx, at = c / nx * nx * (size_t)a->levels + c % nx;
        for (int f = 0; f < CHANGED + GIVEN; f++)
            for (int k = 0; k < a->levels; k++) v[f][k] = (double)a->field[f][at + (size_t)k * nx];
        for (int64_t n = 0; n < calls; n++) {
            for (int k = 0; k < a->levels; k++) one_level(v, k);
            ground[0][c] += fall(v[RAIN], v[DENSITY], v[THICK], a->levels, 60);
            ground[1][c] += fall(v[SNOW], v[DENSITY], v[THICK], a->levels, 12);
        }
        for (int f = 0; f < CHANGED; f++)
            for (int k = 0; k < a->levels; k++) want[f][at + (size_t)k * nx] = v[f][k];
    }
}

static void check(struct job *j, const struct air *a, const CUdeviceptr field[FIELDS], const CUdeviceptr fell[2])
{
    static const char *const names[CHANGED] = {"theta", "vapour", "cloud", "rain", "ice", "snow"};
    double *want[CHANGED], *ground[2];
    float *got = job_host(j, a->points, sizeof *got);
    for (int f = 0; f < CHANGED; f++) want[f] = job_host(j, a->points, sizeof **want);
    for (int g = 0; g < 2; g++) ground[g] = job_host(j, a->columns, sizeof **ground);
    if (j->failed || !j->run->check) return;
    reference(a, j->run->in[IN_CALLS], want, ground);
    for (int f = 0; f < CHANGED && !j->failed; f++) {
        job_result(j, got, field[f], a->points * sizeof *got);
        if (!j->failed) job_compare(j, names[f], got, want[f], a->points, 1e-2);
    }
    for (int g = 0; g < 2 && !j->failed; g++) {
        job_result(j, got, fell[g], a->columns * sizeof *got);
        if (!j->failed) job_compare(j, g ? "snowed" : "rained", got, ground[g], a->columns, 1e-2);
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_weather, r, "weather.ptx")) return 1;
    struct air a = {.nx = (int)r->in[IN_NX], .ny = (int)r->in[IN_NY], .levels = (int)r->in[IN_LEVELS]};
    a.columns = (size_t)a.nx * (size_t)a.ny, a.points = a.columns * (size_t)a.levels;
    make_air(&j, &a);
    void *zero = job_host(&j, a.columns, sizeof(float));
    CUdeviceptr field[FIELDS], fell[2];
    for (int f = 0; f < FIELDS; f++)
        field[f] = f < CHANGED + GIVEN ? job_upload(&j, a.field[f], a.points, 4) : job_device(&j, a.points, 4);
    for (int g = 0; g < 2; g++) fell[g] = job_upload(&j, zero, a.columns, 4);
    float seconds = dt;
    for (int64_t n = 0; n < r->in[IN_CALLS] && !j.failed; n++)
        job_launch(&j, job_kernel(&j, "weather"), shape_cover(a.nx, a.ny, 32, 4),
                   (void *[]){field, &fell[0], &fell[1], &a.nx, &a.ny, &a.levels, &seconds});
    if (!j.failed) check(&j, &a, field, fell);
    return job_end(&j);
}

const struct workload workload_weather = {
    .name = "weather",
    .suite = "ispass",
    .help = "cloud microphysics: a thread a column, twenty fields, passes up and down",
    .aliases = "WP ispass/wp hac/wp",
    .input = {{"nx", "columns along x", {20, 128, 128}, 1, 4096},
              {"ny", "columns along y", {3, 64, 64}, 1, 4096},
              {"levels", "levels", {5, 28, 28}, 1, LEVELS},
              {"calls", "calls", {1, 1, 4}, 1, 1000}},
    .run = run,
};
