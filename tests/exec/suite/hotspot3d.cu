/* hotspot3d.cu - a stencil over pitched memory of three dimensions: cudaMalloc3D, cudaMemcpy3D, cudaMemset3D. */
#include <cmath>

#include "../check.h"

enum { X = 20, Y = 12, Z = 6, STEPS = 4 };

__global__ void step(cudaPitchedPtr from, cudaPitchedPtr to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= X || y >= Y) return;
    size_t slice = from.pitch * Y;
    for (int z = 0; z < Z; z++) {
        auto at = [&](int i, int j, int k) {
            i = min(max(i, 0), X - 1), j = min(max(j, 0), Y - 1), k = min(max(k, 0), Z - 1);
            return ((const float *)((const char *)from.ptr + k * slice + j * from.pitch))[i];
        };
        float v = 0.4f * at(x, y, z) + 0.1f * (at(x - 1, y, z) + at(x + 1, y, z)) +
                  0.1f * (at(x, y - 1, z) + at(x, y + 1, z)) + 0.1f * (at(x, y, z - 1) + at(x, y, z + 1));
        ((float *)((char *)to.ptr + z * slice + y * to.pitch))[x] = v;
    }
}

static float host[Z][Y][X], next_host[Z][Y][X], back[Z][Y][X];

static float at(int i, int j, int k)
{
    i = i < 0 ? 0 : i >= X ? X - 1 : i, j = j < 0 ? 0 : j >= Y ? Y - 1 : j, k = k < 0 ? 0 : k >= Z ? Z - 1 : k;
    return host[k][j][i];
}

int main()
{
    cudaExtent size = make_cudaExtent(X * sizeof(float), Y, Z);
    cudaPitchedPtr a, b;
    for (int i = 0; i < X * Y * Z; i++) (&host[0][0][0])[i] = (float)(i * 37 % 101);
    CUDA(cudaMalloc3D(&a, size));
    CUDA(cudaMalloc3D(&b, size));
    CUDA(cudaMemset3D(b, 0, size));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, X * sizeof(float), X, Y);
    p.dstPtr = a;
    p.extent = size;
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    for (int s = 0; s < STEPS; s++) {
        step<<<dim3((X + 15) / 16, (Y + 3) / 4), dim3(16, 4)>>>(a, b);
        cudaPitchedPtr t = a;
        a = b;
        b = t;
        for (int k = 0; k < Z; k++)
            for (int j = 0; j < Y; j++)
                for (int i = 0; i < X; i++)
                    next_host[k][j][i] = 0.4f * at(i, j, k) + 0.1f * (at(i - 1, j, k) + at(i + 1, j, k)) +
                                         0.1f * (at(i, j - 1, k) + at(i, j + 1, k)) +
                                         0.1f * (at(i, j, k - 1) + at(i, j, k + 1));
        for (int i = 0; i < X * Y * Z; i++) (&host[0][0][0])[i] = (&next_host[0][0][0])[i];
    }
    cudaMemcpy3DParms q = {};
    q.srcPtr = a;
    q.dstPtr = make_cudaPitchedPtr(back, X * sizeof(float), X, Y);
    q.extent = size;
    q.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3DAsync(&q, 0));
    for (int i = 0; i < X * Y * Z; i++) CHECK(std::fabs((&back[0][0][0])[i] - (&host[0][0][0])[i]) < 1e-3f);
    printf("hotspot3d ok\n");
    return 0;
}
