/* slices.c - streams that are packed by LZ4 while they wait to be read. */
#include "stream/slices.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slice {
    struct slice *next;
    uint32_t raw, size;  /* bytes before and after packing */
    uint64_t stands_for; /* instructions that were left out */
    bool in_file;
    uint64_t at; /* place in the file; of a slot of class slot_class(size) */
    uint8_t packed[];
};

/* ---- the file ---- */

static size_t slot_bytes(unsigned class) { return (size_t)1024 << class; }

static unsigned slot_class(size_t size)
{
    unsigned class = 0;
    while (class < SLOT_CLASSES && slot_bytes(class) < size) class ++;
    return class;
}

static int make_file(void)
{
    const char *folder = getenv("TMPDIR");
    char name[512];
    int n = snprintf(name, sizeof name, "%s/warpline.XXXXXX", folder && *folder ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof name) return -2;
    int fd = mkstemp(name);
    if (fd < 0) return -2;
    unlink(name);
    return fd;
}

static bool write_all(int fd, const uint8_t *data, size_t size, uint64_t at)
{
    while (size) {
        ssize_t n = pwrite(fd, data, size, (off_t)at);
        if (n <= 0) return false;
        data += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

static bool read_all(int fd, uint8_t *data, size_t size, uint64_t at)
{
    while (size) {
        ssize_t n = pread(fd, data, size, (off_t)at);
        if (n <= 0) return false;
        data += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

/* Puts packed bytes into the file: what is left of the slice in memory, or NULL: they have to stay. */
static struct slice *to_file(struct slice_store *s, const uint8_t *packed, size_t size)
{
    unsigned class = slot_class(size);
    if (class == SLOT_CLASSES || s->fd == -2) return NULL;
    if (s->fd == -1) s->fd = make_file();
    struct slice *slot = s->fd < 0 ? NULL : s->unused[class];
    if (slot) {
        s->unused[class] = slot->next;
    } else {
        slot = s->fd < 0 ? NULL : calloc(1, sizeof *slot);
        if (!slot) return NULL;
        slot->at = s->end;
        s->end += slot_bytes(class);
    }
    slot->size = (uint32_t)size;
    slot->in_file = true;
    slot->next = NULL;
    if (write_all(s->fd, packed, size, slot->at)) return slot;
    slot->next = s->unused[class];
    s->unused[class] = slot;
    return NULL;
}

void slice_store_free(struct slice_store *s)
{
    for (unsigned i = 0; i < SLOT_CLASSES; i++)
        while (s->unused[i]) {
            struct slice *slot = s->unused[i];
            s->unused[i] = slot->next;
            free(slot);
        }
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

/* ---- chains ---- */

static struct slice *keep(struct slice_chain *c, const uint8_t *packed, size_t size)
{
    struct slice_store *store = c->store;
    struct slice *s = store && store->in_memory + size > store->limit ? to_file(store, packed, size) : NULL;
    if (s) return s;
    s = malloc(sizeof *s + size);
    if (!s) return NULL;
    *s = (struct slice){.size = (uint32_t)size};
    memcpy(s->packed, packed, size);
    c->kept += size;
    if (store) store->in_memory += size;
    return s;
}

bool slice_add(struct slice_chain *c, const uint8_t *data, size_t size)
{
    uint8_t here[LZ4_COMPRESSBOUND(SLICE_BYTES)], *packed = here;
    if (size > LZ4_MAX_INPUT_SIZE) return false;
    int bound = LZ4_compressBound((int)size);
    if ((size_t)bound > sizeof here && !(packed = malloc((size_t)bound))) return false;
    int n = LZ4_compress_default((const char *)data, (char *)packed, (int)size, bound);
    struct slice *s = n > 0 ? keep(c, packed, (size_t)n) : NULL;
    if (packed != here) free(packed);
    if (!s) return false;
    s->raw = (uint32_t)size;
    s->stands_for = 0;
    if (c->last) c->last->next = s;
    else c->first = s;
    c->last = s;
    c->raw += size;
    if (size > c->longest) c->longest = size;
    return true;
}

void slice_cut(struct slice_chain *c)
{
    struct slice *first = c->mark ? c->mark->next : c->first;
    if (!first) return;
    c->window[0] = c->mark;
    c->window[1] = first;
    c->mark = c->last;
}

void slice_stand_for(struct slice_chain *c, uint64_t before, uint64_t last)
{
    if (c->window[0]) c->window[0]->stands_for += before;
    if (c->window[1]) c->window[1]->stands_for += last;
}

/* The packed bytes of a slice in the file go behind the room for the unpacked ones. */
bool slice_prepare(struct slice_chain *c)
{
    size_t need = c->longest + slot_bytes(SLOT_CLASSES - 1);
    if (need <= c->open_cap) return true;
    uint8_t *p = realloc(c->open, need);
    if (!p) return false;
    c->open = p;
    c->open_cap = need;
    return true;
}

int slice_take(struct slice_chain *c, struct warp_stream *out)
{
    struct slice *s = c->first;
    if (!s) return 0;
    const uint8_t *packed = s->packed;
    if (s->in_file) {
        uint8_t *room = c->open + c->longest;
        if (!read_all(c->store->fd, room, s->size, s->at)) return -1;
        packed = room;
    }
    int n = LZ4_decompress_safe((const char *)packed, (char *)c->open, (int)s->size, (int)s->raw);
    if (n < 0 || (uint32_t)n != s->raw) return -1; /* of the file: it was ours alone, but disks fail */
    *out = (struct warp_stream){.data = c->open, .size = s->raw};
    c->passed += s->stands_for;
    c->first = s->next;
    if (!c->first) c->last = NULL;
    s->next = c->read;
    if (s->in_file) c->read = s;
    else free(s);
    return 1;
}

static void drop(struct slice_chain *c, struct slice *s)
{
    while (s) {
        struct slice *next = s->next;
        if (s->in_file) {
            struct slice **list = &c->store->unused[slot_class(s->size)];
            s->next = *list;
            *list = s;
        } else {
            free(s);
        }
        s = next;
    }
}

void slice_clear(struct slice_chain *c)
{
    drop(c, c->first);
    drop(c, c->read);
    if (c->store) c->store->in_memory -= c->kept;
    c->first = c->last = c->read = NULL;
    c->raw = c->kept = c->longest = 0;
    c->mark = c->window[0] = c->window[1] = NULL;
}

void slice_free(struct slice_chain *c)
{
    slice_clear(c);
    free(c->open);
    *c = (struct slice_chain){.store = c->store};
}
