/* histogram.c - host code of histogram.cu: counts of 256 byte values. */
#include "workloads/common.h"

enum { IN_N, IN_BLOCKS };
enum { BINS = 256 };

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_histogram, r, "histogram.ptx")) return 1;
    int n = (int)r->in[IN_N], bins[BINS] = {0}, want[BINS] = {0};
    size_t count = (size_t)n;
    uint8_t *data = job_host(&j, count, 1);
    CUdeviceptr ddata = job_device(&j, count, 1), dbins = job_device(&j, BINS, sizeof(int));
    CUfunction kernel = job_kernel(&j, "histogram");
    if (j.failed) return job_end(&j);

    random_bytes(data, count, random_new(r->seed, 0));
    job_copy_in(&j, ddata, data, count);
    job_copy_in(&j, dbins, bins, sizeof bins);
    job_launch(&j, kernel, (struct shape){(unsigned)r->in[IN_BLOCKS], 1, 256, 1}, (void *[]){&ddata, &dbins, &n});
    job_result(&j, bins, dbins, sizeof bins);
    if (r->check) {
        for (size_t i = 0; i < count; i++) want[data[i]]++;
        job_compare(&j, "bins", bins, want, BINS);
    }
    return job_end(&j);
}

const struct workload workload_histogram = {
    .name = "histogram",
    .suite = "basic",
    .help = "256-bin histogram: shared-memory atomics, then a merge in global memory",
    .aliases = "hist",
    .input = {{"n", "bytes", {10000, 1 << 20, 1 << 24}, 1, 1 << 28},
              {"blocks", "thread blocks", {8, 64, 256}, 1, 65535}},
    .run = run,
};
