/* embed.h - text files built into the binary (kernels, machine descriptions). */
#ifndef WL_BASE_EMBED_H
#define WL_BASE_EMBED_H

#include <stddef.h>

struct embed_file {
    const char *name; /* file name without folder: "atax.ptx", "gtx480.ini" */
    const char *data; /* NUL follows the last byte */
    size_t size;
};

extern const struct embed_file embed_files[]; /* ends with a NULL name; made by scripts/embed.sh */

const struct embed_file *embed_find(const char *name); /* NULL when there is none */

#endif
