/* readable.h - how much of this process's memory can be read behind a pointer that a program handed over. */
#ifndef WL_CUDA_READABLE_H
#define WL_CUDA_READABLE_H

#include <stddef.h>
#include <stdint.h>

struct readable {
    struct readable_range {
        uintptr_t from, to;
    } * range;
    size_t count;
};

/* Looks at the map of the process, which costs a millisecond. When there is none everything counts as readable. */
void readable_open(struct readable *r);
void readable_close(struct readable *r);
/* Bytes from p on; 0: none. */
size_t readable_bytes(const struct readable *r, const void *p);

#endif
