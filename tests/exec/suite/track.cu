/* track.cu - a dilation and a gradient score over an image in texture references of two dimensions, one of an array, with
 * offsets in constant memory, as cell tracking has them. For nvcc 11. */
#include "../check.h"

enum { W = 48, H = 30, POINTS = 12 };
texture<float, 2, cudaReadModeElementType> t_image;
texture<float, 2, cudaReadModeElementType> t_gradient;
__constant__ int c_x[POINTS], c_y[POINTS];

__global__ void score(float *out)
{
    int x = blockIdx.x, y = threadIdx.x;
    float best = -1e30f;
    for (int i = 0; i < POINTS; i++) {
        float g = tex2D(t_gradient, x + c_x[i] + 0.5f, y + c_y[i] + 0.5f);
        best = fmaxf(best, g * tex2D(t_image, x + 0.5f, y + 0.5f));
    }
    out[y * W + x] = best;
}

static int clamp(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

int main()
{
    static float image[H][W], gradient[H][W], got[H][W];
    int x[POINTS], y[POINTS];
    float *pitched, *out;
    size_t pitch;
    cudaArray_t array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    for (int i = 0; i < W * H; i++) image[i / W][i % W] = (float)(i * 13 % 31), gradient[i / W][i % W] = (float)(i * 7 % 23) - 11;
    for (int i = 0; i < POINTS; i++) x[i] = i % 5 - 2, y[i] = i % 7 - 3;
    CUDA(cudaMallocPitch(&pitched, &pitch, sizeof image[0], H));
    CUDA(cudaMemcpy2D(pitched, pitch, image, sizeof image[0], sizeof image[0], H, cudaMemcpyHostToDevice));
    CUDA(cudaMallocArray(&array, &d, W, H));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, gradient, sizeof gradient[0], sizeof gradient[0], H, cudaMemcpyHostToDevice));
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemcpyToSymbol(c_x, x, sizeof x));
    CUDA(cudaMemcpyToSymbol(c_y, y, sizeof y));
    t_gradient.addressMode[0] = t_gradient.addressMode[1] = cudaAddressModeClamp;
    CUDA(cudaBindTexture2D(0, t_image, pitched, d, W, H, pitch));
    CUDA(cudaBindTextureToArray(t_gradient, array, d));
    score<<<W, H>>>(out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++) {
            float best = -1e30f;
            for (int k = 0; k < POINTS; k++) {
                float v = gradient[clamp(j + y[k], H)][clamp(i + x[k], W)] * image[j][i];
                best = v > best ? v : best;
            }
            CHECK(got[j][i] == best);
        }
    printf("track ok\n");
    return 0;
}
