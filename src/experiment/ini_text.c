/* ini_text.c - inih with places.
 *
 * inih cuts lines into keys and values; our reader feeds it line by line and so knows the number
 * of each. Headers are noted here as well: inih does not report a section without keys, and
 * "[series lru]" alone is a sensible thing to write. An indented line continues the value above
 * it, unless it is itself "word = ..." : many people indent the keys of a section. */
#include "experiment/ini_text.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

struct ini_reading {
    struct ini_text *t;
    struct arena *arena;
    struct wl_err *e;
    const char *at; /* next line */
    unsigned line;
    unsigned failed; /* line of the first mistake */
    bool continues;  /* the line inih has continues the one before */
    struct ini_section *section;
    struct ini_key *last;
};

static int give_up(struct ini_reading *r, const char *why)
{
    if (!r->failed) wl_fail_at(r->e, r->t->file, r->line, 0, r->t->text, "%s", why);
    if (!r->failed) r->failed = r->line;
    return 0;
}

static void begin_section(struct ini_reading *r, const char *from, size_t len)
{
    size_t close = 1;
    while (close < len && from[close] != ']') close++;
    if (close == len) return; /* inih complains about this line */
    size_t begin = 1;
    while (begin < close && isspace((unsigned char)from[begin])) begin++;
    while (close > begin && isspace((unsigned char)from[close - 1])) close--;
    size_t kind = begin;
    while (kind < close && !isspace((unsigned char)from[kind])) kind++;
    size_t name = kind;
    while (name < close && isspace((unsigned char)from[name])) name++;
    struct ini_section *s = ARENA_NEW(r->arena, struct ini_section);
    if (s)
        *s = (struct ini_section){.kind = arena_strndup(r->arena, from + begin, kind - begin),
                                  .name = arena_strndup(r->arena, from + name, close - name),
                                  .line = r->line};
    if (!s || !s->kind || !s->name) {
        give_up(r, "out of memory");
        return;
    }
    r->section = r->section->next = s;
    r->last = NULL;
}

/* "word =" but not "word ==". */
static bool is_assignment(const char *p, size_t len)
{
    size_t i = 0;
    while (i < len && (isalnum((unsigned char)p[i]) || strchr("_.-", p[i]))) i++;
    if (i == 0) return false;
    while (i < len && isspace((unsigned char)p[i])) i++;
    return i < len && p[i] == '=' && (i + 1 == len || p[i + 1] != '=');
}

/* fgets for inih. */
static char *next_line(char *out, int size, void *arg)
{
    struct ini_reading *r = arg;
    if (r->failed || !*r->at || size < 4) return NULL;
    size_t len = strcspn(r->at, "\n");
    const char *from = r->at;
    r->at += len + (r->at[len] == '\n');
    r->line++;
    bool indented = len && strchr(" \t", *from);
    while (len && strchr(" \t\r", *from)) from++, len--;
    if (len && strchr("#;", *from)) len = 0;
    for (size_t i = 1; i < len; i++)
        if (from[i] == '#' && strchr(" \t", from[i - 1])) len = i;
    while (len && strchr(" \t\r", from[len - 1])) len--;
    if (len > (size_t)size - 4) {
        give_up(r, "this line is too long; go on in the next one, indented");
        return NULL;
    }
    if (len && *from == '[') begin_section(r, from, len);
    r->continues = indented && r->last && len && *from != '[' && !is_assignment(from, len);
    size_t at = 0;
    if (r->continues) out[at++] = ' ';
    memcpy(out + at, from, len);
    out[at + len] = '\n';
    out[at + len + 1] = 0;
    return out;
}

static unsigned column_of(const struct ini_reading *r, const char *value)
{
    const char *line = r->t->text;
    for (unsigned i = 1; i < r->line; i++) line = strchr(line, '\n') + 1;
    size_t len = strcspn(line, "\n"), n = strlen(value), at = 0;
    while (at < len && line[at] != '=' && line[at] != ':') at++;
    for (; n && at + n <= len; at++)
        if (memcmp(line + at, value, n) == 0) return (unsigned)at + 1;
    return 0;
}

static int on_pair(void *arg, const char *section, const char *name, const char *value)
{
    struct ini_reading *r = arg;
    (void)section; /* cut at 50 characters; ours is whole */
    if (r->failed) return 0;
    if (r->continues) {
        r->last->value = arena_printf(r->arena, "%s %s", r->last->value, value);
        r->last->column = 0;
        return r->last->value ? 1 : give_up(r, "out of memory");
    }
    if (strlen(name) >= 49) return give_up(r, "this name is too long");
    struct ini_key **end = &r->section->keys;
    for (; *end; end = &(*end)->next) {
        char why[128];
        if (strcmp((*end)->name, name) != 0) continue;
        snprintf(why, sizeof why, "'%s' is given twice; line %u has it already", name, (*end)->line);
        return give_up(r, why);
    }
    struct ini_key *k = ARENA_NEW(r->arena, struct ini_key);
    if (!k) return give_up(r, "out of memory");
    *k = (struct ini_key){.name = arena_strndup(r->arena, name, strlen(name)),
                          .value = arena_strndup(r->arena, value, strlen(value)),
                          .line = r->line,
                          .column = column_of(r, value)};
    if (!k->name || !k->value) return give_up(r, "out of memory");
    *end = r->last = k;
    return 1;
}

int ini_text_read(struct ini_text *t, const char *file, const char *text, struct arena *a, struct wl_err *e)
{
    *t = (struct ini_text){.file = file, .text = text, .sections = ARENA_NEW(a, struct ini_section)};
    if (!t->sections) return wl_no_memory(e);
    *t->sections = (struct ini_section){.kind = "", .name = "", .line = 1};
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3; /* a byte order mark */
    struct ini_reading r = {.t = t, .arena = a, .e = e, .at = text, .section = t->sections};
    int line = ini_parse_stream(next_line, &r, on_pair, &r);
    if (line > 0 && (!r.failed || (unsigned)line < r.failed))
        return wl_fail_at(e, file, (unsigned)line, 0, t->text, "neither 'key = value' nor '[section]' nor a comment");
    if (r.failed) return WL_EINPUT;
    return line < 0 ? wl_fail(e, WL_ERUN, "%s: out of memory", file) : 0;
}

struct ini_key *ini_take(struct ini_section *s, const char *name)
{
    for (struct ini_key *k = s->keys; k; k = k->next)
        if (strcmp(k->name, name) == 0) return k->used = true, k;
    return NULL;
}

struct ini_key *ini_unused(const struct ini_section *s)
{
    for (struct ini_key *k = s->keys; k; k = k->next)
        if (!k->used) return k;
    return NULL;
}

int ini_fail(const struct ini_text *t, const struct ini_key *k, unsigned offset, const char *why, struct wl_err *e)
{
    return wl_fail_at(e, t->file, k->line, k->column ? k->column + offset : 0, t->text, "%s", why);
}

int ini_fail_section(const struct ini_text *t, const struct ini_section *s, const char *why, struct wl_err *e)
{
    return wl_fail_at(e, t->file, s->line, 0, t->text, "%s", why);
}
