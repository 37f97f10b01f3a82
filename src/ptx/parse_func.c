/* parse_func.c - kernels and device functions: their heads, scopes and statements.
 *
 * A function may be declared before it is defined; both are the same struct func_info, so a
 * call can point at a function whose body comes later. The instructions of a body grow in
 * one array and move to the arena when the body ends; until then a label is an instruction
 * index, and cfg.c makes block indices of them. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- head ---- */

static void parse_formals(struct ptx_parser *p, uint8_t space, const char *what, struct ptx_var ***list,
                          uint32_t *count)
{
    struct ptx_var **v = NULL;
    uint32_t n = 0, cap = 0;
    while (!p->failed && !at_punct(p, ')')) {
        if (n == MAX_LIST) fail_at(p, &p->tok, "more than %d parameters", MAX_LIST);
        v = grow(p, v, n, &cap, sizeof *v);
        if (p->failed) break;
        v[n] = parse_formal(p, space, what);
        if (!v[n++] || !accept(p, ',')) break;
    }
    expect(p, ')', "after the parameters");
    *list = p->failed ? NULL : ARENA_ARRAY(&p->m->arena, struct ptx_var *, n);
    if (*list && n) memcpy(*list, v, n * sizeof *v);
    if (!*list) fail_memory(p);
    *count = n;
    free(v);
}

static uint32_t parse_product(struct ptx_parser *p)
{
    uint64_t product = 1;
    do product *= parse_size(p, UINT16_MAX, "a dimension");
    while (accept(p, ',') && product < UINT32_MAX);
    return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static void parse_cluster(struct ptx_parser *p, struct func_info *fi)
{
    unsigned i = 0;
    fi->f.cluster[1] = fi->f.cluster[2] = 1;
    do fi->f.cluster[i++] = (uint32_t)parse_size(p, UINT16_MAX, "a dimension");
    while (i < 3 && accept(p, ','));
}

/* The performance directives between the head and the body. */
static void parse_tuning(struct ptx_parser *p, struct func_info *fi)
{
    while (p->tok.kind == TOK_DOT) {
        struct token t = take(p);
        if (token_is(&t, ".maxntid") || token_is(&t, ".reqntid")) fi->f.max_threads = parse_product(p);
        else if (token_is(&t, ".reqnctapercluster")) parse_cluster(p, fi);
        else if (token_is(&t, ".explicitcluster")) fi->f.cluster[0] += !fi->f.cluster[0];
        else if (token_is(&t, ".maxclusterrank")) parse_size(p, UINT16_MAX, ".maxclusterrank");
        else if (token_is(&t, ".maxnreg")) fi->maxnreg = (uint32_t)parse_size(p, 1 << 16, ".maxnreg");
        else if (token_is(&t, ".minnctapersm") || token_is(&t, ".maxnctapersm"))
            parse_size(p, INT32_MAX, "a CTA count");
        else if (token_is(&t, ".pragma")) skip_to_semicolon(p);
        else if (!token_is(&t, ".noreturn"))
            fail_at(p, &t, "'%.*s' cannot stand before a function's body", (int)t.len, t.s);
    }
}

static struct func_info *function_named(struct ptx_parser *p, const struct token *name, bool is_kernel)
{
    struct symbol *y = name_find(p, name);
    if (y && y->kind == SYM_FUNC) {
        if (y->func->f.is_kernel != is_kernel) fail_at(p, name, "'%s' is both .entry and .func", y->func->f.name);
        return y->func;
    }
    y = name_declare(p, name, SYM_FUNC);
    struct func_info *fi = y ? ARENA_NEW(&p->m->arena, struct func_info) : NULL;
    if (!fi) {
        if (!p->failed) fail_memory(p);
        return NULL;
    }
    y->func = fi;
    fi->f.name = token_text(p, name);
    fi->f.is_kernel = is_kernel;
    fi->f.is_extern = true; /* until a body comes */
    fi->line = name->line;
    fi->col = name->col;
    *p->build->last = fi;
    p->build->last = &fi->next;
    return fi;
}

/* ---- scopes and statements ---- */

static void parse_target_list(struct ptx_parser *p, const struct token *label)
{
    struct target_list *list = ARENA_NEW(&p->m->arena, struct target_list);
    struct symbol *y = name_declare(p, label, SYM_TARGETS);
    if (!list || !y) {
        if (!p->failed) fail_memory(p);
        return;
    }
    y->targets = list;
    list->next = p->body.lists;
    p->body.lists = list;
    uint32_t first = p->body.nrefs;
    do {
        struct token t = take(p);
        if (t.kind != TOK_NAME) fail_at(p, &t, "expected a label");
        if (list->count++ == MAX_LIST) fail_at(p, &t, "more than %d branch targets", MAX_LIST);
        label_use(p, &t, NULL, false);
    } while (accept(p, ',') && !p->failed);
    expect(p, ';', "after the branch targets");
    list->at = p->failed ? NULL : ARENA_ARRAY(&p->m->arena, uint32_t, list->count);
    if (!list->at) fail_memory(p);
    for (uint32_t i = 0; i < list->count && !p->failed; i++) p->body.ref[first + i].at = &list->at[i];
}

static void parse_label(struct ptx_parser *p, const struct token *name)
{
    advance(p); /* the colon */
    if (accept_dot(p, ".branchtargets")) {
        parse_target_list(p, name);
    } else if (accept_dot(p, ".callprototype") || accept_dot(p, ".calltargets")) {
        name_declare(p, name, SYM_PROTOTYPE);
        skip_to_semicolon(p);
    } else {
        struct symbol *y = name_declare(p, name, SYM_LABEL);
        if (y) y->at = p->body.ninst;
    }
}

static void parse_body_directive(struct ptx_parser *p)
{
    struct token t = take(p);
    struct decl d = {.space = token_is(&t, ".shared")   ? PTX_SHARED
                              : token_is(&t, ".local")  ? PTX_LOCAL
                              : token_is(&t, ".param")  ? PTX_PARAM_LOCAL
                              : token_is(&t, ".global") ? PTX_GLOBAL
                              : token_is(&t, ".const")  ? PTX_CONST
                                                        : PTX_SPACE_NONE};
    if (token_is(&t, ".reg")) {
        parse_reg_decl(p);
    } else if (d.space) {
        parse_var_decl(p, d);
    } else if (token_is(&t, ".extern") && accept_dot(p, ".shared")) {
        parse_var_decl(p, (struct decl){.space = PTX_SHARED, .is_extern = true});
    } else if (token_is(&t, ".loc")) {
        parse_loc(p, t.line);
    } else if (token_is(&t, ".file")) {
        parse_file(p, t.line);
    } else if (token_is(&t, ".pragma")) {
        p->rolled = token_is(&p->tok, "\"nounroll\"");
        skip_to_semicolon(p);
    } else {
        fail_at(p, &t, "'%.*s' cannot stand inside a function", (int)t.len, t.s);
    }
}

/* Whether the name at the current token is followed by a colon. */
static bool at_label(const struct ptx_parser *p)
{
    if (p->tok.kind != TOK_NAME) return false;
    struct lexer ahead = p->lex;
    struct token next = lex_next(&ahead);
    return next.kind == TOK_PUNCT && next.punct == ':';
}

static void parse_scope(struct ptx_parser *p);

static void parse_statement(struct ptx_parser *p)
{
    if (at_punct(p, '{')) {
        parse_scope(p);
    } else if (p->tok.kind == TOK_DOT) {
        parse_body_directive(p);
    } else if (at_label(p)) {
        struct token name = take(p);
        parse_label(p, &name);
    } else if (!accept(p, ';')) {
        parse_instruction(p);
    }
}

/* '{' statements '}'. Variables of the .param space live as long as their scope. */
static void parse_scope(struct ptx_parser *p)
{
    uint32_t first_symbol = p->names.count, first_ref = p->body.nrefs;
    uint64_t frame = p->body.frame;
    expect(p, '{', "to begin a scope");
    scope_open(p);
    while (p->tok.kind != TOK_END && !at_punct(p, '}')) parse_statement(p);
    expect(p, '}', "to end a scope");
    scope_close(p, first_symbol, first_ref);
    p->body.frame = frame;
}

/* ---- body ---- */

/* Whether control can run past the last instruction: no instruction at all, a last one that
 * goes on, or a branch to a label at the end. */
static bool runs_off_end(const struct body *b)
{
    if (b->ninst == 0) return true;
    const struct ptx_inst *last = &b->inst[b->ninst - 1];
    bool ends =
        last->op == OP_BRA || last->op == OP_BRX || last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP;
    if (!ends || last->guard >= 0) return true;
    for (uint32_t i = 0; i < b->ninst; i++)
        if (b->inst[i].op == OP_BRA && b->inst[i].target == b->ninst) return true;
    for (const struct target_list *l = b->lists; l; l = l->next)
        for (uint32_t i = 0; i < l->count; i++)
            if (l->at[i] == b->ninst) return true;
    return false;
}

static void body_to_arena(struct ptx_parser *p, struct func_info *fi)
{
    struct body *b = &p->body;
    if (runs_off_end(b)) {
        b->inst = grow(p, b->inst, b->ninst, &b->inst_cap, sizeof *b->inst);
        if (p->failed) return;
        b->inst[b->ninst++] = (struct ptx_inst){.op = OP_RET, .guard = -1, .vec = 1, .line = p->tok.line};
    }
    struct ptx_inst *inst = ARENA_ARRAY(&p->m->arena, struct ptx_inst, b->ninst);
    struct ptx_reg *reg = ARENA_ARRAY(&p->m->arena, struct ptx_reg, b->nregs);
    if (!inst || !reg) {
        fail_memory(p);
        return;
    }
    memcpy(inst, b->inst, b->ninst * sizeof *inst);
    if (b->nregs) memcpy(reg, b->reg, b->nregs * sizeof *reg);
    fi->f.inst = fi->inst = inst;
    fi->f.ninst = b->ninst;
    fi->f.reg = reg;
    fi->f.nregs = b->nregs;
    fi->lists = b->lists;
    fi->defined = true;
    fi->f.is_extern = false;
}

/* The statements of a body, up to the brace that ends it. */
static void parse_body(struct ptx_parser *p, struct func_info *fi, const struct token *name)
{
    if (fi->defined) fail_at(p, &p->tok, "function '%s' already has a body", fi->f.name);
    expect(p, '{', "to begin the function's body");
    while (p->tok.kind != TOK_END && !at_punct(p, '}')) parse_statement(p);
    fi->text = name->s;
    fi->text_end = p->tok.s + 1;
    expect(p, '}', "to end the function's body");
}

/* Makes the formals visible in the scope of the body. */
static void declare_formals(struct ptx_parser *p, struct ptx_var **list, uint32_t count, const struct token *at)
{
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        struct token t = *at;
        t.s = list[i]->name;
        t.len = (uint32_t)strlen(list[i]->name);
        if (token_is(&t, "_")) continue; /* declarations without a body may leave names blank */
        struct symbol *y = name_declare(p, &t, SYM_VAR);
        if (y) y->var = list[i];
    }
}

static bool same_sizes(struct ptx_var **a, uint32_t na, struct ptx_var **b, uint32_t nb)
{
    if (na != nb) return false;
    for (uint32_t i = 0; i < na; i++)
        if (a[i]->bytes != b[i]->bytes) return false;
    return true;
}

/* Takes over the head just read, unless the function has a body already. */
static void adopt_head(struct ptx_parser *p, struct func_info *fi, const struct func_info *head,
                       const struct token *name)
{
    bool seen = fi->f.param != NULL;
    if (seen && !(same_sizes(fi->f.param, fi->f.nparams, head->f.param, head->f.nparams) &&
                  same_sizes(fi->f.ret, fi->f.nrets, head->f.ret, head->f.nrets))) {
        fail_at(p, name, "'%s' was declared with other parameters", fi->f.name);
        return;
    }
    if (fi->defined) return;
    fi->f.param = head->f.param;
    fi->f.nparams = head->f.nparams;
    fi->f.ret = head->f.ret;
    fi->f.nrets = head->f.nrets;
    fi->f.param_bytes = head->f.param_bytes;
    fi->f.frame_bytes = head->f.frame_bytes;
    if (head->f.max_threads) fi->f.max_threads = head->f.max_threads;
    if (head->f.cluster[0]) memcpy(fi->f.cluster, head->f.cluster, sizeof fi->f.cluster);
    if (head->maxnreg) fi->maxnreg = head->maxnreg;
}

static void body_reset(struct body *b, struct func_info *head)
{
    b->fi = head;
    b->nrefs = b->nregs = b->ninst = 0;
    b->lists = NULL;
    b->frame = b->declared = 0;
}

/* The body that begins at `brace` cannot be executed: the text goes on behind it, and the function stays refused. */
static void pass_over_body(struct ptx_parser *p, struct func_info *fi, const struct lexer *lex,
                           const struct token *brace)
{
    if (fi->defined || !refuse_function(p->m, &fi->f, p->e)) return;
    p->failed = false;
    p->nesting = 0;
    p->lex = *lex;
    p->tok = *brace;
    skip_braces(p);
    if (!p->failed) p->failed = refuse_body(p->build, fi) != 0;
}

void parse_function(struct ptx_parser *p, bool is_kernel)
{
    struct func_info head = {0}; /* a declaration after the body must not change the function */
    uint8_t space = is_kernel ? PTX_PARAM_KERNEL : PTX_PARAM_LOCAL;
    body_reset(&p->body, &head);
    p->at_loc = 0;
    accept_dot(p, ".noreturn");
    if (accept(p, '(')) parse_formals(p, space, "a function's return", &head.f.ret, &head.f.nrets);
    struct token name = take(p);
    if (name.kind != TOK_NAME) fail_at(p, &name, "expected the function's name");
    struct func_info *fi = p->failed ? NULL : function_named(p, &name, is_kernel);
    head.f.param = ARENA_NEW(&p->m->arena, struct ptx_var *); /* not NULL: a head was read */
    if (accept(p, '(')) parse_formals(p, space, "a function's parameter", &head.f.param, &head.f.nparams);
    parse_tuning(p, &head);
    if (p->failed || !fi) return;
    adopt_head(p, fi, &head, &name);
    p->body.fi = fi;

    uint32_t first_symbol = p->names.count;
    bool has_body = at_punct(p, '{');
    if (has_body && !fi->f.is_kernel && builtin_find(fi->f.name) >= 0) { /* the device's runtime: ours is used */
        skip_braces(p);
        return;
    }
    struct lexer lex = p->lex;
    struct token brace = p->tok;
    scope_open(p);
    if (has_body) {
        declare_formals(p, head.f.ret, head.f.nrets, &name);
        declare_formals(p, head.f.param, head.f.nparams, &name);
        parse_body(p, fi, &name);
    } else {
        expect(p, ';', "after a function's declaration");
    }
    scope_close(p, first_symbol, 0);
    if (has_body && p->failed) pass_over_body(p, fi, &lex, &brace);
    else if (has_body) body_to_arena(p, fi);
}
