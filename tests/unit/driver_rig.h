/* driver_rig.h - what the tests of the driver API share: a session of its own with a device, a context and a module,
 * and words for how a call ends. */
#ifndef WL_TESTS_DRIVER_RIG_H
#define WL_TESTS_DRIVER_RIG_H

#include "test.h"

#include "sim/session.h"
#include "warpline/cuda.h"

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), CUDA_ERROR_##code)
#define BAD(call)         FAILS(INVALID_VALUE, call)

#define DRIVER_HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

struct driver_rig {
    struct session *session;
    CUcontext context;
    CUmodule module;
};

/* Executes without timing; `watch` may be NULL. */
static inline void driver_begin(struct driver_rig *r, const char *program, uint64_t memory_bytes,
                                struct session_watch *watch)
{
    struct wl_err e = {.text = ""};
    struct session_options o = {.mode = SESSION_FUNCTIONAL, .watch = watch, .memory_bytes = memory_bytes};
    r->session = session_new(&o, &e);
    assert_non_null(r->session);
    session_make_current(r->session);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&r->context, 0));
    OK(cuCtxSetCurrent(r->context));
    OK(cuModuleLoadData(&r->module, program));
}

static inline void driver_end(struct driver_rig *r) { session_free(r->session); }

static inline unsigned driver_word(CUdeviceptr at)
{
    unsigned v;
    OK(cuMemcpyDtoH(&v, at, 4));
    return v;
}

#endif
