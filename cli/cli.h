/* cli.h - what the commands share: from options to runs, and where results go. */
#ifndef WL_CLI_CLI_H
#define WL_CLI_CLI_H

#include "base/out_file.h"
#include "cli/options.h"
#include "run/run.h"

/* Each returns the exit status; the sentence for the user is in *e when it is not 0. */
#define COMMAND(name, usage, summary, takes, more) int cmd_##name(const struct options *o, struct wl_err *e);
#include "cli/commands.def"
#undef COMMAND

/* ---- words.c: options as the words of a run ---- */

/* --gpu, --set, --l1, --l2 and --sched. Warnings go to standard error, once for each machine. */
struct machine_spec machine_words(const struct options *o);
/* The same options, in `own` with the profile switched on if --loads needs it: an observer, it changes no counter. */
const struct options *loads_words(const struct options *o, struct options *own);
/* A run of `program` with these options. */
struct run_spec run_words(const struct options *o, const char *program);
struct word_list list_words(const struct text_list *l);
/* Replaces "@group" by the names of its workloads. */
int expand_words(const struct text_list *in, struct text_list *out, struct wl_err *e);
/* Options that do not go with this kind of program must not be dropped silently. */
int refuse_options(const struct options *o, enum run_kind kind, struct wl_err *e);

/* "warpline: warning: ..." on standard error; arg is not used. */
void print_warning(void *arg, const char *text);

/* ---- output.c: where results go ---- */

struct output {
    FILE *json, *csv, *samples, *loads; /* NULL: not asked for; they belong to the files below */
    bool text;                          /* the readable form goes to standard output */
    bool detail;                        /* and what --verbose adds */
    struct out_file json_file, csv_file, samples_file, loads_file, timeline_file;
    struct timeline *timeline; /* NULL: not asked for */
    unsigned timeline_last_sm; /* the highest it shows */
};

/* Opens the files of --json and --csv before anything runs, so that a bad path costs no time. They get their names in
 * output_close: until then files of these names stay as they are. */
int output_open(struct output *out, const struct options *o, struct wl_err *e);
/* Writes one run everywhere. */
int output_run(struct output *out, const struct run_result *r, struct wl_err *e);
/* Closes; a full disk or a closed pipe is found here. `rc` is the status so far and comes back. */
int output_close(struct output *out, int rc, struct wl_err *e);
/* Flushes standard output and says whether everything arrived. */
int output_flush(struct wl_err *e);

/* ---- timeline_file.c: --timeline ---- */

/* What the options ask for; they are wrong without --timeline. */
int timeline_words(const struct options *o, struct timeline_spec *spec, struct wl_err *e);
/* Opens the file and makes the timeline; nothing when none is asked for, or for an executable. */
int timeline_open(struct output *out, const struct options *o, struct wl_err *e);
/* Ends what is in the file; output_close closes it. */
void timeline_close(struct output *out);

#endif
