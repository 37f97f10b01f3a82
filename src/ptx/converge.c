/* converge.c - see converge.h. */
#include "ptx/converge.h"

#include "ptx/once.h"
#include "ptx/opcodes.h"

#include <stdlib.h>

enum { ROUNDS = 64 };

struct lane_flow {
    const struct func_info *fi;
    uint8_t *varies; /* by register: lanes may hold different values */
    uint8_t *some;   /* by block: lanes may have parted in front of it and not met again */
    uint8_t *writes; /* by register: how many instructions, 2 for more */
    bool changed;
};

static const struct ptx_inst *last_of(const struct func_info *fi, uint32_t block)
{
    const struct ptx_block *b = &fi->block[block];
    return b->count ? &fi->inst[b->first + b->count - 1] : NULL;
}

bool converge_parts(const struct func_info *fi, const struct ptx_inst *in)
{
    if (in->op == OP_BRX) return true;
    if (in->op != OP_BRA || in->guard < 0) return false;
    const struct ptx_block *to = in->target < fi->f.nblock ? &fi->block[in->target] : NULL;
    return !to || to->count != 1 || ptx_opcodes[fi->inst[to->first].op].kind != INST_EXIT;
}

/* ---- which values differ from lane to lane ---- */

static bool operand_varies(const struct ptx_operand *o)
{
    if (o->kind == OPND_SREG) return !sreg_is_same(o->sreg);
    for (unsigned i = 0; o->kind == OPND_VEC && i < o->nvec; i++)
        if (operand_varies(&o->vec[i])) return true;
    return false;
}

/* Whatever its registers hold. */
static bool makes_varying(const struct ptx_inst *in)
{
    uint8_t kind = ptx_opcodes[in->op].kind;
    bool fixed = in->space == PTX_PARAM_KERNEL || in->space == PTX_CONST;
    if (in->op == OP_LD) return !fixed;
    if (kind != INST_ALU || in->op == OP_SHFL || in->op == OP_ACTIVEMASK) return true;
    for (unsigned i = 0; i < in->nsrc; i++)
        if (operand_varies(&in->src[i])) return true;
    return false;
}

static bool reads_varying(const struct lane_flow *f, const struct ptx_inst *in)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_reads(in, regs);
    for (unsigned i = 0; i < n; i++)
        if (f->varies[regs[i]]) return true;
    return false;
}

static void follow_inst(struct lane_flow *f, const struct ptx_inst *in, bool some)
{
    int32_t regs[MAX_INST_REGS];
    unsigned n = inst_writes(in, regs);
    bool all = n && (makes_varying(in) || reads_varying(f, in));
    for (unsigned i = 0; i < n; i++) {
        if (f->varies[regs[i]] || !(all || (some && f->writes[regs[i]] > 1))) continue;
        f->varies[regs[i]] = 1;
        f->changed = true;
    }
}

static bool splits(const struct lane_flow *f, const struct ptx_inst *in)
{
    return in && converge_parts(f->fi, in) && reads_varying(f, in);
}

/* Blocks between a branch at which lanes part and the place where they meet, in the order of the text. */
static void follow_branch(struct lane_flow *f, uint32_t block)
{
    uint32_t end = f->fi->block[block].ipdom;
    if (end > f->fi->f.nblock) end = f->fi->f.nblock;
    for (uint32_t i = block + 1; i < end; i++) {
        f->changed |= !f->some[i];
        f->some[i] = 1;
    }
}

static void find_varying(struct lane_flow *f)
{
    const struct func_info *fi = f->fi;
    int32_t regs[MAX_INST_REGS];
    for (uint32_t i = 0; i < fi->f.ninst; i++) {
        unsigned n = inst_writes(&fi->inst[i], regs);
        for (unsigned k = 0; k < n; k++)
            if (f->writes[regs[k]] < 2) f->writes[regs[k]]++;
    }
    f->changed = true;
    for (unsigned round = 0; f->changed && round < ROUNDS; round++) {
        f->changed = false;
        for (uint32_t b = 0; b < fi->f.nblock; b++) {
            const struct ptx_block *pb = &fi->block[b];
            for (uint32_t i = pb->first; i < pb->first + pb->count; i++) follow_inst(f, &fi->inst[i], f->some[b]);
            if (splits(f, last_of(fi, b))) follow_branch(f, b);
        }
    }
}

/* ---- where they meet ---- */

/* What begins a loop stands in front of it and is not counted: it is executed once. */
static void mark_syncs(const struct lane_flow *f, uint8_t *sync)
{
    const struct func_info *fi = f->fi;
    for (uint32_t b = 0; b < fi->f.nblock; b++) {
        const struct ptx_inst *in = last_of(fi, b);
        uint32_t meet = fi->block[b].ipdom;
        if (!splits(f, in) || meet >= fi->f.nblock || !fi->block[meet].count) continue;
        sync[fi->block[meet].first] |= SYNC_MEET;
        if (in->op == OP_BRX || in->target > b) sync[in - fi->inst] |= SYNC_PART;
    }
}

static int follow(const struct func_info *fi, struct lane_flow *f)
{
    *f = (struct lane_flow){.fi = fi};
    f->varies = calloc(2 * (size_t)fi->f.nregs + fi->f.nblock + 1, 1);
    if (!f->varies) return -1;
    f->writes = f->varies + fi->f.nregs;
    f->some = f->writes + fi->f.nregs;
    find_varying(f);
    return 0;
}

int converge_find(const struct func_info *fi, uint8_t *sync)
{
    struct lane_flow f;
    if (follow(fi, &f)) return -1;
    mark_syncs(&f, sync);
    free(f.varies);
    return 0;
}

/* ---- barriers ---- */

/* A barrier that is waited at. What a guard switches off for some lanes of a warp, the others do for it. */
static bool is_meeting(const struct ptx_inst *in)
{
    return ptx_opcodes[in->op].kind == INST_BARRIER && in->mode != BAR_ARRIVE && in->mode != BAR_WARP_SYNC &&
           in->guard < 0;
}

static bool asks_others(const struct ptx_inst *in)
{
    return in->op == OP_ATOM || (in->op == OP_LD && in->flags & (FLAG_VOLATILE | FLAG_STRONG));
}

/* Whether there is a loop that lanes leave one by one and in which they ask for what others write: a lock. */
static bool has_locks(const struct lane_flow *f)
{
    const struct func_info *fi = f->fi;
    uint8_t asks[(CODE_NO_LOOP + 1) / 8] = {0}; /* by loop */
    for (uint32_t b = 0; b < fi->f.nblock; b++)
        for (uint32_t i = fi->block[b].first; i < fi->block[b].first + fi->block[b].count; i++)
            if (asks_others(&fi->inst[i])) asks[fi->block_loop[b] / 8] |= (uint8_t)(1u << fi->block_loop[b] % 8);
    for (uint32_t b = 0; b < fi->f.nblock; b++) {
        uint16_t loop = fi->block_loop[b];
        if (loop != CODE_NO_LOOP && asks[loop / 8] >> loop % 8 & 1 && splits(f, last_of(fi, b))) return true;
    }
    return false;
}

int converge_mark_barriers(struct func_info *fi)
{
    struct lane_flow f;
    uint32_t meetings = 0;
    int found = 0;
    for (uint32_t i = 0; i < fi->f.ninst; i++) meetings += is_meeting(&fi->inst[i]) && !fi->inst[i].apart;
    if (!meetings) return 0;
    if (follow(fi, &f)) return -1;
    bool all = has_locks(&f);
    for (uint32_t b = 0; b < fi->f.nblock; b++)
        for (uint32_t i = fi->block[b].first; i < fi->block[b].first + fi->block[b].count; i++) {
            if (!is_meeting(&fi->inst[i]) || fi->inst[i].apart || !(all || f.some[b])) continue;
            fi->inst[i].apart = true;
            found = 1;
        }
    free(f.varies);
    return found;
}
