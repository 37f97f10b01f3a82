/* tensor_map.h - the tensor map object of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col: 128 bytes that a program
 * hands to a kernel.
 *
 * A tiled map describes boxes. One for im2col describes columns of pixels: a pixel is some channels (dimension 0) at a
 * place in the dimensions between the first and the last, images are the last. A copy begins at a pixel and goes on
 * from place to place, the lowest of these dimensions first, each within its bounds (lower to size - 1 + upper), then
 * through the images. What it reads at a place is the pixel that lies by the copy's offsets further.
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
    bool im2col;                  /* then box[0] is the channels and box[1] the pixels of a copy */
    int16_t lower[TENSOR_DIMS - 2], upper[TENSOR_DIMS - 2]; /* bounds of im2col */
};

/* Where a copy begins: coordinates, and of im2col the offsets in the dimensions from the second on. */
struct tensor_start {
    int32_t at[TENSOR_DIMS];
    uint16_t offset[TENSOR_DIMS - 2];
};

/* Into 128 bytes and back. The reader returns NULL, or why these bytes are no tensor map. */
void tensor_map_write(const struct tensor_map *t, uint8_t out[TENSOR_MAP_BYTES]);
const char *tensor_map_read(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t);
/* The same for a map that is being changed, of which not all may be there yet. */
const char *tensor_map_read_any(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *t);

uint32_t tensor_box_bytes(const struct tensor_map *t);
/* Where element k of a copy lies in global memory; false: outside the tensor. */
bool tensor_element(const struct tensor_map *t, const struct tensor_start *start, uint32_t k, uint64_t *addr);
/* Where a byte of the box lies in shared memory. */
uint32_t tensor_swizzle(const struct tensor_map *t, uint32_t addr);
void tensor_fill(const struct tensor_map *t, uint8_t *element);  /* what is read outside */
void tensor_round(const struct tensor_map *t, uint8_t *element); /* what a copy to shared memory makes of an element */

#endif
