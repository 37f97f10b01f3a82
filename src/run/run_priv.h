/* run_priv.h - a run from inside: what run.c, run_ptx.c and run_trace.c share. */
#ifndef WL_RUN_RUN_PRIV_H
#define WL_RUN_RUN_PRIV_H

#include "run/run.h"
#include "sim/session.h"

struct ptx_run;

struct run {
    struct run_spec spec;
    enum run_kind kind;
    struct gpu_config config;
    struct gpu_options engine;
    uint64_t seed;
    const struct workload *workload; /* RUN_WORKLOAD */
    enum workload_size size;
    int64_t input[WORKLOAD_MAX_INPUTS];
    struct ptx_run *ptx;        /* RUN_PTX */
    struct session *session;    /* from run_session on */
    char time_all[96];          /* why a sampled run was begun anew and times everything; "": it does not */
    bool executes;              /* a sampled run was begun anew, because somebody looked at memory */
    struct session_watch watch; /* keeps the counters of each launch */
    struct wlt_writer *writer;  /* of spec.record */
    struct wlt_totals recorded;
    struct run_stats known;           /* counters when the last launch ended */
    struct policy_stats *each_policy; /* what policies counted in each launch */
    struct policy_stats known_policy;
    struct run_stats *each;         /* owned, as the arrays below; result points to them */
    unsigned each_room, each_known; /* launches there is room for; launches whose counters are known */
    bool each_failed;               /* there was no memory for `each` */
    struct kernel_record *kernels;
    struct sample *samples;
    struct sampling_report sampling;
    char **warnings;
    unsigned nwarnings, warnings_room;
    struct run_result result;
};

/* Keeps a sentence for the record. */
void run_note(struct run *r, const char *text);

/* Opens the session. A trace is begun with what the result says of the program, so that must be filled before. */
int run_session(struct run *r, struct wl_err *e);
/* Fills the result from the session; `started` is now_seconds() of the beginning. */
int run_collect(struct run *r, double started, struct wl_err *e);

int run_ptx_new(struct run *r, struct wl_err *e);
int run_ptx_go(struct run *r, struct wl_err *e);
void run_ptx_free(struct run *r);
int run_trace_new(struct run *r, struct wl_err *e);
int run_trace_go(struct run *r, struct wl_err *e);

#endif
