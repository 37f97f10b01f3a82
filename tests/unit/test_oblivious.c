/* test_oblivious.c - which kernels' timing cannot depend on data, and that counting them without executing is exact. */
#include "ptx_run.h"

#include "base/embed.h"

/* ---- ways in which a loaded value can decide ---- */

#define REGISTERS                                                                                                      \
    ".reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .pred %p<8>;\n.reg .f32 %f<8>;\n.local .b32 frame[4];\n"              \
    ".shared .b32 table[64];\n"
/* %rd0: the buffer; %r0: the thread; %rd1: its word; %r1: what is there, loaded; %r9: 7. */
#define HEAD                                                                                                           \
    PTX_HEAD ".func helper() { ret; }\n"                                                                               \
             ".visible .entry k(.param .u64 buffer, .param .u32 n)\n{\n" REGISTERS                                     \
             "ld.param.u64 %rd0, [buffer];\nld.param.u32 %r2, [n];\nmov.u32 %r0, %tid.x;\nmov.u32 %r9, 7;\n"           \
             "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd1, %rd0, %rd2;\nld.global.u32 %r1, [%rd1];\n"
#define TAIL           "st.global.u32 [%rd1], %r1;\nret;\n}\n"
#define WORD_AT(index) "mul.wide.u32 %rd3, " index ", 4;\nadd.u64 %rd4, %rd0, %rd3;\n"
#define IF(reg)        "setp.gt.u32 %p0, " reg ", 3;\n@%p0 bra out;\nadd.u32 %r1, %r1, 1;\nout:\n"

static const struct leak {
    const char *name, *body;
    bool oblivious;
} leaks[] = {
    {"nothing", "add.u32 %r1, %r1, 1;\n", true},
    {"branch_on_parameter", IF("%r2"), true},
    {"branch_on_thread", IF("%r0"), true},
    {"stored_value", "st.global.u32 [%rd1], %r1;\n", true},
    {"loaded_arithmetic", "cvt.rn.f32.u32 %f0, %r1;\nsqrt.rn.f32 %f1, %f0;\ncvt.rzi.u32.f32 %r1, %f1;\n", true},
    {"loaded_select", "setp.gt.u32 %p0, %r1, 3;\nselp.b32 %r1, %r1, %r2, %p0;\n", true},
    {"barrier", "st.shared.u32 [table], %r1;\nbar.sync 0;\nld.shared.u32 %r1, [table+4];\n", true},
    {"shuffle_of_threads", "shfl.sync.bfly.b32 %r3, %r0, 1, 31, -1;\n" IF("%r3"), true},
    {"vote_of_threads", "setp.gt.u32 %p1, %r0, 3;\nvote.sync.ballot.b32 %r3, %p1, -1;\n" IF("%r3"), true},
    {"carry_of_parameters", "add.cc.u32 %r3, %r2, %r0;\naddc.u32 %r4, 0, 0;\n" IF("%r4"), true},

    {"branch", IF("%r1"), false},
    {"load_address", WORD_AT("%r1") "ld.global.u32 %r1, [%rd4];\n", false},
    {"store_address", WORD_AT("%r1") "st.global.u32 [%rd4], %r2;\n", false},
    {"prefetch_address", WORD_AT("%r1") "prefetch.global.L1 [%rd4];\n", false},
    {"guard_of_store", "setp.gt.u32 %p0, %r1, 3;\n@%p0 st.global.u32 [%rd1], %r2;\n", false},
    {"guard_of_add", "setp.gt.u32 %p0, %r1, 3;\n@%p0 add.u32 %r1, %r1, 1;\n", false},
    {"guard_of_exit", "setp.gt.u32 %p0, %r1, 3;\n@%p0 exit;\n", false},
    {"guard_of_barrier", "setp.gt.u32 %p0, %r1, 3;\n@%p0 bar.sync 0;\n", false},
    {"barrier_number", "and.b32 %r3, %r1, 7;\nbar.sync %r3, 32;\n", false},
    {"through_arithmetic", "mad.lo.u32 %r3, %r1, %r2, %r0;\nshr.u32 %r3, %r3, 2;\n" IF("%r3"), false},
    {"through_shuffle", "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n" IF("%r3"), false},
    {"through_shuffled_lane", "and.b32 %r4, %r1, 31;\nshfl.sync.idx.b32 %r3, %r0, %r4, 31, -1;\n" IF("%r3"), false},
    {"through_shuffled_predicate",
     "and.b32 %r4, %r1, 31;\nshfl.sync.down.b32 %r3|%p1, %r0, %r4, 31, -1;\n"
     "@%p1 add.u32 %r5, %r5, 1;\n",
     false},
    {"through_vote", "setp.gt.u32 %p1, %r1, 3;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 bra out;\nout:\n", false},
    {"through_ballot", "setp.gt.u32 %p1, %r1, 3;\nvote.sync.ballot.b32 %r3, %p1, -1;\n" IF("%r3"), false},
    {"through_match", "match.any.sync.b32 %r3, %r1, -1;\n" IF("%r3"), false},
    {"through_reduction", "redux.sync.add.u32 %r3, %r1, -1;\n" IF("%r3"), false},
    {"through_select", "setp.gt.u32 %p1, %r1, 3;\nselp.b32 %r3, %r0, %r2, %p1;\n" IF("%r3"), false},
    {"through_selected_value", "setp.gt.u32 %p1, %r2, 3;\nselp.b32 %r3, %r1, %r2, %p1;\n" IF("%r3"), false},
    {"through_predicate", "setp.gt.u32 %p1, %r1, 3;\nand.pred %p2, %p1, %p1;\n@%p2 bra out;\nout:\n", false},
    {"through_carry", "add.cc.u32 %r3, %r1, %r1;\naddc.u32 %r4, 0, 0;\n" IF("%r4"), false},
    {"through_shared", "st.shared.u32 [table], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [table];\n" IF("%r3"), false},
    {"through_local", "st.local.u32 [frame], %r0;\nld.local.u32 %r3, [frame];\n" IF("%r3"), false},
    {"through_generic", "cvta.shared.u64 %rd5, table;\nld.u32 %r3, [%rd5];\n" IF("%r3"), false},
    {"through_a_loop",
     "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nagain:\nadd.u32 %r5, %r3, %r4;\nadd.u32 %r4, %r4, %r1;\n"
     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n@%p1 bra again;\n",
     false},
    {"atomic_result", "atom.global.add.u32 %r3, [%rd1], 1;\n" IF("%r3"), false},
    {"volatile_load", "ld.volatile.global.u32 %r3, [%rd1];\n", false},
    {"relaxed_load", "ld.relaxed.gpu.global.u32 %r3, [%rd1];\n", false},
    {"barrier_result", "setp.gt.u32 %p1, %r1, 3;\nbar.red.popc.u32 %r3, 0, %p1;\n", false},
    {"clock", "mov.u32 %r3, %clock;\n" IF("%r3"), false},
    {"place_of_the_warp", "mov.u32 %r3, %smid;\n" IF("%r3"), false},
    {"indexed_branch",
     "and.b32 %r3, %r1, 1;\nways: .branchtargets one, two;\nbrx.idx %r3, ways;\none:\n"
     "add.u32 %r1, %r1, 1;\ntwo:\n",
     false},
    {"call_by_pointer", "mov.u64 %rd6, helper;\nof: .callprototype _ ();\ncall %rd6, (), of;\n", false},
    {"call", "call helper, ();\n", false},
};

static bool look(const char *text, const char *kernel)
{
    struct ptx_test t;
    ptx_test_load(&t, text);
    if (!t.img) print_error("%s\n", t.err.text);
    assert_non_null(t.img);
    bool is = ptx_is_oblivious(t.img, ptx_find_kernel(t.mod, kernel), NULL);
    ptx_test_free(&t);
    return is;
}

TEST(every_way_a_loaded_value_decides_is_seen)
{
    char text[4096];
    for (size_t i = 0; i < COUNT(leaks); i++) {
        snprintf(text, sizeof text, "%s%s%s", HEAD, leaks[i].body, TAIL);
        if (look(text, "k") != leaks[i].oblivious) fail_msg("%s", leaks[i].name);
    }
}

/* The kernels of the built-in programs that branch on data, or address by it: searches, sorts, histograms, sparse
 * matrices, graphs, trees, records of various lengths, particles in a grid, flags in a lattice. */
static const char depend_on_data[] =
    " histogram apsp betweenness_forward betweenness_backward coloring_max coloring_assign coloring_step"
    " components_label components_jump components_hook components_root degree_count sssp_relax sssp_update"
    " sssp_all triangles_sort triangles_count libor_greek weather bh_box bh_build bh_sum bh_sort bh_force"
    " bh_move invindex_count invindex_emit marsmm_map pageview_line_count pageview_line_emit"
    " pageview_page_count pageview_page_emit simscore_map wordcount_count wordcount_emit cutcp histo_main"
    " lbm mrig_bin mrig_sort mrig_rearrange mrig_reorder mrig_grid spmv_jds tpacf bfs_expand bfs_commit"
    " btree_find btree_range cfd_flux heartwall hybridsort_histogram lavamd leukocyte_imgvf mummer"
    " particlefilter_likelihood particlefilter_index streamcluster_cost histogram64 histogram256"
    " spmv_scalar spmv_vector spmv_ellpack follow_ca follow_cg follow_shared read_all ";

static bool is_listed(const char *kernel)
{
    char word[128];
    snprintf(word, sizeof word, " %s ", kernel);
    return strstr(depend_on_data, word);
}

TEST(of_the_built_in_kernels_these_depend_on_data)
{
    unsigned oblivious = 0;
    for (const struct embed_file *f = embed_files; f->name; f++) {
        struct ptx_test t;
        uint32_t line;
        size_t n = strlen(f->name);
        if (n < 4 || strcmp(f->name + n - 4, ".ptx") != 0) continue;
        ptx_test_load(&t, f->data);
        for (const struct ptx_func *k = t.mod->funcs; k; k = k->next) {
            if (!k->is_kernel) continue;
            bool is = ptx_is_oblivious(t.img, k, &line);
            if (is == is_listed(k->name)) fail_msg("%s: line %u: %s", f->name, line, k->name);
            assert_true(is == !line);
            oblivious += is;
        }
        ptx_test_free(&t);
    }
    assert_true(oblivious > 100);
}

/* ---- counting ---- */

/* Rows of a triangle; lanes leave one by one, and CTAs differ. */
static const char triangle[] =
    PTX_HEAD ".const .u32 limit[2] = {5, 9};\n"
             ".visible .entry k(.param .u64 out, .param .u32 n, .param .u32 skip)\n{\n"
             ".reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n.reg .pred %p<4>;\n"
             "ld.param.u64 %rd0, [out];\nld.param.u32 %r0, [n];\nld.param.u32 %r7, [skip];\nmov.u32 %r1, %tid.x;\n"
             "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n"
             "mul.wide.u32 %rd1, %r4, 4;\nadd.u64 %rd2, %rd0, %rd1;\nsetp.ge.u32 %p0, %r4, %r0;\n@%p0 bra done;\n"
             "mov.u32 %r5, %r4;\n"
             "row:\nld.global.u32 %r6, [%rd2];\nadd.u32 %r6, %r6, %r7;\n@%p1 add.u32 %r6, %r6, 1;\n"
             "st.global.u32 [%rd2], %r6;\nadd.u32 %r5, %r5, 3;\nsetp.gt.u32 %p1, %r5, 20;\nsetp.lt.u32 %p2, %r5, %r0;\n"
             "@%p2 bra row;\nbar.sync 0;\n"
             "done:\nret;\n}\n"
             /* every CTA does the same, as often as constant memory says */
             ".visible .entry even(.param .u64 out, .param .u32 n, .param .u32 skip)\n{\n"
             ".reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n.reg .pred %p<4>;\n"
             "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nld.const.u32 %r3, [limit+4];\nadd.u32 %r3, %r3, %r1;\n"
             "again:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, %r3;\n@%p0 bra again;\nret;\n}\n";

struct launch {
    uint64_t out;
    uint32_t n, skip;
};

/* Runs it with CTAs from..to passed; what was counted, and what of it was not executed. */
static struct exec_counts count(struct ptx_test *t, const char *kernel, struct launch p, uint32_t from, uint32_t to,
                                bool skim, struct exec_counts *skimmed)
{
    enum { CTAS = 7 };
    struct ptx_launch l = {.image = t->img,
                           .kernel = ptx_find_kernel(t->mod, kernel),
                           .grid = {CTAS, 1, 1},
                           .block = {48, 1, 1},
                           .params = &p};
    struct stream_source *s = ptx_open(&l, &t->err);
    struct cta_stream c;
    assert_non_null(s);
    assert_true(!skim || ptx_foresee(s, true));
    for (uint32_t i = 0; i < CTAS; i++) {
        if (i == from) s->pass(s, to);
        assert_int_equal(s->next(s, &c, &t->err), 1);
        assert_int_equal(c.cta, i);
        s->release(s, &c);
    }
    assert_int_equal(s->next(s, &c, &t->err), 0);
    struct exec_counts n = ptx_counts(s), passed = ptx_passed(s);
    *skimmed = ptx_skimmed(s);
    if (skim) assert_memory_equal(skimmed, &passed, sizeof passed);
    else assert_int_equal(skimmed->warp_instructions, 0);
    ptx_close(s);
    return n;
}

TEST(what_is_not_executed_is_counted_exactly)
{
    struct ptx_test t, u; /* of the second nothing is remembered */
    ptx_test_load(&t, triangle);
    for (unsigned round = 0; round < 24; round++) {
        const char *kernel = round % 4 == 3 ? "even" : "k";
        uint32_t from = round % 7, to = from + round % 5, n = 250 + 30 * (round % 3);
        struct exec_counts left, none;
        ptx_test_load(&u, triangle);
        struct launch p = {dev_alloc(u.mem, 4096), n, round};
        struct exec_counts all = count(&u, kernel, p, from, to, false, &none);
        p.out = round ? p.out : dev_alloc(t.mem, 4096);
        struct exec_counts got = count(&t, kernel, p, from, to, true, &left);
        assert_memory_equal(&all, &got, sizeof all);
        assert_int_equal(!left.warp_instructions, from >= to);
        ptx_test_free(&u);
    }
    ptx_test_free(&t);
}

TEST(what_is_not_executed_leaves_memory_alone)
{
    struct ptx_test t;
    struct exec_counts left;
    ptx_test_load(&t, triangle);
    struct launch p = {dev_alloc(t.mem, 4096), 300, 1};
    count(&t, "k", p, 2, 5, true, &left);
    const uint32_t *at = dev_ptr(t.mem, p.out, 4096);
    for (unsigned i = 0; i < 300; i++) assert_int_equal(at[i] != 0, i / 48 < 2 || i / 48 >= 5);
    ptx_test_free(&t);
}

/* ---- making streams on demand ---- */

static const char rounds[] = PTX_HEAD
    ".visible .entry k(.param .u32 n)\n{\n.reg .b32 %r<2>;\n.reg .pred %p;\nld.param.u32 %r0, [n];\nmov.u32 %r1, 0;\n"
    "again:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, %r0;\n@%p bra again;\nret;\n}\n";

/* Where many CTAs come later, and are long, the next one has to take the place of one that ends: written.c, which can
 * be left. Where any come later and are short, some end at any time, and nothing is moved on. */
TEST(streams_are_made_on_demand_where_all_ctas_fit_or_most_and_are_long)
{
    enum { CTAS = 7 };
    struct ptx_test t;
    ptx_test_load(&t, rounds);
    for (uint32_t n = 60; n <= 6000; n *= 100)
        for (uint64_t room = CTAS / 2; room <= CTAS; room += room > CTAS / 2 ? CTAS / 2 : 1) {
            struct ptx_launch l = {.image = t.img,
                                   .kernel = ptx_find_kernel(t.mod, "k"),
                                   .grid = {CTAS, 1, 1},
                                   .block = {48, 1, 1},
                                   .sliced = true,
                                   .params = &n};
            struct stream_source *s = ptx_open(&l, &t.err);
            assert_non_null(s);
            ptx_set_room(s, room);
            assert_true(ptx_foresee(s, true));
            bool is_long = n == 6000;
            assert_int_equal(s->on_demand(s), room >= CTAS || is_long);
            assert_int_equal(s->leave != NULL, CTAS / room >= 2 && is_long);
            ptx_close(s);
        }
    ptx_test_free(&t);
}
