#include "cuda/readable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Adjacent ranges become one. */
static int add(struct readable *r, uintptr_t from, uintptr_t to)
{
    if (r->count && r->range[r->count - 1].to == from) {
        r->range[r->count - 1].to = to;
        return 0;
    }
    if ((r->count & (r->count - 1)) == 0) { /* full: it grows at powers of two */
        struct readable_range *p = realloc(r->range, (r->count ? 2 * r->count : 1) * sizeof *p);
        if (!p) return -1;
        r->range = p;
    }
    r->range[r->count++] = (struct readable_range){from, to};
    return 0;
}

void readable_open(struct readable *r)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    int bad = !f;
    *r = (struct readable){0};
    while (!bad && getline(&line, &room, f) > 0) {
        uintptr_t from, to;
        char may[5];
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, may) != 3) bad = 1;
        else if (may[0] == 'r') bad = add(r, from, to);
    }
    free(line);
    if (f) fclose(f);
    if (bad) readable_close(r);
}

void readable_close(struct readable *r)
{
    free(r->range);
    *r = (struct readable){0};
}

size_t readable_bytes(const struct readable *r, const void *p)
{
    uintptr_t at = (uintptr_t)p;
    if (!r->count) return SIZE_MAX - at;
    for (size_t i = 0; i < r->count; i++)
        if (at >= r->range[i].from && at < r->range[i].to) return r->range[i].to - at;
    return 0;
}
