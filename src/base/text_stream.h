/* text_stream.h - a stream whose text stays in memory.
 *
 * Like open_memstream, but one that says when it had no memory: libc's loses what did not fit and closes as if nothing
 * had happened. */
#ifndef WL_BASE_TEXT_STREAM_H
#define WL_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct text_stream {
    FILE *file; /* write here; NULL: there was no memory for it */
    char *text;
    size_t size, room;
    bool bad;
};

/* Returns `file`. `s` stays where it is until it is closed. */
FILE *text_stream_open(struct text_stream *s);
/* All that was written, with a zero behind it, to be freed by the caller; NULL: no memory, which memory_was_short
 * remembers. */
char *text_stream_close(struct text_stream *s);

#endif
