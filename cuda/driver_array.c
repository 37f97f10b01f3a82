/* driver_array.c - arrays and two-dimensional copies.
 *
 * An array is device memory stored row by row with a pitch. Real devices store arrays in tiles;
 * docs/ptx.md says what that means for the texture cache. */
#include "cuda/driver.h"

#include <inttypes.h>
#include <string.h>

enum { ROW_ALIGN = 64 };

static unsigned format_bytes(CUarray_format f)
{
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4;
    }
    return 0;
}

/* Elements in a row, rows in a plane, planes or layers. */
static bool array_fits(const CUDA_ARRAY3D_DESCRIPTOR *a, size_t height, size_t depth)
{
    enum { MOST = 1 << 17, MOST_PLANES = 1 << 15 };
    unsigned n = a->NumChannels;
    bool cube = a->Flags & CUDA_ARRAY3D_CUBEMAP;
    return format_bytes(a->Format) && (n == 1 || n == 2 || n == 4) && a->Width && a->Width <= MOST && height <= MOST &&
           depth <= MOST_PLANES && (!cube || (depth % 6 == 0 && a->Width == height));
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    enum {
        KNOWN = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER
    };
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!array || !desc) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuArrayCreate: a pointer is NULL");
    if (desc->Flags & ~(unsigned)KNOWN)
        return driver_complain(d, CUDA_ERROR_NOT_SUPPORTED, "arrays with flags 0x%x are not supported", desc->Flags);
    size_t height = desc->Height ? desc->Height : 1, depth = desc->Depth ? desc->Depth : 1;
    if (!array_fits(desc, height, depth))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "cuArrayCreate: %zu x %zu x %zu elements of format 0x%x with %u channels", desc->Width,
                           desc->Height, desc->Depth, (unsigned)desc->Format, desc->NumChannels);
    struct CUarray_st *a = object_new(d, sizeof *a, OBJECT_ARRAY, &d->current->object);
    if (!a) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    a->driver = d;
    a->desc = *desc;
    a->pitch = (desc->Width * format_bytes(desc->Format) * desc->NumChannels + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    a->slice = a->pitch * height;
    a->addr = dev_alloc(session_memory(d->session), a->slice * depth);
    if (!a->addr) {
        object_free(d, &a->object);
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "cuArrayCreate: no room for %zu x %zu x %zu elements",
                           desc->Width, height, depth);
    }
    *array = a;
    return CUDA_SUCCESS;
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
    if (!desc) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR all = {
        .Width = desc->Width, .Height = desc->Height, .Format = desc->Format, .NumChannels = desc->NumChannels};
    return cuArray3DCreate(array, &all);
}

void array_release(struct CUarray_st *a)
{
    if (a->addr) dev_release(session_memory(a->driver->session), a->addr);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUarray_st *a = object_find(d, array, OBJECT_ARRAY);
    if (!a || !desc) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuArrayGetDescriptor: not an array");
    *desc = (CUDA_ARRAY_DESCRIPTOR){a->desc.Width, a->desc.Height, a->desc.Format, a->desc.NumChannels};
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUarray_st *a = object_find(d, array, OBJECT_ARRAY);
    if (!a || !desc) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuArray3DGetDescriptor: not an array");
    *desc = a->desc;
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUarray_st *a = object_find(d, array, OBJECT_ARRAY);
    if (!a) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuArrayDestroy: not an array");
    object_free(d, &a->object);
    return CUDA_SUCCESS;
}

/* ---- copies ---- */

/* One side of a copy: where its rows are. */
struct side {
    char *host;       /* of byte (x, y) */
    CUdeviceptr addr; /* 0: host memory */
    size_t pitch;
};

static CUresult array_side(struct driver *d, CUarray array, size_t x, size_t y, size_t z, const CUDA_MEMCPY2D *c,
                           struct side *out)
{
    const struct CUarray_st *a = object_find(d, array, OBJECT_ARRAY);
    if (!a) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuMemcpy2D: not an array");
    size_t row = a->desc.Width * format_bytes(a->desc.Format) * a->desc.NumChannels;
    size_t rows = a->desc.Height ? a->desc.Height : 1;
    size_t planes = a->desc.Depth ? a->desc.Depth : 1;
    if (x > row || c->WidthInBytes > row - x || y > rows || c->Height > rows - y || z >= planes)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE,
                           "cuMemcpy2D: %zu x %zu bytes at (%zu, %zu) of an array of %zu x %zu", c->WidthInBytes,
                           c->Height, x, y, row, rows);
    *out = (struct side){.addr = a->addr + z * a->slice + y * a->pitch + x, .pitch = a->pitch};
    out->host = device_bytes(d, out->addr, 1);
    return CUDA_SUCCESS;
}

static CUresult device_side(struct driver *d, CUdeviceptr base, size_t x, size_t y, size_t pitch,
                            const CUDA_MEMCPY2D *c, struct side *out)
{
    if (pitch < c->WidthInBytes && c->Height > 1)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy2D: rows of %zu bytes in a pitch of %zu",
                           c->WidthInBytes, pitch);
    *out = (struct side){.addr = base + y * pitch + x, .pitch = pitch};
    uint64_t bytes = (c->Height - 1) * pitch + c->WidthInBytes;
    out->host = device_bytes(d, out->addr, bytes);
    return out->host ? CUDA_SUCCESS : device_outside(d, "cuMemcpy2D", out->addr, bytes);
}

static CUresult host_side(struct driver *d, const void *base, size_t x, size_t y, size_t pitch, struct side *out)
{
    if (!base) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy2D: the host pointer is NULL");
    *out = (struct side){.host = (char *)(uintptr_t)base + y * pitch + x, .pitch = pitch};
    return CUDA_SUCCESS;
}

static CUresult find_side(struct driver *d, CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                          size_t x, size_t y, size_t z, size_t pitch, const CUDA_MEMCPY2D *c, struct side *out)
{
    if (type == CU_MEMORYTYPE_ARRAY) return array_side(d, array, x, y, z, c, out);
    if (type == CU_MEMORYTYPE_HOST) return host_side(d, host, x, y, pitch, out);
    if (type == CU_MEMORYTYPE_DEVICE || (type == CU_MEMORYTYPE_UNIFIED && device_bytes(d, device, 1)))
        return device_side(d, device, x, y, pitch, c, out);
    if (type == CU_MEMORYTYPE_UNIFIED) return host_side(d, (const void *)(uintptr_t)device, x, y, pitch, out);
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy2D: memory type %d", (int)type);
}

/* One plane of a copy; `from_z` and `to_z` are planes of arrays. */
static CUresult copy_plane(struct driver *d, const CUDA_MEMCPY2D *c, size_t from_z, size_t to_z)
{
    if (!c->WidthInBytes || !c->Height) return CUDA_SUCCESS;
    struct side from = {0}, to = {0};
    CUresult r = find_side(d, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, from_z,
                           c->srcPitch, c, &from);
    if (!r)
        r = find_side(d, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, to_z,
                      c->dstPitch, c, &to);
    if (!r && from.addr && session_look(d->session, session_error(d->session))) r = CUDA_ERROR_NOT_PERMITTED;
    if (!r) order_host_default(d);
    for (size_t y = 0; y < c->Height && !r; y++) {
        memmove(to.host + y * to.pitch, from.host + y * from.pitch, c->WidthInBytes);
        if (to.addr && !from.addr && order_copied(d, to.addr + y * to.pitch, c->WidthInBytes))
            r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    return r;
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    return c ? copy_plane(d, c, 0, 0) : driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy2D: no description");
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!c) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuMemcpy3D: no description");
    for (size_t z = 0; z < c->Depth && !r; z++) {
        size_t from = (c->srcZ + z) * c->srcHeight * c->srcPitch, to = (c->dstZ + z) * c->dstHeight * c->dstPitch;
        CUDA_MEMCPY2D plane = {.srcXInBytes = c->srcXInBytes,
                               .srcY = c->srcY,
                               .srcMemoryType = c->srcMemoryType,
                               .srcHost = c->srcHost ? (const char *)c->srcHost + from : NULL,
                               .srcDevice = c->srcDevice + from,
                               .srcArray = c->srcArray,
                               .srcPitch = c->srcPitch,
                               .dstXInBytes = c->dstXInBytes,
                               .dstY = c->dstY,
                               .dstMemoryType = c->dstMemoryType,
                               .dstHost = c->dstHost ? (char *)c->dstHost + to : NULL,
                               .dstDevice = c->dstDevice + to,
                               .dstArray = c->dstArray,
                               .dstPitch = c->dstPitch,
                               .WidthInBytes = c->WidthInBytes,
                               .Height = c->Height};
        r = copy_plane(d, &plane, c->srcZ + z, c->dstZ + z);
    }
    return r;
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) { return cuMemcpy2D(copy); }

/* A run of bytes of a one-dimensional array. */
static CUresult copy_run(CUDA_MEMCPY2D *c, size_t bytes)
{
    c->WidthInBytes = bytes;
    c->Height = 1;
    return cuMemcpy2D(c);
}

CUresult cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes)
{
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = src,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = dst,
                       .dstXInBytes = offset};
    return copy_run(&c, bytes);
}

CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes)
{
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = src,
                       .srcXInBytes = offset,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = dst};
    return copy_run(&c, bytes);
}
