/* test_run.c - runs as a library: machines from words, what a program is known by, and wl_run. */

#include "test.h"

#include <unistd.h>

#include "base/embed.h"
#include "param/config.h"
#include "run/identity.h"
#include "run/run.h"
#include "warpline/warpline.h"

/* ---- machines ---- */

TEST(one_maker_reads_all_words_and_checks_the_machine)
{
    struct wl_err e = {.code = WL_OK};
    static struct gpu_config c;
    const char *set[] = {"l1d.ways=8", "sched=lrr"};
    struct machine_spec spec = {.gpu = "gtx480", .set = set, .sets = 2, .l1 = "dip", .l2 = "hac"};
    assert_int_equal(machine_make(&spec, &c, &e), 0);
    assert_int_equal(c.v[P_L1D_WAYS], 8);
    assert_string_equal(c.l1.policy->name, "dip");
    assert_string_equal(c.l2.policy->name, "hac");
    assert_string_equal(c.sched.policy->name, "lrr");
    spec.sched = "gto"; /* said last, wins */
    assert_int_equal(machine_make(&spec, &c, &e), 0);
    assert_string_equal(c.sched.policy->name, "gto");
}

TEST(a_machine_that_contradicts_itself_can_be_read_but_not_made)
{
    struct wl_err e = {.code = WL_OK};
    static struct gpu_config c;
    const char *set[] = {"dram.banks=8"}; /* the address map of the preset has more bank bits */
    struct machine_spec spec = {.set = set, .sets = 1};
    assert_int_equal(machine_read(&spec, &c, &e), 0);
    assert_int_equal(machine_make(&spec, &c, &e), WL_EINPUT);
    assert_non_null(strstr(e.text, "dram.banks"));
}

TEST(param_knows_only_the_policies_it_is_given)
{
    unsigned n = 7;
    struct wl_err e = {.code = WL_OK};
    static struct gpu_config c;
    config_use_catalogue(NULL);
    cache_policies(&n);
    assert_int_equal(n, 0);
    assert_int_equal(config_set_l1(&c, "lru", &e), WL_EINPUT);
    registry_open();
    assert_int_equal(config_set_l1(&c, "lru", &e), 0);
    assert_false(c.l1.foreign);
}

/* ---- what a workload is known by ---- */

static const char *asked_for;
static const char *note_file(const char *file) { return asked_for = file, NULL; }

static const struct embed_file *module_of(const struct workload *w, const int64_t *input)
{
    struct workload_run r = {.ptx = note_file};
    memcpy(r.in, input, sizeof r.in);
    asked_for = NULL;
    w->run(&r);
    return asked_for ? embed_find(asked_for) : NULL;
}

static void default_inputs(const struct workload *w, int64_t input[WORKLOAD_MAX_INPUTS])
{
    memset(input, 0, sizeof(int64_t) * WORKLOAD_MAX_INPUTS);
    for (unsigned i = 0; w->input[i].name; i++) input[i] = w->input[i].value[SIZE_TINY];
}

TEST(every_workload_is_known_by_the_code_it_loads)
{
    enum { MAX = 256 };
    unsigned count;
    const struct workload *const *all = workloads(&count);
    const struct embed_file *file[MAX];
    uint64_t hash[MAX];
    assert_true(count >= 96 && count < MAX);
    for (unsigned i = 0; i < count; i++) {
        int64_t input[WORKLOAD_MAX_INPUTS];
        default_inputs(all[i], input);
        struct module_set m = modules_of(all[i], input);
        assert_int_equal(m.count, 1);
        assert_non_null(file[i] = module_of(all[i], input));
        hash[i] = m.hash;
        for (unsigned k = 0; k < i; k++) assert_int_equal(hash[i] == hash[k], file[i] == file[k]);
    }
}

static uint64_t hash_with(const char *workload, const char *input, int64_t value)
{
    const struct workload *w = workload_find(workload);
    int64_t in[WORKLOAD_MAX_INPUTS];
    default_inputs(w, in);
    for (unsigned i = 0; w->input[i].name; i++)
        if (strcmp(w->input[i].name, input) == 0) in[i] = value;
    return modules_of(w, in).hash;
}

TEST(inputs_that_choose_other_code_make_another_program)
{
    assert_true(hash_with("atax", "pitch", 0) != hash_with("atax", "pitch", 64));
    assert_true(hash_with("atax", "n", 64) == hash_with("atax", "n", 128));
    struct module_set a = {1, 1}, b = {2, 1};
    assert_true(identity_hash("w", "n=1", 1, a) != identity_hash("w", "n=1", 1, b));
    assert_true(identity_hash("w", "n=1", 1, a) != identity_hash("w", "n=1", 2, a));
    assert_true(identity_hash("w", "n=1", 1, a) != identity_hash("w", "n=2", 1, a));
}

/* ---- wl_run ---- */

static struct wl_result *run_ok(const struct wl_run_spec *spec)
{
    struct wl_result *r = NULL;
    char why[1024] = "";
    int rc = wl_run(spec, &r, why, sizeof why);
    if (rc) print_message("%s\n", why);
    assert_int_equal(rc, 0);
    assert_non_null(r);
    return r;
}

static uint64_t counter(const struct wl_result *r, const char *name)
{
    uint64_t v = 0;
    assert_int_equal(wl_result_counter(r, name, &v), 0);
    return v;
}

TEST(launches_add_up_to_the_run)
{
    struct wl_run_spec spec = wl_spec("bfs");
    spec.size = "tiny";
    struct wl_result *r = run_ok(&spec);
    static const char *const names[] = {"cycles", "kernels", "warp_instructions", "l1d.load_misses", "dram.read_bytes"};
    size_t n = wl_result_kernels(r);
    assert_true(n > 2);
    for (unsigned i = 0; i < COUNT(names); i++) {
        uint64_t sum = 0, one;
        for (size_t k = 0; k < n; k++, sum += one) assert_int_equal(wl_result_kernel_counter(r, k, names[i], &one), 0);
        assert_int_equal(sum, counter(r, names[i]));
    }
    uint32_t grid[3], block[3];
    wl_result_kernel_shape(r, 0, grid, block);
    assert_true(grid[0] && block[0] && grid[2] == 1);
    assert_null(wl_result_kernel_name(r, n));
    wl_result_free(r);
}

TEST(every_counter_has_a_name_and_is_in_the_json)
{
    const char *settings[] = {"l1=dacache", "sched=mascar", "l1d.mshr=48", NULL};
    struct wl_run_spec spec = wl_spec("atax");
    spec.size = "tiny";
    spec.settings = settings;
    struct wl_result *r = run_ok(&spec);
    unsigned n = 0, policy = 0;
    for (const char *name; (name = wl_result_counter_name(r, n)); n++) {
        double number = -1;
        uint64_t value = counter(r, name);
        if (strcmp(name, "kernels") == 0) continue; /* a list there */
        assert_int_equal(wl_result_number(r, name, &number), 0);
        assert_true(number == (double)value);
        policy += strstr(name, "_counters.") != NULL;
    }
    assert_true(n > 150 && policy > 10);
    double energy = 0;
    assert_int_equal(wl_result_number(r, "energy.total", &energy), 0);
    assert_true(energy > 0);
    assert_int_equal(wl_result_number(r, "gpu", &energy), -1);
    uint64_t v;
    assert_int_equal(wl_result_counter(r, "l1_policy_counters.nonsense", &v), -1);
    assert_non_null(strstr(wl_result_json(r), "\"build\": \""));
    double mshrs = 0;
    assert_int_equal(wl_result_number(r, "config.l1d.mshr", &mshrs), 0);
    assert_true(mshrs == 48);
    wl_result_free(r);
}

TEST(a_kernel_file_and_a_trace_run_too)
{
    const char *arguments[] = {"buf:4K:iota-f32", "buf:4K:iota-f32", "f32:2", "u32:1024", NULL};
    struct wl_run_spec spec = wl_spec(WL_ROOT "/tests/cli/axpy.ptx");
    spec.kernel = "axpy";
    spec.grid = "4";
    spec.block = "256";
    spec.arguments = arguments;
    struct wl_result *r = run_ok(&spec);
    assert_string_equal(wl_result_kernel_name(r, 0), "axpy");
    uint64_t cycles = counter(r, "cycles");
    wl_result_free(r);
    char file[] = "/tmp/warpline-run-XXXXXX.wlt", why[256];
    close(mkstemps(file, 4));
    struct wl_err e = {.code = WL_OK};
    const struct run_spec record = {.program = spec.program,
                                    .kernel = "axpy",
                                    .grid = "4",
                                    .block = "256",
                                    .seed = 1,
                                    .arg = {arguments, 4},
                                    .record = file};
    struct run *recording = run_new(&record, &e);
    assert_non_null(recording);
    assert_int_equal(run_go(recording, &e), 0);
    assert_int_equal(run_recorded(recording)->launches, 1);
    run_free(recording);
    spec = wl_spec(file);
    r = run_ok(&spec);
    assert_int_equal(counter(r, "cycles"), cycles);
    wl_result_free(r);
    remove(file);
    assert_int_equal(wl_run(&spec, &r, why, sizeof why), WL_EINPUT);
}

TEST(wrong_words_are_a_sentence_and_no_result)
{
    struct wl_result *r = (struct wl_result *)(uintptr_t)1;
    char why[512] = "";
    struct wl_run_spec spec = wl_spec("atx");
    assert_int_equal(wl_run(&spec, &r, why, sizeof why), WL_EINPUT);
    assert_null(r);
    assert_non_null(strstr(why, "did you mean 'atax'"));
    spec = wl_spec(NULL);
    assert_int_equal(wl_run(&spec, &r, why, sizeof why), WL_EINPUT);
    spec = wl_spec("atax");
    spec.bytes = 8;
    assert_int_equal(wl_run(&spec, &r, why, sizeof why), WL_EINPUT);
    spec = wl_spec("atax");
    spec.engine = "quick";
    assert_int_equal(wl_run(&spec, &r, why, sizeof why), WL_EINPUT);
    assert_non_null(strstr(why, "fast or tick"));
}

TEST(a_host_program_brings_a_policy)
{
    unsigned n;
    char why[512] = "";
    static struct wl_cache_policy mine, old;
    mine = *cache_policies(&n)[0];
    mine.name = "host_lru";
    assert_int_equal(wl_register_cache_policy(&mine, why, sizeof why), 0);
    assert_int_equal(wl_register_cache_policy(&mine, why, sizeof why), -1);
    assert_non_null(strstr(why, "exists already"));
    old = mine;
    old.abi = WL_ABI - 1;
    old.name = "host_old";
    assert_int_equal(wl_register_cache_policy(&old, why, sizeof why), -1);
    struct gpu_config c;
    assert_int_equal(config_set_l1(&c, "host_lru", NULL), 0);
    assert_true(c.l1.foreign);
    const char *settings[] = {"l1=host_lru", NULL};
    struct wl_run_spec spec = wl_spec("atax");
    spec.size = "tiny";
    struct wl_result *built_in = run_ok(&spec);
    spec.settings = settings;
    struct wl_result *own = run_ok(&spec);
    assert_int_equal(counter(own, "cycles"), counter(built_in, "cycles"));
    wl_result_free(own);
    wl_result_free(built_in);
}
