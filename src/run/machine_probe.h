/* machine_probe.h - what a simulated machine measures: the same micro-benchmarks that people run on silicon.
 *
 * A parameter such as l2.latency is one piece of a way that other parameters have their part in, so what a chase
 * through memory takes is best found by doing it. */
#ifndef WL_RUN_MACHINE_PROBE_H
#define WL_RUN_MACHINE_PROBE_H

#include "base/err.h"
#include "param/config.h"

enum machine_probe {
    PROBE_SHARED, /* core cycles per dependent load of one thread: from shared memory, */
    PROBE_L1,     /* the L1D, */
    PROBE_L2,     /* the L2, */
    PROBE_MEMORY, /* memory */
    PROBE_READ_L2 /* bytes per core cycle, all SMs reading what lies in the L2 */
};

int probe_machine(const struct gpu_config *c, enum machine_probe what, double *out, struct wl_err *e);

#endif
