/* process.c - pipe, fork, exec, wait. The input is small enough for a temporary file, which
 * spares us feeding one pipe while draining another. */
#include "experiment/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void child(const char *const argv[], int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
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

int process_run(const char *const argv[], const char *input, char *out, size_t size, struct wl_err *e)
{
    int fd[2], status = 0;
    FILE *in = tmpfile();
    out[0] = 0;
    if (!in || fputs(input, in) < 0 || fflush(in) != 0 || pipe(fd) != 0) {
        if (in) fclose(in);
        wl_fail(e, WL_ERUN, "cannot run %s: %s", argv[0], strerror(errno));
        return PROCESS_FAILED;
    }
    rewind(in);
    pid_t pid = fork();
    if (pid == 0) child(argv, fileno(in), fd[1]);
    close(fd[1]);
    if (pid > 0) {
        drain(fd[0], out, size);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(fd[0]);
    fclose(in);
    if (pid > 0 && WIFEXITED(status)) return WEXITSTATUS(status) == 127 ? PROCESS_MISSING : WEXITSTATUS(status);
    wl_fail(e, WL_ERUN, "cannot run %s: %s", argv[0], pid < 0 ? strerror(errno) : "it was killed");
    return PROCESS_FAILED;
}
