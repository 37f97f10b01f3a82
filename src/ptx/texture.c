/* texture.c - texture fetches and surfaces.
 *
 * A texture is a view of device memory: base, pitch, size, element format, and rules for what lies
 * outside and between texels. The rules are those of the CUDA programming guide: without filtering
 * texel floor(x); with it the texels around x - 0.5, weighted with fractions kept in 8 bits.
 * Unnormalised coordinates know only clamp and border.
 *
 * Textures of two and three dimensions lie row by row, pitch-linear, also where the program used an array. Real
 * arrays are stored in tiles, so that a square of texels shares lines; here its rows are lines of
 * their own, unless the machine wants tiles (l1t.layout). What the timing half sees of a fetch is one
 * texel per lane: the fetched one, or with filtering the one of smaller x, y and z. A texel outside the border counts
 * as the nearest inside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/exec_priv.h"
#include "ptx/fpmath.h"

/* ---- handles ---- */

static struct tex_entry *find(const struct tex_table *t, uint64_t handle)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->entry[i].handle == handle) return &t->entry[i];
    return NULL;
}

int dev_texture_set(struct dev_mem *m, uint64_t handle, const struct texture *texture)
{
    struct tex_table *t = dev_textures(m);
    struct tex_entry *e = find(t, handle);
    if (!texture) {
        if (e) *e = t->entry[--t->count];
        return 0;
    }
    if (!e) {
        if (t->count == t->cap) {
            uint32_t cap = t->cap ? 2 * t->cap : 16;
            struct tex_entry *p = realloc(t->entry, cap * sizeof *p);
            if (!p) return -1;
            t->entry = p;
            t->cap = cap;
        }
        e = &t->entry[t->count++];
    }
    *e = (struct tex_entry){.handle = handle, .texture = *texture};
    return 0;
}

void dev_set_texels(struct dev_mem *m, enum texel_layout layout) { dev_textures(m)->layout = layout; }

/* Makes `handle` the run's current texture and returns it, or NULL after a fault. */
static const struct texture *select_texture(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t handle)
{
    struct exec_run *r = w->run;
    struct dev_mem *mem = r->l.image->mem;
    const struct tex_entry *e = find(dev_textures(mem), handle);
    if (!e) {
        warp_fault(w, u, (int)lane, "no texture is bound to handle 0x%llx", (unsigned long long)handle);
        return NULL;
    }
    const struct texture *t = &e->texture;
    uint64_t row = (uint64_t)t->width * (t->bits / 8u) * t->channels;
    uint64_t planes = t->depth > 1 ? (t->depth - 1) * t->slice : 0;
    r->tex_host = dev_ptr(mem, t->base, planes + (t->height - 1) * t->pitch + row);
    if (!r->tex_host) {
        warp_fault(w, u, (int)lane, "the memory of the texture at 0x%llx was freed", (unsigned long long)t->base);
        return NULL;
    }
    r->tex = t;
    r->tex_handle = handle;
    return t;
}

/* The same for the handle that a lane has; lanes and instructions usually go on with the texture before. */
static const struct texture *texture_of_lane(struct exec_warp *w, const struct uop *u, unsigned lane)
{
    uint64_t handle = at64(w, u->s[0])[lane];
    return w->run->tex && w->run->tex_handle == handle ? w->run->tex : select_texture(w, u, lane, handle);
}

/* ---- coordinates ---- */

/* The texel that stands for number i of n, or -1: the border. */
static int64_t inside(int64_t i, int64_t n, unsigned mode)
{
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case TEX_BORDER: return -1;
    case TEX_WRAP: i %= n; return i < 0 ? i + n : i;
    case TEX_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    default: return i < 0 ? 0 : n - 1;
    }
}

static int64_t nearest(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/* A float coordinate in units of texels. */
static double to_texels(const struct texture *t, float x, uint32_t n)
{
    double v = isnan(x) ? 0 : fmin(fmax((double)x, -1e12), 1e12);
    return t->normalized ? v * n : v;
}

/* Texels a coordinate lies between (the same one twice without filtering) and the weight of the second. */
struct texel_place {
    int64_t i[2];
    int64_t shown; /* the one the timing half sees */
    double weight;
};

/* Whether a fetch gives floats; only these can be filtered. */
static bool gives_floats(const struct texture *t) { return t->format == TEX_FLOAT || (t->bits < 32 && !t->as_integer); }

static uint32_t extent(const struct texture *t, unsigned axis)
{
    uint32_t n = axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
    return n ? n : 1;
}

static struct texel_place place_of(const struct texture *t, uint32_t bits, bool is_float, unsigned axis)
{
    uint32_t n = extent(t, axis);
    bool filter = t->linear && is_float && gives_floats(t);
    unsigned mode = t->address[axis];
    if ((!is_float || !t->normalized) && mode != TEX_BORDER) mode = TEX_CLAMP;
    double x = is_float ? to_texels(t, f32_of(bits), n) : (double)(int32_t)bits;
    if (filter) x -= 0.5;
    int64_t i = (int64_t)floor(x);
    struct texel_place p = {.i = {inside(i, n, mode), -1}, .shown = 0, .weight = 0};
    if (filter) {
        p.weight = floor((x - floor(x)) * 256 + 0.5) / 256;
        p.i[1] = inside(i + 1, n, mode);
    }
    p.shown = p.i[0] >= 0 ? p.i[0] : nearest(i, n);
    return p;
}

/* A layer is clamped; it is never filtered. */
static struct texel_place layer_of(const struct texture *t, int64_t layer)
{
    int64_t l = nearest(layer, extent(t, 2));
    return (struct texel_place){.i = {l, -1}, .shown = l};
}

/* ---- texels ---- */

static uint32_t normalised_bits(const struct texture *t, uint32_t raw)
{
    if (t->format == TEX_UNSIGNED) return f32_bits((float)raw / (float)((1u << t->bits) - 1));
    float f = (float)(int32_t)raw / (float)((1 << (t->bits - 1)) - 1);
    return f32_bits(f < -1 ? -1 : f);
}

static uint32_t channel(const struct texture *t, const uint8_t *p)
{
    uint32_t raw = 0;
    memcpy(&raw, p, t->bits / 8u);
    if (t->format == TEX_FLOAT) return t->bits == 16 ? f32_bits(f16_to_f32((uint16_t)raw)) : raw;
    if (t->format == TEX_SIGNED && t->bits < 32) raw = (uint32_t)((int32_t)(raw << (32 - t->bits)) >> (32 - t->bits));
    return t->bits < 32 && !t->as_integer ? normalised_bits(t, raw) : raw;
}

static uint64_t texel_offset(const struct texture *t, int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x * (t->bits / 8u) * t->channels;
}

/* Where GPGPU-Sim shows a texel of an array to its texture cache: a tile fills a line, but begins 64 bytes behind the
 * one before it, so that two of them share a line and a tile's second half lies on the first half of the next. Tiles
 * above are counted as texels and then divided (width need not be a multiple of a tile's). */
static uint64_t tiled_offset(const struct texture *t, uint64_t x, uint64_t y)
{
    enum { STEP = 64 };
    uint64_t bytes = t->bits / 8u * t->channels;
    uint64_t wide = bytes < 4 ? 16 : bytes < 16 ? 8 : 4, row = wide * bytes;
    uint64_t high = row <= 16 ? 8 : row <= 32 ? 4 : 2; /* rows that fill a line of 128 bytes */
    uint64_t tile = y / high * t->width / wide + x / wide;
    return tile * STEP + (y % high * wide + x % wide) * bytes;
}

/* Where a GPU has it: blocks of 64 bytes by 8 rows lie side by side. In a block two halves of 32 bytes by 8 rows follow
 * one another, in these strips of two rows, and in a strip two sectors, which have 16 bytes of either row. */
static uint64_t block_offset(const struct texture *t, uint64_t x, uint64_t y)
{
    enum { WIDE = 64, HIGH = 8, HALF = 256, STRIP = 64, SECTOR = 32, PART = 16 };
    uint64_t bytes = t->bits / 8u * t->channels, b = x * bytes % WIDE, row = y % HIGH;
    uint64_t blocks = (t->width * bytes + WIDE - 1) / WIDE, block = y / HIGH * blocks + x * bytes / WIDE;
    return block * WIDE * HIGH + b / 32 * HALF + row / 2 * STRIP + b % 32 / PART * SECTOR + row % 2 * PART + b % PART;
}

/* Where the timing half sees the texel that a fetch stands for. */
static uint64_t shown_offset(const struct tex_table *table, const struct texture *t, unsigned mode,
                             const struct texel_place at[3])
{
    if (mode == TEX_2D && t->array && table->layout)
        return (table->layout == TEXEL_TILES ? tiled_offset : block_offset)(t, (uint64_t)at[0].shown,
                                                                            (uint64_t)at[1].shown);
    return texel_offset(t, at[0].shown, at[1].shown, at[2].shown);
}

static void texel(const struct texture *t, const uint8_t *host, int64_t x, int64_t y, int64_t z, uint32_t out[4])
{
    if (x < 0 || y < 0 || z < 0) {
        memcpy(out, t->border, sizeof t->border);
        return;
    }
    const uint8_t *p = host + texel_offset(t, x, y, z);
    out[1] = out[2] = 0; /* channels that are not stored */
    out[3] = gives_floats(t) ? f32_bits(1) : 1;
    for (unsigned k = 0; k < t->channels; k++) out[k] = channel(t, p + k * (t->bits / 8u));
}

/* Of the texels on both sides of each coordinate; a side of no weight is not read. */
static void fetch(const struct texture *t, const uint8_t *host, const struct texel_place at[3], uint32_t out[4])
{
    if (at[0].weight == 0 && at[1].weight == 0 && at[2].weight == 0) {
        texel(t, host, at[0].i[0], at[1].i[0], at[2].i[0], out);
        return;
    }
    double sum[4] = {0};
    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        int64_t i[3];
        for (unsigned axis = 0; axis < 3; axis++) {
            unsigned far = corner >> axis & 1;
            weight *= far ? at[axis].weight : 1 - at[axis].weight;
            i[axis] = at[axis].i[far];
        }
        uint32_t v[4] = {0};
        if (weight == 0) continue;
        texel(t, host, i[0], i[1], i[2], v);
        for (unsigned k = 0; k < 4; k++) sum[k] += weight * (double)f32_of(v[k]);
    }
    for (unsigned k = 0; k < 4; k++) out[k] = f32_bits((float)sum[k]);
}

/* tld4: one channel of the four texels that filtering would read, from the lower left against the clock. */
static void gather(const struct texture *t, const uint8_t *host, const struct texel_place at[3], unsigned k,
                   uint32_t out[4])
{
    static const uint8_t side[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (unsigned i = 0; i < 4; i++) {
        uint32_t v[4];
        texel(t, host, at[0].i[side[i][0]], at[1].i[side[i][1]], at[2].i[0], v);
        out[i] = v[k];
    }
}

/* ---- fetches ---- */

/* The face of a cube that a direction points at, and where: CUDA programming guide, "Cubemap Textures". */
static unsigned cube_face(const uint32_t dir[3], uint32_t on_face[2])
{
    float x = f32_of(dir[0]), y = f32_of(dir[1]), z = f32_of(dir[2]);
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), m, s, t;
    unsigned face;
    if (ax >= ay && ax >= az) face = x < 0, m = ax, s = x >= 0 ? -z : z, t = -y;
    else if (ay >= az) face = y >= 0 ? 2u : 3u, m = ay, s = x, t = y >= 0 ? z : -z;
    else face = z >= 0 ? 4u : 5u, m = az, s = z >= 0 ? x : -x, t = -y;
    on_face[0] = f32_bits((s / m + 1) / 2);
    on_face[1] = f32_bits((t / m + 1) / 2);
    return face;
}

/* Coordinates stand in s[1..4] as the instruction lists them: a layer first. */
static void places(const struct exec_warp *w, const struct uop *u, const struct texture *t, unsigned lane,
                   struct texel_place at[3])
{
    bool is_float = u->type2 == T_F32;
    uint32_t c[4];
    for (unsigned i = 0; i < 4; i++) c[i] = at32(w, u->s[1 + i])[lane];
    at[1] = at[2] = (struct texel_place){.i = {0, -1}};
    switch (u->mode) {
    case TEX_A1D:
        at[0] = place_of(t, c[1], is_float, 0);
        at[2] = layer_of(t, c[0]);
        return;
    case TEX_A2D:
        at[0] = place_of(t, c[1], is_float, 0);
        at[1] = place_of(t, c[2], is_float, 1);
        at[2] = layer_of(t, c[0]);
        return;
    case TEX_CUBE:
    case TEX_ACUBE: {
        uint32_t xy[2];
        unsigned face = cube_face(u->mode == TEX_CUBE ? c : c + 1, xy);
        struct texture view = *t; /* faces are addressed by fractions of their size, and end at their edges */
        view.normalized = true;
        view.address[0] = view.address[1] = TEX_CLAMP;
        at[0] = place_of(&view, xy[0], true, 0);
        at[1] = place_of(&view, xy[1], true, 1);
        at[2] = layer_of(t, (u->mode == TEX_ACUBE ? 6 * (int64_t)c[0] : 0) + face);
        return;
    }
    default:
        at[0] = place_of(t, c[0], is_float, 0);
        if (u->mode != TEX_1D) at[1] = place_of(t, c[1], is_float, 1);
        if (u->mode == TEX_3D) at[2] = place_of(t, c[2], is_float, 2);
        return;
    }
}

static bool is_one_handle(const struct exec_warp *w, const uint64_t *handle, uint64_t first)
{
    uint64_t others = 0;
    for (unsigned i = 0; i < WARP_SIZE; i++) others |= (handle[i] ^ first) & (uint64_t)(int64_t)(int32_t)w->lanes[i];
    return !others;
}

/* Whether all lanes fetch single words of one row by their numbers, which is what programs do that use a texture for
 * its cache (tex1Dfetch). */
static bool fetches_words(const struct exec_warp *w, const struct uop *u, const struct texture *t)
{
    return u->in->op == OP_TEX && u->mode == TEX_1D && u->type2 != T_F32 && !u->wide && t->bits == 32 &&
           t->channels == 1 && is_one_handle(w, at64(w, u->s[0]), w->run->tex_handle);
}

static void fetch_words(struct exec_warp *w, const struct uop *u, const struct texture *t, uint64_t addr[WARP_SIZE])
{
    const uint8_t *host = w->run->tex_host;
    const int32_t *number = at(w, u->s[1]);
    const uint32_t absent[4] = {0, 0, 0, gives_floats(t) ? f32_bits(1) : 1}, last = extent(t, 0) - 1;
    uint32_t word[WARP_SIZE], x[WARP_SIZE], border[WARP_SIZE]; /* all ones: it lies outside, and that counts */
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint32_t n = number[i] < 0 ? 0 : (uint32_t)number[i];
        x[i] = n < last ? n : last;
        border[i] = t->address[0] == TEX_BORDER && (int64_t)x[i] != number[i] ? UINT32_MAX : 0;
        addr[i] = (t->base + (uint64_t)x[i] * sizeof *word) & ~(uint64_t)(TEX_ACCESS_BYTES - 1);
    }
    for (unsigned i = 0; i < WARP_SIZE; i++) memcpy(&word[i], host + (size_t)x[i] * sizeof *word, sizeof *word);
    for (unsigned k = 0; k < u->nvec; k++) {
        uint32_t *to = at32(w, u->v[k]);
        for (unsigned i = 0; i < WARP_SIZE; i++) {
            uint32_t v = k ? absent[k] : word[i];
            v ^= (v ^ t->border[k]) & border[i];
            to[i] ^= (to[i] ^ v) & w->lanes[i];
        }
    }
}

int op_tex(struct exec_warp *w, const struct uop *u)
{
    const struct exec_run *r = w->run;
    uint64_t addr[WARP_SIZE] = {0};
    const struct texture *t = texture_of_lane(w, u, bit_low32(w->exec));
    if (!t) return RUN_FAULT;
    if (fetches_words(w, u, t)) {
        fetch_words(w, u, t, addr);
        return mem_emit(w, u, addr);
    }
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        t = texture_of_lane(w, u, lane);
        if (!t) return RUN_FAULT;
        struct texel_place at[3];
        uint32_t v[4] = {0};
        if (u->in->op == OP_TLD4) {
            struct texture view = *t;
            view.linear = true;
            places(w, u, &view, lane, at);
            gather(t, r->tex_host, at, u->boolop, v);
        } else {
            places(w, u, t, lane, at);
            fetch(t, r->tex_host, at, v);
        }
        for (unsigned k = 0; k < u->nvec; k++) put_lane(w, u->v[k], u->wide >> k & 1, lane, v[k]);
        uint64_t offset = shown_offset(dev_textures(r->l.image->mem), t, u->mode, at);
        addr[lane] = (t->base + offset) & ~(uint64_t)(TEX_ACCESS_BYTES - 1);
    }
    return mem_emit(w, u, addr);
}

/* ---- questions ---- */

int op_txq(struct exec_warp *w, const struct uop *u)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        const struct texture *t = select_texture(w, u, lane, at64(w, u->s[0])[lane]);
        if (!t) return RUN_FAULT;
        const uint32_t answer[] = {
            t->width, t->height, t->layered ? 0 : t->depth, t->layered ? t->depth : 0, t->normalized, 1, 1};
        at32(w, u->d)[lane] = answer[u->mode];
    }
    return RUN_ON;
}

/* ---- surfaces ---- */

/* x counts bytes, but texels for the formatted form. The byte, or -1: outside and not to be touched. */
static int surface_byte(struct exec_warp *w, const struct uop *u, const struct texture *t, unsigned lane, bool texels,
                        unsigned bytes, int64_t *out)
{
    unsigned first = u->mode == TEX_A1D || u->mode == TEX_A2D, size = t->bits / 8u * t->channels;
    int64_t c[3] = {0}, limit[3] = {(int64_t)t->width * size, extent(t, 1), extent(t, 2)};
    unsigned axes = u->mode == TEX_1D || u->mode == TEX_A1D ? 1 : u->mode == TEX_3D ? 3 : 2;
    for (unsigned i = 0; i < axes; i++) c[i] = (int32_t)at32(w, u->s[1 + first + i])[lane];
    if (first) c[2] = (int32_t)at32(w, u->s[1])[lane];
    if (texels) c[0] *= size;
    for (unsigned i = 0; i < 3; i++) {
        int64_t last = limit[i] - (i ? 1 : (int64_t)bytes);
        if (c[i] >= 0 && c[i] <= last) continue;
        if (u->boolop == SURF_TRAP)
            return warp_fault(w, u, (int)lane, "a surface of %u x %u x %u is accessed at (%lld, %lld, %lld)", t->width,
                              extent(t, 1), extent(t, 2), (long long)c[0], (long long)c[1], (long long)c[2]);
        if (u->boolop == SURF_ZERO) {
            *out = -1;
            return RUN_ON;
        }
        c[i] = c[i] < 0 ? 0 : last;
    }
    if (bytes && c[0] % bytes)
        return warp_fault(w, u, (int)lane, "misaligned surface access of %u bytes at x = %lld", bytes, (long long)c[0]);
    *out = c[2] * (int64_t)t->slice + c[1] * (int64_t)t->pitch + c[0];
    return RUN_ON;
}

static uint32_t from_float(const struct texture *t, uint32_t v)
{
    return t->format == TEX_FLOAT && t->bits == 16 ? f16_from_f32(f32_of(v)) : v;
}

/* One lane of suld.b, sust.b, sust.p or sured. */
static int surface_lane(struct exec_warp *w, const struct uop *u, const struct texture *t, unsigned lane,
                        uint64_t *addr)
{
    bool formatted = u->in->op == OP_SUST && u->sign;
    unsigned size = formatted ? t->bits / 8u : u->bytes, n = formatted ? t->channels : u->nvec;
    int64_t at = -1;
    if (surface_byte(w, u, t, lane, formatted, size * n, &at)) return RUN_FAULT;
    *addr = t->base + (at < 0 ? 0 : (uint64_t)at);
    uint8_t *p = (uint8_t *)(uintptr_t)w->run->tex_host + at;
    for (unsigned k = 0; k < n; k++, p += size) {
        uint64_t v = 0;
        if (u->in->op == OP_SULD) {
            if (at >= 0) memcpy(&v, p, size);
            put_lane(w, u->v[k], u->wide >> k & 1, lane, v);
        } else if (at >= 0) {
            v = k < u->nvec ? get_lane(w, u->v[k], u->wide >> k & 1, lane) : 0;
            if (formatted) v = from_float(t, (uint32_t)v);
            if (u->in->op == OP_SURED) {
                uint64_t old = 0;
                memcpy(&old, p, size);
                v = atom_apply(u, old, v);
            }
            memcpy(p, &v, size);
        }
    }
    return RUN_ON;
}

int op_surface(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE] = {0};
    if (u->in->op != OP_SULD) w->run->progress++;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        const struct texture *t = texture_of_lane(w, u, lane);
        if (!t || surface_lane(w, u, t, lane, &addr[lane])) return RUN_FAULT;
    }
    return mem_emit(w, u, addr);
}
