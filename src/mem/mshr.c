#include "mem/mshr.h"

#include <stdlib.h>

int mshr_init(struct mshrs *m, uint32_t entries, uint32_t merge_limit)
{
    *m = (struct mshrs){.entries = entries, .merge_limit = merge_limit};
    m->entry = calloc(entries, sizeof *m->entry);
    if (!m->entry) return -1;
    for (uint32_t i = 0; i < entries; i++) m->entry[i].next_free = i + 1;
    return 0;
}

void mshr_destroy(struct mshrs *m) { free(m->entry); }

uint32_t mshr_count_free(const struct mshrs *m)
{
    uint32_t n = 0;
    for (uint32_t i = m->free; i < m->entries && n <= m->entries; i = m->entry[i].next_free) n++;
    return n;
}
