/* wlt_in.c - the bytes of a trace, from a file or from memory, decompressed as they are needed.
 *
 * Two buffers of fixed size, one before and one behind the decoder: a trace of any length is read
 * with the memory of a short one. Every message names the file, the record and the byte, because
 * a user's next question is whether the file is cut short or wrong. */
#include "trace/wlt/wlt_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE_BYTES = 128 * 1024 };

/* ---- failing ---- */

static void set_failed(struct wlt_in *in)
{
    in->failed = true;
    in->at = in->size = 0;
}

void wlt_in_fail(struct wlt_in *in, const char *fmt, ...)
{
    if (in->failed) return; /* the first cause is the one */
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    wl_fail(&in->err, WL_EINPUT, "%.1000s: record %" PRIu64 " (%s), byte %" PRIu64 " of the content: %s", in->name,
            in->record, in->what, in->base + in->at, text);
    set_failed(in);
}

void wlt_in_no_memory(struct wlt_in *in)
{
    if (in->failed) return;
    wl_fail(&in->err, WL_ERUN, "%.1000s: out of memory in record %" PRIu64 " (%s)", in->name, in->record, in->what);
    set_failed(in);
}

/* Damage of the file itself, before there are records to speak of. */
static void fail_file(struct wlt_in *in, const char *text)
{
    if (in->failed) return;
    wl_fail(&in->err, WL_EINPUT, "%.1000s: %s, byte %" PRIu64 " of the file, in record %" PRIu64 " (%s)", in->name,
            text, in->file.taken - (in->packed_size - in->packed_at), in->record, in->what);
    set_failed(in);
}

/* ---- the file ---- */

/* The next piece of the file; false at its end. */
static bool read_packed(struct wlt_in *in)
{
    int64_t n = trace_file_read(&in->file, in->name, in->packed, PIECE_BYTES, &in->err);
    if (n < 0) set_failed(in);
    in->packed_at = 0;
    in->packed_size = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static void check_prefix(struct wlt_in *in)
{
    uint8_t p[WLT_PREFIX_BYTES];
    size_t have = 0;
    while (have < sizeof p && (in->packed_at < in->packed_size || read_packed(in)))
        p[have++] = in->packed[in->packed_at++];
    if (in->failed) return;
    size_t magic = have < WLT_MAGIC_BYTES ? have : WLT_MAGIC_BYTES;
    if (have == 0 || memcmp(p, WLT_MAGIC, magic) != 0) {
        wl_fail(&in->err, WL_EINPUT, "%.1000s is not a .wlt trace%s", in->name, have ? "" : ": it is empty");
        set_failed(in);
    } else if (have < sizeof p) {
        wl_fail(&in->err, WL_EINPUT, "%.1000s: truncated: the file ends at byte %zu, inside its first %zu bytes",
                in->name, have, sizeof p);
        set_failed(in);
    } else {
        uint32_t version = (uint32_t)p[8] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
        if (version >= WLT_OLDEST && version <= WLT_VERSION) return;
        wl_fail(&in->err, WL_EINPUT, "%.1000s is a trace of format version %u; this program reads versions %d to %d%s",
                in->name, version, WLT_OLDEST, WLT_VERSION, version < WLT_OLDEST ? ": record it again" : "");
        set_failed(in);
    }
}

static int start(struct wlt_in *in, bool raw)
{
    in->what = "header";
    in->record = 1;
    in->limit = UINT64_MAX;
    in->packed = malloc(PIECE_BYTES);
    in->buf = malloc(PIECE_BYTES);
    if (!raw) in->z = ZSTD_createDCtx();
    if (!in->packed || !in->buf || (!raw && !in->z)) wlt_in_no_memory(in);
    if (in->z) {
        ZSTD_DCtx_setParameter(in->z, ZSTD_d_windowLogMax, WLT_WINDOW_LOG);
        if (!in->failed) check_prefix(in);
    }
    return in->failed ? (int)in->err.code : 0;
}

int wlt_in_file(struct wlt_in *in, const char *file)
{
    *in = (struct wlt_in){.name = file};
    if (!trace_file_open(&in->file, file, &in->err)) return start(in, false);
    set_failed(in);
    return WL_EINPUT;
}

int wlt_in_memory(struct wlt_in *in, const void *data, size_t size, bool raw)
{
    *in = (struct wlt_in){.name = "memory", .file = trace_file_memory(data, size)};
    return start(in, raw);
}

void wlt_in_close(struct wlt_in *in)
{
    trace_file_close(&in->file);
    ZSTD_freeDCtx(in->z);
    free(in->packed);
    free(in->buf);
    in->z = NULL;
    in->packed = in->buf = NULL;
}

/* ---- the content ---- */

/* One step of the decoder into the empty buffer; returns false when it can go no further. */
static bool decode(struct wlt_in *in)
{
    if (in->packed_at == in->packed_size && !in->more && !read_packed(in)) {
        fail_file(in, "truncated: the compressed data ends");
        return false;
    }
    ZSTD_inBuffer from = {in->packed, in->packed_size, in->packed_at};
    ZSTD_outBuffer to = {in->buf, PIECE_BYTES, 0};
    size_t left = ZSTD_decompressStream(in->z, &to, &from);
    in->packed_at = from.pos;
    if (ZSTD_isError(left)) {
        char text[160];
        snprintf(text, sizeof text, "damaged: %s", ZSTD_getErrorName(left));
        fail_file(in, text);
        return false;
    }
    in->more = to.pos == to.size;
    in->frame_over = left == 0;
    in->size = to.pos;
    return true;
}

/* Makes at least one byte available; false at the end of the content or after a failure. */
static bool fill(struct wlt_in *in)
{
    if (in->failed) return false;
    in->base += in->at;
    in->at = in->size = 0;
    if (!in->z) {
        in->packed_at = in->packed_size; /* `packed` is the content: swap the buffers' roles */
        if (!read_packed(in)) return false;
        uint8_t *t = in->buf;
        in->buf = in->packed;
        in->packed = t;
        in->size = in->packed_size;
    } else {
        while (in->size == 0)
            if (in->frame_over || !decode(in)) return false;
    }
    if (in->base + in->size <= in->limit) return true;
    wlt_in_fail(in, "the content is longer than %" PRIu64 " bytes", in->limit);
    return false;
}

bool wlt_in_at_end(struct wlt_in *in)
{
    if (in->at < in->size || fill(in) || in->failed) return false;
    if (!in->z) return true;
    if (in->packed_at == in->packed_size && !read_packed(in)) return !in->failed;
    fail_file(in, "damaged: bytes follow the end of the trace");
    return false;
}

size_t wlt_piece(struct wlt_in *in, size_t most, const uint8_t **data)
{
    if (in->at == in->size && !fill(in)) {
        wlt_in_fail(in, "the content ends in the middle of a record");
        return 0;
    }
    size_t n = in->size - in->at < most ? in->size - in->at : most;
    *data = in->buf + in->at;
    in->at += n;
    return n;
}

/* ---- fields ---- */

uint8_t wlt_u8(struct wlt_in *in)
{
    const uint8_t *p;
    return wlt_piece(in, 1, &p) ? *p : 0;
}

uint64_t wlt_u64(struct wlt_in *in)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) v |= (uint64_t)wlt_u8(in) << (8 * i);
    return v;
}

uint64_t wlt_varint(struct wlt_in *in, uint64_t max, const char *field)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t b = wlt_u8(in);
        if (in->failed) return 0;
        if (shift == 63 && (b & 0xfe)) break;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b & 0x80) continue;
        if (v <= max) return v;
        wlt_in_fail(in, "%s is %" PRIu64 ", more than %" PRIu64, field, v, max);
        return 0;
    }
    wlt_in_fail(in, "%s is longer than 64 bits", field);
    return 0;
}

void wlt_text(struct wlt_in *in, char *out, size_t size, const char *field)
{
    size_t n = (size_t)wlt_varint(in, size - 1, field);
    for (size_t i = 0; i < n; i++) {
        uint8_t c = wlt_u8(in);
        if (!in->failed && (c < 0x20 || c == 0x7f)) wlt_in_fail(in, "%s has the control character %u", field, c);
        out[i] = (char)c;
    }
    out[in->failed ? 0 : n] = 0;
}
