/* opcodes.h - what is known of each PTX opcode: the rows of opcodes.def as one table.
 *
 * The parser takes from a row what may be written, the code table what the instruction is to the
 * machine, the executor how it becomes a micro-op.
 *
 * The operand shape is a string: destinations, '=', sources. Its letters are
 *   d type            w type, twice as wide after .wide     n 32-bit result
 *   s type            t second type                         u 32-bit amount or mask
 *   i integer literal p predicate                           P p or p|q
 *   S d or d|p        N n or n|p                            V predicate, or 32 bits for ballot
 *   b predicate or !p B the same, only with .and .or .xor   k mask, only with .sync
 *   c type, only for cas                                    a address-sized register
 *   [ memory          v type or vector, register may be wider
 *   x type or the address of a variable
 * A NULL shape is parsed by a function of its own (parse_inst.c). */
#ifndef WL_PTX_OPCODES_H
#define WL_PTX_OPCODES_H

#include "ptx/ir.h"

/* Classes of modifiers: of each class an instruction has at most one word. */
/* clang-format off */
enum mod_class {
    M_RND = 1 << 0, M_RNDI = 1 << 1, M_FTZ = 1 << 2, M_SAT = 1 << 3, M_APPROX = 1 << 4, M_HALF = 1 << 5,
    M_CC = 1 << 6, M_UNI = 1 << 7, M_SPACE = 1 << 8, M_CACHE = 1 << 9, M_SEM = 1 << 10, M_SCOPE = 1 << 11,
    M_VEC = 1 << 12, M_HINT = 1 << 13, M_CMP = 1 << 14, M_BOOL = 1 << 15, M_SHFL = 1 << 16, M_VOTE = 1 << 17,
    M_ATOM = 1 << 18, M_BAR = 1 << 19, M_DIR = 1 << 20, M_WRAP = 1 << 21, M_PRMT = 1 << 22, M_TESTP = 1 << 23,
    M_GEOM = 1 << 24, M_SYNC = 1 << 25, M_TO = 1 << 26, M_NAN = 1 << 27, M_IDX = 1 << 28, M_LEVEL = 1 << 29,
    M_SHIFTAMT = 1 << 30
};
/* clang-format on */

/* How long an ALU instruction takes: the first five are a step inside the latency classes of its pipe, in the order
 * of enum lat_class, the others a rule of codegen.c. What silicon does was measured; the table is in docs/model.md. */
enum op_pace {
    PACE_ADD,
    PACE_MAX,
    PACE_MUL,
    PACE_MAD,
    PACE_DIV,
    PACE_SFU,   /* special functions */
    PACE_MOVE,  /* an integer add, whatever the bits mean */
    PACE_LOGIC, /* logic, shifts, selections: the pipe of integer minima, whatever the bits mean */
    PACE_TEST,  /* comparisons: the pipe of minima, fp64 in its own */
    PACE_SIGN,  /* of a sign bit: fp64 needs no fp64 pipe for it */
    PACE_BITS,  /* bits are counted or reversed */
    PACE_SHFL,
    PACE_CVT,
    PACE_NONE /* never an ALU instruction */
};

/* The lane operations (enum lane_op) of an opcode by type; 0: there is none. Several places rely on the
 * order of the operations, which lower_alu.c asserts. */
struct lane_forms {
    uint16_t i16, i32, i64; /* of integers and bits; the unsigned one where `sign` */
    uint16_t s32_sat;       /* .sat of .s32 */
    uint16_t f32;           /* the .ftz, .sat and .ftz.sat forms follow it, as far as the opcode has them */
    uint16_t f64;
    uint16_t f16, f16_sat; /* each is followed by its .f16x2 form */
    uint16_t bf16;
    uint16_t pred;    /* of predicates */
    bool sign;        /* a signed form follows each unsigned one */
    uint8_t directed; /* enum fp_op of the forms rounded by .rz, .rm or .rp */
};

struct lower;
struct uop;
/* Fills *u from L->in. 0, or the error recorded in L->e. */
typedef int lower_fn(struct lower *L, struct uop *u);

struct ptx_opcode {
    const char *name, *operands;
    uint32_t mods, needs;   /* modifier classes allowed in addition to `needs`; classes required */
    uint32_t types, types2; /* a bit per enum ptx_type; 0: takes none */
    uint8_t kind;           /* enum inst_kind */
    uint8_t pace;           /* enum op_pace */
    lower_fn *lower;
    struct lane_forms forms;
};

extern const struct ptx_opcode ptx_opcodes[OP_COUNT];

#endif
