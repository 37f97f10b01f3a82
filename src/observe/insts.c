/* insts.c - see insts.h. Counted by instruction while a kernel runs, kept by kernel and pc when it has ended. */
#include "observe/insts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "observe/profile.h"

/* A warp's registers whose writers are told apart: programs have fewer. */
enum { MOST_REGS = 4096 };

static uint32_t index_of(const struct code *c, const struct code_inst *in)
{
    return code_is_form(in) ? in->form - 1 : (uint32_t)(in - c->inst);
}

/* ---- while a kernel runs ---- */

/* The cycles from `from` on in which the warp stood before `now`, at instruction `here`. */
static void count_stand(const struct inst_watch *w, const struct sm *s, unsigned warp, uint32_t here, uint64_t from)
{
    struct inst_table *t = w->to;
    const struct code_inst *before = &t->code->inst[w->last[warp].inst];
    uint64_t now = sm_cycle(s);
    unsigned reg = 0;
    uint64_t readable = sm_head_readable(s, warp, &reg);
    if (readable > now) readable = now;
    if (readable > from) {
        uint32_t writer = w->writer[(size_t)warp * w->regs + reg % w->regs];
        bool load = inst_is_mem(&t->code->inst[writer]);
        t->tally[here].stall[load ? STALL_LOAD : STALL_COMPUTE] += readable - from;
        t->tally[writer].awaited += readable - from;
        from = readable;
    }
    if (sm_holds_warp(s, before)) t->tally[w->last[warp].inst].stall[STALL_BARRIER] += now - from;
    else t->tally[here].stall[STALL_TURN] += now - from;
}

static void watch_issue(void *self, const struct sm *s, unsigned warp)
{
    struct inst_watch *w = self;
    struct inst_table *t = w->to;
    const struct code_inst *in = sm_head(s, warp);
    uint32_t here = index_of(t->code, in);
    uint64_t now = sm_cycle(s), age = sm_ages(s)[warp];
    if (w->last[warp].age == age && now > w->last[warp].issued_at + 1)
        count_stand(w, s, warp, here, w->last[warp].issued_at + 1);
    if (w->heat) heat_add(w->heat, HEAT_SM, w->sm);
    t->tally[here].issued++;
    t->tally[here].lanes += sm_head_lanes(s, warp);
    for (unsigned i = 0; i < in->ndst; i++) w->writer[(size_t)warp * w->regs + in->reg[i] % w->regs] = here;
    w->last[warp].age = age;
    w->last[warp].issued_at = now;
    w->last[warp].inst = here;
}

void insts_attach(struct inst_watch *w, struct inst_table *to, struct sm *s, uint32_t index)
{
    static const struct sm_observer hooks = {.issue = watch_issue};
    w->to = to;
    w->sm = index;
    for (unsigned i = 0; i < SM_MAX_WARPS; i++) w->last[i].age = UINT64_MAX;
    sm_observe(s, &hooks, w);
}

static int make_room(void **array, uint32_t *cap, uint32_t need, size_t bytes)
{
    if (need <= *cap) return 0;
    void *p = realloc(*array, need * bytes);
    if (!p) return -1;
    *array = p;
    *cap = need;
    return 0;
}

int insts_begin(struct inst_table *t, struct inst_watch *watch, uint32_t sms, const struct code *code)
{
    uint32_t n = code_listed(code), regs = code->nregs < MOST_REGS ? code->nregs : MOST_REGS;
    if (!regs) regs = 1;
    if (make_room((void **)&t->tally, &t->tally_cap, n ? n : 1, sizeof *t->tally)) return -1;
    memset(t->tally, 0, n * sizeof *t->tally);
    t->code = code;
    for (uint32_t i = 0; i < sms; i++) {
        struct inst_watch *w = &watch[i];
        if (make_room((void **)&w->writer, &w->writer_cap, regs * SM_MAX_WARPS, sizeof *w->writer)) return -1;
        memset(w->writer, 0, (size_t)regs * SM_MAX_WARPS * sizeof *w->writer);
        w->regs = regs;
        for (unsigned k = 0; k < SM_MAX_WARPS; k++) w->last[k].age = UINT64_MAX;
    }
    return 0;
}

/* ---- when it has ended ---- */

static uint32_t hash_row(const char *kernel, uint32_t pc)
{
    uint64_t h = hash_bytes(WL_HASH_INIT, kernel, strlen(kernel));
    return (uint32_t)((h ^ pc * UINT64_C(0x9e3779b97f4a7c15)) >> 20);
}

static uint32_t *find_slot(const struct inst_table *t, const char *kernel, uint32_t pc)
{
    uint32_t i = hash_row(kernel, pc) & t->mask;
    for (; t->slot[i]; i = (i + 1) & t->mask) {
        const struct inst_record *r = &t->row[t->slot[i] - 1];
        if (r->pc == pc && strcmp(r->kernel, kernel) == 0) break;
    }
    return &t->slot[i];
}

/* Room for one more row; at most half of the slots are used. */
static int grow_rows(struct inst_table *t)
{
    if (t->rows < t->cap) return 0;
    uint32_t cap = t->cap ? 2 * t->cap : 256, *slot = calloc(2 * (size_t)cap, sizeof *slot);
    struct inst_record *row = slot ? realloc(t->row, cap * sizeof *row) : NULL;
    if (!row) {
        free(slot);
        return -1;
    }
    free(t->slot);
    t->row = row;
    t->cap = cap;
    t->slot = slot;
    t->mask = 2 * cap - 1;
    for (uint32_t i = 0; i < t->rows; i++) *find_slot(t, row[i].kernel, row[i].pc) = i + 1;
    return 0;
}

static void copy_text(char *out, size_t size, const char *text) { snprintf(out, size, "%s", text ? text : ""); }

void source_place(struct source_place *out, const struct code *c, const struct code_inst *in)
{
    const struct code_origin o = code_origin(c, in);
    *out = (struct source_place){.ptx_line = o.ptx_line, .line = o.line, .caller_line = o.caller_line};
    copy_text(out->text, sizeof out->text, o.text);
    copy_text(out->file, sizeof out->file, o.file);
    copy_text(out->caller, sizeof out->caller, o.caller);
}

int insts_end(struct inst_table *t, const char *kernel)
{
    for (uint32_t i = 0; i < code_listed(t->code); i++) {
        const struct inst_tally *from = &t->tally[i];
        const struct code_inst *in = &t->code->inst[i];
        if (!from->issued) continue;
        if (grow_rows(t)) return -1;
        uint32_t *slot = find_slot(t, kernel, in->pc);
        if (!*slot) {
            struct inst_record *r = &t->row[t->rows];
            *r = (struct inst_record){.pc = in->pc, .kind = in->kind, .space = in->space};
            copy_text(r->kernel, sizeof r->kernel, kernel);
            source_place(&r->at, t->code, in);
            *slot = ++t->rows;
        }
        struct inst_record *r = &t->row[*slot - 1];
        r->issued += from->issued;
        r->lanes += from->lanes;
        r->awaited += from->awaited;
        for (unsigned k = 0; k < INST_STALLS; k++) r->stall[k] += from->stall[k];
    }
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct inst_record *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);
    return order ? order : (x->pc > y->pc) - (x->pc < y->pc);
}

int insts_read(const struct inst_table *t, struct inst_record **out, unsigned *count)
{
    *out = malloc((t->rows ? t->rows : 1) * sizeof **out);
    if (!*out) return -1;
    if (t->rows) memcpy(*out, t->row, t->rows * sizeof **out);
    *count = t->rows;
    qsort(*out, t->rows, sizeof **out, compare_rows);
    return 0;
}

void insts_destroy(struct inst_table *t, struct inst_watch *watch, uint32_t sms)
{
    for (uint32_t i = 0; watch && i < sms; i++) free(watch[i].writer);
    free(t->tally);
    free(t->row);
    free(t->slot);
}
