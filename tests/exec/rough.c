/* rough.c - a program of the driver API that does to the libraries what programs do: it launches often, forks, forks
 * while a thread computes, sets a locale, and makes CUDA calls in a signal handler. */
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warpline/cuda.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .b64 %d<4>; .reg .f32 %f<3>; .reg .b32 %r<4>; .reg .pred %q;\n"
                          "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
                          "mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; mov.u32 %r3, 0;\n"
                          "L: ld.global.f32 %f1, [%d3]; add.f32 %f2, %f1, 1.5; st.global.f32 [%d3], %f2;\n"
                          "add.u32 %r3, %r3, 1; setp.lt.u32 %q, %r3, %r1; @%q bra L;\nret;\n}\n";

static CUfunction add;
static CUdeviceptr buffer;
static CUcontext context;

#define CALL(x)                                                                                                        \
    do {                                                                                                               \
        CUresult r_ = (x);                                                                                             \
        if (r_) {                                                                                                      \
            fprintf(stderr, "%s gave %d\n", #x, (int)r_);                                                              \
            exit(10);                                                                                                  \
        }                                                                                                              \
    } while (0)

static CUresult launch(unsigned n)
{
    void *args[] = {&buffer, &n};
    return cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL);
}

static float first(void)
{
    float f = 0;
    CALL(cuMemcpyDtoH(&f, buffer, sizeof f));
    return f;
}

static void begin(void)
{
    CUdevice device;
    CUmodule module;
    CALL(cuInit(0));
    CALL(cuDeviceGet(&device, 0));
    CALL(cuCtxCreate(&context, 0, device));
    CALL(cuModuleLoadData(&module, ptx));
    CALL(cuModuleGetFunction(&add, module, "add"));
    CALL(cuMemAlloc(&buffer, 4096));
    CALL(cuMemsetD8(buffer, 0, 4096));
}

/* One launch before the fork, one of the child if it is asked for, two after it. */
static int forks(int own)
{
    int status;
    CALL(launch(1));
    pid_t pid = fork();
    if (pid == 0) {
        if (own) CALL(launch(1));
        exit(own && first() != 3.0f ? 11 : 0);
    }
    waitpid(pid, &status, 0);
    CALL(launch(1));
    CALL(launch(1));
    printf("child %d, %g\n", status, (double)first());
    return status || first() != 4.5f;
}

static atomic_int stop;

static void *compute(void *unused)
{
    cuCtxSetCurrent(context);
    while (!stop) launch(20000);
    return unused;
}

/* Children of a process whose other thread is inside a launch: their calls fail, and soon. */
static int forks_while_computing(void)
{
    pthread_t thread;
    int failed = 0;
    pthread_create(&thread, NULL, compute, NULL);
    for (int i = 0; i < 6; i++) {
        int status;
        usleep(20000);
        pid_t pid = fork();
        if (pid == 0) {
            float f;
            alarm(10);
            _exit(cuMemcpyDtoH(&f, buffer, sizeof f) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) ? 7 : 0);
        }
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) return 12;
        failed += WEXITSTATUS(status) == 7;
    }
    stop = 1;
    pthread_join(thread, NULL);
    printf("%d of 6 were refused\n", failed);
    return !failed;
}

static volatile sig_atomic_t refused;

static void on_alarm(int number)
{
    float f;
    (void)number;
    if (cuMemcpyDtoH(&f, buffer, sizeof f) == CUDA_ERROR_NOT_PERMITTED) refused++;
}

static int calls_in_a_handler(void)
{
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100 && !refused; i++) CALL(launch(20000));
    setitimer(ITIMER_REAL, &never, NULL);
    CALL(launch(1));
    puts(refused ? "refused" : "let in");
    return !refused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "locale") == 0 && !setlocale(LC_ALL, "de_DE.UTF-8")) return 77;
    begin();
    if (strcmp(what, "fork") == 0) return forks(argc > 2);
    if (strcmp(what, "thread") == 0) return forks_while_computing();
    if (strcmp(what, "handler") == 0) return calls_in_a_handler();
    for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--) CALL(launch(1));
    printf("%.1f\n", (double)first());
    return 0;
}
