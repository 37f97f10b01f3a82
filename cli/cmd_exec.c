/* cmd_exec.c - an unmodified CUDA program on the simulated GPU.
 *
 * The program runs in a process of its own which finds our libcuda and libcudart in LD_LIBRARY_PATH;
 * the settings go with it as environment variables, checked here first, and each process that makes
 * CUDA calls leaves a report in a folder (sim/process_report.h), also when it crashes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/exec_report.h"

/* ---- where the libraries are ---- */

static bool has_libraries(const char *folder)
{
    char file[PATH_MAX + 128];
    snprintf(file, sizeof file, "%s/libcuda.so.1", folder);
    return access(file, R_OK) == 0;
}

/* Beside the executable in a build folder, else where `make install` puts them. */
static int find_libraries(char *out, struct wl_err *e)
{
    char exe[PATH_MAX], folder[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n < 0) return wl_fail(e, WL_ERUN, "cannot find this program's own folder: %s", strerror(errno));
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    static const char *const places[] = {"cuda", WL_EXEC_FROM_BIN};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s", exe, places[i]);
        if (has_libraries(folder) && realpath(folder, out)) return 0;
    }
    return wl_fail(e, WL_ERUN,
                   "libcuda.so.1 of warpline is neither in %s/cuda nor in %s/%s; build or install all of it", exe, exe,
                   WL_EXEC_FROM_BIN);
}

/* ---- settings on their way into the process ---- */

static int set_text(const char *name, const char *value, struct wl_err *e)
{
    int bad = value ? setenv(name, value, 1) : unsetenv(name);
    return bad ? wl_fail(e, WL_ERUN, "cannot set %s: %s", name, strerror(errno)) : 0;
}

static int set_number(const char *name, uint64_t value, struct wl_err *e)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return set_text(name, value ? text : NULL, e);
}

/* A program may change its folder: a name that is a file here becomes the whole path. */
static int set_file(const char *name, const char *file, struct wl_err *e)
{
    char whole[PATH_MAX];
    return set_text(name, file && realpath(file, whole) ? whole : file, e);
}

static int set_list(const char *name, const struct text_list *list, bool files, struct wl_err *e)
{
    char text[1 << 16], whole[PATH_MAX];
    size_t at = 0;
    for (unsigned i = 0; i < list->count && at < sizeof text; i++) {
        const char *item = files && realpath(list->item[i], whole) ? whole : list->item[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\n", item);
    }
    if (at >= sizeof text) return wl_fail(e, WL_EINPUT, "too many settings for %s", name);
    return set_text(name, list->count ? text : NULL, e);
}

static int set_library_path(const char *libraries, struct wl_err *e)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", libraries, old && *old ? ":" : "", old ? old : "") < 0)
        return wl_fail(e, WL_ERUN, "out of memory");
    int rc = set_text("LD_LIBRARY_PATH", path, e);
    free(path);
    return rc;
}

static int set_environment(const struct options *o, const struct job *j, const char *libraries, const char *reports,
                           struct wl_err *e)
{
    int rc = set_library_path(libraries, e);
    if (!rc) rc = set_file(ENV_GPU, o->gpu, e);
    if (!rc) rc = set_text(ENV_L1, o->l1, e);
    if (!rc) rc = set_text(ENV_L2, o->l2, e);
    if (!rc) rc = set_text(ENV_SCHED, o->sched, e);
    if (!rc) rc = set_list(ENV_SET, &o->set, false, e);
    if (!rc) rc = set_list(ENV_PLUGIN, &o->plugin, true, e);
    if (!rc) rc = set_text(ENV_ENGINE, j->engine.tick ? "tick" : NULL, e);
    if (!rc) rc = set_number(ENV_SHUFFLE, o->shuffle, e);
    if (!rc) rc = set_number(ENV_FUNCTIONAL, o->functional, e);
    if (!rc) rc = set_text(ENV_KERNEL, o->kernel, e);
    if (!rc) rc = set_text(ENV_LAUNCH, o->launch, e);
    if (!rc) rc = set_number(ENV_MAX_CYCLES, o->max_cycles, e);
    if (!rc) rc = set_file(ENV_RECORD, o->record, e);
    return rc ? rc : set_text(ENV_REPORT, reports, e);
}

/* ---- the process ---- */

static volatile sig_atomic_t child;

static void pass_on(int sig)
{
    if (child > 0) kill((pid_t)child, sig);
}

static void become_program(char **program)
{
    signal(SIGPIPE, SIG_DFL); /* an ignored signal stays ignored in what is executed */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    execvp(program[0], program);
    fprintf(stderr, "warpline: cannot run %s: %s\n", program[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Runs the program to its end; its status as a shell would give it. */
static int run_program(char **program, int *status, struct wl_err *e)
{
    signal(SIGINT, SIG_IGN); /* a terminal sends these to the program too, and its results are wanted */
    signal(SIGQUIT, SIG_IGN);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become_program(program);
    if (pid < 0) return wl_fail(e, WL_ERUN, "cannot start a process: %s", strerror(errno));
    child = pid;
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    int raw;
    while (waitpid(pid, &raw, 0) < 0)
        if (errno != EINTR) return wl_fail(e, WL_ERUN, "lost the program: %s", strerror(errno));
    child = 0;
    *status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    if (WIFSIGNALED(raw)) fprintf(stderr, "warpline: the program was ended by signal %d\n", WTERMSIG(raw));
    return 0;
}

/* ---- the command ---- */

static int check_options(const struct options *o, struct job *j, struct wl_err *e)
{
    unsigned first, last;
    if (!o->program) return wl_fail(e, WL_EINPUT, "which program? write 'warpline exec [options] -- ./app arguments'");
    if ((o->json && strcmp(o->json, "-") == 0) || (o->csv && strcmp(o->csv, "-") == 0))
        return wl_fail(e, WL_EINPUT, "standard output belongs to the program; give --json and --csv a file");
    if (o->launch && !launch_range(o->launch, &first, &last))
        return wl_fail(e, WL_EINPUT, "--launch %s: write N, N..M, N.. or ..M; the first launch is 1", o->launch);
    if (o->launches && (o->functional || o->record))
        return wl_fail(e, WL_EINPUT, "--launches has the counters of timed launches; nothing is timed here");
    if (o->record && o->functional)
        return wl_fail(e, WL_EINPUT, "--record times nothing already; --functional would record nothing");
    if (o->record && o->max_cycles)
        return wl_fail(e, WL_EINPUT, "--record times nothing; --max-cycles is for the replay of the trace");
    j->functional = o->functional || o->record;
    int rc = make_config(&j->config, o->gpu, &o->set, o->l1, o->l2, o->sched, e);
    if (!rc) rc = engine_options(o, &j->engine, e);
    if (!rc && o->record && mkdir(o->record, 0777) && errno != EEXIST)
        rc = wl_fail(e, WL_EINPUT, "cannot make the folder %s: %s", o->record, strerror(errno));
    return rc;
}

static int exec_and_report(const struct options *o, struct job *j, int *status, struct wl_err *e)
{
    char libraries[PATH_MAX], reports[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    snprintf(reports, sizeof reports, "%s/warpline-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    struct output out = {0};
    FILE *launches = o->launches ? fopen(o->launches, "w") : NULL;
    int rc = find_libraries(libraries, e);
    if (!rc && o->launches && !launches)
        rc = wl_fail(e, WL_EINPUT, "cannot write %s: %s", o->launches, strerror(errno));
    if (!rc) rc = output_open(&out, o, e);
    if (!rc && !mkdtemp(reports)) rc = wl_fail(e, WL_ERUN, "cannot make the folder %s: %s", reports, strerror(errno));
    bool made = !rc;
    if (!rc) rc = set_environment(o, j, libraries, reports, e);
    if (!rc) rc = run_program(o->program, status, e);
    if (!rc) rc = write_reports(j, o, reports, &out, launches, *status, e);
    if (made) remove_reports(reports);
    if (launches && (ferror(launches) || fclose(launches) != 0) && !rc)
        rc = wl_fail(e, WL_ERUN, "cannot write %s: %s", o->launches, strerror(errno));
    return output_close(&out, rc, e);
}

int cmd_exec(const struct options *o, struct wl_err *e)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j) return wl_fail(e, WL_ERUN, "out of memory");
    int status = 0, rc = check_options(o, j, e);
    if (!rc) rc = exec_and_report(o, j, &status, e);
    job_free(j);
    free(j);
    if (!rc && status) exit(status); /* the program has said why, or nobody will */
    return rc;
}
