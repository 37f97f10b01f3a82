/* warpline.h - the simulator as a library: run a program on a simulated GPU and read what was counted.
 *
 *     char why[512];
 *     struct wl_run_spec spec = wl_spec("atax");
 *     const char *settings[] = {"l1=dacache:promote=2", "l1d.mshr=128", NULL};
 *     spec.settings = settings;
 *     struct wl_result *r;
 *     if (wl_run(&spec, &r, why, sizeof why)) puts(why);
 *     else puts(wl_result_json(r));
 *     wl_result_free(r);
 *
 * A program of your own that makes CUDA driver API calls opens a GPU instead:
 *
 *     struct wl_gpu *gpu = wl_gpu_open("gtx480", settings, why, sizeof why);
 *     ... ordinary driver API calls (warpline/cuda.h): cuInit, cuMemAlloc, cuLaunchKernel ...
 *     uint64_t misses;
 *     wl_gpu_counter(gpu, "l1d.misses", &misses);
 *     wl_gpu_close(gpu);
 *
 * Link with `pkg-config --cflags --libs warpline`, or with --static for the archive. Any thread may call wl_run; the
 * calls take turns. A result belongs to one thread at a time, a GPU to the thread that opened it. Policies are
 * registered while no other thread runs anything. */
#ifndef WARPLINE_WARPLINE_H
#define WARPLINE_WARPLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *wl_version(void);

/* ---- policies of the host program ---- */

struct wl_cache_policy; /* warpline/policy.h */
struct wl_sched_policy; /* warpline/sched.h */

/* Makes a policy known by its name, as a plugin does: then "l1=NAME", "l2=NAME" or "sched=NAME" chooses it. The table
 * is checked; it must stay where it is until the process ends. 0, or -1 and the reason in `message`. */
int wl_register_cache_policy(const struct wl_cache_policy *policy, char *message, size_t size);
int wl_register_sched_policy(const struct wl_sched_policy *policy, char *message, size_t size);
/* Adds the policies of a shared object (warpline/plugin.h). */
int wl_load_plugin(const char *file, char *message, size_t size);

/* ---- a run ---- */

/* What to run, on what. Make one with wl_spec(); zero or NULL leaves a field at its default. Lists end with
 * NULL. Words mean what they mean to the command `warpline`. */
struct wl_run_spec {
    size_t bytes; /* sizeof(struct wl_run_spec): lets the struct grow */
    /* A workload ("atax"), a kernel file ("k.ptx"), or a trace (.wlt or of Accel-Sim). */
    const char *program;
    /* Instead: an executable that uses CUDA, with its arguments. It runs in a process of its own, which does not know
     * the policies registered above; use wl_load_plugin and `plugins`. */
    char *const *executable;
    const char *const *plugins; /* executable only: shared objects with policies */

    const char *machine;         /* a preset or a file; NULL: gtx480 */
    const char *const *settings; /* "l1d.mshr=64", "l1=dacache:promote=2", "l2=...", "sched=..." */
    const char *engine;          /* "fast" or "tick", the slow reference; NULL: fast */
    uint64_t shuffle;            /* with "tick": seed of a random order in which the parts of the machine work */
    uint64_t max_cycles;         /* end a kernel after so many core cycles */
    bool functional;             /* execute only, time nothing */

    const char *size;          /* workload: "tiny", "small" or "paper"; NULL: small */
    const char *const *inputs; /* workload: "n=512" */
    uint64_t seed;             /* of generated inputs; wl_spec() sets 1 */
    bool check;                /* workload: compare the results with a CPU reference */

    const char *kernel;           /* k.ptx: which one; NULL: the only one. Executable: time kernels of this pattern */
    const char *grid, *block;     /* k.ptx: "64" or "16,16" or "8,8,8" */
    const char *const *arguments; /* k.ptx: "buf:4K:iota-f32", "u32:1024" */
    uint64_t shared_bytes;        /* k.ptx: dynamic shared memory */
};

static inline struct wl_run_spec wl_spec(const char *program)
{
    struct wl_run_spec s;
    memset(&s, 0, sizeof s);
    s.bytes = sizeof s;
    s.program = program;
    s.seed = 1;
    return s;
}

struct wl_result;

/* Runs it. 0 and *out; or the exit status the command `warpline` would have (1 the run failed, 2 bad input,
 * 3 deadlock, 4 a law of the simulator broke), *out NULL, and the reason in `message`. The program's own output, the
 * text kernels print, is dropped, except for executables. */
int wl_run(const struct wl_run_spec *spec, struct wl_result **out, char *message, size_t size);
/* Frees the result and those behind it. NULL is allowed. */
void wl_result_free(struct wl_result *r);
/* An executable may have several processes that use CUDA: the result of the next one, or NULL. */
struct wl_result *wl_result_next(const struct wl_result *r);
/* The exit status of an executable, as a shell gives it; 0 for everything else. */
int wl_result_status(const struct wl_result *r);

/* ---- what was counted ---- */

/* A counter by the name it has in the JSON record: "cycles", "l1d.stalls.mshr" and all others that `warpline list
 * counters` shows, and the policies' own: "l1_policy_counters.promotions", "l2_policy_counters...",
 * "scheduler_counters...", each with "storage_bits". 0, or -1 when there is no such counter. */
int wl_result_counter(const struct wl_result *r, const char *name, uint64_t *value);
/* Every counter in turn, from 0: its name, which lives as long as the result; NULL behind the last. */
const char *wl_result_counter_name(const struct wl_result *r, size_t index);
/* Any number of the JSON record: "ipc", "energy.total", "host.seconds". 0, or -1 when there is none of that name. */
int wl_result_number(struct wl_result *r, const char *name, double *value);
/* The whole record as JSON. It lives as long as the result; NULL: out of memory. */
const char *wl_result_json(struct wl_result *r);

/* Launches, in order. */
size_t wl_result_kernels(const struct wl_result *r);
const char *wl_result_kernel_name(const struct wl_result *r, size_t kernel);
void wl_result_kernel_shape(const struct wl_result *r, size_t kernel, uint32_t grid[3], uint32_t block[3]);
/* What this launch added to a counter of the machine: "cycles", "l1d.misses", ...; the policies' own are counted over
 * all launches only. 0, or -1 when there is no such counter, or nothing was timed. */
int wl_result_kernel_counter(const struct wl_result *r, size_t kernel, const char *name, uint64_t *value);

/* ---- a GPU for the cu* calls of this program ---- */

struct wl_gpu;

/* Opens a machine (a preset or a file; NULL: gtx480) and makes it the device of the cu* calls of
 * this thread. `settings` as above; NULL: none. Returns NULL and says why in `message`. */
struct wl_gpu *wl_gpu_open(const char *machine, const char *const *settings, char *message, size_t size);
/* Frees the machine and its memory; this thread's cu* calls have no device any more. */
void wl_gpu_close(struct wl_gpu *g);

/* As wl_result_counter, of everything since the machine was opened. */
int wl_gpu_counter(const struct wl_gpu *g, const char *name, uint64_t *value);

/* What the last failing cu* call met, in words; "" when none failed. */
const char *wl_gpu_error(const struct wl_gpu *g);

#ifdef __cplusplus
}
#endif

#endif
