/* process_report.h - what a simulated program's process reports to `warpline exec`.
 *
 * One file per process: this struct, then a launch_record for each launch. It is rewritten after every
 * launch, so that a program which ends by a signal or _exit() still leaves what it did. Both sides
 * are built together; the size stands in the file to find out when they were not. A process that
 * ends well and was profiled or sampled leaves two files more, with these endings.
 *
 * A process whose results could not be written must not pass for one that did less. So `warpline exec` makes a file for
 * such news beforehand, which no full disk can refuse: its first byte is '0', and a process that lost something makes
 * it '1'. The file is locked as long as somebody wants the reports. */
#ifndef WL_SIM_PROCESS_REPORT_H
#define WL_SIM_PROCESS_REPORT_H

#include "sim/session.h"
#include "stats/timeline.h"

#define PROCESS_REPORT_MAGIC UINT64_C(0x31746f70656c7277)

/* How the settings of `warpline exec` reach the process. Lists have one entry per line. */
#define ENV_GPU        "WARPLINE_GPU"
#define ENV_L1         "WARPLINE_L1"
#define ENV_L2         "WARPLINE_L2"
#define ENV_SCHED      "WARPLINE_SCHED"
#define ENV_SET        "WARPLINE_SET"
#define ENV_PLUGIN     "WARPLINE_PLUGIN"
#define ENV_ENGINE     "WARPLINE_ENGINE" /* "tick" */
#define ENV_SHUFFLE    "WARPLINE_SHUFFLE"
#define ENV_THREADS    "WARPLINE_THREADS"
#define ENV_FUNCTIONAL "WARPLINE_FUNCTIONAL" /* "1" */
#define ENV_KERNEL     "WARPLINE_KERNEL"
#define ENV_LAUNCH     "WARPLINE_LAUNCH"
#define ENV_MAX_CYCLES "WARPLINE_MAX_CYCLES"
#define ENV_RECORD     "WARPLINE_RECORD" /* folder of .wlt files */
#define ENV_REPORT     "WARPLINE_REPORT" /* folder of these files */

#define LOADS_ENDING   ".loads"   /* struct load_record, `profile.loads` of them */
#define HEAT_ENDING    ".heat"    /* uint64_t, `profile.heat.samples` times `profile.heat.width` of them */
#define INSTS_ENDING   ".insts"   /* struct inst_record, `profile.insts` of them */
#define SAMPLES_ENDING ".samples" /* struct sample, `samples` of them */

#define LOST_FILE "lost.mark"

/* How a timeline reaches the process: a file of this name holds the struct, whose pattern is in the struct; the process
 * leaves the timeline in a file with this ending. */
#define TIMELINE_FILE   "timeline.spec"
#define TIMELINE_ENDING ".timeline"
struct timeline_order {
    struct timeline_spec spec; /* its pointer is not valid in the file */
    char kernel[256];          /* "": no pattern */
};

enum { MAX_FAILURES = 16 };

struct launch_record {
    struct kernel_record kernel;
    struct run_stats stats; /* what this launch added; 0 when it was not timed */
    struct policy_stats policies;
};

struct process_report {
    uint64_t magic, bytes;
    uint64_t pid, started_ns; /* monotonic: the order of processes */
    char program[128], arguments[256];
    uint64_t program_hash; /* of the executable and the arguments */
    struct launch_counts launches;
    struct exec_counts counts;
    struct run_stats stats;
    struct policy_stats policies;
    struct sampling_report sampling; /* of a sampled process: all counters are projections */
    struct profile_report profile;   /* its pointer is not valid in the file */
    uint64_t samples;
    double seconds; /* from the first CUDA call to the last launch */
    uint64_t peak_memory_bytes;
    uint32_t kernels;  /* records behind this struct */
    uint32_t failed;   /* enum wl_code of the first failure */
    char error[512];   /* the sentence of that failure */
    uint32_t failures; /* launches that were refused or faulted; the first of them: */
    struct launch_failure failure[MAX_FAILURES];
    uint32_t recording; /* a trace was begun */
    char trace[1024];   /* the .wlt file when it is finished; before, its name until then, "" if it has none */
    uint32_t trace_finished;
    uint64_t trace_launches, trace_bytes;
};

/* First and last launch of "N", "N..M", "N.." or "..M", from 1; false when it is none of them. */
bool launch_range(const char *text, unsigned *first, unsigned *last);
/* What results call a C++ kernel: its name in the source, with a number made of all of its symbol
 * when that says more (namespaces, template arguments): _Z3addPfi is "add", _ZN4math3addIfEEvPT_
 * "add#1b2c". False: not such a symbol. */
bool kernel_label(const char *symbol, char *out, size_t size);
/* Whether a shell pattern fits a kernel's symbol, its name in the source or its label. */
bool kernel_matches(const char *pattern, const char *name);

#endif
