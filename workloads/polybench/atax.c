/* atax.c - host code of atax.cu: y = A^T (A x). */
#include "workloads/polybench/pitched.h"

enum { IN_N, IN_NX, IN_NY };

struct arrays {
    float *a, *x, *y, *tmp;
};

static void reference(const struct arrays *h, double *tmp, double *y, size_t nx, size_t ny)
{
    for (size_t i = 0; i < nx; i++) {
        for (size_t j = 0; j < ny; j++) tmp[i] += (double)h->a[i * ny + j] * h->x[j];
        for (size_t j = 0; j < ny; j++) y[j] += (double)h->a[i * ny + j] * tmp[i];
    }
}

static void check(struct job *j, const struct arrays *h, size_t nx, size_t ny)
{
    double *tmp = job_host(j, nx, sizeof *tmp), *y = job_host(j, ny, sizeof *y);
    if (j->failed) return;
    reference(h, tmp, y, nx, ny);
    job_compare(j, "tmp", h->tmp, tmp, nx, 1e-3);
    job_compare(j, "y", h->y, y, ny, 1e-3);
}

/* With a pitch or a loop of its own. The second product takes what the first left, so it is checked
 * against that. */
static int run_pitched(struct workload_run *r)
{
    struct job j;
    struct pitched p;
    if (!job_begin(&j, &workload_atax, r, "pitched.ptx")) return 1;
    pitched_make(&j, &p);
    size_t nx = (size_t)(p.nx > p.by_col ? p.nx : p.by_col), ny = (size_t)(p.ny > p.by_row ? p.ny : p.by_row),
           f = sizeof(float);
    float *x = job_random(&j, ny, 1, 0, 1), *tmp = job_host(&j, nx, f), *y = job_host(&j, ny, f);
    CUdeviceptr dx = job_upload(&j, x, ny, f), dtmp = job_upload(&j, tmp, nx, f), dy = job_upload(&j, y, ny, f);
    pitched_rows(&j, &p, "atax_rows", dx, dtmp);
    pitched_cols(&j, &p, "atax_cols", dtmp, dy);
    job_result(&j, tmp, dtmp, nx * f);
    job_result(&j, y, dy, ny * f);
    double *want_tmp = job_host(&j, nx, sizeof *want_tmp), *want_y = job_host(&j, ny, sizeof *want_y);
    if (r->check && !j.failed) {
        reference_rows(&p, x, want_tmp);
        reference_cols(&p, tmp, want_y);
        job_compare(&j, "tmp", tmp, want_tmp, (size_t)p.nx, 1e-3);
        job_compare(&j, "y", y, want_y, (size_t)p.ny, 1e-3);
    }
    return job_end(&j);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (is_pitched(r)) return run_pitched(r);
    if (!job_begin(&j, &workload_atax, r, "atax.ptx")) return 1;
    int nx = dim(r, IN_NX), ny = dim(r, IN_NY), size = nx == ny ? nx : 0;
    size_t rows = (size_t)nx, cols = (size_t)ny, f = sizeof(float);
    struct arrays h = {job_host(&j, rows * cols, f), job_host(&j, cols, f), job_host(&j, cols, f),
                       job_host(&j, rows, f)};
    CUdeviceptr a = job_device(&j, rows * cols, f), x = job_device(&j, cols, f), y = job_device(&j, cols, f);
    CUdeviceptr tmp = job_device(&j, rows, f);
    CUfunction by_rows = job_kernel_sized(&j, "atax_rows", size), by_cols = job_kernel_sized(&j, "atax_cols", size);
    if (j.failed) return job_end(&j);

    random_floats(h.a, rows * cols, random_new(r->seed, 0), 0, 1);
    random_floats(h.x, cols, random_new(r->seed, 1), 0, 1);
    job_move_in(&j, a, h.a, rows * cols * f);
    job_copy_in(&j, x, h.x, cols * f);
    job_copy_in(&j, y, h.y, cols * f);
    job_copy_in(&j, tmp, h.tmp, rows * f);
    job_launch(&j, by_rows, shape_cover(nx, 1, 256, 1), (void *[]){&a, &x, &tmp, &nx, &ny});
    job_launch(&j, by_cols, shape_cover(ny, 1, 256, 1), (void *[]){&a, &y, &tmp, &nx, &ny});
    job_result(&j, h.y, y, cols * f);
    job_result(&j, h.tmp, tmp, rows * f);
    if (r->check) check(&j, &h, rows, cols);
    return job_end(&j);
}

const struct workload workload_atax = {
    .name = "atax",
    .suite = "polybench",
    .help = "y = A^T (A x): a row per thread, then a column per thread",
    .aliases = "polybench/atax dacache/atax",
    .input = {{"n", "rows and columns", {128, 8192, 8192}, 1, 32768},
              DIM("nx", "rows", 32768),
              DIM("ny", "columns", 32768),
              PITCH_INPUTS},
    .run = run,
};
