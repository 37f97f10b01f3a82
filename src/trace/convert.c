#include "trace/convert.h"

#include <inttypes.h>
#include <string.h>

#include "trace/trace.h"
#include "trace/wlt/wlt_priv.h"

/* ---- blocks that are not there ----
 *
 * A trace of another tool may lack blocks of the grid; .wlt has one for each place. They are filled in
 * with blocks whose warps have no instructions. */

enum { MOST_MISSING = 1 << 20 };

struct filled {
    struct stream_source source; /* first */
    struct stream_source *inner;
    struct cta_stream ahead; /* read, but not due yet */
    bool have_ahead, over;
    uint32_t next, missing;
};

static void filled_release(struct stream_source *s, struct cta_stream *c)
{
    struct filled *f = (struct filled *)s;
    if (c->owner) f->inner->release(f->inner, c);
}

static int filled_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct filled *f = (struct filled *)s;
    const struct launch_info *info = s->info;
    if (!f->have_ahead && !f->over) {
        int got = f->inner->next(f->inner, &f->ahead, e);
        if (got < 0) return got;
        f->have_ahead = got > 0;
        f->over = got == 0;
    }
    if (f->next == info->ctas) return 0;
    if (f->have_ahead && f->ahead.cta == f->next) {
        *out = f->ahead;
        f->have_ahead = false;
    } else {
        if (++f->missing > MOST_MISSING)
            return -wl_fail(e, WL_EINPUT,
                            "kernel %s: the trace has only part of a grid of %u blocks; more than %d are missing",
                            info->kernel, info->ctas, MOST_MISSING);
        *out = (struct cta_stream){.cta = f->next, .nwarps = info->warps_per_cta};
        for (uint32_t w = 0; w < out->nwarps; w++) out->warp[w] = warp_part(NULL, 0, 0);
    }
    f->next++;
    return 1;
}

/* ---- the two writers behind one face ---- */

struct target {
    struct wlt_writer *wlt;
    struct accel_writer *accel;
};

static int target_open(struct target *t, const char *to, const struct wlt_header *h, struct wl_err *e)
{
    size_t n = strlen(to);
    bool wlt = n > 4 && strcmp(to + n - 4, ".wlt") == 0;
    *t = (struct target){0};
    if (wlt) t->wlt = wlt_create(to, h, e);
    else t->accel = accel_create(to, e);
    return t->wlt || t->accel ? 0 : (int)e->code;
}

static void target_copy(struct target *t, uint64_t addr, uint64_t bytes)
{
    if (t->wlt) wlt_write_copy(t->wlt, addr, bytes);
    else accel_write_copy(t->accel, addr, bytes);
}

static int target_launch(struct target *t, const struct wlt_item *item, struct wl_err *e)
{
    struct stream_source *s = item->source;
    if (item->order.given && t->wlt) wlt_write_stream(t->wlt, item->order.stream);
    else if (item->order.given) accel_write_stream(t->accel, item->order.stream);
    if (!t->wlt) return accel_write_launch(t->accel, s, e);
    struct filled f = {.source = {.info = s->info, .next = filled_next, .release = filled_release}, .inner = s};
    int rc = wlt_write_launch(t->wlt, &f.source, e);
    if (f.have_ahead) s->release(s, &f.ahead);
    return rc;
}

static void say_changes(const struct accel_changes *c, trace_say *say, void *arg)
{
    char text[200];
    const struct {
        uint64_t n;
        const char *what;
    } rows[] = {{c->latencies, "instructions have a latency class that no machine instruction has"},
                {c->spaces, "parameter, texture or read-only loads are written as constant or global loads"},
                {c->registers, "instructions name more registers than a line can hold"},
                {c->widths, "accesses have a width that is written as 4 bytes"},
                {c->shared_registers, "registers share 255 names"}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].n) continue;
        snprintf(text, sizeof text, "%" PRIu64 " %s: for other programs; here they are read as they were", rows[i].n,
                 rows[i].what);
        say(arg, text, false);
    }
}

static int copy_all(struct trace_reader *r, struct target *t, struct wl_err *e)
{
    struct wlt_item item;
    int got, rc = 0;
    while (!rc && (got = trace_next(r, &item, e)) != 0) {
        if (got < 0) return -got;
        if (item.kind == WLT_COPY) target_copy(t, item.addr, item.bytes);
        else rc = target_launch(t, &item, e);
    }
    return rc;
}

int trace_convert(const char *from, const char *to, struct wlt_totals *out, trace_say *say, void *arg, struct wl_err *e)
{
    struct target t;
    struct accel_changes changes = {0};
    struct trace_reader *r = trace_open(from, e);
    if (!r) return (int)e->code;
    int rc = target_open(&t, to, trace_header(r), e);
    if (!rc) {
        rc = copy_all(r, &t, e);
        rc = t.wlt ? wlt_finish(t.wlt, rc, out, e) : accel_finish(t.accel, rc, out, &changes, e);
    }
    if (!rc && say) {
        trace_warnings(r, say, arg);
        say_changes(&changes, say, arg);
    }
    trace_close(r);
    return rc;
}
