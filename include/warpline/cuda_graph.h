/* cuda_graph.h - more of the driver API: graphs and stream capture, memory pools, arrays of three dimensions, surfaces,
 * launch attributes. Included by cuda.h; names, numbers and layouts are those of CUDA 13.
 *
 * A graph runs its nodes one after another: each after those it depends on, else in the order they were added. */
#ifndef WARPLINE_CUDA_GRAPH_H
#define WARPLINE_CUDA_GRAPH_H

#include "warpline/cuda.h"

#ifndef WL_REAL_CUDA

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUsurfObject;
typedef struct CUsurfref_st *CUsurfref;
typedef void (*CUhostFn)(void *arg);

typedef enum CUgraphNodeType_enum {
    CU_GRAPH_NODE_TYPE_KERNEL = 0,
    CU_GRAPH_NODE_TYPE_MEMCPY = 1,
    CU_GRAPH_NODE_TYPE_MEMSET = 2,
    CU_GRAPH_NODE_TYPE_HOST = 3,
    CU_GRAPH_NODE_TYPE_GRAPH = 4,
    CU_GRAPH_NODE_TYPE_EMPTY = 5,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
    CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
    CU_GRAPH_NODE_TYPE_CONDITIONAL = 13
} CUgraphNodeType;

typedef unsigned long long CUgraphConditionalHandle;
typedef enum CUgraphConditionalNodeType_enum {
    CU_GRAPH_COND_TYPE_IF = 0,
    CU_GRAPH_COND_TYPE_WHILE = 1,
    CU_GRAPH_COND_TYPE_SWITCH = 2
} CUgraphConditionalNodeType;
enum { CU_GRAPH_COND_ASSIGN_DEFAULT = 1 };

typedef enum CUstreamCaptureStatus_enum {
    CU_STREAM_CAPTURE_STATUS_NONE = 0,
    CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;

typedef enum CUstreamCaptureMode_enum {
    CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;

typedef enum CUgraphExecUpdateResult_enum {
    CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
    CU_GRAPH_EXEC_UPDATE_ERROR = 1,
    CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
    CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3
} CUgraphExecUpdateResult;

typedef struct CUgraphExecUpdateResultInfo_st {
    CUgraphExecUpdateResult result;
    CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

typedef struct CUgraphEdgeData_st { /* not looked at: every edge means the end of the node */
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef struct CUDA_KERNEL_NODE_PARAMS_st {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    CUkernel kern; /* from here on not in the first version */
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_MEMSET_NODE_PARAMS_st {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height; /* elements, rows */
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS_st {
    CUhostFn fn;
    void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUmemLocation_st {
    int type, id; /* type 1: a device */
} CUmemLocation;

typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    int flags; /* 3: read and write */
} CUmemAccessDesc;

typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct CUmemAllocationProp_st {
    int type, requestedHandleTypes; /* type 1: pinned */
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemPoolProps_st {
    int allocType, handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

typedef enum CUmemPool_attribute_enum {
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
} CUmemPool_attribute;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st {
    CUmemPoolProps poolProps;
    const CUmemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct CUDA_CONDITIONAL_NODE_PARAMS {
    CUgraphConditionalHandle handle;
    CUgraphConditionalNodeType type;
    unsigned int size;
    CUgraph *phGraph_out;
    CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;

typedef struct CUgraphNodeParams_st {
    CUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        struct {
            CUDA_MEMSET_NODE_PARAMS set;
            CUcontext ctx;
        } memset;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph graph;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUdeviceptr free;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    } u;
    long long reserved2;
} CUgraphNodeParams;

typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    unsigned long long flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    int result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
enum {
    CUDA_ARRAY3D_LAYERED = 1,
    CUDA_ARRAY3D_SURFACE_LDST = 2,
    CUDA_ARRAY3D_CUBEMAP = 4,
    CUDA_ARRAY3D_TEXTURE_GATHER = 8
};

/* Launch and stream attributes: those below have an effect or are hints, others are refused. */
typedef enum CUlaunchAttributeID_enum {
    CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
    CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14
} CUlaunchAttributeID;

typedef union CUlaunchAttributeValue_union {
    char pad[64];
    int cooperative, priority;
    struct {
        unsigned int x, y, z;
    } clusterDim;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute_st {
    CUlaunchAttributeID id;
    char pad[8 - sizeof(CUlaunchAttributeID)];
    CUlaunchAttributeValue value;
} CUlaunchAttribute;

#define cuStreamBeginCapture              cuStreamBeginCapture_v2
#define cuStreamGetCaptureInfo            cuStreamGetCaptureInfo_v3
#define cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2
#define cuGraphAddKernelNode              cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams        cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams        cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams    cuGraphExecKernelNodeSetParams_v2
#define cuGraphInstantiate                cuGraphInstantiateWithFlags
#define cuGraphExecUpdate                 cuGraphExecUpdate_v2
#define cuGraphGetEdges                   cuGraphGetEdges_v2
#define cuGraphNodeGetDependencies        cuGraphNodeGetDependencies_v2
#define cuGraphNodeGetDependentNodes      cuGraphNodeGetDependentNodes_v2
#define cuGraphAddDependencies            cuGraphAddDependencies_v2
#define cuGraphRemoveDependencies         cuGraphRemoveDependencies_v2
#define cuGraphAddNode                    cuGraphAddNode_v2
#define cuMemcpy3D                        cuMemcpy3D_v2
#define cuMemcpy3DAsync                   cuMemcpy3DAsync_v2
#define cuMemcpyAtoD                      cuMemcpyAtoD_v2
#define cuMemcpyDtoA                      cuMemcpyDtoA_v2
#define cuMemcpyAtoA                      cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync                 cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync                 cuMemcpyAtoHAsync_v2
#define cuStreamWriteValue32              cuStreamWriteValue32_v2
#define cuStreamWriteValue64              cuStreamWriteValue64_v2
#define cuStreamWaitValue32               cuStreamWaitValue32_v2
#define cuStreamWaitValue64               cuStreamWaitValue64_v2
#define cuArray3DCreate                   cuArray3DCreate_v2
#define cuArray3DGetDescriptor            cuArray3DGetDescriptor_v2

/* ---- capture ---- */

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id, CUgraph *graph,
                                const CUgraphNode **dependencies, const CUgraphEdgeData **data, size_t *count);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, unsigned long long *id,
                                   CUgraph *graph, const CUgraphNode **dependencies, size_t *count);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *data,
                                           size_t count, unsigned int flags);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *dev);
CUresult cuStreamCopyAttributes(CUstream dst, CUstream src);
CUresult cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value);
CUresult cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t bytes, unsigned int flags);

/* ---- graphs ---- */

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphClone(CUgraph *clone, CUgraph original);
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext ctx);
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx);
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  CUgraph child);
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count);
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                   CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 CUevent event);
CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr ptr);
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *data,
                        size_t count, CUgraphNodeParams *params);
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext ctx,
                                        unsigned int default_value, unsigned int flags);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *ptr);
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *value);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *value);
CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone);
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *data, size_t count);
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count);
CUresult cuGraphDestroyNode(CUgraphNode node);
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags);
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphExecGetFlags(CUgraphExec exec, unsigned long long *flags);
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy, CUcontext ctx);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext ctx);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params);
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled);
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled);
CUresult cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned int references,
                            unsigned int flags);
CUresult cuUserObjectRetain(CUuserObject object, unsigned int count);
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count);
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count);
CUresult cuDeviceGraphMemTrim(CUdevice dev);
CUresult cuDeviceGetGraphMemAttribute(CUdevice dev, int attribute, void *value);
CUresult cuDeviceSetGraphMemAttribute(CUdevice dev, int attribute, void *value);

/* ---- pools: names for the one memory of the device; nothing is kept back ---- */

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size);
CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr);
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop, int option);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);
CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *location);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev);
CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool);

/* ---- memory in three dimensions, surfaces ---- */

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject object);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object);
CUresult cuModuleGetSurfRef(CUsurfref *surfref, CUmodule module, const char *name);
CUresult cuSurfRefSetArray(CUsurfref surfref, CUarray array, unsigned int flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surfref);

/* ---- launches, occupancy, peers, libraries ---- */

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void **params);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes);
CUresult cuFuncIsLoaded(int *state, CUfunction function);
CUresult cuFuncLoad(CUfunction function);
CUresult cuFuncSetSharedMemConfig(CUfunction function, int config);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   size_t (*block_to_shared)(int threads), size_t shared_bytes,
                                                   int limit, unsigned int flags);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to);
CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned int channels, CUdevice dev);
CUresult cuModuleGetLoadingMode(int *mode);
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module);
CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library);
CUresult cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev);

/* ---- the rest of memory ---- */

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes,
                           CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream);
CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes);
CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes);
CUresult cuMemcpyAtoA(CUarray dst, size_t to, CUarray src, size_t from, size_t bytes);
CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, unsigned int value, unsigned int flags);
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, unsigned long long value, unsigned int flags);
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, unsigned int value, unsigned int flags);
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, unsigned long long value, unsigned int flags);
CUresult cuMemPrefetchAsync(CUdeviceptr ptr, size_t bytes, CUdevice dev, CUstream stream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr ptr, size_t bytes, CUmemLocation location, unsigned int flags,
                               CUstream stream);
CUresult cuMemAdvise(CUdeviceptr ptr, size_t bytes, int advice, CUdevice dev);
CUresult cuMemAdvise_v2(CUdeviceptr ptr, size_t bytes, int advice, CUmemLocation location);
CUresult cuMemRangeGetAttribute(void *data, size_t size, int attribute, CUdeviceptr ptr, size_t bytes);
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attribute, void **data, CUdeviceptr ptr);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxGetSharedMemConfig(int *config);
CUresult cuCtxSetSharedMemConfig(int config);
CUresult cuCtxGetId(CUcontext ctx, unsigned long long *id);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif /* WL_REAL_CUDA */
#endif
