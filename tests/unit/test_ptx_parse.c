/* test_ptx_parse.c - the PTX front end: what it accepts, resolves, derives and refuses.
 *
 * Programs are small and written here; a body is wrapped by ENTRY so that a test shows only
 * what it is about. Errors are checked with the line and column they point at. */
#include "test.h"

#include <dirent.h>

#include "ptx/ir.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>;\n"
/* The body's first line is line 6. */
#define ENTRY(body) HEAD ".entry k(.param .u64 a, .param .u32 n) {\n" REGS body "}\n"

static struct ptx_module *parse(const char *text)
{
    struct wl_err e;
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), 0, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static const struct ptx_func *kernel(const struct ptx_module *m)
{
    const struct ptx_func *f = ptx_find_kernel(m, "k");
    assert_non_null(f);
    return f;
}

/* The text must be refused at line:col with a message that contains `why`. */
static void refuse(const char *text, unsigned line, unsigned col, const char *why)
{
    struct wl_err e = {0};
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), 0, &e);
    if (m) {
        ptx_free(m);
        fail_msg("accepted, but should say: %s", why);
    }
    char place[64];
    snprintf(place, sizeof place, "t.ptx:%u:%u: error: ", line, col);
    if (strncmp(e.text, place, strlen(place)) != 0 || !strstr(e.text, why))
        fail_msg("expected %s...%s...\ngot %s", place, why, e.text);
    assert_int_equal(e.code, WL_EINPUT);
}

TEST(text_behind_a_nul_is_refused)
{
    static const char text[] = ENTRY("ret;") "\0\0 .entry q() { garbage";
    struct wl_err e = {0};
    assert_null(ptx_parse("t.ptx", text, sizeof text - 1, 0, &e));
    assert_int_equal(e.code, WL_EINPUT);
    assert_non_null(strstr(e.text, "t.ptx:7: error: a NUL byte"));
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text) + 2, 0, &e); /* filled up, as in a fat binary */
    assert_non_null(m);
    ptx_free(m);
}

static const struct ptx_inst *only(const char *text, struct ptx_module **m, unsigned index)
{
    *m = parse(text);
    assert_true(index < kernel(*m)->ninst);
    return &kernel(*m)->inst[index];
}

/* ---- operands and modifiers ---- */

TEST(test_literals)
{
    struct ptx_module *m = parse(ENTRY("mov.u32 %r1, -1; mov.u16 %h1, -2; mov.u64 %d1, 0x10; mov.b32 %r1, 0f3F800000;"
                                       "add.f64 %g1, %g2, 0f40000000; add.f32 %f1, %f2, 1.5; mov.u32 %r1, 017;"
                                       "mov.u32 %r1, 0b101; mov.u32 %r1, (1 << 4) - 6 / 3; mov.pred %p1, -1;"
                                       "add.f32 %f1, %f2, 2; mov.f64 %g1, 0dBFF0000000000000; mov.u32 %r1, 7U;"
                                       "add.f32 %f1, %f2, -1.5; ret;"));
    static const uint64_t want[] = {0xffffffff, 0xfffe, 0x10, 0x3f800000, 0x4000000000000000, 0x3fc00000, 15,
                                    5,          14,     1,    0x40000000, 0xbff0000000000000, 7,          0xbfc00000};
    const struct ptx_func *f = kernel(m);
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        const struct ptx_inst *in = &f->inst[i];
        const struct ptx_operand *o = &in->src[in->nsrc - 1];
        assert_int_equal(o->kind, OPND_IMM);
        assert_true(o->imm == want[i]);
    }
    ptx_free(m);
}

TEST(test_modifiers)
{
    struct ptx_module *m;
    const struct ptx_inst *in = only(ENTRY("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; ret;"), &m, 0);
    assert_int_equal(in->op, OP_SETP);
    assert_int_equal(in->cmp, CMP_LT);
    assert_int_equal(in->boolop, BOOL_AND);
    assert_int_equal(in->ndst, 2);
    assert_int_equal(in->nsrc, 3);
    assert_true(in->src[2].negated);
    ptx_free(m);
    in = only(ENTRY("fma.rm.ftz.sat.f32 %f1, %f2, %f3, %f4; ret;"), &m, 0);
    assert_int_equal(in->rnd, RND_RM);
    assert_int_equal(in->flags, FLAG_FTZ | FLAG_SAT);
    ptx_free(m);
    in = only(ENTRY("cvt.rzi.s32.f64 %r1, %g1; ret;"), &m, 0);
    assert_int_equal(in->type, T_S32);
    assert_int_equal(in->type2, T_F64);
    assert_int_equal(in->rnd, RND_RZI);
    ptx_free(m);
    in = only(ENTRY("ld.volatile.global.v2.u32 {%r1, _}, [%d1+-8]; ret;"), &m, 0);
    assert_int_equal(in->space, PTX_GLOBAL);
    assert_int_equal(in->vec, 2);
    assert_int_equal(in->flags, FLAG_VOLATILE);
    assert_int_equal(in->dst[0].kind, OPND_VEC);
    assert_int_equal(in->dst[0].vec[1].kind, OPND_SINK);
    assert_true((int64_t)in->src[0].imm == -8);
    ptx_free(m);
    in = only(ENTRY("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1; ret;"), &m, 0);
    assert_int_equal(in->mode, SHFL_BFLY);
    assert_int_equal(in->nsrc, 4);
    ptx_free(m);
    in = only(ENTRY("bar.red.and.pred %p1, 0, 64, !%p2; ret;"), &m, 0);
    assert_int_equal(in->mode, BAR_RED_AND);
    assert_int_equal(in->nsrc, 3);
    assert_true(in->src[2].negated);
    ptx_free(m);
}

TEST(test_guard_and_special_registers)
{
    struct ptx_module *m;
    const struct ptx_inst *in = only(ENTRY("@!%p1 mov.u32 %r1, %ctaid.z; ret;"), &m, 0);
    assert_true(in->guard >= 0 && in->guard_neg);
    assert_string_equal(kernel(m)->reg[in->guard].name, "%p1");
    assert_int_equal(in->src[0].kind, OPND_SREG);
    assert_int_equal(in->src[0].sreg, SREG_CTAID_Z);
    assert_int_equal(m->code.inst[in->code].guarded, 1);
    ptx_free(m);
}

TEST(test_registers_are_numbered_by_use)
{
    struct ptx_module *m = parse(HEAD ".entry k() { .reg .b32 %r<900000>, solo;\n"
                                      "mov.u32 %r899999, %r5; mov.u32 solo, %r5; ret; }");
    assert_int_equal(kernel(m)->nregs, 3);
    ptx_free(m);
}

TEST(test_scopes_shadow)
{
    struct ptx_module *m = parse(ENTRY("{ .reg .b64 %r<2>; mov.u64 %r1, 0; bra L; L: }\n"
                                       "{ bra L; L: mov.u32 %r1, 0; }\nret;"));
    const struct ptx_func *f = kernel(m);
    assert_int_equal(f->reg[f->inst[0].dst[0].reg].type, T_B64);
    assert_int_equal(f->reg[f->inst[3].dst[0].reg].type, T_B32);
    assert_int_equal(f->block[f->inst[1].target].first, 2);
    assert_int_equal(f->block[f->inst[2].target].first, 3);
    ptx_free(m);
}

/* ---- variables ---- */

TEST(test_variables)
{
    struct ptx_module *m = parse(HEAD ".global .u8 first = 3;\n"
                                      ".global .align 8 .u64 where[2] = {generic(first), first+4};\n"
                                      ".const .s32 grid[2][3] = {{1, -2}, {3, 4, 5}};\n"
                                      ".extern .shared .align 16 .b8 dyn[];\n.entry k() { ret; }");
    const struct ptx_var *v = m->vars, *where = v->next, *grid = where->next, *dyn = grid->next;
    assert_int_equal(v->init[0], 3);
    assert_int_equal(where->offset, 8);
    assert_int_equal(where->bytes, 16);
    const struct ptx_reloc *r = where->relocs; /* newest first */
    assert_ptr_equal(r->target, v);
    assert_int_equal(r->at, 8);
    assert_int_equal(r->addend, 4);
    assert_false(r->generic);
    assert_true(r->next->generic && r->next->at == 0);
    static const int32_t want[6] = {1, -2, 0, 3, 4, 5};
    assert_memory_equal(grid->init, want, sizeof want);
    assert_true(dyn->is_extern && dyn->bytes == 0 && dyn->align == 16);
    assert_int_equal(m->global_bytes, 24);
    assert_int_equal(m->const_bytes, 24);
    ptx_free(m);
}

TEST(test_address_in_bytes)
{
    struct ptx_module *m = parse(HEAD ".global .u32 x;\n.global .align 8 .b8 s[16] = {1,2,3,4,5,6,7,8,\n"
                                      "0xFF(x),0xFF00(x),0xFF0000(x),0xFF000000(x),0xFF00000000(x),\n"
                                      "0xFF0000000000(x),0xFF000000000000(x),0xFF00000000000000(x)};\n");
    const struct ptx_var *s = m->vars->next;
    assert_int_equal(s->init[7], 8);
    assert_non_null(s->relocs);
    assert_int_equal(s->relocs->at, 8);
    assert_null(s->relocs->next);
    ptx_free(m);
}

TEST(test_parameters)
{
    struct ptx_module *m = parse(HEAD ".entry k(.param .u8 c, .param .u64 .ptr .global .align 16 p,\n"
                                      ".param .align 4 .b8 s[12])\n"
                                      ".maxntid 32, 4, 1 { .reg .b64 %d<2>; ld.param.u64 %d1, [p]; ret; }");
    const struct ptx_func *f = kernel(m);
    assert_int_equal(f->nparams, 3);
    assert_int_equal(f->param[1]->offset, 8);
    assert_int_equal(f->param[2]->offset, 16);
    assert_int_equal(f->param_bytes, 28);
    assert_int_equal(f->max_threads, 128);
    assert_int_equal(f->inst[0].space, PTX_PARAM_KERNEL);
    ptx_free(m);
}

/* ---- calls ---- */

static const char calls[] = HEAD ".func (.param .b32 r) leaf(.param .b32 x);\n.shared .b8 big[64];\n"
                                 ".entry k() { .reg .b32 %r<4>; .shared .u32 own; mov.u32 %r3, own;\n"
                                 "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], %r1;\n"
                                 "call.uni (q0), leaf, (p0); ld.param.b32 %r2, [q0]; }\nret; }\n"
                                 ".entry other() { .reg .b32 %r<4>; .shared .b8 mine[128]; mov.u32 %r3, mine; ret; }\n"
                                 ".func (.param .b32 r) leaf(.param .b32 x) { .reg .b32 %r<9>;\n"
                                 "ld.param.b32 %r1, [x]; st.shared.u32 [big], %r1; st.param.b32 [r], %r1; ret; }\n";

TEST(test_calls)
{
    struct ptx_module *m = parse(calls);
    const struct ptx_func *k = kernel(m), *other = ptx_find_kernel(m, "other"), *leaf = m->funcs;
    assert_string_equal(leaf->name, "leaf");
    assert_false(leaf->is_extern);
    const struct ptx_inst *call = &k->inst[2];
    assert_int_equal(call->op, OP_CALL);
    assert_ptr_equal(call->call->func, leaf);
    assert_string_equal(call->call->args[0]->name, "p0");
    assert_string_equal(call->call->rets[0]->name, "q0");
    assert_int_equal(k->nblock, 2);
    assert_int_equal(k->frame_bytes, 8);
    assert_int_equal(leaf->frame_bytes, 8);
    assert_int_equal(k->shared_bytes, 68); /* own and leaf's big */
    assert_int_equal(other->shared_bytes, 128);
    assert_int_equal(leaf->code_reg_base, k->nregs); /* both frames are open at once */
    assert_int_equal(other->code_reg_base, 0);
    const struct code_inst *c = m->code.inst;
    assert_int_equal(c[k->inst[1].code].kind, INST_ALU); /* st.param of a call is a move */
    assert_int_equal(c[call->code].kind, INST_BRANCH);
    assert_int_equal(c[leaf->inst[leaf->ninst - 1].code].kind, INST_BRANCH);
    assert_int_equal(c[k->inst[k->ninst - 1].code].kind, INST_EXIT);
    ptx_free(m);
}

/* ---- control flow ---- */

/* Blocks of the kernel as "next,ipdom next,ipdom ..."; '-' for none. */
static void expect_flow(const char *body, const char *want)
{
    char text[4096], got[512] = "";
    snprintf(text, sizeof text, "%s%s}\n", HEAD ".entry k() {\n" REGS, body);
    struct ptx_module *m = parse(text);
    const struct ptx_func *f = kernel(m);
    for (uint32_t b = 0; b < f->nblock; b++) {
        size_t n = strlen(got);
        char next[16] = "-", ipdom[16] = "-";
        if (f->block[b].next != PTX_NO_BLOCK) snprintf(next, sizeof next, "%u", f->block[b].next);
        if (f->block[b].ipdom != PTX_NO_BLOCK) snprintf(ipdom, sizeof ipdom, "%u", f->block[b].ipdom);
        snprintf(got + n, sizeof got - n, "%s%s,%s", b ? " " : "", next, ipdom);
    }
    assert_string_equal(got, want);
    ptx_free(m);
}

TEST(test_post_dominators)
{
    /* if */
    expect_flow("@%p1 bra E; mov.u32 %r1, 0; E: ret;", "1,2 2,2 -,-");
    /* if, else */
    expect_flow("@%p1 bra T; mov.u32 %r1, 0; bra E; T: mov.u32 %r1, 1; E: ret;", "1,3 -,3 3,3 -,-");
    /* early ret: its lanes are gone, the rest need not wait */
    expect_flow("@%p1 ret; mov.u32 %r1, 0; ret;", "1,1 -,-");
    /* two ways out */
    expect_flow("@%p1 bra A; ret; A: ret;", "1,- -,- -,-");
    /* a path that only traps does not keep the others apart */
    expect_flow("@%p1 bra T; @%p2 bra E; bra E; T: trap; E: ret;", "1,1 2,4 -,4 -,- -,-");
    /* a loop with a break */
    expect_flow("H: @%p1 bra X; @%p2 bra X; bra H; X: ret;", "1,3 2,3 -,0 -,-");
    /* no way out at all */
    expect_flow("H: @%p1 bra H; bra H;", "1,- -,-");
    /* code nobody reaches, and a label at the end */
    expect_flow("bra E; mov.u32 %r1, 0; E:", "-,2 2,2 -,-");
}

TEST(test_switch)
{
    expect_flow("T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.u32 %r1, 0; bra E; B: mov.u32 %r1, 1; E: ret;",
                "-,3 -,3 3,3 -,-");
}

TEST(test_loops)
{
    struct ptx_module *m = parse(ENTRY("mov.u32 %r1, 0; O: mov.u32 %r2, 0; I: add.s32 %r2, %r2, 1; @%p1 bra I;"
                                       "J: add.s32 %r2, %r2, 1; @%p1 bra J; @%p2 bra O; ret;"));
    const struct code *c = &m->code;
    assert_int_equal(c->nloop, 3);
    assert_int_equal(c->block[0].loop, CODE_NO_LOOP);
    uint16_t outer = c->block[1].loop, first = c->block[2].loop, second = c->block[3].loop;
    assert_int_equal(c->loop[outer].depth, 1);
    assert_int_equal(c->loop[outer].parent, CODE_NO_LOOP);
    assert_int_equal(c->loop[first].parent, outer);
    assert_int_equal(c->loop[second].parent, outer);
    assert_int_equal(c->loop[second].depth, 2);
    assert_int_not_equal(first, second);
    assert_int_equal(c->block[4].loop, outer);
    assert_int_equal(c->block[5].loop, CODE_NO_LOOP);
    assert_true(code_in_loop(c, outer, first));
    ptx_free(m);
}

TEST(test_irreducible)
{
    struct ptx_module *m = parse(ENTRY("@%p1 bra B; A: @%p2 bra X; B: @%p3 bra A; X: ret;"));
    assert_int_equal(m->code.nloop, 0);
    ptx_free(m);
}

/* ---- liveness ---- */

static uint32_t regs_of(const char *text)
{
    struct ptx_module *m = parse(text);
    uint32_t n = kernel(m)->regs_per_thread;
    ptx_free(m);
    return n;
}

#define LOAD2 "ld.global.u32 %r1, [0]; ld.global.u32 %r2, [4];"
#define SUM   "add.s32 %r3, %r1, %r2; st.global.u32 [8], %r3;"

/* The least registers of a kernel, of which some are always there. */
static uint32_t least_of(const char *text)
{
    struct ptx_module *m = parse(text);
    uint32_t n = kernel(m)->least_regs;
    ptx_free(m);
    return n;
}

TEST(test_liveness)
{
    uint32_t base = least_of(ENTRY("ret;"));
    assert_int_equal(least_of(ENTRY(LOAD2 SUM "ret;")), base + 2);
    /* a 64-bit value is two registers, a predicate none */
    assert_int_equal(least_of(ENTRY("ld.global.u64 %d1, [0]; setp.eq.u64 %p1, %d1, 0; @%p1 bra E; E: ret;")), base + 2);
    /* across a loop: %r1 and %r2 stay live through it because the head reads them again; an odd number is made even */
    assert_int_equal(
        least_of(ENTRY(LOAD2 "L: ld.global.u32 %r4, [%r3]; add.s32 %r4, %r4, %r1; st.global.u32 [%r2], %r4;"
                             "@%p1 bra L; ret;")),
        base + 4);
    /* a guarded write keeps the old value alive */
    assert_int_equal(least_of(ENTRY(LOAD2 "@%p1 ld.global.u32 %r1, [8];" SUM "ret;")), base + 2);
    assert_int_equal(regs_of(HEAD
                             ".entry k() .maxnreg 3 { .reg .b64 d<9>; ld.global.u64 d1, [0]; ld.global.u64 d2, [8];"
                             "add.u64 d3, d1, d2; st.global.u64 [0], d3; ret; }"),
                     3);
    /* what the caller keeps across a call stands below the callee's registers */
    assert_int_equal(least_of(HEAD ".func f() { .reg .b32 r<4>; ld.global.u32 r1, [0]; ld.global.u32 r2, [4];\n"
                                   "add.u32 r3, r1, r2; st.global.u32 [0], r3; ret; }\n.entry k() { .reg .b32 r<4>;\n"
                                   "ld.global.u32 r1, [0]; ld.global.u32 r2, [4]; call f; add.u32 r3, r1, r2;\n"
                                   "st.global.u32 [0], r3; ret; }"),
                     base + 4);
}

/* Literals, parameters and sizes are operands; copies and widened indices share a register; offsets are free. */
TEST(test_folding)
{
    uint32_t base = least_of(ENTRY("ret;")), two = base + 2;
    assert_int_equal(
        least_of(ENTRY("mov.u32 %r4, 1; mov.u32 %r5, %ntid.x; ld.param.u32 %r6, [n]; mul.lo.s32 %r6, %r6, 3;" LOAD2
                       "add.s32 %r1, %r1, %r4; add.s32 %r1, %r1, %r5; add.s32 %r1, %r1, %r6;" SUM "ret;")),
        two + 2); /* %r6 is written twice and keeps its place; the others have none */
    assert_int_equal(
        least_of(ENTRY("ld.param.u32 %r6, [n]; mul.lo.s32 %r7, %r6, 3;" LOAD2 "add.s32 %r1, %r1, %r7;" SUM "ret;")),
        two);
    assert_int_equal(least_of(ENTRY(LOAD2 "mov.b32 %r4, %r1; mov.b32 %r5, %r2; add.s32 %r6, %r4, %r5;"
                                          "add.s32 %r6, %r6, %r1; st.global.u32 [8], %r6; ret;")),
                     two);
    /* base + 4 i, read at three distances: an address of two registers, the index of one */
    assert_int_equal(
        least_of(ENTRY("ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;"
                       "add.s64 %d4, %d3, 64; add.s64 %d5, %d3, 128; prefetch.global.L1 [%d3];"
                       "prefetch.global.L1 [%d3]; ld.global.u32 %r2, [%d4]; st.global.u32 [%d5], %r2; ret;")),
        two + 2);
}

/* A division brings registers of its own, and an assembler that need not save spends more. */
TEST(test_registers_of_an_assembler)
{
    struct ptx_module *m = parse(ENTRY("ld.global.f32 %f1, [0]; ld.global.f32 %f2, [4]; ld.global.f32 %f3, [8];"
                                       "add.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3; st.global.f32 [0], %f5; ret;"));
    const struct ptx_func *k = kernel(m);
    assert_true(k->most_regs > k->least_regs);
    assert_int_equal(ptx_registers(k, 32), k->most_regs);
    assert_int_equal(ptx_registers(k, k->least_regs), k->least_regs);
    struct ptx_func large = *k;
    large.least_regs = 36, large.most_regs = 60;
    assert_int_equal(ptx_registers(&large, 64), 60);
    assert_int_equal(ptx_registers(&large, 40), 40);
    assert_int_equal(ptx_registers(&large, 32), 32); /* a little too many: made again rather than kept */
    assert_int_equal(ptx_registers(&large, 20), 36);
    ptx_free(m);
    uint32_t add = least_of(
        ENTRY("ld.global.f32 %f1, [0]; ld.global.f32 %f2, [4]; add.f32 %f3, %f1, %f2; st.global.f32 [0], %f3; ret;"));
    assert_true(least_of(ENTRY("ld.global.f32 %f1, [0]; ld.global.f32 %f2, [4]; div.rn.f32 %f3, %f1, %f2;"
                               "st.global.f32 [0], %f3; ret;")) >= add + 6);
}

/* Recursion has no callees-first order; it must still be handled. */
TEST(test_recursion)
{
    struct ptx_module *m = parse(HEAD ".func b();\n.func a() { call b; ret; }\n.func b() { call a; call b; ret; }\n"
                                      ".entry k() { call a; ret; }");
    assert_int_equal(kernel(m)->nblock, 2);
    ptx_free(m);
}

/* ---- the code table ---- */

static void expect_class(const char *inst, int kind, int detail)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s ret; }", HEAD ".entry k(.param .u64 a) {\n" REGS, inst);
    struct ptx_module *m = parse(text);
    const struct code_inst *c = &m->code.inst[0];
    if (c->kind != kind || (kind == INST_ALU ? c->lat : c->space) != detail)
        fail_msg("%s: kind %d class %d space %d", inst, c->kind, c->lat, c->space);
    ptx_free(m);
}

TEST(test_classes)
{
    /* clang-format off */
    static const struct { const char *inst; int kind, detail; } want[] = {
        {"add.s32 %r1, %r2, 1;", INST_ALU, LAT_INT_ADD}, {"min.s32 %r1, %r2, 1;", INST_ALU, LAT_INT_MAX},
        {"mul.lo.s32 %r1, %r2, 3;", INST_ALU, LAT_INT_MUL}, {"mad.lo.s32 %r1, %r2, 3, 4;", INST_ALU, LAT_INT_MAD},
        {"rem.u32 %r1, %r2, 3;", INST_ALU, LAT_INT_DIV}, {"add.f32 %f1, %f2, %f3;", INST_ALU, LAT_FP_ADD},
        {"max.f32 %f1, %f2, %f3;", INST_ALU, LAT_FP_MAX}, {"mul.f32 %f1, %f2, %f3;", INST_ALU, LAT_FP_MUL},
        {"fma.rn.f32 %f1, %f2, %f3, %f4;", INST_ALU, LAT_FP_MAD}, {"div.rn.f32 %f1, %f2, %f3;", INST_ALU, LAT_FP_DIV},
        {"fma.rn.f64 %g1, %g2, %g3, %g4;", INST_ALU, LAT_DP_MAD}, {"sqrt.rn.f64 %g1, %g2;", INST_ALU, LAT_DP_DIV},
        {"sqrt.rn.f32 %f1, %f2;", INST_ALU, LAT_FP_DIV}, {"sqrt.approx.f32 %f1, %f2;", INST_ALU, LAT_SFU},
        {"ex2.approx.f32 %f1, %f2;", INST_ALU, LAT_SFU},
        {"cvt.rn.f32.f64 %f1, %g1;", INST_ALU, LAT_CVT}, {"cvt.rn.f32.s32 %f1, %r1;", INST_ALU, LAT_FP_MAX},
        {"cvt.f64.f32 %g1, %f1;", INST_ALU, LAT_CVT}, {"cvt.rn.f64.s32 %g1, %r1;", INST_ALU, LAT_CVT},
        {"cvt.rzi.s32.f32 %r1, %f1;", INST_ALU, LAT_CVT}, {"cvt.rni.f32.f32 %f1, %f2;", INST_ALU, LAT_CVT},
        {"cvt.sat.f32.f32 %f1, %f2;", INST_ALU, LAT_FP_ADD}, {"cvt.rn.f32.s64 %f1, %d1;", INST_ALU, LAT_CVT},
        {"xor.b32 %r1, %r2, %r3;", INST_ALU, LAT_INT_MAX}, {"selp.f64 %g1, %g2, %g3, %p1;", INST_ALU, LAT_INT_MAX},
        {"setp.lt.f32 %p1, %f1, %f2;", INST_ALU, LAT_FP_MAX}, {"setp.lt.f64 %p1, %g1, %g2;", INST_ALU, LAT_DP_ADD},
        {"neg.f64 %g1, %g2;", INST_ALU, LAT_INT_ADD}, {"popc.b32 %r1, %r2;", INST_ALU, LAT_BITS},
        {"shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", INST_ALU, LAT_SHFL},
        {"cvt.u64.u32 %d1, %r1;", INST_ALU, LAT_INT_ADD}, {"mov.f64 %g1, %g2;", INST_ALU, LAT_INT_ADD},
        {"ld.param.u64 %d1, [a];", INST_LOAD, SPACE_PARAM}, {"ld.global.u32 %r1, [%d1];", INST_LOAD, SPACE_GLOBAL},
        {"ld.u32 %r1, [%d1];", INST_LOAD, SPACE_GENERIC}, {"st.shared.u32 [%r1], %r2;", INST_STORE, SPACE_SHARED},
        {"ld.local.u8 %h1, [%d1];", INST_LOAD, SPACE_LOCAL}, {"ld.const.u32 %r1, [0];", INST_LOAD, SPACE_CONST},
        {"atom.global.add.u32 %r1, [%d1], 1;", INST_ATOMIC, SPACE_GLOBAL},
        {"red.shared.add.u32 [%r1], 1;", INST_ATOMIC, SPACE_SHARED},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5}];", INST_LOAD, SPACE_TEX},
        {"bar.sync 0;", INST_BARRIER, 0}, {"bar.warp.sync -1;", INST_NOP, 0}, {"bar.arrive 0, 32;", INST_NOP, 0},
        {"membar.gl;", INST_MEMBAR, 0}, {"prefetch.global.L1 [%d1];", INST_LOAD, SPACE_GLOBAL}, {"exit;", INST_EXIT, 0},
        {"bra E; E:", INST_BRANCH, 0},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) expect_class(want[i].inst, want[i].kind, want[i].detail);
}

TEST(test_code_entries)
{
    struct wl_err e;
    const char *text = ENTRY("@%p1 ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%d1]; @%p1 bra E; E: ret;");
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), 4096, &e);
    assert_non_null(m);
    const struct code_inst *c = m->code.inst;
    assert_int_equal(c[0].pc, 4096);
    assert_int_equal(c[2].pc, 4096 + 16);
    assert_int_equal(c[0].width, 16);
    assert_int_equal(c[0].cache_op, CACHE_NC);
    assert_int_equal(c[0].guarded, 1);
    assert_int_equal(c[0].ndst, 4);
    assert_int_equal(c[0].nsrc, 2); /* the address and the guard */
    assert_int_equal(c[1].guarded, 0);
    assert_int_equal(c[1].nsrc, 1);
    assert_int_equal(m->code.nregs, kernel(m)->nregs);
    ptx_free(m);
}

/* A product of matrices has more registers than an entry names; it must still wait for the sum it adds to. */
TEST(test_entry_of_a_long_product)
{
    struct wl_err e;
    const char *text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                       ".reg .b32 %a<8>, %b<8>; .reg .f32 %c<8>, %d<8>;\n"
                       "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7},\n"
                       "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7},\n"
                       "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\nret;\n}\n";
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), 0, &e);
    if (!m) fail_msg("%s", e.text);
    const struct code_inst *c = m->code.inst;
    const struct ptx_func *f = kernel(m);
    char first[4] = {0};
    assert_int_equal(c[0].ndst, 8);
    assert_int_equal(c[0].nsrc, 4);
    for (unsigned i = 0; i < 4; i++) first[i] = f->reg[c[0].reg[8 + i] - f->code_reg_base].name[1];
    assert_memory_equal(first, "aabc", 4);
    ptx_free(m);
}

/* ---- refusals ---- */

TEST(test_errors_of_instructions)
{
    refuse(ENTRY("ad.s32 %r1, %r2, 1;"), 6, 1, "did you mean 'add'");
    refuse(ENTRY("add.s32 %r1, %r2, %r99;"), 6, 19, "register '%r99' is not declared");
    refuse(ENTRY("add.s32 %r1, %r2;"), 6, 17, "expected ','");
    refuse(ENTRY("add.s32 %r1, %r2, 1, 2;"), 6, 20, "too many operands");
    refuse(ENTRY("add.s32 %p1, %r2, 1;"), 6, 9, "is a predicate");
    refuse(ENTRY("selp.b32 %r1, %r2, 1, %r3;"), 6, 23, "is not a predicate");
    refuse(ENTRY("add.s32 %r1, %d2, 1;"), 6, 14, "needs 32 bits");
    refuse(ENTRY("add.b32 %r1, %r2, 1;"), 6, 4, "does not work on '.b32'");
    refuse(ENTRY("add %r1, %r2, 1;"), 6, 1, "needs a type");
    refuse(ENTRY("add.ftz.wide.f32 %f1, %f2, %f3;"), 6, 8, "does not take '.wide'");
    refuse(ENTRY("add.frob.f32 %f1, %f2, %f3;"), 6, 4, "no modifier '.frob'");
    refuse(ENTRY("mul.s32 %r1, %r2, 3;"), 6, 1, "needs .lo, .hi or .wide");
    refuse(ENTRY("cvt.s32.f32 %r1, %f1;"), 6, 1, "needs .rni");
    refuse(ENTRY("setp.s32 %p1, %r1, 0;"), 6, 1, "needs a comparison");
    refuse(ENTRY("mov.u32 %r1, %tid;"), 6, 14, "%tid.x");
    refuse(ENTRY("ld.global.v4.f32 {%f1, %f2}, [%d1];"), 6, 18, "2 elements");
    refuse(ENTRY("ld.global.v4.f64 {%g1, %g2, %g3, %g4}, [%d1];"), 6, 1, "at most 16 bytes");
    refuse(ENTRY("st.param.u32 [n], %r1;"), 6, 1, "cannot be written");
    refuse(ENTRY("ld.shared.u32 %r1, [n];"), 6, 21, "the instruction names .shared");
    refuse(ENTRY("mov.b64 {%r1, %r2, %r3}, %d1;"), 6, 9, "cannot be split into 3");
    refuse(ENTRY("lop3.b32 %r1, %r2, %r3, %r4, %r5;"), 6, 30, "truth table");
    refuse(ENTRY("bar.sync 16;"), 6, 10, "numbered 0 to 15");
    refuse(ENTRY("@%r1 ret;"), 6, 2, "is not a predicate");
    refuse(ENTRY("mov.b16 %h1, 0f3F800000;"), 6, 14, "cannot be a .b16");
    refuse(ENTRY(".reg .b128 %q; mov.b64 %d1, %q;"), 6, 29, "this operand needs 64 bits");
    refuse(ENTRY(".reg .b128 %q; ld.global.u32 %q, [%d1];"), 6, 30, "this operand needs 32 bits");
    refuse(ENTRY(".reg .b128 %q; ld.global.b128 %q, [%q];"), 6, 36, "needs a register of 32 or 64 bits");
    refuse(ENTRY(".reg .b128 %q; ld.global.v2.b128 {%q, %q}, [%d1];"), 6, 16, "at most 16 bytes");
    refuse(ENTRY(".reg .b128 %q; mov.b128 %q, 1;"), 6, 16, "of 128 bits, or {a, b}");
    refuse(ENTRY(".reg .b128 %q; mov.b128 %q, {%r1, %r2, %r1, %r2};"), 6, 29, "cannot be split into 4");
    refuse(ENTRY(".reg .b128 %q; add.b128 %q, %q, %q;"), 6, 19, "does not work on");
}

TEST(test_errors_of_names)
{
    refuse(ENTRY("bra $L_don;\n$L_done: ret;"), 6, 5, "did you mean '$L_done'");
    refuse(ENTRY("L: L: ret;"), 6, 4, "already declared on line 6");
    refuse(ENTRY("brx.idx %r1, L; L: ret;"), 6, 14, "needs the name of a .branchtargets list");
    refuse(ENTRY("call.uni missing;"), 6, 10, "function 'missing' is not declared");
    refuse(ENTRY("call.uni k;"), 6, 10, "is a kernel");
    refuse(ENTRY("call (%r1), %d1, (%r2);"), 6, 7, "must be a .param variable");
    refuse(ENTRY("call %d1;"), 6, 9, "ends with a .callprototype");
    refuse(ENTRY("call %r1, P; P: .callprototype _ ();"), 6, 6, "needs a register of 64 bits");
    refuse(HEAD ".func f();\n.entry k() { call.uni f; ret; }", 5, 23, "has no body");
    refuse(HEAD ".extern .func calloc(.param .b64 p);\n.entry k() { .param .b64 p; call.uni calloc, (p); ret; }", 5, 38,
           "'calloc' has no body");
    refuse(HEAD ".func f(.param .b32 x) { ret; }\n.entry k() { .param .b64 y; call.uni f, (y); ret; }", 5, 38,
           "expects 4");
    refuse(HEAD ".extern .global .u32 x;\n.entry k() { .reg .u32 r; ld.global.u32 r, [x]; ret; }", 5, 45,
           "does not define it");
    refuse(HEAD ".entry k() { ret; }\n.entry k() { ret; }", 5, 12, "already has a body");
}

TEST(test_errors_of_text)
{
    refuse("hello", 1, 1, "expected a directive");
    refuse(".version x", 1, 10, "expected a version");
    refuse(".address_size 32", 1, 15, "only .address_size 64");
    refuse("/* never\nends", 2, 5, "comment does not end");
    refuse(".entry k() {", 1, 13, "the text ends");
    refuse(ENTRY("mov.u32 %r1, 99999999999999999999;"), 6, 14, "more than 64 bits");
    refuse(ENTRY("mov.u32 %r1, 1 / 0;"), 6, 16, "divides by zero");
    refuse(ENTRY("mov.f32 %f1, 0f12;"), 6, 14, "8 hexadecimal digits");
    refuse(ENTRY("mov.u32 %r1, #;"), 6, 14, "no use for");
}

TEST(test_errors_of_sizes)
{
    refuse(HEAD ".shared .b8 x[0xffffffffffff];", 4, 15, "0 to 4294967295");
    refuse(HEAD ".shared .b8 x[0xffffffff];", 4, 13, "does not fit");
    refuse(HEAD ".global .b64 x[0xffffffff][0xffffffff][9];", 4, 27, "larger than any memory");
    refuse(HEAD ".global .b8 x[0x7fffffff];", 4, 13, "does not fit");
    refuse(HEAD ".entry k() { .reg .b32 %r<4000000000>; ret; }", 4, 27, "number of registers");
    refuse(HEAD ".entry k() { .reg .b32 %a<900000>; .reg .b32 %b<900000>; ret; }", 4, 46, "at most 1000000");
    refuse(HEAD ".global .align 3 .u32 x;", 4, 16, "power of two");
    refuse(HEAD ".global .u32 x[2] = {1, 2, 3};", 4, 28, "more initial values");
    refuse(HEAD ".global .u64 z[0] = 0x4141414141414141;", 4, 21, "no element to give a value to");
    refuse(HEAD ".entry k(.param .b8 x[70000]) { ret; }", 4, 21, "does not fit");
}

TEST(test_deep_nesting_is_refused)
{
    enum { DEEP = 5000 };
    char *text = malloc(DEEP * 2 + 200);
    assert_non_null(text);
    struct wl_err e;
    int n = sprintf(text, HEAD ".entry k() {");
    memset(text + n, '{', DEEP);
    assert_null(ptx_parse("t.ptx", text, (size_t)n + DEEP, 0, &e));
    assert_non_null(strstr(e.text, "nested"));
    n = sprintf(text, HEAD ".global .u32 x = ");
    memset(text + n, '(', DEEP);
    assert_null(ptx_parse("t.ptx", text, (size_t)n + DEEP, 0, &e));
    assert_non_null(strstr(e.text, "nested"));
    free(text);
}

/* ---- the seeds of the fuzzer are also examples: all parse, and they use every opcode ---- */

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 16) : NULL;
    if (text) *len = fread(text, 1, (1 << 16) - 1, f);
    if (f) fclose(f);
    return text;
}

TEST(test_corpus)
{
    const char *dir = WL_ROOT "/tests/fuzz/corpus/ptx";
    bool used[OP_COUNT] = {0};
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        char path[1024];
        size_t len = 0;
        if (!strstr(entry->d_name, ".ptx")) continue;
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        char *text = read_file(path, &len);
        assert_non_null(text);
        struct wl_err e;
        struct ptx_module *m = ptx_parse(entry->d_name, text, len, 0, &e);
        if (!m) fail_msg("%s", e.text);
        for (const struct ptx_func *f = m->funcs; f; f = f->next)
            for (uint32_t i = 0; i < f->ninst; i++) used[f->inst[i].op] = true;
        ptx_free(m);
        free(text);
    }
    closedir(d);
    for (int op = 0; op < OP_COUNT; op++)
        if (!used[op]) fail_msg("no seed uses %s", ptx_op_name((enum ptx_op)op));
}
