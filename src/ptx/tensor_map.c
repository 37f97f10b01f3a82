/* tensor_map.c - see tensor_map.h. The 128 bytes: a mark, small numbers, base, then sizes, strides, boxes, steps and
 * bounds, packed: sizes and boxes as PTX limits them (2^32, 256 and 8), strides in units of 16 bytes. */
#include "ptx/tensor_map.h"

#include <string.h>

#include "ptx/ir.h"

static const char mark[8] = "wltmap1";
enum { MOST_BOX_BYTES = 1 << 20 }; /* several times what a CTA can have */

void tensor_map_write(const struct tensor_map *t, uint8_t out[TENSOR_MAP_BYTES])
{
    memset(out, 0, TENSOR_MAP_BYTES);
    memcpy(out, mark, 8);
    out[8] = t->dims;
    out[9] = t->type;
    out[10] = t->element;
    out[11] = t->swizzle;
    out[12] = t->nan_fill;
    out[13] = t->im2col;
    memcpy(out + 16, &t->base, 8);
    for (unsigned i = 0; i < TENSOR_DIMS; i++) {
        uint32_t size = (uint32_t)(t->size[i] - 1);
        uint64_t stride = t->stride[i];
        uint16_t box = (uint16_t)t->box[i];
        memcpy(out + 24 + 4 * i, &size, 4);
        memcpy(out + 44 + 8 * i, &stride, 8);
        memcpy(out + 84 + 2 * i, &box, 2);
        out[94 + i] = (uint8_t)t->step[i];
    }
    memcpy(out + 100, t->lower, sizeof t->lower);
    memcpy(out + 106, t->upper, sizeof t->upper);
}

/* Kernels can write to these bytes: whatever is used to compute with is looked at. */
static bool is_sound(const struct tensor_map *t)
{
    const uint32_t types = 1u << T_U8 | 1u << T_U16 | 1u << T_U32 | 1u << T_S32 | 1u << T_U64 | 1u << T_S64 |
                           1u << T_F16 | 1u << T_BF16 | 1u << T_TF32 | 1u << T_F32 | 1u << T_F64;
    return t->dims >= (t->im2col ? 3 : 1) && t->dims <= TENSOR_DIMS && t->type < 32 && types >> t->type & 1 &&
           t->element == ptx_type_bytes((enum ptx_type)t->type) &&
           (t->swizzle == 0 || t->swizzle == 32 || t->swizzle == 64 || t->swizzle == 128);
}

const char *tensor_map_read_any(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t)
{
    if (memcmp(in, mark, 8) != 0) return "these bytes are no tensor map of cuTensorMapEncodeTiled or Im2col";
    *t = (struct tensor_map){.dims = in[8],
                             .type = in[9],
                             .element = in[10],
                             .swizzle = in[11],
                             .nan_fill = in[12] != 0,
                             .im2col = in[13] != 0};
    if (!is_sound(t)) return "the tensor map was overwritten";
    memcpy(&t->base, in + 16, 8);
    for (unsigned i = 0; i < TENSOR_DIMS; i++) {
        uint32_t size;
        uint16_t box;
        memcpy(&size, in + 24 + 4 * i, 4);
        memcpy(&t->stride[i], in + 44 + 8 * i, 8);
        memcpy(&box, in + 84 + 2 * i, 2);
        t->size[i] = (uint64_t)size + 1;
        t->box[i] = box;
        t->step[i] = in[94 + i];
    }
    memcpy(t->lower, in + 100, sizeof t->lower);
    memcpy(t->upper, in + 106, sizeof t->upper);
    return NULL;
}

/* A step of more than one takes every so many-th element of the box. */
static uint32_t taken(const struct tensor_map *t, unsigned i) { return (t->box[i] + t->step[i] - 1) / t->step[i]; }

static uint64_t box_elements(const struct tensor_map *t)
{
    uint64_t n = 1;
    if (t->im2col) return (uint64_t)t->box[0] * t->box[1];
    for (unsigned i = 0; i < t->dims; i++) n *= taken(t, i);
    return n;
}

const char *tensor_map_read(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t)
{
    const char *why = tensor_map_read_any(in, t);
    for (unsigned i = 0; !why && i < t->dims; i++)
        if (t->box[i] - 1 >= (t->im2col && i == 1 ? 1024 : 256) || t->step[i] - 1 >= 8)
            why = "the tensor map was overwritten, or has a dimension without a box";
    if (!why && !t->im2col && box_elements(t) * t->element > MOST_BOX_BYTES)
        why = "the box of the tensor map is larger than any shared memory";
    return why;
}

uint32_t tensor_box_bytes(const struct tensor_map *t) { return (uint32_t)box_elements(t) * t->element; }

/* A place `steps` places after `from` in the dimension i of im2col; *steps becomes how often its end was passed. */
static int64_t walk(const struct tensor_map *t, unsigned i, int64_t from, uint32_t *steps)
{
    int64_t low = t->lower[i - 1], high = (int64_t)t->size[i] - 1 + t->upper[i - 1], step = t->step[i];
    int64_t first = from > high ? 1 : (high - from) / step + 1, row = high > low ? (high - low) / step + 1 : 1;
    int64_t n = *steps;
    *steps = n < first ? 0 : (uint32_t)(1 + (n - first) / row);
    return n < first ? from + n * step : low + (n - first) % row * step;
}

bool tensor_element(const struct tensor_map *t, const struct tensor_start *start, uint32_t k, uint64_t *addr)
{
    bool inside = true;
    *addr = t->base;
    for (unsigned i = 0; i < t->dims; i++) {
        int64_t c = start->at[i];
        if (!t->im2col || i == 0) {
            uint32_t n = t->im2col ? t->box[0] : taken(t, i);
            c += (int64_t)(k % n) * (t->im2col ? 1 : t->step[i]);
            k /= n;
        } else if (i + 1 < t->dims) {
            c = walk(t, i, c, &k) + start->offset[i - 1];
        } else {
            c += k;
        }
        inside &= c >= 0 && (uint64_t)c < t->size[i];
        *addr += (uint64_t)c * t->stride[i];
    }
    return inside;
}

uint32_t tensor_swizzle(const struct tensor_map *t, uint32_t addr)
{
    return t->swizzle ? addr ^ (addr >> 7 & (t->swizzle / 16u - 1)) << 4 : addr;
}

/* An H200 fills elements of every type with this pattern. */
void tensor_fill(const struct tensor_map *t, uint8_t *element)
{
    memset(element, 0, t->element);
    for (unsigned i = 0; t->nan_fill && i < t->element; i++) element[i] = i % 2 ? 0x7f : 0xf7;
}

/* tf32: to the nearest, ties to even; NaNs become one (an H200). */
void tensor_round(const struct tensor_map *t, uint8_t *element)
{
    uint32_t v;
    if (t->type != T_TF32) return;
    memcpy(&v, element, 4);
    bool nan = (v & INT32_MAX) > 0x7f800000;
    v = nan ? 0x7fffe000 : (v + 0xfff + (v >> 13 & 1)) & ~UINT32_C(0x1fff); /* infinity stays */
    memcpy(element, &v, 4);
}
