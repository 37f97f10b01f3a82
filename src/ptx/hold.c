/* hold.c - see hold.h. */
#include "ptx/hold.h"

#include <stdlib.h>

#include "ptx/opcodes.h"

/* What is written to a register: nothing, something else than a parameter, or more than once; a parameter of one word,
 * of two; one that is held. */
enum { UNWRITTEN, OTHER, WORD, POINTER, HELD };

struct holder {
    struct repeated *r;
    uint8_t *is;                     /* by register: one of these */
    uint32_t *def;                   /* by register: the only instruction that writes it, plus one; 0: several */
    uint32_t *home, *next;           /* by register: the block where it begins; the next one that begins there */
    uint32_t *first_held;            /* by block: a register that begins there */
    uint32_t *idom, *order, *number; /* by block: graph_dominators */
    uint32_t *pred_first, *pred;
};

/* ---- which parameters ---- */

static bool loads_parameter(const struct ptx_inst *in)
{
    return in->op == OP_LD && in->space == PTX_PARAM_KERNEL && in->vec <= 1 && in->guard < 0 &&
           in->dst[0].kind == OPND_REG && in->dst[0].reg >= 0;
}

static void find_parameters(struct holder *h)
{
    const struct ptx_func *f = &h->r->fi.f;
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < h->r->fi.f.ninst; i++) {
        const struct ptx_inst *in = &h->r->inst[i];
        unsigned n = inst_writes(in, regs);
        for (unsigned k = 0; k < n; k++) {
            bool first = !h->is[regs[k]], wide = ptx_type_bytes((enum ptx_type)f->reg[regs[k]].type) > 4;
            h->def[regs[k]] = first ? i + 1 : 0;
            h->is[regs[k]] = !first || !loads_parameter(in) ? OTHER : wide ? POINTER : WORD;
        }
    }
}

static bool is_constant(const struct holder *h, const struct ptx_operand *o)
{
    if (o->kind == OPND_SREG)
        return (o->sreg >= SREG_NTID_X && o->sreg <= SREG_NTID_Z) ||
               (o->sreg >= SREG_NCTAID_X && o->sreg <= SREG_NCTAID_Z);
    return o->kind == OPND_IMM || (o->kind == OPND_REG && o->reg >= 0 && h->is[o->reg] == WORD);
}

/* The first word of each instruction that has one constant too many. A conversion has its operand in a register.
 */
static void hold_words(struct holder *h)
{
    for (uint32_t i = 0; i < h->r->fi.f.ninst; i++) {
        const struct ptx_inst *in = &h->r->inst[i];
        unsigned constants = in->nsrc == 1;
        int32_t first = -1;
        if (ptx_opcodes[in->op].kind != INST_ALU || in->op == OP_MOV || in->op == OP_CVTA) continue;
        for (unsigned k = 0; k < in->nsrc; k++) {
            if (!is_constant(h, &in->src[k])) continue;
            constants++;
            if (in->src[k].kind == OPND_REG && first < 0) first = in->src[k].reg;
        }
        if (first >= 0 && constants > 1) h->is[first] = HELD;
    }
}

static bool is_scaled_index(const struct holder *h, const struct ptx_operand *o)
{
    if (o->kind != OPND_REG || o->reg < 0 || !h->def[o->reg]) return false;
    const struct ptx_inst *in = &h->r->inst[h->def[o->reg] - 1];
    return in->op == OP_MUL && in->flags & FLAG_WIDE;
}

static bool copies_pointer(const struct holder *h, const struct ptx_inst *in)
{
    return in->op == OP_CVTA && in->guard < 0 && in->src[0].kind == OPND_REG && in->src[0].reg >= 0 &&
           h->def[in->src[0].reg] && loads_parameter(&h->r->inst[h->def[in->src[0].reg] - 1]);
}

/* The parameter of two words that the operand is; -1: none. */
static int32_t pointer_of(const struct holder *h, const struct ptx_operand *o)
{
    int32_t v = o->kind == OPND_REG ? o->reg : -1;
    if (v >= 0 && h->def[v] && copies_pointer(h, &h->r->inst[h->def[v] - 1])) v = h->r->inst[h->def[v] - 1].src[0].reg;
    return v >= 0 && h->def[v] && loads_parameter(&h->r->inst[h->def[v] - 1]) ? v : -1;
}

/* A sum in a loop has its base from the held pair, those outside from one of their own. */
static void hold_base(struct holder *h, struct ptx_inst *in)
{
    for (int k = 0; k < 2; k++) {
        int32_t v = pointer_of(h, &in->src[k]);
        if (v < 0 || !is_scaled_index(h, &in->src[1 - k])) continue;
        h->is[v] = HELD;
        in->src[k].reg = v;
        return;
    }
}

static void hold_pointers(struct holder *h)
{
    const struct func_info *fi = &h->r->fi;
    for (uint32_t b = 0; b < fi->f.nblock; b++) {
        if (h->number[b] == PTX_NO_BLOCK || fi->block_loop[b] == UINT16_MAX) continue;
        for (uint32_t i = fi->block[b].first; i < fi->block[b].first + fi->block[b].count; i++)
            if (h->r->inst[i].op == OP_ADD && h->r->inst[i].nsrc == 2) hold_base(h, &h->r->inst[i]);
    }
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        struct ptx_inst *in = &h->r->inst[i];
        if (!copies_pointer(h, in) || h->is[in->src[0].reg] != HELD) continue;
        in->op = OP_MOV; /* of a constant: as without the other */
        in->src[0] = (struct ptx_operand){.kind = OPND_IMM, .reg = -1};
    }
}

/* ---- where they begin ---- */

static uint32_t common_dominator(const struct holder *h, uint32_t a, uint32_t b)
{
    while (a != b)
        if (h->number[a] > h->number[b]) a = h->idom[a];
        else b = h->idom[b];
    return a;
}

static void find_homes(struct holder *h)
{
    const struct func_info *fi = &h->r->fi;
    int32_t regs[MAX_INST_REGS];
    for (uint32_t b = 0; b < fi->f.nblock; b++) {
        if (h->number[b] == PTX_NO_BLOCK) continue;
        for (uint32_t i = fi->block[b].first; i < fi->block[b].first + fi->block[b].count; i++) {
            unsigned n = inst_reads(&h->r->inst[i], regs);
            for (unsigned k = 0; k < n; k++) {
                uint32_t *home = &h->home[regs[k]];
                if (h->is[regs[k]] == HELD) *home = *home == PTX_NO_BLOCK ? b : common_dominator(h, *home, b);
            }
        }
    }
    for (uint32_t v = 0; v < fi->f.nregs; v++) {
        uint32_t home = h->home[v];
        if (home == PTX_NO_BLOCK) continue;
        while (home && fi->block_loop[home] != UINT16_MAX) home = h->idom[home];
        h->next[v] = h->first_held[home];
        h->first_held[home] = v;
    }
}

/* ---- the copy ---- */

/* A value that has an instruction to make it; of what it is made does not matter to registers. */
static struct ptx_inst beginning_of(const struct ptx_func *f, uint32_t reg)
{
    struct ptx_inst in = {.op = OP_MOV, .type = f->reg[reg].type, .guard = -1, .ndst = 1, .nsrc = 1};
    in.dst[0] = (struct ptx_operand){.kind = OPND_REG, .reg = (int32_t)reg};
    in.src[0] = (struct ptx_operand){.kind = OPND_SREG, .reg = -1, .sreg = SREG_TID_X};
    return in;
}

/* Where the text loads them an empty instruction stays, so that no block is without one. */
static bool rewrite(struct holder *h)
{
    struct repeated *r = h->r;
    struct ptx_func *f = &r->fi.f;
    struct ptx_inst *inst = calloc((size_t)f->ninst + f->nregs + 1, sizeof *inst);
    uint32_t n = 0;
    if (!inst) return false;
    for (uint32_t b = 0; b < f->nblock; b++) {
        uint32_t from = r->block[b].first, end = from + r->block[b].count;
        r->block[b].first = n;
        for (uint32_t v = h->first_held[b]; v != PTX_NO_BLOCK; v = h->next[v]) inst[n++] = beginning_of(f, v);
        for (uint32_t i = from; i < end; i++) {
            const struct ptx_inst *in = &r->inst[i];
            bool moved = loads_parameter(in) && h->is[in->dst[0].reg] == HELD;
            inst[n++] = moved ? (struct ptx_inst){.op = OP_MOV, .type = in->type, .guard = -1} : *in;
        }
        r->block[b].count = n - r->block[b].first;
    }
    free(r->inst);
    f->inst = r->fi.inst = r->inst = inst;
    f->ninst = n;
    return true;
}

static bool hold(struct holder *h)
{
    const struct func_info *fi = &h->r->fi;
    struct flow_graph g = {fi->f.nblock, fi->succ_first, fi->succ, h->pred_first, h->pred};
    graph_reverse(fi->f.nblock, fi->succ_first, fi->succ, h->pred_first, h->pred);
    for (uint32_t b = 0; b < fi->f.nblock; b++) h->first_held[b] = PTX_NO_BLOCK;
    for (uint32_t v = 0; v < fi->f.nregs; v++) h->home[v] = PTX_NO_BLOCK;
    find_parameters(h);
    if (graph_dominators(&g, 0, h->idom, h->order, h->number) < 0) return false;
    hold_words(h);
    hold_pointers(h);
    find_homes(h);
    return rewrite(h);
}

bool hold_parameters(struct repeated *r)
{
    size_t nblock = r->fi.f.nblock, nregs = r->fi.f.nregs;
    struct holder h = {.r = r, .is = calloc(nregs + 1, 1)};
    uint32_t *w = calloc(3 * nregs + 5 * nblock + 1 + r->fi.succ_first[nblock], sizeof *w);
    bool done = w && h.is;
    if (done) {
        h.home = w;
        h.next = h.home + nregs;
        h.def = h.next + nregs;
        h.first_held = h.def + nregs;
        h.idom = h.first_held + nblock;
        h.order = h.idom + nblock;
        h.number = h.order + nblock;
        h.pred_first = h.number + nblock;
        h.pred = h.pred_first + nblock + 1;
        done = hold(&h);
    }
    free(w);
    free(h.is);
    return done;
}
