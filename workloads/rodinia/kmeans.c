/* kmeans.c - host code of kmeans.cu: one assignment of points to centres. */
#include <math.h>

#include "workloads/common.h"

enum { IN_POINTS, IN_FEATURES, IN_CLUSTERS, IN_PITCH, IN_APART = IN_PITCH };
enum { INVERT = 1, POINT = 2 };

struct problem {
    int points, features, clusters, pitch, apart;
    float *rows, *centre; /* a row every `pitch` floats; transposed, a column every `apart` */
};

/* The nearest centre, with the kernels' rounding: every step is one fused operation, so that a
 * near tie comes out the same. */
static void reference(const struct problem *p, int *member)
{
    size_t pitch = (size_t)p->pitch;
    for (size_t i = 0; i < (size_t)p->points; i++) {
        float least = 3.4e38f;
        for (size_t c = 0; c < (size_t)p->clusters; c++) {
            float sum = 0;
            for (size_t f = 0; f < (size_t)p->features; f++) {
                float d = p->rows[i * pitch + f] - p->centre[c * pitch + f];
                sum = fmaf(d, d, sum);
            }
            if (sum >= least) continue;
            least = sum;
            member[i] = (int)c;
        }
    }
}

static void check_members(struct job *j, const struct problem *p, CUdeviceptr member)
{
    size_t n = (size_t)p->points;
    int *got = job_host(j, n, sizeof *got), *want = job_host(j, n, sizeof *want);
    job_result(j, got, member, n * sizeof *got);
    if (j->failed || !j->run->check) return;
    reference(p, want);
    job_compare(j, "member", got, want, n);
}

/* The features by column. */
static float *transposed(struct job *j, const struct problem *p)
{
    size_t n = (size_t)p->points, features = (size_t)p->features, apart = (size_t)p->apart;
    float *out = job_host(j, apart * features, sizeof *out);
    for (size_t i = 0; out && i < n; i++)
        for (size_t f = 0; f < features; f++) out[i + apart * f] = p->rows[i * features + f];
    return out;
}

static void check_inverted(struct job *j, const struct problem *p, CUdeviceptr columns)
{
    if (!j->run->check) return;
    size_t count = (size_t)p->apart * (size_t)p->features;
    float *got = job_host(j, count, sizeof *got), *want = transposed(j, p);
    for (size_t f = 0; f < (size_t)p->features; f++) /* what lies between two columns was never written */
        job_result(j, got + (got ? (size_t)p->apart * f : 0), columns + (size_t)p->apart * f * sizeof *got,
                   (size_t)p->points * sizeof *got);
    for (size_t i = 0; !j->failed && i < count; i++)
        if (got[i] != want[i]) job_fail(j, "columns[%zu] is %.9g, should be %.9g", i, (double)got[i], (double)want[i]);
    j->checked += count;
}

static void make_problem(struct job *j, struct problem *p, int pitch)
{
    const int64_t *in = j->run->in;
    *p = (struct problem){(int)in[IN_POINTS], (int)in[IN_FEATURES], (int)in[IN_CLUSTERS], pitch, 0, NULL, NULL};
    p->rows = job_random(j, (size_t)p->points * (size_t)pitch, 0, 0, 1);
    p->centre = job_random(j, (size_t)p->clusters * (size_t)pitch, 1, 0, 1);
}

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    struct job j;
    if (!job_begin(&j, w, r, "kmeans.ptx")) return 1;
    struct problem p;
    make_problem(&j, &p, (int)r->in[IN_FEATURES]);
    p.apart = r->in[IN_APART] ? (int)r->in[IN_APART] : p.points;
    if (p.apart < p.points) job_fail(&j, "apart=%d: a column has %d points", p.apart, p.points);
    size_t count = (size_t)p.points * (size_t)p.features, f = sizeof(float);
    size_t spread = (size_t)p.apart * (size_t)p.features;
    struct shape s = shape_cover(p.points, 1, 256, 1);
    CUdeviceptr columns;
    if (kernels & INVERT) {
        CUdeviceptr rows = job_move(&j, p.rows, count, f);
        columns = job_device(&j, spread, f);
        job_launch(&j, job_kernel(&j, "kmeans_invert"), s,
                   (void *[]){&rows, &columns, &p.points, &p.features, &p.apart});
        check_inverted(&j, &p, columns);
    } else columns = job_move(&j, transposed(&j, &p), spread, f);
    if (kernels & POINT) {
        CUdeviceptr member = job_device(&j, (size_t)p.points, sizeof(int));
        job_copy_to(&j, "centres", p.centre, (size_t)p.clusters * (size_t)p.features * f);
        job_launch(&j, job_kernel(&j, "kmeans_point"), s,
                   (void *[]){&columns, &member, &p.points, &p.features, &p.clusters, &p.apart});
        check_members(&j, &p, member);
    }
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_kmeans, r, INVERT | POINT); }
static int run_1(struct workload_run *r) { return execute(&workload_kmeans_1, r, INVERT); }
static int run_2(struct workload_run *r) { return execute(&workload_kmeans_2, r, POINT); }

static int run_direct(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_kmeans_direct, r, "kmeans.ptx")) return 1;
    int pitch = (int)r->in[IN_PITCH];
    if (pitch < r->in[IN_FEATURES]) job_fail(&j, "pitch=%d: fewer than the features of a point", pitch);
    struct problem p;
    make_problem(&j, &p, pitch);
    size_t n = (size_t)p.points, k = (size_t)p.clusters, w = (size_t)pitch, f = sizeof(float);
    CUdeviceptr rows = job_move(&j, p.rows, n * w, f), centre = job_upload(&j, p.centre, k * w, f);
    CUdeviceptr member = job_device(&j, n, sizeof(int));
    job_launch(&j, job_kernel(&j, "kmeans_direct"), shape_cover(p.points, 1, 256, 1),
               (void *[]){&rows, &centre, &member, &p.points, &p.features, &p.clusters, &pitch});
    check_members(&j, &p, member);
    return job_end(&j);
}

#define POINTS(tiny, small, paper)                                                                                     \
    {                                                                                                                  \
        "points", "points", {tiny, small, paper}, 1, 1 << 22                                                           \
    }
#define FEATURES(tiny, small, paper)                                                                                   \
    {                                                                                                                  \
        "features", "features of a point", {tiny, small, paper}, 1, 256                                                \
    }
#define CLUSTERS(tiny, small, paper)                                                                                   \
    {                                                                                                                  \
        "clusters", "centres", {tiny, small, paper}, 1, 32                                                             \
    }
#define APART                                                                                                          \
    {                                                                                                                  \
        "apart", "points from one transposed column to the next; 0: points", {0, 494020, 494020}, 0, 1 << 22           \
    }

const struct workload workload_kmeans = {
    .name = "kmeans",
    .suite = "rodinia",
    .help = "k-means: transpose of the features, then nearest centres through the read-only path",
    .aliases = "rodinia/kmeans dycache/kc",
    .input = {POINTS(600, 32768, 494020), FEATURES(34, 34, 34), CLUSTERS(5, 5, 5), APART},
    .run = run,
};

const struct workload workload_kmeans_1 = {
    .name = "kmeans_1",
    .suite = "rodinia",
    .help = "kmeans' transpose: lanes a point (136 bytes) apart",
    .aliases = "mascar/kmeans-1 apcm/kmn",
    .input = {POINTS(600, 65536, 494020), FEATURES(34, 34, 34), CLUSTERS(1, 1, 1), APART},
    .run = run_1,
};

const struct workload workload_kmeans_2 = {
    .name = "kmeans_2",
    .suite = "rodinia",
    .help = "kmeans' nearest centres: coalesced read-only features, constant centres",
    .aliases = "mascar/kmeans-2",
    .input = {POINTS(600, 65536, 494020), FEATURES(34, 34, 34), CLUSTERS(5, 5, 5), APART},
    .run = run_2,
};

const struct workload workload_kmeans_direct = {
    .name = "kmeans_direct",
    .suite = "rodinia",
    .help = "k-means without a transpose: lanes a point (544 bytes) apart, broadcast centres",
    .aliases = "KMN dacache/kmn",
    .input = {POINTS(600, 28160, 28160),
              FEATURES(34, 64, 136),
              CLUSTERS(5, 3, 5),
              {"pitch", "floats from one point to the next", {136, 136, 136}, 1, 4096}},
    .run = run_direct,
};
