/* older.c - forms of calls that CUDA 13's header no longer names but programs of CUDA 11 and 12 are linked with: the
 * same functions with fewer arguments. */
#include "cuda/lib/older.h"

#include <string.h>

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphAddNode
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const struct first_kernel_params *p);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, struct first_kernel_params *p);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const struct first_kernel_params *p);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct first_kernel_params *p);
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, CUgraphExecUpdateResult *result);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraphNodeParams *p);
CUresult cuStreamBeginCapture(CUstream stream);
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t count, unsigned int flags);

/* The first version of the struct ends before `kern`. */
static CUDA_KERNEL_NODE_PARAMS whole(const struct first_kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS all = {0};
    _Static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS, kern) == sizeof *p, "the first version is the beginning");
    memcpy(&all, p, sizeof *p);
    return all;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const struct first_kernel_params *p)
{
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS all = whole(p);
    return cuGraphAddKernelNode_v2(node, graph, after, count, &all);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, struct first_kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS all;
    CUresult r = p ? cuGraphKernelNodeGetParams_v2(node, &all) : CUDA_ERROR_INVALID_VALUE;
    if (!r) memcpy(p, &all, sizeof *p);
    return r;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const struct first_kernel_params *p)
{
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS all = whole(p);
    return cuGraphKernelNodeSetParams_v2(node, &all);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const struct first_kernel_params *p)
{
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS all = whole(p);
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &all);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size)
{
    if (bad) *bad = NULL;
    if (log && size) *log = 0;
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size)
{
    return cuGraphInstantiate_v2(exec, graph, bad, log, size);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad, CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUresult r = cuGraphExecUpdate_v2(exec, graph, &info);
    if (bad) *bad = info.errorNode;
    if (result) *result = info.result;
    return r;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    return cuGraphNodeGetDependencies_v2(node, nodes, NULL, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraphNodeParams *p)
{
    return cuGraphAddNode_v2(node, graph, after, NULL, count, p);
}

CUresult cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t count, unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, after, NULL, count, flags);
}

/* ---- newer forms with a context, which there is one of ---- */

CUresult cuCtxGetDevice_v2(CUdevice *dev, CUcontext ctx)
{
    (void)ctx;
    return cuCtxGetDevice(dev);
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
    (void)ctx;
    return cuCtxSynchronize();
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *ctx, void **green)
{
    if (green) *green = NULL;
    return cuStreamGetCtx(stream, ctx);
}
