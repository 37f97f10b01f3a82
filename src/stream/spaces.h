/* spaces.h - the one map of address spaces.
 *
 * Three maps meet in the simulator, and every base of each is here:
 *
 *   device addresses   what a program's pointers to global memory hold. Memory of the executor lies in
 *                      [DEVICE_BASE, DEVICE_END); a trace of another tool brings the addresses of its GPU,
 *                      anything below TRACE_DEVICE_END.
 *   generic addresses  what a program's generic pointers hold: device addresses as they are, and a window
 *                      for each of the other spaces above DEVICE_END. The executor takes them apart
 *                      (memops.c); none of them reaches the timing half.
 *   L2 addresses       what caches and DRAM hold: device addresses as they are, and above all of them
 *                      constant, parameter and local memory and the program.
 *
 * In the streams an access of a space other than global and texture memory is an offset in that space,
 * below SPACE_OFFSET_END. */
#ifndef WL_STREAM_SPACES_H
#define WL_STREAM_SPACES_H

#include <stdint.h>

#define SPACE_OFFSET_END (UINT64_C(1) << 32) /* offsets in shared, local, constant and parameter memory are less */

/* ---- device addresses ---- */

#define DEVICE_BASE      UINT64_C(0xC0000000) /* first address of device memory, as in GPGPU-Sim */
#define DEVICE_END       (UINT64_C(1) << 40)
#define TRACE_DEVICE_END (UINT64_C(1) << 56)

/* ---- generic addresses ---- */

#define GENERIC_WINDOW (UINT64_C(1) << 40) /* size of each window */
#define GENERIC_SHARED (1 * GENERIC_WINDOW)
#define GENERIC_LOCAL  (2 * GENERIC_WINDOW)
#define GENERIC_PARAM  (3 * GENERIC_WINDOW)
#define GENERIC_CONST  (4 * GENERIC_WINDOW)
#define GENERIC_END    (5 * GENERIC_WINDOW)

/* ---- L2 addresses ---- */

/* Word k of all threads' local memory lies together: MAX_LOCAL_THREADS words at most. */
enum { MAX_LOCAL_THREADS = 1 << 19 };    /* 256 SMs with 64 warps of 32 */
#define L2_OTHER_SPACES TRACE_DEVICE_END /* first address that is not device memory */
#define L2_CONST        L2_OTHER_SPACES
#define L2_PARAM        (L2_CONST + SPACE_OFFSET_END)
#define L2_LOCAL        (UINT64_C(1) << 57)
#define L2_LOCAL_END    (L2_LOCAL + SPACE_OFFSET_END * MAX_LOCAL_THREADS)
/* Program counters, from a base that channel, bank and set see as 0xF0000000, GPGPU-Sim's: what is added above it is
 * a multiple of three and of every power of two that matters. */
#define L2_CODE ((UINT64_C(3) << 58) + UINT64_C(0xF0000000))

_Static_assert(DEVICE_BASE < DEVICE_END && DEVICE_END <= GENERIC_SHARED,
               "device memory lies below the generic windows");
_Static_assert(SPACE_OFFSET_END <= GENERIC_WINDOW, "every offset has a generic address");
_Static_assert(DEVICE_END <= TRACE_DEVICE_END && TRACE_DEVICE_END <= L2_CONST, "the L2 finds device memory first");
_Static_assert(L2_CONST + SPACE_OFFSET_END <= L2_PARAM, "then constant memory");
_Static_assert(L2_PARAM + SPACE_OFFSET_END <= L2_LOCAL, "then parameters, then local memory");
_Static_assert(L2_LOCAL < L2_LOCAL_END && L2_LOCAL_END <= L2_CODE, "and all of it has addresses; the program is last");

#endif
