/* process_report.c - which launches a user means. */
#include "sim/process_report.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static bool number(const char **p, unsigned *out)
{
    if (!isdigit((unsigned char)**p)) return false;
    char *end;
    unsigned long v = strtoul(*p, &end, 10);
    *p = end;
    if (v == 0 || v > UINT32_MAX) return false;
    *out = (unsigned)v;
    return true;
}

bool launch_range(const char *text, unsigned *first, unsigned *last)
{
    const char *p = text;
    *first = 1;
    *last = UINT32_MAX;
    bool begins = *p != '.';
    if (begins && !number(&p, first)) return false;
    if (!*p) {
        *last = *first;
        return begins;
    }
    if (strncmp(p, "..", 2) != 0) return false;
    p += 2;
    if (*p && (!number(&p, last) || *p)) return false;
    return (begins || *last != UINT32_MAX) && *first <= *last;
}

/* The last name of a mangled C++ function, and whether its symbol says more than name and types. */
static bool source_name(const char *symbol, char *out, size_t size, bool *more)
{
    if (strncmp(symbol, "_Z", 2) != 0) return false;
    const char *p = symbol + 2;
    unsigned names = 0;
    *more = false;
    for (;; names++) {
        while (*p && strchr("NLKVr", *p)) p++; /* nested, internal, qualifiers */
        if (!isdigit((unsigned char)*p)) break;
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n == 0 || n > strlen(end) || n >= size) return false;
        memcpy(out, end, n);
        out[n] = 0;
        p = end + n;
    }
    *more = names > 1 || *p == 'I';
    return names > 0;
}

bool kernel_label(const char *symbol, char *out, size_t size)
{
    bool more;
    if (size < 16 || !source_name(symbol, out, size - 6, &more)) return false;
    if (more) {
        uint64_t h = hash_bytes(WL_HASH_INIT, symbol, strlen(symbol));
        snprintf(out + strlen(out), 6, "#%04x", (unsigned)((h ^ h >> 32 ^ h >> 16) & 0xffff));
    }
    return true;
}

bool kernel_matches(const char *pattern, const char *symbol)
{
    char name[256];
    bool more;
    if (fnmatch(pattern, symbol, 0) == 0) return true;
    if (source_name(symbol, name, sizeof name, &more) && fnmatch(pattern, name, 0) == 0) return true;
    return kernel_label(symbol, name, sizeof name) && fnmatch(pattern, name, 0) == 0;
}
