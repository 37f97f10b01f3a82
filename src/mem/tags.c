#include "mem/tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static int arrays_resize(struct tags *t, size_t n)
{
    t->line = realloc(t->line, n * sizeof *t->line);
    t->state = realloc(t->state, n);
    t->sectors = realloc(t->sectors, n * sizeof *t->sectors);
    return t->line && t->state && t->sectors ? 0 : -1;
}

int tags_init(struct tags *t, uint32_t sets, uint32_t ways, enum index_fn index, bool infinite)
{
    *t = (struct tags){
        .sets = infinite ? 1 : sets, .ways = infinite ? 4096 : ways, .index = index, .infinite = infinite};
    t->in_use = t->ways;
    t->large = !infinite && (size_t)sets * ways >= TAGS_LARGE;
    t->filled = calloc(t->sets, sizeof *t->filled);
    if (!t->filled || arrays_resize(t, (size_t)t->sets * t->ways)) return -1;
    if (!infinite && ways > TAGS_FEW_WAYS && !(t->mark = calloc((size_t)sets * ways, 1))) return -1;
    if (infinite) {
        t->buckets = 4 * t->ways;
        t->bucket = malloc(t->buckets * sizeof *t->bucket);
        if (!t->bucket) return -1;
    }
    tags_clear(t);
    return 0;
}

void tags_destroy(struct tags *t)
{
    free(t->line);
    free(t->state);
    free(t->sectors);
    free(t->mark);
    free(t->bucket);
    free(t->filled);
    *t = (struct tags){0};
}

void tags_clear(struct tags *t)
{
    size_t n = (size_t)t->sets * t->ways;
    for (size_t i = 0; i < n; i++) t->line[i] = NO_LINE, t->sectors[i] = (struct line_sectors){.mshr = NO_MSHR};
    memset(t->state, WL_INVALID, n);
    memset(t->filled, 0, t->sets * sizeof *t->filled);
    t->used = 0;
    if (t->bucket) memset(t->bucket, 0xff, t->buckets * sizeof *t->bucket);
}

/* ---- set index functions ---- */

/* Rau's pseudo-random interleave: index bit i is xored with the parity of some higher bits. */
static const uint32_t ipoly16[] = {0xf59, 0x11eb, 0x3d6, 0x7ac};
static const uint32_t ipoly32[] = {0x3e69, 0x7cd2, 0x47cd, 0xf9a, 0x1f34};
static const uint32_t ipoly64[] = {0x79461, 0xbca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30};

/* Of a known number of sets: then the masks are constants. */
static inline __attribute__((always_inline)) uint32_t ipoly_of(uint64_t line, const uint32_t *poly, uint32_t set_bits)
{
    uint32_t high = (uint32_t)(line >> set_bits), index = (uint32_t)line & ((UINT32_C(1) << set_bits) - 1);
    for (uint32_t b = 0; b < set_bits; b++) index ^= (bit_count32(high & poly[b]) & 1) << b;
    return index;
}

static uint32_t ipoly_index(uint64_t line, uint32_t sets)
{
    return sets == 16   ? ipoly_of(line, ipoly16, 4)
           : sets == 32 ? ipoly_of(line, ipoly32, 5)
                        : ipoly_of(line, ipoly64, 6);
}

uint32_t set_index(enum index_fn fn, uint32_t sets, uint64_t key)
{
    switch (fn) {
    case INDEX_XOR: return (uint32_t)((key ^ key >> log2_floor(sets)) & (sets - 1));
    case INDEX_FERMI: return fermi_index(key, sets);
    case INDEX_IPOLY: return ipoly_index(key, sets);
    case INDEX_LINEAR: break;
    }
    return is_pow2(sets) ? (uint32_t)key & (sets - 1) : (uint32_t)(key % sets);
}

/* ---- the infinite array ---- */

static uint32_t bucket_of(const struct tags *t, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->buckets - 1);
}

int tags_find_infinite(const struct tags *t, uint64_t line)
{
    for (uint32_t b = bucket_of(t, line); t->bucket[b] != UINT32_MAX; b = (b + 1) & (t->buckets - 1))
        if (t->line[t->bucket[b]] == line) return (int)t->bucket[b];
    return -1;
}

static void put_bucket(struct tags *t, uint32_t at)
{
    uint32_t b = bucket_of(t, t->line[at]);
    while (t->bucket[b] != UINT32_MAX) b = (b + 1) & (t->buckets - 1);
    t->bucket[b] = at;
}

static int tags_grow(struct tags *t)
{
    uint32_t old = t->ways;
    uint32_t *b = realloc(t->bucket, (size_t)t->buckets * 2 * sizeof *b);
    if (!b) return -1;
    t->bucket = b;
    t->buckets *= 2;
    t->ways *= 2;
    if (arrays_resize(t, t->ways)) return -1;
    for (uint32_t i = old; i < t->ways; i++) {
        t->line[i] = NO_LINE;
        t->state[i] = WL_INVALID;
        t->sectors[i] = (struct line_sectors){.mshr = NO_MSHR};
    }
    memset(t->bucket, 0xff, t->buckets * sizeof *t->bucket);
    for (uint32_t i = 0; i < t->used; i++) put_bucket(t, i);
    return 0;
}

int tags_add_infinite(struct tags *t, uint64_t line)
{
    if (t->used == t->ways && tags_grow(t)) return -1;
    uint32_t at = t->used++;
    t->line[at] = line;
    put_bucket(t, at);
    return (int)at;
}
