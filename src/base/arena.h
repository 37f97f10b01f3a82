/* arena.h - memory that is freed all at once.
 *
 * Front ends (PTX, configuration, traces) allocate from one arena and never free
 * single objects. Allocations are zeroed and 16-byte aligned; an arena that cannot
 * grow returns NULL. AddressSanitizer sees a step over the end of an allocation (poison.h). */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used, size;          /* of the newest chunk */
    size_t total;               /* bytes handed out */
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* leaves *a empty and usable */

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
