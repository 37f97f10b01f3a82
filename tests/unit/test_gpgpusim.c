/* test_gpgpusim.c - machines described for GPGPU-Sim: the same as our presets, every warning by name, and
 * files that are wrong. */
#include "param/gpgpusim.h"
#include "test.h"

struct heard {
    char text[8000];
};

static void hear(void *arg, const char *text)
{
    struct heard *h = arg;
    size_t n = strlen(h->text);
    snprintf(h->text + n, sizeof h->text - n, "%s\n", text);
}

static int load(const char *name, struct gpu_config *c, struct heard *h, struct wl_err *e)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/configs/%s", WL_ROOT, name);
    h->text[0] = 0;
    return config_load_warn(c, path, hear, h, e);
}

/* The files and the presets made of them are one machine. */
TEST(test_presets)
{
    static const char *const names[] = {"gtx480", "titan", "qv100", "rtx2060", "rtx3070"};
    static struct heard h;
    for (unsigned i = 0; i < COUNT(names); i++) {
        const char *made = i == 0 ? "gtx480-v42" : names[i]; /* with the rules of its release */
        struct gpu_config file, preset;
        struct wl_err e = {.code = WL_OK};
        char name[64];
        /* what Accel-Sim says of machine code stands in a file of its own */
        if (i == 0) snprintf(name, sizeof name, "%s.config", names[i]);
        else snprintf(name, sizeof name, "%s.config+%s.trace.config", names[i], names[i]);
        if (load(name, &file, &h, &e)) fail_msg("%s", e.text);
        if (config_load(&preset, made, &e)) fail_msg("%s", e.text);
        for (unsigned k = 0; k < P_COUNT; k++)
            if (file.v[k] != preset.v[k])
                fail_msg("%s: %s is %lld, the preset has %lld", name, gpu_params[k].name, (long long)file.v[k],
                         (long long)preset.v[k]);
        assert_int_equal(config_hash(&file), config_hash(&preset));
        assert_int_equal(config_check(&file, &e), 0);
        assert_non_null(strstr(h.text, "options that have no meaning here:"));
        assert_non_null(strstr(h.text, " -gpgpu_num_reg_banks"));
        assert_int_equal(strstr(h.text, " -gpgpu_pipeline_widths") != NULL, i != 0);
        assert_null(strstr(h.text, "not given"));
        assert_string_equal(file.preset, i == 0 ? made : "");
    }
}

TEST(test_values)
{
    static struct heard h;
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    assert_int_equal(load("qv100.config", &c, &h, &e), 0);
    assert_int_equal(c.v[P_SM_COUNT], 80);
    assert_int_equal(c.v[P_SHARED_UNIFIED], 128 * 1024);
    assert_string_equal(c.shared_options, "0,8,16,32,64,96");
    assert_int_equal(c.v[P_L1D_WAYS], 256);
    assert_int_equal(c.v[P_DRAM_RC], 40);
    assert_int_equal(c.v[P_DRAM_CL], 12); /* behind the line end inside the quotes */
    assert_int_equal(c.v[P_DRAM_RTPL], 3);
    assert_int_equal(c.v[P_L1D_WRITE_ALLOC], 1);
    assert_null(strstr(h.text, "write allocation"));
    assert_int_equal(load("titan.config", &c, &h, &e), 0);
    assert_non_null(strstr(h.text, "-gpgpu_max_insn_issue_per_warp: 2 cannot be followed"));
    assert_non_null(strstr(h.text, "allocation 's' of the L1D"));
    assert_non_null(strstr(h.text, "-network_mode: the network of -inter_config_file becomes a crossbar"));
}

TEST(test_trace_config)
{
    static struct heard h;
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    if (load("qv100.config+trace.config", &c, &h, &e)) fail_msg("%s", e.text); /* the second lies beside the first */
    static const struct {
        enum param_id id;
        int64_t value;
        /* clang-format off */
    } want[] = {{P_TRACE_LAT_INT, 4}, {P_TRACE_INIT_INT, 2}, {P_TRACE_LAT_SP, 5}, {P_TRACE_INIT_SP, 1},
                {P_TRACE_LAT_DP, 9}, {P_TRACE_INIT_DP, 3}, {P_TRACE_LAT_SFU, 20}, {P_TRACE_INIT_SFU, 8},
                {P_TRACE_LAT_TENSOR, 30}, {P_TRACE_INIT_TENSOR, 15}, {P_SM_TENSOR_PIPES, 2}, /* the unit's */
                {P_TRACE_LAT_BRANCH, 4}, {P_TRACE_INIT_BRANCH, 3}, {P_SM_BRANCH_PIPES, 4},
                {P_TRACE_LAT_UNIFORM, 0}, {P_SM_UNIFORM_PIPES, 0}, /* not enabled */
                {P_LAT_SFU, 100}, {P_LAT_INT_DIV, 145}, {P_SM_COUNT, 80}}; /* of PTX: as they were */
    /* clang-format on */
    for (unsigned i = 0; i < COUNT(want); i++) assert_int_equal(c.v[want[i].id], want[i].value);
    assert_non_null(strstr(h.text, "specialized unit 6, FROB: no instruction goes there here"));
    /* Two matrix units for four schedulers. */
    assert_non_null(strstr(h.text, "-gpgpu_sub_core_model 1: sm.tensor_pipes is less than the schedulers"));
    assert_int_equal(c.v[P_SM_SUBCORES], 0);
    assert_int_equal(load("qv100.config+nowhere.config", &c, &h, &e), WL_EINPUT);
    assert_int_equal(load("qv100.config+../../gpus/gtx480.ini", &c, &h, &e), WL_EINPUT);
}

static int parse(const char *text, struct gpu_config *c, struct heard *h, struct wl_err *e)
{
    h->text[0] = 0;
    config_defaults(c);
    assert_true(gpgpusim_text(text));
    return gpgpusim_parse(c, "x.config", text, false, (struct config_warn){hear, h}, e);
}

/* Fermi in release 4 has its rules, with the sizes of the file, wherever in it the GPU is named. */
TEST(test_rules)
{
    static struct heard h;
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    static const char fermi[] = "-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32\n"
                                "-gpgpu_cache:il1 N:8:128:2,L:R:f:N:L,S:3:16,5\n-gpgpu_pipeline_widths "
                                "2,0,0,1,2,2,0,0,1,1,3\n-gpgpu_operand_collector_num_units_sp 5 "
                                "-gpgpu_operand_collector_num_units_sfu 7 -gpgpu_compute_capability_major 2\n";
    if (parse(fermi, &c, &h, &e)) fail_msg("%s", e.text);
    static const struct {
        enum param_id id;
        int64_t value;
    } want[] = {{P_SM_FETCH, 1},      {P_IL1_PERFECT, 0},     {P_IL1_SETS, 8},          {P_IL1_WAYS, 2},
                {P_IL1_MSHR, 3},      {P_IL1_MERGE, 16},      {P_IL1_MISSQ, 5},         {P_SM_MEM_ISSUE, 2},
                {P_L1D_MSHR_FREE, 1}, {P_SM_RESULT_BUSES, 3}, {P_SM_ALU_COLLECTORS, 5}, {P_SM_SFU_COLLECTORS, 7}};
    for (unsigned i = 0; i < COUNT(want); i++) assert_int_equal(c.v[want[i].id], want[i].value);
    assert_string_equal(c.preset, "gtx480-v42");
    assert_null(strstr(h.text, "no meaning here"));
    assert_non_null(strstr(h.text, "not given, so the value of gtx480-v42 stands: -gpgpu_n_clusters"));
    /* No instruction cache; another GPU; another release: its cache strings have no type. */
    if (parse("-gpgpu_compute_capability_major 2 -gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4 -gpgpu_cache:il1 none",
              &c, &h, &e))
        fail_msg("%s", e.text);
    assert_int_equal(c.v[P_IL1_PERFECT], 1);
    static const char *const others[] = {
        "-gpgpu_compute_capability_major 3 -gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4 -gpgpu_pipeline_widths 2",
        "-gpgpu_compute_capability_major 2 -gpgpu_cache:dl2 64:128:8,L:B:m:L:L,A:256:4,4 -gpgpu_pipeline_widths 2"};
    for (unsigned i = 0; i < COUNT(others); i++) {
        if (parse(others[i], &c, &h, &e)) fail_msg("%s", e.text);
        assert_int_equal(c.v[P_SM_FETCH], 0);
        assert_string_equal(c.preset, "");
        assert_non_null(strstr(h.text, "no meaning here: -gpgpu_pipeline_widths"));
    }
}

TEST(test_details)
{
    static struct heard h;
    struct gpu_config c;
    struct wl_err e = {.code = WL_OK};
    static const char text[] =
        "# comment\n\n-gpgpu_n_clusters 5 -gpgpu_n_cores_per_cluster 0x2#glued\n-gpgpu_flush_l1_cache\n"
        "-gpgpu_n_mem 010\n-gpgpu_scheduler two_level_active:6:0:1 -gpgpu_num_sp_units 3\n"
        "-gpgpu_cache:dl1 32:128:4,F:E:m:N:X,A:32:8,8\n-gpgpu_memory_partition_indexing 6\n"
        "-gpgpu_frfcfs_dram_sched_queue_size 0\n-gpgpu_coalesce_arch 13\n-gpgpu_smem_latency 7\n"
        "-gpgpu_dram_timing_opt 8:2:8:12:21:13:34:9:4:5:13\n-nonsense 1 -visualizer_enabled 0";
    if (parse(text, &c, &h, &e)) fail_msg("%s", e.text);
    assert_int_equal(c.v[P_SM_COUNT], 10);
    assert_int_equal(c.v[P_SM_CLUSTER], 2);
    assert_int_equal(c.v[P_MEM_CHANNELS], 8); /* octal */
    assert_int_equal(c.v[P_L1D_FLUSH], 1);    /* a flag alone */
    assert_int_equal(c.v[P_L1D_SECTORED], 0); /* version 3: no type */
    assert_int_equal(c.v[P_L1D_INDEX], 1);
    assert_int_equal(c.v[P_L1D_WRITE], 0);
    assert_int_equal(c.v[P_MEM_QUEUE], 4096);
    assert_int_equal(c.v[P_SM_ALU_PIPES], 3);
    assert_int_equal(c.v[P_DRAM_BANKS], 8);
    assert_int_equal(c.v[P_DRAM_GROUPS], 1);
    assert_int_equal(c.v[P_DRAM_WR], 13);
    assert_int_equal(c.v[P_L1D_PIPE], 1); /* their default, not gtx480's */
    assert_int_equal(c.v[P_L2_SLICES], 1);
    static const char *const said[] = {
        "x.config:6: -gpgpu_scheduler: two_level_active:6:0:1 is taken as gto",
        "x.config:7: -gpgpu_cache:dl1: replacement F: LRU is used",
        "x.config:8: -gpgpu_memory_partition_indexing: 6 is not known here",
        "x.config:10: -gpgpu_coalesce_arch: 13: the rule of Fermi",
        "x.config: options that have no meaning here: -nonsense -visualizer_enabled",
        "x.config: not given, so the value of gtx480-ideal stands: -gpgpu_clock_domains -gpgpu_shader_core_pipeline",
    };
    for (unsigned i = 0; i < COUNT(said); i++)
        if (!strstr(h.text, said[i])) fail_msg("not said: %s\n%s", said[i], h.text);
}

TEST(test_refused)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"-gpgpu_n_mem many", "x.config:1: -gpgpu_n_mem: 'many' is not a whole number"},
        {"-gpgpu_n_mem -3", "'-3' is not a whole number"},
        {"-gpgpu_n_mem 99999999999999999999", "is not a whole number"},
        {"-gpgpu_n_mem 6\n\n7", "x.config:3: an option is due, not '7'"},
        {"-gpgpu_clock_domains 700:700:700", "must be 4 numbers"},
        {"-gpgpu_clock_domains 1e300:1:1:1", "must be 4 numbers"},
        {"-gpgpu_shader_core_pipeline 1024:16", "warps of 16 threads"},
        {"-gpgpu_cache:dl1 S:4:128", "is no cache"},
        {"-gpgpu_cache:dl1 :::,", "is no cache"},
        {"-gpgpu_cache:dl1 Q:4:128:64,L:T:m:L:L,A:512:8,16:0,32", "is no cache"},
        {"-gpgpu_cache:dl1 S:0:128:64,L:T:m:L:L,A:512:8,16:0,32", "is no cache"},
        {"-gpgpu_cache:dl1 S:4:64:64,L:T:m:L:L,A:512:8,16:0,32", "lines of 64 bytes"},
        {"-gpgpu_cache:dl2 none", "without an L2"},
        {"-gpgpu_cache:dl2 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32,5", "is no cache"},
        {"-gpgpu_dram_timing_opt nbk=16:CCD=2", "the DRAM timing RRD is missing"},
        {"-gpgpu_dram_timing_opt nbk=16:XYZ=2", "there is no DRAM timing 'XYZ'"},
        {"-gpgpu_dram_timing_opt 1:2:3", "3 DRAM timings"},
        {"-gpgpu_mem_addr_mapping dramid@8;0000", "64 address bits"},
        {"-ptx_opcode_latency_int 1,2,3", "must be 5 numbers"},
        {"-config nowhere.config", "x.config:1: -config: cannot read nowhere.config"},
        {"-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16 -gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128 "
         "-gpgpu_shmem_option 8,4",
         "ascending sizes"},
    };
    static struct heard h;
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct gpu_config c;
        struct wl_err e = {.code = WL_OK};
        int rc = parse(rows[i].text, &c, &h, &e);
        if (rc != WL_EINPUT || !strstr(e.text, rows[i].why))
            fail_msg("wanted '%s', got %d '%s'", rows[i].why, rc, e.text);
    }
    assert_false(gpgpusim_text("base = gtx480\n"));
    assert_false(gpgpusim_text("# -gpgpu_n_mem 6\n"));
    assert_false(gpgpusim_text(""));
}
