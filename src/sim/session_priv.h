/* session_priv.h - what the files of a session share. */
#ifndef WL_SIM_SESSION_PRIV_H
#define WL_SIM_SESSION_PRIV_H

#include "sim/sampling.h"
#include "sim/session.h"

struct session {
    struct session_options opt;
    struct dev_mem *mem;
    struct gpu *gpu;
    struct kernel_record *kernel;
    unsigned kernels, kernels_cap;
    uint64_t cycles;
    struct exec_counts counts;
    struct launch_counts launches;
    struct wl_err error;
    bool warned_of_clocks;
    struct launch_queue queue; /* launches that were executed and wait for the machine */
    uint64_t overlaps;         /* groups of launches that overlapped */
    struct sampling *sampling; /* NULL: everything is timed */
    bool stale, was_stale;     /* something was only counted; and somebody needed it */
    uint64_t skimmed;          /* warp instructions that were only counted */
    void *attached;
    void (*free_attached)(void *);
};

/* What the machine counted in one kernel, and what had been executed when it stopped: more is to
 * come after a cut. */
struct timed {
    uint64_t cycles;
    struct exec_counts issued, executed;
    bool cut;
};

/* session.c */
/* Makes room before the run, so that a finished launch can always be recorded. */
int session_reserve(struct session *s, struct wl_err *e);
void session_record(struct session *s, const struct launch_info *info, uint64_t cycles, struct exec_counts n);
int session_time(struct session *s, struct stream_source *src, struct timed *t, struct wl_err *e);
int session_execute(struct stream_source *src, struct wl_err *e);
/* WL_ELAW: the machine issued other instructions than were executed. */
int session_audit(const char *kernel, struct exec_counts issued, struct exec_counts executed, struct wl_err *e);

/* session_sampled.c */
/* Where the instructions of a launch are counted that the machine does not count: in the executor, or in a trace. */
struct launch_total {
    struct exec_counts (*read)(void *arg);
    void *arg;
};
/* Times the launch, or a part of it, or only executes it. */
int session_sample(struct session *s, struct stream_source *src, struct launch_total total, struct timed *t,
                   struct wl_err *e);
/* The same for a launch that a program makes. */
int session_sample_launch(struct session *s, struct stream_source *src, struct timed *t, struct wl_err *e);

/* session_overlap.c */
/* Executes the launch and keeps it. One that is too large runs at once, as far as it was not executed yet. */
int session_keep(struct session *s, const struct kept_from *from, const struct launch_order *o, uint64_t *number,
                 struct wl_err *e);

#endif
