/* module.h - what parsing hands to the passes that complete a module.
 *
 * Each function is a struct func_info whose first member is the ptx_func the outside sees;
 * the rest is what only the passes need. They run in this order: (unroll_function, join_loads, guard_short and)
 * cfg_build for each function, then, callees first, live_count (and registers_count, sched_function), and once for the
 * module place_shared and code_build. */
#ifndef WL_PTX_MODULE_H
#define WL_PTX_MODULE_H

#include "ptx/ir.h"

struct shared_use { /* a .shared variable the function names */
    struct shared_var *var;
    struct shared_use *next;
};

struct shared_var {
    struct ptx_var *var;
    struct func_info *last_user; /* newest function with a shared_use of it */
    struct shared_user *kernels; /* kernels that reach the variable */
    struct shared_var *next;
};

struct shared_user {
    struct func_info *kernel;
    struct shared_user *next;
};

struct callee {
    struct func_info *func; /* NULL while the text is read: whatever a pointer points at */
    uint32_t live;          /* 32-bit registers the caller keeps across the call */
    uint32_t inst;          /* the call */
    bool indirect;          /* it may be called: by a pointer */
    struct callee *next;
};

struct func_info {
    struct ptx_func f; /* first: info_of() relies on it */
    bool defined;
    struct ptx_inst *inst;   /* f.inst, writable */
    struct ptx_block *block; /* f.block, writable */
    struct target_list *lists;
    uint32_t *succ_first, *succ; /* successors of block b: succ[succ_first[b] .. succ_first[b+1]) */
    uint16_t *block_loop;        /* loop of a block, module-wide number */
    struct callee *callees;
    struct shared_use *shared;
    uint32_t maxnreg;            /* 0: none given */
    const char *text, *text_end; /* from its name to behind the brace that ends it; NULL: no body */
    uint32_t line, col;          /* where its name stands in the text, for messages */
    uint32_t mark;               /* these three are scratch of walks over the call graph */
    struct callee *walk;
    struct func_info *caller;
    uint32_t order;         /* index of the function in build.order */
    uint32_t pressure;      /* live registers, callees included */
    uint32_t *room;         /* by block: registers for its own values */
    uint8_t *entries;       /* by instruction: how many it has in the code table; NULL: one each */
    uint8_t *sync;          /* by instruction: what stands in front of it (converge.h); where there are entries */
    struct func_info *next; /* all functions in order of first appearance */
};

struct build {
    struct ptx_module *m;
    struct wl_err *e;
    struct func_info *funcs, **last;
    struct func_info **order; /* defined functions, callees before callers where there is no recursion */
    uint32_t nfuncs;
    struct shared_var *shared, **shared_last;
    struct ptx_var **var_last; /* end of m->vars */
    uint32_t pc_base;
    uint16_t branch_reg; /* what branches write, in an assembled program (codegen.c) */
    uint16_t part_reg;   /* what lanes that part write */
    struct ptx_target target;
    struct code_loop *loop; /* malloc'd, moved into the arena by code_build */
    uint32_t nloop, loop_cap;
};

static inline struct func_info *info_of(const struct ptx_func *f) { return (struct func_info *)(uintptr_t)f; }

/* Registers an instruction writes, and those it reads (guard and addresses included), in
 * order of its operands. out[] has room for MAX_INST_REGS. */
enum { MAX_INST_REGS = 1 + PTX_MAX_VECTOR + (PTX_MAX_DST + PTX_MAX_SRC) * 8 };
unsigned inst_writes(const struct ptx_inst *in, int32_t *out);
bool inst_reads_reg(const struct ptx_inst *in, int32_t reg);
bool inst_writes_reg(const struct ptx_inst *in, int32_t reg);
unsigned inst_reads(const struct ptx_inst *in, int32_t *out);

/* Each returns 0, or fills b->e. */
int cfg_build(struct build *b, struct func_info *fi);
int unroll_function(struct build *b, struct func_info *fi); /* unroll.c; before cfg_build */
/* module.c: takes out the marked instructions, before cfg_build; moved: room for a place each, and one more. */
void func_take_out(struct func_info *fi, const uint8_t *gone, uint32_t *moved);
int join_loads(struct build *b, struct func_info *fi);  /* join_loads.c; behind it, also before cfg_build */
int guard_short(struct build *b, struct func_info *fi); /* guard_short.c; the last of these */
int live_count(struct build *b, struct func_info *fi);
int sched_function(struct build *b, struct func_info *fi); /* block_order.c; after live_count */
int code_build(struct build *b);
/* parse_loc.c: where an instruction was written. -1: out of memory. */
int loc_origin(struct ptx_module *m, const struct ptx_inst *in, struct code_origin *out);

/* refuse.c. refuse_function keeps what *e says with the function, and clears *e; false: it stays an error of the
 * module. refuse_body gives a refused function a body that does nothing. refuse_callers passes it on to all callers. */
bool refuse_function(struct ptx_module *m, struct ptx_func *f, struct wl_err *e);
int refuse_body(struct build *b, struct func_info *fi);
void refuse_callers(struct ptx_module *m);
/* builtin.c: the number of a function without a body that the executor has, or -1. */
int builtin_find(const char *name);
/* Whether the arguments of a call through a pointer are those of the function. */
bool ptx_call_fits(const struct ptx_call *c, const struct ptx_func *f);

/* The immediate dominator of each node of a graph, by Lengauer and Tarjan. Successors and predecessors are
 * arrays of the form of func_info.succ. idom[root] is root; PTX_NO_BLOCK marks the nodes
 * that root does not reach. order[] receives the reached nodes in depth-first preorder and
 * number[] each one's place there; the result is how many, or -1 without memory. */
struct flow_graph {
    uint32_t n;
    const uint32_t *succ_first, *succ, *pred_first, *pred;
};
/* Reverses a graph of n nodes; rfirst has room for n + 1 elements, rto for all edges. */
void graph_reverse(uint32_t n, const uint32_t *first, const uint32_t *to, uint32_t *rfirst, uint32_t *rto);
int64_t graph_dominators(const struct flow_graph *g, uint32_t root, uint32_t *idom, uint32_t *order, uint32_t *number);

/* The dominator tree of a function's blocks; block 0 is its root. */
struct dom_tree {
    uint32_t count;              /* blocks that block 0 reaches */
    uint32_t *idom;              /* immediate dominator of a block */
    uint32_t *order, *number;    /* reached blocks in preorder; a block's place there, PTX_NO_BLOCK if not reached */
    uint32_t *in, *size;         /* the blocks below v, with v, have in[] from in[v] to in[v] + size[v] - 1 */
    uint32_t *loop_header;       /* header of the innermost loop a block is in, PTX_NO_BLOCK outside of loops */
    uint32_t *pred_first, *pred; /* the blocks' predecessors */
    uint32_t *work;              /* the memory of the arrays */
};
/* Both blocks must be reached. A block dominates itself. */
static inline bool dominates(const struct dom_tree *t, uint32_t a, uint32_t b)
{
    return t->in[b] - t->in[a] < t->size[a];
}

/* cfg_meet.c: fills in the blocks' ipdom. The loops must be known. Returns -1 without memory. */
int meet_build(const struct build *b, struct func_info *fi, const struct dom_tree *t);

#endif
