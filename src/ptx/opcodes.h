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
 *   T second type, where cvt packs two values              C 32 bits, the third of cvt.pack
 *   x type or the address of a variable                    h cache policy, only with .L2::cache_hint
 * A NULL shape is parsed by a function of its own (parse_inst.c). */
#ifndef WL_PTX_OPCODES_H
#define WL_PTX_OPCODES_H

#include "ptx/ir.h"

/* Classes of modifiers: of each class an instruction has at most one word. */
#define M_CLASS(n) (UINT64_C(1) << (n))
#define M_RND      M_CLASS(0)
#define M_RNDI     M_CLASS(1)
#define M_FTZ      M_CLASS(2)
#define M_SAT      M_CLASS(3)
#define M_APPROX   M_CLASS(4)
#define M_HALF     M_CLASS(5)
#define M_CC       M_CLASS(6)
#define M_UNI      M_CLASS(7)
#define M_SPACE    M_CLASS(8)
#define M_CACHE    M_CLASS(9)
#define M_SEM      M_CLASS(10)
#define M_SCOPE    M_CLASS(11)
#define M_VEC      M_CLASS(12)
#define M_HINT     M_CLASS(13)
#define M_CMP      M_CLASS(14)
#define M_BOOL     M_CLASS(15)
#define M_SHFL     M_CLASS(16)
#define M_VOTE     M_CLASS(17)
#define M_ATOM     M_CLASS(18)
#define M_BAR      M_CLASS(19)
#define M_DIR      M_CLASS(20)
#define M_WRAP     M_CLASS(21)
#define M_PRMT     M_CLASS(22)
#define M_TESTP    M_CLASS(23)
#define M_GEOM     M_CLASS(24)
#define M_SYNC     M_CLASS(25)
#define M_TO       M_CLASS(26)
#define M_NAN      M_CLASS(27)
#define M_IDX      M_CLASS(28)
#define M_LEVEL    M_CLASS(29)
#define M_SHIFTAMT M_CLASS(30)
#define M_RELU     M_CLASS(31)
#define M_XORSIGN  M_CLASS(32)
#define M_POLICY   M_CLASS(33) /* .L2::cache_hint: a policy is the last operand */
#define M_PACK     M_CLASS(35)
#define M_COMP     M_CLASS(36)
#define M_OWN      M_CLASS(34) /* all its words are read by a function of its own (parse_words.c) */

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
    PACE_TENSOR, /* the matrix units */
    PACE_NONE    /* never an ALU instruction */
};

/* The lane operations (enum lane_op) of an opcode by type; 0: there is none. Several places rely on the
 * order of the operations, which lower_alu.c asserts. */
struct lane_forms {
    uint16_t i16, i32, i64; /* of integers and bits; the unsigned one where `sign` */
    uint16_t s32_sat;       /* .sat of .s32 */
    uint16_t f32;           /* the .ftz, .sat and .ftz.sat forms follow it, as far as the opcode has them */
    uint16_t f64;
    uint16_t f16, f16_sat; /* each is followed by its .f16x2 form */
    uint16_t pred;         /* of predicates */
    bool sign;             /* a signed form follows each unsigned one */
    uint8_t directed;      /* enum fp_op of the forms rounded by .rz, .rm or .rp */
};

struct lower;
struct uop;
/* Fills *u from L->in. 0, or the error recorded in L->e. */
typedef int lower_fn(struct lower *L, struct uop *u);

struct ptx_opcode {
    const char *name, *operands;
    uint64_t mods, needs;   /* modifier classes allowed in addition to `needs`; classes required */
    uint32_t types, types2; /* a bit per enum ptx_type; 0: takes none */
    uint8_t kind;           /* enum inst_kind */
    uint8_t pace;           /* enum op_pace */
    lower_fn *lower;
    struct lane_forms forms;
};

extern const struct ptx_opcode ptx_opcodes[OP_COUNT];

#endif
