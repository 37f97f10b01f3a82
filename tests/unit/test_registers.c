/* test_registers.c - registers of a thread, against what ptxas gave to the same kernels.
 *
 * src/ptx/ptxas_registers.csv is what `ptxas -v` says of every kernel of the tree and of the tests
 * (scripts/ptxas_registers.py makes it), 13.0 for sm_75 and newer, 11.8 for the two before; 0: not assembled. How many
 * registers there are for each thread that an SM can hold is in targets[]. The targets differ among themselves: sm_80
 * and sm_90 by more than two registers in 11 % of the kernels, sm_75 and sm_90 in 33 %. The limits are what the
 * estimate reaches, with little to spare. Half of the kernels were never looked at when the allocator (registers.c) was
 * made. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ir.h"

enum { TARGETS = 9, MOST_TEXT = 1 << 21, CALLING_KERNELS = 1 };

static const struct {
    const char *name;
    uint32_t capability, free_regs;
    int hardware;           /* registers that the target has on top, less those of sm_75 and newer */
    int mean;               /* tenths of a register that the mean may be off */
    int within_2, within_4; /* per cent, at least */
} targets[TARGETS] = {
    {"sm_35", 35, 32, -2, 6, 63, 81}, {"sm_50", 50, 32, -2, 12, 55, 82}, {"sm_75", 75, 64, 0, 3, 58, 75},
    {"sm_80", 80, 32, 0, 6, 69, 84},  {"sm_86", 86, 40, 0, 10, 65, 82},  {"sm_89", 89, 40, 0, 10, 65, 82},
    {"sm_90", 90, 32, 0, 9, 73, 86},  {"sm_100", 100, 32, 0, 8, 74, 86}, {"sm_120", 120, 40, 0, 13, 68, 83},
};

struct tally {
    int kernels, within_2, within_4, sum;
};

static void count(struct tally *t, int ours, int theirs)
{
    int d = ours - theirs;
    t->kernels++;
    t->sum += d;
    t->within_2 += abs(d) <= 2;
    t->within_4 += abs(d) <= 4;
}

/* ---- small kernels ---- */

struct range {
    int least, most;
};

#define KERNEL(body)                                                                                                   \
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n) {\n"               \
    ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %d<40>; .reg .f32 %f<40>;\n" body "\n}\n"

static struct range registers_on(const char *text, uint32_t capability)
{
    struct wl_err e;
    struct ptx_target target = {.scheduled = true, .capability = capability};
    struct ptx_module *m = ptx_parse_for("k.ptx", text, strlen(text), 0, target, &e);
    if (!m) fail_msg("%s", e.text);
    const struct ptx_func *k = ptx_find_kernel(m, "k");
    struct range r = {(int)k->least_regs, (int)k->most_regs};
    assert_int_equal(k->regs_per_thread, ptx_registers(k, 32));
    ptx_free(m);
    return r;
}

static struct range registers(const char *text) { return registers_on(text, 90); }

#define INDEX "ld.param.u64 %d1, [a]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mul.wide.s32 %d2, %r1, 4;"

/* The stack pointer and two of the hardware are always there: an empty kernel has four, as ptxas says. */
TEST(registers_that_are_always_there)
{
    struct range r = registers(KERNEL("ret;"));
    assert_int_equal(r.least, 4);
    assert_int_equal(r.most, 4);
}

/* A store has its operands in registers: a pointer that is a parameter needs two, a literal one, and zero none. */
TEST(operands_of_accesses)
{
    int zero = registers(KERNEL("ld.param.u64 %d1, [a]; mov.u32 %r1, 0; st.global.u32 [%d1], %r1; ret;")).least,
        one = registers(KERNEL("ld.param.u64 %d1, [a]; mov.u32 %r1, 1; st.global.u32 [%d1], %r1; ret;")).least,
        shared = registers(KERNEL(".shared .b32 s; st.shared.u32 [s], 0; ret;")).least;
    assert_int_equal(zero, shared + 2);
    assert_int_equal(one, zero); /* in R0, beside the stack pointer */
}

/* Where registers are plenty a loaded word has the pair of its address, or one of its own if that is still needed. */
TEST(loaded_words_take_pairs)
{
    int over = registers(KERNEL(INDEX "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3]; add.s32 %r3, %r2, 1;"
                                      "st.shared.u32 [0], %r3; ret;"))
                   .most,
        beside = registers(KERNEL(INDEX "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3]; add.s32 %r3, %r2, 1;"
                                        "st.global.u32 [%d3], %r3; ret;"))
                     .most;
    assert_int_equal(beside, over + 2);
}

/* A guarded load begins a value: it is not live in front of it, though some lanes do not load. */
TEST(guarded_values_begin)
{
    int many = registers(KERNEL(INDEX "add.s64 %d3, %d1, %d2; setp.lt.s32 %p1, %r1, 7; mov.u32 %r8, 0;"
                                      "L: @%p1 ld.global.u32 %r2, [%d3]; @%p1 st.global.u32 [%d3+64], %r2;"
                                      "@%p1 ld.global.u32 %r3, [%d3+4]; @%p1 st.global.u32 [%d3+68], %r3;"
                                      "@%p1 ld.global.u32 %r4, [%d3+8]; @%p1 st.global.u32 [%d3+72], %r4; bar.sync 0;"
                                      "add.s32 %r8, %r8, 1; setp.ne.s32 %p2, %r8, %r9; @%p2 bra L; ret;"))
                   .least,
        one = registers(KERNEL(INDEX "add.s64 %d3, %d1, %d2; setp.lt.s32 %p1, %r1, 7; mov.u32 %r8, 0;"
                                     "L: @%p1 ld.global.u32 %r2, [%d3]; @%p1 st.global.u32 [%d3+64], %r2; bar.sync 0;"
                                     "add.s32 %r8, %r8, 1; setp.ne.s32 %p2, %r8, %r9; @%p2 bra L; ret;"))
                  .least;
    assert_int_equal(many, one);
}

#define LOOP(pragma)                                                                                                   \
    KERNEL(INDEX "add.s64 %d3, %d1, %d2; mov.f32 %f1, 0f00000000; mov.u32 %r8, 0; L: " pragma                          \
                 "ld.global.f32 %f2, [%d3]; add.f32 %f1, %f1, %f2; add.s64 %d3, %d3, 4; add.s32 %r8, %r8, 1;"          \
                 "setp.lt.s32 %p1, %r8, %r9; @%p1 bra L; st.shared.f32 [0], %f1; ret;")

/* The words of four rounds of a counted loop are loaded together, unless a pragma forbids it. */
TEST(counted_loops_are_repeated)
{
    int repeated = registers(LOOP("")).most, rolled = registers(LOOP(".pragma \"nounroll\"; ")).most;
    assert_true(repeated >= rolled + 4);
    assert_true(repeated <= rolled + 6);
}

/* n has a register from sm_90 on where a literal is added to it, and there it stays through the loop; the test alone
 * reads it from the constant bank. Saving registers, nobody holds a parameter. */
TEST(parameters_are_held)
{
#define COUNTED(sum)                                                                                                   \
    KERNEL(INDEX "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3]; " sum " mov.u32 %r8, 0; L: .pragma \"nounroll\"; "  \
                 "ld.global.u32 %r4, [%d3]; mad.lo.s32 %r2, %r4, %r3, %r2; ld.global.u32 %r5, [%d3+4];"                \
                 "mad.lo.s32 %r2, %r5, %r4, %r2; add.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, %r9; @%p1 bra L;"          \
                 "st.global.u32 [%d3], %r2; ret;")
    const char *with = COUNTED("add.s32 %r3, %r9, 1;"), *without = COUNTED("add.s32 %r3, %r2, %r9;");
    assert_true(registers_on(with, 90).most > registers_on(with, 89).most);
    assert_int_equal(registers_on(with, 90).least, registers_on(with, 89).least);
    assert_int_equal(registers_on(without, 90).most, registers_on(without, 89).most);
}

/* In a loop the base of a multiplied index stays in a pair from sm_90 on. */
TEST(bases_are_held_in_loops)
{
#define GATHER(index)                                                                                                  \
    KERNEL(INDEX "add.s64 %d3, %d1, %d2; mov.u32 %r8, %r1; L: .pragma \"nounroll\"; " index                            \
                 "cvta.to.global.u64 %d6, %d1; add.s64 %d5, %d6, %d4; ld.global.u32 %r8, [%d5];"                       \
                 "ld.global.u32 %r4, [%d5+4]; add.s32 %r8, %r8, %r4;"                                                  \
                 "setp.lt.s32 %p1, %r8, %r9; @%p1 bra L; st.global.u32 [%d3], %r8; ret;")
    const char *multiplied = GATHER("mul.wide.s32 %d4, %r8, 4; "), *loaded = GATHER("ld.shared.u64 %d4, [%r8]; ");
    assert_true(registers_on(multiplied, 90).most > registers_on(multiplied, 89).most);
    assert_int_equal(registers_on(loaded, 90).most, registers_on(loaded, 89).most);
}

/* What a call keeps and what the called function needs stand on top of one another. */
TEST(called_functions_need_registers)
{
#define BODY                                                                                                           \
    INDEX "add.s64 %d3, %d1, %d2; ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d3+4]; CALL"                          \
          "add.f32 %f3, %f1, %f2; st.global.f32 [%d3], %f3; ret;"
    static const char function[] = ".version 7.0\n.target sm_75\n.address_size 64\n.func f(.param .b64 p) {\n"
                                   ".reg .b64 %d<2>; .reg .f32 %f<9>; ld.param.u64 %d1, [p];"
                                   "ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+4]; ld.global.f32 %f3, [%d1+8];"
                                   "add.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3; st.global.f32 [%d1], %f5; ret; }\n";
    static const char call[] = "{ .param .b64 q; st.param.b64 [q], %d3; call f, (q); }";
    const char *kernel = KERNEL(BODY);
    char with[2048], without[2048];
    const char *begin = strstr(kernel, ".visible"), *mark = strstr(kernel, "CALL");
    snprintf(with, sizeof with, "%s%.*s%s%s", function, (int)(mark - begin), begin, call, mark + 4);
    snprintf(without, sizeof without, "%s%.*s%s", function, (int)(mark - begin), begin, mark + 4);
    assert_true(registers(with).least > registers(without).least);
}

/* ---- kernels of the tree ---- */

static void close_modules(struct ptx_module **m)
{
    for (int i = 0; i < TARGETS && m[i]; i++) ptx_free(m[i]);
}

/* One for each target. */
static void open_modules(const char *file, struct ptx_module **m, bool known)
{
    static char text[MOST_TEXT];
    char path[512];
    struct wl_err e;
    snprintf(path, sizeof path, "%s/%s", WL_ROOT, file);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s", path);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (int i = 0; i < TARGETS; i++) {
        struct ptx_target target = {.scheduled = true, .capability = targets[i].capability, .known_registers = known};
        m[i] = ptx_parse_for(file, text, n, 0, target, &e);
        if (!m[i]) fail_msg("%s", e.text);
    }
}

/* The numbers of a line behind file, kernel and hash. */
static void read_counts(const char *line, int *out)
{
    const char *at = strchr(strchr(strchr(line, ',') + 1, ',') + 1, ',');
    for (int i = 0; i < TARGETS; i++) {
        char *end;
        assert_non_null(at);
        out[i] = (int)strtol(at + 1, &end, 10);
        assert_true(end > at + 1);
        at = *end == ',' ? end : NULL;
    }
}

static void check(int target, const struct tally *t)
{
    print_message("%s: %d kernels, mean difference %+.1f, within 2 %d %%, within 4 %d %%\n", targets[target].name,
                  t->kernels, (double)t->sum / t->kernels, 100 * t->within_2 / t->kernels,
                  100 * t->within_4 / t->kernels);
    assert_true(t->kernels > 250);
    assert_true(10 * abs(t->sum) <= targets[target].mean * t->kernels);
    if (100 * t->within_2 < targets[target].within_2 * t->kernels ||
        100 * t->within_4 < targets[target].within_4 * t->kernels)
        fail_msg("%s: of %d kernels %d within two registers, %d within four", targets[target].name, t->kernels,
                 t->within_2, t->within_4);
}

/* All rows of the table, each with its kernel for each target. */
static void each_row(bool known, void (*look)(const struct ptx_func *k, int target, int theirs, void *arg), void *arg)
{
    struct ptx_module *m[TARGETS] = {NULL};
    char line[512], file[256], kernel[128], last[256] = "";
    int theirs[TARGETS];
    FILE *csv = fopen(WL_ROOT "/src/ptx/ptxas_registers.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    while (fgets(line, sizeof line, csv)) {
        assert_int_equal(sscanf(line, "%255[^,],%127[^,],", file, kernel), 2);
        read_counts(line, theirs);
        if (strcmp(file, last) != 0) {
            close_modules(m);
            open_modules(file, m, known);
            snprintf(last, sizeof last, "%s", file);
        }
        for (int i = 0; i < TARGETS; i++) {
            const struct ptx_func *k = ptx_find_kernel(m[i], kernel);
            if (!k) fail_msg("%s has no %s", file, kernel);
            if (theirs[i]) look(k, i, theirs[i], arg);
        }
    }
    close_modules(m);
    fclose(csv);
}

static void compare(const struct ptx_func *k, int target, int theirs, void *arg)
{
    struct tally *t = arg;
    count(&t[target], (int)ptx_registers(k, targets[target].free_regs) + targets[target].hardware, theirs);
}

TEST(close_to_an_assembler)
{
    struct tally t[TARGETS] = {{0}};
    each_row(false, compare, t);
    for (int i = 0; i < TARGETS; i++) check(i, &t[i]);
}

/* ---- what the table knows ---- */

static void look_up(const struct ptx_func *k, int target, int theirs, void *arg)
{
    int *unknown = arg;
    if (k->regs_from == REGS_FROM_ALLOCATOR) {
        unknown[target]++;
        return;
    }
    assert_int_equal(k->regs_from, REGS_FROM_ASSEMBLER);
    assert_int_equal(k->regs_per_thread, theirs);
}

/* All texts of the table are as they were when ptxas was asked; those of kernels that call are not enough to know. */
TEST(known_kernels_have_the_assemblers_count)
{
    int unknown[TARGETS] = {0};
    each_row(true, look_up, unknown);
    for (int i = 0; i < TARGETS; i++) assert_int_equal(unknown[i], CALLING_KERNELS);
}

static const char *axpy(void)
{
    static char text[1 << 16];
    FILE *f = fopen(WL_ROOT "/tests/cli/axpy.ptx", "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static enum registers_from axpy_from(const char *text, struct ptx_target target)
{
    struct wl_err e;
    struct ptx_module *m = ptx_parse_for("axpy.ptx", text, strlen(text), 0, target, &e);
    if (!m) fail_msg("%s", e.text);
    enum registers_from from = ptx_find_kernel(m, "axpy")->regs_from;
    ptx_free(m);
    return from;
}

/* One changed character of the kernel, a target nobody asked for, a machine that runs the text as it stands: unknown.
 */
TEST(other_kernels_are_counted)
{
    static const struct ptx_target real = {.scheduled = true, .capability = 90, .known_registers = true};
    struct ptx_target other = real, text_machine = real, allocator = real;
    other.capability = 87;
    text_machine.scheduled = false;
    allocator.known_registers = false;
    assert_int_equal(axpy_from(axpy(), real), REGS_FROM_ASSEMBLER);
    assert_int_equal(axpy_from(axpy(), other), REGS_FROM_ALLOCATOR);
    assert_int_equal(axpy_from(axpy(), allocator), REGS_FROM_ALLOCATOR);
    assert_int_equal(axpy_from(axpy(), text_machine), REGS_FROM_TEXT);
    char changed[1 << 16];
    snprintf(changed, sizeof changed, "%s", axpy());
    char *body = strchr(strstr(changed, ".entry axpy"), '{');
    *strchr(body, '\n') = ' ';
    assert_int_equal(axpy_from(changed, real), REGS_FROM_ALLOCATOR);
    snprintf(changed, sizeof changed, "// another comment in front\n%s", axpy());
    assert_int_equal(axpy_from(changed, real), REGS_FROM_ASSEMBLER);
}
