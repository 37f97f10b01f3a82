/* nvrtc.c - libnvrtc: CUDA C++ compiled at run time, by whatever compiler of the vendor's there is.
 *
 * A real libnvrtc does it best: it is looked for and called with the same arguments, but for the
 * target, which becomes virtual (sm_75 to compute_75): what can be loaded here is PTX. So a "cubin" is PTX too. Without
 * a libnvrtc an nvcc is run on files in a temporary folder; without either, compiling fails and the log says what is
 * missing. */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/nvrtc/nvrtc.h"

enum { MAX_NAMES = 256, MAX_OPTIONS = 256 };

struct nvrtc_name {
    char *expression, *lowered;
};

struct nvrtc_program {
    void *real; /* the program of the vendor's library; NULL: it is ours */
    char *source, *file;
    int headers;
    char **header, **include;
    struct nvrtc_name name[MAX_NAMES];
    unsigned names;
    char *log, *ptx;
};

/* ---- the vendor's library ---- */

static void *vendor;

static void try_vendor(const char *folder, const char *end)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s/libnvrtc.so." NVRTC_SONAME, (int)(end - folder), folder);
    if (vendor || end == folder || n >= (int)sizeof path) return;
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    Dl_info own, found;
    void *f = lib ? dlsym(lib, "nvrtcCompileProgram") : NULL;
    if (f && dladdr((void *)(uintptr_t)try_vendor, &own) && dladdr(f, &found) && own.dli_fbase != found.dli_fbase)
        vendor = lib;
    else if (lib) dlclose(lib);
}

static void try_each(const char *list)
{
    while (list && *list) {
        const char *end = strchrnul(list, ':');
        try_vendor(list, end);
        list = *end ? end + 1 : end;
    }
}

static void find_vendor(void)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    char folder[PATH_MAX];
    const char *off = getenv("NVRTC_COMPILER"); /* "nvcc": leave the library alone, "none": both */
    if (off) return;
    try_each(getenv("LD_LIBRARY_PATH"));
    for (unsigned i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const char *home = getenv(homes[i]);
        if (home && snprintf(folder, sizeof folder, "%s/lib64", home) < (int)sizeof folder) try_each(folder);
    }
    try_each("/usr/local/cuda/lib64:/usr/lib/x86_64-linux-gnu:/usr/lib64");
}

static void *vendor_function(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_vendor);
    return vendor ? dlsym(vendor, name) : NULL;
}

/* Calls the vendor's function of this name with the arguments behind `type`. */
#define VENDOR(name, type, ...) ((type)(uintptr_t)vendor_function(name))(__VA_ARGS__)

/* ---- options ---- */

static char *text(const char *s) { return strdup(s ? s : ""); }

/* "sm_75" within an option becomes "compute_75"; everything else stays. */
static char *virtual_target(const char *option)
{
    const char *at = strstr(option, "sm_");
    bool target = strncmp(option, "-arch", 5) == 0 || strncmp(option, "--gpu-architecture", 18) == 0 || at == option;
    char *out = NULL;
    if (!at || !target) return text(option);
    if (asprintf(&out, "%.*scompute_%s", (int)(at - option), option, at + 3) < 0) return NULL;
    return out;
}

/* ---- nvcc ---- */

static bool find_nvcc(char out[PATH_MAX])
{
    const char *off = getenv("NVRTC_COMPILER"), *named = getenv("NVCC"), *home = getenv("CUDA_HOME");
    if (off && strcmp(off, "none") == 0) return false;
    if (named && access(named, X_OK) == 0) return snprintf(out, PATH_MAX, "%s", named) < PATH_MAX;
    if (home && snprintf(out, PATH_MAX, "%s/bin/nvcc", home) < PATH_MAX && access(out, X_OK) == 0) return true;
    for (const char *p = getenv("PATH"); p && *p;) {
        const char *end = strchrnul(p, ':');
        if (snprintf(out, PATH_MAX, "%.*s/nvcc", (int)(end - p), p) < PATH_MAX && access(out, X_OK) == 0) return true;
        p = *end ? end + 1 : end;
    }
    return snprintf(out, PATH_MAX, "/usr/local/cuda/bin/nvcc") && access(out, X_OK) == 0;
}

/* A name that stays inside the folder. */
static bool plain(const char *name) { return *name && *name != '/' && !strstr(name, ".."); }

static bool write_text(const char *folder, const char *name, const char *content)
{
    char path[PATH_MAX];
    if (!plain(name) || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w"); /* a temporary folder of our own: nobody sees half a file */
    bool ok = f && fputs(content, f) >= 0;
    if (f && fclose(f) != 0) ok = false;
    return ok;
}

static char *read_text(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return NULL;
    FILE *f = fopen(path, "r");
    char *out = NULL;
    size_t n = 0;
    if (f && getdelim(&out, &n, 0, f) < 0) {
        free(out);
        out = text("");
    }
    if (f) fclose(f);
    return out;
}

static void set_log(struct nvrtc_program *p, const char *log)
{
    free(p->log);
    p->log = text(log);
}

/* Runs nvcc in the folder; what it says goes to "log". */
static bool run_nvcc(const char *nvcc, const char *folder, char **argv)
{
    int raw = 1;
    pid_t pid = fork();
    if (pid == 0) {
        if (chdir(folder) || !freopen("log", "w", stderr) || dup2(fileno(stderr), 1) < 0) _exit(126);
        unsetenv("LD_LIBRARY_PATH"); /* the compiler needs no simulated GPU */
        execv(nvcc, argv);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &raw, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(raw) && WEXITSTATUS(raw) == 0;
}

static bool write_inputs(const struct nvrtc_program *p, const char *folder)
{
    bool ok = write_text(folder, "program.cu", p->source);
    for (int i = 0; i < p->headers && ok; i++) ok = write_text(folder, p->include[i], p->header[i]);
    return ok;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void remove_folder(const char *folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* Options of NVRTC that nvcc does not know: how it compiles anyway, or about code it does not make here. */
static bool is_foreign(const char *o)
{
    static const char *const names[] = {"-default-device",
                                        "--device-as-default-execution-space",
                                        "--no-source-include",
                                        "-no-source-include",
                                        "--builtin",
                                        "-builtin",
                                        "--dopt",
                                        "-dopt",
                                        "-dlto",
                                        "--dlink"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(o, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static enum nvrtc_result compile_with_nvcc(struct nvrtc_program *p, int options, const char *const *option)
{
    char nvcc[PATH_MAX], folder[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    if (!find_nvcc(nvcc)) {
        set_log(p, "warpline: neither a libnvrtc.so." NVRTC_SONAME " nor an nvcc was found; install CUDA's compiler "
                   "(CUDA_HOME, PATH or NVCC name it), or compile the kernels beforehand\n");
        fprintf(stderr, "%s", p->log);
        return NVRTC_ERROR_COMPILATION;
    }
    snprintf(folder, sizeof folder, "%s/warpline-nvrtc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    char *argv[MAX_OPTIONS + 8] = {nvcc, "-ptx", "-I.", "-o", "out.ptx", "program.cu"}, *own[MAX_OPTIONS];
    int n = 6, owned = 0;
    for (int i = 0; i < options && i < MAX_OPTIONS; i++)
        if (!is_foreign(option[i])) argv[n++] = own[owned++] = virtual_target(option[i]);
    argv[n] = NULL;
    bool ok = write_inputs(p, folder) && run_nvcc(nvcc, folder, argv);
    for (int i = 0; i < owned; i++) free(own[i]);
    free(p->log);
    p->log = read_text(folder, "log");
    free(p->ptx);
    p->ptx = ok ? read_text(folder, "out.ptx") : NULL;
    remove_folder(folder);
    return p->ptx ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

/* The symbol of a function named in the source: the .entry whose mangled name holds it. */
static char *find_symbol(const char *ptx, const char *expression)
{
    char wanted[512], *out = NULL;
    while (*expression == '&' || *expression == ' ' || *expression == ':') expression++;
    snprintf(wanted, sizeof wanted, "%zu%s", strlen(expression), expression);
    for (const char *rest = ptx ? ptx : "", *at; !out && (at = strstr(rest, ".entry ")); rest = at) {
        at += strlen(".entry ");
        size_t len = strcspn(at, "( \n");
        char symbol[1024];
        snprintf(symbol, sizeof symbol, "%.*s", (int)len, at);
        bool same = strcmp(symbol, expression) == 0;
        if (same || (strncmp(symbol, "_Z", 2) == 0 && strstr(symbol, wanted))) out = text(symbol);
    }
    return out;
}

/* ---- the interface ---- */

enum nvrtc_result nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    if (vendor_function("nvrtcVersion"))
        return VENDOR("nvrtcVersion", enum nvrtc_result(*)(int *, int *), major, minor);
    *major = NVRTC_MAJOR;
    *minor = NVRTC_MAJOR == 11 ? 8 : 0;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(enum nvrtc_result result)
{
    static const char *const names[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR"};
    return (unsigned)result < sizeof names / sizeof names[0] ? names[result] : "NVRTC_ERROR unknown";
}

static const int targets[] = {50, 52, 60, 61, 70, 75, 80, 86, 89, 90};

enum nvrtc_result nvrtcGetNumSupportedArchs(int *count)
{
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    if (vendor_function("nvrtcGetNumSupportedArchs"))
        return VENDOR("nvrtcGetNumSupportedArchs", enum nvrtc_result(*)(int *), count);
    *count = sizeof targets / sizeof targets[0];
    return NVRTC_SUCCESS;
}

enum nvrtc_result nvrtcGetSupportedArchs(int *list)
{
    if (!list) return NVRTC_ERROR_INVALID_INPUT;
    if (vendor_function("nvrtcGetSupportedArchs"))
        return VENDOR("nvrtcGetSupportedArchs", enum nvrtc_result(*)(int *), list);
    memcpy(list, targets, sizeof targets);
    return NVRTC_SUCCESS;
}

enum nvrtc_result nvrtcCreateProgram(struct nvrtc_program **out, const char *source, const char *name, int headers,
                                     const char *const *header, const char *const *include)
{
    if (!out || !source || headers < 0 || (headers && (!header || !include))) return NVRTC_ERROR_INVALID_INPUT;
    struct nvrtc_program *p = calloc(1, sizeof *p);
    if (!p) return NVRTC_ERROR_OUT_OF_MEMORY;
    enum nvrtc_result r = NVRTC_SUCCESS;
    if (vendor_function("nvrtcCreateProgram"))
        r = VENDOR(
            "nvrtcCreateProgram",
            enum nvrtc_result(*)(void **, const char *, const char *, int, const char *const *, const char *const *),
            &p->real, source, name, headers, header, include);
    if (r) {
        free(p);
        return r;
    }
    p->source = text(source);
    p->file = text(name);
    p->header = calloc((size_t)headers + 1, sizeof(char *));
    p->include = calloc((size_t)headers + 1, sizeof(char *));
    for (int i = 0; p->header && p->include && i < headers; i++, p->headers++) {
        p->header[i] = text(header[i]);
        p->include[i] = text(include[i]);
    }
    *out = p;
    return NVRTC_SUCCESS;
}

enum nvrtc_result nvrtcDestroyProgram(struct nvrtc_program **prog)
{
    if (!prog || !*prog) return NVRTC_ERROR_INVALID_PROGRAM;
    struct nvrtc_program *p = *prog;
    if (p->real) VENDOR("nvrtcDestroyProgram", enum nvrtc_result(*)(void **), &p->real);
    for (int i = 0; i < p->headers; i++) free(p->header[i]), free(p->include[i]);
    for (unsigned i = 0; i < p->names; i++) free(p->name[i].expression), free(p->name[i].lowered);
    free(p->header);
    free(p->include);
    free(p->source);
    free(p->file);
    free(p->log);
    free(p->ptx);
    free(p);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

enum nvrtc_result nvrtcCompileProgram(struct nvrtc_program *p, int options, const char *const *option)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (options < 0 || options > MAX_OPTIONS || (options && !option)) return NVRTC_ERROR_INVALID_INPUT;
    if (!p->real) return compile_with_nvcc(p, options, option);
    char *own[MAX_OPTIONS];
    for (int i = 0; i < options; i++) own[i] = virtual_target(option[i]);
    enum nvrtc_result r =
        VENDOR("nvrtcCompileProgram", enum nvrtc_result(*)(void *, int, char **), p->real, options, own);
    for (int i = 0; i < options; i++) free(own[i]);
    return r;
}

/* A text of the program: its size with the NUL, and its bytes. */
static enum nvrtc_result size_of(const struct nvrtc_program *p, const char *what, const char *call, size_t *size)
{
    if (!p || !size) return NVRTC_ERROR_INVALID_INPUT;
    if (p->real) return VENDOR(call, enum nvrtc_result(*)(void *, size_t *), p->real, size);
    if (!what) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = strlen(what) + 1;
    return NVRTC_SUCCESS;
}

static enum nvrtc_result bytes_of(const struct nvrtc_program *p, const char *what, const char *call, char *out)
{
    if (!p || !out) return NVRTC_ERROR_INVALID_INPUT;
    if (p->real) return VENDOR(call, enum nvrtc_result(*)(void *, char *), p->real, out);
    if (!what) return NVRTC_ERROR_INVALID_PROGRAM;
    strcpy(out, what);
    return NVRTC_SUCCESS;
}

static const char *ptx_of(const struct nvrtc_program *p) { return p ? p->ptx : NULL; }
static const char *log_of(const struct nvrtc_program *p) { return p && p->log ? p->log : ""; }

enum nvrtc_result nvrtcGetPTXSize(struct nvrtc_program *p, size_t *size)
{
    return size_of(p, ptx_of(p), "nvrtcGetPTXSize", size);
}
enum nvrtc_result nvrtcGetPTX(struct nvrtc_program *p, char *ptx) { return bytes_of(p, ptx_of(p), "nvrtcGetPTX", ptx); }
enum nvrtc_result nvrtcGetCUBINSize(struct nvrtc_program *p, size_t *size) { return nvrtcGetPTXSize(p, size); }
enum nvrtc_result nvrtcGetCUBIN(struct nvrtc_program *p, char *cubin) { return nvrtcGetPTX(p, cubin); }

enum nvrtc_result nvrtcGetProgramLogSize(struct nvrtc_program *p, size_t *size)
{
    return size_of(p, log_of(p), "nvrtcGetProgramLogSize", size);
}

enum nvrtc_result nvrtcGetProgramLog(struct nvrtc_program *p, char *log)
{
    return bytes_of(p, log_of(p), "nvrtcGetProgramLog", log);
}

enum nvrtc_result nvrtcAddNameExpression(struct nvrtc_program *p, const char *expression)
{
    if (!p || !expression) return NVRTC_ERROR_INVALID_INPUT;
    if (p->real)
        return VENDOR("nvrtcAddNameExpression", enum nvrtc_result(*)(void *, const char *), p->real, expression);
    if (p->ptx) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (p->names == MAX_NAMES) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->name[p->names++].expression = text(expression);
    return NVRTC_SUCCESS;
}

enum nvrtc_result nvrtcGetLoweredName(struct nvrtc_program *p, const char *expression, const char **name)
{
    if (!p || !expression || !name) return NVRTC_ERROR_INVALID_INPUT;
    if (p->real)
        return VENDOR("nvrtcGetLoweredName", enum nvrtc_result(*)(void *, const char *, const char **), p->real,
                      expression, name);
    if (!p->ptx) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (unsigned i = 0; i < p->names; i++) {
        struct nvrtc_name *n = &p->name[i];
        if (strcmp(n->expression, expression) != 0) continue;
        if (!n->lowered) n->lowered = find_symbol(p->ptx, expression);
        *name = n->lowered;
        return n->lowered ? NVRTC_SUCCESS : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* Code for a later link is machine code in all but name: there is none. */
enum nvrtc_result nvrtcGetLTOIRSize(struct nvrtc_program *p, size_t *size)
{
    (void)p, (void)size;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

enum nvrtc_result nvrtcGetLTOIR(struct nvrtc_program *p, char *code)
{
    (void)p, (void)code;
    return NVRTC_ERROR_INVALID_PROGRAM;
}
