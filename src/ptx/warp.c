/* warp.c - one warp: its SIMT stack, call frames and the loop that runs its blocks.
 *
 * Divergence. The top level of the stack runs. Where a branch sends its lanes both ways, the
 * level stays behind at the block's immediate post-dominator and a level for each way goes
 * on top; each leaves when it reaches that block. The way whose block has the smaller index
 * runs first. A level that would only wait where the level below waits already is replaced,
 * so a loop that lanes leave one by one does not grow the stack.
 *
 * Calls. A frame has its own registers, a piece of each thread's local memory for .local and
 * .param variables, and begins its own levels on the stack. Lanes that return are taken off
 * all levels of the frame; when the last level is empty the frame ends and the caller's
 * level, which never lost a lane, goes on behind the call. Lanes that exit are taken off
 * every level. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"
#include "ptx/oblivious.h"
#include "ptx/yield.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults ---- */

static void thread_of(const struct exec_warp *w, unsigned lane, uint32_t tid[3])
{
    const uint32_t *b = w->run->info.block;
    uint32_t t = w->id * WARP_SIZE + lane;
    tid[0] = t % b[0];
    tid[1] = t / b[0] % b[1];
    tid[2] = t / b[0] / b[1];
}

/* ", app.cu:12": the line of the source, where the compiler wrote it down. */
static void source_line(const struct code_origin *o, char *out, size_t size)
{
    out[0] = 0;
    if (!o->file) return;
    int n = snprintf(out, size, ", %.200s:%u", o->file, o->line);
    if (o->caller && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " inlined at %.200s:%u", o->caller, o->caller_line);
}

int warp_fault(struct exec_warp *w, const struct uop *u, int lane, const char *fmt, ...)
{
    struct exec_run *r = w->run;
    const struct ptx_module *m = r->l.image->mod;
    const struct code_inst *inst = &m->code.inst[u->in->code];
    const struct code_origin o = code_origin(&m->code, inst);
    char what[512], source[512];
    uint32_t tid[3];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    thread_of(w, lane >= 0 ? (unsigned)lane : w->exec ? bit_low32(w->exec) : 0, tid);
    source_line(&o, source, sizeof source);
    wl_fail(r->err, WL_ERUN, "kernel %s: %s, pc 0x%x (%s:%u: %s%s), CTA (%u,%u,%u), thread (%u,%u,%u)", r->info.kernel,
            what, inst->pc, m->file, u->in->line, o.text ? o.text : "", source, w->cta->ctaid[0], w->cta->ctaid[1],
            w->cta->ctaid[2], tid[0], tid[1], tid[2]);
    return RUN_FAULT;
}

/* ---- storage ---- */

static void aim(struct exec_warp *w) { w->base[AREA_REG] = w->regs + w->frame[w->nframe - 1].regs; }

static bool grow_regs(struct exec_warp *w, uint32_t need)
{
    if (!need) need = 64; /* a function without registers still has a frame to point at */
    if (need <= w->regs_cap) return true;
    uint32_t cap = need > w->regs_cap * 2 ? (need + 63) / 64 * 64 : w->regs_cap * 2;
    uint8_t *p = aligned_alloc(64, cap);
    if (!p) return false;
    memset(p, 0, cap);
    if (w->regs) memcpy(p, w->regs, w->regs_cap);
    free(w->regs);
    w->regs = p;
    w->regs_cap = cap;
    return true;
}

/* Local memory is lane-major, so a longer stride moves every lane. */
static bool grow_local(struct exec_warp *w, uint32_t need)
{
    if (need <= w->local_stride) return true;
    uint32_t stride = need > w->local_stride * 2 ? need : w->local_stride * 2;
    uint8_t *p = calloc(WARP_SIZE, stride);
    if (!p) return false;
    for (unsigned i = 0; i < WARP_SIZE && w->local; i++)
        memcpy(p + (size_t)i * stride, w->local + (size_t)i * w->local_stride, w->local_stride);
    free(w->local);
    w->local = p;
    w->local_stride = stride;
    return true;
}

bool warp_push_level(struct exec_warp *w, uint32_t block, uint32_t reconv, uint32_t mask)
{
    if (w->depth == w->stack_cap) {
        uint32_t cap = w->stack_cap ? w->stack_cap * 2 : 32;
        struct simt *p = realloc(w->stack, cap * sizeof *p);
        if (!p) return false;
        w->stack = p;
        w->stack_cap = cap;
    }
    w->stack[w->depth++] = (struct simt){.block = block, .reconv = reconv, .mask = mask};
    return true;
}

/* A frame for f above the current one, its registers zeroed where that matters. */
static bool push_frame(struct exec_warp *w, const struct xfunc *f, const struct ptx_call *call, uint32_t mask)
{
    if (w->nframe == w->frame_cap) {
        uint32_t cap = w->frame_cap ? w->frame_cap * 2 : 8;
        struct call_frame *p = realloc(w->frame, cap * sizeof *p);
        if (!p) return false;
        w->frame = p;
        w->frame_cap = cap;
    }
    struct call_frame new = {.f = f, .call = call, .mask = mask, .stack = w->depth};
    if (w->nframe) {
        const struct call_frame *top = &w->frame[w->nframe - 1];
        new.regs = top->regs + top->f->reg_bytes;
        new.local = top->local + top->f->frame_bytes;
    }
    if (!grow_regs(w, new.regs + f->reg_bytes) || !grow_local(w, new.local + f->frame_bytes)) return false;
    memset(w->regs + new.regs, 0, f->cleared);
    for (uint32_t i = 0; i < f->nclear; i++) memset(w->regs + new.regs + f->clear[i].at, 0, f->clear[i].bytes);
    w->frame[w->nframe++] = new;
    aim(w);
    return warp_push_level(w, 0, PTX_NO_BLOCK, mask);
}

void warp_free(struct exec_warp *w)
{
    free(w->stack);
    free(w->frame);
    free(w->regs);
    free(w->local);
    free(w->specials);
}

static void fill_specials(struct exec_warp *w)
{
    uint32_t(*slot)[WARP_SIZE] = (uint32_t(*)[WARP_SIZE])(void *)w->specials;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint32_t tid[3], bit = 1u << i;
        thread_of(w, i, tid);
        for (unsigned k = 0; k < 3; k++) slot[WS_TID_X + k][i] = tid[k];
        slot[WS_LANEID][i] = i;
        slot[WS_WARPID][i] = w->id;
        slot[WS_LM_EQ][i] = bit;
        slot[WS_LM_LT][i] = bit - 1;
        slot[WS_LM_LE][i] = bit | (bit - 1);
        slot[WS_LM_GE][i] = ~(bit - 1);
        slot[WS_LM_GT][i] = ~(bit | (bit - 1));
    }
}

int warp_init(struct exec_warp *w, struct exec_cta *c, uint32_t id)
{
    const struct exec_run *r = c->run;
    *w = (struct exec_warp){.run = c->run, .cta = c, .id = id};
    w->specials = aligned_alloc(64, WS_SLOTS * SLOT32);
    if (!w->specials) return -1;
    memset(w->specials, 0, WS_SLOTS * SLOT32);
    fill_specials(w);
    w->base[AREA_CONST] = r->l.image->pool;
    w->base[AREA_LAUNCH] = r->launch_area;
    w->base[AREA_WARP] = w->specials;
    return 0;
}

int warp_start(struct exec_warp *w)
{
    struct exec_run *r = w->run;
    uint32_t threads = r->info.threads_per_cta - w->id * WARP_SIZE;
    uint32_t(*slot)[WARP_SIZE] = (uint32_t(*)[WARP_SIZE])(void *)w->specials;
    for (unsigned k = 0; k < 3; k++) {
        if (slot[WS_CTAID_X + k][0] == w->cta->ctaid[k]) continue;
        for (unsigned i = 0; i < WARP_SIZE; i++) slot[WS_CTAID_X + k][i] = w->cta->ctaid[k];
    }
    w->live = threads >= WARP_SIZE ? UINT32_MAX : (1u << threads) - 1;
    w->depth = w->nframe = 0;
    w->executed = w->threads = 0;
    w->resume = w->carry = 0;
    w->clock_uop = NULL;
    w->state = WARP_READY;
    w->split = false;
    w->apart = 0;
    memset(w->came, 0, sizeof w->came);
    w->spin = (struct spin){.progress = r->progress};
    if (w->local) memset(w->local, 0, (size_t)WARP_SIZE * w->local_stride);
    return push_frame(w, r->kernel, NULL, w->live) ? 0 : -1;
}

/* ---- lanes that leave ---- */

static void drop_lanes(struct exec_warp *w, uint32_t from, uint32_t lanes)
{
    for (uint32_t i = from; i < w->depth; i++) w->stack[i].mask &= ~lanes;
}

static void exit_lanes(struct exec_warp *w, uint32_t lanes)
{
    drop_lanes(w, 0, lanes);
    w->live &= ~lanes;
    w->run->progress++;
}

static uint8_t *local_at(const struct exec_warp *w, unsigned lane, uint64_t offset)
{
    return w->local + (size_t)lane * w->local_stride + offset;
}

/* Copies variables between the .param areas of two frames, for each lane of mask. */
static void copy_params(const struct exec_warp *w, uint32_t mask, const struct call_frame *to,
                        const struct ptx_var *dst, const struct call_frame *from, const struct ptx_var *src)
{
    uint64_t d = to->local + to->f->param_at + dst->offset, s = from->local + from->f->param_at + src->offset;
    uint64_t bytes = dst->bytes < src->bytes ? dst->bytes : src->bytes;
    for (; mask; mask &= mask - 1) memcpy(local_at(w, bit_low32(mask), d), local_at(w, bit_low32(mask), s), bytes);
}

static void pop_frame(struct exec_warp *w)
{
    const struct call_frame *f = &w->frame[w->nframe - 1];
    w->nframe--;
    if (!w->nframe) return;
    const struct call_frame *caller = &w->frame[w->nframe - 1];
    for (uint32_t i = 0; i < f->call->nrets; i++)
        copy_params(w, f->mask & w->live, caller, f->call->rets[i], f, f->f->fn->ret[i]);
    aim(w);
}

/* ---- block ends ---- */

static int out_of_memory(struct exec_warp *w, const struct uop *u) { return warp_fault(w, u, -1, "out of memory"); }

/* In an assembled program each way arrives where they meet again and waits there: all but one are counted here. */
static void note_parting(struct exec_warp *w, uint32_t block, const struct simt *way, unsigned n)
{
    for (unsigned i = 0; i + 1 < n; i++) {
        w->executed++;
        w->threads += bit_count32(way[i].mask);
        if (w->out) stream_block(w->out, block, way[i].mask);
    }
}

/* Splits the top level into the given ways, of which none is empty; largest block first. */
static int diverge(struct exec_warp *w, const struct uop *u, const struct xblock *b, const struct simt *way, unsigned n)
{
    struct simt *top = &w->stack[w->depth - 1];
    if (b->parting != PTX_NO_BLOCK) note_parting(w, b->parting, way, n);
    if (b->ipdom != top->reconv) top->block = b->ipdom;
    else w->depth--; /* the level below waits there already */
    for (unsigned i = 0; i < n; i++)
        if (way[i].block != b->ipdom && !warp_push_level(w, way[i].block, b->ipdom, way[i].mask))
            return out_of_memory(w, u);
    return RUN_ON;
}

static uint32_t guard_of(const struct exec_warp *w, const struct uop *u)
{
    return u->in->guard < 0 ? UINT32_MAX : *at32(w, u->guard) ^ u->not_guard;
}

static int end_bra(struct exec_warp *w, const struct uop *u, const struct xblock *b)
{
    struct simt *top = &w->stack[w->depth - 1];
    uint32_t taken = top->mask & guard_of(w, u), rest = top->mask & ~taken;
    if (!rest || !taken) {
        top->block = taken ? u->in->target : b->next;
        return RUN_ON;
    }
    struct simt way[2] = {{.block = u->in->target, .mask = taken}, {.block = b->next, .mask = rest}};
    if (way[0].block < way[1].block) {
        struct simt t = way[0];
        way[0] = way[1];
        way[1] = t;
    }
    if (b->yields && yield_stays(w, b, way[0].block) != yield_stays(w, b, way[1].block)) {
        unsigned stays = yield_stays(w, b, way[1].block);
        if (b->parting != PTX_NO_BLOCK) note_parting(w, b->parting, way, 2);
        return yield_branch(w, b, &way[!stays], &way[stays]) ? out_of_memory(w, u) : RUN_ON;
    }
    return diverge(w, u, b, way, 2);
}

/* Lanes by target; those that a guard switches off fall through. */
static int end_brx(struct exec_warp *w, const struct uop *u, const struct xblock *b)
{
    struct simt *top = &w->stack[w->depth - 1], way[WARP_SIZE + 1];
    uint32_t taken = top->mask & guard_of(w, u);
    unsigned n = 0;
    if (top->mask & ~taken) way[n++] = (struct simt){.block = b->next, .mask = top->mask & ~taken};
    for (uint32_t m = taken; m; m &= m - 1) {
        unsigned lane = bit_low32(m), k = 0;
        uint32_t index = at32(w, u->s[0])[lane];
        if (index >= u->in->ntargets)
            return warp_fault(w, u, (int)lane, "branch index %u is outside its list of %u targets", index,
                              u->in->ntargets);
        uint32_t block = u->in->targets[index];
        while (k < n && way[k].block != block) k++;
        if (k == n) way[n++] = (struct simt){.block = block};
        way[k].mask |= 1u << lane;
    }
    if (n == 1) {
        top->block = way[0].block;
        return RUN_ON;
    }
    for (unsigned i = 1; i < n; i++) /* insertion sort, largest block first */
        for (unsigned k = i; k > 0 && way[k].block > way[k - 1].block; k--) {
            struct simt t = way[k];
            way[k] = way[k - 1];
            way[k - 1] = t;
        }
    return diverge(w, u, b, way, n);
}

static int end_leave(struct exec_warp *w, const struct uop *u, const struct xblock *b)
{
    struct simt *top = &w->stack[w->depth - 1];
    uint32_t gone = top->mask & guard_of(w, u);
    if (u->guarded) {
        w->threads += bit_count32(gone);
        if (w->out) stream_guard(w->out, gone);
    }
    top->block = b->next; /* for the lanes a guard keeps */
    if (b->end == END_EXIT || w->nframe == 1) exit_lanes(w, gone);
    else drop_lanes(w, w->frame[w->nframe - 1].stack, gone);
    return RUN_ON;
}

static int enter_function(struct exec_warp *w, const struct uop *u, const struct xfunc *f, uint32_t mask)
{
    const struct ptx_call *call = u->in->call;
    if (w->nframe >= CALL_DEPTH_MAX)
        return warp_fault(w, u, -1, "stack overflow: calls are nested more than %d deep", CALL_DEPTH_MAX);
    const struct call_frame *caller = &w->frame[w->nframe - 1];
    if (caller->local + caller->f->frame_bytes + f->frame_bytes > LOCAL_BYTES_MAX)
        return warp_fault(w, u, -1, "stack overflow: a thread needs more than %d bytes of local memory",
                          LOCAL_BYTES_MAX);
    if (!push_frame(w, f, call, mask)) return out_of_memory(w, u);
    const struct call_frame *callee = &w->frame[w->nframe - 1];
    for (uint32_t i = 0; i < call->nargs; i++) copy_params(w, mask, callee, f->fn->param[i], callee - 1, call->args[i]);
    return RUN_ON;
}

/* Lanes that point at one function call it; the others wait in a level that executes the block, which is the call
 * alone, again. */
static int call_pointer(struct exec_warp *w, const struct uop *u, uint32_t self, uint32_t next, uint32_t mask)
{
    unsigned lane = bit_low32(mask);
    uint64_t pointer = at64(w, u->s[0])[lane];
    const struct xfunc *f = image_func_at(w->run->l.image, pointer);
    uint32_t same = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        same |= (uint32_t)(at64(w, u->s[0])[bit_low32(m)] == pointer) << bit_low32(m);
    if (!f) return warp_fault(w, u, (int)lane, "0x%" PRIx64 " is called, which is no function of this module", pointer);
    if (f->fn->refused) return warp_fault(w, u, (int)lane, "%s is called: %s", f->fn->name, f->fn->refused);
    if (!ptx_call_fits(u->in->call, f->fn))
        return warp_fault(w, u, (int)lane, "%s is called with other parameters than it has", f->fn->name);
    if (same != mask && (!warp_push_level(w, self, next, mask & ~same) || !warp_push_level(w, next, next, same)))
        return out_of_memory(w, u);
    return enter_function(w, u, f, same);
}

static int end_call(struct exec_warp *w, const struct uop *u, const struct xblock *b)
{
    struct simt *top = &w->stack[w->depth - 1];
    const struct ptx_call *call = u->in->call;
    uint32_t mask = top->mask & guard_of(w, u), self = top->block;
    if (u->guarded) {
        w->threads += bit_count32(mask);
        if (w->out) stream_guard(w->out, mask);
    }
    top->block = b->next;
    if (!mask) return RUN_ON;
    set_exec(w, mask);
    if (u->callee) return enter_function(w, u, u->callee, mask);
    return call->func ? builtin_call(w, u) : call_pointer(w, u, self, b->next, mask);
}

static int end_block(struct exec_warp *w, const struct uop *u, const struct xblock *b)
{
    switch (b->end) {
    case END_BRA: return end_bra(w, u, b);
    case END_BRX: return end_brx(w, u, b);
    case END_CALL: return end_call(w, u, b);
    case END_RET:
    case END_EXIT: return end_leave(w, u, b);
    default: w->stack[w->depth - 1].block = b->next; return RUN_ON;
    }
}

/* ---- running ---- */

void warp_put_pred(struct exec_warp *w, ref d, uint32_t mask, uint32_t value)
{
    uint32_t *p = at32(w, d);
    *p = (*p & ~mask) | (value & mask);
}

/* A guarded instruction: runs for the lanes whose predicate holds. */
int op_guarded(struct exec_warp *w, const struct uop *u)
{
    uint32_t active = w->active, exec = active & (*at32(w, u->guard) ^ u->not_guard);
    w->threads += bit_count32(exec);
    if (w->out && u->guarded) stream_guard(w->out, exec);
    if (!exec) return RUN_ON;
    if (exec == active) return (exec == UINT32_MAX ? u->then_full : u->then_part)(w, u);
    set_exec(w, exec);
    int rc = u->then_part(w, u);
    set_exec(w, active);
    return rc;
}

/* Takes off the levels that have nothing more to do. False: the warp is done. */
static bool settle(struct exec_warp *w)
{
    while (w->depth) {
        const struct simt *top = &w->stack[w->depth - 1];
        if (top->mask && top->block != top->reconv) return true;
        w->depth--;
        if (w->depth == w->frame[w->nframe - 1].stack) pop_frame(w);
    }
    return false;
}

void warp_enter_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b, uint32_t mask)
{
    if (w->excerpt.writer) excerpt_block(w, f, b);
    w->active = mask;
    if (w->exec != mask) set_exec(w, mask);
    w->block_at = w->executed;
    w->executed += b->count;
    w->threads += (uint64_t)b->unguarded * bit_count32(mask);
    if (w->out) stream_block(w->out, b->code_block, mask);
}

/* The same of a warp that skims: it never waits. */
static int skim_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b, uint32_t mask)
{
    const struct skim_block *k = &w->skims->block[b - f->block];
    const struct uop *u = w->skims->uop + k->first, *end = u + k->body;
    int rc = RUN_ON;
    warp_enter_block(w, f, b, mask);
    if (mask == UINT32_MAX)
        while (u < end && !rc) rc = u->full(w, u), u++;
    else
        while (u < end && !rc) rc = u->part(w, u), u++;
    return rc ? rc : end_block(w, end, b);
}

static int run_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b, uint32_t mask)
{
    uint32_t resume = w->resume;
    if (resume) w->resume = 0;
    else warp_enter_block(w, f, b, mask); /* which decides whether there is a stream */
    const struct uop *first = w->out ? f->uop + b->first : f->lean + b->lean_first;
    const struct uop *u = first + resume, *end = first + (w->out ? b->body : b->lean_body);
    int rc = RUN_ON;
    if (mask == UINT32_MAX)
        while (u < end && !rc) rc = u->full(w, u), u++;
    else
        while (u < end && !rc) rc = u->part(w, u), u++;
    if (rc == RUN_WAIT || rc == RUN_CLOCK) w->resume = (uint32_t)(u - first);
    if (rc) return rc;
    return end_block(w, end, b);
}

/* One block. RUN_ON also when the warp is done. */
static inline int run_next(struct exec_warp *w, const struct xblock **b)
{
    if (!settle(w)) {
        w->state = WARP_DONE;
        return RUN_ON;
    }
    const struct simt *top = &w->stack[w->depth - 1];
    const struct xfunc *f = w->frame[w->nframe - 1].f;
    *b = &f->block[top->block];
    if (top->mask != UINT32_MAX && (*b)->apart && !w->resume) {
        int rc = RUN_ON;
        if (!apart_goes(w, &rc)) return rc;
    }
    return w->skims ? skim_block(w, f, *b, top->mask) : run_block(w, f, *b, top->mask);
}

/* The same where polls are counted. */
static int run_watched(struct exec_warp *w)
{
    uint64_t until = w->executed + w->run->slice;
    while (w->executed < until) {
        const struct xblock *b = NULL;
        if (settle(w)) spin_note_depth(w);
        int rc = run_next(w, &b);
        if (rc || w->state == WARP_DONE) return rc;
        if (b->polls && spin_polled(w, b)) return RUN_ON;
    }
    return RUN_ON;
}

/* Whether the warp stands behind all instructions of the block. */
static bool is_at_end(const struct exec_warp *w, const struct xblock *b)
{
    return !w->resume || (w->resume == b->body && b->end == END_FALL);
}

int warp_run_in_step(struct exec_warp *w, unsigned instructions, size_t *whole)
{
    uint64_t until = w->executed + instructions;
    while (w->executed < until) {
        const struct xblock *b = NULL;
        if (settle(w)) spin_note_depth(w);
        int rc = run_next(w, &b);
        if (rc == RUN_FAULT) return rc;
        /* What is to be written of a wait at a cluster's barrier is known when it is over. */
        if (b && is_at_end(w, b) && w->state != WARP_CLUSTER) *whole = w->out->size;
        if (rc || w->state == WARP_DONE || !b) return rc;
        bool spins = b->polls && spin_polled(w, b);
        if (spins || b->polls == POLL_STRONG) return RUN_ON;
    }
    return RUN_ON;
}

int warp_run_block(struct exec_warp *w)
{
    const struct xblock *b;
    return run_next(w, &b);
}

int warp_run(struct exec_warp *w)
{
    if (w->run->watches) return run_watched(w);
    uint64_t until = w->executed + w->run->slice;
    while (w->executed < until) {
        const struct xblock *b;
        int rc = run_next(w, &b);
        if (rc || w->state == WARP_DONE) return rc;
    }
    return RUN_ON;
}
