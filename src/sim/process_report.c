/* process_report.c - which launches a user means. */
#include "sim/process_report.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

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

/* The last name of a mangled C++ function: _Z3addPfi is "add", _ZN4math3addIfEE... too. */
static bool source_name(const char *mangled, char *out, size_t size)
{
    if (strncmp(mangled, "_Z", 2) != 0) return false;
    const char *p = mangled + 2;
    while (*p && !isdigit((unsigned char)*p)) {
        if (!strchr("NLKVr", *p)) return false; /* nested, internal, qualifiers; else no plain name */
        p++;
    }
    out[0] = 0;
    while (isdigit((unsigned char)*p)) {
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n == 0 || n > strlen(end) || n >= size) return false;
        memcpy(out, end, n);
        out[n] = 0;
        p = end + n;
    }
    return out[0];
}

bool kernel_matches(const char *pattern, const char *name)
{
    char source[256];
    if (fnmatch(pattern, name, 0) == 0) return true;
    return source_name(name, source, sizeof source) && fnmatch(pattern, source, 0) == 0;
}
