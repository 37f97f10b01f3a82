/* conv3d.c - host code of conv3d.cu: one launch for each inner plane. */
#include "workloads/polybench/dims.h"

enum { IN_N, IN_NI, IN_NJ, IN_NK };

/* The kernel's terms: coefficient and neighbour. */
static const struct term {
    double c;
    int di, dj, dk;
} terms[] = {
    {2, -1, -1, -1}, {4, 1, -1, -1}, {5, -1, -1, -1}, {7, 1, -1, -1}, {-8, -1, -1, -1},
    {10, 1, -1, -1}, {-3, 0, -1, 0}, {6, 0, 0, 0},    {-9, 0, 1, 0},  {2, -1, -1, 1},
    {4, 1, -1, 1},   {5, -1, 0, 1},  {7, 1, 0, 1},    {-8, -1, 1, 1}, {10, 1, 1, 1},
};

static double point(const float *a, const size_t n[3], size_t i, size_t k, size_t l)
{
    double sum = 0;
    for (unsigned t = 0; t < sizeof terms / sizeof terms[0]; t++) {
        size_t pi = i + (size_t)terms[t].di, pk = k + (size_t)terms[t].dj, pl = l + (size_t)terms[t].dk;
        sum += terms[t].c * a[(pi * n[1] + pk) * n[2] + pl];
    }
    return sum;
}

static void check(struct job *j, const float *a, const float *b, const size_t n[3])
{
    double *want = job_host(j, n[0] * n[1] * n[2], sizeof *want);
    if (j->failed) return;
    for (size_t i = 1; i + 1 < n[0]; i++)
        for (size_t k = 1; k + 1 < n[1]; k++)
            for (size_t l = 1; l + 1 < n[2]; l++) want[(i * n[1] + k) * n[2] + l] = point(a, n, i, k, l);
    job_compare(j, "b", b, want, n[0] * n[1] * n[2], 1e-5);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_conv3d, r, "conv3d.ptx")) return 1;
    int ni = dim(r, IN_NI), nj = dim(r, IN_NJ), nk = dim(r, IN_NK);
    const size_t n[3] = {(size_t)ni, (size_t)nj, (size_t)nk}, count = n[0] * n[1] * n[2], f = sizeof(float);
    float *a = job_host(&j, count, f), *b = job_host(&j, count, f);
    CUdeviceptr da = job_device(&j, count, f), db = job_device(&j, count, f);
    CUfunction kernel = job_kernel_sized(&j, "conv3d", ni <= nj && nj == nk ? nj : 0);
    if (j.failed) return job_end(&j);

    random_floats(a, count, random_new(r->seed, 0), 0, 1);
    job_move_in(&j, da, a, count * f);
    job_copy_in(&j, db, b, count * f);
    for (int i = 1; i < ni - 1; i++)
        job_launch(&j, kernel, shape_cover(nk, nj, 32, 8), (void *[]){&da, &db, &ni, &nj, &nk, &i});
    job_result(&j, b, db, count * f);
    if (r->check) check(&j, a, b, n);
    return job_end(&j);
}

const struct workload workload_conv3d = {
    .name = "conv3d",
    .suite = "polybench",
    .help = "3D convolution, 11 neighbours, one launch per plane",
    .aliases = "3DCONV 3DC polybench/3dconv dacache/3dc",
    .input = {{"n", "planes, rows and columns", {20, 256, 256}, 3, 1024},
              {"ni", "planes; 0: n", {0, 10, 0}, 0, 1024},
              DIM("nj", "rows", 1024),
              DIM("nk", "columns", 1024)},
    .run = run,
};
