/* identity.c - hashes of programs. */
#include "run/identity.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/embed.h"

/* Where the workload that runs in this thread has its questions noted. */
static _Thread_local struct {
    struct module_set set;
    bool refuse; /* the workload is only asked: it gets nothing and gives up */
} asked;

static const char *give_ptx(const char *file)
{
    const struct embed_file *f = embed_find(file);
    if (!f) return NULL;
    asked.set.hash = hash_bytes(asked.set.hash, &f->size, sizeof f->size);
    asked.set.hash = hash_bytes(asked.set.hash, f->data, f->size);
    asked.set.count++;
    return asked.refuse ? NULL : f->data;
}

struct module_set modules_of(const struct workload *w, const int64_t input[WORKLOAD_MAX_INPUTS])
{
    struct workload_run run = {.ptx = give_ptx};
    memcpy(run.in, input, sizeof run.in);
    asked.set = (struct module_set){.hash = WL_HASH_INIT};
    asked.refuse = true;
    w->run(&run);
    return asked.set;
}

int modules_run(const struct workload *w, struct workload_run *run, struct module_set *loaded)
{
    asked.set = (struct module_set){.hash = WL_HASH_INIT};
    asked.refuse = false;
    run->ptx = give_ptx;
    int failed = w->run(run);
    *loaded = asked.set;
    return failed;
}

uint64_t identity_hash(const char *workload, const char *inputs, uint64_t seed, struct module_set modules)
{
    uint64_t h = hash_bytes(WL_HASH_INIT, workload, strlen(workload) + 1);
    h = hash_bytes(h, inputs, strlen(inputs) + 1);
    h = hash_bytes(h, &seed, sizeof seed);
    return hash_bytes(h, &modules.hash, sizeof modules.hash);
}

int hash_file(const char *path, uint64_t *h, struct wl_err *e)
{
    char buffer[1 << 16];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f) return wl_fail(e, WL_EINPUT, "cannot read %s: %m", path);
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) *h = hash_bytes(*h, buffer, n);
    int rc = ferror(f) ? wl_fail(e, WL_ERUN, "cannot read %s: %m", path) : 0;
    fclose(f);
    return rc;
}
