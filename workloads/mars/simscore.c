/* simscore.c - host code of simscore.cu: pairs of documents. */
#include <math.h>

#include "workloads/mars/mars.h"

enum { IN_DOCUMENTS, IN_FEATURES, IN_TASKS };

static double score(const float *a, const float *b, size_t features)
{
    double product = 0, norm_a = 0, norm_b = 0;
    for (size_t i = 0; i < features; i++) {
        product += (double)a[i] * (double)b[i];
        norm_a += (double)a[i] * (double)a[i];
        norm_b += (double)b[i] * (double)b[i];
    }
    return product / sqrt(norm_a * norm_b);
}

static void check(struct job *j, const float *feature, int (*task)[4], const float *got, size_t n, size_t features)
{
    double *want = job_host(j, n, sizeof *want);
    for (size_t t = 0; !j->failed && t < n; t++)
        want[t] = score(feature + (size_t)task[t][0] * features, feature + (size_t)task[t][1] * features, features);
    if (!j->failed) job_compare(j, "score", got, want, n, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_simscore, r, "simscore.ptx")) return 1;
    int documents = (int)r->in[IN_DOCUMENTS], features = (int)r->in[IN_FEATURES], quads = features / 4;
    if (features % 4) job_fail(&j, "features=%d: must be a multiple of 4", features);
    int n = 0, all = documents * (documents - 1) / 2, pairs = r->in[IN_TASKS] ? (int)r->in[IN_TASKS] : all;
    if (pairs > all) job_fail(&j, "tasks=%d: there are %d pairs", pairs, all);
    size_t count = (size_t)pairs, floats = (size_t)documents * (size_t)features;
    int(*task)[4] = job_host(&j, count, sizeof *task);
    float *feature = job_random(&j, floats, 0, 0.01f, 1), *got = job_host(&j, count, sizeof *got);
    for (int a = 0; !j.failed && a < documents; a++)
        for (int b = a + 1; b < documents && n < pairs; b++, n++) task[n][0] = a, task[n][1] = b;
    struct shape s = shape_cover(pairs, 1, 256, 1);
    CUdeviceptr rows = job_upload(&j, feature, floats, sizeof *feature);
    CUdeviceptr tasks = job_upload(&j, task, count, sizeof *task), places = job_device(&j, count + 1, sizeof(int));
    job_launch(&j, job_kernel(&j, "simscore_count"), s, (void *[]){&tasks, &places, &pairs});
    CUdeviceptr out = mars_output(&j, mars_scan(&j, places, pairs), sizeof *got);
    job_launch(&j, job_kernel(&j, "simscore_map"), s, (void *[]){&rows, &tasks, &places, &out, &quads, &pairs});
    job_result(&j, got, out, count * sizeof *got);
    if (r->check && !j.failed) check(&j, feature, task, got, count, (size_t)features);
    return job_end(&j);
}

const struct workload workload_simscore = {
    .name = "simscore",
    .suite = "mars",
    .help = "similarity of pairs of documents as a map: lanes a row of features apart",
    .aliases = "SS mars/similarityscore apcm/ss",
    .input = {{"documents", "documents", {20, 2048, 2048}, 2, 4096},
              {"features", "features of a document", {64, 128, 128}, 4, 8192},
              {"tasks", "pairs that are computed; 0: all", {0, 23040, 0}, 0, 1 << 24}},
    .run = run,
};
