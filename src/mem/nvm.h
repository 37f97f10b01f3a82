/* nvm.h - which memory a page lies in, where half of it is non-volatile. */
#ifndef WL_MEM_NVM_H
#define WL_MEM_NVM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

enum nvm_rule { NVM_NONE, NVM_PAGE_HASH, NVM_PAGE_LSB, NVM_HIGH_HALF, NVM_ALLOC };
enum { NVM_PAGE_BYTES = 4096, NVM_PAGE_LINES = 32 };

struct nvm_map {
    enum nvm_rule rule;
    uint64_t seed;
    uint64_t half, end; /* first line of the upper half of device memory; first line beyond all of it */
    /* NVM_ALLOC: one bit per page of device memory, in order of address; pages below `next` were given
     * a memory when they were first allocated and keep it. */
    uint64_t *in_nvm;
    uint64_t first, pages, next, nvm_pages;
};

/* Device memory of `bytes` bytes at `base`, for NVM_ALLOC. */
int nvm_map_init(struct nvm_map *m, uint64_t base, uint64_t bytes);
void nvm_map_destroy(struct nvm_map *m);
/* An allocation was made: its new pages go to the memory that has fewer. */
void nvm_place(struct nvm_map *m, uint64_t addr, uint64_t bytes);

static inline bool nvm_hash(const struct nvm_map *m, uint64_t page)
{
    uint64_t state = page ^ m->seed;
    return splitmix64(&state) & 1;
}

static inline bool nvm_line(const struct nvm_map *m, uint64_t line)
{
    uint64_t page = line / NVM_PAGE_LINES, at = page - m->first;
    switch (m->rule) {
    case NVM_PAGE_HASH: return nvm_hash(m, page);
    case NVM_ALLOC: /* local and constant memory is not allocated: it goes by the hash */
        return at < m->pages ? m->in_nvm[at >> 6] >> (at & 63) & 1 : nvm_hash(m, page);
    case NVM_PAGE_LSB: return page & 1;
    case NVM_HIGH_HALF: return line >= m->half && line < m->end;
    case NVM_NONE: break;
    }
    return false;
}

#endif
