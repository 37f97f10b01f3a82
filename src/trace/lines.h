/* lines.h - the lines of a text file, plain or compressed with xz, gzip or zstd.
 *
 * What it is shows in the first bytes, not in the name. Memory does not depend on the length of
 * the file: one buffer before the decoder and one behind it. Errors stick: after the first,
 * lines_next gives NULL and `failed` is set. Every message names the file and the line. */
#ifndef WL_TRACE_LINES_H
#define WL_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace_file.h"

enum { LINE_LIMIT = 64 * 1024 };

struct decoder; /* lines_decode.c */
struct ahead;   /* lines_ahead.c */

struct lines {
    char *name;
    struct trace_file file;
    struct decoder *decoder;
    struct ahead *ahead; /* the thread that has file and decoder; NULL: they are here */
    unsigned refills;
    char *buf; /* decoded text: [at, size) is not yet given out */
    size_t at, size;
    bool over;           /* the decoder gave its last byte */
    uint64_t number;     /* of the line given last, from 1 */
    uint64_t text_bytes; /* given out so far */
    uint64_t limit;      /* refuse more text than this; tests lower it */
    bool failed;
    bool bare; /* messages get file and line from who takes them over */
    struct wl_err err;
};

/* 0, or the error's code; close it in either case. */
int lines_open(struct lines *l, const char *file);
int lines_open_memory(struct lines *l, const char *name, const void *data, size_t size);
void lines_close(struct lines *l);
/* The next line, without its end; valid until the next call. NULL: no more, or failed. */
char *lines_next(struct lines *l, size_t *len);
/* Bad input at the line given last: "FILE:LINE: ...". Only the first counts. */
void lines_fail(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lines_no_memory(struct lines *l);
/* What `from`, which is bare, failed with happened at the line given last. */
void lines_take_failure(struct lines *l, const struct lines *from);
/* Bytes of the file that were read so far. */
uint64_t lines_file_bytes(struct lines *l);

/* ---- lines_decode.c: bytes of the file to bytes of text ---- */

/* Up to `size` bytes as they are in the file; 0 at its end or after a failure. */
size_t lines_raw(struct lines *l, uint8_t *out, size_t size);
struct decoder *decoder_new(void);
bool decoder_is_plain(const struct decoder *d); /* known when something was read */
void decoder_free(struct decoder *d);
/* Fills out with text; 0 at the end or after a failure. */
size_t decoder_read(struct lines *l, struct decoder *d, char *out, size_t size);

#endif
