/* store.c - SQLite behind store.h.
 *
 * A new store is built under another name and linked into place when it is complete, so that a
 * file of this name is always a whole store: an empty or foreign file is somebody's mistake or a
 * damaged disk, and is said to be so. */
#include "experiment/store.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"

enum { APPLICATION = 0x57524c4e /* "WRLN" */, FORMAT = 1, BUSY_MS = 60000 };

struct store {
    sqlite3 *db;
    char path[1200];
};

#define COLUMNS                                                                                                        \
    "key, build, workload, size, inputs, gpu, l1, l2, sched, seed, config_hash, failed, reason, seconds, json"

static const char schema[] =
    "CREATE TABLE results ("
    " key TEXT PRIMARY KEY NOT NULL, build TEXT NOT NULL, workload TEXT NOT NULL,"
    " size TEXT NOT NULL, inputs TEXT NOT NULL, gpu TEXT NOT NULL, l1 TEXT NOT NULL,"
    " l2 TEXT NOT NULL, sched TEXT NOT NULL, seed TEXT NOT NULL, config_hash TEXT NOT NULL,"
    " failed INTEGER NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL, json TEXT NOT NULL,"
    " created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT NOT NULL);";

/* ---- errors ---- */

static int store_fail(const struct store *s, struct wl_err *e)
{
    int code = sqlite3_errcode(s->db);
    const char *text = sqlite3_errmsg(s->db);
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return wl_fail(e, WL_ERUN,
                       "the result store %s is damaged or no store at all (%s); nothing was changed: move it "
                       "away, or name another with --store",
                       s->path, text);
    case SQLITE_FULL:
        return wl_fail(e, WL_ERUN, "the disk of the result store %s is full; what is in the store is safe", s->path);
    case SQLITE_IOERR:
        return wl_fail(e, WL_ERUN,
                       "cannot write the result store %s (%s: is the disk full?); what is in the store is safe",
                       s->path, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return wl_fail(e, WL_ERUN, "the result store %s has been locked by another process for a minute", s->path);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return wl_fail(e, WL_EINPUT, "cannot write the result store %s: %s", s->path, text);
    default: return wl_fail(e, WL_ERUN, "result store %s: %s", s->path, text);
    }
}

static int execute(struct store *s, const char *sql, struct wl_err *e)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, e);
}

static int pragma(struct store *s, const char *sql, int64_t *out, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) *out = sqlite3_column_int64(q, 0);
    int failed = rc == SQLITE_ROW ? 0 : store_fail(s, e);
    sqlite3_finalize(q);
    return failed;
}

/* ---- opening ---- */

static int make_folders(const char *path, struct wl_err *e)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return wl_fail(e, WL_EINPUT, "cannot make the folder %s of the result store: %s", folder, strerror(errno));
        *p = '/';
    }
    return 0;
}

int store_default_path(char *out, size_t size, struct wl_err *e)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = cache && *cache ? snprintf(out, size, "%s/warpline/results.db", cache)
            : home && *home ? snprintf(out, size, "%s/.cache/warpline/results.db", home)
                            : -1;
    return n > 0 && (size_t)n < size
               ? 0
               : wl_fail(e, WL_EINPUT, "neither XDG_CACHE_HOME nor HOME is set: name a --store FILE");
}

static int open_file(struct store *s, const char *path, struct wl_err *e)
{
    snprintf(s->path, sizeof s->path, "%s", path);
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return store_fail(s, e);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return 0;
}

/* Builds an empty store next to `path` and links it there; another process may be faster. */
static int create_file(const char *path, struct wl_err *e)
{
    struct store s = {0};
    char name[1100], head[200];
    snprintf(name, sizeof name, "%s.new.%ld", path, (long)getpid());
    snprintf(head, sizeof head, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION, FORMAT);
    int rc = make_folders(path, e);
    if (rc) return rc;
    unlink(name);
    rc = open_file(&s, name, e);
    if (!rc) rc = execute(&s, head, e);
    if (!rc) rc = execute(&s, schema, e);
    if (!rc) rc = execute(&s, "PRAGMA journal_mode=WAL;", e);
    sqlite3_close(s.db);
    /* A link never replaces; where a disk has no links, rename does for all but a close race. */
    if (!rc && link(name, path) != 0 && errno != EEXIST && rename(name, path) != 0)
        rc = wl_fail(e, WL_EINPUT, "cannot make the result store %s: %s", path, strerror(errno));
    unlink(name);
    return rc;
}

/* SQLite's own check of the file: "ok", or what is wrong. */
static int check_pages(struct store *s, const char *sql, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = 0, step = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (step == SQLITE_OK) step = sqlite3_step(q);
    const char *said = step == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    if (step != SQLITE_ROW) rc = store_fail(s, e);
    else if (!said || strcmp(said, "ok") != 0)
        rc = wl_fail(e, WL_ERUN,
                     "the result store %s is damaged (%.300s); nothing was changed: move it away, or name "
                     "another with --store",
                     s->path, said ? said : "no answer");
    sqlite3_finalize(q);
    return rc;
}

static int check_identity(struct store *s, struct wl_err *e)
{
    int64_t application = 0, format = 0;
    int rc = pragma(s, "PRAGMA application_id", &application, e);
    if (!rc) rc = pragma(s, "PRAGMA user_version", &format, e);
    if (rc) return rc;
    if (application != APPLICATION)
        return wl_fail(e, WL_EINPUT, "%s is a database, but not a result store of warpline", s->path);
    if (format != FORMAT)
        return wl_fail(e, WL_EINPUT, "the result store %s has format %" PRId64 "; this warpline reads format %d",
                       s->path, format, FORMAT);
    rc = check_pages(s, "PRAGMA quick_check(1)", e); /* some ms for thousands of results */
    /* Readers go on while one writes; a result is on disk when its transaction ends. */
    return rc ? rc : execute(s, "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=200;", e);
}

struct store *store_open(const char *path, bool create, struct wl_err *e)
{
    struct stat st;
    struct store *s = calloc(1, sizeof *s);
    if (!s) return wl_no_memory(e), NULL;
    bool there = stat(path, &st) == 0;
    int rc = strlen(path) >= 1000 ? wl_fail(e, WL_EINPUT, "the name of the result store is too long") : 0;
    if (!rc && there && !S_ISREG(st.st_mode)) rc = wl_fail(e, WL_EINPUT, "the result store %s is not a file", path);
    if (!rc && there && st.st_size == 0)
        rc = wl_fail(e, WL_ERUN,
                     "the result store %s is an empty file, so what was in it is lost; remove it to begin anew", path);
    if (!rc && !there && !create)
        rc = wl_fail(e, WL_EINPUT, "there is no result store %s; 'warpline experiment' and 'warpline figure' make one",
                     path);
    if (!rc && !there) rc = create_file(path, e);
    if (!rc) rc = open_file(s, path, e);
    if (!rc) rc = check_identity(s, e);
    if (!rc) return s;
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (!s) return;
    sqlite3_close(s->db);
    free(s);
}

/* ---- rows ---- */

static void checksum(const struct store_row *r, char out[17])
{
    uint64_t h = hash_text(WL_HASH_INIT, r->key);
    h = hash_text(hash_text(h, r->build), r->reason);
    h = hash_text(hash_text(h, r->workload), r->json);
    snprintf(out, 17, "%016" PRIx64, h);
}

static const char *column(sqlite3_stmt *q, int i)
{
    const char *t = (const char *)sqlite3_column_text(q, i);
    return t ? t : "";
}

/* The columns of COLUMNS, created, checksum. */
static int read_row(struct store *s, sqlite3_stmt *q, struct store_row *r, struct wl_err *e)
{
    char sum[17];
    *r = (struct store_row){.key = column(q, 0),
                            .build = column(q, 1),
                            .workload = column(q, 2),
                            .size = column(q, 3),
                            .inputs = column(q, 4),
                            .gpu = column(q, 5),
                            .l1 = column(q, 6),
                            .l2 = column(q, 7),
                            .sched = column(q, 8),
                            .seed = strtoull(column(q, 9), NULL, 10),
                            .config_hash = strtoull(column(q, 10), NULL, 16),
                            .failed = sqlite3_column_int(q, 11) != 0,
                            .reason = column(q, 12),
                            .seconds = sqlite3_column_double(q, 13),
                            .json = column(q, 14),
                            .created = column(q, 15)};
    checksum(r, sum);
    if (strcmp(sum, column(q, 16)) == 0) return 0;
    return wl_fail(
        e, WL_ERUN,
        "the result store %s is damaged: the result %s of %s does not have its checksum; move the file away, or "
        "name another with --store",
        s->path, r->key, r->workload);
}

int store_get(struct store *s, const char *key, bool *failed, char **json, char **reason, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    struct store_row r;
    int found = -1;
    int rc =
        sqlite3_prepare_v2(s->db, "SELECT " COLUMNS ", created, checksum FROM results WHERE key = ?", -1, &q, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK) rc = sqlite3_step(q);
    if (rc == SQLITE_DONE) {
        found = 0;
    } else if (rc != SQLITE_ROW) {
        store_fail(s, e);
    } else if (!read_row(s, q, &r, e)) {
        *failed = r.failed;
        *json = strdup(r.json);
        *reason = strdup(r.reason);
        found = *json && *reason ? 1 : -1;
        if (found < 0) wl_no_memory(e);
    }
    sqlite3_finalize(q);
    return found;
}

static int bind_row(sqlite3_stmt *q, const struct store_row *r)
{
    const char *const text[] = {r->key, r->build, r->workload, r->size, r->inputs, r->gpu, r->l1, r->l2, r->sched};
    char seed[32], config[17], sum[17];
    int bad = 0;
    for (int i = 0; i < 9; i++) bad |= sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_STATIC);
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    snprintf(config, sizeof config, "%016" PRIx64, r->config_hash);
    checksum(r, sum);
    bad |= sqlite3_bind_text(q, 10, seed, -1, SQLITE_TRANSIENT);
    bad |= sqlite3_bind_text(q, 11, config, -1, SQLITE_TRANSIENT);
    bad |= sqlite3_bind_int(q, 12, r->failed);
    bad |= sqlite3_bind_text(q, 13, r->reason, -1, SQLITE_STATIC);
    bad |= sqlite3_bind_double(q, 14, r->seconds);
    bad |= sqlite3_bind_text(q, 15, r->json, -1, SQLITE_STATIC);
    bad |= sqlite3_bind_text(q, 16, sum, -1, SQLITE_TRANSIENT);
    return bad;
}

int store_put(struct store *s, const struct store_row *row, struct wl_err *e)
{
    static const char sql[] = "INSERT INTO results (" COLUMNS ", checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
                              " ON CONFLICT(key) DO UPDATE SET failed = excluded.failed, reason = excluded.reason,"
                              " seconds = excluded.seconds, json = excluded.json, created = CURRENT_TIMESTAMP,"
                              " checksum = excluded.checksum WHERE results.failed";
    sqlite3_stmt *q = NULL;
    int bad = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) || bind_row(q, row) || sqlite3_step(q) != SQLITE_DONE;
    int rc = bad ? store_fail(s, e) : 0;
    sqlite3_finalize(q);
    return rc;
}

int store_each(struct store *s, int (*each)(void *arg, const struct store_row *row), void *arg, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    struct store_row r;
    int rc = 0, step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(s->db,
                           "SELECT " COLUMNS ", created, checksum FROM results"
                           " ORDER BY build, workload, size, inputs, gpu, l1, l2, sched, config_hash, key",
                           -1, &q, NULL) == SQLITE_OK)
        while (!rc && (step = sqlite3_step(q)) == SQLITE_ROW) {
            rc = read_row(s, q, &r, e);
            if (!rc) rc = each(arg, &r);
        }
    if (!rc && step != SQLITE_DONE) rc = store_fail(s, e);
    sqlite3_finalize(q);
    return rc;
}

int store_prune(struct store *s, const char *keep_build, bool failed_only, unsigned *gone, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    const char *sql = failed_only ? "DELETE FROM results WHERE failed" : "DELETE FROM results WHERE build <> ?";
    int bad = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    if (!bad && !failed_only) bad = sqlite3_bind_text(q, 1, keep_build, -1, SQLITE_STATIC);
    bad = bad || sqlite3_step(q) != SQLITE_DONE;
    int rc = bad ? store_fail(s, e) : 0;
    sqlite3_finalize(q);
    if (!rc) *gone = (unsigned)sqlite3_changes(s->db);
    return rc || !*gone ? rc : execute(s, "VACUUM", e);
}

/* ---- verifying ---- */

static int count_row(void *arg, const struct store_row *row)
{
    (void)row;
    (*(unsigned *)arg)++;
    return 0;
}

int store_verify(struct store *s, unsigned *rows, struct wl_err *e)
{
    *rows = 0;
    int rc = check_pages(s, "PRAGMA integrity_check", e);
    return rc ? rc : store_each(s, count_row, rows, e);
}
