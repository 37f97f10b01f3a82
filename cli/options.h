/* options.h - what the user typed, for all commands.
 *
 * One table describes every option: its name, its value and its help line; commands.def says which command
 * takes which. Parsing, the help of each command and "did you mean" all come from these two. */
#ifndef WL_CLI_OPTIONS_H
#define WL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { MAX_ITEMS = 256 };
struct text_list {
    const char *item[MAX_ITEMS];
    unsigned count;
};

/* An option that may have a number. */
struct maybe_number {
    bool given;
    uint64_t n;
};

/* An option that is short for --set: the words of it. */
struct setting {
    char text[64];
};

struct options {
    const char *gpu, *scheme, *l1, *l2, *sched, *size, *engine;
    const char *json, *csv, *output;
    const char *samples, *loads;
    const char *timeline, *timeline_window, *timeline_sms, *timeline_from;
    const char *kernel, *grid, *block, *sort, *html;
    const char *store, *out, *task, *spool, *only, *ranges, *known;
    const char *launch, *launches, *record;
    char **program; /* exec: the words of the program, NULL-terminated as in argv */
    struct text_list set, input, plugin, arg, dump, unknown;
    struct text_list words; /* what is not an option */
    const char *seeds;      /* --seed of a study: a list */
    uint64_t seed, shuffle, threads, max_cycles, shared, regs, jobs, timeout;
    bool seed_given;
    bool program_status, check, against, paranoid, functional, quiet, verbose, plain, help;
    bool source;
    const char *base;
    bool all, retry, no_run, slurm, failed, from;
    struct maybe_number range, timeline_requests;
    struct setting profile, interval, sample;
};

/* A row of the table in options.c. SETTING: short for --set of a parameter that is 1 then. SAMPLES: a number is such a
 * setting too, anything else a file. SAMPLE: the setting run.sample, with "=" and a value or without. */
enum option_kind { FLAG, TEXT, LIST, NUMBER, MAYBE_NUMBER, SETTING, SAMPLES, SAMPLE };
struct option_row {
    const char *name;
    char letter; /* "-q", or 0 */
    enum option_kind kind;
    const char *value; /* how the help calls the value */
    size_t offset;     /* of its field in struct options */
    const char *help;
};

/* A row of commands.def. */
struct command {
    const char *name;
    int (*run)(const struct options *, struct wl_err *);
    const char *usage, *summary;
    const char *options; /* names separated by spaces */
    const char *more;    /* further lines of its help */
};

/* Parses the words behind the command. WL_EINPUT with a sentence when something is wrong. */
int options_parse(struct options *o, const struct command *c, int argc, char **argv, struct wl_err *e);
/* The options a command takes, one after another; NULL begins, and ends. */
const struct option_row *options_next(const struct command *c, const struct option_row *after);
/* One line per option the command takes. */
void options_help(const struct command *c, FILE *out);

#endif
