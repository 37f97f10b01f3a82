/* histo.c - host code of histo.cu: all three kernels, or one whose input the host prepares. */
#include "workloads/common.h"

enum { IN_ROWS, IN_RANGES };
enum { INTERMEDIATES = 1, MAIN = 2, FINAL = 4 };
enum { HALF = 498, ROW_STEP = 16, RANGE_BINS = 24576, PARTS = 14 };

struct image {
    int rows, ranges, bins, words; /* words: of four bins */
    unsigned *pixel;
    uint8_t (*descriptor)[4]; /* of even pixels, then of odd ones */
    unsigned (*counter)[4];   /* exact counts, by word */
};

static size_t pixels_of(const struct image *m) { return (size_t)m->rows * 2 * HALF; }

/* Bins are drawn around the middle, as in a picture of one bright spot: few bins get most pixels. */
static void make_image(struct job *j, struct image *m)
{
    size_t n = pixels_of(m);
    m->pixel = job_host(j, n, sizeof *m->pixel);
    m->descriptor = job_host(j, n, sizeof *m->descriptor);
    m->counter = job_host(j, (size_t)m->words, sizeof *m->counter);
    struct random r = random_new(j->run->seed, 0);
    for (size_t i = 0; !j->failed && i < n; i++) {
        uint32_t bin = 0, quarter = (uint32_t)m->bins / 4;
        for (int k = 0; k < 4; k++) bin += random_below(&r, quarter);
        if (random_below(&r, 4) == 0) bin = (uint32_t)m->bins / 2 + random_below(&r, 64); /* these overflow */
        uint32_t place = bin % RANGE_BINS;
        uint8_t *d = m->descriptor[i / 2 + (i % 2 ? n / 2 : 0)];
        d[0] = (uint8_t)(bin / RANGE_BINS), d[1] = (uint8_t)(place >> 8), d[2] = (uint8_t)place;
        d[3] = (uint8_t)(place % 4);
        m->pixel[i] = bin;
        m->counter[bin / 4][bin % 4]++;
    }
}

static void check_bytes(struct job *j, const char *what, CUdeviceptr from, const uint8_t *want, size_t count)
{
    uint8_t *got = job_host(j, count, 1);
    job_result(j, got, from, count);
    for (size_t i = 0; !j->failed && j->run->check && i < count; i++)
        if (got[i] != want[i]) job_fail(j, "%s[%zu] is %d, should be %d", what, i, got[i], want[i]);
    j->checked += count;
}

/* Which CTA counted a pixel does not matter: parts and overflow together are the exact counts. */
static void check_main(struct job *j, const struct image *m, CUdeviceptr parts, CUdeviceptr overflow)
{
    size_t words = (size_t)m->words, bins = (size_t)m->bins;
    uint8_t *part = job_host(j, PARTS, bins);
    int *got = job_host(j, bins, sizeof *got);
    job_result(j, part, parts, PARTS * bins);
    job_result(j, got, overflow, bins * sizeof *got);
    if (j->failed || !j->run->check) return;
    for (size_t p = 0; p < PARTS; p++)
        for (size_t b = 0; b < bins; b++) got[b] += part[p * 4 * words + b];
    job_compare(j, "counts", got, (const int *)m->counter[0], bins);
}

static void check_final(struct job *j, const struct image *m, CUdeviceptr histogram)
{
    size_t bins = (size_t)m->bins;
    uint8_t *want = job_host(j, bins, 1);
    for (size_t b = 0; !j->failed && b < bins; b++) {
        unsigned n = m->counter[b / 4][b % 4];
        want[b] = (uint8_t)(n < 255 ? n : 255);
    }
    check_bytes(j, "histogram", histogram, want, bins);
}

/* What histo_main would leave: all in the first part as far as bytes reach, the rest in the overflow. */
static void prepare_parts(struct job *j, const struct image *m, CUdeviceptr parts, CUdeviceptr overflow)
{
    size_t bins = (size_t)m->bins;
    uint8_t *part = job_host(j, bins, 1);
    unsigned *rest = job_host(j, bins, sizeof *rest);
    for (size_t b = 0; !j->failed && b < bins; b++) {
        unsigned n = m->counter[b / 4][b % 4];
        part[b] = (uint8_t)(n < 255 ? n : 255);
        rest[b] = n - part[b];
    }
    job_copy_in(j, parts, part, bins);
    job_copy_in(j, overflow, rest, bins * sizeof *rest);
}

static int execute(const struct workload *w, struct workload_run *r, int kernels)
{
    struct job j;
    if (!job_begin(&j, w, r, "histo.ptx")) return 1;
    struct image m = {.rows = (int)r->in[IN_ROWS], .ranges = (int)r->in[IN_RANGES]};
    m.bins = m.ranges * RANGE_BINS, m.words = m.bins / 4;
    make_image(&j, &m);
    size_t n = pixels_of(&m), bins = (size_t)m.bins;
    int half = HALF, count = (int)n;
    CUdeviceptr image = job_upload(&j, m.pixel, n, 4), descriptors = job_upload(&j, m.descriptor, n, 4);
    CUdeviceptr odd = descriptors + (CUdeviceptr)n / 2 * 4, histogram = job_device(&j, bins, 1);
    void *zero = job_host(&j, PARTS, bins);
    CUdeviceptr parts = job_upload(&j, zero, PARTS, bins), overflow = job_upload(&j, zero, bins, 4);
    if (kernels & INTERMEDIATES) {
        void *blank = job_host(&j, n, 4);
        job_copy_in(&j, descriptors, blank, n * 4);
        job_launch(&j, job_kernel(&j, "histo_intermediates"),
                   (struct shape){(unsigned)(m.rows + ROW_STEP - 1) / ROW_STEP, 1, HALF, 1},
                   (void *[]){&image, &descriptors, &odd, &m.rows, &half});
        if (!j.failed) check_bytes(&j, "descriptors", descriptors, m.descriptor[0], n * 4);
    }
    if (kernels & MAIN) {
        job_launch(&j, job_kernel(&j, "histo_main"), (struct shape){PARTS, (unsigned)m.ranges, 768, 1},
                   (void *[]){&descriptors, &parts, &overflow, &count, &m.words});
        if (!j.failed) check_main(&j, &m, parts, overflow);
    } else if (kernels & FINAL) prepare_parts(&j, &m, parts, overflow);
    if (kernels & FINAL) {
        job_launch(&j, job_kernel(&j, "histo_final"), (struct shape){42, 1, 512, 1},
                   (void *[]){&overflow, &parts, &histogram, &m.words});
        if (!j.failed) check_final(&j, &m, histogram);
    }
    return job_end(&j);
}

static int run(struct workload_run *r) { return execute(&workload_histo, r, INTERMEDIATES | MAIN | FINAL); }
static int run_1(struct workload_run *r) { return execute(&workload_histo_1, r, INTERMEDIATES); }
static int run_2(struct workload_run *r) { return execute(&workload_histo_2, r, MAIN); }
static int run_3(struct workload_run *r) { return execute(&workload_histo_3, r, FINAL); }

#define HISTO(NAME, RUN, HELP, ALIASES)                                                                                \
    const struct workload workload_##NAME = {                                                                          \
        .name = #NAME,                                                                                                 \
        .suite = "parboil",                                                                                            \
        .help = HELP,                                                                                                  \
        .aliases = ALIASES,                                                                                            \
        .input = {{"rows", "rows of 996 pixels", {20, 1040, 1040}, 1, 16384},                                          \
                  {"ranges", "ranges of 24576 bins", {1, 4, 42}, 1, 64}},                                              \
        .run = RUN,                                                                                                    \
    }

HISTO(histo, run, "saturating histogram with many bins, three kernels", "parboil/histo");
HISTO(histo_1, run_1, "histo's pixels to descriptors: streams of misaligned rows", "mascar/histo-1");
HISTO(histo_2, run_2, "histo's counting in bytes of shared memory", "mascar/histo-2");
HISTO(histo_3, run_3, "histo's sum of fourteen partial histograms", "mascar/histo-3");
