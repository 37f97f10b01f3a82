/* conv2d.c - host code of conv2d.cu: a 3 x 3 convolution. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_NI, IN_NJ };

/* The kernel's coefficients, by row and column of the window. */
static const float coefficient[3][3] = {{0.2f, -0.3f, 0.4f}, {0.5f, 0.6f, 0.7f}, {-0.8f, -0.9f, 0.1f}};

static void check(struct job *j, const float *a, const float *b, size_t ni, size_t nj)
{
    double *want = job_host(j, ni * nj, sizeof *want);
    if (j->failed) return;
    for (size_t i = 1; i + 1 < ni; i++)
        for (size_t k = 1; k + 1 < nj; k++)
            for (size_t di = 0; di < 3; di++)
                for (size_t dk = 0; dk < 3; dk++)
                    want[i * nj + k] += (double)coefficient[di][dk] * a[(i + di - 1) * nj + (k + dk - 1)];
    for (size_t i = 1; i + 1 < ni; i++) /* the border is nobody's: the kernel leaves it as it was */
        job_compare(j, "inner row of b", b + i * nj + 1, want + i * nj + 1, nj - 2, 1e-5);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_conv2d, r, "conv2d.ptx")) return 1;
    int ni = dim(r, IN_NI), nj = dim(r, IN_NJ);
    /* A kernel for one size covers the first rows of it: the last CTAs also read the row below. */
    size_t rows = ni < nj ? ((size_t)ni + 7) / 8 * 8 + 1 : (size_t)ni, count = rows * (size_t)nj, f = sizeof(float);
    float *a = job_host(&j, count, f), *b = job_host(&j, count, f);
    CUdeviceptr da = job_device(&j, count, f), db = job_device(&j, count, f);
    CUfunction kernel = job_kernel_sized(&j, "conv2d", ni <= nj ? nj : 0);
    if (j.failed) return job_end(&j);

    random_floats(a, count, random_new(r->seed, 0), 0, 1);
    job_move_in(&j, da, a, count * f);
    job_launch(&j, kernel, shape_cover(nj, ni, 32, 8), (void *[]){&da, &db, &ni, &nj});
    job_result(&j, b, db, count * f);
    if (r->check && !j.failed) check(&j, a, b, (size_t)ni, (size_t)nj);
    return job_end(&j);
}

const struct workload workload_conv2d = {
    .name = "conv2d",
    .suite = "polybench",
    .help = "3 x 3 convolution of an image",
    .aliases = "2DCONV 2DC polybench/2dconv dacache/2dc",
    .input = {{"n", "rows and columns", {100, 4096, 4096}, 3, 32768},
              {"ni", "rows; 0: n", {0, 64, 0}, 0, 32768},
              DIM("nj", "columns", 32768)},
    .run = run,
};
