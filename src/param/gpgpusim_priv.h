/* gpgpusim_priv.h - what the files of the gpgpusim.config reader share. */
#ifndef WL_PARAM_GPGPUSIM_PRIV_H
#define WL_PARAM_GPGPUSIM_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "param/gpgpusim.h"

/* A cache string in pieces. */
struct cache_text {
    bool none;
    bool typed; /* as in release 4 */
    char type, replace, write, alloc, write_alloc, index, mshr;
    long sets, line, ways, entries, merge, missq, port; /* missq and port 0: not given */
};

/* The machine as far as it was read. */
struct machine {
    struct gpu_config *config;
    struct config_warn warn;
    struct wl_err *e;
    const char *file;
    const char *option; /* that is read, and its line; NULL: none */
    unsigned line;
    long capability[2]; /* major, minor */
    long clusters, cores, adaptive, unified, chips, width, burst, ratio, shared_default, max_issue;
    bool given_shared;
    struct cache_text l1;
    bool has_l1;
    char carveouts[96];
    struct {
        long units, latency, init; /* latency 0: not given */
        char name[16];             /* "": the unit does not exist */
    } special[8];                  /* -specialized_unit_1 and so on */
    uint64_t seen;                 /* rows of the table */
    char unused[1500];
    unsigned depth; /* of -config */
    bool release4;  /* its cache strings are those of release 4 */
    bool rules;     /* the machine follows the rules of that release's code (gpgpusim_rules.c) */
};

/* ---- gpgpusim_options.c ---- */

struct gpgpusim_row {
    const char *name;
    int (*set)(struct machine *m, const char *value, int arg); /* 0, or m->e has the reason */
    int arg;
    int needed; /* it shapes the machine */
};
/* The row of an option, which counts as given; NULL: it has no meaning here. */
const struct gpgpusim_row *gpgpusim_find(struct machine *m, const char *name);
void gpgpusim_say(struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gpgpusim_say_missing(struct machine *m);
void gpgpusim_special_units(struct machine *m);
/* Numbers separated by ':' or ',': exactly `need`, or more where `more` allows. */
int gpgpusim_numbers(struct machine *m, const char *text, double *out, unsigned need, bool more);
int gpgpusim_line_size(struct machine *m, const struct cache_text *t, long bytes); /* of the cache it must be */
int gpgpusim_set_param(struct machine *m, const char *value, int id);

/* ---- gpgpusim_rules.c ---- */

/* Whether the file, which was read into `m`, is one whose release we follow rule by rule: then `c` becomes the machine
 * that does. */
bool gpgpusim_has_rules(const struct machine *m);
int gpgpusim_take_rules(struct gpu_config *c, struct wl_err *e);
/* The row of an option that has a meaning with these rules only; or NULL. */
const struct gpgpusim_row *gpgpusim_rule(const char *name);

/* ---- gpgpusim_cache.c ---- */

bool gpgpusim_number(const char *text, long *out); /* the whole text is a number, not negative */
int gpgpusim_cache(const char *text, struct cache_text *out, struct wl_err *e);
/* Sets the DRAM's banks, groups and timings. */
int gpgpusim_timing(struct gpu_config *c, const char *text, struct wl_err *e);

#endif
