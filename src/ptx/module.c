/* module.c - a module from its text to its code table.
 *
 * Parsing fills functions and variables; then control flow is built function by function,
 * shared memory is laid out, and liveness runs callees first because a caller's registers
 * include those of what it calls. */
#include "ptx/module.h"
#include "ptx/registers.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/opcodes.h"
#include "ptx/parse.h"

enum { SHARED_WALK_BUDGET = 1 << 26 };

/* ---- names ---- */

const char *ptx_op_name(enum ptx_op op) { return (unsigned)op < OP_COUNT ? ptx_opcodes[op].name : "?"; }

static const struct {
    const char *name;
    uint8_t bytes;
} types[] = {
    [T_NONE] = {"none", 0},   [T_PRED] = {"pred", 0}, [T_B8] = {"b8", 1},         [T_B16] = {"b16", 2},
    [T_B32] = {"b32", 4},     [T_B64] = {"b64", 8},   [T_B128] = {"b128", 16},    [T_U8] = {"u8", 1},
    [T_U16] = {"u16", 2},     [T_U32] = {"u32", 4},   [T_U64] = {"u64", 8},       [T_S8] = {"s8", 1},
    [T_S16] = {"s16", 2},     [T_S32] = {"s32", 4},   [T_S64] = {"s64", 8},       [T_F16] = {"f16", 2},
    [T_F16X2] = {"f16x2", 4}, [T_BF16] = {"bf16", 2}, [T_BF16X2] = {"bf16x2", 4}, [T_TF32] = {"tf32", 4},
    [T_E4M3] = {"e4m3", 1},   [T_E5M2] = {"e5m2", 1}, [T_E4M3X2] = {"e4m3x2", 2}, [T_E5M2X2] = {"e5m2x2", 2},
    [T_S4] = {"s4", 0},       [T_U4] = {"u4", 0},     [T_B1] = {"b1", 0},         [T_U16X2] = {"u16x2", 4},
    [T_S16X2] = {"s16x2", 4}, [T_F32] = {"f32", 4},   [T_F64] = {"f64", 8},
};

unsigned ptx_type_bytes(enum ptx_type t) { return (unsigned)t <= T_S16X2 ? types[t].bytes : 0; }
const char *ptx_type_name(enum ptx_type t) { return (unsigned)t <= T_S16X2 ? types[t].name : "?"; }

const struct ptx_func *ptx_find_kernel(const struct ptx_module *m, const char *name)
{
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        if (f->is_kernel && !f->is_extern && strcmp(f->name, name) == 0) return f;
    return NULL;
}

/* ---- calls through pointers ---- */

static bool sizes_fit(const struct ptx_var **given, uint32_t n, struct ptx_var **formal, uint32_t nformals)
{
    if (n != nformals) return false;
    for (uint32_t i = 0; i < n; i++)
        if (given[i]->bytes != formal[i]->bytes) return false;
    return true;
}

bool ptx_call_fits(const struct ptx_call *c, const struct ptx_func *f)
{
    return !f->is_kernel && !f->is_extern && sizes_fit(c->args, c->nargs, f->param, f->nparams) &&
           sizes_fit(c->rets, c->nrets, f->ret, f->nrets);
}

/* A call through a pointer becomes a call of every function whose address is taken and whose parameters fit. */
static int find_pointees(struct build *b, struct func_info *fi)
{
    for (struct callee **at = &fi->callees; *at;) {
        struct callee *call = *at;
        if (call->func) {
            at = &call->next;
            continue;
        }
        *at = call->next;
        for (struct func_info *f = b->funcs; f; f = f->next) {
            if (!f->f.address_taken || !ptx_call_fits(fi->inst[call->inst].call, &f->f)) continue;
            struct callee *c = ARENA_NEW(&b->m->arena, struct callee);
            if (!c) return wl_fail(b->e, WL_ERUN, "%s: out of memory", b->m->file);
            *c = (struct callee){.func = f, .inst = call->inst, .indirect = true, .next = *at};
            *at = c;
            at = &c->next;
        }
    }
    return 0;
}

/* ---- call order ---- */

enum { UNSEEN, OPEN, DONE };

/* Appends fi and what it calls to the order, callees first; a recursive call, which meets an
 * open function, is passed over. The path is kept in the functions themselves. */
static void order_from(struct build *b, struct func_info *root)
{
    root->mark = OPEN;
    root->walk = root->callees;
    root->caller = NULL;
    for (struct func_info *fi = root; fi;) {
        struct callee *c = fi->walk;
        if (!c) {
            fi->mark = DONE;
            fi->order = b->nfuncs;
            b->order[b->nfuncs++] = fi;
            fi = fi->caller;
            continue;
        }
        fi->walk = c->next;
        if (c->func->mark != UNSEEN || !c->func->defined) continue;
        c->func->mark = OPEN;
        c->func->walk = c->func->callees;
        c->func->caller = fi;
        fi = c->func;
    }
}

static int order_functions(struct build *b)
{
    uint32_t n = 0;
    for (const struct func_info *fi = b->funcs; fi; fi = fi->next) n++;
    b->order = ARENA_ARRAY(&b->m->arena, struct func_info *, n);
    if (!b->order) return wl_fail(b->e, WL_ERUN, "%s: out of memory", b->m->file);
    for (struct func_info *fi = b->funcs; fi; fi = fi->next)
        if (fi->defined && fi->mark == UNSEEN) order_from(b, fi);
    return 0;
}

/* ---- shared memory ---- */

/* Kernel k and all it calls, as a list through `caller`. A function is entered once a
 * kernel: its mark is then the kernel's number. */
static struct func_info *reach(struct func_info *k, uint32_t mark, uint64_t *budget)
{
    struct func_info *list = k, *tail = k;
    k->mark = mark;
    k->caller = NULL;
    for (struct func_info *fi = list; fi && *budget; fi = fi->caller)
        for (const struct callee *c = fi->callees; c && *budget; c = c->next) {
            --*budget;
            if (c->func->mark == mark) continue;
            c->func->mark = mark;
            c->func->caller = NULL;
            tail->caller = c->func;
            tail = c->func;
        }
    return list;
}

struct placing {
    struct build *b;
    uint64_t budget;
    uint32_t mark;
};

/* Adds kernel k to the users of every variable it reaches. */
static int kernel_uses(struct placing *p, struct func_info *k)
{
    for (struct func_info *fi = reach(k, ++p->mark, &p->budget); fi; fi = fi->caller)
        for (const struct shared_use *u = fi->shared; u && p->budget; u = u->next, p->budget--) {
            if (u->var->kernels && u->var->kernels->kernel == k) continue;
            struct shared_user *s = ARENA_NEW(&p->b->m->arena, struct shared_user);
            if (!s) return wl_fail(p->b->e, WL_ERUN, "%s: out of memory", p->b->m->file);
            *s = (struct shared_user){.kernel = k, .next = u->var->kernels};
            u->var->kernels = s;
        }
    if (p->budget) return 0;
    return wl_fail(p->b->e, WL_EINPUT, "%s: too many kernels reach too many functions", p->b->m->file);
}

/* A variable goes behind what every kernel that uses it already has: variables that no
 * kernel uses together may overlap. */
static int place_one(struct build *b, struct shared_var *s)
{
    uint64_t at = 0;
    for (const struct shared_user *u = s->kernels; u; u = u->next)
        if (u->kernel->f.shared_bytes > at) at = u->kernel->f.shared_bytes;
    uint64_t align = s->var->align;
    if (b->target.scheduled && s->var->bytes >= 16 && align < 16) align = 16; /* wide loads: join_loads.c */
    at = (at + align - 1) & ~(align - 1);
    s->var->offset = at;
    if (at + s->var->bytes > MAX_SHARED_BYTES)
        return wl_fail(b->e, WL_EINPUT, "%s: the .shared variables up to '%s' need more than %llu bytes", b->m->file,
                       s->var->name, (unsigned long long)MAX_SHARED_BYTES);
    for (const struct shared_user *u = s->kernels; u; u = u->next) u->kernel->f.shared_bytes = at + s->var->bytes;
    return 0;
}

static int place_shared(struct build *b)
{
    struct placing p = {.b = b, .budget = SHARED_WALK_BUDGET};
    for (struct func_info *fi = b->funcs; fi; fi = fi->next) fi->mark = 0;
    for (struct func_info *fi = b->funcs; fi; fi = fi->next)
        if (fi->defined && fi->f.is_kernel && kernel_uses(&p, fi)) return -1;
    for (struct shared_var *s = b->shared; s; s = s->next)
        if (!s->var->is_extern && place_one(b, s)) return -1;
    return 0;
}

/* What knows instructions by their places follows. */
void func_take_out(struct func_info *fi, const uint8_t *gone, uint32_t *moved)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        moved[i] = at;
        if (!gone[i]) fi->inst[at++] = fi->inst[i];
    }
    moved[fi->f.ninst] = at; /* a label may stand behind the last instruction */
    for (uint32_t i = 0; i < at; i++)
        if (fi->inst[i].op == OP_BRA) fi->inst[i].target = moved[fi->inst[i].target];
    for (struct target_list *t = fi->lists; t; t = t->next)
        for (uint32_t i = 0; i < t->count; i++) t->at[i] = moved[t->at[i]];
    for (struct callee *c = fi->callees; c; c = c->next) c->inst = moved[c->inst];
    fi->f.ninst = at;
}

/* ---- the whole ---- */

static int complete(struct build *b)
{
    for (struct func_info *fi = b->funcs; fi; fi = fi->next)
        if (find_pointees(b, fi)) return -1;
    for (struct func_info *fi = b->funcs; fi && b->target.scheduled; fi = fi->next)
        if (fi->defined && !fi->f.refused && (unroll_function(b, fi) || join_loads(b, fi) || guard_short(b, fi)))
            return -1;
    for (struct func_info *fi = b->funcs; fi; fi = fi->next)
        if (fi->defined && cfg_build(b, fi) &&
            (!refuse_function(b->m, &fi->f, b->e) || refuse_body(b, fi) || cfg_build(b, fi)))
            return -1;
    if (order_functions(b) || place_shared(b)) return -1;
    for (uint32_t i = 0; i < b->nfuncs; i++)
        if (live_count(b, b->order[i]) ||
            (b->target.scheduled && (registers_count(b, b->order[i]) || sched_function(b, b->order[i]))))
            return -1;
    if (code_build(b)) return -1;
    struct ptx_func **last = &b->m->funcs;
    uint32_t n = 0;
    for (struct func_info *fi = b->funcs; fi; fi = fi->next) {
        fi->f.index = n++;
        *last = &fi->f;
        last = &fi->f.next;
    }
    refuse_callers(b->m);
    return 0;
}

static void parser_end(struct ptx_parser *p)
{
    names_free(&p->names);
    free(p->body.inst);
    free(p->body.reg);
    free(p->body.ref);
    free(p->loc);
}

static int read_module(struct ptx_module *m, size_t len, uint32_t pc_base, struct ptx_target t, struct wl_err *e)
{
    struct build b = {.m = m, .e = e, .pc_base = pc_base, .target = t};
    b.last = &b.funcs;
    b.shared_last = &b.shared;
    b.var_last = &m->vars;
    struct ptx_parser p = {.m = m, .e = e, .build = &b};
    p.extern_last = &p.externs;
    lex_init(&p.lex, m->text, len);
    parse_module(&p);
    if (!p.failed && locs_to_arena(&p)) fail_memory(&p);
    int rc = p.failed ? -1 : complete(&b);
    parser_end(&p);
    free(b.loop);
    return rc;
}

/* Text behind a NUL would be ignored in silence. Containers fill up with NULs: those are none. */
static int check_nul(const struct ptx_module *m, size_t len, struct wl_err *e)
{
    size_t text = strlen(m->text), at = text;
    while (at < len && !m->text[at]) at++;
    if (at == len) return 0;
    unsigned line = 1;
    for (size_t i = 0; i < text; i++) line += m->text[i] == '\n';
    return wl_fail_at(e, m->file, line, 0, NULL, "a NUL byte, and more text behind it");
}

struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, uint32_t pc_base, struct wl_err *e)
{
    return ptx_parse_for(file, text, len, pc_base, (struct ptx_target){0}, e);
}

struct ptx_module *ptx_parse_for(const char *file, const char *text, size_t len, uint32_t pc_base, struct ptx_target t,
                                 struct wl_err *e)
{
    struct ptx_module *m = calloc(1, sizeof *m);
    if (len > PTX_MAX_BYTES) {
        free(m);
        wl_fail(e, WL_EINPUT, "%s: PTX of %zu bytes is larger than the limit of %d", file, len, PTX_MAX_BYTES);
        return NULL;
    }
    char *copy = m ? arena_strndup(&m->arena, text, len) : NULL;
    if (m) m->file = arena_strndup(&m->arena, file, strlen(file));
    if (!copy || !m->file) {
        ptx_free(m);
        wl_fail(e, WL_ERUN, "%s: out of memory", file);
        return NULL;
    }
    m->text = copy;
    m->keep_going = t.keep_going;
    m->func_base = pc_base;
    if (check_nul(m, len, e) || read_module(m, len, pc_base, t, e)) {
        ptx_free(m);
        return NULL;
    }
    return m;
}

void ptx_free(struct ptx_module *m)
{
    if (!m) return;
    arena_free(&m->arena);
    free(m);
}
