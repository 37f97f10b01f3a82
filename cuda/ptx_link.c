/* ptx_link.c - joins PTX texts at the level of their module-scope statements.
 *
 * The parser takes a declaration and a definition of one name in one text, so linking is joining,
 * with three exceptions. Headers (.version, .target ...) are kept of the first text only. Of a weak
 * definition that several texts have (templates, inline functions) the first is kept; a second
 * strong one is an error. And a name without linkage belongs to its own text: nvcc numbers the
 * strings of every object from $str, so such a name is given the number of its text when another
 * text has it too. */
#include "cuda/ptx_link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum linkage { LOCAL, VISIBLE, WEAK, EXTERN };

struct statement {
    const char *start, *end;
    const char *name; /* NULL: declares nothing */
    size_t name_len;
    size_t text; /* which one it is of */
    enum linkage linkage;
    bool header, entry;
    bool defines; /* a variable that is not .extern, a function with a body */
    bool drop, rename;
};

struct linker {
    struct statement *st;
    size_t count, cap;
    char *out;
    size_t len, room;
    struct wl_err *e;
    bool failed;
};

static void fail(struct linker *L, const char *what, const struct statement *s)
{
    if (!L->failed)
        wl_fail(L->e, WL_EINPUT, "cannot link the program's PTX: %s %.*s", what, s ? (int)s->name_len : 0,
                s ? s->name : "");
    L->failed = true;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* Behind blanks and comments. */
static const char *skip(const char *p)
{
    for (;;) {
        if (isspace((unsigned char)*p)) p++;
        else if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else return p;
    }
}

/* Behind the token at p: a word, a string or one character. */
static const char *token_end(const char *p)
{
    if (*p == '"') {
        for (p++; *p && *p != '"'; p++)
            if (*p == '\\' && p[1]) p++;
        return *p ? p + 1 : p;
    }
    if (!in_name(*p)) return *p ? p + 1 : p;
    while (in_name(*p)) p++;
    return p;
}

static bool is(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) == n && memcmp(p, word, n) == 0;
}

static bool one_line(const char *p, const char *end)
{
    return is(p, end, ".version") || is(p, end, ".target") || is(p, end, ".address_size") || is(p, end, ".file");
}

/* ---- reading ---- */

static void read_word(struct statement *s, const char *p, const char *end, bool *skip_next)
{
    if (is(p, end, ".visible")) s->linkage = VISIBLE;
    else if (is(p, end, ".weak") || is(p, end, ".common")) s->linkage = WEAK;
    else if (is(p, end, ".extern")) s->linkage = EXTERN;
    else if (is(p, end, ".entry")) s->entry = true;
    else if (is(p, end, ".align")) *skip_next = true;
    else if (*p != '.' && in_name(*p) && !s->name) {
        s->name = p;
        s->name_len = (size_t)(end - p);
    }
}

/* One statement from p on; where it ends. Functions end with their body, all else with ';'. */
static const char *read_statement(struct statement *s, const char *p)
{
    const char *end = token_end(p);
    s->start = p;
    if (one_line(p, end)) {
        s->header = true;
        return p + strcspn(p, "\n");
    }
    bool function = false, section = is(p, end, ".section"), number = false;
    int depth = 0;
    s->header = section;
    for (; *p; p = skip(end)) {
        end = token_end(p);
        if (number) number = false;
        else if (depth == 0) read_word(s, p, end, &number);
        function |= depth == 0 && (is(p, end, ".func") || is(p, end, ".entry"));
        if (*p == '(' || *p == '{' || *p == '[') depth++;
        if (*p == ')' || *p == '}' || *p == ']') depth--;
        if (depth > 0) continue;
        if (*p == '}' && (function || section)) {
            s->defines = function;
            return end;
        }
        if (*p == ';') {
            s->defines = !function && s->linkage != EXTERN;
            return end;
        }
    }
    return p;
}

static struct statement *add(struct linker *L)
{
    if (L->count == L->cap) {
        size_t cap = L->cap ? 2 * L->cap : 256;
        struct statement *p = realloc(L->st, cap * sizeof *p);
        if (!p) return fail(L, "out of memory", NULL), NULL;
        L->st = p;
        L->cap = cap;
    }
    L->st[L->count] = (struct statement){.linkage = LOCAL};
    return &L->st[L->count++];
}

static void read_text(struct linker *L, const char *text, size_t number)
{
    for (const char *p = skip(text); *p && !L->failed; p = skip(p)) {
        struct statement *s = add(L);
        if (!s) return;
        s->text = number;
        p = read_statement(s, p);
        s->end = p;
    }
}

/* ---- deciding ---- */

static int by_name(const void *a, const void *b)
{
    const struct statement *x = *(struct statement *const *)a, *y = *(struct statement *const *)b;
    size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
    int c = memcmp(x->name, y->name, n);
    if (c) return c;
    if (x->name_len != y->name_len) return x->name_len < y->name_len ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool same_name(const struct statement *x, const struct statement *y)
{
    return x->name_len == y->name_len && memcmp(x->name, y->name, x->name_len) == 0;
}

/* All statements of one name, in the order of the texts. */
static void decide(struct linker *L, struct statement **s, size_t n)
{
    const struct statement *definition = NULL, *declaration = NULL;
    for (size_t i = 0; i < n; i++) {
        bool alone = s[0]->text == s[n - 1]->text;
        if (s[i]->linkage == LOCAL && !s[i]->entry) {
            s[i]->rename = !alone;
            continue;
        }
        if (s[i]->defines && definition) {
            if (s[i]->linkage != WEAK && definition->linkage != WEAK) fail(L, "two objects define", s[i]);
            s[i]->drop = true;
        } else if (s[i]->defines) {
            definition = s[i];
        } else {
            s[i]->drop = definition || (declaration && declaration->text != s[i]->text);
            declaration = s[i];
        }
    }
}

static void decide_all(struct linker *L)
{
    struct statement **named = calloc(L->count + 1, sizeof(struct statement *));
    if (!named) {
        fail(L, "out of memory", NULL);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < L->count; i++) {
        if (L->st[i].header) L->st[i].drop = L->st[i].text > 0;
        else if (L->st[i].name) named[n++] = &L->st[i];
    }
    qsort(named, n, sizeof(struct statement *), by_name);
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && same_name(named[i], named[k]);) k++;
        decide(L, named + i, k - i);
    }
    free(named);
}

/* ---- writing ---- */

static void put(struct linker *L, const char *p, size_t n)
{
    if (L->failed) return;
    if (n + 1 > L->room - L->len) {
        size_t room = 2 * L->room + n + 1;
        char *grown = realloc(L->out, room);
        if (!grown) {
            fail(L, "out of memory", NULL);
            return;
        }
        L->out = grown;
        L->room = room;
    }
    memcpy(L->out + L->len, p, n);
    L->len += n;
    L->out[L->len] = 0;
}

static const struct statement *renamed(const struct statement *const *list, size_t n, const char *p, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (list[i]->name_len == len && memcmp(list[i]->name, p, len) == 0) return list[i];
    return NULL;
}

static void write_statement(struct linker *L, const struct statement *s, const struct statement *const *list, size_t n)
{
    const char *from = s->start;
    for (const char *p = n ? skip(s->start) : s->end; p < s->end;) {
        const char *end = token_end(p);
        if (in_name(*p) && renamed(list, n, p, (size_t)(end - p))) {
            char number[32];
            int len = snprintf(number, sizeof number, "$o%zu", s->text);
            put(L, from, (size_t)(end - from));
            put(L, number, (size_t)len);
            from = end;
        }
        p = skip(end);
    }
    put(L, from, (size_t)(s->end - from));
    put(L, "\n", 1);
}

static void write_text(struct linker *L, size_t first, size_t end)
{
    size_t n = 0;
    const struct statement **list = calloc(end - first + 1, sizeof(struct statement *));
    if (!list) {
        fail(L, "out of memory", NULL);
        return;
    }
    for (size_t i = first; i < end; i++)
        if (L->st[i].rename) list[n++] = &L->st[i];
    for (size_t i = first; i < end; i++)
        if (!L->st[i].drop) write_statement(L, &L->st[i], list, n);
    free(list);
}

char *ptx_link(const char *const *text, size_t count, struct wl_err *e)
{
    struct linker L = {.e = e};
    put(&L, "", 0);
    if (count == 1) put(&L, text[0], strlen(text[0]));
    for (size_t i = 0; count > 1 && i < count; i++) read_text(&L, text[i], i);
    if (!L.failed) decide_all(&L);
    for (size_t i = 0, k; i < L.count; i = k) {
        for (k = i; k < L.count && L.st[k].text == L.st[i].text;) k++;
        write_text(&L, i, k);
    }
    free(L.st);
    if (!L.failed) return L.out;
    free(L.out);
    return NULL;
}
