/* step.c - execution in step with the machine: for kernels that read a clock.
 *
 * A CTA is handed out before any of it has executed. A warp executes when the machine has issued all it knows of the
 * warp (feed): STEP_INSTRUCTIONS and the rest of a block at a time, but never past a read of a clock, which ends its
 * block (cfg.c) and gets its value when the machine says in which cycle it issued; nor past a read of what others
 * write, so that a warp that waits for another sees the change soon after it was made. The machine gets whole blocks.
 *
 * What such a kernel does may depend on the machine and its policies, as on real hardware. It does not depend on the
 * host, on the engine or on the order of parts within a tick. */
#include "ptx/cluster.h"

#include <string.h>

enum { STEP_INSTRUCTIONS = 64 };

void step_begin(struct exec_cta *c)
{
    struct cta_out *o = c->out;
    o->cta = c;
    memset(o->whole, 0, sizeof o->whole);
    memset(o->given, 0, sizeof o->given);
}

int step_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct cta_out *o = cta->owner;
    (void)s;
    if (o->whole[warp] && !o->given[warp]) {
        o->given[warp] = true;
        *out = (struct warp_stream){.data = o->writer[warp].data, .size = o->whole[warp]};
        return 1;
    }
    return o->cta->warp[warp].state == WARP_DONE ? 0 : -1;
}

/* What was handed out has been read: only the beginning of a block may be left. */
static void drop_given(struct cta_out *o, unsigned warp)
{
    struct stream_writer *w = &o->writer[warp];
    if (!o->given[warp]) return;
    w->size -= o->whole[warp];
    memmove(w->data, w->data + o->whole[warp], w->size);
    o->whole[warp] = 0;
    o->given[warp] = false;
}

static void tell_time(struct exec_warp *w, uint64_t cycle, uint32_t sm)
{
    const struct uop *u = w->clock_uop;
    if (!u) return;
    uint8_t sreg = u->in->src[0].sreg;
    uint64_t khz = w->run->l.core_khz, value = cycle;
    if (sreg >= SREG_GLOBALTIMER && khz) /* ns, without overflow */
        value = cycle / khz * 1000000 + cycle % khz * 1000000 / khz;
    if (sreg == SREG_CLOCK_HI || sreg == SREG_GLOBALTIMER_HI) value >>= 32;
    if (sreg == SREG_SMID) value = sm;
    for (uint32_t m = w->clock_mask; m; m &= m - 1) put_lane(w, u->d, u->wide, bit_low32(m), value);
    w->clock_uop = NULL;
}

int step_feed(struct stream_source *s, struct cta_stream *cta, unsigned warp, uint64_t cycle, struct wl_err *e)
{
    struct exec_run *r = (struct exec_run *)s;
    struct cta_out *o = cta->owner;
    struct exec_warp *w = &o->cta->warp[warp];
    r->err = e;
    drop_given(o, warp);
    tell_time(w, cycle, cta->sm);
    if (w->state == WARP_CLUSTER) cluster_goes_on(w);
    while (w->state == WARP_READY && !o->whole[warp]) {
        r->shared = o->cta->shared;
        int rc = warp_run_in_step(w, STEP_INSTRUCTIONS, &o->whole[warp]);
        if (w->state == WARP_DONE) cta_warp_done(w);
        if (rc == RUN_FAULT || cta_check_budget(o->cta)) return -WL_ERUN;
        if (o->writer[warp].failed)
            return -wl_fail(e, WL_ERUN, "kernel %s: no memory for its instruction stream", r->info.kernel);
    }
    return o->whole[warp] || w->state == WARP_DONE;
}
