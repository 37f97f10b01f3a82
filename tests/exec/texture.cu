/* texture.cu - texture objects over linear memory, pitched memory and arrays. */
#include "check.h"

__global__ void fetch(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t array, float *out, int width)
{
    int x = threadIdx.x, y = blockIdx.x;
    float a = tex1Dfetch<float>(line, y * width + x);
    float b = tex2D<float>(plane, x + 0.5f, y + 0.5f);
    float c = tex2D<float>(array, (x + 0.5f) / width, (y + 0.5f) / gridDim.x);
    out[y * width + x] = a + 1000 * b + 1000000 * c;
}

int main()
{
    enum { WIDTH = 32, HEIGHT = 8 };
    float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH], *line, *plane, *out;
    size_t pitch;
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) host[y][x] = (float)((x + y) % 8);
    CUDA(cudaMalloc(&line, sizeof host));
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMallocPitch(&plane, &pitch, sizeof host[0], HEIGHT));
    CUDA(cudaMallocArray(&array, &desc, WIDTH, HEIGHT));
    CUDA(cudaMemcpy(line, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2D(plane, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    t.readMode = cudaReadModeElementType;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t object[3];
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = line;
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = sizeof host;
    CUDA(cudaCreateTextureObject(&object[0], &r, &t, NULL));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = plane;
    r.res.pitch2D.desc = desc;
    r.res.pitch2D.width = WIDTH;
    r.res.pitch2D.height = HEIGHT;
    r.res.pitch2D.pitchInBytes = pitch;
    CUDA(cudaCreateTextureObject(&object[1], &r, &t, NULL));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    t.normalizedCoords = 1;
    CUDA(cudaCreateTextureObject(&object[2], &r, &t, NULL));
    fetch<<<HEIGHT, WIDTH>>>(object[0], object[1], object[2], out, WIDTH);
    CUDA(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) CHECK(back[y][x] == 1001001 * host[y][x]);
    cudaChannelFormatDesc got;
    CUDA(cudaGetChannelDesc(&got, array));
    CHECK(got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindFloat);
    for (int i = 0; i < 3; i++) CUDA(cudaDestroyTextureObject(object[i]));
    CUDA(cudaFreeArray(array));
    printf("texture ok\n");
    return 0;
}
