/* weather - cloud microphysics of a weather model: a thread has a column of air, lanes lie along x.
 *
 * Ten three-dimensional fields, [y][level][x], are read and six of them changed; ten more keep the rates
 * between passes. Temporaries of a column are arrays of the thread, in local memory. The column is passed
 * over several times: saturation, condensation, rain by collision, ice, and the fall of rain and snow in
 * as many sub-steps as the fastest of it needs. */

enum { LEVELS = 32 }; /* at most */

struct fields {
    float *theta, *vapour, *cloud, *rain, *ice, *snow; /* changed */
    const float *density, *pressure, *thick, *exner;   /* given */
    float *saturated, *humid, *condense, *collect, *scoop, *evaporate, *freeze, *deposit, *melt,
        *heat; /* between passes */
};

static __device__ float saturation(float kelvin, float pressure)
{
    float vapour = 611.2f * expf(17.67f * (kelvin - 273.15f) / (kelvin - 29.65f));
    return 0.622f * vapour / (pressure - 0.378f * vapour);
}

/* Falls through the column; what leaves it at the bottom is returned. */
static __device__ float fall(float *water, const float *density, const float *thick, float *speed, int at, int level,
                             int levels, float rate, float dt)
{
    float most = 0, ground = 0, flux[LEVELS];
    for (int k = 0; k < levels; k++) {
        int i = at + k * level;
        speed[k] = rate * sqrtf(sqrtf(density[i] * water[i] + 1e-9f));
        most = fmaxf(most, speed[k] * dt / thick[i]);
    }
    int steps = min((int)most + 1, 8);
    float part = dt / (float)steps;
    for (int s = 0; s < steps; s++) {
        for (int k = levels - 1; k >= 0; k--) flux[k] = density[at + k * level] * water[at + k * level] * speed[k];
        for (int k = levels - 1; k >= 0; k--) {
            int i = at + k * level;
            float in = k + 1 < levels ? flux[k + 1] : 0;
            water[i] = fmaxf(water[i] + part * (in - flux[k]) / (density[i] * thick[i]), 0.0f);
        }
        ground += part * flux[0];
    }
    return ground;
}

extern "C" __global__ void weather(fields f, float *rained, float *snowed, int nx, int ny, int levels, float dt)
{
    float kelvin[LEVELS], speed[LEVELS];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int at = y * levels * nx + x;
    for (int k = 0; k < levels; k++) { /* where the air is saturated */
        int i = at + k * nx;
        kelvin[k] = f.theta[i] * f.exner[i];
        f.saturated[i] = saturation(kelvin[k], f.pressure[i]);
        f.humid[i] = f.vapour[i] / f.saturated[i];
    }
    for (int k = 0; k < levels; k++) { /* vapour to cloud, or back */
        int i = at + k * nx;
        float over = (f.vapour[i] - f.saturated[i]) / (1.0f + 10.0f * f.saturated[i]);
        f.condense[i] = fmaxf(over, -f.cloud[i]);
        f.cloud[i] += f.condense[i];
        f.vapour[i] -= f.condense[i];
        kelvin[k] += 2490.0f * f.condense[i];
    }
    for (int k = 0; k < levels; k++) { /* cloud to rain, by itself and by what falls through */
        int i = at + k * nx;
        f.collect[i] = fminf(1e-3f * dt * fmaxf(f.cloud[i] - 5e-4f, 0.0f), f.cloud[i]);
        f.scoop[i] = fminf(0.02f * dt * f.cloud[i] * sqrtf(f.rain[i]), f.cloud[i] - f.collect[i]);
        f.evaporate[i] = fminf(0.01f * dt * fmaxf(1.0f - f.humid[i], 0.0f) * f.rain[i], f.rain[i]);
        f.cloud[i] -= f.collect[i] + f.scoop[i];
        f.rain[i] += f.collect[i] + f.scoop[i] - f.evaporate[i];
        f.vapour[i] += f.evaporate[i];
        kelvin[k] -= 2490.0f * f.evaporate[i];
    }
    for (int k = 0; k < levels; k++) { /* ice and snow */
        int i = at + k * nx;
        float cold = fminf(fmaxf((273.15f - kelvin[k]) * 0.05f, 0.0f), 1.0f),
              warm = fminf(fmaxf((kelvin[k] - 273.15f) * 0.2f, 0.0f), 1.0f);
        f.freeze[i] = 0.05f * cold * f.cloud[i];
        f.deposit[i] = 0.1f * cold * f.ice[i];
        f.melt[i] = 0.3f * warm * f.snow[i];
        f.cloud[i] -= f.freeze[i];
        f.ice[i] += f.freeze[i] - f.deposit[i];
        f.snow[i] += f.deposit[i] - f.melt[i];
        f.rain[i] += f.melt[i];
        f.heat[i] = 332.0f * (f.freeze[i] - f.melt[i]);
    }
    rained[y * nx + x] += fall(f.rain, f.density, f.thick, speed, at, nx, levels, 60.0f, dt);
    snowed[y * nx + x] += fall(f.snow, f.density, f.thick, speed, at, nx, levels, 12.0f, dt);
    for (int k = 0; k < levels; k++) {
        int i = at + k * nx;
        f.theta[i] = (kelvin[k] + f.heat[i]) / f.exner[i];
    }
}
