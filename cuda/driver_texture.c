/* driver_texture.c - texture references and texture objects.
 *
 * Both are one thing here: a struct texture bound under a handle, the address of the .texref
 * variable or a small number. Every setter binds anew, so that the next launch sees it. */
#include "cuda/driver.h"

#include <string.h>

#include "warpline/cuda.h"

static CUresult set_format(struct driver *d, struct texture *t, CUarray_format format, unsigned channels)
{
    static const struct {
        uint8_t id, format, bits;
    } formats[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, TEX_UNSIGNED, 8},
        {CU_AD_FORMAT_UNSIGNED_INT16, TEX_UNSIGNED, 16},
        {CU_AD_FORMAT_UNSIGNED_INT32, TEX_UNSIGNED, 32},
        {CU_AD_FORMAT_SIGNED_INT8, TEX_SIGNED, 8},
        {CU_AD_FORMAT_SIGNED_INT16, TEX_SIGNED, 16},
        {CU_AD_FORMAT_SIGNED_INT32, TEX_SIGNED, 32},
        {CU_AD_FORMAT_HALF, TEX_FLOAT, 16},
        {CU_AD_FORMAT_FLOAT, TEX_FLOAT, 32},
    };
    if (channels != 1 && channels != 2 && channels != 4)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "a texel has 1, 2 or 4 channels, not %u", channels);
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].id != (unsigned)format) continue;
        t->format = formats[i].format;
        t->bits = formats[i].bits;
        t->channels = (uint8_t)channels;
        return CUDA_SUCCESS;
    }
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "array format 0x%x is not supported", (unsigned)format);
}

static CUresult set_flags(struct driver *d, struct texture *t, unsigned flags)
{
    if (flags & ~(unsigned)(CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "texture flags 0x%x are not supported", flags);
    t->as_integer = flags & CU_TRSF_READ_AS_INTEGER;
    t->normalized = flags & CU_TRSF_NORMALIZED_COORDINATES;
    return CUDA_SUCCESS;
}

static unsigned texel_bytes(const struct texture *t) { return t->bits / 8u * t->channels; }

/* Gives the device what *x describes; a reference that shows nothing yet waits. */
static CUresult bind(struct driver *d, struct CUtexref_st *x)
{
    struct texture *t = &x->texture;
    if (!t->base) return CUDA_SUCCESS;
    for (unsigned i = 0; i < 3; i++) t->address[i] = x->bytes ? TEX_BORDER : x->address[i];
    if (x->bytes) {
        memset(t->border, 0, sizeof t->border);
        t->width = (uint32_t)(x->bytes / texel_bytes(t));
        t->height = 1;
        t->pitch = (uint64_t)t->width * texel_bytes(t);
    }
    uint64_t bytes = (t->depth > 1 ? (t->depth - 1) * t->slice : 0) + (t->height - 1) * t->pitch +
                     (uint64_t)t->width * texel_bytes(t);
    if (!t->width || t->base % texel_bytes(t) || t->pitch % texel_bytes(t))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "a texture must hold whole texels, aligned to their %u bytes",
                           texel_bytes(t));
    if (!device_bytes(d, t->base, bytes)) return device_outside(d, "texture", t->base, bytes);
    if (dev_texture_set(session_memory(d->session), x->handle, t))
        return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    return CUDA_SUCCESS;
}

void texture_release(struct CUtexref_st *t) { dev_texture_set(session_memory(t->driver->session), t->handle, NULL); }

static CUresult show_linear(struct driver *d, struct CUtexref_st *x, CUdeviceptr ptr, size_t bytes)
{
    if (!bytes || bytes / texel_bytes(&x->texture) > INT32_MAX)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "a texture of %zu bytes", bytes);
    x->texture.base = ptr;
    x->texture.array = false;
    x->bytes = bytes;
    return bind(d, x);
}

static CUresult show_rows(struct driver *d, struct CUtexref_st *x, CUdeviceptr ptr, size_t width, size_t height,
                          size_t pitch, bool array)
{
    if (!width || !height || width > INT32_MAX || height > INT32_MAX || pitch / texel_bytes(&x->texture) < width)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "a texture of %zu x %zu texels with a pitch of %zu bytes",
                           width, height, pitch);
    x->texture.base = ptr;
    x->texture.width = (uint32_t)width;
    x->texture.height = (uint32_t)height;
    x->texture.pitch = pitch;
    x->texture.array = array;
    x->bytes = 0;
    return bind(d, x);
}

static CUresult show_array(struct driver *d, struct CUtexref_st *x, CUarray array)
{
    const struct CUarray_st *a = object_find(d, array, OBJECT_ARRAY);
    if (!a) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "texture: not an array");
    CUresult r = set_format(d, &x->texture, a->desc.Format, a->desc.NumChannels);
    if (r) return r;
    x->texture.depth = a->desc.Depth ? (uint32_t)a->desc.Depth : 1;
    x->texture.slice = a->slice;
    x->texture.layered = a->desc.Flags & CUDA_ARRAY3D_LAYERED;
    x->texture.cube = a->desc.Flags & CUDA_ARRAY3D_CUBEMAP;
    return show_rows(d, x, a->addr, a->desc.Width, a->desc.Height ? a->desc.Height : 1, a->pitch, true);
}

/* ---- references ---- */

static struct CUtexref_st *known_texref(const struct driver *d, uint64_t handle)
{
    for (struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_TEXREF && ((struct CUtexref_st *)(void *)o)->handle == handle) return (void *)o;
    return NULL;
}

static struct CUtexref_st *new_texture(struct driver *d, enum object_kind kind, struct object *parent, uint64_t handle)
{
    struct CUtexref_st *x = object_new(d, sizeof *x, kind, parent);
    if (!x) return NULL;
    x->driver = d;
    x->handle = handle;
    x->texture = (struct texture){.format = TEX_FLOAT, .bits = 32, .channels = 1};
    return x;
}

CUresult cuModuleGetTexRef(CUtexref *texref, CUmodule module, const char *name)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!texref || !name) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleGetTexRef: a pointer is NULL");
    struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuModuleGetTexRef: not a module");
    uint64_t handle = ptx_texref(m->image, name);
    if (!handle) return driver_fail(d, CUDA_ERROR_NOT_FOUND, "%s has no texture reference '%s'", m->ptx->file, name);
    struct CUtexref_st *x = known_texref(d, handle);
    if (!x) x = new_texture(d, OBJECT_TEXREF, &m->object, handle);
    if (!x) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    *texref = x;
    return CUDA_SUCCESS;
}

static CUresult texref_call(struct driver **d, CUtexref texref)
{
    CUresult r = driver_context(d);
    if (!r && !object_find(*d, texref, OBJECT_TEXREF))
        r = driver_fail(*d, CUDA_ERROR_INVALID_HANDLE, "not a texture reference");
    return r;
}

CUresult cuTexRefSetAddress(size_t *byte_offset, CUtexref texref, CUdeviceptr ptr, size_t bytes)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (r) return r;
    if (byte_offset) *byte_offset = 0; /* any texel may come first */
    return show_linear(d, texref, ptr, bytes);
}

CUresult cuTexRefSetAddress2D(CUtexref texref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr, size_t pitch)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (r) return r;
    if (!desc) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTexRefSetAddress2D: no descriptor");
    r = set_format(d, &texref->texture, desc->Format, desc->NumChannels);
    return r ? r : show_rows(d, texref, ptr, desc->Width, desc->Height, pitch, false);
}

CUresult cuTexRefSetArray(CUtexref texref, CUarray array, unsigned int flags)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (r) return r;
    if (flags != CU_TRSA_OVERRIDE_FORMAT)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTexRefSetArray: flags must be CU_TRSA_OVERRIDE_FORMAT");
    return show_array(d, texref, array);
}

CUresult cuTexRefSetFormat(CUtexref texref, CUarray_format format, int channels)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (!r) r = set_format(d, &texref->texture, format, (unsigned)channels);
    return r ? r : bind(d, texref);
}

CUresult cuTexRefSetFlags(CUtexref texref, unsigned int flags)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (!r) r = set_flags(d, &texref->texture, flags);
    return r ? r : bind(d, texref);
}

CUresult cuTexRefSetAddressMode(CUtexref texref, int dim, CUaddress_mode mode)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (r) return r;
    if (dim < 0 || dim > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTexRefSetAddressMode: dimension %d, mode %d", dim,
                           (int)mode);
    texref->address[dim] = (uint8_t)mode;
    return bind(d, texref);
}

CUresult cuTexRefSetFilterMode(CUtexref texref, CUfilter_mode mode)
{
    DRIVER(d);
    CUresult r = texref_call(&d, texref);
    if (r) return r;
    texref->texture.linear = mode == CU_TR_FILTER_MODE_LINEAR;
    return bind(d, texref);
}

/* ---- objects ---- */

static CUresult show(struct driver *d, struct CUtexref_st *x, const CUDA_RESOURCE_DESC *r)
{
    CUresult rc;
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY: return show_array(d, x, r->res.array.hArray);
    case CU_RESOURCE_TYPE_LINEAR:
        rc = set_format(d, &x->texture, r->res.linear.format, r->res.linear.numChannels);
        return rc ? rc : show_linear(d, x, r->res.linear.devPtr, r->res.linear.sizeInBytes);
    case CU_RESOURCE_TYPE_PITCH2D:
        rc = set_format(d, &x->texture, r->res.pitch2D.format, r->res.pitch2D.numChannels);
        return rc ? rc
                  : show_rows(d, x, r->res.pitch2D.devPtr, r->res.pitch2D.width, r->res.pitch2D.height,
                              r->res.pitch2D.pitchInBytes, false);
    default: return driver_fail(d, CUDA_ERROR_NOT_SUPPORTED, "textures of resource type %d", (int)r->resType);
    }
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!object || !resource || !texture)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate: a pointer is NULL");
    if (view) return driver_fail(d, CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate: resource views");
    struct CUtexref_st *x = new_texture(d, OBJECT_TEXOBJECT, &d->current->object, d->textures + 1);
    if (!x) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    for (unsigned i = 0; i < 3 && !r; i++) {
        if ((unsigned)texture->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            r = driver_fail(d, CUDA_ERROR_INVALID_VALUE, "address mode %d", (int)texture->addressMode[i]);
        x->address[i] = (uint8_t)texture->addressMode[i];
    }
    x->texture.linear = texture->filterMode == CU_TR_FILTER_MODE_LINEAR;
    memcpy(x->texture.border, texture->borderColor, sizeof x->texture.border);
    if (!r) r = set_flags(d, &x->texture, texture->flags);
    if (!r) r = show(d, x, resource);
    if (r) {
        object_free(d, &x->object);
        return r;
    }
    x->resource = *resource;
    x->sampler = *texture;
    *object = ++d->textures;
    return CUDA_SUCCESS;
}

static struct CUtexref_st *object_of(const struct driver *d, uint64_t handle)
{
    for (struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_TEXOBJECT && ((struct CUtexref_st *)(void *)o)->handle == handle) return (void *)o;
    return NULL;
}

static CUresult object_call(struct driver **d, uint64_t handle, const void *out, struct CUtexref_st **x)
{
    CUresult r = driver_context(d);
    if (!r && (!(*x = object_of(*d, handle)) || !out))
        r = driver_fail(*d, CUDA_ERROR_INVALID_VALUE, "not a texture or surface object, or no room for the answer");
    return r;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    DRIVER(d);
    struct CUtexref_st *x;
    CUresult r = object_call(&d, object, resource, &x);
    if (!r) *resource = x->resource;
    return r;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    DRIVER(d);
    struct CUtexref_st *x;
    CUresult r = object_call(&d, object, texture, &x);
    if (!r) *texture = x->sampler;
    return r;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUtexref_st *x = object_of(d, object);
    if (x) return object_free(d, &x->object), CUDA_SUCCESS;
    return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuTexObjectDestroy: not a texture object");
}

/* ---- surfaces: a view of an array that kernels write; the handle is of the same kind as a texture's ---- */

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuSurfObjectCreate: a surface is a view of an array");
    struct CUtexref_st *x = new_texture(d, OBJECT_TEXOBJECT, &d->current->object, d->textures + 1);
    if (!x) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    x->texture.surface = true;
    r = show_array(d, x, resource->res.array.hArray);
    if (r) {
        object_free(d, &x->object);
        return r;
    }
    x->resource = *resource;
    *object = ++d->textures;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject object) { return cuTexObjectDestroy(object); }

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    return cuTexObjectGetResourceDesc(resource, object);
}

/* A surface reference is a .surfref variable of the module. */
struct CUsurfref_st {
    struct CUtexref_st x;
    CUarray array;
};

CUresult cuModuleGetSurfRef(CUsurfref *surfref, CUmodule module, const char *name)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!surfref || !name || !m) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleGetSurfRef: not a module");
    uint64_t handle = ptx_texref(m->image, name);
    if (!handle) return driver_fail(d, CUDA_ERROR_NOT_FOUND, "%s has no surface reference '%s'", m->ptx->file, name);
    for (struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_SURFREF && ((struct CUtexref_st *)(void *)o)->handle == handle)
            return *surfref = (struct CUsurfref_st *)(void *)o, CUDA_SUCCESS;
    struct CUsurfref_st *s = object_new(d, sizeof *s, OBJECT_SURFREF, &m->object);
    if (!s) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    s->x.driver = d;
    s->x.handle = handle;
    s->x.texture.surface = true;
    *surfref = s;
    return CUDA_SUCCESS;
}

CUresult cuSurfRefSetArray(CUsurfref surfref, CUarray array, unsigned int flags)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUsurfref_st *s = object_find(d, surfref, OBJECT_SURFREF);
    if (!s || flags) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuSurfRefSetArray: not a surface reference");
    r = show_array(d, &s->x, array);
    if (!r) s->array = array;
    return r;
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surfref)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    const struct CUsurfref_st *s = object_find(d, surfref, OBJECT_SURFREF);
    if (!s || !array || !s->array)
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuSurfRefGetArray: not a surface reference, or not bound");
    *array = s->array;
    return CUDA_SUCCESS;
}
