/* test_wlt_content.c - the content of a trace: each field wrong in turn, absurd counts, order.
 *
 * The checksum of a file hides its content from damage by chance, so the records are built here by
 * hand, independently of the writer, and read both as they are and compressed. */
#include "test.h"
#include <zstd.h>

#include "trace/wlt/wlt_priv.h"

/* Reads all there is; 0, or the error code with the text in *e. */
static int drain_bytes(const void *data, size_t size, bool raw, struct wl_err *e)
{
    struct wlt_item item;
    struct cta_stream cta;
    *e = (struct wl_err){.code = WL_OK};
    struct wlt_reader *r = wlt_open_memory(data, size, raw, UINT64_MAX, e);
    int got = -(int)e->code;
    while (r && (got = wlt_next(r, &item, e)) > 0) {
        if (item.kind != WLT_LAUNCH) continue;
        while ((got = item.source->next(item.source, &cta, e)) > 0) item.source->release(item.source, &cta);
        if (got < 0) break;
    }
    wlt_close(r);
    return -got;
}

/* ---- building a content ---- */

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
    unsigned stream_there; /* bytes of it, whatever its size says */
    uint64_t ctas, warps, threads, launches, copies, copy_addr, copy_bytes;
};

/* Loop 0; block 0 = [load r1 <- r0; exit]; the stream is one block record with one address. */
/* clang-format off */
static const struct fault correct = {
    .workload = "w", .first_tag = 'H', .tail = -1,
    .nregs = 2, .ninst = 2, .nblock = 1, .nloop = 1,
    .parent = 0, .depth = 1, .block_first = 0, .block_count = 2, .block_loop = 1,
    .kind = INST_LOAD, .lat = 0, .space = SPACE_GLOBAL, .width = 4, .ndst = 1, .nsrc = 1, .reg = 1, .inst_loop = 1,
    .table = 0, .grid = 1, .block = 32, .regs = 8, .shared = 0, .cta = 0, .cta_tag = 'C', .stream_size = 3,
    .kernel = "k", .stream = "\0\0\2", .stream_there = 3,
    .ctas = 1, .warps = 2, .threads = 64, .launches = 1, .copies = 1, .copy_addr = 1 << 20, .copy_bytes = 128,
};
/* clang-format on */

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
    for (unsigned i = 0; i < f->stream_size && i < f->stream_there; i++) byte(t, (unsigned char)f->stream[i]);
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
    file[8] = WLT_VERSION;
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

#define REFUSE(field, value, words)                                                                                    \
    do {                                                                                                               \
        struct fault f = correct;                                                                                      \
        f.field = value;                                                                                               \
        refuse(&f, words, __LINE__);                                                                                   \
    } while (0)

TEST(test_correct)
{
    struct wl_err e;
    int rc = read_built(&correct, &e);
    if (rc) fail_msg("%s", e.text);
}

TEST(test_absurd_counts)
{
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
    REFUSE(regs, 1 << 22, "registers per thread are more than");
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

TEST(test_bad_fields)
{
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
    REFUSE(kind, INST_WAIT + 1, "there is no such kind");
    REFUSE(kind, INST_ALU, "its address space does not fit");
    REFUSE(lat, LAT_COUNT, "no such latency class");
    REFUSE(space, SPACE_NONE, "its address space does not fit");
    REFUSE(space, SPACE_GENERIC + 1, "its address space does not fit");
    REFUSE(cache_op, CACHE_STRONG_SYS + 1, "no such cache operator");
    REFUSE(width, 0, "its width is not 1 to 32");
    REFUSE(width, 33, "its width is not 1 to 32");
    REFUSE(guarded, 16, "its guard flag");
    REFUSE(guarded, 2, "it is a copy, but no load without registers");
    REFUSE(guarded, 4, "it is a copy, but no load without registers");
    REFUSE(guarded, 6, "it arrives at an mbarrier");
    REFUSE(guarded, 10, "it arrives at an mbarrier");
    REFUSE(guarded, 12, "it is a product of a warp group");
    REFUSE(guarded, 14, "there is no such role");
    REFUSE(ndst, 12, "an instruction names 13 registers");
    REFUSE(ndst, 255, "an instruction names 256 registers");
    REFUSE(reg, 2, "it names a register that does not exist");
    struct fault f = correct;
    f.kind = INST_STORE, f.space = SPACE_CONST;
    refuse(&f, "its address space does not fit", __LINE__);
    f.kind = INST_ATOMIC, f.space = SPACE_LOCAL;
    refuse(&f, "its address space does not fit", __LINE__);
}

TEST(test_generic)
{
    struct fault f = correct;
    struct wl_err e;
    f.space = SPACE_GENERIC;
    refuse(&f, "CTA 0, warp 0: damaged instruction stream", __LINE__); /* it does not say where it went */
    f.stream = "\0\2\0\2", f.stream_size = f.stream_there = 4;         /* to shared memory */
    int rc = read_built(&f, &e);
    if (rc) fail_msg("%s", e.text);
    f.block_count = 3; /* the forms behind the program's instructions are no part of it */
    refuse(&f, "it ends behind the last instruction", __LINE__);
    f.block_count = 2;
    f.kind = INST_ATOMIC, f.stream = "\0\4\0\2";
    refuse(&f, "CTA 0, warp 0: damaged instruction stream", __LINE__); /* an atomic in local memory */
}

TEST(test_bad_order)
{
    REFUSE(first_tag, 'M', "a trace begins with its header");
    REFUSE(table, 1, "code table 1 is asked for, but 1 were given");
    REFUSE(cta, 1, "CTA 1 stands where CTA 0 is due");
    REFUSE(cta_tag, 'E', "CTA 0 of 1 of kernel k is due, not tag 69");
    REFUSE(stream_size, 0, "the number of warp instructions is 2, but 0 were read");
    REFUSE(stream_size, 2, "damaged instruction stream");     /* an address without its base */
    REFUSE(stream, "\2\0\0", "damaged instruction stream");   /* block 1 does not exist */
    REFUSE(stream, "\0\x80\0", "damaged instruction stream"); /* there is no such address tag */
    REFUSE(ctas, 2, "the number of CTAs is 2, but 1 were read");
    REFUSE(warps, 3, "the number of warp instructions is 3, but 2 were read");
    REFUSE(threads, 63, "the number of thread instructions is 63, but 64 were read");
    REFUSE(launches, 2, "the number of launches is 2, but 1 were read");
    REFUSE(copies, 0, "the number of copies is 0, but 1 were read");
    REFUSE(tail, 'Z', "something follows the end");
}

/* Addresses that would wrap around, or that no space has. */
TEST(test_bad_addresses)
{
    struct fault f = correct;
    f.stream = "\0\x25\x07",
    f.stream_size = f.stream_there = 3; /* stride 4 from address -4: across the end of memory */
    refuse(&f, "outside of any memory", __LINE__);
    f.stream = "\0\x05\x08"; /* stride -28 from address 4: below its beginning */
    refuse(&f, "outside of any memory", __LINE__);
    f.stream = "\0\0\x80\x80\x80\x80\x80\x80\x80\x80\x02", f.stream_size = f.stream_there = 11; /* 2^56 */
    refuse(&f, "outside of any memory", __LINE__);
    /* A stride so large that lanes come round to where they began. */
    f.stream = "\0\xfe\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x02", f.stream_size = f.stream_there = 13;
    refuse(&f, "outside of any memory", __LINE__);
    f.stream = "\1\3\0\0\0\xff\2\5", f.stream_size = f.stream_there = 8; /* a gather: address 1, then -2 */
    refuse(&f, "outside of any memory", __LINE__);
    f = correct;
    f.space = SPACE_LOCAL, f.stream = "\0\0\x80\x80\x80\x80\x20",
    f.stream_size = f.stream_there = 7; /* 2^32 as an offset */
    refuse(&f, "outside of any memory", __LINE__);
    f.space = SPACE_GLOBAL; /* but a good device address */
    struct wl_err e;
    assert_int_equal(read_built(&f, &e), 0);
}

/* Every prefix of a correct content, which the checksum of a file would hide. */
TEST(test_truncated_content)
{
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
