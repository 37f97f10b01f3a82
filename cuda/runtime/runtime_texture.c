/* runtime_texture.c - texture objects, and the texture references of CUDA 11 and before. */
#include <string.h>

#include "cuda/runtime/runtime.h"

struct texture_host { /* struct textureReference: a global variable of the program */
    int normalized, filter, address[3];
    struct cudaChannelFormatDesc channels;
};

struct resource { /* cudaResourceDesc */
    int type;
    union {
        cudaArray_t array;
        struct {
            void *ptr;
            struct cudaChannelFormatDesc channels;
            size_t bytes;
        } linear;
        struct {
            void *ptr;
            struct cudaChannelFormatDesc channels;
            size_t width, height, pitch;
        } pitched;
    } u;
};

struct texture_desc { /* cudaTextureDesc */
    int address[3], filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
};
enum { READ_ELEMENTS, READ_AS_FLOAT };

cudaError_t cudaCreateTextureObject(CUtexObject *out, const struct resource *r, const struct texture_desc *t,
                                    const void *view);
cudaError_t cudaDestroyTextureObject(CUtexObject object);
cudaError_t cudaBindTexture(size_t *offset, const struct texture_host *tex, const void *ptr,
                            const struct cudaChannelFormatDesc *c, size_t bytes);
cudaError_t cudaBindTexture2D(size_t *offset, const struct texture_host *tex, const void *ptr,
                              const struct cudaChannelFormatDesc *c, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct texture_host *tex, cudaArray_t array,
                                   const struct cudaChannelFormatDesc *c);
cudaError_t cudaUnbindTexture(const struct texture_host *tex);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct texture_host *tex);
cudaError_t cudaGetTextureReference(const struct texture_host **tex, const void *symbol);
cudaError_t cudaGetTextureObjectResourceDesc(struct resource *out, CUtexObject object);
cudaError_t cudaGetTextureObjectTextureDesc(struct texture_desc *out, CUtexObject object);

/* ---- objects ---- */

static cudaError_t driver_resource(const struct resource *r, CUDA_RESOURCE_DESC *out)
{
    bool ok = true;
    out->resType = (CUresourcetype)r->type;
    switch (r->type) {
    case CU_RESOURCE_TYPE_ARRAY: out->res.array.hArray = r->u.array; break;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = (uintptr_t)r->u.linear.ptr;
        out->res.linear.sizeInBytes = r->u.linear.bytes;
        ok = rt_format(&r->u.linear.channels, &out->res.linear.format, &out->res.linear.numChannels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = (uintptr_t)r->u.pitched.ptr;
        out->res.pitch2D.width = r->u.pitched.width;
        out->res.pitch2D.height = r->u.pitched.height;
        out->res.pitch2D.pitchInBytes = r->u.pitched.pitch;
        ok = rt_format(&r->u.pitched.channels, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
        break;
    default: return cudaErrorNotSupported;
    }
    return ok ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

cudaError_t cudaCreateTextureObject(CUtexObject *out, const struct resource *r, const struct texture_desc *t,
                                    const void *view)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!out || !r || !t) return rt_done(cudaErrorInvalidValue);
    if (r->type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY || view)
        return rt_unsupported(&said, "a texture of a mipmapped array or with a resource view");
    CUDA_RESOURCE_DESC resource = {.flags = 0};
    cudaError_t e = driver_resource(r, &resource);
    if (e) return rt_done(e);
    CUDA_TEXTURE_DESC d = {.filterMode = (CUfilter_mode)t->filter, .maxAnisotropy = t->anisotropy};
    for (unsigned i = 0; i < 3; i++) d.addressMode[i] = (CUaddress_mode)t->address[i];
    memcpy(d.borderColor, t->border, sizeof d.borderColor);
    if (t->read_mode == READ_ELEMENTS) d.flags |= CU_TRSF_READ_AS_INTEGER;
    if (t->normalized) d.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    RT_CALL(cuTexObjectCreate(out, &resource, &d, NULL));
}

cudaError_t cudaDestroyTextureObject(CUtexObject object) { RT_CALL(cuTexObjectDestroy(object)); }

/* ---- references ---- */

/* Everything about a reference but the memory it shows. */
static cudaError_t begin_binding(const struct texture_host *tex, const struct cudaChannelFormatDesc *c, CUtexref *out)
{
    const struct texture_reference *entry;
    CUarray_format format;
    unsigned channels;
    cudaError_t e = rt_texture(tex, out, &entry);
    if (e) return e;
    if (!rt_format(c ? c : &tex->channels, &format, &channels)) return cudaErrorInvalidChannelDescriptor;
    CUresult r = cuTexRefSetFormat(*out, format, (int)channels);
    for (int i = 0; i < 3 && !r; i++) r = cuTexRefSetAddressMode(*out, i, (CUaddress_mode)tex->address[i]);
    if (!r) r = cuTexRefSetFilterMode(*out, (CUfilter_mode)tex->filter);
    unsigned flags =
        (entry->as_float ? 0 : CU_TRSF_READ_AS_INTEGER) | (tex->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
    if (!r) r = cuTexRefSetFlags(*out, flags);
    return (cudaError_t)r;
}

cudaError_t cudaBindTexture(size_t *offset, const struct texture_host *tex, const void *ptr,
                            const struct cudaChannelFormatDesc *c, size_t bytes)
{
    CUtexref t;
    CUdeviceptr base;
    size_t size;
    cudaError_t e = begin_binding(tex, c, &t);
    CUresult r = (CUresult)e;
    /* Programs may leave the size out; the memory ends where its allocation does. */
    if (!r) r = cuMemGetAddressRange(&base, &size, (uintptr_t)ptr);
    if (!r && bytes > base + size - (uintptr_t)ptr) bytes = base + size - (uintptr_t)ptr;
    if (!r) r = cuTexRefSetAddress(offset, t, (uintptr_t)ptr, bytes);
    return rt_driver(r);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct texture_host *tex, const void *ptr,
                              const struct cudaChannelFormatDesc *c, size_t width, size_t height, size_t pitch)
{
    CUtexref t;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height};
    cudaError_t e = begin_binding(tex, c, &t);
    if (!e && !rt_format(c ? c : &tex->channels, &d.Format, &d.NumChannels)) e = cudaErrorInvalidChannelDescriptor;
    if (e) return rt_done(e);
    if (offset) *offset = 0;
    return rt_driver(cuTexRefSetAddress2D(t, &d, (uintptr_t)ptr, pitch));
}

cudaError_t cudaBindTextureToArray(const struct texture_host *tex, cudaArray_t array,
                                   const struct cudaChannelFormatDesc *c)
{
    CUtexref t;
    cudaError_t e = begin_binding(tex, c, &t);
    return e ? rt_done(e) : rt_driver(cuTexRefSetArray(t, array, CU_TRSA_OVERRIDE_FORMAT));
}

cudaError_t cudaUnbindTexture(const struct texture_host *tex)
{
    CUtexref t;
    return rt_done(rt_texture(tex, &t, NULL)); /* what it showed stays until something else is bound */
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct texture_host *tex)
{
    CUtexref t;
    cudaError_t e = offset ? rt_texture(tex, &t, NULL) : cudaErrorInvalidValue;
    if (!e) *offset = 0;
    return rt_done(e);
}

cudaError_t cudaGetTextureReference(const struct texture_host **tex, const void *symbol)
{
    if (!tex) return rt_done(cudaErrorInvalidValue);
    *tex = symbol; /* the reference itself is the symbol */
    return cudaSuccess;
}

/* ---- what an object was made of ---- */

static void runtime_channels(struct cudaChannelFormatDesc *c, CUarray_format format, unsigned channels)
{
    *c = rt_channels(format, channels);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct resource *out, CUtexObject object)
{
    CUDA_RESOURCE_DESC d;
    CUresult r = out ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuTexObjectGetResourceDesc(&d, object);
    if (r) return rt_driver(r);
    memset(out, 0, sizeof *out);
    out->type = (int)d.resType;
    if (d.resType == CU_RESOURCE_TYPE_ARRAY) out->u.array = d.res.array.hArray;
    if (d.resType == CU_RESOURCE_TYPE_LINEAR) {
        out->u.linear.ptr = (void *)(uintptr_t)d.res.linear.devPtr;
        out->u.linear.bytes = d.res.linear.sizeInBytes;
        runtime_channels(&out->u.linear.channels, d.res.linear.format, d.res.linear.numChannels);
    }
    if (d.resType == CU_RESOURCE_TYPE_PITCH2D) {
        out->u.pitched.ptr = (void *)(uintptr_t)d.res.pitch2D.devPtr;
        out->u.pitched.width = d.res.pitch2D.width;
        out->u.pitched.height = d.res.pitch2D.height;
        out->u.pitched.pitch = d.res.pitch2D.pitchInBytes;
        runtime_channels(&out->u.pitched.channels, d.res.pitch2D.format, d.res.pitch2D.numChannels);
    }
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct texture_desc *out, CUtexObject object)
{
    CUDA_TEXTURE_DESC d;
    CUresult r = out ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuTexObjectGetTextureDesc(&d, object);
    if (r) return rt_driver(r);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 3; i++) out->address[i] = (int)d.addressMode[i];
    out->filter = (int)d.filterMode;
    out->read_mode = d.flags & CU_TRSF_READ_AS_INTEGER ? READ_ELEMENTS : READ_AS_FLOAT;
    out->normalized = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    memcpy(out->border, d.borderColor, sizeof out->border);
    return cudaSuccess;
}
