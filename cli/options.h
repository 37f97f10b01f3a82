/* options.h - what the user typed, for all commands.
 *
 * One table describes every option: its name, its value, its help line, and the commands that
 * take it. Parsing, the help of each command and "did you mean" all come from that table. */
#ifndef WL_CLI_OPTIONS_H
#define WL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { MAX_ITEMS = 256 };
struct text_list {
    const char *item[MAX_ITEMS];
    unsigned count;
};

/* Commands as bits of option_row.commands. */
enum command_bit {
    CMD_RUN = 1,
    CMD_COMPARE = 2,
    CMD_LIST = 4,
    CMD_GPU = 8,
    CMD_TRACE = 16,
    CMD_BENCH = 32,
    CMD_EXPERIMENT = 64,
    CMD_FIGURE = 128,
    CMD_CLAIMS = 256,
    CMD_REPORT = 512,
    CMD_STORE = 1024,
    CMD_CHARACTERIZE = 2048,
    CMD_EXEC = 4096,
    CMD_TIMELINE = 8192,
    CMD_ALL = 16383
};

struct options {
    const char *gpu, *l1, *l2, *sched, *size, *engine;
    const char *json, *csv, *output;
    const char *timeline, *timeline_window, *timeline_sms;
    const char *kernel, *grid, *block;
    const char *store, *out, *task, *spool;
    const char *launch, *launches, *record;
    char **program; /* exec: the words of the program, NULL-terminated as in argv */
    struct text_list set, input, plugin, arg, dump;
    struct text_list words; /* what is not an option */
    uint64_t seed, shuffle, max_cycles, shared, jobs, timeout;
    bool seed_given;
    bool check, paranoid, functional, quiet, verbose, plain, help;
    bool all, retry, no_run, slurm, failed;
};

/* Parses the words behind the command. WL_EINPUT with a sentence when something is wrong. */
int options_parse(struct options *o, enum command_bit command, const char *name, int argc, char **argv,
                  struct wl_err *e);
/* One line per option the command takes. */
void options_help(enum command_bit command, FILE *out);
/* A number with an optional K, M or G behind it; false when it is none or too large. */
bool read_size(const char *text, uint64_t *out);

#endif
