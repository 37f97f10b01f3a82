/* fatbin.c - finds and unpacks the PTX of a fat binary. The layout is in docs/exec.md. */
#include "cuda/fatbin.h"

#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cuda/ptx_link.h"
#include "cuda/readable.h"

#define WRAPPER_MAGIC   UINT32_C(0x466243b1)
#define CONTAINER_MAGIC UINT32_C(0xba55ed50)
enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, MAX_OBJECTS = 65536 };
enum { KIND_PTX = 1, KIND_CUBIN = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define MAX_TEXT (UINT64_C(1) << 30) /* of one PTX text: none comes near it */

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *objects; /* version 2: the containers of the linked objects, NULL-terminated */
};

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of what follows the header */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes; /* with padding */
    uint32_t packed_bytes;  /* 0: the payload is plain */
    uint32_t options_at;
    uint16_t isa_minor, isa_major;
    uint32_t arch;
    uint32_t name_at, name_bytes;
    uint64_t flags, reserved;
    uint64_t text_bytes; /* when packed */
};
_Static_assert(sizeof(struct wrapper) == 24 && sizeof(struct container) == CONTAINER_HEADER &&
                   sizeof(struct entry) == ENTRY_HEADER,
               "these are layouts of bytes");

static bool begins_with(const void *image, uint32_t magic)
{
    const uint8_t *p = image;
    for (unsigned i = 0; i < 4; i++)
        if (p[i] != (uint8_t)(magic >> 8 * i)) return false; /* never past the end of a short text */
    return true;
}

enum fatbin_kind fatbin_kind(const void *image)
{
    if (begins_with(image, WRAPPER_MAGIC)) return FATBIN_WRAPPER;
    return begins_with(image, CONTAINER_MAGIC) ? FATBIN_CONTAINER : FATBIN_NONE;
}

/* ---- the entries of a container ---- */

/* The entry at *at, which moves behind it. 1, 0 at the end, or -1: damaged. */
static int next_entry(const uint8_t *data, size_t size, size_t *at, struct entry *en, const uint8_t **payload)
{
    if (*at == size) return 0;
    if (size - *at < sizeof *en) return -1;
    memcpy(en, data + *at, sizeof *en);
    size_t left = size - *at;
    if (en->header_bytes < ENTRY_HEADER || en->header_bytes > left || en->payload_bytes > left - en->header_bytes)
        return -1;
    *payload = data + *at + en->header_bytes;
    *at += en->header_bytes + en->payload_bytes;
    return 1;
}

static bool better(unsigned arch, unsigned than, unsigned capability)
{
    if (arch <= capability) return than > capability || arch > than;
    return than > capability && arch < than;
}

static char *failed(struct wl_err *e, const char *what)
{
    wl_fail(e, WL_EINPUT, "the program's fat binary is damaged: %s", what);
    return NULL;
}

static int64_t unpack(const struct entry *en, const uint8_t *payload, char *text)
{
    if (en->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(text, en->text_bytes, payload, en->packed_bytes);
        return ZSTD_isError(n) ? -1 : (int64_t)n;
    }
    if (en->packed_bytes > INT_MAX || en->text_bytes > INT_MAX) return -1;
    return LZ4_decompress_safe((const char *)payload, text, (int)en->packed_bytes, (int)en->text_bytes);
}

static bool is_packed(const struct entry *en) { return en->flags & (FLAG_ZSTD | FLAG_LZ4) && en->packed_bytes; }
static uint64_t plain_bytes(const struct entry *en) { return is_packed(en) ? en->text_bytes : en->payload_bytes; }

static char *text_of(const struct entry *en, const uint8_t *payload, struct wl_err *e)
{
    bool packed = is_packed(en);
    uint64_t bytes = plain_bytes(en);
    if (packed && en->packed_bytes > en->payload_bytes) return failed(e, "compressed PTX runs past its entry");
    if (bytes > MAX_TEXT) return failed(e, "a PTX text of more than 1 GiB");
    char *text = malloc(bytes + 1);
    if (!text) {
        wl_fail(e, WL_ERUN, "out of memory for %" PRIu64 " bytes of PTX", bytes);
        return NULL;
    }
    int64_t n = (int64_t)bytes;
    if (packed) n = unpack(en, payload, text);
    else memcpy(text, payload, bytes);
    if (n < 0) {
        free(text);
        return failed(e, en->flags & FLAG_ZSTD ? "its zstd data cannot be decompressed"
                                               : "its LZ4 data cannot be decompressed");
    }
    text[n] = 0;
    return text;
}

static char *no_ptx(const unsigned *arch, unsigned cubins, struct wl_err *e)
{
    char list[128] = "";
    size_t at = 0;
    for (unsigned i = 0; i < cubins && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%ssm_%u", i ? ", " : " for ", arch[i]);
    wl_fail(e, WL_EINPUT,
            "the program has no PTX, only machine code%s; compile it with "
            "-gencode arch=compute_75,code=compute_75 (or -arch=sm_75), which embeds PTX",
            list);
    return NULL;
}

char *fatbin_ptx(const void *container, size_t size, unsigned capability, struct wl_err *e)
{
    struct container c;
    if (size < sizeof c) return failed(e, "no header");
    memcpy(&c, container, sizeof c);
    if (c.magic != CONTAINER_MAGIC || c.header_bytes < CONTAINER_HEADER) return failed(e, "not a container");
    if (c.header_bytes > size || c.bytes > size - c.header_bytes) return failed(e, "it is cut off");
    const uint8_t *data = (const uint8_t *)container + c.header_bytes, *payload, *chosen_payload = NULL;
    struct entry en, chosen = {.kind = 0};
    enum { MAX_CUBINS = 12 };
    unsigned cubin[MAX_CUBINS], cubins = 0;
    size_t at = 0;
    int got;
    while ((got = next_entry(data, c.bytes, &at, &en, &payload)) > 0) {
        if (en.kind == KIND_CUBIN && cubins < MAX_CUBINS) cubin[cubins++] = en.arch;
        if (en.kind != KIND_PTX || (chosen_payload && !better(en.arch, chosen.arch, capability))) continue;
        chosen = en;
        chosen_payload = payload;
    }
    if (got < 0) return failed(e, "an entry runs past the end of its container");
    return chosen_payload ? text_of(&chosen, chosen_payload, e) : no_ptx(cubin, cubins, e);
}

/* ---- machine code ---- */

/* As fatbin_cubin; `size` is known. */
static char *cubin_of(const void *image, size_t size, unsigned capability, size_t *bytes)
{
    struct container c;
    if (!image || size < sizeof c || !begins_with(image, CONTAINER_MAGIC)) return NULL;
    memcpy(&c, image, sizeof c);
    if (c.header_bytes < CONTAINER_HEADER || c.header_bytes > size || c.bytes > size - c.header_bytes) return NULL;
    const uint8_t *data = (const uint8_t *)image + c.header_bytes, *payload, *chosen_payload = NULL;
    struct entry en, chosen = {.kind = 0};
    struct wl_err e;
    size_t at = 0;
    while (next_entry(data, c.bytes, &at, &en, &payload) > 0) {
        if (en.kind != KIND_CUBIN || (chosen_payload && !better(en.arch, chosen.arch, capability))) continue;
        chosen = en;
        chosen_payload = payload;
    }
    if (!chosen_payload) return NULL;
    *bytes = plain_bytes(&chosen);
    return text_of(&chosen, chosen_payload, &e);
}

char *fatbin_cubin(const void *image, size_t size, unsigned capability, size_t *bytes)
{
    struct wrapper w;
    struct readable r;
    if (size != SIZE_MAX) return cubin_of(image, size, capability, bytes);
    readable_open(&r);
    if (fatbin_kind(image) == FATBIN_WRAPPER) {
        w.data = NULL;
        if (readable_bytes(&r, image) >= sizeof w) memcpy(&w, image, sizeof w);
        image = w.data; /* of linked objects too: their machine code has been linked */
    }
    char *code = image ? cubin_of(image, readable_bytes(&r, image), capability, bytes) : NULL;
    readable_close(&r);
    return code;
}

/* What is read of an ELF file: where the sections are, and of each its name, place and information. */
struct elf_head {
    uint8_t unused[40];
    uint64_t sections_at;
    uint8_t unused2[10];
    uint16_t section_bytes, sections, names;
};
struct elf_section {
    uint32_t name, type;
    uint64_t flags, address, at, bytes;
    uint32_t link, info;
    uint64_t align, entry_bytes;
};
_Static_assert(sizeof(struct elf_head) == 64 && sizeof(struct elf_section) == 64, "these are layouts of bytes");

static bool section(const char *elf, size_t bytes, const struct elf_head *h, unsigned i, struct elf_section *s)
{
    if (i >= h->sections || h->section_bytes < sizeof *s || h->sections_at > bytes) return false;
    if ((bytes - h->sections_at) / h->section_bytes <= i) return false;
    memcpy(s, elf + h->sections_at + (size_t)i * h->section_bytes, sizeof *s);
    return true;
}

unsigned cubin_registers(const char *elf, size_t bytes, const char *kernel)
{
    struct elf_head h;
    struct elf_section names, s;
    static const char prefix[] = ".text.";
    size_t length = strlen(kernel) + 1;
    if (bytes < sizeof h || memcmp(elf, "\177ELF\2", 5) != 0) return 0;
    memcpy(&h, elf, sizeof h);
    if (!section(elf, bytes, &h, h.names, &names) || names.at > bytes || names.bytes > bytes - names.at) return 0;
    const char *text = elf + names.at;
    for (unsigned i = 0; section(elf, bytes, &h, i, &s); i++) {
        if (s.name > names.bytes || names.bytes - s.name < sizeof prefix - 1 + length) continue;
        if (memcmp(text + s.name, prefix, sizeof prefix - 1) != 0) continue;
        if (memcmp(text + s.name + sizeof prefix - 1, kernel, length) == 0) return s.info >> 24;
    }
    return 0;
}

/* ---- what a program passes ---- */

/* The size a container may have is what can be read behind its address: the length in it is not believed. */
static char *container_ptx(const struct readable *r, const void *container, unsigned capability, struct wl_err *e)
{
    return fatbin_ptx(container, readable_bytes(r, container), capability, e);
}

static char *link_objects(const struct readable *r, const void *const *object, unsigned capability, struct wl_err *e)
{
    size_t n = 0, done = 0, most = readable_bytes(r, object) / sizeof *object;
    while (n < MAX_OBJECTS && n < most && object[n]) n++;
    if (n == most) return failed(e, "its list of objects has no end");
    char **text = calloc(n ? n : 1, sizeof *text), *linked = NULL;
    if (!text) wl_no_memory(e);
    while (text && done < n && (text[done] = container_ptx(r, object[done], capability, e))) done++;
    if (text && done == n) linked = ptx_link((const char *const *)text, n, e);
    for (size_t i = 0; i < done; i++) free(text[i]);
    free(text);
    return linked;
}

static char *program_ptx(const struct readable *r, const void *image, unsigned capability, struct wl_err *e)
{
    if (fatbin_kind(image) == FATBIN_CONTAINER) return container_ptx(r, image, capability, e);
    struct wrapper w;
    if (readable_bytes(r, image) < sizeof w) return failed(e, "its wrapper is cut off");
    memcpy(&w, image, sizeof w);
    if (w.magic != WRAPPER_MAGIC) return failed(e, "neither a wrapper nor a container");
    bool objects = w.version == 2 && w.objects;
    if (objects && readable_bytes(r, w.objects) < sizeof *w.objects) return failed(e, "its list of objects is nowhere");
    if (objects && w.objects[0]) return link_objects(r, w.objects, capability, e);
    if (!w.data) return failed(e, "a wrapper around nothing");
    return container_ptx(r, w.data, capability, e);
}

char *fatbin_program(const void *image, unsigned capability, struct wl_err *e)
{
    struct readable r;
    readable_open(&r);
    char *text = program_ptx(&r, image, capability, e);
    readable_close(&r);
    return text;
}
