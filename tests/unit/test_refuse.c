/* test_refuse.c - a body that cannot be executed costs the kernels that reach it, and nothing else. */
#include "ptx_run.h"

#define HEAD "\n.version 7.5\n.target sm_75\n.address_size 64\n"
#define GOOD ".visible .entry good(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nret;\n}\n"
#define BAD                                                                                                            \
    ".visible .entry bad()\n{\n.reg .b32 %r<3>;\n{ .reg .b32 %t; add.u32 %t, %r1, 1; }\nfrobnicate.u32 %r1, "          \
    "2;\nret;\n}\n"

static struct ptx_module *parse(const char *text, bool keep_going, struct wl_err *e)
{
    *e = (struct wl_err){.code = WL_OK};
    return ptx_parse_for("t.ptx", text, strlen(text), 0, (struct ptx_target){.keep_going = keep_going}, e);
}

static const char *refusal(const struct ptx_module *m, const char *kernel)
{
    const struct ptx_func *f = ptx_find_kernel(m, kernel);
    assert_non_null(f);
    return f->refused;
}

TEST(a_bad_body_costs_its_kernel)
{
    struct wl_err e;
    struct ptx_module *m = parse(HEAD BAD GOOD, true, &e);
    assert_non_null(m);
    assert_int_equal(e.code, WL_OK);
    assert_null(refusal(m, "good"));
    assert_non_null(strstr(refusal(m, "bad"), "t.ptx:9:1: error: unknown instruction 'frobnicate'"));
    assert_int_equal(ptx_find_kernel(m, "bad")->ninst, 1);
    ptx_free(m);
    assert_null(parse(HEAD BAD GOOD, false, &e)); /* who does not ask for it hears of it at once */
    assert_int_equal(e.code, WL_EINPUT);
}

TEST(a_bad_function_costs_its_callers)
{
    struct wl_err e;
    struct ptx_module *m =
        parse(HEAD ".func inner()\n{\nfrobnicate.u32 1;\nret;\n}\n.func outer()\n{\ncall.uni inner, ();\nret;\n}\n"
                   ".visible .entry far()\n{\ncall.uni outer, ();\nret;\n}\n" GOOD,
              true, &e);
    assert_non_null(m);
    assert_non_null(strstr(refusal(m, "far"), "t.ptx:7:1"));
    assert_null(refusal(m, "good"));
    ptx_free(m);
}

TEST(a_missing_function_costs_its_caller)
{
    struct wl_err e;
    struct ptx_module *m = parse(HEAD ".extern .func nowhere();\n.visible .entry lost()\n{\n.reg .b32 %r<2>;\n"
                                      "call.uni nowhere, ();\nmov.u32 %r1, 1;\nret;\n}\n" GOOD,
                                 true, &e);
    assert_non_null(m);
    assert_non_null(strstr(refusal(m, "lost"), "function 'nowhere' has no body"));
    assert_null(refusal(m, "good"));
    ptx_free(m);
}

TEST(a_refused_kernel_can_be_loaded)
{
    struct wl_err e;
    struct ptx_module *m = parse(HEAD BAD GOOD, true, &e);
    struct dev_mem *mem = dev_mem_new(1 << 20);
    struct ptx_image *image = ptx_load(m, mem, &e);
    assert_non_null(image);
    ptx_unload(image);
    dev_mem_free(mem);
    ptx_free(m);
}

TEST(what_is_wrong_outside_of_bodies_costs_the_module)
{
    struct wl_err e;
    assert_null(parse(HEAD GOOD "nonsense", true, &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_null(parse(HEAD GOOD ".visible .entry open()\n{\nfrobnicate;\n", true, &e)); /* no end to pass over */
    assert_null(parse(HEAD GOOD GOOD, true, &e)); /* two bodies: which one was meant? */
}

TEST(an_overread_needs_an_allocation_in_its_piece)
{
    enum { PIECE = 4096 };
    struct dev_mem *m = dev_mem_new(1 << 20);
    uint64_t a = dev_alloc(m, 100);
    assert_null(dev_outside(m, a + 100, 4, false)); /* bounds are exact */
    dev_set_granule(m, PIECE);
    assert_non_null(dev_outside(m, a + 100, 4, false));
    assert_non_null(dev_outside(m, a + PIECE - 4, 4, false));
    assert_null(dev_outside(m, a + PIECE, 4, false));
    const uint32_t *below =
        dev_outside(m, a - PIECE, 4, false); /* of the first allocation: what a driver keeps there */
    assert_non_null(below);
    assert_int_equal(*below, 0);
    assert_null(dev_outside(m, a - PIECE - 4, 4, false));
    assert_non_null(dev_outside(m, a + 100, 4, true));
    assert_null(dev_outside(m, a - PIECE, 4, true));
    assert_null(dev_outside(m, a + PIECE, 4, true));
    dev_release(m, a);
    assert_null(dev_outside(m, a + 100, 4, false));
    dev_mem_free(m);
}
