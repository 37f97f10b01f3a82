/* wlt_write.c - saves a program's launches as a trace.
 *
 * Records go through one buffer into zstd and from there to the file; nothing is kept but the
 * code tables, so that an equal one is not written again. Tables are compared by their bytes, not
 * by address: a program may unload a module and load another one in its place.
 *
 * A trace without its end record is refused by the reader, and the file gets its name when it is
 * whole (base/out_file.h): there is no half trace to be mistaken for a whole one. */
#include "trace/wlt/wlt_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/out_file.h"
#include "base/text.h"

enum { LEVEL = 3, PENDING_BYTES = 128 * 1024 };

struct wlt_table {
    uint64_t hash;
    struct wlt_bytes text; /* its record, as written */
};

struct wlt_writer {
    char *name;
    struct out_file out;
    ZSTD_CCtx *z;
    uint8_t *packed;
    size_t packed_cap;
    struct wlt_bytes pending; /* records not yet compressed */
    struct wlt_table *table;
    unsigned tables, tables_cap;
    uint64_t insts, blocks, loops; /* in all tables */
    struct wlt_totals totals;
    struct wl_err err; /* the first failure; code 0: none */
};

/* ---- bytes ---- */

static bool reserve(struct wlt_bytes *b, size_t n)
{
    if (b->failed) return false;
    if (b->cap - b->size >= n) return true;
    size_t cap = b->cap ? b->cap : 1024;
    while (cap - b->size < n) cap *= 2;
    uint8_t *p = realloc(b->data, cap);
    if (!p) return !(b->failed = true);
    b->data = p;
    b->cap = cap;
    return true;
}

static void put(struct wlt_bytes *b, const void *data, size_t n)
{
    if (!n || !reserve(b, n)) return;
    memcpy(b->data + b->size, data, n);
    b->size += n;
}

void wlt_put_u8(struct wlt_bytes *b, uint8_t v) { put(b, &v, 1); }

void wlt_put_varint(struct wlt_bytes *b, uint64_t v)
{
    uint8_t text[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) text[n++] = (uint8_t)(v | 0x80);
    text[n++] = (uint8_t)v;
    put(b, text, n);
}

static void put_fixed(struct wlt_bytes *b, uint64_t v, unsigned size)
{
    for (unsigned i = 0; i < size; i++) wlt_put_u8(b, (uint8_t)(v >> (8 * i)));
}

void wlt_put_text(struct wlt_bytes *b, const char *s, size_t longest)
{
    size_t n = strnlen(s, longest);
    wlt_put_varint(b, n);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        wlt_put_u8(b, c < 0x20 || c == 0x7f ? '?' : c);
    }
}

static void put_loop_ref(struct wlt_bytes *b, uint16_t loop)
{
    wlt_put_varint(b, loop == CODE_NO_LOOP ? 0 : loop + UINT64_C(1));
}

/* ---- to the file ---- */

static void no_memory(struct wlt_writer *w)
{
    if (!w->err.code) wl_fail(&w->err, WL_ERUN, "cannot write %.1000s: out of memory", w->name);
}

static void write_file(struct wlt_writer *w, const void *data, size_t n)
{
    if (w->err.code || !n) return;
    errno = 0;
    if (fwrite(data, 1, n, w->out.file) == n) w->totals.file_bytes += n;
    else wl_fail(&w->err, WL_ERUN, "cannot write %.1000s: %s", w->name, errno ? strerror(errno) : "the disk is full");
}

static void compress(struct wlt_writer *w, const void *data, size_t n, ZSTD_EndDirective mode)
{
    ZSTD_inBuffer from = {data, n, 0};
    w->totals.content_bytes += n;
    size_t left;
    do {
        if (w->err.code) return;
        ZSTD_outBuffer to = {w->packed, w->packed_cap, 0};
        left = ZSTD_compressStream2(w->z, &to, &from, mode);
        if (ZSTD_isError(left)) {
            wl_fail(&w->err, WL_ERUN, "cannot compress %.1000s: %s", w->name, ZSTD_getErrorName(left));
            return;
        }
        write_file(w, w->packed, to.pos);
    } while (mode == ZSTD_e_end ? left != 0 : from.pos != from.size);
}

/* Sends what is pending on its way when there is enough of it. */
static void flush(struct wlt_writer *w, size_t at_least)
{
    if (w->pending.failed) no_memory(w);
    if (w->pending.size < at_least) return;
    compress(w, w->pending.data, w->pending.size, ZSTD_e_continue);
    w->pending.size = 0;
}

static int report(const struct wlt_writer *w, struct wl_err *e)
{
    if (w->err.code && e) *e = w->err;
    return (int)w->err.code;
}

/* ---- code tables ---- */

static void put_code(struct wlt_bytes *b, const struct code *c)
{
    wlt_put_u8(b, c->machine ? WLT_TAG_MACHINE : WLT_TAG_CODE);
    wlt_put_varint(b, c->nregs);
    wlt_put_varint(b, code_listed(c));
    wlt_put_varint(b, c->nblock);
    wlt_put_varint(b, c->nloop);
    for (uint32_t i = 0; i < c->nloop; i++) {
        put_loop_ref(b, c->loop[i].parent);
        wlt_put_varint(b, c->loop[i].depth);
    }
    for (uint32_t i = 0; i < c->nblock; i++) {
        wlt_put_varint(b, c->block[i].first);
        wlt_put_varint(b, c->block[i].count);
        put_loop_ref(b, c->block[i].loop);
    }
    for (uint32_t i = 0; i < code_listed(c); i++) {
        const struct code_inst *in = &c->inst[i];
        const uint8_t lat = (uint8_t)(in->lat | in->old << WLT_LAT_BITS);
        const uint8_t width = (uint8_t)(in->width | in->element << WLT_WIDTH_BITS);
        const uint8_t flags = (uint8_t)(in->guarded | in->async << 1);
        const uint8_t fixed[] = {in->kind, lat, in->space, in->cache_op, width, flags, in->ndst, in->nsrc};
        wlt_put_varint(b, in->pc);
        put(b, fixed, sizeof fixed);
        for (unsigned r = 0; r < (unsigned)in->ndst + in->nsrc; r++) wlt_put_varint(b, in->reg[r]);
        put_loop_ref(b, in->loop);
    }
}

/* The number of the table with the same content as this one; writes the table if it is new. */
static unsigned table_number(struct wlt_writer *w, const struct code *c)
{
    struct wlt_bytes text = {0};
    put_code(&text, c);
    wlt_put_origins(&text, c);
    uint64_t hash = text.failed ? 0 : hash_bytes(WL_HASH_INIT, text.data, text.size);
    for (unsigned i = w->tables; i-- > 0 && !text.failed;) { /* the latest first */
        const struct wlt_table *t = &w->table[i];
        if (t->hash != hash || t->text.size != text.size || memcmp(t->text.data, text.data, text.size) != 0) continue;
        free(text.data);
        return i;
    }
    if (!text.failed && w->tables == w->tables_cap) {
        unsigned cap = w->tables_cap ? 2 * w->tables_cap : 16;
        struct wlt_table *p = realloc(w->table, cap * sizeof *p);
        if (p) w->table = p, w->tables_cap = cap;
    }
    if (text.failed || w->tables == w->tables_cap) {
        free(text.data);
        no_memory(w);
        return 0;
    }
    put(&w->pending, text.data, text.size);
    w->table[w->tables] = (struct wlt_table){hash, text};
    w->insts += c->ninst;
    w->blocks += c->nblock;
    w->loops += c->nloop;
    if (w->tables >= WLT_MAX_TABLES || w->insts > WLT_MAX_INSTS || w->blocks > WLT_MAX_BLOCKS ||
        w->loops > WLT_MAX_LOOPS)
        if (!w->err.code) wl_fail(&w->err, WL_ERUN, "cannot write %.1000s: the program has too much code", w->name);
    return w->tables++;
}

/* ---- records ---- */

void wlt_write_copy(struct wlt_writer *w, uint64_t addr, uint64_t bytes)
{
    for (uint64_t left = bytes, n; left; left -= n, addr += n) { /* a record has a largest size */
        n = left < WLT_MAX_COPY_BYTES ? left : WLT_MAX_COPY_BYTES;
        wlt_put_u8(&w->pending, WLT_TAG_COPY);
        wlt_put_varint(&w->pending, addr);
        wlt_put_varint(&w->pending, n);
        w->totals.copies++;
    }
    w->totals.copy_bytes += bytes;
    flush(w, PENDING_BYTES);
}

void wlt_write_stream(struct wlt_writer *w, uint64_t stream)
{
    wlt_put_u8(&w->pending, WLT_TAG_STREAM);
    wlt_put_varint(&w->pending, stream);
}

static void put_launch(struct wlt_writer *w, const struct launch_info *i, unsigned table)
{
    struct wlt_bytes *b = &w->pending;
    if (i->cluster[0]) {
        wlt_put_u8(b, WLT_TAG_CLUSTER);
        for (unsigned d = 0; d < 3; d++) wlt_put_varint(b, i->cluster[d]);
    }
    wlt_put_u8(b, WLT_TAG_LAUNCH);
    wlt_put_varint(b, table);
    wlt_put_text(b, i->kernel, SIZE_MAX);
    for (unsigned d = 0; d < 3; d++) wlt_put_varint(b, i->grid[d]);
    for (unsigned d = 0; d < 3; d++) wlt_put_varint(b, i->block[d]);
    wlt_put_varint(b, i->regs_per_thread);
    wlt_put_varint(b, i->shared_bytes);
    w->totals.launches++;
}

static void write_cta(struct wlt_writer *w, const struct launch_info *info, const struct cta_stream *c,
                      struct wlt_counts *n)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) size += c->warp[i].size;
    if (size > WLT_MAX_CTA_BYTES && !w->err.code)
        wl_fail(&w->err, WL_ERUN,
                "kernel %s: CTA %u has %" PRIu64 " bytes of instructions; a trace holds at most %" PRIu64, info->kernel,
                c->cta, size, WLT_MAX_CTA_BYTES);
    wlt_put_u8(&w->pending, WLT_TAG_CTA);
    wlt_put_varint(&w->pending, c->cta);
    for (uint32_t i = 0; i < c->nwarps && !w->err.code; i++) {
        wlt_put_varint(&w->pending, c->warp[i].size);
        flush(w, 0); /* streams are compressed where they lie */
        compress(w, c->warp[i].data, c->warp[i].size, ZSTD_e_continue);
        if (!wlt_count(info->code, c->warp[i], n) && !w->err.code)
            wl_fail(&w->err, WL_ERUN, "kernel %s: CTA %u, warp %u has an address outside of any memory", info->kernel,
                    c->cta, i);
    }
    w->totals.ctas++;
    w->totals.warps += c->nwarps;
    w->totals.stream_bytes += size;
}

static void end_launch(struct wlt_writer *w, const struct launch_info *info, struct wlt_counts n)
{
    wlt_put_u8(&w->pending, WLT_TAG_END_LAUNCH);
    wlt_put_varint(&w->pending, info->ctas);
    wlt_put_varint(&w->pending, n.warp_instructions);
    wlt_put_varint(&w->pending, n.thread_instructions);
    w->totals.counts.warp_instructions += n.warp_instructions;
    w->totals.counts.thread_instructions += n.thread_instructions;
    flush(w, PENDING_BYTES);
}

int wlt_write_launch(struct wlt_writer *w, struct stream_source *s, struct wl_err *e)
{
    struct launch_info shape = *s->info; /* the check fills derived fields */
    struct wlt_counts n = {0};
    struct cta_stream cta;
    int got = 0;
    if (!w->err.code && !wlt_check_code(shape.code, &w->err) && !wlt_check_launch(&shape, &w->err))
        put_launch(w, &shape, table_number(w, shape.code));
    while (!w->err.code && (got = s->next(s, &cta, e)) > 0) {
        write_cta(w, &shape, &cta, &n);
        s->release(s, &cta);
    }
    if (got < 0) { /* the program failed, not the trace: *e has its words */
        if (!w->err.code) wl_fail(&w->err, WL_ERUN, "the recording of %.1000s was broken off", w->name);
        return -got;
    }
    end_launch(w, &shape, n);
    return report(w, e);
}

/* ---- beginning and end ---- */

static void put_header(struct wlt_writer *w, const struct wlt_header *h)
{
    struct wlt_bytes *b = &w->pending;
    wlt_put_u8(b, WLT_TAG_HEADER);
    wlt_put_text(b, h->workload, SIZE_MAX);
    wlt_put_text(b, h->size, SIZE_MAX);
    wlt_put_text(b, h->inputs, SIZE_MAX);
    wlt_put_varint(b, h->seed);
    put_fixed(b, h->workload_hash, 8);
}

static void free_writer(struct wlt_writer *w)
{
    for (unsigned i = 0; i < w->tables; i++) free(w->table[i].text.data);
    free(w->table);
    free(w->pending.data);
    free(w->packed);
    free(w->name);
    ZSTD_freeCCtx(w->z);
    free(w);
}

static int set_up(struct wlt_writer *w, const char *file)
{
    w->name = strdup(file);
    w->z = ZSTD_createCCtx();
    w->packed_cap = ZSTD_CStreamOutSize();
    w->packed = malloc(w->packed_cap);
    if (!w->name || !w->z || !w->packed) return -1;
    size_t bad = ZSTD_CCtx_setParameter(w->z, ZSTD_c_compressionLevel, LEVEL);
    if (!ZSTD_isError(bad)) bad = ZSTD_CCtx_setParameter(w->z, ZSTD_c_checksumFlag, 1);
    return ZSTD_isError(bad) ? -1 : 0;
}

struct wlt_writer *wlt_create(const char *file, const struct wlt_header *h, struct wl_err *e)
{
    struct wlt_writer *w = calloc(1, sizeof *w);
    if (!w || set_up(w, file)) {
        wl_fail(e, WL_ERUN, "out of memory");
        if (w) free_writer(w);
        return NULL;
    }
    if (out_file_open(&w->out, w->name, e)) {
        free_writer(w);
        return NULL;
    }
    /* The pieces are large already. And a buffer would be written twice by a program that forks. */
    setvbuf(w->out.file, NULL, _IONBF, 0);
    uint8_t prefix[WLT_PREFIX_BYTES] = WLT_MAGIC;
    prefix[WLT_MAGIC_BYTES] = WLT_VERSION;
    write_file(w, prefix, sizeof prefix);
    put_header(w, h);
    return w;
}

const char *wlt_part(const struct wlt_writer *w) { return w->out.temp; }

/* The end record, and everything to the file. */
static int end_trace(struct wlt_writer *w, struct wl_err *e)
{
    wlt_put_u8(&w->pending, WLT_TAG_END);
    wlt_put_varint(&w->pending, w->totals.launches);
    wlt_put_varint(&w->pending, w->totals.copies);
    flush(w, 0);
    compress(w, NULL, 0, ZSTD_e_end);
    return report(w, e);
}

int wlt_finish(struct wlt_writer *w, int rc, struct wlt_totals *totals, struct wl_err *e)
{
    if (!w) return rc;
    if (!rc) rc = end_trace(w, e);
    rc = out_file_close(&w->out, rc, e);
    if (totals) *totals = w->totals;
    free_writer(w);
    return rc;
}

int wlt_finish_new(struct wlt_writer *w, char *name, size_t size, struct wlt_totals *totals, struct wl_err *e)
{
    int rc = end_trace(w, e), stem = (int)strlen(w->name) - (text_ends_with(w->name, ".wlt") ? 4 : 0);
    snprintf(name, size, "%s", w->name);
    bool taken = !rc;
    for (unsigned i = 2; taken && !rc; i++) {
        rc = out_file_close_new(&w->out, &taken, e);
        if (rc || !taken) break;
        snprintf(name, size, "%.*s.%u.wlt", stem, w->name, i);
        rc = out_file_rename(&w->out, name, e);
    }
    out_file_close(&w->out, rc, e); /* not open any more, or broken */
    *totals = w->totals;
    free_writer(w);
    return rc;
}
