/* dev_share.h - memory of the process that kernels see under its own address. */
#ifndef WL_PTX_DEV_SHARE_H
#define WL_PTX_DEV_SHARE_H

#include "ptx/exec.h"

/* Until dev_release, which leaves the bytes alone; dev_is_host says that they are the host's. -1: there is no unified
 * memory, the bytes overlap an allocation or another share, or the address is one that kernels use otherwise. */
int dev_share(struct dev_mem *m, const void *host, uint64_t bytes);

#endif
