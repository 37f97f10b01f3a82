/* kmeans_texture - kmeans' nearest centres as the program this stands for has it: the transposed
 * features come through a one-dimensional texture, coalesced, once for each centre; the centres lie in
 * constant memory. kmeans_2 is the same with the read-only path instead of the texture.
 * Loops and the distance of columns are as in kmeans.cu. */

#define MAX_CENTRE_FLOATS 8192

__constant__ float centres[MAX_CENTRE_FLOATS];

extern "C" __global__ void kmeans_texture(cudaTextureObject_t columns, int *member, int points, int features,
                                          int clusters, int apart)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    int best = -1;
    float least = 3.4e38f;
#pragma unroll 1
    for (int c = 0; c < clusters; c++) {
        float sum = 0;
#pragma unroll 1
        for (int f = 0; f < features; f++) {
            float d = tex1Dfetch<float>(columns, p + apart * f) - centres[c * features + f];
            sum = fmaf(d, d, sum);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    member[p] = best;
}
