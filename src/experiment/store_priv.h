/* store_priv.h - a store from inside: what store.c and store_uses.c share. */
#ifndef WL_EXPERIMENT_STORE_PRIV_H
#define WL_EXPERIMENT_STORE_PRIV_H

#include <sqlite3.h>

#include "experiment/store.h"

enum { STORE_FORMAT = 3 };

struct store {
    sqlite3 *db;
    char path[1200];
    int format; /* of the file; it becomes STORE_FORMAT when something is written */
};

/* What SQLite says was wrong, as a sentence. */
int store_fail(const struct store *s, struct wl_err *e);
int store_execute(struct store *s, const char *sql, struct wl_err *e);
/* Before something is written: a store of an older format becomes one of this. */
int store_upgrade(struct store *s, struct wl_err *e);

/* The table of store_use; part of the schema since format 3. */
#define STORE_USES                                                                                                     \
    "CREATE TABLE IF NOT EXISTS uses (key TEXT NOT NULL, experiment TEXT NOT NULL, series TEXT NOT NULL,"              \
    " point TEXT NOT NULL, PRIMARY KEY (key, experiment, series, point)) WITHOUT ROWID;"

#endif
