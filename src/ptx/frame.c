/* frame.c - the frame of a function: where its registers lie, and which of them must begin as zero.
 *
 * PTX has a register for every value. If each had a place of its own, the frame of a warp would be many times what is
 * live in it, would not stay in the host's nearest cache, and would have to be cleared for each warp. So
 *   - registers that are read and written in one block only, written first, share places: a place is free again behind
 *     the last instruction of the block that names it;
 *   - only what some path may read before anything has written it is cleared (and all predicates, which are small).
 * Both are statements about one thread: lanes that are switched off may hold anything. A function with an instruction
 * that looks into the registers of other lanes (shuffles, matrices), or whose operands are not all in its lists, gets
 * places for all and is cleared as a whole. */
#include "ptx/exec_priv.h"
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

enum { SETS_MOST = 1 << 21 }; /* words of the sets: beyond that a function is cleared as a whole */
#define NOWHERE UINT32_MAX
#define SHARED  (UINT32_MAX - 1) /* named by more than one block */

static bool is_wide(uint8_t t) { return t == T_B64 || t == T_U64 || t == T_S64 || t == T_F64; }

/* Whether the instruction works lane by lane, on the registers of its operands. */
static bool is_plain(const struct ptx_inst *in)
{
    static lower_fn *const plain[] = {
        lower_lanes,    lower_mul,  lower_mad,   lower_mul24,   lower_mad24, lower_div,  lower_min,
        lower_max,      lower_rcp,  lower_rsqrt, lower_bfind,   lower_prmt,  lower_shf,  lower_lop3,
        lower_dot,      lower_slct, lower_logic, lower_carry,   lower_set,   lower_setp, lower_testp,
        lower_selp,     lower_mov,  lower_load,  lower_store,   lower_atom,  lower_cvta, lower_isspacep,
        lower_prefetch, lower_cvt,  lower_bar,   lower_nothing, lower_brx,   lower_nop,
    };
    lower_fn *f = ptx_opcodes[in->op].lower;
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (f == plain[i]) return true;
    return false;
}

/* ---- what is written before it is read ---- */

struct sets {
    uint32_t words;        /* of a set of registers */
    uint64_t *written;     /* by block: registers that every path to its beginning has written */
    uint64_t *now, *first; /* of one block; registers that may be read before they are written */
};

static bool has(const uint64_t *set, int32_t r) { return set[r / 64] >> (r % 64) & 1; }
static void put(uint64_t *set, int32_t r) { set[r / 64] |= UINT64_C(1) << (r % 64); }

/* Follows a block from what is written at its beginning (s->now) to its end. */
static void follow(const struct ptx_func *fn, const struct ptx_block *b, struct sets *s, bool note)
{
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ptx_inst *in = &fn->inst[i];
        unsigned n = note ? inst_reads(in, regs) : 0;
        for (unsigned k = 0; k < n; k++)
            if (!has(s->now, regs[k])) put(s->first, regs[k]);
        n = in->guard < 0 ? inst_writes(in, regs) : 0;
        for (unsigned k = 0; k < n; k++) put(s->now, regs[k]);
    }
}

/* What is written at the end of a block (s->now) is all that is sure at the beginning of block `to`. */
static bool meet(struct sets *s, uint32_t to)
{
    bool changed = false;
    if (to == PTX_NO_BLOCK) return false;
    uint64_t *w = s->written + (size_t)to * s->words;
    for (uint32_t i = 0; i < s->words; i++) {
        changed |= w[i] & ~s->now[i];
        w[i] &= s->now[i];
    }
    return changed;
}

static bool meet_successors(const struct ptx_func *fn, const struct ptx_block *b, struct sets *s)
{
    const struct ptx_inst *last = b->count ? &fn->inst[b->first + b->count - 1] : NULL;
    bool changed = meet(s, b->next); /* of a jump that is always taken this says too little, which does no harm */
    if (last && last->op == OP_BRA) changed |= meet(s, last->target);
    for (uint32_t i = 0; last && i < last->ntargets; i++) changed |= meet(s, last->targets[i]);
    return changed;
}

/* Fills s->first; false: no memory, or too much of it. */
static bool find_first_reads(const struct ptx_func *fn, struct sets *s)
{
    s->words = fn->nregs / 64 + 1;
    size_t all = (size_t)(fn->nblock + 2) * s->words;
    if (all > SETS_MOST || !(s->written = malloc(all * sizeof *s->written))) return false;
    memset(s->written, 255, all * sizeof *s->written);
    s->now = s->written + (size_t)fn->nblock * s->words;
    s->first = s->now + s->words;
    memset(s->first, 0, s->words * sizeof *s->first);
    if (fn->nblock) memset(s->written, 0, s->words * sizeof *s->written);
    for (bool changed = true, note = false; changed || !note;) {
        note = !changed;
        changed = false;
        for (uint32_t b = 0; b < fn->nblock; b++) {
            memcpy(s->now, s->written + (size_t)b * s->words, s->words * sizeof *s->now);
            follow(fn, &fn->block[b], s, note);
            changed |= meet_successors(fn, &fn->block[b], s);
        }
    }
    return true;
}

/* ---- places ---- */

struct places {
    struct xfunc *f;
    uint64_t at;                 /* end of the frame so far */
    uint32_t *block;             /* by register: the only block that names it; SHARED; NOWHERE: none does */
    uint32_t *last;              /* by register: the last instruction of the block that names it */
    uint32_t *spare[2];          /* places that are free, of 32 and of 64 bits */
    uint32_t freed[2], taken[2]; /* how many have been freed and taken again: the one free longest is taken */
};

static uint32_t take_place(struct places *p, bool wide)
{
    if (p->taken[wide] < p->freed[wide]) return p->spare[wide][p->taken[wide]++];
    uint32_t at = (uint32_t)p->at;
    p->at += wide ? SLOT64 : SLOT32;
    return at;
}

/* The registers that an instruction names, each once for each time. */
static unsigned names_of(const struct ptx_inst *in, int32_t regs[2 * MAX_INST_REGS])
{
    unsigned n = inst_writes(in, regs);
    return n + inst_reads(in, regs + n);
}

static void find_blocks(const struct ptx_func *fn, struct places *p)
{
    int32_t regs[2 * MAX_INST_REGS];
    for (uint32_t i = 0; i < fn->nregs; i++) p->block[i] = NOWHERE;
    for (uint32_t b = 0; b < fn->nblock; b++)
        for (uint32_t i = fn->block[b].first; i < fn->block[b].first + fn->block[b].count; i++) {
            unsigned n = names_of(&fn->inst[i], regs);
            for (unsigned k = 0; k < n; k++) {
                uint32_t *of = &p->block[regs[k]];
                *of = *of == NOWHERE || *of == b ? b : SHARED;
                p->last[regs[k]] = i;
            }
        }
}

/* The registers of one block get places, which are free again behind the last instruction that names them. */
static void place_block(const struct ptx_func *fn, uint32_t b, struct places *p)
{
    int32_t regs[2 * MAX_INST_REGS];
    for (uint32_t i = fn->block[b].first; i < fn->block[b].first + fn->block[b].count; i++) {
        unsigned n = names_of(&fn->inst[i], regs);
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (p->block[r] == b && p->f->reg[r] == NOWHERE) p->f->reg[r] = take_place(p, is_wide(fn->reg[r].type));
        }
        for (unsigned k = 0; k < n; k++) {
            int32_t r = regs[k];
            if (p->block[r] != b || p->last[r] != i) continue;
            bool wide = is_wide(fn->reg[r].type);
            p->spare[wide][p->freed[wide]++] = p->f->reg[r];
            p->block[r] = NOWHERE; /* an instruction may name it twice */
        }
    }
}

/* Places for all registers but predicates, which have theirs. `first`: registers that may be read first; NULL: all. */
static bool place_all(struct places *p, const uint64_t *first)
{
    const struct ptx_func *fn = p->f->fn;
    uint32_t *m = malloc((4 * (size_t)fn->nregs + 1) * sizeof *m);
    if (!m) return false;
    p->block = m;
    p->last = m + fn->nregs;
    p->spare[0] = p->last + fn->nregs;
    p->spare[1] = p->spare[0] + fn->nregs;
    find_blocks(fn, p);
    for (uint32_t i = 0; i < fn->nregs; i++) {
        if (fn->reg[i].type == T_PRED || p->f->reg[i]) p->block[i] = SHARED; /* has its place */
        else if (first && !has(first, (int32_t)i) && p->block[i] < SHARED) p->f->reg[i] = NOWHERE;
        else p->block[i] = SHARED, p->f->reg[i] = take_place(p, is_wide(fn->reg[i].type));
    }
    for (uint32_t b = 0; first && b < fn->nblock; b++) place_block(fn, b, p);
    free(m);
    return true;
}

/* ---- */

/* Notes the places that must be cleared; NULL as `first`: all of them, in one piece. */
static bool note_cleared(struct lower *L, const uint64_t *first, uint32_t preds)
{
    struct xfunc *f = L->f;
    f->cleared = first ? preds : f->reg_bytes;
    if (!first) return true;
    f->clear = ARENA_ARRAY(&L->img->arena, struct cleared_place, f->fn->nregs + 1);
    if (!f->clear) return false;
    for (uint32_t i = 0; i < f->fn->nregs; i++) {
        uint8_t type = f->fn->reg[i].type;
        if (type == T_PRED || !has(first, (int32_t)i)) continue;
        f->clear[f->nclear++] = (struct cleared_place){f->reg[i], is_wide(type) ? SLOT64 : SLOT32};
    }
    return true;
}

int frame_lay_out(struct lower *L)
{
    struct xfunc *f = L->f;
    const struct ptx_func *fn = f->fn;
    struct sets s = {0};
    uint64_t preds = 0;
    bool plain = true;
    f->reg = ARENA_ARRAY(&L->img->arena, ref, fn->nregs + 1);
    if (!f->reg) return wl_fail(L->e, WL_ERUN, "out of memory");
    for (uint32_t i = 0; i < fn->nregs; i++)
        if (fn->reg[i].type == T_PRED) f->reg[i] = (uint32_t)(4 * preds++);
    for (uint32_t i = 0; i < fn->ninst && plain; i++) plain = is_plain(&fn->inst[i]);
    plain = plain && find_first_reads(fn, &s);
    int rc = plain ? copies_find(L, s.first) : 0;
    struct places p = {.f = f, .at = (4 * preds + 63) / 64 * 64};
    uint32_t begin = (uint32_t)p.at;
    bool placed = place_all(&p, plain ? s.first : NULL);
    if (p.at < SLOT64) p.at = SLOT64; /* an operand that an operation has not got points at the beginning */
    f->reg_bytes = (uint32_t)p.at;
    placed = placed && note_cleared(L, plain ? s.first : NULL, begin);
    free(s.written);
    if (rc) return rc;
    if (!placed) return wl_fail(L->e, WL_ERUN, "out of memory");
    if (p.at > INT32_MAX)
        return wl_fail(L->e, WL_EINPUT, "%s: function %s has too many registers", L->img->mod->file, fn->name);
    return 0;
}
