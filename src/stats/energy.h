/* energy.h - what a run cost, from what it counted.
 *
 * Energy = sum of events x picojoules (energy.def) + static power x time. All of it is arithmetic on
 * the counters of a finished run. The numbers are for comparing two runs of one machine: no
 * absolute value is claimed.
 *
 * Static power is paid from the first to the last cycle of every kernel by the whole chip, busy or
 * not. A policy has its own tables and queues priced by counting them in counters called
 * "table_accesses" and "queue_accesses". */
#ifndef WL_STATS_ENERGY_H
#define WL_STATS_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/stats.h"

enum energy_part { ENERGY_CORE, ENERGY_L1, ENERGY_NETWORK, ENERGY_L2, ENERGY_DRAM, ENERGY_PARTS };
extern const char *const energy_part_names[ENERGY_PARTS];

enum energy_event {
#define E(id, key, part, gtx480, generic, help) ENERGY_##id,
#include "stats/energy.def"
#undef E
    ENERGY_EVENTS
};

/* One column of energy.def and what goes with it. */
struct energy_table {
    const char *name;
    bool fitted; /* to a real machine */
    double pj[ENERGY_EVENTS];
    double sm_watts, chip_watts; /* leakage of each SM; of everything else on the chip */
    double channel_watts;        /* background of the memory of one channel: part of DRAM */
};
enum energy_table_id { ENERGY_GTX480, ENERGY_GENERIC45, ENERGY_TABLES }; /* as parameter energy.table counts them */
extern const struct energy_table energy_tables[ENERGY_TABLES];

/* Facts about the machine that the counters do not contain. */
struct energy_machine {
    uint32_t sms, channels, core_khz;
    uint32_t flit_bytes, dram_atom_bytes;    /* bytes of a network flit; of a DRAM column command */
    bool l2_sectored;                        /* the L2 counts 32-byte sectors instead of lines */
    uint64_t table_accesses, queue_accesses; /* of all policies */
};

struct energy {
    const char *table;
    bool calibrated;           /* the table was fitted to machines of this kind, as far as the one who asks knows */
    double part[ENERGY_PARTS]; /* microjoules */
    double background;         /* of part[ENERGY_DRAM]: what the memory used by being on */
    double leakage, total;     /* microjoules */
    double edp;                /* energy-delay product: microjoules x microseconds */
};

/* Events of a run, in the units of energy.def. */
void energy_events(const struct run_stats *s, const struct energy_machine *m, double out[ENERGY_EVENTS]);
struct energy energy_of(const struct energy_table *t, const struct run_stats *s, const struct energy_machine *m);

#endif
