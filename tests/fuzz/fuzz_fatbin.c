/* fuzz_fatbin.c - any bytes as a fat binary, and whatever PTX comes out linked with
 * itself: refused or accepted, never a crash, a hang, a leak or a byte read outside.
 *
 * A program that registers a fat binary gives a pointer and no size. Some inputs are read that way too: they lie at the
 * end of a piece of memory behind which nothing can be read, bare, in a wrapper, and in a wrapper of linked objects. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

enum { ROOM = 1 << 16, PAGE = 4096 };

/* A copy whose last byte is the last that can be read. */
static void *at_the_edge(const uint8_t *data, size_t size)
{
    static uint8_t *room;
    if (!room) {
        room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED || mprotect(room + ROOM, PAGE, PROT_NONE)) abort();
    }
    return memcpy(room + ROOM - size, data, size);
}

static void read_as_program(const uint8_t *data, size_t size)
{
    struct wl_err e;
    size_t bytes;
    const void *image = at_the_edge(data, size);
    struct {
        uint32_t magic, version;
        const void *data;
        const void *const *objects;
    } wrapper = {0x466243b1, 1, image, NULL};
    const void *const objects[] = {image, image, NULL};
    if (fatbin_kind(image) != FATBIN_CONTAINER) return;
    free(fatbin_program(image, 75, &e));
    if (size & 8) wrapper.version = 2, wrapper.objects = objects;
    free(fatbin_program(&wrapper, 75, &e));
    char *code = fatbin_cubin(&wrapper, SIZE_MAX, 75, &bytes);
    if (code) cubin_registers(code, bytes, "k");
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 8 && size <= ROOM && size % 4 == 0) read_as_program(data, size);
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
