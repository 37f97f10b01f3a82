/* wlt_origin.c - the record that says where the instructions of a code table were written.
 *
 * It follows its table and may be missing: old traces have none, and nothing but reports for people looks at it. Few
 * files and many instructions: names stand at the beginning, instructions refer to them by number. */
#include "trace/wlt/wlt_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static const char *keep_text(struct wlt_in *in, struct arena *a, size_t longest, const char *field)
{
    char text[WLT_MAX_NAME + 1];
    wlt_text(in, text, longest + 1, field);
    if (in->failed || !*text) return NULL;
    const char *copy = arena_strndup(a, text, strlen(text));
    if (!copy) wlt_in_no_memory(in);
    return copy;
}

static const char *read_file_ref(struct wlt_in *in, const char *const *file, uint64_t files)
{
    uint64_t v = wlt_varint(in, files, "the number of a source file");
    return v ? file[v - 1] : NULL;
}

void wlt_read_origins(struct wlt_in *in, struct code *c, struct arena *a)
{
    uint64_t files = wlt_varint(in, WLT_MAX_FILES, "the number of source files");
    uint32_t n = code_listed(c);
    const char **file = ARENA_ARRAY(a, const char *, files + 1);
    struct code_origin *o = ARENA_ARRAY(a, struct code_origin, n);
    if (!file || !o) wlt_in_no_memory(in);
    for (uint64_t i = 0; i < files && !in->failed; i++)
        file[i] = keep_text(in, a, WLT_MAX_NAME, "the name of a source file");
    for (uint32_t i = 0; i < n && !in->failed; i++) {
        o[i].text = keep_text(in, a, WLT_MAX_WORDS, "the text of an instruction");
        o[i].ptx_line = (uint32_t)wlt_varint(in, UINT32_MAX, "a line of PTX");
        o[i].file = read_file_ref(in, file, files);
        o[i].line = (uint32_t)wlt_varint(in, UINT32_MAX, "a source line");
        o[i].caller = read_file_ref(in, file, files);
        o[i].caller_line = (uint32_t)wlt_varint(in, UINT32_MAX, "the line of a call");
    }
    if (!in->failed) c->origin = o;
}

/* ---- writing ---- */

struct file_list {
    const char *name[WLT_MAX_FILES];
    unsigned count;
};

/* The number of a name from 1; 0: it has none, or there are too many. */
static unsigned file_ref(struct file_list *l, const char *name)
{
    if (!name || !*name) return 0;
    for (unsigned i = l->count; i-- > 0;)
        if (l->name[i] == name || strcmp(l->name[i], name) == 0) return i + 1;
    if (l->count == WLT_MAX_FILES) return 0;
    l->name[l->count++] = name;
    return l->count;
}

void wlt_put_origins(struct wlt_bytes *b, const struct code *c)
{
    if (!c->origin) return;
    struct file_list *l = calloc(1, sizeof *l);
    if (!l) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < code_listed(c); i++) {
        file_ref(l, c->origin[i].file);
        file_ref(l, c->origin[i].caller);
    }
    wlt_put_u8(b, WLT_TAG_ORIGINS);
    wlt_put_varint(b, l->count);
    for (unsigned i = 0; i < l->count; i++) wlt_put_text(b, l->name[i], WLT_MAX_NAME);
    for (uint32_t i = 0; i < code_listed(c); i++) {
        const struct code_origin *o = &c->origin[i];
        wlt_put_text(b, o->text ? o->text : "", WLT_MAX_WORDS);
        wlt_put_varint(b, o->ptx_line);
        wlt_put_varint(b, file_ref(l, o->file));
        wlt_put_varint(b, o->line);
        wlt_put_varint(b, file_ref(l, o->caller));
        wlt_put_varint(b, o->caller_line);
    }
    free(l);
}
