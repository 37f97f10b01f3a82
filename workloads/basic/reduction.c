/* reduction.c - host code of reduction.cu: many CTAs leave partial sums, one adds them. */
#include "workloads/common.h"

enum { IN_N, IN_BLOCKS };

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_reduction, r, "reduction.ptx")) return 1;
    int n = (int)r->in[IN_N], blocks = (int)r->in[IN_BLOCKS];
    size_t count = (size_t)n;
    float *in = job_host(&j, count, sizeof *in), sum = 0;
    CUdeviceptr din = job_device(&j, count, sizeof(float)), part = job_device(&j, (size_t)blocks, sizeof(float));
    CUdeviceptr total = job_device(&j, 1, sizeof(float));
    CUfunction kernel = job_kernel(&j, "reduce_sum");
    if (j.failed) return job_end(&j);

    random_floats(in, count, random_new(r->seed, 0), 0, 1);
    job_move_in(&j, din, in, count * sizeof *in);
    job_launch(&j, kernel, (struct shape){(unsigned)blocks, 1, 256, 1}, (void *[]){&din, &part, &n});
    job_launch(&j, kernel, (struct shape){1, 1, 256, 1}, (void *[]){&part, &total, &blocks});
    job_result(&j, &sum, total, sizeof sum);
    if (r->check) {
        double want = 0;
        for (size_t i = 0; i < count; i++) want += in[i];
        job_compare(&j, "sum", &sum, &want, 1, 1e-5);
    }
    return job_end(&j);
}

const struct workload workload_reduction = {
    .name = "reduction",
    .suite = "basic",
    .help = "sum of an array: registers, shared-memory tree, second launch",
    .aliases = "reduce",
    .input = {{"n", "elements", {10000, 1 << 20, 1 << 24}, 1, 1 << 28},
              {"blocks", "thread blocks of the first launch", {8, 64, 256}, 1, 65535}},
    .run = run,
};
