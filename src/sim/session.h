/* session.h - one simulated GPU with its memory: what the CUDA driver API acts on.
 *
 * A session joins the functional half (device memory, loaded modules) and the timing half (a
 * machine). Launches run one after another; results accumulate until the session is freed. */
#ifndef WL_SIM_SESSION_H
#define WL_SIM_SESSION_H

#include "ptx/exec.h"
#include "sim/gpu.h"

enum session_mode {
    SESSION_TIMING,
    SESSION_FUNCTIONAL, /* execute only: no streams, no machine */
    SESSION_RECORD      /* execute and save streams with the writer given below */
};

struct session_options {
    enum session_mode mode;
    struct gpu_config config; /* timing only */
    struct gpu_options gpu;
    uint64_t memory_bytes;    /* device memory; 0: 16 GiB (virtual) */
    /* Text printed by kernels; NULL: dropped. */
    void (*print)(void *arg, const char *text, size_t len);
    void *print_arg;
    /* SESSION_RECORD: called with each launch's source and each host copy; consumes the source. */
    int (*record)(void *arg, struct stream_source *s, struct wl_err *e);
    void (*record_copy)(void *arg, uint64_t addr, uint64_t bytes);
    void *record_arg;
};

/* One launch as the user sees it. */
struct kernel_record {
    char name[128];
    uint32_t grid[3], block[3];
    uint64_t cycles, warp_instructions, thread_instructions;
};

struct session;
struct session *session_new(const struct session_options *o, struct wl_err *e);
void session_free(struct session *s);

struct dev_mem *session_memory(struct session *s);
struct gpu *session_gpu(struct session *s); /* NULL unless timing */
int session_launch(struct session *s, struct ptx_launch *l, struct wl_err *e);
/* Runs a launch that comes from a trace (timing only). */
int session_replay(struct session *s, struct stream_source *src, struct wl_err *e);
void session_host_copy(struct session *s, uint64_t addr, uint64_t bytes); /* host to device happened */
/* Launches so far. */
const struct kernel_record *session_kernels(const struct session *s, unsigned *count);
/* Instructions executed by the functional half in all launches. */
struct exec_counts session_counts(const struct session *s);

/* The session cu* calls of this thread act on; NULL: cuInit fails with CUDA_ERROR_NO_DEVICE. */
void session_make_current(struct session *s);
struct session *session_current(void);
/* The text of the last error a cu* call met, for the user: the driver API only returns a code. */
struct wl_err *session_error(struct session *s);

#endif
