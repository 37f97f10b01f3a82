/* trace_file.h - the bytes of a trace as they lie in a file, or in memory for tests and fuzzers. */
#ifndef WL_TRACE_TRACE_FILE_H
#define WL_TRACE_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct trace_file {
    FILE *file;         /* NULL: memory */
    const uint8_t *mem; /* what is left of it */
    size_t mem_size;
    uint64_t taken; /* bytes given out so far */
};

/* 0, or WL_EINPUT with the reason in *e. */
int trace_file_open(struct trace_file *f, const char *name, struct wl_err *e);
static inline struct trace_file trace_file_memory(const void *data, size_t size)
{
    return (struct trace_file){.mem = data, .mem_size = size};
}
void trace_file_close(struct trace_file *f);
/* The next bytes, up to `size`; 0: the end. -1: it cannot be read, and *e says why. */
int64_t trace_file_read(struct trace_file *f, const char *name, void *out, size_t size, struct wl_err *e);

#endif
