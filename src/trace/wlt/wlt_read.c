/* wlt_read.c - a trace as the things a program did: copies and launches.
 *
 * A launch is handed out as a stream source that reads its CTAs from the file when they are asked
 * for. A CTA's streams lie one behind another in one buffer, which goes back to a free list when
 * the CTA is released: there are never more buffers than CTAs were alive at once. Each stream is
 * checked and its instructions are counted before anybody sees it; the end of the launch must
 * confirm the sum, so that a record that went missing is noticed even in a well-formed file. */
#include "trace/cta_bufs.h"
#include "trace/wlt/wlt_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct wlt_reader {
    struct stream_source source; /* first: the source is the reader */
    struct wlt_in in;
    struct wlt_header header;
    struct launch_info info;
    struct code **table;
    unsigned tables, tables_cap;
    uint64_t insts, blocks, loops; /* in all tables */
    struct arena words;            /* where the instructions of the tables were written */
    struct cta_bufs bufs;
    bool in_launch, over;
    bool named;          /* wlt_keep_named */
    uint64_t stream;     /* of the next launch; 0: not given */
    uint32_t cluster[3]; /* of the next launch; 0: none */
    uint32_t next_cta;
    struct wlt_counts counts; /* of this launch */
    struct wlt_totals totals;
};

static int report(const struct wlt_reader *r, struct wl_err *e)
{
    if (e) *e = r->in.err;
    return -(int)r->in.err.code;
}

static enum wlt_tag next_record(struct wlt_reader *r, const char *what)
{
    r->in.what = what;
    uint8_t tag = wlt_u8(&r->in);
    if (r->in.failed) return WLT_TAG_END;
    return (enum wlt_tag)tag;
}

/* ---- the CTAs of a launch ---- */

static struct cta_buf *take_buf(struct wlt_reader *r)
{
    struct cta_buf *b = cta_buf_take(&r->bufs);
    if (!b) wlt_in_no_memory(&r->in);
    return b;
}

/* Appends n bytes of the content. The buffer grows with what has arrived, not with what a
 * damaged length promises. */
static void append(struct wlt_in *in, struct cta_buf *b, size_t at, size_t n)
{
    while (n && !in->failed) {
        const uint8_t *data;
        size_t got = wlt_piece(in, n, &data);
        if (!in->failed && !cta_buf_put(b, at, data, got)) wlt_in_no_memory(in);
        at += got;
        n -= got;
    }
}

static void check_warp(struct wlt_reader *r, unsigned warp, struct warp_stream s)
{
    struct wl_err why;
    if (stream_check(r->info.code, s, &why))
        wlt_in_fail(&r->in, "CTA %u, warp %u: %.300s", r->next_cta, warp, why.text);
    if (!r->in.failed && !wlt_count(r->info.code, s, &r->counts))
        wlt_in_fail(&r->in, "CTA %u, warp %u has an address outside of any memory", r->next_cta, warp);
}

static void read_cta(struct wlt_reader *r, struct cta_buf *b, struct cta_stream *out)
{
    struct wlt_in *in = &r->in;
    size_t start[CTA_MAX_WARPS + 1] = {0};
    uint64_t id = wlt_varint(in, UINT32_MAX, "a CTA's id");
    uint32_t due = launch_nth(&r->info, r->next_cta);
    if (!in->failed && id != due) wlt_in_fail(in, "CTA %" PRIu64 " stands where CTA %u is due", id, due);
    uint32_t n = r->info.warps_per_cta;
    for (uint32_t w = 0; w < n && !in->failed; w++) {
        size_t size = (size_t)wlt_varint(in, WLT_MAX_CTA_BYTES - start[w], "the size of a warp's stream");
        append(in, b, start[w], size);
        start[w + 1] = start[w] + size;
    }
    *out = (struct cta_stream){.cta = launch_nth(&r->info, r->next_cta), .nwarps = n, .owner = b};
    for (uint32_t w = 0; w < n && !in->failed; w++) { /* only now does the buffer stay where it is */
        out->warp[w] = warp_part(b->data, start[w], start[w + 1]);
        check_warp(r, w, out->warp[w]);
    }
    r->totals.stream_bytes += start[n];
}

static void expect(struct wlt_in *in, uint64_t wanted, const char *field)
{
    uint64_t got = wlt_varint(in, UINT64_MAX, field);
    if (!in->failed && got != wanted)
        wlt_in_fail(in, "%s is %" PRIu64 ", but %" PRIu64 " were read", field, got, wanted);
}

static int end_launch(struct wlt_reader *r, struct wl_err *e)
{
    struct wlt_in *in = &r->in;
    enum wlt_tag tag = next_record(r, "end of launch");
    if (!in->failed && tag != WLT_TAG_END_LAUNCH)
        wlt_in_fail(in, "the launch of %s has all its %u CTAs; its end is due, not tag %u", r->info.kernel,
                    r->info.ctas, (unsigned)tag);
    expect(in, r->info.ctas, "the number of CTAs");
    expect(in, r->counts.warp_instructions, "the number of warp instructions");
    expect(in, r->counts.thread_instructions, "the number of thread instructions");
    if (in->failed) return report(r, e);
    in->record++;
    r->in_launch = false;
    r->totals.counts.warp_instructions += r->counts.warp_instructions;
    r->totals.counts.thread_instructions += r->counts.thread_instructions;
    return 0;
}

static int source_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct wlt_reader *r = (struct wlt_reader *)s;
    struct wlt_in *in = &r->in;
    if (in->failed) return report(r, e);
    if (!r->in_launch) return 0;
    if (r->next_cta == r->info.ctas) return end_launch(r, e);
    enum wlt_tag tag = next_record(r, "CTA");
    if (!in->failed && tag != WLT_TAG_CTA)
        wlt_in_fail(in, "CTA %u of %u of kernel %s is due, not tag %u", r->next_cta, r->info.ctas, r->info.kernel,
                    (unsigned)tag);
    struct cta_buf *b = in->failed ? NULL : take_buf(r);
    if (b) read_cta(r, b, out);
    if (in->failed || !b) {
        if (b) cta_buf_give(&r->bufs, b);
        return report(r, e);
    }
    in->record++;
    r->next_cta++;
    r->totals.ctas++;
    r->totals.warps += out->nwarps;
    return 1;
}

static void source_release(struct stream_source *s, struct cta_stream *c)
{
    if (c->owner) cta_buf_give(&((struct wlt_reader *)s)->bufs, c->owner);
    c->owner = NULL;
}

/* ---- between launches ---- */

void wlt_keep_named(struct wlt_reader *r) { r->named = true; }

static void read_code_record(struct wlt_reader *r, bool machine)
{
    struct wlt_in *in = &r->in;
    if (r->tables == r->tables_cap) {
        unsigned cap = r->tables_cap ? 2 * r->tables_cap : 16;
        struct code **p = realloc(r->table, cap * sizeof *p);
        if (!p) {
            wlt_in_no_memory(in);
            return;
        }
        r->table = p;
        r->tables_cap = cap;
    }
    struct code *c = wlt_read_code(in, machine);
    if (!c) return;
    if (r->named && machine) code_keep_named((struct code_inst *)c->inst, c->ninst);
    r->table[r->tables++] = c;
    r->insts += c->ninst;
    r->blocks += c->nblock;
    r->loops += c->nloop;
    if (r->tables > WLT_MAX_TABLES || r->insts > WLT_MAX_INSTS || r->blocks > WLT_MAX_BLOCKS ||
        r->loops > WLT_MAX_LOOPS)
        wlt_in_fail(in, "the code tables together are too large");
}

static void read_origin_record(struct wlt_reader *r)
{
    struct code *c = r->tables ? r->table[r->tables - 1] : NULL;
    if (!c || c->origin) wlt_in_fail(&r->in, "it follows no code table");
    else wlt_read_origins(&r->in, c, &r->words);
}

static void read_launch_record(struct wlt_reader *r, struct wlt_item *out)
{
    struct wlt_in *in = &r->in;
    struct launch_info *i = &r->info;
    struct wl_err why;
    *i = (struct launch_info){0};
    memcpy(i->cluster, r->cluster, sizeof i->cluster);
    memset(r->cluster, 0, sizeof r->cluster);
    uint64_t number = wlt_varint(in, WLT_MAX_TABLES, "the number of a code table");
    if (!in->failed && number >= r->tables)
        wlt_in_fail(in, "code table %" PRIu64 " is asked for, but %u were given", number, r->tables);
    wlt_text(in, i->kernel, sizeof i->kernel, "the kernel's name");
    if (!in->failed && !*i->kernel) wlt_in_fail(in, "the kernel has no name");
    for (unsigned d = 0; d < 3; d++) i->grid[d] = (uint32_t)wlt_varint(in, UINT32_MAX, "a grid dimension");
    for (unsigned d = 0; d < 3; d++) i->block[d] = (uint32_t)wlt_varint(in, UINT32_MAX, "a block dimension");
    i->regs_per_thread = (uint32_t)wlt_varint(in, UINT32_MAX, "the registers of a thread");
    i->shared_bytes = (uint32_t)wlt_varint(in, UINT32_MAX, "the size of shared memory");
    if (!in->failed && wlt_check_launch(i, &why)) wlt_in_fail(in, "%.400s", why.text);
    if (in->failed) return;
    i->code = r->table[number];
    r->in_launch = true;
    r->next_cta = 0;
    r->counts = (struct wlt_counts){0};
    r->totals.launches++;
    *out = (struct wlt_item){.kind = WLT_LAUNCH, .source = &r->source};
    out->order = (struct wlt_order){.given = r->stream, .stream = r->stream};
    r->stream = 0;
}

static void read_copy_record(struct wlt_reader *r, struct wlt_item *out)
{
    struct wlt_in *in = &r->in;
    *out = (struct wlt_item){.kind = WLT_COPY};
    out->addr = wlt_varint(in, UINT64_MAX, "the address of a copy");
    out->bytes = wlt_varint(in, WLT_MAX_COPY_BYTES, "the size of a copy");
    if (!in->failed && (out->addr >= WLT_ADDRESS_END || out->bytes > WLT_ADDRESS_END - out->addr))
        wlt_in_fail(in, "a copy runs past the last address");
    r->totals.copies++;
    r->totals.copy_bytes += out->bytes;
}

static void read_end_record(struct wlt_reader *r)
{
    struct wlt_in *in = &r->in;
    expect(in, r->totals.launches, "the number of launches");
    expect(in, r->totals.copies, "the number of copies");
    if (!in->failed && !wlt_in_at_end(in)) wlt_in_fail(in, "something follows the end of the trace");
    r->over = !in->failed;
}

/* Reads one record; true when *out was filled. */
static bool read_record(struct wlt_reader *r, struct wlt_item *out)
{
    struct wlt_in *in = &r->in;
    enum wlt_tag tag = next_record(r, "next record");
    if (in->failed) return false;
    bool item = false;
    switch (tag) {
    case WLT_TAG_COPY: in->what = "copy", item = true, read_copy_record(r, out); break;
    case WLT_TAG_CODE: in->what = "code table", read_code_record(r, false); break;
    case WLT_TAG_MACHINE: in->what = "code table", read_code_record(r, true); break;
    case WLT_TAG_ORIGINS: in->what = "source lines", read_origin_record(r); break;
    case WLT_TAG_STREAM: in->what = "stream", r->stream = wlt_varint(in, UINT64_MAX, "a stream"); break;
    case WLT_TAG_CLUSTER:
        in->what = "cluster";
        for (unsigned d = 0; d < 3; d++) r->cluster[d] = (uint32_t)wlt_varint(in, CLUSTER_MAX, "a cluster dimension");
        break;
    case WLT_TAG_LAUNCH: in->what = "launch", item = true, read_launch_record(r, out); break;
    case WLT_TAG_END: in->what = "end of trace", read_end_record(r); break;
    default: wlt_in_fail(in, "a copy, a code table, a launch or the end is due, not tag %u", (unsigned)tag);
    }
    in->record++;
    return item;
}

int wlt_next(struct wlt_reader *r, struct wlt_item *out, struct wl_err *e)
{
    struct cta_stream cta = {.owner = NULL};
    int got;
    while (r->in_launch && (got = source_next(&r->source, &cta, e)) != 0) {
        if (got < 0) return got;
        source_release(&r->source, &cta);
    }
    while (!r->in.failed && !r->over)
        if (read_record(r, out) && !r->in.failed) return 1;
    return r->in.failed ? report(r, e) : 0;
}

struct wlt_counts wlt_launch_counts(const struct wlt_reader *r) { return r->counts; }

struct wlt_totals wlt_totals(const struct wlt_reader *r)
{
    struct wlt_totals t = r->totals;
    t.content_bytes = r->in.base + r->in.at;
    t.file_bytes = r->in.file.taken;
    return t;
}

const struct wlt_header *wlt_header(const struct wlt_reader *r) { return &r->header; }

/* ---- opening ---- */

static void read_header(struct wlt_reader *r)
{
    struct wlt_in *in = &r->in;
    struct wlt_header *h = &r->header;
    enum wlt_tag tag = next_record(r, "header");
    if (!in->failed && tag != WLT_TAG_HEADER)
        wlt_in_fail(in, "a trace begins with its header, not tag %u", (unsigned)tag);
    wlt_text(in, h->workload, sizeof h->workload, "the workload's name");
    wlt_text(in, h->size, sizeof h->size, "the size");
    wlt_text(in, h->inputs, sizeof h->inputs, "the inputs");
    h->seed = wlt_varint(in, UINT64_MAX, "the seed");
    h->workload_hash = wlt_u64(in);
    in->record++;
}

/* The reader once its input is open, or NULL with the input's error. */
static struct wlt_reader *begin(struct wlt_reader *r, struct wl_err *e)
{
    r->source = (struct stream_source){.info = &r->info, .next = source_next, .release = source_release};
    if (!r->in.failed) read_header(r);
    if (!r->in.failed) return r;
    report(r, e);
    wlt_close(r);
    return NULL;
}

static struct wlt_reader *new_reader(struct wl_err *e)
{
    struct wlt_reader *r = calloc(1, sizeof *r);
    if (!r) wl_fail(e, WL_ERUN, "out of memory");
    return r;
}

struct wlt_reader *wlt_open(const char *file, struct wl_err *e)
{
    struct wlt_reader *r = new_reader(e);
    if (!r) return NULL;
    wlt_in_file(&r->in, file);
    return begin(r, e);
}

struct wlt_reader *wlt_open_memory(const void *data, size_t size, bool raw, uint64_t limit, struct wl_err *e)
{
    struct wlt_reader *r = new_reader(e);
    if (!r) return NULL;
    wlt_in_memory(&r->in, data, size, raw);
    r->in.limit = limit;
    return begin(r, e);
}

void wlt_close(struct wlt_reader *r)
{
    if (!r) return;
    cta_bufs_free(&r->bufs);
    for (unsigned i = 0; i < r->tables; i++) wlt_free_code(r->table[i]);
    free(r->table);
    arena_free(&r->words);
    wlt_in_close(&r->in);
    free(r);
}
