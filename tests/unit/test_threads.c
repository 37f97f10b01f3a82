/* test_threads.c - the library as programs with threads use it. Under `make tsan` every access is watched. */
#include "test.h"

#include <pthread.h>

#include "run/machine.h"
#include "sim/session.h"
#include "warpline/cuda.h"
#include "warpline/warpline.h"

enum { THREADS = 4, ROUNDS = 3, LANES = 64 };

/* ---- wl_run: calls take turns ---- */

struct job {
    const char *l1;
    int rc;
    uint64_t cycles, misses;
    double ipc;
    char why[512];
};

static void *run_job(void *arg)
{
    struct job *j = arg;
    const char *settings[] = {j->l1, NULL};
    struct wl_run_spec spec = wl_spec("vectoradd");
    struct wl_result *r = NULL;
    spec.size = "tiny";
    spec.settings = settings;
    j->rc = wl_run(&spec, &r, j->why, sizeof j->why);
    if (j->rc) return NULL;
    if (wl_result_counter(r, "cycles", &j->cycles) || wl_result_counter(r, "l1d.misses", &j->misses) ||
        wl_result_number(r, "ipc", &j->ipc) || !wl_result_json(r))
        j->rc = -1;
    wl_result_free(r);
    return NULL;
}

TEST(runs_of_several_threads_are_those_of_one)
{
    static const char *const policies[THREADS] = {"l1=lru", "l1=dip", "l1=rrip", "l1=dacache"};
    struct job alone[THREADS], together[THREADS];
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (struct job){.l1 = policies[i]};
        run_job(&alone[i]);
        assert_int_equal(alone[i].rc, 0);
        assert_true(alone[i].cycles > 0);
    }
    for (unsigned i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, run_job, &together[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(together[i].rc, 0);
        assert_int_equal(together[i].cycles, alone[i].cycles);
        assert_int_equal(together[i].misses, alone[i].misses);
        assert_true(together[i].ipc == alone[i].ipc);
    }
}

/* ---- the driver API: all threads on one device ---- */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .b64 %d<4>; .reg .b32 %r<5>;\n"
                          "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
                          "mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
                          "ld.global.u32 %r3, [%d3]; add.u32 %r4, %r3, %r1; st.global.u32 [%d3], %r4;\nret;\n}\n";

struct user {
    CUcontext context;
    unsigned number;
    CUresult failed; /* the first call that did */
    unsigned wrong;  /* values */
};

#define CALL(x)                                                                                                        \
    do {                                                                                                               \
        if (!u->failed) u->failed = (x);                                                                               \
    } while (0)

/* A module, a stream, events and memory of its own; ROUNDS launches that each add the thread's number. */
static void *use_device(void *arg)
{
    struct user *u = arg;
    CUmodule module;
    CUfunction add;
    CUstream stream;
    CUevent done;
    CUdeviceptr memory = 0;
    uint32_t values[LANES];
    for (uint32_t i = 0; i < LANES; i++) values[i] = i;
    CALL(cuCtxSetCurrent(u->context));
    CALL(cuModuleLoadData(&module, ptx));
    CALL(cuModuleGetFunction(&add, module, "add"));
    CALL(cuStreamCreate(&stream, 0));
    CALL(cuEventCreate(&done, 0));
    CALL(cuMemAlloc(&memory, sizeof values));
    CALL(cuMemcpyHtoDAsync(memory, values, sizeof values, stream));
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *args[] = {&memory, &u->number};
        CALL(cuLaunchKernel(add, 1, 1, 1, LANES, 1, 1, 0, stream, args, NULL));
        CALL(cuEventRecord(done, stream));
    }
    CALL(cuEventSynchronize(done));
    CALL(cuMemcpyDtoH(values, memory, sizeof values));
    for (uint32_t i = 0; i < LANES; i++) u->wrong += values[i] != i + ROUNDS * u->number;
    CALL(cuMemFree(memory));
    CALL(cuEventDestroy(done));
    CALL(cuStreamDestroy(stream));
    CALL(cuModuleUnload(module));
    return NULL;
}

/* The device of all threads, as a program under `warpline exec` has one. */
static struct session *shared;
static struct session *the_shared_one(void) { return shared; }

TEST(threads_share_a_device)
{
    struct user user[THREADS] = {0};
    pthread_t thread[THREADS];
    CUdevice device;
    CUcontext context;
    struct wl_err e = {.code = WL_OK};
    const struct machine_spec spec = {.gpu = "gtx480"};
    struct session_options o = {.mode = SESSION_TIMING};
    assert_int_equal(machine_make(&spec, &o.config, &e), 0);
    shared = session_new(&o, &e);
    assert_non_null(shared);
    session_provider(the_shared_one);
    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuDeviceGet(&device, 0), 0);
    assert_int_equal(cuCtxCreate(&context, 0, device), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        user[i] = (struct user){.context = context, .number = i + 1};
        assert_int_equal(pthread_create(&thread[i], NULL, use_device, &user[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(user[i].failed, 0);
        assert_int_equal(user[i].wrong, 0);
    }
    assert_int_equal(session_launches(shared).all, THREADS * ROUNDS);
    session_provider(NULL);
    session_free(shared);
}
