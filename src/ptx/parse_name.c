/* parse_name.c - names, scopes and labels.
 *
 * One chained hash table holds every visible name; a new declaration goes to the head of
 * its bucket and so shadows an older one. The declarations are also kept in order, so
 * closing a scope removes the newest ones, each from the head of its bucket.
 *
 * ".reg .b32 %r<100000>" is one symbol. A register of such a range gets its number when it
 * is first used, so numbers are dense however many were declared.
 *
 * Labels may be used before they are declared, and a label of an inner scope hides one
 * outside. A use is therefore kept until its scope closes: if the name is a label by then,
 * it is that one; if not, the use belongs to the scope around it. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static uint32_t hash_name(const char *s, size_t len)
{
    uint64_t h = hash_bytes(WL_HASH_INIT, s, len);
    return (uint32_t)(h ^ h >> 32);
}

static struct symbol *find(const struct names *n, const char *s, uint32_t len)
{
    if (!n->nbuckets) return NULL;
    uint32_t hash = hash_name(s, len);
    struct symbol *y = n->bucket[hash & (n->nbuckets - 1)];
    while (y && !(y->hash == hash && y->len == len && memcmp(y->name, s, len) == 0)) y = y->chain;
    return y;
}

struct symbol *name_find(const struct ptx_parser *p, const struct token *t) { return find(&p->names, t->s, t->len); }

static bool rehash(struct names *n)
{
    uint32_t size = n->nbuckets ? n->nbuckets * 2 : 256;
    struct symbol **bucket = calloc(size, sizeof *bucket);
    if (!bucket) return false;
    free(n->bucket);
    n->bucket = bucket;
    n->nbuckets = size;
    for (uint32_t i = 0; i < n->count; i++) { /* oldest first: the newest ends at the head */
        struct symbol *y = n->stack[i], **head = &bucket[y->hash & (size - 1)];
        y->chain = *head;
        *head = y;
    }
    return true;
}

struct symbol *name_declare(struct ptx_parser *p, const struct token *t, enum symbol_kind kind)
{
    struct names *n = &p->names;
    if (p->failed) return NULL;
    struct symbol *old = name_find(p, t);
    if (old && old->depth == p->depth) {
        fail_at(p, t, "'%.*s' is already declared on line %u", (int)t->len, t->s, old->line);
        return NULL;
    }
    n->stack = grow(p, n->stack, n->count, &n->cap, sizeof *n->stack);
    struct symbol *y = ARENA_NEW(&p->m->arena, struct symbol);
    if (p->failed) return NULL;
    if (!y || (n->count >= n->nbuckets && !rehash(n))) {
        fail_memory(p);
        return NULL;
    }
    *y = (struct symbol){.name = t->s,
                         .len = t->len,
                         .hash = hash_name(t->s, t->len),
                         .kind = (uint8_t)kind,
                         .depth = p->depth,
                         .line = t->line,
                         .reg = -1};
    struct symbol **head = &n->bucket[y->hash & (n->nbuckets - 1)];
    y->chain = *head;
    *head = y;
    n->stack[n->count++] = y;
    return y;
}

void names_free(struct names *n)
{
    free(n->bucket);
    free(n->stack);
    free(n->slot);
    memset(n, 0, sizeof *n);
}

/* ---- registers ---- */

static uint32_t slot_hash(const struct symbol *range, uint32_t index)
{
    uint64_t x = (uint64_t)(uintptr_t)range + index * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(splitmix64(&x) >> 32);
}

/* The slot of (range, index), or the empty one where it belongs. */
static struct regs_slot *slot_at(const struct names *n, const struct symbol *range, uint32_t index)
{
    uint32_t i = slot_hash(range, index) & (n->nslots - 1);
    while (n->slot[i].range && !(n->slot[i].range == range && n->slot[i].index == index)) i = (i + 1) & (n->nslots - 1);
    return &n->slot[i];
}

static bool slots_grow(struct names *n)
{
    struct names bigger = {.nslots = n->nslots ? n->nslots * 2 : 256};
    bigger.slot = calloc(bigger.nslots, sizeof *bigger.slot);
    if (!bigger.slot) return false;
    for (uint32_t i = 0; i < n->nslots; i++)
        if (n->slot[i].range) *slot_at(&bigger, n->slot[i].range, n->slot[i].index) = n->slot[i];
    free(n->slot);
    n->slot = bigger.slot;
    n->nslots = bigger.nslots;
    return true;
}

/* A register of 128 bits is two of 64, the lower half first. */
int32_t register_new(struct ptx_parser *p, const struct token *t, uint8_t type)
{
    struct body *b = &p->body;
    if (type == T_B128) {
        int32_t low = register_new(p, t, T_B64);
        return low >= 0 && register_new(p, t, T_B64) >= 0 ? low : -1;
    }
    b->reg = grow(p, b->reg, b->nregs, &b->reg_cap, sizeof *b->reg);
    char *name = p->failed ? NULL : token_text(p, t);
    if (!name) return -1;
    b->reg[b->nregs] = (struct ptx_reg){.name = name, .type = type};
    return (int32_t)b->nregs++;
}

static int32_t range_register(struct ptx_parser *p, const struct token *t, const struct symbol *range, uint32_t index)
{
    struct names *n = &p->names;
    if (n->used * 2 >= n->nslots && !slots_grow(n)) {
        fail_memory(p);
        return -1;
    }
    struct regs_slot *slot = slot_at(n, range, index);
    if (slot->range) return slot->reg;
    int32_t reg = register_new(p, t, range->type);
    if (reg < 0) return -1;
    *slot = (struct regs_slot){.range = range, .index = index, .reg = reg};
    n->used++;
    return reg;
}

/* The innermost range that has t: every split of it into a prefix and a number counts,
 * since %r1<20> declares %r10 as %r<20> does. */
static const struct symbol *find_range(const struct ptx_parser *p, const struct token *t, uint32_t *index)
{
    const struct symbol *best = NULL;
    uint64_t value = 0, scale = 1;
    for (uint32_t cut = t->len; cut > 1 && t->len - cut < 7;) {
        char c = t->s[--cut];
        if (c < '0' || c > '9') break;
        value += (uint64_t)(c - '0') * scale;
        scale *= 10;
        if (c == '0' && t->len - cut > 1) continue; /* %r007 is not %r7 */
        const struct symbol *y = find(&p->names, t->s, cut);
        if (!y || y->kind != SYM_REGS || value >= y->count || (best && best->depth >= y->depth)) continue;
        best = y;
        *index = (uint32_t)value;
    }
    return best;
}

int32_t name_register(struct ptx_parser *p, const struct token *t, uint8_t *type)
{
    uint32_t index = 0;
    const struct symbol *y = name_find(p, t), *range = find_range(p, t, &index);
    if (range && (!y || y->depth < range->depth)) {
        *type = range->type;
        return range_register(p, t, range, index);
    }
    if (!y || y->kind != SYM_REG) return -1;
    *type = y->type;
    return y->reg;
}

/* ---- scopes and labels ---- */

void scope_open(struct ptx_parser *p)
{
    if (++p->depth > MAX_NESTING) fail_at(p, &p->tok, "braces are nested more than %d deep", MAX_NESTING);
}

static void label_bind(struct ptx_parser *p, const struct label_ref *r, const struct symbol *y)
{
    struct body *b = &p->body;
    if (r->wants_list != (y->kind == SYM_TARGETS)) {
        fail_at(p, &r->name,
                r->wants_list ? "'%.*s' is a label; brx.idx needs the name of a .branchtargets list"
                              : "'%.*s' is a .branchtargets list; a branch needs a label",
                (int)r->name.len, r->name.s);
    } else if (r->wants_list) {
        b->inst[r->inst].targets = y->targets->at;
        b->inst[r->inst].ntargets = y->targets->count;
    } else if (r->at) {
        *r->at = y->at;
    } else {
        b->inst[r->inst].target = y->at;
    }
}

/* Binds the label uses of the scope that closes; the others stay for the scope around it. */
static void labels_settle(struct ptx_parser *p, uint32_t first_ref)
{
    struct body *b = &p->body;
    uint32_t kept = first_ref;
    for (uint32_t i = first_ref; i < b->nrefs && !p->failed; i++) {
        struct label_ref *r = &b->ref[i];
        const struct symbol *y = name_find(p, &r->name);
        if (y && (y->kind == SYM_LABEL || y->kind == SYM_TARGETS)) label_bind(p, r, y);
        else if (p->depth > 1) b->ref[kept++] = *r;
        else
            fail_at(p, &r->name, "label '%.*s' is not defined in this function%s", (int)r->name.len, r->name.s,
                    name_hint(p, &r->name, 1u << (r->wants_list ? SYM_TARGETS : SYM_LABEL)));
    }
    b->nrefs = kept;
}

void scope_close(struct ptx_parser *p, uint32_t first_symbol, uint32_t first_ref)
{
    labels_settle(p, first_ref);
    struct names *n = &p->names;
    while (n->count > first_symbol) {
        struct symbol *y = n->stack[--n->count];
        n->bucket[y->hash & (n->nbuckets - 1)] = y->chain;
    }
    p->depth--;
}

void label_use(struct ptx_parser *p, const struct token *t, uint32_t *at, bool wants_list)
{
    struct body *b = &p->body;
    b->ref = grow(p, b->ref, b->nrefs, &b->ref_cap, sizeof *b->ref);
    if (p->failed) return;
    b->ref[b->nrefs++] = (struct label_ref){.name = *t, .at = at, .inst = b->ninst, .wants_list = wants_list};
}

const char *name_hint(struct ptx_parser *p, const struct token *t, unsigned kinds)
{
    enum { TRIED = 256 };
    const char *candidate[TRIED];
    unsigned count = 0;
    for (uint32_t i = p->names.count; i > 0 && count < TRIED; i--) {
        const struct symbol *y = p->names.stack[i - 1];
        if (!(kinds >> y->kind & 1)) continue;
        const char *copy = arena_strndup(&p->m->arena, y->name, y->len);
        if (copy) candidate[count++] = copy;
    }
    if (kinds >> SYM_REG & 1)
        for (uint32_t i = p->body.nregs; i > 0 && count < TRIED; i--) candidate[count++] = p->body.reg[i - 1].name;
    char *word = token_text(p, t);
    const char *near = word ? wl_nearest(word, candidate, count) : NULL;
    const char *text = near ? arena_printf(&p->m->arena, " (did you mean '%.60s'?)", near) : NULL;
    return text ? text : "";
}
