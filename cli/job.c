/* job.c - one run from a prepared machine and program to a result record. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/bits.h"
#include "base/embed.h"
#include "cli/cli.h"

static const char *const size_names[SIZE_COUNT] = {"tiny", "small", "paper"};

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double now_seconds(void) { return read_clock(CLOCK_MONOTONIC); }
double cpu_seconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t peak_memory_bytes(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
}

void print_kernel_text(void *arg, const char *text, size_t len)
{
    (void)arg;
    fwrite(text, 1, len, stderr);
}

/* ---- which program ---- */

static int unknown_workload(const char *name, struct wl_err *e)
{
    const char *names[512];
    unsigned count, n = 0;
    const struct workload *const *all = workloads(&count);
    for (unsigned i = 0; i < count && n < 512; i++) names[n++] = all[i]->name;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown workload '%s'; did you mean '%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown workload '%s'; 'warpline list workloads' shows what there is", name);
}

static int unknown_group(const char *name, struct wl_err *e)
{
    const char *names[64];
    unsigned count, n = 0;
    const struct workload_group *all = workload_groups(&count);
    for (unsigned i = 0; i < count && n < 64; i++) names[n++] = all[i].name;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "unknown group '@%s'; did you mean '@%s'?", name, near);
    return wl_fail(e, WL_EINPUT, "unknown group '@%s'; 'warpline list groups' shows what there is", name);
}

static int add_name(struct text_list *out, const char *name, struct wl_err *e)
{
    if (out->count == MAX_ITEMS) return wl_fail(e, WL_EINPUT, "more than %d workloads", MAX_ITEMS);
    out->item[out->count++] = name;
    return 0;
}

int expand_groups(const struct text_list *words, struct text_list *out, struct wl_err *e)
{
    out->count = 0;
    for (unsigned i = 0; i < words->count; i++) {
        const char *word = words->item[i];
        const struct workload_group *g = *word == '@' ? workload_group_find(word + 1) : NULL;
        const struct workload *w;
        int rc = 0;
        if (*word == '@' && !g) rc = unknown_group(word + 1, e);
        else if (!g) rc = add_name(out, word, e);
        for (unsigned k = 0; !rc && g && (w = workload_group_member(g, k)); k++) rc = add_name(out, w->name, e);
        if (rc) return rc;
    }
    return 0;
}

static int read_input_size(const char *name, enum workload_size *out, struct wl_err *e)
{
    *out = SIZE_SMALL;
    if (!name) return 0;
    for (unsigned i = 0; i < SIZE_COUNT; i++)
        if (strcmp(size_names[i], name) == 0) return *out = (enum workload_size)i, 0;
    const char *near = wl_nearest(name, size_names, SIZE_COUNT);
    return wl_fail(e, WL_EINPUT, "there is no size '%s'; --size is tiny, small or paper%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int unknown_input(const struct workload *w, const char *name, struct wl_err *e)
{
    char list[256] = "";
    size_t at = 0;
    for (const struct workload_input *in = w->input; in->name && at < sizeof list; in++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", in->name);
    if (!*list) return wl_fail(e, WL_EINPUT, "workload '%s' has no inputs to set", w->name);
    return wl_fail(e, WL_EINPUT, "workload '%s' has no input '%s'; it has %s", w->name, name, list);
}

static int set_input(struct job *j, const char *assignment, struct wl_err *e)
{
    const struct workload *w = j->workload;
    char name[64];
    size_t len = strcspn(assignment, "=");
    uint64_t value = 0;
    if (!assignment[len] || len == 0 || len >= sizeof name)
        return wl_fail(e, WL_EINPUT, "--input needs key=value, not '%s'", assignment);
    memcpy(name, assignment, len);
    name[len] = 0;
    for (unsigned i = 0; w->input[i].name; i++) {
        const struct workload_input *in = &w->input[i];
        if (strcmp(in->name, name) != 0) continue;
        if (!read_size(assignment + len + 1, &value))
            return wl_fail(e, WL_EINPUT, "input %s needs a whole number, not '%s'", name, assignment + len + 1);
        if (value > INT64_MAX || (int64_t)value < in->min || (int64_t)value > in->max)
            return wl_fail(e, WL_EINPUT, "input %s of '%s' is %" PRId64 " to %" PRId64 ", not %s", name, w->name,
                           in->min, in->max, assignment + len + 1);
        j->input[i] = (int64_t)value;
        return 0;
    }
    return unknown_input(w, name, e);
}

int job_workload(struct job *j, const char *name, const struct options *o, struct wl_err *e)
{
    if (*name == '@') {
        if (!workload_group_find(name + 1)) return unknown_group(name + 1, e);
        return wl_fail(e, WL_EINPUT, "'%s' is several workloads, this takes one; 'warpline compare %s' runs them all",
                       name, name);
    }
    j->workload = workload_find(name);
    if (!j->workload) return unknown_workload(name, e);
    int rc = read_input_size(o->size, &j->size, e);
    if (rc) return rc;
    for (unsigned i = 0; j->workload->input[i].name; i++) j->input[i] = j->workload->input[i].value[j->size];
    for (unsigned i = 0; i < o->input.count; i++)
        if ((rc = set_input(j, o->input.item[i], e))) return rc;
    j->seed = o->seed;
    j->check = o->check;
    return 0;
}

/* ---- the record ---- */

static void describe_inputs(struct job *j)
{
    struct run_result *r = &j->result;
    size_t at = 0;
    r->inputs[0] = 0;
    for (unsigned i = 0; j->workload->input[i].name && at < sizeof r->inputs; i++)
        at += (size_t)snprintf(r->inputs + at, sizeof r->inputs - at, "%s%s=%" PRId64, at ? " " : "",
                               j->workload->input[i].name, j->input[i]);
}

/* Program, inputs and seed; the text of its kernels where it has the workload's name. */
static uint64_t hash_workload(const struct job *j)
{
    const struct run_result *r = &j->result;
    char file[160];
    snprintf(file, sizeof file, "%s.ptx", j->workload->name);
    const struct embed_file *ptx = embed_find(file);
    uint64_t h = hash_bytes(WL_HASH_INIT, r->workload, strlen(r->workload) + 1);
    h = hash_bytes(h, r->inputs, strlen(r->inputs) + 1);
    h = hash_bytes(h, &j->seed, sizeof j->seed);
    return ptx ? hash_bytes(h, ptx->data, ptx->size) : h;
}

void job_describe(struct job *j)
{
    struct run_result *r = &j->result;
    const struct gpu_config *c = &j->config;
    memcpy(r->gpu, c->name, sizeof r->gpu);
    machine_line(c, r->machine, sizeof r->machine);
    snprintf(r->engine, sizeof r->engine, "%s", j->functional ? "functional" : j->engine.tick ? "tick" : "fast");
    r->version = WL_VERSION;
    r->config_hash = config_hash(c);
    r->seed = j->seed;
    r->sms = (uint32_t)c->v[P_SM_COUNT];
    r->channels = (uint32_t)c->v[P_MEM_CHANNELS];
    r->core_khz = (uint32_t)c->v[P_CLOCK_CORE];
    r->dram_khz = (uint32_t)c->v[P_CLOCK_DRAM];
    policy_spec(c->l1.policy->name, c->l1.policy->params, c->l1.values, r->l1.spec, sizeof r->l1.spec);
    policy_spec(c->l2.policy->name, c->l2.policy->params, c->l2.values, r->l2.spec, sizeof r->l2.spec);
    policy_spec(c->sched.policy->name, c->sched.policy->params, c->sched.values, r->sched.spec, sizeof r->sched.spec);
    r->l1.counters = c->l1.policy->counters;
    r->l2.counters = c->l2.policy->counters;
    r->sched.counters = c->sched.policy->counters;
}

static int copy_kernels(struct job *j, const struct session *s, struct wl_err *e)
{
    unsigned n;
    const struct kernel_record *k = session_kernels(s, &n);
    free(j->kernels);
    j->kernels = calloc(n ? n : 1, sizeof *j->kernels);
    if (!j->kernels) return wl_fail(e, WL_ERUN, "out of memory");
    for (unsigned i = 0; i < n; i++) {
        struct result_kernel *to = &j->kernels[i];
        memcpy(to->name, k[i].name, sizeof to->name);
        memcpy(to->grid, k[i].grid, sizeof to->grid);
        memcpy(to->block, k[i].block, sizeof to->block);
        to->cycles = k[i].cycles;
        to->warp_instructions = k[i].warp_instructions;
        to->thread_instructions = k[i].thread_instructions;
    }
    j->result.kernels = j->kernels;
    j->result.nkernels = n;
    return 0;
}

static int record_launch(void *trace, struct stream_source *s, struct wl_err *e)
{
    return wlt_write_launch(trace, s, e);
}
static void record_copy(void *trace, uint64_t addr, uint64_t bytes) { wlt_write_copy(trace, addr, bytes); }

static int begin_trace(struct job *j, struct wl_err *e)
{
    const struct run_result *r = &j->result;
    struct wlt_header h = {.seed = j->seed, .workload_hash = r->workload_hash};
    _Static_assert(sizeof h.workload == sizeof r->workload && sizeof h.size == sizeof r->size &&
                       sizeof h.inputs == sizeof r->inputs,
                   "texts are copied whole");
    memcpy(h.workload, r->workload, sizeof h.workload);
    memcpy(h.size, r->size, sizeof h.size);
    memcpy(h.inputs, r->inputs, sizeof h.inputs);
    j->trace = wlt_create(j->trace_file, &h, e);
    return j->trace ? 0 : -1;
}

struct session *job_session(struct job *j, struct wl_err *e)
{
    struct session_options so = {.mode = j->functional ? SESSION_FUNCTIONAL : SESSION_TIMING,
                                 .config = j->config,
                                 .gpu = j->engine,
                                 .print = print_kernel_text};
    if (j->trace_file) {
        if (begin_trace(j, e)) return NULL;
        so.mode = SESSION_RECORD;
        so.record = record_launch;
        so.record_copy = record_copy;
        so.record_arg = j->trace;
    }
    return session_new(&so, e);
}

static uint64_t counted_as(const struct result_policy *p, const char *name)
{
    for (unsigned i = 0; p->counters && p->counters[i].name; i++)
        if (strcmp(p->counters[i].name, name) == 0) return p->value[i];
    return 0;
}

static uint64_t counted_by_all(const struct run_result *r, const char *name)
{
    return counted_as(&r->l1, name) + counted_as(&r->l2, name) + counted_as(&r->sched, name);
}

static void price(struct job *j)
{
    struct run_result *r = &j->result;
    const int64_t *v = j->config.v;
    struct energy_machine m = {.sms = r->sms,
                               .channels = r->channels,
                               .core_khz = r->core_khz,
                               .flit_bytes = (uint32_t)v[P_ICNT_FLIT],
                               .dram_atom_bytes = (uint32_t)v[P_DRAM_ATOM],
                               .l2_sectored = v[P_L2_SECTORED],
                               .table_accesses = counted_by_all(r, "table_accesses"),
                               .queue_accesses = counted_by_all(r, "queue_accesses")};
    for (unsigned i = 0; i < ENERGY_TABLES; i++) r->energy[i] = energy_of(&energy_tables[i], &r->stats, &m);
    r->energy_table = (unsigned)v[P_ENERGY_TABLE];
}

void job_count(struct job *j, const struct run_stats *stats, const struct policy_stats *p)
{
    struct run_result *r = &j->result;
    r->stats = *stats;
    memcpy(r->l1.value, p->l1, sizeof p->l1);
    memcpy(r->l2.value, p->l2, sizeof p->l2);
    memcpy(r->sched.value, p->sched, sizeof p->sched);
    r->l1.storage_bits = p->l1_storage_bits;
    r->l2.storage_bits = p->l2_storage_bits;
    r->sched.storage_bits = p->sched_storage_bits;
    r->profiled = j->config.v[P_STATS_PROFILE];
    price(j);
}

int job_collect(struct job *j, struct session *s, double seconds, struct wl_err *e)
{
    struct run_result *r = &j->result;
    job_describe(j);
    struct gpu *gpu = session_gpu(s);
    if (gpu) {
        struct policy_stats p = {0};
        struct run_stats stats;
        gpu_read_stats(gpu, &stats);
        gpu_read_policy_stats(gpu, &p);
        job_count(j, &stats, &p);
        free(r->profile.load);
        if (gpu_read_profile(gpu, &r->profile, e)) return (int)e->code;
        free(j->samples);
        if (gpu_read_samples(gpu, &j->samples, &r->nsamples, e)) return (int)e->code;
        r->samples = j->samples;
    } else {
        struct exec_counts n = session_counts(s);
        r->stats.sm.warp_instructions = n.warp_instructions;
        r->stats.sm.thread_instructions = n.thread_instructions;
    }
    r->host.seconds = seconds;
    r->host.peak_memory_bytes = peak_memory_bytes();
    return copy_kernels(j, s, e);
}

/* ---- running a workload ---- */

static const char *built_in_ptx(const char *file)
{
    const struct embed_file *f = embed_find(file);
    return f ? f->data : NULL;
}

static int run_program(struct job *j, struct session *s, struct wl_err *e)
{
    struct workload_run run = {.seed = j->seed, .check = j->check, .ptx = built_in_ptx};
    memcpy(run.in, j->input, sizeof run.in);
    session_make_current(s);
    int failed = j->workload->run(&run);
    session_make_current(NULL);
    if (!failed) {
        if (j->check) snprintf(j->result.check, sizeof j->result.check, "%s", *run.message ? run.message : "passed");
        return 0;
    }
    const struct wl_err *cause = session_error(s);
    if (cause->code != WL_OK) return wl_fail(e, cause->code, "%s: %s", j->workload->name, cause->text);
    return wl_fail(e, WL_ERUN, "%s: %s", j->workload->name, *run.message ? run.message : "failed");
}

int job_run(struct job *j, struct wl_err *e)
{
    struct run_result *r = &j->result;
    snprintf(r->workload, sizeof r->workload, "%s", j->workload->name);
    snprintf(r->size, sizeof r->size, "%s", size_names[j->size]);
    describe_inputs(j);
    r->workload_hash = hash_workload(j);
    double start = now_seconds();
    struct session *s = job_session(j, e);
    if (!s) return e->code ? (int)e->code : WL_ERUN;
    int rc = run_program(j, s, e);
    if (!rc) rc = job_collect(j, s, now_seconds() - start, e);
    session_free(s);
    return rc;
}

void job_free(struct job *j)
{
    free(j->kernels);
    free(j->samples);
    free(j->result.profile.load);
    j->kernels = NULL;
    j->samples = NULL;
    j->result.profile.load = NULL;
}
