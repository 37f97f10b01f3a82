/* syrk.c - host code of syrk.cu: the first rows of C = alpha A A^T + beta C, with A of n x m. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_M, IN_ROWS, IN_PITCH };

static const float alpha = 1.25f, beta = 0.5f;

struct problem {
    int n, m, rows, pitch;
    float *a, *c; /* rows `pitch` apart, of which the first m columns are used; rows of C before the update */
};

static void check(struct job *j, const struct problem *p, const float *got)
{
    size_t n = (size_t)p->n, m = (size_t)p->m, rows = (size_t)p->rows, pitch = (size_t)p->pitch;
    double *want = job_host(j, rows * n, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++) sum += (double)p->a[i * pitch + l] * p->a[k * pitch + l];
            want[i * n + k] = (double)beta * p->c[i * n + k] + (double)alpha * sum;
        }
    job_compare(j, "c", got, want, rows * n, 1e-3);
}

static void launch(struct job *j, struct problem *p, CUdeviceptr a, CUdeviceptr c)
{
    float al = alpha, be = beta;
    struct shape s = shape_cover(p->n, p->rows, 32, 8);
    if (j->run->in[IN_ROWS] || j->run->in[IN_PITCH])
        job_launch(j, job_kernel_sized(j, "syrk_rows", p->pitch), s,
                   (void *[]){&a, &c, &al, &be, &p->n, &p->rows, &p->m, &p->pitch});
    else
        job_launch(j, job_kernel_sized(j, "syrk", p->n == p->m ? p->n : 0), s,
                   (void *[]){&a, &c, &al, &be, &p->n, &p->m});
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_syrk, r, "syrk.ptx")) return 1;
    struct problem p = {.n = (int)r->in[IN_N], .m = dim(r, IN_M), .rows = dim(r, IN_ROWS)};
    p.pitch = r->in[IN_PITCH] ? (int)r->in[IN_PITCH] : p.m;
    if (p.rows > p.n) job_fail(&j, "rows=%d: C has n=%d rows", p.rows, p.n);
    if (p.pitch < p.m) job_fail(&j, "pitch=%d: a row has %d columns", p.pitch, p.m);
    size_t count = (size_t)p.rows * (size_t)p.n, floats = (size_t)p.n * (size_t)p.pitch, f = sizeof(float);
    p.a = job_random(&j, floats, 0, 0, 1), p.c = job_random(&j, count, 1, 0, 1);
    CUdeviceptr a = job_upload(&j, p.a, floats, f), c = job_upload(&j, p.c, count, f);
    float *got = job_host(&j, count, f);
    if (!j.failed) launch(&j, &p, a, c);
    job_result(&j, got, c, count * f);
    if (r->check && !j.failed) check(&j, &p, got);
    return job_end(&j);
}

const struct workload workload_syrk = {
    .name = "syrk",
    .suite = "polybench",
    .help = "C = alpha A A^T + beta C: lanes a row of A apart",
    .aliases = "SYR polybench/syrk dacache/syr",
    .input = {{"n", "rows of A, rows and columns of C", {64, 512, 512}, 1, 8192},
              {"m", "columns of A: terms of a sum; 0: n", {0, 256, 512}, 0, 8192},
              {"rows", "rows of C that are computed; 0: n", {0, 96, 512}, 0, 8192},
              {"pitch", "floats from one row of A to the next; 0: m", {0, 512, 512}, 0, 8192}},
    .run = run,
};
