/* lab.h - what the commands about experiments share: a plan with its store, run and shown. */
#ifndef WL_CLI_LAB_H
#define WL_CLI_LAB_H

#include "cli/cli.h"
#include "experiment/plan.h"
#include "experiment/results.h"
#include "experiment/table.h"

/* One experiment at work. */
struct lab {
    struct experiment *x;
    struct plan *plan;
    struct store *store;       /* NULL: results are held in memory only (compare) */
    const char *name;          /* as it was asked for */
    const char *command;       /* that a Slurm task repeats: "experiment" or "claims" */
    char path[1024];           /* of the store, or of the results file */
    char build[STORE_KEY];     /* that made the results */
    struct results_head shown; /* --from: what the file says of itself */
    const struct options *how; /* compare without a store: engine, checks; NULL: as experiments run */
    const char *spool;         /* of --task */
    bool lean;                 /* results are not held: whoever needs them fetches cells (plan.h) */
};

/* The path of --store or the default one. */
int lab_store_path(const struct options *o, char *out, size_t size, struct wl_err *e);
/* Reads the experiment and opens the store; the plan is empty. With --from the name is that of a results file. */
int lab_open(struct lab *l, const char *name_or_file, const struct options *o, struct wl_err *e);
/* Plans every figure and claim. */
int lab_plan_all(struct lab *l, struct wl_err *e);
/* --known: gives missing runs what an earlier export has of them. */
int lab_known(struct lab *l, const struct options *o, struct wl_err *e);
/* Runs what is missing and fetches everything. Runs that failed are said on standard error; they
 * are an error only for lab_failed. */
int lab_run(struct lab *l, const struct options *o, struct wl_err *e);
/* The same as a Slurm job array, whose tasks are this command with --task. */
int lab_run_slurm(struct lab *l, const struct options *o, struct wl_err *e);
/* --task: one run of a job array; its row goes into the spool, for the process that submitted it. */
int lab_run_task(struct lab *l, const struct options *o, struct wl_err *e);
/* WL_ERUN with a sentence when runs failed or were not done, else 0. */
int lab_failed(const struct lab *l, const struct options *o, struct wl_err *e);
void lab_close(struct lab *l);

/* Table to standard output, .csv and .svg to the folder of --out. */
int show_figure(const struct lab *l, const struct exp_figure *f, const struct options *o, struct wl_err *e);

/* Every run with its series, workload and record, as JSON (runs_json.c); "-" is standard output. */
int runs_json(const struct lab *l, const char *file, struct wl_err *e);

/* A line each: first what the paper states, then what is listed without being counted. Counts are added. `wanted`: of
 * each claim; NULL: all. */
void show_claims(const struct lab *l, const bool *wanted, struct claim_counts *counts);
void show_claim_summary(const struct claim_counts *counts);

#endif
