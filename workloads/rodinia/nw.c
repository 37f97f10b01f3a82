/* nw.c - host code of nw.cu: two random sequences, a random symmetric table of scores. */
#include "workloads/common.h"

enum { IN_N, IN_PENALTY };
enum { TILE = 16, LETTERS = 24 };

static int largest(int a, int b, int c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

static void check(struct job *j, const int *reference, int *want, const int *got, size_t cols, int penalty)
{
    for (size_t i = 1; i < cols; i++)
        for (size_t k = 1; k < cols; k++) {
            size_t me = i * cols + k;
            want[me] = largest(want[me - cols - 1] + reference[me], want[me - 1] - penalty, want[me - cols] - penalty);
        }
    job_compare(j, "score", got, want, cols * cols);
}

/* Score of every pair of letters, by row and column; row and column 0 stand before the sequences. */
static void make_reference(int *reference, size_t cols, uint64_t seed)
{
    struct random r = random_new(seed, 0);
    int table[LETTERS][LETTERS];
    for (unsigned a = 0; a < LETTERS; a++)
        for (unsigned b = 0; b <= a; b++) table[a][b] = table[b][a] = (int)random_below(&r, 16) - 4;
    struct random rows = random_new(seed, 1);
    for (size_t i = 1; i < cols; i++) {
        uint32_t letter = random_below(&rows, LETTERS);
        struct random columns = random_new(seed, 2); /* the same sequence for each row */
        for (size_t k = 1; k < cols; k++) reference[i * cols + k] = table[letter][random_below(&columns, LETTERS)];
    }
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_nw, r, "nw.ptx")) return 1;
    int tiles = (int)((r->in[IN_N] + TILE - 1) / TILE), cols = tiles * TILE + 1, penalty = (int)r->in[IN_PENALTY];
    size_t n = (size_t)cols, bytes = n * n * sizeof(int);
    int *reference = job_host(&j, n * n, sizeof(int)), *score = job_host(&j, n * n, sizeof(int));
    int *got = job_host(&j, n * n, sizeof(int));
    if (j.failed) return job_end(&j);
    make_reference(reference, n, r->seed);
    for (size_t i = 1; i < n; i++) score[i] = score[i * n] = -(int)i * penalty;
    CUdeviceptr dref = job_upload(&j, reference, n * n, sizeof(int)),
                dscore = job_upload(&j, score, n * n, sizeof(int));
    CUfunction grow = job_kernel(&j, "nw_grow"), shrink = job_kernel(&j, "nw_shrink");
    for (int d = 1; d <= tiles; d++)
        job_launch(&j, grow, (struct shape){(unsigned)d, 1, TILE, 1}, (void *[]){&dref, &dscore, &cols, &penalty, &d});
    for (int d = tiles - 1; d >= 1; d--)
        job_launch(&j, shrink, (struct shape){(unsigned)d, 1, TILE, 1},
                   (void *[]){&dref, &dscore, &cols, &penalty, &d, &tiles});
    job_result(&j, got, dscore, bytes);
    if (r->check && !j.failed) check(&j, reference, score, got, n, penalty);
    return job_end(&j);
}

const struct workload workload_nw = {
    .name = "nw",
    .suite = "rodinia",
    .help = "sequence alignment: one launch per anti-diagonal of tiles, 16 threads per CTA",
    .aliases = "rodinia/nw dycache/nw",
    .input = {{"n", "length of both sequences, a multiple of 16", {96, 2048, 2048}, 16, 8192},
              {"penalty", "cost of a gap", {10, 10, 10}, 1, 100}},
    .run = run,
};
