/* runtime_array.c - pitched memory, arrays, and copies in two and three dimensions. */
#include <string.h>

#include "cuda/runtime/runtime.h"

struct extent {
    size_t width, height, depth;
};
struct position {
    size_t x, y, z;
};
struct pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct copy3d { /* cudaMemcpy3DParms */
    cudaArray_t src_array;
    struct position src_pos;
    struct pitched src;
    cudaArray_t dst_array;
    struct position dst_pos;
    struct pitched dst;
    struct extent extent;
    int kind;
};

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct pitched *out, struct extent extent);
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         int kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              int kind, cudaStream_t stream);
cudaError_t cudaMemcpy3D(const struct copy3d *c);
cudaError_t cudaMemcpy3DAsync(const struct copy3d *c, cudaStream_t stream);
cudaError_t cudaMemset2D(void *ptr, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream);
cudaError_t cudaMemset3D(struct pitched p, int value, struct extent extent);
cudaError_t cudaMemset3DAsync(struct pitched p, int value, struct extent extent, cudaStream_t stream);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_t array);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *c, size_t width, size_t height,
                            unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct extent *extent, unsigned *flags,
                             cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, int kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                     size_t height, int kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                  size_t height, int kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                       size_t height, int kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                     size_t width, size_t height, int kind);
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes, int kind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes, int kind);

/* ---- one side of a copy ---- */

static bool side_types(int kind, CUmemorytype *src, CUmemorytype *dst)
{
    static const CUmemorytype type[5][2] = {
        {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},       {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
        {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},     {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
        {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
    };
    if (kind < 0 || kind > cudaMemcpyDefault) return false;
    *src = type[kind][0];
    *dst = type[kind][1];
    return true;
}

static void set_src(CUDA_MEMCPY2D *c, const void *src, size_t pitch)
{
    c->srcHost = src;
    c->srcDevice = (uintptr_t)src;
    c->srcPitch = pitch;
}

static void set_dst(CUDA_MEMCPY2D *c, void *dst, size_t pitch)
{
    c->dstHost = dst;
    c->dstDevice = (uintptr_t)dst;
    c->dstPitch = pitch;
}

static CUresult copy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind)
{
    CUDA_MEMCPY2D c = {.WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c.srcMemoryType, &c.dstMemoryType)) return (CUresult)cudaErrorInvalidMemcpyDirection;
    if (width > dpitch || width > spitch) return (CUresult)12; /* cudaErrorInvalidPitchValue */
    set_src(&c, src, spitch);
    set_dst(&c, dst, dpitch);
    return cuMemcpy2D(&c);
}

/* ---- pitched memory ---- */

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    CUdeviceptr p = 0;
    CUresult r = ptr && pitch ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r && width && height) r = cuMemAllocPitch(&p, pitch, width, height, 4);
    if (!r) *ptr = (void *)(uintptr_t)p;
    return rt_driver(r);
}

cudaError_t cudaMalloc3D(struct pitched *out, struct extent extent)
{
    if (!out) return rt_done(cudaErrorInvalidValue);
    size_t rows;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return rt_done(cudaErrorInvalidValue);
    *out = (struct pitched){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, rows);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         int kind)
{
    RT_CALL(copy2d(dst, dpitch, src, spitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              int kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}

cudaError_t cudaMemcpy3D(const struct copy3d *c)
{
    static bool said;
    if (!c) return rt_done(cudaErrorInvalidValue);
    if (c->src_array || c->dst_array) return rt_unsupported(&said, "cudaMemcpy3D with an array");
    CUresult r = rt_enter();
    for (size_t z = 0; z < c->extent.depth && !r; z++) {
        size_t from = ((c->src_pos.z + z) * c->src.ysize + c->src_pos.y) * c->src.pitch + c->src_pos.x;
        size_t to = ((c->dst_pos.z + z) * c->dst.ysize + c->dst_pos.y) * c->dst.pitch + c->dst_pos.x;
        r = copy2d((char *)c->dst.ptr + to, c->dst.pitch, (const char *)c->src.ptr + from, c->src.pitch,
                   c->extent.width, c->extent.height, c->kind);
    }
    return rt_driver(r);
}

cudaError_t cudaMemcpy3DAsync(const struct copy3d *c, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy3D(c);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int value, size_t width, size_t height)
{
    RT_CALL(cuMemsetD2D8((uintptr_t)ptr, pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset2D(ptr, pitch, value, width, height);
}

cudaError_t cudaMemset3D(struct pitched p, int value, struct extent extent)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !e; z++)
        e = cudaMemset2D((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width, extent.height);
    return e;
}

cudaError_t cudaMemset3DAsync(struct pitched p, int value, struct extent extent, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset3D(p, value, extent);
}

/* ---- formats ---- */

bool rt_format(const struct cudaChannelFormatDesc *c, CUarray_format *format, unsigned *channels)
{
    static const CUarray_format integer[2][3] = {
        {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
        {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
    };
    *channels = 1u + (c->y != 0) + (c->z != 0) + (c->w != 0);
    int size = c->x == 8 ? 0 : c->x == 16 ? 1 : c->x == 32 ? 2 : -1;
    if (size < 0 || (c->y && c->y != c->x) || (c->z && c->z != c->x) || (c->w && c->w != c->x)) return false;
    if (c->f == 0 || c->f == 1) *format = integer[c->f][size];
    else if (c->f == 2 && c->x >= 16) *format = c->x == 32 ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_HALF;
    else return false;
    return true;
}

struct cudaChannelFormatDesc rt_channels(CUarray_format format, unsigned channels)
{
    unsigned size = (unsigned)format & 7;
    int bits = format == CU_AD_FORMAT_FLOAT ? 32 : format == CU_AD_FORMAT_HALF ? 16 : 4 << size;
    int f = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF ? 2 : (unsigned)format < 8;
    if (f != 2 && (unsigned)format >= 8) bits = 8 << size; /* 8, 9, 10 count from 0; 1, 2, 3 from 1 */
    return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                          channels > 3 ? bits : 0, f};
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- arrays ---- */

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *c, size_t width, size_t height,
                            unsigned flags)
{
    static bool said;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height};
    if (!array || !c) return rt_done(cudaErrorInvalidValue);
    if (flags) return rt_unsupported(&said, "cudaMallocArray for layers, surfaces or gathering");
    if (!rt_format(c, &d.Format, &d.NumChannels)) return rt_done(cudaErrorInvalidChannelDescriptor);
    RT_CALL(cuArrayCreate(array, &d));
}

cudaError_t cudaFreeArray(cudaArray_t array) { RT_CALL(array ? cuArrayDestroy(array) : CUDA_SUCCESS); }

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct extent *extent, unsigned *flags,
                             cudaArray_t array)
{
    CUDA_ARRAY_DESCRIPTOR d;
    CUresult r = rt_enter();
    if (!r) r = cuArrayGetDescriptor(&d, array);
    if (r) return rt_driver(r);
    if (desc) *desc = rt_channels(d.Format, d.NumChannels);
    if (extent) *extent = (struct extent){d.Width, d.Height, 0};
    if (flags) *flags = 0;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_t array)
{
    return cudaArrayGetInfo(out, NULL, NULL, array);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, int kind)
{
    CUDA_MEMCPY2D c = {.dstArray = dst, .dstXInBytes = x, .dstY = y, .WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c.srcMemoryType, &c.dstMemoryType)) return rt_done(cudaErrorInvalidMemcpyDirection);
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    set_src(&c, src, pitch);
    RT_CALL(cuMemcpy2D(&c));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                     size_t height, int kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2DToArray(dst, x, y, src, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                  size_t height, int kind)
{
    CUDA_MEMCPY2D c = {.srcArray = src, .srcXInBytes = x, .srcY = y, .WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c.srcMemoryType, &c.dstMemoryType)) return rt_done(cudaErrorInvalidMemcpyDirection);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    set_dst(&c, dst, pitch);
    RT_CALL(cuMemcpy2D(&c));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                       size_t height, int kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2DFromArray(dst, pitch, src, x, y, width, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                     size_t width, size_t height, int kind)
{
    /* clang-format off */
    CUDA_MEMCPY2D c = {.srcArray = src, .srcXInBytes = sx, .srcY = sy, .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = dst, .dstXInBytes = dx, .dstY = dy, .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .WidthInBytes = width, .Height = height};
    /* clang-format on */
    (void)kind;
    RT_CALL(cuMemcpy2D(&c));
}

/* `bytes` run on from row to row: the rest of row y, whole rows, the beginning of the last one. */
static cudaError_t by_rows(cudaArray_t array, size_t x, size_t y, char *ptr, size_t bytes, int kind, bool to_array)
{
    CUDA_ARRAY_DESCRIPTOR d;
    CUresult r = rt_enter();
    if (!r) r = cuArrayGetDescriptor(&d, array);
    if (r) return rt_driver(r);
    struct cudaChannelFormatDesc c = rt_channels(d.Format, d.NumChannels);
    size_t row = d.Width * (size_t)(c.x + c.y + c.z + c.w) / 8;
    cudaError_t e = x < row ? cudaSuccess : rt_done(cudaErrorInvalidValue);
    while (bytes && !e) {
        size_t n = bytes < row - x ? bytes : row - x;
        e = to_array ? cudaMemcpy2DToArray(array, x, y, ptr, n, n, 1, kind)
                     : cudaMemcpy2DFromArray(ptr, n, array, x, y, n, 1, kind);
        ptr += n;
        bytes -= n;
        x = 0;
        y++;
    }
    return e;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes, int kind)
{
    return by_rows(dst, x, y, (char *)(uintptr_t)src, bytes, kind, true);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes, int kind)
{
    return by_rows(src, x, y, dst, bytes, kind, false);
}
