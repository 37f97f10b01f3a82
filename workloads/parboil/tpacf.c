/* tpacf.c - host code of tpacf.cu: points spread over a part of the sky. */
#include <math.h>

#include "workloads/common.h"

enum { IN_POINTS, IN_SETS };
enum { EDGES = 21, BINS = EDGES - 1 };

static void make_points(struct job *j, float *out, size_t n, size_t sets)
{
    struct random r = random_new(j->run->seed, 0);
    for (size_t s = 0; !j->failed && s <= sets; s++)
        for (size_t i = 0; i < n; i++) {
            float angle[2];
            random_floats(angle, 2, random_new(random_next(&r), 0), 0, 1);
            double right = 2 * (double)angle[0], up = (double)angle[1] - 0.5;
            float *p = out + s * 3 * n + i;
            p[0] = (float)(cos(right) * cos(up)), p[n] = (float)(sin(right) * cos(up)), p[2 * n] = (float)sin(up);
        }
}

/* The kernel's products exactly, and the bin by a plain search: the first edge that is not above. */
static void count_pairs(const float *a, const float *b, size_t n, bool same, const float *edges, int *count)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (same ? i : n); k++) {
            float dot = fmaf(b[i], a[k], fmaf(b[n + i], a[n + k], b[2 * n + i] * a[2 * n + k]));
            int bin = 0;
            while (bin < BINS && !(dot >= edges[bin])) bin++;
            count[bin]++;
        }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_tpacf, r, "tpacf.ptx")) return 1;
    int points = (int)r->in[IN_POINTS], sets = (int)r->in[IN_SETS];
    size_t n = (size_t)points, s = (size_t)sets, pairs = 2 * s + 1, values = pairs * (BINS + 1);
    float edges[EDGES], *all = job_host(&j, (s + 1) * 3 * n, sizeof(float));
    int *got = job_host(&j, values, sizeof *got), *want = job_host(&j, values, sizeof *want);
    for (int e = 0; e < EDGES; e++) /* from a hundredth of a degree to 57 degrees, five to a decade */
        edges[e] = (float)cos(pow(10, -3.75 + e / 5.0 * 0.9375));
    make_points(&j, all, n, s);
    CUdeviceptr dpoints = job_upload(&j, all, (s + 1) * 3 * n, sizeof(float)), out = job_device(&j, values, 4);
    job_copy_to(&j, "edges", edges, sizeof edges);
    job_launch(&j, job_kernel(&j, "tpacf"), (struct shape){(unsigned)pairs, 1, 256, 1},
               (void *[]){&dpoints, &out, &points, &sets});
    job_result(&j, got, out, values * sizeof *got);
    for (size_t p = 0; !j.failed && r->check && p < pairs; p++) {
        size_t first = p <= s ? 0 : p - s, second = p <= s ? p : first;
        count_pairs(all + first * 3 * n, all + second * 3 * n, n, first == second, edges, want + p * (BINS + 1));
    }
    if (!j.failed && r->check) job_compare(&j, "count", got, want, values);
    return job_end(&j);
}

const struct workload workload_tpacf = {
    .name = "tpacf",
    .suite = "parboil",
    .help = "angles between all points of two sets: shared memory, edges in constant memory",
    .aliases = "parboil/tpacf mascar/tpacf",
    .input = {{"points", "points of a set", {40, 487, 487}, 1, 1 << 16},
              {"sets", "random sets", {1, 44, 100}, 1, 1000}},
    .run = run,
};
