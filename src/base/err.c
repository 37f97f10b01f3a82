#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int wl_fail(struct wl_err *e, enum wl_code code, const char *fmt, ...)
{
    if (!e) return (int)code;
    va_list ap;
    va_start(ap, fmt);
    e->code = code;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return (int)code;
}

int wl_no_memory(struct wl_err *e) { return wl_fail(e, WL_ERUN, "out of memory"); }

/* Start of line number `line` (1-based) of text, and its length. */
static const char *find_line(const char *text, unsigned line, size_t *len)
{
    const char *p = text;
    for (unsigned i = 1; i < line; i++) {
        p = strchr(p, '\n');
        if (!p) return NULL;
        p++;
    }
    *len = strcspn(p, "\r\n");
    return p;
}

int wl_fail_at(struct wl_err *e, const char *file, unsigned line, unsigned col, const char *text, const char *fmt, ...)
{
    if (!e) return WL_EINPUT;
    e->code = WL_EINPUT;
    size_t cap = sizeof e->text;
    int n = col ? snprintf(e->text, cap, "%s:%u:%u: error: ", file, line, col)
                : snprintf(e->text, cap, "%s:%u: error: ", file, line);
    size_t at = n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
    va_list ap;
    va_start(ap, fmt);
    n = vsnprintf(e->text + at, cap - at, fmt, ap);
    va_end(ap);
    if (n > 0) at = at + (size_t)n < cap ? at + (size_t)n : cap - 1;

    size_t len = 0;
    const char *src = text ? find_line(text, line, &len) : NULL;
    if (!src) return WL_EINPUT;
    if (len > 160) len = 160;
    char shown[161], under[162];
    size_t u = 0;
    for (size_t i = 0; i < len; i++) { /* tabs kept so the caret stays below its column */
        unsigned char c = (unsigned char)src[i];
        shown[i] = c == '\t' || isprint(c) ? (char)c : '?';
        if (col && i + 1 < col) under[u++] = c == '\t' ? '\t' : ' ';
    }
    shown[len] = 0;
    under[u++] = '^';
    under[u] = 0;
    snprintf(e->text + at, cap - at, "\n  %s%s%s", shown, col ? "\n  " : "", col ? under : "");
    return WL_EINPUT;
}

/* Edit distance of two short words, case ignored, transpositions as one step. */
static unsigned distance(const char *a, const char *b)
{
    enum { MAX = 63 };
    size_t la = strlen(a), lb = strlen(b);
    if (la > MAX || lb > MAX) return MAX;
    unsigned row[3][MAX + 1];
    for (unsigned j = 0; j <= lb; j++) row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        cur[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            unsigned best = prev[j - 1] + (ca != cb);
            if (prev[j] + 1 < best) best = prev[j] + 1;
            if (cur[j - 1] + 1 < best) best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]) &&
                prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            cur[j] = best;
        }
    }
    return row[la % 3][lb];
}

const char *wl_nearest(const char *word, const char *const *candidates, unsigned count)
{
    const char *best = NULL;
    unsigned best_d = 1u + (unsigned)strlen(word) / 3u;
    for (unsigned i = 0; i < count; i++) {
        unsigned d = distance(word, candidates[i]);
        size_t n = strlen(word);
        if (n >= 3 && strncasecmp(word, candidates[i], n) == 0) d = 1; /* a prefix is near */
        if (d <= best_d && (!best || d < best_d)) best = candidates[i], best_d = d;
    }
    return best;
}
