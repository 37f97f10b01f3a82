/* accel_text.h - hand-made kernels in Accel-Sim's format, for the tests of its reader. */
#ifndef WL_TESTS_ACCEL_TEXT_H
#define WL_TESTS_ACCEL_TEXT_H

#include "test.h"
#include "trace/accel/accel_priv.h"

/* A header with one line of it replaced: `change` is "key = value", or NULL. */
static inline void put_header(FILE *f, const char *change)
{
    /* clang-format off */
    static const char *const line[] = {"kernel name = k", "kernel id = 1", "grid dim = (1,1,1)", "block dim = (32,1,1)",
                                       "shmem = 0",
                                       "nregs = 16", "binary version = 80", "shmem base_addr = 0x7f0001000000",
                                       "local mem base_addr = 0x7f0003000000", "accelsim tracer version = 5",
                                       /* clang-format on */
                                       "enable lineinfo = 0"};
    for (unsigned i = 0; i < COUNT(line); i++) {
        size_t key = strcspn(line[i], "=");
        bool changed = change && strncmp(change, line[i], key) == 0;
        fprintf(f, "-%s\n", changed ? change : line[i]);
    }
    fputs("#traces format = any\n", f);
}

/* A kernel of one block of one warp. `lines` ends with NULL. The caller frees it. */
static inline char *one_warp(const char *change, const char *const *lines)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    FILE *f = open_memstream(&text, &size);
    while (lines[n]) n++;
    put_header(f, change);
    fprintf(f, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %zu\n", n);
    for (size_t i = 0; i < n; i++) fprintf(f, "%s\n", lines[i]);
    fputs("#END_TB\n", f);
    fclose(f);
    return text;
}

/* What one warp did, copied out of its stream. */
struct done {
    struct code_inst inst;
    uint32_t exec;
    uint64_t first, last; /* addresses of the lowest and highest lane */
};
struct story {
    struct done *item;
    uint32_t count;
    struct code_loop loop[64];
    uint32_t loops;
};

static inline void note(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    struct story *s = arg;
    s->item = realloc(s->item, (s->count + 1) * sizeof *s->item);
    struct done *d = &s->item[s->count++];
    *d = (struct done){.inst = *in, .exec = exec};
    if (!a) return;
    d->first = warp_addr(a, bit_low32(a->mask));
    d->last = warp_addr(a, 31 - (unsigned)__builtin_clz(a->mask));
}

/* Everything of all launches, one warp behind the other. 0, or the error's code. */
static inline int read_story(struct accel_reader *r, struct story *s, struct wl_err *e)
{
    struct wlt_item item;
    struct cta_stream cta;
    int got;
    *s = (struct story){0};
    while ((got = accel_next(r, &item, e)) > 0) {
        if (item.kind != WLT_LAUNCH) continue;
        const struct code *c = item.source->info->code;
        assert_int_equal(wlt_check_code(c, e), 0);
        s->loops = c->nloop < COUNT(s->loop) ? c->nloop : COUNT(s->loop);
        if (s->loops) memcpy(s->loop, c->loop, s->loops * sizeof s->loop[0]);
        while ((got = item.source->next(item.source, &cta, e)) > 0) {
            for (uint32_t w = 0; w < cta.nwarps; w++) {
                assert_int_equal(stream_check(c, cta.warp[w], e), 0);
                wlt_walk(c, cta.warp[w], note, s);
            }
            item.source->release(item.source, &cta);
        }
        if (got < 0) break;
    }
    return -got;
}

static inline int story_of(const char *text, struct story *s, struct wl_err *e)
{
    struct accel_reader *r = accel_open_memory("k.traceg", text, strlen(text), 0, e);
    assert_non_null(r);
    int rc = read_story(r, s, e);
    accel_close(r);
    return rc;
}

#endif
