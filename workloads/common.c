/* common.c - the job: everything a workload's host code does with the driver API. */
#include "workloads/common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void job_fail(struct job *j, const char *fmt, ...)
{
    if (j->failed) return; /* the first failure is the reason */
    j->failed = true;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(j->run->message, sizeof j->run->message, fmt, ap);
    va_end(ap);
}

static void cuda_failed(struct job *j, const char *call, CUresult code)
{
    const char *name = NULL, *text = NULL;
    cuGetErrorName(code, &name);
    cuGetErrorString(code, &text);
    int len = 0; /* the call's name is enough, its arguments are ours */
    while (call[len] && call[len] != '(') len++;
    job_fail(j, "%.*s: %s (%s)", len, call, name ? name : "unknown error", text ? text : "no description");
}

static bool cuda_result(struct job *j, const char *call, CUresult code)
{
    if (code != CUDA_SUCCESS) cuda_failed(j, call, code);
    return !j->failed;
}

/* Makes a driver call unless the job has failed; true when it was made and succeeded. */
#define TRY(j, call) cuda_result((j), #call, (j)->failed ? CUDA_SUCCESS : (call))

static void check_inputs(struct job *j, const struct workload *w)
{
    for (unsigned i = 0; w->input[i].name; i++) {
        const struct workload_input *in = &w->input[i];
        long long v = j->run->in[i], min = in->min, max = in->max;
        if (v < min || v > max) job_fail(j, "%s=%lld: must be within %lld..%lld", in->name, v, min, max);
    }
}

bool job_begin(struct job *j, const struct workload *w, struct workload_run *r, const char *ptx_file)
{
    CUcontext ctx = NULL;
    *j = (struct job){.run = r};
    r->message[0] = 0;
    check_inputs(j, w);
    j->ptx = j->failed ? NULL : r->ptx(ptx_file);
    if (!j->ptx) job_fail(j, "%s: no such kernel file", ptx_file);
    TRY(j, cuInit(0));
    j->context = TRY(j, cuDevicePrimaryCtxRetain(&ctx, 0));
    TRY(j, cuCtxSetCurrent(ctx));
    TRY(j, cuModuleLoadData(&j->module, j->ptx));
    if (j->failed) job_end(j);
    return !j->failed;
}

int job_end(struct job *j)
{
    while (j->textures) {
        cuTexObjectDestroy(j->texture[--j->textures]);
        if (j->array[j->textures]) cuArrayDestroy(j->array[j->textures]);
    }
    while (j->devices) cuMemFree(j->device[--j->devices]);
    while (j->hosts) free(j->host[--j->hosts]);
    if (j->module) cuModuleUnload(j->module);
    if (j->context) cuDevicePrimaryCtxRelease(0);
    j->module = NULL;
    j->context = false;
    if (j->failed) return 1;
    if (j->run->check)
        snprintf(j->run->message, sizeof j->run->message, "%zu values, largest relative error %.1e", j->checked,
                 j->worst);
    else snprintf(j->run->message, sizeof j->run->message, "not checked");
    return 0;
}

void *job_host(struct job *j, size_t count, size_t bytes)
{
    if (j->failed) return NULL;
    if (j->hosts == JOB_MAX_BUFFERS) job_fail(j, "more than %d host buffers", JOB_MAX_BUFFERS);
    void *p = j->failed ? NULL : calloc(count ? count : 1, bytes);
    if (!p) job_fail(j, "no host memory for %zu x %zu bytes", count, bytes);
    else j->host[j->hosts++] = p;
    return p;
}

CUdeviceptr job_device(struct job *j, size_t count, size_t bytes)
{
    CUdeviceptr p = 0;
    if (j->devices == JOB_MAX_BUFFERS) job_fail(j, "more than %d device buffers", JOB_MAX_BUFFERS);
    if (TRY(j, cuMemAlloc(&p, count * bytes))) j->device[j->devices++] = p;
    return p;
}

CUdeviceptr job_upload(struct job *j, const void *src, size_t count, size_t bytes)
{
    CUdeviceptr p = job_device(j, count, bytes);
    job_copy_in(j, p, src, count * bytes);
    return p;
}

/* Whole pages, whose contents are lost. */
void job_forget(struct job *j, void *src, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), head = (page - (uintptr_t)src % page) % page;
    if (j->run->check || j->failed || head >= bytes || bytes - head < page) return;
    madvise((char *)src + head, (bytes - head) / page * page, MADV_DONTNEED);
}

void job_move_in(struct job *j, CUdeviceptr dst, void *src, size_t bytes)
{
    for (size_t at = 0; at < bytes && !j->failed; at += JOB_PIECE) {
        size_t n = bytes - at < JOB_PIECE ? bytes - at : JOB_PIECE;
        job_copy_in(j, dst + at, (const char *)src + at, n);
        job_forget(j, (char *)src + at, n);
    }
}

CUdeviceptr job_move(struct job *j, void *src, size_t count, size_t bytes)
{
    CUdeviceptr p = job_device(j, count, bytes);
    job_move_in(j, p, src, count * bytes);
    return p;
}

float *job_random(struct job *j, size_t count, uint64_t stream, float low, float high)
{
    float *p = job_host(j, count, sizeof *p);
    if (p) random_floats(p, count, random_new(j->run->seed, stream), low, high);
    return p;
}

CUfunction job_kernel(struct job *j, const char *name)
{
    CUfunction f = NULL;
    TRY(j, cuModuleGetFunction(&f, j->module, name));
    return f;
}

CUfunction job_kernel_sized(struct job *j, const char *name, int size)
{
    char sized[64], entry[80];
    snprintf(sized, sizeof sized, "%s_%d", name, size);
    snprintf(entry, sizeof entry, ".entry %s(", sized); /* asking the driver for it would be an error to report */
    return job_kernel(j, !j->failed && strstr(j->ptx, entry) ? sized : name);
}

void job_copy_to(struct job *j, const char *variable, const void *src, size_t bytes)
{
    CUdeviceptr p = 0;
    size_t room = 0;
    TRY(j, cuModuleGetGlobal(&p, &room, j->module, variable));
    if (room < bytes) job_fail(j, "%s has %zu bytes, %zu are needed", variable, room, bytes);
    job_copy_in(j, p, src, bytes);
}

void job_copy_in(struct job *j, CUdeviceptr dst, const void *src, size_t bytes)
{
    TRY(j, cuMemcpyHtoD(dst, src, bytes));
}

void job_copy_out(struct job *j, void *dst, CUdeviceptr src, size_t bytes) { TRY(j, cuMemcpyDtoH(dst, src, bytes)); }

void job_result(struct job *j, void *dst, CUdeviceptr src, size_t bytes)
{
    if (j->run->check) job_copy_out(j, dst, src, bytes);
}

void job_copy(struct job *j, CUdeviceptr dst, CUdeviceptr src, size_t bytes) { TRY(j, cuMemcpyDtoD(dst, src, bytes)); }

struct shape shape_cover(int64_t nx, int64_t ny, unsigned bx, unsigned by)
{
    return (struct shape){(unsigned)((nx + bx - 1) / bx), (unsigned)((ny + by - 1) / by), bx, by};
}

void job_launch(struct job *j, CUfunction f, struct shape s, void **params) { job_launch_shared(j, f, s, 0, params); }

void job_launch_shared(struct job *j, CUfunction f, struct shape s, size_t shared, void **params)
{
    if (TRY(j, cuLaunchKernel(f, s.grid_x, s.grid_y, 1, s.block_x, s.block_y, 1, (unsigned)shared, NULL, params, NULL)))
        TRY(j, cuCtxSynchronize());
}

void job_launch_3d(struct job *j, CUfunction f, const unsigned grid[3], const unsigned block[3], void **params)
{
    if (TRY(j, cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, NULL, params, NULL)))
        TRY(j, cuCtxSynchronize());
}

/* ---- textures ---- */

static CUtexObject add_texture(struct job *j, const CUDA_RESOURCE_DESC *resource, CUarray array)
{
    const CUDA_TEXTURE_DESC look = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                                    .filterMode = CU_TR_FILTER_MODE_POINT,
                                    .flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject t = 0;
    if (!TRY(j, cuTexObjectCreate(&t, resource, &look, NULL))) {
        if (array) cuArrayDestroy(array);
        return 0;
    }
    j->array[j->textures] = array;
    j->texture[j->textures++] = t;
    return t;
}

static bool room_for_texture(struct job *j)
{
    if (j->textures == JOB_MAX_TEXTURES) job_fail(j, "more than %d textures", JOB_MAX_TEXTURES);
    return !j->failed;
}

CUtexObject job_texture(struct job *j, CUdeviceptr p, size_t count, struct texels t)
{
    if (!room_for_texture(j)) return 0;
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    r.res.linear.devPtr = p;
    r.res.linear.format = t.format;
    r.res.linear.numChannels = t.channels;
    r.res.linear.sizeInBytes = count * t.bytes;
    return add_texture(j, &r, NULL);
}

CUtexObject job_texture_2d(struct job *j, const void *src, size_t width, size_t height, struct texels t)
{
    if (!room_for_texture(j)) return 0;
    const CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height, .Format = t.format, .NumChannels = t.channels};
    CUarray array = NULL;
    if (!TRY(j, cuArrayCreate(&array, &d))) return 0;
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = src,
                             .srcPitch = width * t.bytes,
                             .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = array,
                             .WidthInBytes = width * t.bytes,
                             .Height = height};
    TRY(j, cuMemcpy2D(&c));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    r.res.array.hArray = array;
    if (j->failed) {
        cuArrayDestroy(array);
        return 0;
    }
    return add_texture(j, &r, array);
}

/* ---- comparison ---- */

static double mean_magnitude(const double *want, size_t count)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++) mean += fabs(want[i]) / (double)count;
    return mean;
}

static void compare_one(struct job *j, const char *what, size_t i, double got, double want, double mean,
                        double tolerance)
{
    double scale = fmax(fabs(want), mean), diff = fabs(got - want);
    double error = diff > 0 || isnan(diff) ? diff / scale : 0;
    if (!(error <= tolerance)) /* written so that a NaN fails */
        job_fail(j, "%s[%zu] is %.9g, should be %.9g (relative error %.1e, allowed %.1e)", what, i, got, want, error,
                 tolerance);
    j->worst = fmax(j->worst, error);
}

void job_compare_floats(struct job *j, const char *what, const float *got, const double *want, size_t count,
                        double tolerance)
{
    double mean = mean_magnitude(want, count);
    for (size_t i = 0; i < count && !j->failed; i++) compare_one(j, what, i, (double)got[i], want[i], mean, tolerance);
    j->checked += count;
}

void job_compare_doubles(struct job *j, const char *what, const double *got, const double *want, size_t count,
                         double tolerance)
{
    double mean = mean_magnitude(want, count);
    for (size_t i = 0; i < count && !j->failed; i++) compare_one(j, what, i, got[i], want[i], mean, tolerance);
    j->checked += count;
}

void job_compare_ints(struct job *j, const char *what, const int *got, const int *want, size_t count)
{
    for (size_t i = 0; i < count && !j->failed; i++)
        if (got[i] != want[i]) job_fail(j, "%s[%zu] is %d, should be %d", what, i, got[i], want[i]);
    j->checked += count;
}
