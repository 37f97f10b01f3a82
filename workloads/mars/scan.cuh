/* scan.cuh - what every map phase does between counting and emitting: each thread's place in the
 * output. Exclusive prefix sums in place by one CTA of 256; value[n] becomes the total. */

extern "C" __global__ void mars_scan(int *value, int n)
{
    __shared__ int sum[256];
    int t = threadIdx.x, before = 0;
    for (int base = 0; base < n; base += 256) {
        int mine = base + t < n ? value[base + t] : 0, total = mine;
        sum[t] = mine;
        for (int reach = 1; reach < 256; reach *= 2) {
            __syncthreads();
            int other = t >= reach ? sum[t - reach] : 0;
            __syncthreads();
            sum[t] = total += other;
        }
        __syncthreads();
        if (base + t < n) value[base + t] = before + total - mine;
        before += sum[255];
        __syncthreads();
    }
    if (t == 0) value[n] = before;
}
