/* particlefilter.c - host code of particlefilter.cu: four kernels per frame, or the likelihood alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/common.h"

enum { IN_PARTICLES, IN_SIDE, IN_FRAMES };
enum { THREADS = 512, RADIUS = 5, MAX_POINTS = 128 };

static const double pi = 3.1415926535897932, start = 0.5;

struct filter {
    size_t particles, side, frames;
    int points, *object; /* offsets of the object's pixels, y before x */
    uint8_t *video;      /* the frames of a pixel lie together */
    double *x, *y;       /* where the particles are */
    int *seed;
    CUdeviceptr dx, dy, dfrom_x, dfrom_y, dind, dobject, dweights, dnormal, dpartial, dvideo, dseed, dtotal, dcdf,
        dmark;
};

/* The pixels of a disc. */
static void make_object(struct filter *f)
{
    for (int y = -RADIUS; y <= RADIUS; y++)
        for (int x = -RADIUS; x <= RADIUS; x++)
            if (x * x + y * y < RADIUS * RADIUS) {
                f->object[2 * f->points] = y;
                f->object[2 * f->points++ + 1] = x;
            }
}

/* Dark frames with a bright disc that moves by (1, -2) a frame, and noise. */
static void make_video(struct filter *f, uint64_t seed)
{
    struct random r = random_new(seed, 0);
    for (size_t i = 0; i < f->side * f->side * f->frames; i++) {
        int frame = (int)(i % f->frames), column = (int)(i / f->frames % f->side), row = (int)(i / f->frames / f->side);
        int dx = row - (int)f->side / 2 - frame, dy = column - (int)f->side / 2 + 2 * frame;
        int light = dx * dx + dy * dy < RADIUS * RADIUS ? 228 : 100;
        f->video[i] = (uint8_t)(light - 10 + (int)random_below(&r, 21));
    }
}

static void make_filter(struct job *j, struct filter *f)
{
    size_t n = f->particles, pixels = f->side * f->side * f->frames, d = sizeof(double);
    f->object = job_host(j, 2 * MAX_POINTS, sizeof(int));
    f->video = job_host(j, pixels, 1);
    f->x = job_host(j, n, d), f->y = job_host(j, n, d);
    f->seed = job_host(j, n, sizeof(int));
    if (j->failed) return;
    make_object(f);
    make_video(f, j->run->seed);
    struct random r = random_new(j->run->seed, 1);
    for (size_t i = 0; i < n; i++) {
        f->x[i] = f->y[i] = (double)f->side / 2;
        f->seed[i] = (int)random_below(&r, 0x7fffffff);
    }
    f->dfrom_x = job_upload(j, f->x, n, d), f->dfrom_y = job_upload(j, f->y, n, d);
    f->dx = job_device(j, n, d), f->dy = job_device(j, n, d);
    f->dind = job_device(j, n * (size_t)f->points, sizeof(int));
    f->dobject = job_upload(j, f->object, 2 * MAX_POINTS, sizeof(int));
    f->dweights = job_device(j, n, d), f->dnormal = job_device(j, n, d);
    f->dcdf = job_device(j, n, d), f->dmark = job_device(j, n, d);
    f->dpartial = job_device(j, (n + THREADS - 1) / THREADS, d), f->dtotal = job_device(j, 1, d);
    f->dvideo = job_upload(j, f->video, pixels, 1);
    f->dseed = job_upload(j, f->seed, n, sizeof(int));
}

/* ---- the reference ---- */

static double uniform(int *seed)
{
    *seed = (int)((1103515245u * (uint32_t)*seed + 12345u) & 0x7fffffffu);
    return (*seed + 1.0) / 2147483649.0;
}

static double normal(int *seed)
{
    double u = uniform(seed), v = uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * pi * v);
}

static double likelihood(const struct filter *f, double x, double y, size_t frame)
{
    double like = 0;
    long side = (long)f->side, frames = (long)f->frames;
    for (int p = 0; p < f->points; p++) {
        long ix = (long)rint(x) + f->object[2 * p + 1], iy = (long)rint(y) + f->object[2 * p];
        long index = labs(ix * side * frames + iy * frames + (long)frame);
        double light = f->video[index >= side * side * frames ? 0 : index];
        like += (pow(light - 100, 2) - pow(light - 228, 2)) / 50;
    }
    return like / f->points;
}

struct results {
    double *x, *y, *weights;
};

/* Places within rounding of the reference's; the likelihoods at the places the kernel found, since
 * a difference in the last bit of a place may round to another pixel. */
static void check_likelihood(struct job *j, struct filter *f, const struct results *got, size_t frame)
{
    size_t n = f->particles;
    struct results want = {job_host(j, n, sizeof(double)), job_host(j, n, sizeof(double)),
                           job_host(j, n, sizeof(double))};
    double *logs = job_host(j, n, sizeof(double));
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) {
        want.x[i] = f->x[i] + 1 + 5 * normal(&f->seed[i]);
        want.y[i] = f->y[i] - 2 + 2 * normal(&f->seed[i]);
        want.weights[i] = likelihood(f, got->x[i], got->y[i], frame);
        logs[i] = log(got->weights[i] * (double)n); /* weights span hundreds of orders of magnitude */
    }
    job_compare(j, "x", got->x, want.x, n, 1e-9);
    job_compare(j, "y", got->y, want.y, n, 1e-9);
    job_compare(j, "likelihood", logs, want.weights, n, 1e-9);
}

/* Which particle each one becomes, by the kernel's own cumulative sums; those against the weights. */
static void check_resampling(struct job *j, struct filter *f, const struct results *got)
{
    size_t n = f->particles, d = sizeof(double);
    double *cdf = job_host(j, n, d), *want_cdf = job_host(j, n, d), *x = job_host(j, n, d), *want_x = job_host(j, n, d);
    double total = 0, sum = 0;
    job_copy_out(j, cdf, f->dcdf, n * d);
    job_copy_out(j, x, f->dfrom_x, n * d);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) total += got->weights[i];
    for (size_t i = 0; i < n; i++) want_cdf[i] = sum += got->weights[i] / total;
    for (size_t i = 0; i < n; i++) {
        size_t p = 0;
        while (p < n - 1 && cdf[p] < (start + (double)i) / (double)n) p++;
        want_x[i] = got->x[p];
    }
    job_compare(j, "cdf", cdf, want_cdf, n, 1e-9);
    job_compare(j, "new x", x, want_x, n, 0);
}

/* ---- the launches ---- */

static void run_likelihood(struct job *j, struct filter *f, struct results *got, int frame)
{
    size_t bytes = f->particles * sizeof(double);
    int n = (int)f->particles, side = (int)f->side, frames = (int)f->frames;
    job_launch(j, job_kernel(j, "particlefilter_likelihood"), shape_cover(n, 1, THREADS, 1),
               (void *[]){&f->dx, &f->dy, &f->dfrom_x, &f->dfrom_y, &f->dind, &f->dobject, &f->dweights, &f->dpartial,
                          &f->dvideo, &f->dseed, &n, &f->points, &side, &frames, &frame});
    job_copy_out(j, got->x, f->dx, bytes);
    job_copy_out(j, got->y, f->dy, bytes);
    job_copy_out(j, got->weights, f->dweights, bytes);
    if (j->run->check && !j->failed) check_likelihood(j, f, got, (size_t)frame);
}

static void run_resampling(struct job *j, struct filter *f, const struct results *got)
{
    int n = (int)f->particles, ctas = (n + THREADS - 1) / THREADS;
    double first = start;
    struct shape s = shape_cover(n, 1, THREADS, 1);
    job_launch(j, job_kernel(j, "particlefilter_sum"), s, (void *[]){&f->dpartial, &f->dtotal, &ctas});
    job_launch(j, job_kernel(j, "particlefilter_normalise"), s,
               (void *[]){&f->dweights, &f->dtotal, &f->dnormal, &f->dcdf, &f->dmark, &first, &n});
    job_launch(j, job_kernel(j, "particlefilter_index"), s,
               (void *[]){&f->dx, &f->dy, &f->dfrom_x, &f->dfrom_y, &f->dcdf, &f->dmark, &n});
    if (j->run->check && !j->failed) check_resampling(j, f, got);
    job_copy_out(j, f->x, f->dfrom_x, f->particles * sizeof(double));
    job_copy_out(j, f->y, f->dfrom_y, f->particles * sizeof(double));
}

static int execute(const struct workload *w, struct workload_run *r, bool resample)
{
    struct job j;
    if (!job_begin(&j, w, r, "particlefilter.ptx")) return 1;
    struct filter f = {
        .particles = (size_t)r->in[IN_PARTICLES], .side = (size_t)r->in[IN_SIDE], .frames = (size_t)r->in[IN_FRAMES]};
    make_filter(&j, &f);
    for (int frame = 1; frame < (int)f.frames && !j.failed; frame++) {
        size_t hosts = j.hosts; /* what a frame allocates goes before the next */
        struct results got = {job_host(&j, f.particles, sizeof(double)), job_host(&j, f.particles, sizeof(double)),
                              job_host(&j, f.particles, sizeof(double))};
        run_likelihood(&j, &f, &got, frame);
        if (resample) run_resampling(&j, &f, &got);
        while (j.hosts > hosts) free(j.host[--j.hosts]);
        if (!resample) break; /* places stay: further frames would be the same */
    }
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_particlefilter, r, true); }
static int run_1(struct workload_run *r) { return execute(&workload_particlefilter_1, r, false); }

#define SIDE                                                                                                           \
    {                                                                                                                  \
        "side", "rows and columns of a frame", {32, 128, 128}, 16, 1024                                                \
    }

const struct workload workload_particlefilter = {
    .name = "particlefilter",
    .suite = "rodinia",
    .help = "tracking by a particle filter, four kernels per frame, in double precision",
    .aliases = "rodinia/particlefilter dycache/pf",
    .input = {{"particles", "particles", {300, 1024, 1000}, 1, 1 << 20},
              SIDE,
              {"frames", "frames; the first is given", {3, 4, 10}, 2, 100}},
    .run = run,
};

const struct workload workload_particlefilter_1 = {
    .name = "particlefilter_1",
    .suite = "rodinia",
    .help = "particlefilter's likelihood of one frame: lanes a row of indices (276 bytes) apart",
    .aliases = "mascar/particle",
    .input = {{"particles", "particles", {300, 15360, 32768}, 1, 1 << 20},
              SIDE,
              {"frames", "frames in memory; one is used", {2, 2, 10}, 2, 100}},
    .run = run_1,
};
