/* dram.h - one memory channel: queue, banks, command and data bus.
 *
 * Requests from the channel's L2 slices wait a fixed time, enter a bounded queue and are
 * served first-ready first-come per bank: a bank that is free takes the oldest request for its
 * open row, else the oldest. One command a cycle: column, activate or precharge, whichever
 * bank in turn can use it. Every timing rule is a tick from which a command is allowed, so the
 * channel can sleep until the earliest of them.
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
    uint32_t index;
    struct req_pool *pool;
    struct dram_timing t;
    uint32_t banks, total_banks, groups, atom_bytes;
    uint64_t burst_cycles;
    bool fifo, sectored /* reads sector by sector */, dual /* a bus for row commands, one for columns */;
    unsigned zero; /* mem.zero */
    struct dram_bank bank[DRAM_MAX_BANKS];
    /* What find_bank reads, kept dense: the busy banks' next command, when the bank is ready for
     * it, and when the rest of the channel is: gate[command][group of the bank, or its kind]. */
    uint8_t command[DRAM_MAX_BANKS], gate_of[DRAM_MAX_BANKS];
    tick_t when[DRAM_MAX_BANKS], gate[DRAM_COMMANDS * 32];
    uint64_t busy[2];    /* banks with a current request */
    uint64_t backlog[2]; /* banks with a queue but no current request */
    uint32_t turn;       /* bank looked at first */
    tick_t next_command; /* no command can be issued before, */
    bool waits_for_room; /* unless a read waits only for the port to the L2, whose pop wakes us */

    uint32_t slices;
    struct port *in;   /* [slices] from the L2, with the fixed delay; owned */
    struct port **out; /* [slices] to the L2: the data bus and the return queue are inside it */
    uint32_t last_slice;
    uint32_t queued, queue_cap; /* in the scheduling queue */
    struct wear wear;           /* writes per NVM line */
    struct dram_stats stats;
};

int dram_init(struct dram *d, const struct gpu_config *c, uint32_t index, struct req_pool *pool);
void dram_destroy(struct dram *d);
tick_t dram_tick(struct dram *d, tick_t now);
void dram_describe(const struct dram *d, char *out, size_t size);
bool dram_idle(const struct dram *d);

#endif
