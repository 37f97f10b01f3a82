/* code.h - the static half of an instruction stream: one table per kernel.
 *
 * A stream (stream.h) records only what differs between executions: which basic block ran
 * with which active mask, and addresses. Everything that is the same each time stands here,
 * once. The timing half knows a program only through this table, so a PTX kernel, a .wlt
 * trace and a foreign trace look alike to it. */
#ifndef WL_STREAM_CODE_H
#define WL_STREAM_CODE_H

#include <stdint.h>

enum { WARP_SIZE = 32, CODE_MAX_REGS = 12, CODE_NO_LOOP = 0xffff };

/* What the instruction does to the machine. */
enum inst_kind {
    INST_ALU,    /* computes; `lat` says how long */
    INST_BRANCH, /* takes an issue slot and an integer pipe */
    INST_LOAD,
    INST_STORE,
    INST_ATOMIC,  /* atom (returns a value) and red (ndst == 0) */
    INST_BARRIER, /* waits for the whole CTA */
    INST_MEMBAR,  /* waits for the warp's own stores and loads */
    INST_NOP,     /* issues, writes nothing, uses no pipe */
    INST_EXIT     /* the lanes of the active mask end here */
};

/* The address space of a memory instruction. Stream addresses are: global and texture, device
 * addresses; shared, byte offsets in the CTA's shared memory; local, byte offsets in the
 * thread's local memory (the SM maps them); const and param, byte offsets in that bank. */
enum mem_space { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM, SPACE_TEX };

/* Cache operator: ca (all levels), cg (bypass L1), cs, lu, cv (volatile), nc (read-only path). */
enum cache_op { CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_NC };

/* Latency class of an ALU instruction: the pipe follows from it. The order inside each of
 * int, fp and dp (add, max, mul, mad, div) is the order of GPGPU-Sim's option strings. */
/* clang-format off */
enum lat_class {
    LAT_INT_ADD, LAT_INT_MAX, LAT_INT_MUL, LAT_INT_MAD, LAT_INT_DIV,
    LAT_FP_ADD, LAT_FP_MAX, LAT_FP_MUL, LAT_FP_MAD, LAT_FP_DIV,
    LAT_DP_ADD, LAT_DP_MAX, LAT_DP_MUL, LAT_DP_MAD, LAT_DP_DIV,
    LAT_SFU,     /* sin cos ex2 lg2 rsqrt sqrt rcp (approximate f32) */
    LAT_TENSOR,
    LAT_COUNT
};
/* clang-format on */

struct code_inst {
    uint32_t pc;                 /* unique in the program; 8 bytes apart like machine code */
    uint8_t kind;                /* enum inst_kind */
    uint8_t lat;                 /* enum lat_class; ALU only */
    uint8_t space;               /* enum mem_space; memory instructions only */
    uint8_t cache_op;            /* enum cache_op */
    uint8_t width;               /* bytes a lane moves, all vector elements together: 1..32 */
    uint8_t guarded;             /* the stream carries an execution mask for it (see stream.h) */
    uint8_t ndst, nsrc;          /* registers written, then read */
    uint16_t reg[CODE_MAX_REGS]; /* destinations first; ids < code->nregs */
    uint16_t loop;               /* innermost loop, or CODE_NO_LOOP */
};

struct code_block {
    uint32_t first, count; /* instructions [first, first + count) */
    uint16_t loop;         /* innermost loop, or CODE_NO_LOOP */
};

struct code_loop {
    uint16_t parent; /* enclosing loop, or CODE_NO_LOOP */
    uint16_t depth;  /* 1 = outermost */
};

struct code {
    const struct code_inst *inst;
    const struct code_block *block;
    const struct code_loop *loop;
    uint32_t ninst, nblock, nloop;
    uint32_t nregs; /* scoreboard size: register ids are below this */
};

/* Whether instructions of loop `inner` are inside loop `outer` (a loop is inside itself). */
static inline int code_in_loop(const struct code *c, uint16_t outer, uint16_t inner)
{
    while (inner != CODE_NO_LOOP) {
        if (inner == outer) return 1;
        inner = c->loop[inner].parent;
    }
    return 0;
}

/* Memory instructions carry addresses in the stream. */
static inline int inst_is_mem(const struct code_inst *i)
{
    return i->kind == INST_LOAD || i->kind == INST_STORE || i->kind == INST_ATOMIC;
}

#endif
