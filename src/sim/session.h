/* session.h - one simulated GPU with its memory: what the CUDA driver API acts on.
 *
 * A session joins the functional half (device memory, loaded modules) and the timing half (a
 * machine). Launches run one after another, or overlap; results accumulate until the session is freed. */
#ifndef WL_SIM_SESSION_H
#define WL_SIM_SESSION_H

#include "ptx/exec.h"
#include "sim/gpu.h"
#include "sim/launch_queue.h"
#include "stats/kernel_record.h"
#include "stats/sampling_report.h"

enum session_mode {
    SESSION_TIMING,
    SESSION_FUNCTIONAL, /* execute only: no streams, no machine */
    SESSION_RECORD      /* execute and save streams with the writer given below */
};

/* A launch that did not end well. */
enum launch_end { LAUNCH_REFUSED /* it never began */, LAUNCH_FAULTED };
struct launch_failure {
    char kernel[128];   /* as results call it; "": it could not even be found */
    uint32_t launch;    /* the number it would have had, from 1 */
    uint32_t end;       /* enum launch_end */
    char error[64];     /* what the program was told: "CUDA_ERROR_ILLEGAL_ADDRESS" */
    char message[1024]; /* what the user was told */
};

/* Hooks of the process a session lives in: it may choose what is timed and hears of each launch. Each may be NULL. */
struct session_watch {
    void *arg;
    /* What results call a kernel whose own name is long and hard to read: writes it, true; or false. */
    bool (*label)(void *arg, const char *kernel, char *out, size_t size);
    /* Whether launch number `launch` (from 1) is timed or recorded; else it is only executed. */
    bool (*select)(void *arg, const char *kernel, unsigned launch);
    void (*launched)(void *arg);                               /* a launch has ended well */
    void (*failed)(void *arg, const struct launch_failure *f); /* a launch has not */
    /* Something the user must hear because a program may not say it: a kernel's fault, a module
     * that cannot be loaded, a call that is not supported. */
    void (*complain)(void *arg, const char *text);
    /* Something the user should know; NULL: as complain. */
    void (*note)(void *arg, const char *text);
    /* Text of a failed assertion; NULL: treated as text printed by kernels. */
    void (*print_assert)(void *arg, const char *text, size_t len);
};

struct session_options {
    enum session_mode mode;
    struct gpu_config config; /* timing only */
    struct gpu_options gpu;
    uint64_t memory_bytes; /* device memory; 0: 16 GiB (virtual) */
    bool no_data;          /* only traces are replayed: there is no memory behind the addresses */
    bool unified;          /* host memory the device sees is wanted (dev_mem_new_unified) */
    /* What is not timed need not be executed, if no timing depends on it: nobody looks at results but through
     * session_look, and whoever makes the session makes it anew, without this, when session_was_stale. */
    bool may_skim;
    bool may_move;        /* in a sampled run CTAs may execute side by side: the program's threads do not race */
    const char *time_all; /* of a sampled run: why everything is timed; NULL: it is not */
    const struct session_watch *watch; /* NULL: none */
    /* Text printed by kernels; NULL: dropped. */
    void (*print)(void *arg, const char *text, size_t len);
    void *print_arg;
    /* SESSION_RECORD: called with each launch's source and each host copy; consumes the source. */
    int (*record)(void *arg, struct stream_source *s, struct wl_err *e);
    void (*record_copy)(void *arg, uint64_t addr, uint64_t bytes);
    void *record_arg;
};

/* Launches by what became of them. */
struct launch_counts {
    unsigned all;     /* launches that ended well */
    unsigned skipped; /* of those: executed only, because they were not selected */
    unsigned cut;     /* of those: timed to gpu_options.cut_cycles only */
};

struct session;
struct session *session_new(const struct session_options *o, struct wl_err *e);
void session_free(struct session *s);

struct dev_mem *session_memory(struct session *s);
/* Before the host looks at device memory. WL_ERUN: it is not what the program would have made of it, since some of the
 * program was only counted. */
int session_look(struct session *s, struct wl_err *e);
/* Somebody looked in vain, or a launch could not be timed because what it depends on is missing. */
bool session_was_stale(const struct session *s);
struct gpu *session_gpu(struct session *s); /* NULL unless timing */
int session_launch(struct session *s, struct ptx_launch *l, struct wl_err *e);

/* ---- work that may overlap ----
 *
 * A launch is executed when it is made; when it runs on the machine is another matter. One that comes with an order may
 * overlap others: it is kept, and runs when the queue is flushed, after the work it waits for. Work is named by
 * numbers; 0 is work that has ended. A launch without an order runs at once, after all before it. */

/* Whether launches overlap here: the machine runs several kernels at a time, and no observer looks at single ones. */
bool session_overlaps(const struct session *s);
int session_launch_after(struct session *s, struct ptx_launch *l, const struct launch_order *o, uint64_t *number,
                         struct wl_err *e);
/* The host copies to the device when that work has ended. */
int session_copy_after(struct session *s, uint64_t addr, uint64_t bytes, const struct launch_order *o, uint64_t *number,
                       struct wl_err *e);
int session_replay_after(struct session *s, const struct kept_from *from, const struct launch_order *o,
                         uint64_t *number, struct wl_err *e);
/* Whether an order means something here: launches overlap, or the trace that is recorded tells of it. */
bool session_orders(const struct session *s);
bool session_has_ended(const struct session *s, uint64_t number);
bool session_waits(const struct session *s); /* some work was not run yet */
/* Whether all of it must have ended when the given work has. */
bool session_covers(const struct session *s, const uint64_t *number, unsigned numbers);
/* Runs all work that waits. After a failure nothing waits. */
int session_flush(struct session *s, struct wl_err *e);
/* Core cycles when the work had ended; 0: it was not run yet. */
uint64_t session_ended_at(const struct session *s, uint64_t number);

/* Runs a launch that comes from a trace (timing only). */
/* `total`: the instructions of the launch, once all of it was read. */
int session_replay(struct session *s, struct stream_source *src, struct exec_counts (*total)(void *arg), void *arg,
                   struct wl_err *e);
void session_host_copy(struct session *s, uint64_t addr, uint64_t bytes); /* the host has copied to the device */
/* What all launches counted: the machine's counters, with what was projected if the run is sampled; then report->on is
 * set. Timing only. WL_ELAW: the projection breaks a law. */
int session_read(const struct session *s, struct run_stats *stats, struct policy_stats *p,
                 struct sampling_report *report, struct wl_err *e);
/* What launch number `launch` (from 0) counted, projected or not; its record gets these cycles. False: the run is not
 * sampled. */
bool session_read_launch(struct session *s, unsigned launch, struct run_stats *stats, struct policy_stats *p);
/* Launches so far, without those that were not selected. */
const struct kernel_record *session_kernels(const struct session *s, unsigned *count);
/* Instructions executed by the functional half in these launches. */
struct exec_counts session_counts(const struct session *s);
struct launch_counts session_launches(const struct session *s);
/* Tells the watcher that a launch of this kernel failed, and why. */
void session_failed(const struct session *s, const char *kernel, enum launch_end end, const char *error,
                    const char *message);
/* Passes a sentence for the user on to the watcher, if there is one. */
void session_complain(const struct session *s, const char *text);

/* The session cu* calls of this thread act on; NULL: cuInit fails with CUDA_ERROR_NO_DEVICE. */
void session_make_current(struct session *s);
/* For threads that have none: `make` is asked for one, NULL when there is none. */
void session_provider(struct session *(*make)(void));
struct session *session_current(void);
/* The text of the last error a cu* call met, for the user: the driver API only returns a code. */
struct wl_err *session_error(struct session *s);

#endif
