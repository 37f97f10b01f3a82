/* quiet_thread.h - a thread that gets no signals: those are for the threads of the program. */
#ifndef WL_BASE_QUIET_THREAD_H
#define WL_BASE_QUIET_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* false: there is no thread to be had. */
static inline bool quiet_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before)) return false;
    int rc = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0;
}

#endif
