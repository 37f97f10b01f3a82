/* driver_module.c - modules and what is in them: kernels and variables.
 *
 * A module is PTX text. It is parsed and placed in device memory when it is loaded, so everything
 * that can be wrong with a text is reported here, with line and caret, and nothing is left for the
 * launch but what depends on the launch. */
#include "cuda/driver.h"
#include "cuda/fatbin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above all device memory and below the addresses a host program's memory has. */
#define CONST_WINDOW_BASE  UINT64_C(0x0f0000000000)
#define CONST_WINDOW_ALIGN UINT64_C(256)

/* ---- loading ---- */

/* A cubin: machine code, which nothing here can execute. */
static bool is_elf(const char *image) { return strncmp(image, "\177ELF", 4) == 0; }

static CUresult load_failed(struct driver *d, struct CUmod_st *m, CUresult code)
{
    session_complain(d->session, session_error(d->session)->text);
    object_free(d, &m->object);
    return code;
}

/* A text without anything in it is no module: a program that read its file wrongly should hear of it here. */
static bool is_blank(const char *text) { return !text[strspn(text, " \t\r\n")]; }

static CUresult load_text(struct driver *d, CUmodule *module, const char *file, const char *text, size_t size)
{
    struct wl_err *e = session_error(d->session);
    if (is_elf(text))
        return driver_complain(d, CUDA_ERROR_NO_BINARY_FOR_GPU,
                               "%s is a cubin; only PTX can be loaded (compile with -ptx, or embed PTX)", file);
    if (is_blank(text)) return driver_complain(d, CUDA_ERROR_INVALID_IMAGE, "%s is empty: there is no PTX in it", file);
    struct CUmod_st *m = object_new(d, sizeof *m, OBJECT_MODULE, &d->current->object);
    if (!m) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    m->ptx = ptx_parse_for(file, text, size, d->next_pc, session_ptx_target(d->session), e);
    if (!m->ptx) return load_failed(d, m, CUDA_ERROR_INVALID_PTX);
    m->image = ptx_load(m->ptx, session_memory(d->session), e);
    if (!m->image) return load_failed(d, m, e->code == WL_EINPUT ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_OUT_OF_MEMORY);
    d->next_pc += 8 * code_listed(&m->ptx->code); /* pcs are 8 bytes apart */
    *module = m;
    return CUDA_SUCCESS;
}

/* Where the program has machine code next to its PTX, registers are the assembler's and not our estimate. */
static void know_registers(struct ptx_module *m, const void *image, size_t size, unsigned capability)
{
    size_t bytes;
    char *cubin = fatbin_cubin(image, size, capability, &bytes);
    if (!cubin) return;
    for (struct ptx_func *f = m->funcs; f; f = f->next) {
        unsigned n = f->is_kernel ? cubin_registers(cubin, bytes, f->name) : 0;
        if (!n) continue;
        f->regs_per_thread = n;
        f->regs_from = REGS_FROM_MACHINE_CODE;
    }
    free(cubin);
}

/* PTX text, or a fat binary with PTX inside; `size` is that of the image when it is known. */
static CUresult load_image(struct driver *d, CUmodule *module, const char *file, const void *image, size_t size)
{
    struct wl_err *e = session_error(d->session);
    unsigned capability = (unsigned)driver_capability(d);
    enum fatbin_kind kind = fatbin_kind(image);
    if (kind == FATBIN_NONE) return load_text(d, module, file, image, strlen(image));
    char *text = kind == FATBIN_CONTAINER && size != SIZE_MAX ? fatbin_ptx(image, size, capability, e)
                                                              : fatbin_program(image, capability, e);
    if (!text) {
        session_complain(d->session, e->text);
        return e->code == WL_EINPUT ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult r = load_text(d, module, file, text, strlen(text));
    free(text);
    if (!r) know_registers((*module)->ptx, image, size, capability);
    return r;
}

void module_release(struct CUmod_st *m)
{
    while (m->windows) {
        struct const_window *w = m->windows;
        m->windows = w->next;
        free(w);
    }
    if (m->image) ptx_unload(m->image);
    if (m->ptx) ptx_free(m->ptx);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!module || !image) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleLoadData: a pointer is NULL");
    char name[32];
    snprintf(name, sizeof name, "module %u", ++d->modules);
    return load_image(d, module, name, image, SIZE_MAX);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return cuModuleLoadData(module, image); }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options, CUjit_option *option,
                            void **value)
{
    if (options && (!option || !value)) return CUDA_ERROR_INVALID_VALUE;
    return cuModuleLoadData(module, image);
}

char *read_file(const char *file, size_t *bytes)
{
    FILE *f = fopen(file, "rb");
    if (!f) return NULL;
    size_t size = 0, cap = 1 << 16;
    char *text = malloc(cap);
    while (text) {
        size += fread(text + size, 1, cap - size - 1, f);
        if (size < cap - 1 || size > PTX_MAX_BYTES) break; /* what is longer than that is refused */
        char *p = realloc(text, cap *= 2);
        if (!p) free(text);
        text = p;
    }
    if (text && ferror(f)) {
        free(text);
        text = NULL;
    }
    fclose(f);
    if (text) text[size] = 0;
    *bytes = size;
    return text;
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!module || !file) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleLoad: a pointer is NULL");
    size_t size;
    char *text = read_file(file, &size);
    if (!text) return driver_fail(d, CUDA_ERROR_FILE_NOT_FOUND, "%s: %s", file, strerror(errno));
    d->modules++;
    /* A wrapper holds pointers, which mean nothing in a file. */
    r = fatbin_kind(text) != FATBIN_CONTAINER ? load_text(d, module, file, text, size)
                                              : load_image(d, module, file, text, size);
    free(text);
    return r;
}

CUresult cuModuleUnload(CUmodule module)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuModuleUnload: not a module");
    order_host_all(d); /* kernels of the module may wait for the machine */
    object_free(d, &m->object);
    return CUDA_SUCCESS;
}

/* ---- kernels ---- */

static struct CUfunc_st *known_function(const struct driver *d, const struct ptx_func *kernel)
{
    for (struct object *o = d->objects; o; o = o->next)
        if (o->kind == OBJECT_FUNCTION && ((struct CUfunc_st *)(void *)o)->kernel == kernel) return (void *)o;
    return NULL;
}

static CUresult no_kernel(struct driver *d, const struct CUmod_st *m, const char *name)
{
    enum { MAX = 64 };
    const char *names[MAX];
    unsigned n = 0;
    for (const struct ptx_func *f = m->ptx->funcs; f && n < MAX; f = f->next)
        if (f->is_kernel && !f->is_extern) names[n++] = f->name;
    const char *near = wl_nearest(name, names, n);
    return driver_fail(d, CUDA_ERROR_NOT_FOUND, "%s has no kernel '%s'%s%s%s", m->ptx->file, name,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!function || !name) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleGetFunction: a pointer is NULL");
    struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuModuleGetFunction: not a module");
    const struct ptx_func *kernel = ptx_find_kernel(m->ptx, name);
    if (!kernel) return no_kernel(d, m, name);
    struct CUfunc_st *f = known_function(d, kernel);
    if (!f) f = object_new(d, sizeof *f, OBJECT_FUNCTION, &m->object);
    if (!f) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
    f->module = m;
    f->kernel = kernel;
    *function = f;
    return CUDA_SUCCESS;
}

/* ---- variables ---- */

static struct const_window *open_window(struct driver *d, struct CUmod_st *m, void *bytes, uint64_t size)
{
    for (struct const_window *w = m->windows; w; w = w->next)
        if (w->bytes == bytes) return w;
    struct const_window *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    *w = (struct const_window){m->windows, CONST_WINDOW_BASE + d->next_window, bytes, size};
    d->next_window += (size / CONST_WINDOW_ALIGN + 1) * CONST_WINDOW_ALIGN;
    m->windows = w;
    return w;
}

CUresult cuModuleGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name)
{
    DRIVER(d);
    CUresult r = driver_context(&d);
    if (r) return r;
    if (!name || (!ptr && !bytes))
        return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuModuleGetGlobal: a pointer is NULL");
    struct CUmod_st *m = object_find(d, module, OBJECT_MODULE);
    if (!m) return driver_fail(d, CUDA_ERROR_INVALID_HANDLE, "cuModuleGetGlobal: not a module");
    uint64_t addr = 0, size = 0;
    void *host = ptx_symbol(m->image, name, &addr, &size);
    if (!host) return driver_fail(d, CUDA_ERROR_NOT_FOUND, "%s has no variable '%s'", m->ptx->file, name);
    if (!addr) {
        struct const_window *w = open_window(d, m, host, size);
        if (!w) return driver_fail(d, CUDA_ERROR_OUT_OF_MEMORY, "out of host memory");
        addr = w->addr;
    }
    if (ptr) *ptr = addr;
    if (bytes) *bytes = size;
    return CUDA_SUCCESS;
}
