/* gpgpusim_options.c - what each option of a gpgpusim.config becomes: the table, and the functions it names. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "param/gpgpusim_priv.h"

void gpgpusim_say(struct machine *m, const char *fmt, ...)
{
    char text[1024], what[700];
    va_list ap;
    if (!m->warn.say) return;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (m->option) snprintf(text, sizeof text, "%.250s:%u: %.60s: %s", m->file, m->line, m->option, what);
    else snprintf(text, sizeof text, "%.250s: %s", m->file, what);
    m->warn.say(m->warn.arg, text);
}

/* ---- values ---- */

int gpgpusim_numbers(struct machine *m, const char *text, double *out, unsigned need, bool more)
{
    unsigned n = 0;
    for (const char *p = text; n < need; n++) {
        char *end;
        if (!isdigit((unsigned char)*p)) break;
        out[n] = text_double(p, &end);
        if (out[n] > 1e9) break;
        if (n + 1 < need ? *end != ':' && *end != ',' : *end && !(more && *end == ',')) break;
        p = end + 1;
    }
    return n == need ? 0
                     : wl_fail(m->e, WL_EINPUT, "'%s' must be %u number%s", text, need,
                               need > 1 ? "s, separated by ':' or ','" : "");
}

static int read_long(struct machine *m, const char *text, long *out)
{
    if (gpgpusim_number(text, out)) return 0;
    return wl_fail(m->e, WL_EINPUT, "'%s' is not a whole number", text);
}

/* ---- functions of the table ---- */

static int set_clocks(struct machine *m, const char *v, int unused)
{
    double mhz[4];
    (void)unused;
    if (gpgpusim_numbers(m, v, mhz, 4, false)) return WL_EINPUT;
    for (int i = 0; i < 4; i++) m->config->v[P_CLOCK_CORE + i] = (int64_t)(mhz[i] * 1000 + 0.5);
    return 0;
}

static int set_threads(struct machine *m, const char *v, int unused)
{
    double n[2];
    (void)unused;
    if (gpgpusim_numbers(m, v, n, 2, false)) return WL_EINPUT;
    if (n[1] != 32) return wl_fail(m->e, WL_EINPUT, "warps of %g threads; only 32 are possible here", n[1]);
    m->config->v[P_SM_WARPS] = (int64_t)n[0] / 32;
    return 0;
}

static int set_sched(struct machine *m, const char *v, int unused)
{
    (void)unused;
    const char *name = strstr(v, "lrr") ? "lrr" : "gto";
    if (!strstr(v, "lrr") && strcmp(v, "gto") != 0) gpgpusim_say(m, "%s is taken as gto", v);
    return config_set_sched(m->config, name, m->e);
}

/* Five latencies or intervals: add, max, mul, mad, div. */
static int set_five(struct machine *m, const char *v, int first)
{
    double n[5];
    if (gpgpusim_numbers(m, v, n, 5, true)) return WL_EINPUT;
    for (int i = 0; i < 5; i++) m->config->v[first + i] = (int64_t)n[i];
    return 0;
}

/* Of integers there is a sixth, for shfl. Without it GPGPU-Sim reads what happens to be in memory; here it
 * keeps its default. */
static int set_six(struct machine *m, const char *v, int first)
{
    double n[6];
    int commas = 0;
    for (const char *p = v; *p; p++) commas += *p == ',';
    if (commas < 5) return set_five(m, v, first);
    if (gpgpusim_numbers(m, v, n, 6, true)) return WL_EINPUT;
    m->config->v[first - P_LAT_INT_ADD + P_LAT_SHFL] = (int64_t)n[5];
    return set_five(m, v, first);
}
_Static_assert(P_INIT_SHFL - P_INIT_INT_ADD == P_LAT_SHFL - P_LAT_INT_ADD, "intervals are in the order of latencies");

/* "LATENCY,INTERVAL" of trace.config: what machine code takes. PTX keeps its own. */
static int set_class(struct machine *m, const char *v, int id)
{
    double n[2];
    if (gpgpusim_numbers(m, v, n, 2, false)) return WL_EINPUT;
    m->config->v[id] = (int64_t)n[0];
    m->config->v[id - P_TRACE_LAT_INT + P_TRACE_INIT_INT] = (int64_t)n[1];
    m->config->v[P_TRACE_CONST] = 1;     /* Accel-Sim's ISA_Def: LDC is an ALU_OP */
    m->config->v[P_TRACE_REGISTERS] = 1; /* trace_driven.cc, parse_from_trace_struct */
    return 0;
}

/* "ENABLED,UNITS,MAX_LATENCY,ID_OC,OC_EX,NAME" */
static int set_special(struct machine *m, const char *v, int which)
{
    double n[5];
    char numbers_only[64];
    const char *name = strrchr(v, ',');
    snprintf(numbers_only, sizeof numbers_only, "%.*s", name ? (int)(name - v) : 0, v);
    if (!name || strlen(name + 1) >= sizeof m->special[which].name || gpgpusim_numbers(m, numbers_only, n, 5, false))
        return wl_fail(m->e, WL_EINPUT, "'%s' must be five numbers and a name, separated by ','", v);
    m->special[which].units = (long)n[1];
    snprintf(m->special[which].name, sizeof m->special[which].name, "%s", n[0] != 0 ? name + 1 : "");
    return 0;
}

static int set_special_class(struct machine *m, const char *v, int which)
{
    double n[2];
    if (gpgpusim_numbers(m, v, n, 2, false)) return WL_EINPUT;
    m->special[which].latency = (long)n[0];
    m->special[which].init = (long)n[1];
    return 0;
}

/* What Accel-Sim's opcode tables send to a specialized unit follows from its name. */
void gpgpusim_special_units(struct machine *m)
{
    static const struct {
        const char *name;
        int pipes, latency;
    } known[] = {{"BRA", P_SM_BRANCH_PIPES, P_TRACE_LAT_BRANCH},
                 {"TEX", P_SM_TEXTURE_PIPES, P_TRACE_LAT_TEXTURE},
                 {"TENSOR", P_SM_TENSOR_PIPES, P_TRACE_LAT_TENSOR},
                 {"UDP", P_SM_UNIFORM_PIPES, P_TRACE_LAT_UNIFORM}};
    enum { KNOWN = sizeof known / sizeof known[0] };
    int64_t *v = m->config->v;
    for (unsigned i = 0; i < sizeof m->special / sizeof m->special[0]; i++) {
        unsigned k = 0;
        if (!*m->special[i].name) continue;
        while (k < KNOWN && strcmp(known[k].name, m->special[i].name) != 0) k++;
        if (k == KNOWN) {
            gpgpusim_say(m, "specialized unit %u, %s: no instruction goes there here", i + 1, m->special[i].name);
            continue;
        }
        v[known[k].pipes] = m->special[i].units;
        v[known[k].latency] = m->special[i].latency ? m->special[i].latency : 4; /* 4,4 is its default */
        v[known[k].latency - P_TRACE_LAT_INT + P_TRACE_INIT_INT] = m->special[i].latency ? m->special[i].init : 4;
    }
}

static int set_queues(struct machine *m, const char *v, int unused)
{
    double n[4];
    (void)unused;
    if (gpgpusim_numbers(m, v, n, 4, false)) return WL_EINPUT;
    m->config->v[P_L2_INQ] = (int64_t)n[0];
    m->config->v[P_L2_MEMQ] = (int64_t)n[1];
    m->config->v[P_L2_FILLQ] = (int64_t)n[2];
    m->config->v[P_L2_OUTQ] = (int64_t)n[3];
    return 0;
}

static int set_index(struct machine *m, char letter, enum param_id id)
{
    const char *at = strchr("LXHP", letter); /* order of linear|xor|fermi|ipoly */
    if (!at) gpgpusim_say(m, "set index function %c: linear is used", letter);
    m->config->v[id] = at ? at - "LXHP" : 0;
    return 0;
}

int gpgpusim_line_size(struct machine *m, const struct cache_text *t, long bytes)
{
    return t->line == bytes ? 0
                            : wl_fail(m->e, WL_EINPUT, "lines of %ld bytes; this cache has %ld here", t->line, bytes);
}

static void replacement(struct machine *m, const struct cache_text *t)
{
    if (t->replace != 'L') gpgpusim_say(m, "replacement %c: LRU is used", t->replace);
}

static int set_l1(struct machine *m, const char *v, int unused)
{
    struct cache_text *t = &m->l1;
    int64_t *p = m->config->v;
    (void)unused;
    m->has_l1 = false;
    if (gpgpusim_cache(v, t, m->e)) return WL_EINPUT;
    if (t->none) {
        p[P_L1D_GLOBAL] = 0;
        gpgpusim_say(m, "no L1D: global loads bypass it, local ones use 16 KiB");
        return 0;
    }
    if (gpgpusim_line_size(m, t, 128)) return WL_EINPUT;
    m->has_l1 = true;
    p[P_L1D_SETS] = t->sets;
    p[P_L1D_WAYS] = t->ways;
    p[P_L1D_SECTORED] = t->type == 'S';
    p[P_L1D_MSHR] = t->entries;
    p[P_L1D_MERGE] = t->merge;
    if (t->missq) p[P_L1D_MISSQ] = t->missq;
    p[P_L1D_WRITE] = strchr("TB", t->write) != NULL;
    p[P_L1D_LOCAL] = t->write == 'T';
    replacement(m, t);
    if (t->write == 'B') gpgpusim_say(m, "a write-back L1D: global stores are written through here");
    p[P_L1D_WRITE_ALLOC] = t->write_alloc == 'L' && p[P_L1D_WRITE] && t->type == 'S';
    if (t->write_alloc != 'N' && !p[P_L1D_WRITE_ALLOC])
        gpgpusim_say(m, "write allocation %c of the L1D: a store that misses takes no line here", t->write_alloc);
    if (t->alloc != 'm') gpgpusim_say(m, "allocation '%c' of the L1D: a line is reserved at the miss here", t->alloc);
    return set_index(m, t->index, P_L1D_INDEX);
}

static int set_l2(struct machine *m, const char *v, int unused)
{
    struct cache_text t;
    int64_t *p = m->config->v;
    (void)unused;
    if (gpgpusim_cache(v, &t, m->e)) return WL_EINPUT;
    if (t.none) return wl_fail(m->e, WL_EINPUT, "a machine without an L2 is not possible here");
    m->release4 = t.typed;
    if (gpgpusim_line_size(m, &t, 128)) return WL_EINPUT;
    p[P_L2_SETS] = t.sets;
    p[P_L2_WAYS] = t.ways;
    p[P_L2_SECTORED] = t.type == 'S';
    p[P_L2_MSHR] = t.entries;
    p[P_L2_MERGE] = t.merge;
    if (t.missq) p[P_L2_MISSQ] = t.missq;
    p[P_L2_PORT] = t.port ? t.port : 128;
    p[P_L2_WRITE] = t.write_alloc == 'W' ? 1 : t.write_alloc == 'F' ? 2 : 0;
    replacement(m, &t);
    if (t.write != 'B') gpgpusim_say(m, "write policy %c of the L2: it is written back here", t.write);
    if (t.write_alloc == 'N') gpgpusim_say(m, "an L2 without write allocation: a store takes a line here");
    return set_index(m, t.index, P_L2_INDEX);
}

static int set_texture(struct machine *m, const char *v, int unused)
{
    struct cache_text t;
    int64_t *p = m->config->v;
    (void)unused;
    if (gpgpusim_cache(v, &t, m->e)) return WL_EINPUT;
    if (t.none) {
        p[P_L1D_READONLY] = 1;
        return 0;
    }
    if (gpgpusim_line_size(m, &t, 128)) return WL_EINPUT;
    p[P_L1T_SETS] = t.sets;
    p[P_L1T_WAYS] = t.ways;
    p[P_L1T_MSHR] = t.entries;
    p[P_L1T_MERGE] = t.merge;
    return 0;
}

static int set_constant(struct machine *m, const char *v, int unused)
{
    struct cache_text t;
    int64_t *p = m->config->v;
    (void)unused;
    if (gpgpusim_cache(v, &t, m->e)) return WL_EINPUT;
    if (t.none) {
        p[P_L1C_PERFECT] = 1;
        return 0;
    }
    if (gpgpusim_line_size(m, &t, 64)) return WL_EINPUT;
    p[P_L1C_SETS] = t.sets;
    p[P_L1C_WAYS] = t.ways;
    p[P_L1C_MSHR] = t.entries;
    p[P_L1C_MERGE] = t.merge;
    if (t.missq) p[P_L1C_MISSQ] = t.missq;
    return 0;
}

static int set_l1_latency(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[P_L1D_PIPE] = m->config->v[P_L1T_PIPE] = n;
    return 0;
}

static int set_coalesce(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[P_SM_COALESCE] = n >= 40 ? 3 : 0;   /* by sector: memory_coalescing_arch */
    if (n >= 40) m->config->v[P_SM_ATOMIC] = 1;      /* releases that know these: shader.cc, shd_warp_t::waiting */
    if (n >= 40) m->config->v[P_L1D_ASIDE] = 1;      /* the same, memory_cycle: bypassL1D */
    if (n >= 40) m->config->v[P_SHARED_ATOMICS] = 1; /* the same, generate_mem_accesses: bank_accs */
    m->config->v[P_ENERGY_CALIBRATED] = n < 30;      /* the energy table is one of Fermi */
    m->config->v[P_L1D_READONLY] = n >= 50;          /* from Maxwell on one cache serves data and textures */
    if (n < 20) gpgpusim_say(m, "%ld: the rule of Fermi is used", n);
    return 0;
}

static int set_partition(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[P_MEM_HASH] = n <= 2 ? n : 0;
    if (n > 2) gpgpusim_say(m, "%ld is not known here: plain bits are used", n);
    return 0;
}

static int set_map(struct machine *m, const char *v, int unused)
{
    char text[200];
    (void)unused;
    snprintf(text, sizeof text, "dram.map=%s", v);
    return config_set(m->config, text, m->e);
}

static int set_timing(struct machine *m, const char *v, int unused)
{
    (void)unused;
    return gpgpusim_timing(m->config, v, m->e);
}

/* 0 is "unlimited" there. */
static int set_limit(struct machine *m, const char *v, int id)
{
    long n;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[id] = n ? n : 4096;
    return 0;
}

/* As many as we can have, if there are more. */
static int set_kernels(struct machine *m, const char *v, int id)
{
    long n, most = (long)gpu_params[id].max;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[id] = n < 1 ? 1 : n > most ? most : n;
    return 0;
}

int gpgpusim_set_param(struct machine *m, const char *v, int id)
{
    long n;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[id] = n;
    return 0;
}

static int set_not(struct machine *m, const char *v, int id)
{
    long n;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[id] = !n;
    return 0;
}

/* A field of struct machine, by its offset. */
static int set_field(struct machine *m, const char *v, int offset)
{
    if (offset == (int)offsetof(struct machine, shared_default)) m->given_shared = true;
    return read_long(m, v, (long *)(void *)((char *)m + offset));
}

static int set_carveouts(struct machine *m, const char *v, int unused)
{
    (void)unused;
    if (strlen(v) >= sizeof m->carveouts) return wl_fail(m->e, WL_EINPUT, "a list of %zu characters", strlen(v));
    snprintf(m->carveouts, sizeof m->carveouts, "%s", v);
    return 0;
}

/* The model is made for this one value. */
static int only(struct machine *m, const char *v, int value)
{
    long n;
    if (read_long(m, v, &n)) return WL_EINPUT;
    if (n != value) gpgpusim_say(m, "%ld cannot be followed: it is %d here", n, value);
    return 0;
}

static int set_network(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    if (n == 1)
        gpgpusim_say(m, "the network of -inter_config_file becomes a crossbar with icnt.latency %d",
                     (int)m->config->v[P_ICNT_LATENCY]);
    /* The built-in crossbar moves a packet from one end to the other in a cycle, where the network of the other mode
     * takes five: local_interconnect.cc, Advance. What is left of its 7 cycles (gtx480-v42.ini) is the way in and out.
     */
    if (n == 2) m->config->v[P_ICNT_LATENCY] = 3;
    m->config->v[P_ICNT_SENDS] = n == 2;
    return 0;
}

/* The operand collector works so often in a cycle: with two rounds an instruction gets a collector and its registers in
 * one cycle, not in two (shader.cc, read_operands). */
static int set_collector_rounds(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    if (n < 2) return 0;
    m->config->v[P_SM_ISSUE_DELAY] = 5;
    m->config->v[P_SM_MEM_DELAY] = 4;
    return 0;
}

/* Copies pass the L2 under an address of 32 bits (gpu-sim.cc, perf_memcpy_to_gpu). */
static int set_copies(struct machine *m, const char *v, int unused)
{
    long n;
    (void)unused;
    if (read_long(m, v, &n)) return WL_EINPUT;
    m->config->v[P_L2_COPY_FILLS] = n ? 2 : 0;
    return 0;
}

/* ---- the table ---- */

#define FIELD(name) set_field, (int)offsetof(struct machine, name)
enum { OPTIONAL, NEEDED };

static const struct gpgpusim_row rows[] = {
    {"-gpgpu_compute_capability_major", FIELD(capability[0]), OPTIONAL},
    {"-gpgpu_compute_capability_minor", FIELD(capability[1]), OPTIONAL},
    {"-gpgpu_n_clusters", FIELD(clusters), NEEDED},
    {"-gpgpu_n_cores_per_cluster", FIELD(cores), OPTIONAL},
    {"-gpgpu_clock_domains", set_clocks, 0, NEEDED},
    {"-gpgpu_shader_core_pipeline", set_threads, 0, NEEDED},
    {"-gpgpu_shader_cta", gpgpusim_set_param, P_SM_CTAS, NEEDED},
    {"-gpgpu_shader_registers", gpgpusim_set_param, P_SM_REGISTERS, NEEDED},
    {"-gpgpu_shmem_size", gpgpusim_set_param, P_SM_SHARED, NEEDED},
    {"-gpgpu_shmem_sizeDefault", FIELD(shared_default), OPTIONAL},
    {"-gpgpu_num_sched_per_core", gpgpusim_set_param, P_SM_SCHEDULERS, NEEDED},
    {"-gpgpu_max_insn_issue_per_warp", only, 1, OPTIONAL},
    {"-gpgpu_scheduler", set_sched, 0, OPTIONAL},
    {"-gpgpu_num_sp_units", gpgpusim_set_param, P_SM_ALU_PIPES, NEEDED},
    {"-gpgpu_num_int_units", gpgpusim_set_param, P_SM_INT_PIPES, OPTIONAL},
    {"-gpgpu_num_sfu_units", gpgpusim_set_param, P_SM_SFU_PIPES, OPTIONAL},
    {"-gpgpu_num_dp_units", gpgpusim_set_param, P_SM_DP_PIPES, OPTIONAL},
    {"-gpgpu_kernel_launch_latency", gpgpusim_set_param, P_SM_LAUNCH_DELAY, OPTIONAL},
    {"-ptx_opcode_latency_int", set_six, P_LAT_INT_ADD, OPTIONAL},
    {"-ptx_opcode_latency_fp", set_five, P_LAT_FP_ADD, OPTIONAL},
    {"-ptx_opcode_latency_dp", set_five, P_LAT_DP_ADD, OPTIONAL},
    {"-ptx_opcode_initiation_int", set_six, P_INIT_INT_ADD, OPTIONAL},
    {"-ptx_opcode_initiation_fp", set_five, P_INIT_FP_ADD, OPTIONAL},
    {"-ptx_opcode_initiation_dp", set_five, P_INIT_DP_ADD, OPTIONAL},
    {"-ptx_opcode_latency_sfu", gpgpusim_set_param, P_LAT_SFU, OPTIONAL},
    {"-ptx_opcode_initiation_sfu", gpgpusim_set_param, P_INIT_SFU, OPTIONAL},
    {"-ptx_opcode_latency_tesnor", gpgpusim_set_param, P_LAT_TENSOR, OPTIONAL}, /* spelled so there */
    {"-ptx_opcode_initiation_tensor", gpgpusim_set_param, P_INIT_TENSOR, OPTIONAL},
    {"-trace_opcode_latency_initiation_int", set_class, P_TRACE_LAT_INT, OPTIONAL},
    {"-trace_opcode_latency_initiation_sp", set_class, P_TRACE_LAT_SP, OPTIONAL},
    {"-trace_opcode_latency_initiation_dp", set_class, P_TRACE_LAT_DP, OPTIONAL},
    {"-trace_opcode_latency_initiation_sfu", set_class, P_TRACE_LAT_SFU, OPTIONAL},
    {"-trace_opcode_latency_initiation_tensor", set_class, P_TRACE_LAT_TENSOR, OPTIONAL},
    {"-gpgpu_smem_latency", gpgpusim_set_param, P_SHARED_LATENCY, OPTIONAL},
    {"-smem_latency", gpgpusim_set_param, P_SHARED_LATENCY, OPTIONAL},
    {"-gpgpu_shmem_num_banks", gpgpusim_set_param, P_SHARED_BANKS, OPTIONAL},
    {"-gpgpu_shmem_limited_broadcast", only, 0, OPTIONAL},
    {"-gpgpu_shmem_warp_parts", only, 1, OPTIONAL},
    {"-gpgpu_coalesce_arch", set_coalesce, 0, OPTIONAL},
    {"-gpgpu_cache:dl1", set_l1, 0, NEEDED},
    {"-gpgpu_cache:dl2", set_l2, 0, NEEDED},
    {"-gpgpu_cache:dl2_texture_only", only, 0, OPTIONAL},
    {"-gpgpu_tex_cache:l1", set_texture, 0, OPTIONAL},
    {"-gpgpu_const_cache:l1", set_constant, 0, OPTIONAL},
    {"-gpgpu_perfect_inst_const_cache", gpgpusim_set_param, P_L1C_PERFECT, OPTIONAL},
    {"-gpgpu_l1_latency", set_l1_latency, 0, OPTIONAL},
    {"-gpgpu_l1_banks", gpgpusim_set_param, P_L1D_BANKS, OPTIONAL},
    {"-gpgpu_gmem_skip_L1D", set_not, P_L1D_GLOBAL, OPTIONAL},
    {"-gpgpu_flush_l1_cache", gpgpusim_set_param, P_L1D_FLUSH, OPTIONAL},
    {"-gpgpu_adaptive_cache_config", FIELD(adaptive), OPTIONAL},
    {"-gpgpu_unified_l1d_size", FIELD(unified), OPTIONAL},
    {"-gpgpu_shmem_option", set_carveouts, 0, OPTIONAL},
    {"-network_mode", set_network, 0, OPTIONAL},
    {"-icnt_flit_size", gpgpusim_set_param, P_ICNT_FLIT, OPTIONAL},
    {"-icnt_in_buffer_limit", gpgpusim_set_param, P_ICNT_IN, OPTIONAL},
    {"-icnt_subnets", only, 2, OPTIONAL},
    {"-gpgpu_n_cluster_ejection_buffer_size", gpgpusim_set_param, P_ICNT_OUT, OPTIONAL},
    {"-gpgpu_n_mem", gpgpusim_set_param, P_MEM_CHANNELS, NEEDED},
    {"-gpgpu_n_sub_partition_per_mchannel", gpgpusim_set_param, P_L2_SLICES, OPTIONAL},
    {"-gpgpu_memory_partition_indexing", set_partition, 0, OPTIONAL},
    {"-gpgpu_dram_partition_queues", set_queues, 0, OPTIONAL},
    {"-gpgpu_perf_sim_memcpy", set_copies, 0, OPTIONAL},
    {"-gpgpu_l2_rop_latency", gpgpusim_set_param, P_L2_ROP, OPTIONAL},
    {"-dram_latency", gpgpusim_set_param, P_MEM_LATENCY, OPTIONAL},
};
/* More rows: `seen` has a bit for each of the table above only. */
static const struct gpgpusim_row more_rows[] = {
    {"-gpgpu_dram_scheduler", gpgpusim_set_param, P_MEM_SCHED, OPTIONAL},
    {"-gpgpu_frfcfs_dram_sched_queue_size", set_limit, P_MEM_QUEUE, OPTIONAL},
    {"-gpgpu_dram_return_queue_size", set_limit, P_MEM_RETURNQ, OPTIONAL},
    {"-gpgpu_n_mem_per_ctrlr", FIELD(chips), OPTIONAL},
    {"-gpgpu_dram_buswidth", FIELD(width), OPTIONAL},
    {"-gpgpu_dram_burst_length", FIELD(burst), OPTIONAL},
    {"-dram_data_command_freq_ratio", FIELD(ratio), OPTIONAL},
    {"-gpgpu_mem_addr_mapping", set_map, 0, OPTIONAL},
    {"-gpgpu_dram_timing_opt", set_timing, 0, OPTIONAL},
    {"-dram_dual_bus_interface", gpgpusim_set_param, P_DRAM_DUAL, OPTIONAL},
    {"-gpgpu_max_concurrent_kernel", set_kernels, P_GPU_CONCURRENT_KERNELS, OPTIONAL},
    {"-gpgpu_concurrent_kernel_sm", gpgpusim_set_param, P_SM_KERNELS, OPTIONAL},
    {"-gpgpu_reg_file_port_throughput", set_collector_rounds, 0, OPTIONAL},
    {"-dram_bnk_indexing_policy", gpgpusim_set_param, P_DRAM_BANK_HASH, OPTIONAL},
    {"-dram_bnkgrp_indexing_policy", only, 1, OPTIONAL},
    {"-gpgpu_num_tensor_core_units", gpgpusim_set_param, P_SM_TENSOR_PIPES, OPTIONAL},
    {"-gpgpu_sub_core_model", gpgpusim_set_param, P_SM_SUBCORES, OPTIONAL},
    {"-specialized_unit_1", set_special, 0, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_1", set_special_class, 0, OPTIONAL},
    {"-specialized_unit_2", set_special, 1, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_2", set_special_class, 1, OPTIONAL},
    {"-specialized_unit_3", set_special, 2, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_3", set_special_class, 2, OPTIONAL},
    {"-specialized_unit_4", set_special, 3, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_4", set_special_class, 3, OPTIONAL},
    {"-specialized_unit_5", set_special, 4, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_5", set_special_class, 4, OPTIONAL},
    {"-specialized_unit_6", set_special, 5, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_6", set_special_class, 5, OPTIONAL},
    {"-specialized_unit_7", set_special, 6, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_7", set_special_class, 6, OPTIONAL},
    {"-specialized_unit_8", set_special, 7, OPTIONAL},
    {"-trace_opcode_latency_initiation_spec_op_8", set_special_class, 7, OPTIONAL},
};
enum { ROWS = sizeof rows / sizeof rows[0], MORE_ROWS = sizeof more_rows / sizeof more_rows[0] };
_Static_assert(ROWS <= 64, "seen has 64 bits");

const struct gpgpusim_row *gpgpusim_find(struct machine *m, const char *name)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        m->seen |= UINT64_C(1) << i;
        return &rows[i];
    }
    for (unsigned i = 0; i < MORE_ROWS; i++)
        if (strcmp(more_rows[i].name, name) == 0) return &more_rows[i];
    return m->rules ? gpgpusim_rule(name) : NULL;
}

void gpgpusim_say_missing(struct machine *m)
{
    char list[800] = "";
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].needed && !(m->seen >> i & 1)) {
            size_t n = strlen(list);
            snprintf(list + n, sizeof list - n, " %s", rows[i].name);
        }
    if (*list)
        gpgpusim_say(m, "not given, so the value of %s stands:%s", m->rules ? m->config->preset : "gtx480-ideal", list);
}
