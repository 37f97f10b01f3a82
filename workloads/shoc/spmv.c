/* spmv.c - host code of spmv.cu: a random sparse matrix, multiplied in one format or in all three. */
#include "workloads/common.h"

enum { IN_ROWS, IN_NONZEROS, IN_REPEATS };
enum { SCALAR = 1, VECTOR = 2, ELLPACK = 4 };

struct matrix {
    int rows, longest, pitch, *start, *column, *length;
    float *value;
};

/* Square; rows have 1 .. 2 * mean - 1 entries in random columns. */
static void make_matrix(struct job *j, struct matrix *m, int mean)
{
    struct random r = random_new(j->run->seed, 0);
    size_t rows = (size_t)m->rows;
    m->start = job_host(j, rows + 1, sizeof(int));
    m->length = job_host(j, rows, sizeof(int));
    for (size_t i = 0; !j->failed && i < rows; i++) {
        m->length[i] = 1 + (int)random_below(&r, (uint32_t)(2 * mean - 1));
        m->start[i + 1] = m->start[i] + m->length[i];
        if (m->longest < m->length[i]) m->longest = m->length[i];
    }
    size_t entries = j->failed ? 0 : (size_t)m->start[rows];
    m->column = job_host(j, entries, sizeof(int));
    m->value = job_random(j, entries, 1, 0, 1);
    for (size_t e = 0; !j->failed && e < entries; e++) m->column[e] = (int)random_below(&r, (uint32_t)m->rows);
    m->pitch = (m->rows + 31) / 32 * 32; /* every diagonal of the padded format starts a line */
}

static void reference(const struct matrix *m, const float *x, double *want)
{
    for (int i = 0; i < m->rows; i++)
        for (int e = m->start[i]; e < m->start[i + 1]; e++) want[i] += (double)m->value[e] * (double)x[m->column[e]];
}

/* Runs the kernel `repeats` times and compares y. */
static void multiply(struct job *j, struct matrix *m, CUfunction f, struct shape s, CUdeviceptr y, void **params,
                     const double *want)
{
    size_t n = (size_t)m->rows;
    float *got = job_host(j, n, sizeof *got);
    for (int64_t i = 0; i < j->run->in[IN_REPEATS]; i++) job_launch(j, f, s, params);
    job_result(j, got, y, n * sizeof *got);
    if (!j->failed && j->run->check) job_compare(j, "y", got, want, n, 1e-4);
}

static void ellpack(struct job *j, struct matrix *m, CUdeviceptr x, CUdeviceptr y, const double *want)
{
    size_t rows = (size_t)m->rows, pitch = (size_t)m->pitch, count = pitch * (size_t)m->longest;
    int *column = job_host(j, count, sizeof *column);
    float *value = job_host(j, count, sizeof *value);
    for (size_t i = 0; !j->failed && i < rows; i++)
        for (size_t k = 0; k < (size_t)m->length[i]; k++) {
            column[k * pitch + i] = m->column[(size_t)m->start[i] + k];
            value[k * pitch + i] = m->value[(size_t)m->start[i] + k];
        }
    CUdeviceptr dvalue = job_upload(j, value, count, sizeof *value);
    CUdeviceptr dcolumn = job_upload(j, column, count, sizeof *column);
    CUdeviceptr length = job_upload(j, m->length, rows, sizeof(int));
    multiply(j, m, job_kernel(j, "spmv_ellpack"), shape_cover(m->rows, 1, 128, 1), y,
             (void *[]){&dvalue, &dcolumn, &length, &x, &y, &m->rows, &m->pitch}, want);
}

static void compressed(struct job *j, struct matrix *m, CUdeviceptr x, CUdeviceptr y, const double *want, int formats)
{
    size_t rows = (size_t)m->rows, entries = j->failed ? 0 : (size_t)m->start[rows];
    CUdeviceptr value = job_upload(j, m->value, entries, sizeof(float));
    CUdeviceptr column = job_upload(j, m->column, entries, sizeof(int));
    CUdeviceptr start = job_upload(j, m->start, rows + 1, sizeof(int));
    void *params[] = {&value, &column, &start, &x, &y, &m->rows};
    if (formats & SCALAR)
        multiply(j, m, job_kernel(j, "spmv_scalar"), shape_cover(m->rows, 1, 128, 1), y, params, want);
    if (formats & VECTOR)
        multiply(j, m, job_kernel(j, "spmv_vector"), shape_cover(32 * (int64_t)m->rows, 1, 128, 1), y, params, want);
}

static int execute(const struct workload *w, struct workload_run *r, int formats)
{
    struct job j;
    if (!job_begin(&j, w, r, "spmv.ptx")) return 1;
    struct matrix m = {.rows = (int)r->in[IN_ROWS]};
    size_t n = (size_t)m.rows;
    make_matrix(&j, &m, (int)r->in[IN_NONZEROS]);
    float *x = job_random(&j, n, 2, 0, 1);
    double *want = job_host(&j, n, sizeof *want);
    CUdeviceptr dx = job_upload(&j, x, n, sizeof *x), dy = job_device(&j, n, sizeof *x);
    if (!j.failed && r->check) reference(&m, x, want);
    if (formats & (SCALAR | VECTOR)) compressed(&j, &m, dx, dy, want, formats);
    if (formats & ELLPACK) ellpack(&j, &m, dx, dy, want);
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_spmv, r, SCALAR | VECTOR | ELLPACK); }
static int run_scalar(struct workload_run *r) { return execute(&workload_spmv_scalar, r, SCALAR); }
static int run_vector(struct workload_run *r) { return execute(&workload_spmv_vector, r, VECTOR); }
static int run_ellpack(struct workload_run *r) { return execute(&workload_spmv_ellpack, r, ELLPACK); }

#define SPMV(NAME, RUN, HELP, ALIASES)                                                                                 \
    const struct workload workload_##NAME = {                                                                          \
        .name = #NAME,                                                                                                 \
        .suite = "shoc",                                                                                               \
        .help = HELP,                                                                                                  \
        .aliases = ALIASES,                                                                                            \
        .input = {{"rows", "rows and columns", {300, 8192, 1024}, 1, 1 << 20},                                         \
                  {"nonzeros", "entries of a row, on average", {7, 82, 10}, 1, 1024},                                  \
                  {"repeats", "launches of each kernel", {1, 1, 100}, 1, 1000}},                                       \
        .run = RUN,                                                                                                    \
    }

SPMV(spmv, run, "sparse matrix times vector: compressed rows by thread and by warp, ELLPACK", "shoc/spmv dacache/spmv");
SPMV(spmv_scalar, run_scalar, "spmv with compressed rows, a thread per row", "shoc/spmv-csr-scalar");
SPMV(spmv_vector, run_vector, "spmv with compressed rows, a warp per row", "shoc/spmv-csr-vector");
SPMV(spmv_ellpack, run_ellpack, "spmv with rows padded to one length, stored by column", "shoc/spmv-ellpackr");
