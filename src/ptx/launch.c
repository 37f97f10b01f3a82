/* launch.c - a launch as a source of instruction streams: which CTA executes when.
 *
 * The order is fixed by the program and by how many CTAs the machine holds at once; time has no part in it. A CTA
 * executes until it ends or waits for another one (cta.c). As long as none waits that is one CTA after the other, in
 * increasing id. While some wait, others are started, as many as wait already, in the room that the machine has; then
 * those that wait get another turn, in increasing id, and so on. When all the machine can hold wait and nobody makes
 * progress, the program needs more CTAs than fit, or waits for ever.
 *
 * Of a launch with clusters the order is that of launch_nth: all CTAs of a cluster, then the next.
 *
 * next() hands CTAs out in that order and executes, in that order, as much as it takes for the next one to end. So
 * it does not matter when it is called, and every machine of the same size, with any policy, sees the same streams. */
#include "ptx/cluster.h"
#include "ptx/oblivious.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- storage ---- */

static void free_cta(struct exec_run *r, struct exec_cta *c)
{
    for (uint32_t i = 0; i < r->nwarps && c->warp; i++) warp_free(&c->warp[i]);
    free(c->warp);
    free(c->shared);
    free(c);
}

static void free_list(struct exec_run *r, struct exec_cta *c)
{
    while (c) {
        struct exec_cta *next = c->next;
        free_cta(r, c);
        c = next;
    }
}

/* Storage for one more CTA; NULL: no memory. */
static struct exec_cta *make_cta(struct exec_run *r)
{
    struct exec_cta *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->run = r;
    c->shared = aligned_alloc(64, (r->shared_bytes + 64 + 63) / 64 * 64);
    c->warp = aligned_alloc(64, (r->nwarps * sizeof *c->warp + 63) / 64 * 64);
    bool ok = c->shared && c->warp;
    if (c->warp) memset(c->warp, 0, r->nwarps * sizeof *c->warp);
    for (uint32_t i = 0; ok && i < r->nwarps; i++) ok = !warp_init(&c->warp[i], c, i);
    if (ok) return c;
    free_cta(r, c);
    return NULL;
}

static struct cta_out *take_out(struct exec_run *r)
{
    struct cta_out *o = r->free_out;
    if (o) {
        r->free_out = o->next_free;
        return o;
    }
    o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->next = r->all_out;
    r->all_out = o;
    return o;
}

void launch_give_back(struct exec_run *r, struct cta_out *o)
{
    for (uint32_t i = 0; i < r->nwarps; i++) slice_clear(&o->chain[i]);
    o->next_free = r->free_out;
    r->free_out = o;
}

/* ---- the order ---- */

static int no_memory(struct exec_run *r)
{
    return wl_fail(r->err, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
}

static int begin_warps(struct exec_cta *c)
{
    const struct exec_run *r = c->run;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &c->warp[i];
        w->out = c->out ? &c->out->writer[i] : NULL;
        if (w->out) {
            w->out->chain = r->l.sliced && !r->in_step && !r->on_demand ? &c->out->chain[i] : NULL;
            if (w->out->chain) w->out->chain->store = &c->run->slices;
            stream_begin(w->out);
        }
        excerpt_begin(w);
        if (warp_start(w)) return -1;
    }
    return 0;
}

/* Starts the next CTA: it becomes the last of those that live. */
static struct exec_cta *start_cta(struct exec_run *r)
{
    const uint32_t *g = r->info.grid;
    struct exec_cta *c = r->spare ? r->spare : make_cta(r), **at = &r->live;
    if (!c) return NULL;
    if (c == r->spare) r->spare = c->next;
    c->next = NULL;
    while (*at) at = &(*at)->next;
    *at = c;
    r->nlive++;
    c->order = r->next_cta++;
    c->id = launch_nth(&r->info, c->order);
    c->ctaid[0] = c->id % g[0];
    c->ctaid[1] = c->id / g[0] % g[1];
    c->ctaid[2] = c->id / g[0] / g[1];
    c->state = CTA_RUNS;
    c->meeting = (struct cluster_meeting){0};
    c->idle = (struct idle){.progress = r->progress, .renew = 1};
    c->out = NULL;
    if (r->shared_bytes) memset(c->shared, 0, r->shared_bytes);
    for (unsigned i = 0; i < BARRIERS; i++) c->bar[i] = (struct barrier){.all = 1};
    memset(&c->followed, 0, sizeof c->followed);
    if (r->generation != dev_generation(r->l.image->mem)) {
        r->generation = dev_generation(r->l.image->mem);
        memset(r->range, 0, sizeof r->range);
    }
    if (!r->l.no_streams && c->order >= r->pass_until && !(c->out = take_out(r))) return NULL;
    if (r->written && c->out && !written_start(r, c)) return NULL;
    return begin_warps(c) ? NULL : c;
}

/* From one list to its place, by id, in another. */
static void move_cta(struct exec_cta **from, struct exec_cta **to, struct exec_cta *c)
{
    while (*from != c) from = &(*from)->next;
    *from = c->next;
    while (*to && (*to)->order < c->order) to = &(*to)->next;
    c->next = *to;
    *to = c;
}

static int run_turn(struct exec_run *r, struct exec_cta *c)
{
    if (c->state == CTA_STUCK && c->waits_from == r->progress) return 0;
    if (cta_run(c)) return -1;
    if (c->state != CTA_DONE) {
        r->watches |= c->state != CTA_RUNS;
        return 0;
    }
    r->nlive--;
    move_cta(&r->live, &r->done, c);
    return 0;
}

/* The last resort: lanes that wait for others of their own warp. */
static bool let_lanes_past(struct exec_run *r)
{
    for (struct exec_cta *c = r->live; c; c = c->next)
        for (uint32_t i = 0; i < r->nwarps; i++)
            if (c->warp[i].state == WARP_READY && c->warp[i].spin.spins && spin_let_past(&c->warp[i])) {
                c->state = CTA_RUNS;
                return true;
            }
    return false;
}

int launch_is_stuck(struct exec_run *r)
{
    const struct uop *at = NULL;
    struct exec_warp *w = NULL;
    for (struct exec_cta *c = r->live; c && !w; c = c->next) w = cta_find_ready(c, &at);
    if (!w) return wl_fail(r->err, WL_ERUN, "kernel %s: nobody can go on", r->info.kernel), RUN_FAULT;
    if (r->next_cta < r->info.ctas)
        warp_fault(w, at, -1,
                   "no end in sight: %u of the %u CTAs wait for others, and the machine holds no more than %u of them "
                   "at once; a kernel whose CTAs wait for one another needs room for all that take part",
                   r->nlive, r->info.ctas, r->room);
    else if (r->nlive == 1)
        warp_fault(w, at, -1, "no end in sight: the CTA waits for something that nobody is left to do");
    else
        warp_fault(w, at, -1, "no end in sight: %u CTAs wait for one another, and none can go on (a deadlock)",
                   r->nlive);
    return RUN_FAULT;
}

/* Whether all who wait wait for progress, and there was none in the whole round. */
static bool all_stuck(const struct exec_run *r)
{
    for (const struct exec_cta *c = r->live; c; c = c->next)
        if (c->state != CTA_STUCK || c->waits_from != r->progress) return false;
    return true;
}

/* One step of the order: a turn of one CTA. 0, or < 0: fault. */
static int take_step(struct exec_run *r)
{
    if (r->turn) {
        struct exec_cta *c = r->turn;
        r->turn = c->next;
        return run_turn(r, c);
    }
    if (r->starts && r->next_cta < r->info.ctas && r->nlive < r->room) {
        r->starts--;
        struct exec_cta *c = start_cta(r);
        return c ? run_turn(r, c) : -no_memory(r);
    }
    if (r->nlive && all_stuck(r) && (r->next_cta == r->info.ctas || r->nlive >= r->room) && !let_lanes_past(r))
        return launch_is_stuck(r), -1;
    r->turn = r->live;
    r->starts = launch_slices(r) ? r->room : r->nlive ? r->nlive : 1;
    if (r->nlive && r->slice < TURN_INSTRUCTIONS) r->slice *= 2;
    return 0;
}

/* ---- the source ---- */

static void count_instructions(struct exec_run *r, const struct exec_cta *c)
{
    for (uint32_t i = 0; i < r->nwarps; i++) {
        r->counts.warp_instructions += c->warp[i].executed;
        r->counts.thread_instructions += c->warp[i].threads;
    }
}

static int hand_over(struct exec_run *r, struct exec_cta *c, struct cta_stream *out)
{
    struct cta_out *o = c->out;
    *out = (struct cta_stream){.cta = c->id, .nwarps = r->nwarps, .owner = o};
    r->next_out++;
    move_cta(&r->done, &r->spare, c);
    struct exec_counts before = r->counts;
    count_instructions(r, c);
    if (c->order < r->pass_until) {
        r->passed.warp_instructions += r->counts.warp_instructions - before.warp_instructions;
        r->passed.thread_instructions += r->counts.thread_instructions - before.thread_instructions;
    }
    for (uint32_t i = 0; o && i < r->nwarps; i++) {
        const struct exec_counts *gaps = &c->warp[i].excerpt.gaps;
        excerpt_end(&c->warp[i]);
        r->passed.warp_instructions += gaps->warp_instructions;
        r->passed.thread_instructions += gaps->thread_instructions;
        if (!stream_end(&o->writer[i]))
            return wl_fail(r->err, WL_ERUN, "kernel %s: no memory for its instruction stream", r->info.kernel);
        out->warp[i] = (struct warp_stream){.data = o->writer[i].data, .size = o->writer[i].size};
    }
    return r->written && o && !written_hand_over(r, c, out) ? no_memory(r) : 0;
}

/* The next slice of a stream that is long; all others were handed over whole. */
static int slices_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct cta_out *o = cta->owner;
    (void)s;
    return slice_take(&o->chain[warp], out);
}

/* In step with the machine: a CTA that has not executed anything. */
static int hand_over_early(struct exec_run *r, struct cta_stream *out)
{
    struct exec_cta *c = start_cta(r);
    if (!c) {
        r->failed = true;
        return -no_memory(r);
    }
    step_begin(c);
    *out = (struct cta_stream){.cta = c->id, .nwarps = r->nwarps, .owner = c->out};
    r->next_out++;
    return 1;
}

static int source_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct exec_run *r = (struct exec_run *)s;
    r->err = e ? e : &r->unheard;
    if (r->failed) return -wl_fail(r->err, WL_ERUN, "kernel %s: already failed", r->info.kernel);
    if (r->waiting && written_waiting(r, out)) return 1;
    if (r->next_out == r->info.ctas) return 0;
    if (r->in_step) return hand_over_early(r, out);
    if (r->skims_passed && r->next_out < r->pass_until && !r->live && !r->done && !r->watches) {
        *out = (struct cta_stream){.cta = r->next_out, .nwarps = r->nwarps};
        if (!skim_next(r)) return 1;
        r->failed = true;
        return -1;
    }
    if (r->on_demand) {
        struct exec_cta *c = start_cta(r);
        r->failed = !c;
        return c ? demand_hand_over(r, c, out) : -no_memory(r);
    }
    while (!r->done || r->done->order != r->next_out) {
        if (!take_step(r)) continue;
        r->failed = true;
        return -1;
    }
    if (!hand_over(r, r->done, out)) return 1;
    r->failed = true;
    return -1;
}

static void source_release(struct stream_source *s, struct cta_stream *c)
{
    struct exec_run *r = (struct exec_run *)s;
    struct cta_out *o = c->owner;
    if (!o) return;
    if (r->written) written_release(r, o);
    if (o->cta) {
        count_instructions(r, o->cta);
        for (uint32_t i = 0; r->on_demand && i < r->nwarps; i++) {
            r->passed.warp_instructions += o->cta->warp[i].excerpt.gaps.warp_instructions;
            r->passed.thread_instructions += o->cta->warp[i].excerpt.gaps.thread_instructions;
        }
        r->nlive--;
        move_cta(&r->live, &r->spare, o->cta);
        o->cta = NULL;
    }
    launch_give_back(r, o);
    c->owner = NULL;
}

static void source_pass(struct stream_source *s, uint32_t until) { ((struct exec_run *)s)->pass_until = until; }

void ptx_leave_step(struct stream_source *s)
{
    struct exec_run *r = (struct exec_run *)s;
    r->l.no_streams = true;
    r->in_step = false;
    r->slice = launch_slices(r) ? TURN_FIRST : TURN_INSTRUCTIONS;
    s->more = NULL;
    s->feed = NULL;
}

bool ptx_reads_clock(const struct stream_source *s) { return ((const struct exec_run *)s)->times; }

/* ---- opening ---- */

/* Since sm_80 a block has 1 KiB of shared memory that is the system software's (CUDA programming guide). Cooperative
 * groups keep there what tiles of several warps meet at, from %reserved_smem_offset_1 on. Here it lies behind the
 * kernel's own, where the module asks for it. */
enum { RESERVED_SHARED = 1024 };

static bool asks_for_reserved(const struct ptx_image *img)
{
    for (uint32_t k = 0; k < img->nlconst; k++)
        if (img->lconst[k].sreg >= SREG_RESERVED_BEGIN && img->lconst[k].sreg <= SREG_RESERVED_1) return true;
    return false;
}

static uint64_t launch_value(const struct exec_run *r, const struct launch_const *c)
{
    switch (c->sreg) {
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z: return r->info.block[c->sreg - SREG_NTID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z: return r->info.grid[c->sreg - SREG_NCTAID_X];
    case SREG_NWARPID: return r->nwarps;
    case SREG_NSMID: return r->l.sms ? r->l.sms : 1;
    case SREG_WARP_SZ: return WARP_SIZE;
    case SREG_DYNAMIC_SMEM_SIZE: return r->l.dynamic_shared;
    case SREG_TOTAL_SMEM_SIZE: return r->info.shared_bytes;
    case SREG_RESERVED_CAP: return RESERVED_SHARED;
    case SREG_RESERVED_BEGIN:
    case SREG_RESERVED_0: return r->shared_bytes - RESERVED_SHARED;
    case SREG_RESERVED_1: return r->shared_bytes - RESERVED_SHARED / 2;
    case SREG_RESERVED_END: return r->shared_bytes;
    case SREG_ENVREG1: return r->meeting >> 32;
    case SREG_ENVREG2: return (uint32_t)r->meeting;
    case LAUNCH_SHARED: return r->dynamic_at + c->addend;
    case LAUNCH_PARAM: {
        uint64_t v = 0;
        memcpy(&v, r->params + c->addend, c->wide ? 8 : 4); /* copies.c has looked whether it is there */
        return v;
    }
    default: return 0; /* %gridid: not known to the functional half */
    }
}

/* CUDA's cooperative groups find the words at which a grid's CTAs meet (grid.sync) by %envreg1 and %envreg2: the
 * driver's header details/driver_abi.h says so. */
static int make_meeting(struct exec_run *r)
{
    enum { WORKSPACE = 256 };
    const struct ptx_image *img = r->l.image;
    for (uint32_t k = 0; k < img->nlconst && !r->meeting; k++) {
        if (img->lconst[k].sreg != SREG_ENVREG1 && img->lconst[k].sreg != SREG_ENVREG2) continue;
        r->meeting = dev_alloc(img->mem, WORKSPACE);
        if (!r->meeting) return -1;
    }
    return 0;
}

static int fill_launch_area(struct exec_run *r)
{
    const struct ptx_image *img = r->l.image;
    if (make_meeting(r)) return -1;
    r->launch_area = aligned_alloc(64, (img->launch_bytes + 64 + 63) / 64 * 64);
    if (!r->launch_area) return -1;
    for (uint32_t k = 0; k < img->nlconst; k++) {
        const struct launch_const *c = &img->lconst[k];
        if (c->kernel && c->kernel != r->l.kernel) continue;
        uint64_t v = launch_value(r, c);
        uint32_t low = (uint32_t)v;
        for (unsigned i = 0; i < WARP_SIZE; i++) {
            if (c->wide) memcpy(r->launch_area + c->at + 8 * i, &v, 8);
            else memcpy(r->launch_area + c->at + 4 * i, &low, 4);
        }
    }
    return 0;
}

static int shape(struct exec_run *r, struct wl_err *e)
{
    const struct ptx_func *k = r->l.kernel;
    struct launch_info *i = &r->info;
    snprintf(i->kernel, sizeof i->kernel, "%s", r->l.label ? r->l.label : k->name);
    memcpy(i->grid, r->l.grid, sizeof i->grid);
    memcpy(i->block, r->l.block, sizeof i->block);
    i->regs_per_thread = r->l.regs ? r->l.regs : k->regs_per_thread;
    i->regs_from = r->l.regs ? REGS_FROM_USER : k->regs_from;
    i->code = &r->l.image->mod->code;
    int rc = launch_shape(i, e);
    if (rc) return rc;
    if (k->max_threads && i->threads_per_cta > k->max_threads)
        return wl_fail(e, WL_EINPUT, "kernel %s: a block of %u threads, but .maxntid allows %u", i->kernel,
                       i->threads_per_cta, k->max_threads);
    if (r->kernel->frame_bytes > LOCAL_BYTES_MAX)
        return wl_fail(e, WL_EINPUT, "kernel %s: %u bytes of local memory per thread are more than %d", i->kernel,
                       r->kernel->frame_bytes, LOCAL_BYTES_MAX);
    uint64_t at = (k->shared_bytes + 15) / 16 * 16,
             shared = r->l.dynamic_shared ? at + r->l.dynamic_shared : k->shared_bytes;
    if (shared > SHARED_BYTES_MAX)
        return wl_fail(e, WL_EINPUT, "kernel %s: %llu bytes of shared memory are more than %d", i->kernel,
                       (unsigned long long)shared, SHARED_BYTES_MAX);
    r->dynamic_at = (uint32_t)at;
    i->shared_bytes = r->shared_bytes = (uint32_t)shared;
    if (asks_for_reserved(r->l.image)) r->shared_bytes = (uint32_t)((shared + 15) / 16 * 16) + RESERVED_SHARED;
    r->nwarps = i->warps_per_cta;
    return cluster_shape(r, e);
}

static int make_storage(struct exec_run *r)
{
    const struct ptx_func *k = r->l.kernel;
    r->param_bytes = k->param_bytes;
    r->const_bytes = r->l.image->mod->const_bytes;
    r->params = calloc(1, k->param_bytes + 1);
    if (!r->params) return -1;
    if (k->param_bytes && r->l.params) memcpy(r->params, r->l.params, k->param_bytes);
    return fill_launch_area(r) || !(r->spare = make_cta(r)) ? -1 : 0;
}

/* What the kernel, or a function it may call, has. */
static void look_at_code(struct exec_run *r)
{
    const struct ptx_image *img = r->l.image;
    for (uint32_t i = 0; i < img->nfunc; i++) {
        const struct xfunc *f = &img->func[i];
        if (f != r->kernel && f->fn->is_kernel) continue;
        r->watches |= f->strong;
        r->asks_others |= f->asks_others;
        r->barriers |= f->barriers;
        r->whole_barriers |= f->whole_barriers;
        r->clocks |= f->clocks;
        r->times |= f->times;
        r->meets |= f->meets;
    }
    r->in_step = r->clocks && r->l.in_step;
    r->slice = launch_slices(r) ? TURN_FIRST : TURN_INSTRUCTIONS;
    if (!r->in_step) {
        if (!r->l.sliced) return;
        r->source.more = slices_more;
        if (!r->meets && !r->asks_others && !r->clocks) written_offer(r);
        if (r->barriers || r->meets || r->watches) return;
        r->source.excerpt = source_excerpt;
        r->source.gaps = source_gaps;
        return;
    }
    r->source.more = step_more;
    r->source.feed = step_feed;
}

struct stream_source *ptx_open(const struct ptx_launch *l, struct wl_err *e)
{
    struct exec_run *r = calloc(1, sizeof *r);
    if (!r) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    r->l = *l;
    r->source =
        (struct stream_source){.info = &r->info, .next = source_next, .release = source_release, .pass = source_pass};
    r->kernel = image_func(l->image, l->kernel);
    r->dev_host = dev_host(l->image->mem);
    r->room = UINT32_MAX;
    r->slices = (struct slice_store){.limit = SLICES_IN_MEMORY, .fd = -1};
    if (r->kernel) look_at_code(r);
    bool here = r->kernel && !l->kernel->is_extern;
    int rc = here ? shape(r, e) : wl_fail(e, WL_EINPUT, "kernel %s has no body in this module", l->kernel->name);
    if (!rc && make_storage(r)) rc = wl_fail(e, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
    if (!rc) return &r->source;
    ptx_close(&r->source);
    return NULL;
}

void ptx_set_room(struct stream_source *s, uint64_t ctas)
{
    ((struct exec_run *)s)->room = ctas < UINT32_MAX ? (uint32_t)ctas : UINT32_MAX;
}

void ptx_close(struct stream_source *s)
{
    if (!s) return;
    struct exec_run *r = (struct exec_run *)s;
    if (r->skims) skim_remember(r);
    if (r->meeting) dev_release(r->l.image->mem, r->meeting);
    free_list(r, r->live);
    free_list(r, r->done);
    free_list(r, r->spare);
    while (r->all_out) {
        struct cta_out *o = r->all_out;
        r->all_out = o->next;
        for (unsigned i = 0; i < CTA_MAX_WARPS; i++) {
            free(o->writer[i].data);
            slice_free(&o->chain[i]);
        }
        written_free(r, o);
        free(o);
    }
    slice_store_free(&r->slices);
    ptx_free_children(ptx_take_children(s));
    free(r->met);
    free(r->meetings);
    free(r->params);
    free(r->launch_area);
    free(r->length);
    free(r->ranks);
    free(r);
}
