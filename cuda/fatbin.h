/* fatbin.h - the PTX inside a fat binary, the form in which nvcc embeds device code in a program.
 *
 * A wrapper (24 bytes: magic, version, data, a pointer) names a container; a container is a header
 * and entries, one per target and kind of code. A wrapper of version 2, made by relocatable device
 * compilation (-rdc), also names the containers of all objects that were linked, each with its own
 * PTX. Everything behind the pointer a program hands over is suspect: sizes are checked against
 * the container before they are believed. */
#ifndef WL_CUDA_FATBIN_H
#define WL_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum fatbin_kind { FATBIN_NONE, FATBIN_WRAPPER, FATBIN_CONTAINER };

/* What begins at `image`; reads up to four bytes, and stops at a byte that does not fit. */
enum fatbin_kind fatbin_kind(const void *image);

/* The PTX of one container of at most `size` bytes, NUL-terminated and malloc'd: of several targets
 * the newest that is not newer than `capability` (75 is sm_75), else the oldest. NULL on error,
 * WL_EINPUT: damage, or no PTX and the flag to compile with. */
char *fatbin_ptx(const void *container, size_t size, unsigned capability, struct wl_err *e);

/* The PTX of what a program passed to __cudaRegisterFatBinary or cuModuleLoadData, a wrapper or a
 * container of unknown size; the objects of a version 2 wrapper are linked (ptx_link.h). */
char *fatbin_program(const void *image, unsigned capability, struct wl_err *e);

/* The machine code of such an image, of which `size` bytes are known to be there (SIZE_MAX: not known),
 * malloc'd, by the rule of fatbin_ptx; NULL: there is none, or none that can be read. Nothing executes it, but it says
 * how many registers the assembler gave to a thread: cubin_registers, 0: no such kernel. */
char *fatbin_cubin(const void *image, size_t size, unsigned capability, size_t *bytes);
unsigned cubin_registers(const char *elf, size_t bytes, const char *kernel);

#endif
