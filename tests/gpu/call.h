/* call.h - a call of the CUDA runtime that must succeed. */
#ifndef WL_TESTS_CALL_H
#define WL_TESTS_CALL_H

#include <cstdio>
#include <cstdlib>

#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_) {                                                                                                      \
            printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
