/* ptx_run.h - what the executor's tests share: run a kernel from a string on some buffers. */
#ifndef WL_TESTS_PTX_RUN_H
#define WL_TESTS_PTX_RUN_H

#include "test.h"

#include "ptx/exec.h"

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

struct ptx_test {
    struct dev_mem *mem;
    struct ptx_module *mod;
    struct ptx_image *img;
    struct wl_err err;
    struct exec_counts counts;
    char printed[4096];
    size_t nprinted;
    uint32_t shared; /* dynamic shared bytes of the next launch */
    struct ptx_budget budget;
    struct warp_addrs fetched; /* of the last texture fetch that a stream had */
};

static inline void ptx_test_print(void *arg, const char *text, size_t len)
{
    struct ptx_test *t = arg;
    if (len > sizeof t->printed - 1 - t->nprinted) len = sizeof t->printed - 1 - t->nprinted;
    memcpy(t->printed + t->nprinted, text, len);
    t->nprinted += len;
    t->printed[t->nprinted] = 0;
}

/* Parses, which must succeed, and loads: t->img is NULL when that was refused. */
static inline void ptx_test_load_for(struct ptx_test *t, const char *text, struct ptx_target target)
{
    *t = (struct ptx_test){.mem = dev_mem_new(64 << 20)};
    assert_non_null(t->mem);
    t->mod = ptx_parse_for("t.ptx", text, strlen(text), 0, target, &t->err);
    if (!t->mod) print_error("%s\n", t->err.text);
    assert_non_null(t->mod);
    t->img = ptx_load(t->mod, t->mem, &t->err);
}

static inline void ptx_test_load(struct ptx_test *t, const char *text)
{
    ptx_test_load_for(t, text, (struct ptx_target){0});
}

static inline void ptx_test_free(struct ptx_test *t)
{
    ptx_unload(t->img);
    ptx_free(t->mod);
    dev_mem_free(t->mem);
}

/* Walks a stream as the timing half would and counts the same instructions. */
static inline void ptx_test_walk(const struct code *c, struct warp_stream s, struct exec_counts *n,
                                 struct warp_addrs *fetched)
{
    struct stream_reader r;
    struct warp_addrs a;
    struct wl_err e;
    assert_int_equal(stream_check(c, s, &e), 0);
    for (stream_open(&r, s); !stream_done(&r);) {
        const struct code_block *b = &c->block[stream_next_block(&r)];
        for (uint32_t i = b->first; i < b->first + b->count; i++) {
            uint32_t exec = c->inst[i].guarded ? stream_next_guard(&r) : r.mask;
            bool addresses = inst_is_mem(&c->inst[i]) && exec;
            do {
                uint32_t lanes = exec;
                if (addresses && c->inst[i].space == SPACE_GENERIC) stream_next_part(&r, &lanes);
                if (addresses) stream_next_addrs(&r, lanes, &a);
                if (fetched && addresses && c->inst[i].space == SPACE_TEX) *fetched = a;
                n->warp_instructions++;
                n->thread_instructions += (unsigned)__builtin_popcount(lanes);
            } while (stream_has_parts(&r));
        }
    }
}

/* Runs `name` over grid x block threads; the result is that of the last next(). The streams
 * must hold exactly the instructions the executor counted. */
static inline int ptx_test_run(struct ptx_test *t, const char *name, uint32_t grid, uint32_t block, const void *params)
{
    struct ptx_launch l = {.image = t->img,
                           .kernel = ptx_find_kernel(t->mod, name),
                           .grid = {grid, 1, 1},
                           .block = {block, 1, 1},
                           .params = params,
                           .dynamic_shared = t->shared,
                           .budget = t->budget,
                           .print = ptx_test_print,
                           .print_arg = t};
    if (!t->img) print_error("%s\n", t->err.text);
    assert_non_null(t->img);
    assert_non_null(l.kernel);
    struct stream_source *s = ptx_open(&l, &t->err);
    if (!s) return -1;
    struct exec_counts streamed = {0};
    struct cta_stream c;
    int rc;
    while ((rc = s->next(s, &c, &t->err)) > 0) {
        for (uint32_t i = 0; i < c.nwarps; i++) ptx_test_walk(s->info->code, c.warp[i], &streamed, &t->fetched);
        s->release(s, &c);
    }
    t->counts = ptx_counts(s);
    if (rc == 0) {
        assert_int_equal(streamed.warp_instructions, t->counts.warp_instructions);
        assert_int_equal(streamed.thread_instructions, t->counts.thread_instructions);
    }
    ptx_close(s);
    return rc;
}

static inline void ptx_test_must_run(struct ptx_test *t, const char *name, uint32_t grid, uint32_t block,
                                     const void *params)
{
    int rc = ptx_test_run(t, name, grid, block, params);
    if (rc) print_error("%s\n", t->err.text);
    assert_int_equal(rc, 0);
}

/* Loads a module and runs its kernel `k` on that many zeroed words, which it returns. */
enum { PTX_TEST_WORDS = 1024 };
static inline const uint32_t *ptx_test_words(struct ptx_test *t, const char *text, uint32_t grid, uint32_t block)
{
    ptx_test_load(t, text);
    uint64_t out = dev_alloc(t->mem, 4 * PTX_TEST_WORDS);
    ptx_test_must_run(t, "k", grid, block, &out);
    return dev_ptr(t->mem, out, 4 * PTX_TEST_WORDS);
}

#endif
