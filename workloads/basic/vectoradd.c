/* vectoradd.c - host code of vectoradd.cu. */
#include "workloads/common.h"

enum { IN_N };

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_vectoradd, r, "vectoradd.ptx")) return 1;
    int n = (int)r->in[IN_N];
    size_t count = (size_t)n, bytes = count * sizeof(float);
    float *a = job_host(&j, count, sizeof *a), *b = job_host(&j, count, sizeof *b), *c = job_host(&j, count, sizeof *c);
    double *want = job_host(&j, count, sizeof *want);
    CUdeviceptr da = job_device(&j, 1, bytes), db = job_device(&j, 1, bytes), dc = job_device(&j, 1, bytes);
    CUfunction kernel = job_kernel(&j, "vectoradd");
    if (j.failed) return job_end(&j);

    random_floats(a, count, random_new(r->seed, 0), -1, 1);
    random_floats(b, count, random_new(r->seed, 1), -1, 1);
    job_move_in(&j, da, a, bytes);
    job_move_in(&j, db, b, bytes);
    job_launch(&j, kernel, shape_cover(n, 1, 256, 1), (void *[]){&da, &db, &dc, &n});
    job_result(&j, c, dc, bytes);
    if (r->check) {
        for (size_t i = 0; i < count; i++) want[i] = a[i] + b[i];
        job_compare(&j, "c", c, want, count, 0);
    }
    return job_end(&j);
}

const struct workload workload_vectoradd = {
    .name = "vectoradd",
    .suite = "basic",
    .help = "c = a + b, one thread per element",
    .aliases = "vadd vecadd",
    .input = {{"n", "elements", {10000, 1 << 20, 1 << 22}, 1, 1 << 28}},
    .run = run,
};
