/* parse_words.c - see parse_words.h. */
#include "ptx/parse_words.h"

#include <string.h>

#include "ptx/opcodes.h"

static bool same(const struct token *t, const char *text)
{
    return t->len == strlen(text) + 1 && memcmp(t->s + 1, text, t->len - 1) == 0;
}

bool word_is(struct words *s, const char *text)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->used >> i & 1 || !same(&s->word[i], text)) continue;
        s->used |= 1u << i;
        return true;
    }
    return false;
}

bool word_begins(struct words *s, const char *text)
{
    size_t n = strlen(text);
    bool found = false;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->used >> i & 1 || s->word[i].len <= n || memcmp(s->word[i].s + 1, text, n) != 0) continue;
        s->used |= 1u << i;
        found = true;
    }
    return found;
}

bool word_one_of(struct words *s, const char *const *text, unsigned n, unsigned *which)
{
    for (*which = 0; *which < n; ++*which)
        if (word_is(s, text[*which])) return true;
    *which = 0;
    return false;
}

static enum ptx_type type_named(const struct token *t)
{
    static const struct {
        const char *name;
        uint8_t type;
    } more[] = {{"s4", T_S4}, {"u4", T_U4}, {"b1", T_B1}, {"e4m3", T_E4M3}, {"e5m2", T_E5M2}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (same(t, more[i].name)) return more[i].type;
    return type_of_token(t);
}

enum ptx_type word_type(struct words *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        enum ptx_type t = s->used >> i & 1 ? T_NONE : type_named(&s->word[i]);
        if (t == T_NONE) continue;
        s->used |= 1u << i;
        return t;
    }
    return T_NONE;
}

static bool number_after(const char **at, const char *end, char letter, uint16_t *out)
{
    const char *p = *at;
    unsigned v = 0;
    if (p == end || *p++ != letter || p == end || *p < '0' || *p > '9') return false;
    for (; p < end && *p >= '0' && *p <= '9' && v < 1000; p++) v = 10 * v + (unsigned)(*p - '0');
    *at = p;
    *out = (uint16_t)v;
    return true;
}

bool word_shape(struct words *s, uint16_t *m, uint16_t *n, uint16_t *k)
{
    for (unsigned i = 0; i < s->count; i++) {
        const char *at = s->word[i].s + 1, *end = s->word[i].s + s->word[i].len;
        *k = 0;
        if (s->used >> i & 1 || !number_after(&at, end, 'm', m) || !number_after(&at, end, 'n', n)) continue;
        if (at != end && !number_after(&at, end, 'k', k)) continue;
        if (at != end) continue;
        s->used |= 1u << i;
        return true;
    }
    return false;
}

void words_scopes(struct words *s)
{
    static const char *const text[] = {"relaxed", "acquire", "release", "acq_rel", "sc",  "weak",
                                       "cta",     "cluster", "gpu",     "sys",     "mmio"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) word_is(s, text[i]);
}

void words_hints(struct words *s, struct ptx_inst *in)
{
    if (word_is(s, "L2::cache_hint")) in->flags |= FLAG_POLICY;
    word_begins(s, "L1::");
    word_begins(s, "L2::");
}

uint8_t word_space(struct words *s, uint8_t otherwise)
{
    static const struct {
        const char *name;
        uint8_t space;
    } spaces[] = {{"global", PTX_GLOBAL},          {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED},
                  {"shared::cluster", PTX_SHARED}, {"local", PTX_LOCAL},   {"const", PTX_CONST}};
    for (unsigned i = 0; i < s->count; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
            if (!(s->used >> i & 1) && same(&s->word[i], spaces[k].name)) {
                s->used |= 1u << i;
                return spaces[k].space;
            }
    return otherwise;
}

/* ---- operands ---- */

void own_comma(struct ptx_parser *p, const struct ptx_inst *in)
{
    if (in->ndst + in->nsrc) expect(p, ',', "before the next operand");
}

static struct ptx_operand *room(struct ptx_parser *p, struct ptx_inst *in, bool dest)
{
    own_comma(p, in);
    if (dest ? in->ndst == PTX_MAX_DST : in->nsrc == PTX_MAX_SRC) fail_at(p, &p->tok, "too many operands");
    if (p->failed) return NULL;
    return dest ? &in->dst[in->ndst++] : &in->src[in->nsrc++];
}

void own_source(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t)
{
    struct ptx_operand *o = room(p, in, false);
    if (o) parse_source(p, o, t, WIDTH_EXACT);
}

void own_dest(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t)
{
    struct ptx_operand *o = room(p, in, true);
    if (o) parse_dest(p, o, t, WIDTH_EXACT);
}

void own_address(struct ptx_parser *p, struct ptx_inst *in, uint8_t space)
{
    struct ptx_operand *o = room(p, in, false);
    uint8_t first = in->space;
    if (!o) return;
    in->space = space;
    parse_address(p, in, o);
    o->space = in->space;
    in->space = first;
}

void own_vector(struct ptx_parser *p, struct ptx_inst *in, enum ptx_type t, unsigned n, bool dest)
{
    struct ptx_operand *o = room(p, in, dest);
    struct token at = p->tok;
    if (!o) return;
    if (at_punct(p, '{')) parse_vector(p, o, t, WIDTH_EXACT, dest);
    else if (dest) parse_dest(p, o, t, WIDTH_EXACT);
    else parse_source(p, o, t, WIDTH_EXACT);
    unsigned have = o->kind == OPND_VEC ? o->nvec : 1;
    if (!p->failed && have != n) fail_at(p, &at, "%u registers are needed here, not %u", n, have);
}

bool own_more(const struct ptx_parser *p) { return at_punct(p, ','); }

void own_policy(struct ptx_parser *p, struct ptx_inst *in)
{
    if (in->flags & FLAG_POLICY) own_source(p, in, T_B64);
}

/* ---- the instruction ---- */

void parse_own(struct ptx_parser *p, const struct token *op, struct ptx_inst *in)
{
    struct words s = {.p = p, .op = *op};
    while (p->tok.kind == TOK_DOT && !p->failed) {
        struct token t = take(p);
        if (s.count == MAX_WORDS) fail_at(p, &t, "too many modifiers");
        else s.word[s.count++] = t;
    }
    in->kind = ptx_opcodes[in->op].kind;
    switch (in->op) {
    case OP_MMA: parse_mma(&s, in); break;
    case OP_WMMA: parse_wmma(&s, in); break;
    case OP_WGMMA: parse_wgmma(&s, in); break;
    case OP_LDMATRIX:
    case OP_STMATRIX: parse_ldmatrix(&s, in); break;
    case OP_MOVMATRIX: parse_movmatrix(&s, in); break;
    case OP_CP: parse_cp(&s, in); break;
    case OP_MBARRIER: parse_mbarrier(&s, in); break;
    case OP_TENSORMAP: parse_tensormap(&s, in); break;
    default:
        if (!parse_video(&s, in)) parse_small(&s, in);
        break;
    }
    for (unsigned i = 0; i < s.count && !p->failed; i++)
        if (!(s.used >> i & 1))
            fail_at(p, &s.word[i], "%.*s has no modifier '%.*s' that this simulator knows", (int)op->len, op->s,
                    (int)s.word[i].len, s.word[i].s);
}
