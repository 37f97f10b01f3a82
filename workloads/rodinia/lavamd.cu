/* lavamd - forces between particles of neighbouring boxes, a CTA of 128 threads per box, doubles.
 *
 * The particles of the home box, then those of each neighbour, are copied to shared memory: records
 * of four doubles, so each of the four loads has its lanes 32 bytes apart; charges are coalesced.
 * Then every thread meets all particles of the neighbour: a dot product, an exponential, a force. */

#define PER_BOX 100

struct vec4 {
    double v, x, y, z;
};

struct box {
    int first, neighbours; /* index of its first particle */
    int neighbour[26];
};

extern "C" __global__ void lavamd(const box *boxes, const vec4 *place, const double *charge, vec4 *force, double a2)
{
    __shared__ vec4 home[PER_BOX], other[PER_BOX];
    __shared__ double q[PER_BOX];
    const box *b = &boxes[blockIdx.x];

    for (int i = threadIdx.x; i < PER_BOX; i += blockDim.x) home[i] = place[b->first + i];
    __syncthreads();
    for (int k = 0; k <= b->neighbours; k++) { /* first itself */
        int first = k == 0 ? b->first : boxes[b->neighbour[k - 1]].first;
        for (int i = threadIdx.x; i < PER_BOX; i += blockDim.x) {
            other[i] = place[first + i];
            q[i] = charge[first + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < PER_BOX; i += blockDim.x) {
            vec4 me = home[i], f = force[b->first + i];
            for (int p = 0; p < PER_BOX; p++) {
                vec4 it = other[p];
                double r2 = me.v + it.v - (me.x * it.x + me.y * it.y + me.z * it.z);
                double e = exp(-a2 * r2), fs = 2 * e;
                f.v += q[p] * e;
                f.x += q[p] * (fs * (me.x - it.x));
                f.y += q[p] * (fs * (me.y - it.y));
                f.z += q[p] * (fs * (me.z - it.z));
            }
            force[b->first + i] = f;
        }
        __syncthreads();
    }
}
