/* wlt_code.c - code tables from a trace, and what tables, shapes and addresses are held to.
 *
 * The timing half believes a code table: it indexes arrays with its registers, loops, latency
 * classes and kinds, and climbs from a loop to its parent until there is none. All that is
 * verified here, once, on the finished table. The writer asks the same question before it
 * records, so that every trace it makes can be read. */
#include "trace/wlt/wlt_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- checking ---- */

static bool loop_ok(const struct code *c, uint16_t loop) { return loop == CODE_NO_LOOP || loop < c->nloop; }

/* Depths that grow by one from parent to child exclude a cycle. */
static const char *loop_fault(const struct code *c, const struct code_loop *l)
{
    if (!loop_ok(c, l->parent)) return "its parent does not exist";
    unsigned above = l->parent == CODE_NO_LOOP ? 0 : c->loop[l->parent].depth;
    return l->depth == above + 1 ? NULL : "its depth is not one more than its parent's";
}

/* Where an instruction of that kind may reach. */
static bool space_ok(const struct code_inst *in)
{
    switch (in->kind) {
    case INST_LOAD: return in->space != SPACE_NONE && in->space <= SPACE_GENERIC;
    case INST_STORE:
    case INST_ATOMIC:
        if (in->space == SPACE_GENERIC) return true;
        return in->space != SPACE_NONE && in->space <= SPACE_PARAM &&
               generic_reach((enum inst_kind)in->kind) >> (in->space - SPACE_GLOBAL) & 1;
    default: return in->space == SPACE_NONE;
    }
}

static const char *product_fault(const struct code *c, const struct code_inst *in)
{
    if (c->nregs < PRODUCT_REGS) return "it is a product of a warp group and there are no registers for these";
    if (in->kind != INST_COMMIT && (in->kind != INST_ALU || in->ndst))
        return "it is a product of a warp group, but computes nothing or has a result";
    return NULL;
}

/* Arrivals and waits: what else is of the kind it should be. */
static bool role_fits(const struct code_inst *in)
{
    switch (in->async) {
    case ASYNC_ARRIVE: return in->kind == INST_ATOMIC || in->kind == INST_STORE;
    case ASYNC_LATER: return in->kind == INST_ATOMIC;
    case ASYNC_AWAIT: return in->kind == INST_LOAD;
    default: return true;
    }
}

static const char *inst_fault(const struct code *c, const struct code_inst *in)
{
    if (in->kind > INST_WAIT) return "there is no such kind";
    if (in->lat >= LAT_COUNT || in->old > OLD_FUNCTION) return "there is no such latency class";
    if (in->cache_op > CACHE_STRONG_SYS) return "there is no such cache operator";
    if (!space_ok(in)) return "its address space does not fit its kind";
    if (inst_is_mem(in) && (in->width < 1 || in->width > 32)) return "its width is not 1 to 32 bytes";
    if (in->element > 2 || (in->element && in->element >= in->width)) return "its elements are not smaller than it";
    if (in->guarded > 1) return "its guard flag is neither 0 nor 1";
    if (in->async > ASYNC_PRODUCT) return "there is no such role in asynchronous copies";
    const char *product = in->async == ASYNC_PRODUCT ? product_fault(c, in) : NULL;
    if (product) return product;
    bool copies = in->async == ASYNC_COPY || in->async == ASYNC_BULK;
    if (copies && (in->kind != INST_LOAD || in->ndst)) return "it is a copy, but no load without registers";
    if (!role_fits(in)) return "it arrives at an mbarrier or waits there, and its kind is another";
    if (in->ndst + in->nsrc > CODE_MAX_REGS) return "it names too many registers";
    for (unsigned i = 0; i < (unsigned)in->ndst + in->nsrc; i++)
        if (in->reg[i] >= c->nregs) return "it names a register that does not exist";
    return loop_ok(c, in->loop) ? NULL : "its loop does not exist";
}

static const char *block_fault(const struct code *c, const struct code_block *b)
{
    if ((uint64_t)b->first + b->count > code_listed(c)) return "it ends behind the last instruction";
    return loop_ok(c, b->loop) ? NULL : "its loop does not exist";
}

static int table_fault(struct wl_err *e, const char *part, uint32_t index, const char *why)
{
    return wl_fail(e, WL_EINPUT, "%s %u of the code table is not valid: %s", part, index, why);
}

int wlt_check_code(const struct code *c, struct wl_err *e)
{
    if (c->nregs > WLT_MAX_CODE_REGS || c->ninst > WLT_MAX_INSTS || c->nblock > WLT_MAX_BLOCKS ||
        c->nloop > CODE_NO_LOOP)
        return wl_fail(e, WL_EINPUT,
                       "a code table of %u instructions, %u blocks, %u loops and %u registers is too large", c->ninst,
                       c->nblock, c->nloop, c->nregs);
    const char *why;
    for (uint32_t i = 0; i < c->nloop; i++)
        if ((why = loop_fault(c, &c->loop[i]))) return table_fault(e, "loop", i, why);
    for (uint32_t i = 0; i < c->nblock; i++)
        if ((why = block_fault(c, &c->block[i]))) return table_fault(e, "block", i, why);
    for (uint32_t i = 0; i < code_listed(c); i++)
        if ((why = inst_fault(c, &c->inst[i]))) return table_fault(e, "instruction", i, why);
    return 0;
}

int wlt_check_launch(struct launch_info *info, struct wl_err *e)
{
    if (info->regs_per_thread > WLT_MAX_THREAD_REGS)
        return wl_fail(e, WL_EINPUT, "kernel %s: %u registers per thread are more than %d", info->kernel,
                       info->regs_per_thread, WLT_MAX_THREAD_REGS);
    if (info->shared_bytes > WLT_MAX_SHARED)
        return wl_fail(e, WL_EINPUT, "kernel %s: %u bytes of shared memory are more than %d", info->kernel,
                       info->shared_bytes, WLT_MAX_SHARED);
    int rc = launch_shape(info, e);
    if (rc || !(info->cluster[0] | info->cluster[1] | info->cluster[2])) return rc;
    const uint32_t *k = info->cluster, *g = info->grid;
    uint32_t size = k[0] * k[1] * k[2];
    if (size < 2 || size > CLUSTER_MAX || g[0] % k[0] || g[1] % k[1] || g[2] % k[2])
        return wl_fail(e, WL_EINPUT, "kernel %s: its grid is not made of clusters of 2 to %d CTAs", info->kernel,
                       CLUSTER_MAX);
    return 0;
}

/* ---- streams ---- */

/* Lanes of an affine access lie between the lowest and the highest one. */
static bool addresses_ok(const struct code_inst *in, const struct warp_addrs *a)
{
    uint64_t end = in->space == SPACE_GLOBAL || in->space == SPACE_TEX ? WLT_ADDRESS_END : WLT_OFFSET_END;
    if (a->affine) {
        if (a->stride >= (int64_t)WLT_ADDRESS_END || a->stride <= -(int64_t)WLT_ADDRESS_END) return false;
        return a->base < end && warp_addr(a, 31 - (unsigned)__builtin_clz(a->mask)) < end;
    }
    bool ok = true;
    for (uint32_t m = a->mask; m; m &= m - 1) ok &= warp_addr(a, bit_low32(m)) < end;
    return ok;
}

struct wlt_tally {
    struct wlt_counts n;
    bool bad;
};

/* The same of an instruction whose addresses carry a note (enum async_role). */
static bool noted_ok(const struct code_inst *in, const struct warp_addrs *a)
{
    struct warp_addrs plain = *a;
    warp_addrs_note(&plain, in->async);
    return addresses_ok(in, &plain);
}

static void count_inst(void *arg, const struct code_inst *in, uint32_t exec, const struct warp_addrs *a)
{
    struct wlt_tally *t = arg;
    t->n.warp_instructions++;
    t->n.thread_instructions += bit_count32(exec);
    if (a && !(in->async > ASYNC_COPY ? noted_ok(in, a) : addresses_ok(in, a))) t->bad = true;
}

bool wlt_count(const struct code *c, struct warp_stream s, struct wlt_counts *n)
{
    struct wlt_tally t = {*n, false};
    wlt_walk(c, s, count_inst, &t);
    *n = t.n;
    return !t.bad;
}

/* ---- reading ---- */

/* Room for item `index` of an array that a file claims to have `claimed` items: doubled as they
 * really arrive. Returns the array, or NULL and the input has failed. */
static void *grow(struct wlt_in *in, void *array, uint32_t *cap, uint32_t index, uint32_t claimed, size_t item_bytes)
{
    if (index < *cap) return array;
    uint32_t want = *cap ? 2 * *cap : 64;
    if (want > claimed) want = claimed;
    void *p = realloc(array, want * item_bytes);
    if (!p) {
        wlt_in_no_memory(in);
        return NULL;
    }
    *cap = want;
    return p;
}

static uint16_t read_loop_ref(struct wlt_in *in)
{
    uint64_t v = wlt_varint(in, CODE_NO_LOOP, "a loop");
    return (uint16_t)(v ? v - 1 : CODE_NO_LOOP);
}

static struct code_loop *read_loops(struct wlt_in *in, uint32_t n)
{
    struct code_loop *array = NULL, *p;
    for (uint32_t i = 0, cap = 0; i < n && !in->failed; i++) {
        if (!(p = grow(in, array, &cap, i, n, sizeof *p))) break;
        array = p;
        array[i].parent = read_loop_ref(in);
        array[i].depth = (uint16_t)wlt_varint(in, UINT16_MAX, "the depth of a loop");
    }
    return array;
}

static struct code_block *read_blocks(struct wlt_in *in, uint32_t n)
{
    struct code_block *array = NULL, *p;
    for (uint32_t i = 0, cap = 0; i < n && !in->failed; i++) {
        if (!(p = grow(in, array, &cap, i, n, sizeof *p))) break;
        array = p;
        array[i].first = (uint32_t)wlt_varint(in, WLT_MAX_INSTS, "the first instruction of a block");
        array[i].count = (uint32_t)wlt_varint(in, WLT_MAX_INSTS, "the size of a block");
        array[i].loop = read_loop_ref(in);
    }
    return array;
}

static void read_inst(struct wlt_in *in, struct code_inst *i)
{
    memset(i, 0, sizeof *i);
    i->pc = (uint32_t)wlt_varint(in, UINT32_MAX, "a program counter");
    i->kind = wlt_u8(in);
    uint8_t lat = wlt_u8(in);
    i->lat = lat & ((1u << WLT_LAT_BITS) - 1);
    i->old = lat >> WLT_LAT_BITS;
    i->space = wlt_u8(in);
    i->cache_op = wlt_u8(in);
    uint8_t width = wlt_u8(in);
    i->width = width & ((1u << WLT_WIDTH_BITS) - 1);
    i->element = width >> WLT_WIDTH_BITS;
    uint8_t flags = wlt_u8(in);
    i->guarded = flags & 0xf1;
    i->async = flags >> 1 & 7;
    i->ndst = wlt_u8(in);
    i->nsrc = wlt_u8(in);
    unsigned regs = (unsigned)i->ndst + i->nsrc;
    if (regs > CODE_MAX_REGS) wlt_in_fail(in, "an instruction names %u registers, at most %d", regs, CODE_MAX_REGS);
    for (unsigned r = 0; r < regs && !in->failed; r++) i->reg[r] = (uint16_t)wlt_varint(in, UINT16_MAX, "a register");
    i->loop = read_loop_ref(in);
}

static struct code_inst *read_insts(struct wlt_in *in, uint32_t n)
{
    struct code_inst *array = NULL, *p;
    for (uint32_t i = 0, cap = 0; i < n && !in->failed; i++) {
        if (!(p = grow(in, array, &cap, i, n, sizeof *p))) break;
        array = p;
        read_inst(in, &array[i]);
    }
    return array;
}

/* Forms are not in the file: they follow from what is. */
static void add_forms(struct wlt_in *in, struct code *c)
{
    uint32_t listed = c->ninst, forms = in->failed ? 0 : code_count_forms(c->inst, listed);
    if (!forms) return;
    if (listed + forms > WLT_MAX_INSTS) {
        wlt_in_fail(in, "the code table has too many generic instructions");
        return;
    }
    struct code_inst *p = realloc((void *)c->inst, (listed + forms) * sizeof *p);
    if (!p) {
        wlt_in_no_memory(in);
        return;
    }
    code_add_forms(p, listed);
    c->inst = p;
    c->nforms = forms;
    c->ninst = listed + forms;
}

struct code *wlt_read_code(struct wlt_in *in, bool machine)
{
    struct code *c = calloc(1, sizeof *c);
    struct wl_err why;
    if (!c) {
        wlt_in_no_memory(in);
        return NULL;
    }
    c->machine = machine;
    c->nregs = (uint32_t)wlt_varint(in, WLT_MAX_CODE_REGS, "the number of registers");
    c->ninst = (uint32_t)wlt_varint(in, WLT_MAX_INSTS, "the number of instructions");
    c->nblock = (uint32_t)wlt_varint(in, WLT_MAX_BLOCKS, "the number of blocks");
    c->nloop = (uint32_t)wlt_varint(in, CODE_NO_LOOP, "the number of loops");
    c->loop = read_loops(in, c->nloop);
    c->block = read_blocks(in, c->nblock);
    c->inst = read_insts(in, c->ninst);
    add_forms(in, c);
    if (!in->failed && wlt_check_code(c, &why)) wlt_in_fail(in, "%.400s", why.text);
    if (!in->failed) return c;
    wlt_free_code(c);
    return NULL;
}

void wlt_free_code(struct code *c)
{
    if (!c) return;
    free((void *)c->inst);
    free((void *)c->block);
    free((void *)c->loop);
    free(c);
}
