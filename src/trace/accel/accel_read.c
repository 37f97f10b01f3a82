/* accel_read.c - kernels of an Accel-Sim trace as launches.
 *
 * The first pass over a kernel's file learns its code and checks every line, so that what the second
 * pass hands out is known to be whole. A block's warps lie in one buffer that goes back to a free
 * list when the CTA is released, as in wlt_read.c. The second pass over a long file has a thread of
 * its own (accel_ahead.h), which owns all of the reader that reads: `in`, `code`, `warp`, `inst`, the
 * place in the body. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accel/accel_ahead.h"
#include "trace/accel/accel_priv.h"
#include "trace/cta_bufs.h"

/* Shorter files are read before a thread would be there. */
enum { LONG_TEXT = 1 << 20 };

struct accel_reader {
    struct stream_source source; /* first: the source is the reader */
    struct accel_list list;
    const void *mem; /* a single kernel from memory */
    size_t mem_size;
    uint64_t limit;
    struct lines in; /* of the kernel's file */
    bool file_open, in_launch, over, failed;
    struct wl_err err;
    struct wlt_header header;
    struct accel_kernel kernel;
    struct launch_info info;
    struct accel_code *code;
    struct stream_writer warp; /* the stream of the warp that is read */
    struct cta_bufs bufs;
    struct accel_ahead *ahead; /* the thread that reads blocks; NULL: there is none */
    /* the place in the body */
    int64_t last_block; /* linear id, -1: none yet */
    struct accel_inst inst;
    struct wlt_counts block_counts; /* of the block that is read */
    struct wlt_counts counts;       /* of the blocks of this launch that were handed out */
    struct wlt_totals totals;
    uint64_t launches_missing, blocks_missing; /* launches with blocks that are not there, and how many */
    uint32_t odd_binary;                       /* an architecture without a table of its own; 0: none */
    uint64_t no_shared, no_registers;          /* launches whose header does not say what limits residency */
    char *path;                                /* of the trace; NULL: it is in memory */
    const char *only;                          /* names of the kernels that are wanted; NULL: all */
    enum { UNKNOWN, OVERLAP, IN_ORDER } order; /* whether launches of the list may overlap */
    char unknown_key[48];                      /* the first header line that is not known; "": none */
};

static int report(const struct accel_reader *r, struct wl_err *e)
{
    if (e) *e = r->err;
    return -(int)r->err.code;
}

static int fail_with(struct accel_reader *r, const struct wl_err *why, struct wl_err *e)
{
    r->failed = true;
    r->err = *why;
    return report(r, e);
}

/* ---- a block of threads ---- */

static void put_inst(struct accel_reader *r, uint32_t n, const struct accel_inst *i)
{
    const struct code_inst *in = &r->info.code->inst[n];
    struct stream_writer *w = &r->warp;
    stream_block(w, n, i->mask ? i->mask : w->mask);
    if (in->guarded) stream_guard(w, i->mask);
    if (inst_is_mem(in) && i->mask) stream_addrs(w, i->mask, i->addr);
}

/* One line of a warp; the counts are those of the pass that writes. */
static void read_inst(struct accel_reader *r, const char *line, size_t len, bool write)
{
    accel_read_inst(&r->in, &r->kernel, accel_code_memos(r->code), line, len, &r->inst);
    uint32_t left = r->inst.mask;
    while (!r->in.failed) {
        uint32_t n = accel_code_inst(r->code, &r->in, &r->inst);
        if (write && !r->in.failed) {
            put_inst(r, n, &r->inst);
            r->block_counts.warp_instructions++;
            r->block_counts.thread_instructions += bit_count32(r->inst.mask);
        }
        left &= ~r->inst.mask;
        if (!left) return;
        r->inst.mask = left; /* a generic access: the lanes that go elsewhere */
    }
}

/* The next line that is not blank, without leading blanks; NULL: the file is over or wrong. */
static char *next_line_of(struct lines *in, size_t *len)
{
    char *line;
    while ((line = lines_next(in, len))) {
        while (*line == ' ' || *line == '\t') line++, --*len;
        if (*line) return line;
    }
    return NULL;
}

static char *next_line(struct lines *in)
{
    size_t len;
    return next_line_of(in, &len);
}

/* The value of "NAME = value", or NULL. */
static char *value_of(char *line, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(line, name, n) != 0) return NULL;
    for (line += n; *line == ' '; line++) {
    }
    if (*line++ != '=') return NULL;
    while (*line == ' ') line++;
    for (size_t m = strlen(line); m && line[m - 1] == ' ';) line[--m] = 0;
    return line;
}

/* "insts = N" and N instructions. */
static void read_warp(struct accel_reader *r, uint32_t warp, bool write)
{
    struct lines *in = &r->in;
    char *line = next_line(in), *value = line ? value_of(line, "insts") : NULL;
    uint64_t n = 0;
    if (line && (!value || !accel_number(value, UINT32_MAX, &n)))
        lines_fail(in, "'insts = N' must follow 'warp = %u', not '%.40s'", warp, line);
    if (!line) lines_fail(in, "truncated: the file ends after 'warp = %u'", warp);
    accel_warp_begin(r->code);
    stream_begin(&r->warp);
    for (uint64_t i = 0; !in->failed && i < n; i++) {
        size_t len;
        line = next_line_of(in, &len);
        if (!line) {
            lines_fail(in, "truncated: the file ends in warp %u after %" PRIu64 " of %" PRIu64 " instructions", warp, i,
                       n);
        } else if (*line == '#' ||
                   (*line >= 'g' && (strncmp(line, "warp ", 5) == 0 || strncmp(line, "thread ", 7) == 0))) {
            lines_fail(in, "warp %u has %" PRIu64 " instructions, but 'insts = %" PRIu64 "' was promised", warp, i, n);
        } else {
            read_inst(r, line, len, write);
        }
    }
    if (r->warp.failed) lines_no_memory(in);
}

/* "thread block = X,Y,Z": its linear id. */
static uint32_t read_block_id(struct accel_reader *r)
{
    struct lines *in = &r->in;
    const uint32_t *g = r->info.grid;
    char *line = next_line(in), *value = line ? value_of(line, "thread block") : NULL;
    uint32_t at[3] = {0};
    if (!line) lines_fail(in, "truncated: the file ends after '#BEGIN_TB'");
    else if (!value || !accel_three(value, at))
        lines_fail(in, "'thread block = X,Y,Z' must follow '#BEGIN_TB', not '%.40s'", line);
    else if (at[0] >= g[0] || at[1] >= g[1] || at[2] >= g[2])
        lines_fail(in, "block %u,%u,%u is not in the grid of %u x %u x %u", at[0], at[1], at[2], g[0], g[1], g[2]);
    if (in->failed) return 0;
    uint32_t id = (at[2] * g[1] + at[1]) * g[0] + at[0];
    if ((int64_t)id <= r->last_block)
        lines_fail(in, "block %u,%u,%u comes behind a later one (or twice); post-processing sorts them", at[0], at[1],
                   at[2]);
    return id;
}

/* ---- buffers ---- */

static void append(struct accel_reader *r, struct cta_buf *b, size_t at)
{
    size_t n = r->warp.size;
    if (at + n > ACCEL_MAX_CTA_BYTES) lines_fail(&r->in, "the instructions of this block take more than 1 GiB");
    if (!r->in.failed && !cta_buf_put(b, at, r->warp.data, n)) lines_no_memory(&r->in);
}

/* ---- a block ---- */

/* The warps of a block up to '#END_TB'; with a buffer they are written there, start[w] to start[w + 1]. */
static void read_warps(struct accel_reader *r, struct cta_buf *b, size_t start[CTA_MAX_WARPS + 1])
{
    struct lines *in = &r->in;
    uint32_t next = 0, warps = r->info.warps_per_cta;
    while (!in->failed) {
        char *line = next_line(in), *value = line ? value_of(line, "warp") : NULL;
        uint64_t w = 0;
        if (!line) lines_fail(in, "truncated: the file ends inside a block");
        if (line && strcmp(line, "#END_TB") == 0) break;
        if (line && (!value || !accel_number(value, UINT32_MAX, &w)))
            lines_fail(in, "'warp = N' or '#END_TB' is due, not '%.40s'", line);
        else if (line && w >= warps) lines_fail(in, "warp %" PRIu64 " in a block of %u warps", w, warps);
        else if (line && w < next) lines_fail(in, "warp %" PRIu64 " comes behind warp %u", w, next - 1);
        if (in->failed) return;
        for (; next < w; next++) start[next + 1] = start[next]; /* warps that reported nothing */
        read_warp(r, (uint32_t)w, b != NULL);
        if (b) append(r, b, start[next]);
        start[next + 1] = start[next] + (b ? r->warp.size : 0);
        next++;
    }
    for (; next < warps; next++) start[next + 1] = start[next];
}

/* The next block; 0: the file is over. */
static int read_block(struct accel_reader *r, struct cta_buf *b, uint32_t *id, size_t start[CTA_MAX_WARPS + 1])
{
    struct lines *in = &r->in;
    char *line = next_line(in);
    if (!line) return 0;
    if (strcmp(line, "#BEGIN_TB") != 0) lines_fail(in, "'#BEGIN_TB' is due, not '%.40s'", line);
    if (!in->failed) *id = read_block_id(r);
    if (!in->failed) read_warps(r, b, start);
    r->last_block = *id;
    return in->failed ? 0 : 1;
}

/* An accel_read_fn: the next block, where b->buf has room for it. */
static bool fill_block(void *reader, struct accel_block *b)
{
    struct accel_reader *r = reader;
    if (!b->buf) lines_no_memory(&r->in);
    if (r->in.failed) return false;
    r->block_counts = (struct wlt_counts){0};
    bool any = read_block(r, b->buf, &b->id, b->start) > 0;
    b->counts = r->block_counts;
    b->bytes = b->start[r->info.warps_per_cta];
    return any;
}

/* ---- a kernel ---- */

static void close_kernel(struct accel_reader *r)
{
    accel_ahead_end(r->ahead);
    r->ahead = NULL;
    if (!r->file_open) return;
    r->totals.content_bytes += r->in.text_bytes;
    r->totals.file_bytes += lines_file_bytes(&r->in);
    lines_close(&r->in);
    r->file_open = false;
}

static void open_kernel(struct accel_reader *r)
{
    if (r->mem) lines_open_memory(&r->in, r->list.file, r->mem, r->mem_size);
    else lines_open(&r->in, r->list.file);
    if (r->limit) r->in.limit = r->limit;
    r->file_open = true;
    r->last_block = -1;
    if (!r->in.failed) accel_read_header(&r->in, &r->kernel);
}

static void make_info(struct accel_reader *r)
{
    struct launch_info *i = &r->info;
    struct wl_err why;
    *i = (struct launch_info){.regs_per_thread = r->kernel.registers, .shared_bytes = r->kernel.shared_bytes};
    memcpy(i->kernel, r->kernel.name, sizeof i->kernel);
    memcpy(i->grid, r->kernel.grid, sizeof i->grid);
    memcpy(i->block, r->kernel.block, sizeof i->block);
    if (wlt_check_launch(i, &why)) lines_fail(&r->in, "%.400s", why.text);
}

/* The first pass, behind the header. */
static void learn_kernel(struct accel_reader *r)
{
    size_t start[CTA_MAX_WARPS + 1] = {0};
    uint32_t id = 0, blocks = 0;
    bool exact;
    sass_arch(r->kernel.binary, &exact);
    if (!exact) r->odd_binary = r->kernel.binary;
    r->no_shared += r->kernel.no_shared;
    r->no_registers += r->kernel.no_registers;
    if (!*r->unknown_key) memcpy(r->unknown_key, r->kernel.unknown, sizeof r->unknown_key);
    accel_code_begin(r->code, &r->kernel);
    while (read_block(r, NULL, &id, start) > 0) blocks++;
    if (!r->in.failed && !blocks) lines_fail(&r->in, "the kernel has no block");
    if (!r->in.failed) r->info.code = accel_code_table(r->code, &r->in);
    if (r->in.failed || blocks == r->info.ctas) return;
    r->launches_missing++;
    r->blocks_missing += r->info.ctas - blocks;
}

/* The program's default stream: its launches wait for all others, and all others for them. A stream is named by its
 * handle; 1 is cudaStreamLegacy. */
static bool is_default(uint64_t stream) { return stream <= 1; }

static bool is_wanted(const struct accel_reader *r, const char *kernel)
{
    return !r->only || fnmatch(r->only, kernel, 0) == 0;
}

/* Whether launches of the list are of two streams besides the default one. Found once, by reading all headers: most
 * programs have one stream, and their launches need not be kept. A header that cannot be read is an error here already:
 * launches that overlap must not be taken for launches in order. */
static int find_order(struct accel_reader *r)
{
    struct accel_list l;
    struct wl_err e;
    if (r->order != UNKNOWN) return WL_OK;
    r->order = IN_ORDER;
    if (!r->path) return WL_OK;
    int command = accel_list_open(&l, r->path, &e) ? -(int)e.code : accel_list_next(&l, &e);
    while (r->order == IN_ORDER && command > ACCEL_END) {
        struct lines in;
        struct accel_kernel k = {0};
        if (command == ACCEL_KERNEL) {
            lines_open(&in, l.file);
            if (!in.failed) accel_read_header(&in, &k);
            if (!is_default(k.stream) && k.stream != r->kernel.stream && is_wanted(r, k.name)) r->order = OVERLAP;
            if (in.failed) e = in.err;
            command = in.failed ? -(int)e.code : command;
            lines_close(&in);
        }
        if (command > ACCEL_END) command = accel_list_next(&l, &e);
    }
    accel_list_close(&l);
    if (command >= ACCEL_END) return WL_OK;
    r->failed = true;
    r->err = e;
    return (int)e.code;
}

/* Of a kernel that is not wanted nothing but the header is read: it costs no time and no warning. */
static int pass_over(struct accel_reader *r, struct wlt_item *out)
{
    close_kernel(r);
    r->totals.launches++;
    *out = (struct wlt_item){.kind = WLT_LAUNCH, .source = &r->source, .unwanted = true};
    return 1;
}

static int begin_launch(struct accel_reader *r, struct wlt_item *out, struct wl_err *e)
{
    uint64_t content = r->totals.content_bytes, file = r->totals.file_bytes;
    open_kernel(r);
    if (!r->in.failed) make_info(r);
    if (!r->in.failed && !is_wanted(r, r->info.kernel)) return pass_over(r, out);
    if (!r->in.failed) learn_kernel(r);
    bool is_long = r->in.text_bytes >= LONG_TEXT;
    if (!r->in.failed) {
        close_kernel(r);
        r->totals.content_bytes = content; /* a file counts once, though it is read twice */
        r->totals.file_bytes = file;
        open_kernel(r);
    }
    if (r->in.failed) return fail_with(r, &r->in.err, e);
    r->in_launch = true;
    if (is_long) r->ahead = accel_ahead_begin(fill_block, r, &r->bufs);
    r->counts = (struct wlt_counts){0};
    r->totals.launches++;
    *out = (struct wlt_item){.kind = WLT_LAUNCH, .source = &r->source};
    uint64_t stream = r->kernel.stream;
    if (is_default(stream)) return 1;
    if (find_order(r)) return report(r, e);
    if (r->order == OVERLAP) out->order = (struct wlt_order){.given = true, .stream = stream};
    return 1;
}

static void end_launch(struct accel_reader *r)
{
    close_kernel(r);
    r->in_launch = false;
    r->totals.counts.warp_instructions += r->counts.warp_instructions;
    r->totals.counts.thread_instructions += r->counts.thread_instructions;
}

static bool next_block(struct accel_reader *r, struct accel_block *b)
{
    if (r->ahead) return accel_ahead_next(r->ahead, b);
    *b = (struct accel_block){.buf = cta_buf_take(&r->bufs)};
    bool any = fill_block(r, b);
    if (!any && b->buf) cta_buf_give(&r->bufs, b->buf);
    return any;
}

static int source_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct accel_reader *r = (struct accel_reader *)s;
    struct accel_block b;
    if (r->failed) return report(r, e);
    if (!r->in_launch) return 0;
    bool any = next_block(r, &b);
    if (!any && r->in.failed) return fail_with(r, &r->in.err, e);
    if (!any) {
        end_launch(r);
        return 0;
    }
    *out = (struct cta_stream){.cta = b.id, .nwarps = r->info.warps_per_cta, .owner = b.buf};
    for (uint32_t w = 0; w < out->nwarps; w++) out->warp[w] = warp_part(b.buf->data, b.start[w], b.start[w + 1]);
    r->counts.warp_instructions += b.counts.warp_instructions;
    r->counts.thread_instructions += b.counts.thread_instructions;
    r->totals.stream_bytes += b.bytes;
    r->totals.ctas++;
    r->totals.warps += out->nwarps;
    return 1;
}

static void source_release(struct stream_source *s, struct cta_stream *c)
{
    struct accel_reader *r = (struct accel_reader *)s;
    if (c->owner && r->ahead) accel_ahead_give(r->ahead, c->owner);
    else if (c->owner) cta_buf_give(&r->bufs, c->owner);
    c->owner = NULL;
}

/* ---- the trace ---- */

void accel_only(struct accel_reader *r, const char *pattern) { r->only = pattern; }

int accel_next(struct accel_reader *r, struct wlt_item *out, struct wl_err *e)
{
    struct cta_stream cta = {.owner = NULL};
    int got;
    while (r->in_launch && (got = source_next(&r->source, &cta, e)) != 0) {
        if (got < 0) return got;
        source_release(&r->source, &cta);
    }
    if (r->failed) return report(r, e);
    if (r->over) return 0;
    struct wl_err why;
    int command = accel_list_next(&r->list, &why);
    if (command < 0) return fail_with(r, &why, e);
    if (command == ACCEL_KERNEL) return begin_launch(r, out, e);
    if (command == ACCEL_END) {
        r->over = true;
        return 0;
    }
    *out = (struct wlt_item){.kind = WLT_COPY, .addr = r->list.addr, .bytes = r->list.bytes};
    r->totals.copies++;
    r->totals.copy_bytes += out->bytes;
    return 1;
}

struct wlt_counts accel_launch_counts(const struct accel_reader *r) { return r->counts; }
struct wlt_totals accel_totals(const struct accel_reader *r) { return r->totals; }
const struct wlt_header *accel_header(const struct accel_reader *r) { return &r->header; }

/* ---- opening ---- */

static struct accel_reader *new_reader(struct wl_err *e)
{
    struct accel_reader *r = calloc(1, sizeof *r);
    if (r && (r->code = accel_code_new())) {
        r->source = (struct stream_source){.info = &r->info, .next = source_next, .release = source_release};
        return r;
    }
    free(r);
    wl_fail(e, WL_ERUN, "out of memory");
    return NULL;
}

void accel_keep_named(struct accel_reader *r) { accel_code_keep_named(r->code); }

struct accel_reader *accel_open(const char *path, struct wl_err *e)
{
    struct accel_reader *r = new_reader(e);
    if (!r) return NULL;
    if (accel_list_open(&r->list, path, e) || accel_identify(path, &r->header.workload_hash, e)) {
        accel_close(r);
        return NULL;
    }
    accel_name_program(&r->header, path);
    if ((r->path = strdup(path))) return r;
    wl_no_memory(e);
    accel_close(r);
    return NULL;
}

struct accel_reader *accel_open_memory(const char *name, const void *data, size_t size, uint64_t limit,
                                       struct wl_err *e)
{
    struct accel_reader *r = new_reader(e);
    if (!r) return NULL;
    r->list.single = true;
    r->list.file = strdup(name);
    r->mem = data;
    r->mem_size = size;
    r->limit = limit;
    accel_name_program(&r->header, name);
    if (r->list.file) return r;
    wl_fail(e, WL_ERUN, "out of memory");
    accel_close(r);
    return NULL;
}

void accel_close(struct accel_reader *r)
{
    if (!r) return;
    accel_ahead_end(r->ahead);
    cta_bufs_free(&r->bufs);
    if (r->file_open) lines_close(&r->in);
    accel_list_close(&r->list);
    accel_code_free(r->code);
    free(r->warp.data);
    free(r->path);
    free(r);
}

/* ---- warnings ---- */

static void warn_opcodes(const struct accel_reader *r, trace_say *say, void *arg)
{
    unsigned n;
    char text[400];
    const struct accel_opcode *o = accel_code_opcodes(r->code, &n);
    for (unsigned i = 0; i < n; i++) {
        if (o[i].op.known == SASS_KNOWN || !o[i].count) continue;
        if (o[i].op.known == SASS_ELSEWHERE)
            snprintf(text, sizeof text,
                     "opcode %s (%" PRIu64 " times) is not in the table of its architecture; read as on another one",
                     o[i].text, o[i].count);
        else
            snprintf(text, sizeof text, "unknown opcode %s (%" PRIu64 " times), taken as %s", o[i].text, o[i].count,
                     o[i].with_addrs ? "a load (with a destination) or a store" : "an integer addition");
        say(arg, text, false);
    }
}

static void warn_header(const struct accel_reader *r, trace_say *say, void *arg)
{
    char text[400];
    const struct {
        uint64_t n;
        const char *key, *what;
    } rows[] = {{r->no_shared, "shmem", "shared memory"}, {r->no_registers, "nregs", "registers"}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].n) continue;
        snprintf(text, sizeof text,
                 "the headers of %" PRIu64 " launches give no '-%s': %s does not limit how many of their blocks an SM "
                 "takes",
                 rows[i].n, rows[i].key, rows[i].what);
        say(arg, text, false);
    }
    if (!*r->unknown_key) return;
    snprintf(text, sizeof text, "the header line '%s' is not known and was left out", r->unknown_key);
    say(arg, text, false);
}

static void say_losses(const struct accel_reader *r, trace_say *say, void *arg)
{
    unsigned n;
    char text[400];
    const struct accel_opcode *o = accel_code_opcodes(r->code, &n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t made = o[i].count - o[i].dropped;
        if (o[i].dropped) {
            snprintf(text, sizeof text,
                     "%s (%" PRIu64 " times) has no addresses in the trace: it issues and reaches no memory", o[i].text,
                     o[i].dropped);
            say(arg, text, true);
        }
        if (o[i].op.bulk && made) {
            snprintf(text, sizeof text,
                     "%s (%" PRIu64 " times): a trace does not say how much a bulk copy moves; 32 bytes at each of its "
                     "addresses are",
                     o[i].text, made);
            say(arg, text, true);
        }
    }
    if (r->launches_missing) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " launches lack blocks of their grid, %" PRIu64 " in all; only those in the trace run",
                 r->launches_missing, r->blocks_missing);
        say(arg, text, true);
    }
}

void accel_warnings(const struct accel_reader *r, trace_say *say, void *arg)
{
    char text[400];
    say_losses(r, say, arg);
    warn_opcodes(r, say, arg);
    warn_header(r, say, arg);
    if (r->odd_binary) {
        snprintf(text, sizeof text, "binary version %u has no table of opcodes; the nearest one is used",
                 r->odd_binary);
        say(arg, text, false);
    }
    if (r->order == OVERLAP)
        say(arg,
            "the launches are of several streams; a trace does not say where these wait for one another, so those of "
            "different streams may overlap (gpu.concurrent_kernels=1: one after another)",
            false);
    if (r->list.ignored) {
        snprintf(text, sizeof text, "%" PRIu64 " lines of the list are no command and are left out, the first is '%s'",
                 r->list.ignored, r->list.first_ignored);
        say(arg, text, false);
    }
}
