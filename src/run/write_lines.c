/* write_lines.c - instructions and their places in the source as JSON. */
#include "run/json_parts.h"
#include "run/write_lines.h"

#include <jansson.h>

static json_t *text_or_null(const char *s) { return *s ? json_text(s) : json_null(); }
static json_t *line_or_null(uint32_t n) { return n ? json_integer((json_int_t)n) : json_null(); }

int add_place(json_t *o, const struct source_place *at)
{
    int bad = json_object_set_new(o, "ptx_line", line_or_null(at->ptx_line));
    bad |= json_object_set_new(o, "text", text_or_null(at->text));
    bad |= json_object_set_new(o, "file", text_or_null(at->file));
    bad |= json_object_set_new(o, "line", line_or_null(at->line));
    if (!at->caller_line) return bad;
    bad |= json_object_set_new(o, "inlined_at_file", text_or_null(at->caller));
    return bad | json_object_set_new(o, "inlined_at_line", line_or_null(at->caller_line));
}

json_t *inst_list(const struct profile_report *p)
{
    static const char *const waits[INST_STALLS] = {"load", "compute", "barrier", "turn"};
    json_t *list = json_array();
    int bad = !list;
    for (unsigned i = 0; !bad && i < p->insts; i++) {
        const struct inst_record *r = &p->inst[i];
        json_t *o = json_object(), *stalls = json_object();
        bad |= json_object_set_new(o, "kernel", json_text(r->kernel));
        bad |= json_object_set_new(o, "pc", json_integer((json_int_t)r->pc));
        bad |= add_place(o, &r->at);
        bad |= json_object_set_new(o, "warp_instructions", json_integer((json_int_t)r->issued));
        bad |= json_object_set_new(o, "thread_instructions", json_integer((json_int_t)r->lanes));
        for (unsigned k = 0; k < INST_STALLS; k++)
            bad |= json_object_set_new(stalls, waits[k], json_integer((json_int_t)r->stall[k]));
        bad |= json_object_set_new(o, "stall_cycles", stalls);
        bad |= json_object_set_new(o, "awaited_cycles", json_integer((json_int_t)r->awaited));
        bad |= json_array_append_new(list, o);
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}
