/* sad.c - host code of sad.cu: two frames, the second a moved and noisy first. */
#include <stdlib.h>

#include "workloads/common.h"

enum { IN_WIDTH, IN_HEIGHT };
enum { BLOCKS = 1, LARGER = 2 };
enum { RANGE = 16, SPAN = 33, PLACES = SPAN * SPAN, PITCH = 1096, PLANES = 36 }; /* 16 blocks, 8 + 8 + 4 larger */

struct frames {
    int width, height;
    size_t pixels, macroblocks;
    uint16_t *reference, *current;
};

static void make_frames(struct job *j, struct frames *f)
{
    struct random r = random_new(j->run->seed, 0);
    f->reference = job_host(j, f->pixels, sizeof(uint16_t));
    f->current = job_host(j, f->pixels, sizeof(uint16_t));
    for (size_t i = 0; !j->failed && i < f->pixels; i++) f->reference[i] = (uint16_t)random_below(&r, 240);
    for (size_t i = 0; !j->failed && i < f->pixels; i++) /* moved by 3 and a row */
        f->current[i] = (uint16_t)(f->reference[(i + 3 + (size_t)f->width) % f->pixels] + random_below(&r, 16));
}

static int clamp(int v, int n) { return v < 0 ? 0 : v < n ? v : n - 1; }

/* The sums of block b of macroblock m into a plane. */
static void block_sums(const struct frames *f, size_t m, int b, uint16_t *out)
{
    int per_row = f->width / 16, x = (int)m % per_row * 16 + b % 4 * 4, y = (int)m / per_row * 16 + b / 4 * 4;
    for (int p = 0; p < PLACES; p++) {
        int sum = 0;
        for (int k = 0; k < 16; k++) {
            int rx = clamp(x + k % 4 + p % SPAN - RANGE, f->width), ry = clamp(y + k / 4 + p / SPAN - RANGE, f->height);
            sum += abs(f->reference[ry * f->width + rx] - f->current[(y + k / 4) * f->width + x + k % 4]);
        }
        out[p] = (uint16_t)sum;
    }
}

static uint16_t *all_blocks(struct job *j, const struct frames *f)
{
    uint16_t *sums = job_host(j, f->macroblocks * PLANES * PITCH, sizeof *sums);
    for (size_t m = 0; !j->failed && m < f->macroblocks; m++)
        for (int b = 0; b < 16; b++) block_sums(f, m, b, sums + (m * 16 + (size_t)b) * PITCH);
    return sums;
}

static void compare(struct job *j, const char *what, const uint16_t *got, const uint16_t *want, size_t planes)
{
    for (size_t i = 0; i < planes * PITCH && !j->failed; i++)
        if (i % PITCH < PLACES && got[i] != want[i])
            job_fail(j, "%s[%zu] is %d, should be %d", what, i, got[i], want[i]);
    j->checked += planes * PLACES;
}

/* The larger sums from those of the blocks, in place. */
static void add_larger(const struct frames *f, uint16_t *sums)
{
    size_t m8 = f->macroblocks * 8;
    uint16_t *s84 = sums + f->macroblocks * 16 * PITCH, *s48 = s84 + m8 * PITCH, *s88 = s48 + m8 * PITCH;
    for (size_t i = 0; i < f->macroblocks * 4; i++) {
        size_t m = i / 4, q = i % 4;
        const uint16_t *p = sums + (m * 16 + q / 2 * 8 + q % 2 * 2) * PITCH;
        for (size_t k = 0; k < PITCH; k++) {
            int a = p[k], b = p[PITCH + k], c = p[4 * PITCH + k], d = p[5 * PITCH + k];
            s84[2 * i * PITCH + k] = (uint16_t)(a + b), s84[(2 * i + 1) * PITCH + k] = (uint16_t)(c + d);
            s48[2 * i * PITCH + k] = (uint16_t)(a + c), s48[(2 * i + 1) * PITCH + k] = (uint16_t)(b + d);
            s88[i * PITCH + k] = (uint16_t)(a + b + c + d);
        }
    }
}

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    struct job j;
    if (!job_begin(&j, w, r, "sad.ptx")) return 1;
    struct frames f = {.width = 16 * (int)r->in[IN_WIDTH], .height = 16 * (int)r->in[IN_HEIGHT]};
    f.pixels = (size_t)f.width * (size_t)f.height;
    f.macroblocks = f.pixels / 256;
    make_frames(&j, &f);
    size_t planes = f.macroblocks * PLANES, bytes = planes * PITCH * sizeof(uint16_t);
    uint16_t *want = r->check || !(kernels & BLOCKS) ? all_blocks(&j, &f) : NULL,
             *got = job_host(&j, planes, PITCH * 2);
    CUdeviceptr sums = kernels & BLOCKS ? job_device(&j, bytes, 1) : job_upload(&j, want, bytes, 1);
    int macroblocks = (int)f.macroblocks;
    if (kernels & BLOCKS) {
        CUdeviceptr current = job_upload(&j, f.current, f.pixels, sizeof(uint16_t));
        CUtexObject reference = job_texture_2d(&j, f.reference, (size_t)f.width, (size_t)f.height,
                                               (struct texels){CU_AD_FORMAT_UNSIGNED_INT16, 1, 2});
        job_launch(&j, job_kernel(&j, "sad_blocks"),
                   (struct shape){(unsigned)f.width / 4, (unsigned)f.height / 4, 61, 1},
                   (void *[]){&reference, &current, &sums, &f.width});
    }
    if (kernels & LARGER)
        job_launch(&j, job_kernel(&j, "sad_larger_8"),
                   (struct shape){(unsigned)f.width / 16, (unsigned)f.height / 16, 32, 4},
                   (void *[]){&sums, &macroblocks});
    job_result(&j, got, sums, bytes);
    if (!j.failed && r->check) {
        if (kernels & LARGER) add_larger(&f, want);
        compare(&j, "sums", got, want, kernels & LARGER ? planes : f.macroblocks * 16);
    }
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_sad, r, BLOCKS | LARGER); }
static int run_1(struct workload_run *r) { return execute(&workload_sad_1, r, BLOCKS); }
static int run_2(struct workload_run *r) { return execute(&workload_sad_2, r, LARGER); }

#define SAD(NAME, RUN, WIDTH, HEIGHT, HELP, ALIASES)                                                                   \
    const struct workload workload_##NAME = {                                                                          \
        .name = #NAME,                                                                                                 \
        .suite = "parboil",                                                                                            \
        .help = HELP,                                                                                                  \
        .aliases = ALIASES,                                                                                            \
        .input = {{"width", "macroblocks (16 pixels) across", {1, WIDTH, 11}, 1, 256},                                 \
                  {"height", "macroblocks down", {1, HEIGHT, 9}, 1, 256}},                                             \
        .run = RUN,                                                                                                    \
    }

SAD(sad, run, 9, 7, "motion estimation: differences of blocks, then of larger ones", "parboil/sad");
SAD(sad_1, run_1, 10, 8, "sad's blocks: 2-D texture of 16-bit pixels, CTAs of 61", "mascar/sad-1");
SAD(sad_2, run_2, 11, 9, "sad's larger blocks: four streams in, five out", "mascar/sad-2");
