/* memops.c - loads, stores and addresses, lane by lane; mem_body.inc has what a warp usually does.
 *
 * A generic access is recorded in the stream by the spaces its lanes really touch, with the addresses of
 * those spaces: the timing half sees what an instruction that names the space would have shown it. */
#include "ptx/cluster.h"
#include "ptx/ops.h"

#include <inttypes.h>
#include <string.h>

void mem_addresses(const struct exec_warp *w, const struct uop *u, uint64_t addr[WARP_SIZE])
{
    uint64_t add = (uint64_t)u->imm;
    if (u->addressing == ADDR_REG64) {
        const uint64_t *a = at64(w, u->s[0]);
        for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = a[i] + add;
        return;
    }
    if (u->addressing == ADDR_REG32) {
        const uint32_t *a = at32(w, u->s[0]);
        for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = (uint32_t)(a[i] + (uint32_t)add);
        return;
    }
    if (u->addressing == ADDR_FRAME) add += w->frame[w->nframe - 1].local;
    if (u->addressing == ADDR_DYNAMIC) add += w->run->dynamic_at;
    for (unsigned i = 0; i < WARP_SIZE; i++) addr[i] = add;
}

/* ---- one lane ---- */

static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param", "local"};

/* The space a generic address points into; *addr becomes an address of that space. */
static unsigned generic_space(uint64_t *addr)
{
    static const uint8_t window[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM_KERNEL, PTX_CONST};
    if (*addr < GENERIC_SHARED || *addr >= GENERIC_END) return PTX_GLOBAL;
    unsigned k = (unsigned)(*addr / GENERIC_WINDOW);
    *addr -= k * GENERIC_WINDOW;
    return window[k];
}

static bool is_load(const struct uop *u) { return ptx_opcodes[u->in->op].kind == INST_LOAD; }

/* What goes a little too far does no harm on a GPU, whose memory is mapped in large pages. */
static const char *granule_hint(const struct uop *u, uint64_t addr, uint64_t base, uint64_t size)
{
    enum { PAGE = 2 << 20 };
    bool near = addr / PAGE >= base / PAGE && addr / PAGE <= (base + size - 1) / PAGE;
    near |= is_load(u) && addr < DEVICE_BASE && DEVICE_BASE - addr <= PAGE;
    if (!near) return "";
    return "; a GPU would not trap it: --set run.granule=2097152 allows accesses within pages of that size";
}

static void fault_global(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes,
                         const char *what)
{
    uint64_t base, size;
    if (addr < DEV_ALIGN)
        warp_fault(w, u, (int)lane, "null pointer: global %s of %u bytes at 0x%" PRIx64, what, bytes, addr);
    else if (!dev_nearest(w->run->l.image->mem, addr, &base, &size))
        warp_fault(w, u, (int)lane, "out-of-bounds global %s of %u bytes at 0x%" PRIx64 " (nothing is allocated)", what,
                   bytes, addr);
    else
        warp_fault(w, u, (int)lane,
                   "out-of-bounds global %s of %u bytes at 0x%" PRIx64 " (nearest allocation 0x%" PRIx64 "..0x%" PRIx64
                   ")%s",
                   what, bytes, addr, base, base + size - 1, granule_hint(u, addr, base, size));
}

static void *global_lane(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes,
                         const char *what)
{
    struct exec_run *r = w->run;
    struct range *known = &r->range[u->range];
    uint64_t size;
    if (addr < known->lo || addr >= known->hi || known->hi - addr < bytes) {
        void *p = dev_ptr(r->l.image->mem, addr, bytes);
        if (!p && (p = dev_outside(r->l.image->mem, addr, bytes, !is_load(u)))) return p;
        if (!p) {
            fault_global(w, u, lane, addr, bytes, what);
            return NULL;
        }
        if (!dev_range(r->l.image->mem, addr, &known->lo, &size)) known->hi = known->lo + size;
    }
    return r->dev_host + (addr - DEVICE_BASE);
}

void *mem_lane(struct exec_warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes, const char *what)
{
    unsigned space = u->space == PTX_SPACE_NONE ? generic_space(&addr) : u->space;
    if (addr & (bytes - 1)) {
        warp_fault(w, u, (int)lane, "misaligned %s %s of %u bytes at 0x%" PRIx64, space_names[space], what, bytes,
                   addr);
        return NULL;
    }
    if (space == PTX_GLOBAL) return global_lane(w, u, lane, addr, bytes, what);
    uint64_t size = w->local_stride;
    uint8_t *image = mem_space_image(w->run, space, &size);
    if (space == PTX_SHARED && addr >= SHARED_BYTES_MAX && addr < SPACE_OFFSET_END && addr >> 24 &&
        !(image = cluster_shared(w, u, lane, &addr)))
        return NULL;
    if (addr >= size || size - addr < bytes) {
        warp_fault(w, u, (int)lane, "out-of-bounds %s %s of %u bytes at 0x%" PRIx64 " (there are %" PRIu64 " bytes)",
                   space_names[space], what, bytes, addr, size);
        return NULL;
    }
    return image ? image + addr : w->local + (uint64_t)lane * w->local_stride + addr;
}

/* ---- generic accesses ---- */

/* Instructions are counted as the timing half issues them: one per space. */
int mem_emit_generic(struct exec_warp *w, const struct uop *u, const uint64_t addr[WARP_SIZE])
{
    static const uint8_t form_of[] = {[PTX_GLOBAL] = SPACE_GLOBAL - SPACE_GLOBAL,
                                      [PTX_SHARED] = SPACE_SHARED - SPACE_GLOBAL,
                                      [PTX_LOCAL] = SPACE_LOCAL - SPACE_GLOBAL,
                                      [PTX_CONST] = SPACE_CONST - SPACE_GLOBAL,
                                      [PTX_PARAM_KERNEL] = SPACE_PARAM - SPACE_GLOBAL};
    uint32_t lanes[GENERIC_FORMS] = {0};
    uint64_t in_space[WARP_SIZE];
    unsigned kind = ptx_opcodes[u->in->op].kind, reach = generic_reach((enum inst_kind)kind), parts = 0;
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        in_space[i] = addr[i];
        unsigned space = generic_space(&in_space[i]), form = form_of[space];
        if (!(reach >> form & 1))
            return warp_fault(w, u, (int)i, "a generic %s cannot reach %s memory: 0x%" PRIx64,
                              kind == INST_STORE ? "store" : "atomic", space_names[space], addr[i]);
        lanes[form] |= 1u << i;
    }
    for (unsigned k = 0; k < GENERIC_FORMS; k++) parts += lanes[k] != 0;
    w->executed += parts - 1;
    if (w->out) stream_generic(w->out, lanes, in_space);
    return RUN_ON;
}

/* ---- a warp: mem_body.inc ---- */

int mem_resolve_lanes(struct exec_warp *w, const struct uop *u, const uint64_t *addr, unsigned size,
                      uint8_t *at[WARP_SIZE], const char *what)
{
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        at[i] = mem_lane(w, u, i, addr[i], size, what);
        if (!at[i]) return RUN_FAULT;
    }
    return RUN_ON;
}

static enum mem_shape shape_of(const struct uop *u)
{
    bool words = u->bytes == 4 && !u->wide, pairs = u->bytes == 8 && u->wide == (1u << u->nvec) - 1;
    if (u->emits == EMIT_GENERIC) return words && u->nvec == 1 ? MEM_GENERIC_B32 : MEM_ANY;
    switch (u->nvec) {
    case 1: return words ? MEM_B32 : pairs ? MEM_B64 : u->bytes == 1 && !u->wide && !u->sign ? MEM_U8 : MEM_ANY;
    case 2: return words ? MEM_V2_B32 : pairs ? MEM_V2_B64 : MEM_ANY;
    case 4: return words ? MEM_V4_B32 : MEM_ANY;
    default: return MEM_ANY;
    }
}

void mem_choose(struct uop *u, bool store)
{
    enum mem_shape shape = shape_of(u);
    const struct lane_fns *f = &mem_ops()[2 * shape + store];
    u->full = f->full;
    u->part = f->part;
}

/* Nothing is fetched from where there is nothing, and that is no fault: such lanes do as another lane does. */
int op_prefetch(struct exec_warp *w, const struct uop *u)
{
    uint64_t addr[WARP_SIZE], stand_in = DEVICE_BASE;
    uint32_t wrong = 0;
    mem_addresses(w, u, addr);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        if (addr[i] >= GENERIC_SHARED || !dev_ptr(w->run->l.image->mem, addr[i], 1)) wrong |= 1u << i;
        else stand_in = addr[i];
    }
    for (; wrong; wrong &= wrong - 1) addr[bit_low32(wrong)] = stand_in;
    return mem_emit(w, u, addr);
}

/* ---- addresses as values ---- */

static uint64_t window_of(unsigned space)
{
    switch (space) {
    case PTX_SHARED: return GENERIC_SHARED;
    case PTX_LOCAL:
    case PTX_PARAM_LOCAL: return GENERIC_LOCAL;
    case PTX_PARAM_KERNEL: return GENERIC_PARAM;
    case PTX_CONST: return GENERIC_CONST;
    default: return 0;
    }
}

int op_cvta(struct exec_warp *w, const struct uop *u)
{
    uint64_t add = u->flags & FLAG_TO ? 0 - window_of(u->space) : window_of(u->space);
    for (uint32_t m = w->exec; m; m &= m - 1) {
        unsigned i = bit_low32(m);
        put_lane(w, u->d, u->wide, i, get_lane(w, u->s[0], u->src_wide, i) + add);
    }
    return RUN_ON;
}

int op_isspacep(struct exec_warp *w, const struct uop *u)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        uint64_t a = get_lane(w, u->s[0], u->src_wide, i);
        unsigned space = generic_space(&a);
        r |= (uint32_t)(space == (u->space == PTX_PARAM_LOCAL ? PTX_PARAM_KERNEL : u->space)) << i;
    }
    warp_put_pred(w, u->d, w->exec, r);
    return RUN_ON;
}

int op_local_addr(struct exec_warp *w, const struct uop *u)
{
    uint64_t a = (uint64_t)u->imm + w->frame[w->nframe - 1].local;
    for (uint32_t m = w->exec; m; m &= m - 1) put_lane(w, u->d, u->wide, bit_low32(m), a);
    return RUN_ON;
}
