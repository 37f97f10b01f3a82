/* link.h - a template that both objects of link_a.cu instantiate. */
template <typename T> __device__ __noinline__ T square(T x) { return x * x; }
