/* code.h - the static half of an instruction stream: one table per kernel.
 *
 * A stream (stream.h) records only what differs between executions: which basic block ran
 * with which active mask, and addresses. Everything that is the same each time stands here,
 * once. The timing half knows a program only through this table, so a PTX kernel, a .wlt
 * trace and a foreign trace look alike to it. */
#ifndef WL_STREAM_CODE_H
#define WL_STREAM_CODE_H

#include <stddef.h>
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
    INST_EXIT,    /* the lanes of the active mask end here */
    INST_COMMIT,  /* ends a group of the warp's asynchronous copies */
    INST_WAIT     /* waits until at most `width` of the groups ended so far are on their way */
};
/* code_inst.async: what a memory instruction has to do with asynchronous copies. mbarriers are numbered within their
 * CTA; 0 is one that the timing half does not follow. The addresses of the last three carry, in bits that no address
 * needs, that number and, of a wait, how many events must have happened there (mbar_note). An event is a lane that
 * arrives or a record of a bulk copy whose bytes have come. */
enum async_role {
    ASYNC_NONE,
    ASYNC_COPY,   /* a load of the open group of its warp's copies */
    ASYNC_BULK,   /* a load that counts as an event when it is done */
    ASYNC_ARRIVE, /* an atomic on shared memory, or a store; its lanes are events */
    ASYNC_AWAIT,  /* a load from shared memory that ends when so many events have happened */
    ASYNC_LATER,  /* ASYNC_ARRIVE, when all copies (ASYNC_COPY) that its warp has begun are back */
    ASYNC_PRODUCT /* no memory instruction: a product of a warp group (wgmma), or the end of a group of them */
};
/* When products are done is kept in the last registers of the program: in the first of these of the group that is open,
 * behind it of the newest that ended, of the one before that, and so on. A product is an INST_ALU without destinations,
 * `width` the columns of its result in eights; the end of a group an INST_COMMIT; who waits reads one of the registers.
 */
enum { PRODUCT_REGS = 8 };

enum { MBARRIERS = 32, MBAR_SHIFT = 59, MBAR_RANKS_SHIFT = 43, MBAR_COUNT_SHIFT = 27 };
/* The barrier of a cluster is one that all its CTAs have under this number. */
enum { MBAR_CLUSTER = MBARRIERS - 1 };
static inline uint64_t mbar_note(unsigned mbarrier, uint32_t events)
{
    return (uint64_t)mbarrier << MBAR_SHIFT | (uint64_t)events << MBAR_COUNT_SHIFT;
}
/* The note of an event: of the CTA itself, or of those of its cluster whose rank is in the set. */
static inline uint64_t mbar_note_to(unsigned mbarrier, uint32_t ranks)
{
    return (uint64_t)mbarrier << MBAR_SHIFT | (uint64_t)ranks << MBAR_RANKS_SHIFT;
}
/* An address of the shared memory of another CTA of the cluster has that CTA's rank, plus one, from this bit on. */
enum { CLUSTER_RANK_SHIFT = 24, CLUSTER_MAX = 16 };

enum { WAIT_ALL = 63 }; /* width of an INST_WAIT that waits for every copy, of a group or not yet */

/* The address space of a memory instruction. Stream addresses are: global and texture, device
 * addresses; shared, byte offsets in the CTA's shared memory; local, byte offsets in the
 * thread's local memory (the SM maps them); const and param, byte offsets in that bank. Of a generic
 * instruction each execution says where it went (stream.h), and addresses are those of that space. */
enum mem_space {
    SPACE_NONE,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_TEX,
    SPACE_GENERIC
};
/* The spaces a generic address can point into are the first ones. */
enum { GENERIC_FORMS = SPACE_PARAM - SPACE_GLOBAL + 1 };

/* Cache operator: ca (all levels), cg (bypass L1), cs, lu, cv (volatile), nc (read-only path). Of machine code: loads
 * that must see what others have written, by who these are; the machine says which of them bypass (l1d.strong). */
enum cache_op {
    CACHE_CA,
    CACHE_CG,
    CACHE_CS,
    CACHE_LU,
    CACHE_CV,
    CACHE_NC,
    CACHE_STRONG_CTA,
    CACHE_STRONG_GPU,
    CACHE_STRONG_SYS
};

/* Latency class of an ALU instruction: the pipe follows from it. The order inside each of
 * int, fp and dp (add, max, mul, mad, div) is the order of GPGPU-Sim's option strings. */
/* clang-format off */
enum lat_class {
    LAT_INT_ADD, LAT_INT_MAX, LAT_INT_MUL, LAT_INT_MAD, LAT_INT_DIV,
    LAT_FP_ADD, LAT_FP_MAX, LAT_FP_MUL, LAT_FP_MAD, LAT_FP_DIV,
    LAT_DP_ADD, LAT_DP_MAX, LAT_DP_MUL, LAT_DP_MAD, LAT_DP_DIV,
    LAT_SFU,     /* sin cos ex2 lg2 rsqrt sqrt rcp (approximate f32) */
    LAT_TENSOR,
    LAT_SHFL,    /* lanes exchange registers */
    LAT_CVT,     /* conversions that are no move: to integers, to and from f64, rounding */
    LAT_BITS,    /* popc clz bfind brev */
    LAT_TEXTURE, LAT_UNIFORM, /* textures without addresses and the uniform datapath: machine code only */
    LAT_PREDICATE, /* comparisons whose result guards an instruction or a branch: assembled PTX only */
    LAT_COUNT
};
/* clang-format on */

/* How GPGPU-Sim looks at the opcode of an ALU instruction (sm.classes). */
enum old_rule {
    OLD_UNKNOWN, /* a trace does not say: as listed */
    OLD_OTHER,   /* the table of release 3 does not have it: one cycle */
    OLD_LISTED,  /* add, sub, min, max, mul, mad, div */
    OLD_FUNCTION /* special functions, of all types alike */
};

/* In `element`: a texture fetch of an assembled program that has several coordinates. */
enum { CODE_TEX_PLANE = 1 };

struct code_inst {
    uint32_t pc;                 /* unique in the program; 8 bytes apart, as machine code is */
    uint8_t kind;                /* enum inst_kind */
    uint8_t lat;                 /* enum lat_class; ALU only */
    uint8_t space;               /* enum mem_space; memory instructions only */
    uint8_t cache_op;            /* enum cache_op */
    uint8_t width;               /* bytes each lane moves, all vector elements together: 1..32; INST_WAIT: groups */
    uint8_t guarded;             /* the stream carries an execution mask for it (see stream.h) */
    uint8_t async;               /* enum async_role */
    uint8_t ndst, nsrc;          /* number of registers written; number of registers read */
    uint16_t reg[CODE_MAX_REGS]; /* destinations first; ids < code->nregs */
    uint16_t loop;               /* innermost loop, or CODE_NO_LOOP */
    uint8_t old;                 /* enum old_rule; ALU only */
    uint8_t element; /* bytes of one vector element if 1 or 2 and less than `width`; else 0; CODE_TEX_PLANE */
    /* A generic instruction: the index of its first form. A form: the index of its generic instruction,
     * plus 1. Of all others 0. */
    uint32_t form;
};

/* Where an instruction was written. A number 0 or a text NULL is not known: a trace may have neither text nor lines. Of
 * a function that was inlined `file` and `line` are its own, `caller` and `caller_line` those of the call. */
struct code_origin {
    const char *text;           /* the instruction itself: PTX, or the mnemonic of machine code */
    const char *file, *caller;  /* of the source, as the compiler named it */
    uint32_t ptx_line;          /* in the PTX text */
    uint32_t line, caller_line; /* in `file`; in `caller` */
};

struct code_block {
    uint32_t first, count; /* instructions [first, first + count) */
    uint16_t loop;         /* innermost loop, or CODE_NO_LOOP */
};

struct code_loop {
    uint16_t parent; /* enclosing loop, or CODE_NO_LOOP */
    uint16_t depth;  /* 1 = outermost */
};

/* Blocks hold the instructions of the program. Behind them all stand the forms of the generic ones: copies
 * with the space filled in, GENERIC_FORMS for each in the order of enum mem_space. What executes is a form, so
 * nobody who looks at an executing instruction need know of generic ones. */
struct code {
    const struct code_inst *inst;
    const struct code_block *block;
    const struct code_loop *loop;
    const struct code_origin *origin; /* [code_listed()] of the instructions; NULL: nothing is known */
    uint32_t ninst, nblock, nloop;
    uint32_t nregs;  /* scoreboard size: register ids are below this */
    uint32_t nforms; /* number of forms of generic instructions; they are the last of the ninst */
    uint8_t machine; /* 1: what a real GPU ran, which has latencies of its own (trace.*); 0: PTX */
};

/* Instructions of the program itself. */
static inline uint32_t code_listed(const struct code *c) { return c->ninst - c->nforms; }

/* What a generic instruction is when it goes to `space`. */
static inline const struct code_inst *code_form(const struct code *c, const struct code_inst *generic,
                                                enum mem_space space)
{
    return &c->inst[generic->form + (uint32_t)(space - SPACE_GLOBAL)];
}

static inline int code_is_form(const struct code_inst *i) { return i->form && i->space != SPACE_GENERIC; }

/* Where it was written; a form stands where its generic instruction does. */
static inline struct code_origin code_origin(const struct code *c, const struct code_inst *i)
{
    if (!c->origin) return (struct code_origin){0};
    return c->origin[code_is_form(i) ? i->form - 1 : (uint32_t)(i - c->inst)];
}

/* What people are told of it, "app.cu:12: ld.global.f32 %f1, [%rd4]": as much as is known, and fits. Returns its
 * length; 0: nothing is known. */
size_t code_where(const struct code *c, const struct code_inst *i, char *out, size_t size);

/* The spaces such an instruction may reach by a generic address, one bit per space: bit 0 is SPACE_GLOBAL. */
static inline unsigned generic_reach(enum inst_kind kind)
{
    enum { GLOBAL = 1, SHARED = 1 << (SPACE_SHARED - SPACE_GLOBAL), LOCAL = 1 << (SPACE_LOCAL - SPACE_GLOBAL) };
    return kind == INST_LOAD    ? (1u << GENERIC_FORMS) - 1
           : kind == INST_STORE ? GLOBAL | SHARED | LOCAL
                                : GLOBAL | SHARED;
}

/* How many forms the generic ones among n instructions need; puts them behind these n, where there is room. */
uint32_t code_count_forms(const struct code_inst *inst, uint32_t n);
void code_add_forms(struct code_inst *inst, uint32_t n);

/* Of the registers that a wide load writes, one behind the other, only the first is kept: what a trace names. */
void code_keep_named(struct code_inst *inst, uint32_t n);

/* Whether instructions of loop `inner` are inside loop `outer` (a loop is inside itself). */
static inline int code_in_loop(const struct code *c, uint16_t outer, uint16_t inner)
{
    while (inner != CODE_NO_LOOP) {
        if (inner == outer) return 1;
        inner = c->loop[inner].parent;
    }
    return 0;
}

/* Registers it reads as operands: the guard and the condition of a branch are none. */
static inline unsigned inst_operands(const struct code_inst *i)
{
    return i->kind == INST_BRANCH ? 0 : i->nsrc - (unsigned)(i->guarded && i->nsrc);
}

/* Memory instructions carry addresses in the stream. */
static inline int inst_is_mem(const struct code_inst *i)
{
    return i->kind == INST_LOAD || i->kind == INST_STORE || i->kind == INST_ATOMIC;
}

#endif
