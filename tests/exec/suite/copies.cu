/* copies.cu - boxes copied between the host, pitched memory and arrays: parts with offsets and strides, fills of two
 * and three dimensions, copies on the device, between symbols and buffers, and asynchronous ones in order. */
#include <cstring>

#include "../check.h"

enum { W = 20, H = 10, D = 6 };

__global__ void add_place(cudaPitchedPtr p)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    int *row = (int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch);
    row[x] += 10000 * z + 100 * y + x;
}
__global__ void from_surface(cudaSurfaceObject_t s, int *out)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, v;
    surf3Dread(&v, s, x * 4, y, z);
    out[(z * H + y) * W + x] = v;
}

int main()
{
    static int h[D][H][W], part[3][4][5];
    cudaExtent all = make_cudaExtent(W * 4, H, D);
    cudaPitchedPtr dev;
    CUDA(cudaMalloc3D(&dev, all));
    CHECK(dev.pitch >= W * 4 && dev.xsize == W * 4 && dev.ysize == H);
    CUDA(cudaMemset3D(dev, 0, all));
    CUDA(cudaMemset2D(dev.ptr, dev.pitch, 1, W * 4, 2)); /* two rows of 0x01010101 */
    add_place<<<dim3(H, D), W>>>(dev);
    cudaMemcpy3DParms p = {};
    p.srcPtr = dev;
    p.dstPtr = make_cudaPitchedPtr(h, W * 4, W, H);
    p.extent = all;
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    for (int i = 0; i < W * H * D; i++) {
        int x = i % W, y = i / W % H, z = i / W / H;
        CHECK(h[z][y][x] == 10000 * z + 100 * y + x + (!z && y < 2 ? 0x01010101 : 0));
    }
    memset(&p, 0, sizeof p);
    p.srcPtr = dev;
    p.srcPos = make_cudaPos(7 * 4, 3, 2); /* bytes along x: no array takes part */
    p.dstPtr = make_cudaPitchedPtr(part, 5 * 4, 5, 4);
    p.dstPos = make_cudaPos(4, 1, 0);
    p.extent = make_cudaExtent(3 * 4, 2, 3);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) {
                bool in = y >= 1 && y < 3 && x >= 1 && x < 4;
                CHECK(part[z][y][x] == (in ? h[z + 2][y + 2][x + 6] : 0));
            }

    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    memset(&p, 0, sizeof p);
    p.srcPtr = dev;
    p.dstArray = array;
    p.extent = make_cudaExtent(W, H, D); /* elements: an array takes part */
    p.kind = cudaMemcpyDeviceToDevice;
    CUDA(cudaMemcpy3D(&p));
    cudaExtent seen;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&format, &seen, &flags, array));
    CHECK(seen.width == W && seen.height == H && seen.depth == D && format.x == 32);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t surface;
    int *flat;
    static int back[D][H][W];
    CUDA(cudaCreateSurfaceObject(&surface, &r));
    CUDA(cudaMalloc(&flat, sizeof back));
    from_surface<<<dim3(H, D), W>>>(surface, flat);
    CUDA(cudaMemcpy(back, flat, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(back, h, sizeof h));

    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaMemset2DAsync(flat, W * 4, 0, 4 * 4, H, s)); /* four columns of the first slice */
    CUDA(cudaMemcpy2DAsync(back, W * 4, flat, W * 4, W * 4, H, cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < W * H; i++) CHECK(back[0][i / W][i % W] == (i % W < 4 ? 0 : h[0][i / W][i % W]));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
    printf("copies ok\n");
    return 0;
}
