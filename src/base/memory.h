/* memory.h - that memory ran out is remembered.
 *
 * Some functions of the JSON library leave out what they found no memory for and say nothing, and some writers are too
 * deep inside a text to be able to fail. The command gives the library memory_take as its allocator, and such writers
 * call memory_note: whoever is about to put a file in its place, to store a record or to end with success asks
 * memory_was_short first. */
#ifndef WL_BASE_MEMORY_H
#define WL_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *memory_take(size_t bytes);          /* malloc */
void *memory_grow(void *p, size_t bytes); /* realloc */
void memory_note(void);                   /* a call of another allocator has failed */
bool memory_was_short(void);              /* some call has failed in this process */

#endif
