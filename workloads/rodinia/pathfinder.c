/* pathfinder.c - host code of pathfinder.cu: `pyramid` rows per launch. */
#include "workloads/common.h"

enum { IN_COLS, IN_ROWS, IN_PYRAMID };
enum { WIDTH = 256 };

static int least(int a, int b) { return a < b ? a : b; }

static void check(struct job *j, const int *wall, const int *got, size_t cols, size_t rows)
{
    int *now = job_host(j, cols, sizeof *now), *next = job_host(j, cols, sizeof *next);
    if (j->failed) return;
    for (size_t i = 0; i < cols; i++) now[i] = wall[i];
    for (size_t row = 1; row < rows; row++) {
        for (size_t i = 0; i < cols; i++) {
            int best = least(now[i], least(now[i ? i - 1 : 0], now[i + 1 < cols ? i + 1 : i]));
            next[i] = best + wall[row * cols + i];
        }
        int *swap = now;
        now = next;
        next = swap;
    }
    job_compare(j, "cost", got, now, cols);
}

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_pathfinder, r, "pathfinder.ptx")) return 1;
    int cols = (int)r->in[IN_COLS], rows = (int)r->in[IN_ROWS], pyramid = (int)r->in[IN_PYRAMID];
    size_t n = (size_t)cols, count = n * (size_t)rows;
    int *wall = job_host(&j, count, sizeof *wall), *got = job_host(&j, n, sizeof *got);
    struct random random = random_new(r->seed, 0);
    for (size_t i = 0; wall && i < count; i++) wall[i] = (int)random_below(&random, 10);
    CUdeviceptr dwall = job_upload(&j, wall, count, sizeof *wall);
    CUdeviceptr row[2] = {job_upload(&j, wall, n, sizeof *wall), job_device(&j, n, sizeof *wall)};
    CUfunction kernel = job_kernel(&j, "pathfinder");
    struct shape s = shape_cover(cols, 1, (unsigned)(WIDTH - 2 * pyramid), 1);
    unsigned from = 0;
    s.block_x = WIDTH;
    for (int start = 1; start < rows; start += pyramid, from ^= 1) {
        int steps = least(pyramid, rows - start);
        job_launch(&j, kernel, s, (void *[]){&steps, &dwall, &row[from], &row[from ^ 1], &cols, &start, &pyramid});
    }
    job_result(&j, got, row[from], n * sizeof *got);
    if (r->check && !j.failed) check(&j, wall, got, n, (size_t)rows);
    return job_end(&j);
}

const struct workload workload_pathfinder = {
    .name = "pathfinder",
    .suite = "rodinia",
    .help = "cheapest path through a grid: 20 rows per launch in shared memory",
    .aliases = "rodinia/pathfinder mascar/pf",
    .input = {{"cols", "columns", {1000, 100000, 100000}, 1, 1 << 22},
              {"rows", "rows", {30, 21, 100}, 2, 10000},
              {"pyramid", "rows per launch", {20, 20, 20}, 1, 100}},
    .run = run,
};
