/* driver_tensor.c - tensor maps: the descriptions by which kernels copy boxes of tensors (cp.async.bulk.tensor). */
#include "cuda/driver.h"

#include <string.h>

#include "ptx/tensor_map.h"

/* By CUtensorMapDataType. */
static const struct {
    uint8_t type, bytes;
} elements[] = {{T_U8, 1},  {T_U16, 2}, {T_U32, 4},  {T_S32, 4}, {T_U64, 8},  {T_S64, 8}, {T_F16, 2},
                {T_F32, 4}, {T_F64, 8}, {T_BF16, 2}, {T_F32, 4}, {T_TF32, 4}, {T_TF32, 4}};

static CUresult wrong(struct driver *d, const char *what)
{
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTensorMapEncodeTiled: %s", what);
}

/* What the driver API demands of addresses and sizes. */
static const char *check_map(const struct tensor_map *t)
{
    if (t->base % 16) return "the address must be a multiple of 16";
    for (unsigned i = 0; i < t->dims; i++) {
        if (!t->size[i] || t->size[i] > UINT64_C(1) << 32) return "a dimension has 1 to 2^32 elements";
        if (!t->box[i] || t->box[i] > 256) return "a box has 1 to 256 elements in each dimension";
        if (!t->step[i] || t->step[i] > 8) return "an element stride is 1 to 8";
        if (i && t->stride[i] % 16) return "strides must be multiples of 16 bytes";
    }
    if ((uint64_t)t->box[0] * t->element % 16) return "a row of the box must be a multiple of 16 bytes";
    if (t->swizzle && (uint64_t)t->box[0] * t->element > t->swizzle)
        return "a row of the box is longer than the swizzle";
    return NULL;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
                                const unsigned long long *size, const unsigned long long *stride,
                                const unsigned int *box, const unsigned int *step, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    static const uint8_t patterns[] = {0, 32, 64, 128};
    DRIVER(d);
    CUresult r = driver_initialized(&d);
    if (r) return r;
    (void)promotion; /* a hint to the L2 */
    if (!map || !address || !size || (rank > 1 && !stride) || !box || !step) return wrong(d, "a pointer is NULL");
    if (!rank || rank > TENSOR_DIMS) return wrong(d, "a tensor has 1 to 5 dimensions");
    if ((unsigned)type >= sizeof elements / sizeof elements[0] || interleave || (unsigned)swizzle > 3)
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED,
                               "tensor maps of data type %d, interleave %d, swizzle %d are not supported", (int)type,
                               (int)interleave, (int)swizzle);
    struct tensor_map t = {.base = (uintptr_t)address,
                           .dims = (uint8_t)rank,
                           .type = elements[type].type,
                           .element = elements[type].bytes,
                           .swizzle = patterns[swizzle],
                           .nan_fill = fill != 0};
    for (unsigned i = 0; i < rank; i++) {
        t.size[i] = size[i];
        t.stride[i] = i ? stride[i - 1] : t.element;
        t.box[i] = box[i];
        t.step[i] = step[i];
    }
    const char *why = check_map(&t);
    if (why) return wrong(d, why);
    tensor_map_write(&t, (uint8_t *)map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    DRIVER(d);
    struct tensor_map t;
    CUresult r = driver_initialized(&d);
    if (r) return r;
    const char *why = map ? tensor_map_read((const uint8_t *)map, &t) : "a pointer is NULL";
    if (!why && (uintptr_t)address % 16) why = "the address must be a multiple of 16";
    if (why) return wrong(d, why);
    t.base = (uintptr_t)address;
    tensor_map_write(&t, (uint8_t *)map);
    return CUDA_SUCCESS;
}
