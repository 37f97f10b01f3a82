/* test_streams.c - kernels of different streams run at the same time: how long they take together, what waits for what,
 * who comes first, and that every engine counts the same. */
#include "test.h"

#include "sim/session.h"
#include "warpline/cuda.h"

#define OK(call) assert_int_equal((call), CUDA_SUCCESS)

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
/* work: each thread loads its word, multiplies `rounds` times, stores. tile: the same with shared memory. bad: stores
 * outside of any allocation. */
#define LOOP                                                                                                           \
    " .reg .u32 %r<8>;\n .reg .u64 %rd<6>;\n .reg .f32 %f<4>;\n .reg .pred %p;\n"                                      \
    " ld.param.u64 %rd1, [out];\n ld.param.u32 %r1, [rounds];\n"                                                       \
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n mad.lo.u32 %r5, %r2, %r3, %r4;\n"        \
    " and.b32 %r5, %r5, 4095;\n mul.wide.u32 %rd2, %r5, 4;\n add.u64 %rd3, %rd1, %rd2;\n ld.global.f32 %f1, [%rd3];\n" \
    "again:\n fma.rn.f32 %f1, %f1, 0f3F800001, 0f3F000000;\n sub.u32 %r1, %r1, 1;\n setp.ne.u32 %p, %r1, 0;\n"         \
    " @%p bra again;\n"
static const char program[] =
    HEAD ".visible .entry work(.param .u64 out, .param .u32 rounds)\n{\n" LOOP " st.global.f32 [%rd3], %f1;\n ret;\n}\n"
         ".visible .entry tile(.param .u64 out, .param .u32 rounds)\n{\n .shared .align 4 .b8 tile[16384];\n" LOOP
         " mov.u32 %r6, tile;\n shl.b32 %r7, %r4, 2;\n add.u32 %r6, %r6, %r7;\n st.shared.f32 [%r6], %f1;\n"
         " bar.sync 0;\n ld.shared.f32 %f2, [%r6];\n st.global.f32 [%rd3], %f2;\n ret;\n}\n"
         ".visible .entry bad(.param .u64 out, .param .u32 rounds)\n{\n .reg .u64 %rd<2>;\n mov.u64 %rd1, 16;\n"
         " st.global.u64 [%rd1], %rd1;\n ret;\n}\n";

struct rig {
    struct session *session;
    CUmodule module;
    CUfunction work, tile, bad;
    CUdeviceptr out;
    CUstream s, t;
};

/* `settings` are words "key=value" with spaces between. */
static void rig_begin(struct rig *r, const char *gpu, const char *settings, struct gpu_options engine)
{
    CUcontext ctx;
    struct wl_err e = {.text = ""};
    static struct session_options o;
    char words[256], *save = NULL;
    o = (struct session_options){.mode = SESSION_TIMING, .gpu = engine, .memory_bytes = 1 << 24};
    assert_int_equal(config_load(&o.config, gpu, &e), 0);
    snprintf(words, sizeof words, "%s", settings);
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        if (config_set(&o.config, w, &e)) fail_msg("%s", e.text);
    if (!(r->session = session_new(&o, &e))) fail_msg("%s", e.text);
    session_make_current(r->session);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoadData(&r->module, program));
    OK(cuModuleGetFunction(&r->work, r->module, "work"));
    OK(cuModuleGetFunction(&r->tile, r->module, "tile"));
    OK(cuModuleGetFunction(&r->bad, r->module, "bad"));
    OK(cuMemAlloc(&r->out, 4096 * 4));
    OK(cuStreamCreate(&r->s, 0));
    OK(cuStreamCreate(&r->t, 0));
}

static void rig_end(struct rig *r) { session_free(r->session); }

static CUresult launch(struct rig *r, CUfunction f, unsigned blocks, unsigned rounds, CUstream stream)
{
    return cuLaunchKernel(f, blocks, 1, 1, 128, 1, 1, 0, stream, (void *[]){&r->out, &rounds}, NULL);
}

static const struct kernel_record *records(struct rig *r, unsigned want)
{
    unsigned n;
    OK(cuCtxSynchronize());
    const struct kernel_record *k = session_kernels(r->session, &n);
    assert_int_equal(n, want);
    return k;
}

static struct run_stats counters(const struct rig *r)
{
    struct run_stats s;
    gpu_read_stats(session_gpu(r->session), &s);
    return s;
}

/* Cycles of two kernels that fill half of the machine each, in two streams. */
static uint64_t two_halves(const char *gpu, const char *settings, uint64_t *one)
{
    struct rig r;
    rig_begin(&r, gpu, settings, (struct gpu_options){0});
    OK(launch(&r, r.work, 7, 500, NULL));
    OK(launch(&r, r.work, 7, 500, r.s));
    OK(launch(&r, r.work, 7, 500, r.t));
    *one = records(&r, 3)[0].cycles;
    uint64_t both = counters(&r).cycles - *one;
    rig_end(&r);
    return both;
}

TEST(two_kernels_of_half_a_gpu_take_the_time_of_one)
{
    uint64_t one, both = two_halves("gtx480", "", &one);
    assert_true(both < one + one / 5);
    both = two_halves("gtx480", "sm.count=4 sm.kernels=several", &one); /* on the same SMs: they compute in turn */
    assert_true(both < 2 * one);
    both = two_halves("gtx480", "sm.count=4 sm.kernels=one", &one); /* two SMs are left when the first has its CTAs */
    assert_true(both > one);
    both = two_halves("gtx480", "gpu.concurrent_kernels=1", &one);
    assert_true(both > 2 * one - one / 5);
}

/* Launches of one stream, or with one kernel at a time, count as those of the default stream do. */
TEST(what_cannot_overlap_counts_as_before)
{
    static const char *const gpus[] = {"gtx480", "gtx480-v322", "qv100"};
    for (unsigned g = 0; g < 3; g++) {
        struct run_stats s[3];
        for (unsigned i = 0; i < 3; i++) {
            struct rig r;
            rig_begin(&r, gpus[g], i == 2 ? "gpu.concurrent_kernels=1" : "", (struct gpu_options){0});
            OK(launch(&r, r.work, 20, 50, i ? r.s : NULL));
            OK(launch(&r, r.tile, 9, 30, i == 2 ? r.t : i ? r.s : NULL));
            OK(launch(&r, r.work, 3, 80, i ? r.s : NULL));
            const struct kernel_record *k = records(&r, 3);
            for (unsigned n = 0; n < 3; n++) assert_int_equal(k[n].overlap, 0);
            s[i] = counters(&r);
            rig_end(&r);
        }
        assert_memory_equal(&s[0], &s[1], sizeof s[0]);
        assert_memory_equal(&s[0], &s[2], sizeof s[0]);
    }
}

TEST(an_event_makes_a_stream_wait)
{
    struct rig r;
    CUevent e;
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    OK(cuEventCreate(&e, 0));
    OK(launch(&r, r.work, 4, 300, r.s));
    OK(cuEventRecord(e, r.s));
    OK(launch(&r, r.work, 4, 300, r.t)); /* before it waits */
    OK(cuStreamWaitEvent(r.t, e, 0));
    OK(launch(&r, r.work, 4, 10, r.t));
    const struct kernel_record *k = records(&r, 3);
    assert_true(k[0].begin == k[1].begin && k[0].overlap && k[0].overlap == k[1].overlap);
    assert_true(k[2].begin >= k[0].end && k[2].begin >= k[1].end);
    rig_end(&r);
}

TEST(the_default_stream_waits_for_all_but_those_that_are_free)
{
    struct rig r;
    CUstream other;
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(launch(&r, r.work, 3, 300, r.s));
    OK(launch(&r, r.work, 3, 900, other));
    OK(launch(&r, r.work, 3, 300, NULL));
    OK(launch(&r, r.work, 3, 10, r.t));
    const struct kernel_record *k = records(&r, 4);
    assert_int_equal(k[1].begin, k[0].begin);
    assert_true(k[2].begin >= k[0].end && k[2].begin < k[1].end); /* the default stream */
    assert_true(k[3].begin >= k[2].end);
    rig_end(&r);
}

/* What the host has waited for is over when the next launch is made, whatever its stream. */
TEST(the_host_waits_for_a_stream)
{
    struct rig r;
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    OK(launch(&r, r.work, 3, 300, r.s));
    OK(launch(&r, r.work, 3, 1500, r.t));
    OK(cuStreamSynchronize(r.s));
    OK(launch(&r, r.work, 3, 10, r.s));
    CUstream u;
    OK(cuStreamCreate(&u, 0));
    OK(launch(&r, r.work, 3, 10, u));
    const struct kernel_record *k = records(&r, 4);
    assert_true(k[2].begin >= k[0].end && k[3].begin >= k[0].end);
    assert_true(k[2].end < k[1].end && k[3].end < k[1].end); /* and the other stream runs on */
    rig_end(&r);
}

static uint64_t end_of_second(int priority)
{
    struct rig r;
    CUstream first;
    rig_begin(&r, "gtx480", "sm.count=2 sm.kernels=several", (struct gpu_options){0});
    OK(cuStreamCreateWithPriority(&first, 0, priority));
    OK(launch(&r, r.work, 100, 100, r.s)); /* many times what the machine holds */
    OK(launch(&r, r.work, 10, 100, first));
    const struct kernel_record *k = records(&r, 2);
    uint64_t end = k[1].end;
    assert_true(k[0].overlap == 1 && k[1].overlap == 1);
    rig_end(&r);
    return end;
}

TEST(ctas_of_a_higher_priority_come_first) { assert_true(end_of_second(-5) < end_of_second(0) / 2); }

TEST(a_fault_in_one_stream_leaves_the_others_their_results)
{
    struct rig r;
    unsigned n;
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    OK(launch(&r, r.work, 3, 30, r.s));
    assert_int_equal(launch(&r, r.bad, 1, 1, r.t), CUDA_ERROR_ILLEGAL_ADDRESS);
    const struct kernel_record *k = session_kernels(r.session, &n);
    assert_int_equal(n, 1);
    assert_true(k->end > 0);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    rig_end(&r);
}

/* A split of the L1D lasts as long as kernels run: one whose blocks need more shared memory waits. */
TEST(a_kernel_that_needs_another_split_waits)
{
    struct rig r;
    rig_begin(&r, "h200", "", (struct gpu_options){0});
    OK(launch(&r, r.work, 3, 100, r.s));
    OK(launch(&r, r.tile, 3, 100, r.t));
    const struct kernel_record *k = records(&r, 2);
    assert_true(k[1].begin >= k[0].end && !k[0].overlap);
    OK(launch(&r, r.tile, 3, 100, r.s));
    OK(launch(&r, r.work, 3, 100, r.t));
    k = records(&r, 4);
    assert_true(k[2].overlap && k[2].overlap == k[3].overlap);
    rig_end(&r);
}

TEST(events_measure_kernels_that_overlap)
{
    struct rig r;
    CUevent e[3];
    float ms[2];
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    for (unsigned i = 0; i < 3; i++) OK(cuEventCreate(&e[i], 0));
    OK(cuEventRecord(e[0], r.s));
    OK(launch(&r, r.work, 3, 200, r.s));
    OK(launch(&r, r.work, 3, 400, r.t));
    OK(cuEventRecord(e[1], r.s));
    OK(cuEventRecord(e[2], r.t));
    OK(cuEventElapsedTime(&ms[0], e[0], e[1]));
    OK(cuEventElapsedTime(&ms[1], e[0], e[2]));
    const struct kernel_record *k = records(&r, 2);
    for (unsigned i = 0; i < 2; i++) assert_true(ms[i] == (float)((double)k[i].end / 700000.0)); /* 700 MHz */
    assert_true(ms[0] < ms[1]);
    rig_end(&r);
}

/* Nodes of a graph that wait for no other run together, in the default stream too. */
TEST(branches_of_a_graph_overlap)
{
    struct rig r;
    CUgraph g;
    CUgraphExec x;
    CUgraphNode a, b, c;
    unsigned rounds = 200;
    rig_begin(&r, "gtx480", "", (struct gpu_options){0});
    void *params[] = {&r.out, &rounds};
    CUDA_KERNEL_NODE_PARAMS p = {.func = r.work,
                                 .gridDimX = 3,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 128,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddKernelNode(&a, g, NULL, 0, &p));
    OK(cuGraphAddKernelNode(&b, g, NULL, 0, &p));
    OK(cuGraphAddKernelNode(&c, g, (CUgraphNode[]){a, b}, 2, &p));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, NULL));
    const struct kernel_record *k = records(&r, 3);
    assert_int_equal(k[0].begin, k[1].begin);
    assert_true(k[2].begin >= k[0].end && k[2].begin >= k[1].end);
    rig_end(&r);
}

/* ---- engines ---- */

static struct run_stats many_streams(const char *gpu, const char *settings, struct gpu_options engine)
{
    struct rig r;
    CUstream s[5];
    rig_begin(&r, gpu, settings, engine);
    for (int i = 0; i < 5; i++) OK(cuStreamCreateWithPriority(&s[i], i == 3, i == 4 ? -2 : 0));
    for (unsigned i = 0; i < 14; i++)
        OK(launch(&r, i % 3 == 1 ? r.tile : r.work, 1 + i * 7 % 40, 10 + i * 13 % 60, s[i * i % 5]));
    const struct kernel_record *k = records(&r, 14);
    struct run_stats all = counters(&r);
    uint64_t warps = 0, threads = 0, end = 0;
    for (unsigned i = 0; i < 14; i++) {
        warps += k[i].warp_instructions;
        threads += k[i].thread_instructions;
        if (k[i].end > end) end = k[i].end;
        assert_int_equal(k[i].end - k[i].begin, k[i].cycles);
    }
    assert_int_equal(warps, all.sm.warp_instructions);
    assert_int_equal(threads, all.sm.thread_instructions);
    assert_int_equal(end, all.cycles);
    assert_int_equal(all.kernels, 14);
    rig_end(&r);
    return all;
}

TEST(every_engine_counts_the_same)
{
    static const struct {
        const char *gpu, *settings;
    } row[] = {{"gtx480", "sm.count=4"},
               {"gtx480", "sm.count=3 sm.kernels=several"},
               {"gtx480-v322", "sm.count=4 sm.kernels=several"},
               {"qv100", "sm.count=4 sm.kernels=several sm.kernel_delay=50"},
               {"h200", "sm.count=4 gpu.concurrent_kernels=3"}};
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i += stride(1, 2)) {
        struct run_stats fast = many_streams(row[i].gpu, row[i].settings, (struct gpu_options){0}),
                         tick = many_streams(row[i].gpu, row[i].settings, (struct gpu_options){.tick = true}),
                         mixed = many_streams(row[i].gpu, row[i].settings, (struct gpu_options){.shuffle = i + 1}),
                         split = many_streams(row[i].gpu, row[i].settings, (struct gpu_options){.threads = 2 + i % 3});
        assert_memory_equal(&fast, &tick, sizeof fast);
        assert_memory_equal(&fast, &mixed, sizeof fast);
        assert_memory_equal(&fast, &split, sizeof fast);
    }
}
