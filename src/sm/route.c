/* route.c - where each instruction goes on this machine: unit, cache, whether it bypasses the L1D.
 *
 * Found once per kernel and read by warps, issue stage, ld/st unit and observers, so that
 * the question has one answer. */
#include <stdlib.h>

#include "sm/sm_priv.h"

const struct route route_none = {.unit = UNIT_NONE};

/* The caches next to the L1D are for reading. A trace may hold a store whose operator is "read only": it is a store. */
static enum cache_id cache_of(const struct sm *s, const struct code_inst *in)
{
    if (in->kind != INST_LOAD) return L1_DATA;
    if (in->space == SPACE_CONST || in->space == SPACE_PARAM) return L1_CONSTANT;
    if (s->l1d_readonly) return L1_DATA;
    return in->space == SPACE_TEX || in->cache_op == CACHE_NC ? L1_TEXTURE : L1_DATA;
}

static enum wl_space space_of(const struct code_inst *in, enum cache_id cache)
{
    if (in->space == SPACE_LOCAL) return WL_LOCAL;
    return cache == L1_TEXTURE ? WL_TEXTURE : cache == L1_CONSTANT ? WL_CONST : WL_GLOBAL;
}

/* Loads that must see the writes of others: the wider the scope, the sooner it bypasses. */
static bool strong_bypasses(const struct sm *s, const struct code_inst *in)
{
    enum { NONE, GPU, GPU_SYS, ALL }; /* order of the choices of l1d.strong */
    switch (in->cache_op) {
    case CACHE_STRONG_GPU: return s->strong >= GPU;
    case CACHE_STRONG_SYS: return s->strong >= GPU_SYS;
    case CACHE_STRONG_CTA: return s->strong >= ALL;
    default: return false;
    }
}

static struct route route_memory(const struct sm *s, const struct code_inst *in)
{
    static const uint8_t kind[] = {[INST_LOAD] = WL_LOAD, [INST_STORE] = WL_STORE, [INST_ATOMIC] = WL_ATOMIC};
    struct route r = {.unit = UNIT_LSU,
                      .kind = kind[in->kind],
                      .leaves = in->space != SPACE_SHARED,
                      .holds = s->atomic_holds && in->kind == INST_ATOMIC};
    if (!r.leaves) return r;
    enum cache_id cache = cache_of(s, in);
    enum wl_space space = space_of(in, cache);
    r.cache = (uint8_t)cache;
    r.space = (uint8_t)space;
    r.data_load = in->kind == INST_LOAD && cache == L1_DATA;
    r.bypass =
        r.data_load && space == WL_GLOBAL && (in->cache_op == CACHE_CG || !s->l1d_global || strong_bypasses(s, in));
    return r;
}

/* Release 4 of GPGPU-Sim has in its table what release 3 has, and of the others those that multiply and add, divide
 * or exchange lanes. */
static bool added_in_4(unsigned lat)
{
    bool mad = lat == LAT_INT_MAD || lat == LAT_FP_MAD || lat == LAT_DP_MAD;
    bool div = lat == LAT_INT_DIV || lat == LAT_FP_DIV || lat == LAT_DP_DIV;
    return mad || div || lat == LAT_INT_MUL || lat == LAT_SHFL;
}

static unsigned exec_class(const struct sm *s, const struct code_inst *in, bool machine)
{
    if (machine) return in->kind == INST_BRANCH ? EXEC_BRANCH : EXEC_MACHINE + in->lat;
    bool silicon = s->classes == CLASSES_HARDWARE;
    if (in->kind == INST_BRANCH && in->ndst) /* assembled: what comes next waits for it */
        return in->lat == LAT_PREDICATE ? EXEC_PARTING : EXEC_BRANCH;
    if (in->kind == INST_BRANCH) return silicon ? LAT_INT_ADD : EXEC_SHORT + LAT_INT_ADD;
    if (silicon || in->old == OLD_UNKNOWN || in->old == OLD_LISTED) return in->lat;
    if (in->old == OLD_FUNCTION) return LAT_SFU;
    return s->classes == CLASSES_GPGPUSIM4 && added_in_4(in->lat) ? in->lat : EXEC_SHORT + in->lat;
}

/* Cycles in which the source registers are read. */
static unsigned collection(const struct sm *s, const struct code_inst *in)
{
    return s->collect ? (inst_operands(in) + s->collect - 1) / s->collect : 1;
}

/* A delay in which one cycle is for reading the source registers, when that takes another time. */
static tick_t with_collection(const struct sm *s, const struct code_inst *in, tick_t delay)
{
    if (!s->collect) return delay;
    tick_t p = s->part.period, all = delay + collection(s, in) * p;
    return all > 2 * p ? all - p : p;
}

/* A product of a warp group takes its pipe for as long as it has columns, and is done some cycles after that. */
static void product_route(const struct sm *s, const struct code_inst *in, struct route *r)
{
    uint32_t columns = s->product.init * in->width, least = s->product.least + columns / 2;
    r->init = (uint16_t)(columns > least ? columns : least);
    r->delay = (columns + s->product.latency) * s->part.period;
}

static struct route route_of(const struct sm *s, const struct code_inst *in, bool machine)
{
    bool operand = machine && s->const_operands && in->kind == INST_LOAD && in->space == SPACE_CONST;
    if (inst_is_mem(in) && !operand) {
        struct route r = route_memory(s, in);
        r.delay = with_collection(s, in, s->mem_delay);
        return r;
    }
    if (in->kind != INST_ALU && in->kind != INST_BRANCH && !operand) return route_none;
    unsigned class = operand ? EXEC_MACHINE + LAT_INT_ADD : exec_class(s, in, machine);
    const struct exec_class *c = &s->exec_class[class];
    struct route r = {.unit = c->unit,
                      .exec = (uint8_t) class,
                      .odd = operand || (!in->ndst && in->async),
                      .collect = (uint8_t)collection(s, in),
                      .init = c->init,
                      .delay = with_collection(s, in, c->latency * s->part.period + s->issue_delay)};
    if (in->async == ASYNC_PRODUCT) product_route(s, in, &r);
    return r;
}

int route_kernel(const struct sm *s, struct route_table *t, const struct code *code)
{
    if (code->ninst > t->cap) {
        struct route *r = realloc(t->route, code->ninst * sizeof *r);
        if (!r) return -1;
        t->route = r;
        t->cap = code->ninst;
    }
    for (uint32_t i = 0; i < code->ninst; i++) {
        t->route[i] = route_of(s, &code->inst[i], code->machine);
        t->route[i].generic = code->inst[i].form != 0;
    }
    return 0;
}

void route_table_destroy(struct route_table *t) { free(t->route); }
