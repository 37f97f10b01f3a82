/* split_priv.h - the pieces of a machine that several threads work on; between the files split*.c. */
#ifndef WL_SIM_SPLIT_PRIV_H
#define WL_SIM_SPLIT_PRIV_H

#include <stdatomic.h>

#include "engine/team.h"
#include "sim/gpu_priv.h"
#include "sim/split.h"

enum {
    WINDOW_CYCLES = 32, /* that the front does at once, at most */
    BACK_CYCLES = 16    /* core cycles that the back does at once */
};

/* Counts of requests alive start here: a pool may get back more than it gave. */
#define ALIVE_ZERO (UINT64_C(1) << 48)

/* Ticks in order, written by one thread and read by one. There is always room: a tick is an entry of a port. */
struct dates {
    tick_t *at;
    uint32_t mask, read;
    _Atomic(uint32_t) written;
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
    struct port port;
    struct dates popped; /* when a request was taken out at the other end */
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

struct split {
    struct gpu *g;
    struct team *team;
    unsigned threads;
    struct split_worker *worker; /* [threads] */
    struct split_worker spare;   /* what one has too much of and others may need */
    struct team_lock spare_lock;
    struct lane *lane; /* [SMs] */
    /* What every window looks at, for all SMs together. */
    tick_t *reached;             /* [SMs] the SM has worked at all its edges before this */
    tick_t *next;                /* [SMs] the edge at which it works next; NEVER */
    uint32_t *in_network;        /* [SMs] packets it sent that were carried over and are not known to have left */
    uint32_t *todo;              /* [SMs] those that have work to do */
    uint64_t pending[NET_WORDS]; /* SMs with packets to carry over */
    uint64_t wanting[NET_WORDS]; /* SMs that want a CTA */
    uint64_t left;               /* packets that have left the network so far, as far as SMs know */

    /* the front: SMs, request network, dispatcher */
    struct piece hub;     /* the request network; like an SM it has no wake-ups but this: */
    tick_t hub_next;      /* the edge at which it works next; NEVER */
    tick_t time;          /* network and dispatcher have worked at all edges before this */
    tick_t exact, limit;  /* of the SMs: what the network frees before `exact` is known; no SM goes beyond the limit */
    tick_t start;         /* no CTA is given before this edge */
    bool dispatching;     /* there are CTAs left */
    tick_t dispatched;    /* the last edge at which the dispatcher did something */
    uint64_t hub_holds;   /* packets in the network */
    struct req_list sent; /* packets that have left it since they were last carried over */
    struct to_slice *to_slice;                   /* [slices] */
    uint64_t filled[NET_WORDS], full[NET_WORDS]; /* slices: whose port has something to carry over; has no room */

    /* the back: slices, channels, reply network */
    struct piece back;
    struct team_lock back_lock;
    struct req_pool back_pool;
    uint64_t received, replied; /* requests from the front, replies to it */
    tick_t lookahead;           /* what the front sends is seen in the back so much later, at least */
    struct req_list replies;
    struct to_sm *to_sm; /* [SMs] */
    uint64_t reply_filled[NET_WORDS], reply_full[NET_WORDS];
    bool closed; /* nobody may work there; under back_lock, as everything of the back */

    /* between them */
    _Alignas(128) struct team_lock exchange;
    struct req_list down, up;
    _Atomic(bool) has_down, has_up; /* there is something in them */
    _Alignas(128) _Atomic(tick_t) front_time;
    _Alignas(128) _Atomic(tick_t) back_time;
    _Atomic(uint64_t) back_progress;
    _Atomic(bool) no_memory, broken; /* broken: a policy has broken a promise */
    bool running;                    /* kernels have begun and not all have ended */
    uint32_t slice_words, sm_words;  /* of a set of them */
    struct split_source source[SM_MAX_KERNELS];
};

/* split_back.c */
tick_t split_tick_slice(void *self, tick_t now);
tick_t split_tick_replies(void *self, tick_t now);
/* Lets the back work, if nobody does and it can go on by `least` ticks. False: not now. */
bool split_back_work(struct split *x, tick_t least);
bool split_background(void *arg); /* of a team */

/* split_run.c */
void split_lane(void *arg, unsigned thread, uint32_t number); /* of a team */

/* split.c */
void split_release(struct split_source *s); /* CTAs that have ended */

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
    d->at[n & d->mask] = t;
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

/* What has been sent goes to the other side; what has come from there: false, nothing. */
static inline void split_send(struct split *x, struct req_list *to, _Atomic(bool) *any, struct req_list *from)
{
    if (!from->head) return;
    team_lock(&x->exchange);
    list_join(to, from);
    atomic_store_explicit(any, true, memory_order_relaxed);
    team_unlock(&x->exchange);
}
static inline bool split_receive(struct split *x, struct req_list *from, _Atomic(bool) *any, struct req_list *to)
{
    if (!atomic_load_explicit(any, memory_order_relaxed)) return false;
    list_init(to);
    team_lock(&x->exchange);
    list_join(to, from);
    atomic_store_explicit(any, false, memory_order_relaxed);
    team_unlock(&x->exchange);
    return true;
}

/* The first wake-up of the back. */
static inline tick_t back_next(const struct split *x)
{
    const struct domain *d = x->back.clock.domain;
    return tick_min(tick_min(d[0].next, d[1].next), tick_min(d[2].next, d[3].next));
}
void split_back_run(struct split *x, tick_t limit); /* works at all its wake-ups before that */

#endif
