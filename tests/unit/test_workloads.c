/* test_workloads.c - every built-in workload in functional mode: results, inputs, determinism. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/embed.h"
#include "sim/session.h"
#include "workloads/workload.h"

static const char *built_in(const char *file)
{
    const struct embed_file *f = embed_find(file);
    return f ? f->data : NULL;
}

static struct workload_run defaults(const struct workload *w, int size)
{
    struct workload_run r = {.seed = 1, .check = true, .ptx = built_in};
    for (unsigned i = 0; w->input[i].name; i++) r.in[i] = w->input[i].value[size];
    return r;
}

/* Runs on a fresh device; what it executed goes to *counts. */
static int run_fresh(const struct workload *w, struct workload_run *r, struct exec_counts *counts)
{
    struct session_options o = {.mode = SESSION_FUNCTIONAL};
    struct session *s = session_new(&o, NULL);
    assert_non_null(s);
    session_make_current(s);
    int rc = w->run(r);
    if (rc) print_message("%s: %s\n%s\n", w->name, r->message, session_error(s)->text);
    if (counts) *counts = session_counts(s);
    assert_int_equal(dev_used(session_memory(s)), 0); /* everything was given back, on failure too */
    session_free(s);
    return rc;
}

static void test_tiny(void **state)
{
    (void)state;
    unsigned count;
    const struct workload *const *list = workloads(&count);
    assert_true(count >= 12);
    for (unsigned i = 0; i < count; i++) {
        struct workload_run r = defaults(list[i], SIZE_TINY);
        struct exec_counts n = {0};
        assert_int_equal(run_fresh(list[i], &r, &n), 0);
        assert_non_null(strstr(r.message, "values"));
        assert_true(n.warp_instructions > 0);
    }
}

static void test_deterministic(void **state)
{
    (void)state;
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        struct workload_run a = defaults(list[i], SIZE_TINY), b = a;
        struct exec_counts na = {0}, nb = {0};
        assert_int_equal(run_fresh(list[i], &a, &na), 0);
        assert_int_equal(run_fresh(list[i], &b, &nb), 0);
        assert_string_equal(a.message, b.message);
        assert_int_equal(na.warp_instructions, nb.warp_instructions);
        assert_int_equal(na.thread_instructions, nb.thread_instructions);
    }
}

static void test_other_seed(void **state)
{
    (void)state;
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        struct workload_run r = defaults(list[i], SIZE_TINY);
        r.seed = 0xfeedface;
        assert_int_equal(run_fresh(list[i], &r, NULL), 0);
    }
}

/* Every input just outside its range, one at a time. */
static void test_inputs_refused(void **state)
{
    (void)state;
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; list[i]->input[k].name; k++) {
            const struct workload_input *in = &list[i]->input[k];
            for (int s = 0; s < SIZE_COUNT; s++) assert_in_range(in->value[s], in->min, in->max);
            struct workload_run low = defaults(list[i], SIZE_TINY), high = low;
            low.in[k] = in->min - 1;
            high.in[k] = in->max + 1;
            assert_int_equal(list[i]->run(&low), 1);
            assert_int_equal(list[i]->run(&high), 1);
            assert_memory_equal(low.message, in->name, strlen(in->name));
            assert_memory_equal(high.message, in->name, strlen(in->name));
        }
}

struct variant {
    const char *name;
    int64_t in[WORKLOAD_MAX_INPUTS];
};

/* Kernels compiled for one size, odd shapes, smallest inputs. */
static void test_variants(void **state)
{
    (void)state;
    static const struct variant variants[] = {
        {"vectoradd", {1}},
        {"matmul", {1, 16}},
        {"matmul", {33, 32}},
        {"matmul", {70, 32}},
        {"matmul_naive", {1}},
        {"reduction", {1, 1}},
        {"reduction", {5000, 300}},
        {"histogram", {1, 1}},
        {"atax", {512}},
        {"atax", {1}},
        {"atax", {8, 33, 70}},
        {"bicg", {512}},
        {"bicg", {8, 70, 33}},
        {"syrk", {128}},
        {"syrk", {33, 17}},
        {"gemm", {128}},
        {"gemm", {8, 9, 40, 5}},
        {"conv2d", {512}},
        {"conv2d", {3}},
        {"conv2d", {8, 5, 70}},
        {"conv3d", {64}},
        {"conv3d", {3}},
        {"conv3d", {8, 4, 5, 40}},
        {"bfs", {1, 2}},
        {"bfs", {2000, 2}},
    };
    for (unsigned i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const struct workload *w = workload_find(variants[i].name);
        struct workload_run r = {.seed = 7, .check = true, .ptx = built_in};
        memcpy(r.in, variants[i].in, sizeof r.in);
        assert_int_equal(run_fresh(w, &r, NULL), 0);
    }
    struct workload_run r = {.in = {64, 20}, .ptx = built_in};
    assert_int_equal(run_fresh(workload_find("matmul"), &r, NULL), 1);
}

static const char *broken_ptx(const char *file)
{
    (void)file;
    return ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry other() { ret; }\n";
}

static const char *no_ptx(const char *file)
{
    (void)file;
    return NULL;
}

static void test_failures_are_told(void **state)
{
    (void)state;
    const struct workload *w = workload_find("atax");
    struct workload_run r = defaults(w, SIZE_TINY);
    r.ptx = broken_ptx;
    assert_int_equal(run_fresh(w, &r, NULL), 1);
    assert_non_null(strstr(r.message, "CUDA_ERROR_NOT_FOUND"));
    r.ptx = no_ptx;
    assert_int_equal(run_fresh(w, &r, NULL), 1);
    assert_non_null(strstr(r.message, "atax.ptx"));
    r.ptx = built_in;
    session_make_current(NULL);
    assert_int_equal(w->run(&r), 1);
    assert_non_null(strstr(r.message, "CUDA_ERROR_NO_DEVICE"));
}

static void test_names(void **state)
{
    (void)state;
    assert_ptr_equal(workload_find("ATAX"), workload_find("atax"));
    assert_non_null(workload_find("atax"));
    assert_string_equal(workload_find("2DCONV")->name, "conv2d");
    assert_string_equal(workload_find("2dc")->name, "conv2d");
    assert_string_equal(workload_find("SYR")->name, "syrk");
    assert_string_equal(workload_find("dacache/3dc")->name, "conv3d");
    assert_null(workload_find("ata"));
    assert_null(workload_find(""));
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        assert_ptr_equal(workload_find(list[i]->name), list[i]);
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(list[i]->name, list[k]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny),       cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_other_seed), cmocka_unit_test(test_inputs_refused),
        cmocka_unit_test(test_variants),   cmocka_unit_test(test_failures_are_told),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
