#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/poison.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    _Alignas(ALIGN) char data[];
};

void *arena_alloc(struct arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t asked = bytes;
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!a->chunks || bytes + RED_ZONE > a->size - a->used) {
        size_t size = bytes + RED_ZONE > CHUNK_BYTES ? bytes + RED_ZONE : CHUNK_BYTES;
        struct arena_chunk *c = calloc(1, sizeof *c + size);
        if (!c) return NULL;
        c->next = a->chunks;
        a->chunks = c;
        a->size = size;
        a->used = 0;
        POISON(c->data, size);
    }
    void *p = a->chunks->data + a->used;
    UNPOISON(p, asked);
    a->used += bytes + RED_ZONE;
    a->total += bytes;
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (p) memcpy(p, s, n);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
    if (p) vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    memset(a, 0, sizeof *a);
}
