/* entry.c - cuGetProcAddress and cuGetExportTable: how bindings and the vendor's own static runtime
 * find functions of the driver. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cuda/lib/older.h"

typedef void function(void);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
CUresult cuGetExportTable(const void **table, const void *id);

/* Without these a program would be ended by the loader, without a reason. */
#define U(name)                                                                                                        \
    CUresult name(void);                                                                                               \
    CUresult name(void)                                                                                                \
    {                                                                                                                  \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                                    \
        if (!atomic_flag_test_and_set(&said))                                                                          \
            fprintf(stderr, "warpline: " #name " is not supported; the program gets CUDA_ERROR_NOT_SUPPORTED\n");      \
        return CUDA_ERROR_NOT_SUPPORTED;                                                                               \
    }
#include "cuda/lib/driver_absent.def"
#undef U

static const struct {
    const char *name;
    function *call;
} functions[] = {
#define U(name) {#name, (function *)name},
#include "cuda/lib/driver_absent.def"
#undef U
#define F(name) {#name, (function *)name},
#include "cuda/lib/driver_names.def"
#undef F
    {"cuGraphInstantiate_v2", (function *)cuGraphInstantiate_v2},
    {"cuCtxGetDevice_v2", (function *)cuCtxGetDevice_v2},
    {"cuCtxSynchronize_v2", (function *)cuCtxSynchronize_v2},
    {"cuStreamGetCtx_v2", (function *)cuStreamGetCtx_v2},
    {"cuGetProcAddress", (function *)cuGetProcAddress},
    {"cuGetProcAddress_v2", (function *)cuGetProcAddress_v2},
    {"cuGetExportTable", (function *)cuGetExportTable},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static function *find(const char *name, const char *suffix)
{
    size_t n = strlen(name);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (strncmp(functions[i].name, name, n) == 0 && strcmp(functions[i].name + n, suffix) == 0)
            return functions[i].call;
    return NULL;
}

/* Calls whose newest form takes other arguments than those of before, and the version that changed them. */
static const struct {
    const char *name, *before;
    int version;
} changed[] = {
    {"cuCtxCreate", "_v2", 13000},        {"cuCtxGetDevice", "", 13000},
    {"cuCtxSynchronize", "", 13000},      {"cuStreamGetCtx", "", 13000},
    {"cuMemPrefetchAsync", "", 13000},    {"cuMemAdvise", "", 13000},
    {"cuGraphInstantiate", "_v2", 12000}, {"cuStreamGetCaptureInfo", "_v2", 12030},
};

/* A program asks by the plain name and the version it was built for; the newest form it knows is meant. */
static function *find_version(const char *name, int version)
{
    static const char *const newest_first[] = {"_v4", "_v3", "_v2", ""};
    function *f = NULL;
    for (unsigned i = 0; i < sizeof changed / sizeof changed[0]; i++)
        if (strcmp(name, changed[i].name) == 0 && version < changed[i].version) return find(name, changed[i].before);
    if (strcmp(name, "cuGraphInstantiate") == 0) return find("cuGraphInstantiateWithFlags", "");
    for (unsigned i = 0; i < 4 && !f; i++) f = find(name, newest_first[i]);
    return f;
}

CUresult cuGetProcAddress_v2(const char *name, void **result, int version, unsigned long long flags, int *status)
{
    (void)flags; /* the legacy or the per-thread default stream: streams are in order with each other */
    if (!name || !result) return CUDA_ERROR_INVALID_VALUE;
    function *f = find_version(name, version);
    memcpy(result, &f, sizeof f);
    if (status) *status = f ? 0 : 1; /* 1: not found */
    return f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **result, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(name, result, version, flags, NULL);
}

/* Only the vendor's own libraries ask for these tables; one that is inside the program cannot work here. */
CUresult cuGetExportTable(const void **table, const void *id)
{
    static bool said;
    Dl_info caller;
    const char *file = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname ? caller.dli_fname : "";
    const char *slash = strrchr(file, '/');
    (void)id;
    if (strstr(file, "libnvrtc") || strstr(file, "libnvJitLink")) return CUDA_ERROR_NOT_FOUND; /* compilers: no harm */
    if (!said && strstr(file, ".so"))
        fprintf(
            stderr,
            "warpline: %s is a library of machine code for real GPUs, which cannot run on a simulated one; its calls "
            "will fail\n",
            slash ? slash + 1 : file);
    else if (!said)
        fprintf(stderr, "warpline: the CUDA runtime inside this program wants the vendor's driver; "
                        "link the program with 'nvcc -cudart shared'\n");
    said = true;
    if (table) *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
