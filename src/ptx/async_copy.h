/* async_copy.h - what copies of bytes (async.c) and of tensors (async_tensor.c) have in common. */
#ifndef WL_PTX_ASYNC_COPY_H
#define WL_PTX_ASYNC_COPY_H

#include "ptx/async.h"
#include "ptx/bulk.h"

/* Tells the mbarrier at `addr` of bytes that have come; `events`: of how many records of the stream. */
int mbar_complete(struct exec_warp *w, const struct uop *at, unsigned lane, uint64_t addr, uint32_t bytes,
                  uint32_t events);

/* Copies n bytes, or joins them with what is there. */
void move_bytes(const struct uop *u, unsigned type, uint8_t *d, const uint8_t *s, uint32_t n);

/* The note of the mbarrier, or of those of several CTAs, that hears of a copy. */
uint64_t bulk_note(struct exec_warp *w, const struct uop *at, unsigned lane, const uint64_t bar[WARP_SIZE]);

/* How many events the copy is at an mbarrier. What goes to several CTAs is read once: as many at all of them. */
uint32_t bulk_events(struct exec_warp *w, struct bulk *b);

/* To several CTAs: the same place in the shared memory of each, and its mbarrier. `mask` is theirs, `one` does it for
 * one of them; without .multicast that is the place which the instruction names. */
int to_each(struct exec_warp *w, const struct uop *u, ref mask, uop_fn *one);

int lower_cp_tensor(struct lower *L, struct uop *u, struct uop *more);
int lower_prefetch_tensor(struct lower *L, struct uop *u, struct uop *more);

#endif
