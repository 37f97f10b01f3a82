/* runtime_array.c - pitched memory, arrays, and copies in two and three dimensions. */
#include <string.h>

#include "cuda/runtime/runtime.h"

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
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *c, struct extent extent,
                              unsigned flags);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes, int kind,
                                   cudaStream_t stream);
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t stream);
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

static CUresult describe2d(CUDA_MEMCPY2D *c, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, int kind)
{
    *c = (CUDA_MEMCPY2D){.WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c->srcMemoryType, &c->dstMemoryType)) return (CUresult)cudaErrorInvalidMemcpyDirection;
    if (width > dpitch || width > spitch) return (CUresult)12; /* cudaErrorInvalidPitchValue */
    set_src(c, src, spitch);
    set_dst(c, dst, dpitch);
    return CUDA_SUCCESS;
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
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe2d(&c, dst, dpitch, src, spitch, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2D(&c));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              int kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe2d(&c, dst, dpitch, src, spitch, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2DAsync(&c, stream));
}

cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    RT_CALL(cuMemsetD2D8Async((uintptr_t)ptr, pitch, (unsigned char)value, width, height, stream));
}

cudaError_t cudaMemset3DAsync(struct pitched p, int value, struct extent extent, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !e; z++)
        e = cudaMemset2DAsync((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width, extent.height,
                              stream);
    return e;
}

/* ---- three dimensions ---- */

static size_t element_bytes(cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!array || cuArray3DGetDescriptor(&d, array)) return 1;
    struct cudaChannelFormatDesc c = rt_channels(d.Format, d.NumChannels);
    return (size_t)(c.x + c.y + c.z + c.w) / 8;
}

/* With an array, extents and its positions count elements; without, bytes. */
cudaError_t rt_copy3d(const struct copy3d *p, CUDA_MEMCPY3D *c)
{
    if (!p) return cudaErrorInvalidValue;
    CUresult r = rt_enter();
    if (r) return (cudaError_t)r;
    size_t unit = p->src_array ? element_bytes(p->src_array) : element_bytes(p->dst_array);
    *c = (CUDA_MEMCPY3D){.srcXInBytes = p->src_pos.x * (p->src_array ? unit : 1),
                         .srcY = p->src_pos.y,
                         .srcZ = p->src_pos.z,
                         .srcHost = p->src.ptr,
                         .srcDevice = (uintptr_t)p->src.ptr,
                         .srcArray = p->src_array,
                         .srcPitch = p->src.pitch,
                         .srcHeight = p->src.ysize,
                         .dstXInBytes = p->dst_pos.x * (p->dst_array ? unit : 1),
                         .dstY = p->dst_pos.y,
                         .dstZ = p->dst_pos.z,
                         .dstHost = p->dst.ptr,
                         .dstDevice = (uintptr_t)p->dst.ptr,
                         .dstArray = p->dst_array,
                         .dstPitch = p->dst.pitch,
                         .dstHeight = p->dst.ysize,
                         .WidthInBytes = p->extent.width * unit,
                         .Height = p->extent.height,
                         .Depth = p->extent.depth};
    if (!side_types(p->kind, &c->srcMemoryType, &c->dstMemoryType)) return cudaErrorInvalidMemcpyDirection;
    if (p->src_array) c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    if (p->dst_array) c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    return cudaSuccess;
}

void rt_copy3d_of(const CUDA_MEMCPY3D *c, struct copy3d *p)
{
    size_t unit = c->srcArray ? element_bytes(c->srcArray) : element_bytes(c->dstArray);
    bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    *p = (struct copy3d){.src_array = c->srcArray,
                         .src_pos = {c->srcXInBytes / (c->srcArray ? unit : 1), c->srcY, c->srcZ},
                         .src = {(void *)(from_host ? (uintptr_t)c->srcHost : (uintptr_t)c->srcDevice), c->srcPitch,
                                 c->WidthInBytes, c->srcHeight},
                         .dst_array = c->dstArray,
                         .dst_pos = {c->dstXInBytes / (c->dstArray ? unit : 1), c->dstY, c->dstZ},
                         .dst = {(void *)(to_host ? (uintptr_t)c->dstHost : (uintptr_t)c->dstDevice), c->dstPitch,
                                 c->WidthInBytes, c->dstHeight},
                         .extent = {c->WidthInBytes / unit, c->Height, c->Depth},
                         .kind = c->srcMemoryType == CU_MEMORYTYPE_UNIFIED ? cudaMemcpyDefault
                                 : from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                                             : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice)};
}

cudaError_t cudaMemcpy3D(const struct copy3d *p)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = rt_copy3d(p, &c);
    return e ? rt_done(e) : rt_driver(cuMemcpy3D(&c));
}

cudaError_t cudaMemcpy3DAsync(const struct copy3d *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = rt_copy3d(p, &c);
    return e ? rt_done(e) : rt_driver(cuMemcpy3DAsync(&c, stream));
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int value, size_t width, size_t height)
{
    RT_CALL(cuMemsetD2D8((uintptr_t)ptr, pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset3D(struct pitched p, int value, struct extent extent)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !e; z++)
        e = cudaMemset2D((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width, extent.height);
    return e;
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

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *c, struct extent extent,
                              unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags}; /* numbered alike */
    if (!array || !c) return rt_done(cudaErrorInvalidValue);
    if (!rt_format(c, &d.Format, &d.NumChannels)) return rt_done(cudaErrorInvalidChannelDescriptor);
    RT_CALL(cuArray3DCreate(array, &d));
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *c, size_t width, size_t height,
                            unsigned flags)
{
    return cudaMalloc3DArray(array, c, (struct extent){width, height, 0}, flags);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct extent *extent, unsigned *flags,
                             cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult r = rt_enter();
    if (!r) r = cuArray3DGetDescriptor(&d, array);
    if (r) return rt_driver(r);
    if (desc) *desc = rt_channels(d.Format, d.NumChannels);
    if (extent) *extent = (struct extent){d.Width, d.Height, d.Depth};
    if (flags) *flags = d.Flags;
    return cudaSuccess;
}

static CUresult describe_to_array(CUDA_MEMCPY2D *c, cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                  size_t width, size_t height, int kind)
{
    *c = (CUDA_MEMCPY2D){.dstArray = dst, .dstXInBytes = x, .dstY = y, .WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c->srcMemoryType, &c->dstMemoryType)) return (CUresult)cudaErrorInvalidMemcpyDirection;
    c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    set_src(c, src, pitch);
    return CUDA_SUCCESS;
}

static CUresult describe_from_array(CUDA_MEMCPY2D *c, void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y,
                                    size_t width, size_t height, int kind)
{
    *c = (CUDA_MEMCPY2D){.srcArray = src, .srcXInBytes = x, .srcY = y, .WidthInBytes = width, .Height = height};
    if (!side_types(kind, &c->srcMemoryType, &c->dstMemoryType)) return (CUresult)cudaErrorInvalidMemcpyDirection;
    c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    set_dst(c, dst, pitch);
    return CUDA_SUCCESS;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, int kind)
{
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe_to_array(&c, dst, x, y, src, pitch, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2D(&c));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                     size_t height, int kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe_to_array(&c, dst, x, y, src, pitch, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2DAsync(&c, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                  size_t height, int kind)
{
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe_from_array(&c, dst, pitch, src, x, y, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2D(&c));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                       size_t height, int kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D c;
    CUresult r = rt_enter();
    if (!r) r = describe_from_array(&c, dst, pitch, src, x, y, width, height, kind);
    return rt_driver(r ? r : cuMemcpy2DAsync(&c, stream));
}

cudaError_t cudaFreeArray(cudaArray_t array) { RT_CALL(array ? cuArrayDestroy(array) : CUDA_SUCCESS); }

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_t array)
{
    return cudaArrayGetInfo(out, NULL, NULL, array);
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

/* The rows of these are not kept by a capture: no program of the versions that have them captures. */
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes, int kind,
                                   cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyToArray(dst, x, y, src, bytes, kind);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyFromArray(dst, src, x, y, bytes, kind);
}
