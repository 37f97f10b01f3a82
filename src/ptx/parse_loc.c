/* parse_loc.c - .loc and .file: the source lines that instructions were compiled from.
 *
 * A .loc holds for the instructions up to the next one; of a function that was inlined it names the place of the call
 * too. The files' names come at the end of the module as a rule, so a place keeps the number of its file, and names are
 * found when the module is complete. Debug information is advice: what cannot be understood of it is passed over. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_SEARCH = 16 }; /* the .loc of a call stands just before those of what was inlined there */

/* A number, if one stands here on the line. */
static bool take_number(struct ptx_parser *p, uint32_t on_line, uint32_t *out)
{
    if (p->tok.kind != TOK_INT || p->tok.line != on_line || p->tok.bits > UINT32_MAX) return false;
    *out = (uint32_t)take(p).bits;
    return true;
}

/* A call that was itself inlined: its place is where the outermost call is. */
static void outermost(const struct ptx_parser *p, struct ptx_loc *l, uint32_t column)
{
    for (uint32_t i = 0; i < CALL_SEARCH && i < p->nlocs; i++) {
        const struct ptx_loc *call = &p->loc[p->nlocs - 1 - i];
        if (call->file != l->caller_file || call->line != l->caller_line || call->column != column) continue;
        if (call->caller_file) l->caller_file = call->caller_file, l->caller_line = call->caller_line;
        return;
    }
}

/* ", function_name LABEL, inlined_at FILE LINE COLUMN" */
static void parse_inlined(struct ptx_parser *p, uint32_t on_line, struct ptx_loc *l)
{
    uint32_t file, line, column;
    while (p->tok.line == on_line && p->tok.kind != TOK_END && !token_is(&p->tok, "inlined_at")) advance(p);
    if (p->tok.line != on_line || p->tok.kind != TOK_NAME) return;
    advance(p);
    if (!take_number(p, on_line, &file) || !take_number(p, on_line, &line) || !take_number(p, on_line, &column)) return;
    l->caller_file = file;
    l->caller_line = line;
    outermost(p, l, column);
}

void parse_loc(struct ptx_parser *p, uint32_t on_line)
{
    struct ptx_loc l = {0};
    if (take_number(p, on_line, &l.file) && take_number(p, on_line, &l.line) && take_number(p, on_line, &l.column)) {
        parse_inlined(p, on_line, &l);
        p->loc = grow(p, p->loc, p->nlocs, &p->loc_cap, sizeof *p->loc);
        if (!p->failed) p->loc[p->nlocs++] = l;
        p->at_loc = p->nlocs;
    }
    skip_line(p, on_line);
}

/* .file NUMBER "NAME"[, time, size] */
void parse_file(struct ptx_parser *p, uint32_t on_line)
{
    uint32_t number;
    if (take_number(p, on_line, &number) && p->tok.kind == TOK_STRING && p->tok.line == on_line && p->tok.len > 2) {
        struct ptx_file *f = ARENA_NEW(&p->m->arena, struct ptx_file);
        if (f) f->name = arena_strndup(&p->m->arena, p->tok.s + 1, p->tok.len - 2);
        if (!f || !f->name) {
            fail_memory(p);
            return;
        }
        f->number = number;
        f->next = p->m->files;
        p->m->files = f;
    }
    skip_line(p, on_line);
}

int locs_to_arena(struct ptx_parser *p)
{
    struct ptx_loc *all = ARENA_ARRAY(&p->m->arena, struct ptx_loc, p->nlocs + 1);
    if (!all) return -1;
    if (p->nlocs) memcpy(all + 1, p->loc, p->nlocs * sizeof *all);
    p->m->loc = all;
    return 0;
}

/* ---- for the code table ---- */

static const char *file_name(const struct ptx_module *m, uint32_t number)
{
    for (const struct ptx_file *f = m->files; f; f = f->next)
        if (f->number == number) return f->name;
    return NULL;
}

/* The instruction on one line, each blank a single space. */
static const char *one_line(struct ptx_module *m, const struct ptx_inst *in)
{
    enum { LONGEST = 160 };
    char text[LONGEST + 1];
    size_t n = 0;
    const char *s = m->text + in->text, *end = s + in->text_len;
    for (; s < end && n < LONGEST; s++) {
        bool blank = (unsigned char)*s <= ' ';
        if (!blank) text[n++] = *s;
        else if (n && text[n - 1] != ' ') text[n++] = ' ';
    }
    while (n && text[n - 1] == ' ') n--;
    return arena_strndup(&m->arena, text, n);
}

int loc_origin(struct ptx_module *m, const struct ptx_inst *in, struct code_origin *out)
{
    const struct ptx_loc *l = &m->loc[in->source];
    *out = (struct code_origin){.ptx_line = in->line, .text = in->text_len ? one_line(m, in) : "ret"};
    if (!out->text) return -1;
    if (!in->source || !l->line || !(out->file = file_name(m, l->file))) return 0;
    out->line = l->line;
    out->caller = l->caller_file ? file_name(m, l->caller_file) : NULL;
    if (out->caller) out->caller_line = l->caller_line;
    return 0;
}
