/* test_ptx_link.c - linking PTX texts: what is kept, dropped, renamed and refused; the result is parsed. */
#include "test.h"

#include "cuda/ptx_link.h"
#include "ptx/ir.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"

static char *link_two(const char *a, const char *b, struct wl_err *e)
{
    const char *texts[] = {a, b};
    return ptx_link(texts, 2, e);
}

static unsigned times(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

/* Links and parses; the text comes back. */
static char *link_and_parse(const char *a, const char *b)
{
    struct wl_err e = {.text = ""};
    char *text = link_two(a, b, &e);
    if (!text) fail_msg("%s", e.text);
    struct ptx_module *m = ptx_parse("linked", text, strlen(text), 0, &e);
    if (!m) fail_msg("%s\n%s", e.text, text);
    ptx_free(m);
    return text;
}

TEST(one_text_stays)
{
    const char *text = HEAD "// a comment\n.global .u32 x;\n";
    char *out = ptx_link(&text, 1, NULL);
    assert_string_equal(out, text);
    free(out);
}

TEST(headers_once)
{
    char *text = link_and_parse(HEAD ".file 1 \"a.cu\"\n.visible .global .u32 x;\n",
                                HEAD ".file 1 \"b.cu\"\n.visible .global .u32 y;\n");
    assert_int_equal(times(text, ".version"), 1);
    assert_int_equal(times(text, ".target"), 1);
    assert_int_equal(times(text, ".address_size"), 1);
    assert_int_equal(times(text, "b.cu"), 0);
    free(text);
}

/* Declarations before and after the definition, of a function and of a variable. */
TEST(across_objects)
{
    const char *a = HEAD
        ".extern .func (.param .b32 r) f (.param .b32 p);\n.extern .global .align 4 .b8 t[8];\n"
        ".visible .entry k (.param .u64 o) { .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
        " mov.u64 %d1, t; ld.global.u32 %r1, [t+4];\n"
        " { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 q; call (q), f, (p0); ld.param.b32 %r2, [q+0]; }\n"
        " ret; }\n";
    const char *b = HEAD ".visible .global .align 4 .b8 t[8] = {1, 2};\n"
                         ".visible .func (.param .b32 r) f (.param .b32 p) { .reg .b32 %r<2>; ld.param.b32 %r1, [p]; "
                         "st.param.b32 [r+0], %r1; ret; }\n";
    free(link_and_parse(a, b));
    free(link_and_parse(b, a));
}

TEST(local_names_are_kept_apart)
{
    const char *object = ".global .align 1 .b8 $str[2] = {%d, 0};\n.visible .entry k%d () { .reg .b64 %%d<2>; mov.u64 "
                         "%%d1, $str; ret; }\n";
    char a[512], b[512];
    snprintf(a, sizeof a, "%s", HEAD);
    snprintf(a + strlen(a), sizeof a - strlen(a), object, 65, 1);
    snprintf(b, sizeof b, "%s", HEAD);
    snprintf(b + strlen(b), sizeof b - strlen(b), object, 66, 2);
    char *text = link_and_parse(a, b);
    assert_int_equal(times(text, "$str$o0"), 2);
    assert_int_equal(times(text, "$str$o1"), 2);
    free(text);
}

/* A longer name that begins alike, a register and a string are other words. */
TEST(only_whole_names_are_renamed)
{
    const char *a = HEAD ".global .u32 x;\n.global .u32 xy;\n.pragma \"x\";\n.visible .entry k () { .reg .b64 %x<2>; "
                         "mov.u64 %x1, x; mov.u64 %x1, xy; ret; }\n";
    char *text = link_and_parse(a, HEAD ".global .u32 x;\n");
    assert_int_equal(times(text, "x$o0"), 2);
    assert_int_equal(times(text, "xy$o"), 0);
    assert_non_null(strstr(text, "\"x\""));
    assert_non_null(strstr(text, "%x1, xy"));
    free(text);
}

TEST(a_local_name_yields_to_a_visible_one)
{
    char *text = link_and_parse(HEAD ".global .u32 x = 1;\n", HEAD ".visible .global .u32 x = 2;\n");
    assert_non_null(strstr(text, "x$o0 = 1"));
    assert_non_null(strstr(text, "x = 2"));
    free(text);
}

TEST(weak_definitions_once)
{
    const char *object = HEAD ".weak .func f () { // a body with } in a comment\n ret; }\n.weak .global .u32 w = 3;\n";
    char *text = link_and_parse(object, object);
    assert_int_equal(times(text, ".weak .func"), 1);
    assert_int_equal(times(text, "w = 3"), 1);
    free(text);
}

TEST(two_strong_definitions)
{
    struct wl_err e = {.text = ""};
    assert_null(link_two(HEAD ".visible .global .u32 x;\n", HEAD ".visible .global .u32 x;\n", &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "two objects define x"));
}

TEST(dynamic_shared_memory_is_one)
{
    const char *object = HEAD ".extern .shared .align 16 .b8 buf[];\n";
    char *text = link_and_parse(object, object);
    assert_int_equal(times(text, "buf[]"), 1);
    free(text);
}

/* Whether a text is refused, with a sentence, by the linker or by the parser that reads what it made of it. */
static bool refused(const char *broken)
{
    struct wl_err e = {.text = ""};
    char *text = link_two(HEAD ".global .u32 first;\n", broken, &e);
    struct ptx_module *m = text ? ptx_parse("linked", text, strlen(text), 0, &e) : NULL;
    bool parsed = m != NULL;
    ptx_free(m);
    free(text);
    assert_true(parsed == !*e.text);
    return !parsed;
}

TEST(broken_texts_are_refused_with_a_sentence)
{
    static const char *const broken[] = {
        ".visible", ".global .u32 x = {1, 2", ".func f () {", "\"never closed", "}", ".align", "(((((", ";;;;"};
    for (unsigned i = 0; i < COUNT(broken); i++)
        if (!refused(broken[i])) fail_msg("taken: %s", broken[i]);
    assert_false(refused(""));
}
