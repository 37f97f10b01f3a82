/* calibrate_write.c - a calibrated machine as a file: what was measured with its measurement, what was not by name. */
#include <string.h>

#include "base/text.h"
#include "experiment/calibrate.h"
#include "param/param_table.h"

enum { COLUMN = 34, WIDTH = 118 };

/* Measurements that no parameter stands for. */
static const struct {
    const char *key, *text;
} others[] = {
    {"latency.constant", "cycles per dependent load of a constant"},
    {"latency.atomic", "cycles per dependent atomic at the L2"},
    {"latency.atomic_shared", "cycles per dependent atomic in shared memory"},
    {"latency.barrier", "cycles per barrier of 1024 threads"},
    {"cycles.atomic_same", "cycles per warp's atomic, all lanes on one word"},
    {"cycles.atomic_apart", "cycles per warp's atomic, lanes on words in a row"},
    {"bandwidth.l1_bytes_cycle_sm", "bytes per cycle from the L1"},
    {"l1_cycles_per_load.stride.128",
     "cycles per load of a warp that touches 32 lines of the L1; one line per cycle here"},
    {"bandwidth.dram_read_gbs", "GB/s of memory: read"},
    {"bandwidth.dram_write_gbs", "GB/s of memory: written"},
    {"bandwidth.dram_copy_gbs", "GB/s of memory: read and written in turn"},
    {"launch.empty_us", "microseconds of an empty kernel between two events, with the host's part"},
    {"launch.next_cycles", "cycles from one empty kernel to the next, with the host's part"},
};

static void write_others(const struct calibration *k, FILE *out)
{
    bool begun = false;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct measured *x = measurement(k->m, others[i].key);
        if (!x) continue;
        if (!begun) fprintf(out, "\n# Measured, and no parameter stands for it:\n");
        begun = true;
        fprintf(out, "#   %s %.6g: %s\n", x->key, measured_value(x), others[i].text);
    }
}

static void write_rest(const struct calibration *k, FILE *out)
{
    int column = WIDTH;
    fprintf(out, "\n# Not measured, as in %s:", k->base_name);
    for (unsigned i = 0; i < P_COUNT; i++) {
        char value[64], word[160];
        if (k->note[i][0]) continue;
        param_write(&gpu_params[i], k->machine.v[i], value, sizeof value);
        int n = snprintf(word, sizeof word, " %s=%s", gpu_params[i].name, value);
        if (column + n > WIDTH) column = fprintf(out, "\n#  ") - 1;
        column += fprintf(out, "%s", word);
    }
    fprintf(out, "\n");
}

void calibrate_write(const struct calibration *k, FILE *out)
{
    void *locale = text_locale_c();
    fprintf(out, "# %s, made by 'warpline calibrate' from measurements.\n#\n",
            *k->m->device ? k->m->device : "A GPU without a name");
    fprintf(out,
            "# What was measured stands here with its measurement: the median, and the lowest and highest if they "
            "differ.\n# \"this machine\" is what the simulator gives for the same measurement. Everything else is "
            "the base's.\n\nbase = %s\n\n",
            k->base_name);
    for (unsigned i = 0; i < P_COUNT; i++) {
        char value[64];
        if (!k->note[i][0]) continue;
        param_write(&gpu_params[i], k->machine.v[i], value, sizeof value);
        int n = fprintf(out, "%s = %s", gpu_params[i].name, value);
        fprintf(out, "%*s# %s\n", n < COLUMN ? COLUMN - n + 1 : 1, "", k->note[i]);
    }
    if (strcmp(k->machine.shared_options, k->base.shared_options) != 0)
        fprintf(out, "shared.options = %s # ours: up to the size of shared memory\n", k->machine.shared_options);
    write_others(k, out);
    write_rest(k, out);
    text_locale_back(locale);
}
