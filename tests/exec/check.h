/* check.h - how the test programs fail: a line and exit code 1. */
#ifndef WL_TESTS_CHECK_H
#define WL_TESTS_CHECK_H
#include <cstdio>
#include <cstdlib>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what);                                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#endif
