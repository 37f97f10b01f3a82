/* driver_link.c - linking at run time (cuLink...) and libraries of kernels (cuLibrary..., cuKernel...).
 *
 * A linker's inputs are PTX, or fat binaries with PTX; what it makes is one PTX text where the
 * vendor's makes a cubin, and cuModuleLoadData takes either's own. A library is a module under
 * another name, a kernel a function; so kernels can be launched as the driver API promises. */
#include "cuda/driver.h"
#include "cuda/fatbin.h"
#include "cuda/ptx_link.h"

#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
    struct object object;
    char **text;
    size_t texts;
    char *linked; /* what cuLinkComplete gave out */
};

void link_release(struct CUlinkState_st *s)
{
    for (size_t i = 0; i < s->texts; i++) free(s->text[i]);
    free(s->text);
    free(s->linked);
}

CUresult cuLinkCreate(unsigned int options, CUjit_option *option, void **value, CUlinkState *state)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!state || (options && (!option || !value)))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuLinkCreate: a pointer is NULL");
    struct CUlinkState_st *s = object_new(d, sizeof *s, OBJECT_LINK, &d->current->object);
    if (!s) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    *state = s;
    return CUDA_SUCCESS;
}

/* The PTX of an input as a text of its own, or NULL. */
static char *input_text(struct driver *d, CUjitInputType type, const void *data, size_t size)
{
    struct wl_err *e = session_error(d->session);
    if (type == CU_JIT_INPUT_FATBINARY) return fatbin_ptx(data, size, (unsigned)driver_capability(d), e);
    if (type == CU_JIT_INPUT_PTX) {
        char *text = strndup(data, size);
        if (!text) wl_no_memory(e);
        return text;
    }
    wl_fail(e, WL_EINPUT, "the linker takes PTX, not input of type %d", (int)type);
    return NULL;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int options, CUjit_option *option, void **value)
{
    (void)name, (void)options, (void)option, (void)value;
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUlinkState_st *s = object_find(d, state, OBJECT_LINK);
    if (!s) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLinkAddData: not a linker");
    if (!data || !size) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuLinkAddData: no data");
    char **list = realloc(s->text, (s->texts + 1) * sizeof *list);
    if (!list) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    s->text = list;
    char *text = input_text(d, type, data, size);
    if (!text) {
        session_complain(d->session, session_error(d->session)->text);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    s->text[s->texts++] = text;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int options,
                       CUjit_option *option, void **value)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    size_t size;
    char *data = path ? read_file(path, &size) : NULL;
    if (!data) return driver_fail(d, CUDA_ERROR_FILE_NOT_FOUND, "cuLinkAddFile: cannot read %s", path ? path : "NULL");
    r = cuLinkAddData(state, type, data, size, path, options, option, value);
    free(data);
    return r;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUlinkState_st *s = object_find(d, state, OBJECT_LINK);
    if (!s || !image)
        return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLinkComplete: not a linker, or no result pointer");
    struct wl_err *e = session_error(d->session);
    free(s->linked);
    s->linked = ptx_link((const char *const *)s->text, s->texts, e);
    if (!s->linked) {
        session_complain(d->session, e->text);
        return CUDA_ERROR_INVALID_PTX;
    }
    *image = s->linked;
    if (size) *size = strlen(s->linked) + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUlinkState_st *s = object_find(d, state, OBJECT_LINK);
    if (!s) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLinkDestroy: not a linker");
    object_free(d, &s->object);
    return CUDA_SUCCESS;
}

/* ---- libraries ---- */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *option, void **value,
                           unsigned int options, void *library_option, void **library_value,
                           unsigned int library_options)
{
    (void)option, (void)value, (void)options, (void)library_option, (void)library_value, (void)library_options;
    return cuModuleLoadData((CUmodule *)library, code);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *option, void **value,
                               unsigned int options, void *library_option, void **library_value,
                               unsigned int library_options)
{
    (void)option, (void)value, (void)options, (void)library_option, (void)library_value, (void)library_options;
    return cuModuleLoad((CUmodule *)library, file);
}

CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload((CUmodule)library); }

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUmod_st *m = object_find(d, library, OBJECT_MODULE);
    if (!m || !module) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuLibraryGetModule: not a library");
    *module = m;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal(ptr, bytes, (CUmodule)library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUfunc_st *f = object_find(d, kernel, OBJECT_FUNCTION);
    if (!f || !function) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuKernelGetFunction: not a kernel");
    *function = f;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice dev)
{
    (void)dev;
    return cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice dev)
{
    (void)dev;
    return cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) { return cuFuncGetName(name, (CUfunction)kernel); }
