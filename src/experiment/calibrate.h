/* calibrate.h - a machine from measurements: what was measured on silicon becomes parameters, the rest comes from a
 * base.
 *
 * Properties and sizes are taken over. Latencies and the bandwidth of the L2 are the sum of many parameters: the one
 * that stands for them is chosen so that the machine, measured in the same way (run/machine_probe.h), gives the same
 * number. */
#ifndef WL_EXPERIMENT_CALIBRATE_H
#define WL_EXPERIMENT_CALIBRATE_H

#include <stdio.h>

#include "experiment/measurements.h"
#include "param/config.h"

enum { CALIBRATION_NOTE = 224 };

struct calibration {
    const struct measurements *m;
    struct gpu_config base, machine;
    char note[P_COUNT][CALIBRATION_NOTE]; /* where the value is from; "": not measured, the base's */
    char base_name[128];
};

/* The program that measures, as CUDA source. */
const char *calibrate_source(void);
/* `base`: a preset or file; NULL: the preset nearest to the GPU that was measured. */
int calibrate(struct calibration *k, const struct measurements *m, const char *base, struct wl_err *e);
/* The machine as a file that --gpu reads, each value with its measurement. */
void calibrate_write(const struct calibration *k, FILE *out);

#endif
