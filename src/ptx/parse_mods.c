/* parse_mods.c - opcodes and their dotted modifiers.
 *
 * Two tables say everything. `modifiers` gives each dotted word a class (rounding, space,
 * comparison, ...) and the value it stands for; a word may belong to several classes, as .and
 * does for setp, atom and bar.red. The rows of opcodes.def give each opcode the classes it takes,
 * those it must have and the types it works on. An opcode's meaning is thus the product of a few
 * independent fields, never a list of forms. */
#include "ptx/opcodes.h"
#include "ptx/parse.h"

#include <string.h>

struct modifier {
    const char *text;
    uint64_t class;
    uint32_t value;
};

enum { BAR_RED = 100, BAR_WARP, BAR_AND, BAR_OR, BAR_POPC, BAR_CTA }; /* steps towards an enum ptx_bar */

/* clang-format off */
static const struct modifier modifiers[] = {
    {"rn", M_RND, RND_RN}, {"rz", M_RND, RND_RZ}, {"rm", M_RND, RND_RM}, {"rp", M_RND, RND_RP},
    {"rna", M_RND, RND_RNA}, {"relu", M_RELU, FLAG_RELU}, {"satfinite", M_SAT, FLAG_SATFINITE},
    {"xorsign", M_XORSIGN, FLAG_XORSIGN}, {"abs", M_XORSIGN, 0}, {"pack", M_PACK, 1},
    {"L2::cache_hint", M_POLICY, FLAG_POLICY},
    {"rni", M_RNDI, RND_RNI}, {"rzi", M_RNDI, RND_RZI}, {"rmi", M_RNDI, RND_RMI}, {"rpi", M_RNDI, RND_RPI},
    {"ftz", M_FTZ, FLAG_FTZ}, {"sat", M_SAT, FLAG_SAT}, {"approx", M_APPROX, FLAG_APPROX},
    {"full", M_APPROX, FLAG_FULL},
    {"hi", M_HALF, FLAG_HI}, {"lo", M_HALF, FLAG_LO}, {"wide", M_HALF, FLAG_WIDE}, {"cc", M_CC, FLAG_CC},
    {"uni", M_UNI, FLAG_UNI}, {"uni", M_VOTE, VOTE_UNI}, {"all", M_VOTE, VOTE_ALL}, {"any", M_VOTE, VOTE_ANY},
    {"ballot", M_VOTE, VOTE_BALLOT}, {"to", M_TO, FLAG_TO}, {"NaN", M_NAN, FLAG_NAN}, {"idx", M_IDX, 0},
    {"global", M_SPACE, PTX_GLOBAL}, {"shared", M_SPACE, PTX_SHARED}, {"local", M_SPACE, PTX_LOCAL},
    {"const", M_SPACE, PTX_CONST}, {"param", M_SPACE, PTX_PARAM_LOCAL}, {"shared::cta", M_SPACE, PTX_SHARED},
    {"shared::cluster", M_SPACE, PTX_SHARED}, {"param::entry", M_SPACE, PTX_PARAM_KERNEL},
    {"param::func", M_SPACE, PTX_PARAM_LOCAL},
    {"ca", M_CACHE, CACHE_CA}, {"cg", M_CACHE, CACHE_CG}, {"cs", M_CACHE, CACHE_CS}, {"lu", M_CACHE, CACHE_LU},
    {"cv", M_CACHE, CACHE_CV}, {"nc", M_CACHE, CACHE_NC}, {"wb", M_CACHE, CACHE_CA}, {"wt", M_CACHE, CACHE_CV},
    {"volatile", M_SEM, FLAG_VOLATILE}, {"mmio", M_SEM, FLAG_VOLATILE}, {"weak", M_SEM, 0},
    {"relaxed", M_SEM, FLAG_STRONG},
    {"acquire", M_SEM, FLAG_STRONG}, {"release", M_SEM, 0}, {"acq_rel", M_SEM, 0}, {"sc", M_SEM, 0},
    {"cta", M_SCOPE, 0}, {"cluster", M_SCOPE, 0}, {"gpu", M_SCOPE, 0}, {"gl", M_SCOPE, 0}, {"sys", M_SCOPE, 0},
    {"v2", M_VEC, 2}, {"v4", M_VEC, 4}, {"v8", M_VEC, 8}, {"noftz", M_HINT, 0}, {"proxy", M_HINT, 0},
    {"alias", M_HINT, 0}, {"tensormap", M_HINT, 0},
    {"aligned", M_HINT, 0},
    {"eq", M_CMP, CMP_EQ}, {"ne", M_CMP, CMP_NE}, {"lt", M_CMP, CMP_LT}, {"le", M_CMP, CMP_LE}, {"gt", M_CMP, CMP_GT},
    {"ge", M_CMP, CMP_GE}, {"lo", M_CMP, CMP_LO}, {"ls", M_CMP, CMP_LS}, {"hi", M_CMP, CMP_HI}, {"hs", M_CMP, CMP_HS},
    {"equ", M_CMP, CMP_EQU}, {"neu", M_CMP, CMP_NEU}, {"ltu", M_CMP, CMP_LTU}, {"leu", M_CMP, CMP_LEU},
    {"gtu", M_CMP, CMP_GTU}, {"geu", M_CMP, CMP_GEU}, {"num", M_CMP, CMP_NUM}, {"nan", M_CMP, CMP_NAN},
    {"and", M_BOOL, BOOL_AND}, {"or", M_BOOL, BOOL_OR}, {"xor", M_BOOL, BOOL_XOR},
    {"up", M_SHFL, SHFL_UP}, {"down", M_SHFL, SHFL_DOWN}, {"bfly", M_SHFL, SHFL_BFLY}, {"idx", M_SHFL, SHFL_IDX},
    {"add", M_ATOM, ATOM_ADD}, {"min", M_ATOM, ATOM_MIN}, {"max", M_ATOM, ATOM_MAX}, {"inc", M_ATOM, ATOM_INC},
    {"dec", M_ATOM, ATOM_DEC}, {"and", M_ATOM, ATOM_AND}, {"or", M_ATOM, ATOM_OR}, {"xor", M_ATOM, ATOM_XOR},
    {"exch", M_ATOM, ATOM_EXCH}, {"cas", M_ATOM, ATOM_CAS},
    {"sync", M_BAR, BAR_SYNC}, {"arrive", M_BAR, BAR_ARRIVE}, {"red", M_BAR, BAR_RED}, {"warp", M_BAR, BAR_WARP},
    {"and", M_BAR, BAR_AND}, {"or", M_BAR, BAR_OR}, {"popc", M_BAR, BAR_POPC}, {"cta", M_BAR, BAR_CTA},
    {"sync", M_SYNC, FLAG_SYNC}, {"l", M_DIR, SHF_L_WRAP}, {"r", M_DIR, SHF_R_WRAP},
    {"clamp", M_WRAP, 0}, {"wrap", M_WRAP, 1},
    {"f4e", M_PRMT, PRMT_F4E}, {"b4e", M_PRMT, PRMT_B4E}, {"rc8", M_PRMT, PRMT_RC8}, {"ecl", M_PRMT, PRMT_ECL},
    {"ecr", M_PRMT, PRMT_ECR}, {"rc16", M_PRMT, PRMT_RC16},
    {"finite", M_TESTP, TESTP_FINITE}, {"infinite", M_TESTP, TESTP_INFINITE}, {"number", M_TESTP, TESTP_NUMBER},
    {"notanumber", M_TESTP, TESTP_NOTANUMBER}, {"normal", M_TESTP, TESTP_NORMAL},
    {"subnormal", M_TESTP, TESTP_SUBNORMAL},
    {"1d", M_GEOM, TEX_1D}, {"2d", M_GEOM, TEX_2D}, {"3d", M_GEOM, TEX_3D}, {"a1d", M_GEOM, TEX_A1D},
    {"a2d", M_GEOM, TEX_A2D}, {"cube", M_GEOM, TEX_CUBE}, {"acube", M_GEOM, TEX_ACUBE},
    {"base", M_LEVEL, 0}, {"level", M_LEVEL, 1}, {"grad", M_LEVEL, 2},
    {"r", M_COMP, 0}, {"g", M_COMP, 1}, {"b", M_COMP, 2}, {"a", M_COMP, 3},
    {"L1", M_LEVEL, 0}, {"L2", M_LEVEL, LEVEL_L2}, {"shiftamt", M_SHIFTAMT, 1},
};
/* clang-format on */
enum { NMODIFIERS = sizeof modifiers / sizeof *modifiers };

/* ---- opcodes ---- */

/* Opcodes are few and the table is sorted but for a handful; a first-letter test makes the
 * linear search cheap. */
enum ptx_op find_op(const struct token *t)
{
    for (int op = 0; op < OP_COUNT; op++) {
        const char *name = ptx_op_name((enum ptx_op)op);
        if (name[0] == t->s[0] && token_is(t, name)) return (enum ptx_op)op;
    }
    return OP_COUNT;
}

const char *op_hint(struct ptx_parser *p, const struct token *t)
{
    const char *names[OP_COUNT];
    for (int op = 0; op < OP_COUNT; op++) names[op] = ptx_op_name((enum ptx_op)op);
    char *word = token_text(p, t);
    const char *near = word ? wl_nearest(word, names, OP_COUNT) : NULL;
    const char *text = near ? arena_printf(&p->m->arena, " (did you mean '%s'?)", near) : NULL;
    return text ? text : "";
}

/* ---- reading them ---- */

struct mods {
    uint64_t seen;
    unsigned ntypes;
    int bar, bar_red;
    uint8_t dir, wrap;
};

static const char *class_name(uint64_t class)
{
    switch (class) {
    case M_RND: return "a rounding mode (.rn .rz .rm .rp)";
    case M_HALF: return ".lo, .hi or .wide";
    case M_SPACE: return "a state space such as .global";
    case M_CMP: return "a comparison such as .lt";
    case M_SHFL: return ".up, .down, .bfly or .idx";
    case M_VOTE: return ".all, .any, .uni or .ballot";
    case M_ATOM: return "an operation such as .add";
    case M_BAR: return ".sync, .arrive or .red";
    case M_DIR: return ".l or .r";
    case M_WRAP: return ".wrap or .clamp";
    case M_TESTP: return "a property such as .finite";
    case M_GEOM: return ".1d, .2d, .3d, .a1d, .a2d, .cube or .acube";
    case M_COMP: return ".r, .g, .b or .a";
    case M_SYNC: return ".sync";
    case M_IDX: return ".idx";
    case M_VEC: return ".v4";
    case M_SCOPE: return ".cta, .gl or .sys";
    default: return "a modifier";
    }
}

static void apply_bar(struct mods *s, uint32_t value)
{
    if (value == BAR_AND || value == BAR_OR || value == BAR_POPC)
        s->bar_red = value == BAR_AND ? BAR_RED_AND : value == BAR_OR ? BAR_RED_OR : BAR_RED_POPC;
    else if (value != BAR_CTA && !(s->bar == BAR_WARP && value == BAR_SYNC)) s->bar = (int)value;
}

static void apply_modifier(const struct modifier *m, struct mods *s, struct ptx_inst *in)
{
    switch (m->class) {
    case M_RND:
    case M_RNDI: in->rnd = (uint8_t)m->value; break;
    case M_SPACE: in->space = (uint8_t)m->value; break;
    case M_CACHE: in->cop = (uint8_t)m->value; break;
    case M_VEC: in->vec = (uint8_t)m->value; break;
    case M_CMP: in->cmp = (uint8_t)m->value; break;
    case M_BOOL: in->boolop = (uint8_t)m->value; break;
    case M_SHFL:
    case M_VOTE:
    case M_ATOM:
    case M_PRMT:
    case M_TESTP:
    case M_GEOM:
    case M_PACK:
    case M_SHIFTAMT: in->mode = (uint8_t)m->value; break;
    case M_BAR: apply_bar(s, m->value); break;
    case M_LEVEL: in->cmp = (uint8_t)m->value; break;
    case M_COMP: in->boolop = (uint8_t)m->value; break;
    case M_DIR: s->dir = (uint8_t)m->value; break;
    case M_WRAP: s->wrap = (uint8_t)m->value; break;
    /* clang-format off */
    case M_FTZ: case M_SAT: case M_APPROX: case M_HALF: case M_CC: case M_UNI: case M_SEM: case M_SYNC: case M_TO:
    case M_NAN: case M_RELU: case M_XORSIGN: case M_POLICY:
        in->flags |= m->value;
        break;
    /* clang-format on */
    default: break; /* hints, scopes and levels change nothing the simulator models */
    }
}

/* Cache hints and prefetch sizes: .L1::evict_last, .L2::128B; .L2::cache_hint is a modifier of its own. */
static bool is_hint(const struct token *t)
{
    return t->len > 5 && (memcmp(t->s, ".L1::", 5) == 0 || memcmp(t->s, ".L2::", 5) == 0) &&
           !(t->len == 15 && memcmp(t->s + 5, "cache_hint", 10) == 0);
}

static void add_type(struct ptx_parser *p, const struct token *t, const struct token *op, const struct ptx_opcode *spec,
                     struct mods *s, struct ptx_inst *in, enum ptx_type type)
{
    if (s->ntypes == 2 && in->op == OP_CVT && in->mode && type == T_B32) { /* cvt.pack of three operands */
        in->boolop = 1;
        return;
    }
    uint32_t allowed = s->ntypes == 0 ? spec->types : s->ntypes == 1 ? spec->types2 : 0;
    if (!(allowed >> type & 1)) {
        fail_at(p, t, s->ntypes && !allowed ? "%.*s has too many types at '%.*s'" : "%.*s does not work on '%.*s'",
                (int)op->len, op->s, (int)t->len, t->s);
        return;
    }
    if (s->ntypes++ == 0) in->type = (uint8_t)type;
    else in->type2 = (uint8_t)type;
}

static void one_modifier(struct ptx_parser *p, const struct token *t, const struct token *op,
                         const struct ptx_opcode *spec, struct mods *s, struct ptx_inst *in)
{
    enum ptx_type type = type_of_token(t);
    uint64_t allowed = spec->mods | spec->needs;
    if (type != T_NONE) {
        add_type(p, t, op, spec, s, in, type);
        return;
    }
    if (is_hint(t) && allowed & M_HINT) {
        if (in->op == OP_PREFETCH && t->s[2] == '2') in->cmp = LEVEL_L2;
        return;
    }
    bool known = false;
    for (int i = 0; i < NMODIFIERS; i++) {
        const struct modifier *m = &modifiers[i];
        if (m->text[0] != t->s[1] || strlen(m->text) + 1 != t->len) continue;
        if (memcmp(m->text, t->s + 1, t->len - 1) != 0) continue;
        known = true;
        if (!(m->class & allowed)) continue;
        if (m->class & s->seen & ~(M_BAR | M_HINT | M_XORSIGN))
            fail_at(p, t, "'%.*s' contradicts an earlier modifier", (int)t->len, t->s);
        s->seen |= m->class;
        apply_modifier(m, s, in);
        return;
    }
    fail_at(p, t, known ? "%.*s does not take '%.*s'" : "%.*s has no modifier '%.*s' that this simulator knows",
            (int)op->len, op->s, (int)t->len, t->s);
}

/* Rules that join modifiers with types. */
static void check_combination(struct ptx_parser *p, const struct token *op, const struct mods *s, struct ptx_inst *in)
{
    bool is_float = ptx_is_float(in->type);
    bool integer_half = in->op == OP_MUL || in->op == OP_MAD;
    if (integer_half && is_float == ((s->seen & M_HALF) != 0))
        fail_at(p, op, is_float ? "%s.%s takes no .lo, .hi or .wide" : "%s.%s needs .lo, .hi or .wide",
                ptx_op_name(in->op), ptx_type_name(in->type));
    if (in->flags & FLAG_WIDE && (!integer_half || ptx_type_bytes(in->type) == 8))
        fail_at(p, op, "%s.%s has no .wide form", ptx_op_name(in->op), ptx_type_name(in->type));
    if (s->seen & (M_RND | M_APPROX) && !is_float && in->op != OP_CVT)
        fail_at(p, op, "only floating types are rounded");
    if (in->op == OP_CVT) {
        bool from_float = ptx_is_float(in->type2);
        unsigned to = ptx_type_bytes(in->type), from = ptx_type_bytes(in->type2);
        bool pairs = in->type2 == T_E4M3X2 || in->type2 == T_E5M2X2;
        if (from_float && !is_float && !(s->seen & M_RNDI))
            fail_at(p, op, "cvt from a float to an integer needs .rni, .rzi, .rmi or .rpi");
        if (is_float && (!from_float || to < from || pairs) && !(s->seen & M_RND))
            fail_at(p, op, "this cvt needs a rounding mode: .rn, .rz, .rm or .rp");
    }
    if (s->seen & M_XORSIGN && !(in->flags & FLAG_XORSIGN)) fail_at(p, op, "write .xorsign.abs");
    if (in->op == OP_VOTE && (in->mode == VOTE_BALLOT) != (in->type == T_B32))
        fail_at(p, op, "vote.ballot yields .b32, the other votes .pred");
    if (in->op == OP_RED && (in->mode == ATOM_EXCH || in->mode == ATOM_CAS))
        fail_at(p, op, "red has no .exch and no .cas; use atom");
}

static void settle_bar(struct ptx_parser *p, const struct token *op, const struct mods *s, struct ptx_inst *in)
{
    if ((s->bar == BAR_RED) != (s->bar_red >= 0) || s->bar < 0) {
        fail_at(p, op, "write bar.sync, bar.arrive, bar.warp.sync or bar.red with .and, .or or .popc");
        return;
    }
    in->mode = (uint8_t)(s->bar == BAR_RED ? s->bar_red : s->bar == BAR_WARP ? BAR_WARP_SYNC : s->bar);
    if (s->bar == BAR_RED && in->type != (in->mode == BAR_RED_POPC ? T_U32 : T_PRED))
        fail_at(p, op, "bar.red is .popc.u32, .and.pred or .or.pred");
}

void parse_modifiers(struct ptx_parser *p, const struct token *op, struct ptx_inst *in)
{
    const struct ptx_opcode *spec = &ptx_opcodes[in->op];
    struct mods s = {.bar = -1, .bar_red = -1};
    while (p->tok.kind == TOK_DOT && !p->failed) {
        struct token t = take(p);
        one_modifier(p, &t, op, spec, &s, in);
    }
    uint64_t missing = spec->needs & ~s.seen;
    if (missing) fail_at(p, op, "%.*s needs %s", (int)op->len, op->s, class_name(missing & (0 - missing)));
    bool is_bar = in->op == OP_BAR || in->op == OP_BARRIER;
    if (spec->types && s.ntypes == 0 && !is_bar && in->op != OP_NANOSLEEP)
        fail_at(p, op, "%.*s needs a type such as .%s", (int)op->len, op->s,
                ptx_type_name((enum ptx_type)__builtin_ctz(spec->types)));
    if (spec->types2 && s.ntypes == 1) fail_at(p, op, "%.*s needs a second type", (int)op->len, op->s);
    if (p->failed) return;
    if (in->op == OP_SHF)
        in->mode =
            (uint8_t)(s.dir == SHF_R_WRAP ? (s.wrap ? SHF_R_WRAP : SHF_R_CLAMP) : (s.wrap ? SHF_L_WRAP : SHF_L_CLAMP));
    if (in->op == OP_BMSK || in->op == OP_SZEXT) in->mode = s.wrap ? BMSK_WRAP : BMSK_CLAMP;
    if (is_bar) settle_bar(p, op, &s, in);
    check_combination(p, op, &s, in);
}
