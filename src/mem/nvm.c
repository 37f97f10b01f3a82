#include "mem/nvm.h"

#include <stdlib.h>

int nvm_map_init(struct nvm_map *m, uint64_t base, uint64_t bytes)
{
    if (m->rule != NVM_ALLOC) return 0;
    m->first = base / NVM_PAGE_BYTES;
    m->pages = bytes / NVM_PAGE_BYTES + 1;
    m->in_nvm = calloc(m->pages / 64 + 1, sizeof *m->in_nvm); /* 512 KB for 16 GB, touched as it is used */
    return m->in_nvm ? 0 : -1;
}

void nvm_map_destroy(struct nvm_map *m) { free(m->in_nvm); }

void nvm_place(struct nvm_map *m, uint64_t addr, uint64_t bytes)
{
    if (m->rule != NVM_ALLOC || !bytes) return;
    uint64_t at = addr / NVM_PAGE_BYTES - m->first, end = (addr + bytes - 1) / NVM_PAGE_BYTES - m->first + 1;
    bool nvm = m->nvm_pages < m->next - m->nvm_pages;
    if (end > m->pages) end = m->pages;
    for (at = at > m->next ? at : m->next; at < end; at++) {
        if (nvm) m->in_nvm[at >> 6] |= bit64(at & 63);
        m->nvm_pages += nvm;
        m->next = at + 1;
    }
}
