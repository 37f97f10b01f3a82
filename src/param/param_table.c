/* param_table.c - the machine's parameter table, and how any table's values are read and written.
 *
 * A row says everything about a parameter: name, unit, range, choices, help, source. So a wrong
 * value can always be answered with the right ones, and no other file checks ranges. */
#include "param/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "param/param_table.h"

const struct wl_param gpu_params[P_COUNT + 1] = {
#define P(id, name, unit, min, def, max, choices, help, source) {name, unit, min, def, max, choices, help, source},
#include "param/params.def"
#undef P
    WL_PARAM_END,
};

int param_find(const struct wl_param *table, const char *name)
{
    for (int i = 0; table && table[i].name; i++)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

unsigned param_rows(const struct wl_param *table)
{
    unsigned n = 0;
    while (table && table[n].name) n++;
    return n;
}

int param_unknown(const struct wl_param *table, const char *what, const char *name, struct wl_err *e)
{
    enum { MAX_NAMES = 512 };
    const char *names[MAX_NAMES];
    unsigned n = param_rows(table);
    if (n == 0) return wl_fail(e, WL_EINPUT, "%s has no parameters, so none is called '%s'", what, name);
    if (n > MAX_NAMES) n = MAX_NAMES;
    for (unsigned i = 0; i < n; i++) names[i] = table[i].name;
    const char *near = wl_nearest(name, names, n);
    if (near) return wl_fail(e, WL_EINPUT, "%s has no parameter '%s'; did you mean '%s'?", what, name, near);
    return wl_fail(e, WL_EINPUT, "%s has no parameter '%s'", what, name);
}

/* ---- choices: "linear|xor|fermi", the value is the index ---- */

enum { MAX_CHOICES = 32, MAX_WORD = 32 };

static unsigned split_choices(const char *choices, char words[MAX_CHOICES][MAX_WORD])
{
    unsigned n = 0;
    for (const char *p = choices; *p && n < MAX_CHOICES; n++) {
        size_t len = strcspn(p, "|"), keep = len < MAX_WORD - 1 ? len : MAX_WORD - 1;
        memcpy(words[n], p, keep);
        words[n][keep] = 0;
        p += len + (p[len] == '|');
    }
    return n;
}

static int read_choice(const struct wl_param *row, const char *text, int64_t *out, struct wl_err *e)
{
    char words[MAX_CHOICES][MAX_WORD];
    const char *list[MAX_CHOICES];
    unsigned n = split_choices(row->choices, words);
    for (unsigned i = 0; i < n; i++) {
        list[i] = words[i];
        if (strcmp(words[i], text) == 0) return *out = i, 0;
    }
    const char *near = wl_nearest(text, list, n);
    return wl_fail(e, WL_EINPUT, "%s cannot be '%s'; it is one of %s%s%s%s", row->name, text, row->choices,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- numbers ---- */

static int64_t suffix_factor(const struct wl_param *row, const char *suffix)
{
    if (strcmp(row->unit, "bytes") != 0 || !suffix[0] || suffix[1]) return 0;
    switch (toupper((unsigned char)suffix[0])) {
    case 'K': return INT64_C(1) << 10;
    case 'M': return INT64_C(1) << 20;
    case 'G': return INT64_C(1) << 30;
    default: return 0;
    }
}

int param_read(const struct wl_param *row, const char *text, int64_t *out, struct wl_err *e)
{
    if (row->choices) return read_choice(row, text, out, e);
    char *end = NULL;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool starts = isdigit((unsigned char)text[0]) || text[0] == '-';
    long long v = strtoll(text, &end, hex ? 16 : 10);
    int64_t factor = starts && *end ? suffix_factor(row, end) : 1;
    if (!starts || end == text || factor == 0)
        return wl_fail(e, WL_EINPUT, "%s needs a whole number%s%s%s, not '%s'", row->name, *row->unit ? " of " : "",
                       row->unit, strcmp(row->unit, "bytes") == 0 ? " (K, M and G may follow)" : "", text);
    int64_t value;
    if (errno == ERANGE || __builtin_mul_overflow((int64_t)v, factor, &value) || value < row->min || value > row->max)
        return wl_fail(e, WL_EINPUT, "%s = %s is out of range; %" PRId64 " to %" PRId64 "%s%s are allowed", row->name,
                       text, row->min, row->max, *row->unit ? " " : "", row->unit);
    *out = value;
    return 0;
}

void param_write(const struct wl_param *row, int64_t value, char *out, size_t size)
{
    char words[MAX_CHOICES][MAX_WORD];
    if (row->choices && value >= 0 && value < split_choices(row->choices, words))
        snprintf(out, size, "%s", words[value]);
    else snprintf(out, size, "%" PRId64, value);
}

void param_range(const struct wl_param *row, char *out, size_t size)
{
    if (row->choices) snprintf(out, size, "%s", row->choices);
    else snprintf(out, size, "%" PRId64 "..%" PRId64, row->min, row->max);
}
