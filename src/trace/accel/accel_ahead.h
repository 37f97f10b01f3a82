/* accel_ahead.h - blocks of a kernel's file are read on a thread while the blocks before them run. */
#ifndef WL_TRACE_ACCEL_ACCEL_AHEAD_H
#define WL_TRACE_ACCEL_ACCEL_AHEAD_H

#include "stream/stream.h"
#include "trace/cta_bufs.h"
#include "trace/wlt/wlt.h"

/* A block that was read: its warps' streams are start[w] to start[w + 1] of the buffer. */
struct accel_block {
    struct cta_buf *buf;
    uint32_t id;
    struct wlt_counts counts;
    size_t bytes; /* of all streams */
    size_t start[CTA_MAX_WARPS + 1];
};

/* Reads the next block into out->buf; false: there are no more, or it failed. */
typedef bool accel_read_fn(void *reader, struct accel_block *out);

struct accel_ahead;

/* From now on `read` is called by the thread only, and what it uses belongs to the thread, until the first false of
 * accel_ahead_next or accel_ahead_end. Buffers come from `bufs`. NULL: there is no thread to be had. */
struct accel_ahead *accel_ahead_begin(accel_read_fn *read, void *reader, struct cta_bufs *bufs);
/* The next block, in order; false: what `read` said. */
bool accel_ahead_next(struct accel_ahead *a, struct accel_block *out);
/* A block's buffer can be used again. */
void accel_ahead_give(struct accel_ahead *a, struct cta_buf *b);
/* Ends the thread. Blocks that were taken keep their buffers. */
void accel_ahead_end(struct accel_ahead *a);

#endif
