/* test_registers.c - registers of a thread, against what ptxas gave to the same kernels.
 *
 * ptxas_registers.csv is what `ptxas -v` says of every kernel of the tree and of the tests (scripts/ptxas_registers.py
 * makes it), 13.0 for sm_75 and newer, 11.8 for the two before; 0: not assembled. How many registers there are for each
 * thread that an SM can hold is in targets[]. The targets differ among themselves: sm_80 and sm_90 by more than two
 * registers in 11 % of the kernels, sm_75 and sm_90 in 33 %. The limits are what the estimate reaches, with little to
 * spare. Half of the kernels were never looked at when the allocator (registers.c) was made. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ir.h"

enum { TARGETS = 9, MOST_TEXT = 1 << 21 };

static const struct {
    const char *name;
    uint32_t free_regs;
    int hardware;           /* registers that the target has on top, less those of sm_75 and newer */
    int mean;               /* tenths of a register that the mean may be off */
    int within_2, within_4; /* per cent, at least */
} targets[TARGETS] = {
    {"sm_35", 32, -2, 6, 63, 81}, {"sm_50", 32, -2, 12, 55, 82}, {"sm_75", 64, 0, 3, 58, 75},
    {"sm_80", 32, 0, 6, 69, 84},  {"sm_86", 40, 0, 10, 65, 82},  {"sm_89", 40, 0, 10, 65, 82},
    {"sm_90", 32, 0, 11, 71, 87}, {"sm_100", 32, 0, 10, 71, 86}, {"sm_120", 40, 0, 15, 65, 84},
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

static struct ptx_module *module(const char *file)
{
    static char text[MOST_TEXT];
    char path[512];
    struct wl_err e;
    snprintf(path, sizeof path, "%s/%s", WL_ROOT, file);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s", path);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    struct ptx_module *m = ptx_parse_for(file, text, n, 0, (struct ptx_target){.scheduled = true}, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

/* The numbers of a line behind file and kernel. */
static void read_counts(const char *line, int *out)
{
    const char *at = strchr(strchr(line, ',') + 1, ',');
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

TEST(close_to_an_assembler)
{
    struct tally t[TARGETS] = {{0}};
    struct ptx_module *m = NULL;
    char line[512], file[256], kernel[128], last[256] = "";
    int theirs[TARGETS];
    FILE *csv = fopen(WL_ROOT "/tests/unit/ptxas_registers.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    while (fgets(line, sizeof line, csv)) {
        assert_int_equal(sscanf(line, "%255[^,],%127[^,],", file, kernel), 2);
        read_counts(line, theirs);
        if (strcmp(file, last) != 0) {
            if (m) ptx_free(m);
            m = module(file);
            snprintf(last, sizeof last, "%s", file);
        }
        const struct ptx_func *k = ptx_find_kernel(m, kernel);
        if (!k) fail_msg("%s has no %s", file, kernel);
        for (int i = 0; i < TARGETS; i++)
            if (theirs[i]) count(&t[i], (int)ptx_registers(k, targets[i].free_regs) + targets[i].hardware, theirs[i]);
    }
    if (m) ptx_free(m);
    fclose(csv);
    for (int i = 0; i < TARGETS; i++) check(i, &t[i]);
}
