/* ray - a ray tracer: a pixel a thread, CTAs of 16 x 8, up to five bounces between mirroring spheres.
 *
 * The scene is in constant memory, read together by lanes that do the same; what the bounces see is kept
 * in small arrays of the thread, in local memory; one word a pixel is stored. */
#include "ray.h"

__constant__ ray_sphere scene[RAY_SPHERES];

extern "C" __global__ void ray(unsigned *pixels, int side, int spheres)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < side) pixels[y * side + x] = ray_pixel(scene, spheres, side, x, y);
}
