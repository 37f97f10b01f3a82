/* codegen.c - the code table: what the timing half knows of a program.
 *
 * One entry per instruction, functions one after another, so an entry's index is also its
 * place in the pc space. The mapping follows the hardware's view: call plumbing through
 * .param variables is register moves, a kernel's ret is its end, a function's ret is a jump.
 *
 * Scoreboard registers. Ids need to be unique only among the frames a warp has open at once:
 * kernels all begin at 0, a function begins behind the widest of its callers. Where numbers
 * run out (CODE_IDS) they wrap, which can only make the scoreboard wait too long, never too
 * short. An entry names at most CODE_MAX_REGS registers, destinations first. Only products of matrices have more:
 * of their sources as many as fit are named, from the first of A to the last of C, so that a product waits for its
 * factors and for the one before it in a chain of sums. */
#include "ptx/assemble.h"
#include "ptx/async.h"
#include "ptx/converge.h"
#include "ptx/matrix.h"
#include "ptx/module.h"
#include "ptx/once.h"
#include "ptx/opcodes.h"
#include "ptx/yield.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_IDS = 60000, LEAST_SOURCES = 4 };

/* ---- what an instruction is to the machine ---- */

/* bar.sync a, b and bar.red a, b, p: the second operand is a thread count. */
static bool names_thread_count(const struct ptx_inst *in)
{
    unsigned predicates = in->mode == BAR_RED_AND || in->mode == BAR_RED_OR || in->mode == BAR_RED_POPC;
    return in->nsrc >= 2 + predicates;
}

static uint8_t memory_space(const struct ptx_inst *in)
{
    switch (in->space) {
    case PTX_SHARED: return SPACE_SHARED;
    case PTX_LOCAL: return SPACE_LOCAL;
    case PTX_CONST: return SPACE_CONST;
    case PTX_PARAM_KERNEL: return SPACE_PARAM;
    case PTX_SPACE_NONE: return SPACE_GENERIC;
    default: return SPACE_GLOBAL;
    }
}

static bool is_texture(const struct ptx_inst *in) { return in->op == OP_TEX || in->op == OP_TLD4; }

/* The opcode's kind, or what its modifiers make of it. */
static uint8_t inst_kind(const struct ptx_func *f, const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    if (ptx_opcodes[in->op].mods & M_OWN) return in->kind;
    switch (kind) {
    case INST_EXIT: return in->op == OP_RET && !f->is_kernel ? INST_BRANCH : kind;
    case INST_LOAD:
    case INST_STORE:
        if (in->op == OP_PREFETCH && in->space != PTX_GLOBAL && in->space != PTX_SPACE_NONE) return INST_NOP;
        return in->space == PTX_PARAM_LOCAL ? INST_ALU : kind;
    case INST_BARRIER:
        /* A barrier of a part of the CTA (a thread count is given) is ordered by the executor; the
         * timing half knows only barriers of the whole CTA. */
        return in->mode == BAR_ARRIVE || in->mode == BAR_WARP_SYNC || names_thread_count(in) ? INST_NOP : kind;
    default: return kind;
    }
}

/* A pace is a step from the add class of a pipe. */
#define FOLLOWS_PACE(pipe)                                                                                             \
    _Static_assert(                                                                                                    \
        LAT_##pipe##_MAX == LAT_##pipe##_ADD + PACE_MAX && LAT_##pipe##_MUL == LAT_##pipe##_ADD + PACE_MUL &&          \
            LAT_##pipe##_MAD == LAT_##pipe##_ADD + PACE_MAD && LAT_##pipe##_DIV == LAT_##pipe##_ADD + PACE_DIV,        \
        "the latency classes of a pipe are in the order of enum op_pace")
FOLLOWS_PACE(INT);
FOLLOWS_PACE(FP);
FOLLOWS_PACE(DP);

/* A conversion between integers is a move or a shift. From 32 bits or fewer to f32, and between f16 and f32, it is
 * done at the rate of minima; without rounding f32 to f32 is an addition of zero. All others have a unit of their own,
 * which is not the fp64 pipe, even where f64 comes in. */
static uint8_t cvt_class(const struct ptx_inst *in)
{
    bool to_float = ptx_is_float(in->type), from_float = ptx_is_float(in->type2);
    if (!to_float && !from_float) return LAT_INT_ADD;
    if (!to_float || ptx_type_bytes((enum ptx_type)in->type) > 4 || ptx_type_bytes((enum ptx_type)in->type2) > 4)
        return LAT_CVT;
    if (in->type == in->type2) return in->rnd >= RND_RNI ? LAT_CVT : LAT_FP_ADD;
    return LAT_FP_MAX;
}

static uint8_t lat_class(const struct ptx_inst *in)
{
    unsigned pace = ptx_opcodes[in->op].pace;
    bool f64 = in->type == T_F64 || in->type2 == T_F64;
    bool single = !f64 && (ptx_is_float(in->type) || ptx_is_float(in->type2));
    switch (pace) {
    case PACE_SFU: /* the exact ones are a sequence, as a division is */
        return f64 ? LAT_DP_DIV : in->rnd != RND_NONE ? LAT_FP_DIV : LAT_SFU;
    case PACE_MOVE: return LAT_INT_ADD;
    case PACE_LOGIC: return LAT_INT_MAX;
    case PACE_TEST: return f64 ? LAT_DP_ADD : single ? LAT_FP_MAX : LAT_INT_MAX;
    case PACE_SIGN: return single ? LAT_FP_ADD : LAT_INT_ADD;
    case PACE_BITS: return LAT_BITS;
    case PACE_SHFL: return LAT_SHFL;
    case PACE_CVT: return cvt_class(in);
    case PACE_TENSOR: return LAT_TENSOR;
    default: return (uint8_t)((f64 ? LAT_DP_ADD : single ? LAT_FP_ADD : LAT_INT_ADD) + pace);
    }
}

static uint8_t old_rule(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_ADDC:
    case OP_SUBC:
    case OP_MIN:
    case OP_MAX:
    case OP_MUL:
    case OP_MAD:
    case OP_DIV: return OLD_LISTED;
    default: return ptx_opcodes[in->op].pace == PACE_SFU ? OLD_FUNCTION : OLD_OTHER;
    }
}

/* ---- one entry ---- */

static void add_regs(struct code_inst *c, uint8_t *count, const struct ptx_func *f, const int32_t *regs, unsigned n)
{
    unsigned used = c->ndst + c->nsrc;
    for (unsigned i = 0; i < n && used < CODE_MAX_REGS; i++, used++) {
        c->reg[used] = (uint16_t)((f->code_reg_base + (uint32_t)regs[i]) % CODE_IDS);
        ++*count;
    }
}

/* Keeps at most `room` of n registers: the first, the last, and others between them. */
static unsigned spread(int32_t *regs, unsigned n, unsigned room)
{
    if (n <= room) return n;
    for (unsigned i = 0; i < room; i++) regs[i] = regs[i * (n - 1) / (room - 1)];
    return room;
}

static uint8_t async_role(const struct code_inst *c, const struct ptx_inst *in)
{
    if (in->op == OP_CP && c->kind == INST_LOAD && in->mode != CP_PREFETCH)
        return in->mode == CP_ASYNC ? ASYNC_COPY : ASYNC_BULK;
    if (in->op == OP_BARRIER_CLUSTER) return in->mode ? ASYNC_AWAIT : ASYNC_ARRIVE;
    if (in->op == OP_CP && in->mode == CP_ARRIVE && c->kind == INST_ATOMIC && c->space == SPACE_SHARED)
        return ASYNC_LATER;
    if ((in->op == OP_ST_ASYNC || in->op == OP_RED_ASYNC) && c->space == SPACE_SHARED) return ASYNC_ARRIVE;
    if (in->op != OP_MBARRIER || c->space != SPACE_SHARED) return ASYNC_NONE;
    return in->mode == MBAR_WAIT                              ? ASYNC_AWAIT
           : in->mode == MBAR_ARRIVE || in->mode == MBAR_DROP ? ASYNC_ARRIVE
                                                              : ASYNC_NONE;
}

/* Whether it makes a predicate that guards something. */
static bool guards(const struct ptx_inst *in, const struct value *v)
{
    for (unsigned i = 0; i < in->ndst; i++)
        if (in->dst[i].kind == OPND_REG && in->dst[i].reg >= 0 && v[in->dst[i].reg].guards) return true;
    return false;
}

/* `v`: of an assembled program, its values (assemble.h); else NULL. */
static void make_entry(struct code_inst *c, const struct func_info *fi, const struct ptx_inst *in,
                       const struct value *v)
{
    int32_t regs[MAX_INST_REGS];
    const struct ptx_func *f = &fi->f;
    c->kind = inst_kind(f, in);
    if (c->kind == INST_ALU) {
        c->lat = lat_class(in);
        c->old = old_rule(in);
    }
    if (inst_is_mem(c)) {
        c->space = is_texture(in) ? SPACE_TEX : memory_space(in);
        c->cache_op = in->flags & FLAG_VOLATILE ? CACHE_CV : in->op == OP_LDU ? CACHE_NC : in->cop;
        unsigned element = ptx_type_bytes(in->type);
        c->width = (uint8_t)(is_texture(in) ? TEX_ACCESS_BYTES : element * in->vec);
        if (!is_texture(in) && in->vec > 1 && element < 4) c->element = (uint8_t)element;
        if (is_texture(in) && v && in->mode != TEX_1D && in->mode != TEX_A1D) c->element = CODE_TEX_PLANE;
    }
    if (in->op == OP_PREFETCH && c->kind == INST_LOAD) {
        c->width = 1;
        c->cache_op = in->cmp == LEVEL_L2 ? CACHE_CG : CACHE_CA;
    }
    if (ptx_opcodes[in->op].mods & M_OWN) {
        c->width = in->width;
        c->async = async_role(c, in);
    }
    if (v && c->kind == INST_ALU && guards(in, v)) c->lat = LAT_PREDICATE;
    c->guarded = in->apart || (in->guard >= 0 && in->op != OP_BRA && in->op != OP_BRX);
    unsigned n = inst_writes(in, regs), most = CODE_MAX_REGS - LEAST_SOURCES;
    add_regs(c, &c->ndst, f, regs, n > most ? most : n);
    n = v ? assemble_reads(v, fi, in, regs, MAX_INST_REGS) : inst_reads(in, regs);
    n = spread(regs, n, CODE_MAX_REGS - c->ndst);
    add_regs(c, &c->nsrc, f, regs, n);
}

/* The entries of a sequence. The first waits for the operands, as do those at the side; each of the others for the one
 * before it, which has left what it made where the result will be. */
static unsigned make_sequence(struct code_inst *c, const struct func_info *fi, const struct ptx_inst *in,
                              const struct value *v, const struct machine_code *r)
{
    unsigned n = 0;
    struct code_inst first = {0};
    make_entry(&first, fi, in, v);
    for (unsigned k = 0; k < RECIPE_PARTS; k++)
        for (unsigned i = 0; i < r->part[k].count; i++, n++) {
            c[n] = first;
            c[n].lat = first.lat == LAT_PREDICATE ? first.lat : r->part[k].lat;
            if (r->part[k].side) {
                c[n].ndst = 0;
                memmove(c[n].reg, c[n].reg + first.ndst, first.nsrc * sizeof *c[n].reg);
            } else if (n) {
                c[n].nsrc = first.ndst;
                memcpy(c[n].reg + first.ndst, first.reg, first.ndst * sizeof *c[n].reg);
            }
        }
    return n;
}

/* An atomic that one lane does for all, and what stands around it (once.h): each waits for the one before. */
static void make_once(struct code_inst *c, const struct func_info *fi, const struct ptx_inst *in, const struct value *v)
{
    struct code_inst own = {0};
    unsigned before = once_before(v, in), behind = once_behind(v, in);
    make_entry(&own, fi, in, v);
    for (unsigned i = 0; i < before + 1 + behind; i++) {
        c[i] = own;
        if (i == before) continue;
        c[i].kind = INST_ALU;
        c[i].space = c[i].cache_op = c[i].width = 0;
        c[i].lat = (uint8_t)once_class(i < before ? i : i - before - 1, i > before);
        if (!i || !own.ndst) continue;
        c[i].nsrc = 1;
        c[i].reg[1] = own.reg[0];
    }
    struct code_inst *a = &c[before];
    a->guarded = 1;
    if (!own.ndst) return;
    if (!behind) { /* nobody reads the result: it is none, but what was made in its place is waited for */
        a->ndst = 0;
        memmove(a->reg, a->reg + 1, own.nsrc * sizeof *a->reg);
    }
    if (a->ndst + a->nsrc < CODE_MAX_REGS) a->reg[a->ndst + a->nsrc++] = own.reg[0];
}

static unsigned once_length(const struct value *v, const struct ptx_inst *in)
{
    return once_before(v, in) + 1 + once_behind(v, in);
}

/* ---- the table ---- */

static bool has_products(const struct build *b)
{
    for (const struct func_info *fi = b->funcs; fi; fi = fi->next)
        for (uint32_t i = 0; i < fi->f.ninst; i++)
            if (fi->inst[i].op == OP_WGMMA) return true;
    return false;
}

static void place_registers(struct build *b)
{
    uint32_t most = 1;
    for (uint32_t i = b->nfuncs; i-- > 0;) { /* callers first */
        struct func_info *fi = b->order[i];
        uint32_t end = fi->f.code_reg_base + fi->f.nregs;
        if (end > CODE_IDS) end = CODE_IDS;
        if (end > most) most = end;
        for (const struct callee *c = fi->callees; c; c = c->next)
            if (c->func->defined && c->func->order < fi->order && end > c->func->f.code_reg_base)
                c->func->f.code_reg_base = end % CODE_IDS;
    }
    /* Some more are none of the program: see follow_branches and PRODUCT_REGS. */
    b->m->code.nregs = most + (b->target.scheduled ? 2 : 0) + (has_products(b) ? PRODUCT_REGS : 0);
    b->branch_reg = (uint16_t)most;
    b->part_reg = (uint16_t)(most + 1);
}

/* ---- branches of an assembled program ----
 *
 * A branch takes some cycles: it writes, and what begins a block that branches go to reads, a register that is
 * nobody's. Where lanes may meet again stands an instruction that they wait at (converge.h). Where they part, all ways
 * but one execute one more such: it stands behind the branch, in a block of its own, and the blocks that the branch
 * leads to wait for it in the same way. */

enum { IS_TARGET = 1, IS_BEHIND = 2 }; /* a branch goes there; lanes may have parted in front of it */

static const struct ptx_inst *last_of(const struct func_info *fi, const struct ptx_block *pb)
{
    return pb->count ? &fi->inst[pb->first + pb->count - 1] : NULL;
}

static void mark_block(const struct func_info *fi, uint8_t *mark, uint32_t block, unsigned what)
{
    if (block < fi->f.nblock) mark[block] |= (uint8_t)what;
}

/* What is known of each block, one byte. */
static void mark_blocks(const struct func_info *fi, uint8_t *mark)
{
    for (uint32_t i = 0; i < fi->f.nblock; i++) {
        const struct ptx_inst *in = last_of(fi, &fi->block[i]);
        if (!in) continue;
        unsigned behind = converge_parts(fi, in) ? IS_BEHIND : 0;
        if (behind) mark_block(fi, mark, fi->block[i].next, behind);
        if (in->op == OP_BRA) mark_block(fi, mark, in->target, IS_TARGET | behind);
        for (uint32_t k = 0; in->op == OP_BRX && k < in->ntargets; k++)
            mark_block(fi, mark, in->targets[k], IS_TARGET | behind);
    }
}

static void await_register(struct code_inst *c, uint16_t reg)
{
    if (c->ndst + c->nsrc < CODE_MAX_REGS) c->reg[c->ndst + c->nsrc++] = reg;
}

/* `meets`: its first entry is that at which lanes wait for one another. */
static void follow_branches(const struct build *b, struct code_inst *inst, const struct code_block *blk, unsigned mark,
                            bool meets)
{
    uint16_t place = b->branch_reg;
    if (blk->count <= meets) return;
    struct code_inst *first = &inst[blk->first + meets], *last = &inst[blk->first + blk->count - 1];
    if (mark & IS_TARGET) await_register(first, place);
    if (mark & IS_BEHIND || meets) await_register(first, b->part_reg);
    if (last->kind != INST_BRANCH || last->ndst + last->nsrc == CODE_MAX_REGS) return;
    memmove(last->reg + last->ndst + 1, last->reg + last->ndst, last->nsrc * sizeof *last->reg);
    last->reg[last->ndst++] = place;
}

/* A kernel begins with reading where its stack is and, if it reaches global memory, what describes that (LDC R1 and
 * ULDC.64 of ptxas 13.0 for sm_90). */
static uint8_t begins_with(const struct func_info *fi)
{
    uint8_t memory = 0;
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        const struct ptx_inst *in = &fi->inst[i];
        uint8_t kind = ptx_opcodes[in->op].kind;
        bool access = kind == INST_LOAD || kind == INST_STORE || kind == INST_ATOMIC;
        if (access && (in->space == PTX_GLOBAL || in->space == PTX_SPACE_NONE)) memory = BEGIN_MEMORY;
    }
    return BEGIN_STACK | memory;
}

/* How many entries each instruction of the function has; their sum. UINT64_MAX: out of memory. */
static uint64_t count_entries(struct build *b, struct func_info *fi)
{
    uint64_t sum = 0;
    if (!b->target.scheduled) return fi->f.ninst;
    struct value *v = calloc(fi->f.nregs + 1u, sizeof *v);
    fi->entries = ARENA_ARRAY(&b->m->arena, uint8_t, fi->f.ninst);
    fi->sync = ARENA_ARRAY(&b->m->arena, uint8_t, fi->f.ninst);
    bool room = v && fi->entries && fi->sync && !converge_find(fi, fi->sync);
    if (room) {
        if (fi->f.is_kernel && fi->f.ninst) fi->sync[0] |= begins_with(fi);
        values_find(fi, v);
        assemble_mark(v, fi);
        once_mark(v, fi);
        for (uint32_t i = 0; i < fi->f.ninst; i++) {
            const struct machine_code *r = assemble_recipe(v, fi, &fi->inst[i]);
            fi->entries[i] = (uint8_t)(fi->inst[i].dropped ? 0 : r ? recipe_length(r) : 1);
            if (fi->inst[i].once) fi->entries[i] = (uint8_t)once_length(v, &fi->inst[i]);
            fi->entries[i] += (uint8_t)(bit_count32(fi->sync[i]) + converge_parts(fi, &fi->inst[i]));
            sum += fi->entries[i];
        }
    }
    free(v);
    return room ? sum : UINT64_MAX;
}

/* A product of a warp group leaves its sums where nobody may look before a wait; so these are no registers that anybody
 * waits for, and the next product need not wait for them either. */
static void make_product(const struct build *b, struct code_inst *c, const struct ptx_inst *in)
{
    const struct ptx_matrix *x = in->matrix;
    uint32_t first = b->m->code.nregs - PRODUCT_REGS;
    if (c->kind == INST_NOP && in->nsrc) { /* wait_group */
        uint64_t allowed = in->src[0].kind == OPND_IMM ? (uint64_t)in->src[0].imm : 0;
        c->nsrc = 1;
        c->reg[0] = (uint16_t)(first + (allowed < PRODUCT_REGS - 2 ? 1 + (uint32_t)allowed : PRODUCT_REGS - 1));
    }
    if (c->kind == INST_NOP) return;
    c->async = ASYNC_PRODUCT;
    if (c->kind != INST_ALU) return;
    c->width = (uint8_t)(x->n / 8);
    memmove(c->reg, c->reg + c->ndst, c->nsrc * sizeof *c->reg);
    c->ndst = 0;
}

/* What stands in front of an instruction where lanes meet or may part. */
static void make_syncs(const struct build *b, struct code_inst *c, uint8_t sync)
{
    if (sync & SYNC_MEET) *c++ = (struct code_inst){.kind = INST_BRANCH, .ndst = 1, .reg = {b->part_reg}};
    if (sync & SYNC_PART) *c++ = (struct code_inst){.kind = INST_BRANCH};
    for (unsigned n = bit_count32(sync & (BEGIN_STACK | BEGIN_MEMORY)); n; n--)
        *c++ = (struct code_inst){.kind = INST_ALU, .lat = LAT_INT_ADD};
}

/* The entries of instruction k, from `at` on; how many. */
static uint32_t fill_entries(struct build *b, struct func_info *fi, const struct value *v, struct code_inst *inst,
                             uint32_t k, uint32_t at)
{
    struct ptx_inst *in = &fi->inst[k];
    bool part = v && converge_parts(fi, in);
    uint32_t before = v ? bit_count32(fi->sync[k]) : 0, n = (fi->entries ? fi->entries[k] : 1u) - part - before;
    if (before) make_syncs(b, &inst[at], fi->sync[k]);
    at += before;
    in->code = n ? at + n - 1 : at ? at - 1 : 0;
    const struct machine_code *r = v && n ? assemble_recipe(v, fi, in) : NULL;
    if (in->once) make_once(&inst[at], fi, in, v), in->code = at + once_before(v, in);
    else if (r) make_sequence(&inst[at], fi, in, v, r);
    else if (n) make_entry(&inst[at], fi, in, v);
    if (n && in->op == OP_WGMMA) make_product(b, &inst[at], in);
    if (part)
        inst[at + n++] = (struct code_inst){.kind = INST_BRANCH, .lat = LAT_PREDICATE, .ndst = 1, .reg = {b->part_reg}};
    for (uint32_t i = at - before; i < at + n; i++) inst[i].pc = b->pc_base + 8 * i;
    return before + n;
}

/* Returns where the next function begins; UINT32_MAX: out of memory. *blocks: how many there are so far. */
static uint32_t fill_function(struct build *b, struct func_info *fi, struct code_inst *inst, struct code_block *block,
                              uint32_t at, uint32_t *blocks)
{
    struct value *v = fi->entries ? calloc(fi->f.nregs + 1u, sizeof *v) : NULL;
    uint8_t *mark = v ? calloc(fi->f.nblock + 1u, 1) : NULL;
    if (fi->entries && !mark) {
        free(v);
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < fi->f.nblock; i++) fi->block[i].yields = false;
    if (v) values_find(fi, v), mark_blocks(fi, mark), yield_find(b, fi);
    for (uint32_t i = 0; i < fi->f.nblock; i++) {
        struct ptx_block *pb = &fi->block[i];
        uint32_t first = at, n = (*blocks)++;
        const struct ptx_inst *last = last_of(fi, pb);
        bool part = v && last && converge_parts(fi, last);
        pb->code_block = n;
        pb->parting = part ? (*blocks)++ : PTX_NO_BLOCK;
        for (uint32_t k = pb->first; k < pb->first + pb->count; k++) at += fill_entries(b, fi, v, inst, k, at);
        for (uint32_t k = first; k < at; k++) inst[k].loop = fi->block_loop[i];
        block[n] = (struct code_block){.first = first, .count = at - first - part, .loop = fi->block_loop[i]};
        if (part) block[n + 1] = (struct code_block){.first = at - 1, .count = 1, .loop = fi->block_loop[i]};
        if (v) follow_branches(b, inst, &block[n], mark[i], pb->count && fi->sync[pb->first] & SYNC_MEET);
    }
    free(v);
    free(mark);
    return at;
}

/* Generic instructions get their forms, for which the table moves to a larger place. NULL: out of memory. */
static struct code_inst *with_forms(struct build *b, struct code_inst *inst, uint32_t listed)
{
    struct code *c = &b->m->code;
    c->nforms = code_count_forms(inst, listed);
    c->ninst = listed + c->nforms;
    if (!c->nforms) return inst;
    struct code_inst *all = ARENA_ARRAY(&b->m->arena, struct code_inst, c->ninst);
    if (!all) return NULL;
    memcpy(all, inst, listed * sizeof *inst);
    code_add_forms(all, listed);
    return all;
}

/* Where each instruction was written, in the order of the table. NULL: out of memory. */
static struct code_origin *find_origins(struct build *b, uint64_t ninst)
{
    struct code_origin *o = ARENA_ARRAY(&b->m->arena, struct code_origin, ninst);
    uint32_t at = 0;
    for (const struct func_info *fi = b->funcs; o && fi; fi = fi->next)
        for (uint32_t i = 0; i < fi->f.ninst; i++)
            for (unsigned n = fi->entries ? fi->entries[i] : 1; n; n--)
                if (loc_origin(b->m, &fi->inst[i], &o[at++])) return NULL;
    return o;
}

int code_build(struct build *b)
{
    uint64_t ninst = 0, nblock = 0;
    for (struct func_info *fi = b->funcs; fi; fi = fi->next) {
        uint64_t n = count_entries(b, fi);
        if (n == UINT64_MAX) return wl_fail(b->e, WL_ERUN, "%s: out of memory for the code table", b->m->file);
        ninst += n;
        nblock += 2 * (uint64_t)fi->f.nblock;
    }
    if (b->pc_base + 8 * ninst > UINT32_MAX)
        return wl_fail(b->e, WL_EINPUT, "%s: %llu instructions are more than the 32-bit program counter holds",
                       b->m->file, (unsigned long long)ninst);
    struct code_inst *inst = ARENA_ARRAY(&b->m->arena, struct code_inst, ninst);
    struct code_block *block = ARENA_ARRAY(&b->m->arena, struct code_block, nblock);
    struct code_loop *loop = ARENA_ARRAY(&b->m->arena, struct code_loop, b->nloop);
    if (!inst || !block || !loop) return wl_fail(b->e, WL_ERUN, "%s: out of memory for the code table", b->m->file);
    if (b->nloop) memcpy(loop, b->loop, b->nloop * sizeof *loop);
    place_registers(b);
    uint32_t first_inst = 0, blocks = 0;
    for (struct func_info *fi = b->funcs; fi; fi = fi->next) {
        first_inst = fill_function(b, fi, inst, block, first_inst, &blocks);
        if (first_inst == UINT32_MAX) return wl_fail(b->e, WL_ERUN, "%s: out of memory for the code table", b->m->file);
    }
    struct code *c = &b->m->code;
    c->inst = with_forms(b, inst, first_inst);
    c->origin = find_origins(b, ninst);
    if (!c->inst || !c->origin) return wl_fail(b->e, WL_ERUN, "%s: out of memory for the code table", b->m->file);
    c->block = block;
    c->loop = loop;
    c->nblock = blocks;
    c->nloop = b->nloop;
    return 0;
}
