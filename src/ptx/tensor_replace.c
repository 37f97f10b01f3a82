/* tensor_replace.c - kernels that change a tensor map: tensormap.replace writes one field of it,
 * tensormap.cp_fenceproxy moves it from shared to global memory, where copies look for it. */
#include "ptx/exec_priv.h"
#include "ptx/parse_words.h"
#include "ptx/tensor_map.h"

#include <string.h>

/* clang-format off */
enum field { FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_SIZE, FIELD_STRIDE, FIELD_STEP, FIELD_INTERLEAVE,
             FIELD_SWIZZLE, FIELD_FILL, FIELD_TYPE };
static const char *const fields[] = {"global_address", "rank", "box_dim", "global_dim", "global_stride",
                                     "element_stride", "interleave_layout", "swizzle_mode", "fill_mode", "elemtype"};
/* clang-format on */
enum { MOVES = sizeof fields / sizeof *fields }; /* in mode: cp_fenceproxy */

/* ---- words and operands ---- */

static void parse_move(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    in->mode = MOVES;
    word_begins(s, "tensormap::");
    words_scopes(s);
    word_is(s, "sync");
    word_is(s, "aligned");
    uint8_t to = word_space(s, PTX_GLOBAL), from = word_space(s, PTX_SHARED);
    own_address(p, in, to);
    own_address(p, in, from);
    own_source(p, in, T_U32);
}

void parse_tensormap(struct words *s, struct ptx_inst *in)
{
    struct ptx_parser *p = s->p;
    unsigned which;
    in->kind = INST_NOP;
    if (word_is(s, "cp_fenceproxy")) {
        parse_move(s, in);
        return;
    }
    if (!word_is(s, "replace") || !word_is(s, "tile") || !word_one_of(s, fields, MOVES, &which)) {
        fail_at(p, &s->op, "write tensormap.replace.tile with a field such as .global_address, or .cp_fenceproxy");
        return;
    }
    in->mode = (uint8_t)which;
    uint8_t space = word_space(s, PTX_SPACE_NONE);
    word_is(s, "b1024");
    in->type = (uint8_t)word_type(s);
    if (in->type != T_B32 && in->type != T_B64) fail_at(p, &s->op, "the new value is .b32 or .b64");
    own_address(p, in, space);
    if (which >= FIELD_BOX && which <= FIELD_STEP) own_source(p, in, T_U32);
    own_source(p, in, (enum ptx_type)in->type);
}

/* ---- execution ---- */

/* By the numbers of tensormap.replace.elemtype, which are not those of the driver API. */
static const struct {
    uint8_t type, bytes;
} elements[] = {{T_U8, 1},  {T_U16, 2}, {T_U32, 4}, {T_S32, 4},  {T_U64, 8},  {T_S64, 8}, {T_F16, 2},
                {T_F32, 4}, {T_F32, 4}, {T_F64, 8}, {T_BF16, 2}, {T_TF32, 4}, {T_TF32, 4}};

/* NULL, or what is wrong with the value. Ranks begin with 0; strides are of the dimensions above the first. */
static const char *set_field(struct tensor_map *t, unsigned field, uint32_t ord, uint64_t value)
{
    static const uint8_t patterns[] = {0, 32, 64, 128};
    if (ord >= TENSOR_DIMS - (field == FIELD_STRIDE)) return "a tensor has no such dimension";
    switch (field) {
    case FIELD_ADDRESS: t->base = value; return value % 16 ? "the address must be a multiple of 16" : NULL;
    case FIELD_RANK: t->dims = (uint8_t)(value + 1); return value < TENSOR_DIMS ? NULL : "ranks go from 0 to 4";
    case FIELD_BOX: t->box[ord] = (uint32_t)value; return value - 1 < 256 ? NULL : "a box has 1 to 256 elements";
    case FIELD_SIZE: t->size[ord] = value; return value - 1 < UINT32_MAX ? NULL : "a dimension has 1 to 2^32 elements";
    case FIELD_STRIDE: t->stride[ord + 1] = value; return value % 16 ? "strides must be multiples of 16 bytes" : NULL;
    case FIELD_STEP: t->step[ord] = (uint32_t)value; return value - 1 < 8 ? NULL : "an element stride is 1 to 8";
    case FIELD_SWIZZLE:
        if (value > 3) return "this way of swizzling is not supported";
        t->swizzle = patterns[value];
        return NULL;
    case FIELD_TYPE:
        if (value >= sizeof elements / sizeof *elements) return "elements of this type are not supported";
        t->type = elements[value].type;
        t->element = elements[value].bytes;
        t->stride[0] = t->element;
        return NULL;
    case FIELD_FILL: t->nan_fill = value == 1; return value > 1 ? "fill modes are 0 and 1" : NULL;
    default: return value ? "interleaved tensors are not supported" : NULL;
    }
}

/* The 128 bytes of a map, or NULL after a fault. */
static uint8_t *map_bytes(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr)
{
    uint8_t *p = mem_lane(w, u, lane, addr, TENSOR_MAP_BYTES / 2, "tensor map access");
    return p && mem_lane(w, u, lane, addr + TENSOR_MAP_BYTES / 2, TENSOR_MAP_BYTES / 2, "tensor map access") ? p : NULL;
}

static int op_replace(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE];
    mem_addresses(w, u, addr);
    w->run->progress++;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        uint8_t *bytes = map_bytes(w, u, i, addr[i]);
        struct tensor_map t;
        if (!bytes) return RUN_FAULT;
        const char *why = tensor_map_read_any(bytes, &t);
        if (!why) why = set_field(&t, u->mode, at32(w, u->s[1])[i], get_lane(w, u->s[2], u->wide, i));
        if (why) return warp_fault(w, u, (int)i, "%s", why);
        tensor_map_write(&t, bytes);
    }
    return RUN_ON;
}

static int op_move(struct exec_warp *w, const struct uop *u)
{
    uint64_t to[WARP_SIZE], from[WARP_SIZE];
    mem_addresses(w, u, to);
    mem_addresses(w, u->more, from);
    w->run->progress++;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        const uint8_t *source = map_bytes(w, u->more, i, from[i]);
        uint8_t *dest = source ? map_bytes(w, u, i, to[i]) : NULL;
        if (!dest) return RUN_FAULT;
        memmove(dest, source, TENSOR_MAP_BYTES);
    }
    return RUN_ON;
}

int lower_tensormap(struct lower *L, struct uop *u)
{
    const struct ptx_inst *in = L->in;
    const struct ptx_operand first = {.kind = OPND_IMM};
    bool has_ord = in->mode >= FIELD_BOX && in->mode <= FIELD_STEP;
    unsigned bits = ptx_type_bits(in->type);
    u->mode = in->mode;
    int rc = lower_address(L, u, &in->src[0], in->src[0].space);
    if (in->mode == MOVES) {
        struct uop *more = ARENA_NEW(&L->img->arena, struct uop);
        if (!more) return wl_fail(L->e, WL_ERUN, "out of memory");
        *more = (struct uop){.in = in};
        u->full = u->part = op_move;
        u->more = more;
        return rc ? rc : lower_address(L, more, &in->src[1], in->src[1].space);
    }
    u->full = u->part = op_replace;
    u->wide = bits == 64;
    if (!rc) rc = lower_src(L, has_ord ? &in->src[1] : &first, 32, &u->s[1]);
    return rc ? rc : lower_src(L, &in->src[has_ord ? 2 : 1], bits, &u->s[2]);
}
