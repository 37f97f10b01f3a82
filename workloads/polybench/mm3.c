/* mm3.c - host code of mm3.cu: G = (A B) (C D). */
#include "workloads/polybench/dims.h"
#include "workloads/polybench/product.h"

enum { IN_N, IN_PITCH };

/* E and F are taken as the kernel left them, G from those: each product is checked by itself. */
static void check(struct job *j, float *const m[4], float *const got[3], size_t n, size_t pitch)
{
    static const char *const names[3] = {"e", "f", "g"};
    const float *left[3] = {m[0], m[2], got[0]}, *right[3] = {m[1], m[3], got[1]};
    double *wide = job_host(j, n * n, sizeof *wide);
    for (unsigned p = 0; p < 3; p++) {
        double *want = job_host(j, n * n, sizeof *want);
        if (j->failed) return;
        product_widen(wide, left[p], n, n, pitch);
        product_reference(wide, right[p], want, n, n, pitch);
        for (size_t i = 0; i < n; i++) job_compare(j, names[p], got[p] + i * pitch, want + i * n, n, 1e-3);
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_mm3, r, "mm3.ptx")) return 1;
    int n = (int)r->in[IN_N], pitch = dim(r, IN_PITCH);
    if (pitch < n) job_fail(&j, "pitch=%d: a row has %d columns", pitch, n);
    size_t all = (size_t)n * (size_t)pitch, f = sizeof(float);
    float *m[4], *got[3];
    CUdeviceptr in[4], out[3];
    for (unsigned i = 0; i < 4; i++) {
        m[i] = job_random(&j, all, i, 0, 1);
        in[i] = job_move(&j, m[i], all, f);
    }
    for (unsigned i = 0; i < 3; i++) {
        got[i] = job_host(&j, all, f);
        out[i] = job_upload(&j, got[i], all, f);
    }
    CUfunction kernel = job_kernel_sized(&j, "mm3", pitch);
    struct shape s = shape_cover(n, n, 32, 8);
    job_launch(&j, kernel, s, (void *[]){&in[0], &in[1], &out[0], &n, &n, &pitch});
    job_launch(&j, kernel, s, (void *[]){&in[2], &in[3], &out[1], &n, &n, &pitch});
    job_launch(&j, kernel, s, (void *[]){&out[0], &out[1], &out[2], &n, &n, &pitch});
    for (unsigned i = 0; i < 3; i++) job_result(&j, got[i], out[i], all * f);
    if (r->check && !j.failed) check(&j, m, got, (size_t)n, (size_t)pitch);
    return job_end(&j);
}

const struct workload workload_mm3 = {
    .name = "mm3",
    .suite = "polybench",
    .help = "G = (A B) (C D), sums kept in global memory, three launches",
    .aliases = "3MM polybench/3mm dacache/3mm",
    .input = {{"n", "rows and columns", {48, 224, 512}, 1, 8192},
              {"pitch", "floats from one row to the next; 0: n", {0, 512, 512}, 0, 8192}},
    .run = run,
};
