/* ops.h - the names of the lane operations and their two builds.
 *
 * ops_int.inc and ops_float.inc list every operation once; the list is read here for the
 * names and in ops_body.inc for the functions. The functions, and the loads and stores (mem_body.inc), exist three
 * times: for the plain target, for x86-64 with AVX2 and FMA (ops_v3.c) and with AVX-512 (ops_v4.c). All compute the
 * same bits. */
#ifndef WL_PTX_OPS_H
#define WL_PTX_OPS_H

#include "ptx/exec_priv.h"

#if defined(__clang__)
/* Loops with a division or a call stay scalar, which is fine. Clang reports them at the
 * place where a list is included first, so the remark is switched off here. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* clang-format off */
enum lane_op {
    L_NONE, /* no such operation */
#define LANE(name, ...) L_##name,
#define LANE4(name, ...) L_##name,
#define CMP(name, ...) L_setp_##name, L_set_##name,
#include "ptx/ops_int.inc"
#include "ptx/ops_float.inc"
#undef LANE
#undef LANE4
#undef CMP
    L_selp_b32, L_selp_b64, L_bool_and, L_bool_or, L_bool_xor, L_bool_not, L_bool_mov,
    L_COUNT
};
/* clang-format on */

struct lane_fns {
    uop_fn *full, *part;
};

/* What is frequent in a load or store has its own function, with everything known; one does the rest. */
enum mem_shape { MEM_B32, MEM_B64, MEM_U8, MEM_V2_B32, MEM_V4_B32, MEM_V2_B64, MEM_GENERIC_B32, MEM_ANY, MEM_SHAPES };

/* One build: the lane operations, and for each shape its load and its store. */
struct ops_build {
    const struct lane_fns *lane, *mem;
};
extern const struct ops_build ops_base;
#if defined(__x86_64__)
extern const struct ops_build ops_v3, ops_v4;
#endif

/* Of the best build that this machine can run. */
const struct lane_fns *lane_ops(void);
const struct lane_fns *mem_ops(void);                /* [2 * shape + store] */
unsigned ops_builds(const struct ops_build *out[3]); /* all that it can run, the plain one first */

#endif
