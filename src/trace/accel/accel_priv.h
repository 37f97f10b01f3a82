/* accel_priv.h - what the files of the Accel-Sim reader share. */
#ifndef WL_TRACE_ACCEL_ACCEL_PRIV_H
#define WL_TRACE_ACCEL_ACCEL_PRIV_H

#include "trace/accel/accel.h"
#include "trace/lines.h"
#include "trace/accel/sass.h"
#include "trace/wlt/wlt_priv.h"

/* Limits that bound what a small file can ask for. */
enum {
    ACCEL_LAST_VERSION = 5,
    ACCEL_MAX_INSTS = 1 << 20,      /* different instructions of a kernel */
    ACCEL_MAX_EDGES = 1 << 22,      /* different steps from one to the next */
    ACCEL_MAX_OPCODES = UINT16_MAX, /* different mnemonics with modifiers */
    ACCEL_MAX_CONTEXTS = 1 << 12    /* different call chains */
};
#define ACCEL_MAX_CTA_BYTES (UINT64_C(1) << 30)

/* ---- accel_line.c: one line of a kernel's file ---- */

/* The kernel as its header describes it. */
struct accel_kernel {
    char name[128];
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, registers, binary, version;
    uint64_t stream;                  /* of the CUDA program */
    uint64_t shared_base, local_base; /* where the generic windows begin; 0: not given */
    bool line_info;
    bool ptx;                     /* our own writer's: the instructions were PTX */
    bool no_shared, no_registers; /* the header does not say how much its blocks need */
    char unknown[48];             /* the first header line that this reader does not know; "": none */
};

/* A line says the same whenever an instruction is executed, but for the mask and the addresses, and of these the lanes
 * often differ by the same. This remembers what was read last at a pc, so that it need not be read, named and looked up
 * again. */
enum { ACCEL_MEMOS = 4096, ACCEL_STEPS = 112 };
struct accel_memo {
    uint32_t pc;
    uint16_t len; /* of the text from the registers to the width; 0: nothing is remembered */
    uint8_t ndst, nsrc;
    bool has_addrs;
    uint16_t opcode; /* of accel_code.c; 0: not known */
    uint16_t reg[CODE_MAX_REGS];
    uint32_t record, kernel; /* the record it was last, of that kernel */
    uint32_t steps_mask;     /* the lanes whose differences follow */
    uint8_t steps_len;       /* of their text; 0: none is remembered */
    char text[80], steps[ACCEL_STEPS];
    uint64_t offset[WARP_SIZE]; /* what they add up to */
};

/* An instruction line. */
struct accel_inst {
    uint32_t pc, mask;
    uint32_t line; /* of the source; 0: not given */
    uint8_t ndst, nsrc;
    uint16_t reg[CODE_MAX_REGS]; /* destinations first; 255 and above: none */
    const char *opcode;          /* in the line, of opcode_len characters; NULL: as remembered */
    uint32_t opcode_len;
    struct accel_memo *memo;
    bool has_addrs; /* a memory reference, though no lane may be active */
    int64_t immediate;
    uint64_t addr[WARP_SIZE]; /* addresses of the lanes in mask */
};

/* Reads the header up to and with the "#traces format" line. */
void accel_read_header(struct lines *in, struct accel_kernel *k);
void accel_read_inst(struct lines *in, const struct accel_kernel *k, struct accel_memo *memo, const char *line,
                     size_t len, struct accel_inst *out);
/* "X,Y,Z" behind `text`; false: not three numbers. */
bool accel_three(const char *text, uint32_t out[3]);
bool accel_number(const char *text, uint64_t max, uint64_t *out); /* the whole text is a decimal number */

/* ---- accel_code.c: the kernel's code, learned from its lines ---- */

struct accel_opcode {
    char *text;
    uint64_t hash, count; /* executed in this trace */
    struct sass_op op;
    bool with_addrs;  /* an unknown one that came with addresses */
    uint64_t dropped; /* of them, accesses to memory that could not be made: their lines have no addresses */
};

struct accel_code;

struct accel_code *accel_code_new(void);
void accel_code_free(struct accel_code *c);
/* Forgets the instructions, keeps the mnemonics and their counts. */
void accel_code_begin(struct accel_code *c, const struct accel_kernel *k);
void accel_code_keep_named(struct accel_code *c);
struct accel_memo *accel_code_memos(struct accel_code *c); /* ACCEL_MEMOS of them */
void accel_warp_begin(struct accel_code *c);
/* The instruction's number in the table to be; the addresses of *i become those of its space. Where a
 * generic access goes to several spaces, i->mask shrinks to the lanes of one: ask again with the others.
 * While learning it is entered; afterwards it must be there. Fails the input, and then gives 0. */
uint32_t accel_code_inst(struct accel_code *c, struct lines *in, struct accel_inst *i);
/* Ends learning: blocks, loops, registers. Instruction n is the only one of block n. */
const struct code *accel_code_table(struct accel_code *c, struct lines *in);
const struct accel_opcode *accel_code_opcodes(const struct accel_code *c, unsigned *count);

/* ---- accel_loops.c: loops of a graph ---- */

struct flow_edge {
    uint32_t from, to;
};

/* Natural loops of the graph whose node 0 is the entry. loop_of[node] becomes the innermost loop or
 * CODE_NO_LOOP; *loops an array of *nloop for free(). False: out of memory. */
bool find_loops(uint32_t nodes, const struct flow_edge *edge, uint32_t edges, uint16_t *loop_of,
                struct code_loop **loops, uint32_t *nloop);

/* ---- accel_list.c: the list of commands ---- */

enum accel_command { ACCEL_END, ACCEL_COPY, ACCEL_KERNEL };

struct accel_list {
    struct lines in; /* lines of the list; unused for a single kernel */
    bool single, given;
    char *folder;         /* folder of the list with its slash, or "" */
    char *file;           /* file of the kernel named last */
    uint64_t addr, bytes; /* destination and size of the copy named last */
    uint64_t ignored;     /* lines that are no command */
    char first_ignored[64];
};

int accel_list_open(struct accel_list *l, const char *path, struct wl_err *e);
void accel_list_close(struct accel_list *l);
/* < 0: -(error code), *e filled. */
int accel_list_next(struct accel_list *l, struct wl_err *e);

/* ---- accel_name.c ---- */

/* The program's name and, where the folders say them, its arguments. */
void accel_name_program(struct wlt_header *h, const char *path);
/* Equal hashes: the same list and files of the same sizes. 0, or the error's code. */
int accel_identify(const char *path, uint64_t *hash, struct wl_err *e);

/* ---- accel_read.c ---- */

/* One kernel from memory, for tests and the fuzzer. `data` must outlive the reader. */
struct accel_reader *accel_open_memory(const char *name, const void *data, size_t size, uint64_t limit,
                                       struct wl_err *e);

#endif
