/* memop.c - the pool of memory instructions in flight: the run loop refills it, so that taking one never fails. */
#include <stdlib.h>
#include <string.h>

#include "base/poison.h"
#include "sm/sm_priv.h"

enum { OP_CHUNK = 256 };
struct memop_chunk {
    struct memop_chunk *next;
    struct {
        struct memop op;
        char red[RED_ZONE]; /* nothing outside sanitizer builds */
    } slot[OP_CHUNK];
};

int memop_grow(struct memop_pool *p)
{
    struct memop_chunk *c = aligned_alloc(_Alignof(struct memop_chunk), sizeof *c);
    if (!c) return -1;
    memset(c, 0, sizeof *c);
    c->next = p->chunks;
    p->chunks = c;
    for (int i = 0; i < OP_CHUNK; i++) {
        c->slot[i].op.next = p->free;
        p->free = &c->slot[i].op;
        POISON(&c->slot[i], sizeof c->slot[i]);
    }
    p->available += OP_CHUNK;
    return 0;
}

void memop_move(struct memop_pool *from, struct memop_pool *to, uint64_t most)
{
    for (; most && from->free; most--) {
        struct memop *op = from->free;
        UNPOISON(op, sizeof *op);
        from->free = op->next;
        from->available--;
        op->next = to->free;
        to->free = op;
        to->available++;
        POISON(op, sizeof *op);
    }
}

void memop_pool_destroy(struct memop_pool *p)
{
    for (struct memop_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

struct memop *memop_alloc(struct sm *s)
{
    struct memop *op = s->ops->free;
    WL_ASSERT(op && s->ops->available);
    UNPOISON(op, sizeof *op);
    s->ops->free = op->next;
    s->ops->available--;
    return op;
}
