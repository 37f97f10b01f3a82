#include "mem/req.h"

#include <stdlib.h>

enum { CHUNK = 1024 };

struct req_chunk {
    struct req_chunk *next;
    struct {
        struct req req;
        char red[RED_ZONE]; /* nothing outside sanitizer builds */
    } slot[CHUNK];
};

int req_grow(struct req_pool *p)
{
    struct req_chunk *c = aligned_alloc(_Alignof(struct req_chunk), sizeof *c);
    if (!c) return -1;
    c->next = p->chunks;
    p->chunks = c;
    for (int i = CHUNK; i-- > 0;) {
        struct req *r = &c->slot[i].req;
        req_clear(r);
        r->next = p->free;
        p->free = r;
        POISON(&c->slot[i], sizeof c->slot[i]);
    }
    p->available += CHUNK;
    return 0;
}

/* Free requests are poisoned, and this is the one who looks at them. */
__attribute__((no_sanitize_address)) uint64_t req_count_free(const struct req_pool *p)
{
    uint64_t n = 0;
    for (const struct req *r = p->free; r; r = r->next) n++;
    return n;
}

void req_pool_destroy(struct req_pool *p)
{
    for (struct req_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *p = (struct req_pool){0};
}
