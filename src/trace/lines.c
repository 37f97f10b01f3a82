/* lines.c - the text of a file line by line. Long compressed ones are decompressed on a thread (lines_ahead.c). */
#include "trace/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lines_ahead.h"

enum { BUFFER = 4 * LINE_LIMIT, SHORT = 4 /* refills that are no reason for a thread */ };

/* ---- failing ---- */

void lines_fail(struct lines *l, const char *fmt, ...)
{
    if (l->failed) return; /* the first cause is the one */
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (l->bare) wl_fail(&l->err, WL_EINPUT, "%s", text);
    else wl_fail(&l->err, WL_EINPUT, "%.700s:%" PRIu64 ": %s", l->name, l->number ? l->number : 1, text);
    l->failed = true;
}

void lines_take_failure(struct lines *l, const struct lines *from)
{
    if (from->bare && from->err.code == WL_EINPUT) lines_fail(l, "%s", from->err.text);
    else l->err = from->err;
    l->failed = true;
}

void lines_no_memory(struct lines *l)
{
    if (l->failed) return;
    wl_fail(&l->err, WL_ERUN, "%.700s: out of memory", l->name ? l->name : "a trace");
    l->failed = true;
}

/* ---- opening ---- */

static int start(struct lines *l, const char *name)
{
    l->limit = UINT64_MAX;
    l->name = strdup(name);
    l->buf = malloc(BUFFER);
    l->decoder = decoder_new();
    if (!l->name || !l->buf || !l->decoder) lines_no_memory(l);
    return l->failed ? (int)l->err.code : 0;
}

int lines_open(struct lines *l, const char *file)
{
    *l = (struct lines){0};
    if (!trace_file_open(&l->file, file, &l->err)) return start(l, file);
    l->failed = true;
    return WL_EINPUT;
}

int lines_open_memory(struct lines *l, const char *name, const void *data, size_t size)
{
    *l = (struct lines){.file = trace_file_memory(data, size)};
    return start(l, name);
}

uint64_t lines_file_bytes(struct lines *l)
{
    ahead_end(l);
    return l->file.taken;
}

void lines_close(struct lines *l)
{
    ahead_end(l);
    trace_file_close(&l->file);
    decoder_free(l->decoder);
    free(l->buf);
    free(l->name);
    l->decoder = NULL;
    l->buf = l->name = NULL;
    l->at = l->size = 0;
}

size_t lines_raw(struct lines *l, uint8_t *out, size_t size)
{
    if (l->failed) return 0;
    int64_t n = trace_file_read(&l->file, l->name, out, size, &l->err);
    l->failed = n < 0;
    if (l->failed) l->bare = false; /* it names the file itself */
    return l->failed ? 0 : (size_t)n;
}

/* ---- lines ---- */

/* Moves what is left to the front and decodes more behind it; false when there is no more. */
static bool refill(struct lines *l)
{
    if (l->over) return false;
    memmove(l->buf, l->buf + l->at, l->size - l->at);
    l->size -= l->at;
    l->at = 0;
    if (++l->refills == SHORT && !decoder_is_plain(l->decoder)) lines_go_ahead(l);
    char *to = l->buf + l->size;
    size_t room = BUFFER - 1 - l->size;
    size_t n = l->ahead ? ahead_read(l, to, room) : decoder_read(l, l->decoder, to, room);
    l->size += n;
    if (n == 0) l->over = true;
    return n > 0;
}

char *lines_next(struct lines *l, size_t *len)
{
    if (l->failed) return NULL;
    char *end;
    size_t searched = 0;
    while (!(end = memchr(l->buf + l->at + searched, '\n', l->size - l->at - searched))) {
        searched = l->size - l->at;
        if (searched >= LINE_LIMIT || !refill(l)) break;
    }
    if (l->failed || (!end && l->at == l->size)) return NULL;
    char *line = l->buf + l->at;
    size_t n = end ? (size_t)(end - line) : l->size - l->at;
    l->at += n + (end ? 1 : 0);
    l->text_bytes += n + 1;
    l->number++;
    if (n >= LINE_LIMIT) lines_fail(l, "this line has more than %d characters", LINE_LIMIT);
    else if (memchr(line, 0, n)) lines_fail(l, "a NUL byte: this is no text file");
    else if (l->text_bytes > l->limit) lines_fail(l, "the text is longer than %" PRIu64 " bytes", l->limit);
    if (l->failed) return NULL;
    if (n && line[n - 1] == '\r') n--;
    line[n] = 0; /* buf has a byte to spare */
    *len = n;
    return line;
}
