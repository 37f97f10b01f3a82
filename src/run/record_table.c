/* record_table.c - one walk over a record finds its columns, and which of them were varied.
 *
 * Records of one store have nearly the same members in the same order, so a column is looked for behind the one that
 * was found last, and only then among all. */
#include "run/record_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stats/stats.h"

enum { MAX_NAME = 200 };

/* A value that may be varied, as it was first seen. Inputs are compared within a program, parameters of a policy within
 * that policy: `scope` is its name. */
struct first_value {
    char *name, *scope, *value;
    bool varied; /* another record has another value */
    bool shown;  /* among the columns that were varied */
};

struct record_table {
    const char *skip;
    char **column;
    unsigned count, room, at; /* at: behind the column that was found last */
    unsigned front;           /* columns that stand before those that were varied */
    struct first_value *first;
    unsigned firsts, firsts_room, first_at;
    bool bad; /* no memory */
};

struct record_table *record_table_new(const char *skip)
{
    struct record_table *t = calloc(1, sizeof *t);
    if (t) t->skip = skip;
    return t;
}

void record_table_free(struct record_table *t)
{
    if (!t) return;
    for (unsigned i = 0; i < t->count; i++) free(t->column[i]);
    for (unsigned i = 0; i < t->firsts; i++) {
        free(t->first[i].name);
        free(t->first[i].scope);
        free(t->first[i].value);
    }
    free(t->column);
    free(t->first);
    free(t);
}

/* ---- values ---- */

static void value_text(const json_t *v, char *out, size_t size)
{
    if (json_is_integer(v)) snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v)) snprintf(out, size, "%.12g", json_real_value(v));
    else if (json_is_boolean(v)) snprintf(out, size, "%s", json_is_true(v) ? "yes" : "no");
    else snprintf(out, size, "%s", json_is_string(v) ? json_string_value(v) : "");
}

/* The members of a flat object as "a=1 b=2". */
static void pairs_text(const json_t *o, char *out, size_t size)
{
    const char *key;
    json_t *value;
    size_t at = 0;
    *out = 0;
    json_object_foreach((json_t *)(uintptr_t)o, key, value)
    {
        char text[512];
        value_text(value, text, sizeof text);
        bool alone = strcmp(key, "arguments") == 0;
        if (at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s%s%s", at ? " " : "", alone ? "" : key, alone ? "" : "=",
                                   text);
    }
}

static const json_t *at_path(const json_t *o, const char *path)
{
    char part[MAX_NAME];
    while (o) {
        const json_t *whole = json_object_get(o, path); /* "l1d.ways" is a name in "set" */
        if (whole) return whole;
        size_t n = strcspn(path, ".");
        if (!path[n]) return NULL;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        o = json_object_get(o, part);
        path += n + 1;
    }
    return NULL;
}

/* ---- columns ---- */

static void add_column(struct record_table *t, const char *name)
{
    if (t->at < t->count && strcmp(t->column[t->at], name) == 0) {
        t->at++;
        return;
    }
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->column[i], name) == 0) {
            t->at = i + 1;
            return;
        }
    if (t->count == t->room) {
        unsigned room = t->room ? 2 * t->room : 512;
        char **grown = realloc(t->column, room * sizeof *grown);
        if (!grown) {
            t->bad = true;
            return;
        }
        t->column = grown;
        t->room = room;
    }
    if (!(t->column[t->count] = strdup(name))) t->bad = true;
    else t->at = ++t->count;
}

static struct first_value *find_first(struct record_table *t, const char *name, const char *scope)
{
    for (unsigned i = 0; i < t->firsts; i++) {
        struct first_value *f = &t->first[(t->first_at + i) % t->firsts];
        if (strcmp(f->name, name) != 0 || strcmp(f->scope, scope) != 0) continue;
        t->first_at = (unsigned)(f - t->first) + 1;
        return f;
    }
    return NULL;
}

static void note_value(struct record_table *t, const char *name, const char *scope, const json_t *value)
{
    char text[512];
    value_text(value, text, sizeof text);
    struct first_value *f = find_first(t, name, scope);
    if (f) {
        f->varied |= strcmp(f->value, text) != 0;
        return;
    }
    if (t->firsts == t->firsts_room) {
        unsigned room = t->firsts_room ? 2 * t->firsts_room : 512;
        struct first_value *grown = realloc(t->first, room * sizeof *grown);
        if (!grown) {
            t->bad = true;
            return;
        }
        t->first = grown;
        t->firsts_room = room;
    }
    struct first_value made = {strdup(name), strdup(scope), strdup(text), false, false};
    if (!made.name || !made.scope || !made.value) {
        free(made.name);
        free(made.scope);
        free(made.value);
        t->bad = true;
        return;
    }
    t->first[t->firsts++] = made;
    t->first_at = t->firsts;
}

/* The scalars below `o`; what may be varied is noted. */
static void learn_object(struct record_table *t, const char *prefix, const json_t *o, const char *scope)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)o, key, value)
    {
        char name[MAX_NAME];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (json_is_object(value)) {
            learn_object(t, name, value, scope);
        } else if (!json_is_array(value)) {
            add_column(t, name);
            if (scope) note_value(t, name, scope, value);
        }
    }
}

static const char *text_at(const json_t *o, const char *path)
{
    const char *s = json_string_value(at_path(o, path));
    return s ? s : "";
}

static void learn_policies(struct record_table *t, const json_t *policies)
{
    const char *place;
    json_t *policy;
    json_object_foreach((json_t *)(uintptr_t)policies, place, policy)
    {
        char name[MAX_NAME];
        snprintf(name, sizeof name, "policies.%s", place);
        learn_object(t, name, policy, text_at(policy, "name"));
    }
}

static void learn_inputs(struct record_table *t, const json_t *record, const json_t *inputs)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)inputs, key, value)
    {
        char name[MAX_NAME];
        snprintf(name, sizeof name, "inputs.%s", key);
        note_value(t, name, text_at(record, "workload"), value);
    }
}

int record_table_learn(struct record_table *t, const json_t *record, struct wl_err *e)
{
    const char *key;
    json_t *value;
    t->at = t->first_at = 0;
    json_object_foreach((json_t *)(uintptr_t)record, key, value)
    {
        if (t->skip && strcmp(key, t->skip) == 0) continue;
        if (strcmp(key, "inputs") == 0) learn_inputs(t, record, value);
        if (strcmp(key, "policies") == 0) learn_policies(t, value);
        else if (strcmp(key, "config") == 0) learn_object(t, key, value, "");
        else if (json_is_object(value) && strcmp(key, "inputs") != 0 && strcmp(key, "set") != 0)
            learn_object(t, key, value, NULL);
        else if (!json_is_array(value)) add_column(t, key);
        if (strcmp(key, "scheduler") == 0 && t->front < t->at) t->front = t->at;
    }
    return t->bad ? wl_no_memory(e) : 0;
}

/* ---- writing ---- */

static bool is_counter(const char *name)
{
    for (const struct counter_desc *d = counter_descs; d->key; d++) {
        size_t n = strlen(counter_group_names[d->group]);
        if (strncmp(name, counter_group_names[d->group], n) == 0 && name[n] == '.' && strcmp(name + n + 1, d->key) == 0)
            return true;
    }
    return false;
}

/* A name is shown when two values of one scope differ; once, where it stands first. */
static void choose_varied(struct record_table *t)
{
    for (unsigned i = 0; i < t->firsts; i++) {
        struct first_value *f = &t->first[i];
        unsigned k = 0;
        while (strcmp(t->first[k].name, f->name) != 0) k++;
        if (f->varied) t->first[k].shown = true;
    }
}

/* "config.l1d.ways" is set as l1d.ways; a counter of the same name keeps it. */
static void short_name(const char *name, char *out, size_t size)
{
    const char *parameters = strstr(name, ".parameters.");
    if (strncmp(name, "config.", 7) == 0 && !is_counter(name + 7)) snprintf(out, size, "%s", name + 7);
    else if (strncmp(name, "policies.", 9) == 0 && parameters)
        snprintf(out, size, "%.*s.%s", (int)(parameters - name - 9), name + 9, parameters + strlen(".parameters."));
    else snprintf(out, size, "%s", name);
}

static void write_field(const struct record_table *t, unsigned i, const json_t *record, FILE *out)
{
    char text[4096] = "";
    const json_t *v = record ? at_path(record, t->column[i]) : NULL;
    if (json_is_object(v)) pairs_text(v, text, sizeof text);
    else if (json_is_string(v)) {
        put_csv(out, json_string_value(v)); /* of any length */
        return;
    } else value_text(v, text, sizeof text);
    put_csv(out, text);
}

static void write_fields(const struct record_table *t, bool header, const json_t *record, FILE *out)
{
    char name[MAX_NAME], text[512];
    bool later = false;
    for (unsigned i = 0; i <= t->count; i++) {
        for (unsigned k = 0; i == t->front && k < t->firsts; k++) {
            if (!t->first[k].shown) continue;
            short_name(t->first[k].name, name, sizeof name);
            value_text(record ? at_path(record, t->first[k].name) : NULL, text, sizeof text);
            if (later) fputc(',', out);
            put_csv(out, header ? name : text);
            later = true;
        }
        if (i == t->count) break;
        if (later) fputc(',', out);
        if (header) put_csv(out, t->column[i]);
        else write_field(t, i, record, out);
        later = true;
    }
}

void record_table_header(struct record_table *t, FILE *out)
{
    choose_varied(t);
    write_fields(t, true, NULL, out);
}

void record_table_row(const struct record_table *t, const json_t *record, FILE *out)
{
    write_fields(t, false, record, out);
}
