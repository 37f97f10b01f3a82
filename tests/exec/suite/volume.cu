/* volume.cu - arrays of three dimensions: a surface that a kernel writes, a texture with filtering that another reads,
 * layers, copies of boxes. */
#include <cmath>

#include "../check.h"

enum { X = 12, Y = 10, Z = 6 };

__global__ void write(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = blockIdx.x;
    for (int z = 0; z < Z; z++) surf3Dwrite((float)(x + 100 * y + 10000 * z), s, x * sizeof(float), y, z);
}
__global__ void read(cudaTextureObject_t t, cudaTextureObject_t layers, cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    float a = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f), b;
    surf3Dread(&b, s, x * sizeof(float), y, z);
    float between = tex3D<float>(t, x + 1.0f, y + 0.5f, z + 0.5f); /* half way to the next, or the last itself */
    out[(z * Y + y) * X + x] = a == b ? between : -1;
    if (z < 3) out[(Z * Y + z * Y + y) * X + x] = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, z);
}

int main()
{
    static float host[Z][Y][X], got[Z + 3][Y][X], layer[3][Y][X];
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t box, stack;
    cudaExtent size = make_cudaExtent(X, Y, Z);
    float *out;
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMalloc3DArray(&box, &d, size, cudaArraySurfaceLoadStore));
    CUDA(cudaMalloc3DArray(&stack, &d, make_cudaExtent(X, Y, 3), cudaArrayLayered));
    cudaExtent asked;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&d, &asked, &flags, box));
    CHECK(asked.width == X && asked.height == Y && asked.depth == Z && flags == cudaArraySurfaceLoadStore);
    for (int i = 0; i < 3 * Y * X; i++) (&layer[0][0][0])[i] = (float)(i * 3);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(layer, X * sizeof(float), X, Y);
    p.dstArray = stack;
    p.extent = make_cudaExtent(X, Y, 3);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = box;
    cudaSurfaceObject_t surface;
    CUDA(cudaCreateSurfaceObject(&surface, &r));
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture, layers;
    CUDA(cudaCreateTextureObject(&texture, &r, &t, NULL));
    t.filterMode = cudaFilterModePoint;
    r.res.array.array = stack;
    CUDA(cudaCreateTextureObject(&layers, &r, &t, NULL));
    write<<<Y, X>>>(surface);
    read<<<dim3(Y, Z), X>>>(texture, layers, surface, out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++)
                CHECK(got[z][y][x] == x + (x < X - 1 ? 0.5f : 0) + 100 * y + 10000 * z);
    for (int i = 0; i < 3 * Y * X; i++) CHECK((&got[Z][0][0])[i] == (float)(i * 3));
    cudaMemcpy3DParms q = {}; /* a box out of the middle */
    q.srcArray = box;
    q.srcPos = make_cudaPos(2, 1, 3);
    q.dstPtr = make_cudaPitchedPtr(host, X * sizeof(float), X, Y);
    q.extent = make_cudaExtent(4, 5, 2);
    q.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&q));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 4; x++) CHECK(host[z][y][x] == (float)(x + 2 + 100 * (y + 1) + 10000 * (z + 3)));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(box));
    printf("volume ok\n");
    return 0;
}
