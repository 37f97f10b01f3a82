/* cta.c - a launch as a source of instruction streams: one CTA is executed in each next().
 *
 * The warps of a CTA take turns in the order of their ids. A turn ends at a barrier, at the
 * warp's end, or after TURN_INSTRUCTIONS, so that a warp spinning on a flag lets the warp
 * that sets it run. Nothing here depends on time or on the host: the same launch always
 * executes in the same order.
 *
 * CTAs run one after another, so a CTA that waits for a later one waits for ever. It shows:
 * nothing was stored and nobody arrived or left since the ready warps were last in exactly
 * this state, so they will be in it again. A budget of instructions and of memory for the streams
 * (struct ptx_budget) ends whatever else has no end. */
#include "ptx/exec_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- barriers ---- */

static uint32_t live_threads(const struct exec_run *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) n += r->warp[i].state != WARP_DONE;
    return n * WARP_SIZE;
}

/* bar.red hands its result to every warp that waits. */
static void hand_out(const struct barrier *b, struct exec_warp *w)
{
    const struct uop *u = w->bar_uop;
    switch (u->mode) {
    case BAR_RED_AND: warp_put_pred(w, u->d, w->bar_mask, b->all ? UINT32_MAX : 0); break;
    case BAR_RED_OR: warp_put_pred(w, u->d, w->bar_mask, b->any ? UINT32_MAX : 0); break;
    case BAR_RED_POPC:
        for (uint32_t m = w->bar_mask; m; m &= m - 1) at32(w, u->d)[bit_low32(m)] = b->count;
        break;
    default: break;
    }
}

/* Lets the waiting warps go on if enough threads have arrived. */
static void check_barrier(struct exec_run *r, struct barrier *b)
{
    uint32_t expected = b->expected ? b->expected : live_threads(r);
    if (!b->threads || b->threads < expected) return;
    for (uint32_t m = b->waiting; m; m &= m - 1) {
        struct exec_warp *w = &r->warp[bit_low32(m)];
        hand_out(b, w);
        w->state = WARP_READY;
    }
    *b = (struct barrier){.all = 1};
    r->progress++;
}

static int check_arrival(struct exec_warp *w, const struct uop *u, uint32_t id, uint32_t expected)
{
    if (id >= BARRIERS) return warp_fault(w, u, -1, "barrier %u does not exist (0 to %d)", id, BARRIERS - 1);
    if (u->nvec > 1 && (!expected || expected % WARP_SIZE))
        return warp_fault(w, u, -1, "a barrier cannot wait for %u threads: a multiple of %d is needed", expected,
                          WARP_SIZE);
    return RUN_ON;
}

/* A warp arrives as a whole, whichever of its lanes are active. */
int cta_arrive(struct exec_warp *w, const struct uop *u)
{
    unsigned lane = bit_low32(w->exec);
    uint32_t id = at32(w, u->s[0])[lane], expected = u->nvec > 1 ? at32(w, u->s[1])[lane] : 0;
    if (check_arrival(w, u, id, expected)) return RUN_FAULT;
    struct barrier *b = &w->run->bar[id];
    b->expected = expected;
    b->threads += WARP_SIZE;
    if (u->mode >= BAR_RED_AND && u->mode <= BAR_RED_POPC) {
        uint32_t p = (*at32(w, u->s[2]) ^ u->not_c) & w->exec;
        b->all &= p == w->exec;
        b->any |= p != 0;
        b->count += bit_count32(p);
    }
    if (u->mode == BAR_ARRIVE) {
        check_barrier(w->run, b);
        return RUN_ON;
    }
    b->waiting |= 1u << w->id;
    w->bar_id = (uint8_t)id;
    w->bar_uop = u;
    w->bar_mask = w->exec;
    w->state = WARP_BARRIER;
    check_barrier(w->run, b);
    return RUN_WAIT;
}

static int deadlock(struct exec_run *r)
{
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &r->warp[i];
        if (w->state != WARP_BARRIER) continue;
        const struct barrier *b = &r->bar[w->bar_id];
        return warp_fault(w, w->bar_uop, -1,
                          "barrier deadlock: barrier %u has %u of %u threads and nobody else can come", w->bar_id,
                          b->threads, b->expected ? b->expected : live_threads(r));
    }
    return RUN_ON;
}

/* ---- one CTA ---- */

/* A warp that would go on, and the instruction at which it is; NULL: there is none. */
static struct exec_warp *find_ready(struct exec_run *r, const struct uop **at)
{
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &r->warp[i];
        if (w->state != WARP_READY || !w->depth) continue;
        const struct xfunc *f = w->frame[w->nframe - 1].f;
        *at = &f->uop[f->block[w->stack[w->depth - 1].block].first];
        return w;
    }
    return NULL;
}

static int waits_for_ever(struct exec_run *r, uint64_t executed)
{
    const struct uop *at;
    struct exec_warp *w = find_ready(r, &at);
    if (!w) return RUN_ON;
    return warp_fault(w, at, -1,
                      "no end in sight after %llu warp instructions of one CTA: kernels whose CTAs wait for "
                      "each other cannot run here, since CTAs are executed one after another",
                      (unsigned long long)executed);
}

/* Gives each ready warp a turn. 1: some ran; 0: none is ready; < 0: fault. */
static int take_turns(struct exec_run *r)
{
    int ran = 0;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &r->warp[i];
        if (w->state != WARP_READY) continue;
        ran = 1;
        if (warp_run(w) == RUN_FAULT) return -1;
        if (w->state != WARP_DONE) continue;
        r->progress++;
        for (unsigned b = 0; b < BARRIERS; b++) check_barrier(r, &r->bar[b]);
    }
    return ran;
}

/* What the CTA has used so far: instructions and bytes of all warps, and the cycles that its longest warp needs at
 * least, since a warp issues one instruction per cycle at best. */
static struct ptx_budget used_by_all(const struct exec_run *r)
{
    struct ptx_budget u = {0};
    for (uint32_t i = 0; i < r->nwarps; i++) {
        const struct exec_warp *w = &r->warp[i];
        u.instructions += w->executed;
        u.stream_bytes += w->out ? w->out->size : 0;
        if (w->executed > u.cycles) u.cycles = w->executed;
    }
    return u;
}

/* Fails when the CTA has used more than its budget and is not at its end. */
static int check_budget(struct exec_run *r, const struct ptx_budget *used)
{
    const struct ptx_budget *b = &r->l.budget;
    const struct uop *at;
    bool instructions = b->instructions && used->instructions > b->instructions,
         bytes = b->stream_bytes && used->stream_bytes > b->stream_bytes,
         cycles = b->cycles && used->cycles > b->cycles;
    if (!instructions && !bytes && !cycles) return RUN_ON;
    struct exec_warp *w = find_ready(r, &at);
    if (!w) return RUN_ON;
    if (cycles)
        return warp_fault(w, at, -1, "stopped: it cannot end within the %llu cycles asked for",
                          (unsigned long long)b->cycles);
    return warp_fault(w, at, -1,
                      "no end in sight after %llu warp instructions and %llu MiB of what they did in one CTA; if it is "
                      "no endless loop, set %s higher",
                      (unsigned long long)used->instructions, (unsigned long long)(used->stream_bytes >> 20),
                      instructions ? "run.cta_instructions" : "run.cta_memory");
}

/* Everything that decides what the ready warps do next, memory excepted. */
static uint64_t state_hash(const struct exec_run *r)
{
    uint64_t h = WL_HASH_INIT;
    for (uint32_t i = 0; i < r->nwarps; i++) {
        const struct exec_warp *w = &r->warp[i];
        if (w->state != WARP_READY || !w->nframe) continue;
        const struct call_frame *f = &w->frame[w->nframe - 1];
        h = hash_bytes(h, w->stack, w->depth * sizeof *w->stack);
        h = hash_bytes(h, w->regs, f->regs + f->f->reg_bytes);
        h = hash_bytes(h, &w->carry, sizeof w->carry);
        h = hash_bytes(h, &i, sizeof i);
    }
    return h;
}

/* Rounds of turns without progress. The state is compared with one kept from an earlier
 * round, and the kept one renewed at powers of two, so a cycle of any length is found. */
struct idle {
    uint64_t progress, rounds, kept, renew;
};
enum { IDLE_SAMPLE = 16 }; /* rounds between looks, since a look costs something */

static bool repeats(const struct exec_run *r, struct idle *idle)
{
    if (r->progress != idle->progress) {
        *idle = (struct idle){.progress = r->progress, .renew = 1};
        return false;
    }
    if (++idle->rounds % IDLE_SAMPLE) return false;
    uint64_t look = idle->rounds / IDLE_SAMPLE, hash = state_hash(r);
    if (look > 1 && hash == idle->kept) return true;
    if (look == idle->renew) {
        idle->kept = hash;
        idle->renew *= 2;
    }
    return false;
}

static int run_cta(struct exec_run *r)
{
    struct idle idle = {.progress = r->progress, .renew = 1};
    int ran;
    while ((ran = take_turns(r)) > 0) {
        struct ptx_budget used = used_by_all(r);
        if (repeats(r, &idle) && waits_for_ever(r, used.instructions)) return -1;
        if (check_budget(r, &used)) return -1;
    }
    if (ran == 0) return deadlock(r) ? -1 : 0;
    return ran;
}

static int start_cta(struct exec_run *r, struct cta_out *out)
{
    const uint32_t *g = r->info.grid;
    r->cta = r->next_cta++;
    r->ctaid[0] = r->cta % g[0];
    r->ctaid[1] = r->cta / g[0] % g[1];
    r->ctaid[2] = r->cta / g[0] / g[1];
    if (r->shared_bytes) memset(r->shared, 0, r->shared_bytes);
    for (unsigned i = 0; i < BARRIERS; i++) r->bar[i] = (struct barrier){.all = 1};
    if (r->generation != dev_generation(r->l.image->mem)) {
        r->generation = dev_generation(r->l.image->mem);
        memset(r->range, 0, sizeof r->range);
    }
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &r->warp[i];
        w->out = out ? &out->writer[i] : NULL;
        if (w->out) stream_begin(w->out);
        if (warp_start(w)) return wl_fail(r->err, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
    }
    return 0;
}

/* ---- the source ---- */

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

static void give_back(struct exec_run *r, struct cta_out *o)
{
    o->next_free = r->free_out;
    r->free_out = o;
}

static int hand_over(struct exec_run *r, struct cta_out *o, struct cta_stream *out)
{
    *out = (struct cta_stream){.cta = r->cta, .nwarps = r->nwarps, .owner = o};
    for (uint32_t i = 0; i < r->nwarps; i++) {
        r->counts.warp_instructions += r->warp[i].executed;
        r->counts.thread_instructions += r->warp[i].threads;
        if (!o) continue;
        if (o->writer[i].failed)
            return wl_fail(r->err, WL_ERUN, "kernel %s: no memory for its instruction stream", r->info.kernel);
        out->warp[i] = (struct warp_stream){.data = o->writer[i].data, .size = o->writer[i].size};
    }
    return 0;
}

static int source_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct exec_run *r = (struct exec_run *)s;
    struct wl_err ignored;
    r->err = e ? e : &ignored;
    if (r->failed) return -wl_fail(r->err, WL_ERUN, "kernel %s: already failed", r->info.kernel);
    if (r->next_cta == r->info.ctas) return 0;
    struct cta_out *o = NULL;
    if (!r->l.no_streams && !(o = take_out(r)))
        return -wl_fail(r->err, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
    if (start_cta(r, o) || run_cta(r) || hand_over(r, o, out)) {
        r->failed = true;
        if (o) give_back(r, o);
        return -1;
    }
    return 1;
}

static void source_release(struct stream_source *s, struct cta_stream *c)
{
    if (c->owner) give_back((struct exec_run *)s, c->owner);
    c->owner = NULL;
}

struct exec_counts ptx_counts(const struct stream_source *s) { return ((const struct exec_run *)s)->counts; }

/* ---- opening ---- */

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
    case SREG_NSMID: return 1;
    case SREG_WARP_SZ: return WARP_SIZE;
    case SREG_DYNAMIC_SMEM_SIZE: return r->l.dynamic_shared;
    case SREG_TOTAL_SMEM_SIZE: return r->shared_bytes;
    case SREG_COUNT: return r->dynamic_at + c->addend;
    default: return 0; /* %smid, %gridid: not known to the functional half */
    }
}

static int fill_launch_area(struct exec_run *r)
{
    const struct ptx_image *img = r->l.image;
    r->launch_area = aligned_alloc(64, (img->launch_bytes + 64 + 63) / 64 * 64);
    if (!r->launch_area) return -1;
    for (uint32_t k = 0; k < img->nlconst; k++) {
        const struct launch_const *c = &img->lconst[k];
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
    r->nwarps = i->warps_per_cta;
    return 0;
}

static int make_storage(struct exec_run *r)
{
    const struct ptx_func *k = r->l.kernel;
    r->params = calloc(1, k->param_bytes + 1);
    r->shared = aligned_alloc(64, (r->shared_bytes + 64 + 63) / 64 * 64);
    r->warp = aligned_alloc(64, (r->nwarps * sizeof *r->warp + 63) / 64 * 64);
    if (!r->params || !r->shared || !r->warp || fill_launch_area(r)) return -1;
    memset(r->warp, 0, r->nwarps * sizeof *r->warp);
    if (k->param_bytes && r->l.params) memcpy(r->params, r->l.params, k->param_bytes);
    for (uint32_t i = 0; i < r->nwarps; i++)
        if (warp_init(&r->warp[i], r, i)) return -1;
    return 0;
}

struct stream_source *ptx_open(const struct ptx_launch *l, struct wl_err *e)
{
    struct exec_run *r = calloc(1, sizeof *r);
    if (!r) {
        wl_fail(e, WL_ERUN, "out of memory");
        return NULL;
    }
    r->l = *l;
    r->source = (struct stream_source){.info = &r->info, .next = source_next, .release = source_release};
    r->kernel = image_func(l->image, l->kernel);
    r->dev_host = dev_host(l->image->mem);
    int rc = r->kernel ? shape(r, e) : wl_fail(e, WL_EINPUT, "kernel %s is not in this module", l->kernel->name);
    if (!rc && make_storage(r)) rc = wl_fail(e, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
    if (!rc) return &r->source;
    ptx_close(&r->source);
    return NULL;
}

void ptx_close(struct stream_source *s)
{
    if (!s) return;
    struct exec_run *r = (struct exec_run *)s;
    for (uint32_t i = 0; i < r->nwarps && r->warp; i++) warp_free(&r->warp[i]);
    while (r->all_out) {
        struct cta_out *o = r->all_out;
        r->all_out = o->next;
        for (unsigned i = 0; i < CTA_MAX_WARPS; i++) free(o->writer[i].data);
        free(o);
    }
    free(r->warp);
    free(r->shared);
    free(r->params);
    free(r->launch_area);
    free(r);
}
