/* bulk.h - bulk and tensor copies as the timing half sees them: asynchronous loads, or stores, of the warp.
 *
 * Such a copy is a basic block of its own (cfg.c). The block's record holds the first 16 bytes that each lane's copy
 * moves; the block is then entered again and again, with as many lanes as it takes, each of which moves 16 bytes: 512
 * bytes per record. So every byte goes through the memory hierarchy once, and 512 bytes cost an issue slot. */
#ifndef WL_PTX_BULK_H
#define WL_PTX_BULK_H

#include "ptx/exec_priv.h"

enum { BULK_CHUNK = 16 }; /* bytes of one lane */

struct bulk {
    struct exec_warp *w;
    const struct uop *u;
    uint64_t first[WARP_SIZE]; /* what the block's own record has */
    uint64_t chunk[WARP_SIZE], last;
    unsigned count, records; /* chunks that wait to be written; records since bulk_flush */
    uint64_t note;           /* of the mbarrier that hears of what is written (code.h); 0: of none */
};

/* first[lane]: where the copy of that lane begins, or whatever it reads before the others. The block's own record is
 * the mbarrier's of `note`. */
void bulk_begin(struct bulk *b, struct exec_warp *w, const struct uop *u, const uint64_t first[WARP_SIZE],
                uint64_t note);
/* The copy of `lane` moves this byte, and perhaps its neighbours; bytes come in their order. */
void bulk_touch(struct bulk *b, unsigned lane, uint64_t addr);
void bulk_run(struct bulk *b, unsigned lane, uint64_t addr, uint32_t bytes); /* all of these */
/* The same of those that there are: a prefetch is a hint, and ends with the allocation. */
void bulk_prefetch(struct bulk *b, unsigned lane, uint64_t addr, uint32_t bytes);
uint32_t bulk_flush(struct bulk *b); /* writes what was touched; the number of records since it was called last */

/* Whether the instruction is one of these: ir.h's, for cfg.c. */
bool inst_is_bulk(const struct ptx_inst *in);

#endif
