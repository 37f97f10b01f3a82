/* tracer.cu - rays and shapes: virtual functions of objects made on the device with new, recursion for mirrors, a table
 * of functions chosen by index; the host traces the same scene. */
#include <cmath>
#include <new>

#include "../check.h"

struct vec {
    float x, y, z;
};
__host__ __device__ vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ vec operator*(float s, vec a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct shape {
    float gray, mirror;
    __host__ __device__ shape(float g, float m) : gray(g), mirror(m) {}
    __host__ __device__ virtual float hit(vec from, vec way) const = 0; /* how far; negative: not at all */
    __host__ __device__ virtual vec normal(vec at) const = 0;
    __host__ __device__ virtual ~shape() {}
};
struct sphere : shape {
    vec c;
    float r;
    __host__ __device__ sphere(vec c, float r, float g, float m) : shape(g, m), c(c), r(r) {}
    __host__ __device__ float hit(vec from, vec way) const override
    {
        vec d = from + -1.0f * c;
        float b = dot(d, way), q = b * b - dot(d, d) + r * r;
        return q < 0 ? -1 : -b - sqrtf(q);
    }
    __host__ __device__ vec normal(vec at) const override { return (1 / r) * (at + -1.0f * c); }
};
struct ground : shape {
    float y;
    __host__ __device__ ground(float y, float g, float m) : shape(g, m), y(y) {}
    __host__ __device__ float hit(vec from, vec way) const override
    {
        return way.y < -1e-3f ? (y - from.y) / way.y : -1;
    }
    __host__ __device__ vec normal(vec) const override { return {0, 1, 0}; }
};

enum { SHAPES = 4, W = 32, H = 24 };

__host__ __device__ shape *make(int i)
{
    if (!i) return new ground(-1, 0.4f, 0.3f);
    return new sphere({i - 2.0f, 0.2f * i, 4.0f + i}, 0.6f, 0.2f + 0.2f * i, i == 2 ? 0.6f : 0);
}
__host__ __device__ float trace(shape *const *scene, vec from, vec way, int depth)
{
    int best = -1;
    float near = 1e30f;
    for (int i = 0; i < SHAPES; i++) {
        float t = scene[i]->hit(from, way);
        if (t > 1e-3f && t < near) near = t, best = i;
    }
    if (best < 0) return 0.1f;
    vec at = from + near * way, n = scene[best]->normal(at);
    float light = fmaxf(0, dot(n, vec{0.36f, 0.8f, -0.48f})), c = scene[best]->gray * (0.2f + light);
    if (depth && scene[best]->mirror > 0)
        c += scene[best]->mirror * trace(scene, at, way + -2 * dot(n, way) * n, depth - 1);
    return c;
}
__host__ __device__ float direct(float c) { return c; }
__host__ __device__ float squeezed(float c) { return c / (1 + c); }
__device__ float (*const tones[2])(float) = {direct, squeezed};

__global__ void build(shape **scene) { scene[threadIdx.x] = make((int)threadIdx.x); }
__global__ void drop(shape **scene) { delete scene[threadIdx.x]; }
__host__ __device__ vec way_of(int i)
{
    vec w = {(i % W - W / 2 + 0.5f) / W, (H / 2 - i / W - 0.5f) / W, 1};
    return 1 / sqrtf(dot(w, w)) * w;
}
__global__ void draw(shape **scene, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tones[i / W & 1](trace(scene, vec{0, 0, 0}, way_of(i), 3));
}

int main()
{
    shape **scene, *own[SHAPES];
    float *dev;
    static float got[W * H];
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CUDA(cudaMalloc(&scene, SHAPES * sizeof *scene));
    CUDA(cudaMalloc(&dev, sizeof got));
    build<<<1, SHAPES>>>(scene);
    draw<<<W * H / 64, 64>>>(scene, dev);
    drop<<<1, SHAPES>>>(scene);
    CUDA(cudaMemcpy(got, dev, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SHAPES; i++) own[i] = make(i);
    int off = 0;
    for (int i = 0; i < W * H; i++) {
        float c = trace(own, vec{0, 0, 0}, way_of(i), 3), want = i / W & 1 ? squeezed(c) : direct(c);
        off += fabsf(got[i] - want) > 1e-3f; /* a ray along an edge may go either way */
    }
    CHECK(off <= 4);
    for (int i = 0; i < SHAPES; i++) delete own[i];
    printf("tracer ok\n");
    return 0;
}
