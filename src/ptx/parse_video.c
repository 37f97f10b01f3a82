/* parse_video.c - words and operands of video instructions (video.h). */
#include "ptx/video.h"

#include "ptx/parse_words.h"

static const struct {
    uint8_t opcode, op, count;
} families[] = {
    {OP_VADD, VIDEO_ADD, 1},          {OP_VSUB, VIDEO_SUB, 1},          {OP_VABSDIFF, VIDEO_ABSDIFF, 1},
    {OP_VMIN, VIDEO_MIN, 1},          {OP_VMAX, VIDEO_MAX, 1},          {OP_VSHL, VIDEO_SHL, 1},
    {OP_VSHR, VIDEO_SHR, 1},          {OP_VMAD, VIDEO_MAD, 1},          {OP_VSET, VIDEO_SET, 1},
    {OP_VADD2, VIDEO_ADD, 2},         {OP_VSUB2, VIDEO_SUB, 2},         {OP_VAVRG2, VIDEO_AVERAGE, 2},
    {OP_VABSDIFF2, VIDEO_ABSDIFF, 2}, {OP_VMIN2, VIDEO_MIN, 2},         {OP_VMAX2, VIDEO_MAX, 2},
    {OP_VSET2, VIDEO_SET, 2},         {OP_VADD4, VIDEO_ADD, 4},         {OP_VSUB4, VIDEO_SUB, 4},
    {OP_VAVRG4, VIDEO_AVERAGE, 4},    {OP_VABSDIFF4, VIDEO_ABSDIFF, 4}, {OP_VMIN4, VIDEO_MIN, 4},
    {OP_VMAX4, VIDEO_MAX, 4},         {OP_VSET4, VIDEO_SET, 4},
};

/* ---- selectors ---- */

/* The digits of a selector such as .b3210, the last one first; 0: it is none of that letter, or a digit is too large.
 */
static unsigned digits_of(const struct token *t, char letter, unsigned largest, uint8_t out[4])
{
    if (t->len < 3 || t->len > 6 || t->s[1] != letter) return 0;
    unsigned n = t->len - 2;
    for (unsigned i = 0; i < n && i < 4; i++) {
        char c = t->s[t->len - 1 - i];
        if (c < '0' || c > '0' + (int)largest) return 0;
        out[i] = (uint8_t)(c - '0');
    }
    return n;
}

/* .b0 to .b3, .h0, .h1 behind a scalar operand; false: there is none. */
static bool scalar_part(struct ptx_parser *p, struct video_part *part, unsigned base)
{
    uint8_t digit[4];
    if (p->tok.kind != TOK_DOT) return false;
    struct token t = take(p);
    unsigned bits = t.len > 1 && t.s[1] == 'h' ? 16 : 8;
    if (digits_of(&t, bits == 16 ? 'h' : 'b', 32 / bits - 1, digit) != 1)
        fail_at(p, &t, "part '%.*s' is none of .b0 .b1 .b2 .b3 .h0 .h1", (int)t.len, t.s);
    else *part = (struct video_part){(uint8_t)(base + digit[0] * bits), (uint8_t)bits};
    return true;
}

/* Behind an operand of a SIMD instruction: which parts of b:a take part. */
static void simd_parts(struct ptx_parser *p, struct video_part *part, unsigned count)
{
    uint8_t digit[4];
    unsigned bits = 32 / count;
    if (p->tok.kind != TOK_DOT) return;
    struct token t = take(p);
    if (digits_of(&t, count == 2 ? 'h' : 'b', 2 * count - 1, digit) != count) {
        fail_at(p, &t, "'%.*s' does not choose %u parts: write %s", (int)t.len, t.s, count,
                count == 2 ? ".h10 or other digits up to 3" : ".b3210 or other digits up to 7");
        return;
    }
    for (unsigned i = 0; i < count; i++) part[i].shift = (uint8_t)(digit[i] * bits);
}

/* Behind the destination of a SIMD instruction: the parts it writes, in falling order. */
static void simd_mask(struct ptx_parser *p, struct ptx_video *v)
{
    uint8_t digit[4];
    if (p->tok.kind != TOK_DOT) return;
    struct token t = take(p);
    unsigned n = digits_of(&t, v->count == 2 ? 'h' : 'b', v->count - 1u, digit);
    v->mask = 0;
    for (unsigned i = 0; i < n; i++) v->mask |= (uint8_t)(1u << digit[i]);
    for (unsigned i = 1; i < n; i++)
        if (digit[i] <= digit[i - 1]) n = 0;
    if (!n)
        fail_at(p, &t, "'%.*s' is no mask of parts: write them in falling order, as in %s", (int)t.len, t.s,
                v->count == 2 ? ".h10" : ".b3210");
}

/* ---- words ---- */

static void read_types(struct words *s, struct ptx_video *v)
{
    bool *const to[] = {&v->signed_d, &v->signed_a, &v->signed_b};
    for (unsigned i = v->op == VIDEO_SET; i < 3; i++) {
        enum ptx_type t = word_type(s);
        if (t != T_U32 && t != T_S32)
            fail_at(s->p, &s->op, "%.*s needs %s types, each .u32 or .s32", (int)s->op.len, s->op.s,
                    v->op == VIDEO_SET ? "two" : "three");
        *to[i] = t == T_S32;
    }
    if ((v->op == VIDEO_SHL || v->op == VIDEO_SHR) && v->signed_b) fail_at(s->p, &s->op, "a shift amount is .u32");
}

static void read_words(struct words *s, struct ptx_video *v)
{
    static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge"}, *const seconds[] = {"add", "min", "max"};
    unsigned which;
    read_types(s, v);
    if (v->op != VIDEO_SET) v->sat = word_is(s, "sat");
    if (v->op == VIDEO_SET) {
        if (!word_one_of(s, cmps, 6, &which))
            fail_at(s->p, &s->op, "%.*s needs a comparison such as .lt", (int)s->op.len, s->op.s);
        v->cmp = (uint8_t)(CMP_EQ + which);
    }
    if (v->op == VIDEO_SHL || v->op == VIDEO_SHR) {
        v->wrap = word_is(s, "wrap");
        if (!v->wrap && !word_is(s, "clamp"))
            fail_at(s->p, &s->op, "%.*s needs .clamp or .wrap", (int)s->op.len, s->op.s);
    }
    if (v->op == VIDEO_MAD) {
        v->plus_one = word_is(s, "po");
        v->scale = word_is(s, "shr7") ? 7 : word_is(s, "shr15") ? 15 : 0;
    } else if (word_one_of(s, seconds, v->count > 1 ? 1 : 3, &which)) {
        v->second = (uint8_t)(SECOND_ADD + which);
    }
    if (v->count > 1 && v->sat && v->second != SECOND_MERGE)
        fail_at(s->p, &s->op, "%.*s has .sat or .add, not both", (int)s->op.len, s->op.s);
}

/* ---- operands ---- */

/* A source with its sign; vmad only may have one. */
static bool signed_source(struct ptx_parser *p, struct ptx_inst *in, const struct ptx_video *v)
{
    own_comma(p, in);
    struct token t = p->tok;
    bool negative = v->op == VIDEO_MAD && accept(p, '-');
    if (negative && v->plus_one) fail_at(p, &t, "with .po no operand is negated");
    if (p->failed || in->nsrc == PTX_MAX_SRC) return false;
    parse_source(p, &in->src[in->nsrc++], T_B32, WIDTH_EXACT);
    return negative;
}

static void parse_operands(struct ptx_parser *p, struct ptx_inst *in, struct ptx_video *v)
{
    bool simd = v->count > 1, merge = false;
    own_dest(p, in, T_B32);
    if (simd) simd_mask(p, v);
    else if (v->op != VIDEO_MAD) merge = scalar_part(p, &v->d[0], 0);
    struct token t = p->tok;
    v->negate_product = signed_source(p, in, v);
    if (simd) simd_parts(p, v->a, v->count);
    else scalar_part(p, &v->a[0], 0);
    v->negate_product ^= signed_source(p, in, v);
    if (simd) simd_parts(p, v->b, v->count);
    else scalar_part(p, &v->b[0], 32);
    if (merge && v->second != SECOND_MERGE) fail_at(p, &t, "a part is written, or a second operation done, not both");
    if (simd || merge || v->op == VIDEO_MAD || v->second != SECOND_MERGE) v->negate_c = signed_source(p, in, v);
    if (v->negate_product && v->negate_c) fail_at(p, &t, "the product or c may be negated, not both");
}

bool parse_video(struct words *s, struct ptx_inst *in)
{
    unsigned i = 0, n = sizeof families / sizeof *families;
    while (i < n && families[i].opcode != in->op) i++;
    if (i == n) return false;
    struct ptx_video *v = ARENA_NEW(&s->p->m->arena, struct ptx_video);
    if (!v) {
        fail_memory(s->p);
        return true;
    }
    unsigned count = families[i].count, bits = 32 / count;
    *v = (struct ptx_video){.op = families[i].op, .count = (uint8_t)count, .mask = (uint8_t)((1u << count) - 1)};
    for (unsigned k = 0; k < count; k++) {
        v->a[k] = v->d[k] = (struct video_part){(uint8_t)(k * bits), (uint8_t)bits};
        v->b[k] = (struct video_part){(uint8_t)(32 + k * bits), (uint8_t)bits};
    }
    in->video = v;
    in->type = T_U32;
    read_words(s, v);
    if (!s->p->failed) parse_operands(s->p, in, v);
    return true;
}
