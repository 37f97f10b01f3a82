/* leukocyte.c - host code of leukocyte.cu: all three kernels, or one whose input the host prepares. */
#include <math.h>

#include "workloads/common.h"

enum { IN_ROWS, IN_COLS, IN_CELLS, IN_STEPS };
enum { GICOV = 1, DILATE = 2, IMGVF = 4 };
enum {
    CIRCLES = 7,
    POINTS = 150,
    MARGIN = 22,
    DISC = 25,
    CELL_ROWS = 41,
    CELL_COLS = 81,
    CELL = CELL_ROWS * CELL_COLS
};

static const struct texels one_float = {CU_AD_FORMAT_FLOAT, 1, 4};
static const float least_change = 1e-6f;

struct tables {
    int x[CIRCLES * POINTS], y[CIRCLES * POINTS];
    float cos[POINTS], sin[POINTS], disc[DISC * DISC];
};

static void make_tables(struct tables *t)
{
    for (int n = 0; n < POINTS; n++) {
        double angle = 2 * 3.14159265358979 * n / POINTS;
        t->cos[n] = (float)cos(angle), t->sin[n] = (float)sin(angle);
        for (int c = 0; c < CIRCLES; c++) {
            int radius = 8 + 2 * c;
            t->x[c * POINTS + n] = (int)floor(radius * cos(angle) + 0.5);
            t->y[c * POINTS + n] = (int)floor(radius * sin(angle) + 0.5);
        }
    }
    for (int i = 0; i < DISC; i++)
        for (int k = 0; k < DISC; k++) {
            int y = i - DISC / 2, x = k - DISC / 2;
            t->disc[i * DISC + k] = x * x + y * y <= DISC / 2 * (DISC / 2) ? 1 : 0;
        }
}

struct picture {
    int rows, cols;
    size_t pixels;
    struct tables t;
};

/* ---- references ---- */

static double gicov_at(const struct picture *p, const float *gx, const float *gy, int row, int col)
{
    double best = 0;
    for (int c = 0; c < CIRCLES; c++) {
        double sum = 0, squares = 0;
        for (int n = 0; n < POINTS; n++) {
            int at = (col + p->t.x[c * POINTS + n]) * p->rows + row + p->t.y[c * POINTS + n];
            double v = (double)gx[at] * (double)p->t.cos[n] + (double)gy[at] * (double)p->t.sin[n];
            sum += v, squares += v * v;
        }
        double mean = sum / POINTS, variance = (squares - sum * mean) / (POINTS - 1);
        best = fmax(best, mean * mean / variance);
    }
    return best;
}

static void check_gicov(struct job *j, const struct picture *p, const float *gx, const float *gy, const float *got)
{
    double *want = job_host(j, p->pixels, sizeof *want);
    if (j->failed) return;
    for (int col = MARGIN; col < p->cols - MARGIN; col++)
        for (int row = MARGIN; row < p->rows - MARGIN; row++) want[col * p->rows + row] = gicov_at(p, gx, gy, row, col);
    job_compare(j, "gicov", got, want, p->pixels, 1e-3);
}

/* A maximum has no rounding: the values must be equal. */
static void check_dilate(struct job *j, const struct picture *p, const float *in, const float *got)
{
    for (int col = 0; col < p->cols && !j->failed; col++)
        for (int row = 0; row < p->rows && !j->failed; row++) {
            float best = 0;
            for (int x = col > 12 ? col - 12 : 0; x <= col + 12 && x < p->cols; x++)
                for (int y = row > 12 ? row - 12 : 0; y <= row + 12 && y < p->rows; y++)
                    if (p->t.disc[(y - row + 12) * DISC + x - col + 12] != 0) best = fmaxf(best, in[x * p->rows + y]);
            int at = col * p->rows + row;
            if (got[at] != best) job_fail(j, "dilated[%d] is %.9g, should be %.9g", at, (double)got[at], (double)best);
        }
    j->checked += p->pixels;
}

static double pull(const double *u, double here, int row, int col)
{
    row = row < 0 ? 0 : row < CELL_ROWS ? row : CELL_ROWS - 1;
    col = col < 0 ? 0 : col < CELL_COLS ? col : CELL_COLS - 1;
    double d = u[row * CELL_COLS + col] - here;
    return (atan(d * 50) / 3.14159265358979 + 0.5) * d;
}

static void imgvf_cell(double *u, double *next, const float *image, int64_t steps)
{
    for (int e = 0; e < CELL; e++) u[e] = (double)image[e];
    for (int64_t s = 0; s < steps; s++) {
        double change = 0;
        for (int e = 0; e < CELL; e++) {
            int row = e / CELL_COLS, col = e % CELL_COLS;
            double sum = 0, shown = (double)image[e];
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) sum += pull(u, u[e], row + dy, col + dx); /* itself: 0 */
            next[e] = u[e] + 0.1 * sum;
            next[e] -= 0.2 * shown * (next[e] - shown);
            change += fabs(next[e] - u[e]);
        }
        for (int e = 0; e < CELL; e++) u[e] = next[e];
        if (change < (double)least_change * CELL) break;
    }
}

static void check_imgvf(struct job *j, const float *images, const float *got, size_t cells)
{
    double *want = job_host(j, (cells + 1) * CELL, sizeof *want);
    if (j->failed) return;
    for (size_t c = 0; c < cells; c++)
        imgvf_cell(want + c * CELL, want + cells * CELL, images + c * CELL, j->run->in[IN_STEPS]);
    job_compare(j, "field", got, want, cells * CELL, 1e-3);
}

/* ---- the kernels ---- */

static float *run_gicov(struct job *j, const struct picture *p, CUdeviceptr out)
{
    float *gx = job_random(j, p->pixels, 0, -1, 1), *gy = job_random(j, p->pixels, 1, -1, 1);
    float *got = job_host(j, p->pixels, sizeof *got);
    CUdeviceptr dx = job_upload(j, gx, p->pixels, 4), dy = job_upload(j, gy, p->pixels, 4);
    CUtexObject tx = job_texture(j, dx, p->pixels, one_float), ty = job_texture(j, dy, p->pixels, one_float);
    int rows = p->rows;
    job_copy_to(j, "circle_x", p->t.x, sizeof p->t.x);
    job_copy_to(j, "circle_y", p->t.y, sizeof p->t.y);
    job_copy_to(j, "angle_cos", p->t.cos, sizeof p->t.cos);
    job_copy_to(j, "angle_sin", p->t.sin, sizeof p->t.sin);
    job_launch(j, job_kernel(j, "leukocyte_gicov"),
               (struct shape){(unsigned)(p->cols - 2 * MARGIN), 1, (unsigned)(p->rows - 2 * MARGIN), 1},
               (void *[]){&tx, &ty, &out, &rows});
    job_result(j, got, out, p->pixels * 4);
    if (!j->failed && j->run->check) check_gicov(j, p, gx, gy, got);
    return got;
}

static void run_dilate(struct job *j, const struct picture *p, CUdeviceptr image, const float *in)
{
    float *got = job_host(j, p->pixels, sizeof *got);
    CUdeviceptr out = job_device(j, p->pixels, 4);
    CUtexObject texture = job_texture(j, image, p->pixels, one_float);
    int rows = p->rows, cols = p->cols;
    job_copy_to(j, "disc", p->t.disc, sizeof p->t.disc);
    job_launch(j, job_kernel(j, "leukocyte_dilate"), shape_cover((int64_t)p->pixels, 1, 176, 1),
               (void *[]){&texture, &out, &rows, &cols});
    job_result(j, got, out, p->pixels * 4);
    if (!j->failed && j->run->check) check_dilate(j, p, in, got);
}

static void run_imgvf(struct job *j)
{
    size_t cells = (size_t)j->run->in[IN_CELLS], n = cells * CELL;
    int steps = (int)j->run->in[IN_STEPS];
    float *images = job_random(j, n, 3, 0, 1), *got = job_host(j, n, sizeof *got), change = least_change;
    CUdeviceptr in = job_upload(j, images, n, 4), out = job_device(j, n, 4);
    job_launch(j, job_kernel(j, "leukocyte_imgvf"), (struct shape){(unsigned)cells, 1, 320, 1},
               (void *[]){&in, &out, &steps, &change});
    job_result(j, got, out, n * 4);
    if (!j->failed && j->run->check) check_imgvf(j, images, got, cells);
}

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    struct job j;
    if (!job_begin(&j, w, r, "leukocyte.ptx")) return 1;
    struct picture p = {.rows = (int)r->in[IN_ROWS], .cols = (int)r->in[IN_COLS]};
    p.pixels = (size_t)p.rows * (size_t)p.cols;
    make_tables(&p.t);
    if (kernels & (GICOV | DILATE)) {
        float *image = kernels & GICOV ? job_host(&j, p.pixels, 4) : job_random(&j, p.pixels, 2, 0, 1);
        CUdeviceptr gicov = job_upload(&j, image, p.pixels, 4);
        if (kernels & GICOV) image = run_gicov(&j, &p, gicov);
        if (kernels & DILATE) run_dilate(&j, &p, gicov, image);
    }
    if (kernels & IMGVF) run_imgvf(&j);
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_leukocyte, r, GICOV | DILATE | IMGVF); }
static int run_1(struct workload_run *r) { return execute(&workload_leukocyte_1, r, GICOV); }
static int run_2(struct workload_run *r) { return execute(&workload_leukocyte_2, r, DILATE); }
static int run_3(struct workload_run *r) { return execute(&workload_leukocyte_3, r, IMGVF); }

#define LEUKOCYTE(NAME, RUN, COLS, CELLS, HELP, ALIASES)                                                               \
    const struct workload workload_##NAME = {                                                                          \
        .name = #NAME,                                                                                                 \
        .suite = "rodinia",                                                                                            \
        .help = HELP,                                                                                                  \
        .aliases = ALIASES,                                                                                            \
        .input = {{"rows", "rows of the image", {50, 219, 219}, 45, 1024 + 44},                                        \
                  {"cols", "columns of the image", {47, COLS, 640}, 45, 1 << 14},                                      \
                  {"cells", "cells to follow", {1, CELLS, 36}, 1, 1 << 12},                                            \
                  {"steps", "steps of the flow", {2, 10, 500}, 1, 10000}},                                             \
        .run = RUN,                                                                                                    \
    }

LEUKOCYTE(leukocyte, run, 56, 4, "white blood cells: circles, dilation, flow; textures", "rodinia/leukocyte");
LEUKOCYTE(leukocyte_1, run_1, 119, 15, "leukocyte's circles: two 1-D textures, a CTA a column", "mascar/leuko-1");
LEUKOCYTE(leukocyte_2, run_2, 104, 15, "leukocyte's dilation: a 1-D texture, a disc in constant memory",
          "mascar/leuko-2");
LEUKOCYTE(leukocyte_3, run_3, 104, 15, "leukocyte's flow: a cell in shared memory, arctangents", "mascar/leuko-3");
