/* runtime_graph.c - graphs and stream capture: the driver's, with the runtime's structs turned into its own.
 *
 * Handles are the driver's. The older versions of a few calls take other arguments; which form a plain name means
 * depends on the version of the library. */
#include <string.h>

#include "cuda/runtime/runtime.h"

struct kernel_node { /* cudaKernelNodeParams, and V2 of it */
    void *func;
    dim3 grid, block;
    unsigned shared_bytes;
    void **args, **extra;
};

struct update_info { /* cudaGraphExecUpdateResultInfo */
    int result;
    CUgraphNode error_node, error_from;
};

/* A call that is the driver's with the same arguments. */
#define PASS(name, declared, given)                                                                                    \
    cudaError_t cuda##name declared;                                                                                   \
    cudaError_t cuda##name declared { RT_CALL(cu##name given); }

/* ---- kernels: host functions stand for them ---- */

static cudaError_t driver_kernel(const struct kernel_node *p, CUDA_KERNEL_NODE_PARAMS *out)
{
    CUfunction f;
    cudaError_t e = p ? rt_kernel(p->func, &f) : cudaErrorInvalidValue;
    if (e) return e;
    *out = (CUDA_KERNEL_NODE_PARAMS){.func = f,
                                     .gridDimX = p->grid.x,
                                     .gridDimY = p->grid.y,
                                     .gridDimZ = p->grid.z,
                                     .blockDimX = p->block.x,
                                     .blockDimY = p->block.y,
                                     .blockDimZ = p->block.z,
                                     .sharedMemBytes = p->shared_bytes,
                                     .kernelParams = p->args,
                                     .extra = p->extra};
    return cudaSuccess;
}

#define NODE CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count

cudaError_t cudaGraphAddKernelNode(NODE, const struct kernel_node *p);
cudaError_t cudaGraphAddKernelNode(NODE, const struct kernel_node *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t e = driver_kernel(p, &k);
    return e ? rt_done(e) : rt_driver(cuGraphAddKernelNode(node, graph, after, count, &k));
}

cudaError_t cudaGraphKernelNodeSetParams(CUgraphNode node, const struct kernel_node *p);
cudaError_t cudaGraphKernelNodeSetParams(CUgraphNode node, const struct kernel_node *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t e = driver_kernel(p, &k);
    return e ? rt_done(e) : rt_driver(cuGraphKernelNodeSetParams(node, &k));
}

cudaError_t cudaGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct kernel_node *p);
cudaError_t cudaGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct kernel_node *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t e = driver_kernel(p, &k);
    return e ? rt_done(e) : rt_driver(cuGraphExecKernelNodeSetParams(exec, node, &k));
}

cudaError_t cudaGraphKernelNodeGetParams(CUgraphNode node, struct kernel_node *p);
cudaError_t cudaGraphKernelNodeGetParams(CUgraphNode node, struct kernel_node *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    CUresult r = p ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuGraphKernelNodeGetParams(node, &k);
    if (r) return rt_driver(r);
    *p = (struct kernel_node){.func = (void *)(uintptr_t)rt_host_of(k.func),
                              .grid = {k.gridDimX, k.gridDimY, k.gridDimZ},
                              .block = {k.blockDimX, k.blockDimY, k.blockDimZ},
                              .shared_bytes = k.sharedMemBytes,
                              .args = k.kernelParams};
    return cudaSuccess;
}

PASS(GraphKernelNodeCopyAttributes, (CUgraphNode dst, CUgraphNode src), (dst, src))
PASS(GraphKernelNodeGetAttribute, (CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *value),
     (node, id, value))
PASS(GraphKernelNodeSetAttribute, (CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *value),
     (node, id, value))

/* ---- copies ---- */

cudaError_t cudaGraphAddMemcpyNode(NODE, const struct copy3d *p);
cudaError_t cudaGraphAddMemcpyNode(NODE, const struct copy3d *p)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = rt_copy3d(p, &c);
    return e ? rt_done(e) : rt_driver(cuGraphAddMemcpyNode(node, graph, after, count, &c, NULL));
}

cudaError_t cudaGraphMemcpyNodeSetParams(CUgraphNode node, const struct copy3d *p);
cudaError_t cudaGraphMemcpyNodeSetParams(CUgraphNode node, const struct copy3d *p)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = rt_copy3d(p, &c);
    return e ? rt_done(e) : rt_driver(cuGraphMemcpyNodeSetParams(node, &c));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct copy3d *p);
cudaError_t cudaGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct copy3d *p)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = rt_copy3d(p, &c);
    return e ? rt_done(e) : rt_driver(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}

cudaError_t cudaGraphMemcpyNodeGetParams(CUgraphNode node, struct copy3d *p);
cudaError_t cudaGraphMemcpyNodeGetParams(CUgraphNode node, struct copy3d *p)
{
    CUDA_MEMCPY3D c;
    CUresult r = p ? rt_enter() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = cuGraphMemcpyNodeGetParams(node, &c);
    if (!r) rt_copy3d_of(&c, p);
    return rt_driver(r);
}

/* One row of bytes, as cudaMemcpy has it. */
static cudaError_t row(CUDA_MEMCPY3D *c, void *dst, const void *src, size_t bytes, int kind)
{
    struct copy3d p = {.src = {(void *)(uintptr_t)src, bytes, bytes, 1},
                       .dst = {dst, bytes, bytes, 1},
                       .extent = {bytes, 1, 1},
                       .kind = kind};
    return rt_copy3d(&p, c);
}

cudaError_t cudaGraphAddMemcpyNode1D(NODE, void *dst, const void *src, size_t bytes, int kind);
cudaError_t cudaGraphAddMemcpyNode1D(NODE, void *dst, const void *src, size_t bytes, int kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = row(&c, dst, src, bytes, kind);
    return e ? rt_done(e) : rt_driver(cuGraphAddMemcpyNode(node, graph, after, count, &c, NULL));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void *dst, const void *src, size_t bytes, int kind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void *dst, const void *src, size_t bytes, int kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = row(&c, dst, src, bytes, kind);
    return e ? rt_done(e) : rt_driver(cuGraphMemcpyNodeSetParams(node, &c));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec exec, CUgraphNode node, void *dst, const void *src,
                                               size_t bytes, int kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec exec, CUgraphNode node, void *dst, const void *src,
                                               size_t bytes, int kind)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = row(&c, dst, src, bytes, kind);
    return e ? rt_done(e) : rt_driver(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}

/* To or from part of a variable. */
static cudaError_t symbol_row(CUDA_MEMCPY3D *c, void *dst, const void *src, bool to, size_t bytes, size_t offset,
                              int kind)
{
    CUdeviceptr addr;
    size_t size;
    cudaError_t e = rt_symbol(to ? dst : src, &addr, &size);
    if (e) return e;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    void *part = (void *)(uintptr_t)(addr + offset);
    return to ? row(c, part, src, bytes, kind) : row(c, dst, part, bytes, kind);
}

#define SYMBOL_CALLS(direction, arguments, dst, src, to)                                                               \
    cudaError_t cudaGraphAddMemcpyNode##direction(NODE, arguments, size_t bytes, size_t offset, int kind);             \
    cudaError_t cudaGraphAddMemcpyNode##direction(NODE, arguments, size_t bytes, size_t offset, int kind)              \
    {                                                                                                                  \
        CUDA_MEMCPY3D c;                                                                                               \
        cudaError_t e = symbol_row(&c, dst, src, to, bytes, offset, kind);                                             \
        return e ? rt_done(e) : rt_driver(cuGraphAddMemcpyNode(node, graph, after, count, &c, NULL));                  \
    }                                                                                                                  \
    cudaError_t cudaGraphMemcpyNodeSetParams##direction(CUgraphNode node, arguments, size_t bytes, size_t offset,      \
                                                        int kind);                                                     \
    cudaError_t cudaGraphMemcpyNodeSetParams##direction(CUgraphNode node, arguments, size_t bytes, size_t offset,      \
                                                        int kind)                                                      \
    {                                                                                                                  \
        CUDA_MEMCPY3D c;                                                                                               \
        cudaError_t e = symbol_row(&c, dst, src, to, bytes, offset, kind);                                             \
        return e ? rt_done(e) : rt_driver(cuGraphMemcpyNodeSetParams(node, &c));                                       \
    }                                                                                                                  \
    cudaError_t cudaGraphExecMemcpyNodeSetParams##direction(CUgraphExec exec, CUgraphNode node, arguments,             \
                                                            size_t bytes, size_t offset, int kind);                    \
    cudaError_t cudaGraphExecMemcpyNodeSetParams##direction(CUgraphExec exec, CUgraphNode node, arguments,             \
                                                            size_t bytes, size_t offset, int kind)                     \
    {                                                                                                                  \
        CUDA_MEMCPY3D c;                                                                                               \
        cudaError_t e = symbol_row(&c, dst, src, to, bytes, offset, kind);                                             \
        return e ? rt_done(e) : rt_driver(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));                       \
    }
#define TO_ARGUMENTS   const void *symbol, const void *from
#define FROM_ARGUMENTS void *out, const void *symbol
SYMBOL_CALLS(ToSymbol, TO_ARGUMENTS, (void *)(uintptr_t)symbol, from, true)
SYMBOL_CALLS(FromSymbol, FROM_ARGUMENTS, out, symbol, false)

/* ---- fills, host functions, children, events, memory: the structs are the driver's ---- */

#define SET const CUDA_MEMSET_NODE_PARAMS *p
PASS(GraphAddMemsetNode, (NODE, SET), (node, graph, after, count, p, NULL))
PASS(GraphMemsetNodeGetParams, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p), (node, p))
PASS(GraphMemsetNodeSetParams, (CUgraphNode node, SET), (node, p))
PASS(GraphExecMemsetNodeSetParams, (CUgraphExec exec, CUgraphNode node, SET), (exec, node, p, NULL))
#define HOST const CUDA_HOST_NODE_PARAMS *p
PASS(GraphAddHostNode, (NODE, HOST), (node, graph, after, count, p))
PASS(GraphHostNodeGetParams, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *p), (node, p))
PASS(GraphHostNodeSetParams, (CUgraphNode node, HOST), (node, p))
PASS(GraphExecHostNodeSetParams, (CUgraphExec exec, CUgraphNode node, HOST), (exec, node, p))
PASS(GraphAddChildGraphNode, (NODE, CUgraph child), (node, graph, after, count, child))
PASS(GraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *graph), (node, graph))
PASS(GraphExecChildGraphNodeSetParams, (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))
PASS(GraphAddEmptyNode, (NODE), (node, graph, after, count))
PASS(GraphAddEventRecordNode, (NODE, CUevent event), (node, graph, after, count, event))
PASS(GraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent *event), (node, event))
PASS(GraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event), (node, event))
PASS(GraphExecEventRecordNodeSetEvent, (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
PASS(GraphAddEventWaitNode, (NODE, CUevent event), (node, graph, after, count, event))
PASS(GraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *event), (node, event))
PASS(GraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event), (node, event))
PASS(GraphExecEventWaitNodeSetEvent, (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
PASS(GraphAddMemAllocNode, (NODE, CUDA_MEM_ALLOC_NODE_PARAMS *p), (node, graph, after, count, p))
PASS(GraphMemAllocNodeGetParams, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p), (node, p))
PASS(GraphAddMemFreeNode, (NODE, void *ptr), (node, graph, after, count, (uintptr_t)ptr))
PASS(GraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr *ptr), (node, ptr))
PASS(DeviceGraphMemTrim, (int dev), (dev))
PASS(DeviceGetGraphMemAttribute, (int dev, int attribute, void *value), (dev, attribute, value))
PASS(DeviceSetGraphMemAttribute, (int dev, int attribute, void *value), (dev, attribute, value))

/* ---- any node ---- */

/* cudaGraphNodeParams: as the driver's but for kernels and copies. */
static cudaError_t driver_params(const CUgraphNodeParams *p, CUgraphNodeParams *out)
{
    if (!p) return cudaErrorInvalidValue;
    struct kernel_node k;
    struct {
        int flags, reserved[3];
        struct copy3d copy;
    } c;
    *out = *p;
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        memcpy(&k, &p->u, sizeof k);
        return driver_kernel(&k, &out->u.kernel);
    }
    if (p->type != CU_GRAPH_NODE_TYPE_MEMCPY) return cudaSuccess;
    memcpy(&c, &p->u, sizeof c);
    return rt_copy3d(&c.copy, &out->u.memcpy.copyParams);
}

static cudaError_t add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            CUgraphNodeParams *p)
{
    CUgraphNodeParams q;
    cudaError_t e = driver_params(p, &q);
    CUresult r = e ? (CUresult)e : cuGraphAddNode(node, graph, after, NULL, count, &q);
    if (!r && p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) p->u.alloc.dptr = q.u.alloc.dptr;
    if (!r && p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) p->u.conditional.phGraph_out = q.u.conditional.phGraph_out;
    return rt_driver(r);
}

cudaError_t cudaGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
                                size_t count, CUgraphNodeParams *p);
cudaError_t cudaGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
                                size_t count, CUgraphNodeParams *p)
{
    (void)data;
    return add_node(node, graph, after, count, p);
}

cudaError_t cudaGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p);
cudaError_t cudaGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
    CUgraphNodeParams q;
    cudaError_t e = driver_params(p, &q);
    return e ? rt_done(e) : rt_driver(cuGraphNodeSetParams(node, &q));
}

cudaError_t cudaGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p);
cudaError_t cudaGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
    CUgraphNodeParams q;
    cudaError_t e = driver_params(p, &q);
    return e ? rt_done(e) : rt_driver(cuGraphExecNodeSetParams(exec, node, &q));
}

cudaError_t cudaGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, unsigned value,
                                             unsigned flags);
cudaError_t cudaGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, unsigned value,
                                             unsigned flags)
{
    RT_CALL(cuGraphConditionalHandleCreate(handle, graph, NULL, value, flags));
}

PASS(GraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), (node, type))
PASS(GraphNodeFindInClone, (CUgraphNode * node, CUgraphNode original, CUgraph clone), (node, original, clone))
PASS(GraphDestroyNode, (CUgraphNode node), (node))
PASS(GraphNodeSetEnabled, (CUgraphExec exec, CUgraphNode node, unsigned enabled), (exec, node, enabled))
PASS(GraphNodeGetEnabled, (CUgraphExec exec, CUgraphNode node, unsigned *enabled), (exec, node, enabled))

/* ---- graphs ---- */

PASS(GraphCreate, (CUgraph * graph, unsigned flags), (graph, flags))
PASS(GraphDestroy, (CUgraph graph), (graph))
PASS(GraphClone, (CUgraph * clone, CUgraph original), (clone, original))
PASS(GraphDebugDotPrint, (CUgraph graph, const char *path, unsigned flags), (graph, path, flags))
PASS(GraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count))
PASS(GraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count))
PASS(GraphExecDestroy, (CUgraphExec exec), (exec))
PASS(GraphExecGetFlags, (CUgraphExec exec, unsigned long long *flags), (exec, flags))
PASS(GraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream))
PASS(GraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream))
PASS(GraphInstantiateWithParams, (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p),
     (exec, graph, p))
PASS(UserObjectCreate, (CUuserObject * object, void *ptr, CUhostFn destroy, unsigned references, unsigned flags),
     (object, ptr, destroy, references, flags))
PASS(UserObjectRetain, (CUuserObject object, unsigned count), (object, count))
PASS(UserObjectRelease, (CUuserObject object, unsigned count), (object, count))
PASS(GraphRetainUserObject, (CUgraph graph, CUuserObject object, unsigned count, unsigned flags),
     (graph, object, count, flags))
PASS(GraphReleaseUserObject, (CUgraph graph, CUuserObject object, unsigned count), (graph, object, count))

/* Edges: the second version has data of the edges, which CUDA 13 calls by the plain name. */
#define WITH_DATA(name, declared, given)                                                                               \
    cudaError_t cuda##name declared;                                                                                   \
    cudaError_t cuda##name declared { RT_CALL(given); }
#define EDGE_LISTS(suffix, with)                                                                                       \
    WITH_DATA(GraphGetEdges##suffix, (CUgraph graph, CUgraphNode * from, CUgraphNode * to with, size_t * count),       \
              cuGraphGetEdges(graph, from, to, NULL, count))                                                           \
    WITH_DATA(GraphNodeGetDependencies##suffix, (CUgraphNode node, CUgraphNode * nodes with, size_t * count),          \
              cuGraphNodeGetDependencies(node, nodes, NULL, count))                                                    \
    WITH_DATA(GraphNodeGetDependentNodes##suffix, (CUgraphNode node, CUgraphNode * nodes with, size_t * count),        \
              cuGraphNodeGetDependentNodes(node, nodes, NULL, count))                                                  \
    WITH_DATA(GraphAddDependencies##suffix,                                                                            \
              (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to with, size_t count),                      \
              cuGraphAddDependencies(graph, from, to, NULL, count))                                                    \
    WITH_DATA(GraphRemoveDependencies##suffix,                                                                         \
              (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to with, size_t count),                      \
              cuGraphRemoveDependencies(graph, from, to, NULL, count))
#define NO_DATA
#define DATA , const CUgraphEdgeData *data __attribute__((unused))
EDGE_LISTS(_v2, DATA)
#if WL_CUDART_MAJOR >= 13
EDGE_LISTS(, DATA)
cudaError_t cudaGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
                             size_t count, CUgraphNodeParams *p);
cudaError_t cudaGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data,
                             size_t count, CUgraphNodeParams *p)
{
    (void)data;
    return add_node(node, graph, after, count, p);
}
#else
EDGE_LISTS(, NO_DATA)
cudaError_t cudaGraphAddNode(NODE, CUgraphNodeParams *p);
cudaError_t cudaGraphAddNode(NODE, CUgraphNodeParams *p) { return add_node(node, graph, after, count, p); }
#endif

/* ---- calls whose plain name changed its arguments ---- */

cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
cudaError_t cudaGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    RT_CALL(cuGraphInstantiate(exec, graph, flags));
}

#if WL_CUDART_MAJOR >= 12
cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphExecUpdate(CUgraphExec exec, CUgraph graph, struct update_info *info);
cudaError_t cudaGraphExecUpdate(CUgraphExec exec, CUgraph graph, struct update_info *info)
{
    RT_CALL(cuGraphExecUpdate(exec, graph, (CUgraphExecUpdateResultInfo *)(void *)info));
}
#else
cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size);
cudaError_t cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size)
{
    if (bad) *bad = NULL;
    if (log && size) *log = 0;
    return cudaGraphInstantiateWithFlags(exec, graph, 0);
}

cudaError_t cudaGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, int *result);
cudaError_t cudaGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, int *result)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUresult r = rt_enter();
    if (!r) r = cuGraphExecUpdate(exec, graph, &info);
    if (bad) *bad = info.errorNode;
    if (result) *result = (int)info.result;
    return rt_driver(r);
}
#endif

/* ---- capture ---- */

PASS(StreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph))
PASS(StreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), (stream, status))
PASS(StreamBeginCaptureToGraph,
     (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *data, size_t count,
      CUstreamCaptureMode mode),
     (stream, graph, after, data, count, mode))
PASS(ThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), (mode))

cudaError_t cudaStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
cudaError_t cudaStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    RT_CALL(cuStreamBeginCapture(stream, mode));
}

#define CAPTURE_INFO CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id
cudaError_t cudaStreamGetCaptureInfo_v2(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after, size_t *count)
{
    RT_CALL(cuStreamGetCaptureInfo(stream, status, id, graph, after, NULL, count));
}

cudaError_t cudaStreamGetCaptureInfo_v3(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after,
                                        const CUgraphEdgeData **data, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v3(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after,
                                        const CUgraphEdgeData **data, size_t *count)
{
    RT_CALL(cuStreamGetCaptureInfo(stream, status, id, graph, after, data, count));
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data,
                                                   size_t count, unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data,
                                                   size_t count, unsigned flags)
{
    RT_CALL(cuStreamUpdateCaptureDependencies(stream, after, data, count, flags));
}

#if WL_CUDART_MAJOR >= 13
cudaError_t cudaStreamGetCaptureInfo(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after,
                                     const CUgraphEdgeData **data, size_t *count);
cudaError_t cudaStreamGetCaptureInfo(CAPTURE_INFO, CUgraph *graph, const CUgraphNode **after,
                                     const CUgraphEdgeData **data, size_t *count)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, data, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data,
                                                size_t count, unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, const CUgraphEdgeData *data,
                                                size_t count, unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies_v2(stream, after, data, count, flags);
}
#else
cudaError_t cudaStreamGetCaptureInfo(CAPTURE_INFO);
cudaError_t cudaStreamGetCaptureInfo(CAPTURE_INFO)
{
    RT_CALL(cuStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL));
}

cudaError_t cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t count, unsigned flags);
cudaError_t cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t count, unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies_v2(stream, after, NULL, count, flags);
}
#endif
