/* oblivious.c - kernels whose path and addresses follow from the launch alone.
 *
 * A kernel is oblivious when nothing that it loads from memory reaches an address, a guard, the target of a branch or a
 * barrier. Then what a machine sees of it is decided by grid, block, parameters and constant memory, and a sampled run
 * need not execute what it does not time: no timing can depend on results that are missing. Stencils and dense linear
 * algebra are like that, searches and sparse matrices are not.
 *
 * Registers are followed without regard to order, since compilers write each of theirs once: one that any instruction
 * fills from memory, or from such a register, is loaded. What shared and local memory return is always loaded, whoever
 * wrote it, and an opcode that is not known here makes a kernel depend on data. A wrong "oblivious" would be a silent
 * wrong number, a wrong "not" costs time only.
 *
 * How many instructions a CTA executes must be known all the same. The same walk finds the instructions that guards and
 * branches are computed from, which touch no memory but constants; a warp that skims runs these alone. One that is
 * moved on (on_demand.c) will be timed again, so it runs those that addresses are computed from as well. */
#include "ptx/oblivious.h"

#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

/* Where a result comes from. */
enum flow {
    FLOW_SOURCES, /* the instruction's own sources */
    FLOW_LAUNCH,  /* parameters and constants, at an address that is a source */
    FLOW_MEMORY,  /* memory that kernels write, at an address that is a source */
    FLOW_NOWHERE, /* there is none; whatever it reads decides on time */
    FLOW_STORE,   /* there is none; its address decides on time, what is stored does not */
    FLOW_UNKNOWN
};

static bool reads_launch(const struct ptx_inst *in)
{
    const struct ptx_operand *o = &in->src[0];
    if (o->kind != OPND_ADDR) return false;
    if (in->space == PTX_CONST) return true;
    return o->var && o->reg < 0 && o->var->space == PTX_PARAM_KERNEL;
}

static enum flow flow_of_load(const struct ptx_inst *in)
{
    if (in->flags & (FLAG_VOLATILE | FLAG_STRONG)) return FLOW_UNKNOWN; /* it may be waiting for others */
    return reads_launch(in) ? FLOW_LAUNCH : FLOW_MEMORY;
}

/* Clocks, the place where a grid meets, and clusters are more than a launch. */
static bool has_plain_sources(const struct ptx_inst *in)
{
    for (unsigned i = 0; i < in->nsrc; i++) {
        const struct ptx_operand *o = &in->src[i];
        if (o->kind == OPND_FUNC) return false;
        if (o->kind != OPND_SREG) continue;
        if (o->sreg >= SREG_ENVREG1 || sreg_is_told(o->sreg)) return false;
        if (o->sreg == SREG_NSMID || o->sreg == SREG_GRIDID) return false;
    }
    return true;
}

/* clang-format off */
static enum flow flow_of(const struct ptx_inst *in)
{
    switch (in->op) {
    case OP_ABS: case OP_ADD: case OP_ADDC: case OP_AND: case OP_BFE: case OP_BFI: case OP_BFIND: case OP_BMSK:
    case OP_BREV: case OP_CLZ: case OP_CNOT: case OP_COPYSIGN: case OP_COS: case OP_CVT: case OP_CVTA: case OP_DIV:
    case OP_DP2A: case OP_DP4A: case OP_EX2: case OP_FMA: case OP_FNS: case OP_LG2: case OP_LOP3: case OP_MAD:
    case OP_MAD24: case OP_MADC: case OP_MAX: case OP_MIN: case OP_MOV: case OP_MUL: case OP_MUL24: case OP_NEG:
    case OP_NOT: case OP_OR: case OP_POPC: case OP_PRMT: case OP_RCP: case OP_REM: case OP_RSQRT: case OP_SAD:
    case OP_SELP: case OP_SET: case OP_SETP: case OP_SHF: case OP_SHL: case OP_SHR: case OP_SIN: case OP_SLCT:
    case OP_SQRT: case OP_SUB: case OP_SUBC: case OP_SZEXT: case OP_TANH: case OP_TESTP: case OP_XOR:
    case OP_ISSPACEP: case OP_SHFL: case OP_VOTE: case OP_ACTIVEMASK: case OP_REDUX: case OP_MATCH:
        return has_plain_sources(in) ? FLOW_SOURCES : FLOW_UNKNOWN;
    case OP_LD: case OP_LDU: return flow_of_load(in);
    case OP_TEX: case OP_TLD4: return FLOW_MEMORY;
    case OP_ST: return FLOW_STORE;
    case OP_BAR: case OP_BARRIER:
        return !in->apart && (in->mode == BAR_SYNC || in->mode == BAR_WARP_SYNC) ? FLOW_NOWHERE : FLOW_UNKNOWN;
    case OP_BRA: case OP_BRX: case OP_RET: case OP_EXIT: case OP_MEMBAR: case OP_PREFETCH: case OP_PREFETCHU:
        return FLOW_NOWHERE;
    default: return FLOW_UNKNOWN; /* calls, atomics, matrices, asynchronous copies, and what is new */
    }
}
/* clang-format on */

/* Registers, and behind the last one the carry of ADDC and its like. */
struct walk {
    const struct ptx_func *fn;
    uint8_t *loaded; /* by register: it may hold something from memory */
    uint8_t *wanted; /* by register: a guard or a branch is computed from it, or an address */
    uint8_t *kept;   /* by instruction: it computes such a register */
};

static bool carries(const struct ptx_inst *in)
{
    return in->flags & FLAG_CC || in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
}

/* FLAG_CC is a bit of its own only where an opcode can have it. */
static unsigned writes_of(const struct walk *w, const struct ptx_inst *in, int32_t *out)
{
    unsigned n = inst_writes(in, out);
    if (flow_of(in) == FLOW_SOURCES && carries(in)) out[n++] = (int32_t)w->fn->nregs;
    return n;
}

static unsigned reads_of(const struct walk *w, const struct ptx_inst *in, int32_t *out)
{
    unsigned n = inst_reads(in, out);
    if (flow_of(in) == FLOW_SOURCES && carries(in)) out[n++] = (int32_t)w->fn->nregs;
    return n;
}

static bool mark(uint8_t *set, const int32_t *reg, unsigned n)
{
    bool more = false;
    for (unsigned i = 0; i < n; i++) {
        more |= !set[reg[i]];
        set[reg[i]] = 1;
    }
    return more;
}

static bool meets(const uint8_t *set, const int32_t *reg, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (set[reg[i]]) return true;
    return false;
}

enum { ROOM = MAX_INST_REGS + 1 };

static void find_loaded(struct walk *w)
{
    int32_t to[ROOM], from[ROOM];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < w->fn->ninst; i++) {
            const struct ptx_inst *in = &w->fn->inst[i];
            enum flow f = flow_of(in);
            unsigned n = reads_of(w, in, from);
            bool clean = (f == FLOW_SOURCES || f == FLOW_LAUNCH) && !meets(w->loaded, from, n);
            if (!clean) more |= mark(w->loaded, to, writes_of(w, in, to));
        }
    }
}

/* The registers of an instruction that decide on time: where it goes, whether it runs, what it touches. */
static unsigned deciders(const struct walk *w, const struct ptx_inst *in, int32_t *out)
{
    unsigned n = 0;
    switch (flow_of(in)) {
    case FLOW_SOURCES:
    case FLOW_UNKNOWN: break;
    case FLOW_STORE: {
        struct ptx_inst address = {.guard = -1, .nsrc = 1};
        address.src[0] = in->src[0];
        n = inst_reads(&address, out);
        break;
    }
    default: return reads_of(w, in, out);
    }
    if (in->guard >= 0) out[n++] = in->guard;
    return n;
}

/* The first instruction whose way or address hangs on loaded data, else their number. */
static uint32_t find_leak(const struct walk *w)
{
    int32_t regs[ROOM];
    for (uint32_t i = 0; i < w->fn->ninst; i++) {
        const struct ptx_inst *in = &w->fn->inst[i];
        if (flow_of(in) == FLOW_UNKNOWN || meets(w->loaded, regs, deciders(w, in, regs))) return i;
    }
    return w->fn->ninst;
}

/* What guards and branches are computed from, or everything that decides on time. */
static void find_kept(struct walk *w, bool addresses)
{
    int32_t regs[ROOM];
    for (uint32_t i = 0; i < w->fn->ninst; i++) {
        const struct ptx_inst *in = &w->fn->inst[i];
        if (in->guard >= 0) w->wanted[in->guard] = 1;
        if (in->op == OP_BRX) mark(w->wanted, regs, inst_reads(in, regs));
        if (addresses) mark(w->wanted, regs, deciders(w, in, regs));
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < w->fn->ninst; i++) {
            const struct ptx_inst *in = &w->fn->inst[i];
            if (w->kept[i] || !meets(w->wanted, regs, writes_of(w, in, regs))) continue;
            w->kept[i] = more = true;
            mark(w->wanted, regs, reads_of(w, in, regs));
        }
    }
}

/* What the path depends on, the block apart. */
static void note_causes(const struct walk *w, struct oblivion *o)
{
    for (uint32_t i = 0; i < w->fn->ninst; i++) {
        const struct ptx_inst *in = &w->fn->inst[i];
        if (!w->kept[i]) continue;
        for (unsigned k = 0; k < in->nsrc; k++)
            o->by_cta |=
                in->src[k].kind == OPND_SREG && in->src[k].sreg >= SREG_CTAID_X && in->src[k].sreg <= SREG_CTAID_Z;
        if (flow_of(in) != FLOW_LAUNCH) continue;
        if (in->space == PTX_CONST) {
            o->by_constants = true;
            continue;
        }
        uint64_t at = in->src[0].var->offset + in->src[0].imm,
                 bytes = (uint64_t)in->vec * ptx_type_bytes((enum ptx_type)in->type);
        for (uint64_t k = at; k < at + bytes && k < w->fn->param_bytes; k++) o->decides[k] = 1;
    }
}

/* What is kept. An instruction that is not but is guarded still counts the threads it runs for. */
static int build_list(struct ptx_image *img, const struct walk *w, const struct xfunc *f, struct skim_list *o)
{
    uint32_t n = 0;
    o->uop = ARENA_ARRAY(&img->arena, struct uop, w->fn->ninst + 1);
    o->block = ARENA_ARRAY(&img->arena, struct skim_block, w->fn->nblock + 1);
    if (!o->uop || !o->block) return -1;
    for (uint32_t i = 0; i < w->fn->nblock; i++) {
        const struct xblock *b = &f->block[i];
        o->block[i].first = n;
        for (uint32_t k = 0; k < b->lean_body; k++) {
            struct uop u = f->lean[b->lean_first + k];
            bool kept = w->kept[u.in - w->fn->inst];
            if (!kept && u.in->guard < 0) continue;
            if (!kept) u.then_full = u.then_part = op_nop;
            o->uop[n++] = u;
        }
        o->block[i].body = n - o->block[i].first;
        if (b->end != END_FALL) o->uop[n++] = f->lean[b->lean_first + b->lean_body];
    }
    return 0;
}

/* Finds what a warp must run that skims. */
static int make_lists(struct ptx_image *img, struct walk *w, const struct xfunc *f, struct oblivion *o)
{
    o->decides = ARENA_ARRAY(&img->arena, uint8_t, w->fn->param_bytes + 1);
    if (!o->decides) return -1;
    find_kept(w, false);
    note_causes(w, o);
    if (build_list(img, w, f, &o->path)) return -1;
    find_kept(w, true); /* adds to what is kept */
    return build_list(img, w, f, &o->way);
}

static int look(struct ptx_image *img, const struct xfunc *f, struct oblivion *o)
{
    const struct ptx_func *fn = f->fn;
    struct walk w = {.fn = fn};
    uint8_t *room = calloc(2 * ((size_t)fn->nregs + 1) + fn->ninst + 1, 1);
    if (!room) return -1;
    w.loaded = room;
    w.wanted = w.loaded + fn->nregs + 1;
    w.kept = w.wanted + fn->nregs + 1;
    find_loaded(&w);
    uint32_t leak = find_leak(&w);
    bool leaks = leak < fn->ninst;
    o->leak = leaks ? fn->inst[leak].line : 0;
    o->is = !leaks && fn->is_kernel && !f->clocks && !f->strong && !f->meets;
    int rc = o->is ? make_lists(img, &w, f, o) : 0;
    free(room);
    return rc;
}

/* NULL: out of memory. */
static struct oblivion *oblivion_of(struct ptx_image *img, struct xfunc *f)
{
    if (f->oblivion) return f->oblivion;
    struct oblivion *o = ARENA_NEW(&img->arena, struct oblivion);
    if (!o || look(img, f, o)) return NULL;
    f->oblivion = o;
    return o;
}

bool ptx_is_oblivious(struct ptx_image *img, const struct ptx_func *kernel, uint32_t *line)
{
    struct xfunc *f = image_func(img, kernel);
    const struct oblivion *o = f && !kernel->refused ? oblivion_of(img, f) : NULL;
    if (line) *line = o ? o->leak : 0;
    return o && o->is;
}

/* ---- counting without executing ---- */

/* A launch whose instructions were counted. */
struct counted_launch {
    struct counted_launch *next;
    uint32_t grid[3], block[3], shared;
    struct exec_counts total;
    uint8_t decides[]; /* the parameters on which its path depends; 0 elsewhere */
};

static bool is_same(const struct counted_launch *c, const struct exec_run *r, const struct oblivion *o)
{
    if (memcmp(c->grid, r->info.grid, sizeof c->grid) != 0 || memcmp(c->block, r->info.block, sizeof c->block) != 0 ||
        c->shared != r->shared_bytes)
        return false;
    for (uint64_t i = 0; i < r->param_bytes; i++)
        if (o->decides[i] && c->decides[i] != r->params[i]) return false;
    return true;
}

static const struct exec_counts *recall(const struct exec_run *r, const struct oblivion *o)
{
    for (const struct counted_launch *c = o->by_constants ? NULL : o->counted; c; c = c->next)
        if (is_same(c, r, o)) return &c->total;
    return NULL;
}

bool ptx_foresee(struct stream_source *s, bool skim)
{
    struct exec_run *r = (struct exec_run *)s;
    if (r->in_step || r->l.no_streams || r->clocks || r->watches || r->meets || r->cluster_size > 1) return false;
    struct oblivion *o = oblivion_of(r->l.image, image_func(r->l.image, r->l.kernel));
    if (!o || !o->is) return false;
    r->skims = o;
    r->skims_passed = skim;
    r->known = recall(r, o);
    demand_offer(r);
    return true;
}

/* Without memory for it, it is counted again the next time. */
void skim_remember(struct exec_run *r)
{
    enum { MOST = 64 };
    struct oblivion *o = r->skims;
    if (r->known || o->by_constants || r->next_out != r->info.ctas || r->failed || o->kept == MOST) return;
    struct counted_launch *c = arena_alloc(&r->l.image->arena, sizeof *c + r->param_bytes);
    if (!c) return;
    *c = (struct counted_launch){.next = o->counted, .shared = r->shared_bytes, .total = r->counts};
    memcpy(c->grid, r->info.grid, sizeof c->grid);
    memcpy(c->block, r->info.block, sizeof c->block);
    for (uint64_t i = 0; i < r->param_bytes; i++) c->decides[i] = o->decides[i] ? r->params[i] : 0;
    o->counted = c;
    o->kept++;
}

static void add(struct exec_counts *to, struct exec_counts n)
{
    to->warp_instructions += n.warp_instructions;
    to->thread_instructions += n.thread_instructions;
}

/* Counts one CTA. */
static int skim_cta(struct exec_run *r, struct exec_cta *c, uint32_t id, struct exec_counts *out)
{
    const uint32_t *g = r->info.grid;
    c->id = id;
    c->ctaid[0] = c->id % g[0];
    c->ctaid[1] = c->id / g[0] % g[1];
    c->ctaid[2] = c->id / g[0] / g[1];
    c->out = NULL;
    *out = (struct exec_counts){0, 0};
    for (uint32_t i = 0; i < r->nwarps; i++) {
        c->warp[i].out = NULL;
        excerpt_begin(&c->warp[i]);
        if (warp_start(&c->warp[i])) return wl_fail(r->err, WL_ERUN, "kernel %s: out of memory", r->info.kernel);
    }
    for (uint32_t i = 0; i < r->nwarps; i++) {
        struct exec_warp *w = &c->warp[i];
        int rc = RUN_ON;
        w->skims = &r->skims->path;
        while (!rc && w->state != WARP_DONE) rc = warp_run(w) || cta_check_budget(c);
        w->skims = NULL;
        if (rc) return WL_ERUN;
        add(out, (struct exec_counts){w->executed, w->threads});
    }
    return 0;
}

int skim_next(struct exec_run *r)
{
    struct exec_counts n = r->skim_one;
    bool again = !r->skims->by_cta && r->skimmed_ctas; /* every CTA takes the same path */
    if (!r->known && !again && skim_cta(r, r->spare, r->next_out, &n)) return -1;
    if (!r->known) {
        r->skim_one = n;
        add(&r->counts, n);
        add(&r->passed, n);
        add(&r->skimmed, n);
    }
    r->skimmed_ctas++;
    r->next_cta++;
    r->next_out++;
    return 0;
}

uint64_t *skim_lengths(struct exec_run *r, uint64_t *total)
{
    uint64_t *length = malloc(sizeof *length * r->nwarps * r->info.ctas);
    struct exec_counts n;
    for (uint32_t c = 0; length && c < r->info.ctas; c++) {
        bool again = c && !r->skims->by_cta;
        if (!again && skim_cta(r, r->spare, c, &n)) {
            free(length);
            return NULL;
        }
        for (uint32_t i = 0; i < r->nwarps; i++) length[(size_t)c * r->nwarps + i] = r->spare->warp[i].executed;
        *total += n.warp_instructions;
    }
    return length;
}

static struct exec_counts minus(struct exec_counts a, struct exec_counts b)
{
    return (struct exec_counts){a.warp_instructions - b.warp_instructions,
                                a.thread_instructions - b.thread_instructions};
}

struct exec_counts ptx_counts(const struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    return r->known && r->skimmed_ctas ? *r->known : r->counts;
}

struct exec_counts ptx_passed(const struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    struct exec_counts n = r->passed;
    if (r->known && r->skimmed_ctas) add(&n, minus(*r->known, r->counts));
    return n;
}

struct exec_counts ptx_skimmed(const struct stream_source *s)
{
    const struct exec_run *r = (const struct exec_run *)s;
    struct exec_counts n = r->skimmed;
    if (r->known && r->skimmed_ctas) add(&n, minus(*r->known, r->counts));
    return n;
}
