/* kmeans.cu - clustering with the points in a texture reference, as in the suites of CUDA 11's days: the C form of binding,
 * centres in constant memory, membership changes counted by the host. For nvcc 11. */
#include <string.h>

#include "../check.h"

enum { POINTS = 700, FEATURES = 6, CLUSTERS = 5 };
texture<float, 1, cudaReadModeElementType> t_features;
texture<float, 1, cudaReadModeElementType> t_features_flipped;
__constant__ float c_clusters[CLUSTERS * FEATURES];

__global__ void nearest(int *membership)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= POINTS) return;
    float best = 1e30f;
    int at = -1;
    for (int c = 0; c < CLUSTERS; c++) {
        float d = 0;
        for (int f = 0; f < FEATURES; f++) {
            float x = tex1Dfetch(t_features, f * POINTS + p) - c_clusters[c * FEATURES + f];
            d += x * x;
        }
        if (d < best) best = d, at = c;
    }
    membership[p] = at;
}
__global__ void flip(float *out)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= POINTS) return;
    for (int f = 0; f < FEATURES; f++) out[f * POINTS + p] = tex1Dfetch(t_features_flipped, p * FEATURES + f);
}

int main()
{
    static float point[POINTS][FEATURES], centre[CLUSTERS][FEATURES];
    static int member[POINTS], want[POINTS];
    float *by_point, *by_feature;
    int *dm;
    for (int p = 0; p < POINTS; p++)
        for (int f = 0; f < FEATURES; f++) point[p][f] = (float)((p * 7 + f * 3) % 50 + p % CLUSTERS * 40);
    CUDA(cudaMalloc(&by_point, sizeof point));
    CUDA(cudaMalloc(&by_feature, sizeof point));
    CUDA(cudaMalloc(&dm, sizeof member));
    CUDA(cudaMemcpy(by_point, point, sizeof point, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    t_features.filterMode = t_features_flipped.filterMode = cudaFilterModePoint;
    t_features.normalized = t_features_flipped.normalized = false;
    t_features.channelDesc = t_features_flipped.channelDesc = d;
    CUDA(cudaBindTexture(NULL, &t_features_flipped, by_point, &d, sizeof point));
    flip<<<(POINTS + 127) / 128, 128>>>(by_feature);
    CUDA(cudaBindTexture(NULL, &t_features, by_feature, &d, sizeof point));
    for (int c = 0; c < CLUSTERS; c++) memcpy(centre[c], point[c * 11], sizeof centre[c]);
    for (int round = 0; round < 5; round++) {
        CUDA(cudaMemcpyToSymbol(c_clusters, centre, sizeof centre));
        nearest<<<(POINTS + 127) / 128, 128>>>(dm);
        CUDA(cudaThreadSynchronize());
        CUDA(cudaMemcpy(member, dm, sizeof member, cudaMemcpyDeviceToHost));
        for (int p = 0; p < POINTS; p++) {
            float best = 1e30f;
            for (int c = 0; c < CLUSTERS; c++) {
                float s = 0;
                for (int f = 0; f < FEATURES; f++) s += (point[p][f] - centre[c][f]) * (point[p][f] - centre[c][f]);
                if (s < best) best = s, want[p] = c;
            }
            CHECK(member[p] == want[p]);
        }
        for (int c = 0; c < CLUSTERS; c++)
            for (int f = 0; f < FEATURES; f++) {
                int n = 0, sum = 0;
                for (int p = 0; p < POINTS; p++)
                    if (member[p] == c) n++, sum += (int)point[p][f];
                if (n) centre[c][f] = (float)(sum / n); /* whole, so that both sides compute alike */
            }
    }
    printf("kmeans ok\n");
    return 0;
}
