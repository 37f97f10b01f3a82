#include "base/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

bool text_ends_with(const char *s, const char *end)
{
    size_t length = strlen(s), tail = strlen(end);
    return length >= tail && memcmp(s + length - tail, end, tail) == 0;
}

uint64_t hash_text(uint64_t h, const char *s) { return hash_bytes(h, s, strlen(s) + 1); }

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double text_double(const char *s, char **end)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale ? strtod_l(s, end, c_locale) : strtod(s, end);
}

void *text_locale_c(void)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale ? uselocale(c_locale) : (locale_t)0;
}

void text_locale_back(void *before)
{
    if (before) uselocale(before);
}

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

bool shell_quote(char *out, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
    size_t at = strlen(out);
    if (at + 3 + 4 * strlen(word) >= size) return false;
    if (*word && !word[strspn(word, plain)]) {
        memcpy(out + at, word, strlen(word) + 1);
        return true;
    }
    out[at++] = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(out + at, "'\\''", 4);
            at += 4;
        } else out[at++] = *word;
    }
    out[at++] = '\'';
    out[at] = 0;
    return true;
}
