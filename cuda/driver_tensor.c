/* driver_tensor.c - tensor maps: what cp.async.bulk.tensor copies. A map is plain bytes that the program keeps; the
 * kernel reads them as ours (tensor_map.h). The rules that are checked are those of the driver API's documentation. */
#include "cuda/driver.h"

#include "ptx/tensor_map.h"
#include "warpline/cuda.h"

static bool set_type(struct tensor_map *t, CUtensorMapDataType type)
{
    static const struct {
        uint8_t type, bytes;
    } types[] = {
        [CU_TENSOR_MAP_DATA_TYPE_UINT8] = {T_U8, 1},         [CU_TENSOR_MAP_DATA_TYPE_UINT16] = {T_U16, 2},
        [CU_TENSOR_MAP_DATA_TYPE_UINT32] = {T_U32, 4},       [CU_TENSOR_MAP_DATA_TYPE_INT32] = {T_S32, 4},
        [CU_TENSOR_MAP_DATA_TYPE_UINT64] = {T_U64, 8},       [CU_TENSOR_MAP_DATA_TYPE_INT64] = {T_S64, 8},
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = {T_F16, 2},      [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = {T_F32, 4},
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = {T_F64, 8},      [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = {T_BF16, 2},
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = {T_F32, 4},  [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = {T_F32, 4},
        [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = {T_F32, 4},
    };
    if ((unsigned)type >= sizeof types / sizeof *types) return false;
    t->type = types[type].type;
    t->element = types[type].bytes;
    return true;
}

static bool set_dimension(struct tensor_map *t, unsigned i, unsigned long long size, unsigned long long stride,
                          unsigned box, unsigned step)
{
    t->size[i] = size;
    t->stride[i] = stride;
    t->box[i] = box;
    t->step[i] = step;
    bool fits = size >= 1 && size <= UINT64_C(1) << 32 && box >= 1 && box <= 256 && step >= 1 && step <= 8;
    return fits && (i == 0 || (stride % 16 == 0 && stride < UINT64_C(1) << 40));
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
                                const unsigned long long *size, const unsigned long long *stride,
                                const unsigned int *box, const unsigned int *step, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    static const uint8_t patterns[] = {0, 32, 64, 128};
    struct tensor_map t = {.base = (uint64_t)(uintptr_t)address, .dims = (uint8_t)rank, .nan_fill = fill != 0};
    (void)promotion;
    if (!map || !size || !box || !step || (rank > 1 && !stride) || rank < 1 || rank > TENSOR_DIMS)
        return CUDA_ERROR_INVALID_VALUE;
    if (!set_type(&t, type) || t.base % 16 || (unsigned)swizzle >= sizeof patterns) return CUDA_ERROR_INVALID_VALUE;
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    t.swizzle = patterns[swizzle];
    for (unsigned i = 0; i < rank; i++)
        if (!set_dimension(&t, i, size[i], i ? stride[i - 1] : t.element, box[i], step[i]))
            return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = rank; i < TENSOR_DIMS; i++) set_dimension(&t, i, 1, 0, 1, 1);
    uint32_t inner = t.box[0] * t.element;
    if (inner % 16 || (t.swizzle && inner > t.swizzle)) return CUDA_ERROR_INVALID_VALUE;
    tensor_map_write(&t, (uint8_t *)map);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map t;
    if (!map || (uintptr_t)address % 16 || tensor_map_read((const uint8_t *)map, &t)) return CUDA_ERROR_INVALID_VALUE;
    t.base = (uint64_t)(uintptr_t)address;
    tensor_map_write(&t, (uint8_t *)map);
    return CUDA_SUCCESS;
}
