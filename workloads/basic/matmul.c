/* matmul.c - host code of matmul.cu: C = A B in tiles of shared memory. */
#include "workloads/common.h"

enum { IN_N, IN_TILE };

static void reference(const float *a, const float *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) /* k outside j: B is walked along its rows */
            for (int j = 0; j < n; j++) c[i * n + j] += (double)a[i * n + k] * b[k * n + j];
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_matmul, r, "matmul.ptx")) return 1;
    int n = (int)r->in[IN_N];
    unsigned tile = (unsigned)r->in[IN_TILE], rows = tile == 32 ? 8 : 16;
    if (tile != 16 && tile != 32) job_fail(&j, "tile=%u: must be 16 or 32", tile);
    size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    float *a = job_host(&j, count, sizeof *a), *b = job_host(&j, count, sizeof *b), *c = job_host(&j, count, sizeof *c);
    CUdeviceptr da = job_device(&j, 1, bytes), db = job_device(&j, 1, bytes), dc = job_device(&j, 1, bytes);
    CUfunction kernel = job_kernel(&j, tile == 32 ? "matmul_32" : "matmul_16");
    if (j.failed) return job_end(&j);

    random_floats(a, count, random_new(r->seed, 0), 0, 1);
    random_floats(b, count, random_new(r->seed, 1), 0, 1);
    job_copy_in(&j, da, a, bytes);
    job_copy_in(&j, db, b, bytes);
    struct shape s = shape_cover(n, n, tile, tile); /* a block covers a square with fewer threads */
    s.block_y = rows;
    job_launch(&j, kernel, s, (void *[]){&da, &db, &dc, &n});
    job_result(&j, c, dc, bytes);
    double *want = r->check ? job_host(&j, count, sizeof *want) : NULL;
    if (want) {
        reference(a, b, want, n);
        job_compare(&j, "c", c, want, count, 1e-4);
    }
    return job_end(&j);
}

const struct workload workload_matmul = {
    .name = "matmul",
    .suite = "basic",
    .help = "matrix product in shared-memory tiles",
    .aliases = "matmul_tiled",
    .input = {{"n", "rows and columns", {70, 256, 1024}, 1, 8192},
              {"tile", "16: 16x16 threads; 32: 32x8 threads, four elements each", {16, 16, 16}, 16, 32}},
    .run = run,
};
