/* split_priv.h - the pieces of a machine that several threads work on; between the files split*.c. */
#ifndef WL_SIM_SPLIT_PRIV_H
#define WL_SIM_SPLIT_PRIV_H

#include <stdatomic.h>

#include "engine/team.h"
#include "sim/gpu_priv.h"
#include "sim/split.h"

/* Core cycles that the front does at once, at most, and the back: threads wait for one another, so that they do less.
 */
enum {
    WINDOW_CYCLES = 32,
    BACK_CYCLES = 16,
    ALONE_WINDOW_CYCLES = 128, /* for one thread */
    ALONE_BACK_CYCLES = 64,
    CALENDAR = 256 /* cycles ahead for which packets of SMs can be noted: more than a window has */
};

/* Counts of requests alive start here: a pool may get back more than it gave. */
#define ALIVE_ZERO (UINT64_C(1) << 48)

/* Ticks in order, written by one thread and read by one. There is always room: a tick is an entry of a port. What each
 * of the two changes lies in a line of its own of the host's cache. */
struct dates {
    _Alignas(64) tick_t *at;
    uint32_t mask, read;
    _Alignas(64) tick_t *to; /* the same as `at`, for the one who writes */
    uint32_t to_mask;
    _Atomic(uint32_t) written;
};

/* Requests that are carried over a cut. They lie in the cache of the core that handles the other side; as their
 * addresses are known, the host can fetch several at once. */
struct handover {
    struct req **at;
    uint32_t count, room;
};

/* An SM. Nobody wakes it through its part's clock, which only counts: its entry of `next` is all. */
struct lane {
    _Alignas(128) struct sm *sm;
    tick_t last;         /* the edge at which it worked last */
    struct port request; /* its end of the port to the network */
    uint32_t starving;
    struct clock clock;
    struct part network; /* the consumer of that port, as far as it goes */
    struct breach breach;
};

/* The port from the request network to a slice, as the network sees it. */
struct to_slice {
    struct l2 *l2;
    struct dates popped; /* when a request was taken out at the other end */
    _Alignas(64) struct port port;
};

/* The port from the reply network to an SM, as the network sees it. */
struct to_sm {
    struct port port;
    struct dates taken; /* when the SM takes a reply out at the other end */
    tick_t last;        /* the last of these */
};

/* Parts with a clock of their own. Wake-ups that are meant for other pieces end in `nowhere`. */
struct piece {
    struct clock clock, nowhere;
    struct part far; /* the part at the other end of every port that was cut */
    struct driven *driven;
    unsigned parts;
    tick_t last; /* the tick at which it worked last */
    struct breach breach;
};

/* A thread's pools. */
struct split_worker {
    _Alignas(128) struct req_pool pool;
    struct memop_pool ops;
};

/* What SMs and dispatcher get as the source of a kernel: CTAs are released by the thread that takes new ones. */
struct split_source {
    struct stream_source source;
    struct stream_source *from;
    struct team_lock lock;
    struct released {
        uint32_t cta, nwarps;
        void *owner;
    } * released; /* [room] those that have ended since */
    uint32_t count, room;
};

/* What one side changes and the other does not need lies apart, in lines of its own of the host's cache: a line that
 * two cores change in turn costs either of them more than the work. */
struct split {
    /* never changed while it runs */
    struct gpu *g;
    struct team *team;
    unsigned threads;
    uint32_t window_cycles, back_cycles;
    uint32_t slice_words, sm_words; /* of a set of them */
    tick_t lookahead;               /* what the front sends is seen in the back so much later, at least */
    struct part core;               /* an edge of any SM */
    struct split_worker *worker;    /* [threads] */
    struct lane *lane;              /* [SMs] */
    struct to_slice *to_slice;      /* [slices] */
    struct to_sm *to_sm;            /* [SMs] */

    struct split_worker spare; /* what one has too much of and others may need */
    struct team_lock spare_lock;

    /* the front: SMs, request network, dispatcher; what every window looks at, for all SMs together */
    _Alignas(128) tick_t *reached; /* [SMs] the SM has worked at all its edges before this */
    tick_t *next;                  /* [SMs] the edge at which it works next; NEVER */
    uint32_t *in_network;          /* [SMs] packets it sent that were carried over and are not known to have left */
    uint64_t sending[NET_WORDS];   /* SMs that have any of these */
    uint32_t *todo;                /* [SMs] those that have work to do */
    struct req_list *calendar;     /* [CALENDAR] packets to carry over, by the cycle in which they were sent */
    uint64_t noted[CALENDAR / 64]; /* the cycles that have any */
    uint64_t wanting[NET_WORDS];   /* SMs that want a CTA */
    uint64_t left;                 /* packets that have left the network so far, as far as SMs know */
    struct piece hub;              /* the request network; like an SM it has no wake-ups but this: */
    tick_t hub_next;               /* the edge at which it works next; NEVER */
    tick_t time;                   /* network and dispatcher have worked at all edges before this */
    tick_t meeting;                /* all pieces stand still when they have worked at this core edge; NEVER */
    tick_t exact, limit; /* of the SMs: what the network frees before `exact` is known; no SM goes beyond the limit */
    tick_t start;        /* no CTA is given before this edge */
    bool dispatching;    /* there are CTAs left */
    bool in_step;        /* the next window is in step (split_run.c) */
    tick_t dispatched;   /* the last edge at which the dispatcher did something */
    uint64_t hub_holds;  /* packets in the network */
    bool passes;         /* those that meet no other need not be in it (pass_network) */
    struct handover sent, came;                  /* packets that have left it; replies that have been carried over */
    uint64_t filled[NET_WORDS], full[NET_WORDS]; /* slices: whose port has something to carry over; has no room */
    bool some_full;                              /* `full` is not empty */
    bool running;                                /* kernels have begun and not all have ended */
    struct split_source source[SM_MAX_KERNELS];

    /* the back: slices, channels, reply network */
    _Alignas(128) struct piece back;
    struct req_pool back_pool;
    uint64_t received, replied;       /* requests from the front, replies to it */
    struct handover replies, arrived; /* to be carried over; requests that have been */
    uint64_t reply_filled[NET_WORDS], reply_full[NET_WORDS];
    bool some_reply_full;
    bool closed;         /* nobody may work there; under back_lock, as everything of the back */
    bool may_part;       /* it may work part by part, split_parts.c */
    bool parted;         /* it does: when each part works next is in part_next, not in the wheels of their clock */
    tick_t *part_next;   /* [parts] in the order of `driven`: replies, slices, channels */
    tick_t memory_delay; /* what slices send is seen by their channels so much later, at least */

    /* between them */
    _Alignas(128) struct team_lock back_lock;
    _Alignas(128) struct team_lock exchange;
    struct handover down, up;
    _Alignas(128) _Atomic(bool) has_down;
    _Atomic(tick_t) front_time;
    _Alignas(128) _Atomic(bool) has_up; /* there is something in it */
    _Atomic(tick_t) back_time;
    _Atomic(uint64_t) back_progress;
    _Alignas(128) _Atomic(bool) no_memory;
    _Atomic(bool) broken; /* a policy has broken a promise */
};

/* split_back.c */
tick_t split_tick_slice(void *self, tick_t now);
tick_t split_tick_replies(void *self, tick_t now);
/* Lets the back work, if nobody does and it can go on by `least` ticks. False: not now. */
bool split_back_work(struct split *x, tick_t least);
bool split_background(void *arg); /* of a team */

/* split_parts.c */
int split_parts_init(struct split *x); /* -1: no memory */
/* Works part by part from now on, if there is room everywhere. */
void split_part(struct split *x);
/* Works so at all edges before `limit`, or not so any longer. */
void split_run_parts(struct split *x, tick_t limit);

/* split_hub.c */
void hub_run(struct split *x, tick_t limit);      /* works at all its wake-ups before that */
void hub_cycle(struct split *x, tick_t edge);     /* the cycle of the core that begins at `edge` */
void hub_catch_up(struct split *x, tick_t time);  /* alone, to where the SMs are */
tick_t hub_next_room(const struct split *x);      /* when a slice that had no room will have some; NEVER */
void hub_free_sent(struct split *x, tick_t time); /* what has left has freed places for the SMs */
/* The first edge from `edge` on, at most `end`, at which packets of SMs come to it. */
tick_t hub_next_packets(const struct split *x, tick_t edge, tick_t end);

/* split_run.c */
void split_lane(void *arg, unsigned thread, uint32_t number); /* of a team */

/* split.c */
int split_grow(struct handover *h, uint32_t count); /* makes room for so many. -1: no memory */
void split_release(struct split_source *s);         /* CTAs that have ended */

/* A part that has worked at tick `now` wants to work at `next`: the edge at which it will. */
static inline tick_t split_next_edge(const struct part *p, tick_t now, tick_t next)
{
    return next == NEVER || next == now + p->period ? next : part_edge_after(p, tick_max(next - 1, now));
}

/* ---- ports across a cut ---- */

/* A request with its date comes to the consumer's end. */
static inline bool cut_append(struct port *p, struct req *r)
{
    bool first = port_empty(p);
    struct req **end = first ? &p->list.head : p->list.tail;
    r->next = NULL;
    *end = r;
    p->list.tail = &r->next;
    p->used++;
    if (first) p->visible_at = r->ready + 1;
    return first;
}

/* Takes the oldest out at the producer's end, where it still counts. */
static inline struct req *cut_take(struct port *p)
{
    struct req *r = p->list.head;
    p->list.head = r->next;
    if (!r->next) p->visible_at = NEVER;
    return r;
}

static inline void dates_add(struct dates *d, tick_t t)
{
    uint32_t n = atomic_load_explicit(&d->written, memory_order_relaxed);
    d->to[n & d->to_mask] = t;
    atomic_store_explicit(&d->written, n + 1, memory_order_release);
}

/* The first date; NEVER: none is known. */
static inline tick_t dates_first(const struct dates *d)
{
    return atomic_load_explicit(&d->written, memory_order_acquire) == d->read ? NEVER : d->at[d->read & d->mask];
}

/* Places that were freed before tick `now` are free at the producer's end. */
static inline void cut_free_places(struct port *p, struct dates *d, tick_t now)
{
    while (dates_first(d) < now) {
        d->read++;
        p->used--;
    }
}

static inline void handover_add(struct split *x, struct handover *h, struct req *r)
{
    if (h->count < h->room || !split_grow(h, h->count + 1)) h->at[h->count++] = r;
    else atomic_store(&x->no_memory, true);
}

/* What has been sent goes to the other side. */
static inline void split_send(struct split *x, struct handover *to, _Atomic(bool) *any, struct handover *from)
{
    if (!from->count) return;
    team_lock(&x->exchange);
    if (!to->count) {
        struct handover empty = *to;
        *to = *from;
        *from = empty;
    }
    for (uint32_t i = 0; i < from->count; i++) handover_add(x, to, from->at[i]);
    atomic_store_explicit(any, true, memory_order_relaxed);
    team_unlock(&x->exchange);
    from->count = 0;
}

/* What has come from there is in `to` then. False: nothing has. */
static inline bool split_receive(struct split *x, struct handover *from, _Atomic(bool) *any, struct handover *to)
{
    if (!atomic_load_explicit(any, memory_order_relaxed)) return false;
    to->count = 0;
    team_lock(&x->exchange);
    struct handover came = *from;
    *from = *to;
    *to = came;
    atomic_store_explicit(any, false, memory_order_relaxed);
    team_unlock(&x->exchange);
    return true;
}

/* Request i of those that came; the host is asked for those a little behind it. */
static inline struct req *handover_get(const struct handover *h, uint32_t i)
{
    enum { AHEAD = 6 };
    if (i + AHEAD < h->count) __builtin_prefetch(h->at[i + AHEAD], 1);
    return h->at[i];
}

/* A reply comes to its SM, which does not work meanwhile, and is seen there at this edge. */
static inline void split_give_reply(struct split *x, struct req *r, tick_t edge)
{
    struct port *p = &x->lane[r->sm].sm->reply;
    if (p->warm) p->warm(p->consumer, r, true);
    if (cut_append(p, r)) x->next[r->sm] = tick_min(x->next[r->sm], edge);
}

void split_back_run(struct split *x, tick_t limit); /* works at all its wake-ups before that */

#endif
