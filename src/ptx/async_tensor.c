/* async_tensor.c - copies and prefetches of the boxes and columns of a tensor (cp.async.bulk.tensor), element by
 * element: where one lies says the tensor map (tensor_map.h). */
#include "ptx/async_copy.h"
#include "ptx/tensor_map.h"

#include <string.h>

/* The map, and where the copy begins. */
static int tensor_where(struct exec_warp *w, const struct uop *u, unsigned lane, struct tensor_map *map,
                        struct tensor_start *start)
{
    struct uop map_at = {.in = u->in, .space = PTX_SPACE_NONE, .range = u->range};
    uint64_t addr = at64(w, u->s[1])[lane];
    const uint8_t *bytes = mem_lane(w, &map_at, lane, addr, 64, "tensor map access");
    const struct uop *more = &u->more[1];
    *start = (struct tensor_start){0};
    if (!bytes || !mem_lane(w, &map_at, lane, addr + 64, 64, "tensor map access")) return RUN_FAULT;
    const char *why = tensor_map_read(bytes, map);
    if (why) return warp_fault(w, u, (int)lane, "%s", why);
    if (map->dims != u->nvec)
        return warp_fault(w, u, (int)lane, "the tensor map is of %u dimensions, not %u", map->dims, u->nvec);
    if (map->im2col != (bool)u->sign)
        return warp_fault(w, u, (int)lane, "the tensor map is %s and the copy is not",
                          map->im2col ? "for im2col" : "tiled");
    if (u->mode == CP_TENSOR_STORE && map->im2col && (map->lower[0] < 0 || map->lower[1] < 0 || map->lower[2] < 0))
        return warp_fault(w, u, (int)lane, "a store of im2col whose pixels begin outside the tensor: a GPU traps it");
    for (unsigned k = 0; k < u->nvec; k++) start->at[k] = (int32_t)at32(w, k < 3 ? u->s[2 + k] : u->v[k - 3])[lane];
    for (unsigned k = 0; k < more->nvec; k++) start->offset[k] = (uint16_t)at32(w, more->s[k])[lane];
    return RUN_ON;
}

/* A copy that begins outside the tensor begins, to the timing half, with the tensor. */
static int tensor_begin(struct exec_warp *w, const struct uop *u, const uint64_t *bar, struct bulk *out)
{
    uint64_t first[WARP_SIZE] = {0};
    for (uint32_t m = w->exec; m; m &= m - 1) {
        struct tensor_map map;
        struct tensor_start start;
        if (tensor_where(w, u, bit_low32(m), &map, &start)) return RUN_FAULT;
        if (!tensor_element(&map, &start, 0, &first[bit_low32(m)])) first[bit_low32(m)] = map.base;
    }
    bulk_begin(out, w, u, first, bar ? bulk_note(w, &u->more[0], bit_low32(w->exec), bar) : 0);
    return RUN_ON;
}

/* u: the shared side; more[0]: mbarrier; s[1]: the map; refs of the coordinates are in s[2..] and v[], those of the
 * offsets of im2col in more[1]; sign: it is im2col. */
static int tensor_copy(struct exec_warp *w, const struct uop *u)
{
    uint64_t at_shared[WARP_SIZE], bar[WARP_SIZE] = {0};
    struct bulk out;
    mem_addresses(w, u, at_shared);
    if (u->boolop) mem_addresses(w, &u->more[0], bar);
    if (tensor_begin(w, u, u->boolop ? bar : NULL, &out)) return RUN_FAULT;
    w->run->progress++;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        struct tensor_map map;
        struct tensor_start start;
        if (tensor_where(w, u, i, &map, &start)) return RUN_FAULT;
        if (u->boolop) out.note = bulk_note(w, &u->more[0], i, bar);
        uint32_t n = tensor_box_bytes(&map);
        for (uint32_t k = 0; k < n; k += map.element) {
            uint32_t place = tensor_swizzle(&map, (uint32_t)at_shared[i] + k);
            uint8_t *s = mem_lane(w, u, i, place, map.element, "tensor copy"), *g = NULL;
            uint64_t addr;
            if (!s) return RUN_FAULT;
            bool inside = tensor_element(&map, &start, k / map.element, &addr);
            struct uop global = {.in = u->in, .space = PTX_GLOBAL, .range = u->range};
            if (inside && !(g = mem_lane(w, &global, i, addr, map.element, "tensor copy"))) return RUN_FAULT;
            if (inside) bulk_touch(&out, i, addr);
            if (u->mode == CP_TENSOR_LOAD) {
                if (g) memcpy(s, g, map.element);
                if (g) tensor_round(&map, s);
                else tensor_fill(&map, s);
            } else if (g) {
                move_bytes(u, map.type, g, s, map.element);
            }
        }
        if (u->boolop && mbar_complete(w, &u->more[0], i, bar[i], n, bulk_events(w, &out))) return RUN_FAULT;
    }
    bulk_flush(&out);
    return RUN_ON;
}
static int op_prefetch_tensor(struct exec_warp *w, const struct uop *u)
{
    struct bulk out;
    if (tensor_begin(w, u, NULL, &out)) return RUN_FAULT;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        struct tensor_map map;
        struct tensor_start start;
        uint64_t addr;
        if (tensor_where(w, u, bit_low32(m), &map, &start)) return RUN_FAULT;
        uint32_t n = tensor_box_bytes(&map) / map.element;
        for (uint32_t k = 0; k < n; k++)
            if (tensor_element(&map, &start, k, &addr)) bulk_touch(&out, bit_low32(m), addr);
    }
    bulk_flush(&out);
    return RUN_ON;
}

static int op_cp_tensor(struct exec_warp *w, const struct uop *u) { return to_each(w, u, u->v[2], tensor_copy); }

/* ---- lowering ---- */

/* The map, and where in the tensor: coordinates, offsets if there are any. */
static int lower_where(struct lower *L, struct uop *u, struct uop *more, unsigned map, const struct ptx_operand *offset)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand *at = &in->src[map + 1];
    u->nvec = at->nvec;
    u->sign = in->flags & FLAG_IM2COL;
    int rc = lower_src(L, &in->src[map], 64, &u->s[1]);
    for (unsigned k = 0; k < at->nvec && !rc; k++)
        rc = lower_src(L, &at->vec[k], 32, k < 3 ? &u->s[2 + k] : &u->v[k - 3]);
    if (!offset) return rc;
    more[1].nvec = offset->nvec;
    for (unsigned k = 0; k < offset->nvec && !rc; k++) rc = lower_src(L, &offset->vec[k], 16, &more[1].s[k]);
    return rc;
}

int lower_cp_tensor(struct lower *L, struct uop *u, struct uop *more)
{
    const struct ptx_inst *in = L->in;
    bool load = in->mode == CP_TENSOR_LOAD, offsets = load && in->flags & FLAG_IM2COL;
    u->full = u->part = op_cp_tensor;
    u->rnd = in->cmp;
    int rc = lower_address(L, u, &in->src[load ? 0 : 2], PTX_SHARED);
    if (!rc) rc = lower_where(L, u, more, load ? 1 : 0, offsets ? &in->src[4] : NULL);
    if (!rc && u->boolop) rc = lower_address(L, &more[0], &in->src[3], PTX_SHARED);
    return rc || !(u->flags & FLAG_MULTICAST) ? rc : lower_src(L, &in->src[offsets ? 5 : 4], 16, &u->v[2]);
}

int lower_prefetch_tensor(struct lower *L, struct uop *u, struct uop *more)
{
    const struct ptx_inst *in = L->in;
    u->full = u->part = op_prefetch_tensor;
    return lower_where(L, u, more, 0, in->flags & FLAG_IM2COL ? &in->src[2] : NULL);
}
