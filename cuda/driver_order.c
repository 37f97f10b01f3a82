#include "cuda/driver_order.h"

#include <stdlib.h>

#include "cuda/driver_work.h"

/* ---- sets ---- */

void set_free(struct work_set *s)
{
    free(s->number);
    *s = (struct work_set){0};
}

/* Work that has ended is forgotten. */
static void set_prune(const struct driver *d, struct work_set *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (!session_has_ended(d->session, s->number[i])) s->number[n++] = s->number[i];
    s->count = n;
}

/* Without memory for the set everything runs now: then nothing is left to wait for. */
static void set_add(struct driver *d, struct work_set *s, uint64_t number)
{
    if (!number || session_has_ended(d->session, number)) return;
    for (unsigned i = 0; i < s->count; i++)
        if (s->number[i] == number) return;
    if (s->count == s->cap) set_prune(d, s);
    if (s->count == s->cap) {
        unsigned cap = s->cap ? 2 * s->cap : 8;
        uint64_t *p = realloc(s->number, cap * sizeof *p);
        if (!p) {
            order_host_all(d);
            return;
        }
        s->number = p;
        s->cap = cap;
    }
    s->number[s->count++] = number;
}

static void set_join(struct driver *d, struct work_set *to, const struct work_set *from)
{
    for (unsigned i = 0; i < from->count; i++) set_add(d, to, from->number[i]);
}

/* ---- streams ---- */

/* Whether the stream and the default stream wait for one another. */
static bool is_blocking(const struct CUstream_st *s) { return !(s->flags & CU_STREAM_NON_BLOCKING); }

static void join_blocking(struct driver *d, struct work_set *to)
{
    set_join(d, to, &d->orphans);
    for (const struct object *o = d->objects; o; o = o->next) {
        const struct CUstream_st *s = (const void *)o;
        if (o->kind == OBJECT_STREAM && is_blocking(s)) set_join(d, to, &s->last);
    }
}

/* What work of the stream waits for if it is added now. */
static void join_stream(struct driver *d, const struct CUstream_st *s, struct work_set *to)
{
    set_join(d, to, &d->host);
    if (s == d->legacy) join_blocking(d, to);
    else set_join(d, to, &s->last);
    if (s != d->legacy && is_blocking(s) && d->legacy) set_join(d, to, &d->legacy->last);
}

/* ---- work ---- */

void order_begin(struct driver *d, const struct CUstream_st *s, struct work_order *o)
{
    *o = (struct work_order){.outer = d->doing, .stream = s->id, .priority = s->priority};
    o->kept = session_orders(d->session) && (s != d->legacy || d->free_streams);
    if (o->kept) join_stream(d, s, &o->after);
    else order_host_all(d); /* all that waits is before it, and all that comes is after it */
    d->doing = o;
}

/* What the next work waits for: what it became, or what it waited for itself. */
static struct work_set what_is_left(struct work_order *o)
{
    set_free(o->done.count ? &o->after : &o->done);
    return o->done.count ? o->done : o->after;
}

void order_end(struct driver *d, struct CUstream_st *s, struct work_order *o)
{
    d->doing = o->outer;
    struct work_set over = what_is_left(o);
    if (!s) {
        set_free(&over);
        return;
    }
    set_free(&s->last);
    s->last = over;
}

void order_node_begin(struct driver *d, struct work_order *o, const struct work_set *const *after, unsigned afters)
{
    *o = (struct work_order){
        .outer = d->doing, .kept = d->doing->kept, .stream = d->doing->stream, .priority = d->doing->priority};
    if (!afters) set_join(d, &o->after, &d->doing->after);
    for (unsigned i = 0; i < afters; i++) set_join(d, &o->after, after[i]);
    d->doing = o;
}

void order_node_end(struct driver *d, struct work_order *o, struct work_set *over)
{
    d->doing = o->outer;
    set_free(over);
    *over = what_is_left(o);
    set_join(d, &d->doing->done, over);
}

void order_became(struct driver *d, uint64_t number)
{
    if (d->doing) set_add(d, &d->doing->done, number);
}

int order_copied(struct driver *d, uint64_t addr, uint64_t bytes)
{
    uint64_t number;
    if (!d->doing || !d->doing->kept) {
        session_host_copy(d->session, addr, bytes);
        return 0;
    }
    struct launch_order o = {
        .stream = d->doing->stream, .after = d->doing->after.number, .afters = d->doing->after.count};
    int rc = session_copy_after(d->session, addr, bytes, &o, &number, session_error(d->session));
    order_became(d, number);
    return rc;
}

/* ---- events ---- */

void order_event(struct driver *d, const struct CUstream_st *s, struct work_set *out)
{
    set_free(out);
    if (!session_orders(d->session)) return;
    if (d->doing) set_join(d, out, &d->doing->after);
    else join_stream(d, s, out);
    if (!d->doing && s == d->legacy) set_join(d, &d->legacy->last, out); /* all streams wait for it */
}

void order_wait_event(struct driver *d, struct CUstream_st *s, const struct work_set *event)
{
    set_join(d, &s->last, event);
}

/* ---- the host waits ---- */

void order_host_all(struct driver *d)
{
    set_free(&d->host);
    set_free(&d->orphans);
    if (session_waits(d->session)) driver_flush(d);
}

/* When the host has waited for all there is, nothing can come that runs at the same time. */
static void settle(struct driver *d)
{
    if (session_waits(d->session) && session_covers(d->session, d->host.number, d->host.count)) order_host_all(d);
}

void order_host_set(struct driver *d, const struct work_set *set)
{
    set_join(d, &d->host, set);
    settle(d);
}

void order_host_stream(struct driver *d, const struct CUstream_st *s)
{
    if (s == d->legacy) join_blocking(d, &d->host);
    set_join(d, &d->host, &s->last);
    settle(d);
}

void order_host_default(struct driver *d)
{
    if (d->doing || !session_waits(d->session)) return;
    if (!d->free_streams) {
        order_host_all(d);
        return;
    }
    join_blocking(d, &d->host);
    if (d->legacy) set_join(d, &d->host, &d->legacy->last);
    settle(d);
}

void order_orphan(struct driver *d, struct CUstream_st *s)
{
    if (is_blocking(s)) set_join(d, &d->orphans, &s->last);
    else d->free_streams--;
    set_free(&s->last);
}

void order_free(struct driver *d)
{
    set_free(&d->host);
    set_free(&d->orphans);
}
