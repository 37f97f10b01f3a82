/* text.h - what several folders do with strings. */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool text_ends_with(const char *s, const char *end);

/* Continues a hash (base/bits.h) with a text and its end, so that "ab" "c" and "a" "bc" differ. */
uint64_t hash_text(uint64_t h, const char *s);

/* strtod as in C: a program that runs on the simulated GPU may have chosen a locale in which 0.5 is written 0,5. */
double text_double(const char *s, char **end);

/* The same for printing: from here on this thread writes numbers as in C, until text_locale_back gets what was
 * returned. */
void *text_locale_c(void);
void text_locale_back(void *before);

/* One field of a CSV file, in quotes when it needs them. */
void put_csv(FILE *out, const char *s);

/* Appends `word` to `out` as a shell reads it, in quotes when it needs them; false when it does not fit. */
bool shell_quote(char *out, size_t size, const char *word);

#endif
