/* registers_from.h - who says how many registers a thread of a launch has. */
#ifndef WL_STREAM_REGISTERS_FROM_H
#define WL_STREAM_REGISTERS_FROM_H

/* The names are those of the record (docs/records.md). */
#define REGISTERS_FROM(X)                                                                                              \
    X(TRACE, "trace")                                                                                                  \
    X(TEXT, "text")                 /* estimated for programs that run as their text stands: ptx/live.c */             \
    X(ALLOCATOR, "allocator")       /* estimated for assembled programs: ptx/registers.c */                            \
    X(ASSEMBLER, "assembler")       /* what ptxas gave to this text: ptx/known_registers.h */                          \
    X(MACHINE_CODE, "machine_code") /* what the fat binary says of itself */                                           \
    X(USER, "user")                 /* --regs, or what the program asked for */

#define REGISTERS_FROM_ID(id, name) REGS_FROM_##id,
enum registers_from { REGISTERS_FROM(REGISTERS_FROM_ID) REGS_FROM_COUNT };

#endif
