/* exec_priv.h - what the files of the executor share.
 *
 * The idea. Loading a module lowers every PTX instruction once into a micro-op: a function
 * pointer and the places of its operands. Running it is a call per warp instruction, and the
 * called function is a straight loop over 32 lanes that the compiler turns into vector code.
 *
 * A place ("ref") is an offset into one of four areas; its two low bits name the area:
 *   REG     the registers of the warp's current call frame
 *   CONST   immediates and addresses of variables: the same for every launch of the module
 *   LAUNCH  %ntid, %nctaid, the dynamic shared base: the same for all warps of a launch
 *   WARP    %tid, %ctaid, %laneid ...: the warp's own
 * A register of up to 32 bits is a uint32_t[32], a 64-bit one a uint64_t[32], a predicate a
 * single uint32_t with one bit per lane. The bits of a 16-bit register above bit 15 mean
 * nothing: every reader cuts them off. */
#ifndef WL_PTX_EXEC_PRIV_H
#define WL_PTX_EXEC_PRIV_H

#include "base/bits.h"
#include "ptx/exec.h"
#include "ptx/opcodes.h"
#include "stream/slices.h"

/* Limits that turn a hang or a runaway into a sentence. */
enum {
    CALL_DEPTH_MAX = 1024,
    LOCAL_BYTES_MAX = 512 << 10, /* a thread's local memory, as on the hardware */
    SHARED_BYTES_MAX = 1 << 20,
    TURN_INSTRUCTIONS = 1 << 12, /* a warp runs this long before the next one's turn */
    TURN_FIRST = 1 << 7,         /* and so long in the first round of CTAs that take turns (launch_slices) */
    BARRIERS = 16
};

/* What a block of the program does that a warp could be waiting with (spin.c). */
enum polls { POLL_NONE, POLL_READS /* reads memory that others write */, POLL_STRONG /* and says that others do */ };

/* devmem.c, beyond exec.h */
bool dev_nearest(const struct dev_mem *m, uint64_t addr, uint64_t *base, uint64_t *bytes);
uint64_t dev_generation(const struct dev_mem *m); /* changes with every allocation and release */
uint8_t *dev_host(const struct dev_mem *m);       /* the host image of DEVICE_BASE */

struct tex_table *dev_textures(struct dev_mem *m);

/* texture.c: every handle and what is bound to it. Programs have few. */
struct tex_table {
    struct tex_entry {
        uint64_t handle;
        struct texture texture;
    } * entry;
    uint32_t count, cap;
    enum texel_layout layout; /* dev_set_texels */
};

/* ---- micro-ops ---- */

struct exec_warp;
struct uop;
/* 0, or why the warp stops here. */
typedef int uop_fn(struct exec_warp *w, const struct uop *u);
enum { RUN_ON = 0, RUN_WAIT /* at a barrier */, RUN_CLOCK /* read in step with the machine */, RUN_FAULT };

/* What an execution leaves in the stream, apart from an execution mask. */
enum emits { EMIT_NOTHING, EMIT_ADDRESSES, EMIT_GENERIC /* with the spaces they lie in */ };

enum area { AREA_REG, AREA_CONST, AREA_LAUNCH, AREA_WARP, AREAS };
typedef uint32_t ref;

struct uop {
    uop_fn *full, *part; /* all 32 lanes active; some lanes active */
    ref d, d2;
    ref s[5];
    uint32_t not_c; /* all ones: the predicate source is negated */
    uint8_t mode, type, type2, rnd, boolop, space;
    uint8_t bytes, nvec; /* memory: bytes per element, number of elements */
    uint8_t wide;        /* memory, cvt, mov: bit k: v[k] is a 64-bit register */
    uint8_t src_wide;    /* the source of cvt or a split mov is a 64-bit register */
    uint8_t addressing;  /* enum addressing */
    bool sign;           /* a narrow load is sign-extended */
    uint8_t range;       /* which cached allocation to try first */
    uint8_t emits;       /* enum emits */
    bool guarded;        /* writes an execution mask */
    uint32_t flags;
    int64_t imm; /* memory: addend; set: the value of true */
    ref v[4];    /* data registers of a memory access or of a vector mov */
    ref guard;   /* of a guarded instruction: the predicate */
    uint32_t not_guard;
    uop_fn *then_full, *then_part; /* of a guarded instruction: what it does where the predicate holds */
    const struct ptx_inst *in;
    union {
        const struct xfunc *callee;     /* call: NULL through a pointer and for what is built in */
        const ref *refs;                /* instructions with many operands: their places */
        const struct matrix_op *matrix; /* matrix.h */
        const struct uop *more;         /* instructions with several addresses: the others */
    };
};

/* How a block ends. */
enum xend { END_FALL, END_BRA, END_BRX, END_RET, END_EXIT, END_CALL };

struct xblock {
    uint32_t first, body; /* micro-ops run one after another; the end instruction is not among them */
    uint32_t count;       /* instructions, the end instruction included */
    uint32_t next, ipdom, code_block;
    uint32_t parting;               /* the code block that lanes execute which part at its end; PTX_NO_BLOCK: none */
    uint32_t lean_first, lean_body; /* the same of warps without a stream, in the function's lean list */
    uint32_t unguarded;             /* instructions every lane of the block executes */
    uint8_t end;                    /* enum xend; end instruction = uop[first + body] */
    uint8_t polls;                  /* enum polls */
    bool apart;                     /* it is a barrier to which lanes of a warp may come apart (apart.c) */
    bool yields;                    /* its lanes do not wait for one another at its end (yield.h) */
    uint32_t outside;               /* where they meet then */
};

/* Bytes of a frame that must begin as zero. */
struct cleared_place {
    uint32_t at, bytes;
};

struct xfunc {
    const struct ptx_func *fn;
    struct uop *uop;
    struct uop *lean; /* the same without those that do nothing but leave an address in a stream */
    struct xblock *block;
    ref *reg;           /* place of each register */
    uint32_t reg_bytes; /* of a frame's registers, a multiple of 64 */
    uint32_t cleared;   /* so many of them, from the beginning, must be zero when it begins; */
    uint32_t nclear;    /* and these */
    struct cleared_place *clear;
    uint32_t frame_bytes;      /* of local memory: .local variables, then .param variables */
    uint32_t param_at;         /* where the .param variables begin in the frame */
    bool clocks;               /* reads a clock, or which SM it is on */
    bool times;                /* reads a clock */
    bool strong;               /* has blocks that poll with POLL_STRONG: */
    bool asks_others;          /* and what they ask for other CTAs may write */
    bool barriers;             /* has barriers of the CTA */
    bool whole_barriers;       /* of these, such at which a warp arrives as a whole (apart.c) */
    bool apart;                /* has barriers to which lanes of a warp may come apart */
    bool meets;                /* has other instructions at which warps wait for one another */
    struct oblivion *oblivion; /* NULL: nobody has asked yet (oblivious.h) */
};

enum { LAUNCH_SHARED = SREG_COUNT, LAUNCH_PARAM };

/* What fills a slot of the launch area. */
struct launch_const {
    uint8_t sreg; /* enum ptx_sreg; LAUNCH_SHARED: address of the dynamic shared memory; LAUNCH_PARAM: a parameter */
    const struct ptx_func *kernel; /* LAUNCH_PARAM: of this kernel, at this offset: the addend; else NULL */
    bool wide;
    uint64_t addend;
    uint32_t at;
};

/* A constant already in the pool. */
struct const_slot {
    struct const_slot *next;
    uint64_t value;
    uint32_t at;
    bool wide;
};
enum { CONST_HASH_BITS = 8 };

struct ptx_image {
    struct ptx_module *mod;
    struct dev_mem *mem;
    struct arena arena;
    struct xfunc *func; /* in the order of mod->funcs */
    uint32_t nfunc;
    struct var_addr {
        const struct ptx_var *var;
        uint64_t addr;
    } * global; /* .global variables: one allocation each, so bounds are exact; sorted by var */
    uint32_t nglobal;
    uint8_t *const_image;
    uint8_t *pool; /* the CONST area */
    uint32_t pool_size, pool_cap;
    struct const_slot *seen[1 << CONST_HASH_BITS];
    struct launch_const *lconst;
    uint32_t nlconst, lconst_cap, launch_bytes;
};

/* ---- the area of a warp's own constants ---- */

/* clang-format off */
enum warp_slot {
    WS_TID_X, WS_TID_Y, WS_TID_Z, WS_CTAID_X, WS_CTAID_Y, WS_CTAID_Z, WS_LANEID, WS_WARPID,
    WS_LM_EQ, WS_LM_LE, WS_LM_LT, WS_LM_GE, WS_LM_GT,
    WS_SINK /* what nobody reads; 64 bits, so two slots */, WS_SINK_HI, WS_SLOTS
};
/* clang-format on */
enum { SLOT32 = 4 * WARP_SIZE, SLOT64 = 8 * WARP_SIZE };

/* ---- running ---- */

/* One level of the SIMT stack: lanes `mask` continue at `block` and leave at `reconv`. */
struct simt {
    uint32_t block, reconv, mask;
};

struct call_frame {
    const struct xfunc *f;
    uint32_t regs;               /* offset in the warp's register store */
    uint32_t local;              /* offset of the frame's variables in a thread's local memory */
    uint32_t stack;              /* index of the frame's first SIMT level */
    uint32_t mask;               /* lanes that made the call */
    const struct ptx_call *call; /* NULL for the kernel itself */
};

enum warp_state { WARP_READY, WARP_BARRIER, WARP_DONE, WARP_CLUSTER /* at its cluster's barrier */ };

/* The mbarriers that the timing half follows get numbers from 1 on in the order of their use. */
struct mbar_names {
    uint32_t count;
    uint32_t at[MBARRIERS]; /* offset in shared memory */
};

/* Where the threads of a cluster meet. */
struct cluster_meeting {
    uint32_t arrived, phase;
    uint32_t events, needed; /* arrivals so far; those when the last phase was complete */
    struct mbar_names names;
};

/* What is known of a warp that polls without anything having changed (spin.c). */
struct spin {
    uint64_t progress; /* of the run when the count began */
    uint32_t polls;    /* blocks that read memory since then */
    uint32_t strong;   /* of these, those that say that others write it; since the round began */
    uint32_t yields;   /* lanes that waited were let past, since then */
    uint64_t kept;     /* hash of the warp's state */
    uint32_t low;      /* the lowest depth of the stack since then, where something was executed */
    uint32_t round;    /* the same of the last whole round, from a state until it came again */
    bool spins;        /* its state has come again: it goes on when somebody makes progress */
    bool spun;         /* it did so before, in the state that is kept */
};

/* What a warp knows of the windows in which it is recorded (excerpt.c). */
struct excerpt {
    struct stream_writer *writer; /* NULL: everything is recorded, or nothing */
    uint64_t executed, threads;   /* by the warp, when the gap or window it is in began */
    uint64_t gap, before; /* instructions of the gap before the window it is in, and of the window before that. Where
                           * streams are made on demand `gap` is how many warps ran on its SM when the window began */
    struct exec_counts gaps;
};

/* Where in a warp's life its barriers are, in instructions (written.c). */
struct barrier_marks {
    uint64_t *at;   /* how much it had executed when the block began that has it */
    uint32_t *inst; /* which it is: an instruction of the code */
    uint32_t n, room;
    bool failed; /* no memory */
    bool apart;  /* lanes came to one of them by different ways: the machine hears of the last only (apart.c) */
};
void barrier_mark(struct barrier_marks *m, uint64_t at, uint32_t inst);

struct exec_warp {
    uint8_t *base[AREAS];
    uint32_t exec;                          /* lanes the current instruction runs for */
    uint32_t active;                        /* lanes of the current block */
    uint32_t carry;                         /* CC.CF, one bit per lane */
    _Alignas(64) uint32_t lanes[WARP_SIZE]; /* exec, spread out: all ones or 0 */
    struct exec_run *run;
    struct exec_cta *cta;
    struct stream_writer *out;  /* NULL: no stream, or a gap in it */
    uint64_t executed, threads; /* warp and thread instructions so far */
    uint64_t block_at;          /* `executed` at the start of the block, for %clock */
    uint32_t id, live;
    uint32_t resume; /* body micro-op to continue with after a barrier */
    uint8_t state;
    /* the barrier waited at */
    uint8_t bar_id;
    const struct uop *bar_uop;
    uint32_t bar_mask;
    uint32_t apart;          /* lanes that wait at barriers to which those of the warp came apart (apart.c) */
    uint32_t came[BARRIERS]; /* lanes that are counted at a barrier at which others of the warp are not */
    uint32_t cluster_phase;  /* of the cluster's barrier when the warp arrived */
    struct {
        uint32_t ranks, events; /* of a copy to several CTAs: theirs; at the mbarrier of each */
    } cast;
    struct spin spin;
    bool split;                    /* lanes were let past others (spin.c) */
    const struct skim_list *skims; /* it runs no more than this (oblivious.h); NULL: everything */
    const struct uop *clock_uop;   /* a clock that was read and has no value yet (step.c) */
    uint32_t clock_mask;           /* by these lanes */
    /* storage */
    struct simt *stack;
    uint32_t depth, stack_cap;
    struct call_frame *frame;
    uint32_t nframe, frame_cap;
    uint8_t *regs;
    uint32_t regs_cap;
    uint8_t *local; /* lane-major: lane * local_stride + offset */
    uint32_t local_stride;
    uint8_t *specials; /* the WARP area */
    struct excerpt excerpt;
    struct barrier_marks *marks; /* where its barriers are noted; NULL: nowhere */
    uint64_t total;              /* instructions of its life, where streams are made on demand */
};

struct barrier {
    uint32_t threads;         /* threads that have arrived */
    uint32_t expected;        /* threads that must arrive; 0: those of every live warp */
    uint32_t waiting;         /* waiting warps, one bit per warp */
    uint32_t all, any, count; /* bar.red: result of the threads that have arrived */
    bool apart;               /* some are of warps whose other threads have not (exec_warp.came) */
};

/* Bounds of an allocation that answered the last access: lo <= addr <= hi - size. */
struct range {
    uint64_t lo, hi;
    uintptr_t last, step; /* where the last access began, in the host's memory, and how far from the one before */
};
enum { RANGES = 64 };

/* A CTA that was handed out: its writers live until it is released. */
struct told_warp;
struct cta_out {
    struct told_warp *told;      /* by warp: what the machine was told of a stream that can be moved on; or NULL */
    uint32_t id, sm;             /* then: of its CTA; where it runs */
    struct cta_out *next_told;   /* the next one that was handed out, and was not released */
    struct exec_cta *cta;        /* in step with the machine: the CTA itself */
    size_t whole[CTA_MAX_WARPS]; /* and of the bytes in its writers those of whole blocks */
    bool given[CTA_MAX_WARPS];   /* they were handed out */
    struct cta_out *next_free;   /* the next one that waits to be used again */
    struct cta_out *next;        /* the next one of the run, in use or not */
    struct stream_writer writer[CTA_MAX_WARPS];
    struct slice_chain chain[CTA_MAX_WARPS]; /* of the streams that are long */
};

/* Rounds of turns of a CTA without progress (cta.c). */
struct idle {
    uint64_t progress, rounds, kept, renew;
};

enum cta_state {
    CTA_RUNS,
    CTA_WAITS /* soft: it may end alone */,
    CTA_STUCK /* until somebody makes progress */,
    CTA_DONE
};

/* A CTA that was started. Nearly always there is one at a time; more where CTAs wait for one another. */
/* Events at its mbarriers, by their numbers; number 0 is those that are not followed. */
struct mbars_followed {
    uint32_t events[MBARRIERS]; /* so far */
    uint32_t needed[MBARRIERS]; /* those that had happened when the last phase was complete */
};

struct exec_cta {
    struct exec_cta *next; /* in the list it is in */
    struct exec_run *run;
    uint32_t id, ctaid[3];
    uint32_t order;      /* its place in the order of launch_nth; without clusters the id */
    uint8_t state;       /* enum cta_state */
    uint64_t waits_from; /* CTA_STUCK: the run's progress then */
    uint8_t *shared;
    struct exec_warp *warp; /* [nwarps] */
    struct barrier bar[BARRIERS];
    struct mbars_followed followed;
    struct cluster_meeting meeting; /* of a cluster that is one CTA */
    struct cta_out *out;            /* NULL: no streams */
    struct idle idle;
};

struct exec_run {
    struct stream_source source; /* first: ptx_open returns it */
    struct launch_info info;
    struct ptx_launch l;
    const struct xfunc *kernel;
    uint8_t *params, *launch_area;
    uint64_t param_bytes, const_bytes;
    uint64_t meeting;  /* device address of what grid.sync() uses; 0: the module has none */
    uint32_t next_cta; /* the next one to start */
    uint32_t next_out; /* the next one to hand out */
    uint32_t nwarps;
    uint8_t *shared; /* of the CTA whose turn it is */
    uint32_t shared_bytes, dynamic_at;
    uint32_t cluster[3], cluster_size;
    bool explicit_cluster;
    struct cluster_meeting *meetings; /* by cluster; NULL: clusters are one CTA */
    /* CTAs, in increasing id: started and not ended; ended and not handed out; and storage that nobody uses */
    struct exec_cta *live, *done, *spare;
    struct exec_cta *turn; /* whose turn is next; NULL: a round is over */
    uint32_t nlive, room;  /* CTAs started; how many may be at once */
    uint32_t starts;       /* so many may start before those that wait get their turn again */
    uint64_t round_from;   /* progress when the round began */
    bool polls_and_stores; /* a CTA was found waiting that stores while it asks (cta.c) */
    bool clocks, times;    /* the kernel, or a function it may call: struct xfunc */
    bool in_step;          /* warps execute when the machine asks for what they do next (step.c) */
    bool barriers;         /* the kernel, or a function it may call, has barriers of the CTA */
    bool whole_barriers;   /* such at which a warp arrives as a whole */
    bool asks_others;      /* it polls what other CTAs may write, so a CTA may wait for another */
    bool watches;          /* polls are counted: the kernel has strong ones, or a CTA has had to wait */
    uint32_t slice;        /* instructions of a warp's turn */
    struct range range[RANGES];
    uint8_t *dev_host;
    uint64_t generation;
    uint64_t tex_handle;        /* handle of the texture fetched from last */
    const struct texture *tex;  /* descriptor of that texture; NULL: none yet */
    const uint8_t *tex_host;    /* its texels */
    uint64_t progress;          /* stores, barriers, exits: what another warp could be waiting for */
    struct ptx_child *children; /* that its threads asked for, in order (children.c) */
    struct cta_out *free_out, *all_out;
    struct slice_store slices;
    struct exec_counts counts;
    bool meets;                /* the kernel, or a function it may call, has other instructions of that kind */
    bool excerpts;             /* it is (excerpt.c) */
    uint32_t pass_until;       /* CTAs below this id write no streams */
    struct exec_counts passed; /* of `counts`, what these executed */
    struct oblivion *skims;    /* what is known of its path; NULL: it is not asked for (oblivious.c) */
    bool skims_passed;         /* CTAs that are passed are not executed */
    uint32_t skimmed_ctas;
    bool on_demand;          /* streams are made as they are read (on_demand.c) */
    bool written, settled;   /* streams can be moved on (written.c); they are not any more */
    struct cta_out *waiting; /* then: CTAs that came early, and have no place yet */
    struct cta_out *told;    /* then: CTAs that run, in the order in which they were handed out */
    uint64_t longest;        /* then: most instructions of a warp, in the mean of a CTA, so far */
    uint32_t *met;   /* then: by instruction of the code, a barrier: the phase in which a machine came to it last; 0 */
    uint32_t phase;  /* and so many notes were taken, and one */
    bool told_badly; /* a stream could not be read back */
    uint64_t ended;  /* then: warp instructions of those that have ended */
    uint64_t foreseen;                    /* warp instructions of the launch, with on_demand */
    uint64_t *length;                     /* then: warp instructions of each warp of each CTA */
    struct rank_book *ranks;              /* and how fast they go, by rank */
    struct exec_counts skimmed, skim_one; /* of `counts`, theirs; the last one's */
    const struct exec_counts *known;      /* all that the launch executes; NULL: CTAs are counted */
    struct wl_err *err;
    struct wl_err unheard; /* what err points to when nobody asks for the words */
    bool failed;
};

static inline void *at(const struct exec_warp *w, ref r) { return w->base[r & 3] + (r & ~3u); }
static inline uint32_t *at32(const struct exec_warp *w, ref r) { return at(w, r); }
static inline uint64_t *at64(const struct exec_warp *w, ref r) { return at(w, r); }

/* Writes lane masks for `exec`. */
static inline void set_exec(struct exec_warp *w, uint32_t exec)
{
    w->exec = exec;
    for (unsigned i = 0; i < WARP_SIZE; i++) w->lanes[i] = 0u - (exec >> i & 1);
}

/* warp.c: a fault in `lane` (or -1: the lowest executing one). Returns RUN_FAULT. */
int warp_fault(struct exec_warp *w, const struct uop *u, int lane, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int warp_init(struct exec_warp *w, struct exec_cta *c, uint32_t id);
void warp_free(struct exec_warp *w);
int warp_start(struct exec_warp *w); /* at the kernel's entry */
/* Runs until a barrier, the end, a fault or the end of its turn. */
int warp_run(struct exec_warp *w);
int warp_run_block(struct exec_warp *w); /* one block */
/* Counts the block and writes it to the stream. */
/* Lanes that go on at `block` until they come to `reconv`. False: out of memory. */
bool warp_push_level(struct exec_warp *w, uint32_t block, uint32_t reconv, uint32_t mask);
void warp_enter_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b, uint32_t mask);
/* In step with the machine: runs so many instructions, but not past a read of a clock or of what others write. *whole
 * becomes how many bytes of its stream are whole blocks. */
int warp_run_in_step(struct exec_warp *w, unsigned instructions, size_t *whole);
void warp_put_pred(struct exec_warp *w, ref d, uint32_t mask, uint32_t value); /* the lanes of mask */
uop_fn op_guarded;

/* memops.c */
uop_fn op_prefetch, op_cvta, op_isspacep, op_local_addr;
enum addressing { ADDR_CONST, ADDR_REG32, ADDR_REG64, ADDR_FRAME /* of the current call */, ADDR_DYNAMIC /* shared */ };
void mem_addresses(const struct exec_warp *w, const struct uop *u, uint64_t addr[WARP_SIZE]);
/* Host bytes of one lane's access, or NULL after a fault. `what` is "load", "store" ... */
void *mem_lane(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes,
               const char *what);
/* Where the bytes of each executing lane are; RUN_FAULT: one of them has none. */
int mem_resolve_lanes(struct exec_warp *w, const struct uop *u, const uint64_t *addr, unsigned size,
                      uint8_t *at[WARP_SIZE], const char *what);
/* A space with a single host image: its bytes, or NULL for the others. */
static inline uint8_t *mem_space_image(const struct exec_run *r, unsigned space, uint64_t *bytes)
{
    switch (space) {
    case PTX_SHARED: *bytes = r->shared_bytes; return r->shared;
    case PTX_CONST: *bytes = r->const_bytes; return r->l.image->const_image;
    case PTX_PARAM_KERNEL: *bytes = r->param_bytes; return r->params;
    default: return NULL;
    }
}
/* Chooses the function of a load or store from the other fields of *u. */
void mem_choose(struct uop *u, bool store);
/* Records the access in the stream. Fails where a generic address points into a space the instruction cannot
 * reach. */
int mem_emit_generic(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE]);
static inline int mem_emit(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE])
{
    if (u->emits == EMIT_GENERIC) return mem_emit_generic(w, u, addr);
    if (w->out && u->emits) stream_addrs(w->out, w->exec, addr);
    return RUN_ON;
}
static inline void put_lane(const struct exec_warp *w, ref d, bool wide, unsigned lane, uint64_t value)
{
    if (wide) at64(w, d)[lane] = value;
    else at32(w, d)[lane] = (uint32_t)value;
}
static inline uint64_t get_lane(const struct exec_warp *w, ref s, bool wide, unsigned lane)
{
    return wide ? at64(w, s)[lane] : at32(w, s)[lane];
}

/* atomics.c */
uop_fn op_atom, op_atom_vec, op_atom_b128;
uint64_t atom_apply(const struct uop *u, uint64_t old, uint64_t operand); /* one element of what u does, but cas */

/* texture.c */
uop_fn op_tex, op_txq, op_surface;

/* warpops.c */
uop_fn op_shfl, op_vote, op_match, op_redux, op_elect, op_activemask, op_nop, op_trap, op_clock;
uop_fn op_bar, op_bar_apart;

/* scalar.c: one lane at a time, for forms too rare to deserve a vector loop */
uop_fn op_directed, op_carry, op_mov_vec;

/* cta.c */
int cta_arrive(struct exec_warp *w, const struct uop *u); /* at a barrier: RUN_ON or RUN_WAIT */
/* The barrier that the lanes of w->exec come to, and how many threads it waits for, 0: all; NULL: fault. */
struct barrier *cta_barrier(struct exec_warp *w, const struct uop *u, uint32_t *expected);
void cta_vote(struct barrier *b, const struct exec_warp *w, const struct uop *u); /* bar.red of w->exec */
/* bar.red gives these lanes their result. */
void cta_hand_out(const struct barrier *b, struct exec_warp *w, const struct uop *u, uint32_t mask);
void cta_check_barrier(struct exec_cta *c, struct barrier *b); /* lets go who waits, if enough threads have arrived */
/* Gives the CTA its turn: until it ends or waits for another, which its state tells. RUN_ON or RUN_FAULT. */
int cta_run(struct exec_cta *c);
void cta_warp_done(struct exec_warp *w);  /* it has ended: others may wait for that at a barrier */
int cta_check_budget(struct exec_cta *c); /* RUN_ON or RUN_FAULT */
/* A warp that would go on, and the instruction at which it is; NULL: there is none. */
struct exec_warp *cta_find_ready(struct exec_cta *c, const struct uop **at);

/* apart.c */
/* The top level of the stack stands before a barrier that may not concern all lanes of the warp. True: it executes it,
 * for all that can come. False: others go on first, or the warp waits, which its state tells; or *rc is RUN_FAULT. */
bool apart_goes(struct exec_warp *w, int *rc);
void apart_release(struct exec_warp *w, const struct barrier *b); /* its lanes that wait there */
uint32_t apart_arrive(struct exec_warp *w, unsigned id);          /* bar.arrive of w->exec: threads that count */
/* Nobody can go on: lanes count where others of their warp have arrived, but for those that wait elsewhere. True:
 * somebody is let go. */
bool apart_complete(struct exec_cta *c);

/* step.c */
void step_begin(struct exec_cta *c); /* a CTA was started and is handed out before it executes */
int step_more(struct stream_source *s, struct cta_stream *cta, unsigned warp, struct warp_stream *out);
int step_feed(struct stream_source *s, struct cta_stream *cta, unsigned warp, uint64_t cycle, struct wl_err *e);

/* spin.c */
static inline void spin_note_depth(struct exec_warp *w)
{
    if (w->depth < w->spin.low) w->spin.low = w->depth;
}
/* The warp has executed a block that polls. True: it spins, and its turn is over. */
bool spin_polled(struct exec_warp *w, const struct xblock *b);
/* Lets lanes past that wait in the warp's current function for those that spin. False: there are none, or it was tried
 * for each lane since anybody made progress. */
bool spin_let_past(struct exec_warp *w);
uint64_t spin_hash(uint64_t h,
                   const struct exec_warp *w); /* all that decides what it does next, shared memory excepted */

/* excerpt.c */
void excerpt_begin(struct exec_warp *w); /* it starts, and its writer is known */
/* Before the warp enters a block, where there are excerpts: whether it is recorded. */
void excerpt_block(struct exec_warp *w, const struct xfunc *f, const struct xblock *b);
void excerpt_end(struct exec_warp *w); /* its stream is complete */
void source_excerpt(struct stream_source *s);
uint64_t source_gaps(struct stream_source *s);
/* launch.c: whether CTAs take turns though none waits. A kernel that reads a clock measures something while others run;
 * what these prepare for it is there on a GPU, where all that fit begin together. In a timed run that is so anyway. */
static inline bool launch_slices(const struct exec_run *r) { return r->clocks && !r->in_step; }

/* launch.c: everybody waits and nobody can be started: says why. RUN_FAULT. */
int launch_is_stuck(struct exec_run *r);

/* builtin.c: functions without a body that kernels may call */
typedef int builtin_fn(struct exec_warp *w, const struct uop *u, const struct ptx_call *call); /* for w->exec */
builtin_fn call_vprintf, call_assertfail;                                                      /* printf.c */
/* children.c */
builtin_fn call_parameter_buffer, call_launch_device, call_copy_async, call_fill_async;
builtin_fn call_nothing, call_create_handle, call_get_device, call_device_count;
int builtin_call(struct exec_warp *w, const struct uop *u);
uint8_t *builtin_param(const struct exec_warp *w, const struct ptx_var *v, unsigned lane); /* of the calling frame */
/* The value of argument k of a lane, up to 8 bytes; what the call returns to it. */
uint64_t builtin_arg(const struct exec_warp *w, const struct ptx_call *c, uint32_t k, unsigned lane);
void builtin_result(const struct exec_warp *w, const struct ptx_call *c, unsigned lane, uint64_t value);

/* lower*.c */
struct lower {
    struct ptx_image *img;
    struct xfunc *f;
    struct wl_err *e;
    const struct ptx_inst *in;
    unsigned ranges; /* memory instructions so far */
    bool *copied; /* by instruction: it copies what its readers find where it came from (copies.c); NULL: none does */
};
int lower_func(struct lower *L);
int frame_lay_out(struct lower *L); /* frame.c: fills in reg, reg_bytes and what must be cleared */
/* copies.c. `first`: a set of registers that some path may read before they are written. Registers that hold nothing
 * but a copy get the place it was copied from. */
int copies_find(struct lower *L, const uint64_t *first);
int lean_build(struct lower *L); /* the micro-ops of warps without a stream */
/* The place of a parameter of the kernel that is being lowered. */
int lower_param(struct lower *L, uint64_t at, bool wide, ref *out);
/* Where an operand is; `bits` is the width the instruction reads or writes. */
int lower_src(struct lower *L, const struct ptx_operand *o, unsigned bits, ref *out);
int lower_dst(struct lower *L, const struct ptx_operand *o, unsigned bits, ref *out);
/* The places of a vector's elements, or of one operand, appended to out[]; the number of them in *n. */
int lower_elements(struct lower *L, const struct ptx_operand *o, unsigned bits, bool dest, ref *out, unsigned *n);
/* Memory that lives as long as the image. */
ref *lower_refs(struct lower *L, unsigned n);
int lower_refuse(struct lower *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool lower_is_wide(const struct lower *L, const struct ptx_operand *o); /* a 64-bit register */
/* lower_alu.c; lower_lanes is the usual one */
lower_fn lower_lanes, lower_mul, lower_mad, lower_mul24, lower_mad24, lower_div, lower_min, lower_max, lower_rcp;
lower_fn lower_rsqrt, lower_bfind, lower_prmt, lower_shf, lower_lop3, lower_dot, lower_slct, lower_logic, lower_carry;
lower_fn lower_set, lower_setp, lower_testp, lower_selp, lower_mov;
/* lower_mem.c */
int lower_address(struct lower *L, struct uop *u, const struct ptx_operand *o, uint8_t space);
lower_fn lower_load, lower_store, lower_atom, lower_cvta, lower_isspacep, lower_prefetch;
lower_fn lower_tex, lower_txq, lower_surface;
/* lower_warp.c */
lower_fn lower_activemask, lower_shfl, lower_vote, lower_match, lower_redux, lower_bar, lower_call, lower_brx;
lower_fn lower_nothing, lower_trap, lower_nop;
/* lower_matrix.c, lower_async.c */
lower_fn lower_mma, lower_wmma, lower_wgmma, lower_ldmatrix, lower_movmatrix;
lower_fn lower_cp, lower_mbarrier, lower_small, lower_cluster, lower_cluster_barrier;
lower_fn lower_st_async;
lower_fn lower_cvt;                                                            /* cvt.c */
lower_fn lower_video;                                                          /* video.c */
lower_fn lower_tensormap;                                                      /* tensor_replace.c */
uint64_t image_var_addr(const struct ptx_image *img, const struct ptx_var *v); /* in its own space */
struct xfunc *image_func(const struct ptx_image *img, const struct ptx_func *f);
struct xfunc *image_func_at(const struct ptx_image *img, uint64_t pointer); /* NULL: none of this module */

#endif
