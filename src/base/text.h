/* text.h - what several folders do with strings. */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool text_ends_with(const char *s, const char *end);

/* Continues a hash (base/bits.h) with a text and its end, so that "ab" "c" and "a" "bc" differ. */
uint64_t hash_text(uint64_t h, const char *s);

/* One field of a CSV file, in quotes when it needs them. */
void put_csv(FILE *out, const char *s);

#endif
