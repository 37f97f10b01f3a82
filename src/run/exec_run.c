/* exec_run.c - starts a program with our CUDA libraries in front of the system's, and waits for it. */
#include "run/exec_run.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "param/param_table.h"
#include "run/exec_report.h"
#include "run/scheme.h"

enum { MAX_ADDED = 16, MAX_SETTINGS = 512 };

extern char **environ;

/* ---- where the libraries are ---- */

static bool has_libraries(const char *folder)
{
    char file[PATH_MAX + 128];
    snprintf(file, sizeof file, "%s/libcuda.so.1", folder);
    return access(file, R_OK) == 0;
}

/* The folder of the file this code is in: the executable, or libwarpline.so. */
static bool own_folder(char *out, size_t size)
{
    static const char here[] = "";
    Dl_info info;
    char *slash = NULL;
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n > 0) out[n] = 0;
    if (dladdr(here, &info) && info.dli_fname && strstr(info.dli_fname, ".so") && realpath(info.dli_fname, out)) n = 1;
    if (n > 0) slash = strrchr(out, '/');
    if (slash) *slash = 0;
    return slash;
}

/* In a build tree, then where `make install` puts them: seen from the program, seen from the library. */
static int find_libraries(char out[PATH_MAX], struct wl_err *e)
{
    char own[PATH_MAX], folder[PATH_MAX + 64];
    if (!own_folder(own, sizeof own)) return wl_fail(e, WL_ERUN, "cannot find this program's own folder: %m");
    static const char *const places[] = {"cuda", WL_EXEC_FROM_BIN, "warpline"};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s", own, places[i]);
        if (has_libraries(folder) && realpath(folder, out)) return 0;
    }
    return wl_fail(e, WL_ERUN,
                   "libcuda.so.1 of warpline is neither in %s/cuda nor in %s/%s; build or install all of it", own, own,
                   WL_EXEC_FROM_BIN);
}

/* ---- the environment of the program ---- */

struct environment {
    char **item; /* NULL-terminated; the strings from `own` on are ours */
    unsigned count, own;
    int rc;
    struct wl_err *e;
};

static void env_begin(struct environment *v, struct wl_err *e)
{
    unsigned n = 0;
    while (environ[n]) n++;
    *v = (struct environment){.item = calloc(n + 32, sizeof(char *)), .e = e};
    if (!v->item) v->rc = wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; v->item && i < n; i++) /* settings come from the spec alone */
        if (strncmp(environ[i], "WARPLINE_", 9) != 0 && strncmp(environ[i], "LD_LIBRARY_PATH=", 16) != 0)
            v->item[v->count++] = environ[i];
    v->own = v->count;
}

static void env_text(struct environment *v, const char *name, const char *value)
{
    if (v->rc || !value) return;
    if (asprintf(&v->item[v->count], "%s=%s", name, value) < 0) {
        v->item[v->count] = NULL;
        v->rc = wl_fail(v->e, WL_ERUN, "out of memory");
    } else v->count++;
}

static void env_number(struct environment *v, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    env_text(v, name, value ? text : NULL);
}

/* A program may change its folder: a name that is a file here becomes the whole path. */
static void env_file(struct environment *v, const char *name, const char *file)
{
    char whole[PATH_MAX];
    env_text(v, name, file && realpath(file, whole) ? whole : file);
}

static void env_list(struct environment *v, const char *name, struct word_list list, bool files)
{
    char text[1 << 16], whole[PATH_MAX];
    size_t at = 0;
    for (unsigned i = 0; i < list.count && at < sizeof text; i++) {
        const char *item = files && realpath(list.item[i], whole) ? whole : list.item[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\n", item);
    }
    if (at >= sizeof text) v->rc = wl_fail(v->e, WL_EINPUT, "too many settings for %s", name);
    else env_text(v, name, list.count ? text : NULL);
}

/* The settings of the spec, and those that its scheme adds: the processes get policies, not the name of a scheme. */
static void env_settings(struct environment *v, const struct machine_spec *m)
{
    static char text[MAX_ADDED][96];
    const char *word[MAX_SETTINGS];
    unsigned n = 0, added = 0;
    struct gpu_config plain, fitted;
    struct machine_spec silent = *m;
    silent.say = NULL;
    while (n < m->sets && n < MAX_SETTINGS - MAX_ADDED) word[n] = m->set[n], n++;
    if (m->scheme && machine_read(&silent, &plain, NULL) == 0) {
        fitted = plain;
        scheme_fit(&silent, &fitted);
        for (unsigned i = 0; i < P_COUNT && added < MAX_ADDED; i++) {
            if (plain.v[i] == fitted.v[i]) continue;
            int at = snprintf(text[added], sizeof text[added], "%s=", gpu_params[i].name);
            param_write(&gpu_params[i], fitted.v[i], text[added] + at, sizeof text[added] - (size_t)at);
            word[n++] = text[added++];
        }
    }
    env_list(v, ENV_SET, (struct word_list){word, n}, false);
}

static void env_fill(struct environment *v, const struct exec_spec *s, const char *libraries, const char *reports)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", libraries, old && *old ? ":" : "", old ? old : "") < 0) path = NULL;
    if (!path) v->rc = wl_fail(v->e, WL_ERUN, "out of memory");
    env_text(v, "LD_LIBRARY_PATH", path);
    free(path);
    env_file(v, ENV_GPU, s->machine.gpu);
    env_text(v, ENV_L1, s->machine.l1);
    env_text(v, ENV_L2, s->machine.l2);
    env_text(v, ENV_SCHED, s->machine.sched);
    env_settings(v, &s->machine);
    env_list(v, ENV_PLUGIN, s->plugin, true);
    env_text(v, ENV_ENGINE, s->tick ? "tick" : NULL);
    env_number(v, ENV_SHUFFLE, s->shuffle);
    env_number(v, ENV_THREADS, s->threads);
    env_number(v, ENV_FUNCTIONAL, s->functional);
    env_text(v, ENV_KERNEL, s->kernel);
    env_text(v, ENV_LAUNCH, s->launch);
    env_number(v, ENV_MAX_CYCLES, s->max_cycles);
    env_file(v, ENV_RECORD, s->record);
    env_text(v, ENV_REPORT, reports);
}

static void env_end(struct environment *v)
{
    for (unsigned i = v->own; i < v->count; i++) free(v->item[i]);
    free(v->item);
}

/* ---- the process ---- */

/* In the new process; only returns through _exit. The reason of a failure goes into the pipe. */
static _Noreturn void become_program(char *const *program, char **env, int failure_pipe)
{
    static const int usual[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) signal(usual[i], SIG_DFL);
    execvpe(program[0], program, env);
    int why = errno;
    ssize_t n = write(failure_pipe, &why, sizeof why);
    _exit(n < 0 || why != ENOENT ? 126 : 127);
}

static int run_program(const struct exec_spec *s, char **env, struct exec_outcome *out, struct wl_err *e)
{
    int failure_pipe[2], raw;
    if (pipe2(failure_pipe, O_CLOEXEC)) return wl_fail(e, WL_ERUN, "cannot make a pipe: %m");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become_program(s->program, env, failure_pipe[1]);
    close(failure_pipe[1]);
    if (pid < 0) {
        close(failure_pipe[0]);
        return wl_fail(e, WL_ERUN, "cannot start a process: %m");
    }
    if (s->child) *s->child = pid;
    if (read(failure_pipe[0], &out->start_error, sizeof out->start_error) != sizeof out->start_error)
        out->start_error = 0;
    close(failure_pipe[0]);
    while (waitpid(pid, &raw, 0) < 0)
        if (errno != EINTR) return wl_fail(e, WL_ERUN, "lost the program: %m");
    if (s->child) *s->child = 0;
    out->signal = WIFSIGNALED(raw) ? WTERMSIG(raw) : 0;
    out->status = out->signal ? 128 + out->signal : WEXITSTATUS(raw);
    return 0;
}

/* ---- the folder of the reports ---- */

/* The file in which a process says that it lost something (sim/process_report.h). It is locked before it has its name,
 * so that nobody takes the folder for one that was left behind. Its descriptor, or -1. */
static int make_mark(const char *folder)
{
    char early[PATH_MAX + 32], mark[PATH_MAX + 32];
    snprintf(early, sizeof early, "%s/%s.new", folder, LOST_FILE);
    snprintf(mark, sizeof mark, "%s/%s", folder, LOST_FILE);
    int fd = open(early, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    if (fchmod(fd, 0600) == 0 && write(fd, "0", 1) == 1 && fsync(fd) == 0 && flock(fd, LOCK_EX) == 0 &&
        rename(early, mark) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* Folders whose `warpline exec` was killed before it could remove them: nobody has their mark locked. */
static void remove_left_folders(const char *tmp)
{
    char pattern[PATH_MAX];
    glob_t found;
    if (snprintf(pattern, sizeof pattern, "%s/warpline-*/" LOST_FILE, tmp) >= (int)sizeof pattern) return;
    if (strpbrk(tmp, "*?[\\") || glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *mark = found.gl_pathv[i];
        struct stat st;
        int fd = open(mark, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        bool own = fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid();
        if (own && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            *strrchr(mark, '/') = 0;
            remove_reports(mark);
        }
        if (fd >= 0) close(fd);
    }
    globfree(&found);
}

/* Makes the folder. The descriptor of its mark, which is to be closed when the reports have been read; or -1. */
static int make_folder(char out[PATH_MAX], struct wl_err *e)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp) tmp = "/tmp";
    remove_left_folders(tmp);
    int mark = -1;
    bool fits = snprintf(out, PATH_MAX, "%s/warpline-XXXXXX", tmp) < PATH_MAX / 2;
    bool made = fits && mkdtemp(out);
    if (made && chmod(out, 0700) == 0) mark = make_mark(out); /* the umask may have taken our own rights */
    if (mark >= 0) return mark;
    wl_fail(e, WL_ERUN, "cannot make a folder for the results in %.500s: %s; TMPDIR chooses another", tmp,
            fits ? strerror(errno) : "its name is too long");
    if (made) remove_reports(out);
    return -1;
}

/* ---- all of it ---- */

int exec_check(const struct exec_spec *s, struct wl_err *e)
{
    unsigned first, last;
    struct gpu_config config;
    if (s->launch && !launch_range(s->launch, &first, &last))
        return wl_fail(e, WL_EINPUT, "--launch %s: write N, N..M, N.. or ..M; the first launch is 1", s->launch);
    if (s->record && s->functional)
        return wl_fail(e, WL_EINPUT, "--record times nothing already; --functional would record nothing");
    if (s->record && s->max_cycles)
        return wl_fail(e, WL_EINPUT, "--record times nothing; --max-cycles is for the replay of the trace");
    return machine_make(&s->machine, &config, e);
}

int exec_run(const struct exec_spec *s, struct exec_outcome *out, struct wl_err *e)
{
    char libraries[PATH_MAX], reports[PATH_MAX];
    struct environment env = {0};
    int mark = -1;
    *out = (struct exec_outcome){0};
    int rc = exec_check(s, e);
    if (!rc) rc = machine_make(&s->machine, &out->config, e);
    if (!rc) rc = find_libraries(libraries, e);
    if (!rc && s->record && mkdir(s->record, 0777) && errno != EEXIST)
        rc = wl_fail(e, WL_EINPUT, "cannot make the folder %s: %m", s->record);
    if (!rc && (mark = make_folder(reports, e)) < 0) rc = WL_ERUN;
    bool made = !rc;
    if (made) {
        env_begin(&env, e);
        env_fill(&env, s, libraries, reports);
        rc = env.rc;
    }
    if (!rc) rc = exec_timeline_order(s, reports, e);
    if (!rc) rc = run_program(s, env.item, out, e);
    if (!rc) rc = read_reports(reports, s, out, e);
    if (!rc) rc = exec_timeline_take(s, reports, &out->timelines, e);
    if (made) remove_reports(reports);
    if (made) close(mark);
    if (made) env_end(&env);
    if (rc) exec_free(out);
    return rc;
}
