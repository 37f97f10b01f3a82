#include "trace/trace_file.h"

#include <errno.h>
#include <string.h>

static int fail(const char *name, struct wl_err *e)
{
    return wl_fail(e, WL_EINPUT, "cannot read %.1000s: %s", name, strerror(errno));
}

int trace_file_open(struct trace_file *f, const char *name, struct wl_err *e)
{
    *f = (struct trace_file){.file = fopen(name, "rb")};
    return f->file ? 0 : fail(name, e);
}

void trace_file_close(struct trace_file *f)
{
    if (f->file) fclose(f->file);
    *f = (struct trace_file){.taken = f->taken};
}

int64_t trace_file_read(struct trace_file *f, const char *name, void *out, size_t size, struct wl_err *e)
{
    size_t n;
    if (f->file) {
        n = fread(out, 1, size, f->file);
        if (n == 0 && ferror(f->file)) {
            fail(name, e);
            return -1;
        }
    } else {
        n = f->mem_size < size ? f->mem_size : size;
        if (n) memcpy(out, f->mem, n);
        f->mem += n;
        f->mem_size -= n;
    }
    f->taken += n;
    return (int64_t)n;
}
