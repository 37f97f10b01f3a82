/* accel_code.h - a kernel's code while it is learned: accel_code.c enters instructions, accel_flow.c follows warps. */
#ifndef WL_TRACE_ACCEL_ACCEL_CODE_H
#define WL_TRACE_ACCEL_ACCEL_CODE_H

#include "trace/accel/accel_priv.h"

enum { STACK = 16, NONE = 0 };

/* What tells instructions apart; hashed and compared as bytes. The same record serves four levels, each
 * without some of the fields of the one before. */
enum level {
    AN_INST, /* all: an instruction of the table */
    A_SITE,  /* without kind, space, idle, groups: a place in the program, in one call chain */
    A_TEXT,  /* without the context: the instruction as it stands in the program */
    A_PC     /* the pc alone */
};
struct accel_key {
    uint32_t pc, context;
    uint16_t opcode;
    uint8_t ndst, nsrc;
    uint16_t reg[CODE_MAX_REGS];
    uint8_t kind, space, idle, level;
    uint8_t groups, unused[7]; /* groups of copies that may stay out */
};

struct accel_record {
    struct accel_key key;
    uint32_t value;  /* AN_INST: its site. A_SITE: its number. A_TEXT: the pc it gets. A_PC: texts with it so far */
    uint32_t number; /* AN_INST: its number in the table */
    uint32_t line;   /* AN_INST: its source line; 0: not known */
};

/* A node of the graph. Node 0 is the entry. */
struct accel_site {
    uint32_t callee; /* context of the function called here; NONE: no call yet */
    uint32_t last_from;
    uint32_t pc; /* of the table */
};

/* Open addressing over numbers from 1; 0 is a free slot. */
struct accel_index {
    uint32_t *slot, size, used;
};

struct accel_frame {
    uint32_t context, mask, call_pc;
    bool fresh; /* no line of the function was seen yet */
};

struct accel_code {
    struct accel_kernel kernel;
    uint32_t kernels; /* so far */
    struct accel_memo memo[ACCEL_MEMOS];
    enum sass_arch arch;
    bool learning;
    bool named; /* of the registers that a wide load writes, the first is kept */
    struct accel_opcode *opcode;
    uint32_t opcodes, opcodes_cap;
    struct accel_record *record; /* from 1 */
    uint32_t records, records_cap, insts;
    struct accel_site *site; /* from 0 */
    uint32_t sites, sites_cap;
    struct flow_edge *edge; /* from 1 */
    uint32_t edges, edges_cap;
    uint32_t contexts;
    struct accel_index by_opcode, by_key, by_edge;
    /* the warp that is followed */
    struct accel_frame stack[STACK];
    unsigned depth;
    struct {
        uint32_t site, mask;
    } at[WARP_SIZE + 1]; /* where its lanes are */
    unsigned groups;
    uint32_t last_mask;
    /* the finished table */
    struct code code;
    struct code_inst *inst;
    struct code_block *block;
    struct code_loop *loop;
    struct code_origin *origin;
};

typedef uint64_t hash_of(const struct accel_code *c, uint32_t n);

/* Room for item `need` of a growing array; for one more in an index, of which half stays free. */
bool accel_grow(void **array, uint32_t *cap, uint32_t need, size_t item);
bool accel_index_room(struct accel_code *c, struct accel_index *x, hash_of *hash);
uint64_t accel_mix(uint64_t h, uint64_t v);

/* ---- accel_flow.c ---- */

/* The call chain these lanes are in at this pc. */
uint32_t accel_context_of(struct accel_code *c, uint32_t pc, uint32_t lanes);
void accel_follow_call(struct accel_code *c, uint32_t site, uint32_t pc, uint32_t lanes);
void accel_follow_return(struct accel_code *c, uint32_t lanes);
/* The lanes went from where they were to this site. */
void accel_follow_lanes(struct accel_code *c, struct lines *in, uint32_t site, uint32_t lanes);

#endif
