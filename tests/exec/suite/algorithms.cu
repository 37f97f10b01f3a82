/* algorithms.cu - Thrust and CUB as the toolkit has them: sort by key, scans, reduce by key, radix sort, selection. */
#include <algorithm>
#include <map>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "../check.h"

constexpr int N = 3000;

static void thrust_part(const std::vector<int> &key, const std::vector<int> &value)
{
    thrust::device_vector<int> k(key), v(value), sums(N), ends(N), scan(N);
    thrust::sort_by_key(k.begin(), k.end(), v.begin());
    std::vector<int> sorted(key);
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < N; i++) CHECK(k[i] == sorted[i]);
    auto end = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), ends.begin(), sums.begin());
    std::map<int, int> want;
    for (int i = 0; i < N; i++) want[key[i]] += value[i];
    CHECK(end.first - ends.begin() == (long)want.size());
    int at = 0;
    for (auto &w : want) {
        CHECK(ends[at] == w.first && sums[at] == w.second);
        at++;
    }
    thrust::exclusive_scan(v.begin(), v.end(), scan.begin());
    int total = thrust::reduce(v.begin(), v.end());
    CHECK(scan[N - 1] + v[N - 1] == total);
}

struct is_even {
    __device__ bool operator()(int x) const { return x % 2 == 0; }
};

static void cub_part(const std::vector<int> &key)
{
    int *in, *out, *count, n;
    void *temp = NULL;
    size_t bytes = 0;
    std::vector<int> got(N);
    CUDA(cudaMalloc(&in, N * sizeof(int)));
    CUDA(cudaMalloc(&out, N * sizeof(int)));
    CUDA(cudaMalloc(&count, sizeof(int)));
    CUDA(cudaMemcpy(in, key.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, N));
    CUDA(cudaMalloc(&temp, bytes));
    CUDA(cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, N));
    CUDA(cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(std::is_sorted(got.begin(), got.end()));
    CUDA(cudaFree(temp));
    temp = NULL;
    CUDA(cub::DeviceScan::InclusiveSum(temp, bytes, in, out, N));
    CUDA(cudaMalloc(&temp, bytes));
    CUDA(cub::DeviceScan::InclusiveSum(temp, bytes, in, out, N));
    CUDA(cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < N; i++) CHECK(got[i] == (sum += key[i]));
    CUDA(cudaFree(temp));
    temp = NULL;
    CUDA(cub::DeviceSelect::If(temp, bytes, in, out, count, N, is_even()));
    CUDA(cudaMalloc(&temp, bytes));
    CUDA(cub::DeviceSelect::If(temp, bytes, in, out, count, N, is_even()));
    CUDA(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
    CHECK(n == std::count_if(key.begin(), key.end(), [](int x) { return x % 2 == 0; }));
}

int main()
{
    std::vector<int> key(N), value(N);
    unsigned r = 12345;
    for (int i = 0; i < N; i++) {
        r = r * 1664525u + 1013904223u;
        key[i] = (int)(r >> 20) % 200;
        value[i] = (int)(r >> 8) % 50;
    }
    thrust_part(key, value);
    cub_part(key);
    printf("algorithms ok\n");
    return 0;
}
