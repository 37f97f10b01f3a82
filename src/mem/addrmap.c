#include "mem/addrmap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static inline uint64_t gather(const struct bit_field *f, uint64_t addr)
{
    uint64_t v = addr >> f->run[0].down & f->run[0].keep; /* nothing of a field without bits */
    for (unsigned i = 1; i < f->nruns; i++) v |= addr >> f->run[i].down & f->run[i].keep;
    return v;
}

/* Makes the field of the bits set in `mask`. */
static void make_field(struct bit_field *f, uint64_t mask)
{
    unsigned to = 0;
    f->nruns = 0;
    for (unsigned bit = 0; bit < 64;) {
        if (!(mask >> bit & 1)) {
            bit++;
            continue;
        }
        unsigned len = 0;
        while (bit + len < 64 && mask >> (bit + len) & 1) len++;
        f->run[f->nruns].down = bit - to;
        f->run[f->nruns].keep = UINT64_MAX >> (64 - len) << to;
        f->nruns++;
        to += len;
        bit += len;
    }
}

struct masks {
    uint64_t row, bank, channel;
};

/* The letters, most significant first, into one mask per kind. */
static int read_letters(const char *letters, struct masks *k, struct wl_err *e)
{
    *k = (struct masks){0};
    int bit = 63;
    for (const char *p = letters; *p; p++) {
        if (*p == '.' || *p == '|' || isspace((unsigned char)*p)) continue;
        if (bit < 0) return wl_fail(e, WL_EINPUT, "dram.map: more than 64 letters in \"%s\"", letters);
        uint64_t b = bit64((unsigned)bit--);
        switch (toupper((unsigned char)*p)) {
        case 'R': k->row |= b; break;
        case 'B': k->bank |= b; break;
        case 'D': k->channel |= b; break;
        case 'C': /* columns: only that they are there matters */
        case 'S':
        case '0': break;
        default: return wl_fail(e, WL_EINPUT, "dram.map: letter '%c' is none of R B C S D 0", *p);
        }
    }
    if (bit >= 0) return wl_fail(e, WL_EINPUT, "dram.map: needs 64 letters, \"%s\" has %d", letters, 63 - bit);
    return 0;
}

/* Opens a gap of n bits at `at`: what was above moves up. */
static uint64_t open_gap(uint64_t mask, unsigned at, unsigned n)
{
    uint64_t low = mask & (bit64(at) - 1);
    return low | (mask & ~(bit64(at) - 1)) << n;
}

int addrmap_init(struct addrmap *m, const char *text, unsigned channels, unsigned slices, unsigned banks,
                 struct wl_err *e)
{
    struct masks k;
    const char *letters = text;
    *m = (struct addrmap){.channels = channels,
                          .by_channels = reciprocal_of(channels),
                          .slices = slices,
                          .banks = banks,
                          .insert_at = -1};
    m->slice_bits = slices > 1 ? log2_floor(slices) : 0;
    if (strncmp(text, "dramid@", 7) == 0) {
        char *end;
        m->insert_at = (int)strtol(text + 7, &end, 10);
        if (*end != ';' || m->insert_at < 7 || m->insert_at > 40)
            return wl_fail(e, WL_EINPUT, "dram.map: \"dramid@N;\" needs N from 7 to 40, got \"%.16s\"", text);
        letters = end + 1;
    }
    if (read_letters(letters, &k, e)) return WL_EINPUT;
    m->divide = !is_pow2(channels);
    m->channel_bits = log2_floor(channels);
    if (m->insert_at >= 0 && !m->divide && channels > 1) {
        unsigned at = (unsigned)m->insert_at;
        k.row = open_gap(k.row, at, m->channel_bits);
        k.bank = open_gap(k.bank, at, m->channel_bits);
        k.channel = (bit64(m->channel_bits) - 1) << at;
    }
    if (m->insert_at < 0 && (m->divide || bit_count64(k.channel) != m->channel_bits))
        return wl_fail(e, WL_EINPUT, "dram.map: %u D letters cannot name %u channels", bit_count64(k.channel),
                       channels);
    if (bit_count64(k.bank) > 16 || bit64(bit_count64(k.bank)) != banks)
        return wl_fail(e, WL_EINPUT, "dram.map has %u bank bits but dram.banks is %u", bit_count64(k.bank), banks);
    if (m->slice_bits > bit_count64(k.bank))
        return wl_fail(e, WL_EINPUT, "l2.slices_per_channel = %u needs more bank bits than dram.map has", slices);
    uint64_t slice_mask = 0, rest = k.bank; /* the slice is the lowest bank bits */
    for (unsigned i = 0; i < m->slice_bits; i++, rest &= rest - 1) slice_mask |= rest & -rest;
    make_field(&m->row, k.row);
    make_field(&m->bank, k.bank);
    make_field(&m->channel, k.channel);
    make_field(&m->inside, ~(slice_mask | (m->divide ? 0 : k.channel)) & (bit64(56) - 1));
    return 0;
}

/* Channel of an address, and the address with the channel divided out where that is the rule. */
static uint32_t split_channel(const struct addrmap *m, uint64_t addr, uint64_t *rest)
{
    *rest = addr;
    if (m->channels == 1) return 0;
    if (!m->divide) return (uint32_t)gather(&m->channel, addr);
    unsigned at = (unsigned)m->insert_at;
    uint64_t high = addr >> at, q = reciprocal_divide(high, &m->by_channels);
    *rest = q << at | (addr & (bit64(at) - 1));
    return (uint32_t)(high - q * m->channels);
}

/* A slice for each line as if by lot, any number of them: lines side by side can meet in one, as on a real GPU. Where
 * many SMs ask for few lines, the slice that has most of these decides. */
static uint32_t mixed_slice(const struct addrmap *m, uint64_t addr)
{
    uint64_t line = addr >> LINE_SHIFT;
    return (uint32_t)((splitmix64(&line) >> 32) * (m->channels * m->slices) >> 32);
}

/* The slice mixed with the address bits above those that choose it, as GPGPU-Sim does. A power of two of
 * slices: two lines of one slice that differ only there stay different in their other fields. Another number:
 * the bits are those of the address divided by the channels, `rest`, the hash is that of the next power of two,
 * and numbers beyond the last slice begin again (addrdec.cc 130 to 150 of commit 667834c, 2024-10-07). The first
 * slices then get twice as much as the others, and lines that were apart can meet in a row. */
static uint32_t hash_slice(const struct addrmap *m, uint64_t addr, uint64_t rest, uint32_t slice)
{
    unsigned at = m->insert_at > 0 ? (unsigned)m->insert_at : 8, bits = m->channel_bits + m->slice_bits;
    uint32_t all = m->channels * m->slices;
    if (m->hash == MAP_MIXED) return mixed_slice(m, addr);
    if (m->divide) {
        bits++;
        uint32_t hashed = set_index(INDEX_IPOLY, UINT32_C(1) << bits, rest >> at << bits | slice);
        return hashed < all ? hashed : hashed - all;
    }
    uint64_t high = addr >> (at + bits);
    if (m->hash == MAP_IPOLY) return set_index(INDEX_IPOLY, all, high << bits | slice);
    uint32_t channel = (slice >> m->slice_bits) ^ ((uint32_t)high & (m->channels - 1));
    return channel << m->slice_bits | (slice & (m->slices - 1));
}

/* The bank mixed with the row, after it has named the slice. */
static uint32_t hash_bank(const struct addrmap *m, uint32_t bank, uint32_t row)
{
    if (m->bank_hash == MAP_XOR) return bank ^ (row & (m->banks - 1));
    return set_index(INDEX_IPOLY, m->banks, (uint64_t)row * m->banks | bank);
}

void addrmap_place(const struct addrmap *m, uint64_t addr, struct place *out)
{
    uint64_t rest;
    out->channel = split_channel(m, addr, &rest);
    out->bank = (uint32_t)gather(&m->bank, rest);
    out->slice = out->channel * m->slices + (out->bank & (m->slices - 1));
    if (m->hash) {
        out->slice = hash_slice(m, addr, rest, out->slice);
        out->channel = out->slice >> m->slice_bits;
    }
    if (m->half_groups) /* of a pair of slices, one per half, any two lines side by side have different ones */
        out->slice = (out->slice & ~1u) | (uint32_t)__builtin_parityll(addr >> LINE_SHIFT);
    out->row = (uint32_t)gather(&m->row, rest);
    if (m->bank_hash) out->bank = hash_bank(m, out->bank, out->row);
    out->set = set_index(m->l2_index, m->l2_sets, gather(&m->inside, rest) >> LINE_SHIFT);
}

void addrmap_route(const struct addrmap *m, struct req *r)
{
    struct place p;
    addrmap_place(m, r->line << LINE_SHIFT, &p);
    r->slice = (uint16_t)p.slice;
    r->set = (uint16_t)p.set;
    r->bank = (uint8_t)p.bank;
    r->row = p.row;
    if (!m->half_groups) return;
    uint32_t near = (p.slice & ~1u) | addrmap_half(m, r->sm);
    r->slice = (uint16_t)near;
    r->trip = near != p.slice ? TRIP_FAR : TRIP_NONE;
}
