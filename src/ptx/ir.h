/* ir.h - a parsed PTX module: what the parser promises and the executor relies on.
 *
 * Everything lives in the module's arena and is freed with it. Names are resolved: an
 * operand holds a register number, a variable pointer, a block index - never a string that
 * still has to be looked up. A module that parsed can be executed; what the executor cannot
 * do is refused at load time with file, line and caret. */
#ifndef WL_PTX_IR_H
#define WL_PTX_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "stream/code.h"
#include "stream/registers_from.h"

/* clang-format off */
enum ptx_type {
    T_NONE, T_PRED,
    T_B8, T_B16, T_B32, T_B64, T_B128,
    T_U8, T_U16, T_U32, T_U64,
    T_S8, T_S16, T_S32, T_S64,
    T_F16, T_F16X2, T_BF16, T_BF16X2, T_TF32, T_E4M3, T_E5M2, T_E4M3X2, T_E5M2X2, T_F32, T_F64,
    T_S4, T_U4, T_B1 /* elements of matrices only */, T_U16X2, T_S16X2
};
/* clang-format on */

/* Base opcodes; opcodes.def has a row for each. */
enum ptx_op {
#define PTX_OP(id, ...) OP_##id,
#include "ptx/opcodes.def"
#undef PTX_OP
    OP_COUNT
};

/* clang-format off */
enum ptx_cmp { CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
               CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN };
/* clang-format on */
enum ptx_bool { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum ptx_round {
    RND_NONE,
    RND_RN,
    RND_RZ,
    RND_RM,
    RND_RP,
    RND_RNA /* ties away from zero */,
    RND_RNI,
    RND_RZI,
    RND_RMI,
    RND_RPI
};
/* Modifiers that are plain switches. */
/* clang-format off */
enum ptx_flag {
    FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_APPROX = 4, FLAG_FULL = 8, FLAG_HI = 16, FLAG_LO = 32, FLAG_WIDE = 64,
    FLAG_CC = 128, FLAG_UNI = 256, FLAG_VOLATILE = 512, FLAG_SYNC = 1024, FLAG_TO = 2048 /* cvta.to */,
    FLAG_NAN = 4096 /* min/max.NaN */, FLAG_RELU = 8192, FLAG_SATFINITE = 16384,
    FLAG_XORSIGN = 32768 /* min/max.xorsign.abs */, FLAG_POLICY = 65536 /* the last source is a cache policy */,
    FLAG_MULTICAST = 131072 /* a mask of CTAs follows the mbarrier */,
    FLAG_IM2COL = 262144    /* of a tensor copy */
};
/* clang-format on */
/* Of a load: relaxed or acquire, so other threads may be writing what it reads. */
enum { FLAG_STRONG = FLAG_UNI };
/* op-specific mode, in ptx_inst.mode */
enum ptx_shfl { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum ptx_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum ptx_atom { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };
enum ptx_bar { BAR_SYNC, BAR_ARRIVE, BAR_RED_AND, BAR_RED_OR, BAR_RED_POPC, BAR_WARP_SYNC };
enum ptx_shf { SHF_L_WRAP, SHF_L_CLAMP, SHF_R_WRAP, SHF_R_CLAMP };
enum ptx_prmt { PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum ptx_bmsk { BMSK_CLAMP, BMSK_WRAP };
enum ptx_testp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };
enum ptx_tex { TEX_1D, TEX_2D, TEX_3D, TEX_A1D, TEX_A2D, TEX_CUBE, TEX_ACUBE };
enum { LEVEL_L2 = 3 };                              /* cmp of a prefetch to the L2 */
enum ptx_surf { SURF_TRAP, SURF_CLAMP, SURF_ZERO }; /* what lies outside */
/* To the timing half a texture fetch is the 4-byte word in which its texel begins: the texel's size is
 * known only at run time, and no texel crosses a sector. */
enum { TEX_ACCESS_BYTES = 4 };

/* clang-format off */
enum ptx_space { PTX_SPACE_NONE /* generic */, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST,
                 PTX_PARAM_KERNEL /* the kernel's parameters */,
                 PTX_PARAM_LOCAL /* .param variables of a function body and a .func's formals */ };
/* clang-format on */

/* clang-format off */
enum ptx_sreg { SREG_TID_X, SREG_TID_Y, SREG_TID_Z, SREG_NTID_X, SREG_NTID_Y, SREG_NTID_Z,
                SREG_CTAID_X, SREG_CTAID_Y, SREG_CTAID_Z, SREG_NCTAID_X, SREG_NCTAID_Y, SREG_NCTAID_Z,
                SREG_LANEID, SREG_WARPID, SREG_NWARPID, SREG_NSMID, SREG_GRIDID,
                SREG_LANEMASK_EQ, SREG_LANEMASK_LE, SREG_LANEMASK_LT, SREG_LANEMASK_GE, SREG_LANEMASK_GT,
                SREG_SMID, SREG_CLOCK, SREG_CLOCK_HI, SREG_CLOCK64, SREG_GLOBALTIMER, SREG_GLOBALTIMER_LO,
                SREG_GLOBALTIMER_HI /* what only the machine knows */, SREG_DYNAMIC_SMEM_SIZE, SREG_TOTAL_SMEM_SIZE,
                SREG_WARP_SZ, SREG_RESERVED_BEGIN, SREG_RESERVED_END, SREG_RESERVED_CAP, SREG_RESERVED_0,
                SREG_RESERVED_1 /* shared memory of the system software: where it lies, and parts of it */,
                SREG_ENVREG1, SREG_ENVREG2 /* high and low half: where a grid's CTAs meet */,
                SREG_CLUSTERID_X, SREG_CLUSTERID_Y, SREG_CLUSTERID_Z, SREG_NCLUSTERID_X, SREG_NCLUSTERID_Y,
                SREG_NCLUSTERID_Z, SREG_CLUSTER_CTAID_X, SREG_CLUSTER_CTAID_Y, SREG_CLUSTER_CTAID_Z,
                SREG_CLUSTER_NCTAID_X, SREG_CLUSTER_NCTAID_Y, SREG_CLUSTER_NCTAID_Z, SREG_CLUSTER_CTARANK,
                SREG_CLUSTER_NCTARANK, SREG_IS_EXPLICIT_CLUSTER, SREG_COUNT };
/* clang-format on */

/* A variable in some space. `offset` is its place: global and const, in the module's image of
 * that space (relocated at load); shared, in the CTA's static shared memory; local and param,
 * in the frame of its function; extern (dynamic) shared, after all static shared. */
struct ptx_var {
    const char *name;
    uint8_t space, type; /* enum ptx_space, enum ptx_type */
    bool is_extern;      /* .extern .shared x[]: the launch's dynamic shared memory */
    bool is_texture;     /* .texref */
    uint32_t align;
    uint64_t bytes, offset;
    const uint8_t *init;      /* `bytes` bytes, or NULL for zero */
    struct ptx_reloc *relocs; /* addresses of other variables inside init */
    struct ptx_var *next;
};

struct ptx_reloc {
    uint64_t at; /* byte in init that receives an 8-byte address */
    const struct ptx_var *target;
    const struct ptx_func *func; /* instead of a variable: what a pointer to it holds */
    int64_t addend;
    bool generic; /* generic(x) */
    struct ptx_reloc *next;
};

enum ptx_operand_kind {
    OPND_NONE,
    OPND_REG,
    OPND_IMM,
    OPND_SREG,
    OPND_VAR,  /* the address of a variable: mov.u64 %rd, sym; `imm` is an addend */
    OPND_ADDR, /* memory: [reg+imm], [var+imm] or [imm] */
    OPND_VEC,  /* {a,b,..}: elements in vec[] */
    OPND_SINK, /* _ */
    OPND_FUNC  /* call target */
};

struct ptx_operand {
    uint8_t kind;
    bool negated; /* !p */
    uint8_t nvec;
    uint8_t space;                 /* ADDR of an instruction with several: enum ptx_space */
    int32_t reg;                   /* REG, ADDR: register number, or -1 */
    uint8_t sreg;                  /* SREG */
    uint64_t imm;                  /* IMM: bits of the literal, in the instruction's type; ADDR, VAR: addend */
    const struct ptx_var *var;     /* VAR, ADDR */
    const struct ptx_func *func;   /* FUNC */
    const struct ptx_operand *vec; /* VEC */
};

enum { PTX_MAX_DST = 2, PTX_MAX_SRC = 8, PTX_MAX_VECTOR = 128 /* wgmma */ };

struct ptx_inst {
    uint8_t op;          /* enum ptx_op */
    uint8_t type, type2; /* type2: the source type of cvt, set, slct, tex coordinates */
    uint8_t cmp, boolop, rnd, mode;
    uint8_t space;  /* enum ptx_space of ld st atom red cvta */
    uint8_t cop;    /* enum cache_op */
    uint8_t vec;    /* elements of a vector access: 1, 2, 4 */
    uint32_t flags; /* enum ptx_flag */
    int32_t guard;  /* predicate register, or -1 */
    bool guard_neg;
    uint8_t ndst, nsrc;
    struct ptx_operand dst[PTX_MAX_DST]; /* setp p|q, shfl d|p, atom d */
    struct ptx_operand src[PTX_MAX_SRC];
    uint32_t target; /* bra: block index in this function */
    const uint32_t *targets;
    uint32_t ntargets; /* brx.idx */
    struct ptx_call *call;
    const struct ptx_matrix *matrix; /* matrix instructions */
    const struct ptx_video *video;   /* video instructions */
    uint8_t kind, width;             /* M_OWN: enum inst_kind; bytes a lane moves, or groups to wait for */
    uint32_t line;
    uint32_t source;         /* its .loc, an index of the module's; 0: none */
    uint32_t text, text_len; /* where it stands in the module's text, without the semicolon; 0 long: nowhere */
    uint32_t code; /* index of its entry in the module's code table, the last one of several, an atomic's own */
    bool dropped;  /* the code table has none: an assembler makes nothing of it (assemble.h) */
    bool once;     /* an atomic that one lane of an assembled program does for all (once.h) */
    bool rolled;   /* of a loop that an assembler leaves as it is: .pragma "nounroll", or repeated already (unroll.c) */
    bool apart;    /* a barrier to which lanes of a warp may come apart: a block of its own (converge.h) */
};

struct ptx_call {
    const struct ptx_func *func; /* NULL: through a pointer, the instruction's source */
    const struct ptx_var **args;
    uint32_t nargs; /* .param variables of the caller */
    const struct ptx_var **rets;
    uint32_t nrets;
};

enum { PTX_NO_BLOCK = 0xffffffffu };

/* A basic block ends with at most one of bra, brx, ret, exit, call; bar.sync may stand
 * anywhere. `ipdom` is where its lanes meet again after a divergent end. */
struct ptx_block {
    uint32_t first, count; /* instructions of the function */
    uint32_t next;         /* fall-through block, or PTX_NO_BLOCK */
    uint32_t ipdom;        /* immediate post-dominator, or PTX_NO_BLOCK: the function's end */
    uint32_t code_block;   /* index in the kernel's code table */
    uint32_t parting;      /* the same of what lanes execute that part at its end (codegen.c), or PTX_NO_BLOCK */
    uint32_t outside;      /* of a block that yields: where its lanes meet, or PTX_NO_BLOCK */
    bool yields;           /* its lanes do not wait for one another at its end (yield.h) */
};

struct ptx_reg {
    const char *name;
    uint8_t type;
};

struct ptx_func {
    uint32_t index; /* among the module's functions */
    const char *name;
    bool is_kernel, is_extern; /* extern .func: vprintf, __assertfail, ... */
    const struct ptx_reg *reg;
    uint32_t nregs;
    const struct ptx_inst *inst;
    uint32_t ninst;
    const struct ptx_block *block;
    uint32_t nblock; /* block 0 is the entry */
    struct ptx_var **param;
    uint32_t nparams; /* formals, in order; space PARAM_KERNEL or PARAM_LOCAL */
    struct ptx_var **ret;
    uint32_t nrets;
    uint64_t param_bytes;     /* kernel: size of the parameter image */
    uint64_t local_bytes;     /* .local variables of the body */
    uint64_t frame_bytes;     /* .param variables of the body, formals and returns included (not kernels) */
    uint64_t shared_bytes;    /* static .shared, this function and all it calls */
    uint32_t regs_per_thread; /* registers of a thread: the assembler's, or estimated: live.c, registers.c */
    uint8_t regs_from;        /* enum registers_from */
    uint32_t least_regs;      /* no assembler needs more than that; and what one takes that need not save */
    uint32_t most_regs;
    uint32_t max_threads;   /* .maxntid product, or 0 */
    uint32_t cluster[3];    /* .reqnctapercluster, or 0 */
    uint32_t code_reg_base; /* its registers in the scoreboard's numbering */
    bool address_taken;     /* calls through a pointer may reach it */
    const char *refused;    /* why it cannot be executed, with instruction and line; NULL: it can */
    struct ptx_func *next;
};

/* A .loc: a place in a source file; of an inlined function also where it was called. File 0: none. */
struct ptx_loc {
    uint32_t file, line, column, caller_file, caller_line;
};

struct ptx_file {
    uint32_t number;
    const char *name;
    struct ptx_file *next;
};

struct ptx_module {
    struct arena arena;
    const char *file, *text;  /* for messages */
    unsigned version, target; /* 90 for 9.0, 75 for sm_75 */
    bool keep_going;          /* ptx_target.keep_going */
    struct ptx_file *files;
    const struct ptx_loc *loc; /* from 1 */
    struct ptx_func *funcs;
    struct ptx_var *vars;               /* module scope */
    uint64_t global_bytes, const_bytes; /* images of module-scope .global and .const */
    uint32_t func_base;                 /* ptx_func_pointer */
    struct code code;                   /* one table for all functions of the module */
};

enum { PTX_MAX_BYTES = 1 << 28 }; /* of a text; a longer one is refused */

/* Parses, resolves, builds control flow, post-dominators, loops, liveness and the code table.
 * `text` need not be NUL-terminated, and NULs may fill it up at its end; it is copied. `pc_base` keeps pcs unique
 * across modules. NULL on error, *e filled. */
struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, uint32_t pc_base, struct wl_err *e);
/* What is known of the machine that the text is assembled for. */
struct ptx_target {
    uint32_t capability;  /* of the device, 90 for sm_90: what an assembler would do depends on it */
    bool known_registers; /* of kernels that ptxas was asked about they are what it said (known_registers.h) */
    bool scheduled;       /* each block in the order an assembler would give it (block_order.h) */
    bool keep_going; /* a function whose body cannot be executed is refused, and its callers, not the module (refuse.c)
                      */
};
struct ptx_module *ptx_parse_for(const char *file, const char *text, size_t len, uint32_t pc_base, struct ptx_target t,
                                 struct wl_err *e);
void ptx_free(struct ptx_module *m);
/* Registers of a thread when so many cost no occupancy. */
uint32_t ptx_registers(const struct ptx_func *f, uint32_t free_regs);
const struct ptx_func *ptx_find_kernel(const struct ptx_module *m, const char *name);
/* What a pointer to a function holds: never 0, no address of data, and another number in every module of a program. */
static inline uint64_t ptx_func_pointer(const struct ptx_module *m, const struct ptx_func *f)
{
    return m->func_base + 8 * (uint64_t)(f->index + 1);
}

unsigned ptx_type_bytes(enum ptx_type t); /* 0 for T_PRED and T_NONE */
static inline unsigned ptx_type_bits(unsigned t) { return t == T_PRED ? 1 : 8 * ptx_type_bytes((enum ptx_type)t); }
/* A clock, or the number of the SM. */
static inline bool sreg_is_told(uint8_t s) { return s >= SREG_SMID && s <= SREG_GLOBALTIMER_HI; }
static inline bool inst_reads_clock(const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->src[0];
    return in->op == OP_MOV && o->kind == OPND_SREG && sreg_is_told(o->sreg);
}
static inline bool inst_awaits_products(const struct ptx_inst *in)
{
    return in->op == OP_WGMMA && in->kind == INST_NOP && in->nsrc;
}
static inline bool inst_calls_pointer(const struct ptx_inst *in) { return in->call && !in->call->func; }
static inline bool ptx_is_float(unsigned t) { return t >= T_F16 && t <= T_F64; }
static inline bool ptx_is_signed(unsigned t) { return t >= T_S8 && t <= T_S64; }
const char *ptx_type_name(enum ptx_type t);
const char *ptx_op_name(enum ptx_op op);

#endif
