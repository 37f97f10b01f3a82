/* test_accel_loops.c - loops of graphs, beside the definition worked out by force; loops of traces. */
#include "accel_text.h"

/* ---- the definition, slowly ---- */

enum { MOST = 24 };

struct small {
    uint32_t nodes, edges;
    struct flow_edge edge[MOST * 4];
};

/* Nodes that can be reached from `from` without passing `without`, as a mask. */
static uint32_t reach(const struct small *g, uint32_t from, uint32_t without, bool backwards)
{
    uint32_t seen = from == without ? 0 : 1u << from, before;
    do {
        before = seen;
        for (uint32_t i = 0; i < g->edges; i++) {
            uint32_t a = backwards ? g->edge[i].to : g->edge[i].from, b = backwards ? g->edge[i].from : g->edge[i].to;
            if (seen >> a & 1 && b != without) seen |= 1u << b;
        }
    } while (seen != before);
    return seen;
}

/* The body of the loop with this head; 0: it heads none. */
static uint32_t body_of(const struct small *g, uint32_t head)
{
    uint32_t all = reach(g, 0, UINT32_MAX, false), body = 0;
    uint32_t dominated = head == 0 ? all : all & ~reach(g, 0, head, false);
    for (uint32_t i = 0; i < g->edges; i++)
        if (g->edge[i].to == head && all >> g->edge[i].from & 1 && dominated >> g->edge[i].from & 1)
            body |= 1u << head | (reach(g, g->edge[i].from, head, true) & all);
    return body;
}

static void check_graph(const struct small *g)
{
    uint16_t loop_of[MOST];
    struct code_loop *loop = NULL;
    uint32_t nloop = 0, heads = 0, body[MOST];
    assert_true(find_loops(g->nodes, g->edge, g->edges, loop_of, &loop, &nloop));
    for (uint32_t h = 0; h < g->nodes; h++)
        if ((body[heads] = body_of(g, h))) heads++;
    assert_int_equal(nloop, heads);
    for (uint32_t n = 0; n < g->nodes; n++) {
        uint32_t depth = 0, smallest = UINT32_MAX, mine = 0;
        for (uint32_t i = 0; i < heads; i++) {
            if (!(body[i] >> n & 1)) continue;
            depth++;
            if (bit_count32(body[i]) < smallest) smallest = bit_count32(body[i]);
        }
        assert_int_equal(loop_of[n] == CODE_NO_LOOP ? 0 : loop[loop_of[n]].depth, depth);
        for (uint32_t k = 0; k < g->nodes; k++) { /* those inside my innermost loop are its body */
            uint16_t l = loop_of[k];
            while (l != CODE_NO_LOOP && l != loop_of[n]) l = loop[l].parent;
            if (loop_of[n] != CODE_NO_LOOP && l == loop_of[n]) mine++;
        }
        if (depth) assert_int_equal(mine, smallest);
    }
    free(loop);
}

TEST(test_random_graphs)
{
    uint64_t seed = 7;
    for (unsigned round = 0; round < (SLOW_BUILD ? 2000 : 20000); round++) {
        struct small g = {.nodes = 2 + (uint32_t)draw(&seed, MOST - 2)};
        for (uint32_t n = 0; n + 1 < g.nodes; n++) /* a line, */
            if (draw(&seed, 8)) g.edge[g.edges++] = (struct flow_edge){n, n + 1};
        uint32_t jumps = (uint32_t)draw(&seed, g.nodes); /* and jumps, mostly short ones */
        for (uint32_t i = 0; i < jumps; i++)
            g.edge[g.edges++] = (struct flow_edge){(uint32_t)draw(&seed, g.nodes), (uint32_t)draw(&seed, g.nodes)};
        check_graph(&g);
    }
}

/* A chain of a million instructions with a thousand nested loops: the time must stay small. */
TEST(test_large)
{
    enum { N = 1000000, LOOPS = 1000 };
    struct flow_edge *e = malloc((N + LOOPS) * sizeof *e);
    uint16_t *loop_of = malloc(N * sizeof *loop_of);
    struct code_loop *loop = NULL;
    uint32_t edges = 0, nloop = 0;
    for (uint32_t n = 0; n + 1 < N; n++) e[edges++] = (struct flow_edge){n, n + 1};
    for (uint32_t l = 1; l <= LOOPS; l++) e[edges++] = (struct flow_edge){N - l, l};
    assert_true(find_loops(N, e, edges, loop_of, &loop, &nloop));
    assert_int_equal(nloop, LOOPS);
    assert_int_equal(loop[loop_of[N / 2]].depth, LOOPS);
    assert_int_equal(loop_of[0], CODE_NO_LOOP);
    free(e);
    free(loop_of);
    free(loop);
}

/* ---- traces ---- */

static void tell(const char *const *lines, struct story *s)
{
    struct wl_err e = {.code = WL_OK};
    char *text = one_warp(NULL, lines);
    if (story_of(text, s, &e)) fail_msg("%s", e.text);
    free(text);
}

#define ALU(pc, mask) pc " " mask " 1 R1 MOV 0 0 0"

TEST(test_nested)
{
    static const char *const lines[] = {ALU("0000", "ffffffff"), ALU("0010", "ffffffff"),
                                        ALU("0020", "ffffffff"), ALU("0020", "ffffffff"),
                                        ALU("0030", "ffffffff"), ALU("0010", "ffffffff"),
                                        ALU("0020", "ffffffff"), ALU("0030", "ffffffff"),
                                        ALU("0040", "ffffffff"), NULL};
    struct story s;
    tell(lines, &s);
    assert_int_equal(s.loops, 2);
    static const unsigned depth[] = {0, 1, 2, 2, 1, 1, 2, 1, 0};
    for (unsigned i = 0; i < COUNT(depth); i++)
        assert_int_equal(s.item[i].inst.loop == CODE_NO_LOOP ? 0 : s.loop[s.item[i].inst.loop].depth, depth[i]);
    free(s.item);
}

/* Half of the lanes run the whole loop and what follows, then the other half comes: the step from the end
 * back to the loop is nobody's, so what follows is not in the loop. */
TEST(test_divergent_halves)
{
    /* clang-format off */
    static const char *const lines[] = {ALU("0000", "ffffffff"), ALU("0010", "0000ffff"), ALU("0020", "0000ffff"),
                                        ALU("0010", "0000ffff"),
                                        ALU("0020", "0000ffff"), ALU("0030", "0000ffff"), ALU("0010", "ffff0000"),
                                        ALU("0020", "ffff0000"),
                                        ALU("0030", "ffff0000"), ALU("0040", "ffffffff"), NULL};
    /* clang-format on */
    struct story s;
    tell(lines, &s);
    assert_int_equal(s.loops, 1);
    for (uint32_t i = 0; i < s.count; i++)
        assert_int_equal(s.item[i].inst.loop,
                         s.item[i].inst.pc == 0x10 || s.item[i].inst.pc == 0x20 ? 0 : CODE_NO_LOOP);
    free(s.item);
}

/* A rare path lies behind the end of the kernel and jumps back: no loop. */
TEST(test_out_of_line)
{
    static const char *const lines[] = {ALU("0000", "ffffffff"), ALU("0010", "ffffffff"), ALU("0080", "0000000f"),
                                        ALU("0020", "ffffffff"), ALU("0030", "ffffffff"), NULL};
    struct story s;
    tell(lines, &s);
    assert_int_equal(s.loops, 0);
    free(s.item);
}

/* A function called in a loop, and once before it: in the loop it belongs to the loop. */
TEST(test_calls)
{
    static const char *const lines[] = {"0000 ffffffff 1 R1 MOV 0 0 0",         "0010 ffffffff 0 CALL.REL.NOINC 0 0 0",
                                        "0000 ffffffff 1 R9 MUFU.RCP 0 0 0",    "0010 ffffffff 0 RET.REL 1 R9 0 0",
                                        "0020 ffffffff 0 CALL.REL.NOINC 0 0 0", "0000 ffffffff 1 R9 MUFU.RCP 0 0 0",
                                        "0010 ffffffff 0 RET.REL 1 R9 0 0",     "0030 ffffffff 0 BRA 0 0 0",
                                        "0020 ffffffff 0 CALL.REL.NOINC 0 0 0", "0000 ffffffff 1 R9 MUFU.RCP 0 0 0",
                                        "0010 ffffffff 0 RET.REL 1 R9 0 0",     "0030 00000000 0 BRA 0 0 0",
                                        "0040 ffffffff 0 CALL.ABS 0 0 0", /* a function that was not traced */
                                        "0050 ffffffff 0 EXIT 0 0 0",           NULL};
    static const bool in_loop[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    struct story s;
    tell(lines, &s);
    assert_int_equal(s.loops, 1);
    for (unsigned i = 0; i < COUNT(in_loop); i++) assert_int_equal(s.item[i].inst.loop, in_loop[i] ? 0 : CODE_NO_LOOP);
    assert_int_equal(s.item[2].inst.pc, s.item[5].inst.pc); /* one function, one pc */
    assert_int_not_equal(s.item[2].inst.pc, s.item[0].inst.pc);
    free(s.item);
}
