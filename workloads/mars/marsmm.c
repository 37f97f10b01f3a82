/* marsmm.c - host code of marsmm.cu: rows of A times rows of transposed B. */
#include "workloads/mars/mars.h"

enum { IN_COLUMNS, IN_TASKS, IN_LENGTH, IN_PITCH };

struct problem {
    int columns, tasks, length, pitch;
    size_t rows; /* of A that are needed */
    float *a, *b;
    CUdeviceptr da, db;
};

static void make_problem(struct job *j, struct problem *p)
{
    const int64_t *in = j->run->in;
    *p = (struct problem){.columns = (int)in[IN_COLUMNS], .length = (int)in[IN_LENGTH]};
    p->tasks = in[IN_TASKS] ? (int)in[IN_TASKS] : p->columns * p->columns;
    p->pitch = in[IN_PITCH] ? (int)in[IN_PITCH] : p->length;
    if (p->length % 4) job_fail(j, "length=%d: must be a multiple of 4", p->length);
    if (p->pitch % 4) job_fail(j, "pitch=%d: must be a multiple of 4", p->pitch);
    if (p->pitch < p->length) job_fail(j, "pitch=%d: a row has %d floats", p->pitch, p->length);
    if (p->tasks > p->columns * p->columns)
        job_fail(j, "tasks=%d: the product has %d elements", p->tasks, p->columns * p->columns);
    p->rows = ((size_t)p->tasks + (size_t)p->columns - 1) / (size_t)p->columns;
    size_t pitch = (size_t)p->pitch, columns = (size_t)p->columns;
    p->a = job_random(j, p->rows * pitch, 0, 0, 1), p->b = job_random(j, columns * pitch, 1, 0, 1);
    p->da = job_upload(j, p->a, p->rows * pitch, sizeof *p->a),
    p->db = job_upload(j, p->b, columns * pitch, sizeof *p->b);
}

static void check(struct job *j, const struct problem *p, const float *got)
{
    size_t n = (size_t)p->tasks, columns = (size_t)p->columns, pitch = (size_t)p->pitch;
    double *want = job_host(j, n, sizeof *want);
    for (size_t t = 0; !j->failed && t < n; t++)
        for (size_t x = 0; x < (size_t)p->length; x++)
            want[t] += (double)p->a[t / columns * pitch + x] * (double)p->b[t % columns * pitch + x];
    if (!j->failed) job_compare(j, "product", got, want, n, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_marsmm, r, "marsmm.ptx")) return 1;
    struct problem p;
    make_problem(&j, &p);
    int n = p.tasks, quads = p.length / 4, pitch = p.pitch / 4;
    size_t count = (size_t)n;
    int(*task)[4] = job_host(&j, count, sizeof *task);
    float *got = job_host(&j, count, sizeof *got);
    for (int t = 0; !j.failed && t < n; t++) task[t][0] = t / p.columns, task[t][1] = t % p.columns;
    struct shape s = shape_cover(n, 1, 256, 1);
    CUdeviceptr tasks = job_upload(&j, task, count, sizeof *task), places = job_device(&j, count + 1, sizeof(int));
    job_launch(&j, job_kernel(&j, "marsmm_count"), s, (void *[]){&tasks, &places, &n});
    CUdeviceptr out = mars_output(&j, mars_scan(&j, places, n), sizeof *got);
    job_launch(&j, job_kernel(&j, "marsmm_map"), s,
               (void *[]){&p.da, &p.db, &tasks, &places, &out, &quads, &pitch, &n});
    job_result(&j, got, out, count * sizeof *got);
    if (r->check && !j.failed) check(&j, &p, got);
    return job_end(&j);
}

const struct workload workload_marsmm = {
    .name = "marsmm",
    .suite = "mars",
    .help = "matrix multiplication as a map: a broadcast row of A, lanes a row of B apart",
    .aliases = "MM mars/matrixmul apcm/mm",
    .input =
        {{"columns", "rows of transposed B", {16, 2048, 2048}, 1, 4096},
         {"tasks", "elements that are computed, row by row; 0: columns x columns", {0, 23040, 1 << 18}, 0, 1 << 24},
         {"length", "floats of a row that are multiplied", {64, 256, 2048}, 4, 8192},
         {"pitch", "floats from one row to the next; 0: length", {0, 2048, 2048}, 0, 8192}},
    .run = run,
};
