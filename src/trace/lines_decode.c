/* lines_decode.c - plain text, xz, gzip and zstd behind one face, a piece at a time.
 *
 * Files of several streams one behind another (xz -T0, cat a.gz b.gz) are one text. The decoders'
 * own memory is bounded: a window of 128 MiB for zstd, 256 MiB in all for xz, 32 KiB for gzip. */
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/lines.h"

enum { PIECE = 128 * 1024, ZSTD_WINDOW_LOG = 27 };
#define XZ_MEMORY (UINT64_C(256) << 20)

enum format { UNKNOWN, PLAIN, XZ, GZIP, ZSTD };

struct decoder {
    enum format format;
    uint8_t piece[PIECE]; /* of the file: [at, size) is not yet decoded */
    size_t at, size;
    bool eof;      /* of the file */
    bool finished; /* the last stream was complete */
    lzma_stream xz;
    z_stream gz;
    ZSTD_DCtx *zstd;
};

struct decoder *decoder_new(void) { return calloc(1, sizeof(struct decoder)); }

bool decoder_is_plain(const struct decoder *d) { return d->format == PLAIN || d->format == UNKNOWN; }

void decoder_free(struct decoder *d)
{
    if (!d) return;
    if (d->format == XZ) lzma_end(&d->xz);
    if (d->format == GZIP) inflateEnd(&d->gz);
    ZSTD_freeDCtx(d->zstd);
    free(d);
}

static void fill(struct lines *l, struct decoder *d)
{
    if (d->at < d->size || d->eof) return;
    d->at = 0;
    d->size = lines_raw(l, d->piece, PIECE);
    d->eof = d->size == 0;
}

static void truncated(struct lines *l) { lines_fail(l, "truncated: the compressed data ends after this line"); }

static void damaged(struct lines *l, const char *why) { lines_fail(l, "damaged after this line: %s", why); }

/* ---- which one ---- */

static void detect(struct lines *l, struct decoder *d)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, gz[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    bool ok = true;
    fill(l, d);
    if (d->size >= sizeof xz && memcmp(d->piece, xz, sizeof xz) == 0) {
        lzma_stream init = LZMA_STREAM_INIT;
        d->xz = init;
        ok = lzma_stream_decoder(&d->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
        d->format = XZ;
    } else if (d->size >= sizeof gz && memcmp(d->piece, gz, sizeof gz) == 0) {
        ok = inflateInit2(&d->gz, 15 + 16) == Z_OK;
        d->format = GZIP;
    } else if (d->size >= sizeof zstd && memcmp(d->piece, zstd, sizeof zstd) == 0) {
        d->zstd = ZSTD_createDCtx();
        if (d->zstd) ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        ok = d->zstd != NULL;
        d->format = ZSTD;
    } else {
        d->format = PLAIN;
    }
    if (!ok) lines_no_memory(l);
}

/* ---- one step each: how many bytes of text it gave ---- */

static size_t step_plain(struct decoder *d, char *out, size_t size)
{
    size_t n = d->size - d->at < size ? d->size - d->at : size;
    memcpy(out, d->piece + d->at, n);
    d->at += n;
    d->finished = d->eof;
    return n;
}

static size_t step_xz(struct lines *l, struct decoder *d, char *out, size_t size)
{
    lzma_stream *s = &d->xz;
    s->next_in = d->piece + d->at;
    s->avail_in = d->size - d->at;
    s->next_out = (uint8_t *)out;
    s->avail_out = size;
    lzma_ret rc = lzma_code(s, d->eof ? LZMA_FINISH : LZMA_RUN);
    d->at = d->size - s->avail_in;
    if (rc == LZMA_STREAM_END) d->finished = true;
    else if (rc == LZMA_BUF_ERROR && d->eof) truncated(l);
    else if (rc == LZMA_MEMLIMIT_ERROR) damaged(l, "this xz file needs more than 256 MiB to decompress");
    else if (rc == LZMA_MEM_ERROR) lines_no_memory(l);
    else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR) damaged(l, "the xz data is not valid");
    return size - s->avail_out;
}

static size_t step_gzip(struct lines *l, struct decoder *d, char *out, size_t size)
{
    z_stream *s = &d->gz;
    bool nothing_left = d->at == d->size; /* only at the end of the file: what inflate holds back may follow */
    if (nothing_left && d->finished) return 0;
    if (d->finished && inflateReset(s) != Z_OK) damaged(l, "something follows the gzip data");
    d->finished = false;
    s->next_in = d->piece + d->at;
    s->avail_in = (uInt)(d->size - d->at);
    s->next_out = (uint8_t *)out;
    s->avail_out = (uInt)size;
    int rc = inflate(s, Z_NO_FLUSH);
    d->at = d->size - s->avail_in;
    if (rc == Z_STREAM_END) d->finished = true;
    else if (rc == Z_MEM_ERROR) lines_no_memory(l);
    else if (rc != Z_OK && rc != Z_BUF_ERROR) damaged(l, s->msg ? s->msg : "the gzip data is not valid");
    else if (nothing_left && s->avail_out == size) truncated(l);
    return size - s->avail_out;
}

static size_t step_zstd(struct lines *l, struct decoder *d, char *out, size_t size)
{
    ZSTD_inBuffer from = {d->piece, d->size, d->at};
    ZSTD_outBuffer to = {out, size, 0};
    bool nothing_left = d->at == d->size;
    if (nothing_left && d->finished) return 0;
    size_t left = ZSTD_decompressStream(d->zstd, &to, &from);
    d->at = from.pos;
    if (ZSTD_isError(left)) damaged(l, ZSTD_getErrorName(left));
    d->finished = left == 0;
    if (nothing_left && !d->finished && to.pos == 0) truncated(l);
    return to.pos;
}

size_t decoder_read(struct lines *l, struct decoder *d, char *out, size_t size)
{
    if (d->format == UNKNOWN) detect(l, d);
    while (!l->failed) {
        fill(l, d);
        if (d->eof && d->finished) return 0;
        size_t n = d->format == XZ     ? step_xz(l, d, out, size)
                   : d->format == GZIP ? step_gzip(l, d, out, size)
                   : d->format == ZSTD ? step_zstd(l, d, out, size)
                                       : step_plain(d, out, size);
        if (n && !l->failed) return n;
    }
    return 0;
}
