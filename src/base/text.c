#include "base/text.h"

#include <string.h>

#include "base/bits.h"

bool text_ends_with(const char *s, const char *end)
{
    size_t length = strlen(s), tail = strlen(end);
    return length >= tail && memcmp(s + length - tail, end, tail) == 0;
}

uint64_t hash_text(uint64_t h, const char *s) { return hash_bytes(h, s, strlen(s) + 1); }

void put_csv(FILE *out, const char *s)
{
    bool plain = !s[strcspn(s, ",\"\r\n")];
    if (!plain) fputc('"', out);
    for (; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    if (!plain) fputc('"', out);
}
