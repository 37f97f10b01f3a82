/* test_registers.c - registers of a thread, against what ptxas 13.0 gave to the same kernels.
 *
 * ptxas_registers.csv is what `ptxas -v` says of every kernel of the tree and of the tests for three targets
 * (scripts/ptxas_registers.py makes it). An SM of sm_80 and sm_90 has 32 registers for each thread it can hold, one
 * of sm_75 has 64. The three differ among themselves: sm_80 and sm_90 by more than two registers in 11 % of the
 * kernels, sm_75 and sm_90 in 33 %. The limits are what the estimate reaches, with little to spare. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ir.h"

enum { TARGETS = 3, MOST_TEXT = 1 << 21 };

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
    struct ptx_module *m = ptx_parse(file, text, n, 0, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

TEST(close_to_an_assembler)
{
    static const uint32_t free_regs[TARGETS] = {64, 32, 32};
    static const int least_within_2[TARGETS] = {48, 64, 64}, least_within_4[TARGETS] = {68, 78, 81}; /* per cent */
    struct tally t[TARGETS] = {{0}};
    struct ptx_module *m = NULL;
    char line[512], file[256], kernel[128], last[256] = "";
    int theirs[TARGETS];
    FILE *csv = fopen(WL_ROOT "/tests/unit/ptxas_registers.csv", "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    while (fgets(line, sizeof line, csv)) {
        assert_int_equal(sscanf(line, "%255[^,],%127[^,],%d,%d,%d", file, kernel, &theirs[0], &theirs[1], &theirs[2]),
                         5);
        if (strcmp(file, last) != 0) {
            if (m) ptx_free(m);
            m = module(file);
            snprintf(last, sizeof last, "%s", file);
        }
        const struct ptx_func *k = ptx_find_kernel(m, kernel);
        if (!k) fail_msg("%s has no %s", file, kernel);
        for (int i = 0; i < TARGETS; i++) count(&t[i], (int)ptx_registers(k, free_regs[i]), theirs[i]);
    }
    if (m) ptx_free(m);
    fclose(csv);
    for (int i = 0; i < TARGETS; i++) {
        print_message("target %d: %d kernels, mean difference %+.1f, within 2 %d %%, within 4 %d %%\n", i, t[i].kernels,
                      (double)t[i].sum / t[i].kernels, 100 * t[i].within_2 / t[i].kernels,
                      100 * t[i].within_4 / t[i].kernels);
        assert_true(t[i].kernels > 250);
        assert_true(abs(t[i].sum) < t[i].kernels); /* the mean is off by less than one register */
        if (100 * t[i].within_2 < least_within_2[i] * t[i].kernels ||
            100 * t[i].within_4 < least_within_4[i] * t[i].kernels)
            fail_msg("target %d: of %d kernels %d within two registers, %d within four", i, t[i].kernels, t[i].within_2,
                     t[i].within_4);
    }
}
