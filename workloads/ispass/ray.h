/* ray.h - the ray tracer itself, for the kernel and for the CPU. Every operation is rounded on its own or
 * fused by name, so that both find the same hits to the last bit. */
#ifndef WL_WORKLOADS_RAY_H
#define WL_WORKLOADS_RAY_H

#ifdef __CUDACC__
#define RAY_FN static __device__ __forceinline__
#define MUL    __fmul_rn
#define ADD    __fadd_rn
#define SUB    __fsub_rn
#define DIV    __fdiv_rn
#define SQRT   __fsqrt_rn
#define FMA    __fmaf_rn
#else
#include <math.h>
#define RAY_FN    static inline
#define MUL(a, b) ((a) * (b))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define DIV(a, b) ((a) / (b))
#define SQRT      sqrtf
#define FMA       fmaf
#endif

enum { RAY_BOUNCES = 5, RAY_SPHERES = 64 };

struct ray_vec {
    float x, y, z;
};

struct ray_sphere {
    struct ray_vec centre;
    float radius;
    struct ray_vec colour;
    float mirror; /* share of light that comes from where the mirror looks */
};

RAY_FN float ray_dot(struct ray_vec a, struct ray_vec b) { return FMA(a.x, b.x, FMA(a.y, b.y, MUL(a.z, b.z))); }

/* a + t * b */
RAY_FN struct ray_vec ray_along(struct ray_vec a, float t, struct ray_vec b)
{
    struct ray_vec r = {FMA(t, b.x, a.x), FMA(t, b.y, a.y), FMA(t, b.z, a.z)};
    return r;
}

RAY_FN struct ray_vec ray_minus(struct ray_vec a, struct ray_vec b)
{
    struct ray_vec r = {SUB(a.x, b.x), SUB(a.y, b.y), SUB(a.z, b.z)};
    return r;
}

/* The nearest sphere a ray of unit direction meets beyond a small distance, or -1. */
RAY_FN int ray_hit(const struct ray_sphere *s, int count, struct ray_vec from, struct ray_vec to, float *distance)
{
    int hit = -1;
    *distance = 1e30f;
    for (int i = 0; i < count; i++) {
        struct ray_vec gap = ray_minus(s[i].centre, from);
        float along = ray_dot(gap, to), off = SUB(ray_dot(gap, gap), MUL(along, along)),
              r2 = MUL(s[i].radius, s[i].radius);
        if (off >= r2) continue;
        float half = SQRT(SUB(r2, off)), t = SUB(along, half);
        if (t < 1e-2f) t = ADD(along, half);
        if (t < 1e-2f || t >= *distance) continue;
        *distance = t;
        hit = i;
    }
    return hit;
}

/* The colour of pixel (x, y) as 0x00bbggrr. What each bounce sees is kept and mixed from the last back. */
RAY_FN unsigned ray_pixel(const struct ray_sphere *s, int count, int side, int x, int y)
{
    struct ray_vec seen[RAY_BOUNCES + 1], from = {0, 0, -4}, light = {0.48f, 0.64f, -0.6f};
    float share[RAY_BOUNCES + 1], far;
    struct ray_vec to = {DIV((float)(2 * x - side), (float)side), DIV((float)(side - 2 * y), (float)side), 2};
    int n = 0;
    for (; n < RAY_BOUNCES; n++) {
        float length = SQRT(ray_dot(to, to));
        to.x = DIV(to.x, length), to.y = DIV(to.y, length), to.z = DIV(to.z, length);
        int hit = ray_hit(s, count, from, to, &far);
        if (hit < 0) break;
        from = ray_along(from, far, to);
        struct ray_vec normal = ray_minus(from, s[hit].centre);
        normal.x = DIV(normal.x, s[hit].radius), normal.y = DIV(normal.y, s[hit].radius),
        normal.z = DIV(normal.z, s[hit].radius);
        float bright = ray_dot(normal, light);
        if (bright < 0 || ray_hit(s, count, from, light, &far) >= 0) bright = 0; /* turned away, or in the shadow */
        bright = FMA(0.8f, bright, 0.2f);
        seen[n].x = MUL(s[hit].colour.x, bright), seen[n].y = MUL(s[hit].colour.y, bright),
        seen[n].z = MUL(s[hit].colour.z, bright);
        share[n] = s[hit].mirror;
        to = ray_along(to, MUL(-2.0f, ray_dot(to, normal)), normal);
    }
    struct ray_vec colour = {0.1f, 0.2f, 0.4f}; /* the sky */
    while (n-- > 0) {
        struct ray_vec gap = ray_minus(colour, seen[n]);
        colour = ray_along(seen[n], share[n], gap);
    }
    unsigned r = (unsigned)MUL(colour.x, 255.0f), g = (unsigned)MUL(colour.y, 255.0f),
             b = (unsigned)MUL(colour.z, 255.0f);
    return r | g << 8 | b << 16;
}

#endif
