/* store.c - SQLite behind store.h.
 *
 * Format 3 has a table of what the results were for (store_uses.c). Format 2 has a checksum over all columns; rows of
 * format 1, whose checksum covers the key, the build, the reason, the workload and the JSON, are still read. The first
 * row that is put makes an older store one of format 3.
 *
 * A new store is built under another name and linked into place when it is complete, so that a
 * file of this name is always a whole store: an empty or foreign file is somebody's mistake or a
 * damaged disk, and is said to be so. While it is being built its file is locked: one that is not locked was left by a
 * process that was killed, and the next to come removes it. */
#include "experiment/store_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"

enum { APPLICATION = 0x57524c4e /* "WRLN" */, BUSY_MS = 60000 };

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

int store_fail(const struct store *s, struct wl_err *e)
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

int store_execute(struct store *s, const char *sql, struct wl_err *e)
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

/* SQLite's files of the database `name`. */
static void remove_database(const char *name)
{
    static const char *const ending[] = {"-journal", "-wal", "-shm", ""};
    char file[1200];
    for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        snprintf(file, sizeof file, "%.1180s%s", name, ending[i]);
        unlink(file);
    }
}

/* Removes what processes that were killed while they built this store have left. */
static void remove_leftovers(const char *path)
{
    char pattern[2400] = "";
    glob_t found;
    size_t at = 0;
    for (const char *p = path; *p && at + 16 < sizeof pattern; p++) { /* the name is no pattern */
        if (strchr("*?[\\", *p)) pattern[at++] = '\\';
        pattern[at++] = *p;
    }
    snprintf(pattern + at, sizeof pattern - at, ".new.*[0-9]");
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int fd = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) remove_database(found.gl_pathv[i]);
        if (fd >= 0) close(fd);
    }
    globfree(&found);
}

static int build_store(const char *name, struct wl_err *e)
{
    struct store s = {0};
    char head[200];
    snprintf(head, sizeof head, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION, STORE_FORMAT);
    int rc = open_file(&s, name, e);
    if (!rc) rc = store_execute(&s, head, e);
    if (!rc) rc = store_execute(&s, schema, e);
    if (!rc) rc = store_execute(&s, STORE_USES, e);
    if (!rc) rc = store_execute(&s, "PRAGMA journal_mode=WAL;", e);
    sqlite3_close(s.db);
    return rc;
}

/* Builds an empty store next to `path` and links it there; another process may be faster. */
static int create_file(const char *path, struct wl_err *e)
{
    char name[1100];
    snprintf(name, sizeof name, "%s.new.%ld", path, (long)getpid());
    int rc = make_folders(path, e);
    if (rc) return rc;
    remove_leftovers(path);
    remove_database(name);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return wl_fail(e, WL_EINPUT, "cannot make the result store %s: %s", path, strerror(errno));
    flock(fd, LOCK_EX | LOCK_NB);
    rc = build_store(name, e);
    /* A link never replaces; where a disk has no links, rename does for all but a close race. */
    if (!rc && link(name, path) != 0 && errno != EEXIST && rename(name, path) != 0)
        rc = wl_fail(e, WL_EINPUT, "cannot make the result store %s: %s", path, strerror(errno));
    remove_database(name);
    close(fd);
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
    if (format < 1 || format > STORE_FORMAT)
        return wl_fail(e, WL_EINPUT,
                       "the result store %s has format %" PRId64
                       ", which another version of warpline wrote; this one reads formats 1 to %d: name another store "
                       "with --store",
                       s->path, format, STORE_FORMAT);
    s->format = (int)format;
    rc = check_pages(s, "PRAGMA quick_check(1)", e); /* some ms for thousands of results */
    /* Readers go on while one writes; a result is on disk when its transaction ends. */
    return rc ? rc : store_execute(s, "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=200;", e);
}

/* SQLite takes names up to 512 bytes, and its own files have longer ones. */
static int check_length(const char *path, struct wl_err *e)
{
    enum { MOST = 480 };
    char here[1024] = "";
    size_t length = strlen(path) + (*path != '/' && getcwd(here, sizeof here) ? strlen(here) + 1 : 0);
    if (length <= MOST) return 0;
    return wl_fail(e, WL_EINPUT,
                   "the name of the result store has %zu characters; SQLite takes %d: name another with --store",
                   length, MOST);
}

struct store *store_open(const char *path, bool create, struct wl_err *e)
{
    struct stat st;
    struct store *s = calloc(1, sizeof *s);
    if (!s) return wl_no_memory(e), NULL;
    bool there = stat(path, &st) == 0;
    int rc = check_length(path, e);
    if (!rc && there && !S_ISREG(st.st_mode)) rc = wl_fail(e, WL_EINPUT, "the result store %s is not a file", path);
    if (!rc && there && st.st_size == 0)
        rc = wl_fail(e, WL_ERUN,
                     "the result store %s is an empty file, so what was in it is lost; remove it to begin anew", path);
    if (!rc && !there && !create)
        rc = wl_fail(e, WL_EINPUT, "there is no result store %s; 'warpline experiment' and 'warpline figure' make one",
                     path);
    if (!rc && there && create) remove_leftovers(path);
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

enum { CHECKSUM = 18 };

static void old_checksum(const struct store_row *r, char out[CHECKSUM])
{
    uint64_t h = hash_text(WL_HASH_INIT, r->key);
    h = hash_text(hash_text(h, r->build), r->reason);
    h = hash_text(hash_text(h, r->workload), r->json);
    snprintf(out, CHECKSUM, "%016" PRIx64, h);
}

/* Of all columns; seed and configuration as they stand there. */
static void checksum(const struct store_row *r, const char *seed, const char *config, char out[CHECKSUM])
{
    const char *const text[] = {r->key, r->build, r->workload, r->size, r->inputs, r->gpu,  r->l1,
                                r->l2,  r->sched, seed,        config,  r->reason, r->json, r->created};
    uint64_t h = WL_HASH_INIT;
    for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++) h = hash_text(h, text[i]);
    h = hash_bytes(h, &r->seconds, sizeof r->seconds);
    h = hash_text(h, r->failed ? "failed" : "done");
    snprintf(out, CHECKSUM, "2%016" PRIx64, h);
}

static const char *column(sqlite3_stmt *q, int i)
{
    const char *t = (const char *)sqlite3_column_text(q, i);
    return t ? t : "";
}

/* The columns of COLUMNS, created, checksum. */
static int read_row(struct store *s, sqlite3_stmt *q, struct store_row *r, struct wl_err *e)
{
    char sum[CHECKSUM];
    const char *stored = column(q, 16);
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
    if (strlen(stored) == 16) old_checksum(r, sum);
    else checksum(r, column(q, 9), column(q, 10), sum);
    if (strcmp(sum, stored) == 0) return 0;
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

static int bind_row(sqlite3_stmt *q, const struct store_row *row)
{
    const char *const text[] = {row->key, row->build, row->workload, row->size, row->inputs,
                                row->gpu, row->l1,    row->l2,       row->sched};
    char seed[32], config[17], sum[CHECKSUM], created[32];
    int bad = 0;
    struct store_row stamped = *row, *r = &stamped;
    time_t now = time(NULL);
    struct tm utc;
    if (!strftime(created, sizeof created, "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &utc))) created[0] = 0;
    r->created = created;
    for (int i = 0; i < 9; i++) bad |= sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_STATIC);
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    snprintf(config, sizeof config, "%016" PRIx64, r->config_hash);
    checksum(r, seed, config, sum);
    bad |= sqlite3_bind_text(q, 10, seed, -1, SQLITE_TRANSIENT);
    bad |= sqlite3_bind_text(q, 11, config, -1, SQLITE_TRANSIENT);
    bad |= sqlite3_bind_int(q, 12, r->failed);
    bad |= sqlite3_bind_text(q, 13, r->reason, -1, SQLITE_STATIC);
    bad |= sqlite3_bind_double(q, 14, r->seconds);
    bad |= sqlite3_bind_text(q, 15, r->json, -1, SQLITE_STATIC);
    bad |= sqlite3_bind_text(q, 16, created, -1, SQLITE_TRANSIENT);
    bad |= sqlite3_bind_text(q, 17, sum, -1, SQLITE_TRANSIENT);
    return bad;
}

int store_put(struct store *s, const struct store_row *row, struct wl_err *e)
{
    /* The checksum is of all columns, so all of them are replaced. */
    static const char sql[] =
        "INSERT INTO results (" COLUMNS ", created, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT(key) DO UPDATE SET build = excluded.build, workload = excluded.workload, size = excluded.size,"
        " inputs = excluded.inputs, gpu = excluded.gpu, l1 = excluded.l1, l2 = excluded.l2, sched = excluded.sched,"
        " seed = excluded.seed, config_hash = excluded.config_hash, failed = excluded.failed, reason = excluded.reason,"
        " seconds = excluded.seconds, json = excluded.json, created = excluded.created, checksum = excluded.checksum"
        " WHERE results.failed";
    sqlite3_stmt *q = NULL;
    if (store_upgrade(s, e)) return (int)e->code;
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
    return rc || !*gone ? rc : store_execute(s, "VACUUM", e);
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
