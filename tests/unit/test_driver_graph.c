/* test_driver_graph.c - graphs, capture, pools and launches that fail, by the driver API. */
#include "driver_rig.h"

/* append: *at++ = value; bad: an instruction nobody knows. */
static const char program[] =
    DRIVER_HEAD ".visible .entry append(.param .u64 list, .param .u32 value)\n{\n"
                " .reg .u32 %r<4>;\n .reg .u64 %rd<5>;\n ld.param.u64 %rd1, [list];\n ld.param.u32 %r1, [value];\n"
                " atom.global.add.u32 %r2, [%rd1], 1;\n mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd3, %rd1, %rd2;\n"
                " st.global.u32 [%rd3+4], %r1;\n ret;\n}\n"
                ".visible .entry bad()\n{\n frobnicate;\n ret;\n}\n";

struct heard {
    unsigned failures;
    struct launch_failure last;
};

struct rig {
    struct driver_rig d;
    struct session_watch watch;
    struct heard heard;
    CUfunction append;
    CUdeviceptr list; /* a count and what was appended */
};

static void failed(void *arg, const struct launch_failure *f)
{
    struct heard *h = arg;
    h->failures++;
    h->last = *f;
}

static void rig_begin(struct rig *r)
{
    *r = (struct rig){.watch = {.arg = &r->heard, .failed = failed}};
    driver_begin(&r->d, program, 1 << 20, &r->watch);
    OK(cuModuleGetFunction(&r->append, r->d.module, "append"));
    OK(cuMemAlloc(&r->list, 64 * 4));
    OK(cuMemsetD32(r->list, 0, 64));
}

static void rig_end(struct rig *r) { driver_end(&r->d); }

/* What was appended since, as digits. */
static const char *digits(const struct rig *r)
{
    static char text[65];
    unsigned v[64];
    OK(cuMemcpyDtoH(v, r->list, sizeof v));
    for (unsigned i = 0; i < v[0]; i++) text[i] = (char)('0' + v[1 + i]);
    text[v[0]] = 0;
    OK(cuMemsetD32(r->list, 0, 64));
    return text;
}

static CUresult append(const struct rig *r, unsigned value, CUstream s)
{
    return cuLaunchKernel(r->append, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){(void *)&r->list, &value}, NULL);
}

static CUgraphNode node(const struct rig *r, CUgraph g, unsigned value, CUgraphNode after)
{
    CUgraphNode n;
    CUDA_KERNEL_NODE_PARAMS p = {.func = r->append,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = (void *[]){(void *)&r->list, &value}};
    OK(cuGraphAddKernelNode(&n, g, &after, after != NULL, &p));
    return n;
}

TEST(nodes_run_after_what_they_depend_on)
{
    struct rig r;
    CUgraph g;
    CUgraphExec x;
    rig_begin(&r);
    OK(cuGraphCreate(&g, 0));
    CUgraphNode last = node(&r, g, 9, NULL), a = node(&r, g, 1, NULL), b = node(&r, g, 2, a);
    OK(cuGraphAddDependencies(g, &b, &last, NULL, 1));
    node(&r, g, 3, NULL); /* depends on nothing: when its turn comes */
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, NULL));
    assert_string_equal(digits(&r), "1293");
    OK(cuGraphDestroy(g)); /* the instantiated one is its own */
    OK(cuGraphLaunch(x, NULL));
    assert_string_equal(digits(&r), "1293");
    OK(cuGraphExecDestroy(x));
    FAILS(INVALID_VALUE, cuGraphLaunch(x, NULL));
    FAILS(INVALID_VALUE, cuGraphDestroy(g));
    rig_end(&r);
}

TEST(captured_work_waits_for_the_graph)
{
    struct rig r;
    CUstream s, t;
    CUevent e, f;
    CUgraph g;
    CUgraphExec x;
    CUstreamCaptureStatus status;
    rig_begin(&r);
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamCreate(&t, 0));
    OK(cuEventCreate(&e, 0));
    OK(cuEventCreate(&f, 0));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(append(&r, 1, s));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(cuStreamIsCapturing(t, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(append(&r, 2, t));
    FAILS(CAPTURED_EVENT, cuEventSynchronize(e));
    OK(append(&r, 5, NULL)); /* another stream goes on */
    OK(cuEventRecord(f, t));
    OK(cuStreamWaitEvent(s, f, 0));
    OK(append(&r, 3, s));
    FAILS(STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(t, &g));
    OK(cuStreamEndCapture(s, &g));
    assert_string_equal(digits(&r), "5");
    OK(cuStreamIsCapturing(t, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    assert_string_equal(digits(&r), "123");
    rig_end(&r);
}

TEST(a_capture_that_goes_wrong_ends)
{
    struct rig r;
    CUstream s;
    CUgraph g;
    rig_begin(&r);
    FAILS(STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamCreate(&s, 0));
    FAILS(INVALID_VALUE, cuStreamEndCapture(s, &g));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    FAILS(INVALID_VALUE, cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    FAILS(STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s));
    FAILS(STREAM_CAPTURE_INVALIDATED, append(&r, 1, s));
    FAILS(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
    assert_null(g);
    OK(append(&r, 2, s)); /* the stream is an ordinary one again */
    assert_string_equal(digits(&r), "2");
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    rig_end(&r); /* an open capture is freed with its context */
}

TEST(a_graph_within_a_graph_and_its_updates)
{
    struct rig r;
    CUgraph inner, outer, other;
    CUgraphNode child, n, found;
    CUgraphExec x;
    CUgraphExecUpdateResultInfo info;
    rig_begin(&r);
    OK(cuGraphCreate(&inner, 0));
    OK(cuGraphCreate(&outer, 0));
    node(&r, inner, 1, NULL);
    OK(cuGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    n = node(&r, outer, 2, child);
    node(&r, inner, 7, NULL); /* the child is a copy: this one is not in it */
    OK(cuGraphInstantiate(&x, outer, 0));
    OK(cuGraphLaunch(x, NULL));
    assert_string_equal(digits(&r), "12");
    OK(cuGraphNodeSetEnabled(x, n, 0));
    OK(cuGraphLaunch(x, NULL));
    assert_string_equal(digits(&r), "1");
    OK(cuGraphClone(&other, outer));
    OK(cuGraphNodeFindInClone(&found, n, other));
    OK(cuGraphExecUpdate(x, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    node(&r, other, 3, NULL);
    FAILS(GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(x, other, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    rig_end(&r);
}

TEST(memory_of_a_graph_keeps_its_address)
{
    struct rig r;
    CUgraph g;
    CUgraphNode a, f;
    CUgraphExec x;
    CUDA_MEM_ALLOC_NODE_PARAMS p = {.bytesize = 256};
    rig_begin(&r);
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    assert_true(p.dptr != 0);
    OK(cuGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
    OK(cuGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++) {
        OK(cuGraphLaunch(x, NULL));
        OK(cuMemsetD8(p.dptr, 1, 256));
        OK(cuMemFree(p.dptr)); /* the graph's, still */
    }
    rig_end(&r);
}

TEST(a_pool_counts_what_was_taken)
{
    struct rig r;
    CUmemoryPool pool;
    CUdeviceptr a, b;
    uint64_t used, high;
    rig_begin(&r);
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemAllocAsync(&a, 1000, NULL));
    OK(cuMemAllocAsync(&b, 500, NULL));
    OK(cuMemFreeAsync(a, NULL));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    assert_int_equal(used, 500);
    assert_int_equal(high, 1500);
    FAILS(INVALID_VALUE, cuMemPoolDestroy(pool)); /* the device's own */
    rig_end(&r);
}

TEST(failed_launches_are_told)
{
    struct rig r;
    CUfunction bad;
    rig_begin(&r);
    OK(append(&r, 1, NULL));
    assert_int_equal(r.heard.failures, 0);
    OK(cuModuleGetFunction(&bad, r.d.module, "bad"));
    FAILS(INVALID_PTX, cuLaunchKernel(bad, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_int_equal(r.heard.failures, 1);
    assert_int_equal(r.heard.last.end, LAUNCH_REFUSED);
    assert_int_equal(r.heard.last.launch, 2);
    assert_string_equal(r.heard.last.kernel, "bad");
    assert_string_equal(r.heard.last.error, "CUDA_ERROR_INVALID_PTX");
    assert_non_null(strstr(r.heard.last.message, "unknown instruction 'frobnicate'"));
    OK(append(&r, 2, NULL)); /* nothing is lost */
    assert_string_equal(digits(&r), "12");
    CUdeviceptr nowhere = r.list + (1 << 16);
    unsigned one = 1;
    FAILS(ILLEGAL_ADDRESS, cuLaunchKernel(r.append, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&nowhere, &one}, NULL));
    assert_int_equal(r.heard.failures, 2);
    assert_int_equal(r.heard.last.end, LAUNCH_FAULTED);
    FAILS(ILLEGAL_ADDRESS, append(&r, 3, NULL)); /* the device is lost, and that is no new failure */
    assert_int_equal(r.heard.failures, 2);
    rig_end(&r);
}

TEST(every_attribute_has_a_value)
{
    struct rig r;
    int v, major, minor;
    rig_begin(&r);
    for (int a = 1; a <= 147; a++) OK(cuDeviceGetAttribute(&v, (CUdevice_attribute)a, 0));
    FAILS(INVALID_VALUE, cuDeviceGetAttribute(&v, (CUdevice_attribute)148, 0));
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 75);
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 0));
    assert_int_equal(v, 1);
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 0));
    assert_int_equal(v, 1);
    rig_end(&r);
}
