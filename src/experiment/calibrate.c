/* calibrate.c - from measurements to parameters (calibrate.h): the rules, one function per part of the machine. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/embed.h"
#include "base/text.h"
#include "experiment/calibrate.h"
#include "run/machine.h"
#include "run/machine_probe.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32 };

const char *calibrate_source(void) { return embed_find("calibrate.cu")->data; }

/* ---- asking and answering ---- */

/* The value of a measurement; below 0: it was not measured. */
static double value_of(const struct calibration *k, const char *key)
{
    const struct measured *x = measurement(k->m, key);
    return x ? measured_value(x) : -1;
}

static void describe(const struct measured *x, char *out, size_t size)
{
    double v = measured_value(x);
    if (x->low < x->high) snprintf(out, size, "measured %s %.9g (%.6g to %.6g)", x->key, v, x->low, x->high);
    else snprintf(out, size, "measured %s %.9g", x->key, v);
}

/* The parameter gets a value because of a measurement; `more` is added to its note. */
static __attribute__((format(printf, 6, 7))) int put(struct calibration *k, enum param_id id, double value,
                                                     const char *key, struct wl_err *e, const char *more, ...)
{
    const struct wl_param *row = &gpu_params[id];
    const struct measured *x = measurement(k->m, key);
    char said[CALIBRATION_NOTE] = "", added[CALIBRATION_NOTE] = "";
    va_list ap;
    va_start(ap, more);
    vsnprintf(added, sizeof added, more, ap);
    va_end(ap);
    if (x) describe(x, said, sizeof said);
    if (!(value >= (double)row->min - 0.5 && value < (double)row->max + 0.5))
        return wl_fail(
            e, WL_EINPUT,
            "%s gives %s = %.6g, and %lld to %lld are allowed; measure again on a GPU that does nothing else, "
            "or take the line out",
            x ? said : key, row->name, value, (long long)row->min, (long long)row->max);
    k->machine.v[id] = llround(value);
    snprintf(k->note[id], sizeof k->note[id], "%.110s%s%.110s", said, *said && *added ? "; " : "", added);
    return 0;
}

/* As it is, if it was measured. */
static int take(struct calibration *k, enum param_id id, const char *key, struct wl_err *e)
{
    double v = value_of(k, key);
    return v > 0 ? put(k, id, v, key, e, "%s", "") : 0;
}

/* ---- what the driver says ---- */

static const char *calibrate_base(const struct measurements *m)
{
    const struct measured *x = measurement(m, "device.sm_version");
    double v = x ? measured_value(x) : 90;
    return v >= 90 ? "h200" : v >= 80 ? "rtx3070" : v >= 75 ? "rtx2060" : v >= 70 ? "qv100" : "titan";
}

static int from_properties(struct calibration *k, struct wl_err *e)
{
    double khz = value_of(k, "device.sm_clock_khz"), mhz = value_of(k, "clock.sm_mhz");
    double threads = value_of(k, "device.threads_per_sm");
    int rc = 0;
    if (mhz > 0 && (khz <= 0 || fabs(mhz * 1e3 / khz - 1) > 0.01))
        rc = put(k, P_CLOCK_CORE, mhz * 1e3, "clock.sm_mhz", e, "during the measurements");
    else if (khz > 0) rc = put(k, P_CLOCK_CORE, khz, "device.sm_clock_khz", e, "%s", "");
    if (!rc) rc = take(k, P_SM_COUNT, "device.sms", e);
    if (!rc && threads > 0) rc = put(k, P_SM_WARPS, threads / 32, "device.threads_per_sm", e, "%s", "");
    if (!rc) rc = take(k, P_SM_CTAS, "device.blocks_per_sm", e);
    if (!rc) rc = take(k, P_SM_REGISTERS, "device.registers_per_sm", e);
    if (!rc) rc = take(k, P_SM_SHARED, "device.shared_per_sm", e);
    if (!rc) rc = take(k, P_DEVICE_CAPABILITY, "device.sm_version", e);
    if (!rc) rc = take(k, P_DEVICE_COPY_ENGINES, "device.copy_engines", e);
    return rc;
}

/* Channels as wide as the base's, and a clock with which they have the bandwidth of the bus. */
static int from_bus(struct calibration *k, struct wl_err *e)
{
    int64_t *v = k->machine.v;
    double bits = value_of(k, "device.bus_bits"), khz = value_of(k, "device.memory_clock_khz");
    double per_cycle = (double)v[P_DRAM_ATOM] / (double)v[P_DRAM_BURST], wide = 4 * per_cycle;
    int rc = 0;
    if (bits > 0) rc = put(k, P_MEM_CHANNELS, bits / wide, "device.bus_bits", e, "channels of %g bits", wide);
    if (!rc && bits > 0 && khz > 0)
        rc = put(k, P_CLOCK_DRAM, khz * bits / 4 / ((double)v[P_MEM_CHANNELS] * per_cycle), "device.memory_clock_khz",
                 e, "two transfers per cycle over the bus: %.6g GB/s", khz * bits / 4 / 1e6);
    double bytes = value_of(k, "device.l2_bytes"), slices = (double)(v[P_MEM_CHANNELS] * v[P_L2_SLICES]);
    if (!rc && bytes > 0)
        rc = put(k, P_L2_WAYS, bytes / (slices * (double)v[P_L2_SETS] * LINE_BYTES), "device.l2_bytes", e,
                 "%g slices of %lld sets", slices, (long long)v[P_L2_SETS]);
    return rc;
}

/* ---- pipes ---- */

enum pipes { PIPES_INT, PIPES_FP, PIPES_LOGIC, PIPES_SFU, PIPES_DP };

static const struct {
    const char *name; /* in the keys */
    enum param_id lat, init;
    enum pipes pipes;
} classes[] = {
    {"int_add", P_LAT_INT_ADD, P_INIT_INT_ADD, PIPES_INT}, {"int_max", P_LAT_INT_MAX, P_INIT_INT_MAX, PIPES_INT},
    {"int_mad", P_LAT_INT_MUL, P_INIT_INT_MUL, PIPES_INT}, {"int_mad", P_LAT_INT_MAD, P_INIT_INT_MAD, PIPES_INT},
    {"int_div", P_LAT_INT_DIV, P_INIT_INT_DIV, PIPES_SFU}, {"fp_add", P_LAT_FP_ADD, P_INIT_FP_ADD, PIPES_FP},
    {"fp_max", P_LAT_FP_MAX, P_INIT_FP_MAX, PIPES_FP},     {"fp_mul", P_LAT_FP_MUL, P_INIT_FP_MUL, PIPES_FP},
    {"fp_mad", P_LAT_FP_MAD, P_INIT_FP_MAD, PIPES_FP},     {"fp_div", P_LAT_FP_DIV, P_INIT_FP_DIV, PIPES_SFU},
    {"dp_add", P_LAT_DP_ADD, P_INIT_DP_ADD, PIPES_DP},     {"dp_max", P_LAT_DP_MAX, P_INIT_DP_MAX, PIPES_DP},
    {"dp_mad", P_LAT_DP_MUL, P_INIT_DP_MUL, PIPES_DP},     {"dp_mad", P_LAT_DP_MAD, P_INIT_DP_MAD, PIPES_DP},
    {"dp_div", P_LAT_DP_DIV, P_INIT_DP_DIV, PIPES_DP},     {"sfu", P_LAT_SFU, P_INIT_SFU, PIPES_SFU},
    {"shfl", P_LAT_SHFL, P_INIT_SHFL, PIPES_INT},          {"cvt", P_LAT_CVT, P_INIT_CVT, PIPES_SFU},
    {"bits", P_LAT_BITS, P_INIT_BITS, PIPES_SFU},
};

static double pipes_of(const struct calibration *k, enum pipes kind)
{
    const int64_t *v = k->machine.v;
    int64_t sfu = v[P_SM_SFU_PIPES] ? v[P_SM_SFU_PIPES] : v[P_SM_ALU_PIPES];
    switch (kind) {
    case PIPES_INT: return (double)(v[P_SM_INT_PIPES] ? v[P_SM_INT_PIPES] : v[P_SM_ALU_PIPES]);
    case PIPES_FP: return (double)v[P_SM_ALU_PIPES];
    case PIPES_LOGIC: return (double)v[P_SM_LOGIC_PIPES];
    case PIPES_SFU: return (double)sfu;
    default: return (double)(v[P_SM_DP_PIPES] ? v[P_SM_DP_PIPES] : sfu);
    }
}

/* Minima have pipes of their own where logic has. */
static double pipes_of_class(const struct calibration *k, unsigned i)
{
    bool logic = classes[i].init == P_INIT_INT_MAX || classes[i].init == P_INIT_FP_MAX;
    return pipes_of(k, logic && k->machine.v[P_SM_LOGIC_PIPES] ? PIPES_LOGIC : classes[i].pipes);
}

/* Distances of dependent instructions, and cycles between two on a pipe of the base's number. */
static int from_pipes(struct calibration *k, struct wl_err *e)
{
    int rc = 0;
    if (value_of(k, "alu_latency.fp_mad") > 0) {
        rc = put(k, P_SM_ISSUE_DELAY, 0, "", e, "the latencies below are distances of dependent instructions");
        if (!rc) rc = put(k, P_SM_CLASSES, 0, "", e, "the classes that were measured");
    }
    for (unsigned i = 0; !rc && i < sizeof classes / sizeof classes[0]; i++) {
        char lat[MEASURED_KEY], full[MEASURED_KEY];
        snprintf(lat, sizeof lat, "alu_latency.%s", classes[i].name);
        snprintf(full, sizeof full, "alu_per_cycle_sm.%s", classes[i].name);
        double l = value_of(k, lat), rate = value_of(k, full), pipes = pipes_of_class(k, i);
        if (l > 0) rc = put(k, classes[i].lat, fmax(1, l), lat, e, "%s", "");
        if (!rc && rate > 0)
            rc = put(k, classes[i].init, fmax(1, 32 * pipes / rate), full, e, "32 x %g pipes / this", pipes);
    }
    double rate = value_of(k, "warps_per_cycle_sm.tensor"), pipes = (double)k->machine.v[P_SM_TENSOR_PIPES];
    if (!rc) rc = take(k, P_LAT_TENSOR, "alu_latency.tensor", e);
    if (!rc && rate > 0 && pipes > 0)
        rc = put(k, P_INIT_TENSOR, fmax(1, pipes / rate), "warps_per_cycle_sm.tensor", e, "%g pipes / this", pipes);
    return rc;
}

/* ---- caches ---- */

/* Where a sweep goes up, behind `from`: the middle of the first place that reaches `limit` and the one before it; 0: it
 * does not. */
static double step_of(const struct calibration *k, const char *prefix, double from, double limit)
{
    double below = 0, above = 0;
    long at;
    const struct measured *x;
    for (unsigned i = 0; (x = measurement_at(k->m, prefix, i, &at)); i++)
        if ((double)at > from && measured_value(x) >= limit && (above == 0 || (double)at < above)) above = (double)at;
    for (unsigned i = 0; above > 0 && measurement_at(k->m, prefix, i, &at); i++)
        if ((double)at < above && (double)at > below) below = (double)at;
    return below > 0 ? (below + above) / 2 : 0;
}

static int from_l1(struct calibration *k, struct wl_err *e)
{
    double l1 = value_of(k, "latency.l1"), l2 = value_of(k, "latency.l2"), dram = value_of(k, "latency.dram");
    int rc = 0;
    if (l1 <= 0 || l2 <= l1) return 0;
    double kib = step_of(k, "sweep.l1_kib.", 0, l1 + (l2 - l1) / 10), sets = (double)k->machine.v[P_L1D_SETS];
    if (kib > 0)
        rc = put(k, P_L1D_WAYS, kib * 1024 / (sets * LINE_BYTES), "", e,
                 "measured sweep.l1_kib: the latency steps up at %g KiB, %g sets of this", kib, sets);
    double warm = value_of(k, "sector.l2_warm.1"), cold1 = value_of(k, "sector.cold.1"),
           cold2 = value_of(k, "sector.cold.2");
    bool sectored = warm > (l1 + l2) / 2;
    if (!rc && warm > 0)
        rc = put(k, P_L1D_SECTORED, sectored, "sector.l2_warm.1", e,
                 sectored ? "the second sector of a line costs an access to the L2" : "the second sector comes along");
    if (!rc && sectored && dram > l2 && cold1 > 0 && cold2 > 0) {
        double limit = (l2 + dram) / 2;
        rc = put(k, P_L2_PROMOTE,
                 cold1 > limit   ? 1
                 : cold2 > limit ? 2
                                 : 4,
                 "sector.cold.1", e, "sector.cold.2 %.6g: sectors that come from memory together", cold2);
    }
    return rc;
}

static int from_shared(struct calibration *k, struct wl_err *e)
{
    double one = value_of(k, "shared_cycles_per_load.stride.1"), far = value_of(k, "shared_cycles_per_load.stride.16");
    if (one <= 0 || far <= 0) return 0;
    double banks = exp2(round(log2(32 * 16 / far)));
    return put(k, P_SHARED_BANKS, banks, "shared_cycles_per_load.stride.16", e, "32 lanes x 16 words / this");
}

/* ---- code ----
 *
 * A loop that the schedulers' caches hold runs at one pace, one that only the SM's cache holds at a second, a longer
 * one at a third. The second shows only if it lasts for lengths enough. */

enum { CODE_ROWS = 64 };

struct code_paces {
    unsigned n;
    double length[CODE_ROWS], cycles[CODE_ROWS]; /* of a loop; per instruction; by length */
    double first, second, third;                 /* second: 0 if it does not show */
    double first_at;                             /* the length of the fastest loop */
};

static void add_row(struct code_paces *p, double length, double cycles)
{
    unsigned i = p->n < CODE_ROWS ? p->n++ : 0;
    for (; i && p->length[i - 1] > length; i--) {
        p->length[i] = p->length[i - 1];
        p->cycles[i] = p->cycles[i - 1];
    }
    p->length[i] = length;
    p->cycles[i] = cycles;
}

/* The pace of the longest stretch of lengths that have one, and not the first's or the third's. */
static double second_pace(const struct code_paces *p)
{
    double pace = 0, longest = 1.5;
    for (unsigned i = 0; i < p->n; i++) {
        double low = p->cycles[i], high = low;
        if (low < 1.2 * p->first) continue;
        for (unsigned j = i + 1; j < p->n; j++) {
            low = fmin(low, p->cycles[j]);
            high = fmax(high, p->cycles[j]);
            if (high > 1.1 * low || 1.2 * high > p->third) break;
            if (p->length[j] <= longest * p->length[i]) continue;
            longest = p->length[j] / p->length[i];
            pace = (low + high) / 2;
        }
    }
    return pace;
}

static struct code_paces code_paces(const struct calibration *k)
{
    struct code_paces p = {0};
    long at;
    const struct measured *x;
    for (unsigned i = 0; (x = measurement_at(k->m, "code_cycles.instructions.", i, &at)); i++)
        add_row(&p, (double)at, measured_value(x));
    for (unsigned i = 0; i < p.n; i++) {
        if (p.first > 0 && p.cycles[i] >= p.first) continue;
        p.first = p.cycles[i];
        p.first_at = p.length[i];
    }
    p.third = p.n ? p.cycles[p.n - 1] : 0;
    if (p.n) p.second = second_pace(&p);
    return p;
}

/* The length at which loops are halfway from one pace to the next; 0: none is. */
static double halfway(const struct code_paces *p, double pace, double next)
{
    double mid = (pace + next) / 2;
    if (next < 1.12 * pace) return 0;
    for (unsigned i = 1; i < p->n; i++) {
        double below = p->cycles[i - 1], above = p->cycles[i];
        if (p->length[i] <= p->first_at || above < mid) continue;
        if (below >= mid) return p->length[i];
        return p->length[i - 1] + (p->length[i] - p->length[i - 1]) * (mid - below) / (above - below);
    }
    return 0;
}

/* The caches of the schedulers, and what the SM's cache gives them. What a loop of the first pace takes beyond one
 * cycle per instruction is no matter of fetching. */
static int from_second_pace(struct calibration *k, const struct code_paces *p, double bytes, struct wl_err *e)
{
    double kib = halfway(p, p->first, p->second) * bytes / 1024, sets = (double)k->machine.v[P_IL0_SETS];
    int rc = put(k, P_IL0_WAYS, fmax(1, kib * 1024 / (sets * LINE_BYTES)), "", e,
                 "measured code_cycles: slower from %.3g KiB on, %g sets of this", kib, sets);
    if (rc) return rc;
    return put(k, P_IL1_TURN, p->second * LINE_BYTES / bytes / (double)k->machine.v[P_SM_SCHEDULERS], "", e,
               "measured code_cycles: %.4g cycles per instruction from the SM's cache, a warp per scheduler",
               p->second);
}

static int from_code(struct calibration *k, struct wl_err *e)
{
    double bytes = k->machine.v[P_DEVICE_CAPABILITY] >= 70 ? 16 : 8;
    struct code_paces p = code_paces(k);
    double kib = halfway(&p, p.second > 0 ? p.second : p.first, p.third) * bytes / 1024;
    if (kib <= 0) return 0;
    int rc = put(k, P_SM_FETCH, 2, "", e, "measured code_cycles: instructions come through caches");
    if (!rc) rc = put(k, P_IL1_PERFECT, 0, "", e, "as above");
    if (!rc) rc = put(k, P_IL0_INST_BYTES, bytes, "device.sm_version", e, "16 bytes since 7.0");
    if (!rc && k->base.v[P_SM_FETCH] != 2) { /* the base has room for GPGPU-Sim's front end only */
        rc = put(k, P_IL1_SETS, 64, "", e, "ours");
        if (!rc) rc = put(k, P_IL1_MSHR, 32, "", e, "ours");
        if (!rc) rc = put(k, P_IL1_MERGE, 64, "", e, "ours");
        if (!rc) rc = put(k, P_IL1_MISSQ, 16, "", e, "ours");
    }
    double sets = (double)k->machine.v[P_IL1_SETS];
    if (!rc)
        rc = put(k, P_IL1_WAYS, fmax(1, kib * 1024 / (sets * LINE_BYTES)), "", e,
                 "measured code_cycles: slower from %.4g KiB on, %g sets of this", kib, sets);
    return rc || p.second <= 0 ? rc : from_second_pace(k, &p, bytes, e);
}

/* ---- by measuring the machine ---- */

/* What one SM gets from the L2: whole sectors per core cycle. And what its MSHRs must allow at least. */
static int from_port(struct calibration *k, struct wl_err *e)
{
    static const char prefix[] = "bandwidth.l2_one_sm_threads.";
    double most = value_of(k, "bandwidth.l2_bytes_cycle_one_sm"), l2 = value_of(k, "latency.l2");
    const char *key = "bandwidth.l2_bytes_cycle_one_sm";
    long at;
    const struct measured *x;
    for (unsigned i = 0; (x = measurement_at(k->m, prefix, i, &at)); i++)
        if (measured_value(x) > most) {
            most = measured_value(x);
            key = x->key;
        }
    if (most <= 0) return 0;
    double sectors = fmax(1, ceil(most / SECTOR_BYTES - 0.02));
    int rc = put(k, P_CLOCK_ICNT, sectors * (double)k->machine.v[P_CLOCK_CORE], key, e,
                 "bytes per core cycle: %g sectors", sectors);
    double out = ceil(most * l2 / LINE_BYTES);
    if (!rc && l2 > 0 && out > (double)k->machine.v[P_L1D_MSHR])
        rc = put(k, P_L1D_MSHR, out, key, e, "x latency.l2: so many lines are on their way at once, or more");
    return rc;
}

/* The parameter that makes the machine's chase take what was measured. */
static int solve(struct calibration *k, enum param_id id, enum machine_probe what, const char *key, double slope,
                 struct wl_err *e)
{
    double goal = value_of(k, key), got = 0;
    int rc = 0;
    if (goal <= 0) return 0;
    for (int i = 0; !rc && i < 5; i++) {
        rc = probe_machine(&k->machine, what, &got, e);
        double step = round((goal - got) * slope), to = (double)k->machine.v[id] + step;
        if (rc || step == 0 || i == 4) break;
        if (to < (double)gpu_params[id].min) {
            if (k->machine.v[id] == gpu_params[id].min) break;
            to = (double)gpu_params[id].min;
        }
        rc = put(k, id, to, key, e, "%s", "");
    }
    return rc ? rc : put(k, id, (double)k->machine.v[id], key, e, "this machine: %.6g", got);
}

static double l2_slope(const struct calibration *k)
{
    const int64_t *v = k->machine.v;
    return v[P_MEM_DELAY_CLOCK] ? 1 : (double)v[P_CLOCK_L2] / (double)v[P_CLOCK_CORE];
}

/* The L2's clock: slices of l2.port bytes, and then what the machine itself lacks or has too much, with the latency as
 * it was measured. How requests meet in the slices changes with the clock, so of a few tries the nearest counts. */
static int from_l2_bandwidth(struct calibration *k, struct wl_err *e)
{
    int64_t *v = k->machine.v;
    const char *key = value_of(k, "bandwidth.l2_gbs") > 0 ? "bandwidth.l2_gbs" : "bandwidth.l2_gbs_mib.16";
    double gbs = value_of(k, key), slices = (double)(v[P_MEM_CHANNELS] * v[P_L2_SLICES]);
    if (gbs <= 0) return 0;
    double khz = gbs * 1e6 / (slices * (double)v[P_L2_PORT]), got = 0, best = 0, nearest = 0;
    int rc = 0;
    for (int i = 0; !rc && i < 5 && fabs(gbs / nearest - 1) > 0.01; i++) {
        rc = put(k, P_CLOCK_L2, khz, key, e, "%s", "");
        if (!rc) rc = solve(k, P_L2_ROP, PROBE_L2, "latency.l2", l2_slope(k), e);
        if (!rc) rc = probe_machine(&k->machine, PROBE_READ_L2, &got, e);
        if (rc) return rc;
        got *= (double)v[P_CLOCK_CORE] / 1e6;
        if (!i || fabs(log(gbs / got)) < fabs(log(gbs / nearest))) {
            nearest = got;
            best = khz;
        }
        khz *= fmin(1.25, fmax(0.8, gbs / got));
    }
    return put(k, P_CLOCK_L2, best, key, e, "%g slices of %lld bytes; this machine: %.6g", slices,
               (long long)v[P_L2_PORT], nearest);
}

static int from_latencies(struct calibration *k, struct wl_err *e)
{
    double slow = l2_slope(k);
    int rc = solve(k, P_SHARED_LATENCY, PROBE_SHARED, "latency.shared", 1, e);
    if (!rc) rc = solve(k, P_L1D_PIPE, PROBE_L1, "latency.l1", 1, e);
    if (!rc) rc = solve(k, P_L2_ROP, PROBE_L2, "latency.l2", slow, e);
    if (!rc) rc = solve(k, P_MEM_LATENCY, PROBE_MEMORY, "latency.dram", slow, e);
    const int64_t *v = k->machine.v;
    double gap = value_of(k, "launch.gap_cycles"), l2 = fmax(0, value_of(k, "latency.l2"));
    double far = v[P_L2_HALVES] ? 2 * (double)v[P_L2_CROSSING] / slow : 0; /* some SM's store crosses */
    bool cold = !v[P_L1C_PERFECT];
    if (!rc && gap > 0)
        rc = put(k, P_SM_LAUNCH_DELAY, fmax(0, gap - (cold ? 2 : 1) * l2 - far), "launch.gap_cycles", e,
                 "less %slatency.l2, which the last store%s take%s%s", cold ? "twice " : "",
                 cold ? " and the first parameter" : "", cold ? "" : "s",
                 far > 0 ? ", and the way to the other half of the L2" : "");
    return rc;
}

/* ---- all of it ---- */

/* Shared memory that is larger than the base's largest share of the common array. */
static int from_shared_size(struct calibration *k, struct wl_err *e)
{
    int64_t *v = k->machine.v, kib = v[P_SM_SHARED] / 1024, l1 = config_size(&k->machine, SIZE_L1D) / 1024;
    uint32_t sizes[WL_MAX_CARVEOUTS];
    unsigned n = v[P_SHARED_UNIFIED] ? carveouts(k->machine.shared_options, sizes, e) : 0;
    if (!n || sizes[n - 1] >= v[P_SM_SHARED]) return 0;
    int64_t all = ((kib > l1 ? kib : l1) / 64 + 1) * 64;
    int used = snprintf(k->machine.shared_options, sizeof k->machine.shared_options, "0");
    for (int64_t s = 8; s < kib; s *= 2)
        used += snprintf(k->machine.shared_options + used, sizeof k->machine.shared_options - (size_t)used, ",%lld",
                         (long long)s);
    snprintf(k->machine.shared_options + used, sizeof k->machine.shared_options - (size_t)used, ",%lld",
             (long long)kib);
    return put(k, P_SHARED_UNIFIED, (double)all * 1024, "", e,
               "ours: the next 64 KiB above shared memory and the L1, as current GPUs have it");
}

/* A hash of channels that wants a power of two, or such a thing, gives way to the number that was measured. */
static int settle(struct calibration *k, struct wl_err *e)
{
    struct wl_err first = {.code = WL_OK};
    int rc = from_shared_size(k, e);
    if (rc || !config_check(&k->machine, &first)) return rc;
    if (k->machine.v[P_MEM_HASH]) {
        rc = put(k, P_MEM_HASH, 0, "", e, "%s's hash does not go with these channels", k->base_name);
        return rc ? rc : config_check(&k->machine, e);
    }
    *e = first;
    return (int)e->code;
}

static int rules(struct calibration *k, struct wl_err *e)
{
    int rc = from_properties(k, e);
    if (!rc) rc = from_bus(k, e);
    if (!rc) rc = from_pipes(k, e);
    if (!rc) rc = from_l1(k, e);
    if (!rc) rc = from_shared(k, e);
    if (!rc) rc = from_code(k, e);
    if (!rc) rc = from_port(k, e);
    if (!rc) rc = settle(k, e);
    unsigned used = 0;
    for (unsigned i = 0; i < P_COUNT; i++) used += k->note[i][0] != 0;
    if (!rc && !used)
        return wl_fail(e, WL_EINPUT,
                       "no line of the measurements is one that calibrate knows; make them with the program of "
                       "'warpline calibrate --source'");
    if (!rc) rc = from_l2_bandwidth(k, e);
    if (!rc) rc = from_latencies(k, e);
    return rc ? rc : put(k, P_ENERGY_CALIBRATED, 0, "", e, "no coefficients are known to fit it");
}

int calibrate(struct calibration *k, const struct measurements *m, const char *base, struct wl_err *e)
{
    memset(k, 0, sizeof *k);
    k->m = m;
    snprintf(k->base_name, sizeof k->base_name, "%s", base ? base : calibrate_base(m));
    struct machine_spec spec = {.gpu = k->base_name};
    int rc = machine_make(&spec, &k->base, e);
    if (rc) return rc;
    k->machine = k->base;
    void *locale = text_locale_c();
    rc = rules(k, e);
    text_locale_back(locale);
    return rc;
}
