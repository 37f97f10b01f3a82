#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"

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

/* Which letters occur, by the low five bits of each character: case does not matter. */
static uint32_t letters_of(const char *word)
{
    uint32_t set = 0;
    for (; *word; word++) set |= UINT32_C(1) << ((unsigned char)*word & 31);
    return set;
}

/* Edit distance of two short words, case ignored, transpositions as one step; `most` + 1 if it is more than `most`.
 * Only the band of the table is filled in which a distance of `most` can lie. */
static unsigned distance(const char *a, const char *b, unsigned most)
{
    enum { MAX = 63 };
    size_t la = strlen(a), lb = strlen(b);
    if (la > MAX || lb > MAX || la > lb + most || lb > la + most) return most + 1;
    unsigned row[3][MAX + 2];
    for (unsigned j = 0; j <= lb + 1; j++) row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        size_t first = i > most ? i - most : 1, last = i + most < lb ? i + most : lb;
        unsigned least = cur[first - 1] = first == 1 ? (unsigned)i : most + 1;
        for (size_t j = first; j <= last; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            unsigned best = prev[j - 1] + (ca != cb);
            if (prev[j] + 1 < best) best = prev[j] + 1;
            if (cur[j - 1] + 1 < best) best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]) &&
                prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            cur[j] = best;
            if (best < least) least = best;
        }
        cur[last + 1] = most + 1; /* the next row looks one further */
        if (least > most) return most + 1;
    }
    return row[la % 3][lb] <= most ? row[la % 3][lb] : most + 1;
}

const char *wl_nearest(const char *word, const char *const *candidates, unsigned count)
{
    const char *best = NULL;
    size_t n = strlen(word);
    unsigned best_d = 1u + (unsigned)n / 3u;
    uint32_t letters = letters_of(word);
    for (unsigned i = 0; i < count && !(best && best_d == 0); i++) {
        unsigned most = best ? best_d - 1 : best_d, d = most + 1;
        uint32_t theirs = letters_of(candidates[i]);
        if (bit_count32(letters & ~theirs) <= most && bit_count32(theirs & ~letters) <= most)
            d = distance(word, candidates[i], most);
        if (n >= 3 && strncasecmp(word, candidates[i], n) == 0) d = d < 1 ? d : 1; /* a prefix is near */
        if (d <= most) best = candidates[i], best_d = d;
    }
    return best;
}
