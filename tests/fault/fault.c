/* fault.c - a library for LD_PRELOAD in which one call fails.
 *
 * WL_FAULT=KIND:N makes the Nth call of a kind fail, once; KIND:N+ makes all fail from the Nth on, as a full disk does.
 * Kinds are alloc (malloc, calloc, realloc, ...), open, read, write, fsync, rename (and link), fork and mmap. The
 * libraries that the program uses, sqlite too, call the same functions. Each process counts its own calls. WL_FAULT_LOG
 * names a file to which one line per failed call is added, and the number of calls at the end. Calls before main (the
 * dynamic linker's, constructors) are not counted, and neither is what happens after exit has begun, when nobody is
 * left to be told. WL_FAULT_TRACE adds the callers to the log. With WL_FAULT=KIND:0 nothing fails, and the log has
 * "N PLACE" for each call, where PLACE is one number for one chain of callers, of which WL_FAULT_DEPTH count. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* libc declares them, some under other names */

enum kind { K_ALLOC, K_OPEN, K_READ, K_WRITE, K_FSYNC, K_RENAME, K_FORK, K_MMAP, K_COUNT };
static const char *const kind_name[K_COUNT] = {"alloc", "open", "read", "write", "fsync", "rename", "fork", "mmap"};

static int armed = -1; /* the kind that fails; -1: none */
static bool on_and_on;
static uint64_t at, count;

/* Not through libc's write, which is ours here. */
static void note(const char *call)
{
    char line[96];
    const char *log = getenv("WL_FAULT_LOG");
    int n = snprintf(line, sizeof line, "%s %llu in %ld\n", call, (unsigned long long)at, (long)getpid());
    long fd = log ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0) return;
    syscall(SYS_write, fd, line, (size_t)n);
    void *frame[32];
    if (armed >= 0 && getenv("WL_FAULT_TRACE")) {
        armed = -1; /* it takes memory itself */
        backtrace_symbols_fd(frame, backtrace(frame, 32), (int)fd);
    }
    syscall(SYS_close, fd);
}

/* What is the same for two calls from the same place: the callers, by their return addresses. */
static void note_place(uint64_t n)
{
    static __thread bool inside __attribute__((tls_model("initial-exec")));
    if (inside) return; /* the unwinder takes memory itself */
    inside = true;
    void *frame[16];
    uint64_t place = 14695981039346656037u;
    const char *most = getenv("WL_FAULT_DEPTH");
    int depth = backtrace(frame, most && atoi(most) < 14 ? atoi(most) + 2 : 16);
    for (int i = 2; i < depth; i++) place = (place ^ (uint64_t)(uintptr_t)frame[i]) * 1099511628211u;
    char line[64];
    const char *log = getenv("WL_FAULT_LOG");
    int size = snprintf(line, sizeof line, "%llu %llx\n", (unsigned long long)n, (unsigned long long)place);
    long fd = log ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        syscall(SYS_write, fd, line, (size_t)size);
        syscall(SYS_close, fd);
    }
    inside = false;
}

/* True: this call is the one. */
static bool fails(enum kind k, const char *call, int why)
{
    if ((int)k != armed) return false;
    uint64_t n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (at == 0) note_place(n);
    if (at == 0) return false;
    if (n < at || (n > at && !on_and_on)) return false;
    if (n == at) note(call);
    errno = why;
    return true;
}

static void disarm(void)
{
    if (armed >= 0 && at) {
        at = count;
        note("calls");
    }
    armed = -1;
}

__attribute__((constructor)) static void arm(void)
{
    const char *text = getenv("WL_FAULT"), *colon = text ? strchr(text, ':') : NULL;
    if (!colon) return;
    atexit(disarm); /* it takes memory: before arming */
    char *end;
    at = strtoull(colon + 1, &end, 10);
    on_and_on = *end == '+';
    void *frame[2];
    if (at == 0) backtrace(frame, 2); /* the first one loads the unwinder */
    for (int k = 0; k < K_COUNT; k++)
        if (strncmp(text, kind_name[k], strlen(kind_name[k])) == 0 && text + strlen(kind_name[k]) == colon) armed = k;
}

#define REAL(name) ((__typeof__(&name))real(#name, &real_##name))
#define SLOT(name) static void *real_##name
static void *real(const char *name, void **slot)
{
    if (!*slot) *slot = dlsym(RTLD_NEXT, name);
    return *slot;
}

/* ---- memory ---- */

/* dlsym may ask for memory before it has told us where memory comes from. */
static _Alignas(16) char early[8192];
static size_t early_used;
static void *early_take(size_t n)
{
    void *p = early + early_used;
    early_used += (n + 15) & ~(size_t)15;
    if (early_used > sizeof early) _exit(127);
    return p;
}
static bool is_early(const void *p) { return (const char *)p >= early && (const char *)p < early + sizeof early; }
static __thread bool looking __attribute__((tls_model("initial-exec")));

SLOT(malloc);
SLOT(calloc);
SLOT(realloc);
SLOT(reallocarray);
SLOT(aligned_alloc);
SLOT(posix_memalign);
SLOT(free);

static void *look(const char *name, void **slot)
{
    if (!*slot && !looking) {
        looking = true;
        *slot = dlsym(RTLD_NEXT, name);
        looking = false;
    }
    return *slot;
}
#define MEM(name) ((__typeof__(&name))look(#name, &real_##name))

void *malloc(size_t n)
{
    if (fails(K_ALLOC, "malloc", ENOMEM)) return NULL;
    void *(*f)(size_t) = MEM(malloc);
    return f ? f(n) : early_take(n);
}

void *calloc(size_t m, size_t n)
{
    if (fails(K_ALLOC, "calloc", ENOMEM)) return NULL;
    void *(*f)(size_t, size_t) = MEM(calloc);
    return f ? f(m, n) : early_take(m * n);
}

void *realloc(void *p, size_t n)
{
    if (fails(K_ALLOC, "realloc", ENOMEM)) return NULL;
    void *(*f)(void *, size_t) = MEM(realloc);
    return f(is_early(p) ? NULL : p, n);
}

void *reallocarray(void *p, size_t m, size_t n)
{
    if (fails(K_ALLOC, "reallocarray", ENOMEM)) return NULL;
    void *(*f)(void *, size_t, size_t) = MEM(reallocarray);
    return f(p, m, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    if (fails(K_ALLOC, "aligned_alloc", ENOMEM)) return NULL;
    void *(*f)(size_t, size_t) = MEM(aligned_alloc);
    return f(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
    if (fails(K_ALLOC, "posix_memalign", ENOMEM)) return ENOMEM;
    int (*f)(void **, size_t, size_t) = MEM(posix_memalign);
    return f(p, align, n);
}

void free(void *p)
{
    void (*f)(void *) = MEM(free);
    if (p && !is_early(p) && f) f(p);
}

/* These take memory inside libc, where no library for LD_PRELOAD can reach. */
char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = malloc(n);
    return p ? memcpy(p, s, n) : NULL;
}

char *strndup(const char *s, size_t max)
{
    size_t n = strnlen(s, max);
    char *p = malloc(n + 1);
    if (!p) return NULL;
    p[n] = 0;
    return memcpy(p, s, n);
}

int vasprintf(char **out, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    *out = n < 0 ? NULL : malloc((size_t)n + 1);
    if (*out) vsnprintf(*out, (size_t)n + 1, fmt, again);
    va_end(again);
    return *out ? n : -1;
}

int asprintf(char **out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(out, fmt, ap);
    va_end(ap);
    return n;
}

int __vasprintf_chk(char **out, int flag, const char *fmt, va_list ap)
{
    (void)flag;
    return vasprintf(out, fmt, ap);
}

int __asprintf_chk(char **out, int flag, const char *fmt, ...)
{
    (void)flag;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(out, fmt, ap);
    va_end(ap);
    return n;
}

SLOT(open_memstream);
FILE *open_memstream(char **p, size_t *n)
{
    return fails(K_ALLOC, "open_memstream", ENOMEM) ? NULL : REAL(open_memstream)(p, n);
}

SLOT(mmap);
void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
    return fails(K_MMAP, "mmap", ENOMEM) ? MAP_FAILED : REAL(mmap)(p, n, prot, flags, fd, off);
}
void *mmap64(void *p, size_t n, int prot, int flags, int fd, off64_t off) { return mmap(p, n, prot, flags, fd, off); }

/* ---- files: straight to the kernel, because libc's own names for these calls differ between versions ---- */

static mode_t mode_of(int flags, va_list ap)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name, at_decl, folder)                                                                                    \
    int name(at_decl const char *path, int flags, ...)                                                                 \
    {                                                                                                                  \
        va_list ap;                                                                                                    \
        va_start(ap, flags);                                                                                           \
        mode_t mode = mode_of(flags, ap);                                                                              \
        va_end(ap);                                                                                                    \
        if (fails(K_OPEN, "open", EMFILE)) return -1;                                                                  \
        return (int)syscall(SYS_openat, folder, path, flags, mode);                                                    \
    }
#define NOTHING
#define FOLDER int folder,
OPEN(open, NOTHING, AT_FDCWD)
OPEN(open64, NOTHING, AT_FDCWD)
OPEN(openat, FOLDER, folder)
OPEN(openat64, FOLDER, folder)

SLOT(fopen);
FILE *fopen(const char *path, const char *how)
{
    return fails(K_OPEN, "fopen", EMFILE) ? NULL : REAL(fopen)(path, how);
}
FILE *fopen64(const char *path, const char *how) { return fopen(path, how); }
SLOT(fdopen);
FILE *fdopen(int fd, const char *how) { return fails(K_OPEN, "fdopen", ENOMEM) ? NULL : REAL(fdopen)(fd, how); }
SLOT(tmpfile);
FILE *tmpfile(void) { return fails(K_OPEN, "tmpfile", EMFILE) ? NULL : REAL(tmpfile)(); }
SLOT(mkstemp);
int mkstemp(char *name) { return fails(K_OPEN, "mkstemp", EMFILE) ? -1 : REAL(mkstemp)(name); }
SLOT(opendir);
void *opendir(const char *name)
{
    return fails(K_OPEN, "opendir", EMFILE) ? NULL : ((void *(*)(const char *))real("opendir", &real_opendir))(name);
}

ssize_t read(int fd, void *p, size_t n) { return fails(K_READ, "read", EIO) ? -1 : syscall(SYS_read, fd, p, n); }
ssize_t pread(int fd, void *p, size_t n, off_t o)
{
    return fails(K_READ, "pread", EIO) ? -1 : syscall(SYS_pread64, fd, p, n, o);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t o) { return pread(fd, p, n, o); }
SLOT(fread);
size_t fread(void *p, size_t size, size_t n, FILE *f)
{
    if (!fails(K_READ, "fread", EIO)) return REAL(fread)(p, size, n, f);
    f->_flags |= 0x20; /* glibc's error bit: ferror() says so */
    return 0;
}

ssize_t write(int fd, const void *p, size_t n)
{
    return fails(K_WRITE, "write", ENOSPC) ? -1 : syscall(SYS_write, fd, p, n);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t o)
{
    return fails(K_WRITE, "pwrite", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, p, n, o);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t o) { return pwrite(fd, p, n, o); }
int ftruncate(int fd, off_t n) { return fails(K_WRITE, "ftruncate", ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, n); }
int ftruncate64(int fd, off64_t n) { return ftruncate(fd, n); }
SLOT(posix_fallocate);
int posix_fallocate(int fd, off_t o, off_t n)
{
    return fails(K_WRITE, "posix_fallocate", ENOSPC) ? ENOSPC : REAL(posix_fallocate)(fd, o, n);
}
/* A stream writes inside libc: the bytes are lost where they would leave it. */
SLOT(fflush);
int fflush(FILE *f)
{
    if (!f || !fails(K_WRITE, "fflush", ENOSPC)) return REAL(fflush)(f);
    f->_flags |= 0x20;
    return EOF;
}
SLOT(fclose);
int fclose(FILE *f)
{
    bool bad = fails(K_WRITE, "fclose", ENOSPC);
    int rc = REAL(fclose)(f);
    if (!bad) return rc;
    errno = ENOSPC;
    return EOF;
}

int fsync(int fd) { return fails(K_FSYNC, "fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return fails(K_FSYNC, "fdatasync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd); }

SLOT(rename);
int rename(const char *a, const char *b) { return fails(K_RENAME, "rename", EIO) ? -1 : REAL(rename)(a, b); }
SLOT(link);
int link(const char *a, const char *b) { return fails(K_RENAME, "link", EIO) ? -1 : REAL(link)(a, b); }
SLOT(linkat);
int linkat(int da, const char *a, int db, const char *b, int flags)
{
    return fails(K_RENAME, "linkat", EIO) ? -1 : REAL(linkat)(da, a, db, b, flags);
}

/* ---- processes and threads ---- */

SLOT(fork);
pid_t fork(void) { return fails(K_FORK, "fork", EAGAIN) ? -1 : REAL(fork)(); }
SLOT(popen);
FILE *popen(const char *c, const char *how) { return fails(K_FORK, "popen", EAGAIN) ? NULL : REAL(popen)(c, how); }
#include <spawn.h>
SLOT(posix_spawn);
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *fa, const posix_spawnattr_t *a,
                char *const argv[], char *const env[])
{
    return fails(K_FORK, "posix_spawn", EAGAIN) ? EAGAIN : REAL(posix_spawn)(pid, path, fa, a, argv, env);
}
SLOT(posix_spawnp);
int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *fa, const posix_spawnattr_t *a,
                 char *const argv[], char *const env[])
{
    return fails(K_FORK, "posix_spawnp", EAGAIN) ? EAGAIN : REAL(posix_spawnp)(pid, path, fa, a, argv, env);
}
#include <pthread.h>
SLOT(pthread_create);
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
    return fails(K_FORK, "pthread_create", EAGAIN) ? EAGAIN : REAL(pthread_create)(t, a, f, arg);
}
