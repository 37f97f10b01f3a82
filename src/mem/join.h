/* join.h - reads of several SMs of a group that become one read of the L2.
 *
 * Between the request network and the slices every packet waits icnt.join_cycles. A read that comes for sectors which a
 * waiting read of its group (the SMs of a GPC) asks for already is attached to that one, its leader, as long as fewer
 * than icnt.join reads are together, and goes no further. The leader's answer is for all of them: the reply network
 * hands one packet to each (net.c). A group remembers the leaders of its latest lines in a table that a newer line may
 * overwrite: then a read that could have been attached goes on alone. */
#ifndef WL_MEM_JOIN_H
#define WL_MEM_JOIN_H

#include "mem/port.h"
#include "param/config.h"

struct join_entry {
    uint64_t line;
    tick_t until; /* the leader leaves then; it may not be looked at from then on */
    struct req *leader;
};

struct join {
    uint32_t most, groups;     /* reads together; groups of SMs */
    tick_t window;             /* how long a packet waits */
    struct req_list waiting;   /* oldest first; `ready` is when it may go on */
    struct req_list *stopped;  /* [outputs] those that may go on and find the queue behind the output full */
    uint64_t *full;            /* outputs whose `stopped` has an entry */
    uint32_t words;            /* of `full` */
    struct join_entry *leader; /* [groups * JOIN_LINES] */
    uint64_t joined;           /* reads that were attached */
};

/* NULL when the configuration joins nothing, or without memory; *bad is set then. */
struct join *join_new(const struct gpu_config *c, tick_t period, uint32_t outputs, bool *bad);
void join_delete(struct join *j);
bool join_idle(const struct join *j);

/* Whether the output takes a packet: none that waited finds its queue full. */
static inline bool join_open(const struct join *j, uint32_t output)
{
    return !(j->full[output >> 6] >> (output & 63) & 1);
}

/* Takes a packet that an input has sent by `sent`, or attaches it to a leader. */
void join_take(struct join *j, struct req *r, tick_t sent, tick_t now);
/* Sends on what has waited long enough; returns when the next one has. */
tick_t join_release(struct join *j, struct port **out, tick_t latency, tick_t now);

/* The read that is answered after `r`, whose place in the port it takes. */
static inline struct req *join_next(struct req *r)
{
    struct req *f = r->others;
    f->leads = (r->leads - 1u) & 63;
    f->answer = r->answer;
    f->note = r->note;
    f->is_reply = true;
    return f;
}

#endif
