/* test_wlt.c - traces: what is written comes back, and a damaged file is refused.
 *
 *  1 round trip, skipped launches     5 future version, other files
 *  2 code tables are written once     6 bytes behind the end
 *  3 truncated at every byte          7 failed recordings leave no file
 *  4 every bit flipped                8 the summary
 *
 * Damage inside the content, which the checksum of a file hides, is in test_wlt_content.c. */
#include <unistd.h>
#include "test.h"

#include "trace/wlt/wlt_priv.h"

/* ---- a small program: a loop with a guarded load, then a store and the end ---- */

/* clang-format off */
static const struct code_inst insts[] = {
    {.pc = 8, .kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4, .guarded = 1, .ndst = 1, .nsrc = 1, .reg = {2, 1},
        .loop = 1},
    {.pc = 16, .kind = INST_ALU, .lat = LAT_FP_MAD, .ndst = 1, .nsrc = 2, .reg = {3, 2, 3}, .loop = 1},
    {.pc = 24, .kind = INST_STORE, .space = SPACE_GLOBAL, .width = 8, .nsrc = 2, .reg = {1, 3}, .loop = CODE_NO_LOOP},
    {.pc = 32, .kind = INST_EXIT, .loop = CODE_NO_LOOP},
};
/* clang-format on */
static const struct code_block blocks[] = {{0, 2, 1}, {2, 2, CODE_NO_LOOP}};
static const struct code_loop loops[] = {{CODE_NO_LOOP, 1}, {0, 2}};
static const struct code_origin origins[] = {
    {"ld.global.f32 %f1, [%rd1]", "dir/a.cu", NULL, 31, 7, 0},
    {"fma.rn.f32 %f2, %f1, %f1, %f2", "dir/b.h", "dir/a.cu", 32, 90, 8},
    {NULL, NULL, NULL, 0, 0, 0},
    {"exit", NULL, NULL, 34, 0, 0},
};
static const struct code code = {insts, blocks, loops, origins, 4, 2, 2, 4, 0, 1};

enum { WARPS = 2, CTAS = 3, ITERATIONS = 5 };

/* A source of hand-made CTAs. */
struct made {
    struct stream_source source;
    struct launch_info info;
    struct stream_writer writer[WARPS];
    uint32_t next, fail_at;
};

static void make_warp(struct stream_writer *w, uint32_t cta, uint32_t warp)
{
    uint64_t addr[WARP_SIZE];
    stream_begin(w);
    for (unsigned i = 0; i < ITERATIONS; i++) {
        for (unsigned l = 0; l < WARP_SIZE; l++)
            addr[l] = DEVICE_BASE + 4096 * cta + 1024 * i + l * (i & 1 ? 4 : 200 + l);
        stream_block(w, 0, 0xffffffff);
        stream_guard(w, i == 4 ? 0 : 0xffffu << warp);
        if (i != 4) stream_addrs(w, 0xffffu << warp, addr);
    }
    stream_block(w, 1, 0xff);
    stream_addrs(w, 0xff, addr);
}

static int made_next(struct stream_source *s, struct cta_stream *out, struct wl_err *e)
{
    struct made *m = (struct made *)s;
    if (m->next == m->fail_at) return -wl_fail(e, WL_ERUN, "the kernel faulted");
    if (m->next == m->info.ctas) return 0;
    *out = (struct cta_stream){.cta = m->next, .nwarps = WARPS};
    for (uint32_t w = 0; w < WARPS; w++) {
        make_warp(&m->writer[w], m->next, w);
        out->warp[w] = (struct warp_stream){m->writer[w].data, m->writer[w].size};
    }
    m->next++;
    return 1;
}

static void made_release(struct stream_source *s, struct cta_stream *c) { (void)s, (void)c; }

static void make_source(struct made *m, const struct code *c)
{
    *m = (struct made){.source = {.info = &m->info, .next = made_next, .release = made_release}, .fail_at = UINT32_MAX};
    m->info = (struct launch_info){.kernel = "k",
                                   .grid = {CTAS, 1, 1},
                                   .block = {32 * WARPS, 1, 1},
                                   .regs_per_thread = 20,
                                   .shared_bytes = 64,
                                   .code = c};
    assert_int_equal(launch_shape(&m->info, NULL), 0);
}

static void free_source(struct made *m)
{
    for (unsigned w = 0; w < WARPS; w++) free(m->writer[w].data);
}

static char path[] = "/tmp/test_wlt_XXXXXX";
__attribute__((constructor)) static void make_file(void)
{
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
}
__attribute__((destructor)) static void remove_file(void) { unlink(path); }

static const struct wlt_header header = {"work", "tiny", "n=4", 7, 0x123456789abcdef0};

static void write_sample(unsigned launches, struct wlt_totals *t)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_writer *w = wlt_create(path, &header, &e);
    assert_non_null(w);
    for (unsigned i = 0; i < launches; i++) {
        struct made m;
        make_source(&m, &code);
        wlt_write_copy(w, DEVICE_BASE + i, 4096);
        assert_int_equal(wlt_write_launch(w, &m.source, &e), 0);
        free_source(&m);
    }
    assert_int_equal(wlt_finish(w, 0, t, &e), 0);
}

static uint8_t *read_sample(size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint8_t *data = malloc(1 << 20);
    assert_non_null(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* Reads all there is: 0, or the error code with the text in *e. `seen` digests what was read. */
static uint64_t seen;

static void see(const void *p, size_t n) { seen = hash_bytes(seen, p, n); }

static int drain_launch(struct stream_source *s, struct wl_err *e)
{
    struct cta_stream cta;
    int got;
    see(s->info->grid, sizeof s->info->grid);
    see(s->info->kernel, strlen(s->info->kernel));
    see(s->info->code->inst, s->info->code->ninst * sizeof *s->info->code->inst);
    while ((got = s->next(s, &cta, e)) > 0) {
        for (unsigned w = 0; w < cta.nwarps; w++) see(cta.warp[w].data, cta.warp[w].size);
        s->release(s, &cta);
    }
    return got;
}

static int drain_bytes(const void *data, size_t size, struct wl_err *e)
{
    struct wlt_item item;
    *e = (struct wl_err){.code = WL_OK};
    seen = WL_HASH_INIT;
    struct wlt_reader *r = wlt_open_memory(data, size, false, UINT64_MAX, e);
    if (!r) return (int)e->code;
    see(wlt_header(r), sizeof *wlt_header(r));
    int got;
    while ((got = wlt_next(r, &item, e)) > 0) {
        if (item.kind == WLT_COPY) see(&item.addr, sizeof item.addr);
        else if ((got = drain_launch(item.source, e)) < 0) break;
    }
    wlt_close(r);
    return -got;
}

/* ---- 1, 2 ---- */

static void check_launch(struct wlt_reader *r, const struct wlt_item *item)
{
    struct made m;
    struct cta_stream got, want;
    struct stream_source *s = item->source;
    make_source(&m, &code);
    assert_int_equal(item->kind, WLT_LAUNCH);
    assert_string_equal(s->info->kernel, "k");
    assert_memory_equal(s->info->grid, m.info.grid, sizeof m.info.grid);
    assert_memory_equal(s->info->block, m.info.block, sizeof m.info.block);
    assert_int_equal(s->info->regs_per_thread, 20);
    assert_int_equal(s->info->shared_bytes, 64);
    assert_int_equal(s->info->warps_per_cta, WARPS);
    while (m.next < CTAS) {
        assert_int_equal(made_next(&m.source, &want, NULL), 1);
        assert_int_equal(s->next(s, &got, NULL), 1);
        assert_int_equal(got.cta, want.cta);
        assert_int_equal(got.nwarps, want.nwarps);
        for (unsigned w = 0; w < WARPS; w++) {
            assert_int_equal(got.warp[w].size, want.warp[w].size);
            assert_memory_equal(got.warp[w].data, want.warp[w].data, want.warp[w].size);
        }
        s->release(s, &got);
    }
    assert_int_equal(s->next(s, &got, NULL), 0);
    assert_int_equal(s->next(s, &got, NULL), 0); /* and stays so */
    assert_int_equal(wlt_launch_counts(r).warp_instructions, CTAS * WARPS * (2 * ITERATIONS + 2));
    assert_int_equal(wlt_launch_counts(r).thread_instructions, CTAS * WARPS * (32 * ITERATIONS + 16 * 4 + 2 * 8));
    free_source(&m);
}

static void same_text(const char *a, const char *b)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a) assert_string_equal(a, b);
}

static void same_origin(const struct code_origin *a, const struct code_origin *b)
{
    same_text(a->text, b->text);
    same_text(a->file, b->file);
    same_text(a->caller, b->caller);
    assert_int_equal(a->ptx_line, b->ptx_line);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->caller_line, b->caller_line);
}

TEST(test_round_trip)
{
    struct wlt_totals t;
    struct wlt_item item;
    struct wl_err e = {.code = WL_OK};
    write_sample(2, &t);
    struct wlt_reader *r = wlt_open(path, &e);
    assert_non_null(r);
    const struct wlt_header *h = wlt_header(r);
    assert_string_equal(h->workload, "work");
    assert_string_equal(h->size, "tiny");
    assert_string_equal(h->inputs, "n=4");
    assert_true(h->seed == header.seed && h->workload_hash == header.workload_hash);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(wlt_next(r, &item, &e), 1);
        assert_int_equal(item.kind, WLT_COPY);
        assert_true(item.addr == DEVICE_BASE + i && item.bytes == 4096);
        assert_int_equal(wlt_next(r, &item, &e), 1);
        check_launch(r, &item);
        const struct code *c = item.source->info->code;
        for (unsigned k = 0; k < 4; k++) same_origin(&c->origin[k], &origins[k]);
        assert_int_equal(c->nregs, code.nregs);
        for (unsigned k = 0; k < 4; k++) assert_memory_equal(&c->inst[k], &insts[k], sizeof insts[k]);
        for (unsigned k = 0; k < 2; k++) {
            assert_true(c->block[k].first == blocks[k].first && c->block[k].count == blocks[k].count);
            assert_int_equal(c->block[k].loop, blocks[k].loop);
            assert_memory_equal(&c->loop[k], &loops[k], sizeof loops[k]);
        }
    }
    assert_int_equal(wlt_next(r, &item, &e), 0);
    assert_int_equal(wlt_next(r, &item, &e), 0);
    struct wlt_totals got = wlt_totals(r);
    assert_memory_equal(&got, &t, sizeof t);
    wlt_close(r);
}

/* A reader that is not interested in a launch skips it. */
TEST(test_skip)
{
    struct wlt_item item;
    struct cta_stream cta;
    struct wl_err e = {.code = WL_OK};
    write_sample(3, NULL);
    struct wlt_reader *r = wlt_open(path, &e);
    unsigned launches = 0;
    while (wlt_next(r, &item, &e) > 0) {
        if (item.kind != WLT_LAUNCH) continue;
        if (launches++ != 1) continue;
        assert_int_equal(item.source->next(item.source, &cta, &e), 1);
        item.source->release(item.source, &cta);
    }
    assert_int_equal(e.code, WL_OK);
    assert_int_equal(launches, 3);
    assert_int_equal(wlt_totals(r).ctas, 3 * CTAS);
    wlt_close(r);
}

TEST(test_tables_once)
{
    struct wlt_totals one, many;
    write_sample(1, &one);
    write_sample(101, &many);
    uint64_t each = (many.content_bytes - one.content_bytes) / 100;
    assert_true(each < one.content_bytes - 40); /* a launch without its table */
    assert_true(each <= one.stream_bytes + 40);
}

/* ---- 3 to 6: the file ---- */

TEST(test_truncated)
{
    size_t size;
    struct wl_err e;
    write_sample(2, NULL);
    uint8_t *data = read_sample(&size);
    assert_true(size < 4096);
    assert_int_equal(drain_bytes(data, size, &e), 0);
    for (size_t n = 0; n < size; n++) {
        assert_int_equal(drain_bytes(data, n, &e), WL_EINPUT);
        assert_non_null(strstr(e.text, n == 0 ? "empty" : "truncated"));
    }
    free(data);
}

/* Any single bit that is not what it was is noticed, whichever check finds it. Compressed data has
 * a few bits that mean nothing (the window's size, padding of its tables; how many is up to zstd):
 * with those wrong, all that is read must be the same. */
TEST(test_flipped)
{
    size_t size;
    struct wl_err e;
    write_sample(1, NULL);
    uint8_t *data = read_sample(&size);
    assert_int_equal(drain_bytes(data, size, &e), 0);
    uint64_t whole = seen;
    unsigned by_checksum = 0;
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            data[i] = (uint8_t)(data[i] ^ 1u << bit);
            int rc = drain_bytes(data, size, &e);
            by_checksum += strstr(e.text, "checksum") != NULL;
            if (rc != WL_EINPUT && (rc != 0 || seen != whole)) fail_msg("byte %zu bit %u: %d %s", i, bit, rc, e.text);
            data[i] = (uint8_t)(data[i] ^ 1u << bit);
        }
    assert_true(by_checksum > 0); /* it is there, and it is looked at */
    free(data);
}

TEST(test_wrong_file)
{
    size_t size;
    struct wl_err e = {.code = WL_OK};
    write_sample(1, NULL);
    uint8_t *data = read_sample(&size);
    data[8] = WLT_VERSION + 1;
    assert_int_equal(drain_bytes(data, size, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "format version 7; this program reads versions 2 to 6"));
    data[8] = WLT_OLDEST - 1;
    assert_int_equal(drain_bytes(data, size, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "format version 1; this program reads versions 2 to 6: record it again"));
    data[8] = WLT_OLDEST;
    assert_int_equal(drain_bytes(data, size, &e), 0);
    data[8] = WLT_VERSION;
    data[size] = 0;
    assert_int_equal(drain_bytes(data, size + 1, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "bytes follow the end"));
    assert_int_equal(drain_bytes("#!/bin/sh\necho not a trace\n", 27, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "is not a .wlt trace"));
    free(data);
    assert_null(wlt_open("/nonexistent.wlt", &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "cannot read /nonexistent.wlt: No such file"));
    assert_null(wlt_open("/tmp", &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "Is a directory"));
}

/* ---- 7, 8 ---- */

TEST(test_failed_recording)
{
    struct wl_err e = {.code = WL_OK};
    struct made m;
    unlink(path); /* an older trace would stay */
    make_source(&m, &code);
    m.fail_at = 2;
    struct wlt_writer *w = wlt_create(path, &header, &e);
    assert_int_equal(wlt_write_launch(w, &m.source, &e), WL_ERUN);
    assert_string_equal(e.text, "the kernel faulted");
    assert_int_equal(wlt_finish(w, WL_ERUN, NULL, NULL), WL_ERUN);
    assert_int_equal(access(path, F_OK), -1);
    free_source(&m);

    /* The end of a trace cannot hide that a launch was broken off. */
    make_source(&m, &code);
    m.fail_at = 1;
    w = wlt_create(path, &header, &e);
    assert_int_equal(wlt_write_launch(w, &m.source, &e), WL_ERUN);
    assert_int_equal(wlt_finish(w, 0, NULL, &e), WL_ERUN);
    assert_int_equal(access(path, F_OK), -1);
    free_source(&m);

    /* A table that could not be read back is not written. */
    struct code_inst bad[4];
    memcpy(bad, insts, sizeof bad);
    bad[1].reg[0] = 4;
    struct code broken = code;
    broken.inst = bad;
    make_source(&m, &broken);
    w = wlt_create(path, &header, &e);
    assert_int_equal(wlt_write_launch(w, &m.source, &e), WL_EINPUT);
    assert_int_equal(wlt_finish(w, 0, NULL, &e), WL_EINPUT);
    assert_int_equal(access(path, F_OK), -1);
    free_source(&m);

    assert_null(wlt_create("/nonexistent/x.wlt", &header, &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_int_equal(wlt_finish(NULL, 5, NULL, NULL), 5);
}

TEST(test_full_disk)
{
    struct wl_err e = {.code = WL_OK};
    if (access("/dev/full", W_OK) != 0) skip();
    struct wlt_writer *w = wlt_create("/dev/full", &header, &e);
    assert_non_null(w);
    assert_int_equal(wlt_finish(w, 0, NULL, &e), WL_ERUN);
    assert_non_null(strstr(e.text, "cannot write /dev/full: No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0); /* a device stays */
}

TEST(test_summary)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_summary *s = calloc(1, sizeof *s);
    write_sample(2, NULL);
    assert_int_equal(wlt_summarize(path, s, NULL, NULL, &e), 0);
    assert_int_equal(s->kernels, 1);
    assert_string_equal(s->kernel[0].name, "k");
    assert_int_equal(s->kernel[0].launches, 2);
    assert_int_equal(s->kernel[0].ctas, 2 * CTAS);
    assert_int_equal(s->loads[SPACE_GLOBAL], 2 * CTAS * WARPS * 4);
    assert_int_equal(s->stores[SPACE_GLOBAL], 2 * CTAS * WARPS);
    assert_int_equal(s->divergent_loads, 2 * CTAS * WARPS * 2); /* the even iterations that load */
    assert_true(s->lines_exact);
    uint8_t touched[2048] = {0}; /* the same set, counted plainly */
    for (unsigned cta = 0; cta < CTAS; cta++)
        for (unsigned warp = 0; warp < WARPS; warp++)
            for (unsigned i = 0; i < ITERATIONS; i++)
                for (unsigned l = 0; l < WARP_SIZE; l++) {
                    unsigned at = 4096 * cta + 1024 * i + l * (i & 1 ? 4 : 200 + l);
                    bool load = i != 4 && (0xffffu << warp) >> l & 1, store = i == 4 && l < 8;
                    if (load) touched[at >> 7] = touched[(at + 3) >> 7] = 1;
                    if (store) touched[at >> 7] = touched[(at + 7) >> 7] = 1;
                }
    unsigned lines = 0;
    for (unsigned i = 0; i < sizeof touched; i++) lines += touched[i];
    assert_int_equal(s->lines, lines);
    free(s);
}
