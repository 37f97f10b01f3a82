/* study.h - programs across all combinations of machines, policies, settings and inputs: what compare and sweep share.
 *
 * A study is an experiment without a file: its series are the combinations, its points what was varied. So it runs as
 * experiments do: several runs at a time, each in a process of its own, kept in a store, with a progress line, and
 * stopped and continued at any moment. */
#ifndef WL_CLI_STUDY_H
#define WL_CLI_STUDY_H

#include "cli/lab.h"

enum { STUDY_DIMENSIONS = 32, STUDY_POINTS = 4096, STUDY_RUNS = 65536 };

/* What a dimension is of: a word of the machine, --set, --input or --seed. */
enum dimension_of { OF_MACHINE, OF_SET, OF_INPUT, OF_SEED };

/* One thing that is chosen: a list of one is the same for all. */
struct dimension {
    const char *key; /* "gpu", "sched", "l1d.size", "n", "seed" */
    enum dimension_of of;
    char *text; /* what the values point into */
    struct text_list value;
};

/* One combination. */
struct study_point {
    unsigned choice[STUDY_DIMENSIONS]; /* index into the values of each dimension */
    char label[160];                   /* "16K gto", or the machine */
    char where[256];                   /* "l1d.size=16K sched=gto": what was varied */
    struct gpu_config config;
};

struct study {
    struct lab lab;
    struct text_list names; /* programs, groups taken apart */
    struct dimension dimension[STUDY_DIMENSIONS];
    unsigned dimensions;
    struct study_point *point; /* those of one machine stand together */
    unsigned points;
    unsigned variants; /* combinations of inputs and seeds: of each program there are so many in the experiment */
};

/* Everything that can be wrong is found here, before the first run. `name` is what the store calls it. `stored`:
 * results are looked for and kept in the store of --store or the default one, else in memory. */
int study_open(struct study *s, const char *name, bool stored, const struct options *o, struct wl_err *e);
/* Runs what is missing. */
int study_run(struct study *s, const struct options *o, struct wl_err *e);
void study_close(struct study *s);

/* The record of a program at a point (an object), or NULL: it failed or was not run. */
const json_t *study_result(const struct study *s, unsigned program, unsigned point);
bool study_failed(const struct study *s, unsigned program, unsigned point);
/* Cycles of the first machine with the same inputs and seed over cycles at this point; 0: not known. */
double study_speedup(const struct study *s, unsigned program, unsigned point);

/* ---- study_write.c ---- */

/* The table, and JSON and a tidy CSV as the options ask for. */
int study_write(const struct study *s, struct output *out, struct wl_err *e);

#endif
