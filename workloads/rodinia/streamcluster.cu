/* streamcluster - what it would save to open a new centre at point x, a thread per point.
 *
 * Coordinates lie by dimension, `apart` points from one to the next: a coalesced stream per iteration; those of the candidate are copied
 * to shared memory by one thread. After the loop come the point's own 32-byte record (weight, cost,
 * assignment: 8 requests each, the same lines) and one word of the point's row of work memory, read
 * and written, the lanes a row apart. */

struct point {
    float weight, pad;
    unsigned long long coord; /* where a program keeps a pointer; not read here */
    long long assign;         /* index of the point that is its centre now */
    float cost;               /* of that assignment */
};

extern "C" __global__ void streamcluster_cost(int num, int dim, int x, point *points, int centres, float *coord,
                                              float *work, int *centre_of, char *moves, int apart)
{
    extern __shared__ float candidate[];
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        for (int d = 0; d < dim; d++) candidate[d] = coord[d * apart + x];
    __syncthreads();
    if (me >= num) return;
    float cost = 0;
    for (int d = 0; d < dim; d++) {
        float away = coord[d * apart + me] - candidate[d];
        cost = fmaf(away, away, cost);
    }
    cost *= points[me].weight;
    float now = points[me].cost;
    float *mine = &work[(size_t)me * (centres + 1)];
    if (cost < now) {
        moves[me] = 1;
        mine[centres] += cost - now;
    } else {
        mine[centre_of[points[me].assign]] += now - cost;
    }
}
