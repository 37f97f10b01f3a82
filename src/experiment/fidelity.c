/* fidelity.c - reads reference files and computes what is said of a counter. */
#include "experiment/fidelity.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- CSV and commands ---- */

/* One field, which begins at *text; it is moved to its own beginning without quotes. Returns the character behind. */
static char take_field(char **text, char **field, unsigned *line)
{
    char *from = *text, *to = *text;
    bool quoted = *from == '"';
    *field = to;
    if (quoted) from++;
    for (; *from; from++) {
        if (quoted && *from == '"' && from[1] == '"') from++;
        else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (*from == ',' || *from == '\n')) break;
        if (*from == '\n') ++*line;
        if (*from != '\r' || quoted) *to++ = *from;
    }
    char end = *from;
    if (end) from++;
    *to = 0;
    *text = from;
    return end;
}

unsigned fid_record(char **text, char **field, unsigned max, unsigned *line)
{
    unsigned n = 0;
    char end = ',';
    if (!**text) return 0;
    while (end == ',') {
        char *one;
        end = take_field(text, &one, line);
        if (n < max) field[n++] = one;
    }
    ++*line;
    return n;
}

bool fid_words(struct arena *a, const char *command, const char **word, unsigned max, unsigned *count)
{
    char quote = 0, *to = arena_strndup(a, command, strlen(command));
    bool inside = false;
    *count = 0;
    for (const char *p = command; to && *p; p++) {
        bool blank = !quote && (*p == ' ' || *p == '\t');
        if (!blank && !inside) {
            if (*count == max) return false;
            word[(*count)++] = to;
        }
        if (blank && inside) *to++ = 0;
        inside = !blank;
        if (blank) continue;
        if (quote ? *p == quote : (*p == '\'' || *p == '"')) quote = quote ? 0 : *p;
        else if (*p == '\\' && quote != '\'' && p[1]) *to++ = *++p;
        else *to++ = *p;
    }
    if (to) *to = 0;
    return to && !quote;
}

/* ---- reference files ---- */

static const char *const own_columns[] = {"name", "command", "launch", "grid", "block", "cpu_seconds"};
enum { OWN = sizeof own_columns / sizeof own_columns[0] };

struct fid_reading {
    struct fid_reference *f;
    const char *text; /* the whole file, for messages */
    int own[OWN];     /* which field; -1: no such column */
    int *counter_of;  /* of each field, -1: one of `own` */
    unsigned nfields, line, room;
    struct wl_err *e;
};

static int fail_line(const struct fid_reading *r, unsigned line, const char *what, const char *word)
{
    return wl_fail_at(r->e, r->f->file, line, 0, NULL, what, word); /* NOLINT(clang-diagnostic-format-nonliteral) */
}

/* "cycles mean 8 worst 20 r 0.997"; the counter is found when the columns are known. */
struct pending_aim {
    struct pending_aim *next;
    const char *counter;
    struct fid_aim aim;
};

static int read_aim(struct fid_reading *r, const char *value, struct pending_aim **list)
{
    const char *word[FID_MAX_WORDS];
    unsigned n;
    struct pending_aim *p = ARENA_NEW(&r->f->arena, struct pending_aim);
    if (!p) return wl_no_memory(r->e);
    if (!fid_words(&r->f->arena, value, word, FID_MAX_WORDS, &n) || n < 3 || n % 2 == 0)
        return fail_line(r, r->line, "an aim is 'COUNTER mean N worst N r N', not '%s'", value);
    p->counter = word[0];
    p->aim = (struct fid_aim){.line = r->line, .mean = NAN, .worst = NAN, .r = NAN};
    for (unsigned i = 1; i < n; i += 2) {
        double *to = strcmp(word[i], "mean") == 0    ? &p->aim.mean
                     : strcmp(word[i], "worst") == 0 ? &p->aim.worst
                     : strcmp(word[i], "r") == 0     ? &p->aim.r
                                                     : NULL;
        char *end;
        double v = text_double(word[i + 1], &end);
        if (!to) return fail_line(r, r->line, "an aim has mean, worst and r, not '%s'", word[i]);
        if (*end || !isfinite(v)) return fail_line(r, r->line, "'%s' is no number", word[i + 1]);
        *to = v;
    }
    while (*list) list = &(*list)->next;
    *list = p;
    r->f->naims++;
    return 0;
}

static int read_key(struct fid_reading *r, const char *name, const char *value, struct pending_aim **aims)
{
    struct fid_reference *f = r->f;
    char *end;
    if (strcmp(name, "title") == 0) f->title = value;
    else if (strcmp(name, "options") == 0) f->options = value;
    else if (strcmp(name, "needs") == 0) f->needs = value;
    else if (strcmp(name, "aim") == 0) return read_aim(r, value, aims);
    else if (strcmp(name, "least") == 0) {
        f->least = text_double(value, &end);
        if (*end || end == value || !(f->least >= 0)) return fail_line(r, r->line, "'%s' is no number", value);
    } else return fail_line(r, r->line, "a reference file has title, options, needs, least and aim, not '%s'", name);
    return 0;
}

/* The lines before the table, "key = value" and comments; *p stays at the table. */
static int read_keys(struct fid_reading *r, char **p, struct pending_aim **aims)
{
    for (; **p; r->line++) {
        size_t len = strcspn(*p, "\n");
        char *start = *p + strspn(*p, " \t");
        size_t key = strspn(start, "abcdefghijklmnopqrstuvwxyz");
        char *equals = start + key + strspn(start + key, " \t");
        bool empty = start >= *p + len || *start == '#' || *start == '\r';
        if (!empty && (!key || *equals != '=')) return 0;
        char *next = *p + len + ((*p)[len] == '\n');
        if (!empty) {
            char *value = equals + 1 + strspn(equals + 1, " \t"), *last = *p + len;
            while (last > value && strchr(" \t\r", last[-1])) last--;
            start[key] = 0;
            *last = 0;
            int rc = read_key(r, start, value, aims);
            if (rc) return rc;
        }
        *p = next;
    }
    return 0;
}

static int read_head(struct fid_reading *r, char **p, struct pending_aim *aims)
{
    char *field[FID_MAX_FIELDS];
    unsigned line = r->line, n = fid_record(p, field, FID_MAX_FIELDS, &r->line);
    struct fid_reference *f = r->f;
    r->nfields = n;
    r->counter_of = ARENA_ARRAY(&f->arena, int, n + 1);
    f->aim = ARENA_ARRAY(&f->arena, struct fid_aim, f->naims + 1);
    if (!r->counter_of || !f->aim) return wl_no_memory(r->e);
    for (unsigned i = 0; i < OWN; i++) r->own[i] = -1;
    for (unsigned i = 0; i < n; i++) {
        r->counter_of[i] = -1;
        unsigned k = 0;
        while (k < OWN && strcmp(own_columns[k], field[i]) != 0) k++;
        for (unsigned j = 0; j < i; j++)
            if (strcmp(field[i], field[j]) == 0) return fail_line(r, line, "two columns are called '%s'", field[i]);
        if (k < OWN) {
            r->own[k] = (int)i;
            continue;
        }
        if (!*field[i]) return fail_line(r, line, "a column has no name%s", "");
        if (f->ncounters == FID_MAX_COUNTERS) return fail_line(r, line, "'%s' is one counter too many", field[i]);
        r->counter_of[i] = (int)f->ncounters;
        f->counter[f->ncounters++] = field[i];
    }
    for (unsigned k = 0; k < 2; k++)
        if (r->own[k] < 0)
            return fail_line(r, line, "the table needs a column '%s': name,command,cycles,...", own_columns[k]);
    if (!f->ncounters) return fail_line(r, line, "the table has no column with a counter%s", "");
    for (unsigned i = 0; aims; aims = aims->next, i++) {
        unsigned c = 0;
        while (c < f->ncounters && strcmp(f->counter[c], aims->counter) != 0) c++;
        if (c == f->ncounters)
            return fail_line(r, aims->aim.line, "the aim's counter '%s' is no column of the table", aims->counter);
        f->aim[i] = aims->aim;
        f->aim[i].counter = c;
    }
    return 0;
}

static const char *own_field(const struct fid_reading *r, unsigned k, char **field)
{
    return r->own[k] < 0 ? "" : field[r->own[k]];
}

/* Nothing and "-" are not known. */
static int read_number(const struct fid_reading *r, const char *text, unsigned line, double *out)
{
    char *end;
    *out = NAN;
    if (!*text || strcmp(text, "-") == 0) return 0;
    *out = text_double(text, &end);
    return *end || !isfinite(*out) || *out < 0 ? fail_line(r, line, "'%s' is no number", text) : 0;
}

static int read_row(struct fid_reading *r, char **field, unsigned n, unsigned line)
{
    struct fid_reference *f = r->f;
    struct fid_row *row = &f->row[f->nrows];
    if (n != r->nfields) return fail_line(r, line, "a row needs as many fields as the table has columns%s", "");
    *row = (struct fid_row){.name = own_field(r, 0, field),
                            .command = own_field(r, 1, field),
                            .launch = own_field(r, 2, field),
                            .grid = own_field(r, 3, field),
                            .block = own_field(r, 4, field),
                            .line = line,
                            .spent = NAN};
    if (read_number(r, own_field(r, 5, field), line, &row->cpu_seconds)) return WL_EINPUT;
    row->reference = ARENA_ARRAY(&f->arena, double, f->ncounters);
    row->ours = ARENA_ARRAY(&f->arena, double, f->ncounters);
    if (!row->reference || !row->ours) return wl_no_memory(r->e);
    if (!*row->name || !*row->command) return fail_line(r, line, "a row needs a name and a command%s", "");
    if (strncmp(row->command, "run ", 4) != 0 && strncmp(row->command, "exec ", 5) != 0)
        return fail_line(r, line, "a command begins with 'run' or 'exec', not '%s'", row->command);
    for (unsigned i = 0; i < n; i++) {
        if (r->counter_of[i] < 0) continue;
        if (read_number(r, field[i], line, &row->reference[r->counter_of[i]])) return WL_EINPUT;
        row->ours[r->counter_of[i]] = NAN;
    }
    f->nrows++;
    return 0;
}

int fid_read(struct fid_reference *f, const char *file, const char *text, struct wl_err *e)
{
    *f = (struct fid_reference){.file = file, .title = file, .options = ""};
    struct fid_reading r = {.f = f, .text = text, .line = 1, .e = e};
    struct pending_aim *aims = NULL;
    char *p = arena_strndup(&f->arena, text, strlen(text)), *field[FID_MAX_FIELDS];
    unsigned lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    f->row = ARENA_ARRAY(&f->arena, struct fid_row, lines);
    if (!p || !f->row) return wl_no_memory(e);
    int rc = read_keys(&r, &p, &aims);
    if (!rc && !*p) rc = wl_fail(e, WL_EINPUT, "%s: no table; it begins with a line name,command,cycles,...", file);
    if (!rc) rc = read_head(&r, &p, aims);
    while (!rc && *p) {
        unsigned line = r.line, n = fid_record(&p, field, FID_MAX_FIELDS, &r.line);
        if ((n == 1 && !*field[0]) || *field[0] == '#') continue;
        rc = read_row(&r, field, n, line);
    }
    if (!rc && !f->nrows) rc = wl_fail(e, WL_EINPUT, "%s: the table has no rows", file);
    return rc;
}

void fid_free(struct fid_reference *f) { arena_free(&f->arena); }

int fid_choose(struct fid_reference *f, const char *only, struct wl_err *e)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < f->nrows; i++)
        if (fnmatch(only, f->row[i].name, 0) == 0) f->row[kept++] = f->row[i];
    f->nrows = kept;
    return kept ? 0 : wl_fail(e, WL_EINPUT, "%s: no row has a name like '%s'", f->file, only);
}

/* ---- statistics ---- */

struct fid_stat fid_statistics(const struct fid_reference *f, unsigned counter)
{
    struct fid_stat s = {.r = NAN};
    double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (unsigned i = 0; i < f->nrows; i++) {
        double x = f->row[i].reference[counter], y = f->row[i].ours[counter];
        if (isnan(x) || isnan(y) || x < f->least || x == 0) continue;
        double error = 100 * (y - x) / x;
        s.rows++;
        s.equal += x == y;
        s.mean += fabs(error);
        s.bias += error;
        if (!s.where || fabs(error) > fabs(s.worst)) s.worst = error, s.where = &f->row[i];
        sx += x, sy += y, n++;
    }
    if (!s.rows) return s;
    s.mean /= n, s.bias /= n;
    for (unsigned i = 0; i < f->nrows; i++) {
        double x = f->row[i].reference[counter], y = f->row[i].ours[counter];
        if (isnan(x) || isnan(y) || x < f->least || x == 0) continue;
        x -= sx / n, y -= sy / n;
        sxx += x * x, syy += y * y, sxy += x * y;
    }
    if (s.rows > 1 && sxx > 0 && syy > 0) s.r = sxy / sqrt(sxx * syy);
    return s;
}

bool fid_reached(const struct fid_aim *a, const struct fid_stat *s)
{
    if (!s->rows) return false;
    return !(s->mean > a->mean) && !(fabs(s->worst) > a->worst) && (isnan(a->r) || s->r >= a->r);
}
