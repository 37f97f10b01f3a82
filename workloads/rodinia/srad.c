/* srad.c - host code of srad.cu: iterations on an image, or one kernel of one iteration. */
#include <math.h>

#include "workloads/common.h"

enum { IN_ROWS, IN_COLS, IN_ITERS };
enum { FIRST = 1, SECOND = 2, TILE = 16 };
enum { EAST, WEST, NORTH, SOUTH, IMAGE, COEFFICIENT, FIELDS };

static const double lambda = 0.5;

struct extent {
    size_t rows, cols;
};

/* Index of a neighbour; a pixel at the rim is its own. */
static size_t at(struct extent n, size_t i, size_t k, int di, int dk)
{
    if ((di < 0 && i == 0) || (di > 0 && i == n.rows - 1)) di = 0;
    if ((dk < 0 && k == 0) || (dk > 0 && k == n.cols - 1)) dk = 0;
    return (i + (size_t)di) * n.cols + k + (size_t)dk;
}

/* The field's squared coefficient of variation over a quarter of both sides, as the noise level. */
static float noise(const float *image, struct extent n)
{
    size_t down = n.rows / 4, across = n.cols / 4;
    double sum = 0, square = 0, count = (double)(down * across);
    for (size_t i = 0; i < down; i++)
        for (size_t k = 0; k < across; k++) {
            sum += image[i * n.cols + k];
            square += (double)image[i * n.cols + k] * image[i * n.cols + k];
        }
    double mean = sum / count;
    return (float)((square / count - mean * mean) / (mean * mean));
}

static void reference_1(double *const f[FIELDS], struct extent n, double q0)
{
    for (size_t i = 0; i < n.rows; i++)
        for (size_t k = 0; k < n.cols; k++) {
            size_t me = i * n.cols + k;
            const double *image = f[IMAGE];
            double jc = image[me], dn = image[at(n, i, k, -1, 0)] - jc, ds = image[at(n, i, k, 1, 0)] - jc;
            double dw = image[at(n, i, k, 0, -1)] - jc, de = image[at(n, i, k, 0, 1)] - jc;
            double g2 = (dn * dn + ds * ds + dw * dw + de * de) / (jc * jc), l = (dn + ds + dw + de) / jc;
            double den = 1 + 0.25 * l, q = (0.5 * g2 - l * l / 16) / (den * den);
            double c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
            f[COEFFICIENT][me] = fmin(fmax(c, 0), 1);
            f[EAST][me] = de, f[WEST][me] = dw, f[NORTH][me] = dn, f[SOUTH][me] = ds;
        }
}

static void reference_2(double *const f[FIELDS], struct extent n)
{
    for (size_t i = 0; i < n.rows; i++)
        for (size_t k = 0; k < n.cols; k++) {
            size_t me = i * n.cols + k;
            const double *c = f[COEFFICIENT];
            double d = c[me] * (f[NORTH][me] + f[WEST][me]) + c[at(n, i, k, 1, 0)] * f[SOUTH][me] +
                       c[at(n, i, k, 0, 1)] * f[EAST][me];
            f[IMAGE][me] += 0.25 * lambda * d;
        }
}

struct problem {
    struct extent n;
    size_t count; /* pixels */
    float *field[FIELDS];
    CUdeviceptr device[FIELDS];
    double *want[FIELDS];
};

static void launch(struct job *j, struct problem *p, int kernels, float q0)
{
    CUdeviceptr *d = p->device;
    int cols = (int)p->n.cols;
    float lam = (float)lambda;
    struct shape s = shape_cover(cols, (int64_t)p->n.rows, TILE, TILE);
    if (kernels & FIRST)
        job_launch(j, job_kernel(j, "srad_1"), s, (void *[]){&d[0], &d[1], &d[2], &d[3], &d[4], &d[5], &cols, &q0});
    if (kernels & SECOND)
        job_launch(j, job_kernel(j, "srad_2"), s, (void *[]){&d[0], &d[1], &d[2], &d[3], &d[4], &d[5], &cols, &lam});
    if (j->failed || !j->run->check) return;
    if (kernels & FIRST) reference_1(p->want, p->n, (double)q0);
    if (kernels & SECOND) reference_2(p->want, p->n);
}

static void make_problem(struct job *j, struct problem *p, int kernels)
{
    size_t count = p->count, f = sizeof(float);
    for (unsigned i = 0; i < FIELDS; i++) {
        bool given = i == IMAGE || kernels == SECOND; /* alone, the second kernel works on random fields */
        p->field[i] =
            given ? job_random(j, count, i, i == IMAGE ? 1 : 0, i == IMAGE ? 2.7f : 1) : job_host(j, count, f);
        p->device[i] = job_upload(j, p->field[i], count, f);
        p->want[i] = j->run->check ? job_host(j, count, sizeof(double)) : NULL;
        for (size_t k = 0; p->want[i] && k < count; k++) p->want[i][k] = p->field[i][k];
    }
}

static size_t tiles_of(int64_t side) { return ((size_t)side + TILE - 1) / TILE; }

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    static const char *const names[FIELDS] = {"east", "west", "north", "south", "image", "coefficient"};
    struct job j;
    if (!job_begin(&j, w, r, "srad.ptx")) return 1;
    struct problem p = {.n = {tiles_of(r->in[IN_ROWS]) * TILE, tiles_of(r->in[IN_COLS]) * TILE}};
    p.count = p.n.rows * p.n.cols;
    size_t bytes = p.count * sizeof(float);
    make_problem(&j, &p, kernels);
    for (int64_t i = 0; i < r->in[IN_ITERS] && !j.failed; i++) {
        launch(&j, &p, kernels, noise(p.field[IMAGE], p.n));
        /* The next noise level comes from it. Without a check it stays as it is: a factor, no path depends on it. */
        job_result(&j, p.field[IMAGE], p.device[IMAGE], bytes);
    }
    for (unsigned i = 0; i < FIELDS && !j.failed; i++) {
        job_result(&j, p.field[i], p.device[i], bytes);
        if (r->check && !j.failed) job_compare(&j, names[i], p.field[i], p.want[i], p.count, 1e-3);
    }
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_srad, r, FIRST | SECOND); }
static int run_448(struct workload_run *r) { return execute(&workload_srad_448, r, FIRST | SECOND); }
static int run_1(struct workload_run *r) { return execute(&workload_srad_1, r, FIRST); }
static int run_2(struct workload_run *r) { return execute(&workload_srad_2, r, SECOND); }

#define INPUTS(iterations)                                                                                             \
    {                                                                                                                  \
        {"rows", "rows of the image, a multiple of 16", {64, 256, 2048}, 16, 8192},                                    \
            {"cols", "columns, a multiple of 16: the distance of two rows", {64, 2048, 2048}, 16, 8192},               \
        {                                                                                                              \
            "iters", "iterations", {2, iterations, 2}, 1, 1000                                                         \
        }                                                                                                              \
    }

const struct workload workload_srad = {
    .name = "srad",
    .suite = "rodinia",
    .help = "diffusion on an image, two kernels per iteration, tiles with halo in shared memory",
    .aliases = "rodinia/srad apcm/srd",
    .input = INPUTS(2),
    .run = run,
};

/* Rows of 2048 floats all begin in one set of the cache, rows of 496 do not. */
const struct workload workload_srad_448 = {
    .name = "srad_448",
    .suite = "rodinia",
    .help = "srad on the image of Rodinia's first version (502 x 458) in whole tiles",
    .aliases = "dycache/srad",
    .input = {{"rows", "rows of the image, a multiple of 16", {64, 448, 448}, 16, 8192},
              {"cols", "columns, a multiple of 16: the distance of two rows", {64, 496, 496}, 16, 8192},
              {"iters", "iterations", {2, 2, 2}, 1, 1000}},
    .run = run_448,
};

const struct workload workload_srad_1 = {
    .name = "srad_1",
    .suite = "rodinia",
    .help = "srad's first kernel: derivatives and coefficient, five stores per pixel",
    .aliases = "mascar/srad-1",
    .input = INPUTS(1),
    .run = run_1,
};

const struct workload workload_srad_2 = {
    .name = "srad_2",
    .suite = "rodinia",
    .help = "srad's second kernel: six fields read, the image updated",
    .aliases = "mascar/srad-2",
    .input = INPUTS(1),
    .run = run_2,
};
