/* histogram_sdk.c - host code of histogram_sdk.cu: both histograms of the same bytes. */
#include "workloads/common.h"

enum { IN_BYTES };
enum { THREADS64 = 64, LOADS64 = 15, THREADS256 = 192, PARTIALS256 = 240 };

static void check(struct job *j, const uint8_t *data, size_t bytes, const int *got, int bins)
{
    int want[256] = {0};
    for (size_t i = 0; i < bytes; i++) want[data[i] * bins / 256]++;
    job_compare(j, bins == 64 ? "histogram64" : "histogram256", got, want, (size_t)bins);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_histogram_sdk, r, "histogram_sdk.ptx")) return 1;
    size_t bytes = 16 * (size_t)r->in[IN_BYTES];
    uint8_t *data = job_host(&j, bytes, 1);
    if (data) random_bytes(data, bytes, random_new(r->seed, 0));
    int fours = (int)(bytes / 16), words = (int)(bytes / 4), got64[64] = {0}, got256[256] = {0};
    int partials64 = (fours + THREADS64 * LOADS64 - 1) / (THREADS64 * LOADS64), partials256 = PARTIALS256;
    CUdeviceptr ddata = job_move(&j, data, bytes, 1), partial64 = job_device(&j, 64 * (size_t)partials64, 4);
    CUdeviceptr partial256 = job_device(&j, 256 * PARTIALS256, 4), out64 = job_device(&j, 64, 4),
                out256 = job_device(&j, 256, 4);
    CUfunction merge = job_kernel(&j, "histogram_merge");
    job_launch(&j, job_kernel(&j, "histogram64"), (struct shape){(unsigned)partials64, 1, THREADS64, 1},
               (void *[]){&ddata, &partial64, &fours});
    job_launch(&j, merge, (struct shape){64, 1, 256, 1}, (void *[]){&partial64, &out64, &partials64});
    job_launch(&j, job_kernel(&j, "histogram256"), (struct shape){PARTIALS256, 1, THREADS256, 1},
               (void *[]){&ddata, &partial256, &words});
    job_launch(&j, merge, (struct shape){256, 1, 256, 1}, (void *[]){&partial256, &out256, &partials256});
    job_result(&j, got64, out64, sizeof got64);
    job_result(&j, got256, out256, sizeof got256);
    if (!j.failed && r->check) {
        check(&j, data, bytes, got64, 64);
        if (!j.failed) check(&j, data, bytes, got256, 256);
    }
    return job_end(&j);
}

const struct workload workload_histogram_sdk = {
    .name = "histogram_sdk",
    .suite = "sdk",
    .help = "histograms of bytes with 64 and 256 bins, partial ones added by a CTA a bin",
    .aliases = "HG sdk/histogram hac/hg",
    .input = {{"size", "bytes, in 16", {1000, 1 << 18, 1 << 22}, 1, 1 << 26}},
    .run = run,
};
