/* l2.h - one slice of the shared second-level cache.
 *
 *   network -> [fixed pipeline and queue: the port, or rop and queue] -> tags -> hit: reply
 *                                                     -> miss: miss queue -> memory channel
 *   memory channel -> fill -> requests that waited -> reply -> network
 *
 * Write-back; three ways to treat a store miss (l2.write). A request names the 32-byte sectors
 * it wants of one 128-byte line and uses the data port one cycle per l2.port bytes, so four
 * sectors cost what four requests would, without being four objects. A line remembers which of
 * its bytes were written, so that the lazy policy knows a sector that stores covered whole. */
#ifndef WL_MEM_L2_H
#define WL_MEM_L2_H

#include "mem/addrmap.h"
#include "mem/mshr.h"
#include "mem/nvm.h"
#include "mem/policy_host.h"
#include "mem/port.h"
#include "mem/tags.h"
#include "param/config.h"
#include "stats/stats.h"

enum l2_write { L2_LAZY, L2_FORWARD, L2_FETCH };
enum l2_port_time { L2_PAY_LINE, L2_PAY_REQUEST, L2_PAY_HIT };
enum l2_stall { L2_GO, L2_STALL_MSHR, L2_STALL_MERGE, L2_STALL_LINE, L2_STALL_MISSQ, L2_STALL_REPLY };

/* An observer looks on and changes nothing (src/observe). */
enum l2_answer { L2_HAD_IT, L2_AWAITS_IT, L2_LACKED_IT };
struct l2_observer {
    void (*access)(struct l2_observer *o, const struct req *r, enum l2_answer how);
};

/* What a cycle looks at comes first, then what an access needs: a dozen slices or more share the host's cache. */
struct l2 {
    struct policy_host pol; /* first: the services find the slice from the policy's wl_cache */
    struct part part;
    tick_t last; /* previous tick of this part, for stall accounting */
    tick_t port_free, fill_free;
    enum l2_stall stalled; /* what the oldest request waits for */
    enum l2_write write;
    enum l2_port_time port_time; /* what a request pays for at the data port */
    bool plain; /* without the rules of GPGPU-Sim 3.2 below but port, pending stores and miss queue, without a queue
                   of replies, and not one of two halves */
    bool sectored;
    uint8_t promote;  /* how many sectors are fetched together */
    uint8_t moved;    /* sectors the access at the tags moves, when only hits pay at the data port */
    struct port *out; /* to the network */
    struct port *mem; /* to the channel */
    struct req_list missq;
    uint32_t missq_used, missq_cap;
    struct req_list done; /* requests whose fill has come and whose reply is to be sent */
    struct port in;       /* from the network, with the fixed pipeline and the queue behind it */
    struct port fill;     /* from the channel */
    struct tags tags;
    struct mshrs mshr;
    uint32_t mshr_sectors, mshr_limit; /* fetches in flight; how many are allowed */
    const struct nvm_map *nvm;
    tick_t port_ticks[LINE_SECTORS + 1]; /* [sectors] how long they keep the data port busy */
    uint32_t bypassing_used;             /* MSHR entries without a line */
    uint32_t *bypassing;                 /* [sets] first MSHR entry without a line, or NO_MSHR */
    uint64_t (*written)[2];              /* [lines] bytes written by stores */
    struct l2_stats stats;
    struct l2_observer *observer; /* of stats.profile; NULL: none */
    struct req_pool *pool;
    const struct addrmap *map;
    uint32_t index;
    void *shared;         /* the slot for the tables of one scheme */
    struct l2_half *half; /* NULL, or l2.halves: the slice is one of a pair (l2_halves.h) */

    /* What GPGPU-Sim 3.2 did, see params.def. */
    bool by_sector;       /* l2.merge limits the reads of a sector, not of a line */
    bool forward_pending; /* l2.pending_store = forward */
    bool await_pending;   /* l2.pending_store = wait */
    bool late_ack;        /* l2.ack = memory */
    bool worst;           /* l2.missq_rule = worst */
    bool stop_all;        /* l2.memq_stops = all */
    bool hop;             /* l2.hop */
    bool texture_skips;   /* l2.texture = skip */
    bool fill_waits;      /* an acknowledgement from memory waits for room towards the network */

    /* l2.entry = queue: the port `in` holds what the network has delivered, rop what is in the fixed pipeline. */
    uint32_t queue_cap, queue_used; /* capacity 0: pipeline and queue are inside the port */
    struct req_list queue, rop;
    tick_t rop_ticks;     /* from the port to the end of the pipeline */
    tick_t entered, left; /* the edges up to which requests have entered the pipeline, and left it */
    bool dozes;           /* it sleeps while they do */

    /* icnt.in_flits: replies that wait for room there. Capacity 0: replies go to the port at once. */
    uint32_t outq_cap, outq_used;
    struct req_list outq;

    bool spaced;     /* icnt.sends: a network that takes several packets of an input in a cycle gets one */
    tick_t reply_at; /* then: the date of the last one */
};

int l2_init(struct l2 *s, const struct gpu_config *c, uint32_t index, const struct addrmap *map,
            const struct nvm_map *nvm, struct req_pool *pool, struct wl_err *e);
/* The ports are connected: of a large slice the host is told what memory they will need. */
void l2_warm_ports(struct l2 *s);
/* Of several requests that have come at once, when the marks have come that the ports asked for; only if it is worth
 * it. */
static inline bool l2_warms_lines(const struct l2 *s) { return s->tags.large && s->tags.mark; }
static inline __attribute__((always_inline)) void l2_warm_line(const struct l2 *s, const struct req *r)
{
    tags_warm_line(&s->tags, r->set, r->line);
}
void l2_destroy(struct l2 *s);
/* l2.entry = queue: whether the slice may sleep until a request comes to the tags. Not while textures are read, which
 * skip the pipeline. */
void l2_doze(struct l2 *s, bool may);
/* One cycle; returns the tick at which the slice wants to work next. */
tick_t l2_tick(struct l2 *s, tick_t now);
/* Of a slice without the rules of GPGPU-Sim 3.2: when it can take what the channel has sent; NEVER. */
static inline tick_t l2_next_fill(const struct l2 *s)
{
    return port_empty(&s->fill) ? NEVER : tick_max(s->fill.visible_at, s->fill_free);
}
/* Nothing but requests and fills wakes such a slice while it has room at both ends: for so many more messages. */
static inline bool l2_has_room(const struct l2 *s, uint32_t n)
{
    return !s->out->producer_waits && !s->mem->producer_waits && s->out->used + n <= s->out->capacity &&
           s->mem->used + n <= s->mem->capacity;
}
/* The counters at tick `at`, also when the slice sleeps through a stall. */
void l2_read_stats(const struct l2 *s, tick_t at, struct l2_stats *out);
/* A host copy wrote this line (all sectors), or part of it. */
void l2_host_copy(struct l2 *s, uint64_t line, uint32_t set, uint8_t sectors, tick_t now);
/* Both ends of a kernel, for the policy. */
void l2_kernel(struct l2 *s, enum wl_phase phase, const struct wl_kernel *k);
/* Asserts that tags, MSHRs, queues and counts agree with one another. For --paranoid. */
void l2_walk(const struct l2 *s);
void l2_describe(const struct l2 *s, char *out, size_t size);
bool l2_idle(const struct l2 *s);

/* How much a request counts: its sectors, or 1. */
static inline uint32_t l2_weight(const struct l2 *s, uint8_t sectors)
{
    return s->sectored ? bit_count32(sectors) : sectors != 0;
}

#endif
