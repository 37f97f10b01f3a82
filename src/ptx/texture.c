/* texture.c - texture fetches.
 *
 * A texture is a view of device memory: base, pitch, size, element format, and rules for what lies
 * outside and between texels. The rules are those of the CUDA programming guide: without filtering
 * texel floor(x); with it the texels around x - 0.5, weighted with fractions kept in 8 bits.
 * Unnormalised coordinates know only clamp and border.
 *
 * Two-dimensional textures lie row by row, pitch-linear, also where the program used an array. Real
 * arrays are stored in tiles, so that a square of texels shares lines; here its rows are lines of
 * their own. What the timing half sees of a fetch is one texel per lane: the fetched one, or with
 * filtering the one of smaller x and y. A texel outside the border counts as the nearest inside. */
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
    r->tex_host = dev_ptr(mem, t->base, (t->height - 1) * t->pitch + row);
    if (!r->tex_host) {
        warp_fault(w, u, (int)lane, "the memory of the texture at 0x%llx was freed", (unsigned long long)t->base);
        return NULL;
    }
    r->tex = t;
    r->tex_handle = handle;
    return t;
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

static struct texel_place place_of(const struct texture *t, uint32_t bits, bool is_float, unsigned axis)
{
    uint32_t n = axis ? t->height : t->width;
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

static uint64_t texel_offset(const struct texture *t, int64_t x, int64_t y)
{
    return (uint64_t)y * t->pitch + (uint64_t)x * (t->bits / 8u) * t->channels;
}

static void texel(const struct texture *t, const uint8_t *host, int64_t x, int64_t y, uint32_t out[4])
{
    if (x < 0 || y < 0) {
        memcpy(out, t->border, sizeof t->border);
        return;
    }
    const uint8_t *p = host + texel_offset(t, x, y);
    out[1] = out[2] = 0; /* channels that are not stored */
    out[3] = gives_floats(t) ? f32_bits(1) : 1;
    for (unsigned k = 0; k < t->channels; k++) out[k] = channel(t, p + k * (t->bits / 8u));
}

static void blend(double sum[4], const struct texture *t, const uint8_t *host, int64_t x, int64_t y, double weight)
{
    uint32_t v[4];
    if (weight == 0) return;
    texel(t, host, x, y, v);
    for (unsigned k = 0; k < 4; k++) sum[k] += weight * (double)f32_of(v[k]);
}

static void fetch(const struct texture *t, const uint8_t *host, const struct texel_place *x,
                  const struct texel_place *y, uint32_t out[4])
{
    if (x->weight == 0 && y->weight == 0) {
        texel(t, host, x->i[0], y->i[0], out);
        return;
    }
    double sum[4] = {0};
    blend(sum, t, host, x->i[0], y->i[0], (1 - x->weight) * (1 - y->weight));
    blend(sum, t, host, x->i[1], y->i[0], x->weight * (1 - y->weight));
    blend(sum, t, host, x->i[0], y->i[1], (1 - x->weight) * y->weight);
    blend(sum, t, host, x->i[1], y->i[1], x->weight * y->weight);
    for (unsigned k = 0; k < 4; k++) out[k] = f32_bits((float)sum[k]);
}

int op_tex(struct exec_warp *w, const struct uop *u)
{
    struct exec_run *r = w->run;
    uint64_t addr[WARP_SIZE] = {0};
    bool is_float = u->type2 == T_F32, flat = u->mode == TEX_1D;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned lane = bit_low32(m);
        uint64_t handle = at64(w, u->s[0])[lane];
        const struct texture *t = r->tex;
        if (!t || r->tex_handle != handle) t = select_texture(w, u, lane, handle);
        if (!t) return RUN_FAULT;
        struct texel_place x = place_of(t, at32(w, u->s[1])[lane], is_float, 0);
        struct texel_place y =
            flat ? (struct texel_place){.i = {0, -1}} : place_of(t, at32(w, u->s[2])[lane], is_float, 1);
        uint32_t v[4];
        fetch(t, r->tex_host, &x, &y, v);
        for (unsigned k = 0; k < u->nvec; k++) put_lane(w, u->v[k], u->wide >> k & 1, lane, v[k]);
        addr[lane] = (t->base + texel_offset(t, x.shown, y.shown)) & ~(uint64_t)(TEX_ACCESS_BYTES - 1);
    }
    return mem_emit(w, u, addr);
}
