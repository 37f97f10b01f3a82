/* cta_bufs.h - buffers for the streams of CTAs, used again and again by a reader of traces. */
#ifndef WL_TRACE_CTA_BUFS_H
#define WL_TRACE_CTA_BUFS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cta_buf {
    struct cta_buf *next_free, *all;
    uint8_t *data;
    size_t cap;
};

struct cta_bufs {
    struct cta_buf *free, *all;
};

/* NULL: out of memory. */
static inline struct cta_buf *cta_buf_take(struct cta_bufs *p)
{
    struct cta_buf *b = p->free;
    if (b) {
        p->free = b->next_free;
        return b;
    }
    b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->all = p->all;
    p->all = b;
    return b;
}

static inline void cta_buf_give(struct cta_bufs *p, struct cta_buf *b)
{
    b->next_free = p->free;
    p->free = b;
}

/* Puts n bytes at `at`, behind what is there. false: out of memory. */
static inline bool cta_buf_put(struct cta_buf *b, size_t at, const uint8_t *data, size_t n)
{
    if (at + n > b->cap) {
        size_t cap = b->cap * 2 > at + n ? b->cap * 2 : at + n;
        uint8_t *p = realloc(b->data, cap);
        if (!p) return false;
        b->data = p;
        b->cap = cap;
    }
    if (n) memcpy(b->data + at, data, n);
    return true;
}

static inline void cta_bufs_free(struct cta_bufs *p)
{
    for (struct cta_buf *b = p->all, *next; b; b = next) {
        next = b->all;
        free(b->data);
        free(b);
    }
}

#endif
