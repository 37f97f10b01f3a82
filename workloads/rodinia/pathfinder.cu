/* pathfinder - cheapest path through a grid of costs, row by row, 256 columns per CTA.
 *
 * A CTA loads a row of sums with a border as wide as the rows it will walk, then per row one
 * coalesced load of costs (misaligned by the border), the least of three neighbours from shared
 * memory and two barriers, on a width that shrinks by two columns per row. */

#define WIDTH 256

extern "C" __global__ void pathfinder(int steps, int *wall, int *from, int *to, int cols, int start, int border)
{
    __shared__ int now[WIDTH], next[WIDTH];
    int tx = threadIdx.x, left = (WIDTH - 2 * border) * blockIdx.x - border, x = left + tx;
    int first = left < 0 ? -left : 0, last = left + WIDTH - 1 > cols - 1 ? cols - 1 - left : WIDTH - 1;
    int w = max(tx - 1, first), e = min(tx + 1, last);
    bool inside = tx >= first && tx <= last, done = false;
    if (inside) now[tx] = from[x];
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        done = tx >= i + 1 && tx <= WIDTH - i - 2 && inside;
        if (done) next[tx] = min(now[w], min(now[tx], now[e])) + wall[cols * (start + i) + x];
        __syncthreads();
        if (i == steps - 1) break;
        if (done) now[tx] = next[tx];
        __syncthreads();
    }
    if (done) to[x] = next[tx];
}
