/* driver_attribute.c - what the device says of itself: all attributes, from the machine or with a stated source. */
#include "cuda/driver.h"

#include <limits.h>

static int64_t l2_bytes(const struct session *s)
{
    return session_param(s, P_L2_SETS) * session_param(s, P_L2_WAYS) * session_param(s, P_L1D_LINE) *
           session_param(s, P_L2_SLICES) * session_param(s, P_MEM_CHANNELS);
}

/* Programs compute the bandwidth as twice the memory clock times the width of the bus: the width with which that is the
 * simulated machine's. */
static int64_t bus_bits(const struct session *s)
{
    return session_param(s, P_MEM_CHANNELS) * session_param(s, P_DRAM_ATOM) * 8 / session_param(s, P_DRAM_BURST) / 2;
}

/* Results per cycle and SM, fp32 over fp64: the guide's table of arithmetic throughput. */
static int64_t double_ratio(int64_t capability)
{
    switch (capability) {
    case 60:
    case 70:
    case 80:
    case 90: return 2;
    case 86:
    case 89: return 64;
    default: return 32;
    }
}

int driver_capability(const struct driver *d) { return (int)session_param(d->session, P_DEVICE_CAPABILITY); }

/* The value of an attribute, or INT64_MIN for one that CUDA does not have. */
static int64_t attribute(const struct session *s, int which)
{
    int64_t capability = session_param(s, P_DEVICE_CAPABILITY), shared = session_param(s, P_SM_SHARED);
    switch (which) {
#define A(number, name, value, source)                                                                                 \
    case number:                                                                                                       \
        return value;
#include "cuda/attributes.def"
#undef A
    default: return INT64_MIN;
    }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice dev)
{
    DRIVER(d);
    CUdevice known;
    CUresult r = driver_initialized(&d);
    if (!r) r = cuDeviceGet(&known, dev);
    if (r) return r;
    if (!value) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: a result pointer is NULL");
    int64_t v = attribute(d->session, (int)which);
    if (v == INT64_MIN) return driver_fail(d, CUDA_ERROR_INVALID_VALUE, "device attribute %d is not known", (int)which);
    *value = v > INT_MAX ? INT_MAX : (int)v;
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
    return r ? r : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
}
