/* cfd - flow of a gas over an unstructured mesh, a thread per cell, 192 per CTA.
 *
 * The five variables of a cell (density, momentum, energy) lie by variable. cfd_flux: own values,
 * then for each of four neighbours its number and the normal of the common face, coalesced, and
 * five gathers, clustered as far as the mesh's numbering is. cfd_step_factor and cfd_time_step are
 * coalesced throughout. Three stages of a Runge-Kutta scheme make one iteration. */

#define SIDES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f

struct vec {
    float x, y, z;
};

struct state {
    float density, energy, pressure, speed; /* speed: of the flow plus that of sound */
    vec momentum, velocity;
};

__constant__ float far_field[5]; /* variables at infinity */

__device__ __forceinline__ state derive(float density, vec m, float energy)
{
    state s;
    s.density = density;
    s.momentum = m;
    s.energy = energy;
    s.velocity.x = m.x / density;
    s.velocity.y = m.y / density;
    s.velocity.z = m.z / density;
    float square = s.velocity.x * s.velocity.x + s.velocity.y * s.velocity.y + s.velocity.z * s.velocity.z;
    s.pressure = (GAMMA - 1.0f) * (energy - 0.5f * density * square);
    s.speed = sqrtf(square) + sqrtf(GAMMA * s.pressure / density);
    return s;
}

__device__ __forceinline__ state load(const float *v, int i, int n)
{
    vec m = {v[i + n], v[i + 2 * n], v[i + 3 * n]};
    return derive(v[i], m, v[i + 4 * n]);
}

extern "C" __global__ void cfd_initialise(float *variables, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 5; k++) variables[i + k * n] = far_field[k];
}

extern "C" __global__ void cfd_step_factor(const float *variables, const float *areas, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    factor[i] = 0.5f / (sqrtf(areas[i]) * load(variables, i, n).speed);
}

/* Adds half the flux of `s` through a face. */
__device__ __forceinline__ void add_flux(float *f, const state &s, vec normal)
{
    float through = 0.5f * (normal.x * s.velocity.x + normal.y * s.velocity.y + normal.z * s.velocity.z);
    float push = 0.5f * s.pressure;
    f[0] += through * s.density;
    f[1] += through * s.momentum.x + push * normal.x;
    f[2] += through * s.momentum.y + push * normal.y;
    f[3] += through * s.momentum.z + push * normal.z;
    f[4] += through * (s.energy + s.pressure);
}

extern "C" __global__ void cfd_flux(const int *neighbours, const float *normals, const float *variables, float *fluxes,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    state own = load(variables, i, n);
    float f[5] = {0, 0, 0, 0, 0};
    for (int side = 0; side < SIDES; side++) {
        int other = neighbours[i + side * n];
        vec normal = {normals[i + side * n], normals[i + (side + SIDES) * n], normals[i + (side + 2 * SIDES) * n]};
        if (other == -1) { /* a wall: pressure only */
            f[1] += normal.x * own.pressure;
            f[2] += normal.y * own.pressure;
            f[3] += normal.z * own.pressure;
            continue;
        }
        vec far_momentum = {far_field[1], far_field[2], far_field[3]};
        state there = other >= 0 ? load(variables, other, n) : derive(far_field[0], far_momentum, far_field[4]);
        float size = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
        float smooth = -size * SMOOTHING * 0.5f * (own.speed + there.speed);
        f[0] += smooth * (own.density - there.density);
        f[1] += smooth * (own.momentum.x - there.momentum.x);
        f[2] += smooth * (own.momentum.y - there.momentum.y);
        f[3] += smooth * (own.momentum.z - there.momentum.z);
        f[4] += smooth * (own.energy - there.energy);
        add_flux(f, own, normal);
        add_flux(f, there, normal);
    }
    for (int k = 0; k < 5; k++) fluxes[i + k * n] = f[k];
}

extern "C" __global__ void cfd_time_step(int divisor, const float *old, float *variables, const float *factor,
                                         const float *fluxes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float step = factor[i] / divisor;
    for (int k = 0; k < 5; k++) variables[i + k * n] = old[i + k * n] + step * fluxes[i + k * n];
}
