/* mrigridding.c - host code of mrigridding.cu: the whole chain, or one kernel whose input the host prepares. */
#include <math.h>
#include <string.h>

#include "workloads/common.h"

enum { IN_SAMPLES, IN_SIDE };
enum { CHUNK = 1024, DIGITS = 16, REACH = 2 };

static const float cutoff2 = 4.0f;

struct sample {
    float x, y, z, real, imag, weight;
};

struct scan { /* all the samples, and how they are sorted */
    int samples, side, padded, chunks, cells;
    struct sample *sample;
    unsigned *key, *value; /* padded to whole chunks; the padding has the greatest key */
    int *start;            /* of each cell among the sorted samples */
    unsigned *order;       /* samples by cell */
};

/* More samples lie near the middle, as a spiral has them. */
static void make_scan(struct job *j, struct scan *s)
{
    size_t n = (size_t)s->samples, padded = (size_t)s->padded, cells = (size_t)s->cells;
    float *unit = job_random(j, 9 * n, 0, 0, 1), side = (float)s->side;
    s->sample = job_host(j, n, sizeof *s->sample);
    s->key = job_host(j, padded, sizeof *s->key);
    s->value = job_host(j, padded, sizeof *s->value);
    s->start = job_host(j, cells + 1, sizeof *s->start);
    s->order = job_host(j, n, sizeof *s->order);
    for (size_t i = 0; !j->failed && i < padded; i++) {
        s->key[i] = UINT32_MAX;
        s->value[i] = (unsigned)i;
        if (i >= n) continue;
        const float *u = unit + 9 * i;
        struct sample *p = &s->sample[i];
        p->x = side * 0.499f * (u[0] + u[3]), p->y = side * 0.499f * (u[1] + u[4]),
        p->z = side * 0.499f * (u[2] + u[5]);
        p->real = u[6] - 0.5f, p->imag = u[7] - 0.5f, p->weight = u[8];
        s->key[i] = (unsigned)(((int)p->z * s->side + (int)p->y) * s->side + (int)p->x);
        s->start[s->key[i] + 1]++;
    }
    for (size_t c = 0; !j->failed && c < cells; c++) s->start[c + 1] += s->start[c];
    int *next = job_host(j, cells, sizeof *next);
    for (size_t c = 0; !j->failed && c < cells; c++) next[c] = s->start[c];
    for (size_t i = 0; !j->failed && i < n; i++) s->order[next[s->key[i]]++] = (unsigned)i;
}

/* ---- references ---- */

/* Stable by four bits, each run of `run` pairs on its own. */
static void sort_runs(struct job *j, const struct scan *s, size_t run, unsigned *key, unsigned *value)
{
    size_t n = (size_t)s->padded;
    for (size_t base = 0; !j->failed && base < n; base += run) {
        size_t at = base;
        for (unsigned d = 0; d < DIGITS; d++)
            for (size_t i = base; i < base + run; i++)
                if (s->key[i] % DIGITS == d) key[at] = s->key[i], value[at++] = s->value[i];
    }
}

/* Where the pairs of each digit of each chunk go. */
static int *digit_places(struct job *j, const struct scan *s)
{
    size_t chunks = (size_t)s->chunks, n = DIGITS * chunks;
    int *place = job_host(j, n + 1, sizeof *place), sum = 0;
    for (size_t i = 0; !j->failed && i < (size_t)s->padded; i++) place[s->key[i] % DIGITS * chunks + i / CHUNK]++;
    for (size_t i = 0; !j->failed && i <= n; i++) {
        int count = place[i];
        place[i] = sum;
        sum += count;
    }
    return place;
}

static double window(float v)
{
    double z = 16 * (1 - (double)v / (double)cutoff2), sum = 0, term = 1;
    for (int k = 1; k <= 15; k++) sum += term, term *= z / k / k;
    return sum;
}

static void check_grid(struct job *j, const struct scan *s, CUdeviceptr grid, CUdeviceptr density)
{
    size_t cells = (size_t)s->cells;
    double *want = job_host(j, 3 * cells, sizeof *want);
    float *got = job_host(j, 3 * cells, sizeof *got);
    job_result(j, got, grid, 2 * cells * sizeof *got);
    job_result(j, got + (j->failed ? 0 : 2 * cells), density, cells * sizeof *got);
    for (int i = 0; !j->failed && j->run->check && i < s->samples; i++) {
        const struct sample *p = &s->sample[i];
        int x0 = (int)p->x, y0 = (int)p->y, z0 = (int)p->z;
        for (int k = 0; k < 216; k++) { /* six points each way are in reach */
            int x = x0 - REACH + k % 6, y = y0 - REACH + k / 6 % 6, z = z0 - REACH + k / 36;
            if (x < 0 || y < 0 || z < 0 || x >= s->side || y >= s->side || z >= s->side) continue;
            float dx = p->x - (float)x, dy = p->y - (float)y, dz = p->z - (float)z;
            float v = fmaf(dz, dz, fmaf(dy, dy, dx * dx)); /* the kernel's own rounding decides who is inside */
            if (v >= cutoff2) continue;
            double w = window(v) * (double)p->weight;
            size_t at = (size_t)((z * s->side + y) * s->side + x);
            want[2 * at] += w * (double)p->real, want[2 * at + 1] += w * (double)p->imag, want[2 * cells + at] += w;
        }
    }
    if (!j->failed && j->run->check) job_compare(j, "grid", got, want, 3 * cells, 1e-3);
}

static void check_words(struct job *j, const char *what, CUdeviceptr from, const void *want, size_t n)
{
    int *got = job_host(j, n, sizeof *got);
    job_result(j, got, from, n * sizeof *got);
    if (!j->failed && j->run->check) job_compare(j, what, got, want, n);
}

/* ---- the kernels ---- */

static void launch_sort(struct job *j, const struct scan *s, CUdeviceptr key, CUdeviceptr value, CUdeviceptr count,
                        int shift)
{
    job_launch(j, job_kernel(j, "mrig_sort"), (struct shape){(unsigned)s->chunks, 1, 256, 1},
               (void *[]){&key, &value, &count, &shift});
}

static void launch_scan(struct job *j, CUdeviceptr value, int n)
{
    job_launch(j, job_kernel(j, "mrig_scan"), (struct shape){1, 1, 256, 1}, (void *[]){&value, &n});
}

static void launch_rearrange(struct job *j, const struct scan *s, CUdeviceptr from[2], CUdeviceptr to[2],
                             CUdeviceptr place, int shift)
{
    job_launch(j, job_kernel(j, "mrig_rearrange"), (struct shape){(unsigned)s->chunks, 1, 256, 1},
               (void *[]){&from[0], &from[1], &to[0], &to[1], &place, &shift});
}

static void launch_grid(struct job *j, const struct scan *s, CUdeviceptr where, CUdeviceptr what, CUdeviceptr start)
{
    size_t cells = (size_t)s->cells;
    CUdeviceptr grid = job_device(j, cells, 8), density = job_device(j, cells, 4);
    int side = s->side;
    float cut = cutoff2;
    unsigned ctas[3] = {(unsigned)side / 8, (unsigned)side / 4, (unsigned)side / 8}, block[3] = {8, 4, 2};
    job_launch_3d(j, job_kernel(j, "mrig_grid"), ctas, block,
                  (void *[]){&where, &what, &start, &grid, &density, &side, &cut});
    if (!j->failed) check_grid(j, s, grid, density);
}

static bool begin(struct job *j, struct scan *s, const struct workload *w, struct workload_run *r)
{
    if (!job_begin(j, w, r, "mrigridding.ptx")) return false;
    *s = (struct scan){.samples = (int)r->in[IN_SAMPLES], .side = 8 * (int)r->in[IN_SIDE]};
    s->chunks = (s->samples + CHUNK - 1) / CHUNK;
    s->padded = s->chunks * CHUNK;
    s->cells = s->side * s->side * s->side;
    make_scan(j, s);
    return true;
}

static int run(struct workload_run *r)
{
    struct job j;
    struct scan s;
    if (!begin(&j, &s, &workload_mrigridding, r)) return 1;
    size_t n = (size_t)s.samples, padded = (size_t)s.padded, cells = (size_t)s.cells,
           places = DIGITS * (size_t)s.chunks;
    int *zero = job_host(&j, cells + 1, sizeof *zero);
    CUdeviceptr sample = job_upload(&j, s.sample, n, sizeof *s.sample), start = job_upload(&j, zero, cells + 1, 4);
    CUdeviceptr pair[2] = {job_upload(&j, s.key, padded, 4), job_upload(&j, s.value, padded, 4)};
    CUdeviceptr other[2] = {job_device(&j, padded, 4), job_device(&j, padded, 4)},
                place = job_device(&j, places + 1, 4);
    CUdeviceptr where = job_device(&j, n, 16), what = job_device(&j, n, 8);
    job_launch(&j, job_kernel(&j, "mrig_bin"), shape_cover(s.samples, 1, 256, 1),
               (void *[]){&sample, &pair[0], &pair[1], &start, &s.samples, &s.side});
    launch_scan(&j, start, s.cells);
    for (int shift = 0; !j.failed && s.cells >> shift; shift += 4) {
        launch_sort(&j, &s, pair[0], pair[1], place, shift);
        launch_scan(&j, place, (int)places);
        launch_rearrange(&j, &s, pair, other, place, shift);
        for (int k = 0; k < 2; k++) {
            CUdeviceptr swap = pair[k];
            pair[k] = other[k], other[k] = swap;
        }
    }
    if (!j.failed) check_words(&j, "start", start, s.start, cells + 1);
    if (!j.failed) check_words(&j, "order", pair[1], s.order, n);
    job_launch(&j, job_kernel(&j, "mrig_reorder"), shape_cover(s.samples, 1, 256, 1),
               (void *[]){&sample, &pair[1], &where, &what, &s.samples});
    if (!j.failed) launch_grid(&j, &s, where, what, start);
    return job_end(&j);
}

static int run_1(struct workload_run *r)
{
    struct job j;
    struct scan s;
    if (!begin(&j, &s, &workload_mrigridding_1, r)) return 1;
    size_t n = (size_t)s.samples, padded = (size_t)s.padded, cells = (size_t)s.cells;
    int *count = job_host(&j, cells + 1, sizeof *count);
    CUdeviceptr sample = job_upload(&j, s.sample, n, sizeof *s.sample), counts = job_upload(&j, count, cells + 1, 4);
    CUdeviceptr key = job_device(&j, padded, 4), value = job_device(&j, padded, 4);
    job_launch(&j, job_kernel(&j, "mrig_bin"), shape_cover(s.samples, 1, 256, 1),
               (void *[]){&sample, &key, &value, &counts, &s.samples, &s.side});
    for (size_t c = 0; !j.failed && c < cells; c++) count[c] = s.start[c + 1] - s.start[c];
    if (!j.failed) check_words(&j, "key", key, s.key, n);
    if (!j.failed) check_words(&j, "value", value, s.value, n);
    if (!j.failed) check_words(&j, "count", counts, count, cells);
    return job_end(&j);
}

static int run_2(struct workload_run *r)
{
    struct job j;
    struct scan s;
    if (!begin(&j, &s, &workload_mrigridding_2, r)) return 1;
    size_t padded = (size_t)s.padded;
    unsigned *key = job_host(&j, padded, 4), *value = job_host(&j, padded, 4);
    sort_runs(&j, &s, CHUNK, key, value);
    CUdeviceptr pair[2] = {job_upload(&j, key, padded, 4), job_upload(&j, value, padded, 4)};
    CUdeviceptr other[2] = {job_device(&j, padded, 4), job_device(&j, padded, 4)};
    CUdeviceptr place = job_upload(&j, digit_places(&j, &s), DIGITS * (size_t)s.chunks, 4);
    launch_rearrange(&j, &s, pair, other, place, 0);
    sort_runs(&j, &s, padded, key, value);
    if (!j.failed) check_words(&j, "key", other[0], key, padded);
    if (!j.failed) check_words(&j, "value", other[1], value, padded);
    return job_end(&j);
}

static int run_3(struct workload_run *r)
{
    struct job j;
    struct scan s;
    if (!begin(&j, &s, &workload_mrigridding_3, r)) return 1;
    size_t n = (size_t)s.samples;
    float(*where)[4] = job_host(&j, n, sizeof *where), (*what)[2] = job_host(&j, n, sizeof *what);
    for (size_t i = 0; !j.failed && i < n; i++) {
        const struct sample *p = &s.sample[s.order[i]];
        memcpy(where[i], (float[]){p->x, p->y, p->z, p->weight}, sizeof where[i]);
        memcpy(what[i], (float[]){p->real, p->imag}, sizeof what[i]);
    }
    CUdeviceptr dwhere = job_upload(&j, where, n, sizeof *where), dwhat = job_upload(&j, what, n, sizeof *what);
    CUdeviceptr start = job_upload(&j, s.start, (size_t)s.cells + 1, 4);
    if (!j.failed) launch_grid(&j, &s, dwhere, dwhat, start);
    return job_end(&j);
}

#define MRIG(NAME, RUN, SAMPLES, SIDE, HELP, ALIASES)                                                                  \
    const struct workload workload_##NAME = {                                                                          \
        .name = #NAME,                                                                                                 \
        .suite = "parboil",                                                                                            \
        .help = HELP,                                                                                                  \
        .aliases = ALIASES,                                                                                            \
        .input = {{"samples", "samples", {600, SAMPLES, 1 << 17}, 1, 1 << 24},                                         \
                  {"side", "side of the grid, in eights of points", {1, SIDE, 8}, 1, 32}},                             \
        .run = RUN,                                                                                                    \
    }

MRIG(mrigridding, run, 12000, 4, "samples of k space onto a grid: bin, sort, reorder, gather",
     "mri-gridding MRI apcm/mri");
MRIG(mrigridding_1, run_1, 1 << 17, 8, "mrigridding's binning: records of 24 bytes, an atomic count per cell",
     "mascar/mrig-1");
MRIG(mrigridding_2, run_2, 1 << 17, 8, "mrigridding's scatter of sorted pairs", "mascar/mrig-2");
MRIG(mrigridding_3, run_3, 12000, 8, "mrigridding's tiles: samples through shared memory", "mascar/mrig-3");
