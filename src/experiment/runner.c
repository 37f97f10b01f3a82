/* runner.c - worker processes, one per run, and a parent that waits for them.
 *
 * A worker writes one byte ('+' or '-') and its JSON or its reason into a pipe and exits; the
 * parent reads until the end of the pipe. A worker that ends without that crashed. Workers ignore
 * Ctrl-C, which a terminal sends to all of them: the parent decides. They die with the parent. */
#include "experiment/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 1024, POLL_MS = 200, ASLEEP_S = 2 };

struct worker {
    pid_t pid;
    int fd;
    struct exp_run *run;
    char *text; /* what came through the pipe */
    size_t used, room;
    double started;
    double allowed_from; /* as `started`, on the clock of --timeout */
    bool late;           /* killed for its timeout */
};

struct crew {
    const struct plan *p;
    struct store *store;
    const struct runner *how;
    struct worker *worker; /* how->jobs of them; the first `busy` are in use */
    unsigned busy;
    unsigned next; /* first run that may not have been begun */
    bool lost;     /* a run was ended from outside and has no result */
    struct run_progress now;
    double started;
    double looked, asleep; /* when we last looked at the workers; for how long we could not */
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The clock of --timeout. We look every POLL_MS; if we have not for seconds, we were stopped (Ctrl-Z, a suspended
 * machine), and so, as a rule, were the workers: that time is not theirs. */
static double awake(struct crew *c)
{
    double now = seconds();
    if (c->looked > 0 && now - c->looked > ASLEEP_S) c->asleep += now - c->looked;
    c->looked = now;
    return now - c->asleep;
}

/* ---- the worker ---- */

static void write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return;
        p += k;
        n -= (size_t)k;
    }
}

static _Noreturn void work(const struct runner *how, const struct exp_run *r, int fd, pid_t parent)
{
    struct wl_err e = {.code = WL_OK};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); /* it died before that took effect */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    int null = open("/dev/null", O_RDWR); /* kernels that print would tear the progress line */
    if (null >= 0) dup2(null, STDOUT_FILENO), dup2(null, STDERR_FILENO);
    char *json = how->run(how->arg, r, &e);
    write_all(fd, json ? "+" : "-", 1);
    const char *text = json ? json : *e.text ? e.text : "failed without a reason";
    write_all(fd, text, strlen(text));
    _exit(0);
}

/* ---- the parent ---- */

static bool wanted(const struct crew *c, const struct exp_run *r)
{
    if (c->how->only && strcmp(c->how->only, r->key) != 0) return false;
    return r->state == RUN_MISSING || (r->state == RUN_FAILED && c->how->retry);
}

static void show(struct crew *c, const struct exp_run *r)
{
    if (!c->how->progress) return;
    unsigned done = c->now.done;
    if (r) c->now.workload = r->workload->label, c->now.series = r->series_label;
    c->now.running = c->busy;
    c->now.seconds_left = done ? (seconds() - c->started) / done * (c->now.total - done) : -1;
    c->how->progress(c->how->arg, &c->now);
}

static int begin(struct crew *c, struct exp_run *r, struct wl_err *e)
{
    int pipe_fd[2];
    if (pipe2(pipe_fd, O_CLOEXEC) != 0) return wl_fail(e, WL_ERUN, "cannot start a run: %m");
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        close(pipe_fd[0]), close(pipe_fd[1]);
        return wl_fail(e, WL_ERUN, "cannot start a run: %m");
    }
    if (pid == 0) {
        close(pipe_fd[0]);
        work(c->how, r, pipe_fd[1], parent);
    }
    close(pipe_fd[1]);
    c->worker[c->busy++] =
        (struct worker){.pid = pid, .fd = pipe_fd[0], .run = r, .started = seconds(), .allowed_from = awake(c)};
    show(c, r);
    return 0;
}

/* Whether another process has stored this run since we looked: 1, 0, or -1 with *e. */
static int appeared(const struct crew *c, const struct exp_run *r, struct wl_err *e)
{
    bool failed = false;
    char *json = NULL, *reason = NULL;
    if (!c->store) return 0;
    int found = store_get(c->store, r->key, &failed, &json, &reason, e);
    free(json);
    free(reason);
    return found > 0 && failed && c->how->retry ? 0 : found;
}

static int begin_all(struct crew *c, struct wl_err *e)
{
    int rc = 0;
    while (!rc && !*c->how->stop && c->busy < c->how->jobs && c->next < c->p->nruns) {
        struct exp_run *r = c->p->runs[c->next++];
        if (!wanted(c, r)) continue;
        int there = appeared(c, r, e);
        if (there > 0) c->now.done++;
        else rc = there < 0 ? WL_ERUN : begin(c, r, e);
    }
    return rc;
}

/* True at the end of the pipe. */
static bool drain(struct worker *w)
{
    if (w->used + 4096 > w->room) {
        size_t room = w->room ? w->room * 2 : 16384;
        char *more = realloc(w->text, room);
        if (!more) return true; /* taken for a crash, which running out of memory is */
        w->text = more;
        w->room = room;
    }
    ssize_t n = read(w->fd, w->text + w->used, w->room - w->used - 1);
    if (n > 0) w->used += (size_t)n;
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static void describe_crash(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(out, size, "crashed: signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else snprintf(out, size, "ended with status %d and without a result", WEXITSTATUS(status));
}

static void outcome(const struct crew *c, struct worker *w, int status, struct store_row *row, char *why, size_t size)
{
    if (w->text) w->text[w->used] = 0;
    row->seconds = seconds() - w->started;
    row->failed = true;
    row->reason = why;
    if (w->late) {
        snprintf(why, size, "took longer than --timeout %g s", c->how->timeout_s);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !w->text || w->used < 2) {
        describe_crash(status, why, size);
    } else if (w->text[0] == '-') {
        row->reason = w->text + 1;
    } else {
        row->failed = false;
        row->reason = "";
        row->json = w->text + 1;
    }
}

/* Somebody ended the worker, as a time limit of the shell or of a cluster ends all processes of a job: that is no
 * result, and the next call runs it. */
static bool ended_from_outside(int status)
{
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP || WTERMSIG(status) == SIGINT);
}

/* The worker's pipe has ended: what it said goes to the store, its place is free again. */
static int end(struct crew *c, struct worker *w, struct wl_err *e)
{
    struct plan_row_room room;
    struct store_row row;
    char why[200];
    int status = 0;
    if (w->late) kill(w->pid, SIGKILL);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(w->fd);
    int rc = 0;
    if (!w->late && ended_from_outside(status)) {
        c->lost = true;
    } else {
        plan_row(c->p, w->run, &room, &row);
        outcome(c, w, status, &row, why, sizeof why);
        rc = c->how->put ? c->how->put(c->how->arg, &row, e) : store_put(c->store, &row, e);
        c->now.done++;
        c->now.failed += row.failed;
    }
    free(w->text);
    const struct exp_run *r = w->run;
    *w = c->worker[--c->busy];
    show(c, r);
    return rc;
}

static void kill_all(struct crew *c)
{
    for (unsigned i = 0; i < c->busy; i++) {
        kill(c->worker[i].pid, SIGKILL);
        while (waitpid(c->worker[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
        close(c->worker[i].fd);
        free(c->worker[i].text);
    }
    c->busy = 0;
}

static int wait_some(struct crew *c, struct wl_err *e)
{
    struct pollfd fds[MAX_JOBS];
    unsigned n = c->busy;
    double now = awake(c);
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &c->worker[i];
        fds[i] = (struct pollfd){.fd = w->fd, .events = POLLIN};
        if (c->how->timeout_s > 0 && now - w->allowed_from > c->how->timeout_s) {
            w->late = true;
            kill(w->pid, SIGKILL);
        }
    }
    if (poll(fds, n, POLL_MS) < 0 && errno != EINTR) return wl_fail(e, WL_ERUN, "cannot wait for runs: %m");
    int rc = 0;
    for (unsigned i = n; !rc && i-- > 0;) /* backwards: end() moves the last one here */
        if (fds[i].revents && drain(&c->worker[i])) rc = end(c, &c->worker[i], e);
    if (!rc) show(c, NULL);
    return rc;
}

int runner_run(const struct plan *p, struct store *s, const struct runner *how, struct wl_err *e)
{
    struct crew c = {.p = p, .store = s, .how = how, .started = seconds()};
    for (unsigned i = 0; i < p->nruns; i++) c.now.total += wanted(&c, p->runs[i]);
    if (!c.now.total) return 0;
    if (how->jobs < 1 || how->jobs > MAX_JOBS) return wl_fail(e, WL_EINPUT, "--jobs is 1 to %d", MAX_JOBS);
    c.worker = calloc(how->jobs, sizeof *c.worker);
    if (!c.worker) return wl_fail(e, WL_ERUN, "out of memory");
    int rc = begin_all(&c, e);
    while (!rc && c.busy && *how->stop < 2) {
        rc = wait_some(&c, e);
        if (!rc) rc = begin_all(&c, e);
    }
    kill_all(&c);
    free(c.worker);
    if (!rc && (*how->stop || c.lost) && c.now.done < c.now.total)
        rc = wl_fail(e, WL_ERUN, "interrupted; %u of %u runs are done and stored: repeat the command to go on",
                     c.now.done, c.now.total);
    return rc;
}
