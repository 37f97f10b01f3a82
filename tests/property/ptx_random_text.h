/* ptx_random_text.h - the PTX text of a tree of ptx_random_gen.h. Writing it numbers the instructions. */
#ifndef WL_TESTS_PTX_RANDOM_TEXT_H
#define WL_TESTS_PTX_RANDOM_TEXT_H

#include "ptx_random_gen.h"

__attribute__((format(printf, 2, 3))) static inline void put(struct kernel_gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(g->text + g->length, TEXT_BYTES - g->length, fmt, ap);
    va_end(ap);
    assert_true(n >= 0 && g->length + (size_t)n < TEXT_BYTES);
    g->length += (size_t)n;
}

static inline void put_reg(struct kernel_gen *g, char cls, unsigned r)
{
    put(g, "%%%c%u",
        cls == 'R'   ? 'r'
        : cls == 'D' ? 'd'
        : cls == 'H' ? 'h'
        : cls == 'F' ? 'f'
        : cls == 'G' ? 'g'
                     : 'p',
        r);
}

static inline void put_value(struct kernel_gen *g, const struct value *v)
{
    if (!v->constant) put_reg(g, v->cls, v->reg);
    else if (v->cls == 'F') put(g, "0f%08x", (unsigned)v->bits);
    else if (v->cls == 'G') put(g, "0d%016llx", (unsigned long long)v->bits);
    else put(g, "0x%llx", (unsigned long long)v->bits);
}

/* The beginning of an instruction; returns its number. */
static inline uint32_t put_start(struct kernel_gen *g, const struct stmt *s)
{
    put(g, "    ");
    if (s && s->guard >= 0) put(g, "@%s%%p%d ", s->guard_not ? "!" : "", s->guard);
    assert_true(g->ninst < MAX_STMTS);
    g->inst[g->ninst] = s;
    return g->ninst++;
}

static inline void print_op(struct kernel_gen *g, struct stmt *s)
{
    s->at = put_start(g, s);
    for (const char *t = s->op->text; *t; t++) {
        if (*t != '$') {
            put(g, "%c", *t);
            continue;
        }
        switch (*++t) {
        case 'd': put_reg(g, s->op->d, s->dst); break;
        case 'e': put_reg(g, s->op->e, s->dst2); break;
        case 'x': put_value(g, &s->src[3]); break;
        default: put_value(g, &s->src[*t - 'a']); break;
        }
    }
    put(g, ";\n");
}

static inline const char *space_text(uint8_t space)
{
    switch (space) {
    case SPACE_GLOBAL: return ".global";
    case SPACE_SHARED: return ".shared";
    case SPACE_LOCAL: return ".local";
    case SPACE_CONST: return ".const";
    case SPACE_PARAM: return ".param";
    default: return "";
    }
}

static inline void put_address(struct kernel_gen *g, const struct stmt *s)
{
    put(g, "[");
    if (s->addr_cls) put_reg(g, s->addr_cls, s->addr);
    else put(g, "%s", s->name);
    if (s->offset) put(g, "+%d", s->offset);
    put(g, "]");
}

static inline void put_data(struct kernel_gen *g, const struct stmt *s)
{
    if (s->vec > 1) put(g, "{");
    for (unsigned i = 0; i < s->vec; i++) {
        if (i) put(g, ", ");
        put_reg(g, s->cls, s->data[i]);
    }
    if (s->vec > 1) put(g, "}");
}

static inline void print_access(struct kernel_gen *g, struct stmt *s)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    s->at = put_start(g, s);
    put(g, "%s%s%s%s.%s ", s->kind == ST_LOAD ? "ld" : "st", space_text(s->space), s->options, vectors[s->vec],
        s->type);
    if (s->kind == ST_LOAD) put_data(g, s), put(g, ", ");
    put_address(g, s);
    if (s->kind == ST_STORE) put(g, ", "), put_data(g, s);
    put(g, ";\n");
}

static inline void print_atom(struct kernel_gen *g, struct stmt *s)
{
    s->at = put_start(g, s);
    put(g, "%s%s.%s.%s ", s->has_result ? "atom" : "red", space_text(s->space), atom_forms[s->sub].name, s->type);
    if (s->has_result) put_reg(g, s->cls, s->dst), put(g, ", ");
    put_address(g, s);
    put(g, ", ");
    put_value(g, &s->src[0]);
    if (s->sub == ATOM_OF_CAS) put(g, ", "), put_value(g, &s->src[1]);
    put(g, ";\n");
}

static inline void print_bar(struct kernel_gen *g, struct stmt *s)
{
    static const char *const reductions[] = {"", "popc.u32", "and.pred", "or.pred"};
    s->at = put_start(g, s);
    if (s->sub == BAR_PLAIN) {
        put(g, "bar.sync %u;\n", s->pred);
        return;
    }
    put(g, "bar.red.%s ", reductions[s->sub]);
    put_reg(g, s->sub == BAR_POPC ? 'R' : 'P', s->dst);
    put(g, ", %u, %s", s->pred, s->guard_not ? "!" : "");
    put_value(g, &s->src[0]);
    put(g, ";\n");
}

static inline void print_warp(struct kernel_gen *g, struct stmt *s)
{
    static const char *const names[] = {
        "shfl.sync.up.b32",   "shfl.sync.down.b32", "shfl.sync.bfly.b32",   "shfl.sync.idx.b32",  "vote.sync.all.pred",
        "vote.sync.any.pred", "vote.sync.uni.pred", "vote.sync.ballot.b32", "match.any.sync.b32", "match.all.sync.b32",
        "match.any.sync.b64", "redux.sync.add.u32", "redux.sync.min.s32",   "redux.sync.max.u32", "redux.sync.and.b32",
        "redux.sync.or.b32",  "redux.sync.xor.b32", "activemask.b32",       "bar.warp.sync"};
    s->at = put_start(g, s);
    put(g, "%s ", names[s->sub]);
    if (s->sub == W_SYNC) {
        put(g, "0xffffffff;\n");
        return;
    }
    put_reg(g, s->sub >= W_ALL && s->sub <= W_UNI ? 'P' : 'R', s->dst);
    if (s->sub <= W_SHFL_IDX || s->sub == W_MATCH_ALL) put(g, "|"), put_reg(g, 'P', s->dst2);
    if (s->sub != W_ACTIVE) put(g, ", %s", s->guard_not ? "!" : ""), put_value(g, &s->src[0]);
    if (s->sub <= W_SHFL_IDX) put(g, ", "), put_value(g, &s->src[1]), put(g, s->sub == W_SHFL_UP ? ", 0x0" : ", 0x1f");
    put(g, s->sub == W_ACTIVE ? ";\n" : ", 0xffffffff;\n");
}

static inline void print_list(struct kernel_gen *g, const struct list *l);

/* An arm that ends with exit has no jump over the other one. */
static inline bool ends_with_exit(const struct list *l)
{
    const struct stmt *last = l->first;
    while (last && last->next) last = last->next;
    return last && last->kind == ST_EXIT && last->guard < 0;
}

/* The arm that comes first in the text is `body`, or with .inverted the other one. */
static inline void print_if(struct kernel_gen *g, struct stmt *s)
{
    const struct list *near = s->inverted ? &s->other : &s->body, *far = s->inverted ? &s->body : &s->other;
    uint32_t label = g->nlabel++;
    s->at = put_start(g, NULL);
    put(g, "@%s%%p%u bra F%u;\n", s->inverted ? "" : "!", s->pred, label);
    print_list(g, near);
    s->at_end = UINT32_MAX;
    if (far->first && !ends_with_exit(near)) {
        s->at_end = put_start(g, NULL);
        put(g, "bra%s J%u;\n", label % 2 ? ".uni" : "", label);
    }
    put(g, "F%u:\n", label);
    print_list(g, far);
    put(g, "J%u:\n", label);
}

static inline void put_test(struct kernel_gen *g, const char *how, unsigned p, unsigned count,
                            const struct value *trips, char to, uint32_t label)
{
    put_start(g, NULL);
    put(g, "setp.%s.u32 %%p%u, %%r%u, ", how, p, count);
    put_value(g, trips);
    put(g, ";\n");
    put_start(g, NULL);
    put(g, "@%%p%u bra %c%u;\n", p, to, label);
}

/* at_end: count = 0. Then, tested at the end: body, count++, compare, branch back; tested first: compare, branch out,
 * body, count++, jump back. `at` is the first of the three behind the body (two when tested first). */
static inline void print_loop(struct kernel_gen *g, struct stmt *s)
{
    unsigned d = s->depth, count = R_COUNT + d, p = P_LOOP + d;
    uint32_t label = g->nlabel++;
    g->loop_label[d] = label;
    s->at_end = put_start(g, NULL);
    put(g, "mov.u32 %%r%u, 0;\nL%u:\n", count, label);
    if (s->tested_first) put_test(g, "ge", p, count, &s->trips, 'E', label);
    print_list(g, &s->body);
    put(g, "N%u:\n", label);
    s->at = put_start(g, NULL);
    put(g, "add.u32 %%r%u, %%r%u, 1;\n", count, count);
    if (s->tested_first) put_start(g, NULL), put(g, "bra L%u;\n", label);
    else put_test(g, "lt", p, count, &s->trips, 'L', label);
    put(g, "E%u:\n", label);
}

static const char *const ways_out[] = {"exit", "ret", "bra DONE"};

static inline void print_stmt(struct kernel_gen *g, struct stmt *s)
{
    switch (s->kind) {
    case ST_OP: print_op(g, s); break;
    case ST_LOAD:
    case ST_STORE: print_access(g, s); break;
    case ST_ATOM: print_atom(g, s); break;
    case ST_IF: print_if(g, s); break;
    case ST_LOOP: print_loop(g, s); break;
    case ST_BAR: print_bar(g, s); break;
    case ST_WARP: print_warp(g, s); break;
    case ST_EXIT:
        s->at = put_start(g, s);
        put(g, "%s;\n", ways_out[s->sub]);
        break;
    default:
        s->at = put_start(g, s);
        put(g, "bra %c%u;\n", s->kind == ST_BREAK ? 'E' : 'N', g->loop_label[s->depth]);
        break;
    }
}

static inline void print_list(struct kernel_gen *g, const struct list *l)
{
    for (struct stmt *s = l->first; s; s = s->next) print_stmt(g, s);
}

static inline void put_words(struct kernel_gen *g, const char *head, const uint32_t *word, unsigned n)
{
    put(g, "%s[%u] = {", head, n);
    for (unsigned i = 0; i < n; i++) put(g, "%s0x%x", i ? ", " : "", word[i]);
    put(g, "};\n");
}

static inline void print_kernel(struct kernel_gen *g)
{
    g->length = 0;
    g->ninst = g->nlabel = 0;
    put(g, ".version 7.8\n.target sm_80\n.address_size 64\n");
    put_words(g, ".const .align 16 .b32 cb", g->consts, COUNT(g->consts));
    put_words(g, ".global .align 16 .b32 gv", g->var, COUNT(g->var));
    put(g, ".visible .entry k(.param .u64 in, .param .u64 own, .param .u64 word, .param .u64 longs, .param .u64 dump, "
           ".param .u64 sums)\n{\n");
    put(g, "    .reg .pred %%p<%d>;\n    .reg .b16 %%h<%d>;\n    .reg .b32 %%r<%d>;\n    .reg .b64 %%d<%d>;\n", P_END,
        DATA_H, R_END, D_END);
    put(g, "    .reg .f32 %%f<%d>;\n    .reg .f64 %%g<%d>;\n", DATA_F, DATA_G);
    put(g, "    .shared .align 16 .b8 sh[%d];\n    .local .align 16 .b8 loc[%d];\n", SHARED_BYTES, LOCAL_BYTES);
    print_list(g, &g->program);
    put(g, "DONE:\n");
    print_stmt(g, &g->last);
    put(g, "}\n");
}

#endif
