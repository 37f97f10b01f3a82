/* cli.h - what the commands share: preparing a run, doing it, writing its results. */
#ifndef WL_CLI_CLI_H
#define WL_CLI_CLI_H

#include "cli/options.h"
#include "param/config.h"
#include "sim/session.h"
#include "stats/result.h"
#include "trace/wlt/wlt.h"
#include "workloads/workload.h"

struct job;

/* Each returns the exit status; the sentence for the user is in *e when it is not 0. */
int cmd_run(const struct options *o, struct wl_err *e);
int cmd_compare(const struct options *o, struct wl_err *e);
int cmd_list(const struct options *o, struct wl_err *e);
int cmd_gpu(const struct options *o, struct wl_err *e);
int cmd_trace(const struct options *o, struct wl_err *e);
int cmd_characterize(const struct options *o, struct wl_err *e);
int cmd_timeline(const struct options *o, struct wl_err *e);
int cmd_bench(const struct options *o, struct wl_err *e);
int cmd_exec(const struct options *o, struct wl_err *e);
/* `run` by what the word names. */
int cmd_run_ptx(const struct options *o, const char *file, struct wl_err *e);
/* The same for a job that has its machine, or a trace to record. */
int run_ptx_job(struct job *j, const struct options *o, const char *file, struct wl_err *e);
int cmd_run_trace(const struct options *o, const char *file, struct wl_err *e);
/* Whether the word names a trace, not a workload. */
bool names_trace(const char *word);
/* Whether it can be opened: found out before the first of many runs. */
int try_trace(const char *file, struct wl_err *e);
/* `run` of a trace for a job that has its machine; `warn`: says what the trace could not hold. */
int replay_job(struct job *j, const char *file, bool warn, struct wl_err *e);
/* Options that change a program mean nothing for a trace. */
int refuse_program_options(const struct options *o, struct wl_err *e);
bool ends_with(const char *s, const char *end);
/* Options that only mean something for FILE.ptx must not be dropped silently. */
int refuse_ptx_options(const struct options *o, struct wl_err *e);

/* ---- machine.c ---- */

/* The machine of --gpu, --set, --l1, --l2 and --sched, checked. A NULL keeps the preset's choice. */
int make_config(struct gpu_config *c, const char *gpu, const struct text_list *set, const char *l1, const char *l2,
                const char *sched, struct wl_err *e);
/* "gtx480: 15 SMs at 700 MHz, L1D 16 KiB ..." */
void machine_line(const struct gpu_config *c, char *out, size_t size);
/* --engine, --shuffle, --max-cycles. */
int engine_options(const struct options *o, struct gpu_options *out, struct wl_err *e);

/* ---- job.c: one run ---- */

struct job {
    struct gpu_config config;
    struct gpu_options engine;
    const struct workload *workload; /* of job_run */
    enum workload_size size;
    int64_t input[WORKLOAD_MAX_INPUTS];
    uint64_t seed;
    bool check, functional;
    const char *trace_file;   /* record the streams there instead of timing them; NULL: no */
    struct wlt_writer *trace; /* open from job_session on; who made the job finishes it */
    struct run_result result;
    struct result_kernel *kernels; /* owned; result.kernels points here */
    struct sample *samples;        /* the same for result.samples */
};

/* The words of a command with each "@group" replaced by the names of its workloads. */
int expand_groups(const struct text_list *words, struct text_list *out, struct wl_err *e);
/* The workload by name, its size and its inputs. */
int job_workload(struct job *j, const char *name, const struct options *o, struct wl_err *e);
/* Runs it on a new machine and fills the result. */
int job_run(struct job *j, struct wl_err *e);
void job_free(struct job *j);

/* For other programs than a workload: a session for this job, and its result afterwards. A trace
 * is begun with what the result says of the program, so that must be filled before. */
struct session *job_session(struct job *j, struct wl_err *e);
int job_collect(struct job *j, struct session *s, double seconds, struct wl_err *e);
/* What a machine counted goes into the result of a described job, with the energy it took. */
void job_count(struct job *j, const struct run_stats *stats, const struct policy_stats *p);
void job_describe(struct job *j); /* the machine, its policies and the version */
double now_seconds(void);         /* of the wall clock */
double cpu_seconds(void);         /* this process has used */
uint64_t peak_memory_bytes(void);
/* Text printed by kernels goes to standard error. */
void print_kernel_text(void *arg, const char *text, size_t len);

/* "warpline: warning: ..." on standard error; arg is not used. */
void print_warning(void *arg, const char *text);

/* ---- timeline.c: --timeline ---- */

/* Opens the file and makes the timeline; nothing when none is asked for. */
struct output;
int timeline_open(struct output *out, const struct options *o, struct wl_err *e);
void timeline_close(struct output *out); /* ends what is in the file; output_close closes it */

/* ---- output.c: where results go ---- */

struct output {
    FILE *json, *csv; /* NULL: not asked for */
    const char *json_name, *csv_name;
    bool text; /* the readable form goes to standard output */
    FILE *timeline_file;
    const char *timeline_name;
    struct timeline *timeline; /* for gpu_options; NULL: not asked for */
};

/* Opens the files of --json and --csv before anything runs, so that a bad path costs no time. */
int output_open(struct output *out, const struct options *o, struct wl_err *e);
/* Writes one run everywhere. */
int output_run(struct output *out, const struct run_result *r, struct wl_err *e);
/* Closes; a full disk or a closed pipe is found here. `rc` is the status so far and comes back. */
int output_close(struct output *out, int rc, struct wl_err *e);
/* Flushes standard output and says whether everything arrived. */
int output_flush(struct wl_err *e);

#endif
