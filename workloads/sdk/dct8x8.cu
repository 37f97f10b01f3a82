/* dct8x8 - cosine transform of a picture in blocks of 8 x 8, quantisation, and the way back.
 *
 * dct_plain: a CTA has a block, a thread a coefficient; the pixels come through a 2-D texture to shared
 * memory, the matrix from constant memory; a warp covers four rows of eight. dct_fast and dct_back: a CTA of
 * 32 x 2 has 32 x 16 pixels; a thread transforms a column, then a row, eight values in registers; lanes
 * load and store 32 consecutive columns. dct_quantise: a thread a coefficient, CTAs of 8 x 8. */

__constant__ float cosines[64]; /* [u][x] */
__constant__ float steps[64];   /* of quantisation */

extern "C" __global__ void dct_plain(cudaTextureObject_t picture, float *out, int width)
{
    __shared__ float block[64], half[64];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    block[ty * 8 + tx] = tex2D<float>(picture, (float)x, (float)y);
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += cosines[ty * 8 + k] * block[k * 8 + tx];
    half[ty * 8 + tx] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++) sum += half[ty * 8 + k] * cosines[tx * 8 + k];
    out[y * width + x] = sum;
}

/* Eight values a stride apart: sums and differences of opposite ones, then the even and the odd half. */
static __device__ void forward8(float *v, int stride)
{
    float s[4], d[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float a = v[k * stride], b = v[(7 - k) * stride];
        s[k] = a + b;
        d[k] = a - b;
    }
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f,
                c6 = 0.19134172f, c7 = 0.09754516f;
    float e = s[0] + s[3], f = s[1] + s[2], g = s[0] - s[3], h = s[1] - s[2];
    v[0] = c4 * (e + f);
    v[4 * stride] = c4 * (e - f);
    v[2 * stride] = c2 * g + c6 * h;
    v[6 * stride] = c6 * g - c2 * h;
    v[stride] = c1 * d[0] + c3 * d[1] + c5 * d[2] + c7 * d[3];
    v[3 * stride] = c3 * d[0] - c7 * d[1] - c1 * d[2] - c5 * d[3];
    v[5 * stride] = c5 * d[0] - c1 * d[1] + c7 * d[2] + c3 * d[3];
    v[7 * stride] = c7 * d[0] - c5 * d[1] + c3 * d[2] - c1 * d[3];
}

static __device__ void back8(float *v, int stride)
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f,
                c6 = 0.19134172f, c7 = 0.09754516f;
    float e = c4 * (v[0] + v[4 * stride]), f = c4 * (v[0] - v[4 * stride]);
    float g = c2 * v[2 * stride] + c6 * v[6 * stride], h = c6 * v[2 * stride] - c2 * v[6 * stride];
    float s[4] = {e + g, f + h, f - h, e - g}, a = v[stride], b = v[3 * stride], c = v[5 * stride], w = v[7 * stride];
    float d[4] = {c1 * a + c3 * b + c5 * c + c7 * w, c3 * a - c7 * b - c1 * c - c5 * w,
                  c5 * a - c1 * b + c7 * c + c3 * w, c7 * a - c5 * b + c3 * c - c1 * w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k * stride] = s[k] + d[k];
        v[(7 - k) * stride] = s[k] - d[k];
    }
}

enum { PITCH = 33 };

template <bool forward> static __device__ void transform(const float *in, float *out, int width)
{
    __shared__ float tile[16 * PITCH];
    int tx = threadIdx.x, ty = threadIdx.y, at = (blockIdx.y * 16 + ty * 8) * width + blockIdx.x * 32 + tx;
    float *column = tile + ty * 8 * PITCH + tx, *row = tile + (ty * 8 + tx % 8) * PITCH + tx / 8 * 8;
#pragma unroll
    for (int k = 0; k < 8; k++) column[k * PITCH] = in[at + k * width];
    __syncthreads();
    if (forward) forward8(column, PITCH);
    else back8(column, PITCH);
    __syncthreads();
    if (forward) forward8(row, 1);
    else back8(row, 1);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) out[at + k * width] = column[k * PITCH];
}

extern "C" __global__ void dct_fast(const float *in, float *out, int width) { transform<true>(in, out, width); }
extern "C" __global__ void dct_back(const float *in, float *out, int width) { transform<false>(in, out, width); }

extern "C" __global__ void dct_quantise(float *coefficients, int width)
{
    int tx = threadIdx.x, ty = threadIdx.y, at = (blockIdx.y * 8 + ty) * width + blockIdx.x * 8 + tx;
    float step = steps[ty * 8 + tx];
    coefficients[at] = __fmul_rn(rintf(__fdiv_rn(coefficients[at], step)), step);
}
