/* runtime_unsupported.c - the rest of the runtime API: each call says once that it is not there. Without
 * these a program would be ended by the loader at its first such call, without a reason. */
#include "cuda/runtime/runtime.h"

#define U(name)                                                                                                        \
    cudaError_t name(void);                                                                                            \
    cudaError_t name(void)                                                                                             \
    {                                                                                                                  \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                                    \
        return rt_unsupported(&said, #name);                                                                           \
    }
#include "cuda/runtime/unsupported.def"
