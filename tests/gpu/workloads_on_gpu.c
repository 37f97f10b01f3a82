/* workloads_on_gpu.c - the built-in workloads on a real GPU, with the vendor's driver.
 *
 * The same host code, kernels and CPU references as in the simulator: what passes here and fails
 * there is a defect of the simulator. Build and run in the root of the tree:
 *
 *   cc -std=c11 -D_GNU_SOURCE -O2 -DWL_REAL_CUDA -I. -Isrc -Iinclude -I$CUDA/include \
 *      tests/gpu/workloads_on_gpu.c $(find workloads -name "*.c") -lcuda -lm -o on_gpu && ./on_gpu
 *
 * Arguments: sizes to run (tiny small paper; default tiny small), or names of workloads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workloads/workload.h"

static const char *const folders[] = {"basic",   "polybench", "rodinia", "shoc", "mars",
                                      "parboil", "graph",     "ispass",  "sdk",  "lonestar"};

/* The text of workloads/<suite>/<file>; kept until the program ends. */
static const char *load_ptx(const char *file)
{
    enum { MAX = 1 << 22 };
    for (unsigned i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "workloads/%s/%s", folders[i], file);
        FILE *f = fopen(path, "rb");
        if (!f) continue;
        char *text = calloc(1, MAX);
        if (text && fread(text, 1, MAX - 1, f) == 0) text[0] = 0;
        fclose(f);
        return text;
    }
    return NULL;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_one(const struct workload *w, int size)
{
    struct workload_run r = {.seed = 1, .check = true, .ptx = load_ptx};
    for (unsigned i = 0; w->input[i].name; i++) r.in[i] = w->input[i].value[size];
    double start = seconds();
    int failed = w->run(&r);
    printf("%-13s %-6s %-6s %7.2f s  %s\n", w->name, size_names[size], failed ? "FAILED" : "ok", seconds() - start,
           r.message);
    fflush(stdout);
    return failed;
}

static bool named(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return false;
}

int main(int argc, char **argv)
{
    bool some_size = false, some_name = false;
    for (int s = 0; s < SIZE_COUNT; s++) some_size |= named(argc, argv, size_names[s]);
    for (int i = 1; i < argc; i++) some_name |= workload_find(argv[i]) != NULL;
    int failures = 0;
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++)
        for (int s = 0; s < SIZE_COUNT; s++) {
            bool size_wanted = some_size ? named(argc, argv, size_names[s]) : s != SIZE_PAPER;
            if (size_wanted && (!some_name || named(argc, argv, list[i]->name))) failures += run_one(list[i], s);
        }
    printf("%d failed\n", failures);
    return failures != 0;
}
