/* mshr.h - misses in flight, each with the requests that wait for it.
 *
 * Caches that reserve a line on a miss find the entry through the line (tags.mshr), so no
 * associative search is modelled or needed; fetches without a line are chained per set. */
#ifndef WL_MEM_MSHR_H
#define WL_MEM_MSHR_H

#include "base/bits.h"
#include "base/check.h"
#include "mem/req.h"

#define NO_PLACE UINT32_MAX

struct mshr_entry {
    struct req_list waiting;
    uint32_t count; /* requests waiting */
    uint32_t at;    /* index of the reserved line in the tag arrays, or NO_PLACE */
    uint32_t next_free;
    uint16_t in_sector[LINE_SECTORS]; /* requests per sector, where each sector is a miss of its own */
    uint64_t free_at; /* L1: the cycle in which the entry is free again, while its requests are being written */
    /* The rest is for a fetch without a line, when a policy bypasses the L2: it is found through its set. */
    uint32_t next_bypass;
    uint8_t sectors;
    uint64_t line;
};

struct mshrs {
    struct mshr_entry *entry;
    uint32_t entries, used, merge_limit, free;
    uint32_t further; /* places taken beyond one per entry: by the further sectors of its line, l1_sector.c */
};

int mshr_init(struct mshrs *m, uint32_t entries, uint32_t merge_limit);
void mshr_destroy(struct mshrs *m);
uint32_t mshr_count_free(const struct mshrs *m); /* by walking the list of free entries */

static inline bool mshr_full(const struct mshrs *m) { return m->used + m->further == m->entries; }

/* A free entry for the line at `at`; the caller checked mshr_full. */
static inline uint32_t mshr_alloc(struct mshrs *m, uint32_t at)
{
    uint32_t i = m->free;
    WL_ASSERT(m->used < m->entries && i < m->entries);
    m->free = m->entry[i].next_free;
    __builtin_prefetch(&m->entry[m->free]);
    m->entry[i].at = at;
    m->entry[i].count = 0;
    m->entry[i].sectors = 0;
    list_init(&m->entry[i].waiting);
    m->used++;
    return i;
}

static inline void mshr_release(struct mshrs *m, uint32_t i)
{
    WL_ASSERT(m->used && i < m->entries && !m->entry[i].waiting.head);
    m->entry[i].next_free = m->free;
    m->free = i;
    m->used--;
}

static inline bool mshr_can_merge(const struct mshrs *m, uint32_t i) { return m->entry[i].count < m->merge_limit; }

static inline void mshr_wait(struct mshrs *m, uint32_t i, struct req *r)
{
    WL_ASSERT(i < m->entries && m->entry[i].count < m->merge_limit);
    list_push(&m->entry[i].waiting, r);
    m->entry[i].count++;
}

/* ---- where each sector is a miss of its own: sm.coalesce = sector ---- */

/* A fetch of sectors has begun: it is the first of those that wait for each of them. */
static inline void mshr_begin_sectors(struct mshrs *m, uint32_t i, uint8_t sectors)
{
    for (uint32_t k = sectors; k; k &= k - 1) m->entry[i].in_sector[bit_low32(k)] = 1;
}

/* Whether one more may wait for sectors that are on their way; of several the lowest counts. */
static inline bool mshr_can_join(const struct mshrs *m, uint32_t i, uint8_t sectors)
{
    return m->entry[i].in_sector[bit_low32(sectors)] < m->merge_limit;
}

static inline void mshr_join(struct mshrs *m, uint32_t i, uint8_t sectors, struct req *r)
{
    m->entry[i].in_sector[bit_low32(sectors)]++;
    m->entry[i].count++;
    list_push(&m->entry[i].waiting, r);
}

#endif
