#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool was_short;

void memory_note(void) { atomic_store_explicit(&was_short, true, memory_order_relaxed); }

bool memory_was_short(void) { return atomic_load_explicit(&was_short, memory_order_relaxed); }

void *memory_take(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) memory_note();
    return p;
}

void *memory_grow(void *p, size_t bytes)
{
    void *grown = realloc(p, bytes);
    if (!grown) memory_note();
    return grown;
}
