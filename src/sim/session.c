/* session.c - runs launches on a simulated GPU and keeps the account.
 *
 * A launch is opened as a stream source and given to a consumer of streams: the machine, a
 * trace writer, or none (functional mode, where only memory changes). After a timed launch the
 * two halves must agree on how many instructions there were: the machine counts what it issued,
 * the executor what it executed. A difference means that a stream was written or read wrongly,
 * and no number of the run can be trusted. */
#include "sim/gpu.h"
#include "sim/session_attach.h"
#include "sim/session_priv.h"
#include "sim/split.h"
#include "sm/sm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVM_MAP_ALLOC = 4 }; /* ORDER of the choices of nvm.map */
#define DEFAULT_MEMORY (UINT64_C(16) << 30)

static _Thread_local struct session *current;
static struct session *(*provider)(void);

static void report_allocation(void *gpu, uint64_t addr, uint64_t bytes) { gpu_allocated(gpu, addr, bytes); }

static int make_memory(struct session *s, struct wl_err *e)
{
    uint64_t bytes = s->opt.memory_bytes;
    s->mem = s->opt.unified ? dev_mem_new_unified(bytes) : dev_mem_new(bytes);
    if (!s->mem)
        return wl_fail(e, WL_ERUN,
                       "cannot reserve %" PRIu64 " bytes for the device's memory; does 'ulimit -v' say less?", bytes);
    dev_set_granule(s->mem, (uint64_t)s->opt.config.v[P_RUN_GRANULE]);
    dev_set_texels(s->mem, (enum texel_layout)s->opt.config.v[P_L1T_LAYOUT]);
    return 0;
}

/* More threads were asked for than the machine can use. */
static void warn_of_threads(const struct session *s)
{
    char text[256];
    const struct session_watch *w = s->opt.watch;
    const char *why = s->opt.gpu.threads > 1 ? split_refuses_threads(&s->opt.config, &s->opt.gpu) : NULL;
    if (!w || !why) return;
    snprintf(text, sizeof text, "--threads: one thread simulates, because %s", why);
    if (w->note) w->note(w->arg, text);
    else if (w->complain) w->complain(w->arg, text);
}

struct session *session_new(const struct session_options *o, struct wl_err *e)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    s->opt = *o;
    if (!s->opt.memory_bytes) s->opt.memory_bytes = DEFAULT_MEMORY;
    if (!o->no_data && make_memory(s, e)) {
        session_free(s);
        return NULL;
    }
    s->opt.gpu.memory_bytes = s->opt.memory_bytes;
    if (o->mode == SESSION_TIMING && !(s->gpu = gpu_new(&s->opt.config, &s->opt.gpu, e))) {
        session_free(s);
        return NULL;
    }
    if (s->gpu) warn_of_threads(s);
    if (s->gpu && o->config.v[P_RUN_SAMPLE]) {
        if (!(s->sampling = sampling_new(&s->opt.config))) {
            wl_no_memory(e);
            session_free(s);
            return NULL;
        }
        if (o->time_all) sampling_refuse(s->sampling, o->time_all);
        if (o->gpu.timeline) sampling_refuse(s->sampling, "a timeline is of every cycle, so nothing was left out");
        if (o->gpu.cut_cycles || o->gpu.max_cycles)
            sampling_refuse(s->sampling, "kernels may be ended early (--max-cycles), so nothing was left out");
    }
    if (s->gpu && s->mem) dev_watch(s->mem, report_allocation, s->gpu);
    s->queue.gpu = s->gpu;
    return s;
}

void session_free(struct session *s)
{
    if (!s) return;
    queue_destroy(&s->queue); /* it holds what belongs to modules */
    if (s->free_attached) s->free_attached(s->attached);
    if (current == s) current = NULL;
    gpu_free(s->gpu);
    dev_mem_free(s->mem);
    sampling_free(s->sampling);
    free(s->kernel);
    free(s);
}

struct dev_mem *session_memory(struct session *s) { return s->mem; }
struct gpu *session_gpu(struct session *s) { return s->gpu; }
struct exec_counts session_counts(const struct session *s) { return s->counts; }
struct wl_err *session_error(struct session *s) { return &s->error; }
void session_make_current(struct session *s) { current = s; }
struct session *session_current(void) { return current || !provider ? current : provider(); }
void session_provider(struct session *(*make)(void)) { provider = make; }
struct launch_counts session_launches(const struct session *s) { return s->launches; }
void *session_attached(const struct session *s) { return s->attached; }
const struct session_options *session_setup(const struct session *s) { return &s->opt; }
uint64_t session_cycles(const struct session *s) { return s->cycles; }

void session_attach(struct session *s, void *state, void (*free_state)(void *))
{
    s->attached = state;
    s->free_attached = free_state;
}

void session_complain(const struct session *s, const char *text)
{
    const struct session_watch *w = s->opt.watch;
    if (w && w->complain) w->complain(w->arg, text);
}

void session_failed(const struct session *s, const char *kernel, enum launch_end end, const char *error,
                    const char *message)
{
    const struct session_watch *w = s->opt.watch;
    struct launch_failure f = {.launch = s->launches.all + 1, .end = end};
    if (!w || !w->failed) return;
    if (!w->label || !w->label(w->arg, kernel, f.kernel, sizeof f.kernel))
        snprintf(f.kernel, sizeof f.kernel, "%s", kernel);
    snprintf(f.error, sizeof f.error, "%s", error);
    snprintf(f.message, sizeof f.message, "%s", message);
    w->failed(w->arg, &f);
}

/* Of assembled programs registers depend on the device's capability alone: the registers that cost no occupancy are not
 * the machine's. A trace holds one count. */
struct ptx_target ptx_target_of(const int64_t *v)
{
    return (struct ptx_target){.capability = (uint32_t)v[P_DEVICE_CAPABILITY],
                               .known_registers = true,
                               .scheduled = v[P_SM_CODE],
                               .keep_going = true};
}

struct ptx_target session_ptx_target(const struct session *s)
{
    return s->gpu ? ptx_target_of(s->opt.config.v) : (struct ptx_target){.keep_going = true};
}

int64_t session_param(const struct session *s, enum param_id id)
{
    bool machine = s->opt.config.v[P_SM_COUNT]; /* it may be given although nothing is timed */
    return machine ? s->opt.config.v[id] : gpu_params[id].def;
}

const struct kernel_record *session_kernels(const struct session *s, unsigned *count)
{
    *count = s->kernels;
    return s->kernel;
}

void session_host_copy(struct session *s, uint64_t addr, uint64_t bytes)
{
    if (s->gpu) gpu_host_copy(s->gpu, addr, bytes);
    if (s->opt.mode == SESSION_RECORD && s->opt.record_copy) s->opt.record_copy(s->opt.record_arg, addr, bytes);
}

int session_reserve(struct session *s, struct wl_err *e)
{
    if (s->kernels < s->kernels_cap) return 0;
    unsigned cap = s->kernels_cap ? 2 * s->kernels_cap : 64;
    struct kernel_record *p = realloc(s->kernel, cap * sizeof *p);
    if (!p) return wl_fail(e, WL_ERUN, "out of memory");
    s->kernel = p;
    s->kernels_cap = cap;
    return 0;
}

void session_record(struct session *s, const struct launch_info *info, uint64_t cycles, struct exec_counts n)
{
    struct kernel_record *k = &s->kernel[s->kernels++];
    *k = (struct kernel_record){.cycles = cycles,
                                .registers = info->regs_per_thread,
                                .registers_from = info->regs_from,
                                .warp_instructions = n.warp_instructions,
                                .thread_instructions = n.thread_instructions,
                                .begin = s->cycles,
                                .end = s->cycles + cycles};
    _Static_assert(sizeof k->name == sizeof info->kernel, "names are copied whole");
    memcpy(k->name, info->kernel, sizeof k->name);
    memcpy(k->grid, info->grid, sizeof k->grid);
    memcpy(k->block, info->block, sizeof k->block);
    s->cycles += cycles;
}

int session_time(struct session *s, struct stream_source *src, struct timed *t, struct wl_err *e)
{
    struct run_stats before, after;
    gpu_read_stats(s->gpu, &before);
    int rc = gpu_run(s->gpu, src, e);
    if (!rc) rc = gpu_check_laws(s->gpu, e);
    if (rc) return rc;
    gpu_read_stats(s->gpu, &after);
    t->cut = gpu_was_cut(s->gpu);
    t->cycles = after.cycles - before.cycles;
    t->issued.warp_instructions = after.sm.warp_instructions - before.sm.warp_instructions;
    t->issued.thread_instructions = after.sm.thread_instructions - before.sm.thread_instructions;
    return 0;
}

int session_execute(struct stream_source *src, struct wl_err *e)
{
    struct cta_stream cta;
    int got;
    while ((got = src->next(src, &cta, e)) > 0) src->release(src, &cta);
    return got < 0 ? WL_ERUN : 0;
}

int session_audit(const char *kernel, struct exec_counts issued, struct exec_counts executed, struct wl_err *e)
{
    if (issued.warp_instructions == executed.warp_instructions &&
        issued.thread_instructions == executed.thread_instructions)
        return 0;
    return wl_fail(e, WL_ELAW,
                   "kernel %s: the machine issued %" PRIu64 " warp and %" PRIu64 " thread instructions, but %" PRIu64
                   " and %" PRIu64 " were executed",
                   kernel, issued.warp_instructions, issued.thread_instructions, executed.warp_instructions,
                   executed.thread_instructions);
}

static int consume_launch(struct session *s, enum session_mode mode, struct stream_source *src, struct timed *t,
                          struct wl_err *e)
{
    int rc = 0;
    if (mode == SESSION_TIMING && s->sampling) return session_sample_launch(s, src, t, e);
    if (mode == SESSION_TIMING) rc = session_time(s, src, t, e);
    else if (mode == SESSION_RECORD && s->opt.record) rc = s->opt.record(s->opt.record_arg, src, e);
    else rc = session_execute(src, e);
    t->executed = ptx_counts(src);
    if (!rc && mode == SESSION_TIMING) rc = session_audit(src->info->kernel, t->issued, t->executed, e);
    if (rc || !t->cut) return rc;
    ptx_leave_step(src);
    rc = session_execute(src, e); /* the program still needs the other CTAs' results */
    t->cut = ptx_counts(src).warp_instructions > t->executed.warp_instructions;
    return rc;
}

static bool launch_selected(const struct session *s, const struct ptx_launch *l)
{
    const struct session_watch *w = s->opt.watch;
    return !w || !w->select || w->select(w->arg, l->kernel->name, s->launches.all + 1);
}

/* A session that times nothing may have been given no machine: then the defaults hold. */
static struct ptx_budget launch_budget(const struct session *s, enum session_mode mode)
{
    int64_t instructions = s->opt.config.v[P_RUN_CTA_INSTRUCTIONS], memory = s->opt.config.v[P_RUN_CTA_MEMORY];
    if (!instructions) instructions = gpu_params[P_RUN_CTA_INSTRUCTIONS].def;
    if (!memory) memory = gpu_params[P_RUN_CTA_MEMORY].def;
    return (struct ptx_budget){.instructions = (uint64_t)instructions,
                               .stream_bytes = (uint64_t)memory << 20,
                               .cycles = mode == SESSION_TIMING ? s->opt.gpu.max_cycles : 0};
}

static void set_output(const struct session *s, struct ptx_launch *l)
{
    const struct session_watch *w = s->opt.watch;
    l->print = s->opt.print;
    l->print_arg = s->opt.print_arg;
    if (!w) return;
    l->print_assert = w->print_assert;
    l->print_assert_arg = w->arg;
}

static void account_launch(struct session *s, const struct stream_source *src, const struct timed *t, bool skipped)
{
    s->launches.all++;
    s->launches.skipped += skipped;
    s->launches.cut += t->cut;
    if (skipped) return;
    s->counts.warp_instructions += t->executed.warp_instructions;
    s->counts.thread_instructions += t->executed.thread_instructions;
    session_record(s, src->info, t->cycles, t->executed);
}

/* CTAs that wait for one another are executed together, as many as the machine holds. One that does not fit at all
 * is refused by the machine, not here. */
static void set_room(const struct session *s, struct stream_source *src)
{
    struct gpu_config none;
    const int64_t *v = s->opt.config.v;
    if (!v[P_SM_COUNT]) { /* no machine was given */
        config_defaults(&none);
        v = none.v;
    }
    uint64_t ctas = sm_resident_ctas(v, src->info);
    ptx_set_room(src, ctas ? ctas : 1);
}

/* Said once. */
static void warn_of_clocks(struct session *s, const struct stream_source *src)
{
    char text[256];
    const struct session_watch *w = s->opt.watch;
    if (!w || s->warned_of_clocks || !ptx_reads_clock(src)) return;
    s->warned_of_clocks = true;
    snprintf(text, sizeof text, "kernel %s reads a clock and is not timed: clocks count the instructions of the warp",
             src->info->kernel);
    if (w->note) w->note(w->arg, text);
    else if (w->complain) w->complain(w->arg, text);
}

/* What the threads of a launch asked for; each launch has its own children before the next one runs. */
static int run_children(struct session *s, const struct ptx_launch *l, const struct ptx_child *c, struct wl_err *e)
{
    for (int rc; c; c = c->next) {
        if (!c->kernel) {
            rc = ptx_transfer(s->mem, c, e);
        } else {
            struct ptx_launch child = {.image = l->image,
                                       .kernel = c->kernel,
                                       .grid = {c->grid[0], c->grid[1], c->grid[2]},
                                       .block = {c->block[0], c->block[1], c->block[2]},
                                       .dynamic_shared = c->shared,
                                       .params = c->params};
            rc = session_launch(s, &child, e);
        }
        if (rc) return rc;
    }
    return 0;
}

static struct exec_counts count_ptx(void *source) { return ptx_counts(source); }

static void note_children(struct stream_source *s, void *children)
{
    *(struct ptx_child **)children = ptx_take_children(s);
}

/* A launch that made others has the machine before them, and they have it one after another. */
static int keep_ptx(struct session *s, const struct ptx_launch *l, struct stream_source *src,
                    const struct launch_order *o, uint64_t *number, struct wl_err *e)
{
    struct ptx_child *children = NULL;
    struct kept_from from = {.source = src,
                             .counts = count_ptx,
                             .arg = src,
                             .executed = note_children,
                             .hears = &children,
                             .close = ptx_close};
    int rc = session_keep(s, &from, o, number, e);
    if (!rc && children) rc = session_flush(s, e);
    if (!rc) rc = run_children(s, l, children, e);
    ptx_free_children(children);
    return rc;
}

int session_launch(struct session *s, struct ptx_launch *l, struct wl_err *e)
{
    uint64_t number;
    return session_launch_after(s, l, NULL, &number, e);
}

int session_launch_after(struct session *s, struct ptx_launch *l, const struct launch_order *o, uint64_t *number,
                         struct wl_err *e)
{
    *number = 0;
    if (l->kernel->refused)
        return wl_fail(e, WL_EINPUT, "kernel %s cannot be executed here:\n%s", l->kernel->name, l->kernel->refused);
    if (session_reserve(s, e)) return WL_ERUN;
    bool skipped = !launch_selected(s, l);
    enum session_mode mode = skipped ? SESSION_FUNCTIONAL : s->opt.mode;
    l->no_streams = mode == SESSION_FUNCTIONAL;
    l->budget = launch_budget(s, mode);
    l->in_step = l->sliced = mode == SESSION_TIMING;
    l->core_khz = (uint64_t)s->opt.config.v[P_CLOCK_CORE];
    l->sms = (uint32_t)session_param(s, P_SM_COUNT);
    set_output(s, l);
    char label[sizeof s->kernel->name];
    const struct session_watch *w = s->opt.watch;
    if (w && w->label && w->label(w->arg, l->kernel->name, label, sizeof label)) l->label = label;
    struct stream_source *src = ptx_open(l, e);
    if (!src) return e ? (int)e->code : WL_ERUN;
    set_room(s, src);
    if (mode != SESSION_TIMING) warn_of_clocks(s, src);
    if (mode == SESSION_TIMING && o && session_overlaps(s) && !src->feed) return keep_ptx(s, l, src, o, number, e);
    if (mode == SESSION_TIMING && session_flush(s, e)) {
        ptx_close(src);
        return (int)e->code;
    }

    struct timed t = {0};
    int rc = consume_launch(s, mode, src, &t, e);
    if (!rc) account_launch(s, src, &t, skipped);
    struct ptx_child *children = ptx_take_children(src);
    ptx_close(src);
    if (!rc && w && w->launched) w->launched(w->arg);
    if (!rc) rc = run_children(s, l, children, e);
    ptx_free_children(children);
    return rc;
}

int session_replay(struct session *s, struct stream_source *src, struct exec_counts (*total)(void *arg), void *arg,
                   struct wl_err *e)
{
    if (!s->gpu) return wl_fail(e, WL_EINPUT, "a trace can only be replayed on a timing machine");
    if (s->opt.config.v[P_NVM_MAP] == NVM_MAP_ALLOC)
        return wl_fail(e, WL_EINPUT, "nvm.map = alloc follows allocations, and a trace has none; use page_hash");
    if (session_flush(s, e) || session_reserve(s, e)) return (int)e->code;
    struct timed t = {0};
    int rc =
        s->sampling ? session_sample(s, src, (struct launch_total){total, arg}, &t, e) : session_time(s, src, &t, e);
    if (rc) return rc;
    session_record(s, src->info, t.cycles, s->sampling ? t.executed : t.issued);
    const struct session_watch *w = s->opt.watch;
    if (w && w->launched) w->launched(w->arg);
    return 0;
}

int session_replay_after(struct session *s, const struct kept_from *from, const struct launch_order *o,
                         uint64_t *number, struct wl_err *e)
{
    *number = 0;
    if (!o || !session_overlaps(s) || s->opt.config.v[P_NVM_MAP] == NVM_MAP_ALLOC)
        return session_replay(s, from->source, from->counts, from->arg, e);
    return session_keep(s, from, o, number, e);
}
