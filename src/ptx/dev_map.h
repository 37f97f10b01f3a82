/* dev_map.h - device memory that a program maps itself: addresses and bytes are had apart, and the same bytes may be
 * seen at several addresses. The addresses are a window of their own; the bytes are a file's (memfd_create). */
#ifndef WL_PTX_DEV_MAP_H
#define WL_PTX_DEV_MAP_H

#include "ptx/exec.h"

/* Addresses, sizes and offsets are multiples of it: the size of a GPU's page. */
#define DEV_MAP_GRAIN (UINT64_C(2) << 20)

/* Where such memory may lie; 0 bytes: there is no room for it. */
void dev_map_window(const struct dev_mem *m, uint64_t *addr, uint64_t *bytes);
/* The bytes of a file appear there, or no longer do. -1: outside of the window, or the system refused. */
int dev_map(struct dev_mem *m, uint64_t addr, uint64_t bytes, int fd, uint64_t offset);
int dev_unmap(struct dev_mem *m, uint64_t addr, uint64_t bytes);
/* From now on this is an allocation, of which every byte may be used. dev_hide: those that begin in [addr, addr +
 * bytes) are none any more. */
int dev_expose(struct dev_mem *m, uint64_t addr, uint64_t bytes);
void dev_hide(struct dev_mem *m, uint64_t addr, uint64_t bytes);
/* Bytes of the device's memory that such a file takes; -1: there are not so many left. */
int dev_take_bytes(struct dev_mem *m, uint64_t bytes);
void dev_give_bytes(struct dev_mem *m, uint64_t bytes);

#endif
