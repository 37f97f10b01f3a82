/* process.c - pipe, fork, exec, wait. What goes in and a long text that comes out are kept in memory
 * files, which spares us feeding one pipe while draining another, and depends on no folder for temporary files. */
#include "experiment/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void child(const char *const argv[], int in, int out, int err)
{
    static const int usual[] = {SIGPIPE, SIGXFSZ}; /* what is ignored would stay so */
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) signal(usual[i], SIG_DFL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(argv[0], (char *const *)(size_t)argv);
    _exit(errno == ENOENT ? 127 : 126);
}

static void drain(int fd, char *out, size_t size)
{
    char waste[4096];
    size_t used = 0;
    for (;;) {
        ssize_t n = read(fd, waste, sizeof waste);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        size_t keep = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;
        memcpy(out + used, waste, keep);
        used += keep;
    }
    out[used] = 0;
}

static int cannot_run(const char *program, const char *why, struct wl_err *e)
{
    wl_fail(e, WL_ERUN, "cannot run %s: %s", program, why);
    return PROCESS_FAILED;
}

/* A file of this text in memory, at its beginning. -1: errno says why. */
static int memory_file(const char *text)
{
    int fd = memfd_create("warpline", MFD_CLOEXEC);
    size_t left = strlen(text);
    while (fd >= 0 && left) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        text += n;
        left -= (size_t)n;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

/* The whole of a file in memory, with a NUL behind it; NULL: no memory. */
static char *read_memory(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END), at = 0;
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    while (text && at < size) {
        ssize_t n = pread(fd, text + at, (size_t)(size - at), at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        at += n;
    }
    if (text) text[at] = 0;
    return text;
}

/* `to` is where standard output goes; -1: where standard error goes. */
static int run_with(const char *const argv[], int in, int to, char *said, size_t size, struct wl_err *e)
{
    int fd[2], status = 0;
    if (pipe2(fd, O_CLOEXEC) != 0) return cannot_run(argv[0], strerror(errno), e);
    pid_t pid = fork();
    if (pid == 0) child(argv, in, to < 0 ? fd[1] : to, fd[1]);
    int why = errno;
    close(fd[1]);
    if (pid > 0) {
        drain(fd[0], said, size);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(fd[0]);
    if (pid > 0 && WIFEXITED(status)) return WEXITSTATUS(status) == 127 ? PROCESS_MISSING : WEXITSTATUS(status);
    return cannot_run(argv[0], pid < 0 ? strerror(why) : "it was killed", e);
}

int process_run(const char *const argv[], const char *input, char *out, size_t size, struct wl_err *e)
{
    int in = memory_file(input);
    out[0] = 0;
    if (in < 0) return cannot_run(argv[0], strerror(errno), e);
    int rc = run_with(argv, in, -1, out, size, e);
    close(in);
    return rc;
}

int process_read(const char *const argv[], const char *input, char **text, char *said, size_t size, struct wl_err *e)
{
    int in = memory_file(input), to = in < 0 ? -1 : memory_file("");
    *text = NULL;
    said[0] = 0;
    int rc = to < 0 ? cannot_run(argv[0], strerror(errno), e) : run_with(argv, in, to, said, size, e);
    if (rc != PROCESS_FAILED && !(*text = read_memory(to))) rc = cannot_run(argv[0], "out of memory", e);
    if (in >= 0) close(in);
    if (to >= 0) close(to);
    return rc;
}
