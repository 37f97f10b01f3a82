/* lz4.c - decodes one LZ4 block, as nvcc 11 and 12 compress PTX.
 *
 * A block is a sequence of (token, literals, match). The token's upper half is the number of
 * literals, its lower half the match length minus 4; 15 means that bytes follow to be added, until
 * one is not 255. A match is a two-byte distance back into the output. The last sequence has
 * literals only. */
#include <string.h>

#include "cuda/fatbin.h"

struct input {
    const uint8_t *p, *end;
};

/* The length that a half token begins; SIZE_MAX when the input ends inside it. */
static size_t length(struct input *in, unsigned half)
{
    size_t n = half;
    if (half < 15) return n;
    for (uint8_t more = 255; more == 255;) {
        if (in->p == in->end) return SIZE_MAX;
        more = *in->p++;
        n += more;
    }
    return n;
}

int64_t lz4_block(const uint8_t *data, size_t in_size, uint8_t *out, size_t out_size)
{
    struct input in = {data, data + in_size};
    size_t at = 0;
    while (in.p < in.end) {
        unsigned token = *in.p++;
        size_t literals = length(&in, token >> 4);
        if (literals > (size_t)(in.end - in.p) || literals > out_size - at) return -1;
        if (literals) memcpy(out + at, in.p, literals);
        in.p += literals;
        at += literals;
        if (in.p == in.end) return (int64_t)at;
        if (in.end - in.p < 2) return -1;
        size_t distance = (size_t)in.p[0] | (size_t)in.p[1] << 8;
        in.p += 2;
        size_t match = length(&in, token & 15);
        if (match == SIZE_MAX || distance == 0 || distance > at || match + 4 > out_size - at) return -1;
        for (size_t i = 0; i < match + 4; i++, at++) out[at] = out[at - distance]; /* may overlap itself */
    }
    return -1; /* a block does not end with a match */
}
