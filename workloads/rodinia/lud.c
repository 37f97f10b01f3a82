/* lud.c - host code of lud.cu: A = L U in place, without pivoting. */
#include "workloads/common.h"

enum { IN_N };
enum { TILE = 16 };

static void check(struct job *j, const float *a, const float *got, size_t n)
{
    double *want = job_host(j, n * n, sizeof *want);
    if (j->failed) return;
    for (size_t i = 0; i < n * n; i++) want[i] = a[i];
    for (size_t t = 0; t < n; t++)
        for (size_t i = t + 1; i < n; i++) {
            want[i * n + t] /= want[t * n + t];
            for (size_t k = t + 1; k < n; k++) want[i * n + k] -= want[i * n + t] * want[t * n + k];
        }
    job_compare(j, "m", got, want, n * n, 1e-3);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_lud, r, "lud.ptx")) return 1;
    int n = (int)((r->in[IN_N] + TILE - 1) / TILE * TILE), offset = 0;
    size_t nn = (size_t)n, f = sizeof(float);
    float *a = job_random(&j, nn * nn, 0, 0, 1), *got = job_host(&j, nn * nn, f);
    for (size_t i = 0; a && i < nn; i++) a[i * nn + i] += (float)n; /* no pivoting is needed */
    CUdeviceptr m = job_upload(&j, a, nn * nn, f);
    CUfunction diagonal = job_kernel(&j, "lud_diagonal"), perimeter = job_kernel(&j, "lud_perimeter");
    CUfunction internal = job_kernel(&j, "lud_internal");
    for (; offset < n; offset += TILE) {
        unsigned rest = (unsigned)((n - offset) / TILE - 1);
        job_launch(&j, diagonal, (struct shape){1, 1, TILE, 1}, (void *[]){&m, &n, &offset});
        if (!rest) break;
        job_launch(&j, perimeter, (struct shape){rest, 1, 2 * TILE, 1}, (void *[]){&m, &n, &offset});
        job_launch(&j, internal, (struct shape){rest, rest, TILE, TILE}, (void *[]){&m, &n, &offset});
    }
    job_result(&j, got, m, nn * nn * f);
    if (r->check && !j.failed) check(&j, a, got, nn);
    return job_end(&j);
}

const struct workload workload_lud = {
    .name = "lud",
    .suite = "rodinia",
    .help = "LU decomposition: diagonal, perimeter and internal tiles of 16 x 16",
    .aliases = "rodinia/lud dycache/lud",
    .input = {{"n", "rows and columns, a multiple of 16", {64, 256, 256}, 16, 4096}},
    .run = run,
};
