/* test_store.c - the result store: what is put is found again, two writers, kill -9, a full disk,
 * damage of every kind, results of other builds. */

#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiment/plan.h"
#include "experiment/store.h"

static char folder[64], path[128];
static struct wl_err e;

static int fresh(void **state)
{
    (void)state;
    memset(&e, 0, sizeof e);
    snprintf(folder, sizeof folder, "/tmp/wl-store-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deep/er/results.db", folder);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct store_row row(const char *key, const char *json)
{
    return (struct store_row){.key = key,
                              .build = "b1",
                              .workload = "atax",
                              .size = "tiny",
                              .inputs = "n=1",
                              .gpu = "g",
                              .l1 = "lru",
                              .l2 = "lru",
                              .sched = "gto",
                              .seed = 1,
                              .config_hash = 42,
                              .reason = "",
                              .json = json,
                              .seconds = 0.5};
}

static void put(struct store *s, const char *key, const char *json)
{
    struct store_row r = row(key, json);
    if (store_put(s, &r, &e)) fail_msg("%s", e.text);
}

/* "", or the JSON stored under the key; "FAILED reason". */
static const char *get(struct store *s, const char *key)
{
    static char text[4096];
    bool failed = false;
    char *json = NULL, *reason = NULL;
    int found = store_get(s, key, &failed, &json, &reason, &e);
    if (found < 0) fail_msg("%s", e.text);
    snprintf(text, sizeof text, "%s%s%s", failed ? "FAILED " : "", found && failed ? reason : "", found ? json : "");
    free(json);
    free(reason);
    return text;
}

static struct store *open_store(void)
{
    struct store *s = store_open(path, true, &e);
    if (!s) fail_msg("%s", e.text);
    return s;
}

static void says(const char *part)
{
    if (!strstr(e.text, part)) fail_msg("'%s' does not say '%s'", e.text, part);
}

static void refuses(const char *part)
{
    memset(&e, 0, sizeof e);
    struct store *s = store_open(path, true, &e);
    if (s) fail_msg("a damaged store was opened");
    says(part);
    says(path);
}

/* 1. In and out again; good results stay, failed ones are replaced. */
TEST_WITH(round_trip, fresh, clean)
{
    assert_null(store_open(path, false, &e));
    says("there is no result store");
    struct store *s = open_store();
    assert_string_equal(get(s, "k1"), "");
    put(s, "k1", "{\"a\":1}");
    assert_string_equal(get(s, "k1"), "{\"a\":1}");
    put(s, "k1", "{\"a\":2}"); /* the same key is the same result: the first one stays */
    assert_string_equal(get(s, "k1"), "{\"a\":1}");
    struct store_row bad = row("k2", "");
    bad.failed = true;
    bad.reason = "crashed";
    assert_int_equal(store_put(s, &bad, &e), 0);
    assert_string_equal(get(s, "k2"), "FAILED crashed");
    put(s, "k2", "{}");
    assert_string_equal(get(s, "k2"), "{}");
    bad.key = "k1";
    assert_int_equal(store_put(s, &bad, &e), 0); /* a failure never hides a result */
    assert_string_equal(get(s, "k1"), "{\"a\":1}");
    store_close(s);
    s = open_store();
    assert_string_equal(get(s, "k1"), "{\"a\":1}");
    unsigned rows = 0;
    assert_int_equal(store_verify(s, &rows, &e), 0);
    assert_int_equal(rows, 2);
    store_close(s);
}

/* 2. Two processes write at once: every result is there, once. */
static void write_many(const char *prefix, int n)
{
    struct store *s = store_open(path, true, &e);
    for (int i = 0; s && i < n; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s%d", prefix, i);
        struct store_row r = row(key, "{\"v\":1}");
        if (store_put(s, &r, &e)) _exit(1);
        r.key = i % 2 ? "both-odd" : "both-even";
        if (store_put(s, &r, &e)) _exit(1);
    }
    store_close(s);
    _exit(s ? 0 : 1);
}

TEST_WITH(two_writers, fresh, clean)
{
    pid_t a = fork();
    if (a == 0) write_many("a", 60);
    pid_t b = fork();
    if (b == 0) write_many("b", 60);
    int sa = 1, sb = 1;
    waitpid(a, &sa, 0);
    waitpid(b, &sb, 0);
    assert_int_equal(sa, 0);
    assert_int_equal(sb, 0);
    struct store *s = open_store();
    unsigned rows = 0;
    assert_int_equal(store_verify(s, &rows, &e), 0);
    assert_int_equal(rows, 122);
    store_close(s);
}

/* 3. kill -9 of a writer: everything it had put is there and sound. */
TEST_WITH(killed_writer, fresh, clean)
{
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t child = fork();
    if (child == 0) {
        struct store *s = store_open(path, true, &e);
        for (unsigned i = 0; s; i++) {
            char key[40];
            snprintf(key, sizeof key, "k%u", i);
            struct store_row r = row(key, "{\"v\":1}");
            if (store_put(s, &r, &e) || write(fd[1], &i, sizeof i) != sizeof i) break;
        }
        _exit(1);
    }
    unsigned last = 0, n = 0;
    while (n++ < 50 && read(fd[0], &last, sizeof last) == sizeof last) {
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(fd[1]);
    while (read(fd[0], &last, sizeof last) == sizeof last) {
    }
    close(fd[0]);
    struct store *s = open_store();
    for (unsigned i = 0; i <= last; i++) {
        char key[40];
        snprintf(key, sizeof key, "k%u", i);
        assert_string_equal(get(s, key), "{\"v\":1}");
    }
    unsigned rows = 0;
    assert_int_equal(store_verify(s, &rows, &e), 0);
    assert_in_range(rows, last + 1, last + 2); /* one may have been put and not reported */
    store_close(s);
}

/* 4. Damage is said, with the file's name; it never looks like an empty store. */
static void overwrite(long offset, const char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, offset), (ssize_t)n);
    close(fd);
}

static void filled(unsigned n)
{
    struct store *s = open_store();
    char key[40], json[2000];
    memset(json, 'x', sizeof json - 1);
    json[sizeof json - 1] = 0;
    for (unsigned i = 0; i < n; i++) {
        snprintf(key, sizeof key, "key-%u", i);
        put(s, key, json);
    }
    store_close(s);
}

TEST_WITH(corrupt, fresh, clean)
{
    filled(20);
    overwrite(0, "this is no database at all", 26);
    refuses("damaged or no store");
    assert_int_equal(truncate(path, 0), 0);
    refuses("empty file");
    unlink(path);
    filled(20);
    assert_int_equal(truncate(path, 6000), 0);
    refuses("damaged");
    unlink(path);
    filled(20);
    char noise[4096];
    memset(noise, 0xa5, sizeof noise);
    overwrite(4096, noise, sizeof noise);
    refuses("damaged");
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(write(fd, "hello\n", 6), 6);
    close(fd);
    refuses("damaged or no store");
}

/* A flipped bit inside a result is invisible to SQLite; the checksum sees it. */
TEST_WITH(flipped_bit, fresh, clean)
{
    filled(3);
    char page[65536];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, page, sizeof page);
    close(fd);
    long at = -1;
    for (ssize_t i = 0; i + 64 < n && at < 0; i++)
        if (memcmp(page + i, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 32) == 0) at = i + 8;
    assert_true(at > 0);
    overwrite(at, "y", 1);
    struct store *s = open_store();
    unsigned rows = 0;
    assert_int_not_equal(store_verify(s, &rows, &e), 0);
    says("checksum");
    store_close(s);
}

static void execute_sql(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The checksum covers every column there is. */
TEST_WITH(changed_column, fresh, clean)
{
    static const char *const change[] = {
        "key = 'k-9'",  "build = 'b2'",   "workload = 'bfs'", "size = 'small'",   "inputs = 'n=2'",   "gpu = 'h'",
        "l1 = 'fifo'",  "l2 = 'fifo'",    "sched = 'lrr'",    "seed = '01'",      "config_hash = ''", "failed = 1",
        "reason = 'x'", "seconds = 0.25", "json = 'y'",       "created = '2001'", "checksum = ''",    "checksum = '2'"};
    for (unsigned i = 0; i < sizeof change / sizeof change[0]; i++) {
        char sql[128];
        unsigned rows = 0;
        filled(1);
        snprintf(sql, sizeof sql, "UPDATE results SET %s", change[i]);
        execute_sql(sql);
        struct store *s = open_store();
        if (store_verify(s, &rows, &e) == 0) fail_msg("%s: sound", sql);
        says("checksum");
        store_close(s);
        unlink(path);
    }
}

/* A store of format 1 is read, and written as format 2. The checksum is one that a program of that time made. */
TEST_WITH(old_format, fresh, clean)
{
    filled(1);
    execute_sql("UPDATE results SET key = 'k', build = 'b', reason = '', workload = 'w', json = '{}', seconds = 9,"
                " checksum = '69c9a46369589845'; PRAGMA user_version = 1;");
    struct store *s = open_store();
    assert_string_equal(get(s, "k"), "{}");
    put(s, "new", "{1}");
    store_close(s);
    s = open_store();
    unsigned rows = 0;
    assert_int_equal(store_verify(s, &rows, &e), 0);
    assert_int_equal(rows, 2);
    store_close(s);
    execute_sql("UPDATE results SET json = '{2}' WHERE key = 'k'");
    s = open_store();
    assert_int_not_equal(store_verify(s, &rows, &e), 0);
    store_close(s);
}

/* A process that was killed while it made the store leaves files; one that is making it now has them locked. */
TEST_WITH(leftovers, fresh, clean)
{
    char left[3][200];
    filled(1);
    snprintf(left[0], sizeof left[0], "%s.new.77777", path);
    snprintf(left[1], sizeof left[1], "%s.new.77777-journal", path);
    snprintf(left[2], sizeof left[2], "%s.new.88888", path);
    int fd = -1;
    for (unsigned i = 0; i < 3; i++) {
        if (fd >= 0) close(fd);
        fd = open(left[i], O_RDWR | O_CREAT, 0666);
        assert_true(fd >= 0);
    }
    assert_int_equal(flock(fd, LOCK_EX), 0);
    store_close(open_store());
    assert_int_not_equal(access(left[0], F_OK), 0);
    assert_int_not_equal(access(left[1], F_OK), 0);
    assert_int_equal(access(left[2], F_OK), 0);
    close(fd);
}

TEST_WITH(long_name, fresh, clean)
{
    char name[700];
    snprintf(name, sizeof name, "%s/%0600d", folder, 1);
    assert_null(store_open(name, true, &e));
    says("characters; SQLite takes");
}

TEST_WITH(foreign, fresh, clean)
{
    filled(1);
    overwrite(68, "abcd", 4); /* application id */
    refuses("not a result store of warpline");
    overwrite(68, "WRLN", 4);
    overwrite(60, "\0\0\0\x7", 4); /* user version */
    refuses("format 7");
    snprintf(path, sizeof path, "%s", folder);
    refuses("is not a file");
}

/* 5. A full disk: said so; what was put before is safe. */
TEST_WITH(full_disk, fresh, clean)
{
    filled(5);
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        char key[40], json[8000];
        int rc = 0;
        struct rlimit limit = {200 * 1024, 200 * 1024};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        struct store *s = store_open(path, true, &e);
        memset(json, 'z', sizeof json - 1);
        json[sizeof json - 1] = 0;
        for (unsigned i = 0; s && !rc && i < 1000; i++) {
            snprintf(key, sizeof key, "more-%u", i);
            struct store_row r = row(key, json);
            rc = store_put(s, &r, &e);
        }
        store_close(s);
        _exit(s && rc == WL_ERUN && strstr(e.text, "full") && strstr(e.text, "safe") ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    struct store *s = open_store();
    unsigned rows = 0;
    assert_int_equal(store_verify(s, &rows, &e), 0);
    assert_true(rows >= 5);
    assert_int_equal(strlen(get(s, "key-4")), 1999);
    store_close(s);
}

/* 6. Results of another build: not found, listed as such, pruned. */
TEST_WITH(other_builds, fresh, clean)
{
    struct experiment *x = experiment_parse("t", "t.ini", "workloads = atax\n[figure 1]\nmetric = ipc\n", &e);
    struct plan *old = plan_new(x, SIZE_TINY, "b1", &e), *new = plan_new(x, SIZE_TINY, "b2", &e);
    struct plan_row_room room;
    struct store_row r;
    struct store *s = open_store();
    assert_int_equal(plan_figure(old, &x->figures[0], &e), 0);
    assert_int_equal(plan_figure(new, &x->figures[0], &e), 0);
    plan_row(old, old->runs[0], &room, &r);
    r.json = "{\"ipc\":1}";
    assert_int_equal(store_put(s, &r, &e), 0);
    assert_int_equal(plan_fetch(old, s, &e), 0);
    assert_int_equal(plan_fetch(new, s, &e), 0);
    assert_int_equal(plan_count(old, RUN_DONE), 1);
    assert_int_equal(plan_count(new, RUN_MISSING), 1);
    unsigned gone = 0;
    assert_int_equal(store_prune(s, "b1", false, &gone, &e), 0);
    assert_int_equal(gone, 0);
    assert_int_equal(store_prune(s, "b2", false, &gone, &e), 0);
    assert_int_equal(gone, 1);
    store_close(s);
    plan_free(old);
    plan_free(new);
    experiment_free(x);
}

/* 7. A plugin is part of the build: its content counts, not its name. */
TEST_WITH(plugin_identity, fresh, clean)
{
    char plugin[128], none[STORE_KEY], a[STORE_KEY], b[STORE_KEY];
    const char *list[] = {plugin};
    snprintf(plugin, sizeof plugin, "%s/p.so", folder);
    assert_int_equal(build_identity(NULL, 0, none, &e), 0);
    assert_int_equal(strlen(none), 32);
    assert_int_not_equal(build_identity(list, 1, a, &e), 0);
    FILE *f = fopen(plugin, "w");
    fputs("one", f);
    fclose(f);
    assert_int_equal(build_identity(list, 1, a, &e), 0);
    f = fopen(plugin, "w");
    fputs("two", f);
    fclose(f);
    assert_int_equal(build_identity(list, 1, b, &e), 0);
    assert_string_not_equal(a, b);
    assert_string_not_equal(a, none);
}

/* 8. Exports. */
TEST_WITH(exports, fresh, clean)
{
    struct store *s = open_store();
    put(s, "k1", "{\"workload\":\"a,b\",\"l1d\":{\"hits\":7},\"kernels\":[1]}");
    put(s, "k2", "{\"workload\":\"c\",\"ipc\":0.5}");
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(store_export_csv(s, f, &e), 0);
    fclose(f);
    assert_non_null(strstr(text, "key,build,created,status,reason,workload,l1d.hits,ipc\n"));
    assert_non_null(strstr(text, ",ok,,\"a,b\",7,\n"));
    assert_non_null(strstr(text, ",ok,,c,,0.5\n"));
    free(text);
    f = open_memstream(&text, &size);
    assert_int_equal(store_export_json(s, f, &e), 0);
    fclose(f);
    json_t *all = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(all), 2);
    json_decref(all);
    free(text);
    store_close(s);
}
