/* store_uses.c - which series and which point of a sweep a result was run for.
 *
 * A result belongs to a program on a machine, and any number of experiments may ask for it: the answer is kept apart
 * from the results, which it does not change. */
#include <stdlib.h>
#include <string.h>

#include "experiment/store_priv.h"

int store_upgrade(struct store *s, struct wl_err *e)
{
    if (s->format == STORE_FORMAT) return 0;
    int rc = store_execute(s, "BEGIN IMMEDIATE; " STORE_USES " PRAGMA user_version=3; COMMIT;", e);
    if (!rc) s->format = STORE_FORMAT;
    return rc;
}

static int put_use(struct store *s, sqlite3_stmt *q, const struct store_use *u, struct wl_err *e)
{
    const char *const text[] = {u->key, u->experiment, u->series, u->point};
    int bad = sqlite3_reset(q);
    for (int i = 0; i < 4; i++) bad |= sqlite3_bind_text(q, i + 1, text[i] ? text[i] : "", -1, SQLITE_STATIC);
    return bad || sqlite3_step(q) != SQLITE_DONE ? store_fail(s, e) : 0;
}

int store_use(struct store *s, const struct store_use *uses, unsigned count, struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    if (!count) return 0;
    int rc = store_upgrade(s, e);
    if (!rc) rc = store_execute(s, "BEGIN IMMEDIATE", e);
    if (rc) return rc;
    if (sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO uses VALUES (?,?,?,?)", -1, &q, NULL) != SQLITE_OK)
        rc = store_fail(s, e);
    for (unsigned i = 0; !rc && i < count; i++) rc = put_use(s, q, &uses[i], e);
    sqlite3_finalize(q);
    if (rc) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc ? rc : store_execute(s, "COMMIT", e);
}

int store_uses_of(struct store *s, const char *key, int (*each)(void *arg, const struct store_use *use), void *arg,
                  struct wl_err *e)
{
    sqlite3_stmt *q = NULL;
    int rc = 0, step;
    if (s->format < STORE_FORMAT) return 0;
    if (sqlite3_prepare_v2(s->db, "SELECT experiment, series, point FROM uses WHERE key = ? ORDER BY 1, 2, 3", -1, &q,
                           NULL) ||
        sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC))
        rc = store_fail(s, e);
    while (!rc && (step = sqlite3_step(q)) != SQLITE_DONE) {
        if (step != SQLITE_ROW) {
            rc = store_fail(s, e);
            break;
        }
        const struct store_use use = {key, (const char *)sqlite3_column_text(q, 0),
                                      (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 2)};
        rc = each(arg, &use);
    }
    sqlite3_finalize(q);
    return rc;
}
