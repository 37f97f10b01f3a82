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

static json_t *heat_rows(const struct heat_report *h, unsigned map)
{
    json_t *list = json_array();
    for (unsigned s = 0; s < h->samples; s++) {
        json_t *row = json_array();
        const uint64_t *now = h->count + (size_t)s * h->width + h->first[map], *before = s ? now - h->width : now;
        for (unsigned i = 0; i < h->rows[map]; i++)
            json_array_append_new(row, json_integer((json_int_t)(now[i] - (s ? before[i] : 0))));
        json_array_append_new(list, row);
    }
    return list;
}

json_t *heat_object(const struct heat_report *h)
{
    return json_pack("{s:o,s:o,s:o}", "sm_instructions", heat_rows(h, HEAT_SM), "bank_requests",
                     heat_rows(h, HEAT_BANK), "set_misses", heat_rows(h, HEAT_SET));
}
