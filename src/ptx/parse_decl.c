/* parse_decl.c - registers, variables and formal parameters.
 *
 * A variable is placed as soon as it is read: .global and .const in the module's images,
 * .local and .param in the function's frames, kernel parameters in the parameter image.
 * Only .shared waits until all functions are known (module.c), because variables that no
 * kernel uses together may share their place. */
#include "ptx/parse.h"

#include <string.h>

#include "base/bits.h"

enum { MAX_DIMS = 8 };

enum ptx_type type_of_token(const struct token *t)
{
    static const struct {
        const char *name;
        uint8_t type;
    } types[] = {
        {".pred", T_PRED},   {".b8", T_B8},       {".b16", T_B16},   {".b32", T_B32},       {".b64", T_B64},
        {".b128", T_B128},   {".u8", T_U8},       {".u16", T_U16},   {".u32", T_U32},       {".u64", T_U64},
        {".s8", T_S8},       {".s16", T_S16},     {".s32", T_S32},   {".s64", T_S64},       {".f16", T_F16},
        {".f16x2", T_F16X2}, {".bf16", T_BF16},   {".f32", T_F32},   {".f64", T_F64},       {".bf16x2", T_BF16X2},
        {".u16x2", T_U16X2}, {".s16x2", T_S16X2}, {".tf32", T_TF32}, {".e4m3x2", T_E4M3X2}, {".e5m2x2", T_E5M2X2},
    };
    if (t->kind == TOK_DOT)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (token_is(t, types[i].name)) return types[i].type;
    return T_NONE;
}

/* ---- .reg ---- */

static void declare_registers(struct ptx_parser *p, const struct token *name, uint8_t type)
{
    uint64_t count = 1;
    bool range = accept(p, '<');
    if (range) {
        count = parse_size(p, MAX_REGS, "the number of registers");
        expect(p, '>', "after the number of registers");
    }
    p->body.declared += count;
    if (p->body.declared > MAX_REGS) fail_at(p, name, "a function may declare at most %d registers", MAX_REGS);
    struct symbol *y = name_declare(p, name, range ? SYM_REGS : SYM_REG);
    if (!y) return;
    y->type = type;
    y->count = (uint32_t)count;
    if (!range) y->reg = register_new(p, name, type);
}

void parse_reg_decl(struct ptx_parser *p)
{
    struct token t = take(p);
    enum ptx_type type = type_of_token(&t);
    if (type == T_NONE) {
        fail_at(p, &t, "a register is .pred or has a type of 8, 16, 32, 64 or 128 bits, as in .reg .b32 %%r<8>;");
        return;
    }
    do {
        struct token name = take(p);
        if (name.kind != TOK_NAME) fail_at(p, &name, "expected the name of a register");
        else declare_registers(p, &name, (uint8_t)type);
    } while (accept(p, ','));
    expect(p, ';', "after a register declaration");
}

/* ---- variables ---- */

/* The name's [n][m]...; the number of elements, or 0 with *open set for "[]". */
static uint64_t parse_dims(struct ptx_parser *p, uint64_t *dim, unsigned *ndims, bool *open)
{
    uint64_t count = 1;
    *open = false;
    while (at_punct(p, '[') && !p->failed) {
        struct token t = take(p);
        if (*ndims == MAX_DIMS) {
            fail_at(p, &t, "an array may have at most %d dimensions", MAX_DIMS);
            return 0;
        }
        if (at_punct(p, ']') && *ndims == 0) *open = true;
        else dim[*ndims] = parse_size(p, UINT32_MAX, "an array's size");
        if (!*open && !p->failed && (__builtin_mul_overflow(count, dim[*ndims], &count) || count > UINT64_MAX / 64))
            fail_at(p, &t, "the array is larger than any memory");
        ++*ndims;
        expect(p, ']', "after an array's size");
    }
    return *open ? 0 : count;
}

/* Dots between the space and the name: .align n, .ptr and what follows it, vectors, the type. */
static unsigned parse_attributes(struct ptx_parser *p, struct decl *d)
{
    unsigned vec = 1;
    bool pointer = false; /* after .ptr a space and an .align describe what it points to */
    while (p->tok.kind == TOK_DOT) {
        struct token t = take(p);
        enum ptx_type type = type_of_token(&t);
        if (token_is(&t, ".align")) {
            struct token at = p->tok;
            uint64_t align = parse_size(p, MAX_ALIGN, "an alignment");
            if (!p->failed && !is_pow2(align)) fail_at(p, &at, "an alignment must be a power of two");
            if (!pointer) d->align = (uint32_t)align;
        } else if (token_is(&t, ".ptr")) {
            pointer = true;
        } else if (pointer && (token_is(&t, ".global") || token_is(&t, ".shared") || token_is(&t, ".const") ||
                               token_is(&t, ".local"))) {
            continue;
        } else if (token_is(&t, ".v2") || token_is(&t, ".v4")) {
            vec = (unsigned)(t.s[2] - '0');
        } else if (token_is(&t, ".texref") || token_is(&t, ".samplerref") || token_is(&t, ".surfref")) {
            d->is_opaque = true;
            d->is_texture = token_is(&t, ".texref");
            d->type = T_B64;
        } else if (token_is(&t, ".attribute")) {
            expect(p, '(', "after .attribute");
            while (p->tok.kind != TOK_END && !at_punct(p, ')')) advance(p);
            expect(p, ')', "after the attributes");
        } else if (type != T_NONE && type != T_PRED) {
            d->type = (uint8_t)type;
        } else {
            fail_at(p, &t, "'%.*s' cannot describe a variable", (int)t.len, t.s);
        }
    }
    return vec;
}

/* The next free place of v in a memory that is used up to *end. */
static void place_var(struct ptx_parser *p, struct ptx_var *v, uint64_t *end, uint64_t limit, const struct token *t)
{
    uint64_t at = (*end + v->align - 1) & ~((uint64_t)v->align - 1);
    if (v->bytes > limit || at > limit - v->bytes) {
        fail_at(p, t, "'%s' of %llu bytes does not fit: its memory is limited to %llu bytes", v->name,
                (unsigned long long)v->bytes, (unsigned long long)limit);
        return;
    }
    v->offset = at;
    *end = at + v->bytes;
}

static void add_shared(struct ptx_parser *p, struct ptx_var *v, const struct token *t)
{
    struct symbol *y = name_find(p, t);
    if (!y || y->shared) return;
    struct shared_var *s = ARENA_NEW(&p->m->arena, struct shared_var);
    if (!s) {
        fail_memory(p);
        return;
    }
    s->var = v;
    y->shared = s;
    *p->build->shared_last = s;
    p->build->shared_last = &s->next;
}

static void place(struct ptx_parser *p, struct ptx_var *v, const struct token *t)
{
    struct func_info *fi = p->body.fi;
    uint64_t unused = 0;
    switch (v->space) {
    case PTX_GLOBAL: place_var(p, v, &p->m->global_bytes, MAX_DATA_BYTES, t); break;
    case PTX_CONST: place_var(p, v, &p->m->const_bytes, MAX_DATA_BYTES, t); break;
    case PTX_LOCAL: place_var(p, v, &fi->f.local_bytes, MAX_LOCAL_BYTES, t); break;
    case PTX_SHARED:
        place_var(p, v, &unused, MAX_SHARED_BYTES, t); /* for its limit; module.c places it */
        add_shared(p, v, t);
        break;
    default:
        place_var(p, v, &p->body.frame, MAX_PARAM_BYTES, t);
        if (p->body.frame > fi->f.frame_bytes) fi->f.frame_bytes = p->body.frame;
    }
}

/* The variable named t: a new one, or the .extern one that this declaration defines. NULL
 * when it is defined already and this only declares it again, or on failure. */
static struct ptx_var *declare_var(struct ptx_parser *p, const struct token *t, const struct decl *d)
{
    struct symbol *y = name_find(p, t);
    if (y && y->depth == p->depth && y->kind == SYM_VAR && y->var->space == d->space &&
        (d->is_extern || y->var->is_extern)) {
        if (!y->var->is_extern) return NULL;
        y->var->is_extern = d->is_extern;
        return y->var;
    }
    y = name_declare(p, t, SYM_VAR);
    struct ptx_var *v = y ? ARENA_NEW(&p->m->arena, struct ptx_var) : NULL;
    if (!v) {
        if (!p->failed) fail_memory(p);
        return NULL;
    }
    y->var = v;
    v->name = token_text(p, t);
    v->space = d->space;
    v->is_extern = d->is_extern;
    if (p->depth == 0 || d->space == PTX_GLOBAL || d->space == PTX_CONST) { /* a function's own .global too */
        *p->build->var_last = v;
        p->build->var_last = &v->next;
    }
    return v;
}

/* Type, alignment and size from what was read; the variable is placed unless it is extern. */
static void complete_var(struct ptx_parser *p, struct ptx_var *v, const struct decl *d, uint64_t elements,
                         const struct token *t)
{
    unsigned elem = ptx_type_bytes(d->type);
    if (elem == 0) {
        fail_at(p, t, "variable '%s' needs a type", v->name);
        return;
    }
    v->type = d->type;
    v->is_texture = d->is_texture;
    v->align = d->align ? d->align : elem;
    if (__builtin_mul_overflow(elements, (uint64_t)elem, &v->bytes) || v->bytes > UINT64_MAX / 4)
        fail_at(p, t, "'%s' is larger than any memory", v->name);
}

static void parse_one_var(struct ptx_parser *p, struct decl *d, unsigned vec)
{
    struct token name = take(p);
    if (name.kind != TOK_NAME) {
        fail_at(p, &name, "expected the name of a variable");
        return;
    }
    uint64_t dim[MAX_DIMS + 1];
    unsigned ndims = 0;
    bool open;
    uint64_t count = parse_dims(p, dim, &ndims, &open);
    if (vec > 1) dim[ndims++] = vec, count *= vec;
    if (open && !d->is_extern) fail_at(p, &name, "an array without a size must be .extern");
    struct ptx_var *v = p->failed ? NULL : declare_var(p, &name, d);
    if (!v) return;
    complete_var(p, v, d, count, &name);
    if (p->failed) return;
    if (v->space == PTX_SHARED && v->is_extern) add_shared(p, v, &name);
    else if (!v->is_extern) place(p, v, &name);
    if (!accept(p, '=')) return;
    if (v->is_extern || (v->space != PTX_GLOBAL && v->space != PTX_CONST))
        fail_at(p, &name, "only .global and .const variables can have an initial value");
    else if (d->is_opaque) skip_braces(p);
    else if (!p->failed) parse_initialiser(p, v, dim, ndims);
}

void parse_var_decl(struct ptx_parser *p, struct decl d)
{
    unsigned vec = parse_attributes(p, &d);
    do parse_one_var(p, &d, vec);
    while (accept(p, ','));
    expect(p, ';', "after a variable declaration");
}

struct ptx_var *parse_formal(struct ptx_parser *p, uint8_t space, const char *what)
{
    struct decl d = {.space = space};
    struct token t = p->tok;
    if (!(t.kind == TOK_DOT && token_is(&t, ".param"))) {
        fail_at(p, &t, "%s must be .param; .reg parameters are not supported", what);
        return NULL;
    }
    advance(p);
    unsigned vec = parse_attributes(p, &d);
    struct token name = take(p);
    if (name.kind != TOK_NAME) {
        fail_at(p, &name, "expected the name of %s", what);
        return NULL;
    }
    uint64_t dim[MAX_DIMS + 1];
    unsigned ndims = 0;
    bool open;
    uint64_t count = parse_dims(p, dim, &ndims, &open) * vec;
    struct ptx_var *v = p->failed ? NULL : ARENA_NEW(&p->m->arena, struct ptx_var);
    if (!v) {
        if (!p->failed) fail_memory(p);
        return NULL;
    }
    v->name = token_text(p, &name);
    v->space = space;
    if (v->name) complete_var(p, v, &d, count, &name);
    if (p->failed) return NULL;
    if (space == PTX_PARAM_KERNEL) {
        place_var(p, v, &p->body.fi->f.param_bytes, MAX_PARAM_BYTES, &name);
    } else {
        place_var(p, v, &p->body.frame, MAX_PARAM_BYTES, &name);
        if (p->body.frame > p->body.fi->f.frame_bytes) p->body.fi->f.frame_bytes = p->body.frame;
    }
    return v;
}
