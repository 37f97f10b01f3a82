#include "sim/kept.h"

#include <stdlib.h>
#include <string.h>

/* A CTA with all its streams whole has no owner: its bytes are in chunks. */
struct kept_cta {
    struct cta_stream *stream;
    struct exec_counts counts;
};

enum { CHUNK_BYTES = 1 << 20, RETAINED_BYTES = 16384 /* per warp, about */ };
struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(16) uint8_t data[];
};

struct kept {
    struct stream_source source; /* first: the source is the launch */
    struct launch_info info;
    struct code code;
    struct kept_from from; /* its source is NULL when nothing is needed of it any more */
    struct kept_cta *cta;
    uint32_t count, cap, given;
    uint32_t retained; /* CTAs that stayed with the source and were not released */
    bool whole;
    uint64_t bytes;
    struct chunk *chunks;
    struct exec_counts executed, handed_out;
};

struct stream_source *kept_source(struct kept *k) { return &k->source; }
bool kept_whole(const struct kept *k) { return k->whole; }
uint64_t kept_bytes(const struct kept *k) { return k->bytes; }
uint32_t kept_ctas(const struct kept *k) { return k->whole ? k->count : k->info.ctas; }
struct exec_counts kept_executed(const struct kept *k) { return k->executed; }
struct exec_counts kept_handed_out(const struct kept *k) { return k->handed_out; }

/* ---- memory ---- */

static void *take_bytes(struct kept *k, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    struct chunk *c = k->chunks;
    if (!c || c->size - c->used < n) {
        size_t size = n > CHUNK_BYTES ? n : CHUNK_BYTES;
        if (!(c = malloc(sizeof *c + size))) return NULL;
        *c = (struct chunk){.next = k->chunks, .size = size};
        k->chunks = c;
        k->bytes += size;
    }
    void *p = c->data + c->used;
    c->used += n;
    return p;
}

static const void *copy_bytes(struct kept *k, const void *data, size_t n, bool *ok)
{
    if (!data || !n) return data;
    void *p = take_bytes(k, n);
    if (p) memcpy(p, data, n);
    else *ok = false;
    return p;
}

static bool copy_code(struct kept *k)
{
    const struct code *c = k->info.code;
    bool ok = true;
    k->code = *c;
    k->code.inst = copy_bytes(k, c->inst, c->ninst * sizeof *c->inst, &ok);
    k->code.block = copy_bytes(k, c->block, c->nblock * sizeof *c->block, &ok);
    k->code.loop = copy_bytes(k, c->loop, c->nloop * sizeof *c->loop, &ok);
    k->code.origin = copy_bytes(k, c->origin, code_listed(c) * sizeof *c->origin, &ok);
    k->info.code = &k->code;
    return ok;
}

/* ---- taking ---- */

static struct exec_counts minus(struct exec_counts a, struct exec_counts b)
{
    a.warp_instructions -= b.warp_instructions;
    a.thread_instructions -= b.thread_instructions;
    return a;
}

static void add(struct exec_counts *to, struct exec_counts n)
{
    to->warp_instructions += n.warp_instructions;
    to->thread_instructions += n.thread_instructions;
}

/* The next CTA of the source, with its instructions. */
static int take(struct kept *k, struct cta_stream *cta, struct exec_counts *counts, struct wl_err *e)
{
    struct stream_source *s = k->from.source;
    struct exec_counts before = k->from.counts(k->from.arg);
    int got = s->next(s, cta, e);
    *counts = minus(k->from.counts(k->from.arg), before);
    if (got > 0) add(&k->executed, *counts);
    if (got == 0 && k->from.executed) k->from.executed(s, k->from.hears);
    if (got == 0) k->from.executed = NULL;
    return got;
}

/* A stream without a byte that is not over comes in slices. */
static bool is_sliced(const struct kept *k, const struct cta_stream *cta)
{
    for (uint32_t i = 0; k->from.source->more && i < cta->nwarps; i++)
        if (!cta->warp[i].size) return true;
    return false;
}

static bool keep(struct kept *k, struct cta_stream *cta, struct exec_counts counts)
{
    if (k->count == k->cap) {
        uint32_t cap = k->cap ? 2 * k->cap : 64;
        struct kept_cta *p = realloc(k->cta, cap * sizeof *p);
        if (!p) return false;
        k->cta = p;
        k->cap = cap;
    }
    struct cta_stream *copy = take_bytes(k, sizeof *copy);
    if (!copy) return false;
    *copy = *cta;
    k->cta[k->count++] = (struct kept_cta){copy, counts};
    if (is_sliced(k, cta)) {
        k->retained++;
        k->bytes += cta->nwarps * (uint64_t)RETAINED_BYTES;
        return true;
    }
    bool ok = true;
    for (uint32_t i = 0; i < cta->nwarps; i++)
        copy->warp[i].data = copy_bytes(k, cta->warp[i].data, cta->warp[i].size, &ok);
    copy->owner = NULL;
    k->from.source->release(k->from.source, cta);
    return ok;
}

static void let_go(struct kept *k)
{
    if (k->from.source && k->from.close) k->from.close(k->from.source);
    k->from.source = NULL;
}

static int take_all(struct kept *k, uint64_t limit, struct wl_err *e)
{
    struct cta_stream cta;
    struct exec_counts counts;
    int got = 1;
    while (k->bytes < limit && (got = take(k, &cta, &counts, e)) > 0)
        if (!keep(k, &cta, counts)) return wl_no_memory(e);
    if (got < 0) return e->code ? (int)e->code : WL_ERUN;
    k->whole = got == 0;
    if (k->whole && !k->retained) let_go(k);
    return 0;
}

/* ---- the source ---- */

static int kept_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct kept *k = (struct kept *)s;
    if (k->given < k->count) {
        const struct kept_cta *c = &k->cta[k->given++];
        *out = *c->stream;
        add(&k->handed_out, c->counts);
        return 1;
    }
    if (k->whole) return 0;
    struct exec_counts counts;
    int got = take(k, out, &counts, e);
    if (got > 0) add(&k->handed_out, counts);
    return got;
}

static void kept_release(struct stream_source *s, struct cta_stream *cta)
{
    struct kept *k = (struct kept *)s;
    if (cta->owner) k->from.source->release(k->from.source, cta);
}

static int kept_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out)
{
    struct kept *k = (struct kept *)s;
    return cta->owner ? k->from.source->more(k->from.source, cta, warp, out) : 0;
}

struct kept *kept_new(const struct kept_from *from, uint64_t limit, struct wl_err *e)
{
    struct kept *k = calloc(1, sizeof *k);
    if (!k) {
        if (from->close) from->close(from->source);
        wl_no_memory(e);
        return NULL;
    }
    k->from = *from;
    k->info = *from->source->info;
    k->source = (struct stream_source){.info = &k->info, .next = kept_next, .release = kept_release};
    if (from->source->more) k->source.more = kept_more;
    int bad = from->fleeting && !copy_code(k) ? wl_no_memory(e) : take_all(k, limit, e);
    if (!bad) return k;
    kept_free(k);
    return NULL;
}

void kept_free(struct kept *k)
{
    if (!k) return;
    let_go(k);
    for (struct chunk *c = k->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(k->cta);
    free(k);
}
