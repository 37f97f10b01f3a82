/* hotspot.c - host code of hotspot.cu: time steps, `pyramid` of them per launch. */
#include "workloads/common.h"

enum { IN_SIDE, IN_PYRAMID, IN_STEPS };
enum { TILE = 16 };

/* A chip of 16 mm x 16 mm; the constants are passed to the kernel, so any stable set will do. */
struct chip {
    float step_cap, rx, ry, rz;
};
static const struct chip chip = {0.1f, 0.8f, 0.8f, 0.05f};

static void reference_step(double *to, const double *from, const float *power, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            size_t me = i * n + k;
            double c = from[me], up = i ? from[me - n] : c, down = i + 1 < n ? from[me + n] : c;
            double left = k ? from[me - 1] : c, right = k + 1 < n ? from[me + 1] : c;
            to[me] =
                c + (double)chip.step_cap * (power[me] + (up + down - 2 * c) * (double)chip.ry +
                                             (left + right - 2 * c) * (double)chip.rx + (80 - c) * (double)chip.rz);
        }
}

static void check(struct job *j, const float *start, const float *power, const float *got, size_t n, int steps)
{
    double *now = job_host(j, n * n, sizeof *now), *next = job_host(j, n * n, sizeof *next);
    if (j->failed) return;
    for (size_t i = 0; i < n * n; i++) now[i] = start[i];
    for (int t = 0; t < steps; t++) {
        reference_step(next, now, power, n);
        double *swap = now;
        now = next;
        next = swap;
    }
    job_compare(j, "temperature", got, now, n * n, 1e-4);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_hotspot, r, "hotspot.ptx")) return 1;
    int side = (int)r->in[IN_SIDE], pyramid = (int)r->in[IN_PYRAMID], steps = (int)r->in[IN_STEPS];
    size_t n = (size_t)side, f = sizeof(float);
    struct chip c = chip;
    float *temp = job_random(&j, n * n, 0, 70, 90), *power = job_random(&j, n * n, 1, 0, 1);
    float *got = job_host(&j, n * n, f);
    CUdeviceptr field[2] = {job_upload(&j, temp, n * n, f), job_device(&j, n * n, f)};
    CUdeviceptr heat = job_upload(&j, power, n * n, f);
    CUfunction kernel = job_kernel(&j, "hotspot");
    unsigned from = 0;
    for (int t = 0; t < steps; t += pyramid, from ^= 1) {
        int now = steps - t < pyramid ? steps - t : pyramid, inner = TILE - 2 * now;
        struct shape s = {(unsigned)((side + inner - 1) / inner), (unsigned)((side + inner - 1) / inner), TILE, TILE};
        job_launch(
            &j, kernel, s,
            (void *[]){&now, &heat, &field[from], &field[from ^ 1], &side, &side, &c.step_cap, &c.rx, &c.ry, &c.rz});
    }
    job_result(&j, got, field[from], n * n * f);
    if (r->check && !j.failed) check(&j, temp, power, got, n, steps);
    return job_end(&j);
}

const struct workload workload_hotspot = {
    .name = "hotspot",
    .suite = "rodinia",
    .help = "temperature of a chip: tiles with border, several steps in shared memory",
    .aliases = "HP rodinia/hotspot dycache/hp",
    .input = {{"side", "rows and columns", {50, 512, 512}, 2, 8192},
              {"pyramid", "time steps per launch", {2, 2, 2}, 1, 7},
              {"steps", "time steps", {5, 4, 8}, 1, 10000}},
    .run = run,
};
