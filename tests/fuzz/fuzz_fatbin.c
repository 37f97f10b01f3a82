/* fuzz_fatbin.c - any bytes as a fat binary, and whatever PTX comes out linked with
 * itself: refused or accepted, never a crash, a hang, a leak or a byte read outside. */
#include <stdlib.h>
#include <string.h>

#include "cuda/fatbin.h"
#include "cuda/ptx_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void link_twice(const char *text)
{
    const char *both[] = {text, text};
    struct wl_err e;
    char *linked = ptx_link(both, 2, &e);
    if (linked && strlen(linked) > 4 * strlen(text) + 4096) abort();
    free(linked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wl_err e;
    uint8_t *copy = malloc(size ? size : 1); /* exact, and aligned as a program's section is */
    if (!copy) return 0;
    if (size) memcpy(copy, data, size);
    char *text = fatbin_ptx(copy, size, 75, &e);
    if (text) link_twice(text);
    free(text);
    if (size > 1) copy[size - 1] = 0, link_twice((const char *)copy);
    free(copy);
    return 0;
}
