/* ini_text.h - an INI text cut into sections and keys, each with its place.
 *
 * Nothing is interpreted here: experiment.c asks for the keys it knows and then for one that
 * nobody asked for. */
#ifndef WL_EXPERIMENT_INI_TEXT_H
#define WL_EXPERIMENT_INI_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct ini_key {
    struct ini_key *next;
    const char *name, *value;
    unsigned line, column; /* of the value; column 0: it goes over several lines */
    bool used;
};

struct ini_section {
    struct ini_section *next;
    const char *kind, *name; /* "[figure 8]": "figure" and "8"; both "" before the first header */
    unsigned line;
    struct ini_key *keys;
};

struct ini_text {
    const char *file, *text;
    struct ini_section *sections; /* the first is the part before any header */
};

/* Everything lives in the arena; `text` must live as long. A key may occur once per section. */
int ini_text_read(struct ini_text *t, const char *file, const char *text, struct arena *a, struct wl_err *e);
/* NULL when the section has no such key. Marks it as used. */
struct ini_key *ini_take(struct ini_section *s, const char *name);
/* The first key nobody took, or NULL. */
struct ini_key *ini_unused(const struct ini_section *s);
/* "file:line: why" at a key's value, `offset` characters into it, or at a section's header. */
int ini_fail(const struct ini_text *t, const struct ini_key *k, unsigned offset, const char *why, struct wl_err *e);
int ini_fail_section(const struct ini_text *t, const struct ini_section *s, const char *why, struct wl_err *e);

#endif
