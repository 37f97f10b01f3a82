/* store.h - the results of runs, kept in one SQLite file.
 *
 * A result is found by its key only: a hash of everything it depends on (plan.h). A simulator
 * that was changed asks for other keys, so a stale number cannot be shown. Each result is one
 * transaction; the file is in write-ahead mode, so that kill -9 loses nothing that was put and
 * several processes may use it at once. Every row carries a checksum that is compared whenever
 * it is read. A file that is not a whole store is refused: it is never taken for an empty one. */
#ifndef WL_EXPERIMENT_STORE_H
#define WL_EXPERIMENT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { STORE_KEY = 33 }; /* 32 hexadecimal digits and a NUL */

/* One result. The texts that store_each hands out live until its `each` returns. */
struct store_row {
    const char *key, *build, *workload, *size, *inputs, *gpu, *l1, *l2, *sched;
    uint64_t seed, config_hash;
    bool failed;
    const char *reason;  /* why it failed; "" */
    double seconds;      /* how long the run took */
    const char *created; /* UTC, "2025-01-31 12:00:00"; ignored by store_put */
    const char *json;    /* the run as `warpline run --json` writes it; "" when it failed */
};

struct store;

/* ~/.cache/warpline/results.db, or below $XDG_CACHE_HOME. */
int store_default_path(char *out, size_t size, struct wl_err *e);
/* Opens it; one that is not there is made (with its folders) when `create`, else it is an error. */
struct store *store_open(const char *path, bool create, struct wl_err *e);
void store_close(struct store *s);

/* 1 found: *json and *reason are the caller's to free; 0 not there; -1 error. */
int store_get(struct store *s, const char *key, bool *failed, char **json, char **reason, struct wl_err *e);
/* A good result stays when there is one already; a failed one is replaced. */
int store_put(struct store *s, const struct store_row *row, struct wl_err *e);
/* All rows by workload, machine and policies; `each` returns non-zero to stop, which is returned. */
int store_each(struct store *s, int (*each)(void *arg, const struct store_row *row), void *arg, struct wl_err *e);
/* Deletes results of other builds, or only those that failed; says how many went. */
int store_prune(struct store *s, const char *keep_build, bool failed_only, unsigned *gone, struct wl_err *e);
/* Reads everything; an error when SQLite or a checksum finds damage. */
int store_verify(struct store *s, unsigned *rows, struct wl_err *e);

/* What a result was run for; any number for one result. */
struct store_use {
    const char *key, *experiment, *series;
    const char *point; /* the value of a sweep, "16", or all that was varied, "l1d.size=16K sched=gto"; "" */
};
/* Keeps them, each once, in one transaction. */
int store_use(struct store *s, const struct store_use *uses, unsigned count, struct wl_err *e);
/* Those of one result; `each` returns non-zero to stop, which is returned. */
int store_uses_of(struct store *s, const char *key, int (*each)(void *arg, const struct store_use *use), void *arg,
                  struct wl_err *e);

/* A tidy table (run/record_table.h): a header and one row per result. */
int store_export_csv(struct store *s, FILE *out, struct wl_err *e);
/* An array of objects: the identity of each result, what it was run for ("uses"), and the result. */
int store_export_json(struct store *s, FILE *out, struct wl_err *e);

#endif
