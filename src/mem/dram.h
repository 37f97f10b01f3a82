/* dram.h - one memory channel: queue, banks, command and data bus.
 *
 * Requests from the channel's L2 slices wait a fixed time, enter a bounded queue and are
 * served first-ready first-come per bank: a bank that is free takes the oldest request for its
 * open row, else the oldest. One command per cycle: column, activate or precharge, whichever
 * bank in turn can use it. Every timing rule is a tick from which a command is allowed, so the
 * channel can sleep until the earliest of them.
 *
 * The channel works ahead of the clock. What a slice sends is seen only after the fixed time, and data leaves
 * dated, so when the channel is woken it can do all that it will do until then at once, its state warm in the host's
 * cache. Room is the one thing that has no delay: the channel stops where it is not certain of room for an answer, and
 * where a slice could fill its port and so notice what has been taken out. A kernel that ends with a write ends at
 * freed_at.
 *
 * In a hybrid machine each channel has a second set of banks made of phase-change memory that
 * shares the buses: slow to activate, slow to precharge a row that was written. */
#ifndef WL_MEM_DRAM_H
#define WL_MEM_DRAM_H

#include "mem/nvm.h"
#include "mem/port.h"
#include "mem/wear.h"
#include "param/config.h"
#include "stats/stats.h"

enum { DRAM_MAX_BANKS = 128 };

/* The command a bank with a request needs next. */
enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

struct dram_bank {
    struct req_list queue;
    struct req *current; /* taken from the queue, column commands to issue */
    uint32_t row;
    bool open, written; /* written since activation */
    bool nvm;
    uint8_t group;
    tick_t ok[DRAM_COMMANDS]; /* earliest tick of each command as far as this bank is concerned */
};

struct dram_timing { /* in ticks */
    tick_t ccd, ccdl, cl, wl, rtw, wtr, wtp, rtp, rtpl, burst;
    tick_t rrd[2], rcd[2], rcdwr[2], ras[2], rp[2], rp_clean[2], rc[2], pre_gap[2]; /* [nvm] */
};

struct dram {
    struct part part;
    /* What every tick reads. */
    tick_t next_command;        /* no command can be issued before this tick, whatever waits for room */
    tick_t arrival;             /* the first edge at which a request can be seen at a port; NEVER. Not if gated */
    bool waits_for_room;        /* a read waits only for room in the port to the L2; a pop there wakes the channel */
    bool fifo;                  /* mem.sched: the oldest request of a bank, whatever row is open */
    bool sectored;              /* reads go sector by sector */
    bool dual;                  /* one bus for row commands, one for columns */
    bool waiting_only;          /* mem.window = waiting: a request leaves the queue when its bank takes it */
    bool single;                /* dram.columns = single */
    bool turn_rows;             /* dram.turn = rows */
    bool gated;                 /* mem.feed = gated */
    uint32_t queued, queue_cap; /* requests in the scheduling queue */
    uint32_t slices;
    uint32_t slice_mask; /* slices - 1, or 0 if that is no mask */
    uint32_t last_slice; /* the slice whose request was accepted last */
    uint32_t turn;       /* the bank looked at first */
    unsigned zero;       /* mem.zero */
    struct port *in;     /* [slices] from the L2, with the fixed delay; owned */
    struct port **out;   /* [slices] to the L2: the data bus and the return queue are inside it */
    bool ahead;          /* the channel may work ahead of the clock; set by the machine */
    /* mem.feed = gated: the delay behind the ports is here. */
    struct req_list line;        /* requests in the delay; `ready` is the tick after which each can leave it */
    uint64_t delay_cycles;       /* how long it is, */
    tick_t delay_period;         /* in cycles of this period */
    uint32_t fillq;              /* answers a slice takes before its requests wait */
    uint32_t shared_cap, shared; /* requests under way beyond one per slice: how many may be, and are */
    uint16_t *own;               /* [slices] whether that one is */

    tick_t worked;       /* the channel has worked at all its edges up to this tick */
    tick_t freed_at;     /* the last tick, perhaps ahead of the clock, at which it freed a request */
    uint64_t busy[2];    /* banks with a current request */
    uint64_t backlog[2]; /* banks with a queue but no current request */

    /* What find_bank reads, kept dense: the busy banks' next command, when the bank is ready for
     * it, and when the rest of the channel is: gate[command][group of the bank, or its kind]. */
    uint8_t command[DRAM_MAX_BANKS], gate_of[DRAM_MAX_BANKS];
    tick_t when[DRAM_MAX_BANKS], gate[DRAM_COMMANDS * 32];
    struct dram_bank bank[DRAM_MAX_BANKS];

    struct dram_timing t;
    struct req_pool *pool;
    uint32_t index;
    uint32_t banks;       /* of volatile memory */
    uint32_t total_banks; /* with those of phase-change memory */
    uint32_t groups, atom_bytes;
    uint64_t burst_cycles;
    struct wear wear; /* writes per NVM line */
    struct dram_stats stats;
};

int dram_init(struct dram *d, const struct gpu_config *c, uint32_t index, struct req_pool *pool);
void dram_destroy(struct dram *d);
tick_t dram_tick(struct dram *d, tick_t now);
/* Not for mem.feed = gated: works at all its edges before `limit`, up to which all requests are known; no further than
 * it is certain of room at the L2. Returns the edge at which it has to work next. */
tick_t dram_run(struct dram *d, tick_t limit);
void dram_describe(const struct dram *d, char *out, size_t size);
bool dram_idle(const struct dram *d);
void dram_walk(const struct dram *d); /* verifies that what it holds agrees with itself */

#endif
