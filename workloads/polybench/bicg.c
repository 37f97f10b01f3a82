/* bicg.c - host code of bicg.cu: s = A^T r, q = A p. */
#include "workloads/polybench/pitched.h"

enum { IN_N, IN_NX, IN_NY };

struct arrays {
    float *a, *r, *s, *p, *q;
};

static void check(struct job *j, const struct arrays *h, size_t nx, size_t ny)
{
    double *s = job_host(j, ny, sizeof *s), *q = job_host(j, nx, sizeof *q);
    if (j->failed) return;
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) {
            s[k] += (double)h->a[i * ny + k] * h->r[i];
            q[i] += (double)h->a[i * ny + k] * h->p[k];
        }
    job_compare(j, "s", h->s, s, ny, 1e-3);
    job_compare(j, "q", h->q, q, nx, 1e-3);
}

/* With a pitch or a loop of its own. */
static int run_pitched(struct workload_run *r)
{
    struct job j;
    struct pitched a;
    if (!job_begin(&j, &workload_bicg, r, "pitched.ptx")) return 1;
    pitched_make(&j, &a);
    size_t nx = (size_t)(a.nx > a.by_col ? a.nx : a.by_col), ny = (size_t)(a.ny > a.by_row ? a.ny : a.by_row),
           f = sizeof(float);
    float *rr = job_random(&j, nx, 1, 0, 1), *p = job_random(&j, ny, 2, 0, 1), *s = job_host(&j, ny, f),
          *q = job_host(&j, nx, f);
    CUdeviceptr dr = job_upload(&j, rr, nx, f), dp = job_upload(&j, p, ny, f), ds = job_upload(&j, s, ny, f),
                dq = job_upload(&j, q, nx, f);
    pitched_cols(&j, &a, "bicg_s", dr, ds);
    pitched_rows(&j, &a, "bicg_q", dp, dq);
    job_result(&j, s, ds, ny * f);
    job_result(&j, q, dq, nx * f);
    double *want_s = job_host(&j, ny, sizeof *want_s), *want_q = job_host(&j, nx, sizeof *want_q);
    if (r->check && !j.failed) {
        reference_cols(&a, rr, want_s);
        reference_rows(&a, p, want_q);
        job_compare(&j, "s", s, want_s, (size_t)a.ny, 1e-3);
        job_compare(&j, "q", q, want_q, (size_t)a.nx, 1e-3);
    }
    return job_end(&j);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (is_pitched(r)) return run_pitched(r);
    if (!job_begin(&j, &workload_bicg, r, "bicg.ptx")) return 1;
    int nx = dim(r, IN_NX), ny = dim(r, IN_NY), size = nx == ny ? nx : 0;
    size_t rows = (size_t)nx, cols = (size_t)ny, f = sizeof(float);
    struct arrays h = {job_host(&j, rows * cols, f), job_host(&j, rows, f), job_host(&j, cols, f),
                       job_host(&j, cols, f), job_host(&j, rows, f)};
    CUdeviceptr a = job_device(&j, rows * cols, f), dr = job_device(&j, rows, f), s = job_device(&j, cols, f);
    CUdeviceptr p = job_device(&j, cols, f), q = job_device(&j, rows, f);
    CUfunction kernel_s = job_kernel_sized(&j, "bicg_s", size), kernel_q = job_kernel_sized(&j, "bicg_q", size);
    if (j.failed) return job_end(&j);

    random_floats(h.a, rows * cols, random_new(r->seed, 0), 0, 1);
    random_floats(h.r, rows, random_new(r->seed, 1), 0, 1);
    random_floats(h.p, cols, random_new(r->seed, 2), 0, 1);
    job_move_in(&j, a, h.a, rows * cols * f);
    job_copy_in(&j, dr, h.r, rows * f);
    job_copy_in(&j, s, h.s, cols * f);
    job_copy_in(&j, p, h.p, cols * f);
    job_copy_in(&j, q, h.q, rows * f);
    job_launch(&j, kernel_s, shape_cover(ny, 1, 256, 1), (void *[]){&a, &dr, &s, &nx, &ny});
    job_launch(&j, kernel_q, shape_cover(nx, 1, 256, 1), (void *[]){&a, &p, &q, &nx, &ny});
    job_result(&j, h.s, s, cols * f);
    job_result(&j, h.q, q, rows * f);
    if (r->check) check(&j, &h, rows, cols);
    return job_end(&j);
}

const struct workload workload_bicg = {
    .name = "bicg",
    .suite = "polybench",
    .help = "s = A^T r and q = A p: a column per thread, then a row per thread",
    .aliases = "polybench/bicg dacache/bicg",
    .input = {{"n", "rows and columns", {128, 8192, 8192}, 1, 32768},
              DIM("nx", "rows", 32768),
              DIM("ny", "columns", 32768),
              PITCH_INPUTS},
    .run = run,
};
