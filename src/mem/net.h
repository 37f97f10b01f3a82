/* net.h - one direction of the interconnect: a crossbar of packets.
 *
 * Each input has a queue and sends one flit per cycle; each output takes one flit per cycle. A
 * packet holds its input and its output for as many cycles as it has flits, and icnt.gap more:
 * with one virtual channel the next packet can be given the output only after the tail of the one
 * before has left, and giving it takes a cycle. Outputs choose among the inputs whose oldest packet
 * wants them, round robin. A full queue behind an output
 * stops it, and through it the inputs: saturation reaches the SM. */
#ifndef WL_MEM_NET_H
#define WL_MEM_NET_H

#include "mem/join.h"
#include "mem/port.h"
#include "param/config.h"

enum { NET_MAX_PORTS = WL_MAX_SLICES, NET_WORDS = NET_MAX_PORTS / 64 };

enum { NET_NOBODY = UINT32_MAX };

/* The usual network has nothing of what follows, one with flits gaps and queues that count flits; in both a word has a
 * bit per input and output. */
enum net_kind { NET_USUAL, NET_FLITS, NET_ANY };

struct net {
    struct part part;
    bool replies;  /* from slices to SMs */
    bool sectored; /* replies are one small packet per sector */
    uint32_t inputs, outputs;
    enum net_kind kind;
    uint32_t cluster;  /* SMs that share an input or output on their side */
    uint32_t in_ports; /* ports in front of the inputs: one each, or one per SM */
    uint32_t *current; /* [inputs] cluster > 1: the port whose oldest packet is the input's, or NET_NOBODY */
    uint32_t *served;  /* [inputs] and the port of the last packet that was sent */
    uint32_t flit_bytes, header_bytes;
    tick_t latency;    /* from the last flit's departure to its arrival */
    struct port *in;   /* [in_ports], owned */
    struct port **out; /* [outputs, or SMs], owned by the consumers */
    tick_t *in_free, *out_free;
    uint32_t *turn;                       /* [outputs] input served last */
    uint64_t filled[NET_WORDS];           /* inputs that were empty and got a packet that is not in `wants` yet */
    uint64_t *wants;                      /* [outputs * words of inputs] inputs whose oldest packet wants the output */
    uint64_t wanted[NET_WORDS];           /* outputs that at least one input wants */
    uint8_t flits_of[4][ALL_SECTORS + 1]; /* [enum wl_kind][sectors] flits of a request's packet or packets */
    uint8_t gap_of[4][ALL_SECTORS + 1];   /* the same: cycles for which they hold their ports beyond their flits */
    struct join *join;   /* NULL, or what joins equal reads behind the outputs of the request network */
    bool rising;         /* an input may send several packets in a cycle, to outputs of rising number */
    uint32_t store_hold; /* cycles of a store's header and of each of its sectors at its input; 0: its flits */
    uint64_t packets, flits;
};

/* From so many ports to so many; SMs on either side share inputs and outputs as sm.cluster says. */
int net_init(struct net *n, const struct gpu_config *c, bool replies, uint32_t from, uint32_t to);
void net_destroy(struct net *n);
/* Makes port i of those in front of the inputs, which `producer` fills. */
void net_connect_input(struct net *n, uint32_t i, uint32_t capacity, const struct part *producer);
tick_t net_tick(struct net *n, tick_t now);
/* When the first packet can be seen that has come to an empty port and has not been; NEVER. */
tick_t net_next_seen(const struct net *n);
/* The request network holds nothing and is not of the kind NET_ANY: whether a packet could leave at `now`, if the slice
 * has room; it does, and is to be seen there behind the tick that is returned. */
bool net_passes(const struct net *n, const struct req *r, tick_t now);
tick_t net_pass(struct net *n, struct req *r, tick_t now);
void net_describe(const struct net *n, char *out, size_t size);
bool net_idle(const struct net *n);
void net_walk(const struct net *n); /* verifies that what it holds agrees with itself */
/* Flits of a request's packet in this network. */
static inline uint32_t net_flits(const struct net *n, const struct req *r) { return n->flits_of[r->kind][r->sectors]; }

/* ---- queues that are counted in flits: icnt.in_flits, icnt.out_flits ---- */

/* The port counts flits of this network's packets. */
void net_count_flits(struct net *n, struct port *p, uint32_t flits);
bool net_flits_fit(struct port *p, const struct req *r, tick_t now);

/* Whether the packet fits into the port at an input; if not, the producer is woken when it does. */
static inline bool net_can_send(struct port *p, const struct req *r, tick_t now)
{
    return p->flit.of ? net_flits_fit(p, r, now) : port_can_push(p, now);
}
/* The port counts flits, and the packet fits from now on until another one is sent, as far as the producer knows. */
bool net_flits_certain(const struct port *p, const struct req *r, tick_t now);

static inline void net_send_after(struct port *p, struct req *r, tick_t after)
{
    if (p->flit.of) p->flit.held += p->flit.of[r->kind][r->sectors];
    port_push_after(p, r, after);
}
static inline void net_send(struct port *p, struct req *r, tick_t now) { net_send_after(p, r, now); }
/* Takes the oldest packet, which can be seen, out of the port behind an output. */
static inline struct req *net_take(struct port *p, tick_t now)
{
    struct req *r = p->list.head;
    if (p->flit.of) {
        uint32_t n = p->flit.of[r->kind][r->sectors];
        p->flit.held -= n;
        p->flit.freed = (uint16_t)(n + (p->freed_at == now ? p->flit.freed : 0u));
    }
    port_pop(p, now);
    return r;
}

#endif
