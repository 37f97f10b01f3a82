/* hybridsort.c - host code of hybridsort.cu: keys with a triangular distribution. */
#include "workloads/common.h"

enum { IN_N };
enum { BINS = 1024, THREADS = 96, CTAS = 64 };

static void check(struct job *j, const float *keys, const int *got, size_t n, float low, float range)
{
    int *want = job_host(j, BINS, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < n; i++) {
        int bin = (int)((keys[i] - low) / range * BINS); /* in float, as the kernel does */
        want[bin < BINS ? bin : BINS - 1]++;
    }
    job_compare(j, "total", got, want, BINS);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_hybridsort, r, "hybridsort.ptx")) return 1;
    int n = (int)r->in[IN_N], *got = job_host(&j, BINS, sizeof *got);
    size_t count = (size_t)n;
    float *keys = job_random(&j, count, 0, 0, 1), *more = job_random(&j, count, 1, 0, 1), low = 0, range = 2;
    for (size_t i = 0; !j.failed && i < count; i++) keys[i] += more[i];
    CUdeviceptr dkeys = job_upload(&j, keys, count, sizeof *keys), total = job_upload(&j, got, BINS, sizeof *got);
    job_launch(&j, job_kernel(&j, "hybridsort_histogram"), (struct shape){CTAS, 1, THREADS, 1},
               (void *[]){&dkeys, &total, &low, &range, &n});
    job_result(&j, got, total, BINS * sizeof *got);
    if (r->check && !j.failed) check(&j, keys, got, count, low, range);
    return job_end(&j);
}

const struct workload workload_hybridsort = {
    .name = "hybridsort",
    .suite = "rodinia",
    .help = "histogram of 1024 buckets, counted in shared memory without atomics",
    .aliases = "rodinia/hybridsort mascar/histogram",
    .input = {{"n", "keys", {20000, 1 << 20, 1 << 22}, 1, 1 << 26}},
    .run = run,
};
