/* mriq.c - host code of mriq.cu: k space in chunks that fit constant memory. */
#include <math.h>

#include "workloads/common.h"

enum { IN_VOXELS, IN_POINTS };
enum { CHUNK = 1024 };

static void check(struct job *j, float *const place[3], const float *point, size_t points, const float *qr,
                  const float *qi, size_t voxels)
{
    double *wr = job_host(j, voxels, sizeof *wr), *wi = job_host(j, voxels, sizeof *wi);
    if (j->failed) return;
    for (size_t v = 0; v < voxels; v++)
        for (size_t k = 0; k < points; k++) {
            const float *p = point + 4 * k;
            double angle = 0;
            for (int a = 0; a < 3; a++) angle += 2 * 3.14159265358979 * (double)p[a] * (double)place[a][v];
            wr[v] += (double)p[3] * cos(angle);
            wi[v] += (double)p[3] * sin(angle);
        }
    job_compare(j, "qr", qr, wr, voxels, 1e-3); /* the kernel's sine and cosine are the fast ones */
    job_compare(j, "qi", qi, wi, voxels, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_mriq, r, "mriq.ptx")) return 1;
    int n = (int)r->in[IN_VOXELS], points = (int)r->in[IN_POINTS];
    size_t voxels = (size_t)n, f = sizeof(float);
    float *point = job_random(&j, 4 * (size_t)points, 0, 0, 0.5f), *place[3], *q[2];
    CUdeviceptr dplace[3], dq[2];
    for (unsigned a = 0; a < 3; a++) {
        place[a] = job_random(&j, voxels, 1 + a, -1, 1);
        dplace[a] = job_upload(&j, place[a], voxels, f);
    }
    for (unsigned a = 0; a < 2; a++) {
        q[a] = job_host(&j, voxels, f);
        dq[a] = job_upload(&j, q[a], voxels, f);
    }
    for (int first = 0; first < points && !j.failed; first += CHUNK) {
        int count = points - first < CHUNK ? points - first : CHUNK;
        job_copy_to(&j, "points", point + 4 * (size_t)first, 4 * (size_t)count * f);
        job_launch(&j, job_kernel(&j, "mriq"), shape_cover(n, 1, 256, 1),
                   (void *[]){&dplace[0], &dplace[1], &dplace[2], &dq[0], &dq[1], &n, &count});
    }
    for (unsigned a = 0; a < 2; a++) job_result(&j, q[a], dq[a], voxels * f);
    if (r->check && !j.failed) check(&j, place, point, (size_t)points, q[0], q[1], voxels);
    return job_end(&j);
}

const struct workload workload_mriq = {
    .name = "mriq",
    .suite = "parboil",
    .help = "Q of a magnetic resonance image: k space in constant memory, a thread per voxel",
    .aliases = "mri-q parboil/mri-q mascar/mri-q",
    .input = {{"voxels", "voxels", {500, 23040, 32768}, 1, 1 << 22},
              {"points", "points of k space", {40, 256, 3072}, 1, 1 << 16}},
    .run = run,
};
