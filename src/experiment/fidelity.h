/* fidelity.h - our counters next to those of something else: another simulator, or silicon.
 *
 * A reference file has `key = value` lines, then a CSV table: a row per run, or per launch of one, and a column per
 * counter of our JSON record (docs/fidelity-files.md). Each command of it is run once, in a process of its own; then
 * every number stands next to ours, and every counter gets its statistics. */
#ifndef WL_EXPERIMENT_FIDELITY_H
#define WL_EXPERIMENT_FIDELITY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

enum { FID_MAX_COUNTERS = 64, FID_MAX_FIELDS = 8192, FID_MAX_WORDS = 256 };

struct fid_row {
    const char *name, *command;
    const char *launch;       /* "": the whole run; "3": its third launch; "stencil#2": the second of that kernel */
    const char *grid, *block; /* what the launch must have been like, "128,1,1"; "": not checked */
    unsigned line;
    double *reference, *ours; /* a value per counter; NAN: not known */
    double cpu_seconds;       /* that the reference's simulator took; NAN: not known */
    double spent;             /* CPU seconds of our run, user and system; the least so far; NAN: not run */
    bool lost;                /* its run failed */
};

struct fid_aim {
    unsigned counter, line;
    double mean, worst, r; /* per cent, per cent, at least; NAN: none */
};

struct fid_reference {
    struct arena arena; /* everything below lives there */
    const char *file, *title, *options;
    const char *needs; /* the folder its commands run in must be given, and holds this; NULL: it need not */
    double least; /* a reference value below it is shown, but no error is counted: a single line would be a per cent */
    const char *counter[FID_MAX_COUNTERS];
    unsigned ncounters, nrows, naims;
    unsigned rounded; /* of ncu: values in units that cut digits off */
    unsigned failed;  /* runs that failed */
    struct fid_row *row;
    struct fid_aim *aim;
};

/* What the differences of one counter are. */
struct fid_stat {
    unsigned rows, equal;     /* compared; of these, equal to the last digit */
    double mean, bias, worst; /* per cent: of |error|, of error, the largest |error| with its sign */
    double r;                 /* Pearson's; NAN: fewer than two rows, or all alike */
    const struct fid_row *where;
};

/* How to run. */
struct fid_runs {
    const char *program;           /* our own executable */
    const char *folder;            /* where commands run */
    const char *const *extra;      /* words that take the place of the commands' own: "--gpu", "h100"; NULL ends */
    unsigned jobs;                 /* at a time */
    void (*say)(const char *text); /* progress; NULL: silent */
};

/* ---- files; fid_free is due whatever they return ---- */

int fid_read(struct fid_reference *f, const char *file, const char *text, struct wl_err *e);
/* Whether a text is what `ncu --csv` prints. */
bool fid_is_ncu(const char *text);
/* Its launches as rows, for `command`. Metrics that we have no counter for are left out. */
int fid_read_ncu(struct fid_reference *f, const char *file, const char *text, const char *command, struct wl_err *e);
void fid_free(struct fid_reference *f);
/* Drops the rows whose names do not match. */
int fid_choose(struct fid_reference *f, const char *only, struct wl_err *e);

/* The next record of a CSV text, fields in place, quotes removed; 0: the end. Longer records are cut at `max`. */
unsigned fid_record(char **text, char **field, unsigned max, unsigned *line);
/* A command as a shell would cut it; false: more than `max` words or an open quote. */
bool fid_words(struct arena *a, const char *command, const char **word, unsigned max, unsigned *count);

/* ---- runs and what comes of them ---- */

/* Where some runs failed, the error says so and the rows of the others, which are left, can be shown. */
int fid_run(struct fid_reference *f, const struct fid_runs *how, struct wl_err *e);
struct fid_stat fid_statistics(const struct fid_reference *f, unsigned counter);
bool fid_reached(const struct fid_aim *a, const struct fid_stat *s);

/* The tables as markdown, as CSV (a line per number, below a head), as a JSON object (json_t *), and the reference file
 * again. */
void fid_write_tables(const struct fid_reference *f, FILE *out);
void fid_write_csv(const struct fid_reference *f, bool head, FILE *out);
void *fid_json(const struct fid_reference *f);
void fid_write_reference(const struct fid_reference *f, FILE *out);

#endif
