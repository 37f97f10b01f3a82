/* test_wlt.c - traces: what is written comes back, and what is damaged is refused.
 *
 *  1 round trip        5 future version      9 every field out of range
 *  2 tables once       6 bytes behind       10 order and number of records
 *  3 truncated         7 absurd counts      11 failed recordings leave no file
 *  4 flipped byte      8 bounded memory     12 the summary
 *
 * Damage inside the compressed content is made by building the records here, independently of
 * the writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zstd.h>

#include "trace/wlt_priv.h"

/* ---- a small program: a loop with a guarded load, then a store and the end ---- */

static const struct code_inst insts[] = {
    {.pc = 8, .kind = INST_LOAD, .space = SPACE_GLOBAL, .width = 4, .guarded = 1, .ndst = 1, .nsrc = 1, .reg = {2, 1}, .loop = 1},
    {.pc = 16, .kind = INST_ALU, .lat = LAT_FP_MAD, .ndst = 1, .nsrc = 2, .reg = {3, 2, 3}, .loop = 1},
    {.pc = 24, .kind = INST_STORE, .space = SPACE_GLOBAL, .width = 8, .nsrc = 2, .reg = {1, 3}, .loop = CODE_NO_LOOP},
    {.pc = 32, .kind = INST_EXIT, .loop = CODE_NO_LOOP},
};
static const struct code_block blocks[] = {{0, 2, 1}, {2, 2, CODE_NO_LOOP}};
static const struct code_loop loops[] = {{CODE_NO_LOOP, 1}, {0, 2}};
static const struct code code = {insts, blocks, loops, 4, 2, 2, 4};

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
        for (unsigned l = 0; l < WARP_SIZE; l++) addr[l] = 0xC0000000 + 4096 * cta + 1024 * i + l * (i & 1 ? 4 : 200 + l);
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
    *m = (struct made){.source = {&m->info, made_next, made_release}, .fail_at = UINT32_MAX};
    m->info = (struct launch_info){
        .kernel = "k", .grid = {CTAS, 1, 1}, .block = {32 * WARPS, 1, 1}, .regs_per_thread = 20, .shared_bytes = 64, .code = c};
    assert_int_equal(launch_shape(&m->info, NULL), 0);
}

static void free_source(struct made *m)
{
    for (unsigned w = 0; w < WARPS; w++) free(m->writer[w].data);
}

static char path[] = "/tmp/test_wlt_XXXXXX";

static const struct wlt_header header = {"work", "tiny", "n=4", 7, 0x123456789abcdef0};

static void write_sample(unsigned launches, struct wlt_totals *t)
{
    struct wl_err e = {.code = WL_OK};
    struct wlt_writer *w = wlt_create(path, &header, &e);
    assert_non_null(w);
    for (unsigned i = 0; i < launches; i++) {
        struct made m;
        make_source(&m, &code);
        wlt_write_copy(w, 0xC0000000 + i, 4096);
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

/* Reads all there is; 0, or the error code with the text in *e. */
static int drain(struct wlt_reader *r, struct wl_err *e)
{
    struct wlt_item item;
    struct cta_stream cta;
    int got = -(int)e->code;
    while (r && (got = wlt_next(r, &item, e)) > 0) {
        if (item.kind != WLT_LAUNCH) continue;
        while ((got = item.source->next(item.source, &cta, e)) > 0) item.source->release(item.source, &cta);
        if (got < 0) break;
    }
    wlt_close(r);
    return -got;
}

static int drain_bytes(const void *data, size_t size, bool raw, struct wl_err *e)
{
    *e = (struct wl_err){.code = WL_OK};
    return drain(wlt_open_memory(data, size, raw, UINT64_MAX, e), e);
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

static void test_round_trip(void **state)
{
    (void)state;
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
        assert_true(item.addr == 0xC0000000 + i && item.bytes == 4096);
        assert_int_equal(wlt_next(r, &item, &e), 1);
        check_launch(r, &item);
        const struct code *c = item.source->info->code;
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
static void test_skip(void **state)
{
    (void)state;
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

static void test_tables_once(void **state)
{
    (void)state;
    struct wlt_totals one, many;
    write_sample(1, &one);
    write_sample(101, &many);
    uint64_t each = (many.content_bytes - one.content_bytes) / 100;
    assert_true(each < one.content_bytes - 40); /* a launch without its table */
    assert_true(each <= one.stream_bytes + 40);
}

/* ---- 3 to 6: the file ---- */

static void test_truncated(void **state)
{
    (void)state;
    size_t size;
    struct wl_err e;
    write_sample(2, NULL);
    uint8_t *data = read_sample(&size);
    assert_true(size < 4096);
    assert_int_equal(drain_bytes(data, size, false, &e), 0);
    for (size_t n = 0; n < size; n++) {
        assert_int_equal(drain_bytes(data, n, false, &e), WL_EINPUT);
        assert_non_null(strstr(e.text, n == 0 ? "empty" : "truncated"));
    }
    free(data);
}

/* Any single bit that is not what it was: refused, whichever check finds it. The first two bytes of
 * the frame also have a reserved bit and a window size; with those wrong the content is still the
 * same, which its checksum has proved. */
static void test_flipped(void **state)
{
    (void)state;
    size_t size;
    struct wl_err e;
    write_sample(1, NULL);
    uint8_t *data = read_sample(&size);
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            data[i] = (uint8_t)(data[i] ^ 1u << bit);
            int rc = drain_bytes(data, size, false, &e);
            bool harmless = rc == 0 && (i == 16 || i == 17);
            if (rc != WL_EINPUT && !harmless) fail_msg("byte %zu bit %u: %d %s", i, bit, rc, e.text);
            data[i] = (uint8_t)(data[i] ^ 1u << bit);
        }
    free(data);
}

static void test_wrong_file(void **state)
{
    (void)state;
    size_t size;
    struct wl_err e = {.code = WL_OK};
    write_sample(1, NULL);
    uint8_t *data = read_sample(&size);
    data[8] = 2;
    assert_int_equal(drain_bytes(data, size, false, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "format version 2; this program reads version 1"));
    data[8] = 1;
    data[size] = 0;
    assert_int_equal(drain_bytes(data, size + 1, false, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "bytes follow the end"));
    assert_int_equal(drain_bytes("#!/bin/sh\necho not a trace\n", 27, false, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "is not a .wlt trace"));
    free(data);
    assert_null(wlt_open("/nonexistent.wlt", &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "cannot read /nonexistent.wlt: No such file"));
    assert_null(wlt_open("/tmp", &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "Is a directory"));
}

/* ---- 7 to 10: the content, built by hand ---- */

struct text {
    uint8_t data[8192];
    size_t size;
};

static void byte(struct text *t, unsigned v) { t->data[t->size++] = (uint8_t)v; }

static void varint(struct text *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) byte(t, (unsigned)(v & 0x7f) | 0x80);
    byte(t, (unsigned)v);
}

static void string(struct text *t, const char *s)
{
    varint(t, strlen(s));
    while (*s) byte(t, (unsigned char)*s++);
}

/* What one test changes; the rest is a correct trace of one CTA with one warp. */
struct fault {
    const char *workload;
    int first_tag, tail;
    uint64_t nregs, ninst, nblock, nloop;
    uint64_t parent, depth, block_first, block_count, block_loop;
    uint64_t kind, lat, space, cache_op, width, guarded, ndst, nsrc, reg, inst_loop;
    uint64_t table, grid, block, regs, shared, cta, cta_tag, stream_size;
    const char *kernel, *stream;
    uint64_t ctas, warps, threads, launches, copies, copy_addr, copy_bytes;
};

/* Loop 0; block 0 = [load r1 <- r0; exit]; the stream is one block record with one address. */
static const struct fault correct = {
    .workload = "w", .first_tag = 'H', .tail = -1,
    .nregs = 2, .ninst = 2, .nblock = 1, .nloop = 1,
    .parent = 0, .depth = 1, .block_first = 0, .block_count = 2, .block_loop = 1,
    .kind = INST_LOAD, .lat = 0, .space = SPACE_GLOBAL, .width = 4, .ndst = 1, .nsrc = 1, .reg = 1, .inst_loop = 1,
    .table = 0, .grid = 1, .block = 32, .regs = 8, .shared = 0, .cta = 0, .cta_tag = 'C', .stream_size = 3,
    .kernel = "k", .stream = "\0\0\2",
    .ctas = 1, .warps = 2, .threads = 64, .launches = 1, .copies = 1, .copy_addr = 1 << 20, .copy_bytes = 128,
};

static void build_code(struct text *t, const struct fault *f)
{
    byte(t, 'K');
    varint(t, f->nregs);
    varint(t, f->ninst);
    varint(t, f->nblock);
    varint(t, f->nloop);
    varint(t, f->parent);
    varint(t, f->depth);
    varint(t, f->block_first);
    varint(t, f->block_count);
    varint(t, f->block_loop);
    varint(t, 8);
    const uint64_t fields[] = {f->kind, f->lat, f->space, f->cache_op, f->width, f->guarded, f->ndst, f->nsrc};
    for (unsigned i = 0; i < 8; i++) byte(t, (unsigned)fields[i]);
    for (unsigned i = 0; i < f->ndst + f->nsrc; i++) varint(t, i ? 0 : f->reg);
    varint(t, f->inst_loop);
    varint(t, 16);
    byte(t, INST_EXIT);
    for (unsigned i = 0; i < 7; i++) byte(t, 0);
    varint(t, 0);
}

static void build(struct text *t, const struct fault *f)
{
    t->size = 0;
    byte(t, (unsigned)f->first_tag);
    string(t, f->workload);
    string(t, "");
    string(t, "");
    varint(t, 1);
    for (unsigned i = 0; i < 8; i++) byte(t, i);
    byte(t, 'M');
    varint(t, f->copy_addr);
    varint(t, f->copy_bytes);
    build_code(t, f);
    byte(t, 'L');
    varint(t, f->table);
    string(t, f->kernel);
    varint(t, f->grid), varint(t, 1), varint(t, 1);
    varint(t, f->block), varint(t, 1), varint(t, 1);
    varint(t, f->regs);
    varint(t, f->shared);
    byte(t, (unsigned)f->cta_tag);
    varint(t, f->cta);
    varint(t, f->stream_size);
    for (unsigned i = 0; i < f->stream_size && i < 3; i++) byte(t, (unsigned char)f->stream[i]);
    byte(t, 'E');
    varint(t, f->ctas), varint(t, f->warps), varint(t, f->threads);
    byte(t, 'Z');
    varint(t, f->launches), varint(t, f->copies);
    if (f->tail >= 0) byte(t, (unsigned)f->tail);
}

/* Raw and as a file: the same answer. */
static int read_built(const struct fault *f, struct wl_err *e)
{
    static struct text t;
    uint8_t file[12 + 16384] = WLT_MAGIC;
    file[8] = 1;
    build(&t, f);
    size_t n = ZSTD_compress(file + 12, sizeof file - 12, t.data, t.size, 1);
    assert_false(ZSTD_isError(n));
    int packed = drain_bytes(file, n + 12, false, e), raw = drain_bytes(t.data, t.size, true, e);
    assert_int_equal(packed, raw);
    return raw;
}

static void refuse(const struct fault *f, const char *words, unsigned line)
{
    struct wl_err e;
    if (read_built(f, &e) != WL_EINPUT || !strstr(e.text, words) || !strstr(e.text, "record"))
        fail_msg("line %u: '%s' is not in: %s", line, words, e.text);
}

#define REFUSE(field, value, words)    \
    do {                               \
        struct fault f = correct;      \
        f.field = value;               \
        refuse(&f, words, __LINE__);   \
    } while (0)

static void test_correct(void **state)
{
    (void)state;
    struct wl_err e;
    int rc = read_built(&correct, &e);
    if (rc) fail_msg("%s", e.text);
}

static void test_absurd_counts(void **state)
{
    (void)state;
    const uint64_t huge = UINT64_C(1) << 60;
    REFUSE(nregs, huge, "the number of registers is 1152921504606846976, more than");
    REFUSE(ninst, huge, "the number of instructions is 1152921504606846976");
    REFUSE(nblock, huge, "the number of blocks is");
    REFUSE(nloop, huge, "the number of loops is");
    REFUSE(nloop, 65536, "the number of loops is");
    REFUSE(grid, huge, "a grid dimension is");
    REFUSE(block, huge, "a block dimension is");
    REFUSE(block, 1025, "is larger than 1024");
    REFUSE(grid, 0, "zero dimension");
    REFUSE(regs, huge, "the registers of a thread");
    REFUSE(regs, 1 << 22, "registers a thread are more than");
    REFUSE(shared, UINT32_MAX, "bytes of shared memory are more than");
    REFUSE(stream_size, huge, "the size of a warp's stream is");
    REFUSE(copy_bytes, huge, "the size of a copy is");
    REFUSE(copy_addr, UINT64_MAX, "past the last address");
    REFUSE(table, huge, "the number of a code table is");
    /* Counts that are allowed but not there: the content ends first, and nothing large was allocated. */
    REFUSE(ninst, 4 << 20, "");
    REFUSE(nblock, 4 << 20, "");
    REFUSE(stream_size, 1 << 30, "the content ends in the middle of a record");
    REFUSE(grid, UINT32_MAX, "CTA 1 of 4294967295 of kernel k is due");
}

static void test_bad_fields(void **state)
{
    (void)state;
    REFUSE(workload, "a\nb", "the workload's name has the control character 10");
    REFUSE(kernel, "", "the kernel has no name");
    REFUSE(kernel, "k\033[2J", "control character 27");
    REFUSE(parent, 2, "loop 0 of the code table is not valid: its parent does not exist");
    REFUSE(parent, 1, "its depth is not one more than its parent's"); /* its own parent */
    REFUSE(depth, 2, "its depth is not one more");
    REFUSE(block_first, 1, "block 0 of the code table is not valid: it ends behind the last instruction");
    REFUSE(block_count, 3, "it ends behind the last instruction");
    REFUSE(block_loop, 2, "block 0 of the code table is not valid: its loop does not exist");
    REFUSE(inst_loop, 3, "instruction 0 of the code table is not valid: its loop does not exist");
    REFUSE(kind, INST_EXIT + 1, "there is no such kind");
    REFUSE(kind, INST_ALU, "its address space does not fit");
    REFUSE(lat, LAT_COUNT, "no such latency class");
    REFUSE(space, SPACE_NONE, "its address space does not fit");
    REFUSE(space, SPACE_TEX + 1, "its address space does not fit");
    REFUSE(cache_op, CACHE_NC + 1, "no such cache operator");
    REFUSE(width, 0, "its width is not 1 to 32");
    REFUSE(width, 33, "its width is not 1 to 32");
    REFUSE(guarded, 2, "its guard flag");
    REFUSE(ndst, 12, "an instruction names 13 registers");
    REFUSE(ndst, 255, "an instruction names 256 registers");
    REFUSE(reg, 2, "it names a register that does not exist");
    struct fault f = correct;
    f.kind = INST_STORE, f.space = SPACE_CONST;
    refuse(&f, "its address space does not fit", __LINE__);
    f.kind = INST_ATOMIC, f.space = SPACE_LOCAL;
    refuse(&f, "its address space does not fit", __LINE__);
}

static void test_bad_order(void **state)
{
    (void)state;
    REFUSE(first_tag, 'M', "a trace begins with its header");
    REFUSE(table, 1, "code table 1 is asked for, but 1 were given");
    REFUSE(cta, 1, "CTA 1 stands where CTA 0 is due");
    REFUSE(cta_tag, 'E', "CTA 0 of 1 of kernel k is due, not tag 69");
    REFUSE(stream_size, 0, "has no instructions");
    REFUSE(stream_size, 2, "damaged instruction stream"); /* an address without its base */
    REFUSE(stream, "\2\0\0", "damaged instruction stream"); /* block 1 does not exist */
    REFUSE(stream, "\0\x80\0", "damaged instruction stream"); /* there is no such address tag */
    REFUSE(ctas, 2, "the number of CTAs is 2, but 1 were read");
    REFUSE(warps, 3, "the number of warp instructions is 3, but 2 were read");
    REFUSE(threads, 63, "the number of thread instructions is 63, but 64 were read");
    REFUSE(launches, 2, "the number of launches is 2, but 1 were read");
    REFUSE(copies, 0, "the number of copies is 0, but 1 were read");
    REFUSE(tail, 'Z', "something follows the end");
}

/* Every prefix of a correct content, which the checksum of a file would hide. */
static void test_truncated_content(void **state)
{
    (void)state;
    static struct text t;
    struct wl_err e;
    build(&t, &correct);
    for (size_t n = 0; n < t.size; n++) assert_int_equal(drain_bytes(t.data, n, true, &e), WL_EINPUT);
    assert_int_equal(drain_bytes(t.data, t.size, true, &e), 0);
    for (size_t i = 0; i < t.size; i++) /* any byte, any value: refused or read, never worse */
        for (unsigned v = 0; v < 256; v++) {
            uint8_t was = t.data[i];
            t.data[i] = (uint8_t)v;
            int rc = drain_bytes(t.data, t.size, true, &e);
            assert_true(rc == 0 || rc == WL_EINPUT);
            t.data[i] = was;
        }
}

/* ---- 11, 12 ---- */

static void test_failed_recording(void **state)
{
    (void)state;
    struct wl_err e = {.code = WL_OK};
    struct made m;
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

static void test_full_disk(void **state)
{
    (void)state;
    struct wl_err e = {.code = WL_OK};
    if (access("/dev/full", W_OK) != 0) skip();
    struct wlt_writer *w = wlt_create("/dev/full", &header, &e);
    assert_non_null(w);
    assert_int_equal(wlt_finish(w, 0, NULL, &e), WL_ERUN);
    assert_non_null(strstr(e.text, "cannot write /dev/full: No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0); /* a device stays */
}

static void test_summary(void **state)
{
    (void)state;
    struct wl_err e = {.code = WL_OK};
    struct wlt_summary *s = calloc(1, sizeof *s);
    write_sample(2, NULL);
    assert_int_equal(wlt_summarize(path, s, &e), 0);
    assert_int_equal(s->kernels, 1);
    assert_string_equal(s->kernel[0].name, "k");
    assert_int_equal(s->kernel[0].launches, 2);
    assert_int_equal(s->kernel[0].ctas, 2 * CTAS);
    assert_int_equal(s->loads[SPACE_GLOBAL], 2 * CTAS * WARPS * 4);
    assert_int_equal(s->stores[SPACE_GLOBAL], 2 * CTAS * WARPS);
    assert_int_equal(s->divergent_loads, 2 * CTAS * WARPS * 2); /* the even iterations that load */
    assert_true(s->lines_exact);
    uint8_t seen[2048] = {0}; /* the same set, counted plainly */
    for (unsigned cta = 0; cta < CTAS; cta++)
        for (unsigned warp = 0; warp < WARPS; warp++)
            for (unsigned i = 0; i < ITERATIONS; i++)
                for (unsigned l = 0; l < WARP_SIZE; l++) {
                    unsigned at = 4096 * cta + 1024 * i + l * (i & 1 ? 4 : 200 + l);
                    bool load = i != 4 && (0xffffu << warp) >> l & 1, store = i == 4 && l < 8;
                    if (load) seen[at >> 7] = seen[(at + 3) >> 7] = 1;
                    if (store) seen[at >> 7] = seen[(at + 7) >> 7] = 1;
                }
    unsigned lines = 0;
    for (unsigned i = 0; i < sizeof seen; i++) lines += seen[i];
    assert_int_equal(s->lines, lines);
    free(s);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_skip),
        cmocka_unit_test(test_tables_once),  cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped),      cmocka_unit_test(test_wrong_file),
        cmocka_unit_test(test_correct),      cmocka_unit_test(test_absurd_counts),
        cmocka_unit_test(test_bad_fields),   cmocka_unit_test(test_bad_order),
        cmocka_unit_test(test_truncated_content), cmocka_unit_test(test_failed_recording),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_summary),
    };
    int failed = cmocka_run_group_tests_name("wlt", tests, NULL, NULL);
    unlink(path);
    return failed;
}
