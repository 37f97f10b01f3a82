/* test_workloads.c - every built-in workload in functional mode: results, inputs, determinism. */
#include "test.h"

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

TEST(test_tiny)
{
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

TEST(test_deterministic)
{
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

TEST(test_other_seed)
{
    unsigned count;
    const struct workload *const *list = workloads(&count);
    for (unsigned i = 0; i < count; i++) {
        struct workload_run r = defaults(list[i], SIZE_TINY);
        r.seed = 0xfeedface;
        assert_int_equal(run_fresh(list[i], &r, NULL), 0);
    }
}

/* Every input just outside its range, one at a time. */
TEST(test_inputs_refused)
{
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
TEST(test_variants)
{
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
        {"syrk", {33, 17, 9, 20}},
        {"syrk", {64, 20, 0, 512}},
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
        {"mvt", {64, 8192, 32}},
        {"mvt", {33, 70, 65}},
        {"gesummv", {40, 4096, 33}},
        {"gesummv", {1}},
        {"syr2k", {256, 3}},
        {"syr2k", {33, 9, 17}},
        {"mm2", {20, 7, 2048}},
        {"mm2", {1}},
        {"mm3", {20, 512}},
        {"mm3", {33, 40}},
        {"covar", {33, 17, 5}},
        {"corr", {33, 17, 5}},
        {"fdtd2d", {3, 2048, 2}},
        {"fdtd2d", {2, 2, 1}},
        {"gramschm", {20, 70, 20}},
        {"gramschm", {1, 1}},
        {"backprop", {16}},
        {"backprop", {33}},
        {"kmeans", {1, 1, 1}},
        {"kmeans", {257, 200, 32}},
        {"kmeans_2", {70, 3, 2}},
        {"kmeans", {70, 3, 2, 99}},
        {"kmeans_2", {70, 3, 2, 99}},
        {"kmeans_direct", {70, 3, 2, 3}},
        {"srad", {16, 16, 1}},
        {"srad", {33, 70, 3}},
        {"srad_2", {48, 32, 2}},
        {"hotspot", {2, 1, 1}},
        {"hotspot", {40, 7, 9}},
        {"pathfinder", {1, 2, 1}},
        {"pathfinder", {600, 7, 100}},
        {"gaussian", {2, 0, 4}},
        {"gaussian", {33, 5, 16}},
        {"nw", {16, 1}},
        {"nw", {33, 3}},
        {"lud", {16}},
        {"lud", {33}},
        {"streamcluster", {1, 1, 1, 1}},
        {"streamcluster", {513, 7, 200, 3}},
        {"streamcluster", {513, 7, 200, 3, 600}},
        {"conv2d", {4096, 21}},
        {"conv3d", {64, 7}},
        {"apsp", {33, 4, 1, 7}},
        {"wordcount", {5000, 300, 70}},
        {"cfd", {1, 1}},
        {"cfd", {193, 3}},
        {"btree", {1, 3}},
        {"btree", {128, 5}},
        {"btree", {129, 5}},
        {"lavamd", {1, 1, 1}},
        {"lavamd", {2, 2, 2}},
        {"particlefilter", {1, 16, 2}},
        {"particlefilter", {513, 20, 3}},
        {"hybridsort", {1}},
        {"hybridsort", {12345}},
        {"spmv", {1, 1, 1}},
        {"spmv", {130, 40, 2}},
        {"stencil2d", {1, 1, 1}},
        {"stencil2d", {17, 257, 3}},
        {"invindex", {1, 16}},
        {"invindex", {5000, 100}},
        {"invindex", {5000, 300, 70}},
        {"wordcount", {1, 16}},
        {"wordcount", {5000, 17}},
        {"pageview", {1}},
        {"pageview", {257}},
        {"marsmm", {1, 0, 4}},
        {"marsmm", {17, 0, 40}},
        {"marsmm", {300, 700, 8, 12}},
        {"simscore", {2, 4}},
        {"simscore", {25, 36}},
        {"simscore", {40, 8, 77}},
        {"sgemm", {256, 16, 8}},
        {"spmv_jds", {1, 1}},
        {"spmv_jds", {2, 8}},
        {"spmv_jds", {31, 3}},
        {"stencil", {64, 4, 3, 1}},
        {"stencil", {128, 8, 4, 3}},
        {"lbm", {1, 1, 1}},
        {"lbm", {5, 2, 3}},
        {"histo", {1, 1}},
        {"histo", {33, 3}},
        {"mriq", {1, 1}},
        {"mriq", {40, 1030}},
        {"sssp", {1, 1, 0}},
        {"sssp", {700, 8, 1}},
        {"sssp_all", {2, 1, 2}},
        {"sssp_all", {700, 8, 1}},
        {"coloring", {1, 1, 0}},
        {"coloring", {300, 8, 1}},
        {"coloring_step", {300, 8, 2}},
        {"components", {1, 1, 0}},
        {"components", {900, 2, 0}},
        {"components_hook", {900, 2, 1}},
        {"degree", {1, 1, 0}},
        {"degree", {300, 64, 2}},
        {"triangles", {1, 1, 0}},
        {"triangles", {200, 32, 2}},
        {"apsp", {1, 1, 0}},
        {"apsp", {33, 4, 1}},
        {"betweenness", {1, 1, 0, 1}},
        {"betweenness", {300, 4, 1, 3}},
        {"laplace3d", {2, 1}},
        {"laplace3d", {33, 3}},
        {"atax", {64, 0, 0, 96, 40}},
        {"atax", {8, 33, 70, 0, 80}},
        {"atax", {300, 0, 0, 8192, 32}},
        {"bicg", {64, 0, 0, 96, 40}},
        {"bicg", {8, 70, 33, 0, 80}},
        {"bicg", {300, 0, 0, 8192, 32}},
        {"kmeans_texture", {1, 1, 1}},
        {"kmeans_texture", {257, 200, 32}},
        {"kmeans_texture", {70, 3, 2, 99}},
        {"leukocyte", {45, 45, 1, 1}},
        {"leukocyte", {77, 50, 3, 5}},
        {"mummer", {8, 1, 1, 1}},
        {"mummer", {8, 40, 8, 1}},
        {"mummer", {9000, 300, 63, 5}},
        {"mummer", {500, 300, 20, 5, 3000}},
        {"heartwall", {2, 30, 1, 1, 2}},
        {"heartwall", {4, 100, 3, 5, 9}},
        {"sad", {2, 1}},
        {"sad", {1, 3}},
        {"sad_2", {3, 2}},
        {"tpacf", {1, 1}},
        {"tpacf", {300, 2}},
        {"cutcp", {1, 1}},
        {"cutcp", {2, 9}},
        {"mrigridding", {1, 1}},
        {"mrigridding", {3000, 2}},
        {"mrigridding_1", {1, 1}},
        {"mrigridding_2", {2049, 3}},
        {"mrigridding_3", {700, 2}},
        {"libor", {1, 1}},
        {"libor", {65, 40}},
        {"ray", {1, 1}},
        {"ray", {33, 64}},
        {"neuralnet", {2}},
        {"weather", {1, 1, 1, 1}},
        {"weather", {33, 5, 32, 2}},
        {"dct8x8", {2, 1}},
        {"histogram_sdk", {1}},
        {"histogram_sdk", {12345}},
        {"barneshut", {2, 1, 50}},
        {"barneshut", {33, 3, 200}},
        {"barneshut", {300, 2, 30}},
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

/* Each input is within its range, but they do not fit together; the message begins with one of them. */
TEST(test_contradictions_refused)
{
    /* clang-format off */
    static const struct variant variants[] = {
        {"mvt", {64, 32}},           {"gesummv", {64, 32, 33}},   {"syr2k", {16, 17}},
        {"mm2", {16, 17}},           {"mm2", {16, 0, 15}},        {"mm3", {16, 15}},
        {"gramschm", {8, 16, 9}},    {"gaussian", {8, 8, 4}},     {"streamcluster", {5, 4, 6, 1}},
        {"streamcluster", {5, 4, 5, 1, 4}}, {"apsp", {5, 1, 1, 6}},
        {"kmeans_direct", {9, 8, 2, 7}}, {"marsmm", {4, 0, 6}},  {"simscore", {4, 6}},
        {"sgemm", {130, 16, 8}},     {"sgemm", {128, 17, 8}},     {"sgemm", {128, 16, 9}},
        {"stencil", {65, 4, 3, 1}},  {"stencil", {64, 5, 3, 1}},  {"atax", {64, 0, 0, 32, 0}},
        {"bicg", {8, 8, 8, 9, 10}},  {"mummer", {8, 1, 9, 1}},    {"mummer", {80, 1, 9, 10}},
        {"marsmm", {4, 17, 8}},      {"marsmm", {4, 0, 8, 4}},    {"marsmm", {4, 0, 8, 10}},
        {"simscore", {4, 8, 7}},     {"syrk", {16, 8, 17}},       {"syrk", {16, 8, 0, 7}},
        {"kmeans", {9, 8, 2, 7}},    {"kmeans_texture", {9, 8, 2, 7}}, {"mummer", {80, 1, 9, 1, 79}},
        {"heartwall", {2, 64, 1, 6, 6}}, {"heartwall", {2, 20, 1, 3, 6}},
    };
    /* clang-format on */
    for (unsigned i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        struct workload_run r = {.check = true, .ptx = built_in};
        memcpy(r.in, variants[i].in, sizeof r.in);
        struct session_options o = {.mode = SESSION_FUNCTIONAL};
        struct session *s = session_new(&o, NULL);
        session_make_current(s);
        assert_int_equal(workload_find(variants[i].name)->run(&r), 1);
        assert_non_null(strchr(r.message, '='));
        assert_int_equal(dev_used(session_memory(s)), 0);
        session_free(s);
    }
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

TEST(test_failures_are_told)
{
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

TEST(test_names)
{
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

TEST(test_groups)
{
    unsigned count;
    const struct workload_group *all = workload_groups(&count);
    assert_true(count >= 10);
    for (unsigned i = 0; i < count; i++) {
        unsigned words = 1, n = 0;
        for (const char *p = all[i].members; *p; p++) words += *p == ' ';
        while (workload_group_member(&all[i], n)) n++;
        assert_int_equal(n, words); /* every member exists, under its own name */
        assert_null(workload_group_member(&all[i], n + 5));
        assert_ptr_equal(workload_group_find(all[i].name), &all[i]);
    }
    /* clang-format off */
    static const struct { const char *name; unsigned members; } complete[] = {
        {"dacache.divergent", 12}, {"dacache.coherent", 8}, {"apcm.cs", 6}, {"apcm.cm", 4}, {"apcm.ci", 6},
        {"dycache.regular", 10}, {"dycache.irregular", 9}, {"mascar.memory", 15}, {"mascar.compute", 15},
        {"mascar.cs", 7}, {"hac", 10}, {"hac.pcs", 6}, {"hac.cs", 4},
    };
    /* clang-format on */
    for (unsigned i = 0; i < sizeof complete / sizeof complete[0]; i++) {
        const struct workload_group *paper = workload_group_find(complete[i].name);
        assert_non_null(paper);
        assert_non_null(workload_group_member(paper, complete[i].members - 1)); /* as many as the paper has */
        assert_null(workload_group_member(paper, complete[i].members));
    }
    const struct workload_group *g = workload_group_find("DACACHE.Divergent");
    assert_non_null(g);
    assert_string_equal(workload_group_member(g, 0)->name, "atax");
    assert_string_equal(workload_group_member(g, 8)->name, "bfs");
    assert_null(workload_group_find("dacache"));
    assert_null(workload_group_find(""));
}

/* The papers' own names, which differ from paper to paper. */
TEST(test_paper_names)
{
    /* clang-format off */
    static const char *const names[][2] = {
        {"dacache/KMN", "kmeans_direct"}, {"apcm/KMN", "kmeans_1"},     {"dycache/KC", "kmeans"},
        {"mascar/kmeans-2", "kmeans_2"},  {"mascar/PF", "pathfinder"},  {"dycache/PF", "particlefilter"},
        {"mascar/particle", "particlefilter_1"}, {"mascar/BP-2", "backprop_2"}, {"dycache/BP", "backprop"},
        {"mascar/histogram", "hybridsort"}, {"2MM", "mm2"}, {"b+tree", "btree"}, {"hac/BFS", "bfs"},
        {"dacache/SPMV", "spmv"}, {"apcm/SPMV", "spmv_jds"}, {"mascar/spmv", "spmv_jds"}, {"apcm/STN", "stencil2d"},
        {"mascar/stencil", "stencil"}, {"apcm/GC", "coloring"}, {"dycache/GC", "coloring_step"},
        {"apcm/SSP", "sssp_all"}, {"dycache/SSSP", "sssp"}, {"apcm/CCL", "components"},
        {"dycache/CC", "components_hook"}, {"mascar/histo-2", "histo_2"}, {"mri-q", "mriq"}, {"hac/LPS", "laplace3d"},
        {"dycache/HW", "heartwall"}, {"apcm/MRI", "mrigridding"}, {"mascar/mrig-1", "mrigridding_1"},
        {"mascar/mrig-2", "mrigridding_2"}, {"mascar/mrig-3", "mrigridding_3"}, {"mascar/leuko-1", "leukocyte_1"},
        {"mascar/leuko-2", "leukocyte_2"}, {"mascar/leuko-3", "leukocyte_3"}, {"mascar/mummer", "mummer"},
        {"mascar/sad-1", "sad_1"}, {"mascar/sad-2", "sad_2"}, {"mascar/cutcp", "cutcp"}, {"mascar/tpacf", "tpacf"},
        {"hac/LIB", "libor"}, {"hac/DCT", "dct8x8"}, {"hac/HG", "histogram_sdk"}, {"hac/RAY", "ray"},
        {"hac/NN", "neuralnet"}, {"hac/MUM", "mummer"}, {"hac/BH", "barneshut"}, {"hac/WP", "weather"},
    };
    /* clang-format on */
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(workload_find(names[i][0])->name, names[i][1]);
}

/* Every abbreviation in the papers' tables of benchmarks finds a program. */
TEST(test_all_paper_names)
{
    static const char *const papers[][2] = {
        {"dacache", "ATAX BICG MVT SYR SYR2 GES KMN SC BFS SPMV IIX PVC 2DC 3DC 2MM 3MM COV COR FD GS"},
        {"apcm", "BFS KMN IIX WC GC SSP SPMV MM SS CCL GE SRD MRI SGM STN APS"},
        {"dycache", "BP BT BFS CFD GE HW HP KC LUD NW PF SRAD SC BC CC DC GC SSSP TC"},
        {"mascar",
         "BP-1 BP-2 bfs cutcp histo-1 histo-2 histo-3 histogram kmeans-1 kmeans-2 lavaMD lbm leuko-1 leuko-2 "
         "leuko-3 mrig-1 mrig-2 mrig-3 mri-q mummer particle PF sgemm spmv sad-1 sad-2 srad-1 srad-2 stencil tpacf"},
        {"hac", "LIB DCT HG RAY BFS NN MUM LPS BH WP"},
    };
    for (unsigned i = 0; i < sizeof papers / sizeof papers[0]; i++)
        for (const char *p = papers[i][1]; *p; p += strspn(p, " ")) {
            char name[64];
            int n = (int)strcspn(p, " ");
            snprintf(name, sizeof name, "%s/%.*s", papers[i][0], n, p);
            if (!workload_find(name)) fail_msg("there is no %s", name);
            p += n;
        }
}
