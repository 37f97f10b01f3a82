/* heartwall.c - host code of heartwall.cu: a texture of noise that moves from frame to frame. */
#include <math.h>
#include <stdlib.h>

#include "workloads/common.h"

enum { IN_FRAMES, IN_SIDE, IN_POINTS, IN_T, IN_S };
enum { STEP = 2 }; /* the picture moves by at most this many pixels a frame, each way */

struct sizes { /* as the kernel's */
    int rows, cols, t, s, n, scratch;
};

struct video {
    int frames, side, points, *place; /* place: row and column of each point in the first frame */
    int (*shift)[2];                  /* of each frame against the first */
    float **frame;
};

static int margin(const struct video *v, const struct sizes *z) { return z->s / 2 + STEP * v->frames; }

/* Frame f shows the same noise as frame 0, moved, and a little noise of its own. */
static void make_video(struct job *j, struct video *v, const struct sizes *z)
{
    int far = STEP * v->frames, wide = v->side + 2 * far, room = v->side - 2 * margin(v, z);
    struct random r = random_new(j->run->seed, 1);
    float *scene = job_random(j, (size_t)wide * (size_t)wide, 0, 0, 1);
    v->place = job_host(j, 2 * (size_t)v->points, sizeof *v->place);
    v->shift = job_host(j, (size_t)v->frames, sizeof *v->shift);
    v->frame = job_host(j, (size_t)v->frames, sizeof *v->frame);
    for (int i = 0; !j->failed && i < 2 * v->points; i++)
        v->place[i] = margin(v, z) + (int)random_below(&r, (uint32_t)room);
    for (int f = 0; !j->failed && f < v->frames; f++) {
        for (int a = 0; f && a < 2; a++)
            v->shift[f][a] = v->shift[f - 1][a] + (int)random_below(&r, 2 * STEP + 1) - STEP;
        v->frame[f] = job_host(j, (size_t)v->side * (size_t)v->side, sizeof(float));
        for (int c = 0; !j->failed && c < v->side; c++)
            for (int row = 0; row < v->side; row++) {
                int y = row + far - v->shift[f][0], x = c + far - v->shift[f][1];
                float own = (float)random_below(&r, 1000) * 1e-4f;
                v->frame[f][c * v->side + row] = scene[x * wide + y] + own;
            }
    }
}

/* Normalised correlation of the template around `from` in frame 0 with the window place (y, x) of frame f. */
static double correlation(const struct video *v, const struct sizes *z, const int *from, int f, int y, int x)
{
    double a = 0, b = 0, aa = 0, bb = 0, ab = 0, n = z->t * z->t;
    for (int c = 0; c < z->t; c++)
        for (int r = 0; r < z->t; r++) {
            double p = (double)v->frame[0][(from[1] - z->t / 2 + c) * v->side + from[0] - z->t / 2 + r];
            double q = (double)v->frame[f][(x + c) * v->side + y + r];
            a += p, b += q, aa += p * p, bb += q * q, ab += p * q;
        }
    return (ab - a * b / n) / sqrt((aa - a * a / n) * (bb - b * b / n));
}

/* Follows every point; the correlations of the last frame go to `ncc` where they are defined. */
static void reference(const struct video *v, const struct sizes *z, int *place, double *ncc)
{
    for (int p = 0; p < v->points; p++) {
        const int *from = &v->place[2 * p];
        int at[2] = {from[0], from[1]};
        for (int f = 1; f < v->frames; f++) {
            int y0 = at[0] - z->s / 2, x0 = at[1] - z->s / 2, best_y = 0, best_x = 0;
            double best = -2;
            for (int x = 0; x + z->t <= z->s; x++)
                for (int y = 0; y + z->t <= z->s; y++) {
                    double c = correlation(v, z, from, f, y0 + y, x0 + x);
                    if (f == v->frames - 1) ncc[(p * z->n + x + z->t - 1) * z->n + y + z->t - 1] = c;
                    if (c > best) best = c, best_y = y, best_x = x;
                }
            at[0] = y0 + best_y + z->t / 2, at[1] = x0 + best_x + z->t / 2;
        }
        place[2 * p] = at[0], place[2 * p + 1] = at[1];
    }
}

static void check(struct job *j, const struct video *v, const struct sizes *z, CUdeviceptr place, CUdeviceptr scratch)
{
    size_t points = (size_t)v->points, n2 = (size_t)z->n * (size_t)z->n;
    int *got = job_host(j, 2 * points, sizeof *got), *want = job_host(j, 2 * points, sizeof *want);
    double *ncc = job_host(j, points * n2, sizeof *ncc);
    float *conv = job_host(j, points * n2, sizeof *conv);
    job_result(j, got, place, 2 * points * sizeof *got);
    size_t before = (size_t)(z->s * z->s + z->t * z->t);
    for (size_t p = 0; p < points && !j->failed; p++)
        job_result(j, conv + p * n2, scratch + (p * (size_t)z->scratch + before) * sizeof(float), n2 * sizeof(float));
    if (j->failed || !j->run->check) return;
    reference(v, z, want, ncc);
    job_compare(j, "place", got, want, 2 * points);
    job_compare(j, "correlation", conv, ncc, points * n2, 4e-2);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_heartwall, r, "heartwall.ptx")) return 1;
    const int64_t *in = r->in;
    struct video v = {.frames = (int)in[IN_FRAMES], .side = (int)in[IN_SIDE], .points = (int)in[IN_POINTS]};
    struct sizes z = {v.side, v.side, 2 * (int)in[IN_T] + 1, 2 * (int)in[IN_S] + 1, 0, 0};
    int pad = z.s + 2 * z.t - 1;
    z.n = z.s + z.t - 1;
    z.scratch = z.s * z.s + z.t * z.t + 3 * z.n * z.n + pad * pad + z.n * pad;
    if (z.t >= z.s) job_fail(&j, "template=%d: not smaller than the window", (int)in[IN_T]);
    if (v.side <= 2 * margin(&v, &z)) job_fail(&j, "side=%d: too small for the windows and frames", v.side);
    if (!j.failed) make_video(&j, &v, &z);
    size_t points = (size_t)v.points, pixels = (size_t)v.side * (size_t)v.side, f = sizeof(float);
    CUdeviceptr frame = job_device(&j, pixels, f), place = job_upload(&j, v.place, 2 * points, sizeof(int));
    CUdeviceptr templates = job_device(&j, points * (size_t)(z.t * z.t), f);
    CUdeviceptr scratch = job_device(&j, points * (size_t)z.scratch, f);
    for (int i = 0; i < v.frames && !j.failed; i++) {
        int first = i == 0;
        job_copy_in(&j, frame, v.frame[i], pixels * f);
        job_launch(&j, job_kernel(&j, "heartwall"), (struct shape){(unsigned)v.points, 1, 256, 1},
                   (void *[]){&frame, &place, &templates, &scratch, &z, &first});
    }
    if (!j.failed) check(&j, &v, &z, place, scratch);
    return job_end(&j);
}

const struct workload workload_heartwall = {
    .name = "heartwall",
    .suite = "rodinia",
    .help = "points of a heart's wall followed through a video, a CTA a point, scratch in global memory",
    .aliases = "HW rodinia/heartwall dycache/hw",
    .input = {{"frames", "frames", {2, 3, 5}, 2, 16},
              {"side", "rows and columns of a frame", {64, 600, 600}, 16, 2048},
              {"points", "points followed", {2, 30, 51}, 1, 1024},
              {"template", "half the side of a template", {3, 9, 25}, 1, 64},
              {"window", "half the side of a window", {6, 14, 40}, 2, 128}},
    .run = run,
};
