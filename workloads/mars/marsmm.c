/* marsmm.c - host code of marsmm.cu: rows of A times rows of transposed B. */
#include "workloads/mars/mars.h"

enum { IN_ROWS, IN_LENGTH };

static void check(struct job *j, const float *a, const float *b, const float *got, size_t rows, size_t length)
{
    double *want = job_host(j, rows * rows, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++)
            for (size_t x = 0; x < length; x++)
                want[i * rows + k] += (double)a[i * length + x] * (double)b[k * length + x];
    job_compare(j, "product", got, want, rows * rows, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_marsmm, r, "marsmm.ptx")) return 1;
    int rows = (int)r->in[IN_ROWS], length = (int)r->in[IN_LENGTH], quads = length / 4, n = rows * rows;
    if (length % 4) job_fail(&j, "length=%d: must be a multiple of 4", length);
    size_t count = (size_t)n, floats = (size_t)rows * (size_t)length;
    int(*task)[4] = job_host(&j, count, sizeof *task);
    float *a = job_random(&j, floats, 0, 0, 1), *b = job_random(&j, floats, 1, 0, 1);
    float *got = job_host(&j, count, sizeof *got);
    for (int t = 0; !j.failed && t < n; t++) task[t][0] = t / rows, task[t][1] = t % rows;
    struct shape s = shape_cover(n, 1, 256, 1);
    CUdeviceptr da = job_upload(&j, a, floats, sizeof *a), db = job_upload(&j, b, floats, sizeof *b);
    CUdeviceptr tasks = job_upload(&j, task, count, sizeof *task), places = job_device(&j, count + 1, sizeof(int));
    job_launch(&j, job_kernel(&j, "marsmm_count"), s, (void *[]){&tasks, &places, &n});
    CUdeviceptr out = mars_output(&j, mars_scan(&j, places, n), sizeof *got);
    job_launch(&j, job_kernel(&j, "marsmm_map"), s, (void *[]){&da, &db, &tasks, &places, &out, &quads, &n});
    job_copy_out(&j, got, out, count * sizeof *got);
    if (r->check && !j.failed) check(&j, a, b, got, (size_t)rows, (size_t)length);
    return job_end(&j);
}

const struct workload workload_marsmm = {
    .name = "marsmm",
    .suite = "mars",
    .help = "matrix multiplication as a map: a broadcast row of A, lanes a row of B apart",
    .aliases = "MM mars/matrixmul apcm/mm",
    .input = {{"rows", "rows of A and of transposed B", {16, 72, 1024}, 1, 4096},
              {"length", "floats of a row", {64, 1024, 1024}, 4, 8192}},
    .run = run,
};
