/* sass.h - what a machine instruction of a real GPU is to the timing half.
 *
 * A trace of another tool names instructions by their mnemonic (SASS). The table in sass.c gives
 * each its kind, latency class and address space, by architecture where they differ; docs/traces.md
 * prints it for people. */
#ifndef WL_TRACE_ACCEL_SASS_H
#define WL_TRACE_ACCEL_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/code.h"

/* Maxwell reads like Pascal, everything after Hopper like Hopper. */
enum sass_arch { SASS_KEPLER, SASS_PASCAL, SASS_VOLTA, SASS_TURING, SASS_AMPERE, SASS_HOPPER };

enum sass_known {
    SASS_KNOWN,
    SASS_ELSEWHERE, /* not in the table of this architecture: read as where it is */
    SASS_UNKNOWN    /* in no table: see sass_classify */
};

struct sass_op {
    uint8_t kind, lat, space, cache_op, width; /* as in code_inst; space may be SPACE_GENERIC */
    uint8_t dst_regs;                          /* registers a named destination stands for: wide loads write several */
    bool call, ret;                            /* enters, leaves a function */
    bool async;                                /* belongs to a group of asynchronous copies */
    bool waits_groups;                         /* waits for such groups: how many may stay out is its immediate */
    bool bulk;        /* moves more than its line says: the size of a bulk copy is in a descriptor */
    bool unaddressed; /* reaches memory by a path that has no addresses in a trace: textures, surfaces */
    enum sass_known known;
    /* Our own writer says what the mnemonic cannot (sass_mark): then all fields above are those of the instruction. */
    bool exact;
    struct code_inst inst; /* exact: all of it but pc and loop */
};

/* The table for a binary version (35, 61, 70, ...); *exact tells whether that version is known. */
enum sass_arch sass_arch(unsigned binary_version, bool *exact);
/* `opcode` with its modifiers. Unknown ones are integer additions; accel_code.c makes them loads or
 * stores of generic space where they come with addresses. */
void sass_classify(enum sass_arch arch, const char *opcode, struct sass_op *out);

/* A modifier with the whole instruction in it, for a mnemonic that says less: ".WL" with the fields and ".R" with each
 * register. Other programs pass over modifiers they do not know. `out` has room for SASS_MARK bytes. */
enum { SASS_MARK = 160, SASS_REGISTERS = 1 << 15 /* and below */ };
void sass_mark(const struct code_inst *in, char *out);

#endif
