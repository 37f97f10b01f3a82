/* result.h - the record of one run, and the three ways to write it.
 *
 * A record says what ran, on what, and what was counted; two records with the same
 * configuration hash, workload hash, seed and build have the same numbers. Only `host` differs
 * from run to run. JSON keys are stable: other programs read them. */
#ifndef WL_RUN_RESULT_H
#define WL_RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "stats/energy.h"
#include "stats/kernel_record.h"
#include "stats/profile_report.h"
#include "stats/sample.h"
#include "stats/sampling_report.h"
#include "stats/stats.h"
#include "warpline/param.h"

struct gpu_config;
struct policy_stats;

/* What a policy counted itself. */
struct result_policy {
    char spec[256];                    /* "dacache:promote=2" */
    const struct wl_counter *counters; /* NULL-named end, or NULL */
    uint64_t value[WL_MAX_POLICY_COUNTERS];
    uint64_t storage_bits;
};

struct run_result {
    char workload[128], size[16];
    char inputs[256]; /* "n=1024" */
    char gpu[64];
    char machine[256]; /* the machine in one line, for people */
    char engine[16];   /* "fast", "tick"; "functional": nothing was timed */
    const char *version;
    const char *command;             /* the command line of this process; NULL: left out */
    const char *build;               /* hash of the simulator's sources, compiler and flags (scripts/build_id.sh) */
    const struct gpu_config *config; /* every parameter, outlives the record; NULL: left out */
    uint64_t config_hash;
    uint64_t workload_hash; /* of the program, its device code, its inputs and the seed (run/identity.h) */
    uint64_t seed;
    uint32_t sms, channels, core_khz, dram_khz; /* what rates are relative to */
    const struct kernel_record *kernels;
    const struct run_stats *each;           /* what each launch added to the counters; NULL: not kept */
    const struct policy_stats *each_policy; /* and what the policies counted in it */
    unsigned nkernels;
    struct run_stats stats;
    bool profiled; /* stats.profile was on: its counters and the report are valid */
    struct profile_report profile;
    const struct sample *samples; /* of stats.interval, in order of time; NULL: none */
    unsigned nsamples;
    const struct sampling_report
        *sampling; /* of a sampled run: `stats` and `each` are projections; NULL: all was timed */
    struct result_policy l1, l2, sched;
    struct energy energy[ENERGY_TABLES]; /* by every table; "total" of JSON is that of energy_table */
    unsigned energy_table;
    char check[256];             /* what --check compared; "" = not checked */
    const char *const *warnings; /* sentences about machine and trace */
    unsigned nwarnings;
    struct {
        double seconds;
        uint64_t peak_memory_bytes;
    } host;
};

/* Thread instructions per core cycle, rounded to 6 decimals; 0 when nothing was timed. */
double result_ipc(const struct run_result *r);

/* For people. */
void result_write_text(const struct run_result *r, FILE *out);
/* What --verbose adds: policies with their parameters, the command, every counter that is not 0. */
void result_write_detail(const struct run_result *r, FILE *out);
/* One object. 0, or WL_ERUN when memory runs out; errors of `out` stay in ferror(out). */
int result_write_json(const struct run_result *r, FILE *out, struct wl_err *e);
/* The object itself (a json_t *, jansson), for programs that build larger documents; NULL: no memory. */
void *result_json(const struct run_result *r);
/* The object as text, on one line when `compact`; the caller's to free. NULL: no memory. */
char *result_json_text(const struct run_result *r, bool compact);
/* A header and a row each, keys as in JSON with dots. The policies' own counters appear when all
 * rows have the same policies, those of the profile when all rows have one. */
void result_write_csv(const struct run_result *const *r, unsigned count, FILE *out);

/* The launches of several runs as CSV. */
int result_write_launches(const struct run_result *const *r, unsigned count, FILE *out, struct wl_err *e);
/* One list of the records as CSV: "samples" or "loads", a row each, with process and program if there are several
 * records. A list that no record has gives nothing. */
int result_write_rows(const struct run_result *const *r, unsigned count, const char *list, FILE *out, struct wl_err *e);

/* "1,234,567"; `out` has room for 32 characters. Returns out. */
const char *with_commas(uint64_t value, char *out);

#endif
