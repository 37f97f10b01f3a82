/* reader.h - what the files that read an experiment share. Nobody else includes it. */
#ifndef WL_EXPERIMENT_READER_H
#define WL_EXPERIMENT_READER_H

#include "experiment/experiment.h"
#include "experiment/ini_text.h"

enum { MAX_SERIES = 1024, MAX_WORKLOADS = 256, MAX_SETS = 64, MAX_LIST = 256, MAX_VARIANTS = 8 };

/* How a machine is made, before it is made: sweeps and `like` change copies of it. */
struct recipe {
    const char *gpu, *l1, *l2, *sched; /* NULL: as the machine has it */
    const char *scheme;                /* all of a scheme's policies (run/scheme.h); NULL: none */
    const char *set[MAX_SETS];
    unsigned nset;
};

struct reader {
    struct ini_text ini;
    struct experiment *x;
    struct arena *arena; /* of x */
    struct wl_err *e;
    uint64_t seed;                      /* of workloads that name none */
    struct recipe top;                  /* what the head of the file says for all series */
    struct recipe *recipes[MAX_SERIES]; /* of x->series, same index */
    const unsigned *choice;             /* of each unknown, as in experiment_at; NULL: all as the file stands */
    char refused[512];                  /* why a machine with these choices cannot be built; "": none was refused */
};

/* ---- reader.c: words, names, sets, expressions ---- */

/* The next word of *p, or false. A word ends at a blank or a comma. */
bool next_word(const char **p, const char **word, size_t *len);
/* Fails at a key's value with a printf'd sentence. */
int reader_fail(struct reader *r, const struct ini_key *k, unsigned offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int reader_memory(struct reader *r);
/* "there is no KIND 'name'; did you mean ...?" at offset of k. */
int reader_unknown(struct reader *r, const struct ini_key *k, unsigned offset, const char *kind, const char *name,
                   const char *const *names, unsigned count);
/* A list of workloads and groups, "-name" takes one out, "all" is everything named so far. */
int read_set(struct reader *r, const struct ini_key *k, const char *text, unsigned offset, struct exp_set *out);
/* An expression over a run; names are checked unless `each` elements are its world. */
int read_metric(struct reader *r, const struct ini_key *k, bool elements, const struct expr **out);
/* Any key left over is a mistake; `known` ends with NULL. */
int refuse_unused(struct reader *r, const struct ini_section *s, const char *const *known);

/* ---- read_series.c ---- */

int read_series(struct reader *r);
struct exp_series *find_series(const struct reader *r, const char *name, size_t len);
int unknown_series(struct reader *r, const struct ini_key *k, unsigned offset, const char *name);
/* The series `of` with the parameter `key` at `value`; a new hidden one. */
int derive_series(struct reader *r, const struct exp_series *of, const struct ini_key *k, const char *key,
                  const char *value, struct exp_series **out);
/* "l1d.ways: 2 4 8" cut into its key and points. */
int read_points(struct reader *r, const struct ini_key *k, const char **key, const char *const **points,
                unsigned *count);

/* The series `of` as it is on another machine; a new hidden one. */
int vary_series(struct reader *r, struct ini_section *in, const struct recipe *change, const struct exp_series *of,
                const char *variant);
/* The keys gpu, set, scheme, l1, l2 and sched of a section. */
int take_recipe(struct reader *r, struct ini_section *s, struct recipe *c);

/* ---- read_figure.c, read_variant.c, read_claim.c ---- */

int read_figures(struct reader *r);
int read_variants(struct reader *r);
int read_claims(struct reader *r);

/* ---- read_unknown.c: [unknown NAME], and what a choice of values changes ---- */

int read_unknowns(struct reader *r);
/* Everything that can be known of every value without building machines; when all series are read. */
int check_unknowns(struct reader *r);
/* The choices' seed and inputs of programs, machine parameters of all series, and what a series' own machine and
 * policies decide: parameters of policies, and changes relative to a value. */
int unknown_seed(struct reader *r);
int unknown_inputs(struct reader *r);
int unknown_recipe(struct reader *r);
int unknown_machine(const struct reader *r, const struct recipe *c, struct gpu_config *machine, struct wl_err *e);

#endif
