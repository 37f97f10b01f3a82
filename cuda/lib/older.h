/* older.h - private to cuda/lib: symbols of other versions than CUDA 13's header has. */
#ifndef WL_CUDA_LIB_OLDER_H
#define WL_CUDA_LIB_OLDER_H

#include "warpline/cuda.h"

struct first_kernel_params {
    CUfunction function;
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra;
};

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *log, size_t size);
CUresult cuCtxGetDevice_v2(CUdevice *dev, CUcontext ctx);
CUresult cuCtxSynchronize_v2(CUcontext ctx);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *ctx, void **green);

#endif
