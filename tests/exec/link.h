/* link.h - a template that both objects of link_a.cu instantiate. */
#ifndef WL_TESTS_LINK_H
#define WL_TESTS_LINK_H

template <typename T> __device__ __noinline__ T square(T x) { return x * x; }

#endif
