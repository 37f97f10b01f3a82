/* driver_tensor.c - tensor maps: the descriptions by which kernels copy boxes of tensors (cp.async.bulk.tensor). */
#include "cuda/driver.h"

#include <string.h>

#include "ptx/tensor_map.h"

/* By CUtensorMapDataType. */
static const struct {
    uint8_t type, bytes;
} elements[] = {{T_U8, 1},  {T_U16, 2}, {T_U32, 4},  {T_S32, 4}, {T_U64, 8},  {T_S64, 8}, {T_F16, 2},
                {T_F32, 4}, {T_F64, 8}, {T_BF16, 2}, {T_F32, 4}, {T_TF32, 4}, {T_TF32, 4}};

/* What both ways of encoding are given. */
struct encoding {
    const char *call;
    CUtensorMapDataType type;
    unsigned rank;
    void *address;
    const unsigned long long *size, *stride;
    const unsigned *step;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static CUresult wrong(struct driver *d, const char *call, const char *what)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "%s: %s", call, what);
}

/* What the driver API demands of addresses and sizes. */
static const char *check_map(const struct tensor_map *t)
{
    if (t->base % 16) return "the address must be a multiple of 16";
    for (unsigned i = 0; i < t->dims; i++) {
        if (!t->size[i] || t->size[i] > UINT64_C(1) << 32) return "a dimension has 1 to 2^32 elements";
        if (!t->im2col && (!t->box[i] || t->box[i] > 256)) return "a box has 1 to 256 elements in each dimension";
        if (!t->step[i] || t->step[i] > 8) return "an element stride is 1 to 8";
        if (i && t->stride[i] % 16) return "strides must be multiples of 16 bytes";
    }
    if ((uint64_t)t->box[0] * t->element % 16) return "a row of the box must be a multiple of 16 bytes";
    if (t->swizzle && (uint64_t)t->box[0] * t->element > t->swizzle)
        return "a row of the box is longer than the swizzle";
    return NULL;
}

/* All but the box. */
static CUresult begin_map(struct driver *d, const struct encoding *e, struct tensor_map *t)
{
    static const uint8_t patterns[] = {0, 32, 64, 128};
    if (!e->address || !e->size || (e->rank > 1 && !e->stride) || !e->step)
        return wrong(d, e->call, "a pointer is NULL");
    if (!e->rank || e->rank > TENSOR_DIMS) return wrong(d, e->call, "a tensor has 1 to 5 dimensions");
    if ((unsigned)e->type >= sizeof elements / sizeof elements[0] || e->interleave || (unsigned)e->swizzle > 3)
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                               "tensor maps of data type %d, interleave %d, swizzle %d are not supported", (int)e->type,
                               (int)e->interleave, (int)e->swizzle);
    *t = (struct tensor_map){.base = (uintptr_t)e->address,
                             .dims = (uint8_t)e->rank,
                             .type = elements[e->type].type,
                             .element = elements[e->type].bytes,
                             .swizzle = patterns[e->swizzle],
                             .nan_fill = e->fill != 0};
    for (unsigned i = 0; i < e->rank; i++) {
        t->size[i] = e->size[i];
        t->stride[i] = i ? e->stride[i - 1] : t->element;
        t->step[i] = e->step[i];
        t->box[i] = 1;
    }
    return CUDA_SUCCESS;
}

static CUresult end_map(struct driver *d, const char *call, const struct tensor_map *t, CUtensorMap *map)
{
    const char *why = check_map(t);
    if (why) return wrong(d, call, why);
    tensor_map_write(t, (uint8_t *)map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
                                const unsigned long long *size, const unsigned long long *stride,
                                const unsigned int *box, const unsigned int *step, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    const struct encoding e = {
        "cuTensorMapEncodeTiled", type, rank, address, size, stride, step, interleave, swizzle, fill};
    struct tensor_map t;
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    (void)promotion; /* a hint to the L2 */
    if (!r && (!map || !box)) r = wrong(d, e.call, "a pointer is NULL");
    if (!r) r = begin_map(d, &e, &t);
    if (r) return r;
    for (unsigned i = 0; i < rank; i++) t.box[i] = box[i];
    return end_map(d, e.call, &t, map);
}

/* The corners of the pixels' bounds have 16, 8 or 5 bits, fewer the more of them there are. */
static const char *set_bounds(struct tensor_map *t, const int *lower, const int *upper)
{
    unsigned count = t->dims - 2u;
    int limit = count == 1 ? 1 << 15 : count == 2 ? 1 << 7 : 1 << 4;
    for (unsigned i = 0; i < count; i++) {
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit)
            return "a corner of the pixels' box is out of range";
        t->lower[i] = (int16_t)lower[i];
        t->upper[i] = (int16_t)upper[i];
    }
    return NULL;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
                                 const unsigned long long *size, const unsigned long long *stride, const int *lower,
                                 const int *upper, unsigned int channels, unsigned int pixels, const unsigned int *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const struct encoding e = {
        "cuTensorMapEncodeIm2col", type, rank, address, size, stride, step, interleave, swizzle, fill};
    struct tensor_map t;
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    (void)promotion;
    if (!r && (!map || !lower || !upper)) r = wrong(d, e.call, "a pointer is NULL");
    if (!r && (rank < 3 || rank > TENSOR_DIMS)) r = wrong(d, e.call, "such a tensor has 3 to 5 dimensions");
    if (!r && (!channels || channels > 256)) r = wrong(d, e.call, "a pixel has 1 to 256 channels");
    if (!r && (!pixels || pixels > 1024)) r = wrong(d, e.call, "a column has 1 to 1024 pixels");
    if (!r) r = begin_map(d, &e, &t);
    if (r) return r;
    const char *why = set_bounds(&t, lower, upper);
    if (why) return wrong(d, e.call, why);
    t.im2col = true;
    t.box[0] = channels;
    t.box[1] = pixels;
    return end_map(d, e.call, &t, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    DRIVER(d);
    struct tensor_map t;
    CUresult r = driver_initialized(&d);
    if (r) return r;
    const char *why = map ? tensor_map_read((const uint8_t *)map, &t) : "a pointer is NULL";
    if (!why && (uintptr_t)address % 16) why = "the address must be a multiple of 16";
    if (why) return wrong(d, "cuTensorMapReplaceAddress", why);
    t.base = (uintptr_t)address;
    tensor_map_write(&t, (uint8_t *)map);
    return CUDA_SUCCESS;
}
