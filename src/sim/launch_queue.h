/* launch_queue.h - launches and copies that wait for their turn on the machine, and for one another.
 *
 * Each piece of work gets a number when it is added, from 1 on, and names by their numbers those that must have ended
 * before it begins. Work that is no longer in the queue has ended. Launches whose turn has come run together, as far
 * as the machine can (gpu.h). A copy takes no time: it happens when the work it waits for has ended. */
#ifndef WL_SIM_LAUNCH_QUEUE_H
#define WL_SIM_LAUNCH_QUEUE_H

#include "sim/gpu.h"
#include "sim/kept.h"

/* Where a launch stands among others. */
struct launch_order {
    uint64_t stream;       /* for the record; 0: the default stream */
    int priority;          /* of its CTAs: smaller is first */
    const uint64_t *after; /* numbers of the work it waits for */
    unsigned afters;
};

enum queue_state { QUEUE_WAITS, QUEUE_RUNS, QUEUE_ENDED };

struct queued {
    struct gpu_launch launch; /* first: the machine knows the work by it */
    struct kept *kept;        /* NULL: a copy */
    uint64_t addr, bytes;     /* of the copy */
    uint64_t stream;
    uint64_t *after; /* owned */
    unsigned afters;
    enum queue_state state;
    unsigned group; /* the number of the run of the machine it was part of */
};

struct launch_queue {
    struct gpu *gpu;
    struct queued **work; /* in the order in which it was added */
    unsigned count, cap;
    unsigned first_left; /* all before this one have begun or ended */
    unsigned shown;      /* the one the machine was last shown */
    unsigned group;      /* runs of the machine so far */
    uint64_t numbers;    /* given out so far */
    uint64_t *ended_at;  /* [numbers] core cycles of the machine when it had ended */
    uint64_t ended_cap;
    uint64_t bytes; /* of what is kept */
};

void queue_destroy(struct launch_queue *q);
/* The launch becomes the queue's, also on failure. */
int queue_launch(struct launch_queue *q, struct kept *k, const struct launch_order *o, uint64_t *number,
                 struct wl_err *e);
int queue_copy(struct launch_queue *q, uint64_t addr, uint64_t bytes, const struct launch_order *o, uint64_t *number,
               struct wl_err *e);
/* Whether all that is in the queue must have ended when the given work has. */
bool queue_covers(const struct launch_queue *q, const uint64_t *number, unsigned numbers);
/* Core cycles of the machine when the work had ended; 0: it waits. */
uint64_t queue_ended_at(const struct launch_queue *q, uint64_t number);
/* Runs the machine once, from empty to empty. `group` hears which launches it ran, in the order they were added.
 * Empties the queue when nothing is left to run. */
typedef int queue_group(void *arg, struct queued *const *ran, unsigned count, struct wl_err *e);
int queue_run(struct launch_queue *q, queue_group *group, void *arg, struct wl_err *e);

#endif
