/* parse_operand.c - registers, literals, special registers, addresses and vectors.
 *
 * Every operand is read with the type its place in the instruction asks for, so a literal
 * gets its bits and a register is checked here, where the caret can point at it. A predicate
 * never stands for data, nor the reverse, and a register is as wide as its type - or wider
 * where PTX allows that (ld, st, cvt) - so the executor need not look again. */
#include "ptx/parse.h"

#include <string.h>

/* ---- special registers ---- */

/* clang-format off */
static const struct { const char *name; uint8_t sreg; bool xyz; } sregs[] = {
    {"%tid", SREG_TID_X, true}, {"%ntid", SREG_NTID_X, true}, {"%ctaid", SREG_CTAID_X, true},
    {"%nctaid", SREG_NCTAID_X, true}, {"%laneid", SREG_LANEID, false}, {"%warpid", SREG_WARPID, false},
    {"%nwarpid", SREG_NWARPID, false}, {"%smid", SREG_SMID, false}, {"%nsmid", SREG_NSMID, false},
    {"%gridid", SREG_GRIDID, false}, {"%lanemask_eq", SREG_LANEMASK_EQ, false},
    {"%lanemask_le", SREG_LANEMASK_LE, false}, {"%lanemask_lt", SREG_LANEMASK_LT, false},
    {"%lanemask_ge", SREG_LANEMASK_GE, false}, {"%lanemask_gt", SREG_LANEMASK_GT, false},
    {"%clock", SREG_CLOCK, false}, {"%clock64", SREG_CLOCK64, false}, {"%globaltimer", SREG_GLOBALTIMER, false},
    {"%clock_hi", SREG_CLOCK_HI, false}, {"%globaltimer_lo", SREG_GLOBALTIMER_LO, false},
    {"%globaltimer_hi", SREG_GLOBALTIMER_HI, false}, {"%aggr_smem_size", SREG_TOTAL_SMEM_SIZE, false},
    {"%dynamic_smem_size", SREG_DYNAMIC_SMEM_SIZE, false}, {"%total_smem_size", SREG_TOTAL_SMEM_SIZE, false},
    {"WARP_SZ", SREG_WARP_SZ, false}, {"%clusterid", SREG_CLUSTERID_X, true},
    {"%nclusterid", SREG_NCLUSTERID_X, true}, {"%cluster_ctaid", SREG_CLUSTER_CTAID_X, true},
    {"%cluster_nctaid", SREG_CLUSTER_NCTAID_X, true}, {"%cluster_ctarank", SREG_CLUSTER_CTARANK, false},
    {"%cluster_nctarank", SREG_CLUSTER_NCTARANK, false},
    {"%is_explicit_cluster", SREG_IS_EXPLICIT_CLUSTER, false}, {"%envreg1", SREG_ENVREG1, false},
    {"%envreg2", SREG_ENVREG2, false}, {"%reserved_smem_offset_begin", SREG_RESERVED_BEGIN, false},
    {"%reserved_smem_offset_end", SREG_RESERVED_END, false}, {"%reserved_smem_offset_cap", SREG_RESERVED_CAP, false},
    {"%reserved_smem_offset_0", SREG_RESERVED_0, false}, {"%reserved_smem_offset_1", SREG_RESERVED_1, false},
    {"%current_graph_exec", SREG_GRIDID, false},
};
/* clang-format on */

/* Performance counters, which count nothing, and what a driver leaves in %envreg0 to 31: 0, as the grid's number. */
static bool is_empty_register(const struct token *t)
{
    bool counter = t->len >= 4 && memcmp(t->s, "%pm", 3) == 0 && t->s[3] >= '0' && t->s[3] <= '7';
    if (counter) return t->len == 4 || (t->len == 7 && memcmp(t->s + 4, "_64", 3) == 0);
    if (t->len < 8 || t->len > 9 || memcmp(t->s, "%envreg", 7) != 0) return false;
    unsigned number = 0;
    for (uint32_t i = 7; i < t->len; i++) {
        if (t->s[i] < '0' || t->s[i] > '9') return false;
        number = 10 * number + (unsigned)(t->s[i] - '0');
    }
    return number < 32;
}

/* Whether t names a special register; reads its .x .y .z. */
static bool special_register(struct ptx_parser *p, const struct token *t, struct ptx_operand *o)
{
    size_t n = sizeof sregs / sizeof *sregs, i = 0;
    while (i < n && !token_is(t, sregs[i].name)) i++;
    if (i == n && !is_empty_register(t)) return false;
    if (i == n) {
        *o = (struct ptx_operand){.kind = OPND_SREG, .sreg = SREG_GRIDID, .reg = -1};
        return true;
    }
    o->kind = OPND_SREG;
    o->sreg = sregs[i].sreg;
    if (!sregs[i].xyz) return true;
    struct token part = p->tok;
    if (part.kind == TOK_DOT && part.len == 2 && part.s[1] >= 'x' && part.s[1] <= 'z') {
        o->sreg = (uint8_t)(o->sreg + (part.s[1] - 'x'));
        advance(p);
    } else {
        fail_at(p, t, "%s is used one part at a time: %s.x, %s.y or %s.z", sregs[i].name, sregs[i].name, sregs[i].name,
                sregs[i].name);
    }
    return true;
}

/* ---- registers ---- */

static void check_register(struct ptx_parser *p, const struct token *t, uint8_t have, enum ptx_type want,
                           enum width_rule rule)
{
    unsigned bytes = ptx_type_bytes(have), need = ptx_type_bytes(want);
    bool whole = have == T_B128 && want != T_B128; /* no part of 128 bits stands alone */
    if (rule == WIDTH_ADDRESS && bytes >= 4 && !whole) return;
    if (rule == WIDTH_ADDRESS)
        fail_at(p, t, "an address needs a register of 32 or 64 bits; '%.*s' is .%s", (int)t->len, t->s,
                ptx_type_name(have));
    else if ((have == T_PRED) != (want == T_PRED))
        fail_at(p, t, "'%.*s' is %s predicate; this operand is .%s", (int)t->len, t->s, have == T_PRED ? "a" : "not a",
                ptx_type_name(want));
    else if (bytes != need && !(rule == WIDTH_AT_LEAST && bytes > need && !whole))
        fail_at(p, t, "'%.*s' is .%s; this operand needs %u bits", (int)t->len, t->s, ptx_type_name(have), need * 8);
}

static void undeclared(struct ptx_parser *p, const struct token *t, const char *what, unsigned kinds)
{
    fail_at(p, t, "%s '%.*s' is not declared%s", what, (int)t->len, t->s, name_hint(p, t, kinds));
}

/* Both halves of a register of 128 bits, as a vector has its elements. */
static void both_halves(struct ptx_parser *p, struct ptx_operand *o, int32_t low)
{
    struct ptx_operand *half = ARENA_ARRAY(&p->m->arena, struct ptx_operand, 2);
    if (!half) {
        fail_memory(p);
        return;
    }
    half[0] = (struct ptx_operand){.kind = OPND_REG, .reg = low};
    half[1] = (struct ptx_operand){.kind = OPND_REG, .reg = low + 1};
    *o = (struct ptx_operand){.kind = OPND_VEC, .reg = -1, .vec = half, .nvec = 2};
}

static bool register_operand(struct ptx_parser *p, const struct token *t, struct ptx_operand *o, enum ptx_type want,
                             enum width_rule rule)
{
    uint8_t type = T_NONE;
    int32_t reg = name_register(p, t, &type);
    if (reg < 0) return false;
    o->kind = OPND_REG;
    o->reg = reg;
    check_register(p, t, type, want, rule);
    if (type == T_B128 && !p->failed) both_halves(p, o, reg);
    return true;
}

/* ---- variables ---- */

void note_extern(struct ptx_parser *p, const struct ptx_var *v, const struct ptx_func *f, const struct token *t)
{
    if (v && (!v->is_extern || v->space == PTX_SHARED)) return;
    if (f && !f->is_extern) return;
    struct extern_use *u = ARENA_NEW(&p->m->arena, struct extern_use);
    if (!u) {
        fail_memory(p);
        return;
    }
    *u = (struct extern_use){.var = v, .func = f, .name = *t, .user = p->depth ? p->body.fi : NULL};
    *p->extern_last = u;
    p->extern_last = &u->next;
}

/* The function now being read uses shared variable v: kernels that reach it need its bytes. */
static void note_shared(struct ptx_parser *p, const struct symbol *y)
{
    struct shared_var *s = y->shared;
    struct func_info *fi = p->body.fi;
    if (!s || s->last_user == fi) return;
    struct shared_use *u = ARENA_NEW(&p->m->arena, struct shared_use);
    if (!u) {
        fail_memory(p);
        return;
    }
    s->last_user = fi;
    *u = (struct shared_use){.var = s, .next = fi->shared};
    fi->shared = u;
}

static const struct ptx_var *variable_named(struct ptx_parser *p, const struct token *t)
{
    struct symbol *y = name_find(p, t);
    if (!y || y->kind != SYM_VAR) return NULL;
    note_extern(p, y->var, NULL, t);
    note_shared(p, y);
    return y->var;
}

/* "+ 4", "- 4", "+ -4" after a name; 0 when there is none. */
static uint64_t parse_offset(struct ptx_parser *p)
{
    if (!at_punct(p, '+') && !at_punct(p, '-')) return 0;
    struct token t = p->tok;
    struct constant c = parse_constant(p);
    if (c.is_float) fail_at(p, &t, "an offset must be an integer");
    return c.bits;
}

void parse_symbol_source(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type type)
{
    struct token t = p->tok;
    const struct ptx_var *v = t.kind == TOK_NAME ? variable_named(p, &t) : NULL;
    struct symbol *y = t.kind == TOK_NAME ? name_find(p, &t) : NULL;
    if (v || (y && y->kind == SYM_FUNC)) {
        advance(p);
        if (ptx_type_bytes(type) < 4) fail_at(p, &t, "an address does not fit in .%s", ptx_type_name(type));
        o->kind = v ? OPND_VAR : OPND_FUNC;
        o->var = v;
        o->func = v ? NULL : &y->func->f;
        if (!v) {
            y->func->f.address_taken = true;
            note_extern(p, NULL, o->func, &t);
        }
        o->reg = -1;
        o->imm = parse_offset(p);
    } else {
        parse_source(p, o, type, WIDTH_EXACT);
    }
}

/* ---- plain sources and destinations ---- */

void parse_source(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type type, enum width_rule rule)
{
    struct token t = p->tok;
    *o = (struct ptx_operand){.reg = -1};
    if (accept(p, '!')) {
        if (type != T_PRED) fail_at(p, &t, "'!' negates predicates only");
        o->negated = true;
        t = p->tok;
    }
    bool warp_size = t.kind == TOK_NAME && token_is(&t, "WARP_SZ");
    if (at_constant(p) && !warp_size) {
        struct constant c = parse_constant(p);
        o->kind = OPND_IMM;
        o->imm = constant_bits(p, c, type, &t);
        return;
    }
    if (t.kind != TOK_NAME) {
        fail_at(p, &t, "expected a register or a constant of type .%s", ptx_type_name(type));
        return;
    }
    advance(p);
    if (register_operand(p, &t, o, type, rule)) return;
    if (special_register(p, &t, o)) {
        if ((type == T_PRED) != (o->sreg == SREG_IS_EXPLICIT_CLUSTER))
            fail_at(p, &t, type == T_PRED ? "'%.*s' is not a predicate" : "'%.*s' is a predicate", (int)t.len, t.s);
        return;
    }
    undeclared(p, &t, "register", 1u << SYM_REG);
}

void parse_dest(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type type, enum width_rule rule)
{
    struct token t = take(p);
    *o = (struct ptx_operand){.reg = -1};
    if (t.kind != TOK_NAME) fail_at(p, &t, "expected a register for the result");
    else if (token_is(&t, "_")) o->kind = OPND_SINK;
    else if (!register_operand(p, &t, o, type, rule)) undeclared(p, &t, "register", 1u << SYM_REG);
}

void parse_vector(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type type, enum width_rule rule, bool dest)
{
    struct ptx_operand elem[PTX_MAX_VECTOR];
    uint8_t n = 0;
    *o = (struct ptx_operand){.kind = OPND_VEC, .reg = -1};
    expect(p, '{', "to begin a vector");
    do {
        if (n == PTX_MAX_VECTOR) {
            fail_at(p, &p->tok, "a vector has at most %d elements", PTX_MAX_VECTOR);
            return;
        }
        if (dest) parse_dest(p, &elem[n], type, rule);
        else parse_source(p, &elem[n], type, rule);
        n++;
    } while (accept(p, ',') && !p->failed);
    expect(p, '}', "to end a vector");
    struct ptx_operand *copy = p->failed ? NULL : ARENA_ARRAY(&p->m->arena, struct ptx_operand, n);
    if (!copy) {
        fail_memory(p);
        return;
    }
    memcpy(copy, elem, n * sizeof *elem);
    o->vec = copy;
    o->nvec = n;
}

/* ---- memory ---- */

static const char *space_name(uint8_t s)
{
    static const char *const names[] = {"generic", ".global", ".shared", ".local", ".const", "kernel .param", ".param"};
    return names[s];
}

/* Joins the space the instruction names with the variable's: a bare ld takes the variable's
 * own, and .param means the kernel's parameters or the function's frame. */
void check_space(struct ptx_parser *p, struct ptx_inst *in, const struct ptx_operand *o, const struct token *t)
{
    if (in->space == PTX_PARAM_LOCAL && !o->var && p->body.fi->f.is_kernel) in->space = PTX_PARAM_KERNEL;
    if (!o->var) return;
    bool param = in->space == PTX_PARAM_LOCAL || in->space == PTX_PARAM_KERNEL;
    bool var_param = o->var->space == PTX_PARAM_LOCAL || o->var->space == PTX_PARAM_KERNEL;
    if (in->space == PTX_SPACE_NONE || (param && var_param)) in->space = o->var->space;
    else if (in->space != o->var->space)
        fail_at(p, t, "'%s' is a %s variable, but the instruction names %s", o->var->name, space_name(o->var->space),
                space_name(in->space));
}

void parse_address(struct ptx_parser *p, struct ptx_inst *in, struct ptx_operand *o)
{
    *o = (struct ptx_operand){.kind = OPND_ADDR, .reg = -1};
    expect(p, '[', "to begin an address");
    struct token t = p->tok;
    if (t.kind == TOK_NAME) {
        advance(p);
        o->var = variable_named(p, &t);
        if (!o->var && !register_operand(p, &t, o, T_B64, WIDTH_ADDRESS))
            undeclared(p, &t, "register or variable", 1u << SYM_REG | 1u << SYM_VAR);
        o->kind = OPND_ADDR;
        o->imm = parse_offset(p);
    } else if (at_constant(p)) {
        struct constant c = parse_constant(p);
        if (c.is_float) fail_at(p, &t, "an address must be an integer");
        o->imm = c.bits;
    } else {
        fail_at(p, &t, "expected a register, a variable or a number as address");
    }
    expect(p, ']', "to end an address");
    if (!p->failed) check_space(p, in, o, &t);
}
