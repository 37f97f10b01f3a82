/* test_ptx_matrix.c - matrix instructions against products computed here.
 *
 * Each kernel loads the registers of every lane from a buffer, executes one instruction and stores the registers of
 * the result. Where an element lies is written down once more, in the words of the PTX ISA's fragment tables. Operands
 * are small integers, so that every sum is exact in every format and in every order. */
#include <stdarg.h>
#include <stdio.h>

#include "ptx_run.h"

enum { LANES = 32, MAX_K = 256, MAX_REGS = 8 };

struct product {
    const char *words; /* behind "mma.sync.aligned" */
    unsigned m, n, k;
    unsigned bits_a;  /* of an element of A and B */
    char kind;        /* f: f16, b: bf16, t: tf32, d: f64, s: signed, u: unsigned, x: xor, a: and, 4: e4m3 */
    unsigned a, b, c; /* registers */
    bool f16_sum;
    bool sparse;
};

/* clang-format off */
static const struct product products[] = {
    {".m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 16, 'f', 2, 1, 4, false, false},
    {".m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 16, 'f', 2, 1, 2, true, false},
    {".m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 16, 'f', 4, 2, 4, false, false},
    {".m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 16, 'f', 4, 2, 2, true, false},
    {".m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 16, 'b', 2, 1, 4, false, false},
    {".m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 16, 'b', 4, 2, 4, false, false},
    {".m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 32, 't', 2, 1, 4, false, false},
    {".m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 32, 't', 4, 2, 4, false, false},
    {".m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 64, 'd', 1, 1, 2, false, false},
    {".m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, 64, 'd', 2, 1, 4, false, false},
    {".m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, 64, 'd', 4, 2, 4, false, false},
    {".m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, 64, 'd', 8, 4, 4, false, false},
    {".m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, 8, 's', 1, 1, 2, false, false},
    {".m16n8k16.row.col.s32.u8.u8.s32", 16, 8, 16, 8, 'u', 2, 1, 4, false, false},
    {".m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, 8, 's', 4, 2, 4, false, false},
    {".m8n8k32.row.col.s32.s4.s4.s32", 8, 8, 32, 4, 's', 1, 1, 2, false, false},
    {".m16n8k32.row.col.s32.u4.u4.s32", 16, 8, 32, 4, 'u', 2, 1, 4, false, false},
    {".m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, 4, 's', 4, 2, 4, false, false},
    {".m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, 1, 'x', 1, 1, 2, false, false},
    {".m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, 1, 'a', 2, 1, 4, false, false},
    {".m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, 1, 'x', 4, 2, 4, false, false},
    {".m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 8, '4', 4, 2, 4, false, false},
    {".m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 16, 'f', 2, 2, 4, false, true},
    {".m16n8k32.row.col.f32.bf16.bf16.f32", 16, 8, 32, 16, 'b', 4, 4, 4, false, true},
    {".m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 32, 't', 2, 2, 4, false, true},
    {".m16n8k16.row.col.f32.tf32.tf32.f32", 16, 8, 16, 32, 't', 4, 4, 4, false, true},
    {".m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 8, 's', 2, 2, 4, false, true},
    {".m16n8k64.row.col.s32.u8.u8.s32", 16, 8, 64, 8, 'u', 4, 4, 4, false, true},
    {".m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, 4, 's', 2, 2, 4, false, true},
};
/* clang-format on */

static char text[16384];
static size_t used;
static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    used += (size_t)vsnprintf(text + used, sizeof text - used, fmt, ap);
    va_end(ap);
    assert_true(used < sizeof text);
}

static void names(const char *letter, unsigned n)
{
    say("{");
    for (unsigned i = 0; i < n; i++) say("%s%%%s%u", i ? "," : "", letter, i);
    say("}");
}

/* Registers of a lane lie together: A, B, C, then the metadata. */
static void moves(const char *what, const char *letter, unsigned n, unsigned *word, bool wide)
{
    for (unsigned i = 0; i < n; i++, *word += wide ? 2 : 1) {
        if (what[0] == 'l') say("ld.global.%s %%%s%u, [%%in+%u];\n", wide ? "b64" : "b32", letter, i, 4 * *word);
        else say("st.global.%s [%%out+%u], %%%s%u;\n", wide ? "b64" : "b32", 4 * *word, letter, i);
    }
}

static void write_kernel(const struct product *p)
{
    bool wide = p->kind == 'd';
    const char *type = wide ? "b64" : "b32";
    unsigned word = 0, out = 0, stride = 128;
    used = 0;
    say(PTX_HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %%in,%%out; .reg .b32 %%t,%%e;\n");
    say(".reg .%s %%a<9>,%%b<9>,%%c<9>,%%d<9>;\n", type);
    say("ld.param.u64 %%in,[i]; ld.param.u64 %%out,[o]; mov.u32 %%t,%%tid.x; mad.wide.u32 %%in,%%t,%u,%%in;"
        " mad.wide.u32 %%out,%%t,%u,%%out;\n",
        stride, stride);
    moves("l", "a", p->a, &word, wide);
    moves("l", "b", p->b, &word, wide);
    moves("l", "c", p->c, &word, wide);
    if (p->sparse) say("ld.global.b32 %%e,[%%in+%u];\n", 4 * word);
    say("mma%s.sync.aligned%s ", p->sparse ? ".sp" : "", p->words);
    names("d", p->c);
    say(",");
    names("a", p->a);
    say(",");
    names("b", p->b);
    say(",");
    names("c", p->c);
    say(p->sparse ? ",%%e,0;\n" : ";\n");
    moves("s", "d", p->c, &out, wide);
    say("ret; }\n");
}

static uint64_t encode(char kind, unsigned bits, int v)
{
    float f = (float)v;
    uint32_t b;
    double d = v;
    uint64_t w;
    memcpy(&b, &f, 4);
    memcpy(&w, &d, 8);
    switch (kind) {
    case 'f': /* small integers as f16: the exponent is moved, the fraction cut */
        return v == 0 ? 0 : (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 1023);
    case '4': return v == 0 ? 0 : (b >> 24 & 0x80) | ((b >> 23 & 255) - 120) << 3 | (b >> 20 & 7);
    case 'b': return b >> 16;
    case 't': return b;
    case 'd': return w;
    default: return (uint64_t)(uint32_t)v & (UINT64_MAX >> (64 - bits));
    }
}

static int small(char kind, unsigned bits, uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    int v = (int)(*seed >> 24);
    if (bits == 1) return v & 1;
    if (kind == 'u') return v % (bits == 4 ? 16 : 200);
    return v % 13 - 6;
}

static uint32_t buffer[LANES][32], result[LANES][32];

/* Element e of the registers from word `first` on. */
static void put(unsigned lane, unsigned first, unsigned bits, unsigned e, uint64_t v)
{
    if (bits == 64) {
        memcpy(&buffer[lane][first + 2 * e], &v, 8);
        return;
    }
    unsigned per = 32 / bits;
    buffer[lane][first + e / per] |= (uint32_t)(v << (e % per * bits));
}

/* The ISA's tables: groupID = lane / 4, threadID_in_group = lane % 4; E elements to a register of 32 bits. */
static void place_a(const struct product *p, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    unsigned e = p->bits_a == 64 ? 1 : 32 / p->bits_a, reg = i / e;
    *row = lane / 4;
    *col = lane % 4 * e + i % e;
    if (p->m == 8) *col += reg * 4 * e;
    if (p->m == 16 && reg % 2) *row += 8;
    if (p->m == 16 && reg >= 2) *col += 4 * e * (reg / 2);
}

static void place_b(const struct product *p, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    unsigned e = p->bits_a == 64 ? 1 : 32 / p->bits_a;
    *row = lane % 4 * e + i % e + 4 * e * (i / e);
    *col = lane / 4;
}

static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    *row = lane / 4 + (i >= 2 ? 8 : 0);
    *col = lane % 4 * 2 + i % 2;
}

static int dense_a[16][MAX_K], b_of[MAX_K][8], c_of[16][8];

/* Chooses which columns are stored, a nibble per 2 (tf32), 4 or 8 columns, and hands the nibbles to the lanes: for
 * selector 0 those of rows g and g + 8 are with the first lane, the first two, or all of group g. */
static unsigned sparse_column(const struct product *p, unsigned row, unsigned c, uint32_t meta[LANES])
{
    static const unsigned pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    unsigned stored = p->bits_a == 32 ? 1 : p->bits_a == 4 ? 4 : 2, q = c / stored, nibble, lane = row % 8 * 4, shift;
    unsigned per_row = p->k / (p->bits_a == 32 ? 2 : p->bits_a == 4 ? 8 : 4);
    nibble = stored == 1 ? ((row + q) % 2 ? 0xe : 0x4) : pairs[(row * 5 + q) % 6];
    if (per_row == 4) shift = 4 * q + (row >= 8 ? 16 : 0);
    else if (p->bits_a >= 16) lane += q / 4, shift = 4 * (q % 4) + (row >= 8 ? 16 : 0);
    else if (per_row == 8) lane += row >= 8, shift = 4 * q;
    else lane += 2 * (q / 8) + (row >= 8), shift = 4 * (q % 8);
    meta[lane] = (meta[lane] & ~(15u << shift)) | nibble << shift;
    if (stored == 1) return 2 * q + (nibble == 0xe);
    if (stored == 2) return 4 * q + (c % 2 ? nibble >> 2 : nibble & 3);
    return 8 * q + 2 * (c % 4 >= 2 ? nibble >> 2 : nibble & 3) + c % 2;
}

static void fill(const struct product *p, uint32_t seed)
{
    unsigned reg = p->kind == 'd' ? 2 : 1, e = p->bits_a == 64 ? 1 : 32 / p->bits_a, r, c;
    uint32_t meta[LANES] = {0};
    memset(buffer, 0, sizeof buffer);
    memset(dense_a, 0, sizeof dense_a);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < p->a * e; i++) {
            int v = small(p->kind, p->bits_a, &seed);
            place_a(p, lane, i, &r, &c);
            dense_a[r][p->sparse ? sparse_column(p, r, c, meta) : c] = v;
            put(lane, 0, p->bits_a, i, encode(p->kind, p->bits_a, v));
        }
        for (unsigned i = 0; i < p->b * e; i++) {
            int v = small(p->kind, p->bits_a, &seed);
            place_b(p, lane, i, &r, &c);
            b_of[r][c] = v;
            put(lane, p->a * reg, p->bits_a, i, encode(p->kind, p->bits_a, v));
        }
        for (unsigned i = 0; i < (p->m == 8 ? 2u : 4u); i++) {
            int v = small('s', 32, &seed);
            place_c(lane, i, &r, &c);
            c_of[r][c] = v;
            char kind = p->kind == 'd' ? 'd' : p->f16_sum ? 'f' : strchr("fbt4", p->kind) ? 't' : 's';
            put(lane, (p->a + p->b) * reg, kind == 'd' ? 64 : p->f16_sum ? 16 : 32, i, encode(kind, 32, v));
        }
    }
    for (unsigned lane = 0; lane < LANES && p->sparse; lane++) buffer[lane][p->a + p->b + p->c] = meta[lane];
}

static int64_t expected(const struct product *p, unsigned r, unsigned c)
{
    int64_t sum = c_of[r][c];
    for (unsigned k = 0; k < p->k; k++) sum += p->kind == 'x' ? dense_a[r][k] ^ b_of[k][c] : dense_a[r][k] * b_of[k][c];
    return sum;
}

static void check(const struct product *p)
{
    unsigned r, c;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < (p->m == 8 ? 2u : 4u); i++) {
            place_c(lane, i, &r, &c);
            int want = (int)expected(p, r, c);
            uint64_t have = result[lane][i];
            if (p->kind == 'd') memcpy(&have, &result[lane][2 * i], 8);
            if (p->f16_sum) have = result[lane][i / 2] >> (16 * (i % 2)) & 0xffff;
            char kind = p->kind == 'd' ? 'd' : p->f16_sum ? 'f' : strchr("fbt4", p->kind) ? 't' : 's';
            uint64_t bits = encode(kind, 32, want);
            if (have != bits)
                print_error("mma%s%s lane %u element %u: %llx, not %llx\n", p->sparse ? ".sp" : "", p->words, lane, i,
                            (unsigned long long)have, (unsigned long long)bits);
            assert_true(have == bits);
        }
}

TEST(every_product_is_right)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct ptx_test t;
        write_kernel(&products[i]);
        ptx_test_load(&t, text);
        uint64_t in = dev_alloc(t.mem, sizeof buffer), out = dev_alloc(t.mem, sizeof result), params[] = {in, out};
        for (uint32_t seed = 1; seed < 4; seed++) {
            fill(&products[i], seed);
            memcpy(dev_ptr(t.mem, in, sizeof buffer), buffer, sizeof buffer);
            ptx_test_must_run(&t, "k", 1, LANES, params);
            memcpy(result, dev_ptr(t.mem, out, sizeof result), sizeof result);
            check(&products[i]);
        }
        ptx_test_free(&t);
    }
}

/* Sums of many terms of very different size: one rounding of the true sum, whatever the order. */
TEST(a_sum_is_rounded_once)
{
    struct product p = {".m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 16, 'f', 2, 1, 4, false, false};
    struct ptx_test t;
    write_kernel(&p);
    ptx_test_load(&t, text);
    uint64_t in = dev_alloc(t.mem, sizeof buffer), out = dev_alloc(t.mem, sizeof result), params[] = {in, out};
    memset(buffer, 0, sizeof buffer);
    /* row 0: 2^15 * 2^15 - 2^15 * 2^15 + 2^-14 * 1 + 1: an f32 in any other order would lose the last two */
    buffer[0][0] = 0x7800u | 0xf800u << 16;
    buffer[1][0] = 0x0400u | 0x3c00u << 16;
    buffer[0][2] = 0x7800u | 0x7800u << 16;
    buffer[1][2] = 0x3c00u | 0x3c00u << 16;
    memcpy(dev_ptr(t.mem, in, sizeof buffer), buffer, sizeof buffer);
    ptx_test_must_run(&t, "k", 1, LANES, params);
    float d;
    memcpy(&d, dev_ptr(t.mem, out, 4), 4);
    assert_true(d == 1 + 0x1p-14f);
    ptx_test_free(&t);
}

/* ---- wmma, ldmatrix and friends through memory ---- */

static void run_on(const char *kernel, const void *in, size_t nin, void *out, size_t nout)
{
    struct ptx_test t;
    ptx_test_load(&t, kernel);
    uint64_t a = dev_alloc(t.mem, nin), b = dev_alloc(t.mem, nout), params[] = {a, b};
    memcpy(dev_ptr(t.mem, a, nin), in, nin);
    ptx_test_must_run(&t, "k", 1, LANES, params);
    memcpy(out, dev_ptr(t.mem, b, nout), nout);
    ptx_test_free(&t);
}

#define WMMA_HEAD                                                                                                      \
    PTX_HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out,%q; .reg .b32 %a<8>,%b<8>; .reg .f32 "      \
             "%c<8>; .reg .b32 %s<8>;\nld.param.u64 %in,[i]; ld.param.u64 %out,[o];\n"
#define R8(x) "{%" x "0,%" x "1,%" x "2,%" x "3,%" x "4,%" x "5,%" x "6,%" x "7}"

TEST(wmma_through_memory)
{
    uint16_t in[16 * 16 + 16 * 16];
    float out[16 * 16];
    uint32_t seed = 7;
    int a[16][16], b[16][16];
    for (unsigned i = 0; i < 256; i++) {
        a[i / 16][i % 16] = small('s', 16, &seed);
        b[i % 16][i / 16] = small('s', 16, &seed); /* column by column */
        in[i] = (uint16_t)encode('f', 16, a[i / 16][i % 16]);
        in[256 + i] = (uint16_t)encode('f', 16, b[i % 16][i / 16]);
    }
    run_on(
        WMMA_HEAD
        "mov.f32 %c0,0f3f800000; mov.f32 %c1,%c0; mov.f32 %c2,%c0; mov.f32 %c3,%c0; mov.f32 %c4,%c0;"
        "mov.f32 %c5,%c0; mov.f32 %c6,%c0; mov.f32 %c7,%c0; mov.u32 %s0,16; add.u64 %q,%in,512;\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8(
            "a") ",[%in],%s0;\n"
                 "wmma.load.b.sync.aligned.col.m16n16k16.f16 " R8(
                     "b") ",[%q],%s0;\n"
                          "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " R8("c") "," R8("a") "," R8("b") "," R8(
                              "c") ";\n"
                                   "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out]," R8("c") ",16; ret; }\n",
        in, sizeof in, out, sizeof out);
    for (unsigned r = 0; r < 16; r++)
        for (unsigned c = 0; c < 16; c++) {
            int sum = 1;
            for (unsigned k = 0; k < 16; k++) sum += a[r][k] * b[k][c];
            assert_true(out[16 * r + c] == (float)sum);
        }
}

/* ldmatrix.x4 and back, straight and transposed; movmatrix transposes what a lane holds. */
TEST(ldmatrix_and_back)
{
    uint16_t in[4 * 64], out[4 * 64], tr[4 * 64];
    for (unsigned i = 0; i < 256; i++) in[i] = (uint16_t)(i * 257);
#define LD_TEST(ld, st)                                                                                                \
    PTX_HEAD ".entry k(.param .u64 i, .param .u64 o) {\n.reg .b64 %in,%out; .reg .b32 %a<8>,%t,%s; .shared .align 16 " \
             ".b8 m[1024];\nld.param.u64 %in,[i]; ld.param.u64 %out,[o]; mov.u32 %t,%tid.x; mad.wide.u32 "             \
             "%in,%t,16,%in; mad.wide.u32 %out,%t,16,%out; mov.u32 %s,m; mad.lo.u32 %s,%t,16,%s;\n"                    \
             "ld.global.v4.b32 {%a0,%a1,%a2,%a3},[%in]; st.shared.v4.b32 [%s],{%a0,%a1,%a2,%a3}; bar.warp.sync -1;\n"  \
             "ldmatrix.sync.aligned.m8n8.x4" ld ".shared.b16 {%a0,%a1,%a2,%a3},[%s];\n"                                \
             "stmatrix.sync.aligned.m8n8.x4" st ".shared.b16 [%s],{%a0,%a1,%a2,%a3};\n"                                \
             "ld.shared.v4.b32 {%a0,%a1,%a2,%a3},[%s]; st.global.v4.b32 [%out],{%a0,%a1,%a2,%a3}; ret; }\n"
    run_on(LD_TEST("", ""), in, sizeof in, out, sizeof out);
    run_on(LD_TEST(".trans", ""), in, sizeof in, tr, sizeof tr);
    assert_memory_equal(in, out, sizeof in);
    for (unsigned i = 0; i < 256; i++) assert_int_equal(tr[i], in[i / 64 * 64 + i % 8 * 8 + i % 64 / 8]);
    run_on(LD_TEST(".trans", ".trans"), in, sizeof in, out, sizeof out);
    assert_memory_equal(in, out, sizeof in);
}

static void refuses(const char *line, const char *why)
{
    char kernel[2048];
    struct wl_err e;
    snprintf(kernel, sizeof kernel,
             PTX_HEAD ".entry k() {\n.reg .b32 %%a<8>; .reg .b64 %%q; .reg .f64 %%d<8>;\n%s\nret; }\n", line);
    struct ptx_module *m = ptx_parse("t.ptx", kernel, strlen(kernel), 0, &e);
    assert_null(m);
    if (!strstr(e.text, why)) print_error("%s\n", e.text);
    assert_non_null(strstr(e.text, why));
}

TEST(what_is_not_there_is_refused)
{
    refuses("mma.sync.aligned.m16n8k7.row.col.f32.f16.f16.f32 {%a0,%a1,%a2,%a3},{%a0},{%a0},{%a0,%a1,%a2,%a3};",
            "no such shape");
    refuses(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%a0,%a1,%a2,%a3},{%a0,%a1},{%a0,%a1},{%a0,%a1,%a2,%a3};",
        "4 registers are needed");
    refuses("mma.sync.aligned.m16n8k16.row.col.funny.f32.f16.f16.f32 {%a0,%a1,%a2,%a3},{%a0,%a1,%a2,%a3},{%a0,%a1},"
            "{%a0,%a1,%a2,%a3};",
            "funny");
    refuses("mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32 {%a0,%a1,%a2,%a3},{%a0,%a1,%a2,%a3},{%a0,%a1},"
            "{%a0,%a1,%a2,%a3};",
            "types of C and D");
    refuses("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%a0,%a1,%a2},[%a3];", "needs .x1, .x2 or .x4");
    refuses("cp.async.cg.shared.global [%a0],[%q],8;", "copies 16 bytes");
    refuses("mbarrier.wait.b64 [%a0];", "write mbarrier.init");
}

/* ---- wgmma: A and B in shared memory, without a swizzle and with one of 128 bytes ---- */

enum { WG_N = 16, WG_K = 16 };

/* Row r, byte x of a K-major operand of 32 bytes per row. */
static unsigned plain_place(unsigned r, unsigned x) { return r % 8 * 16 + r / 8 * 256 + x % 16 + x / 16 * 128; }
static unsigned swizzled_place(unsigned r, unsigned x) { return (r * 128 + x) ^ (r % 8 * 16); }

static void wgmma_of(bool swizzled)
{
    enum { A_BYTES = 8192, B_BYTES = 8192 };
    static uint8_t in[A_BYTES + B_BYTES];
    static float out[64][WG_N];
    int a[64][WG_K], b[WG_K][WG_N];
    uint32_t seed = swizzled ? 11 : 12;
    char kernel[4096];
    struct ptx_test t;
    unsigned (*place)(unsigned, unsigned) = swizzled ? swizzled_place : plain_place;
    memset(in, 0, sizeof in);
    for (unsigned r = 0; r < 64; r++)
        for (unsigned k = 0; k < WG_K; k++) {
            uint16_t h = (uint16_t)encode('f', 16, a[r][k] = small('s', 16, &seed));
            memcpy(in + place(r, 2 * k), &h, 2);
        }
    for (unsigned c = 0; c < WG_N; c++)
        for (unsigned k = 0; k < WG_K; k++) {
            uint16_t h = (uint16_t)encode('f', 16, b[k][c] = small('s', 16, &seed));
            memcpy(in + A_BYTES + place(c, 2 * k), &h, 2);
        }
    unsigned long long layout = swizzled ? 1ull << 62 | 64ull << 32 | 1ull << 16 : 16ull << 32 | 8ull << 16;
    snprintf(
        kernel, sizeof kernel,
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 i, .param .u64 o) {\n"
        ".reg .b64 %%in,%%out,%%da,%%db,%%x; .reg .b32 %%t,%%s,%%v,%%n; .reg .f32 %%d<8>; .reg .pred %%p;\n"
        ".shared .align 1024 .b8 m[16384];\n"
        "ld.param.u64 %%in,[i]; ld.param.u64 %%out,[o]; mov.u32 %%t,%%tid.x; mov.u32 %%n,m; mov.u32 %%n,0;\n"
        "L: mad.lo.u32 %%s,%%n,512,0; mad.lo.u32 %%s,%%t,4,%%s; cvt.u64.u32 %%x,%%s; add.u64 %%x,%%in,%%x;\n"
        "ld.global.b32 %%v,[%%x]; st.shared.b32 [%%s],%%v; add.u32 %%n,%%n,1; setp.lt.u32 %%p,%%n,32; @%%p bra L;\n"
        "fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;\n"
        "mov.b64 %%da,%llu; mov.b64 %%db,%llu; setp.ne.u32 %%p,%%n,32;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%%d0,%%d1,%%d2,%%d3,%%d4,%%d5,%%d6,%%d7},"
        "%%da,%%db,%%p,1,1,0,0;\n"
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
        "mad.wide.u32 %%out,%%t,32,%%out; st.global.v4.f32 [%%out],{%%d0,%%d1,%%d2,%%d3};"
        "st.global.v4.f32 [%%out+16],{%%d4,%%d5,%%d6,%%d7}; ret; }\n",
        layout, layout | A_BYTES >> 4);
    ptx_test_load(&t, kernel);
    uint64_t i = dev_alloc(t.mem, sizeof in), o = dev_alloc(t.mem, 4096), params[] = {i, o};
    memcpy(dev_ptr(t.mem, i, sizeof in), in, sizeof in);
    ptx_test_must_run(&t, "k", 1, 128, params);
    const float *d = dev_ptr(t.mem, o, 4096);
    for (unsigned lane = 0; lane < 128; lane++)
        for (unsigned e = 0; e < 8; e++)
            out[lane / 32 * 16 + lane % 32 / 4 + (e / 2 % 2 ? 8 : 0)][e / 4 * 8 + lane % 4 * 2 + e % 2] =
                d[lane * 8 + e];
    for (unsigned r = 0; r < 64; r++)
        for (unsigned c = 0; c < WG_N; c++) {
            int sum = 0;
            for (unsigned k = 0; k < WG_K; k++) sum += a[r][k] * b[k][c];
            assert_true(out[r][c] == (float)sum);
        }
    ptx_test_free(&t);
}

TEST(wgmma_reads_shared_memory)
{
    wgmma_of(false);
    wgmma_of(true);
}

/* ---- sparse wgmma ---- */

/* Four warps, A in registers and in shared memory: each is what the sparse mma of that warp's rows gives, whose places
 * are tested above. Registers are made of the thread's number, the metadata of pairs that are allowed. */
TEST(a_sparse_wgmma_is_four_sparse_mma)
{
    static const char kernel[] =
        ".version 8.2\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 o) {\n"
        ".reg .b64 %out,%da,%db; .reg .b32 %t,%l,%s,%x,%e,%a<4>,%b<4>,%d<4>,%f<4>,%g<4>; .reg .pred %p;\n"
        ".shared .align 1024 .b8 m[4096];\n" /* A: 2048 bytes, B: 512 */
        "ld.param.u64 %out,[o]; mov.u32 %t,%tid.x; and.b32 %l,%t,31; mov.u32 %x,m;\n"
        "mad.lo.u32 %a0,%t,0x9e3779b1,7; mad.lo.u32 %a1,%a0,0x85ebca6b,1; mad.lo.u32 %a2,%a1,0xc2b2ae35,5;\n"
        "mad.lo.u32 %a3,%a2,0x27d4eb2f,3; and.b32 %x,%t,1; setp.eq.u32 %p,%x,0;\n"
        "selp.b32 %e,0x4e9dc84d,0x98ed4c49,%p; and.b32 %x,%t,6; setp.eq.u32 %p,%x,4; selp.b32 %e,0xde849c4e,%e,%p;\n"
        /* A where the descriptor says: row R at R % 8 * 16 + R / 8 * 256, its second half 128 further */
        "shr.u32 %x,%t,5; shl.b32 %s,%x,9; shr.u32 %x,%l,2; mad.lo.u32 %s,%x,16,%s; and.b32 %x,%l,3;\n"
        "mad.lo.u32 %s,%x,4,%s; st.shared.b32 [%s],%a0; st.shared.b32 [%s+256],%a1; st.shared.b32 [%s+128],%a2;\n"
        "st.shared.b32 [%s+384],%a3; mad.lo.u32 %x,%t,4,2048; mul.lo.u32 %b0,%t,0x1000193; st.shared.b32 [%x],%b0;\n"
        "fence.proxy.async.shared::cta; bar.sync 0;\n"
        "shr.u32 %x,%l,2; mad.lo.u32 %s,%x,16,2048; and.b32 %x,%l,3; mad.lo.u32 %s,%x,4,%s;\n"
        "ld.shared.b32 %b0,[%s]; ld.shared.b32 %b1,[%s+128]; ld.shared.b32 %b2,[%s+256]; ld.shared.b32 %b3,[%s+384];\n"
        "mov.b32 %d0,0; mov.b32 %d1,0; mov.b32 %d2,0; mov.b32 %d3,0; mov.b64 %da,0x1000080000;\n"
        "mov.b64 %db,0x1000080080; setp.ne.u32 %p,0,0;\n"
        "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%d0,%d1,%d2,%d3},{%a0,%a1,%a2,%a3},{%b0,%b1,%b2,%b3},"
        "{%d0,%d1,%d2,%d3},%e,0;\n"
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%f0,%f1,%f2,%f3},{%a0,%a1,%a2,%a3},%db,%e,0,%p;\n"
        "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%g0,%g1,%g2,%g3},%da,%db,%e,0,%p;\n"
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
        "mad.wide.u32 %out,%t,48,%out; st.global.v4.b32 [%out],{%d0,%d1,%d2,%d3};"
        "st.global.v4.b32 [%out+16],{%f0,%f1,%f2,%f3}; st.global.v4.b32 [%out+32],{%g0,%g1,%g2,%g3}; ret; }\n";
    struct ptx_test t;
    unsigned zeros = 0;
    ptx_test_load(&t, kernel);
    uint64_t o = dev_alloc(t.mem, 128 * 48), params[] = {o};
    ptx_test_must_run(&t, "k", 1, 128, params);
    const uint32_t *d = dev_ptr(t.mem, o, 128 * 48);
    for (unsigned i = 0; i < 128; i++)
        for (unsigned e = 0; e < 4; e++) {
            zeros += !d[12 * i + e];
            assert_int_equal(d[12 * i + 4 + e], d[12 * i + e]);
            assert_int_equal(d[12 * i + 8 + e], d[12 * i + e]);
        }
    assert_true(zeros < 16);
    ptx_test_free(&t);
}
