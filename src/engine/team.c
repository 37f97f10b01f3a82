/* team.c - a few threads that share the work of one simulation.
 *
 * A thread's stretch of the items is one word: the number of the call, the first item and the one behind the last. Its
 * owner takes from the front, others from the back, both by exchanging the word for another; as the number of the call
 * is part of it, a thread that comes too late takes nothing. */
#include "engine/team.h"

#include "base/quiet_thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 4096, BITS = 20, MASK = (1 << BITS) - 1 };

/* In a line of the host's cache of its own. */
struct stretch {
    _Alignas(128) _Atomic(uint64_t) word; /* call << 40 | first << 20 | end */
};

struct helper {
    struct team *team;
    unsigned number;
    pthread_t thread;
};

struct team {
    struct stretch stretch[TEAM_MAX];
    _Alignas(128) _Atomic(uint32_t) done; /* items of this call */
    _Alignas(128) _Atomic(uint32_t) asleep;
    _Atomic(bool) on, quit; /* on: between team_begin and team_end */
    struct team_work work;
    unsigned threads;
    uint32_t call;
    pid_t pid; /* the process that has the helpers; 0: none has */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct helper helper[TEAM_MAX];
};

/* ---- waiting ---- */

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void team_relax(unsigned n)
{
    if (n < SPINS) pause_a_little();
    else sched_yield();
}

bool team_try(struct team_lock *l)
{
    return !atomic_load_explicit(&l->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&l->taken, true, memory_order_acquire);
}

void team_lock(struct team_lock *l)
{
    for (unsigned n = 0; !team_try(l); n++) team_relax(n);
}

void team_unlock(struct team_lock *l) { atomic_store_explicit(&l->taken, false, memory_order_release); }

/* ---- items ---- */

static inline uint64_t first_of(uint64_t word) { return word >> BITS & MASK; }
static inline uint64_t end_of(uint64_t word) { return word & MASK; }

/* Takes an item of a stretch, from its front or its back. False: none is left. */
static bool take(struct stretch *s, bool front, uint32_t *item)
{
    uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
    while (first_of(word) < end_of(word)) {
        uint64_t left = front ? word + (UINT64_C(1) << BITS) : word - 1;
        *item = (uint32_t)(front ? first_of(word) : end_of(left));
        if (atomic_compare_exchange_weak_explicit(&s->word, &word, left, memory_order_acq_rel, memory_order_acquire))
            return true;
    }
    return false;
}

/* Does one item; false: there is none. */
static bool do_item(struct team *t, unsigned thread)
{
    uint32_t item;
    bool got = take(&t->stretch[thread], true, &item);
    for (unsigned i = 1; !got && i < t->threads; i++) got = take(&t->stretch[(thread + i) % t->threads], false, &item);
    if (!got) return false;
    t->work.item(t->work.arg, thread, item);
    atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
    return true;
}

static bool has_items(struct team *t)
{
    for (unsigned i = 0; i < t->threads; i++) {
        uint64_t word = atomic_load_explicit(&t->stretch[i].word, memory_order_relaxed);
        if (first_of(word) < end_of(word)) return true;
    }
    return false;
}

void team_call(struct team *t)
{
    if (!atomic_load_explicit(&t->asleep, memory_order_relaxed)) return;
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

void team_each(struct team *t, uint32_t count)
{
    uint64_t call = (uint64_t)++t->call << 2 * BITS;
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    for (unsigned i = 0; i < t->threads; i++) {
        uint64_t first = (uint64_t)count * i / t->threads, end = (uint64_t)count * (i + 1) / t->threads;
        atomic_store_explicit(&t->stretch[i].word, call | first << BITS | end, memory_order_release);
    }
    team_call(t);
    while (do_item(t, 0)) {
    }
    for (unsigned n = 0; atomic_load_explicit(&t->done, memory_order_acquire) != count; n++) team_relax(n);
}

/* ---- helpers ---- */

/* Nothing to do for long: sleeps until team_call or team_begin. A call that comes just before is missed: so nobody
 * sleeps for more than a millisecond while there is a simulation. */
static void sleep_until_called(struct team *t)
{
    pthread_mutex_lock(&t->mutex);
    atomic_fetch_add(&t->asleep, 1);
    while (!atomic_load(&t->on) && !atomic_load(&t->quit)) pthread_cond_wait(&t->wake, &t->mutex);
    if (!has_items(t) && !atomic_load(&t->quit)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&t->wake, &t->mutex, &until);
    }
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->mutex);
}

static void *help(void *arg)
{
    struct helper *h = arg;
    struct team *t = h->team;
    unsigned waited = 0;
    while (!atomic_load_explicit(&t->quit, memory_order_relaxed)) {
        bool on = atomic_load_explicit(&t->on, memory_order_acquire);
        if (on && (t->work.background(t->work.arg) || do_item(t, h->number))) waited = 0;
        else if (++waited < SPINS && on) pause_a_little();
        else sleep_until_called(t), waited = 0;
    }
    return NULL;
}

static void start_helpers(struct team *t)
{
    atomic_store(&t->asleep, 0);
    atomic_store(&t->quit, false);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_condattr_t steady; /* a wait must not become an hour because somebody sets the clock */
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&t->wake, &steady);
    pthread_condattr_destroy(&steady);
    unsigned n = 1;
    for (; n < t->threads; n++) {
        t->helper[n] = (struct helper){.team = t, .number = n};
        if (!quiet_thread(&t->helper[n].thread, help, &t->helper[n])) break;
    }
    t->pid = getpid();
    t->threads = n; /* as many as there can be: the leader alone, if it must be */
}

static void stop_helpers(struct team *t)
{
    if (t->pid != getpid()) return;
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->quit, true);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    for (unsigned i = 1; i < t->threads; i++) pthread_join(t->helper[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    t->pid = 0;
}

struct team *team_new(unsigned threads, const struct team_work *work)
{
    struct team *t = aligned_alloc(_Alignof(struct team), sizeof *t);
    if (!t) return NULL;
    *t = (struct team){.work = *work, .threads = threads < TEAM_MAX ? threads : TEAM_MAX};
    return t;
}

void team_free(struct team *t)
{
    if (!t) return;
    stop_helpers(t);
    free(t);
}

void team_begin(struct team *t)
{
    if (t->pid != getpid()) start_helpers(t);
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->on, true);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
}

void team_end(struct team *t) { atomic_store(&t->on, false); }
