/* poison.h - memory that nobody may touch, said to AddressSanitizer.
 *
 * Arenas and pools hand out pieces of large blocks, inside which the sanitizer sees nothing. They tell it: what is free
 * is poisoned, and between two objects lie RED_ZONE bytes that belong to nobody. In other builds all of this is
 * nothing. */
#ifndef WL_BASE_POISON_H
#define WL_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define WL_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WL_POISON 1
#endif
#endif

#ifdef WL_POISON
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 64 };
#define POISON(p, bytes)   ASAN_POISON_MEMORY_REGION((p), (bytes))
#define UNPOISON(p, bytes) ASAN_UNPOISON_MEMORY_REGION((p), (bytes))
#else
enum { RED_ZONE = 0 };
#define POISON(p, bytes)   ((void)(p), (void)(bytes))
#define UNPOISON(p, bytes) ((void)(p), (void)(bytes))
#endif

#endif
