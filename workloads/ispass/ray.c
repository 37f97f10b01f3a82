/* ray.c - host code of ray.cu: spheres of all sizes before the camera. */
#include "workloads/ispass/ray.h"

#include "workloads/common.h"

enum { IN_SIDE, IN_SPHERES };

static int run(struct workload_run *r)
{
    struct job j;
    if (!job_begin(&j, &workload_ray, r, "ray.ptx")) return 1;
    int side = (int)r->in[IN_SIDE], spheres = (int)r->in[IN_SPHERES];
    size_t n = (size_t)side * (size_t)side;
    float *unit = job_random(&j, 8 * (size_t)spheres, 0, 0, 1);
    struct ray_sphere scene[RAY_SPHERES];
    for (int i = 0; !j.failed && i < spheres; i++) {
        const float *u = unit + 8 * i;
        scene[i] = (struct ray_sphere){
            {3 * u[0] - 1.5f, 3 * u[1] - 1.5f, 3 * u[2]}, 0.15f + 0.45f * u[3], {u[4], u[5], u[6]}, 0.6f * u[7]};
    }
    int *got = job_host(&j, n, sizeof *got), *want = job_host(&j, n, sizeof *want);
    CUdeviceptr pixels = job_device(&j, n, sizeof(unsigned));
    job_copy_to(&j, "scene", scene, (size_t)spheres * sizeof *scene);
    job_launch(&j, job_kernel(&j, "ray"), shape_cover(side, side, 16, 8), (void *[]){&pixels, &side, &spheres});
    job_result(&j, got, pixels, n * sizeof *got);
    for (int y = 0; !j.failed && r->check && y < side; y++)
        for (int x = 0; x < side; x++) want[y * side + x] = (int)ray_pixel(scene, spheres, side, x, y);
    if (!j.failed && r->check) job_compare(&j, "pixel", got, want, n);
    return job_end(&j);
}

const struct workload workload_ray = {
    .name = "ray",
    .suite = "ispass",
    .help = "ray tracer: a thread a pixel, scene in constant memory, five bounces",
    .aliases = "ispass/ray hac/ray",
    .input = {{"side", "rows and columns of the picture", {24, 256, 256}, 1, 4096},
              {"spheres", "spheres", {6, 16, 16}, 1, RAY_SPHERES}},
    .run = run,
};
