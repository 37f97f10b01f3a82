/* dct8x8.c - host code of dct8x8.cu: both ways of transforming, quantisation, and back. */
#include <math.h>

#include "workloads/common.h"

enum { IN_WIDTH, IN_HEIGHT };

struct picture {
    int width, height;
    size_t pixels;
    float cosines[64], steps[64], *pixel;
};

/* in = picture: the transform by its definition; forward or back. */
static void transform(const struct picture *p, const float *in, double *out, bool forward)
{
    size_t width = (size_t)p->width;
    for (size_t b = 0; b < p->pixels / 64; b++) {
        size_t corner = b / (width / 8) * 8 * width + b % (width / 8) * 8;
        double half[64];
        for (int i = 0; i < 64; i++) {
            double sum = 0;
            for (int k = 0; k < 8; k++) {
                double c = (double)(forward ? p->cosines[i / 8 * 8 + k] : p->cosines[k * 8 + i / 8]);
                sum += c * (double)in[corner + (size_t)k * width + (size_t)(i % 8)];
            }
            half[i] = sum;
        }
        for (int i = 0; i < 64; i++) {
            double sum = 0;
            for (int k = 0; k < 8; k++)
                sum += half[i / 8 * 8 + k] * (double)(forward ? p->cosines[i % 8 * 8 + k] : p->cosines[k * 8 + i % 8]);
            out[corner + (size_t)(i / 8) * width + (size_t)(i % 8)] = sum;
        }
    }
}

static float *fetch(struct job *j, const struct picture *p, CUdeviceptr from)
{
    float *got = job_host(j, p->pixels, sizeof *got);
    job_result(j, got, from, p->pixels * sizeof *got);
    return got;
}

static void check_quantised(struct job *j, const struct picture *p, const float *before, const float *got)
{
    size_t width = (size_t)p->width;
    for (size_t i = 0; i < p->pixels && !j->failed; i++) {
        float step = p->steps[i / width % 8 * 8 + i % width % 8], want = rintf(before[i] / step) * step;
        if (got[i] != want) job_fail(j, "quantised[%zu] is %.9g, should be %.9g", i, (double)got[i], (double)want);
    }
    j->checked += p->pixels;
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_dct8x8, r, "dct8x8.ptx")) return 1;
    struct picture p = {.width = 32 * (int)r->in[IN_WIDTH], .height = 32 * (int)r->in[IN_HEIGHT]};
    p.pixels = (size_t)p.width * (size_t)p.height;
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++) {
            p.cosines[u * 8 + x] = (float)(cos((2 * x + 1) * u * 3.14159265358979 / 16) * (u ? 0.5 : sqrt(0.125)));
            p.steps[u * 8 + x] = (float)(16 + 5 * (u + x));
        }
    p.pixel = job_random(&j, p.pixels, 0, -128, 127);
    job_copy_to(&j, "cosines", p.cosines, sizeof p.cosines);
    job_copy_to(&j, "steps", p.steps, sizeof p.steps);
    CUdeviceptr in = job_upload(&j, p.pixel, p.pixels, 4), plain = job_device(&j, p.pixels, 4);
    CUdeviceptr fast = job_device(&j, p.pixels, 4), back = job_device(&j, p.pixels, 4);
    CUtexObject picture =
        job_texture_2d(&j, p.pixel, (size_t)p.width, (size_t)p.height, (struct texels){CU_AD_FORMAT_FLOAT, 1, 4});
    struct shape blocks = shape_cover(p.width, p.height, 8, 8),
                 tiles = {(unsigned)p.width / 32, (unsigned)p.height / 16, 32, 2};
    job_launch(&j, job_kernel(&j, "dct_plain"), blocks, (void *[]){&picture, &plain, &p.width});
    job_launch(&j, job_kernel(&j, "dct_fast"), tiles, (void *[]){&in, &fast, &p.width});
    float *got_plain = fetch(&j, &p, plain), *got_fast = fetch(&j, &p, fast);
    job_launch(&j, job_kernel(&j, "dct_quantise"), blocks, (void *[]){&fast, &p.width});
    float *quantised = fetch(&j, &p, fast);
    job_launch(&j, job_kernel(&j, "dct_back"), tiles, (void *[]){&fast, &back, &p.width});
    float *restored = fetch(&j, &p, back);
    double *want = job_host(&j, p.pixels, sizeof *want);
    if (!j.failed && r->check) {
        transform(&p, p.pixel, want, true);
        job_compare(&j, "plain", got_plain, want, p.pixels, 1e-4);
        job_compare(&j, "fast", got_fast, want, p.pixels, 1e-4);
        check_quantised(&j, &p, got_fast, quantised);
        transform(&p, quantised, want, false);
        job_compare(&j, "restored", restored, want, p.pixels, 1e-4);
    }
    return job_end(&j);
}

const struct workload workload_dct8x8 = {
    .name = "dct8x8",
    .suite = "sdk",
    .help = "cosine transform of 8 x 8 blocks, plain and fast, quantisation and the way back",
    .aliases = "DCT sdk/dct8x8 hac/dct",
    .input = {{"width", "width of the picture, in 32 pixels", {1, 32, 16}, 1, 256},
              {"height", "height of the picture, in 32 pixels", {1, 32, 16}, 1, 256}},
    .run = run,
};
