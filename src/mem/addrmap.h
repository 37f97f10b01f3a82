/* addrmap.h - from an address to channel, slice, L2 set, bank and row.
 *
 * Reads GPGPU-Sim's address map strings: "dramid@8;....RRRR.BBBCCCCB.CCSSSSSS", most
 * significant first; R row, B bank, C and S column, D channel, 0 ignored. With dramid@N the
 * channel bits are inserted at bit N: by shifting when the number of channels is a power of
 * two, by division otherwise. The slice within a channel is the lowest bank bits. */
#ifndef WL_MEM_ADDRMAP_H
#define WL_MEM_ADDRMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/req.h"
#include "mem/tags.h"
#include "base/bits.h"
#include "base/err.h"

enum { MAP_MAX_RUNS = 32 }; /* every second bit */

/* A field gathered from an address: runs of adjacent bits, packed low to high. */
struct bit_field {
    unsigned nruns;
    struct {
        uint64_t keep;
        unsigned down;
    } run[MAP_MAX_RUNS]; /* shifted down, then kept where set */
};

enum map_hash { MAP_PLAIN, MAP_XOR, MAP_IPOLY, MAP_MIXED }; /* order of the choices of mem.hash */

struct addrmap {
    unsigned channels, slices, slice_bits;
    struct reciprocal by_channels;
    int insert_at; /* dramid@N, or -1: the channel has letters of its own */
    bool divide;   /* channels is not a power of two */
    unsigned channel_bits;
    enum map_hash hash, bank_hash;
    uint32_t banks;
    uint32_t half_groups; /* l2.halves: groups to which pairs of SMs are dealt out; 0: one L2 */
    enum index_fn l2_index;
    uint32_t l2_sets;
    struct bit_field row, bank, channel;
    struct bit_field inside; /* all bits but those of channel and slice */
};

struct place {
    uint32_t channel, slice; /* slice: global number, channel * slices + local */
    uint32_t bank, row, set; /* set: of the L2 slice, from the address without channel and slice bits */
};

int addrmap_init(struct addrmap *m, const char *text, unsigned channels, unsigned slices, unsigned banks,
                 struct wl_err *e);
void addrmap_place(const struct addrmap *m, uint64_t addr, struct place *out);
/* The half of the L2 that an SM is in: the first groups of SMs (icnt.join_groups) belong to one, the others to the
 * other. */
static inline uint32_t addrmap_half(const struct addrmap *m, uint32_t sm)
{
    return sm / 2 % m->half_groups >= m->half_groups / 2;
}
/* Writes a request's slice, set, bank and row. */
void addrmap_route(const struct addrmap *m, struct req *r);

#endif
