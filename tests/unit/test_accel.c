/* test_accel.c - Accel-Sim traces: every version and address mode, classes and spaces, compression, and
 * files that are wrong, each with its line. Loops are in test_accel_loops.c. */
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "accel_text.h"
#include "trace/convert.h"
#include "trace/trace.h"

static void read_folder(const char *name, struct story *s)
{
    char path[512];
    struct wl_err e = {.code = WL_OK};
    snprintf(path, sizeof path, "%s/tests/traces/%s", WL_ROOT, name);
    struct accel_reader *r = accel_open(path, &e);
    assert_non_null(r);
    if (read_story(r, s, &e)) fail_msg("%s", e.text);
    assert_string_equal(accel_header(r)->workload, name);
    accel_close(r);
}

/* ---- versions ---- */

TEST(test_versions)
{
    static const char *const names[] = {"v0", "v1", "v2", "v3", "v4", "v5"};
    struct story first;
    read_folder(names[0], &first);
    assert_int_equal(first.count, 48);
    assert_int_equal(first.loops, 1);
    for (unsigned v = 1; v < COUNT(names); v++) {
        struct story s;
        read_folder(names[v], &s);
        assert_int_equal(s.count, first.count);
        for (uint32_t i = 0; i < s.count; i++) assert_memory_equal(&s.item[i], &first.item[i], sizeof s.item[i]);
        free(s.item);
    }
    const struct done *load = &first.item[4], *store = &first.item[10];
    assert_int_equal(load->inst.pc, 0x10);
    assert_int_equal(load->first, 0x7f0100000080);
    assert_int_equal(load->last, 0x7f0100000080 + 31 * 4);
    assert_int_equal(load->inst.loop, 0);
    assert_int_equal(store->inst.width, 8);
    assert_int_equal(store->exec, 0x21);
    assert_int_equal(store->first, 0x7f0100000000);
    assert_int_equal(store->last, 0x7f0100001000);
    assert_int_equal(store->inst.loop, CODE_NO_LOOP);
    assert_int_equal(first.item[9].exec, 0); /* the branch nobody takes */
    assert_int_equal(first.item[9].inst.loop, 0);
    free(first.item);
}

/* ---- classes and spaces ---- */

TEST(test_features)
{
    static const struct {
        uint8_t kind, space, width, ndst;
        uint64_t first;
    } want[] = {
        {INST_ALU, SPACE_NONE, 0, 1, 0},
        {INST_LOAD, SPACE_GLOBAL, 16, 4, 0x7f0200000000}, /* one register named, four written */
        {INST_STORE, SPACE_SHARED, 1, 0, 0x10},
        {INST_BARRIER, SPACE_NONE, 0, 0, 0},
        {INST_LOAD, SPACE_SHARED, 8, 2, 0},
        {INST_LOAD, SPACE_SHARED, 4, 1, 0x40}, /* one generic load, three spaces */
        {INST_LOAD, SPACE_LOCAL, 4, 1, 0x80},
        {INST_LOAD, SPACE_GLOBAL, 4, 1, 0x7f0200001000},
        {INST_LOAD, SPACE_LOCAL, 2, 1, 0x10},
        {INST_ATOMIC, SPACE_GLOBAL, 4, 1, 0x7f0200002000},
        {INST_ATOMIC, SPACE_GLOBAL, 8, 0, 0x7f0200002000},
        {INST_ATOMIC, SPACE_SHARED, 4, 1, 0},
        {INST_LOAD, SPACE_CONST, 4, 1, 0x160},
        {INST_LOAD, SPACE_GLOBAL, 16, 0, 0x7f0200004000},
        {INST_COMMIT, SPACE_NONE, 0, 0, 0},
        {INST_WAIT, SPACE_NONE, 1, 0, 0}, /* one group of copies may stay out */
        {INST_WAIT, SPACE_NONE, 0, 0, 0},
    };
    struct story s;
    read_folder("features", &s);
    assert_int_equal(s.count, 30);
    for (unsigned i = 0; i < COUNT(want); i++) {
        const struct code_inst *in = &s.item[i].inst;
        if (in->kind != want[i].kind || in->space != want[i].space || in->width != want[i].width ||
            in->ndst != want[i].ndst || s.item[i].first != want[i].first)
            fail_msg("line %u: kind %u space %u width %u dst %u first %llx", i, in->kind, in->space, in->width,
                     in->ndst, (unsigned long long)s.item[i].first);
    }
    assert_int_equal(s.item[1].inst.cache_op, CACHE_STRONG_GPU);
    assert_int_equal(s.item[13].inst.async, 1);
    assert_int_equal(s.item[7].last, 0x7f0200001000 - 31 * 4);
    assert_int_equal(s.item[10].last, 0x7f0200002010);
    /* The function's instructions: other pcs than the kernel's, the same ones from both calls. */
    assert_int_equal(s.item[18].inst.lat, LAT_SFU);
    assert_int_not_equal(s.item[18].inst.pc, s.item[1].inst.pc);
    assert_int_equal(s.item[18].inst.pc, s.item[21].inst.pc);
    assert_int_equal(s.item[23].inst.kind, INST_ALU);  /* an unknown opcode */
    assert_int_equal(s.item[24].inst.kind, INST_LOAD); /* one with addresses */
    assert_int_equal(s.item[24].inst.space, SPACE_GLOBAL);
    assert_int_equal(s.item[26].inst.kind, INST_LOAD); /* nobody runs it */
    assert_int_equal(s.item[26].exec, 0);
    assert_int_equal(s.item[27].inst.kind, INST_NOP); /* a barrier nobody runs holds nobody */
    assert_int_equal(s.item[29].inst.kind, INST_EXIT);
    free(s.item);
}

/* Each lane goes where its address points: a part per space, in the order of the spaces. */
TEST(test_lanes_of_a_generic_access)
{
    static const char *const lines[] = {
        "0000 0000000f 1 R4 LD.E 1 R2 4 0 0x7f0001000040 0x7f0003000080 0x7f0200001000 0x7f0001000044 0",
        "0010 0000000f 1 R1 MOV 0 0 0", NULL};
    static const struct {
        uint8_t space;
        uint32_t lanes;
        uint64_t first, last;
    } want[] = {
        {SPACE_GLOBAL, 4, 0x7f0200001000, 0x7f0200001000}, {SPACE_SHARED, 9, 0x40, 0x44}, {SPACE_LOCAL, 2, 0x80, 0x80}};
    struct wl_err e = {.code = WL_OK};
    struct story s;
    char *text = one_warp(NULL, lines);
    if (story_of(text, &s, &e)) fail_msg("%s", e.text);
    free(text);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.loops, 0); /* parts are no way back */
    for (unsigned i = 0; i < COUNT(want); i++) {
        assert_int_equal(s.item[i].inst.space, want[i].space);
        assert_int_equal(s.item[i].inst.pc, 0);
        assert_int_equal(s.item[i].exec, want[i].lanes);
        assert_int_equal(s.item[i].first, want[i].first);
        assert_int_equal(s.item[i].last, want[i].last);
    }
    free(s.item);
}

/* What the lanes of a pc differ by is remembered as text: it is used for the same text and the same lanes only. */
TEST(test_differences_of_the_line_before)
{
    static const struct {
        uint32_t lanes, base;
        const char *steps;
        int last; /* behind the first */
    } row[] = {{0xf, 0x1000, "4 4 4", 12},
               {0xf, 0x2000, "4 4 4", 12},
               {0xf, 0x3000, "4 4 40", 48},
               {0xf, 0x4000, "4 4 4 0", 12},
               {0xf0, 0x5000, "4 4 4", 12},
               {0xf, 0x6000, "8 4 4", 16},
               {0x7, 0x7000, "8 4", 12},
               {0x3, 0x8000, "-4", -4},
               {0x80000001, 0x9000, "-4 7", -4},
               {0x1, 0xa000, "", 0},
               {0x1, 0xb000, "9", 0},
               {0xf, 0xc000, " 4  4 4", 12},
               {0xf, 0xd000, "0 0 -2048", -2048}};
    char text[COUNT(row)][100];
    const char *lines[COUNT(row) + 1] = {NULL};
    for (unsigned i = 0; i < COUNT(row); i++) {
        snprintf(text[i], sizeof text[i], "0010 %08x 1 R4 LDG.E 1 R2 4 2 0x7f020000%04x %s", row[i].lanes, row[i].base,
                 row[i].steps);
        lines[i] = text[i];
    }
    struct wl_err e = {.code = WL_OK};
    struct story s;
    char *file = one_warp(NULL, lines);
    if (story_of(file, &s, &e)) fail_msg("%s", e.text);
    free(file);
    assert_int_equal(s.count, COUNT(row));
    for (unsigned i = 0; i < COUNT(row); i++) {
        assert_int_equal(s.item[i].exec, row[i].lanes);
        assert_int_equal(s.item[i].first, 0x7f0200000000 + row[i].base);
        assert_int_equal(s.item[i].last, 0x7f0200000000 + row[i].base + row[i].last);
    }
    free(s.item);
}

static void collect(void *arg, const char *text, bool loss)
{
    (void)loss;
    char *all = arg;
    strcat(strcat(all, text), "\n");
}

TEST(test_warnings)
{
    struct wl_err e = {.code = WL_OK};
    struct story s;
    char all[2000] = "";
    struct accel_reader *r = accel_open(WL_ROOT "/tests/traces/features/kernelslist.g", &e);
    assert_non_null(r);
    assert_int_equal(read_story(r, &s, &e), 0);
    accel_warnings(r, collect, all);
    assert_non_null(strstr(all, "unknown opcode FROBNICATE.X (1 times), taken as an integer addition"));
    assert_non_null(strstr(all, "unknown opcode GRABG.E (1 times), taken as a load"));
    assert_non_null(strstr(all, "opcode VIADD (1 times) is not in the table of its architecture"));
    assert_non_null(strstr(all, "1 lines of the list are no command"));
    assert_null(strstr(all, "CALL"));
    struct wlt_totals t = accel_totals(r);
    assert_int_equal(t.copies, 1);
    assert_int_equal(t.copy_bytes, 65536);
    accel_close(r);
    free(s.item);
}

/* Kinds of some opcodes where architectures differ. */
TEST(test_architectures)
{
    struct sass_op op;
    bool exact;
    assert_int_equal(sass_arch(35, &exact), SASS_KEPLER);
    assert_int_equal(sass_arch(52, &exact), SASS_PASCAL);
    assert_int_equal(sass_arch(61, &exact), SASS_PASCAL);
    assert_int_equal(sass_arch(70, &exact), SASS_VOLTA);
    assert_int_equal(sass_arch(75, &exact), SASS_TURING);
    assert_int_equal(sass_arch(86, &exact), SASS_AMPERE);
    assert_int_equal(sass_arch(90, &exact), SASS_HOPPER);
    assert_true(exact);
    assert_int_equal(sass_arch(120, &exact), SASS_HOPPER);
    assert_false(exact);
    sass_classify(SASS_KEPLER, "LD.E", &op);
    assert_int_equal(op.space, SPACE_GLOBAL);
    sass_classify(SASS_VOLTA, "LD.E", &op);
    assert_int_equal(op.space, SPACE_GENERIC);
    sass_classify(SASS_VOLTA, "IMMA.8816.S8.S8", &op);
    assert_int_equal(op.lat, LAT_INT_MAD);
    sass_classify(SASS_TURING, "IMMA.8816.S8.S8", &op);
    assert_int_equal(op.lat, LAT_TENSOR);
    sass_classify(SASS_VOLTA, "DEPBAR.LE", &op);
    assert_false(op.waits_groups);
    sass_classify(SASS_AMPERE, "DEPBAR.LE", &op);
    assert_true(op.waits_groups);
    sass_classify(SASS_KEPLER, "LDSLK", &op); /* an atomic of Kepler in shared memory is a loop of these */
    assert_true(op.kind == INST_LOAD && op.space == SPACE_SHARED);
    sass_classify(SASS_KEPLER, "STSCUL", &op);
    assert_true(op.kind == INST_STORE && op.space == SPACE_SHARED);
    sass_classify(SASS_KEPLER, "SULDGA.U32", &op);
    assert_true(op.unaddressed);
    sass_classify(SASS_AMPERE, "REDUX.SUM", &op); /* ampere_opcode.h: SPECIALIZED_UNIT_4_OP */
    assert_int_equal(op.lat, LAT_UNIFORM);
    sass_classify(SASS_KEPLER, "HGMMA.64x8", &op);
    assert_int_equal(op.known, SASS_ELSEWHERE);
    sass_classify(SASS_HOPPER, "BAR.ARV", &op);
    assert_int_equal(op.kind, INST_NOP);
    static const struct {
        const char *opcode;
        unsigned width;
        /* clang-format off */
    } widths[] = {{"LDG.E.U8", 1}, {"LDG.E.S16", 2}, {"LDS.U.128", 16}, {"LDG.E.64.SYS", 8},
                  {"LDGSTS.E.BYPASS.LTC128B.128", 16},
                  {"LDSM.16.M88.4", 2}, {"STG.E", 4}, {"ATOMG.E.ADD.F64.RN", 8}, {"LDG.E.9999", 4},
                  {"RED.E.ADD.F16x2", 4}};
    /* clang-format on */
    for (unsigned i = 0; i < COUNT(widths); i++) {
        sass_classify(SASS_AMPERE, widths[i].opcode, &op);
        assert_int_equal(op.width, widths[i].width);
    }
    sass_classify(SASS_AMPERE, "LDSM.16.M88.4", &op);
    assert_int_equal(op.dst_regs, 4);
}

/* ---- what is wrong ---- */

static void refuse_text(const char *text, const char *why)
{
    struct wl_err e = {.code = WL_OK};
    struct story s;
    int rc = story_of(text, &s, &e);
    if (rc != WL_EINPUT || strncmp(e.text, "k.traceg:", 9) != 0 || !strstr(e.text, why))
        fail_msg("wanted '%s', got %d '%s'", why, rc, e.text);
    free(s.item);
}

static void refuse_line(const char *line, const char *why)
{
    const char *const lines[] = {"0000 ffffffff 1 R1 S2R 0 0 0", line, NULL};
    char *text = one_warp(NULL, lines);
    refuse_text(text, why);
    assert_non_null(strstr(text, line));
    free(text);
}

TEST(test_bad_lines)
{
    refuse_line("zz ffffffff 0 EXIT 0 0 0", ":18: 'zz ffffffff 0 EXIT 0 0 0': the program counter");
    refuse_line("123456789 ffffffff 0 EXIT 0 0 0", "the program counter");
    refuse_line("0010 fffffff 0 EXIT 0 0 0", "the mask is not 8");
    refuse_line("0010 ffffffffff 0 EXIT 0 0 0", "the mask is not 8");
    refuse_line("0 0 0 0 0010 ffffffff 0 EXIT 0 0", "the mask is not 8"); /* lines of an older version */
    refuse_line("0010 ffffffff 5 R1 R2 R3 R4 R5 MOV 0 0 0", "the destination registers");
    refuse_line("0010 ffffffff 1 X1 MOV 0 0 0", "the destination registers");
    refuse_line("0010 ffffffff -1 MOV 0 0 0", "the destination registers");
    refuse_line("0010 ffffffff 0", "the opcode is missing");
    refuse_line("0010 ffffffff 0 mov 0 0 0", "the opcode is missing");
    refuse_line("0010 ffffffff 0 EXIT 9 R1 R1 R1 R1 R1 R1 R1 R1 R1 0 0", "the source registers");
    refuse_line("0010 ffffffff 0 EXIT 2 R1 0", "the source registers");
    refuse_line("0010 ffffffff 0 EXIT 0", "the width");
    refuse_line("0010 ffffffff 0 EXIT 0 -4", "the width");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 3 0x10 4 0", "the addresses");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 0 0x10", "the addresses");
    refuse_line("0010 00000007 1 R1 LDG.E 1 R2 4 2 0x10 4", "the addresses");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 1 0x10", "the addresses");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 1 0x12345678901234567 4", "the addresses");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 -9223372036854775808 0", "the addresses");
    refuse_line("0010 00000003 1 R1 LDG.E 1 R2 4 2 0x10 -64 0", "address 0xffffffffffffffd0 is outside of any memory");
    refuse_line("0010 00000001 1 R1 LDG.E 1 R2 4 2 0x100000000000000 0", "is outside of any memory");
    refuse_line("0010 ffffffff 0 EXIT 0 0 0 0", "something follows");
    refuse_line("0010 ffffffff 0 EXIT 0 0 x", "the immediate");
    refuse_line("#END_TB", "warp 0 has 1 instructions, but 'insts = 2' was promised");
    refuse_line("warp = 1", "warp 0 has 1 instructions");
}

TEST(test_bad_headers)
{
    static const struct {
        const char *change, *why;
    } rows[] = {{"grid dim = (1,1)", ":3: '(1,1)' is no value for 'grid dim'"},
                {"grid dim = (0,1,1)", "must not have a zero dimension"},
                {"grid dim = (4294967295,4294967295,4294967295)", "more than 4294967295 blocks"},
                {"grid dim = (99999999999,1,1)", "is no value for 'grid dim'"},
                {"block dim = (2048,1,1)", "larger than 1024"},
                {"block dim = (-1,1,1)", "is no value for 'block dim'"},
                {"shmem = 99999999999", "is no value for 'shmem'"},
                {"nregs = many", "is no value for 'nregs'"},
                {"accelsim tracer version = 6", "tracer version 6 is not known"},
                {"accelsim tracer version = x", "is no value"},
                {"enable lineinfo = 2", "is no value"},
                {"kernel name = ", "is no value for 'kernel name'"},
                {"shmem base_addr = 0xg", "is no value"},
                {"nregs = 16\n-nregs = 17", "the header gives 'nregs' twice"}};
    const char *const lines[] = {"0010 ffffffff 0 EXIT 0 0 0", NULL};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char *text = one_warp(rows[i].change, lines);
        refuse_text(text, rows[i].why);
        free(text);
    }
    refuse_text("", "the file is empty");
    refuse_text("-kernel name = k\n", "the file ends inside its header");
    refuse_text("junk\n", "a kernel's file begins with");
    refuse_text("-kernel name = k\n#traces format\n", "the header has no 'grid dim'");
}

TEST(test_bad_bodies)
{
    static const struct {
        const char *body, *why;
    } rows[] = {
        {"", "the kernel has no block"},
        {"thread block = 0,0,0\n", "'#BEGIN_TB' is due"},
        {"#BEGIN_TB\n", "truncated: the file ends after '#BEGIN_TB'"},
        {"#BEGIN_TB\nwarp = 0\n", "'thread block = X,Y,Z' must follow"},
        {"#BEGIN_TB\nthread block = 1,0,0\n", "block 1,0,0 is not in the grid"},
        {"#BEGIN_TB\nthread block = 0,0,0\n", "truncated: the file ends inside a block"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n", "warp 1 in a block of 1 warps"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = -1\n", "'warp = N' or '#END_TB' is due"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n", "truncated: the file ends after 'warp = 0'"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = -1\n", "'insts = N' must follow"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4294967295\n0010 ffffffff 0 EXIT 0 0 0\n",
         "after 1 of 4294967295"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 0\nwarp = 0\ninsts = 0\n", "warp 0 comes behind warp 0"},
        {"#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n",
         "comes behind a later one (or twice)"},
        {"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 0\n0010 ffffffff 0 EXIT 0 0 0\n",
         "'warp = N' or '#END_TB' is due"},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        put_header(f, NULL);
        fputs(rows[i].body, f);
        fclose(f);
        refuse_text(text, rows[i].why);
        free(text);
    }
}

/* ---- what is allowed ---- */

TEST(test_gaps)
{
    struct wl_err e = {.code = WL_OK};
    struct story s;
    char *text = NULL, all[1000] = "";
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    put_header(f, "grid dim = (2,2,1)");
    fputs("#BEGIN_TB\r\nthread block = 1,0,0\r\nwarp = 0\r\ninsts = 0\r\n#END_TB\r\n\r\n"
          "#BEGIN_TB\n  thread block = 1,1,0\nwarp = 0\ninsts = 1\n\n\t0010 ffffffff 0 EXIT 0 0\n#END_TB",
          f); /* no line end */
    fclose(f);
    struct accel_reader *r = accel_open_memory("gaps", text, size, 0, &e);
    if (read_story(r, &s, &e)) fail_msg("%s", e.text);
    assert_int_equal(s.count, 1);
    assert_int_equal(accel_totals(r).ctas, 2);
    accel_warnings(r, collect, all);
    assert_non_null(strstr(all, "1 launches lack blocks of their grid, 2 in all"));
    accel_close(r);
    free(s.item);
    free(text);
}

/* ---- compression ---- */

static size_t pack(unsigned how, const char *text, uint8_t *out, size_t cap)
{
    size_t n = strlen(text), pos = 0;
    if (how == 0)
        return lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, n, out, &pos, cap) == LZMA_OK
                   ? pos
                   : 0;
    if (how == 1) return ZSTD_compress(out, cap, text, n, 1);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return cap - z.avail_out;
}

TEST(test_compressed)
{
    const char *const lines[] = {"0000 ffffffff 1 R1 S2R 0 0 0", "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0100000000 4 0",
                                 "0020 ffffffff 0 EXIT 0 0 0", NULL};
    char *text = one_warp(NULL, lines);
    size_t half = strlen(text) / 2;
    for (unsigned how = 0; how < 3; how++) {
        uint8_t packed[4096];
        size_t n = pack(how, text, packed, sizeof packed);
        for (size_t cut = 6; cut <= n; cut++) {
            struct wl_err e = {.code = WL_OK};
            struct story s;
            struct accel_reader *r = accel_open_memory("k.traceg", packed, cut, 0, &e);
            int rc = read_story(r, &s, &e);
            accel_close(r);
            if (cut == n && (rc || s.count != 3)) fail_msg("%u: %s", how, e.text);
            if (cut < n && (rc != WL_EINPUT || !strstr(e.text, "truncated")))
                fail_msg("%u at %zu: %d %s", how, cut, rc, e.text);
            free(s.item);
        }
        /* Two streams one behind the other are one text. */
        char front[2048];
        memcpy(front, text, half);
        front[half] = 0;
        n = pack(how, front, packed, sizeof packed);
        n += pack(how, text + half, packed + n, sizeof packed - n);
        struct wl_err e = {.code = WL_OK};
        struct story s;
        struct accel_reader *r = accel_open_memory("k.traceg", packed, n, 0, &e);
        if (read_story(r, &s, &e) || s.count != 3) fail_msg("%u in two: %s", how, e.text);
        accel_close(r);
        free(s.item);
        if (how == 1) continue; /* no checksum in this frame */
        packed[n / 4] ^= 0x55;  /* in the first one */
        r = accel_open_memory("k.traceg", packed, n, 0, &e);
        assert_int_equal(read_story(r, &s, &e), WL_EINPUT);
        accel_close(r);
        free(s.item);
    }
    free(text);
}

/* ---- to .wlt and back ---- */

TEST(test_convert)
{
    char wlt[] = "/tmp/wl_accel_XXXXXX.wlt", folder[] = "/tmp/wl_accel_XXXXXX", path[128];
    struct wl_err e = {.code = WL_OK};
    int fd = mkstemps(wlt, 4);
    assert_true(fd >= 0);
    close(fd);
    assert_non_null(mkdtemp(folder));
    if (trace_convert(WL_ROOT "/tests/traces/v3", wlt, NULL, NULL, NULL, &e)) fail_msg("%s", e.text);
    if (trace_convert(wlt, folder, NULL, NULL, NULL, &e)) fail_msg("%s", e.text);
    struct story a, b;
    read_folder("v3", &a);
    struct accel_reader *r = accel_open(folder, &e);
    assert_non_null(r);
    if (read_story(r, &b, &e)) fail_msg("%s", e.text);
    assert_int_equal(accel_totals(r).copy_bytes, 4096);
    accel_close(r);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++) {
        assert_int_equal(a.item[i].exec, b.item[i].exec);
        assert_int_equal(a.item[i].first, b.item[i].first);
        assert_int_equal(a.item[i].last, b.item[i].last);
        assert_memory_equal(&a.item[i].inst, &b.item[i].inst, sizeof a.item[i].inst);
    }
    free(a.item);
    free(b.item);
    remove(wlt);
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/kernel-1.traceg", folder);
    remove(path);
    rmdir(folder);
}
