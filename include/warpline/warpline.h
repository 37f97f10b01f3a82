/* warpline.h - a simulated GPU for a C program.
 *
 *     char why[512];
 *     const char *settings[] = {"sched=lrr", "l1d.mshr=128", NULL};
 *     struct wl_gpu *gpu = wl_gpu_open("gtx480", settings, why, sizeof why);
 *     ... ordinary CUDA driver API calls (warpline/cuda.h): cuInit, cuMemAlloc, cuLaunchKernel ...
 *     uint64_t misses;
 *     wl_gpu_counter(gpu, "l1d.misses", &misses);
 *     wl_gpu_close(gpu);
 *
 * Link with `pkg-config --libs --static warpline`. */
#ifndef WARPLINE_WARPLINE_H
#define WARPLINE_WARPLINE_H

#include <stddef.h>
#include <stdint.h>

struct wl_gpu;

/* Opens a machine (a preset or a file; NULL: gtx480) and makes it the device of the cu* calls of
 * this thread. `settings`: a NULL-terminated list of "parameter=value", and of "l1=", "l2=",
 * "sched=" with a policy; NULL: none. Returns NULL and says why in `message`. */
struct wl_gpu *wl_gpu_open(const char *machine, const char *const *settings, char *message, size_t size);
/* Frees the machine and its memory; this thread's cu* calls have no device any more. */
void wl_gpu_close(struct wl_gpu *g);

/* A counter by the name `warpline list counters` gives it, or "cycles" or "kernels", summed since
 * the machine was opened. 0, or -1 when there is no such counter. */
int wl_gpu_counter(const struct wl_gpu *g, const char *name, uint64_t *value);

/* What the last failing cu* call met, in words; "" when none failed. */
const char *wl_gpu_error(const struct wl_gpu *g);

#endif
