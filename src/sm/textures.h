/* textures.h - what the texture unit of a GPU costs whose texels come from the L1D (l1d.readonly).
 *
 * A fetch finds its lines as a load does, but the unit in front of the cache computes addresses and the one behind it
 * formats texels: its result comes texture.delay cycles later than a load's. It looks at a few lanes in a cycle, fewer
 * where there are several coordinates, so a warp's fetch takes texture.turn cycles at least.
 */
#ifndef WL_SM_TEXTURES_H
#define WL_SM_TEXTURES_H

#include "param/config.h"
#include "stream/code.h"

struct texture_unit {
    uint16_t late[2]; /* cycles; of one coordinate, of several */
    uint8_t turn[2];  /* cycles; 0: as long as its lines take */
};

static inline void texture_unit_init(struct texture_unit *t, const int64_t *v)
{
    *t = (struct texture_unit){.late = {(uint16_t)v[P_TEXTURE_DELAY], (uint16_t)v[P_TEXTURE_DELAY_2D]},
                               .turn = {(uint8_t)v[P_TEXTURE_TURN], (uint8_t)v[P_TEXTURE_TURN_2D]}};
}

static inline bool texture_is_plane(const struct code_inst *in) { return in->element == CODE_TEX_PLANE; }

/* How many cycles later than a load's the result of the fetch comes. */
static inline uint32_t texture_late(const struct texture_unit *t, const struct code_inst *in)
{
    return t->late[texture_is_plane(in)];
}

/* For how many cycles a fetch of so many lines occupies the unit, whose busiest bank has so many words. */
static inline uint32_t texture_turns(const struct texture_unit *t, const struct code_inst *in, uint32_t lines,
                                     uint32_t words)
{
    bool plane = texture_is_plane(in);
    uint32_t most = plane ? lines : (lines + 1) / 2;
    if (!plane && words > most) most = words;
    return t->turn[plane] > most ? t->turn[plane] : most;
}

#endif
