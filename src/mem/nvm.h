/* nvm.h - which memory a page lies in, where half of it is non-volatile. */
#ifndef WL_MEM_NVM_H
#define WL_MEM_NVM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

enum nvm_rule { NVM_NONE, NVM_PAGE_HASH, NVM_PAGE_LSB, NVM_HIGH_HALF };

struct nvm_map {
    enum nvm_rule rule;
    uint64_t seed, half; /* half: first line of the upper half of the address space */
};

/* Pages are 4 KB: 32 lines. */
static inline bool nvm_line(const struct nvm_map *m, uint64_t line)
{
    uint64_t page = line >> 5;
    switch (m->rule) {
    case NVM_PAGE_HASH: {
        uint64_t state = page ^ m->seed;
        return splitmix64(&state) & 1;
    }
    case NVM_PAGE_LSB: return page & 1;
    case NVM_HIGH_HALF: return line >= m->half;
    case NVM_NONE: break;
    }
    return false;
}

#endif
