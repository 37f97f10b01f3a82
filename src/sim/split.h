/* split.h - a machine in pieces, for one thread or several, with the counters of one piece.
 *
 * The machine is cut where parts see of each other only what happened some time ago:
 *
 *     SM  SM  SM  ...  SM   each by itself, as far as it is certain of room in the network   (any thread)
 *      \   |   |      /
 *       request network, dispatcher                                                          (the leader)
 *              |   after icnt.latency and l2.latency
 *       L2 slices, memory channels, reply network                                            (any one thread)
 *              |   after icnt.latency
 *      back to the SMs
 *
 * These pieces have clocks of their own. Each works at all the edges it would work at in one thread, in the same order
 * and having seen the same, only not at the same moment of the host's time: what passes a cut is dated. So there is
 * nothing that the number of threads or their speed could change. One thread gains too: what a piece needs is in the
 * host's cache while it works for a hundred cycles on end. In detail:
 *
 *  - A port across a cut has two ends, a `struct port` each: the producer counts places at its own end, the consumer
 *    takes requests from its own. Requests are carried over between two stretches of work, with their dates.
 *  - The back (L2 and everything behind it) goes ahead of the front by as much as a request takes from the network to
 *    the tags. The front, which is behind it, so knows all replies and all places that slices have freed.
 *  - An SM takes a reply per cycle from the moment it can be seen, whatever else it does. So the reply network computes
 *    when a place in front of an SM is free again instead of asking the SM.
 *  - An SM works ahead of the request network while there is room for all it may send, and not past the cycle in which
 *    the dispatcher may give it a CTA.
 *  - Where counters are read, of a sampled run or over time, all pieces meet at one edge of the core. It is known so
 *    early that none has come that far (sampling_waves.h).
 *  - No piece works after the end of the kernel, which none knows. An SM goes ahead only while it holds something that
 *    has to be done before the end; without that it waits until all others are there and the kernel still runs. The
 *    others postpone their wake-ups while they hold nothing, as these change nothing that others could see. So the
 *    last edge at which anything worked is the end. */
#ifndef WL_SIM_SPLIT_H
#define WL_SIM_SPLIT_H

#include "engine/part.h"
#include "sim/gpu.h"
#include "sm/sm.h"

struct dispatched;
struct split;

/* Why a machine with these options cannot be split, or not be simulated by several threads: NULL, it can. */
const char *split_refuses(const struct gpu_config *c, const struct gpu_options *o);
const char *split_refuses_threads(const struct gpu_config *c, const struct gpu_options *o);

/* Gives the parts of the machine their clocks, of these periods (core, networks, L2, memory). -1: no memory. */
int split_begin(struct gpu *g, const tick_t period[4]);
/* What an SM, and what slices and channels are built with. */
struct sm_common split_common(struct split *x, uint32_t sm);
const struct part *split_dispatcher(struct split *x, uint32_t sm);
struct req_pool *split_back_pool(struct split *x);
/* The parts are connected: cuts the ports. -1: no memory. */
int split_cut(struct gpu *g);
void split_free(struct split *x);

/* The source that SMs and dispatcher get for a kernel instead of its own. NULL: no memory. */
struct stream_source *split_source(struct split *x, unsigned number, struct stream_source *from);

/* Runs until a kernel has ended, as the usual loop does. */
int split_run(struct gpu *g, const struct dispatched **ended, struct wl_err *e);

#endif
