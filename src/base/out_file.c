#include "base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- names that a signal must remove ---- */

enum { SLOTS = 64 }; /* open at once; a program opens a few */
static char *volatile dropped[SLOTS];
static volatile pid_t owner; /* a forked process has them from its parent: they are not its own */

static void remember(char *temp)
{
    pid_t self = getpid();
    for (unsigned i = 0; i < SLOTS && owner != self; i++) dropped[i] = NULL;
    owner = self;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (dropped[i]) continue;
        dropped[i] = temp;
        return;
    }
}

static void forget(const char *temp)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (dropped[i] == temp) dropped[i] = NULL;
}

void out_file_drop_all(void)
{
    for (unsigned i = 0; owner == getpid() && i < SLOTS; i++)
        if (dropped[i]) unlink(dropped[i]);
}

/* ---- opening ---- */

static int cannot_write(struct out_file *f, enum wl_code code, int why, struct wl_err *e)
{
    return wl_fail(e, code, "cannot write %.1000s: %s", f->file == stdout ? "to standard output" : f->spoken,
                   why ? strerror(why) : "earlier output was lost");
}

static void release(struct out_file *f)
{
    if (f->temp) forget(f->temp);
    free(f->temp);
    free(f->name);
    free(f->spoken);
    *f = (struct out_file){0};
}

/* A name for the file until it is whole; each call makes another. NULL: no memory. */
static char *part_name(const char *name)
{
    static unsigned count;
    char *temp = NULL;
    unsigned n = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return asprintf(&temp, "%s.%ld-%u.part", name, (long)getpid(), n) < 0 ? NULL : temp;
}

static bool use_names;
void out_file_use_names(bool on) { use_names = on; }

static int open_unnamed(const char *name)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(name, '/');
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
    if (use_names || n >= (int)sizeof folder || access("/proc/self/fd", X_OK) != 0)
        return -1; /* it could not be given a name */
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* With a name, which is remembered. */
static int open_named(struct out_file *f)
{
    int fd = -1;
    for (unsigned i = 0; i < 100 && fd < 0; i++) { /* a process of the same number may have been killed here */
        free(f->temp);
        if (!(f->temp = part_name(f->name))) return -1;
        fd = open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd >= 0) remember(f->temp);
    return fd;
}

/* A file that replaces another has its permissions. */
static int open_part(struct out_file *f, const struct stat *old)
{
    if (old && access(f->name, W_OK) != 0) return -1;
    int fd = open_unnamed(f->name);
    if (fd < 0) fd = open_named(f);
    if (fd >= 0 && old && fchmod(fd, old->st_mode & 0777) != 0) errno = 0; /* of another user: ours is as good */
    return fd;
}

int out_file_open(struct out_file *f, const char *name, struct wl_err *e)
{
    struct stat st, link;
    *f = (struct out_file){.spoken = strdup(name)};
    if (strcmp(name, "-") == 0) {
        f->file = stdout;
        f->direct = true;
        return 0;
    }
    bool there = stat(name, &st) == 0;
    f->direct = there ? !S_ISREG(st.st_mode) : lstat(name, &link) == 0; /* a link to nowhere makes what it names */
    f->name = there && !f->direct ? realpath(name, NULL) : strdup(name);
    if (!f->name || !f->spoken) {
        release(f);
        return wl_no_memory(e);
    }
    int fd = f->direct ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : open_part(f, there ? &st : NULL);
    if (fd >= 0 && !(f->file = fdopen(fd, "w"))) close(fd);
    if (f->file) return 0;
    int why = errno, rc = cannot_write(f, WL_EINPUT, why, e);
    if (fd >= 0 && f->temp) unlink(f->temp);
    release(f);
    return rc;
}

/* ---- closing ---- */

/* Everything to the disk. False: *why is the reason, 0 when it was met earlier and is not known any more. */
static bool flush_all(struct out_file *f, int *why)
{
    errno = 0;
    bool bad = fflush(f->file) != 0 || ferror(f->file);
    *why = errno;
    if (bad || f->direct) return !bad;
    if (fsync(fileno(f->file)) == 0 || errno == EINVAL || errno == ENOSYS) return true;
    *why = errno;
    return false;
}

/* Gives the file a name that nothing has; errno is EEXIST when something has it. */
static int link_as(struct out_file *f, const char *name)
{
    char self[64];
    if (f->temp) return link(f->temp, name);
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(f->file));
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Puts it in the place of whatever has the name. A file without a name can only be linked, and a link never replaces,
 * so it gets a name for a moment. */
static int replace(struct out_file *f)
{
    if (!f->temp) {
        if (link_as(f, f->name) == 0) return 0;
        if (errno != EEXIST || !(f->temp = part_name(f->name))) return -1;
        remember(f->temp);
        char *temp = f->temp;
        f->temp = NULL;
        int bad = link_as(f, temp);
        f->temp = temp;
        if (bad) return -1;
    }
    return rename(f->temp, f->name);
}

static void drop(struct out_file *f)
{
    if (f->temp) unlink(f->temp);
    if (f->file != stdout) fclose(f->file);
    release(f);
}

int out_file_close(struct out_file *f, int rc, struct wl_err *e)
{
    int why = 0;
    if (!f->file) return rc;
    if (!rc && memory_was_short()) rc = wl_no_memory(e); /* something may be missing in it */
    if (rc) {
        drop(f);
        return rc;
    }
    if (!flush_all(f, &why)) rc = cannot_write(f, WL_ERUN, why, e);
    else if (!f->direct && replace(f) != 0) rc = cannot_write(f, WL_ERUN, errno, e);
    else if (f->file != stdout) { /* it has its name: what is left to free is ours alone */
        if (fclose(f->file) != 0) rc = cannot_write(f, WL_ERUN, errno, e);
        release(f);
        return rc;
    }
    drop(f);
    return rc;
}

int out_file_close_new(struct out_file *f, bool *taken, struct wl_err *e)
{
    int why = 0, rc = 0;
    *taken = false;
    if (!flush_all(f, &why)) rc = cannot_write(f, WL_ERUN, why, e);
    else if (!f->direct && link_as(f, f->name) != 0) {
        why = errno;
        if (why == EEXIST) {
            *taken = true;
            return 0;
        }
        /* A disk without links: between the question and the answer another process may be faster. */
        if (!f->temp || (why != EPERM && why != EOPNOTSUPP && why != EMLINK) || rename(f->temp, f->name) != 0)
            rc = cannot_write(f, WL_ERUN, why, e);
    }
    drop(f);
    return rc;
}

int out_file_rename(struct out_file *f, const char *name, struct wl_err *e)
{
    char *copy = strdup(name), *spoken = strdup(name);
    if (!copy || !spoken) {
        free(copy);
        free(spoken);
        return wl_no_memory(e);
    }
    free(f->name);
    free(f->spoken);
    f->name = copy;
    f->spoken = spoken;
    return 0;
}
