/* test_driver_nodes.c - nodes of graphs: each kind is made, asked, changed in the graph and in what was made of it, and
 * does what it was last told; user objects; and what is refused. */
#include "driver_rig.h"

#include <unistd.h>

#define NO_NODE  ((CUgraphNode)(void *)&nothing)
#define NO_EXEC  ((CUgraphExec)(void *)&nothing)
#define NO_GRAPH ((CUgraph)(void *)&nothing)
#define NO_EVENT ((CUevent)(void *)&nothing)
#define NO_USER  ((CUuserObject)(void *)&nothing)
static int nothing; /* no handle of anything */

static const char program[] = DRIVER_HEAD ".visible .entry put(.param .u64 at, .param .u32 value)\n{\n"
                                          " .reg .u32 %r<2>;\n .reg .u64 %rd<2>;\n ld.param.u64 %rd1, [at];\n"
                                          " ld.param.u32 %r1, [value];\n st.global.u32 [%rd1], %r1;\n ret;\n}\n";

struct rig {
    struct driver_rig d;
    CUfunction put;
    CUdeviceptr memory; /* 16 words */
    CUgraph graph;
};

static void rig_begin(struct rig *r)
{
    driver_begin(&r->d, program, 1 << 20, NULL);
    OK(cuModuleGetFunction(&r->put, r->d.module, "put"));
    OK(cuMemAlloc(&r->memory, 64));
    OK(cuMemsetD32(r->memory, 0, 16));
    OK(cuGraphCreate(&r->graph, 0));
}

static void rig_end(struct rig *r) { driver_end(&r->d); }
static unsigned word(const struct rig *r, unsigned i) { return driver_word(r->memory + i * 4); }

static CUgraphExec instance(const struct rig *r)
{
    CUgraphExec x;
    OK(cuGraphInstantiate(&x, r->graph, 0));
    return x;
}

static void launch(CUgraphExec x)
{
    OK(cuGraphLaunch(x, NULL));
    OK(cuCtxSynchronize());
}

static CUDA_KERNEL_NODE_PARAMS put_params(const struct rig *r, void **args)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = r->put,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 1,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = args};
}

TEST(kernel_nodes)
{
    struct rig r;
    CUgraphNode n, other;
    CUgraphNodeType type;
    rig_begin(&r);
    unsigned value = 5, second = 7, third = 9;
    void *args[] = {&r.memory, &value}, *args2[] = {&r.memory, &second}, *args3[] = {&r.memory, &third};
    CUDA_KERNEL_NODE_PARAMS p = put_params(&r, args), seen;
    OK(cuGraphAddKernelNode(&n, r.graph, NULL, 0, &p));
    OK(cuGraphKernelNodeGetParams(n, &seen));
    assert_ptr_equal(seen.func, r.put);
    assert_int_equal(seen.blockDimX, 1);
    BAD(cuGraphKernelNodeGetParams(n, NULL));
    BAD(cuGraphKernelNodeGetParams(NO_NODE, &seen));
    OK(cuGraphNodeGetType(n, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_KERNEL);
    BAD(cuGraphNodeGetType(NO_NODE, &type));
    CUgraphExec first = instance(&r);
    p.kernelParams = args2;
    OK(cuGraphKernelNodeSetParams(n, &p));
    BAD(cuGraphKernelNodeSetParams(n, NULL));
    BAD(cuGraphKernelNodeSetParams(NO_NODE, &p));
    CUgraphExec changed = instance(&r);
    launch(first);
    assert_int_equal(word(&r, 0), 5); /* an instance keeps what it was made of */
    launch(changed);
    assert_int_equal(word(&r, 0), 7);
    p.kernelParams = args3;
    OK(cuGraphExecKernelNodeSetParams(first, n, &p));
    BAD(cuGraphExecKernelNodeSetParams(NO_EXEC, n, &p));
    BAD(cuGraphExecKernelNodeSetParams(first, NO_NODE, &p));
    launch(first);
    assert_int_equal(word(&r, 0), 9);
    CUlaunchAttributeValue high = {.priority = 3}, got = {.priority = 0};
    OK(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &high));
    OK(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    assert_int_equal(got.priority, 3);
    OK(cuGraphAddKernelNode(&other, r.graph, &n, 1, &p));
    OK(cuGraphKernelNodeCopyAttributes(other, n));
    got.priority = 0;
    OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    assert_int_equal(got.priority, 3);
    BAD(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    BAD(cuGraphKernelNodeSetAttribute(n, (CUlaunchAttributeID)99, &high));
    BAD(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    BAD(cuGraphKernelNodeGetAttribute(n, (CUlaunchAttributeID)99, &got));
    BAD(cuGraphKernelNodeGetAttribute(NO_NODE, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    BAD(cuGraphKernelNodeCopyAttributes(NO_NODE, n));
    BAD(cuGraphKernelNodeCopyAttributes(n, NO_NODE));
    rig_end(&r);
}

TEST(copies_and_fills)
{
    struct rig r;
    CUgraphNode fill, copy;
    rig_begin(&r);
    CUDA_MEMSET_NODE_PARAMS set = {.dst = r.memory, .value = 3, .elementSize = 4, .width = 2, .height = 1}, set_seen;
    CUDA_MEMCPY3D move = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = r.memory,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = r.memory + 16,
                          .WidthInBytes = 8,
                          .Height = 1,
                          .Depth = 1},
                  move_seen;
    CUcontext ctx;
    OK(cuCtxGetCurrent(&ctx));
    OK(cuGraphAddMemsetNode(&fill, r.graph, NULL, 0, &set, ctx));
    OK(cuGraphAddMemcpyNode(&copy, r.graph, &fill, 1, &move, ctx));
    CUgraphExec x = instance(&r);
    launch(x);
    assert_int_equal(word(&r, 4), 3);
    OK(cuGraphMemsetNodeGetParams(fill, &set_seen));
    assert_int_equal(set_seen.value, 3);
    OK(cuGraphMemcpyNodeGetParams(copy, &move_seen));
    assert_int_equal(move_seen.WidthInBytes, 8);
    BAD(cuGraphMemsetNodeGetParams(copy, &set_seen)); /* of another kind */
    BAD(cuGraphMemcpyNodeGetParams(fill, &move_seen));
    BAD(cuGraphMemcpyNodeGetParams(copy, NULL));
    set.value = 4;
    move.dstDevice = r.memory + 32;
    OK(cuGraphExecMemsetNodeSetParams(x, fill, &set, ctx));
    OK(cuGraphExecMemcpyNodeSetParams(x, copy, &move, ctx));
    BAD(cuGraphExecMemsetNodeSetParams(x, copy, &set, ctx)); /* a node keeps its kind */
    BAD(cuGraphExecMemcpyNodeSetParams(x, fill, &move, ctx));
    launch(x);
    assert_int_equal(word(&r, 8), 4);
    assert_int_equal(word(&r, 4), 3);
    set.value = 6;
    OK(cuGraphMemsetNodeSetParams(fill, &set));
    OK(cuGraphMemcpyNodeSetParams(copy, &move));
    BAD(cuGraphMemsetNodeSetParams(fill, NULL));
    BAD(cuGraphMemcpyNodeSetParams(copy, NULL));
    launch(instance(&r));
    assert_int_equal(word(&r, 8), 6);
    unsigned on = 7;
    OK(cuGraphNodeGetEnabled(x, copy, &on));
    assert_int_equal(on, 1);
    OK(cuGraphNodeSetEnabled(x, copy, 0));
    OK(cuGraphNodeGetEnabled(x, copy, &on));
    assert_int_equal(on, 0);
    launch(x); /* fills with 4, copies nothing */
    assert_int_equal(word(&r, 0), 4);
    assert_int_equal(word(&r, 8), 6);
    BAD(cuGraphNodeGetEnabled(x, copy, NULL));
    BAD(cuGraphNodeSetEnabled(x, NO_NODE, 1));
    rig_end(&r);
}

static void count(void *arg) { ++*(unsigned *)arg; }

TEST(host_functions_events_and_child_graphs)
{
    struct rig r;
    CUgraphNode host, record, wait, child;
    CUevent event, later, seen;
    CUgraph inner, inner_seen;
    unsigned first = 0, second = 0;
    rig_begin(&r);
    OK(cuEventCreate(&event, 0));
    OK(cuEventCreate(&later, 0));
    OK(cuGraphCreate(&inner, 0));
    CUDA_HOST_NODE_PARAMS call = {count, &first}, other = {count, &second}, none = {NULL, NULL}, call_seen;
    CUgraphNode inside;
    OK(cuGraphAddHostNode(&inside, inner, NULL, 0, &call));
    OK(cuGraphAddHostNode(&host, r.graph, NULL, 0, &call));
    OK(cuGraphAddEventRecordNode(&record, r.graph, &host, 1, event));
    OK(cuGraphAddEventWaitNode(&wait, r.graph, &record, 1, event));
    OK(cuGraphAddChildGraphNode(&child, r.graph, &wait, 1, inner));
    BAD(cuGraphAddHostNode(&host, r.graph, NULL, 0, &none));
    BAD(cuGraphAddEventRecordNode(&record, r.graph, NULL, 0, NO_EVENT));
    BAD(cuGraphAddChildGraphNode(&child, r.graph, NULL, 0, NO_GRAPH));
    CUgraphExec x = instance(&r);
    launch(x);
    assert_int_equal(first, 2); /* once here, once in the child */
    OK(cuEventQuery(event));
    OK(cuGraphHostNodeGetParams(host, &call_seen));
    assert_ptr_equal(call_seen.userData, &first);
    OK(cuGraphEventRecordNodeGetEvent(record, &seen));
    assert_ptr_equal(seen, event);
    OK(cuGraphEventWaitNodeGetEvent(wait, &seen));
    assert_ptr_equal(seen, event);
    BAD(cuGraphEventWaitNodeGetEvent(record, &seen));
    OK(cuGraphChildGraphNodeGetGraph(child, &inner_seen));
    assert_non_null(inner_seen);
    OK(cuGraphExecHostNodeSetParams(x, host, &other));
    OK(cuGraphExecEventRecordNodeSetEvent(x, record, later));
    OK(cuGraphExecEventWaitNodeSetEvent(x, wait, later));
    OK(cuGraphExecChildGraphNodeSetParams(x, child, inner));
    BAD(cuGraphExecEventRecordNodeSetEvent(x, record, NO_EVENT));
    BAD(cuGraphExecChildGraphNodeSetParams(x, child, NO_GRAPH));
    BAD(cuGraphExecHostNodeSetParams(x, host, &none));
    launch(x);
    assert_int_equal(second, 1);
    assert_int_equal(first, 3);
    OK(cuGraphHostNodeSetParams(host, &other));
    OK(cuGraphEventRecordNodeSetEvent(record, later));
    OK(cuGraphEventWaitNodeSetEvent(wait, later));
    OK(cuGraphEventWaitNodeGetEvent(wait, &seen));
    assert_ptr_equal(seen, later);
    launch(instance(&r));
    assert_int_equal(second, 2);
    rig_end(&r);
}

TEST(any_kind_by_one_call)
{
    struct rig r;
    unsigned called = 0, value = 11;
    rig_begin(&r);
    void *args[] = {&r.memory, &value};
    CUevent event;
    CUgraph inner;
    CUgraphNode inside, n[6];
    OK(cuEventCreate(&event, 0));
    OK(cuGraphCreate(&inner, 0));
    CUDA_HOST_NODE_PARAMS call = {count, &called};
    OK(cuGraphAddHostNode(&inside, inner, NULL, 0, &call));
    CUgraphNodeParams p[6] = {
        {.type = CU_GRAPH_NODE_TYPE_KERNEL, .u.kernel = put_params(&r, args)},
        {.type = CU_GRAPH_NODE_TYPE_MEMSET,
         .u.memset.set = {.dst = r.memory + 4, .value = 2, .elementSize = 4, .width = 1, .height = 1}},
        {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
         .u.memcpy.copyParams = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                 .srcDevice = r.memory,
                                 .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                 .dstDevice = r.memory + 8,
                                 .WidthInBytes = 4,
                                 .Height = 1,
                                 .Depth = 1}},
        {.type = CU_GRAPH_NODE_TYPE_HOST, .u.host = {count, &called}},
        {.type = CU_GRAPH_NODE_TYPE_GRAPH, .u.graph = inner},
        {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .u.event = event}};
    for (unsigned i = 0; i < 6; i++) OK(cuGraphAddNode(&n[i], r.graph, i ? &n[i - 1] : NULL, NULL, i > 0, &p[i]));
    CUgraphExec x = instance(&r);
    launch(x);
    assert_int_equal(word(&r, 0), 11);
    assert_int_equal(word(&r, 1), 2);
    assert_int_equal(word(&r, 2), 11);
    assert_int_equal(called, 2);
    value = 12;
    p[1].u.memset.set.value = 5;
    for (unsigned i = 0; i < 6; i++) {
        OK(cuGraphNodeSetParams(n[i], &p[i]));
        OK(cuGraphExecNodeSetParams(x, n[i], &p[i]));
        BAD(cuGraphNodeSetParams(n[i], &p[(i + 1) % 6])); /* a node keeps its kind */
        BAD(cuGraphExecNodeSetParams(x, n[i], NULL));
    }
    launch(x);
    assert_int_equal(word(&r, 2), 12);
    assert_int_equal(word(&r, 1), 5);
    CUgraphNodeParams unknown = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    BAD(cuGraphNodeSetParams(n[0], &unknown));
    BAD(cuGraphNodeSetParams(NO_NODE, &p[0]));
    BAD(cuGraphExecNodeSetParams(NO_EXEC, n[0], &p[0]));
    rig_end(&r);
}

TEST(the_shape_of_a_graph)
{
    struct rig r;
    CUgraphNode a, b, c, list[4], to[4];
    size_t n = 4;
    rig_begin(&r);
    OK(cuGraphAddEmptyNode(&a, r.graph, NULL, 0));
    OK(cuGraphAddEmptyNode(&b, r.graph, &a, 1));
    OK(cuGraphAddEmptyNode(&c, r.graph, &a, 1));
    OK(cuGraphGetRootNodes(r.graph, list, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(list[0], a);
    n = 4;
    OK(cuGraphGetEdges(r.graph, list, to, NULL, &n));
    assert_int_equal(n, 2);
    assert_ptr_equal(list[0], a);
    n = 4;
    OK(cuGraphNodeGetDependencies(c, list, NULL, &n));
    assert_int_equal(n, 1);
    n = 0;
    OK(cuGraphNodeGetDependentNodes(a, NULL, NULL, &n)); /* how many */
    assert_int_equal(n, 2);
    OK(cuGraphRemoveDependencies(r.graph, &a, &c, NULL, 1));
    BAD(cuGraphRemoveDependencies(r.graph, &a, &c, NULL, 1)); /* it is gone */
    n = 4;
    OK(cuGraphGetRootNodes(r.graph, list, &n));
    assert_int_equal(n, 2);
    BAD(cuGraphGetRootNodes(NO_GRAPH, list, &n));
    BAD(cuGraphGetRootNodes(r.graph, list, NULL));
    BAD(cuGraphNodeGetDependencies(NO_NODE, list, NULL, &n));
    BAD(cuGraphNodeGetDependentNodes(NO_NODE, list, NULL, &n));
    BAD(cuGraphDestroyNode(NO_NODE));
    char path[] = "/tmp/warpline-dot-XXXXXX", text[512] = "";
    int fd = mkstemp(path);
    OK(cuGraphDebugDotPrint(r.graph, path, 0));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    close(fd);
    unlink(path);
    assert_non_null(strstr(text, "n0 [label=\"0 empty\"]"));
    assert_non_null(strstr(text, "n0 -> n1;"));
    assert_null(strstr(text, "n0 -> n2;"));
    BAD(cuGraphDebugDotPrint(NO_GRAPH, path, 0));
    rig_end(&r);
}

TEST(instances)
{
    struct rig r;
    CUgraphNode a;
    unsigned long long flags = 0;
    rig_begin(&r);
    OK(cuGraphAddEmptyNode(&a, r.graph, NULL, 0));
    CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = 2};
    CUgraphExec x;
    OK(cuGraphInstantiateWithParams(&x, r.graph, &p));
    assert_int_equal(p.result_out, 0);
    OK(cuGraphExecGetFlags(x, &flags));
    assert_int_equal(flags, 2);
    OK(cuGraphUpload(x, NULL));
    BAD(cuGraphUpload(NO_EXEC, NULL));
    BAD(cuGraphExecGetFlags(x, NULL));
    BAD(cuGraphInstantiateWithParams(&x, r.graph, NULL));
    BAD(cuGraphInstantiateWithParams(&x, NO_GRAPH, &p));
    assert_int_equal(p.result_out, 1);
    OK(cuGraphExecDestroy(x));
    BAD(cuGraphExecDestroy(x));
    BAD(cuGraphLaunch(x, NULL));
    rig_end(&r);
}

TEST(memory_of_a_graph)
{
    struct rig r;
    CUgraphNode get, give;
    CUdeviceptr seen = 0;
    uint64_t bytes = 7;
    rig_begin(&r);
    CUDA_MEM_ALLOC_NODE_PARAMS p = {.poolProps = {.allocType = 1, .location = {1, 0}}, .bytesize = 256}, p_seen;
    OK(cuGraphAddMemAllocNode(&get, r.graph, NULL, 0, &p));
    assert_true(p.dptr != 0);
    OK(cuGraphAddMemFreeNode(&give, r.graph, &get, 1, p.dptr));
    OK(cuGraphMemAllocNodeGetParams(get, &p_seen));
    assert_int_equal(p_seen.bytesize, 256);
    assert_true(p_seen.dptr == p.dptr);
    OK(cuGraphMemFreeNodeGetParams(give, &seen));
    assert_true(seen == p.dptr);
    OK(cuDeviceGetGraphMemAttribute(0, 0, &bytes));
    assert_true(bytes >= 256);
    OK(cuDeviceGraphMemTrim(0));
    BAD(cuDeviceGetGraphMemAttribute(0, 4, &bytes));
    BAD(cuDeviceGetGraphMemAttribute(0, 0, NULL));
    rig_end(&r);
}

TEST(user_objects_end_with_their_last_reference)
{
    struct rig r;
    CUuserObject u, moved;
    unsigned ended = 0;
    rig_begin(&r);
    OK(cuUserObjectCreate(&u, &ended, count, 1, 0));
    OK(cuUserObjectRetain(u, 1));
    OK(cuGraphRetainUserObject(r.graph, u, 1, 0));
    OK(cuUserObjectRelease(u, 2));
    assert_int_equal(ended, 0); /* the graph has one */
    OK(cuGraphReleaseUserObject(r.graph, u, 1));
    assert_int_equal(ended, 1);
    BAD(cuUserObjectRelease(u, 1));
    OK(cuUserObjectCreate(&moved, &ended, count, 1, 0));
    OK(cuGraphRetainUserObject(r.graph, moved, 1, 1)); /* the caller's reference becomes the graph's */
    OK(cuGraphDestroy(r.graph));
    assert_int_equal(ended, 2);
    BAD(cuUserObjectCreate(&u, NULL, NULL, 1, 0));
    BAD(cuUserObjectCreate(&u, NULL, count, 0, 0));
    BAD(cuUserObjectRetain(NO_USER, 1));
    BAD(cuGraphRetainUserObject(NO_GRAPH, NO_USER, 1, 0));
    rig_end(&r);
}
