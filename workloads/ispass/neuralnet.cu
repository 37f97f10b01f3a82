/* neuralnet - a convolutional network that reads digits: four layers, a launch each, images side by side.
 *
 * Layers 1 and 2 step over the picture by two: lanes two floats apart, weights the same for all. Layers 3
 * and 4 have CTAs of a single thread that loops over all its weights. */

static __device__ float squash(float x) { return 1.7159f * tanhf(0.6666667f * x); }

/* 6 maps of 13 x 13 from 29 x 29. */
extern "C" __global__ void neuralnet_1(const float *image, const float *weight, float *out)
{
    int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    const float *from = image + blockIdx.y * 841 + 2 * y * 29 + 2 * x, *w = weight + map * 26;
    float sum = w[0];
    for (int k = 0; k < 25; k++) sum += w[1 + k] * from[k / 5 * 29 + k % 5];
    out[(blockIdx.y * 6 + map) * 169 + y * 13 + x] = squash(sum);
}

/* 50 maps of 5 x 5 from 6 of 13 x 13. */
extern "C" __global__ void neuralnet_2(const float *in, const float *weight, float *out)
{
    int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    const float *w = weight + map * 151;
    float sum = w[0];
    for (int k = 0; k < 25; k++)
        for (int m = 0; m < 6; m++)
            sum += w[1 + 6 * k + m] * in[(blockIdx.y * 6 + m) * 169 + (2 * y + k / 5) * 13 + 2 * x + k % 5];
    out[(blockIdx.y * 50 + map) * 25 + y * 5 + x] = squash(sum);
}

static __device__ void dense(const float *in, const float *weight, float *out, int inputs)
{
    const float *w = weight + blockIdx.x * (inputs + 1), *from = in + blockIdx.y * inputs;
    float sum = w[0];
    for (int k = 0; k < inputs; k++) sum += w[1 + k] * from[k];
    out[blockIdx.y * gridDim.x + blockIdx.x] = squash(sum);
}

extern "C" __global__ void neuralnet_3(const float *in, const float *weight, float *out)
{
    dense(in, weight, out, 1250);
}
extern "C" __global__ void neuralnet_4(const float *in, const float *weight, float *out)
{
    dense(in, weight, out, 100);
}
