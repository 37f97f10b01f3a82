/* ptx_link.h - several PTX texts become one, as a device linker makes one program of objects. */
#ifndef WL_CUDA_PTX_LINK_H
#define WL_CUDA_PTX_LINK_H

#include <stddef.h>

#include "base/err.h"

/* One malloc'd text, NUL-terminated; NULL on error. One text comes back as it is. */
char *ptx_link(const char *const *text, size_t count, struct wl_err *e);

#endif
