/* test_out_file.c - files that appear whole or not at all, with and without names until then. */
#include "test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out_file.h"

static char folder[64];

static void begin(bool names)
{
    snprintf(folder, sizeof folder, "/tmp/wl-out-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    out_file_use_names(names);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void holds(const char *name, const char *text)
{
    char line[256] = "";
    FILE *f = fopen(name, "r");
    if (!f) fail_msg("there is no %s", name);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, text);
    fclose(f);
}

static unsigned files(void)
{
    unsigned n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void end(void)
{
    char command[128];
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    out_file_use_names(false);
}

TEST(the_target_changes_at_the_end_only)
{
    for (int names = 0; names < 2; names++) {
        struct out_file f;
        struct wl_err e;
        begin(names);
        put("x", "old");
        assert_int_equal(out_file_open(&f, "x", &e), 0);
        fputs("new", f.file);
        fflush(f.file);
        holds("x", "old");
        assert_int_equal(out_file_close(&f, 0, &e), 0);
        assert_null(f.file);
        holds("x", "new");
        assert_int_equal(files(), 1);
        assert_int_equal(out_file_close(&f, 0, &e), 0); /* not open: nothing to do */
        end();
    }
}

TEST(a_failure_leaves_everything_as_it_was)
{
    for (int names = 0; names < 2; names++) {
        struct out_file f;
        struct wl_err e;
        begin(names);
        put("x", "old");
        assert_int_equal(out_file_open(&f, "x", &e), 0);
        fputs("half", f.file);
        assert_int_equal(out_file_close(&f, WL_EDEADLOCK, &e), WL_EDEADLOCK);
        holds("x", "old");
        assert_int_equal(out_file_open(&f, "y", &e), 0);
        assert_int_equal(out_file_close(&f, WL_ERUN, &e), WL_ERUN);
        assert_int_equal(files(), 1);
        assert_int_equal(out_file_open(&f, "none/x", &e), WL_EINPUT);
        assert_non_null(strstr(e.text, "cannot write none/x: No such file"));
        assert_null(f.file);
        end();
    }
}

TEST(a_lost_write_is_found)
{
    struct out_file f;
    struct wl_err e;
    assert_int_equal(out_file_open(&f, "/dev/full", &e), 0);
    assert_true(f.direct);
    fputs("text", f.file);
    assert_int_equal(out_file_close(&f, 0, &e), WL_ERUN);
    assert_non_null(strstr(e.text, "cannot write /dev/full: No space left"));
}

TEST(a_new_file_never_replaces)
{
    for (int names = 0; names < 2; names++) {
        struct out_file f;
        struct wl_err e;
        bool taken;
        begin(names);
        assert_int_equal(out_file_open(&f, "x", &e), 0);
        fputs("mine", f.file);
        put("x", "theirs");
        assert_int_equal(out_file_close_new(&f, &taken, &e), 0);
        assert_true(taken);
        assert_non_null(f.file);
        assert_int_equal(out_file_rename(&f, "y", &e), 0);
        assert_int_equal(out_file_close_new(&f, &taken, &e), 0);
        assert_false(taken);
        holds("x", "theirs");
        holds("y", "mine");
        assert_int_equal(files(), 2);
        end();
    }
}

static void on_signal(int number)
{
    out_file_drop_all();
    _exit(number);
}

/* A process of its own, which a signal ends while it writes. A process that it has forked removes nothing. */
TEST(a_signal_leaves_no_half_file)
{
    for (int names = 0; names < 2; names++) {
        int raw;
        struct out_file f;
        struct wl_err e;
        begin(names);
        put("x", "old");
        pid_t pid = fork();
        if (pid == 0) {
            signal(SIGTERM, on_signal);
            if (out_file_open(&f, "x", &e)) _exit(99);
            fputs("half", f.file);
            pid_t inner = fork();
            if (inner == 0) raise(SIGTERM);
            waitpid(inner, &raw, 0);
            if (files() != 1u + (unsigned)names) _exit(98);
            raise(SIGTERM);
        }
        assert_int_equal(waitpid(pid, &raw, 0), pid);
        assert_true(WIFEXITED(raw));
        assert_int_equal(WEXITSTATUS(raw), SIGTERM);
        holds("x", "old");
        assert_int_equal(files(), 1);
        end();
    }
}
