/* Packed bytes are a sequence of (varint literals, the literals, varint repeated, varint distance): so many bytes as they
 * are, then so many that stand `distance` before. The last pair has no repetition when the literals end the slice.
 * Candidates for a repetition are found by a table of the places where four bytes were last seen. */
#include "stream/slices.h"

#include <stdlib.h>
#include <string.h>

struct slice {
    struct slice *next;
    uint32_t raw; /* bytes before packing */
    uint8_t packed[];
};

enum { HASH_BITS = 12, SHORTEST = 4 };

static uint32_t four(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static uint8_t *put(uint8_t *p, size_t v)
{
    for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static size_t get(const uint8_t **pp)
{
    const uint8_t *p = *pp;
    size_t v = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7) v |= (size_t)(*p & 0x7f) << shift;
    *pp = p;
    return v;
}

static uint8_t *put_literals(uint8_t *out, const uint8_t *in, size_t n)
{
    out = put(out, n);
    memcpy(out, in, n);
    return out + n;
}

size_t slice_pack(const uint8_t *in, size_t size, uint8_t *out)
{
    uint32_t seen[1 << HASH_BITS] = {0}; /* place + 1 */
    uint8_t *o = out;
    size_t from = 0, i = 0; /* literals begin at `from` */
    while (i + SHORTEST <= size) {
        uint32_t word = four(in + i), *place = &seen[word * UINT32_C(2654435761) >> (32 - HASH_BITS)];
        size_t before = *place;
        *place = (uint32_t)i + 1;
        if (!before || four(in + before - 1) != word) {
            i++;
            continue;
        }
        size_t n = SHORTEST, distance = i - (before - 1);
        while (i + n < size && in[i + n] == in[i + n - distance]) n++;
        o = put_literals(o, in + from, i - from);
        o = put(put(o, n), distance);
        i += n;
        from = i;
    }
    if (from < size) o = put_literals(o, in + from, size - from);
    return (size_t)(o - out);
}

void slice_unpack(const uint8_t *packed, uint8_t *out, size_t size)
{
    const uint8_t *end = out + size;
    while (out < end) {
        size_t n = get(&packed);
        memcpy(out, packed, n);
        out += n;
        packed += n;
        if (out == end) return;
        n = get(&packed);
        size_t distance = get(&packed);
        if (distance >= n) {
            memcpy(out, out - distance, n);
            out += n;
        } else {
            for (; n; n--, out++) *out = out[-(ptrdiff_t)distance]; /* it repeats itself */
        }
    }
}

bool slice_add(struct slice_chain *c, const uint8_t *data, size_t size)
{
    struct slice *s = malloc(sizeof *s + slice_bound(size));
    if (!s) return false;
    *s = (struct slice){.raw = (uint32_t)size};
    size_t packed = slice_pack(data, size, s->packed);
    struct slice *smaller = realloc(s, sizeof *s + packed);
    if (smaller) s = smaller;
    if (c->last) c->last->next = s;
    else c->first = s;
    c->last = s;
    c->raw += size;
    if (size > c->longest) c->longest = size;
    return true;
}

bool slice_prepare(struct slice_chain *c)
{
    if (c->longest <= c->open_cap) return true;
    uint8_t *p = realloc(c->open, c->longest);
    if (!p) return false;
    c->open = p;
    c->open_cap = c->longest;
    return true;
}

bool slice_take(struct slice_chain *c, struct warp_stream *out)
{
    struct slice *s = c->first;
    if (!s) return false;
    slice_unpack(s->packed, c->open, s->raw);
    *out = (struct warp_stream){.data = c->open, .size = s->raw};
    c->first = s->next;
    if (!c->first) c->last = NULL;
    free(s);
    return true;
}

void slice_clear(struct slice_chain *c)
{
    while (c->first) {
        struct slice *s = c->first;
        c->first = s->next;
        free(s);
    }
    c->last = NULL;
    c->raw = c->longest = 0;
}

void slice_free(struct slice_chain *c)
{
    slice_clear(c);
    free(c->open);
    *c = (struct slice_chain){0};
}
