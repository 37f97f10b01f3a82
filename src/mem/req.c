#include "mem/req.h"

#include <stdlib.h>

enum { CHUNK = 1024 };

struct req_chunk {
    struct req_chunk *next;
    struct req req[CHUNK];
};

int req_grow(struct req_pool *p)
{
    struct req_chunk *c = aligned_alloc(_Alignof(struct req_chunk), sizeof *c);
    if (!c) return -1;
    c->next = p->chunks;
    p->chunks = c;
    for (int i = CHUNK; i-- > 0;) {
        req_clear(&c->req[i]);
        c->req[i].next = p->free;
        p->free = &c->req[i];
    }
    p->available += CHUNK;
    return 0;
}

void req_pool_destroy(struct req_pool *p)
{
    for (struct req_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *p = (struct req_pool){0};
}
