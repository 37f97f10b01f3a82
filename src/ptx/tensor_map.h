/* tensor_map.h - the tensor map object of cuTensorMapEncodeTiled: 128 bytes that a program hands to a kernel.
 *
 * Its contents are the driver's secret on real systems; ours begin with a mark of our own, so that a map that somebody
 * else encoded is recognised. Ways of swizzling: CUDA driver API, CUtensorMapSwizzle. */
#ifndef WL_PTX_TENSOR_MAP_H
#define WL_PTX_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128 };

struct tensor_map {
    uint64_t base;                /* device address */
    uint64_t size[TENSOR_DIMS];   /* elements, the fastest dimension first */
    uint64_t stride[TENSOR_DIMS]; /* bytes; of dimension 0 the element */
    uint32_t box[TENSOR_DIMS];    /* elements a copy moves */
    uint32_t step[TENSOR_DIMS];   /* of the tensor, between two elements of the box */
    uint8_t dims, type, element;  /* enum ptx_type; bytes of an element */
    uint8_t swizzle;              /* bytes of the pattern: 0, 32, 64 or 128 */
    bool nan_fill;                /* what lies outside is NaN instead of 0 */
};

/* Into 128 bytes and back. The reader returns NULL, or why these bytes are no tensor map. */
void tensor_map_write(const struct tensor_map *t, uint8_t out[TENSOR_MAP_BYTES]);
const char *tensor_map_read(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t);
/* The same for a map that is being changed, of which not all may be there yet. */
const char *tensor_map_read_any(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t);

uint32_t tensor_box_bytes(const struct tensor_map *t);
/* Where element k of the box at coordinates `at` lies in global memory; false: outside the tensor. */
bool tensor_element(const struct tensor_map *t, const int32_t at[TENSOR_DIMS], uint32_t k, uint64_t *addr);
/* Where a byte of the box lies in shared memory. */
uint32_t tensor_swizzle(const struct tensor_map *t, uint32_t addr);
void tensor_fill(const struct tensor_map *t, uint8_t *element); /* what is read outside */

#endif
