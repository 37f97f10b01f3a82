/* thrust.cu - a library of templates as programs use it: reduction, scan (whose blocks look back at
 * the ones before them) and radix sort. */
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "check.h"

int main()
{
    const int n = 6000;
    thrust::host_vector<int> host(n);
    unsigned seed = 1;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += host[i] = (int)(seed >> 12);
    }
    thrust::device_vector<int> device = host;
    CHECK(thrust::reduce(device.begin(), device.end(), 0LL) == sum);
    thrust::device_vector<int> ones(n, 1);
    thrust::inclusive_scan(ones.begin(), ones.end(), ones.begin());
    CHECK(ones[0] == 1 && ones[n - 1] == n);
    thrust::sort(device.begin(), device.end());
    thrust::host_vector<int> sorted = device;
    std::sort(host.begin(), host.end());
    CHECK(sorted == host);
    printf("thrust ok\n");
    return 0;
}
