/* entry.c - cuGetProcAddress and cuGetExportTable: how bindings and the vendor's own static runtime
 * find functions of the driver. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "warpline/cuda.h"

typedef void function(void);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
CUresult cuGetExportTable(const void **table, const void *id);

static const struct {
    const char *name;
    function *call;
} functions[] = {
#define F(name) {#name, (function *)name},
#include "cuda/lib/driver_names.def"
#undef F
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

/* A program asks by the plain name and the version it was built for; the newest form it knows is meant. */
static function *find_version(const char *name, int version)
{
    static const char *const newest_first[] = {"_v4", "_v3", "_v2", ""};
    function *f = NULL;
    bool context = strcmp(name, "cuCtxCreate") == 0; /* its fourth form, of CUDA 13, takes other arguments */
    for (unsigned i = context && version < 13000 ? 1 : 0; i < 4 && !f; i++) f = find(name, newest_first[i]);
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
