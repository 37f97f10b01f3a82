/* team.h - a few threads that share the work of one simulation.
 *
 * One of them, the leader, is the thread that owns the simulation; it hands out numbered items with team_each and takes
 * part in the work. Each thread has a stretch of the items of its own, so that it meets the same ones again, and takes
 * from the end of another's stretch when its own is empty. Besides there is work in the background: what a helper does
 * when it is there to be done, and before any item.
 *
 * Helpers wait by spinning for some microseconds, which is how long the leader's own work between two calls takes, and
 * then sleep: a machine with less cores than threads is slow but does not crawl. Between team_begin and team_end only;
 * at other times all sleep. A process that was forked has no helpers: team_begin starts them again. */
#ifndef WL_ENGINE_TEAM_H
#define WL_ENGINE_TEAM_H

#include <stdbool.h>
#include <stdint.h>

enum { TEAM_MAX = 64 };

struct team;

struct team_work {
    void *arg;
    void (*item)(void *arg, unsigned thread, uint32_t number);
    bool (*background)(void *arg); /* false: there is nothing to do there now */
};

/* A team of `threads`, of which the caller's is number 0. NULL: no memory. */
struct team *team_new(unsigned threads, const struct team_work *work);
void team_free(struct team *t);

void team_begin(struct team *t);
void team_end(struct team *t);

/* Does items 0 to count - 1, each once; all are done when it returns. */
void team_each(struct team *t, uint32_t count);

/* There may be something to do, in the background or for team_each: wakes helpers that sleep. */
void team_call(struct team *t);

/* What a thread does that waits for another one, in turn `n` of doing so. */
void team_relax(unsigned n);

/* A lock that is held for some instructions only. */
struct team_lock {
    _Atomic(bool) taken;
};
bool team_try(struct team_lock *l);
void team_lock(struct team_lock *l);
void team_unlock(struct team_lock *l);

#endif
