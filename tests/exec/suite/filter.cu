/* filter.cu - texture objects of one, two and three dimensions with every way to address, filter, read and count,
 * against the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), whose fractions have 8 bits. */
#include "../check.h"
#include <cmath>
#include <cstring>

enum { W = 8, H = 6, D = 4, PROBES = 40 };

static int wrap_of(int i, int n, cudaTextureAddressMode mode, bool *outside)
{
    if (mode == cudaAddressModeBorder && (i < 0 || i >= n)) *outside = true;
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    if (mode == cudaAddressModeMirror) {
        int k = (i % (2 * n) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct how {
    int dims;
    cudaTextureAddressMode mode;
    cudaTextureFilterMode filter;
    bool normal, bytes;
};

static float texel(const float *v, const how &h, int x, int y, int z)
{
    bool outside = false;
    int n[3] = {W, h.dims > 1 ? H : 1, h.dims > 2 ? D : 1};
    x = wrap_of(x, n[0], h.mode, &outside);
    if (h.dims > 1) y = wrap_of(y, n[1], h.mode, &outside);
    if (h.dims > 2) z = wrap_of(z, n[2], h.mode, &outside);
    return outside ? 0.0f : v[(z * n[1] + y) * n[0] + x];
}

static float expected(const float *v, const how &h, float x, float y, float z)
{
    if (h.normal) x *= W, y *= H, z *= D;
    if (h.filter == cudaFilterModePoint)
        return texel(v, h, (int)floorf(x), h.dims > 1 ? (int)floorf(y) : 0, h.dims > 2 ? (int)floorf(z) : 0);
    float f[3] = {x - 0.5f, h.dims > 1 ? y - 0.5f : 0, h.dims > 2 ? z - 0.5f : 0}, sum = 0;
    int i[3];
    for (int k = 0; k < 3; k++) {
        i[k] = (int)floorf(f[k]);
        f[k] = roundf((f[k] - i[k]) * 256) / 256;
    }
    for (int c = 0; c < 1 << h.dims; c++) {
        float weight = 1;
        for (int k = 0; k < h.dims; k++) weight *= c >> k & 1 ? f[k] : 1 - f[k];
        sum += weight * texel(v, h, i[0] + (c & 1), i[1] + (c >> 1 & 1), i[2] + (c >> 2 & 1));
    }
    return sum;
}

__global__ void probe(cudaTextureObject_t t, int dims, const float4 *at, float *out)
{
    int i = threadIdx.x;
    float4 p = at[i];
    out[i] = dims == 1 ? tex1D<float>(t, p.x) : dims == 2 ? tex2D<float>(t, p.x, p.y) : tex3D<float>(t, p.x, p.y, p.z);
}

static void try_one(const how &h, cudaArray_t a, const float *v, const float4 *at, const float4 *dat, float *dout)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (int k = 0; k < 3; k++) d.addressMode[k] = h.mode;
    d.filterMode = h.filter;
    d.normalizedCoords = h.normal;
    d.readMode = h.bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    probe<<<1, PROBES>>>(t, h.dims, dat, dout);
    float out[PROBES];
    CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < PROBES; i++) {
        float want = expected(v, h, at[i].x, at[i].y, at[i].z);
        /* half a step of the fraction of 8 bits, in each dimension, over the steepest slope */
        float near = h.filter == cudaFilterModePoint ? 0 : h.bytes ? 0.01f : 0.8f;
        if (fabsf(out[i] - want) > near)
            printf("dims %d mode %d filter %d normal %d bytes %d at %g %g %g: %g, not %g\n", h.dims, h.mode, h.filter,
                   h.normal, h.bytes, at[i].x, at[i].y, at[i].z, out[i], want);
        CHECK(fabsf(out[i] - want) <= near);
    }
    CUDA(cudaDestroyTextureObject(t));
}

int main()
{
    float4 at[PROBES], *dat;
    float *dout, v[W * H * D], vb[W * H * D];
    unsigned char b[W * H * D];
    CUDA(cudaMalloc(&dat, sizeof at));
    CUDA(cudaMalloc(&dout, 4 * PROBES));
    for (int i = 0; i < W * H * D; i++) {
        v[i] = (float)((i * 37) % 101);
        b[i] = (unsigned char)(i * 53);
        vb[i] = b[i] / 255.0f;
    }
    for (int dims = 1; dims <= 3; dims++) {
        cudaExtent e = make_cudaExtent(W, dims > 1 ? H : 0, dims > 2 ? D : 0);
        cudaArray_t a, ab;
        cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), fb = cudaCreateChannelDesc<unsigned char>();
        CUDA(cudaMalloc3DArray(&a, &f, e));
        CUDA(cudaMalloc3DArray(&ab, &fb, e));
        for (int k = 0; k < 2; k++) {
            cudaMemcpy3DParms p = {};
            p.srcPtr = make_cudaPitchedPtr(k ? (void *)b : (void *)v, k ? W : 4 * W, W, dims > 1 ? H : 1);
            p.dstArray = k ? ab : a;
            p.extent = make_cudaExtent(W, dims > 1 ? H : 1, dims > 2 ? D : 1);
            p.kind = cudaMemcpyHostToDevice;
            CUDA(cudaMemcpy3D(&p));
        }
        for (int c = 0; c < 32; c++) {
            how h = {dims, (cudaTextureAddressMode)(c & 3), c & 4 ? cudaFilterModeLinear : cudaFilterModePoint,
                     (bool)(c & 8), (bool)(c & 16)};
            if (!h.normal && (h.mode == cudaAddressModeWrap || h.mode == cudaAddressModeMirror)) continue;
            for (int i = 0; i < PROBES; i++) {
                /* multiples of 1/8, off the borders of texels */
                at[i] = make_float4(((i * 29) % 160) / 8.0f - 6.0625f, ((i * 17) % 120) / 8.0f - 4.0625f,
                                    ((i * 13) % 80) / 8.0f - 3.0625f, 0);
                if (h.normal) at[i].x /= W, at[i].y /= H, at[i].z /= D;
            }
            CUDA(cudaMemcpy(dat, at, sizeof at, cudaMemcpyHostToDevice));
            try_one(h, h.bytes ? ab : a, h.bytes ? vb : v, at, dat, dout);
        }
        CUDA(cudaFreeArray(a));
        CUDA(cudaFreeArray(ab));
    }
    puts("filter ok");
}
