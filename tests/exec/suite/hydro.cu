/* hydro.cu - an explicit time step over structures of arrays in double precision, many small kernels, a minimum over all
 * cells that sets the next step: the shape of shock hydrodynamics codes. */
#include <cmath>
#include <vector>

#include "../check.h"

struct mesh {
    double *x, *v, *e, *p, *force;
    int n;
};

__global__ void pressure(mesh m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m.n) m.p[i] = 0.4 * m.e[i] / (m.x[i + 1] - m.x[i]);
}
__global__ void forces(mesh m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= m.n) m.force[i] = (i ? m.p[i - 1] : m.p[0]) - (i < m.n ? m.p[i] : m.p[m.n - 1]);
}
__global__ void move(mesh m, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > m.n) return;
    m.v[i] += dt * m.force[i];
    m.x[i] += dt * m.v[i];
}
__global__ void energy(mesh m, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m.n) m.e[i] -= dt * m.p[i] * (m.v[i + 1] - m.v[i]);
}
__global__ void courant(mesh m, unsigned long long *least)
{
    __shared__ double t[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t[threadIdx.x] = i < m.n ? (m.x[i + 1] - m.x[i]) / sqrt(1.4 * m.p[i] + 1e-9) : 1e9;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (threadIdx.x < d) t[threadIdx.x] = fmin(t[threadIdx.x], t[threadIdx.x + d]);
        __syncthreads();
    }
    if (!threadIdx.x) atomicMin(least, (unsigned long long)__double_as_longlong(t[0])); /* positive: in order as integers */
}

int main()
{
    enum { N = 300, STEPS = 6 };
    std::vector<double> x(N + 1), v(N + 1), e(N), p(N), f(N + 1), gx(N + 1), ge(N);
    for (int i = 0; i <= N; i++) x[i] = i;
    for (int i = 0; i < N; i++) e[i] = i < N / 2 ? 2 : 0.2;
    mesh m = {NULL, NULL, NULL, NULL, NULL, N};
    unsigned long long *least, bits;
    double **field[] = {&m.x, &m.v, &m.e, &m.p, &m.force};
    for (double **d : field) CUDA(cudaMalloc(d, (N + 1) * sizeof(double)));
    CUDA(cudaMalloc(&least, sizeof bits));
    CUDA(cudaMemcpy(m.x, x.data(), (N + 1) * sizeof(double), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(m.e, e.data(), N * sizeof(double), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(m.v, 0, (N + 1) * sizeof(double)));
    double dt = 0.01;
    for (int s = 0; s < STEPS; s++) {
        int grid = N / 128 + 1;
        CUDA(cudaMemset(least, 0x7f, sizeof bits));
        pressure<<<grid, 128>>>(m);
        forces<<<grid, 128>>>(m);
        move<<<grid, 128>>>(m, dt);
        energy<<<grid, 128>>>(m, dt);
        courant<<<grid, 128>>>(m, least);
        CUDA(cudaMemcpy(&bits, least, sizeof bits, cudaMemcpyDeviceToHost));
        double want = 1e9;
        for (int i = 0; i < N; i++) p[i] = 0.4 * e[i] / (x[i + 1] - x[i]);
        for (int i = 0; i <= N; i++) f[i] = (i ? p[i - 1] : p[0]) - (i < N ? p[i] : p[N - 1]);
        for (int i = 0; i <= N; i++) v[i] += dt * f[i], x[i] += dt * v[i];
        for (int i = 0; i < N; i++) e[i] -= dt * p[i] * (v[i + 1] - v[i]);
        for (int i = 0; i < N; i++) want = std::fmin(want, (x[i + 1] - x[i]) / std::sqrt(1.4 * p[i] + 1e-9));
        double next;
        static_assert(sizeof next == sizeof bits, "");
        __builtin_memcpy(&next, &bits, sizeof next);
        CHECK(std::fabs(next - want) < 1e-9);
        dt = 0.01 * want;
    }
    CUDA(cudaMemcpy(gx.data(), m.x, (N + 1) * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(ge.data(), m.e, N * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) CHECK(std::fabs(gx[i] - x[i]) < 1e-9 && std::fabs(ge[i] - e[i]) < 1e-9);
    printf("hydro ok\n");
    return 0;
}
