/* suite_inputs.h - what the programs of kernels in the style of the suites begin with: numbers that are the same
 * everywhere, memory of the device with them or with zeros, and the kernel that was asked for. */
#ifndef WL_TESTS_SUITE_INPUTS_H
#define WL_TESTS_SUITE_INPUTS_H

#include <cstdio>
#include <cstdlib>
#include <vector>
#include "call.h"

static unsigned rs = 1;
static unsigned rnd()
{
    rs = rs * 1664525u + 1013904223u;
    return rs >> 8;
}
template <class T> static T *up(const std::vector<T> &v)
{
    T *p;
    CK(cudaMalloc(&p, v.size() * sizeof(T)));
    CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *zero(size_t n)
{
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
static std::vector<float> floats(size_t n, float lo, float hi)
{
    std::vector<float> v(n);
    for (auto &x : v) x = lo + (hi - lo) * (rnd() & 0xffff) / 65536.0f;
    return v;
}
static std::vector<int> ints(size_t n, int m)
{
    std::vector<int> v(n);
    for (auto &x : v) x = (int)(rnd() % m);
    return v;
}
#define RUN if (pick < 0 || turn++ == pick)

#endif
