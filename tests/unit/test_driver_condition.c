/* test_driver_condition.c - conditional nodes of graphs: what kernels write decides what runs, and how often. */
#include "driver_rig.h"

/* put: *at = value. count: one more in *at, and the condition holds until it is `limit`. choose: the condition is *at.
 */
static const char program[] = DRIVER_HEAD
    ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);\n"
    ".visible .entry put(.param .u64 at, .param .u32 value)\n{\n .reg .u32 %r<2>;\n .reg .u64 %rd<2>;\n"
    " ld.param.u64 %rd1, [at];\n ld.param.u32 %r1, [value];\n st.global.u32 [%rd1], %r1;\n ret;\n}\n"
    ".visible .entry count(.param .u64 at, .param .u32 limit, .param .u64 condition)\n{\n .reg .u32 %r<4>;\n"
    " .reg .u64 %rd<3>;\n .reg .pred %p;\n ld.param.u64 %rd1, [at];\n ld.param.u32 %r1, [limit];\n"
    " ld.param.u64 %rd2, [condition];\n ld.global.u32 %r2, [%rd1];\n add.u32 %r2, %r2, 1;\n"
    " st.global.u32 [%rd1], %r2;\n setp.lt.u32 %p, %r2, %r1;\n selp.u32 %r3, 1, 0, %p;\n"
    " { .param .b64 h; .param .b32 v; st.param.b64 [h], %rd2; st.param.b32 [v], %r3;\n"
    " call.uni cudaGraphSetConditional, (h, v); }\n ret;\n}\n"
    ".visible .entry choose(.param .u64 at, .param .u32 unused, .param .u64 condition)\n{\n .reg .u32 %r<4>;\n"
    " .reg .u64 %rd<3>;\n ld.param.u64 %rd1, [at];\n ld.param.u64 %rd2, [condition];\n"
    " ld.global.u32 %r1, [%rd1];\n { .param .b64 h; .param .b32 v; st.param.b64 [h], %rd2;\n"
    " st.param.b32 [v], %r1; call.uni cudaGraphSetConditional, (h, v); }\n ret;\n}\n";

struct rig {
    struct driver_rig d;
    CUdeviceptr memory; /* 16 words */
    CUgraph graph;
};

static void rig_begin(struct rig *r)
{
    driver_begin(&r->d, program, 1 << 20, NULL);
    OK(cuMemAlloc(&r->memory, 64));
    OK(cuMemsetD32(r->memory, 0, 16));
    OK(cuGraphCreate(&r->graph, 0));
}

static CUgraphNode add_kernel(const struct rig *r, CUgraph graph, CUgraphNode *after, const char *name, unsigned word,
                              unsigned value, CUgraphConditionalHandle condition)
{
    CUfunction f;
    CUgraphNode n;
    CUdeviceptr at = r->memory + 4 * word;
    void *args[] = {&at, &value, &condition};
    OK(cuModuleGetFunction(&f, r->d.module, name));
    CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = args};
    OK(cuGraphAddKernelNode(&n, graph, after, after ? 1 : 0, &p));
    return n;
}

static CUgraph *add_condition(CUgraph graph, CUgraphNode *after, CUgraphConditionalHandle handle,
                              CUgraphConditionalNodeType type, unsigned size)
{
    CUgraphNode n;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    p.u.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){.handle = handle, .type = type, .size = size};
    OK(cuGraphAddNode(&n, graph, after, NULL, after ? 1 : 0, &p));
    return p.u.conditional.phGraph_out;
}

static void launch(const struct rig *r, CUgraphExec x)
{
    (void)r;
    OK(cuGraphLaunch(x, NULL));
    OK(cuCtxSynchronize());
}

TEST(a_loop_runs_until_a_kernel_ends_it)
{
    struct rig r;
    CUgraphConditionalHandle outer, inner;
    CUgraphExec x;
    rig_begin(&r);
    OK(cuGraphConditionalHandleCreate(&outer, r.graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body = add_condition(r.graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1)[0];
    CUgraphNode n = add_kernel(&r, body, NULL, "count", 0, 5, outer);
    OK(cuGraphConditionalHandleCreate(&inner, body, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph within = add_condition(body, &n, inner, CU_GRAPH_COND_TYPE_IF, 1)[0]; /* is never set: holds each time */
    add_kernel(&r, within, NULL, "count", 1, 0, r.memory + 60);
    OK(cuGraphInstantiate(&x, r.graph, 0));
    launch(&r, x);
    assert_int_equal(driver_word(r.memory), 5);
    assert_int_equal(driver_word(r.memory + 4), 5);
    launch(&r, x); /* the default lets it begin again */
    assert_int_equal(driver_word(r.memory), 6);
    driver_end(&r.d);
}

TEST(one_of_several_graphs_runs)
{
    for (unsigned value = 0; value < 4; value++) {
        struct rig r;
        CUgraphConditionalHandle either, which;
        CUgraphExec x;
        rig_begin(&r);
        OK(cuMemsetD32(r.memory, value, 1));
        OK(cuGraphConditionalHandleCreate(&either, r.graph, NULL, 0, 0));
        OK(cuGraphConditionalHandleCreate(&which, r.graph, NULL, 0, 0));
        CUgraphNode a = add_kernel(&r, r.graph, NULL, "choose", 0, 0, either);
        CUgraphNode b = add_kernel(&r, r.graph, &a, "choose", 0, 0, which);
        CUgraph *arm = add_condition(r.graph, &a, either, CU_GRAPH_COND_TYPE_IF, 2);
        add_kernel(&r, arm[0], NULL, "put", 1, 10, 0);
        add_kernel(&r, arm[1], NULL, "put", 1, 20, 0);
        CUgraph *ways = add_condition(r.graph, &b, which, CU_GRAPH_COND_TYPE_SWITCH, 3);
        for (unsigned i = 0; i < 3; i++) add_kernel(&r, ways[i], NULL, "put", 2, 100 + i, 0);
        OK(cuGraphInstantiate(&x, r.graph, 0));
        launch(&r, x);
        assert_int_equal(driver_word(r.memory + 4), value ? 10 : 20);
        assert_int_equal(driver_word(r.memory + 8), value < 3 ? 100 + value : 0); /* no fourth way: nothing */
        driver_end(&r.d);
    }
}

TEST(what_is_no_condition)
{
    struct rig r;
    CUgraphConditionalHandle h;
    CUgraph other;
    CUgraphNode n;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    rig_begin(&r);
    OK(cuGraphCreate(&other, 0));
    BAD(cuGraphConditionalHandleCreate(&h, r.graph, NULL, 0, 2));
    BAD(cuGraphConditionalHandleCreate(NULL, r.graph, NULL, 0, 0));
    OK(cuGraphConditionalHandleCreate(&h, r.graph, NULL, 0, 0));
    p.u.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){.handle = h, .type = CU_GRAPH_COND_TYPE_WHILE, .size = 2};
    BAD(cuGraphAddNode(&n, r.graph, NULL, NULL, 0, &p));
    p.u.conditional.size = 0;
    BAD(cuGraphAddNode(&n, r.graph, NULL, NULL, 0, &p));
    p.u.conditional.size = 1;
    BAD(cuGraphAddNode(&n, other, NULL, NULL, 0, &p)); /* the handle is of another graph */
    OK(cuGraphAddNode(&n, r.graph, NULL, NULL, 0, &p));
    CUgraphNodeType type;
    OK(cuGraphNodeGetType(n, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_CONDITIONAL);
    OK(cuGraphDestroyNode(n));
    driver_end(&r.d);
}

TEST(a_body_may_be_captured)
{
    struct rig r;
    CUgraphConditionalHandle h;
    CUgraphExec x;
    CUstream s;
    rig_begin(&r);
    OK(cuGraphConditionalHandleCreate(&h, r.graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body = add_condition(r.graph, NULL, h, CU_GRAPH_COND_TYPE_IF, 1)[0];
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(r.memory, 7, 1, s));
    OK(cuStreamEndCapture(s, NULL)); /* the graph is known */
    OK(cuGraphInstantiate(&x, r.graph, 0));
    launch(&r, x);
    assert_int_equal(driver_word(r.memory), 7);
    driver_end(&r.d);
}
