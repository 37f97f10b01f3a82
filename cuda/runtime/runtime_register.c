/* runtime_register.c - what the compiler's host code registers before main: fat binaries, and the kernels,
 * variables and textures that belong to them.
 *
 * Nothing is loaded then. A fat binary becomes a module at the first use of anything in it, so a
 * program that only asks for the number of devices costs no simulator, and a part of it that cannot
 * be loaded does no harm until it is used. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/runtime.h"

struct fat_binary {
    struct fat_binary *next;
    const void *wrapper;
    CUmodule module;    /* NULL until the first use */
    cudaError_t failed; /* why it could not be loaded: said once, remembered */
};

static struct fat_binary *binaries;
static struct kernel *kernels;
static struct variable *variables;
static struct texture_reference *textures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A process forked while another thread looked something up must not wait for that thread, which it does not have. */
static void after_fork(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, after_fork); }

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t bytes,
                              int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
                           int normalized, int ext);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(struct kernel **out, const void *host);
cudaError_t cudaGetKernel(struct kernel **out, const void *host);
cudaError_t cudaGetFuncBySymbol(CUfunction *out, const void *host);

/* ---- registering ---- */

/* Memory for the account of a program that has only just begun; without it there is no going on. */
static void *entry(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p) abort();
    return p;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct fat_binary *f = entry(sizeof *f);
    f->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    f->next = binaries;
    binaries = f;
    pthread_mutex_unlock(&lock);
    return (void **)f;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
/* At exit, or when a library with kernels is closed. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct fat_binary *f = (struct fat_binary *)handle;
    pthread_mutex_lock(&lock);
    for (struct kernel **p = &kernels, *k; (k = *p);) {
        if (k->fat != f) p = &k->next;
        else *p = k->next, free(k);
    }
    for (struct variable **p = &variables, *v; (v = *p);) {
        if (v->fat != f) p = &v->next;
        else *p = v->next, free(v);
    }
    for (struct texture_reference **p = &textures, *t; (t = *p);) {
        if (t->fat != f) p = &t->next;
        else *p = t->next, free(t);
    }
    for (struct fat_binary **p = &binaries; *p; p = &(*p)->next) {
        if (*p != f) continue;
        *p = f->next;
        free(f);
        break;
    }
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    struct kernel *k = entry(sizeof *k);
    *k = (struct kernel){.fat = (struct fat_binary *)handle, .host = host, .name = name};
    pthread_mutex_lock(&lock);
    k->next = kernels;
    kernels = k;
    pthread_mutex_unlock(&lock);
}

static void add_variable(struct variable v)
{
    struct variable *p = entry(sizeof *p);
    *p = v;
    pthread_mutex_lock(&lock);
    p->next = variables;
    variables = p;
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes, int constant,
                       int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable((struct variable){.fat = (struct fat_binary *)handle, .host = host, .name = name, .bytes = bytes});
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t bytes,
                              int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable((struct variable){
        .fat = (struct fat_binary *)handle, .host = host, .name = name, .bytes = bytes, .managed = host});
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes; /* host variables that kernels see: none do here */
}

/* nvcc 11 registers references by their names in C++, "::t" and "::a::t"; the PTX says "t" and "_ZN1a1tE". */
static const char *device_name(const char *name)
{
    if (strncmp(name, "::", 2) != 0) return name;
    name += 2;
    if (!strstr(name, "::")) return name;
    char *out = entry(2 * strlen(name) + 8), *to = out; /* "::" becomes a number of as many digits, or more */
    to += sprintf(to, "_ZN");
    for (const char *end; *name; name = *end ? end + 2 : end) {
        end = strstr(name, "::");
        if (!end) end = name + strlen(name);
        to += sprintf(to, "%d%.*s", (int)(end - name), (int)(end - name), name);
    }
    sprintf(to, "E");
    return out;
}

void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
                           int normalized, int ext)
{
    (void)device, (void)ext;
    struct texture_reference *t = entry(sizeof *t);
    *t = (struct texture_reference){.fat = (struct fat_binary *)handle,
                                    .host = host,
                                    .name = device_name(name),
                                    .as_float = normalized,
                                    .dim = dim};
    pthread_mutex_lock(&lock);
    t->next = textures;
    textures = t;
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext)
{
    __cudaRegisterTexture(handle, host, device, name, dim, 0, ext); /* both are names of a variable of the module */
}

/* ---- loading ---- */

/* The host reaches a managed variable through a pointer of its own. */
static void place_managed(const struct fat_binary *f)
{
    for (struct variable *v = variables; v; v = v->next) {
        CUdeviceptr addr;
        if (v->fat != f || !v->managed) continue;
        if (cuModuleGetGlobal(&addr, NULL, f->module, v->name) == CUDA_SUCCESS) *v->managed = (void *)(uintptr_t)addr;
    }
}

static cudaError_t load(struct fat_binary *f)
{
    CUresult r = rt_enter();
    if (r) return (cudaError_t)r;
    if (f->module || f->failed) return f->failed;
    f->failed = (cudaError_t)cuModuleLoadData(&f->module, f->wrapper);
    if (!f->failed) place_managed(f);
    return f->failed;
}

char __cudaInitModule(void **handle)
{
    pthread_mutex_lock(&lock);
    cudaError_t e = load((struct fat_binary *)handle);
    pthread_mutex_unlock(&lock);
    return e == cudaSuccess;
}

void rt_forget_modules(void)
{
    pthread_mutex_lock(&lock);
    for (struct fat_binary *f = binaries; f; f = f->next) f->module = NULL, f->failed = cudaSuccess;
    for (struct kernel *k = kernels; k; k = k->next) k->function = NULL;
    pthread_mutex_unlock(&lock);
}

/* ---- finding ---- */

static struct kernel *find_kernel(const void *host)
{
    for (struct kernel *k = kernels; k; k = k->next)
        if (k->host == host || k == host) return k;
    return NULL;
}

/* `launch`: a failure is a launch that was refused. */
static cudaError_t find(const void *host, bool launch, CUfunction *out)
{
    pthread_mutex_lock(&lock);
    struct kernel *k = find_kernel(host);
    cudaError_t e = k ? load(k->fat) : cudaErrorInvalidDeviceFunction;
    if (e && k && launch) driver_refused(k->name, e);
    if (!k && !rt_enter() && !cuFuncLoad((CUfunction)(uintptr_t)host)) { /* a kernel of a library */
        *out = (CUfunction)(uintptr_t)host;
        e = cudaSuccess;
    }
    if (!e && k && !k->function) e = (cudaError_t)cuModuleGetFunction(&k->function, k->fat->module, k->name);
    if (!e && k) *out = k->function;
    pthread_mutex_unlock(&lock);
    return e;
}

cudaError_t rt_kernel(const void *host, CUfunction *out) { return find(host, false, out); }
cudaError_t rt_kernel_to_launch(const void *host, CUfunction *out) { return find(host, true, out); }

const void *rt_host_of(CUfunction f)
{
    pthread_mutex_lock(&lock);
    const void *host = f;
    for (const struct kernel *k = kernels; k; k = k->next)
        if (k->function == f) host = k->host;
    pthread_mutex_unlock(&lock);
    return host;
}

cudaError_t rt_symbol(const void *host, CUdeviceptr *addr, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    struct variable *v = variables;
    while (v && v->host != host && !(v->managed && *v->managed == host)) v = v->next;
    cudaError_t e = v ? load(v->fat) : cudaErrorInvalidSymbol;
    if (!e) e = (cudaError_t)cuModuleGetGlobal(addr, bytes, v->fat->module, v->name);
    pthread_mutex_unlock(&lock);
    return e;
}

bool rt_managed_variable(const void *ptr)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct variable *v = variables; v && !found; v = v->next)
        found = v->managed && *v->managed && (uintptr_t)ptr - (uintptr_t)*v->managed < v->bytes;
    pthread_mutex_unlock(&lock);
    return found;
}

cudaError_t rt_texture(const void *host, CUtexref *out, const struct texture_reference **found)
{
    pthread_mutex_lock(&lock);
    struct texture_reference *t = textures;
    while (t && t->host != host) t = t->next;
    cudaError_t e = t ? load(t->fat) : cudaErrorInvalidTexture;
    if (!e) e = (cudaError_t)cuModuleGetTexRef(out, t->fat->module, t->name);
    if (!e && found) *found = t;
    pthread_mutex_unlock(&lock);
    return e;
}

cudaError_t rt_surface(const void *host, CUsurfref *out)
{
    pthread_mutex_lock(&lock);
    struct texture_reference *t = textures;
    while (t && t->host != host) t = t->next;
    cudaError_t e = t ? load(t->fat) : cudaErrorInvalidSurface;
    if (!e) e = (cudaError_t)cuModuleGetSurfRef(out, t->fat->module, t->name);
    pthread_mutex_unlock(&lock);
    return e;
}

cudaError_t __cudaGetKernel(struct kernel **out, const void *host)
{
    pthread_mutex_lock(&lock);
    struct kernel *k = find_kernel(host);
    pthread_mutex_unlock(&lock);
    if (!out || !k) return rt_done(cudaErrorInvalidDeviceFunction);
    *out = k;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(struct kernel **out, const void *host) { return __cudaGetKernel(out, host); }

cudaError_t cudaGetFuncBySymbol(CUfunction *out, const void *host)
{
    return rt_done(out ? rt_kernel(host, out) : cudaErrorInvalidValue);
}
