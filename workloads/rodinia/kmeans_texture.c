/* kmeans_texture.c - host code of kmeans_texture.cu: the features by column, as the transpose leaves them. */
#include <math.h>

#include "workloads/common.h"

enum { IN_POINTS, IN_FEATURES, IN_CLUSTERS, IN_APART };

/* With the kernel's rounding: every step is one fused operation, so that a near tie comes out the same. */
static int nearest(const float *columns, const float *centre, size_t p, size_t apart, size_t features, size_t clusters)
{
    float least = 3.4e38f;
    int best = -1;
    for (size_t c = 0; c < clusters; c++) {
        float sum = 0;
        for (size_t f = 0; f < features; f++) {
            float d = columns[p + apart * f] - centre[c * features + f];
            sum = fmaf(d, d, sum);
        }
        if (sum >= least) continue;
        least = sum;
        best = (int)c;
    }
    return best;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_kmeans_texture, r, "kmeans_texture.ptx")) return 1;
    int points = (int)r->in[IN_POINTS], features = (int)r->in[IN_FEATURES], clusters = (int)r->in[IN_CLUSTERS];
    int apart = r->in[IN_APART] ? (int)r->in[IN_APART] : points;
    if (apart < points) job_fail(&j, "apart=%d: a column has %d points", apart, points);
    size_t n = (size_t)points, f = (size_t)features, k = (size_t)clusters, count = (size_t)apart * f;
    float *columns = job_random(&j, count, 0, 0, 1), *centre = job_random(&j, k * f, 1, 0, 1);
    int *got = job_host(&j, n, sizeof *got), *want = job_host(&j, n, sizeof *want);
    CUdeviceptr dcolumns = job_move(&j, columns, count, sizeof(float)), member = job_device(&j, n, sizeof(int));
    CUtexObject texture = job_texture(&j, dcolumns, count, (struct texels){CU_AD_FORMAT_FLOAT, 1, 4});
    job_copy_to(&j, "centres", centre, k * f * sizeof(float));
    job_launch(&j, job_kernel(&j, "kmeans_texture"), shape_cover(points, 1, 256, 1),
               (void *[]){&texture, &member, &points, &features, &clusters, &apart});
    job_result(&j, got, member, n * sizeof *got);
    for (size_t p = 0; !j.failed && r->check && p < n; p++) want[p] = nearest(columns, centre, p, (size_t)apart, f, k);
    if (!j.failed && r->check) job_compare(&j, "member", got, want, n);
    return job_end(&j);
}

const struct workload workload_kmeans_texture = {
    .name = "kmeans_texture",
    .suite = "rodinia",
    .help = "kmeans' nearest centres with the features in a 1-D texture",
    .aliases = "rodinia/kmeans_texture",
    .input = {{"points", "points", {600, 65536, 494020}, 1, 1 << 22},
              {"features", "features of a point", {34, 34, 34}, 1, 256},
              {"clusters", "centres", {5, 5, 5}, 1, 32},
              {"apart", "points from one column to the next; 0: points", {0, 494020, 494020}, 0, 1 << 22}},
    .run = run,
};
